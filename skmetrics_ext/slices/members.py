"""Groups as what is compared: the metric of some rows, its interval, and what each row adds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import BOOTSTRAP_METHODS, PLAN
from skmetrics_ext.inference.draws.readings import TallyReading
from skmetrics_ext.inference.influence.spread import Contributions
from skmetrics_ext.inference.intervals import interval_of
from skmetrics_ext.inference.methods import methods_of
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.numeric import Array

EXACT = "clopper_pearson"
# Low, high, the method, and what there is to tell of it, by the level.
Interval = Callable[[float], tuple[float, float, str, str]]


@dataclass(frozen=True, eq=False, slots=True)
class Member:
    """A metric of some of the rows.

    Parameters
    ----------
    value : float
    interval : callable
        Of the level: low, high, method, note.
    rows : ndarray of int64 of shape (m,)
        Which of all rows (or units, rows that are alike) it is of.
    parts : ndarray of shape (m,)
        What a row of each adds to the error of the metric.
    seen : ndarray of shape (m,)
        How many rows each of them is.
    cluster : ndarray of int64 of shape (m,) or None
        Rows that depend on each other have one number, whatever their group.
    reading : TallyReading or None
        The metric as a function of what is drawn, where rows are independent and have no weight.
    sure : callable or None
        Of the level: bounds that cover at least with it, where the metric has them. The bounds of
        many groups are asked to hold far out, where others fall short.
    """

    value: float
    interval: Interval
    rows: Array
    parts: Array
    seen: Array
    cluster: Array | None = None
    reading: TallyReading | None = None
    sure: Interval | None = None

    @classmethod
    def of(cls, reading: TallyReading, rows: Array, cluster: Array | None = None) -> Member | str:
        """Of a reading of these rows, or why there is no interval of it without resampling."""
        if np.ndim(reading.value) != 0:
            return "it has a value for each class: ask for an average"
        if not np.isfinite(reading.value):
            return "undefined"
        added, methods = Contributions.of(reading), methods_of(reading)
        if added is None or next(iter(methods)) in BOOTSTRAP_METHODS:
            return "its interval needs resampling: use confidence_interval on the rows"

        def by(method: str, level: float) -> tuple[float, float, str, str]:
            found = interval_of(reading, method, level, PLAN)
            assert isinstance(found, Estimate)
            return found.low, found.high, found.method, found.note

        interval, sure = partial(by, "auto"), partial(by, EXACT) if EXACT in methods else None
        weight, group, sizes = reading.facts[:3]
        drawn_by = reading if weight is None and group is None else None
        seen = np.ones(len(rows)) if sizes is None else sizes.astype(np.float64)
        parts = added.of_rows()
        return cls(float(reading.value), interval, rows, parts, seen, cluster, drawn_by, sure)

    def away(self, level: float) -> tuple[float, float]:
        """How far the bounds are from the value, down and up."""
        low, high, *_ = self.interval(level)
        return self.value - low, high - self.value

    @property
    def variance(self) -> float:
        """Of the value: squares of what rows add, or of the sums over clusters."""
        if self.cluster is None:
            return float((self.seen * self.parts**2).sum())
        return float((_by_cluster(self) ** 2).sum())

    @property
    def n_independent(self) -> float:
        """Rows, or clusters of them."""
        if self.cluster is None:
            return float(self.seen.sum())
        return float(len(np.unique(self.cluster)))


def correlation(first: Member, second: Member) -> float:
    """Of the errors of two values, by the rows, or the clusters, that both have."""
    if first.cluster is None or second.cluster is None:
        _, one, other = np.intersect1d(
            first.rows, second.rows, assume_unique=True, return_indices=True
        )
        shared = (first.seen[one] * first.parts[one] * second.parts[other]).sum()
    else:
        n = 1 + int(max(first.cluster.max(), second.cluster.max()))
        shared = _by_cluster(first, n) @ _by_cluster(second, n)
    size = np.sqrt(first.variance * second.variance)
    return float(np.clip(shared / size, -1.0, 1.0)) if size > 0 else 0.0


def _by_cluster(member: Member, n: int = 0) -> Array:
    assert member.cluster is not None
    return np.bincount(member.cluster, weights=member.parts * member.seen, minlength=n)
