"""Grades: ordered classes and the distances between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import Tabulated
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import read_numbers

_PASS = "pass labels= in rising order, or ordered categoricals of one order"


def check_order(tally: Tabulated, alike: int = 2) -> None:
    """Refuse text without a declared order: the alphabet is no order of grades.

    Up to ``alike`` classes are accepted in any order: two are one step apart in both.
    """
    if tally.ordered is None:
        raise InvalidParameterError(
            "y_true and y_pred are ordered categoricals that put the classes "
            f"{tally.classes[:10].tolist()} in conflicting orders: {_PASS}."
        )
    if not tally.ordered and len(tally.classes) > alike and tally.classes.dtype.kind not in "biuf":
        raise InvalidParameterError(
            f"y_true holds text, {tally.classes[:10].tolist()}, which has no order: {_PASS}."
        )


def grades_of(tally: Tabulated) -> Array:
    """Grades of classes in their order: the numbers themselves, or steps of a declared order."""
    check_order(tally, alike=0)
    if tally.ordered:
        return np.arange(len(tally.classes), dtype=np.float64)
    return tally.classes.astype(np.float64)


def read_grades(grades: Any, n_classes: int) -> Array:
    if grades is None:
        return np.arange(n_classes)
    positions = read_numbers("grades", grades)
    if positions.shape != (n_classes,) or not np.isfinite(positions).all():
        raise InvalidParameterError(
            f"grades must hold one finite number for each of the {n_classes} classes, got "
            f"{grades!r:.60} of shape {positions.shape}."
        )
    return positions


def numbers_of(tally: Tabulated, grades: Any) -> Array:
    """Grades that were stated; else the classes if they are numbers, else their steps."""
    if grades is None and tally.classes.dtype.kind in "biuf":
        return tally.classes.astype(np.float64)
    return read_grades(grades, len(tally.classes))


def disagreement(
    weights: Any, grades: Array, options: tuple[str | None, ...] = ("linear", "quadratic", None)
) -> Array:
    distance = np.abs(grades[:, None] - grades)
    if isinstance(weights, str):
        check_option("weights", weights, options)
        if weights == "ordinal":  # pairs of classes in the range of both
            return distance * (distance + 1) / 2
        return distance if weights == "linear" else distance**2
    matrix = read_numbers("weights", weights)
    valid = matrix.shape == distance.shape and bool(np.isfinite(matrix).all())
    if not valid or matrix.diagonal().any() or (matrix < 0).any():
        raise InvalidParameterError(
            "weights has to be 'linear', 'quadratic', None or a finite matrix of shape "
            f"{distance.shape} that is not negative and 0 on its diagonal; got shape "
            f"{matrix.shape}."
        )
    return matrix
