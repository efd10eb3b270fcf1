"""Out-of-fold predictions: metrics of all folds together, and counts at few thresholds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from skmetrics_ext.inference.results import Estimate, estimate
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.report.fold import Grouping, computed_once
from skmetrics_ext.report.params import take_params
from skmetrics_ext.scoring.intervals import estimate_of
from skmetrics_ext.scoring.recording import evaluate_all
from skmetrics_ext.scoring.responses import Stored
from skmetrics_ext.scoring.scorer import ScoredModel, Scorer, metric_of
from skmetrics_ext.tallies import Counts, RankTally, ThresholdTally
from skmetrics_ext.validation import InvalidParameterError, distinct_labels
from skmetrics_ext.validation.containers import count_rows, take_rows

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport
    from skmetrics_ext.report.fold import FoldResult

_NAN = float("nan")
_RANKED = (
    "scores of models fitted on different folds have no common scale, so ranking them together "
    "is refused; see the mean over folds"
)


@dataclass(frozen=True, eq=False, slots=True)
class FittedOn:
    """The models, their features, and the parameters of the fit of each."""

    X: Any
    models: Mapping[str, Any]
    fit: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, eq=False, slots=True)
class OutOfFold:
    """Predictions of one model for rows that it was not fitted on.

    Parameters
    ----------
    rows : ndarray of int of shape (n,)
        Number of the row in the data; with repeated folds a row occurs several times.
    fold : ndarray of int of shape (n,)
        Number of the fold.
    classes : ndarray or None
        The class of each column.
    responses : dict of str to ndarray
        By the method of the estimator: labels, or an array with a column per class. A class
        that a fold's model never saw has probability 0 there, and a score of nan.
    """

    rows: Array
    fold: Array
    classes: Array | None
    responses: dict[str, Array]


@dataclass(frozen=True, slots=True)
class ScoredData:
    """True labels, scorers and weights, from which estimates of the predictions are made.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True labels.
    scorers : mapping of str to callable
        Scorers by the name of the metric.
    params : mapping of str to mapping
        Parameters (weights) of each metric.
    grouping : Grouping or None, default=None
        Which rows depend on each other.
    source : FittedOn or None, default=None
        What the models were fitted to, for nested cross-validation.
    rows_by : RowGroups or None, default=None
        The groups that values are shown by.
    """

    y: Any = None
    scorers: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    grouping: Grouping | None = None
    source: FittedOn | None = None
    rows_by: Any = None

    @property
    def metrics(self) -> dict[str, Metric | None]:
        """Metrics of this package by their names in the report; None for functions of the user."""
        return {name: metric_of(scorer) for name, scorer in self.scorers.items()}

    @property
    def classes(self) -> Array | None:
        """Classes of the labels; None for multilabel rows."""
        return None if self.y is None else distinct_labels(self.y)

    def sign(self, metric: str) -> int:
        """-1 for a loss, which its scorer negates."""
        scorer = self.scorers[metric]
        return scorer._sign if isinstance(scorer, Scorer) else 1

    def params_of(self, metric: str, rows: Array) -> dict[str, Any]:
        """Parameters of a metric for these rows."""
        return take_params(self.params[metric], count_rows(self.y), rows)

    def predicted(self, part: FoldResult | OutOfFold) -> ScoredModel:
        """Predictions next to their true labels."""
        stored = Stored(part.classes, part.responses)
        return ScoredModel(stored, None, take_rows(self.y, part.rows))

    def dependent(self, rows: Array) -> Array | None:
        """Number of the group of each prediction, or of its row if rows repeat; else None."""
        if self.grouping is not None:
            return self.grouping.of_row[rows]
        return rows if len(np.unique(rows)) < len(rows) else None


def out_of_fold(results: Sequence[FoldResult]) -> OutOfFold:
    """Predictions of one model on all folds, one after the other."""
    results = [result for result in results if result.responses]
    if not results:
        empty = np.empty(0, dtype=np.int64)
        return OutOfFold(empty, empty, None, {})
    classes = None
    if all(result.classes is not None for result in results):
        classes = np.unique(np.concatenate([result.classes for result in results]))
        if all(len(result.classes) == len(classes) for result in results):
            classes = results[0].classes
    methods = [
        method for method in results[0].responses if all(method in r.responses for r in results)
    ]
    responses = {
        method: np.concatenate([_columns(result, method, classes) for result in results])
        for method in methods
    }
    folds = np.repeat([result.fold for result in results], [len(r.rows) for r in results])
    return OutOfFold(np.concatenate([r.rows for r in results]), folds, classes, responses)


def _columns(result: FoldResult, method: str, classes: Array | None) -> Array:
    """Response of a fold, its columns in the order of all classes."""
    response = result.responses[method]
    if method == "predict" or classes is None or np.array_equal(result.classes, classes):
        return response
    if response.ndim == 1:  # decision values of two classes, of which one is the second
        response = np.column_stack([-response, response])
    fill = 0.0 if method == "predict_proba" else _NAN
    full = np.full((len(response), len(classes)), fill)
    place = {label: k for k, label in enumerate(classes.tolist())}
    full[:, [place[label] for label in result.classes.tolist()]] = response
    return full


def no_estimate(reason: str, value: float = _NAN) -> Estimate:
    """A value without an interval, or no value at all, and why."""
    return estimate(value, (_NAN, _NAN), _NAN, "", _NAN, reason)


@computed_once
def pool(report: CrossValidationReport) -> dict[tuple[str, str], Estimate]:
    """Estimate of each model and metric from all out-of-fold predictions."""
    return {
        (model, metric): estimate
        for model, predictions in report.predictions.items()
        for metric, estimate in _pooled_metrics(report, model, predictions)
    }


def _pooled_metrics(
    report: CrossValidationReport, model: str, predictions: OutOfFold
) -> Iterator[tuple[str, Estimate]]:
    data = report.data
    evaluation = data.predicted(predictions) if len(predictions.rows) else None
    for name in report.metrics:
        if evaluation is None:
            yield name, no_estimate("there are no predictions")
            continue
        notes = [result.notes.get(name) for result in report.results_of(model)]
        level = report.confidence_level
        yield name, _pooled(data, name, evaluation, predictions.rows, notes, level)


def _pooled(
    data: ScoredData,
    name: str,
    evaluation: ScoredModel,
    rows: Array,
    notes: list[str | None],
    level: float,
) -> Estimate:
    scorer, metric = data.scorers[name], metric_of(data.scorers[name])
    if metric is None:
        return no_estimate("it is no metric of this package, so whether it pools is not known")
    if needs_common_scale(metric):
        return no_estimate(_RANKED)
    params = data.params_of(name, rows)
    result = evaluate_all({name: scorer}, evaluation, {name: params})
    value, note = result.values[name], result.notes.get(name)
    if np.isnan(value):
        return no_estimate(result.reasons.get(name, ""))
    if "takes_logs" in metric.spec.traits:  # some fold may lack a class of the others
        note = "; ".join(dict.fromkeys(filter(None, [note, *notes])))
    noted = f"by convention: {note}" if note else ""
    options = {"confidence_level": level, "random_state": 0, "groups": data.dependent(rows)}
    estimate, reason = estimate_of(scorer, evaluation, params, options, value)
    if estimate is None:
        return no_estimate("; ".join(filter(None, [reason, noted])), value)
    note = "; ".join(filter(None, [noted, estimate.note]))
    return replace(estimate, value=value, note=note)


def needs_common_scale(metric: Metric) -> bool:
    """True for metrics that rank rows; the largest score of each row needs no common scale."""
    return metric.spec.response == "scores" and metric.spec.tally == "ranks"


_METHOD = ("predict_proba",)  # other scores have no scale that folds share
_MOST = 500  # thresholds


@dataclass(frozen=True, eq=False, slots=True)
class ThresholdCounts:
    """Test rows of each fold, counted between a limited number of thresholds.

    Parameters
    ----------
    labels : ndarray of shape (2,)
        The negative class and the positive one.
    tally : RankTally
        ``mass`` of shape (K, 2, T). Counts at its thresholds are exact.
    rest : RankTally
        Counts of the rows that are not in the fold.
    fold : tuple of int
        Numbers of the folds.
    """

    labels: Array
    tally: RankTally
    rest: RankTally
    fold: tuple[int, ...]

    @classmethod
    def of(
        cls,
        report: CrossValidationReport,
        model: str,
        most: int = _MOST,
        also: Sequence[float] = (),
    ) -> ThresholdCounts | None:
        """Counts of a model; None if it has no probabilities of a positive class.

        ``also`` are thresholds to include.
        """
        folds = _scored_folds(report, model)
        if not folds:
            return None
        parts = [fold.scores for fold in folds]
        rows_of = {result.fold: result.rows for result in report.results_of(model)}
        rows = [rows_of[fold.number] for fold in folds]
        score, code = (
            np.concatenate([getattr(p, key) for p in parts]) for key in ("score", "true")
        )
        weight = None
        if parts[0].weight is not None:
            weight = np.concatenate([part.weight for part in parts])
        edges = np.union1d(_edges(score, most), also)
        n_edges, place = len(edges), np.searchsorted(edges, score, side="right") - 1
        cell = code.astype(np.int64) * n_edges + n_edges - 1 - place  # highest threshold first
        of_fold = np.repeat(np.arange(len(folds)), [len(part) for part in rows])

        def mass(is_counted: Array) -> Array:
            of_rows = None if weight is None else weight[is_counted]
            return np.bincount(cell[is_counted], of_rows, 2 * n_edges).reshape(2, n_edges)

        every = np.concatenate(rows)
        inside = np.array([mass(of_fold == k) for k in range(len(folds))])
        # Of repeated folds, another one holds rows of this.
        outside = np.array([mass(~np.isin(every, own)) for own in rows], dtype=np.float64)
        tallies = RankTally(edges[::-1], inside), RankTally(edges[::-1], outside)
        return cls(np.asarray(parts[0].classes), *tallies, tuple(fold.number for fold in folds))

    def pooled(self) -> tuple[Array, Counts]:
        """Thresholds, rising, and the counts of all folds at each."""
        pooled: RankTally = self.tally.pool()
        counts = Counts(*(part[::-1] for part in pooled.counts().astuple()))
        return pooled.thresholds[::-1], counts

    def values(self, metric: Metric, counts: Counts) -> Array:
        """A metric of labels, read from counts."""
        return np.asarray(metric.read(ThresholdTally(self.labels, counts)))


def _scored_folds(report: CrossValidationReport, model: str) -> list[Any]:
    positive = report.positive_class
    if positive is None:
        return []
    from skmetrics_ext.plotting.source import DisplaySource, Request

    try:
        request = Request("thresholds", _METHOD, pos_label=positive)
        folds = DisplaySource.of_report(request, report, model, None).folds()[model]
    except InvalidParameterError:  # no metric asked for them
        return []
    return [fold for fold in folds if fold.scores is not None and fold.scores.kind == "binary"]


def _edges(score: Array, most: int) -> Array:
    """Scores that occur, rising: all of them, or the quantiles of many."""
    distinct = np.unique(score)
    if len(distinct) <= most:
        return distinct
    ranks = np.linspace(0, len(distinct) - 1, most // 2).astype(np.int64)
    by_rows = np.quantile(score, np.linspace(0, 1, most - most // 2), method="lower")
    return np.union1d(distinct[ranks], by_rows)
