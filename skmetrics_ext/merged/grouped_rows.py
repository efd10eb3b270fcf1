"""Values and statistics of groups, read from rows in memory: all labelled, or some of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import PLAN, DrawPlan
from skmetrics_ext.inference.draws.readers import sample_of_checked, sample_of_rows
from skmetrics_ext.inference.labelling import Labelling
from skmetrics_ext.inference.linearized import Linearized, linearize
from skmetrics_ext.merged import columns
from skmetrics_ext.merged.columns import ColumnNames, Partition, RowLocation
from skmetrics_ext.merged.group_sums import NO_ROWS, NO_VALUE, RESAMPLED, GroupSums
from skmetrics_ext.merged.layout import Layout, refusal
from skmetrics_ext.merged.ranges import NAN, Value, call, read
from skmetrics_ext.merged.stacks import Bounded
from skmetrics_ext.merged.sums import bins_of, view_kind, view_of
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.tallies.bins import BinTally
from skmetrics_ext.validation import InvalidParameterError, Labels
from skmetrics_ext.validation.containers import Column, take_params, take_rows
from skmetrics_ext.validation.errors import spoken
from skmetrics_ext.validation.groups import INDEPENDENT, Design, read_groups
from skmetrics_ext.validation.labels import subset
from skmetrics_ext.validation.targets import kind_of

_ONE_CLUSTER = "its rows belong to one cluster, which shows no variance between clusters"
_BYTES = 8  # of a number
MOST_RESAMPLED = 100_000  # rows of a data set that are resampled by default


class SelectedRows(NamedTuple):
    """Some of the rows, by number, with their clusters, and what was checked of them."""

    rows: Array
    cluster: Array | None
    group: Array | None
    views: dict[str, Any]
    is_whole: bool


@dataclass(frozen=True, eq=False)
class GroupedRows:
    """Values and statistics of groups of rows, which may have weights and belong to clusters.

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

    @cached_property
    def groups(self) -> Collection[Any]:
        """The groups that all others consist of."""
        return dict.fromkeys(self.part.groups)

    def with_sums(self, sums: GroupSums) -> GroupedRows:
        """Add sums of these rows, if they have neither weights nor clusters."""
        counted = self.part.weight is None and self.cluster is None
        return replace(self, sums=sums) if counted else self

    def gaps_to_rest(self, *asked: Any) -> dict[Any, Bounded]:
        """As `GroupSums.gaps_to_rest`, from the sums."""
        return {} if self.sums is None else self.sums.gaps_to_rest(*asked)

    @cached_property
    def by_row(self) -> GroupedRows:
        """The statistics of the rows themselves, which those of other models are paired with."""
        return self if self.sums is None else replace(self, sums=None)

    @cached_property
    def plan(self) -> DrawPlan:
        """How rows are resampled."""
        return DrawPlan(self.n_resamples or None, random_state=0)

    # ----------------------------------------------------------------------- values

    def classes_of(self, metric: Metric, group: Any) -> Array:
        """The classes of the values of a metric that was read last."""
        (kept,) = self._kept.values()
        assert kept is not None
        return self.layout.classes_of(metric, self._view_of(metric, kept).classes)

    def bins_of(self, metric: Metric, group: Any) -> tuple[BinTally, ...]:
        """The bins of a calibration error that was read last, for one event or each class."""
        (kept,) = self._kept.values()
        assert kept is not None
        return bins_of(metric, self.coded.scored_rows(kept.rows), self.layout)

    @property
    def lowest_score(self) -> float:
        """The lowest of the scores of a single column."""
        score, weight = self.part.score, self.part.weight
        return float((score if weight is None else score[weight != 0]).min(initial=np.inf))

    @property
    def whole_table(self) -> ConfusionTally:
        """The confusion table of all rows."""
        return ConfusionTally.from_labels(self._labels)

    @cached_property
    def _labels(self) -> Labels:
        part = self.part
        known = part.labels, part.true, part.pred, part.weight, part.ordered
        return Labels(kind_of(part.labels), *known)

    # ----------------------------------------------------------------------- statistics

    @cached_property
    def _rows(self) -> dict[Any, Any]:
        """Indices of the rows of each group that have weight."""
        weight = self.part.weight
        return dict(columns.each_group(self.part, None if weight is None else weight != 0))

    def statistic(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        if self.sums is not None:
            statistic = self.sums.statistic(metric, groups)
            is_resampled = isinstance(statistic, str) or statistic.origin.jumps
            if view_kind(metric) == "labels" or not is_resampled:
                return statistic
        return self.read(metric, groups)[1]

    def read(self, metric: Metric, groups: Sequence[Any]) -> tuple[Value, Linearized | str]:
        """The value of a metric of some groups, and its statistic or why it has none."""
        kept = self._selected(tuple(groups))
        if kept is None:
            return NO_VALUE, NO_ROWS
        checked = call(partial(self._view_of, metric, kept))
        data, error = checked.value, checked.reason
        if not error:
            are_labels = view_kind(metric) == "labels"
            known = (tuple(data.classes.tolist()), data.ordered) if are_labels else ((), False)
            error = refusal(self.layout, metric, *known)
        if error:
            return Value(NAN, error), error
        tally = metric.tally_of(data)
        if tally is None:
            function = partial(metric.function, data, data, **metric.params)
            found = call(function, metric.spec.undefined)
        else:
            found = read(metric, tally)
        if found.reason or not np.isfinite(found.value).any():
            is_error = np.isnan(found.value).all() and found.reason  # others are by convention
            return found, found.reason if is_error else metric.spec.undefined
        if kept.group is not None and not kept.group.any():
            return found, _ONE_CLUSTER
        design = INDEPENDENT if kept.group is None else Design(kept.group)
        identity: dict[str, Any] = {}
        if not kept.is_whole:  # which groups may share
            identity = {"numbers": kept.rows, "cluster": kept.cluster}
        options = design, self.weights_are, found.value
        statistic = linearize(sample_of_checked(metric, data, *options, **identity))
        is_read = statistic.has_influence or self._may_resample
        return found, statistic if is_read else RESAMPLED

    @cached_property
    def _may_resample(self) -> bool:
        if self.n_resamples is None:
            return self.part.n_rows <= MOST_RESAMPLED
        return bool(self.n_resamples)

    def _selected(self, groups: tuple[Any, ...]) -> SelectedRows | None:
        """The rows of some groups, which all metrics of them share; None if none has weight."""
        if groups not in self._kept:
            parts = [self._rows[group] for group in groups if group in self._rows]
            self._kept.clear()  # of one selection at a time
            self._kept[groups] = None
            if parts:
                is_whole = isinstance(parts[0], slice)
                rows = np.arange(self.part.n_rows) if is_whole else np.sort(np.concatenate(parts))
                cluster = None if self.cluster is None else self.cluster[rows]
                group = None if cluster is None else np.unique(cluster, return_inverse=True)[1]
                self._kept[groups] = SelectedRows(rows, cluster, group, {}, is_whole)
        return self._kept[groups]

    def _view_of(self, metric: Metric, kept: SelectedRows) -> Any:
        """Labels, scores (of every class) or probabilities of some rows, as a metric reads them."""
        kind = view_kind(metric)
        if kind not in kept.views:
            is_whole = len(kept.rows) == self.part.n_rows  # then nothing is copied
            if kind == "labels":
                view = self._labels if is_whole else subset(self._labels, kept.rows)
            else:
                rows = slice(None) if is_whole else kept.rows
                view = view_of(self.coded.scored_rows(rows), self.layout, kind)
            kept.views[kind] = view
        return kept.views[kind]


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
    return rows_of_part(part, layout, cluster)


def rows_of_part(part: Partition, layout: Layout, cluster: Array | None) -> GroupedRows:
    """Rows of a part, with their clusters."""
    coded = columns.in_layout(part, layout) if part.score.size else part
    return GroupedRows(layout, part, coded, cluster)


# --------------------------------------------------------------------------- labelled rows


@dataclass(frozen=True)
class EveryRow:
    """Rows that all have a label, of metrics that read more of each row than labels and scores.

    Parameters
    ----------
    rows : ndarray or None, default=None
        Numbers of the rows among those that a parameter of the metric has values for.
    """

    rows: Array | None = None

    def select(self, rows: Array, n_rows: int) -> EveryRow:
        """Some of the rows."""
        return EveryRow(rows)

    def statistic(
        self, metric: Metric, y_true: Any, y_pred: Any, sample_weight: Any, groups: Any
    ) -> Linearized:
        """The statistic of a metric of these rows."""
        name = metric.spec.by_row
        if name in metric.params and self.rows is not None:
            metric = metric.with_params(**{name: take_rows(metric.params[name], self.rows)})
        return linearize(sample_of_rows(metric, y_true, y_pred, sample_weight, groups))


@dataclass(frozen=True, eq=False)
class LabelledGroups:
    """Statistics of groups of rows, each from its labelled rows and what is known of the others.

    Parameters
    ----------
    columns : dict
        Arguments of `Labelling.statistic` with a value for each row, by name.
    responses : dict
        Predicted labels, and scores or probabilities, by the response that metrics read.
    labelling : Labelling
    groups : list
        The groups that occur.
    group : ndarray of shape (N,)
        The number of the group of each row.
    """

    columns: Mapping[str, Any]
    responses: Mapping[str, Any]
    labelling: Labelling | EveryRow
    groups: Sequence[Any]
    group: Array
    plan: DrawPlan = PLAN

    def bins_of(self, *_: Any) -> tuple[BinTally, ...]:
        """None."""
        return ()

    def read(self, metric: Metric, groups: Sequence[Any]) -> tuple[Value, Linearized | str]:
        """The value of a metric of some groups, and its statistic or why it has none."""
        statistic = self.statistic(metric, groups)
        if isinstance(statistic, str):
            return Value(NAN, statistic), statistic
        return Value(statistic.value), statistic

    def statistic(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        codes = [place for place, name in enumerate(self.groups) if name in groups]
        rows, n_rows = np.flatnonzero(np.isin(self.group, codes)), len(self.group)
        key = "labels" if metric.spec.response == "labels" else "scores"
        response = self.responses[key]
        response = response.labels if isinstance(response, Column) else response
        given = {**self.columns, "y_pred": response}
        try:
            part = self.labelling.select(rows, n_rows)
            return self._numbered(part.statistic(metric, **take_params(given, n_rows, rows)), rows)
        except InvalidParameterError as error:
            return str(error)

    def _numbered(self, statistic: Linearized, rows: Array) -> Linearized:
        """The statistic with the numbers of its rows and clusters, which groups may share."""
        known, atoms = statistic.known, statistic.atoms
        if known is None or len(atoms) != len(rows):
            return statistic
        groups = self.columns.get("groups")
        cluster = None if groups is None else np.unique(groups, return_inverse=True)[1][rows]
        design = replace(atoms.design, number=rows, cluster=cluster)
        return replace(statistic, known=known._replace(atoms=replace(atoms, design=design)))
