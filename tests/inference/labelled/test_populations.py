"""Verified rows, other covariates, another prevalence."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit, ndtr

import skmetrics_ext as sx
from skmetrics_ext.inference.partly_labelled import soft_contributions
from skmetrics_ext.registry import find
from skmetrics_ext.results import Estimate
from tests.inference.labelled.cases import digits

CASES = json.loads(Path(__file__).with_name("populations.json").read_text("utf-8"))
EXPECTED = CASES["expected"]
NAMES = {"recall": "recall", "specificity": "specificity", "precision": "precision"}
NAMES |= {"npv": "negative_predictive_value"}


def study(name):
    """Rows of a published table of a test, of which some patients were verified."""
    y, pred = [], []
    for positive, cells in ((1, "test_positive"), (0, "test_negative")):
        for label, kind in ((1, "diseased"), (0, "healthy"), (np.nan, "unverified")):
            y += [label] * CASES[name][cells][kind]
            pred += [positive] * CASES[name][cells][kind]
    return np.array(y), np.array(pred)


@pytest.mark.parametrize("name", ["hepatic", "spect"])
def test_begg_and_greenes(name):
    y, pred = study(name)
    expected = EXPECTED[f"begg_greenes_{name}"]
    for key, metric in NAMES.items():
        found = sx.confidence_interval(metric, y, pred, observed=~np.isnan(y))
        assert found.value == pytest.approx(expected[key], rel=1e-9)
        if f"{key}_se" in expected:  # Zhou's variance
            assert found.standard_error == pytest.approx(expected[f"{key}_se"], rel=1e-9)
            plain = sx.confidence_interval(
                metric, y, pred, observed=~np.isnan(y), method="delta"
            )  # its t quantile for the normal one of the table
            away = 1.959963984540054 * plain.standard_error
            assert plain.value - away == pytest.approx(expected[f"{key}_low"], rel=1e-9)
            assert plain.high > plain.value + away
        assert "by the verified share of each cell" in found.note


def test_spect_with_covariates():
    rows = np.array(CASES["spect_covariates"])
    rows = np.repeat(rows[:, :5], rows[:, 5], axis=0)
    seen = rows[:, 4] >= 0
    y = np.where(seen, rows[:, 4], np.nan)
    for metric in ("recall", "specificity"):
        found = sx.confidence_interval(metric, y, rows[:, 3], observed=seen, X=rows[:, :3])
        assert found.value == pytest.approx(EXPECTED["spect_main_ipw"][metric], rel=1e-6)
        assert "weighted by the probability of verification" in found.note
    signed = np.zeros((len(rows), 2))  # shares of the cells, as a saturated model has them
    cell = rows[:, :4] @ [1, 2, 4, 8]
    chance = (np.bincount(cell, seen) / np.bincount(cell))[cell]
    for label in (0, 1):
        mark = rows[:, 4] == label
        share = (np.bincount(cell, mark) / np.bincount(cell, seen))[cell]
        signed[:, label] = (mark - (seen - chance) * share) / chance
    for key, metric in NAMES.items():
        value, *_ = soft_contributions(find(metric), np.array([0, 1]), rows[:, 3], signed)
        assert value == pytest.approx(EXPECTED["spect_saturated"][key], rel=2e-6)


def _verify():
    rows = CASES["verify"]
    y = np.array([np.nan if label is None else label for label in digits(rows["y"])])
    seen = np.array(digits(rows["verified"])) == 1
    return y, np.array(rows["score"]), np.array(rows["covariate"]), seen


def test_alonzo_and_pepe():
    y, score, covariate, seen = _verify()
    expected = EXPECTED["alonzo_pepe"]["auc"]
    found = sx.confidence_interval("roc_auc", y, score, observed=seen, X=covariate)
    assert found.value == pytest.approx(expected["ipw"], rel=1e-5)
    alone = sx.confidence_interval("roc_auc", y[seen].astype(int), score[seen])
    assert alone.value == pytest.approx(EXPECTED["verified_only"]["value"], rel=1e-9)

    def loss(beta, link, codes, rows):
        p = np.clip(link(design[rows] @ beta), 1e-12, 1 - 1e-12)
        return -(codes * np.log(p) + (1 - codes) * np.log(1 - p)).sum()

    design = np.column_stack([np.ones(len(y)), score, covariate])
    every = np.ones(len(y), dtype=bool)
    fits = (expit, seen * 1.0, every), (ndtr, y[seen], seen)
    p, m = (
        link(design @ minimize(loss, np.zeros(3), args=(link, codes, rows), tol=1e-12).x)
        for link, codes, rows in fits
    )
    true = np.where(seen, y, 0.0)
    one = (seen * true - (seen - p) * m) / p
    weights = {
        "fi": np.column_stack([1 - m, m]),
        "msi": np.where(seen[:, None], np.column_stack([1 - true, true]), 0.0)
        + np.where(seen[:, None], 0.0, np.column_stack([1 - m, m])),
        "spe": np.column_stack([1 - one, one]),
    }
    for name, weight in weights.items():
        value, *_ = soft_contributions(find("roc_auc"), np.array([0, 1]), score, weight)
        # Ours pairs the two labels of a row too, at half a win.
        own = (weight[:, 0] * weight[:, 1]).sum()
        total = weight[:, 0].sum() * weight[:, 1].sum()
        without = (value * total - 0.5 * own) / (total - own)
        assert without == pytest.approx(expected[name], rel=2e-5)


def test_prevalence_by_hand():
    expected = EXPECTED["prevalence_table"]
    y = np.repeat([1, 1, 0, 0], [52, 18, 31, 199])
    pred = np.repeat([1, 0, 1, 0], [52, 18, 31, 199])
    ask = {"prevalence": 0.04}
    for metric in ("f1", "precision", "accuracy", "recall", "specificity"):
        found = sx.confidence_interval(metric, y, pred, **ask)
        assert found.value == pytest.approx(expected[metric], rel=1e-9)
        if f"{metric}_se_known" in expected:
            known = expected[f"{metric}_se_known"]
            assert found.standard_error == pytest.approx(known, rel=1e-9)
    for metric in ("recall", "specificity"):
        found = sx.confidence_interval(metric, y, pred, **ask)
        plain = sx.confidence_interval(metric, y, pred)
        assert [*found] == [*plain]
        assert "the same at any prevalence" in found.note
    estimated = Estimate(0.04, 0.02, 0.06, (0.04 * 0.96 / 500) ** 0.5, "wilson", 0.95)
    found = sx.confidence_interval("f1", y, pred, prevalence=estimated)
    assert found.standard_error == pytest.approx(expected["f1_se_estimated_500"], rel=1e-6)
    text = np.array(["well", "ill"])
    named = sx.confidence_interval("f1", text[y], text[pred], pos_label="ill", **ask)
    assert [*named] == pytest.approx([*sx.confidence_interval("f1", y, pred, **ask)], rel=1e-12)
    shares = sx.confidence_interval("f1", y, pred, prevalence={0: 0.96, 1: 0.04})
    assert [*shares] == pytest.approx([*sx.confidence_interval("f1", y, pred, **ask)], rel=1e-12)


def test_scores_at_another_prevalence():
    """Weighting one class is repeating its rows."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [300, 100])
    score = np.clip(rng.normal(0.4 + 0.2 * y, 0.15), 0.01, 0.99)
    repeated = np.concatenate([np.tile(np.flatnonzero(y == 0), 3), np.flatnonzero(y == 1)])
    for metric in ("average_precision", "brier_score", "log_loss", "net_benefit"):
        params = {"threshold": 0.3} if metric == "net_benefit" else {}
        found = sx.confidence_interval(metric, y, score, prevalence=0.1, **params)
        alone = sx.confidence_interval(metric, y[repeated], score[repeated], **params)
        assert found.value == pytest.approx(alone.value, rel=1e-9)
        if metric != "net_benefit":  # which takes it as a parameter
            assert found.standard_error > alone.standard_error
    auc = sx.confidence_interval("roc_auc", y, score, prevalence=0.1)
    assert "the same at any prevalence" in auc.note


def _verified(n_rows=3000, seed=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_rows, 2))
    true = (rng.random(n_rows) < expit(x[:, 0] + x[:, 1])).astype(int)
    score = x[:, 0] + rng.normal(size=n_rows) / 2
    chance = expit(x[:, 1] / 2 - score / 2)
    seen = rng.random(n_rows) < chance
    return x, true, score, seen, np.where(seen, true, np.nan), chance


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision", "brier_score", "f1"])
def test_doubly_robust_by_the_formula(metric):
    from sklearn.linear_model import LogisticRegression

    x, true, score, seen, y, _ = _verified()
    response = (score > 0).astype(int) if metric == "f1" else expit(score)
    found = sx.confidence_interval(metric, y, response, observed=seen, X=x)
    assert "doubly robust; by weighting alone" in found.note
    whole = sx.confidence_interval(metric, true, response)
    assert abs(found.value - whole.value) < 3 * found.standard_error
    design = np.column_stack([response, x])
    model = LogisticRegression(C=1e12, tol=1e-12, max_iter=10_000)
    p = model.fit(design, seen).predict_proba(design)[:, 1]
    m = model.fit(design[seen], true[seen]).predict_proba(design)[:, 1]
    one = (seen * true - (seen - p) * m) / p
    zero = (seen * (1 - true) - (seen - p) * (1 - m)) / p
    if metric == "brier_score":
        loss = one * (1 - response) ** 2 + zero * response**2
        assert found.value == pytest.approx(loss.sum() / (one + zero).sum(), rel=1e-4)
    if metric == "f1":
        tp, fp, fn = (one * response).sum(), (zero * response).sum(), (one * (1 - response)).sum()
        assert found.value == pytest.approx(2 * tp / (2 * tp + fp + fn), rel=1e-4)
    if metric == "roc_auc":
        wins = np.sign(np.subtract.outer(response, response)) / 2 + 0.5
        area = one @ wins @ zero / (one.sum() * zero.sum())
        assert found.value == pytest.approx(area, rel=1e-4)


def test_contributions_of_negative_weights_are_derivatives():
    rng = np.random.default_rng(1)
    score, true = rng.random(60), rng.integers(0, 2, 60)
    weight = rng.normal(1, 0.7, (60, 2)) + np.column_stack([1 - true, true])
    for metric in ("roc_auc", "average_precision", "log_loss", "net_benefit"):
        asked = find(metric, {"threshold": 0.3} if metric == "net_benefit" else {})
        _, parts, _ = soft_contributions(asked, np.array([0, 1]), score, weight)
        for row in (0, 30, 59):
            step = np.zeros_like(weight)
            step[row, 1] = 1e-5
            up, down = (
                soft_contributions(asked, np.array([0, 1]), score, weight + sign * step)[0]
                for sign in (1, -1)
            )
            slope = (up - down) / 2e-5 * weight[row, 1]
            assert parts[1, row] == pytest.approx(slope, abs=1e-7)


def test_known_probabilities_of_verification():
    _, _, score, seen, y, chance = _verified()
    pred = (score > 0).astype(int)
    found = sx.confidence_interval("f1", y, pred, observed=seen, sampling=chance)
    assert [*found] == [*sx.confidence_interval("f1", y, pred, sampling=chance)]


def test_two_models_of_verified_rows():
    x, true, score, seen, y, _ = _verified()
    a, b = (score > 0).astype(int), (score > 0.4).astype(int)
    found = sx.compare("f1", y, a, b, observed=seen, X=x)
    whole = sx.compare("f1", true, a, b)
    assert abs(found.value - whole.value) < 3 * found.standard_error
    assert found.p_value < 0.05


def test_columns_of_text_and_frames():
    x, _, score, seen, y, _ = _verified()
    frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "site": np.where(x[:, 0] > 0, "n", "s")})
    named = sx.confidence_interval("roc_auc", y, score, observed=seen, X=frame[["a", "b"]])
    plain = sx.confidence_interval("roc_auc", y, score, observed=seen, X=x)
    assert [*named] == pytest.approx([*plain], rel=1e-9)
    columns = dict(zip("ab", x.T, strict=True))
    assert [*sx.confidence_interval("roc_auc", y, score, observed=seen, X=columns)] == [*plain]
    text = sx.confidence_interval("roc_auc", y, score, observed=seen, X=frame)
    marks = np.column_stack([x, x[:, 0] > 0])
    assert [*text] == pytest.approx(
        [*sx.confidence_interval("roc_auc", y, score, observed=seen, X=marks)], rel=1e-6
    )
    data = frame.assign(y=y, score=score, seen=seen)
    table = sx.evaluate(
        data,
        true="y",
        score="score",
        metrics=["roc_auc"],
        observed="seen",
        X=["a", "b"],
        intervals=True,
    )
    assert table.value("roc_auc") == pytest.approx(plain.value, rel=1e-12)


def test_labels_that_are_missing_by_a_rule():
    _, true, score, *_ = _verified()
    seen = score > 0.2
    y = np.where(seen, true, np.nan)
    area = sx.confidence_interval("roc_auc", y, score, observed=seen)
    assert np.isnan(area.value)
    ends = [sx.roc_auc_score(np.where(seen, true, label), score) for label in (0, 1)]
    assert area.low < min(ends) < max(ends) < area.high
    assert "not identified" in area.note
    assert all(f"{end:.4g} if all" in area.note for end in ends)
    pred = seen.astype(int)
    recall = sx.confidence_interval("recall", y, pred, observed=seen)
    assert np.isnan(recall.value)
    precision = sx.confidence_interval("precision", y, pred, observed=seen)
    assert precision.value == pytest.approx(sx.precision_score(true, pred))
    with pytest.raises(ValueError, match="not identified"):
        sx.compare("roc_auc", y, score, score**3, observed=seen)


def test_another_population():
    x, true, score, *_ = _verified()
    pred = (score > 0).astype(int)
    there = np.random.default_rng(4).normal(size=(2500, 2)) + 0.5
    found = sx.confidence_interval("accuracy", true, pred, X=x, target=there)
    weight = np.exp(x.sum(axis=1) / 2)  # the ratio of the densities
    own = sx.confidence_interval("accuracy", true, pred, target_weight=weight)
    assert found.value == pytest.approx(own.value, abs=0.02)
    by_hand = np.average(true == pred, weights=weight)
    assert own.value == pytest.approx(by_hand, rel=1e-12)
    parts = weight * ((true == pred) - by_hand) / weight.sum()
    assert own.standard_error == pytest.approx((parts**2).sum() ** 0.5, rel=1e-9)
    assert own.n_effective == pytest.approx(weight.sum() ** 2 / (weight**2).sum(), rel=1e-9)
    assert f"worth {own.n_effective:,.0f} equally weighted ones" in own.note
    scaled = sx.confidence_interval("accuracy", true, pred, target_weight=7 * weight)
    assert [*scaled] == pytest.approx([*own], rel=1e-12)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prevalence": 1.0}, r"prevalence has to be in \(0, 1\)"),
        ({"prevalence": {0: 0.5, 1: 0.2}}, "prevalence must have a share for each class"),
        ({"prevalence": 0.1, "target_weight": np.ones(3000)}, "different questions"),
        ({"X": np.ones(3000)}, "X= goes with observed or target= only"),
        ({"target": np.ones((9, 2))}, "pass the same columns"),
        ({"target": np.ones((9, 2)) + 50}, "pass the same columns"),
        ({"target_weight": np.r_[1e9, np.ones(2999)]}, "worth 1 equally weighted ones"),
        ({"target_weight": -np.ones(3000)}, "target_weight must have a finite weight"),
        ({"observed": np.full(3000, 2)}, "observed must be True or False"),
        ({"observed": np.ones(3000, bool), "X": np.ones(4)}, "X must have a value for each"),
    ],
)
def test_refusals(changes, message):
    _, true, score, *_ = _verified()
    with pytest.raises(ValueError, match=message):
        sx.confidence_interval("f1", true, (score > 0).astype(int), **changes)


def test_missing_labels_stay_an_error():
    _, _, score, _, y, _ = _verified()
    for known in ({"prevalence": 0.2}, {"target_weight": np.ones(3000)}):
        with pytest.raises(ValueError, match=r"y_true contains NaN.*proxy="):
            sx.confidence_interval("f1", y, (score > 0).astype(int), **known)


def test_far_target_is_refused():
    x, true, score, *_ = _verified()
    with pytest.raises(ValueError, match="differs too much"):
        sx.confidence_interval("f1", true, (score > 0).astype(int), X=x, target=x + 6)


def test_an_estimated_prevalence_adds_a_variance_of_its_own_freedom():
    """Satterthwaite: the variance of the rows alone has the degrees of freedom of the rows."""
    rng = np.random.default_rng(0)
    true = np.repeat([0, 1], [60, 40])
    score, prevalence = true + rng.normal(size=100), sx.proportion_interval(60, 400)
    stated, estimated = (
        sx.confidence_interval("average_precision", true, score, prevalence=share)
        for share in (prevalence.value, prevalence)
    )
    assert estimated.value == stated.value
    ratio = estimated.standard_error / stated.standard_error
    assert 1.01 < ratio < 1.1
    assert estimated.freedom / stated.freedom == pytest.approx(ratio**4)
