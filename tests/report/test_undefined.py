"""Folds where a metric cannot be computed are counted, with the reason."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning, UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from skmetrics_ext import ScorerPanel, cross_validation_report, get_scorer

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :4]
# Rows of class 0 first: the last two of five folds in order hold class 1 alone.
SORTED = np.argsort(Y, kind="stable")
ROWS = X[SORTED], Y[SORTED]


def row_of(report, metric, model=None):
    model = model or report.models[0]
    return next(r for r in report.summary() if r["model"] == model and r["metric"] == metric)


def test_a_fold_that_lacks_a_class():
    report = cross_validation_report(
        GaussianNB(), *ROWS, scoring=["gini", "accuracy"], cv=KFold(5), baseline=None
    )
    values = np.array([r.values["gini"] for r in report.results])
    one_class = [len(set(ROWS[1][test])) == 1 for _, test in KFold(5).split(X)]
    assert sum(one_class) == 4
    np.testing.assert_array_equal(np.isnan(values), one_class)
    row = row_of(report, "gini")
    assert (row["n_folds"], row["n_undefined"]) == (5, 4)
    assert row["mean"] == pytest.approx(values[~np.isnan(values)].mean())
    assert np.isnan(row["std"])
    assert sum(row["reasons"].values()) == 4
    assert "class" in next(iter(row["reasons"]))
    accuracy = row_of(report, "accuracy")
    assert accuracy["n_undefined"] == 0
    theirs = cross_val_score(GaussianNB(), *ROWS, cv=KFold(5))
    assert accuracy["mean"] == pytest.approx(theirs.mean())
    text = str(report)
    assert "(4 undefined) [1]" in text
    assert "[1] Gini of GaussianNB: undefined in 4 of 5 folds:" in text


class Flattering(ClassifierMixin, BaseEstimator):
    """Gives every class what it is worth, and a little more."""

    def fit(self, X, y):
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def predict_proba(self, X):
        return np.minimum(1, 0.3 + self.model_.predict_proba(X))


def test_probabilities_that_do_not_sum_to_one_have_a_footnote():
    models = {"flattering": Flattering(), "bayes": GaussianNB()}
    for rows in ((X, Y), load_iris(return_X_y=True)):
        names = ["neg_log_loss", "neg_brier_score", "accuracy"]
        report = cross_validation_report(models, *rows, scoring=names, baseline=None)
        for metric in names:
            noted = metric != "accuracy"
            told = row_of(report, metric, "flattering")["notes"]
            assert [("do not sum to one" in text, n) for text, n in told.items()] == [
                (True, 5)
            ] * noted
            assert not row_of(report, metric, "bayes")["notes"]
        assert "flattering: by convention in 5 of 5 folds: log_loss: The y_prob values" in str(
            report
        ).replace("\n    ", " ")
        pooled = {(r["model"], r["metric"]): r["note"] for r in report.pooled()}
        assert "do not sum to one" in pooled["flattering", "neg_log_loss"]
        assert "do not sum to one" not in (pooled["bayes", "neg_log_loss"] or "")
    panel = ScorerPanel(["neg_log_loss"])
    with pytest.warns(UndefinedMetricWarning, match="neg_log_loss: .*do not sum to one"):
        panel(Flattering().fit(X, Y), X, Y)


def test_a_log_loss_of_classes_never_seen_has_a_footnote():
    """Folds in order of the classes: each model lacks the class that it is tested on."""
    rows, y = load_iris(return_X_y=True)
    names = ["neg_log_loss", "neg_brier_score"]
    report = cross_validation_report(GaussianNB(), rows, y, scoring=names, cv=KFold(3))
    notes = row_of(report, "neg_log_loss")["notes"]
    assert len(notes) == 3
    assert all("clipped to 2.22e-16" in text for text in notes)
    assert not row_of(report, "neg_brier_score")["notes"]
    pooled = {r["metric"]: r["note"] for r in report.pooled() if r["model"] == "GaussianNB"}
    assert "never saw the classes [2]" in pooled["neg_log_loss"]
    assert "never saw" not in (pooled["neg_brier_score"] or "")


class Unlicensed(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise RuntimeError("no licence")


def test_a_model_that_fails_on_every_fold_keeps_its_row(tmp_path):
    models = {"bad": Unlicensed(), "bayes": GaussianNB()}
    names = ["roc_auc", "f1"]
    with pytest.warns(UserWarning, match="'bad': on every fold the fit failed: RuntimeError: no l"):
        report = cross_validation_report(models, X, Y, scoring=names)
    alone = cross_validation_report(GaussianNB(), X, Y, scoring=names)
    for metric in names:
        row = row_of(report, metric, "bad")
        assert row["reasons"] == {"fit failed: RuntimeError: no licence": 5}
        assert row_of(report, metric, "bayes")["mean"] == row_of(alone, metric)["mean"]
    assert "undefined (5) [1]" in str(report)
    assert "no licence" in " ".join(str(report).split())
    reasons = {row["note"] for row in report.pooled() if row["model"] == "bad"}
    assert reasons == {"there are no predictions"}
    compared = [row for row in report.compare() if "bad" in (row["model"], row["against"])]
    assert {row["note"] for row in compared} == {
        "both are defined on 0 folds; at least 2 are needed"
    }
    report.to_html(tmp_path / "report.html")
    assert "no licence" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_where_every_model_fails_there_is_no_report():
    for models in ({"bad": Unlicensed()}, {"bad": Unlicensed(), "worse": Unlicensed()}):
        with pytest.raises(ValueError, match="'bad': on every fold the fit failed: RuntimeError"):
            cross_validation_report(models, X, Y, scoring=["f1"])


def test_mean_and_deviation_are_over_the_defined_folds():
    given = iter([0.1, float("nan"), 0.4, 0.9])

    def scorer(estimator, X, y):
        return next(given)

    report = cross_validation_report(
        GaussianNB(), X, Y, scoring={"odd": scorer}, cv=4, baseline=None
    )
    row = row_of(report, "odd")
    assert row["mean"] == pytest.approx(np.mean([0.1, 0.4, 0.9]))
    assert row["std"] == pytest.approx(np.std([0.1, 0.4, 0.9], ddof=1))
    assert row["reasons"] == {"the scorer returned nan": 1}


def test_a_scorer_that_raises():
    def scorer(estimator, X, y):
        if y[0] == 0:
            raise KeyError("no such\nthing")
        return 1.0

    folds = [(np.arange(100), np.array([first])) for first in (np.argmax(Y == 0), np.argmax(Y))]
    report = cross_validation_report(
        GaussianNB(), X, Y, scoring={"odd": scorer}, cv=folds, baseline=None
    )
    assert row_of(report, "odd")["reasons"] == {"KeyError: 'no such\\nthing'": 1}
    assert row_of(report, "odd")["mean"] == 1.0


def test_a_fit_that_fails_on_one_fold():
    one_class = np.flatnonzero(Y == 1)
    folds = [(one_class[:100], np.arange(100)), (np.arange(200), np.arange(200, 400))]
    report = cross_validation_report(
        LogisticRegression(max_iter=5000), X, Y, scoring=["accuracy", "gini"], cv=folds
    )
    for metric in ("accuracy", "gini"):
        row = row_of(report, metric)
        assert (row["n_folds"], row["n_undefined"]) == (2, 1)
        assert next(iter(row["reasons"])).startswith("fit failed: ValueError: ")
        assert not np.isnan(row["mean"])


def test_a_model_that_fails_on_every_fold_is_an_error():
    with pytest.raises(ValueError, match="'bad': on every fold the fit failed: InvalidParam"):
        cross_validation_report({"bad": LogisticRegression(C=-1)}, X, Y, cv=2)


def test_a_model_without_probabilities_lacks_one_metric_only():
    report = cross_validation_report(LinearSVC(max_iter=100_000), X, Y, cv=2, baseline=None)
    undefined = {row["metric"] for row in report.summary() if row["n_undefined"]}
    assert undefined == {"neg_log_loss"}
    reason = next(iter(row_of(report, "neg_log_loss")["reasons"]))
    assert "predict_proba" in reason


def test_a_ratio_0_by_0_is_what_the_scorer_gives():
    y = np.where(Y == 1, "a", "b")  # the dummy always predicts "a"
    report = cross_validation_report(
        GaussianNB(), X, y, scoring=["precision", "recall"], pos_label="b"
    )
    row = row_of(report, "precision", report.baseline)
    dummy = DummyClassifier().fit(X, y)
    with pytest.warns(UndefinedMetricWarning, match="Precision is ill-defined"):
        assert get_scorer("precision", pos_label="b")(dummy, X, y) == 0
    assert (row["mean"], row["n_undefined"], row["reasons"]) == (0.0, 0, {})
    ((note, times),) = row["notes"].items()
    assert "Precision is ill-defined and being set to 0.0" in note
    assert times == 5
    assert row_of(report, "recall", report.baseline)["notes"] == {}
    told = "by convention in 5 of 5 folds: Precision is ill-defined"
    for shown in (str(report), report._repr_html_(), report.to_html()):
        assert told in " ".join(shown.split())
    pooled = [row for row in report.pooled() if row["model"] == report.baseline]
    assert [(row["value"], str(row["note"])[:14]) for row in pooled] == [
        (0.0, "by convention:"),
        (0.0, ""),
    ]


def test_a_convention_is_told_where_it_is_used():
    X, y = load_iris(return_X_y=True)
    report = cross_validation_report(GaussianNB(), X, y, scoring="precision_macro")
    row = row_of(report, "precision_macro", report.baseline)
    assert (row["mean"], row["n_undefined"]) == (pytest.approx(1 / 9), 0)
    assert sum(row["notes"].values()) == 5
    assert "by convention in 5 of 5 folds" in " ".join(str(report).split())


def test_missing_classes_by_the_policy_of_the_scorer():
    X, y = load_iris(return_X_y=True)
    scorer = {"auc": get_scorer("roc_auc_ovr", missing="raise")}
    report = cross_validation_report(GaussianNB(), X, y, scoring=scorer, cv=KFold(3, shuffle=False))
    row = row_of(report, "auc")
    assert (row["n_undefined"], len(row["reasons"])) == (3, 3)


def test_other_warnings_of_a_scorer_are_passed_on():
    def scorer(estimator, X, y):
        warnings.warn("look here", RuntimeWarning, stacklevel=1)
        return 1.0

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        with pytest.warns(RuntimeWarning, match="look here"):
            report = cross_validation_report(GaussianNB(), X, Y, scoring={"odd": scorer}, cv=2)
    assert row_of(report, "odd")["mean"] == 1.0


def test_warnings_made_errors_stay_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        with pytest.raises(ConvergenceWarning):
            cross_validation_report(LogisticRegression(max_iter=1), X, Y, cv=2)


def test_infinite_values_count_as_defined():
    report = cross_validation_report(
        GaussianNB(), X, Y, scoring={"far": lambda estimator, X, y: float("inf")}, cv=2
    )
    row = row_of(report, "far")
    assert (row["mean"], row["n_undefined"]) == (float("inf"), 0)
    assert np.isnan(row["std"])
    assert '"Infinity"' in report.to_json()


OF_CLASSES = ["balanced_accuracy", "f1_macro", "recall_macro", "geometric_mean"]


def report_of_few_positives(models, scoring, **options):
    """200 rows of which 3 are positive: two of five folds have no positive row."""
    y = np.r_[1, 1, 1, np.zeros(197, int)]
    features = np.random.default_rng(0).normal(size=(200, 2))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    with warnings.catch_warnings(action="ignore"):
        return cross_validation_report(
            models, features, y, scoring=scoring, cv=folds, baseline=None, **options
        )


@pytest.mark.parametrize("metric", OF_CLASSES)
def test_a_fold_without_a_class_does_not_count_as_a_measurement_of_an_average(metric):
    report = report_of_few_positives(DummyClassifier(), [metric, "accuracy"])
    row = row_of(report, metric)
    values = [result.values[metric] for result in report.results]
    assert row["mean"] == pytest.approx(np.mean(values))
    assert row["n_undefined"] == 0
    assert row["notes"] == {"a class has no row": 2}
    assert "in 2 of 5 folds a class has no row" in str(report).replace("\n    ", " ")
    # A constant prediction has the same value on the three folds with both classes.
    complete = {round(value, 4) for value in values} - {1.0}
    assert len(complete) == 1
    for kind in ("cv", "corrected"):
        own = next(r for r in report.summary(kind) if r["metric"] == metric)
        assert np.isnan(own["low"]) or own["value"] == pytest.approx(*complete, abs=1e-4)
    assert not row_of(report, "accuracy")["notes"]


def test_balanced_accuracy_of_a_constant_prediction():
    report = report_of_few_positives(DummyClassifier(), ["balanced_accuracy"])
    assert row_of(report, "balanced_accuracy")["mean"] == pytest.approx(0.7)
    assert row_of(report, "balanced_accuracy")["value"] == pytest.approx(0.5)
    (pooled,) = report.pooled()
    assert pooled["value"] == pytest.approx(0.5)


@pytest.mark.parametrize("metric", [*OF_CLASSES, "youden_j", "recall", "matthews_corrcoef"])
def test_folds_without_a_class_are_not_compared(metric):
    models = {"constant": DummyClassifier(), "bayes": GaussianNB()}
    report = report_of_few_positives(models, [metric])
    (row,) = report.compare()
    by_fold = [[r.values[metric] for r in report.results_of(m)] for m in models]
    rows = [r.rows for r in report.results_of("bayes")]
    whole = [k for k in range(5) if min(rows[k]) < 3]  # the first three rows are positive
    assert len(whole) == 3
    if metric == "matthews_corrcoef":  # a constant prediction has none
        assert row["n_folds"] == 0
        assert np.isnan(row["p_value"])
        return
    assert row["n_folds"] == 3
    expected = np.mean([by_fold[0][k] - by_fold[1][k] for k in whole])
    assert row["value"] == pytest.approx(expected)


def test_areas_over_classes_of_a_fold_without_one():
    features, y = load_iris(return_X_y=True)
    kept = np.r_[0:100, 100:103]
    models = {"bayes": GaussianNB(), "constant": DummyClassifier()}
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    with warnings.catch_warnings(action="ignore"):
        report = cross_validation_report(
            models,
            features[kept],
            y[kept],
            scoring=["roc_auc_ovr", "f1_macro"],
            cv=folds,
            baseline=None,
        )
    for metric in ("roc_auc_ovr", "f1_macro"):
        assert row_of(report, metric)["notes"]["a class has no row"] == 2
        (row,) = report.compare(metric)
        assert row["n_folds"] == 3
    assert "in 2 of 5 folds: a class has no row" in str(report.summary())
