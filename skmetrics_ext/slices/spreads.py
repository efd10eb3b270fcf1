"""The largest gap that groups show which differ by chance only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import seed_sequence
from skmetrics_ext.inference.draws.readings import TableReading
from skmetrics_ext.numeric import Array
from skmetrics_ext.slices.members import Member

N_DRAWS = 1_999
_MOST_CELLS = 4_000  # of all groups, each of which takes a draw
_MOST_ROWS = 10**9  # that NumPy deals


def errors_of_equal(whole: Member, sizes: Sequence[float]) -> Array:
    """Standard errors of groups that differ by chance only, (G,)."""
    return np.sqrt(whole.variance * whole.n_independent / np.asarray(sizes, dtype=np.float64))


def ranges_of(values: Array) -> Array:
    """Highest less lowest of values (..., G) that are known."""
    known = np.isfinite(values)
    high = np.where(known, values, -np.inf).max(axis=-1)
    low = np.where(known, values, np.inf).min(axis=-1)
    return np.where(high > low, high - low, 0.0)


def in_errors(values: Array, error: Array) -> Array:
    """Values (..., G) as standard errors away from their mean by precision.

    Their range is what the test looks at: a few rows with an extreme value do not make it.
    """
    known = np.isfinite(values) & (error > 0)
    weight = np.where(known, 1 / np.where(error > 0, error, 1.0) ** 2, 0.0)
    mean = (weight * np.where(known, values, 0.0)).sum(axis=-1) / weight.sum(axis=-1)
    return np.where(known, (values - mean[..., None]) / np.where(error > 0, error, 1.0), np.nan)


def chance_values(whole: Member, sizes: Sequence[float], seed: Any) -> tuple[Array, str]:
    """Values of groups that the rows of all are dealt to by chance, (N_DRAWS, G).

    Of tables the rows themselves are dealt: a cell's rows go to groups as drawn without
    replacement. Else the value of a group is normal, with the variance that its share of the rows,
    or clusters, leaves of that of all.
    """
    rng = np.random.default_rng(seed_sequence(seed))
    reading, total = whole.table, sum(sizes)
    if (
        reading is not None
        and len(sizes) * len(reading.units) <= _MOST_CELLS
        and total < _MOST_ROWS
    ):
        return _of_tables(reading, np.asarray(sizes, dtype=np.int64), rng), "permutation"
    # Groups are parts of one whole, whose value they share; a gap does not feel it.
    error = errors_of_equal(whole, sizes)
    return rng.normal(size=(N_DRAWS, len(error))) * error, "normal"


def _of_tables(reading: TableReading, sizes: Array, rng: np.random.Generator) -> Array:
    """Cell by cell and group by group: the others of both are left for the next."""
    counts = reading.units.rows.astype(np.int64)
    drawn = np.empty((N_DRAWS, len(sizes), len(counts)), dtype=np.int64)
    left = np.tile(counts, (N_DRAWS, 1))
    for group, size in enumerate(sizes[:-1].tolist()):
        open_, rest = np.full(N_DRAWS, size), left.sum(axis=1)
        for cell in range(len(counts)):
            own = left[:, cell]
            rest = rest - own
            taken = rng.hypergeometric(own, rest, open_)
            drawn[:, group, cell] = taken
            open_ = open_ - taken
        left -= drawn[:, group]
    drawn[:, -1] = left
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(reading.read(reading.tables(drawn)), dtype=np.float64)
