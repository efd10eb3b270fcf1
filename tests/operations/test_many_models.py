"""Tables of many models: critical values by brute force, laws, levels in simulation, pictures."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib import pyplot as plt
from scipy import stats

from skmetrics_ext import compare, confidence_interval, f1_score, holm_adjust, influence_values
from skmetrics_ext.plotting.interval_charts import not_different
from tests.support.many_models import all_differences

RNG = np.random.default_rng(12)
N = 500
Y = np.arange(N) % 2
BASE = RNG.normal(size=N) + Y
SCORES = {f"m{k}": BASE + 0.4 * k * RNG.normal(size=N) for k in range(4)}
PROBAS = {name: 1 / (1 + np.exp(0.5 - score)) for name, score in SCORES.items()}
HARD = {name: (proba > 0.5).astype(int) for name, proba in PROBAS.items()}
METRICS = {
    "balanced_accuracy": HARD,
    "f1": HARD,
    "roc_auc": SCORES,
    "average_precision": SCORES,
    "neg_brier_score": PROBAS,
}


def by_pair(found):
    return {(row["model"], row["against"]): row for row in found.rows}


# --------------------------------------------------------------------------- values


@pytest.mark.parametrize(
    "metric", ["balanced_accuracy", "f1", "average_precision", "neg_brier_score"]
)
def test_one_pair_is_compare(metric):
    """There is nothing to allow for: no draw has a say."""
    models = METRICS[metric]
    pair = {name: models[name] for name in ("m0", "m2")}
    (row,) = all_differences(metric, Y, pair, n_resamples=99, random_state=0).rows
    expected = compare(metric, Y, *pair.values())
    for name in ("value", "low", "high", "p_value"):
        assert row[name] == pytest.approx(getattr(expected, name)), name
    assert row["p_adjusted"] == pytest.approx(expected.p_value)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("control", [None, "m1"])
def test_largest_of_sums_with_a_multiplier_for_each_row(metric, control):
    """By influence values and brute force."""
    models = METRICS[metric]
    values = {name: influence_values(metric, Y, pred) / N for name, pred in models.items()}
    pairs = list(combinations(models, 2))
    if control is not None:
        pairs = [(name, control) for name in models if name != control]
    apart = np.array([values[i] - values[j] for i, j in pairs])
    error = np.sqrt((apart**2).sum(axis=1))
    draws = np.random.default_rng(0).normal(size=(8000, N)) @ (apart / error[:, None]).T
    largest = np.abs(draws).max(axis=1)
    found = all_differences(metric, Y, models, control=control, n_resamples=20000, random_state=0)
    assert [(row["model"], row["against"]) for row in found.rows] == pairs
    critical = np.quantile(largest, 0.95)
    for row, spread in zip(found.rows, error, strict=True):
        assert (row["high"] - row["low"]) / 2 / spread == pytest.approx(critical, rel=0.03)
        expected = (largest >= abs(row["value"]) / spread).mean()
        assert row["p_adjusted"] == pytest.approx(expected, abs=0.015)


def test_models_that_err_apart_have_tukeys_distance():
    """The range of k independent normal values."""
    rng, n_rows = np.random.default_rng(1), 4000
    true = np.ones(n_rows)
    models = {k: rng.uniform(0.2, 0.9, n_rows) for k in range(5)}
    models_of = {k: np.column_stack([1 - proba, proba]) for k, proba in models.items()}
    true[::2], zero = 0, slice(None, None, 2)
    for proba in models_of.values():
        proba[zero] = proba[zero, ::-1]
    found = all_differences("neg_brier_score", true, models_of, n_resamples=20000, random_state=0)
    expected = stats.studentized_range.ppf(0.95, 5, np.inf) / np.sqrt(2)
    losses = {k: (1 - proba) ** 2 for k, proba in models.items()}
    for row in found.rows:
        error = (losses[row["model"]] - losses[row["against"]]).std(ddof=1) / n_rows**0.5
        assert (row["high"] - row["low"]) / 2 / error == pytest.approx(expected, rel=0.015)


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc"])
def test_holm(metric):
    models = HARD if metric == "accuracy" else SCORES
    found = all_differences(metric, Y, models, control="m0", adjust="holm")
    level = 1 - 0.05 / 3
    each = [
        compare(metric, Y, models[name], models["m0"], confidence_level=level)
        for name in ("m1", "m2", "m3")
    ]
    expected = holm_adjust([one.p_value for one in each])
    assert [row["p_adjusted"] for row in found.rows] == pytest.approx(expected)
    assert [row["low"] for row in found.rows] == pytest.approx([one.low for one in each])
    assert found[0]["value_b"] == each[0].value_b
    assert found[2]["value_a"] == each[2].value_a
    assert [row["p_value"] for row in found] == pytest.approx([one.p_value for one in each])


def test_functions_of_ones_own_are_resampled_by_holm():
    def metric(true, pred):
        return float(np.mean(true == pred))

    found = all_differences(metric, Y, HARD, adjust="holm", n_resamples=200, random_state=0)
    options = {"confidence_level": 1 - 0.05 / 6, "n_resamples": 200, "random_state": 0}
    for row in found.rows:
        alone = compare(metric, Y, HARD[row["model"]], HARD[row["against"]], **options)
        assert (row["low"], row["high"]) == pytest.approx((alone.low, alone.high))
    with pytest.raises(ValueError, match=r"adjust\('bonferroni'\) takes any"):
        all_differences(metric, Y, HARD)
    with pytest.raises(ValueError, match=r"adjust\('bonferroni'\) takes any"):
        all_differences("ks_statistic", Y, SCORES)


def test_a_table_of_models_has_the_interval_of_each():
    group, weight = np.arange(N) // 5, 1 + np.arange(N) % 2
    for options in (
        {"groups": group},
        {"strata": group % 3, "sample_weight": weight, "weights_are": "frequency"},
        {"threshold": 0.5},
    ):
        given = PROBAS if "threshold" in options else HARD
        table = confidence_interval("f1", Y, given, **options)
        for name, pred in given.items():
            alone = confidence_interval("f1", Y, pred, **options)
            row = table.row("f1", model=name)
            assert (row.value, row.low, row.high) == pytest.approx(tuple(alone))
            assert (row.method, row.note) == (alone.method, alone.note)
    with pytest.raises(ValueError, match="abstain= takes the predictions of one model"):
        confidence_interval("f1", Y, HARD, abstain=2)


# --------------------------------------------------------------------------- laws


@pytest.mark.parametrize("metric", METRICS)
def test_bounds_and_p_values_tell_the_same(metric):
    alone = {pair: compare(metric, Y, *(METRICS[metric][name] for name in pair), method="delta")
             for pair in combinations(METRICS[metric], 2)}  # fmt: skip
    for level in (0.8, 0.95, 0.99):
        found = all_differences(metric, Y, METRICS[metric], confidence_level=level, random_state=0)
        for pair, row in by_pair(found).items():
            assert (row["p_adjusted"] <= 1 - level) == (not row["low"] <= 0 <= row["high"])
            assert alone[pair].p_value <= row["p_adjusted"] * (1 + 1e-9)
            assert row["p_adjusted"] <= 6 * alone[pair].p_value * (1 + 1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_order_of_rows_and_names_change_nothing(metric):
    models = METRICS[metric]
    plain = by_pair(all_differences(metric, Y, models, n_resamples=20000, random_state=0))
    order = np.random.default_rng(0).permutation(N)
    shuffled = {name: pred[order] for name, pred in reversed(models.items())}
    found = by_pair(all_differences(metric, Y[order], shuffled, n_resamples=20000, random_state=0))
    for (first, second), row in plain.items():
        mirror = found[second, first]
        width = row["high"] - row["low"]
        assert mirror["value"] == pytest.approx(-row["value"], abs=1e-12)
        assert mirror["low"] == pytest.approx(-row["high"], abs=0.01 * width)  # draws differ
        assert mirror["p_adjusted"] == pytest.approx(row["p_adjusted"], abs=0.01)


@pytest.mark.parametrize("metric", ["f1", "roc_auc"])
def test_rows_of_a_group_are_one(metric):
    models = METRICS[metric]
    twice = {name: np.repeat(pred, 2) for name, pred in models.items()}
    groups = np.repeat(np.arange(N), 2)
    about = {"random_state": 0, "n_resamples": 20000}
    plain = all_differences(metric, Y, models, **about).rows
    grouped = all_differences(metric, np.repeat(Y, 2), twice, groups=groups, **about).rows
    seen = all_differences(metric, Y, models, sample_weight=np.full(N, 2), **about).rows
    for one, *others in zip(plain, grouped, seen, strict=True):
        for other in others:
            assert other["value"] == pytest.approx(one["value"])
            assert other["low"] == pytest.approx(one["low"], abs=0.02 * (one["high"] - one["low"]))


def test_a_model_twice():
    """The pair of equals has no variance, and is no further test."""
    models = {"a": SCORES["m0"], "b": SCORES["m3"], "c": SCORES["m0"]}
    rows = by_pair(all_differences("roc_auc", Y, models, random_state=0))
    same = rows["a", "c"]
    assert same["p_adjusted"] == 1
    assert same["low"] < 0 < same["high"]
    assert "the models agree on every row" in same["note"]
    alone = compare("roc_auc", Y, SCORES["m0"], SCORES["m0"], confidence_level=1 - 0.05 / 3)
    assert (same["low"], same["high"]) == pytest.approx((alone.low, alone.high))
    pair = {"a": SCORES["m0"], "b": SCORES["m3"]}
    (alone,) = all_differences("roc_auc", Y, pair, random_state=0).rows
    assert rows["a", "b"]["low"] == pytest.approx(alone["low"], rel=0.05)


def test_pairs_with_an_infinite_ratio_are_no_further_tests():
    """Of a model without a false positive no log ratio is finite: one pair is left."""
    models = {"a": HARD["m0"], "b": HARD["m3"], "c": np.where(np.arange(N) < 250, 0, Y)}
    name = "positive_likelihood_ratio"
    rows = by_pair(all_differences(name, Y, models, random_state=0, n_resamples=99))
    alone = compare(name, Y, models["a"], models["b"])
    left = rows["a", "b"]
    assert (left["low"], left["high"]) == pytest.approx((alone.low, alone.high))
    assert left["p_adjusted"] == pytest.approx(alone.p_value)
    for pair in (("a", "c"), ("b", "c")):
        assert rows[pair]["value"] == -np.inf
        assert np.isnan([rows[pair]["low"], rows[pair]["p_adjusted"]]).all()


def test_few_rows_are_noted():
    nearly = {"a": HARD["m0"], "b": np.where(np.arange(N) < 4, 1 - HARD["m0"], HARD["m0"])}
    (row,) = all_differences("balanced_accuracy", Y, nearly, random_state=0).rows
    assert row["note"] == compare("balanced_accuracy", Y, *nearly.values()).note != ""


# --------------------------------------------------------------------------- levels


@pytest.mark.sampled(2)
@pytest.mark.parametrize("adjust", ["simultaneous", "holm"])
def test_any_of_equal_models_is_seldom_found_to_differ(adjust):
    rng, wrong, n_rows = np.random.default_rng(2), 0, 120
    true = np.arange(n_rows) % 2
    for _ in range(300):
        base = rng.normal(size=n_rows) + true
        models = {k: base + rng.normal(size=n_rows) for k in range(4)}
        found = all_differences("average_precision", true, models, adjust=adjust, n_resamples=999)
        wrong += min(row["p_adjusted"] for row in found.rows) <= 0.05
    assert 3 <= wrong <= 300 * 0.05 + 2.6 * np.sqrt(300 * 0.05 * 0.95)


# --------------------------------------------------------------------------- what it shows


def test_the_heading_says_how_the_rows_depend_on_each_other():
    group = np.arange(N) // 5
    for options, told in (
        ({}, ""),
        ({"adjust": "holm"}, ""),
        ({"groups": group}, ", 100 groups, design effects "),
        ({"strata": group % 3}, ", 3 strata, design effects "),
    ):
        found = all_differences("f1", Y, HARD, random_state=0, n_resamples=99, **options)
        heading = str(found).splitlines()[0]
        assert heading.startswith(f"95 % simultaneous intervals{told}")
        ends = [
            compare("f1", Y, HARD[a], HARD[b], **{k: options[k] for k in options if k != "adjust"})
            for a, b in combinations(HARD, 2)
        ]
        effects = sorted(one.design_effect for one in ends)
        if "effects" in told:
            assert heading.endswith(f"design effects {effects[0]:.3g} to {effects[-1]:.3g}")
    found = all_differences("positive_likelihood_ratio", Y, HARD, groups=group, random_state=0)
    assert "intervals, 100 groups, design effects " in str(found)
    assert "differences are of logarithms" in str(found)


def test_rows_frames_and_text():
    found = all_differences("roc_auc", Y, SCORES, random_state=0)
    assert list(found.frame().columns)[-7:] == [
        "value_a", "value_b", "statistic", "alternative", "margin", "p_adjusted", "adjustment",
    ]  # fmt: skip
    assert len(found.frame()) == len(found.rows) == 6
    text = str(found)
    assert text.splitlines()[1].split() == [
        *("metric", "model", "against", "value", "reference", "difference", "95", "%", "interval"),
        *("p", "(adjusted)", "rows"),
    ]
    assert len(text.splitlines()) == 9


@pytest.mark.parametrize(
    ("apart", "expected"),
    [
        ([], [(0, 3)]),
        ([("a", "d")], [(0, 2), (1, 3)]),
        ([("a", "c"), ("b", "d"), ("a", "d")], [(0, 1), (1, 2), (2, 3)]),
        ([("a", "b"), ("a", "c"), ("a", "d")], [(1, 3)]),
        (list(combinations("abcd", 2)), []),
    ],
)
def test_stretches_of_models_that_do_not_differ(apart, expected):
    rows = [
        {"model": i, "against": j, "p_adjusted": 0.01 if (i, j) in apart else 0.5}
        for i, j in combinations("abcd", 2)
    ]
    assert not_different("abcd", rows, 0.05) == expected


def test_pictures():
    found = all_differences("roc_auc", Y, SCORES, random_state=0)
    ax = found.plot()
    assert len(ax.get_yticklabels()) == 6
    dots = [x for line in ax.get_lines() if line.get_marker() == "o" for x in line.get_xdata()]
    assert sorted(dots) == pytest.approx(sorted(row.value for row in found))
    _, other = plt.subplots()
    to_control = all_differences("roc_auc", Y, SCORES, control="m0", random_state=0)
    assert to_control.plot(ax=other) is other
    assert [label.get_text() for label in other.get_yticklabels()] == [
        f"m{k} (n = 500)" for k in (1, 2, 3)
    ]
    assert "m0" in other.get_xlabel()
    plt.close("all")


# --------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("models", "options", "message"),
    [
        ({}, {}, "y_pred has no model"),
        (HARD, {"control": "m9"}, "no row has model='m9'"),
        (HARD, {"adjust": "tukey"}, "how has to be one of"),
        (HARD, {"goal": 0.5}, "goal is not available for several models"),
        (HARD, {"weights_are": "counts"}, "weights_are has to be one of"),
        (HARD, {"n_resamples": 0}, "n_resamples"),
        ({**HARD, "bad": HARD["m0"][1:]}, {}, r"y_pred\['bad'\]: "),
        (HARD, {"average": None, "metric": f1_score}, "one number"),
        (HARD, {"groups": [1, 2]}, "groups"),
    ],
)
def test_refused(models, options, message):
    with pytest.raises(ValueError, match=message):
        all_differences(**{"metric": "f1", "y_true": Y, "models": models, **options})


def test_the_positive_class_stands_below_the_table_where_labels_leave_it_open():
    rng = np.random.default_rng(0)
    ill = rng.random(60) < 0.5
    models = {name: 2 * rng.random(60) + ill for name in "ab"}
    text = np.where(ill, "ill", "well")
    assert str(all_differences("roc_auc", text, models, pos_label="ill", random_state=0)).endswith(
        "\npositive class: ill"
    )
    assert "positive class" not in str(all_differences("roc_auc", ill, models, random_state=0))
    labels = {name: np.where(score > 1, "ill", "well") for name, score in models.items()}
    assert "positive class" not in str(all_differences("accuracy", text, labels, random_state=0))


def test_one_model_without_a_derivative_leaves_the_others_without_a_joint_level():
    """A rate that is read within a block of ties jumps."""
    rng, true = np.random.default_rng(0), np.arange(240) % 2
    first, second, third = rng.normal(size=(3, 240)) + 1.2 * true
    models = {"a": first, "b": second, "c": np.round(third / 1.5)}
    found = confidence_interval("sensitivity_at_specificity", true, models, specificity=0.8)
    with pytest.raises(ValueError, match="influence values"):
        found.against("each").adjust("simultaneous")
    models["c"] = third
    found = confidence_interval("sensitivity_at_specificity", true, models, specificity=0.8)
    assert len(found.against("each").adjust("simultaneous").rows) == 3


@pytest.mark.parametrize("noise", [0.02, 0.3])
def test_values_that_hold_at_once_use_how_they_depend(noise):
    """The larger of two normal errors with the correlation of what the rows add."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, 400)
    first = np.clip(0.5 + 0.2 * (2 * true - 1) + 0.2 * rng.normal(size=400), 0.1, 0.9)
    second = np.clip(first + noise * rng.normal(size=400), 0.1, 0.9)
    table = confidence_interval("log_loss", true, {"a": first, "b": second})
    added = [influence_values("log_loss", true, own) for own in (first, second)]
    correlation = np.corrcoef(added)[0, 1]
    errors = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], 400_000)
    away = np.quantile(np.abs(errors).max(axis=1), 0.95)
    for row, alone in zip(table.adjust("simultaneous").rows, table.rows, strict=True):
        wide = away * alone.standard_error
        assert row.value == alone.value
        ends = row.value - wide, row.value + wide
        assert (row.low, row.high) == pytest.approx(ends, abs=0.02 * wide)
