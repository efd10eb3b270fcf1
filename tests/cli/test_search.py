"""``search``: the numbers of `search_report` for grids that are told on the command line."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier
from support.command_line import main

from skmetrics_ext import search_report

FAST = ("--folds", "3", "--quiet", "--json")


def found(capsys, *arguments):
    assert main(["search", *arguments, *FAST]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_grid_gives_what_the_function_gives(capsys):
    grid = ("--model", "tree", "--grid", "max_depth=1,3,None", "--scoring", "roc_auc")
    told = found(capsys, *grid)
    X, y = load_breast_cancer(return_X_y=True)
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 3, None]},
        scoring="roc_auc",
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
    )
    own = search_report(search, X, y, random_state=0)
    assert told["naive"] == pytest.approx(own.naive)
    assert told["best"]["value"] == pytest.approx(own.best.value)
    assert [row["label"] for row in told["rows"]] == [row.label for row in own.rows]
    assert [row["mean"] for row in told["rows"]] == pytest.approx([r.mean for r in own.rows])


def test_parameters_of_the_last_step_and_several_models(capsys):
    grids = ("--grid", "logistic.C=0.1,1", "tree.max_depth=2")
    told = found(capsys, "--data", "iris", "--model", "logistic", "tree", *grids)
    labels = [row["label"] for row in told["rows"]]
    assert labels == ["logistic (C=0.1)", "logistic (C=1)", "tree (max_depth=2)"]
    assert told["metric"] == "accuracy"


def test_nested_folds_beside(capsys):
    grid = ("--data", "iris", "--model", "tree", "--grid", "max_depth=1,2", "--outer", "2")
    told = found(capsys, *grid)
    assert told["nested"]["method"].startswith("nested")
    assert 0.5 < told["nested"]["value"] <= 1


def test_text_classes_groups_and_weights(tmp_path, capsys):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    y = rng.random(90) < 0.4
    pandas.DataFrame(
        {
            "x": rng.normal(size=90) + y,
            "who": np.arange(90) // 3,
            "w": rng.integers(1, 3, 90),
            "target": np.where(y, "left", "stayed"),
        }
    ).to_csv(tmp_path / "a.csv", index=False)
    given = ("--data", str(tmp_path / "a.csv"), "--model", "tree", "--grid", "max_depth=1,2")
    more = ("--groups", "who", "--weight", "w", "--scoring", "f1")
    told = found(capsys, *given, *more, "--positive", "left")
    assert "StratifiedGroupKFold" in told["splitter"]
    assert main(["search", *given, *more]) == 2
    assert "pass --positive 'stayed' or --positive 'left'" in capsys.readouterr().err
    page = tmp_path / "search.html"
    assert main(["search", *given, "--positive", "left", "--html", str(page)]) == 0
    assert "max_depth=2" in capsys.readouterr().out
    assert "max_depth=2" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--grid", "max_dept=1"], "no parameter 'max_dept'. Did you mean 'max_depth'"),
        (["--grid", "max_depth"], "must be PARAM=VALUE"),
        (["--grid", "forest.max_depth=1"], "names no model of tree"),
        (["logistic", "--grid", "C=1"], "must name a model: tree.C=1 or logistic.C=1"),
        (["--scoring", "accurcy"], "'accuracy'"),
        (["logistic", "--outer", "3"], "--outer is for one model"),
    ],
)
def test_what_is_refused(arguments, told, capsys):
    assert main(["search", "--data", "iris", "--model", "tree", *arguments]) == 2
    assert told in capsys.readouterr().err
