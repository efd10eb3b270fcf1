"""Numbers as parameters, options, tables of counts: which are accepted, and what errors say."""

import warnings

import numpy as np
import pandas as pd
import pytest

import skmetrics_ext as sx
from skmetrics_ext.annotations import usage
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.errors import (
    near,
    printable,
    shown_labels,
    shown_names,
    warn_user,
)
from skmetrics_ext.validation.parameters import (
    check_integer,
    check_interval,
    check_level,
    check_number,
)

EPS = np.finfo(float).eps
INSIDE = {
    "(0, 1)": [0.5, EPS, 1 - EPS, np.float32(0.25), np.array(0.5)],
    "[0, 1)": [0, 0.0, 0.5, 1 - EPS, np.int64(0)],
    "(0, 1]": [1, 1.0, 0.5, EPS],
    "[0, 1]": [0, 1, 0.25],
    "(-inf, inf)": [0, -1e300, 1e300],
    "[1, inf)": [1, 1e9],
    "[0.5, 12]": [0.5, 12, 1],
    "[10, 20]": [10, 20, 15.5],
}
OUTSIDE = {
    "(0, 1)": [0, 1, -0.5, 1.5, 0.0, 1.0, np.nan],
    "[0, 1)": [1, 1.0, -EPS, 2],
    "(0, 1]": [0, 1 + 2 * EPS, -1],
    "[0, 1]": [-EPS, 1 + 2 * EPS, np.inf],
    "(-inf, inf)": [np.inf, -np.inf, np.nan],
    "[1, inf)": [1 - EPS, np.inf, 0],
    "[0.5, 12]": [0.4, 12.5],
    "[10, 20]": [9, 21, 1, 2],
}
NO_NUMBERS = [None, "0.5", "a", True, False, [0.5, 0.5], {}, object()]


@pytest.mark.parametrize("interval", INSIDE)
def test_numbers_in_an_interval(interval):
    for value in INSIDE[interval]:
        assert check_interval("it", value, interval) == value
    for value in OUTSIDE[interval] + NO_NUMBERS:
        with pytest.raises(InvalidParameterError) as told:
            check_interval("it", value, interval)
        assert str(told.value) == f"it has to be a number in {interval}, got {value!r}."


def test_levels_lie_between_0_and_1():
    for value in INSIDE["(0, 1)"]:
        assert check_level(value) == value
    for value in [*OUTSIDE["(0, 1)"], *NO_NUMBERS, 95, "95%"]:
        with pytest.raises(InvalidParameterError, match=r"level has to be a number in \(0, 1\)"):
            check_level(value, "level")
        with pytest.raises(InvalidParameterError, match="confidence_level has to be a number"):
            sx.confidence_interval("accuracy", [0, 1], [0, 1], confidence_level=value)


@pytest.mark.parametrize("low", [0, 1, -2.5])
def test_numbers_of_a_least_size(low):
    for value in (low, low + EPS * 8, 1e300, np.float32(low)):
        assert check_number("it", value, low) == value
    for value in (low - 1e-9, np.inf, -np.inf, np.nan, *NO_NUMBERS):
        with pytest.raises(InvalidParameterError) as told:
            check_number("it", value, low)
        assert str(told.value) == f"it has to be a finite number of {low:g} or more, got {value!r}."


@pytest.mark.parametrize("low", [0, 1, 5])
def test_integers_of_a_least_size(low):
    for value in (low, low + 1, np.int32(low), np.uint8(low + 3)):
        found = check_integer("it", value, low)
        assert found == value
        assert type(found) is int
    for value in (low - 1, float(low), low + 0.5, np.float64(low), np.nan, *NO_NUMBERS):
        with pytest.raises(InvalidParameterError) as told:
            check_integer("it", value, low)
        assert str(told.value) == f"it has to be an integer of {low} or more, got {value!r}."


def test_options():
    for value, options in ((0, [0, 1]), (None, [None]), ("a", ("a", "b")), (True, [1, 2])):
        check_option("it", value, options)
    for value in ("c", None, 3, ["a"], np.array(["a", "b"]), {}):
        with pytest.raises(InvalidParameterError, match=r"it has to be one of \['a', 'b'\], got"):
            check_option("it", value, ("a", "b"))
    with pytest.raises(InvalidParameterError, match="it has to be one of"):
        check_option("it", np.array([0, 1]), (0, 1))


# --------------------------------------------------------------------------- errors


def test_what_errors_show():
    assert printable("a b\u00e9\u4e2d") == "a b\u00e9\u4e2d"
    assert printable("a\nb\x1b[31m\t\x00\u202e") == r"a\nb\x1b[31m\t\x00\u202e"
    assert printable(3) == "3"
    names = [f"c{k}" for k in range(13)]
    assert shown_names(names[:12]) == ", ".join(names[:12])
    assert shown_names(names) == ", ".join(names[:12]) + ", ... (13 in all)"
    assert shown_names(names, most=2) == "c0, c1, ... (13 in all)"
    assert shown_names(["a\n", 3]) == r"a\n, 3"
    assert shown_labels(np.arange(10)) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
    assert shown_labels(range(11)) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...]"
    assert shown_labels((None, "b", 1.5)) == "[(another), 'b', 1.5]"
    known = ["recall", "recalls", "precision", "recall_", "f1"]
    assert near("recal", known) == " Did you mean 'recall' or 'recalls'?"
    assert near("precision_", known) == " Did you mean 'precision'?"
    assert near("f2", ["f1", "x"]) == ""
    assert near("nothing", known) == ""
    assert near("abcde", ["abcxy"]) == " Did you mean 'abcxy'?"  # 3 of 5 letters


def test_how_to_call_a_function_is_shown():
    def plain(a, b, c=3, *, d, e=5, **more):
        pass

    def of_table(data, *, true, pred=None):
        pass

    assert usage(plain) == "Write plain(a, b, d=..., ...)."
    told = "Write of_table(data, true=..., ...) with names of columns of data; compute_metrics"
    assert usage(of_table) == f"{told} takes arrays."
    with pytest.raises(TypeError, match=r"Write f1_score\(y_true, y_pred, \.\.\.\)\.$"):
        sx.f1_score([0, 1])


def test_a_warning_names_the_line_of_the_user():
    """Through however many functions of the package it came."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        sx.precision_score([1, 0], [0, 0])
        sx.compute_metrics(["precision"], [1, 0], [0, 0])
        sx.log_loss([0, 1], [[0.5, 0.4], [0.5, 0.5]])
        warn_user("it")
    assert len(told) == 4
    assert {one.filename for one in told} == {__file__}
    assert len({one.lineno for one in told}) == 4


# --------------------------------------------------------------------------- tables


TABLES = {
    "a row": ([[1, 2]], r"table must be square, .*got shape \(1, 2\)"),
    "a list": ([1, 2], r"table must be square, .*got shape \(2,\)"),
    "none": ([], "table must be square"),
    "no cell": (np.zeros((0, 0)), r"table must be square, .*got shape \(0, 0\)"),
    "three axes": (np.ones((2, 2, 2)), r"table must be square, .*got shape \(2, 2, 2\)"),
    "zeros": ([[0, 0], [0, 0]], "table must hold a row at least; every cell of it is 0"),
    "below 0": ([[1, 2], [-3, 4]], r"not negative, got -3 in row 1, column 0\."),
    "a fraction below 0": ([[1, -0.5], [3, 4]], r"not negative, got -0\.5 in row 0, column 1\."),
    "infinity": ([[1, 2], [3, np.inf]], r"finite weights .*, got inf in row 1, column 1\."),
    "nan": ([[1, np.nan], [3, 4]], r"finite weights .*, got nan in row 0, column 1\."),
    "text": ([["a", "b"], ["c", "d"]], "table must hold numbers"),
    "ragged": ([[1, 2], [3]], "table must hold numbers"),
}  # fmt: skip


@pytest.mark.parametrize("what", TABLES)
def test_what_is_no_table(what):
    table, message = TABLES[what]
    with pytest.raises(InvalidParameterError, match=message):
        ConfusionTally.from_table(table)


@pytest.mark.parametrize("labels", [[0], [0, 1, 2], ["a", "a"], [0, 0]])
def test_labels_name_each_class_of_a_table_once(labels):
    with pytest.raises(InvalidParameterError, match="must name each of the 2 classes of table onc"):
        ConfusionTally.from_table([[1, 2], [3, 4]], labels)


def test_names_of_a_table_are_those_of_its_frame():
    counts = np.array([[4, 1], [2, 3]])
    named = pd.DataFrame(counts, index=["b", "a"], columns=["b", "a"])
    found = ConfusionTally.from_table(named)
    assert sorted(found.classes.tolist()) == ["a", "b"]
    assert sx.recall_score(found, found, labels=["b"], average=None).tolist() == [4 / 5]
    same = ConfusionTally.from_table(named, labels=["b", "a"])
    assert same.table.tolist() == found.table.tolist()
    with pytest.raises(InvalidParameterError, match=r"labels=\['a', 'b'\] are not the names of th"):
        ConfusionTally.from_table(named, labels=["a", "b"])
    with pytest.raises(InvalidParameterError, match=r"labels=\['c', 'd'\] are not the names of th"):
        ConfusionTally.from_table(named, labels=["c", "d"])
    plain = ConfusionTally.from_table(pd.DataFrame(counts), labels=["c", "d"])
    assert plain.classes.tolist() == ["c", "d"]
    for torn in (named[["a", "b"]], named.rename(index={"a": "c"})):
        with pytest.raises(InvalidParameterError, match="name the same classes in the same order"):
            ConfusionTally.from_table(torn)


@pytest.mark.parametrize("dtype", [int, np.uint8, np.int32, bool, float, np.float32])
def test_counts_in_any_dtype_are_whole(dtype):
    counts = np.array([[1, 0], [1, 1]], dtype)
    tally = ConfusionTally.from_table(counts)
    assert tally.table.dtype == (np.float64 if np.dtype(dtype).kind == "f" else np.int64)
    assert sx.accuracy_score(tally, tally) == 2 / 3


def test_counts_beyond_int64_are_floats():
    tally = ConfusionTally.from_table(np.full((2, 2), 2**62, np.int64))
    assert tally.table.dtype == np.float64
    assert sx.accuracy_score(tally, tally) == 0.5
    largest = ConfusionTally.from_table(np.array([[2**62, 0], [0, 2**61]], np.int64))
    assert largest.table.dtype == np.int64
