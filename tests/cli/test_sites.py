"""``tally`` and ``merge``: the numbers of all rows in one place, and what is refused."""

import json

import numpy as np
import pytest
from support.command_line import main

from skmetrics_ext import evaluate

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
RNG = np.random.default_rng(5)
N = 500
METRICS = ["roc_auc", "accuracy", "f1", "log_loss"]
COLUMNS = ["--score", "risk", "--pred", "said", "--positive", "ill", "--metrics", *METRICS]


@pytest.fixture(scope="module")
def frame():
    ill = RNG.random(N) < 0.4
    risk = np.clip(RNG.normal(0.3 + 0.35 * ill, 0.2), 0.01, 0.99).round(3)
    return pandas.DataFrame(
        {
            "target": np.where(ill, "ill", "well"),
            "risk": risk,
            "said": np.where(risk > 0.5, "ill", "well"),
            "site": np.array(["north", "south"])[RNG.integers(0, 2, N)],
            "weight": RNG.integers(0, 3, N),
        }
    )


@pytest.fixture
def folder(frame, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for site, rows in frame.groupby("site"):
        rows.to_csv(f"{site}.csv", index=False)
    return tmp_path


def tally(site, *more, columns=COLUMNS):
    return main(["tally", f"{site}.csv", *columns, "-o", f"{site}.skx", *more])


def merged(capsys, *more):
    capsys.readouterr()
    assert main(["merge", "*.skx", "--json", "--json-schema", "1", *more]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_whole_is_that_of_all_rows(frame, folder, capsys):
    assert tally("north") == tally("south") == 0
    assert "metrics, " in capsys.readouterr().out
    found = merged(capsys)
    right = evaluate(frame, true="target", score="risk", pred="said", pos_label="ill",
                     metrics=METRICS, by="site", margins=True, intervals=True)  # fmt: skip
    assert len(found["rows"]) == 3 * len(METRICS)
    for row in found["rows"]:
        expected = right.row(metric=row["metric"], group=row["group"])
        keys = ("value", "low", "high", "n_rows")
        rel = 1e-9 if row["metric"] == "log_loss" else 0
        assert [row[key] for key in keys] == pytest.approx([expected[k] for k in keys], rel=rel)
    for metric in METRICS:
        gaps = {row["group"]: row for row in found["gaps"] if row["metric"] == metric}
        for gap in right.gaps(metric).rows:
            assert gaps[gap.group]["difference"] == pytest.approx(gap.value)


def test_requirements_and_a_page(folder, capsys):
    tally("north")
    tally("south")
    limits = ["--require", "roc_auc>=0.7", "--require", "worst:accuracy>=0.99"]
    assert main(["merge", "north.skx", "south.skx", *limits, "--html", "page.html"]) == 1
    assert "fail" in capsys.readouterr().out
    page = (folder / "page.html").read_text()
    assert "Each site, and its difference from the others" in page
    assert "Requirements" in page


def test_coarse_files_say_so(folder, capsys):
    for site in ("north", "south"):
        assert tally(site, "--bins", "40", "--min-cell", "3") == 0
    row = next(row for row in merged(capsys)["rows"] if row["metric"] == "roc_auc")
    assert row["reason"].startswith("scores in ")
    assert tally("north", "--bins", "0", "0.4", "1") == 0
    assert ", 2 distinct scores" in capsys.readouterr().out


def test_a_site_that_lacks_a_class(frame, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame[frame.target == "ill"].to_csv("north.csv", index=False)
    frame[frame.target == "well"].to_csv("south.csv", index=False)
    columns = ["--score", "risk", "--positive", "ill", "--metrics", "roc_auc"]
    columns += ["--classes", "well", "ill"]
    assert tally("north", columns=columns) == tally("south", columns=columns) == 0
    rows = merged(capsys)["rows"]
    found = {row["group"]: row["value"] for row in rows}
    (right,) = evaluate(frame, true="target", score="risk", pos_label="ill", metrics=["roc_auc"])
    assert found == {"north": None, "south": None, None: right.value}


def test_several_classes_numbers_and_weights(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    proba = RNG.dirichlet(np.ones(3), 60).round(6)
    proba[:, 2] = 1 - proba[:, 0] - proba[:, 1]
    frame = pandas.DataFrame(proba, columns=["p_1", "p_2", "p_3"])
    frame["target"] = RNG.integers(1, 4, 60)
    frame["weight"] = RNG.integers(1, 4, 60)
    names = ["roc_auc_ovr", "log_loss"]
    columns = ["--score", "p_1", "--score", "p_2", "--score", "p_3", "--weight", "weight"]
    columns += ["--metrics", *names, "--classes", "1", "2", "3"]
    for site, part in {"a": frame[:30], "b": frame[30:]}.items():
        part.to_csv(f"{site}.csv", index=False)
        assert tally(site, columns=columns) == 0
    right = evaluate(frame, true="target", score=["p_1", "p_2", "p_3"], weight="weight",
                     metrics=names)  # fmt: skip
    found = {r["metric"]: r["value"] for r in merged(capsys)["rows"] if r["group"] is None}
    assert found == pytest.approx({row.metric: row.value for row in right})


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([], "nothing to score: pass --score or --pred"),
        (["--score", "risk", "--score", "weight"], "--score names 2 columns"),
        (["--pred", "said", "--pred", "site"], "--pred names 2 columns"),
        ([*COLUMNS, "--all"], "--all and --metrics both"),
        ([*COLUMNS, "--min-cell", "3"], "pass --bins too"),
        ([*COLUMNS, "--bins", "2.5"], "bins has to be an integer of 1 or more, got 2.5"),
        ([*COLUMNS, "--classes", "ill"], "--classes must list all classes"),
        ([*COLUMNS, "--bins", "5", "--min-cell", "400"], "fewer than --min-cell 400 rows"),
        (["--score", "risk"], "pass --positive well or --positive ill"),
    ],
)
def test_tallies_that_are_refused(folder, capsys, columns, message):
    assert tally("north", columns=columns) == 2
    assert message in capsys.readouterr().err


def test_files_that_do_not_merge(folder, capsys):
    tally("north")
    tally("south", columns=["--pred", "said", "--positive", "ill"])
    (folder / "again").mkdir()
    (folder / "again" / "north.skx").write_bytes((folder / "north.skx").read_bytes())
    for files, message in {
        ("north.skx", "south.skx"): "of the same metrics and labels",
        ("north.skx", "again/north.skx"): "two called north",
        ("north.csv",): "is no file of an Accumulator",
        ("none.skx",): "No such file",
    }.items():
        assert main(["merge", *files]) == 2
        assert message in capsys.readouterr().err
