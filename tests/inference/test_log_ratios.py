"""Ratios are compared by their logarithms: two models, two samples, many models."""

from math import exp, log

import numpy as np
import pytest
from scipy import stats

from skmetrics_ext import (
    compare,
    compare_samples,
    confidence_interval,
    diagnostic_odds_ratio,
    negative_likelihood_ratio,
    observed_expected_ratio,
    positive_likelihood_ratio,
)
from tests.support.many_models import all_differences

RATIOS = (positive_likelihood_ratio, negative_likelihood_ratio, diagnostic_odds_ratio)
TRUE = np.repeat([0, 1], [120, 80])
DRAWN = np.random.default_rng(4).random((3, 200))
A, B, C = (np.where(drawn < 0.8, TRUE, 1 - TRUE) for drawn in DRAWN)
CHANCE = np.clip(0.25 + 0.3 * TRUE + 0.3 * DRAWN[0], 0, 1)
OTHER = np.clip(0.2 + 0.2 * TRUE + 0.4 * DRAWN[1], 0, 1)


def test_the_error_of_a_log_likelihood_ratio_by_hand():
    """Each row adds what it adds to the logs of both rates, about their means."""
    found = compare(positive_likelihood_ratio, TRUE, A, B)

    def added(pred):
        sensitivity, fall_out = pred[TRUE == 1].mean(), pred[TRUE == 0].mean()
        of_true = (pred - sensitivity) / (sensitivity * 80)
        return np.where(TRUE == 1, of_true, -(pred - fall_out) / (fall_out * 120))

    error = float(np.sqrt(((added(A) - added(B)) ** 2).sum()))
    values = [positive_likelihood_ratio(TRUE, pred) for pred in (A, B)]
    assert found.method == "log_ratio"
    assert (found.value_a, found.value_b) == pytest.approx(values)
    assert found.difference == pytest.approx(log(values[0] / values[1]))
    assert found.standard_error == pytest.approx(error, rel=1e-9)
    assert found.statistic == pytest.approx(found.difference / error)
    assert ": log ratio " in str(found)


def test_of_exchanged_classes_the_ratios_are_the_inverse_of_each_other():
    """So their logarithms differ by the sign, and nothing else does."""
    found = compare(negative_likelihood_ratio, TRUE, A, B)
    turned = compare(positive_likelihood_ratio, 1 - TRUE, 1 - A, 1 - B)
    assert turned.p_value == pytest.approx(found.p_value)
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))
    plain, other = (
        compare(*asked, method="delta")
        for asked in (
            (negative_likelihood_ratio, TRUE, A, B),
            (positive_likelihood_ratio, 1 - TRUE, 1 - A, 1 - B),
        )
    )
    assert abs(plain.p_value - other.p_value) > 0.01


def test_observed_to_expected_is_the_paired_t_test_of_what_rows_add_to_the_logs():
    found = compare(observed_expected_ratio, TRUE, CHANCE, OTHER)
    apart = -CHANCE / CHANCE.mean() + OTHER / OTHER.mean()
    expected = stats.ttest_1samp(apart + found.difference, 0)
    assert found.difference == pytest.approx(log(OTHER.sum() / CHANCE.sum()))
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.method == "log_ratio, paired t"


def test_margins_are_logarithms_of_ratios():
    found = compare(diagnostic_odds_ratio, TRUE, A, B, margin=log(8), alternative="equivalent")
    inside = compare(diagnostic_odds_ratio, TRUE, A, B, confidence_level=0.9)
    assert found.concluded == (inside.low > -log(8) and inside.high < log(8))
    assert "log ratio" in str(found)


def test_two_samples_add_the_squares_of_distances_of_logarithms():
    half = np.arange(200) % 2 == 0
    one, other = ((TRUE[rows], pred[rows]) for rows, pred in ((half, A), (~half, B)))
    for ratio in RATIOS:
        found = compare_samples(ratio, *one, *other)
        (low_a, a, high_a), (low_b, b, high_b) = (
            np.log([found.low, found.value, found.high])
            for found in (confidence_interval(ratio, *rows) for rows in (one, other))
        )
        assert found.method == "mover, log_ratio"
        assert found.difference == pytest.approx(a - b)
        assert found.difference - found.low == pytest.approx(np.hypot(a - low_a, high_b - b))
        assert found.high - found.difference == pytest.approx(np.hypot(high_a - a, b - low_b))
        turned = compare_samples(ratio, *other, *one)
        assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))
        plain = compare_samples(ratio, *one, *other, method="delta")
        assert plain.difference == pytest.approx(exp(a) - exp(b))


def test_many_models_have_the_differences_of_pairs():
    models = {"a": A, "b": B, "c": C}
    for adjust in ("simultaneous", "holm"):
        found = all_differences(diagnostic_odds_ratio, TRUE, models, adjust=adjust, random_state=0)
        alone = compare(diagnostic_odds_ratio, TRUE, A, C)
        row = next(row for row in found.rows if (row["model"], row["against"]) == ("a", "c"))
        assert row["value"] == pytest.approx(alone.difference)
        assert row["low"] < alone.low < alone.high < row["high"]
        assert str(found).endswith("\ndifferences are of logarithms")


def test_infinite_ratios_have_no_logarithm_and_say_so():
    found = compare(positive_likelihood_ratio, TRUE, TRUE, A)
    assert found.difference == np.inf
    assert np.isnan([found.low, found.high, found.p_value]).all()
    assert "infinity" in found.note
    both = compare(positive_likelihood_ratio, TRUE, TRUE, TRUE)
    assert (both.difference, both.p_value) == (0, 1)
    with pytest.raises(ValueError, match=r"'log_ratio' does not apply to f1"):
        compare("f1", TRUE, A, B, method="log_ratio")


def test_plain_differences_are_there_for_the_asking():
    found = compare(positive_likelihood_ratio, TRUE, A, B, method="delta")
    assert found.difference == pytest.approx(found.value_a - found.value_b)
    assert found.method == "delta"


def test_many_models_without_a_logarithm_are_told_of():
    found = all_differences(
        positive_likelihood_ratio, TRUE, {"a": A, "sure": TRUE, "none": 0 * TRUE + 1}
    )
    assert all(row["note"] for row in found.rows if "sure" in (row["model"], row["against"]))
