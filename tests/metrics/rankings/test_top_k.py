"""Whether the true class is among the k highest."""

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

import skmetrics_ext as sx

from .cases import any_classes, any_rows, options

SCORE = [[0.5, 0.2, 0.3], [0.3, 0.4, 0.2], [0.2, 0.4, 0.3], [0.7, 0.2, 0.1]]
TRUE = [0, 1, 2, 2]


@given(any_classes, st.integers(1, 2), st.booleans())
def test_multiclass_is_scikit_learns(sample, k, normalize):
    call = {"k": k, "normalize": normalize, **options(sample)}
    ours = sx.top_k_accuracy_score(sample.true, sample.response, **call)
    theirs = sklearn.metrics.top_k_accuracy_score(sample.true, sample.response, **call)
    assert ours == pytest.approx(theirs, rel=1e-12)


@given(any_rows, st.booleans())
def test_binary_is_scikit_learns(sample, as_probability):
    score = (sample.response + 1) / 2 if as_probability else sample.response
    ours = sx.top_k_accuracy_score(sample.true, score, k=1, **options(sample))
    theirs = sklearn.metrics.top_k_accuracy_score(sample.true, score, k=1, **options(sample))
    assert ours == pytest.approx(theirs, rel=1e-12)


def test_by_hand():
    assert [sx.top_k_accuracy_score(TRUE, SCORE, k=k) for k in (1, 2)] == [0.5, 0.75]
    weights = [1, 1, 1, 5]
    assert sx.top_k_accuracy_score(TRUE, SCORE, sample_weight=weights) == 3 / 8
    total = sx.top_k_accuracy_score(TRUE, SCORE, sample_weight=weights, normalize=False)
    assert total == 3
    with pytest.warns(UndefinedMetricWarning, match="perfect score"):
        assert sx.top_k_accuracy_score(TRUE, SCORE, k=3) == 1


def test_of_equal_scores_the_later_class_goes_first():
    tied = np.ones((3, 3))
    assert sx.top_k_accuracy_score([0, 1, 2], tied, k=1) == 1 / 3
    assert sx.top_k_accuracy_score([1, 0, 2], tied, k=2) == 2 / 3


def test_labels_are_the_order_of_the_columns():
    true = ["9", "10", "11", "11"]
    assert sx.top_k_accuracy_score(true, SCORE, k=1, labels=["9", "10", "11"]) == 0.5
    # Sorted as text the columns are of "10", "11", "9": only the third row is right.
    assert sx.top_k_accuracy_score(true, SCORE, k=1) == 0.25
    assert sx.top_k_accuracy_score(["9", "9"], SCORE[:2], k=1, labels=["9", "10", "11"]) == 0.5


@pytest.mark.parametrize(
    ("true", "score", "more", "message"),
    [
        (TRUE, SCORE, {"k": 0}, "k has to be an integer"),
        (TRUE, SCORE, {"k": 1.5}, "k has to be an integer"),
        (TRUE, SCORE, {"k": True}, "k has to be an integer"),
        (TRUE, SCORE, {"normalize": "yes"}, "normalize"),
        ([0, 1, 1, 0], SCORE, {}, "y_true` is binary"),
        ([0, 0, 0, 0], SCORE, {}, r"Number of classes in 'y_true' \(1\)"),
        (TRUE, SCORE, {"labels": [0, 1]}, "labels not in parameter"),
        (TRUE, SCORE, {"labels": [0, 1, 2, 3]}, r"Number of given labels \(4\)"),
        (TRUE, [0.1, 0.2, 0.3, 0.4], {}, "n_samples, n_classes"),
        ([0, 1, 2, 3], SCORE, {"labels": [0, 1, 2]}, "labels not in parameter"),
        (np.eye(3), np.eye(3), {}, "multilabel-indicator"),
    ],
)
def test_what_is_refused(true, score, more, message):
    with pytest.raises(ValueError, match=message):
        sx.top_k_accuracy_score(true, score, **more)


@pytest.mark.parametrize(
    "score",
    [
        [0.3, 1.0, 0.5, 0.4],
        [0.0, 0.3, 0.6, 1.0],
        [-0.1, 0.3, 0.6, 1],
        [0, 0.3, 0.6, 1.1],
        [1, 0, 1, 0],
    ],
)
def test_scores_up_to_1_are_probabilities(score):
    """Their threshold is 1/2, that of others 0."""
    true = [0, 1, 1, 0]
    expected = sklearn.metrics.top_k_accuracy_score(true, score, k=1)
    assert sx.top_k_accuracy_score(true, score, k=1) == expected
