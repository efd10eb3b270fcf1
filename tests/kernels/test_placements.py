"""Placements against a count over pairs."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.samples import integers

from skmetrics_ext import kernels
from skmetrics_ext.kernels import _numpy


def brute(score, codes, weight):
    """Weight of the other class below, and half of that of equal scores."""
    places = []
    for i in range(len(score)):
        place = Fraction(0)
        for j in np.flatnonzero(codes != codes[i]):
            won = 2 * int(score[j] < score[i]) + int(score[j] == score[i])
            place += Fraction(won, 2) * Fraction(weight[j])
        places.append(float(place))
    return places


@pytest.mark.parametrize("placements", [_numpy.placements, lambda *a: kernels.placements(*a)])
@given(data=st.data())
def test_places_are_counted_over_pairs(placements, data):
    n_rows = data.draw(st.integers(1, 12))
    codes = data.draw(integers(0, 1, n_rows))
    score = data.draw(integers(-2, 2, n_rows)) / 4 * data.draw(st.sampled_from([1.0, -0.0, 1e300]))
    weight = data.draw(integers(0, 5, n_rows))
    cases = [(None, np.ones(n_rows, dtype=np.int64)), (weight, weight), (weight / 8, weight / 8)]
    for given_weight, listed in cases:
        found = placements(score, codes, given_weight)
        assert found.dtype == np.float64
        assert found.tolist() == brute(score, codes, listed.tolist())


def test_integers_that_floats_cannot_tell_apart():
    score = np.array([2**60, 2**60 + 1, 2**60 + 2])
    assert kernels.placements(score, np.array([0, 1, 0]), None).tolist() == [0.0, 1.0, 1.0]
