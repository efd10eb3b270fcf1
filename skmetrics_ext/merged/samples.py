"""Sums and held rows of groups as linearized statistics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.inference.derivatives import stepped
from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign
from skmetrics_ext.inference.draws.bootstrap import PLAN, DrawPlan
from skmetrics_ext.inference.draws.rankings import RankingSample, ScoreIndex
from skmetrics_ext.inference.draws.readers import sample_of_checked
from skmetrics_ext.inference.draws.samples import MomentSample, TableSample, TallySample
from skmetrics_ext.inference.linearized import Linearized, linearize
from skmetrics_ext.inference.methods import interval_of
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.merged.columns import (
    ColumnNames,
    GroupRows,
    Partition,
    RowLocation,
    join_parts,
    read_part,
    read_value_column,
    scored,
)
from skmetrics_ext.merged.layout import Layout
from skmetrics_ext.merged.ranges import SPREAD, RangePlan, RangeReading
from skmetrics_ext.merged.rankings import Ranking, call, read
from skmetrics_ext.merged.sums import Sums, as_probabilities, as_scores
from skmetrics_ext.metrics.rankings.ranking_kernels import roc_auc
from skmetrics_ext.numeric import Array, as_factors
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import ConfusionTally, Means, MomentTally, RankTally
from skmetrics_ext.validation import InvalidParameterError, Labels, Scores
from skmetrics_ext.validation.encoding import find_labels
from skmetrics_ext.validation.groups import Design, read_groups

Bounded = tuple[float, float, str, str]  # low, high, method, note or reason
NO_ROWS = "no row has weight"
WEIGHTED = (
    "the variance of weighted rows is not in sums of their weights: use confidence_interval on the "
    "rows"
)
RESAMPLED = (
    "its interval needs resampling, and so the rows in memory: pass n_resamples=, or use "
    "confidence_interval"
)
_SINGLE = "intervals are of single numbers: ask for an average"
_SEVERAL = "areas of several classes vary together, and only the rows say how: pass n_resamples="
_NOT_HELD = "its scores are more than memory_limit allows to hold: raise it"
_BYTES = 8  # of a number
MOST_RESAMPLED = 100_000  # rows of a data set that are resampled without being asked to
_NAN = float("nan")


def refused(reason: str) -> Bounded:
    """No interval, and why."""
    return _NAN, _NAN, "", reason


class StatisticSource(Protocol):
    """Where the statistics of groups come from."""

    def statistic(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        """A metric of the rows of some groups, or why there is no interval of it."""
        ...

    @property
    def plan(self) -> DrawPlan:
        """How rows are drawn, for what has no derivative."""
        ...


def interval_from(source: StatisticSource, metric: Metric, groups: Any, level: float) -> Bounded:
    """The interval of a metric of some groups, or why there is none."""
    statistic = source.statistic(metric, groups)
    if isinstance(statistic, str):
        return refused(statistic)
    found = interval_of(statistic, "auto", level, source.plan)
    assert isinstance(found, Estimate)
    return found.low, found.high, found.method, found.note


@dataclass(frozen=True)
class _Merged:
    """What a sample of merged sums knows in the place of checked rows."""

    classes: Array
    kind: str = "binary"


# --------------------------------------------------------------------------- from sums


@dataclass(frozen=True, eq=False)
class GroupSums:
    """Statistics of groups from sums of their rows.

    Parameters
    ----------
    layout : Layout
    sums : Sums
        Of the groups that all others are made of.
    readings : mapping of group to list of RangeReading
    groups : sequence
    weighted : bool
        Whether rows were given weights, whose squares are not in the sums.
    """

    layout: Layout
    sums: Sums
    readings: Mapping[Any, Sequence[RangeReading]]
    groups: Sequence[Any]
    weighted: bool = False
    plan: DrawPlan = PLAN

    def statistic(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        counts = [self.sums.tables[group].table for group in groups]
        if not any(table.any() for table in counts):
            return NO_ROWS
        if self.weighted or any(table.dtype.kind == "f" for table in counts):
            return WEIGHTED
        if metric.sums == "tables":
            return self._of_tables(self.layout.settled(metric), groups)
        if metric.sums == "moments":
            return self._of_moments(metric, groups)
        if metric.sums != "ranks" or metric.spec.slope is None:
            return RESAMPLED
        if not self.layout.is_binary:
            return _SEVERAL
        held = [group for group in groups if group in self.readings]
        if not held:
            return NO_ROWS
        tables = [self.readings[group][0].table for group in held]
        if all(table is not None for table in tables):
            return self._of_rankings(metric, held)
        if len(held) == 1 and SPREAD in self.readings[held[0]][0].sums:
            return self._of_squares(metric, held[0])
        return _NOT_HELD

    @cached_property
    def _numbers(self) -> dict[Any, int]:
        """The number of each group."""
        return {group: i for i, group in enumerate(self.groups)}

    @cached_property
    def _classes(self) -> Array:
        """The classes of labels that occur in any group."""
        return self.sums.margin({None: list(self._numbers)}).tables[None].classes

    @cached_property
    def _firsts(self) -> Array:
        """The number of the first atom of the scores of each group."""
        tables = [self.readings.get(group, [None])[0] for group in self.groups]
        sizes = [0 if one is None or one.table is None else one.table.mass.size for one in tables]
        return np.cumsum([0, *sizes])

    def _of_tables(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        """Cells of the confusion tables of groups are atoms."""
        parts = [self.sums.tables[group] for group in groups]
        whole = ConfusionTally.combine(parts)
        occurs = (whole.table.sum(axis=0) + whole.table.sum(axis=1)) > 0
        classes = whole.classes[occurs]
        counts = as_factors(whole.table[np.ix_(occurs, occurs)])
        whole = ConfusionTally(classes, counts, whole.ordered)
        n, n_known = len(classes), len(self._classes)
        cells, rows, numbers = [], [], []
        for group, part in zip(groups, parts, strict=True):
            true, pred = np.nonzero(part.table)
            here, known = (find_labels(part.classes, of) for of in (classes, self._classes))
            cells.append(here[true] * n + here[pred])
            rows.append(part.table[true, pred])
            first = self._numbers[group] * n_known
            numbers.append((first + known[true]) * n_known + known[pred])
        cell = np.concatenate(cells)
        counts = as_factors(np.concatenate(rows))
        atoms = Atoms(counts, label=cell // n, number=np.concatenate(numbers))
        sample = TableSample(metric, _NAN, whole, RowDesign(), (atoms, cell))
        return _read(sample, whole)

    def _of_rankings(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        """Classes at each score, by group, are atoms."""
        tables = [self.readings[group][0].table for group in groups]
        parts = [table for table in tables if table is not None]
        whole = RankTally.combine(parts)
        n_scores = len(whole.thresholds)
        index, rows, labels, numbers = [], [], [], []
        for group, part in zip(groups, parts, strict=True):
            label, place = np.nonzero(part.mass)
            there = np.searchsorted(-whole.thresholds, -part.thresholds)
            index.append(label * n_scores + there[place])
            rows.append(part.mass[label, place])
            labels.append(label)
            first = self._firsts[self._numbers[group]]
            numbers.append(first + label * len(part.thresholds) + place)
        counts, label = as_factors(np.concatenate(rows)), np.concatenate(labels)
        atoms = Atoms(counts, label=label, number=np.concatenate(numbers))
        scores = ScoreIndex(whole.thresholds, np.concatenate(index))
        data = _Merged(self.layout.classes)
        sample = RankingSample(metric, _NAN, data, RowDesign(), (atoms, scores))
        return _read(sample, sample.tally(atoms.rows))

    def _of_squares(self, metric: Metric, group: Any) -> Linearized | str:
        """DeLong's variance, from the sums of squares that the ranges of scores found.

        Each class is two atoms, one standard deviation of its placements above the mean and below.
        """
        (reading,) = self.readings[group]
        masses = self.sums.masses(group, self.layout.classes)
        ranking = Ranking(self.layout, RangePlan(()), [reading], masses)
        area, value = float(roc_auc(ranking.wins())), float(metric.kernel(ranking.wins()))
        if np.isnan(area):
            return metric.spec.undefined
        n_rows = masses.astype(np.float64)
        squares = np.array(reading.sums[SPREAD][::-1])
        deviation = np.sqrt(np.maximum(squares / n_rows - area * area, 0.0))
        low, high = metric.spec.bounds
        parts = (high - low) * np.concatenate([deviation, -deviation]) / np.tile(n_rows, 2)
        label = np.array([0, 1, 0, 1])
        numbers = 4 * self._numbers[group] + np.arange(4)
        atoms = Atoms(np.tile(n_rows, 2) / 2, label=label, number=numbers)
        data = _Merged(self.layout.classes)
        sample = RankingSample(metric, value, data, RowDesign(), (atoms, None))
        return replace(linearize(sample), contributions=parts)

    def _of_moments(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        """Three atoms in each group have the moments of the values of its rows."""
        groups = [group for group in groups if (group, metric.name) in self.sums.moments]
        if not groups:
            return NO_ROWS
        parts = [self.sums.moments[group, metric.name] for group in groups]
        whole = MomentTally.combine(parts)
        value = float(metric.spec.kernel(whole))
        if np.isnan(value):
            return metric.spec.undefined
        if whole.third is None:
            return RESAMPLED
        total = float(whole.weight)
        d = whole.mean.shape[-1]
        slope = np.ones(1)
        if d > 1:
            _, slope = stepped(
                lambda moved: metric.read(Means(np.full(moved.shape[:-1], total), moved)),
                whole.mean,
                np.arange(d),
            )
        sizes, added, numbers = [], [], []
        for group, part in zip(groups, parts, strict=True):
            deviation, size = part.atoms(slope)
            sizes.append(size)
            added.append((deviation + slope @ (part.mean - whole.mean)) / total)
            numbers.append(3 * self._numbers[group] + np.arange(3))
        atoms = Atoms(np.concatenate(sizes), number=np.concatenate(numbers))
        by_class = sum(self.sums.masses(group, self.layout.classes) for group in groups)
        counted = atoms, np.empty((len(atoms), d)), np.asarray(by_class)
        data = _Merged(self.layout.classes)
        sample = MomentSample(metric, value, data, RowDesign(), counted)
        return replace(linearize(sample), contributions=np.concatenate(added))


def _read(sample: TallySample, tally: Any) -> Linearized | str:
    """The sample with the value that the metric reads from its tally."""
    found = read(sample.metric, tally)
    if np.ndim(found.value):
        return _SINGLE
    if np.isnan(found.value):
        return found.reason
    return linearize(replace(sample, value=float(found.value)))


# --------------------------------------------------------------------------- from rows


@dataclass(frozen=True, eq=False)
class HeldRows:
    """Statistics of groups from rows, which may have weights and belong to clusters.

    Parameters
    ----------
    layout : Layout
    classes : ndarray of shape (K,)
        Of the codes of labels.
    columns : mapping of str to (ndarray, ndarray)
        True codes, and predicted codes ("tables") or scores ("scores").
    groups : sequence
    group : ndarray of int64 of shape (n,)
        The number of the group of each row.
    weight, cluster : ndarray of shape (n,) or None
    eps : float
    cells : GroupSums or None
        Of the same rows, where all that metrics of labels know of a row is its cell.
    n_resamples : int or None
        Draws of intervals that need resampling; None for none of many rows.
    weights_are : {"importance", "frequency"}
    """

    layout: Layout
    classes: Array
    columns: Mapping[str, tuple[Array, Array]]
    groups: Sequence[Any]
    group: Array
    weight: Array | None
    cluster: Array | None
    eps: float
    cells: GroupSums | None = None
    n_resamples: int | None = None
    weights_are: str = "importance"

    def with_sums(self, cells: GroupSums) -> HeldRows:
        """The same, with sums of these rows, which suffice for tables of counted rows."""
        counted = self.weight is None and self.cluster is None
        return replace(self, cells=cells) if counted else self

    @property
    def plan(self) -> DrawPlan:
        return DrawPlan(self.n_resamples or DrawPlan().n_resamples, random_state=0)

    @cached_property
    def _rows(self) -> dict[Any, Array]:
        """The rows of each group that have weight."""
        order = np.argsort(self.group, kind="stable")
        if self.weight is not None:
            order = order[self.weight[order] != 0]
        ends = np.searchsorted(self.group[order], np.arange(len(self.groups) + 1))
        return {
            name: order[start:stop]
            for name, start, stop in zip(self.groups, ends[:-1], ends[1:], strict=True)
        }

    def statistic(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        if self.cells is not None and metric.sums == "tables":
            return self.cells.statistic(metric, groups)
        parts = [self._rows[group] for group in groups if group in self._rows]
        rows = np.sort(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.int64)
        if not len(rows):
            return NO_ROWS
        settled = self.layout.settled(metric) if metric.sums == "tables" else metric
        cluster = None if self.cluster is None else self.cluster[rows]
        group = None if cluster is None else np.unique(cluster, return_inverse=True)[1]
        if group is not None and not group.any():
            return "its rows are of one group, whose variance nothing tells"

        def sample() -> TallySample:
            checked = self._checked(metric, rows)
            design = Design(group)
            identity = {"numbers": rows, "cluster": cluster}
            return sample_of_checked(settled, checked, design, self.weights_are, **identity)

        found = call(sample, metric.spec.undefined)
        if found.reason:
            return found.reason
        statistic = linearize(found.value)
        if np.ndim(statistic.value):
            return _SINGLE
        if not np.isfinite(statistic.value):
            return metric.spec.undefined
        few = self.n_resamples is not None or len(self.group) <= MOST_RESAMPLED
        return statistic if statistic.has_influence or few else RESAMPLED

    def _checked(self, metric: Metric, rows: Array) -> Any:
        """The rows as the function of a metric takes them."""
        of_labels = metric.sums == "tables"
        true, other = (column[rows] for column in self.columns["tables" if of_labels else "scores"])
        weight = None if self.weight is None else self.weight[rows]
        if of_labels:
            used, (true, pred) = kernels.encode(true, other)
            kind = "multiclass" if len(used) > 2 else "binary"
            return Labels(kind, self.classes[used], true, pred, weight)
        score, layout = other, self.layout
        if layout.n_columns == 2 and score.shape[1] == 1:  # that of the positive class
            score = np.column_stack([1 - score[:, 0], score[:, 0]])
        given = GroupRows(true, score, weight, self.eps)
        if metric.spec.response != "probabilities" or metric.spec.check == Scores.check:
            return as_scores(given, layout, every=metric.spec.least_classes > 2)
        return as_probabilities(given, layout)


def hold_rows(
    parts: Iterable[tuple[Any, RowLocation]], names: ColumnNames, layout: Layout, most_bytes: int
) -> HeldRows:
    """Rows of a data set with their clusters, as long as they fit into ``most_bytes``."""
    option = "n_resamples" if names.clusters is None else f"groups={names.clusters!r}"
    held, clusters, size = [], [], 0
    for data, place in parts:
        part = read_part(data, names, place)
        size += _BYTES * part.n_rows * (len(names.score) + 5)
        if size > most_bytes:
            raise InvalidParameterError(
                f"{option} needs the rows in memory, and they take more than memory_limit, "
                f"{most_bytes} bytes: raise memory_limit, or leave out {option.partition('=')[0]}."
            )
        held.append(part)
        if names.clusters is not None:
            column = read_value_column(data, names.clusters, place)
            codes, categories = column.values, column.categories
            clusters.append(codes if categories is None else categories[codes])
    part = _joined(held)
    cluster = read_groups(np.concatenate(clusters), part.n_rows) if clusters else None
    return rows_of_part(part, names, layout, cluster)


def _joined(parts: list[Partition]) -> Partition:
    """One part, whose groups are those of all."""
    numbers: dict[Any, int] = {}
    groups = []
    for part in parts:
        own = np.array([numbers.setdefault(group, len(numbers)) for group in part.groups])
        groups.append(
            own[np.zeros(part.n_rows, dtype=np.int64) if part.group is None else part.group]
        )
    joined = join_parts([replace(part, groups=(None,), group=None) for part in parts])
    return replace(joined, groups=list(numbers), group=np.concatenate(groups))


def rows_of_part(
    part: Partition, names: ColumnNames, layout: Layout, cluster: Array | None
) -> HeldRows:
    """The rows of a part, by its groups."""
    columns: dict[str, tuple[Array, Array]] = {}
    if part.pred is not None:
        columns["tables"] = part.true, part.pred
    if part.score is not None:
        columns["scores"] = scored(part, layout, names, RowLocation())
    group = np.zeros(part.n_rows, dtype=np.int64) if part.group is None else part.group
    about = part.weight, cluster, part.eps
    return HeldRows(layout, part.labels, columns, part.groups, group, *about)
