"""A table in memory, and the columns that make slices as codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.slices.coding import Coded, read_present
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import Column, count_rows, read_column
from skmetrics_ext.validation.errors import near, printable, shown_names
from skmetrics_ext.validation.parameters import check_integer

_FRAMES = ("pandas", "polars", "pyarrow")
FEW_BINS = 5
FEW_VALUES = 10  # numbers with more distinct values are binned
_FEW_ROWS = 100  # below half of which no column counts as near-unique


class Frame:
    """Columns by name: of a data frame, an Arrow table or a mapping of arrays."""

    def __init__(self, data: Any, what: str = "data") -> None:
        maker = type(data).__module__.partition(".")[0]
        if isinstance(data, Mapping):
            self.names = list(data)
        elif maker in _FRAMES and not hasattr(data, "collect") and hasattr(data, "columns"):
            self.names = list(data.schema.names if maker == "pyarrow" else data.columns)
        else:
            raise InvalidParameterError(
                f"{what} must be a pandas or polars data frame, a pyarrow table, or a mapping from "
                f"names to arrays, got {maker}.{type(data).__name__}: rows of slices are read "
                "many times, so they have to be in memory."
            )
        self._data, self._is_arrow = data, maker == "pyarrow"
        twice = [name for name in self.names if self.names.count(name) > 1]
        if twice:
            raise InvalidParameterError(f"{what} has two columns named {printable(twice[0])!r}.")

    def column(self, name: Any, what: str) -> Any:
        """A column, unconverted; errors name the argument ``what``."""
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
        """A column as NumPy; errors name the column."""
        return read_column(self.column(name, what), f"column {printable(name)!r}")


def check_lengths(lengths: Mapping[str, int]) -> None:
    """Reject columns of different lengths, which a mapping may have."""
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{printable(name)!r} {n}" for name, n in lengths.items())
        raise InvalidParameterError(f"Columns must have as many rows each, got {listed}.")


# --------------------------------------------------------------------------- columns of slices


def code_column(name: str, column: Any, bins: Any, *, always: bool) -> Coded:
    """A column as codes: numbers in bins, missing values as None.

    Unless bins are ``always`` used, numbers with few values stay as they are.
    """
    read, kept, n_rows = read_present(column, printable(name))
    if not len(kept):
        return Coded(name, (None,), np.zeros(n_rows, dtype=np.int64))
    if read.values.ndim == 1 and read.values.dtype.kind in "mMc":
        raise InvalidParameterError(
            f"Column {printable(name)!r} holds {read.values.dtype}: derive from it what can be the "
            "same for many rows (a month, a weekday), or a number to be read in bins."
        )
    is_numeric = read.categories is None and read.values.dtype.kind in "fiu"
    if not always and not (is_numeric and len(kernels.encode(read.values)[0]) > FEW_VALUES):
        bins = None
    return Coded.of(name, read, bins).spread(kept, n_rows, None)


def is_near_unique(column: Coded) -> bool:
    """Whether a column has nearly as many values as rows."""
    return len(column.values) > max(_FEW_ROWS, len(column.codes)) / 2


def read_slices(
    table: Frame, names: Sequence[str], bins: Any, *, by_default: bool, min_rows: int
) -> tuple[list[Coded], dict[str, str]]:
    """Columns as codes, and the reasons why some make no slices.

    Near-unique columns are left out by default, and rejected if they were named.
    """
    named = dict(bins) if isinstance(bins, Mapping) else {}
    unknown = [name for name in named if name not in names]
    if unknown:
        raise InvalidParameterError(f"bins names {unknown[0]!r}, which is none of the columns.")
    n_bins = check_integer("bins", FEW_BINS if isinstance(bins, Mapping) else bins, 2)
    kept, reasons = [], {}
    for name in names:
        data, of_column = table.column(name, "columns"), named.get(name, n_bins)
        try:
            column = code_column(name, data, of_column, always=name in named)
        except InvalidParameterError as error:
            if not by_default:
                raise
            reasons[name] = str(error)
            continue
        n_values, n_rows = len(column.values), len(column.codes)
        counted = f"column {printable(name)!r} has {n_values} values in {n_rows} rows"
        if is_near_unique(column):
            reasons[name] = f"{counted}, so it identifies rows and makes no slices"
            if not by_default:
                raise InvalidParameterError(f"columns: {reasons[name]}; leave it out.")
        elif n_values < 2:
            reasons[name] = f"{counted}, so it does not divide them"
        elif np.bincount(column.codes).max() < min_rows:
            reasons[name] = f"{counted}, none of which has min_rows={min_rows}"
        else:
            kept.append(column)
    return kept, reasons


def slice_columns(columns: Any, table: Frame, used: Iterable[str | None]) -> list[str]:
    """The columns that make slices: those named, or all that are used for nothing else."""
    if columns is None:
        taken = set(used)
        return [name for name in table.names if isinstance(name, str) and name not in taken]
    names = [columns] if isinstance(columns, str) else columns
    if not isinstance(names, Iterable):
        raise InvalidParameterError(f"columns must be a list of names, got {columns!r:.60}.")
    names = list(names)
    if not names:
        raise InvalidParameterError("columns must name a column at least, got an empty list.")
    for name in names:
        table.column(name, "columns")
    if len(set(names)) < len(names):
        raise InvalidParameterError(f"columns names a column twice: {names}.")
    return names


def score_columns(
    score: str | Sequence[str] | Mapping[Any, str] | None, labels: Any
) -> tuple[tuple[str, ...], Any]:
    """Columns of scores, and their classes as far as they are known."""
    if score is None:
        return (), labels
    if isinstance(score, str):
        return (score,), labels
    if isinstance(score, Mapping):
        classes = list(score if labels is None else labels)
        if len(classes) != len(score) or any(label not in score for label in classes):
            raise InvalidParameterError(
                f"score names columns for the classes {list(score)}, but labels are {classes}: "
                "they must be the same."
            )
        return tuple(score[label] for label in classes), classes if labels is None else labels
    if not isinstance(score, Iterable):
        raise InvalidParameterError(
            f"score must be the name of a column, a list of names, or a dict, got {score!r:.60}."
        )
    return tuple(score), labels
