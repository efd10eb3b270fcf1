"""Labels that have a given confusion table."""

from __future__ import annotations

import numpy as np

# TN 4, FP 1, FN 2, TP 3: no two cells alike, so that a mix-up shows.
BINARY = [[4, 1], [2, 3]]
# Of the teaching notes: 21 samples, and margins that are alike.
TWENTY_ONE = [[4, 3, 1], [2, 3, 3], [2, 2, 1]]


def written_out(table: object) -> tuple[np.ndarray, np.ndarray]:
    """True and predicted labels 0..K-1, one row per count (rows of the table are true)."""
    counts = np.asarray(table)
    true, pred = np.indices(counts.shape)
    return np.repeat(true.ravel(), counts.ravel()), np.repeat(pred.ravel(), counts.ravel())
