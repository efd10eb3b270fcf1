"""Files of a few rows whose answers are known beforehand."""

import json

import numpy as np
import pytest
from support.command_line import main

pytest.importorskip("pyarrow")


def written(path, columns):
    lines = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join([",".join(columns), *lines]) + "\n", encoding="utf-8")
    return str(path)


def answer(capsys, *arguments):
    assert main([*arguments, "--json", "--json-schema", "1", "--quiet"]) == 0
    return json.loads(capsys.readouterr().out)


def test_certain_probabilities_of_three_classes_are_probabilities(tmp_path, capsys):
    y = ["a", "b", "c"] * 4
    columns = {f"p_{name}": [float(name == label) for label in y] for name in "abc"}
    columns["p_a"][2], columns["p_c"][2] = 0.5, 0.5  # a row of c
    file = written(tmp_path / "three.csv", {"y": y, **columns})
    scores = [part for name in columns for part in ("--score", name)]
    rows = answer(capsys, "score", file, "--target", "y", *scores, "--metrics", "log_loss")
    assert len(rows) == 1
    assert rows[0]["value"] == pytest.approx(np.log(2) / 12)


@pytest.mark.parametrize("values", [[0.0, 1.0, 0.25, 0.5], [0.0, 1.5, 0.25, 0.5]])
def test_what_is_outside_of_0_and_1_is_no_probability(values, tmp_path, capsys):
    file = written(tmp_path / "two.csv", {"y": [0, 1, 0, 1], "s": values})
    arguments = ["score", file, "--target", "y", "--score", "s", "--metrics", "brier_score"]
    if max(values) > 1:
        assert main([*arguments, "--quiet"]) == 2
        assert "prob" in capsys.readouterr().err
    else:
        (row,) = answer(capsys, *arguments)
        assert row["value"] == pytest.approx((0.25**2 + 0.5**2) / 4)


def test_one_repeat_is_the_default(capsys):
    fast = ("cv", "iris", "--models", "tree", "--folds", "2", "--baseline", "none")
    once, by_default = answer(capsys, *fast, "--repeats", "1"), answer(capsys, *fast)
    summaries = [
        [{k: v for k, v in row.items() if "time" not in k} for row in one["summary"]]
        for one in (once, by_default)
    ]
    assert summaries[0] == summaries[1]
    assert main([*fast, "--repeats", "0"]) == 2
    assert "--repeats" in capsys.readouterr().err


def test_a_search_asks_for_the_positive_class_before_it_fits(tmp_path, capsys):
    y = ["yes", "no"] * 20
    x = np.random.default_rng(0).normal(size=40) + np.tile([1, 0], 20)
    file = written(tmp_path / "own.csv", {"x": x.round(3), "y": y})
    about = ("search", file, "--target", "y", "--model", "tree", "--grid", "max_depth=1,2")
    assert main([*about, "--metric", "f1", "--quiet"]) == 2
    error = capsys.readouterr().err
    assert "f1 needs a positive class" in error
    assert "No candidate" not in error
    found = answer(capsys, *about, "--metric", "f1", "--positive", "yes", "--folds", "2")
    assert 0 < found["naive"] <= 1
