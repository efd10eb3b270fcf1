"""Metrics of rankings of what is drawn: scores are sorted once, and draws are weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.inference.draws.readings import Reading, TallyReading
from skmetrics_ext.inference.draws.units import Scatter, Units
from skmetrics_ext.metrics.averaging import RankKernel
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import RankTally


def is_area(metric: Metric) -> bool:
    """Whether the metric is a whole area under the ROC curve, or linear in it."""
    return (
        metric.row is not None
        and metric.row.interval == "logit"
        and metric.params.get("max_fpr") in (None, 1)
    )


@dataclass(frozen=True, eq=False, slots=True)
class View:
    """Scores of one class, sorted: where each unit stands among the distinct ones."""

    thresholds: Array
    index: Array  # of each unit, into both classes by the distinct scores
    scatter: Scatter

    @classmethod
    def make(cls, score: Array, marks: Array) -> View:
        rising, place = np.unique(score, return_inverse=True)
        falling = len(rising) - 1 - place.reshape(-1)
        index = marks.astype(np.int64) * len(rising) + falling
        # + 0 turns -0.0 into 0.0: they are one score.
        return cls(rising[::-1] + 0, index, Scatter(index, 2 * len(rising)))

    def tally(self, mass: Array) -> RankTally:
        """Both classes along the scores, of units of so much weight (..., U)."""
        both = self.scatter(mass)
        return RankTally(self.thresholds, both.reshape(*mass.shape[:-1], 2, len(self.thresholds)))


@dataclass(frozen=True, eq=False)
class DrawnRankings:
    """The rankings of draws: of the positive class alone, or of every class against the rest."""

    tallies: tuple[RankTally, ...]

    @property
    def binary(self) -> bool:
        return len(self.tallies) == 1

    @property
    def n_classes(self) -> int:
        return len(self.tallies)

    @property
    def support(self) -> Array:
        """Weight of each class, (..., K)."""
        return np.stack([tally.positive.sum(axis=-1) for tally in self.tallies], axis=-1)

    def value(self, kernel: RankKernel, code: int) -> Array:
        """The kernel of one class against the rest, (...)."""
        return np.asarray(kernel(self.tallies[0 if self.binary else code]))


class RankReading(TallyReading):
    """A metric of rankings: of one, or of one for each class against the rest."""

    @cached_property
    def units(self) -> Units:
        scores = self.data
        if scores.kind != "binary":
            return Units.of_rows(len(scores.true), self.facts, self.label)
        place = np.unique(scores.score, return_inverse=True)[1].reshape(-1)
        return Units.alike(self.facts, scores.true, place, scores.true)

    @cached_property
    def views(self) -> tuple[View, ...]:
        """The sorted scores of the positive class, or of each class."""
        scores, first = self.data, self.units.first
        if scores.kind == "binary":
            return (View.make(scores.score[first], scores.true[first]),)
        columns = zip(scores.score[first].T, scores.marks()[first].T, strict=True)
        return tuple(View.make(score, marks) for score, marks in columns)

    def tally(self, counts: Array) -> DrawnRankings:
        mass = self.units.mass(counts)
        return DrawnRankings(tuple(view.tally(mass) for view in self.views))

    @property
    def for_draws(self) -> Reading:
        if not is_area(self.metric) or len(self.views) > 1:
            return self
        index = self.views[0].index
        if len(np.unique(index)) < len(index):  # several units of one class and score
            return self
        return AreaReading(self.metric, self.value, self)


# --------------------------------------------------------------------------- areas of many draws


@dataclass(frozen=True, eq=False)
class AreaReading(Reading):
    """What is linear in the area of one ranking, whose units have a class and score each."""

    ranking: RankReading

    @cached_property
    def _rising(self) -> tuple[Array, Array, Array]:
        """Units by rising scores, of equal ones the negative first; their classes and scores."""
        view = self.ranking.views[0]
        marks, falling = np.divmod(view.index, len(view.thresholds))
        order = np.lexsort((marks, -falling))
        return order, marks[order], -falling[order]

    @cached_property
    def units(self) -> Units:
        return self.ranking.units.ordered(self._rising[0])

    @cached_property
    def _places(self) -> tuple[Array, Array]:
        """Units of the positive class, and those of them whose score a negative one has too."""
        _, marks, score = self._rising
        positive = np.flatnonzero(marks)
        return positive, positive[(positive > 0) & (score[positive - 1] == score[positive])]

    def statistic(self, counts: Array) -> Array:
        positive, tied = self._places
        mass = self.units.mass(counts)
        return self._told(replicate_areas(mass, positive, 1 - self._rising[1], tied))

    def of_draws(self, rng: np.random.Generator, n_draws: int, stratified: bool) -> Array:
        units = self.units
        if units.weight is not None or not units.is_plain:
            return super().of_draws(rng, n_draws, stratified)
        # Rows are drawn one by one and weigh the same: they are never laid out.
        marks, score = (np.repeat(one, units.rows) for one in self._rising[1:])
        wins, n_neg, n_pos = kernels.resampled_wins(rng, marks, score, n_draws, stratified)
        return self._told(divide(wins, 2 * n_pos * n_neg))

    def _told(self, areas: Array) -> Array:
        low, high = self.metric.spec.bounds
        return low + (high - low) * areas


def replicate_areas(counts: Array, positive: Array, negative: Array, tied: Array) -> Array:
    """Area of each draw (B, U) of units in rising order of their scores.

    Parameters
    ----------
    counts : ndarray of shape (B, U)
        Weight of each unit in each draw.
    positive : ndarray of int64 of shape (P,)
        Places of the units of the positive class.
    negative : ndarray of int64 of shape (U,)
        1 for units of the other class; of equal scores they come first.
    tied : ndarray of int64 of shape (T,)
        Places of the positive units that share their score with the negative one before them.
    """
    below = np.cumsum(counts * negative, axis=1)
    own = np.take(counts, positive, axis=1)
    wins = np.einsum("bp,bp->b", own, np.take(below, positive, axis=1))
    n_pos, n_neg = own.sum(axis=1), below[:, -1]
    if len(tied):  # half of what is tied was won
        halves = np.einsum("bt,bt->b", counts[:, tied], counts[:, tied - 1])
        return divide(2 * wins - halves, 2.0 * n_pos * n_neg)
    return divide(wins, 1.0 * n_pos * n_neg)
