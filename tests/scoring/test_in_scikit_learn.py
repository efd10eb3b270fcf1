"""Scorers as ``scoring=`` of scikit-learn's tools, beside scikit-learn's own scorers."""

import pickle
from functools import cache

import numpy as np
import pytest
import sklearn.metrics
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_multilabel_classification
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from support.compare import undefined_allowed
from support.versions import has

from scoring.models import Fixed, bayes, cancer, fitted, iris, logistic
from skmetrics_ext import METRICS, get_scorer, get_scorer_names, make_scorer, matthews_corrcoef

SMOOTHING = {"var_smoothing": [1e-9, 0.1, 1.0]}
EXACT = {"rtol": 1e-12, "atol": 1e-14}
SHARED = sorted(set(get_scorer_names()) & set(sklearn.metrics.get_scorer_names()))
# Brier scores of three classes.
LATER = set() if has("brier_score_loss of several classes") else {"neg_brier_score"}
MULTILABEL_ONLY = {name for name in SHARED if name.endswith("_samples")}


def test_many_scorers_have_scikit_learns_name():
    assert {"f1_weighted", "neg_log_loss", "roc_auc_ovo_weighted"} <= set(SHARED)


@cache
def scores_by_fold(model, data):
    """Every shared scorer, ours and theirs, on the same fits."""
    both = {f"ours {name}": get_scorer(name) for name in SHARED}
    both |= {f"theirs {name}": sklearn.metrics.get_scorer(name) for name in SHARED}
    with undefined_allowed():
        return cross_validate(model(), *data(), scoring=both, cv=3)


SINGLE_LABEL = sorted(set(SHARED) - MULTILABEL_ONLY)
CASES = [pytest.param(name, bayes, cancer, id=f"{name}-two classes") for name in SINGLE_LABEL]
# For three classes average precision reads predict_proba here and decision_function there.
CASES += [
    pytest.param(name, logistic, iris, id=f"{name}-three classes")
    for name in SINGLE_LABEL
    if name not in {"average_precision"} | LATER
]


@pytest.mark.parametrize(("name", "model", "data"), CASES)
def test_cross_validation_equals_scikit_learns(name, model, data):
    """The same values, and nan where both refuse three classes."""
    results = scores_by_fold(model, data)
    ours, theirs = results[f"test_ours {name}"], results[f"test_theirs {name}"]
    np.testing.assert_allclose(ours, theirs, **EXACT)


@pytest.mark.parametrize("name", sorted(MULTILABEL_ONLY))
def test_averages_over_outputs(name):
    X, y = make_multilabel_classification(60, random_state=0)
    model = KNeighborsClassifier().fit(X[:30], y[:30])
    with undefined_allowed():
        ours = get_scorer(name)(model, X[30:], y[30:])
        theirs = sklearn.metrics.get_scorer(name)(model, X[30:], y[30:])
    assert ours == pytest.approx(theirs, rel=1e-12)


def test_grid_search_by_gini():
    X, y = load_breast_cancer(return_X_y=True)
    X = X / X.std(axis=0)
    grid = {"C": [0.1, 1, 10]}
    search = GridSearchCV(LogisticRegression(max_iter=500), grid, scoring=get_scorer("gini"))
    areas = GridSearchCV(LogisticRegression(max_iter=500), grid, scoring="roc_auc")
    search.set_params(n_jobs=2, cv=3).fit(X[:, :6], y)
    areas.set_params(cv=3).fit(X[:, :6], y)
    for key in ("mean_test_score", "split0_test_score", "split2_test_score"):
        np.testing.assert_allclose(search.cv_results_[key], 2 * areas.cv_results_[key] - 1, **EXACT)
    assert search.best_params_ == areas.best_params_


def test_a_search_is_copied_with_its_scorer():
    X, y = cancer()
    search = GridSearchCV(bayes(), SMOOTHING, scoring=get_scorer("gini")).fit(X, y)
    copy = pickle.loads(pickle.dumps(search))
    assert copy.score(X, y) == search.score(X, y)
    assert clone(search).fit(X, y).best_score_ == search.best_score_


def test_several_metrics_at_once():
    X, y = cancer()
    scoring = {"gini": get_scorer("gini"), "f1": get_scorer("f1"), "area": "roc_auc"}
    got = cross_validate(bayes(), X, y, scoring=scoring, n_jobs=2, return_train_score=True)
    for part in ("test", "train"):
        np.testing.assert_allclose(got[f"{part}_gini"], 2 * got[f"{part}_area"] - 1, **EXACT)
    np.testing.assert_allclose(
        got["test_f1"], cross_val_score(bayes(), X, y, scoring="f1"), **EXACT
    )
    search = GridSearchCV(bayes(), SMOOTHING, scoring=scoring, refit="gini").fit(X, y)
    assert search.best_score_ == search.cv_results_["mean_test_gini"].max()


def test_randomized_search_and_learning_curve():
    X, y = cancer()
    ours, theirs = (
        RandomizedSearchCV(bayes(), SMOOTHING, n_iter=2, scoring=scoring, random_state=0).fit(X, y)
        for scoring in (get_scorer("neg_log_loss"), "neg_log_loss")
    )
    key = "mean_test_score"
    np.testing.assert_allclose(ours.cv_results_[key], theirs.cv_results_[key], **EXACT)
    ours, theirs = (
        learning_curve(bayes(), X, y, scoring=scoring, train_sizes=[0.5, 1.0])[2]
        for scoring in (get_scorer("roc_auc"), "roc_auc")
    )
    np.testing.assert_allclose(ours, theirs, **EXACT)


@pytest.mark.parametrize("name", ["f1", "balanced_accuracy"])
def test_tuned_threshold(name):
    X, y = cancer()
    ours, theirs = (
        TunedThresholdClassifierCV(bayes(), scoring=scoring, cv=3).fit(X, y)
        for scoring in (get_scorer(name), name)
    )
    assert ours.best_threshold_ == theirs.best_threshold_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-12)


def test_tuned_threshold_of_text_labels():
    X, y = cancer()
    text = np.where(y == 1, "well", "ill")
    scorer = get_scorer("f1", pos_label="well")
    ours = TunedThresholdClassifierCV(bayes(), scoring=scorer, cv=3).fit(X, text)
    theirs = TunedThresholdClassifierCV(bayes(), scoring="f1", cv=3).fit(X, y)
    assert ours.best_threshold_ == theirs.best_threshold_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-12)


def test_permutation_importance():
    X, y = cancer()
    gini, area = (
        permutation_importance(fitted(), X, y, scoring=scoring, n_repeats=3, random_state=0)
        for scoring in (get_scorer("gini"), "roc_auc")
    )
    np.testing.assert_allclose(gini.importances, 2 * area.importances, rtol=1e-10, atol=1e-12)
    both = {"gini": get_scorer("gini"), "error": get_scorer("neg_error_rate")}
    several = permutation_importance(fitted(), X, y, scoring=both, n_repeats=3, random_state=0)
    np.testing.assert_array_equal(several["gini"].importances, gini.importances)


def test_decision_function_is_enough_for_areas():
    X, y = cancer()
    model = LinearSVC().fit((X - X.mean(0)) / X.std(0), y)
    X = (X - X.mean(0)) / X.std(0)
    theirs = sklearn.metrics.get_scorer("roc_auc")(model, X, y)
    assert get_scorer("roc_auc")(model, X, y) == pytest.approx(theirs, rel=1e-12)
    with pytest.raises(AttributeError, match=r"LinearSVC has none.*predict_proba.*neg_log_loss"):
        get_scorer("neg_log_loss")(model, X, y)


def test_own_functions():
    X, y = cancer()
    model = fitted()
    hits = make_scorer(lambda y_true, y_pred: np.mean(y_true == y_pred))
    assert hits(model, X, y) == get_scorer("accuracy")(model, X, y)
    loss = make_scorer(
        lambda y_true, p: np.mean((y_true - p) ** 2),
        response_method="predict_proba",
        greater_is_better=False,
    )
    expected = -np.mean((y - model.predict_proba(X)[:, 1]) ** 2)
    assert loss(model, X, y) == pytest.approx(expected, rel=1e-12)
    by_function = get_scorer(matthews_corrcoef)(model, X, y)
    assert by_function == get_scorer("matthews_corrcoef")(model, X, y)


@pytest.mark.parametrize("name", get_scorer_names())
def test_every_scorer_is_a_value(name):
    scorer = get_scorer(name)
    for copy in (pickle.loads(pickle.dumps(scorer)), clone(scorer)):
        assert copy is not scorer
        assert repr(copy) == repr(scorer)
        assert repr(name) in repr(copy)
    assert get_scorer(scorer) is scorer


@pytest.mark.parametrize("name", get_scorer_names())
def test_a_greater_score_is_better(name):
    """A model scores above the one that always says the opposite."""
    X, y = cancer()
    if name.endswith("_samples") or METRICS[name].ranks_labels:  # rows of several labels
        with pytest.raises(ValueError, match=r"[Ss]ample|format"):
            get_scorer(name)(fitted(), X, y)
        return
    proba = fitted().predict_proba(X)
    with undefined_allowed():
        good = get_scorer(name)(fitted(), X, y)
        bad = get_scorer(name)(Fixed().fit(X, y), proba[:, ::-1], y)
    assert isinstance(good, float)
    if name == "top_k_accuracy":  # both classes are among the first two
        assert good == bad == 1.0
    else:
        assert good > bad or np.isnan(bad)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ginni", "'ginni' is not a valid scoring value. Did you mean 'gini'"),
        ("log_loss", "'log_loss' is a loss.*its scorer is 'neg_log_loss'"),
        ("neg_log_los", "Did you mean 'neg_log_loss'"),
        ("f1_macr", "Did you mean 'f1_macro'"),
        ("xyzzy", r"'xyzzy' is not a valid scoring value. skmetrics_ext.get_scorer_names\(\)"),
    ],
)
def test_a_wrong_name_lists_near_ones(name, hint):
    with pytest.raises(ValueError, match=hint):
        get_scorer(name)


def test_a_function_that_is_no_metric():
    with pytest.raises(ValueError, match=r"not a registered metric: .*make_scorer"):
        get_scorer(max)
    with pytest.raises(ValueError, match=r"missing has to be one of.*'guess'"):
        get_scorer("gini", missing="guess")
