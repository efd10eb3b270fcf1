"""A table in memory: its columns by their names, and those that make slices as codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array
from skmetrics_ext.slices.coding import Coded
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import Column, count_rows, read_column, take_rows
from skmetrics_ext.validation.errors import near, printable, shown_names
from skmetrics_ext.validation.parameters import check_integer

_FRAMES = ("pandas", "polars", "pyarrow")
FEW_BINS = 5
FEW_VALUES = 10  # numbers with more distinct values are read in bins
_FEW_ROWS = 100  # below half of which no column counts as one that tells rows apart


class Table:
    """Columns of one length by their names: a data frame, an Arrow table, a mapping of arrays."""

    def __init__(self, data: Any) -> None:
        maker = type(data).__module__.partition(".")[0]
        if isinstance(data, Mapping):
            self.names = list(data)
        elif maker in _FRAMES and not hasattr(data, "collect") and hasattr(data, "columns"):
            self.names = list(data.schema.names if maker == "pyarrow" else data.columns)
        else:
            raise InvalidParameterError(
                "data must be a pandas or polars data frame, a pyarrow table, or a mapping from "
                f"names to arrays, got {maker}.{type(data).__name__}: rows of slices are looked "
                "at many times, so they have to be in memory."
            )
        self._data, self._is_arrow = data, maker == "pyarrow"
        twice = [name for name in self.names if self.names.count(name) > 1]
        if twice:
            raise InvalidParameterError(f"data has two columns named {printable(twice[0])!r}.")

    def column(self, name: Any, what: str) -> Any:
        """A column as it came; ``what`` asks for it."""
        if not isinstance(name, str):
            raise InvalidParameterError(f"{what} must be the name of a column, got {name!r:.60}.")
        if name not in self.names:
            raise InvalidParameterError(
                f"{what}: data has no column {printable(name)!r}."
                f"{near(name, map(str, self.names))} Columns: {shown_names(self.names)}."
            )
        column = self._data.column(name) if self._is_arrow else self._data[name]
        if count_rows(column) is None:
            raise InvalidParameterError(
                f"{what}: column {printable(name)!r} must hold a value for each row, got "
                f"{column!r:.60}."
            )
        return column

    def read(self, name: Any, what: str) -> Column:
        """A column of the rows, by whose name faults are told."""
        return read_column(self.column(name, what), f"column {printable(name)!r}")


def check_lengths(lengths: Mapping[str, int]) -> None:
    """Refuse columns of different lengths, as a mapping may have."""
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{printable(name)!r} {n}" for name, n in lengths.items())
        raise InvalidParameterError(f"Columns must have as many rows each, got {told}.")


# --------------------------------------------------------------------------- columns of slices


def missing_rows(column: Any) -> Array:
    """Which rows of a column have no value."""
    if hasattr(column, "isna"):
        return np.asarray(column.isna(), dtype=bool)
    if hasattr(column, "is_null"):
        found = np.asarray(column.is_null()).astype(bool)
        values = np.asarray(column) if _are_floats(column) else None
        return found if values is None else found | np.isnan(values)
    if isinstance(column, np.ma.MaskedArray):
        return np.ma.getmaskarray(column) | missing_rows(column.data)
    values = column if isinstance(column, np.ndarray) else np.asarray(column)
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind == "O":
        return np.array([one is None or _is_nan(one) for one in values.tolist()])
    return np.zeros(len(values), dtype=bool)


def _are_floats(column: Any) -> bool:
    kind = str(getattr(column, "dtype", getattr(column, "type", ""))).lower()
    return kind in ("float64", "float32", "float", "double", "halffloat")


def _is_nan(value: Any) -> bool:
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # NA, arrays
        return type(value).__name__ == "NAType"


def coded(name: str, column: Any, bins: tuple[Any, bool]) -> Coded:
    """A column as codes: numbers of many values in bins, missing values as None.

    ``bins`` are those asked for, and whether they were for this column.
    """
    lacking = missing_rows(column)
    if lacking.ndim != 1:
        raise InvalidParameterError(
            f"Column {printable(name)!r} must hold one value a row, got shape {lacking.shape}."
        )
    if lacking.any():
        kept = np.flatnonzero(~lacking)
        if not len(kept):
            return Coded(name, (None,), np.zeros(len(lacking), dtype=np.int64))
        column = take_rows(column, kept)
    read = read_column(column, printable(name))
    if read.values.ndim == 1 and read.values.dtype.kind in "mMc":
        raise InvalidParameterError(
            f"Column {printable(name)!r} holds {read.values.dtype}: make of it what can be the "
            "same for many rows (a month, a weekday), or a number to be read in bins."
        )
    found = Coded.of(name, read, None if _is_few(read, bins[1]) else bins[0])
    if not lacking.any():
        return found
    codes = np.full(len(lacking), len(found.values), dtype=np.int64)
    codes[~lacking] = found.codes
    return Coded(name, (*found.values, None), codes)


def _is_few(read: Column, was_asked: bool) -> bool:
    """Whether values stay as they are: bins are for all numeric columns, and this has few."""
    if was_asked:
        return False
    if read.categories is not None or read.values.dtype.kind not in "fiu":
        return True
    return len(kernels.encode(read.values)[0]) <= FEW_VALUES


def identifies(column: Coded) -> bool:
    """Whether a column has nearly as many values as rows."""
    return len(column.values) > max(_FEW_ROWS, len(column.codes)) / 2


def read_slices(
    table: Table, names: Sequence[str], bins: Any, *, by_default: bool, min_rows: int
) -> tuple[list[Coded], dict[str, str]]:
    """Columns as codes, and the reasons why some make no slices.

    One that was asked for by its name is refused where it tells rows apart.
    """
    own = dict(bins) if isinstance(bins, Mapping) else {}
    unknown = [name for name in own if name not in names]
    if unknown:
        raise InvalidParameterError(f"bins names {unknown[0]!r}, which is none of the columns.")
    every = check_integer("bins", FEW_BINS if isinstance(bins, Mapping) else bins, 2)
    kept, reasons = [], {}
    for name in names:
        about = (own[name], True) if name in own else (every, False)
        try:
            one = coded(name, table.column(name, "columns"), about)
        except InvalidParameterError as error:
            if not by_default:
                raise
            reasons[name] = str(error)
            continue
        n_values, n_rows = len(one.values), len(one.codes)
        told = f"column {printable(name)!r} has {n_values} values in {n_rows} rows"
        if identifies(one):
            reasons[name] = f"{told}, so it identifies rows and makes no slices"
            if not by_default:
                raise InvalidParameterError(f"columns: {reasons[name]}; leave it out.")
        elif n_values < 2:
            reasons[name] = f"{told}, which it does not part"
        elif np.bincount(one.codes).max() < min_rows:
            reasons[name] = f"{told}, none of which has min_rows={min_rows}"
        else:
            kept.append(one)
    return kept, reasons


def names_asked(columns: Any, table: Table, used: Iterable[str | None]) -> list[str]:
    """The columns that make slices: those named, or all that are used for nothing else."""
    if columns is None:
        beside = set(used)
        return [name for name in table.names if isinstance(name, str) and name not in beside]
    if isinstance(columns, str):
        columns = [columns]
    if not isinstance(columns, Iterable):
        raise InvalidParameterError(f"columns must be a list of names, got {columns!r:.60}.")
    names = list(columns)
    if not names:
        raise InvalidParameterError("columns must name a column at least, got an empty list.")
    for name in names:
        table.column(name, "columns")
    if len(set(names)) < len(names):
        raise InvalidParameterError(f"columns names a column twice: {names}.")
    return names
