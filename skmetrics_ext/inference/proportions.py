"""Intervals of a proportion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Number
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.results import Estimate, estimate
from skmetrics_ext.inference.scales import RANGES, Bounds, Level, mapped_bounds, quantile
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array, divide, increasing_root, wilson
from skmetrics_ext.validation import InvalidParameterError, check_option, warn_undefined
from skmetrics_ext.validation.containers import read_column
from skmetrics_ext.validation.parameters import check_level, check_number

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


# --------------------------------------------------------------------------- public functions


@document
def proportion_interval(
    count: float | ArrayLike,
    nobs: float | None = None,
    *,
    method: ProportionMethod = "wilson",
    confidence_level: float = 0.95,
    groups: ArrayLike | None = None,
) -> Estimate:
    r"""Interval of a proportion, such as accuracy, sensitivity, precision or prevalence.

    .. math:: \hat p = k / n

    Parameters
    ----------
    count : float or array-like of shape (n_samples,)
        Number of successes :math:`k`; sums of weights need not be whole. Without ``nobs`` the mark
        of each answer: 1 or True where it is right, 0 or False where it is wrong.
    nobs : float, default=None
        Number of trials :math:`n`.
    method : str, default="wilson"
        One of:

        - "wilson" inverts the score test,
          :math:`|\hat p - p| \le z \sqrt{p (1 - p) / n}`; its coverage is close to the level on
          average. "wilson_cc" adds a continuity correction;
        - "clopper_pearson" inverts the exact binomial test on each side: coverage is at least
          the level, and the interval is wide;
        - "mid_p" counts only half the probability of the observed count: coverage is close to the
          level on average and seldom far below;
        - "jeffreys" has the quantiles of the Beta(k + 1/2, n - k + 1/2) posterior, and the bound
          0 at k = 0, 1 at k = n;
        - "agresti_coull" is Wald's interval after adding z^2 trials, half of them successes;
        - "likelihood_ratio" contains every p that the likelihood ratio test does not reject;
        - "logit" is Wald's interval for the log odds (exact at 0 and n), "arcsine" that for the
          variance-stabilising arcsine transformation with Anscombe's correction;
        - "wald" is :math:`\hat p \pm z \sqrt{\hat p (1 - \hat p) / n}`. It covers too little
          near 0 and 1, where it has no width; use it to compare with published intervals.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval, two-sided.
    groups : array-like of shape (n_samples,), default=None
        The group of each mark, such as the document or the question, if marks of a group may
        depend on each other: the interval is that of the effective number of marks.

    Returns
    -------
    Estimate
        The bounds lie in [0, 1]. ``standard_error`` is :math:`\sqrt{\hat p (1 - \hat p) / n}`.
        Everything is nan, with a warning, where ``nobs`` is 0.

    Raises
    ------
    {raises}

    References
    ----------
    Wilson (1927), JASA 22(158), 209-212; Clopper & Pearson (1934), Biometrika 26(4), 404-413;
    Brown, Cai & DasGupta (2001), Statistical Science 16(2), 101-133; Newcombe (1998),
    Statistics in Medicine 17(8), 857-872; Anscombe (1948), Biometrika 35(3-4), 246-254.

    Examples
    --------
    >>> from skmetrics_ext import proportion_interval
    >>> print(proportion_interval(81, 263))
    0.308 [0.2553, 0.3662], 95 %, wilson
    >>> print(proportion_interval(0, 20, method="clopper_pearson"))
    0 [0, 0.1684], 95 %, clopper_pearson

    Marks of 24 answers to questions about six documents:

    >>> marks, document = [1, 1, 1, 0, 1, 1] * 4, [1, 1, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6] * 2
    >>> print(proportion_interval(marks))
    Accuracy 0.8333 [0.6415, 0.9332], 95 %, 24 rows, wilson
    >>> proportion_interval(marks, groups=document).n_groups
    6

    The difference of two independent proportions, with Newcombe's interval (1998, method 10):

    >>> print(proportion_interval(56, 70) - proportion_interval(48, 80))  # doctest: +ELLIPSIS
    Accuracy 0.8 against 0.6: 0.2 [0.05243, 0.3339], p = 0.00813, the first is better, 95 %, ...
    """
    check_option("method", method, PROPORTION_METHODS)
    if nobs is None:
        return _of_marks(count, method=method, confidence_level=confidence_level, groups=groups)
    if groups is not None:
        raise InvalidParameterError(
            "groups belong to the marks of single answers: leave out nobs, and pass the marks."
        )
    level = check_level(confidence_level)
    nobs = check_number("nobs", nobs, 0)
    count = check_count("count", count, "nobs", nobs)
    if nobs == 0:
        warn_undefined("proportion_interval is undefined and nan: nobs is 0.")
    low, high = proportion_bounds(count, nobs, method, level)
    share = float(divide(count, nobs))
    error = float(np.sqrt(divide(share * (1 - share), nobs)))
    result = estimate(share, (float(low), float(high)), error, method, level)
    is_whole = nobs > 0 and float(count).is_integer() and float(nobs).is_integer()
    return replace(result, _made=_rows_of(count, nobs, share, method)) if is_whole else result


def _rows_of(count: float, nobs: float, share: float, method: str) -> Any:
    """What the estimate is computed with: rows that are right or wrong, those of no other."""
    from skmetrics_ext.inference.algebra import Leaf, Made
    from skmetrics_ext.inference.draws.bootstrap import PLAN
    from skmetrics_ext.inference.identity import Given, Separate
    from skmetrics_ext.metrics.labels.accuracy import accuracy_score
    from skmetrics_ext.registry import find

    weights = [int(count), int(nobs - count)]
    given = Given(find(accuracy_score), [1, 1], [1, 0], weights, weights_are="frequency")
    leaf = Leaf(share, given.metric, given.statistic, Separate(), bounds=(0.0, 1.0))
    return Made(leaf, PLAN, method)


def _of_marks(marks: Any, **options: Any) -> Estimate:
    """The share of marks that are right: the accuracy of answers whose truth is that they are."""
    from skmetrics_ext.inference.confidence_interval import confidence_interval
    from skmetrics_ext.metrics.labels.accuracy import accuracy_score

    if isinstance(marks, Number):
        raise InvalidParameterError(
            f"nobs is missing: pass the number of trials next to count={marks!r:.60}, or the marks "
            "of the answers as count."
        )
    column = read_column(marks, "count")
    wrong = [mark for mark in dict.fromkeys(column.labels.ravel().tolist()) if mark not in (0, 1)]
    if column.values.ndim != 1 or wrong:
        what = f"{wrong[0]!r}" if wrong else f"an array of shape {column.values.shape}"
        raise InvalidParameterError(
            f"count without nobs must hold the mark of each answer, 1 or 0, True or False, got "
            f"{what}: pass np.asarray(marks) == the mark that is right."
        )
    right = column.labels == 1
    if column.mask is not None:
        right = np.ma.MaskedArray(right, column.mask)
    return confidence_interval(accuracy_score, np.ones(len(column), dtype=bool), right, **options)


def check_count(name: str, count: Any, total_name: str, total: float) -> float:
    """A number in [0, total]."""
    number = check_number(name, count, 0)
    if number > total:
        raise InvalidParameterError(
            f"{name} has to be at most {total_name}, got {count!r} of {total:g}."
        )
    return number
