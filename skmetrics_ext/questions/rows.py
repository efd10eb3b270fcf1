"""Rows: true labels, the responses of one model matched with its classes by name, and weights.

Nothing is checked until a view is asked for. A view (`Labels`, `Scores`, `Probabilities`) is made
once and keeps its tallies, so that any number of metrics validate, sort and count once.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from skmetrics_ext.kernels import bin_sums
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import Counts
from skmetrics_ext.validation import InvalidParameterError, Labels, Probabilities, Scores
from skmetrics_ext.validation.column_names import check_pairs, check_response
from skmetrics_ext.validation.containers import count_rows, read_array, take_rows
from skmetrics_ext.validation.encoding import Order, find_labels, objects
from skmetrics_ext.validation.labels import read_labels, read_target
from skmetrics_ext.validation.positive import positive_class
from skmetrics_ext.validation.rows import read_rows
from skmetrics_ext.validation.scores import read_scores_of
from skmetrics_ext.validation.targets import MULTILABEL, label_values
from skmetrics_ext.validation.tensors import to_host

# Methods of an estimator to try in order, and whether the order is kept for several classes.
Reads = tuple[str | tuple[str, ...], bool]


def estimator_name(estimator: Any) -> str:
    """Name of the class; for a pipeline, of its last step."""
    steps = getattr(estimator, "steps", None)
    return estimator_name(steps[-1][1]) if steps else type(estimator).__name__


def positive_column(response: Any, classes: Any, pos_label: Any) -> Any:
    """Scores of the positive class of a binary estimator; any other response unchanged."""
    if len(classes) != 2:
        return response
    positive = 1
    if pos_label is not None and pos_label != classes[1]:
        listed = np.asarray(classes).tolist()
        positive = listed.index(positive_class(listed, pos_label, what="The scorer"))
    if np.ndim(response) != 2 and positive == 1:
        return response
    if type(response) is not np.ndarray:
        response = read_array("y_score", response)
    return response[:, positive] if response.ndim == 2 else -response


@dataclass(frozen=True, eq=False, slots=True)
class MatchedLabels:
    """True labels as codes, compared with the classes of the model.

    Parameters
    ----------
    every : list
        The classes of the model and of the rows.
    known : list
        The classes of the model.
    codes : ndarray of int64 of shape (n,)
        Codes into ``every``.
    unseen, lacking : list
        Classes of the rows that the model never saw; classes of the model without rows.
    weight : ndarray or None
    ordered : bool, tuple or None
        The declared order of the classes, as in `Labels`.
    class_array : ndarray of shape (K,)
        ``every`` as an array of labels.
    """

    every: list[Any]
    known: list[Any]
    codes: Array
    unseen: list[Any]
    lacking: list[Any]
    weight: Array | None
    ordered: Order
    class_array: Array

    def matched(
        self, response: Any, method: str, order: list[Any], *, columns_only: bool = False
    ) -> tuple[Array | None, Array, Array]:
        """Weights, codes and checked scores of the rows whose weight is not 0.

        Codes are for the classes in ``order``; scores have a column for each class of the model,
        and those of two classes may be a vector.
        """
        score, weight, codes = read_scores_of(response, method), self.weight, self.codes
        is_vector = score.ndim == 1 and len(self.known) == 2 and not columns_only
        expected = codes.shape if is_vector else (len(codes), len(self.known))
        if score.shape != expected:
            raise InvalidParameterError(
                f"{method} returned an array of shape {score.shape}, expected {expected}: a row "
                "for each row that is not masked in y_true, sample_weight or predict, and a column "
                f"for each of the classes {self.known}. One-vs-one scores "
                "(decision_function_shape='ovo') have no column per class."
            )
        if order != self.every:
            codes = find_labels(self.class_array, objects(order))[codes]
        if weight is None or weight.all():
            return weight, codes, score
        kept = weight > 0
        return weight[kept], codes[kept], score[kept]

    def array_of(self, order: list[Any]) -> Array:
        """Some of the classes as an array."""
        return self.class_array if order == self.every else read_labels(order)


class Rows:
    """True labels of rows and the responses of one model to them.

    Parameters
    ----------
    y_true : array-like
        True labels.
    responses : mapping of str to array-like
        Responses by the name of the estimator's method.
    classes : array-like or None
        ``classes_`` of the model, in the order of the columns; None if it has none.
    sample_weight : array-like or None
        Weight of each row.
    rows, fold : ndarray of int or None
        Number of each row in the data, and the fold that it was predicted in, if these are known.

    Attributes
    ----------
    known : list or None
        The classes as a list; None without classes, or with those of several outputs.
    responses : dict of str to array-like
        Responses that were read.
    views : dict
        What was checked or settled before.
    """

    def __init__(
        self,
        y_true: Any,
        responses: Mapping[str, Any],
        classes: Any = None,
        sample_weight: Any = None,
        *,
        estimator: Any = None,
        X: Any = None,
        rows: Any = None,
        fold: Any = None,
    ) -> None:
        self.y_true, self.sample_weight, self.rows, self.fold = y_true, sample_weight, rows, fold
        self.estimator, self.X, self._given = estimator, X, responses
        self.classes = classes if type(classes) is np.ndarray else to_host(classes, "classes_")
        is_multilabel = type(classes) is list and classes and np.ndim(classes[0]) > 0
        known = None if classes is None or is_multilabel else np.asarray(self.classes).tolist()
        self.known: list[Any] | None = known
        self.responses: dict[str, Any] = {}
        self.views: dict[Hashable, Any] = {}
        self._columns: dict[str, Any] = {}
        self._failed: dict[str, Exception] = {}
        self._read: dict[Reads, str] = {}
        self._weighted: dict[int, Rows] = {}

    @classmethod
    def of_model(cls, estimator: Any, X: Any, y_true: Any) -> Rows:
        """Rows whose responses a fitted estimator gives when they are asked for."""
        classes = getattr(estimator, "classes_", None)
        return cls(y_true, {}, classes, estimator=estimator, X=X)

    def weighted(self, sample_weight: Any) -> Rows:
        """The same rows and responses with other weights."""
        rows = self._weighted.get(id(sample_weight))
        if rows is None:
            rows = copy(self)
            rows.sample_weight, rows.views = sample_weight, {}
            rows._weighted = {}  # those of `self` hold it
            rows.__dict__.pop("target", None)
            self._weighted[id(sample_weight)] = rows  # which holds the weight, and so its id
        return rows

    def select(self, kept: Array) -> Rows:
        """Some of the rows of known number, with the responses that were given."""
        responses = {method: take_rows(given, kept) for method, given in self._given.items()}
        weight = None if self.sample_weight is None else take_rows(self.sample_weight, kept)
        fold = np.broadcast_to(self.fold, self.rows.shape)[kept]
        known = {"rows": self.rows[kept], "fold": fold}
        return Rows(take_rows(self.y_true, kept), responses, self.classes, weight, **known)

    def check(self) -> None:
        """Raise if no metric can read the true labels or the weights."""
        (true,), _ = read_rows(self.sample_weight, False, y_true=self.y_true)
        label_values(true)
        n_rows, n_true = count_rows(self.X), count_rows(self.y_true)
        if n_rows not in (None, n_true):
            raise InvalidParameterError(
                f"Found input variables with inconsistent numbers of samples: [{n_rows}, {n_true}] "
                f"(X: {n_rows}, y_true: {n_true})."
            )

    # ----------------------------------------------------------------------- responses

    def method(self, reads: Reads, asker: Any) -> str:
        """The first of the methods that there is a response of.

        For several classes ``predict_proba`` goes first unless the order is kept: one-vs-one
        decision values have a column per pair, and with three classes there are three pairs.
        """
        method = self._read.get(reads)
        if method is not None:
            return method
        methods, keeps_order = reads
        tried = (methods,) if isinstance(methods, str) else methods
        if self.known is not None and len(self.known) > 2 and not keeps_order:
            tried = tuple(sorted(tried, key="predict_proba".__ne__))
        for method in tried:
            if method in self._given or hasattr(self.estimator, method):
                self._read[reads] = method
                return method
        model = "predictions" if self.estimator is None else type(self.estimator).__name__
        raise AttributeError(
            f"{model} has none of the following attributes: {', '.join(tried)}. "
            f"{asker!r} needs one."
        )

    def response(self, method: str) -> Any:
        """Response of a method, called once; one column per output for a multilabel estimator."""
        if method not in self.responses:
            if method in self._failed:
                raise self._failed[method]
            try:
                given, model = self._given, self.estimator
                response = given[method] if method in given else getattr(model, method)(self.X)
            except Exception as error:  # raised again for every other metric
                self._failed[method] = error
                raise
            if method != "predict" and type(response) is not np.ndarray:
                check_response(response, self.classes, method)
                response = _by_output(response, self.classes)
            self.responses[method] = response
        return self.responses[method]

    def columns(self, method: str) -> Any:
        """Response of a method, unless its columns are the pairs of three classes."""
        if method not in self._columns:
            response = self.response(method)
            if method == "decision_function" and len(self.known or ()) == 3:
                values, predict = read_array(method, response), partial(self.response, "predict")
                try:
                    check_pairs(self.estimator, self.classes, values, predict)
                except ValueError:
                    del self.responses[method]  # nor may anyone read what is stored
                    raise
            self._columns[method] = response
        return self._columns[method]

    def by_class(self, method: str, classes: list[Any]) -> Array:
        """Response of a method with a column for each of these classes, (n, K), matched by name.

        A class that the estimator never saw has 0.
        """
        scores, known = read_array(method, self.columns(method)), self.known or []
        if method == "decision_function" and (scores.ndim == 1 or scores.shape[1] == 1):
            decision = scores.reshape(-1)
            scores = np.column_stack([-decision, decision])
        expected = count_rows(self.X) or len(scores), len(known)
        if scores.shape != expected:
            raise InvalidParameterError(
                f"{method} of {type(self.estimator).__name__} has to have shape {expected}, a "
                f"column for each of {known!r:.60}, got {scores.shape}."
            )
        padded = np.column_stack([scores, np.zeros(len(scores), dtype=scores.dtype)])
        return padded[:, [known.index(label) if label in known else -1 for label in classes]]

    # ----------------------------------------------------------------------- views

    def labels(self, method: str = "predict", *, absolute: bool = False) -> Labels:
        """Checked true and predicted labels; ``absolute`` keeps the unit of the weights."""
        labels = self.views.get("labels")
        if labels is None or (absolute and not labels.absolute):
            labels = self.views["labels"] = Labels.check(
                self.y_true,
                self.columns(method),
                sample_weight=self.sample_weight,
                absolute=absolute,
            )
        return labels

    @cached_property
    def target(self) -> MatchedLabels | None:
        """True labels compared with the classes of the model; None for multilabel data."""
        labels = self.views.get("labels")
        if labels is not None:  # encoded already
            if labels.is_multilabel:
                return None
            classes, codes, weight = labels.classes, labels.true, labels.weight
            ordered = labels.ordered
            table = labels.cache.get("confusion")
            n_rows = Counts.from_labels(labels).true if table is None else table.sum(axis=1)
        else:
            (true,), weight = read_rows(self.sample_weight, False, y_true=self.y_true)
            read = read_target(true)
            classes, codes, ordered = read.classes, read.codes, read.ordered
            if read.kind == MULTILABEL:
                return None
            if read.kind not in ("binary", "multiclass"):
                raise InvalidParameterError(f"{read.kind} format is not supported for y_true.")
            n_rows = bin_sums(codes, len(classes), None if weight is None else weight > 0)
        listed, has_rows = classes.tolist(), n_rows > 0  # rows of weight 0 do not count
        known = listed if self.known is None else self.known
        if listed == known and has_rows.all():
            return MatchedLabels(known, known, codes, [], [], weight, ordered, classes)
        present = [label for label, has in zip(listed, has_rows.tolist(), strict=True) if has]
        unseen = [label for label in present if label not in known]
        every = [*known, *unseen]
        if unseen and known == sorted(known):
            every = sorted(every)
        if every != listed:
            codes = find_labels(classes, objects(every))[codes]
            classes = read_labels(every)
        lacking = [label for label in known if label not in present]
        return MatchedLabels(every, known, codes, unseen, lacking, weight, ordered, classes)

    def scores(self, method: str, positive: Any = None) -> Scores:
        """Checked scores, a column for each class of the model.

        For two classes they are the scores of ``positive``, by default the second class. Rows of
        classes that the model never saw raise; `with_unseen` gives these classes the lowest score.
        """
        key = ("scores", method, positive)
        if key in self.views:
            return self.views[key]
        target, response = self.target, self.columns(method)
        shared = self.views.get(("probabilities", positive))
        if target is None:
            scores = Scores.check(self.y_true, response, sample_weight=self.sample_weight)
        elif shared is not None and method == "predict_proba" and not target.unseen:
            scores = shared.as_scores()
        else:
            known = target.known
            is_last = len(known) != 2 or positive in (None, known[1])
            order = known if is_last else known[::-1]
            weight, codes, score = target.matched(response, method, order)
            score = positive_column(score, known, positive)
            kind = "binary" if len(known) == 2 else "multiclass"
            scores = Scores(kind, target.array_of(order), codes, score, weight)
        self.views[key] = scores
        return scores

    def with_unseen(self, method: str) -> Scores:
        """Scores of every class; those of classes that the model never saw are the lowest."""
        target = self.target
        if target is None:
            raise InvalidParameterError("y_true is multilabel: one label per row is needed.")
        weight, codes, score = target.matched(self.columns(method), method, target.every)
        if score.ndim == 1:
            score = np.column_stack([-score, score])
        lowest = score.min()
        below = lowest - 1 if score.dtype == np.int64 else np.nextafter(lowest, -np.inf)
        full = np.full((len(codes), len(target.every)), below, dtype=score.dtype)
        full[:, find_labels(objects(target.known), objects(target.every))] = score
        return Scores("multiclass", target.class_array, codes, full, weight)

    def probabilities(self, method: str, positive: Any = None, labels: Any = None) -> Probabilities:
        """Checked probabilities; a class that the model never saw has probability 0.

        The ``positive`` one of two classes goes last; ``labels`` sets the order of all classes.
        """
        key: Hashable = ("probabilities", positive)
        if labels is not None:
            key = ("probabilities", positive, *labels)
        if key not in self.views:
            self.views[key] = self._probabilities(method, positive, labels)
        return self.views[key]

    def _probabilities(self, method: str, positive: Any, labels: Any) -> Probabilities:
        target, response = self.target, self.columns(method)
        if target is None:
            weight = self.sample_weight
            return Probabilities.check(self.y_true, response, sample_weight=weight, tell=False)
        order = target.every if labels is None else list(labels)
        if labels is None:
            is_last = len(order) != 2 or positive in (None, order[1])
            order = order if is_last else order[::-1]
        elif set(order) != set(target.every):
            raise InvalidParameterError(
                f"labels must hold the classes {target.every}, got {order}."
            )
        weight, codes, proba = target.matched(response, "predict_proba", order, columns_only=True)
        if order != target.known:
            known, proba = proba, np.zeros((len(codes), len(order)), dtype=proba.dtype)
            proba[:, find_labels(objects(target.known), objects(order))] = known
        named = Probabilities.of_codes(target.array_of(order), codes, proba, weight)
        named.cache["ordered"] = labels is not None or target.ordered
        return named


def _by_output(response: Any, classes: Any) -> Any:
    """Probability of 1 for each output; an output with one class in training has one column."""
    if not isinstance(response, list) or not response or np.ndim(response[0]) != 2:
        return response
    columns = []
    for k, output in enumerate(response):
        labels = list(classes[k]) if isinstance(classes, list) else [0, 1]
        if len(labels) != np.shape(output)[1] or 1 in labels:
            position = labels.index(1) if 1 in labels else -1
            columns.append(read_array("y_score", output)[:, position])
        else:
            columns.append(np.zeros(len(output)))
    return np.column_stack(columns)
