"""Hand's H, and precision and recall gain."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta
from sklearn.exceptions import UndefinedMetricWarning
from support.public import DEPRECATED

from skmetrics_ext import (
    auprg_score,
    f1_score,
    h_measure_score,
    precision_recall_gain_curve,
    precision_score,
    recall_score,
)

from .rankings import points, rankings

f1_gain = DEPRECATED["f1_gain_score"]
precision_gain = DEPRECATED["precision_gain_score"]
recall_gain = DEPRECATED["recall_gain_score"]


def h_by_integration(true, score, ratio):
    """The definition: the best threshold for every cost, integrated numerically."""
    table = points(true, score)
    _, positive, negative = table[-1]
    n_rows = positive + negative
    tp, fp = (np.array(column, dtype=float) for column in list(zip(*table, strict=True))[1:])
    ratio = positive / negative if ratio is None else ratio
    weight = beta(2, 1 + 1 / ratio).pdf
    # Where the best threshold changes the integrand has a corner.
    corners = {
        float(dt / (dt + df))
        for i in range(len(tp))
        for j in range(i)
        if (dt := tp[i] - tp[j]) + (df := fp[i] - fp[j])
    }

    def integral(cost):
        edges = [0.0, *sorted(corners - {0.0, 1.0}), 1.0]
        pieces = itertools.pairwise(edges)
        return sum(quad(lambda c: cost(c) * weight(c), *piece, epsabs=1e-11)[0] for piece in pieces)

    loss = integral(lambda c: np.min(c * fp + (1 - c) * (positive - tp)) / n_rows)
    trivial = integral(lambda c: min(c * negative, (1 - c) * positive) / n_rows)
    return 1 - loss / trivial


@pytest.mark.parametrize("ratio", [None, 1, 2, 0.2])
@pytest.mark.parametrize("seed", range(6))
def test_h_is_its_definition(seed, ratio):
    rng = np.random.default_rng(seed)
    true = np.append([0, 1], rng.integers(0, 2, 9))
    score = rng.integers(0, 6, 11).astype(float) + true
    got = h_measure_score(true, score, severity_ratio=ratio)
    assert got == pytest.approx(h_by_integration(true, score, ratio), abs=1e-8)


def test_h_by_hand():
    # Hull (0, 0), (0, 1/2), (1/2, 1), (1, 1) under w = 6 c (1 - c): half the trivial loss.
    assert h_measure_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]) == pytest.approx(0.5, rel=1e-14)
    assert h_measure_score([0, 0, 1, 1], [0, 0, 1, 1]) == 1.0
    assert h_measure_score([0, 0, 1, 1], [5, 5, 5, 5]) == 0.0
    assert h_measure_score([0, 0, 1, 1], [1, 1, 0, 0]) == 0.0


@given(rankings(weighted=True))
def test_weights_are_repeated_rows(ranking):
    true, score, weight = ranking
    got = h_measure_score(true, score, sample_weight=weight)
    assert 0 <= got <= 1
    repeated = np.repeat(true, weight), np.repeat(score, weight)
    assert got == pytest.approx(h_measure_score(*repeated), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("ratio", [0, -1, float("inf"), float("nan"), "1"])
def test_severity_ratios_refused(ratio):
    with pytest.raises(ValueError, match=r"severity_ratio has to be a number in \(0, inf\)"):
        h_measure_score([0, 1], [0.1, 0.2], severity_ratio=ratio)


@pytest.mark.parametrize("metric", [h_measure_score, auprg_score])
@pytest.mark.parametrize("y", [[0, 0], [1, 1]])
def test_one_class_is_undefined(metric, y):
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(metric(y, [0.1, 0.2], labels=[0, 1]))


# --------------------------------------------------------------------------- gains


@given(rankings(weighted=True))
def test_gains_are_their_definitions(ranking):
    true, score, weight = ranking
    pred = (score > 0).astype(int)
    share = weight[true == 1].sum() / weight.sum()
    for gain, plain in (
        (precision_gain, precision_score),
        (recall_gain, recall_score),
        (f1_gain, f1_score),
    ):
        value = plain(true, pred, sample_weight=weight, zero_division=np.nan)
        got = gain(true, pred, sample_weight=weight, zero_division=np.nan)
        if np.isnan(value):
            assert np.isnan(got)
        elif value == 0:
            assert got == -np.inf
        else:
            expected = (value - share) / ((1 - share) * value)
            assert got == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(rankings())
def test_f1_gain_is_the_mean_of_the_two(ranking):
    true, score, _ = ranking
    pred = (score > 0).astype(int)
    parts = [metric(true, pred, zero_division=np.nan) for metric in (precision_gain, recall_gain)]
    if np.isfinite(parts).all():
        assert f1_gain(true, pred) == pytest.approx(np.mean(parts), rel=1e-9, abs=1e-9)


def exact_area(table):
    """Trapezoid of precision gain over recall gain from 0, in fractions."""
    positive, negative = Fraction(table[-1][1]), Fraction(table[-1][2])
    odds, crossing = positive / negative, positive * positive / (positive + negative)

    def gains(tp, fp):
        return 1 - odds * (positive - tp) / tp, 1 - odds * fp / tp

    path = []
    for (_, tp0, fp0), (_, tp1, fp1) in itertools.pairwise(table):
        if tp0 < crossing <= tp1:
            share = (crossing - tp0) / (tp1 - tp0)
            path.append(gains(crossing, fp0 + share * (fp1 - fp0)))
        if tp1 >= crossing:
            path.append(gains(Fraction(tp1), Fraction(fp1)))
    steps = itertools.pairwise(path)
    return sum((r1 - r0) * (p0 + p1) / 2 for (r0, p0), (r1, p1) in steps)


@given(rankings(weighted=True))
def test_auprg_is_the_exact_area(ranking):
    true, score, weight = ranking
    expected = float(exact_area(points(*ranking)))
    got = auprg_score(true, score, sample_weight=weight)
    assert got == pytest.approx(expected, rel=1e-9, abs=1e-9)
    curve = precision_recall_gain_curve(true, score, sample_weight=weight)
    assert curve.area == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert curve.recall_gain[0] == pytest.approx(0, abs=1e-12)
    assert curve.recall_gain[-1] == 1
    assert np.isnan(curve.thresholds[0])


@given(st.integers(1, 6), st.integers(1, 6))
def test_auprg_of_a_perfect_and_of_a_constant_ranking(n_positive, n_negative):
    y = np.repeat([1, 0], [n_positive, n_negative])
    assert 1 - 1e-12 <= auprg_score(y, y) <= 1
    assert auprg_score(y, np.zeros(len(y))) == pytest.approx(0, abs=1e-12)


def test_undefined_gain_curve():
    with pytest.warns(UndefinedMetricWarning, match="a class has no rows"):
        curve = precision_recall_gain_curve([0, 0], [0.1, 0.2], labels=[0, 1])
    assert all(np.isnan(part).all() for part in curve)
