"""Findings and conclusions of a report whose numbers are known by hand."""

import re

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GroupKFold, KFold

from skmetrics_ext import balanced_accuracy_score, cross_validation_report, f1_score
from skmetrics_ext.report.conclusion import conclusion
from tests.report.test_findings import Given, Memory, data, found

TARGET = (
    "95 % intervals for the 5 fitted models; differences for models trained on other samples of "
    "this size."
)


def texts_of(report, code):
    return [row.text for row in report.findings(code)]


# --------------------------------------------------------------------------- conclusion


def test_one_model_is_compared_with_the_baseline():
    X, y = data()
    report, _ = found({"good": Given(0)}, X, y, scoring="roc_auc")
    question, answer, target, undefined = conclusion(report)
    assert question == (
        "How well does good predict class 1? ROC AUC, 5-fold cross-validation on 300 rows."
    )
    row = report.summary()[0]
    best = f"Highest ROC AUC: good {row.mean:.3f} [{row.low:.3f}, {row.high:.3f}]"
    (pair,) = report.compare()
    difference = f"+{pair.value:.3f} [{pair.low:.3f}, {pair.high:.3f}]"
    assert answer == f"{best}; better than baseline (prior) ({difference})."
    assert (target, undefined) == (TARGET, "Every metric is defined on every fold.")


@pytest.mark.parametrize("order", [("good", "turned"), ("turned", "good")])
@pytest.mark.parametrize("metric", ["roc_auc", "neg_brier_score"])
def test_the_better_model_comes_first_in_a_difference(metric, order):
    X, y = data()
    report, _ = found({name: Given(int(name == "turned")) for name in order}, X, y, scoring=metric)
    (row,) = [row for row in report.compare() if {row.model, row.against} == {*order}]
    turn = 1 if (row.model == "good") == (metric == "roc_auc") else -1
    ends = sorted((turn * row.low, turn * row.high))
    rank = {"roc_auc": "Highest ROC AUC", "neg_brier_score": "Lowest Brier score"}[metric]
    told = f"{turn * row.value:+.3f} [{ends[0]:.3f}, {ends[1]:.3f}]"
    answer = conclusion(report)[1]
    assert answer.startswith(f"{rank}: good 0.")
    assert answer.endswith(f"; better than turned ({told}).")
    assert ends[0] * ends[1] > 0


def test_the_best_value_is_that_of_the_interval():
    """Of all predictions together, which no mean of folds is."""
    X, y = data()
    folds = [(np.arange(100, 300), np.arange(20)), (np.arange(100), np.arange(100, 300))]
    report, _ = found({"good": Given(0)}, X, y, cv=folds, scoring="f1", interval="pooled")
    row, pooled = report.summary()[0], report.pooled()[0]
    assert abs(row.mean - pooled.value) > 0.001
    assert f"Highest F1: good {pooled.value:.3f} [{pooled.low:.3f}, " in conclusion(report)[1]


def test_several_labels_a_row_have_no_scarce_classes():
    y = np.column_stack([np.arange(30) % 2, np.arange(30) // 2 % 2])
    report = cross_validation_report(
        {"half": DummyClassifier()}, np.zeros((30, 1)), y, cv=KFold(3), scoring="accuracy"
    )
    assert not report.findings("few_rows")


def test_a_model_alone_is_the_best_of_none():
    X, y = data()
    report, _ = found({"good": Given(0)}, X, y, scoring="roc_auc", baseline=None)
    _, best, *rest = conclusion(report)
    assert best.startswith("ROC AUC: good 0.")
    assert ";" not in best
    assert "ifferences" not in rest[0]
    with_baseline, _ = found({"good": Given(0)}, X, y, scoring="roc_auc")
    question, best, *rest = conclusion(with_baseline[with_baseline.baseline])
    assert question.startswith("How well does baseline (prior) predict class 1? ROC AUC, 5-fold")
    assert best.startswith("ROC AUC: baseline (prior) 0.500")
    assert rest[1:] == ["Every metric is defined on every fold."]


def test_a_best_baseline_is_compared_with_nothing():
    X, y = data()
    report, _ = found({"turned": Given(1), "other": Given(1)}, X, y, scoring="roc_auc")
    answer = conclusion(report)[1]
    assert answer.startswith("Highest ROC AUC: baseline (prior) 0.500")
    assert answer.endswith("; no model is better than this baseline, which ignores the features.")


def test_one_fold_compares_nothing():
    X, y = data()
    one = [(np.arange(150), np.arange(150, 300))]
    report, told = found({"good": Given(0)}, X, y, cv=one, scoring="roc_auc")
    answer = conclusion(report)[1]
    assert answer.endswith("; too few folds for a comparison with baseline (prior).")
    assert told == {}


def test_groups_and_thousands_of_rows_are_in_the_question():
    y = np.arange(1200) % 2
    options = {"scoring": "neg_log_loss", "cv": KFold(2), "baseline": None}
    model = {"half": DummyClassifier()}
    group = {"groups": np.arange(1200) % 1100, "cv": GroupKFold(2)}
    grouped = cross_validation_report(model, np.zeros((1200, 1)), y, **{**options, **group})
    assert conclusion(grouped)[0] == (
        "How well does half predict class 1? Log loss (lower is better), 2-fold cross-validation "
        "on 1,200 rows in 1,100 groups."
    )
    several = cross_validation_report(model, np.zeros((1200, 1)), np.arange(1200) % 3, **options)
    assert conclusion(several)[0].startswith("How well does half predict the class? Log loss")


class Flat:
    """Scorers that are defined on some folds only."""

    def __init__(self, *values):
        self.values = list(values) * 10

    def __call__(self, model, X, y):
        return self.values.pop(0)


def test_a_value_without_an_interval_stands_alone():
    X, y = data()
    report = cross_validation_report(
        Given(0), X, y, cv=KFold(2), baseline=None, scoring={"own": Flat(0.25, 0.75)}
    )
    answer, about = conclusion(report)[1:3]
    assert re.fullmatch(r"Own: Given 0\.500 \[.*\]\.", answer)
    assert about == "95 % intervals for models trained on other samples of this size."
    same = cross_validation_report(
        Given(0), X, y, cv=KFold(2), baseline=None, scoring={"own": Flat(0.25, 0.25)}
    )
    assert conclusion(same)[1] == "Own: Given 0.250."


def test_undefined_cells_are_listed_and_counted():
    X, y = data()
    nan = float("nan")
    scoring = {f"s{k}": Flat(nan, 0.5) for k in range(7)}
    options = {"cv": KFold(2), "baseline": None}
    report = cross_validation_report({"m": Given(0)}, X, y, scoring=scoring, **options)
    listed = ", ".join(f"s{k} of m in 1 of 2" for k in range(5))
    assert conclusion(report)[-1] == (
        f"Undefined on some folds: {listed}, and 2 more. Means are over the other folds."
    )
    mixed = {"one": Flat(nan, 0.5), "none": Flat(nan)}
    report = cross_validation_report({"m": Given(0)}, X, y, scoring=mixed, **options)
    assert conclusion(report)[-1].endswith("none of m in 2 of 2. Means are over the other folds.")
    scoring = {f"s{k}": Flat(nan) for k in range(5)}
    report = cross_validation_report({"m": Given(0)}, X, y, scoring=scoring, **options)
    listed = ", ".join(f"s{k} of m in 2 of 2" for k in range(5))
    assert conclusion(report)[1] == "S0 is undefined on every fold of every model."
    assert conclusion(report)[-1] == f"Undefined on some folds: {listed}."
    assert [row.value for row in report.findings("undefined")] == [2] * 5
    (text, *_) = texts_of(report, "undefined")
    assert text == "undefined in 2 of 2 folds: the scorer returned nan"


# --------------------------------------------------------------------------- findings


def test_scarce_classes_are_listed_with_the_smallest_of_all():
    y = np.repeat(np.arange(7), [2, 4, 6, 8, 10, 12, 40])[np.random.default_rng(0).permutation(82)]
    folds = list(KFold(2).split(y))
    report = cross_validation_report(
        {"half": DummyClassifier()}, np.zeros((82, 1)), y, cv=folds, scoring="accuracy"
    )
    smallest = [min((y[test] == k).sum() for _, test in folds) for k in range(7)]
    (row,) = report.findings("few_rows")
    scarce = [k for k in range(7) if smallest[k] < 10]
    assert scarce == [0, 1, 2, 3, 4, 5]
    listed = ", ".join(
        f"{k} ({smallest[k]} in the smallest, {(y == k).sum()} in total)" for k in scarce[:5]
    )
    assert row.text == f"test folds with fewer than 10 rows of a class: {listed}, and 1 more"
    assert row.value == min(smallest)
    assert (row.metric, row.model) == (None, None)


class Decided(ClassifierMixin, BaseEstimator):
    """Decision values of one class, a column of X."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, self.column] - 0.5

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


def test_distinct_scores_are_counted_in_decisions_and_in_every_column():
    X, y = data(n=60)
    scoring = ["roc_auc", "neg_brier_score", "recall"]
    report, told = found({"hard": Given(2), "rare": Given(4)}, X / [1, 1, 1, 1, 60], y,
                         scoring=scoring)  # fmt: skip
    (row,) = report.findings("hard_labels")
    assert (row.model, row.value, row.metric) == ("hard", 2, None)
    assert row.text == (
        "only two distinct scores in a fold: probably labels, so ROC AUC, Brier score see a single "
        "threshold"
    )
    report, _ = found({"hard": Decided(2), "flat": Decided(3)}, X, y, scoring="roc_auc")
    kinds = {row.code: (row.model, row.value) for row in report.findings()
             if row.code in ("hard_labels", "constant_scores")}  # fmt: skip
    assert kinds == {"hard_labels": ("hard", 2), "constant_scores": ("flat", 1)}
    _, told = found({"hard": Decided(2)}, X, y, scoring="recall")
    assert not {code for code, *_ in told} & {"hard_labels", "constant_scores"}


@pytest.mark.parametrize(("size", "is_told"), [(2, False), (3, True)])
def test_two_rows_have_two_scores_in_any_case(size, is_told):
    X, y = data(n=6 * size)
    y[:] = np.arange(len(y)) % 2
    report, _ = found({"hard": Given(2)}, np.round(X), y, cv=KFold(6), scoring="neg_brier_score")
    own = [len(np.unique(r.responses["predict_proba"][:, 1])) for r in report.results_of("hard")]
    X[:, 2] = np.arange(len(y)) % 2
    report, _ = found({"hard": Given(2)}, X, y, cv=KFold(6), scoring="neg_brier_score")
    assert max(own) <= 2
    assert bool(report.findings("hard_labels")) == is_told


def test_a_fold_with_more_scores_is_no_sign_of_labels():
    X, y = data(n=60)
    X[0, 2] = 0.4
    report, _ = found({"nearly": Given(2)}, X, y, scoring="roc_auc")
    assert not report.findings("hard_labels")


def test_what_overfits_is_told_in_the_direction_of_the_loss():
    X, y = data()
    models = {"memory": Memory(2), "good": Given(0)}
    report = cross_validation_report(
        models, X, y, scoring=["neg_brier_score", "roc_auc"], cv=KFold(5), train=True
    )
    cells = {(row.model, row.metric): row for row in report.summary()}
    own = cells["memory", "neg_brier_score"]
    rows = {(row.model, row.metric): row for row in report.findings("overfits")}
    row = rows["memory", "neg_brier_score"]
    assert row.value == own.gap
    assert row.text == (
        f"0.000 on the training rows against {-own.mean:.3f} on the test rows "
        f"(-{own.gap:.3f} [{-own.gap_high:.3f}, {-own.gap_low:.3f}])"
    )
    area = cells["memory", "roc_auc"]
    assert rows["memory", "roc_auc"].text == (
        f"1.000 on the training rows against {area.mean:.3f} on the test rows "
        f"(+{area.gap:.3f} [{area.gap_low:.3f}, {area.gap_high:.3f}])"
    )
    alone = report[report.baseline]
    assert alone.has_train
    assert not alone.findings("overfits")


class Cut(Given):
    """Predicts the positive class from a higher probability on."""

    def predict(self, X):
        return self.classes_[(X[:, self.column] > 0.9).astype(int)]


@pytest.mark.parametrize("model", [Given, Cut])
def test_thresholds_are_chosen_on_the_other_folds(model):
    """By hand: the lowest of all scores that is best on the rows of the other folds."""
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.2).astype(int)
    X = (rng.random(300) * np.where(y, 0.4, 0.3) + 0.2 * y)[:, None]  # up to 0.3; 0.2 to 0.6
    X[::20] = 0.5  # not above a half
    X += 0.35 * (model is Cut)
    scoring = ["balanced_accuracy", "neg_brier_score"]  # the second reads probabilities
    report, told = found({"m": model(0)}, X, y, scoring=scoring)
    text = told["poor_threshold", "balanced_accuracy", "m"]
    scores, chosen, values = np.append(np.unique(X[:, 0]), np.inf), [], []
    for _, test in KFold(5).split(X):
        rest = np.setdiff1d(np.arange(len(y)), test)
        on_rest = [balanced_accuracy_score(y[rest], X[rest, 0] >= t) for t in scores]
        chosen.append(scores[int(np.argmax(on_rest))])
        values.append(balanced_accuracy_score(y[test], X[test, 0] >= chosen[-1]))
    own = [result.values["balanced_accuracy"] for result in report.results_of("m")]
    cause = "0.5 is" if model is Given else "the model's own threshold is"
    assert text == (
        f"{cause} a poor threshold at {100 * y.mean():.3g} % prevalence: thresholds chosen on the "
        f"other folds (median {np.median(chosen):.3g}) give {np.mean(values):.4f} instead of "
        f"{np.mean(own):.4f}"
    )
    (row,) = report.findings("poor_threshold")
    assert row.value == pytest.approx(np.mean(values) - np.mean(own))


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_a_threshold_that_names_every_row_alike_is_none(seed):
    """By hand: F1 of scores that tell nothing is best, on some folds, if all are positive."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 60)
    X = np.round(rng.random(60) * 0.8, 3)[:, None]  # below the model's own threshold
    scores, chosen = np.append(np.unique(X), np.inf), []
    for _, test in KFold(5).split(X):
        rest = np.setdiff1d(np.arange(60), test)
        on_rest = [f1_score(y[rest], X[rest, 0] >= t, zero_division=0) for t in scores]
        chosen.append(int(np.argmax(on_rest)))
    report, _ = found({"none": Cut(0)}, X, y, scoring=["f1", "neg_brier_score"])
    assert (min(chosen) == 0) == (seed != 1)
    assert len(report.findings("poor_threshold")) == (seed == 1)


def test_two_folds_tell_a_poor_threshold_and_one_does_not():
    y = np.arange(400) % 2
    X = np.where(y, 0.4, 0.2)[:, None] + np.arange(400)[:, None] / 10_000
    X[3] = 0.21  # so that the gains of both folds are not the same
    scoring = ["balanced_accuracy", "neg_brier_score"]
    half = np.flatnonzero(np.arange(400) // 2 % 2)
    rest = np.setdiff1d(np.arange(400), half)
    for folds, n_found in (([(half, rest), (rest, half)], 1), ([(half, rest)], 0)):
        report, _ = found({"m": Given(0)}, X, y, cv=folds, scoring=scoring)
        assert len(report.findings("poor_threshold")) == n_found
