"""The point of the ROC curve where both errors are equal."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import CurveAverage
from skmetrics_ext.metrics.labels import rates
from skmetrics_ext.metrics.public import METHODS, one_of, ranking
from skmetrics_ext.metrics.rankings.ranking_kernels import (
    ROUNDING,
    around_crossing,
    interpolate,
    roc_points,
    share_inside,
    slope_at,
)
from skmetrics_ext.metrics.spec import Ranges
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import RankTally

# --------------------------------------------------------------------------- kernels


def equal_error(tally: RankTally, method: str = "step") -> Array:
    counts = tally.counts_from_none()
    fpr, fnr = rates.false_positive(counts), rates.false_negative(counts)
    undefined = np.isnan(fpr[..., 0] + fnr[..., 0])
    fpr, fnr = np.nan_to_num(fpr), np.nan_to_num(fnr)
    if method == "interpolated":
        return np.where(undefined, np.nan, interpolate(1 + fpr - fnr, fpr, 1.0))
    gap, means = np.abs(fpr - fnr), (fpr + fnr) / 2
    nearest = gap <= gap.min(axis=-1, keepdims=True) + ROUNDING
    low = np.where(nearest, means, np.inf).min(axis=-1)
    high = np.where(nearest, means, -np.inf).max(axis=-1)
    # Two points may be as near, one on either side: the middle, so that the error of reversed
    # scores is 1 less this one.
    return np.where(undefined, np.nan, (low + high) / 2)


def around_equal_errors(stretch: RankTally) -> Array:
    """The scores that decide it."""
    fp, tp, negative, positive = stretch.steps()
    return around_crossing(fp * positive * 1.0 + tp * negative * 1.0, positive * 1.0 * negative)


# --------------------------------------------------------------------------- slopes


def equal_error_slope(tally: RankTally, method: str = "step") -> Array:
    """A row moves its own rate, and the threshold so that the other one follows."""
    fpr, tpr = roc_points(tally)
    inside = share_inside(fpr + tpr, 1.0)
    negative, positive = tally.negative, tally.positive
    # Share of the positives among what the next threshold adds to both rates.
    share = slope_at((fpr + tpr) / 2, tpr / 2, 0.5, negative + positive)
    rates = (divide((own * inside).sum(), own.sum()) for own in (negative, positive))
    of_fpr, of_tpr = (inside - rate for rate in rates)
    of_negative = divide(share * of_fpr, negative.sum())
    return np.stack([of_negative, divide((share - 1) * of_tpr, positive.sum())])


# --------------------------------------------------------------------------- public functions


@ranking(
    equal_error,
    "The equal error rate",
    checks={"method": one_of(*METHODS)},
    greater_is_better=False,
    sides="either",
    slope=equal_error_slope,
    ranges=Ranges("places", around_equal_errors),
)
def equal_error_rate(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    method: Literal["step", "interpolated"] = "step",
    average: CurveAverage | None = "macro",
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> Any:
    r"""Equal error rate: the error where false positive and false negative rate meet.

    .. math:: (FPR(t) + FNR(t)) / 2, \quad t = \arg\min |FPR(t) - FNR(t)|

    Parameters
    ----------
    {y_true_y_score}
    method : {"step", "interpolated"}, default="step"
        "step" is the mean of both rates at the threshold where they differ least (of two, the
        mean over both); "interpolated" their common value on the ROC curve, straight
        between thresholds.
    {rank_average}
    {score_labels}
    {either_pos_label}
    {sample_weight}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        In [0, 1]; lower is better, 1/2 is chance. nan, with a warning, where a class has no
        rows.

    Raises
    ------
    {raises}

    References
    ----------
    Martin et al. (1997), Proceedings of Eurospeech '97, 1895-1898.

    Examples
    --------
    >>> from skmetrics_ext import equal_error_rate
    >>> equal_error_rate([0, 0, 0, 0, 1, 1, 1, 1], [1, 2, 3, 6, 4, 5, 7, 8])
    0.25
    """
