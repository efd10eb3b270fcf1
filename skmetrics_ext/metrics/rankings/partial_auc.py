"""Areas under a part of the ROC curve, and under its convex hull."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import MultiClass, RankAverage
from skmetrics_ext.metrics.public import OF_AREAS, one_of, ranking
from skmetrics_ext.metrics.rankings.ranking_kernels import (
    Range,
    area_within,
    corners,
    partial_roc_auc,
    roc_auc_convex_hull,
    roc_points,
    standardized,
)
from skmetrics_ext.metrics.spec import Ranges
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import InvalidParameterError


def _range(name: str, given: Any) -> Range | None:
    if given is None:
        return None
    try:
        low, high = (float(bound) for bound in given)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if not 0 <= low < high <= 1:
        raise InvalidParameterError(
            f"{name} must be a pair (low, high) with 0 <= low < high <= 1, got {given!r}."
        )
    return low, high


def _only_one(params: dict[str, Any]) -> None:
    fpr_range, tpr_range = params["fpr_range"], params["tpr_range"]
    if (fpr_range is None) == (tpr_range is None):
        raise InvalidParameterError(
            "Pass exactly one of fpr_range and tpr_range, a pair (low, high); got "
            f"fpr_range={fpr_range!r} and tpr_range={tpr_range!r}."
        )


# --------------------------------------------------------------------------- slopes


def partial_roc_auc_slope(
    tally: RankTally,
    fpr_range: Range | None = None,
    tpr_range: Range | None = None,
    standardize: bool = True,
) -> Array:
    fpr, tpr = roc_points(tally)
    negative, positive = tally.negative.sum(), tally.positive.sum()
    low, high = tpr_range or fpr_range or (0.0, 1.0)
    area = area_within(tally, fpr_range, tpr_range)
    if tpr_range is not None:  # what lies left of the curve counts against it
        along, across = _between(tpr, fpr, low, high, area)
        slope = -np.stack([divide(across, negative), divide(along, positive)])
    else:
        along, across = _between(fpr, tpr, low, high, area)
        slope = np.stack([divide(along, negative), divide(across, positive)])
    chance = (high * high - low * low) / 2
    if tpr_range is not None:
        chance = (high - low) - chance
    return slope / (2 * (high - low - chance)) if standardize else slope


def _between(x: Array, y: Array, low: float, high: float, area: Array) -> tuple[Array, Array]:
    """Contribution to the area between of a row of the class along x, and of one along y.

    A row lies anywhere on the step of its score, so that means along steps are taken.
    """
    left, right, y_left, y_right = x[:-1], x[1:], y[:-1], y[1:]
    width = right - left
    start, stop = np.clip(left, low, high), np.clip(right, low, high)
    before = np.maximum(np.minimum(right, low) - left, 0.0)
    after = np.maximum(right - np.maximum(left, high), 0.0)
    y_low, y_high = np.interp([low, high], x, y)

    def height(at: Array) -> Array:
        share = np.nan_to_num(divide(at - left, width))
        return y_left * (1 - share) + y_right * share

    # Means over a step of x, and of y, cut at both ends of the range.
    cut = (start + stop) / 2 * (stop - start) + low * before + high * after
    cut = np.where(width > 0, divide(cut, width), start)
    heights = (height(start) + height(stop)) / 2 * (stop - start)
    heights = divide(heights + y_low * before + y_high * after, width)
    heights = np.where(width > 0, heights, (y_left + y_right) / 2)
    return heights - (1 - high) * y_high - low * y_low - area, high - cut - area


# --------------------------------------------------------------------------- public functions


@ranking(
    partial_roc_auc,
    checks={"fpr_range": _range, "tpr_range": _range, "standardize": one_of(True, False)},
    together=_only_one,
    variants={**OF_AREAS, "": {"fpr_range": (0.0, 0.1)}},
    slope=partial_roc_auc_slope,
    ranges=Ranges("sum", area_within, standardized),
)
def partial_roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    fpr_range: tuple[float, float] | None = None,
    tpr_range: tuple[float, float] | None = None,
    standardize: bool = True,
    average: RankAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    multi_class: MultiClass = "raise",
    labels: Any = None,
    pos_label: Any = None,
) -> Any:
    r"""Partial area under the ROC curve, within a range of either rate.

    .. math:: A = \int_a^b TPR \, d FPR \quad \text{or} \quad A = \int_a^b (1 - FPR) \, d TPR

    standardised to (1 + (A - m) / (M - m)) / 2, with m the area under the diagonal within the
    range and M = b - a, so that chance is 1/2 and perfect is 1.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels, or multilabel indicators.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the class.
    fpr_range : (float, float), default=None
        From a to b, 0 <= a < b <= 1: the range of false positive rates (1 - specificity).
    tpr_range : (float, float), default=None
        The range of true positive rates (sensitivity). Exactly one of the two is given.
    standardize : bool, default=True
        Whether to give the standardised area; the plain one otherwise.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        As in `roc_auc_score`.
    {sample_weight}
    multi_class : {"raise", "ovr", "ovo"}, default="raise"
        As in `roc_auc_score`: of one class against the rest, or of pairs of classes.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score``, in this order.
    {score_pos_label}

    Returns
    -------
    float or ndarray
        In [0, b - a], or at most 1 when standardised, and then at least 0 for a range that
        begins at a false positive rate of 0; higher is better. nan, with a warning, where a
        class has no rows.

    Raises
    ------
    {raises}

    References
    ----------
    McClish (1989), Medical Decision Making 9(3), 190-195; Jiang, Metz & Nishikawa (1996),
    Radiology 201(3), 745-750 (range of true positive rates).

    Examples
    --------
    >>> from skmetrics_ext import partial_roc_auc_score
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> partial_roc_auc_score(y_true, y_score, fpr_range=(0, 0.5), standardize=False)
    0.25
    >>> partial_roc_auc_score(y_true, y_score, tpr_range=(0.5, 1), standardize=False)
    0.25
    """


@ranking(
    roc_auc_convex_hull,
    bounds=(0.5, 1.0),
    sides="either",
    ranges=Ranges("places", corners),
    interval_note="biased",
)
def roc_auc_convex_hull_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: RankAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    multi_class: MultiClass = "raise",
    labels: Any = None,
    pos_label: Any = None,
) -> Any:
    r"""Area under the convex hull of the ROC curve.

    .. math:: A = \int_0^1 H(x) \, dx

    with H the least concave function that is nowhere below the curve.

    The hull is the best that can be had from the scores by choosing thresholds, at random
    between two where that helps: the ROC curve after isotonic calibration.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels, or multilabel indicators.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the class.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        As in `roc_auc_score`.
    {sample_weight}
    multi_class : {"raise", "ovr", "ovo"}, default="raise"
        As in `roc_auc_score`.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score``, in this order.
    {either_pos_label}

    Returns
    -------
    float or ndarray
        In [1/2, 1]; higher is better. At least `roc_auc_score`. nan, with a warning, where a
        class has no rows.

    Raises
    ------
    {raises}

    References
    ----------
    Provost & Fawcett (2001), Machine Learning 42(3), 203-231; Fawcett & Niculescu-Mizil (2007),
    Machine Learning 68(1), 97-106.

    Examples
    --------
    >>> from skmetrics_ext import roc_auc_convex_hull_score
    >>> roc_auc_convex_hull_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.875
    """
