"""Tests on scores of the same folds."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skmetrics_ext import (
    bayesian_correlated_ttest,
    corrected_resampled_interval,
    corrected_resampled_ttest,
)
from skmetrics_ext.significance import five_by_two_cv_ftest, five_by_two_cv_ttest

SIZES = {"n_train": 90, "n_test": 10}
SCORES = st.integers(2, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 100), min_size=n, max_size=n)] * 2)
)


def test_corrected_t_by_hand() -> None:
    # Differences 1, 2, 3: mean 2, variance 1, error sqrt(1/3 + 2/3) = 1.
    found = corrected_resampled_ttest([4, 5, 6], [3, 3, 3], n_train=30, n_test=20)
    assert (found.difference, found.standard_error, found.statistic) == (2.0, 1.0, 2.0)
    assert (found.value_a, found.value_b) == (5.0, 3.0)
    assert found.p_value == pytest.approx(2 * stats.t.sf(2, 2))
    spread = stats.t.ppf(0.975, 2)
    assert (found.low, found.high) == pytest.approx((2 - spread, 2 + spread))


@given(scores=SCORES)
def test_interval_leaves_0_out_where_the_test_rejects(scores: tuple[list, list]) -> None:
    found = corrected_resampled_ttest(*scores, **SIZES, confidence_level=0.9)
    if abs(found.p_value - 0.1) > 1e-9:
        assert (found.low > 0 or found.high < 0) == (found.p_value < 0.1)


@given(scores=SCORES)
def test_without_a_test_set_it_is_the_plain_paired_t(scores: tuple[list, list]) -> None:
    first, second = np.array(scores, dtype=float)
    if np.ptp(first - second) == 0:
        return
    found = corrected_resampled_ttest(first, second, n_train=1e15, n_test=1)
    want = stats.ttest_rel(first, second)
    assert found.statistic == pytest.approx(want.statistic)
    assert found.p_value == pytest.approx(want.pvalue)


def test_level_under_correlated_folds() -> None:
    # Differences of common correlation 1/10, as k-fold with 10 % test rows is taken to have.
    rng = np.random.default_rng(0)
    folds = np.sqrt(0.1) * rng.normal(size=(4000, 1)) + np.sqrt(0.9) * rng.normal(size=(4000, 10))
    zeros = np.zeros(10)
    p_values = [corrected_resampled_ttest(row, zeros, **SIZES).p_value for row in folds]
    plain = stats.ttest_1samp(folds, 0, axis=1).pvalue
    assert 0.04 < np.mean(np.array(p_values) < 0.05) < 0.06
    assert np.mean(plain < 0.05) > 0.12


def test_repetitions_and_fold_sizes() -> None:
    first, second = [[0.8, 0.7], [0.9, 0.6]], [[0.7, 0.7], [0.8, 0.5]]
    flat = corrected_resampled_ttest(np.ravel(first), np.ravel(second), n_train=30, n_test=10)
    sized = corrected_resampled_ttest(first, second, n_train=[29, 31] * 2, n_test=[11, 9] * 2)
    assert flat == sized


def test_model_against_itself_and_equal_differences() -> None:
    scores = [0.7, 0.8, 0.75]
    same = corrected_resampled_ttest(scores, scores, **SIZES)
    assert (same.difference, same.statistic, same.p_value) == (0.0, 0.0, 1.0)
    # 0.1 + 0.2 and 0.3 differ by rounding alone.
    rounded = corrected_resampled_ttest([0.1 + 0.2, 0.5], [0.3, 0.5], **SIZES)
    assert (rounded.difference, rounded.p_value) == (0.0, 1.0)
    shifted = corrected_resampled_ttest([0.9, 0.8, 0.7], [0.8, 0.7, 0.6], **SIZES)
    assert (shifted.statistic, shifted.p_value) == (float("inf"), 0.0)
    assert shifted.low == shifted.high == shifted.difference
    assert "same on every fold" in shifted.note


def test_interval_of_a_mean_is_the_test_against_0() -> None:
    scores = [0.7, 0.8, 0.75, 0.9]
    found = corrected_resampled_interval(scores, **SIZES)
    against = corrected_resampled_ttest(scores, np.zeros(4), **SIZES)
    assert (found.value, found.low, found.high) == (
        against.difference,
        against.low,
        against.high,
    )
    assert corrected_resampled_interval([0.5, 0.5], **SIZES).note != ""
    assert against.note == found.note == ""


@given(scores=SCORES, rope=st.sampled_from([0.0, 1.0, 10.0]))
def test_posterior_is_a_t_distribution(scores: tuple[list, list], rope: float) -> None:
    found = bayesian_correlated_ttest(*scores, **SIZES, rope=rope)
    total = found.p_a_better + found.p_equivalent + found.p_b_better
    assert total == pytest.approx(1.0)
    test = corrected_resampled_ttest(*scores, **SIZES)
    assert (found.low, found.high) == (test.low, test.high)
    if test.standard_error > 0:
        posterior = stats.t(len(scores[0]) - 1, test.difference, test.standard_error)
        assert found.p_a_better == pytest.approx(posterior.sf(rope))
        assert found.p_b_better == pytest.approx(posterior.cdf(-rope))
    if rope == 0:
        assert 2 * min(found.p_a_better, found.p_b_better) == pytest.approx(test.p_value)


@pytest.mark.parametrize(
    ("shift", "rope", "want"),
    [
        (0, 0, (0.5, 0, 0.5)),
        (0, 1, (0, 1, 0)),
        (2, 1, (1, 0, 0)),
        (-2, 0, (0, 0, 1)),
        (1, 1, (0, 1, 0)),  # at the edge of what is equivalent
        (-1, 1, (0, 1, 0)),
    ],
)
def test_posterior_without_spread(
    shift: float, rope: float, want: tuple[float, float, float]
) -> None:
    first = np.array([5.0, 7.0, 6.0])
    found = bayesian_correlated_ttest(first + shift, first, **SIZES, rope=rope)
    assert (found.p_a_better, found.p_equivalent, found.p_b_better) == want


FIVE = [[1, 2], [3, 1], [0, 0], [2, 2], [4, 2]]
ZERO = np.zeros((5, 2))


def test_five_by_two_by_hand() -> None:
    # s^2 is 1/2, 2, 0, 0, 2: sum 9/2; the differences' squares sum to 43.
    t_test, f_test = five_by_two_cv_ttest(FIVE, ZERO), five_by_two_cv_ftest(FIVE, ZERO)
    assert t_test.statistic == pytest.approx(1 / sqrt(4.5 / 5))
    assert t_test.p_value == pytest.approx(2 * stats.t.sf(1 / sqrt(0.9), 5))
    assert t_test.degrees_of_freedom == 5
    assert f_test.statistic == pytest.approx(43 / 9)
    assert f_test.p_value == pytest.approx(stats.f.sf(43 / 9, 10, 5))
    assert f_test.degrees_of_freedom == (10, 5)


@given(st.lists(st.integers(-9, 9), min_size=10, max_size=10), st.permutations(range(5)))
def test_f_does_not_depend_on_the_order(cells: list[int], order: list[int]) -> None:
    table = np.array(cells, dtype=float).reshape(5, 2)
    shuffled = table[order][:, ::-1]
    assert five_by_two_cv_ftest(table, ZERO).statistic == pytest.approx(
        five_by_two_cv_ftest(shuffled, ZERO).statistic
    )
    assert five_by_two_cv_ftest(ZERO, table) == five_by_two_cv_ftest(table, ZERO)


@pytest.mark.parametrize("test", [five_by_two_cv_ttest, five_by_two_cv_ftest])
def test_five_by_two_of_a_model_against_itself(test: object) -> None:
    found = test(FIVE, FIVE)
    assert (found.statistic, found.p_value) == (0.0, 1.0)
    shifted = test(np.array(FIVE) + 0.1, FIVE)
    assert (shifted.statistic, shifted.p_value) == (float("inf"), 0.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: corrected_resampled_ttest([1, 2], [1], **SIZES), r"\(2,\) and \(1,\)"),
        (lambda: corrected_resampled_ttest([1], [1], **SIZES), "2 folds or more are needed, got 1"),
        (
            lambda: corrected_resampled_ttest([1, 2], [1, float("nan")], **SIZES),
            "scores_b has to be finite, got nan on fold 1",
        ),
        (
            lambda: corrected_resampled_ttest([1, 2], [1, 2], n_train=0, n_test=3),
            "n_train has to be positive, got 0",
        ),
        (lambda: corrected_resampled_interval(["a", 1], **SIZES), "scores must hold numbers"),
        (lambda: bayesian_correlated_ttest([1, 2], [1, 3], **SIZES, rope=-1), "rope has to be"),
        (lambda: five_by_two_cv_ttest([1, 2], ZERO), r"scores_a has to be of shape \(5, 2\)"),
    ],
)
def test_refused(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
