"""A saved report whose parts contradict each other is refused, part by part."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from skmetrics_ext import cross_validation_report
from skmetrics_ext.results import CrossValidationReport

RNG = np.random.default_rng(0)
N = 30
X, Y = RNG.normal(size=(N, 2)), np.arange(N) % 2


@pytest.fixture(scope="module")
def report():
    return cross_validation_report(
        {"bayes": GaussianNB()},
        X,
        Y,
        scoring=["f1", "neg_log_loss"],
        sample_weight=np.ones(N),
        groups=np.arange(N) // 2,
        by=np.array(["f", "m"])[np.arange(N) // 2 % 2],
        cv=3,
        train=True,
    )


def of_report(**fields):
    return lambda report: replace(report, **fields)


def of_first(**fields):
    """Other fields of the first fold; functions change what it holds."""

    def change(report):
        first, *others = report.results
        new = {
            key: value(getattr(first, key)) if callable(value) else value
            for key, value in fields.items()
        }
        return replace(report, results=(replace(first, **new), *others))

    return change


def of_data(**fields):
    def change(report):
        new = {
            key: value(getattr(report.data, key)) if callable(value) else value
            for key, value in fields.items()
        }
        return replace(report, data=replace(report.data, **new))

    return change


def without(key):
    return lambda mapping: {name: value for name, value in mapping.items() if name != key}


REFUSED = {
    "level 0": (of_report(confidence_level=0.0), "confidence levels"),
    "level 1": (of_report(confidence_level=1.0), "confidence levels"),
    "a baseline that is no model": (of_report(baseline="other"), "models and their baseline"),
    "a kind of interval": (of_report(interval="wide"), "kinds of intervals"),
    "a positive class that is several": (of_report(positive_class=[1]), "positive classes"),
    "a positive class that is a map": (of_report(positive_class={"a": 1}), "positive classes"),
    "a splitter that is no text": (of_report(splitter=3), "splitter and notes"),
    "a note that is no text": (of_report(data_warnings=("a", 3)), "splitter and notes"),
    "a name that is no text": (of_report(left_out=(3,)), "splitter and notes"),
    "a model that is no text": (of_report(models=("bayes", 3)), "models and metrics"),
    "a metric that is no text": (of_report(metrics=("f1", 3)), "models and metrics"),
    "names in a list": (of_report(models=["bayes", "baseline (prior)"]), "models and metrics"),
    "a fold of no model": (of_first(model="other"), "values of 'other'"),
    "a metric without a value": (of_first(values=without("f1")), "values of 'bayes'"),
    "a value that is text": (of_first(values=lambda own: own | {"f1": "1"}), "values of 'bayes'"),
    "training values": (of_first(train_values={"f1": "1"}), "values of 'bayes'"),
    "a time that is text": (of_first(fit_time="1"), "values of 'bayes'"),
    "another time that is text": (of_first(score_time="1"), "values of 'bayes'"),
    "a fold that is text": (of_first(fold="1"), "values of 'bayes'"),
    "a reason that is a number": (of_first(reasons={"f1": 3}), "values of 'bayes'"),
    "a note that is a number": (of_first(notes={"f1": 3}), "values of 'bayes'"),
    "another number of test rows": (of_first(n_test=11), "predictions of 'bayes'"),
    "fewer rows": (of_first(rows=lambda rows: rows[1:]), "predictions of 'bayes'"),
    "rows from -1": (of_first(rows=lambda rows: rows - 1), "predictions of 'bayes'"),
    "rows that are no integers": (of_first(rows=lambda rows: rows / 2), "predictions of 'bayes'"),
    "a table of rows": (of_first(rows=lambda rows: rows[:, None]), "predictions of 'bayes'"),
    "fewer predictions": (
        of_first(responses=lambda own: own | {"predict": own["predict"][1:]}),
        "predictions of 'bayes'",
    ),
    "a table of classes": (of_first(classes=np.eye(2)), "predictions of 'bayes'"),
    "fewer labels": (of_data(y=Y[1:]), "labels"),
    "fewer weights": (
        of_data(params=lambda own: own | {"f1": {"sample_weight": np.ones(N - 1)}}),
        "labels",
    ),
    "a metric without a scorer": (of_data(scorers=without("f1")), "scorers"),
    "a metric without parameters": (of_data(params=without("f1")), "scorers"),
    "fewer groups": (
        of_data(grouping=lambda own: replace(own, of_row=own.of_row[1:])),
        "groups do not fit",
    ),
    "groups from -1": (
        of_data(grouping=lambda own: replace(own, of_row=own.of_row - 1)),
        "groups do not fit",
    ),
    "a fold without groups": (
        of_data(grouping=lambda own: replace(own, sizes=without(1)(own.sizes))),
        "groups do not fit",
    ),
    "fewer rows of parts": (
        of_data(rows_by=lambda own: replace(own, of_row=own.of_row[1:])),
        "groups by which results are split",
    ),
    "a part without a name": (
        of_data(rows_by=lambda own: replace(own, of_row=own.of_row + 1)),
        "groups by which results are split",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_part_that_contradicts_the_others_is_refused(report, tmp_path, what):
    change, told = REFUSED[what]
    change(report).save(tmp_path / "a.report")
    with pytest.raises(ValueError, match=f"{told}.*do not fit|{told}"):
        CrossValidationReport.load(tmp_path / "a.report")


KEPT = {
    "no baseline": of_report(baseline=None),
    "a level near 0": of_report(confidence_level=0.001),
    "a level near 1": of_report(confidence_level=0.999),
    "text as the positive class": of_report(positive_class="ill"),
    "no classes": of_first(classes=None),
    "a reason": of_first(reasons={"f1": "why"}),
    "a whole number as a value": of_first(values=lambda own: own | {"f1": 1}),
    "no metric of the report": of_data(
        scorers=lambda own: own | {"more": own["f1"]}, params=lambda own: own | {"more": {}}
    ),
    "no groups": of_data(grouping=None, rows_by=None),
    "no rows": lambda report: replace(report, results=()),
}


@pytest.mark.parametrize("what", KEPT)
def test_other_values_of_a_part_are_read_as_they_were_saved(report, tmp_path, what):
    changed = KEPT[what](report)
    changed.save(tmp_path / "a.report")
    loaded = CrossValidationReport.load(tmp_path / "a.report")
    assert loaded == changed
    assert (loaded.data.grouping is None) == (changed.data.grouping is None)
    assert (loaded.data.rows_by is None) == (changed.data.rows_by is None)
    assert loaded.data.scorers.keys() == changed.data.scorers.keys()


def test_scorers_return_with_their_direction(report, tmp_path):
    report.save(tmp_path / "a.report")
    loaded = CrossValidationReport.load(tmp_path / "a.report")
    assert loaded.summary("cv") == report.summary("cv")
    assert {name: loaded.data.sign(name) for name in loaded.metrics} == {
        "f1": 1,
        "neg_log_loss": -1,
    }
    model = GaussianNB().fit(X, Y)
    for name, scorer in report.data.scorers.items():
        assert loaded.data.scorers[name](model, X, Y) == scorer(model, X, Y)


@pytest.mark.parametrize(
    ("name", "value"), [("_sign", 0), ("_sign", 2), ("_methods", 3), ("_methods", ("predict", 3))]
)
def test_scorers_with_other_parameters_are_refused(report, tmp_path, monkeypatch, name, value):
    monkeypatch.setattr(report.data.scorers["f1"], name, value)
    report.save(tmp_path / "a.report")
    with pytest.raises(ValueError, match="parameters of 'f1' do not fit"):
        CrossValidationReport.load(tmp_path / "a.report")
