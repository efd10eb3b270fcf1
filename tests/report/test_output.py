"""Table, HTML, JSON, frame and progress of a report."""

import builtins
import json
import pickle
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skmetrics_ext import cross_validation_report
from skmetrics_ext.formats import with_interval
from skmetrics_ext.inference.estimate_rows import shown_metric
from skmetrics_ext.report.sentences import numbers_of

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :4]


@pytest.fixture(scope="module")
def report():
    models = {"tree": DecisionTreeClassifier(random_state=0), "a <b> & 'c'": GaussianNB()}
    return cross_validation_report(models, X, Y, scoring=["roc_auc", "f1"])


@pytest.fixture
def without(monkeypatch):
    """Make the import of a package fail."""

    def hide(name):
        real = builtins.__import__

        def fake(module, *rest, **more):
            if module.split(".")[0] == name:
                raise ImportError(f"No module named {name!r}")
            return real(module, *rest, **more)

        monkeypatch.setattr(builtins, "__import__", fake)

    return hide


def cells(report):
    return {
        (row["model"], row["metric"]): with_interval(*numbers_of(row)) for row in report.summary()
    }


def test_models_are_rows_where_that_fits(report):
    head, rule, *rows = str(report).split("\n\n")[1].splitlines()
    assert head.split() == ["model", "ROC", "AUC", "F1", "fit", "(s)"]
    assert set(rule) == {"-", " "}
    assert len(rows) == 3
    for model, row in zip(report.models, rows, strict=True):
        assert row.startswith(model)
        assert cells(report)[model, "roc_auc"] in row
        assert cells(report)[model, "f1"] in row
    assert rows[-1].startswith("baseline (prior)")
    assert len({len(row) for row in (head, rule, *rows)}) == 1


def test_metrics_are_rows_where_there_are_many():
    report = cross_validation_report(GaussianNB(), X, Y, cv=2)
    text = str(report)
    head, _, *rows = text.split("\n\n")[1].splitlines()
    assert head.split()[:2] == ["metric", "GaussianNB"]
    names = [shown_metric(name)[0] for name in report.metrics]
    assert [row.split("  ")[0] for row in rows] == [*names, "fit (s)"]
    assert max(map(len, text.splitlines())) <= 100


def test_many_models_and_metrics_are_shown_in_parts():
    models = {f"model number {i}": DecisionTreeClassifier(max_depth=i + 1) for i in range(7)}
    report = cross_validation_report(models, X, Y, cv=2)
    text = str(report)
    assert max(map(len, text.splitlines())) <= 100
    assert all(text.count(cell) for cell in cells(report).values())


def test_footnotes_are_wrapped():
    rows = np.argsort(Y, kind="stable")
    models = {f"a rather long name {i}": GaussianNB() for i in range(3)}
    scoring = ["gini", "roc_auc", "recall", "specificity"]
    report = cross_validation_report(models, X[rows], Y[rows], cv=KFold(5), scoring=scoring)
    text = str(report)
    assert "(4 undefined) [1]" in text
    assert max(map(len, text.splitlines())) <= 100


class Tags(HTMLParser):
    """Checks that tags are closed in order, and keeps what they hold."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_html_is_whole_and_escaped(report):
    page = report._repr_html_()
    assert "<b>" not in page
    tags = Tags()
    tags.feed(page)
    assert not tags.open
    assert "a <b> & 'c'" in tags.text
    assert [tag for tag, _ in tags.seen].count("tr") == 4
    assert ("tr", {"class": "baseline"}) in tags.seen
    assert not any({"src", "href"} & set(attrs) for _, attrs in tags.seen)
    shown = " ".join(tags.text)
    assert all(cell in shown for cell in cells(report).values())


def test_results_of_a_model_are_its_folds(report):
    own = report.results_of("tree")
    assert [(result.model, result.fold) for result in own] == [("tree", k) for k in range(5)]
    assert report.results_of("no such model") == []


def test_json_holds_all(report, tmp_path):
    path = tmp_path / "report.json"
    assert report.to_json(path) is None
    read = json.loads(report.to_json())
    assert json.loads(path.read_text(encoding="utf-8")) == read
    assert read["schema_version"] == 2
    assert read["models"] == list(report.models)
    for name in ("summary", "folds"):
        for row, own in zip(read[name], getattr(report, name)(), strict=True):
            assert list(row) == list(own)
            assert [c for c in row.values() if c is not None] == [
                c for c in own.values() if c is not None and c == c
            ]
    assert (read["n_folds"], read["n_samples"], read["positive_class"]) == (5, 569, 1)


def test_flat_numbers_are_those_of_the_summary_by_path(report):
    flat = report.flat()
    assert {type(value) for value in flat.values()} == {float}
    assert not [name for name in flat if not re.fullmatch(r"[\w.\- :/]+", name)]
    for row in report.summary():
        model = re.sub(r"\W+", "_", row.model).strip("_")
        for key in ("mean", "std", "low", "high"):
            path = f"{model}/{row.metric}/{key}"
            assert flat.get(path) == (None if np.isnan(row[key]) else row[key])


def test_json_has_null_for_nan():
    rows = np.argsort(Y, kind="stable")
    report = cross_validation_report(GaussianNB(), X[rows], Y[rows], cv=KFold(5), scoring="gini")
    read = json.loads(report.to_json(), parse_constant=pytest.fail)
    assert read["summary"][0]["std"] is None


def test_frames(report):
    pandas = pytest.importorskip("pandas")
    summary = report.frame()
    assert isinstance(summary, pandas.DataFrame)
    assert summary["mean"].tolist() == [row["mean"] for row in report.summary()]
    folds = report.frame("folds")
    means = folds.groupby(["model", "metric"])["value"].mean()
    for row in report.summary():
        assert means[row["model"], row["metric"]] == pytest.approx(row["mean"])
    with pytest.raises(ValueError, match="rows has to be"):
        report.frame("columns")


def test_frame_without_pandas_names_the_extra(report, without):
    without("pandas")
    with pytest.raises(ImportError, match=r"pip install 'skmetrics-ext\[frames\]'") as caught:
        report.frame()
    assert "\n" not in str(caught.value)


def test_report_is_frozen_and_pickles(report):
    with pytest.raises(AttributeError):
        report.models = ()
    assert pickle.loads(pickle.dumps(report)) == report


def test_times_are_recorded(report):
    for row in report.folds():
        assert row["fit_time"] > 0
        assert row["score_time"] > 0
        assert row["n_train"] + row["n_test"] == 569


def test_progress_by_a_callable():
    told = []
    cross_validation_report(
        GaussianNB(), X, Y, scoring="f1", cv=3, progress=lambda *state: told.append(state)
    )
    assert told == [(done, 6) for done in range(1, 7)]


def test_progress_by_a_bar_on_stderr(capsys):
    pytest.importorskip("tqdm")
    cross_validation_report(GaussianNB(), X, Y, scoring="f1", cv=2, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "4/4" in err


def test_progress_without_tqdm(capsys, without, monkeypatch):
    monkeypatch.delitem(sys.modules, "tqdm", raising=False)
    without("tqdm")
    cross_validation_report(GaussianNB(), X, Y, scoring="f1", cv=2, progress=True)
    assert capsys.readouterr().err.splitlines() == [f"{done}/4 fits" for done in range(1, 5)]


def test_no_progress_by_default(capsys):
    cross_validation_report(GaussianNB(), X, Y, scoring="f1", cv=2)
    assert capsys.readouterr() == ("", "")
