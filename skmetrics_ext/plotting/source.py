"""Rows that displays draw: responses of one or several models, in one set or in folds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np

from skmetrics_ext.alignment import AlignedRows
from skmetrics_ext.inference.compare import compare
from skmetrics_ext.inference.confidence_interval import confidence_interval
from skmetrics_ext.inference.results import Comparison
from skmetrics_ext.metrics.averaging import MACRO, MICRO
from skmetrics_ext.numeric import Array
from skmetrics_ext.scoring.responses import Responses, Stored, estimator_name
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option, distinct_labels
from skmetrics_ext.validation.containers import count_rows, read_array, take_rows
from skmetrics_ext.validation.positive import positive_class
from skmetrics_ext.validation.probabilities import n_columns

RESPONSES = ("predict_proba", "decision_function")
AVERAGES = (MICRO, MACRO)
MULTILABEL = "multilabel-indicator"
_NEEDED = ("estimator", "indices")


class NoScoresError(InvalidParameterError):
    """The model has no score for a class of the rows."""


class Request(NamedTuple):
    """Responses that a display needs, and how it chooses the positive class."""

    what: str
    methods: tuple[str, ...]
    side: str = "one"
    pos_label: Any = None
    labels: Any = None

    def using(self, response_method: str) -> Request:
        """Read this method alone, or with "auto" the first that a model has."""
        check_option("response_method", response_method, ("auto", *self.methods))
        return self if response_method == "auto" else self._replace(methods=(response_method,))

    def positive(self, classes: Sequence[Any], by_column: bool = True) -> Any:
        """The positive class of two; ``by_column`` if each has a column, or a model names them."""
        either = self.side == "either" and by_column
        return positive_class(classes, self.pos_label, what=self.what, either=either)


class ModelRows(NamedTuple):
    """Rows and the responses of a model, or why there are none: one set, or a test fold."""

    y: Any
    responses: Responses
    weight: Any = None
    fold: int = 0
    n_train: int = 0
    group: Array | None = None
    reason: str = ""

    def scores(self, request: Request) -> Scores:
        """Checked scores, the columns of a model matched with the classes by name."""
        method = self.responses.method(request.methods, prefer_order=True, what=request.what)
        classes, response = self.responses.classes, self.responses.get(method)
        if classes is None:
            return Scores.check(
                self.y,
                response,
                labels=request.labels,
                pos_label=request.pos_label,
                sample_weight=self.weight,
                side=request.side,
                what=request.what,
            )
        rows = AlignedRows(self.y, classes, self.weight)
        target = rows.target
        if target is None:  # multilabel
            return rows.scores(method, response)
        if target.unseen:
            raise NoScoresError(
                f"y has the classes {target.unseen}, which the model was not fitted on and has no "
                f"score for; it was fitted on {target.known}."
            )
        if len(target.known) < 2:
            raise NoScoresError(f"The model was fitted on the single class {target.known[0]!r}.")
        two = len(target.known) == 2
        return rows.scores(method, response, request.positive(target.known) if two else None)


@dataclass(frozen=True, eq=False, slots=True)
class ScoredFold:
    """Scores of the test rows of a fold, or why there are none.

    Parameters
    ----------
    number : int
        From 0.
    scores : Scores or None
    n_train, n_test : int
        Rows that the model was fitted on, and those scored.
    reason : str
        Why there are no scores.
    group : ndarray of int of shape (n_test,) or None
        Number of the group of each test row, where groups are known.
    """

    number: int
    scores: Scores | None
    n_train: int
    n_test: int
    reason: str = ""
    group: Array | None = None


@dataclass(frozen=True, eq=False, slots=True)
class DisplaySource:
    """Parts of each model by its name; a single model may have none.

    Parameters
    ----------
    models : mapping of str or None to list of ModelRows
    request : Request
    classes : ndarray or None
        Classes that each model must have been fitted on.
    in_folds : bool
        Whether the parts are folds.
    names : mapping of str to str
        Names of the models in their report.
    """

    models: Mapping[Any, list[ModelRows]]
    request: Request
    classes: Array | None = None
    in_folds: bool = False
    names: Mapping[Any, str] = field(default_factory=dict)

    # ----------------------------------------------------------------------- constructors

    @classmethod
    def of_predictions(
        cls, request: Request, y_true: Any, predictions: Any, weight: Any, name: str | None
    ) -> Self:
        """Predictions of one model, or a mapping of names to those of several."""
        models = _by_model(
            predictions, name, lambda values: [ModelRows(y_true, _given(values, request), weight)]
        )
        return cls(models, request)

    @classmethod
    def of_estimator(
        cls, request: Request, estimator: Any, X: Any, y: Any, weight: Any, name: str | None
    ) -> Self:
        """One fitted estimator, or a mapping of names to several."""
        models = _by_model(
            estimator,
            name,
            lambda model: [ModelRows(y, Responses(model, X), weight)],
            estimator_name,
        )
        return cls(models, request)

    @classmethod
    def of_folds(cls, request: Request, folds: Any, n_train: Any, name: str | None) -> Self:
        """Folds of (y_true, predictions) or (y_true, predictions, sample_weight), by model."""
        if not isinstance(folds, Mapping):
            folds = [tuple(fold) for fold in folds]
        several = folds.values() if isinstance(folds, Mapping) else [folds]
        arrays = [tuple(fold) for folds_of_model in several for fold in folds_of_model]
        if not arrays or any(len(fold) not in (2, 3) for fold in arrays):
            raise InvalidParameterError(
                "folds must hold (y_true, y_score) or (y_true, y_score, sample_weight) of at least "
                f"one fold, got {len(arrays)} with {sorted({len(fold) for fold in arrays})} arrays."
            )
        # A fold may lack classes that others have.
        if request.labels is None and "predict" not in request.methods:
            classes = distinct_labels(np.concatenate([read_array("y_true", f[0]) for f in arrays]))
            if classes is not None and len(classes) >= 2:
                request = request._replace(labels=classes)
            if classes is not None and len(classes) == 2:
                by_column = n_columns(arrays[0][1]) > 1
                request = request._replace(pos_label=request.positive(classes.tolist(), by_column))

        def read(folds_of_model: Any) -> list[ModelRows]:
            triples = [(*fold, None)[:3] for fold in map(tuple, folds_of_model)]
            sizes = np.array([len(fold[0]) for fold in triples])
            # The folds are those of one partition, unless n_train says otherwise.
            trained = (
                sizes.sum() - sizes if n_train is None else np.broadcast_to(n_train, sizes.shape)
            )
            return [
                ModelRows(true, _given(response, request), weight, number, int(trained[number]))
                for number, (true, response, weight) in enumerate(triples)
            ]

        return cls(_by_model(folds, name, read), request, in_folds=True)

    @classmethod
    def of_cv_results(
        cls, request: Request, cv_results: Any, X: Any, y: Any, weight: Any, name: str | None
    ) -> Self:
        """One result of scikit-learn's ``cross_validate``, or a mapping of names to several."""
        models = _by_model(
            cv_results,
            name,
            lambda results: list(_cv_parts(results, X, y, weight, request.what)),
            lambda results: estimator_name(results["estimator"][0]),
            several=is_by_model(cv_results),
        )
        return cls(models, request, distinct_labels(y), in_folds=True)

    @classmethod
    def of_report(
        cls,
        request: Request,
        report: Any,
        model: str | Sequence[str] | None,
        name: str | None,
        once: bool,
    ) -> Self:
        """Models of a report by the predictions it kept.

        ``once`` leaves out rows that an earlier fold had, for pictures of all rows together.
        """
        chosen = report_models(report, model)
        names = {(name or key) if len(chosen) == 1 else key: key for key in chosen}
        models = {
            label: list(_report_parts(report, key, request, once)) for label, key in names.items()
        }
        classes = distinct_labels(report.data.y)
        return cls(models, request, classes, in_folds=True, names=names)

    # ----------------------------------------------------------------------- reading

    def scores(self) -> dict[Any, Scores]:
        """Scores of each model; those of folds are joined."""
        if not self.in_folds:
            return {name: part.scores(self.request) for name, (part,) in self.models.items()}
        return {name: pooled(folds) for name, folds in self.folds().items()}

    def folds(self) -> dict[Any, list[ScoredFold]]:
        """Scores of each fold of each model."""
        return {name: [self._scored(part) for part in parts] for name, parts in self.models.items()}

    def _scored(self, part: ModelRows) -> ScoredFold:
        """Scores of a fold; of a model fitted without a class they would be of another problem."""
        scores, reason = None, part.reason
        known = part.responses.classes
        if self.classes is not None and known is not None:
            fitted = read_array("classes_", known).tolist()
            lacking = [label for label in self.classes.tolist() if label not in fitted]
            if lacking:
                reason = f"the model was fitted without the classes {lacking}"
        if not reason:
            scores = part.scores(self.request)
        return ScoredFold(part.fold, scores, part.n_train, len(part.y), reason, part.group)

    def labels(self) -> dict[Any, tuple[Any, Any, Any]]:
        """True labels, predicted labels and weights of each model; those of folds are joined."""
        return {name: self._joined(parts) for name, parts in self.models.items()}

    def _joined(self, parts: Sequence[ModelRows]) -> tuple[Any, Any, Any]:
        known = [part for part in parts if not part.reason]
        if not known:
            raise InvalidParameterError(f"No fold has predictions: {parts[0].reason}.")
        triples = [(p.y, p.responses.get("predict"), p.weight) for p in known]
        if len(triples) == 1:
            return triples[0]
        true, predicted, weight = zip(*triples, strict=True)
        columns = [[read_array("y", part) for part in column] for column in (true, predicted)]
        joined = [np.concatenate(column) for column in columns]
        return joined[0], joined[1], None if weight[0] is None else np.concatenate(weight)

    def fitted_classes(self) -> list[Any]:
        """Classes that any of the models was fitted on."""
        known = [part.responses.classes for parts in self.models.values() for part in parts]
        arrays = [read_array("classes_", labels) for labels in known if labels is not None]
        return [label for labels in arrays for label in labels.tolist()]

    def groups(self) -> dict[Any, Array | None]:
        """Groups of the joined rows of the folds of each model, where they are known."""
        groups = {}
        for name, folds in self.folds().items():
            known = [f.group for f in folds if f.group is not None and f.scores is not None]
            groups[name] = np.concatenate(known) if known else None
        return groups


def _by_model(
    given: Any,
    name: str | None,
    read: Callable[[Any], list[ModelRows]],
    named: Callable[[Any], str] | None = None,
    several: bool | None = None,
) -> dict[Any, list[ModelRows]]:
    """Parts of each model of a mapping, or of the one model given."""
    if not (isinstance(given, Mapping) if several is None else several):
        parts = read(given)
        return {named(given) if name is None and named is not None else name: parts}
    if name is not None:
        raise InvalidParameterError(
            f"name is the name of one model, got {name!r} and {len(given)} models, whose names are "
            "the keys of the mapping."
        )
    if not given:
        raise InvalidParameterError("A mapping of models needs at least one, got none.")
    return {str(key): read(value) for key, value in given.items()}


def _given(values: Any, request: Request) -> Responses:
    """Predictions in the place of the model that made them."""
    return Responses(Stored(None, dict.fromkeys(request.methods, values)), None)


def is_by_model(cv_results: Any) -> bool:
    """Whether these are results of several models by name."""
    several = isinstance(cv_results, Mapping) and bool(cv_results)
    return several and all(isinstance(results, Mapping) for results in cv_results.values())


def _cv_parts(
    results: Mapping[str, Any], X: Any, y: Any, weight: Any, what: str
) -> Iterator[ModelRows]:
    if not isinstance(results, Mapping) or not all(key in results for key in _NEEDED):
        raise InvalidParameterError(
            f"{what} needs cv_results of cross_validate(..., return_estimator=True, "
            "return_indices=True): 'estimator' or 'indices' is missing."
        )
    indices = results["indices"]
    n_rows = count_rows(X) or 0
    triples = zip(results["estimator"], indices["train"], indices["test"], strict=True)
    for number, (estimator, train, test) in enumerate(triples):
        last = max(np.max(train), np.max(test))
        if last >= n_rows:
            raise InvalidParameterError(
                f"X has {n_rows} rows, and fold {number} of cv_results has row {last}: pass the X "
                "and y that were cross-validated."
            )
        test_weight = None if weight is None else read_array("sample_weight", weight)[test]
        responses = Responses(estimator, take_rows(X, test))
        yield ModelRows(take_rows(y, test), responses, test_weight, number, len(train))


def report_models(report: Any, model: str | Sequence[str] | None) -> list[str]:
    """Models to draw: those of these names, or all but the baseline."""
    if model is None:
        return [name for name in report.models if name != report.baseline] or list(report.models)
    names = [model] if isinstance(model, str) else list(model)
    unknown = [name for name in names if name not in report.models]
    if unknown or not names:
        raise InvalidParameterError(f"model must be one of {list(report.models)}, got {model!r}.")
    return names


def _report_parts(report: Any, model: str, request: Request, once: bool) -> Iterator[ModelRows]:
    results = [result for result in report.results if result.model == model]
    methods = request.methods
    if report.data is None or not any(m in r.responses for r in results for m in methods):
        raise InvalidParameterError(
            f"{request.what} needs {' or '.join(methods)} of {model!r}, which no metric of the "
            f"report uses; its metrics are {list(report.metrics)}."
        )
    params = report.data.params.values()
    weight = next(
        (arguments["sample_weight"] for arguments in params if "sample_weight" in arguments), None
    )
    seen: set[int] = set()
    for result in results:
        kept = np.arange(len(result.rows))
        if once:
            kept = np.array([k for k in kept if int(result.rows[k]) not in seen], dtype=np.int64)
            seen.update(result.rows.tolist())
            if not len(kept):
                continue
        rows = result.rows[kept]
        responses = {method: response[kept] for method, response in result.responses.items()}
        reasons = sorted(set(result.reasons.values())) or ["there are no predictions"]
        yield ModelRows(
            take_rows(report.data.y, rows),
            Responses(Stored(result.classes, responses), None),
            None if weight is None else read_array("sample_weight", weight)[rows],
            result.fold,
            result.n_train,
            None if report.data.grouping is None else report.data.grouping.of_row[rows],
            "" if any(method in responses for method in methods) else reasons[0],
        )


# --------------------------------------------------------------------------- helpers


def pooled(folds: Sequence[ScoredFold]) -> Scores:
    """The test rows of all folds as one set."""
    parts = [fold.scores for fold in folds if fold.scores is not None]
    if not parts:
        raise InvalidParameterError(f"No fold has scores: {folds[0].reason}.")
    first, weight = parts[0], None
    if any(part.weight is not None for part in parts):
        ones = [np.ones(len(p.true)) if p.weight is None else p.weight for p in parts]
        weight = np.concatenate(ones)
    true = np.concatenate([part.true for part in parts])
    score = np.concatenate([part.score for part in parts])
    return Scores(first.kind, first.classes, true, score, weight)


def binary_problems(rows: Scores) -> Iterator[tuple[Any, Scores]]:
    """Each class against the rest, by its label; two classes are one problem."""
    if rows.kind == "binary":
        yield rows.classes.tolist()[-1], rows
        return
    for label, mark, score in zip(rows.classes.tolist(), rows.marks().T, rows.score.T, strict=True):
        codes = mark.astype(np.int64)
        column = np.ascontiguousarray(score)
        yield label, Scores("binary", np.array([0, 1]), codes, column, rows.weight)


def positive_of(rows: Scores) -> Any:
    """The positive class of two; None of several."""
    return rows.classes.tolist()[-1] if rows.kind == "binary" else None


def select_curves(by_curve: Mapping[Any, Any], curves: Any) -> dict[Any, Any]:
    """The requested curves, in this order; all of them for None."""
    if curves is None:
        return dict(by_curve)
    wanted = [curves] if isinstance(curves, str) or not isinstance(curves, Iterable) else curves
    for curve in wanted:
        if curve not in by_curve:
            raise InvalidParameterError(
                f"curves must name some of {list(by_curve)}, got {curve!r}."
            )
    return {curve: by_curve[curve] for curve in wanted}


def objects(values: Sequence[Any]) -> Array:
    """An array that holds each value as it is."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


# --------------------------------------------------------------------------- metrics of rows


class MetricRows(NamedTuple):
    """The metric of a line, and the rows that it is read from."""

    metric: Any
    rows: Any
    design: Mapping[str, Any]
    average: Mapping[str, Any]

    @classmethod
    def of(cls, line: Any, rows: Scores, design: Mapping[str, Any]) -> Self:
        average: dict[str, Any] = {"average": line.curve} if line.is_average else {}
        if line.is_average and rows.kind == "multiclass":
            average["labels"] = list(range(len(rows.classes)))
        return cls(line.metric, rows, dict(design), average)

    @property
    def lacks_class(self) -> bool:
        return len(np.unique(self.rows.true)) < 2

    @property
    def is_defined(self) -> bool:
        """Whether there is a metric, and rows of more than one class."""
        return self.metric is not None and not self.lacks_class

    def interval(self, method: str) -> Any:
        """The interval of `confidence_interval`."""
        return self._ask(confidence_interval, self.rows.score, method=method)

    def compared_with(self, other: Self) -> Comparison:
        """The difference of `compare`."""
        comparison: Comparison = self._ask(compare, self.rows.score, other.rows.score)
        return comparison

    def _ask(self, function: Callable[..., Any], *scores: Any, **options: Any) -> Any:
        true = self.rows.marks() if self.rows.kind == MULTILABEL else self.rows.true
        options |= {"sample_weight": self.rows.weight, "random_state": 0}
        with without_undefined_warnings():
            return function(self.metric, true, *scores, **options, **self.design, **self.average)


@contextmanager
def without_undefined_warnings() -> Iterator[None]:
    """Suppress warnings about undefined values, which the picture shows."""
    from sklearn.exceptions import UndefinedMetricWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        yield
