"""Rows of each model to draw: of arrays, fitted models, folds or a report, split by groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.questions.rows import Rows, estimator_name
from skmetrics_ext.slices.group_columns import group_arrays
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option, distinct_labels
from skmetrics_ext.validation.containers import count_rows, read_array, take_rows
from skmetrics_ext.validation.groups import read_design
from skmetrics_ext.validation.positive import positive_class
from skmetrics_ext.validation.probabilities import n_columns

RESPONSES = ("predict_proba", "decision_function")


class Request(NamedTuple):
    """Responses that a picture needs, and which classes they are of.

    Parameters
    ----------
    what : str
        Name of the picture, for errors.
    methods : tuple of str
        Methods of a model that give the response, in order.
    side : {"one", "either", "none"}
        Whether a positive class is needed, or either may be.
    once : bool
        Whether rows that an earlier fold has are left out, for pictures that join the folds.
    pos_label : object
        The positive class of two.
    labels : array-like or None
        The class of each column; of confusion matrices, the classes in order.
    sample_weight : array-like or None
    name : str or None
        Name of a single model.
    n_train : array-like or None
        Number of rows that the model of each fold was fitted on.
    response_method : str
        The only method to use, unless it is "auto".
    fitted : list or None
        Classes that each model must have been fitted on.
    """

    what: str
    methods: tuple[str, ...] = RESPONSES
    side: str = "one"
    once: bool = False
    pos_label: Any = None
    labels: Any = None
    sample_weight: Any = None
    name: str | None = None
    n_train: Any = None
    response_method: str = "auto"
    fitted: list[Any] | None = None

    def taking(self, options: dict[str, Any]) -> Request:
        """Take the options of a request out of those of a picture."""
        taken = {key: options.pop(key) for key in self._fields if key in options}
        request = self._replace(**taken)
        check_option("response_method", request.response_method, ("auto", *self.methods))
        if request.response_method == "auto":
            return request
        return request._replace(methods=(request.response_method,))

    def positive(self, classes: Sequence[Any], by_column: bool = True) -> Any:
        """The positive class of two; ``by_column`` if each class has a column of its name."""
        either = self.side == "either" and by_column
        return positive_class(classes, self.pos_label, what=self.what, either=either)


class Part(NamedTuple):
    """Rows with the responses of a model: all rows, or a test fold.

    Parameters
    ----------
    rows : Rows
    fold : int or None
        Number of the fold, from 0; None without folds.
    n_train : int
        Number of rows that the model of the fold was fitted on.
    numbers : ndarray of int or None
        Number of each row in the data; None for all rows in order.
    group : array-like or None
        Group of dependent rows that each row belongs to.
    reason : str
        Why there are no scores.
    scores : Scores or None
        The checked scores.
    """

    rows: Rows
    fold: int | None = None
    n_train: int = 0
    numbers: Array | None = None
    group: Any = None
    reason: str = ""
    scores: Any = None

    def read(self, request: Request) -> Part:
        """Check the scores, unless the model was fitted without some of the classes."""
        classes = self.rows.classes
        if request.fitted is not None and classes is not None:
            known = read_array("classes_", classes).tolist()
            missing = [label for label in request.fitted if label not in known]
            if missing:
                return self._replace(reason=f"the model was fitted without the classes {missing}")
        return self if self.reason else self._replace(scores=self.checked(request))

    @property
    def n_test(self) -> int:
        """Number of rows."""
        return len(self.rows.y_true if self.scores is None else self.scores.true)

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

    def select(self, kept: Array, method: str) -> Part:
        """Some of the rows, with the responses of one method."""
        rows = self.rows
        weight = None if rows.sample_weight is None else take_rows(rows.sample_weight, kept)
        responses = {method: take_rows(rows.columns(method), kept)}
        return self._replace(
            rows=Rows(take_rows(rows.y_true, kept), responses, rows.classes, weight),
            numbers=kept if self.numbers is None else self.numbers[kept],
            group=None if self.group is None else take_rows(self.group, kept),
        )


Parts = dict[Any, list[Part]]  # by the name of the model; a single model may have no name


class AskedParts(NamedTuple):
    """A request, the parts that answer it, and the true labels of all rows (None for folds)."""

    request: Request
    models: Parts
    y_true: Any = None


def joined(parts: Sequence[Part]) -> Part:
    """Join the rows of all folds that have scores."""
    defined = [part for part in parts if part.scores is not None]
    if not defined:
        raise InvalidParameterError(f"No fold has scores: {parts[0].reason}.")
    if len(defined) == 1:
        return defined[0]
    checked = [part.scores for part in defined]
    weights = [np.ones(len(p.true)) if p.weight is None else p.weight for p in checked]
    weight = np.concatenate(weights) if any(p.weight is not None for p in checked) else None
    true, score = (np.concatenate([getattr(p, key) for p in checked]) for key in ("true", "score"))
    scores = Scores(checked[0].kind, checked[0].classes, true, score, weight)
    groups = [part.group for part in defined if part.group is not None]
    return defined[0]._replace(scores=scores, group=np.concatenate(groups) if groups else None)


def binary_problems(rows: Scores) -> Iterator[tuple[Any, Scores]]:
    """Each class with its rows against the rest; only the positive class of two."""
    if rows.kind == "binary":
        yield rows.classes.tolist()[-1], rows
        return
    for label, mark, score in zip(rows.classes.tolist(), rows.marks().T, rows.score.T, strict=True):
        codes = mark.astype(np.int64)
        column = np.ascontiguousarray(score)
        yield label, Scores("binary", np.array([0, 1]), codes, column, rows.weight)


def split_by(asked: AskedParts, by: Any, dependent: Any = None) -> AskedParts:
    """The rows of a single model by group, as if each group were a model.

    ``dependent`` are the groups of dependent rows, if the parts do not know them.
    """
    request, models, y_true = asked
    if len(models) != 1:
        raise InvalidParameterError(
            f"by splits the rows of one model, got {len(models)} models: {list(models)}."
        )
    (parts,) = models.values()
    if dependent is not None:
        read_design(dependent, None, count_rows(y_true) or 0, y_true=y_true)
        parts = [part._replace(group=dependent) for part in parts]
    columns, groups, code = group_arrays(by, {}, count_rows(y_true) or 0, y_true)
    first = parts[0].rows
    method = first.method((request.methods, True), request.what)
    if (
        first.classes is None and "predict" not in request.methods
    ):  # a group may lack some of the classes
        request = _settled(request, [y_true], first.columns(method))
    split: Parts = {}
    for group in columns.ordered(groups):
        of_group = code == groups.index(group)
        for part in parts:
            in_part = of_group if part.numbers is None else of_group[part.numbers]
            kept = np.flatnonzero(in_part)
            if len(kept):
                split.setdefault(columns.label_of(group), []).append(part.select(kept, method))
    return AskedParts(request, split)


# --------------------------------------------------------------------------- where rows come from


def of_predictions(request: Request, y_true: Any, predictions: Any) -> AskedParts:
    """Predictions of one model, or a mapping of names to those of several."""

    def read(values: Any) -> list[Part]:
        return [Part(_stored(request, y_true, values, request.sample_weight))]

    return AskedParts(request, _by_model(predictions, request, read), y_true)


def of_estimator(request: Request, estimator: Any, X: Any, y: Any) -> AskedParts:
    """One fitted estimator, or a mapping of names to several."""

    def read(model: Any) -> list[Part]:
        return [Part(Rows.of_model(model, X, y).weighted(request.sample_weight))]

    return AskedParts(request, _by_model(estimator, request, read, estimator_name), y)


def of_folds(request: Request, folds: Any) -> AskedParts:
    """Folds of (y_true, predictions) or (y_true, predictions, sample_weight), by model.

    The models were fitted on all other folds, unless the request has their numbers of rows.
    """
    by_model = _by_model(folds, request, lambda part: [tuple(fold) for fold in part])
    all_folds = [fold for part in by_model.values() for fold in part]
    if not all_folds or any(len(fold) not in (2, 3) for fold in all_folds):
        lengths = sorted({len(fold) for fold in all_folds})
        raise InvalidParameterError(
            "folds must hold (y_true, y_score) or (y_true, y_score, sample_weight) of at least "
            f"one fold, got {len(all_folds)} with {lengths} arrays."
        )
    if "predict" not in request.methods:  # the classes are those of all folds
        request = _settled(request, [fold[0] for fold in all_folds], all_folds[0][1])
    models: Parts = {}
    for key, part in by_model.items():
        sizes = np.array([len(fold[0]) for fold in part])
        n_train = sizes.sum() - sizes if request.n_train is None else request.n_train
        rest = np.broadcast_to(n_train, sizes.shape)
        models[key] = [
            Part(_stored(request, *fold), number, int(size))
            for number, (fold, size) in enumerate(zip(part, rest, strict=True))
        ]
    return AskedParts(request, models)


def of_cv_results(request: Request, cv_results: Any, X: Any, y: Any) -> AskedParts:
    """One result of scikit-learn's ``cross_validate``, or a mapping of names to several."""
    models = _by_model(
        cv_results,
        request,
        lambda results: list(_cv_folds(results, X, y, request)),
        lambda results: estimator_name(results["estimator"][0]),
        several=is_by_model(cv_results),
    )
    return AskedParts(_fitted_on(request, y), models, y)


def of_report(request: Request, report: Any, model: Any = None) -> AskedParts:
    """Models of a report, by the predictions that it kept."""
    if request.pos_label is None:
        request = request._replace(pos_label=report.positive_class)
    selected = report_models(report, model)
    models = {key: list(_report_folds(report, key, request)) for key in selected}
    if request.name is not None and len(selected) == 1:
        models = {request.name: models[selected[0]]}
    return AskedParts(_fitted_on(request, report.data.y), models, report.data.y)


def report_models(report: Any, model: str | Sequence[str] | None) -> list[str]:
    """Names of the models to draw; all but the baseline by default."""
    if model is None:
        return [name for name in report.models if name != report.baseline] or list(report.models)
    names = [model] if isinstance(model, str) else list(model)
    unknown = [name for name in names if name not in report.models]
    if unknown or not names:
        raise InvalidParameterError(f"model must be one of {list(report.models)}, got {model!r}.")
    return names


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


def _by_model(
    models: Any,
    request: Request,
    read: Callable[[Any], list[Any]],
    name_of: Callable[[Any], str | None] = lambda model: None,
    several: bool | None = None,
) -> dict[Any, list[Any]]:
    """Read a single model, or each model of a mapping, by name."""
    name = request.name
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


def _settled(request: Request, true_parts: Iterable[Any], response: Any) -> Request:
    """State the classes of all rows, because some parts of them may lack a class."""
    if request.labels is not None:
        return request
    true = [read_array("y_true", part) for part in true_parts]
    classes = distinct_labels(np.concatenate(true))
    if classes is None or len(classes) < 2:
        return request
    request = request._replace(labels=classes)
    if len(classes) > 2:
        return request
    positive = request.positive(classes.tolist(), by_column=n_columns(response) > 1)
    return request._replace(pos_label=positive)


def _stored(request: Request, y_true: Any, values: Any, weight: Any = None) -> Rows:
    """Predictions as responses, whichever method is requested."""
    return Rows(y_true, dict.fromkeys(request.methods, values), None, weight)


def _fitted_on(request: Request, y: Any) -> Request:
    """Require models that were fitted on all classes of the data."""
    classes = distinct_labels(y)
    return request._replace(fitted=None if classes is None else classes.tolist())


def _cv_folds(results: Any, X: Any, y: Any, request: Request) -> Iterator[Part]:
    if not isinstance(results, Mapping) or not {"estimator", "indices"} <= results.keys():
        raise InvalidParameterError(
            f"{request.what} needs cv_results of cross_validate(..., return_estimator=True, "
            "return_indices=True): 'estimator' or 'indices' is missing."
        )
    indices, weight = results["indices"], request.sample_weight
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
        yield Part(rows.weighted(test_weight), number, len(train), test)


def _report_folds(report: Any, model: str, request: Request) -> Iterator[Part]:
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
        index = result.rows[is_new]
        responses = {method: response[is_new] for method, response in result.responses.items()}
        test_weight = None if weight is None else weight[index]
        reasons = sorted(set(result.reasons.values())) or ["there are no predictions"]
        yield Part(
            Rows(take_rows(data.y, index), responses, result.classes, test_weight),
            result.fold,
            result.n_train,
            index,
            None if data.grouping is None else data.grouping.of_row[index],
            "" if any(method in responses for method in methods) else reasons[0],
        )
