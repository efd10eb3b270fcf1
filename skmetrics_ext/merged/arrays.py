"""Metrics of arrays by group: a data set of one part, whose rows are in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from skmetrics_ext.merged.evaluation import Evaluation, build_evaluation
from skmetrics_ext.merged.ranges import (
    RangePlan,
    merged_readings,
    read_tables,
)
from skmetrics_ext.merged.samples import rows_of_part
from skmetrics_ext.merged.stream import NAMES, StreamState, sum_part
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.slices.coding import edges_of, numbers_of
from skmetrics_ext.slices.group_columns import GroupColumns
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import Column, count_rows, read_column
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.labels import distinct_labels, read_labels
from skmetrics_ext.validation.parameters import check_integer
from skmetrics_ext.validation.probabilities import n_columns
from skmetrics_ext.validation.rows import check_index, index_of


@dataclass(frozen=True, eq=False)
class ColumnsBy:
    """How arrays are grouped.

    Parameters
    ----------
    by : mapping of str to array-like
        A column for each variable.
    margins : bool
    bins : mapping
        Number of bins, or inner edges, of numeric columns.
    min_rows : int
    groups : array-like or None
        The cluster of each row.
    """

    by: Any
    margins: bool = False
    bins: Mapping[str, Any] = field(default_factory=dict)
    min_rows: int = 1
    groups: Any = None

    def __post_init__(self) -> None:
        check_option("margins", self.margins, (True, False))
        check_integer("min_rows", self.min_rows, 1)
        is_mapping = isinstance(self.by, Mapping) and all(isinstance(name, str) for name in self.by)
        if not is_mapping or not self.by:
            raise InvalidParameterError(
                "by must be a dict of the name of a variable to its column, one value for each "
                f"row, got {self.by!r:.60}."
            )
        strange = [name for name in self.bins if name not in self.by]
        if strange:
            raise InvalidParameterError(
                f"bins names {strange[0]!r}, which is not among the columns of by, {list(self.by)}."
            )

    def of(self, n_rows: int, y_true: Any) -> tuple[GroupColumns, Sequence[Any], Array]:
        """The columns of groups, the groups that occur, and the group number of each row."""
        columns = {name: _column(data, name, y_true) for name, data in self.by.items()}
        for name, column in columns.items():
            if len(column) != n_rows:
                raise InvalidParameterError(
                    f"by: column {name!r} has {len(column)} rows, and {n_rows} rows are "
                    "evaluated: leave masked rows out of all columns."
                )
        edges = {
            name: edges_of(name, numbers_of(columns[name]), given)
            for name, given in self.bins.items()
        }
        by = replace(GroupColumns.of(list(columns)), edges=edges)
        groups, group = by.groups_of(columns)
        assert group is not None
        return by, groups, group


def _column(data: Any, name: str, y_true: Any) -> Column:
    column = read_column(data, name)
    check_index(y_true=index_of(y_true), **{name: column.index})
    if column.mask is not None:
        raise InvalidParameterError(f"by: column {name!r} is masked: leave out such rows.")
    return column


def evaluate_arrays(
    asked: tuple[Metric, ...],
    y_true: Any,
    y_pred: Any,
    y_score: Any,
    *,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    grouping: ColumnsBy,
    level: float | None = None,
) -> Evaluation:
    """Metrics of the groups of arrays; intervals at a level, where one is given."""
    given = {"y_true": y_true}
    for name, data in (("y_score", y_score), ("y_pred", y_pred)):
        if data is not None:
            given[name] = data
    classes, pair = _classes(labels, y_true, y_score)
    state = StreamState(asked, classes, pos_label, pair=pair)
    part, state = state.read_rows(given, sample_weight)
    if part is None:
        raise InvalidParameterError("Every row is masked.")
    by, groups, group = grouping.of(part.n_rows, y_true)
    by.check(dict(zip(groups, np.bincount(group, minlength=len(groups)).tolist(), strict=True)))
    part = replace(part, groups=groups, group=group)
    cluster = None
    if grouping.groups is not None:
        cluster = read_groups(grouping.groups, part.n_rows, **given)
    assert state.layout is not None
    sums, tallies = sum_part(part, state.layout)
    layout = state.final_layout(sums)
    plan = RangePlan.of(asked, level is not None)
    readings = {
        name: [read_tables([tally], layout.code_of(k), plan) for k, tally in enumerate(columns)]
        for name, columns in tallies.items()
    }
    cells = list(sums.rows)
    for fewer in by.levels() if grouping.margins else []:
        sources = fewer.sources(cells)
        sums.add(sums.margin(sources))
        readings |= merged_readings(sources, readings, plan, layout.is_binary) or {}
    return build_evaluation(
        layout,
        plan,
        sums,
        readings,
        {},
        engine="memory",
        level=level,
        by=by,
        min_rows=grouping.min_rows,
        rows=rows_of_part(part, NAMES, layout, cluster),
        weighted=sample_weight is not None,
    )


def _classes(labels: Any, y_true: Any, y_score: Any) -> tuple[Any, list[Any] | None]:
    """Classes as listed, or of several columns of scores as they occur; the two of one column."""
    if labels is not None or y_score is None or count_rows(y_true) is None:
        return None if labels is None else read_labels(labels), None
    classes = distinct_labels(y_true)
    if n_columns(y_score) > 1:
        return classes, None
    return None, classes.tolist() if classes is not None and len(classes) == 2 else None
