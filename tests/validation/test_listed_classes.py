"""The classes that ``labels=`` lists: in any container, and each of them a label."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from skmetrics_ext import confusion_matrix, f1_score

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
    with pytest.raises(ValueError, match="labels"):
        confusion_matrix([0, 1], [0, 1], labels=labels)


@pytest.mark.parametrize(
    ("y_true", "labels", "told"),
    [
        (
            [2, 3],
            ["a", "b"],
            r"labels holds text, \['a', 'b'\], and the classes are numbers",
        ),
        (["x", "y"], [1, 2], r"labels holds numbers, \[1, 2\], and the classes are text"),
        (["x", "y"], ["a", 1], "and the classes are text"),
        ([True, False], ["True"], "and the classes are numbers"),
        (np.array(["x", "y"], object), [1], "and the classes are text"),
        (pd.Categorical(["x", "y"]), [1], "and the classes are text"),
    ],
)
def test_no_label_of_another_type_is_taken_for_an_absent_class(y_true, labels, told):
    for average in (None, "macro", "micro"):
        with pytest.raises(ValueError, match=told):
            f1_score(y_true, y_true, labels=labels, average=average)


def test_one_label_of_the_type_of_the_classes_is_enough():
    found = f1_score(["x", "y"], ["x", "y"], labels=["x", 2], average=None, zero_division=0)
    assert found.tolist() == [1, 0]
    absent = f1_score(["x", "y"], ["x", "y"], labels=["v", "w"], average=None, zero_division=0)
    assert absent.tolist() == [0, 0]


def test_a_list_of_one_class_twice():
    with pytest.raises(ValueError, match=r"names a class twice: \[0, 1, 0\]"):
        confusion_matrix([0, 1], [0, 1], labels=[0, 1, 0])


LARGE = 2**53 + 1


def test_large_integers_next_to_floats():
    """Up to 2**53 floats are exact."""
    assert f1_score([1, 2], [1, 2], labels=[1.0, 2**53], average=None, zero_division=0)[0] == 1
    assert confusion_matrix([LARGE, 1], [LARGE, 1], labels=[1, LARGE]).tolist() == [[1, 0], [0, 1]]
    for large in (LARGE, -LARGE):
        with pytest.raises(ValueError, match=f"labels lists {large}, beyond"):
            f1_score([1, 2], [1, 2], labels=[0.5, large], average=None)
