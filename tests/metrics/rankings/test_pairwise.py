"""The matrix of pairwise areas, and what is read from it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

import skmetrics_ext as sx

from .cases import any_classes, any_rows, area_by_pairs, options, row_weights


@given(any_classes)
def test_it_is_the_share_of_pairs_ranked_rightly(sample):
    got = sx.pairwise_roc_auc(sample.true, sample.response, **options(sample))
    for i in range(sample.n_classes):
        for j in range(sample.n_classes):
            if i == j:
                assert np.isnan(got[i, j])
                continue
            column, weight = sample.response[:, i], row_weights(sample)
            exact = area_by_pairs(column, sample.true == i, sample.true == j, weight)
            assert got[i, j] == pytest.approx(float(exact), rel=1e-14)


@given(any_classes)
def test_one_vs_rest_from_it_is_one_vs_rest_by_definition(sample):
    pairs = sx.pairwise_roc_auc(sample.true, sample.response, **options(sample))
    size = np.bincount(sample.true, weights=row_weights(sample))
    from_pairs = [
        np.average(np.delete(pairs[i], i), weights=np.delete(size, i)) for i in range(len(size))
    ]
    marks = (sample.true[:, None] == np.arange(len(size))).astype(int)
    alone = [
        sx.roc_auc_score(marks[:, i], sample.response[:, i], **options(sample))
        for i in range(len(size))
    ]
    np.testing.assert_allclose(from_pairs, alone, rtol=1e-12)
    call = {"multi_class": "ovr", "average": None, **options(sample)}
    np.testing.assert_allclose(
        sx.roc_auc_score(sample.true, sample.response, **call), alone, rtol=1e-12
    )


@given(any_classes, st.sampled_from(["macro", "weighted"]))
def test_one_vs_one_is_the_mean_of_both_directions(sample, average):
    pairs = sx.pairwise_roc_auc(sample.true, sample.response, **options(sample))
    size = np.bincount(sample.true, weights=row_weights(sample))
    i, j = np.triu_indices(len(size), 1)
    weights = None if average == "macro" else size[i] + size[j]
    mean = np.average((pairs[i, j] + pairs[j, i]) / 2, weights=weights)
    call = {"multi_class": "ovo", "average": average, **options(sample)}
    assert sx.roc_auc_score(sample.true, sample.response, **call) == pytest.approx(mean, rel=1e-12)


@given(any_classes, st.floats(0.05, 1))
def test_partial_areas_of_pairs(sample, high):
    got = sx.pairwise_roc_auc(sample.true, sample.response, max_fpr=high, **options(sample))
    for i, j in ((0, 1), (1, 0), (2, 1)):
        rows = np.isin(sample.true, [i, j])
        weight = None if sample.weight is None else sample.weight[rows]
        alone = sx.roc_auc_score(
            (sample.true[rows] == i).astype(int),
            sample.response[rows, i],
            max_fpr=high,
            sample_weight=weight,
        )
        assert got[i, j] == pytest.approx(alone, rel=1e-12)


@given(any_rows)
def test_scores_turned_round_have_the_other_area(sample):
    args = sample.true, sample.response
    turned = sx.roc_auc_score(sample.true, -sample.response, **options(sample))
    assert turned == pytest.approx(1 - sx.roc_auc_score(*args, **options(sample)), rel=1e-12)
    matrix = sx.pairwise_roc_auc(*args, **options(sample))
    area = sx.roc_auc_score(*args, **options(sample))
    np.testing.assert_allclose(matrix, [[np.nan, area], [area, np.nan]], rtol=1e-12)


@given(any_rows, st.floats(0.05, 0.95))
def test_partial_areas_of_two_classes_are_of_either_side(sample, high):
    call = {"max_fpr": high, **options(sample)}
    got = sx.pairwise_roc_auc(sample.true, sample.response, **call)
    first = sx.roc_auc_score(1 - sample.true, -sample.response, **call)
    second = sx.roc_auc_score(sample.true, sample.response, **call)
    np.testing.assert_allclose(got, [[np.nan, first], [second, np.nan]], rtol=1e-12)


def test_labels_are_the_order_of_the_columns():
    true = np.array(["9", "10", "11", "10"])
    score = np.array([[3, 1, 0], [1, 2, 0], [0, 1, 5], [2, 4, 1]])
    got = sx.pairwise_roc_auc(true, score, labels=["9", "10", "11"])
    off = ~np.eye(3, dtype=bool)
    assert got[off].tolist() == [1, 1, 1, 1, 1, 1]


def test_a_class_without_rows_is_named():
    score = [[0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.4, 0.3, 0.3]]
    with pytest.warns(UndefinedMetricWarning, match=r"without rows: \['c'\]"):
        got = sx.pairwise_roc_auc(["a", "b", "a"], score, labels=["a", "b", "c"])
    assert np.isnan(got).tolist() == [[True, False, True], [False, True, True], [True] * 3]


def test_counts_beyond_float_are_exact():
    # One positive above all but one of 2**27 + 1 negatives, by integer weights.
    n = 2**27
    area = sx.roc_auc_score([0, 1, 0], [0.1, 0.5, 0.9], sample_weight=[n, 1, 1])
    assert area == n / (n + 1)


def test_multilabel_is_refused():
    with pytest.raises(ValueError, match="multilabel-indicator"):
        sx.pairwise_roc_auc([[0, 1], [1, 0]], [[0.1, 0.2], [0.3, 0.4]])
    with pytest.raises(ValueError, match="max_fpr"):
        sx.pairwise_roc_auc([0, 1], [0.1, 0.2], max_fpr=0)
