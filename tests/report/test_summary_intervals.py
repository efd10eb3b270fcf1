"""Intervals of a summary: what each kind is, and which one leads."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from support.public import DEPRECATED

import skmetrics_ext
from skmetrics_ext import confidence_interval, cross_validation_report
from tests.report.test_clusters import LOSS, RIGHT, SPREAD, Told, patients

nested_cv_interval = DEPRECATED["nested_cv_interval"]

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :4]
METRICS = ["accuracy", "f1", "neg_log_loss", "roc_auc", "average_precision", "ks_statistic"]

BINARY = [
    "accuracy", "f1", "recall", "specificity", "matthews_corrcoef", "positive_likelihood_ratio",
    "roc_auc", "gini", "average_precision", "lift", "neg_log_loss", "d2_log_loss_score",
    "net_benefit_at_20", "sensitivity_at_specificity_90", "neg_brier_score",
]  # fmt: skip
SEVERAL = ["accuracy", "f1_macro", "roc_auc_ovr", "roc_auc_ovo", "neg_log_loss", "cohen_kappa"]


@pytest.fixture(scope="module")
def report():
    return cross_validation_report(GaussianNB(), X, Y, scoring=METRICS, random_state=0)


def row_of(report, metric, interval="cv"):
    return next(row for row in report.summary(interval) if row["metric"] == metric)


def fold_rows(report):
    kept = report.predictions[report.models[0]]
    return [kept.rows[kept.fold == fold] for fold in np.unique(kept.fold)], kept


def test_all_lines_have_the_first_kind_that_every_metric_has(report):
    folds = LeaveOneOut()
    alone = cross_validation_report(
        GaussianNB(), X[:60], Y[:60], cv=folds, scoring="accuracy", baseline=None
    )
    kinds = {
        "cv": cross_validation_report(GaussianNB(), X, Y, scoring=METRICS[:5]),
        "pooled": alone,  # one row in a fold has no variance
        "corrected": report,  # the KS statistic has no influence values, and is not pooled
    }
    for kind, found in kinds.items():
        assert {row["interval"] for row in found.summary()} == {kind}
        assert found.summary() == found.summary(kind)
        assert f"95 % intervals for {found.summary()[0].target}" in str(found.summary())
    (row,), (whole,) = alone.summary(), alone.pooled()
    assert (row["value"], row["low"], row["high"]) == (whole["value"], whole["low"], whole["high"])


@pytest.mark.parametrize(
    ("interval", "target"),
    [
        ("cv", "the 3 fitted models"),
        ("pooled", "the 3 fitted models, test rows pooled"),
        ("corrected", "models trained on other samples of this size"),
        ("nested", "models trained on other samples of this size (nested cross-validation)"),
    ],
)
def test_the_kind_of_a_report_is_that_of_its_summary(interval, target):
    report = cross_validation_report(
        GaussianNB(), X, Y, scoring="accuracy", cv=3, baseline=None, interval=interval
    )
    assert report.summary() == report.summary(interval)
    assert {(row.interval, row.target) for row in report.summary()} == {(interval, target)}
    assert f"95 %, {target}" in report.to_html()
    with pytest.raises(ValueError, match="interval has to be one of"):
        cross_validation_report(GaussianNB(), X, Y, interval="wide")


def test_an_accuracy_over_folds_has_the_variance_within_them(report):
    folds, kept = fold_rows(report)
    right = kept.responses["predict"] == Y[kept.rows]
    variance = sum(right[kept.fold == f].var(ddof=1) / len(rows) for f, rows in enumerate(folds))
    row = row_of(report, "accuracy")
    assert row["standard_error"] == pytest.approx(np.sqrt(variance) / 5, rel=1e-9)
    assert row["value"] == row["mean"]


def test_an_area_over_folds_has_the_variance_of_delong(report):
    _, kept = fold_rows(report)
    score = kept.responses["predict_proba"][:, 1]
    errors = [
        confidence_interval(
            "roc_auc", Y[kept.rows[kept.fold == f]], score[kept.fold == f], method="delong"
        ).standard_error
        for f in range(5)
    ]
    expected = np.sqrt(np.sum(np.square(errors))) / 5
    assert row_of(report, "roc_auc")["standard_error"] == pytest.approx(expected, rel=1e-9)


def test_groups_over_folds_have_the_variance_of_their_sums():
    X, y, group = patients(5)
    report = cross_validation_report(
        Told(), X, y, groups=group, cv=GroupKFold(4), scoring="accuracy", baseline=None
    )
    folds, kept = fold_rows(report)
    variance = 0.0
    for f, rows in enumerate(folds):
        right = (kept.responses["predict"][kept.fold == f] == y[rows]).astype(float)
        sums = np.array([(right - right.mean())[group[rows] == g].sum() for g in set(group[rows])])
        variance += (sums**2).sum() / len(rows) ** 2 * len(sums) / (len(sums) - 1)
    found = row_of(report, "accuracy")["standard_error"]
    assert found == pytest.approx(np.sqrt(variance) / 4, rel=1e-9)


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc", "average_precision", "neg_log_loss"])
def test_folds_told_twice_are_no_more_rows(metric):
    folds = list(StratifiedKFold(4).split(X, Y))
    once, twice = (
        cross_validation_report(GaussianNB(), X, Y, cv=cv, scoring=metric, baseline=None)
        for cv in (folds, folds * 2)
    )
    errors = [row_of(report, metric)["standard_error"] for report in (once, twice)]
    assert errors[0] == pytest.approx(errors[1], rel=0.02)


def test_rows_without_weight_count_for_nothing():
    weight = np.arange(len(Y)) % 3 > 0
    cv = list(StratifiedKFold(3).split(X, Y))
    kept = np.flatnonzero(weight)
    place = np.cumsum(weight) - 1
    fewer = [tuple(place[rows[weight[rows]]] for rows in fold) for fold in cv]
    options = {"scoring": ["roc_auc", "accuracy"], "baseline": None}
    params = {"sample_weight": weight.astype(float)}
    weighted = cross_validation_report(GaussianNB(), X, Y, cv=cv, params=params, **options)
    without = cross_validation_report(GaussianNB(), X[kept], Y[kept], cv=fewer, **options)
    for metric in options["scoring"]:
        ours, theirs = row_of(weighted, metric), row_of(without, metric)
        for key in ("value", "standard_error", "low", "high"):
            assert ours[key] == pytest.approx(theirs[key], rel=1e-9)


def test_intervals_stay_inside_the_range_of_every_metric():
    rows, y = load_iris(return_X_y=True)
    for data, names in (((X[:120], Y[:120]), BINARY), ((rows, y), SEVERAL)):
        report = cross_validation_report(GaussianNB(), *data, scoring=names, cv=3)
        for row in report.summary("cv"):
            spec = skmetrics_ext.METRICS[row["metric"]]
            low, high = spec.bounds
            if row["metric"].startswith("neg_"):
                low, high = -high, -low
            if row["metric"] == "neg_brier_score":
                low = -1.0  # of two classes
            if np.isnan(row["low"]):
                assert row["note"], row
            else:
                assert low <= row["low"] <= row["value"] <= row["high"] <= high, row


@pytest.mark.parametrize(("classes", "worst"), [(2, 1.0), (3, 2.0)])
def test_brier_intervals_end_at_the_worst_score_of_so_many_classes(classes, worst):
    """Folds whose scores are nearly the worst: by hand, 1 for two classes and 2 for three."""
    y = np.arange(60) % classes
    cv = list(StratifiedKFold(3).split(y, y))

    class Wrong(GaussianNB):
        def predict_proba(self, X):
            sure = np.eye(classes)[(X[:, 0].astype(int) + 1) % classes]
            return sure if X[0, 1] else np.full_like(sure, 1 / classes)

    rows = np.column_stack([y, np.ones(60)])
    rows[cv[0][1], 1] = 0  # the first fold is worth less
    report = cross_validation_report(Wrong(), rows, y, scoring="neg_brier_score", cv=cv)
    row = next(r for r in report.summary("corrected") if r["model"] == "Wrong")
    assert row["low"] == -worst
    even = {2: 0.25, 3: 2 / 3}[classes]
    assert row["value"] == pytest.approx(-(2 * worst + even) / 3)


def test_why_there_is_no_interval():
    one = cross_validation_report(
        GaussianNB(), X[:60], Y[:60], cv=LeaveOneOut(), scoring="accuracy", baseline=None
    )
    assert "a fold has one row" in row_of(one, "accuracy")["note"]
    own = cross_validation_report(
        GaussianNB(), X, Y, scoring={"mine": lambda model, X, y: 0.5}, baseline=None
    )
    assert "of this package" in own.summary("cv")[0]["note"]
    assert own.summary()[0]["interval"] == "corrected"
    with pytest.raises(ValueError, match="interval has to be one of"):
        own.summary("narrow")


def test_nested_intervals_are_those_of_nested_cv():
    rows, y = load_iris(return_X_y=True)
    names = ["accuracy", "neg_log_loss", "f1_macro"]
    report = cross_validation_report(GaussianNB(), rows, y, scoring=names, cv=3, baseline=None)
    found = {row["metric"]: row for row in report.summary("nested")}
    options = {"n_folds": 3, "random_state": 0}
    error = nested_cv_interval(GaussianNB(), rows, y, **options)
    ends = 1 - error.value, 1 - error.high, 1 - error.low
    assert tuple(found["accuracy"][k] for k in ("value", "low", "high")) == pytest.approx(ends)
    loss = nested_cv_interval(GaussianNB(), rows, y, loss="log_loss", **options)
    row = found["neg_log_loss"]
    assert (row["low"], row["high"]) == pytest.approx((-loss.high, -loss.low))
    assert "not f1_macro" in found["f1_macro"]["note"]
    areas = cross_validation_report(LogisticRegression(), X, Y, scoring="roc_auc", cv=3)
    with pytest.raises(ValueError, match=r"'nested' is not available: .*, not roc_auc"):
        areas.summary("nested")


# --------------------------------------------------------------------------- coverage

AREA = norm.cdf(2 / (np.sqrt(2) * SPREAD))
TRUTH = {"roc_auc": AREA, "accuracy": RIGHT, "f1": RIGHT, "neg_log_loss": -LOSS}


def coverage(n_draws, n_rows=200):
    """Share of intervals over folds that hold the truth, of independent rows."""
    held = dict.fromkeys(TRUTH, 0)
    for seed in range(n_draws):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, n_rows)
        odds = (2 * y - 1 + SPREAD * rng.normal(size=n_rows))[:, None]
        report = cross_validation_report(
            Told(), odds, y, scoring=list(TRUTH), cv=KFold(5), baseline=None
        )
        for row in report.summary("cv"):
            held[row["metric"]] += row["low"] <= TRUTH[row["metric"]] <= row["high"]
    return {metric: count / n_draws for metric, count in held.items()}


@pytest.mark.exhaustive
def test_intervals_over_folds_cover():
    found = coverage(1000)
    assert all(0.93 <= share <= 0.975 for share in found.values()), found


def test_intervals_over_folds_cover_in_few_draws():
    found = coverage(100)
    assert all(share >= 0.89 for share in found.values()), found
