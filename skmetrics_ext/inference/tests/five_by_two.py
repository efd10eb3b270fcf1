"""Tests of two models on five repetitions of 2-fold cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.inference.results import TestResult
from skmetrics_ext.inference.tests.fold_tests import (
    ROUNDING,
    fold_differences,
    read_folds,
    t_value,
    two_sided_t,
)
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import InvalidParameterError


@document
def five_by_two_cv_ttest(scores_a: Any, scores_b: Any) -> TestResult:
    r"""Dietterich's 5x2cv t-test of two models.

    .. math:: t = \frac{d_{11}}{\sqrt{\frac{1}{5} \sum_{i=1}^5 s_i^2}}, \quad
        s_i^2 = (d_{i1} - \bar d_i)^2 + (d_{i2} - \bar d_i)^2

    with 5 degrees of freedom. It reads the first difference alone in the numerator, so that it
    depends on the order of the folds; `five_by_two_cv_ftest` does not. Half of the rows train each
    model, and 10 differences estimate the variance, so that p-values vary much from one draw of
    the splits to another and real differences are often missed. It is for one look: the least
    p-value of several draws holds no level. `corrected_resampled_ttest` of more folds, or
    `compare` of the predictions, have more power.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (5, 2)
        Scores of the two models on the two folds of five repetitions of 2-fold
        cross-validation, on the same splits.

    Returns
    -------
    TestResult
        Two-sided; positive where the first model is better on the first fold. Models with the
        same differences on every pair of folds have p = 1 if the first is 0, else p = 0.

    Raises
    ------
    {raises}

    References
    ----------
    Dietterich (1998), Neural Computation 10(7), 1895-1923.

    Examples
    --------
    >>> from skmetrics_ext import five_by_two_cv_ttest
    >>> a = [[0.8, 0.82], [0.79, 0.84], [0.81, 0.8], [0.83, 0.78], [0.8, 0.8]]
    >>> b = [[0.77, 0.8], [0.78, 0.8], [0.78, 0.79], [0.8, 0.77], [0.79, 0.76]]
    >>> print(five_by_two_cv_ttest(a, b))
    5x2cv t: statistic = 1.826, p = 0.127
    """
    differences = _five_by_two(scores_a, scores_b)
    variance = _pair_variances(differences).mean()
    statistic = t_value(float(differences[0, 0]), float(np.sqrt(variance)))
    return TestResult(statistic, two_sided_t(statistic, 5), "5x2cv t", 5)


@document
def five_by_two_cv_ftest(scores_a: Any, scores_b: Any) -> TestResult:
    r"""Alpaydin's combined 5x2cv F-test of two models.

    .. math:: F = \frac{\sum_{i=1}^5 \sum_{j=1}^2 d_{ij}^2}{2 \sum_{i=1}^5 s_i^2}

    with the variances of `five_by_two_cv_ttest`, compared with F of 10 and 5 degrees of freedom. It
    does not depend on the order of the folds; the other caveats of that test are also its own: low
    power, p-values that vary with the splits, and no level over several draws of them.

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
    >>> from skmetrics_ext import five_by_two_cv_ftest
    >>> a = [[0.8, 0.82], [0.79, 0.84], [0.81, 0.8], [0.83, 0.78], [0.8, 0.8]]
    >>> b = [[0.77, 0.8], [0.78, 0.8], [0.78, 0.79], [0.8, 0.77], [0.79, 0.76]]
    >>> print(five_by_two_cv_ftest(a, b))
    5x2cv F: statistic = 2.481, p = 0.164
    """
    from scipy.special import fdtrc

    differences = _five_by_two(scores_a, scores_b)
    variance = float(_pair_variances(differences).sum())
    statistic = t_value(float((differences**2).sum()), 2 * variance)
    return TestResult(statistic, float(fdtrc(10, 5, statistic)), "5x2cv F", (10, 5))


def _five_by_two(scores_a: Any, scores_b: Any) -> Array:
    first, second = read_folds("scores_a", scores_a), read_folds("scores_b", scores_b)
    for name, values in (("scores_a", first), ("scores_b", second)):
        if values.shape != (5, 2):
            raise InvalidParameterError(
                f"{name} has to be of shape (5, 2), five repetitions of two folds, got shape "
                f"{values.shape}."
            )
    return fold_differences(first, second)


def _pair_variances(differences: Array) -> Array:
    """Sum of squares about the mean of each pair; exactly 0 for equal ones."""
    apart = differences[:, 0] - differences[:, 1]
    size = np.abs(differences).max(axis=1)
    return np.where(np.abs(apart) <= ROUNDING * size, 0.0, apart) ** 2 / 2
