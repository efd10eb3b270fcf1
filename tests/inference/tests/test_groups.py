"""Tests of two models whose rows depend on each other within groups."""

from itertools import product

import numpy as np
import pytest

from skmetrics_ext import compare, mcnemar_test
from skmetrics_ext.significance import venkatraman_test

MCNEMAR_METHODS = ("exact", "mid_p", "corrected", "uncorrected")
RNG = np.random.default_rng(11)
Y = RNG.integers(0, 2, 60)
A = np.where(RNG.random(60) < 0.85, Y, 1 - Y)
B = np.where(RNG.random(60) < 0.65, Y, 1 - Y)
GROUP = np.arange(60) // 5
APART = np.bincount(GROUP, weights=(A == Y).astype(float) - (B == Y))


@pytest.mark.parametrize("method", MCNEMAR_METHODS)
def test_a_group_for_each_row_is_the_test_of_rows(method):
    rows = mcnemar_test(Y, A, B, method=method)
    grouped = mcnemar_test(Y, A, B, method=method, groups=np.arange(60))
    assert (grouped.difference, grouped.n_groups) == (rows.difference, 60)
    assert grouped.design_effect == pytest.approx(1)
    for name in ("p_value", "statistic"):
        ours, theirs = getattr(grouped, name), getattr(rows, name)
        assert ours == pytest.approx(theirs, rel=1e-9, nan_ok=True)
    # The interval is of t and not of normal quantiles, of 59 degrees of freedom.
    assert (grouped.low, grouped.high) == pytest.approx((rows.low, rows.high), abs=0.01)


def test_exact_methods_count_all_exchanges_of_groups():
    sums = np.array([signs @ APART for signs in product((-1, 1), repeat=len(APART))])
    observed = abs(APART.sum())
    as_many, beyond = (sums >= observed).mean(), (sums > observed).mean()
    for method, tail in (("exact", as_many), ("mid_p", (as_many + beyond) / 2)):
        found = mcnemar_test(Y, A, B, method=method, groups=GROUP)
        assert found.p_value == pytest.approx(min(2 * tail, 1))


def test_statistic_and_error_by_hand():
    found = mcnemar_test(Y, A, B, method="uncorrected", groups=[f"patient {k}" for k in GROUP])
    assert found.statistic == pytest.approx(APART.sum() ** 2 / (APART**2).sum())
    error = compare("accuracy", Y, A, B, groups=GROUP).standard_error
    assert found.standard_error == pytest.approx(error)
    assert found.low < found.difference < found.high


@pytest.mark.parametrize("method", MCNEMAR_METHODS)
def test_copies_of_rows_in_one_group_are_no_more_rows(method):
    copies = np.repeat(np.arange(60), 4)
    options = {"method": method}
    once = mcnemar_test(Y, A, B, groups=np.arange(60), **options)
    found = mcnemar_test(Y[copies], A[copies], B[copies], groups=copies, **options)
    assert (found.low, found.high) == pytest.approx((once.low, once.high), rel=0.02)
    if method != "corrected":  # which takes a row off, and not a group
        assert found.p_value == pytest.approx(once.p_value)


def test_venkatraman_exchanges_whole_groups():
    """Six groups have 64 exchanges, whose share is known."""
    rng = np.random.default_rng(2)
    y, first = np.tile([0, 1], 12), rng.permutation(24)
    second = np.where(y == 1, first + 5.5, first)
    group = np.arange(24) // 4
    found = venkatraman_test(y, first, second, groups=group, n_resamples=4000, random_state=0)
    rows = venkatraman_test(y, first, second, n_resamples=4000, random_state=0)
    assert found.statistic == rows.statistic
    own = venkatraman_test(y, first, second, groups=np.arange(24), n_resamples=4000, random_state=0)
    assert own.p_value == rows.p_value
    # All groups exchanged, or none, give what was seen: no p-value is below 2 / 64.
    assert found.p_value > 2 / 64 - 0.01
    assert found.p_value > rows.p_value
    with pytest.raises(ValueError, match="y_true_b= is another sample"):
        venkatraman_test(y, first, second, y_true_b=y, groups=group)


def test_groups_of_other_rows_are_refused():
    for test in (mcnemar_test, venkatraman_test):
        with pytest.raises(ValueError, match="one group for each of the 60 rows, got 5"):
            test(Y, A, B, groups=[1, 2, 3, 4, 5])
