"""Files of answers that are marked right or wrong, as evaluation harnesses write them."""

import json
from pathlib import Path

import pytest
from support.command_line import main

import skmetrics_ext as sx

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
DATA = Path(__file__).parents[1] / "data"
QUIZ = str(DATA / "samples_quiz.jsonl")  # a field for each measure, and nested documents
TRIES = str(DATA / "inspect_samples.jsonl")  # three tries of six tasks, marked C or I
MARK = "scores.includes.value"
RECORDS = [json.loads(line) for line in Path(QUIZ).read_text().splitlines()]
TASKS = [json.loads(line) for line in Path(TRIES).read_text().splitlines()]


def rows_of(capsys, *arguments, status=0):
    assert main([*arguments, "--json", "--json-schema", "1", "--quiet"]) == status
    out, err = capsys.readouterr()
    return json.loads(out), err


def refused(capsys, *arguments):
    assert main([*arguments, "--quiet"]) == 2
    return capsys.readouterr().err.splitlines()[-1]


def ends(row):
    return pytest.approx((row["value"], row["low"], row["high"]))


# --------------------------------------------------------------------------- marks


def test_ones_and_zeros_are_the_share_of_right_answers(capsys):
    (row,), err = rows_of(capsys, "score", QUIZ, "--right", "acc")
    found = sx.proportion_interval(6, 12)
    assert tuple(found) == ends(row)
    assert (row["of"], row["metric"], row["n_rows"]) == ("acc", "accuracy", 12)
    assert "left out" in err
    assert "arguments (lists)" in err


def test_groups_of_a_nested_field(capsys):
    (row,), _ = rows_of(capsys, "score", QUIZ, "--right", "acc", "--groups", "doc.subject")
    subject = [record["doc"]["subject"] for record in RECORDS]
    found = sx.proportion_interval([record["acc"] for record in RECORDS], groups=subject)
    assert tuple(found) == ends(row)


def test_two_measures_are_compared_on_the_same_rows(capsys):
    asked = ("--right", "acc", "--right", "acc_norm")
    found, _ = rows_of(capsys, "score", QUIZ, *asked, "--by", "doc.subject")
    shares = {(row["of"], row["group"]): row["value"] for row in found["rows"]}
    assert shares["acc_norm", "all"] == pytest.approx(7 / 12)
    assert shares["acc_norm", "birds"] == 0.75
    (pair,) = found["differences"]
    assert pair["difference"] == pytest.approx(-1 / 12)
    assert pair["p_value"] == pytest.approx(0.5)  # one discordant row: 2 (1/2 - 1/4), mid-p
    rows, _ = rows_of(capsys, "compare", QUIZ, *asked)
    assert rows[0]["p_value"] == pair["p_value"]


def test_tries_of_a_question_are_a_cluster_and_the_line_says_so(capsys):
    assert main(["score", TRIES, "--right", f"{MARK}=C", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("18 rows, tries of 6 questions (id)")
    assert f"{MARK}=C" in out
    (row,), _ = rows_of(capsys, "score", TRIES, "--right", f"{MARK}=C")
    marks = [task["scores"]["includes"]["value"] == "C" for task in TASKS]
    found = sx.proportion_interval(marks, groups=[task["id"] for task in TASKS])
    assert tuple(found) == ends(row)
    n_right = pandas.Series(marks).groupby([task["id"] for task in TASKS]).sum()
    assert tuple(sx.pass_at_k(3, n_right, 1)) == ends(row)
    (row,), _ = rows_of(
        capsys, "score", TRIES, "--right", f"{MARK}=C", "--groups", "metadata.topic"
    )
    topics = [task["metadata"]["topic"] for task in TASKS]
    assert tuple(sx.proportion_interval(marks, groups=topics)) == ends(row)


def test_which_value_means_right_is_asked(capsys):
    line = refused(capsys, "score", TRIES, "--right", MARK)
    assert "holds 'C', 'I'" in line
    assert f"--right {MARK}=C" in line
    assert "no row holds it" in refused(capsys, "score", TRIES, "--right", f"{MARK}=correct")


@pytest.mark.parametrize(
    ("marks", "right"),
    [
        (["true", "false", "true"], ""),
        ([1, 0, 1], "=1"),
        (["C", "P", "C"], "=C"),
        ([2, 1, 2], "=2"),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_marks_of_any_file(marks, right, ending, tmp_path, capsys):
    path = tmp_path / f"f.{ending}"
    frame = pandas.DataFrame({"mark": [*marks, marks[1]], "w": [1.0, 2, 3, 4]})
    if marks[0] == "true" and ending != "csv":
        frame["mark"] = frame["mark"] == "true"
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    (row,), _ = rows_of(capsys, "score", str(path), "--right", f"mark{right}")
    assert row["value"] == 0.5
    (row,), _ = rows_of(capsys, "score", str(path), "--right", f"mark{right}", "--weight", "w")
    assert row["value"] == 0.4


def test_other_marks_count_as_wrong_and_are_named(tmp_path, capsys):
    path = tmp_path / "f.jsonl"
    path.write_text("".join(json.dumps({"mark": mark}) + "\n" for mark in "CIPCI"))
    (row,), err = rows_of(capsys, "score", str(path), "--right", "mark=C")
    assert row["value"] == 0.4
    assert "counted as wrong, with the number of rows: 'I' (2), 'P' (1)" in err


def test_all_right_has_an_interval(tmp_path, capsys):
    path = tmp_path / "f.jsonl"
    path.write_text('{"ok": true}\n' * 20)
    (row,), _ = rows_of(capsys, "score", str(path), "--right", "ok")
    assert tuple(sx.proportion_interval(20, 20)) == ends(row)


def test_a_missing_mark_is_an_error_unless_it_is_left_out(tmp_path, capsys):
    path = tmp_path / "f.jsonl"
    path.write_text('{"ok": 1, "id": 1}\n\n{"ok": null}\n{"id": 1}\n{"ok": 0, "id": 1}\n')
    line = refused(capsys, "score", str(path), "--right", "ok")
    assert "'ok' has 2 missing values, the first in line 3" in line
    (row,), err = rows_of(capsys, "score", str(path), "--right", "ok", "--drop-missing")
    assert (row["value"], row["n_rows"]) == (0.5, 2)
    assert "2 of 4 rows left out" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--right", "acc", "--pred", "acc_norm"), "--right stands for"),
        (("--right", "acc", "--target", "target"), "--right stands for"),
        (("--right", "acc", "--metrics", "f1"), "accuracy alone"),
        (("--right", "arguments"), "Field 'arguments' holds lists"),
        (("--right", "nothing"), "no column 'nothing'"),
        (("--right", "filtered_resps_0"), "which of them means right is open"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, words, capsys):
    assert words in refused(capsys, "score", QUIZ, *arguments)


def test_the_page_says_how_often_answers_are_right(tmp_path, capsys):
    page = tmp_path / "page.html"
    asked = ("--right", "acc", "--right", "acc_norm", "--html", str(page), "--quiet")
    assert main(["score", QUIZ, *asked]) == 0
    text = page.read_text(encoding="utf-8")
    assert "How often is the answer right?" in text
    assert "ignores the features" not in text
    assert "true classes" not in text


# --------------------------------------------------------------------------- JSON lines


def predictions(path):
    rows = [("bad", 0.9), ("bad", 0.8), ("good", 0.7), ("bad", 0.6), ("good", 0.4), ("good", 0.3)]
    with path.open("w") as file:
        for number, (label, score) in enumerate(rows):
            record = {"label": label, "model": {"risk": score}, "site": "ab"[number % 2]}
            file.write(json.dumps(record) + "\n")
    return str(path)


def test_json_lines_are_read_by_every_command_and_by_evaluate(tmp_path, capsys):
    path = predictions(tmp_path / "f.jsonl")
    asked = ("--target", "label", "--score", "model.risk", "--positive", "bad")
    (row,), _ = rows_of(capsys, "score", path, *asked, "--metrics", "roc_auc")
    assert row["value"] == pytest.approx(8 / 9)
    table = sx.evaluate(
        path, true="label", score="model.risk", metrics=["roc_auc"], pos_label="bad"
    )
    assert table.value("roc_auc") == pytest.approx(8 / 9)
    assert main(["threshold", path, *asked, "--quiet"]) == 0
    assert main(["tally", path, *asked, "-o", str(tmp_path / "x.skx")]) == 0
    assert main(["slices", path, *asked, "--by", "site", "--min-rows", "2", "--quiet"]) == 0


def test_json_lines_that_are_compressed(tmp_path, capsys):
    import gzip

    path = tmp_path / "f.jsonl.gz"
    with gzip.open(path, "wb") as file:
        file.write(Path(QUIZ).read_bytes())
    (row,), _ = rows_of(capsys, "score", str(path), "--right", "acc")
    assert row["value"] == 0.5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1}\n{"a": \n', "line 2"),
        ('{"a": 1}\n[1, 2]\n', "line 2, which holds [1, 2]"),
        ("[1, 2]\n", "a JSON object for each row is needed"),
        ("a,b\n1,2\n", "cannot be read|JSON"),
        ("", "no column"),
        ('{"a": 1, "b": {"c": 2}, "b.c": 3}\n', "two fields named 'b.c'"),
        ('{"a": 1}\n{"a": "x"}\n', "Field 'a' holds values of several types"),
        ('{"a": 100000000000000000000000}\n', "Field 'a' holds integers beyond 64 bits"),
    ],
)
def test_damaged_records_are_named(text, words, tmp_path, capsys):
    path = tmp_path / "f.jsonl"
    path.write_text(text)
    line = refused(capsys, "score", str(path), "--right", "a")
    assert any(word in line for word in words.split("|"))
