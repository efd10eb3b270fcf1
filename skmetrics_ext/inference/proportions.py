"""Intervals of a proportion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.scales import RANGES, Bounds, Level, mapped_bounds, quantile
from skmetrics_ext.numeric import Array, divide, increasing_root, wilson
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
