"""Influence on averages over classes: closed forms by class, beside differences of the metric."""

import numpy as np
import pytest

import skmetrics_ext as sx

RNG = np.random.default_rng(3)
N, K = 300, 40
MARKS = (RNG.random((N, K)) < 0.2).astype(int)
SAID = np.where(RNG.random((N, K)) < 0.5, MARKS, (RNG.random((N, K)) < 0.2).astype(int))
MARKS[:, [0, 1]], SAID[:, [0, 2]] = 0, 0  # never marked, never true, never predicted
TRUE = RNG.integers(3, K, N)
PRED = np.where(RNG.random(N) < 0.6, TRUE, RNG.integers(0, K - 4, N))
ROWS = {"multilabel": (MARKS, SAID), "classes": (TRUE, PRED)}
WEIGHT = RNG.random(N) + 0.5
STEP = 1e-5


def shifted(metric, rows, row, step, options):
    weight = WEIGHT.copy()
    weight[row] += step
    return getattr(sx, metric)(*rows, sample_weight=weight, **options)


@pytest.mark.parametrize("what", ROWS)
@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
@pytest.mark.parametrize("zero_division", [np.nan, 0.0, 1.0])
@pytest.mark.parametrize(
    "metric", ["precision_score", "recall_score", "f1_score", "jaccard_score", "specificity_score"]
)
def test_influence_is_the_derivative_by_the_weight(what, average, zero_division, metric):
    rows, options = ROWS[what], {"average": average, "zero_division": zero_division}
    found = sx.influence_values(getattr(sx, metric), *rows, sample_weight=WEIGHT, **options)
    for row in range(0, N, 60):
        up, down = (shifted(metric, rows, row, step, options) for step in (STEP, -STEP))
        right = (up - down) / (2 * STEP) * N * WEIGHT[row]
        assert found[row] == pytest.approx(right, abs=1e-5)


def test_a_class_without_marks_leaves_the_interval_of_the_others():
    options = {"average": "macro", "zero_division": np.nan}
    found = sx.confidence_interval("positive_likelihood_ratio", MARKS, SAID, **options)
    assert found.low < found.value < found.high
