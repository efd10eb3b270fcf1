"""Slope, intercept and the ratio of observed to expected events."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

from skmetrics_ext import METRICS, calibration_slope_intercept, observed_expected_ratio
from skmetrics_ext.tallies import MomentTally

TRUE, PROBA = [0, 1, 0, 1, 1, 0], [0.1, 0.2, 0.6, 0.7, 0.9, 0.4]


def of_expectations(x, intercept, slope):
    """Each log odds twice, weighted by the chance of either outcome: the maximum is known."""
    chance = expit(intercept + slope * x)
    return (
        np.repeat([1, 0], len(x)),
        expit(np.concatenate([x, x])),
        np.concatenate([chance, 1 - chance]),
    )


@given(
    intercept=st.floats(-3, 3),
    slope=st.floats(-2, 3),
    centre=st.floats(-3, 3),
    width=st.floats(0.1, 4),
    scale=st.sampled_from([1.0, 1e-8, 1e10]),
)
def test_the_line_that_made_the_outcomes_is_found(intercept, slope, centre, width, scale):
    x = centre + width * np.array([-1.0, -0.25, 0.1, 1.0])
    true, proba, weight = of_expectations(x, intercept, slope)
    line = calibration_slope_intercept(true, proba, sample_weight=weight * scale)
    assert line.slope.value == pytest.approx(slope, abs=1e-5)
    assert line.intercept.value == pytest.approx(intercept, abs=1e-4)
    assert tuple(line) == (line.slope.value, line.intercept.value)


@given(intercept=st.floats(-5, 5))
def test_the_intercept_in_the_large_holds_the_slope_at_1(intercept):
    true, proba, weight = of_expectations(np.array([-2.0, 0.5, 1.0]), intercept, 1.0)
    line = calibration_slope_intercept(true, proba, sample_weight=weight)
    assert line.in_the_large.value == pytest.approx(intercept, abs=1e-9)


def test_the_score_equations_hold():
    line = calibration_slope_intercept(TRUE, PROBA)
    x = np.log(PROBA) - np.log1p(-np.array(PROBA))
    left = TRUE - expit(line.intercept.value + line.slope.value * x)
    np.testing.assert_allclose([left.sum(), (left * x).sum()], 0, atol=1e-12)
    assert (TRUE - expit(line.in_the_large.value + x)).sum() == pytest.approx(0, abs=1e-12)


def test_the_covariance_is_the_inverse_information():
    line = calibration_slope_intercept(TRUE, PROBA, method="model")
    x = np.log(PROBA) - np.log1p(-np.array(PROBA))
    mean = expit(line.intercept.value + line.slope.value * x)
    design = np.column_stack([np.ones(6), x])
    information = design.T @ (design * (mean * (1 - mean))[:, None])
    np.testing.assert_allclose(line.covariance, np.linalg.inv(information), rtol=1e-9)
    twice = calibration_slope_intercept(TRUE, PROBA, sample_weight=[2] * 6, method="model")
    np.testing.assert_allclose(twice.covariance, line.covariance / 2, rtol=1e-9)
    assert twice.slope.value == pytest.approx(line.slope.value, rel=1e-12)


def test_intervals_of_two_probabilities_by_hand():
    """Two distinct probabilities: a 2 x 2 table, with Woolf's variances of its log odds."""
    counts = {(0.2, 1): 6, (0.2, 0): 30, (0.7, 1): 25, (0.7, 0): 9}
    proba, true = np.array([key for key, n in counts.items() for _ in range(n)]).T
    line = calibration_slope_intercept(
        true.astype(int), proba, confidence_level=0.9, method="model"
    )
    low, high = logit(0.2), logit(0.7)
    odds = np.log(6 / 30), np.log(25 / 9)
    variance = 1 / 6 + 1 / 30, 1 / 25 + 1 / 9
    z, width = 1.6448536269514722, high - low
    slope, error = (odds[1] - odds[0]) / width, np.sqrt(sum(variance)) / width
    np.testing.assert_allclose(list(line.slope), [slope, slope - z * error, slope + z * error])
    intercept = odds[0] - slope * low
    error = np.hypot(high * np.sqrt(variance[0]), low * np.sqrt(variance[1])) / width
    assert line.intercept.value == pytest.approx(intercept, rel=1e-9)
    assert line.intercept.standard_error == pytest.approx(error, rel=1e-9)
    assert (line.slope.confidence_level, line.slope.note) == (0.9, "")


def test_the_interval_in_the_large_of_one_probability_by_hand():
    true = np.repeat([1, 0], [40, 60])
    with pytest.warns(UserWarning, match="equal"):
        line = calibration_slope_intercept(true, np.full(100, 0.25), method="model")
    value, error = np.log(40 / 60) - logit(0.25), np.sqrt(1 / 40 + 1 / 60)
    expected = [value, value - 1.959963984540054 * error, value + 1.959963984540054 * error]
    np.testing.assert_allclose(list(line.in_the_large), expected, rtol=1e-9)


def test_the_sandwich_by_hand():
    """White's covariance, times n / (n - 1); a weight is the importance of one row."""
    rng = np.random.default_rng(0)
    x, n = rng.normal(size=300), 300
    true, weight = (rng.random(n) < expit(x - 0.5 * x**2)).astype(int), rng.uniform(0.5, 2, n)
    line = calibration_slope_intercept(true, expit(2 * x), sample_weight=weight)
    design = np.column_stack([np.ones(n), 2 * x])
    mean = expit(design @ [line.intercept.value, line.slope.value])
    bread = np.linalg.inv(design.T @ (design * (weight * mean * (1 - mean))[:, None]))
    scores = design * (weight * (true - mean))[:, None]
    expected = bread @ scores.T @ scores @ bread * n / (n - 1)
    np.testing.assert_allclose(line.covariance, expected, rtol=1e-6)
    chance = expit(2 * x + line.in_the_large.value)
    error = np.sqrt(((weight * (true - chance)) ** 2).sum() * n / (n - 1))
    error /= (weight * chance * (1 - chance)).sum()
    assert line.in_the_large.standard_error == pytest.approx(error, rel=1e-6)
    again = calibration_slope_intercept(true, expit(2 * x), sample_weight=7 * weight)
    np.testing.assert_allclose(list(again.slope), list(line.slope), rtol=1e-6)


def test_calibration_in_the_large_covers_where_probabilities_are_too_extreme():
    """Log odds four times too large: the model's error covers 72 % of 300 samples."""

    def draw(seed, n):
        rng = np.random.default_rng(seed)
        z = rng.normal(-1.3, 1.2, n)
        y = (rng.random(n) < expit(z)).astype(int)
        return y, np.clip(expit(4 * z + 1), 1e-6, 1 - 1e-6)

    truth = calibration_slope_intercept(*draw(1, 400_000)).in_the_large.value
    held = {"sandwich": 0, "model": 0}
    for seed in range(300):
        for method in held:
            large = calibration_slope_intercept(*draw(seed, 200), method=method).in_the_large
            held[method] += large.low <= truth <= large.high and not large.note
    assert held["sandwich"] > 0.92 * 300 > 0.85 * 300 > held["model"]


def test_a_slope_that_one_row_decides_is_noted():
    """A third of the rows are all but sure, and 0 or 1 of them are wrong."""
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.4).astype(int)
    z = np.where(
        np.arange(400) % 3 == 0, 14 * (2 * y - 1), 1.6 * (2 * y - 1) + rng.normal(size=400)
    )
    for wrong in (0, 1):
        z[:3][:wrong] *= -1
        line = calibration_slope_intercept(y, expit(z))
        assert "effective rows or groups decide it" in line.slope.note
    assert line.in_the_large.note == ""


def test_the_model_takes_rows_as_independent():
    with pytest.raises(ValueError, match="sandwich"):
        calibration_slope_intercept(TRUE, PROBA, groups=[0, 0, 1, 1, 2, 2], method="model")
    with pytest.raises(ValueError, match="method"):
        calibration_slope_intercept(TRUE, PROBA, method="glm")


def test_few_rows_of_a_class_are_noted():
    assert (
        "only 3 rows in the smallest class" in calibration_slope_intercept(TRUE, PROBA).slope.note
    )
    many = calibration_slope_intercept(TRUE * 4, PROBA * 4)
    assert many.slope.note == ""
    assert [row.quantity for row in many._as_rows()] == ["slope", "intercept", "in_the_large"]


UNDEFINED = [
    ([0, 0, 0], [0.1, 0.2, 0.3], "one class", False),
    ([1, 1, 1], [0.1, 0.2, 0.3], "one class", False),
    ([0, 1, 1], [0.3, 0.3, 0.3], "equal", True),
    ([0, 0, 1], [0.1, 0.2, 0.3], "separates", True),
    ([1, 0, 0], [0.1, 0.2, 0.3], "separates", True),
    ([0, 0, 1, 1], [0.1, 0.2, 0.2, 0.3], "separates", True),
]


@pytest.mark.parametrize(("true", "proba", "message", "large"), UNDEFINED)
def test_no_maximum_no_line(true, proba, message, large):
    with pytest.warns(UserWarning, match=message):
        line = calibration_slope_intercept(true, proba)
    assert np.isnan([*line.slope, *line.intercept, *line.covariance.ravel()]).all()
    assert np.isfinite(list(line.in_the_large)).all() == large


def test_a_row_without_weight_does_not_undo_a_separation():
    with pytest.warns(UserWarning, match="separates"):
        calibration_slope_intercept([0, 0, 1, 0], [0.1, 0.2, 0.3, 0.9], sample_weight=[1, 1, 1, 0])


def test_classes_all_but_separated():
    """The maximum is where float64 holds no curvature: it is not a number that can be told."""
    proba, weight = [0.1, 0.2, 0.200001, 0.3, 0.7, 0.8], [1e8, 1e8, 1e-8, 1e-8, 1e8, 1e8]
    with pytest.warns(UserWarning, match="all but separates"):
        line = calibration_slope_intercept([0, 0, 1, 0, 1, 1], proba, sample_weight=weight)
    assert np.isnan(line.slope.value)


@pytest.mark.parametrize("rarer", [0, 1])
def test_rows_of_the_rarer_class_are_counted(rarer):
    true = np.where(np.arange(60) % 15 == 0, rarer, 1 - rarer)
    line = calibration_slope_intercept(true, expit(np.sin(np.arange(60))))
    assert "only 4 rows in the smallest class" in line.slope.note


@pytest.mark.parametrize(("few", "fewer", "rel"), [(-3, -5, 1e-12), (-10, -14, 5e-4)])
def test_two_probabilities_have_the_line_through_the_log_odds_of_their_events(few, fewer, rel):
    """Odds of 10^fewer at 1/4, and of 10^-few at 1/2."""
    line = calibration_slope_intercept(
        [0, 1, 0, 1], [0.25, 0.25, 0.5, 0.5], sample_weight=[1, 10.0**fewer, 10.0**few, 1]
    )
    assert line.intercept.value == pytest.approx(-few * np.log(10), rel=rel)
    assert line.slope.value == pytest.approx(-(few + fewer) * np.log(10) / np.log(3), rel=rel)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_sure_probabilities_have_no_log_odds(dtype):
    true, proba = [0, 1, 0, 1, 1], np.array([0.125, 0.25, 0.5, 0.75, 1.0], dtype=dtype)
    with pytest.raises(ValueError, match=r"y_proba holds 1 prob.* 1\.0, .*np\.clip"):
        calibration_slope_intercept(true, proba)
    left_out = calibration_slope_intercept(true, proba, sample_weight=[1, 1, 1, 1, 0])
    assert left_out.slope == calibration_slope_intercept(true[:-1], proba[:-1]).slope
    chosen = calibration_slope_intercept(true, np.clip(proba, 2**-7, 1 - 2**-7))
    wide = calibration_slope_intercept(true, np.clip(proba.astype(float), 2**-7, 1 - 2**-7))
    assert tuple(chosen) == tuple(wide)


def test_probabilities_however_near_to_sure():
    line = calibration_slope_intercept([0, 1, 0, 1, 1], [5e-324, 0.2, 0.6, 0.7, 1 - 2**-53])
    assert np.isfinite([*line, *line.in_the_large]).all()


def test_observed_over_expected_by_hand():
    expected = Fraction(3) / (Fraction(29, 10))
    assert observed_expected_ratio(TRUE, PROBA) == pytest.approx(float(expected), rel=1e-14)
    got = observed_expected_ratio([0, 1], [0.5, 0.25], sample_weight=[1, 6])
    assert got == 6 / 2


def test_observed_over_expected_without_expectation():
    assert observed_expected_ratio([0, 1], [0.0, 0.0]) == np.inf
    with pytest.warns(UserWarning, match="undefined"):
        assert np.isnan(observed_expected_ratio([0, 0], [0.0, 0.0]))


def test_observed_over_expected_of_merged_parts():
    parts = [MomentTally.from_values([[0, 0.25]]), MomentTally.from_values([[1, 0.5]])]
    assert float(METRICS["observed_expected_ratio"].kernel(MomentTally.combine(parts))) == 4 / 3
    with pytest.raises(ValueError, match="multiclass but should be binary"):
        observed_expected_ratio([0, 1, 2], np.eye(3))
