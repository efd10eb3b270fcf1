"""The classes that ``labels=`` lists: in any container, and each of them a label."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from skmetrics_ext import confusion_matrix
from skmetrics_ext.validation import InvalidParameterError

LISTS = {
    "tuple": tuple,
    "NumPy": np.array,
    "objects": lambda labels: np.array(labels, dtype=object),
    "pandas": pd.Series,
    "pandas Index": pd.Index,
    "pandas category": lambda labels: pd.Series(labels, dtype="category"),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow chunks": lambda labels: pa.chunked_array([labels[:1], labels[1:]]),
    "pyarrow dictionary": lambda labels: pa.array(labels).dictionary_encode(),
}


@pytest.mark.parametrize("put", LISTS)
@pytest.mark.parametrize("labels", [[2, 0], ["b", "a"], [True, False]])
def test_a_list_in_any_container(labels, put):
    y_true, y_pred = np.array([*labels, labels[0]]), np.array([*labels[::-1], labels[0]])
    table = confusion_matrix(y_true, y_pred, labels=LISTS[put](labels))
    assert table.tolist() == [[1, 1], [1, 0]]


@pytest.mark.parametrize(
    "labels",
    ["ab", 1, {0: 1}, [[0, 1]], [[0], [0, 1]], [None, 1], ["a", None], [0.0, np.nan], [1j, 2],
     [b"a"], [object()], np.array(["2020-01-01"], "M8[D]"), pa.array([0, None]), []],
)  # fmt: skip
def test_what_is_no_list_of_labels(labels):
    with pytest.raises(InvalidParameterError, match="labels"):
        confusion_matrix([0, 1], [0, 1], labels=labels)
