"""What the rows of groups add to metrics, from sums or from rows: what gaps are told from.

Sums hold rows that are alike, counted: cells of a confusion table, classes at a score. Of a group
whose mean and variance are all that is known, half the rows stand for one standard deviation
above the mean and half for one below, which have both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.inference.draws.readers import read_checked
from skmetrics_ext.inference.draws.readings import TallyReading
from skmetrics_ext.inference.intervals import interval_of_checked
from skmetrics_ext.inference.proportions import proportion_bounds
from skmetrics_ext.merged import intervals
from skmetrics_ext.merged.columns import GroupRows
from skmetrics_ext.merged.layout import Layout
from skmetrics_ext.merged.ranges import RangeReading
from skmetrics_ext.merged.sums import Sums, as_probabilities, as_scores
from skmetrics_ext.merged.values import as_labels, call
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.slices.members import EXACT, Member
from skmetrics_ext.tallies import MomentTally
from skmetrics_ext.validation import Labels, Scores
from skmetrics_ext.validation.encoding import find_labels
from skmetrics_ext.validation.groups import INDEPENDENT, Design

_NOT_HELD = "its scores are more than memory_limit allows to hold: raise it to compare groups"
_SEVERAL = "areas of several classes vary together, and the rows say how"


class SeenRows(NamedTuple):
    """Rows, or units of rows that are alike.

    Parameters
    ----------
    place : ndarray of int64 of shape (m,)
        What tells a unit from all others.
    true : ndarray of int64 of shape (m,)
        Codes of classes.
    other : ndarray of shape (m,) or (m, K)
        Predicted codes, or scores.
    weight : ndarray of shape (m,) or None
        Of the rows, or how often a unit was seen.
    cluster : ndarray of int64 of shape (m,) or None
    eps : float
    """

    place: Array
    true: Array
    other: Array
    weight: Array | None
    cluster: Array | None = None
    eps: float = 0.0

    @classmethod
    def joined(cls, parts: Sequence[SeenRows]) -> SeenRows:
        """The units of several groups."""
        first = parts[0]
        columns: list[Any] = [
            None if column is None else np.concatenate([part[i] for part in parts])
            for i, column in enumerate(first[:-1])
        ]
        return cls._make([*columns, first.eps])


class Evidence(Protocol):
    """Where the rows of groups come from."""

    @property
    def is_needed(self) -> bool:
        """Whether rows have weights or clusters, of which sums know nothing."""
        ...

    def member(self, one: Metric, groups: Sequence[Any]) -> Member | str:
        """A metric of the rows of some groups, or why it cannot be compared."""
        ...


def member_of(
    one: Metric, layout: Layout, classes: Array, rows: SeenRows, weights_are: str
) -> Member | str:
    """A metric of rows or units, by the classes that their codes stand for."""
    metric = layout.settled(one) if one.sums == "tables" else one
    design = INDEPENDENT
    if rows.cluster is not None:
        design = Design(np.unique(rows.cluster, return_inverse=True)[1])

    def reading() -> TallyReading:
        return read_checked(metric, _checked(one, layout, classes, rows), design, weights_are)

    read = call(reading, one.spec.undefined)
    if read.reason:
        return read.reason
    return Member.of(read.value, rows.place, rows.cluster)


def _checked(one: Metric, layout: Layout, classes: Array, rows: SeenRows) -> Any:
    """The rows as the function of a metric takes them."""
    if one.sums == "tables":
        used, (true, pred) = kernels.encode(rows.true, rows.other)
        kind = "multiclass" if len(used) > 2 else "binary"
        return Labels(kind, classes[used], true, pred, rows.weight)
    score = rows.other
    if layout.n_columns == 2 and score.shape[1] == 1:  # a ranking has that of the positive class
        score = np.column_stack([1 - score[:, 0], score[:, 0]])
    given = GroupRows(rows.true, score, rows.weight, rows.eps)
    if one.spec.response != "probabilities" or one.spec.check == Scores.check:
        return as_scores(given, layout, every=one.spec.least_classes > 2)
    return as_probabilities(given, layout)


# --------------------------------------------------------------------------- from sums


@dataclass(frozen=True, eq=False)
class OfSums:
    """Evidence from sums.

    Parameters
    ----------
    layout : Layout
    sums : Sums
        Of the groups that all others are made of.
    readings : mapping of group to list of RangeReading
    groups : sequence
    """

    layout: Layout
    sums: Sums
    readings: Mapping[Any, Sequence[RangeReading]]
    groups: Sequence[Any]
    is_needed: bool = False

    @cached_property
    def numbers(self) -> dict[Any, int]:
        """The number of each group."""
        return {group: i for i, group in enumerate(self.groups)}

    @cached_property
    def firsts(self) -> Array:
        """The number of the first unit of the scores of each group."""
        tables = [self.readings[group][0].table for group in self.groups if group in self.readings]
        sizes = iter([0 if table is None else table.mass.size for table in tables])
        each = [next(sizes) if group in self.readings else 0 for group in self.groups]
        return np.cumsum([0, *each])

    @cached_property
    def classes(self) -> Array:
        """The classes of labels that occur in any group."""
        return self.sums.margin({None: list(self.numbers)}).tables[None].classes

    def member(self, one: Metric, groups: Sequence[Any]) -> Member | str:
        if any(self.sums.tables[group].table.dtype.kind == "f" for group in groups):
            return intervals.WEIGHTED
        if one.sums == "tables":
            units = SeenRows.joined([self._cells(group) for group in groups])
            return member_of(one, self.layout, self.classes, units, "frequency")
        if one.sums == "moments":
            return self._of_moments(one, groups)
        if one.sums != "ranks":
            return intervals.RESAMPLED
        if not self.layout.is_binary:
            return _SEVERAL
        held = [group for group in groups if group in self.readings]
        if not held:
            return "no row has weight"
        if any(self.readings[group][0].table is None for group in held):
            return _NOT_HELD
        units = SeenRows.joined([self._scores(group) for group in held])
        return member_of(one, self.layout, self.layout.classes, units, "frequency")

    def _cells(self, group: Any) -> SeenRows:
        tally = self.sums.tables[group]
        labels = as_labels(tally)
        codes = find_labels(tally.classes, self.classes)
        true, pred, n = codes[labels.true], codes[labels.pred], len(self.classes)
        place = (self.numbers[group] * n + true) * n + pred
        return SeenRows(place, true, pred, labels.weight)

    def _scores(self, group: Any) -> SeenRows:
        table = self.readings[group][0].table
        assert table is not None
        code, place = np.nonzero(table.mass)
        first = self.firsts[self.numbers[group]]
        cell = first + code * len(table.thresholds) + place
        score = table.thresholds[place].astype(np.float64)
        return SeenRows(cell, code.astype(np.int64), score[:, None], table.mass[code, place])

    def _of_moments(self, one: Metric, groups: Sequence[Any]) -> Member | str:
        groups = [group for group in groups if (group, one.name) in self.sums.moments]
        if not groups:
            return "no row has weight"
        parts = [self.sums.moments[group, one.name] for group in groups]
        whole = MomentTally.combine(parts)
        *_, reason = intervals.of_moments(one, whole, 0.95, False)
        if reason:
            return reason

        def interval(level: float) -> intervals.Bounded:
            return intervals.of_moments(one, whole, level, False)

        def sure(level: float) -> intervals.Bounded:
            rows = float(whole.n_rows)
            low, high = proportion_bounds(np.asarray(value * rows), rows, EXACT, level)
            return float(low), float(high), EXACT, ""

        n_rows = np.array([float(part.n_rows) for part in parts])
        means = np.array([float(part.mean[..., 0]) for part in parts])
        away = np.sqrt(np.array([float(part.comoment[..., 0, 0]) for part in parts]) / n_rows)
        value = float(whole.mean[..., 0])
        rows = np.array([self.numbers[group] for group in groups])
        apart = np.concatenate([means + away, means - away]) - value
        return Member(
            value,
            interval,
            np.concatenate([2 * rows, 2 * rows + 1]),
            apart / n_rows.sum(),
            np.tile(n_rows / 2, 2),
            sure=sure if one.spec.interval == "wilson" else None,
        )


# --------------------------------------------------------------------------- from rows


@dataclass(frozen=True, eq=False)
class OfRows:
    """Evidence from rows that are held, which may have weights and belong to clusters.

    Parameters
    ----------
    layout : Layout
    classes : ndarray of shape (K,)
        Of the codes of labels.
    columns : mapping of str to (ndarray, ndarray)
        True codes, and predicted codes ("tables") or scores ("scores").
    groups : sequence
    group : ndarray of int64 of shape (n,)
        The number of the group of each row.
    weight, cluster : ndarray of shape (n,) or None
    eps : float
    cells : OfSums or None
        Of the same rows, where all that metrics of labels know of a row is its cell.
    n_resamples : int or None
        Draws of intervals that need resampling; None for no such intervals.
    """

    layout: Layout
    classes: Array
    columns: Mapping[str, tuple[Array, Array]]
    groups: Sequence[Any]
    group: Array
    weight: Array | None
    cluster: Array | None
    eps: float
    cells: OfSums | None = None
    n_resamples: int | None = None

    def beside(self, cells: OfSums) -> OfRows:
        """The same, with sums of these rows for what they tell as well."""
        return self if self.is_needed else replace(self, cells=cells)

    @cached_property
    def rows(self) -> dict[Any, Array]:
        """The rows of each group that have weight."""
        order = np.argsort(self.group, kind="stable")
        if self.weight is not None:
            order = order[self.weight[order] != 0]
        ends = np.searchsorted(self.group[order], np.arange(len(self.groups) + 1))
        return {
            name: order[start:stop]
            for name, start, stop in zip(self.groups, ends[:-1], ends[1:], strict=True)
        }

    @property
    def is_needed(self) -> bool:
        return self.weight is not None or self.cluster is not None

    def member(self, one: Metric, groups: Sequence[Any]) -> Member | str:
        if self.cells is not None and one.sums == "tables":
            return self.cells.member(one, groups)
        seen = self._seen(one, groups)
        if not len(seen.true):
            return "no row has weight"
        return member_of(one, self.layout, self._classes(one), seen, "importance")

    def interval(self, one: Metric, groups: Sequence[Any], level: float) -> intervals.Bounded:
        """The interval of `confidence_interval` for the rows of some groups."""
        seen = self._seen(one, groups)
        metric = self.layout.settled(one) if one.sums == "tables" else one
        try:
            estimate = interval_of_checked(
                metric,
                _checked(one, self.layout, self._classes(one), seen),
                groups=seen.cluster,
                confidence_level=level,
                n_resamples=self.n_resamples,
                random_state=0,
            )
        except (ValueError, TypeError, NotImplementedError) as error:
            return intervals.refused(" ".join(str(error).split()))
        if isinstance(estimate, list):
            return intervals.refused("intervals are of single numbers")
        return estimate.low, estimate.high, estimate.method, estimate.note

    def _seen(self, one: Metric, groups: Sequence[Any]) -> SeenRows:
        parts = [self.rows[group] for group in groups if group in self.rows]
        rows = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
        true, other = self.columns["tables" if one.sums == "tables" else "scores"]
        weight, cluster = (
            None if column is None else column[rows] for column in (self.weight, self.cluster)
        )
        return SeenRows(rows, true[rows], other[rows], weight, cluster, self.eps)

    def _classes(self, one: Metric) -> Array:
        return self.classes if one.sums == "tables" else self.layout.classes
