"""Which engine reads a data set, and how it is opened."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import util
from pathlib import Path
from typing import Any

from skmetrics_ext.backends.files import _BATCH, Files, open_files, require
from skmetrics_ext.backends.memory import MemoryEngine
from skmetrics_ext.backends.reading import Rows, check_columns, each, placed, reading
from skmetrics_ext.merged.columns import Names
from skmetrics_ext.validation import InvalidParameterError, check_option

ENGINES = ("auto", "memory", "duckdb", "dask", "spark")


def open_engine(dataset: Any, names: Names, engine: str, memory_limit: int) -> Any:
    """The engine that reads a data set."""
    check_option("engine", engine, ENGINES)
    maker = type(dataset).__module__.partition(".")[0]
    kind = type(dataset).__name__
    if maker in ("dask", "dask_expr") and hasattr(dataset, "columns"):
        _only(engine, "dask", dataset)
        from skmetrics_ext.backends.dask import DaskEngine

        require("pandas", "A Dask DataFrame")
        check_columns(names, dataset.columns, "The Dask DataFrame")
        return DaskEngine(dataset, names)
    if maker == "pyspark" and hasattr(dataset, "columns"):
        _only(engine, "spark", dataset)
        require("pyarrow", "Spark's mapInArrow")
        from skmetrics_ext.backends.spark import SparkEngine

        check_columns(names, dataset.columns, "The Spark DataFrame", folded=True)
        return SparkEngine(dataset, names)
    if maker in ("duckdb", "_duckdb") and kind == "DuckDBPyRelation":
        _only(engine, "duckdb", dataset)
        require("pyarrow", "Reading DuckDB in batches")
        from skmetrics_ext.backends.duckdb_sources import of_relation

        return of_relation(dataset, names)
    if engine in ("dask", "spark"):
        raise InvalidParameterError(
            f"engine={engine!r} needs a {engine.title()} DataFrame, got {maker}.{kind}: make one "
            "of it, so that its partitions and scheduler are yours."
        )
    if isinstance(dataset, str | Path):
        dataset = open_files(str(dataset), names)
    if isinstance(dataset, Files):
        return _of_files(dataset, names, engine, memory_limit)
    if (maker == "pyarrow" and hasattr(dataset, "schema")) or kind == "LazyFrame":
        return _of_stream(dataset, kind, names, engine, memory_limit)
    if maker in ("pandas", "polars") and hasattr(dataset, "columns"):
        check_columns(names, dataset.columns, "The data frame")
        if engine == "duckdb":
            return _duckdb(dataset, names, memory_limit)
        return _resident(dataset, names)
    raise InvalidParameterError(
        "dataset must be a path or glob of Parquet or CSV files, a pyarrow data set, table or "
        "reader, a pandas, polars, Dask or Spark DataFrame, or a DuckDB relation, got "
        f"{maker}.{kind}."
    )


def _only(engine: str, own: str, dataset: Any) -> None:
    if engine not in ("auto", own):
        raise InvalidParameterError(
            f"A {type(dataset).__name__} is read by engine={own!r}, got {engine!r}."
        )
    require({"spark": "pyspark"}.get(own, own), f"engine={own!r}")


def _duckdb(dataset: Any, names: Names, memory_limit: int) -> Any:
    require("duckdb", "engine='duckdb'")
    require("pyarrow", "Reading DuckDB in batches")
    from skmetrics_ext.backends.duckdb_sources import of_reader, of_table

    if type(dataset).__name__ == "RecordBatchReader":
        return of_reader(dataset, names, memory_limit)
    if hasattr(dataset, "to_batches") and not hasattr(dataset, "to_pandas"):
        return of_table(dataset, dataset.schema.names, _scanned(dataset), names, memory_limit)
    table = _arrow_table(_columns_of(dataset, names.all))
    return of_table(table, names.all, rows_of(table), names, memory_limit)


def _arrow_table(frame: Any) -> Any:
    import pyarrow

    with reading("The data frame"):
        if hasattr(frame, "iloc"):
            frame = pyarrow.Table.from_pandas(frame, preserve_index=False)
        table = frame.to_arrow() if hasattr(frame, "to_arrow") else frame
    for place, field in enumerate(table.schema):
        if isinstance(field.type, pyarrow.BaseExtensionType):  # DuckDB would read what is below
            raise InvalidParameterError(f"Column {field.name!r} holds {field.type}.")
        if field.type == pyarrow.float16():  # unknown to DuckDB
            wide = table.column(place).cast(pyarrow.float32())
            table = table.set_column(place, field.name, wide)
    return table


def _prefers_duckdb(engine: str) -> bool:
    if engine == "auto":
        return util.find_spec("duckdb") is not None and util.find_spec("pyarrow") is not None
    return engine == "duckdb"


# --------------------------------------------------------------------------- files


def _of_files(files: Files, names: Names, engine: str, memory_limit: int) -> Any:
    if files.held is not None:
        return MemoryEngine(files.rows, names, resident=True)
    if _prefers_duckdb(engine):
        require("duckdb", "engine='duckdb'")
        from skmetrics_ext.backends.duckdb_sources import of_files

        return of_files(files, names, memory_limit)
    return MemoryEngine(files.rows, names, resident=False)


# --------------------------------------------------------------------------- arrow and lazy frames


def _of_stream(dataset: Any, kind: str, names: Names, engine: str, memory_limit: int) -> Any:
    if kind == "RecordBatch":
        import pyarrow

        dataset, kind = pyarrow.Table.from_batches([dataset]), "Table"
    is_lazy = kind == "LazyFrame"
    with reading(f"The {kind}"):
        schema = dataset.collect_schema().names() if is_lazy else dataset.schema.names
    check_columns(names, schema, f"The {kind}")
    if kind == "Table" and engine != "duckdb":
        return _resident(dataset, names)
    if _prefers_duckdb(engine):
        if is_lazy:
            dataset = _reader_of(dataset, names)
        return _duckdb(dataset, names, memory_limit)
    if is_lazy:
        return MemoryEngine(
            lambda _: placed(each("The LazyFrame", lambda: _reader_of(dataset, names))),
            names,
            resident=not hasattr(dataset, "collect_batches"),
        )
    if kind == "RecordBatchReader":
        return _resident(_held(dataset, memory_limit), names)
    return _streamed(dataset, names)


def _held(reader: Any, memory_limit: int) -> Any:
    """All rows of what can be read once only, as long as they fit."""
    import pyarrow

    batches, size = [], 0
    for batch in each("The RecordBatchReader", lambda: reader):
        batches.append(batch)
        size += batch.nbytes
        if size > memory_limit:
            raise InvalidParameterError(
                "A RecordBatchReader can be read once only, and its rows take more than "
                f"memory_limit, {memory_limit} bytes: install DuckDB, which keeps them on disk "
                "(pip install 'skmetrics-ext[duckdb]'), raise memory_limit, or pass a data set."
            )
    return pyarrow.Table.from_batches(batches, reader.schema)


def _reader_of(lazy: Any, names: Names) -> Any:
    """A polars query as Arrow batches, so that its result need not fit in memory."""
    require("pyarrow", "A polars LazyFrame")
    import pyarrow
    from polars import selectors

    wanted = lazy.select(selectors.by_name(names.all))  # text alone could be a pattern
    schema = wanted.clear().collect().to_arrow().schema

    def batches() -> Iterator[Any]:
        whole = not hasattr(wanted, "collect_batches")
        for frame in [wanted.collect()] if whole else wanted.collect_batches():
            yield from frame.to_arrow().cast(schema).to_batches()

    return pyarrow.RecordBatchReader.from_batches(schema, batches())


def _columns_of(frame: Any, columns: tuple[str, ...]) -> Any:
    """Columns of a pandas or polars frame, or of an Arrow table, by their exact names."""
    is_arrow = hasattr(frame, "schema") and hasattr(frame, "combine_chunks")
    return frame.select(columns) if is_arrow else frame[list(columns)]  # polars: "*" selects all


def rows_of(dataset: Any) -> Rows:
    """Rows that are in memory, one slice after the other."""

    def batches(columns: tuple[str, ...]) -> Iterator[Any]:
        frame = _columns_of(dataset, columns)
        size = len(frame)
        for start in range(0, size, _BATCH):
            if hasattr(frame, "iloc"):
                yield frame.iloc[start : start + _BATCH]
            else:
                part = frame.slice(start, _BATCH)
                yield part.combine_chunks() if hasattr(part, "combine_chunks") else part

    return lambda columns: placed(batches(columns))


def _resident(dataset: Any, names: Names) -> MemoryEngine:
    return MemoryEngine(rows_of(dataset), names, resident=True)


def _scanned(source: Any) -> Rows:
    """The rows of Arrow's data sets."""

    def batches(columns: tuple[str, ...]) -> Any:
        return source.to_batches(columns=list(columns), batch_size=_BATCH)

    return lambda columns: placed(each("The data set", lambda: batches(columns)))


def _streamed(source: Any, names: Names) -> MemoryEngine:
    return MemoryEngine(_scanned(source), names, resident=False)
