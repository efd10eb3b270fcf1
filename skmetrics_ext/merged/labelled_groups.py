"""Tables of metrics of rows of which only some have a true label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import PLAN, DrawPlan
from skmetrics_ext.inference.labelling import Labelling
from skmetrics_ext.inference.linearized import Linearized
from skmetrics_ext.inference.partly_labelled import PartlyGiven
from skmetrics_ext.merged.evaluation import Evaluation, evaluation_rows
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.slices.group_columns import NO_GROUPS, GroupColumns, group_arrays
from skmetrics_ext.slices.group_comparisons import Groups, bounds_of
from skmetrics_ext.tables import Row
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import Column, take_params

_NAN = float("nan")


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
    labelling: Labelling
    groups: Sequence[Any]
    group: Array
    plan: DrawPlan = PLAN

    @cached_property
    def n_rows(self) -> dict[Any, int]:
        """Rows of each group, labelled or not."""
        counts = np.bincount(self.group, minlength=len(self.groups)).tolist()
        return dict(zip(self.groups, counts, strict=True))

    def statistic(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        codes = [place for place, name in enumerate(self.groups) if name in groups]
        rows, n_rows = np.flatnonzero(np.isin(self.group, codes)), len(self.group)
        key = "labels" if metric.spec.response == "labels" else "scores"
        response = self.responses[key]
        response = response.labels if isinstance(response, Column) else response
        given = {**self.columns, "y_pred": response}
        try:
            part = self.labelling.select(rows, n_rows)
            return part.statistic(metric, **take_params(given, n_rows, rows))
        except InvalidParameterError as error:
            return str(error)


def evaluate_labelled(
    metrics: Sequence[Metric],
    columns: Mapping[str, Any],
    responses: Mapping[str, Any],
    labelling: Labelling,
    *,
    labels: Any = None,
    pos_label: Any = None,
    by: Any = None,
    margins: bool = False,
    bins: Any = None,
    min_rows: int = 1,
    level: float | None = None,
    engine: str = "memory",
) -> Evaluation:
    """The table of `evaluate` for rows of which some have a label, in memory."""
    y_true = columns["y_true"]
    n_rows = len(PartlyGiven.read(y_true, y_true, None, (None, None)).rows.labelled)
    names: Sequence[Any] = [None]
    grouped, group = NO_GROUPS, np.zeros(n_rows, dtype=np.int64)
    if by is not None:
        grouped, names, group = group_arrays(by, bins or {}, n_rows, y_true)
    source = LabelledGroups(columns, responses, labelling, names, group)
    shown = list(grouped.ordered(names))
    for margin in grouped.levels() if margins else []:
        shown += grouped.ordered(margin.sources(names))
    sizes = {
        each: sum(source.n_rows[part] for part in grouped.parts(each, names)) for each in shown
    }
    chosen = {"labels": labels, "pos_label": pos_label}
    found = {}
    for metric in metrics:
        taken = {k: v for k, v in chosen.items() if v is not None and metric.takes(k)}
        found[metric.name] = metric.with_params(**taken)
    table = [
        Row({"group": each, **row}, reason=note)
        for each in shown
        for row, note in _rows(source, grouped, found, each, sizes[each], min_rows, level)
    ]
    known = Groups(grouped, found, source, sizes, min_rows)
    level = 0.95 if level is None else level
    return Evaluation(evaluation_rows(table, level, grouped), engine, level, groups=known)


def _rows(
    source: LabelledGroups,
    by: GroupColumns,
    metrics: Mapping[str, Metric],
    group: Any,
    n_rows: int,
    min_rows: int,
    level: float | None,
) -> Any:
    """The row of each metric of a group, and its note."""
    few = f"{n_rows} rows are fewer than min_rows={min_rows}" if n_rows < min_rows else ""
    for name, metric in metrics.items():
        statistic = few or source.statistic(metric, by.parts(group, source.groups))
        value, bounds = _NAN, (_NAN, _NAN, "", statistic)
        if isinstance(statistic, Linearized):
            value = float(statistic.value)
            (bounds,) = bounds_of(statistic, level or 0.95, source.plan, "auto", group is None)
        low, high, method, note = bounds if level else (_NAN, _NAN, "", bounds[3])
        row = {"metric": name, "of": None, "value": value, "low": low, "high": high}
        yield {**row, "n_rows": n_rows, "method": method}, note
