"""The law of pairs: one-vs-one decision values of three classes are columns of pairs, and no
function that asks an estimator reads them as columns of classes."""

import numpy as np
import pytest
import sklearn.metrics
from sklearn.base import ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC

import skmetrics_ext as sx

X, Y = load_iris(return_X_y=True)
NAMED = np.array(["setosa", "versicolor", "virginica"])[Y]
OVO = {"decision_function_shape": "ovo"}


class Undeclared(ClassifierMixin):
    """One-vs-one values of a classifier that does not say so."""

    def fit(self, X, y):
        self.inner_ = SVC(**OVO).fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        return self.inner_.predict(X)

    def decision_function(self, X):
        return self.inner_.decision_function(X)

    def get_params(self, deep=True):
        return {}


PAIRS = {
    "SVC": SVC(**OVO),
    "NuSVC": NuSVC(nu=0.2, **OVO),
    "pipeline": make_pipeline(StandardScaler(), SVC(**OVO)),
    "search": GridSearchCV(SVC(**OVO), {"C": [1.0]}, cv=3),
    "search in a pipeline": make_pipeline(
        StandardScaler(), GridSearchCV(make_pipeline(SVC(**OVO)), {"svc__C": [1.0]}, cv=3)
    ),
    "undeclared": Undeclared(),
}


def scored(model, X, y):
    return sx.get_scorer("roc_auc_ovr")(model.fit(X, y), X, y)


def made(model, X, y):
    function = sx.make_scorer(
        sx.roc_auc_score, response_method="decision_function", multi_class="ovr"
    )
    return function(model.fit(X, y), X, y)


def panel(model, X, y):
    asked = sx.ScorerPanel(["accuracy", "roc_auc_ovr"], on_error="raise")
    return asked(model.fit(X, y), X, y)["roc_auc_ovr"]


def report(model, X, y):
    found = sx.cross_validation_report(model, X, y, scoring="roc_auc_ovr", cv=3, baseline=None)
    fold = found.results[0]
    assert "decision_function" not in fold.responses or "roc_auc_ovr" not in fold.reasons
    if fold.reasons:
        raise ValueError(fold.reasons["roc_auc_ovr"])
    return fold.values["roc_auc_ovr"]


def searched(model, X, y):
    name, value = next(
        (item for item in model.get_params().items() if item[0].endswith("C")), (None, None)
    )
    grid = {} if name is None else {name: [value]}
    scoring = sx.get_scorer("roc_auc_ovr")
    search = GridSearchCV(model, grid, cv=3, scoring=scoring, error_score="raise")
    return search.fit(X, y).best_score_


def drawn(model, X, y):
    import matplotlib.pyplot as plt

    try:
        return sx.RocCurvesDisplay.from_estimator(model.fit(X, y), X, y)
    finally:
        plt.close("all")


def tuned(model, X, y):
    return sx.ThresholdOptimizerCV(model, criterion="f1_macro", cv=3).fit(X, y)


DOORS = {
    "get_scorer": scored,
    "make_scorer": made,
    "ScorerPanel": panel,
    "cross_validation_report": report,
    "GridSearchCV": searched,
    "RocCurvesDisplay": drawn,
    "ThresholdOptimizerCV": tuned,
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", PAIRS)
def test_pairs_are_refused(name, door):
    if name == "undeclared" and door == "GridSearchCV":
        return  # it has no parameters to search
    with pytest.raises(ValueError, match=r"one-vs-one values.*decision_function_shape='ovr'"):
        DOORS[door](clone(PAIRS[name]) if name != "undeclared" else Undeclared(), X, NAMED)


def test_what_was_found_is_said():
    declared = r"SVC returned one-vs-one values.*\(decision_function_shape='ovo'\)"
    with pytest.raises(ValueError, match=declared):
        scored(PAIRS["pipeline"], X, Y)
    mean_of_pairs = BaggingClassifier(SVC(**OVO), n_estimators=3, random_state=0)
    for ask, model in ((scored, Undeclared()), (made, mean_of_pairs)):
        with pytest.raises(ValueError, match=r"predicted class in only \d+ % of the rows"):
            ask(model, X, Y)
    assert scored(mean_of_pairs, X, Y) == pytest.approx(area(mean_of_pairs.predict_proba(X)))


# Three columns that are those of the classes, and what scikit-learn's function makes of them.
CLASSES = {
    "SVC, one-vs-rest": SVC(decision_function_shape="ovr"),
    "LinearSVC": LinearSVC(random_state=0),
    "ridge": RidgeClassifier(),
    "one-vs-one of scikit-learn": OneVsOneClassifier(LinearSVC(random_state=0)),
    "one-vs-rest of pairs": OneVsRestClassifier(SVC(**OVO)),
    "boosted": AdaBoostClassifier(LogisticRegression(max_iter=1000), n_estimators=3),
    "calibrated": CalibratedClassifierCV(SVC(**OVO), cv=3),
    "search": GridSearchCV(SVC(), {"C": [1.0]}, cv=3),
}


def area(values):
    """Mean of the areas of each class, from its own column."""
    return np.mean([sklearn.metrics.roc_auc_score(k == Y, values[:, k]) for k in range(3)])


@pytest.mark.parametrize("name", CLASSES)
def test_columns_of_classes_are_read(name):
    model = CLASSES[name].fit(X, Y)
    response = model.predict_proba if hasattr(model, "predict_proba") else model.decision_function
    expected = area(response(X))
    assert scored(model, X, Y) == pytest.approx(expected, rel=1e-12)
    assert panel(model, X, Y) == pytest.approx(expected, rel=1e-12)
    drawn(model, X, Y)
    assert np.mean(tuned(model, X[::2], Y[::2]).predict(X[1::2]) == Y[1::2]) > 0.75


def test_iris_scores_as_its_one_vs_rest_values_do():
    assert scored(SVC(decision_function_shape="ovr"), X, Y) == pytest.approx(0.9967, abs=5e-5)
    optimizer = tuned(SVC(decision_function_shape="ovr"), X[::2], Y[::2])
    assert np.mean(optimizer.predict(X[1::2]) == Y[1::2]) == pytest.approx(0.93, abs=0.02)


class Tuned(LinearSVC):
    """Thresholds on the columns, so that the largest is often not the predicted class."""

    def predict(self, X):
        return self.classes_[np.add(self.decision_function(X), [0, 0, 1.2]).argmax(axis=1)]


def test_thresholds_on_columns_of_classes_are_no_pairs():
    model = Tuned(random_state=0).fit(X, Y)
    values = model.decision_function(X)
    assert np.mean(values.argmax(axis=1) == model.predict(X)) < 0.9
    assert scored(model, X, Y) == pytest.approx(area(values))


def test_each_method_is_called_once_and_only_where_it_is_needed():
    calls = []

    class Counted(LinearSVC):
        def predict(self, X):
            calls.append("predict")
            return super().predict(X)

        def decision_function(self, X):
            calls.append("decision_function")
            return super().decision_function(X)

    model = Counted(random_state=0)
    for rows, expected in (
        (slice(None), ["decision_function", "decision_function", "predict"]),
        (Y < 2, ["decision_function"]),  # two classes
    ):
        model.fit(X[rows], Y[rows])
        calls.clear()
        name = "roc_auc_ovr" if len(model.classes_) == 3 else "roc_auc"
        sx.get_scorer(name)(model, X[rows], Y[rows])
        assert sorted(calls) == expected  # predict of scikit-learn asks for the values, too


def test_a_function_of_the_user_may_read_pairs():
    read = sx.make_scorer(lambda y, values: values.shape[1], response_method="decision_function")
    assert read(SVC(**OVO).fit(X, Y), X, Y) == 3


def test_four_classes_stay_refused():
    rows = np.arange(150) % 4
    with pytest.raises(ValueError, match="decision_function_shape='ovo'"):
        scored(SVC(**OVO), X, rows)
