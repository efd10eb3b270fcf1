"""Intervals of chosen thresholds: each draw is a search of its own, and optimism is taken off."""

import numpy as np
import pytest

from skmetrics_ext import f1_score, optimal_threshold, optimal_threshold_interval
from skmetrics_ext.inference.draws.atoms import RowDesign
from skmetrics_ext.metrics.rankings.score_tally import binary_ranking
from skmetrics_ext.registry import Metric
from skmetrics_ext.thresholds.criteria import Objective
from skmetrics_ext.thresholds.uncertainty import _ThresholdSample
from skmetrics_ext.validation import InvalidParameterError

RNG = np.random.default_rng(4)
N = 120
TRUE = (RNG.random(N) < 0.5).astype(np.int64)
SCORE = np.round(RNG.normal(size=N) + 1.3 * TRUE, 1)
ABOUT = {"n_resamples": 99, "random_state": 0}


def reading(criterion):
    checked, _ = binary_ranking(TRUE, SCORE, labels=None, pos_label=1, sample_weight=None, what="")
    best = optimal_threshold(TRUE, SCORE, criterion=criterion)
    about = checked, RowDesign(), Objective.make(criterion, None, None, None), best.threshold
    return _ThresholdSample(Metric("", optimal_threshold, None), np.zeros(4), *about), best


def test_every_draw_is_searched_as_rows_are():
    made, best = reading("f1")
    units = made.atoms
    for _ in range(5):
        rows = np.sort(RNG.integers(0, N, N))
        counts = np.bincount(units.of_row[rows], minlength=len(units))
        threshold, on_draw, on_all, fixed = made.statistic(counts[None])[0]
        alone = optimal_threshold(TRUE[rows], SCORE[rows], criterion="f1")
        assert on_draw == pytest.approx(alone.value, abs=1e-12)
        assert f1_score(TRUE[rows], SCORE[rows] >= threshold) == pytest.approx(alone.value)
        assert on_all == pytest.approx(f1_score(TRUE, threshold <= SCORE))
        assert fixed == pytest.approx(f1_score(TRUE[rows], SCORE[rows] >= best.threshold))


@pytest.mark.parametrize("criterion", ["youden", "f1", "error_rate"])
def test_the_value_is_less_good_than_it_looked(criterion):
    found = optimal_threshold_interval(TRUE, SCORE, criterion=criterion, **ABOUT)
    best = optimal_threshold(TRUE, SCORE, criterion=criterion)
    assert found.chosen.threshold == found.threshold.value == best.threshold
    assert found.value.value == pytest.approx(best.value - found.optimism)
    assert found.optimism * (-1 if criterion == "error_rate" else 1) > 0
    for one in (found.threshold, found.value):
        assert one.low < one.value < one.high
        assert not one.note
    assert "threshold" in str(found)


def test_rows_seen_twice_in_one_group_are_one():
    twice = np.repeat(np.arange(N), 2)
    about = {"groups": twice, **ABOUT}
    found = optimal_threshold_interval(TRUE[twice], SCORE[twice], **about)
    alone = optimal_threshold_interval(TRUE, SCORE, groups=np.arange(N), **ABOUT)
    assert found.optimism == pytest.approx(alone.optimism)
    assert (found.threshold.low, found.value.high) == pytest.approx(
        (alone.threshold.low, alone.value.high)
    )


def test_rows_of_weight_0_are_none():
    weight = (np.arange(N) >= 20).astype(float)
    found = optimal_threshold_interval(TRUE, SCORE, sample_weight=weight, **ABOUT)
    alone = optimal_threshold_interval(TRUE[20:], SCORE[20:], **ABOUT)
    assert found.optimism == pytest.approx(alone.optimism)


def test_draws_without_a_threshold_are_told_of():
    true, score = TRUE.copy(), SCORE.copy()
    true[np.argsort(-score)[:4]] = [1, 1, 1, 0]  # a draw without the first three has no such part
    constraint = ("precision", ">=", 1.0)
    about = {"criterion": "recall", "constraint": constraint, **ABOUT}
    found = optimal_threshold_interval(true, np.unique(score, return_inverse=True)[1], **about)
    assert "no threshold was found in" in found.threshold.note


def test_few_rows_are_told_of():
    found = optimal_threshold_interval(TRUE[:60], SCORE[:60], **ABOUT)
    assert "rows of the rarer class are few" in found.threshold.note
    assert found.value.note == found.threshold.note


def test_more_than_two_classes_are_refused():
    with pytest.raises(InvalidParameterError, match="needs binary labels"):
        optimal_threshold_interval([0, 1, 2], np.eye(3))
