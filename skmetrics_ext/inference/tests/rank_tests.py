"""Rank tests of models over many data sets, and Holm's adjustment of p-values."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.inference.results import TestResult, compared_with
from skmetrics_ext.inference.tests.contingency import subset_sum_chances
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array, divide, ratio
from skmetrics_ext.result_bases import Result, draw
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import read_numbers
from skmetrics_ext.validation.parameters import check_level


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class NemenyiResult(Result):
    """Mean ranks of models, and tests of all pairs of models.

    Parameters
    ----------
    average_ranks : ndarray of shape (k,)
        Mean rank of each model, 1 the best.
    p_values : ndarray of shape (k, k)
        p-value of each pair, adjusted for all pairs; 1 on the diagonal.
    critical_difference : float
        Mean ranks that differ by more are significantly different at level ``alpha``.
    alpha : float
        Level of the critical difference: the chance that any two of k equal models differ by more.
    models : tuple
        Names of the models; empty if they are numbered.

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
    models: tuple[Any, ...] = ()

    @property
    def names(self) -> tuple[Any, ...]:
        """Names of the models, or numbers from 0."""
        return self.models or tuple(range(len(self.average_ranks)))

    def _as_rows(self) -> Estimates:
        """A row for each pair of models: the difference of their mean ranks."""
        ranks, names = self.average_ranks.tolist(), self.names
        rows = [
            {"metric": "average_rank", "model": names[i], "against": names[j]}
            | {"value": ranks[i] - ranks[j], "value_a": ranks[i], "value_b": ranks[j]}
            | {"p_adjusted": float(self.p_values[i, j]), "adjustment": "nemenyi"}
            for i, j in combinations(range(len(ranks)), 2)
        ]
        listed = ", ".join(f"{rank:.4g}" for rank in ranks)
        lead = f"mean ranks {listed}; critical difference {self.critical_difference:.4g}"
        lead += f" (alpha = {self.alpha:g})"
        return Estimates(rows, lead=[lead], adjusted=["nemenyi"], compared={"model": names})

    def plot(self, ax: Any = None) -> Any:
        """Critical-difference diagram (Demsar 2006): models by mean rank.

        A line joins models that are within the critical difference, whose length is drawn below.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return draw(self, ax)


# --------------------------------------------------------------------------- kernels


def exact_signed_rank_p(ranks: Array, statistic: float) -> float:
    """Two-sided p-value of a sum of positive ranks, over all signs of the ranks.

    SciPy's exact distribution has no ties; here doubled midranks, which are integers, are counted.
    """
    chances = subset_sum_chances(np.round(2 * ranks))
    doubled = round(2 * statistic)
    larger = max(doubled, len(chances) - 1 - doubled)
    return min(2 * float(chances[larger:].sum()), 1.0)


def studentized_range_sf(distances: Array, n_models: int) -> Array:
    """P(range of k standard normal values > distance), to 12 digits even if it is tiny.

    1 minus SciPy's probability has no correct digits below 1e-16. Here the probability that some
    value lies below z - distance is integrated over the largest value z, without a subtraction.
    """
    from scipy.special import ndtr

    step = 1 / 16
    largest = np.arange(-9.5, 9.5, step) + distances[..., None] / 2
    below = ndtr(largest)
    density = n_models * np.exp(-(largest**2) / 2) / np.sqrt(2 * np.pi) * below ** (n_models - 1)
    with np.errstate(divide="ignore"):  # log 0 if no value lies in between
        log_inside = np.log1p(-ndtr(largest - distances[..., None]) / below)
    outside = (density * -np.expm1((n_models - 1) * log_inside)).sum(axis=-1) * step
    return np.where(distances == 0, 1.0, np.minimum(outside, 1.0))


def friedman_chi_squared(ranks: Array) -> float:
    """Friedman's chi-squared of ranks within data sets, corrected for ties; 0 if all models tie."""
    from scipy.stats import friedmanchisquare

    if (ranks == ranks[:, :1]).all():
        return 0.0
    if ranks.shape[1] == 2:  # SciPy needs three models; with two it is McNemar's statistic
        wins = np.sign(ranks[:, 0] - ranks[:, 1])
        return float(wins.sum() ** 2 / (wins**2).sum())
    return float(friedmanchisquare(*ranks.T).statistic)


# --------------------------------------------------------------------------- public functions


@document
def average_ranks(scores: ArrayLike, *, greater_is_better: bool = True) -> Array:
    """Mean rank of each model over data sets, 1 the best; tied models share their mean rank.

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
    >>> from skmetrics_ext.inference.tests.rank_tests import average_ranks
    >>> average_ranks([[0.9, 0.8, 0.7], [0.8, 0.8, 0.6]])
    array([1.25, 1.75, 3.  ])
    """
    return _ranks(scores, greater_is_better).mean(axis=0)


@document
def friedman_test(
    scores: ArrayLike, *, method: Literal["chi2", "iman_davenport"] = "chi2"
) -> TestResult:
    r"""Friedman's test that all models are equally good over many data sets.

    .. math:: \chi^2_F = \frac{12 n}{k (k + 1)} \Big(\sum_j \bar R_j^2 - \frac{k (k+1)^2}{4}\Big),
        \quad F = \frac{(n - 1) \chi^2_F}{n (k - 1) - \chi^2_F}

    with the mean ranks of k models over n data sets. With ties, the first is divided by
    :math:`1 - \sum_t (t^3 - t) / (n k (k^2 - 1))`.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_models)
        Score of each model on each data set; either lower or higher is better throughout.
    method : {"chi2", "iman_davenport"}, default="chi2"
        "chi2" compares the first with a chi-squared distribution with k - 1 degrees of freedom;
        "iman_davenport" compares F with an F distribution with k - 1 and (k - 1)(n - 1) degrees of
        freedom, which is less conservative.

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
    >>> from skmetrics_ext.significance import friedman_test
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.75], [0.7, 0.6, 0.5], [0.9, 0.7, 0.8]]
    >>> print(friedman_test(scores))
    friedman: statistic = 6, p = 0.0498
    >>> print(friedman_test(scores, method="iman_davenport"))
    friedman, iman_davenport: statistic = 9, p = 0.0156
    """
    check_option("method", method, ("chi2", "iman_davenport"))
    ranks = _ranks(scores, True)
    n_sets, n_models = ranks.shape
    statistic, df = friedman_chi_squared(ranks), n_models - 1
    if method == "chi2":
        return compared_with(statistic, df, "friedman")
    rest = n_sets * df - statistic
    # If the order is the same on every data set, the rest is rounding.
    rest = rest if rest > 1e-12 * n_sets * df else 0.0
    f_statistic = float(ratio((n_sets - 1) * statistic, rest))
    return compared_with(f_statistic, (df, df * (n_sets - 1)), "friedman, iman_davenport")


@document
def nemenyi_test(
    scores: ArrayLike, *, greater_is_better: bool = True, alpha: float = 0.05
) -> NemenyiResult:
    r"""Nemenyi's test of every pair of models over many data sets, after Friedman's.

    .. math:: CD = \frac{q_\alpha}{\sqrt 2} \sqrt{\frac{k (k + 1)}{6 n}}

    with the quantile of the studentized range of k values and infinite degrees of freedom. The
    p-value of each pair is that of :math:`|\bar R_i - \bar R_j|` in the same units.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_models)
        Score of each model on each data set; the columns of a data frame name the models.
    greater_is_better : bool, default=True
        Whether the largest score has rank 1.
    alpha : float in (0, 1), default=0.05
        Level of the critical difference, over all pairs together.

    Returns
    -------
    NemenyiResult
        ``average_ranks, p_values, critical_difference, alpha, models``; ``plot()`` draws the
        critical-difference diagram.

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
    from scipy.stats import studentized_range

    level = check_level(alpha, "alpha")
    ranks = _ranks(scores, greater_is_better)
    n_sets, n_models = ranks.shape
    means = ranks.mean(axis=0)
    unit = np.sqrt(n_models * (n_models + 1) / (12 * n_sets))
    distances = np.abs(means[:, None] - means) / unit
    p_values = studentized_range_sf(distances, n_models)
    critical = studentized_range.ppf(1 - level, n_models, np.inf) * unit
    models = tuple(getattr(scores, "column_names", getattr(scores, "columns", ())))
    if len(set(models)) < len(models):
        raise InvalidParameterError(
            f"the columns of scores name the models and must be unique, got {list(models)!r:.80}."
        )
    return NemenyiResult(means, p_values, float(critical), level, models)


@document
def wilcoxon_signed_rank_test(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    method: Literal["auto", "exact", "approx"] = "auto",
    zero_method: Literal["wilcox", "pratt"] = "wilcox",
    correction: bool = False,
) -> TestResult:
    r"""Wilcoxon's signed-rank test of two models over many data sets.

    The statistic is the sum of the ranks of :math:`|a_i - b_i|` over the data sets on which the
    first model is better. Differences that agree to 12 digits of the largest score are ties.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_datasets,)
        Scores of the two models on the same data sets.
    method : {"auto", "exact", "approx"}, default="auto"
        "exact" counts all signs of the ranks, with their ties; "approx" is the normal
        approximation with the variance corrected for ties; "auto" is exact up to 50 differences.
    zero_method : {"wilcox", "pratt"}, default="wilcox"
        Differences of 0 are left out before ranking ("wilcox"), or after it ("pratt").
    correction : bool, default=False
        Whether the approximation has a continuity correction.

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
    >>> from skmetrics_ext.significance import wilcoxon_signed_rank_test
    >>> a, b = [0.8, 0.9, 0.75, 0.6, 0.85], [0.7, 0.85, 0.77, 0.53, 0.82]
    >>> print(wilcoxon_signed_rank_test(a, b))
    wilcoxon, exact: statistic = 14, p = 0.125
    """
    from scipy.stats import rankdata, wilcoxon

    check_option("method", method, ("auto", "exact", "approx"))
    check_option("zero_method", zero_method, ("wilcox", "pratt"))
    check_option("correction", correction, (True, False))
    first, second = read_numbers("scores_a", scores_a), read_numbers("scores_b", scores_b)
    if first.ndim != 1 or first.shape != second.shape or first.size == 0:
        raise InvalidParameterError(
            "scores_a and scores_b have to be 1-D and of the same data sets, got shapes "
            f"{first.shape} and {second.shape}."
        )
    for name, values in (("scores_a", first), ("scores_b", second)):
        if not np.isfinite(values).all():
            raise InvalidParameterError(f"{name} has to be finite, got {values.tolist()!r:.60}.")
    scale = max(np.abs(first).max(), np.abs(second).max())
    differences = np.round(np.nan_to_num(divide(first - second, scale)), 12)
    if zero_method == "wilcox":
        differences = differences[differences != 0]
    ranks = rankdata(np.abs(differences))
    ranks, signs = ranks[differences != 0], differences[differences != 0]
    statistic = float(ranks[signs > 0].sum())
    exact = method == "exact" or (method == "auto" and len(ranks) <= 50)
    if len(ranks) == 0:
        p_value = 1.0
    elif exact:
        p_value = exact_signed_rank_p(ranks, statistic)
    else:
        options: Any = {"zero_method": zero_method, "correction": correction, "method": "approx"}
        p_value = float(wilcoxon(differences, **options).pvalue)
    return TestResult(statistic, p_value, f"wilcoxon, {'exact' if exact else 'approx'}")


# --------------------------------------------------------------------------- helpers


def _ranks(scores: Any, greater_is_better: bool) -> Array:
    """Checked scores as ranks within each data set."""
    from scipy.stats import rankdata

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
    return np.asarray(rankdata(-values if greater_is_better else values, axis=1))
