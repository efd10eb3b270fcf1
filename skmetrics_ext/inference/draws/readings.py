"""A metric as a function of how often each row was drawn: what resampling and jackknife need.

Rows that are alike to a metric (the same cell of the confusion table, the same class and score)
are one *unit*; a metric is then a function of the number of rows of each unit, for many draws
at once.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import MomentTally, RankTally
from skmetrics_ext.validation.containers import take_rows


@dataclass(frozen=True, eq=False, slots=True)
class Units:
    """Rows that are alike, and what is known of them.

    Parameters
    ----------
    of_row : ndarray of int64 of shape (n,)
        The unit of each row.
    rows : ndarray of int64 of shape (U,)
        Number of rows of each unit.
    first : ndarray of int64 of shape (U,)
        A row of each unit.
    weight : ndarray of float64 of shape (U,) or None
        Weight of a row of each unit.
    group, stratum : ndarray of int64 of shape (U,) or None
        The group of rows that are drawn together, and the class within which is drawn.
    """

    of_row: Array
    rows: Array
    first: Array
    weight: Array | None = None
    group: Array | None = None
    stratum: Array | None = None

    @classmethod
    def make(
        cls,
        *kinds: Array,
        weight: Array | None = None,
        group: Array | None = None,
        stratum: Array | None = None,
        sizes: Array | None = None,
    ) -> Units:
        """Units of rows that agree in all of these codes; ``sizes`` says how often each occurs."""
        columns = [column for column in (*kinds, group, stratum) if column is not None]
        if weight is not None:
            columns.append(np.unique(weight, return_inverse=True)[1])
        key = columns[0].astype(np.int64)
        for column in columns[1:]:
            span = int(column.max()) + 1
            if (int(key.max()) + 1) * span >= 2**62:
                key = np.unique(key, return_inverse=True)[1]
            key = key * span + column
        return cls._of(*_distinct(key), weight, group, stratum, sizes)

    @classmethod
    def of_rows(
        cls,
        n_rows: int,
        weight: Array | None = None,
        group: Array | None = None,
        stratum: Array | None = None,
        sizes: Array | None = None,
    ) -> Units:
        """Every row for itself."""
        rows = np.arange(n_rows)
        return cls._of(rows, rows, weight, group, stratum, sizes)

    @classmethod
    def _of(
        cls,
        of_row: Array,
        first: Array,
        weight: Array | None,
        group: Array | None,
        stratum: Array | None,
        sizes: Array | None,
    ) -> Units:
        counts = np.bincount(of_row, weights=sizes, minlength=len(first)).astype(np.int64)
        own = None if weight is None else weight[first].astype(np.float64)
        groups = None if group is None else group[first]
        return cls(of_row, counts, first, own, groups, None if stratum is None else stratum[first])

    def __len__(self) -> int:
        return len(self.rows)

    def ordered(self, order: Array) -> Units:
        """The same units in another order."""
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        weight, group, stratum = (
            None if about is None else about[order]
            for about in (self.weight, self.group, self.stratum)
        )
        rows, first = self.rows[order], self.first[order]
        return Units(place[self.of_row], rows, first, weight, group, stratum)

    def mass(self, counts: Array) -> Array:
        """Weight of each unit where it is drawn so often, (..., U)."""
        return counts if self.weight is None else counts * self.weight


def _distinct(key: Array) -> tuple[Array, Array]:
    """The number of the value of each element among the distinct ones, and a place of each."""
    span = int(key.max()) + 1
    if span > max(len(key), 1 << 10):
        _, first, of_row = np.unique(key, return_index=True, return_inverse=True)
        return of_row.reshape(-1), first
    place = np.full(span, -1, dtype=np.int64)
    place[key[::-1]] = np.arange(len(key) - 1, -1, -1)
    found = np.flatnonzero(place >= 0)
    first = place[found]
    place[found] = np.arange(len(found))
    return place[key], first


class Scatter:
    """Sums of columns (..., U) into places (..., size): a place may take several, or none."""

    def __init__(self, index: Array, size: int) -> None:
        self.size = size
        self._order: Array | None = np.argsort(index, kind="stable")
        rising = index[self._order]
        starts = np.flatnonzero(np.diff(rising, prepend=-1))
        self._starts: Array | None = starts if len(starts) < len(rising) else None
        self._places = rising[starts]
        if np.array_equal(self._order, np.arange(len(index))):
            self._order = None
        self._full = len(self._places) == size

    def __call__(self, columns: Array) -> Array:
        if self._order is not None:
            columns = np.take(columns, self._order, axis=-1)
        if self._starts is not None:
            columns = np.add.reduceat(columns, self._starts, axis=-1)
        if self._full:
            return columns
        out = np.zeros((*columns.shape[:-1], self.size), dtype=columns.dtype)
        out[..., self._places] = columns
        return out


@dataclass(frozen=True, eq=False, slots=True)
class Reading:
    """A metric of some rows: its value, and what it would be for other numbers of each unit."""

    value: Any
    units: Units

    @abstractmethod
    def statistic(self, counts: Array) -> Array:
        """Values (B, ...) where unit u is drawn counts[b, u] times; nan where undefined."""

    @property
    def is_slow(self) -> bool:
        """Whether every draw is a call of a function in Python."""
        return False

    def of_rows(self, counts: Array) -> Array:
        """Values (B, ...) where row i is drawn counts[b, i] times."""
        return self.statistic(Scatter(self.units.of_row, len(self.units))(counts))


@dataclass(frozen=True, eq=False, slots=True)
class TableReading(Reading):
    """A metric of labels as a function of confusion tables (..., K, K)."""

    classes: Array
    cell: Array  # of each unit
    cells: Scatter
    on_tables: Callable[[Array], Array]

    def tables(self, counts: Array) -> Array:
        """Confusion tables (..., K, K) of draws (..., U)."""
        n_classes = len(self.classes)
        sums = self.cells(self.units.mass(counts))
        return sums.reshape(*counts.shape[:-1], n_classes, n_classes)

    def statistic(self, counts: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.on_tables(self.tables(counts))


@dataclass(frozen=True, eq=False, slots=True)
class View:
    """Scores of one class, sorted: where each unit stands among the distinct ones."""

    thresholds: Array
    index: Array  # of each unit, into both classes by the distinct scores
    scatter: Scatter

    @classmethod
    def make(cls, score: Array, marks: Array, first: Array) -> View:
        rising, place = np.unique(score[first], return_inverse=True)
        falling = len(rising) - 1 - place.reshape(-1)
        index = marks[first].astype(np.int64) * len(rising) + falling
        # + 0 turns -0.0 into 0.0: they are one score.
        return cls(rising[::-1] + 0, index, Scatter(index, 2 * len(rising)))

    def tally(self, mass: Array) -> RankTally:
        both = self.scatter(mass)
        return RankTally(self.thresholds, both.reshape(*mass.shape[:-1], 2, len(self.thresholds)))


@dataclass(frozen=True, eq=False, slots=True)
class RankReading(Reading):
    """A metric of rankings: of one, or of one for each class, averaged."""

    views: tuple[View, ...]
    kernel: Callable[[RankTally], Array]
    average: str | None

    def tally(self, counts: Array) -> RankTally:
        """Tally of the only view."""
        return self.views[0].tally(self.units.mass(counts))

    def statistic(self, counts: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            if len(self.views) == 1:
                return np.asarray(self.kernel(self.tally(counts)))
            tallies = [view.tally(self.units.mass(counts)) for view in self.views]
            values = np.stack([self.kernel(tally) for tally in tallies], axis=-1)
        if self.average is None:
            return values
        if self.average == "macro":
            return values.mean(axis=-1)
        support = np.stack([tally.positive.sum(axis=-1) for tally in tallies], axis=-1)
        weighed = np.where(support == 0, 0.0, values) * support
        return divide(weighed.sum(axis=-1), support.sum(axis=-1))


@dataclass(frozen=True, eq=False, slots=True)
class MomentReading(Reading):
    """A metric of means of what is measured on each row."""

    rows: Array  # (U, d)
    kernel: Callable[[MomentTally], Array]

    def statistic(self, counts: Array) -> Array:
        mass = self.units.mass(counts)
        total = mass.sum(axis=-1)
        sums = np.einsum("...u,ud->...d", mass, self.rows)
        means = divide(sums, total[..., None])
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.kernel(MomentTally(total, means, means, total)))


@dataclass(frozen=True, eq=False, slots=True)
class CheckedReading(Reading):
    """A metric of this package that reads checked data under other weights, draw by draw."""

    checked: Any
    function: Callable[..., Any]

    @property
    def is_slow(self) -> bool:
        return True

    def statistic(self, counts: Array) -> Array:
        mass = self.units.mass(counts)
        return _each(self._at, mass, self.value)

    def _at(self, weight: Array) -> Any:
        given = replace(self.checked, weight=weight, cache={})
        return self.function(given, given)


@dataclass(frozen=True, eq=False, slots=True)
class RowReading(Reading):
    """Any function of rows, which are drawn one by one."""

    y_true: Any
    y_pred: Any
    weight: Any
    function: Callable[..., Any]

    @property
    def is_slow(self) -> bool:
        return True

    def statistic(self, counts: Array) -> Array:
        return _each(self._at, counts, self.value)

    def _at(self, counts: Array) -> Any:
        rows = np.repeat(np.arange(len(counts)), counts)
        true, pred = take_rows(self.y_true, rows), take_rows(self.y_pred, rows)
        if self.weight is None:
            return self.function(true, pred)
        return self.function(true, pred, sample_weight=self.weight[rows])


def _each(function: Callable[[Array], Any], draws: Array, like: Any) -> Array:
    """A value for each draw; nan where the function refuses it, as for want of a class."""
    shape = np.shape(like)
    values = np.full((len(draws), *shape), np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, draw in enumerate(draws):
            try:
                found = np.asarray(function(draw), dtype=np.float64)
            except (ValueError, ZeroDivisionError):
                continue
            if found.shape == shape:
                values[i] = found
    return values
