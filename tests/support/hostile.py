"""What is no column of labels, scores, weights or groups: by kind, what is wrong and a value.

Each is made from a column that is right, so that nothing else is wrong with it. ``refused_for``
gives those that no door may answer.
"""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse


class Unreadable:
    """An array that cannot be brought to this process."""

    def __init__(self, n_rows):
        self.shape = (n_rows,)

    def __len__(self):
        return self.shape[0]

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("no such device")


def _second(values, stray):
    """A list whose second value is another one."""
    listed = values.tolist()
    listed[1] = stray if values.ndim == 1 else [stray] * values.shape[1]
    return listed


def _objects(values, stray):
    found = values.astype(object)
    found[1] = stray
    return found


def _marks(values, none, mark):
    """Both occur: no label of the first row is marked, and each of the second."""
    marked = values > 0
    marked[0], marked[1] = False, True
    return np.where(marked, mark, none)


def _twice(marks):
    """The first mark in two entries, which a sum makes 2."""
    rows, columns = marks.coords
    again = tuple(np.append(places, places[:1]) for places in (rows, columns))
    return sparse.coo_array((np.append(marks.data, marks.data[:1]), again), marks.shape)


def _deep(values):
    return np.stack([np.stack([values, values], -1)] * 2, -1)


# --------------------------------------------------------------------------- of any column

NO_COLUMN = {
    "a scalar": lambda values: 1,
    "a scalar of NumPy": lambda values: np.float64(0.5),
    "an array without dimensions": lambda values: np.array(1),
    "a word": lambda values: "abc",
    "bytes": lambda values: b"abcd"[: len(values)],
    "a dict": lambda values: dict(enumerate(values.tolist())),
    "a set": lambda values: set(map(str, values.tolist())),
    "a generator": lambda values: (value for value in values.tolist()),
    "an object": lambda values: object(),
    "a type": lambda values: list,
    "a function": lambda values: len,
    "an unreadable array": lambda values: Unreadable(len(values)),
    "one row less": lambda values: values[:-1],
    "one row more": lambda values: np.concatenate([values, values[:1]]),
    "a pandas column of one row less": lambda values: pd.Series(list(values[:-1])),
    "no rows": lambda values: values[:0],
    "an empty list": lambda values: [],
    "three dimensions": _deep,
    "ragged rows": lambda values: [[1] * (1 + row % 2) for row in range(len(values))],
    "lists of no length": lambda values: [[]] * len(values),
    "dicts": lambda values: [{"a": 1}] * len(values),
    "objects": lambda values: [object() for _ in values],
    "records": lambda values: np.zeros(len(values), [("a", "i8"), ("b", "f8")]),
    "a sparse column": lambda values: sparse.csr_array(np.ones((len(values), 1))),
    "a lazy frame": lambda values: pl.LazyFrame({"a": [1] * len(values)}),
    "a column of structs": lambda values: pl.Series([{"a": 1}] * len(values)),
    "a column of lists": lambda values: pl.Series([[1, 2]] * len(values)),
    "an Arrow column of structs": lambda values: pa.array([{"a": 1}] * len(values)),
    "an Arrow column of lists": lambda values: pa.array([[1, 2]] * len(values)),
    "pyarrow nulls": lambda values: pa.nulls(len(values)),
    "polars nulls": lambda values: pl.Series([None] * len(values)),
    "nothing but None": lambda values: [None] * len(values),
    "nothing but nan": lambda values: np.full(len(values), np.nan),
    "an Arrow scalar": lambda values: pa.scalar(1),
}
MISSING = {
    "None among": lambda values: _second(values, None),
    "None among objects": lambda values: _objects(values, None),
    "NA among objects": lambda values: _objects(values, pd.NA),
    "nan among objects": lambda values: _objects(values, float("nan")),
}
MISSING_IN_COLUMN = {
    "nan in pandas": lambda values: pd.Series(_second(values, None)),
    "NA in a nullable column": lambda values: pd.Series(_second(values, None)).convert_dtypes(),
    "null in Arrow-backed": lambda values: pd.Series(_second(values, None)).convert_dtypes(
        dtype_backend="pyarrow"
    ),
    "null in polars": lambda values: pl.Series(_second(values, None)),
    "null in pyarrow": lambda values: pa.array(_second(values, None)),
    "null in pyarrow chunks": lambda values: pa.chunked_array([_second(values, None)]),
    "NaT among": lambda values: _objects(values, pd.NaT),
}
NO_NUMBERS = {
    "nan among": lambda values: _floats(values, np.nan),
    "infinity among": lambda values: _floats(values, np.inf),
    "minus infinity among": lambda values: _floats(values, -np.inf),
    "nan in a list": lambda values: _second(values, float("nan")),
    "complex": lambda values: values + 1j,
    "text among": lambda values: _second(values, "x"),
    "text among objects": lambda values: _objects(values, "1"),
    "numbers as text": lambda values: values.astype(str),
    "numbers as text objects": lambda values: values.astype(str).astype(object),
    "numbers as pandas text": lambda values: pd.Series(values.ravel().astype(str)),
    "numbers as bytes": lambda values: values.astype("S8"),
    "dates": lambda values: values.astype("i8").astype("M8[D]"),
    "spans of time": lambda values: values.astype("i8").astype("m8[s]"),
    "dicts among objects": lambda values: _objects(values, {}),
}


def _floats(values, stray):
    found = values.astype(np.float64)
    found.reshape(-1)[1] = stray
    return found


# --------------------------------------------------------------------------- by kind

NO_LABELS = {
    "fractions": lambda values: np.arange(len(values)) / 3,
    "nan among numbers": lambda values: np.where(np.arange(len(values)) == 1, np.nan, 1.0),
    "infinity among numbers": lambda values: np.where(np.arange(len(values)) == 1, np.inf, 1.0),
    "complex": lambda values: np.arange(len(values)) * 1j,
    "dates": lambda values: np.arange(len(values)).astype("M8[D]"),
    "pandas dates": lambda values: pd.Series(np.arange(len(values)).astype("M8[s]")),
    "polars dates": lambda values: pl.Series(np.arange(len(values)).astype("M8[D]")),
    "periods": lambda values: pd.period_range("2020", periods=len(values), freq="D"),
    "intervals": lambda values: pd.interval_range(0, len(values)),
    "spans of time": lambda values: np.arange(len(values)).astype("m8[s]"),
    "bytes labels": lambda values: np.array([b"a", b"b"] * len(values))[: len(values)],
    "numbers beside text": lambda values: ["a", 1] * (len(values) // 2) + ["a"] * (len(values) % 2),
    "text and numbers as objects": lambda values: _objects(
        np.array(["a"] * len(values), dtype=object), 1
    ),
    "a missing category": lambda values: pd.Categorical(_second(values, None)),
    "a null in a dictionary": lambda values: pa.array(_second(values, None)).dictionary_encode(),
    "lists of labels": lambda values: [[0, 1, 2] for _ in values],
    "tuples as objects": lambda values: pd.Series([(0, 1) for _ in values]),
    "four columns": lambda values: np.arange(4 * len(values)).reshape(-1, 4),
}
NO_SCORES = {
    "categories": lambda values: pd.Categorical(values.ravel()),
    "an Arrow dictionary": lambda values: pa.array(values.ravel()).dictionary_encode(),
    "nine columns": lambda values: np.full((len(values), 9), 0.25),
}
NO_PROBABILITIES = {
    "above 1": lambda values: _floats(values, 1.25),
    "below 0": lambda values: _floats(values, -0.25),
}
# Marks are 0 and 1, or booleans.
NO_MARKS = {
    "-1 and 1": lambda marks: _marks(marks, -1, 1),
    "1 and 2": lambda marks: _marks(marks, 1, 2),
    "0 and 2": lambda marks: _marks(marks, 0, 2),
    "0 and -1": lambda marks: _marks(marks, 0, -1),
    "0 and 255": lambda marks: _marks(marks, 0, 255).astype(np.uint8),
    "-1.0 and 1.0 in a list": lambda marks: _marks(marks, -1.0, 1.0).tolist(),
    "1 and 2 in pandas": lambda marks: pd.DataFrame(_marks(marks, 1, 2)),
    "0 and 2, nullable": lambda marks: pd.DataFrame(_marks(marks, 0, 2)).convert_dtypes(),
    "-1 and 1 in polars": lambda marks: pl.DataFrame(_marks(marks, -1, 1)),
    "0 and 2, sparse": lambda marks: sparse.csr_array(_marks(marks, 0, 2)),
    "-1 and 1, sparse": lambda marks: sparse.coo_matrix(_marks(marks, -1, 1)),
    "0, 1 and 2, sparse": lambda marks: sparse.csc_array(_marks(marks, 0, 1).cumsum(axis=1)),
    "a mark counted twice, sparse": lambda marks: _twice(sparse.coo_array(_marks(marks, 0, 1))),
    "nan, sparse": lambda marks: sparse.csr_array(_marks(marks, 0, np.nan)),
    "complex, sparse": lambda marks: sparse.csr_array(_marks(marks, 0, 1j)),
}
NO_WEIGHTS = {
    "a negative weight": lambda values: _floats(values, -1),
    "no weight at all": lambda values: np.zeros(len(values)),
    "two columns": lambda values: np.ones((len(values), 2)),
    "categories": lambda values: pd.Categorical(values),
    "a sum beyond integers": lambda values: np.full(len(values), 2**62),
}
NO_GROUPS = {"two columns": lambda values: np.ones((len(values), 2))}
NO_CLASSES = {
    "a scalar": lambda values: 1,
    "a word": lambda values: "ab",
    "a dict": lambda values: dict.fromkeys(values),
    "nested": lambda values: [values],
    "None among": lambda values: [None, *values[1:]],
    "nan among": lambda values: [*values[:-1], float("nan")],
    "lists": lambda values: [[value] for value in values],
    "objects": lambda values: [object() for _ in values],
    "complex": lambda values: [1j, 2j],
    "an object": lambda values: object(),
    "a function": lambda values: len,
}

# Numbers of any shape, some of which may be missing.
NO_PLAIN_NUMBERS = {
    what: make
    for what, make in {**NO_COLUMN, **NO_NUMBERS}.items()
    if what
    not in (
        *("a scalar", "a scalar of NumPy", "an array without dimensions", "an Arrow scalar"),
        *("three dimensions", "no rows", "an empty list", "lists of no length", "ragged rows"),
        *("one row less", "one row more", "a pandas column of one row less", "pyarrow nulls"),
        *("polars nulls", "nothing but None", "nothing but nan", "nan among", "nan in a list"),
        *("infinity among", "minus infinity among", "a column of structs"),
    )
}
_BY_KIND = {
    "labels": (NO_COLUMN, MISSING, MISSING_IN_COLUMN, NO_LABELS),
    "scores": (NO_COLUMN, MISSING, NO_NUMBERS, NO_SCORES),
    "probabilities": (NO_COLUMN, MISSING, NO_NUMBERS, NO_SCORES, NO_PROBABILITIES),
    "weights": (NO_COLUMN, MISSING, MISSING_IN_COLUMN, NO_NUMBERS, NO_WEIGHTS),
    "groups": (
        {what: NO_COLUMN[what] for what in NO_COLUMN if what != "records"},
        MISSING,
        MISSING_IN_COLUMN,
        NO_GROUPS,
    ),
    "numbers": (NO_PLAIN_NUMBERS,),
    "marks": (NO_COLUMN, MISSING, NO_NUMBERS, NO_MARKS),
    "grades": (NO_COLUMN, MISSING, NO_NUMBERS),
}


def refused_for(kind, values):
    """What no door may answer in the place of these values, by what is wrong with it.

    Parameters
    ----------
    kind : str
        What the values are: "labels", "scores", "probabilities", "weights", "groups", "marks",
        "grades" or "classes".
    values : ndarray of shape (n,) or (n, k), or list of classes

    Returns
    -------
    dict of str to object
    """
    if kind == "classes":
        return {what: make(values) for what, make in NO_CLASSES.items()}
    tables = _BY_KIND[kind]
    if values.ndim == 1 and kind in ("scores", "probabilities"):
        tables += (MISSING_IN_COLUMN,)
    return {what: make(values) for table in tables for what, make in table.items()}
