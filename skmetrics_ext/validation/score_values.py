"""Scores of any dtype as floats in the same order, without new ties."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.containers import (
    EXACT,
    Column,
    first_not_finite,
    holds_text,
    read_column,
)
from skmetrics_ext.validation.errors import InvalidParameterError

_PLAIN = frozenset([np.dtype(np.float32), np.dtype(np.float64)])


def read_scores_of(data: Any, name: str) -> Array:
    """Scores in any container as finite floats."""
    if type(data) is np.ndarray and data.ndim and data.dtype in _PLAIN and kernels.all_finite(data):
        return data
    column = read_column(data, name)
    if column.mask is not None:
        raise InvalidParameterError(f"{name} must not be masked: leave out such rows.")
    return score_values(column)


def score_values(column: Column) -> Array:
    """Scores of a column or matrix as finite floats; int64 where floats would create ties."""
    values, name = column.values, column.name
    if column.is_sparse or column.categories is not None or values.dtype not in _PLAIN:
        values = _numbers(column)
    if not kernels.all_finite(values):
        what, row = first_not_finite(values)
        # scikit-learn's wording has no name of the argument between these two words.
        raise InvalidParameterError(f"Input contains {what}: {name}, first in row {row}.")
    return values


def check_mergeable(column: Column) -> None:
    """Refuse scores beyond float64 and int64, whose order would be lost between parts."""
    values = column.values
    if column.is_sparse or values.dtype in _PLAIN or values.dtype.kind not in "iufO":
        return
    numbers = _numbers(column)
    if (numbers.astype(object) != values.astype(object)).any():
        raise InvalidParameterError(
            f"{column.name} holds numbers of more digits than float64 has, whose order would be "
            "lost where parts are merged: round them to float64."
        )


def _numbers(column: Column) -> Array:
    """Numbers of any dtype as floats, or int64 where floats would create ties."""
    values, name = column.values, column.name
    if column.is_sparse:
        raise InvalidParameterError(
            f"{name} is a sparse matrix, and every label needs a score: pass {name}.toarray()."
        )
    if column.categories is not None or values.dtype.kind in "SUMmV":
        raise InvalidParameterError(f"{name} must hold numbers, got dtype {values.dtype}.")
    if values.dtype.kind == "c":
        raise InvalidParameterError(f"Complex data not supported in {name}.")
    if values.dtype.kind == "O":
        return _float_objects(values, name)
    if values.dtype.kind in "iu" and values.size:
        return _float_integers(values)
    if values.dtype == np.float16:
        return values.astype(np.float32)  # exact, and sorts faster
    if values.dtype.kind == "f":
        return _in_order(values)
    return values.astype(np.float64)


def _float_objects(values: Array, name: str) -> Array:
    if holds_text(values):
        raise InvalidParameterError(f"{name} must hold numbers, got text.")
    try:
        if values.size and all(type(value) is int for value in values.flat):
            return _float_integers(values)
        return _in_order(values)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidParameterError(f"{name} must hold numbers: {error}.") from error


def _float_integers(values: Array) -> Array:
    """Integers as floats, or int64 where floats would create ties."""
    low, high = int(values.min()), int(values.max())
    if low >= -EXACT and high <= EXACT:
        return values.astype(np.float64)
    if low >= -(2**63) and high < 2**63:
        return values.astype(np.int64)
    return _in_order(values)


def _in_order(values: Array) -> Array:
    """Numbers with more digits than float64 as nearby floats, distinct and in the same order."""
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float64)
    exact = values.dtype.kind in "fO" and (narrow == values).all()  # integers compare as floats
    if exact or not np.isfinite(narrow).all():
        return narrow
    distinct, place = np.unique(values, return_inverse=True)
    floats = distinct.astype(np.float64)
    # The bits of floats have their order; each is pushed above the one before it.
    bits = floats.view(np.int64)
    keys = np.where(bits < 0, np.int64(-(2**63)) - bits, bits)
    steps = np.arange(len(keys))
    keys = np.maximum.accumulate(keys - steps) + steps
    bits = np.where(keys < 0, np.int64(-(2**63)) - keys, keys)
    return np.asarray(bits.view(np.float64)[place.reshape(values.shape)])
