"""Out-of-fold values of a report by group."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import LeaveOneGroupOut

import skmetrics_ext as sx
from skmetrics_ext import cross_validation_report

SCORING = ["f1", "neg_brier_score", "roc_auc"]


def data(n_rows=240, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    X = pd.DataFrame({"x": rng.normal(size=n_rows) + y, "z": rng.normal(size=n_rows)})
    return X, y, rng.choice(["A", "B", "C"], n_rows)


def report_of(**options):
    X, y, site = data()
    options = {"scoring": SCORING, "cv": 3, "by": {"site": site}, **options}
    return cross_validation_report({"line": LogisticRegression()}, X, y, **options)


def test_labels_and_probabilities_are_pooled_and_rankings_are_means_of_folds():
    _, y, site = data()
    report = report_of()
    found = report.by_group()
    told = report.predictions["line"]
    proba = told.responses["predict_proba"][:, 1]
    for group in ("A", "B", "C", None):
        rows = np.ones(len(y), dtype=bool) if group is None else site[told.rows] == group
        true, score = y[told.rows][rows], proba[rows]
        f1 = sx.confidence_interval("f1", true, (score > 0.5).astype(int))
        row = found.row("f1", group)
        np.testing.assert_allclose(
            [row.value, row.low, row.high], [f1.value, f1.low, f1.high], rtol=1e-12
        )
        brier = found.value("neg_brier_score", group)
        assert brier == pytest.approx(-sx.brier_score_loss(true, score), rel=1e-12)
        each = [
            sx.roc_auc_score(true[own], score[own])
            for own in (told.fold[rows] == fold for fold in range(3))
        ]
        assert found.value("roc_auc", group) == pytest.approx(np.mean(each), rel=1e-12)
        assert row.n_rows == rows.sum()


def test_a_group_without_positives_has_no_recall():
    _, y, site = data()
    groups = np.where((y == 0) & (site == "A"), "none", site)
    found = report_of(by={"site": groups}, scoring=["recall"]).by_group()
    row, gap = found.row("recall", "none"), found.gaps("recall").row(group="none")
    assert np.isnan([row.value, row.low, gap.value, gap.value_a]).all()
    assert row.note == gap.note == "no row is of the class"
    assert found.spread("recall").n_groups == 3


def test_gaps_and_the_worst_are_those_of_pooled_rows():
    _, y, site = data()
    report = report_of()
    told = report.predictions["line"]
    pred = (told.responses["predict_proba"][:, 1] > 0.5).astype(int)
    same = sx.compute_metrics(["f1"], y[told.rows], pred, by={"site": site[told.rows]})
    found = report.by_group("line")
    pd.testing.assert_frame_equal(found.gaps("f1").frame(), same.gaps("f1").frame(), rtol=1e-9)
    assert found.surely_worst()[0].group == same.surely_worst()[0].group
    (worst,) = found.where(metric="neg_brier_score").surely_worst()  # of negated losses the least
    bounds = {s: found.row("neg_brier_score", s).high for s in "ABC"}
    assert worst.group == min(bounds, key=bounds.get)
    assert worst.low < worst.value < worst.high <= 0
    gap = found.gaps("roc_auc").row(group="A")
    assert gap.low < gap.value < gap.high


def test_prints_and_page_show_the_groups():
    report = report_of(scoring=["f1"])
    for text in (str(report), report.to_html()):
        assert "by site: out-of-fold values of models fitted on rows of all groups" in text
        assert "gap" in text
    assert "leave-one-group-out" not in str(report)
    assert "by site" not in str(report_of(by=None, scoring=["f1"]))


def test_groups_that_are_left_out_are_shown_as_such():
    _, _, site = data()
    report = report_of(cv=LeaveOneGroupOut(), groups=site, scoring=["f1"])
    assert "by site: out-of-fold values, leave-one-group-out" in str(report)


def test_a_column_of_x_an_array_or_a_series():
    X, y, site = data()
    X = X.assign(bin=(X.z > 0).astype(int))
    about = {"scoring": ["accuracy"], "cv": 3}
    model = LogisticRegression()
    by_name = cross_validation_report(model, X, y, by="bin", **about).by_group()
    assert by_name.groups.by.names == ("bin",)
    by_array = cross_validation_report(model, X, y, by=X.bin.to_numpy(), **about).by_group()
    assert [row.value for row in by_name] == [row.value for row in by_array]
    series = pd.Series(site, name="place")
    assert report_of(by=series, scoring=["f1"]).by_group().groups.by.names == ("place",)


@pytest.mark.parametrize(
    ("by", "message"),
    [("site", "not a column of X"), ([1, 2], "has 2 rows"), (np.arange(240), "identifies rows")],
)
def test_refused(by, message):
    with pytest.raises(ValueError, match=message):
        report_of(by=by)


def test_a_report_without_groups_says_what_is_missing():
    with pytest.raises(ValueError, match="pass by="):
        report_of(by=None).by_group()


def test_a_loaded_report_has_its_groups(tmp_path):
    report = report_of()
    report.save(tmp_path / "report")
    loaded = sx.results.CrossValidationReport.load(tmp_path / "report")
    assert loaded == report
    assert loaded.by_group().rows == report.by_group().rows
    assert str(loaded) == str(report)


def test_rows_without_weight_are_as_if_they_were_not_there():
    X, y, site = data()
    weight, patient = np.arange(len(y)) % 3, np.arange(len(y)) // 4
    kept = weight > 0
    fold = np.arange(len(y)) // 80
    metrics = {"scoring": ["f1", "neg_log_loss", "roc_auc"]}
    found, same = (
        cross_validation_report(
            {"line": LogisticRegression()},
            X[rows],
            y[rows],
            cv=[
                (np.flatnonzero(fold[rows] != k), np.flatnonzero(fold[rows] == k)) for k in range(3)
            ],
            groups=patient[rows],
            by={"site": site[rows]},
            sample_weight=weight[rows],
            **metrics,
        ).by_group("line")
        for rows in (np.ones(len(y), dtype=bool), kept)
    )
    for row in same.rows:
        other = found.row(row.metric, row.group)
        np.testing.assert_allclose(
            [other.value, other.low, other.high], [row.value, row.low, row.high], rtol=1e-5
        )


def test_a_model_without_probabilities_has_the_other_metrics_by_group():
    X, y, site = data()
    options = {"scoring": ["accuracy", "neg_log_loss"], "cv": 3, "by": {"site": site}}
    report = cross_validation_report({"line": Perceptron(random_state=0)}, X, y, **options)
    table, part = report.by_group("line"), report.predictions["line"]
    is_a = site[part.rows] == "A"
    right = part.responses["predict"][is_a] == y[part.rows][is_a]
    assert table.row("accuracy", "A").value == pytest.approx(right.mean())
    row = table.row("neg_log_loss", "A")
    assert np.isnan(row.value)
    assert "predict_proba" in row.note
    assert "predict_proba" in str(report)
