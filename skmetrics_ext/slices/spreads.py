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


def chance_ranges(whole: Member, sizes: Sequence[float], seed: Any) -> tuple[Array, str]:
    """Largest gaps between groups that the rows of all are dealt to by chance, (N_DRAWS,).

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
    error = np.sqrt(whole.variance * whole.n_independent / np.asarray(sizes, dtype=np.float64))
    # Groups are parts of one whole, whose value they share; a gap does not feel it.
    values = rng.normal(size=(N_DRAWS, len(error))) * error
    return np.ptp(values, axis=1), "normal"


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
        values = np.asarray(reading.read(reading.tables(drawn)), dtype=np.float64)
    known = np.isfinite(values)
    high = np.where(known, values, -np.inf).max(axis=1)
    low = np.where(known, values, np.inf).min(axis=1)
    return np.where(high > low, high - low, 0.0)
