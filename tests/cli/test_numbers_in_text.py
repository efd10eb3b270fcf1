"""Numbers with separators of thousands, currency and per cent signs; identifiers that repeat."""

import json

import numpy as np
import pytest
from support.command_line import main

from skmetrics_ext import evaluate
from skmetrics_ext.backends.csv_files import TextForm
from skmetrics_ext.datasets import Use, load
from skmetrics_ext.results import CrossValidationReport

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
RNG = np.random.default_rng(6)
N = 60
FAST = ("--models", "tree", "--metrics", "accuracy", "--folds", "2", "--quiet")
AMOUNT = np.round(RNG.random(N) * 90_000 + 500, 2)


def written(path, frame, **options):
    frame.to_csv(path, index=False, **options)
    return str(path)


def shop(amounts):
    return pandas.DataFrame(
        {"amount": amounts, "x": RNG.normal(size=N), "target": np.arange(N) % 2}
    )


def german(value):
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


@pytest.mark.parametrize(
    ("thousands", "text"),
    [
        (",", [f"{value:,.2f}" for value in AMOUNT]),
        (",", [f"${value:.2f}" for value in AMOUNT]),
        (",", [f"{value:,.2f} €" for value in AMOUNT]),
        (",", [f"{value:.2f}%" for value in AMOUNT]),
        (".", [german(value) for value in AMOUNT]),
        (".", [f"{german(value)} €" for value in AMOUNT]),
        (" ", [f"{value:,.2f}".replace(",", "\u00a0") for value in AMOUNT]),
        ("'", [f"{value:,.2f}".replace(",", "'") for value in AMOUNT]),
    ],
)
@pytest.mark.parametrize("separator", [",", ";"])
def test_thousands_are_read_and_named_where_they_are_not(thousands, text, separator, tmp_path):
    path = written(tmp_path / "shop.csv", shop(text), sep=separator)
    form = TextForm(thousands=thousands)
    np.testing.assert_allclose(load(path, Use(form=form)).X["amount"], AMOUNT, rtol=1e-15)
    notes = "\n".join(load(path).notes) if thousands != "," or "," in text[0] else None
    plain = load(path)
    assert "amount" not in plain.X or plain.X["amount"].dtype == object
    (line,) = [line for line in plain.notes if line.startswith("amount holds numbers")]
    assert f"such as {text[0]!r}" in line
    assert notes is None or "--thousands" in notes
    if text[0][0].isdigit() and text[0][-1].isdigit():
        assert "--thousands " + (thousands if thousands in ",." else f'"{thousands}"') in line


def test_a_column_that_is_mostly_numbers_names_the_rest(tmp_path):
    text = [f"${value:,.2f}" for value in AMOUNT]
    text[7] = "on request"
    (line,) = [
        line
        for line in load(written(tmp_path / "a.csv", shop(text))).notes
        if line.startswith("amount holds")
    ]
    assert "in 98.3 % of its rows" in line
    assert "but not 'on request'" in line
    text[:10] = ["on request"] * 10  # 83 %: not numbers
    notes = load(written(tmp_path / "b.csv", shop(text))).notes
    assert not [line for line in notes if line.startswith("amount holds")]


def test_three_decimals_after_every_point_are_doubted(tmp_path, capsys):
    doubtful = ["13.593", "935", *["1.204"] * (N - 2)]
    path = written(tmp_path / "a.csv", shop(doubtful))
    assert main(["cv", path, *FAST]) == 0
    warning = "amount: all values with a point have three decimals, such as 13.593"
    assert warning in capsys.readouterr().err
    for options, first in ((("--thousands", "."), 13593.0), (("--decimal", "."), 13.593)):
        assert main(["cv", path, *FAST, *options]) == 0
        assert warning not in capsys.readouterr().err
        form = TextForm(**{options[0][2:]: options[1]})
        assert load(path, Use(form=form)).X["amount"][0] == first
    for sure in (["13.59", *doubtful[1:]], ["0.593", *doubtful[1:]], ["1234.593", *doubtful[1:]]):
        assert main(["cv", written(tmp_path / "b.csv", shop(sure)), *FAST]) == 0
        assert warning[:30] not in capsys.readouterr().err


@pytest.mark.parametrize("stream", [(), ("--stream",)])
def test_scores_with_thousands(tmp_path, capsys, stream):
    score = RNG.integers(100, 99_999, N)
    y = (score + RNG.integers(0, 60_000, N) > 70_000).astype(int)
    text = [f"{value:,}" for value in score]
    path = written(tmp_path / "a.csv", pandas.DataFrame({"target": y, "s": text}))
    asked = (
        "--score",
        "s",
        "--metrics",
        "roc_auc",
        "--json",
        "--json-schema",
        "1",
        "--quiet",
        *stream,
    )
    assert main(["score", path, *asked]) == 2
    assert "--thousands , removes them" in capsys.readouterr().err
    assert main(["score", path, *asked, "--thousands", ","]) == 0
    frame = pandas.DataFrame({"target": y, "s": score})
    area = evaluate(frame, true="target", score="s", metrics=["roc_auc"]).value("roc_auc")
    assert json.loads(capsys.readouterr().out)[0]["value"] == pytest.approx(area, rel=1e-15)


def test_one_sign_cannot_be_both(tmp_path, capsys):
    path = written(tmp_path / "a.csv", shop(AMOUNT))
    assert main(["cv", path, *FAST, "--thousands", ",", "--decimal", ","]) == 2
    assert "--thousands and --decimal are both ','" in capsys.readouterr().err


# --------------------------------------------------------------------------- identifiers


@pytest.mark.parametrize("kind", [int, "text"])
def test_an_identifier_that_repeats_names_groups(kind, tmp_path, capsys):
    number = np.repeat(RNG.permutation(25) * 7 + 1000, 5)
    who = number if kind is int else [f"C{n}" for n in number]
    frame = pandas.DataFrame(
        {"customer_id": who, "x": RNG.normal(size=125), "target": np.arange(125) % 2}
    )
    path = written(tmp_path / "a.csv", frame)
    line = (
        "column customer_id repeats (25 values in 125 rows): if rows with the same value belong "
        "together, pass --groups customer_id"
    )
    for command in ("cv", "search"):
        models = ("--models", "tree", "--folds", "2", "--quiet")
        assert main([command, path, *models]) == 0
        lines = capsys.readouterr().err.splitlines()
        assert f"skmetrics_ext: {line}" in lines
        assert main([command, path, *models, "--groups", "customer_id"]) == 0
        assert "repeats" not in capsys.readouterr().err
    once = written(tmp_path / "b.csv", frame.assign(customer_id=RNG.permutation(125)))
    assert main(["cv", once, *FAST]) == 0
    assert "repeats" not in capsys.readouterr().err


def test_an_identifier_that_repeats_is_a_finding_on_the_page(tmp_path, capsys):
    frame = pandas.DataFrame(
        {
            "customer_id": np.repeat(RNG.permutation(25) * 7 + 1000, 5),
            "x": RNG.normal(size=125),
            "target": np.arange(125) % 2,
        }
    )
    path = written(tmp_path / "a.csv", frame)
    said = "column customer_id repeats (25 values in 125 rows)"
    for command in ("cv", "search"):
        page = tmp_path / f"{command}.html"
        models = ("--models", "tree", "--folds", "2", "--quiet", "--html", str(page))
        assert main([command, path, *models]) == 0
        assert said in page.read_text(encoding="utf-8").lower()
    saved = tmp_path / "a.report"
    assert main(["cv", path, *FAST, "--save", str(saved)]) == 0
    (finding,) = [f for f in CrossValidationReport.load(saved).findings() if f.code == "data"]
    assert finding.text.startswith(said)
