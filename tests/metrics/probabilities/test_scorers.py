"""Scorers of probability metrics: scikit-learn's names and numbers, and folds that lack a class."""

import numpy as np
import pytest
import sklearn.metrics
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from support.versions import has

import skmetrics_ext
from skmetrics_ext import get_scorer

X, CODES = load_iris(return_X_y=True)
SHARED = ["neg_brier_score", "neg_log_loss", "d2_brier_score", "d2_log_loss_score"]
OWN = [
    "brier_skill",
    "spherical",
    "neg_expected_calibration_error_top_label",
    "neg_expected_calibration_error_classwise",
]
BINARY = ["neg_expected_calibration_error", "neg_smooth_calibration_error"]


class Fixed:
    """A fitted classifier of the first column of X, its classes in any order."""

    _estimator_type = "classifier"

    def __init__(self, classes, proba):
        self.classes_ = np.array(classes)
        self.proba = np.asarray(proba)

    def predict_proba(self, rows):
        return self.proba


# Scorers of the installed version, and its Brier scores of three classes.
THEIRS = set(SHARED) & set(sklearn.metrics.get_scorer_names())
ASKED = {(name, n) for name in THEIRS for n in (2, 3)}
if not has("brier_score_loss of several classes"):
    ASKED -= {("neg_brier_score", 3)}


@pytest.mark.parametrize(("name", "n_classes"), sorted(ASKED))
def test_equal_to_scikit_learn(name, n_classes):
    kept = n_classes > CODES
    names = np.array(["setosa", "versicolor", "virginica"])[CODES[kept]]
    rows = X[kept][:, :2]
    model = LogisticRegression().fit(rows, names)
    weight = np.arange(len(names)) % 4 + 1.0
    theirs = sklearn.metrics.get_scorer(name)
    if n_classes == 2 and "brier" in name:
        # scikit-learn passes one column and no name of its class, and so refuses text.
        theirs = sklearn.metrics.make_scorer(
            theirs._score_func,
            response_method="predict_proba",
            greater_is_better=theirs._sign > 0,
            pos_label="versicolor",
        )
    expected = theirs(model, rows, names, sample_weight=weight)
    got = get_scorer(name)(model, rows, names, sample_weight=weight)
    assert got == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", SHARED + OWN)
def test_the_order_of_the_classes_of_a_model_does_not_count(name):
    true = ["b", "a", "c", "a", "b", "c"]
    proba = np.array([[0.1, 0.6, 0.3], [0.7, 0.2, 0.1], [0.2, 0.3, 0.5]] * 2)[[0, 1, 2, 1, 0, 2]]
    rows = np.zeros((6, 1))
    sorted_columns = get_scorer(name)(Fixed(["a", "b", "c"], proba), rows, true)
    turned = get_scorer(name)(Fixed(["c", "b", "a"], proba[:, ::-1]), rows, true)
    assert turned == pytest.approx(sorted_columns, rel=1e-12)


@pytest.mark.parametrize("name", SHARED + OWN)
def test_a_fold_without_a_class_is_scored(name):
    proba = np.array([[0.1, 0.6, 0.3], [0.7, 0.2, 0.1], [0.2, 0.5, 0.3]])
    got = get_scorer(name)(Fixed(["a", "b", "c"], proba), np.zeros((3, 1)), ["b", "a", "b"])
    assert np.isfinite(got)


@pytest.mark.parametrize("name", [*SHARED, *OWN, *BINARY])
def test_two_classes_whose_order_is_turned(name):
    true, one = ["yes", "no", "yes", "no"], np.array([0.9, 0.2, 0.4, 0.3])
    model = Fixed(["yes", "no"], np.column_stack([one, 1 - one]))
    other = Fixed(["no", "yes"], np.column_stack([1 - one, one]))
    got = get_scorer(name)(model, np.zeros((4, 1)), true)
    assert got == pytest.approx(get_scorer(name)(other, np.zeros((4, 1)), true), rel=1e-9)


def test_what_only_describes_has_no_scorer():
    names = skmetrics_ext.get_scorer_names()
    assert set(SHARED + OWN + BINARY) <= set(names)
    assert not [name for name in names if "observed_expected" in name]
