"""Checks that keep kernels from counting invalid codes."""

from __future__ import annotations

import numpy as np

from skmetrics_ext.numeric import Array


def check_codes(codes: Array, n_classes: int, *others: Array | None) -> None:
    """Refuse codes outside the classes, and columns of other lengths than the codes.

    Otherwise codes would be counted for the wrong class, or ignored.
    """
    if type(codes) is not np.ndarray or codes.dtype != np.int64 or codes.ndim != 1:
        raise TypeError(f"codes must be a column of int64, got {codes!r:.60}.")
    n_rows = len(codes)
    for other in others:
        if other is None:
            continue
        if type(other) is not np.ndarray:
            raise TypeError(f"Columns must be plain arrays, got {type(other).__name__}.")
        if len(other) != n_rows:
            raise ValueError(f"Columns of {n_rows} and {len(other)} rows.")
    # Read as unsigned, a negative code is large.
    if n_rows and not codes.view(np.uint64).max() < n_classes:
        raise ValueError(f"codes must be from 0 to {n_classes - 1}.")
