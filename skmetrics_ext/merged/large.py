"""Counts of so many rows that a product of two of them is beyond int64."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array

_MOST_FACTOR = 1 << 31
_MOST_INTEGER = (1 << 63) - 1


def as_factors(counts: Array, total: Any = None) -> Array:
    """Counts that kernels may multiply: float64 where int64 would overflow, exact up to 2**53."""
    if counts.dtype.kind == "f" or (counts.sum() if total is None else total) < _MOST_FACTOR:
        return counts
    return counts.astype(np.float64)


def dot(left: Array, right: Array) -> Any:
    """Sum of products, exact for integers of any size."""
    if left.dtype.kind == "f" or not len(left):
        return (left * right).sum().item()
    if int(left.sum()) * int(right.max()) > _MOST_INTEGER:
        return int((left.astype(object) * right.astype(object)).sum())
    return (left * right).sum().item()
