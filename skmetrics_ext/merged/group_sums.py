"""Values and statistics of groups, read from sums of their rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from skmetrics_ext.inference.compare import is_ratio
from skmetrics_ext.inference.derivatives import slope_of_means
from skmetrics_ext.inference.draws.atoms import PLAIN, Atoms
from skmetrics_ext.inference.draws.bootstrap import PLAN, DrawPlan
from skmetrics_ext.inference.draws.rankings import DrawnRankings, RankingSample, ScoreIndex
from skmetrics_ext.inference.draws.readers import MOST_CLASSES, without_other_classes
from skmetrics_ext.inference.draws.samples import (
    MomentSample,
    RowSample,
    TableSample,
    TallySample,
)
from skmetrics_ext.inference.linearized import Contributions, Linearized, linearize
from skmetrics_ext.merged.layout import Layout, refusal
from skmetrics_ext.merged.ranges import (
    NAN,
    MergedRankings,
    RangePlan,
    RangeReading,
    ThinnedCurve,
    Value,
    bin_note,
    kind_of,
    read,
    read_columns,
    read_each,
    read_ranking,
    thin_curve,
)
from skmetrics_ext.merged.stacks import Bounded, differences_of, intervals_of, stacks_of
from skmetrics_ext.merged.sums import Sums
from skmetrics_ext.metrics.calibration.calibration_error import error_of_classes
from skmetrics_ext.metrics.rankings.ranking_kernels import roc_auc
from skmetrics_ext.numeric import Array, as_factors
from skmetrics_ext.registry import Metric
from skmetrics_ext.slices.group_columns import NO_GROUPS, GroupColumns
from skmetrics_ext.tallies import ConfusionTally, Counts, MomentTally, RankTally
from skmetrics_ext.tallies.bins import BinTally
from skmetrics_ext.validation import Labels
from skmetrics_ext.validation.encoding import find_labels

NO_ROWS = "no row has weight"
WEIGHTED = (
    "the variance of weighted rows is not in sums of their weights: use confidence_interval on the "
    "rows"
)
RESAMPLED = (
    "its interval needs resampling, and so the rows in memory: pass n_resamples=, or use "
    "confidence_interval"
)
_SEVERAL = "areas of several classes are correlated, which only the rows show: pass n_resamples="
_NOT_HELD = "its scores are more than memory_limit allows to hold: raise it"
NO_VALUE = Value(NAN, NO_ROWS)
Place = tuple[str, Any]  # the name of a metric, and a group


@dataclass(frozen=True)
class _Merged:
    """Facts about merged sums that samples read from checked rows otherwise."""

    classes: Array
    kind: str = "binary"


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


@dataclass(frozen=True, eq=False)
class GroupSums:
    """Sums and rankings of the rows of groups, and the statistics that follow from them.

    Parameters
    ----------
    layout : Layout
    ranges : RangePlan
        Values that were read from the rankings.
    sums : Sums
        Sums over rows in any order.
    readings : dict of group to list of RangeReading
        The rankings.
    by : GroupColumns
        Columns of the groups.
    weighted : bool
        Whether rows have weights, whose squares are not among the sums.
    plan : DrawPlan
        Number of rows from which anytime-valid intervals start.
    edges : sequence of ndarray or None
        Bins of each ranked column, if its scores are the lower edges of bins.
    """

    layout: Layout
    ranges: RangePlan
    sums: Sums
    readings: dict[Any, list[RangeReading]]
    by: GroupColumns = NO_GROUPS
    weighted: bool = False
    plan: DrawPlan = PLAN
    edges: Sequence[Array] | None = None
    _tables: dict[tuple[Any, ...], Any] = field(default_factory=dict, init=False)

    @cached_property
    def groups(self) -> Collection[Any]:
        """The groups that all others consist of."""
        return dict.fromkeys(self.by.whole(self.sums.rows))

    def asking(self, metric: Metric) -> tuple[Metric, GroupSums] | None:
        """A further metric of labels, settled as the others are, and its source; None without."""
        if not self.layout.of_kind("tables"):
            return None
        return metric.with_positive(self.layout.positive), self

    def add_margin(self, margin: GroupColumns) -> bool:
        """Add the groups of a margin; return whether they have rankings, if there are any.

        These are merged if the tables of all parts are held; otherwise the rows must be ranked.
        """
        sources = margin.sources(self.groups)
        self.sums.add(self.sums.margin(sources))
        merged = {}
        for group, parts in sources.items():
            held = [self.readings[part] for part in parts if part in self.readings]
            tables = [
                [reading.table for reading in column if reading.table is not None]
                for column in zip(*held, strict=True)
            ]
            if any(len(column) < len(held) for column in tables):
                return False
            if held:
                merged[group] = read_columns(tables, self.layout, self.ranges)
        self.readings.update(merged)
        return True

    # ----------------------------------------------------------------------- values

    def read_together(
        self, groups: Sequence[Any], level: float | None
    ) -> tuple[Mapping[Place, Value], Mapping[Place, Bounded]]:
        """Values of metrics of labels, and the intervals that many groups have at once."""
        values: dict[Place, Value] = {}
        found: dict[Place, Bounded] = {}
        layout = self.layout
        metrics = layout.of_kind("tables")
        for listed, tally in stacks_of(self.sums.tables, groups) if metrics else ():
            every = _EveryClass(tally.classes, as_factors(tally.table), tally.ordered)
            has_weight = (tally.table.max(axis=(-1, -2), initial=0) > 0).tolist()
            for metric in metrics:
                error = refusal(layout, metric, tuple(tally.classes.tolist()), tally.ordered)
                each = [Value(NAN, error)] * len(listed)
                if not error:
                    each = read_each(metric, every)
                kept = []
                for place, (group, value) in enumerate(zip(listed, each, strict=True)):
                    values[metric.name, group] = value if has_weight[place] else NO_VALUE
                    # Groups of a margin have the atoms of several groups.
                    if not value.reason and np.ndim(value.value) == 0 and group in self.groups:
                        kept.append(place)
                if level is None or self.weighted or not kept:
                    continue
                intervals = intervals_of(metric, tally, np.array(kept), level)
                found |= {(metric.name, listed[k]): each for k, each in intervals.items()}
        return values, found

    def value(self, metric: Metric, group: Any, parts: Sequence[Any] = ()) -> Value:
        """The value of a metric of a group, from its own sums."""
        tally = self.sums.tables[group]
        if not tally.table.any():
            return NO_VALUE
        error = refusal(self.layout, metric, tuple(tally.classes.tolist()), tally.ordered)
        return Value(NAN, error) if error else _VALUES[metric.sums](self, metric, group)

    def classes_of(self, metric: Metric, group: Any) -> Array:
        """The classes of the values of a metric that has one for each class."""
        return self.layout.classes_of(metric, self.sums.tables[group].classes)

    def bins_of(self, metric: Metric, group: Any) -> tuple[BinTally, ...]:
        """The bins of a calibration error, for one event or each class; none without weight."""
        return self.sums.bins.get((group, metric.name), ())

    def _value_of_moments(self, metric: Metric, group: Any) -> Value:
        return read(metric, self.sums.moments[group, metric.name])

    def _value_of_bins(self, metric: Metric, group: Any) -> Value:
        bins, debias = self.bins_of(metric, group), metric.options["debias"]
        errors = [metric.kernel(tally.debiased() if debias else tally) for tally in bins]
        return Value(float(error_of_classes(np.array(errors), metric.options["norm"])))

    def _value_of_ranking(self, metric: Metric, group: Any) -> Value:
        masses = self.sums.masses(group, self.layout.classes)
        rankings = MergedRankings(metric, self.layout, self.readings[group], masses)
        value, reason = read_ranking(rankings, self.ranges.most)
        if self.edges is not None and not reason:
            reason = bin_note(rankings, self.edges)
        return Value(value, reason)

    def curves(self, group: Any) -> dict[tuple[Any, Any], ThinnedCurve]:
        """Curves by group and class, if points were requested."""
        if group not in self.readings or not self.ranges.points:
            return {}
        classes = self.layout.classes.tolist()
        names = [self.layout.positive] if self.layout.is_binary else classes
        curves = {
            (group, name): thin_curve(column.kept, self.ranges.points, column.gap)
            for name, column in zip(names, self.readings[group], strict=True)
        }
        return {key: curve for key, curve in curves.items() if curve is not None}

    @property
    def lowest_score(self) -> float:
        """The lowest score of a single column, as far as its scores are held."""
        held = [columns[0].table for columns in self.readings.values() if columns]
        lowest = [each.thresholds[-1] for each in held if each is not None and each.thresholds.size]
        return float(min(lowest, default=0))

    @property
    def whole_table(self) -> ConfusionTally:
        """The confusion table of all rows."""
        return ConfusionTally.combine(self.sums.tables.values())

    # ----------------------------------------------------------------------- statistics

    def statistic(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        counts = [self.sums.tables[group].table for group in groups]
        if not any(table.any() for table in counts):
            return NO_ROWS
        if self.weighted or any(table.dtype.kind == "f" for table in counts):
            return WEIGHTED
        return _STATISTICS[metric.sums](self, metric, groups)

    def _of_ranks(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        if metric.spec.slope is None:
            return RESAMPLED
        if not self.layout.is_binary:
            return _SEVERAL
        held = [group for group in groups if group in self.readings]
        if not held:
            return NO_ROWS
        readings = ((group, self.readings[group][0]) for group in held)
        tables = {group: each.table for group, each in readings if each.table is not None}
        if len(tables) == len(held):
            return self._of_rankings(metric, tables)
        is_area = kind_of(metric) == "wins"
        if len(held) == 1 and is_area and self.readings[held[0]][0].squares is not None:
            return self._of_squares(metric, held[0])
        return _NOT_HELD

    def gaps_to_rest(
        self, metric: Metric, groups: Sequence[Any], level: float, min_rows: int
    ) -> dict[Any, Bounded]:
        """Differences of groups from all other rows, where many are read at once."""
        if metric.sums != "tables" or self.weighted or is_ratio(metric):
            return {}
        found: dict[Any, Bounded] = {}
        tables = self.sums.tables
        whole = ConfusionTally.combine(tables[group] for group in self.groups)
        n_rows = sum(self.sums.rows[group] for group in self.groups)
        enough = [group for group in groups if n_rows - self.sums.rows[group] >= min_rows]
        for listed, tally in stacks_of(tables, [group for group in enough if group in self.groups]):
            if len(tally.classes) < len(whole.classes):
                continue
            rest = ConfusionTally(whole.classes, whole.table - tally.table, whole.ordered)
            gaps = differences_of(metric, (tally, rest), level)
            found |= {listed[place]: gap for place, gap in gaps.items()}
        return found

    @cached_property
    def _firsts(self) -> dict[Any, int]:
        """Number of the first atom of each group."""
        return {group: i << 40 for i, group in enumerate(self.groups)}

    def _atoms(
        self, groups: Sequence[Any], tables: Sequence[Array], cells: Sequence[Array], label: Array
    ) -> Atoms:
        """One atom for each non-empty cell of the tables of groups."""
        rows = [table.reshape(-1)[cell] for table, cell in zip(tables, cells, strict=True)]
        number = [self._firsts[group] + cell for group, cell in zip(groups, cells, strict=True)]
        counts = as_factors(np.concatenate(rows))
        return Atoms(counts, label=label, number=np.concatenate(number))

    def _of_tables(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        """Atoms are the cells of confusion tables, by group."""
        key = tuple(groups)
        if key not in self._tables:  # shared by all metrics of these groups
            self._tables[key] = self._cells_of(groups)
        whole, known = self._tables[key]
        true, pred = np.divmod(known["cell"], len(whole.classes))
        labels = Labels("multiclass", whole.classes, true, pred, None, whole.ordered)
        metric, data = without_other_classes(metric, labels)
        if data is not labels:
            n, label = len(data.classes), data.true
            atoms, cell = replace(known["atoms"], label=label), label * n + data.pred
            table = as_factors(np.bincount(cell, atoms.rows, n * n).reshape(n, n))
            whole = ConfusionTally(data.classes, table)
            known = {"atoms": atoms, "cell": cell, "by_class": table.sum(axis=1)}
        if len(whole.classes) <= MOST_CLASSES:
            return _read(TableSample(metric, NAN, whole, PLAIN, known), whole)
        return _read(RowSample(metric, NAN, data, PLAIN, known), whole)

    def _cells_of(self, groups: Sequence[Any]) -> tuple[ConfusionTally, dict[str, Any]]:
        """The table of all groups, and its cells by group."""
        parts = [self.sums.tables[group] for group in groups]
        whole = ConfusionTally.combine(parts)
        occurs = (whole.table.sum(axis=0) + whole.table.sum(axis=1)) > 0
        counts = as_factors(whole.table[np.ix_(occurs, occurs)])
        whole = ConfusionTally(whole.classes[occurs], counts, whole.ordered)
        tables, places = [part.table for part in parts], []
        n, cells = len(whole.classes), list(map(np.flatnonzero, tables))
        for part, cell in zip(parts, cells, strict=True):
            true, pred = np.divmod(cell, len(part.classes))
            place = find_labels(part.classes, whole.classes)
            places.append(place[true] * n + place[pred])
        index, true = np.concatenate(places), whole.table.sum(axis=1)
        atoms = self._atoms(groups, tables, cells, index // n)
        return whole, {"atoms": atoms, "cell": index, "by_class": true}

    def _of_rankings(self, metric: Metric, tables: Mapping[Any, RankTally]) -> Linearized | str:
        """Atoms are the classes at each score, by group."""
        groups, parts = list(tables), list(tables.values())
        whole = parts[0] if len(parts) == 1 else RankTally.combine(parts)
        cells = [np.flatnonzero(part.mass) for part in parts]
        n_scores, indexes = len(whole.thresholds), cells
        if len(parts) > 1:
            indexes = []
            for part, cell in zip(parts, cells, strict=True):
                label, place = np.divmod(cell, len(part.thresholds))
                there = np.searchsorted(-whole.thresholds, -part.thresholds)
                indexes.append(label * n_scores + there[place])
        index = np.concatenate(indexes)
        atoms = self._atoms(groups, [part.mass for part in parts], cells, index // n_scores)
        known = {"atoms": atoms, "indexes": (ScoreIndex(whole.thresholds, index),)}
        sample = RankingSample(metric, NAN, _Merged(self.layout.classes), PLAIN, known)
        ranking = RankTally(whole.thresholds, as_factors(whole.mass))
        return _read(sample, DrawnRankings((ranking,)))

    def _of_squares(self, metric: Metric, group: Any) -> Linearized | str:
        """DeLong's variance, from sums of squares over the ranges of scores.

        Each class is two atoms, one standard deviation of its placements above and below the mean.
        """
        (reading,) = self.readings[group]
        masses = self.sums.masses(group, self.layout.classes)
        wins = MergedRankings(metric, self.layout, [reading], masses).wins()
        area, value = float(roc_auc(wins)), float(metric.kernel(wins))
        if np.isnan(area):
            return metric.spec.undefined
        n_rows = masses.astype(np.float64)
        assert reading.squares is not None
        squares = np.array(reading.squares[::-1])
        deviation = np.sqrt(np.maximum(squares / n_rows - area * area, 0.0))
        low, high = metric.spec.bounds
        parts = (high - low) * np.concatenate([deviation, -deviation]) / np.tile(n_rows, 2)
        number = self._firsts[group] + np.arange(4)
        atoms = Atoms(np.tile(n_rows, 2) / 2, label=np.array([0, 1, 0, 1]), number=number)
        data = _Merged(self.layout.classes)
        sample = RankingSample(metric, value, data, PLAIN, {"atoms": atoms})
        return replace(linearize(sample), known=Contributions(parts, atoms, sample.ways()))

    def _of_moments(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        """Three atoms in each group have the same moments as the values of its rows."""
        groups = [group for group in groups if (group, metric.name) in self.sums.moments]
        if not groups:
            return NO_ROWS
        parts = [self.sums.moments[group, metric.name] for group in groups]
        whole = MomentTally.combine(parts)
        value, total = float(metric.spec.kernel(whole)), float(whole.weight)
        if np.isnan(value):
            return metric.spec.undefined
        if whole.third is None:
            return RESAMPLED
        slope = slope_of_means(metric, whole.mean, total)
        sizes, added, numbers = [], [], []
        for group, part in zip(groups, parts, strict=True):
            deviation, size = part.atoms(slope)
            sizes.append(size)
            added.append((deviation + slope @ (part.mean - whole.mean)) / total)
            numbers.append(self._firsts[group] + np.arange(3))
        atoms = Atoms(np.concatenate(sizes), number=np.concatenate(numbers))
        by_class = sum(self.sums.masses(group, self.layout.classes) for group in groups)
        measured = np.empty((len(atoms), len(slope)))
        known = {"atoms": atoms, "measured": measured, "by_class": np.asarray(by_class)}
        sample = MomentSample(metric, value, _Merged(self.layout.classes), PLAIN, known)
        return replace(linearize(sample), known=Contributions(np.concatenate(added), atoms))


# Values and statistics by the sums that they are read from.
_VALUES: Mapping[str, Callable[..., Value]] = {
    "moments": GroupSums._value_of_moments,
    "bins": GroupSums._value_of_bins,
    "ranks": GroupSums._value_of_ranking,
}
_STATISTICS: Mapping[str, Callable[..., Linearized | str]] = {
    "tables": GroupSums._of_tables,
    "moments": GroupSums._of_moments,
    "ranks": GroupSums._of_ranks,
    "bins": lambda *_: RESAMPLED,
}


def _read(sample: TallySample, tally: Any) -> Linearized | str:
    """Statistic of a sample whose metric is read from a tally."""
    value, reason = read(sample.metric, tally)
    if np.isnan(value).all():
        return reason
    return linearize(replace(sample, value=value if np.ndim(value) else float(value)))
