"""Thresholds that keep their constraints in the population, with a stated confidence.

Learn then Test (Angelopoulos et al. 2021): thresholds are tested in an order that no label has a
part in, from the one that keeps a constraint most easily, each at the full level, up to the first
that fails. The chance that any threshold passes and does not keep the constraint is at most the
level, however many are tested.
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
_EACH = 256  # up to so many rows every number of them may be a test
_STEP = 1.01  # from there on, by this factor
_QUANTILES = 16  # thresholds to test where neither end keeps a constraint most easily


class Guarantee(NamedTuple):
    """What a threshold with a guarantee is found from.

    Parameters
    ----------
    rows : Scores
        Checked rows.
    unit : ndarray of int of shape (n,) or None
        The group of each row; rows are independent by default.
    confidence : float
        Chance that the threshold keeps all constraints.
    """

    rows: Scores
    unit: Array | None
    confidence: float


class Cells(NamedTuple):
    """A share at each threshold: its factor, and effective numbers of rows in it and beside it."""

    factor: float
    inside: Array
    rest: Array


@dataclass(frozen=True)
class Tests:
    """Tests of one constraint at the thresholds of a ranking.

    Parameters
    ----------
    constraint : Constraint
        Its criterion is a sum of shares.
    cells : list of Cells
        Each of them.
    level : float
        Chance of an error.
    """

    constraint: Constraint
    cells: list[Cells]
    level: float

    def bounds(self, places: Array, level: float | None = None) -> Array:
        """Exact one-sided bounds of the constrained number: lower for ">=", upper for "<="."""
        level = (self.level if level is None else level) / len(self.cells)
        total = np.zeros(len(places))
        for factor, inside, rest in self.cells:
            if self._is_lower(factor):
                total += factor * _lower_bound(inside[places], rest[places], level)
            else:
                total += factor * (1 - _lower_bound(rest[places], inside[places], level))
        return total

    @property
    def _of_class(self) -> bool:
        """Whether it is a share of the rows of one class."""
        share = self.constraint.criterion.shares[0]
        return {share.cell, *share.others} in _CLASSES

    def _is_lower(self, factor: float) -> bool:
        """Whether a share must not be small."""
        return (factor > 0) == (self.constraint.comparison == ">=")

    @cached_property
    def places(self) -> Array:
        """The thresholds to test, in their order."""
        shares = self.constraint.criterion.shares
        n_thresholds = len(self.cells[0].inside)
        if len(shares) > 1:  # no order is known
            return np.unique(np.linspace(0, n_thresholds - 1, _QUANTILES).astype(np.int64))
        (share,), ((factor, inside, rest),) = shares, self.cells
        wrong = share.others[0] if self._is_lower(factor) else share.cell
        order = np.arange(n_thresholds)[:: 1 if wrong in _PREDICTED[0] else -1]
        if self._of_class:  # the bound falls with each threshold
            fails = bisect_left(order, True, key=lambda place: not self._keeps(place))
            return order[: fails + 1]
        bound = self.constraint.bound / factor
        rows, bound = (inside + rest)[order], bound if self._is_lower(factor) else 1 - bound
        return order[_sizes_to_test(rows, bound, self.level)]

    def _keeps(self, place: int) -> bool:
        return bool(self.constraint.kept(self.bounds(np.array([place])))[0])

    @cached_property
    def passed(self) -> Array:
        """Whether each threshold passed, (T,)."""
        places, passed = self.places, np.zeros(len(self.cells[0].inside), dtype=bool)
        if self._of_class:  # all but the last
            passed[places[: len(places) - (not self._keeps(places[-1]))]] = True
        elif len(self.cells) == 1:  # up to the first that fails
            kept = self.constraint.kept(self.bounds(places))
            passed[places[: len(kept) if kept.all() else np.argmin(kept)]] = True
        else:  # each at a part of the level
            bounds = self.bounds(places, self.level / len(places))
            passed[places[self.constraint.kept(bounds)]] = True
        return passed

    @property
    def best(self) -> tuple[int, float]:
        """The threshold with the best bound, and the bound; the first where tests have an order."""
        if len(self.cells) == 1:
            return int(self.places[0]), float(self.bounds(self.places[:1])[0])
        bounds = self.bounds(self.places, self.level / len(self.places))
        best = max(self.constraint.nearest(bounds), 0)
        return int(self.places[best]), float(bounds[best])


@dataclass(frozen=True)
class CertifiedThresholds:
    """Tests of all constraints; the thresholds that pass all of them keep them."""

    thresholds: Array
    objective: Objective
    tests: list[Tests]
    confidence: float

    @classmethod
    def make(
        cls, thresholds: Array, counts: Counts, objective: Objective, guarantee: Guarantee
    ) -> CertifiedThresholds:
        """Tests at the thresholds of these counts; refuse constraints without an exact bound."""
        if not objective.constraints:
            raise InvalidParameterError(
                "confidence= is of a constraint: pass constraint=, as ('precision', '>=', 0.8)."
            )
        tests, level = [], (1 - guarantee.confidence) / len(objective.constraints)
        effective = EffectiveRows(thresholds, guarantee)
        for one in objective.constraints:
            _check_constraint(one, objective.prevalence)
            cells = [_cells(share, counts, effective) for share in one.criterion.shares]
            tests.append(Tests(one, cells, level))
        return cls(thresholds, objective, tests, guarantee.confidence)

    @cached_property
    def passed(self) -> Array:
        """Whether each threshold passed the tests of all constraints, (T,)."""
        return np.logical_and.reduce([one.passed for one in self.tests])

    def bounds_at(self, place: int) -> tuple[float, ...]:
        """The exact one-sided bound of what each constraint bounds, at one threshold."""
        return tuple(float(one.bounds(np.array([place]))[0]) for one in self.tests)

    def why_none(self) -> str:
        """What can be certified of the first constraint that no threshold passed."""
        sure = f"with confidence {self.confidence:g}"
        more = "Collect more rows, or ask for less by the bound or the confidence."
        for one in self.tests:
            if one.passed.any():
                continue
            place, bound = one.best
            least = "at least" if one.constraint.comparison == ">=" else "at most"
            return (
                f"No threshold keeps {one.constraint} {sure}: certified is {least} {bound:.4g}, "
                f"at threshold {self.thresholds[place]:.6g}. {more}"
            )
        return f"No threshold keeps {self.objective.constrained} together {sure}. {more}"


def _check_constraint(constraint: Constraint, prevalence: float | None) -> None:
    shares, name = constraint.criterion.shares, constraint.criterion.name
    if not shares:
        raise InvalidParameterError(
            "confidence= needs constraints on rates of one class (precision, recall, specificity, "
            f"negative predictive value), on expected cost or net benefit, got {name!r}, of which "
            "no exact bound is known."
        )
    if prevalence is not None and {shares[0].cell, *shares[0].others} not in _CLASSES:
        raise InvalidParameterError(
            "confidence= with prevalence= needs constraints on rates within a class (recall, "
            f"specificity), got {name!r}: leave out one of them."
        )


def _lower_bound(inside: Array, rest: Array, level: float) -> Array:
    """Clopper and Pearson's lower bound of a share; 0 where no row is in it."""
    from scipy.special import betaincinv

    some = inside > 0
    return np.where(some, betaincinv(np.where(some, inside, 1.0), rest + 1, level), 0.0)


def _sizes_to_test(rows: Array, share: float, level: float) -> Array:
    """Positions of the numbers of rows from which on one more may be wrong.

    In between a test of more rows has less power. They begin at about the square root of all rows,
    or where none may be wrong.
    """
    from scipy.special import betainc

    most = np.maximum.accumulate(rows)
    n_steps = int(np.log(max(most[-1] / _EACH, 1)) / np.log(_STEP))
    sizes = np.append(np.arange(1, _EACH), _EACH * _STEP ** np.arange(n_steps + 1))
    places = np.unique(np.searchsorted(most, sizes[sizes <= most[-1]]))
    rows, share = rows[places], min(max(share, 1e-12), 1 - 1e-12)
    z = quantile(1 - 2 * level)
    wrong = rows * (1 - share) - z * np.sqrt(rows * share * (1 - share))
    wrong = np.maximum(np.floor(wrong + (z**2 - 1) * (2 * share - 1) / 6), 0.0)
    passes = betainc(np.maximum(rows - wrong, 1e-12), wrong + 1, share) <= level
    allowed = np.maximum.accumulate(np.where(passes, wrong, wrong - 1))
    steps = np.flatnonzero(np.diff(allowed, prepend=-1.0) > 0)
    if not len(steps):
        return places[-1:]
    start = np.searchsorted(rows[steps], np.sqrt(most[-1]), side="right") - 1
    return places[steps[max(int(start), 0) :]]


# --------------------------------------------------------------------------- effective numbers


def _cells(share: Share, counts: Counts, effective: EffectiveRows) -> Cells:
    """A share at each threshold, by Kish's effective number of its rows or groups."""
    inside = np.asarray(getattr(counts, share.cell), dtype=np.float64)
    total = inside + sum(getattr(counts, name) for name in share.others)
    if not effective.is_plain:
        n_effective = effective.among({share.cell, *share.others})
        inside = np.nan_to_num(divide(inside, total)) * n_effective
        total = n_effective
    return Cells(share.factor, inside, total - inside)


@dataclass(frozen=True)
class EffectiveRows:
    """Effective numbers of groups, or of rows by their weights, at each threshold."""

    thresholds: Array
    guarantee: Guarantee

    @property
    def is_plain(self) -> bool:
        """Whether each row counts as one."""
        return self.guarantee.unit is None and self.guarantee.rows.weight is None

    @cached_property
    def _weight(self) -> Array:
        weight, n_rows = self.guarantee.rows.weight, len(self.guarantee.rows.true)
        return np.ones(n_rows) if weight is None else weight.astype(np.float64)

    @cached_property
    def _place(self) -> Array:
        """The first threshold that predicts each row positive."""
        # A row without weight may lie below them all.
        place = np.searchsorted(-self.thresholds, -self.guarantee.rows.score)
        return np.minimum(place, len(self.thresholds) - 1)

    @cached_property
    def _order(self) -> Array:
        """Rows by group, those of a group by their threshold."""
        unit = self.guarantee.unit
        assert unit is not None
        return np.argsort(unit * len(self.thresholds) + self._place, kind="stable")

    def among(self, cells: set[str]) -> Array:
        """Effective number at each threshold among the rows in some cells."""
        if cells not in _PREDICTED:
            return self._of_class(cells)
        place, order = self._place, None if self.guarantee.unit is None else self._order
        if cells == _PREDICTED[1]:  # rows below a threshold, from the lowest on
            place = len(self.thresholds) - 1 - place
            order = None if order is None else order[::-1]
        n_effective = self._of_predicted(place, order)
        return n_effective if cells == _PREDICTED[0] else np.append(n_effective[-2::-1], 0.0)

    def _of_class(self, cells: set[str]) -> Array:
        """Among the rows of a class, or all."""
        added, unit = self._weight, self.guarantee.unit
        if cells in _CLASSES:
            added = added * (self.guarantee.rows.true == (cells == _CLASSES[0]))
        squares = ((added if unit is None else np.bincount(unit, added)) ** 2).sum()
        return np.full(len(self.thresholds), added.sum() ** 2 / squares if squares else 0.0)

    def _of_predicted(self, place: Array, order: Array | None) -> Array:
        """Among the rows up to each threshold."""
        added, unit, n_thresholds = self._weight, self.guarantee.unit, len(self.thresholds)
        if order is None or unit is None:
            at, grown = place, added**2
        else:
            first = np.flatnonzero(np.diff(unit[order], prepend=-1))
            before = np.cumsum(added[order]) - added[order]
            before -= np.repeat(before[first], np.diff(first, append=len(order)))
            at = place[order]
            grown = added[order] * (2 * before + added[order])  # of the group's squared weight
        total, squares = (
            np.cumsum(np.bincount(where, values, minlength=n_thresholds))
            for where, values in ((place, added), (at, grown))
        )
        return np.nan_to_num(divide(total**2, squares))
