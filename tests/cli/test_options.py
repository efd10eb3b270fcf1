"""One vocabulary of options: the same names on every command, older spellings, examples."""

import argparse
import json
import shlex

import numpy as np
import pytest

from skmetrics_ext import compare
from skmetrics_ext.cli import _parser, main

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
RNG = np.random.default_rng(4)
N = 120
SHARED = ("--target", "--positive", "--weight", "--groups", "--confidence", "--metrics", "--html",
          "--json", "--json-schema", "--thousands", "--drop-missing")  # fmt: skip


@pytest.fixture
def file(tmp_path):
    ill = RNG.random(N) < 0.4
    p = np.clip(RNG.normal(0.35 + 0.3 * ill, 0.2), 0.01, 0.99)
    frame = pandas.DataFrame(
        {
            "target": np.where(ill, "ill", "well"),
            "p": p,
            "q": np.clip(p + RNG.normal(0, 0.2, N), 0.01, 0.99),
            "clinic": np.where(np.arange(N) % 3, "a", "b"),
            "sex": np.where(np.arange(N) % 2, "f", "m"),
        }
    )
    frame.to_csv(tmp_path / "rows.csv", index=False)
    return str(tmp_path / "rows.csv")


def run(capsys, *arguments):
    assert main([*arguments, "--quiet", "--json"]) == 0
    out, err = capsys.readouterr()
    return json.loads(out), err


def commands():
    (action,) = (a for a in _parser()._actions if isinstance(a, argparse._SubParsersAction))
    return action.choices


@pytest.mark.parametrize("name", commands())
def test_help_ends_with_two_examples_that_can_be_run(name):
    *_, head, first, second = commands()[name].format_help().splitlines()
    assert head == "examples:"
    for line in (first, second):
        program, *arguments = shlex.split(line)
        assert (program, arguments[0]) == ("skmetrics-ext", name)
        assert _parser().parse_args(arguments).command == name


@pytest.mark.parametrize("name", ["cv", "search", "score", "compare", "threshold", "slices"])
def test_options_have_one_name_and_one_meaning(name):
    own, of_score = commands()[name], commands()["score"]
    texts = {flag: action.help for flag, action in own._option_string_actions.items()}
    for flag in SHARED:
        same = of_score._option_string_actions[flag].help
        assert texts[flag] == same or (name in ("search", "slices") and flag == "--metrics")


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (
            ["cv", "iris", "--models", "tree", "--metrics", "accuracy"],
            ["cv", "--data", "iris", "--models", "tree", "--scoring", "accuracy"],
        ),
        (
            ["search", "--models", "tree", "--metrics", "f1_macro", "iris"],
            ["search", "--data", "iris", "--model", "tree", "--scoring", "f1_macro"],
        ),
        (
            ["score", "FILE", "--target", "target", "--score", "p", "--positive", "ill"],
            ["score", "FILE", "--true", "target", "--score", "p", "--positive", "ill"],
        ),
    ],
)
def test_older_spellings_still_work(new, old, file, capsys):
    def result(arguments):
        told, _ = run(capsys, *(file if text == "FILE" else text for text in arguments))
        rows = told["summary" if arguments[0] == "cv" else "rows"]
        return [{key: row[key] for key in row if "time" not in key} for row in rows]

    assert result(new) == result(old)


def test_losses_have_the_same_name_on_every_command(capsys):
    common = ("iris", "--models", "naive_bayes", "--folds", "2")
    report, _ = run(capsys, "cv", *common, "--metrics", "log_loss")
    assert report["metrics"] == ["neg_log_loss"]
    told, _ = run(capsys, "search", *common, "--metrics", "log_loss")
    assert told["metric"] == "neg_log_loss"


def test_the_level_of_intervals_reaches_every_report(file, capsys):
    common = ("iris", "--models", "naive_bayes", "--folds", "2", "--confidence", "0.8")
    for command in ("cv", "search"):
        told, _ = run(capsys, command, *common)
        assert told["confidence_level"] == 0.8


def test_a_search_without_a_grid_says_what_it_does(capsys):
    _, err = run(capsys, "search", "iris", "--models", "tree", "--folds", "2")
    assert "no --grid: tree without other parameters, and nothing is chosen" in err
    _, err = run(capsys, "search", "iris", "--models", "tree", "naive_bayes", "--folds", "2")
    assert (
        "no --grid: tree, naive_bayes without other parameters, and the best of them is chosen"
        in err
    )
    _, err = run(capsys, "search", "iris", "--models", "tree", "--grid", "max_depth=1,2")
    assert "--grid" not in err


def test_models_are_compared_within_groups_and_on_a_page(file, tmp_path, capsys):
    page = tmp_path / "page.html"
    asked = ("--score", "p", "--score", "q", "--positive", "ill", "--metrics", "roc_auc")
    told, _ = run(capsys, "compare", file, *asked, "--by", "clinic", "--html", str(page))
    rows = told["rows"]
    assert [row["group"] for row in rows] == [None, "a", "b"]
    frame = pandas.read_csv(file)
    for row in rows:
        part = frame if row["group"] is None else frame[frame.clinic == row["group"]]
        own = compare("roc_auc", part.target, part.p, part.q, pos_label="ill")
        assert (row["low"], row["high"]) == pytest.approx((own.low, own.high))
    text = page.read_text(encoding="utf-8")
    assert f"[{rows[1]['low']:.4f}, {rows[1]['high']:.4f}]" in text


def test_values_by_several_columns(file, capsys):
    asked = ("--score", "p", "--positive", "ill", "--metrics", "roc_auc", "--resamples", "100")
    told, _ = run(capsys, "score", file, *asked, "--by", "clinic", "sex")
    groups = [row["group"] for row in told["rows"]]
    assert groups == [None, "clinic=a", "clinic=b", "sex=f", "sex=m"]


def test_several_columns_of_labels_are_scored(file, tmp_path, capsys):
    frame = pandas.read_csv(file)
    labels = {name: np.where(frame[name] > 0.5, "ill", "well") for name in ("p", "q")}
    path = str(tmp_path / "labels.csv")
    pandas.DataFrame({"target": frame.target, **labels}).to_csv(path, index=False)
    told, _ = run(capsys, "score", path, "--pred", "p", "--pred", "q", "--metrics", "accuracy")
    hits = [(labels[name] == frame.target).mean() for name in ("p", "q")]
    assert [row["value"] for row in told["rows"]] == pytest.approx(hits)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_groups_of_one_class_are_compared_by_the_values_that_score_shows(file, tmp_path, capsys):
    frame = pandas.read_csv(file)
    frame["clinic"] = np.where(frame.target == "ill", frame.clinic, "well people")
    path = str(tmp_path / "groups.csv")
    frame.to_csv(path, index=False)
    models = ("--score", "p", "--score", "q", "--positive", "ill", "--by", "clinic")
    compared, _ = run(capsys, "compare", path, *models, "--metrics", "log_loss")
    assert [row["group"] for row in compared["rows"]] == [None, "a", "b", "well people"]
    scored, _ = run(capsys, "score", path, *models, "--metrics", "log_loss")
    values = {(row["group"], row["model"]): row["value"] for row in scored["rows"]}
    for row in compared["rows"]:
        expected = values[row["group"], "p"], values[row["group"], "q"]
        assert (row["value_a"], row["value_b"]) == pytest.approx(expected)
        assert row["p_value"] is not None
    compared, _ = run(capsys, "compare", path, *models, "--metrics", "roc_auc")
    assert [row["note"] for row in compared["rows"][1:]] == ["a class has no rows"] * 3


@pytest.mark.parametrize("command", ["cv", "score", "compare"])
def test_the_target_is_asked_for(command, file, tmp_path, capsys):
    path = str(tmp_path / "named.csv")
    pandas.read_csv(file).rename(columns={"target": "outcome"}).to_csv(path, index=False)
    columns = () if command == "cv" else ("--score", "p", "--score", "q")
    assert main([command, path, *columns]) == 2
    asked = "--target must name the column of the classes: outcome, p, q, clinic, sex."
    assert asked in capsys.readouterr().err
