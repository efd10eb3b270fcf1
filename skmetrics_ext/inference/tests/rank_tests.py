"""Tests of many models on many data sets, by ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from skmetrics_ext.inference.proportions import increasing_root
from skmetrics_ext.inference.results import TestResult
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array, divide, ratio
from skmetrics_ext.result_bases import Result
from skmetrics_ext.rows import Rows
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import read_numbers
from skmetrics_ext.validation.parameters import check_level

_TAIL = 12.0  # standard normal values beyond it are rarer than a rounding of 1


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class NemenyiResult(Result):
    """Which models differ in mean rank, each against each.

    Parameters
    ----------
    average_ranks : ndarray of shape (k,)
        Mean rank of each model, 1 the best.
    p_values : ndarray of shape (k, k)
        Of each pair, adjusted for all pairs; 1 on the diagonal.
    critical_difference : float
        Mean ranks that are further apart differ at ``alpha``.
    alpha : float
        Level of the critical difference: how often any two of models that are alike differ.

    Examples
    --------
    >>> from skmetrics_ext import nemenyi_test
    >>> found = nemenyi_test([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.5], [0.7, 0.6, 0.5]])
    >>> found.average_ranks.tolist(), round(found.critical_difference, 3)
    ([1.0, 2.0, 3.0], 1.657)
    """

    average_ranks: Array
    p_values: Array
    critical_difference: float
    alpha: float

    def _as_rows(self) -> Rows:
        """A row for each pair of models, by their places."""
        k = len(self.average_ranks)
        rows = [
            {
                "first": i,
                "second": j,
                "difference": float(self.average_ranks[i] - self.average_ranks[j]),
                "p_value": float(self.p_values[i, j]),
            }
            for i in range(k)
            for j in range(i + 1, k)
        ]
        ranks = ", ".join(f"{rank:.4g}" for rank in self.average_ranks)
        lead = f"mean ranks {ranks}; critical difference {self.critical_difference:.4g}"
        return Rows(rows, lead=[f"{lead} (alpha = {self.alpha:g})"])


# --------------------------------------------------------------------------- kernels


def mean_rank_of_ties(values: Array) -> Array:
    """Rank of each value along the last axis, 1 the smallest; equal values share their mean."""
    smaller = (values[..., None, :] < values[..., :, None]).sum(axis=-1)
    equal = (values[..., None, :] == values[..., :, None]).sum(axis=-1)
    return np.asarray(smaller + (equal + 1) / 2)


def friedman_chi_squared(ranks: Array) -> float:
    """Friedman's chi-squared of ranks within rows, corrected for ties; 0 where all tie."""
    n_sets, n_models = ranks.shape
    middle = (n_models + 1) / 2
    between = n_sets * ((ranks.mean(axis=0) - middle) ** 2).sum()
    within = ((ranks - middle) ** 2).sum() / (n_sets * (n_models - 1))
    return float(np.nan_to_num(divide(between, within)))


def studentized_range_sf(distance: Array, n_models: int) -> Array:
    """P(range of k standard normal values > distance), by quadrature over the largest value."""
    from scipy.special import log_ndtr, ndtr

    # Equal steps over a smooth function that dies away at both ends: the error is a rounding.
    distance = np.asarray(distance, dtype=np.float64)
    step = 1 / 32
    largest = np.arange(-_TAIL, _TAIL + step, step)
    below = ndtr(largest - distance[..., None])
    # 1 - P(all others within the distance below the largest | all below it), without cancelling.
    share = np.minimum(below / ndtr(largest), 1.0)
    with np.errstate(divide="ignore"):
        outside = -np.expm1((n_models - 1) * np.log1p(-share))
    density = np.exp(-(largest**2) / 2 + (n_models - 1) * log_ndtr(largest)) / np.sqrt(2 * np.pi)
    found = n_models * (density * outside).sum(axis=-1) * step
    return np.clip(found, 0.0, 1.0)


def studentized_range_quantile(alpha: float, n_models: int) -> float:
    """Distance that the range of k standard normal values exceeds with probability alpha."""
    found = increasing_root(
        lambda distance: alpha - studentized_range_sf(distance, n_models),
        np.asarray(0.0),
        np.asarray(4 * _TAIL),
    )
    return float(found)


# --------------------------------------------------------------------------- public functions


@document
def average_ranks(scores: Any, *, greater_is_better: bool = True) -> Array:
    """Mean rank of each model over data sets, 1 the best; models that tie share their mean rank.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_models)
        Score of each model on each data set.
    greater_is_better : bool, default=True
        Whether the largest score has rank 1.

    Returns
    -------
    ndarray of shape (n_models,)
        In [1, n_models]; their mean is (n_models + 1) / 2.

    Raises
    ------
    {raises}

    References
    ----------
    Demsar (2006), Journal of Machine Learning Research 7, 1-30.

    Examples
    --------
    >>> from skmetrics_ext import average_ranks
    >>> average_ranks([[0.9, 0.8, 0.7], [0.8, 0.8, 0.6]])
    array([1.25, 1.75, 3.  ])
    """
    return _ranks(scores, greater_is_better).mean(axis=0)


@document
def friedman_test(scores: Any, *, method: Literal["chi2", "iman_davenport"] = "chi2") -> TestResult:
    r"""Friedman's test that no model is better than another over many data sets.

    .. math:: \chi^2_F = \frac{12 n}{k (k + 1)} \Big(\sum_j \bar R_j^2 - \frac{k (k+1)^2}{4}\Big),
        \quad F = \frac{(n - 1) \chi^2_F}{n (k - 1) - \chi^2_F}

    with the mean ranks of k models over n data sets. Ties divide the first by their correction,
    :math:`1 - \sum_t (t^3 - t) / (n k (k^2 - 1))`.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_models)
        Score of each model on each data set; lower or higher is better, but for all alike.
    method : {"chi2", "iman_davenport"}, default="chi2"
        "chi2" compares the first with a chi-squared distribution of k - 1 degrees of freedom;
        "iman_davenport" compares F with an F distribution of k - 1 and (k - 1)(n - 1), which is
        less conservative.

    Returns
    -------
    TestResult
        Models that tie everywhere have statistic 0 and p = 1; the same order on every data set
        makes F infinite.

    Raises
    ------
    {raises}

    References
    ----------
    Friedman (1937), Journal of the American Statistical Association 32(200), 675-701; Iman &
    Davenport (1980), Communications in Statistics 9(6), 571-595.

    Examples
    --------
    >>> from skmetrics_ext import friedman_test
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.75], [0.7, 0.6, 0.5], [0.9, 0.7, 0.8]]
    >>> print(friedman_test(scores))
    friedman: statistic = 6, p = 0.0498
    >>> print(friedman_test(scores, method="iman_davenport"))
    friedman, iman_davenport: statistic = 9, p = 0.0156
    """
    from scipy.special import chdtrc, fdtrc

    check_option("method", method, ("chi2", "iman_davenport"))
    ranks = _ranks(scores, True)
    n_sets, n_models = ranks.shape
    statistic, df = friedman_chi_squared(ranks), n_models - 1
    if method == "chi2":
        return TestResult(statistic, float(chdtrc(df, statistic)), "friedman", df)
    rest = n_sets * df - statistic
    # What rounding leaves of the same order everywhere is no rest.
    rest = rest if rest > 1e-12 * n_sets * df else 0.0
    value = float(ratio((n_sets - 1) * statistic, rest))
    both = df, df * (n_sets - 1)
    return TestResult(value, float(fdtrc(*both, value)), "friedman, iman_davenport", both)


@document
def nemenyi_test(
    scores: Any, *, greater_is_better: bool = True, alpha: float = 0.05
) -> NemenyiResult:
    r"""Nemenyi's test of every pair of models over many data sets, after Friedman's.

    .. math:: CD = \frac{q_\alpha}{\sqrt 2} \sqrt{\frac{k (k + 1)}{6 n}}

    with the quantile of the studentized range of k values and infinite degrees of freedom. The
    pair-wise p-values are of :math:`|\bar R_i - \bar R_j|` in the same units.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_models)
        Score of each model on each data set.
    greater_is_better : bool, default=True
        Whether the largest score has rank 1.
    alpha : float in (0, 1), default=0.05
        Level of the critical difference, over all pairs together.

    Returns
    -------
    NemenyiResult
        ``average_ranks, p_values, critical_difference, alpha``.

    Raises
    ------
    {raises}

    References
    ----------
    Nemenyi (1963), Distribution-free multiple comparisons, PhD thesis, Princeton; Demsar
    (2006), Journal of Machine Learning Research 7, 1-30.

    Examples
    --------
    >>> from skmetrics_ext import nemenyi_test
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.75], [0.7, 0.6, 0.5], [0.9, 0.7, 0.8]]
    >>> test = nemenyi_test(scores)
    >>> test.average_ranks, round(test.critical_difference, 3)
    (array([1. , 2.5, 2.5]), 1.657)
    >>> test.p_values[0].round(4)
    array([1.    , 0.0855, 0.0855])
    """
    level = check_level(alpha, "alpha")
    ranks = _ranks(scores, greater_is_better)
    n_sets, n_models = ranks.shape
    means = ranks.mean(axis=0)
    unit = np.sqrt(n_models * (n_models + 1) / (12 * n_sets))
    p_values = studentized_range_sf(np.abs(means[:, None] - means) / unit, n_models)
    np.fill_diagonal(p_values, 1.0)
    critical = studentized_range_quantile(level, n_models) * unit
    return NemenyiResult(means, p_values, float(critical), level)


# --------------------------------------------------------------------------- helpers


def _ranks(scores: Any, greater_is_better: bool) -> Array:
    """Checked scores as ranks within each data set."""
    check_option("greater_is_better", greater_is_better, (True, False))
    values = read_numbers("scores", scores)
    if values.ndim != 2 or values.shape[0] < 1 or values.shape[1] < 2:
        raise InvalidParameterError(
            "scores has to be of shape (n_datasets, n_models) with two models or more, got "
            f"shape {values.shape}."
        )
    if np.isnan(values).any():
        row, column = np.argwhere(np.isnan(values))[0]
        raise InvalidParameterError(
            f"scores holds NaN on data set {row} of model {column}: leave that data set out."
        )
    return mean_rank_of_ties(-values if greater_is_better else values)
