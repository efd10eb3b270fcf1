"""The search report by hand: its errors, the correction for the choice, what it takes over."""

import time

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    ParameterSampler,
    RandomizedSearchCV,
    ShuffleSplit,
    cross_val_score,
)
from sklearn.tree import DecisionTreeClassifier

from skmetrics_ext import search_report, simplest_within

RNG = np.random.default_rng(27)
N = 240
Y = np.arange(N) % 2
PROBA = np.clip(0.5 + 0.3 * (Y - 0.5)[:, None] + RNG.normal(0, 0.25, (N, 3)), 0.02, 0.98)
FOLDS = KFold(4)


class Column(ClassifierMixin, BaseEstimator):
    """The probability of class 1 is one of the columns."""

    def __init__(self, column=0, seconds=0.0):
        self.column, self.seconds = column, seconds

    def fit(self, X, y):
        time.sleep(self.seconds)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(X[:, self.column] > 0.5).astype(int)]

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, self.column], X[:, self.column]])


def report(columns, scoring, **options):
    models = {str(k): Column(k) for k in columns}
    options = {"cv": FOLDS, "n_resamples": 500, "random_state": 0, **options}
    return search_report(models, PROBA, Y, scoring=scoring, **options)


# --------------------------------------------------------------------------- the correction


def test_the_correction_of_two_candidates():
    """Noise with 0.1 of the variance chooses, and what is left of it tells, on the angle."""
    says = np.array([Y, Y])  # of both models, one label in four or five wrong
    says[0, ::4] = 1 - Y[::4]
    says[1, 1:-3:5] = 1 - Y[1:-3:5]
    says[1, 2:80:7] = 1 - Y[2:80:7]
    right = (says == Y).T
    share = right.mean(axis=0)
    angle = np.arcsin(np.sqrt(share))
    slope = 1 / (2 * np.sqrt(share * (1 - share)))
    noise = np.cov((right * slope).T) / N
    spread = np.sqrt(noise[0, 0] + noise[1, 1] - 2 * noise[0, 1])
    behind, root = abs(angle[0] - angle[1]), np.sqrt(0.1)
    z = behind / (root * spread)
    corrected = angle.max() - behind * stats.norm.sf(z) - spread / root * stats.norm.pdf(z)
    models = {"a": Column(0), "b": Column(1)}
    options = {"scoring": "accuracy", "cv": FOLDS, "n_resamples": 200_000, "random_state": 0}
    found = search_report(models, says.T, Y, **options)
    assert found.naive == pytest.approx(share.max())
    assert found.best.value == pytest.approx(np.sin(corrected) ** 2, abs=2e-4)
    assert found.best.value < found.naive - 1e-3
    # Chosen again in samples of the same noise; the difference is normal.
    chances = [row.probability_best for row in found.rows]
    assert max(chances) == pytest.approx(stats.norm.cdf(behind / spread), abs=0.005)


# Bounded on both sides, above only, below only.
@pytest.mark.parametrize("scoring", ["roc_auc", "gini", "neg_log_loss", "diagnostic_odds_ratio"])
def test_one_candidate_is_not_corrected_on_any_scale(scoring):
    found = report([0], scoring)
    (row,) = found.rows
    assert found.best.value == pytest.approx(found.naive, rel=1e-12)
    assert found.best.standard_error == pytest.approx(row.standard_error, rel=0.2)
    assert (found.best.low, found.best.high) == pytest.approx((row.low, row.high), rel=0.05)


def test_errors_of_mean_losses():
    loss = -np.log(np.where(Y == 1, PROBA[:, 1], 1 - PROBA[:, 1]))
    (row,) = report([1], "neg_log_loss").rows
    assert row.mean == pytest.approx(-loss.mean())
    assert row.standard_error == pytest.approx(loss.std(ddof=1) / np.sqrt(N))


def test_gini_is_twice_the_area_less_one():
    area, gini = report([0, 1, 2], "roc_auc"), report([0, 1, 2], "gini")
    for name in ("value", "low", "high"):
        expected = 2 * getattr(area.best, name) - 1
        assert getattr(gini.best, name) == pytest.approx(expected), name
    assert gini.best.standard_error == pytest.approx(2 * area.best.standard_error)
    for one, other in zip(area.rows, gini.rows, strict=True):
        assert other.standard_error == pytest.approx(2 * one.standard_error)
        assert other.difference_low == pytest.approx(2 * one.difference_low)


def test_errors_of_two_folds():
    """Of a function of one's own: each half is tested once, and trained on once."""

    def own(estimator, X, y):
        return float(np.mean(estimator.predict(X) == y))

    found = report([0, 1], own, cv=KFold(2))
    for k, row in enumerate(found.rows):
        values = ((PROBA[:, k] > 0.5) == Y).reshape(2, -1).mean(axis=1)
        assert row.standard_error == pytest.approx(values.std(ddof=1) * np.sqrt(1 / 2 + 1))


# --------------------------------------------------------------------------- what is taken over


def test_seconds_of_one_split_are_those_of_its_fit():
    models = {"slow": Column(0, seconds=0.05), "quick": Column(1)}
    found = search_report(
        models, PROBA, Y, scoring="accuracy", cv=ShuffleSplit(1, random_state=0), n_resamples=50
    )
    assert found.rows[0].fit_time >= 0.05


def test_candidates_of_a_random_search_that_is_not_fitted():
    grid = {"max_depth": [1, 2, 3, 4, 5]}
    tree = DecisionTreeClassifier(random_state=0)
    search = RandomizedSearchCV(tree, grid, n_iter=3, random_state=4, cv=FOLDS, scoring="accuracy")
    found = search_report(search, PROBA, Y, n_resamples=50, random_state=0)
    assert [row.params for row in found.rows] == list(ParameterSampler(grid, 3, random_state=4))


@pytest.mark.parametrize("other", [2, 3])
def test_the_default_class_of_scikit_learn_is_kept(other):
    grid = {"strategy": ["most_frequent", "stratified"]}
    y = np.where(np.random.default_rng(0).random(N) < 0.7, 1, other)
    search = GridSearchCV(DummyClassifier(random_state=0), grid, scoring="f1", cv=FOLDS)
    found = search_report(search, PROBA, y, n_resamples=50, random_state=0)
    for row, strategy in zip(found.rows, grid["strategy"], strict=True):
        model = DummyClassifier(strategy=strategy, random_state=0)
        expected = cross_val_score(model, PROBA, y, scoring="f1", cv=FOLDS).mean()
        assert row.mean == pytest.approx(expected)


def test_a_metric_of_two_classes_is_refused_before_a_fit():
    class Unfitted(Column):
        def fit(self, X, y):
            raise AssertionError("fitted")

    y = np.arange(N) % 3
    search = GridSearchCV(Unfitted(), {"column": [0, 1]}, scoring="f1", cv=FOLDS)
    for one in (search, {"own": Unfitted()}):
        scoring = {} if one is search else {"scoring": "f1", "cv": FOLDS}
        with pytest.raises(ValueError, match="f1 has no value for the 3 classes"):
            search_report(one, PROBA, y, **scoring)


@pytest.mark.parametrize("share", [0, 1, -0.2])
def test_the_tested_share_is_between_0_and_1(share):
    with pytest.raises(ValueError, match="test_size"):
        simplest_within("max_depth", test_size=share)


def test_candidates_that_guess_are_corrected_to_a_value_that_guessing_has():
    """Three classes, of which each guess is right in a third."""
    X, y = np.zeros((120, 2)), np.arange(120) % 3
    models = {
        f"guess {seed}": DummyClassifier(strategy="uniform", random_state=seed) for seed in (0, 1)
    }
    best = search_report(models, X, y, scoring="accuracy", random_state=0)
    assert 0.25 < best.best.low < 1 / 3 + 0.02 < best.best.value < best.naive < 0.6


def test_a_candidate_that_is_always_right_has_a_value_and_an_interval():
    y = np.arange(120) % 2
    columns = np.column_stack([y, np.where(np.arange(120) % 10 == 0, 1 - y, y)]) * 0.8 + 0.1
    found = search_report(
        {"all": Column(0), "most": Column(1)}, columns, y, scoring="accuracy", random_state=0
    )
    assert (found.naive, found.best.high) == (1, 1)
    assert 0.9 < found.best.low < 1
    assert found.best.value == pytest.approx(1, abs=0.01)
