"""``compare``: the numbers of `score` and of the functions, many models, claims."""

import json

import numpy as np
import pytest
from support.command_line import main

from skmetrics_ext import compare
from tests.support.many_models import all_differences

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
RNG = np.random.default_rng(8)
N = 90


@pytest.fixture(scope="module")
def frame():
    ill = np.arange(N) % 3 == 0
    models = {
        name: np.clip(RNG.normal(0.35 + size * ill, 0.2), 0.01, 0.99)
        for name, size in (("a", 0.3), ("b", 0.2), ("c", 0.1))
    }
    told = {f"says_{name}": np.where(p > 0.5, "ill", "well") for name, p in models.items()}
    return pandas.DataFrame(
        {"truth": np.where(ill, "ill", "well"), **models, **told, "patient": np.arange(N) // 3}
    ).assign(rank=lambda table: 4 * table.a - 2)


@pytest.fixture
def file(frame, tmp_path):
    frame.to_csv(tmp_path / "models.tsv", sep="\t", index=False)
    return str(tmp_path / "models.tsv")


def rows_of(capsys, command, *arguments):
    told = ("--resamples", "100", "--quiet", "--json", "--json-schema", "1", "--true", "truth")
    assert main([command, *arguments, *told]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("positive", ["ill", "well"])
@pytest.mark.parametrize(
    ("option", "columns"), [("--score", ("a", "b")), ("--pred", ("says_a", "says_b"))]
)
def test_values_are_those_of_score(file, positive, option, columns, capsys):
    asked = (file, "--positive", positive)
    every = [row["metric"] for row in rows_of(capsys, "score", *asked, option, columns[0], "--all")]
    names = [*every[::3], *(["log_loss"] if option == "--score" else [])]
    given = (*asked, "--metrics", *dict.fromkeys(names))
    rows = rows_of(capsys, "compare", *given, option, columns[0], option, columns[1])
    for end, column in zip(("value_a", "value_b"), columns, strict=True):
        scored = rows_of(capsys, "score", *given, option, column)
        values = {row["metric"]: row["value"] for row in scored}
        assert {row["metric"]: row[end] for row in rows} == pytest.approx(values)


def test_differences_are_those_of_the_function(file, frame, capsys):
    given = (file, "--score", "a", "--score", "b", "--positive", "ill")
    rows = rows_of(capsys, "compare", *given, "--groups", "patient")
    assert {"roc_auc", "log_loss", "brier_score"} <= {row["metric"] for row in rows}
    row = next(row for row in rows if row["metric"] == "roc_auc")
    own = compare("roc_auc", frame.truth, frame.a, frame.b, pos_label="ill", groups=frame.patient)
    for key in ("difference", "low", "high", "p_value", "method"):
        assert row[key] == pytest.approx(getattr(own, key))


def test_ranks_beside_probabilities_are_ranked_alone(file, frame, capsys):
    given = (file, "--score", "a", "--score", "rank", "--positive", "ill")
    rows = rows_of(capsys, "compare", *given)
    assert [row["metric"] for row in rows] == ["roc_auc", "average_precision"]
    assert all(row["difference"] == pytest.approx(0, abs=1e-12) for row in rows)


def test_three_models_hold_together(file, frame, capsys):
    arguments = ("--pred", "says_a", "--pred", "says_b", "--pred", "says_c")
    rows = rows_of(capsys, "compare", file, *arguments, "--metrics", "accuracy")
    models = {name: frame[name] for name in ("says_a", "says_b", "says_c")}
    own = all_differences("accuracy", frame.truth, models, random_state=0, n_resamples=100)
    assert [row["p_value"] for row in rows] == pytest.approx([row.p_adjusted for row in own])
    assert [row["value_a"] for row in rows] == [row.value_a for row in own]


def test_a_claim_and_its_margin(file, frame, capsys):
    given = (file, "--score", "b", "--score", "a", "--positive", "ill", "--metrics", "roc_auc")
    (row,) = rows_of(capsys, "compare", *given, "--claim", "non-inferior", "--margin", "0.9")
    assert (row["claim"], row["margin"], row["concluded"]) == ("non-inferior", 0.9, True)
    (row,) = rows_of(capsys, "compare", *given, "--claim", "equivalent", "--margin", "0.9")
    assert row["confidence_level"] == pytest.approx(0.9)


def test_a_table_and_progress(file, capsys):
    arguments = ("--true", "truth", "--score", "a", "--score", "b", "--positive", "ill")
    assert main(["compare", file, *arguments]) == 0
    out, err = capsys.readouterr()
    lead, best, *_ = lines = out.splitlines()
    assert lead == "90 rows, positive class 'ill', 95 % intervals"
    assert best == "best by roc_auc, log_loss, brier_score: a (not distinguishable: b)"
    header = next(line for line in lines if line.startswith("metric"))
    assert header.split()[:6] == ["metric", "model", "against", "value", "reference", "difference"]
    assert "2/2" in err  # models


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--score", "a"], "once for each model"),
        (["--score", "a", "--score", "nobody"], "no column 'nobody'"),
        (["--score", "a", "--score", "b", "--metrics", "f1"], "f1 needs predicted labels"),
        (
            ["--score", "a", "--score", "b", "--score", "c", "--margin", "0.1"],
            "are for two models",
        ),
        (
            ["--pred", "says_a", "--pred", "says_b", "--metrics", "f1"],
            "pass --positive 'well' or --positive 'ill'",
        ),
    ],
)
def test_what_is_refused(file, arguments, told, capsys):
    assert main(["compare", file, "--true", "truth", *arguments, "--quiet"]) == 2
    assert told in capsys.readouterr().err


def test_scores_of_three_classes_are_refused(tmp_path, capsys):
    table = pandas.DataFrame({"y": [0, 1, 2] * 9, "p_0": 0.5, "p_1": 0.25, "p_2": 0.25})
    table.to_csv(tmp_path / "three.csv", index=False)
    arguments = ["--true", "y", "--score", "p_0", "--score", "p_1", "--score", "p_2"]
    assert main(["compare", str(tmp_path / "three.csv"), *arguments]) == 2
    assert "3 classes: a column of scores is for one class of two" in capsys.readouterr().err
