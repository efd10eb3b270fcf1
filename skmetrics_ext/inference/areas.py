"""Intervals of areas under the ROC curve, of linear functions of them, and of their means."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.inference import notes
from skmetrics_ext.inference.area_power import newcombe_variance
from skmetrics_ext.inference.draws.atoms import Atoms, cell_sums
from skmetrics_ext.inference.draws.bootstrap import DrawPlan
from skmetrics_ext.inference.linearized import Linearized
from skmetrics_ext.inference.scales import SCALES, Bounds, Interval, Level, quantile
from skmetrics_ext.metrics.averaging import MACRO, SAMPLES, class_shares, is_pooled, pair_shares
from skmetrics_ext.metrics.rankings.ranking_kernels import roc_auc
from skmetrics_ext.metrics.rankings.score_tally import rankings_of, read_areas
from skmetrics_ext.numeric import Array, divide, increasing_root, wilson
from skmetrics_ext.validation import Probabilities, Scores

AUC_METHODS = ("logit", "delong")
_DISTANCE_OF_MEANS = 1.0  # rows of the smallest class, times the distance from 1


class Sides(NamedTuple):
    """The areas in a mean, and the rows of both classes of each.

    Parameters
    ----------
    areas : ndarray of shape (p,)
    sizes : ndarray of shape (p, 2)
        Rows of both classes; effective numbers of weighted rows; infinite for the second side of
        a mean of one value per row, which has none.
    shares : ndarray of shape (p,)
        Weight of each area in the mean, up to a common factor.
    """

    areas: Array
    sizes: Array
    shares: Array

    def only(self, k: int) -> Sides:
        """One of the areas."""
        return Sides(self.areas[[k]], self.sizes[[k]], np.ones(1))


def rows_of_area(statistic: Linearized) -> Linearized:
    """The statistic of an unweighted area from one sort of its rows, without a table of scores."""
    if statistic.squares_by_class is not None:
        return statistic
    is_plain, sample = statistic.known is None and statistic.design.weight is None, statistic.origin
    has_rows = is_plain and sample.is_one_table and not sample.known  # sums have atoms alone
    return statistic.as_rows() if has_rows else statistic


def area_interval(statistic: Linearized, method: str, level: Level, _: DrawPlan) -> Interval:
    r"""Interval of a statistic that is linear in areas under the ROC curve.

    "delong" is the area -+ z standard errors, cut at 0 and 1. "logit" is the same for
    log(area / (1 - area)), with the quantile of a t distribution of Satterthwaite's degrees of
    freedom: its coverage is nearer to the level, above all if the area is large or a class is
    small (Qin & Hotilovac 2008, Statistical Methods in Medical Research 17(2), 207-221).

    Where the area is 0 or 1, or a class has one row, the data have no variance to estimate. There
    the bounds are Newcombe's method 5 (2006, Statistics in Medicine 25(4), 559-573), which solves
    :math:`|\hat A - A| = z \sqrt{V(A)}` with the variance of exponential scores, and the error is
    nan. For means over classes they are the means of those of the classes or pairs.
    """
    sample, (start, stop) = statistic.origin, statistic.bounds
    width = stop - start
    value = (np.asarray(statistic.value, dtype=np.float64) - start) / width
    error = statistic.error / width
    sides = None if value.ndim == 0 and not sample.is_one_table else sides_of(sample)
    at_end = np.minimum(value, 1 - value) <= notes.ROUNDING
    known = ~(at_end | np.isnan(error) | np.isnan(value))
    scale, freedom = ("delta", None) if method == "delong" else ("logit", statistic.freedom)
    low, high = SCALES[scale](value, error, quantile(level, freedom), (0.0, 1.0))
    still = known & (error == 0)
    low, high = np.where(still, value, low), np.where(still, value, high)
    shown = np.full(value.shape, "", dtype=object)
    for at in np.ndindex(value.shape):
        own_sides = sides if sides is None or value.ndim == 0 else sides.only(at[0])
        if known[at]:
            shown[at] = _note(statistic, value[at], float(error[at]), own_sides)
        elif not np.isnan(value[at]):
            bounds = score_bounds(float(value[at]), own_sides or sides_of(sample), level)
            low[(..., *at)], high[(..., *at)] = bounds
            reason = "all pairs are ranked alike" if at_end[at] else "a class has one row or group"
            shown[at] = f"{reason}: bounds by Newcombe's method 5"
    undefined = np.isnan(value)
    low, high = np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)
    error = np.where(known, error, np.nan)
    return Interval(start + width * low, start + width * high, width * error, shown)


def _note(statistic: Linearized, area: Any, error: float, sides: Sides | None) -> str:
    if error == 0:
        return "all scores are equal"
    if sides is None:  # a mean of areas, of which that of the smallest class is only one
        if statistic.design.group is not None:
            return notes.few_effective(statistic)
        rarest = statistic.origin.fewest_rows
        near = notes.few(rarest, notes.NEAR) if rarest * (1 - area) < _DISTANCE_OF_MEANS else ""
        return near or notes.few_units(statistic)
    what, rarest = "rows in the smallest class", float(sides.sizes.min())
    if statistic.origin.design.group is not None:
        rarest = statistic.origin.fewest_rows
        note = notes.few_of_rarest(statistic, notes.OF_RANKINGS, what)
    else:
        note = notes.few(rarest, what) if rarest < notes.OF_RANKINGS else ""
    return note or notes.near_end(area, rarest, (0.0, 1.0))


# --------------------------------------------------------------------------- without a variance


def score_bounds(value: float, sides: Sides, level: Level) -> Bounds:
    """Bounds of a mean of areas: the mean of their bounds, as if they were fully correlated."""
    if np.isinf(sides.sizes).any():  # a mean of one share per row
        rows = sides.sizes[0, 0]
        low, high = wilson(value * rows, rows, level)
    else:
        kept = sides.shares > 0
        sizes, shares = sides.sizes[kept], sides.shares[kept]
        each = np.asarray(level)[..., None]
        low, high = newcombe_bounds(sides.areas[kept], sizes[:, 0], sizes[:, 1], each)
        low, high = ((bound * shares).sum(axis=-1) / shares.sum() for bound in (low, high))
    return np.clip(low, 0.0, value), np.clip(high, value, 1.0)


def newcombe_bounds(area: Array, n_pos: Array, n_neg: Array, level: Level) -> Bounds:
    """Newcombe's method 5: areas within z errors, of exponential scores, of this one."""
    z = quantile(level)
    area = np.broadcast_to(area, np.broadcast_shapes(np.shape(area), np.shape(z)))

    def distance(other: Array) -> Array:
        """Distance in standard errors; rises with `other`."""
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = (other - area) / np.sqrt(newcombe_variance(other, n_pos, n_neg))
        return np.nan_to_num(errors, nan=0.0)

    area = np.clip(np.asarray(area, dtype=np.float64), 0.0, 1.0)
    low = increasing_root(lambda other: distance(other) + z, np.zeros_like(area), area)
    high = increasing_root(lambda other: distance(other) - z, area, np.ones_like(area))
    return low, high


def sides_of(sample: Any) -> Sides:
    """The areas of which a metric is a mean, with the rows of both classes of each."""
    start, stop = sample.metric.spec.bounds
    if sample.is_one_table:
        areas = (np.reshape(sample.value, 1) - start) / (stop - start)
        if sample.design.weight is None and sample.label is not None and not sample.known:
            sizes = sample.by_class[1::-1]
        else:
            classes = [sample.atoms.label == k for k in (1, 0)]
            sizes = _sizes(sample.atoms, np.stack(classes, axis=1))
        return Sides(areas, sizes[None], np.ones(1))
    data, options = sample.data, sample.metric.options
    scores: Scores = data.as_scores() if isinstance(data, Probabilities) else data
    average = options.get("average", MACRO)
    marks = scores.marks()
    atoms = sample.atoms  # one for each row
    rows = _sizes(atoms, np.ones((len(marks), 1), dtype=bool))
    if average == SAMPLES:
        return Sides(np.reshape(sample.value, 1), np.array([[rows[0], np.inf]]), np.ones(1))
    if is_pooled(average):
        area = roc_auc(rankings_of(scores).pooled()).reshape(1)
        sizes = _sizes(atoms, np.stack([marks, ~marks], axis=-1).reshape(len(marks), -1))
        both = sizes.reshape(-1, 2).sum(axis=0)
        return Sides(area, np.minimum(both, rows)[None], np.ones(1))
    sizes = _sizes(atoms, marks)
    mass = np.asarray(rankings_of(scores).support, dtype=np.float64)
    if options.get("multi_class") == "ovo" and scores.kind == "multiclass":
        first, second = np.array(list(combinations(range(len(mass)), 2))).T
        areas = np.asarray(read_areas(roc_auc, scores, "ovo", None))
        shares = pair_shares(average, mass)[first, second]
        return Sides(areas, np.stack([sizes[first], sizes[second]], axis=1), shares)
    areas = np.asarray(read_areas(roc_auc, scores, "ovr", None))
    rest = _sizes(atoms, ~marks)
    return Sides(areas, np.stack([sizes, rest], axis=1), class_shares(average, mass))


def _sizes(atoms: Atoms, marks: Array) -> Array:
    """Effective number of rows in marked atoms (U, p), (sum w)^2 / sum w^2 (Kish 1965), (p,).

    At most the number of groups with such rows.
    """
    rows = atoms.rows @ marks
    if atoms.weight is not None:
        mass = atoms.mass(atoms.rows)
        total, squares = (np.einsum("u,up->p", x, marks) for x in (mass, mass * atoms.weight))
        rows = np.nan_to_num(divide(total * total, squares))
    if atoms.group is not None:
        in_group = cell_sums(marks.T, atoms.group, atoms.n_groups)
        rows = np.minimum(rows, np.count_nonzero(in_group, axis=-1))
    return np.asarray(rows, dtype=np.float64)
