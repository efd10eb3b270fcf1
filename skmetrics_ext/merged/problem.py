"""What is known of a problem before its rows are read: classes, columns, metrics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext.merged.asked import Asked
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import find
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.labels import find_labels, read_labels
from skmetrics_ext.validation.scores import show_labels


@dataclass(frozen=True, eq=False, slots=True)
class Problem:
    """Metrics, and the classes that the columns of scores belong to.

    Parameters
    ----------
    asked : tuple of Asked
    classes : ndarray of shape (K,)
        Of the codes: the negative class first where there are two. Every class that may occur.
    positive : object
        The positive class of two; None where nothing says which it is.
    n_columns : int
        Of scores: 0, 1, or one for each class.
    """

    asked: tuple[Asked, ...]
    classes: Array
    positive: Any
    n_columns: int

    def of_kind(self, *kinds: str) -> list[Asked]:
        """The metrics that are read from one kind of sums."""
        return [one for one in self.asked if one.kind in kinds]

    @property
    def reads_probabilities(self) -> bool:
        return any(one.of_probabilities for one in self.asked)

    @property
    def is_binary(self) -> bool:
        return self.n_columns < 2

    def label_params(self, one: Asked) -> dict[str, Any]:
        """Parameters of a metric of labels, the positive class among them where it is needed."""
        params = dict(one.params)
        if find(one.spec.function, params).sides == "one" and self.positive is not None:
            params["pos_label"] = self.positive
        return params


def make_problem(
    asked: Iterable[Asked], found: Array | None, labels: Any, pos_label: Any, n_columns: int
) -> Problem:
    """Decide the classes: ``labels``, or those found in the column of true labels."""
    asked = tuple(asked)
    ranked = [one for one in asked if one.kind != "tables"]
    if ranked and n_columns == 0:
        raise InvalidParameterError(
            f"{', '.join(one.name for one in ranked)} needs scores: say which column holds them."
        )
    given = None if labels is None else read_labels(labels)
    if given is not None:
        if len(set(given.tolist())) < len(given):
            raise InvalidParameterError(f"labels names a class twice: {given.tolist()}.")
        if found is not None and ranked and (find_labels(found, given) < 0).any():
            strange = found[find_labels(found, given) < 0]
            raise InvalidParameterError(
                f"true holds {show_labels(strange)}, which labels={show_labels(given)} lacks."
            )
    classes = given if given is not None else found
    if classes is None:
        classes = np.array([0, 1])
    if n_columns > 1:
        if len(classes) != n_columns:
            raise InvalidParameterError(
                f"{n_columns} columns of scores need as many classes, in their order; there are "
                f"{len(classes)}: {show_labels(classes)}. Pass labels=, the class of each column."
            )
        return Problem(asked, classes, pos_label, n_columns)
    if n_columns == 0:
        return Problem(asked, classes, _positive(classes, given, pos_label, False), 0)
    if given is None:
        classes = _both(classes)
    if len(classes) != 2:
        raise InvalidParameterError(
            f"One column of scores needs two classes, true holds {show_labels(classes)}; of more "
            "classes pass a column of scores for each."
        )
    positive = _positive(classes, given, pos_label, True)
    order = classes if classes.tolist().index(positive) == 1 else classes[::-1]
    return Problem(asked, order, positive, 1)


def _both(classes: Array) -> Array:
    """Two classes where one of 0 and 1, or of -1 and 1, occurs alone."""
    if len(classes) == 1 and classes.dtype.kind in "biuf":
        value = classes[0]
        if value in (0, 1):
            return np.array([0, 1]).astype(classes.dtype)
        if value == -1:
            return np.array([-1, 1]).astype(classes.dtype)
    if len(classes) == 1:
        raise InvalidParameterError(
            f"true holds only one class, {show_labels(classes)}: pass labels=, both of them."
        )
    return classes


def _positive(classes: Array, given: Array | None, pos_label: Any, needed: bool) -> Any:
    if pos_label is not None:
        if needed and pos_label not in classes.tolist():
            raise InvalidParameterError(
                f"pos_label={pos_label!r} is none of the classes {show_labels(classes)}."
            )
        return pos_label
    if given is not None and len(given) == 2:
        return given.tolist()[1]
    if classes.dtype.kind in "biuf" and len(classes) <= 2:
        return max(classes.tolist())
    if needed:
        raise InvalidParameterError(
            f"Which of {show_labels(classes)} is the positive class is not said: pass pos_label=."
        )
    return None
