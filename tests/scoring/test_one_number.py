"""A panel where one number is wanted, and scorers whose signature is read."""

import inspect
import pickle

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV
from sklearn.model_selection import (
    HalvingGridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skmetrics_ext import METRICS, ScorerPanel, get_scorer, recall_score

X, Y = make_classification(60, 4, random_state=0)
PANEL = ScorerPanel(["roc_auc", "f1"], intervals=True)
TREE = DecisionTreeClassifier(max_depth=2, random_state=0)
TOLD = r"several numbers \(roc_auc, f1.*\), and one is needed: pass panel.single\('roc_auc'\)"


@pytest.mark.parametrize(
    "ask",
    [
        lambda scoring: cross_val_score(TREE, X, Y, scoring=scoring, cv=2),
        lambda scoring: RFECV(TREE, scoring=scoring, cv=2).fit(X, Y),
        lambda scoring: HalvingGridSearchCV(
            TREE, {"max_depth": [1, 2, 3]}, scoring=scoring, cv=2
        ).fit(X, Y),
        lambda scoring: permutation_test_score(TREE, X, Y, scoring=scoring, cv=2, n_permutations=1),
        lambda scoring: TunedThresholdClassifierCV(TREE, scoring=scoring, cv=2).fit(X, Y),
        lambda scoring: learning_curve(TREE, X, Y, scoring=scoring, cv=2, train_sizes=[0.5]),
        lambda scoring: validation_curve(
            TREE, X, Y, param_name="max_depth", param_range=[1], scoring=scoring, cv=2
        ),
        lambda scoring: max(scoring(TREE.fit(X, Y), X, Y) for _ in range(2)),
        lambda scoring: float(scoring(TREE.fit(X, Y), X, Y)),
        lambda scoring: np.mean([scoring(TREE.fit(X, Y), X, Y) for _ in range(2)]),
    ],
)
# A threshold that is tuned for an area ranks labels.
@pytest.mark.filterwarnings("ignore:y_score holds only labels")
def test_a_panel_says_that_it_gives_several(ask):
    with pytest.raises((TypeError, AttributeError), match=TOLD):
        ask(PANEL)
    ask(PANEL.single("roc_auc"))


def test_displays_that_draw_one_score_name_it():
    pytest.importorskip("matplotlib")
    from sklearn.model_selection import LearningCurveDisplay

    with pytest.raises(AttributeError, match=TOLD):
        LearningCurveDisplay.from_estimator(TREE, X, Y, scoring=PANEL, cv=2)
    assert getattr(PANEL, "__name__", None) is None
    assert ScorerPanel.__name__ == "ScorerPanel"


def test_what_a_panel_gives_is_a_dict():
    found = PANEL(TREE.fit(X, Y), X, Y)
    assert list(found) == ["roc_auc", "f1", "roc_auc_low", "roc_auc_high", "f1_low", "f1_high"]
    assert repr(found) == repr(dict(found))
    assert pickle.loads(pickle.dumps(found)) == found
    assert "test_f1" in cross_validate(TREE, X, Y, scoring=PANEL, cv=2)


@pytest.mark.parametrize("scorer", [get_scorer("f1"), PANEL, PANEL.single("f1_low")])
def test_the_signature_names_what_is_passed_without_routing(scorer):
    for told in (inspect.signature(scorer), inspect.signature(scorer.__call__)):
        assert list(told.parameters) == ["estimator", "X", "y_true", "sample_weight"]
        assert told.parameters["sample_weight"].default is None
    model = GaussianNB().fit(X, Y)
    weighted = scorer(model, X, Y, sample_weight=np.ones(60))
    assert weighted == pytest.approx(scorer(model, X, Y), rel=1e-14)


def test_metadata_beyond_weights_still_reach_the_metric():
    model = GaussianNB().fit(X, Y)
    own = get_scorer("recall")(model, X, Y, pos_label=0)
    assert own == recall_score(Y, model.predict(X), pos_label=0)


def test_the_table_finds_a_row_by_the_name_of_a_scorer():
    assert METRICS["f1_macro"] is METRICS["f1"] is METRICS["f1_score"]
    assert METRICS["brier_score"] is METRICS["brier_score_loss"]
    with pytest.raises(KeyError, match="Did you mean 'f1'"):
        METRICS["f11"]
    assert "f1" not in METRICS
    assert len(METRICS) == len(set(METRICS)) == len(list(METRICS.values()))
