"""Rows of which some have a label, on the command line."""

import json

import numpy as np
import pandas as pd
import pytest
from support.command_line import main

import skmetrics_ext as sx
from tests.inference.labelled.cases import population

NAMES = np.array(["well", "ill"])


@pytest.fixture
def file(tmp_path):
    rows = population()
    human = np.where(rows["labelled"], NAMES[rows["true"]], None)
    columns = {name: NAMES[rows[name]] for name in ("pred", "other", "judge")}
    columns |= {"human": human, "risk": rows["score"], "chance": 0.15}
    columns["site"] = np.where(np.arange(2000) % 2 == 0, "north", "south")
    pd.DataFrame(columns).to_csv(tmp_path / "rows.csv", index=False)
    return tmp_path / "rows.csv"


def figures(capsys, *arguments):
    assert main([*map(str, arguments), "--json", "--json-schema", "1", "--quiet"]) == 0
    return json.loads(capsys.readouterr().out)


ASK = "--target", "human", "--positive", "ill"


@pytest.mark.parametrize(
    ("option", "column"), [("proxy", "judge"), ("sampling", "chance")], ids=["proxy", "sampling"]
)
def test_score_and_compare(file, capsys, option, column):
    data = pd.read_csv(file)
    known = {option: data[column].to_numpy()}
    y = data["human"].to_numpy(dtype=object)
    of = [f"--{option}", column, "--metrics", "f1"]
    (row,) = figures(capsys, "score", file, *ASK, "--pred", "pred", *of)
    alone = sx.confidence_interval("f1", y, data["pred"].to_numpy(), pos_label="ill", **known)
    assert [row[key] for key in ("value", "low", "high")] == pytest.approx([*alone], rel=1e-12)
    assert row["reason"] == alone.note
    models = ["--pred", "pred", "--pred", "other"]
    (pair,) = figures(capsys, "compare", file, *ASK, *models, *of)
    both = [data[name].to_numpy() for name in ("pred", "other")]
    expected = sx.compare("f1", y, *both, pos_label="ill", **known)
    found = [pair[key] for key in ("difference", "low", "high")]
    assert found == pytest.approx([*expected], rel=1e-12)


def test_groups_and_scores(file, capsys):
    of = ["--score", "risk", "--proxy", "judge", "--by", "site", "--metrics", "roc_auc"]
    rows = figures(capsys, "score", file, *ASK, *of)
    assert [row["group"] for row in rows] == ["all", "north", "south"]
    data = pd.read_csv(file)
    north = data[data["site"] == "north"]
    alone = sx.confidence_interval(
        "roc_auc",
        north["human"].to_numpy(dtype=object),
        north["risk"].to_numpy(),
        pos_label="ill",
        proxy=north["judge"].to_numpy(),
    )
    assert rows[1]["value"] == pytest.approx(alone.value, rel=1e-12)


def test_missing_labels_without_them(file, capsys):
    assert main(["score", str(file), *ASK, "--pred", "pred", "--metrics", "f1"]) == 2
    assert "'human' has a missing value" in capsys.readouterr().err
    page = ["--html", str(file.with_suffix(".html"))]
    assert main(["score", str(file), *ASK, "--pred", "pred", "--proxy", "judge", *page]) == 2
    assert "--html" in capsys.readouterr().err


def test_label_and_score(file, capsys):
    out = file.with_name("drawn.csv")
    ask = ["--score", "risk", "--pred", "pred", "--positive", "ill", "--budget", "200"]
    assert main(["label", str(file), *ask, "--metrics", "f1", "-o", str(out)]) == 0
    assert "rows to label" in capsys.readouterr().out
    data, drawn = pd.read_csv(file), pd.read_csv(out)
    plan = sx.label_plan(
        "f1", score=data["risk"], pred=data["pred"].to_numpy(), budget=200, pos_label="ill"
    )
    rows = plan.draw(0)
    np.testing.assert_allclose(drawn["label_probability"], plan.probability[rows])
    assert drawn["risk"].tolist() == data["risk"].iloc[rows].tolist()
    drawn["told"] = NAMES[population()["true"][rows]]
    drawn.to_csv(out, index=False)
    (row,) = figures(
        capsys, "score", out, "--target", "told", "--pred", "pred", "--positive", "ill",
        "--sampling", "label_probability", "--metrics", "f1",
    )  # fmt: skip
    alone = sx.confidence_interval(
        "f1",
        drawn["told"].to_numpy(),
        drawn["pred"].to_numpy(),
        pos_label="ill",
        sampling=plan.probability[rows],
    )
    assert row["value"] == pytest.approx(alone.value, rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--budget", "9"], "label needs one --score"),
        (["--score", "risk", "--budget", "9"], "pass pred=, or threshold="),
        (["--score", "risk", "--threshold", "0.5", "--budget", "9999"], "budget has to be"),
    ],
)
def test_refusals(file, capsys, arguments, message):
    assert main(["label", str(file), *arguments, "-o", str(file.with_name("x.csv"))]) == 2
    assert message in capsys.readouterr().err
