"""Out-of-fold values by group, and gaps between groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import DrawPlan
from skmetrics_ext.inference.estimate_rows import row_from
from skmetrics_ext.inference.linearized import Linearized, linearize
from skmetrics_ext.merged.evaluation import Evaluation
from skmetrics_ext.numeric import Array
from skmetrics_ext.questions import Rows
from skmetrics_ext.registry import Metric
from skmetrics_ext.report import summary
from skmetrics_ext.report.fold import Fold, FoldResult, computed_once
from skmetrics_ext.report.out_of_fold import FoldValues, ScoredData, needs_common_scale
from skmetrics_ext.slices.group_columns import GroupColumns, group_arrays
from skmetrics_ext.slices.group_comparisons import Groups
from skmetrics_ext.tables import Shown, Table, columns
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import count_rows, read_array
from skmetrics_ext.validation.groups import INDEPENDENT, Design

_SHOWN = ("metric", "value", "low", "high", "n_rows")


@dataclass(frozen=True, eq=False, slots=True)
class RowGroups:
    """The group of each row of the data.

    Parameters
    ----------
    by : GroupColumns
    groups : sequence
        Groups that occur.
    of_row : ndarray of int64 of shape (n_samples,)
        Number of the group of each row.
    left_out : bool
        Whether models were tested only on groups without training rows.
    """

    by: GroupColumns
    groups: Sequence[Any]
    of_row: Array
    left_out: bool

    @classmethod
    def of(cls, argument: Any, X: Any, y: Any, folds: Sequence[Fold]) -> RowGroups:
        """Group rows by the argument ``by``: a column of X, an array, or a dict of arrays."""
        by, groups, of_row = group_arrays(_columns(argument, X), {}, count_rows(y) or 0, y)
        left_out = not any(
            np.isin(of_row[fold.test], np.unique(of_row[fold.train])).any() for fold in folds
        )
        return cls(by, groups, of_row, left_out)

    @property
    def description(self) -> str:
        """Line above the table of groups."""
        names = " and ".join(self.by.names)
        if self.left_out:
            return (
                f"by {names}: out-of-fold values, leave-one-group-out (models were tested on "
                "groups that they had not seen)"
            )
        return f"by {names}: out-of-fold values of models fitted on rows of all groups"


def _columns(argument: Any, X: Any) -> Any:
    """Columns of groups by name, or as they came."""
    if isinstance(argument, str):
        if argument not in list(getattr(X, "columns", [])):
            raise InvalidParameterError(
                f"by={argument!r} is not a column of X; pass an array with a value for each row."
            )
        return {argument: X[argument]}
    return argument


# --------------------------------------------------------------------------- statistics


class FoldStatistics:
    """Statistics of groups from the out-of-fold predictions of one model.

    Predicted labels and probabilities of all folds are pooled. Scores of different models have no
    common scale, so metrics of rankings are averaged over the folds where they are defined.
    """

    plan = DrawPlan(random_state=0)

    def __init__(self, data: ScoredData, rows_by: RowGroups, results: Sequence[FoldResult]) -> None:
        self.data, self.rows_by = data, rows_by
        self.results = [result for result in results if result.responses]
        self.pooled = data.joined(self.results)
        self.numbers = {group: i for i, group in enumerate(rows_by.groups)}

    def statistic(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        """The metric of these groups together, or the reason why there is none."""
        codes = [self.numbers[group] for group in groups]
        compute = self._mean if needs_common_scale(metric) else self._pooled
        try:
            return compute(metric.name, codes)
        except summary.NoIntervalError as error:
            return str(error)

    def _kept(self, whole: Rows, codes: Sequence[int]) -> Array:
        """Positions of the predictions of these groups."""
        return np.flatnonzero(np.isin(self.rows_by.of_row[whole.rows], codes))

    def _pooled(self, metric: str, codes: Sequence[int]) -> Linearized:
        kept = self._kept(self.pooled, codes)
        part = self.pooled.select(kept)
        if not len(part.rows):
            raise summary.NoIntervalError("there are no predictions")
        design, numbers, cluster = INDEPENDENT, self.data.number_of(part), None
        dependent = self.data.dependent(self.pooled.rows)
        if dependent is not None:
            cluster = dependent[kept]
            design = Design(np.unique(cluster, return_inverse=True)[1])
        weight = self.data.params_of(metric, part.rows).get("sample_weight")
        if weight is not None:
            is_read = read_array("sample_weight", weight) != 0
            numbers, cluster = numbers[is_read], None if cluster is None else cluster[is_read]
        identity: dict[str, Any] = {"numbers": numbers, "cluster": cluster}
        sample, _ = summary.sample_of_fold(self.data, metric, part, design, **identity)
        if not np.isfinite(sample.value):
            raise summary.NoIntervalError(sample.metric.spec.undefined)
        return linearize(sample)

    def _mean(self, metric: str, codes: Sequence[int]) -> Linearized:
        parts, why = [], ""
        for result in self.results:
            whole = self.data.predicted(result)
            part = whole.select(self._kept(whole, codes))
            try:
                if not len(part.rows):
                    raise summary.NoIntervalError("no rows")
                found = summary.FoldSample.of(self.data, metric, part)
                if not np.isfinite(found.sample.value):
                    raise summary.NoIntervalError(found.sample.metric.spec.undefined)
                parts.append(found)
            except summary.NoIntervalError as error:
                why = f"undefined on every fold: {error}"
        if not parts:
            raise summary.NoIntervalError(why)
        grouping, n_rows = self.data.grouping, count_rows(self.data.y) or 0
        cluster_of = np.arange(n_rows) if grouping is None else grouping.of_row
        return summary.mean_of_samples(parts, self.data, cluster_of)


# --------------------------------------------------------------------------- tables


def by_group(report: FoldValues, model: str) -> Evaluation:
    """Out-of-fold values of one model by group."""
    data, rows_by = report.data, report.data.rows_by
    if rows_by is None:
        raise InvalidParameterError(
            "The report has no groups to compare: pass by= to cross_validation_report."
        )
    by, level = rows_by.by, report.confidence_level
    source = FoldStatistics(data, rows_by, report.results_of(model))
    counts = np.bincount(rows_by.of_row[source.pooled.rows], minlength=len(rows_by.groups))
    counted = dict(zip(rows_by.groups, counts.tolist(), strict=True))
    n_rows: dict[Any, int] = {group: counted[group] for group in by.ordered(counted)}
    n_rows[None] = sum(n_rows.values())
    metrics = {
        name: replace(metric, name=name)
        for name, metric in data.metrics.items()
        if metric is not None
    }
    groups = Groups(by, metrics, source, n_rows, is_scored=True)
    rows = []
    for name, group in product(metrics, n_rows):
        found = groups.of(name).estimate(group, level)
        named = {"metric": name, "group": group, "label": None, "n_rows": n_rows[group]}
        rows.append(row_from(found, **named))
    return Evaluation(rows, "folds", level, groups=groups)


@computed_once
def group_table(report: FoldValues) -> Table:
    """Values by group and their gaps from the rest, for all models except the baseline."""
    rows, by = [], report.data.rows_by.by
    for model in summary.without_baseline(report):
        evaluation = by_group(report, model)
        gaps = {name: evaluation.gaps(name) for name in evaluation.groups.metrics}
        for row in evaluation:
            gap: Any = gaps[row.metric].row(group=row.group) if row.group is not None else {}
            cells = {**by.values(row.group), "model": model, **{key: row[key] for key in _SHOWN}}
            cells |= {"gap": gap.get("value"), "p_value": gap.get("p_adjusted")}
            rows.append({**cells, "reason": row.note or gap.get("note")})
    shown = [
        *columns("model", "metric"),
        *(Shown(name, is_text=True, none="all") for name in by.names),
        *columns("value", summary.interval_column(report), "gap"),
        *columns(("p (adjusted)", "p_value"), ("rows", "n_rows")),
    ]
    note = (
        f"{summary.interval_heading(report, 'cv')}; gap: difference from all other "
        "groups; p: adjusted for the groups of a metric (Holm)"
    )
    return Table(rows, shown, notes=[note])
