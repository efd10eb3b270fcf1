"""The reliability curve and its intervals."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from skmetrics_ext import calibration_curve_binned

TRUE = [0, 0, 1, 1, 1, 0]
PROBA = [0.05, 0.25, 0.25, 0.3, 0.95, 0.75]


def test_by_hand():
    curve = calibration_curve_binned(TRUE, PROBA, n_bins=4)
    np.testing.assert_array_equal(curve.edges, [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_array_equal(curve.count, [3, 1, 1, 1])
    np.testing.assert_array_equal(curve.weight, [3, 1, 1, 1])
    np.testing.assert_allclose(curve.mean_predicted, [0.55 / 3, 0.3, 0.75, 0.95], rtol=1e-14)
    np.testing.assert_allclose(curve.observed_rate, [1 / 3, 1, 0, 1], rtol=1e-14)
    predicted, observed = curve
    assert predicted is curve.mean_predicted
    assert observed is curve.observed_rate


def test_two_edges_are_one_bin():
    one, edges = (calibration_curve_binned(TRUE, PROBA, n_bins=bins) for bins in (1, [0, 1]))
    assert edges.count.tolist() == one.count.tolist() == [6]
    assert edges.edges.tolist() == [0, 1]
    for bins in ([0.5], [], [0.5, 0.5], [1, 0]):
        with pytest.raises(ValueError, match="n_bins"):
            calibration_curve_binned(TRUE, PROBA, n_bins=bins)


def test_columns_are_the_bins_with_their_edges():
    curve = calibration_curve_binned(TRUE, PROBA, n_bins=4)
    columns = curve.columns()
    assert list(columns) == [
        "left", "right", "mean_predicted", "observed_rate", "low", "high", "weight", "count",
    ]  # fmt: skip
    assert columns["left"].tolist() == [0, 0.25, 0.5, 0.75]
    assert columns["right"].tolist() == [0.25, 0.5, 0.75, 1]
    for name in list(columns)[2:]:
        assert columns[name].tolist() == getattr(curve, name).tolist()


def test_empty_bins_are_kept_as_nan():
    curve = calibration_curve_binned(TRUE, PROBA, n_bins=10)
    empty = curve.count == 0
    assert empty.sum() == 6
    for values in (curve.mean_predicted, curve.observed_rate, curve.low, curve.high):
        np.testing.assert_array_equal(np.isnan(values), empty)


def wilson(share, n, z):
    centre = share + z * z / (2 * n)
    spread = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (centre - spread) / (1 + z * z / n), (centre + spread) / (1 + z * z / n)


def test_intervals_are_of_wilson():
    z = 1.6448536269514722
    curve = calibration_curve_binned(TRUE, PROBA, n_bins=1, confidence_level=0.9)
    expected = wilson(0.5, 6, z)
    np.testing.assert_allclose([curve.low[0], curve.high[0]], expected, rtol=1e-12)
    assert curve.confidence_level == 0.9


def test_weighted_rows_count_as_equal_ones_worth_as_much():
    weight = np.array([1.0, 2, 3, 0, 2, 2])
    curve = calibration_curve_binned(TRUE, PROBA, n_bins=1, sample_weight=weight)
    assert curve.count.tolist() == [5]
    assert curve.weight.tolist() == [10]
    expected = wilson(0.5, 100 / 22, 1.959963984540054)
    np.testing.assert_allclose([curve.low[0], curve.high[0]], expected, rtol=1e-12)
    scaled = calibration_curve_binned(TRUE, PROBA, n_bins=1, sample_weight=weight * 1e-3)
    np.testing.assert_allclose(scaled.low, curve.low, rtol=1e-12)


def test_no_interval_is_a_point():
    curve = calibration_curve_binned([1, 1], [0.9, 0.95], n_bins=1)
    assert curve.observed_rate[0] == 1
    assert curve.low[0] < curve.high[0] == 1


@given(data=st.data(), n_bins=st.integers(1, 12))
def test_points_are_those_of_scikit_learn(data, n_bins):
    """Which leaves out the empty bins. Probabilities on its inexact edges are left out."""
    proba = np.array(data.draw(st.lists(st.integers(0, 97), min_size=2, max_size=30))) / 97
    true = np.arange(len(proba)) % 2
    curve = calibration_curve_binned(true, proba, n_bins=n_bins)
    held = curve.count > 0
    observed, predicted = calibration_curve(true, proba, n_bins=n_bins)
    np.testing.assert_allclose(curve.observed_rate[held], observed, rtol=1e-12)
    np.testing.assert_allclose(curve.mean_predicted[held], predicted, rtol=1e-12, atol=1e-15)


def test_the_top_label():
    proba = [[0.8, 0.2, 0.0], [0.1, 0.7, 0.2], [0.5, 0.2, 0.3], [0.1, 0.1, 0.8]]
    curve = calibration_curve_binned(["x", "z", "y", "z"], proba, target="top_label", n_bins=2)
    assert curve.count.tolist() == [1, 3]
    np.testing.assert_allclose(curve.mean_predicted, [0.5, 2.3 / 3], rtol=1e-14)
    np.testing.assert_allclose(curve.observed_rate, [0, 2 / 3], rtol=1e-14)


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, np.nan, "high", None])
def test_a_level_is_between_0_and_1(level):
    with pytest.raises(ValueError, match="confidence_level has to be"):
        calibration_curve_binned(TRUE, PROBA, confidence_level=level)


def test_several_classes_need_a_target():
    with pytest.raises(ValueError, match="Or pass target='top_label'"):
        calibration_curve_binned([0, 1, 2], np.eye(3))
    with pytest.raises(ValueError, match="target has to be one of"):
        calibration_curve_binned([0, 1, 2], np.eye(3), target="classwise")
