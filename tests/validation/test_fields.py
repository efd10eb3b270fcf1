"""Fields of results that accept lists, relevance of labels, and tables that memory cannot hold."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from metrics.rankings import test_label_ranking as orders
from scipy.sparse import csr_array

import skmetrics_ext as sx
from skmetrics_ext.validation import InvalidParameterError, Scores
from skmetrics_ext.validation import tables as of_tables
from skmetrics_ext.validation.fields import (
    labels_of,
    numbers_of,
    read_points,
    scores_of,
    shape_error,
    weights_of,
)
from skmetrics_ext.validation.relevance import check_marks, check_relevance
from skmetrics_ext.validation.tables import check_room, check_weights, no_room, read_exact

Array = np.ndarray


def refused(told):
    return pytest.raises(InvalidParameterError, match=told)


@dataclass(frozen=True)
class Field:
    it: Any


@dataclass(frozen=True)
class Points:
    x: Array
    y: Array
    name: str = "curve"


# --------------------------------------------------------------------------- fields


def test_weights_are_whole_or_float64():
    for given, dtype in (
        ([1, 2], np.int64),
        ([0.5, 2], np.float64),
        (np.array([1, 2], np.int8), np.int64),
        (np.array([1, 2], np.float32), np.float64),
        (pd.Series([1, 2]), np.int64),
        ([[1, 0], [0, 2]], np.int64),
        ([], np.float64),
    ):
        field = Field(given)
        found = weights_of(field, "it")
        assert found is field.it
        assert found.dtype == dtype
        assert found.tolist() == np.asarray(given).tolist()
    for kept in (np.array([1, 2]), np.array([0.5]), np.array([-1 + 1j])):  # of derivatives
        assert weights_of(Field(kept), "it") is kept
    for given, told in (
        ([1, -2], r"it must hold .*, got -2 in place 1\."),
        ([[1, 2], [-3, -4]], r"got -3 in row 1, column 0\."),
        ([[[1, 2], [3, np.nan]]], r"got nan in place 0, place 1, place 1\."),
        ([0, np.inf], r"got inf in place 1\."),
        (-1, r"got -1\.$"),
        (["a"], "it must hold numbers"),
        ([[1], [1, 2]], "it must hold numbers"),
    ):
        with refused(told):
            weights_of(Field(given), "it")
    check_weights("it", np.array([0, 5]))
    check_weights("it", np.array([0, 0.5]))


def test_numbers_of_any_dtype_are_kept():
    for given in (np.array([1, 2], np.int8), np.array([True]), np.array([0.5], np.float16)):
        assert numbers_of(Field(given), "it") is given
    assert numbers_of(Field([1, -2]), "it").tolist() == [1, -2]
    assert numbers_of(Field([-0.5]), "it").dtype == np.float64
    assert read_exact([-3, 5], "it").dtype == np.int64
    assert read_exact(np.array([2**63], np.uint64), "it").dtype == np.float64
    assert read_exact(np.array([2**62, 2**61]), "it").dtype == np.int64


def test_scores_keep_their_digits():
    large = [2**60, 2**60 + 1]
    assert scores_of(Field(large), "it").tolist() == large
    for given in (np.array([1, 2], np.int32), np.array([0.5], np.float32)):
        assert scores_of(Field(given), "it") is given
    assert scores_of(Field([True, False]), "it").dtype == np.float64


def test_classes_are_named_once():
    for given in (["a", "b"], [1, 2], np.array([1, 2]), np.array(["a", "b"]), [3]):
        assert labels_of(Field(given), "it").tolist() == list(given)
    for given in (["a", "a"], np.array([1, 2, 1]), np.array([[1, 2], [3, 4]])):
        with refused("it must name each class once, got"):
            labels_of(Field(given), "it")


def test_points_of_a_curve_are_one_dimensional():
    points = Points([0, 1], np.array([0.5, 2]))
    read_points(points)
    assert points.x.tolist() == [0, 1]
    assert type(points.x) is np.ndarray
    assert points.name == "curve"
    for given in ([[0, 1]], 3, [[0], [1]]):
        with refused(r"y must be of shape \(n_points,\), got \("):
            read_points(Points([0, 1], given))
    assert str(shape_error("it", [[1]], "(2,)")) == "it must be of shape (2,), got (1, 1)."


# --------------------------------------------------------------------------- relevance

MARKS = np.array([[1, 0, 1], [0, 1, 0]])
SCORE = np.array([[0.5, 0.25, 0.125], [0.25, 0.5, 0.75]])


@pytest.mark.parametrize("put", [np.array, csr_array, pd.DataFrame])
def test_marks_and_grades_in_any_container(put):
    found = check_marks(put(MARKS), SCORE)
    assert (found.kind, found.classes.tolist()) == ("multilabel-indicator", [0, 1, 2])
    assert found.true.dtype == bool
    assert found.true.tolist() == MARKS.astype(bool).tolist()
    graded = check_relevance(put(3 * MARKS), SCORE)
    assert (graded.kind, graded.classes.tolist()) == ("continuous-multioutput", [0, 1, 2])
    assert graded.true.tolist() == (3 * MARKS).tolist()
    assert graded.score.tolist() == SCORE.tolist()
    two = check_relevance(put(MARKS[:, :2]), SCORE[:, :2], negative=False)
    assert two.true.tolist() == MARKS[:, :2].tolist()
    with refused("only meaningful when there is more than 1 document"):
        check_relevance(put(MARKS[:, :1]), SCORE[:, :1], negative=False)
    with refused("two labels or more to a row"):
        check_relevance(put(MARKS[:, :1]), SCORE[:, :1])
    alone = check_marks(put(MARKS[:, :1]), SCORE[:, :1], one_label=True)
    assert alone.true.tolist() == [[True], [False]]


def test_one_label_is_a_mark():
    for given in ([[1], [2]], [[-1], [1]], [["a"], ["b"]]):
        with refused("indicators, which must be 0 and 1|binary format is not supported"):
            check_marks(given, [[0.5], [0.25]], one_label=True)
    with refused("multiclass format is not supported"):
        check_marks([[0], [1], [2]], [[0.5], [0.25], [0.1]], one_label=True)
    with refused("is one sparse column"):
        check_marks(csr_array([[1], [0]]), [[0.5], [0.25]])


@pytest.mark.parametrize(
    ("grades", "told"),
    [
        ([[0, 1], [1, 0], [2, -1]], r"row 2: -1"),
        ([[1, 2], [-3, -1], [-5, 0]], r"row 1: -3"),
        ([[-0.5, 2], [1, 1], [1, 2]], r"row 0: -0\.5"),
    ],
)
def test_the_first_grade_below_0(grades, told):
    score = np.arange(6).reshape(3, 2)
    with refused(f"negative y_true values. The first is in {told}"):
        check_relevance(grades, score, negative=False)
    assert check_relevance(grades, score).true.tolist() == grades
    checked = check_relevance(grades, score)
    assert check_relevance(checked, checked) is checked
    with refused(told):
        check_relevance(checked, checked, negative=False)
    whole = np.abs(grades)
    assert check_relevance(whole, score, negative=False).true.tolist() == whole.tolist()


def test_weights_of_rows_of_labels_may_be_tiny():
    found = check_marks(MARKS, SCORE, sample_weight=np.array([1, 3]) * 2.0**-300)
    assert found.weight.tolist() == [0.25, 0.75]
    theirs = sklearn.metrics.coverage_error(MARKS, SCORE, sample_weight=[1, 3])
    ours = sx.coverage_error(MARKS, SCORE, sample_weight=np.array([1, 3]) * 2.0**-300)
    assert ours == pytest.approx(theirs, rel=1e-14)


def test_checked_scores_of_one_label_a_row_rank_no_labels():
    one = Scores.check([0, 1], [0.25, 0.5])
    several = Scores.check([0, 1, 2], np.eye(3))
    for checked in (one, several):
        with refused("multiclass format|binary format"):
            check_marks(checked, checked)
        with refused("Got (binary|multiclass) instead"):
            check_relevance(checked, checked)


# --------------------------------------------------------------------------- memory


def test_tables_that_memory_does_not_hold(monkeypatch):
    """Together with a copy; below 1 GiB nobody asks how much there is."""
    monkeypatch.setattr(of_tables, "_memory", lambda: 2.0**31)
    check_room(8192, 2)  # 1 GiB, and its copy
    check_room(11585)
    for n_classes, n_tables in ((8193, 2), (8192, 3), (11586, 1), (100_000, 1)):
        with refused("more than this process can have"):
            check_room(n_classes, n_tables)
    monkeypatch.setattr(of_tables, "_memory", lambda: 2.0**31 - 1)
    with refused("^2 confusion tables of 8192 classes would take 1 GiB"):
        check_room(8192, 2)
    check_room(8191, 2)  # less than 1 GiB
    monkeypatch.setattr(of_tables, "_memory", lambda: 1.0)
    check_room(8191, 2)
    check_room(1)


@pytest.mark.parametrize(
    ("n_classes", "n_tables", "told"),
    [
        (16384, 1, "A confusion table of 16384 classes would take 2 GiB"),
        (8192, 3, "3 confusion tables of 8192 classes would take 1.5 GiB"),
        (8192, 2, "2 confusion tables of 8192 classes would take 1 GiB"),
    ],
)
def test_the_size_of_a_table_is_told(n_classes, n_tables, told):
    assert str(no_room(n_classes, n_tables)).startswith(told)


@pytest.mark.parametrize(
    ("soft", "hard", "expected"), [(-1, 7, 4_096_000), (5000, -1, 5000), (2**40, 2**40, 4_096_000)]
)
def test_memory_is_that_of_the_machine_or_the_limit_of_the_process(
    soft, hard, expected, monkeypatch
):
    pages = {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(of_tables.os, "sysconf", pages.__getitem__, raising=False)
    limits = SimpleNamespace(RLIM_INFINITY=-1, RLIMIT_AS=9, getrlimit={9: (soft, hard)}.get)
    monkeypatch.setitem(sys.modules, "resource", limits)
    assert of_tables._memory() == expected
    monkeypatch.setattr(of_tables.os, "sysconf", int)  # of a name that the machine does not know
    assert of_tables._memory() == float("inf")


def test_a_table_needs_room_for_a_working_copy(monkeypatch):
    """Two tables of 30,000 classes take 14.4e9 bytes, one of them 7.2e9."""
    monkeypatch.setattr(of_tables, "_memory", lambda: 14e9)
    check_room(29_000)
    with pytest.raises(ValueError, match=r"30000 classes would take 6.71 GiB"):
        check_room(30_000)
    with pytest.raises(ValueError, match=r"3 confusion tables of 20000 classes"):
        check_room(20_000, 3)


def test_checked_data_take_the_place_of_both_matrices():
    weight = [1, 2, 1, 3, 1]
    checked = Scores.check(orders.MARKS, orders.SCORE, sample_weight=weight)
    for function in orders.EVERY:
        assert function(checked, checked) == function(
            orders.MARKS, orders.SCORE, sample_weight=weight
        )
    graded = check_relevance(orders.GRADES, orders.SCORE)
    for function in orders.OF_GRADES:
        assert function(graded, graded) == function(orders.GRADES, orders.SCORE)
    single = Scores.check([0, 1], [0.2, 0.3])
    negative = check_relevance(-orders.GRADES, orders.SCORE)
    for function in orders.EVERY:
        with pytest.raises(ValueError, match="binary"):
            function(single, single)
        if function is not sx.dcg_score:
            with pytest.raises(ValueError, match=r"multioutput|negative"):
                function(negative, negative)
