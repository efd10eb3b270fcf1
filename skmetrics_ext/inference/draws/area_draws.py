"""Areas under the ROC curve of many draws of the same scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.inference.draws.readings import RankReading, Reading
from skmetrics_ext.metrics.rankings.ranking_kernels import gini, roc_auc
from skmetrics_ext.numeric import Array, divide


def replicate_areas(
    counts: Array, positive: Array, negative: Array, tied: Array, before: Array
) -> Array:
    """Area of each draw (B, U) of units in rising order of their scores.

    Parameters
    ----------
    counts : ndarray of shape (B, U)
        Weight of each unit in each draw.
    positive : ndarray of int64 of shape (P,)
        Places of the units of the positive class.
    negative : ndarray of int64 of shape (U,)
        1 for units of the other class; of equal scores they come first.
    tied, before : ndarray of int64 of shape (T,)
        Places of the positive units that share their score with a negative one, and of that one.
    """
    below = np.cumsum(counts * negative, axis=1)
    own = np.take(counts, positive, axis=1)
    wins = np.einsum("bp,bp->b", own, np.take(below, positive, axis=1))
    n_pos, n_neg = own.sum(axis=1), below[:, -1]
    if len(tied):  # half of what is tied was won
        halves = np.einsum("bt,bt->b", counts[:, tied], counts[:, before])
        return divide(2 * wins - halves, 2.0 * n_pos * n_neg)
    return divide(wins, 1.0 * n_pos * n_neg)


@dataclass(frozen=True, eq=False, slots=True)
class AreaReading(Reading):
    """The area of one ranking (or 2 area - 1), its units in rising order."""

    positive: Array
    negative: Array
    tied: Array
    before: Array
    place: Array  # of the score of each unit, rising
    doubled: bool

    def statistic(self, counts: Array) -> Array:
        mass = self.units.mass(counts)
        return self._told(
            replicate_areas(mass, self.positive, self.negative, self.tied, self.before)
        )

    @property
    def draws_rows(self) -> bool:
        """Whether rows are drawn one by one and weigh the same: `of_draws` then applies."""
        return self.units.weight is None and self.units.group is None

    def of_draws(self, rng: np.random.Generator, n_draws: int, stratified: bool) -> Array:
        """Values (n_draws,) of drawn rows, which are never laid out."""
        rows = self.units.rows
        wins, n_neg, n_pos = kernels.resampled_wins(
            rng,
            np.repeat(1 - self.negative, rows),
            np.repeat(self.place, rows),
            n_draws,
            stratified,
        )
        return self._told(divide(wins, 2 * n_pos * n_neg))

    def _told(self, areas: Array) -> Array:
        return 2 * areas - 1 if self.doubled else areas


def area_reading(reading: Any) -> Any:
    """The same reading in the form that draws of areas are fast in; any other as it is."""
    if not isinstance(reading, RankReading) or len(reading.views) != 1:
        return reading
    if reading.kernel not in (roc_auc, gini):
        return reading
    n_scores = len(reading.views[0].thresholds)
    index = reading.views[0].index
    if len(np.unique(index)) < len(index):  # several units of one class and score
        return reading
    falling, marks = index % n_scores, index // n_scores
    order = np.lexsort((marks, -falling))
    marks, place = marks[order], -falling[order]
    positive = np.flatnonzero(marks)
    tied = positive[(positive > 0) & (place[positive - 1] == place[positive])]
    return AreaReading(
        reading.value,
        reading.units.ordered(order),
        positive,
        (marks == 0).astype(np.int64),
        tied,
        tied - 1,
        place,
        reading.kernel is gini,
    )
