"""Weights: what is refused, and what may be passed."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from support.rows import NAMES, call, draw_case, of_each_metric

from skmetrics_ext import (
    accuracy_score,
    cohen_kappa_score,
    confusion_matrix,
    f1_score,
    matthews_corrcoef,
    roc_auc_score,
)

REFUSED = {
    "negative": ([1.0, -2.5, 1.0], r"sample_weight must not be negative, got -2\.5 in row 1"),
    "negative integers": ([1, 1, -2], "sample_weight must not be negative, got -2 in row 2"),
    "all zero": ([0.0, 0.0, 0.0], "every sample_weight is 0"),
    "all False": ([False] * 3, "every sample_weight is 0"),
    "nan": ([1.0, np.nan, 1.0], "sample_weight contains NaN.*row 1"),
    "infinity": ([1.0, 1.0, np.inf], "sample_weight contains infinity.*row 2"),
    "a null": (pl.Series([1.0, None, 2.0]), "sample_weight contains NaN.*row 1"),
    "a missing value": (
        pd.Series([1, None, 2], dtype="Int64"),
        "sample_weight contains NaN.*row 1",
    ),
    "too few": ([1.0, 2.0], "inconsistent.*sample_weight: 2"),
    "two columns": (np.ones((3, 2)), r"sample_weight.*2D.*\(3, 2\)|2D array.*sample_weight"),
    "text": (["a", "b", "c"], "sample_weight must hold numbers"),
    "digits in text": (["1", "3", "1"], "sample_weight must hold numbers, got text"),
    "digits in objects": (np.array(["1", 3, 1], object), "sample_weight must hold numbers"),
    "categories": (pd.Categorical([1, 3, 1]), "sample_weight must hold numbers, got categories"),
    "dates": (np.array([1, 2, 3], "M8[s]"), "sample_weight must hold numbers, got dtype datetime"),
    "a scalar": (2.0, "sample_weight must be an array-like.*2.0"),
    "a sparse column": (csr_array(np.ones((3, 1))), r"a sparse matrix of shape \(3, 1\).*weight"),
    "a frame": (pd.DataFrame({"a": [1, 2, 3]}), r"2D array of shape \(3, 1\).*sample_weight"),
    "masks everywhere": (np.ma.masked_all(3), "sample_weight leave no row"),
    "an index in another order": (
        pd.Series([1, 2, 3], index=["b", 1, "a"]),
        "y_true and sample_weight.*another order",
    ),
    "complex": (np.array([1j, 1, 1]), "Complex data not supported in sample_weight"),
    "beyond int64": (np.array([2**63 - 1, 1, 1]), r"sample_weight sums to 9\.22e\+18.*float"),
}


@pytest.mark.parametrize("what", sorted(REFUSED))
@pytest.mark.parametrize("metric", [accuracy_score, f1_score, roc_auc_score])
def test_refused_with_what_was_found(what, metric):
    weight, message = REFUSED[what]
    with pytest.raises(ValueError, match=message):
        metric(pd.Series([0, 1, 1], index=["a", "b", 1]), [0, 1, 0], sample_weight=weight)


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_a_row_with_a_masked_weight_is_left_out(kind):
    weight = np.ma.array([2, 1, 9, 3], mask=[0, 0, 1, 0], dtype=kind)
    y_true, y_pred = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 1])
    kept = [0, 1, 3]
    for metric in (accuracy_score, f1_score, roc_auc_score, confusion_matrix):
        got = metric(y_true, y_pred, sample_weight=weight)
        want = metric(y_true[kept], y_pred[kept], sample_weight=weight.data[kept])
        np.testing.assert_array_equal(got, want)
    # Of data that are masked too, a row is left out where any of them is masked.
    masked = np.ma.array(y_true, mask=[1, 0, 0, 0])
    got = accuracy_score(masked, y_pred, sample_weight=weight)
    assert got == accuracy_score([1, 0], [1, 1], sample_weight=[1, 3])


@pytest.mark.parametrize("name", NAMES)
@of_each_metric
@given(data=st.data())
def test_no_metric_takes_a_negative_weight(name, data):
    spec, params, sample = draw_case(data, name, weighted=True)
    weight = sample.weight.copy()
    weight[data.draw(st.integers(0, len(sample) - 1))] *= -1
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        call(spec, params, sample.weighted(weight))


def test_counts_keep_the_unit_of_the_weights():
    table = confusion_matrix([0, 1], [0, 1], sample_weight=[1e-250, 1e300])
    assert table.tolist() == [[1e-250, 0.0], [0.0, 1e300]]
    assert accuracy_score([0, 1], [0, 0], normalize=False, sample_weight=[1e-250, 1]) == 1e-250


def test_large_integer_weights_leave_ratios_right():
    weight = [10**10, 10**10, 10**10]
    for metric in (matthews_corrcoef, cohen_kappa_score):
        args = [0, 1, 1], [0, 1, 0]
        assert metric(*args, sample_weight=weight) == pytest.approx(metric(*args), rel=1e-12)
