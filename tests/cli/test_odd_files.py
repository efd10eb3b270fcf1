"""Files and options as people have them: right, or refused in the words of the command line."""

import json

import pytest
from support.command_line import main

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
# The area of bad is 14/15: one of 3 x 5 pairs is the wrong way round.
EIGHT = [("bad", 0.9), ("bad", 0.8), ("good", 0.7), ("bad", 0.6), ("good", 0.4), ("good", 0.3),
         ("good", 0.2), ("good", 0.1)]  # fmt: skip
AREA = 14 / 15
STREAM = pytest.mark.parametrize("stream", [(), ("--stream",)], ids=["memory", "stream"])
# Each command that reads a column of scores.
SCORED = {
    "score": (),
    "compare": ("--score", "other"),
    "threshold": (),
    "slices": ("--by", "g", "--min-rows", "2"),
    "tally": ("-o", "x.skx"),
}


def eight(path, **columns):
    """The eight rows, with further columns, in a file."""
    frame = pandas.DataFrame(EIGHT, columns=["truth", "bad"]).assign(**columns)
    frame.to_csv(path, index=False)
    return str(path)


def area(capsys, *arguments):
    """The value that `score` prints, and its lines on stderr."""
    given = ("--target", "truth", "--metrics", "roc_auc", "--json", "--json-schema", "1", "--quiet")
    status = main(["score", *arguments, *given])
    out, err = capsys.readouterr()
    assert status == 0, err
    (row,) = json.loads(out)
    return row["value"], err


# --------------------------------------------------------------------------- positive class


@pytest.mark.parametrize("command", SCORED)
@pytest.mark.parametrize("classes", [("Ja", "Nein"), (1, 2)])
def test_scores_of_two_classes_ask_for_the_positive_one(
    command, classes, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    frame = pandas.DataFrame(EIGHT, columns=["target", "s"])
    first, second = classes
    frame["target"] = frame["target"].map({"bad": first, "good": second})
    frame.assign(other=1 - frame["s"], g=list("abababab")).to_csv("f.csv", index=False)
    asked = [command, "f.csv", "--score", "s", *SCORED[command]]
    assert main(asked) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"--positive {first}" in line
    assert f"--positive {second}" in line
    assert main([*asked, "--positive", str(first)]) == 0
    assert not [*tmp_path.glob("*.skx")] or command == "tally"


@pytest.mark.parametrize("command", ["score", "compare", "slices", "tally"])
def test_labels_alone_go_on_unless_a_metric_of_one_class_is_asked_for(
    command, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    said = ["bad" if score > 0.5 else "good" for _, score in EIGHT]
    eight("f.csv", said=said, other=[label for label, _ in EIGHT], g=list("abababab"))
    more = ["--pred", "other"] if command == "compare" else SCORED[command]
    asked = [command, "f.csv", "--target", "truth", "--pred", "said", *more]
    assert main([*asked, "--metrics", "accuracy"]) == 0
    assert "no positive class: metrics of one class are left out" in capsys.readouterr().err
    assert main([*asked, "--metrics", "recall"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "recall needs a positive class" in line
    assert "--positive 'good' or --positive 'bad'" in line


# --------------------------------------------------------------------------- columns of scores


@STREAM
@pytest.mark.parametrize("names", [("bad", "good"), ("good", "bad"), ("p_good", "p_bad")])
def test_both_columns_of_probabilities_are_one_model(names, stream, tmp_path, capsys):
    other = [1 - score for _, score in EIGHT]
    path = tmp_path / "f.csv"
    eight(path, good=other, p_good=other, p_bad=[score for _, score in EIGHT])
    scores = [part for name in names for part in ("--score", name)]
    for positive in ("bad", "good"):
        value, err = area(capsys, str(path), *scores, "--positive", positive, *stream)
        assert value == pytest.approx(AREA)
        read = next(name for name in names if name.endswith(positive))
        assert f"are probabilities of both classes: {read} is read" in err
    asked = ["compare", str(path), "--target", "truth", *scores, "--positive", "bad"]
    assert main(asked) == 2
    assert "nothing to compare: pass a column of scores of each model" in capsys.readouterr().err


def test_two_models_may_end_in_the_classes(tmp_path, capsys):
    frame = pandas.DataFrame({"target": [0, 1, 0, 1] * 5, "m_0": 0.25, "m_1": 0.5})
    frame.to_csv(tmp_path / "f.csv", index=False)
    asked = [
        "score",
        str(tmp_path / "f.csv"),
        "--score",
        "m_0",
        "--score",
        "m_1",
        "--json",
        "--json-schema",
        "1",
    ]
    assert main([*asked, "--metrics", "brier_score"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["value"] for row in rows] == pytest.approx([(0.25**2 + 0.75**2) / 2, 0.25])


@pytest.mark.parametrize("command", SCORED)
def test_a_column_of_the_other_class_names_the_option(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = eight("f.csv", good=0.5, other=0.5, g=list("abababab"))
    asked = [command, path, "--target", "truth", "--score", "good", *SCORED[command]]
    assert main([*asked, "--positive", "bad"]) == 2
    err = capsys.readouterr().err
    assert "columns of --score are named ['good']" in err
    assert err.endswith("name its class with --positive.\n")


@pytest.mark.parametrize("command", ["score", "compare", "tally"])
@pytest.mark.parametrize(("scale", "shift"), [(100, 0), (8, -4)], ids=["per cent", "logits"])
def test_scores_that_are_no_probabilities(command, scale, shift, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    values = [scale * score + shift for _, score in EIGHT]
    path = eight("f.csv", s=values, other=values)
    page = ["--html", "page.html"] if command == "score" else []
    asked = [command, path, "--target", "truth", "--positive", "bad", *SCORED[command], *page]
    assert main([*asked, "--score", "s"]) == 0
    line = "are no probabilities, which lie between 0 and 1, in total 1: metrics of probabilities"
    assert line in capsys.readouterr().err
    assert not page or line in (tmp_path / "page.html").read_text("utf-8")
    for name, is_said in (("bad", command == "compare"), ("s", False)):
        assert main([*asked, "--score", name, "--metrics", "roc_auc"]) == 0
        assert line not in capsys.readouterr().err, is_said


# --------------------------------------------------------------------------- options given twice


@pytest.mark.parametrize(
    ("command", "twice"),
    [
        ("score", ("--target", "a", "--target", "b")),
        ("score", ("--target", "a", "--true", "b")),
        ("score", ("--positive", "a", "--positive", "b")),
        ("compare", ("--weight", "a", "--weight", "b")),
        ("threshold", ("--cost", "1", "2", "--cost", "2", "1")),
        ("threshold", ("--criterion", "f1", "--criterion", "recall")),
        ("slices", ("--metrics", "accuracy", "--metric", "recall")),
        ("tally", ("-o", "a.skx", "-o", "b.skx")),
        ("tally", ("--bins", "10", "--bins", "20")),
        ("cv", ("--seed", "1", "--seed", "2")),
        ("search", ("--metrics", "f1", "--metrics", "recall")),
        ("merge", ("--confidence", "0.9", "--confidence", "0.95")),
    ],
)
def test_an_option_of_one_value_is_given_once(command, twice, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([command, "f.csv", *twice]) == 2
    err = capsys.readouterr().err
    assert "given twice" in err
    assert "pass it once" in err
    assert "error: argument -" in err


def test_options_of_several_values_are_joined(tmp_path, capsys):
    path = eight(tmp_path / "f.csv", a=list("xyxyxyxy"), b=list("uuuuvvvv"))
    asked = [
        "score",
        path,
        "--target",
        "truth",
        "--score",
        "bad",
        "--positive",
        "bad",
        "--json",
        "--json-schema",
        "1",
    ]
    groups = []
    for by in (["--by", "a", "b"], ["--by", "a", "--by", "b"]):
        for metrics in (["roc_auc", "brier_score"], ["roc_auc", "--metrics", "brier_score"]):
            assert main([*asked, *by, "--metrics", *metrics]) == 0
            rows = json.loads(capsys.readouterr().out)
            groups.append([(row["group"], row["metric"], row["value"]) for row in rows])
    assert len({group for group, _, _ in groups[0]}) == 5
    assert len({metric for _, metric, _ in groups[0]}) == 2
    assert all(str(other) == str(groups[0]) for other in groups)


# --------------------------------------------------------------------------- layout of text files


def score(capsys, path, *more, columns=("truth", "bad"), positive="bad"):
    """The area of a file, and the lines on stderr."""
    status = main(["score", str(path), "--target", columns[0], "--score", columns[1], "--positive",
                   positive, "--metrics", "roc_auc", "--json", "--json-schema", "1", "--quiet",
                   *more])  # fmt: skip
    out, err = capsys.readouterr()
    return (json.loads(out)[0]["value"], err) if status == 0 else (status, err)


def lines_of(separator=",", header="truth,bad", row="{label},{score}"):
    rows = [row.format(n=n, label=label, score=p) for n, (label, p) in enumerate(EIGHT, start=1)]
    return [line.replace(",", separator) for line in ([header] if header else []) + rows]


def written(path, lines, end="\n"):
    path.write_bytes((end.join(lines) + end).encode())
    return path


LAYOUTS = {
    "sep": (["sep=;", *lines_of(";")], ()),
    "quoted sep": (['"sep=;"', *lines_of(";")], ()),
    "sep of a tab": (["sep=\t", *lines_of("\t")], ()),
    "sep and blank lines": (["", "SEP=;", "", *lines_of(";")], ()),
    "skipped": (["Report of May, 2024", "by A. Nother", *lines_of()], ("--skip-rows", "2")),
    "skipped and sep": (["Report", "sep=|", *lines_of("|")], ("--skip-rows", "1")),
    "row names": (lines_of("\t", row='"{n}",{label},{score}'), ()),
    "row names of text": (lines_of(row="Mazda {n},{label},{score}"), ()),
    "row names given apart": (lines_of(" ", row="{n},{label},{score}"), ("--sep", "space")),
    "blanks": ([line.replace(",", "  , ") for line in lines_of()], ("--sep", ",")),
}


@pytest.mark.sampled(2)
@STREAM
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("case", LAYOUTS)
def test_layouts_of_files(case, end, stream, tmp_path, capsys):
    lines, options = LAYOUTS[case]
    if case == "blanks":  # in values, not in names
        lines = ["truth,bad", *lines[1:]]
    value, err = score(capsys, written(tmp_path / "f.csv", lines, end), *options, *stream)
    assert value == pytest.approx(AREA), err
    if "row names" in case:
        assert "header is one name short: rows begin with a name, which is not read" in err


@pytest.mark.parametrize("case", LAYOUTS)
def test_a_wrong_value_has_its_line_in_every_layout(case, tmp_path, capsys):
    lines, options = LAYOUTS[case]
    lines = ["truth,bad", *lines[1:]] if case == "blanks" else lines
    lines = [*lines[:-1], lines[-1].replace("0.1", "x")]
    status, err = score(capsys, written(tmp_path / "f.csv", lines), *options)
    assert status == 2
    assert f"holds 'x' in line {len(lines)} of " in err
    assert "--missing TEXT names a mark of missing values" in err


def test_trailing_separators_are_no_row_names(tmp_path, capsys):
    path = written(tmp_path / "f.csv", lines_of(row="{label},{score},"))
    status, err = score(capsys, path)
    assert status == 2
    assert "cannot be read" in err


@STREAM
def test_no_header(stream, tmp_path, capsys):
    path = written(tmp_path / "f.csv", lines_of(header=""))
    value, _ = score(capsys, path, "--no-header", *stream, columns=("1", "2"))
    assert value == pytest.approx(AREA)


@pytest.mark.parametrize("command", ["score", "cv"])
def test_a_header_of_numbers_is_named(command, tmp_path, capsys):
    rows = [f"{5 + n % 7},{140 + n * n % 31},{(n * 37 % 100) / 100},{n % 2}" for n in range(60)]
    path = str(written(tmp_path / "f.csv", rows))
    what = {"score": ["--score", "140"], "cv": ["--models", "tree"]}[command]
    for header, options, n in ((True, [], 59), (False, ["--no-header"], 60)):
        target = "0" if header else "4"
        asked = what if header else [part.replace("140", "2") for part in what]
        assert main([command, path, "--target", target, *asked, *options, "--quiet"]) == 0
        out, err = capsys.readouterr()
        assert f"{n} rows" in out
        line = "the header holds numbers only (5, 140, 0.0, 0): if it is a row, pass --no-header"
        assert (line in err) == header


@STREAM
@pytest.mark.parametrize("mark", [".", "-", "?", "-99"])
def test_marks_of_missing_values(mark, stream, tmp_path, capsys):
    lines = [*lines_of(), f"bad,{mark}", "good,n.a."]
    path = written(tmp_path / "f.csv", lines)
    marks = (f"--missing={mark}", "--missing", "n.a.")
    value, err = score(capsys, path, *marks, "--drop-missing", *stream)
    assert value == pytest.approx(AREA)
    assert bool(stream) or "2 of 10 rows left out" in err
    status, err = score(capsys, path, *marks, *stream)
    assert (status, "missing value in line 10 of" in err) == (2, True)
    status, err = score(capsys, path, "--drop-missing", *stream)
    assert (status, "--missing TEXT" in err) == (2, True)


def test_marks_of_missing_values_are_no_levels_and_no_classes(tmp_path, capsys):
    rows = [f"{n % 2},{n * 7 % 50 if n % 6 else '.'},{'ab'[n % 3 % 2]}" for n in range(60)]
    path = str(written(tmp_path / "f.csv", ["target,x,g", *rows, ".,1,a"]))
    asked = ["cv", path, "--models", "tree", "--missing", ".", "--drop-missing", "--quiet"]
    assert main(asked) == 0
    out, err = capsys.readouterr()
    assert "60 rows" in out
    assert "x (10)" in err  # filled
    assert "encoded: g (2)" in err


@STREAM
def test_blanks_around_classes_are_removed(stream, tmp_path, capsys):
    said = ["bad" if p > 0.5 else "good" for _, p in EIGHT]
    rows = [f"{label}{' ' * (n % 3)},{name},{'  ' if n == 7 else 'u'}"
            for n, ((label, _), name) in enumerate(zip(EIGHT, said, strict=True))]  # fmt: skip
    path = str(written(tmp_path / "f.csv", ["truth,said,g", *rows]))
    asked = [
        "score",
        path,
        "--target",
        "truth",
        "--pred",
        "said",
        "--positive",
        "bad ",
        "--json",
        "--json-schema",
        "1",
    ]
    assert main([*asked, "--metrics", "accuracy", "--by", "g", "--quiet", *stream]) == 0
    out, err = capsys.readouterr()
    groups = {row["group"]: row["value"] for row in json.loads(out)}
    assert groups == pytest.approx({"all": 7 / 8, "u": 6 / 7, "missing": 1})
    assert "blanks around values are removed: g, truth" in err


def test_blanks_around_classes_are_removed_before_models_are_fitted(tmp_path, capsys):
    rows = [f"{' yes' if n % 2 else 'no'}{' ' * (n % 3 == 0)},{n * 7 % 50}" for n in range(60)]
    path = str(written(tmp_path / "f.csv", ["target,x", *rows]))
    assert main(["cv", path, "--models", "tree", "--positive", "yes", "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert "positive class: yes" in out
    assert "blanks around values are removed: target" in err
