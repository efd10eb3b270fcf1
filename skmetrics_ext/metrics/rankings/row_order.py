"""The labels of each row in the order of their scores; equal scores are a run.

Rows lie one after the other in flat arrays: what is summed within rows needs no loop over them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from skmetrics_ext.numeric import Array, parts

_CELLS = 1 << 15  # of which the temporaries stay in the cache


def ascending(score: Array) -> Array:
    """Flat places of a matrix, row by row, from the lowest score of the row to the highest."""
    order = np.argsort(score, axis=1)
    order += np.arange(0, score.size, score.shape[1])[:, None]
    return order.reshape(-1)


def run_starts(ranked: Array, n_labels: int) -> Array:
    """Where runs of equal scores begin in ranked rows; none goes on into the next row."""
    new = np.empty(len(ranked), dtype=bool)
    np.not_equal(ranked[1:], ranked[:-1], out=new[1:])
    new[::n_labels] = True
    return np.flatnonzero(new)


def by_rows(function: Callable[[Array, Array], Array], true: Array, score: Array) -> Array:
    """Value of each row, as a column, a few rows at a time."""
    n_rows, n_labels = score.shape
    values = np.empty((n_rows, 1))
    for part in parts(n_rows, max(1, _CELLS // n_labels)):
        values[part, 0] = function(true[part], score[part])
    return values
