"""Linearized statistics of groups, from sums or from rows in memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.inference.compare import is_ratio
from skmetrics_ext.inference.derivatives import slope_of_means
from skmetrics_ext.inference.draws.atoms import PLAIN, Atoms
from skmetrics_ext.inference.draws.bootstrap import PLAN, DrawPlan
from skmetrics_ext.inference.draws.rankings import DrawnRankings, RankingSample, ScoreIndex
from skmetrics_ext.inference.draws.readers import (
    MOST_CLASSES,
    sample_of_checked,
    without_other_classes,
)
from skmetrics_ext.inference.draws.samples import (
    MomentSample,
    RowSample,
    TableSample,
    TallySample,
)
from skmetrics_ext.inference.linearized import Contributions, Linearized, linearize
from skmetrics_ext.merged import columns
from skmetrics_ext.merged.columns import ColumnNames, Partition, RowLocation
from skmetrics_ext.merged.layout import Layout
from skmetrics_ext.merged.ranges import (
    MergedRankings,
    RangePlan,
    RangeReading,
    Value,
    call,
    kind_of,
    read,
    read_columns,
)
from skmetrics_ext.merged.stacks import Bounded, differences_of, stacks_of
from skmetrics_ext.merged.sums import Sums, as_probabilities, as_scores
from skmetrics_ext.metrics.rankings.ranking_kernels import roc_auc
from skmetrics_ext.numeric import Array, as_factors
from skmetrics_ext.registry import Metric
from skmetrics_ext.slices.group_columns import NO_GROUPS, GroupColumns
from skmetrics_ext.tallies import ConfusionTally, MomentTally, RankTally
from skmetrics_ext.validation import InvalidParameterError, Labels, Scores
from skmetrics_ext.validation.encoding import find_labels
from skmetrics_ext.validation.errors import spoken
from skmetrics_ext.validation.groups import INDEPENDENT, Design, read_groups
from skmetrics_ext.validation.labels import subset

NO_ROWS = "no row has weight"
WEIGHTED = (
    "the variance of weighted rows is not in sums of their weights: use confidence_interval on the "
    "rows"
)
RESAMPLED = (
    "its interval needs resampling, and so the rows in memory: pass n_resamples=, or use "
    "confidence_interval"
)
_ONE_CLUSTER = "its rows belong to one cluster, which shows no variance between clusters"
_SEVERAL = "areas of several classes are correlated, which only the rows show: pass n_resamples="
_NOT_HELD = "its scores are more than memory_limit allows to hold: raise it"
_BYTES = 8  # of a number
MOST_RESAMPLED = 100_000  # rows of a data set that are resampled by default
_NAN = float("nan")


@dataclass(frozen=True)
class _Merged:
    """Facts about merged sums that samples read from checked rows otherwise."""

    classes: Array
    kind: str = "binary"


# --------------------------------------------------------------------------- from sums


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
        if metric not in self.layout.of_kind("tables") or self.weighted or is_ratio(metric):
            return {}
        found: dict[Any, Bounded] = {}
        tables, settled = self.sums.tables, self.layout.settled(metric)
        whole = ConfusionTally.combine(tables[group] for group in self.groups)
        n_rows = sum(self.sums.rows[group] for group in self.groups)
        enough = [group for group in groups if n_rows - self.sums.rows[group] >= min_rows]
        for listed, tally in stacks_of(tables, [group for group in enough if group in self.groups]):
            if len(tally.classes) < len(whole.classes):
                continue
            rest = ConfusionTally(whole.classes, whole.table - tally.table, whole.ordered)
            gaps = differences_of(settled, (tally, rest), level)
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
        metric, key = self.layout.settled(metric), tuple(groups)
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
            return _read(TableSample(metric, _NAN, whole, PLAIN, known), whole)
        return _read(RowSample(metric, _NAN, data, PLAIN, known), whole)

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
        sample = RankingSample(metric, _NAN, _Merged(self.layout.classes), PLAIN, known)
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


# Statistics by the sums that they are read from.
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


# --------------------------------------------------------------------------- from rows


class SelectedRows(NamedTuple):
    """Some of the rows, by number, with their clusters, and what was checked of them."""

    rows: Array
    cluster: Array | None
    group: Array | None
    views: dict[tuple[bool, bool, bool], Any]


@dataclass(frozen=True, eq=False)
class HeldRows:
    """Statistics of groups from rows, which may have weights and belong to clusters.

    Parameters
    ----------
    layout : Layout
    part : Partition
        The rows, each with the number of its group.
    coded : Partition
        The same rows in the order of the layout's classes, if they have scores.
    cluster : ndarray of shape (n,) or None
    sums : GroupSums or None
        Sums of the same rows, which suffice for most metrics of counted rows.
    n_resamples : int or None
        Draws for intervals that need resampling; None resamples only few rows, 0 none.
    weights_are : {"importance", "frequency"}
    """

    layout: Layout
    part: Partition
    coded: Partition
    cluster: Array | None
    sums: GroupSums | None = None
    n_resamples: int | None = None
    weights_are: str = "importance"
    _kept: dict[tuple[Any, ...], SelectedRows | None] = field(default_factory=dict, init=False)
    _last: dict[tuple[Any, ...], Any] = field(default_factory=dict, init=False)

    def with_sums(self, sums: GroupSums) -> HeldRows:
        """Add sums of these rows, if they have neither weights nor clusters."""
        counted = self.part.weight is None and self.cluster is None
        return replace(self, sums=sums) if counted else self

    def gaps_to_rest(self, *asked: Any) -> dict[Any, Bounded]:
        """As `GroupSums.gaps_to_rest`, from the sums."""
        return {} if self.sums is None else self.sums.gaps_to_rest(*asked)

    @cached_property
    def by_row(self) -> HeldRows:
        """The statistics of the rows themselves, which those of other models are paired with."""
        return self if self.sums is None else replace(self, sums=None)

    @cached_property
    def plan(self) -> DrawPlan:
        """How rows are resampled."""
        return DrawPlan(self.n_resamples or None, random_state=0)

    @cached_property
    def _rows(self) -> dict[Any, Array]:
        """Indices of the rows of each group that have weight."""
        weight = self.part.weight
        return dict(columns.each_group(self.part, None if weight is None else weight != 0))

    def statistic(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        if self.sums is not None:
            statistic = self.sums.statistic(metric, groups)
            if metric.sums == "tables" or not (
                isinstance(statistic, str) or statistic.origin.jumps
            ):
                return statistic  # others are resampled from the rows
        return self.read(metric, groups)[1]

    def read(self, metric: Metric, groups: Sequence[Any]) -> tuple[Value, Linearized | str]:
        """The value of a metric of some groups, and its statistic or why it has none."""
        asked = metric.name, *groups
        if asked not in self._last:
            self._last.clear()  # statistics hold arrays: that of one question is kept
            self._last[asked] = self._read(metric, self._selected(tuple(groups)))
        found: tuple[Value, Linearized | str] = self._last[asked]
        return found

    def _read(self, metric: Metric, kept: SelectedRows | None) -> tuple[Value, Linearized | str]:
        """The value of a metric of selected rows, and its statistic or why it has none."""
        if kept is None:
            return Value(_NAN, NO_ROWS), NO_ROWS
        checked = call(partial(self._checked, metric, kept))
        if checked.reason:
            return Value(_NAN, checked.reason), checked.reason
        settled, data = checked.value
        tally = settled.tally_of(data)
        if tally is None:
            function = partial(settled.function, data, data, **settled.params)
            found = call(function, metric.spec.undefined)
        else:
            found = read(settled, tally)
        if found.reason or not np.isfinite(found.value).any():
            is_error = np.isnan(found.value).all() and found.reason  # others are by convention
            return found, found.reason if is_error else metric.spec.undefined
        if kept.group is not None and not kept.group.any():
            return found, _ONE_CLUSTER
        design = INDEPENDENT if kept.group is None else Design(kept.group)
        identity = {"numbers": kept.rows, "cluster": kept.cluster, "value": found.value}
        statistic = linearize(
            sample_of_checked(settled, data, design, self.weights_are, **identity)
        )
        few = self.part.n_rows <= MOST_RESAMPLED if self.n_resamples is None else self.n_resamples
        return found, statistic if statistic.has_influence or few else RESAMPLED

    def _selected(self, groups: tuple[Any, ...]) -> SelectedRows | None:
        """The rows of some groups, which all metrics of them share; None if none has weight."""
        if groups not in self._kept:
            parts = [self._rows[group] for group in groups if group in self._rows]
            self._kept.clear()  # of one selection at a time
            self._kept[groups] = None
            if parts:
                rows = np.sort(np.concatenate(parts))
                cluster = None if self.cluster is None else self.cluster[rows]
                group = None if cluster is None else np.unique(cluster, return_inverse=True)[1]
                self._kept[groups] = SelectedRows(rows, cluster, group, {})
        return self._kept[groups]

    def _checked(self, metric: Metric, kept: SelectedRows) -> tuple[Metric, Any]:
        """A settled metric, and rows as checked input of its function."""
        spec = metric.spec
        reads_scores = spec.response != "probabilities" or spec.check == Scores.check
        key = metric.sums == "tables", reads_scores, spec.least_classes > 2
        if key not in kept.views:
            is_whole = len(kept.rows) == self.part.n_rows  # then nothing is copied
            kept.views[key] = self._view(key, slice(None) if is_whole else kept.rows)
        return self.layout.settled(metric) if key[0] else metric, kept.views[key]

    def _view(self, key: tuple[bool, bool, bool], rows: Array | slice) -> Any:
        """Labels, scores (of every class) or probabilities of some rows."""
        part, (are_labels, are_scores, every) = self.part, key
        if are_labels:
            assert part.pred is not None
            kept = part.weight, part.ordered
            return subset(Labels("multiclass", part.labels, part.true, part.pred, *kept), rows)
        scored = self.coded.scored_rows(rows)
        if are_scores:
            return as_scores(scored, self.layout, every=every)
        return as_probabilities(scored, self.layout)


def hold_rows(
    parts: Iterable[tuple[Any, RowLocation]], names: ColumnNames, layout: Layout, most_bytes: int
) -> HeldRows:
    """Rows of a data set with their clusters, if they fit into ``most_bytes``."""
    option = "n_resamples" if names.clusters is None else f"groups={names.clusters!r}"
    parts_read, clusters, size = [], [], 0
    for data, place in parts:
        part = columns.read_part(data, names, place)
        size += _BYTES * part.n_rows * (len(names.score) + 5)
        if size > most_bytes:
            limit = spoken("memory_limit")
            raise InvalidParameterError(
                f"{option} needs the rows in memory, but they take more than {limit}, "
                f"{most_bytes} bytes: raise {limit}, or leave out {option.partition('=')[0]}."
            )
        parts_read.append(part)
        if names.clusters is not None:
            column = columns.read_value_column(data, names.clusters, place)
            codes, categories = column.values, column.categories
            clusters.append(codes if categories is None else categories[codes])
    part = columns.join_parts(parts_read)
    cluster = read_groups(np.concatenate(clusters), part.n_rows) if clusters else None
    return rows_of_part(part, layout, cluster)


def rows_of_part(part: Partition, layout: Layout, cluster: Array | None) -> HeldRows:
    """Rows of a part, which become one group if it has none."""
    coded = columns.in_layout(part, layout) if part.score.size else part
    if part.group is None:
        part = replace(part, group=np.zeros(part.n_rows, dtype=np.int64))
    return HeldRows(layout, part, coded, cluster)
