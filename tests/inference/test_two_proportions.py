"""Intervals of differences and ratios of independent proportions."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import binom
from sklearn.exceptions import UndefinedMetricWarning
from support.public import DEPRECATED

from skmetrics_ext import (
    confidence_interval,
    diagnostic_odds_ratio,
    proportion_interval,
    ratio_interval,
)
from skmetrics_ext.inference.proportions import PROPORTION_METHODS, proportion_bounds
from skmetrics_ext.inference.two_proportions import (
    DIFFERENCE_METHODS,
    RATIOS,
    difference_bounds,
    shares_under_difference,
)

proportion_difference_interval = DEPRECATED["proportion_difference_interval"]

SAMPLE = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
Z = 1.959963984540054


@pytest.mark.parametrize("method", DIFFERENCE_METHODS)
@given(first=SAMPLE, second=SAMPLE)
def test_holds_the_difference_and_mirrors(
    method: str, first: tuple[int, int], second: tuple[int, int]
) -> None:
    found = proportion_difference_interval(*first, *second, method=method)
    swapped = proportion_difference_interval(*second, *first, method=method)
    assert -1 <= found.low <= found.value <= found.high <= 1
    assert found.value == pytest.approx(first[0] / first[1] - second[0] / second[1])
    assert (found.low, found.high) == pytest.approx((-swapped.high, -swapped.low), abs=1e-9)


def coverage(method: str, nobs: tuple[int, int], shares: tuple[float, float]) -> float:
    """Exact probability that the interval holds the difference: a sum over all pairs of counts."""
    counts = [np.arange(n + 1) for n in nobs]
    low, high = difference_bounds(counts[0][:, None], nobs[0], counts[1], nobs[1], method)
    first, second = (binom.pmf(k, n, p) for k, n, p in zip(counts, nobs, shares, strict=True))
    difference = shares[0] - shares[1]
    holds = (low <= difference + 1e-12) & (difference - 1e-12 <= high)
    return float((first[:, None] * second * holds).sum())


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.9, 0.7), (0.97, 0.8), (0.1, 0.05), (0.3, 0.8)])
@pytest.mark.parametrize("method", ["newcombe", "miettinen_nurminen", "agresti_caffo"])
def test_coverage_is_near_the_level(method: str, shares: tuple[float, float]) -> None:
    assert 0.93 < coverage(method, (40, 30), shares) < 0.985


def test_coverage_of_wald_falls_short() -> None:
    assert coverage("wald", (40, 30), (0.97, 0.98)) < 0.85


def test_newcombe_by_hand() -> None:
    first = proportion_interval(5, 10)
    second = proportion_interval(0, 10)
    found = proportion_difference_interval(5, 10, 0, 10)
    assert found.low == pytest.approx(0.5 - math.hypot(0.5 - first.low, second.high))
    assert found.high == pytest.approx(0.5 + first.high - 0.5)


@given(first=SAMPLE, second=SAMPLE, place=st.floats(0.01, 0.99))
def test_constrained_shares_are_the_likeliest(
    first: tuple[int, int], second: tuple[int, int], place: float
) -> None:
    delta = 2 * place - 1
    count_a, nobs_a, count_b, nobs_b = (float(part) for part in (*first, *second))
    found = float(shares_under_difference(count_a, nobs_a, count_b, nobs_b, np.asarray(delta)))

    def minus_log_likelihood(share_b: float) -> float:
        return -float(
            binom.logpmf(count_a, nobs_a, np.clip(share_b + delta, 0, 1))
            + binom.logpmf(count_b, nobs_b, share_b)
        )

    low, high = max(0.0, -delta), min(1.0, 1 - delta)
    searched = minimize_scalar(
        minus_log_likelihood, bounds=(low, high), method="bounded", options={"xatol": 1e-10}
    )
    assert minus_log_likelihood(found) <= searched.fun + 1e-6


def test_miettinen_nurminen_bounds_have_the_score_z() -> None:
    count_a, nobs_a, count_b, nobs_b = 8.0, 12.0, 3.0, 15.0
    found = proportion_difference_interval(8, 12, 3, 15, method="miettinen_nurminen")
    for bound, sign in ((found.low, 1), (found.high, -1)):
        share = float(shares_under_difference(count_a, nobs_a, count_b, nobs_b, np.asarray(bound)))
        other = share + bound
        variance = (other * (1 - other) / 12 + share * (1 - share) / 15) * 27 / 26
        assert (found.value - bound) / math.sqrt(variance) == pytest.approx(sign * Z)


@pytest.mark.parametrize("method", [one for one in DIFFERENCE_METHODS if one != "wald"])
@pytest.mark.parametrize("counts", [(0, 9, 0, 8), (9, 9, 8, 8), (9, 9, 0, 8), (0, 9, 8, 8)])
def test_width_at_the_ends(method: str, counts: tuple[int, int, int, int]) -> None:
    found = proportion_difference_interval(*counts, method=method)
    assert found.high - found.low > 0.2
    assert found.note == ""


def test_wald_without_width_says_so() -> None:
    assert "no width" in proportion_difference_interval(0, 9, 8, 8, method="wald").note


@pytest.mark.parametrize("method", DIFFERENCE_METHODS)
def test_empty_sample(method: str) -> None:
    with pytest.warns(UndefinedMetricWarning, match="a sample is empty"):
        found = proportion_difference_interval(1, 3, 0, 0, method=method)
    assert np.isnan([found.value, found.low, found.high]).all()
    assert found.note == "undefined"


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((3, 2, 1, 2), {}, "count_a has to be at most nobs_a"),
        ((1, 2, 3, 2), {}, "count_b has to be at most nobs_b"),
        ((1, -2, 1, 2), {}, "nobs_a has to be"),
        ((1, 2, 1, 2), {"method": "score"}, "method has to be one of"),
    ],
)
def test_refused(arguments: tuple, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        proportion_difference_interval(*arguments, **options)


CELLS = st.lists(st.integers(0, 50), min_size=4, max_size=4)


@pytest.mark.parametrize("name", RATIOS)
@given(cells=CELLS)
def test_ratio_lies_in_an_interval_with_width(name: str, cells: list[int]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)  # of 0/0
        found = ratio_interval(*cells, ratio=name)
    if np.isnan(found.value):
        return
    assert 0 <= found.low <= found.value <= found.high
    assert found.low < found.high
    assert found.standard_error > 0


def test_odds_ratio_by_hand() -> None:
    # 1/8 + 1/2 + 1/4 + 1/8 = 1
    found = ratio_interval(8, 2, 4, 8)
    assert found.value == 8.0
    assert found.standard_error == pytest.approx(1.0)
    assert (found.low, found.high) == pytest.approx((8 * math.exp(-Z), 8 * math.exp(Z)))


def test_likelihood_ratios_by_hand() -> None:
    # Sensitivity 8/12 and false positive rate 2/10.
    positive = ratio_interval(8, 2, 4, 8, ratio="positive_likelihood_ratio")
    assert positive.value == pytest.approx(10 / 3)
    assert positive.standard_error == pytest.approx(math.sqrt(1 / 8 - 1 / 12 + 1 / 2 - 1 / 10))
    negative = ratio_interval(8, 2, 4, 8, ratio="negative_likelihood_ratio")
    assert negative.value == pytest.approx(5 / 12)
    assert negative.standard_error == pytest.approx(math.sqrt(1 / 4 - 1 / 12 + 1 / 8 - 1 / 10))


def test_extreme_ratios_keep_their_value_and_get_a_width() -> None:
    none = ratio_interval(0, 3, 4, 5)
    # The corrected odds ratio is (1/2)(11/2) / ((7/2)(9/2)).
    error = math.sqrt(2 + 2 / 7 + 2 / 9 + 2 / 11)
    assert (none.value, none.low) == (0.0, 0.0)
    assert none.high == pytest.approx(11 / 63 * math.exp(Z * error))
    assert "1/2 was added" in none.note
    every = ratio_interval(3, 0, 4, 5)
    assert (every.value, every.high) == (math.inf, math.inf)
    assert 0 < every.low < math.inf


def test_ratio_of_shares_that_are_both_1_has_a_width() -> None:
    found = ratio_interval(10, 5, 0, 0, ratio="positive_likelihood_ratio")
    assert found.low < found.value == 1.0 < found.high
    assert "1/2 was added" in found.note


def test_undefined_ratio() -> None:
    with pytest.warns(UndefinedMetricWarning, match="diagnostic_odds_ratio is undefined"):
        found = ratio_interval(0, 0, 4, 5)
    assert np.isnan([found.value, found.low, found.high]).all()


def test_value_is_that_of_the_metric() -> None:
    true, pred = [1] * 12 + [0] * 10, [1] * 8 + [0] * 4 + [1] * 2 + [0] * 8
    assert ratio_interval(8, 2, 4, 8).value == diagnostic_odds_ratio(true, pred)


def test_refused_ratio() -> None:
    with pytest.raises(ValueError, match="ratio has to be one of"):
        ratio_interval(1, 2, 3, 4, ratio="LR+")
    with pytest.raises(ValueError, match="fn has to be a finite number of 0 or more"):
        ratio_interval(1, 2, -3, 4)


def test_one_name_is_one_interval_of_a_ratio():
    cells = [80, 20, 30, 120]
    true, pred = np.repeat([1, 1, 0, 0], cells), np.repeat([1, 0, 1, 0], cells)
    own = ratio_interval(80, 30, 20, 120)
    found = confidence_interval("diagnostic_odds_ratio", true, pred)
    error = np.sqrt(1 / 80 + 1 / 30 + 1 / 20 + 1 / 120)
    assert (own.method, found.method) == ("log, z", "log")
    assert np.log(own.high / own.value) == pytest.approx(1.959964 * error)
    # The same error, with a t quantile of the rows of the classes.
    assert 1.959964 < np.log(found.high / found.value) / error < 2.01


def test_differences_of_proportions_are_newcombes():
    """His table II (1998): 56 of 70 and 48 of 80; 0 of 10 and 0 of 20; 10 of 10 and 0 of 20."""
    for counts, low, high in (
        ((56, 70, 48, 80), 0.0524, 0.3339),
        ((0, 10, 0, 20), -0.1611, 0.2775),
        ((10, 10, 0, 20), 0.6791, 1.0),
    ):
        found = proportion_interval(*counts[:2]) - proportion_interval(*counts[2:])
        assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)
    turned = proportion_interval(48, 80) - proportion_interval(56, 70)
    assert turned.p_value == pytest.approx(0.00813, abs=5e-6)
    with pytest.raises(ValueError, match="has no rows to compute with"):
        proportion_interval(4.5, 9) - proportion_interval(4, 9)


@pytest.mark.parametrize("method", PROPORTION_METHODS)
def test_kernel_broadcasts_and_marks_what_has_no_trials(method: str) -> None:
    low, high = proportion_bounds([[0], [3]], [0, 3, 9], method)
    assert low.shape == high.shape == (2, 3)
    assert np.isnan(low[:, 0]).all()
    assert np.isnan(high[:, 0]).all()
    assert (low[1, 2], high[1, 2]) == proportion_bounds(3, 9, method)


@pytest.mark.parametrize("method", [name for name in PROPORTION_METHODS if name != "wald"])
def test_sums_of_weights_lie_between_whole_counts(method: str) -> None:
    low, high = proportion_bounds([3, 3.5, 4], 10, method)
    assert low[0] < low[1] < low[2]
    assert high[0] < high[1] < high[2]


@pytest.mark.parametrize("method", DIFFERENCE_METHODS)
def test_a_sample_without_trials_has_no_bounds(method):
    low, high = difference_bounds([0, 3, 0], [0, 4, 0], [3, 0, 0], [5, 0, 0], method)
    assert np.isnan([low, high]).all()
