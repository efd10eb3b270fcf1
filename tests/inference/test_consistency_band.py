"""The band of a calibrated model: where it is binomial, and what groups make of it."""

import numpy as np
import pytest
from scipy import stats

from skmetrics_ext.inference.calibration_intervals import consistency_band


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("share", [0.3, 0.5])
def test_the_band_of_one_probability_is_binomial(level, share):
    proba, true = np.full(400, share), np.arange(400) % 2
    at, low, high = consistency_band(proba, true, None, None, level)
    assert at == pytest.approx([share])
    ends = stats.binom.ppf([(1 - level) / 2, (1 + level) / 2], 400, share) / 400
    assert [*low, *high] == pytest.approx(ends.tolist(), abs=0.008)  # of draws


def test_a_weight_of_2_counts_twice_in_a_rate():
    """Ten rows that weigh as much as the other 90: more spread."""
    proba, weight = np.full(100, 0.5), np.repeat([9.0, 1.0], [10, 90])
    (at,), (low,), (high,) = consistency_band(proba, np.arange(100) % 2, weight, None, 0.95)
    error = 0.5 * np.sqrt((weight**2).sum()) / weight.sum()
    assert at == 0.5
    assert [low, high] == pytest.approx([0.5 - 1.96 * error, 0.5 + 1.96 * error], abs=0.03)


def test_rows_of_a_group_that_are_alike_are_one():
    proba, group = np.full(200, 0.5), np.repeat(np.arange(40), 5)
    (_,), (low,), (high,) = consistency_band(proba, group % 2, None, group, 0.95)
    ends = stats.binom.ppf([0.025, 0.975], 40, 0.5) / 40
    assert [low, high] == pytest.approx(ends.tolist(), abs=0.026)
    # Rows of a group that are no more alike than others are as many as they are.
    mixed, few = np.arange(40) % 2, proba[:40]
    alone = consistency_band(few, mixed, None, None, 0.95)
    for groups in (np.arange(40) // 4, np.arange(40)):
        found = consistency_band(few, mixed, None, groups, 0.95)
        np.testing.assert_array_equal(found, alone)


def test_the_line_of_several_probabilities_rises():
    proba = np.tile([0.1, 0.4, 0.45, 0.9], 50)
    at, low, high = consistency_band(proba, np.arange(200) % 2, None, None, 0.9)
    assert at == pytest.approx([0.1, 0.4, 0.45, 0.9])
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) >= 0).all()
    assert (low < at).all()
    assert (at < high).all()
    ends = stats.binom.ppf([0.05, 0.95], 50, 0.1) / 50
    assert [low[0], high[0]] == pytest.approx(ends.tolist(), abs=0.021)
    # Rates that would cross are pooled, so that the band is narrower inside.
    alone = np.diff(stats.binom.ppf([0.05, 0.95], 50, 0.4) / 50)
    assert high[1] - low[1] < alone
