"""Samples of rankings: scores are sorted once, and a draw is the weight of each class at each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.inference.draws.atoms import Atoms, Scatter
from skmetrics_ext.inference.draws.samples import RowSample, TallySample
from skmetrics_ext.metrics import averaging
from skmetrics_ext.metrics.rankings.ranking_kernels import (
    CountedRanking,
    average_precision,
    roc_auc,
)
from skmetrics_ext.metrics.rankings.score_tally import (
    placements_of,
    precision_slopes_of,
    rankings_of,
    squares_of,
)
from skmetrics_ext.metrics.spec import PlainShare
from skmetrics_ext.numeric import Array, divide, row_sums
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import Scores

Slope = Callable[[RankTally], Array]


def is_area(metric: Metric) -> bool:
    """Whether the metric is the whole area under the ROC curve, or linear in it."""
    return metric.spec.interval == "logit" and metric.params.get("max_fpr") in (None, 1)


def is_mean_area(metric: Metric) -> bool:
    """Whether the metric is linear in areas under the ROC curve of the same rows."""
    averages = ("macro", "weighted", "micro")
    return is_area(metric) and metric.params.get("average", "macro") in averages


def is_average_precision(metric: Metric) -> bool:
    """Whether the metric is average precision, whose slopes by row come with its value."""
    return metric.spec.kernel is average_precision and not metric.kernel_params


def slope_of(metric: Metric) -> Slope | None:
    """Derivative of the kernel of a metric of rankings; None if it has none."""
    slope = metric.spec.slope
    if slope is None or not metric.kernel_params:
        return slope
    return partial(slope, **metric.kernel_params)


def _kind(metric: Metric) -> str:
    if is_area(metric):
        return "area"
    return "draws" if metric.spec.slope is None else "smooth"


def sort_once(metric: Metric, checked: Any, *, by_row: bool) -> None:
    """Sort binary scores for the value and its spread at once, in all or ``by_row``."""
    if not isinstance(checked, Scores) or checked.kind != "binary":
        return
    if is_area(metric) and checked.weight is None:
        (placements_of if by_row else squares_of)(checked)
    elif is_average_precision(metric):
        precision_slopes_of(checked)


def places_of(checked: Scores) -> Array:
    """Position of each binary score among the distinct ones, from the highest; computed once."""
    if "places" not in checked.cache:
        checked.cache["places"] = _places(checked.score, RankTally.of_class(checked).thresholds)
    return np.asarray(checked.cache["places"])


def _places(score: Array, distinct: Array) -> Array:
    rows = (np.arange(len(score) + len(distinct)) < len(score)).astype(np.int64)
    # Half of a tie counts: each row has half of the distinct score that it equals below it.
    below = kernels.placements(np.concatenate([score, distinct]), rows, None)[: len(score)]
    return (len(distinct) - 0.5 - below).astype(np.int32)


@dataclass(frozen=True, eq=False)
class ScoreIndex:
    """The distinct scores of a class, falling, and the position of each atom among them.

    ``index`` is that in a flat table of two classes by distinct scores, ``kind`` that of tallies.
    """

    thresholds: Array
    index: Array
    kind: type[RankTally] = RankTally

    @classmethod
    def of_scores(cls, score: Array, marks: Array) -> ScoreIndex:
        """Index of atoms by their scores and their classes, 0 or 1."""
        rising, place = np.unique(score, return_inverse=True)
        falling = len(rising) - 1 - place.reshape(-1)
        index = marks.astype(np.int64) * len(rising) + falling
        # + 0 turns -0.0 into 0.0: they are one score.
        return cls(rising[::-1] + 0, index)

    @cached_property
    def scatter(self) -> Scatter:
        """Sums over the atoms of each class and score."""
        return Scatter(self.index, 2 * len(self.thresholds))

    def tally(self, mass: Array) -> RankTally:
        """Both classes along the scores, from the weight of each atom (..., U)."""
        shape = *mass.shape[:-1], 2, len(self.thresholds)
        return self.kind(self.thresholds, self.scatter(mass).reshape(shape))


@dataclass(frozen=True, eq=False)
class DrawnRankings:
    """The `Rankings` of draws: one of the positive class, or one of each class against the rest."""

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

    def value(self, kernel: averaging.RankKernel, code: int) -> Array:
        """The kernel of one class against the rest, (...)."""
        return np.asarray(kernel(self.tallies[0 if self.binary else code]))


class RankingSample(TallySample):
    """A metric of one ranking, or of the rankings of each class against the rest."""

    @cached_property
    def kind(self) -> str:
        kind = _kind(self.metric)
        return "draws" if kind == "smooth" and self.jumps else kind

    @cached_property
    def jumps(self) -> bool:
        """Whether the value jumps in other samples as a block of ties crosses the target.

        Then there is no derivative.
        """
        if self.metric.spec.plain_shares is None:
            return False
        if self.is_one_table:
            return len(self.plain_shares) > 1
        return any(len(self.metric.plain_shares(self._counted(i))) > 1 for i in self.indexes)

    @cached_property
    def plain_shares(self) -> list[PlainShare]:
        """Shares that one ranking may be read as in other samples, with slopes by atoms."""
        shares = self.metric.plain_shares(self._tally) if self.is_one_table else []
        return [s._replace(slope=s.slope.reshape(-1)[self.indexes[0].index]) for s in shares]

    @cached_property
    def is_one_table(self) -> bool:
        return bool(self.data.kind == "binary")

    @cached_property
    def _atoms_and_indexes(self) -> tuple[Atoms, tuple[ScoreIndex, ...]]:
        checked, design = self.data, self.design
        if not self.is_one_table:
            columns = zip(checked.score.T, checked.marks().T, strict=True)
            indexes = tuple(ScoreIndex.of_scores(score, marks) for score, marks in columns)
            return self.row_atoms, indexes
        stored = checked.cache if design.is_counted and design.sizes is None else {}
        if "atoms" not in stored:
            tally = RankTally.of_class(checked)
            n_scores = len(tally.thresholds)
            # Rising scores; of equal ones the negative class first.
            atoms, cell = Atoms.of_cells(
                design,
                lambda: np.stack([*tally.mass[:, ::-1]], axis=-1),
                lambda cell: cell & 1,
                partial(_cell_of_row, checked.score, checked.true, tally.thresholds),
            )
            index = ((cell & 1) + 1) * n_scores - 1 - (cell >> 1)
            stored["atoms"] = atoms, (ScoreIndex(tally.thresholds, index),)
        atoms_and_indexes: tuple[Atoms, tuple[ScoreIndex, ...]] = stored["atoms"]
        return atoms_and_indexes

    @cached_property
    def atoms(self) -> Atoms:
        return self._atoms_and_indexes[0]

    @cached_property
    def indexes(self) -> tuple[ScoreIndex, ...]:
        """The sorted scores of the positive class, or of each class."""
        return self._atoms_and_indexes[1]

    def tally_of_mass(self, mass: Array) -> RankTally:
        """The only ranking, from the weight of each atom (..., U)."""
        return self.indexes[0].tally(mass)

    def tally(self, counts: Array) -> DrawnRankings:
        mass = self.atoms.mass(counts)
        return DrawnRankings(tuple(index.tally(mass) for index in self.indexes))

    def slope(self) -> Array | None:
        derivative = slope_of(self.metric)
        if derivative is None:
            return None
        if self.is_one_table:
            return derivative(self._tally).reshape(-1)[self.indexes[0].index]
        slopes = np.stack([derivative(self._counted(i)).reshape(-1)[i.index] for i in self.indexes])
        mass = self.atoms.mass(self.atoms.rows)
        average = self.metric.options.get("average", averaging.MACRO)
        if average is None:
            return slopes
        if averaging.is_plain(average):
            return np.asarray(slopes.mean(axis=0))
        # The shares of the classes vary from sample to sample, like their values.
        marks = self.data.marks()
        support = np.einsum("u,uk->k", mass, marks)
        by_class = self.metric.with_params(average=None)
        values = np.nan_to_num(by_class.read(self.tally(self.atoms.rows)))
        mean = averaging.average_values(values, average, support)
        gain = np.einsum("uk,k->u", marks, values - mean) / support.sum()
        slope = averaging.average_values(np.nan_to_num(slopes.T), average, support)
        return np.asarray(slope + gain)

    def slope_by_row(self) -> tuple[Array, Array] | None:
        if not self.is_one_table or self.label is None:
            return None
        slope, derivative, label = None, slope_of(self.metric), self.data.true
        if is_area(self.metric):
            slope = self._slope_of_area()
        elif is_average_precision(self.metric):
            slope = precision_slopes_of(self.data)[2]
        elif derivative is not None:
            place = label * len(self._tally.thresholds) + places_of(self.data)
            slope = np.take(derivative(self._tally), place)
        return None if slope is None else (slope, label)

    @cached_property
    def by_class(self) -> Array:
        squares = self.squares()
        return super().by_class if squares is None else squares[1]

    def squares(self) -> tuple[Array, Array] | None:
        """Sums of squares of the contributions of each class, and its rows, from one sort."""
        is_plain = self.design.is_counted and self.design.sizes is None and not self.known
        if not (is_plain and self.is_one_table and self.label is not None):
            return None
        if is_average_precision(self.metric):
            n_positive = np.count_nonzero(self.data.true)
            rows = np.array([len(self.data.true) - n_positive, n_positive])
            return np.array(precision_slopes_of(self.data)[3]), rows
        if not is_area(self.metric):
            return None
        _, negative, positive, *squares = squares_of(self.data)
        low, high = self.metric.spec.bounds
        # Squares of twice the placements, in units of pairs.
        scale = divide(high - low, 2.0 * negative * positive)
        return scale**2 * np.array(squares), np.array([negative, positive])

    def _slope_of_area(self) -> Array | None:
        """Derivative of an area by the weight of each row, from one sort; None for one class."""
        checked, sizes = self.data, self.design.sizes
        mass = checked.weight if sizes is None else sizes
        negative, positive = kernels.bin_sums(checked.true, 2, mass).astype(np.float64).tolist()
        if not negative * positive:
            return None
        low, high = self.metric.spec.bounds
        area = (float(self.value) - low) / (high - low)
        if mass is None:
            places = placements_of(checked)
        else:
            places = kernels.placements(checked.score, checked.true, mass)
        # A positive row beats the negative ones below it, a negative row the positive ones above.
        scale = (high - low) / (negative * positive)
        slope = np.take(np.array([-scale, scale]), checked.true)
        slope *= places
        at_0 = np.array([scale * positive * (1 - area), -scale * negative * area])
        slope += np.take(at_0, checked.true)
        return np.asarray(slope)

    @cached_property
    def _tally(self) -> RankTally:
        """The only ranking, of all rows."""
        if self.label is not None and self.design.weight is self.design.sizes is None:
            return RankTally.of_class(self.data)
        return self._counted(self.indexes[0])

    def _counted(self, index: ScoreIndex) -> RankTally:
        """One of the rankings, of all rows, with the numbers of weighted ones."""
        rows = index.tally(self.atoms.rows)
        if self.atoms.weight is None:
            return rows
        mass = index.tally(self.atoms.mass(self.atoms.rows)).mass
        return CountedRanking(rows.thresholds, mass, rows.mass)

    def of_draws(self, n_draws: int, seed: np.random.SeedSequence, *, stratified: bool) -> Array:
        if not (self.is_one_table and self.design.is_counted and is_area(self.metric)):
            return super().of_draws(n_draws, seed, stratified=stratified)
        # Atoms are in the order of their scores, so that no draw is sorted.
        index = self.indexes[0]
        label, falling = np.divmod(index.index, len(index.thresholds))
        marks, score = (np.repeat(column, self.atoms.rows) for column in (label, -falling))
        rng = np.random.default_rng(seed)
        wins, n_neg, n_pos = kernels.resampled_wins(rng, marks, score, n_draws, stratified)
        low, high = self.metric.spec.bounds
        return low + (high - low) * divide(wins, 2 * n_pos * n_neg)


class RiskSample(RankingSample):
    """Rows ranked by confidence, whose errors are as random as their scores."""

    kind = "risk"
    is_heavy = True

    def ways(self) -> tuple[Array | None, ...]:
        return (None,)

    def slope_by_row(self) -> None:
        return None


def _cell_of_row(score: Array, codes: Array, distinct: Array) -> Array:
    """Position of each row among the classes at each score, from the lowest."""
    return np.asarray(2 * (len(distinct) - 1 - _places(score, distinct).astype(np.int64)) + codes)


# --------------------------------------------------------------------------- rows of rankings


class PairRankingSample(RowSample):
    """A metric of rankings that no class has alone: of pairs of classes, cells, or single rows."""

    @cached_property
    def _ranked(self) -> str:
        """The kind of its rankings, a key of ``_SLOPES``; "" if no derivative is known."""
        options = self.metric.options
        if options.get("multi_class") == "ovo" and self.data.kind == "multiclass":
            return "pairs"
        average = options.get("average", averaging.MACRO)
        return average if average in _SLOPES else ""

    @property
    def kind(self) -> str:
        return _kind(self.metric) if self._ranked or is_area(self.metric) else "draws"

    def slope(self) -> Array | None:
        derivative = slope_of(self.metric) if self._ranked else None
        return None if derivative is None else _SLOPES[self._ranked](self, derivative)


def _slope_of_cells(sample: PairRankingSample, derivative: Slope) -> Array:
    """Derivative if every cell of the scores by classes is a row of one binary problem."""
    checked = sample.all_rows
    tally = RankTally.of_cells(checked)
    place = np.searchsorted(-tally.thresholds, -checked.score)
    return np.asarray(derivative(tally)[checked.marks().astype(np.int64), place].sum(axis=1))


def _slope_of_single_rows(sample: PairRankingSample, _: Slope) -> Array:
    """Derivative of a mean over the rows of the metric of each row."""
    rankings = rankings_of(sample.all_rows).by_row()[0]
    values = np.array([float(sample.metric.kernel(ranking)) for ranking in rankings])
    mass = sample.atoms.mass(sample.atoms.rows)
    return np.asarray((np.nan_to_num(values) - sample.value) / mass.sum())


def _slope_of_pairs(sample: PairRankingSample, derivative: Slope) -> Array:
    """Derivatives of the areas of all pairs of classes, or that of a mean over the pairs."""
    checked, metric = sample.all_rows, sample.metric
    low, high = metric.spec.bounds
    average = metric.options.get("average", averaging.MACRO)
    if average is None:
        return pair_slopes(checked, derivative)
    if is_area(metric):
        return (high - low) * pair_mean_slope(checked, average)
    mass = _mass_of(checked)
    share = averaging.pair_shares(average, mass)
    upper = np.triu_indices(len(mass), 1)
    slopes = np.nan_to_num(pair_slopes(checked, derivative))
    slope = np.einsum("p,pn->n", 2 * share[upper], slopes)
    if averaging.is_by_support(average):
        areas = rankings_of(checked).pairs(metric.kernel)
        slope = slope + _slope_of_shares(checked.true, mass, share, np.where(share > 0, areas, 0.0))
    return np.asarray(slope)


_SLOPES: dict[str, Callable[[Any, Slope], Array]] = {
    averaging.MICRO: _slope_of_cells,
    averaging.SAMPLES: _slope_of_single_rows,
    "pairs": _slope_of_pairs,
}


def pair_mean_slope(checked: Scores, average: str) -> Array:
    """Derivative of a mean over pairs of classes of their areas, by the weight of each row."""
    codes = checked.true
    mass = _mass_of(checked)
    areas = rankings_of(checked).pairs(roc_auc)
    # Shares of A(i|j) in the mean; both orders of a pair are equal.
    share = averaging.pair_shares(average, mass)
    areas = np.where(share > 0, areas, 0.0)
    share_in_class = divide(1.0, mass)[codes]
    weight = share_in_class if checked.weight is None else share_in_class * checked.weight
    slope = np.zeros(len(codes))
    for k in np.flatnonzero(mass > 0):
        # The rest classes weigh as much as their areas count: one placement for row k of A.
        in_class = codes == k
        places = kernels.placements(
            checked.score[:, k],
            in_class.astype(np.int64),
            np.where(in_class, weight, weight * share[k, codes]),
        )
        slope += np.where(
            in_class,
            share_in_class * (places - (share[k] * areas[k]).sum()),
            share_in_class * share[k, codes] * (1 - places - areas[k, codes]),
        )
    if averaging.is_by_support(average):
        slope = slope + _slope_of_shares(codes, mass, share, areas)
    return slope


def _mass_of(checked: Scores) -> Array:
    """Weight of each class."""
    n_classes = len(checked.classes)
    return kernels.bin_sums(checked.true, n_classes, checked.weight).astype(np.float64)


def _slope_of_shares(codes: Array, mass: Array, share: Array, areas: Array) -> Array:
    """Derivative of a mean over pairs through the shares of the classes, by each row."""
    present = mass > 0
    both_orders = (areas + areas.T) * (present[:, None] & present) / 2
    gain = divide(row_sums(both_orders), np.count_nonzero(present) - 1.0)
    return np.asarray((gain[codes] - (share * areas).sum()) / mass.sum())


def pair_slopes(checked: Scores, derivative: Slope) -> Array:
    """Derivatives of the mean of A(i|j) and A(j|i) for each pair of classes, (K (K - 1) / 2, n)."""
    codes, score, slopes = checked.true, checked.score, []
    for pair in combinations(range(len(checked.classes)), 2):
        rows = np.flatnonzero(np.isin(codes, pair))
        weight = None if checked.weight is None else checked.weight[rows]
        slope = np.zeros(len(codes))
        for k in pair:
            marks = (codes[rows] == k).astype(np.int64)
            tally = RankTally.of_marks(score[rows, k], marks, weight)
            place = np.searchsorted(-tally.thresholds, -score[rows, k])
            slope[rows] += derivative(tally)[marks, place] / 2
        slopes.append(slope)
    return np.stack(slopes)


# --------------------------------------------------------------------------- negative weights


@dataclass(frozen=True, eq=False, slots=True)
class _SignedRanking(RankTally):
    """A ranking with negative weights, which only sums of weights allow."""

    def __post_init__(self) -> None:
        """Nothing is refused."""


class SignedRankingSample(RankingSample):
    """A metric of rankings of rows of which some have negative weights."""

    @cached_property
    def _atoms_and_indexes(self) -> tuple[Atoms, tuple[ScoreIndex, ...]]:
        checked = self.data
        columns = checked.score.reshape(len(checked.true), -1).T
        marks = [checked.true] if self.is_one_table else checked.marks().T
        indexes = tuple(
            replace(ScoreIndex.of_scores(score, mark), kind=_SignedRanking)
            for score, mark in zip(columns, marks, strict=True)
        )
        return self.row_atoms, indexes

    def slope_by_row(self) -> None:
        return None

    def _counted(self, index: ScoreIndex) -> RankTally:
        return index.tally(self.atoms.mass(self.atoms.rows))
