"""Names of columns that are classes: they match the order of the columns, or are refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from skmetrics_ext.validation.errors import InvalidParameterError, shown_labels

Names = Sequence[Any] | None

_OF_PROBABILITIES = "p|pr|probs?|proba|probability|predict_proba"
_OF_SCORES = f"{_OF_PROBABILITIES}|scores?|risk|pred|prediction|predicted"
# Below this share of rows the largest of three columns is not the predicted class; ties and tuned
# thresholds cost less, or few rows show nothing.
_AGREEMENT, _ENOUGH = 0.9, 10
_NAMELESS = "pass an array without names if these are not names of classes"


def names_of(data: Any) -> Names:
    """Names of the columns of a data frame or series; None without names.

    The default names of pandas, 0, 1, 2, ..., are no names.
    """
    if hasattr(data, "collect"):  # a lazy frame, which is refused where it is read
        return None
    names = getattr(data, "column_names", getattr(data, "columns", None))
    if names is None:
        name = getattr(data, "name", None)
        return None if name is None else [name]
    if type(names).__name__ == "RangeIndex" and (names.start, names.step) == (0, 1):
        return None
    return list(names)


def check_names(
    names: Names,
    classes: Iterable[Any],
    what: str,
    others: Iterable[Any] = (),
    instead: str = _NAMELESS,
) -> None:
    """Refuse column names that are classes in another order than the columns are read in.

    Names that are not classes are ignored, and so are numbers from 0 that are not the classes.

    Parameters
    ----------
    names : sequence or None
    classes : iterable
        The class that each column is read as; None if unknown.
    what : str
        The argument.
    others : iterable
        Classes that no column is read as.
    instead : str
        Alternative remedy, for the error.
    """
    if names is None:
        return
    expected = list(classes)
    if len(names) != len(expected):
        return  # the number of columns is checked elsewhere
    places: dict[str, int] = {}
    for place, label in enumerate([*expected, *others]):
        if label is not None:
            for spelling in _spellings(label):
                places.setdefault(spelling, place)
    named = [places.get(str(name)) for name in names]
    known = {place for place in named if place is not None}
    if not known or all(
        place == k or (place is None and label is None)
        for k, (place, label) in enumerate(zip(named, expected, strict=True))
    ):
        return
    if _is_count(names) and (len(names) == 1 or len(known) < len(names)):
        return
    read_as = "the class" if len(expected) == 1 else "the classes"
    labels = ", or pass labels= in the order of the names" if len(expected) > 2 else ""
    raise InvalidParameterError(
        f"The columns of {what} are named {shown_labels(names)}, and are read by position as "
        f"{read_as} {shown_labels(expected)}: put them in this order{labels}, or {instead}."
    )


def note_on_name(name: str, classes: Sequence[Any], positive: Any) -> str:
    """Says that the name of a column of scores ends in the class that is not positive."""
    for label in classes:
        words = _OF_SCORES if isinstance(label, str) else _OF_PROBABILITIES
        ends = "|".join(map(re.escape, _spellings(label)))
        if label != positive and re.fullmatch(rf"({words})[-._ ]({ends})", name, re.IGNORECASE):
            return (
                f"{name!r} is read as the scores of {positive!r}, and its name ends in "
                f"{label!r}: pass the column of {positive!r}, or {label!r} as the positive class"
            )
    return ""


def check_last_names(names: Names, classes: Any, what: str) -> None:
    """Like `check_names`, for columns of all classes or of the second of two."""
    if names is not None:
        listed = np.asarray(classes).tolist()
        check_names(names, listed[-len(names) :], what, listed)


def check_response(response: Any, classes: Any, what: str) -> None:
    """Refuse an estimator's response whose columns are named after its classes in another order."""
    if type(response) is np.ndarray or classes is None:
        return
    if isinstance(response, list) and isinstance(classes, list):  # one for each output
        for output, output_classes in zip(response, classes, strict=False):
            check_response(output, output_classes, what)
        return
    if np.ndim(classes) == 1:
        check_last_names(names_of(response), classes, what)


def check_pairs(estimator: Any, classes: Any, response: Any, predict: Callable[[], Any]) -> None:
    """Refuse one-vs-one decision values of three classes, which have three pairs.

    They are known by what the estimator declares, or because the votes of the pairs, and not the
    largest column, explain what it predicts.
    """
    if classes is None or len(classes) != 3 or np.shape(response)[1:] != (3,):
        return
    inner, values = _innermost(estimator), np.asarray(response)
    declared = getattr(inner, "decision_function_shape", None)
    found = f"decision_function_shape={declared!r}"
    if declared != "ovo":
        if declared is not None or len(values) < _ENOUGH or not hasattr(estimator, "predict"):
            return
        predicted, labels = np.asarray(predict()), np.asarray(classes)
        votes = np.median(np.where(values > 0, [0, 0, 1], [1, 2, 2]), axis=1).astype(int)
        share, share_of_votes = (
            np.mean(labels[codes] == predicted) if predicted.ndim == 1 else 1
            for codes in (values.argmax(axis=1), votes)
        )
        if share >= min(_AGREEMENT, share_of_votes):
            return
        found = f"the largest column is the predicted class in only {100 * share:.0f} % of the rows"
    raise InvalidParameterError(
        f"decision_function of {type(inner).__name__} returned one-vs-one values, a column for "
        f"each pair of classes ({found}), and one for each class is needed. Pass "
        "decision_function_shape='ovr' to the classifier."
    )


def _innermost(estimator: Any) -> Any:
    """The estimator that answers for a pipeline or a fitted search."""
    steps = getattr(estimator, "steps", None)
    inner = steps[-1][1] if steps else getattr(estimator, "best_estimator_", None)
    return estimator if inner is None else _innermost(inner)


def check_same_names(first: Names, other: Names, what: str, other_what: str) -> None:
    """Refuse two matrices whose columns have the same names in different orders."""
    if first is None or other is None or len(first) < 2 or len(first) != len(other):
        return
    names, other_names = list(map(str, first)), list(map(str, other))
    if names != other_names and set(names) == set(other_names):
        raise InvalidParameterError(
            f"The columns of {what} and {other_what} have the same names in another order, "
            f"{shown_labels(first)} and {shown_labels(other)}, so they do not match by position. "
            "Put them in one order, or pass .to_numpy() of both to match them by position."
        )


def _spellings(label: Any) -> set[str]:
    """Names that a column of this class may have: for 1 they are "1", "1.0" and "True"."""
    spellings = {str(label)}
    if isinstance(label, bool | np.bool_):
        spellings.add(str(int(label)))
    elif isinstance(label, int | float | np.number) and label == int(label):
        spellings |= {str(int(label)), str(float(label))}
        spellings |= {str(bool(label))} if label in (0, 1) else set()
    return spellings


def _is_count(names: Sequence[Any]) -> bool:
    return [str(name) for name in names] == [str(k) for k in range(len(names))]
