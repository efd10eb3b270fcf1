"""Units: rows that are alike to a metric, counted and not copied, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import InvalidParameterError, check_option

WEIGHT_KINDS = ("importance", "frequency")
# A multinomial draw costs as much for a unit as this many rows drawn one by one.
_ROWS_PER_UNIT = 12
_FEW_ROWS = 2000  # that are drawn for many draws by one call


class RowFacts(NamedTuple):
    """What is known of rows beside what a metric reads: weight, group, how often each was seen.

    Rows that were seen some number of times have no weight.
    """

    weight: Array | None = None
    group: Array | None = None
    sizes: Array | None = None

    @classmethod
    def of(cls, weight: Array | None, group: Array | None, weights_are: str) -> RowFacts:
        """Of weights that are none of them 0, by what they say."""
        if weights_are not in WEIGHT_KINDS:
            check_option("weights_are", weights_are, WEIGHT_KINDS)
        if weight is None or weights_are != "frequency":
            return cls(weight, group)
        sizes = weight.astype(np.int64)
        if not np.array_equal(sizes, weight):
            raise InvalidParameterError(
                "weights_are='frequency' says how often each row was seen, so sample_weight (or a "
                f"table that counts rows) must hold integers, got {weight[sizes != weight][0]}."
            )
        return cls(None, group, sizes)

    def twice(self) -> RowFacts:
        """Of the same rows, once more below them."""
        return RowFacts(*(None if one is None else np.concatenate([one, one]) for one in self))


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
    group, label : ndarray of int64 of shape (U,) or None
        The group of rows that are drawn together, and the class within which is drawn.
    """

    of_row: Array
    rows: Array
    first: Array
    weight: Array | None = None
    group: Array | None = None
    label: Array | None = None

    @classmethod
    def alike(cls, facts: RowFacts, label: Array | None, *kinds: Array) -> Units:
        """Units of rows that agree in all of these codes, and in what is known of them."""
        columns = [column for column in (*kinds, facts.group, label) if column is not None]
        if facts.weight is not None:
            columns.append(np.unique(facts.weight, return_inverse=True)[1])
        key = columns[0].astype(np.int64)
        for column in columns[1:]:
            span = int(column.max()) + 1
            if (int(key.max()) + 1) * span >= 2**62:
                key = np.unique(key, return_inverse=True)[1]
            key = key * span + column
        return cls._of(*_distinct(key), facts, label)

    @classmethod
    def of_rows(cls, n_rows: int, facts: RowFacts, label: Array | None) -> Units:
        """Every row for itself."""
        rows = np.arange(n_rows)
        return cls._of(rows, rows, facts, label)

    @classmethod
    def _of(cls, of_row: Array, first: Array, facts: RowFacts, label: Array | None) -> Units:
        weight, group, sizes = facts
        counts = np.bincount(of_row, weights=sizes, minlength=len(first)).astype(np.int64)
        own = None if weight is None else weight[first].astype(np.float64)
        groups = None if group is None else group[first]
        return cls(of_row, counts, first, own, groups, None if label is None else label[first])

    def __len__(self) -> int:
        return len(self.rows)

    def ordered(self, order: Array) -> Units:
        """The same units in another order."""
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        weight, group, label = (
            None if about is None else about[order]
            for about in (self.weight, self.group, self.label)
        )
        rows, first = self.rows[order], self.first[order]
        return Units(place[self.of_row], rows, first, weight, group, label)

    @property
    def n_groups(self) -> int:
        """Number of groups, 0 where there are none."""
        return 0 if self.group is None else int(self.group.max()) + 1

    def by_class(self) -> Array:
        """Rows of each class, or of groups those that hold some of them."""
        label = np.zeros(len(self), dtype=np.int64) if self.label is None else self.label
        if self.group is None:
            return np.bincount(label, weights=self.rows)
        n_classes = int(label.max()) + 1
        held = np.unique(self.group * n_classes + label)
        return np.bincount(held % n_classes, minlength=n_classes)

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


# --------------------------------------------------------------------------- draws


def draw_counts(rng: np.random.Generator, units: Units, n_draws: int, stratified: bool) -> Array:
    """How often each unit is drawn, (n_draws, U)."""
    if units.group is not None:
        return (
            _draw(rng, np.ones(units.n_groups, dtype=np.int64), n_draws)[:, units.group]
            * units.rows
        )
    if not stratified:
        return _draw(rng, units.rows, n_draws)
    counts = np.empty((n_draws, len(units)), dtype=np.int64)
    assert units.label is not None
    for label in np.unique(units.label):
        own = np.flatnonzero(units.label == label)
        counts[:, own] = _draw(rng, units.rows[own], n_draws)
    return counts


def _draw(rng: np.random.Generator, rows: Array, n_draws: int) -> Array:
    """As many rows as there are, with replacement; counted by unit."""
    n_rows, n_units = int(rows.sum()), len(rows)
    if n_units * _ROWS_PER_UNIT < n_rows:
        return rng.multinomial(n_rows, rows / n_rows, size=n_draws)
    single = n_units == n_rows
    unit_of = None if single else np.repeat(np.arange(n_units), rows)
    if n_rows < _FEW_ROWS:  # all draws at once
        drawn = rng.integers(0, n_rows, size=(n_draws, n_rows))
        drawn = drawn if unit_of is None else unit_of[drawn]
        drawn += n_units * np.arange(n_draws)[:, None]
        flat = np.bincount(drawn.reshape(-1), minlength=n_draws * n_units)
        return flat.reshape(n_draws, n_units)
    counts = np.empty((n_draws, n_units), dtype=np.int64)
    for i in range(n_draws):
        drawn = rng.integers(0, n_rows, size=n_rows)
        counts[i] = np.bincount(drawn if unit_of is None else unit_of[drawn], minlength=n_units)
    return counts
