"""Units: rows that are alike to a metric, counted and not copied, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.groups import INDEPENDENT, Design

WeightsAre = Literal["importance", "frequency"]
WEIGHT_KINDS = ("importance", "frequency")
# A multinomial draw costs as much for a unit as this many rows drawn one by one.
_ROWS_PER_UNIT = 12
_FEW_ROWS = 2000  # that are drawn for many draws by one call


class RowFacts(NamedTuple):
    """What is known of rows beside what a metric reads: weights, and how they were sampled.

    ``sizes`` says how often each row was seen; such rows have no weight.
    """

    weight: Array | None = None
    group: Array | None = None
    sizes: Array | None = None
    stratum: Array | None = None

    @classmethod
    def of(
        cls, weight: Array | None, design: Design = INDEPENDENT, weights_are: str = "importance"
    ) -> RowFacts:
        """Of weights that are none of them 0, by what they say."""
        if weights_are not in WEIGHT_KINDS:
            check_option("weights_are", weights_are, WEIGHT_KINDS)
        if weight is None or weights_are != "frequency":
            return cls(weight, design.group, None, design.stratum)
        sizes = weight.astype(np.int64)
        if not np.array_equal(sizes, weight):
            raise InvalidParameterError(
                "weights_are='frequency' says how often each row was seen, so sample_weight (or a "
                f"table that counts rows) must hold integers, got {weight[sizes != weight][0]}."
            )
        return cls(None, design.group, sizes, design.stratum)

    @property
    def design(self) -> Design:
        """How the rows were sampled."""
        return Design(self.group, self.stratum)

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
    group, label, stratum : ndarray of int64 of shape (U,) or None
        The group of rows that are drawn together, the class, and the stratum within which is drawn.
    """

    of_row: Array
    rows: Array
    first: Array
    weight: Array | None = None
    group: Array | None = None
    label: Array | None = None
    stratum: Array | None = None

    @classmethod
    def alike(cls, facts: RowFacts, label: Array | None, *kinds: Array) -> Units:
        """Units of rows that agree in all of these codes, and in what is known of them."""
        about = facts.group, facts.stratum, label
        columns = [column for column in (*kinds, *about) if column is not None]
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
        weight, group, sizes, stratum = facts
        counts = np.bincount(of_row, weights=sizes, minlength=len(first)).astype(np.int64)
        own = None if weight is None else weight[first].astype(np.float64)
        groups = None if group is None else group[first]
        labels = None if label is None else label[first]
        strata = None if stratum is None else stratum[first]
        return cls(of_row, counts, first, own, groups, labels, strata)

    def __len__(self) -> int:
        return len(self.rows)

    def ordered(self, order: Array) -> Units:
        """The same units in another order."""
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        known = (
            None if about is None else about[order]
            for about in (self.weight, self.group, self.label, self.stratum)
        )
        return Units(place[self.of_row], self.rows[order], self.first[order], *known)

    @property
    def n_groups(self) -> int:
        """Number of groups, 0 where there are none."""
        return 0 if self.group is None else int(self.group.max()) + 1

    @property
    def n_strata(self) -> int:
        """Number of strata; one where none are given."""
        return 1 if self.stratum is None else int(self.stratum.max()) + 1

    @property
    def is_plain(self) -> bool:
        """Whether rows are independent, and drawn from one source."""
        return self.group is None and self.stratum is None

    def of_design(self) -> dict[str, Any]:
        """Numbers of groups and strata, where there are some."""
        n_strata = None if self.stratum is None else self.n_strata
        return {"n_groups": None if self.group is None else self.n_groups, "n_strata": n_strata}

    def drawn(self) -> tuple[Array, Array]:
        """Rows or groups of each stratum (H,), and the stratum of each unit (U,) or group (G,)."""
        if self.group is None:
            stratum = np.zeros(len(self), np.int64) if self.stratum is None else self.stratum
            return np.bincount(stratum, weights=self.rows), stratum
        stratum = np.zeros(self.n_groups, dtype=np.int64)
        if self.stratum is not None:
            stratum[self.group] = self.stratum
        return np.bincount(stratum).astype(np.float64), stratum

    def lost(self, label: Array, n_classes: int) -> Array:
        """Degrees of freedom that the mean of a stratum, or of the class, takes from each class.

        Its share of the rows of each stratum, or groups that hold it, and one at least.
        """
        if self.stratum is None:
            return np.ones(n_classes)
        rows, stratum = self.drawn()
        if self.group is None:
            held, weights = stratum * n_classes + label, self.rows
        else:
            cells = np.unique(self.group * n_classes + label)
            held, weights = stratum[cells // n_classes] * n_classes + cells % n_classes, None
        seen = np.bincount(held, weights=weights, minlength=len(rows) * n_classes)
        shares = seen.reshape(len(rows), n_classes) / rows[:, None]
        return np.maximum(shares.sum(axis=0), 1.0)

    def by_class(self) -> Array:
        """Rows of each class, or of groups those that hold some of them."""
        label = np.zeros(len(self), dtype=np.int64) if self.label is None else self.label
        if self.group is None:
            return np.bincount(label, weights=self.rows)
        n_classes = int(label.max()) + 1
        held = np.unique(self.group * n_classes + label)
        return np.bincount(held % n_classes, minlength=n_classes)

    def groups_worth(self, counted: Array) -> Array:
        """Groups of the rows that are counted (..., U), as many as equal ones are worth (Kish).

        Few groups of unlike sizes are worth fewer than they are.
        """
        assert self.group is not None
        sizes = cell_sums(np.where(counted, self.rows, 0), self.group, self.n_groups)
        return divide(sizes.sum(axis=-1) ** 2, (sizes**2).sum(axis=-1))

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


def cell_sums(values: Array, cells: Array, n_cells: int) -> Array:
    """Sums of values (..., U) by cells, (..., n_cells)."""
    if values.ndim == 1:
        return np.bincount(cells, weights=values, minlength=n_cells)
    flat = values.reshape(-1, values.shape[-1])
    sums = [np.bincount(cells, weights=row, minlength=n_cells) for row in flat]
    return np.stack(sums).reshape(*values.shape[:-1], n_cells)


# --------------------------------------------------------------------------- draws


def draw_counts(rng: np.random.Generator, units: Units, n_draws: int, stratified: bool) -> Array:
    """How often each unit is drawn, (n_draws, U)."""
    if units.group is not None:
        ones = np.ones(units.n_groups, dtype=np.int64)
        within = None if units.stratum is None else units.drawn()[1]
        return _draw_within(rng, ones, within, n_draws)[:, units.group] * units.rows
    within = units.stratum
    if stratified:
        assert units.label is not None
        n_classes = int(units.label.max()) + 1
        within = units.label if within is None else within * n_classes + units.label
    return _draw_within(rng, units.rows, within, n_draws)


def _draw_within(
    rng: np.random.Generator, rows: Array, within: Array | None, n_draws: int
) -> Array:
    """As many rows of each of these parts as there are, with replacement; counted by unit."""
    if within is None:
        return _draw(rng, rows, n_draws)
    counts = np.empty((n_draws, len(rows)), dtype=np.int64)
    for part in np.unique(within):
        own = np.flatnonzero(within == part)
        counts[:, own] = _draw(rng, rows[own], n_draws)
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
