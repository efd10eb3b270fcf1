"""``cv`` on a person's own file: separators, encodings, columns, models."""

import gzip
import json
import sys

import numpy as np
import pytest
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from support.command_line import main

from skmetrics_ext.backends.csv_files import TextForm
from skmetrics_ext.cli.models import make_model
from skmetrics_ext.datasets import Use, load
from skmetrics_ext.datasets.roles import roles_of
from skmetrics_ext.results import CrossValidationReport

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
RNG = np.random.default_rng(3)
N = 60
FAST = ("--models", "tree", "--scoring", "accuracy", "--folds", "2", "--quiet")


@pytest.fixture(scope="module")
def frame():
    left = RNG.random(N) < 0.4
    return pandas.DataFrame(
        {
            "客户编号": [f"K{k}" for k in RNG.permutation(N)],
            "since": pandas.date_range("2020-01-01", periods=N).strftime("%Y-%m-%d"),
            "age": np.where(RNG.random(N) < 0.1, np.nan, RNG.integers(18, 80, N) + 0.5 * left),
            "plan": RNG.choice(["基本", "plus; or more", "pro"], N),
            "note": [f"called {k} times" for k in range(N)],
            "branch": RNG.integers(0, 12, N),
            "times": RNG.integers(1, 4, N),
            "churn": np.where(left, "left", "stayed"),
        }
    )


@pytest.fixture
def file(frame, tmp_path):
    path = tmp_path / "churn.csv"
    frame.to_csv(path, sep=";", index=False)
    return str(path)


def run(capsys, *arguments):
    assert main(["cv", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    return json.loads(out), err.splitlines()


def mean(report, model="tree"):
    return next(row["mean"] for row in report["summary"] if row["model"] == model)


# --------------------------------------------------------------------------- how files are written


@pytest.mark.parametrize(
    ("name", "separator", "encoding"),
    [
        ("a.csv", ",", "utf-8"),
        ("a.csv", ";", "gbk"),
        ("a.csv", "\t", "utf-8-sig"),
        ("a.csv", "|", "gb18030"),
        ("a.tsv", "\t", "utf-16"),
        ("a.CSV.GZ", ";", "gbk"),
        ("a.tsv.gz", "\t", "utf-8"),
        ("a.csv.bz2", ",", "utf-8"),
        ("a.parquet", "", "utf-8"),
    ],
)
def test_every_form_of_a_file_gives_the_same_table(name, separator, encoding, frame, tmp_path):
    path = tmp_path / name
    if separator:
        text = frame.to_csv(sep=separator, index=False).encode(encoding)
        if name.endswith("bz2"):
            frame.to_csv(path, sep=separator, index=False)
        else:
            path.write_bytes(gzip.compress(text) if name.upper().endswith("GZ") else text)
    else:
        frame.to_parquet(path)
    told = TextForm(None, encoding)
    for form in (told, TextForm(separator or None, encoding)):
        data = load(str(path), Use("churn", form=form))
        assert data.X.columns.tolist() == ["age", "plan", "branch", "times"]
        np.testing.assert_array_equal(data.X["age"], frame["age"])
        assert data.X["plan"].tolist() == frame["plan"].tolist()
        assert data.y.tolist() == frame["churn"].tolist()


def test_what_is_no_text_of_the_encoding_names_the_option(frame, tmp_path, capsys):
    for name, table in (
        ("head.csv", frame),
        ("body.csv", frame.rename(columns={"客户编号": "number"})),
    ):
        table.to_csv(tmp_path / name, index=False, encoding="gbk")
        assert main(["cv", "--data", str(tmp_path / name), "--target", "churn"]) == 2
        assert "no UTF-8 text; --encoding names its encoding" in capsys.readouterr().err
    assert main(["cv", "--encoding", "gkb"]) == 2
    assert "--encoding: must be an encoding" in capsys.readouterr().err
    assert main(["cv", "--sep", "ab"]) == 2
    assert "--sep: must be one character" in capsys.readouterr().err


def test_a_separator_inside_of_values_is_none(tmp_path):
    (tmp_path / "a.csv").write_text('x,y;z,target\n1,"a;b",0\n2,"c;d",1\n')
    assert load(str(tmp_path / "a.csv")).X.columns.tolist() == ["x", "y;z"]


# --------------------------------------------------------------------------- columns


def test_a_line_for_each_fact_about_the_columns(file, frame, capsys):
    report, lines = run(capsys, "--data", file, "--target", "churn", *FAST)
    assert [line.removeprefix("skmetrics_ext: ") for line in lines] == [
        "one-hot encoded: plan (3)",
        "left out (--features uses them): 客户编号 (identifier, 60 values), since (date), note "
        "(text with 60 values in 60 rows)",
        "missing values, filled with the median of the training folds or kept as a category: "
        f"age ({frame['age'].isna().sum()})",
    ]
    assert report["n_samples"] == N


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("customer_id", RNG.integers(0, 10**6, 99), "identifier"),
        ("customerId", [f"a{k % 30}" for k in range(99)], "identifier"),
        ("", RNG.permutation(99) + 7, "identifier"),
        ("paid", RNG.integers(0, 10**6, 99), ""),
        ("region_id", RNG.integers(0, 9, 99), ""),
        ("when", [f"{k % 28 + 1}.{k % 12 + 1}.2021" for k in range(99)], "date"),
        ("when", [f"2021年{k % 12 + 1}月" for k in range(99)], "date"),
        ("when", np.datetime64("2020-01-01") + np.arange(99), "date"),
        ("when", [20200100 + k % 28 + 1 for k in range(99)], "date"),
        ("amount", [20200100 + k for k in range(0, 297, 3)], ""),
        ("price", [f"{k % 70},5" for k in range(99)], "numbers with a comma"),
        ("text", [f"{k} words" for k in range(99)], "text with 99 values in 99 rows"),
        ("city", [f"city {k % 45}" for k in range(99)], ""),
        ("weight", RNG.normal(size=99), ""),
        ("nothing", [None] * 99, "no value"),
        ("lists", [[k] for k in range(99)], "holds list"),
    ],
)
def test_what_is_left_out(name, values, why):
    (role,) = roles_of(pyarrow.table({name: pyarrow.array(values)}), chosen=False)
    assert role.why.startswith(why)
    assert bool(role.why) == bool(why)


def test_columns_are_used_as_told(file, frame, capsys):
    chosen = load(file, Use("churn", features=["since", "note", "客户编号"]))
    days = (pandas.to_datetime(frame["since"]) - pandas.Timestamp("1970-01-01")).dt.days
    np.testing.assert_array_equal(chosen.X["since"], days)
    assert chosen.categorical == ("note", "客户编号")
    assert load(file, Use("churn", drop=["age", "plan"])).X.columns.tolist() == ["branch", "times"]
    for option, told in (
        (("--features", "agee"), "no column 'agee', which --features names. Did you mean 'age'"),
        (("--features", "churn"), "it would predict itself"),
        (("--drop", "age", "plan", "branch", "times"), "no column left to predict from"),
        (("--weight", "plan"), "which is no number"),
    ):
        assert main(["cv", "--data", file, "--target", "churn", *option]) == 2
        assert told in capsys.readouterr().err


def test_many_values_share_the_last_indicator(frame, tmp_path):
    many = frame.assign(city=[f"c{k % 29 if k < 50 else k}" for k in range(N)])
    many = pandas.concat([many] * 2, ignore_index=True)
    many.to_parquet(tmp_path / "a.parquet")
    data = load(str(tmp_path / "a.parquet"), Use("churn", features=["city"]))
    assert "city (30 of 39 values, the rarest together)" in str(data.notes)
    width = make_model("tree", data, 0).fit(data.X, data.y)[0].transform(data.X).shape[1]
    assert width == 30


def test_groups_and_weights(file, frame, capsys):
    columns = ("--groups", "branch", "--weight", "times", "--features", "age")
    data = load(file, Use("churn", ["age"], groups="branch", weight="times"))
    np.testing.assert_array_equal(data.groups, frame["branch"])
    report, _ = run(capsys, "--data", file, "--target", "churn", *columns, *FAST)
    assert report["n_groups"] == frame["branch"].nunique()
    filled = frame[["age"]].fillna(frame["age"].median())
    folds = StratifiedGroupKFold(2, shuffle=True, random_state=0)
    for part in folds.split(filled, frame["churn"], frame["branch"]):
        assert set(frame["branch"][part[0]]).isdisjoint(frame["branch"][part[1]])
    plain, _ = run(capsys, "--data", file, "--target", "churn", *columns[:2], *columns[4:], *FAST)
    assert mean(plain) != mean(report)
    repeated, _ = run(
        capsys, "--data", file, "--target", "churn", *columns, *FAST, "--repeats", "2"
    )
    assert repeated["n_folds"] == 4


def test_values_by_group(file, capsys):
    arguments = ["--data", file, "--target", "churn", "--by", "plan", *FAST]
    assert main(["cv", *arguments]) == 0
    assert "by plan: out-of-fold values" in capsys.readouterr().out


@pytest.mark.parametrize("column", ["churn", "branch"])
def test_missing_values_that_must_be_there(column, frame, tmp_path, capsys):
    path = str(tmp_path / "holes.csv")
    frame.assign(**{column: frame[column].where(frame.index != 4)}).to_csv(path, index=False)
    arguments = ["--data", path, "--target", "churn", "--groups", "branch", *FAST]
    assert main(["cv", *arguments]) == 2
    told = capsys.readouterr().err
    assert f"{column!r} has 1 missing value, the first in line 6 of {path}; --drop-miss" in told
    report, lines = run(capsys, *arguments, "--drop-missing")
    assert report["n_samples"] == N - 1
    assert lines[0].endswith("rows left out for a missing target, group or weight: 1")


def test_options_of_columns_are_for_files(capsys):
    assert main(["cv", "--data", "iris", "--groups", "patient"]) == 2
    assert "has its own columns; --groups is for files" in capsys.readouterr().err


# --------------------------------------------------------------------------- models and outputs


def test_models_of_ones_own(file, frame, tmp_path, capsys, monkeypatch):
    import joblib

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "my_models.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\n"
        "from sklearn.tree import DecisionTreeClassifier\n"
        "class Stump(DecisionTreeClassifier):\n    pass\n"
        "def stump():\n    return Stump(max_depth=1, random_state=0)\n"
        "ready = GaussianNB()\n"
        "number = 3\n"
        "def broken():\n    raise OSError('no disk')\n"
    )
    joblib.dump(DecisionTreeClassifier(random_state=0), tmp_path / "saved.joblib")
    given = ("--data", file, "--target", "churn", "--scoring", "accuracy", "--folds", "2")
    own = ("--models", "my_models:stump", "my_models:ready", "saved.joblib", "--quiet")
    report, _ = run(capsys, *given, *own, "--trust", "--features", "branch", "times")
    assert report["models"][:3] == ["Stump", "GaussianNB", "DecisionTreeClassifier"]
    values = frame[["branch", "times"]].astype(float)
    cv = StratifiedKFold(2, shuffle=True, random_state=0)
    theirs = cross_val_score(GaussianNB(), values, frame["churn"], cv=cv).mean()
    assert mean(report, "GaussianNB") == pytest.approx(theirs)
    for model, told in (
        ("saved.joblib", "add --trust if you trust the file"),
        ("my_models:broken", "OSError: no disk"),
        ("my_models:number", "cannot be loaded"),
        ("my_models:nothing", "cannot be loaded"),
        ("no_such_module:model", "No module named"),
    ):
        assert main(["cv", *given, "--models", model]) == 2
        assert told in capsys.readouterr().err


def test_a_report_is_saved(file, tmp_path, capsys):
    path = tmp_path / "churn.report"
    arguments = ("--data", file, "--target", "churn", "--positive", "left", *FAST)
    report, _ = run(capsys, *arguments, "--save", str(path))
    loaded = CrossValidationReport.load(path)
    assert loaded.positive_class == "left"
    assert json.loads(loaded.to_json())["summary"] == report["summary"]
