"""Wilcoxon's test of two models on many data sets."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from skmetrics_ext.inference.results import TestResult
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import read_numbers

# --------------------------------------------------------------------------- kernels


def midranks(values: Array) -> Array:
    """Rank of each of many values, 1 the smallest; equal values share their mean."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(sizes) - (sizes - 1) / 2)[group])


def signed_rank_tail(ranks: Array, statistic: float) -> float:
    """P(sum of the ranks of the positive ones >= statistic), each sign being a fair coin.

    The distribution is counted over the ranks as they are, ties included: their doubles are
    whole.
    """
    whole = np.round(2 * ranks).astype(np.int64)
    chances = np.zeros(int(whole.sum()) + 1)
    chances[0] = 1.0
    for rank in whole:
        chances[rank:] = (chances[rank:] + chances[: len(chances) - rank]) / 2
        chances[:rank] /= 2
    return float(chances[round(2 * statistic) :].sum())


def _signed_rank_p(ranks: Array, statistic: float, exact: bool, correction: bool) -> float:
    """Two-sided p-value of the sum of positive ranks; 1 where no difference is left."""
    from scipy.special import ndtr

    if exact:
        larger = max(statistic, float(ranks.sum()) - statistic)
        return min(2 * signed_rank_tail(ranks, larger), 1.0)
    away = abs(statistic - float(ranks.sum()) / 2)
    away = max(away - 0.5, 0.0) if correction else away
    # Sum of squared ranks over 4: with ties, and with zeros that took ranks, it is smaller.
    error = float(np.sqrt((ranks**2).sum())) / 2
    return float(2 * ndtr(-away / error)) if error else 1.0


# --------------------------------------------------------------------------- public functions


@document
def wilcoxon_signed_rank_test(
    scores_a: Any,
    scores_b: Any,
    *,
    method: Literal["auto", "exact", "approx"] = "auto",
    zero_method: Literal["wilcox", "pratt"] = "wilcox",
    correction: bool = False,
) -> TestResult:
    r"""Wilcoxon's signed-rank test of two models over many data sets.

    The statistic is the sum of the ranks of :math:`|a_i - b_i|` over the data sets on which the
    first model is better. Differences that agree to 12 digits of the largest score tie.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_datasets,)
        Scores of the two models on the same data sets.
    method : {"auto", "exact", "approx"}, default="auto"
        "exact" counts all signs of the ranks, ties as they are; "approx" is the normal
        approximation with the variance corrected for ties; "auto" is exact up to 50 differences.
    zero_method : {"wilcox", "pratt"}, default="wilcox"
        Differences of 0 are left out before ranking ("wilcox"), or after it ("pratt").
    correction : bool, default=False
        Whether the approximation moves the statistic by 1/2 towards its mean.

    Returns
    -------
    TestResult
        Two-sided. Models that are equal everywhere have p = 1.

    Raises
    ------
    {raises}

    References
    ----------
    Wilcoxon (1945), Biometrics Bulletin 1(6), 80-83; Pratt (1959), Journal of the American
    Statistical Association 54(287), 655-667.

    Examples
    --------
    >>> from skmetrics_ext import wilcoxon_signed_rank_test
    >>> a, b = [0.8, 0.9, 0.75, 0.6, 0.85], [0.7, 0.85, 0.77, 0.53, 0.82]
    >>> print(wilcoxon_signed_rank_test(a, b))
    wilcoxon, exact: statistic = 14, p = 0.125
    """
    check_option("method", method, ("auto", "exact", "approx"))
    check_option("zero_method", zero_method, ("wilcox", "pratt"))
    check_option("correction", correction, (True, False))
    first, second = read_numbers("scores_a", scores_a), read_numbers("scores_b", scores_b)
    if first.ndim != 1 or first.shape != second.shape or first.size == 0:
        raise InvalidParameterError(
            "scores_a and scores_b have to be 1-D, of the same data sets, got shapes "
            f"{first.shape} and {second.shape}."
        )
    for name, values in (("scores_a", first), ("scores_b", second)):
        if not np.isfinite(values).all():
            raise InvalidParameterError(f"{name} has to be finite, got {values.tolist()!r:.60}.")
    scale = max(np.abs(first).max(), np.abs(second).max())
    differences = np.round(np.nan_to_num(divide(first - second, scale)), 12)
    if zero_method == "wilcox":
        differences = differences[differences != 0]
    ranks = midranks(np.abs(differences))
    ranks, signs = ranks[differences != 0], differences[differences != 0]
    statistic = float(ranks[signs > 0].sum())
    exact = method == "exact" or (method == "auto" and len(ranks) <= 50)
    p_value = _signed_rank_p(ranks, statistic, exact, correction)
    return TestResult(statistic, p_value, f"wilcoxon, {'exact' if exact else 'approx'}")
