"""What other tools ask of scorers, panels, metrics and reports, without the tools."""

import inspect
import json
import math
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from support.markdown import ROOT, blocks

import skmetrics_ext as sx

X, Y = make_classification(60, 4, random_state=0)
MODEL = GaussianNB().fit(X, Y)
PANEL = sx.ScorerPanel(["gini", "f1"], intervals=True)
NAME_OF_A_METRIC = re.compile(r"[\w.\- :/]+")  # what MLflow takes


def test_trackers_are_given_floats_by_plain_names():
    found = PANEL(MODEL, X, Y)
    assert isinstance(found, dict)
    assert {type(value) for value in found.values()} == {float}
    assert all(map(NAME_OF_A_METRIC.fullmatch, found))
    assert json.loads(json.dumps(found)) == found
    assert all(map(NAME_OF_A_METRIC.fullmatch, sx.get_scorer_names()))


def test_rows_of_a_report_have_floats():
    report = sx.cross_validation_report(MODEL, X, Y, scoring=["gini", "f1"], cv=2)
    for row in report.summary():
        values = [row.mean, row.low, row.high]
        assert {type(value) for value in values} == {float}
        assert all(math.isfinite(value) for value in values)


@pytest.mark.parametrize("name", ["gini", "neg_log_loss", "f1_macro"])
def test_a_scorer_has_its_name(name):
    assert sx.get_scorer(name).__name__ == name


def test_a_scorer_of_a_function_has_that_of_the_function():
    def cost(y_true, y_pred):
        return 0.0

    assert sx.make_scorer(cost).__name__ == "cost"
    assert type(sx.make_scorer(cost)).__name__ == "Scorer"


@pytest.mark.parametrize("metric", [sx.gini_score, sx.roc_auc_score, sx.log_loss])
def test_boosting_calls_a_metric_with_two_arrays_and_reads_its_name(metric):
    proba = MODEL.predict_proba(X)[:, 1].astype(np.float32)
    value = metric(Y.astype(np.float32), proba)
    assert float(value) == pytest.approx(metric(Y, proba.astype(float)), rel=1e-6)
    assert metric.__name__.isidentifier()
    first, second = list(inspect.signature(metric).parameters.values())[:2]
    assert {first.name, second.name} <= {"y_true", "y_score", "y_proba", "y_pred"}


def test_fairness_tools_call_a_metric_with_slices_of_columns():
    table = pd.DataFrame({"true": Y, "pred": MODEL.predict(X), "weight": 1.0}, index=range(9, 69))
    for _, rows in table.groupby(X[:, 0] > 0):
        found = sx.specificity_score(rows["true"], rows["pred"], sample_weight=rows["weight"])
        assert found == sx.specificity_score(rows["true"].to_numpy(), rows["pred"].to_numpy())


def test_a_test_runs_each_recipe_with_its_tool():
    recipes = [
        block.before.removeprefix("<!-- not run: needs ").removesuffix(" -->")
        for block in blocks(ROOT / "docs" / "other_tools.md")
        if block.before.startswith("<!-- not run: needs ")
    ]
    told = (ROOT / "tests" / "hosts" / "test_recipes.py").read_text(encoding="utf-8")
    assert len(recipes) > 10
    assert [tool for tool in recipes if f'"{tool}"' not in told] == []
