"""Positions of missing values as people see them, and missing values in columns of groups."""

import json

import numpy as np
import pytest
from support.command_line import main

from skmetrics_ext import evaluate, roc_auc_score

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
RNG = np.random.default_rng(9)
N = 60
ILL = np.arange(N) % 3 == 0
STREAM = pytest.mark.parametrize("stream", [(), ("--stream",)], ids=["memory", "stream"])


@pytest.fixture(scope="module")
def frame():
    p = np.clip(RNG.normal(0.35 + 0.3 * ILL, 0.2), 0.01, 0.99)
    return pandas.DataFrame({"target": ILL.astype(int), "p": p, "x": RNG.normal(size=N)})


def saved(frame, path):
    frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize("command", ["score", "cv"])
@STREAM
@pytest.mark.parametrize(("name", "where"), [("a.csv", "line 9"), ("a.parquet", "row 8")])
def test_positions_are_counted_as_people_do(command, stream, name, where, frame, tmp_path, capsys):
    path = saved(frame.assign(target=frame.target.where(frame.index != 7)), tmp_path / name)
    options = {"score": ("--score", "p", *stream), "cv": ("--models", "tree")}[command]
    assert main([command, path, *options, "--quiet"]) == 2
    assert f"in {where}" in capsys.readouterr().err


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_lines_count_blank_lines_and_values_over_several_lines(engine, tmp_path):
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    path = tmp_path / "a.csv"
    path.write_text('target,p,note\n\n0,0.1,"one\ntwo"\n1,0.9,"a\n\nb"\n\n\n1,,c\n0,0.3,d\n')
    with pytest.raises(ValueError, match=r"'p' has a missing value in line 10 of .*a\.csv"):
        evaluate(path, true="target", score="p", engine=engine)
    path.write_text('target,p,note\n0,0.1,"one\ntwo"\n1,word,"a\n\nb"\n')
    with pytest.raises(ValueError, match="'p' holds 'word' in line 4 of"):
        evaluate(path, true="target", score="p", engine=engine)


@STREAM
@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
@pytest.mark.parametrize(
    ("values", "groups"),
    [
        (np.array(["a", "b", None], dtype=object), ["all", "a", "b", "missing"]),
        (np.array([1.0, 2.0, np.nan]), ["all", "1", "2", "missing"]),
        (np.array([1.0, 2.0, 3.0]), ["all", "1", "2", "3"]),
    ],
)
def test_missing_values_of_by_form_a_group(stream, name, values, groups, frame, tmp_path, capsys):
    site = values[RNG.integers(0, 3, N)]
    table = frame.assign(site=site)
    if values.dtype.kind == "f":
        table["site"] = table["site"].astype("Int64")
    path = saved(table, tmp_path / name)
    asked = ("--score", "p", "--metrics", "roc_auc", "--by", "site", "--resamples", "100")
    assert main(["score", path, *asked, *stream, "--json", "--json-schema", "1", "--quiet"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["group"] for row in rows] == groups
    is_missing = pandas.isna(site)
    if is_missing.any():
        area = roc_auc_score(frame.target[is_missing], frame.p[is_missing])
        assert rows[-1]["value"] == pytest.approx(area)
        assert rows[-1]["n_rows"] == is_missing.sum()
    assert rows[0]["n_rows"] == N
    assert (
        main(
            [
                "score",
                path,
                *asked,
                *stream,
                "--json",
                "--json-schema",
                "1",
                "--quiet",
                "--drop-missing",
            ]
        )
        == 0
    )
    rows = json.loads(capsys.readouterr().out)
    assert "missing" not in [row["group"] for row in rows]
    assert rows[0]["n_rows"] == N - is_missing.sum()


def test_missing_values_of_by_form_a_group_of_models(frame, tmp_path, capsys):
    site = np.array(["a", "b", None], dtype=object)[np.arange(N) % 3]
    path = saved(frame.assign(site=site[RNG.permutation(N)]), tmp_path / "a.csv")
    asked = ("cv", path, "--features", "x", "--models", "tree", "--by", "site", "--folds", "2")
    common = ("--metrics", "accuracy", "--quiet")
    assert main([*asked, *common]) == 0
    out = capsys.readouterr().out
    assert "by site" in out
    assert "missing" in out
    assert main([*asked, *common, "--drop-missing"]) == 0
    out, err = capsys.readouterr()
    assert "missing" not in out
    assert "rows left out" in err


def test_a_positive_class_is_written_as_in_the_file(tmp_path, capsys):
    """Integers of a column with gaps are read as floats."""
    path = tmp_path / "gaps.csv"
    path.write_text("y,p\n" + "1,0.9\n0,0.2\n,0.5\n1,0.4\n0,0.6\n" * 4, encoding="utf-8")
    options = ["--target", "y", "--score", "p", "--positive", "1", "--drop-missing"]
    assert main(["score", str(path), *options]) == 0
    assert "0.75" in capsys.readouterr().out
