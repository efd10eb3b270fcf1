"""Rankings read in ranges of scores, or bounded by sketches of them.

A range knows the weight of each class at or above its scores and in all, so a metric of a
ranking becomes a sum over ranges (pairs ranked rightly, precision at each positive), or the few
points of the curve that it depends on (corners of the hull, the points around a crossing).
Nothing of it is approximate; sums of pairs are integers where the weights are.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.merged.layout import Layout
from skmetrics_ext.merged.thinned_curve import chord_gap, evenly_along, rates
from skmetrics_ext.metrics.averaging import RankKernel, is_by_class, is_pooled
from skmetrics_ext.metrics.rankings.ranking_kernels import OF_WINS, average_precision
from skmetrics_ext.metrics.rankings.score_tally import both_sides, pairs_of_columns, pairs_of_wins
from skmetrics_ext.metrics.spec import Ranges
from skmetrics_ext.numeric import Array, as_factors, divide, exact_dot, exclusive_cumsum
from skmetrics_ext.registry import Metric, parameters_of
from skmetrics_ext.tallies import RankTally, ScoreSketch, Stretch, Wins
from skmetrics_ext.validation import InvalidParameterError, Scores

NAN = float("nan")
SPREAD = "_spread"  # among the sums: the squares that the variance of the area is made of
_GRID = 4  # times the points of a curve that ranges keep, for the last choice


@dataclass(frozen=True, slots=True)
class RangePlan:
    """Values to read from the ranges of scores.

    Parameters
    ----------
    asked : tuple of Metric
        Metrics of rankings.
    spread : bool
        Whether to sum the squares for the variance of the area.
    points : int
        Number of points of each curve; 0 for no curves.
    most : int
        Largest number of distinct scores to hold as one table.
    """

    asked: tuple[Metric, ...]
    spread: bool = False
    points: int = 0
    most: int = 1 << 62

    @classmethod
    def of(
        cls, metrics: Iterable[Metric], intervals: bool, points: int = 0, most: int = 1 << 62
    ) -> RangePlan:
        """The plan for the metrics of rankings among these; of areas with their variance."""
        ranked = tuple(metric for metric in metrics if metric.sums == "ranks")
        spread = intervals and any(kind_of(metric) == "wins" for metric in ranked)
        return cls(ranked, spread, points, most)


def kind_of(one: Metric) -> str:
    """Kind of the `Ranges` of a metric of rankings.

    Metrics that pool the columns of scores, or read the rows of two classes alone, are "whole".
    """
    kind, options = ranges_of(one).kind, one.options
    takes_parts = options.get("multi_class") == "ovo" and kind != "wins"
    return "whole" if takes_parts or is_pooled(options.get("average")) else kind


def ranges_of(one: Metric) -> Ranges:
    """How a metric is read from ranges, given its parameters."""
    found = one.spec.ranges
    assert found is not None
    return found.given(one.options)


def with_options(function: Callable[..., Any], one: Metric) -> Callable[..., Any]:
    """A function with those parameters of the metric that it takes."""
    names = list(parameters_of(function))[1:]
    return partial(function, **{name: one.options[name] for name in names})


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
    sums : dict of str to tuple of float
        Terms of the metrics that are sums.
    kept : RankTally
        Both classes at the kept points.
    gap : float
        Largest vertical distance of the curve from its kept points.
    table : RankTally or None
        Every class at every score, while there are few enough.
    distinct : int
        Number of distinct scores.
    """

    order: tuple[Any, ...]
    wins: tuple[Any, ...]
    sums: dict[str, tuple[float, ...]]
    kept: RankTally
    gap: float
    table: RankTally | None
    distinct: int

    @classmethod
    def combine(cls, parts: Iterable[RangeReading], most: int) -> RangeReading:
        """Join ranges that do not overlap, in any order."""
        listed = sorted(parts, key=lambda part: part.order)
        tables = [part.table for part in listed if part.table is not None]
        distinct = sum(part.distinct for part in listed)
        whole = len(tables) == len(listed) and distinct <= most
        sums = {
            name: tuple(map(math.fsum, zip(*(part.sums[name] for part in listed), strict=True)))
            for name in listed[0].sums
        }
        return cls(
            listed[0].order,
            tuple(map(_exactly, zip(*(part.wins for part in listed), strict=True))),
            sums,
            _joined([part.kept for part in listed]),
            max(part.gap for part in listed),
            _joined(tables) if whole else None,
            distinct,
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
    own: int,
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
    own : int
        The class that the column of scores belongs to.
    above, total : ndarray of shape (C,)
        Weight of each class above the range, and in all.
    plan : RangePlan
        What to read.
    order : tuple
        Sort key of the range, the highest scores first.
    most : int
        Distinct scores beyond which the table of the range is not kept.
    """
    mass = tally.mass
    beats = exclusive_cumsum(mass[own]) + above[own]
    wins = tuple(2 * exact_dot(row, beats) + exact_dot(row, mass[own]) for row in mass)
    both = mass if len(mass) == 2 and own == 1 else _rest_and_own(mass, own)
    start = [_rest_and_own(side[:, None], own)[:, 0] for side in (above, total)]
    stretch = Stretch.of(RankTally(tally.thresholds, both), *start)
    sums: dict[str, tuple[float, ...]] = {}
    kept = [np.array([0, 1, len(tally.thresholds) - 2, len(tally.thresholds) - 1])]
    for one in plan.asked:
        kind, term = kind_of(one), ranges_of(one).term or one.spec.kernel
        if kind == "sum":
            sums[one.name] = (float(with_options(term, one)(stretch)),)
        elif kind == "places":
            kept.append(with_options(term, one)(stretch))
    if plan.spread:
        sums[SPREAD] = _squares(stretch)
    if plan.points:
        kept.append(evenly_along(stretch, _GRID * plan.points))
    places = np.unique(np.concatenate(kept))
    places = places[(places >= 0) & (places < len(tally.thresholds))]
    gap = chord_gap(*rates(stretch), np.append(0, places + 1)) if plan.points else 0.0
    held = len(tally.thresholds) <= most
    return RangeReading(
        order, wins, sums, stretch.only(places), gap, tally if held else None, len(tally.thresholds)
    )


def read_tables(tables: Iterable[RankTally], own: int, plan: RangePlan) -> RangeReading:
    """Merge tables into one ranking, read as one range whose table is kept."""
    listed = list(tables)
    table = listed[0] if len(listed) == 1 else RankTally.combine(listed)
    total = table.mass.sum(axis=1)
    plan = replace(plan, spread=False)  # the table gives the variance
    return read_range(table, own, np.zeros_like(total), total, plan, (), 1 << 62)


def read_columns(
    tallies: Iterable[Iterable[RankTally]], layout: Layout, plan: RangePlan
) -> list[RangeReading]:
    """Read each column of scores from its tallies."""
    return [read_tables(column, layout.code_of(k), plan) for k, column in enumerate(tallies)]


def merged_readings(
    sources: Mapping[Any, Sequence[Any]],
    readings: Mapping[Any, Sequence[RangeReading]],
    layout: Layout,
    plan: RangePlan,
) -> dict[Any, list[RangeReading]] | None:
    """Rankings of groups that are made of others; None if a table of these is not held."""
    found = {}
    for group, parts in sources.items():
        columns = list(zip(*(readings[part] for part in parts if part in readings), strict=True))
        tables = [[one.table for one in column if one.table is not None] for column in columns]
        if list(map(len, tables)) != list(map(len, columns)):
            return None
        if columns:
            found[group] = read_columns(tables, layout, plan)
    return found


def _rest_and_own(mass: Array, own: int) -> Array:
    return np.stack([mass.sum(axis=0) - mass[own], mass[own]])


def _squares(stretch: Stretch) -> tuple[float, float]:
    """Sums over the rows of each class of the squared placements (DeLong)."""
    fp, tp, all_negative, all_positive = stretch.steps()
    negative, positive = stretch.negative, stretch.positive
    beaten = divide(all_negative - fp[1:] + negative / 2, all_negative)
    beating = divide(tp[1:] - positive / 2, all_positive)
    return float((positive * beaten**2).sum()), float((negative * beating**2).sum())


# --------------------------------------------------------------------------- growing tallies


class RankStack:
    """Tallies of one column of scores, merged whenever their length has doubled.

    Each score is thus moved twice on average, however many tallies are added.
    """

    __slots__ = ("merged", "tallies")

    def __init__(self, tallies: Iterable[RankTally] = ()) -> None:
        self.tallies = list(tallies)
        self.merged = len(self.tallies[0].thresholds) if self.tallies else 0

    def __len__(self) -> int:
        return sum([len(tally.thresholds) for tally in self.tallies])

    def add(self, tally: RankTally) -> None:
        """Add a tally."""
        self.tallies.append(tally)
        if len(self) > 2 * self.merged:
            self.whole()

    def whole(self) -> RankTally:
        """All tallies merged."""
        if len(self.tallies) > 1:
            self.tallies = [RankTally.combine(self.tallies)]
        self.merged = len(self)
        return self.tallies[0]


def distinct_beyond(stacks: Collection[RankStack], most: int) -> int:
    """Number of distinct scores in all stacks if it exceeds ``most``, else 0."""
    if sum(map(len, stacks)) <= most:
        return 0
    held = sum(len(stack.whole().thresholds) for stack in stacks if stack.tallies)
    return held if held > most else 0


# --------------------------------------------------------------------------- values


class Value(NamedTuple):
    """A number or an array of a metric, and why it is undefined or set by convention."""

    value: Any
    reason: str = ""


def call(function: Callable[[], Any], undefined: str = "") -> Value:
    """Value of a function; nan with the text of the error if the input is refused.

    The reason of a value with a warning is ``undefined``, or the text of the warning.
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
    """Value of a tally; where it is 0/0, or a number by convention, with the reason."""
    filled: list[Any] = []
    found = call(lambda: metric.read(tally, tell=lambda *values: filled.append(values)))
    if found.reason:
        return found
    reason = metric.spec.undefined
    if np.isnan(found.value).any():
        return Value(found.value, reason)
    if not filled or metric.options.get("zero_division", "warn") != "warn":
        return found
    return Value(found.value, f"0/0 taken as 0: {reason}" if metric.sums == "tables" else reason)


@dataclass(frozen=True, eq=False)
class MergedRankings:
    """The `Rankings` of a metric, read from the ranges of one group as its spec says.

    Parameters
    ----------
    metric : Metric
    layout : Layout
    columns : sequence of RangeReading
        Of the positive class of two, or of every class.
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
        """Pairs of the class of a column and the rest, from exact sums."""
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
            total = np.asarray(column.sums[self.metric.name][0])
            finish = ranges_of(self.metric).finish
            return total if finish is None else with_options(finish, self.metric)(total)
        return kernel(column.kept if kind == "places" else self.table(k))

    def pooled(self) -> RankTally:
        """Every cell of the scores by classes as a row of one binary problem."""
        return RankTally.combine(map(self.table, range(self.n_classes)))

    def by_row(self) -> tuple[list[RankTally], Array | None]:
        """Refused: multilabel data are not merged."""
        raise InvalidParameterError("average='samples' needs multilabel data.")

    def pairs(self, kernel: RankKernel) -> Array:
        """The kernel of column i between rows of class i and of class j, (K, K)."""
        if kind_of(self.metric) != "wins":
            if self.binary:
                return both_sides(kernel, self.table())
            return pairs_of_columns(kernel, map(self._table, range(self.n_classes)))
        if self.binary:  # the same from either side
            return np.where(np.eye(2), np.nan, kernel(self.wins()))
        wins = _array([list(column.wins) for column in self.columns])
        return pairs_of_wins(kernel, wins, self.support)


def read_ranking(rankings: MergedRankings, most: int) -> Value:
    """Value of a metric of rankings, of which tables of ``most`` scores may be held."""
    metric, columns = rankings.metric, rankings.columns
    if kind_of(metric) == "whole" and any(column.table is None for column in columns):
        distinct = max(column.distinct for column in columns)
        return Value(
            NAN,
            f"needs all distinct scores at once, and {distinct} are more than the {most} that "
            "memory_limit allows",
        )
    is_forecast = metric.spec.response == "probabilities" and metric.spec.check != Scores.check
    if is_forecast and not rankings.binary:
        return Value(NAN, "of several classes it is not read from sums")
    return read(metric, rankings)


def _array(rows: list[list[Any]]) -> Array:
    """int64 where everything fits, else float64."""
    exact = all(isinstance(x, int) and abs(x) < 2**63 for row in rows for x in row)
    return np.array(rows, dtype=np.int64 if exact else np.float64)


# --------------------------------------------------------------------------- sketches

_ONLY_MEANS = "a sketch bounds means over classes against the rest only"


@dataclass(frozen=True, eq=False, slots=True)
class SketchedRankings:
    """The `Rankings` of sketches, whose values are bounds: a leading axis of two."""

    sketches: Sequence[ScoreSketch]
    support: Array

    @property
    def binary(self) -> bool:
        return len(self.sketches) == 1

    @property
    def n_classes(self) -> int:
        return len(self.sketches)

    def bounds(self, metric: Metric) -> tuple[Array, str]:
        """Lowest and highest value that the metric can have, or nan and the reason."""
        average, multi_class = (metric.options.get(name) for name in ("average", "multi_class"))
        if not self.binary and (multi_class == "ovo" or not is_by_class(average)):
            return np.full(2, NAN), _ONLY_MEANS
        found = read(metric, self)
        reason = _ONLY_MEANS if np.ndim(found.value) > 1 else found.reason
        return (np.full(2, NAN) if reason else found.value), reason

    def value(self, kernel: RankKernel, code: int) -> Array:
        """Bounds of the kernel of one class against the rest."""
        sketch = self.sketches[0 if self.binary else code]
        if kernel in OF_WINS:
            return kernel(Wins.of_area(np.array(sketch.roc_auc)))
        if kernel is average_precision:
            return np.array(sketch.average_precision)
        raise InvalidParameterError(
            "a sketch bounds areas under the ROC curve and average precision only"
        )
