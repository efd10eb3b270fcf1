"""Exact search over every distinct score, and the threshold that predicts no positives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from skmetrics_ext.metrics.labels import rates
from skmetrics_ext.metrics.rankings.ranking_kernels import ROUNDING, from_infinity
from skmetrics_ext.numeric import Array
from skmetrics_ext.result_bases import Result
from skmetrics_ext.tables import Table
from skmetrics_ext.tallies import Counts, RankTally
from skmetrics_ext.thresholds.certified import CertifiedThresholds, Guarantee
from skmetrics_ext.thresholds.criteria import Objective
from skmetrics_ext.validation import InvalidParameterError, Scores
from skmetrics_ext.validation.parameters import check_level

_SAMPLE_ONLY = "in the population it may not hold (confidence=0.95 chooses one where it does)"
REVERSED = (
    "no row is predicted positive: low scores go with the positive class; pass the scores of this "
    "class, or pos_label=, the class that they are scores of"
)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class OptimalThreshold(Result):
    """The threshold chosen by a search; rows with scores of at least this are predicted positive.

    Parameters
    ----------
    threshold : float
        A score that occurs, or infinity if predicting no positives is best.
    value : float
        The criterion at the threshold.
    counts : Counts
        Weight of the four outcomes at the threshold, as scalars.
    ties : ndarray of shape (n_ties,)
        All equally good thresholds, falling; ``threshold`` is the first.
    criterion : str
        Name of the criterion.
    confidence : float or None
        Chance that the threshold satisfies the constraints in the population.
    bounds : tuple of float
        With ``confidence``, the exact one-sided bound for each constraint.
    note : str
        A caveat on the constraint; empty if there is none.

    Examples
    --------
    >>> from skmetrics_ext import optimal_threshold
    >>> best = optimal_threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], criterion="f1")
    >>> best.threshold, best.value
    (0.35, 0.8)
    """

    threshold: float
    value: float
    counts: Counts
    ties: Array
    criterion: str
    confidence: float | None = None
    bounds: tuple[float, ...] = ()
    note: str = ""

    def __iter__(self) -> Iterator[float]:
        """The threshold and the value there: ``threshold, value = result``."""
        return iter((self.threshold, self.value))

    def __float__(self) -> float:
        """The threshold alone."""
        return float(self.threshold)

    def _as_rows(self) -> Table:
        row: dict[str, Any] = {"threshold": self.threshold, self.criterion: self.value}
        row |= {name: getattr(self, name) for name in ("sensitivity", "specificity", "precision")}
        return Table([row | ({"note": self.note} if self.note else {})])

    @property
    def sensitivity(self) -> float:
        """Share of the positives predicted positive."""
        return float(rates.recall(self.counts))

    @property
    def specificity(self) -> float:
        """Share of the negatives predicted negative."""
        return float(rates.specificity(self.counts))

    @property
    def precision(self) -> float:
        """Share of positives among the rows predicted positive; nan if there are none."""
        return float(rates.precision(self.counts))


class InfeasibleError(InvalidParameterError):
    """No threshold satisfies the constraints, or none has a value."""


@dataclass(frozen=True, eq=False, slots=True)
class Candidates:
    """Thresholds to choose from, and what the choice depends on.

    Parameters
    ----------
    objective : Objective
    thresholds : ndarray of shape (T,)
        Falling.
    values : ndarray of shape (T,)
        The criterion at each threshold.
    bounded : list of ndarray of shape (T,)
        The criterion of each constraint at each threshold.
    certified : CertifiedThresholds or None
        Tests of the constraints, if they have to hold in the population.
    """

    objective: Objective
    thresholds: Array
    values: Array
    bounded: list[Array]
    certified: CertifiedThresholds | None = None

    @classmethod
    def of_counts(cls, objective: Objective, thresholds: Array, counts: Counts) -> Self:
        """Candidates whose constraints have to hold for the counted rows."""
        counts = objective.in_population(counts)
        bounded = [part.criterion.values(counts) for part in objective.constraints]
        return cls(objective, thresholds, objective.criterion.values(counts), bounded)

    @property
    def places(self) -> Array:
        """Positions of the best thresholds, if there are any; values may differ by rounding."""
        eligible = ~np.isnan(self.values) & self._kept
        signed = np.where(eligible, self.objective.criterion.sign * self.values, -np.inf)
        best = signed.max()
        slack = ROUNDING * max(1.0, abs(best)) if np.isfinite(best) else 0.0
        return np.flatnonzero(eligible & (signed >= best - slack))

    @property
    def best(self) -> float:
        """The best threshold, the highest of several; nan if there is none."""
        places = self.places
        return float(self.thresholds[places[0]]) if places.size else np.nan

    @property
    def _kept(self) -> Array:
        """Whether each threshold satisfies the constraints."""
        if self.certified is not None:
            return self.certified.passed
        pairs = zip(self.objective.constraints, self.bounded, strict=True)
        return np.logical_and.reduce([part.is_kept(values) for part, values in pairs])

    def choose(self) -> Array:
        """Positions of the best thresholds; an error if there are none."""
        places = self.places
        if places.size:
            return places
        name, constrained = self.objective.criterion.name, self.objective.constrained
        if np.isnan(self.values).all():
            raise InfeasibleError(
                f"{name} is undefined at every threshold: a class has no rows, or criterion is a "
                "function that returns nan throughout."
            )
        if self.certified is not None and not self.certified.passed.any():
            raise InfeasibleError(self.certified.why_none())
        for constraint, attained in zip(self.objective.constraints, self.bounded, strict=True):
            if constraint.is_kept(attained).any():
                continue
            nearest, reason = constraint.closest_to_bound(attained), "it is undefined everywhere"
            if nearest >= 0:
                reason = (
                    f"the best attainable {constraint.criterion.name} is {attained[nearest]:.6g}, "
                    f"at threshold {self.thresholds[nearest]:.6g}"
                )
            raise InfeasibleError(f"No threshold keeps {constraint}: {reason}.")
        if not np.any(self._kept):
            raise InfeasibleError(f"No threshold keeps both {constrained}.")
        raise InfeasibleError(f"{name} is undefined at every threshold with {constrained}.")


def is_reversed(counts: Counts) -> bool:
    """Whether the ROC curve is below the diagonal at some thresholds, and above it at none."""
    above = rates.recall(counts) + rates.specificity(counts) - 1
    return bool((above <= ROUNDING).all() and (above < -ROUNDING).any())


def chosen_of(
    tally: RankTally, objective: Objective, guarantee: Guarantee | None = None
) -> OptimalThreshold:
    """The best threshold of a ranking by an objective, certified if there is a guarantee."""
    thresholds, counts = from_infinity(tally), tally.counts_from_none()
    candidates = Candidates.of_counts(objective, thresholds, counts)
    certified = None
    if guarantee is not None:
        certified = CertifiedThresholds.make(thresholds, counts, objective, guarantee)
        candidates = replace(candidates, certified=certified)
    places = candidates.choose()
    first = int(places[0])
    guaranteed: dict[str, Any] = {}
    if certified is not None:
        guaranteed = {"confidence": certified.confidence, "bounds": certified.bounds_at(first)}
    elif objective.constraints:
        guaranteed = {"note": f"{objective.constrained} in this sample; {_SAMPLE_ONLY}"}
    elif first == 0 and is_reversed(counts):
        guaranteed = {"note": REVERSED}
    return OptimalThreshold(
        float(thresholds[first]),
        float(candidates.values[first]),
        Counts(*(part[first] for part in counts.astuple())),
        thresholds[places],
        objective.criterion.name,
        **guaranteed,
    )


# --------------------------------------------------------------------------- several folds


@dataclass(frozen=True, eq=False, slots=True)
class FoldSearch:
    """The best threshold over the folds, with the values that it was chosen from.

    Parameters
    ----------
    threshold, value : float
        The best threshold, and the mean of the criterion over the folds at it.
    by_fold : ndarray of shape (n_folds,)
        The best threshold of each fold alone; nan if it has none.
    thresholds, values : ndarray of shape (T,)
        Infinity and every distinct score of any fold, falling; the mean of the criterion at each.
    """

    threshold: float
    value: float
    by_fold: Array
    thresholds: Array
    values: Array


def best_over_folds(
    tallies: list[RankTally], objective: Objective, guarantee: Guarantee | None = None
) -> FoldSearch:
    """Search every threshold of any fold for the best mean of a criterion over the folds.

    A guarantee is for the rows of all folds together.
    """
    folds = [
        Candidates.of_counts(objective, from_infinity(tally), tally.counts_from_none())
        for tally in tallies
    ]
    grids = [fold.thresholds for fold in folds]
    thresholds = np.unique(np.concatenate(grids))[::-1]
    mean = _mean_at(thresholds, grids, [fold.values for fold in folds])
    bounded = zip(*(fold.bounded for fold in folds), strict=True)
    mean_bounded = [_mean_at(thresholds, grids, values) for values in bounded]
    certified = None
    if guarantee is not None:
        pooled = RankTally.combine(tallies).counts_from_none()
        certified = CertifiedThresholds.make(thresholds, pooled, objective, guarantee)
    best = int(Candidates(objective, thresholds, mean, mean_bounded, certified).choose()[0])
    by_fold = np.array([fold.best for fold in folds])
    return FoldSearch(float(thresholds[best]), float(mean[best]), by_fold, thresholds, mean)


def _mean_at(thresholds: Array, grids: list[Array], values: Sequence[Array]) -> Array:
    """Mean over the folds in which a number is defined at all; nan if it is nan in one of them.

    At a threshold between its scores a fold predicts the same as at the next higher score.
    """
    defined = [
        of_fold[np.searchsorted(-grid, -thresholds, side="right") - 1]
        for grid, of_fold in zip(grids, values, strict=True)
        if not np.isnan(of_fold).all()
    ]
    return np.mean(defined, axis=0) if defined else np.full(len(thresholds), np.nan)


def pooled_rows(rows: list[Scores], places: list[Array], groups: Any, confidence: Any) -> Guarantee:
    """The guarantee for the rows of all folds, whose positions in the data are ``places``.

    A row that several folds score becomes a group of dependent rows.
    """
    true = np.concatenate([fold.true for fold in rows])
    score = np.concatenate([fold.score for fold in rows])
    weight = None if rows[0].weight is None else np.concatenate([fold.weight for fold in rows])
    place = np.concatenate(places)
    unit = place if groups is None else groups[place]
    repeated = groups is not None or len(np.unique(place)) < len(place)
    pooled = Scores("binary", rows[0].classes, true, score, weight)
    return Guarantee(pooled, unit if repeated else None, check_level(confidence, "confidence"))
