"""The positive class of two: the only place that decides it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.errors import InvalidParameterError, spoken

# Pairs whose positive class is known by convention; no other order or name of labels tells it.
_PAIRS = ([0, 1], [-1, 1])


def natural_positive(classes: Iterable[Any]) -> Any:
    """1 of {0, 1} or {-1, 1}, True of {False, True}, also if only one of them occurs; else None."""
    listed = list(classes)
    if listed in _PAIRS:  # the usual case
        return listed[1]
    present = set(listed)
    if not present or not any(present <= set(pair) for pair in _PAIRS):
        return None
    return listed[listed.index(1)] if 1 in present else type(listed[0])(1)


def class_notes(positive: Any) -> list[str]:
    """A note naming the positive class, unless it is 1 or True."""
    return [] if positive is None or positive == 1 else [f"positive class: {positive}"]


def notes_on_confidence(lowest: float, n_predicted: int, name: str = "the scores") -> list[str]:
    """A note if no score is below 0.5, although several classes are predicted."""
    if lowest < 0.5 or n_predicted < 2:
        return []
    return [
        f"no value of {name} is below 0.5, although both classes are predicted: it may be the "
        "confidence in the predicted class; pass the probability of the positive class"
    ]


def positive_class(
    classes: Iterable[Any],
    pos_label: Any = None,
    *,
    what: str,
    either: bool = False,
    by_labels: bool = False,
) -> Any:
    """The positive class of at most two.

    Parameters
    ----------
    classes : iterable
        The classes that occur, or may occur, in order.
    pos_label : object
        The user's choice, or None.
    what : str
        The metric's name, for errors.
    either : bool
        Whether to fall back on the later class, because the value is the same for both: labels,
        or scores whose columns are matched with the classes by name.
    by_labels : bool
        Whether the caller takes ``labels`` instead of ``pos_label``, for errors.
    """
    listed = list(classes)
    if pos_label is not None:
        if not isinstance(pos_label, int | str):
            check_label(pos_label)
        if pos_label in listed:
            return listed[listed.index(pos_label)]
        if len(listed) > 1:
            raise InvalidParameterError(
                f"pos_label={pos_label!r} is not a valid label. It should be one of "
                f"{np.array(listed, dtype=object)}"
            )
        return pos_label
    natural = listed[1] if listed in _PAIRS else natural_positive(listed)
    if natural is None and either and listed:
        return listed[-1]
    if natural is None:
        options = [f"{spoken('pos_label=')}{label!r}" for label in reversed(listed)]
        if by_labels:
            options = [f"labels={order!r}" for order in (listed, listed[::-1])]
        passed = " or ".join(options)
        raise InvalidParameterError(f"{what} needs a positive class: pass {passed}.")
    return natural


def usual_positive(classes: Array, *, of_numbers: bool = False) -> Any:
    """The positive class by scikit-learn's rule, with its error.

    For labels other than {0, 1} and {-1, 1} its Brier score takes the greater of two numbers
    (``of_numbers``), and its curves refuse.
    """
    listed = classes.tolist()
    natural = natural_positive(listed)
    if natural is None and of_numbers and classes.dtype.kind in "biuf":
        return listed[-1]
    if natural is None:
        raise InvalidParameterError(
            f"y_true takes value in {{{', '.join(map(repr, listed))}}} and pos_label is not "
            "specified: either make y_true take value in {0, 1} or {-1, 1} or pass pos_label "
            "explicitly."
        )
    return natural


def positive_of(
    classes: Array, labels: Any, pos_label: Any, side: str, what: str, n_columns: int = 1
) -> Any:
    """The positive class: ``pos_label``, the second of ``labels``, or by the rule of a side.

    ``side`` is "one" for metrics of one class; "either" for values that are the same from both
    sides, where only a single column has to be assigned to a class; "greater" for scikit-learn's
    rule for the area under the ROC curve, or "numbers" for that of its Brier score.
    """
    listed = classes.tolist()
    if pos_label is None and labels is not None:
        return listed[1]
    if pos_label is None and side == "numbers":
        return usual_positive(classes, of_numbers=True)
    either = side == "greater" or (side == "either" and n_columns > 1)
    return positive_class(listed, pos_label, what=what, either=either)


def one_class(
    classes: Array, codes: Array, positive: Any, stated: bool = True
) -> tuple[Array, Array, int | None]:
    """Classes with the positive one last, marks of its rows, and its place among two columns.

    The positive class may have no row. With a single class the place is unknown, except that it
    is the second one where the positive class was not stated.
    """
    listed = classes.tolist()
    if len(listed) == 2 and listed[1] == positive:  # the codes mark it already
        return classes, codes, 1
    place = listed.index(positive) if positive in listed else -1
    column = place if len(listed) == 2 and place >= 0 else None
    if len(listed) == 1 and not stated:
        column = 1
    marks = (codes == place).astype(np.int64)
    if place >= 0:
        classes = np.append(np.delete(classes, place), classes[place])
    return classes, marks, column


def check_label(pos_label: Any) -> None:
    """Refuse values that cannot be a label."""
    if not isinstance(pos_label, int | str) and np.ndim(pos_label) != 0:
        raise InvalidParameterError(f"pos_label must be one label, got {pos_label!r:.60}.")


def usual_pair(labels: Iterable[Any], pos_label: Any = None) -> tuple[list[Any], bool]:
    """The conventional pair of classes of these labels, negative first, and whether it is certain.

    1 alone belongs to both pairs, and is positive in both: further rows may decide.
    """
    listed = list(labels)
    known = {*listed} if pos_label is None else {*listed, pos_label}
    for pair in _PAIRS:
        if known <= set(pair):
            return pair, pair[0] in known
    raise InvalidParameterError(
        f"y_true holds {listed[:10]}; pass labels=, the negative class and the positive one, "
        "unless they are 0 and 1."
    )
