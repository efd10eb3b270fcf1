"""Thresholds that satisfy their constraints in the population, with a stated confidence.

Learn then Test (Angelopoulos et al. 2021): thresholds are tested in an order that does not depend
on the labels, from the one at which the constraint is easiest to satisfy, each at the full level,
until the first that fails. The chance that any threshold passes without satisfying the constraint
is at most the level, however many are tested.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from skmetrics_ext.inference.scales import quantile
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import Counts
from skmetrics_ext.thresholds.criteria import Constraint, Objective, Share
from skmetrics_ext.validation import InvalidParameterError, Scores

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
