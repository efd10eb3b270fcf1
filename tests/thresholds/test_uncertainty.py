"""Intervals of chosen thresholds: draws are searches of their own, values are cross-fitted."""

import numpy as np
import pytest
from scipy.special import ndtr

from skmetrics_ext import (
    confidence_interval,
    f1_score,
    optimal_threshold,
)
from skmetrics_ext.inference.draws.atoms import PLAIN, draw_counts
from skmetrics_ext.metrics.rankings.score_tally import binary_ranking
from skmetrics_ext.registry import find
from skmetrics_ext.thresholds.at_thresholds import Objective
from skmetrics_ext.thresholds.optimal import _ThresholdSample
from skmetrics_ext.validation import InvalidParameterError

RNG = np.random.default_rng(4)
N = 120
TRUE = (RNG.random(N) < 0.5).astype(np.int64)
SCORE = np.round(RNG.normal(size=N) + 1.3 * TRUE, 1)
ABOUT = {"n_resamples": 99, "random_state": 0}


def reading(criterion):
    checked, _ = binary_ranking(TRUE, SCORE, labels=None, pos_label=1, sample_weight=None, what="")
    objective = Objective.make(criterion, None, None, None)
    metric = find(optimal_threshold)
    return _ThresholdSample(metric, 0.0, checked, PLAIN, objective=objective)


def test_every_draw_is_searched_as_rows_are():
    made = reading("f1")
    units = made.atoms
    for n_drawn in (N, 50):
        rows = np.sort(RNG.integers(0, N, n_drawn))
        counts = np.bincount(units.of_row[rows], minlength=len(units))
        (threshold,) = made.statistic(counts[None])
        alone = optimal_threshold(TRUE[rows], SCORE[rows], criterion="f1")
        assert f1_score(TRUE[rows], SCORE[rows] >= threshold) == pytest.approx(alone.value)


def test_draws_are_smaller_than_the_sample():
    """Percentiles of draws of n rows are too narrow for a maximum: n^0.8 are drawn."""
    made = reading("f1")
    drawn = draw_counts(np.random.default_rng(0), made.atoms, 20, False, made.drawn_share)
    assert (drawn.sum(axis=1) == round(N**0.8)).all()
    kept = draw_counts(np.random.default_rng(0), made.atoms, 20, True, made.drawn_share)
    of_class = kept @ (made.atoms.label[:, None] == [0, 1])
    assert (of_class == np.round(N ** (-0.2) * np.bincount(TRUE))).all()


@pytest.mark.parametrize("criterion", ["youden", "f1", "error_rate", "closest_topleft"])
def test_the_value_is_less_good_than_it_looked(criterion):
    found = optimal_threshold(TRUE, SCORE, criterion=criterion, **ABOUT, interval=True)
    best = optimal_threshold(TRUE, SCORE, criterion=criterion)
    assert found.chosen.threshold == found.threshold.value == best.threshold
    assert found.value.value == pytest.approx(best.value - found.optimism)
    assert found.optimism * (-1 if criterion in ("error_rate", "closest_topleft") else 1) > 0
    for one in (found.threshold, found.value):
        assert one.low < one.value < one.high
        assert not one.note
    assert "threshold" in str(found)


def test_the_value_has_the_interval_of_predictions_of_other_rows():
    """A threshold that every fold finds: the value is that of the rows, its interval Wilson's."""
    true = np.arange(200) % 2
    score = np.where(np.arange(200) % 11 == 0, 1 - true, true)
    found = optimal_threshold(true, score, criterion="accuracy", **ABOUT, interval=True)
    alone = confidence_interval("accuracy", true, score >= 1)
    assert found.chosen.threshold == 1.0
    assert tuple(found.value) == pytest.approx(tuple(alone), abs=1e-3)  # rows as groups


def test_a_criterion_of_costs_is_read_from_the_same_predictions():
    found = optimal_threshold(
        TRUE, SCORE, criterion="expected_cost", cost=(1.0, 1.0), **ABOUT, interval=True
    )
    errors = optimal_threshold(TRUE, SCORE, criterion="error_rate", **ABOUT, interval=True)
    assert found.value.value == pytest.approx(errors.value.value)
    assert found.value.method == "cross-fitted, expanded"


def test_intervals_of_a_good_model_hold():
    """Area 0.97 and 60 positives; the best Youden threshold and its value are known."""
    apart, held = 2.66, np.zeros(2)
    for seed in range(60):
        rng = np.random.default_rng(seed)
        true = (np.arange(300) < 60).astype(np.int64)
        found = optimal_threshold(
            true,
            rng.normal(size=300) + apart * true,
            n_resamples=199,
            random_state=0,
            interval=True,
        )
        at = found.chosen.threshold
        worth = ndtr(apart - at) - ndtr(-at)
        held[0] += found.threshold.low <= apart / 2 <= found.threshold.high
        held[1] += found.value.low <= worth <= found.value.high
    assert held.min() >= 52  # of 60 at 95 %, fewer in 0.5 %


def test_values_of_thresholds_among_marks_are_within():
    """Marks of 0 to 10, of which several are nearly as good: the better bound allows for that."""
    misses, of_each = np.zeros(2), [4.4, 5.6]
    for seed in range(200):
        rng = np.random.default_rng(seed)
        true = (rng.random(300) < 0.4).astype(np.int64)
        mark = np.rint(np.clip(np.take(of_each, true) + 2 * rng.normal(size=300), 0, 10))
        found = optimal_threshold(true, mark, n_resamples=9, random_state=0, interval=True)
        at = found.chosen.threshold
        rest, recall = (1.0 if at <= 0 else ndtr((mean - at + 0.5) / 2) for mean in of_each)
        misses += [recall - rest < found.value.low, recall - rest > found.value.high]
    assert misses.max() <= 10  # 5 expected on either side; 14 are above the bounds of rows alone


@pytest.mark.parametrize("turned", [False, True])
def test_few_rows_on_the_wrong_side_widen_it(turned):
    true = np.repeat([0, 1], 60)
    score = np.r_[np.arange(60), 60 + np.arange(60)].astype(float)
    score[60] = 12.5  # one positive far below, and no negative above
    if turned:
        true, score = 1 - true, -score
    found = optimal_threshold(true, score, **ABOUT, interval=True).threshold
    low, high = (found.low, found.high) if not turned else (-found.high, -found.low)
    assert low <= 12.5
    assert high >= 60
    assert "the wrong side of the threshold" in found.note


def test_rows_seen_twice_in_one_group_are_one():
    twice = np.repeat(np.arange(N), 2)
    about = {"groups": twice, **ABOUT}
    found = optimal_threshold(TRUE[twice], SCORE[twice], **about, interval=True)
    alone = optimal_threshold(TRUE, SCORE, groups=np.arange(N), **ABOUT, interval=True)
    assert found.optimism == pytest.approx(alone.optimism)
    assert tuple(found.threshold) == tuple(alone.threshold)
    assert tuple(found.value) == pytest.approx(tuple(alone.value), rel=0.01)
    assert found.value.n_groups == N


def test_rows_seen_twice_are_two():
    listed = np.repeat(np.arange(N), 2)
    found = optimal_threshold(
        TRUE, SCORE, sample_weight=np.full(N, 2), weights_are="frequency", **ABOUT, interval=True
    )
    alone = optimal_threshold(TRUE[listed], SCORE[listed], **ABOUT, interval=True)
    assert tuple(found.threshold) == tuple(alone.threshold)
    assert found.value.value == pytest.approx(alone.value.value)
    assert found.value.standard_error == pytest.approx(alone.value.standard_error)


def test_rows_of_weight_0_are_none():
    weight = (np.arange(N) >= 20).astype(float)
    found = optimal_threshold(TRUE, SCORE, sample_weight=weight, **ABOUT, interval=True)
    alone = optimal_threshold(TRUE[20:], SCORE[20:], **ABOUT, interval=True)
    assert found.optimism == pytest.approx(alone.optimism)


def test_draws_without_a_threshold_are_told_of():
    true, score = TRUE.copy(), SCORE.copy()
    true[np.argsort(-score)[:4]] = [1, 1, 1, 0]  # a draw without the first three has no such part
    constraint = ("precision", ">=", 1.0)
    about = {"criterion": "recall", "constraint": constraint, **ABOUT}
    found = optimal_threshold(
        true, np.unique(score, return_inverse=True)[1], **about, interval=True
    )
    assert "no threshold was found in" in found.threshold.note


def test_few_rows_are_told_of():
    few = np.r_[np.flatnonzero(TRUE == 1)[:12], np.flatnonzero(TRUE == 0)]
    found = optimal_threshold(TRUE[few], SCORE[few], **ABOUT, interval=True)
    assert "only 12 rows in the smallest class" in found.threshold.note


def test_more_than_two_classes_are_refused():
    with pytest.raises(InvalidParameterError, match="needs binary labels"):
        optimal_threshold([0, 1, 2], np.eye(3), interval=True)


def test_options_of_draws_belong_to_an_interval():
    with pytest.raises(ValueError, match=r"n_resamples is for an interval: pass interval=True"):
        optimal_threshold(TRUE, SCORE, n_resamples=9)
    with pytest.raises(ValueError, match="answer two questions"):
        optimal_threshold(
            TRUE, SCORE, constraint=("recall", ">=", 0.5), confidence=0.9, interval=True
        )


def test_five_rows_on_the_wrong_side_are_enough():
    true = np.repeat([0, 1], 100)
    for n_wrong in (4, 5):
        score = np.arange(200.0)
        score[100 : 100 + n_wrong] = -np.arange(1, n_wrong + 1)
        score[92:100] = 300 + np.arange(8)
        found = optimal_threshold(true, score, **ABOUT, interval=True).threshold
        assert found.note.startswith("few rows on the wrong side of") == (n_wrong < 5)
        if n_wrong == 4:
            assert found.note.endswith(": 4 positive (decides the lower bound)")


def test_without_a_wrong_row_the_bounds_are_the_next_scores():
    """Each class far from the other: no draw moves the threshold by more than a few scores."""
    true, score = np.repeat([0, 1], 60), np.r_[np.arange(60), 1000 + 100 * np.arange(60)]
    found = optimal_threshold(true, score, **ABOUT, interval=True).threshold
    assert (found.value, found.low) == (1000, 59)
    assert found.high >= 1100
    score[60:90] = 1000  # every draw has one of these
    found = optimal_threshold(true, score, **ABOUT, interval=True).threshold
    assert (found.low, found.value, found.high) == (59, 1000, 4000)


@pytest.mark.parametrize(("criterion", "sign"), [("accuracy", 1), ("error_rate", -1)])
def test_the_better_bound_is_moved_by_half_of_the_optimism(criterion, sign):
    """At a level of nearly 0 the interval of rows has no width."""
    found = optimal_threshold(
        TRUE, SCORE, criterion=criterion, **ABOUT, interval=True, confidence_level=1e-6
    )
    value, optimism = found.value, found.optimism
    assert optimism == found.chosen.value - value.value
    assert sign * optimism > 0.01
    ends = sorted((value.value, value.value + optimism / 2))
    assert [value.low, value.high] == pytest.approx(ends, abs=1e-6)
