"""Calibration errors over bins, by brute force and by what debiasing promises."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.score_inputs import class_probabilities

from skmetrics_ext import expected_calibration_error
from skmetrics_ext.metrics.calibration.binning import Binning
from skmetrics_ext.metrics.calibration.calibration_error import _cosines, binned_error
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import Probabilities


def brute(true, proba, weight, n_bins, norm):
    """Each bin in turn, (a, b]."""
    gaps, shares = [], []
    for k in range(n_bins):
        inside = (proba > k / n_bins) & (proba <= (k + 1) / n_bins)
        if k == 0:
            inside |= proba == 0
        if weight[inside].sum() > 0:
            own = weight[inside]
            gaps.append(abs(np.average(proba[inside] - true[inside], weights=own)))
            shares.append(own.sum() / weight.sum())
    gaps, shares = np.array(gaps), np.array(shares)
    return {"l1": shares @ gaps, "l2": np.sqrt(shares @ gaps**2), "max": gaps.max()}[norm]


@given(
    sample=class_probabilities(2),
    n_bins=st.integers(1, 12),
    norm=st.sampled_from(["l1", "l2", "max"]),
    weighted=st.booleans(),
)
def test_binary_by_brute_force(sample, n_bins, norm, weighted):
    true, proba, names = sample
    proba, event = proba[:, 1].astype(np.float64), true == names[1]
    weight = np.arange(len(true)) % 4 + 0.5
    given_weight = weight if weighted else None
    weight = weight if weighted else np.ones(len(true))
    expected = brute(event, proba, weight, n_bins, norm)
    options = {"n_bins": n_bins, "norm": norm, "pos_label": names.tolist()[1]}
    got = expected_calibration_error(true, proba, sample_weight=given_weight, **options)
    assert got == pytest.approx(expected, rel=1e-12, abs=1e-14)
    tally = RankTally.from_scores(proba, event.astype(np.int64), 2, given_weight)
    assert float(binned_error(tally, "uniform", n_bins, norm)) == pytest.approx(got, abs=1e-14)


@given(
    sample=class_probabilities(),
    norm=st.sampled_from(["l1", "l2", "max"]),
    target=st.sampled_from(["top_label", "classwise"]),
)
def test_several_classes_by_brute_force(sample, norm, target):
    true, proba, names = sample
    wide, one = proba.astype(np.float64), np.ones(len(true))
    if target == "top_label":
        expected = brute(names[wide.argmax(1)] == true, wide.max(1), one, 10, norm)
    else:
        pairs = zip(names, wide.T, strict=True)
        each = np.array([brute(true == k, column, one, 10, norm) for k, column in pairs])
        if norm == "max":
            expected = each.max()
        else:
            expected = each.mean() if norm == "l1" else np.sqrt((each**2).mean())
    got = expected_calibration_error(true, proba, norm=norm, target=target)
    assert got == pytest.approx(expected, rel=1e-12, abs=1e-14)


def test_two_classes_classwise_count_each_gap_twice():
    true, proba = [0, 1, 1, 0, 1], np.array([0.15, 0.35, 0.85, 0.65, 0.75])
    binary = expected_calibration_error(true, proba)
    assert expected_calibration_error(true, proba, target="classwise") == pytest.approx(binary)


def test_equal_weights_by_hand():
    # Bins of 2: (0.1, 0.2), (0.4, 0.6), (0.8, 0.9) with 0, 1, 1 events.
    true, proba = [0, 0, 1, 0, 1, 0], [0.1, 0.2, 0.4, 0.6, 0.8, 0.9]
    for strategy in ("equal_mass", "quantile"):
        got = expected_calibration_error(true, proba, n_bins=3, strategy=strategy)
        assert got == pytest.approx((0.15 + 0.0 + 0.35) / 3, rel=1e-12)
    # Of 5 rows in 3 bins: (2, 1, 2) between quantiles, (2, 2, 1) of equal mass.
    true, proba = [0, 0, 1, 0, 1], [0.1, 0.2, 0.4, 0.6, 0.9]
    for strategy, gaps in {"quantile": 0.3 + 0.6 + 0.5, "equal_mass": 0.3 + 0.0 + 0.1}.items():
        got = expected_calibration_error(true, proba, n_bins=3, strategy=strategy)
        assert got == pytest.approx(gaps / 5, rel=1e-12)


@given(data=st.data())
def test_debiasing_makes_the_mean_over_outcomes_the_true_squared_error(data):
    """Over all outcomes of the rows, each with its probability; nothing is cut off here."""
    truth = np.array([0.1, 0.5, 0.9])  # what the events of each bin really happen with
    said = np.array([data.draw(st.sampled_from([0.05, 0.2])), 0.6, 0.8])
    rows = np.array([3, 2, 3])
    proba, chance = np.repeat(said, rows), np.repeat(truth, rows)
    share = rows / rows.sum()
    exact = float(share @ (said - truth) ** 2)
    total = 0.0
    for outcome in product([0, 1], repeat=len(proba)):
        event = np.array(outcome)
        forecast = Probabilities(np.arange(2), event, proba, None, 0.0)
        sums = Binning.uniform(3).sums(forecast)
        gap = sums.mean_predicted - sums.rate
        estimate = float(sums.share @ (gap**2 - sums.rate_variance))
        total += estimate * np.where(event, chance, 1 - chance).prod()
        got = expected_calibration_error(event, proba, n_bins=3, norm="l2", debias=True)
        assert got == pytest.approx(np.sqrt(max(estimate, 0.0)), abs=1e-12)
    assert total == pytest.approx(exact, rel=1e-10)


def test_a_single_row_has_no_variance_to_subtract():
    plain = expected_calibration_error([1, 0], [0.9, 0.2], norm="l2")
    assert expected_calibration_error([1, 0], [0.9, 0.2], norm="l2", debias=True) == plain


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"debias": True}, "needs norm='l2'"),
        ({"debias": "yes"}, "debias has to be"),
        ({"norm": "l3"}, "norm has to be"),
        ({"strategy": "kmeans"}, "strategy has to be"),
        ({"target": "all"}, "target has to be"),
    ],
)
def test_refused(options, message):
    with pytest.raises(ValueError, match=message):
        expected_calibration_error([0, 1], [0.2, 0.8], **options)


@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
@pytest.mark.parametrize(
    "bins", [{}, {"strategy": "quantile"}, {"strategy": "equal_mass"}, {"n_bins": [0, 0.25, 1]}]
)
def test_the_kernel_reads_any_leading_axes(bins, norm):
    rng = np.random.default_rng(0)
    proba = np.arange(30)[::-1] / 30
    mass = rng.integers(0, 4, (3, 2, 2, 30))
    options = {"norm": norm, **bins}
    got = binned_error(RankTally(proba, mass), **options)
    assert got.shape == (3, 2)
    for place in np.ndindex(3, 2):
        negative, positive = mass[place]
        rows, true = np.repeat(np.tile(proba, 2), [*negative, *positive]), [0, 1]
        true = np.repeat(true, [negative.sum(), positive.sum()])
        expected = expected_calibration_error(true, rows, **options)
        assert got[place] == pytest.approx(expected, rel=1e-12)


def test_waves_of_many_rows_on_a_grid_are_those_of_single_rows():
    rng = np.random.default_rng(0)
    proba, residual = rng.random(700), rng.normal(size=(2, 700)) / 700
    single = np.cos(np.pi * proba[:, None] * np.arange(41))
    np.testing.assert_allclose(_cosines(proba, residual, 40), residual @ single, atol=1e-5)
