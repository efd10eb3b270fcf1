"""Exact search over every distinct score, and thresholds that keep their constraints for sure.

Constraints are satisfied in the population, with a stated confidence, by Learn then Test
(Angelopoulos et al. 2021): thresholds are tested in an order that does not depend on the labels,
from the one at which the constraint is easiest to satisfy, each at the full level, until the first
that fails. The chance that any threshold passes without satisfying the constraint is at most the
level, however many are tested.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from skmetrics_ext.inference.scales import quantile
from skmetrics_ext.metrics.labels import rates
from skmetrics_ext.metrics.rankings.ranking_kernels import ROUNDING, from_infinity
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.result_bases import Result
from skmetrics_ext.tables import Table
from skmetrics_ext.tallies import Counts, RankTally
from skmetrics_ext.thresholds.at_thresholds import Constraint, Objective, Share
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


# --------------------------------------------------------------------------- guarantees

_PREDICTED = ({"tp", "fp"}, {"fn", "tn"})
_CLASSES = ({"tp", "fn"}, {"fp", "tn"})
_EACH = 256  # up to here every number of rows may be a test
_STEP = 1.01  # from there on, by this factor
_QUANTILES = 16  # thresholds to test for a constraint that is not monotone


class Guarantee(NamedTuple):
    """Rows, their groups and the confidence of a guarantee.

    Parameters
    ----------
    rows : Scores
        Checked rows.
    unit : ndarray of int of shape (n,) or None
        The group of each row; None for independent rows.
    confidence : float
        Chance that the threshold satisfies all constraints.
    """

    rows: Scores
    unit: Array | None
    confidence: float


class ShareRows(NamedTuple):
    """A share at each threshold: the effective rows in it and in its rest."""

    share: Share
    inside: Array
    rest: Array


@dataclass(frozen=True)
class ConstraintTests:
    """Tests of one constraint at the thresholds of a ranking.

    Parameters
    ----------
    constraint : Constraint
        On a criterion that is a sum of shares.
    shares : list of ShareRows
        Those shares. The thresholds for one share are tested in a fixed order, each at the full
        level; no order is known for a sum, and each test has a part of the level.
    level : float
        Chance of an error.
    """

    constraint: Constraint
    shares: list[ShareRows]
    level: float

    def bounds(self, places: Array, level: float) -> Array:
        """Exact one-sided bounds of the criterion: lower for ">=", upper for "<="."""
        total = np.zeros(len(places))
        for share, inside, rest in self.shares:
            if not self._needs_lower_bound(share):
                inside, rest = rest, inside
            bound = _lower_bound(inside[places], rest[places], level / len(self.shares))
            total += share.factor * (bound if self._needs_lower_bound(share) else 1 - bound)
        return total

    def _needs_lower_bound(self, share: Share) -> bool:
        return (share.factor > 0) == (self.constraint.comparison == ">=")

    @cached_property
    def places(self) -> Array:
        """The thresholds that may be tested, in their order."""
        share, inside, rest = self.shares[0]
        if len(self.shares) > 1:
            return np.unique(np.linspace(0, len(inside) - 1, _QUANTILES).astype(np.int64))
        is_lower = self._needs_lower_bound(share)
        errors = share.others[0] if is_lower else share.cell
        order = np.arange(len(inside))[:: 1 if errors in _PREDICTED[0] else -1]
        if share.cells in _CLASSES:
            return order
        bound = self.constraint.bound / share.factor
        sizes = (inside + rest)[order]
        return order[_sizes_to_test(sizes, bound if is_lower else 1 - bound, self.level)]

    @property
    def _level_of_test(self) -> float:
        return self.level if len(self.shares) == 1 else self.level / len(self.places)

    def _passes(self, places: Array) -> Array:
        return self.constraint.is_kept(self.bounds(places, self._level_of_test))

    @cached_property
    def passed(self) -> Array:
        """Whether each threshold passed, (T,)."""
        share, inside, _ = self.shares[0]
        places, passed = self.places, np.zeros(len(inside), dtype=bool)
        if share.cells in _CLASSES:  # the bound falls with each threshold
            n_passed = bisect_left(
                places, True, key=lambda place: not self._passes(np.array([place]))[0]
            )
            passed[places[:n_passed]] = True
            return passed
        kept = self._passes(places)
        if len(self.shares) == 1:  # up to the first that fails
            kept = np.logical_and.accumulate(kept)
        passed[places[kept]] = True
        return passed

    @property
    def best(self) -> tuple[int, float]:
        """The threshold with the best bound (the first of an ordered sequence), and the bound."""
        places = self.places[:1] if len(self.shares) == 1 else self.places
        bounds = self.bounds(places, self._level_of_test)
        best = max(self.constraint.closest_to_bound(bounds), 0)
        return int(places[best]), float(bounds[best])


@dataclass(frozen=True)
class CertifiedThresholds:
    """Tests of all constraints; the thresholds that pass all of them satisfy them."""

    thresholds: Array
    objective: Objective
    tests: list[ConstraintTests]
    confidence: float

    @classmethod
    def make(
        cls, thresholds: Array, counts: Counts, objective: Objective, guarantee: Guarantee
    ) -> CertifiedThresholds:
        """Tests at these thresholds; an error for a constraint without exact bounds."""
        if not objective.constraints:
            raise InvalidParameterError(
                "confidence= is for a constraint: pass constraint=, as ('precision', '>=', 0.8)."
            )
        tests, level = [], (1 - guarantee.confidence) / len(objective.constraints)
        effective = EffectiveRows(thresholds, guarantee.rows, guarantee.unit)
        for constraint in objective.constraints:
            _check_constraint(constraint, objective.prevalence)
            shares = [effective.of_share(share, counts) for share in constraint.criterion.shares]
            tests.append(ConstraintTests(constraint, shares, level))
        return cls(thresholds, objective, tests, guarantee.confidence)

    @cached_property
    def passed(self) -> Array:
        """Whether each threshold passed the tests of all constraints, (T,)."""
        return np.logical_and.reduce([test.passed for test in self.tests])

    def bounds_at(self, place: int) -> tuple[float, ...]:
        """The exact one-sided bound for each constraint at one threshold."""
        return tuple(float(test.bounds(np.array([place]), test.level)[0]) for test in self.tests)

    def why_none(self) -> str:
        """Why no threshold passed, with what can be certified for the first failed constraint."""
        sure = f"with confidence {self.confidence:g}"
        more = "Collect more rows, or lower the bound or the confidence."
        for test in self.tests:
            if test.passed.any():
                continue
            place, bound = test.best
            least = "at least" if test.constraint.comparison == ">=" else "at most"
            return (
                f"No threshold keeps {test.constraint} {sure}: certified is {least} {bound:.4g}, "
                f"at threshold {self.thresholds[place]:.6g}. {more}"
            )
        return f"No threshold keeps {self.objective.constrained} together {sure}. {more}"


def _check_constraint(constraint: Constraint, prevalence: float | None) -> None:
    shares, name = constraint.criterion.shares, constraint.criterion.name
    if not shares:
        raise InvalidParameterError(
            "confidence= needs constraints on rates of one class (precision, recall, specificity, "
            f"negative predictive value), on expected cost or net benefit; {name!r} has no exact "
            "bound."
        )
    if prevalence is not None and shares[0].cells not in _CLASSES:
        raise InvalidParameterError(
            "confidence= with prevalence= needs constraints on rates within a class (recall, "
            f"specificity), got {name!r}: leave out one of them."
        )


def _lower_bound(inside: Array, rest: Array, level: float) -> Array:
    """Clopper and Pearson's lower bound of a share; 0 if no row is in it."""
    from scipy.special import betaincinv

    some = inside > 0
    return np.where(some, betaincinv(np.where(some, inside, 1.0), rest + 1, level), 0.0)


def _sizes_to_test(rows: Array, share: float, level: float) -> Array:
    """Positions of the numbers of rows at which the test allows one more error.

    Between two of them a test of more rows has less power. The first is at about the square root of
    all rows, or allows no error.
    """
    from scipy.special import betainc

    most = np.maximum.accumulate(rows)
    n_steps = int(np.log(max(most[-1] / _EACH, 1)) / np.log(_STEP))
    sizes = np.append(np.arange(1, _EACH), _EACH * _STEP ** np.arange(n_steps + 1))
    places = np.unique(np.searchsorted(most, sizes[sizes <= most[-1]]))
    rows, share = rows[places], min(max(share, 1e-12), 1 - 1e-12)
    z = quantile(1 - 2 * level)
    errors = rows * (1 - share) - z * np.sqrt(rows * share * (1 - share))
    errors = np.maximum(np.floor(errors + (z**2 - 1) * (2 * share - 1) / 6), 0.0)
    passes = betainc(np.maximum(rows - errors, 1e-12), errors + 1, share) <= level
    allowed = np.maximum.accumulate(np.where(passes, errors, errors - 1))
    steps = np.flatnonzero(np.diff(allowed, prepend=-1.0) > 0)
    if not len(steps):
        return places[-1:]
    start = np.searchsorted(rows[steps], np.sqrt(most[-1]), side="right") - 1
    return places[steps[max(int(start), 0) :]]


# --------------------------------------------------------------------------- effective numbers


@dataclass(frozen=True)
class EffectiveRows:
    """Effective numbers of groups, or of weighted rows, at each threshold."""

    thresholds: Array
    rows: Scores
    unit: Array | None

    def of_share(self, share: Share, counts: Counts) -> ShareRows:
        """A share at each threshold, by Kish's effective number of its rows or groups."""
        inside = np.asarray(getattr(counts, share.cell), dtype=np.float64)
        total = inside + sum(getattr(counts, cell) for cell in share.others)
        if self.unit is not None or self.rows.weight is not None:
            n_effective = self._among(share.cells)
            inside = np.nan_to_num(divide(inside, total)) * n_effective
            total = n_effective
        return ShareRows(share, inside, total - inside)

    @cached_property
    def _weight(self) -> Array:
        if self.rows.weight is None:
            return np.ones(len(self.rows.true))
        return self.rows.weight.astype(np.float64)

    @cached_property
    def _place(self) -> Array:
        """The first threshold that predicts each row positive."""
        # A row without weight may lie below them all.
        place = np.searchsorted(-self.thresholds, -self.rows.score)
        return np.minimum(place, len(self.thresholds) - 1)

    @cached_property
    def _order(self) -> Array | None:
        """Rows by group, those of a group by their threshold; None for independent rows."""
        if self.unit is None:
            return None
        return np.argsort(self.unit * len(self.thresholds) + self._place, kind="stable")

    def _among(self, cells: set[str]) -> Array:
        """Effective number at each threshold of the rows in some cells."""
        if cells == _PREDICTED[0]:
            return self._up_to(self._place, self._order)
        if cells == _PREDICTED[1]:  # rows below a threshold, from the lowest on
            order = None if self._order is None else self._order[::-1]
            n_effective = self._up_to(len(self.thresholds) - 1 - self._place, order)
            return np.append(n_effective[-2::-1], 0.0)
        added = self._weight
        if cells in _CLASSES:
            added = added * (self.rows.true == (cells == _CLASSES[0]))
        squares = ((added if self.unit is None else np.bincount(self.unit, added)) ** 2).sum()
        return np.full(len(self.thresholds), added.sum() ** 2 / squares if squares else 0.0)

    def _up_to(self, place: Array, order: Array | None) -> Array:
        """Effective number of the rows up to each threshold."""
        added, n_thresholds = self._weight, len(self.thresholds)
        if order is None or self.unit is None:
            changed_at, change = place, added**2
        else:
            first = np.flatnonzero(np.diff(self.unit[order], prepend=-1))
            before = np.cumsum(added[order]) - added[order]
            before -= np.repeat(before[first], np.diff(first, append=len(order)))
            changed_at = place[order]
            change = added[order] * (2 * before + added[order])  # of the group's squared weight
        total = np.cumsum(np.bincount(place, added, minlength=n_thresholds))
        squares = np.cumsum(np.bincount(changed_at, change, minlength=n_thresholds))
        return np.nan_to_num(divide(total**2, squares))
