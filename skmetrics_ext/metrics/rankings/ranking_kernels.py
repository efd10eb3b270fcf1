"""Kernels on the weight of both classes at each score; leading axes hold pairs or replicates.

Kernels that are sums over the scores return the contribution of a stretch of a ranking.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from skmetrics_ext.numeric import Array, divide, parts
from skmetrics_ext.tallies import RankTally, Wins

Range = tuple[float, float]
Term = Callable[[Array, Array, Array, Array], Array]  # for a step from (fp, tp) to (fp, tp)

# Relative rounding error of sums of float weights, and of ratios of them.
ROUNDING = 1e-12
# A few passes over whole arrays leave little for the loop that finishes a hull.
_HULL_PASSES, _PART_PASSES, _HULL_PART = 32, 5, 1 << 15
STEP = 1e-60  # imaginary: its square underflows, so the derivative is exact
_SURE = 0.95  # level for which the window of a density is optimal (Hall & Sheather 1988)
FEW_TIES = 5 * (1 + ROUNDING)  # rows at one score that are no block
_NEAR = 2  # points on either side of a crossing, more than any kernel needs

# --------------------------------------------------------------------------- areas


def roc_auc(tally: RankTally | Wins, max_fpr: float | None = None) -> Array:
    """Share of correctly ranked pairs of a positive and a negative row; ties count half.

    Pairs come from `Wins` or from a ranking. ``max_fpr``, the standardised area up to this false
    positive rate, needs a ranking.
    """
    if max_fpr is not None and max_fpr != 1:
        return standardized_up_to(area_up_to(cast(RankTally, tally), max_fpr), max_fpr)
    twice, negative, positive = tally.wins()
    return divide(twice, 2 * positive * negative)


def gini(tally: RankTally | Wins) -> Array:
    return 2 * roc_auc(tally) - 1


# Kernels that only need `Wins`, which are available without a table of the scores.
OF_WINS = frozenset({roc_auc, gini})


def average_precision(tally: RankTally) -> Array:
    """Precision at each score, averaged over the positive rows; nan without any."""
    return divide(*tally.precision())


# --------------------------------------------------------------------------- parts of areas


def roc_points(tally: RankTally) -> tuple[Array, Array]:
    """False and true positive rates (..., T + 1) from (0, 0); nan if the class has no row."""
    fp, tp, negative, positive = tally.steps()
    return divide(fp, negative[..., None]), divide(tp, positive[..., None])


def area_between(y: Array, x: Array, low: float, high: float) -> Array:
    """Area under the points (x, y), with rising x, between two abscissas, along the last axis."""
    left, right = x[..., :-1], x[..., 1:]
    start, stop = np.clip(left, low, high), np.clip(right, low, high)
    width = right - left
    y_left, y_right = y[..., :-1], y[..., 1:]
    heights = np.zeros(width.shape)
    for end in (start, stop):
        share = np.nan_to_num(divide(end - left, width))
        # Weighted ends: a share of 0 or 1 gives the height of that end exactly.
        heights += y_left * (1 - share) + y_right * share
    area: Array = ((stop - start) * heights).sum(axis=-1) / 2
    return np.where(np.isnan(x[..., -1]) | np.isnan(y[..., -1]), np.nan, area)


def partial_roc_auc(
    tally: RankTally,
    fpr_range: Range | None = None,
    tpr_range: Range | None = None,
    standardize: bool = True,
) -> Array:
    """Area within a range of either rate; standardised so that chance is 1/2 (McClish 1989)."""
    area = area_within(tally, fpr_range, tpr_range)
    return standardized(area, fpr_range, tpr_range, standardize)


def area_within(
    tally: RankTally, fpr_range: Range | None = None, tpr_range: Range | None = None
) -> Array:
    """Area between the curve and the axis of the rate with a range; ``tpr_range`` comes first."""
    fpr, tpr = roc_points(tally)
    if tpr_range is not None:
        return area_between(fpr, tpr, *tpr_range)
    assert fpr_range is not None
    return area_between(tpr, fpr, *fpr_range)


def standardized(
    area: Array,
    fpr_range: Range | None = None,
    tpr_range: Range | None = None,
    standardize: bool = True,
) -> Array:
    low, high = tpr_range or fpr_range or (0.0, 1.0)
    chance = (high * high - low * low) / 2
    if tpr_range is not None:
        # The area to the right of the curve: specificity over sensitivity.
        area, chance = (high - low) - area, (high - low) - chance
    if not standardize:
        return area
    return np.asarray((1 + (area - chance) / (high - low - chance)) / 2)


def area_up_to(tally: RankTally, max_fpr: float) -> Array:
    return area_within(tally, (0.0, max_fpr))


def standardized_up_to(area: Array, max_fpr: float) -> Array:
    return standardized(area, (0.0, max_fpr))


# --------------------------------------------------------------------------- convex hulls


def roc_auc_convex_hull(tally: RankTally) -> Array:
    """Area under the least concave curve above the ROC points."""
    fp, tp, negative, positive = tally.corner_steps()
    ranking, fp, tp = hull_points(fp, tp)
    within = ranking[1:] == ranking[:-1]
    parts = np.where(within, (fp[1:] - fp[:-1]) * (tp[1:] + tp[:-1] * 1.0) / 2, 0.0)
    area = np.bincount(ranking[1:], weights=parts, minlength=negative.size)
    return divide(area.reshape(negative.shape), negative * positive)


def hull_points(fp: Array, tp: Array) -> tuple[Array, Array, Array]:
    """Corners of the hulls of rankings (..., T + 1): number of the ranking, and the counts.

    Rankings are numbered along the leading axes.
    """
    kept = upper_hull(fp, tp)
    return kept // fp.shape[-1], fp.reshape(-1)[kept], tp.reshape(-1)[kept]


def corners(stretch: RankTally) -> Array:
    """Indexes of scores at which the hull of the curve may turn."""
    steps = stretch.steps()
    return upper_hull(steps.fp, steps.tp) - 1


def upper_hull(x: Array, y: Array) -> Array:
    """Positions of the corners of the least concave curve above points with rising x and y.

    For many curves (..., P), positions in the flattened array.
    """
    n_points = x.shape[-1]
    moved = np.ones(x.shape, dtype=bool)
    moved[..., 1:] = (x[..., 1:] != x[..., :-1]) | (y[..., 1:] != y[..., :-1])
    points = np.flatnonzero(moved)
    x, y = x.reshape(-1), y.reshape(-1)
    # First within parts that fit into the cache: a corner of all points is one of its part too.
    pieces = [
        _corners(points[part], x, y, n_points, _PART_PASSES)[0]
        for part in parts(len(points), _HULL_PART)
    ]
    kept, is_hull = _corners(np.concatenate(pieces), x, y, n_points, _HULL_PASSES)
    if is_hull:
        return kept
    stack: list[int] = []
    for i in kept.tolist():
        start = i - i % n_points
        while (
            len(stack) > 1
            and stack[-2] >= start
            and not _bends_down(x[[*stack[-2:], i]], y[[*stack[-2:], i]])[0]
        ):
            stack.pop()
        stack.append(i)
    return np.array(stack)


def _corners(points: Array, x: Array, y: Array, n_points: int, n_passes: int) -> tuple[Array, bool]:
    """Points above the lines between their neighbours after a few passes; whether all are."""
    curve, x, y = points // n_points, x[points], y[points]
    for _ in range(n_passes):
        stays = np.ones(len(points), dtype=bool)
        stays[1:-1] = (curve[2:] != curve[:-2]) | _bends_down(x, y)
        kept = np.flatnonzero(stays)  # several times as fast an index as the marks themselves
        if len(kept) == len(points):
            return points, True
        points, curve, x, y = (values[kept] for values in (points, curve, x, y))
    return points, False


def _bends_down(x: Array, y: Array) -> Array:
    """Whether the curve turns to the right at each inner point."""
    dx, dy = x[1:] - x[:-1], y[1:] - y[:-1]
    return dy[:-1] * dx[1:] > dy[1:] * dx[:-1]


# --------------------------------------------------------------------------- reading a ranking


def each_ranking(kernel: Callable[[RankTally], Array | float], tally: RankTally) -> Array:
    """A kernel of a single ranking, applied over all leading axes."""
    if tally.mass.ndim == 2:
        return np.asarray(kernel(tally))
    *axes, n_classes, n_scores = tally.mass.shape
    each = tally.mass.reshape(-1, n_classes, n_scores)
    values = [float(kernel(RankTally(tally.thresholds, mass))) for mass in each]
    return np.array(values).reshape(axes)


def interpolate(x: Array, y: Array, target: Array | float) -> Array:
    """y at the first point where x, non-decreasing along the last axis, reaches the target."""
    wanted = np.broadcast_to(np.asarray(target)[..., None], (*x.shape[:-1], 1))
    stop = np.maximum((x >= wanted * (1 - ROUNDING)).argmax(axis=-1), 1)[..., None]
    x0, x1 = np.take_along_axis(x, stop - 1, -1), np.take_along_axis(x, stop, -1)
    y0, y1 = np.take_along_axis(y, stop - 1, -1), np.take_along_axis(y, stop, -1)
    step = np.where(x1 > x0, x1 - x0, 1)
    share = np.where(x1 > x0, np.clip((wanted - x0) / step, 0.0, 1.0), 0.0)
    return np.asarray((y0 + share * (y1 - y0))[..., 0])


def around(point: int) -> Array:
    """Indexes of the scores around a point of the steps, which start above all scores."""
    return np.arange(point - 1 - _NEAR, point + _NEAR)


def around_crossing(rising: Array, target: Array | float) -> Array:
    """Indexes of the scores around the point where a non-decreasing value reaches a target."""
    return around(int(np.searchsorted(rising, target)))


# --------------------------------------------------------------------------- derivatives by rows


def slope_of_sum(term: Term, tally: RankTally) -> Array:
    """Derivative of a sum over the steps, with terms that depend on both ends of a step."""
    fp, tp, _, _ = tally.steps()
    ends = [part.astype(np.float64, copy=False) for part in (fp[:-1], tp[:-1], fp[1:], tp[1:])]
    by_end = []
    for k in range(4):
        moved = [end + 1j * STEP if i == k else end for i, end in enumerate(ends)]
        by_end.append(np.nan_to_num(term(*moved).imag / STEP))
    by_points = []
    for before, after in ((by_end[0], by_end[2]), (by_end[1], by_end[3])):
        after[:-1] += before[1:]  # a point ends one step and begins the next
        by_points.append(after[::-1].cumsum()[::-1])  # a row shifts all points from its score on
    return np.stack(by_points)


def over_positives(slope: Array, value: Array, tally: RankTally) -> Array:
    """Derivative of the sum divided by the weight of the positive rows."""
    slope[1] -= value
    return np.asarray(divide(slope, tally.positive.sum()))


class CurvePlace(NamedTuple):
    """A threshold among T scores: how many are above it, and the share of the next one."""

    n_above: int
    share: float
    n_scores: int

    @classmethod
    def of(cls, x: Array, target: float) -> CurvePlace:
        """Where a rising rate, one value per threshold, reaches a target."""
        reached = target * (1 + ROUNDING)
        n_above = max(int(np.searchsorted(x, reached, side="right")) - 1, 0)
        ends = x[n_above : n_above + 2]
        share = np.nan_to_num(divide(reached - ends[0], np.diff(ends)))
        return cls(n_above, float(share[0]) if len(share) else 0.0, len(x) - 1)

    def fill(self, above: Any, below: Any) -> Array:
        """One value at the scores above the threshold, and another at those below, (T,)."""
        filled = np.full(self.n_scores, float(below))
        filled[: self.n_above] = above
        between = self.share * above + (1.0 - self.share) * below
        filled[self.n_above : self.n_above + 1] = between
        return filled


@dataclass(frozen=True, eq=False, slots=True)
class CountedRanking(RankTally):
    """A ranking of weighted rows, with their numbers (..., C, T)."""

    rows: Array


def rows_at(tally: RankTally) -> Array:
    """Effective number of rows of each class at each score, (2, T), from the weights there.

    A row of weight 2 counts as two copies of it, and the unit of the weights does not matter: of
    each class it is Kish's (1965) over scores that are no block of ties. Where nearly all scores
    are grades with many rows, it is the weight of one of these rows.
    """
    numbers = tally.rows if isinstance(tally, CountedRanking) else tally.mass
    unit = np.full((2, 1), np.nan)
    for code in np.flatnonzero(tally.mass.any(axis=1)):
        mass = tally.mass[code] * 1.0
        single = (mass > 0) & (mass <= FEW_TIES * np.median(mass[mass > 0]))
        mass, rows = mass[single], numbers[code, single]
        is_graded = rows.dtype.kind == "i" and np.median(rows) > FEW_TIES
        unit[code] = (mass * mass / (rows if is_graded else 1)).sum() / mass.sum()
    return divide(tally.mass, unit)


def slope_at(x: Array, y: Array, target: float, mass: Array) -> float:
    """Derivative of y by x around a target, over a window for rows of this weight at each score."""
    return slope_within(x, y, target, float(divide(mass.sum() ** 2, (mass * mass).sum())), target)


def slope_within(
    x: Array, y: Array, target: float, n_rows: float, rate: float, blocks: Array | None = None
) -> float:
    """Derivative of y by x around a target, over a window for n rows (Hall & Sheather 1988).

    The window is that of a quantile at this ``rate``. It ends where one of the ``blocks`` of ties
    begins, which are marked by score.
    """
    from scipy.special import ndtri

    z, sure = float(ndtri(np.clip(rate, 1e-3, 1 - 1e-3))), float(ndtri((1 + _SURE) / 2))
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    half = (1.5 * (sure * density) ** 2 / ((2 * z * z + 1) * n_rows)) ** (1 / 3)
    low, high = max(target - half, 0.0), min(target + half, float(x[-1]))
    if blocks is not None:
        wide = np.flatnonzero(blocks)
        start, stop = x[wide], x[wide + 1]
        low = max(start[start < target].max(initial=low), stop[stop <= target].max(initial=low))
        high = min(start[start >= target].min(initial=high), stop[stop > target].min(initial=high))
    inner = int(np.searchsorted(x, x[-1])) + 1  # y at the end of x is the first one there
    return float(divide(np.diff(np.interp([low, high], x[:inner], y[:inner]))[0], high - low))


# --------------------------------------------------------------------------- curves


def roc_corners(fp: Array, tp: Array) -> Array:
    """Whether each threshold is an end, or not in the middle of two equal steps."""
    return _with_ends((np.diff(fp, 2) != 0) | (np.diff(tp, 2) != 0), len(fp))


def recall_ends(tp: Array) -> Array:
    """Whether each threshold is an end, or the first or last with its true positives."""
    return _with_ends((np.diff(tp[:-1]) != 0) | (np.diff(tp[1:]) != 0), len(tp))


def _with_ends(inner: Array, n_points: int) -> Array:
    if n_points <= 2:
        return np.ones(n_points, dtype=bool)
    return np.concatenate([[True], inner, [True]])


def roc_arrays(tally: RankTally, drop_intermediate: bool) -> tuple[Array, Array, Array]:
    """False and true positive rates and thresholds, from (0, 0) at infinity."""
    fp, tp, _, _ = tally.steps()
    thresholds = from_infinity(tally)
    if drop_intermediate:
        kept = np.concatenate([[True], roc_corners(fp[1:], tp[1:])])
        fp, tp, thresholds = fp[kept], tp[kept], thresholds[kept]
    return divide(fp, fp[-1]), divide(tp, tp[-1]), thresholds


def from_infinity(tally: RankTally) -> Array:
    return np.concatenate([[np.inf], tally.thresholds.astype(np.float64, copy=False)])
