"""Intervals of a proportion, and of linear functions of several (MOVER).

Zou & Donner (2008), Statistics in Medicine 27(10), 1693-1702: the squared distances to the bounds
add up if no row is counted in two shares, as in a mean of one share of each class; disjoint shares
of the same rows are negatively correlated. The bounds of a share are Jeffreys'. If nearly all
shares are 1 (or 0), these are too near on the side of that end. There the bound of a mean is at
least as far as Wilson's for the mean, taken as a share of the number of rows with its variance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.derivatives import STEP
from skmetrics_ext.inference.scales import RANGES, Bounds, Level, mapped_bounds, quantile
from skmetrics_ext.metrics.averaging import MACRO, is_by_class, is_plain
from skmetrics_ext.numeric import Array, divide, increasing_root, wilson
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import ConfusionTally, Counts
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.parameters import check_number

# --------------------------------------------------------------------------- kernels
# Each takes (count, nobs, level), float64 arrays of one shape with nobs > 0. Counts may be sums of
# weights, which are not integers.


def _wald(count: Array, nobs: Array, level: Level) -> Bounds:
    share = count / nobs
    spread = quantile(level) * np.sqrt(share * (1 - share) / nobs)
    return share - spread, share + spread


def _agresti_coull(count: Array, nobs: Array, level: Level) -> Bounds:
    z = quantile(level)
    return _wald(count + z * z / 2, nobs + z * z, level)


def _wilson_cc(count: Array, nobs: Array, level: Level) -> Bounds:
    z = quantile(level)
    share, rest = count / nobs, (nobs - count) / nobs
    down = z * np.sqrt(np.maximum(z * z - 2 - 1 / nobs + 4 * share * (nobs * rest + 1), 0))
    up = z * np.sqrt(np.maximum(z * z + 2 - 1 / nobs + 4 * share * (nobs * rest - 1), 0))
    low = (2 * count + z * z - 1 - down) / (2 * (nobs + z * z))
    high = (2 * count + z * z + 1 + up) / (2 * (nobs + z * z))
    return np.where(count == 0, 0.0, low), np.where(count == nobs, 1.0, high)


def _clopper_pearson(count: Array, nobs: Array, level: Level) -> Bounds:
    from scipy.special import betaincinv

    tail, rest = (1 - level) / 2, nobs - count
    # A Beta distribution with a parameter of 0 has all its mass at 0 or 1.
    low = betaincinv(np.where(count > 0, count, 1), rest + 1, tail)
    high = betaincinv(count + 1, np.where(rest > 0, rest, 1), 1 - tail)
    return np.where(count > 0, low, 0.0), np.where(rest > 0, high, 1.0)


def _jeffreys(count: Array, nobs: Array, level: Level) -> Bounds:
    from scipy.special import betaincinv

    tail, rest = (1 - level) / 2, nobs - count
    low = betaincinv(count + 0.5, rest + 0.5, tail)
    high = betaincinv(count + 0.5, rest + 0.5, 1 - tail)
    return np.where(count == 0, 0.0, low), np.where(rest == 0, 1.0, high)


def binomial_tails(count: Array, rest: Array, share: Array | float) -> tuple[Array, Array]:
    """Chances of at least so many successes, and of more, in count + rest trials."""
    from scipy.special import betainc

    at_least = np.where(count > 0, betainc(np.where(count > 0, count, 1), rest + 1, share), 1.0)
    more = np.where(rest > 0, betainc(count + 1, np.where(rest > 0, rest, 1), share), 0.0)
    return at_least, more


def _mid_p(count: Array, nobs: Array, level: Level) -> Bounds:
    tail = (1 - level) / 2

    def at_least(share: Array) -> Array:
        """P(more) + P(as many) / 2, growing with the share."""
        as_many_or_more, more = binomial_tails(count, nobs - count, share)
        return (as_many_or_more + more) / 2

    # Half the probability of the observed count makes both bounds less extreme than the exact.
    low, high = _clopper_pearson(count, nobs, level)
    share = count / nobs
    return (
        increasing_root(lambda p: at_least(p) - tail, low, share),
        increasing_root(lambda p: at_least(p) - (1 - tail), share, high),
    )


def _likelihood_ratio(count: Array, nobs: Array, level: Level) -> Bounds:
    from scipy.special import xlog1py, xlogy

    share, limit = count / nobs, quantile(level) ** 2 / 2

    def log_likelihood(p: Array) -> Array:
        return xlogy(count, p) + xlog1py(nobs - count, -p)

    def excess(p: Array) -> Array:
        return log_likelihood(p) - log_likelihood(share) + limit

    return (
        increasing_root(excess, np.zeros_like(share), share),
        increasing_root(lambda p: -excess(p), share, np.ones_like(share)),
    )


def _logit(count: Array, nobs: Array, level: Level) -> Bounds:
    inner, share = (count > 0) & (count < nobs), divide(count, nobs)
    error = np.sqrt(share * (1 - share) / nobs)
    low, high = mapped_bounds(share, error, quantile(level), RANGES["logit"])
    least, most = _clopper_pearson(count, nobs, level)  # the logit of 0 and of 1 is infinite
    return np.where(inner, low, least), np.where(inner, high, most)


def _arcsine(count: Array, nobs: Array, level: Level) -> Bounds:
    angle = np.arcsin(np.sqrt((count + 0.375) / (nobs + 0.75)))
    spread = quantile(level) / (2 * np.sqrt(nobs))
    low, high = np.maximum(angle - spread, 0.0), np.minimum(angle + spread, np.pi / 2)
    return np.sin(low) ** 2, np.sin(high) ** 2


_BOUNDS: dict[str, Callable[[Array, Array, Any], Bounds]] = {
    "wilson": wilson,
    "wilson_cc": _wilson_cc,
    "clopper_pearson": _clopper_pearson,
    "jeffreys": _jeffreys,
    "agresti_coull": _agresti_coull,
    "mid_p": _mid_p,
    "likelihood_ratio": _likelihood_ratio,
    "logit": _logit,
    "arcsine": _arcsine,
    "wald": _wald,
}
PROPORTION_METHODS = tuple(_BOUNDS)
ProportionMethod = Literal[
    "wilson", "wilson_cc", "clopper_pearson", "jeffreys", "agresti_coull", "mid_p",
    "likelihood_ratio", "logit", "arcsine", "wald",
]  # fmt: skip


def proportion_bounds(
    count: ArrayLike, nobs: ArrayLike, method: str = "wilson", confidence_level: Level = 0.95
) -> Bounds:
    """Bounds of proportions count / nobs at levels, broadcast; (nan, nan) where nobs is 0.

    They lie in [0, 1] and always contain the proportion itself.
    """
    count, nobs = np.asarray(count, dtype=np.float64), np.asarray(nobs, dtype=np.float64)
    count, nobs, level = np.broadcast_arrays(count, nobs, confidence_level)
    known = nobs > 0
    if not known.all():
        low, high = np.full(count.shape, np.nan), np.full(count.shape, np.nan)
        low[known], high[known] = proportion_bounds(count[known], nobs[known], method, level[known])
        return low, high
    low, high = _BOUNDS[method](count, nobs, level)
    share = count / nobs
    return np.minimum(np.maximum(low, 0.0), share), np.maximum(np.minimum(high, 1.0), share)


def check_count(name: str, count: Any, total_name: str, total: float) -> float:
    """A number in [0, total]."""
    number = check_number(name, count, 0)
    if number > total:
        raise InvalidParameterError(
            f"{name} has to be at most {total_name}, got {count!r} of {total:g}."
        )
    return number


# --------------------------------------------------------------------------- sums of proportions

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
