"""compare_samples: values by hand and by SciPy, laws, coverage in simulation."""

import numpy as np
import pytest
from scipy import stats
from support.compare import undefined_allowed
from support.public import DEPRECATED

from skmetrics_ext import compare_samples, confidence_interval, delong_test, f1_score
from skmetrics_ext.inference.compare_samples import p_value_from_bounds
from skmetrics_ext.tallies import ConfusionTally

proportion_difference_interval = DEPRECATED["proportion_difference_interval"]


def sample(rng, n_rows, gain=1.0):
    true = np.arange(n_rows) % 2
    score = rng.normal(size=n_rows) + gain * true
    return true, 1 / (1 + np.exp(gain / 2 - score))


RNG = np.random.default_rng(4)
A, B = sample(RNG, 240), sample(RNG, 150, 1.3)
HARD = [(true, (proba > 0.5).astype(int)) for true, proba in (A, B)]
METRICS = {
    "accuracy": HARD,
    "error_rate": HARD,
    "f1": HARD,
    "matthews_corrcoef": HARD,
    "positive_likelihood_ratio": HARD,
    "roc_auc": (A, B),
    "average_precision": (A, B),
    "neg_log_loss": (A, B),
    "equal_error_rate": (A, B),
    "ks_statistic": (A, B),
}


def asked(metric, both, **options):
    if metric == "ks_statistic" and options.get("method", "auto") == "auto":
        options["method"] = "bca"  # which has no interval unless it is asked for
    return compare_samples(metric, *both[0], *both[1], n_resamples=400, random_state=0, **options)


BOUNDS = ("value", "low", "high")

# --------------------------------------------------------------------------- values by hand


def test_shares_of_rows_are_newcombes_interval():
    counts = [(true == pred).sum() for true, pred in HARD]
    expected = proportion_difference_interval(counts[0], 240, counts[1], 150)
    found = asked("accuracy", HARD)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.difference == pytest.approx(counts[0] / 240 - counts[1] / 150)
    recall = asked("recall", HARD, method="wilson")
    hits = [(true * pred).sum() for true, pred in HARD]
    expected = proportion_difference_interval(hits[0], 120, hits[1], 75)
    assert (recall.low, recall.high) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("metric", METRICS)
def test_bounds_are_those_of_both_samples(metric):
    """The squares of the distances to them, added (Zou & Donner)."""
    options = {"n_resamples": 400, "random_state": 0, "confidence_level": 0.9}
    one, other = (confidence_interval(metric, *each, **options) for each in METRICS[metric])
    is_ratio = metric == "positive_likelihood_ratio"  # compared by logarithms
    method = "log" if is_ratio else "auto"
    found = asked(metric, METRICS[metric], confidence_level=0.9, method=method)
    low = found.difference - np.hypot(one.value - one.low, other.high - other.value)
    high = found.difference + np.hypot(one.high - one.value, other.value - other.low)
    assert (found.low, found.high) == pytest.approx((low, high))
    assert (found.value_a, found.value_b) == (one.value, other.value)
    assert found.standard_error == pytest.approx(np.hypot(one.standard_error, other.standard_error))


def test_ratios_are_compared_by_their_logarithms():
    each = [confidence_interval("positive_likelihood_ratio", *one) for one in HARD]
    found = asked("positive_likelihood_ratio", HARD)
    values, low, high = (np.log([getattr(one, name) for one in each]) for name in BOUNDS)
    assert found.method == "mover, log_ratio"
    assert found.difference == pytest.approx(values[0] - values[1])
    expected = found.difference - np.hypot(values[0] - low[0], high[1] - values[1])
    assert found.low == pytest.approx(expected)
    expected = found.difference + np.hypot(high[0] - values[0], values[1] - low[1])
    assert found.high == pytest.approx(expected)
    errors = [one.standard_error / one.value for one in each]
    assert found.standard_error == pytest.approx(np.hypot(*errors))
    plain = asked("positive_likelihood_ratio", HARD, method="log")
    assert plain.method == "mover, log"
    assert plain.difference == pytest.approx(each[0].value - each[1].value)


@pytest.mark.parametrize(("metric", "method"), [("youden_j", "mover"), ("f1", "mover, wilson")])
def test_the_method_is_named_once(metric, method):
    assert asked(metric, HARD).method == method


@pytest.mark.parametrize(
    ("method", "least"), [("bca", 2 / 401), ("basic", 2 / 401), ("delta", 1e-12)]
)
def test_the_least_p_value_is_that_of_the_draws(method, least):
    true = np.arange(400) % 2
    far = [(true, np.where(np.arange(400) % 10 < few, 1 - true, true)) for few in (1, 8)]
    assert asked("f1", far, method=method).p_value == least


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_means_are_welchs_test(alternative):
    losses = [-np.log(np.where(true == 1, proba, 1 - proba)) for true, proba in (A, B)]
    expected = stats.ttest_ind(*losses, equal_var=False, alternative=alternative)
    found = asked("neg_log_loss", (A, B), method="welch", alternative=alternative)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)
    if alternative == "two-sided":
        bounds = expected.confidence_interval(0.95)
        assert (found.low, found.high) == pytest.approx((bounds.low, bounds.high))


def test_areas_have_delongs_variance():
    test = delong_test(A[0], A[1], B[1], y_true_b=B[0])
    found = asked("roc_auc", (A, B), method="welch")
    assert found.standard_error == pytest.approx(test.pairs[0, 1].standard_error)
    assert found.statistic == pytest.approx(test.statistic)


@pytest.mark.parametrize("metric", [name for name in METRICS if name != "ks_statistic"])
def test_the_p_value_is_the_level_at_which_a_bound_is_reached(metric):
    found = asked(metric, METRICS[metric])
    at = asked(metric, METRICS[metric], confidence_level=1 - found.p_value)
    nearest = at.low if found.difference > 0 else at.high
    width = at.high - at.low
    assert nearest == pytest.approx(0, abs=0.02 * width)  # draws have steps
    less, greater = (
        asked(metric, METRICS[metric], alternative=side).p_value for side in ("less", "greater")
    )
    assert less + greater == pytest.approx(1)
    assert 2 * min(less, greater) == pytest.approx(found.p_value)


def test_welch_needs_a_derivative_in_both_samples():
    """Of labels, nine in ten of the positives found: in other samples fewer, and none then."""
    name, options = "specificity_at_sensitivity_90", {"method": "welch"}
    assert compare_samples(name, *A, *B, **options).p_value < 1
    limits = [np.quantile(proba[true == 1], 0.1) for true, proba in (A, B)]
    jump = [
        (true, (p > limit).astype(int)) for (true, p), limit in zip((A, B), limits, strict=True)
    ]
    for both in ((A, jump[1]), (jump[0], B), jump):
        with pytest.raises(ValueError, match="needs a derivative by the rows"):
            compare_samples(name, *both[0], *both[1], **options)


@pytest.mark.parametrize("least", [1e-12, 0.002])
@pytest.mark.parametrize("sign", [-1, 1])
def test_bounds_at_normal_quantiles_give_the_normal_p_value(least, sign):
    def away(level):
        z = stats.norm.isf((1 - level) / 2)
        return (z, 7 + z) if sign > 0 else (7 + z, z)

    most = stats.norm.isf(least / 2)
    for distance in (1e-3, 0.5, 1.96, 3.0, (1 - 1 / 3000) * most, most - 1e-9):
        found = p_value_from_bounds(away, sign * distance, least)
        tol = 1e-9 if distance < 4 else 0.01  # a level next to 1 is rounded
        assert found == pytest.approx(2 * stats.norm.sf(distance), rel=tol)
    for distance in (1.001 * most, 2 * most):
        assert p_value_from_bounds(away, sign * distance, least) == least
    for distance in (1e-7, 0.0):
        assert p_value_from_bounds(away, sign * distance, least) == 1.0


def test_a_null_value_at_the_bound_of_every_level_is_not_rejected():
    def away(level):
        return 0.5 + 0 * level, 0.25 + 0 * level

    assert p_value_from_bounds(away, 0.5, 1e-6) == 1.0
    assert p_value_from_bounds(away, -0.25, 1e-6) == 1.0
    assert p_value_from_bounds(away, 0.51, 1e-6) == 1e-6


def test_margins_are_differences_that_are_tested():
    wide = asked("f1", HARD, confidence_level=0.9)
    edge = max(-wide.low, wide.high)
    for factor, expected in ((1.001, True), (0.999, False)):
        found = asked("f1", HARD, margin=factor * edge, alternative="equivalent")
        assert found.concluded is expected
    worse = asked("error_rate", HARD, margin=0.2, alternative="non-inferior")
    better = asked("accuracy", HARD, margin=0.2, alternative="non-inferior")
    assert worse.p_value == pytest.approx(better.p_value)


def test_samples_without_an_error_have_a_width():
    true = np.array([0, 1] * 10)
    found = compare_samples("accuracy", true, true, true[:10], true[:10])
    assert found.low < 0 < found.high
    assert found.p_value == 1
    found = compare_samples("roc_auc", true, true, true, 1 - true)
    assert found.low < found.high == found.difference == 1
    assert 0 < found.p_value < 1e-4
    assert np.isnan(compare_samples("roc_auc", true, true, true, true, method="welch").p_value)
    for first, second in ((true, 1 - true), (1 - true, true)):
        found = compare_samples("accuracy", true, first, true, second, method="welch")
        values = [float((pred == true).mean()) for pred in (first, second)]
        assert [found.value_a, found.value_b] == values
        assert found.difference == values[0] - values[1]
        assert np.isnan([found.low, found.high, found.p_value]).all()
        assert found.note == "the difference has no variance to estimate"


def test_welch_where_one_sample_has_no_variance():
    true, proba = B
    losses = -np.log(np.where(true == 1, proba, 1 - proba))
    same = [0, 1, 1], [0.375, 0.625, 0.625]
    expected = stats.ttest_1samp(losses, -np.log(0.625))
    found = compare_samples("log_loss", true, proba, *same, method="welch")
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)
    back = compare_samples("log_loss", *same, true, proba, method="welch")
    assert back.statistic == pytest.approx(-expected.statistic)


# --------------------------------------------------------------------------- laws


@pytest.mark.parametrize("method", ["auto", "welch"])
@pytest.mark.parametrize("metric", METRICS)
def test_mirror_and_order(metric, method):
    both = METRICS[metric]
    if method == "welch" and metric == "ks_statistic":
        with pytest.raises(ValueError, match="derivative"):
            asked(metric, both, method=method)
        return
    there, back = asked(metric, both, method=method), asked(metric, both[::-1], method=method)
    assert back.p_value == pytest.approx(there.p_value)
    assert (back.low, back.difference, back.high) == pytest.approx(
        (-there.high, -there.difference, -there.low)
    )
    if there.method.endswith(("bca", "expanded")):  # draws are of rows in their order
        return
    order = np.random.default_rng(1).permutation(240)
    again = asked(metric, ([part[order] for part in both[0]], both[1]), method=method)
    assert (again.low, again.high, again.p_value) == pytest.approx(
        (there.low, there.high, there.p_value)
    )


@pytest.mark.parametrize("metric", ["accuracy", "f1", "roc_auc", "average_precision"])
def test_groups_and_weights_are_those_of_each_sample(metric):
    both = METRICS[metric]
    twice = [[np.repeat(part, 2) for part in each] for each in both]
    groups = [np.repeat(np.arange(len(each[0])), 2) for each in both]
    plain = asked(metric, both)
    grouped = asked(metric, twice, groups_a=groups[0], groups_b=groups[1])
    assert (grouped.n_groups, plain.n_groups) == (240 + 150, None)
    naive = asked(metric, twice)
    assert grouped.standard_error == pytest.approx(plain.standard_error, rel=0.02)
    assert naive.standard_error == pytest.approx(plain.standard_error / np.sqrt(2), rel=0.02)
    weights = {
        "sample_weight_a": np.full(len(both[0][0]), 2),
        "sample_weight_b": np.full(len(both[1][0]), 2),
    }
    seen = asked(metric, both, weights_are="frequency", **weights)
    assert (seen.low, seen.high) == pytest.approx((naive.low, naive.high))
    only = asked(metric, (twice[0], both[1]), groups_a=groups[0])
    assert only.low == pytest.approx(plain.low, abs=0.01)


def test_tables_stand_for_rows():
    tallies = [ConfusionTally.from_predictions(*each) for each in HARD]
    found = compare_samples("f1", tallies[0], None, tallies[1], None)
    rows = asked("f1", HARD)
    assert (found.low, found.high, found.p_value) == pytest.approx(
        (rows.low, rows.high, rows.p_value)
    )


def test_samples_of_other_classes_are_noted():
    three = np.array([0, 1, 2] * 10)
    found = compare_samples("f1_macro", three, three, three % 2, three % 2)
    assert "different classes" in found.note
    assert compare_samples("f1_macro", three, three, three, three).note == ""
    one = np.ones(30, dtype=int)
    assert "different classes" not in compare_samples("accuracy", three % 2, one, one, one).note


def test_notes_name_their_sample():
    few = [[part[:n] for part in A] for n in (20, 30)]
    notes = [confidence_interval("roc_auc", *one).note for one in few]
    assert notes[0] != notes[1]
    assert all("smallest class" in note for note in notes)
    assert compare_samples("roc_auc", *few[0], *B).note == f"a: {notes[0]}"
    assert compare_samples("roc_auc", *B, *few[0]).note == f"b: {notes[0]}"
    assert compare_samples("roc_auc", *few[0], *few[0]).note == f"both samples: {notes[0]}"
    assert compare_samples("roc_auc", *few[0], *few[1]).note == f"a: {notes[0]}; b: {notes[1]}"


# --------------------------------------------------------------------------- coverage


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("metric", "method"),
    [("accuracy", "auto"), ("f1", "auto"), ("roc_auc", "auto"), ("f1", "welch")],
)
def test_level_and_coverage(metric, method):
    """Two samples of one population, small and large: as often rejected as the level says."""
    rng, rejected = np.random.default_rng(8), 0
    for _ in range(300):
        both = sample(rng, 60), sample(rng, 140)
        if metric != "roc_auc":
            both = [(true, (proba > 0.5).astype(int)) for true, proba in both]
        found = compare_samples(metric, *both[0], *both[1], method=method)
        assert (found.p_value <= 0.05) == (not found.low < 0 < found.high)
        rejected += found.p_value <= 0.05
    assert 3 <= rejected <= 300 * 0.05 + 2.6 * np.sqrt(300 * 0.05 * 0.95)


# --------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("metric", "data", "options", "message"),
    [
        ("accuracy", (HARD[0], (HARD[1][0], HARD[1][1][1:])), {}, "sample b: "),
        ("accuracy", (([0], [0, 1]), HARD[1]), {}, "sample a: "),
        (f1_score, HARD, {"average": None}, "one number"),
        ("roc_auc", (A, B), {"method": "wilson"}, r"does not apply to roc_auc.* 'welch'\]"),
        ("ks_statistic", (A, B), {"method": "wilson"}, r"do are \['auto', [^w]*\]\.$"),
        ("accuracy", HARD, {"alternative": "equivalent"}, "needs margin="),
        ("accuracy", HARD, {"groups_a": [0, 1]}, "sample a: "),
        ("accuracy", HARD, {"confidence_level": 95}, "confidence_level"),
    ],
)
def test_refused(metric, data, options, message):
    with pytest.raises(ValueError, match=message):
        asked(metric, data, **options)


@pytest.mark.parametrize(
    "metric",
    ["ks_statistic", "h_measure", "roc_auc_convex_hull", "expected_calibration_error"],
)
def test_metrics_that_noise_makes_larger_have_no_default_interval(metric):
    """Of 60 rows they are larger than of 240, whether or not the models differ."""
    found = compare_samples(metric, *A, *B, n_resamples=50, random_state=0)
    each = [confidence_interval(metric, *one, n_resamples=50).value for one in (A, B)]
    assert [found.value_a, found.value_b] == each
    assert found.difference == pytest.approx(each[0] - each[1])
    assert np.isnan([found.low, found.high, found.p_value]).all()
    assert found.note.startswith("no interval")
    assert found.concluded is None
    drawn = compare_samples(metric, *A, *B, method="bca", n_resamples=50, random_state=0)
    assert drawn.low < drawn.high


def test_a_sample_that_is_undefined_has_no_difference_by_any_method():
    true = np.repeat([0, 1], 20)
    pred = np.where(np.arange(40) % 5 == 0, 1 - true, true)
    for method in ("welch", "auto"):
        with undefined_allowed():
            found = compare_samples("precision", true, 0 * true, true, pred, method=method)
        assert np.isnan([found.value, found.low, found.high]).all()
        assert (found.value_a, found.value_b, found.method) == (0.0, 0.8, "none")
        assert found.note == "a: undefined: nothing is predicted as the class"


def test_ratios_are_asked_again_as_their_logarithms():
    """The distances of the logarithms of both bounds, by Zou & Donner, at every level."""
    true, pred = np.repeat([0, 1], 30), np.arange(60) % 7 < 3
    other = np.where(np.arange(60) % 4 == 0, true, 1 - true)
    samples = "positive_likelihood_ratio", true, 1 - pred, true, other
    for level in (0.95, 0.8):
        found = compare_samples(*samples, confidence_level=level)
        a, b = (
            confidence_interval(samples[0], *rows, confidence_level=level)
            for rows in (samples[1:3], samples[3:])
        )
        (x, low_x, high_x), (y, low_y, high_y) = (
            np.log([one.value, one.low, one.high]) for one in (a, b)
        )
        down, up = np.hypot(x - low_x, high_y - y), np.hypot(high_x - x, y - low_y)
        assert (found.low, found.high) == pytest.approx((x - y - down, x - y + up))
        again = compare_samples(*samples).at(level)
        assert (again.value, again.low, again.high) == pytest.approx(
            (found.value, found.low, found.high), rel=1e-12
        )
        assert again.p_value == pytest.approx(found.p_value)
        assert again.method == found.method == "mover, log_ratio"


def test_the_number_of_draws_is_that_of_the_comparison():
    (true, score), (other_true, other) = A, B
    asked = {"method": "bca", "n_resamples": 199, "random_state": 0}
    found = compare_samples("roc_auc", true, score, other_true, other, **asked)
    assert found.draws == 199
    assert compare_samples("roc_auc", true, score, other_true, other).draws is None
