"""Computing with estimates: laws, pairing of rows, claims, what is refused."""

import copy
import pickle
import warnings
from math import inf, nan

import numpy as np
import pytest
from scipy.stats import norm

import skmetrics_ext as sx
from skmetrics_ext.results import Estimate
from skmetrics_ext.tallies import ConfusionTally

RNG = np.random.default_rng(5)
N = 300
Y = (RNG.random(N) < 0.4).astype(int)
SHIFTS = (1.3, 0.8, 0.4)
SCORES = [1 / (1 + np.exp(-(shift * (2 * Y - 1) + RNG.normal(size=N)))) for shift in SHIFTS]
HALVES = slice(None, N // 2), slice(N // 2, None)
GROUPS = RNG.integers(0, 60, N)
WEIGHT = RNG.integers(1, 4, N) / 2
DESIGNS = {"plain": {}, "groups": {"groups": GROUPS}, "weights": {"sample_weight": WEIGHT}}
METRICS = (
    "f1",
    "accuracy",
    "matthews_corrcoef",
    "roc_auc",
    "average_precision",
    "log_loss",
    "ks_statistic",
)
KINDS = [(metric, design) for metric in METRICS for design in DESIGNS]


def asked(metric, design="plain"):
    """Estimates of three models."""
    labels = metric in ("f1", "accuracy", "matthews_corrcoef", "recall", "precision", "error_rate")
    options = {**DESIGNS[design], "n_resamples": 60, "random_state": 0}
    return [
        sx.confidence_interval(metric, Y, scores >= 0.5 if labels else scores, **options)
        for scores in SCORES
    ]


def same(found, right, rtol=1e-9):
    """Whether two estimates have one value, interval, error, p-value and note."""
    for name in ("value", "low", "high", "standard_error", "p_value"):
        ours, theirs = getattr(found, name, nan), getattr(right, name, nan)
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=1e-12, err_msg=name)
    assert found.note == right.note


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("metric", "design"), KINDS)
def test_laws_of_sums(metric, design):
    a, b, c = asked(metric, design)
    same((a - b) + b, a)
    same(2 * a - a, a)
    same(1 - (1 - a), a)
    same(-(b - a), a - b)
    same(a + 0.0, a)
    same(100 * (a - b) / 100, a - b)
    same((a - b) - (a - c), c - b)
    mean = sx.mean([a, b, c])
    same((a + b + c) / 3, mean)
    same(sum([a, b, c]) / 3, mean)
    same(np.mean([a, b, c]), mean)
    same(np.average([a, b, c], weights=[1, 2, 1]), sx.mean([a, b, c], weights=[1, 2, 1]))
    same(sx.mean([sx.mean([a, b]), c], weights=[2, 1]), mean)
    same(sx.mean([a]), a)


@pytest.mark.parametrize(("metric", "design"), KINDS)
def test_laws_of_ratios(metric, design):
    a, b, _ = asked(metric, design)
    same(np.exp(np.log(a)), a)
    same((a / b) * b, a)
    same(1 / (1 / a), a)
    if metric != "matthews_corrcoef":  # which may be negative
        same(a / b, np.exp(np.log(a) - np.log(b)))


def test_identities_between_metrics():
    a, b, _ = asked("accuracy")
    e, f, _ = asked("error_rate")
    same(1 - a, e)
    same(a - b, -(e - f))
    auc = sx.confidence_interval("roc_auc", Y, SCORES[0])
    same(2 * auc - 1, sx.confidence_interval("gini", Y, SCORES[0]))


def test_an_estimate_less_itself():
    a = asked("f1")[0]
    found = a - a
    assert (found.value, found.low, found.high) == (0, 0, 0)
    assert found.note == "the same estimate on both sides"


def test_the_difference_of_two_metrics_by_hand():
    """Recall less precision: the delta method with the derivatives of both by the four cells."""
    recall, precision = asked("recall")[0], asked("precision")[0]
    found = recall - precision
    pred = SCORES[0] >= 0.5
    tp, fn, fp = (Y & pred).sum(), (Y & ~pred).sum(), ((1 - Y) & pred).sum()
    slope_tp = fn / (tp + fn) ** 2 - fp / (tp + fp) ** 2
    slope_fn, slope_fp = -tp / (tp + fn) ** 2, tp / (tp + fp) ** 2
    variance = tp * slope_tp**2 + fn * slope_fn**2 + fp * slope_fp**2
    assert found.value == pytest.approx(tp / (tp + fn) - tp / (tp + fp))
    assert found.standard_error == pytest.approx(np.sqrt(variance))
    assert found.method == "delta"


def test_the_ratio_of_independent_shares_by_hand():
    """The log ratio of 30 of 50 and 40 of 80: its variance is 1/30 - 1/50 + 1/40 - 1/80."""
    a = sx.confidence_interval("accuracy", [1] * 50, [1] * 30 + [0] * 20, rows="a")
    b = sx.confidence_interval("accuracy", [1] * 80, [1] * 40 + [0] * 40, rows="b")
    found = a / b
    assert found.value == pytest.approx(1.2)
    error = 1.2 * np.sqrt(1 / 30 - 1 / 50 + 1 / 40 - 1 / 80)
    assert found.standard_error == pytest.approx(error, rel=1e-9)


def test_a_difference_of_differences_of_other_rows():
    """Both halves are independent: with t intervals in each, squared distances add up."""
    e, f, g, h = (
        sx.confidence_interval("roc_auc", Y[rows], scores[rows])
        for rows in HALVES
        for scores in SCORES[:2]
    )
    found = (g - h) - (e - f)
    sides = [sx.compare("roc_auc", Y[r], SCORES[0][r], SCORES[1][r]) for r in HALVES]
    assert found.value == pytest.approx(sides[1].value - sides[0].value)
    assert found.standard_error == pytest.approx(np.hypot(*(s.standard_error for s in sides)))
    assert found.high - found.value == pytest.approx(np.hypot(*(s.high - s.value for s in sides)))


def test_a_mean_over_sites_has_the_error_of_independent_rows():
    half = N // 2
    sites = [
        sx.confidence_interval("roc_auc", Y[r], SCORES[0][r])
        for r in (slice(None, half), slice(half, None))
    ]
    found = sx.mean(sites)
    assert found.standard_error == pytest.approx(np.hypot(*(s.standard_error for s in sites)) / 2)
    assert found.n == N


@pytest.mark.parametrize("form", ["ratio", "mean", "two metrics", "product", "mixed"])
def test_errors_are_those_of_the_bootstrap_of_whole_rows(form):
    def of(rows, pred):
        true = Y[rows]
        tp, n_pred = (true & pred[rows]).sum(), pred[rows].sum()
        return 2 * tp / (true.sum() + n_pred), np.mean(true == pred[rows]), tp / true.sum()

    first, second = SCORES[0] >= 0.5, SCORES[1] >= 0.5
    forms = {
        "ratio": lambda f, g: f[0] / g[0],
        "mean": lambda f, g: (f[0] + g[0]) / 2,
        "two metrics": lambda f, g: f[1] - f[2],
        "product": lambda f, g: f[1] * g[2],
        "mixed": lambda f, g: 2 * f[1] + g[2] - 3 * g[0],
    }
    names = "f1", "accuracy", "recall"
    estimates = [
        [sx.confidence_interval(name, Y, pred) for name in names] for pred in (first, second)
    ]
    found = forms[form](*estimates)
    rng = np.random.default_rng(0)
    draws = []
    for _ in range(1500):
        rows = rng.integers(0, N, N)
        draws.append(forms[form](of(rows, first), of(rows, second)))
    assert found.standard_error == pytest.approx(np.std(draws, ddof=1), rel=0.08)


# --------------------------------------------------------------------------- which rows


def interval(y, scores, **options):
    return sx.confidence_interval("roc_auc", y, scores, **options)


def test_containers_of_equal_labels_are_the_same_rows():
    pandas = pytest.importorskip("pandas")
    right = sx.compare("roc_auc", Y, SCORES[0], SCORES[1])
    for labels in (Y.tolist(), pandas.Series(Y), Y.astype(bool), Y.astype(np.int8)):
        found = interval(labels, SCORES[0]) - interval(Y, SCORES[1])
        same(found, right)


def test_other_labels_are_other_rows():
    order = np.argsort(Y, kind="stable")[::-1]
    found = interval(Y, SCORES[0]) - interval(Y[order], SCORES[1][order])
    assert found.method.startswith("mover")


def test_names_decide_which_rows_are_the_same():
    apart = interval(Y, SCORES[0], rows="north") - interval(Y, SCORES[1], rows="south")
    right = sx.compare_samples("roc_auc", Y, SCORES[0], Y, SCORES[1])
    same(apart, right)
    together = interval(Y, SCORES[0], rows="all") - interval(Y, SCORES[1], rows="all")
    same(together, sx.compare("roc_auc", Y, SCORES[0], SCORES[1]))


def test_identities_pair_rows():
    number = np.arange(N)
    right = sx.compare("roc_auc", Y, SCORES[0], SCORES[1])
    same(interval(Y, SCORES[0], rows=number) - interval(Y, SCORES[1], rows=number), right)
    other = interval(Y, SCORES[0], rows=number) - interval(Y, SCORES[1], rows=number + N)
    assert other.method.startswith("mover")


@pytest.mark.parametrize("dtype", ["category", "str"])
def test_text_that_names_rows_is_compared_as_text(dtype):
    pandas = pytest.importorskip("pandas")
    names = [pandas.Series([f"{site}{i}" for i in range(N)], dtype=dtype) for site in "ab"]
    a, other, b = (
        sx.confidence_interval("f1", Y, scores >= 0.5, rows=rows)
        for scores, rows in zip(SCORES, (names[0], names[1], names[0].copy()), strict=True)
    )
    same(a - b, sx.compare("f1", Y, SCORES[0] >= 0.5, SCORES[2] >= 0.5))
    assert (a - other).method.startswith("mover")


def test_rows_that_are_shared_in_part_are_counted_once():
    """The rows of one site and all rows: the error is that of the bootstrap of all rows."""
    number, site = np.arange(N), np.arange(N) < 120
    whole = sx.confidence_interval("accuracy", Y, SCORES[0] >= 0.5, rows=number)
    part = sx.confidence_interval("accuracy", Y[site], SCORES[0][site] >= 0.5, rows=number[site])
    right = (SCORES[0] >= 0.5) == Y
    draws = []
    rng = np.random.default_rng(0)
    for _ in range(2000):
        rows = rng.integers(0, N, N)
        draws.append(right[rows].mean() - right[rows][site[rows]].mean())
    assert (whole - part).standard_error == pytest.approx(np.std(draws, ddof=1), rel=0.08)


def test_published_tables_have_to_be_named():
    a, b = (
        sx.confidence_interval("f1", ConfusionTally.from_table([[60, 10], [5, 40]]))
        for _ in range(2)
    )
    with pytest.raises(ValueError, match="pass rows="):
        a - b


def test_arrays_that_were_changed_are_an_error():
    scores = SCORES[0].copy()
    a, b = interval(Y, scores), interval(Y, SCORES[1])
    scores[:] = scores[::-1]
    with pytest.raises(ValueError, match="have changed since"):
        a - b


# --------------------------------------------------------------------------- questions


@pytest.mark.parametrize("metric", ["accuracy", "f1", "roc_auc", "log_loss", "matthews_corrcoef"])
def test_a_null_value_is_a_bound_at_the_level_of_its_p_value(metric):
    a = asked(metric)[0]
    null = a.value - 1.2 * (a.value - a.low)
    p_value = a.test(null=null).p_value
    at = a.at(1 - p_value)
    assert at.low == pytest.approx(null, rel=1e-6)
    assert a.test(null=null, alternative="greater").p_value == pytest.approx(p_value / 2)
    assert a.test(null=null, alternative="less").p_value == pytest.approx(1 - p_value / 2)


def test_claims_are_those_of_compare():
    a, b, _ = asked("roc_auc")
    for alternative in ("non-inferior", "equivalent", "greater"):
        claim = {"margin": 0.02, "alternative": alternative}
        right = sx.compare("roc_auc", Y, SCORES[0], SCORES[1], **claim)
        found = (a - b).test(**claim)
        same(found, right)
        assert found.concluded == right.concluded


def test_a_margin_of_a_ratio_is_a_ratio():
    a, b, _ = asked("roc_auc")
    found = (b / a).test(margin=0.9, alternative="non-inferior")
    log = np.log(b) - np.log(a)
    z = (log.value - np.log(0.9)) / log.standard_error
    assert found.p_value == pytest.approx(norm.sf(z), rel=0.25)  # t with many degrees of freedom
    assert found.margin == 0.9


def test_a_claim_needs_a_direction():
    difference = asked("roc_auc")[0] - asked("log_loss")[0]
    with pytest.raises(ValueError, match="better="):
        difference.test(margin=0.1, alternative="non-inferior")
    assert difference.test(margin=0.1, alternative="non-inferior", better="higher").p_value < 1


def test_a_plain_value_needs_a_null():
    with pytest.raises(ValueError, match=r"null=0\.5"):
        asked("roc_auc")[0].test()


def test_levels_must_agree():
    a, b, _ = asked("roc_auc")
    with pytest.raises(ValueError, match=r"different confidence levels.*\.at\(0\.95\)"):
        a - b.at(0.9)
    same(a.at(0.9).at(0.95), a)


def test_another_method():
    a, b, _ = asked("roc_auc")
    right = sx.compare("roc_auc", Y, SCORES[0], SCORES[1], method="delta")
    same((a - b).over(method="delta"), right)


def test_functions_map_the_bounds():
    a = asked("roc_auc")[0]
    for found in (a.apply(np.sqrt), np.sqrt(a), a.apply("sqrt")):
        assert (found.low, found.high) == pytest.approx((np.sqrt(a.low), np.sqrt(a.high)))
    odds = a.apply(lambda x: x / (1 - x))
    assert odds.high == pytest.approx(a.high / (1 - a.high))
    assert odds.standard_error == pytest.approx(a.standard_error / (1 - a.value) ** 2, rel=1e-5)
    folded = a.apply(lambda x: x * (1 - x), monotone=False)
    assert folded.value == pytest.approx(a.value * (1 - a.value))
    assert a.apply(lambda x: -x).low == pytest.approx(-a.high)


def test_powers_and_products():
    a, b, _ = asked("f1")
    assert (a**2).low == pytest.approx(a.low**2, rel=1e-9)
    same(a * b, b * a)
    assert (a * b).value == pytest.approx(a.value * b.value)


def test_a_ratio_of_what_may_be_negative_is_of_first_order():
    a, b, _ = asked("matthews_corrcoef")
    found = a / b
    assert found.value == pytest.approx(a.value / b.value)
    assert np.isfinite(found.low)
    assert np.isnan((a / (b - b)).value)


# --------------------------------------------------------------------------- what it is


def test_estimates_stay_objects_in_arrays():
    a, b, _ = asked("f1")
    assert np.array([a, b]).dtype == object
    assert (float(a), *a) == (a.value, a.value, a.low, a.high)
    same(np.float64(2) * a, 2 * a)
    same(np.negative(a), -a)


def test_copies_keep_rows_and_files_do_not():
    a, b, _ = asked("f1")
    for other in (copy.copy(a), copy.deepcopy(a)):
        same(other - b, a - b)
    text = pickle.dumps(a)
    assert len(text) < 5000
    read = pickle.loads(text)
    assert read == a
    with pytest.raises(ValueError, match="no rows to compute with"):
        read - b
    with pytest.raises(ValueError, match="no rows to compute with"):
        Estimate(0.8, 0.7, 0.9, 0.05, "delong", 0.95) - b


@pytest.mark.parametrize("other", ["x", None, inf, nan, [1, 2]])
def test_only_finite_numbers_and_estimates_are_operands(other):
    a = asked("f1")[0]
    with pytest.raises(TypeError):
        a + other


def test_resampled_metrics_are_drawn_together():
    a, b, _ = asked("ks_statistic")
    right = sx.compare("ks_statistic", Y, SCORES[0], SCORES[1], n_resamples=60, random_state=0)
    same(a - b, right)
    mixed = a - sx.confidence_interval("accuracy", Y, SCORES[0] >= 0.5)
    assert mixed.low < mixed.value < mixed.high


def test_a_thousand_estimates_hold_little_memory():
    import tracemalloc

    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 10_000), rng.random(10_000)
    sx.confidence_interval("roc_auc", y, p)
    tracemalloc.start()
    with warnings.catch_warnings():
        kept = [sx.confidence_interval("accuracy", y, p > 0.5) for _ in range(200)]
        kept += [sx.confidence_interval("roc_auc", y, p) for _ in range(20)]
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    # `p > 0.5` is an array of its own in each call, of 10 kB, which is the user's.
    assert held / len(kept) < 25_000


def test_means_take_positive_weights():
    a, b, _ = asked("f1")
    with pytest.raises(ValueError, match="weights must be positive"):
        sx.mean([a, b], weights=[1, 0])
    with pytest.raises(ValueError, match="one or more estimates"):
        sx.mean([])


def test_the_method_of_one_statistic_is_kept():
    a = sx.confidence_interval("roc_auc", Y, SCORES[0], method="delong")
    found = 2 * a - 1
    assert (found.low, found.method) == (pytest.approx(2 * a.low - 1), "delong")


def test_rows_of_weight_0_need_no_partner():
    weight = WEIGHT * (np.arange(N) % 7 > 0)
    number = np.arange(N)
    a, b = (interval(Y, s, sample_weight=weight, rows=number) for s in SCORES[:2])
    same(a - b, sx.compare("roc_auc", Y, SCORES[0], SCORES[1], sample_weight=weight))
    with pytest.raises(ValueError, match="rows must be a name, or have one value for each row"):
        interval(Y, SCORES[0], rows=number[:5])


def test_differences_of_four_samples_have_the_sum_of_their_variances():
    shares = [(40, 50), (30, 60), (35, 70), (20, 80)]
    rows = [(np.ones(n, int), (np.arange(n) < hits).astype(int)) for hits, n in shares]
    first, second = (
        sx.compare_samples("accuracy", y_true_a=a[0], y_pred_a=a[1], y_true_b=b[0], y_pred_b=b[1])
        for a, b in (rows[:2], rows[2:])
    )
    variance = sum(hits / n * (1 - hits / n) / n for hits, n in shares)
    for found, value in ((first - second, 0.3 - 0.25), (first + second, 0.3 + 0.25)):
        assert found.value == pytest.approx(value)
        assert found.standard_error == pytest.approx(variance**0.5)


def test_a_multiple_keeps_the_uneven_distances_of_its_part():
    """Half of a share less another one, by the formula of Zou & Donner."""
    a, b = sx.proportion_interval(30, 40), sx.proportion_interval(12, 50)
    found = 0.5 * a - b
    down = np.hypot((a.value - a.low) / 2, b.high - b.value)
    up = np.hypot((a.high - a.value) / 2, b.value - b.low)
    assert abs(down - up) > 0.04
    assert (found.value - found.low, found.high - found.value) == pytest.approx((down, up))


def test_a_single_trial_can_be_subtracted():
    assert (sx.proportion_interval(1, 1) - sx.proportion_interval(0, 1)).value == 1


def test_a_multiple_is_tested_as_its_part():
    """Gini is twice the area less 1: 0.3 is an area of 0.65."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, 80)
    area = sx.confidence_interval("roc_auc", true, true + rng.normal(size=80))
    expected = area.test(null=0.65).p_value
    assert (2 * area - 1).test(null=0.3).p_value == pytest.approx(expected)
    assert 0.01 < expected < 0.99


def test_a_mean_of_weighted_and_of_other_rows():
    """Rows without weights weigh 1; squares of what rows add, with n / (n - 1) of each part."""
    rng = np.random.default_rng(0)
    true, pred, weight = rng.integers(0, 2, 50), rng.integers(0, 2, 50), rng.integers(1, 4, 30) / 2
    right = (true == pred) * 1.0
    first = sx.confidence_interval("accuracy", true[:30], pred[:30], sample_weight=weight)
    second = sx.confidence_interval("accuracy", true[30:], pred[30:])
    parts = [
        weight * (right[:30] - np.average(right[:30], weights=weight)) / weight.sum(),
        (right[30:] - right[30:].mean()) / 20,
    ]
    variance = sum((part**2).sum() / 4 * len(part) / (len(part) - 1) for part in parts)
    found = sx.mean([first, second])
    assert found.standard_error == pytest.approx(variance**0.5)
    assert found.n_effective == pytest.approx(weight.sum() ** 2 / (weight**2).sum() + 20)


@pytest.mark.parametrize("kind", ["groups", "strata"])
def test_a_mean_keeps_the_groups_and_the_strata_of_its_parts_apart(kind):
    """By the sums of each group, or the rows of each stratum, of 30 rows and of 20 others."""
    rng = np.random.default_rng(0)
    true, pred, mark = (rng.integers(0, n, 50) for n in (2, 2, 4))
    parts, variance = [], 0.0
    for rows in (slice(0, 30), slice(30, 50)):
        asked = {kind: mark[rows]}
        parts.append(sx.confidence_interval("accuracy", true[rows], pred[rows], **asked))
        right = (true[rows] == pred[rows]) - parts[-1].value
        n_rows, n_marks = len(right), len(np.unique(mark[rows]))
        if kind == "groups":
            sums = np.bincount(mark[rows], weights=right) / n_rows
            variance += (sums**2).sum() * n_marks / (n_marks - 1) / 4
        else:
            each = [right[mark[rows] == k] for k in range(4)]
            variance += sum(len(own) * own.var(ddof=1) for own in each) / n_rows**2 / 4
    assert sx.mean(parts).standard_error == pytest.approx(variance**0.5)
