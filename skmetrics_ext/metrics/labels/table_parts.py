"""Terms shared by several statistics of the confusion table."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.metrics.averaging import n_classes_of
from skmetrics_ext.numeric import Array, divide, ratio
from skmetrics_ext.tallies import Counts, Tabulated


def confusion_entropy(tally: Tabulated, labels: Any, modified: bool = False) -> Array:
    """Entropy of the errors from and to each class; 1 if they are spread evenly."""
    table, counts = tally.table, tally.counts()
    n_classes, around = n_classes_of(counts, labels), weight_around(counts, modified)
    errors = np.where(np.eye(table.shape[-1], dtype=bool), 0, table)
    spread = sum(
        entropy(divide(part, around[..., None])) for part in (errors, np.swapaxes(errors, -1, -2))
    )
    most = np.log2(2.0 * np.where(n_classes > 1, n_classes - 1, np.nan))
    values = np.asarray(spread / most[..., None])
    return values if labels is not None else np.where(around == 0, np.nan, values)


def overall_entropy(tally: Tabulated, labels: Any, modified: bool = False) -> Array:
    """Mean of the entropies of the classes, weighted by the cells around each."""
    counts = tally.counts()
    around, total = weight_around(counts, modified), 2.0 * counts.true.sum(axis=-1)
    if modified:
        # For two classes, 1/2 keeps the entropy in [0, 1] and increasing with the errors.
        alpha = np.where(n_classes_of(counts, labels) == 2, 0.5, 1.0)
        total = total - alpha * counts.tp.sum(axis=-1)
    values = np.where(around == 0, 0.0, confusion_entropy(tally, labels, modified))
    return np.asarray((divide(around, np.asarray(total)[..., None]) * values).sum(axis=-1))


def weight_around(counts: Counts, modified: bool) -> Array:
    """Weight of each class's row and column of the table, with its diagonal cell twice or once."""
    both = counts.true + counts.pred
    return both - counts.tp if modified else both


def entropy(shares: Array) -> Array:
    """Entropy in bits, over the last axis."""
    return np.asarray(weighted_log_ratio(shares, np.ones_like(shares), shares).sum(axis=-1))


def absolute(values: Array) -> Array:
    """Absolute value, also of numbers whose imaginary part is a derivative."""
    return np.where(values.real < 0, -values, values)


def weighted_log_ratio(weights: Array, numerator: Array, denominator: Array) -> Array:
    """weights * log2(numerator / denominator), 0 if the weight is 0."""
    out = np.zeros(weights.shape, dtype=np.result_type(weights, numerator, np.float64))
    there = weights.real > 0
    with np.errstate(divide="ignore"):
        ratio = numerator[there] / denominator[there]
        out[there] = weights[there] * np.log2(ratio)
    return out


def cell_shares(tally: Tabulated) -> Array:
    return divide(tally.table, tally.table.sum(axis=(-1, -2), keepdims=True))


def margins_of(shares: Array) -> tuple[Array, Array]:
    """Shares of the true classes as a column, and of the predicted ones as a row."""
    return shares.sum(axis=-1, keepdims=True), shares.sum(axis=-2, keepdims=True)


def n_used(tally: Tabulated) -> tuple[Array, Array]:
    """Number of non-empty rows and columns."""
    rows, columns = (tally.table.real.any(axis=axis).sum(axis=-1) for axis in (-1, -2))
    return rows, columns


def errors_saved(table: Array) -> Array:
    """Share of the errors in guessing the row that knowing the column saves."""
    true = np.sort(table.sum(axis=-1), axis=-1)
    fewer = table.max(axis=-2).sum(axis=-1) - true[..., -1]
    # The sum of the others, since a difference of float sums may not be 0 for one class.
    return divide(fewer, true[..., :-1].sum(axis=-1))


def pair_share(counts: Array, rows: Array) -> Array:
    """Share of the pairs of these rows among all pairs; nan without pairs."""
    return divide(counts, rows) * divide(counts - 1.0, np.maximum(rows - 1.0, 0))


def gain(counts: Counts, wrong: Array, right: Array) -> Array:
    """1 - (odds of the class) (wrong / right); ratios first, since products may overflow."""
    others = counts.tn + counts.fp
    odds = divide(counts.true, np.where(np.asarray(counts.true) > 0, others, 0))
    return np.asarray(1 - odds * ratio(wrong, right))
