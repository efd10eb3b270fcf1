"""Bounds of linear functions of shares of rows, from the bounds of each share (MOVER).

Zou & Donner (2008), Statistics in Medicine 27(10), 1693-1702: the squared distances to the bounds
add up if no row is counted in two shares, as in a mean of one share of each class; disjoint shares
of the same rows are negatively correlated. The bounds of a share are Jeffreys'. If nearly all
shares are 1 (or 0), these are too near on the side of that end. There the bound of a mean is at
least as far as Wilson's for the mean, taken as a share of the number of rows with its variance.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from skmetrics_ext.inference.derivatives import STEP
from skmetrics_ext.inference.proportions import proportion_bounds
from skmetrics_ext.inference.scales import Bounds, Level
from skmetrics_ext.metrics.averaging import MACRO, is_by_class, is_plain
from skmetrics_ext.numeric import Array, divide, wilson
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import ConfusionTally, Counts

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False, slots=True)
class Shares:
    """Shares of rows (..., P) that a metric is linear in.

    Parameters
    ----------
    count, rows : ndarray of shape (..., P)
        Rows that count, and rows in all.
    slope : ndarray of shape (..., P)
        Derivative of the metric by each share.
    together : bool
        Whether all are disjoint shares of the same rows.
    unseen : ndarray of shape (..., P) or None, default=None
        Of a mean over several classes: which shares have no rows though their class has some. The
        precision of a class that is never predicted may be anything, whatever stands for 0/0.
    """

    count: Array
    rows: Array
    slope: Array
    together: bool = False
    unseen: Array | None = None

    @classmethod
    def of_sample(cls, sample: Any) -> Shares | None:
        """Shares of independent rows; None if the metric is not linear in shares."""
        atoms = sample.atoms
        if not (sample.design.is_plain and sample.is_one_table):
            return None
        shares = cls._of_counts(sample, atoms.mass(atoms.rows))
        if shares is None or atoms.weight is None:
            return shares
        # Effective numbers of rows of each share (Kish 1965).
        squares = cls._of_counts(sample, atoms.rows * atoms.weight**2)
        assert squares is not None
        factor = np.nan_to_num(divide(shares.rows, squares.rows))
        return replace(shares, count=shares.count * factor, rows=shares.rows * factor)

    @classmethod
    def _of_counts(cls, sample: Any, mass: Array) -> Shares | None:
        """Shares of a table, or of one ranking, whose atoms have these weights."""
        metric, tally = sample.metric, sample.tally_of_mass(mass)
        if sample.is_compact:
            return cls.of_table(metric, tally)
        shares = metric.spec.shares(tally, **metric.kernel_params)
        return None if shares is None else cls(*shares)

    @classmethod
    def of_table(cls, metric: Metric, tally: ConfusionTally) -> Shares | None:
        """Shares of a metric of confusion tables (..., K, K)."""
        average, names = metric.options.get("average", MACRO), metric.spec.shares
        joined = is_by_class(average) and average is not None
        if not (joined or average in ("binary", None)):
            return None
        counts, read = metric.counted(tally)
        pairs = [(getattr(counts, name), getattr(counts, rest)) for name, rest in names]
        count = np.stack([counted for counted, _ in pairs], axis=-1).astype(np.float64)
        rows = np.stack([counted + rest for counted, rest in pairs], axis=-1).astype(np.float64)
        unseen = None
        if joined:
            unseen = (rows == 0) & (counts.tp + counts.fn > 0)[..., None]
            unseen &= str(metric.options.get("zero_division")) != "nan"  # left out
            unseen = unseen.reshape((*rows.shape[:-2], -1))
            if len(pairs) == rows.shape[-2] == len(tally.classes) == 2:  # both have the same shares
                unseen = None
                count, rows = count[..., -1, :], rows[..., -1, :]
            elif not is_plain(average):
                return None
            else:
                shape = (*rows.shape[:-2], -1)
                count, rows = count.reshape(shape), rows.reshape(shape)
        total = tally.table.sum(axis=(-1, -2)) * (1 + _ROUNDING)
        total = total[..., None] if average is None else total
        if (rows.sum(axis=-1) > total).any():  # some rows count in two shares
            return None
        moved = {
            part.name: getattr(counts, part.name).astype(np.complex128) for part in fields(Counts)
        }
        for (name, rest_name), (counted, rest) in zip(names, pairs, strict=True):
            step = 1j * STEP * (counted + rest)  # all shares at once: their slopes are equal
            moved[name] += step
            moved[rest_name] -= step
        slope = divide(np.asarray(read(Counts(**moved))).imag / STEP, (rows > 0).sum(axis=-1))
        return cls(count, rows, np.where(rows > 0, slope[..., None], 0.0), unseen=unseen)

    def fewest(self) -> Array:
        """The smallest number of rows of a share that is not empty, (...).

        It is infinite for a mean over several classes, which holds with few rows of one of them.
        """
        return np.where((self.rows > 0) & (self.unseen is None), self.rows, np.inf).min(axis=-1)

    def bounds(self, value: Array, level: Level) -> Bounds:
        """Bounds of the metric, from its value."""
        seen = self.rows > 0
        share = np.where(seen, divide(self.count, self.rows), 0.0)
        ends = proportion_bounds(self.count, self.rows, "jeffreys", np.asarray(level)[..., None])
        below, above = (self.slope * np.where(seen, end - share, 0.0) for end in ends)
        down, up = np.minimum(below, above), np.maximum(below, above)
        low, high = (np.sqrt(self._squares(share, away)) for away in (down, up))
        if (~seen | (self.slope == self.slope.max(axis=-1, keepdims=True))).all():
            low, high = self._at_least_wilson(share, seen, (low, high), level)
        if self.unseen is not None and self.unseen.any():
            factor = self.slope.max(axis=-1)
            stands_for = value - (self.slope * share).sum(axis=-1)  # of all unseen shares
            most = factor * self.unseen.sum(axis=-1)
            low = low + np.clip(stands_for, 0, most)
            high = high + np.clip(most - stands_for, 0, most)
        return value - low, value + high

    def _squares(self, share: Array, away: Array) -> Array:
        """Squared distance of the metric to a bound, from the distances of its shares."""
        squares = (away**2).sum(axis=-1)
        if not self.together:
            return np.asarray(squares)
        # Disjoint shares of the same rows: correlations are minus the products of these roots.
        odds = np.nan_to_num(np.sqrt(divide(share, 1 - share)), posinf=0.0)
        odds = odds * np.sign(self.slope) * away
        return np.asarray(squares - odds.sum(axis=-1) ** 2 + (odds**2).sum(axis=-1))

    def _at_least_wilson(self, share: Array, seen: Array, away: Bounds, level: Level) -> Bounds:
        """Distances to the bounds of a mean, at least Wilson's on the side of the nearer end."""
        n_shares = seen.sum(axis=-1)
        mean = divide(share.sum(axis=-1), n_shares)
        squares = np.where(seen, divide(share * (1 - share), self.rows), 0.0).sum(axis=-1)
        rows = np.nan_to_num(divide(mean * (1 - mean) * n_shares**2, squares))
        factor = self.slope.sum(axis=-1)
        low, high = (factor * np.abs(mean - end) for end in wilson(mean * rows, rows, level))
        return (
            np.where(mean <= 0.5, np.fmax(away[0], low), away[0]),
            np.where(mean >= 0.5, np.fmax(away[1], high), away[1]),
        )


def difference_distances(sides: Iterable[Bounds], shared: float = 0.0) -> Bounds:
    """Distances of the bounds of a difference, down and up, from those of both sides (MOVER).

    ``shared`` is the correlation of the sides (Zou & Donner 2008).
    """
    (down_a, up_a), (down_b, up_b) = sides
    return summed_errors(down_a, up_b, shared), summed_errors(up_a, down_b, shared)


def summed_errors(first: Any, second: Any, shared: float) -> Any:
    """Standard error, or distance to a bound, of a difference of correlated sides."""
    squares = first * first + second * second - 2 * shared * first * second
    return np.sqrt(np.maximum(squares, 0.0))
