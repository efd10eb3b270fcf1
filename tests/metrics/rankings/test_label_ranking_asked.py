"""Metrics of the order of the labels of a row, asked in other ways than by their functions."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from support.compare import same

import skmetrics_ext as sx
from skmetrics_ext import METRICS

from .test_label_ranking import EVERY, GRADES, MARKS, SCORE, rows_of

OTHER = SCORE[::-1] + np.arange(4) / 10
WEIGHT = [1, 2, 1, 3, 1]


NAMES = {
    "coverage_error": sx.coverage_error,
    "label_ranking_average_precision": sx.label_ranking_average_precision_score,
    "label_ranking_loss": sx.label_ranking_loss,
    "dcg": sx.dcg_score,
    "ndcg": sx.ndcg_score,
}


def test_many_metrics_of_marks_and_of_grades():
    options = {"y_score": SCORE, "sample_weight": WEIGHT}
    found = sx.compute_metrics([*NAMES, "roc_auc"], MARKS, **options)
    assert found == {
        name: function(MARKS, SCORE, sample_weight=WEIGHT)
        for name, function in {**NAMES, "roc_auc": sx.roc_auc_score}.items()
    }
    found = sx.compute_metrics(["dcg", "ndcg"], GRADES, **options, k=2)
    for name in found:
        assert found[name] == NAMES[name](GRADES, SCORE, k=2, sample_weight=WEIGHT)


def test_intervals_and_differences_are_those_of_means():
    for function in EVERY:
        true = np.tile(rows_of(function), (8, 1))
        score, other = (np.tile(values, (8, 1)) for values in (SCORE, OTHER))
        weight = np.tile(WEIGHT, 8)
        found = sx.confidence_interval(function, true, score, sample_weight=weight)
        assert found.method == "hall"
        same(found.value, function(true, score, sample_weight=weight))
        assert found.low < found.value < found.high
        pair = sx.compare(function, true, score, other, n_resamples=99, random_state=0)
        same(pair.difference, function(true, score) - function(true, other))
    at_2 = partial(sx.ndcg_score, k=2)
    found = sx.confidence_interval(at_2, GRADES, SCORE)
    same(found.value, sx.ndcg_score(GRADES, SCORE, k=2))


RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 4))
Y = (X[:, :3] + RNG.normal(size=(60, 3)) > 0).astype(int)


def test_scorers_and_panels_of_a_model_of_several_labels():
    model = MultiOutputClassifier(GaussianNB()).fit(X, Y)
    proba = np.column_stack([column[:, 1] for column in model.predict_proba(X)])
    weight = np.arange(60) % 4
    names = {f"neg_{n}" if f"neg_{n}" in sx.get_scorer_names() else n: n for n in NAMES}
    panel = sx.ScorerPanel([*names, "f1_macro"], intervals=True)
    found = panel(model, X, Y, sample_weight=weight)
    for name, stem in names.items():
        sign = -1 if name.startswith("neg_") else 1
        value = sign * NAMES[stem](Y, proba, sample_weight=weight)
        same(sx.get_scorer(name)(model, X, Y, sample_weight=weight), value)
        same(found[name], value)
        assert found[f"{name}_low"] < value < found[f"{name}_high"]


def test_a_regression_of_grades_is_scored_by_what_it_predicts():
    grades = np.clip(np.round(X[:, :3] + 1), 0, 3)
    model = LinearRegression().fit(X, grades)
    scorer = sx.make_scorer(sx.ndcg_score, response_method="predict", k=2)
    same(scorer(model, X, grades), sx.ndcg_score(grades, model.predict(X), k=2))
    panel = sx.ScorerPanel({"ndcg": scorer}, intervals=True)
    found = panel(model, X, grades)
    interval = sx.confidence_interval("ndcg", grades, model.predict(X), k=2)
    same((found["ndcg_low"], found["ndcg_high"]), (interval.low, interval.high))


def test_labels_of_one_class_are_refused_by_scorers():
    model = GaussianNB().fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="format is not supported"):
        sx.get_scorer("label_ranking_average_precision")(model, X, Y[:, 0])


@pytest.mark.parametrize("name", NAMES)
def test_a_column_of_true_labels_cannot_be_ranked(name):
    frame = pd.DataFrame({"true": [0, 1], "score": [0.2, 0.3]})
    with pytest.raises(ValueError, match=f"{name} ranks several labels of each row"):
        sx.evaluate(frame, true="true", score="score", metrics=[name])
    with pytest.raises(ValueError, match=f"call {NAMES[name].__name__} with both matrices"):
        sx.Accumulator([name])


def test_rows_say_that_they_rank_labels():
    assert {name for name, row in METRICS.items() if row.ranks_labels} == {
        function.__name__ for function in EVERY
    }
