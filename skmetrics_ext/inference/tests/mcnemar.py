"""McNemar's test of two models on the same rows, or groups, and Tango's interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign
from skmetrics_ext.inference.linearized import Linearized
from skmetrics_ext.inference.margins import Claim
from skmetrics_ext.inference.proportions import Bounds, increasing_root, normal_quantile
from skmetrics_ext.inference.results import Comparison, comparison
from skmetrics_ext.inference.scales import quantile
from skmetrics_ext.numeric import Array, divide, ratio

MCNEMAR_METHODS = ("exact", "mid_p", "corrected", "uncorrected")


def mcnemar_p_value(
    only_a: ArrayLike, only_b: ArrayLike, method: str = "mid_p"
) -> tuple[Array, Array]:
    """Statistic (nan for exact tests) and p-value of McNemar's test, broadcast.

    ``only_a`` rows are right by the first model alone, ``only_b`` by the second alone.
    """
    from scipy.special import betainc, chdtrc

    first, second = np.broadcast_arrays(
        np.asarray(only_a, dtype=np.float64), np.asarray(only_b, dtype=np.float64)
    )
    apart = np.abs(first - second)
    if method in ("corrected", "uncorrected"):
        # The correction must not take more than there is.
        apart = apart - np.minimum(apart, 1.0) if method == "corrected" else apart
        statistic = np.nan_to_num(divide(apart**2, first + second))
        return statistic, chdtrc(1, statistic)
    more, fewer = np.maximum(first, second), np.minimum(first, second)
    # P(at least as many as the larger) of Binomial(n, 1/2), and P(more than it).
    as_many = np.where(more > 0, betainc(np.where(more > 0, more, 1), fewer + 1, 0.5), 1.0)
    beyond = np.where(fewer > 0, betainc(more + 1, np.where(fewer > 0, fewer, 1), 0.5), 0.0)
    tail = as_many if method == "exact" else (as_many + beyond) / 2
    return np.full(tail.shape, np.nan), np.minimum(2 * tail, 1.0)


def tango_score(delta: Array, only_a: float, only_b: float, nobs: float) -> Array:
    """Distance of the difference of two proportions of the same rows from another, in errors.

    These are of the likeliest shares whose difference is ``delta``.
    """
    # Likeliest share of rows that the second model alone has right: root of a quadratic.
    linear = (2 * nobs - only_a + only_b) * delta - only_a - only_b
    constant = -only_b * delta * (1 - delta)
    root = np.sqrt(np.maximum(linear**2 - 8 * nobs * constant, 0.0))
    share = np.maximum((root - linear) / (4 * nobs), 0.0)
    variance = np.maximum(2 * share + delta * (1 - delta), 0.0) / nobs
    away = (only_a - only_b) / nobs - delta
    return np.sign(away) * ratio(np.abs(away), np.sqrt(variance))


def tango_bounds(only_a: float, only_b: float, nobs: float, level: float) -> Bounds:
    """Score interval of the difference of two proportions of the same rows.

    The differences that the test does not reject whose variance is that of the likeliest
    shares under the difference; at difference 0 it is McNemar's test without correction.
    """
    z = normal_quantile(level)
    difference = np.asarray((only_a - only_b) / nobs)

    def score(delta: Array) -> Array:
        return tango_score(delta, only_a, only_b, nobs)

    low = increasing_root(lambda delta: z - score(delta), np.asarray(-1.0), difference)
    high = increasing_root(lambda delta: -z - score(delta), difference, np.asarray(1.0))
    return np.minimum(low, difference), np.maximum(high, difference)


def alike_bounds(nobs: float, level: float) -> tuple[float, float]:
    """The same of two shares of so many rows of which none tells them apart."""
    low, high = tango_bounds(0, 0, nobs, level)
    return float(low), float(high)


def discordant_rows(models: Sequence[Any], weights_are: str) -> tuple[int, int, int, int]:
    """Rows that only the first of two models has right, and only the second; all; those of both."""
    first, second = (one.row_hits() for one in models)
    sizes = models[0].weight if weights_are == "frequency" else None

    def count(rows: Array) -> int:
        return int(np.count_nonzero(rows) if sizes is None else sizes[rows].sum())

    n_rows = len(first) if sizes is None else int(sizes.sum())
    return count(first & ~second), count(second & ~first), n_rows, count(first & second)


def counts_of(hits: Array) -> tuple[int, int, int, int]:
    """`discordant_rows` of a table of hits, a row for each sample and a column for each model."""
    first, second = (column.astype(bool) for column in hits.T)
    only = int((first & ~second).sum()), int((second & ~first).sum())
    return *only, len(hits), int((first & second).sum())


def mcnemar_comparison(
    only_a: int, only_b: int, n_rows: int, both: int, method: str, level: float
) -> Comparison:
    """The test of the numbers of rows that one model, or both, have right."""
    statistic, p_value = mcnemar_p_value(only_a, only_b, method)
    low, high = tango_bounds(only_a, only_b, n_rows, level)
    error = np.sqrt(only_a + only_b - (only_a - only_b) ** 2 / n_rows) / n_rows
    return comparison(
        (only_a - only_b) / n_rows,
        ((only_a + both) / n_rows, (only_b + both) / n_rows),
        f"mcnemar, {method}",
        level,
        Claim(),
        (float(low), float(high)),
        float(statistic),
        float(p_value),
        float(error),
    )


def exchanged_p_value(sums: Array, method: str) -> tuple[float, float]:
    """The same of sums over groups of the differences of hits, as `mcnemar_p_value` of rows.

    The models change places in whole groups: the exact methods count all exchanges, the others
    take the square of the sum by the sum of the squares.
    """
    from scipy.special import chdtrc, gammaln

    apart = float(abs(sums.sum()))
    if method in ("corrected", "uncorrected"):
        moved = apart - min(apart, 1.0) if method == "corrected" else apart
        statistic = over(moved**2, (sums**2).sum())
        return statistic, float(chdtrc(1, statistic))
    sizes, counts = np.unique(np.abs(sums[sums != 0]).astype(np.int64), return_counts=True)
    share = np.ones(1)  # of the exchanges with each sum of the groups that the first model wins
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        won = np.arange(count + 1)
        ways = gammaln(count + 1) - gammaln(won + 1) - gammaln(count - won + 1)
        own = np.zeros(size * count + 1)
        own[::size] = np.exp(ways - count * np.log(2))
        share = np.convolve(share, own)
    total = 2 * np.arange(len(share)) - (len(share) - 1)
    as_many, beyond = share[total >= apart].sum(), share[total > apart].sum()
    tail = as_many if method == "exact" else (as_many + beyond) / 2
    return float("nan"), min(2 * float(tail), 1.0)


def grouped_comparison(hits: Array, group: Array, method: str, level: float) -> Comparison:
    """`mcnemar_comparison` of rows that depend on each other within groups."""
    apart, n_rows = hits[:, 0] - hits[:, 1], len(hits)
    found = mcnemar_comparison(*counts_of(hits), method, level)
    atoms = Atoms.each_row(n_rows, RowDesign(None, group), None)
    parts = (apart - found.difference) / n_rows
    added = Linearized(
        found.difference, None, contributions=parts, own_atoms=atoms, own_ways=(None,)
    )
    effect = float(added.design_effect())
    statistic, p_value = exchanged_p_value(np.bincount(group, weights=apart), method)
    # Rows are worth as many as would have this variance, and as a t quantile leaves of them.
    worth = 1 / effect if effect > 0 else atoms.n_groups / n_rows
    worth *= float(normal_quantile(level) / quantile(level, added.freedom)) ** 2
    only_a, only_b = (worth * float((apart == sign).sum()) for sign in (1, -1))
    low, high = tango_bounds(only_a, only_b, worth * n_rows, level)
    return replace(
        found,
        low=float(low),
        high=float(high),
        statistic=statistic,
        p_value=p_value,
        standard_error=float(np.sqrt(added.variance)),
        n_groups=atoms.n_groups,
        design_effect=effect,
    )


def over(numerator: Any, denominator: Any) -> float:
    """A ratio that is 0 where nothing differs."""
    return float(np.nan_to_num(divide(numerator, denominator)))
