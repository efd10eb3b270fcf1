"""Tests of two models from their scores on the same cross-validation folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext.inference.results import Comparison, Estimate
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array
from skmetrics_ext.result_bases import IntervalResult
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import read_numbers
from skmetrics_ext.validation.parameters import check_level, check_number

# Scores that differ by less than this share of their size differ by rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, repr=False, slots=True)
class BayesianComparison(IntervalResult):
    """Posterior probabilities of which of two models is better, and by how much.

    Parameters
    ----------
    difference : float
        Mean of the scores of the first model less those of the second.
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
        How the posterior was made.
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
    """Standard error of a mean over folds whose training sets overlap; exactly 0 without spread."""
    if np.ptp(values) <= ROUNDING * np.abs(values).max():
        return 0.0
    return float(np.sqrt(values.var(ddof=1) * (1 / len(values) + test_to_train)))


def t_value(difference: float, error: float) -> float:
    """A ratio that is 0 where there is no difference, and infinite beside no spread."""
    if error > 0:
        return difference / error
    return float(np.copysign(np.inf, difference)) if difference else 0.0


def two_sided_t(statistic: float, df: float) -> float:
    from scipy.special import stdtr

    return float(2 * stdtr(df, -abs(statistic)))


def t_quantile(level: float, df: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + level) / 2))


# --------------------------------------------------------------------------- public functions


@document
def corrected_resampled_ttest(
    scores_a: Any, scores_b: Any, *, n_train: Any, n_test: Any, confidence_level: float = 0.95
) -> Comparison:
    r"""Nadeau and Bengio's corrected t-test of two models on the same folds.

    .. math:: t = \frac{\bar d}{\sqrt{(1/J + n_{test} / n_{train}) s_d^2}}

    with the mean and the variance of the J differences, and J - 1 degrees of freedom. For random
    splits, k-fold and repeated k-fold (J = k times the repetitions). The second term stands for
    the correlation of folds whose training sets overlap; it is a heuristic, under which the
    level is near the nominal one where the plain t-test rejects far too often.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_folds,)
        Scores of the two models, fold by fold on the same splits. An array of shape
        (n_repeats, n_folds) is read as its values.
    n_train, n_test : int or array-like of shape (n_folds,)
        Rows of the training and of the test sets; of folds of several sizes the mean is taken.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval.

    Returns
    -------
    Comparison
        ``difference`` is the mean of the first less that of the second. A model compared with
        itself has p = 1; a difference that is the same on every fold has p = 0, and ``note``
        says that no spread was seen.

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
    0.024 [-0.004246, 0.05225], p = 0.0777 (95% confidence, corrected resampled t)
    """
    first, second = _paired(scores_a, scores_b)
    level = check_level(confidence_level)
    differences = fold_differences(first, second)
    error = corrected_error(differences, _test_to_train(n_train, n_test))
    df = len(differences) - 1
    difference = float(differences.mean())
    statistic = t_value(difference, error)
    spread = t_quantile(level, df) * error
    return Comparison(
        difference,
        difference - spread,
        difference + spread,
        statistic,
        two_sided_t(statistic, df),
        "corrected resampled t",
        float(first.mean()),
        float(second.mean()),
        error,
        level,
        "" if error > 0 else "the differences are the same on every fold",
    )


@document
def corrected_resampled_interval(
    scores: Any, *, n_train: Any, n_test: Any, confidence_level: float = 0.95
) -> Estimate:
    r"""Interval of the mean score over folds, with Nadeau and Bengio's corrected variance.

    .. math:: \bar s \pm t_{J-1} \sqrt{(1/J + n_{test} / n_{train}) s^2}

    A heuristic for the correlation of folds; the plain standard error of the mean is too small.

    Parameters
    ----------
    scores : array-like of shape (n_folds,)
        Score of a model on each fold; (n_repeats, n_folds) is read as its values.
    n_train, n_test : int or array-like of shape (n_folds,)
        Rows of the training and of the test sets; of folds of several sizes the mean is taken.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval.

    Returns
    -------
    Estimate
        The bounds are those of the t distribution: they may leave the range of the metric.

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
    0.818 [0.7647, 0.8713] (95% confidence, corrected resampled t)
    """
    values = read_folds("scores", scores).ravel()
    level = check_level(confidence_level)
    _check_folds("scores", values.size, 2)
    error = corrected_error(values, _test_to_train(n_train, n_test))
    mean = float(values.mean())
    spread = t_quantile(level, len(values) - 1) * error
    note = "" if error > 0 else "the scores are the same on every fold"
    return Estimate(mean, mean - spread, mean + spread, error, "corrected resampled t", level, note)


@document
def bayesian_correlated_ttest(
    scores_a: Any,
    scores_b: Any,
    *,
    n_train: Any,
    n_test: Any,
    rope: float = 0.01,
    confidence_level: float = 0.95,
) -> BayesianComparison:
    r"""Bayesian correlated t-test: how probable it is that one model is better.

    The posterior of the difference is a t distribution about the mean difference with J - 1
    degrees of freedom and the scale of `corrected_resampled_ttest`,
    :math:`\sqrt{(1/J + n_{test} / n_{train}) s_d^2}`; folds are taken to be correlated by
    n_test / (n_train + n_test), under a matching prior.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_folds,)
        Scores of the two models, higher is better, fold by fold on the same splits. An array
        of shape (n_repeats, n_folds) is read as its values.
    n_train, n_test : int or array-like of shape (n_folds,)
        Rows of the training and of the test sets; of folds of several sizes the mean is taken.
    rope : float, default=0.01
        Half-width of the region of practical equivalence, in units of the score.
    confidence_level : float in (0, 1), default=0.95
        Posterior probability of the credible interval.

    Returns
    -------
    BayesianComparison
        The three probabilities sum to 1. With ``rope=0`` twice the smaller of the outer two is
        the p-value of `corrected_resampled_ttest`. Without any spread the posterior is one
        point; a model against itself with ``rope=0`` gives 1/2 to each side.

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
    error = corrected_error(differences, _test_to_train(n_train, n_test))
    df = len(differences) - 1
    difference = float(differences.mean())
    if error > 0:
        better_a = float(stdtr(df, (difference - rope) / error))
        better_b = float(stdtr(df, (-rope - difference) / error))
    elif difference == rope == 0:
        better_a = better_b = 0.5
    else:
        better_a, better_b = float(difference > rope), float(difference < -rope)
    spread = t_quantile(level, df) * error
    return BayesianComparison(
        difference,
        difference - spread,
        difference + spread,
        better_a,
        max(1 - better_a - better_b, 0.0) if rope > 0 else 0.0,
        better_b,
        rope,
        "correlated t",
        level,
    )


# --------------------------------------------------------------------------- reading


def read_folds(name: str, scores: Any) -> Array:
    values = read_numbers(name, scores)
    if not np.isfinite(values).all():
        fold = int(np.argmax(~np.isfinite(values)))
        raise InvalidParameterError(
            f"{name} has to be finite, got {values.ravel()[fold]} on fold {fold}: leave out the "
            "folds on which a metric is undefined, for both models."
        )
    return values


def _paired(scores_a: Any, scores_b: Any) -> tuple[Array, Array]:
    """Scores of two models on two folds or more."""
    first, second = read_folds("scores_a", scores_a), read_folds("scores_b", scores_b)
    if first.shape != second.shape:
        raise InvalidParameterError(
            "scores_a and scores_b have to be of the same folds, got shapes "
            f"{first.shape} and {second.shape}."
        )
    _check_folds("scores_a and scores_b", first.size, 2)
    return first.ravel(), second.ravel()


def _check_folds(name: str, n_folds: int, least: int) -> None:
    if n_folds < least:
        raise InvalidParameterError(f"{least} folds or more are needed, got {n_folds} in {name}.")


def fold_differences(first: Array, second: Array) -> Array:
    """Differences, exactly 0 where only rounding is between the scores."""
    found = first - second
    size = np.maximum(np.abs(first), np.abs(second))
    return np.where(np.abs(found) <= ROUNDING * size, 0.0, found)


def _test_to_train(n_train: Any, n_test: Any) -> float:
    sizes = []
    for name, given in (("n_train", n_train), ("n_test", n_test)):
        rows = read_numbers(name, given)
        if rows.size == 0 or not (np.isfinite(rows) & (rows > 0)).all():
            raise InvalidParameterError(f"{name} has to be positive, got {given!r:.60}.")
        sizes.append(float(rows.mean()))
    return sizes[1] / sizes[0]
