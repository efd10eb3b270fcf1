"""Bounds of what is linear in shares of rows, from the bounds of each share (MOVER).

Zou & Donner (2008), Statistics in Medicine 27(10), 1693-1702: squares of the distances to the
bounds add up where no row is counted in two shares, as in a mean of one share of each class; two
shares of the same rows, no row being in both, are correlated. The bounds of a share are Jeffreys'.
Of many shares few of which are not 1 these know too little of what lies above (and of shares of 0
of what lies below): there the bound of a mean is no nearer than Wilson's of the mean itself, taken
as the share of as many rows as have its variance.
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
        Rows that count, of so many; none of what has no rows.
    slope : ndarray of shape (..., P)
        Derivative of the metric by each share.
    together : bool
        Whether all are shares of the same rows, none of which counts twice.
    """

    count: Array
    rows: Array
    slope: Array
    together: bool = False

    @classmethod
    def of_sample(cls, sample: Any) -> Shares | None:
        """Shares of independent rows; None where the metric is not linear in known ones."""
        atoms = sample.atoms
        if not (sample.design.is_plain and sample.is_one_table):
            return None
        of_rows = cls._of_counts(sample, atoms.mass(atoms.rows))
        if of_rows is None or atoms.weight is None:
            return of_rows
        # As many equal rows as determine each share as well as weighted ones do (Kish 1965).
        squares = cls._of_counts(sample, atoms.rows * atoms.weight**2)
        assert squares is not None
        worth = np.nan_to_num(divide(of_rows.rows, squares.rows))
        return replace(of_rows, count=of_rows.count * worth, rows=of_rows.rows * worth)

    @classmethod
    def _of_counts(cls, sample: Any, mass: Array) -> Shares | None:
        """Shares of a table, or of one ranking, whose atoms weigh so much."""
        metric, tally = sample.metric, sample.tally_of_mass(mass)
        if sample.is_compact:
            return cls.of_table(metric, tally)
        shares = metric.spec.shares(tally, **metric.own)
        return None if shares is None else cls(*shares)

    @classmethod
    def of_table(cls, metric: Metric, tally: ConfusionTally) -> Shares | None:
        """Of a metric of tables (..., K, K) of rows."""
        average, pairs_of = metric.options.get("average", MACRO), metric.spec.shares
        joined = is_by_class(average) and average is not None
        if not (joined or average in ("binary", None)):
            return None
        counts, read = metric.counted(tally)
        pairs = [(getattr(counts, own), getattr(counts, other)) for own, other in pairs_of]
        count = np.stack([own for own, _ in pairs], axis=-1).astype(np.float64)
        rows = np.stack([own + other for own, other in pairs], axis=-1).astype(np.float64)
        if joined:
            if len(pairs) == rows.shape[-2] == 2:  # both classes have the same shares
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
        names = (part.name for part in fields(Counts))
        moved = {name: getattr(counts, name).astype(np.complex128) for name in names}
        for (own, other), (part, rest) in zip(pairs_of, pairs, strict=True):
            moved[own] += 1j * STEP * (part + rest)  # all shares at once: they count alike
            moved[other] -= 1j * STEP * (part + rest)
        slope = divide(np.asarray(read(Counts(**moved))).imag / STEP, (rows > 0).sum(axis=-1))
        return cls(count, rows, np.where(rows > 0, slope[..., None], 0.0))

    def fewest(self) -> Array:
        """The rows of the share that has fewest of those that have any, (...)."""
        return np.where(self.rows > 0, self.rows, np.inf).min(axis=-1)

    def bounds(self, value: Array, level: Level) -> Bounds:
        """Bounds of the metric, which has this value."""
        seen = self.rows > 0
        share = np.where(seen, divide(self.count, self.rows), 0.0)
        ends = proportion_bounds(self.count, self.rows, "jeffreys", np.asarray(level)[..., None])
        below, above = (self.slope * np.where(seen, end - share, 0.0) for end in ends)
        down, up = np.minimum(below, above), np.maximum(below, above)
        low, high = (np.sqrt(self._squares(share, away)) for away in (down, up))
        if (~seen | (self.slope == self.slope.max(axis=-1, keepdims=True))).all():
            low, high = self._no_nearer(share, seen, (low, high), level)
        return value - low, value + high

    def _squares(self, share: Array, away: Array) -> Array:
        """Square of the distance of the metric to a bound, from those of its parts."""
        squares = (away**2).sum(axis=-1)
        if not self.together:
            return np.asarray(squares)
        # A row of one is none of the other: correlations are products of these, but for the sign.
        told = np.nan_to_num(np.sqrt(divide(share, 1 - share)), posinf=0.0)
        told = told * np.sign(self.slope) * away
        return np.asarray(squares - told.sum(axis=-1) ** 2 + (told**2).sum(axis=-1))

    def _no_nearer(self, share: Array, seen: Array, away: Bounds, level: Level) -> Bounds:
        """Distances to the bounds of a mean, on the side of the nearer end at least Wilson's."""
        n_shares = seen.sum(axis=-1)
        mean = divide(share.sum(axis=-1), n_shares)
        squares = np.where(seen, divide(share * (1 - share), self.rows), 0.0).sum(axis=-1)
        worth = np.nan_to_num(divide(mean * (1 - mean) * n_shares**2, squares))
        factor = self.slope.sum(axis=-1)
        low, high = (factor * np.abs(mean - end) for end in wilson(mean * worth, worth, level))
        return (
            np.where(mean <= 0.5, np.fmax(away[0], low), away[0]),
            np.where(mean >= 0.5, np.fmax(away[1], high), away[1]),
        )


def difference_distances(sides: Iterable[Bounds], shared: float = 0.0) -> Bounds:
    """Distances of the bounds of a difference, down and up, from those of both sides.

    ``shared`` is the correlation of the sides (Zou & Donner 2008).
    """
    (down_a, up_a), (down_b, up_b) = sides
    return summed_errors(down_a, up_b, shared), summed_errors(up_a, down_b, shared)


def summed_errors(first: Any, second: Any, shared: float) -> Any:
    """Standard error, or distance to a bound, of a difference of correlated sides."""
    squares = first * first + second * second - 2 * shared * first * second
    return np.sqrt(np.maximum(squares, 0.0))
