"""Hostile and awkward files: the same answer from every engine, or an error of ours."""

import json
import os
import re

import numpy as np
import pandas as pd
import pytest

pa = pytest.importorskip("pyarrow")
from support.command_line import main  # noqa: E402
from support.frames import needs  # noqa: E402

from backends.hostile import FILES, OF_POSIX, OTHER_CASE, RIGHT, both, rows, table  # noqa: E402
from skmetrics_ext import PartitionError, accuracy_score, evaluate, roc_auc_score  # noqa: E402
from skmetrics_ext.validation import InvalidParameterError  # noqa: E402

ASKED = {"true": "y", "score": "s", "pred": "p", "metrics": ["roc_auc", "accuracy"]}
ARGUMENTS = [
    "--true",
    "y",
    "--score",
    "s",
    "--pred",
    "p",
    "--json",
    "--quiet",
    "--resamples",
    "100",
]


posix = pytest.mark.skipif(os.name != "posix", reason="Windows has no such file")
CASES = [pytest.param(case, marks=posix) if case in OF_POSIX else case for case in FILES]


def wanted(path):
    """What the functions say of the rows, which are read as text and by their exact names."""
    files = sorted(path.rglob("*.*")) if path.is_dir() else [path]
    frames = []
    for file in files:
        if file.suffix == ".csv":
            frames.append(pd.read_csv(file, dtype=str, encoding="utf-8-sig")[["y", "s", "p"]])
        else:
            content = pa.parquet.ParquetFile(file).read(columns=["y", "s", "p"])
            frames.append(content.to_pandas().astype(str))
    frame = pd.concat(frames)
    y, p = (frame[name].to_numpy(dtype=str) for name in "yp")
    labels = np.unique(y)
    area = roc_auc_score(y == labels[1], frame["s"].astype(float).to_numpy())
    return [area, accuracy_score(y, p)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("case", CASES)
def test_evaluate(tmp_path, case, engine):
    needs(engine)
    write, told = FILES[case]
    path = write(tmp_path)
    if told is RIGHT:
        positive = {"pos_label": "7"} if case == "leading zeros" else {}
        found = evaluate(path, engine=engine, **ASKED, **positive)
        assert [row.value for row in found] == wanted(path)
        return
    with pytest.raises(InvalidParameterError, match=re.compile(told)) as raised:
        evaluate(path, engine=engine, **ASKED)
    assert str(raised.value).isprintable()


@pytest.mark.sampled(6)
@pytest.mark.parametrize("stream", [[], ["--stream"]])
@pytest.mark.parametrize("case", CASES)
def test_command_line(tmp_path, capsys, case, stream):
    write, told = FILES[case]
    path = write(tmp_path)
    if path.is_dir() and not stream:
        stream = ["--stream"]
    positive = ["--positive", "7"] if case == "leading zeros" else []
    status = main(["score", str(path), *ARGUMENTS, *positive, *stream])
    out, err = capsys.readouterr()
    if told is RIGHT:
        assert status == 0, err
        found = {row["metric"]: row["value"] for row in json.loads(out)["rows"]}
        values = [found["roc_auc"], found["accuracy"]]
        np.testing.assert_allclose(values, wanted(path), rtol=1e-12)
        return
    assert status == 2
    assert re.search(told, err)
    assert err.rstrip("\n").isprintable()


READ_BY_DASK = [name for name, (_, told) in FILES.items() if told is not RIGHT]


@pytest.mark.parametrize("case", READ_BY_DASK)
def test_dask(tmp_path, case):
    """Dask reads the files itself, once it was asked for rows: what it meets there is told."""
    dd = pytest.importorskip("dask.dataframe")
    import dask

    path = FILES[case][0](tmp_path)
    files = sorted(path.glob("*.*")) if path.is_dir() else [path]

    def read(file):
        return (pd.read_csv if file.suffix == ".csv" else pd.read_parquet)(file)

    dataset = dd.from_delayed([dask.delayed(read)(file) for file in files], meta=rows()[:0])
    refused = pytest.raises((InvalidParameterError, PartitionError))
    with dask.config.set(scheduler="synchronous"), refused:
        evaluate(dataset, **ASKED)


# --------------------------------------------------------------------------- data sets in memory


def data_sets():
    """Ways to hand over a frame, each with the engines that read it."""
    import polars as pl
    from pyarrow import dataset

    def relation(frame):
        import duckdb

        return duckdb.connect().from_arrow(pa.Table.from_pandas(frame))

    def lazy(frame):
        import dask.dataframe as dd

        return dd.from_pandas(frame, npartitions=2)

    arrow = pa.Table.from_pandas
    return {
        "pandas": (lambda frame: frame, ("memory", "duckdb")),
        "polars": (pl.from_pandas, ("memory", "duckdb")),
        "lazy": (lambda frame: pl.from_pandas(frame).lazy(), ("memory", "duckdb")),
        "table": (arrow, ("memory", "duckdb")),
        "batch": (lambda frame: arrow(frame).to_batches()[0], ("memory", "duckdb")),
        "reader": (lambda frame: arrow(frame).to_reader(), ("memory", "duckdb")),
        "data set": (lambda frame: dataset.dataset(arrow(frame)), ("memory", "duckdb")),
        "dask": (lazy, ("dask",)),
        "relation": (relation, ("duckdb",)),
    }


PAIRS = [
    (kind, engine)
    for kind in ("pandas", "polars", "lazy", "table", "batch", "reader", "data set")
    for engine in ("memory", "duckdb")
] + [("dask", "dask")]


@pytest.mark.parametrize(("kind", "engine"), PAIRS)
def test_names_that_differ_in_case(kind, engine):
    needs(engine)
    pytest.importorskip("polars")
    found = evaluate(data_sets()[kind][0](OTHER_CASE), engine=engine, **ASKED)
    plain = evaluate(rows(), engine="memory", **ASKED)
    assert [row.value for row in found] == [row.value for row in plain]


def test_a_relation_whose_names_differ_in_case():
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.connect().sql("SELECT 1 AS y, 0 AS Y, 0.5 AS s, 1 AS p")
    with pytest.raises(InvalidParameterError, match="2 columns named 'Y' and 'y', which this eng"):
        evaluate(relation, **ASKED)


@pytest.mark.parametrize("kind", ["pandas", "table", "reader", "dask"])
def test_two_columns_of_one_name(kind):
    needs("duckdb" if kind != "dask" else "dask")
    twice = pd.concat([rows(), -rows()[["s"]]], axis=1)
    if kind in ("pandas", "dask"):
        dataset = data_sets()[kind][0](twice)
    else:
        content = pa.Table.from_arrays(list(map(pa.array, twice.to_numpy().T)), names=[*"ysps"])
        dataset = content if kind == "table" else content.to_reader()
    with pytest.raises(InvalidParameterError, match="has 2 columns named 's'"):
        evaluate(dataset, **ASKED)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(
    "broken",
    [
        lambda f: f.assign(y=f.y.astype(object).where(f.index != 70, "bad")),
        lambda f: f.assign(s=f.s.astype(object).where(f.index != 70, "bad")),
        lambda f: f.assign(s=f.s.astype(complex)),
        lambda f: f.assign(s=pd.period_range("2000", periods=len(f), freq="D")),
        lambda f: f.assign(s=2**60 + f.y),
    ],
)
def test_frames_of_no_numbers(engine, broken):
    needs(engine)
    with pytest.raises(InvalidParameterError):
        evaluate(broken(rows()), engine=engine, **ASKED)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_queries_that_fail_while_they_are_read(tmp_path, engine):
    pl = pytest.importorskip("polars")
    needs(engine)
    from pyarrow import dataset

    frame = pl.from_pandas(rows().assign(y=[*["0"] * 89, "bad"]))
    folder = both(rows().assign(s=1), rows(), table)(tmp_path)
    for given in (
        pl.scan_parquet(tmp_path / "nothing.parquet"),
        frame.lazy().with_columns(pl.col("y").cast(pl.Int64)),
        dataset.dataset(folder),  # Arrow would press floats into integers
    ):
        with pytest.raises(InvalidParameterError, match="cannot be read"):
            evaluate(given, engine=engine, **ASKED)


def test_relations_that_fail_while_they_are_read():
    duckdb = pytest.importorskip("duckdb")
    sql = "SELECT 1 AS y, 1 AS p, CAST('x' || range AS DOUBLE) AS s FROM range(10)"
    with pytest.raises(InvalidParameterError, match="The DuckDB relation cannot be read"):
        evaluate(duckdb.connect().sql(sql), **ASKED)


@pytest.mark.parametrize("name", ["true", "score", "pred", "weight", "by"])
@pytest.mark.parametrize("value", [3, ["y", 3], b"y"])
def test_names_are_text(name, value):
    if name == "score" and value == b"y":
        value = [b"y"]
    with pytest.raises(InvalidParameterError, match=rf"^{name} must be the name of a column"):
        evaluate(rows(), **{**ASKED, name: value})


@pytest.mark.parametrize("on_disk", [True, False])
def test_our_connections_load_no_extensions(on_disk):
    pytest.importorskip("duckdb")
    from skmetrics_ext.backends.duckdb import connect

    connection, close = connect(1 << 30, on_disk=on_disk)
    names = ("autoinstall_known_extensions", "autoload_known_extensions")
    asked = ", ".join(f"current_setting('{name}')" for name in names)
    try:
        assert connection.sql(f"SELECT {asked}").fetchall() == [(False, False)]
    finally:
        close()


# --------------------------------------------------------------------------- types of CSV columns


@pytest.mark.parametrize(
    ("true", "pred", "classes"),
    [
        (["0", "1"], ["1", "1"], [0, 1]),
        (["0", "1.0"], ["1", "1"], [0, 1]),
        (["007", "7"], ["7", "8"], ["007", "7", "8"]),
        (["7", "8"], ["8", "007"], ["007", "7", "8"]),
        (["true", "False"], ["True", "true"], [False, True]),
        (["-1", "+1"], ["1", "1"], [-1, 1]),
        (["12345678901234567890", "1"], ["1", "1"], ["1", "12345678901234567890"]),
        (["no", "yes"], ["no", "True"], ["True", "no", "yes"]),
        (["1", "1e0"], ["2", "2"], [1, 2]),
    ],
)
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_labels_of_csv_files(tmp_path, engine, true, pred, classes):
    needs(engine)
    from skmetrics_ext.backends.engines import open_engine
    from skmetrics_ext.merged.columns import ColumnNames

    path = tmp_path / "a.csv"
    pd.DataFrame({"y": true, "p": pred}).to_csv(path, index=False)
    opened = open_engine(path, ColumnNames("y", pred="p"), engine, 1 << 30)
    try:
        assert opened.survey(False).sums.tables[None].classes.tolist() == classes
    finally:
        opened.close()


@pytest.mark.parametrize("word", ["", "NA", "nan", "None", "null"])
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_words_for_missing_values(tmp_path, engine, word):
    needs(engine)
    path = tmp_path / "a.csv"
    path.write_text(f'y,p\nill,ill\n"{word}",ill\n')
    with pytest.raises(InvalidParameterError, match="'y' has a missing value in line 3 of"):
        evaluate(path, true="y", pred="p", metrics=["accuracy"], engine=engine)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_scores_of_csv_files_are_not_guessed_from_the_first(tmp_path, engine):
    needs(engine)
    frame = pd.concat([rows()] * 2000, ignore_index=True)
    frame["s"] = (frame["s"] > 0.5).astype(int).astype(object)
    frame.loc[170_000, "s"] = 0.25
    path = tmp_path / "a.csv"
    frame.to_csv(path, index=False)
    found = evaluate(path, engine=engine, **ASKED)
    assert found.value("roc_auc") == roc_auc_score(frame["y"], frame["s"].astype(float))
