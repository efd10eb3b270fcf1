"""Values, folds and names of a report, beside scikit-learn's own tools."""

import json
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_multilabel_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score as sklearn_f1_score
from sklearn.metrics import make_scorer as sklearn_scorer
from sklearn.model_selection import (
    GroupKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skmetrics_ext import ScorerPanel, cross_validation_report, get_scorer

# Metrics that a report has by default.
BINARY = ("roc_auc", "f1", "balanced_accuracy", "accuracy", "neg_log_loss")
MULTICLASS = ("roc_auc_ovr", "f1_macro", "balanced_accuracy", "accuracy", "neg_log_loss")

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :5]
IRIS, SPECIES = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])


def values(report, model, metric):
    return [
        row["value"] for row in report.folds() if row["model"] == model and row["metric"] == metric
    ]


def test_values_are_those_of_cross_validate():
    metrics = ["roc_auc", "f1", "accuracy", "neg_log_loss", "precision", "recall_macro"]
    report = cross_validation_report(GaussianNB(), X, Y, scoring=metrics)
    for model, own in (("GaussianNB", GaussianNB()), ("baseline (prior)", DummyClassifier())):
        theirs = cross_validate(own, X, Y, scoring=metrics, cv=5)
        for metric in metrics:
            np.testing.assert_allclose(
                values(report, model, metric), theirs[f"test_{metric}"], rtol=1e-12
            )


def test_summary_is_mean_and_sample_deviation():
    report = cross_validation_report(GaussianNB(), X, Y, scoring="gini", cv=4)
    theirs = cross_val_score(GaussianNB(), X, Y, scoring="roc_auc", cv=4)
    row = report.summary()[0]
    assert row["mean"] == pytest.approx((2 * theirs - 1).mean(), rel=1e-12)
    assert row["std"] == pytest.approx((2 * theirs - 1).std(ddof=1), rel=1e-12)
    assert (row["n_folds"], row["n_undefined"], row["reasons"]) == (4, 0, {})


@pytest.mark.parametrize(
    "cv", [StratifiedKFold(3, shuffle=True, random_state=0), RepeatedStratifiedKFold(n_splits=3)]
)
def test_all_models_see_the_same_folds(cv):
    tree = DecisionTreeClassifier(random_state=0)
    report = cross_validation_report({"a": tree, "b": tree}, X, Y, scoring="accuracy", cv=cv)
    assert values(report, "a", "accuracy") == values(report, "b", "accuracy")


def test_an_int_is_shuffled_with_a_random_state_only():
    shuffled = StratifiedKFold(5, shuffle=True, random_state=3)
    for random_state, cv in ((None, 5), (3, shuffled)):
        report = cross_validation_report(
            GaussianNB(), X, Y, scoring="accuracy", random_state=random_state
        )
        theirs = cross_val_score(GaussianNB(), X, Y, cv=cv)
        np.testing.assert_allclose(values(report, "GaussianNB", "accuracy"), theirs)


def test_an_int_keeps_groups_together():
    groups = np.arange(len(Y)) % 7
    report = cross_validation_report(
        GaussianNB(), X, Y, scoring="accuracy", cv=3, groups=groups, baseline=None
    )
    theirs = cross_val_score(GaussianNB(), X, Y, cv=StratifiedGroupKFold(3), groups=groups)
    np.testing.assert_allclose(values(report, "GaussianNB", "accuracy"), theirs)


def test_groups_reach_a_splitter():
    groups = np.arange(len(Y)) % 4
    report = cross_validation_report(
        GaussianNB(), X, Y, scoring="accuracy", cv=GroupKFold(4), groups=groups
    )
    theirs = cross_val_score(GaussianNB(), X, Y, cv=GroupKFold(4), groups=groups)
    np.testing.assert_allclose(values(report, "GaussianNB", "accuracy"), theirs)


def test_folds_may_be_given_as_rows_or_as_masks():
    rows = [np.arange(0, 300), np.arange(300, 569)]
    masks = [np.isin(np.arange(569), part) for part in rows]
    reports = [
        cross_validation_report(
            GaussianNB(), X, Y, scoring="accuracy", cv=iter([(a, b), (b, a)])
        ).summary()
        for a, b in (rows, masks)
    ]
    assert reports[0] == reports[1]


def test_two_jobs_give_what_one_gives():
    models = {"tree": DecisionTreeClassifier(random_state=0), "bayes": GaussianNB()}
    one, two = (cross_validation_report(models, X, Y, n_jobs=jobs) for jobs in (1, 2))
    assert one.summary() == two.summary()
    assert one.models == two.models == ("tree", "bayes", "baseline (prior)")
    assert [(r.model, r.fold) for r in one.results] == [(r.model, r.fold) for r in two.results]


@pytest.mark.parametrize("kind", [list, np.array, "str", "category", "polars", "pyarrow"])
def test_text_classes_in_any_container(kind):
    text = np.array(["malignant", "benign"])[1 - Y]
    text = np.where(text == "malignant", "case", "control")
    if kind == "polars":
        given = pytest.importorskip("polars").Series(text)
    elif kind == "pyarrow":
        given = pytest.importorskip("pyarrow").array(text.tolist())
    elif isinstance(kind, str):
        given = pytest.importorskip("pandas").Series(text, dtype=kind)
    else:
        given = kind(text.tolist())
    report = cross_validation_report(GaussianNB(), X, given, pos_label="control")
    plain = cross_validation_report(GaussianNB(), X, (text == "control").astype(int))
    assert report.metrics == BINARY
    assert report.positive_class == "control"
    for ours, theirs in zip(report.summary(), plain.summary(), strict=True):
        assert (ours["mean"], ours["std"]) == pytest.approx((theirs["mean"], theirs["std"]))
        assert ours["n_undefined"] == 0


def test_frames_stay_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcde"))
    model = make_pipeline(StandardScaler().set_output(transform="pandas"), GaussianNB())
    report = cross_validation_report(model, frame, Y, scoring="accuracy")
    theirs = cross_val_score(model, frame, Y)
    np.testing.assert_allclose(values(report, "GaussianNB", "accuracy"), theirs)


def test_many_classes_by_default():
    report = cross_validation_report(GaussianNB(), IRIS, NAMES[SPECIES])
    assert report.metrics == MULTICLASS
    assert report.positive_class is None
    theirs = cross_val_score(GaussianNB(), IRIS, NAMES[SPECIES], scoring="f1_macro")
    np.testing.assert_allclose(values(report, "GaussianNB", "f1_macro"), theirs)
    assert all(row["n_undefined"] == 0 for row in report.summary())


def test_multilabel_by_default():
    data, labels = make_multilabel_classification(n_samples=80, n_classes=3, random_state=0)
    model = DecisionTreeClassifier(random_state=0)
    report = cross_validation_report(model, data, labels)
    theirs = cross_val_score(model, data, labels, scoring="f1_micro")
    np.testing.assert_allclose(values(report, "DecisionTreeClassifier", "f1_micro"), theirs)


@pytest.mark.parametrize("names", [(1, 2), (0, 2), ("no", "yes"), ("a", "b")])
def test_metrics_of_one_class_ask_which_it_is(names):
    y = np.array(names)[Y]
    asks = f"recall needs a positive class: pass pos_label={names[1]!r} or pos_label={names[0]!r}"
    scoring = ["recall", "roc_auc"]
    with pytest.raises(ValueError, match=re.escape(asks)):
        cross_validation_report(GaussianNB(), X, y, scoring=scoring)
    for name, marks in zip(names, (1 - Y, Y), strict=True):
        report = cross_validation_report(GaussianNB(), X, y, scoring=scoring, pos_label=name)
        assert report.positive_class == name
        for metric in scoring:
            theirs = cross_val_score(GaussianNB(), X, marks, scoring=metric)
            np.testing.assert_allclose(values(report, "GaussianNB", metric), theirs)
    scorer = get_scorer("recall", pos_label=names[0])  # it says for itself which it is of
    own = cross_validation_report(GaussianNB(), X, y, scoring=scorer)
    of_one = cross_val_score(GaussianNB(), X, 1 - Y, scoring="recall")
    np.testing.assert_allclose(values(own, "GaussianNB", "recall"), of_one)


def test_the_positive_class_is_that_of_the_scorers():
    y = np.where(Y == 1, "stayed", "churned")
    names = ["roc_auc", "f1", "neg_log_loss"]
    panel = ScorerPanel(names, pos_label="churned")
    given = cross_validation_report(GaussianNB(), X, y, scoring=names, pos_label="churned")
    for scoring in (panel, dict(panel.scorers), {"auc": "roc_auc", "f1": panel.scorers["f1"]}):
        report = cross_validation_report(GaussianNB(), X, y, scoring=scoring)
        assert report.positive_class == "churned"
        assert values(report, "GaussianNB", "f1") == values(given, "GaussianNB", "f1")
    of_sklearn = {"f1": sklearn_scorer(sklearn_f1_score, pos_label="churned")}
    assert cross_validation_report(GaussianNB(), X, y, scoring=of_sklearn).positive_class == (
        "churned"
    )
    text = cross_validation_report(GaussianNB(), X, y, scoring=panel).to_html()
    for part in ('id="slide"', "Precision and recall of GaussianNB", "Reliability of Gauss"):
        assert part in text


def test_scorers_of_different_classes_are_refused():
    y = np.where(Y == 1, "stayed", "churned")
    both = {label: get_scorer("f1", pos_label=label) for label in ("stayed", "churned")}
    told = r"different positive classes \(stayed: 'stayed', churned: 'churned'\)"
    with pytest.raises(ValueError, match=told):
        cross_validation_report(GaussianNB(), X, y, scoring=both)
    with pytest.raises(ValueError, match=r"\(pos_label: 'churned', f1: 'stayed'\)"):
        cross_validation_report(
            GaussianNB(), X, y, scoring={"f1": both["stayed"]}, pos_label="churned"
        )
    of_sklearn = {"f": sklearn_scorer(sklearn_f1_score, pos_label="churned")}
    with pytest.raises(ValueError, match=r"\(f: 'churned', stayed: 'stayed'\)"):
        cross_validation_report(
            GaussianNB(), X, y, scoring={**of_sklearn, "stayed": both["stayed"]}
        )
    with pytest.raises(ValueError, match=r"\(pos_label: 0, recall: 1\)"):
        cross_validation_report(GaussianNB(), X, Y, scoring=get_scorer("recall"), pos_label=0)
    with pytest.raises(ValueError, match="f1 needs a positive class"):  # before anything is fitted
        cross_validation_report(GaussianNB(), X, y, scoring=ScorerPanel(["f1"]))


def test_default_metrics_are_those_that_need_no_positive_class():
    y = np.where(Y == 1, "yes", "no")
    report = cross_validation_report(GaussianNB(), X, y, cv=3)
    assert (report.left_out, report.positive_class) == (("f1",), None)
    assert report.metrics == tuple(name for name in BINARY if name != "f1")
    told = "no positive class is known: pass pos_label= for f1"
    for shown in (str(report), report._repr_html_(), report.to_html()):
        assert told in " ".join(shown.split())
    assert json.loads(report.to_json())["left_out"] == ["f1"]
    other = cross_validation_report(GaussianNB(), X, y, cv=3, pos_label="yes")
    assert (other.left_out, other.metrics) == ((), BINARY)
    assert "no positive class" not in str(other)
    with pytest.raises(ValueError, match="pos_label='maybe' is not a valid label"):
        cross_validation_report(GaussianNB(), X, y, pos_label="maybe")


def test_names_of_scorers():
    def near_zero(estimator, X, y):
        return 0.25

    given = ["accuracy", get_scorer("gini"), near_zero, "accuracy"]
    report = cross_validation_report(GaussianNB(), X, Y, scoring=given)
    assert report.metrics == ("accuracy", "gini", "near_zero", "accuracy_2")
    assert values(report, "GaussianNB", "near_zero") == [0.25] * 5
    report = cross_validation_report(GaussianNB(), X, Y, scoring={"acc": "accuracy"})
    assert report.metrics == ("acc",)


def test_names_of_models():
    models = [KNeighborsClassifier(3), make_pipeline(KNeighborsClassifier(5)), GaussianNB()]
    report = cross_validation_report(models, X, Y, scoring="accuracy", cv=2)
    assert report.models == (
        "KNeighborsClassifier",
        "KNeighborsClassifier_2",
        "GaussianNB",
        "baseline (prior)",
    )


def test_models_given_are_left_unfitted():
    model = LogisticRegression(max_iter=5000)
    before = vars(clone(model))
    cross_validation_report(model, X, Y, scoring="accuracy", cv=2)
    assert vars(model) == before


@pytest.mark.parametrize("strategy", ["prior", "most_frequent", "stratified", "uniform"])
def test_baseline_is_a_dummy_on_the_same_folds(strategy):
    report = cross_validation_report(
        GaussianNB(), X, Y, scoring="accuracy", baseline=strategy, random_state=0
    )
    dummy = DummyClassifier(strategy=strategy, random_state=0)
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    name = f"baseline ({strategy})"
    np.testing.assert_allclose(
        values(report, name, "accuracy"), cross_val_score(dummy, X, Y, cv=cv)
    )
    assert report.baseline == name == report.models[-1]
    assert [row["is_baseline"] for row in report.summary()] == [False, True]


def test_baseline_may_be_a_model_or_none():
    report = cross_validation_report(GaussianNB(), X, Y, baseline=DecisionTreeClassifier(), cv=2)
    assert report.baseline == "baseline (DecisionTreeClassifier)"
    report = cross_validation_report(GaussianNB(), X, Y, baseline=None, cv=2)
    assert (report.baseline, report.models) == (None, ("GaussianNB",))


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"scoring": "rocauc"}, ValueError, "'roc_auc'"),
        ({"scoring": []}, ValueError, "scoring is empty"),
        ({"scoring": 3}, TypeError, "scoring must be"),
        ({"scoring": {"a": 3}}, TypeError, "'a' must be a name or a callable"),
        ({"baseline": "priors"}, ValueError, "baseline must be one of"),
        ({"estimators": {}}, ValueError, "estimators is empty"),
        ({"estimators": "logistic"}, TypeError, "must be an estimator"),
        ({"estimators": GaussianNB}, TypeError, "is not an estimator"),
        ({"y": np.ones(len(Y))}, ValueError, "single class"),
        ({"y": X[:, 0]}, ValueError, "continuous"),
        ({"y": Y[1:]}, ValueError, "inconsistent"),
        ({"cv": iter([])}, ValueError, "no folds"),
    ],
)
def test_what_is_refused(changes, kind, message):
    arguments = {"estimators": GaussianNB(), "X": X, "y": Y, **changes}
    with pytest.raises(kind, match=message):
        cross_validation_report(**arguments)
