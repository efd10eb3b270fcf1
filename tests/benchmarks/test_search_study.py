"""The study of searches simulates what `search_report` finds, and tells it."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from skmetrics_ext import search_report


class Stored(ClassifierMixin, BaseEstimator):
    """Says of a row what its columns say: a score and a probability of each candidate."""

    def __init__(self, column=0, far=1.0, prevalence=0.5):
        self.column, self.far, self.prevalence = column, far, prevalence

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X):
        return X[:, self.column]

    def predict(self, X):
        return (X[:, self.column] > self.far / 2).astype(int)

    def predict_proba(self, X):
        odds = self.far * X[:, self.column] - self.far**2 / 2
        odds = odds + np.log(self.prevalence / (1 - self.prevalence))
        proba = 1 / (1 + np.exp(-odds))
        return np.column_stack([1 - proba, proba])


@pytest.mark.parametrize(
    ("metric", "scoring"),
    [("auc", "roc_auc"), ("accuracy", "accuracy"), ("f1", "f1"), ("log loss", "neg_log_loss")],
)
def test_values_and_errors_are_those_of_the_report(script, metric, scoring):
    study = script("search")
    one = study.Scenario(metric, 60, 3, "unequal", prevalence=0.4)
    rng = np.random.default_rng(0)
    far = study.distances(one, rng)
    true, folds = study.sample(one, far, rng)
    values, parts = study.means_and_parts(one, far, true, folds)
    X, every = np.zeros((60, 3)), np.arange(60)
    for rows, scores in folds:
        X[rows] = scores
    splits = [(np.setdiff1d(every, rows), rows) for rows, _ in folds]
    models = {str(k): Stored(k, far[k], 0.4) for k in range(3)}
    report = search_report(models, X, true, cv=splits, scoring=scoring, n_resamples=20)
    assert [row.mean for row in report.rows] == pytest.approx(list(values))
    errors = np.sqrt((parts**2).sum(axis=0))
    assert [row.standard_error for row in report.rows] == pytest.approx(list(errors))


def test_truth_is_what_many_rows_are_worth(script):
    study = script("search")
    for metric in study.BOUNDS:
        one = study.Scenario(metric, 4_000, 1, "equal", n_folds=2, prevalence=0.3)
        far = study.distances(one, np.random.default_rng(0))
        found = []
        for seed in range(3):
            true, folds = study.sample(one, far, np.random.default_rng(seed))
            found.append(study.means_and_parts(one, far, true, folds)[0][0])
        assert study.truth(one, far)[0] == pytest.approx(np.mean(found), abs=0.015)


def test_the_line_of_a_small_study(script):
    study = script("search")
    one = study.Scenario("accuracy", 60, 3, "equal", repetitions=4)
    line = study.study(one, 0)
    assert line[:4] == ["accuracy", "60", "5", "3 equal"]
    assert line[-1] == "20, 4"
    assert len(line) == len(study.HEAD)
