"""Scores and probabilities that the door refuses, and those that it reads."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy.sparse import coo_array, csr_array, issparse

from skmetrics_ext import (
    average_precision_score,
    brier_score_loss,
    coverage_error,
    gini_score,
    label_ranking_average_precision_score,
    label_ranking_loss,
    log_loss,
    roc_auc_score,
)

Y = [0, 1, 1, 0]
EYE = np.eye(3)
REFUSED = {
    "nan": ([0.1, np.nan, 0.2, 0.3], "NaN: y_score, first in row 1"),
    "infinity": ([0.1, 0.2, np.inf, 0.3], "infinity.*y_score, first in row 2"),
    "a null": (pl.Series([0.1, None, 0.2, 0.3]), "y_score contains NaN.*row 1"),
    "NA": (pd.Series([0.1, None, 0.2, 0.3], dtype="Float64"), "y_score contains NaN.*row 1"),
    "text": (["0.1", "0.2", "0.3", "0.4"], "y_score must hold numbers, got text"),
    "text objects": (
        np.array(["0.1", "1", "2", "3"], object),
        "y_score must hold numbers, got text",
    ),
    "categories": (pd.Categorical([1, 2, 3, 4]), "y_score must hold numbers"),
    "complex": (np.array([1j, 0, 0, 0]), "Complex data not supported in y_score"),
    "too few": ([0.1, 0.2], "y_true: 4, y_score: 2"),
    "a scalar": (0.5, "y_score"),
    "columns that are no probabilities": (np.ones((4, 2)), r"y_score.*sum to 1.*\(4, 2\)"),
}


@pytest.mark.parametrize("what", sorted(REFUSED))
@pytest.mark.parametrize("metric", [roc_auc_score, gini_score])
def test_scores_refused_with_what_was_found(what, metric):
    score, message = REFUSED[what]
    with pytest.raises(ValueError, match=message):
        metric(Y, score)


def test_nan_is_refused_whatever_scikit_learn_is_told_to_assume():
    with sklearn.config_context(assume_finite=True), pytest.raises(ValueError, match="NaN"):
        roc_auc_score(Y, [0.1, np.nan, 0.2, 0.3])


MULTICLASS = {
    "one column": ({}, [0.1, 0.2, 0.3], r"n_samples, n_classes.*\(3,\)"),
    "no choice of multi_class": ({"multi_class": "raise"}, EYE, "multi_class must be in"),
    "an unknown multi_class": ({"multi_class": "all"}, EYE, "multi_class has to be one of.*'all'"),
    "fewer columns": ({}, EYE[:, :2], "y_true has 3 classes.*2 columns.*labels="),
    "other labels": ({"labels": [0, 1, 5]}, EYE, r"y_true contains values \{2\}"),
    "fewer labels": ({"labels": [0, 1]}, EYE, "Number of given labels, 2.*3"),
    "labels twice": ({"labels": [0, 1, 1]}, EYE, r"'labels' must be unique.*\[0, 1, 1\]"),
}


@pytest.mark.parametrize("what", sorted(MULTICLASS))
def test_scores_of_several_classes_refused(what):
    options, score, message = MULTICLASS[what]
    with pytest.raises(ValueError, match=message):
        roc_auc_score([0, 1, 2], score, **{"multi_class": "ovr", **options})


def test_positive_class():
    with pytest.raises(ValueError, match=r"pos_label=3 is not a valid label.*\[0 1\]"):
        roc_auc_score(Y, [1, 2, 3, 4], pos_label=3)
    with pytest.raises(ValueError, match=r"labels must name the two classes.*\[0, 1, 2\]"):
        roc_auc_score(Y, [1, 2, 3, 4], labels=[0, 1, 2])
    forward = roc_auc_score(Y, [1, 2, 3, 4])
    assert roc_auc_score(Y, [1, 2, 3, 4], labels=[1, 0]) == 1 - forward
    assert roc_auc_score(Y, [1, 2, 3, 4], pos_label=0) == 1 - forward


def test_multilabel_scores_have_the_shape_of_the_indicators():
    with pytest.raises(ValueError, match=r"shape \(3, 3\).*y_score.*\(3, 2\)"):
        roc_auc_score(EYE.astype(int), EYE[:, :2])


MARKS = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1]])
RANKS = np.array([[6, 1, 3], [2, 5, 3], [3, 4, 3], [1, 3, 6]]) / 10
OF_MARKS = (roc_auc_score, average_precision_score, log_loss, brier_score_loss, gini_score)
OF_LABELS = (coverage_error, label_ranking_loss, label_ranking_average_precision_score)


@pytest.mark.parametrize("metric", OF_MARKS)
def test_marks_in_any_dtype_and_container(metric):
    value = metric(MARKS, RANKS)
    for put in (csr_array, coo_array):
        assert metric(put(MARKS), RANKS) == value
    for dtype in (np.float64, np.bool_, np.int8):
        assert metric(MARKS.astype(dtype), RANKS) == value
    with pytest.raises(ValueError, match=r"y_(score|proba) is a sparse matrix"):
        metric(MARKS, csr_array(RANKS))


@pytest.mark.parametrize("metric", OF_MARKS + OF_LABELS)
def test_marks_are_0_and_1(metric):
    """The values found are named; tests/laws/test_marks.py asks every metric in every way."""
    for other in (2 * MARKS, MARKS + 1, -MARKS, np.where(MARKS, 1, -1), csr_array(2 * MARKS)):
        found = ", ".join(map(str, np.unique(other.data if issparse(other) else other)))
        with pytest.raises(ValueError, match=f"y_true holds {found} as.* be 0 and 1, or"):
            metric(other, RANKS)


@pytest.mark.parametrize("max_fpr", [0, -0.1, 1.01, 2])
def test_max_fpr(max_fpr):
    with pytest.raises(ValueError, match=rf"max_fpr in range \(0, 1\], got: {max_fpr}"):
        roc_auc_score(Y, [1, 2, 3, 4], max_fpr=max_fpr)


def test_scores_that_are_read():
    y = np.array(Y)
    score = np.array([0.1, 0.9, 0.8, 0.3])
    assert roc_auc_score(y, np.column_stack([1 - score, score])) == 1.0
    assert roc_auc_score(y, score[:, None]) == 1.0
    assert roc_auc_score(y, score > 0.5) == 1.0
    with pytest.warns(PendingDeprecationWarning):  # NumPy's, of its own class
        matrix = np.matrix(score)
    assert roc_auc_score(y, matrix) == 1.0
    # 2 of 8 rows are masked: what hides behind the mask is not scored.
    masked = np.ma.array([*score, 99.0], mask=[0, 0, 0, 0, 1])
    assert roc_auc_score([*Y, 0], masked) == 1.0


PROBABILITIES = {
    "above 1": ([0.2, 1.1], r"greater than 1.*1\.1"),
    "below 0": ([0.2, -0.1], r"lower than 0.*-0\.1"),
    "nan": ([0.2, np.nan], "NaN: y_proba, first in row 1"),
    "text": (["0.1", "0.2"], "y_proba must hold numbers"),
    "other columns": (np.full((2, 3), 1 / 3), r"2 vs 3.*labels"),
}


@pytest.mark.parametrize("what", sorted(PROBABILITIES))
def test_probabilities_refused(what):
    proba, message = PROBABILITIES[what]
    with pytest.raises(ValueError, match=message):
        log_loss([0, 1], proba)


def test_one_class_needs_labels():
    with pytest.raises(ValueError, match=r"only one label \(1\).*labels"):
        log_loss([1, 1], [0.2, 0.3])
    with pytest.raises(ValueError, match=r"y_true contains values \{'c'\}.*\['a', 'b'\]"):
        log_loss(["c", "a"], [[0.5, 0.5]] * 2, labels=["a", "b"])


def test_rounding_outside_the_unit_interval_is_clipped():
    got = log_loss([0, 1], [[1 + 1e-15, -1e-15], [0.5, 0.5]])
    assert got == pytest.approx(np.log(2) / 2, rel=1e-12)


def test_labels_are_the_order_of_the_columns():
    proba = np.array([[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]])
    y_true, ages = ["9", "10", "11"], ["9", "10", "11"]
    assert log_loss(y_true, proba, labels=ages) == pytest.approx(-np.log(0.9))
    assert roc_auc_score(y_true, proba, labels=ages, multi_class="ovr") == 1.0
    assert roc_auc_score(y_true, proba, multi_class="ovr") < 1.0


def test_rows_that_do_not_sum_to_1_warn():
    with pytest.warns(UserWarning, match=r"sum.*1\.5 in row 1"):
        log_loss([0, 1], [[0.5, 0.5], [0.7, 0.8]])
