"""Tables of metrics of rows of which only some have a true label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import PLAN, DrawPlan
from skmetrics_ext.inference.draws.readers import sample_of_rows
from skmetrics_ext.inference.estimate_rows import Deferred, EstimateRow, row_from
from skmetrics_ext.inference.labelling import Labelling
from skmetrics_ext.inference.linearized import Linearized, linearize
from skmetrics_ext.inference.partly_labelled import PartlyGiven
from skmetrics_ext.merged.evaluation import Evaluation
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.slices.group_columns import NO_GROUPS, group_arrays
from skmetrics_ext.slices.group_comparisons import Groups, estimates_of
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import Column, take_params, take_rows

_NAN = float("nan")


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


def evaluate_labelled(
    metrics: Sequence[Metric],
    columns: Mapping[str, Any],
    responses: Mapping[str, Any],
    labelling: Labelling | EveryRow,
    *,
    labels: Any = None,
    pos_label: Any = None,
    by: Any = None,
    margins: bool = False,
    bins: Any = None,
    min_rows: int = 1,
    level: float | None = None,
    method: str = "auto",
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
    known = Groups(grouped, found, source, sizes, min_rows)
    rows = [_row(known, metric, each, level, method) for each in shown for metric in found.values()]
    return Evaluation(rows, engine, 0.95 if level is None else level, groups=known)


def _row(
    groups: Groups, metric: Metric, group: Any, level: float | None, method: str
) -> EstimateRow:
    """The row of a metric of a group, with an interval if there is a level."""
    source: Any = groups.source
    n_rows, asked = groups.n_rows[group], level or 0.95
    few = f"{n_rows} rows are fewer than min_rows={groups.min_rows}"
    statistic = few
    if n_rows >= groups.min_rows:
        statistic = source.statistic(metric, groups.by.parts(group, source.groups))
    (found,) = estimates_of(statistic, asked, source.plan, method, group is None)
    named = {"metric": metric.name, "group": group, "label": None, "n_rows": n_rows}
    bounds = {} if level else {"low": _NAN, "high": _NAN, "standard_error": _NAN, "method": ""}
    read = partial(groups.expression, metric, group)
    question = Deferred(metric, read, asked, source.plan, None if found._made else found)
    return row_from(found, **named, **bounds).changed(question)
