"""Tests of two models from their scores on the same cross-validation folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.margins import Asked, Contrast
from skmetrics_ext.inference.results import Estimate, TestResult, compared_with, estimate
from skmetrics_ext.inference.scales import quantile, tail_probability
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array
from skmetrics_ext.result_bases import IntervalResult
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import read_numbers
from skmetrics_ext.validation.parameters import check_level, check_number

# Scores that differ by less than this share of their size are equal up to rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, repr=False, slots=True)
class BayesianComparison(IntervalResult):
    """Posterior of the difference of two models: an interval, and which model is better.

    Parameters
    ----------
    difference : float
        Mean of the scores of the first model minus those of the second.
    low, high : float
        Bounds of the central credible interval of the difference.
    p_a_better : float
        Probability that the difference exceeds ``rope``.
    p_equivalent : float
        Probability that it lies within ``rope`` of 0.
    p_b_better : float
        Probability that it lies below minus ``rope``.
    rope : float
        Half-width of the region of practical equivalence.
    method : str
        Name of the posterior.
    confidence_level : float
        Posterior probability of the interval, in (0, 1).

    Examples
    --------
    >>> from skmetrics_ext.results import BayesianComparison
    >>> print(BayesianComparison(0.02, 0.0, 0.04, 0.8, 0.19, 0.01, 0.01, "correlated t", 0.95))
    0.02 [0, 0.04]: P(a better) = 0.8, P(equivalent) = 0.19, P(b better) = 0.01
    """

    difference: float
    low: float
    high: float
    p_a_better: float
    p_equivalent: float
    p_b_better: float
    rope: float
    method: str
    confidence_level: float

    def __str__(self) -> str:
        return (
            f"{self.difference:.4g} [{self.low:.4g}, {self.high:.4g}]: "
            f"P(a better) = {self.p_a_better:.3g}, P(equivalent) = {self.p_equivalent:.3g}, "
            f"P(b better) = {self.p_b_better:.3g}"
        )


# --------------------------------------------------------------------------- kernels


def corrected_error(values: Array, test_to_train: float) -> float:
    """Standard error of a mean over folds with overlapping training sets; 0 without spread."""
    if np.ptp(values) <= ROUNDING * np.abs(values).max():
        return 0.0
    return float(np.sqrt(values.var(ddof=1) * (1 / len(values) + test_to_train)))


NO_SPREAD = "the value is the same on every fold, so there is no interval from the folds"


def t_value(difference: float, error: float) -> float:
    """Difference divided by its error; infinite if only the error is 0, and 0 if both are."""
    if error > 0:
        return difference / error
    return float(np.copysign(np.inf, difference)) if difference else 0.0


def corrected_mean(
    values: Array, test_to_train: float, level: float
) -> tuple[float, tuple[float, float], float]:
    """Mean over folds, its bounds by a t quantile and its `corrected_error`."""
    mean, error = float(values.mean()), corrected_error(values, test_to_train)
    half_width = float(quantile(level, len(values) - 1)) * error
    return mean, (mean - half_width, mean + half_width), error


# --------------------------------------------------------------------------- public functions


@document
def corrected_resampled_ttest(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    n_train: int | ArrayLike,
    n_test: int | ArrayLike,
    confidence_level: float = 0.95,
) -> Estimate:
    r"""Nadeau and Bengio's corrected t-test of two models on the same folds.

    .. math:: t = \frac{\bar d}{\sqrt{(1/J + n_{test} / n_{train}) s_d^2}}

    with the mean and the variance of the J differences, and J - 1 degrees of freedom. For random
    splits, k-fold and repeated k-fold (J = k times the repetitions). The second term accounts for
    the correlation of folds whose training sets overlap. It is a heuristic, with which the level
    is near the nominal one where the plain t-test rejects far too often.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_folds,)
        Scores of the two models, fold by fold on the same splits. An array of shape
        (n_repeats, n_folds) is read as its values.
    n_train, n_test : int or array-like of shape (n_folds,)
        Numbers of rows of the training and of the test sets; the mean if sizes vary.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval.

    Returns
    -------
    Estimate
        ``difference`` is the mean of the first model minus that of the second. A model compared
        with itself has p = 1; a difference that is the same on every fold has p = 0, and a
        ``note`` says so.

    Raises
    ------
    {raises}

    References
    ----------
    Nadeau & Bengio (2003), Machine Learning 52(3), 239-281; Bouckaert & Frank (2004),
    Proceedings of PAKDD, 3-12.

    Examples
    --------
    >>> from skmetrics_ext import corrected_resampled_ttest
    >>> print(corrected_resampled_ttest([0.8, 0.85, 0.78, 0.82, 0.84],
    ...                                 [0.79, 0.81, 0.77, 0.8, 0.8], n_train=80, n_test=20))
    0.818 against 0.794: 0.024 [-0.004246, 0.05225], p = 0.0777, 95 %, corrected resampled t
    """
    first, second = _paired(scores_a, scores_b)
    level = check_level(confidence_level)
    differences = fold_differences(first, second)
    difference, bounds, error = corrected_mean(differences, _test_to_train(n_train, n_test), level)
    statistic = t_value(difference, error)
    p_value = float(tail_probability(statistic, len(differences) - 1, "two-sided"))
    values = float(first.mean()), float(second.mean())
    contrast = Contrast(difference, values, "corrected resampled t", Asked(level))
    note = "" if error > 0 else "the differences are the same on every fold"
    return contrast.tested(bounds, statistic, p_value, error, note)


@document
def corrected_resampled_interval(
    scores: ArrayLike,
    *,
    n_train: int | ArrayLike,
    n_test: int | ArrayLike,
    confidence_level: float = 0.95,
) -> Estimate:
    r"""Interval of the mean score over folds with Nadeau and Bengio's corrected variance.

    .. math:: \bar s \pm t_{J-1} \sqrt{(1/J + n_{test} / n_{train}) s^2}

    The correction is a heuristic for the correlation of folds, without which the standard error of
    the mean is too small.

    Parameters
    ----------
    scores : array-like of shape (n_folds,)
        Score of a model on each fold; (n_repeats, n_folds) is read as its values.
    n_train, n_test : int or array-like of shape (n_folds,)
        Numbers of rows of the training and of the test sets; the mean if sizes vary.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval.

    Returns
    -------
    Estimate
        The bounds are those of the t distribution and may exceed the range of the metric.

    Raises
    ------
    {raises}

    References
    ----------
    Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.

    Examples
    --------
    >>> from skmetrics_ext import corrected_resampled_interval
    >>> print(corrected_resampled_interval([0.8, 0.85, 0.78, 0.82, 0.84], n_train=80, n_test=20))
    0.818 [0.7647, 0.8713], 95 %, corrected resampled t
    """
    values = read_folds("scores", scores).ravel()
    level = check_level(confidence_level)
    _check_folds("scores", values.size)
    mean, bounds, error = corrected_mean(values, _test_to_train(n_train, n_test), level)
    note = "" if error > 0 else "the scores are the same on every fold"
    return estimate(mean, bounds, error, "corrected resampled t", level, note)


@document
def bayesian_correlated_ttest(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    n_train: int | ArrayLike,
    n_test: int | ArrayLike,
    rope: float = 0.01,
    confidence_level: float = 0.95,
) -> BayesianComparison:
    r"""Bayesian correlated t-test: the probability that one model is better.

    The posterior of the difference is a t distribution around the mean difference with J - 1
    degrees of freedom and the scale of `corrected_resampled_ttest`,
    :math:`\sqrt{(1/J + n_{test} / n_{train}) s_d^2}`. It assumes that folds are correlated by
    n_test / (n_train + n_test), and a matching prior.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_folds,)
        Scores of the two models, higher is better, fold by fold on the same splits. An array
        of shape (n_repeats, n_folds) is read as its values.
    n_train, n_test : int or array-like of shape (n_folds,)
        Numbers of rows of the training and of the test sets; the mean if sizes vary.
    rope : float, default=0.01
        Half-width of the region of practical equivalence, in units of the score.
    confidence_level : float in (0, 1), default=0.95
        Posterior probability of the credible interval.

    Returns
    -------
    BayesianComparison
        The three probabilities sum to 1. With ``rope=0``, twice the smaller of the outer two is
        the p-value of `corrected_resampled_ttest`. Without any spread the posterior is a single
        point; for a model against itself with ``rope=0``, each side has probability 1/2.

    Raises
    ------
    {raises}

    References
    ----------
    Corani & Benavoli (2015), Machine Learning 100(2-3), 285-304; Benavoli, Corani, Demsar &
    Zaffalon (2017), Journal of Machine Learning Research 18(77), 1-36.

    Examples
    --------
    >>> from skmetrics_ext import bayesian_correlated_ttest
    >>> print(bayesian_correlated_ttest([0.8, 0.85, 0.78, 0.82, 0.84],
    ...                                 [0.79, 0.81, 0.77, 0.8, 0.8], n_train=80, n_test=20))
    0.024 [-0.004246, 0.05225]: P(a better) = 0.88, P(equivalent) = 0.106, P(b better) = 0.0144
    """
    from scipy.special import stdtr

    first, second = _paired(scores_a, scores_b)
    level, rope = check_level(confidence_level), check_number("rope", rope, 0)
    differences = fold_differences(first, second)
    difference, bounds, error = corrected_mean(differences, _test_to_train(n_train, n_test), level)
    df = len(differences) - 1
    if error > 0:
        better_a = float(stdtr(df, (difference - rope) / error))
        better_b = float(stdtr(df, (-rope - difference) / error))
    elif difference == rope == 0:
        better_a = better_b = 0.5
    else:
        better_a, better_b = float(difference > rope), float(difference < -rope)
    equivalent = max(1 - better_a - better_b, 0.0) if rope > 0 else 0.0
    posterior = better_a, equivalent, better_b
    return BayesianComparison(difference, *bounds, *posterior, rope, "correlated t", level)


@document
def five_by_two_cv_ttest(scores_a: ArrayLike, scores_b: ArrayLike) -> TestResult:
    r"""Dietterich's 5x2cv t-test of two models.

    .. math:: t = \frac{d_{11}}{\sqrt{\frac{1}{5} \sum_{i=1}^5 s_i^2}}, \quad
        s_i^2 = (d_{i1} - \bar d_i)^2 + (d_{i2} - \bar d_i)^2

    with 5 degrees of freedom. The numerator is the first difference alone, so the test depends on
    the order of the folds; `five_by_two_cv_ftest` does not. Each model is trained on half of the
    rows, and 10 differences estimate the variance, so p-values vary a lot between random splits
    and real differences are often missed. It is for one draw of the splits: the least p-value of
    several draws has no level. `corrected_resampled_ttest` with more folds, or `compare` on the
    predictions, has more power.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (5, 2)
        Scores of the two models on the two folds of five repetitions of 2-fold
        cross-validation, on the same splits.

    Returns
    -------
    TestResult
        Two-sided; positive if the first model is better on the first fold. If the differences are
        equal within every pair of folds, p = 1 if the first is 0, otherwise p = 0.

    Raises
    ------
    {raises}

    References
    ----------
    Dietterich (1998), Neural Computation 10(7), 1895-1923.

    Examples
    --------
    >>> from skmetrics_ext.significance import five_by_two_cv_ttest
    >>> a = [[0.8, 0.82], [0.79, 0.84], [0.81, 0.8], [0.83, 0.78], [0.8, 0.8]]
    >>> b = [[0.77, 0.8], [0.78, 0.8], [0.78, 0.79], [0.8, 0.77], [0.79, 0.76]]
    >>> print(five_by_two_cv_ttest(a, b))
    5x2cv t: statistic = 1.826, p = 0.127
    """
    differences = _five_by_two(scores_a, scores_b)
    variance = _pair_variances(differences).mean()
    statistic = t_value(float(differences[0, 0]), float(np.sqrt(variance)))
    p_value = float(tail_probability(statistic, 5, "two-sided"))
    return TestResult(statistic, p_value, "5x2cv t", 5)


@document
def five_by_two_cv_ftest(scores_a: ArrayLike, scores_b: ArrayLike) -> TestResult:
    r"""Alpaydin's combined 5x2cv F-test of two models.

    .. math:: F = \frac{\sum_{i=1}^5 \sum_{j=1}^2 d_{ij}^2}{2 \sum_{i=1}^5 s_i^2}

    with the variances of `five_by_two_cv_ttest`, compared with an F distribution with 10 and 5
    degrees of freedom. It does not depend on the order of the folds, but has the other limitations
    of that test: low power, p-values that vary with the splits, and no level over several draws.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (5, 2)
        Scores of the two models on the two folds of five repetitions of 2-fold
        cross-validation, on the same splits.

    Returns
    -------
    TestResult
        A model against itself has F = 0 and p = 1.

    Raises
    ------
    {raises}

    References
    ----------
    Alpaydin (1999), Neural Computation 11(8), 1885-1892.

    Examples
    --------
    >>> from skmetrics_ext.significance import five_by_two_cv_ftest
    >>> a = [[0.8, 0.82], [0.79, 0.84], [0.81, 0.8], [0.83, 0.78], [0.8, 0.8]]
    >>> b = [[0.77, 0.8], [0.78, 0.8], [0.78, 0.79], [0.8, 0.77], [0.79, 0.76]]
    >>> print(five_by_two_cv_ftest(a, b))
    5x2cv F: statistic = 2.481, p = 0.164
    """
    differences = _five_by_two(scores_a, scores_b)
    variance = float(_pair_variances(differences).sum())
    statistic = t_value(float((differences**2).sum()), 2 * variance)
    return compared_with(statistic, (10, 5), "5x2cv F")


# --------------------------------------------------------------------------- reading


def read_folds(name: str, scores: Any) -> Array:
    """Scores of folds, which have to be finite."""
    values = read_numbers(name, scores)
    if not np.isfinite(values).all():
        fold = int(np.argmax(~np.isfinite(values)))
        raise InvalidParameterError(
            f"{name} has to be finite, got {values.ravel()[fold]} on fold {fold}: leave out the "
            "folds on which a metric is undefined, for both models."
        )
    return values


def _paired(scores_a: Any, scores_b: Any) -> tuple[Array, Array]:
    """Flattened scores of two models on the same folds, two or more."""
    first, second = read_folds("scores_a", scores_a), read_folds("scores_b", scores_b)
    if first.shape != second.shape:
        raise InvalidParameterError(
            "scores_a and scores_b have to be of the same folds, got shapes "
            f"{first.shape} and {second.shape}."
        )
    _check_folds("scores_a and scores_b", first.size)
    return first.ravel(), second.ravel()


def _check_folds(name: str, n_folds: int) -> None:
    if n_folds < 2:
        raise InvalidParameterError(f"2 folds or more are needed, got {n_folds} in {name}.")


def fold_differences(first: Array, second: Array) -> Array:
    """Differences of scores, exactly 0 if they are equal up to rounding."""
    size = np.maximum(np.abs(first), np.abs(second))
    return np.where(np.abs(first - second) <= ROUNDING * size, 0.0, first - second)


def _test_to_train(n_train: Any, n_test: Any) -> float:
    """Mean size of the test sets divided by that of the training sets."""
    sizes = []
    for name, argument in (("n_train", n_train), ("n_test", n_test)):
        rows = read_numbers(name, argument)
        if rows.size == 0 or not (np.isfinite(rows) & (rows > 0)).all():
            raise InvalidParameterError(f"{name} has to be positive, got {argument!r:.60}.")
        sizes.append(float(rows.mean()))
    return sizes[1] / sizes[0]


def _five_by_two(scores_a: Any, scores_b: Any) -> Array:
    """Differences of two models on five repetitions of two folds."""
    first, second = read_folds("scores_a", scores_a), read_folds("scores_b", scores_b)
    for name, values in (("scores_a", first), ("scores_b", second)):
        if values.shape != (5, 2):
            raise InvalidParameterError(
                f"{name} has to be of shape (5, 2), five repetitions of two folds, got shape "
                f"{values.shape}."
            )
    return fold_differences(first, second)


def _pair_variances(differences: Array) -> Array:
    """Sum of squares about the mean of each pair of differences; exactly 0 if they are equal."""
    return fold_differences(differences[:, 0], differences[:, 1]) ** 2 / 2
