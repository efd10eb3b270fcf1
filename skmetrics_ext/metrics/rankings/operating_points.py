"""Operating points: the equal error rate, and one rate at a stated value of another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import CurveAverage
from skmetrics_ext.metrics.labels import rates
from skmetrics_ext.metrics.public import METHODS, Public, at_percents, number_in, one_of, ranking
from skmetrics_ext.metrics.rankings.ranking_kernels import (
    ROUNDING,
    around,
    around_crossing,
    interpolate,
)
from skmetrics_ext.metrics.rankings.rates_at_targets import (
    RateReading,
    best_step,
    first_step,
    last_step,
    nearest_step,
)
from skmetrics_ext.metrics.spec import Ranges
from skmetrics_ext.numeric import Array, PosLabel, divide
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
    # Two points may be equally near, on either side: their mean, so that the error of reversed
    # scores is 1 minus this one.
    return np.where(undefined, np.nan, (low + high) / 2)


def _largest(values: Array, other: Array, target: float) -> Array:
    """Largest value where another rate reaches the target, up to rounding."""
    reached = other >= target * (1 - ROUNDING)
    largest = np.where(reached, values, -np.inf).max(axis=-1)
    return np.where(np.isnan(largest) | np.isinf(largest), np.nan, largest)


def _rate_at(rising: Array, falling: Array, target: float) -> Array:
    """Rate of one class where that of the other, along its rising count, equals a target."""
    at_target = interpolate(rising, falling, target * rising[..., -1])
    return divide(at_target, np.where(rising[..., -1] > 0, falling[..., 0], 0))


def sensitivity_at(tally: RankTally, specificity: float, method: str = "step") -> Array:
    counts = tally.counts_from_none()
    if method == "step":
        return _largest(rates.recall(counts), rates.specificity(counts), specificity)
    # From the lowest threshold up, along which the specificity never falls.
    return _rate_at(counts.tn[..., ::-1], counts.tp[..., ::-1], specificity)


def specificity_at(tally: RankTally, sensitivity: float, method: str = "step") -> Array:
    counts = tally.counts_from_none()
    if method == "step":
        return _largest(rates.specificity(counts), rates.recall(counts), sensitivity)
    return _rate_at(counts.tp, counts.tn, sensitivity)


def precision_at(tally: RankTally, recall: float, method: str = "step") -> Array:
    """Precision at a recall; "attained" is the largest recall that has the one of the steps."""
    counts = tally.counts()
    if method != "interpolated":
        precisions, recalls = np.nan_to_num(rates.precision(counts)), rates.recall(counts)
        largest = _largest(precisions, recalls, recall)
        if method == "step":
            return largest
        return _largest(recalls, precisions - largest[..., None], -ROUNDING)
    start = tally.counts_from_none()
    tp = recall * start.tp[..., -1]
    fp = interpolate(start.tp, start.fp, tp)
    # At recall 0 the limit along the first segment of the curve.
    first = rates.precision(counts)[..., 0]
    at_recall = np.where(tp > 0, divide(tp, tp + fp), first)
    return np.where(start.tp[..., -1] > 0, at_recall, np.nan)


def recall_at(tally: RankTally, precision: float, method: str = "step") -> Array:
    fp, tp, _, positive = tally.steps()
    # Precision reaches the target where this is not negative; it is linear in both counts.
    predicted = tp + fp
    excess = tp - precision * predicted
    reached = excess >= -ROUNDING * predicted
    if method == "step":
        return divide(np.where(reached, tp, 0).max(axis=-1), positive)
    last = tp.shape[-1] - 1 - reached[..., ::-1].argmax(axis=-1)
    here, after = last[..., None], np.minimum(last + 1, tp.shape[-1] - 1)[..., None]
    above = np.maximum(np.take_along_axis(excess, here, -1), 0)
    fall = above - np.take_along_axis(excess, after, -1)
    share = np.where(fall > 0, above / np.where(fall > 0, fall, 1), 0.0)
    start, stop = np.take_along_axis(tp, here, -1), np.take_along_axis(tp, after, -1)
    return divide((start + share * (stop - start))[..., 0], positive)


# --------------------------------------------------------------------------- places that decide


def around_equal_errors(stretch: RankTally) -> Array:
    """Indexes of the scores around the equal error rate."""
    fp, tp, negative, positive = stretch.steps()
    return around_crossing(fp * positive * 1.0 + tp * negative * 1.0, positive * 1.0 * negative)


def around_specificity(stretch: RankTally, specificity: float) -> Array:
    fp, _, negative, _ = stretch.steps()
    target = (1 - specificity) * negative
    # On both sides of the scores with this rate.
    last = int(np.searchsorted(fp, target * (1 + ROUNDING), side="right"))
    return np.concatenate([around_crossing(fp, target), around(last)])


def around_sensitivity(stretch: RankTally, sensitivity: float) -> Array:
    _, tp, _, positive = stretch.steps()
    return around_crossing(tp, sensitivity * positive * (1 - ROUNDING))


def around_recall(stretch: RankTally, recall: float) -> Array:
    """Also the score with the largest precision from there on."""
    fp, tp, _, positive = stretch.steps()
    first = int(np.searchsorted(tp, recall * positive * (1 - ROUNDING)))
    if first >= len(tp):
        return around(first)
    precision = np.nan_to_num(divide(tp, tp + fp))[first:]
    return np.append(around(first), first + int(precision.argmax()) - 1)


def around_precision(stretch: RankTally, precision: float) -> Array:
    fp, tp, _, _ = stretch.steps()
    reached = np.flatnonzero((1 - precision) * tp - precision * fp >= -ROUNDING * (tp + fp))
    return around(int(reached[-1])) if len(reached) else reached


_SENSITIVITY = RateReading(
    rates.recall, rates.false_positive, last_step, lambda specificity: 1 - specificity
)
_SPECIFICITY = RateReading(
    rates.specificity, rates.recall, first_step, lambda sensitivity: sensitivity
)
_PRECISION = RateReading(rates.precision, rates.recall, best_step, lambda recall: recall)
_EQUAL_ERROR = RateReading(
    lambda counts: (rates.false_positive(counts) + rates.false_negative(counts)) / 2,
    lambda counts: rates.false_positive(counts) + rates.recall(counts),
    nearest_step,
    lambda: 1.0,
)


# --------------------------------------------------------------------------- public functions


@ranking(
    equal_error,
    "The equal error rate",
    checks={"method": one_of(*METHODS)},
    greater_is_better=False,
    sides="either",
    slope=_EQUAL_ERROR.slope,
    plain_shares=_EQUAL_ERROR.plain_shares,
    ranges=Ranges("places", around_equal_errors),
)
def equal_error_rate(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    method: Literal["step", "interpolated"] = "step",
    average: CurveAverage | None = "macro",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> float | Array:
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


def _at_a_rate(
    kernel: Callable[..., Array], title: str, rate: str, **facts: Any
) -> Callable[[Public], Public]:
    """Decorator for a rate at a stated value of another."""
    checks = {rate: number_in("[0, 1]"), "method": one_of(*METHODS)}
    return ranking(
        kernel, title, checks=checks, variants=at_percents(rate, 90, 80, 95, 99), **facts
    )


@_at_a_rate(
    sensitivity_at,
    "Sensitivity at a specificity",
    "specificity",
    slope=_SENSITIVITY.slope,
    plain_shares=_SENSITIVITY.plain_shares,
    ranges=Ranges("places", around_specificity),
)
def sensitivity_at_specificity(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    specificity: float,
    method: Literal["step", "interpolated"] = "step",
    average: CurveAverage | None = "macro",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> float | Array:
    r"""Sensitivity at a specificity: largest share of positives found among enough true negatives.

    .. math:: \max_t \{ TPR(t) : 1 - FPR(t) \ge s \}

    Parameters
    ----------
    {y_true_y_score}
    specificity : float in [0, 1]
        The least specificity.
    method : {"step", "interpolated"}, default="step"
        "step" is the best threshold whose specificity is at least so much; "interpolated"
        reads the ROC curve, straight between thresholds, at exactly this specificity.
    {rank_average}
    {score_labels}
    {score_pos_label}
    {sample_weight}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        In [0, 1]; higher is better. nan, with a warning, where a class has no rows.

    Raises
    ------
    {raises}

    See Also
    --------
    optimal_threshold : The threshold itself, with ``constraint=("specificity", ">=", 0.9)``.

    References
    ----------
    Pepe (2003), The Statistical Evaluation of Medical Tests, section 4.3.

    Examples
    --------
    >>> from skmetrics_ext import sensitivity_at_specificity
    >>> y, s = [0, 0, 0, 1, 1, 1], [1, 3, 5, 2, 4, 6]
    >>> sensitivity_at_specificity(y, s, specificity=0.5)
    0.6666666666666666
    >>> sensitivity_at_specificity(y, s, specificity=1.0)
    0.3333333333333333
    """


@_at_a_rate(
    specificity_at,
    "Specificity at a sensitivity",
    "sensitivity",
    slope=_SPECIFICITY.slope,
    plain_shares=_SPECIFICITY.plain_shares,
    ranges=Ranges("places", around_sensitivity),
)
def specificity_at_sensitivity(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitivity: float,
    method: Literal["step", "interpolated"] = "step",
    average: CurveAverage | None = "macro",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> float | Array:
    r"""Specificity at a sensitivity: largest share of true negatives with enough positives found.

    .. math:: \max_t \{ 1 - FPR(t) : TPR(t) \ge s \}

    Parameters
    ----------
    {y_true_y_score}
    sensitivity : float in [0, 1]
        The least sensitivity.
    method : {"step", "interpolated"}, default="step"
        "step" is the best threshold whose sensitivity is at least so much; "interpolated"
        reads the ROC curve, straight between thresholds, at exactly this sensitivity.
    {rank_average}
    {score_labels}
    {score_pos_label}
    {sample_weight}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        In [0, 1]; higher is better. nan, with a warning, where a class has no rows.

    Raises
    ------
    {raises}

    References
    ----------
    Pepe (2003), The Statistical Evaluation of Medical Tests, section 4.3.

    Examples
    --------
    >>> from skmetrics_ext import specificity_at_sensitivity
    >>> specificity_at_sensitivity([0, 0, 0, 1, 1, 1], [1, 3, 5, 2, 4, 6], sensitivity=0.6)
    0.6666666666666666
    """


@_at_a_rate(
    precision_at,
    "Precision at a recall",
    "recall",
    slope=_PRECISION.slope,
    plain_shares=_PRECISION.plain_shares,
    ranges=Ranges("places", around_recall),
    interval="largest of several",
)
def precision_at_recall(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall: float,
    method: Literal["step", "interpolated"] = "step",
    average: CurveAverage | None = "macro",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> float | Array:
    r"""Precision at a recall: largest precision of a threshold that finds enough positives.

    .. math:: \max_t \{ P(t) : R(t) \ge r \}

    Parameters
    ----------
    {y_true_y_score}
    recall : float in [0, 1]
        The least recall.
    method : {"step", "interpolated"}, default="step"
        "step" is the largest precision over the thresholds whose recall is at least so much;
        "interpolated" the precision at exactly this recall, true and false positives growing
        in proportion between thresholds (not a straight line in the precision).
    {rank_average}
    {score_labels}
    {score_pos_label}
    {sample_weight}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        In [0, 1]; higher is better. nan, with a warning, where there are no positives.

    Raises
    ------
    {raises}

    References
    ----------
    Davis & Goadrich (2006), Proceedings of the 23rd ICML, 233-240.

    Examples
    --------
    >>> from skmetrics_ext import precision_at_recall
    >>> y, s = [0, 0, 0, 1, 1, 1], [1, 3, 5, 2, 4, 6]
    >>> precision_at_recall(y, s, recall=0.5)
    0.6666666666666666
    >>> precision_at_recall(y, s, recall=0.5, method="interpolated")
    0.6
    """


@_at_a_rate(
    recall_at,
    "Recall at a precision",
    "precision",
    ranges=Ranges("places", around_precision),
    interval="biased",
)
def recall_at_precision(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    precision: float,
    method: Literal["step", "interpolated"] = "step",
    average: CurveAverage | None = "macro",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> float | Array:
    r"""Recall at a precision: largest share of positives found by a precise enough threshold.

    .. math:: \max_t \{ R(t) : P(t) \ge p \}

    Parameters
    ----------
    {y_true_y_score}
    precision : float in [0, 1]
        The least precision.
    method : {"step", "interpolated"}, default="step"
        "step" is the largest recall over the thresholds whose precision is at least so much;
        "interpolated" the last recall at which it still is, true and false positives growing
        in proportion between thresholds.
    {rank_average}
    {score_labels}
    {score_pos_label}
    {sample_weight}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        In [0, 1]; higher is better. 0 where no threshold is so precise: who predicts nothing
        makes no false positive. nan, with a warning, where there are no positives.

    Raises
    ------
    {raises}

    References
    ----------
    Davis & Goadrich (2006), Proceedings of the 23rd ICML, 233-240.

    Examples
    --------
    >>> from skmetrics_ext import recall_at_precision
    >>> recall_at_precision([0, 0, 0, 1, 1, 1], [1, 3, 5, 2, 4, 6], precision=0.6)
    1.0
    """
