"""Rows of several columns, their masks and indexes, and the weights of rows."""

import numpy as np
import pandas as pd
import pytest

import skmetrics_ext as sx
from skmetrics_ext.validation import (
    InvalidParameterError,
    check_weight,
)
from skmetrics_ext.validation.containers import read_column
from skmetrics_ext.validation.rows import (
    check_fitted_rows,
    check_index,
    check_same_masks,
    check_total,
    index_of,
    masked_rows,
    read_rows,
)


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


@pytest.mark.parametrize("exponent", [-250, -201, -200, -199, 0, 199, 200, 201, 250])
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


@pytest.mark.parametrize(
    ("weight", "told"),
    [
        ([0, 1, -1], "got -1 in row 2"),
        ([2, 0, -3, -4], "got -3 in row 2"),
        ([0.5, 0.0, -0.25], r"got -0\.25 in row 2"),
        ([-1, 0], "got -1 in row 0"),
    ],
)
def test_the_first_weight_below_0(weight, told):
    with refused(f"sample_weight must not be negative, {told}"):
        check_weight(weight, len(weight))
    with refused(f"sample_weight must not be negative, {told}"):
        check_weight(weight, len(weight), part=True)
    whole = np.abs(weight)
    assert check_weight(whole, len(weight)).tolist() == whole.tolist()


def test_weights_in_any_container():
    for given in ([1, 0, 2], pd.Series([1, 0, 2]), np.array([True, False, True]), (1, 1, 0)):
        found = check_weight(given, 3)
        assert found.dtype == np.int64
        assert found.tolist() == [int(one) for one in given]
    found = check_weight(np.array([1, 0.5, 2], object), 3)
    assert (found.dtype, found.tolist()) == (np.float64, [1, 0.5, 2])
    with refused("sample_weight must hold numbers, got dtype object"):
        check_weight(np.array([1, object()], object), 2)
    with refused("sample_weight must hold numbers, got dtype <U1"):
        check_weight(np.array(["1", "2"]), 2)


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


def test_kinds_of_weights_are_read():
    assert check_weight(None, 3) is None
    for dtype in (bool, np.uint8, np.int16, np.int64):
        assert check_weight(np.ones(3, dtype), 3).dtype == np.int64
    for dtype in (np.float16, np.float32, np.float64):
        assert check_weight(np.ones(3, dtype), 3).dtype == np.float64


@pytest.mark.parametrize("scale", [1e308, 1e300, 1e-300, 1e-320])
def test_extreme_scales_are_brought_near_1_by_a_power_of_2(scale):
    weight = np.array([1.0, 0.5, 0.25]) * scale
    scaled = check_weight(weight, 3)
    assert 0.5 <= scaled.max() <= 1.0
    # The same digits: only the exponent differs.
    np.testing.assert_array_equal(np.frexp(scaled)[0], np.frexp(weight)[0])
    np.testing.assert_array_equal(check_weight(weight, 3, absolute=True), weight)


def test_a_masked_weight_is_refused_where_rows_are_not_left_out():
    weight = np.ma.array([2, 1, 9, 3], mask=[0, 0, 1, 0])
    with refused("sample_weight is masked in row 2"):
        check_weight(weight, 4)
