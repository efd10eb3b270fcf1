"""Rows of any container."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.containers import take_rows as take_rows


def take_params(params: Mapping[str, Any], n_samples: int | None, rows: Array) -> dict[str, Any]:
    """Parameters with one value per sample cut to the rows; others as they are."""
    return {
        key: take_rows(value, rows)
        if n_samples is not None and count_rows(value) == n_samples
        else value
        for key, value in params.items()
    }


def count_rows(data: Any) -> int | None:
    """Number of rows, or None for what has none."""
    if isinstance(data, str | bytes | Mapping):
        return None
    shape = getattr(data, "shape", None)
    if shape is not None:
        return int(shape[0]) if len(shape) else None
    return len(data) if hasattr(data, "__len__") else None


def row_numbers(rows: Any) -> Array:
    """Numbers of rows, from numbers or a mask."""
    numbers = np.asarray(rows)
    return np.flatnonzero(numbers) if numbers.dtype == bool else numbers
