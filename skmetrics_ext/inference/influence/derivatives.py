"""Exact derivatives of kernels by complex steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from skmetrics_ext.numeric import Array

ReadTables = Callable[[Array], Array]

# The imaginary step: its square is lost beside any count, so the derivative is exact.
STEP = 1e-60
_CELLS = 1 << 17  # numbers that are held at once


def gradient(read: ReadTables, tables: Array) -> Array:
    """Derivative of a metric (..., *S) by every cell of its tables: (..., *S, K, K).

    By complex steps, which are exact; 0 for cells that are empty in all tables.
    """
    return value_and_gradient(read, tables)[1]


def value_and_gradient(read: ReadTables, tables: Array) -> tuple[Array, Array]:
    """The metric of tables, where it is finite, and its derivative."""
    n_classes = tables.shape[-1]
    occupied = np.argwhere((tables != 0).reshape(-1, n_classes, n_classes).any(axis=0))
    base = tables.astype(np.complex128)
    slopes, size = [], max(_CELLS // base.size, 1)
    for start in range(0, len(occupied), size):
        part = occupied[start : start + size]
        steps = np.zeros((len(part), n_classes, n_classes), dtype=np.complex128)
        steps[np.arange(len(part)), part[:, 0], part[:, 1]] = 1j * STEP
        moved = base + steps.reshape(len(part), *(1,) * (tables.ndim - 2), n_classes, n_classes)
        values = read(moved)
        slope = values.imag / STEP
        slopes.append(np.where(np.isfinite(slope), slope, np.nan))  # nan of an infinite value
    joined = np.moveaxis(np.concatenate(slopes), 0, -1)
    out = np.zeros((*joined.shape[:-1], n_classes, n_classes))
    out[..., occupied[:, 0], occupied[:, 1]] = joined
    return values[0].real, out
