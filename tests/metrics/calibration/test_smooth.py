"""Smooth calibration error against its definition, integrated the long way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm

from skmetrics_ext import METRICS, expected_calibration_error, smooth_calibration_error
from skmetrics_ext.tallies import RankTally


def error_at(bandwidth, true, proba, weight, points=40001):
    """Sum of the kernel and its mirror images, on a fine grid."""
    t = (np.arange(points) + 0.5) / points
    residual = weight * (true - proba) / weight.sum()
    smooth = np.zeros(points)
    for p, r in zip(proba, residual, strict=True):
        for shift in range(-6, 7, 2):
            smooth += r * (norm.pdf(t, p + shift, bandwidth) + norm.pdf(t, -p + shift, bandwidth))
    return np.abs(smooth).mean()


def long_way(true, proba, weight):
    return brentq(lambda s: error_at(s, true, proba, weight) - s, 1e-3, 1.0, xtol=1e-8)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(6))
def test_equal_to_the_definition(seed):
    rng = np.random.default_rng(seed)
    proba = rng.uniform(size=8) ** 2
    proba[:2] = 0.0, 1.0
    true = (rng.uniform(size=8) < 0.5).astype(int)
    true[:2] = 1, 0
    weight = rng.integers(1, 5, 8).astype(float) if seed % 2 else np.ones(8)
    got = smooth_calibration_error(true, proba, sample_weight=weight)
    assert got == pytest.approx(long_way(true, proba, weight), abs=2e-6)


@pytest.mark.parametrize("proba", [0.0, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("rate", [0.0, 0.25, 1.0])
def test_one_probability_errs_by_its_distance_from_the_rate(proba, rate):
    """The residuals have one sign, and the kernel has mass 1 whatever its bandwidth."""
    true = (np.arange(8) < 8 * rate).astype(int)
    got = smooth_calibration_error(true, np.full(8, proba))
    assert got == pytest.approx(abs(proba - rate), abs=1e-6)


def test_a_calibrated_forecast_has_none():
    assert smooth_calibration_error([0, 0, 0, 1, 0, 1, 1, 1], [0.25] * 4 + [0.75] * 4) == 0
    assert smooth_calibration_error([0, 1], [0.0, 1.0]) == 0


@given(data=st.data())
def test_it_is_continuous_where_bins_are_not(data):
    """A shift by h moves the error by no more than 2 sqrt(h)."""
    shift = data.draw(st.floats(1e-9, 0.01))
    true = np.array(data.draw(st.lists(st.integers(0, 1), min_size=4, max_size=12)))
    base = np.full(len(true), 0.5)
    moved = base + np.where(true == 1, shift, -shift)
    near, far = smooth_calibration_error(true, base), smooth_calibration_error(true, moved)
    assert abs(near - far) <= 2 * np.sqrt(shift) + 4e-6


def test_bins_jump():
    true, base = np.array([0, 1] * 4), np.full(8, 0.5)
    moved = base + np.where(true == 1, 1e-9, 0)
    assert expected_calibration_error(true, base) == 0
    assert expected_calibration_error(true, moved) == pytest.approx(0.5)


@given(data=st.data())
def test_it_is_at_most_the_error_of_each_distinct_probability(data):
    n_rows = data.draw(st.integers(1, 20))
    proba = np.array(data.draw(st.lists(st.integers(0, 8), min_size=n_rows, max_size=n_rows))) / 8
    true = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n_rows, max_size=n_rows)))
    values, group = np.unique(proba, return_inverse=True)
    gaps = np.bincount(group, weights=true - proba, minlength=len(values))
    got = smooth_calibration_error(true, proba)
    assert got <= np.abs(gaps).sum() / len(proba) + 1e-6
    assert got >= abs((true - proba).mean()) - 1e-6
    tally = RankTally.from_scores(proba, true, 2, None)
    assert float(METRICS["smooth_calibration_error"].kernel(tally)) == pytest.approx(got, abs=1e-7)


def test_a_small_error_asks_for_a_finer_grid():
    """10,000 rows of two probabilities a little off: what is left is below the first grid."""
    proba = np.repeat([0.3, 0.7], 5000)
    true = np.concatenate([np.arange(5000) < 1510, np.arange(5000) < 3510]).astype(int)
    assert smooth_calibration_error(true, proba) == pytest.approx(0.002, abs=1e-6)
