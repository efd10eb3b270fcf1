"""Sample sizes from an assumed value, next to epiR, pROC, pmvalsampsize and hand calculation."""

from math import asinh, ceil, exp, sqrt

import numpy as np
import pytest
from scipy import integrate, stats
from support.public import DEPRECATED

from skmetrics_ext import calibration_slope_intercept, proportion_interval, sample_size

roc_auc_power = DEPRECATED["roc_auc_power"]

Z, Z_ONE, Z_POWER = stats.norm.ppf([0.975, 0.95, 0.8])


@pytest.mark.parametrize(
    ("metric", "value", "options", "rows"),
    [
        # epi.ssdxsesp(test, type, Py = 0.2, epsilon = 0.05, error = "absolute")
        ("recall", 0.9, {"prevalence": 0.2}, 691.4625877),
        ("specificity", 0.9, {"prevalence": 0.2}, 172.8656469),
        # epi.sssimpleestb(N = NA, Py = 0.8, epsilon = 0.05, error = "absolute")
        ("accuracy", 0.8, {}, 245.8533645),
        ("error_rate", 0.2, {}, 245.8533645),
        ("false_negative_rate", 0.1, {"prevalence": 0.2}, 691.4625877),
        ("false_positive_rate", 0.1, {"prevalence": 0.2}, 172.8656469),
    ],
)
def test_walds_width_of_shares_as_in_epir(metric, value, options, rows):
    found = sample_size(metric, value=value, width=0.1, method="wald", **options)
    assert found.n == ceil(rows)
    assert found.assumed
    assert found.standard_error == pytest.approx(0.05 / Z, rel=0.01)


@pytest.mark.parametrize("value", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("n_rows", [25, 96, 384, 10_000])
def test_rounding_adds_no_row_to_those_that_are_enough(value, n_rows):
    width = 2 * Z * np.sqrt(value * (1 - value) / n_rows)
    assert sample_size("accuracy", value=value, width=width, method="wald").n == n_rows
    slightly = sample_size("accuracy", value=value, width=width * (1 - 1e-6), method="wald")
    assert slightly.n == n_rows + 1


@pytest.mark.parametrize("method", ["wilson", "clopper_pearson", "jeffreys", "mid_p"])
def test_the_interval_has_the_width_from_these_rows_on(method):
    n = sample_size("accuracy", value=0.9, width=0.1, method=method).n
    found = proportion_interval(0.9 * n, n, method=method)
    assert found.high - found.low <= 0.1
    fewer = proportion_interval(0.9 * (n - 1), n - 1, method=method)
    assert fewer.high - fewer.low > 0.1


def test_areas_as_in_riley_and_by_hand():
    # pmvalsampsize(type = "b", prevalence = 0.018, cstatistic = 0.8): 4252 rows for a width of 0.1.
    found = sample_size("roc_auc", value=0.8, prevalence=0.018, width=0.1)
    assert (found.n, round(found.standard_error, 4)) == (4252, 0.0255)
    # Hanley & McNeil, by hand: 100 rows of each class.
    q_pos, q_neg = 0.8 / 1.2, 2 * 0.64 / 1.8
    variance = (0.16 + 99 * (q_pos - 0.64) + 99 * (q_neg - 0.64)) / 100**2
    width = 2 * Z * variance**0.5
    options = {"value": 0.8, "prevalence": 0.5, "method": "hanley_mcneil"}
    assert sample_size("roc_auc", width=width * (1 + 1e-9), **options).n == 200
    # Gini is twice as wide.
    options["value"] = 0.6
    assert sample_size("gini", width=2 * width * (1 + 1e-9), **options).n == 200


def test_newcombes_variance_is_hanley_and_mcneils_of_equal_classes():
    for n_rows in (5, 50):
        powers = [
            roc_auc_power(0.7, n_rows, n_rows, method=method)
            for method in ("newcombe", "hanley_mcneil")
        ]
        assert powers[0] == pytest.approx(powers[1], rel=1e-12)


def test_ratio_of_observed_to_expected_by_hand():
    # exp(z s) - exp(-z s) = 1 at z s = asinh(1/2), with s^2 = (1 - 0.018) / (0.018 n).
    rows = 0.982 / 0.018 * (Z / asinh(0.5)) ** 2
    assert sample_size("observed_expected_ratio", prevalence=0.018, width=1).n == ceil(rows)


def test_area_of_normal_scores_by_obuchowskis_formula():
    # a = sqrt(2) * 0.8416 = 1.1902 of an area of 0.8: V = 0.0099 exp(-a^2 / 2) times
    # (5 a^2 + 8) / 100 + (a^2 + 8) / 300 = 0.0099 * 0.49246 * 0.18222.
    square = 2 * stats.norm.ppf(0.8) ** 2
    sums = (5 * square + 8) / 100 + (square + 8) / 300
    width = 2 * Z * np.sqrt(0.0099 * exp(-square / 2) * sums)
    assert width == pytest.approx(2 * Z * np.sqrt(0.0099 * 0.49246 * 0.18222), rel=1e-4)
    options = {"value": 0.8, "prevalence": 0.25, "method": "obuchowski"}
    assert sample_size("roc_auc", width=width * (1 + 1e-9), **options).n == 400


def test_an_average_of_one_class_is_that_class():
    options = {"value": 0.8, "prevalence": 0.1, "width": 0.1}
    expected = sample_size("recall", **options).n
    assert sample_size("recall", average="binary", **options).n == expected
    for average in ("macro", None):
        with pytest.raises(ValueError, match="recall has no known error"):
            sample_size("recall", average=average, **options)


def test_calibration_slope_from_the_information_of_normal_logits():
    def mean_of(power):
        def product(x):
            return x**power * exp(x) / (1 + exp(x)) ** 2 * stats.norm.pdf(x, -1, 1.5)

        return integrate.quad(product, -12, 10)[0]

    first, second, third = map(mean_of, range(3))
    rows = first / (first * third - second**2) / (0.2 / (2 * Z)) ** 2
    logits = stats.norm.ppf((np.arange(100_000) + 0.5) / 100_000, -1, 1.5)
    found = sample_size(calibration_slope_intercept, logits=logits, width=0.2)
    assert found.n == pytest.approx(rows, rel=1e-3)


def test_margins_of_two_samples_as_in_epir():
    # epi.ssninfb(treat = 0.85, control = 0.65, delta = 0.10, power = 0.8, alpha = 0.05): 24.4 each.
    options = {"value": 0.85, "difference": 0.2, "samples": 2, "confidence_level": 0.9}
    found = sample_size("accuracy", margin=0.1, alternative="non-inferior", **options)
    assert found.n == ceil(24.38675353)
    # Equal models within a margin: both one-sided tests, each at 5 %.
    found = sample_size("accuracy", value=0.8, margin=0.1, alternative="equivalent", samples=2)
    rows = 2 * 0.16 * ((Z_ONE + stats.norm.ppf(0.9)) / 0.1) ** 2
    assert found.n == ceil(rows)


def test_tests_of_one_sample_by_hand():
    rows = 0.09 * ((Z + Z_POWER) / 0.05) ** 2
    assert sample_size("accuracy", value=0.9, difference=0.05).n == ceil(rows)
    margin = {"margin": 0.05, "alternative": "non-inferior"}
    assert sample_size("accuracy", value=0.9, **margin).n == ceil(rows)
    better = sample_size("accuracy", value=0.9, difference=0.05, **margin).n
    assert better == ceil(rows / 4)
    half = 0.09 * ((Z_ONE + Z_POWER) / 0.05) ** 2
    for side in ("less", "greater"):
        options = {"difference": 0.05, "alternative": side, "confidence_level": 0.9}
        assert sample_size("accuracy", value=0.9, **options).n == ceil(half)
    above = {"margin": 0.02, "alternative": "greater", "difference": 0.05}
    rows = 0.09 * ((Z + Z_POWER) / 0.03) ** 2
    assert sample_size("accuracy", value=0.9, **above).n == ceil(rows)


def test_pilots_take_margins_and_two_samples():
    y_true, y_pred = [0, 1] * 40, [0, 1] * 30 + [0, 0] * 5 + [1, 1] * 5
    once = sample_size("accuracy", y_true, y_pred, difference=0.05)
    margin = sample_size("accuracy", y_true, y_pred, margin=0.05, alternative="non-inferior")
    twice = sample_size("accuracy", y_true, y_pred, difference=0.05, samples=2)
    assert (margin.n, twice.n) == (once.n, pytest.approx(2 * once.n, abs=1))


def test_power_in_simulated_samples():
    n = sample_size("accuracy", value=0.9, difference=0.1, samples=2).n
    rng = np.random.default_rng(0)
    first, second = rng.binomial(n, 0.9, 20_000) / n, rng.binomial(n, 0.8, 20_000) / n
    error = np.sqrt((first * (1 - first) + second * (1 - second)) / n)
    assert np.mean((first - second) / error > Z) == pytest.approx(0.8, abs=0.02)


def test_width_of_a_ratio_is_that_on_the_log_scale():
    found = sample_size("observed_expected_ratio", value=1.2, prevalence=0.1, width=0.4)
    error = found.standard_error / 1.2
    assert 1.2 * (exp(Z * error) - exp(-Z * error)) == pytest.approx(0.4, rel=0.01)


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("precision", {"value": 0.9, "width": 0.1}, "precision has no known error: pass y_true"),
        ("recall", {"value": 0.9, "width": 0.1}, "prevalence is missing: recall depends"),
        ("recall", {"value": 0.9, "width": 0.1, "prevalence": 2}, r"in \(0, 1\), got 2"),
        ("accuracy", {"width": 0.1}, "value is missing"),
        ("accuracy", {"value": 1.9, "width": 0.1}, r"value has to be in \(0, 1\), got 1.9"),
        ("accuracy", {"value": 0.9, "width": 0.1, "method": "delong"}, "method has to be one of"),
        ("accuracy", {"value": 0.9, "width": 0.1, "samples": 3}, "samples has to be one of"),
        ("accuracy", {"value": 0.9}, "one of width and difference"),
        ("accuracy", {"value": 0.9, "difference": -0.2, "margin": 0.1,
                      "alternative": "non-inferior"}, "no number of rows shows 'non-inferior'"),
        ("accuracy", {"value": 0.2, "difference": 0.3, "samples": 2}, "leaves no value"),
        (calibration_slope_intercept, {"width": 0.1}, "logits is missing"),
        (calibration_slope_intercept, {"width": 0.1, "logits": [1, 1]}, "not all equal"),
    ],
)  # fmt: skip
def test_refused(metric, options, message):
    with pytest.raises(ValueError, match=message):
        sample_size(metric, **options)


def test_what_is_assumed_is_not_for_a_pilot():
    rows = [0, 1] * 10
    with pytest.raises(ValueError, match="value is for planning without y_true"):
        sample_size("accuracy", rows, rows, value=0.9, width=0.1)
    with pytest.raises(ValueError, match="a pilot needs both y_true and y_pred"):
        sample_size("accuracy", rows, width=0.1)


# --------------------------------------------------------------------------- tests of a value


def test_rows_to_reject_a_value_are_those_of_the_textbook():
    """(z sqrt(p0 q0) + z_power sqrt(p q))^2 / (p - p0)^2, of a share (Chow, Shao & Wang 2008)."""
    root = 1.959964 * sqrt(0.7 * 0.3) + 1.281552 * sqrt(0.8 * 0.2)
    found = sample_size("accuracy", value=0.8, null=0.7, power=0.9)
    assert found.n == ceil((root / 0.1) ** 2) == 200


def test_power_and_rows_of_an_area_are_those_of_proc():
    """power.roc.test(auc = 0.8, ncases = 30, ncontrols = 60) and (auc = 0.75, power = 0.9)."""
    area = {"null": 0.5, "method": "obuchowski"}
    known = sample_size("roc_auc", value=0.8, prevalence=1 / 3, n=90, **area)
    assert known.power == pytest.approx(0.99908, abs=5e-6)
    assert str(known).endswith("power 0.999)")
    both = sample_size("roc_auc", value=0.75, prevalence=0.5, power=0.9, **area)
    assert both.n == ceil(2 * 25.023)
    one_sided = sample_size(
        "roc_auc", value=0.7, prevalence=1 / 3, n=90, alternative="greater",
        confidence_level=0.9, **area,
    )  # fmt: skip
    assert one_sided.power == pytest.approx(0.94206, abs=5e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"null": 0.5, "difference": 0.1}, "one of width and difference, or null"),
        ({"null": 0.8}, "null has to be in .* and differ from value=0.8"),
        ({"null": 1.5}, "null has to be in"),
        ({"null": 0.5, "samples": 2}, "null is for one sample"),
        ({"width": 0.1, "n": 40}, "n for a test"),
        ({"null": 0.5, "n": 0}, "n has to be|n must be"),
    ],
)
def test_a_test_of_a_value_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        sample_size("roc_auc", value=0.8, prevalence=0.5, **options)
    with pytest.raises(ValueError, match="null is for planning without"):
        sample_size("accuracy", [0, 1], [0, 1], null=0.5)
