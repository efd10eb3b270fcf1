"""Sums of products of integers: exact, whatever their size."""

import numpy as np

from skmetrics_ext.numeric import exact_dot


def test_products_beyond_64_bits_are_exact():
    left, right = np.array([2**40, 3]), np.array([2**40, 2**50 + 1])
    assert exact_dot(left, right) == 2**80 + 3 * (2**50 + 1)
    assert exact_dot(np.array([2, 3]), np.array([5, 7])) == 31
    assert exact_dot(np.array([0.5, 3]), np.array([5, 7])) == 23.5
    assert exact_dot(left[:0], right[:0]) == 0
