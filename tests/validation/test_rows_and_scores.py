"""Rows of several columns, their weights, scores and probabilities: values, and what is refused."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from scipy.sparse import csr_array

import skmetrics_ext as sx
from skmetrics_ext.validation import (
    BinaryProbabilities,
    InvalidParameterError,
    Labels,
    Probabilities,
    Scores,
    check_weight,
    distinct_labels,
)
from skmetrics_ext.validation.containers import read_column
from skmetrics_ext.validation.labels import some_rows, with_weight
from skmetrics_ext.validation.probabilities import n_columns, row_sum_problem
from skmetrics_ext.validation.rows import (
    check_fitted_rows,
    check_index,
    check_same_masks,
    check_total,
    index_of,
    masked_rows,
    read_rows,
)
from skmetrics_ext.validation.scores import (
    check_decisions,
    check_mergeable,
    read_scores_of,
    score_values,
)

INF = float("inf")


def refused(told):
    return pytest.raises(InvalidParameterError, match=told)


# --------------------------------------------------------------------------- rows


def test_rows_of_all_columns_are_counted():
    (true, pred), weight = read_rows(None, False, y_true=[1, 2], y_pred=[3, 4])
    assert (true.values.tolist(), pred.values.tolist(), weight) == ([1, 2], [3, 4], None)
    with refused(r": \[2, 1\] \(y_true: 2, y_pred: 1\)\.$"):
        read_rows(None, False, y_true=[1, 2], y_pred=[3])
    with refused(r": \[2, 2, 3\] \(a: 2, b: 2, sample_weight: 3"):
        read_rows([1, 1, 1], False, a=[1, 2], b=[3, 4])
    with refused("y_true and y_pred have 0 sample"):
        read_rows(None, False, y_true=[], y_pred=[])


def test_masked_rows_of_any_column_are_left_out():
    one = np.ma.array([1, 2, 3, 4], mask=[1, 0, 0, 0])
    other = np.ma.array([[1, 2], [3, 4], [5, 6], [7, 8]], mask=[[0, 0], [0, 1], [0, 0], [0, 0]])
    weight = np.ma.array([1, 1, 1, 5], mask=[0, 0, 1, 0])
    (a, b), w = read_rows(weight, False, a=one, b=other)
    assert (a.values.tolist(), b.values.tolist(), w.tolist()) == ([4], [[7, 8]], [5])
    (a, b), w = read_rows(None, False, a=one, b=[1, 2, 3, 4])
    assert (a.values.tolist(), b.values.tolist(), w) == ([2, 3, 4], [2, 3, 4], None)
    hidden = np.ma.masked_all(4)
    with refused("^a and b leave no row: every one is masked"):
        read_rows(None, False, a=hidden, b=one, c=[1, 2, 3, 4])
    (a, b), w = read_rows(np.ones(4), False, True, a=hidden, b=one)
    assert (len(a), len(b), w) == (0, 0, None)
    assert masked_rows(read_column(other, "b")).tolist() == [False, True, False, False]
    assert masked_rows(read_column([1, 2], "b")).tolist() == [False, False]


FIRST = pd.Series([1, 2, 3], index=["a", "b", "c"])


@pytest.mark.parametrize(
    ("index", "permuted"),
    [
        (["a", "b", "c"], False),
        (["c", "b", "a"], True),
        (["a", "c", "b"], True),
        (["x", "y", "z"], False),
        (["a", "b", "x"], False),
        (["a", "b", "b"], False),
        ([0, 1, 2], False),
    ],
)
def test_indexes_with_the_same_labels_in_another_order(index, permuted):
    other = pd.Series([1, 2, 3], index=index)
    if permuted:
        with refused(r"^one and it have .* Pass it\.loc\[one\.ind"):
            check_index(one=FIRST.index, it=other.index)
        with refused("y_true and y_pred have the same index"):
            sx.accuracy_score(FIRST, other)
        with refused("^one and it have"):
            check_index(none=None, one=FIRST.index, more=None, it=other.index)
        with refused("^one and it have"):
            check_index(one=FIRST.index, two=FIRST.index, it=other.index)
    else:
        check_index(one=FIRST.index, it=other.index)
        assert sx.accuracy_score(FIRST, other) == 1
    check_index(one=FIRST.index, it=other.index[:2])
    check_index(it=other.index)


def test_indexes_of_several_types():
    mixed = pd.Index(["a", 1, None], dtype=object)
    with refused("another order"):
        check_index(one=mixed, it=mixed[::-1])
    check_index(one=mixed, it=pd.Index(["a", 1, 2], dtype=object))
    assert index_of(FIRST) is FIRST.index
    assert index_of([1, 2]) is None  # a list has a method of this name
    assert index_of(np.arange(3)) is None


def test_rows_that_a_model_is_fitted_to():
    X, y = FIRST.to_frame(), FIRST
    check_fitted_rows(X, y=y, sample_weight=None)
    check_fitted_rows(X.to_numpy(), y=y.to_numpy(), sample_weight=None)
    check_fitted_rows(X, y=np.ma.array([1, 2, 3]))
    with refused("X and y have the same index labels"):
        check_fitted_rows(X, y=y[::-1])
    with refused("y is masked in row 1"):
        check_fitted_rows(X.to_numpy(), y=np.ma.array([1, 2, 3], mask=[0, 1, 1]))


def test_masks_of_several_models():
    one = np.ma.array([1, 2, 3], mask=[0, 1, 0])
    same = np.ma.array([[1, 2]] * 3, mask=[[0, 0], [1, 0], [0, 0]])
    check_same_masks(a=one, b=same)
    check_same_masks(a=[1, 2, 3], b=np.ma.array([1, 2, 3]))
    check_same_masks(a=np.arange(3))
    for wrong in (np.arange(3), np.ma.array([1, 2, 3]), np.ma.array([1, 2, 3], mask=[1, 0, 0])):
        for pair in ((one, wrong), (wrong, one)):
            with refused("^a, b are masked in different rows"):
                check_same_masks(a=pair[0], b=pair[1])


# --------------------------------------------------------------------------- weights


@pytest.mark.parametrize("exponent", [-250, -201, -199, 0, 199, 201, 250])
def test_only_extreme_weights_are_rescaled(exponent):
    weight = np.array([1.0, 0.75, 0]) * 2.0**exponent
    found = check_weight(weight, 3)
    if abs(exponent) < 200:
        assert found is weight
    else:
        assert found.tolist() == [0.5, 0.375, 0]
    assert check_weight(weight, 3, absolute=True) is weight
    if abs(exponent) < 200:
        assert check_weight(weight, 3, part=True) is weight
    else:
        with refused("divide all of them by one number"):
            check_weight(weight, 3, part=True)


def test_weights_of_a_part_may_all_be_0():
    for zeros in (np.zeros(2), np.zeros(2, int)):
        assert check_weight(zeros, 2, part=True).tolist() == [0, 0]
        with refused("every sample_weight is 0"):
            check_weight(zeros, 2)
    with refused(r"negative, got -1\.0 in row 1"):
        check_weight([0.0, -1.0], 2, part=True)


def test_whole_weights_are_counts_up_to_their_products():
    for total, kind in ((2**31 - 1, "i"), (2**31, "f"), (2**40, "f")):
        weight = np.array([total - 1, 1])
        assert check_weight(weight, 2).dtype.kind == kind
        assert check_weight(weight, 2).tolist() == [total - 1, 1]
        assert check_weight(weight, 2, absolute=True).dtype == np.int64
    check_total(2.0**62, "it")
    for total in (2.0**63, 1e30):
        with refused("it sums to .*, beyond the largest int64"):
            check_total(total, "it")
    with refused(r"sample_weight.shape == \(2,\), expected \(3,\)"):
        check_weight([1, 2], 3)


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


# --------------------------------------------------------------------------- probabilities


P3 = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.125, 0.75], [0.25, 0.75, 0]])


@pytest.mark.parametrize("beyond", [0, 1e-9, -1e-9, 1e-8, -1e-8])
def test_rounding_outside_0_and_1_is_clipped(beyond):
    proba = np.array([0.25, 1 + max(beyond, 0), min(beyond, 0), 0.75])
    found = BinaryProbabilities.check([0, 1, 0, 1], proba)
    assert found.proba.tolist() == [0.25, 1, 0, 0.75]
    matrix = np.column_stack([1 - proba, proba])
    found = Probabilities.check([0, 1, 0, 1], matrix)
    assert found.proba.tolist() == [[0.75, 0.25], [0, 1], [1, 0], [0.25, 0.75]]


@pytest.mark.parametrize("beyond", [1.1e-8, 0.5])
def test_more_than_rounding_is_no_probability(beyond):
    for check in (BinaryProbabilities.check, Probabilities.check):
        with refused(r"greater than 1: 1\.\d+ \(the largest"):
            check([0, 1], [0.5, 1 + beyond])
        with refused(r"(less|lower) than 0: -\d.* \(the smallest"):
            check([0, 1], [0.5, -beyond])


def test_the_row_whose_sum_is_furthest_from_1():
    eps = np.finfo(float).eps
    assert row_sum_problem(P3, eps) == ""
    off = P3.copy()
    off[1, 0] += 1e-9
    assert row_sum_problem(off, eps) == ""
    off[1, 0] += 1e-7
    off[3, 0] -= 2e-7
    assert row_sum_problem(off, eps) == "y_proba sums to 1 in row 3"
    off[2, 0] = 0.5
    assert row_sum_problem(off, eps) == "y_proba sums to 1.375 in row 2"
    low = P3 * 0.5
    assert row_sum_problem(low, eps) == "y_proba sums to 0.5 in row 0"
    near = P3.copy()
    near[1, 0] += 1e-4
    assert row_sum_problem(near, float(np.finfo(np.float32).eps)) == ""


def test_rows_that_do_not_sum_to_1_warn_or_are_refused():
    off = P3.copy()
    off[2, 0] = 0.5
    with pytest.warns(
        UserWarning, match=r"Make sure to pass probabilities \(y_proba sums to 1.375"
    ):
        found = Probabilities.check(Y3, off)
    assert found.note.startswith("The y_prob values do not sum to one")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Probabilities.check(Y3, off, tell=False).note == found.note
        assert Probabilities.check(Y3, P3).note == ""
        assert Probabilities.check([0, 1], [0.5, 0.25]).note == ""
    with refused(r"must sum to 1; row 2 sums to 1\.375"):
        Probabilities.check(Y3, off, strict=True)
    with refused("row 2 sums to"):
        Probabilities.check_strict(found, found)
    for tiny, fine in ((1e-7, True), (1e-5, False)):
        near = P3.copy()
        near[1, 1] += tiny
        if fine:
            Probabilities.check_strict(Y3, near)
        else:
            with refused("row 1 sums to"):
                Probabilities.check_strict(Y3, near)
    half = P3.astype(np.float16)
    half[1] = [0.2502, 0.5, 0.25]
    Probabilities.check_strict(Y3, half)
    with refused("row 1 sums to"):
        Probabilities.check_strict(Y3, half.astype(np.float32))


def test_columns_of_probabilities_are_counted():
    for given, expected in (
        ([0.5, 0.5], 1),
        ([[0.5], [0.5]], 1),
        (np.ones((2, 3)), 3),
        (pd.DataFrame({"a": [0.5], "b": [0.5]}), 2),
        (Probabilities.check(Y3, P3), 3),
        (Probabilities.check([0, 1], [0.5, 0.5]), 2),
    ):
        assert n_columns(given) == expected


@pytest.mark.parametrize("shape", [(4, 3), (4, 2, 2)])
def test_two_classes_have_one_column_or_two(shape):
    with refused(rf"one column or two, .*\({shape[0]}, {shape[1]}"):
        BinaryProbabilities.check([0, 1, 1, 0], np.full(shape, 0.25))
    with refused("row 0 sums to 1.5"):
        BinaryProbabilities.check([0, 1, 1, 0], np.full((4, 2), 0.75))
    with refused(r"y_proba must be 1-D or 2-D, got shape \(4, 1, "):
        Probabilities.check([0, 1, 1, 0], np.full((4, 1, 2), 0.5))


def test_probabilities_of_one_class_among_several_are_refused():
    for true, kind in ((Y3, "multiclass"), (np.eye(4, dtype=int), "multilabel-indicator")):
        with refused(f"inferred from y_true is {kind} but should"):
            BinaryProbabilities.check(true, P3[:, 0])


@pytest.mark.parametrize("labels", [["a", "b"], ["b", "a"], None])
def test_one_column_is_of_the_last_class(labels):
    true, proba = ["a", "b", "b"], np.array([0.25, 0.5, 0.75])
    found = Probabilities.check(true, proba, labels=labels)
    listed = labels or ["a", "b"]
    assert found.classes.tolist() == listed
    assert found.proba.tolist() == [[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]]
    assert found.true.tolist() == [listed.index(label) for label in true]


# --------------------------------------------------------------------------- checked before


def test_checked_probabilities_serve_metrics_of_scores():
    """Of two classes by the second column, of several and of outputs by all."""
    two = Probabilities.check([0, 1, 1, 0], [0.25, 0.5, 0.75, 0.5])
    assert sx.roc_auc_score(two, two) == sx.roc_auc_score([0, 1, 1, 0], [0.25, 0.5, 0.75, 0.5])
    assert two.as_scores() is two.as_scores()
    several = Probabilities.check(Y3, P3)
    assert sx.roc_auc_score(several, several, multi_class="ovr") == sx.roc_auc_score(
        Y3, P3, multi_class="ovr"
    )
    for n_outputs in (2, 3):
        marks = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]])[:, :n_outputs]
        outputs = Probabilities.check(marks, P3[:, :n_outputs], tell=False)
        for name in ("roc_auc_score", "average_precision_score"):
            ours, theirs = getattr(sx, name), getattr(sklearn.metrics, name)
            expected = theirs(marks, P3[:, :n_outputs])
            assert ours(outputs, outputs) == pytest.approx(expected, rel=1e-14)
        found = sx.label_ranking_loss(outputs, outputs)
        assert found == sklearn.metrics.label_ranking_loss(marks, P3[:, :n_outputs])
        with refused("is multilabel-indicator but should be bin"):
            outputs.as_binary()
        with refused("multilabel-indicator format is not suppor"):
            Probabilities.check_strict(outputs, outputs)
    with refused("is multiclass but should be binary"):
        several.as_binary()
    with refused("multiclass format is not supported"):
        sx.label_ranking_loss(several, several)


def test_checked_probabilities_of_two_classes_are_those_of_the_last():
    true, proba = [0, 1, 1, 0], np.array([0.25, 0.5, 0.75, 0.5])
    checked = Probabilities.check(true, proba)
    binary = checked.as_binary()
    assert binary.as_binary() is binary
    assert binary is checked.as_binary()
    assert binary.as_columns().proba.tolist() == checked.proba.tolist()
    assert binary.weights.tolist() == [1, 1, 1, 1]
    weighted = BinaryProbabilities.check(true, proba, sample_weight=[1, 2, 3, 4])
    assert weighted.weights.dtype == np.float64
    assert weighted.weights.tolist() == [1, 2, 3, 4]
    for one in (checked, binary):
        for options in ({}, {"pos_label": 1}):
            assert BinaryProbabilities.check(one, one, **options) is binary
        told = "checked with .*1.* as the positive class, got pos_label=0"
        with refused(told):
            BinaryProbabilities.check(one, one, pos_label=0)
    with refused(told):
        sx.roc_auc_score(checked, checked, pos_label=0)
    assert sx.brier_score_loss(checked, checked) == sx.brier_score_loss(true, proba)


def test_the_most_likely_class_and_each_class():
    checked = Probabilities.check(Y3, P3, sample_weight=[1, 2, 3, 4])
    top = checked.top_label()
    assert top.proba.tolist() == [0.5, 0.5, 0.75, 0.75]
    assert top.true.tolist() == [1, 1, 1, 1]
    wrong = Probabilities.check([1, 1, 2, 0], P3).top_label()
    assert wrong.true.tolist() == [0, 1, 1, 0]
    each = checked.each_class()
    assert [one.proba.tolist() for one in each] == P3.T.tolist()
    assert [one.true.tolist() for one in each] == np.eye(3)[Y3].T.tolist()
    assert [one.weights.tolist() for one in each] == [[1, 2, 3, 4]] * 3


def test_checked_data_are_passed_alone():
    checked = Scores.check([0, 1, 1], [0.25, 0.5, 0.75])
    for arguments, options in (
        ((checked, [1, 2, 3]), {}),
        ((checked, checked), {"labels": [0, 1]}),
        ((checked, checked), {"sample_weight": [1, 1, 1]}),
    ):
        with refused("pass them in the place of both arrays"):
            sx.roc_auc_score(*arguments, **options)
    labels = Labels.check([0, 1, 1], [0, 1, 0], sample_weight=[1.0, 2.0, 3.0])
    with refused("results in units of the weights"):
        sx.accuracy_score(labels, labels, normalize=False)
    kept = Labels.check([0, 1, 1], [0, 1, 0], sample_weight=[1.0, 2.0, 3.0], absolute=True)
    assert sx.accuracy_score(kept, kept, normalize=False) == 3
    plain = Labels.check([0, 1, 1], [0, 1, 0])
    assert sx.accuracy_score(plain, plain, normalize=False) == 2
    tally = sx.tallies.ConfusionTally.from_predictions([0, 1], [0, 1])
    for arguments, options in (((tally, [0, 1]), {}), ((tally, tally), {"sample_weight": [1, 1]})):
        with refused("A ConfusionTally holds y_true, y_pred and"):
            sx.accuracy_score(*arguments, **options)


def test_some_rows_of_checked_data():
    labels = Labels.check(["a", "b", "c", "a"], ["a", "c", "c", "b"], sample_weight=[1, 0, 2, 3])
    part = some_rows(labels, np.array([0, 2]))
    assert part.classes.tolist() == ["a", "c"]
    assert (part.kind, part.true.tolist(), part.pred.tolist()) == ("binary", [0, 1], [0, 1])
    assert part.weight.tolist() == [1, 2]
    heavy = with_weight(labels)
    assert heavy.true.shape == (3,)
    assert heavy.classes.tolist() == ["a", "b", "c"]
    assert with_weight(part) is part
    plain = Labels.check([0, 1], [0, 1])
    assert with_weight(plain) is plain
    marks = np.array([[1, 0], [0, 1], [1, 1]])
    outputs = some_rows(Labels.check(marks, marks[::-1]), slice(1, 3))
    assert outputs.true.tolist() == marks[1:].astype(bool).tolist()
    scores = some_rows(Scores.check(Y3, S3), np.array([1, 3]))
    assert scores.classes.tolist() == [0, 1, 2]
    assert scores.score.tolist() == S3[[1, 3]].tolist()
    found = some_rows(Probabilities.check(Y3, P3), np.array([2]))
    assert found.proba.tolist() == [P3[2].tolist()]


def test_the_classes_that_occur():
    assert distinct_labels(["b", "a", "b"]).tolist() == ["a", "b"]
    assert distinct_labels([3, 1, 2]).tolist() == [1, 2, 3]
    assert distinct_labels(np.eye(3, dtype=int)) is None
    assert distinct_labels([0.5, 1.5]) is None
