"""Intervals of means, comparisons of models, pooled estimates, partial results."""

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skmetrics_ext import (
    ScorerPanel,
    confidence_interval,
    cross_validation_report,
    get_scorer,
)

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :4]
MODELS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}
METRICS = ["accuracy", "roc_auc", "neg_log_loss", "f1"]


@pytest.fixture(scope="module")
def report():
    return cross_validation_report(MODELS, X, Y, scoring=METRICS, random_state=0)


def values(report, model, metric):
    return np.array([r.values[metric] for r in report.results if r.model == model])


def test_interval_of_the_mean_is_that_of_nadeau_and_bengio(report):
    for row in report.summary("corrected"):
        own = values(report, row["model"], row["metric"])
        test = len(Y) / 5
        error = np.sqrt(own.var(ddof=1) * (1 / 5 + test / (len(Y) - test)))
        if np.ptp(own) < 1e-15:  # the folds cannot show how much the value varies
            assert np.isnan([row["low"], row["high"]]).all()
            assert "the same on every fold" in row["note"]
            continue
        assert row["standard_error"] == pytest.approx(error, rel=1e-9)
        half = stats.t.ppf(0.975, 4) * error
        upper = 0.0 if row["metric"].startswith("neg") else 1.0
        assert row["low"] == pytest.approx(row["mean"] - half)
        assert row["high"] == pytest.approx(min(row["mean"] + half, upper))


def test_comparison_of_a_pair_by_hand(report):
    rows = report.compare("accuracy", rope=0.01)
    assert [(row["model"], row["against"]) for row in rows] == [
        ("bayes", "tree"),
        ("bayes", "baseline (prior)"),
        ("tree", "baseline (prior)"),
    ]
    row = rows[0]
    gaps = values(report, "bayes", "accuracy") - values(report, "tree", "accuracy")
    test = len(Y) / 5
    scale = np.sqrt(gaps.var(ddof=1) * (1 / 5 + test / (len(Y) - test)))
    assert row["value"] == pytest.approx(gaps.mean())
    assert row["p_value"] == pytest.approx(2 * stats.t.sf(abs(gaps.mean()) / scale, 4))
    posterior = stats.t(4, loc=gaps.mean(), scale=scale)
    assert row["p_b_better"] == pytest.approx(posterior.cdf(-0.01))
    assert row["p_a_better"] == pytest.approx(posterior.sf(0.01))
    assert row["p_a_better"] + row["p_equivalent"] + row["p_b_better"] == pytest.approx(1)
    ordered = sorted(rows, key=lambda row: row["p_value"])
    raw = [min(1, r["p_value"] * k) for r, k in zip(ordered, (3, 2, 1), strict=True)]
    adjusted = np.maximum.accumulate(raw)
    np.testing.assert_allclose([row["p_adjusted"] for row in ordered], adjusted, rtol=1e-12)


def test_against_the_baseline_only(report):
    rows = report.compare("roc_auc", against="baseline", rope=0.05)
    assert [row["model"] for row in rows] == ["bayes", "tree"]
    assert {row["against"] for row in rows} == {report.baseline}
    assert all(row["rope"] == 0.05 for row in rows)
    alone = cross_validation_report(MODELS, X, Y, scoring="f1", baseline=None, cv=2)
    with pytest.raises(ValueError, match="has no baseline"):
        alone.compare(against="baseline")
    with pytest.raises(ValueError, match="metric has to be one of"):
        report.compare("gini")


def test_comparison_needs_two_folds():
    rows = np.argsort(Y, kind="stable")  # one fold of five holds both classes
    report = cross_validation_report(
        GaussianNB(), X[rows], Y[rows], scoring=["gini", "accuracy"], cv=KFold(5)
    )
    row = report.compare("gini")[0]
    assert np.isnan(row["p_value"])
    assert row["note"] == "both are defined on 1 folds; at least 2 are needed"
    assert report.compare("accuracy")[0]["note"] == ""


def test_out_of_fold_predictions(report):
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    kept = report.predictions["bayes"]
    proba = cross_val_predict(GaussianNB(), X, Y, cv=cv, method="predict_proba")
    np.testing.assert_array_equal(kept.responses["predict_proba"], proba[kept.rows])
    assert sorted(kept.rows) == list(range(len(Y)))
    assert kept.classes.tolist() == [0, 1]
    assert [np.count_nonzero(kept.fold == k) for k in range(5)] == [114, 114, 114, 114, 113]


def pooled(report, model, metric):
    return next(r for r in report.pooled() if (r["model"], r["metric"]) == (model, metric))


def test_labels_and_probabilities_are_pooled_and_ranks_are_refused(report):
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    pred = cross_val_predict(GaussianNB(), X, Y, cv=cv)
    proba = cross_val_predict(GaussianNB(), X, Y, cv=cv, method="predict_proba")
    row = pooled(report, "bayes", "accuracy")
    assert row["value"] == accuracy_score(Y, pred)
    assert row["n_rows"] == len(Y)
    assert pooled(report, "bayes", "neg_log_loss")["value"] == pytest.approx(-log_loss(Y, proba))
    refused = pooled(report, "bayes", "roc_auc")
    assert np.isnan(refused["value"])
    assert "no common scale" in refused["note"]


def test_weights_are_pooled_too():
    weight = np.random.default_rng(0).random(len(Y))
    report = cross_validation_report(
        GaussianNB(), X, Y, scoring="accuracy", params={"sample_weight": weight}, baseline=None
    )
    kept = report.predictions["GaussianNB"]
    hits = kept.responses["predict"] == Y[kept.rows]
    expected = np.average(hits, weights=weight[kept.rows])
    assert pooled(report, "GaussianNB", "accuracy")["value"] == pytest.approx(expected)


def test_repeated_folds_count_each_row_once():
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    report = cross_validation_report(GaussianNB(), X, Y, scoring="accuracy", cv=cv)
    row, kept = pooled(report, "GaussianNB", "accuracy"), report.predictions["GaussianNB"]
    assert row["n_rows"] == 2 * len(Y)
    pred = kept.responses["predict"]
    found = confidence_interval("accuracy", Y[kept.rows], pred, groups=kept.rows)
    assert (row["low"], row["high"]) == pytest.approx((found.low, found.high))


def test_a_class_that_a_fold_never_saw_has_probability_0():
    X, y = load_iris(return_X_y=True)
    folds = [(np.flatnonzero(y < 2), np.arange(0, 150, 2)), (np.arange(0, 150, 2), np.arange(50))]
    report = cross_validation_report(
        GaussianNB(), X, y, scoring=["neg_log_loss", "roc_auc_ovr"], cv=folds, baseline=None
    )
    kept = report.predictions["GaussianNB"]
    proba = kept.responses["predict_proba"]
    assert proba.shape == (125, 3)
    assert (proba[kept.fold == 0, 2] == 0).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)


class Interrupted(ClassifierMixin, BaseEstimator):
    """The user presses a key during its third fit."""

    def __init__(self, count):
        self.count = count

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.count.append(1)
        if len(self.count) == 3:
            raise KeyboardInterrupt
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[-1])

    def __sklearn_clone__(self):
        return self


def test_what_is_finished_survives_an_interruption():
    models = {"bayes": GaussianNB(), "stops": Interrupted([])}
    with pytest.warns(UserWarning, match="Interrupted after 7 of 15 fits"):
        report = cross_validation_report(models, X, Y, scoring=["accuracy", "roc_auc"])
    counts = {m: len([r for r in report.results if r.model == m]) for m in report.models}
    assert counts == {"bayes": 3, "stops": 2, "baseline (prior)": 2}
    assert "bayes" in str(report)
    assert "stops" in report.to_html()


def test_an_interruption_before_the_first_fit_is_one():
    with pytest.raises(KeyboardInterrupt):
        cross_validation_report(
            {"stops": Interrupted([1, 1])}, X, Y, scoring="accuracy", baseline=None
        )


def test_a_panel_is_scoring():
    panel = ScorerPanel(["roc_auc", "f1"], pos_label=0)
    report = cross_validation_report(GaussianNB(), X, Y, scoring=panel, cv=3, baseline=None)
    alone = cross_validation_report(
        GaussianNB(), X, Y, scoring={"f1": get_scorer("f1", pos_label=0)}, cv=3, baseline=None
    )
    assert report.metrics == ("roc_auc", "f1")
    np.testing.assert_array_equal(
        values(report, "GaussianNB", "f1"), values(alone, "GaussianNB", "f1")
    )


@pytest.mark.parametrize(
    "cv", [TimeSeriesSplit(3), GroupKFold(3), RepeatedStratifiedKFold(n_splits=2, n_repeats=2)]
)
def test_any_splitter_and_pipelines(cv):
    models = [make_pipeline(StandardScaler(), GaussianNB()), GaussianNB()]
    groups = np.arange(len(Y)) // 9 if isinstance(cv, GroupKFold) else None
    report = cross_validation_report(
        models, X, Y, cv=cv, groups=groups, scoring=["accuracy"],
        baseline=DummyClassifier(strategy="most_frequent"),
    )  # fmt: skip
    assert report.models == (
        "GaussianNB (StandardScaler)",
        "GaussianNB",
        "baseline (DummyClassifier)",
    )
    assert len(report.compare()) == 3
    assert all(np.isfinite(row["mean"]) for row in report.summary())


def test_dask_backend(tmp_path):
    """One thread: several would exchange the filters of warnings, which are of the process."""
    pytest.importorskip("distributed")
    import joblib
    from distributed import Client

    alone = {"processes": False, "n_workers": 1, "threads_per_worker": 1}
    with (
        Client(**alone, dashboard_address=None, local_directory=str(tmp_path)),
        joblib.parallel_config("dask"),
    ):
        report = cross_validation_report(GaussianNB(), X, Y, scoring="accuracy", n_jobs=2)
    assert report.n_folds == 5


def test_polars(report):
    polars = pytest.importorskip("polars")
    for rows in ("summary", "folds", "pooled", "compare"):
        frame = report.frame(rows, backend="polars")
        assert isinstance(frame, polars.DataFrame)
        assert len(frame) == len(getattr(report, rows)())
        assert len(report.frame(rows)) == len(frame)
    with pytest.raises(ValueError, match="backend has to be one of"):
        report.frame(backend="excel")


def test_plot(report):
    pytest.importorskip("matplotlib").use("agg")
    display = report.plot()
    assert len(display.frame()) >= len(report.models) * len(report.metrics)


def test_pooled_intervals(report):
    from skmetrics_ext import confidence_interval

    kept = report.predictions["tree"]
    row = pooled(report, "tree", "accuracy")
    expected = confidence_interval("accuracy", Y[kept.rows], kept.responses["predict"])
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high))
    assert row["method"] == expected.method
    loss = pooled(report, "tree", "neg_log_loss")
    assert loss["low"] < loss["value"] < loss["high"] < 0
