"""Metrics of arrays by group: a data set with a single part, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from skmetrics_ext.merged.evaluation import Evaluation, evaluate_tallies
from skmetrics_ext.merged.samples import rows_of_part
from skmetrics_ext.merged.stream import NAMES, StreamState, sum_part
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.slices.coding import edges_of, numbers_of
from skmetrics_ext.slices.group_columns import NO_GROUPS, GroupColumns, check_bins
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import count_rows, read_column
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.labels import distinct_labels, read_labels
from skmetrics_ext.validation.parameters import check_integer
from skmetrics_ext.validation.probabilities import n_columns
from skmetrics_ext.validation.rows import check_index, index_of


def group_arrays(
    by: Any, bins: Mapping[str, Any], n_rows: int, y_true: Any
) -> tuple[GroupColumns, Sequence[Any], Array]:
    """The columns of groups, the groups that occur, and the group number of each row.

    Parameters
    ----------
    by : mapping of str to array-like
        A column for each variable.
    bins : mapping
        Number of bins, or inner edges, of numeric columns.
    n_rows : int
        Number of rows that are evaluated.
    y_true : array-like
        The columns must have its index.
    """
    is_mapping = isinstance(by, Mapping) and all(isinstance(name, str) for name in by)
    if not is_mapping or not by:
        raise InvalidParameterError(
            "by must be a dict of the name of a variable to its column, one value for each row, "
            f"got {by!r:.60}."
        )
    check_bins(bins, by)
    columns = {}
    for name, data in by.items():
        columns[name] = column = read_column(data, name)
        check_index(y_true=index_of(y_true), **{name: column.index})
        if column.mask is not None:
            raise InvalidParameterError(f"by: column {name!r} is masked: leave out such rows.")
        if len(column) != n_rows:
            raise InvalidParameterError(
                f"by: column {name!r} has {len(column)} rows, and {n_rows} rows are evaluated: "
                "leave masked rows out of all columns."
            )
    edges = {name: edges_of(name, numbers_of(columns[name]), cuts) for name, cuts in bins.items()}
    grouped = replace(GroupColumns.of(list(columns)), edges=edges)
    groups, group = grouped.groups_of(columns)
    assert group is not None
    counts = np.bincount(group, minlength=len(groups)).tolist()
    grouped.check(dict(zip(groups, counts, strict=True)))
    return grouped, groups, group


def evaluate_arrays(
    metrics: tuple[Metric, ...],
    y_true: Any,
    y_pred: Any,
    y_score: Any,
    *,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    by: Any = None,
    margins: bool = False,
    bins: Mapping[str, Any] | None = None,
    min_rows: int = 1,
    groups: Any = None,
    level: float | None = None,
) -> Evaluation:
    """Metrics of arrays by group, with intervals if there is a ``level``."""
    check_option("margins", margins, (True, False))
    check_integer("min_rows", min_rows, 1)
    arguments = {"y_true": y_true, "y_score": y_score, "y_pred": y_pred}
    arguments = {name: data for name, data in arguments.items() if data is not None}
    classes, pair = _classes(labels, y_true, y_score)
    state = StreamState(metrics, classes, pos_label, pair=pair)
    part, state = state.read_rows(arguments, sample_weight)
    if part is None:
        raise InvalidParameterError("Every row is masked.")
    columns = NO_GROUPS
    if by is not None:
        columns, values, group = group_arrays(by, bins or {}, part.n_rows, y_true)
        part = replace(part, groups=values, group=group)
    cluster = None if groups is None else read_groups(groups, part.n_rows, **arguments)
    assert state.layout is not None
    sums, tallies = sum_part(part, state.layout)
    layout = state.final_layout(sums)
    rows = rows_of_part(part, NAMES, layout, cluster)
    return evaluate_tallies(
        layout,
        sums,
        {group: [[tally] for tally in of_group] for group, of_group in tallies.items()},
        engine="memory",
        level=level,
        by=columns,
        margins=margins,
        min_rows=min_rows,
        rows=rows,
        weighted=sample_weight is not None,
    )


def _classes(labels: Any, y_true: Any, y_score: Any) -> tuple[Any, list[Any] | None]:
    """Classes, listed or of several columns of scores; else the two classes of one column."""
    if labels is not None or y_score is None or count_rows(y_true) is None:
        return None if labels is None else read_labels(labels), None
    classes = distinct_labels(y_true)
    if n_columns(y_score) > 1:
        return classes, None
    return None, classes.tolist() if classes is not None and len(classes) == 2 else None
