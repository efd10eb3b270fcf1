"""Bands, two samples, margins and many models: values and laws that need no other software."""

import numpy as np
import pytest

from skmetrics_ext import (
    accuracy_score,
    compare,
    compare_samples,
    confidence_interval,
    curve_band,
)
from tests.support.many_models import all_differences

RNG = np.random.default_rng(27)
N = 60
Y = np.arange(N) % 2
PROBA = {f"m{k}": np.clip(0.5 + 0.2 * (Y - 0.5) + RNG.normal(0, 0.2, N), 0, 1) for k in range(4)}
LABELS = {name: (proba > 0.5).astype(int) for name, proba in PROBA.items()}


# --------------------------------------------------------------------------- bands


def test_many_thresholds_fall_from_the_largest_score_to_the_least():
    score = RNG.normal(size=1000)
    at = curve_band("recall", RNG.integers(0, 2, 1000), score).at
    assert (at[0], at[-1]) == (score.max(), score.min())
    falling = np.sort(score)[::-1]
    assert at.tolist() == [falling[int(k * 999 / 100)] for k in range(101)]


# --------------------------------------------------------------------------- two samples


def test_bca_combines_the_bca_intervals_of_both_samples():
    samples = [(Y[:30], LABELS["m0"][:30]), (Y[30:], LABELS["m1"][30:])]
    options = {"method": "bca", "n_resamples": 300, "random_state": 0}
    one, other = (confidence_interval("f1", *each, **options) for each in samples)
    found = compare_samples("f1", *samples[0], *samples[1], **options)
    low = found.difference - np.hypot(one.value - one.low, other.high - other.value)
    high = found.difference + np.hypot(one.high - one.value, other.value - other.low)
    assert (found.low, found.high) == pytest.approx((low, high))


def test_welch_without_any_variance_keeps_the_difference():
    found = compare_samples("accuracy", [1] * 5, [1] * 5, [1] * 4, [0] * 4, method="welch")
    assert found.difference == 1.0
    assert np.isnan(found.p_value)
    assert "no variance" in found.note


# --------------------------------------------------------------------------- margins


def test_a_margin_is_less_than_the_range():
    for size in (1, 1.0, 2):
        with pytest.raises(ValueError, match="as large as differences can be"):
            compare("accuracy", Y, LABELS["m0"], LABELS["m1"], margin=size)
    assert compare("accuracy", Y, LABELS["m0"], LABELS["m1"], margin=0.999).p_value == 1


def test_a_function_of_unknown_direction_is_named():
    def share_of_hits(y_true, y_pred):
        return accuracy_score(y_true, y_pred)

    options = {"alternative": "non-inferior", "margin": 0.1, "n_resamples": 50}
    with pytest.raises(ValueError, match="share_of_hits has none"):
        compare(share_of_hits, Y, LABELS["m0"], LABELS["m1"], **options)


# --------------------------------------------------------------------------- many models


@pytest.mark.parametrize("control", PROBA)
def test_differences_from_a_control_are_those_of_the_values(control):
    found = all_differences("brier_score", Y, PROBA, control=control, random_state=0)
    for row in found.rows:
        expected = row.value_a - row.value_b
        assert row.value == pytest.approx(expected, abs=1e-15)
        assert (row.low + row.high) / 2 == pytest.approx(expected, abs=1e-12)


def test_intervals_and_p_values_agree_whatever_the_draws():
    """Few draws, so that the quantile of the largest error lies between two of them."""
    rng = np.random.default_rng(6)
    spreads = {f"m{k}": 0.15 + 0.03 * k for k in range(4)}
    apart = {
        name: np.clip(0.5 + 0.2 * (Y - 0.5) + rng.normal(0, spread, N), 0, 1)
        for name, spread in spreads.items()
    }
    near = 0
    for seed in range(60):
        for alpha in (0.1, 0.3, 0.6):
            options = {"confidence_level": 1 - alpha, "n_resamples": 20, "random_state": seed}
            for row in all_differences("brier_score", Y, apart, **options).rows:
                assert (row.low > 0 or row.high < 0) == (row.p_adjusted <= alpha)
                near += abs(row.p_adjusted - alpha) < 1 / 21
    assert near > 20
