"""True labels and responses of one model, matched by class name and checked once.

Metrics receive checked objects (`Labels`, `Scores`, `Probabilities`) that keep their tallies, so
that any number of metrics of one model validate, sort and count once.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from skmetrics_ext.kernels import bin_sums
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import Counts
from skmetrics_ext.validation import InvalidParameterError, Labels, Probabilities, Scores
from skmetrics_ext.validation.containers import read_array
from skmetrics_ext.validation.encoding import Order, find_labels
from skmetrics_ext.validation.labels import read_labels, read_target
from skmetrics_ext.validation.positive import positive_class
from skmetrics_ext.validation.rows import read_rows
from skmetrics_ext.validation.scores import read_scores_of
from skmetrics_ext.validation.targets import MULTILABEL


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
class ModelTarget:
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

    def rows(
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


class AlignedRows:
    """True labels of the rows to score, and the responses of one model to them.

    Parameters
    ----------
    y_true : array-like
        True labels.
    classes : array-like or None
        ``classes_`` of the model; None if it has none.
    sample_weight : array-like or None
        Weight of each row.
    """

    def __init__(self, y_true: Any, classes: Any, sample_weight: Any = None) -> None:
        self.y_true = y_true
        self.sample_weight = sample_weight
        is_multilabel = isinstance(classes, list) and classes and np.ndim(classes[0]) > 0
        self.known = None if classes is None or is_multilabel else np.asarray(classes).tolist()
        self._checked: dict[Hashable, Any] = {}

    def labels(self, y_pred: Any, *, absolute: bool = False) -> Labels:
        """Checked true and predicted labels; ``absolute`` keeps the unit of the weights."""
        labels = self._checked.get("labels")
        if labels is None or (absolute and not labels.absolute):
            labels = self._checked["labels"] = Labels.check(
                self.y_true, y_pred, sample_weight=self.sample_weight, absolute=absolute
            )
        return labels

    @cached_property
    def target(self) -> ModelTarget | None:
        """True labels compared with the classes of the model; None for multilabel data."""
        labels = self._checked.get("labels")
        if labels is not None:  # encoded already
            if labels.is_multilabel:
                return None
            classes, codes, weight = labels.classes, labels.true, labels.weight
            ordered = labels.ordered
            n_rows = Counts.from_labels(labels).true  # metrics of labels need these counts too
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
            return ModelTarget(known, known, codes, [], [], weight, ordered, classes)
        present = [label for label, has in zip(listed, has_rows.tolist(), strict=True) if has]
        unseen = [label for label in present if label not in known]
        every = [*known, *unseen]
        if unseen and known == sorted(known):
            every = sorted(every)
        if every != listed:
            codes = find_labels(classes, objects(every))[codes]
            classes = read_labels(every)
        lacking = [label for label in known if label not in present]
        return ModelTarget(every, known, codes, unseen, lacking, weight, ordered, classes)

    def scores(self, method: str, response: Any, positive: Any = None) -> Scores:
        """Checked scores, a column for each class of the model.

        For two classes they are the scores of ``positive``, by default the second class. Rows of
        classes that the model never saw raise; `with_unseen` gives these classes the lowest score.
        """
        key = ("scores", method, positive)
        if key not in self._checked:
            self._checked[key] = self._scores(method, response, positive)
        return self._checked[key]

    def _scores(self, method: str, response: Any, positive: Any) -> Scores:
        target = self.target
        if target is None:
            return Scores.check(self.y_true, response, sample_weight=self.sample_weight)
        shared = self._checked.get(("probabilities", positive))
        if shared is not None and method == "predict_proba" and not target.unseen:
            return shared.as_scores()
        known = target.known
        order = _positive_last(known, positive)
        weight, codes, score = target.rows(response, method, order)
        score = positive_column(score, known, positive)
        kind = "binary" if len(known) == 2 else "multiclass"
        return Scores(kind, target.array_of(order), codes, score, weight)

    def with_unseen(self, method: str, response: Any) -> Scores:
        """Scores of every class; those of classes that the model never saw are the lowest."""
        target = self.target
        if target is None:
            raise InvalidParameterError("y_true is multilabel: one label per row is needed.")
        weight, codes, score = target.rows(response, method, target.every)
        if score.ndim == 1:
            score = np.column_stack([-score, score])
        lowest = score.min()
        below = lowest - 1 if score.dtype == np.int64 else np.nextafter(lowest, -np.inf)
        full = np.full((len(codes), len(target.every)), below, dtype=score.dtype)
        full[:, find_labels(objects(target.known), objects(target.every))] = score
        return Scores("multiclass", target.class_array, codes, full, weight)

    def probabilities(
        self, response: Any, positive: Any = None, labels: Any = None
    ) -> Probabilities:
        """Checked probabilities; a class that the model never saw has probability 0.

        The ``positive`` one of two classes goes last; ``labels`` sets the order of all classes.
        """
        key: Hashable = ("probabilities", positive)
        if labels is not None:
            key = ("probabilities", positive, *labels)
        if key not in self._checked:
            self._checked[key] = self._probabilities(response, positive, labels)
        return self._checked[key]

    def _probabilities(self, response: Any, positive: Any, labels: Any) -> Probabilities:
        target = self.target
        if target is None:
            weight = self.sample_weight
            return Probabilities.check(self.y_true, response, sample_weight=weight, tell=False)
        order = target.every if labels is None else list(labels)
        if labels is None and len(order) == 2:
            order = _positive_last(order, positive)
        elif set(order) != set(target.every):
            raise InvalidParameterError(
                f"labels must hold the classes {target.every}, got {order}."
            )
        weight, codes, proba = target.rows(response, "predict_proba", order, columns_only=True)
        if order != target.known:
            known, proba = proba, np.zeros((len(codes), len(order)), dtype=proba.dtype)
            proba[:, find_labels(objects(target.known), objects(order))] = known
        named = Probabilities.of_codes(target.array_of(order), codes, proba, weight)
        named.cache["ordered"] = labels is not None or target.ordered
        return named


def objects(labels: Sequence[Any]) -> Array:
    """An object array of the labels, whatever their types."""
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def _positive_last(classes: list[Any], positive: Any) -> list[Any]:
    if len(classes) != 2 or positive is None or positive == classes[1]:
        return classes
    return classes[::-1]
