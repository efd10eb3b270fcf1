"""Fields of frozen values, which people may give as lists."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.containers import read_column
from skmetrics_ext.validation.errors import InvalidParameterError
from skmetrics_ext.validation.labels import read_labels
from skmetrics_ext.validation.score_values import score_values
from skmetrics_ext.validation.tables import check_weights, read_exact

EXACT = "lqdD"  # int64, float64, and complex128 of derivatives


def weights_of(owner: Any, name: str) -> Array:
    """A field that holds weights, an array of int64 or float64 from here on."""
    values: Array = getattr(owner, name)
    if type(values) is not np.ndarray or values.dtype.char not in EXACT:
        values = read_exact(name, values)
        object.__setattr__(owner, name, values)
    check_weights(name, values)
    return values


def numbers_of(owner: Any, name: str) -> Array:
    """A field that holds any numbers, an array from here on."""
    values = getattr(owner, name)
    if type(values) is not np.ndarray or values.dtype.kind not in "iufcb":
        values = read_exact(name, values)
        object.__setattr__(owner, name, values)
    return np.asarray(values)


def scores_of(owner: Any, name: str) -> Array:
    """A field that holds scores, in a dtype that tells them apart."""
    values = getattr(owner, name)
    if type(values) is not np.ndarray or values.dtype.kind not in "iuf":
        values = score_values(read_column(values, name))
        object.__setattr__(owner, name, values)
    return np.asarray(values)


def labels_of(owner: Any, name: str) -> Array:
    """A field that names classes, each once."""
    values = getattr(owner, name)
    if type(values) is not np.ndarray:
        values = read_labels(values, name)
        object.__setattr__(owner, name, values)
    if values.ndim != 1 or len(set(values.tolist())) < len(values):
        found = values.tolist()
        raise InvalidParameterError(f"{name} must name each class once, got {found!r:.80}.")
    return np.asarray(values)


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
