"""Slices as cells of crossed columns, for all combinations of up to some number of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array
from skmetrics_ext.slices.coding import Coded
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import shown_names

MOST_CELLS = 20_000_000


class Slice(NamedTuple):
    """A value for each of some columns: indices of the columns, and codes of the values."""

    columns: tuple[int, ...]
    codes: tuple[int, ...]

    def is_part_of(self, other: Slice) -> bool:
        """Whether the other slice contains this one, whatever the data."""
        return set(zip(*other, strict=True)) <= set(zip(*self, strict=True))

    def contains_rows(self, coded: Sequence[Coded]) -> Array:
        """Mask of the rows in the slice, (n,)."""
        pairs = zip(self.columns, self.codes, strict=True)
        return np.logical_and.reduce([coded[column].codes == code for column, code in pairs])

    def values(self, coded: Sequence[Coded]) -> dict[str, Any]:
        """The value of each column, by its name."""
        pairs = zip(self.columns, self.codes, strict=True)
        return {coded[column].name: coded[column].values[code] for column, code in pairs}


@dataclass(frozen=True, eq=False, slots=True)
class ColumnCross:
    """Some columns crossed.

    Parameters
    ----------
    columns : tuple of int
        Indices of the columns.
    shape : tuple of int
        Number of values of each.
    cell : ndarray of int64 of shape (n,)
        The cell of each row, in lexical order of the codes.
    rows : ndarray of int64 of shape (n_cells,)
        Number of rows of each cell.
    kept : ndarray of int64 of shape (n_kept,)
        The cells to test: with enough rows inside and outside, and other rows than any slice of
        fewer columns.
    """

    columns: tuple[int, ...]
    shape: tuple[int, ...]
    cell: Array
    rows: Array
    kept: Array

    def slices(self) -> list[Slice]:
        """The slices that are kept."""
        codes = np.stack(np.unravel_index(self.kept, self.shape), axis=1)
        return [Slice(self.columns, tuple(own)) for own in codes.tolist()]


def check_number(coded: Sequence[Coded], max_columns: int) -> None:
    """Reject more slices than can be tested."""
    sizes = [len(column.values) for column in coded]
    # Elementary symmetric polynomials of the sizes, column by column.
    sums = [1] + [0] * max_columns
    for size in sizes:
        for k in range(max_columns, 0, -1):
            sums[k] += size * sums[k - 1]
    number = sum(sums[1:])
    if number > MOST_CELLS:
        largest = sorted(zip(sizes, (column.name for column in coded), strict=True))[::-1][:5]
        listed = ", ".join(f"{shown_names([name])} has {size}" for size, name in largest)
        raise InvalidParameterError(
            f"{len(coded)} columns make {number} slices of up to {max_columns} of them, more than "
            f"{MOST_CELLS}: name fewer columns=, lower max_columns, or read numbers in fewer "
            f"bins=. Values of the largest: {listed}."
        )


def column_crosses(
    coded: Sequence[Coded], max_columns: int, min_rows: int
) -> Iterator[ColumnCross]:
    """All combinations of up to ``max_columns`` columns, the smallest first."""
    n_rows = len(coded[0].codes)
    counts: dict[tuple[int, ...], Array] = {}
    for size in range(1, min(max_columns, len(coded)) + 1):
        for columns in combinations(range(len(coded)), size):
            shape = tuple(len(coded[column].values) for column in columns)
            cell = coded[columns[0]].codes
            for column in columns[1:]:
                cell = cell * len(coded[column].values) + coded[column].codes
            rows = kernels.bin_sums(cell, prod(shape), None)
            if size < max_columns:
                counts[columns] = rows.reshape(shape)
            kept = (rows >= min_rows) & (n_rows - rows >= min_rows)
            if size > 1:
                cube = rows.reshape(shape)
                for place in range(size):
                    fewer = counts[columns[:place] + columns[place + 1 :]]
                    kept &= (cube < np.expand_dims(fewer, place)).reshape(-1)
            yield ColumnCross(columns, shape, cell, rows, np.flatnonzero(kept))
