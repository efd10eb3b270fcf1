"""Out-of-fold values by group: of rows that no model was fitted on, with the gaps between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from skmetrics_ext.formats import interval as shown_interval
from skmetrics_ext.formats import number, probability, signed
from skmetrics_ext.inference.draws.bootstrap import DrawPlan
from skmetrics_ext.inference.linearized import Linearized, linearize
from skmetrics_ext.merged.arrays import group_arrays
from skmetrics_ext.merged.evaluation import Evaluation, evaluation_rows
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.report.fold import Fold, FoldResult
from skmetrics_ext.report.out_of_fold import OutOfFold, ScoredData, dependent_rows, out_of_fold
from skmetrics_ext.report.params import take_params
from skmetrics_ext.report.summary import mean_of_samples, sample_of_fold
from skmetrics_ext.rows import Row, Rows, Shown
from skmetrics_ext.scoring.scorer import metric_of
from skmetrics_ext.slices.group_columns import GroupColumns
from skmetrics_ext.slices.group_comparisons import Groups
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import count_rows, read_array
from skmetrics_ext.validation.groups import INDEPENDENT, Design

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport

_NAN = float("nan")


@dataclass(frozen=True, eq=False, slots=True)
class RowGroups:
    """The group of each row of the data, and whether models were fitted on it.

    Parameters
    ----------
    by : GroupColumns
    groups : sequence
        Those that occur.
    of_row : ndarray of int64 of shape (n_samples,)
        Number of the group of each row.
    left_out : bool
        Whether every model was tested on groups that it had no row of.
    """

    by: GroupColumns
    groups: Sequence[Any]
    of_row: Array
    left_out: bool

    @classmethod
    def of(cls, given: Any, X: Any, y: Any, folds: Sequence[Fold]) -> RowGroups:
        """Group rows by a column of X, an array, or a dict of arrays."""
        by, groups, of_row = group_arrays(_columns(given, X), {}, count_rows(y) or 0, y)
        left_out = not any(
            np.isin(of_row[fold.test], np.unique(of_row[fold.train])).any() for fold in folds
        )
        return cls(by, groups, of_row, left_out)

    @property
    def description(self) -> str:
        """Rows that the values describe."""
        names = " and ".join(self.by.names)
        if self.left_out:
            return (
                f"by {names}: out-of-fold values, leave-one-group-out: models were tested on "
                "groups that they had no row of"
            )
        return f"by {names}: out-of-fold values, of models that were fitted on rows of all groups"


def _columns(given: Any, X: Any) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        return given
    if isinstance(given, str):
        names = list(getattr(X, "columns", []))
        if given not in names:
            raise InvalidParameterError(
                f"by={given!r} is no column of X; pass the column itself, an array with a value "
                "for each row."
            )
        return {given: X[given]}
    name = getattr(given, "name", None)
    return {name if isinstance(name, str) else "group": given}


# --------------------------------------------------------------------------- statistics


class FoldStatistics:
    """Statistics of groups from the out-of-fold predictions of one model.

    Labels and probabilities of all folds are pooled. Rankings are not, for scores of different
    models have no common scale: theirs is the mean over the folds in which they are defined.
    """

    plan = DrawPlan(random_state=0)

    def __init__(self, data: ScoredData, rows_by: RowGroups, results: Sequence[FoldResult]) -> None:
        self.data, self.rows_by = data, rows_by
        self.results = [result for result in results if result.responses]
        self.pooled = out_of_fold(self.results)
        self.numbers = {group: i for i, group in enumerate(rows_by.groups)}

    def statistic(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        codes = [self.numbers[group] for group in groups]
        if metric.spec.response == "scores" and metric.spec.tally == "ranks":
            return self._of_folds(metric, codes)
        return self._pooled(metric, codes)

    def _part(self, of: FoldResult | OutOfFold, codes: Sequence[int]) -> tuple[Array, OutOfFold]:
        """The predictions of these groups, and their places among those of the fold."""
        kept = np.flatnonzero(np.isin(self.rows_by.of_row[of.rows], codes))
        responses = {name: response[kept] for name, response in of.responses.items()}
        return kept, OutOfFold(of.rows[kept], kept, of.classes, responses)

    def _weighted(self, metric: Metric, rows: Array) -> Array:
        """Which rows have weight."""
        params = take_params(self.data.params[metric.name], count_rows(self.data.y), rows)
        weight = params.get("sample_weight")
        if weight is None:
            return np.ones(len(rows), dtype=bool)
        return np.asarray(read_array("sample_weight", weight) != 0)

    def _pooled(self, metric: Metric, codes: Sequence[int]) -> Linearized | str:
        place, part = self._part(self.pooled, codes)
        if not len(place):
            return "there are no predictions"
        dependent = dependent_rows(self.data.grouping, self.pooled.rows)
        cluster = None if dependent is None else dependent[place]
        group = None if cluster is None else np.unique(cluster, return_inverse=True)[1]
        design = INDEPENDENT if group is None else Design(group)
        kept = self._weighted(metric, part.rows)
        identity = {"numbers": place[kept], "cluster": None if cluster is None else cluster[kept]}
        found = sample_of_fold(self.data, metric.name, part, design, **identity)
        if isinstance(found, str):
            return found
        if not np.isfinite(found[0].value):
            return "undefined"
        return linearize(found[0])

    def _of_folds(self, metric: Metric, codes: Sequence[int]) -> Linearized | str:
        samples, rows, places, first, why = [], [], [], 0, "undefined on every fold"
        for result in self.results:
            place, part = self._part(result, codes)
            found = sample_of_fold(self.data, metric.name, part) if len(place) else "no rows"
            if isinstance(found, str):
                why = f"undefined on every fold: {found}"
            elif np.isfinite(found[0].value):
                own = place
                if len(found[1]) < len(place):
                    own = place[self._weighted(metric, part.rows)]
                samples.append(found[0])
                rows.append(found[1])
                places.append(first + own)
            first += len(result.rows)
        if not samples:
            return why
        every, grouping = np.concatenate(rows), self.data.grouping
        cluster = every if grouping is None else grouping.of_row[every]
        value = float(np.mean([sample.value for sample in samples]))
        identity = {"number": np.concatenate(places), "cluster": cluster}
        mean = mean_of_samples(samples, every, grouping, value, **identity)
        return "it has no derivative by its rows" if mean is None else mean


# --------------------------------------------------------------------------- what is shown


def by_group(report: CrossValidationReport, model: str) -> Evaluation:
    """The values of one model by group."""
    data = report.data
    if data is None or data.rows_by is None:
        raise InvalidParameterError(
            "The report has no groups to compare: pass by= to cross_validation_report."
        )
    rows_by, by = data.rows_by, data.rows_by.by
    source = FoldStatistics(data, rows_by, report.results_of(model))
    counts = np.bincount(rows_by.of_row[source.pooled.rows], minlength=len(rows_by.groups))
    n_rows = dict(zip(rows_by.groups, counts.tolist(), strict=True))
    n_rows = {group: n_rows[group] for group in by.ordered(n_rows)}
    n_rows[None] = sum(n_rows.values())
    metrics = {name: metric_of(data.scorers[name]) for name in report.metrics}
    asked = {name: replace(own, name=name) for name, own in metrics.items() if own is not None}
    groups = Groups(by, asked, source, n_rows, is_scored=True)
    rows = []
    for name in asked:
        of = groups.of(name)
        for group in n_rows:
            told = of.interval(group, report.confidence_level)
            about = dict(zip(("value", "low", "high", "method", "reason"), told, strict=True))
            rows.append(Row(group=group, metric=name, of=None, n_rows=n_rows[group], **about))
    level = report.confidence_level
    return Evaluation(evaluation_rows(rows, level, by), "folds", level, groups=groups)


def group_table(report: CrossValidationReport) -> Rows:
    """Values by group and their gaps from the rest, of all models but the baseline."""
    assert report.data is not None
    rows_by: RowGroups | None = report.data.rows_by
    assert rows_by is not None
    if "groups" not in report.computed:
        report.computed["groups"] = _group_table(report, rows_by.by)
    table: Rows = report.computed["groups"]
    return table


def _group_table(report: CrossValidationReport, by: GroupColumns) -> Rows:
    rows = []
    for model in report.models:
        if model == report.baseline:
            continue
        found = report.by_group(model)
        gaps = {name: found.gaps(name) for name in found.groups.metrics}
        for row in found.rows:
            gap = gaps[row.metric].row(row.group) if row.group is not None else Row()
            keys = ("metric", "value", "low", "high", "n_rows")
            own = {**by.values(row.group), "model": model, **{key: row[key] for key in keys}}
            own |= {"gap": gap.get("difference"), "p_value": gap.get("p_value")}
            rows.append({**own, "reason": row.reason or gap.get("reason")})
    level = f"{100 * report.confidence_level:g}% interval"
    return Rows(
        rows,
        [
            Shown("model", is_text=True),
            Shown("metric", is_text=True),
            *(Shown(name, is_text=True, none="all") for name in by.names),
            Shown("value", form=number),
            Shown(level, ("low", "high"), shown_interval),
            Shown("gap", form=signed),
            Shown("p", "p_value", probability),
            Shown("rows", "n_rows"),
        ],
        notes=[
            f"intervals: {100 * report.confidence_level:g} %, the {report.n_folds} fitted models; "
            "gap: from all other groups; p: adjusted by Holm for the groups of a metric"
        ],
    )
