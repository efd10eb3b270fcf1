"""Array fields of frozen dataclasses, which accept lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.errors import InvalidParameterError
from skmetrics_ext.validation.labels import read_labels
from skmetrics_ext.validation.scores import read_scores_of
from skmetrics_ext.validation.tables import check_weights, read_exact

EXACT = "lqdD"  # int64, float64, and complex128 of derivatives
_TYPES = np.typecodes


def _array_of(owner: Any, name: str, types: str, read: Callable[[Any, str], Array]) -> Array:
    """A field as an array of one of these types; the field is replaced if necessary."""
    values: Array = getattr(owner, name)
    if type(values) is not np.ndarray or values.dtype.char not in types:
        values = read(values, name)
        object.__setattr__(owner, name, values)
    return values


def weights_of(owner: Any, name: str) -> Array:
    """A field of weights as an array of int64 or float64."""
    values = _array_of(owner, name, EXACT, read_exact)
    check_weights(name, values)
    return values


def numbers_of(owner: Any, name: str) -> Array:
    """A field of any numbers as an array."""
    return _array_of(owner, name, f"?{_TYPES['AllInteger']}{_TYPES['AllFloat']}", read_exact)


def scores_of(owner: Any, name: str) -> Array:
    """A field of scores as an array, in a dtype that keeps them distinct."""
    return _array_of(owner, name, _TYPES["AllInteger"] + _TYPES["Float"], read_scores_of)


def labels_of(owner: Any, name: str) -> Array:
    """A field of distinct classes as an array."""
    values = _array_of(owner, name, _TYPES["All"], read_labels)
    if values.ndim != 1 or len(set(values.tolist())) < len(values):
        raise InvalidParameterError(
            f"{name} must name each class once, got {values.tolist()!r:.80}."
        )
    return values


def shape_error(name: str, values: Any, wanted: str) -> InvalidParameterError:
    """Error for a field whose shape does not match the other fields."""
    return InvalidParameterError(f"{name} must be of shape {wanted}, got {np.shape(values)}.")


def read_points(owner: Any) -> None:
    """Convert all fields annotated as arrays to one-dimensional arrays."""
    for field in fields(owner):
        if field.type == "Array":
            values = numbers_of(owner, field.name)
            if values.ndim != 1:
                raise shape_error(field.name, values, "(n_points,)")
