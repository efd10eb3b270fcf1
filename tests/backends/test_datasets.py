"""Every kind of data set is read, by the engine that fits it."""

from types import SimpleNamespace

import numpy as np
import pytest
from support.frames import binary_frame, needs, small_batches

from skmetrics_ext import evaluate, f1_score, log_loss, roc_auc_score

pytestmark = pytest.mark.usefixtures(small_batches.__name__)
__all__ = ["small_batches"]

ASKED = {"true": "true", "score": "score", "pred": "pred", "metrics": ["roc_auc", "f1", "log_loss"]}


@pytest.fixture(scope="module")
def frame():
    return binary_frame(400, text=False)


def check(frame, dataset, used, **options):
    needs(used)
    found = evaluate(dataset, **ASKED, **options)
    assert found.engine == used
    assert found.value("roc_auc") == roc_auc_score(frame["true"], frame["score"])
    assert found.value("f1") == f1_score(frame["true"], frame["pred"])
    value = log_loss(frame["true"], frame["score"])
    np.testing.assert_allclose(found.value("log_loss"), value, rtol=1e-12)


def halves(frame, folder, suffix):
    write = {"parquet": "to_parquet", "csv": "to_csv"}[suffix]
    (folder / "deep").mkdir()
    getattr(frame[:150], write)(folder / f"a.{suffix}", index=False)
    getattr(frame[150:], write)(folder / "deep" / f"b.{suffix}", index=False)


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize("engine", ["auto", "duckdb", "memory"])
def test_files(frame, tmp_path, suffix, engine):
    halves(frame, tmp_path, suffix)
    in_memory = engine == "memory" or (engine == "auto" and suffix == "parquet")
    used = "memory" if in_memory else "duckdb"
    check(frame, str(tmp_path), used, engine=engine)
    check(frame, tmp_path, used, engine=engine)
    check(frame, str(tmp_path / "**" / f"*.{suffix}"), used, engine=engine)
    check(frame[:150], str(tmp_path / f"a.{suffix}"), used, engine=engine)


@pytest.mark.parametrize("engine", ["auto", "duckdb", "memory"])
def test_arrow(frame, tmp_path, engine):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import dataset as ds

    halves(frame, tmp_path, "parquet")
    table = pa.Table.from_pandas(frame)
    streamed = "memory" if engine == "memory" else "duckdb"
    check(frame, table, "duckdb" if engine == "duckdb" else "memory", engine=engine)
    check(frame, ds.dataset(tmp_path), streamed, engine=engine)
    check(frame, table.to_reader(max_chunksize=70), streamed, engine=engine)


@pytest.mark.parametrize("engine", ["auto", "duckdb"])
def test_pandas_and_polars(frame, engine):
    pl = pytest.importorskip("polars")
    eager = pl.from_pandas(frame)
    resident = "duckdb" if engine == "duckdb" else "memory"
    check(frame, frame, resident, engine=engine)
    check(frame, eager, resident, engine=engine)
    check(frame, eager.lazy(), "duckdb", engine=engine)


def test_lazy_frames_and_readers_without_an_engine_keep_the_limit(frame):
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    check(frame, pl.from_pandas(frame).lazy(), "memory", engine="memory")
    asked = {**ASKED, "engine": "memory", "memory_limit": 3000}
    with pytest.raises(ValueError, match="more than 15 distinct scores, which is what memory_l"):
        evaluate(pl.from_pandas(frame).lazy(), **asked)
    reader = pa.Table.from_pandas(frame).to_reader(max_chunksize=70)
    with pytest.raises(ValueError, match=r"can be read only once.*memory_limit, 3000 bytes"):
        evaluate(reader, **asked)


def test_an_index_of_a_frame_says_nothing(frame):
    check(frame, frame.set_index(np.arange(len(frame))[::-1]), "memory")


def test_a_relation_of_the_users_connection(frame):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("rows", frame)
    check(frame, connection.sql("SELECT * FROM rows WHERE true >= 0"), "duckdb")
    assert connection.sql("SELECT count(*) FROM rows").fetchall() == [(len(frame),)]


def test_an_invalid_row_of_a_relation_is_named(frame):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("rows", frame.assign(score=frame["score"].where(frame.index != 2, np.inf)))
    with pytest.raises(ValueError, match="'score' holds inf in row 2"):
        evaluate(connection.sql("SELECT * FROM rows"), **ASKED)


@pytest.mark.parametrize("kind", ["category", "string[pyarrow]", "object", "str"])
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_containers_of_text(kind, engine):
    needs(engine)
    frame = binary_frame(200, text=True)
    for name in ("true", "pred"):
        frame[name] = frame[name].astype(kind)
    found = evaluate(
        frame, true="true", pred="pred", metrics=["f1"], pos_label="well", engine=engine
    )
    truth, decided = (list(map(str, frame[name])) for name in ("true", "pred"))
    assert found.value("f1") == f1_score(truth, decided, pos_label="well")


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_small_floats_clip_as_the_functions_do(engine):
    needs(engine)
    frame = binary_frame(100)
    frame["score"] = frame["score"].astype(np.float32)
    frame.loc[:9, "score"] = np.float32(0)
    found = evaluate(frame, true="true", score="score", metrics=["log_loss"], engine=engine)
    value = log_loss(frame["true"], frame["score"])
    np.testing.assert_allclose(found.value("log_loss"), value, rtol=1e-12)


def test_names_that_need_quotes(frame):
    needs("duckdb")
    odd = frame.rename(columns={"true": 'the "true" one', "score": "a score", "group": "of; it"})
    found = evaluate(
        odd,
        true='the "true" one',
        score="a score",
        by="of; it",
        metrics=["roc_auc"],
        engine="duckdb",
    )
    assert [row.group for row in found] == ["a", "b b", "c'c"]
    for row in found:
        rows = frame[frame["group"] == row.group]
        assert row.value == roc_auc_score(rows["true"], rows["score"])


# DuckDB reads classes, losses and sorted scores in three passes.
@pytest.mark.parametrize(("engine", "n_passes"), [("memory", 2), ("duckdb", 3)])
def test_progress_counts_rows(frame, tmp_path, engine, n_passes):
    needs(engine)
    frame.to_parquet(tmp_path / "rows.parquet")
    reports = []

    def report(done, total):
        reports.append((done, total))

    evaluate(tmp_path / "rows.parquet", **ASKED, engine=engine, progress=report)
    assert reports[-1] == (400 * n_passes, 400 * n_passes)
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)


def test_results_as_a_table(frame):
    found = evaluate(frame, **ASKED, intervals=True, by="group")
    table = found.frame()
    assert list(table.columns[:4]) == ["group", "metric", "model", "fold"]
    assert len(table) == len(found) == len(found.rows) == 9
    head, _, first, *_ = str(found).splitlines()
    assert head.split("  ")[0] == "group"
    assert first.split()[:3] == ["a", "roc_auc", f"{found.value('roc_auc', 'a'):.4f}"]
    assert (found.rows[0].group, found.rows[0]["metric"]) == ("a", "roc_auc")
    with pytest.raises(KeyError, match="No row of metric='gini'"):
        found.value("gini")


def test_an_interrupt_during_a_query_is_one(frame, monkeypatch):
    """DuckDB turns Ctrl-C into an error of its own, which is no error of the data."""
    needs("duckdb")

    def interrupted(_):
        raise RuntimeError("Query interrupted")

    nothing = lambda *_: None  # noqa: E731
    con = SimpleNamespace(register=nothing, execute=nothing, sql=interrupted)
    monkeypatch.setattr("skmetrics_ext.backends.duckdb.connect", lambda *_, **__: (con, nothing))
    with pytest.raises(KeyboardInterrupt):
        evaluate(frame, engine="duckdb", **ASKED)
