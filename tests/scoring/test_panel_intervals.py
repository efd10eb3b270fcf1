"""Intervals beside the values of a panel."""

import numpy as np
import pytest
from sklearn.model_selection import cross_validate
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
