"""compare: which method is chosen, what each gives, and what is refused."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.optimize import brentq

import skmetrics_ext
from skmetrics_ext import compare, delong_test, f1_score, mcnemar_test, roc_auc_score

RNG = np.random.default_rng(9)
N = 240
Y = RNG.choice(3, N, p=[0.2, 0.3, 0.5])
A = np.where(RNG.random(N) < 0.75, Y, RNG.integers(0, 3, N))
B = np.where(RNG.random(N) < 0.65, Y, RNG.integers(0, 3, N))
MARK = (Y == 2).astype(int)
S = np.round(RNG.normal(size=N) + MARK, 1)
T = np.round(RNG.normal(size=N) + 0.8 * MARK, 1)
P, Q = (1 / (1 + np.exp(-s)) for s in (S, T))
W = RNG.integers(1, 5, N)


# --------------------------------------------------------------------------- the choice


@pytest.mark.parametrize(
    ("metric", "data", "options", "method"),
    [
        ("accuracy", (Y, A, B), {}, "mcnemar, mid_p"),
        ("neg_zero_one_loss", (Y, A, B), {}, "mcnemar, mid_p"),
        ("accuracy", (Y, A, B), {"groups": np.arange(N) // 2}, "delta"),
        ("accuracy", (Y, A, B), {"sample_weight": W}, "delta"),
        ("f1_macro", (Y, A, B), {}, "delta"),
        ("roc_auc", (MARK, S, T), {}, "delong, Welch-Satterthwaite"),
        ("gini", (MARK, S, T), {"groups": np.arange(N) // 2}, "delong, Welch-Satterthwaite"),
        ("neg_log_loss", (MARK, P, Q), {}, "delta, paired t"),
        ("neg_brier_score", (MARK, P, Q), {}, "delta, paired t"),
        ("average_precision", (MARK, S, T), {}, "delta"),
        (partial(roc_auc_score, max_fpr=0.2), (MARK, S, T), {}, "delta"),
        (lambda t, p: float(np.mean(np.equal(t, p))), (Y, A, B), {}, "bootstrap"),
    ],
)
def test_auto_takes_the_first_that_applies(metric, data, options, method):
    found = compare(metric, *data, n_resamples=60, random_state=0, **options)
    assert found.method == method
    assert found.low < found.difference < found.high
    assert 0 < found.p_value < 1
    assert found.difference == pytest.approx(found.value_a - found.value_b)
    same = compare(metric, data[0], data[1], data[1], n_resamples=60, random_state=0, **options)
    assert (same.difference, same.p_value) == (0.0, 1.0)
    assert same.low <= 0 <= same.high


@pytest.mark.parametrize(
    ("metric", "data", "method", "others"),
    [
        ("f1_macro", (Y, A, B), "delong", "'delta', 'bootstrap', 'permutation'"),
        ("f1_macro", (Y, A, B), "mcnemar", "'delta', 'bootstrap', 'permutation'"),
        ("accuracy", (Y, A, B), "delong", "'mcnemar', 'delta', 'bootstrap', 'permutation'"),
        ("ks_statistic", (MARK, S, T), "delta", r"\['bootstrap', 'permutation'\]"),
        ("roc_auc", (MARK, S, T), "mcnemar", "'delong', 'delta', 'bootstrap', 'permutation'"),
    ],
)
def test_a_method_that_does_not_apply_is_refused(metric, data, method, others):
    with pytest.raises(ValueError, match=f"method='{method}' does not apply.*{others}"):
        compare(metric, *data, method=method)


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("f1_macro", {"method": "ttest"}, "method has to be one of"),
        ("f1_macro", {"alternative": "more"}, "alternative has to be one of"),
        ("f1_macro", {"confidence_level": 1.0}, "confidence_level"),
        ("f1_macro", {"n_resamples": 0}, "n_resamples"),
        ("f1_macro", {"weights_are": "counts"}, "weights_are"),
        ("f1_nacro", {}, "f1_macro"),
        (f1_score, {"average": None}, "one number"),
        (f1_score, {"averages": "macro"}, "averages"),
        (lambda t, p: 0.0, {"sample_weight": W}, "sample_weight"),
    ],
)
def test_refused(metric, options, message):
    with pytest.raises(ValueError, match=message):
        compare(metric, Y, A, B, **options)


@pytest.mark.parametrize("metric", ["f1_macro", "accuracy"])
def test_the_model_at_fault_is_named(metric):
    with pytest.raises(ValueError, match="pred_b"):
        compare(metric, Y, A, B[:-1])
    with pytest.raises(ValueError, match="pred_a"):
        compare(metric, Y, A[:-1], B)
    with pytest.raises(ValueError, match="pred_b"):
        compare("roc_auc", MARK, S, T[:-1])


# --------------------------------------------------------------------------- each method


def test_areas_are_delong_test():
    options = {"method": "delong", "confidence_level": 0.9}
    found = compare("roc_auc", MARK, S, T, alternative="greater", **options)
    test = delong_test(MARK, S, T, alternative="greater", confidence_level=0.9)
    assert found == test.pairs[0, 1]
    gini = compare("gini", MARK, S, T, **options)
    assert (gini.low, gini.high) == pytest.approx((2 * found.low, 2 * found.high))
    assert gini.value_b == pytest.approx(skmetrics_ext.gini_score(MARK, T))
    assert gini.standard_error == pytest.approx(2 * found.standard_error)
    proba = [np.column_stack([1 - P, P]), np.column_stack([1 - Q, Q])]
    assert compare("roc_auc", MARK, *proba).p_value == pytest.approx(
        compare("roc_auc", MARK, P, Q).p_value
    )


def test_areas_have_the_quantile_of_the_freedom_of_both_classes():
    """By hand: placements of the rows of each class among those of the other."""
    true = np.repeat([0, 1], [9, 4])
    first = np.array([1, 2, 3, 4, 5, 6, 7, 8, 11, 4.5, 9, 10, 12])
    second = np.array([3, 1, 9, 2, 5, 8, 4, 7, 6, 2.5, 11, 7.5, 10])
    squares, freedom = 0.0, 0.0
    for own, rest in ((true == 1, true == 0), (true == 0, true == 1)):
        apart = [
            (score[own][:, None] > score[rest]).mean(axis=1)
            if own[-1]
            else (score[own][:, None] < score[rest]).mean(axis=1)
            for score in (first, second)
        ]
        n = own.sum()
        variance = np.var(apart[0] - apart[1], ddof=1) / n
        squares, freedom = squares + variance, freedom + variance**2 / (n - 1)
    found = compare("roc_auc", true, first, second)
    away = stats.t.ppf(0.975, squares**2 / freedom) * squares**0.5
    assert found.method == "delong, Welch-Satterthwaite"
    assert found.standard_error == pytest.approx(squares**0.5)
    assert found.high - found.difference == pytest.approx(away)
    t = found.difference / squares**0.5
    assert found.p_value == pytest.approx(2 * stats.t.sf(t, squares**2 / freedom))


def test_hits_are_mcnemar_test():
    test = mcnemar_test(Y, A, B)
    assert repr(compare("accuracy", Y, A, B)) == repr(test)
    error = compare("neg_error_rate", Y, A, B)
    assert (error.difference, error.low, error.high) == (-test.difference, -test.high, -test.low)
    assert error.value_a == pytest.approx(skmetrics_ext.error_rate(Y, A))
    assert error.p_value == test.p_value


def test_sides_of_mcnemar():
    sides = ("two-sided", "less", "greater")
    two, less, greater = (compare("accuracy", Y, A, B, alternative=s).p_value for s in sides)
    assert less + greater == pytest.approx(1)
    assert two == pytest.approx(2 * min(less, greater))
    errors = [compare("neg_error_rate", Y, A, B, alternative=s).p_value for s in sides]
    assert errors == pytest.approx([two, greater, less])
    assert compare("accuracy", Y, A, A, alternative="less").p_value == 0.5


def test_losses_of_rows_are_the_paired_t_test():
    losses = [-np.where(MARK == 1, np.log(p), np.log(1 - p)) for p in (P, Q)]
    expected = stats.ttest_rel(*losses)
    found = compare("neg_log_loss", MARK, P, Q)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(expected.confidence_interval()))
    groups = np.arange(N) // 3
    means = [np.array([loss[groups == g].sum() for g in range(80)]) / 3 for loss in losses]
    clustered = compare("neg_log_loss", MARK, P, Q, groups=groups)
    assert clustered.p_value == pytest.approx(stats.ttest_rel(*means).pvalue)


@pytest.mark.parametrize("metric", ["f1_macro", "cohen_kappa", "recall_weighted"])
@pytest.mark.parametrize("weight", [None, W], ids=["equal", "uneven"])
def test_delta_has_the_variance_of_derivatives(metric, weight):
    mass = np.ones(N) if weight is None else weight.astype(float)
    named = skmetrics_ext.registry.find(metric)
    of_rows = partial(named.function, **named.params)
    slopes = []
    for i in range(N):
        move = np.where(np.arange(N) == i, 1e-5, 0.0)
        ends = [
            of_rows(Y, A, sample_weight=mass * (1 + s * move))
            - of_rows(Y, B, sample_weight=mass * (1 + s * move))
            for s in (1, -1)
        ]
        slopes.append((ends[0] - ends[1]) / 2e-5)
    found = compare(metric, Y, A, B, sample_weight=weight)
    expected = np.square(slopes).sum()  # of tables, as single intervals have it
    assert found.standard_error**2 == pytest.approx(expected, rel=1e-6)
    scale = found.standard_error * stats.norm.ppf(0.975)
    assert 1 < (found.high - found.difference) / scale < 1.03


def test_delta_of_skill_scores_follows_the_reference_too():
    skill = skmetrics_ext.brier_skill_score
    slopes = []
    for i in range(N):
        move = np.where(np.arange(N) == i, 1e-5, 0.0)
        up, down = (
            skill(MARK, P, sample_weight=1 + s * move) - skill(MARK, Q, sample_weight=1 + s * move)
            for s in (1, -1)
        )
        slopes.append((up - down) / 2e-5)
    found = compare(skill, MARK, P, Q)
    assert found.standard_error**2 == pytest.approx(np.square(slopes).sum() * N / (N - 1), rel=1e-6)


@pytest.mark.parametrize("metric", ["f1_macro", "average_precision", "neg_log_loss"])
def test_methods_come_near_to_each_other(metric):
    data = {"f1_macro": (Y, A, B), "average_precision": (MARK, S, T)}.get(metric, (MARK, P, Q))
    drawn = compare(metric, *data, method="bootstrap", n_resamples=2000, random_state=0)
    exchanged = compare(metric, *data, method="permutation", n_resamples=2000, random_state=0)
    assert abs(drawn.p_value - exchanged.p_value) < 0.06
    auto = compare(metric, *data, n_resamples=2000, random_state=0)
    assert auto.low == pytest.approx(drawn.low, abs=0.25 * drawn.standard_error)
    assert auto.high == pytest.approx(drawn.high, abs=0.25 * drawn.standard_error)


def test_bootstrap_draws_the_same_rows_for_both():
    """The mean of a constant gap has no spread, however large that of each model is."""
    found = compare(lambda t, p: float(np.mean(p)), Y, S, S + 3, method="bootstrap", n_resamples=50)
    assert (found.low, found.high) == pytest.approx((-3, -3))


def test_bootstrap_of_own_function_equals_that_of_ours():
    def macro(y_true, y_pred):
        return f1_score(y_true, y_pred, average="macro")

    options = {"method": "bootstrap", "n_resamples": 300, "random_state": 5}
    ours = compare("f1_macro", Y, A, B, **options)
    own = compare(macro, Y, A, B, **options)
    assert own.difference == pytest.approx(ours.difference)
    assert own.standard_error == pytest.approx(ours.standard_error, rel=0.2)
    again = compare(macro, Y, A, B, n_jobs=2, **options)
    assert repr(again) == repr(own)


def test_groups_widen():
    thrice = np.tile(np.arange(N), 3)
    for method in ("delta", "bootstrap"):
        options = {"method": method, "n_resamples": 800, "random_state": 0}
        plain = compare("f1_macro", Y, A, B, **options)
        copies = compare("f1_macro", Y[thrice], A[thrice], B[thrice], groups=thrice, **options)
        assert copies.standard_error == pytest.approx(plain.standard_error, rel=0.1)
        blind = compare("f1_macro", Y[thrice], A[thrice], B[thrice], **options)
        assert blind.standard_error < 0.7 * copies.standard_error


@pytest.mark.parametrize("method", ["delta", "bootstrap", "permutation"])
def test_frequency_weights_are_rows(method):
    weight = np.where(np.arange(N) % 5, W, 0)
    rows = np.repeat(np.arange(N), weight)
    options = {"method": method, "n_resamples": 100, "random_state": 0}
    counted = compare("f1_macro", Y, A, B, sample_weight=weight, weights_are="frequency", **options)
    listed = compare("f1_macro", Y[rows], A[rows], B[rows], **options)
    assert counted.difference == pytest.approx(listed.difference)
    assert counted.p_value == pytest.approx(listed.p_value)


def test_no_variance_of_areas_turns_to_permutation():
    found = compare("roc_auc", [0, 0, 0, 0, 1, 1, 1, 1], range(8), [1] * 8)
    assert found.method == "delong, p-value by permutation, exact"
    assert found.low < 0.5 < found.high
    assert 0 < found.p_value < 0.1


def test_areas_without_variance_have_newcombes_bounds():
    """A perfect ranking and ties alone, of 12 and 15 rows; the Gini coefficient is 2 areas - 1."""

    def bound(area, side):
        """His method 5: the area that lies 1.96 of its own errors away."""

        def away(other):
            cells = (1 - other) / (2 - other) + other / (1 + other)
            variance = other * (1 - other) * (1 + (27 / 2 - 1) * cells) / (12 * 15)
            return (other - area) / variance**0.5 - side * stats.norm.ppf(0.975)

        return brentq(away, 1e-9, 1 - 1e-9)

    mark = np.repeat([0, 1], [12, 15])
    below = np.hypot(1 - bound(1, -1), bound(0.5, 1) - 0.5)
    above = 0.5 - bound(0.5, -1)
    for metric, width in (("roc_auc", 1), ("gini", 2)):
        found = compare(metric, mark, mark, np.zeros(27))
        assert found.low == pytest.approx(width * (0.5 - below), abs=1e-9)
        assert found.high == pytest.approx(width * (0.5 + above), abs=1e-9)
        other = compare(metric, mark, mark, -mark)
        lower = width * (1 - np.hypot(1 - bound(1, -1), bound(0, 1)))
        assert (other.low, other.high) == pytest.approx((lower, width), abs=1e-9)


def test_many_rows_without_variance_of_areas_take_fewer_exchanges():
    # One model ranks perfectly and the other one the wrong way round: no exchange has as large a
    # difference, so that the p-value is that of the observed order alone, 1 / (n + 1).
    mark, score = np.repeat([0, 1], 2500), np.arange(5000)
    found = compare("roc_auc", mark, score, -score)
    assert found.p_value == pytest.approx(1 / 8001)
    assert "rests on 8,000 exchanges" in found.note
    asked = compare("roc_auc", mark, score, -score, n_resamples=99)
    assert asked.p_value == pytest.approx(1 / 100)
    assert "rests on" not in asked.note


# --------------------------------------------------------------------------- data


def test_labels_that_one_model_alone_predicts():
    other = np.where(np.arange(N) % 9 == 0, 3, B)
    found = compare("f1_macro", Y, A, other, method="permutation", n_resamples=20, random_state=0)
    expected = f1_score(Y, A, average="macro") - f1_score(Y, other, average="macro")
    assert found.difference == pytest.approx(expected)


def test_containers():
    names = np.array(["low", "mid", "top"])
    frame = pd.DataFrame({"y": names[Y], "a": names[A], "b": names[B]}, index=np.arange(N) + 7)
    found = compare("f1_macro", frame["y"], frame["a"], frame["b"])
    assert found == compare("f1_macro", Y, A, B)
    listed = compare("f1_macro", Y.tolist(), A.tolist(), B.tolist())
    assert listed == found
    binary = compare(f1_score, names[Y], names[A], names[B], average="macro", labels=["low", "top"])
    codes = compare(f1_score, Y, A, B, average="macro", labels=[0, 2])
    assert binary.p_value == pytest.approx(codes.p_value)


def test_few_differing_rows_are_named():
    other = A.copy()
    other[:3] = (A[:3] + 1) % 3
    found = compare("f1_macro", Y, A, other)
    assert "little power: the models differ on about 3.1 rows only" in found.note


def test_coverage_of_delta():
    """300 samples: 5 standard errors of the share around 95 % are 6.3 points."""
    rng = np.random.default_rng(1)

    def draw(n_rows):
        y_true = rng.choice(2, n_rows, p=[0.85, 0.15])
        both = rng.random(n_rows)
        found = [y_true]
        for rate in (0.1, 0.2):
            chance = np.where(rng.random(n_rows) < 0.5, both, rng.random(n_rows))
            found.append(np.where(chance < rate, 1 - y_true, y_true))
        return found

    truth = compare("f1_macro", *draw(300_000), method="delta").difference
    hits = 0
    for _ in range(300):
        found = compare("f1_macro", *draw(250))
        hits += found.low <= truth <= found.high
    assert 0.887 < hits / 300 < 0.999


def test_p_values_are_python_floats():
    y_true, a, b = [0, 1] * 20, [0, 1] * 15 + [1, 0] * 5, [0, 1, 1, 1] * 10
    found = compare("f1", y_true, a, b, method="bootstrap", n_resamples=99, random_state=0)
    assert isinstance(found.p_value, float)


@pytest.mark.parametrize(
    ("alternative", "p_value"), [("two-sided", 2 / 100), ("greater", 1 / 100), ("less", 1.0)]
)
def test_the_observed_rows_count_as_a_draw_more(alternative, p_value):
    """Of 99 draws none is on the other side of 0."""
    options = {"method": "bootstrap", "n_resamples": 99, "random_state": 0}
    turned = {"greater": "less", "less": "greater"}.get(alternative, alternative)
    for first in (0, 1):  # pairs are put in an order by their first rows
        true = (np.arange(60) + first) % 2
        good = np.where(np.arange(60) % 10 == 3, 1 - true, true)
        found = compare("accuracy", true, good, 1 - good, alternative=alternative, **options)
        assert found.p_value == pytest.approx(p_value, rel=1e-12)
        back = compare("accuracy", true, 1 - good, good, alternative=turned, **options)
        assert back.p_value == pytest.approx(p_value, rel=1e-12)


def test_draws_beyond_either_margin_count_with_the_observed_rows():
    true = np.arange(60) % 2
    pred = [np.where(np.arange(60) % 10 == k, 1 - true, true) for k in (3, 4)]
    options = {"method": "bootstrap", "n_resamples": 99, "random_state": 0}
    for first, second in (pred, pred[::-1], (pred[0], true), (true, pred[0])):
        found = compare(
            "accuracy", true, first, second, margin=0.9, alternative="equivalent", **options
        )
        assert found.p_value == pytest.approx(1 / 100, rel=1e-12)


def test_mcnemar_of_frequencies_is_that_of_the_rows():
    rng = np.random.default_rng(3)
    true, first, second = rng.integers(0, 2, (3, 40))
    times = rng.integers(0, 4, 40)
    rows = np.repeat(np.arange(40), times)
    found = compare(
        "accuracy", true, first, second,
        method="mcnemar", sample_weight=times, weights_are="frequency",
    )  # fmt: skip
    listed = compare("accuracy", true[rows], first[rows], second[rows], method="mcnemar")
    once = compare("accuracy", true, first, second, method="mcnemar")
    assert found.p_value == pytest.approx(listed.p_value)
    assert (found.low, found.high) == pytest.approx((listed.low, listed.high))
    assert found.low != pytest.approx(once.low)
