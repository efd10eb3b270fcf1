"""Fields of frozen values, which people may give as lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.errors import InvalidParameterError
from skmetrics_ext.validation.labels import read_labels
from skmetrics_ext.validation.score_values import read_scores_of
from skmetrics_ext.validation.tables import check_weights, read_exact

EXACT = "lqdD"  # int64, float64, and complex128 of derivatives
_TYPES = np.typecodes


def _array_of(owner: Any, name: str, types: str, read: Callable[[Any, str], Array]) -> Array:
    """A field that is an array of one of these types from here on."""
    values: Array = getattr(owner, name)
    if type(values) is not np.ndarray or values.dtype.char not in types:
        values = read(values, name)
        object.__setattr__(owner, name, values)
    return values


def weights_of(owner: Any, name: str) -> Array:
    """A field that holds weights, an array of int64 or float64 from here on."""
    values = _array_of(owner, name, EXACT, read_exact)
    check_weights(name, values)
    return values


def numbers_of(owner: Any, name: str) -> Array:
    """A field that holds any numbers, an array from here on."""
    return _array_of(owner, name, f"?{_TYPES['AllInteger']}{_TYPES['AllFloat']}", read_exact)


def scores_of(owner: Any, name: str) -> Array:
    """A field that holds scores, in a dtype that tells them apart."""
    return _array_of(owner, name, _TYPES["AllInteger"] + _TYPES["Float"], read_scores_of)


def labels_of(owner: Any, name: str) -> Array:
    """A field that names classes, each once."""
    values = _array_of(owner, name, _TYPES["All"], read_labels)
    if values.ndim != 1 or len(set(values.tolist())) < len(values):
        found = values.tolist()
        raise InvalidParameterError(f"{name} must name each class once, got {found!r:.80}.")
    return values


def misshapen(name: str, values: Any, wanted: str) -> InvalidParameterError:
    """The error that the shape of a field does not fit those of the others."""
    return InvalidParameterError(f"{name} must be of shape {wanted}, got {np.shape(values)}.")


def read_points(owner: Any) -> None:
    """All fields that are said to be arrays, as arrays."""
    for field in fields(owner):
        if field.type == "Array":
            values = numbers_of(owner, field.name)
            if values.ndim != 1:
                raise misshapen(field.name, values, "(n_points,)")
