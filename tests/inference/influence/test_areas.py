"""Intervals of one area: variances by brute force, weights, groups, edges, coverage."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logit, ndtri
from sklearn.exceptions import UndefinedMetricWarning
from support.areas import auc_interval
from support.samples import integers

from skmetrics_ext import roc_auc_score

RNG = np.random.default_rng(7)
Y = RNG.permutation(np.repeat([0, 1], [35, 25]))
S = np.round(RNG.normal(size=60) + Y, 1)
W = RNG.integers(1, 4, 60)


def interval(y_true, y_score, *, sample_weight=None, **options):
    return auc_interval(y_true, y_score, sample_weight=sample_weight, **options)


def shares(y_true, y_score):
    """Of each row, the share of pairs with the other class that are ranked rightly."""
    out = []
    for label, score in zip(y_true, y_score, strict=True):
        other = [s for t, s in zip(y_true, y_score, strict=True) if t != label]
        sign = 1 if label else -1
        wins = sum(2 * (sign * s < sign * score) + (s == score) for s in other)
        out.append(Fraction(int(wins), 2 * len(other)))
    return out


def delong_by_hand(y_true, y_score):
    """Area and variance from the sample variances of the shares, as fractions."""
    found = shares(y_true, y_score)
    variance = Fraction(0)
    for k in (0, 1):
        own = [share for t, share in zip(y_true, found, strict=True) if t == k]
        area = sum(own) / len(own)
        squares = sum((share - area) ** 2 for share in own)
        variance += squares / ((len(own) - 1) * len(own))
    return area, variance


@given(data=st.data())
def test_variance_is_that_of_the_placements(data):
    n_pos, n_neg = data.draw(st.integers(2, 6)), data.draw(st.integers(2, 6))
    y_true = np.repeat([1, 0], [n_pos, n_neg])
    score = data.draw(integers(0, 6, n_pos + n_neg))
    area, variance = delong_by_hand(y_true.tolist(), score.tolist())
    found = interval(y_true, score)
    assert found.value == pytest.approx(float(area), abs=1e-15)
    if 0 < area < 1:
        assert found.standard_error**2 == pytest.approx(float(variance), rel=1e-12, abs=1e-18)


def test_interval_by_hand():
    # Shares of the positive rows: 1, 1/2; of the negative rows: 1, 1/2. Variance 2/16 / 2 * 2.
    found = interval([0, 0, 1, 1], [1, 3, 2, 4])
    assert found.value == 0.75
    assert found.standard_error**2 == pytest.approx(1 / 8)
    z = ndtri(0.95)
    assert found.high == 1.0
    tight = interval([0, 0, 1, 1], [1, 3, 2, 4], confidence_level=0.3)
    away = ndtri(0.65) * np.sqrt(1 / 8)
    assert (tight.low, tight.high) == pytest.approx((0.75 - away, 0.75 + away))
    wide = interval([0, 0, 1, 1], [1, 3, 2, 4], confidence_level=0.9)
    assert wide.low == pytest.approx(0.75 - z * np.sqrt(1 / 8))


def test_logit_interval_by_its_formula():
    found, plain = interval(Y, S, method="logit"), interval(Y, S)
    assert found.standard_error == plain.standard_error
    half = (logit(found.high) - logit(found.low)) / 2
    assert logit(found.low) + half == pytest.approx(logit(found.value))
    scale = plain.standard_error / (plain.value * (1 - plain.value))
    # Student's t of fewer degrees of freedom than rows, and of at least those of the rarer class.
    assert 1.96 < half / scale < 2.07


@pytest.mark.parametrize("method", ["delong", "logit"])
def test_turning_the_scores_turns_the_interval(method):
    found, turned = interval(Y, S, method=method), interval(Y, -S, method=method)
    assert (1 - turned.high, 1 - turned.low) == pytest.approx((found.low, found.high))


@pytest.mark.parametrize("method", ["delong", "logit"])
def test_lower_levels_lie_inside(method):
    levels = (0.5, 0.8, 0.95, 0.999)
    found = [interval(Y, S, method=method, confidence_level=level) for level in levels]
    for inner, outer in pairwise(found):
        assert outer.low < inner.low < inner.value < inner.high < outer.high


# --------------------------------------------------------------------------- weights and groups


def test_rows_as_their_own_groups_change_nothing():
    plain, grouped = interval(Y, S), interval(Y, S, groups=np.arange(60)[::-1])
    assert grouped.standard_error == pytest.approx(plain.standard_error, rel=1e-13)


def obuchowski(y_true, y_score, groups):
    """Variance of Obuchowski (1997), equations (3) to (5), term by term."""
    placed = np.array([float(share) for share in shares(y_true.tolist(), y_score.tolist())])
    area = placed[y_true == 1].mean()
    names = np.unique(groups)
    n_pos, n_neg = (y_true == 1).sum(), (y_true == 0).sum()
    pos, neg = (
        np.array([(placed - area)[(y_true == k) & (groups == g)].sum() for g in names])
        for k in (1, 0)
    )
    has_pos, has_neg = (len(np.unique(groups[y_true == k])) for k in (1, 0))
    s_pos = has_pos / ((has_pos - 1) * n_pos) * (pos**2).sum()
    s_neg = has_neg / ((has_neg - 1) * n_neg) * (neg**2).sum()
    s_both = len(names) / (len(names) - 1) * (pos * neg).sum()
    return s_pos / n_pos + s_neg / n_neg + 2 * s_both / (n_pos * n_neg)


def test_groups_have_the_variance_of_obuchowski():
    groups = RNG.integers(0, 14, 60)
    found = interval(Y, S, groups=groups)
    assert found.standard_error**2 == pytest.approx(obuchowski(Y, S, groups), rel=1e-12)
    named = interval(Y, S, groups=np.array([f"patient {g}" for g in groups]))
    assert (named.low, named.high) == pytest.approx((found.low, found.high), rel=1e-13)


def test_copies_of_rows_in_one_group_are_no_evidence():
    thrice = np.tile(np.arange(60), 3)
    found = interval(Y[thrice], S[thrice], groups=thrice)
    assert found.standard_error == pytest.approx(interval(Y, S).standard_error, rel=1e-12)
    blind = interval(Y[thrice], S[thrice])
    assert blind.standard_error < 0.6 * found.standard_error


def test_frequency_weights_are_rows():
    rows = np.repeat(np.arange(60), W)
    for options in ({}, {"method": "logit"}, {"groups": True}):
        group = np.arange(60) // 2 if options.pop("groups", None) else None
        counted = interval(Y, S, sample_weight=W, weights_are="frequency", groups=group, **options)
        listed = interval(
            Y[rows], S[rows], groups=None if group is None else group[rows], **options
        )
        assert (counted.low, counted.high) == pytest.approx((listed.low, listed.high), rel=1e-12)


def test_importance_weights_do_not_pretend_to_more_rows():
    plain = interval(Y, S)
    for weight in (np.full(60, 2), np.full(60, 0.3)):
        found = interval(Y, S, sample_weight=weight)
        assert found.standard_error == pytest.approx(plain.standard_error, rel=1e-12)
    uneven = interval(Y, S, sample_weight=W)
    scaled = interval(Y, S, sample_weight=W * 1e-3)
    assert uneven.standard_error == pytest.approx(scaled.standard_error, rel=1e-12)
    assert uneven.value == pytest.approx(roc_auc_score(Y, S, sample_weight=W), abs=1e-13)


@pytest.mark.parametrize("weights_are", ["importance", "frequency"])
def test_rows_of_weight_0_are_absent(weights_are):
    weight = np.where(np.arange(60) % 4 == 0, 0, W)
    kept, groups = weight > 0, np.arange(60) // 3
    for group in (None, groups):
        found = interval(Y, S, sample_weight=weight, groups=group, weights_are=weights_are)
        part = interval(
            Y[kept],
            S[kept],
            sample_weight=weight[kept],
            groups=None if group is None else group[kept],
            weights_are=weights_are,
        )
        assert (found.low, found.high) == pytest.approx((part.low, part.high), rel=1e-12)


def test_importance_weights_by_the_derivative():
    """The variance is the sum of squared derivatives by the weights, up to n / (n - 1)."""
    weight, step = W.astype(float), 1e-6
    slopes = []
    for i in range(60):
        move = np.where(np.arange(60) == i, step, 0.0)
        up, down = (roc_auc_score(Y, S, sample_weight=weight * (1 + s * move)) for s in (1, -1))
        slopes.append((up - down) / (2 * step))
    expected = sum(
        (np.array(slopes)[k == Y] ** 2).sum() * n / (n - 1) for k, n in ((0, 35), (1, 25))
    )
    found = interval(Y, S, sample_weight=weight)
    assert found.standard_error**2 == pytest.approx(expected, rel=1e-6)


# --------------------------------------------------------------------------- edges


@pytest.mark.parametrize("method", ["delong", "logit"])
@pytest.mark.parametrize("weight", [None, [0.3, 0.1, 0.7, 0.2, 0.9, 1.3]])
def test_perfect_ranking_has_a_width(method, weight):
    found = interval([0, 0, 0, 1, 1, 1], range(6), sample_weight=weight, method=method)
    assert found.value == pytest.approx(1.0)
    assert 0.3 < found.low < 0.9
    assert found.high == pytest.approx(1.0)
    assert "Newcombe" in found.note
    assert np.isnan(found.standard_error)
    worst = interval([0, 0, 0, 1, 1, 1], range(6, 0, -1), sample_weight=weight, method=method)
    assert (1 - worst.high, worst.low) == pytest.approx((found.low, 0.0))


def test_more_rows_of_a_perfect_ranking_narrow_it():
    lows = [interval(np.repeat([0, 1], n), np.arange(2 * n)).low for n in (3, 10, 100, 1000)]
    assert lows == sorted(lows)
    assert lows[-1] > 0.995


def test_copies_in_one_group_do_not_narrow_a_perfect_ranking():
    y_true, thrice = np.repeat([0, 1], 5), np.tile(np.arange(10), 3)
    plain = interval(y_true, np.arange(10))
    copies = interval(y_true[thrice], np.arange(10)[thrice], groups=thrice)
    assert copies.low == pytest.approx(plain.low)
    assert interval(y_true[thrice], np.arange(10)[thrice]).low > plain.low


def test_newcombe_bounds_are_z_errors_away():
    y_true = np.repeat([0, 1], [30, 12])
    right, wrong = interval(y_true, np.arange(42)), interval(y_true, -np.arange(42))
    assert (right.high, wrong.low) == (1, 0)
    for area, bound in ((1, right.low), (0, wrong.high)):
        middle = 20  # (12 + 30) / 2 - 1
        bends = (1 - bound) / (2 - bound) + bound / (1 + bound)
        variance = bound * (1 - bound) / (12 * 30) * (1 + middle * bends)
        assert abs(area - bound) == pytest.approx(ndtri(0.975) * np.sqrt(variance))


def test_equal_scores_say_nothing_about_the_rest():
    found = interval([0, 1, 1, 0], [3, 3, 3, 3])
    assert (found.low, found.value, found.high, found.standard_error) == (0.5, 0.5, 0.5, 0.0)
    assert found.note == "all scores are equal"


def test_one_row_of_a_class_has_bounds():
    found = interval([0, 0, 0, 0, 1], [1, 2, 3, 5, 4])
    assert found.value == 0.75
    assert 0.1 < found.low < 0.5
    assert found.high > 0.9
    assert "one row" in found.note
    turned = interval([0, 0, 0, 0, 1], [-1, -2, -3, -5, -4])
    assert (turned.low, turned.high) == pytest.approx((1 - found.high, 1 - found.low))
    for bound in (found.low, found.high):
        bends = (1 - bound) / (2 - bound) + bound / (1 + bound)
        variance = bound * (1 - bound) / 4 * (1 + 1.5 * bends)  # (1 + 4) / 2 - 1
        assert abs(0.75 - bound) == pytest.approx(ndtri(0.975) * np.sqrt(variance))


def test_no_row_of_a_class_is_undefined():
    with pytest.warns(UndefinedMetricWarning):
        found = interval([0, 0, 0], [1, 2, 3])
    assert np.isnan([found.value, found.low, found.high, found.standard_error]).all()


def test_few_rows_are_named():
    y_true, score = np.repeat([0, 1], [100, 8]), np.arange(108)
    score[[20, 104]] = score[[104, 20]]
    assert "rows in the smallest class" in interval(y_true, score).note
    assert interval(Y, S).note == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "wald"}, "method='wald' does not apply"),
        ({"weights_are": "counts"}, "weights_are"),
        ({"confidence_level": 95}, "confidence_level"),
        ({"groups": [1, 2]}, "groups"),
        ({"sample_weight": np.full(60, 0.5), "weights_are": "frequency"}, "integers"),
    ],
)
def test_refused(options, message):
    with pytest.raises(ValueError, match=message):
        interval(Y, S, **options)


def test_large_samples_and_shifted_scales():
    y_true = np.tile([0, 1], 50_000)
    score = np.linspace(-1e300, 1e300, 100_000)
    score[1::2] += 1e296
    found = interval(y_true, score)
    grouped = interval(y_true, score, groups=np.arange(100_000))
    assert found.standard_error == pytest.approx(grouped.standard_error, rel=1e-10)
    assert found.value == roc_auc_score(y_true, score)


# --------------------------------------------------------------------------- coverage


@pytest.mark.parametrize("method", ["delong", "logit"])
@pytest.mark.parametrize("clusters", [False, True])
def test_coverage(method, clusters):
    """400 samples: 5 standard errors of the share around 95 % are 5.4 points."""
    rng = np.random.default_rng(11)
    hits, area = 0, 0.8
    shift = np.sqrt(2) * ndtri(area)
    for _ in range(400):
        if clusters:  # three rows of one patient share most of what moves their scores
            groups = np.repeat(np.arange(80), 3)
            common = np.sqrt(0.7) * np.repeat(rng.normal(size=80), 3)
            noise = common + np.sqrt(0.3) * rng.normal(size=240)
        else:
            groups, noise = None, rng.normal(size=120)
        y_true = rng.integers(0, 2, len(noise))
        found = interval(y_true, noise + shift * y_true, method=method, groups=groups)
        hits += found.low <= area <= found.high
    assert 0.896 < hits / 400 < 0.995


def test_clusters_taken_for_rows_cover_too_little():
    """The test above can fail: without groups the same data miss far more often."""
    rng = np.random.default_rng(11)
    hits, shift = 0, np.sqrt(2) * ndtri(0.8)
    for _ in range(300):
        kinds = np.repeat(rng.integers(0, 2, 30), 8)
        common = np.sqrt(0.9) * np.repeat(rng.normal(size=30), 8)
        score = common + np.sqrt(0.1) * rng.normal(size=240) + shift * kinds
        found = interval(kinds, score)
        hits += found.low <= 0.8 <= found.high
    assert hits / 300 < 0.8
