"""``--json``: one object for every command, under the keys of tables of estimates or former."""

import json

import numpy as np
import pandas as pd
import pytest
from support.command_line import main

KEYS = [
    *("metric", "model", "group", "fold", "label", "against", "value", "low", "high"),
    *("standard_error", "p_value", "method", "note"),
]
RNG = np.random.default_rng(0)
N = 90
TRUE = np.arange(N) % 2
FRAME = pd.DataFrame(
    {
        "truth": np.where(TRUE == 1, "ill", "well"),
        **{name: np.round(0.3 * TRUE + 0.7 * RNG.random(N), 3) for name in ("a", "b", "c")},
        "ward": np.array(["x", "y", "z"])[np.arange(N) // 30],
    }
)
ASKED = ("--target", "truth", "--positive", "ill", "--metrics", "roc_auc")
MODELS = ("--score", "a", "--score", "b")


@pytest.fixture(autouse=True)
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("p.csv", index=False)


def told(capsys, *arguments):
    capsys.readouterr()
    main([*arguments, "--json", *(() if arguments[0] in ("metrics", "merge") else ("--quiet",))])
    return json.loads(capsys.readouterr().out)


def test_values_and_differences(capsys):
    asked = ("score", "p.csv", *MODELS, *ASKED, "--by", "ward", "--resamples", "100")
    found, former = told(capsys, *asked), told(capsys, *asked, "--json-schema", "1")
    assert found["schema_version"] == 2
    for row, old in zip(found["rows"], former["rows"], strict=True):
        assert list(row)[:13] == KEYS
        assert list(old) == [
            *("group", "of", "kind", "metric", "value", "low", "high", "n_rows", "method"),
            "reason",
        ]
        assert (row["model"], row["value"], row["n_rows"]) == tuple(
            old[key] for key in ("of", "value", "n_rows")
        )
        assert (row["group"] or "all", row["note"] or None) == (old["group"], old["reason"])
    (pair,), (old,) = found["differences"], former["differences"]
    assert list(pair)[:13] == KEYS
    assert [pair[key] for key in ("model", "against", "value", "p_value")] == [
        old[key] for key in ("first", "second", "difference", "p_value")
    ]
    assert pair["value"] == pytest.approx(pair["value_a"] - pair["value_b"])


def test_one_model_is_an_object_too(capsys):
    asked = ("score", "p.csv", "--score", "a", *ASKED)
    assert set(told(capsys, *asked)) == {"schema_version", "rows", "differences", "best"}
    assert isinstance(told(capsys, *asked, "--json-schema", "1"), list)


def test_p_values_of_three_models_are_adjusted_beside(capsys):
    asked = ("compare", "p.csv", *MODELS, "--score", "c", *ASKED, "--resamples", "199")
    found, former = told(capsys, *asked)["rows"], told(capsys, *asked, "--json-schema", "1")
    for row, old in zip(found, former, strict=True):
        assert row["p_adjusted"] == old["p_value"] >= row["p_value"]
        assert list(row)[:13] == KEYS


def test_other_commands(capsys):
    main(["tally", "p.csv", "--score", "a", *ASKED, "-o", "north.skx"])
    main(["tally", "p.csv", "--score", "b", *ASKED, "-o", "south.skx"])
    merged = told(capsys, "merge", "north.skx", "south.skx")
    assert [list(row)[:13] for row in (*merged["rows"], *merged["gaps"])] == [KEYS] * 5
    threshold = told(capsys, "threshold", "p.csv", "--score", "a", *ASKED[:4], "--resamples", "100")
    assert {row["model"] for row in threshold["rows"]} == {"a"}
    assert told(capsys, "metrics")["rows"][0]["metric"] == "accuracy_score"
    report = told(capsys, "cv", "--data", "iris", "--models", "naive_bayes", "--folds", "3")
    for name in ("summary", "folds", "pooled", "compare"):
        assert all(list(row)[:13] == KEYS for row in report[name])
    old = ("cv", "--data", "iris", "--models", "naive_bayes", "--folds", "3", "--json-schema", "1")
    former = told(capsys, *old)
    assert {"model_a", "model_b", "difference", "p_holm", "reason"} <= set(former["compare"][0])
    assert "interval_note" in former["summary"][0]
    for found in (merged, threshold, report):
        assert found["schema_version"] == 2
