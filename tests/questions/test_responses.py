"""Which method of an estimator is asked, and how often; what it returns is read as columns."""

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support.stored import Stored

from skmetrics_ext import ScorerPanel, get_scorer, make_scorer, roc_auc_score
from skmetrics_ext.questions import Rows
from skmetrics_ext.questions.rows import estimator_name

UP, DOWN = np.array([0.1, 0.2, 0.8, 0.9]), np.array([0.9, 0.8, 0.2, 0.1])
Y = np.array([0, 0, 1, 1])


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (GaussianNB(), "GaussianNB"),
        (make_pipeline(GaussianNB()), "GaussianNB"),
        (make_pipeline(StandardScaler(), GaussianNB()), "GaussianNB"),
        (make_pipeline(StandardScaler(), PCA(), GaussianNB()), "GaussianNB"),
        (make_pipeline(StandardScaler(), make_pipeline(PCA(), GaussianNB())), "GaussianNB"),
    ],
)
def test_the_name_of_a_pipeline_is_that_of_its_last_step(estimator, name):
    assert estimator_name(estimator) == name


def one_column(method):
    """Ranks all rows right from decision values, and all of them wrong from probabilities."""
    return UP if method == "decision_function" else np.column_stack([UP, DOWN])


@pytest.mark.parametrize("classes", [np.array([0, 1]), None])
@pytest.mark.parametrize(
    ("methods", "area"),
    [
        (["decision_function", "predict_proba"], 1),
        (["predict_proba", "decision_function"], 1),
        (["predict_proba"], 0),
        (["decision_function"], 1),
    ],
)
def test_decision_values_go_first(methods, area, classes):
    model = Stored(classes, {method: one_column(method) for method in methods})
    if classes is None and area == 0:
        return
    assert get_scorer("roc_auc")(model, None, Y) == area


def test_decision_values_of_outputs_go_first():
    """A model of several outputs has a list of classes, however many they are."""
    marks, right = np.array([[1, 0], [0, 1], [1, 1]]), np.array([[1.0, -1], [-1, 1], [1, 1]])
    for n_outputs in (2, 3):
        truth = np.column_stack([marks] * 2)[:, :n_outputs]
        score = np.column_stack([right] * 2)[:, :n_outputs]
        classes = [np.arange(2)] * n_outputs
        model = Stored(classes, {"decision_function": score, "predict_proba": -score})
        assert get_scorer("roc_auc")(model, None, truth) == 1


def test_no_method_is_told_with_the_scorer():
    told = r"Stored has none of the following attributes: predict_proba\. get_scorer\('neg_log_loss"
    with pytest.raises(AttributeError, match=told):
        get_scorer("neg_log_loss")(Stored([0, 1], {"predict": Y}), None, Y)


class Counted:
    """Counts what is asked of it; ``predict_proba`` fails."""

    classes_ = np.arange(2)

    def __init__(self):
        self.asked = []

    def predict(self, X):
        self.asked.append("predict")
        return Y.tolist()

    def predict_proba(self, X):
        self.asked.append("predict_proba")
        raise ValueError("no probabilities")


def test_a_method_is_called_once_whether_it_fails_or_not():
    model = Counted()
    rows = Rows.of_model(model, np.zeros((4, 1)), Y)
    for _ in range(2):
        assert rows.response("predict") == Y.tolist()
        with pytest.raises(ValueError, match="no probabilities"):
            rows.weighted(Y).response("predict_proba")
    assert model.asked == ["predict", "predict_proba"]
    assert rows.responses == {"predict": Y.tolist()}


def test_labels_in_a_list_are_labels():
    model = Counted()
    assert get_scorer("accuracy")(model, None, Y) == 1
    outputs = Stored([np.arange(2)] * 2, {"predict": [[1, 0], [0, 1]]})
    assert get_scorer("accuracy")(outputs, None, np.array([[1, 0], [0, 0]])) == 0.5


@pytest.mark.parametrize("classes", [[np.array([0, 1])], None])
def test_one_output(classes):
    """scikit-learn returns a list of one array of two columns."""
    response = [np.column_stack([1 - UP, UP])]
    found = Rows(Y, {"predict_proba": response}, classes).response("predict_proba")
    np.testing.assert_array_equal(found, UP[:, None])


OUTPUTS = {
    "0 and 1": ([0, 1], [[0.9, 0.1], [0.2, 0.8]], [0.1, 0.8]),
    "1 and 0": ([1, 0], [[0.9, 0.1], [0.2, 0.8]], [0.9, 0.2]),
    "booleans": ([False, True], [[0.9, 0.1], [0.2, 0.8]], [0.1, 0.8]),
    "0 alone": ([0], [[1.0], [1.0]], [0.0, 0.0]),
    "1 alone": ([1], [[0.75], [1.0]], [0.75, 1.0]),
    "two classes without 1": ([0, 2], [[0.9, 0.1], [0.2, 0.8]], [0.0, 0.0]),
    "two columns of one class": ([0], [[0.9, 0.1], [0.2, 0.8]], [0.1, 0.8]),
    "three columns of two classes": ([0, 2], [[0.5, 0.3, 0.2], [0.1, 0.7, 0.2]], [0.2, 0.2]),
}


@pytest.mark.parametrize("what", OUTPUTS)
def test_the_column_of_1(what):
    """Of each output, by its classes; an output without 1 in training has no probability of it."""
    classes, output, expected = OUTPUTS[what]
    other = [[0.5, 0.5], [0.25, 0.75]]
    for put in (np.array, lambda rows: pd.DataFrame(rows, columns=["x", "y", "z"][: len(rows[0])])):
        responses = {"predict_proba": [put(other), put(output)]}
        rows = Rows(Y, responses, [np.array([0, 1]), np.array(classes)])
        found = rows.response("predict_proba")
        np.testing.assert_array_equal(found, np.column_stack([[0.5, 0.75], expected]))


@pytest.mark.parametrize("response", [[], [[0.2, 0.8], [0.5, 0.5]], [0.1, 0.7]])
def test_a_list_that_is_no_list_of_outputs_is_left_as_it_is(response):
    rows = Rows(Y, {"predict_proba": response}, np.arange(2))
    assert rows.response("predict_proba") is response


def test_columns_named_after_classes_in_another_order_are_refused():
    proba = pd.DataFrame({"no": UP, "yes": DOWN})
    y = np.array(["no", "yes", "yes", "no"])
    model = Stored(np.array(["yes", "no"]), {"predict_proba": proba})
    for name in ("roc_auc", "neg_log_loss"):
        with pytest.raises(ValueError, match=r"predict_proba are named \['no', 'yes'\], and are"):
            get_scorer(name)(model, None, y)
    own = make_scorer(lambda y, score: 0.5, response_method="predict_proba")
    with pytest.raises(ValueError, match="predict_proba are named"):
        own(model, None, y)
    in_order = Stored(np.array(["no", "yes"]), {"predict_proba": proba})
    assert get_scorer("roc_auc")(in_order, None, y) == roc_auc_score(y == "yes", DOWN)
    outputs = [pd.DataFrame({"1": UP, "0": DOWN}), pd.DataFrame({"a": UP, "b": DOWN})]
    model = Stored([np.arange(2)] * 2, {"predict_proba": outputs})
    marks = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
    with pytest.raises(ValueError, match=r"predict_proba are named \['1', '0'\]"):
        get_scorer("roc_auc")(model, None, marks)
    model = Stored([np.arange(2)] * 2, {"predict_proba": outputs[1:] * 2})
    assert 0 <= get_scorer("roc_auc")(model, None, marks) <= 1


def test_names_of_predicted_labels_are_no_names_of_classes():
    frame = pd.DataFrame({"yes": [0, 1, 1, 1], "no": [1, 0, 1, 1]})
    model = Stored([np.arange(2)] * 2, {"predict": frame})
    marks = np.array([[0, 1], [1, 0], [1, 1], [0, 1]])
    panel = ScorerPanel(["accuracy", "f1_macro"])
    assert panel(model, None, marks)["accuracy"] == 3 / 4
