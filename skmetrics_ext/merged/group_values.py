"""Values of metrics of groups, read from their sums: tables all at once, other sums by group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from skmetrics_ext.merged import ranges
from skmetrics_ext.merged.layout import refusal
from skmetrics_ext.merged.ranges import NAN, ThinnedCurve, Value
from skmetrics_ext.merged.samples import NO_ROWS, GroupSums
from skmetrics_ext.merged.stacks import Bounded, Stack, intervals_of
from skmetrics_ext.metrics.calibration.calibration_error import error_of_classes
from skmetrics_ext.numeric import Array, as_factors
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import ConfusionTally, Counts, ScoreSketch

Place = tuple[str, Any]  # the name of a metric, and a group


def read_stacks(
    group_sums: GroupSums, stacks: Sequence[Stack], level: float | None
) -> tuple[dict[Place, Value], dict[Place, Bounded]]:
    """Values of the metrics of labels, and the intervals that many groups have at once."""
    values: dict[Place, Value] = {}
    found: dict[Place, Bounded] = {}
    layout, parts = group_sums.layout, group_sums.groups
    for groups, tally in stacks:
        every = _EveryClass(tally.classes, as_factors(tally.table), tally.ordered)
        has_weight = (tally.table.max(axis=(-1, -2), initial=0) > 0).tolist()
        for metric in layout.of_kind("tables"):
            settled = layout.settled(metric)
            error = refusal(layout, metric, tuple(tally.classes.tolist()), tally.ordered)
            each = [Value(NAN, error)] * len(groups)
            if not error:
                each = ranges.read_each(settled, every)
            kept = []
            for place, (group, value) in enumerate(zip(groups, each, strict=True)):
                values[metric.name, group] = value if has_weight[place] else Value(NAN, NO_ROWS)
                # Groups of a margin have the atoms of several groups.
                if not value.reason and np.ndim(value.value) == 0 and group in parts:
                    kept.append(place)
            if level is None or group_sums.weighted or not kept:
                continue
            intervals = intervals_of(settled, tally, np.array(kept), level)
            found |= {(metric.name, groups[place]): each for place, each in intervals.items()}
    return values, found


class _EveryClass(ConfusionTally):
    """A table whose classes all count as present, even if their rows have no weight."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        return "multiclass" if len(self.classes) > 2 else "binary"

    def occurring(self) -> Array:
        return self.classes

    def present(self, counts: Counts) -> None:
        """All classes."""


class GroupReader:
    """Reads the metrics of one group from its sums and rankings.

    Parameters
    ----------
    group_sums : GroupSums
    group : object
    """

    def __init__(self, group_sums: GroupSums, group: Any) -> None:
        self.layout, self.plan, self.edges = group_sums.layout, group_sums.ranges, group_sums.edges
        self.sums, self.group = group_sums.sums, group
        self.readings = group_sums.readings.get(group)
        self.tally = self.sums.tables[group]

    @cached_property
    def has_weight(self) -> bool:
        """Whether any row has weight."""
        return bool(self.tally.table.any())

    @cached_property
    def masses(self) -> Array:
        """Weight of each class."""
        return self.sums.masses(self.group, self.layout.classes)

    def classes_of(self, metric: Metric) -> Array:
        """The classes of the values of a metric that has one for each class."""
        are_listed = self.layout.labels is not None and metric.takes("labels")
        if metric.sums != "tables" or are_listed:
            return self.layout.classes
        return self.tally.classes

    def value(self, metric: Metric) -> Value:
        if not self.has_weight:
            return Value(NAN, NO_ROWS)
        tally = self.tally
        error = refusal(self.layout, metric, tuple(tally.classes.tolist()), tally.ordered)
        if error:
            return Value(NAN, error)
        return _READ[metric.sums](self, metric)

    def _of_moments(self, metric: Metric) -> Value:
        return ranges.read(metric, self.sums.moments[self.group, metric.name])

    def _of_bins(self, metric: Metric) -> Value:
        debias, norm = metric.options["debias"], metric.options["norm"]
        bins = self.sums.bins[self.group, metric.name]
        errors = [metric.kernel(tally.debiased() if debias else tally) for tally in bins]
        return Value(float(error_of_classes(np.array(errors), norm)))

    def _of_ranking(self, metric: Metric) -> Value:
        assert self.readings
        rankings = ranges.MergedRankings(metric, self.layout, self.readings, self.masses)
        value, reason = ranges.read_ranking(rankings, self.plan.most)
        if self.edges is not None and not reason:
            reason = self._bin_note(rankings, self.edges)
        return Value(value, reason)

    def _bin_note(self, rankings: ranges.MergedRankings, edges: Sequence[Array]) -> str:
        """A note with the bounds of a metric of binned scores."""
        sketches = [ScoreSketch.of_coarse(rankings.table(k), cuts) for k, cuts in enumerate(edges)]
        (low, high), error = ranges.SketchedRankings(sketches, self.masses).bounds(rankings.metric)
        bins = f"scores in {' and '.join(str(len(cuts) - 1) for cuts in edges)} bins"
        if error:
            return f"{bins}, and their effect has no bound: {error}"
        return f"{bins}; between {low:.4g} and {high:.4g} for any order within them"

    def curves(self) -> dict[tuple[Any, Any], ThinnedCurve]:
        """Curves by group and class, if points were requested."""
        if not self.readings or not self.plan.points:
            return {}
        classes = self.layout.classes.tolist()
        names = [self.layout.positive] if self.layout.is_binary else classes
        curves = {
            (self.group, name): ranges.thin_curve(column.kept, self.plan.points, column.gap)
            for name, column in zip(names, self.readings, strict=True)
        }
        return {key: curve for key, curve in curves.items() if curve is not None}


# Readers by the sums that a metric is read from.
_READ: Mapping[str, Callable[[GroupReader, Metric], Value]] = {
    "moments": GroupReader._of_moments,
    "bins": GroupReader._of_bins,
    "ranks": GroupReader._of_ranking,
}
