"""The largest of many errors that vary together: what makes intervals hold at once."""

from __future__ import annotations

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import seed_sequence
from skmetrics_ext.inference.proportions import normal_quantile
from skmetrics_ext.numeric import Array

_AT_ONCE = 1 << 20  # numbers that are drawn at once
_RANK = 1e-12  # of the largest variance: what is less is rounding


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
    size = max(_AT_ONCE // len(alike), 1)
    parts = [min(size, n_draws - start) for start in range(0, n_draws, size)]
    found = [np.abs(rng.normal(size=(n, alike.shape[1])) @ alike.T).max(axis=1) for n in parts]
    return np.sort(np.concatenate(found))


def level_together(largest: Array, n_errors: int, level: float) -> float:
    """Level of each of some intervals that hold together, by draws of the largest error.

    Of any dependence it is at least that of one, and at most that of all apart (Bonferroni).
    """
    from scipy.special import ndtr

    place = min(int(np.ceil(level * (len(largest) + 1))), len(largest)) - 1
    ends = normal_quantile(level), normal_quantile(1 - (1 - level) / max(n_errors, 1))
    return float(1 - 2 * ndtr(-np.clip(largest[place], *ends)))


def level_of_all(covariance: Array, level: float, n_draws: int, seed: object) -> float:
    """The same of errors with this covariance; those that do not vary are left out."""
    variance = np.diag(covariance)
    varies = variance > _RANK * np.nanmax(variance, initial=0.0)
    root = root_of(covariance[np.ix_(varies, varies)])
    return level_together(largest_of(root, n_draws, seed), int(varies.sum()), level)
