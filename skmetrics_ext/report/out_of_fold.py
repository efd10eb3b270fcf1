"""Values and predictions of all folds: fields of a report, pooled metrics, counts at thresholds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from skmetrics_ext.curve_tables.parts import Request, joined, of_report
from skmetrics_ext.inference.confidence_interval import confidence_interval
from skmetrics_ext.inference.results import Estimate, estimate
from skmetrics_ext.merged.ranges import evenly_along
from skmetrics_ext.metrics.family import RANKING
from skmetrics_ext.numeric import Array
from skmetrics_ext.questions import Rows
from skmetrics_ext.registry import Metric
from skmetrics_ext.report.fold import Fold, FoldResult, Grouping, computed_once
from skmetrics_ext.scoring.intervals import estimate_of
from skmetrics_ext.scoring.recording import evaluate_all, one_line
from skmetrics_ext.scoring.scorer import metric_of
from skmetrics_ext.tallies import Counts, RankTally, ThresholdTally
from skmetrics_ext.validation import InvalidParameterError, Scores, distinct_labels
from skmetrics_ext.validation.containers import count_rows, take_params, take_rows
from skmetrics_ext.validation.groups import INDEPENDENT, Design

_NAN = float("nan")
_LEAST_REPEATED = 0.01  # share of test rows
_LEAST_ROWS = 3  # two rows may be alike by rounding
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that products differ
_RANKED = (
    "scores of models fitted on different folds have no common scale, so ranking them together "
    "is refused; see the mean over folds"
)


@dataclass(frozen=True, eq=False, slots=True)
class FittedOn:
    """Models, features and fit parameters, from which models can be fitted again."""

    X: Any
    models: Mapping[str, Any]
    fit: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ScoredData:
    """True labels, scorers and their parameters, for estimates from the predictions.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True labels.
    scorers : mapping of str to callable
        Scorers by the name of the metric.
    params : mapping of str to mapping
        Parameters (weights) of each metric.
    grouping : Grouping or None, default=None
        Groups of dependent rows.
    source : FittedOn or None, default=None
        Models and features, for nested cross-validation.
    rows_by : RowGroups or None, default=None
        Groups by which results are split.
    """

    y: Any = None
    scorers: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    grouping: Grouping | None = None
    source: FittedOn | None = None
    rows_by: Any = None

    @property
    def metrics(self) -> dict[str, Metric | None]:
        """Metrics of the report by name; None for functions of the user."""
        return {name: metric_of(scorer) for name, scorer in self.scorers.items()}

    @property
    def classes(self) -> Array | None:
        """Classes of the labels; None for multilabel data."""
        return None if self.y is None else distinct_labels(self.y)

    def n_classes_of(self, rows: Array) -> int:
        """Number of classes, or of outputs with a mark, among these rows."""
        y = take_rows(self.y, rows)
        classes = distinct_labels(y)
        return len(classes) if classes is not None else int(np.count_nonzero(np.sum(y, axis=0)))

    def sign(self, metric: str) -> int:
        """-1 for a loss of this package, which its scorer negates."""
        scorer: Any = self.scorers[metric]
        return int(scorer._sign)

    def params_of(self, metric: str, rows: Array) -> dict[str, Any]:
        """Parameters of a metric for these rows."""
        params = self.params[metric]
        return take_params(params, count_rows(self.y), rows) if params else {}

    def predicted(self, result: FoldResult) -> Rows:
        """Predictions of a fold with their true labels."""
        return self._rows(result.rows, result.fold, result.responses, result.classes)

    def joined(self, results: Sequence[FoldResult]) -> Rows:
        """Predictions of one model on all folds with their true labels.

        A class that the model of a fold never saw has probability 0 there, and the score nan.
        """
        results = [result for result in results if result.responses]
        if not results:
            empty = np.empty(0, dtype=np.int64)
            return self._rows(empty, empty, {}, None)
        classes = None
        if all(result.classes is not None for result in results):
            classes = np.unique(np.concatenate([result.classes for result in results]))
            if all(len(result.classes) == len(classes) for result in results):
                classes = results[0].classes
        responses = {
            method: np.concatenate([_columns(result, method, classes) for result in results])
            for method in results[0].responses
            if all(method in result.responses for result in results)
        }
        folds = np.repeat([result.fold for result in results], [len(r.rows) for r in results])
        rows = np.concatenate([result.rows for result in results])
        joined = self._rows(rows, folds, responses, classes)
        for method in responses:
            joined.response(method)
        return joined

    def _rows(self, rows: Array, fold: Any, responses: Mapping[str, Any], classes: Any) -> Rows:
        y_true = None if self.y is None else take_rows(self.y, rows)
        return Rows(y_true, responses, classes, rows=rows, fold=fold)

    def dependent(self, rows: Array) -> Array | None:
        """Group of each prediction, or its row if rows repeat; None if all are independent."""
        if self.grouping is not None:
            return self.grouping.of_row[rows]
        return rows if len(np.unique(rows)) < len(rows) else None

    def number_of(self, part: Rows) -> Array:
        """A number of each prediction, which no other row or fold has."""
        return np.asarray(part.rows + part.fold * (count_rows(self.y) or 0))

    def design_of(self, rows: Array) -> Design:
        """Which predictions depend on each other."""
        group = self.dependent(rows)
        if group is None:
            return INDEPENDENT
        return Design(np.unique(group, return_inverse=True)[1])


def _columns(result: FoldResult, method: str, classes: Array | None) -> Array:
    """Response of a fold, with a column for each of all classes."""
    response = result.responses[method]
    if method == "predict" or classes is None or np.array_equal(result.classes, classes):
        return response
    if response.ndim == 1:  # decision values for the second of two classes
        response = np.column_stack([-response, response])
    fill = 0.0 if method == "predict_proba" else _NAN
    full = np.full((len(response), len(classes)), fill)
    place = {label: k for k, label in enumerate(classes.tolist())}
    full[:, [place[label] for label in result.classes.tolist()]] = response
    return full


@dataclass(frozen=True, repr=False, slots=True)
class FoldValues:
    """Fields of `CrossValidationReport`, by model and by fold."""

    models: tuple[str, ...]
    metrics: tuple[str, ...]
    results: tuple[FoldResult, ...]
    n_samples: int
    splitter: str
    baseline: str | None = None
    positive_class: Any = None
    confidence_level: float = 0.95
    left_out: tuple[str, ...] = ()
    data: ScoredData = field(default_factory=ScoredData, repr=False, compare=False)
    interval: str = "auto"
    data_warnings: tuple[str, ...] = ()
    # Results of `computed_once`.
    computed: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len({result.fold for result in self.results})

    @property
    def has_train(self) -> bool:
        """Whether the models were also scored on their training rows."""
        return any(result.train_values for result in self.results)

    @property
    def grouping(self) -> Grouping | None:
        """Groups of dependent rows; None if no groups were given."""
        return self.data.grouping

    def __iter__(self) -> Iterator[str]:
        """Names of the models."""
        return iter(self.models)

    def __getitem__(self, model: str | Sequence[str]) -> Self:
        """The report of one model, or of several.

        Parameters
        ----------
        model : str or sequence of str
            One of ``models``, or several.

        Returns
        -------
        CrossValidationReport
        """
        names = (model,) if isinstance(model, str) else tuple(model)
        unknown = [name for name in names if name not in self.models]
        if unknown or not names:
            raise KeyError(f"models are {list(self.models)}; got {model!r}")
        baseline = self.baseline if self.baseline in names else None
        results = tuple(result for name in names for result in self.results_of(name))
        return replace(self, models=names, results=results, baseline=baseline)

    def results_of(self, model: str) -> list[FoldResult]:
        """Results of a model, fold by fold.

        Parameters
        ----------
        model : str
            One of ``models``.

        Returns
        -------
        list of FoldResult
        """
        return [result for result in self.results if result.model == model]

    @property
    def predictions(self) -> dict[str, Rows]:
        """Out-of-fold predictions of each model, by its name.

        Returns
        -------
        dict of str to Rows
            ``rows``, ``fold`` and ``responses``: an array for each method that the metrics read,
            with columns in the order of ``classes``. With repeated folds a row occurs several
            times.
        """
        return {model: self.data.joined(self.results_of(model)) for model in self.models}

    def times(self) -> dict[str, tuple[float, float]]:
        """Mean fit and score time of a fold in seconds, by model.

        Returns
        -------
        dict of str to (float, float)
        """
        means = {}
        for model in self.models:
            seconds = [(result.fit_time, result.score_time) for result in self.results_of(model)]
            # A model has no fold if the run was interrupted before its first one.
            fit, score = np.mean(seconds or [(np.nan, np.nan)], axis=0).tolist()
            means[model] = (fit, score)
        return means


def no_estimate(reason: str, value: float = _NAN) -> Estimate:
    """An estimate without an interval, or without a value, and the reason."""
    return estimate(value, (_NAN, _NAN), _NAN, "", _NAN, reason)


@computed_once
def pool(report: FoldValues) -> dict[tuple[str, str], Estimate]:
    """Estimate of each model and metric from all out-of-fold predictions."""
    estimates = {}
    for model, part in report.predictions.items():
        for name in report.metrics:
            notes = [result.notes.get(name) for result in report.results_of(model)]
            estimates[model, name] = _pooled(report, name, part, notes)
    return estimates


def _pooled(
    report: FoldValues,
    name: str,
    predictions: Rows,
    fold_notes: list[str | None],
) -> Estimate:
    data, rows = report.data, predictions.rows
    scorer, metric = data.scorers[name], metric_of(data.scorers[name])
    if not len(rows):
        return no_estimate("there are no predictions")
    if metric is None:
        return no_estimate("not a metric of this package, so it is unknown whether it pools")
    if needs_common_scale(metric):
        return no_estimate(_RANKED)
    params = data.params_of(name, rows)
    result = evaluate_all({name: scorer}, predictions, {name: params})
    value, note = result.values[name], result.notes.get(name)
    if np.isnan(value):
        return no_estimate(result.reasons.get(name, ""))
    if "takes_logs" in metric.spec.traits:  # a fold may lack a class that other folds have
        note = "; ".join(dict.fromkeys(filter(None, [note, *fold_notes])))
    convention = f"by convention: {note}" if note else ""
    options = {
        "confidence_level": report.confidence_level,
        "random_state": 0,
        "groups": data.dependent(rows),
    }
    estimate, reason = estimate_of(scorer, predictions, params, options, value)
    if estimate is None:
        return no_estimate("; ".join(filter(None, [reason, convention])), value)
    note = "; ".join(filter(None, [convention, estimate.note]))
    return replace(estimate, value=value, note=note)


def pool_labelled(report: FoldValues, y_true: Any, proxy: Any) -> dict[tuple[str, str], Estimate]:
    """Estimates from labels of some rows, with a proxy of all: by default the report's labels."""
    known = {"y_true": y_true, "proxy": report.data.y if proxy is None else proxy}
    estimates = {}
    for model, part in report.predictions.items():
        given = take_params(known, report.n_samples, part.rows)
        for name, metric in report.data.metrics.items():
            estimates[model, name] = _labelled(report, name, metric, part, given)
    return estimates


def _labelled(
    report: FoldValues, name: str, metric: Metric | None, part: Rows, given: dict[str, Any]
) -> Estimate:
    if metric is None or needs_common_scale(metric):
        return no_estimate(_RANKED if metric else "not a metric of this package")
    method = "predict" if metric.spec.response == "labels" else "predict_proba"
    asked: Any = metric
    if metric.takes("pos_label") and report.positive_class is not None:
        asked = metric.with_params(pos_label=report.positive_class)
    options = given | {"groups": report.data.dependent(part.rows)}
    options |= {"confidence_level": report.confidence_level}
    options |= report.data.params_of(name, part.rows)
    try:
        estimate = confidence_interval(asked, y_pred=part.responses[method], **options)
    except (InvalidParameterError, KeyError) as error:
        return no_estimate(one_line(error))
    shown: Estimate = estimate if report.data.sign(name) > 0 else -estimate
    return shown


def needs_common_scale(metric: Metric) -> bool:
    """Whether a metric ranks rows by scores, rather than classes within each row."""
    return metric.spec.response == "scores" and metric.spec.family is RANKING


_METHOD = ("predict_proba",)  # other scores have no common scale
_MOST = 500  # thresholds


@dataclass(frozen=True, eq=False, slots=True)
class ThresholdCounts:
    """Out-of-fold probabilities of a class, counted at a limited number of thresholds.

    Parameters
    ----------
    labels : ndarray of shape (2,)
        The negative class and the positive one.
    thresholds : ndarray of shape (T,)
        In increasing order.
    scores : Scores
        Probabilities of all folds.
    rows : ndarray of int of shape (n,)
        Row number of each score; with repeated folds a row occurs several times.
    fold : ndarray of int of shape (n,)
        Fold of each score.
    """

    labels: Array
    thresholds: Array
    scores: Scores
    rows: Array
    fold: Array

    @classmethod
    def of(
        cls,
        report: FoldValues,
        model: str,
        most: int = _MOST,
        also: Sequence[float] = (),
    ) -> ThresholdCounts | None:
        """Counts at up to ``most`` scores and at the thresholds ``also``.

        None if the model has no probabilities of a positive class.
        """
        positive = report.positive_class
        if positive is None:
            return None
        request = Request("thresholds", _METHOD, pos_label=positive)
        try:
            request, models, _ = of_report(request, report, model)
            folds = [part.read(request) for part in models[model]]
            numbers: Any = [fold.fold for fold in folds if fold.scores is not None]
            scores = joined(folds).scores
        except InvalidParameterError:  # no metric reads them, or no fold has them
            return None
        if scores is None or scores.kind != "binary":
            return None
        rows = [r.rows for r in report.results_of(model) if r.fold in numbers]
        fold = np.repeat(numbers, list(map(len, rows)))
        tally = RankTally.of_class(scores)
        thresholds = np.union1d(tally.thresholds[evenly_along(tally, most)], also)
        return cls(np.asarray(scores.classes), thresholds, scores, np.concatenate(rows), fold)

    def counts(self, kept: Array | bool = True) -> Counts:
        """Counts at each threshold, of all scores or of a subset."""
        kept = np.broadcast_to(kept, self.fold.shape)
        scores = self.scores
        weight = None if scores.weight is None else scores.weight[kept]
        labels = scores.true[kept].astype(np.int64)
        tally = RankTally.from_scores(scores.score[kept], labels, 2, weight)
        place = np.searchsorted(-tally.thresholds, -self.thresholds, side="right")
        return Counts(*(part[place] for part in tally.counts_from_none().astuple()))

    def values(self, metric: Metric, counts: Counts) -> Array:
        """A metric of labels, read from counts."""
        metric = metric.settled(self.labels.tolist(), self.labels[1])
        return np.asarray(metric.read(ThresholdTally(self.labels, counts)))


def repeated_rows(X: Any, folds: Iterable[Fold]) -> tuple[str, ...]:
    """A line about test rows whose features the training rows contain, from 1 % of them on.

    A single pair of rows, such as that of iris, is no reason for it.
    """
    values = X.to_numpy() if hasattr(X, "iloc") else X
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf" and values.size:
        hashes = np.zeros(len(values), dtype=np.uint64)
        numbers = values.reshape(len(values), -1).T.astype(np.float64) + 0.0  # 0.0 for -0.0, too
        for bits in numbers.view(np.uint64):
            hashes = (hashes ^ bits ^ (bits >> np.uint64(32))) * _FACTOR
            hashes ^= hashes >> np.uint64(29)
    elif hasattr(X, "iloc"):
        from pandas.util import hash_pandas_object

        try:
            hashes = hash_pandas_object(X, index=False).to_numpy()
        except TypeError:  # values without a hash, such as lists
            return ()
    else:
        return ()
    codes = np.unique(hashes, return_inverse=True)[1]
    n_test, repeated = 0, []
    for fold in folds:
        is_known = np.zeros(len(codes), dtype=bool)
        is_known[codes[fold.train]] = True
        repeated.append(fold.test[is_known[codes[fold.test]]])
        n_test += len(fold.test)
    rows = np.concatenate(repeated)
    n_repeated = len(rows)
    if n_repeated < _LEAST_REPEATED * n_test or len(np.unique(rows)) < _LEAST_ROWS:
        return ()
    share = f"{100 * n_repeated / n_test:.3g} % of the test rows ({n_repeated:,} of {n_test:,})"
    return (f"{share} have the same features as a training row; copies make scores too good",)
