"""The containers in which people keep a column, a matrix or a list of classes.

Tables of name -> (what puts an array into it). `columns_for` and `matrices_for` choose those that
can hold given values; each holds exactly them.
"""

from array import array
from collections import deque
from functools import cache, partial
from importlib import util

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse


class OnlyArray:
    """What has ``__array__`` and nothing else of an array."""

    def __init__(self, values):
        self._values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self._values, dtype=dtype)

    def __len__(self):
        return len(self._values)


def _bare_series(values):
    """With Python's own objects in it."""
    return pd.Series(values.tolist(), dtype=object).infer_objects()


# --------------------------------------------------------------------------- layouts of memory


def _packed(values):
    """A field of records whose size is no multiple of the item's, and whose start is odd."""
    records = np.zeros(len(values), [("flag", "i1"), ("value", values.dtype), ("more", "i1", 2)])
    records["value"] = values
    return records["value"]


def _inner(values):
    """A column of a matrix of which the memory holds more, in Fortran order."""
    wide = np.repeat(values[:, None], 3, axis=1)
    return np.asfortranarray(wide)[:, 1] if len(values) % 2 else wide[:, 1]


def _read_only(values):
    kept = values.copy()
    kept.setflags(write=False)
    return kept


def _swapped(values):
    return values.astype(values.dtype.newbyteorder(">"))


def _record_array(values):
    return np.rec.fromarrays([values, np.arange(len(values))], names="value,row").value


def _own_class(values):
    class Measured(np.ndarray):
        pass

    return values.view(Measured)


LAYOUTS = {
    "strided": lambda values: np.repeat(values, 2)[::2],
    "backwards": lambda values: values[::-1].copy()[::-1],
    "inner column": _inner,
    "field of packed records": _packed,
    "field of a record array": _record_array,
    "read-only": _read_only,
    "byte-swapped": _swapped,
    "subclass": _own_class,
    "masked, no mask": np.ma.MaskedArray,
}


# --------------------------------------------------------------------------- libraries


def _arrow(values):
    return pa.array(values.tolist())


def _sliced(values):
    """A part of a longer array, so that it does not start at the first value."""
    return pa.array([values[0].item(), *values.tolist(), values[0].item()])[1:-1]


def _chunks(values):
    parts = [values[:1], values[1:3], values[3:3], values[3:]]
    return pa.chunked_array([pa.array(part.tolist(), _arrow(values).type) for part in parts])


def _arrow_backed(values):
    return _bare_series(values).convert_dtypes(dtype_backend="pyarrow")


def _polars_chunks(values):
    whole = pl.Series(values.tolist())
    return pl.concat([whole[:2], whole[2:]], rechunk=False)


COLUMNS = {
    "list": lambda values: values.tolist(),
    "tuple": lambda values: tuple(values.tolist()),
    "list of NumPy scalars": list,
    "deque": lambda values: deque(values.tolist()),
    "__array__": OnlyArray,
    "pandas": pd.Series,
    "pandas, other rows": lambda values: pd.Series(values, index=range(5, 5 + len(values))),
    "pandas, rows by name": lambda values: pd.Series(values, [f"r{k}" for k in range(len(values))]),
    "pandas Index": pd.Index,
    "pandas array": lambda values: pd.Series(values).array,
    "pandas nullable": lambda values: _bare_series(values).convert_dtypes(),
    "pandas Arrow-backed": _arrow_backed,
    "polars": lambda values: pl.Series(values.tolist()),
    "polars chunks": _polars_chunks,
    "pyarrow": _arrow,
    "pyarrow slice": _sliced,
    "pyarrow chunks": _chunks,
}

# For labels: of numbers as of text.
CATEGORIES = {
    "pandas Categorical": pd.Categorical,
    "pandas category": lambda values: pd.Series(values, dtype="category"),
    "pandas category, some unused": lambda values: pd.Series(
        pd.Categorical(values, categories=[*_unused(values), *dict.fromkeys(values.tolist())])
    ),
    "pandas ordered category": lambda values: pd.Series(
        pd.Categorical(values, categories=sorted(set(values.tolist())), ordered=True)
    ),
    "pandas ordered category, reversed": lambda values: pd.Series(
        pd.Categorical(values, categories=_falling(values), ordered=True)
    ),
    "pyarrow ordered dictionary, reversed": lambda values: pa.DictionaryArray.from_arrays(
        pa.array([_falling(values).index(value) for value in values.tolist()], pa.int32()),
        pa.array(_falling(values)),
        ordered=True,
    ),
    "pyarrow dictionary": lambda values: _arrow(values).dictionary_encode(),
    "pyarrow dictionary chunks": lambda values: _chunks(values).dictionary_encode(),
}
TEXT = {
    "text objects": lambda values: values.astype(object),
    "pandas objects": lambda values: pd.Series(values.astype(object), dtype=object),
    "pandas str": lambda values: pd.Series(values, dtype="str"),
    "polars Categorical": lambda values: pl.Series(values.tolist(), dtype=pl.Categorical),
    "polars Enum": lambda values: pl.Series(
        values.tolist(), dtype=pl.Enum(sorted(set(values.tolist())))
    ),
    "polars Enum, reversed": lambda values: pl.Series(
        values.tolist(), dtype=pl.Enum(_falling(values))
    ),
    "pyarrow large text": lambda values: pa.array(values.tolist(), pa.large_string()),
}


def _falling(values):
    """The distinct values in an order that no estimator's columns have."""
    return sorted(set(values.tolist()), reverse=True)


def _unused(values):
    """Categories that no value is of."""
    return {"U": ["aa", "zz"], "b": []}.get(values.dtype.kind, [-99, 99])


# --------------------------------------------------------------------------- dtypes

NUMBERS = {
    "long double": lambda values: values.astype(np.longdouble),
    "array.array": lambda values: array("d", values.tolist()),
    "NumPy column of pandas frame": lambda values: pd.DataFrame({"a": values, "b": values})["a"],
    "pandas Sparse": lambda values: pd.Series(pd.arrays.SparseArray(values)),
}
WHOLE = {
    "int8": lambda values: values.astype(np.int8),
    "float32": lambda values: values.astype(np.float32),
    "float64": lambda values: values.astype(np.float64),
    "pandas Int8": lambda values: pd.Series(values, dtype="Int8"),
    "pandas Float64": lambda values: pd.Series(values, dtype="Float64"),
    "polars Float32": lambda values: pl.Series(values.tolist(), dtype=pl.Float32),
    "pyarrow int16": lambda values: pa.array(values.tolist(), pa.int16()),
}
NOT_NEGATIVE = {
    "uint8": lambda values: values.astype(np.uint8),
    "uint64": lambda values: values.astype(np.uint64),
    "pandas UInt16": lambda values: pd.Series(values, dtype="UInt16"),
    "polars UInt8": lambda values: pl.Series(values.tolist(), dtype=pl.UInt8),
}
ZERO_AND_ONE = {
    "bool": lambda values: values.astype(bool),
    "pandas boolean": lambda values: pd.Series(values.astype(bool), dtype="boolean"),
    "polars bool": lambda values: pl.Series(values.astype(bool).tolist()),
    "pyarrow bool": lambda values: pa.array(values.astype(bool).tolist()),
}
# Of numbers that these dtypes hold exactly.
NARROW = {
    "float16": lambda values: values.astype(np.float16),
    "float32": lambda values: values.astype(np.float32),
    "pandas Float32": lambda values: pd.Series(values, dtype="Float32"),
    "polars Float32": lambda values: pl.Series(values.tolist(), dtype=pl.Float32),
    "pyarrow float": lambda values: pa.array(values.tolist(), pa.float32()),
}
OBJECTS = {
    "number objects": lambda values: values.astype(object),
    "pandas number objects": lambda values: pd.Series(values.astype(object), dtype=object),
}

# --------------------------------------------------------------------------- tensors


@cache
def _tensors():
    """Of the libraries that are installed."""
    found = {}
    if util.find_spec("array_api_strict") is not None:
        import array_api_strict as xp

        elsewhere = partial(xp.asarray, device=xp.Device("device1"))
        found["tensor"] = xp.asarray
        found["tensor on a device"] = elsewhere
        found["list of tensors"] = lambda values: [elsewhere(row) for row in values]
    if util.find_spec("torch") is not None:
        import torch

        found["torch"] = lambda values: torch.from_numpy(values.copy())
        found["torch view"] = lambda values: torch.from_numpy(np.repeat(values, 2, axis=0))[::2]
        found["torch with a gradient"] = lambda values: torch.from_numpy(
            values.astype(np.float64)
        ).requires_grad_()
    if util.find_spec("jax") is not None:
        import jax

        jax.config.update("jax_enable_x64", True)
        found["jax"] = jax.numpy.asarray
    return found


# --------------------------------------------------------------------------- matrices


def _names(values):
    return [f"c{k}" for k in range(values.shape[1])]


MATRICES = {
    "list": lambda values: values.tolist(),
    "tuple": lambda values: tuple(map(tuple, values.tolist())),
    "list of arrays": list,
    "Fortran order": np.asfortranarray,
    "strided": lambda values: np.repeat(np.repeat(values, 2, axis=0), 3, axis=1)[::2, ::3],
    "backwards": lambda values: values[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": _read_only,
    "byte-swapped": _swapped,
    "subclass": _own_class,
    "masked, no mask": np.ma.MaskedArray,
    "__array__": OnlyArray,
    "pandas": pd.DataFrame,
    "pandas, columns by name": lambda values: pd.DataFrame(values, columns=_names(values)),
    "pandas, rows by name": lambda values: pd.DataFrame(
        values, [f"r{k}" for k in range(len(values))]
    ),
    "pandas nullable": lambda values: pd.DataFrame(values).convert_dtypes(),
    "pandas Arrow-backed": lambda values: pd.DataFrame(values).convert_dtypes(
        dtype_backend="pyarrow"
    ),
    "polars": lambda values: pl.DataFrame(values, schema=_names(values)),
}
NUMBER_MATRICES = {"long double": lambda values: values.astype(np.longdouble)}
NARROW_MATRICES = {
    "float16": lambda values: values.astype(np.float16),
    "float32": lambda values: values.astype(np.float32),
}
MARKS = {
    "bool": lambda values: values.astype(bool),
    "uint8": lambda values: values.astype(np.uint8),
    "float32": lambda values: values.astype(np.float32),
    "csr_array": sparse.csr_array,
    "csr_matrix": sparse.csr_matrix,
    "csc_matrix": sparse.csc_matrix,
    "coo_array": sparse.coo_array,
    "lil_array": sparse.lil_array,
    "dok_array": sparse.dok_array,
}

# --------------------------------------------------------------------------- lists of classes

LISTS = {
    "tuple": tuple,
    "NumPy": np.asarray,
    "objects": lambda values: np.array(values, dtype=object),
    "pandas": pd.Series,
    "pandas Index": pd.Index,
    "polars": pl.Series,
    "pyarrow": pa.array,
}


# --------------------------------------------------------------------------- which hold what


def columns_for(values, role):
    """Containers of a column, by name.

    Parameters
    ----------
    values : ndarray of shape (n,)
    role : {"labels", "scores", "probabilities", "weights", "groups"}
        What the values are.

    Returns
    -------
    dict of str to callable
    """
    kind = values.dtype.kind
    found = {**LAYOUTS, **COLUMNS}
    names = role in ("labels", "groups")
    if names:
        found |= CATEGORIES
    if role == "labels":
        found["column vector"] = lambda values: values[:, None]
    if kind == "U":
        return found | TEXT
    if not (names and kind == "b"):
        found |= _tensors()
    if role != "labels":
        found |= OBJECTS
    if kind == "b":
        found.pop("byte-swapped")
        return found
    found |= NUMBERS
    if kind == "i" and np.abs(values).max(initial=0) < 100:
        found |= WHOLE
        if values.min(initial=0) >= 0:
            found |= NOT_NEGATIVE
    if set(values.tolist()) <= {0, 1}:
        found |= ZERO_AND_ONE
    if kind == "f" and _is_exact(values):
        found |= NARROW
    return found


def matrices_for(values, role):
    """The same of a matrix of scores or of marks of 0 and 1."""
    found = {**MATRICES, **_tensors()}
    if role == "marks":
        return found | MARKS
    found |= NUMBER_MATRICES
    return found | NARROW_MATRICES if _is_exact(values) else found


def containers_for(kind, values):
    """The same of any array, and of a list of classes.

    Parameters
    ----------
    kind : str
        "labels", "scores", "probabilities", "weights", "groups", "marks", "grades" or "classes".
    values : ndarray, or list of classes

    Returns
    -------
    dict of str to callable
    """
    if kind == "classes":
        return LISTS
    return (columns_for if values.ndim == 1 else matrices_for)(values, kind)


def _is_exact(values):
    """Whether narrow floats hold them. 0 and 1 are clipped by the dtype in some losses."""
    inner = not np.isin(values, (0, 1)).any()
    return inner and bool((values.astype(np.float16) == values).all())
