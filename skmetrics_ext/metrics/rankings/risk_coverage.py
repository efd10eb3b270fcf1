"""Risk against coverage: errors of a model that answers its most confident rows only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.public import named
from skmetrics_ext.metrics.spec import INFINITY, Ranges
from skmetrics_ext.numeric import Array, divide, wilson_bounds
from skmetrics_ext.result_bases import CurveResult
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import InvalidParameterError, Labels, Scores
from skmetrics_ext.validation.containers import read_numbers
from skmetrics_ext.validation.parameters import check_level
from skmetrics_ext.validation.rows import check_index, index_of

_FEWEST = 20  # accepted rows of a point with a band

# --------------------------------------------------------------------------- checks


def by_confidence(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, confidence: Any = None
) -> Scores:
    """Whether each row is predicted right, as the true class, with the confidence as its score."""
    if isinstance(y_true, Scores):
        return y_true
    if confidence is None:
        raise InvalidParameterError(
            "confidence is missing: pass confidence= with a number for each row, greater for "
            "predictions that are more certain."
        )
    labels = Labels.check(y_true, y_pred, sample_weight=sample_weight, absolute=True)
    check_index(y_true=index_of(y_true), confidence=index_of(confidence))
    score = read_numbers("confidence", confidence)
    if score.shape != (labels.n_rows,) or not np.isfinite(score).all():
        raise InvalidParameterError(
            f"confidence must hold a finite number for each of the {labels.n_rows} rows, got shape "
            f"{score.shape}{' with nan or infinity' if not np.isfinite(score).all() else ''}."
        )
    right = labels.row_hits().astype(np.int64)
    return Scores("binary", np.array([0, 1]), right, score, labels.weight, absolute=True)


# --------------------------------------------------------------------------- kernels


def _blocks(tally: RankTally) -> tuple[Array, Array, Array, Array, Array]:
    """Rows before and after each tie, errors before it, their mean in it, and rows in all.

    Rows that tie count as in every order, averaged: each has the mean error of its tie.
    """
    wrong, right, negative, positive = tally.steps()
    rows = wrong + right
    mean = np.nan_to_num(divide(np.diff(wrong), np.diff(rows)))
    return rows[..., :-1], rows[..., 1:], wrong[..., :-1], mean, negative + positive


def _harmonic(first: Array, last: Array, power: int = 1) -> Array:
    """Sum of k ** -power over the rows after ``first`` up to ``last``."""
    from scipy.special import digamma, polygamma

    if power == 1:
        return np.asarray(digamma(last + 1.0) - digamma(first + 1.0))
    return np.asarray(polygamma(1, first + 1.0) - polygamma(1, last + 1.0))


def area_of_risk(tally: RankTally) -> Array:
    r"""Area under the risk-coverage curve: mean error rate over all numbers of answered rows.

    .. math:: AURC = \frac{1}{n} \sum_{k=1}^n R_k

    with the error rate :math:`R_k` of the k most confident rows. Rows with equal confidence count
    as in every order, averaged. The error rate if the confidence is constant; 0 without errors.

    References
    ----------
    Geifman & El-Yaniv (2017), Advances in Neural Information Processing Systems 30, 4878-4887.

    Examples
    --------
    >>> from skmetrics_ext import aurc
    >>> confidence = [0.95, 0.9, 0.8, 0.7, 0.6, 0.55]
    >>> round(aurc([1, 1, 1, 1, 1, 1], [1, 1, 0, 1, 0, 0], confidence=confidence), 4)
    0.2472
    """
    before, after, errors, mean, total = _blocks(tally)
    area = mean * (after - before) + (errors - mean * before) * _harmonic(before, after)
    return divide(area.sum(axis=-1), total)


def excess_area_of_risk(tally: RankTally) -> Array:
    r"""Excess area under the risk-coverage curve: AURC less that of a perfect confidence.

    .. math:: E\text{-}AURC = AURC - \frac{1}{n} \sum_k \max(0, k - (n - m)) / k

    with m errors, which a perfect confidence ranks last.

    References
    ----------
    Geifman, Uziel & El-Yaniv (2019), International Conference on Learning Representations.

    Examples
    --------
    >>> from skmetrics_ext import e_aurc
    >>> confidence = [0.95, 0.9, 0.8, 0.7, 0.6, 0.55]
    >>> round(e_aurc([1, 1, 1, 1, 1, 1], [1, 1, 0, 1, 0, 0], confidence=confidence), 4)
    0.0556
    """
    before, after, _, _, total = _blocks(tally)
    _, _, wrong, right = tally.steps()
    perfect = divide(wrong - right * _harmonic(right, total), total)
    # In a part of the scores, its share of the rows.
    return area_of_risk(tally) - perfect * divide(after[..., -1] - before[..., 0], total)


def generalized_area_of_risk(tally: RankTally) -> Array:
    r"""Area under the generalized risk-coverage curve: mean share of rows answered wrongly.

    .. math:: AUGRC = \frac{1}{n} \sum_{k=1}^n \frac{k}{n} R_k

    The average risk of an undetected error; at most 1/2.

    References
    ----------
    Traub et al. (2024), Overcoming common flaws in the evaluation of selective classification
    systems, arXiv:2407.01032.

    Examples
    --------
    >>> from skmetrics_ext import augrc
    >>> confidence = [0.95, 0.9, 0.8, 0.7, 0.6, 0.55]
    >>> round(augrc([1, 1, 1, 1, 1, 1], [1, 1, 0, 1, 0, 0], confidence=confidence), 4)
    0.1944
    """
    before, after, errors, mean, total = _blocks(tally)
    size = after - before
    return divide((size * errors + mean * size * (size + 1) / 2).sum(axis=-1), total**2.0)


# --------------------------------------------------------------------------- slopes


def area_slope(tally: RankTally) -> Array:
    """Contribution of an error and of a right row in each tie, the mean of its orders."""
    from scipy.special import digamma, polygamma

    before, after, errors, mean, total = _blocks(tally)
    size, rest = after - before, errors - mean * before

    def over_tie(sums: Callable[[Array], Array]) -> Array:
        return divide(sums(after) - sums(before), size)

    first = over_tie(lambda m: m * digamma(m + 1.0) - m)
    second = over_tie(lambda m: m * polygamma(1, m + 1.0) + digamma(m + 1.0))
    later = mean * _harmonic(before, after) + rest * _harmonic(before, after, 2)
    later = later[::-1].cumsum()[::-1] - later + mean * (digamma(after + 1.0) - first)
    later = later + rest * (second - polygamma(1, after + 1.0))
    right = mean + rest * divide(_harmonic(before, after), size) - later
    return np.stack([digamma(total + 1.0) - first + right, right]) / total


def excess_slope(tally: RankTally) -> Array:
    """The slope of the area, less that of a perfect confidence."""
    _, _, wrong, right = tally.steps()
    log = np.log(right / (wrong + right)) if right else 0.0
    return area_slope(tally) + np.array([[log], [0.0]]) / (wrong + right)


def generalized_slope(tally: RankTally) -> Array:
    """Contribution of an error and of a right row in each tie, the mean of its orders."""
    before, after, errors, mean, total = _blocks(tally)
    right = (errors + mean * (after - before + 1) / 2) / total
    return np.stack([right + 1 - (before + after - 1) / (2 * total), right]) / total


# --------------------------------------------------------------------------- public functions

_CONFIDENCE = """{y_true_y_pred}
confidence : array-like of shape (n_samples,)
    How sure the model is of each prediction, such as its highest probability; only the order
    counts.
{sample_weight}"""


def _risk(name: str, kernel: Any, title: str, slope: Any) -> Any:
    """Make the public function of an area of risk."""

    def function(
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        confidence: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        checked = by_confidence(y_true, y_pred, sample_weight=sample_weight, confidence=confidence)
        return float(kernel(RankTally.of_class(checked)))

    facts: Any = {"greater_is_better": False, "scorer": None, "bounds": (0.0, INFINITY)}
    facts |= {"traits": ("unlisted", "weights_are_counts"), "check": by_confidence, "slope": slope}
    facts |= {"ranges": Ranges("sum")}
    return named(function, name, kernel, title, _CONFIDENCE, ("float", ""), **facts)


aurc = _risk("aurc", area_of_risk, "AURC", area_slope)
e_aurc = _risk("e_aurc", excess_area_of_risk, "E-AURC", excess_slope)
augrc = _risk("augrc", generalized_area_of_risk, "AUGRC", generalized_slope)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class RiskCoverageCurve(CurveResult):
    """Error rate of the answered rows for every coverage.

    Parameters
    ----------
    coverage : ndarray of shape (T,)
        Share of the rows that are answered.
    risk : ndarray of shape (T,)
        Share of errors among them.
    low, high : ndarray of shape (T,)
        Pointwise interval of the risk; nan below 20 answered rows.
    thresholds : ndarray of shape (T,)
        Lowest confidence that is answered.
    """

    coverage: Array
    risk: Array
    low: Array
    high: Array
    thresholds: Array


@document
def risk_coverage_curve(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    confidence: ArrayLike | None = None,
    confidence_level: float = 0.95,
    sample_weight: ArrayLike | None = None,
) -> RiskCoverageCurve:
    r"""Risk against coverage: error rate of the most confident rows over their share.

    Parameters
    ----------
    {y_true_y_pred}
    confidence : array-like of shape (n_samples,)
        How sure the model is of each prediction, such as its highest probability.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the pointwise intervals, which are Wilson's for the answered rows.
    sample_weight : array-like of shape (n_samples,), default=None
        Number of rows that each row stands for.

    Returns
    -------
    RiskCoverageCurve
        ``coverage, risk, low, high, thresholds``, a point for every distinct confidence.

    Raises
    ------
    {raises}

    References
    ----------
    El-Yaniv & Wiener (2010), Journal of Machine Learning Research 11, 1605-1641.

    Examples
    --------
    >>> from skmetrics_ext import risk_coverage_curve
    >>> confidence = [0.95, 0.9, 0.8, 0.7]
    >>> curve = risk_coverage_curve([1, 0, 1, 0], [1, 0, 0, 0], confidence=confidence)
    >>> curve.coverage.tolist(), curve.risk.round(4).tolist()
    ([0.25, 0.5, 0.75, 1.0], [0.0, 0.0, 0.3333, 0.25])
    """
    options: Any = {"sample_weight": sample_weight, "confidence": confidence}
    return curve_of(by_confidence(y_true, y_pred, **options), check_level(confidence_level))


def curve_of(checked: Scores, level: float = 0.95) -> RiskCoverageCurve:
    """The curve of checked rows, which are right or wrong."""
    from scipy.special import ndtri

    tally = RankTally.of_class(checked)
    wrong, right, _, _ = tally.steps()
    rows = (wrong + right)[1:]
    risk, known = divide(wrong[1:], rows), np.where(rows < _FEWEST, np.nan, rows)
    bounds = wilson_bounds(risk, known, ndtri((1 + level) / 2))
    return RiskCoverageCurve(rows / rows[-1], risk, *bounds, tally.thresholds)
