"""Columns and matrices in any container, read into NumPy without loss.

pandas, polars and pyarrow objects are recognised by the module that made them, so none of
these libraries is imported here; tensors are read by `tensors`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.column_names import Names, names_of
from skmetrics_ext.validation.errors import InvalidParameterError
from skmetrics_ext.validation.tensors import is_tensor, take_of_tensor, to_host, widened

_FLOATS = ("float64", "float32", "float", "double", "halffloat")
_FEW = 10_000  # rows
EXACT = 2**53  # floats represent each integer up to here


@dataclass(eq=False, slots=True)  # frozen, it would take a microsecond longer to create
class Column:
    """Values of one argument; never modified.

    ``values`` is an ndarray or a scipy sparse matrix. With ``categories``, the values are codes
    into them, and ``ordered`` says whether their order is meaningful. Text of pandas, polars and
    Arrow has categories too: that is many times faster than Python's strings. ``names`` are the
    column names of a data frame, unless they are the default ones. ``target`` is the column as true
    labels, once it was read so.
    """

    name: str
    values: Any
    categories: Array | None = None
    ordered: bool = False
    mask: Array | None = None
    index: Any = None
    names: Names = None
    target: Any = None

    @property
    def is_sparse(self) -> bool:
        return not isinstance(self.values, np.ndarray)

    @property
    def labels(self) -> Any:
        """The values, decoded if they are codes."""
        return self.values if self.categories is None else self.categories[self.values]

    @property
    def order(self) -> Any:
        """The declared order of the categories, as in `encoding.Order`."""
        return self.ordered and self.categories is not None and tuple(self.categories.tolist())

    def __len__(self) -> int:
        return int(self.values.shape[0])

    def keep(self, rows: Array) -> Column:
        """The rows that are marked True."""
        return Column(self.name, self.values[rows], self.categories, self.ordered, names=self.names)


def read_column(data: Any, name: str) -> Column:
    """Read an array-like; refuse values that its container marks as missing."""
    if type(data) is np.ndarray:
        values = data if data.dtype.isbuiltin == 1 else widened(data)
        return Column(name, _with_rows(values, data, name))
    if type(data) is Column:  # read before
        return data
    if is_tensor(data):
        return Column(name, _with_rows(to_host(data, name), data, name))
    if isinstance(data, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(data)
        return Column(name, _with_rows(data.data, data, name), mask=mask if mask.any() else None)
    if isinstance(data, np.matrix):
        flat = np.asarray(data)
        return Column(name, flat.reshape(-1) if 1 in flat.shape else flat)
    reader = _READERS.get(type(data).__module__.partition(".")[0])
    if reader is not None:
        return reader(data, name)
    if hasattr(data, "tocsr"):
        return Column(name, data.tocsr())
    if isinstance(data, str | bytes) or not (
        isinstance(data, Sequence) or hasattr(data, "__array__")
    ):
        raise InvalidParameterError(
            f"{name} must be an array-like (a sequence, an array, a column of a data frame), "
            f"got {type(data).__name__}: {data!r:.60}."
        )
    return Column(name, _with_rows(_from_sequence(data, name), data, name))


def read_numbers(name: str, values: Any) -> Array:
    """Numbers of a parameter (costs, grades, scores of folds) in float64."""
    try:
        numbers = np.asarray(to_host(values, name))
        is_masked = np.ma.is_masked(values)
        if numbers.dtype.kind in "biufO" and not holds_text(numbers) and not is_masked:
            return numbers.astype(np.float64, copy=False)
        what = f"{values!r:.60} of dtype {numbers.dtype}"
    except (InvalidParameterError, MemoryError):
        raise
    except Exception as error:  # an object may raise anything
        raise InvalidParameterError(f"{name} must hold numbers, got {values!r:.60}.") from error
    raise InvalidParameterError(f"{name} must hold numbers, none of them masked, got {what}.")


def read_rising(
    name: str, values: Any, least: int = 0, *, finite: bool = True, first_twice: bool = False
) -> Array:
    """A parameter that holds so many numbers or more, each greater than the one before.

    With ``first_twice`` the first may occur twice.
    """
    numbers = read_numbers(name, values)
    is_list = numbers.ndim == 1 and len(numbers) >= least
    known = np.isfinite(numbers) if finite else ~np.isnan(numbers)
    steps = np.diff(numbers) if is_list else np.empty(0)
    if first_twice and (steps[:1] == 0).all():
        steps = steps[1:]
    if not is_list or not known.all() or not (steps > 0).all():
        kind = "finite numbers" if finite else "numbers"
        count = f", at least {least}" if least else ""
        raise InvalidParameterError(f"{name} must be {kind} that rise{count}, got {values!r:.80}.")
    return numbers


def holds_text(values: Array) -> bool:
    """Whether an array of objects contains text."""
    return values.dtype.kind == "O" and any(isinstance(value, str | bytes) for value in values.flat)


def first_not_finite(values: Array) -> tuple[str, int]:
    """The first non-finite number, in scikit-learn's words, and its row."""
    what = "NaN" if np.isnan(values).any() else "infinity or a value too large for its dtype"
    return what, int(np.argmin(np.isfinite(values).reshape(len(values), -1).all(axis=1)))


def read_array(name: str, values: Any) -> Array:
    """An array-like as a NumPy array, in whatever dtype; an unreadable one raises."""
    try:
        return np.asarray(to_host(values, name))
    except (InvalidParameterError, MemoryError):
        raise
    except Exception as error:  # a user's class may raise anything
        if isinstance(values, Sequence) and isinstance(error, ValueError):
            raise InvalidParameterError(
                f"{name} is ragged: its rows have different lengths. You appear to be using a "
                "legacy multi-label data representation; pass a binary indicator matrix."
            ) from error
        raise InvalidParameterError(
            f"{name} ({type(values).__name__}) cannot be read as an array: "
            f"{type(error).__name__}: {error}"
        ) from error


def take_rows(data: Any, rows: Array) -> Any:
    """Some rows of an array, sparse matrix, data frame, series or list, in the same container."""
    if type(data) is np.ndarray:
        return data[rows]
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    if hasattr(data, "tocsr"):
        return data.tocsr()[rows]
    if type(data).__module__.partition(".")[0] == "pyarrow":
        return data.take(rows)
    if isinstance(data, Sequence) and not hasattr(data, "shape"):
        return [data[row] for row in rows]
    if not hasattr(data, "__getitem__"):
        return np.asarray(data)[rows]
    return take_of_tensor(data, rows) if is_tensor(data) else data[rows]


def take_params(params: Mapping[str, Any], n_rows: int | None, rows: Array) -> dict[str, Any]:
    """Parameters, those with one value per row cut to some rows."""
    return {
        key: take_rows(value, rows) if n_rows is not None and count_rows(value) == n_rows else value
        for key, value in params.items()
    }


def count_rows(data: Any) -> int | None:
    """Number of rows; None for scalars, text and mappings."""
    if isinstance(data, str | bytes | Mapping | type):
        return None
    shape = getattr(data, "shape", None)
    if shape is not None:
        return int(shape[0]) if len(shape) else None
    return len(data) if hasattr(data, "__len__") else None


def marked_missing(column: Any) -> Array:
    """Rows that the column's library marks as missing."""
    if hasattr(column, "isna"):
        return np.asarray(column.isna(), dtype=bool)
    n_missing = getattr(column, "null_count", 0)  # a method in polars
    if not (n_missing() if callable(n_missing) else n_missing):
        return np.zeros(len(column), dtype=bool)
    return np.asarray(column.is_null()).astype(bool)


def missing_values(values: Array) -> Array:
    """Values of an array that are nan, NaT, None, or pandas' NA."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=bool)
    return np.array([_is_missing(value) for value in values.tolist()])


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # NA
        return True
    except ValueError:  # an array
        return False


def missing_rows(column: Any) -> Array:
    """Rows of a column, in any container, that have no value."""
    if isinstance(column, np.ma.MaskedArray):
        return np.ma.getmaskarray(column) | missing_rows(column.data)
    if not (hasattr(column, "isna") or hasattr(column, "null_count")):
        dtype = object if isinstance(column, list | tuple) else None  # NumPy makes text of nan
        return missing_values(np.asarray(column, dtype=dtype))
    kind = str(getattr(column, "dtype", getattr(column, "type", ""))).lower()
    marked = marked_missing(column)
    return marked | missing_values(np.asarray(column)) if kind in _FLOATS else marked


def labels_of(y_true: Any, rows: Array) -> Any:
    """The labels of some rows, without the marks of missing ones."""
    kept = take_rows(y_true, np.flatnonzero(rows))
    if isinstance(kept, np.ma.MaskedArray):
        kept = kept.data
    if isinstance(kept, np.ndarray) and kept.dtype.kind == "O":
        kept = kept.tolist()
    values = np.asarray(kept) if isinstance(kept, list | np.ndarray) else None
    if values is not None and values.dtype.kind == "f" and (values % 1 == 0).all():
        return values.astype(np.int64)  # whole numbers are floats only for their missing ones
    return kept


def _with_rows(values: Array, data: Any, name: str) -> Array:
    if values.ndim == 0:
        raise InvalidParameterError(f"{name} must hold rows, got the scalar {data!r:.60}.")
    if values.ndim > 1 and values.shape[1] == 0 and len(values):
        raise InvalidParameterError(f"{name} has {len(values)} rows and no column.")
    return values


def _from_sequence(data: Any, name: str) -> Array:
    if type(data) is list and data and type(data[0]) is str:
        text = np.fromiter(data, dtype=object, count=len(data))  # faster than fixed-width text
        if kernels.types(text) == {str}:
            return text
    values = read_array(name, data)
    if values.dtype.kind == "f" and (np.abs(values) >= EXACT).any() and np.isfinite(values).all():
        exact = np.array(data, dtype=object)  # floats would make some integers equal
        values = exact if any(isinstance(value, int) for value in exact.flat) else values
    if values.dtype.kind == "U" and isinstance(data, Sequence) and values.ndim == 1:
        # NumPy turns None, nan and numbers among text into text: silent extra classes.
        stray = next((value for value in data if not isinstance(value, str)), None)
        if stray is not None:
            if isinstance(stray, float) and np.isnan(stray):
                raise InvalidParameterError(f"Input {name} contains NaN.")
            raise InvalidParameterError(
                f"Mix of label input types (string and number) in {name}: "
                f"it holds text and also {stray!r} of type {type(stray).__name__}."
            )
    return values


def _refuse_missing(name: str, missing: Array) -> None:
    """Refuse rows, or rows of a matrix, of which some are marked as missing."""
    if missing.any():
        row = int(np.argmax(missing.reshape(len(missing), -1).any(axis=1)))
        raise InvalidParameterError(
            f"Input {name} contains NaN. The first missing value is in row {row}; "
            "drop such rows or fill them before scoring."
        )


def _read_pandas(data: Any, name: str) -> Column:
    dtype = getattr(data, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":  # without marks of missing values
        values, names = data.to_numpy(), None if data.name is None else [data.name]
        if dtype.kind == "f":
            _refuse_missing(name, np.isnan(values))
        return Column(name, values, index=getattr(data, "index", None), names=names)
    if not hasattr(data, "__len__") or hasattr(data, "levels"):
        kind = type(data).__name__
        raise InvalidParameterError(f"{name} must hold one value a row, got a {kind} of pandas.")
    index = getattr(data, "index", None)
    if dtype is not None and hasattr(dtype, "categories") and hasattr(dtype, "ordered"):
        categorical = getattr(data, "array", data)
        if hasattr(categorical, "codes"):
            codes = np.asarray(categorical.codes)
            _refuse_missing(name, codes < 0)
            categories = read_column(dtype.categories, name).labels
            return Column(name, codes, categories, bool(dtype.ordered), index=index)
    _refuse_missing(name, marked_missing(data))
    if str(dtype) in ("str", "string") and hasattr(data, "factorize"):
        coded, found = data.factorize()
        return Column(name, coded, np.asarray(found, dtype=object), index=index)
    values = data.to_numpy() if hasattr(data, "to_numpy") else np.asarray(data)
    if values.dtype.kind == "O":
        dtypes = [dtype] if values.ndim == 1 else list(getattr(data, "dtypes", [dtype]))
        values = _narrow_objects(values, dtypes)
    return Column(name, values, index=index, names=names_of(data))


def _narrow_objects(values: Array, dtypes: list[Any]) -> Array:
    """Numbers of nullable and Arrow dtypes, which pandas returns as objects."""
    kinds = [getattr(dtype, "kind", "O") for dtype in dtypes]
    if all(kind and kind in _WIDEST for kind in kinds):
        return values.astype(np.result_type(*(_WIDEST[kind] for kind in kinds)))
    return values


def _read_polars(data: Any, name: str) -> Column:
    if not hasattr(data, "to_numpy"):  # a lazy frame, an expression
        raise InvalidParameterError(
            f"{name} must be an eager polars Series or DataFrame, got {type(data).__name__}."
        )
    if hasattr(data, "columns"):
        if data.null_count().to_numpy().any():
            _refuse_missing(name, np.column_stack([marked_missing(column) for column in data]))
        return Column(name, data.to_numpy(), names=names_of(data))
    if data.null_count():
        _refuse_missing(name, marked_missing(data))
    kind = type(data.dtype).__name__
    if kind in ("Struct", "Array"):  # matrices in NumPy
        raise InvalidParameterError(
            f"{name} must hold one value a row, got a column of {data.dtype}."
        )
    if kind == "Enum":
        text = data.dtype.categories.to_numpy().astype(str)
        return Column(name, data.to_physical().to_numpy(), text, ordered=True)
    if kind == "Categorical":  # whose codes are shared with other columns
        physical = data.to_physical()
        n_codes = (physical.max() or 0) + 1
        if n_codes <= _FEW + len(data):
            rows = physical.arg_unique()
            words = data.gather(rows).cast(str).to_numpy().astype(object)
            categories = np.resize(words, n_codes)
            categories[physical.gather(rows).to_numpy()] = words
            return Column(name, physical.to_numpy(), categories, names=names_of(data))
    if kind in ("String", "Utf8", "Categorical"):
        from polars import Enum

        head = data.head(_FEW)  # holds all values, if they are few
        for part in (head, data) if 10 * head.n_unique() < _FEW else (data,):
            found = part.unique().cast(str).sort()
            coded = data.cast(Enum(found), strict=False)
            if not coded.null_count():
                break
        codes = coded.to_physical().to_numpy()
        return Column(name, codes, found.to_numpy().astype(object), names=names_of(data))
    return Column(name, data.to_numpy(), names=names_of(data))


def _read_pyarrow(data: Any, name: str) -> Column:
    if hasattr(data, "column_names"):  # a table, or a batch of one
        columns = [_read_pyarrow(column, name).labels for column in data.columns]
        return Column(name, np.array(columns).T, names=names_of(data))
    if not hasattr(data, "null_count"):
        raise InvalidParameterError(
            f"{name} must be a pyarrow Array or ChunkedArray or Table, got {type(data).__name__}."
        )
    if data.null_count:
        _refuse_missing(name, marked_missing(data))
    if hasattr(data, "combine_chunks"):
        data = data.combine_chunks()
    if str(data.type) in ("string", "large_string", "string_view"):
        data = data.cast("string") if str(data.type) == "string_view" else data
        data = data.dictionary_encode()
    if hasattr(data, "dictionary"):
        codes = np.asarray(data.indices)
        return Column(name, codes, np.asarray(data.dictionary), bool(data.type.ordered))
    return Column(name, data.to_numpy(zero_copy_only=False))


_WIDEST = {"b": bool, "i": np.int64, "u": np.uint64, "f": np.float64}  # by kind of dtype
_READERS = {"pandas": _read_pandas, "polars": _read_polars, "pyarrow": _read_pyarrow}
