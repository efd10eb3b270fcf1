"""Scorers are of scikit-learn's scorer class, which its callbacks and tools ask for."""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import sklearn.metrics
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, RidgeClassifierCV
from sklearn.model_selection import (
    HalvingGridSearchCV,  # type: ignore[attr-defined]
    LearningCurveDisplay,
    cross_validate,
    permutation_test_score,
    validation_curve,
)
from sklearn.svm import LinearSVC

import skmetrics_ext as sx
from scoring.models import cancer

THEIRS = type(sklearn.metrics.get_scorer("accuracy")).__mro__[1]
X, Y = cancer()
X = (X[:, :4] - X[:, :4].mean(axis=0)) / X[:, :4].std(axis=0)
TEXT = np.array(["benign", "malignant"])[Y]
COPIES = {
    "itself": lambda scorer: scorer,
    "cloned": lambda scorer: clone(scorer, safe=False),
    "copied": copy.deepcopy,
    "pickled": lambda scorer: pickle.loads(pickle.dumps(scorer)),
}


NAMES = ["gini", "accuracy", "neg_log_loss"]


def model():
    return LogisticRegression(max_iter=500, C=0.1)


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize(
    "scorer",
    [sx.get_scorer("gini"), sx.make_scorer(sx.f1_score), sx.make_scorer(np.mean)],
    ids=repr,
)
def test_scorers_and_their_copies_are_of_the_class(scorer, way):
    found = COPIES[way](scorer)
    assert isinstance(found, THEIRS)
    assert isinstance(found, sx.results.Scorer)
    assert repr(found) == repr(scorer)
    assert type(found) is type(scorer)


def test_the_class_is_made_with_the_first_scorer():
    code = (
        "import sys, skmetrics_ext as sx; assert 'sklearn' not in sys.modules; "
        "sx.get_scorer('gini'); print('sklearn.metrics' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "True", done.stderr


callbacks = pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 has callbacks")


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize(
    "scoring",
    [
        sx.get_scorer("gini"),
        {"gini": sx.get_scorer("gini"), "accuracy": "accuracy"},
        sx.ScorerPanel(["gini", "accuracy"]),
    ],
    ids=["scorer", "dict", "panel"],
)
def test_a_monitor_of_a_fit_records_scores(scoring, way):
    monitor = callbacks.ScoringMonitor(scoring=COPIES[way](scoring))
    estimator = LogisticRegression().set_callbacks(monitor)
    estimator.fit(X, Y)
    last = list(monitor.get_logs().data)[-1]
    name = "score" if isinstance(scoring, sx.results.Scorer) else "gini"
    assert last[name] == sx.get_scorer("gini")(estimator, X, Y)


@pytest.mark.parametrize("name", ["gini", "f1", "average_precision", "neg_log_loss", "roc_auc"])
@pytest.mark.parametrize("positive", [None, "benign", "malignant"])
def test_logistic_regression_with_built_in_search(name, positive):
    """It rebuilds scorers from functions that have labels=, with a positive class of its own."""
    takes = name != "neg_log_loss"
    if takes and positive is None:
        scorer, y = sx.get_scorer(name), Y
    else:
        scorer, y = sx.get_scorer(name, **({"pos_label": positive} if takes else {})), TEXT
    folds = [(np.arange(0, len(Y), 2), np.arange(1, len(Y), 2))]
    options = {"max_iter": 500, "use_legacy_attributes": False, "l1_ratios": (0,)}
    fitted = LogisticRegressionCV(Cs=[0.1], cv=folds, scoring=scorer, **options).fit(X, y)
    (train, test) = folds[0]
    wanted = scorer(model().fit(X[train], y[train]), X[test], y[test])
    assert np.ravel(fitted.scores_)[0] == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize("way", [dict, sx.ScorerPanel])
def test_one_failure_among_several_scorers_loses_no_other(way):
    both = {"gini": sx.get_scorer("gini"), "log_loss": sx.get_scorer("neg_log_loss")}
    with pytest.warns(UserWarning, match="predict_proba"):
        found = cross_validate(LinearSVC(), X, Y, scoring=way(both), cv=2)
    assert np.isnan(found["test_log_loss"]).all()
    assert (found["test_gini"] > 0.5).all()


def test_scorers_with_other_positive_classes_share_no_column():
    """Average precision of each class, as in one dict and alone."""
    both = {str(k): sx.get_scorer("average_precision", pos_label=k) for k in (0, 1)}
    together = cross_validate(model(), X, Y, scoring=both, cv=3)
    for label, scorer in both.items():
        alone = cross_validate(model(), X, Y, scoring=scorer, cv=3)["test_score"]
        np.testing.assert_array_equal(together[f"test_{label}"], alone)


@pytest.mark.parametrize("way", ["itself", pytest.param("cloned", marks=pytest.mark.slow)])
def test_every_tool_that_takes_scoring(way):
    scorer = COPIES[way](sx.get_scorer("gini"))
    found = [tools(scorer), tools("roc_auc")]
    for ours, area in zip(*found, strict=True):
        np.testing.assert_allclose(ours, 2 * np.asarray(area) - 1, rtol=1e-12, atol=1e-12)


def tools(scoring):
    """Scores of tools of scikit-learn beside those in test_in_scikit_learn."""
    yield RFECV(model(), scoring=scoring, cv=2).fit(X, Y).cv_results_["mean_test_score"]
    search = HalvingGridSearchCV(model(), {"C": [0.1, 1.0]}, scoring=scoring, cv=2, random_state=0)
    yield search.fit(X, Y).best_score_
    yield validation_curve(
        model(), X, Y, param_name="C", param_range=[0.1, 1], scoring=scoring, cv=2
    )[1]
    yield permutation_test_score(
        model(), X, Y, scoring=scoring, cv=2, n_permutations=3, random_state=0
    )[1]
    boosted = HistGradientBoostingClassifier(
        max_iter=3, early_stopping=True, scoring=scoring, random_state=0
    )
    yield boosted.fit(X, Y).validation_score_
    yield RidgeClassifierCV(scoring=scoring, cv=2).fit(X, Y).best_score_
    shown = LearningCurveDisplay.from_estimator(
        model(), X, Y, train_sizes=[0.5, 1.0], cv=2, scoring=scoring
    )
    yield shown.test_scores


def test_a_selector_of_features():
    chosen = [
        SequentialFeatureSelector(model(), n_features_to_select=2, scoring=scoring, cv=2)
        .fit(X, Y)
        .get_support()
        .tolist()
        for scoring in (sx.get_scorer("gini"), "roc_auc")
    ]
    assert chosen[0] == chosen[1]


DISPATCHED = """
import numpy as np, array_api_strict as xp, skmetrics_ext as sx
from sklearn import config_context
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
rng = np.random.default_rng(0)
Y = rng.integers(0, 2, 80)
X = rng.normal(size=(80, 3)) + Y[:, None]
names = ["gini", "accuracy", "neg_log_loss"]
plain = LinearDiscriminantAnalysis().fit(X, Y)
wanted = [sx.get_scorer(name)(plain, X, Y) for name in names]
with config_context(array_api_dispatch=True):
    tensors = xp.asarray(X), xp.asarray(Y)
    model = LinearDiscriminantAnalysis().fit(*tensors)
    found = [sx.get_scorer(name)(model, *tensors) for name in names]
    panel = sx.ScorerPanel(names)(model, *tensors)
np.testing.assert_allclose(found, wanted, rtol=1e-9)
np.testing.assert_allclose(list(panel.values()), wanted, rtol=1e-9)
print("as expected")
"""


def test_array_api_dispatch():
    """SciPy has to know of the dispatch before it is imported."""
    pytest.importorskip("array_api_strict")
    env = {**os.environ, "SCIPY_ARRAY_API": "1"}
    command = [sys.executable, "-c", DISPATCHED]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.stdout.strip() == "as expected", done.stderr
