"""Files as people have them: several, joined, archived, piped, nested, or of a spreadsheet."""

import io
import json
import sys
import zipfile

import numpy as np
import pytest
from support.command_line import main

import skmetrics_ext as sx

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
RNG = np.random.default_rng(4)
N = 60
Y = RNG.integers(0, 2, N)
S = np.round(np.clip(0.5 * Y + 0.6 * RNG.random(N), 0, 1), 3)
FRAME = pandas.DataFrame(
    {"id": np.arange(N) + 500, "target": Y, "s": S, "p": (S > 0.5).astype(int)}
)
AREA, SHARE = sx.roc_auc_score(Y, S), sx.accuracy_score(Y, FRAME["p"])
ASKED = ("--score", "s", "--pred", "p", "--metrics", "roc_auc", "accuracy")


def values_of(capsys, *arguments):
    """Value of each model and metric."""
    status = main(["score", *map(str, arguments), "--json", "--quiet"])
    out, err = capsys.readouterr()
    assert status == 0, err
    found = json.loads(out)
    rows = found["rows"] if isinstance(found, dict) else found
    return {(row["model"], row["metric"]): row["value"] for row in rows}, err


def check(capsys, *arguments):
    found, _ = values_of(capsys, *arguments, *ASKED)
    assert found == {("s", "roc_auc"): pytest.approx(AREA), ("p", "accuracy"): pytest.approx(SHARE)}


def refused(capsys, *arguments):
    assert main(["score", *map(str, arguments), "--quiet"]) == 2
    return capsys.readouterr().err.splitlines()[-1]


WRITERS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "json": lambda frame, path: frame.to_json(path, orient="records", indent=1),
    "parquet": lambda frame, path: frame.to_parquet(path),
}


def parts(folder, ending, frame=FRAME):
    folder.mkdir(exist_ok=True)
    paths = [folder / f"{name}.{ending}" for name in "ab"]
    for path, part in zip(paths, (frame[:25], frame[25:]), strict=True):
        WRITERS[ending](part, path)
    return paths


# --------------------------------------------------------------------------- several files


@pytest.mark.parametrize("ending", WRITERS)
def test_several_files_and_a_folder_are_read_as_one(ending, tmp_path, capsys):
    paths = parts(tmp_path / "parts", ending)
    check(capsys, *paths)
    check(capsys, tmp_path / "parts")
    check(capsys, tmp_path / "parts" / f"*.{ending}")


@pytest.mark.parametrize("ending", WRITERS)
def test_archives(ending, tmp_path, capsys):
    paths = parts(tmp_path / "parts", ending)
    with zipfile.ZipFile(tmp_path / "both.zip", "w") as archive:
        for path in paths:
            archive.write(path, f"folder/{path.name}")
    check(capsys, tmp_path / "both.zip")


def test_archives_without_a_table_and_damaged_ones(tmp_path, capsys):
    with zipfile.ZipFile(tmp_path / "text.zip", "w") as archive:
        archive.writestr("notes.txt", "nothing")
    assert "no file, folder or glob" in refused(capsys, tmp_path / "text.zip", *ASKED)
    (tmp_path / "damaged.zip").write_bytes(b"PK of no archive")
    assert "cannot be read" in refused(capsys, tmp_path / "damaged.zip", *ASKED)


@pytest.mark.parametrize("ending", WRITERS)
def test_standard_input(ending, tmp_path, capsys, monkeypatch):
    WRITERS[ending](FRAME, tmp_path / f"f.{ending}")
    data = (tmp_path / f"f.{ending}").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    check(capsys, "-")


def test_a_file_twice_and_files_of_two_kinds_are_refused(tmp_path, capsys):
    (first, second) = parts(tmp_path, "csv")
    assert "names a file twice" in refused(capsys, first, second, first, *ASKED)
    WRITERS["jsonl"](FRAME[25:], tmp_path / "c.jsonl")
    line = refused(capsys, first, tmp_path / "c.jsonl", *ASKED)
    assert "must name Parquet, CSV or JSON files" in line


# --------------------------------------------------------------------------- joined


@pytest.mark.parametrize("ending", WRITERS)
def test_two_files_joined_by_an_id(ending, tmp_path, capsys):
    WRITERS[ending](FRAME[["id", "target"]], tmp_path / f"labels.{ending}")
    other = FRAME[["id", "s", "p"]].sample(frac=1, random_state=1)
    WRITERS["csv"](other, tmp_path / "scores.csv")
    check(capsys, tmp_path / f"labels.{ending}", tmp_path / "scores.csv", "--join", "id")
    check(capsys, tmp_path / "scores.csv", tmp_path / f"labels.{ending}", "--join", "id")


def test_rows_without_a_partner(tmp_path, capsys):
    WRITERS["csv"](FRAME[["id", "target"]][5:], tmp_path / "labels.csv")
    WRITERS["csv"](FRAME[["id", "s", "p"]][:-3], tmp_path / "scores.csv")
    asked = (tmp_path / "labels.csv", tmp_path / "scores.csv", "--join", "id", *ASKED)
    assert "8 rows have no partner in the other file" in refused(capsys, *asked)
    found, err = values_of(capsys, *asked, "--drop-missing")
    assert found["s", "roc_auc"] == pytest.approx(sx.roc_auc_score(Y[5:-3], S[5:-3]))
    assert "8 rows without a partner left out" in err


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda frame: frame.assign(id=[500, *frame["id"][:-1]]), "holds 500 twice in"),
        (lambda frame: frame.assign(id="x" + frame["id"].astype(str)), "int64 in one file and"),
        (lambda frame: frame.assign(target=Y), "both files have a column 'target'"),
        (lambda frame: frame.drop(columns="id"), "no column 'id'"),
        (lambda frame: frame.drop(columns="s"), "no column 's'"),
    ],
)
def test_files_that_cannot_be_joined(change, words, tmp_path, capsys):
    WRITERS["csv"](FRAME[["id", "target"]], tmp_path / "labels.csv")
    WRITERS["csv"](change(FRAME[["id", "s", "p"]]), tmp_path / "scores.csv")
    asked = (tmp_path / "labels.csv", tmp_path / "scores.csv", "--join", "id", *ASKED)
    assert words in refused(capsys, *asked)
    assert "two files" in refused(capsys, tmp_path / "labels.csv", "--join", "id", *ASKED)


def test_two_files_that_are_not_joined(tmp_path, capsys):
    for name, columns in (("a", ["id", "p"]), ("b", ["id", "q"])):
        rows = FRAME.rename(columns={"target": "q"})[columns]
        WRITERS["jsonl"](rows, tmp_path / f"{name}.jsonl")
    asked = (tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--right", "p", "--right", "q")
    assert "--join COLUMN matches the rows of two files" in refused(capsys, *asked)


def test_a_threshold_with_a_decimal_comma(tmp_path, capsys):
    WRITERS["csv"](FRAME, tmp_path / "a.csv")
    found = refused(capsys, tmp_path / "a.csv", "--score", "s", "--threshold", "0,3")
    assert "--threshold: must be a number with a decimal point, such as 0.3, got '0,3'" in found


# --------------------------------------------------------------------------- lists, sheets


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_columns_that_hold_lists_of_probabilities(ending, n_classes, tmp_path, capsys):
    y = np.arange(N) % n_classes
    proba = RNG.dirichlet(np.ones(n_classes), N)
    frame = pandas.DataFrame({"label": y, "probs": proba.tolist()})
    WRITERS[ending](frame, tmp_path / f"f.{ending}")
    if ending == "jsonl":  # pandas writes ten decimals
        rows = [{"label": int(a), "probs": list(b)} for a, b in zip(y, proba, strict=True)]
        (tmp_path / "f.jsonl").write_text("\n".join(map(json.dumps, rows)))
    name = "roc_auc" if n_classes == 2 else "roc_auc_ovr"
    asked = ("--target", "label", "--score", "probs", "--metrics", name, "log_loss")
    found, _ = values_of(capsys, tmp_path / f"f.{ending}", *asked)
    score = proba[:, 1] if n_classes == 2 else proba
    options = {} if n_classes == 2 else {"multi_class": "ovr"}
    values = {metric: value for (_, metric), value in found.items()}
    assert values[name] == pytest.approx(sx.roc_auc_score(y, score, **options))
    assert values["log_loss"] == pytest.approx(sx.log_loss(y, proba))


def test_a_spreadsheet_is_read_where_a_reader_is_installed(tmp_path, capsys, monkeypatch):
    path = tmp_path / "f.xlsx"
    path.write_bytes(b"PK")
    assert "In Excel: Save as > CSV UTF-8." in refused(capsys, path, *ASKED)
    monkeypatch.setattr(pandas, "read_excel", lambda file: FRAME.copy())
    check(capsys, path)


# --------------------------------------------------------------------------- models


def test_scores_and_labels_of_a_model_belong_together(tmp_path, capsys):
    path = tmp_path / "f.csv"
    frame = FRAME.assign(s2=1 - S, p2=1 - FRAME["p"])
    WRITERS["csv"](frame, path)
    asked = ("--model", "new", "s", "p", "--model", "old", "s2", "p2")
    names = ("--metrics", "roc_auc", "accuracy")
    found, _ = values_of(capsys, path, *asked, *names)
    assert found == {
        ("new", "roc_auc"): pytest.approx(AREA),
        ("new", "accuracy"): pytest.approx(SHARE),
        ("old", "roc_auc"): pytest.approx(1 - AREA),
        ("old", "accuracy"): pytest.approx(1 - SHARE),
    }
    assert main(["score", str(path), *asked, *names, "--quiet"]) == 0
    values, _ = capsys.readouterr().out.split("Differences")
    lines = [line.split()[:2] for line in values.splitlines()]
    assert [line for line in lines if "new" in line] == [["roc_auc", "new"], ["accuracy", "new"]]
    limit = ["--require", "new/accuracy - old/accuracy >= -1"]
    assert main(["compare", str(path), *asked, *names, *limit, "--json", "--quiet"]) == 0
    rows = {row["metric"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert rows["accuracy"]["model"] == "new"
    assert rows["accuracy"]["value"] == pytest.approx(2 * SHARE - 1)
    assert main(["score", str(path), *asked, "--html", str(tmp_path / "p.html"), "--quiet"]) == 0
    assert "new" in (tmp_path / "p.html").read_text(encoding="utf-8")
    capsys.readouterr()
    (row,) = values_of(capsys, path, "--model", "one", "s", *names[:2])[0]
    assert row == ("one", "roc_auc")
    assert "pass NAME SCORE" in refused(capsys, path, "--model", "new")
