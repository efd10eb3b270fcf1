"""Where scikit-learn is silently wrong: its number, the right one by hand, and ours."""

import warnings

import numpy as np
import pytest
import sklearn
import sklearn.metrics
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import FitFailedWarning, UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, PredefinedSplit, cross_validate
from sklearn.naive_bayes import GaussianNB
from support.versions import IS_REFERENCE

from skmetrics_ext import ScorerPanel, get_scorer

EPS = np.finfo(np.float64).eps
theirs = sklearn.metrics.get_scorer


@pytest.fixture(scope="module")
def unseen():
    """Trained on iris classes {0, 1}, tested on {0, 2}: a third of the rows are class 0."""
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X[y < 2], y[y < 2])
    rows = np.flatnonzero(y != 1)[25:]
    return model, X[rows], y[rows]


def test_log_loss_of_a_class_never_seen(unseen):
    model, X, y = unseen
    assert get_scorer("accuracy")(*unseen) == pytest.approx(1 / 3)
    positional = theirs("neg_log_loss")(*unseen)
    assert -0.02 < positional < 0  # column 1, of class 1, is read as that of class 2
    p = np.clip(model.predict_proba(X)[:, 0], EPS, 1 - EPS)
    by_hand = np.mean(np.where(y == 0, np.log(p), np.log(EPS)))
    assert by_hand == pytest.approx(-24.0, abs=0.05)
    with pytest.warns(UndefinedMetricWarning, match=r"never saw the classes \[2\]"):
        assert get_scorer("neg_log_loss")(*unseen) == pytest.approx(by_hand, rel=1e-9)


def test_area_of_a_class_never_seen(unseen):
    assert theirs("roc_auc_ovr")(*unseen) == 1.0
    with pytest.warns(UndefinedMetricWarning, match=r"never saw the classes \[2\]"):
        assert np.isnan(get_scorer("roc_auc_ovr")(*unseen))


def average_precision(mark, score):
    """Precision at each row of the class, over the rows in falling order of score."""
    hits = mark[np.argsort(-score, kind="stable")]
    return np.mean((np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits])


def test_average_precision_of_both_classes_in_one_call():
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(len(y), 1)) + y[:, None]
    model = GaussianNB().fit(X[::2], y[::2])
    X, y = X[1::2], y[1::2]
    by_hand = average_precision(y == 0, model.predict_proba(X)[:, 0])
    ap = sklearn.metrics.average_precision_score
    scorers = {
        str(k): sklearn.metrics.make_scorer(ap, response_method="predict_proba", pos_label=k)
        for k in (1, 0)
    }
    alone = scorers["0"](model, X, y)
    beside = sklearn.metrics.check_scoring(model, scorers)(model, X, y)["0"]
    assert alone == pytest.approx(by_hand, rel=1e-12)
    if IS_REFERENCE:
        assert beside < alone - 0.2  # scores of class 1 read as those of class 0
    ours = {str(k): get_scorer("average_precision", pos_label=k) for k in (1, 0)}
    got = sklearn.metrics.check_scoring(model, ours)(model, X, y)["0"]
    assert got == pytest.approx(by_hand, rel=1e-12)
    assert ScorerPanel(ours)(model, X, y)["0"] == pytest.approx(by_hand, rel=1e-12)


@pytest.fixture
def lacking():
    """Iris in three folds, of which the first has no row of class 2."""
    X, y = load_iris(return_X_y=True)
    fold = np.arange(len(y)) % 3
    fold[(y == 2) & (fold == 0)] = 1
    return X[:, :2], y, PredefinedSplit(fold), fold


def test_a_class_that_a_fold_lacks(lacking):
    X, y, cv, fold = lacking
    model = GaussianNB()
    names = ("roc_auc_ovr", "neg_log_loss")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        his = cross_validate(model, X, y, cv=cv, scoring=list(names))
    ours = cross_validate(model, X, y, cv=cv, scoring={name: get_scorer(name) for name in names})
    train, test = fold != 0, fold == 0
    proba = model.fit(X[train], y[train]).predict_proba(X[test])
    own = y[test]
    loss = np.log(proba[np.arange(len(own)), own]).mean()
    areas = [
        np.mean(np.sign(proba[own == k, k][:, None] - proba[own != k, k]) / 2 + 0.5) for k in (0, 1)
    ]
    for name, by_hand in (("neg_log_loss", loss), ("roc_auc_ovr", np.mean(areas))):
        assert np.isnan(his[f"test_{name}"][0])
        assert ours[f"test_{name}"][0] == pytest.approx(by_hand, rel=1e-9)
        np.testing.assert_allclose(ours[f"test_{name}"][1:], his[f"test_{name}"][1:], rtol=1e-12)


def test_one_such_fold_does_not_choose_the_first_candidate(lacking):
    X, y, cv, _ = lacking
    grid = {"var_smoothing": [100.0, 1e-9]}  # the first is worse by far
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        his = GridSearchCV(GaussianNB(), grid, scoring="neg_log_loss", cv=cv).fit(X, y)
    assert np.isnan(his.cv_results_["mean_test_score"]).all()
    assert his.best_index_ == 0
    for scoring in (get_scorer("neg_log_loss"), ScorerPanel(["roc_auc_ovr", "neg_log_loss"])):
        refit = "neg_log_loss" if isinstance(scoring, ScorerPanel) else True
        ours = GridSearchCV(GaussianNB(), grid, scoring=scoring, cv=cv, refit=refit).fit(X, y)
        assert ours.best_index_ == 1
        key = "mean_test_score" if refit is True else f"mean_test_{refit}"
        assert np.isfinite(ours.cv_results_[key]).all()


def test_a_fold_without_positives():
    y = np.array([0, 0, 1, 0, 1, 1])
    X = np.arange(6.0)[:, None]
    model = GaussianNB().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert theirs("average_precision")(model, X[:2], y[:2]) == 0.0
    with pytest.warns(UndefinedMetricWarning, match="no row is of the class 1"):
        assert np.isnan(get_scorer("average_precision")(model, X[:2], y[:2]))


def test_weights_reach_what_gives_a_dict():
    """With routing a plain function that returns a dict gets no weights; the panel does."""
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :2]
    weight = np.where(y == 1, 1.0, 9.0)
    params = {"sample_weight": weight}

    def plain(estimator, X, y, sample_weight=None):
        return {"accuracy": estimator.score(X, y, sample_weight=sample_weight)}

    with sklearn.config_context(enable_metadata_routing=True):
        model = (
            GaussianNB().set_fit_request(sample_weight=False).set_score_request(sample_weight=True)
        )
        panel = ScorerPanel(["accuracy", "roc_auc"]).set_score_request(sample_weight=True)
        ours = cross_validate(model, X, y, scoring=panel, params=params)["test_accuracy"]
        single = sklearn.metrics.get_scorer("accuracy").set_score_request(sample_weight=True)
        right = cross_validate(model, X, y, scoring=single, params=params)["test_score"]
        try:
            his = cross_validate(model, X, y, scoring=plain, params=params)["test_accuracy"]
        except (TypeError, ValueError, sklearn.exceptions.UnsetMetadataPassedError):
            his = None
    np.testing.assert_allclose(ours, right, rtol=1e-12)
    assert his is None or not np.allclose(his, right)


def test_a_metric_that_raises_does_not_lose_the_others():
    X, y = load_iris(return_X_y=True)
    fold = np.arange(len(y)) % 5

    def half(estimator, X_test, y_test):
        if (X_test == X[fold == 1]).all():
            raise KeyError("no such row")
        return 0.5

    def as_dict(estimator, X_test, y_test):
        return {"half": half(estimator, X_test, y_test), "accuracy": 1.0}

    cv = PredefinedSplit(fold)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", (UserWarning, FitFailedWarning))
        with pytest.raises(TypeError, match="not subscriptable"):
            cross_validate(GaussianNB(), X, y, scoring=as_dict, cv=cv)
    panel = ScorerPanel({"half": half, "accuracy": "accuracy"})
    with pytest.warns(UndefinedMetricWarning, match=r"half: KeyError: 'no such row'"):
        got = cross_validate(GaussianNB(), X, y, scoring=panel, cv=cv)
    np.testing.assert_array_equal(got["test_half"], [0.5, np.nan, 0.5, 0.5, 0.5])
    assert np.isfinite(got["test_accuracy"]).all()
