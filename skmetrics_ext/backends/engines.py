"""The engine for each kind of data set."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import util
from pathlib import Path
from typing import Any

from skmetrics_ext.backends import partitions
from skmetrics_ext.backends.files import BATCH, Files, open_files, require
from skmetrics_ext.backends.memory import MemoryEngine, RangeEngine
from skmetrics_ext.backends.partitions import Engine
from skmetrics_ext.backends.read_errors import Rows, check_columns, guarded_batches, placed, reading
from skmetrics_ext.merged.columns import ColumnNames
from skmetrics_ext.validation import InvalidParameterError, check_option

RESIDENT_BATCH = 1 << 22  # rows of a table in memory that are read at once
ENGINES = ("auto", "memory", "duckdb", "dask", "spark")


def open_engine(
    dataset: Any, names: ColumnNames, engine: str, memory_limit: int, by_ranges: bool = False
) -> Engine:
    """Open the engine that reads a data set; ``by_ranges`` if ranges of scores are enough."""
    check_option("engine", engine, ENGINES)
    library = type(dataset).__module__.partition(".")[0]
    kind = type(dataset).__name__
    if library in ("dask", "dask_expr") and hasattr(dataset, "columns"):
        _check_engine(engine, "dask", dataset)
        from skmetrics_ext.backends.dask import DaskEngine

        require("pandas", "A Dask DataFrame")
        check_columns(names, dataset.columns, "The Dask DataFrame")
        return DaskEngine(dataset, names, memory_limit)
    if library == "pyspark" and hasattr(dataset, "columns"):
        _check_engine(engine, "spark", dataset)
        require("pyarrow", "Spark's mapInArrow")
        from skmetrics_ext.backends.spark import SparkEngine

        check_columns(names, dataset.columns, "The Spark DataFrame", folded=True)
        return SparkEngine(dataset, names)
    if library in ("duckdb", "_duckdb") and kind == "DuckDBPyRelation":
        _check_engine(engine, "duckdb", dataset)
        require("pyarrow", "Reading DuckDB in batches")
        from skmetrics_ext.backends.duckdb import open_relation

        return open_relation(dataset, names)
    if engine in ("dask", "spark"):
        raise InvalidParameterError(
            f"engine={engine!r} needs a {engine.title()} DataFrame, got {library}.{kind}: convert "
            "the data set, so that you choose the partitions and the scheduler."
        )
    if isinstance(dataset, str | Path):
        dataset = open_files(str(dataset), names)
    if isinstance(dataset, Files):
        fits = dataset.n_stored * partitions.bytes_per_row(names) <= memory_limit
        is_held = dataset.held is not None
        are_held = dataset.n_stored * partitions.BYTES_HELD <= memory_limit
        if by_ranges and engine == "auto" and are_held and not fits:
            return RangeEngine(dataset.rows, names, memory_limit, resident=False)
        if is_held or (fits and engine == "auto") or not _prefers_duckdb(engine):
            return MemoryEngine(dataset.rows, names, memory_limit, resident=is_held or fits)
        require("duckdb", "engine='duckdb'")
        from skmetrics_ext.backends.duckdb import open_files_in_duckdb

        return open_files_in_duckdb(dataset, names, memory_limit)
    if (library == "pyarrow" and hasattr(dataset, "schema")) or kind == "LazyFrame":
        return _open_stream(dataset, kind, names, engine, memory_limit)
    if library in ("pandas", "polars") and hasattr(dataset, "columns"):
        check_columns(names, dataset.columns, "The data frame")
        if engine == "duckdb":
            return _open_in_duckdb(dataset, names, memory_limit)
        return MemoryEngine(_rows_in_memory(dataset), names, memory_limit, resident=True)
    raise InvalidParameterError(
        "dataset must be a path or glob of Parquet, CSV or JSON files, a pyarrow data set, table "
        "or reader, a pandas, polars, Dask or Spark DataFrame, or a DuckDB relation, got "
        f"{library}.{kind}."
    )


def _check_engine(engine: str, needed: str, dataset: Any) -> None:
    if engine not in ("auto", needed):
        raise InvalidParameterError(
            f"A {type(dataset).__name__} is read by engine={needed!r}, got {engine!r}."
        )
    require({"spark": "pyspark"}.get(needed, needed), f"engine={needed!r}")


def _prefers_duckdb(engine: str) -> bool:
    if engine == "auto":
        return util.find_spec("duckdb") is not None and util.find_spec("pyarrow") is not None
    return engine == "duckdb"


def _open_in_duckdb(dataset: Any, names: ColumnNames, memory_limit: int) -> Any:
    require("duckdb", "engine='duckdb'")
    require("pyarrow", "Reading DuckDB in batches")
    from skmetrics_ext.backends.duckdb import open_in_duckdb

    rows, what = None, "The data set"
    if type(dataset).__name__ == "RecordBatchReader":
        what = "The RecordBatchReader"
    elif hasattr(dataset, "to_batches") and not hasattr(dataset, "to_pandas"):
        rows = _scanned_rows(dataset)
    else:
        dataset = _arrow_table(_select(dataset, names.all))
        rows = _rows_in_memory(dataset)
    return open_in_duckdb(dataset, rows, what, names, memory_limit)


def _arrow_table(frame: Any) -> Any:
    import pyarrow

    with reading("The data frame"):
        if hasattr(frame, "iloc"):
            frame = pyarrow.Table.from_pandas(frame, preserve_index=False)
        table = frame.to_arrow() if hasattr(frame, "to_arrow") else frame
    for place, field in enumerate(table.schema):
        if isinstance(field.type, pyarrow.BaseExtensionType):  # DuckDB would read its storage
            raise InvalidParameterError(f"Column {field.name!r} holds {field.type}.")
        if field.type == pyarrow.float16():  # unknown to DuckDB
            wide = table.column(place).cast(pyarrow.float32())
            table = table.set_column(place, field.name, wide)
    return table


# --------------------------------------------------------------------------- arrow and lazy frames


def _open_stream(
    dataset: Any, kind: str, names: ColumnNames, engine: str, memory_limit: int
) -> Any:
    if kind == "RecordBatch":
        import pyarrow

        dataset, kind = pyarrow.Table.from_batches([dataset]), "Table"
    is_lazy = kind == "LazyFrame"
    with reading(f"The {kind}"):
        schema = dataset.collect_schema().names() if is_lazy else dataset.schema.names
    check_columns(names, schema, f"The {kind}")
    if kind == "Table" and engine != "duckdb":
        return MemoryEngine(_rows_in_memory(dataset), names, memory_limit, resident=True)
    if _prefers_duckdb(engine):
        reader = _reader_of_lazy(dataset, names) if is_lazy else dataset
        return _open_in_duckdb(reader, names, memory_limit)
    if is_lazy:
        return MemoryEngine(
            lambda _: placed(
                guarded_batches("The LazyFrame", lambda: _reader_of_lazy(dataset, names))
            ),
            names,
            memory_limit,
            resident=not hasattr(dataset, "collect_batches"),
        )
    if kind == "RecordBatchReader":
        table = _load_once(dataset, memory_limit)
        return MemoryEngine(_rows_in_memory(table), names, memory_limit, resident=True)
    return MemoryEngine(_scanned_rows(dataset), names, memory_limit, resident=False)


def _load_once(reader: Any, memory_limit: int) -> Any:
    """Load the rows of a reader, which can be read only once, if they fit into memory."""
    import pyarrow

    batches, size = [], 0
    for batch in guarded_batches("The RecordBatchReader", lambda: reader):
        batches.append(batch)
        size += batch.nbytes
        if size > memory_limit:
            raise InvalidParameterError(
                "A RecordBatchReader can be read only once, and its rows take more than "
                f"memory_limit, {memory_limit} bytes: install DuckDB, which keeps them on disk "
                "(pip install 'skmetrics-ext[duckdb]'), raise memory_limit, or pass a data set."
            )
    return pyarrow.Table.from_batches(batches, reader.schema)


def _reader_of_lazy(lazy: Any, names: ColumnNames) -> Any:
    """Arrow batches of a polars query, whose result may exceed memory."""
    require("pyarrow", "A polars LazyFrame")
    import pyarrow
    from polars import selectors

    wanted = lazy.select(selectors.by_name(names.all))  # text alone could be a pattern
    schema = wanted.clear().collect().to_arrow().schema

    def batches() -> Iterator[Any]:
        is_whole = not hasattr(wanted, "collect_batches")
        for frame in [wanted.collect()] if is_whole else wanted.collect_batches():
            yield from frame.to_arrow().cast(schema).to_batches()

    return pyarrow.RecordBatchReader.from_batches(schema, batches())


def _select(frame: Any, columns: tuple[str, ...]) -> Any:
    """Select columns of a pandas or polars frame, or of an Arrow table, by exact names."""
    is_arrow = hasattr(frame, "schema") and hasattr(frame, "combine_chunks")
    return frame.select(columns) if is_arrow else frame[list(columns)]  # polars: "*" selects all


def _rows_in_memory(dataset: Any) -> Rows:
    """Slices of a frame or table."""

    def batches(columns: tuple[str, ...]) -> Iterator[Any]:
        frame = _select(dataset, columns)
        for start in range(0, len(frame), RESIDENT_BATCH):
            if hasattr(frame, "iloc"):
                yield frame.iloc[start : start + RESIDENT_BATCH]
            else:
                part = frame.slice(start, RESIDENT_BATCH)
                yield part.combine_chunks() if hasattr(part, "combine_chunks") else part

    return lambda columns: placed(batches(columns))


def _scanned_rows(source: Any) -> Rows:
    """Batches of an Arrow data set."""

    def batches(columns: tuple[str, ...]) -> Any:
        return source.to_batches(columns=list(columns), batch_size=BATCH)

    return lambda columns: placed(guarded_batches("The data set", lambda: batches(columns)))
