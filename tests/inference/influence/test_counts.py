"""Influence values of metrics of labels that are read from counts: multilabel, many classes."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from skmetrics_ext import compare, confidence_interval, influence_values
from skmetrics_ext.inference import derivatives
from skmetrics_ext.registry import find
from skmetrics_ext.validation import InvalidParameterError

RNG = np.random.default_rng(3)
N = 60
MARKS = (RNG.random((N, 4)) < [0.3, 0.4, 0.5, 0.6]).astype(np.int64)
SAID = np.where(RNG.random((N, 4)) < 0.7, MARKS, RNG.random((N, 4)) < 0.5).astype(np.int64)
MARKS[:, 0] |= ~MARKS.any(axis=1)  # a row without marks has no precision or recall
SAID[:, 1] |= ~SAID.any(axis=1)
WEIGHT = RNG.random(N) + 0.5
AVERAGES = ("macro", "micro", "weighted", "samples", None)


def differences(name, true, said, weight, params):
    """Of the metric, by the weight of each row."""
    function, step = find(name).function, 1e-5
    found = []
    for row in range(len(weight)):
        move = step * (np.arange(len(weight)) == row)
        up, down = (
            np.asarray(function(true, said, sample_weight=weight + s * move, **params))
            for s in (1, -1)
        )
        found.append(weight[row] * len(weight) * (up - down) / (2 * step))
    return np.array(found)


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("name", ["precision_score", "f1_score", "youden_j_score"])
def test_multilabel_averages(name, average):
    found = influence_values(name, MARKS, SAID, sample_weight=WEIGHT, average=average)
    expected = differences(name, MARKS, SAID, WEIGHT, {"average": average})
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["accuracy_score", "hamming_loss", "zero_one_loss"])
def test_multilabel_rows_and_marks(name):
    found = influence_values(name, MARKS, SAID, sample_weight=WEIGHT)
    np.testing.assert_allclose(
        found, differences(name, MARKS, SAID, WEIGHT, {}), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("average", ["macro", "samples", None])
def test_sparse_marks_are_marks(average):
    found = influence_values("f1_score", csr_array(MARKS), csr_array(SAID), average=average)
    expected = influence_values("f1_score", MARKS, SAID, average=average)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_some_of_the_outputs():
    found = influence_values("f1_score", MARKS, SAID, average="macro", labels=[0, 2])
    alone = influence_values("f1_score", MARKS[:, [0, 2]], SAID[:, [0, 2]], average="macro")
    np.testing.assert_allclose(found, alone, rtol=1e-12)


def test_subset_accuracy_is_a_share_of_rows():
    right = int((MARKS == SAID).all(axis=1).sum())
    found = confidence_interval("accuracy", MARKS, SAID)
    rows = confidence_interval("accuracy", np.ones(N, int), np.arange(N) < right)
    assert found.method == rows.method == "wilson"
    np.testing.assert_allclose([found.low, found.high], [rows.low, rows.high], rtol=1e-12)


METRICS_OF_TABLES = ("f1_macro", "recall_weighted", "accuracy", "balanced_accuracy")


@pytest.mark.parametrize("name", METRICS_OF_TABLES)
def test_counts_and_tables_tell_the_same(name, monkeypatch):
    """Of so few classes that there is a table, when it is not laid out."""
    true = RNG.integers(0, 5, N)
    said = np.where(RNG.random(N) < 0.6, true, RNG.integers(0, 5, N))
    other = np.where(RNG.random(N) < 0.6, true, RNG.integers(0, 5, N))
    by_table = influence_values(name, true, said)
    tested = compare(name, true, said, other, method="delta")
    monkeypatch.setattr(derivatives, "_MOST_CLASSES", 2)
    np.testing.assert_allclose(influence_values(name, true, said), by_table, atol=1e-12)
    again = compare(name, true, said, other, method="delta")
    assert again.difference == pytest.approx(tested.difference, abs=1e-12)


def test_metrics_of_the_whole_table_of_many_classes_are_resampled():
    true = np.arange(400) % 200
    with pytest.raises(InvalidParameterError, match="no derivative"):
        influence_values("mutual_information", true, RNG.permutation(true))
