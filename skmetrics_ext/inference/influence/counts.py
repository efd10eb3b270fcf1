"""Derivative of a metric of labels by its rows where no table is laid out: from the counts.

Of multilabel data, and of very many classes: a row adds to one of the four counts of each class,
by which the metric is derived.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from skmetrics_ext.inference.draws.readings import CheckedReading, Reading
from skmetrics_ext.inference.influence.derivatives import STEP
from skmetrics_ext.metrics.averaging import SAMPLES, averaged
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import Counts
from skmetrics_ext.tallies.labels import LabelTally
from skmetrics_ext.validation import Labels

_CELLS = 1 << 20  # numbers that are held at once
_MOST_CLASSES = 2000  # of whose counts all derivatives by all are worked out
_OF_COUNTS = ("hits", "marks", "counts")


@dataclass(frozen=True, eq=False, slots=True)
class _Given(LabelTally):
    """Checked labels of which the counts are said, (..., K), so that they may be moved."""

    given: Counts | None = None

    def counts(self) -> Counts:
        assert self.given is not None
        return self.given

    def hits(self) -> Counts:
        return self.counts()


def has_counts(reading: CheckedReading) -> bool:
    """Whether the metric has a derivative by counts."""
    metric, data = reading.metric, reading.data
    if not isinstance(data, Labels) or metric.tally not in _OF_COUNTS:
        return False
    if _average(metric) == SAMPLES:
        return metric.spec.averages == "classes"
    if not metric.spec.averages and metric.options.get("labels") is not None:
        return False  # rows of other classes are left out
    return len(data.classes) <= _MOST_CLASSES


def is_of_hits(reading: Reading) -> bool:
    """Whether it counts which rows are right, where no table is laid out."""
    return (
        isinstance(reading, CheckedReading)
        and has_counts(reading)
        and _reads_hits(reading.metric, reading.data)
    )


def of_counts(reading: CheckedReading) -> Array:
    """By the weight of each row, (*S, n)."""
    labels: Labels = reading.tally(reading.units.rows)
    metric = reading.metric
    if _average(metric) == SAMPLES:
        return _of_single_rows(metric, labels)
    tally = LabelTally(labels)
    by_hits = _reads_hits(metric, labels)
    by_tp, by_fp, by_fn, by_tn = _gradient(
        metric, labels, tally.hits() if by_hits else tally.counts()
    )
    if by_hits:
        hits = labels.row_hits()
        return np.asarray(np.where(hits, by_tp[..., :1], by_fn[..., :1]))
    true, pred, both = by_fn - by_tn, by_fp - by_tn, by_tp - by_fn - by_fp + by_tn
    rest = by_tn.sum(axis=-1)[..., None]
    if not labels.is_multilabel:
        right = np.where(labels.row_hits(), both[..., labels.true], 0.0)
        return np.asarray(rest + true[..., labels.true] + pred[..., labels.pred] + right)
    marked = labels.true.astype(np.float64), labels.pred.astype(np.float64)
    agree = (
        marked[0].multiply(marked[1]) if hasattr(marked[0], "multiply") else marked[0] * marked[1]
    )
    pairs = zip((*marked, agree), (true, pred, both), strict=True)
    return np.asarray(rest + sum((marks @ slope.T).T for marks, slope in pairs))


def _reads_hits(metric: Metric, labels: Labels) -> bool:
    return metric.tally == "hits" or (metric.tally == "marks" and not labels.is_multilabel)


def _average(metric: Metric) -> str | None:
    average: str | None = metric.options.get("average", "")
    return average


def _gradient(metric: Metric, labels: Labels, counts: Counts) -> Array:
    """By each count of each class, (4, *S, K), in complex steps, which are exact."""
    base = np.stack(counts.astuple()).astype(np.complex128)
    n_counts, found = base.size, []
    size = max(_CELLS // n_counts, 1)
    for start in range(0, n_counts, size):
        part = np.arange(start, min(start + size, n_counts))
        moved = np.repeat(base.reshape(1, -1), len(part), axis=0)
        moved[np.arange(len(part)), part] += 1j * STEP
        moved = moved.reshape(len(part), *base.shape)
        tally = _Given(labels, None, Counts(*np.moveaxis(moved, 1, 0)))
        slope = metric.read(tally).imag / STEP
        found.append(np.where(np.isfinite(slope), slope, np.nan))
    joined = np.concatenate(found)
    joined = joined.reshape(4, -1, *joined.shape[1:])
    return np.moveaxis(joined, 1, -1)


def _of_single_rows(metric: Metric, labels: Labels) -> Array:
    """The mean over rows of the metric of each of them."""
    options = metric.options
    chosen = averaged(LabelTally(labels), options.get("labels"), None, SAMPLES, what=metric.name)
    plan = replace(chosen, average=None, weights=None)
    values = plan.read(metric.kernel, options.get("zero_division", np.nan))
    weight = np.ones(len(values)) if labels.weight is None else labels.weight
    known = ~np.isnan(values)
    total = weight[known].sum()
    mean = (weight[known] * values[known]).sum() / total
    return np.asarray(np.where(known, values - mean, 0.0) / total)
