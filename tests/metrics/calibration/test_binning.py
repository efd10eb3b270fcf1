"""Bins: which side is closed, ties, and what must not move an edge."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from skmetrics_ext import (
    brier_decomposition,
    calibration_curve_binned,
    expected_calibration_error,
)
from skmetrics_ext.metrics.calibration.binning import Binning
from skmetrics_ext.significance import hosmer_lemeshow_test
from skmetrics_ext.validation import InvalidParameterError, Probabilities

GRID = st.lists(st.integers(0, 20), min_size=1, max_size=30).map(lambda v: np.array(v) / 20)


def repetitions(n_rows):
    return st.lists(st.integers(1, 4), min_size=n_rows, max_size=n_rows).map(np.array)


def forecast(proba, weight=None):
    event = (np.arange(len(proba)) % 2).astype(np.int64)
    return Probabilities(np.arange(2), event, proba, weight, 2.0**-52)


@pytest.mark.parametrize("n_bins", [1, 2, 3, 7, 10, 15, 20, 100, 1000])
def test_a_decimal_on_an_edge_lies_in_the_bin_below(n_bins):
    """Though 0.3 is not 3 times 0.1 in floating point."""
    edges = [float(f"{k / n_bins:.17g}") for k in range(n_bins + 1)]
    got = Binning.uniform(n_bins).assign(np.array(edges))
    np.testing.assert_array_equal(got, [0, *range(n_bins)])
    decimals = np.array([0.0, 0.1, 0.3, 0.6, 0.7, 0.9, 1.0])
    np.testing.assert_array_equal(Binning.uniform(10).assign(decimals), [0, 0, 2, 5, 6, 8, 9])


def test_the_next_number_above_an_edge_lies_in_the_bin_above():
    above = np.nextafter(np.arange(10) / 10, 1)
    np.testing.assert_array_equal(Binning.uniform(10).assign(above), np.arange(10))


@given(proba=GRID, n_bins=st.integers(1, 12))
def test_edges_of_equal_mass_by_their_definition(proba, n_bins):
    """Upper edge k is the smallest probability that k/n of the rows do not exceed."""
    uppers = [
        min(p for p in proba if n_bins * np.count_nonzero(proba <= p) >= k * len(proba))
        for k in range(1, n_bins + 1)
    ]
    expected = [proba.min(), *sorted(set(uppers))]
    np.testing.assert_array_equal(Binning.equal_mass(proba, None, n_bins).edges, expected)


@given(proba=GRID, n_bins=st.integers(1, 12), data=st.data())
def test_weights_repeat_rows_and_have_no_scale(proba, n_bins, data):
    times = data.draw(repetitions(len(proba)))
    expected = Binning.equal_mass(np.repeat(proba, times), None, n_bins).edges
    for weight in (times, times.astype(np.float64), times / 10, times * 1e-150):
        np.testing.assert_array_equal(Binning.equal_mass(proba, weight, n_bins).edges, expected)
    np.testing.assert_array_equal(
        Binning.equal_mass(np.repeat(proba, 3), None, n_bins).edges,
        Binning.equal_mass(proba, None, n_bins).edges,
    )


@given(proba=GRID, n_bins=st.integers(1, 12), data=st.data())
def test_interpolated_quantiles_are_those_of_numpy(proba, n_bins, data):
    """And integer weights repeat rows. Edges that coincide are one."""
    times = data.draw(repetitions(len(proba)))
    written_out = np.repeat(proba, times)
    uppers = np.quantile(written_out, np.arange(1, n_bins + 1) / n_bins)
    expected = np.searchsorted(np.unique(np.round(uppers, 9)), np.round(proba, 9))
    got = Binning.quantile(proba, times, n_bins)
    np.testing.assert_array_equal(got.assign(proba), expected)
    unweighted = Binning.quantile(written_out, None, n_bins)
    np.testing.assert_allclose(got.edges, unweighted.edges, rtol=1e-12)
    np.testing.assert_array_equal(Binning.quantile(proba, times * 1.0, n_bins).edges, got.edges)
    absent = np.append(proba, 0.0), np.append(times, 0)
    np.testing.assert_array_equal(Binning.quantile(*absent, n_bins).edges, got.edges)


# Of these numbers of bins k / n_bins is a float, so that scikit-learn's edges are not rounded.
@given(proba=GRID, n_bins=st.sampled_from([1, 2, 4, 8]))
def test_quantile_bins_are_those_of_scikit_learn(proba, n_bins):
    true = np.arange(len(proba)) % 2
    options = {"n_bins": n_bins, "strategy": "quantile"}
    got = calibration_curve_binned(true, proba, labels=[0, 1], **options)
    rate, mean = calibration_curve(true, proba, pos_label=1, **options)
    np.testing.assert_allclose(got.mean_predicted[got.weight > 0], mean, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(got.observed_rate[got.weight > 0], rate, rtol=1e-12)


def test_quantiles_of_fractions_of_rows_are_refused():
    data = [0, 1, 0, 1], [0.1, 0.4, 0.6, 0.8]
    for function in (expected_calibration_error, hosmer_lemeshow_test, brier_decomposition):
        asked = {"strategy": "quantile", "sample_weight": [0.5, 1, 1, 0.25]}
        with pytest.raises(InvalidParameterError, match=r"sample_weight can repeat.*equal_mass"):
            function(*data, **asked)
        function(*data, **{**asked, "strategy": "equal_mass", "n_bins": 3})


@given(
    proba=GRID,
    n_bins=st.integers(1, 12),
    strategy=st.sampled_from(["uniform", "quantile", "equal_mass"]),
)
def test_every_row_is_in_the_bin_whose_edges_hold_it(proba, n_bins, strategy):
    binning = Binning.of(proba, None, strategy, n_bins)
    bins = binning.assign(proba)
    low, high = binning.edges[bins], binning.edges[bins + 1]
    assert (((low < proba) | (bins == 0)) & (low <= proba) & (proba <= high)).all()
    if strategy == "equal_mass":
        assert np.bincount(bins, minlength=binning.n_bins).all(), "an empty bin"


def test_equal_probabilities_share_a_bin():
    curve = calibration_curve_binned([0, 1, 1, 0], [0.4] * 4, strategy="equal_mass")
    assert curve.count.tolist() == [4]
    assert curve.edges.tolist() == [0.4, 0.4]
    many_zeros = [0.0] * 7 + [0.2, 0.5, 0.9]
    curve = calibration_curve_binned([0] * 9 + [1], many_zeros, strategy="equal_mass", n_bins=5)
    assert curve.count.tolist() == [7, 1, 2]
    assert curve.edges.tolist() == [0.0, 0.0, 0.2, 0.9]
    curve = calibration_curve_binned([0] * 9 + [1], many_zeros, strategy="quantile", n_bins=5)
    assert curve.count.tolist() == [7, 1, 2]
    np.testing.assert_allclose(curve.edges, [0.0, 0.0, 0.26, 0.9], rtol=1e-12)


def test_edges_may_be_given():
    true, proba = [0, 1, 0, 1], [0.05, 0.2, 0.25, 0.9]
    curve = calibration_curve_binned(true, proba, n_bins=[0, 0.05, 0.2, 1])
    assert curve.count.tolist() == [1, 1, 2]
    for edges in ([0.1, 1], [0, 0.5], [0, 0.5, 0.5, 1], [0, np.nan, 1], [1], ["a", "b"]):
        with pytest.raises(ValueError, match="n_bins"):
            calibration_curve_binned(true, proba, n_bins=edges)


@pytest.mark.parametrize("n_bins", [0, -1, 2.5, True, "ten", None, np.eye(2), np.array(2.5)])
def test_a_number_of_bins_is_a_positive_integer(n_bins):
    told = r"^n_bins has to be an integer of 1 or more, or an array of edges, got "
    with pytest.raises(ValueError, match=told):
        expected_calibration_error([0, 1], [0.2, 0.8], n_bins=n_bins)


def test_edges_are_one_row_of_numbers():
    with pytest.raises(ValueError, match=r"^n_bins must be numbers that rise, at least 2, got "):
        expected_calibration_error([0, 1], [0.2, 0.8], n_bins=[[0, 1]])
    assert expected_calibration_error([0, 1], [0.2, 0.8], n_bins=np.array(10)) == pytest.approx(0.2)


@given(proba=GRID, weighted=st.booleans(), data=st.data())
def test_sums_of_parts_add_up_to_the_whole(proba, weighted, data):
    weight = np.arange(1.0, len(proba) + 1) if weighted else None
    part = np.array(data.draw(st.lists(st.booleans(), min_size=len(proba), max_size=len(proba))))
    binning, whole = Binning.uniform(7), forecast(proba, weight)

    def rows(kept):
        own = None if weight is None else weight[kept]
        return Probabilities(whole.classes, whole.true[kept], proba[kept], own, whole.eps)

    merged, sums = binning.sums(rows(part)).merge(binning.sums(rows(~part))), binning.sums(whole)
    for name in ("weight", "positive", "predicted", "squares", "n_rows"):
        np.testing.assert_allclose(getattr(merged, name), getattr(sums, name), rtol=1e-12)


def test_other_bins_do_not_add():
    row = forecast(np.array([0.5]))
    with pytest.raises(ValueError, match="the same"):
        Binning.uniform(2).sums(row).merge(Binning.uniform(3).sums(row))


@pytest.mark.parametrize("strategy", ["uniform", "quantile", "equal_mass"])
def test_edges_of_a_curve_make_the_same_bins_again(strategy):
    """Also if the lowest probability has a bin of its own, so that two edges are equal."""
    true, proba = [0, 1, 0, 1, 1, 0, 1, 1], [0.1, 0.1, 0.1, 0.1, 0.4, 0.4, 0.8, 0.9]
    curve = calibration_curve_binned(true, proba, strategy=strategy, n_bins=4)
    again = calibration_curve_binned(true, proba, n_bins=curve.edges)
    for name in ("edges", "mean_predicted", "observed_rate", "count"):
        np.testing.assert_array_equal(getattr(again, name), getattr(curve, name))
    by_strategy = expected_calibration_error(true, proba, strategy=strategy, n_bins=4)
    assert expected_calibration_error(true, proba, n_bins=curve.edges) == by_strategy


@pytest.mark.parametrize("edges", [[0, 0, 0, 1], [0, 0.5, 0.5, 1], [0, 1, 0.5]])
def test_other_equal_edges_are_refused(edges):
    with pytest.raises(ValueError, match="n_bins must be numbers that rise"):
        calibration_curve_binned([0, 1], [0.2, 0.8], n_bins=edges)
