"""The largest gap that groups show which differ by chance only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import seed_sequence
from skmetrics_ext.inference.draws.rankings import RankReading
from skmetrics_ext.inference.draws.readings import (
    MomentReading,
    TableReading,
    TallyReading,
    some_rows,
)
from skmetrics_ext.inference.draws.units import RowFacts
from skmetrics_ext.numeric import Array
from skmetrics_ext.slices.members import Member

N_DRAWS = 1_999
_MOST_CELLS = 4_000  # of all groups, each of which takes a draw
_MOST_ROWS = 10**9  # that NumPy deals
_FEW_ROWS = 100  # of a group whose value is not yet normal
_AT_ONCE = 32  # draws of few rows that are read together


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
    or clusters, leaves of that of all; but of a few rows, which are drawn where they are held.
    """
    rng = np.random.default_rng(seed_sequence(seed))
    reading, total = whole.reading, sum(sizes)
    if (
        isinstance(reading, TableReading)
        and len(sizes) * len(reading.units) <= _MOST_CELLS
        and total < _MOST_ROWS
    ):
        return _of_tables(reading, np.asarray(sizes, dtype=np.int64), rng), "permutation"
    # Groups are parts of one whole, whose value they share; a gap does not feel it.
    error = errors_of_equal(whole, sizes)
    values = rng.normal(size=(N_DRAWS, len(error))) * error
    few = [group for group, size in enumerate(sizes) if size <= _FEW_ROWS]
    if not few or not isinstance(reading, RankReading | MomentReading):
        return values, "normal"
    found = {size: _of_few_rows(reading, int(size), rng) for size in {sizes[g] for g in few}}
    for group in few:
        values[:, group] = rng.permutation(found[sizes[group]]) - whole.value
    return values, "bootstrap"


def _of_few_rows(reading: TallyReading, size: int, rng: np.random.Generator) -> Array:
    """Values of so many rows drawn from all, (N_DRAWS,), of those that have one."""
    seen = reading.facts.sizes
    n_rows = len(reading.data.true) if seen is None else int(seen.sum())
    drawn = rng.integers(0, n_rows, (N_DRAWS, size))
    if seen is not None:
        drawn = np.searchsorted(np.cumsum(seen), drawn, side="right")
    parts = [drawn[start : start + _AT_ONCE] for start in range(0, N_DRAWS, _AT_ONCE)]
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.concatenate([_drawn_values(reading, part) for part in parts])
    known = np.isfinite(values)
    values[~known] = rng.choice(values[known], np.count_nonzero(~known)) if known.any() else 0.0
    return values


def _drawn_values(reading: TallyReading, drawn: Array) -> Array:
    """Values of draws of rows (B, m): what none of them holds is left out. nan without a class."""
    rows, place = np.unique(drawn, return_inverse=True)
    own = replace(reading, data=some_rows(reading.data, rows), facts=RowFacts())
    units, n_draws = own.units, len(drawn)
    cell = np.arange(n_draws)[:, None] * len(units) + units.of_row[place.reshape(drawn.shape)]
    counts = np.bincount(cell.reshape(-1), minlength=n_draws * len(units))
    counts = counts.reshape(n_draws, len(units))
    values = np.asarray(own.statistic(counts), dtype=np.float64)
    if isinstance(own, RankReading):
        classes = np.stack([counts[:, units.label == k].sum(axis=1) for k in _classes(reading)])
        values[(classes == 0).any(axis=0)] = np.nan
    return values


def _classes(reading: TallyReading) -> range:
    return range(len(reading.data.classes))


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
