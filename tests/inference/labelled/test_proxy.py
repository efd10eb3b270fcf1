"""A machine's labels of all rows next to a person's labels of some."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import skmetrics_ext as sx
from skmetrics_ext.inference.labelling import _correct
from skmetrics_ext.inference.partly_labelled import correct_by_proxy
from tests.inference.labelled.cases import REFERENCE, population, proxy_case, response

EXPECTED = REFERENCE["proxy_expected"]
RULES = [name for name in EXPECTED if name.startswith("rule_")]
Z = 1.959963984540054


@pytest.mark.parametrize("case", RULES)
def test_values_by_the_rule(case):
    rows, expected = proxy_case(), EXPECTED[case]
    metric = case.removeprefix("rule_").removeprefix("difference_")
    models = [response(metric, rows)]
    ask = sx.confidence_interval
    if "difference" in case:
        models, ask = [*models, response(metric, rows, "_b")], sx.compare
    found = ask(metric, rows["human"], *models, proxy=rows["judge"])
    if expected["used"]:
        assert found.value == pytest.approx(expected["value"], rel=1e-9)
        assert found.standard_error == pytest.approx(expected["standard_error"], rel=1e-9)
        assert found.freedom == pytest.approx(expected["freedom"], rel=1e-9)
        assert f"worth {expected['worth_rows']:.0f} with this proxy" in found.note
    else:
        assert found.value == pytest.approx(expected["human_only"], rel=1e-9)
        assert found.note.startswith("proxy not used")
        human = np.array([np.nan if y is None else y for y in rows["human"]])
        kept = ~np.isnan(human)
        alone = sx.confidence_interval(metric, human[kept].astype(int), models[0][kept])
        assert (found.low, found.high) == (alone.low, alone.high)


@pytest.mark.parametrize("case", [name for name in EXPECTED if name.startswith("ppi_")])
def test_ppi_python(case):
    rows, expected = proxy_case(), EXPECTED[case]
    metric = "brier_score" if "brier" in case else "accuracy"
    found = sx.confidence_interval(
        metric, rows["human"], response(metric, rows), proxy=rows["judge"]
    )
    if case.endswith("tuned"):
        assert [found.value] == pytest.approx([expected["value"]], rel=0.02)
        return
    reading = found._made.expression.read().reading
    n = sum(label is not None for label in rows["human"])
    n_rows = len(rows["human"])
    weight = float(case.rpartition("_")[2]) * n_rows / (n_rows - n)
    fixed = correct_by_proxy(reading, _correct(reading), weight, leverage=False)
    error = float((fixed.parts**2).sum() ** 0.5)
    numbers = fixed.value, fixed.value - Z * error, fixed.value + Z * error
    expected = expected["value"], expected["low"], expected["high"]
    assert numbers == pytest.approx(expected, rel=1e-9)


def test_regression_estimator_of_survey():
    rows = proxy_case()
    found = sx.confidence_interval("accuracy", rows["human"], rows["pred"], proxy=rows["judge"])
    assert found.value == pytest.approx(EXPECTED["greg_accuracy"]["value"], rel=1e-9)


@pytest.mark.parametrize(
    "convert",
    [
        lambda y: np.ma.array(np.nan_to_num(y).astype(int), mask=np.isnan(y)),
        lambda y: [None if v != v else int(v) for v in y],
        lambda y: pd.Series(y),
        lambda y: pd.Series(y).astype("Int64"),
        lambda y: pl.Series([None if v != v else int(v) for v in y]),
        lambda y: pa.array([None if v != v else int(v) for v in y]),
    ],
)
def test_any_container_of_missing_labels(convert):
    rows = population()
    expected = sx.confidence_interval("f1", rows["human"], rows["pred"], proxy=rows["judge"])
    found = sx.confidence_interval("f1", convert(rows["human"]), rows["pred"], proxy=rows["judge"])
    assert found == expected


def test_text_and_probabilities():
    rows = population()
    names = np.array(["well", "ill"])
    human = np.where(rows["labelled"], names[rows["true"]], None)
    found = sx.confidence_interval(
        "f1", human, names[rows["pred"]], proxy=names[rows["judge"]], pos_label="ill"
    )
    plain = sx.confidence_interval("f1", rows["human"], rows["pred"], proxy=rows["judge"])
    assert [*found] == pytest.approx([*plain], rel=1e-12)
    sure = sx.confidence_interval(  # a probability of 0 or 1 is a label
        "f1", human, names[rows["pred"]], proxy=rows["judge"] * 1.0, pos_label="ill"
    )
    assert [*sure] == pytest.approx([*plain], rel=1e-9)
    doubtful = 0.1 + 0.8 * rows["judge"]
    one, both = (
        sx.confidence_interval("roc_auc", rows["human"], rows["score"], proxy=proxy)
        for proxy in (doubtful, np.column_stack([1 - doubtful, doubtful]))
    )
    assert "worth" in one.note
    assert [*one] == pytest.approx([*both], rel=1e-12)


def test_probabilities_enter_each_row_twice():
    """The judge's metric is that of both labels of every row, with their probabilities."""
    rows = population()
    chance = np.clip(0.1 + 0.8 * rows["judge"] + 0.1 * rows["rng"].random(len(rows["judge"])), 0, 1)
    n_rows, kept = len(chance), rows["labelled"]
    own = sx.influence_values("f1", rows["true"][kept], rows["pred"][kept])
    both = sx.influence_values(
        "f1",
        np.repeat([1, 0], n_rows),
        np.tile(rows["pred"], 2),
        sample_weight=np.concatenate([chance, 1 - chance]),
    )
    judge = both.reshape(2, n_rows).sum(axis=0) / 2
    centred = judge[kept] - judge[kept].mean()
    weight = (own * centred).sum() / (centred**2).sum()
    value = sx.f1_score(rows["true"][kept], rows["pred"][kept]) - weight * judge[kept].mean()
    found = sx.confidence_interval("f1", rows["human"], rows["pred"], proxy=chance)
    assert found.value == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("metric", ["f1", "roc_auc", "brier_score", "matthews_corrcoef", "recall"])
@pytest.mark.parametrize("proxy", ["constant", "random", "perfect", "noise"])
def test_safe_proxies(metric, proxy):
    rows = population()
    n_rows = len(rows["true"])
    judges = {
        "constant": np.zeros(n_rows, dtype=int),
        "random": rows["rng"].integers(0, 2, n_rows),
        "perfect": rows["true"],
        "noise": rows["rng"].random(n_rows),
    }
    pred, kept = response(metric, rows), rows["labelled"]
    alone = sx.confidence_interval(metric, rows["true"][kept], pred[kept])
    found = sx.confidence_interval(metric, rows["human"], pred, proxy=judges[proxy])
    assert found.high - found.low <= alone.high - alone.low
    if proxy == "perfect":  # which may be luck: no labelled row differs
        assert "0 labelled rows differ from it, at least 10 are needed" in found.note
    if "not used" in found.note:
        assert [*found] == pytest.approx([*alone], rel=1e-13)
        assert "worth" not in found.note


def test_a_useless_judge_of_any_sample_never_widens():
    for seed in range(20):
        rows = population(seed, 400, 80, wrong=0.5)
        found = sx.compare("f1", rows["human"], rows["pred"], rows["other"], proxy=rows["judge"])
        kept = rows["labelled"]
        alone = sx.compare("f1", rows["true"][kept], rows["pred"][kept], rows["other"][kept])
        assert found.high - found.low <= alone.high - alone.low


def test_groups_are_summed():
    rows = population()
    group = np.arange(2000) // 5
    found = sx.confidence_interval(
        "accuracy", rows["human"], rows["pred"], proxy=rows["judge"], groups=group
    )
    reading = found._made.expression.read()
    sums = np.bincount(group, reading.influence)
    assert found.standard_error == pytest.approx((400 / 399 * (sums**2).sum()) ** 0.5, rel=1e-9)
    assert found.n_groups == 400
    assert found.freedom <= 399
    assert "groups differ" in found.note
    # Each row twice in its group is the same evidence.
    twice = {name: np.tile(rows[name], 2) for name in ("human", "pred", "judge")}
    doubled = sx.confidence_interval(
        "accuracy",
        twice["human"],
        twice["pred"],
        proxy=twice["judge"],
        groups=np.tile(np.arange(2000), 2),
    )
    alone = sx.confidence_interval(
        "accuracy", rows["human"], rows["pred"], proxy=rows["judge"], groups=np.arange(2000)
    )
    assert doubled.value == pytest.approx(alone.value, rel=1e-9)
    assert doubled.standard_error == pytest.approx(alone.standard_error, rel=0.05)
    assert alone.design_effect == pytest.approx(1, rel=1e-12)


def test_weights_are_those_of_all_rows():
    rows = population()
    weight = rows["rng"].integers(0, 3, 2000)
    arguments = rows["human"], rows["pred"]
    found = sx.confidence_interval("f1", *arguments, proxy=rows["judge"], sample_weight=weight)
    kept = weight > 0
    cut = sx.confidence_interval(
        "f1",
        *(column[kept] for column in arguments),
        proxy=rows["judge"][kept],
        sample_weight=weight[kept],
    )
    assert [*found] == pytest.approx([*cut], rel=1e-9)
    scaled = sx.confidence_interval(
        "f1", *arguments, proxy=rows["judge"], sample_weight=weight * 7.0
    )
    assert [*found] == pytest.approx([*scaled], rel=1e-9)


@pytest.mark.parametrize("metric", ["f1", "roc_auc", "positive_likelihood_ratio", "log_loss"])
def test_differences_of_estimates_are_comparisons(metric):
    rows = population()
    scores = np.clip(rows["score"], 0.01, 0.99)
    models = (
        (scores, np.sqrt(scores))
        if metric in ("roc_auc", "log_loss")
        else (
            rows["pred"],
            rows["other"],
        )
    )
    if metric == "roc_auc":
        models = scores, scores + rows["rng"].random(2000) / 3
    a, b = (
        sx.confidence_interval(metric, rows["human"], pred, proxy=rows["judge"]) for pred in models
    )
    expected = sx.compare(metric, rows["human"], *models, proxy=rows["judge"])
    difference = np.log(a) - np.log(b) if "log_ratio" in expected.method else a - b
    assert [*difference] == pytest.approx([*expected], rel=1e-9)
    assert difference.p_value == pytest.approx(expected.p_value, rel=1e-6)
    assert "worth" in expected.note


def test_labels_that_the_judge_chose_are_noted():
    rows = population()
    chosen = rows["rng"].random(2000) < np.where(rows["judge"] == 1, 0.3, 0.1)
    human = np.where(chosen, rows["true"], np.nan)
    found = sx.confidence_interval("f1", human, rows["pred"], proxy=rows["judge"])
    assert "not like the others" in found.note
    known = sx.confidence_interval(
        "f1",
        human,
        rows["pred"],
        proxy=rows["judge"],
        sampling=np.where(rows["judge"] == 1, 0.3, 0.1),
    )
    assert "not like the others" not in known.note
    fair = sx.confidence_interval("f1", rows["human"], rows["pred"], proxy=rows["judge"])
    assert "not like the others" not in fair.note


def test_a_missing_label_names_what_to_pass():
    rows = population()
    for ask in (
        lambda: sx.confidence_interval("f1", rows["human"], rows["pred"]),
        lambda: sx.compare("f1", rows["human"], rows["pred"], rows["other"]),
    ):
        with pytest.raises(ValueError, match=r"y_true.*NaN.*proxy=.*sampling=.*observed="):
            ask()


@pytest.mark.parametrize(
    ("metric", "changes", "message"),
    [
        ("f1", {"proxy": np.zeros(5)}, "proxy must have a label .* 2000 rows"),
        ("f1", {"proxy": np.r_[np.nan, np.zeros(1999)]}, "proxy has no value in row 0"),
        ("f1", {"proxy": np.full(2000, 1.5)}, "proxy must hold labels like those"),
        ("f1", {"y_true": np.full(2000, np.nan)}, "y_true has no label"),
        ("ks_statistic", {}, "no influence values"),
        ("f1", {"weights_are": "frequency"}, "weights_are='frequency'"),
        ("f1", {"population": "everyone"}, "population has to be one of"),
        ("f1", {"y_pred": np.zeros(3)}, "y_pred must have a value for each"),
        ("recall", {"average": None}, "needs a metric that is one number"),
        ("f1", {"method": "clopper_pearson"}, "does not apply"),
    ],
)
def test_refusals(metric, changes, message):
    rows = population()
    pred = rows["score"] if metric == "ks_statistic" else rows["pred"]
    arguments = {"y_true": rows["human"], "y_pred": pred, "proxy": rows["judge"]} | changes
    with pytest.raises(ValueError, match=message):
        sx.confidence_interval(metric, **arguments)


def test_estimates_of_other_labels_are_not_mixed():
    rows = population()
    kept = rows["labelled"]
    with_proxy = sx.confidence_interval("f1", rows["human"], rows["pred"], proxy=rows["judge"])
    alone = sx.confidence_interval("f1", rows["true"][kept], rows["pred"][kept])
    for difference in (lambda: with_proxy - alone, lambda: alone - with_proxy):
        with pytest.raises(ValueError, match="different labels, proxies"):
            difference()


@pytest.mark.parametrize("wrong", [1.5, -0.25])
def test_probabilities_of_a_proxy_lie_between_0_and_1(wrong):
    true = np.array([0.0, 1.0, 0.0, 1.0, np.nan, np.nan])
    proxy = np.array([0.2, 0.7, 0.4, 0.9, 0.5, wrong])
    with pytest.raises(ValueError, match=r"probabilities in \[0, 1\]; it holds "):
        sx.confidence_interval("accuracy", true, np.array([0, 1, 1, 1, 0, 1]), proxy=proxy)
