"""Intervals of means of losses, whose bounds the skewness of the losses moves."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from skmetrics_ext import compare, confidence_interval


def test_mean_losses_move_their_bounds_by_the_skewness():
    rng = np.random.default_rng(0)
    true = (rng.random(300) < 0.1).astype(int)
    proba = np.clip(0.1 + 0.3 * true + 0.05 * rng.normal(size=300), 0.01, 0.99)
    skewed, plain, normal = (
        confidence_interval("neg_log_loss", true, proba, method=method)
        for method in ("hall", "t", "normal")
    )
    assert skewed.low > plain.low
    assert skewed.high > plain.high
    assert plain.high > normal.high


def test_hall_s_transformation_by_its_formula():
    """The bounds are where T + g (T^2 / 3 + 1 / 6) + g^2 T^3 / 27 is the quantile (Hall 1992)."""
    losses = np.array([0.1, 0.2, 0.2, 0.3, 0.5, 0.9, 1.4])
    found = confidence_interval("neg_log_loss", np.ones(7), np.exp(-losses), labels=[0, 1])
    error = losses.std(ddof=1) / np.sqrt(7)
    skewness = ((losses - losses.mean()) ** 3).mean() / losses.std() ** 3 / np.sqrt(7)
    assert found.standard_error == pytest.approx(error)
    for bound, sign in ((found.low, 1), (found.high, -1)):
        t = (losses.mean() - bound) / error
        moved = t + skewness * (t * t / 3 + 1 / 6) + skewness**2 * t**3 / 27
        assert moved == pytest.approx(sign * stats.t.ppf(0.975, 6))


@pytest.mark.parametrize("metric", ["neg_log_loss", "neg_brier_score"])
def test_bounds_of_few_losses_are_nested(metric):
    y_true, proba = [0, 1, 1, 1, 1, 1], [0.1, 0.9, 0.9, 0.9, 0.9, 0.1]
    bounds = [
        confidence_interval(metric, y_true, proba, confidence_level=level)
        for level in (0.1, 0.5, 0.9, 0.95, 0.99, 0.999)
    ]
    for inner, outer in pairwise(bounds):
        assert outer.low <= inner.low <= inner.value <= inner.high <= outer.high


def test_two_rows_have_one_degree_of_freedom():
    true, first, second = np.array([0, 1]), np.array([0.2, 0.9]), np.array([0.5, 0.7])
    losses = [-np.log(np.where(true == 1, p, 1 - p)) for p in (first, second)]
    expected = stats.ttest_rel(*losses)
    found = compare("log_loss", true, first, second, method="delta")
    assert (found.statistic, found.freedom) == (pytest.approx(expected.statistic), 1)
    assert found.p_value == pytest.approx(expected.pvalue)
