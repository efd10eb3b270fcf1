"""Differences between many models on the same rows, with intervals that hold together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from skmetrics_ext.inference.apart import few_apart, spread_apart
from skmetrics_ext.inference.compare import answer
from skmetrics_ext.inference.influence.scales import quantile
from skmetrics_ext.inference.influence.spread import joint_spread
from skmetrics_ext.inference.largest import largest_of, level_together, root_of
from skmetrics_ext.inference.question import Question
from skmetrics_ext.inference.results import Comparison
from skmetrics_ext.inference.tests.adjustment import holm_adjust
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.validation import InvalidParameterError

Pair = tuple[int, int]
_RANK = 1e-12  # of the variances of both models: what is less is rounding


@dataclass(frozen=True, eq=False, slots=True)
class Differences:
    """Values of k models; differences of m pairs (m,), adjusted p-values and joint bounds."""

    values: list[float]
    difference: Array
    low: Array
    high: Array
    p_value: Array
    notes: list[str]


def by_largest(asked: Question, pairs: Sequence[Pair]) -> Differences:
    """By the distribution of the largest of all statistics, which vary together (max-t).

    Each row, or group, has a standard normal multiplier of what it adds to all the models, so
    that their errors are normal with the covariance of the contributions: it is drawn from that.
    A difference with few degrees of freedom is put on the normal scale by its own p-value.
    """
    from scipy.special import ndtri, stdtr

    asked = asked.by_logs()
    found = asked.contributions
    if found is None:
        raise InvalidParameterError(
            f"adjust='max_t' needs a derivative by the rows, which {asked.metric.name} of these "
            "data does not have; adjust='holm' resamples each pair."
        )
    readings, added = [one for one, _ in found], [part for _, part in found]
    values = np.array([float(one.value) for one in readings])
    spread, _ = joint_spread(added)
    first, second = np.array(pairs).T
    own = np.diag(spread)
    variance = own[first] + own[second] - 2 * spread[first, second]
    with np.errstate(invalid="ignore"):  # infinity less infinity is undefined
        difference = asked.difference(values[first], values[second])
    known = (variance > _RANK * (own[first] + own[second])) & np.isfinite(difference)
    of_pairs = [spread_apart(asked, *pair) for pair in pairs]
    variance, freedom, effective, _ = np.array(of_pairs).T
    error = np.sqrt(np.where(known, variance, np.nan))
    alone = 2 * stdtr(freedom, -np.abs(divide(difference, error)))
    z = -ndtri(alone / 2)
    n_draws = asked.plan.n_resamples
    root = root_of(spread)
    apart_by = root[first[known]] - root[second[known]]
    largest = largest_of(apart_by, n_draws, asked.plan.random_state)
    n_tests, n_values = max(int(known.sum()), 1), n_draws + 1
    as_large = n_values - np.searchsorted(largest, z)
    # Of any dependence it is at least that of one, and at most that of all apart (Bonferroni).
    p_value = np.clip(as_large / n_values, alone, np.minimum(n_tests * alone, 1.0))
    away = quantile(level_together(largest, n_tests, asked.level), freedom) * error
    low, high = asked.within(difference - away, difference + away)
    notes = [few_apart(readings[i], readings[j], effective[k]) for k, (i, j) in enumerate(pairs)]
    for k, pair in enumerate(pairs):
        if known[k]:
            continue
        # Nothing tells these two apart, or nothing is known of one.
        one = _alone(asked, pair, 1 - (1 - asked.level) / len(pairs), asked.smooth_method)
        low[k], high[k], p_value[k], notes[k] = one.low, one.high, one.p_value, one.note
    return Differences(values.tolist(), difference, low, high, p_value, notes)


def by_holm(asked: Question, pairs: Sequence[Pair]) -> Differences:
    """Every pair by itself: p-values by Holm, intervals of a level that holds for all together."""
    level = 1 - (1 - asked.level) / len(pairs)
    found = [_alone(asked, pair, level, "auto") for pair in pairs]
    difference, low, high, p_value = (
        np.array([getattr(one, name) for one in found])
        for name in ("difference", "low", "high", "p_value")
    )
    notes = [one.note for one in found]
    values = {i: one.value_a for (i, _), one in zip(pairs, found, strict=True)}
    values |= {j: one.value_b for (_, j), one in zip(pairs, found, strict=True)}
    return Differences(
        [values[k] for k in sorted(values)], difference, low, high, holm_adjust(p_value), notes
    )


def _alone(asked: Question, pair: Pair, level: float, method: str) -> Comparison:
    """Two of the models by themselves."""
    models, names = (tuple(of[k] for k in pair) for of in (asked.models, asked.names))
    return answer(replace(asked, models=models, names=names, level=level), method)
