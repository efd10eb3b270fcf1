"""What the values of the candidates err by, together: from rows, draws, or folds."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from skmetrics_ext.inference.draws.readings import TallyReading
from skmetrics_ext.inference.draws.units import Scatter
from skmetrics_ext.inference.influence.spread import Contributions
from skmetrics_ext.inference.selection import Noise
from skmetrics_ext.numeric import Array
from skmetrics_ext.report.fold import FoldResult
from skmetrics_ext.report.pooling import ScoredData
from skmetrics_ext.report.summary import reading_of_fold
from skmetrics_ext.scoring.scorer import Scorer, metric_of

_HELD = 1 << 27  # numbers that stay in memory; more of them go to a file
_AT_ONCE = 1 << 22
_SLOW_DRAWS = 100  # of metrics that are computed draw by draw


@dataclass(eq=False, slots=True)
class RowNoise:
    """What each row (or group) adds to the mean over folds of each candidate.

    A row adds its contribution to the value of its fold, and its share of how far that is from
    the other folds: values of few rows are not linear in them, and a fold with one row of a class
    tells nothing of its noise by itself (Bayle, Bayle, Janson & Mackey 2020, all-pairs variance).

    Parameters
    ----------
    data : ScoredData
        True labels, scorers, parameters and groups.
    metric : str
        Name of the metric.
    n_candidates, n_folds : int
        How many.
    """

    data: ScoredData
    metric: str
    n_candidates: int
    n_folds: int
    unit_of: Array = field(init=False)  # of each row of the data
    parts: Array = field(init=False)
    shares: dict[int, tuple[Array, Array]] = field(init=False, default_factory=dict)
    readings: dict[tuple[int, int], tuple[TallyReading, Array]] = field(
        init=False, default_factory=dict
    )
    why: str = field(init=False, default="")  # why rows tell nothing

    def __post_init__(self) -> None:
        grouping, n_rows = self.data.grouping, len(self.data.y)
        self.unit_of = np.arange(n_rows) if grouping is None else grouping.of_row
        shape = self.n_candidates, int(self.unit_of.max()) + 1
        self.parts = _room(shape)
        if metric_of(self.data.scorers[self.metric]) is None:
            self.why = f"{self.metric} is no metric of this package"

    @property
    def sign(self) -> int:
        """Of the scorer."""
        scorer = self.data.scorers[self.metric]
        return scorer._sign if isinstance(scorer, Scorer) else 1

    def take(self, place: int, result: FoldResult) -> None:
        """A fold of the candidate at a place."""
        value = result.values[self.metric]
        if self.why or not np.isfinite(value):
            return
        found = reading_of_fold(self.data, self.metric, result)
        if isinstance(found, str):
            self.why = found
            return
        reading, rows = found
        added = None if self.readings else Contributions.of(reading)
        if added is None:
            self.readings[place, result.fold] = found
            if self.shares:
                self.why = f"{self.metric} of some candidates has no derivative by its rows"
            return
        if result.fold not in self.shares:
            self.shares[result.fold] = rows, _shares(added)
        own = self.sign * added.of_rows()
        own += value * self.shares[result.fold][1]
        self.parts[place] += np.bincount(
            self.unit_of[rows], weights=own / self.n_folds, minlength=self.parts.shape[1]
        )

    # ----------------------------------------------------------------------- all together

    def noise(self, kept: Array, values: Array, n_draws: int, rng: np.random.Generator) -> Noise:
        """Noise of the mean values (k,) of the candidates at these places."""
        if self.readings:
            return self._of_draws(kept, n_draws, rng)
        shares = np.zeros(self.parts.shape[1])
        for rows, share in self.shares.values():
            shares += np.bincount(self.unit_of[rows], weights=share, minlength=len(shares))
        seen = np.flatnonzero(shares)
        parts = self.parts[np.ix_(kept, seen)] - np.outer(values, shares[seen] / self.n_folds)
        return Noise.of(np.sqrt(len(seen) / max(len(seen) - 1, 1)) * parts.T)

    @property
    def n_units(self) -> int:
        """Rows or groups that were predicted."""
        rows: list[Array] = [rows for rows, _ in self.shares.values()]
        rows += [rows for _, rows in self.readings.values()]
        return len(np.unique(self.unit_of[np.concatenate(rows)])) if rows else 0

    def _of_draws(self, kept: Array, n_draws: int, rng: np.random.Generator) -> Noise:
        """From draws of rows, or groups, that are the same for all candidates."""
        own = {key: found for key, found in self.readings.items() if key[0] in set(kept.tolist())}
        if any(reading.is_slow for reading, _ in own.values()):
            n_draws = min(n_draws, _SLOW_DRAWS)
        seen = np.unique(self.unit_of[np.concatenate([rows for _, rows in own.values()])])
        counts = np.zeros((n_draws, int(self.unit_of.max()) + 1), dtype=np.int32)
        counts[:, seen] = rng.multinomial(len(seen), np.full(len(seen), 1 / len(seen)), n_draws)
        sums, defined = (np.zeros((n_draws, len(kept))) for _ in range(2))
        place_of = {place: k for k, place in enumerate(kept.tolist())}
        for (place, _), (reading, rows) in own.items():
            drawn = self.sign * _drawn(reading, counts, self.unit_of[rows])
            known = np.isfinite(drawn)
            sums[:, place_of[place]] += np.where(known, drawn, 0.0)
            defined[:, place_of[place]] += known
        means = sums / np.where(defined > 0, defined, np.nan)
        apart = np.nan_to_num(means - np.nanmean(means, axis=0))
        return Noise.of(apart / np.sqrt(max(n_draws - 1, 1)))


def of_folds(splits: Array, overlap: float) -> Noise:
    """From values (k, J) of folds alone, by the variance of training sets that overlap."""
    n_folds = splits.shape[1]
    apart = splits - splits.mean(axis=1, keepdims=True)
    return Noise.of(apart.T * np.sqrt((1 / n_folds + overlap) / max(n_folds - 1, 1)))


def _shares(added: Contributions) -> Array:
    """What each row is of the weight of its class in the fold."""
    units, label = added.units, added.classes[0]
    mass = units.rows if units.weight is None else units.weight * units.rows
    total = np.bincount(label, weights=mass)
    weight = np.ones(len(units)) if units.weight is None else units.weight
    return np.asarray((weight / total[label])[units.of_row])


def _drawn(reading: TallyReading, counts: Array, unit_of: Array) -> Array:
    """A metric of rows that were drawn so often, (B,)."""
    by_unit = Scatter(reading.units.of_row, len(reading.units))
    size, found = max(_AT_ONCE // len(unit_of), 1), []
    for start in range(0, len(counts), size):
        found.append(reading.statistic(by_unit(counts[start : start + size, unit_of])))
    return np.concatenate(found)


def _room(shape: tuple[int, int]) -> Array:
    """Zeros, in a file that vanishes where they are many."""
    if shape[0] * shape[1] <= _HELD:
        return np.zeros(shape)
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, dtype=np.float32, mode="w+", shape=shape)


def told_apart(splits: Sequence[Array], variance: float) -> tuple[float, float]:
    """Of the difference of two candidates by folds: the part of rows, and what training adds."""
    apart = np.asarray(splits[0]) - np.asarray(splits[1])
    n_folds = len(apart)
    total = float(apart.var(ddof=1)) / n_folds if n_folds > 1 else 0.0
    return variance, max(total - variance, 0.0)
