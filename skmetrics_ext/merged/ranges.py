"""Rankings read in ranges of scores, or bounded where scores are in bins.

A range knows the weight of each class above it and in total. So a metric of a ranking becomes a
sum over ranges (correctly ranked pairs, precision at each positive row), or depends on a few
points of the curve (corners of the hull, the points around a crossing). Nothing is approximate;
sums of pairs are integers if the weights are.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.merged.layout import Layout
from skmetrics_ext.metrics.averaging import RankKernel, is_by_class, is_pooled
from skmetrics_ext.metrics.rankings.ranking_kernels import OF_WINS, average_precision
from skmetrics_ext.metrics.rankings.score_tally import both_sides, pairs_of_columns, pairs_of_wins
from skmetrics_ext.metrics.spec import Ranges
from skmetrics_ext.numeric import Array, as_factors, divide, exact_dot, exclusive_cumsum
from skmetrics_ext.registry import Metric, parameters_of
from skmetrics_ext.result_bases import CurveResult
from skmetrics_ext.tallies import RankTally, ScoreSketch, Stretch, Wins
from skmetrics_ext.validation import InvalidParameterError, Scores
from skmetrics_ext.validation.errors import spoken

NAN = float("nan")
_GRID = 4  # ranges keep so many times the points of a curve, to choose from


@dataclass(frozen=True, slots=True)
class RangePlan:
    """Values to read from the ranges of scores.

    Parameters
    ----------
    metrics : tuple of Metric
        Metrics of rankings.
    intervals : bool
        Whether the values have intervals.
    points : int
        Number of points of each curve; 0 for no curves.
    most : int
        Largest number of distinct scores to hold as one table.
    """

    metrics: tuple[Metric, ...]
    intervals: bool = False
    points: int = 0
    most: int = 1 << 62

    @classmethod
    def of(
        cls, metrics: Iterable[Metric], intervals: bool, points: int = 0, most: int = 1 << 62
    ) -> RangePlan:
        """Plan for those of the metrics that read rankings."""
        ranked = tuple(metric for metric in metrics if metric.sums == "ranks")
        return cls(ranked, intervals, points, most)

    @property
    def spread(self) -> bool:
        """Whether to sum the squares for the variance of an area."""
        return self.intervals and any(kind_of(metric) == "wins" for metric in self.metrics)

    @property
    def needs_no_table(self) -> bool:
        """Whether ranges are enough for all values and, if there are intervals, these too."""
        kinds = {kind_of(metric) for metric in self.metrics}
        return bool(kinds) and kinds <= ({"wins"} if self.intervals else {"wins", "sum", "places"})


def kind_of(metric: Metric) -> str:
    """How a metric of rankings adds up over ranges: the kind of its `Ranges`.

    Metrics that pool the columns of scores, or only read the rows of two classes, are "whole".
    """
    kind, options = ranges_of(metric).kind, metric.options
    takes_parts = options.get("multi_class") == "ovo" and kind != "wins"
    return "whole" if takes_parts or is_pooled(options.get("average")) else kind


def ranges_of(metric: Metric) -> Ranges:
    """How a metric with these parameters is read from ranges."""
    ranges = metric.spec.ranges
    assert ranges is not None
    return ranges.given(metric.options)


def with_options(function: Callable[..., Any], metric: Metric) -> Callable[..., Any]:
    """Pass a function those parameters of the metric that it takes."""
    names = list(parameters_of(function))[1:]
    return partial(function, **{name: metric.options[name] for name in names})


@dataclass(frozen=True, eq=False, slots=True)
class RangeReading:
    """Sums and points of one range of scores, or of several.

    Parameters
    ----------
    order : tuple
        Sort key of the range, the highest scores first.
    wins : tuple of int or float
        For each class, twice the weight of the correctly ranked pairs of a row of the column's
        class and a row of that class.
    sums : dict of str to float
        Terms of the metrics that are sums.
    kept : RankTally
        Both classes at the kept points.
    gap : float
        Largest vertical distance of the curve from its kept points.
    table : RankTally or None
        Every class at every score, while there are few enough.
    distinct : int
        Number of distinct scores.
    squares : tuple of float or None
        Sums of squares for the variance of an area, by class.
    """

    order: tuple[Any, ...]
    wins: tuple[Any, ...]
    sums: dict[str, float]
    kept: RankTally
    gap: float
    table: RankTally | None
    distinct: int
    squares: tuple[float, ...] | None = None

    @classmethod
    def combine(cls, parts: Iterable[RangeReading], most: int) -> RangeReading:
        """Join ranges that do not overlap, in any order."""
        listed = sorted(parts, key=lambda part: part.order)
        tables = [part.table for part in listed if part.table is not None]
        distinct = sum(part.distinct for part in listed)
        whole = len(tables) == len(listed) and distinct <= most
        squares = [part.squares for part in listed if part.squares is not None]
        return cls(
            listed[0].order,
            tuple(map(_exactly, zip(*(part.wins for part in listed), strict=True))),
            {name: math.fsum(part.sums[name] for part in listed) for name in listed[0].sums},
            _joined([part.kept for part in listed]),
            max(part.gap for part in listed),
            _joined(tables) if whole else None,
            distinct,
            tuple(map(math.fsum, zip(*squares, strict=True))) or None,
        )


def _exactly(terms: tuple[Any, ...]) -> Any:
    """Sum of integers of any size, or of floats rounded once."""
    return sum(terms) if all(isinstance(term, int) for term in terms) else math.fsum(terms)


def _joined(tallies: list[RankTally]) -> RankTally:
    return RankTally(
        np.concatenate([tally.thresholds for tally in tallies]),
        np.concatenate([tally.mass for tally in tallies], axis=-1),
    )


def read_range(
    tally: RankTally,
    code: int,
    above: Array,
    total: Array,
    plan: RangePlan,
    order: tuple[Any, ...],
    most: int,
) -> RangeReading:
    """Read one range.

    Parameters
    ----------
    tally : RankTally
        Weight of each class at each distinct score of the range.
    code : int
        The class whose scores these are.
    above, total : ndarray of shape (C,)
        Weight of each class above the range, and in total.
    plan : RangePlan
        What to read.
    order : tuple
        Sort key of the range, the highest scores first.
    most : int
        Distinct scores beyond which the table of the range is not kept.
    """
    mass = tally.mass
    beats = exclusive_cumsum(mass[code]) + above[code]
    wins = tuple(2 * exact_dot(row, beats) + exact_dot(row, mass[code]) for row in mass)
    both = mass if len(mass) == 2 else _rest_and_class(mass, code)
    start = [_rest_and_class(side[:, None], code)[:, 0] for side in (above, total)]
    stretch = Stretch.of(RankTally(tally.thresholds, both), *start)
    sums: dict[str, float] = {}
    kept = [np.array([len(tally.thresholds) - 1])]
    for metric in plan.metrics:
        kind, term = kind_of(metric), ranges_of(metric).term or metric.spec.kernel
        if kind == "sum":
            sums[metric.name] = float(with_options(term, metric)(stretch))
        elif kind == "places":
            kept.append(with_options(term, metric)(stretch))
    if plan.points:
        kept.append(evenly_along(stretch, _GRID * plan.points))
    places = np.unique(np.concatenate(kept))
    places = places[(places >= 0) & (places < len(tally.thresholds))]
    gap = chord_gap(*rates(stretch), np.append(0, places + 1)) if plan.points else 0.0
    distinct = len(tally.thresholds)
    table = tally if distinct <= most else None
    squares = _squares(stretch) if plan.spread else None
    return RangeReading(order, wins, sums, stretch.only(places), gap, table, distinct, squares)


def read_tables(tables: Iterable[RankTally], code: int, plan: RangePlan) -> RangeReading:
    """Merge tables into one ranking, read as one range whose table is kept."""
    listed = list(tables)
    table = listed[0] if len(listed) == 1 else RankTally.combine(listed)
    total = table.mass.sum(axis=1)
    plan = replace(plan, intervals=False)  # the table gives the variance
    return read_range(table, code, np.zeros_like(total), total, plan, (), len(table.thresholds))


def read_columns(
    tallies: Iterable[Iterable[RankTally]], layout: Layout, plan: RangePlan
) -> list[RangeReading]:
    """Read each column of scores from its tallies."""
    return [read_tables(column, layout.code_of(k), plan) for k, column in enumerate(tallies)]


def _rest_and_class(mass: Array, code: int) -> Array:
    return np.stack([mass.sum(axis=0) - mass[code], mass[code]])


def _squares(stretch: Stretch) -> tuple[float, float]:
    """Sums over the rows of each class of the squared placements (DeLong)."""
    fp, tp, all_negative, all_positive = stretch.steps()
    negative, positive = stretch.negative, stretch.positive
    beaten = divide(all_negative - fp[1:] + negative / 2, all_negative)
    beating = divide(tp[1:] - positive / 2, all_positive)
    return float((positive * beaten**2).sum()), float((negative * beating**2).sum())


# --------------------------------------------------------------------------- curves


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class ThinnedCurve(CurveResult):
    """Some points of a ROC and precision-recall curve, each of them exact.

    Parameters
    ----------
    thresholds : ndarray of shape (T,)
        Decreasing; infinite at the point where no row is predicted positive.
    false_positive_rate, true_positive_rate, precision : ndarray of shape (T,)
        Recall is the true positive rate. Precision is 1 by convention if no row is predicted
        positive.
    vertical_error : float
        Largest vertical distance of the ROC curve from straight lines between the points.
    """

    thresholds: Array
    false_positive_rate: Array
    true_positive_rate: Array
    precision: Array
    vertical_error: float

    @property
    def recall(self) -> Array:
        """The true positive rate."""
        return self.true_positive_rate

    def columns(self) -> dict[str, Array]:
        """The points as arrays by name."""
        return {
            "threshold": self.thresholds,
            "false_positive_rate": self.false_positive_rate,
            "true_positive_rate": self.true_positive_rate,
            "precision": self.precision,
        }


def thin_curve(tally: RankTally, points: int, gap: float) -> ThinnedCurve | None:
    """A curve of at most ``points`` points; ``gap`` is the error of the points in the tally."""
    fp, tp, negative, positive = tally.steps()
    if not negative or not positive:
        return None
    fpr, tpr = rates(tally)
    kept = np.unique(np.append(0, evenly_along(tally, max(points - 1, 1)) + 1))
    thresholds = np.concatenate([[np.inf], tally.thresholds])
    precision = np.where(tp + fp == 0, 1.0, divide(tp, tp + fp))
    error = gap + chord_gap(fpr, tpr, kept)
    return ThinnedCurve(thresholds[kept], fpr[kept], tpr[kept], precision[kept], error)


def rates(tally: RankTally) -> tuple[Array, Array]:
    """False and true positive rates (T + 1,); 0 if the class has no rows."""
    fp, tp, negative, positive = tally.steps()
    return fp / (negative or 1), tp / (positive or 1)


def evenly_along(tally: RankTally, n: int) -> Array:
    """Indices of the last score in each of n equal parts of the ROC curve's length."""
    fpr, tpr = rates(tally)
    cell = np.minimum(((fpr + tpr)[1:] * (n / 2)).astype(np.int64), n - 1)
    return np.flatnonzero(np.diff(cell, append=-1))


def chord_gap(x: Array, y: Array, kept: Array) -> float:
    """Largest vertical distance between points and the chords through the kept ones."""
    segment = np.searchsorted(kept, np.arange(len(x)))
    stop, start = kept[segment], kept[np.maximum(segment - 1, 0)]
    width = x[stop] - x[start]
    share = np.divide(x - x[start], width, out=np.zeros(len(x)), where=width > 0)
    away = np.abs(y - y[start] - share * (y[stop] - y[start]))
    # On a vertical chord the curve is the chord.
    return float(np.where(width > 0, away, 0.0).max())


# --------------------------------------------------------------------------- growing tallies


class RankStack:
    """Tallies of one column of scores, merged whenever their length has doubled.

    So each score is moved twice on average, however many tallies are added.
    """

    __slots__ = ("merged", "n_classes", "tallies")

    def __init__(self, n_classes: int, tallies: Iterable[RankTally] = ()) -> None:
        self.n_classes, self.tallies = n_classes, list(tallies)
        self.merged = len(self.tallies[0].thresholds) if self.tallies else 0

    def __len__(self) -> int:
        return sum([len(tally.thresholds) for tally in self.tallies])

    def add(self, tally: RankTally) -> None:
        """Add a tally."""
        self.tallies.append(tally)
        if len(self) > 2 * self.merged:
            self.whole()

    def whole(self) -> RankTally:
        """All tallies merged; without scores if no row has weight."""
        if not self.tallies:
            return RankTally(np.empty(0), np.empty((self.n_classes, 0), dtype=np.int64))
        if len(self.tallies) > 1:
            self.tallies = [RankTally.combine(self.tallies)]
        self.merged = len(self)
        return self.tallies[0]


def distinct_beyond(stacks: Collection[RankStack], most: int) -> int:
    """Number of distinct scores in all stacks if it exceeds ``most``, else 0."""
    if sum(map(len, stacks)) <= most:
        return 0
    n_distinct = sum(len(stack.whole().thresholds) for stack in stacks)
    return n_distinct if n_distinct > most else 0


# --------------------------------------------------------------------------- values


class Value(NamedTuple):
    """Value of a metric, and the reason if it is undefined or set by convention."""

    value: Any
    reason: str = ""


def call(function: Callable[[], Any], undefined: str = "") -> Value:
    """Value of a function; nan with the error message if it rejects its input.

    If it warns, the reason is ``undefined``, or the text of the warning.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = function()
        except (ValueError, ZeroDivisionError) as error:
            return Value(NAN, " ".join(str(error).split()))
    if not caught:
        return Value(value)
    return Value(value, undefined or " ".join(str(caught[0].message).split()))


def read(metric: Metric, tally: Any) -> Value:
    """Value of a metric of a tally, with the reason if it is 0/0 or set by convention."""
    filled: list[Any] = []
    of_several = not getattr(tally, "binary", False)  # averages over classes are filled
    value, error = call(
        lambda: metric.read(tally, tell=lambda *tell: filled.append(tell), filled=of_several)
    )
    if error:
        return Value(value, error)
    reason = metric.spec.undefined
    if np.isnan(value).any():
        return Value(value, reason)
    if not filled or metric.options.get("zero_division", "warn") != "warn":
        return Value(value)
    return Value(value, f"0/0 taken as 0: {reason}" if metric.sums == "tables" else reason)


def read_each(metric: Metric, tally: Any) -> list[Value]:
    """Value of each of the tables (G, K, K); halves are read again if there is a reason."""
    values, reason = read(metric, tally)
    n_tables = len(tally.table)
    if not reason:
        return list(map(Value, values))
    if n_tables == 1:
        return [Value(values[0] if np.ndim(values) else values, reason)]
    halves = np.array_split(np.arange(n_tables), 2)
    return [
        value
        for half in halves
        for value in read_each(metric, replace(tally, table=tally.table[half]))
    ]


@dataclass(frozen=True, eq=False)
class MergedRankings:
    """`Rankings` of one group, which a metric reads from ranges of scores.

    Parameters
    ----------
    metric : Metric
    layout : Layout
    columns : sequence of RangeReading
        One for the positive class of two, or one for each class.
    masses : ndarray of shape (K,)
        Weight of each class.
    """

    metric: Metric
    layout: Layout
    columns: Sequence[RangeReading]
    masses: Array

    @property
    def binary(self) -> bool:
        return self.layout.is_binary

    @property
    def n_classes(self) -> int:
        return len(self.columns)

    @property
    def support(self) -> Array:
        return as_factors(self.masses)

    def table(self, k: int = 0) -> RankTally:
        """The class of a column against the rest, at every score."""
        table, code = self._table(k), self.layout.code_of(k)
        # Summed, not subtracted: exactly 0 where no other class has a row.
        rest = np.delete(table.mass, code, axis=0).sum(axis=0)
        return RankTally(table.thresholds, np.stack([rest, table.mass[code]]))

    def _table(self, k: int) -> RankTally:
        table = self.columns[k].table
        assert table is not None
        return RankTally(table.thresholds, as_factors(table.mass))

    def wins(self, k: int = 0) -> Wins:
        """Correctly ranked pairs of the class of a column and the rest, from exact sums."""
        code = self.layout.code_of(k)
        wins, masses = list(self.columns[k].wins), self.masses.tolist()
        parts = sum(wins) - wins[code], sum(masses) - masses[code], masses[code]
        return Wins(*(np.asarray(float(part)) for part in parts))

    def value(self, kernel: RankKernel, code: int) -> Array:
        """The kernel of one class against the rest."""
        k = 0 if self.binary else code
        column, kind = self.columns[k], kind_of(self.metric)
        if kind == "wins":
            return kernel(self.wins(k))
        if kind == "sum":
            total = np.asarray(column.sums[self.metric.name])
            finish = ranges_of(self.metric).finish
            return total if finish is None else with_options(finish, self.metric)(total)
        return kernel(column.kept if kind == "places" else self.table(k))

    def pooled(self) -> RankTally:
        """All cells of the (n, K) scores as rows of one binary problem."""
        return RankTally.combine(map(self.table, range(self.n_classes)))

    def by_row(self) -> tuple[list[RankTally], Array | None]:
        """Not available: multilabel data are not merged."""
        raise InvalidParameterError("average='samples' needs multilabel data.")

    def pairs(self, kernel: RankKernel) -> Array:
        """Kernel of column i between the rows of classes i and j, (K, K)."""
        if kind_of(self.metric) != "wins":
            if self.binary:
                return both_sides(kernel, self.table())
            return pairs_of_columns(kernel, map(self._table, range(self.n_classes)))
        if self.binary:  # equal for both classes
            return np.where(np.eye(2), np.nan, kernel(self.wins()))
        wins = np.array([column.wins for column in self.columns], dtype=np.float64)
        return pairs_of_wins(kernel, wins, self.support)


def read_ranking(rankings: MergedRankings, most: int) -> Value:
    """Value of a metric of rankings; tables hold at most ``most`` scores."""
    metric, columns = rankings.metric, rankings.columns
    if kind_of(metric) == "whole" and any(column.table is None for column in columns):
        distinct = max(column.distinct for column in columns)
        return Value(
            NAN,
            f"needs all distinct scores at once, and {distinct} are more than the {most} that "
            f"{spoken('memory_limit')} allows",
        )
    is_forecast = metric.spec.response == "probabilities" and metric.spec.check != Scores.check
    if is_forecast and not rankings.binary:
        return Value(NAN, "for several classes it cannot be read from sums")
    return read(metric, rankings)


# --------------------------------------------------------------------------- sketches

_ONLY_MEANS = "a sketch only bounds averages of each class against the rest"


@dataclass(frozen=True, eq=False, slots=True)
class SketchedRankings:
    """`Rankings` of sketches; a value is a pair of bounds on a leading axis."""

    sketches: Sequence[ScoreSketch]
    support: Array

    @property
    def binary(self) -> bool:
        return len(self.sketches) == 1

    @property
    def n_classes(self) -> int:
        return len(self.sketches)

    def bounds(self, metric: Metric) -> tuple[Array, str]:
        """Lowest and highest possible value of a metric, or nan and the reason."""
        average, multi_class = (metric.options.get(name) for name in ("average", "multi_class"))
        if not self.binary and (multi_class == "ovo" or not is_by_class(average)):
            return np.full(2, NAN), _ONLY_MEANS
        bounds, reason = read(metric, self)
        if np.ndim(bounds) > 1:
            reason = _ONLY_MEANS
        return (np.full(2, NAN) if reason else bounds), reason

    def value(self, kernel: RankKernel, code: int) -> Array:
        """Bounds of the kernel of one class against the rest."""
        sketch = self.sketches[0 if self.binary else code]
        if kernel in OF_WINS:
            return kernel(Wins.of_area(np.array(sketch.roc_auc)))
        if kernel is average_precision:
            return np.array(sketch.average_precision)
        raise InvalidParameterError(
            "a sketch only bounds areas under the ROC curve and average precision"
        )


def bin_note(rankings: MergedRankings, edges: Sequence[Array]) -> str:
    """A note with the bounds of a metric of binned scores."""
    sketches = [ScoreSketch.of_coarse(rankings.table(k), cuts) for k, cuts in enumerate(edges)]
    (low, high), error = SketchedRankings(sketches, rankings.masses).bounds(rankings.metric)
    bins = f"scores in {' and '.join(str(len(cuts) - 1) for cuts in edges)} bins"
    if error:
        return f"{bins}, and their effect has no bound: {error}"
    return f"{bins}; between {low:.4g} and {high:.4g} for any order within them"
