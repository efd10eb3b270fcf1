"""Files and options as people have them: right, or refused in the words of the command line."""

import json

import pytest

from skmetrics_ext.cli import main

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
    given = ("--target", "truth", "--metrics", "roc_auc", "--json", "--quiet")
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
    asked = ["score", str(tmp_path / "f.csv"), "--score", "m_0", "--score", "m_1", "--json"]
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
    asked = ["score", path, "--target", "truth", "--score", "bad", "--positive", "bad", "--json"]
    groups = []
    for by in (["--by", "a", "b"], ["--by", "a", "--by", "b"]):
        for metrics in (["roc_auc", "brier_score"], ["roc_auc", "--metrics", "brier_score"]):
            assert main([*asked, *by, "--metrics", *metrics]) == 0
            rows = json.loads(capsys.readouterr().out)
            groups.append([(row["group"], row["metric"], row["value"]) for row in rows])
    assert len({group for group, _, _ in groups[0]}) == 5
    assert len({metric for _, metric, _ in groups[0]}) == 2
    assert all(str(other) == str(groups[0]) for other in groups)
