"""Sums over bins: rates, effective rows and the sampling variance of rates, by hand."""

import numpy as np
import pytest

from skmetrics_ext.tallies.bins import BinTally

EDGES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])


def tally():
    """Weights 1, 1, 2 in the first bin, 4 in the second, 3 and 3 in the last, none in the third."""
    weight, positive = np.array([4, 4, 0, 6]), np.array([1, 4, 0, 3])
    predicted, squares = np.array([0.5, 1.5, 0, 5.4]), np.array([6.0, 16, 0, 18])
    return BinTally(EDGES, weight, positive, predicted, squares, np.array([3, 1, 0, 2]))


def test_rates_by_hand():
    found = tally()
    np.testing.assert_allclose(found.share, [4 / 14, 4 / 14, 0, 6 / 14])
    np.testing.assert_allclose(found.rate, [1 / 4, 1, np.nan, 1 / 2])
    np.testing.assert_allclose(found.mean_predicted, [0.125, 0.375, np.nan, 0.9])
    np.testing.assert_allclose(found.effective_rows, [16 / 6, 1, 0, 2])


def test_the_variance_of_a_rate_is_that_of_its_effective_rows():
    """A rate has r (1 - r) / (n - 1); a single row, or none, tells nothing."""
    expected = [0.25 * 0.75 / (16 / 6 - 1), 0, 0, 0.25]
    np.testing.assert_allclose(tally().rate_variance, expected)
    np.testing.assert_allclose(tally().debiased().noise, expected)
    assert tally().noise is None


def test_parts_add_where_bins_are_the_same():
    both = tally().merge(tally(), tally())
    for name in ("weight", "positive", "predicted", "squares", "n_rows"):
        np.testing.assert_array_equal(getattr(both, name), 3 * getattr(tally(), name))
    other = BinTally(EDGES[1:], *np.ones((5, 3)))
    with pytest.raises(ValueError, match="only where the bins are the same"):
        tally().merge(other)
