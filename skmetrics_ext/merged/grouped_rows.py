"""Values and statistics of groups, read from rows in memory: all labelled, or some of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import DrawPlan
from skmetrics_ext.inference.draws.readers import sample_of_checked
from skmetrics_ext.inference.labelling import Labelling
from skmetrics_ext.inference.linearized import Linearized, linearize
from skmetrics_ext.merged import columns
from skmetrics_ext.merged.columns import ColumnNames, Partition, RowLocation
from skmetrics_ext.merged.group_sums import NO_ROWS, NO_VALUE, RESAMPLED, GroupSums, Place
from skmetrics_ext.merged.layout import Layout, layout_of, refusal_of
from skmetrics_ext.merged.ranges import (
    NAN,
    RangePlan,
    ThinnedCurve,
    Value,
    call,
    read,
    read_columns,
)
from skmetrics_ext.merged.stacks import Bounded
from skmetrics_ext.merged.sums import (
    Sums,
    as_read,
    bins_of,
    count_groups,
    is_summed,
    sum_rows,
    view_kind,
    view_of,
)
from skmetrics_ext.numeric import Array
from skmetrics_ext.questions import AskedMetric
from skmetrics_ext.registry import Metric
from skmetrics_ext.slices.group_columns import NO_GROUPS, GroupColumns, group_arrays
from skmetrics_ext.tallies.bins import BinTally
from skmetrics_ext.validation import InvalidParameterError, Labels
from skmetrics_ext.validation.containers import Column, take_params
from skmetrics_ext.validation.errors import spoken
from skmetrics_ext.validation.groups import INDEPENDENT, Design, read_groups
from skmetrics_ext.validation.labels import read_labels, subset

_ONE_CLUSTER = "its rows belong to one cluster, which shows no variance between clusters"
_BYTES = 8  # of a number
MOST_RESAMPLED = 100_000  # rows of a data set that are resampled by default


class SelectedRows(NamedTuple):
    """Some of the rows, by number (None for all), with clusters, views, and values read before."""

    rows: Array | None
    cluster: Array | None
    group: Array | None
    views: dict[int, Any]
    read: dict[str, Any]


@dataclass(frozen=True, eq=False)
class GroupedRows:
    """Values and statistics of groups of rows, which may have weights and belong to clusters.

    Parameters
    ----------
    asked : dict of str to AskedMetric
        The metrics by name, each with the view of all rows that it reads; if only some rows are
        labelled, with the response as it was given.
    n_rows : int
    weight : ndarray of shape (n,) or None
    cluster : ndarray of shape (n,) or None
    by : GroupColumns
    groups : sequence
        The groups that occur.
    group : ndarray of shape (n,) or None
        The number of the group of each row.
    summed : dict of str to GroupSums
        Sums of the same rows by metric, from which values are read, and statistics where rows are
        counted.
    n_resamples : int or None
        Draws for intervals that need resampling; None resamples only few rows, 0 none.
    weights_are : {"importance", "frequency"}
    labelling : Labelling or None
        What is known of rows without a label.
    columns : dict
        Then the arguments of `Labelling.statistic` with a value for each row, by name.
    """

    asked: Mapping[str, AskedMetric]
    n_rows: int
    weight: Array | None = None
    cluster: Array | None = None
    by: GroupColumns = NO_GROUPS
    groups: Sequence[Any] = (None,)
    group: Array | None = None
    summed: Mapping[str, GroupSums] = field(default_factory=dict)
    n_resamples: int | None = None
    weights_are: str = "importance"
    labelling: Labelling | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    _kept: dict[tuple[Any, ...], SelectedRows | None] = field(default_factory=dict, init=False)

    @classmethod
    def of_part(cls, part: Partition, layout: Layout, cluster: Array | None) -> GroupedRows:
        """Rows of a part of a data set, with their clusters."""
        views: dict[str, Any] = {"labels": part.as_labels()}
        coded = columns.in_layout(part, layout) if part.score.size else part
        for kind in {view_kind(metric) for metric in layout.metrics} - {"labels"}:
            views[kind] = view_of(coded, layout, kind)
        asked = {
            metric.name: AskedMetric(metric, views[view_kind(metric)], positive=layout.positive)
            for metric in layout.metrics
        }
        of_groups = NO_GROUPS, part.groups, part.group
        return cls(asked, part.n_rows, part.weight, cluster, *of_groups)

    def grouped(self, by: Any, bins: Mapping[str, Any] | None, y_true: Any) -> GroupedRows:
        """The rows in the groups of columns, if there are any."""
        if by is None:
            return self
        names, groups, group = group_arrays(by, bins or {}, self.n_rows, y_true)
        return replace(self, by=names, groups=groups, group=group)

    def with_sums(self, level: float | None, *, margins: bool) -> GroupedRows:
        """Sum the rows of all groups in one pass, for the metrics that can be read from sums."""
        if self.group is None:
            return self
        found: dict[str, GroupSums] = {}
        for view, labels, metrics in _by_response(self.asked.values()):
            layout = layout_of(view, metrics)
            plan = RangePlan.of(metrics, level is not None)
            sums, tallies = Sums(), dict[Any, Any]()
            if view is not None:
                part = columns.part_of(view, self.groups, self.group)
                sums, tallies = sum_rows(part, layout, ranked=True)
                labels = labels or part.as_labels()
            sums.add(count_groups(labels, self.groups, self.group))
            readings = {
                group: read_columns(([tally] for tally in of_group), layout, plan)
                for group, of_group in tallies.items()
            }
            weighted = self.weight is not None
            group_sums = GroupSums(layout, plan, sums, readings, self.by, weighted)
            for margin in self.by.levels() if margins else []:
                group_sums.add_margin(margin)
            found |= {metric.name: group_sums for metric in metrics}
        return replace(self, summed=found)

    @cached_property
    def rows_by_group(self) -> dict[Any, int]:
        """Number of rows of each group."""
        if self.group is None:
            return {None: self.n_rows}
        return columns.group_counts(self.groups, self.group)

    @cached_property
    def by_row(self) -> GroupedRows:
        """The statistics of the rows themselves, which those of other models are paired with."""
        return replace(self, summed={}) if self.summed else self

    @cached_property
    def plan(self) -> DrawPlan:
        """How rows are resampled."""
        return DrawPlan(self.n_resamples or None, random_state=0)

    def asking(self, metric: Metric) -> tuple[Metric, GroupedRows] | None:
        """A further metric of labels, settled as the others are, and its source; None without."""
        for name, each in self.asked.items():
            if isinstance(each.view, Labels):
                summed = {metric.name: self.summed[name]} if name in self.summed else {}
                asked = {metric.name: AskedMetric(metric, each.view)}
                return metric.with_positive(each.positive), replace(
                    self, asked=asked, summed=summed
                )
        return None

    # ----------------------------------------------------------------------- from sums

    @property
    def _is_counted(self) -> bool:
        """Whether sums show the variance: of rows that have neither weights nor clusters."""
        return self.weight is None and self.cluster is None

    @cached_property
    def _every_sum(self) -> list[GroupSums]:
        return list({id(sums): sums for sums in self.summed.values()}.values())

    def read_together(
        self, groups: Sequence[Any], level: float | None
    ) -> tuple[Mapping[Place, Value], Mapping[Place, Bounded]]:
        """As `GroupSums.read_together`, from the sums."""
        values: dict[Place, Value] = {}
        intervals: dict[Place, Bounded] = {}
        for sums in self._every_sum:
            found = sums.read_together(groups, level if self._is_counted else None)
            values.update(found[0])
            intervals.update(found[1])
        return values, intervals

    def gaps_to_rest(self, metric: Metric, *asked: Any) -> dict[Any, Bounded]:
        """As `GroupSums.gaps_to_rest`, from the sums."""
        sums = self.summed.get(metric.name) if self._is_counted else None
        return {} if sums is None else sums.gaps_to_rest(metric, *asked)

    def curves(self, group: Any) -> Mapping[tuple[Any, Any], ThinnedCurve]:
        """As `GroupSums.curves`, from the sums."""
        return self._every_sum[0].curves(group) if self.summed else {}

    # ----------------------------------------------------------------------- values

    def value(self, metric: Metric, group: Any, parts: Sequence[Any]) -> Value:
        """The value of a metric of a group, which consists of these."""
        if metric.name in self.summed:
            return self.summed[metric.name].value(metric, group, parts)
        if self.labelling is not None:
            statistic = self.statistic(metric, parts)
            if isinstance(statistic, str):
                return Value(NAN, statistic)
            return Value(statistic.value)
        kept = self._selected(tuple(parts))
        return NO_VALUE if kept is None else self._read(metric, kept)[0]

    def classes_of(self, metric: Metric, group: Any) -> Array:
        """The classes of the values of a metric that has one for each class."""
        listed = metric.params.get("labels")
        if listed is not None:
            return read_labels(listed)
        if metric.name in self.summed:
            return self.summed[metric.name].classes_of(metric, group)
        kept = self._selected(tuple(self.by.parts(group, self.rows_by_group)))
        assert kept is not None
        return np.asarray(self._read(metric, kept)[1].classes)

    def bins_of(self, metric: Metric, group: Any) -> tuple[BinTally, ...]:
        """The bins of a calibration error, for one event or each class."""
        if metric.name in self.summed:
            return self.summed[metric.name].bins_of(metric, group)
        if self.labelling is not None:
            return ()
        kept = self._selected(tuple(self.by.parts(group, self.rows_by_group)))
        return () if kept is None else bins_of(metric, self._read(metric, kept)[1])

    def _read(self, metric: Metric, kept: SelectedRows) -> tuple[Value, Any]:
        """The value of a metric of some rows, and the view that it reads; both are kept."""
        if metric.name not in kept.read:
            data = self._view(metric, kept)
            is_named = not metric.params or metric.has_named_params  # and so accepted
            error = "" if is_named else refusal_of(metric, data, data)
            tally = None if error else metric.tally_of(data)
            if error:
                found = Value(NAN, error)
            elif tally is None:
                function = partial(metric.function, data, data, **metric.params)
                found = call(function, metric.spec.undefined)
            else:
                found = read(metric, tally)
            kept.read[metric.name] = found, data
        return kept.read[metric.name]

    # ----------------------------------------------------------------------- statistics

    def statistic(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        """The statistic of a metric of the rows of some groups, or why it has none."""
        if metric.name in self.summed and self._is_counted:
            statistic = self.summed[metric.name].statistic(metric, groups)
            is_resampled = isinstance(statistic, str) or statistic.origin.jumps
            if metric.sums == "tables" or not is_resampled:
                return statistic
        kept = self._selected(tuple(groups))
        if kept is None:
            return NO_ROWS
        if self.labelling is not None:
            return self._labelled(metric, kept)
        found, data = self._read(metric, kept)
        if found.reason or not np.isfinite(found.value).any():
            is_error = np.isnan(found.value).all() and found.reason  # others are by convention
            return found.reason if is_error else metric.spec.undefined
        if kept.group is not None and not kept.group.any():
            return _ONE_CLUSTER
        design = INDEPENDENT if kept.group is None else Design(kept.group)
        identity: dict[str, Any] = {}
        if kept.rows is not None:  # which groups may share
            identity = {"numbers": kept.rows, "cluster": kept.cluster}
        options = design, self.weights_are, found.value
        statistic = linearize(sample_of_checked(metric, data, *options, **identity))
        return statistic if statistic.has_influence or self._may_resample else RESAMPLED

    @cached_property
    def _may_resample(self) -> bool:
        if self.n_resamples is None:
            return self.n_rows <= MOST_RESAMPLED
        return bool(self.n_resamples)

    def _labelled(self, metric: Metric, kept: SelectedRows) -> Linearized | str:
        """The statistic from labelled rows and what is known of the others, which is kept."""
        assert self.labelling is not None
        if metric.name not in kept.read:
            rows = np.arange(self.n_rows) if kept.rows is None else kept.rows
            response = self.asked[metric.name].view
            response = response.labels if isinstance(response, Column) else response
            given = take_params({**self.columns, "y_pred": response}, self.n_rows, rows)
            try:
                part = self.labelling.select(rows, self.n_rows)
                found: Any = self._numbered(part.statistic(metric, **given), rows)
            except InvalidParameterError as error:
                found = str(error)
            kept.read[metric.name] = found
        return kept.read[metric.name]

    def _numbered(self, statistic: Linearized, rows: Array) -> Linearized:
        """The statistic with the numbers of its rows and clusters, which groups may share."""
        known, atoms = statistic.known, statistic.atoms
        if known is None or len(atoms) != len(rows):
            return statistic
        groups = self.columns.get("groups")
        cluster = None if groups is None else np.unique(groups, return_inverse=True)[1][rows]
        design = replace(atoms.design, number=rows, cluster=cluster)
        return replace(statistic, known=known._replace(atoms=replace(atoms, design=design)))

    # ----------------------------------------------------------------------- selections

    @cached_property
    def _rows(self) -> dict[Any, Any]:
        """Indices of the rows of each group that have weight."""
        weight = self.weight
        return dict(
            columns.each_group(self.groups, self.group, None if weight is None else weight != 0)
        )

    def _selected(self, groups: tuple[Any, ...]) -> SelectedRows | None:
        """The rows of some groups, which all metrics of them share; None if none has weight."""
        if groups not in self._kept:
            parts = [self._rows[group] for group in groups if group in self._rows]
            self._kept.clear()  # of one selection at a time
            self._kept[groups] = None
            if parts:
                is_whole = self.group is None
                rows = None if is_whole else np.sort(np.concatenate(parts))
                cluster = self.cluster
                if cluster is not None and rows is not None:
                    cluster = cluster[rows]
                group = None if cluster is None else np.unique(cluster, return_inverse=True)[1]
                self._kept[groups] = SelectedRows(rows, cluster, group, {}, {})
        return self._kept[groups]

    def _view(self, metric: Metric, kept: SelectedRows) -> Any:
        """Labels, scores or probabilities of some rows, as a metric reads them."""
        view = self.asked[metric.name].view
        if kept.rows is not None and len(kept.rows) < self.n_rows:
            if id(view) not in kept.views:
                kept.views[id(view)] = subset(view, kept.rows)
            view = kept.views[id(view)]
        return as_read(metric, view)


def _by_response(
    asked: Iterable[AskedMetric],
) -> Iterator[tuple[Any, Any, tuple[Metric, ...]]]:
    """Scores, labels, and the metrics read from their sums, for each response of scores."""
    of_labels: list[AskedMetric] = []
    scored: dict[int, list[AskedMetric]] = {}
    for each in asked:
        if each.view.true.ndim == 1 and is_summed(each.metric, each.view):
            is_of_labels = isinstance(each.view, Labels)
            of_view = of_labels if is_of_labels else scored.setdefault(id(each.view), [])
            of_view.append(each)
    labels = of_labels[0].view if of_labels else None
    for of_view in scored.values() or [of_labels]:
        if of_view:
            metrics = dict.fromkeys(each.metric for each in [*of_view, *of_labels])
            view = of_view[0].view
            yield None if view is labels else view, labels, tuple(metrics)
        of_labels = []  # next to the first response


def hold_rows(
    parts: Iterable[tuple[Any, RowLocation]], names: ColumnNames, layout: Layout, most_bytes: int
) -> GroupedRows:
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
    return GroupedRows.of_part(part, layout, cluster)
