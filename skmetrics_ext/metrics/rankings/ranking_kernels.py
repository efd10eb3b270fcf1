"""Kernels on the weight of both classes at each score; leading axes hold pairs or replicates."""

from __future__ import annotations

import numpy as np

from skmetrics_ext.numeric import Array, divide, exclusive_cumsum, trapezoid
from skmetrics_ext.tallies import RankTally

# A few passes over whole arrays leave little for the loop that finishes a hull.
_HULL_PASSES = 32


def roc_auc(tally: RankTally) -> Array:
    """Share of the pairs of a positive and a negative row ranked rightly, ties half."""
    # From the lowest score up, so that a small sum is never the difference of large ones.
    positive, negative = tally.positive[..., ::-1], tally.negative[..., ::-1]
    twice_wins = (positive * (2 * exclusive_cumsum(negative) + negative)).sum(axis=-1)
    return divide(twice_wins, 2 * positive.sum(axis=-1) * negative.sum(axis=-1))


def gini(tally: RankTally) -> Array:
    return 2 * roc_auc(tally) - 1


def average_precision(tally: RankTally) -> Array:
    """Precision at each score, averaged over the positive rows; nan where there is none."""
    tp, fp = np.cumsum(tally.positive, axis=-1), np.cumsum(tally.negative, axis=-1)
    # Scores at which neither class has a row (of a stack of tallies) are 0/0 and count nothing.
    predicted = tp + fp
    precision = np.zeros(predicted.shape)
    np.divide(tp, predicted, out=precision, where=predicted != 0)
    return divide((tally.positive * precision).sum(axis=-1), tp[..., -1])


def cumulated(mass: Array) -> Array:
    """Weight at or above each score, a 0 before the highest for "no row is positive"."""
    out = np.zeros((*mass.shape[:-1], mass.shape[-1] + 1), dtype=mass.dtype)
    np.cumsum(mass, axis=-1, out=out[..., 1:])
    return out


def roc_points(tally: RankTally) -> tuple[Array, Array]:
    """False and true positive rates (..., T + 1) from (0, 0); nan where the class has no row."""
    fp, tp = cumulated(tally.negative), cumulated(tally.positive)
    # Over the last cumulative sum, not a sum of its own: the last rate is 1 to the last bit.
    return divide(fp, fp[..., -1:]), divide(tp, tp[..., -1:])


def area_between(y: Array, x: Array, low: float, high: float) -> Array:
    """Area under the points (x, y), x rising, between two abscissas, along the last axis."""
    left, right = x[..., :-1], x[..., 1:]
    start, stop = np.clip(left, low, high), np.clip(right, low, high)
    width = right - left
    y_left, y_right = y[..., :-1], y[..., 1:]
    heights = np.zeros(width.shape)
    for end in (start, stop):
        share = np.nan_to_num(divide(end - left, width))
        # Both ends weighted: a share of 0 or 1 gives the height of that end exactly.
        heights += y_left * (1 - share) + y_right * share
    area: Array = ((stop - start) * heights).sum(axis=-1) / 2
    return np.where(np.isnan(x[..., -1]) | np.isnan(y[..., -1]), np.nan, area)


def partial_roc_auc(
    tally: RankTally, low: float, high: float, *, axis: str = "fpr", standardize: bool = True
) -> Array:
    """Area within a range of either rate; standardised so that chance is 1/2 (McClish 1989)."""
    fpr, tpr = roc_points(tally)
    chance = (high * high - low * low) / 2
    if axis == "fpr":
        area = area_between(tpr, fpr, low, high)
    else:
        # What lies right of the curve: specificity over sensitivity.
        area = (high - low) - area_between(fpr, tpr, low, high)
        chance = (high - low) - chance
    if not standardize:
        return area
    return np.asarray((1 + (area - chance) / (high - low - chance)) / 2)


def roc_auc_convex_hull(tally: RankTally) -> Array:
    """Area under the least concave curve above the ROC points."""
    if tally.mass.ndim > 2:
        parts = tally.mass.reshape(-1, *tally.mass.shape[-2:])
        areas = [float(roc_auc_convex_hull(RankTally(tally.thresholds, part))) for part in parts]
        return np.array(areas).reshape(tally.mass.shape[:-2])
    fp, tp = cumulated(tally.negative), cumulated(tally.positive)
    kept = upper_hull(fp, tp)
    return divide(trapezoid(tp[kept], fp[kept]), fp[-1] * tp[-1])


def upper_hull(x: Array, y: Array) -> Array:
    """Positions of the corners of the least concave curve above points with rising x and y."""
    moved = (np.diff(x) != 0) | (np.diff(y) != 0)
    kept = np.flatnonzero(np.concatenate([[True], moved]))
    for _ in range(_HULL_PASSES):
        # A point on or below the line between two other ones is no corner, so many can go at once.
        inner = np.flatnonzero(_bends_down(x[kept], y[kept])) + 1
        corners = np.concatenate([[0], inner, [len(kept) - 1]])
        if len(corners) >= len(kept):
            return kept
        kept = kept[corners]
    stack: list[int] = []
    for i in kept.tolist():
        while len(stack) > 1 and not _bends_down(x[[*stack[-2:], i]], y[[*stack[-2:], i]])[0]:
            stack.pop()
        stack.append(i)
    return np.array(stack)


def _bends_down(x: Array, y: Array) -> Array:
    """Whether the line falls off at each inner point."""
    dx, dy = np.diff(x), np.diff(y)
    return dy[:-1] * dx[1:] > dy[1:] * dx[:-1]


def pairwise_auc(wins: Array, mass: Array) -> Array:
    """A(i|j), the area of column i between rows of class i and of class j; nan on the diagonal."""
    areas = divide(wins, 2 * mass[:, None] * mass)
    areas.flat[:: len(mass) + 1] = np.nan
    return areas


def one_vs_rest_auc(wins: Array, mass: Array) -> Array:
    """Area of each column between its class and all others: a row of A weighted by class size."""
    others = wins.sum(axis=1) - wins.diagonal()
    return divide(others, 2 * mass * (mass.sum() - mass))


def roc_corners(fp: Array, tp: Array) -> Array:
    """Whether each threshold is an end or not in the middle of two equal steps."""
    return _with_ends((np.diff(fp, 2) != 0) | (np.diff(tp, 2) != 0), len(fp))


def recall_ends(tp: Array) -> Array:
    """Whether each threshold is an end or the first or the last with its true positives."""
    return _with_ends((np.diff(tp[:-1]) != 0) | (np.diff(tp[1:]) != 0), len(tp))


def _with_ends(inner: Array, n_points: int) -> Array:
    if n_points <= 2:
        return np.ones(n_points, dtype=bool)
    return np.concatenate([[True], inner, [True]])


def roc_arrays(tally: RankTally, drop_intermediate: bool) -> tuple[Array, Array, Array]:
    """False and true positive rates and thresholds, from (0, 0) at infinity."""
    fp, tp = cumulated(tally.negative), cumulated(tally.positive)
    thresholds = from_infinity(tally)
    if drop_intermediate:
        kept = np.concatenate([[True], roc_corners(fp[1:], tp[1:])])
        fp, tp, thresholds = fp[kept], tp[kept], thresholds[kept]
    return divide(fp, fp[-1]), divide(tp, tp[-1]), thresholds


def from_infinity(tally: RankTally) -> Array:
    return np.concatenate([[np.inf], tally.thresholds.astype(np.float64, copy=False)])
