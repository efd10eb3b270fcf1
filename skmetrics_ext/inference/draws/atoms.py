"""Atoms: rows that a metric cannot distinguish, counted instead of copied, and draws of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.groups import INDEPENDENT, Design

WeightsAre = Literal["importance", "frequency"]
WEIGHT_KINDS = ("importance", "frequency")
# A multinomial draw costs as much per atom as this many rows drawn one by one.
_ROWS_PER_ATOM = 12
_FEW_CELLS = 8


@dataclass(frozen=True, eq=False)
class RowDesign:
    """Weights of rows, and how the rows were sampled.

    Parameters
    ----------
    weight : ndarray of shape (n,) or None
        Importance of each row, never 0.
    group : ndarray of int64 of shape (n,) or None
        Rows of one group depend on each other.
    sizes : ndarray of int64 of shape (n,) or None
        How often each row was seen; such rows have no ``weight``.
    stratum : ndarray of int64 of shape (n,) or None
        The part of the source from which a fixed number of rows, or groups, was drawn.
    number : ndarray of int64 of shape (n,) or None
        Identity of each row in the larger sample that it was selected from.
    cluster : ndarray of int64 of shape (n,) or None
        ``group`` by its numbers in the larger sample.
    """

    weight: Array | None = None
    group: Array | None = None
    sizes: Array | None = None
    stratum: Array | None = None
    number: Array | None = None
    cluster: Array | None = None

    @classmethod
    def of(
        cls, weight: Array | None, design: Design = INDEPENDENT, weights_are: str = "importance"
    ) -> RowDesign:
        """The design of rows with non-zero weights, which ``weights_are`` interprets."""
        check_option("weights_are", weights_are, WEIGHT_KINDS)
        if weight is None and design is INDEPENDENT:
            return PLAIN
        if weight is None or weights_are != "frequency":
            return cls(weight, design.group, None, design.stratum)
        sizes = weight.astype(np.int64)
        if not np.array_equal(sizes, weight):
            raise InvalidParameterError(
                "weights_are='frequency' says how often each row was seen, so sample_weight (or a "
                f"table that counts rows) must hold integers, got {weight[sizes != weight][0]}."
            )
        return cls(None, design.group, sizes, design.stratum)

    @cached_property
    def is_plain(self) -> bool:
        """Whether rows are independent and drawn from one source."""
        return self.group is None and self.stratum is None

    @cached_property
    def is_counted(self) -> bool:
        """Whether rows are independent and weigh the same, so that counts are sufficient."""
        return self.weight is None and self.is_plain

    @property
    def design(self) -> Design:
        """Groups and strata of the rows."""
        return Design(self.group, self.stratum)

    def select(self, rows: Array) -> RowDesign:
        """The design of some of the rows, which keep their numbers and those of their groups."""
        group, stratum = self.design.kept(rows)
        cluster = self.group if self.cluster is None else self.cluster
        weight, sizes, cluster = (
            None if column is None else column[rows]
            for column in (self.weight, self.sizes, cluster)
        )
        number = rows if self.number is None else self.number[rows]
        return RowDesign(weight, group, sizes, stratum, number, cluster)

    def twice(self) -> RowDesign:
        """The design of the rows followed by the same rows again."""
        columns = (getattr(self, part.name) for part in fields(self))
        return RowDesign(*(None if column is None else np.tile(column, 2) for column in columns))


PLAIN = RowDesign()


class Units(NamedTuple):
    """Rows of one class in one group, which may be none; the units of a class follow each other.

    Parameters
    ----------
    code : ndarray of int64 of shape (U,)
        The unit of each atom.
    group, rows : ndarray of int64 of shape (M,)
        The group and the number of rows of each unit.
    ends : ndarray of int64 of shape (K,)
        Where the units of each class end.
    """

    code: Array
    group: Array
    rows: Array
    ends: Array

    @property
    def label(self) -> Array:
        """The class of each unit, (M,)."""
        return np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=0))

    def by_class(self, values: Array) -> Array:
        """Sums of values (..., M) of units, (..., K)."""
        of_class = np.split(values, self.ends[:-1], axis=-1)
        return np.stack([part.sum(axis=-1) for part in of_class], axis=-1)


@dataclass(frozen=True, eq=False)
class Atoms:
    """Rows that a metric cannot distinguish, counted.

    Parameters
    ----------
    rows : ndarray of shape (U,)
        Number of rows of each atom.
    weight : ndarray of float64 of shape (U,) or None
        Weight of a row of each atom.
    group, label, stratum : ndarray of int64 of shape (U,) or None
        The group (rows drawn together), the class and the stratum of each atom.
    codes : ndarray of int64 of shape (n,), callable or None
        The atom of each row, or a function that finds it when it is needed; None if every row is
        an atom, and for merged sums.
    design : RowDesign
        Weights, groups and strata of the rows.
    number : ndarray of int64 of shape (U,) or None
        Identity of each atom of merged sums without rows.
    """

    rows: Array
    weight: Array | None = None
    group: Array | None = None
    label: Array | None = None
    stratum: Array | None = None
    codes: Array | Callable[[], Array] | None = None
    design: RowDesign = PLAIN
    number: Array | None = None

    @classmethod
    def alike(cls, design: RowDesign, label: Array | None, kind: Array) -> tuple[Atoms, Array]:
        """Atoms of rows with the same kind, label, weight, group and stratum; a row of each."""
        columns = [kind]
        if not _are_distinct(kind):
            codes = design.group, design.stratum, label
            columns += [column for column in codes if column is not None]
            if design.weight is not None:
                columns.append(np.unique(design.weight, return_inverse=True)[1])
        _, (of_row,) = kernels.encode(joined_codes(columns))
        first = np.empty(int(of_row.max()) + 1, dtype=np.int64)
        first[of_row[::-1]] = np.arange(len(of_row))[::-1]
        rows = np.bincount(of_row, weights=design.sizes, minlength=len(first)).astype(np.int64)
        weight, group, label, stratum = (
            None if column is None else column[first]
            for column in (design.weight, design.group, label, design.stratum)
        )
        weight = None if weight is None else weight.astype(np.float64)
        return cls(rows, weight, group, label, stratum, of_row, design), first

    @classmethod
    def of_cells(
        cls,
        design: RowDesign,
        table: Callable[[], Array],
        class_of: Callable[[Array], Array],
        cell_of_row: Callable[[], Array],
    ) -> tuple[Atoms, Array]:
        """Atoms of the rows in each cell of a table, and the cell of each atom.

        Rows that weigh the same and are independent are counted by the table; otherwise the cell
        of each row is needed. ``class_of`` gives the classes of cells.
        """
        if not design.is_counted or design.sizes is not None:
            cell = cell_of_row()
            if design.stratum is None and design.weight is None and design.sizes is None:
                units = cls.each_row(len(cell), design, cell).units(cell)
                places = np.flatnonzero(units.rows != 0)
                cells, group, rows = (x[places] for x in (units.label, units.group, units.rows))
                codes = partial(_filled_codes, places, len(units.rows), lambda: units.code)
                return cls(rows, None, group, class_of(cells), None, codes, design), cells
            atoms, first = cls.alike(design, None, cell)
            return replace(atoms, label=class_of(cell[first])), cell[first]
        rows = table().reshape(-1)
        cells = np.flatnonzero(rows != 0)  # five times as fast as of integers
        codes = partial(_filled_codes, cells, len(rows), cell_of_row)
        counts = rows[cells].astype(np.int64, copy=False)
        return cls(counts, label=class_of(cells), codes=codes, design=design), cells

    @classmethod
    def each_row(cls, n_rows: int, design: RowDesign, label: Array | None) -> Atoms:
        """An atom for each row."""
        ones = np.broadcast_to(np.int64(1), n_rows)  # takes no memory
        rows = ones if design.sizes is None else design.sizes
        weight = None if design.weight is None else design.weight.astype(np.float64, copy=False)
        return cls(rows, weight, design.group, label, design.stratum, None, design)

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def of_row(self) -> Array:
        """The atom of each row, (n,)."""
        if self.codes is None:
            return np.arange(len(self.rows))
        return self.codes() if callable(self.codes) else self.codes

    def to_rows(self, values: Array) -> Array:
        """Values (..., U) of atoms as values (..., n) of rows."""
        return values if self.codes is None else np.take(values, self.of_row, axis=-1)

    @cached_property
    def are_rows(self) -> bool:
        """Whether every row is an atom that was seen once."""
        return self.rows.strides == (0,)

    def times(self, values: Array) -> Array:
        """Values (..., U) of one row of each atom, multiplied by its number of rows."""
        return values if self.are_rows else values * self.rows

    @cached_property
    def n_groups(self) -> int:
        """Number of groups, 0 if rows are independent."""
        return 0 if self.group is None else int(self.group.max()) + 1

    @property
    def n_strata(self) -> int:
        """Number of strata, 1 if all rows are from one source."""
        return 1 if self.stratum is None else int(self.stratum.max()) + 1

    @cached_property
    def is_plain(self) -> bool:
        """Whether rows are independent, and drawn from one source."""
        return self.group is None and self.stratum is None

    @cached_property
    def n_rows(self) -> float:
        """Number of rows, each as often as it was seen."""
        return float(self.rows.sum())

    def of_design(self) -> dict[str, Any]:
        """Numbers of groups and strata, None for those that there are not."""
        n_strata = None if self.stratum is None else self.n_strata
        return {"n_groups": None if self.group is None else self.n_groups, "n_strata": n_strata}

    def drawn(self) -> tuple[Array, Array]:
        """Rows or groups of each stratum (H,), and the stratum of each atom (U,) or group (G,)."""
        if self.group is None:
            stratum = np.zeros(len(self), np.int64) if self.stratum is None else self.stratum
            return np.bincount(stratum, weights=self.rows), stratum
        stratum = np.zeros(self.n_groups, dtype=np.int64)
        if self.stratum is not None:
            stratum[self.group] = self.stratum
        return np.bincount(stratum).astype(np.float64), stratum

    def units(self, label: Array | None) -> Units:
        """Rows of each of these classes in each group, kept for all rows and for ``self.label``."""
        if label is None:
            return self._units_of_all
        return self._units_of_label if label is self.label else self._units(label)

    @cached_property
    def _units_of_all(self) -> Units:
        return self._units(None)

    @cached_property
    def _units_of_label(self) -> Units:
        return self._units(self.label)

    def _units(self, label: Array | None) -> Units:
        assert self.group is not None
        code, n_groups, n_classes = self.group, self.n_groups, 1
        if label is not None:
            n_classes, code = int(label.max()) + 1, label * n_groups + code
        ends = n_groups * np.arange(1, n_classes + 1)
        if ends[-1] <= _MOST_PLACES * len(self):  # counted, not sorted
            units = np.arange(ends[-1])
        else:
            units, (code,) = kernels.encode(code)
            ends = np.searchsorted(units, ends)
        rows = np.bincount(code, None if self.are_rows else self.rows, len(units))
        return Units(code, units % n_groups, rows.astype(np.int64, copy=False), ends)

    def _by_stratum_and_class(self, label: Array | None, n_classes: int) -> Array:
        """Number of rows, or of groups with rows, of each class in each stratum, (H, K)."""
        rows, stratum = None if self.are_rows else self.rows, self.stratum
        if self.group is not None:
            units = self.units(label)
            rows, label = units.rows > 0, units.label
            stratum = None if stratum is None else self.drawn()[1][units.group]
        label = np.zeros(len(self), dtype=np.int64) if label is None else label
        cell = label if stratum is None else stratum * n_classes + label
        counts = np.bincount(cell, rows, self.n_strata * n_classes)
        return counts.reshape(self.n_strata, n_classes)

    def lost(self, label: Array | None, n_classes: int) -> Array:
        """Degrees of freedom that the means of strata, or of the class, take from each class.

        The sum of its shares of the rows, or groups, of each stratum, and at least 1.
        """
        n_drawn = self.drawn()[0]
        shares = self._by_stratum_and_class(label, n_classes) / n_drawn[:, None]
        return np.maximum(shares.sum(axis=0), 1.0)

    def by_class(self, n_classes: int = 1) -> Array:
        """Number of rows of each class, or of groups with rows of it, for so many or more."""
        n_classes = n_classes if self.label is None else max(int(self.label.max()) + 1, n_classes)
        return np.asarray(self._by_stratum_and_class(self.label, n_classes).sum(axis=0))

    def effective_groups(self, counted: Any = True) -> Array:
        """Kish's effective number of groups among the rows of ``counted`` atoms, (..., U)."""
        if np.all(counted):
            return self._of_all_groups
        assert self.group is not None
        return _effective_number(cell_sums(self.times(counted), self.group, self.n_groups))

    def effective_groups_of(self, label: int) -> Array:
        """Kish's effective number of groups among the rows of a class."""
        units = self.units(self.label)
        return _effective_number(units.rows[units.label == label])

    @cached_property
    def _of_all_groups(self) -> Array:
        return _effective_number(self.units(None).rows)

    @property
    def effective_rows(self) -> float:
        """Kish's effective sample size, at most the number of groups."""
        rows = self.n_rows
        if self.weight is not None:
            mass = self.mass(self.rows)
            rows = float(mass.sum() ** 2 / (mass * mass / self.rows).sum())
        return rows if self.group is None else min(rows, float(self.n_groups))

    def mass(self, counts: Array) -> Array:
        """Weight of each atom, drawn ``counts`` times, (..., U)."""
        return counts if self.weight is None else counts * self.weight


def _effective_number(sizes: Array) -> Array:
    return divide(sizes.sum(axis=-1) ** 2.0, (sizes * sizes).sum(axis=-1))


def joined_codes(columns: Sequence[Array]) -> Array:
    """One code for each combination of the codes of several columns."""
    key = columns[0].astype(np.int64)
    for column in columns[1:]:
        span = int(column.max()) + 1
        if (int(key.max()) + 1) * span >= 2**62:
            _, (key,) = kernels.encode(key)
        key = key * span + column
    return key


_MOST_PLACES = 4  # of a table for each code, or sorting costs less


def _are_distinct(codes: Array) -> bool:
    """Whether no code occurs twice, where a table of them is cheap."""
    return bool(codes.max() <= _MOST_PLACES * len(codes) and np.bincount(codes).max() == 1)


def _filled_codes(cells: Array, n_cells: int, cell_of_row: Callable[[], Array]) -> Array:
    """Position of the cell of each row among the filled cells."""
    cell = cell_of_row()
    if len(cells) == n_cells:
        return cell
    place = np.zeros(n_cells, dtype=np.int64)
    place[cells] = np.arange(len(cells))
    return np.take(place, cell)


class Scatter:
    """Sums of values (..., U) by their places (..., size); a place may have several, or none."""

    def __init__(self, index: Array, size: int) -> None:
        self.size, self._index = size, index
        self._is_sparse = not len(index) or _are_distinct(index)
        if self._is_sparse:
            return
        self._order = np.argsort(index, kind="stable")
        rising = index[self._order]
        self._starts = np.flatnonzero(np.diff(rising, prepend=-1))
        self._places = rising[self._starts]

    def __call__(self, columns: Array) -> Array:
        out = np.zeros((*columns.shape[:-1], self.size), dtype=columns.dtype)
        if self._is_sparse:  # one value at most for each place
            flat = columns.reshape(-1, len(self._index))
            for row, column in zip(out.reshape(-1, self.size), flat, strict=True):
                row[self._index] = column
            return out
        ordered = np.take(columns, self._order, axis=-1)
        out[..., self._places] = np.add.reduceat(ordered, self._starts, axis=-1)
        return out


def cell_sums(values: Array, cells: Array, n_cells: int) -> Array:
    """Sums of values (..., U) by cells, (..., n_cells)."""
    if values.ndim == 1:
        return np.bincount(cells, weights=values, minlength=n_cells)
    flat = values.reshape(-1, values.shape[-1])
    if n_cells <= _FEW_CELLS:  # one product of matrices
        sums = flat @ (cells[:, None] == np.arange(n_cells)).astype(np.float64)
    else:
        sums = np.stack([np.bincount(cells, weights=row, minlength=n_cells) for row in flat])
    return sums.reshape(*values.shape[:-1], n_cells)


# --------------------------------------------------------------------------- draws


def block_sizes(n_draws: int, size: int) -> list[int]:
    """Sizes of the blocks that draws are made in."""
    return [min(size, n_draws - start) for start in range(0, n_draws, size)]


def draw_counts(
    rng: np.random.Generator, atoms: Atoms, n_draws: int, stratified: bool, share: float = 1.0
) -> Array:
    """How often each atom is drawn, (n_draws, U), in draws of this share of the rows."""
    if atoms.group is not None:
        ones = np.ones(atoms.n_groups, dtype=np.int64)
        within = None if atoms.stratum is None else atoms.drawn()[1]
        return _draw_within(rng, ones, within, n_draws, share)[:, atoms.group] * atoms.rows
    within = atoms.stratum
    if stratified:
        assert atoms.label is not None
        n_classes = int(atoms.label.max()) + 1
        within = atoms.label if within is None else within * n_classes + atoms.label
    return _draw_within(rng, atoms.rows, within, n_draws, share)


def _draw_within(
    rng: np.random.Generator, rows: Array, within: Array | None, n_draws: int, share: float
) -> Array:
    """Draw this share of the rows of each part with replacement; counts by atom."""
    if within is None:
        return _draw(rng, rows, n_draws, share)
    counts = np.empty((n_draws, len(rows)), dtype=np.int64)
    for part in np.unique(within):
        atoms = np.flatnonzero(within == part)
        counts[:, atoms] = _draw(rng, rows[atoms], n_draws, share)
    return counts


def _draw(rng: np.random.Generator, rows: Array, n_draws: int, share: float) -> Array:
    """Draw this share of the rows with replacement; counts by atom."""
    n_rows, n_atoms = int(rows.sum()), len(rows)
    n_drawn = max(round(share * n_rows), 1)
    if n_atoms * _ROWS_PER_ATOM < n_drawn:
        return rng.multinomial(n_drawn, rows / n_rows, size=n_draws)
    drawn = np.repeat(np.arange(n_atoms), rows)[rng.integers(0, n_rows, size=(n_draws, n_drawn))]
    drawn += n_atoms * np.arange(n_draws)[:, None]
    flat = np.bincount(drawn.reshape(-1), minlength=n_draws * n_atoms)
    return flat.reshape(n_draws, n_atoms)
