"""Rates read where another rate reaches a target: where they may jump, and their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from skmetrics_ext.metrics.rankings.ranking_kernels import (
    FEW_TIES,
    ROUNDING,
    STEP,
    CurvePlace,
    roc_points,
    rows_at,
    slope_within,
)
from skmetrics_ext.metrics.spec import PlainShare
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import Counts, RankTally

Rate = Callable[[Counts], Array]

_ERRORS = 2  # standard errors within which a rate may be at another step in other samples


def first_step(x: Array, _: Array, target: float) -> int:
    return min(int(np.searchsorted(x, target * (1 - ROUNDING))), len(x) - 1)


def last_step(x: Array, _: Array, target: float) -> int:
    return max(int(np.searchsorted(x, target + ROUNDING, side="right")) - 1, 0)


def nearest_step(x: Array, _: Array, target: float) -> int:
    return int(np.abs(x - target).argmin())


def best_step(x: Array, values: Array, target: float) -> int:
    first = first_step(x, values, target)
    return first + int(values[first:].argmax())


def _gradient(rate: Rate, counts: Counts) -> Counts:
    """Derivative of a rate by each of its counts."""
    moved = np.array(counts.astuple())[:, None] + 1j * STEP * np.eye(4)
    return Counts(*(rate(Counts(*moved)).imag / STEP))


def _of_rows(by: Counts, place: CurvePlace) -> Array:
    """Values of each class at each score, (2, T), from those of the four counts."""
    return np.stack([place.fill(by.fp, by.tn), place.fill(by.tp, by.fn)])


def _counts_at(mass: Array, place: CurvePlace) -> Counts:
    """Counts at a threshold."""
    inside = place.fill(1.0, 0.0)
    (fp, tp), (tn, fn) = ((mass * part).sum(axis=-1) for part in (inside, 1.0 - inside))
    return Counts(tp, fp, fn, tn)


class _Curve(NamedTuple):
    """Two rates along a ranking, and its weights, which all targets share.

    Parameters
    ----------
    x, values : ndarray of shape (T + 1,)
        The rate that reaches a target, and the one that is read there.
    rows, squares : ndarray of shape (2, T)
        Effective number of rows of each class at each score, and sum of their squared weights.
    has_ties : ndarray of bool of shape (T,)
        Which scores are those of many rows.
    fpr, tpr : ndarray of shape (T + 1,)
    """

    x: Array
    values: Array
    rows: Array
    squares: Array
    has_ties: Array
    fpr: Array
    tpr: Array


# Rates along the rankings that are in use, by reading.
_CURVES: WeakKeyDictionary[RankTally, dict[RateReading, _Curve]] = WeakKeyDictionary()


@dataclass(frozen=True)
class RateReading:
    """How a rate is read where another rate reaches a target, and how far both vary.

    Parameters
    ----------
    rate, other : callable
        Both rates at a threshold, from its counts.
    attained : callable
        The step at which ``rate`` is read, from both rates along the curve and the target.
    target : callable
        The target, from the parameters of the metric.
    """

    rate: Rate
    other: Rate
    attained: Callable[[Array, Array, float], int]
    target: Callable[..., float]

    def _curve(self, tally: RankTally) -> _Curve:
        curves = _CURVES.setdefault(tally, {})
        known = curves.get(self)
        if known is None:
            counts, rows = tally.counts_from_none(), rows_at(tally)
            x, values = self.other(counts), np.nan_to_num(self.rate(counts))
            squares = np.nan_to_num(divide(tally.mass * 1.0 * tally.mass, rows))
            has_ties = rows.sum(axis=0) > FEW_TIES
            known = _Curve(x, values, rows, squares, has_ties, *roc_points(tally))
            curves[self] = known
        return known

    def _at(self, tally: RankTally, target: float) -> tuple[CurvePlace, Counts, Counts]:
        """The threshold of a target, its counts, and derivatives of ``other``."""
        place = CurvePlace.of(self._curve(tally).x, target)
        counts = _counts_at(tally.mass, place)
        return place, counts, _gradient(self.other, counts)

    def _variation(self, curve: _Curve, place: CurvePlace, by: Counts) -> tuple[float, Array]:
        """The error of ``other`` at a target, and the blocks of ties that are wide for it.

        Without blocks the error, which says how wide is wide, is nan.
        """
        if not curve.has_ties.any():
            return np.nan, curve.has_ties
        squares = _of_rows(Counts(*(part**2 for part in by.astuple())), place)
        error = float(np.sqrt(np.nansum(curve.squares * squares)))
        return error, curve.has_ties & (np.diff(curve.x) > error / 2)

    def plain_shares(
        self, tally: RankTally, method: str = "step", **params: float
    ) -> list[PlainShare]:
        """Shares at the steps where the rate may be read in other samples; none if it is smooth.

        Within two standard errors the target stays in one block of tied scores, or such a block
        lies between the steps, of which those with the extremes of the rate are enough.
        """
        target, curve = self.target(**params), self._curve(tally)
        if method != "step" or not curve.has_ties.any():
            return []
        place, _, by = self._at(tally, target)
        error, wide = self._variation(curve, place, by)
        x, values = curve.x, curve.values
        ends = (self.attained(x, values, target + side * _ERRORS * error) for side in (-1, 1))
        first, last = sorted(ends)
        block = max(first_step(x, values, target) - 1, 0)
        if not (wide[first:last].any() or (first == last and wide[block])):
            return []
        part, found = values[first : last + 1], []
        extremes = first + int(part.argmin()), first + int(part.argmax())
        for step in dict.fromkeys((self.attained(x, values, target), first, last, *extremes)):
            place = CurvePlace(step, 0.0, len(wide))
            # The effective number of rows, after half a row more of each kind.
            rows = _counts_at(curve.rows, place).astuple()
            more = Counts(*(count + 0.5 for count in rows))
            pairs = zip(more.astuple(), _gradient(self.rate, more).astuple(), strict=True)
            share, variance = self.rate(more), sum(count * by * by for count, by in pairs)
            n_rows = float(share * (1 - share) / variance)
            slope = _of_rows(_gradient(self.rate, _counts_at(tally.mass, place)), place)
            found.append(PlainShare(float(values[step]), slope, n_rows))
        return found

    def slope(self, tally: RankTally, method: str = "step", **params: float) -> Array:
        """A row changes its own rate directly, and the other one through the threshold."""
        for share in self.plain_shares(tally, method, **params):
            return np.asarray(share.slope)
        target, curve = self.target(**params), self._curve(tally)
        place, counts, by_other = self._at(tally, target)
        x, wide = curve.x, self._variation(curve, place, by_other)[1]
        if method == "step" and wide[max(first_step(x, curve.values, target) - 1, 0)]:
            target = float(x[self.attained(x, curve.values, target)])  # the end of the block
            place, counts, by_other = self._at(tally, target)
        by, moved = _gradient(self.rate, counts), _of_rows(by_other, place)
        mass, squares = (part[moved.any(axis=1)] for part in (tally.mass * 1.0, curve.squares))
        n_rows = float(divide(mass.sum() ** 2, squares.sum()))
        at = target if target < 1 else float(self.rate(counts))
        false = slope_within(x, curve.fpr, target, n_rows, at, wide) * tally.negative.sum()
        true = slope_within(x, curve.tpr, target, n_rows, at, wide) * tally.positive.sum()
        change = true * (by.tp - by.fn) + false * (by.fp - by.tn)
        return np.asarray(_of_rows(by, place) - change * moved)
