"""Columns as codes of their values or bins, and slices as cells of crossed columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import Column, missing_rows, read_column, take_rows
from skmetrics_ext.validation.encoding import encode_columns
from skmetrics_ext.validation.errors import shown_names
from skmetrics_ext.validation.parameters import check_integer
from skmetrics_ext.validation.tensors import to_host

MOST_CELLS = 20_000_000
MISSING = "missing"  # group of the rows without a value in a column of groups


@dataclass(frozen=True, eq=False, slots=True)
class Coded:
    """A column as codes.

    Parameters
    ----------
    name : str
    values : tuple
        The value of each code; bins are text like "[30, 50)".
    codes : ndarray of int64 of shape (n,)
    """

    name: str
    values: tuple[Any, ...]
    codes: Array

    @classmethod
    def of(cls, name: str, column: Any, bins: Any = None) -> Coded:
        """Code a column; ``bins`` of numbers are a number of quantile bins, or inner edges."""
        read = column if isinstance(column, Column) else read_column(column, name)
        if read.is_sparse or read.values.ndim != 1:
            raise InvalidParameterError(
                f"Column {name!r} must hold one value a row, got shape {read.values.shape}."
            )
        if bins is None:
            values, (codes,) = encode_columns((read, read.values))
            return cls(name, tuple(values.tolist()), codes.astype(np.int64, copy=False))
        return cls.binned(name, read, edges_of(name, numbers_of(read), bins))

    @classmethod
    def binned(cls, name: str, column: Column, edges: Array) -> Coded:
        """Code a column of numbers by the bins between inner edges."""
        # An edge belongs to the bin above it.
        codes = np.searchsorted(edges, numbers_of(column), side="right")
        return cls(name, bin_names(edges), codes.astype(np.int64, copy=False))

    def spread(self, kept: Array, n_rows: int, absent: Any) -> Coded:
        """Codes of all rows, of which ``kept`` have these codes and the others ``absent``."""
        if len(kept) == n_rows:
            return self
        values = self.values if absent in self.values else (*self.values, absent)
        codes = np.full(n_rows, values.index(absent), dtype=np.int64)
        codes[kept] = self.codes
        return Coded(self.name, values, codes)


def read_present(data: Any, name: str) -> tuple[Column, Array, int]:
    """The rows of a column that have a value, their positions, and the number of all rows.

    Floats that are integers, as missing values make of integers, are integers again.
    """
    data = to_host(data, name)
    lacking = missing_rows(data)
    kept = np.flatnonzero(~lacking) if lacking.ndim == 1 else np.arange(len(lacking))
    if len(kept) == len(lacking):
        return read_column(data, name), kept, len(kept)
    column = read_column(take_rows(data, kept), name)
    if column.values.dtype.kind == "f" and (column.values % 1 == 0).all():
        column.values = column.values.astype(np.int64)
    return column, kept, len(lacking)


def numbers_of(column: Column) -> Array:
    """Values of a column to be binned, which must be numbers."""
    values = column.values
    if column.categories is not None or values.dtype.kind not in "fiu":
        raise InvalidParameterError(
            f"Column {column.name!r} has to hold numbers to be put in bins; leave out its bins."
        )
    values = values.astype(np.float64, copy=False)
    if np.isnan(values).any():
        row = int(np.argmax(np.isnan(values)))
        raise InvalidParameterError(f"Column {column.name!r} has a missing value in row {row}.")
    return values


def edges_of(name: str, values: Array, bins: Any) -> Array:
    """Inner edges of bins: as passed, or quantiles for a number of bins."""
    if isinstance(bins, int | np.integer) and not isinstance(bins, bool):
        n_bins = check_integer(f"bins of {name!r}", bins, 2)
        return quantile_edges(values, n_bins)
    return check_edges(name, bins)


def check_edges(name: str, bins: Any) -> Array:
    """Check that inner edges are increasing numbers."""
    edges = np.asarray(bins, dtype=object)
    try:
        edges = edges.astype(np.float64)
    except (TypeError, ValueError):
        edges = np.zeros((0, 0))
    if edges.ndim != 1 or not len(edges) or not (np.diff(edges) > 0).all() or np.isnan(edges).any():
        raise InvalidParameterError(
            f"bins of {name!r} must be a number of bins, or their inner edges in rising order, "
            f"got {bins!r:.60}."
        )
    return edges


def quantile_edges(values: Array, n_bins: int) -> Array:
    """Inner edges of bins with about equal numbers of rows; fewer if values are tied."""
    ordered = np.sort(values)
    places = np.arange(1, n_bins) * len(ordered) // n_bins
    edges = np.unique(ordered[places])
    return edges[edges > ordered[0]]  # the first bin holds a row


def bin_names(edges: Array) -> tuple[str, ...]:
    """Names of the bins: "< 30", "[30, 50)", ">= 50"."""
    if not len(edges):
        return ("all",)
    texts = [f"{edge:.6g}" for edge in edges]
    if len(set(texts)) < len(texts):
        texts = [repr(float(edge)) for edge in edges]
    inner = [f"[{low}, {high})" for low, high in pairwise(texts)]
    return (f"< {texts[0]}", *inner, f">= {texts[-1]}")


def cross(columns: Sequence[Coded]) -> tuple[Array, Array]:
    """Combinations of values that occur, and the combination of each row.

    Returns
    -------
    ndarray of int64 of shape (n_combinations, n_columns)
        The code of each column, in lexical order.
    ndarray of int64 of shape (n,)
    """
    sizes = [len(column.values) for column in columns]
    number = np.zeros(len(columns[0].codes), dtype=np.int64)
    for column, size in zip(columns, sizes, strict=True):
        if number.size and float(number.max() + 1) * size >= 2.0**62:
            number = kernels.encode(number)[1][0]
        number = number * size + column.codes
    _, first, combination = np.unique(number, return_index=True, return_inverse=True)
    codes = np.stack([column.codes[first] for column in columns], axis=1)
    return codes, combination.reshape(-1).astype(np.int64, copy=False)


# --------------------------------------------------------------------------- slices


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
        return [Slice(self.columns, tuple(cell)) for cell in codes.tolist()]


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
