"""Sorted classes, the order that columns declare, and the codes of labels of several types."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import skmetrics_ext as sx
from skmetrics_ext.validation import InvalidParameterError, Labels

TRUE, PRED = ["low", "high", "mid", "low", "mid"], ["low", "mid", "mid", "high", "low"]
GRADES = ["low", "mid", "high"]
ALPHABET = sorted(GRADES)


def ordered(values, categories=GRADES):
    return pd.Categorical(values, categories=categories, ordered=True)


def enum(values, categories=GRADES):
    return pl.Series(values, dtype=pl.Enum(categories))


def dictionary(values, categories=GRADES):
    codes = pa.array([categories.index(value) for value in values], pa.int32())
    return pa.DictionaryArray.from_arrays(codes, pa.array(categories), ordered=True)


def order_of(true, pred):
    checked = Labels.check(true, pred)
    back = [checked.classes[codes].tolist() for codes in (checked.true, checked.pred)]
    assert back == [list(map(str, true)), list(map(str, pred))]
    assert checked.classes.tolist() == sorted(
        {*map(str, true), *map(str, pred)}
    )  # as in estimators
    if not isinstance(checked.ordered, tuple):
        return checked.ordered
    return [label for label in checked.ordered if label in checked.classes]


@pytest.mark.parametrize("put", [ordered, enum, dictionary])
def test_an_order_that_is_declared_is_known_and_classes_are_sorted(put):
    plain = [np.array(values) for values in (TRUE, PRED)]
    assert order_of(*plain) is False
    for true, pred in (
        (put(TRUE), put(PRED)),
        (put(TRUE), plain[1]),
        (plain[0], put(PRED)),
        (put(TRUE, ["none", *GRADES, "top"]), plain[1]),
    ):
        checked = Labels.check(true, pred)
        assert checked.classes.tolist() == ALPHABET
        assert order_of(true, pred) == GRADES
        assert checked.true.tolist() == [ALPHABET.index(value) for value in TRUE]
        assert checked.pred.tolist() == [ALPHABET.index(value) for value in PRED]
        assert sx.confusion_matrix(true, pred).tolist() == [[0, 0, 1], [1, 1, 0], [0, 1, 1]]


def test_a_declared_order_has_to_have_all_classes():
    """One that lacks a class leaves its place open."""
    short = ordered(["low", "high", "low", "low", "high"], ["low", "high"])
    assert order_of(short, np.array(PRED)) is False
    assert order_of(np.array(PRED), short) is False
    assert order_of(short, ordered(PRED)) == GRADES
    assert order_of(ordered(PRED), short) == GRADES
    other = ordered(["mid"] * 5, ["mid"])
    assert order_of(short, other) is False


@pytest.mark.parametrize(
    ("first", "second", "conflict"),
    [
        (GRADES, GRADES, False),
        (GRADES, GRADES[::-1], True),
        (GRADES, ["mid", "low", "high"], True),
        (GRADES, ["low", "high", "mid"], True),
        (["none", *GRADES], [*GRADES, "top"], False),
        (GRADES, [*GRADES[::-1], "top"], True),
        (["top", *GRADES], [*GRADES, "top"], False),  # of which no row is
    ],
)
def test_orders_that_conflict_declare_none(first, second, conflict):
    found = order_of(ordered(TRUE, first), ordered(PRED, second))
    assert found == (None if conflict else GRADES)


def test_orders_of_parts_conflict_only_in_what_they_share():
    """Two grades of each, one in common."""
    low, high = ordered(["low", "mid"], ["low", "mid"]), ordered(["mid", "high"], ["mid", "high"])
    assert order_of(low, high) is False
    assert order_of(ordered(["a", "b"], ["b", "a"]), ordered(["a", "a"], ["a"])) == ["b", "a"]


def test_categories_without_an_order_go_by_the_alphabet():
    for categories in (GRADES, [*GRADES, "none"], GRADES[::-1]):
        column = pd.Categorical(TRUE, categories=categories)
        assert order_of(column, np.array(PRED)) is False
        assert order_of(np.array(PRED), column) is False


def test_categories_of_numbers():
    true, pred = [3, 1, 2, 3], [3, 1, 1, 2]
    for categories in ([1, 2, 3], [3, 2, 1], [9, 3, 1, 2]):
        column = pd.Categorical(true, categories=categories)
        assert sx.confusion_matrix(column, pred).tolist() == [[1, 0, 0], [1, 0, 0], [0, 1, 1]]
        found = sx.confusion_matrix(ordered(true, categories), pred, labels=[1, 2, 3])
        assert found.tolist() == [[1, 0, 0], [1, 0, 0], [0, 1, 1]]
    with pytest.raises(InvalidParameterError, match=r"Mix of label.*Got \[1 2 3\] and \['a' 'b'\]"):
        sx.accuracy_score(pd.Categorical([1, 2, 3]), ["a", "b", "a"])
    many = [*"abcdefg"]
    with pytest.raises(InvalidParameterError, match=r"\['a' 'b' 'c' 'd' 'e'\] and \[0 1 2 3 4\] i"):
        sx.accuracy_score(pd.Categorical(many), pd.Categorical(range(7)))


@pytest.mark.parametrize(
    ("true", "pred", "classes", "kind"),
    [
        ([True, False], [1, 0], [0, 1], "b"),
        ([1, 0], [True, False], [0, 1], "i"),
        ([True, True], [1, 0], [0, 1], "i"),
        ([True, False], [1, 2], [0, 1, 2], "i"),
        ([True, False], [1.0, 0.0], [0, 1], "b"),
        ([1.0, 0.0], [True, False], [0, 1], "f"),
        ([True, False], [False, False], [0, 1], "b"),
        ([2, 0], [2.0, 1.0], [0, 1, 2], "f"),
    ],
)
def test_true_and_1_are_one_class(true, pred, classes, kind):
    """Classes are booleans where the true labels are, unless there are others."""
    found = Labels.check(np.array(true), np.array(pred)).classes
    assert found.tolist() == classes
    assert found.dtype.kind == kind


LARGE = 2**53


@pytest.mark.parametrize("large", [LARGE + 1, -LARGE - 1, 2**62, -(2**62)])
@pytest.mark.parametrize("put", [np.array, pd.Series, pd.Categorical])
def test_integers_that_floats_do_not_tell_apart(large, put):
    for rows in ([large, 0, 1], [0, large, 5]):
        with pytest.raises(InvalidParameterError, match=rf"beyond 2\*\*53, such as {large}"):
            sx.accuracy_score(put(rows), np.array([0.0, 1.0, 0.0]))
        with pytest.raises(InvalidParameterError, match="integers beyond"):
            sx.accuracy_score(np.array([0.0, 1.0, 0.0]), put(rows))
        assert sx.accuracy_score(put(rows), np.array(rows)) == 1


@pytest.mark.parametrize("large", [LARGE, -LARGE])
def test_integers_that_floats_tell_apart(large):
    for dtype in (np.int64, object):
        true = np.array([large, 0, 1], np.int64)
        column = true if dtype is np.int64 else pd.Categorical(true)
        assert sx.accuracy_score(column, true.astype(float)) == 1
        assert sx.accuracy_score(true.astype(float), column) == 1


def test_labels_that_do_not_occur_are_no_class():
    table = sx.confusion_matrix(["b", "a"], ["b", "b"], labels=["c", "b", "d"])
    assert table.tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
