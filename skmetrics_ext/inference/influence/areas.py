"""Intervals of areas under the ROC curve, of what is linear in them, and of their means."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import fewest_rows
from skmetrics_ext.inference.draws.readings import TallyReading
from skmetrics_ext.inference.influence.scales import delta_bounds, logit_bounds, quantile
from skmetrics_ext.inference.influence.spread import Spread
from skmetrics_ext.inference.proportions import Bounds, increasing_root, normal_quantile
from skmetrics_ext.metrics.averaging import (
    MACRO,
    SAMPLES,
    class_shares,
    is_pooled,
    pair_shares,
)
from skmetrics_ext.metrics.rankings.ranking_kernels import roc_auc
from skmetrics_ext.metrics.rankings.score_tally import rankings_of, read_areas
from skmetrics_ext.numeric import Array, divide, wilson
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import Probabilities, Scores

AUC_METHODS = ("logit", "delong")
_ROUNDING = 1e-12  # areas of weighted rows come within it of 0 and 1
_FEW = 5.0  # expected rows of the rarer class on the wrong side, below which intervals fall short
_ONE_ROW = "a class has one row or group"


class Sides(NamedTuple):
    """The areas of which a mean is made.

    ``areas`` (p,) with ``sizes`` (p, 2), the rows of both sides of each: effective numbers where
    there are weights, infinite for a side that a mean of one value per row does not have;
    ``shares`` (p,) in the mean.
    """

    areas: Array
    sizes: Array
    shares: Array

    def only(self, k: int) -> Sides:
        """One of them."""
        return Sides(self.areas[[k]], self.sizes[[k]], np.ones(1))


def area_interval(
    reading: TallyReading, method: str, level: float
) -> tuple[Array, Array, Array, Array]:
    r"""Bounds, errors and notes, each of the shape of the value.

    "delong" is the area -+ z standard errors, cut at 0 and 1. "logit" is the same for
    log(area / (1 - area)), with the quantile of a t distribution of Satterthwaite's degrees of
    freedom: it covers nearer to the level, above all where the area is large or a class is small
    (Qin & Hotilovac 2008, Statistical Methods in Medical Research 17(2), 207-221).

    Where the area is 0 or 1, or a class has one row, the data have no variance to estimate. There
    the bounds are Newcombe's method 5 (2006, Statistics in Medicine 25(4), 559-573), which solves
    :math:`|\hat A - A| = z \sqrt{V(A)}` with the variance of exponential scores, and the error is
    nan. For means over classes they are the means of those of the classes or pairs.
    """
    start, stop = reading.metric.spec.bounds
    width = stop - start
    value = (np.asarray(reading.value, dtype=np.float64) - start) / width
    spread = Spread.of(reading)
    assert spread is not None
    is_mean = value.ndim == 0 and reading.data.true.ndim + len(reading.data.classes) > 3
    sides = None if is_mean else sides_of(reading)
    out, notes = np.full((3, *value.shape), np.nan), np.full(value.shape, "", dtype=object)
    for place in np.ndindex(value.shape):
        area, freedom = float(value[place]), float(spread.freedom[place])
        variance = float(spread.variance[place]) / width**2
        is_end = min(area, 1 - area) <= _ROUNDING
        if np.isnan(area):
            continue
        own = sides if sides is None or value.ndim == 0 else sides.only(place[0])
        if is_end or np.isnan(variance):
            low, high = score_bounds(area, own or sides_of(reading), level)
            error, why = np.nan, "all pairs are ranked alike" if is_end else _ONE_ROW
            notes[place] = f"{why}: bounds by Newcombe's method 5"
        else:
            error = float(np.sqrt(variance))
            low, high = area_bounds(area, error, freedom, method, level)
            notes[place] = _warning(area, variance, own, reading)
        out[(slice(None), *place)] = start + width * low, start + width * high, width * error
    return out[0], out[1], out[2], notes


def _warning(area: float, variance: float, sides: Sides | None, reading: TallyReading) -> str:
    if variance == 0:
        return "all scores are equal"
    if sides is None:  # of a mean of areas
        rare = fewest_rows(reading)
        what = "rows" if reading.group is None else "groups with rows"
        few = f"{rare:g} {what} of the rarest class are few: the interval may miss its level"
        return few if rare < _FEW else ""
    wrong = sides.sizes.min() * min(area, 1 - area)
    if wrong < _FEW:
        return (
            f"{sides.sizes.min():.4g} rows of the rarer class are few for an area so near "
            f"{'1' if area > 0.5 else '0'}: the interval may cover less than its level"
        )
    return ""


def area_bounds(
    value: float, error: float, freedom: float, method: str, level: float
) -> tuple[float, float]:
    """Bounds of an area from its standard error, in [0, 1]."""
    given = np.asarray(value), np.asarray(error)
    if method == "delong" or error == 0:
        low, high = delta_bounds(*given, quantile(level, None), (0.0, 1.0))
    else:
        low, high = logit_bounds(*given, quantile(level, np.asarray(freedom)), (0.0, 1.0))
    return float(low), float(high)


# --------------------------------------------------------------------------- without a variance


def score_bounds(value: float, sides: Sides, level: float) -> tuple[float, float]:
    """Bounds of a mean of areas: the mean of their bounds, as if they moved together."""
    if np.isinf(sides.sizes).any():  # a mean of one share per row
        rows = sides.sizes[0, 0]
        low, high = wilson(value * rows, rows, level)
    else:
        kept = sides.shares > 0
        sizes, shares = sides.sizes[kept], sides.shares[kept]
        low, high = newcombe_bounds(sides.areas[kept], sizes[:, 0], sizes[:, 1], level)
        low, high = ((bound * shares).sum() / shares.sum() for bound in (low, high))
    return max(min(float(low), value), 0.0), min(max(float(high), value), 1.0)


def newcombe_bounds(area: Array, n_pos: Array, n_neg: Array, level: float) -> Bounds:
    """Newcombe's method 5: the areas that lie within z errors, of exponential scores, of ours."""
    z, half = normal_quantile(level), (n_pos + n_neg) / 2

    def apart(other: Array) -> Array:
        """Distance in errors; rises with `other`."""
        bends = (1 - other) / (2 - other) + other / (1 + other)
        variance = other * (1 - other) * (1 + (half - 1) * bends) / (n_pos * n_neg)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.nan_to_num((other - area) / np.sqrt(variance), nan=0.0)

    area = np.clip(np.asarray(area, dtype=np.float64), 0.0, 1.0)
    low = increasing_root(lambda other: apart(other) + z, np.zeros_like(area), area)
    high = increasing_root(lambda other: apart(other) - z, area, np.ones_like(area))
    return low, high


def sides_of(reading: TallyReading) -> Sides:
    """The areas that a metric is made of, with the rows of both their sides."""
    data, options = reading.data, reading.metric.options
    scores: Scores = data.as_scores() if isinstance(data, Probabilities) else data
    average = options.get("average", MACRO)
    if scores.kind == "binary":
        start, stop = reading.metric.spec.bounds
        areas = (np.reshape(reading.value, 1) - start) / (stop - start)
        if reading.facts.weight is None and reading.facts.group is None:
            sizes = RankTally.of_class(scores).mass.sum(axis=-1).astype(np.float64)
        else:
            sizes = _sizes(reading, scores.true[:, None] == np.arange(2))
        return Sides(areas, sizes[None, ::-1], np.ones(1))
    marks = scores.marks()
    rows = _sizes(reading, np.ones((len(marks), 1), dtype=bool))
    if average == SAMPLES:
        return Sides(np.reshape(reading.value, 1), np.array([[rows[0], np.inf]]), np.ones(1))
    if is_pooled(average):
        area = roc_auc(rankings_of(scores).pooled()).reshape(1)
        sizes = _sizes(reading, np.stack([marks, ~marks], axis=-1).reshape(len(marks), -1))
        both = sizes.reshape(-1, 2).sum(axis=0)
        return Sides(area, np.minimum(both, rows)[None], np.ones(1))
    sizes = _sizes(reading, marks)
    mass = np.asarray(rankings_of(scores).support, dtype=np.float64)
    if options.get("multi_class") == "ovo" and scores.kind == "multiclass":
        first, second = np.array(list(combinations(range(len(mass)), 2))).T
        areas = np.asarray(read_areas(roc_auc, scores, "ovo", None))
        shares = 2 * pair_shares(average, mass)[first, second]
        return Sides(areas, np.stack([sizes[first], sizes[second]], axis=1), shares)
    areas = np.asarray(read_areas(roc_auc, scores, "ovr", None))
    rest = _sizes(reading, ~marks)
    return Sides(areas, np.stack([sizes, rest], axis=1), class_shares(average, mass))


def _sizes(reading: TallyReading, marks: Array) -> Array:
    """Effective number of rows that are marked, (sum w)^2 / sum w^2 (Kish 1965), (p,).

    No more than there are groups of them.
    """
    weight, group, sizes, _ = reading.facts
    seen = np.ones(len(marks)) if sizes is None else sizes.astype(np.float64)
    rows = np.einsum("r,rk->k", seen, marks)
    if weight is not None:
        total, squares = (np.einsum("r,rk->k", weight**power, marks) for power in (1, 2))
        rows = np.nan_to_num(divide(total * total, squares))
    if group is not None:
        held = np.zeros((int(group.max()) + 1, marks.shape[1]), dtype=bool)
        np.logical_or.at(held, group, marks)
        rows = np.minimum(rows, held.sum(axis=0))
    return np.asarray(rows, dtype=np.float64)
