"""Placements, their squares and slopes of average precision, against counts over pairs."""

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


@pytest.mark.parametrize("squares", [_numpy.ranked_squares, lambda *a: kernels.ranked_squares(*a)])
@given(data=st.data())
def test_squares_are_those_of_the_placements(squares, data):
    n_rows = data.draw(st.integers(1, 12))
    codes = data.draw(integers(0, 1, n_rows))
    score = data.draw(integers(-2, 2, n_rows)) / 4
    places = brute(score, codes, np.ones(n_rows, dtype=np.int64).tolist())
    twice, negative, positive, *found = squares(score, codes)
    assert twice == sum(2 * place for place, code in zip(places, codes, strict=True) if code)
    assert (negative, positive) == tuple(np.bincount(codes, minlength=2))
    for code in (0, 1):
        own = [Fraction(2 * place) for place, k in zip(places, codes, strict=True) if k == code]
        mean = sum(own) / max(len(own), 1)
        assert found[code] == pytest.approx(float(sum((x - mean) ** 2 for x in own)), rel=1e-15)


def average_precision(score, codes, weight):
    """By the definition, in fractions."""
    gained = Fraction(0)
    for i in np.flatnonzero(codes):
        above = np.flatnonzero(score >= score[i])
        predicted = sum(weight[j] for j in above)
        right = sum(weight[j] for j in above if codes[j])
        gained += weight[i] * right / predicted if predicted else 0
    return gained / sum(weight[i] for i in np.flatnonzero(codes))


@pytest.mark.parametrize(
    "slopes", [_numpy.precision_slopes, lambda *a: kernels.precision_slopes(*a)]
)
@given(data=st.data())
def test_slopes_are_limits_of_differences(slopes, data):
    n_rows = data.draw(st.integers(1, 9))
    codes = data.draw(integers(0, 1, n_rows))
    codes[0] = 1
    score = data.draw(integers(-2, 2, n_rows)) / 4
    weight = data.draw(integers(1, 5, n_rows))
    exact = [Fraction(int(w)) for w in weight]
    gained, positive, found, squares = slopes(score, codes, weight)
    assert squares == pytest.approx([(found[codes == k] ** 2).sum() for k in (0, 1)])
    assert gained / positive == pytest.approx(float(average_precision(score, codes, exact)))
    step = Fraction(1, 10**12)
    for i in range(n_rows):
        ends = []
        for sign in (-1, 1):
            moved = list(exact)
            moved[i] += sign * step
            ends.append(average_precision(score, codes, moved))
        assert found[i] == pytest.approx(float((ends[1] - ends[0]) / (2 * step)), abs=1e-13)
