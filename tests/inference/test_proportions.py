"""Intervals of a proportion: values, coverage computed exactly, and what they must hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from sklearn.exceptions import UndefinedMetricWarning

from skmetrics_ext import proportion_interval

COUNTS = st.integers(1, 200).flatmap(
    lambda nobs: st.tuples(st.integers(0, nobs), st.just(nobs), st.floats(0.05, 0.999))
)
PROPORTION_METHODS = (
    *("wilson", "wilson_cc", "clopper_pearson", "jeffreys", "agresti_coull", "mid_p"),
    *("likelihood_ratio", "logit", "arcsine", "wald"),
)
HAVE_WIDTH = [method for method in PROPORTION_METHODS if method != "wald"]


def bounds(counts, nobs: int, method: str, level: float) -> np.ndarray:
    """Both bounds of each count."""
    options = {"method": method, "confidence_level": level}
    found = [proportion_interval(count, nobs, **options) for count in counts]
    return np.array([(one.low, one.high) for one in found]).T


def coverage(method: str, nobs: int, shares: np.ndarray, level: float) -> np.ndarray:
    """Exact probability that the interval holds each share: a sum over all counts."""
    counts = np.arange(nobs + 1)
    low, high = bounds(counts, nobs, method, level)
    holds = (low[:, None] <= shares) & (shares <= high[:, None])
    return (binom.pmf(counts[:, None], nobs, shares) * holds).sum(axis=0)


SHARES = np.linspace(0.001, 0.999, 999)


@pytest.mark.parametrize("nobs", [1, 5, 20, 57, 200])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_clopper_pearson_never_covers_less_than_it_says(nobs: int, level: float) -> None:
    assert coverage("clopper_pearson", nobs, SHARES, level).min() >= level - 1e-12


@pytest.mark.parametrize(
    ("method", "lowest", "mean_low", "mean_high"),
    [
        ("wilson", 0.83, 0.945, 0.96),
        ("agresti_coull", 0.925, 0.95, 0.975),
        ("jeffreys", 0.85, 0.94, 0.96),
        ("mid_p", 0.90, 0.945, 0.97),
        ("likelihood_ratio", 0.83, 0.935, 0.96),
        ("wilson_cc", 0.945, 0.965, 0.99),
    ],
)
def test_mean_and_lowest_coverage_at_95_percent(
    method: str, lowest: float, mean_low: float, mean_high: float
) -> None:
    covers = coverage(method, 50, SHARES, 0.95)
    assert covers.min() > lowest
    assert mean_low < covers.mean() < mean_high


def test_wald_covers_too_little() -> None:
    covers = coverage("wald", 50, SHARES, 0.95)
    assert covers.mean() < 0.91
    assert covers.min() < 0.1


def test_wilson_by_hand() -> None:
    # z^2 = 4 at this level: centre (k + 2) / (n + 4), half-width 2 sqrt(k (n - k) / n + 1) / (n+4)
    level = math.erf(math.sqrt(2))
    found = proportion_interval(1, 4, confidence_level=level)
    assert found.value == 0.25
    assert found.low == pytest.approx((3 - math.sqrt(7)) / 8)
    assert found.high == pytest.approx((3 + math.sqrt(7)) / 8)
    assert found.standard_error == pytest.approx(math.sqrt(3 / 64))


def test_exact_intervals_of_one_trial_by_hand() -> None:
    # P(X = 1) = p: the exact bounds of one success are the tail itself and 1.
    exact = proportion_interval(1, 1, method="clopper_pearson", confidence_level=0.9)
    assert (exact.low, exact.high) == (pytest.approx(0.05), 1.0)
    # P(X = 1) / 2 = tail.
    mid = proportion_interval(1, 1, method="mid_p", confidence_level=0.9)
    assert (mid.low, mid.high) == (pytest.approx(0.1), 1.0)


def test_likelihood_ratio_of_no_success_by_hand() -> None:
    # -2 n log(1 - p) = z^2
    z = 1.959963984540054
    found = proportion_interval(0, 10, method="likelihood_ratio")
    assert found.high == pytest.approx(-math.expm1(-z * z / 20))


def test_bounds_of_exact_methods_are_where_the_tails_say() -> None:
    counts, nobs, level = np.arange(1, 20), 20, 0.95
    low, high = bounds(counts, nobs, "mid_p", level)
    above = binom.sf(counts, nobs, low) + binom.pmf(counts, nobs, low) / 2
    below = binom.cdf(counts - 1, nobs, high) + binom.pmf(counts, nobs, high) / 2
    np.testing.assert_allclose(above, 0.025)
    np.testing.assert_allclose(below, 0.025)


@pytest.mark.parametrize("method", PROPORTION_METHODS)
@given(case=COUNTS)
def test_holds_the_share_and_grows_with_the_level(
    method: str, case: tuple[int, int, float]
) -> None:
    count, nobs, level = case
    found = proportion_interval(count, nobs, method=method, confidence_level=level)
    narrow = proportion_interval(count, nobs, method=method, confidence_level=level / 2)
    assert 0 <= found.low <= count / nobs <= found.high <= 1
    assert found.low - 1e-12 <= narrow.low
    assert narrow.high <= found.high + 1e-12
    assert (found.method, found.confidence_level) == (method, level)


@pytest.mark.parametrize("method", PROPORTION_METHODS)
@given(case=COUNTS)
def test_failures_mirror_successes(method: str, case: tuple[int, int, float]) -> None:
    count, nobs, level = case
    (low, mirror_low), (high, mirror_high) = bounds([count, nobs - count], nobs, method, level)
    assert low == pytest.approx(1 - mirror_high, abs=1e-9)
    assert high == pytest.approx(1 - mirror_low, abs=1e-9)


@pytest.mark.parametrize("method", HAVE_WIDTH)
@pytest.mark.parametrize("count", [0, 7])
def test_width_at_0_and_1(method: str, count: int) -> None:
    found = proportion_interval(count, 7, method=method)
    assert 0.2 < found.high - found.low < 0.7
    assert found.note == ""


def test_wald_without_width_says_so() -> None:
    found = proportion_interval(0, 7, method="wald")
    assert (found.low, found.high) == (0.0, 0.0)
    assert "no width" in found.note


def test_no_trials() -> None:
    with pytest.warns(UndefinedMetricWarning, match="nobs is 0"):
        found = proportion_interval(0, 0)
    assert np.isnan([found.value, found.low, found.high, found.standard_error]).all()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((3, 2), {}, "count has to be at most nobs, got 3 of 2"),
        ((-1, 2), {}, "count has to be a finite number of 0 or more, got -1"),
        ((1, math.inf), {}, "nobs has to be a finite number"),
        (("1", 2), {}, "count has to be a finite number"),
        ((1, 2), {"method": "exact"}, "method has to be one of .*clopper_pearson.*, got 'exact'"),
        ((1, 2), {"confidence_level": 95}, r"confidence_level has to be a number in \(0, 1\)"),
        ((1, 2), {"confidence_level": 1.0}, "got 1.0"),
    ],
)
def test_refused(arguments: tuple, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        proportion_interval(*arguments, **options)


def test_the_angle_of_the_arcsine_interval_stops_at_0_and_at_a_right_angle():
    """One of ten at 99 %: 0.366 less 0.407 is below 0, where the share is 0 and not its square."""
    low = proportion_interval(1, 10, method="arcsine", confidence_level=0.99)
    high = proportion_interval(9, 10, method="arcsine", confidence_level=0.99)
    assert (low.low, high.high) == (0.0, 1.0)
    assert high.low == pytest.approx(1 - low.high)
