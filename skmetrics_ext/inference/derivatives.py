"""Exact derivatives of metrics by complex steps: by table cells, class counts and means.

The imaginary part of f(x + ih) / h is the derivative of f, without the rounding error of
differences (Squire & Trapp 1998, SIAM Review 40(1), 110-112).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skmetrics_ext.metrics.averaging import SAMPLES, averaged, is_by_support, is_plain, is_pooled
from skmetrics_ext.metrics.probabilities.losses import mean
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import Counts, LabelTally, Means
from skmetrics_ext.validation import Labels

ReadTables = Callable[[Array], Array]

# The imaginary step: its square vanishes next to any count, so the derivative is exact.
STEP = 1e-60
_CELLS = 1 << 17  # numbers in memory at once
_MOST_CLASSES = 2000  # with more that differ, derivatives by the counts of each take too long
_READ_BY_COUNTS = ("hits", "marks", "counts")


def stepped(
    read: Callable[[Array], Array], base: Array, places: Array, shape: tuple[int, ...] = (-1,)
) -> tuple[Array, Array]:
    """Value of ``read(base)``, and its derivative (*S, m) by m places of ``base`` (..., P).

    ``read`` broadcasts over leading axes, and takes the P numbers in this shape. Derivatives of
    infinite values are nan.
    """
    slopes, size = [], max(_CELLS // base.size, 1)
    for start in range(0, len(places), size):
        part = places[start : start + size]
        moved = np.repeat(base[None].astype(np.complex128), len(part), axis=0)
        moved[np.arange(len(part)), ..., part] += 1j * STEP
        values = read(moved.reshape(*moved.shape[:-1], *shape))
        slope = values.imag / STEP
        slopes.append(np.where(np.isfinite(slope), slope, np.nan))
    joined = np.concatenate(slopes)
    return values[0].real, joined.transpose(*range(1, joined.ndim), 0)


def value_and_gradient(read: ReadTables, tables: Array) -> tuple[Array, Array]:
    """The metric of tables (..., K, K), and its derivative by each cell, (..., *S, K, K).

    The derivative is 0 for cells that are empty in all tables.
    """
    shape = tables.shape[-2:]
    flat = tables.reshape(*tables.shape[:-2], -1)
    occupied = np.flatnonzero((flat != 0).reshape(-1, flat.shape[-1]).any(axis=0))
    if not len(occupied):  # without rows the derivatives are undefined, like the metric
        occupied = np.arange(flat.shape[-1])
    value, slope = stepped(read, flat, occupied, shape)
    out = np.zeros((*slope.shape[:-1], flat.shape[-1]))
    out[..., occupied] = slope
    return value, out.reshape(*slope.shape[:-1], *shape)


def value_and_deviations(read: ReadTables, tables: Array) -> tuple[Array, Array]:
    """The metric of tables (..., K, K), and the influence of one row of each cell on it."""
    value, slope = value_and_gradient(read, tables)
    cells = tables.reshape(*(1,) * (slope.ndim - tables.ndim), *tables.shape)
    mean = divide((cells * slope).sum(axis=(-1, -2)), cells.sum(axis=(-1, -2)))
    return value, slope - mean[..., None, None]


def means_slope(metric: Metric, measured: Array, mass: Array | None) -> Array:
    """Derivative of a metric of means of row values (n, d), by the weight of each row."""
    if mass is None:
        total, means = float(len(measured)), measured.mean(axis=0)
    else:
        total = mass.sum()
        means = np.einsum("u,ud->d", mass, measured) / total
    centred = measured - means
    if metric.spec.kernel is mean:
        return np.asarray(centred[:, 0] / total)
    return np.asarray(centred @ slope_of_means(metric, means, total) / total)


def slope_of_means(metric: Metric, means: Array, total: float) -> Array:
    """Derivative of a metric of means (d,) by each mean, for rows of this total weight."""
    if metric.spec.kernel is mean:
        return np.ones(1)
    _, slope = stepped(
        lambda moved: metric.read(Means(np.full(moved.shape[:-1], total), moved)),
        means,
        np.arange(len(means)),
    )
    return slope


# --------------------------------------------------------------------------- counts of classes


@dataclass(frozen=True, eq=False, slots=True)
class _MovedLabels(LabelTally):
    """Labels whose counts are supplied, so that they can be perturbed."""

    supplied: Counts | None = None

    def counts(self) -> Counts:
        assert self.supplied is not None
        return self.supplied

    def hits(self) -> Counts:
        return self.counts()


def has_counts(metric: Metric, data: Any) -> bool:
    """Whether the metric of these checked data has a derivative by the counts of classes."""
    if not isinstance(data, Labels) or metric.tally not in _READ_BY_COUNTS:
        return False
    if _average(metric) == SAMPLES:
        return metric.spec.averages == "classes"
    if not metric.spec.averages and metric.options.get("labels") is not None:
        return False  # rows of other classes are left out of the metric
    known = reads_hits(metric, data) or is_average(metric)
    return known or len(_alike(metric, data)[0]) <= _MOST_CLASSES


def reads_hits(metric: Metric, labels: Labels) -> bool:
    """Whether the metric depends only on which rows are right."""
    return metric.tally == "hits" or (metric.tally == "marks" and not labels.is_multilabel)


def slope_by_counts(metric: Metric, labels: Labels) -> Array:
    """Derivative by the weight of each row, (*S, n), without a confusion table.

    For multilabel data, or very many classes: a row adds to one of four counts of each class.
    """
    if _average(metric) == SAMPLES:
        return _slope_of_row_means(metric, labels)
    by_hits, tally = reads_hits(metric, labels), LabelTally(labels)
    counts = tally.hits() if by_hits else tally.counts()
    if not by_hits and is_average(metric):
        return _by_rows(labels, _slope_of_average(metric, tally))
    base = np.stack(counts.astuple())

    def read(moved: Array) -> Array:
        parts = np.moveaxis(moved.reshape(-1, *base.shape), 1, 0)
        return metric.read(_MovedLabels(labels, None, Counts(*parts)))

    first, code = ([0], [0]) if by_hits else _alike(metric, labels)
    places = np.arange(base.size).reshape(base.shape)[:, first]
    _, slope = stepped(read, base.reshape(-1), places.reshape(-1))
    slope = slope.reshape(*slope.shape[:-1], *places.shape)[..., code]
    if by_hits:
        return np.asarray(np.where(labels.row_hits(), slope[..., 0, :1], slope[..., 2, :1]))
    return _by_rows(labels, slope)


def _by_rows(labels: Labels, slope: Array) -> Array:
    """Derivative by the weight of each row (*S, n), from those by the counts (*S, 4, K)."""
    by_tp, by_fp, by_fn, by_tn = np.moveaxis(slope, -2, 0)
    true, pred, both = by_fn - by_tn, by_fp - by_tn, by_tp - by_fn - by_fp + by_tn
    rest = by_tn.sum(axis=-1)[..., None]
    if not labels.is_multilabel:
        right = np.where(labels.row_hits(), both[..., labels.true], 0.0)
        return np.asarray(rest + true[..., labels.true] + pred[..., labels.pred] + right)
    marks = [side.astype(np.float64) for side in (labels.true, labels.pred)]
    first, second = marks
    agree = first.multiply(second) if hasattr(first, "multiply") else first * second
    pairs = zip((*marks, agree), (true, pred, both), strict=True)
    return np.asarray(rest + sum((side @ by.T).T for side, by in pairs))


def is_average(metric: Metric) -> bool:
    """Whether the metric is one average of values of classes, all of which it reads."""
    options, average = metric.options, _average(metric)
    is_one = is_plain(average) or is_by_support(average) or is_pooled(average)
    return metric.spec.averages == "classes" and options.get("labels") is None and is_one


def _slope_of_average(metric: Metric, tally: LabelTally) -> Array:
    """Derivative of an average over classes by each of their counts, (4, K): class by class."""
    average = _average(metric)
    plan = averaged(tally, None, None, average, what=metric.name)
    each = plan if is_pooled(average) else replace(plan, average=None, weights=None)
    fill = metric.options.get("zero_division", np.nan)
    values, parts = each.read(metric.kernel, fill), np.stack(plan.counts.astuple())
    steps = parts + 1j * STEP * np.eye(4).reshape(4, 4, *(1,) * (parts.ndim - 1))
    read = [replace(each, counts=Counts(*step)).read(metric.kernel, fill) for step in steps]
    slope = np.stack(read).imag / STEP
    if is_pooled(average):
        return np.repeat(slope[:, None], len(tally.classes), axis=1)
    weights = np.ones(len(values)) if plan.weights is None else plan.weights
    weights = np.where(np.isnan(values), 0.0, weights)
    total = weights.sum()
    mean_value = np.where(weights == 0, 0.0, values * weights).sum() / total
    slope = np.where(weights == 0, 0.0, slope * weights)
    if not np.isfinite(mean_value):
        return np.full(slope.shape, np.nan)
    if plan.weights is not None:  # the support is random too
        moved = np.where(np.isnan(values), 0.0, values - mean_value)
        slope = slope + np.array([1.0, 0.0, 1.0, 0.0])[:, None] * moved
    slope = divide(slope, total)
    return np.where(np.isfinite(slope), slope, np.nan)


def _alike(metric: Metric, labels: Labels) -> tuple[Array, Array]:
    """A class for each of the different counts, and which of these each class is like.

    Classes with equal counts have equal derivatives, unless each has its own value.
    """
    counts, listed = LabelTally(labels).counts().astuple(), metric.options.get("labels")
    is_listed = np.isin(np.arange(len(labels.classes)), labels.positions(listed))
    own = np.arange(len(is_listed)) * (_average(metric) is None)
    _, first, code = np.unique(
        np.stack([*counts, is_listed, own]), axis=1, return_index=True, return_inverse=True
    )
    return first, code


def _average(metric: Metric) -> str | None:
    average: str | None = metric.options.get("average", "")
    return average


def _slope_of_row_means(metric: Metric, labels: Labels) -> Array:
    """Derivative of a mean over rows of a metric of each row, by the weight of each row."""
    options = metric.options
    chosen = averaged(LabelTally(labels), options.get("labels"), None, SAMPLES, what=metric.name)
    plan = replace(chosen, average=None, weights=None)
    values = plan.read(metric.kernel, options.get("zero_division", np.nan))
    weight = np.ones(len(values)) if labels.weight is None else labels.weight
    known = ~np.isnan(values)
    total = weight[known].sum()
    mean_value = (weight[known] * values[known]).sum() / total
    return np.asarray(np.where(known, values - mean_value, 0.0) / total)
