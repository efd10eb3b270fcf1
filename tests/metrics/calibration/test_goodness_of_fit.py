"""Tests of calibration against their formulas."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, norm

from skmetrics_ext.significance import hosmer_lemeshow_test, spiegelhalter_test

TRUE, PROBA = [0, 1, 0, 0, 1, 1], [0.1, 0.3, 0.4, 0.5, 0.6, 0.9]


def test_hosmer_lemeshow_by_hand():
    # Groups of 2 between the quantiles: expected 0.4, 0.9, 1.5; observed 1, 0, 2.
    expected = 0.36 / (0.4 * 0.8) + 0.81 / (0.9 * 0.55) + 0.25 / (1.5 * 0.25)
    test = hosmer_lemeshow_test(TRUE, PROBA, n_bins=3, ddof=2)
    assert test.statistic == pytest.approx(expected, rel=1e-12)
    assert test.p_value == pytest.approx(chi2.sf(expected, 1), rel=1e-12)
    assert test.df == 1
    assert tuple(test) == (test.statistic, test.p_value)


def test_new_data_leave_all_degrees_of_freedom():
    test = hosmer_lemeshow_test(TRUE, PROBA, n_bins=3)
    assert test.df == 3
    assert test.p_value == pytest.approx(chi2.sf(test.statistic, 3), rel=1e-12)


def test_empty_groups_do_not_count():
    test = hosmer_lemeshow_test(TRUE, PROBA, strategy="uniform", n_bins=100)
    assert test.df == 6
    assert hosmer_lemeshow_test(TRUE, PROBA, n_bins=[0, 0.2, 0.45, 0.7, 1]).df == 4


@given(data=st.data(), n_bins=st.integers(3, 6))
def test_weights_repeat_rows(data, n_bins):
    times = np.array(data.draw(st.lists(st.integers(1, 4), min_size=6, max_size=6)))
    true, proba = np.repeat(TRUE, times), np.repeat(PROBA, times)
    for strategy in ("quantile", "uniform", "equal_mass"):
        options = {"strategy": strategy, "n_bins": n_bins, "ddof": 0}
        written = hosmer_lemeshow_test(true, proba, **options)
        got = hosmer_lemeshow_test(TRUE, PROBA, sample_weight=times, **options)
        assert got.statistic == pytest.approx(written.statistic, rel=1e-9)
        assert got.df == written.df
    written = spiegelhalter_test(true, proba)
    got = spiegelhalter_test(TRUE, PROBA, sample_weight=times)
    assert got.statistic == pytest.approx(written.statistic, rel=1e-9, abs=1e-12)


TENTHS = st.lists(st.integers(0, 10), min_size=3, max_size=30).map(lambda v: np.array(v) / 10)


def groups_of_r(proba, n_groups):
    """cut(p, unique(quantile(p, 0:g / g)), include.lowest=TRUE), by exact ranks."""
    ordered = sorted(Fraction(round(10 * p), 10) for p in proba)
    breaks = []
    for k in range(n_groups + 1):
        rank = Fraction((len(ordered) - 1) * k, n_groups)
        low, high = ordered[int(rank)], ordered[-(-rank.numerator // rank.denominator)]
        breaks.append(low + (high - low) * (rank - int(rank)))
    breaks = sorted(set(breaks))
    tenths = [Fraction(round(10 * p), 10) for p in proba]
    return np.array([max(sum(edge < p for edge in breaks), 1) for p in tenths])


@given(proba=TENTHS, n_groups=st.integers(2, 10))
def test_groups_where_probabilities_tie(proba, n_groups):
    """A first group of no width is none: its rows are of the next one."""
    true = np.arange(len(proba)) % 2
    group = groups_of_r(proba, n_groups)
    statistic, n_found = 0.0, 0
    for own in np.unique(group):
        seen, said = true[group == own].sum(), proba[group == own]
        variance = said.sum() * (1 - said.mean())
        gap = seen - said.sum()
        if abs(gap) > 1e-9:
            statistic += gap**2 / variance if variance > 1e-9 else np.inf
        n_found += 1
    test = hosmer_lemeshow_test(true, proba, n_bins=n_groups, ddof=0)
    assert test.df == n_found
    assert test.statistic == pytest.approx(statistic, rel=1e-9, abs=1e-9)


def test_a_group_that_was_sure():
    """Right, it adds nothing; wrong, infinitely much."""
    proba = [0.0, 0.0, 0.3, 0.4, 0.6, 0.7, 1.0, 1.0]
    options = {"n_bins": 4, "strategy": "uniform", "ddof": 0}
    right = hosmer_lemeshow_test([0, 0, 0, 1, 0, 1, 1, 1], proba, **options)
    assert np.isfinite(right.statistic)
    wrong = hosmer_lemeshow_test([0, 1, 0, 1, 0, 1, 1, 1], proba, **options)
    assert wrong.statistic == np.inf
    assert wrong.p_value == 0


def test_too_few_groups():
    with pytest.warns(UserWarning, match="0 degrees of freedom"):
        test = hosmer_lemeshow_test(TRUE, PROBA, n_bins=2, ddof=2)
    assert np.isnan(test.p_value)
    assert np.isfinite(test.statistic)


@pytest.mark.parametrize("ddof", [-1, 1.5, True, None])
def test_ddof_is_a_number_of_parameters(ddof):
    with pytest.raises(ValueError, match="ddof has to be"):
        hosmer_lemeshow_test(TRUE, PROBA, ddof=ddof)


def test_spiegelhalter_by_hand():
    # (y - p)(1 - 2p): -0.08, 0.28, -0.08, 0, -0.08, -0.08.
    variance = sum((1 - 2 * p) ** 2 * p * (1 - p) for p in PROBA)
    test = spiegelhalter_test(TRUE, PROBA)
    assert test.statistic == pytest.approx(-0.04 / np.sqrt(variance), rel=1e-10)
    assert test.p_value == pytest.approx(2 * norm.sf(abs(test.statistic)), rel=1e-12)
    assert test.df is None


def test_spiegelhalter_is_the_standardised_brier_score():
    """Its statistic is the Brier score less its expectation, over its standard deviation."""
    true, proba = np.array(TRUE), np.array(PROBA)
    excess = ((true - proba) ** 2 - proba * (1 - proba)).sum()
    spread = np.sqrt(((1 - 2 * proba) ** 2 * proba * (1 - proba)).sum())
    assert spiegelhalter_test(true, proba).statistic == pytest.approx(excess / spread, rel=1e-10)


@pytest.mark.parametrize("proba", [[0.5, 0.5], [0.0, 1.0]])
def test_a_score_without_variance(proba):
    with pytest.warns(UserWarning, match="undefined"):
        test = spiegelhalter_test([0, 1], proba)
    assert np.isnan([test.statistic, test.p_value]).all()
