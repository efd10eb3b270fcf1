"""KS, gain, lift and gain capture."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp
from sklearn.exceptions import UndefinedMetricWarning

from skmetrics_ext import (
    gain_capture_score,
    gain_curve,
    gini_score,
    ks_statistic_score,
    lift_curve,
    lift_score,
    net_benefit,
    roc_auc_score,
)

from .rankings import TWENTY, TWENTY_SCORES, points, rankings


def test_the_twenty_rows():
    assert ks_statistic_score(TWENTY, TWENTY_SCORES) == 1 / 2
    assert gain_capture_score(TWENTY, TWENTY_SCORES) == pytest.approx(23 / 50, rel=1e-15)
    curve = gain_curve(TWENTY, TWENTY_SCORES)
    assert len(curve.rate) == 21
    assert curve.prevalence == 1 / 2
    # prevalence/2 + (1 - prevalence) AUC
    assert curve.area == pytest.approx(1 / 4 + 73 / 200, rel=1e-15)


@pytest.mark.parametrize(
    ("fraction", "lift"), [(0.05, 2), (0.2, Fraction(3, 2)), (0.25, Fraction(8, 5)), (1.0, 1)]
)
def test_lift_of_the_twenty_rows(fraction, lift):
    got = lift_score(TWENTY, TWENTY_SCORES, fraction=fraction)
    assert got == pytest.approx(float(lift), rel=1e-15)


def test_rows_that_tie_at_the_end_of_the_fraction_count_in_proportion():
    # One row on top, then four that tie, two of them positive; three rows are acted on.
    y, s = [1, 1, 1, 0, 0, 0], [3, 2, 2, 2, 2, 1]
    expected = (1 + Fraction(2, 4) * 2) / 3 / Fraction(1, 2)
    assert lift_score(y, s, fraction=0.5) == pytest.approx(float(expected), rel=1e-15)


@given(rankings(weighted=True), st.integers(1, 20))
def test_lift_is_the_mean_over_orders_of_the_ties(ranking, twentieths):
    """Cut into rows of equal weight, tied ones in both extreme orders and every mix of them."""
    true, score, weight = ranking
    fraction = twentieths / 20
    total, wanted = int(weight.sum()), Fraction(twentieths, 20) * int(weight.sum())
    before = Fraction(0)
    found = Fraction(0)
    for level in sorted(set(score.tolist()), reverse=True):
        here = score == level
        size, hits = int(weight[here].sum()), int(weight[here & (true == 1)].sum())
        taken = min(Fraction(size), wanted - before)
        found += taken * Fraction(hits, size)
        before += taken
    expected = found / wanted * total / int(weight[true == 1].sum())
    got = lift_score(true, score, fraction=fraction, sample_weight=weight)
    assert got == pytest.approx(float(expected), rel=1e-12)


@given(rankings(weighted=True))
def test_ks_is_the_largest_lead(ranking):
    true, score, weight = ranking
    table = points(true, score, weight)
    _, positive, negative = table[-1]
    lead = max(Fraction(tp, positive) - Fraction(fp, negative) for _, tp, fp in table)
    got = ks_statistic_score(true, score, sample_weight=weight)
    assert got == pytest.approx(float(lead), rel=1e-15, abs=1e-15)


@given(rankings())
def test_ks_is_the_one_sided_statistic_of_the_two_samples(ranking):
    true, score, _ = ranking
    other = ks_2samp(score[true == 1], score[true == 0], alternative="less", method="asymp")
    assert ks_statistic_score(true, score) == pytest.approx(other.statistic, abs=1e-12)


@given(rankings(weighted=True))
def test_gain_capture_is_the_share_of_the_perfect_area(ranking):
    true, score, weight = ranking
    curve = gain_curve(true, score, sample_weight=weight)
    perfect = gain_curve(true, true, sample_weight=weight)
    expected = (curve.area - 0.5) / (perfect.area - 0.5)
    assert perfect.area == pytest.approx(1 - curve.prevalence / 2, rel=1e-12)
    got = gain_capture_score(true, score, sample_weight=weight)
    assert got == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert got == pytest.approx(gini_score(true, score, sample_weight=weight), abs=1e-15)


@given(rankings(weighted=True))
def test_curves_have_a_point_for_every_distinct_score(ranking):
    true, score, weight = ranking
    table = points(true, score, weight)
    thresholds, tp, fp = (np.array(column, dtype=float) for column in zip(*table, strict=True))
    rate, gain, at = gain_curve(true, score, sample_weight=weight)
    np.testing.assert_array_equal(at, thresholds)
    np.testing.assert_allclose(rate, (tp + fp) / weight.sum(), rtol=1e-15)
    np.testing.assert_allclose(gain, tp / tp[-1], rtol=1e-15)
    rate, lift, at = lift_curve(true, score, sample_weight=weight)
    np.testing.assert_array_equal(at, thresholds[1:])
    np.testing.assert_allclose(lift, (gain / np.maximum(1e-9, (tp + fp) / weight.sum()))[1:])
    # At its own points the curve is what lift_score reads.
    for fraction, value in zip(rate, lift, strict=True):
        got = lift_score(true, score, fraction=fraction, sample_weight=weight)
        assert got == pytest.approx(value, rel=1e-9)


SCORES = np.array(
    [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.5, 0.4, 0.1], [0.3, 0.3, 0.4]]
)
LABELS = np.array(["a", "b", "c", "b", "b"])
METRICS = {
    "ks": ks_statistic_score,
    "capture": gain_capture_score,
    "lift": lambda *columns, **options: lift_score(*columns, fraction=0.4, **options),
}


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_averages_over_classes(metric):
    each = [metric(name == LABELS, SCORES[:, k]) for k, name in enumerate("abc")]
    np.testing.assert_allclose(metric(LABELS, SCORES, average=None), each, rtol=1e-15)
    assert metric(LABELS, SCORES) == pytest.approx(np.mean(each), rel=1e-15)
    assert metric(LABELS, SCORES, average="weighted") == pytest.approx(
        np.average(each, weights=[1, 3, 1]), rel=1e-15
    )
    pooled = (LABELS[:, None] == np.array(["a", "b", "c"])).ravel(), SCORES.ravel()
    assert metric(LABELS, SCORES, average="micro") == pytest.approx(metric(*pooled), rel=1e-15)
    turned = metric(LABELS, SCORES[:, ::-1], labels=["c", "b", "a"], average=None)
    np.testing.assert_allclose(turned, each[::-1], rtol=1e-15)


def test_the_positive_class():
    y, s = ["ill", "well", "ill", "well"], [0.9, 0.2, 0.8, 0.4]
    with pytest.raises(ValueError, match="ks_statistic_score needs a positive class: pass pos_l"):
        ks_statistic_score(y, s)  # "well" sorts last, and would have 0
    assert ks_statistic_score(y, s, pos_label="ill") == 1.0
    assert ks_statistic_score(y, s, labels=["well", "ill"]) == 1.0
    both = np.column_stack([s, 1 - np.array(s)])
    assert gain_curve(y, both, pos_label="ill").gain.tolist() == [0.0, 0.5, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("metric", [ks_statistic_score, gain_capture_score])
@pytest.mark.parametrize("y", [[0, 0, 0], [1, 1, 1]])
def test_one_class_is_undefined(metric, y):
    with pytest.warns(UndefinedMetricWarning, match="a class has no rows"):
        assert np.isnan(metric(y, [0.1, 0.2, 0.3], labels=[0, 1]))


def test_lift_without_positives_or_without_negatives():
    assert lift_score([1, 1], [0.1, 0.2], fraction=0.5, pos_label=1) == 1.0
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(lift_score([0, 0], [0.1, 0.2], fraction=0.5, labels=[0, 1]))
    with pytest.warns(UndefinedMetricWarning, match="no positive row"):
        assert np.isnan(lift_curve([0, 0], [0.1, 0.2], labels=[0, 1]).lift).all()
    with pytest.warns(UndefinedMetricWarning, match="no positive row"):
        assert np.isnan(gain_curve([0, 0], [0.1, 0.2], labels=[0, 1]).gain).all()


@pytest.mark.parametrize("fraction", [0, -0.1, 1.5, float("nan"), "half", None])
def test_fractions_refused(fraction):
    with pytest.raises(ValueError, match=r"fraction has to be a number in \(0, 1\]"):
        lift_score([0, 1], [0.1, 0.2], fraction=fraction)


@pytest.mark.parametrize("curve", [gain_curve, lift_curve])
def test_curves_are_of_one_class(curve):
    with pytest.raises(ValueError, match="needs binary labels, y_true is multiclass"):
        curve(LABELS, SCORES)


def test_averages_refused():
    with pytest.raises(ValueError, match="average has to be one of"):
        ks_statistic_score(LABELS, SCORES, average="samples")
    with pytest.raises(ValueError, match="average has to be one of"):
        net_benefit([0, 1], [0.1, 0.2], threshold=0.5, average="binary")


@pytest.mark.parametrize("scale", [1e308, 1e-320])
def test_extreme_weights(scale):
    y, s = [0, 1, 1, 0, 1], [0.1, 0.9, 0.2, 0.3, 0.3]
    weight = np.full(5, scale)
    assert ks_statistic_score(y, s, sample_weight=weight) == ks_statistic_score(y, s)
    got = lift_score(y, s, fraction=0.3, sample_weight=weight)
    assert got == pytest.approx(lift_score(y, s, fraction=0.3), rel=1e-12)


def test_multilabel_outputs():
    y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
    s = np.array([[0.9, 0.2], [0.8, 0.7], [0.3, 0.4], [0.1, 0.6]])
    each = [2 * roc_auc_score(y[:, k], s[:, k]) - 1 for k in range(2)]
    np.testing.assert_allclose(gain_capture_score(y, s, average=None), each, atol=1e-15)
