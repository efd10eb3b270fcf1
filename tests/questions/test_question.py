"""A question asked of rows: whatever they come from, one view for metrics that read alike."""

import re

import numpy as np
import pytest
from sklearn import metrics as reference
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from skmetrics_ext import get_scorer, kernels
from skmetrics_ext.questions import AskedMetric, Question, Rows
from skmetrics_ext.registry import find

METHODS = ("predict", "predict_proba", "decision_function")
READS = {
    "labels": ("predict", False),
    "scores": (("decision_function", "predict_proba"), False),
    "probabilities": ("predict_proba", False),
}
NAMES = ["accuracy", "f1_macro", "roc_auc_ovr", "average_precision", "log_loss", "brier_score"]


def fitted(load=load_breast_cancer):
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    return LogisticRegression(max_iter=500).fit(X[::2], y[::2]), X[1::2], y[1::2]


def ask(name, rows, **options):
    metric = find(name)
    return Question(**options).of(metric, rows, READS[metric.spec.response], "a test")


def stored(model, X, y):
    """The same rows by their responses, as a report keeps them."""
    return Rows(y, {method: getattr(model, method)(X) for method in METHODS}, model.classes_)


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_model_and_its_stored_responses_give_one_value(load, name, weighted):
    model, X, y = fitted(load)
    weight = np.random.default_rng(0).integers(0, 3, len(y)) if weighted else None
    found = [
        ask(name, rows.weighted(weight)).value()
        for rows in (Rows.of_model(model, X, y), stored(model, X, y))
    ]
    scorer = get_scorer(f"neg_{name}" if find(name).spec.greater_is_better is False else name)
    assert found[0] == found[1] == abs(scorer(model, X, y, sample_weight=weight))


def test_values_are_those_of_scikit_learn():
    model, X, y = fitted()
    rows, proba = Rows.of_model(model, X, y), model.predict_proba(X)
    expected = {
        "accuracy": reference.accuracy_score(y, model.predict(X)),
        "f1_macro": reference.f1_score(y, model.predict(X), average="macro"),
        "roc_auc": reference.roc_auc_score(y, proba[:, 1]),
        "average_precision": reference.average_precision_score(y, proba[:, 1]),
        "log_loss": reference.log_loss(y, proba),
    }
    for name, value in expected.items():
        assert ask(name, rows).value() == pytest.approx(value, rel=1e-12), name


def test_each_method_is_called_once_and_labels_are_encoded_once(monkeypatch):
    model, X, y = fitted()
    called, encode = [], kernels.encode

    class Counting:
        classes_ = model.classes_

        def __getattr__(self, method):
            if method not in METHODS:
                raise AttributeError(method)
            return lambda X: called.append(method) or getattr(model, method)(X)

    def counted(*columns):
        called.append("encode")
        return encode(*columns)

    monkeypatch.setattr(kernels, "encode", counted)
    rows = Rows.of_model(Counting(), X, y)
    views = [ask(name, rows).view for name in ("accuracy", "f1", "recall", "roc_auc", "gini")]
    views += [ask(name, rows).view for name in ("log_loss", "brier_score")]
    assert sorted(called) == ["decision_function", "encode", "predict", "predict_proba"]
    assert views[0] is views[1] is views[2]
    assert views[3] is views[4]


@pytest.mark.parametrize("name", NAMES)
def test_selected_rows_are_asked_as_those_rows(name):
    model, X, y = fitted()
    chosen = np.random.default_rng(1).permutation(len(y))[: len(y) // 2]
    asked = ask(name, Rows.of_model(model, X, y))
    assert isinstance(asked, AskedMetric)
    alone = ask(name, Rows.of_model(model, X[chosen], y[chosen]))
    assert asked.select(chosen).value() == pytest.approx(alone.value(), rel=1e-13)
    twice = asked.select(chosen).select(slice(0, 40))
    assert twice.value() == pytest.approx(asked.select(chosen[:40]).value(), rel=1e-13)


@pytest.mark.parametrize("name", ["accuracy", "f1_macro", "roc_auc_ovr", "log_loss"])
def test_a_row_without_weight_is_an_absent_row(name):
    model, X, y = fitted(load_iris)
    weight = np.ones(len(y))
    weight[::3] = 0
    kept = weight > 0
    found = ask(name, Rows.of_model(model, X, y).weighted(weight)).value()
    assert found == pytest.approx(ask(name, Rows.of_model(model, X[kept], y[kept])).value())


@pytest.mark.parametrize(
    ("missing", "reason"),
    [("align", "has no score for them"), ("nan", r"never seen in training: \[2\]")],
)
def test_the_policy_gives_the_reason(missing, reason):
    _, X, y = fitted(load_iris)
    known = y < 2
    two = LogisticRegression(max_iter=500).fit(X[known], y[known])
    asked = ask("roc_auc_ovr", Rows.of_model(two, X, y), missing=missing)
    assert asked.checked is None
    assert re.search(reason, asked.reason)


def test_weights_of_one_metric_leave_those_of_another():
    model, X, y = fitted()
    rows, weight = Rows.of_model(model, X, y), np.arange(len(y)) % 3
    assert rows.weighted(weight) is rows.weighted(weight)
    assert rows.weighted(weight).response("predict") is rows.response("predict")
    plain = reference.accuracy_score(y, model.predict(X))
    weighed = reference.accuracy_score(y, model.predict(X), sample_weight=weight)
    assert ask("accuracy", rows.weighted(weight)).value() == pytest.approx(weighed)
    assert ask("accuracy", rows).value() == pytest.approx(plain)
