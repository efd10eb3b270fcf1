"""``threshold`` and ``slices``: the numbers of the functions, what is refused."""

import json

import numpy as np
import pytest
from support.command_line import main

from skmetrics_ext import (
    confidence_interval,
    optimal_threshold,
    weak_slices,
)

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
RNG = np.random.default_rng(5)
N = 400


@pytest.fixture(scope="module")
def frame():
    ill = RNG.random(N) < 0.4
    site = np.array(["north", "south"])[np.arange(N) % 2]
    risk = np.clip(RNG.normal(0.3 + 0.35 * ill, 0.2), 0.01, 0.99)
    wrong = (site == "south") & (RNG.random(N) < 0.5)
    risk = np.where(wrong, 1 - risk, risk)
    return pandas.DataFrame(
        {
            "target": np.where(ill, "ill", "well"),
            "risk": risk,
            "said": np.where(risk > 0.5, "ill", "well"),
            "site": site,
            "age": RNG.integers(20, 80, N),
            "number": np.arange(N) + 1000,
            "patient": np.arange(N) // 2,
        }
    )


@pytest.fixture
def file(frame, tmp_path):
    frame.to_csv(tmp_path / "rows.csv", index=False)
    return str(tmp_path / "rows.csv")


def run(capsys, *arguments):
    assert main([*arguments, "--quiet", "--json", "--json-schema", "1"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_threshold_is_that_of_the_function(file, frame, capsys):
    given = (file, "--score", "risk", "--positive", "ill", "--groups", "patient")
    more = ("--criterion", "recall", "--constraint", "precision >= 0.6", "--resamples", "100")
    rows = run(capsys, "threshold", *given, *more, "--metrics", "precision", "accuracy")
    about = {"pos_label": "ill", "groups": frame.patient, "random_state": 0}
    choice = {"criterion": "recall", "constraint": ("precision", ">=", 0.6)}
    own = optimal_threshold(
        frame.target, frame.risk, n_resamples=100, **choice, **about, interval=True
    )
    names = ["threshold", "recall, on other rows", "precision", "accuracy"]
    assert [row["measure"] for row in rows] == names
    assert {row["of"] for row in rows} == {"risk"}
    found = [[row[key] for key in ("value", "low", "high")] for row in rows]
    assert found[0] == pytest.approx(list(own.threshold))
    assert found[1] == pytest.approx(list(own.value))
    pred = np.where(frame.risk >= own.chosen.threshold, "ill", "well")
    for name, ends in zip(names[2:], found[2:], strict=True):
        expected = confidence_interval(name, frame.target, pred, **about)
        assert ends == pytest.approx(list(expected))
    assert found[2][0] >= 0.6


def test_the_threshold_in_words_and_on_a_page(file, frame, tmp_path, capsys):
    page = tmp_path / "page.html"
    given = ["threshold", file, "--score", "risk", "--positive", "ill", "--resamples", "100"]
    more = ["--cost", "1", "4", "--criterion", "expected_cost", "--html", str(page)]
    assert main([*given, *more]) == 0
    text = capsys.readouterr().out
    about = {"criterion": "expected_cost", "cost": (1, 4), "pos_label": "ill"}
    best = optimal_threshold(
        frame.target, frame.risk, n_resamples=100, random_state=0, **about, interval=True
    ).chosen
    head, counts, *_ = text.splitlines()
    assert head == f"risk: 'ill' from {best.threshold:.4g} on, by expected_cost"
    tp, fp, fn = (f"{part:g}" for part in (best.counts.tp, best.counts.fp, best.counts.fn))
    assert f": {tp} right, {fp} wrong; {fn} missed" in counts
    for name in ("precision", "recall", "specificity", "f1"):
        assert f"\n{name} " in text
    assert "better here than elsewhere" in " ".join(text.split())
    assert "risk" in page.read_text(encoding="utf-8")


def test_limits_that_hold_in_the_population(file, frame, tmp_path, capsys):
    page = tmp_path / "page.html"
    given = ["threshold", file, "--score", "risk", "--positive", "ill", "--confidence", "0.9"]
    limits = ["--constraint", "precision>=0.4", "--constraint", "specificity>=0.6"]
    assert main([*given, *limits, "--criterion", "recall", "--html", str(page), "--quiet"]) == 0
    head, _, *lines = capsys.readouterr().out.splitlines()
    best = optimal_threshold(
        frame.target,
        frame.risk,
        criterion="recall",
        constraint=[("precision", ">=", 0.4), ("specificity", ">=", 0.6)],
        confidence=0.9,
        pos_label="ill",
    )
    assert head == (
        f"risk: 'ill' from {best.threshold:.4g} on, by recall where precision >= 0.4 and "
        "specificity >= 0.6 in the population"
    )
    first, second = best.bounds
    assert first >= 0.4
    assert second >= 0.6
    told = f"with confidence 0.9: precision >= {first:.4g} and specificity >= {second:.4g}."
    assert told in " ".join(" ".join(lines).split())
    assert "on other rows" not in " ".join(lines)
    assert "in the population" in page.read_text(encoding="utf-8")
    assert main([*given, "--constraint", "precision>=0.99", "--quiet"]) == 2
    assert "with confidence 0.9: certified is at least" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--positive", "ill"], "pass --score"),
        (["--score", "risk"], "no positive class: pass --positive well or --positive ill"),
        (["--score", "risk", "--positive", "ill", "--metrics", "roc_auc"], "metrics of labels"),
        (
            ["--score", "risk", "--pred", "target", "--positive", "ill"],
            "unrecognized arguments: --pred",
        ),
        (["--score", "risk", "--constraint", "precision"], "must be METRIC>=NUMBER"),
        (["--score", "risk", "--constraint", "precision>=much"], "must be METRIC>=NUMBER"),
        (["--score", "risk", "--positive", "ill", "--constraint", "recall>=2"], "recall"),
    ],
)
def test_thresholds_that_are_refused(file, capsys, arguments, message):
    assert main(["threshold", file, "--quiet", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_slices_are_those_of_the_function(file, frame, capsys):
    given = (file, "--score", "risk", "--positive", "ill", "--groups", "patient")
    found = run(capsys, "slices", *given, "--metrics", "brier_score")
    data = frame.drop(columns="said")
    about = {"true": "target", "score": "risk", "pos_label": "ill", "groups": "patient"}
    own = weak_slices(data.drop(columns="number"), metric="brier_score", **about)
    assert found["value"] == pytest.approx(own.value)
    assert [row["slice"] for row in found["rows"]] == [row.slice for row in own.rows]
    assert [row["p_value"] for row in found["rows"]] == pytest.approx(
        [row.p_adjusted for row in own.rows]
    )
    only = run(capsys, "slices", *given, "--metrics", "brier_score", "--by", "site", "age")
    part = weak_slices(data, metric="brier_score", columns=["site", "age"], **about)
    assert only["rows"][0]["slice"] == {"site": "south"}
    assert only["rows"][0]["low"] == pytest.approx(part.rows[0].low)


def test_slices_leave_out_identifiers_and_predictions_of_other_models(file, frame, capsys):
    other = pandas.read_csv(file).assign(old=RNG.random(N), since="2020-01-0" + "12345678"[3])
    other.to_csv(file, index=False)
    asked = ["slices", file, "--score", "risk", "--positive", "ill", "--quiet"]
    assert main(asked) == 0
    err = capsys.readouterr().err
    assert "columns that make slices: site, age, patient" in err
    assert f"number (identifier, {N} values)" in err
    assert "old (may be scores of another model)" in err
    assert "said (may be predictions of another model)" in err
    assert "since (date)" in err
    assert main([*asked, "--by", "said"]) == 0
    assert "2 slices tested" in capsys.readouterr().out
    other[["target", "risk", "old"]].to_csv(file, index=False)
    assert main(asked) == 2
    assert "no column is left that makes slices" in capsys.readouterr().err


def test_slices_of_labels_in_words_and_on_a_page(file, frame, tmp_path, capsys):
    page = tmp_path / "page.html"
    given = ["slices", file, "--pred", "said", "--by", "site", "age", "--html", str(page)]
    assert main([*given, "--min-rows", "40"]) == 0
    text = capsys.readouterr().out
    accuracy = (frame.said == frame.target).mean()
    assert text.startswith(f"accuracy {accuracy:.4f} in {N} rows")
    assert "site = south" in text
    assert "site = south" in page.read_text(encoding="utf-8")


def test_slices_of_three_classes(tmp_path, capsys):
    y, part = np.arange(300) % 3, np.array(["a", "b"])[np.arange(300) // 150]
    proba = np.where(part[:, None] == "a", 0.1 + 0.7 * np.eye(3)[y], 1 / 3)
    table = pandas.DataFrame(proba, columns=["p_2", "p_0", "p_1"]).assign(target=(y - 1) % 3)
    table.assign(part=part).to_csv(tmp_path / "three.csv", index=False)
    columns = ("--score", "p_0", "--score", "p_1", "--score", "p_2")
    found = run(capsys, "slices", str(tmp_path / "three.csv"), *columns)
    assert found["metric"] == "log_loss"
    assert found["rows"][0]["slice"] == {"part": "b"}
    assert found["rows"][0]["value"] == pytest.approx(np.log(3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "pass --score or --pred"),
        (["--score", "risk", "--pred", "said"], "slices needs one model, got 2"),
        (["--score", "risk", "--metrics", "f1"], "f1 needs predicted labels"),
        (["--pred", "said", "--metrics", "f1"], "f1 needs a positive class"),
        (["--pred", "said", "--by", "nobody"], "nobody"),
    ],
)
def test_slices_that_are_refused(file, capsys, arguments, message):
    assert main(["slices", file, "--quiet", *arguments]) == 2
    assert message in capsys.readouterr().err
