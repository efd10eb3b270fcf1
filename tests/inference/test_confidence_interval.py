"""confidence_interval: which method, what it gives, what it refuses."""

import re
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from support.compare import undefined_allowed
from support.rows import NO_INTERVAL, settings_of
from support.samples import samples

from skmetrics_ext import (
    METRICS,
    accuracy_score,
    confidence_interval,
    equal_error_rate,
    expected_calibration_error,
    expected_cost,
    net_benefit,
    partial_roc_auc_score,
    proportion_interval,
    ratio_interval,
)

from .two_classes import NUMBERS, params_of, rows_for

TWO = [0] * 52 + [1] * 48, [0] * 100


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, 200)
    score = true + rng.normal(size=200)
    return true, (score > 0.5).astype(int), score, 1 / (1 + np.exp(-score))


@pytest.mark.parametrize("name", NUMBERS)
def test_every_metric_has_an_interval_that_holds_it(name, rows):
    spec = METRICS[name]
    options = {"n_resamples": 199, "random_state": 0, **params_of(name)}
    if spec.interval in NO_INTERVAL:
        options["method"] = "delta"
    true, response = rows_for(spec, rows[0], rows[2])
    wide = confidence_interval(spec.function, true, response, **options)
    value = spec.function(true, response, **params_of(name))
    assert wide.value == value
    assert wide.low <= value <= wide.high
    assert spec.bounds[0] <= wide.low
    assert wide.high <= spec.bounds[1]
    if "no width" not in wide.note:
        assert wide.low < wide.high
        assert wide.standard_error > 0
    narrow = confidence_interval(spec.function, true, response, confidence_level=0.8, **options)
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_intervals_hold_the_value_on_any_rows(data):
    name = data.draw(st.sampled_from([n for n in NUMBERS if METRICS[n].response == "labels"]))
    params, kind = data.draw(st.sampled_from(settings_of(name)))
    sample = data.draw(samples("labels", kind, weighted=data.draw(st.booleans())))
    with undefined_allowed():
        found = confidence_interval(
            METRICS[name].function,
            sample.true,
            sample.response,
            sample_weight=sample.weight,
            n_resamples=19,
            random_state=0,
            **params,
        )
    for one in found if isinstance(found, list) else [found]:
        if not np.isnan(one.value):
            assert one.low <= one.value <= one.high or np.isnan(one.low)


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("accuracy", "wilson"),
        ("recall", "wilson"),
        ("f1_macro", "effective_n"),
        ("matthews_corrcoef", "effective_n"),
        ("positive_likelihood_ratio", "log"),
        ("no_information_rate", "wilson"),
        ("roc_auc", "logit"),
        ("gini", "logit"),
        ("average_precision", "logit"),
        ("ks_statistic", "bca"),
        ("neg_log_loss", "hall"),
        ("brier_skill", "log"),
    ],
)
def test_auto_takes_the_method_of_the_kind_of_metric(name, method, rows):
    spec = METRICS.get(name)
    response = {
        "roc_auc": 2,
        "gini": 2,
        "average_precision": 2,
        "ks_statistic": 2,
        "neg_log_loss": 3,
        "brier_skill": 3,
    }
    given_rows = rows[0], rows[response.get(name, 1)]
    metric = name if spec is None else spec.function
    assert confidence_interval(metric, *given_rows, n_resamples=9, random_state=0).method == method


@pytest.mark.parametrize(
    ("name", "count", "nobs"),
    [("accuracy", 5, 7), ("recall", 3, 4), ("precision", 3, 4), ("specificity", 2, 3)],
)
@pytest.mark.parametrize("method", ["wilson", "clopper_pearson", "jeffreys", "agresti_coull"])
def test_shares_have_the_intervals_of_proportions(name, count, nobs, method):
    true, pred = [1, 1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0, 1]
    found = confidence_interval(name, true, pred, method=method)
    expected = proportion_interval(count, nobs, method=method)
    assert found.value == float(Fraction(count, nobs))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_shares_of_0_and_1_have_the_width_of_their_denominator():
    for share, name in ((1, "recall"), (0, "false_negative_rate")):
        metric = METRICS.get(name, name)
        metric = metric if isinstance(metric, str) else metric.function
        found = confidence_interval(metric, [1] * 8 + [0] * 5, [1] * 8 + [0] * 5)
        expected = proportion_interval(8 * share, 8)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_ratios_have_the_intervals_of_the_log_method():
    cells = {"tp": 40, "fp": 30, "fn": 20, "tn": 110}
    true = [1] * 60 + [0] * 140
    pred = [1] * 40 + [0] * 20 + [1] * 30 + [0] * 110
    found = confidence_interval("diagnostic_odds_ratio", true, pred)
    expected = ratio_interval(**cells, ratio="diagnostic_odds_ratio")
    assert found.value == pytest.approx(expected.value)
    # By a t distribution instead of the normal.
    assert np.log(found.high / found.low) == pytest.approx(
        np.log(expected.high / expected.low), rel=0.03
    )


def test_ratios_have_at_least_the_error_after_half_a_row_more_in_each_cell():
    """Six positive rows without a miss show no error (Haldane 1956)."""
    true = np.repeat([1, 0], [6, 94])
    pred = np.repeat([1, 0], [6 + 9, 85])
    found = confidence_interval("positive_likelihood_ratio", true, pred)
    error = np.sqrt(1 / 6.5 - 1 / 7 + 1 / 9.5 - 1 / 95)
    away = stats.t.ppf(0.975, found.freedom) * error
    away = np.array([-away, away])
    assert np.log([found.low, found.high]) == pytest.approx(np.log(94 / 9) + away)
    pred[:3] = 0  # three of six missed: their own error is larger
    found = confidence_interval("positive_likelihood_ratio", true, pred)
    error = np.sqrt(1 / 3 - 1 / 6 + 1 / 9 - 1 / 94)
    away = stats.t.ppf(0.975, found.freedom) * error
    away = np.array([-away, away])
    assert np.log([found.low, found.high]) == pytest.approx(np.log(94 / 18) + away)


def test_perfect_predictions_leave_a_width(rows):
    true, proba = rows[0], rows[0].astype(float)
    for name in NUMBERS:
        spec = METRICS[name]
        if spec.row_values is not None or spec.greater_is_better is None:
            continue
        if spec.interval in NO_INTERVAL:
            continue
        response = true if spec.response == "labels" else np.clip(proba, 0.01, 0.99)
        found = confidence_interval(
            spec.function, true, response, n_resamples=99, random_state=0, **params_of(name)
        )
        assert found.low < found.high, name


def test_weights_of_2_are_no_more_rows_unless_they_are_frequencies(rows):
    true, pred, score, proba = rows
    two = np.full(200, 2)
    for name, response in (
        ("f1", pred),
        ("accuracy", pred),
        ("roc_auc", score),
        ("neg_log_loss", proba),
        ("positive_likelihood_ratio", pred),
    ):
        metric = METRICS[name].function if name in METRICS else name
        once = confidence_interval(metric, true, response)
        twice = confidence_interval(metric, true, response, sample_weight=two)
        seen = confidence_interval(
            metric, true, response, sample_weight=two, weights_are="frequency"
        )
        rows_twice = confidence_interval(metric, np.tile(true, 2), np.tile(response, 2))
        assert (twice.low, twice.high) == pytest.approx((once.low, once.high), rel=1e-3)
        if name == "neg_log_loss":
            continue
        assert (seen.low, seen.high) == pytest.approx((rows_twice.low, rows_twice.high), rel=1e-9)


def test_copies_of_rows_in_one_group_are_no_more_rows(rows):
    true, pred, _, proba = rows
    for name, response in (("f1", pred), ("recall", pred), ("neg_log_loss", proba)):
        alone = confidence_interval(name, true, response, groups=np.arange(200))
        copies = confidence_interval(
            name, np.tile(true, 3), np.tile(response, 3), groups=np.tile(np.arange(200), 3)
        )
        assert (copies.low, copies.high) == pytest.approx((alone.low, alone.high), rel=1e-9)


def test_every_class_has_an_estimate_where_the_metric_has_a_value_for_each():
    true, pred = [0, 0, 1, 1, 2, 2] * 9, [0, 0, 1, 2, 2, 2] * 9
    found = confidence_interval("recall", true, pred, average=None)
    assert [one.value for one in found] == [1.0, 0.5, 1.0]
    for one, count in zip(found, (18, 9, 18), strict=True):
        expected = proportion_interval(count, 18)
        assert (one.low, one.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    drawn = confidence_interval(
        "recall", true, pred, average=None, method="bootstrap", random_state=0, n_resamples=99
    )
    assert [one.value for one in drawn] == [1.0, 0.5, 1.0]


def test_a_function_of_the_users_own():
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 2, 80), rng.integers(0, 2, 80)

    def ours(a, b):
        return float(np.mean(a == b))

    own = confidence_interval(ours, true, pred, random_state=0, n_resamples=4999)
    other = confidence_interval(accuracy_score, true, pred, method="bca", random_state=1)
    assert own.method == "bca"
    assert (own.low, own.high) == pytest.approx((other.low, other.high), abs=0.02)
    weighed = partial(equal_error_rate, method="interpolated")
    found = confidence_interval(weighed, true, rng.random(80), random_state=0, n_resamples=99)
    assert (
        found.value
        != confidence_interval(
            equal_error_rate, true, rng.random(80), random_state=0, n_resamples=99
        ).value
    )


def test_a_metric_without_bounds_has_a_delta_interval():
    true, pred = [0, 0, 1, 1, 1] * 20, [0, 1, 1, 0, 1] * 20
    found = confidence_interval(expected_cost, true, pred, cost_matrix=[[0, 1], [10, 0]])
    costs = np.array([0, 1, 0, 10, 0] * 20)
    assert found.method == "delta"
    assert found.standard_error == pytest.approx(costs.std() / 10)


def test_few_rows_are_told():
    true = [0] * 40 + [1, 1]
    pred = [0] * 39 + [1, 1, 0]
    assert "only 2 rows of class 1" in confidence_interval("f1_macro", true, pred).note
    assert confidence_interval("f1_macro", true * 10, pred * 10).note == ""


def test_draws_in_which_all_is_right_are_told():
    true = np.array([0] * 20 + [1] * 20)
    expected = proportion_interval(20, 20)
    for method, why in (
        ("expanded", "all draws have this value"),
        ("auto", "show no sampling variation"),
    ):
        found = confidence_interval(
            "average_precision", true, true + 0.5, method=method, random_state=0, n_resamples=99
        )
        assert found.value == found.high == 1
        assert why in found.note
        assert found.low == pytest.approx(expected.low)


def test_metrics_that_noise_makes_larger_say_so(rows):
    true, _, score, _ = rows
    for name in ("ks_statistic", "recall_at_precision_90", "h_measure"):
        found = confidence_interval(name, true, score, random_state=0, n_resamples=49)
        assert found.method == "bca"
        assert "too large on average" in found.note
    assert confidence_interval("pr_auc", true, score, random_state=0, n_resamples=49).note == ""


def test_draws_of_few_values_are_told():
    """Of 400 rows 3 are treated: the net benefit has 7 values in reach."""
    true, score = np.array([0, 1] * 200), np.full(400, 0.1)
    score[:3] = 0.9
    options = {"threshold": 0.5, "random_state": 0, "n_resamples": 199}
    few = confidence_interval(net_benefit, true, score, method="expanded", **options)
    assert "distinct values of the draws: this interval" in few.note
    score[:200] = 0.9
    assert confidence_interval(net_benefit, true, score, **options).note == ""


@pytest.mark.parametrize("method", ["auto", "expanded"])
def test_few_rows_in_the_range_of_a_partial_area_are_told(method, rows):
    """100 rows of a class, of which 4 or 30 are in the range."""
    true, score = np.arange(200) % 2, rows[2]
    options = {"random_state": 0, "n_resamples": 99, "method": method}
    for params, n_inside in (
        ({"fpr_range": (0, 0.04)}, 4),
        ({"tpr_range": (0.96, 1)}, 4),
        ({"fpr_range": (0, 0.3)}, None),
    ):
        note = confidence_interval(partial_roc_auc_score, true, score, **params, **options).note
        assert note.startswith(f"only {n_inside} rows of a class in the range") == (
            n_inside is not None
        )
    named = confidence_interval("roc_auc", true, score, max_fpr=0.04, **options)
    assert "4 rows of a class" in named.note


def test_classes_that_may_be_the_largest_are_told():
    assert "any of 2 classes" in confidence_interval("no_information_rate", *TWO).note
    clear = [0] * 90 + [1] * 10
    assert confidence_interval("no_information_rate", clear, clear).note == ""


def test_net_benefit_of_text_labels_in_any_form(rows):
    true, _, _, proba = rows
    text = np.array(["no", "yes"])[true]
    options = {"threshold": 0.3, "random_state": 0, "n_resamples": 49}
    expected = confidence_interval(net_benefit, true, proba, **options)
    columns = np.column_stack([1 - proba, proba])
    for response, named in (
        (proba, {"labels": ["no", "yes"]}),
        (proba, {"pos_label": "yes"}),
        (columns, {"labels": ["no", "yes"]}),
    ):
        assert confidence_interval(net_benefit, text, response, **named, **options) == expected
    with pytest.raises(ValueError, match="pos_label='yes' or pos_label='no'"):
        confidence_interval(net_benefit, text, proba, **options)


@pytest.mark.parametrize(
    ("metric", "params", "message"),
    [
        ("f1", {"method": "delong"}, r"does not apply to f1.*'wilson', .*'delta', 'expanded'"),
        ("f1_macro", {"method": "clopper_pearson"}, "those that do are"),
        ("positive_likelihood_ratio", {"method": "wilson"}, "'log', 'delta'"),
        ("f1", {"confidence_level": 1.0}, "confidence_level"),
        ("f1", {"weights_are": "counts"}, "weights_are"),
        ("f1", {"stratified": "yes"}, "stratified"),
        ("f1", {"n_resamples": 0}, "n_resamples"),
    ],
)
def test_what_does_not_apply_is_refused(metric, params, message, rows):
    with pytest.raises(ValueError, match=message):
        confidence_interval(metric, rows[0], rows[1], **params)


def test_the_largest_class_may_be_another_one():
    """Of two classes of 50 rows the largest share is 1/2 or more, and that must be held."""
    found = confidence_interval("no_information_rate", *TWO)
    assert found.value == 0.52
    assert found.low < 0.5
    assert found.high == pytest.approx(proportion_interval(52, 100).high)
    lower = proportion_interval(52, 100, confidence_level=0.975)
    assert found.low == pytest.approx(lower.low)


@pytest.mark.parametrize("error", [0.0, 0.1])
def test_calibration_errors_have_a_one_sided_bound_that_holds(error):
    rng, held, corrected = np.random.default_rng(0), 0, []
    for seed in range(30):
        proba = rng.integers(1, 8, 300) / 10 + 0.05
        true = (rng.random(300) < proba + error).astype(int)  # the same in every bin
        options = {"n_resamples": 199, "random_state": seed}
        found = confidence_interval(expected_calibration_error, true, proba, **options)
        held += found.low == 0 and found.high >= error
        assert found.method == "upper"
        told = re.fullmatch(
            r"one-sided; corrected for bias (\S+); significance.spiegelhalter_.*", found.note
        )
        corrected.append((found.value, float(told[1])))
        lower = confidence_interval(
            expected_calibration_error, true, proba, confidence_level=0.5, **options
        )
        assert lower.high < found.high
    assert held >= 28
    value, less = np.mean(corrected, axis=0)
    assert less < value  # which has no bias where all bins err to one side
    assert error > 0 or less < 0.75 * value
    two_sided = confidence_interval(
        expected_calibration_error, true, proba, method="bca", n_resamples=99, random_state=0
    )
    assert "method='upper'" in two_sided.note


@pytest.mark.parametrize("method", ["wilson", "clopper_pearson", "jeffreys", "mid_p"])
def test_f1_and_jaccard_are_shares_of_the_rows_of_their_class(method):
    true, pred = np.repeat([1, 1, 0, 0], [17, 5, 3, 40]), np.repeat([1, 0, 1, 0], [17, 5, 3, 40])
    share = proportion_interval(17, 25, method=method)
    jaccard = confidence_interval("jaccard", true, pred, method=method)
    assert (jaccard.low, jaccard.high) == pytest.approx((share.low, share.high))
    f1 = confidence_interval("f1", true, pred, method=method)
    expected = [2 * bound / (1 + bound) for bound in (share.value, share.low, share.high)]
    assert (f1.value, f1.low, f1.high) == pytest.approx(expected)
    other = confidence_interval("f2", true, pred)  # of other weights, which are no share
    assert other.low != pytest.approx(confidence_interval("f1", true, pred).low, rel=1e-3)


def test_f1_without_an_error_and_of_groups():
    true = np.repeat([0, 1], [30, 12])
    found = confidence_interval("f1", true, true)
    low = proportion_interval(12, 12).low
    assert (found.low, found.high) == pytest.approx((2 * low / (1 + low), 1))
    pred = np.where(np.arange(42) % 5 == 0, 1 - true, true)
    alone = confidence_interval("f1", true, pred)
    grouped = confidence_interval("f1", true, pred, groups=np.arange(42) // 6)
    assert grouped.high - grouped.low > alone.high - alone.low
