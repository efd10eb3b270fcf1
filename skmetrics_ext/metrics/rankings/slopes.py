"""Derivatives of metrics of one ranking by the weight of each class at each score, (2, T).

The contribution of a row to the error of a metric is its weight times the derivative at its class
and score. Sums over the steps of a curve are derived through the term of one step, by complex
steps, which are exact; a rate at a stated value of another also moves with the threshold, by the
ratio of the densities of both classes there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from skmetrics_ext.metrics.rankings import precision_recall
from skmetrics_ext.metrics.rankings.operating_points import precision_at
from skmetrics_ext.metrics.rankings.precision_recall_gain import gain_steps
from skmetrics_ext.metrics.rankings.ranking_kernels import (
    ROUNDING,
    Range,
    area_within,
    average_precision,
    roc_points,
)
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import RankTally

Term = Callable[[Array, Array, Array, Array], Array]  # of a step from (fp, tp) to (fp, tp)
_STEP = 1e-60  # imaginary: its square is lost, so the derivative is exact
_SURE = 0.95  # level for which the width of a window of densities is best (Hall & Sheather 1988)


# --------------------------------------------------------------------------- sums over steps


def of_sum(term: Term, tally: RankTally) -> Array:
    """Derivative of a sum over the steps, whose terms know both ends of theirs."""
    fp, tp, _, _ = tally.steps()
    ends = [part.astype(np.complex128) for part in (fp[:-1], tp[:-1], fp[1:], tp[1:])]
    by_end = []
    for k in range(4):
        moved = [end + 1j * _STEP if i == k else end for i, end in enumerate(ends)]
        by_end.append(np.nan_to_num(term(*moved).imag / _STEP))
    by_points = []
    for before, after in ((by_end[0], by_end[2]), (by_end[1], by_end[3])):
        after[:-1] += before[1:]  # a point ends one step and begins the next
        by_points.append(after[::-1].cumsum()[::-1])  # a row moves all points from its score on
    return np.stack(by_points)


def _over_positives(slope: Array, value: Array, tally: RankTally) -> Array:
    """The same of the sum over the weight of the positive rows."""
    slope[1] -= value
    return np.asarray(divide(slope, tally.positive.sum()))


def of_average_precision(tally: RankTally) -> Array:
    def term(_: Array, tp: Array, fp_to: Array, tp_to: Array) -> Array:
        return (tp_to - tp) * divide(tp_to, fp_to + tp_to)

    return _over_positives(of_sum(term, tally), average_precision(tally), tally)


def of_pr_area(tally: RankTally, interpolation: str = "trapezoid") -> Array:
    """Points at each whole true positive are near those of the curve that they lie on."""
    is_line = interpolation == "trapezoid"
    term = precision_recall.trapezoid_steps if is_line else precision_recall.davis_goadrich_steps
    kernel = "trapezoid" if is_line else "davis_goadrich"
    return _over_positives(of_sum(term, tally), precision_recall.pr_area(tally, kernel), tally)


def of_auprg(tally: RankTally) -> Array:
    """Each step also hangs on the weight of both classes, which every row adds to."""
    fp, tp, *whole = tally.steps()

    def term(*ends: Array) -> Array:
        return gain_steps(*ends, *whole)

    slope = of_sum(term, tally)
    ends = fp[:-1], tp[:-1], fp[1:], tp[1:]
    for k in range(2):
        moved = [side + 1j * _STEP if i == k else side for i, side in enumerate(whole)]
        slope[k] += np.nan_to_num(gain_steps(*ends, *moved).imag / _STEP).sum()
    return slope


# --------------------------------------------------------------------------- areas


def of_roc_auc(tally: RankTally, max_fpr: float | None = None) -> Array:
    if max_fpr is not None and max_fpr != 1:
        return of_partial_roc_auc(tally, (0.0, max_fpr))
    fp, tp, negative, positive = tally.steps()
    # Weight of the other class that a row at each score is on the right side of.
    beaten = np.stack([(tp[1:] + tp[:-1]) / 2, negative - (fp[1:] + fp[:-1]) / 2])
    area = divide((tally.positive * beaten[1]).sum(), negative * positive)
    expected = area * np.array([[positive], [negative]])
    return divide(beaten - expected, negative * positive)


def of_gini(tally: RankTally) -> Array:
    return 2 * of_roc_auc(tally)


def of_partial_roc_auc(
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
    """What a row of the class along x, and one of the class along y, adds to the area between.

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


# --------------------------------------------------------------------------- at a point


def of_net_benefit(tally: RankTally, threshold: float, prevalence: float | None = None) -> Array:
    inside = np.where(tally.thresholds >= threshold, 1.0, 0.0)
    odds = threshold / (1 - threshold)
    negative, positive = tally.negative.sum(), tally.positive.sum()
    fp, tp = (tally.negative * inside).sum(), (tally.positive * inside).sum()
    if prevalence is None:
        rows = positive + negative
        value = divide(tp - odds * fp, rows)
        return np.stack([divide(-odds * inside - value, rows), divide(inside - value, rows)])
    of_positive = prevalence * divide(inside - divide(tp, positive), positive)
    of_negative = (1 - prevalence) * odds * divide(divide(fp, negative) - inside, negative)
    return np.stack([of_negative, of_positive])


def of_lift(tally: RankTally, fraction: float) -> Array:
    fp, tp, negative, positive = tally.steps()
    rows = positive + negative
    x, y = divide(tp + fp, rows), divide(tp, positive)
    inside = _inside(x, fraction)
    value = (tally.positive * inside).sum() / (positive * fraction)
    # Of a row more acted on, the share that another one, at the border, gives up.
    found = (
        _slope_at(x, y, fraction, tally.positive + tally.negative)
        * (inside - fraction)
        / (rows * fraction)
    )
    return np.stack([-found, inside / (positive * fraction) - found - value / positive])


def of_sensitivity_at(tally: RankTally, specificity: float, method: str = "step") -> Array:
    fpr, tpr = roc_points(tally)
    return np.stack(_rate_at(fpr, tpr, 1 - specificity, tally.positive, tally.negative))


def of_specificity_at(tally: RankTally, sensitivity: float, method: str = "step") -> Array:
    fpr, tpr = roc_points(tally)
    of_positive, of_negative = _rate_at(tpr, fpr, sensitivity, tally.negative, tally.positive)
    return -np.stack([of_negative, of_positive])


def _rate_at(x: Array, y: Array, target: float, mass: Array, other: Array) -> tuple[Array, Array]:
    """Derivative of y, of so much mass, where x reaches a target: by a row of x, by one of y."""
    inside = _inside(x, target)
    value = divide((mass * inside).sum(), mass.sum())
    ratio = _slope_at(x, y, target, other)
    return divide(-ratio * (inside - target), other.sum()), divide(inside - value, mass.sum())


def of_equal_error(tally: RankTally, method: str = "step") -> Array:
    """A row moves its own rate, and the threshold so that the other one follows."""
    fpr, tpr = roc_points(tally)
    inside = _inside(fpr + tpr, 1.0)
    negative, positive = tally.negative, tally.positive
    # Share of the positives among what the next threshold adds to both rates.
    share = _slope_at((fpr + tpr) / 2, tpr / 2, 0.5, negative + positive)
    rates = (divide((own * inside).sum(), own.sum()) for own in (negative, positive))
    of_fpr, of_tpr = (inside - rate for rate in rates)
    of_negative = divide(share * of_fpr, negative.sum())
    return np.stack([of_negative, divide((share - 1) * of_tpr, positive.sum())])


def of_precision_at(tally: RankTally, recall: float, method: str = "step") -> Array:
    fp, tp, _, positive = tally.steps()
    precision = precision_at(tally, recall, method)
    reached = np.flatnonzero(tp[1:] >= recall * positive * (1 - ROUNDING))
    best = reached[np.nan_to_num(divide(tp[1:], tp[1:] + fp[1:]))[reached].argmax()]
    if method == "step" and best > reached[0]:  # at a threshold that is best, and so stands still
        inside = np.where(np.arange(len(tally.thresholds)) <= best, 1.0, 0.0)
        predicted = tp[best + 1] + fp[best + 1]
        return np.stack([-precision * inside, (1 - precision) * inside]) / predicted
    inside = _inside(divide(tp, positive), recall)
    right, wrong = recall * positive, (tally.negative * inside).sum()
    # False positives that a true one more costs, so as to have the recall.
    cost = _slope_at(divide(tp, positive), divide(fp, positive), recall, tally.positive)
    of_positive = recall * wrong + right * cost * (inside - recall)
    return np.asarray(np.stack([-right * inside, of_positive]) / (right + wrong) ** 2)


def _inside(x: Array, target: float) -> Array:
    """Share of each step of x, a rising rate, that lies before a target."""
    width = np.diff(x)
    share = np.clip(np.nan_to_num(divide(target * (1 + ROUNDING) - x[:-1], width)), 0.0, 1.0)
    return np.where(width > 0, share, np.where(x[1:] <= target * (1 + ROUNDING), 1.0, 0.0))


def _slope_at(x: Array, y: Array, target: float, mass: Array) -> float:
    """Derivative of y by x about a target, over a window for n rows (Hall & Sheather 1988).

    They are those that weigh as unevenly as the scores do (Kish 1965), so that the unit of the
    weights says nothing.
    """
    from scipy.special import ndtri

    n_rows = divide(mass.sum() ** 2, (mass * mass).sum())
    z, sure = float(ndtri(np.clip(target, 1e-3, 1 - 1e-3))), float(ndtri((1 + _SURE) / 2))
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    half = (1.5 * (sure * density) ** 2 / ((2 * z * z + 1) * n_rows)) ** (1 / 3)
    low, high = max(target - half, 0.0), min(target + half, 1.0)
    return float(np.diff(np.interp([low, high], x, y))[0] / (high - low))
