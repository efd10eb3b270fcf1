"""Metrics of labels on stacks of confusion tables: one value for each table.

``metric(tables, classes, **params)`` reads tables (..., K, K) over ``classes`` and gives what
the public function gives on the rows that make up each table: the classes that occur in it and
are not named by ``labels`` are all that there are. Parameters are those of the public function,
which has checked them. Everything here also holds for complex numbers with a tiny imaginary
part, whose imaginary part is then the derivative (complex step).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.metrics.averaging import Rate
from skmetrics_ext.metrics.labels import agreement, costs, imbalance, krippendorff, rate_kernels
from skmetrics_ext.metrics.labels.composite import fbeta_of
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import Counts
from skmetrics_ext.validation.labels import find_labels, read_labels

OnTable = Callable[..., Array]


class _Averaged(NamedTuple):
    """Counts of what is averaged (..., K), the average, and which classes a table has."""

    counts: Counts
    average: str | None
    present: Array | None

    def read(self, kernel: Callable[[Counts], Array], zero_division: Any) -> Array:
        values = kernel(self.counts)
        fill = 0.0 if isinstance(zero_division, str) else float(zero_division)
        values = np.where(np.isnan(values), fill, values)
        if self.present is not None:
            values = np.where(self.present, values, np.nan)
        if self.average is None:
            return values
        if self.average in ("binary", "micro"):
            return np.asarray(values[..., 0])
        return mean_of_defined(values, self.counts.true if self.average == "weighted" else None)


def mean_of_defined(values: Array, weights: Array | None = None) -> Array:
    """Mean over the last axis of what is not nan; weights that are all 0 there say nothing."""
    defined = ~np.isnan(values)
    values = np.where(defined, values, 0.0)
    plain = divide(values.sum(axis=-1), defined.sum(axis=-1))
    if weights is None:
        return plain
    weights = np.where(defined, weights, 0)
    weighed = np.where(weights == 0, 0.0, values) * weights
    total = weights.sum(axis=-1)
    return np.where(total == 0, plain, divide(weighed.sum(axis=-1), total))


def one_vs_rest(tables: Array) -> Counts:
    """Counts of each class (..., K), without differences of sums but for the true negatives."""
    n_classes = tables.shape[-1]
    tp = np.diagonal(tables, axis1=-2, axis2=-1)
    wrong = tables * (1 - np.eye(n_classes, dtype=np.int64))
    fp, fn = wrong.sum(axis=-2), wrong.sum(axis=-1)
    if n_classes == 2:  # exactly the other class
        return Counts(tp, fp, fn, tp[..., ::-1])
    tn = tp.sum(axis=-1, keepdims=True) + fn.sum(axis=-1, keepdims=True) - tp - fp - fn
    if tables.dtype.kind != "i":
        seen = (tables != 0).astype(np.int64)
        tn = np.where(one_vs_rest(seen).tn == 0, 0.0, tn)
    return Counts(tp, fp, fn, tn)


def selected(tables: Array, classes: Array, labels: Any) -> Array:
    """Tables of the rows both of whose classes are among the labels, in their order."""
    if labels is None:
        return tables
    positions = find_labels(read_labels(labels), classes)
    held = positions >= 0
    return np.where(held[:, None] & held, tables[..., positions[:, None], positions], 0)


def averaged(
    tables: Array, classes: Array, labels: Any, pos_label: Any, average: str | None
) -> _Averaged:
    """What a rate is read from, by the rules of its average."""
    counts = one_vs_rest(tables)
    if average == "binary":
        labels = [pos_label]
    if labels is not None:
        wanted = read_labels(labels)
        positions = find_labels(wanted, classes)
        if average is not None:  # a class listed twice is one class of an average
            _, first = np.unique(_keys(wanted), return_index=True)
            positions = positions[np.sort(first)]
        counts, present = counts.select(positions), None
    else:
        present = (counts.true + counts.pred) != 0
        if present.all():
            present = None
    if average == "micro":
        if present is not None:
            counts = Counts(*(np.where(present, part, 0) for part in counts.astuple()))
        pooled = counts.pool()
        return _Averaged(Counts(*(p[..., None] for p in pooled.astuple())), average, None)
    return _Averaged(counts, average, present)


def _keys(labels: Array) -> list[int]:
    place = {label: i for i, label in enumerate(dict.fromkeys(labels.tolist()))}
    return [place[label] for label in labels.tolist()]


# --------------------------------------------------------------------------- families of metrics


def whole(kernel: Callable[[Counts], Array]) -> OnTable:
    """A metric of the counts of all classes without parameters of its own."""

    def metric(tables: Array, classes: Array, **_: Any) -> Array:
        return kernel(one_vs_rest(tables))

    return metric


def within(kernel: Callable[[Counts], Array]) -> OnTable:
    """The same, of the rows whose classes are both among ``labels``."""

    def metric(tables: Array, classes: Array, labels: Any = None) -> Array:
        return kernel(one_vs_rest(selected(tables, classes, labels)))

    return metric


def rate(own: Rate) -> OnTable:
    """A rate of each class and its averages."""

    def metric(
        tables: Array,
        classes: Array,
        labels: Any = None,
        pos_label: Any = 1,
        average: str | None = "binary",
        zero_division: Any = "warn",
    ) -> Array:
        plan = averaged(tables, classes, labels, pos_label, average)
        return plan.read(own.kernel, zero_division)

    return metric


def fbeta(
    tables: Array,
    classes: Array,
    beta: float,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    zero_division: Any = "warn",
) -> Array:
    plan = averaged(tables, classes, labels, pos_label, average)
    return plan.read(partial(rate_kernels.fbeta, beta=float(beta)), zero_division)


# --------------------------------------------------------------------------- single metrics


def balanced_accuracy(tables: Array, classes: Array, adjusted: bool = False) -> Array:
    recalls = rate_kernels.recall(one_vs_rest(tables))
    score = mean_of_defined(recalls)
    if not adjusted:
        return score
    chance = 1 / np.count_nonzero(~np.isnan(recalls), axis=-1)
    return divide(score - chance, 1 - chance)


def fbeta_of_averages(
    tables: Array,
    classes: Array,
    beta: float = 1.0,
    labels: Any = None,
    zero_division: Any = "warn",
) -> Array:
    plan = averaged(tables, classes, labels, None, "macro")
    precision = plan.read(rate_kernels.precision, zero_division)
    return fbeta_of(precision, plan.read(rate_kernels.recall, zero_division), beta)


def geometric_mean(
    tables: Array,
    classes: Array,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "multiclass",
    correction: float = 0.0,
    zero_division: Any = "warn",
) -> Array:
    if average != "multiclass":
        plan = averaged(tables, classes, labels, pos_label, average)
        recall = plan.read(rate_kernels.recall, zero_division)
        return np.sqrt(recall * plan.read(rate_kernels.specificity, zero_division))
    plan = averaged(tables, classes, labels, None, None)
    recalls = plan.read(rate_kernels.recall, zero_division)
    defined = ~np.isnan(recalls)
    recalls = np.where(recalls == 0, correction, np.where(defined, recalls, 1.0))
    roots = recalls ** divide(1, defined.sum(axis=-1))[..., None]
    return np.asarray(np.prod(np.where(defined, roots, 1.0), axis=-1))


def index_balanced_accuracy(
    tables: Array,
    classes: Array,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    alpha: float = 0.1,
    squared: bool = True,
    base: str = "geometric_mean",
    zero_division: Any = "warn",
) -> Array:
    plan = averaged(tables, classes, labels, pos_label, average)
    sensitivity = plan.read(rate_kernels.recall, zero_division)
    specificity = plan.read(rate_kernels.specificity, zero_division)
    if base == "geometric_mean":
        product = sensitivity * specificity
        value = product if squared else np.sqrt(product)
    else:
        value = plan.read(imbalance.BASES[base].rate.kernel, zero_division)
        value = value**2 if squared else value
    return (1 + alpha * (sensitivity - specificity)) * value


def no_information_rate(tables: Array, classes: Array) -> Array:
    true = tables.sum(axis=-1)
    return divide(true.max(axis=-1), true.sum(axis=-1))


def matthews(tables: Array, classes: Array, zero_division: float = 0.0) -> Array:
    values = agreement.matthews(one_vs_rest(tables))
    return np.where(np.isnan(values), zero_division, values)


def cohen_kappa(
    tables: Array,
    classes: Array,
    labels: Any = None,
    weights: Any = None,
    replace_undefined_by: float = np.nan,
    grades: Any = None,
) -> Array:
    kept = selected(tables, classes, labels)
    if weights is None:
        values = agreement.cohen_kappa(one_vs_rest(kept))
    else:
        positions = agreement.read_grades(grades, kept.shape[-1])
        values = agreement.weighted_kappa(kept, agreement.disagreement(weights, positions))
    return np.where(np.isnan(values), replace_undefined_by, values)


def gwet_ac1(tables: Array, classes: Array, labels: Any = None) -> Array:
    kept = selected(tables, classes, labels)
    counts = one_vs_rest(kept)
    share = agreement.mean_share(counts)
    others = _n_classes(counts, labels) - 1.0
    return agreement.beyond_chance(counts, 1 - divide(agreement.mixed_pairs(share, share), others))


def brennan_prediger(tables: Array, classes: Array, labels: Any = None) -> Array:
    counts = one_vs_rest(selected(tables, classes, labels))
    return agreement.beyond_chance(counts, 1 - divide(1, _n_classes(counts, labels)))


def _n_classes(counts: Counts, labels: Any) -> Any:
    """How many classes there are: those of ``labels``, or those that occur."""
    if labels is not None:
        return counts.tp.shape[-1]
    return np.count_nonzero((counts.true + counts.pred) != 0, axis=-1)


def krippendorff_alpha(
    tables: Array, classes: Array, labels: Any = None, level: str = "nominal", grades: Any = None
) -> Array:
    kept = selected(tables, classes, labels)
    if level == "nominal":
        return krippendorff.nominal_alpha(one_vs_rest(kept))
    if level == "interval":
        positions = agreement.read_grades(grades, kept.shape[-1])
        difference = (positions[:, None] - positions) ** 2
    else:
        both = (kept.sum(axis=-1) + kept.sum(axis=-2)) / 2
        values = divide(both, both.sum(axis=-1, keepdims=True))
        middle = np.cumsum(values, axis=-1) - values / 2
        difference = (middle[..., :, None] - middle[..., None, :]) ** 2
    return krippendorff.krippendorff_alpha(kept, difference)


def mean_distance(tables: Array, classes: Array, labels: Any = None) -> Array:
    if labels is None:
        grades = classes.astype(np.float64) if classes.dtype.kind in "biuf" else None
    else:
        grades = None
    kept = selected(tables, classes, labels)
    places = np.arange(kept.shape[-1]) if grades is None else grades
    distance = (kept * np.abs(places[:, None] - places)).sum(axis=-1)
    return mean_of_defined(divide(distance, kept.sum(axis=-1)))


def expected_cost(tables: Array, classes: Array, cost_matrix: Any, labels: Any = None) -> Array:
    matrix = np.asarray(cost_matrix, dtype=np.float64)
    return costs.mean_cost(selected(tables, classes, labels), matrix)
