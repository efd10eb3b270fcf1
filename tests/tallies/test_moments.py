"""MomentTally against NumPy's covariances, SciPy's moments and exact rational arithmetic."""

import pickle
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from functools import cache, reduce
from itertools import combinations_with_replacement, pairwise
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from support.compare import same
from support.samples import integers

from skmetrics_ext.tallies import MomentTally
from skmetrics_ext.tallies.moments import MOST_COLUMNS


def fields(tally):
    return tally.weight, tally.mean, tally.comoment, tally.n_rows, tally.third, tally.fourth


@given(data=st.data(), n_rows=st.integers(1, 12), n_columns=st.integers(1, 3))
def test_moments_by_hand(data, n_rows, n_columns):
    values = data.draw(integers(-50, 50, (n_rows, n_columns))) / 7
    weight = data.draw(integers(1, 5, n_rows))
    for given_weight in (None, weight, weight / 3):
        tally = MomentTally.from_values(values, sample_weight=given_weight)
        w = np.ones(n_rows) if given_weight is None else given_weight
        mean = np.average(values, axis=0, weights=w)
        away = values - mean
        assert tally.n_rows == n_rows
        same(tally.weight, w.sum(), rtol=1e-14)
        same(tally.mean, mean, rtol=1e-12)
        same(tally.comoment, (away * w[:, None]).T @ away, rtol=1e-10, atol=1e-9)
        same(tally.total, mean * w.sum(), rtol=1e-12)


@given(data=st.data(), far=st.sampled_from([0.0, 1e8, -1e8]))
def test_merging_is_the_tally_of_all_rows(data, far):
    n_rows = data.draw(st.integers(3, 12))
    values = data.draw(integers(-50, 50, (n_rows, 2))) / 8 + far
    weight = data.draw(st.none() | integers(1, 5, n_rows))
    cut = data.draw(st.integers(1, n_rows - 1))
    rows = [slice(0, cut), slice(cut, None)]
    parts = [
        MomentTally.from_values(values[r], sample_weight=None if weight is None else weight[r])
        for r in rows
    ]
    whole = MomentTally.from_values(values, sample_weight=weight)
    for merged in (parts[0].merge(parts[1]), MomentTally.combine(parts[::-1])):
        same(fields(merged)[:4], fields(whole)[:4], rtol=1e-12, atol=1e-6)
        # Deviations stay small beside the values: a sum of squares would have lost them.
        same(merged.comoment, whole.comoment, rtol=1e-7, atol=1e-6)
        # The means themselves are rounded, to 1.5e-8 where they are 1e8.
        atol = 1e-3 if far else 1e-10
        same(fields(merged)[4:], fields(whole)[4:], rtol=1e-12, atol=atol)


def test_folds_are_a_leading_axis():
    one, other = MomentTally.from_values([1.0, 3.0]), MomentTally.from_values([2.0, 4.0, 9.0])
    stacked = MomentTally.stack([one, other])
    assert stacked.mean.tolist() == [[2.0], [5.0]]
    assert stacked.total.tolist() == [[4.0], [15.0]]
    merged = stacked.merge(stacked)
    assert merged.weight.tolist() == [4, 6]
    assert merged.mean.tolist() == [[2.0], [5.0]]
    assert merged.comoment[:, 0, 0].tolist() == [4.0, 2 * 26.0]


def test_a_loss_is_measured_on_each_row():
    tally = MomentTally.from_predictions(
        np.array([1, 2]), np.array([1, 5]), loss=lambda t, p: (t - p) ** 2, sample_weight=[1, 3]
    )
    assert tally.mean.tolist() == [27 / 4]


def test_a_tally_is_a_value():
    tally = MomentTally.from_values([1.0, 2.0])
    with pytest.raises(FrozenInstanceError):
        tally.mean = 0
    same(fields(pickle.loads(pickle.dumps(tally))), fields(tally))


# --------------------------------------------------------------------------- third and fourth


def exact_sums(values, weight, order):
    """Sums of products of deviations as fractions, one for each i <= j <= ..."""
    rows = [[Fraction(float(x)) for x in row] for row in values]
    weight = [Fraction(float(w)) for w in weight]
    total, columns = sum(weight), range(len(rows[0]))
    mean = [sum(w * row[j] for w, row in zip(weight, rows, strict=True)) / total for j in columns]
    away = [[x - m for x, m in zip(row, mean, strict=True)] for row in rows]
    return [
        sum(w * prod(row[j] for j in places) for w, row in zip(weight, away, strict=True))
        for places in combinations_with_replacement(columns, order)
    ]


def in_parts(values, weight, cuts):
    ends = [0, *cuts, len(values)]
    return [
        MomentTally.from_values(
            values[start:stop], sample_weight=None if weight is None else weight[start:stop]
        )
        for start, stop in pairwise(ends)
    ]


@given(data=st.data(), n_rows=st.integers(2, 10), n_columns=st.integers(1, 4))
def test_higher_moments_are_those_of_exact_arithmetic(data, n_rows, n_columns):
    values = data.draw(integers(-40, 40, (n_rows, n_columns))) / 16
    weight = data.draw(st.none() | integers(1, 5, n_rows))
    cuts = sorted(data.draw(st.sets(st.integers(1, n_rows - 1), max_size=3)))
    whole = MomentTally.from_values(values, sample_weight=weight)
    parts = in_parts(values, weight, cuts)
    of_rows = np.ones(n_rows) if weight is None else weight
    for tally in (whole, MomentTally.combine(parts), reduce(MomentTally.merge, parts)):
        for order, found in ((3, tally.third), (4, tally.fourth)):
            expected = [float(x) for x in exact_sums(values, of_rows, order)]
            # Beside the largest product that a row may bring.
            same(found, np.array(expected), rtol=1e-12, atol=1e-13 * 50 * 5.0**order)


@given(data=st.data(), n_rows=st.integers(2, 30))
def test_moments_of_a_combination_are_those_of_its_values(data, n_rows):
    values = data.draw(integers(-50, 50, (n_rows, 3))) / 7
    direction = data.draw(integers(-5, 5, 3)) / 3
    cut = data.draw(st.integers(1, n_rows - 1))
    tally = MomentTally.combine(in_parts(values, None, [cut]))
    found, own = tally.central_moments(direction), values @ direction
    same(found.mean, own.mean(), rtol=1e-12, atol=1e-13)
    size = 1 + np.abs(own).max()
    for order, moment in ((2, found.variance), (3, found.third), (4, found.fourth)):
        same(moment, stats.moment(own, order), rtol=1e-10, atol=1e-12 * size**order)


FAR = np.random.default_rng(5).gamma(2.0, size=(1000, 200)) + 1000


@cache
def exact_sums_of_powers():
    """The mean of `FAR`, and its sums of powers of deviations, by arithmetic of whole numbers."""
    scale = 2**43  # values from 1,000 on are whole multiples of 1 / scale
    whole = [int(x) for x in (FAR * scale).ravel()]
    assert [x / scale for x in whole] == FAR.ravel().tolist()
    n_rows, total = len(whole), sum(whole)
    deviations = [n_rows * x - total for x in whole]
    sums = {
        order: float(Fraction(sum(x**order for x in deviations), (n_rows * scale) ** order))
        for order in (2, 3, 4)
    }
    return float(Fraction(total, n_rows * scale)), sums


@pytest.mark.parametrize("merge", ["at once", "one by one"])
def test_a_thousand_parts_far_from_zero_keep_their_digits(merge):
    parts = [MomentTally.from_values(part) for part in FAR]
    whole = MomentTally.combine(parts) if merge == "at once" else reduce(MomentTally.merge, parts)
    mean, exact = exact_sums_of_powers()
    same(whole.mean, [mean], rtol=1e-15)
    sums = ((2, whole.comoment[0]), (3, whole.third), (4, whole.fourth))
    for order, found in sums:
        same(found, [exact[order]], rtol=1e-11)


@given(data=st.data(), n_rows=st.integers(1, 30))
def test_three_atoms_have_the_moments_of_the_rows(data, n_rows):
    values = data.draw(integers(-30, 30, n_rows)) / 11
    tally = MomentTally.from_values(values)
    deviation, size = tally.atoms()
    assert (size >= 0).all()
    same(size.sum(), n_rows, rtol=1e-10)
    assert deviation[2] == 0
    for order, moment in enumerate(tally.central_moments()[1:], 2):
        same((size * deviation**order).sum() / n_rows, moment, rtol=1e-8, atol=1e-12)
    same((size * deviation).sum(), 0.0, atol=1e-9)


def test_atoms_of_two_values_are_these():
    # Hits: the kurtosis of two values is the square of the skewness and one, where rounding
    # might leave less.
    for n_hits in range(1, 40):
        hits = np.arange(40.0) < n_hits
        deviation, size = MomentTally.from_values(hits).atoms()
        same(np.sort(deviation[:2]), [-n_hits / 40, 1 - n_hits / 40], rtol=1e-7)
        same(size[deviation > 0].sum(), n_hits, rtol=1e-6)
        same(size[deviation < 0].sum(), 40 - n_hits, rtol=1e-6)


def test_atoms_of_equal_rows_are_at_their_mean():
    deviation, size = MomentTally.from_values([0.25] * 7).atoms()
    assert not deviation.any()
    assert size.sum() == 7
    assert not MomentTally.from_values([0.25]).atoms().deviation.any()


def test_atoms_of_folds_and_of_directions():
    folds = [MomentTally.from_values([[1.0, 2.0], [4.0, 0.5], [2.0, 2.0]]) for _ in range(2)]
    stacked = MomentTally.stack([folds[0], folds[1].merge(folds[1])])
    one = folds[0].atoms([1.0, -1.0])
    both = stacked.atoms([[1.0, -1.0], [1.0, 0.0]])
    assert both.size.shape == (2, 3)
    same(both.deviation[0], one.deviation, rtol=1e-12)
    same(both.deviation[1], folds[0].atoms([1.0, 0.0]).deviation, rtol=1e-12)
    same(both.size.sum(axis=1), [3.0, 6.0], rtol=1e-12)


def test_many_columns_keep_no_tensors():
    # Of 101 columns, a loss and 100 classes, the fourth would be 4.6 million numbers.
    wide = MomentTally.from_values(np.eye(MOST_COLUMNS + 1))
    assert wide.third is None
    assert wide.fourth is None
    merged = wide.merge(wide)
    assert merged.third is None
    direction = np.arange(MOST_COLUMNS + 1.0)
    found = merged.central_moments(direction)
    same(found.variance, direction.var(), rtol=1e-12)
    assert np.isnan([found.third, found.fourth]).all()
    # Nor are they made up where one of the parts lacks them.
    known = MomentTally.from_values([1.0, 2.0])
    assert known.merge(replace(known, third=None, fourth=None)).third is None


def test_huge_values_have_no_warning():
    tally = MomentTally.from_values([1e200, -1e200, 3.0])
    assert np.isinf(tally.fourth).all()


def test_wrong_arguments_are_named():
    tally = MomentTally.from_values([[1.0, 2.0], [3.0, 5.0]])
    with pytest.raises(ValueError, match=r"direction must give .* 2 columns"):
        tally.atoms()
    with pytest.raises(ValueError, match="direction must be of shape"):
        tally.atoms([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="third and fourth must both be given"):
        replace(tally, third=None)
    with pytest.raises(ValueError, match=r"third must be of shape \(4,\)"):
        replace(tally, third=[1.0, 2.0])
    with pytest.raises(ValueError, match="as many columns"):
        tally.merge(MomentTally.from_values([1.0, 2.0]))
