"""Kernels of the statistics of a confusion table: of Counts (a class each), or of the table."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.metrics.averaging import mean_of_all, n_classes_of
from skmetrics_ext.metrics.labels import rate_kernels as rates
from skmetrics_ext.metrics.labels.agreement import observed
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import Counts, Tabulated

# --------------------------------------------------------------------------- a class each


def adjusted_f(counts: Counts) -> Array:
    """Root of F2 times the F0.5 of the complement of the class."""
    complement = Counts(counts.tn, counts.fn, counts.fp, counts.tp)
    return np.sqrt(rates.fbeta(counts, beta=2.0) * rates.fbeta(complement, beta=0.5))


def adjusted_geometric_mean(counts: Counts) -> Array:
    recall, specificity = rates.recall(counts), rates.specificity(counts)
    negatives = divide(counts.tn + counts.fp, counts.total)
    value = (np.sqrt(recall * specificity) + specificity * negatives) / (1 + negatives)
    return np.where((recall.real == 0) & ~np.isnan(value), 0.0, value)


def count_difference(counts: Counts) -> Array:
    return np.asarray((counts.fp - counts.fn) * 1.0)


def kulczynski(counts: Counts) -> Array:
    return (rates.precision(counts) + rates.recall(counts)) / 2


def braun_blanquet(counts: Counts) -> Array:
    """The smaller of precision and recall, 0 where one of them is 0/0 and the other is not."""
    return divide(counts.tp, np.maximum(counts.pred, counts.true))


def overlap(counts: Counts) -> Array:
    return divide(counts.tp, np.minimum(counts.pred, counts.true))


def bray_curtis(counts: Counts) -> Array:
    return divide(_size(counts.fp - counts.fn), 2 * counts.total)


def discriminant_power(counts: Counts) -> Array:
    with np.errstate(divide="ignore"):
        return np.sqrt(3) / np.pi * np.log(rates.odds_ratio(counts))


def class_success(counts: Counts) -> Array:
    return rates.precision(counts) + rates.recall(counts) - 1


def lift(counts: Counts) -> Array:
    return divide(rates.precision(counts), rates.true_share(counts))


def information_score(counts: Counts) -> Array:
    with np.errstate(divide="ignore"):
        return np.log2(lift(counts))


def optimized_precision(counts: Counts) -> Array:
    recall, specificity = rates.recall(counts), rates.specificity(counts)
    imbalance = divide(_size(specificity - recall), specificity + recall)
    return divide(counts.tp + counts.tn, counts.total) - imbalance


def yule_q(counts: Counts) -> Array:
    right, wrong = counts.tp * counts.tn, counts.fp * counts.fn
    return divide(right - wrong, right + wrong)


def chance(counts: Counts) -> Array:
    return rates.true_share(counts) * rates.predicted_share(counts)


def unbiased_chance(counts: Counts) -> Array:
    return divide(counts.true + counts.pred, 2 * counts.total) ** 2


def corner_distance(counts: Counts) -> Array:
    """Distance from (0, 1), the ideal point of the ROC plane."""
    missed, alarms = rates.false_negative(counts), rates.false_positive(counts)
    return np.sqrt(missed * missed + alarms * alarms)


def corner_similarity(counts: Counts) -> Array:
    return 1 - corner_distance(counts) / np.sqrt(2)


# ------------------------------------------------- of all classes, from the counts of each


def class_balance_accuracy(counts: Counts, labels: Any = None) -> Array:
    return mean_of_all(braun_blanquet(counts), counts, labels)


def success_index(counts: Counts, labels: Any = None) -> Array:
    return mean_of_all(class_success(counts), counts, labels)


def mean_predicted_count(counts: Counts, labels: Any = None) -> Array:
    return mean_of_all(counts.pred, counts, labels)


def overall_chance(counts: Counts) -> Array:
    return np.asarray(chance(counts).sum(axis=-1))


def overall_unbiased_chance(counts: Counts) -> Array:
    return np.asarray(unbiased_chance(counts).sum(axis=-1))


def prevalence_adjusted_kappa(counts: Counts) -> Array:
    return 2 * observed(counts) - 1


def bangdiwala_b(counts: Counts) -> Array:
    return divide((rates.hit_share(counts) ** 2).sum(axis=-1), overall_chance(counts))


def true_entropy(counts: Counts) -> Array:
    return entropy(rates.true_share(counts))


def predicted_entropy(counts: Counts) -> Array:
    return entropy(rates.predicted_share(counts))


def divergence(counts: Counts) -> Array:
    """Of the true from the predicted margin; infinite where a true class is never predicted."""
    true, pred = rates.true_share(counts), rates.predicted_share(counts)
    return np.maximum(_information(true, true, pred).sum(axis=-1), 0.0)


def cross_entropy(counts: Counts) -> Array:
    return true_entropy(counts) + divergence(counts)


# ------------------------------------------------- of all classes, from the cells of the table


def entropy(shares: Array) -> Array:
    """In bits, over the last axis."""
    return np.asarray(_information(shares, np.ones_like(shares), shares).sum(axis=-1))


def joint_entropy(tally: Tabulated) -> Array:
    shares = _shares(tally)
    return entropy(shares.reshape(*shares.shape[:-2], -1))


def conditional_entropy(tally: Tabulated) -> Array:
    """Of the predicted class, given the true one."""
    shares = _shares(tally)
    true = np.broadcast_to(_margins(shares)[0], shares.shape)
    return np.asarray(_information(shares, true, shares).sum(axis=(-1, -2)))


def mutual_information(tally: Tabulated) -> Array:
    shares = _shares(tally)
    true, pred = _margins(shares)
    # Summed as it is, for a difference of entropies loses its digits near independence.
    terms = _information(shares, divide(shares, true), np.broadcast_to(pred, shares.shape))
    return np.maximum(terms.sum(axis=(-1, -2)), 0.0)


def relative_information(tally: Tabulated) -> Array:
    rows = tally.table.sum(axis=-1)
    # Of their own sum, so that the share of the only class is 1 however its weights were rounded.
    known = entropy(divide(rows, rows.sum(axis=-1, keepdims=True)))
    return divide(np.where(known == 0, 0.0, mutual_information(tally)), known)


def phi_squared(tally: Tabulated) -> Array:
    """Mean square contingency; rows and columns without weight add nothing."""
    shares = _shares(tally)
    true, pred = _margins(shares)
    excess = shares - true * pred
    # Two ratios, for the product of two small margins would vanish.
    terms = np.nan_to_num(divide(excess, true) * divide(excess, pred))
    return np.asarray(terms.sum(axis=(-1, -2)))


def chi_squared(tally: Tabulated) -> Array:
    return phi_squared(tally) * tally.table.sum(axis=(-1, -2))


def degrees_of_freedom(tally: Tabulated) -> Array:
    rows, columns = _used(tally)
    return (rows - 1.0) * (columns - 1.0)


def cramers_v(tally: Tabulated) -> Array:
    return np.sqrt(divide(phi_squared(tally), np.minimum(*_used(tally)) - 1))


def contingency_coefficient(tally: Tabulated) -> Array:
    phi = phi_squared(tally)
    return np.sqrt(phi / (1 + phi))


def lambda_true(tally: Tabulated) -> Array:
    """Share of the errors in guessing the true class that the predicted class saves."""
    return _saved(tally.table)


def lambda_pred(tally: Tabulated) -> Array:
    return _saved(np.swapaxes(tally.table, -1, -2))


def adjusted_rand(tally: Tabulated) -> Array:
    table = tally.table
    rows = np.asarray(table.sum(axis=(-1, -2)))[..., None]
    both = _pair_share(table, rows[..., None]).sum(axis=(-1, -2))
    true, pred = (_pair_share(table.sum(axis=axis), rows).sum(axis=-1) for axis in (-1, -2))
    return divide(both - true * pred, (true + pred) / 2 - true * pred)


def confusion_entropy(tally: Tabulated, labels: Any = None, modified: bool = False) -> Array:
    """Per class: how the errors from and to it spread; 1 where they are spread evenly."""
    table, counts = tally.table, tally.counts()
    n_classes, around = n_classes_of(counts, labels), _around(counts, modified)
    errors = np.where(np.eye(table.shape[-1], dtype=bool), 0, table)
    spread = sum(
        entropy(divide(part, around[..., None])) for part in (errors, np.swapaxes(errors, -1, -2))
    )
    most = np.log2(2.0 * np.where(n_classes > 1, n_classes - 1, np.nan))
    values = np.asarray(spread / most[..., None])
    return values if labels is not None else np.where(around == 0, np.nan, values)


def overall_confusion_entropy(
    tally: Tabulated, labels: Any = None, modified: bool = False
) -> Array:
    """Mean of the entropies of the classes, weighted by the cells around each."""
    counts = tally.counts()
    around, total = _around(counts, modified), 2.0 * counts.true.sum(axis=-1)
    if modified:
        # The half of two classes keeps the entropy in [0, 1] and rising with the errors.
        alpha = np.where(n_classes_of(counts, labels) == 2, 0.5, 1.0)
        total = total - alpha * counts.tp.sum(axis=-1)
    values = np.where(around == 0, 0.0, confusion_entropy(tally, labels, modified))
    return np.asarray((divide(around, np.asarray(total)[..., None]) * values).sum(axis=-1))


# --------------------------------------------------------------------------- parts of these


def _size(values: Array) -> Array:
    """Absolute value, also of numbers whose imaginary part is a derivative."""
    return np.where(values.real < 0, -values, values)


def _information(weights: Array, numerator: Array, denominator: Array) -> Array:
    """weights * log2(numerator / denominator), 0 where the weight is 0, whatever the ratio."""
    out = np.zeros(weights.shape, dtype=np.result_type(weights, numerator, np.float64))
    there = weights.real > 0
    with np.errstate(divide="ignore"):
        ratio = numerator[there] / denominator[there]
        out[there] = weights[there] * np.log2(ratio)
    return out


def _shares(tally: Tabulated) -> Array:
    return divide(tally.table, tally.table.sum(axis=(-1, -2), keepdims=True))


def _margins(shares: Array) -> tuple[Array, Array]:
    """Shares of the true classes as a column, of the predicted ones as a row."""
    return shares.sum(axis=-1, keepdims=True), shares.sum(axis=-2, keepdims=True)


def _used(tally: Tabulated) -> tuple[Array, Array]:
    """Number of rows and of columns that hold anything."""
    rows, columns = (tally.table.real.any(axis=axis).sum(axis=-1) for axis in (-1, -2))
    return rows, columns


def _saved(table: Array) -> Array:
    true = np.sort(table.sum(axis=-1), axis=-1)
    saved = table.max(axis=-2).sum(axis=-1) - true[..., -1]
    # The sum of the others is exactly 0 for one class; a difference of float sums may not be.
    return divide(saved, true[..., :-1].sum(axis=-1))


def _pair_share(counts: Array, rows: Array) -> Array:
    """Pairs of these rows among all pairs; nan where there is no pair at all."""
    return divide(counts, rows) * divide(counts - 1.0, np.maximum(rows - 1.0, 0))


def _around(counts: Counts, modified: bool) -> Array:
    """Weight of the row and of the column of each class; the diagonal twice, or once."""
    around = counts.true + counts.pred
    return around - counts.tp if modified else around
