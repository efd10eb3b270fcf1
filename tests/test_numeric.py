"""Sums of products of integers, exact whatever their size, and bounds of shares."""

import numpy as np
import pytest

from skmetrics_ext.numeric import exact_dot, wilson_bounds


def test_products_beyond_64_bits_are_exact():
    left, right = np.array([2**40, 3]), np.array([2**40, 2**50 + 1])
    assert exact_dot(left, right) == 2**80 + 3 * (2**50 + 1)
    assert exact_dot(np.array([2, 3]), np.array([5, 7])) == 31
    assert exact_dot(np.array([0.5, 3]), np.array([5, 7])) == 23.5
    assert exact_dot(left[:0], right[:0]) == 0


@pytest.mark.parametrize("z", [0.7, 1.96, 3.2])
def test_bounds_of_tables_are_the_shares_z_errors_away(z):
    share, rows = np.array([0.0, 0.05, 0.4, 1.0]), np.array([7.3, 20, 150, 12])
    for bound in wilson_bounds(share, rows, np.full(4, z)):
        inner = np.abs(bound - share) > 1e-12
        errors = np.sqrt(bound * (1 - bound) / rows)
        np.testing.assert_allclose(np.abs(bound - share)[inner], z * errors[inner])
        assert inner.sum() >= 3
