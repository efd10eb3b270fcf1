"""``cv``: the default run, files, options and errors."""

import json
import os
import re
import subprocess
import sys
import warnings
from importlib import util
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from support.command_line import main
from threadpoolctl import threadpool_limits

import skmetrics_ext
from skmetrics_ext.cli.models import MODELS, make_model
from skmetrics_ext.datasets import BUNDLED, load
from skmetrics_ext.registry.defaults import HEADLINE, display_name

FAST = ("--models", "tree", "--scoring", "accuracy", "--folds", "3", "--quiet")


@pytest.fixture
def frame():
    pandas = pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = X.rename(columns=lambda name: name.split(" (")[0])
    return X.assign(target=np.array(["setosa", "versicolor", "virginica"])[y]), pandas


def report_of(capsys, *arguments):
    """What ``cv --json`` prints, and the lines on stderr."""
    assert main(["cv", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    return json.loads(out), err.splitlines()


def means(report, metric):
    return {row["model"]: row["mean"] for row in report["summary"] if row["metric"] == metric}


def test_default_command():
    root = Path(skmetrics_ext.__file__).parents[1]
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", "skmetrics_ext", "cv"],
        capture_output=True,
        cwd=root,
        encoding="utf-8",
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )
    assert run.returncode == 0, run.stderr
    names = (display_name(name) for name in HEADLINE["binary"])
    for word in ("logistic", "forest", "baseline (prior)", *names):
        assert word in run.stdout
    assert re.match(r"highest ROC AUC: logistic 0\.99\d \[0\.\d{3}, 0\.99\d\]; ", run.stdout)
    assert len(re.findall(r"\d\.\d{3} \[\d\.\d{3}, \d\.\d{3}\]", run.stdout)) >= 16
    assert "15/15" in run.stderr
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    area = cross_val_score(model, X, y, scoring="roc_auc", cv=cv)
    assert f"  {area.mean():.3f} [" in run.stdout


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_data(name, capsys):
    report, lines = report_of(capsys, "--data", name, *FAST)
    data = load(name)
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    theirs = cross_val_score(DecisionTreeClassifier(random_state=0), data.X, data.y, cv=cv)
    assert means(report, "accuracy")["tree"] == pytest.approx(theirs.mean())
    assert lines == []


def test_options_reach_the_report(capsys):
    report, lines = report_of(
        capsys,
        *("--data", "wine", "--models", "knn,naive_bayes", "tree", "--folds", "4"),
        *("--scoring", "accuracy", "f1_macro,gini_ovr", "--seed", "7"),
        *("--baseline", "most_frequent", "--jobs", "2"),
    )
    assert report["models"] == ["knn", "naive_bayes", "tree", "baseline (most_frequent)"]
    assert report["metrics"] == ["accuracy", "f1_macro", "gini_ovr"]
    assert report["n_folds"] == 4
    assert "random_state=7" in report["splitter"]
    assert "16/16" in lines[-1]


def test_no_baseline(capsys):
    report, _ = report_of(capsys, "--data", "iris", *FAST, "--baseline", "none")
    assert report["models"] == ["tree"]


def test_a_seed_repeats(capsys):
    runs = [report_of(capsys, "--data", "iris", *FAST, "--seed", seed)[0] for seed in "112"]
    assert runs[0]["summary"] == runs[1]["summary"] != runs[2]["summary"]


@pytest.mark.parametrize("name", MODELS)
def test_each_model(name, capsys, frame, tmp_path):
    table, _ = frame
    table["colour"] = ["red", None, "green"] * 50
    table.loc[::7, "petal width"] = None
    table.to_csv(tmp_path / "flowers.csv", index=False)
    given = ("--data", str(tmp_path / "flowers.csv"), "--models", name, "--quiet")
    scoring = ("--scoring", "accuracy", "roc_auc_ovr")
    with threadpool_limits(1):  # threads that wait for each other are slow on a busy machine
        report, _ = report_of(capsys, *given, *scoring, "--folds", "2")
    assert means(report, "accuracy")[name] > 0.8
    assert sum(row["n_undefined"] for row in report["summary"]) == 0


@pytest.mark.parametrize("ending", ["csv", "parquet", "CSV"])
def test_files_give_what_the_arrays_give(ending, capsys, frame, tmp_path):
    table, _ = frame
    path = tmp_path / f"flowers.{ending}"
    if ending == "parquet":
        pytest.importorskip("pyarrow")
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False)
    report, lines = report_of(capsys, "--data", str(path), *FAST)
    plain, _ = report_of(capsys, "--data", "iris", *FAST)
    assert means(report, "accuracy") == pytest.approx(means(plain, "accuracy"))
    assert lines == []


def test_preparation_is_told_and_stays_within_the_folds(capsys, frame, tmp_path):
    table, _ = frame
    table["colour"] = ["red", None, "green"] * 50
    table["big"] = table["sepal length"] > 5
    table.loc[::7, "petal width"] = None
    table.to_csv(tmp_path / "flowers.csv", index=False)
    _, lines = report_of(capsys, "--data", str(tmp_path / "flowers.csv"), *FAST)
    encoded, filled = lines
    assert encoded.endswith("one-hot encoded: colour (2)")
    assert filled.endswith("petal width (22), colour (50)")
    data = load(str(tmp_path / "flowers.csv"))
    model = make_model("tree", data, 0).fit(data.X.iloc[:50], data.y[:50])
    fill = model[0].named_transformers_["simpleimputer"].statistics_
    expected = data.X.iloc[:50].drop(columns="colour").median()
    np.testing.assert_allclose(fill, expected)


def test_a_column_that_is_empty_in_a_fold_is_a_feature_of_it(frame, tmp_path):
    table, _ = frame
    table.loc[:49, "petal width"] = None
    table.to_csv(tmp_path / "flowers.csv", index=False)
    data = load(str(tmp_path / "flowers.csv"))
    names = [*data.X.columns]
    assert names.index("petal width") == 3
    model = make_model("tree", data, 0).fit(data.X.iloc[:50], data.y[:50])
    read = model[0].transform(data.X.iloc[[0, 60]])
    np.testing.assert_allclose(read[:, :3], data.X.iloc[[0, 60], :3])
    np.testing.assert_allclose(read[:, 3], [0, data.X["petal width"].iloc[60]])
    assert [name.split("__")[1] for name in model[0].get_feature_names_out()] == names


def test_binary_text_target_in_a_named_column(capsys, frame, tmp_path):
    table, _ = frame
    table["outcome"] = np.where(table.pop("target") == "virginica", "yes", "no")
    table.to_csv(tmp_path / "flowers.csv", index=False)
    given = ("--data", str(tmp_path / "flowers.csv"), "--target", "outcome")
    options = (*given, "--models", "tree", "--quiet")
    report, lines = report_of(capsys, *options, "--positive", "yes")
    assert (report["positive_class"], lines) == ("yes", [])
    assert tuple(report["metrics"]) == HEADLINE["binary"]
    assert all(row["n_undefined"] == 0 for row in report["summary"])


def test_no_class_is_positive_by_its_name(capsys, frame, tmp_path):
    table, _ = frame
    table["target"] = np.where(table["target"] == "virginica", "yes", "no")
    table.to_csv(tmp_path / "flowers.csv", index=False)
    options = ("--data", str(tmp_path / "flowers.csv"), "--models", "tree", "--quiet")
    report, (line,) = report_of(capsys, *options)
    assert (report["positive_class"], report["left_out"]) == (None, ["f1"])
    assert report["metrics"] == [name for name in HEADLINE["binary"] if name != "f1"]
    assert line.endswith("left out. Pass --positive yes or --positive no.")
    assert main(["cv", *options, "--scoring", "f1"]) == 2
    asks = "needs a positive class: pass --positive 'yes' or --positive 'no'."
    assert asks in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["Int64", "boolean", "float64", "category", "string"])
def test_kinds_of_target_in_parquet(kind, capsys, frame, tmp_path):
    table, pandas = frame
    pytest.importorskip("pyarrow")
    numbers = pandas.Series((table.pop("target") == "virginica").astype(int))
    text = kind in ("category", "string")
    table["y"] = (numbers.map({0: "no", 1: "yes"}) if text else numbers).astype(kind)
    table["n"] = pandas.array([1, 2, None] * 50, dtype="Int64")
    table["when"] = pandas.Timestamp("2020-01-01")
    table.to_parquet(tmp_path / "t.parquet")
    report, lines = report_of(capsys, "--data", str(tmp_path / "t.parquet"), "--target", "y", *FAST)
    expected = {"boolean": True, "category": None, "string": None}.get(kind, 1)
    assert report["positive_class"] == expected
    assert any(line.endswith("left out (--features uses them): when (date)") for line in lines)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["cv", "--data", "iriss"], ["'iriss'", "Did you mean 'iris'"]),
        (["cv", "--data", "missing.csv"], ["'missing.csv'", "no file"]),
        (["cv", "--data", "breast_cancer", "--target", "y"], ["--target is for files"]),
        (["cv", "--models", "forrest"], ["'forrest'", "'forest'", "naive_bayes"]),
        (["cv", "--scoring", "rocauc"], ["'rocauc'", "'roc_auc'"]),
        (["cv", "--folds", "1"], ["--folds", "'1'"]),
        (["cv", "--folds", "many"], ["--folds", "'many'"]),
        (["cv", "--folds", "1000", "--quiet"], ["n_splits=1000"]),
        (["cv", "--baseline", "best"], ["--baseline", "'best'", "most_frequent"]),
        (["cv", "--colour"], ["--colour"]),
        (["crossval"], ["'crossval'", "cv"]),
    ],
)
def test_a_wrong_argument_gives_one_line(arguments, words, capsys):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.startswith("skmetrics_ext: error: ")
    for word in words:
        assert word in err


@pytest.mark.parametrize(
    ("name", "content", "arguments", "words"),
    [
        ("a.csv", "x,y\n1,2\n", [], ["--target", "x, y"]),
        ("a.csv", "x,outcome\n1,2\n", ["--target", "outcom"], ["no column", "'outcome'"]),
        ("a.csv", "target\n1\n2\n", [], ["no feature column besides"]),
        ("a.csv", "x,target\n1,a\n2,\n3,\n", [], ["'target'", "2 missing values"]),
        ("a.csv", "x,target\n1,0.5\n2,0.7\n", [], ["'target'", "not whole"]),
        ("a.csv", "x,target\n1,a\n2,a\n", [], ["single class"]),
        ("a.csv", "", [], ["is empty"]),
        ("a.parquet", "no parquet", [], ["cannot be read"]),
        ("a.txt", "x,target\n", [], [".parquet, .pq, .csv, .tsv, .jsonl"]),
    ],
)
def test_a_wrong_file_gives_one_line(name, content, arguments, words, capsys, tmp_path):
    pytest.importorskip("pandas")
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert main(["cv", "--data", str(path), "--quiet", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    for word in words:
        assert word in err


def test_a_file_with_a_like_name_is_suggested(capsys, tmp_path):
    (tmp_path / "patients.csv").touch()
    (tmp_path / "patience.txt").touch()
    assert main(["cv", "--data", str(tmp_path / "patient.csv")]) == 2
    assert f"Did you mean {str(tmp_path / 'patients.csv')!r}?" in capsys.readouterr().err
    assert main(["cv", "--data", str(tmp_path)]) == 2
    assert "is a folder" in capsys.readouterr().err


@pytest.mark.parametrize(("ending", "hidden"), [("csv", "pandas"), ("parquet", "pyarrow")])
def test_what_to_install_is_told(ending, hidden, capsys, monkeypatch, tmp_path):
    real = util.find_spec
    (tmp_path / f"a.{ending}").touch()
    monkeypatch.setattr(util, "find_spec", lambda name: None if name == hidden else real(name))
    assert main(["cv", "--data", str(tmp_path / f"a.{ending}")]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert "pip install 'skmetrics-ext[frames]'" in err


def test_warnings_are_lines_on_stderr(capsys, tmp_path):
    pytest.importorskip("pandas")
    rows = "".join(f"{i},{'ab'[i % 2]}\n" for i in range(12)) + "1,c\n"
    (tmp_path / "a.csv").write_text("x,target\n" + rows, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert main(["cv", "--data", str(tmp_path / "a.csv"), *FAST]) == 0
    out, err = capsys.readouterr()
    assert "least populated class" in err
    assert all(line.startswith("skmetrics_ext: ") for line in err.splitlines())
    assert "least populated class" not in out


def test_a_terminal_that_lacks_a_character_is_served(tmp_path):
    rows = "".join(f"{k % 7},{k % 2},{'ab'[k % 3 == 0]}\n" for k in range(60))
    (tmp_path / "rows.csv").write_text(f"x,target,größe\n{rows}", encoding="utf-8")
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "skmetrics_ext",
            "cv",
            tmp_path / "rows.csv",
            "--by",
            "größe",
            *FAST,
        ],
        capture_output=True,
        cwd=Path(skmetrics_ext.__file__).parents[1],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        encoding="ascii",
    )
    assert run.returncode == 0, run.stderr
    assert "by gr??e: out-of-fold" in run.stdout


def test_help_names_the_commands(capsys):
    with pytest.raises(SystemExit) as leaving:
        main(["--help"])
    assert leaving.value.code == 0
    assert "cross-validate" in capsys.readouterr().out


def test_targets_are_typed_as_labels_of_files_are(tmp_path, capsys):
    path = tmp_path / "codes.csv"
    rows = "".join(f"{i % 5},{('007', '7')[i % 2]}\n" for i in range(40))
    path.write_text("x,code\n" + rows)
    options = ["--target", "code", "--models", "tree", "--scoring", "accuracy", "--quiet"]
    assert main(["cv", "--data", str(path), *options]) == 0
    path.write_text("code,x,code\n" + rows.replace("\n", ",a\n"))
    capsys.readouterr()
    assert main(["cv", "--data", str(path), *options]) == 2
    assert "has 2 columns named 'code'" in capsys.readouterr().err
