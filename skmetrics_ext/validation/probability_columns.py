"""Columns of probabilities: in [0, 1], one for each class, rows that sum to 1."""

from __future__ import annotations

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array, row_sums
from skmetrics_ext.validation.containers import Column
from skmetrics_ext.validation.errors import InvalidParameterError

# Rounding in a softmax stays well inside these; what lies further out is no probability.
_RANGE_TOLERANCE = 1e-8
_SUM_TOLERANCE = 1e-6


def in_range(columns: Array, below: str) -> Array:
    """Float64, rounding outside [0, 1] clipped."""
    low, high = kernels.value_range(columns)
    if high > 1 + _RANGE_TOLERANCE:
        raise InvalidParameterError(
            f"y_prob contains values greater than 1: {high} (the largest of y_proba)."
        )
    if low < -_RANGE_TOLERANCE:
        raise InvalidParameterError(
            f"y_prob contains values {below} 0: {low} (the smallest of y_proba)."
        )
    wide = columns.astype(np.float64, copy=False)
    return np.clip(wide, 0.0, 1.0) if high > 1 or low < 0 else wide


def probability_matrix(columns: Array) -> Array:
    """Float64 columns of all classes."""
    wide = in_range(columns, "lower than")
    if wide.ndim == 1:
        wide = wide[:, None]
    if wide.ndim != 2:
        raise InvalidParameterError(f"y_proba must be 1-D or 2-D, got shape {wide.shape}.")
    if wide.shape[1] > 1:
        return wide
    both = np.empty((len(wide), 2))
    np.subtract(1, wide[:, 0], out=both[:, 0])
    both[:, 1] = wide[:, 0]
    return both


def column_of(columns: Array, source: Column, classes: Array, place: int | None) -> Array:
    """Probabilities of one class, of two columns the one at `place`."""
    if columns.ndim == 1:
        return columns
    if columns.ndim != 2 or columns.shape[1] > 2:
        raise InvalidParameterError(
            f"y_proba of two classes is one column or two, got an array of shape {columns.shape}."
        )
    if columns.shape[1] == 1:
        return columns[:, 0]
    check_sums(columns, source)
    if place is not None:
        return columns[:, place]
    raise InvalidParameterError(
        f"y_true contains only one label ({classes[0]}) and y_proba has two columns; pass labels=, "
        "the class of each column."
    )


def check_sums(matrix: Array, source: Column | None) -> None:
    """Refuse rows that do not sum to 1, up to the rounding of half precision."""
    dtype = None if source is None else getattr(source.values, "dtype", None)
    rounding = float(np.finfo(np.float16).eps) if dtype == np.float16 else 0.0
    far = np.abs(row_sums(matrix) - 1) > max(_SUM_TOLERANCE, rounding)
    if far.any():
        row = int(np.argmax(far))
        raise InvalidParameterError(
            f"Each row of y_proba must sum to 1; row {row} sums to {matrix[row].sum():.6g}."
        )


def away_from_one(matrix: Array, eps: float) -> str:
    """Where a row is furthest from summing to 1; empty where all do."""
    away = np.abs(row_sums(matrix) - 1)
    if away.max() <= np.sqrt(eps):
        return ""
    row = int(np.argmax(away))
    return f"y_proba sums to {matrix[row].sum():.6g} in row {row}"
