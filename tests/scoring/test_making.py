"""How scorers are made and shown, and which names of groups they take."""

import inspect
import warnings

import numpy as np
import pytest
import sklearn.metrics
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from support.stored import Stored

from skmetrics_ext import (
    ScorerPanel,
    confusion_matrix,
    cross_validation_report,
    f1_score,
    get_scorer,
    get_scorer_names,
    log_loss,
    make_scorer,
    roc_auc_score,
)
from skmetrics_ext.registry import find
from skmetrics_ext.scoring.scorer import check_classes, read_as_scorer

Y = np.array([0, 1, 1, 0, 1, 0])
OF_1 = np.array([0.2, 0.9, 0.4, 0.3, 0.7, 0.6])
PROBA = np.column_stack([1 - OF_1, OF_1])
MODEL = Stored(np.arange(2), {"predict": np.array([0, 1, 0, 0, 1, 1]), "predict_proba": PROBA})
WEIGHT = np.array([1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize("column", ["my region", "1st", "", "sample_weight", 3, None.__class__])
def test_a_column_of_groups_has_the_name_of_an_argument(column):
    with pytest.raises(ValueError, match="worst_of must be a name that can be a keyword argument"):
        get_scorer("recall", worst_of=column)


@pytest.mark.parametrize("options", [{"min_rows": 2}, {"min_rows": 0}, {"min_rows": -1}])
def test_a_least_number_of_rows_is_of_groups(options):
    with pytest.raises(ValueError, match=r"^min_rows applies to groups: pass worst_of= as well"):
        get_scorer("recall", **options)
    with pytest.raises(ValueError, match=r"^worst_of_bound applies to groups"):
        get_scorer("recall", worst_of_bound=True, **options)
    assert repr(get_scorer("recall", min_rows=1)) == "get_scorer('recall')"


@pytest.mark.parametrize(
    ("name", "sign"), [("recall", 1), ("roc_auc", 1), ("neg_log_loss", -1), ("neg_error_rate", -1)]
)
def test_scorers_of_losses_are_negative(name, sign):
    function = find(name).function
    for scorer in (get_scorer(name), get_scorer(function)):
        got = scorer(MODEL, None, Y)
        assert np.sign(got) == sign
    response = MODEL.predict(0) if name in ("recall", "neg_error_rate") else OF_1
    assert got == pytest.approx(sign * function(Y, response), rel=1e-14)


@pytest.mark.parametrize("greater", [True, False])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_functions_of_the_user_and_their_negatives(greater, weight):
    def share(y_true, y_pred, sample_weight=None):
        return np.average(y_pred, weights=sample_weight)

    scorer = make_scorer(share, greater_is_better=greater)
    expected = np.average(MODEL.predict(0), weights=weight)
    got = scorer(MODEL, None, Y, sample_weight=weight)
    assert got == (expected if greater else -expected)
    assert repr(scorer) == f"make_scorer(share, greater_is_better={greater})"
    assert scorer.get_metadata_routing().score.requests == {"sample_weight": None}
    assert make_scorer(lambda y, p: 1).get_metadata_routing().score.requests == {}


def test_a_function_of_ours_with_its_parameters():
    scorer = make_scorer(f1_score, pos_label=0, zero_division=0)
    assert scorer(MODEL, None, Y) == f1_score(Y, MODEL.predict(0), pos_label=0)
    shown = "make_scorer(f1_score, greater_is_better=True, pos_label=0, zero_division=0)"
    assert repr(scorer) == shown
    loss = make_scorer(log_loss, greater_is_better=False, response_method="predict_proba")
    assert loss(MODEL, None, Y) == -log_loss(Y, OF_1)
    area = make_scorer(roc_auc_score, response_method=("decision_function", "predict_proba"))
    assert area(MODEL, None, Y) == roc_auc_score(Y, OF_1)
    for one in (scorer, loss, area):  # LogisticRegressionCV would set them
        assert "labels" not in inspect.signature(one._score_func).parameters
        assert one._score_func(Y, Y if one is scorer else OF_1) > 0


def test_functions_that_are_no_score_have_no_scorer():
    with pytest.raises(ValueError, match=r"confusion_matrix.* is not a registered metric: pass"):
        get_scorer(confusion_matrix)


@pytest.mark.parametrize("name", ["nothing", "neg_nothing", "error_rate", "brier_score"])
def test_names_that_are_no_scorers(name):
    told = f"'{name}' is (a loss.*'neg_{name}'|not a valid scoring value)"
    with pytest.raises(ValueError, match=told):
        get_scorer(name)


def test_names_are_sorted():
    names = get_scorer_names()
    assert names == sorted(set(names))
    assert {"roc_auc", "neg_log_loss"} < set(names)
    assert "log_loss" not in names


# --------------------------------------------------------------------------- several classes


OF_SEVERAL = {
    "f1": "f1_macro, f1_micro, f1_weighted.",
    "recall": "recall_macro, recall_micro, recall_weighted.",
    "roc_auc": "roc_auc_ovr, roc_auc_ovo, roc_auc_ovr_weighted, roc_auc_ovo_weighted.",
    "gini": "gini_ovr, gini_ovo, gini_ovr_weighted, gini_ovo_weighted.",
}
OF_ANY = ["f1_macro", "roc_auc_ovr", "accuracy", "average_precision", "neg_log_loss"]


@pytest.mark.parametrize("n_classes", [2, 3, 4, 12])
@pytest.mark.parametrize("name", [*OF_SEVERAL, *OF_ANY])
def test_metrics_of_two_classes_are_refused_for_more(name, n_classes):
    """Before anything is fitted, with the names of those of several classes."""
    classes = [f"class {k}" for k in range(n_classes)]
    if name in OF_ANY or n_classes == 2:
        check_classes(get_scorer(name), classes)
        return
    with pytest.raises(ValueError, match="has no value for the") as told:
        check_classes(get_scorer(name), classes)
    found = str(told.value)
    assert found.startswith(f"{name} has no value for the {n_classes} classes {classes[:10]}: ")
    assert found.endswith(f" Scorers for several classes: {OF_SEVERAL[name]}")


def test_functions_of_the_user_are_not_refused_for_several_classes():
    check_classes(make_scorer(lambda y, pred: 0.5), [0, 1, 2])
    check_classes(max, [0, 1, 2])
    check_classes(get_scorer("f1", average="macro"), [0, 1, 2])
    check_classes(get_scorer("roc_auc", multi_class="ovo"), [0, 1, 2])
    with pytest.raises(ValueError, match="f1 has no value for the 3 classes"):
        check_classes(get_scorer("f1", pos_label=1), [0, 1, 2])


def test_the_rows_of_features_are_those_of_the_labels():
    X = np.zeros((5, 2))
    told = r"inconsistent numbers of samples: \[5, 6\] \(X: 5, y_true: 6\)"
    model = Stored(np.arange(2), {"predict": np.zeros(5, int)})
    with pytest.raises(ValueError, match=told):
        ScorerPanel(["accuracy"])(model, X, Y)
    with pytest.raises(ValueError, match="y_true: 6, y_pred: 5"):
        get_scorer("accuracy")(model, X, Y)


def test_a_model_of_one_class_is_not_reported():
    with pytest.raises(ValueError, match="y holds the single class 0"):
        cross_validation_report(GaussianNB(), np.zeros((6, 1)), np.zeros(6, int))


def test_a_signature_ends_before_metadata():
    def call(self, estimator, X, y_true, sample_weight=None, **metadata):
        pass

    def plain(first, *rest, last=1):
        pass

    assert [*inspect.signature(read_as_scorer(call)).parameters] == [
        *("self", "estimator", "X", "y_true", "sample_weight"),
    ]
    assert [*inspect.signature(read_as_scorer(plain)).parameters] == ["first", "rest", "last"]


def _breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :3]
    return LogisticRegression(max_iter=5000).fit(X, y), X, y


def test_a_registered_metric_reads_its_own_response():
    model, X, y = _breast_cancer()
    area = sklearn.metrics.roc_auc_score(y, model.decision_function(X))
    loss = sklearn.metrics.log_loss(y, model.predict_proba(X))
    assert make_scorer(roc_auc_score)(model, X, y) == pytest.approx(area)
    of_loss = make_scorer(log_loss, greater_is_better=False)
    assert of_loss(model, X, y) == pytest.approx(-loss)
    hits = sklearn.metrics.f1_score(y, model.predict(X))
    assert make_scorer(f1_score)(model, X, y) == pytest.approx(hits)
    labels = make_scorer(roc_auc_score, response_method="predict")
    of_labels = sklearn.metrics.roc_auc_score(y, model.predict(X))
    assert labels(model, X, y) == pytest.approx(of_labels)


def test_a_scorer_is_made_of_a_name():
    X, y = load_breast_cancer(return_X_y=True)
    model = LogisticRegression().fit(X[:, :3], y)
    found = make_scorer("roc_auc")(model, X[:, :3], y)
    scores = model.decision_function(X[:, :3])
    assert found == pytest.approx(sklearn.metrics.roc_auc_score(y, scores), rel=1e-12)
    loss = sklearn.metrics.log_loss(y, model.predict_proba(X[:, :3]))
    for scorer in (make_scorer("neg_log_loss"), make_scorer("log_loss", greater_is_better=False)):
        assert scorer(model, X[:, :3], y) == pytest.approx(-loss, rel=1e-12)
    macro = make_scorer("f1", average="macro")(model, X[:, :3], y)
    labels = model.predict(X[:, :3])
    assert macro == pytest.approx(sklearn.metrics.f1_score(y, labels, average="macro"))
    by_labels = make_scorer("roc_auc", response_method="predict")(model, X[:, :3], y)
    assert by_labels == pytest.approx(sklearn.metrics.roc_auc_score(y, labels))
    with pytest.raises(ValueError, match="its scorer is 'neg_log_loss'"):
        make_scorer("log_loss")
    with pytest.raises(ValueError, match="not a valid scoring value"):
        make_scorer("roc_au")


def test_predicted_labels_in_the_place_of_scores_are_said():
    """In scikit-learn's scorer, and in a function of the user; a rule of 0 and 1 is no mistake."""
    model, X, y = _breast_cancer()
    of_labels = sklearn.metrics.roc_auc_score(y, model.predict(X))
    own = lambda y_true, y_pred: roc_auc_score(y_true, y_pred)  # noqa: E731
    for scorer in (sklearn.metrics.make_scorer(roc_auc_score), make_scorer(own)):
        with pytest.warns(UserWarning, match="holds only labels of y_true.*response_method="):
            assert scorer(model, X, y) == pytest.approx(of_labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert roc_auc_score(y, model.predict(X)) == pytest.approx(of_labels)
        sklearn.metrics.make_scorer(roc_auc_score, response_method="predict_proba")(model, X, y)
        sklearn.metrics.make_scorer(f1_score)(model, X, y)
