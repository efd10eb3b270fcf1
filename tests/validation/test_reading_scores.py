"""Scores of any dtype in their order, scores of several classes, and decision values."""

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from scipy.sparse import csr_array

import skmetrics_ext as sx
from skmetrics_ext.validation import (
    InvalidParameterError,
    Scores,
)
from skmetrics_ext.validation.containers import read_column
from skmetrics_ext.validation.scores import (
    check_decisions,
    check_mergeable,
    read_scores_of,
    score_values,
)

INF = float("inf")


def refused(told):
    return pytest.raises(InvalidParameterError, match=told)


# --------------------------------------------------------------------------- scores


def test_numbers_of_any_dtype_are_scores():
    given = [[0, 1, 2, 300], [0.5, 1, 2, 3]]
    for values in given:
        for dtype in (np.float16, np.float32, np.float64, np.longdouble, object):
            found = read_scores_of(np.array(values, dtype), "it")
            assert found.tolist() == values
            assert found.dtype == (np.float32 if dtype in (np.float16, np.float32) else np.float64)
    for dtype in (np.int8, np.uint16, np.int64, bool):
        found = read_scores_of(np.array([0, 1, 1], dtype), "it")
        assert found.tolist() == [0, 1, 1]
        assert found.dtype == np.float64
    assert read_scores_of([[1, 2], [3, 4]], "it").tolist() == [[1, 2], [3, 4]]
    with refused("it must not be masked"):
        read_scores_of(np.ma.array([1.0, 2], mask=[0, 1]), "it")
    assert read_scores_of(np.ma.array([1.0, 2]), "it").tolist() == [1, 2]


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([2**53, 0], np.float64),
        ([-(2**53), 0], np.float64),
        ([2**53 + 1, 0], np.int64),
        ([-(2**53) - 1, 0], np.int64),
        ([2**63 - 1, -(2**63)], np.int64),
        ([2**63, 0], np.float64),
        ([2**64 - 1, 1], np.float64),
        ([-(2**63) - 1, 0], np.float64),
    ],
)
def test_integers_are_exact_as_far_as_there_is_a_dtype(values, dtype):
    for put in (lambda rows: np.array(rows, object), list):
        if put is list and max(values) >= 2**64:
            continue
        found = read_scores_of(put(values), "it")
        assert found.dtype == dtype
        assert np.argsort(found).tolist() == np.argsort(np.array(values, object)).tolist()
        if dtype is np.int64 or max(map(abs, values)) <= 2**53:
            assert [int(one) for one in found] == values


ORDERED = {
    "integers beyond int64": [2**63 + k for k in (0, 1, 2, 2, 900, 5000)],
    "negative": [-(2**64) - k for k in (900, 5, 1, 0, 0)],
    "of both signs": [-(2**70) - 1, -(2**70), -5, 0, 7, 2**70, 2**70 + 1],
    "beyond uint64": [2**80 + k for k in range(5)],
    "among fractions": [-0.5, 0.25, 0.5, 2**60, 2**60 + 1],
}


@pytest.mark.parametrize("what", ORDERED)
def test_numbers_with_more_digits_than_floats_keep_their_order(what):
    values = ORDERED[what]
    found = read_scores_of(np.array(values, object), "it")
    for one, other, float_one, float_other in zip(
        values, values[1:], found, found[1:], strict=False
    ):
        assert (one < other) == (float_one < float_other)
        assert (one == other) == (float_one == float_other)
    np.testing.assert_allclose(found, np.array(values, float), rtol=1e-14)
    matrix = np.array([values, values[::-1]], object)
    both = read_scores_of(matrix, "it")
    np.testing.assert_array_equal(both, [found, found[::-1]])
    backwards = read_scores_of(np.array(values[::-1], object), "it")
    np.testing.assert_array_equal(backwards, found[::-1])


def test_unsigned_integers_beyond_int64_keep_their_order():
    values = np.array([2**63, 2**63 + 1, 2**64 - 1, 2**63 + 1, 2**64 - 2, 5], np.uint64)
    found = read_scores_of(values, "it")
    assert np.unique(found, return_inverse=True)[1].tolist() == [1, 2, 4, 2, 3, 0]
    assert sx.roc_auc_score([0, 1], values[:2]) == 1


def test_long_floats_keep_their_order():
    if np.finfo(np.longdouble).eps == np.finfo(float).eps:
        pytest.skip("long doubles are doubles here")
    eps = np.finfo(np.longdouble).eps
    values = np.array([-1 - eps, -1, 1, 1 + eps, 1 + 2 * eps, 2], np.longdouble)
    found = read_scores_of(values, "it")
    assert found.dtype == np.float64
    assert (np.diff(found) > 0).all()
    np.testing.assert_allclose(found, values.astype(float), rtol=1e-14)
    with refused("it holds numbers of more digits than float64"):
        check_mergeable(read_column(values, "it"))


def test_parts_hold_numbers_that_float64_or_int64_has():
    for values in ([1, 2], [0.5], np.array([2**60, 2**60 + 1]), np.array([1.5], np.float16),
                   csr_array([[1]]), np.array(["a"]), np.array([1, 2.5], object),
                   [2**63, 2**64 - 2**11]):  # fmt: skip
        check_mergeable(read_column(values, "it"))
    for values in (
        np.array([2**64 - 1, 2**64 - 2], np.uint64),
        np.array([2**70, 2**70 + 1], object),
    ):
        with refused("it holds numbers of more digits than float"):
            check_mergeable(read_column(values, "it"))


def test_infinity_is_no_score_however_it_comes():
    for values in ([0.0, INF], np.array([0, INF], np.float32), np.array([1, INF], object),
                   np.array([2**2000, 1], object)):  # fmt: skip
        with refused("infinity.*: it, first in row|must hold num"):
            read_scores_of(values, "it")
    for values in ([0, None], np.array([object()], object), np.array([[1], [2, 3]], object)):
        with refused("it must hold numbers|contains NaN"):
            read_scores_of(values, "it")
    for values in (np.array([1, 2], "m8[s]"), np.array([b"a"]), np.zeros(2, [("a", int)])):
        with refused("it must hold numbers, got dtype"):
            read_scores_of(values, "it")
    with refused(r"it is a sparse .* pass it\.toarray"):
        score_values(read_column(csr_array([[1.0]]), "it"))
    with refused("it must hold numbers, got text"):
        read_scores_of(np.array([1, "2"], object), "it")


# --------------------------------------------------------------------------- scores of classes

Y3 = np.array([0, 1, 2, 1])
S3 = np.array([[5, 1, 2], [1, 2, 3], [0, 1, 4], [3, 4, 1]]) / 10


def test_scores_of_several_classes():
    found = Scores.check(Y3, S3)
    assert (found.kind, found.classes.tolist(), found.true.tolist()) == ("multiclass", [0, 1, 2],
                                                                         Y3.tolist())  # fmt: skip
    assert found.marks().tolist() == np.eye(3, dtype=bool)[Y3].tolist()
    listed = Scores.check(Y3, S3, labels=[2, 0, 1])
    assert listed.classes.tolist() == [2, 0, 1]
    assert listed.true.tolist() == [1, 2, 0, 2]
    two = Scores.check([0, 1, 0, 1], S3, labels=[0, 1, 2])
    assert (two.kind, two.true.tolist()) == ("multiclass", [0, 1, 0, 1])
    with refused(r"y_true has 2 classes \[0, 1\], y_score has 3"):
        Scores.check([0, 1, 0, 1], S3)
    with refused(r"given labels, 2, not .* in 'y_score', 3"):
        Scores.check([0, 1, 0, 1], S3, labels=[0, 1])
    marks = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]])
    found = Scores.check(marks, S3)
    assert (found.kind, found.classes.tolist()) == ("multilabel-indicator", [0, 1, 2])
    assert found.marks() is found.true


def test_columns_of_every_class_or_of_the_second_of_two():
    for score, kind in (([0.25, 0.5], "binary"), ([[0.75, 0.25], [0.5, 0.5]], "multiclass")):
        found = Scores.check_columns([0, 1], score)
        assert (found.kind, found.classes.tolist()) == (kind, [0, 1])
        assert found.score.tolist() == score
    assert Scores.check_columns([0, 1], [[0.25], [0.5]]).score.tolist() == [0.25, 0.5]
    listed = Scores.check_columns(["b", "a"], [0.25, 0.5], labels=["b", "a"])
    assert (listed.classes.tolist(), listed.true.tolist()) == (["b", "a"], [0, 1])


def test_kinds_of_targets_that_scores_do_not_rank():
    for true, told in (
        ([0.5, 1.5, 2.5, 1], "^continuous format is not supported"),
        ([[1, 2], [3, 4], [5, 6], [7, 8]], "^Multioutput .* multiclass-multioutput format is not"),
        ([[0.5, 2], [3, 4], [5, 6], [7, 8]], "^Multioutput .* continuous-multioutput format is no"),
        (np.zeros((4, 2, 2)), "^unknown format is not supported: y_true must hold class labels or"),
    ):
        with refused(told):
            Scores.check(true, [1, 2, 3, 4])


@pytest.mark.parametrize("k", [1, 2, 3])
def test_top_k_of_two_and_of_several_classes(k):
    theirs = sklearn.metrics.top_k_accuracy_score
    assert sx.top_k_accuracy_score(Y3, S3, k=min(k, 2)) == theirs(Y3, S3, k=min(k, 2))
    y, score = [0, 1, 1, 0], np.array([0.2, 0.9, -0.4, -0.3])
    if k == 1:
        assert sx.top_k_accuracy_score(y, score, k=1) == theirs(y, score, k=1)
        assert sx.top_k_accuracy_score(y, score[:, None], k=1) == theirs(y, score, k=1)
        both = np.column_stack([-score, score])
        by_sign = theirs(y, score, k=1)
        assert sx.top_k_accuracy_score(y, both, k=1, labels=[0, 1]) == by_sign
    with refused("needs to be of shape `\\(n_samples, n_classes"):
        sx.top_k_accuracy_score(Y3, S3[:, 0], k=k)
    with refused("`y_true` is binary while y_score is 2d with 3"):
        sx.top_k_accuracy_score(y, S3, k=k)
    with refused(r"in 'y_true' \(3\) not .* in 'y_score' \(2\)"):
        sx.top_k_accuracy_score(Y3, S3[:, :2], k=k)
    with refused(r"given labels \(3\) not equal .*'y_score' \(2"):
        sx.top_k_accuracy_score(Y3, S3[:, :2], k=k, labels=[0, 1, 2])


@pytest.mark.parametrize("shape", [(4, 1, 1), (4, 2, 1), (4, 2, 2), (4, 1, 2)])
def test_scores_of_two_classes_are_a_column_or_two_that_sum_to_1(shape):
    y = [0, 1, 1, 0]
    score = np.full(shape, 0.5)
    with refused(r"1d array of scores of the positive class, or two columns .* array of shape"):
        Scores.check(y, score)
    with refused("1d array of scores of the positive class, or two columns"):
        sx.roc_curve(y, score)
    with refused("needs to be of shape|array of shape"):
        sx.top_k_accuracy_score(y, score, k=1)
    with refused("array of shape|shape"):
        sx.hinge_loss(y, score)


def test_two_columns_of_scores():
    y, proba = [0, 1, 1, 0], np.array([0.25, 0.5, 0.75, 0.125])
    both = np.column_stack([1 - proba, proba])
    assert Scores.check(y, both).score.tolist() == proba.tolist()
    assert Scores.check(y, both, pos_label=0).score.tolist() == (1 - proba).tolist()
    assert Scores.check(y, proba[:, None]).score.tolist() == proba.tolist()
    assert Scores.check(y, both + 4e-7).score.tolist() == (proba + 4e-7).tolist()
    for wrong in (2 * both, both + 1e-5, both[:, :1] * [1, 1], both - [[0.5, 0]]):
        with refused(r"two columns of probabilities that sum to 1.*array of shape \(4, 2\)"):
            Scores.check(y, wrong)


def test_a_named_column_is_that_of_the_positive_class():
    y, proba = np.array(["a", "b", "b", "a"]), np.array([0.25, 0.5, 0.75, 0.125])
    for positive, other in ("ab", "ba"):
        found = Scores.check(y, pd.Series(proba, name=positive), pos_label=positive)
        assert found.score.tolist() == proba.tolist()
        with refused(f"named .'{other}'., and are read by position as the class .'{positive}'."):
            Scores.check(y, pd.Series(proba, name=other), pos_label=positive)
    both = np.column_stack([1 - proba, proba])
    named = pd.DataFrame(both, columns=["a", "b"])
    for positive in "ab":
        found = Scores.check(y, named, pos_label=positive)
        assert found.score.tolist() == named[positive].tolist()
        with refused(r"named \['b', 'a'\], and are read by position as the classes \['a', 'b'\]"):
            Scores.check(y, named.rename(columns={"a": "b", "b": "a"}), pos_label=positive)
    alone = np.array([1, 1, 1, 1])
    found = Scores.check(alone, pd.DataFrame(both, columns=["0", "1"]))
    assert found.score.tolist() == proba.tolist()
    with refused(r"named \['1', '0'\], .* as the classes \[\(another\), 1\]"):
        Scores.check(alone, pd.DataFrame(both, columns=["1", "0"]))


def test_how_many_columns_there_are_is_told_with_the_classes():
    proba = np.full((3, 2), 0.5)
    with refused(r"labels: \['a' 'b' 'c'\] \(3\), columns of y_proba: 2"):
        sx.log_loss(["a", "b", "c"], proba, labels=["c", "a", "b"])
    with refused(
        r"number of classes: 3 vs 2.* found in y_true: \['a' 'b' 'c'\], columns of y_proba: 2"
    ):
        sx.log_loss(["a", "b", "c"], proba)
    with refused(r"number of classes: 3 vs 2"):
        sx.log_loss(["a", "b", "c"], proba[:, 0])
    with refused(r"labels: \['b' 1 'a'\] \(3\), columns of y_proba: 2"):
        sx.log_loss(["a", "b", "b"], proba, labels=["b", 1, "a"])


# --------------------------------------------------------------------------- decision values


def test_decision_values():
    theirs = sklearn.metrics.hinge_loss
    y, values = [0, 1, 1, 0], np.array([-0.5, 2, -0.25, 0.75])
    assert sx.hinge_loss(y, values) == theirs(y, values)
    assert sx.hinge_loss(y, values[:, None]) == theirs(y, values)
    assert sx.hinge_loss(y, values, labels=[1, 0]) == theirs(1 - np.array(y), values)
    assert sx.hinge_loss(Y3, S3) == pytest.approx(theirs(Y3, S3), rel=1e-14)
    part = [0, 1, 0, 1]
    listed = sx.hinge_loss(part, S3, labels=[0, 1, 2])
    assert listed == pytest.approx(theirs(part, S3, labels=[0, 1, 2]), rel=1e-14)
    checked = check_decisions(y, values)
    assert sx.hinge_loss(checked, checked) == theirs(y, values)
    with refused(r"two classes .* array of shape \(4, 2\)"):
        sx.hinge_loss(y, np.column_stack([values, values]))
    with refused(r"cannot be 1d .* that is \(4, 3\)\. Got: \(4,\)"):
        sx.hinge_loss(Y3, values)
    with refused("include all labels .* y_true has 3 classes"):
        sx.hinge_loss(Y3, S3[:, :2])
    with refused(r"not consistent .* \(4, 3\)\. Got: \(4, 2\)"):
        sx.hinge_loss(Y3, S3[:, :2], labels=[0, 1, 2])
    for alone, sign in ((1, 1), (0, -1), ("b", 1)):
        found = check_decisions([alone] * 4, values)
        assert found.true.tolist() == [int(sign > 0)] * 4
    found = check_decisions([1] * 4, values, alone_is_negative=True)
    assert found.true.tolist() == [0] * 4
    found = check_decisions(["b"] * 4, values, labels=["a", "b"])
    assert found.true.tolist() == [1] * 4


def test_one_class_alone():
    for true, marks in ((np.zeros(2, int), 0), (np.ones(2, int), 1), (np.full(2, -1), 0)):
        assert Scores.check_binary(true, [0.1, 0.2]).true.tolist() == [marks] * 2
    assert Scores.check_binary(["a", "a"], [0.1, 0.2], pos_label="b").true.tolist() == [0, 0]
    with refused("pos_label is not specified"):
        Scores.check_binary([2, 2], [0.1, 0.2])
    with refused("one for each class that occurs"):
        Scores.check_binary([1, 1], [[0.1, 0.9], [0.2, 0.8]])
