"""Simultaneous inference: the largest of many correlated errors, and Holm's method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from skmetrics_ext.inference.compare import LOG_RATIO, ModelsToCompare, compare_pair, is_ratio
from skmetrics_ext.inference.draws.atoms import block_sizes
from skmetrics_ext.inference.draws.bootstrap import DrawPlan, seed_sequence
from skmetrics_ext.inference.linearized import Linearized, differences_of
from skmetrics_ext.inference.methods import interval_of, methods_of
from skmetrics_ext.inference.notes import ROUNDING, note_on_metric
from skmetrics_ext.inference.results import Contrast, Estimate
from skmetrics_ext.inference.scales import quantile
from skmetrics_ext.inference.t_tests import note_on_few_rows, variance_of_difference
from skmetrics_ext.inference.tests.rank_tests import holm_adjust
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.validation import InvalidParameterError

Pair = tuple[int, int]

_EXACT = "clopper_pearson"
_AT_ONCE = 1 << 15  # errors that are drawn at once, so that they stay in the cache


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


# --------------------------------------------------------------------------- many models


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # nan where undefined
def by_max_t(task: ModelsToCompare, pairs: Sequence[Pair]) -> list[Estimate]:
    """Max-t comparisons, from the distribution of the largest of all statistics.

    With one standard normal multiplier for each row, or group, the errors of all models are normal
    with the covariance of the contributions, from which they are drawn. The t statistic of a
    difference with few degrees of freedom takes the normal value with the same p-value.
    """
    from scipy.special import ndtri, stdtr

    if not (task.has_influence or (len(pairs) == 1 and task.has_readings)):
        raise InvalidParameterError(
            f"adjust='max_t' needs a derivative by the rows, which {task.metric.name} of these "
            "data does not have; adjust='holm' resamples each pair."
        )
    if len(pairs) == 1:
        return [compare_pair(task.only(*pairs[0]))]
    log = is_ratio(task.metric)
    statistics = [model.on_log() if log else model for model in task.statistics]
    statistics = [model if model.origin.is_compact else model.as_rows() for model in statistics]
    covariance, by_pair = differences_of(statistics)
    first, second = np.array(pairs).T
    signs = [1.0 if i < j else -1.0 for i, j in pairs]
    differences = [by_pair[min(pair), max(pair)] for pair in pairs]
    difference = np.array([float(each.value) for each in differences]) * signs
    variance, freedom = np.array([variance_of_difference(each) for each in differences]).T
    measured = np.array([not model.undefined for model in task.statistics])
    known = (variance > 0) & np.isfinite(difference) & measured[first] & measured[second]
    error = np.sqrt(np.where(known, variance, np.nan))
    alone = 2 * stdtr(freedom, -np.abs(divide(difference, error)))
    z = -ndtri(alone / 2)
    n_draws = task.plan.normal_draws
    root = root_of(covariance)
    largest = largest_of(root[first[known]] - root[second[known]], n_draws, task.plan.random_state)
    n_tests, n_values = max(int(known.sum()), 1), n_draws + 1
    as_large = n_values - np.searchsorted(largest, z)
    # At least the p-value of one comparison and at most Bonferroni's, whatever the dependence.
    p_value = np.clip(as_large / n_values, alone, np.minimum(n_tests * alone, 1.0))
    away = quantile(level_together(largest, n_tests, task.level), freedom) * error
    low, high = np.clip((difference - away, difference + away), *differences[0].bounds)
    method, compared = LOG_RATIO if log else "delta", []
    for k, (i, j) in enumerate(pairs):
        if not known[k]:  # the two agree on every row, or one is undefined
            level = 1 - (1 - task.level) / len(pairs)
            compared.append(compare_pair(task.only(i, j, level=level), method))
            continue
        values = float(statistics[i].value), float(statistics[j].value)
        note = note_on_few_rows(differences[k]) or note_on_metric(task.metric)
        bounds, p = (float(low[k]), float(high[k])), float(p_value[k])
        contrast = Contrast(difference[k], values, method, task.level, task.claim)
        compared.append(contrast.tested(bounds, p_value=p, note=note, draws=n_draws))
    return compared


def by_holm(task: ModelsToCompare, pairs: Sequence[Pair]) -> list[Estimate]:
    """Comparisons with p-values adjusted by Holm, and intervals at the Bonferroni level."""
    level = 1 - (1 - task.level) / len(pairs)
    compared = [compare_pair(task.only(*pair, level=level)) for pair in pairs]
    adjusted = holm_adjust([each.p_value for each in compared]).tolist()
    return [replace(each, p_value=p) for each, p in zip(compared, adjusted, strict=True)]


def optimistic_estimates(
    statistics: Mapping[Any, Linearized], sign: float, level: float, plan: DrawPlan
) -> dict[Any, tuple[float, Estimate]]:
    """The optimistic simultaneous bound of each statistic, times ``sign``, and its estimate."""
    joint_level, estimates = 1 - (1 - level) / len(statistics), {}
    for group, statistic in statistics.items():
        # The exact interval for shares: at such levels the others cover too little.
        method = _EXACT if _EXACT in methods_of(statistic) else "auto"
        estimate = interval_of(statistic, method, joint_level, plan)
        assert isinstance(estimate, Estimate)
        bound = sign * (estimate.high if sign > 0 else estimate.low)
        estimates[group] = bound if np.isfinite(bound) else np.inf, estimate
    return estimates
