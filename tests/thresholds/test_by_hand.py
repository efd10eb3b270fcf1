"""Thresholds and their uncertainty: all draws enumerated, and costs by hand."""

from itertools import product

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from skmetrics_ext import ThresholdOptimizerCV, optimal_threshold, optimal_threshold_interval

TRUE = np.array([1, 1, 1, 0, 0, 0])
SCORE = np.array([0.9, 0.4, 0.7, 0.6, 0.1, 0.5])


def youden(true, score, threshold):
    return (score[true == 1] >= threshold).mean() + (score[true == 0] < threshold).mean() - 1


def test_the_optimism_is_the_mean_over_all_draws():
    gains = []
    for first, second in product(product([0, 1, 2], repeat=3), product([3, 4, 5], repeat=3)):
        rows = np.array([*first, *second])
        found = optimal_threshold(TRUE[rows], SCORE[rows], criterion="youden")
        gains.append(found.value - youden(TRUE, SCORE, found.threshold))
    drawn = optimal_threshold_interval(
        TRUE, SCORE, criterion="youden", stratified=True, n_resamples=4000, random_state=0
    )
    error = np.std(gains) / np.sqrt(4000)
    assert drawn.optimism == pytest.approx(np.mean(gains), abs=4 * error)
    assert drawn.value.value == pytest.approx(drawn.chosen.value - drawn.optimism)


def test_a_search_that_mostly_fails_has_no_interval():
    """One of 20 positives is above all others: fewer than half of the draws keep its share."""
    true = np.r_[1, np.zeros(20, dtype=int), np.ones(19, dtype=int)]
    score = -np.arange(40.0)

    def share_without_alarms(counts):
        return np.where(counts.fp == 0, counts.tp / (counts.tp + counts.fn), 0.0)

    rng, kept = np.random.default_rng(0), 0
    for _ in range(2000):
        rows = rng.integers(0, 40, 40)
        kept += (rows == 0).sum() >= true[rows].sum() / 20 > 0
    assert 0.36 < kept / 2000 < 0.49
    found = optimal_threshold_interval(
        true, score, constraint=(share_without_alarms, ">=", 0.05), random_state=0
    )
    assert found.chosen.threshold == 0.0
    assert np.isnan([found.threshold.low, found.value.value, found.optimism]).all()
    assert "no threshold was found in" in found.threshold.note


def test_a_prevalence_without_costs_weighs_both_errors_alike():
    found = optimal_threshold(TRUE, SCORE, criterion="youden", prevalence=0.2)
    sensitivity = (SCORE[TRUE == 1] >= found.threshold).mean()
    specificity = (SCORE[TRUE == 0] < found.threshold).mean()
    assert found.value == pytest.approx(sensitivity + 0.8 / 0.2 * specificity - 1)


def test_values_that_differ_by_their_rounding_are_as_good():
    """Of those as good the higher threshold is taken, whatever the unit of the criterion."""
    for unit in (1.0, 1e9):
        values = unit * np.array([0.0, 0.3, 0.1 + 0.2, 0.0, 0.0, 0.0, 0.0])
        assert values[1] < values[2]
        found = optimal_threshold(TRUE, SCORE, criterion=lambda counts, own=values: own)
        assert found.threshold == 0.9


def test_the_mean_threshold_of_two_classes_is_a_number():
    X = np.random.default_rng(0).normal(size=(80, 2))
    y = (X[:, 0] > 0).astype(int)
    found = ThresholdOptimizerCV(LogisticRegression(), criterion="f1", cv=4, pos_label=1).fit(X, y)
    for name in ("mean", "std"):
        expected = getattr(np, name)(found.thresholds_by_fold_)
        assert isinstance(getattr(found, f"threshold_{name}_"), float)
        assert getattr(found, f"threshold_{name}_") == pytest.approx(expected)
