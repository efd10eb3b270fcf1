"""A report as a file, one model of it, its best, and names of its models."""

import json
import zipfile

import numpy as np
import pytest
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skmetrics_ext import cross_validation_report, fbeta_score, get_scorer, make_scorer
from skmetrics_ext.results import CrossValidationReport

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)
TREE = DecisionTreeClassifier(max_depth=1, random_state=0)
MODELS = {"bayes": GaussianNB(), "tree": TREE}


def near_zero(estimator, X, y):
    return float(np.mean(X < 0.1))


def given(kind):
    """Arguments of a report, and labels of many kinds."""
    y, options = Y, {}
    if kind == "text":
        y = np.array(["no", "yes"], dtype=object)[Y]
        options = {"pos_label": "yes"}
    elif kind == "categories":
        pandas = pytest.importorskip("pandas")
        y = pandas.Categorical(np.array(["a", "b", "c"])[(Y + np.arange(60) % 2)])
    elif kind == "weights and groups":
        pandas = pytest.importorskip("pandas")
        weight = pandas.Series(RNG.random(60), index=range(100, 160))
        options = {"sample_weight": weight, "groups": np.arange(60) // 3}
    elif kind == "by":
        sex = np.array(["f", "m"], dtype=object)[np.arange(60) % 2]
        options = {"by": {"sex": sex, "ward": np.arange(60) % 3}, "scoring": ["f1", "roc_auc"]}
    elif kind == "several labels":
        data, y = make_multilabel_classification(60, 2, n_classes=3, random_state=0)
        return (MODELS["tree"], data, y), {}
    elif kind == "undefined":
        order = np.argsort(Y, kind="stable")
        return (MODELS, X[order], Y[order]), {"cv": KFold(4), "scoring": ["roc_auc", "f1"]}
    elif kind == "own scorers":
        late = get_scorer("recall", missing="nan", zero_division=0)
        scoring = {"near": near_zero, "late": late, "fbeta": make_scorer(fbeta_score, beta=2)}
        options = {"scoring": {**scoring, "area": "roc_auc"}}
    return (MODELS, X, y), {"cv": 3, "pos_label": None, **options}


KINDS = ["numbers", "text", "categories", "weights and groups", "several labels", "undefined", "by"]


@pytest.mark.filterwarnings("ignore:.*takes no sample_weight")
@pytest.mark.parametrize("kind", [*KINDS, "own scorers"])
def test_a_loaded_report_is_the_saved_one(kind, tmp_path):
    args, options = given(kind)
    report = cross_validation_report(*args, **options)
    report.save(tmp_path / "a.report")
    loaded = CrossValidationReport.load(tmp_path / "a.report")
    assert loaded == report
    assert loaded.to_json() == report.to_json()
    assert (str(loaded), loaded._repr_html_()) == (str(report), report._repr_html_())
    if kind == "by":
        assert str(loaded.by_group()) == str(report.by_group())
    loaded.save(tmp_path / "b.report")
    assert (tmp_path / "b.report").read_bytes() == (tmp_path / "a.report").read_bytes()


def test_pictures_and_tests_of_a_loaded_report(tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    args, options = given("text")
    report = cross_validation_report(*args, **options)
    report.save(tmp_path / "a.report")
    loaded = CrossValidationReport.load(tmp_path / "a.report")
    for kind in ("roc", "calibration", "metrics"):
        ours, theirs = (one.plot(kind).columns() for one in (loaded, report))
        for name, values in theirs.items():
            np.testing.assert_array_equal(ours[name], values)
    assert loaded.compare("f1") == report.compare("f1")
    with pytest.raises(ValueError, match="holds no data to fit"):
        loaded.summary("nested")
    pyplot.close("all")


def test_what_no_file_of_numbers_holds_is_refused(tmp_path):
    class Kind:
        def __lt__(self, other):
            return id(self) < id(other)

    report = cross_validation_report(GaussianNB(), X, Y, scoring="accuracy", cv=2)
    odd = np.array([Kind(), Kind()], dtype=object)[Y]
    object.__setattr__(report.data, "y", odd)
    with pytest.raises(ValueError, match="Kind"):
        report.save(tmp_path / "a.report")


def test_other_files_are_refused(tmp_path):
    report = cross_validation_report(GaussianNB(), X, Y, scoring="accuracy", cv=2)
    path, other = tmp_path / "a.report", tmp_path / "b.report"
    report.save(path)
    other.write_text("no zip", encoding="utf-8")
    with pytest.raises(ValueError, match=r"b.report' is no file of a CrossValidationReport"):
        CrossValidationReport.load(other)
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    head = json.loads(parts["report.json"])
    for change, told in (
        ({"version": 99}, "later version"),
        ({"kind": "SearchReport"}, "holds a SearchReport"),
        ({"content": {"map": []}}, "is damaged"),
    ):
        with zipfile.ZipFile(other, "w") as file:
            for name, part in parts.items():
                own = json.dumps(head | change).encode() if name == "report.json" else part
                file.writestr(name, own)
        with pytest.raises(ValueError, match=told):
            CrossValidationReport.load(other)
    evil = np.array([{}], dtype=object)
    with zipfile.ZipFile(other, "w") as file:
        for name, part in parts.items():
            if name == "0.npy":
                with file.open(name, "w") as entry:
                    np.lib.format.write_array(entry, evil, allow_pickle=True)
            else:
                file.writestr(name, part)
    with pytest.raises(ValueError, match="array 0 holds object"):
        CrossValidationReport.load(other)


def test_one_model_of_a_report():
    report = cross_validation_report(MODELS, X, Y, scoring=["f1", "accuracy"], cv=3)
    one = report["tree"]
    assert (one.models, one.baseline, list(report)) == (("tree",), None, list(report.models))
    assert one.summary() == [row for row in report.summary() if row.model == "tree"]
    assert one.pooled() == [row for row in report.pooled() if row.model == "tree"]
    assert report[report.models] == report
    assert report[["tree", "baseline (prior)"]].compare("f1")[0].against == "baseline (prior)"
    assert repr(one) == "<CrossValidationReport: 1 models, 2 metrics, 3 folds of 60 rows>"
    with pytest.raises(KeyError, match="models are"):
        _ = report["forest"]


def test_the_best_model_is_that_of_the_highest_mean():
    scoring = ["neg_log_loss", "accuracy"]
    report = cross_validation_report(MODELS, X, Y, scoring=scoring, cv=3)
    for metric in scoring:
        means = {
            name: cross_val_score(model, X, Y, scoring=metric, cv=3).mean()
            for name, model in MODELS.items()
        }
        assert report.best(metric) == max(means, key=means.get)
    assert report.best() == report.best("neg_log_loss")
    with pytest.raises(ValueError, match="metric has to be one of"):
        report.best("f1")


def test_markdown_and_latex_hold_what_is_printed(tmp_path):
    report = cross_validation_report(MODELS, X, Y, scoring=["f1", "accuracy"], cv=3)
    assert report.to_markdown(tmp_path / "report.md") is None
    markdown = (tmp_path / "report.md").read_text(encoding="utf-8")
    cells = [line.strip("| ").split(" | ") for line in markdown.splitlines() if line[:2] == "| "]
    printed = [line.split("  ") for line in str(report).split("\n\n")[1].splitlines()]
    del cells[1], printed[1]  # rules
    assert [[c.strip() for c in own if c.strip()] for own in printed] == cells
    assert "| model | F1 | Accuracy | fit (s) |\n| --- | ---: | ---: | ---: |" in markdown
    assert "positive class: 1" in markdown
    assert report.to_latex().count(" {[}0.") >= 2 * 3


@pytest.mark.parametrize(
    ("models", "names"),
    [
        ([GaussianNB(), TREE], ["GaussianNB", "DecisionTreeClassifier"]),
        ([GaussianNB(), GaussianNB()], ["GaussianNB", "GaussianNB_2"]),
        (
            [LogisticRegression(C=1), LogisticRegression(C=10), GaussianNB()],
            ["LogisticRegression (C=1)", "LogisticRegression (C=10)", "GaussianNB"],
        ),
        (
            [
                make_pipeline(StandardScaler(), GaussianNB()),
                make_pipeline(MinMaxScaler(), GaussianNB()),
                GaussianNB(),
            ],
            ["GaussianNB (StandardScaler)", "GaussianNB (MinMaxScaler)", "GaussianNB"],
        ),
        (
            [
                make_pipeline(StandardScaler(), LogisticRegression(C=c, solver=solver))
                for c, solver in ((1, "lbfgs"), (2, "lbfgs"), (1, "liblinear"))
            ],
            [
                "LogisticRegression (C=1, solver='lbfgs')",
                "LogisticRegression (C=2, solver='lbfgs')",
                "LogisticRegression (C=1, solver='liblinear')",
            ],
        ),
    ],
)
def test_models_of_a_list_are_named_by_what_differs(models, names):
    report = cross_validation_report(models, X, Y, scoring="accuracy", cv=2, baseline=None)
    assert list(report) == names


def test_sample_weight_is_that_of_params():
    weight = RNG.random(60)
    options = {"scoring": ["accuracy", "roc_auc"], "cv": 3, "baseline": None}
    own = cross_validation_report(TREE, X, Y, sample_weight=weight, **options)
    same = cross_validation_report(TREE, X, Y, params={"sample_weight": weight}, **options)
    plain = cross_validation_report(TREE, X, Y, **options)
    assert [r.values for r in own.results] == [r.values for r in same.results]
    assert [r.values for r in own.results] != [r.values for r in plain.results]
    given_twice = {"sample_weight": weight, "params": {"sample_weight": weight}}
    with pytest.raises(ValueError, match="sample_weight is given twice"):
        cross_validation_report(TREE, X, Y, **given_twice, **options)


def test_curves_of_all_models_are_on_one_picture():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    report = cross_validation_report(MODELS, X, Y, scoring=["roc_auc", "neg_log_loss"], cv=3)
    for kind in ("roc", "precision_recall", "calibration", "gain", "decision"):
        texts = [text.get_text() for text in report.plot(kind).legend_.get_texts()]
        for name in MODELS:
            assert sum(text.startswith(name) for text in texts) == 1
        assert not any("baseline" in text for text in texts)
        pyplot.close("all")
    with pytest.raises(ValueError, match="kind has to be one of"):
        report.plot("pie")
