"""Simultaneous inference: the largest of many correlated errors, and Holm's method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext import kernels
from skmetrics_ext.inference.algebra import Expression, Linear
from skmetrics_ext.inference.answers import blocks_of, joined, sides_of
from skmetrics_ext.inference.arithmetic import at_level
from skmetrics_ext.inference.compare import LOG_RATIO, compare_pairs, is_ratio
from skmetrics_ext.inference.draws.atoms import block_sizes
from skmetrics_ext.inference.draws.bootstrap import DrawPlan, seed_sequence
from skmetrics_ext.inference.linearized import (
    LEAST_FREEDOM,
    Linearized,
    covariance_by_pairs,
    covariance_of,
)
from skmetrics_ext.inference.margins import Asked
from skmetrics_ext.inference.methods import interval_of, methods_of
from skmetrics_ext.inference.notes import ROUNDING
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.scales import drawn_bounds, drawn_p_value, quantile
from skmetrics_ext.inference.t_tests import spread_of
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import read_numbers

Pair = tuple[int, int]
ADJUSTMENTS = ("holm", "bonferroni", "simultaneous")

_EXACT = "clopper_pearson"
_OF_ANY = (
    "adjust('simultaneous') takes estimates of the same rows whose metrics have influence values: "
    "adjust('bonferroni') takes any."
)
_SPREAD = ("error", "freedom")
_ADJUSTED = ("low", "high", "p_adjusted")
_PAIRED_T = ("delong", "delta", LOG_RATIO)  # methods of a t test from the contributions
_CACHED = 1 << 12  # draws whose errors stay in the cache
_AT_ONCE = 1 << 20  # errors that are drawn at once: few products, which threads would slow down


def root_of(covariance: Array) -> Array:
    """A matrix (p, k) whose product with its transpose is the covariance."""
    values, vectors = np.linalg.eigh(np.nan_to_num(covariance))
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def largest_of(root: Array, n_draws: int, seed: object) -> Array:
    """The largest standardised error in each draw, sorted, from a root (p, k) of the covariance."""
    if not len(root):
        return np.zeros(n_draws)
    scaled = root / np.sqrt((root**2).sum(axis=1, keepdims=True))
    rng = np.random.default_rng(seed_sequence(seed))
    sizes = block_sizes(n_draws, max(_AT_ONCE // len(scaled), 1))
    blocks = [np.abs(scaled @ rng.normal(size=(n, scaled.shape[1])).T).max(axis=0) for n in sizes]
    return np.sort(np.concatenate(blocks))


def largest_difference_of(root: Array, pairs: Array, n_draws: int, seed: object) -> Array:
    """`largest_of` for the differences of pairs (m, 2) of errors with this root (p, k).

    Errors are drawn for the p, not for the m differences.
    """
    first, second = np.ascontiguousarray(np.reshape(pairs, (-1, 2)).T)
    scale = 1 / np.sqrt(((root[first] - root[second]) ** 2).sum(axis=1))
    rng = np.random.default_rng(seed_sequence(seed))
    blocks = []
    for n in block_sizes(n_draws, _CACHED):
        errors = root @ rng.normal(size=(n, root.shape[1])).T
        blocks.append(kernels.largest_differences(errors, first, second, scale))
    return np.sort(np.concatenate(blocks))


def level_together(largest: Array, n_errors: int, level: float) -> float:
    """Level of each of several simultaneous intervals, from draws of the largest error.

    It is at least that of one interval, and at most Bonferroni's, whatever the dependence.
    """
    from scipy.special import ndtr

    place = min(int(np.ceil(level * (len(largest) + 1))), len(largest)) - 1
    ends = quantile(level), quantile(1 - (1 - level) / max(n_errors, 1))
    return float(1 - 2 * ndtr(-np.clip(largest[place], *ends)))


def level_of_all(covariance: Array, level: float, n_draws: int, seed: object) -> float:
    """Level of each simultaneous interval, from the covariance of the errors that vary."""
    variance = np.diag(covariance)
    varies = variance > ROUNDING * np.nanmax(variance, initial=0.0)
    root = root_of(covariance[np.ix_(varies, varies)])
    return level_together(largest_of(root, n_draws, seed), int(varies.sum()), level)


def covariance_of_paired(statistics: Sequence[Linearized]) -> Array:
    """Covariance (p, p) of statistics of the same rows, whose sums are those of differences.

    From one product where the design allows and no two are equal: rounding decides the directions
    in which these do not vary.
    """
    first, design = statistics[0], statistics[0].design
    way = first.by_row[1][0]
    is_alike = len({(each.is_of_counts, each.by_row[0].shape) for each in statistics}) == 1
    has_classes = way is None or way.ndim == 1
    if not (design.is_plain and is_alike and has_classes):
        return covariance_by_pairs(statistics)
    parts = np.stack([statistic.by_row[0] for statistic in statistics])
    rows = np.ones(parts.shape[1]) if design.sizes is None else design.sizes
    if not first.is_of_counts:  # each class has a variance of its own, with n / (n - 1)
        label = np.zeros(len(rows), dtype=np.int64) if way is None else way
        seen = np.bincount(label, weights=rows)
        factor = seen / np.maximum(seen - 1.0, LEAST_FREEDOM)
        rows = rows * np.where(seen == 1, np.nan, factor)[label]
    covariance = (parts * rows) @ parts.T
    variance = covariance.diagonal()
    both = variance[:, None] + variance
    n_equal = np.count_nonzero(both - 2 * covariance <= ROUNDING * both) - len(both)
    return covariance_by_pairs(statistics) if n_equal else np.asarray(covariance)


# --------------------------------------------------------------------------- many models


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # nan where undefined
def by_max_t(
    models: Sequence[Linearized], pairs: Sequence[Pair], estimates: Sequence[Estimate], asked: Asked
) -> list[dict[str, Any]]:
    """Bounds and p-values of pairs, from the distribution of the largest of all statistics.

    With one standard normal multiplier for each row, or group, the errors of all models are normal
    with the covariance of the contributions, from which they are drawn. The t statistic of a
    difference with few degrees of freedom takes the normal value with the same p-value.
    ``estimates`` are the differences, compared one by one.
    """
    from scipy.special import stdtr

    metric, level = models[0].origin.metric, asked.level
    read = models if len(pairs) > 1 else [each for model in models for each in model.readings]
    if not all(each.has_influence for each in read):
        raise InvalidParameterError(_OF_ANY)
    if len(pairs) == 1:
        both = [(models[i], models[j]) for i, j in pairs]
        return list(map(_adjusted_row, compare_pairs(both, asked)))
    log = is_ratio(metric)
    statistics = [model.on_log() if log else model for model in models]
    difference, error, freedom = _spread_of(statistics, pairs, estimates)
    first, second = np.array(pairs).T
    measured = np.array([not model.undefined for model in models])
    known = (error > 0) & np.isfinite(difference) & measured[first] & measured[second]
    error = np.where(known, error, np.nan)
    alone = 2 * stdtr(freedom, -np.abs(divide(difference, error)))
    root = root_of(covariance_of_paired(statistics))
    drawn, n_draws = np.stack([first[known], second[known]], axis=1), asked.plan.normal_draws
    largest = largest_difference_of(root, drawn, n_draws, asked.plan.random_state)
    n_tests = max(int(known.sum()), 1)
    p_value = _adjusted_to(largest, alone, n_tests)
    away = quantile(level_together(largest, n_tests, level), freedom) * error
    most = np.inf if log else models[0].bounds[1] - models[0].bounds[0]
    low, high = np.clip((difference - away, difference + away), -most, most)
    adjusted: list[dict[str, Any]] = [
        {**drawn_bounds(down, up, level, n_draws), "p_adjusted": drawn_p_value(p, n_draws)}
        for down, up, p in zip(low.tolist(), high.tolist(), p_value.tolist(), strict=True)
    ]
    alone_asked = Asked(
        1 - (1 - level) / len(pairs), None, asked.plan, LOG_RATIO if log else "delta"
    )
    rest = np.flatnonzero(~known).tolist()  # the two agree on every row, or one is undefined
    both = [(models[first[k]], models[second[k]]) for k in rest]
    for k, each in zip(rest, compare_pairs(both, alone_asked) if both else (), strict=True):
        adjusted[k] = _adjusted_row(each)
    return adjusted


def _adjusted_row(estimate: Estimate) -> dict[str, Any]:
    return dict(zip(_ADJUSTED, (estimate.low, estimate.high, estimate.p_value), strict=True))


def _spread_of(
    statistics: Sequence[Linearized], pairs: Sequence[Pair], estimates: Sequence[Estimate]
) -> Array:
    """Paired differences, their standard errors, and degrees of freedom: those of t tests."""
    if all(each.method.startswith(_PAIRED_T) and each.freedom for each in estimates):
        return np.array([(each.value, each.standard_error, each.freedom) for each in estimates]).T
    difference, variance, freedom, _ = spread_of([(statistics[i], statistics[j]) for i, j in pairs])
    return np.array([difference, np.sqrt(variance), freedom])


def optimistic_bounds(
    statistics: Sequence[Linearized], sign: float, level: float, plan: DrawPlan
) -> Array:
    """The optimistic simultaneous bound of each statistic, times ``sign``; inf without one."""
    joint_level, bounds = 1 - (1 - level) / len(statistics), []
    for statistic in statistics:
        # The exact interval for shares: at such levels the others cover too little.
        method = _EXACT if _EXACT in methods_of(statistic) else "auto"
        estimate: Any = interval_of(statistic, method, joint_level, plan)
        bounds.append(sign * (estimate.high if sign > 0 else estimate.low))
    return np.where(np.isfinite(bounds), bounds, np.inf)


# --------------------------------------------------------------------------- rows of a table


@document
def holm_adjust(p_values: ArrayLike) -> Array:
    r"""Holm's step-down adjustment of p-values for multiple tests.

    .. math:: \tilde p_{(i)} = \max_{j \le i} \min(1, (m - j + 1) p_{(j)})

    Rejecting the hypotheses with adjusted p-values of at most alpha keeps the chance of any false
    rejection at alpha, whatever the dependence between the tests.

    Parameters
    ----------
    p_values : array-like
        p-values in [0, 1] of any shape; nan stays nan and is not counted.

    Returns
    -------
    ndarray
        Adjusted p-values, in the shape and order of ``p_values``.

    Raises
    ------
    {raises}

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6(2), 65-70.

    Examples
    --------
    >>> from skmetrics_ext import holm_adjust
    >>> holm_adjust([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    values = read_numbers("p_values", p_values)
    defined = values[~np.isnan(values)]
    if ((defined < 0) | (defined > 1)).any():
        raise InvalidParameterError(
            f"p_values has to be in [0, 1], got {defined.min()} to {defined.max()}."
        )
    order = np.argsort(defined, kind="stable")
    steps = np.minimum(defined[order] * np.arange(len(defined), 0, -1), 1.0)
    adjusted = np.full(values.shape, np.nan)
    adjusted[~np.isnan(values)] = np.maximum.accumulate(steps)[np.argsort(order)]
    return adjusted


def adjusted(
    how: str, rows: Sequence[Any], level: float, n_more: int = 0, among: Sequence[Any] = ()
) -> list[dict[str, Any]]:
    """What an adjustment changes in each row of a family of tests.

    Parameters
    ----------
    how : str
        One of ``ADJUSTMENTS``.
    rows : sequence of EstimateRow
    level : float
        Simultaneous coverage.
    n_more : int
        Number of further hypotheses, which are known to be true.
    among : sequence
        Models in the order of the table of which these are the differences.
    """
    check_option("how", how, ADJUSTMENTS)
    p_values = np.array([row["p_value"] for row in rows], dtype=np.float64)
    if how == "simultaneous":
        return _by_largest(rows, p_values, level, among)
    if how == "holm":
        p_adjusted = holm_adjust([*p_values, *[1.0] * n_more]).tolist()
        return [{"p_adjusted": p} for p in p_adjusted[: len(rows)]]
    n_tests = len(rows) + n_more
    wide = at_level([row.estimate for row in rows], 1 - (1 - level) / n_tests)
    return [
        {"low": each.low, "high": each.high, "p_adjusted": float(np.minimum(n_tests * p, 1.0))}
        for each, p in zip(wide, p_values, strict=True)
    ]


def _by_largest(
    rows: Sequence[Any], p_values: Array, level: float, among: Sequence[Any]
) -> list[dict[str, Any]]:
    """Bounds and p-values from the distribution of the largest of all statistics."""
    estimates = [row.estimate for row in rows]
    made = [estimate._made for estimate in estimates]
    xs: list[Expression] = [each.expression for each in made if each is not None]
    sides = [sides_of(x) for x in xs]
    operands = [list(x.operands()) if s is None else s[:2] for x, s in zip(xs, sides, strict=True)]
    named: dict[Any, Any] = {}
    for row, of_row in zip(rows, operands, strict=True):
        named |= zip(of_row, (row["model"], row["against"]), strict=False)
    leaves = list(named)
    if among and set(named.values()) <= set(among):  # draws depend on the order of the models
        leaves.sort(key=lambda leaf: among.index(named[leaf]))
    asked = Asked(level, plan=made[0].plan)
    blocks = blocks_of(Linear(tuple((1.0, leaf) for leaf in leaves)), asked)[0]
    known = {leaf: statistic for block in blocks for leaf, statistic in block}
    if len(blocks) != 1:
        raise InvalidParameterError(_OF_ANY)
    place = {leaf: k for k, leaf in enumerate(leaves)}
    pairs = [
        (place[first], place[second])
        for first, second, log in filter(None, sides)
        if log == is_ratio(first.metric)
    ]
    if len(pairs) == len(xs) and len({leaf.metric.name for leaf in leaves}) == 1:
        return by_max_t(list(known.values()), pairs, estimates, asked)
    if not all(statistic.has_influence for statistic in known.values()):
        raise InvalidParameterError(_OF_ANY)
    slopes = [x.operands() for x in xs]
    parts = [joined([(leaf, known[leaf]) for leaf in own], own) for own in slopes]
    error, freedom = (np.array([float(getattr(p, name)) for p in parts]) for name in _SPREAD)
    root = root_of(covariance_of(parts))
    largest = largest_of(root, asked.plan.most_draws, asked.plan.random_state)
    away = quantile(level_together(largest, len(parts), level), freedom) * error
    p_adjusted = _adjusted_to(largest, p_values, len(parts))
    value = np.array([estimate.value for estimate in estimates])
    low, high = np.clip((value - away, value + away), *np.array([x.bounds for x in xs]).T)
    numbers = zip(low.tolist(), high.tolist(), p_adjusted.tolist(), strict=True)
    return [dict(zip(_ADJUSTED, each, strict=True)) for each in numbers]


def _adjusted_to(largest: Array, alone: Array, n_tests: int) -> Array:
    """P-values from the largest statistic, between those alone and Bonferroni's."""
    from scipy.special import ndtri

    n_values = len(largest) + 1
    as_large = n_values - np.searchsorted(largest, -ndtri(alone / 2))
    return np.clip(as_large / n_values, alone, np.minimum(n_tests * alone, 1.0))


def exact_of(estimate: Any) -> str | None:
    """The exact method, if the estimate is a share: at high levels others cover too little."""
    leaves = [] if estimate._made is None else list(estimate._made.expression.operands())
    is_share = len(leaves) == 1 and _EXACT in methods_of(leaves[0].read())
    return _EXACT if is_share else None
