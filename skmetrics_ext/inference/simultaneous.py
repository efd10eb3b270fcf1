"""Simultaneous inference: the largest of many errors that vary together, and Holm's method."""

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
from skmetrics_ext.inference.results import Comparison, Estimate, comparison
from skmetrics_ext.inference.scales import quantile
from skmetrics_ext.inference.t_tests import note_on_few_rows, variance_of_difference
from skmetrics_ext.inference.tests.rank_tests import holm_adjust
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.validation import InvalidParameterError

Pair = tuple[int, int]

_EXACT = "clopper_pearson"
_AT_ONCE = 1 << 20  # numbers that are drawn at once


def root_of(covariance: Array) -> Array:
    """Errors (p, k) of k independent ones of variance 1 that have this covariance."""
    values, vectors = np.linalg.eigh(np.nan_to_num(covariance))
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def largest_of(root: Array, n_draws: int, seed: object) -> Array:
    """The largest of the errors (p, k), each over its own spread, in each draw; rising."""
    if not len(root):
        return np.zeros(n_draws)
    alike = root / np.sqrt((root**2).sum(axis=1, keepdims=True))
    rng = np.random.default_rng(seed_sequence(seed))
    sizes = block_sizes(n_draws, max(_AT_ONCE // len(alike), 1))
    found = [np.abs(rng.normal(size=(n, alike.shape[1])) @ alike.T).max(axis=1) for n in sizes]
    return np.sort(np.concatenate(found))


def level_together(largest: Array, n_errors: int, level: float) -> float:
    """Level of each of some intervals that hold together, by draws of the largest error.

    Of any dependence it is at least that of one, and at most that of all apart (Bonferroni).
    """
    from scipy.special import ndtr

    place = min(int(np.ceil(level * (len(largest) + 1))), len(largest)) - 1
    ends = quantile(level), quantile(1 - (1 - level) / max(n_errors, 1))
    return float(1 - 2 * ndtr(-np.clip(largest[place], *ends)))


def level_of_all(covariance: Array, level: float, n_draws: int, seed: object) -> float:
    """`level_together` of errors with this covariance, without those that do not vary."""
    variance = np.diag(covariance)
    varies = variance > ROUNDING * np.nanmax(variance, initial=0.0)
    root = root_of(covariance[np.ix_(varies, varies)])
    return level_together(largest_of(root, n_draws, seed), int(varies.sum()), level)


# --------------------------------------------------------------------------- many models


def by_max_t(task: ModelsToCompare, pairs: Sequence[Pair]) -> list[Comparison]:
    """Max-t comparisons, from the distribution of the largest of all statistics.

    Each row, or group, has a standard normal multiplier of what it contributes to all the models,
    so that their errors are normal with the covariance of the contributions: it is drawn from
    that. A difference with few degrees of freedom is put on the normal scale by its own p-value.
    """
    from scipy.special import ndtri, stdtr

    if not task.has_influence:
        raise InvalidParameterError(
            f"adjust='max_t' needs a derivative by the rows, which {task.metric.name} of these "
            "data does not have; adjust='holm' resamples each pair."
        )
    if len(pairs) == 1:
        return [compare_pair(task.only(*pairs[0], task.level))]
    log = is_ratio(task.metric)
    statistics = [one.on_log() if log else one for one in task.statistics]
    statistics = [one if one.origin.is_compact else one.as_rows() for one in statistics]
    covariance, found = differences_of(statistics)
    first, second = np.array(pairs).T
    own = np.diag(covariance)
    variance = own[first] + own[second] - 2 * covariance[first, second]
    signs = [1.0 if i < j else -1.0 for i, j in pairs]
    differences = [found[min(pair), max(pair)] for pair in pairs]
    difference = np.array([float(one.value) for one in differences]) * signs
    known = (variance > ROUNDING * (own[first] + own[second])) & np.isfinite(difference)
    variance, freedom = np.array([variance_of_difference(one) for one in differences]).T
    error = np.sqrt(np.where(known, variance, np.nan))
    alone = 2 * stdtr(freedom, -np.abs(divide(difference, error)))
    z = -ndtri(alone / 2)
    n_draws = task.plan.most_draws
    root = root_of(covariance)
    largest = largest_of(root[first[known]] - root[second[known]], n_draws, task.plan.random_state)
    n_tests, n_values = max(int(known.sum()), 1), n_draws + 1
    as_large = n_values - np.searchsorted(largest, z)
    # Of any dependence it is at least that of one, and at most that of all separately (Bonferroni).
    p_value = np.clip(as_large / n_values, alone, np.minimum(n_tests * alone, 1.0))
    away = quantile(level_together(largest, n_tests, task.level), freedom) * error
    low, high = np.clip((difference - away, difference + away), *differences[0].bounds)
    method, compared = LOG_RATIO if log else "delta", []
    for k, (i, j) in enumerate(pairs):
        if not known[k]:  # no row distinguishes these two, or nothing is known of one
            level = 1 - (1 - task.level) / len(pairs)
            compared.append(compare_pair(task.only(i, j, level), method))
            continue
        values = float(statistics[i].value), float(statistics[j].value)
        note = note_on_few_rows(differences[k]) or note_on_metric(task.metric)
        bounds, p = (float(low[k]), float(high[k])), float(p_value[k])
        about = method, task.level, task.claim, bounds
        compared.append(comparison(difference[k], values, *about, p_value=p, note=note))
    return compared


def by_holm(task: ModelsToCompare, pairs: Sequence[Pair]) -> list[Comparison]:
    """Every pair alone: p-values by Holm, intervals at the Bonferroni level."""
    level = 1 - (1 - task.level) / len(pairs)
    compared = [compare_pair(task.only(*pair, level)) for pair in pairs]
    adjusted = holm_adjust([one.p_value for one in compared]).tolist()
    return [replace(one, p_value=p) for one, p in zip(compared, adjusted, strict=True)]


def optimistic_estimates(
    statistics: Mapping[Any, Linearized], sign: float, level: float, plan: DrawPlan
) -> dict[Any, tuple[float, Estimate]]:
    """By name the better simultaneous bound of each statistic, times ``sign``, and its estimate."""
    together, found = 1 - (1 - level) / len(statistics), {}
    for group, statistic in statistics.items():
        # Of shares the exact interval: others fall short at such levels.
        method = _EXACT if _EXACT in methods_of(statistic) else "auto"
        estimate = interval_of(statistic, method, together, plan)
        assert isinstance(estimate, Estimate)
        bound = sign * (estimate.high if sign > 0 else estimate.low)
        found[group] = bound if np.isfinite(bound) else np.inf, estimate
    return found
