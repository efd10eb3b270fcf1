"""Thresholds and their uncertainty: all draws enumerated, and costs by hand."""

from itertools import product

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from skmetrics_ext import ThresholdOptimizerCV, optimal_threshold
from skmetrics_ext.inference.draws.atoms import PLAIN
from skmetrics_ext.inference.draws.bootstrap import DrawPlan, resample
from skmetrics_ext.registry import find
from skmetrics_ext.thresholds.at_thresholds import Objective
from skmetrics_ext.thresholds.optimal import _ThresholdSample
from skmetrics_ext.validation import Scores

TRUE = np.array([1, 1, 1, 0, 0, 0])
SCORE = np.array([0.9, 0.4, 0.7, 0.6, 0.1, 0.5])


def youden(true, score, threshold):
    return (score[true == 1] >= threshold).mean() + (score[true == 0] < threshold).mean() - 1


def test_the_value_is_the_mean_over_all_partitions():
    """Five folds of three rows of each class: one row of each together, the others alone."""
    score, values = np.array([0.2, 0.5, 0.4, 0.1, 0.3, 0.0]), []
    for pair in product([0, 1, 2], [3, 4, 5]):
        said = np.zeros(6, dtype=int)
        for fold in [pair, *((row,) for row in range(6) if row not in pair)]:
            rows = np.setdiff1d(np.arange(6), fold)
            chosen = optimal_threshold(TRUE[rows], score[rows], criterion="youden").threshold
            said[list(fold)] = score[list(fold)] >= chosen
        values.append(youden(TRUE, said, 1))
    found = [
        optimal_threshold(
            TRUE, score, criterion="youden", n_resamples=2, random_state=k, interval=True
        )
        for k in range(200)
    ]
    error = np.std(values) / np.sqrt(5 * 200)
    assert error > 0
    assert np.mean([one.value.value for one in found]) == pytest.approx(
        np.mean(values), abs=4 * error
    )
    assert found[0].value.value == pytest.approx(found[0].chosen.value - found[0].optimism)


def test_thresholds_are_those_of_all_smaller_draws():
    """Draws of 6^0.8 rows in all have two of each class: 81 are equally likely."""
    expected = [
        optimal_threshold(TRUE[rows], SCORE[rows], criterion="youden").threshold
        for rows in map(list, product([0, 1, 2], [0, 1, 2], [3, 4, 5], [3, 4, 5]))
    ]
    checked = Scores.check(TRUE, SCORE, side="one", by_rule=False)
    objective = Objective.make("youden", None, None, None)
    sample = _ThresholdSample(
        find(optimal_threshold), SCORE[0], checked, PLAIN, objective=objective
    )
    drawn = resample(sample, DrawPlan(8100, stratified=True, random_state=0))
    for threshold in SCORE:
        share = np.mean(np.array(expected) == threshold)
        error = np.sqrt(share * (1 - share) / 8100)
        assert np.mean(drawn == threshold) == pytest.approx(share, abs=4 * error + 1e-12)


def test_a_search_that_mostly_fails_has_no_interval():
    """One of 20 positives is above all others: fewer than half of the draws have it."""
    true = np.r_[1, np.zeros(20, dtype=int), np.ones(19, dtype=int)]
    score = -np.arange(40.0)

    def share_without_alarms(counts):
        return np.where(counts.fp == 0, counts.tp / (counts.tp + counts.fn), 0.0)

    rng, kept = np.random.default_rng(0), 0
    for _ in range(2000):
        rows = rng.integers(0, 40, round(40**0.8))
        kept += (rows == 0).sum() >= true[rows].sum() / 20 > 0
    assert 0.3 < kept / 2000 < 0.45
    found = optimal_threshold(
        true, score, constraint=(share_without_alarms, ">=", 0.05), random_state=0, interval=True
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
