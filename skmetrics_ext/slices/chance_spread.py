"""The largest gap between groups that only differ by chance."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.inference.derivatives import ReadTables, value_and_deviations
from skmetrics_ext.inference.draws.bootstrap import seed_sequence
from skmetrics_ext.inference.linearized import Linearized, correlation
from skmetrics_ext.inference.methods import of_shares, share_counts
from skmetrics_ext.inference.scales import tail_probability
from skmetrics_ext.numeric import Array, divide

N_DRAWS = 1_999
_MOST_ROWS = 10**9  # that NumPy assigns to groups
_MOST_CELLS = 20_000  # of all groups, squared: derivatives in each draw
_LIKE_ALL = 20.0  # rows like those of all groups, in the variance and skewness of each


class DrawnRanges(NamedTuple):
    """Ranges (highest minus lowest value) of the draws, plain and in standard errors, (B,)."""

    plain: Array
    studentized: Array


def compare_ranges(groups: Sequence[Linearized], seed: Any) -> tuple[float, DrawnRanges, str]:
    """Studentized range of groups, its null distribution, and how that was drawn.

    A share of counted rows is permuted among the rows that the metric reads, as in Fisher's exact
    test. Tables are permuted within each true class, so that groups keep their classes, and each
    value is divided by its own standard error: that is exact if groups predict alike, and holds in
    large groups that have the same value for another reason (Janssen 1997, Statistics &
    Probability Letters 36(1), 9-21). Else each group varies by its standard error, on its degrees
    of freedom, with the correlations of clusters that lie in several groups.
    """
    rng = np.random.default_rng(seed_sequence(seed))
    shares = _shares_of_rows(groups)
    if shares is not None:
        good, read = shares
        drawn = rng.multivariate_hypergeometric(read, int(good.sum()), size=N_DRAWS)
        ranges = partial(_of_shares, groups[0].origin.share, read=read)
        return float(ranges(good[None]).studentized[0]), ranges(drawn), "permutation"
    tables = _tables(groups)
    if tables is not None:
        ranges = partial(_of_tables, groups[0].origin.read)
        observed = float(ranges(tables[None]).studentized[0])
        return observed, ranges(_permuted(tables, rng)), "permutation"
    values = np.array([[float(group.value) for group in groups]])
    variance = np.array([float(group.variance) for group in groups])
    if all(group.origin.is_mean for group in groups):
        variance = _with_rows_like_all(groups)[1]
    errors = np.sqrt(np.nan_to_num(variance))
    freedom = np.array([float(group.freedom) for group in groups])
    root = np.linalg.cholesky(_correlations(groups) + 1e-9 * np.eye(len(groups)))
    draws = rng.normal(size=(N_DRAWS, len(groups))) @ root.T
    # The standard error of a small group is imprecise, so its statistic has a t distribution.
    scaled = draws * np.sqrt(freedom / rng.chisquare(freedom, size=draws.shape))
    normal, of_t = (np.where(errors > 0, draw * errors, np.nan) for draw in (draws, scaled))
    observed = float(_range(_standardised(values, errors))[0])
    return observed, DrawnRanges(_range(normal), _range(_standardised(of_t, errors))), "normal"


# --------------------------------------------------------------------------- means of losses


def p_value_of_means(groups: Sequence[Linearized]) -> float:
    """P-value of the hypothesis that means of losses are equal; nan if this does not apply.

    Each group is tested against the others together, with Hall's transformation for the skewness
    of the difference, and the smallest p-value is multiplied by the number of groups (Bonferroni).
    """
    means_apart = all(group.origin.is_mean for group in groups)
    if not means_apart or np.any(_correlations(groups) != np.eye(len(groups))):
        return float("nan")
    rows, variance, cubes = _with_rows_like_all(groups)
    others = np.where(np.eye(len(groups), dtype=bool), 0.0, rows)
    weight = np.eye(len(groups)) - others / others.sum(axis=1, keepdims=True)
    distance = weight @ np.array([float(group.value) for group in groups])
    squares = weight**2 * variance
    freedom = divide(squares.sum(axis=1) ** 2, (squares**2 / (rows - 1 + _LIKE_ALL)).sum(axis=1))
    error = np.sqrt(squares.sum(axis=1))
    skew, away = divide(weight**3 @ cubes, error**3) / 3, divide(distance, error)
    away = away + skew * away**2 + skew**2 * away**3 / 3 + skew / 2
    smallest = np.nan_to_num(tail_probability(away, freedom, "two-sided"), nan=1.0).min()
    return float(min(len(groups) * smallest, 1.0))


def _with_rows_like_all(groups: Sequence[Linearized]) -> tuple[Array, Array, Array]:
    """Rows of each group; variance and third cumulant of its mean, with rows like all others.

    A small group may by chance have no large loss, and then neither variance nor skewness shows
    that there are any. So its variance is at least that with 20 rows more, which vary like the
    rows of all groups together.
    """
    rows = np.array([float(group.atoms.effective_rows) for group in groups])
    variance = np.nan_to_num(np.array([float(group.variance) for group in groups]))
    cubes = np.nan_to_num(np.array([float(group.skewness) for group in groups])) * variance**1.5

    def mixed(of_row: Array) -> Array:
        of_all = (rows * of_row).sum() / rows.sum()
        return (rows * of_row + _LIKE_ALL * of_all) / (rows + _LIKE_ALL)

    most = np.maximum(variance, mixed(variance * rows) / rows)
    return rows, most, mixed(cubes * rows**2) / rows**2


# --------------------------------------------------------------------------- confusion tables


def _tables(groups: Sequence[Linearized]) -> Array | None:
    """Confusion tables (G, K, K) of unweighted rows, if groups have the same few classes."""
    if not all(group.origin.is_compact and group.design.is_counted for group in groups):
        return None
    first = groups[0].origin
    same = all(np.array_equal(group.origin.classes, first.classes) for group in groups)
    if not same or len(groups) * len(first.classes) ** 4 > _MOST_CELLS:
        return None
    tables = np.stack([group.origin.table for group in groups])
    return None if tables.sum() >= _MOST_ROWS else tables.astype(np.int64)


def _permuted(tables: Array, rng: np.random.Generator) -> Array:
    """Tables (B, G, K, K) with the rows of each class permuted among groups of fixed sizes."""
    from scipy.stats import random_table

    n_classes = tables.shape[-1]
    of_class = [
        random_table.rvs(table.sum(axis=1), table.sum(axis=0), size=N_DRAWS, random_state=rng)
        for table in (tables[:, true] for true in range(n_classes))
    ]
    return np.stack(of_class, axis=2).astype(np.int64)


def _of_tables(read: ReadTables, tables: Array) -> DrawnRanges:
    """Ranges of the metric of tables (B, G, K, K)."""
    cells = tables.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        values, deviations = value_and_deviations(read, cells)
        variance = (cells * deviations**2).sum(axis=(-1, -2))
        errors = np.sqrt(np.nan_to_num(variance))
        return DrawnRanges(_range(values), _range(_standardised(values, errors)))


# --------------------------------------------------------------------------- pieces


def _correlations(groups: Sequence[Linearized]) -> Array:
    """Correlations of groups that share clusters."""
    matrix = np.eye(len(groups))
    if groups[0].design.group is None:
        return matrix
    for i, first in enumerate(groups):
        for j, second in enumerate(groups[:i]):
            matrix[i, j] = matrix[j, i] = correlation(first, second)
    return matrix


def _shares_of_rows(groups: Sequence[Linearized]) -> tuple[Array, Array] | None:
    """Successes and trials of each group, or None unless the metric is a proportion of rows."""
    if not all(group.origin.share and group.design.is_counted for group in groups):
        return None
    good, read = np.array([share_counts(group) for group in groups], dtype=np.int64).T
    return None if read.sum() >= _MOST_ROWS or not read.min() else (good, read)


def _of_shares(share_kind: str, good: Array, read: Array) -> DrawnRanges:
    """Ranges of proportions (B, G), in standard errors under equal proportions."""
    share = good.sum(axis=-1, keepdims=True) / read.sum()
    away = divide(good / read - share, np.sqrt(share * (1 - share) / read))
    return DrawnRanges(_range(of_shares(share_kind, good / read)), _range(away))


def _standardised(values: Array, errors: Array) -> Array:
    """Distances of values (B, G) from their precision-weighted mean, in standard errors."""
    known = np.isfinite(values) & (errors > 0)
    weight = np.where(known, 1 / np.where(errors > 0, errors, 1.0) ** 2, 0.0)
    mean = (weight * np.where(known, values, 0.0)).sum(axis=-1) / weight.sum(axis=-1)
    scale = np.where(errors > 0, errors, 1.0)
    return np.where(known, (values - mean[..., None]) / scale, np.nan)


def _range(values: Array) -> Array:
    """Highest minus lowest defined value, (B,)."""
    known = np.isfinite(values)
    high = np.where(known, values, -np.inf).max(axis=-1)
    low = np.where(known, values, np.inf).min(axis=-1)
    return np.where(high > low, high - low, 0.0)
