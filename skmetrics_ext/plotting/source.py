"""The data of a display: responses of one or several models, in one set of rows or in folds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from skmetrics_ext.inference.compare import compare
from skmetrics_ext.inference.confidence_interval import confidence_interval
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.metrics.averaging import MACRO, MICRO
from skmetrics_ext.numeric import Array
from skmetrics_ext.questions.rows import Rows, estimator_name
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option, distinct_labels
from skmetrics_ext.validation.containers import count_rows, read_array, take_rows
from skmetrics_ext.validation.positive import positive_class
from skmetrics_ext.validation.probabilities import n_columns

RESPONSES = ("predict_proba", "decision_function")
AVERAGES = (MICRO, MACRO)
MULTILABEL = "multilabel-indicator"


class Request(NamedTuple):
    """Responses that a display needs, and how it chooses the positive class.

    ``once`` leaves out rows that an earlier fold has, for pictures that join the folds.
    """

    what: str
    methods: tuple[str, ...]
    side: str = "one"
    once: bool = False
    pos_label: Any = None
    labels: Any = None

    def using(self, response_method: str) -> Request:
        """Restrict the request to one method, unless it is "auto"."""
        check_option("response_method", response_method, ("auto", *self.methods))
        return self if response_method == "auto" else self._replace(methods=(response_method,))

    def positive(self, classes: Sequence[Any], by_column: bool = True) -> Any:
        """The positive class of two; ``by_column`` if each class has a column of its name."""
        either = self.side == "either" and by_column
        return positive_class(classes, self.pos_label, what=self.what, either=either)


class ModelRows(NamedTuple):
    """Rows with the responses of a model: all rows, or a test fold.

    Parameters
    ----------
    rows : Rows
    number, n_train : int
        Number of the fold, from 0, and number of rows that its model was fitted on.
    group : ndarray of int or None
        Number of the group of each row, if groups are known.
    reason : str
        Why there are no scores.
    scores : Scores or None
        The checked scores.
    """

    rows: Rows
    number: int = 0
    n_train: int = 0
    group: Array | None = None
    reason: str = ""
    scores: Scores | None = None

    def checked(self, request: Request) -> Scores:
        """Check the scores, and match the columns of a model with the classes by name."""
        rows = self.rows
        method = rows.method((request.methods, True), request.what)
        response = rows.columns(method)
        if rows.classes is None:
            options = {"labels": request.labels, "pos_label": request.pos_label}
            options |= {"side": request.side, "what": request.what}
            return Scores.check(rows.y_true, response, sample_weight=rows.sample_weight, **options)
        target = rows.target
        if target is None:  # multilabel
            return rows.scores(method)
        if target.unseen:
            raise InvalidParameterError(
                f"y has the classes {target.unseen}, which the model was not fitted on and has no "
                f"score for; it was fitted on {target.known}."
            )
        if len(target.known) < 2:
            raise InvalidParameterError(
                f"The model was fitted on the single class {target.known[0]!r}."
            )
        two = len(target.known) == 2
        return rows.scores(method, request.positive(target.known) if two else None)


@dataclass(eq=False)
class DisplaySource:
    """The rows of each model by its name; a single model may have no name.

    Parameters
    ----------
    models : mapping of str or None to list of ModelRows
    request : Request
    classes : ndarray or None
        Classes that each model must have been fitted on.
    in_folds : bool
        Whether the rows are in folds.
    report : CrossValidationReport or None
        The report that the rows come from.
    names : mapping of str to str or None
        Names of the models in their report.
    """

    models: Mapping[Any, list[ModelRows]]
    request: Request
    classes: Array | None = None
    in_folds: bool = False
    report: Any = None
    names: Mapping[Any, str] | None = None

    # ----------------------------------------------------------------------- constructors

    @classmethod
    def of_predictions(
        cls, request: Request, y_true: Any, predictions: Any, labels: Any, weight: Any, name: Any
    ) -> Self:
        """Predictions of one model, or a mapping of names to those of several."""
        request = request._replace(labels=labels)

        def read(values: Any) -> list[ModelRows]:
            return [ModelRows(_stored(request, y_true, values, weight))]

        return cls(_by_model(predictions, name, read), request)

    @classmethod
    def of_estimator(
        cls, request: Request, estimator: Any, X: Any, y: Any, weight: Any, name: Any
    ) -> Self:
        """One fitted estimator, or a mapping of names to several."""

        def read(model: Any) -> list[ModelRows]:
            return [ModelRows(Rows.of_model(model, X, y).weighted(weight))]

        return cls(_by_model(estimator, name, read, estimator_name), request)

    @classmethod
    def of_folds(cls, request: Request, folds: Any, labels: Any, n_train: Any, name: Any) -> Self:
        """Folds of (y_true, predictions) or (y_true, predictions, sample_weight), by model."""
        by_model = _by_model(folds, name, lambda part: [tuple(fold) for fold in part])
        all_folds = [fold for part in by_model.values() for fold in part]
        if not all_folds or any(len(fold) not in (2, 3) for fold in all_folds):
            lengths = sorted({len(fold) for fold in all_folds})
            raise InvalidParameterError(
                "folds must hold (y_true, y_score) or (y_true, y_score, sample_weight) of at least "
                f"one fold, got {len(all_folds)} with {lengths} arrays."
            )
        request = request._replace(labels=labels)
        # The classes are those of all folds, because a fold may lack some.
        if labels is None and "predict" not in request.methods:
            labels = [read_array("y_true", fold[0]) for fold in all_folds]
            classes = distinct_labels(np.concatenate(labels))
            if classes is not None and len(classes) >= 2:
                request = request._replace(labels=classes)
            if classes is not None and len(classes) == 2:
                by_column = n_columns(all_folds[0][1]) > 1
                request = request._replace(pos_label=request.positive(classes.tolist(), by_column))
        models = {key: _partition(part, n_train, request) for key, part in by_model.items()}
        return cls(models, request, in_folds=True)

    @classmethod
    def of_cv_results(
        cls, request: Request, cv_results: Any, X: Any, y: Any, weight: Any, name: Any
    ) -> Self:
        """One result of scikit-learn's ``cross_validate``, or a mapping of names to several."""
        models = _by_model(
            cv_results,
            name,
            lambda results: list(_cv_folds(results, X, y, weight, request.what)),
            lambda results: estimator_name(results["estimator"][0]),
            several=is_by_model(cv_results),
        )
        return cls(models, request, distinct_labels(y), in_folds=True)

    @classmethod
    def of_report(cls, request: Request, report: Any, model: Any, name: Any) -> Self:
        """Models of a report, by the predictions that it kept."""
        if request.pos_label is None:
            request = request._replace(pos_label=report.positive_class)
        selected = report_models(report, model)
        names = {(name or key) if len(selected) == 1 else key: key for key in selected}
        models = {shown: list(_report_folds(report, key, request)) for shown, key in names.items()}
        return cls(models, request, distinct_labels(report.data.y), True, report, names)

    # ----------------------------------------------------------------------- reading

    @cached_property
    def folds(self) -> dict[Any, list[ModelRows]]:
        """Folds of each model with checked scores, or with the reason why there are none."""
        return {name: [self._scored(part) for part in parts] for name, parts in self.models.items()}

    def _scored(self, part: ModelRows) -> ModelRows:
        """Check the scores of a fold, unless its model was fitted without some of the classes."""
        if self.classes is not None and part.rows.classes is not None:
            fitted = read_array("classes_", part.rows.classes).tolist()
            missing = [label for label in self.classes.tolist() if label not in fitted]
            if missing:
                part = part._replace(reason=f"the model was fitted without the classes {missing}")
        return part if part.reason else part._replace(scores=part.checked(self.request))

    @cached_property
    def rows(self) -> dict[Any, ModelRows]:
        """Rows of each model with checked scores; folds are joined."""
        return {name: _joined(folds) for name, folds in self.folds.items()}


def _joined(folds: Sequence[ModelRows]) -> ModelRows:
    """Join the rows of all folds that have scores."""
    defined = [fold for fold in folds if fold.scores is not None]
    if not defined:
        raise InvalidParameterError(f"No fold has scores: {folds[0].reason}.")
    if len(defined) == 1:
        return defined[0]
    parts: list[Any] = [fold.scores for fold in defined]
    weights = [np.ones(len(p.true)) if p.weight is None else p.weight for p in parts]
    weight = np.concatenate(weights) if any(p.weight is not None for p in parts) else None
    true, score = (np.concatenate([getattr(p, key) for p in parts]) for key in ("true", "score"))
    scores = Scores(parts[0].kind, parts[0].classes, true, score, weight)
    groups = [fold.group for fold in defined if fold.group is not None]
    return defined[0]._replace(scores=scores, group=np.concatenate(groups) if groups else None)


def _by_model(
    models: Any,
    name: str | None,
    read: Callable[[Any], list[Any]],
    name_of: Callable[[Any], str | None] = lambda model: None,
    several: bool | None = None,
) -> dict[Any, list[Any]]:
    """Read a single model, or each model of a mapping, by name."""
    if not (isinstance(models, Mapping) if several is None else several):
        parts = read(models)
        return {name_of(models) if name is None else name: parts}
    if name is not None:
        raise InvalidParameterError(
            f"name names a single model, got {name!r} and {len(models)} models, whose names are "
            "the keys of the mapping."
        )
    if not models:
        raise InvalidParameterError("A mapping of models needs at least one, got none.")
    return {str(key): read(model) for key, model in models.items()}


def _partition(folds: list[tuple[Any, ...]], n_train: Any, request: Request) -> list[ModelRows]:
    """Folds whose models were fitted on all other folds, unless ``n_train`` is given."""
    sizes = np.array([len(fold[0]) for fold in folds])
    rest = sizes.sum() - sizes if n_train is None else np.broadcast_to(n_train, sizes.shape)
    return [
        ModelRows(_stored(request, true, response, *weight), number, int(size))
        for number, ((true, response, *weight), size) in enumerate(zip(folds, rest, strict=True))
    ]


def _stored(request: Request, y_true: Any, values: Any, weight: Any = None) -> Rows:
    """Predictions as responses, whichever method is requested."""
    return Rows(y_true, dict.fromkeys(request.methods, values), None, weight)


def check_report(report: Any) -> Any:
    """Refuse what is no cross-validation report."""
    if not hasattr(report, "results_of"):
        raise InvalidParameterError(
            f"report must be the result of cross_validation_report, got {report!r:.60}."
        )
    return report


def is_by_model(cv_results: Any) -> bool:
    """Whether this is a mapping of names to results of ``cross_validate``."""
    several = isinstance(cv_results, Mapping) and bool(cv_results)
    return several and all(isinstance(results, Mapping) for results in cv_results.values())


def _cv_folds(results: Any, X: Any, y: Any, weight: Any, what: str) -> Iterator[ModelRows]:
    if not isinstance(results, Mapping) or not {"estimator", "indices"} <= results.keys():
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
        rows = Rows.of_model(estimator, take_rows(X, test), take_rows(y, test))
        yield ModelRows(rows.weighted(test_weight), number, len(train))


def report_models(report: Any, model: str | Sequence[str] | None) -> list[str]:
    """Names of the models to draw; all but the baseline by default."""
    if model is None:
        return [name for name in report.models if name != report.baseline] or list(report.models)
    names = [model] if isinstance(model, str) else list(model)
    unknown = [name for name in names if name not in report.models]
    if unknown or not names:
        raise InvalidParameterError(f"model must be one of {list(report.models)}, got {model!r}.")
    return names


def _report_folds(report: Any, model: str, request: Request) -> Iterator[ModelRows]:
    results, data, methods = report.results_of(model), report.data, request.methods
    if data is None or not any(method in r.responses for r in results for method in methods):
        raise InvalidParameterError(
            f"{request.what} needs {' or '.join(methods)} of {model!r}, which no metric of the "
            f"report uses; its metrics are {list(report.metrics)}."
        )
    weights = [
        params["sample_weight"] for params in data.params.values() if "sample_weight" in params
    ]
    weight = read_array("sample_weight", weights[0]) if weights else None
    earlier = np.array([], dtype=np.int64)
    for result in results:
        is_new = ~np.isin(result.rows, earlier)
        if request.once:
            earlier = np.append(earlier, result.rows)
            if not is_new.any():
                continue
        rows = result.rows[is_new]
        responses = {method: response[is_new] for method, response in result.responses.items()}
        reasons = sorted(set(result.reasons.values())) or ["there are no predictions"]
        yield ModelRows(
            Rows(
                take_rows(data.y, rows),
                responses,
                result.classes,
                None if weight is None else weight[rows],
            ),
            result.fold,
            result.n_train,
            None if data.grouping is None else data.grouping.of_row[rows],
            "" if any(method in responses for method in methods) else reasons[0],
        )


# --------------------------------------------------------------------------- checked rows


def binary_problems(rows: Scores) -> Iterator[tuple[Any, Scores]]:
    """Each class with its rows against the rest; only the positive class of two."""
    if rows.kind == "binary":
        yield rows.classes.tolist()[-1], rows
        return
    for label, mark, score in zip(rows.classes.tolist(), rows.marks().T, rows.score.T, strict=True):
        codes = mark.astype(np.int64)
        column = np.ascontiguousarray(score)
        yield label, Scores("binary", np.array([0, 1]), codes, column, rows.weight)


class MetricRows(NamedTuple):
    """A metric in a legend, and the rows from which it is computed."""

    metric: Any
    true: Any
    response: Any
    options: Mapping[str, Any]

    @classmethod
    def of(cls, line: Any, rows: Scores, design: Mapping[str, Any]) -> Self:
        """The metric of a line on checked scores."""
        options = {"sample_weight": rows.weight, "random_state": 0, **design}
        if line.is_average:
            options["average"] = line.curve
            if rows.kind == "multiclass":
                options["labels"] = list(range(len(rows.classes)))
        true = rows.marks() if rows.kind == MULTILABEL else rows.true
        return cls(line.metric, true, rows.score, options)

    @property
    def is_defined(self) -> bool:
        """Whether there is a metric, and the rows have more than one class."""
        return self.metric is not None and len(np.unique(self.true)) > 1

    def interval(self, method: Any = "auto") -> Any:
        """The value with its confidence interval."""
        with without_undefined_warnings():
            return confidence_interval(
                self.metric, self.true, self.response, method=method, **self.options
            )

    def compared_with(self, other: Self) -> Estimate:
        """The difference from another model on the same rows."""
        with without_undefined_warnings():
            return compare(self.metric, self.true, self.response, other.response, **self.options)


@contextmanager
def without_undefined_warnings() -> Iterator[None]:
    """Suppress warnings about undefined values, which the picture shows."""
    from sklearn.exceptions import UndefinedMetricWarning

    with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
        yield
