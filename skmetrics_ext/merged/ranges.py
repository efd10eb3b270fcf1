"""Rankings read in ranges of scores: what each range adds, given what stands above it.

A range knows the weight of each class at or above its scores and in all, so a metric of a
ranking becomes a sum over ranges (pairs ranked rightly, precision at each positive), or the few
points of the curve that it depends on (corners of the hull, the points around a crossing).
Nothing of it is approximate; sums of pairs are integers where the weights are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.merged.columns import GroupRows
from skmetrics_ext.merged.thinned_curve import chord_gap, evenly_along, rates
from skmetrics_ext.metrics.averaging import is_pooled
from skmetrics_ext.metrics.spec import Ranges
from skmetrics_ext.numeric import Array, divide, exact_dot, exclusive_cumsum
from skmetrics_ext.registry import Metric, parameters_of
from skmetrics_ext.tallies import RankTally, Stretch

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
    def of(cls, metrics: Iterable[Metric], intervals: bool, points: int = 0) -> RangePlan:
        """The plan for the metrics of rankings among these; of areas with their variance."""
        ranked = tuple(metric for metric in metrics if metric.sums == "ranks")
        spread = intervals and any(kind_of(metric) == "wins" for metric in ranked)
        return cls(ranked, spread, points)


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
        return cls(
            listed[0].order,
            tuple(_exactly(one) for one in zip(*(part.wins for part in listed), strict=True)),
            {
                name: tuple(
                    math.fsum(one)
                    for one in zip(*(part.sums[name] for part in listed), strict=True)
                )
                for name in listed[0].sums
            },
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
        order,
        wins,
        sums,
        stretch.only(places),
        gap,
        tally if held else None,
        len(tally.thresholds),
    )


def read_tables(tables: Iterable[RankTally], own: int, plan: RangePlan) -> RangeReading:
    """Merge tables into one ranking, read as one range."""
    table = RankTally.combine(tables)
    total = table.mass.sum(axis=1)
    return read_range(table, own, np.zeros_like(total), total, plan, (), 1 << 62)


def merged_readings(
    sources: Mapping[Any, Sequence[Any]],
    readings: Mapping[Any, Sequence[RangeReading]],
    plan: RangePlan,
    is_binary: bool,
) -> dict[Any, list[RangeReading]] | None:
    """Rankings of groups that are made of others; None if a table of these is not held."""
    found = {}
    for group, parts in sources.items():
        own = [readings[part] for part in parts if part in readings]
        columns = []
        for k, column in enumerate(zip(*own, strict=True)):
            tables = [one.table for one in column if one.table is not None]
            if len(tables) < len(column):
                return None
            columns.append(read_tables(tables, 1 if is_binary else k, plan))
        if columns:
            found[group] = columns
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


def tallies_of(rows: GroupRows, n_classes: int) -> list[RankTally]:
    """Rank tally of each column of scores."""
    return [
        RankTally.from_scores(np.ascontiguousarray(column), rows.true, n_classes, rows.weight)
        for column in rows.rankings
    ]
