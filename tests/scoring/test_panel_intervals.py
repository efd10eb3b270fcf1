"""Intervals beside the values of a panel."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_validate
from support.compare import undefined_allowed

from scoring.models import bayes, cancer, fitted, iris
from skmetrics_ext import ScorerPanel, confidence_interval


def test_intervals_are_those_of_confidence_interval():
    X, y = cancer()
    model = fitted()
    names = ["roc_auc", "accuracy", "f1", "neg_log_loss", "average_precision"]
    options = {"n_resamples": 200, "random_state": 0, "confidence_level": 0.9}
    panel = ScorerPanel(names, intervals=options)
    got = panel(model, X, y)
    assert list(got) == [*names, *(f"{n}_{end}" for n in names for end in ("low", "high"))]
    proba = model.predict_proba(X)
    for name, given in (
        ("roc_auc", proba[:, 1]),
        ("accuracy", model.predict(X)),
        ("f1", model.predict(X)),
        ("average_precision", proba[:, 1]),
    ):
        expected = confidence_interval(name, y, given, **options)
        assert got[name] == pytest.approx(expected.value, rel=1e-12)
        ends = got[f"{name}_low"], got[f"{name}_high"]
        assert ends == pytest.approx((expected.low, expected.high), rel=1e-12)
    loss = confidence_interval("log_loss", y, proba, **options)
    assert got["neg_log_loss_low"] == pytest.approx(-loss.high, rel=1e-12)
    assert got["neg_log_loss_high"] == pytest.approx(-loss.low, rel=1e-12)
    assert panel.single("roc_auc_low")(model, X, y) == got["roc_auc_low"]
    table = cross_validate(model, X, y, scoring=ScorerPanel(["accuracy"], intervals=True))
    assert (table["test_accuracy_low"] < table["test_accuracy"]).all()
    assert (table["test_accuracy"] < table["test_accuracy_high"]).all()


def test_intervals_of_text_weights_and_classes_in_any_order():
    X, y = iris()
    text = np.array(["c", "a", "b"])[y]
    model = bayes().fit(X, text)
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    panel = ScorerPanel(["f1_macro", "neg_brier_score", "accuracy"], intervals=True)
    got = panel(model, X, text, sample_weight=weight)
    for name in panel.names:
        assert got[f"{name}_low"] < got[name] < got[f"{name}_high"], name


def test_no_interval_of_what_is_undefined_or_foreign():
    X, y = cancer()
    panel = ScorerPanel({"mine": lambda estimator, X, y: 0.5, "roc_auc": "roc_auc"}, intervals=True)
    with undefined_allowed():
        got = panel(fitted(), X[y == 1], y[y == 1])
    assert got["mine"] == 0.5
    for key in ("mine_low", "mine_high", "roc_auc", "roc_auc_low", "roc_auc_high"):
        assert np.isnan(got[key])


def test_groups_reach_intervals_and_no_metric():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 120)
    X = (y + rng.normal(size=120))[:, None]
    groups = np.array([f"patient {k}" for k in np.arange(120) // 6])
    model = LogisticRegression().fit(X, y)
    panel = ScorerPanel(["roc_auc", "f1", "neg_log_loss"], intervals=True)
    found, plain = panel(model, X, y, groups=groups), panel(model, X, y)
    proba = model.predict_proba(X)[:, 1]
    area = confidence_interval("roc_auc", y, proba, groups=groups)
    assert (found["roc_auc_low"], found["roc_auc_high"]) == (area.low, area.high)
    assert [found[name] for name in panel.names] == [plain[name] for name in panel.names]
    assert all(found[f"{name}_low"] != plain[f"{name}_low"] for name in panel.names)
    alone = ScorerPanel(["roc_auc"])(model, X, y, groups=groups)
    assert alone == {"roc_auc": found["roc_auc"]}


def test_groups_are_routed_to_a_panel_that_asks():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 120)
    X = (y + rng.normal(size=120))[:, None]
    groups = np.arange(120) // 6
    with config_context(enable_metadata_routing=True):
        panel = ScorerPanel(["accuracy"], intervals=True).set_score_request(groups=True)
        options = {"cv": GroupKFold(3), "return_estimator": True, "return_indices": True}
        found = cross_validate(
            LogisticRegression(), X, y, scoring=panel, params={"groups": groups}, **options
        )
    for fold, rows in enumerate(found["indices"]["test"]):
        pred = found["estimator"][fold].predict(X[rows])
        wanted = confidence_interval("accuracy", y[rows], pred, groups=groups[rows])
        assert found["test_accuracy_low"][fold] == pytest.approx(wanted.low)


def test_the_error_for_an_unknown_bound_names_the_metrics():
    panel = ScorerPanel(["roc_auc"], intervals=True)
    for name in ("f1_low", "roc_auc_middle", "f1"):
        with pytest.raises(ValueError, match=f"'{name}' is not a metric of this panel: roc_auc"):
            panel.single(name)
