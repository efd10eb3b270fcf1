"""Which engine reads a data set, how it is opened, and the engine that is always there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import util
from itertools import chain
from pathlib import Path
from typing import Any

from skmetrics_ext.backends.files import BATCH, Files, open_files, require
from skmetrics_ext.backends.partitions import (
    PartitionEngine,
    Task,
    combined,
    n_rows_of,
    partition_errors,
)
from skmetrics_ext.backends.read_errors import Rows, check_columns, guarded_batches, placed, reading
from skmetrics_ext.merged.columns import ColumnNames, RowLocation, read_part, rows_by_group
from skmetrics_ext.merged.ranges import (
    RangeReading,
    RankStack,
    distinct_beyond,
    read_columns,
    tallies_of,
)
from skmetrics_ext.merged.sums import Sums
from skmetrics_ext.validation import InvalidParameterError, check_option

TOO_MANY = (
    "There are more than {most} distinct scores, which is what memory_limit allows to hold: "
    "install DuckDB, which sorts on disk (pip install 'skmetrics-ext[duckdb]'), raise "
    "memory_limit, or pass approximate=True."
)
ENGINES = ("auto", "memory", "duckdb", "dask", "spark")


def open_engine(dataset: Any, names: ColumnNames, engine: str, memory_limit: int) -> Any:
    """Open the engine that reads a data set."""
    check_option("engine", engine, ENGINES)
    library = type(dataset).__module__.partition(".")[0]
    kind = type(dataset).__name__
    if library in ("dask", "dask_expr") and hasattr(dataset, "columns"):
        _check_engine(engine, "dask", dataset)
        from skmetrics_ext.backends.dask import DaskEngine

        require("pandas", "A Dask DataFrame")
        check_columns(names, dataset.columns, "The Dask DataFrame")
        return DaskEngine(dataset, names)
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
            f"engine={engine!r} needs a {engine.title()} DataFrame, got {library}.{kind}: make one "
            "of it, so that its partitions and scheduler are yours."
        )
    if isinstance(dataset, str | Path):
        dataset = open_files(str(dataset), names)
    if isinstance(dataset, Files):
        is_held = dataset.held is not None
        if is_held or not _prefers_duckdb(engine):
            return MemoryEngine(dataset.rows, names, resident=is_held)
        require("duckdb", "engine='duckdb'")
        from skmetrics_ext.backends.duckdb import open_files_in_duckdb

        return open_files_in_duckdb(dataset, names, memory_limit)
    if (library == "pyarrow" and hasattr(dataset, "schema")) or kind == "LazyFrame":
        return _open_stream(dataset, kind, names, engine, memory_limit)
    if library in ("pandas", "polars") and hasattr(dataset, "columns"):
        check_columns(names, dataset.columns, "The data frame")
        if engine == "duckdb":
            return _open_in_duckdb(dataset, names, memory_limit)
        return MemoryEngine(_rows_in_memory(dataset), names, resident=True)
    raise InvalidParameterError(
        "dataset must be a path or glob of Parquet or CSV files, a pyarrow data set, table or "
        "reader, a pandas, polars, Dask or Spark DataFrame, or a DuckDB relation, got "
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
    from skmetrics_ext.backends.duckdb import open_reader, open_table

    if type(dataset).__name__ == "RecordBatchReader":
        return open_reader(dataset, names, memory_limit)
    if hasattr(dataset, "to_batches") and not hasattr(dataset, "to_pandas"):
        return open_table(
            dataset, dataset.schema.names, _scanned_rows(dataset), names, memory_limit
        )
    table = _arrow_table(_select(dataset, names.all))
    return open_table(table, names.all, _rows_in_memory(table), names, memory_limit)


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
        return MemoryEngine(_rows_in_memory(dataset), names, resident=True)
    if _prefers_duckdb(engine):
        reader = _reader_of_lazy(dataset, names) if is_lazy else dataset
        return _open_in_duckdb(reader, names, memory_limit)
    if is_lazy:
        return MemoryEngine(
            lambda _: placed(
                guarded_batches("The LazyFrame", lambda: _reader_of_lazy(dataset, names))
            ),
            names,
            resident=not hasattr(dataset, "collect_batches"),
        )
    if kind == "RecordBatchReader":
        table = _load_once(dataset, memory_limit)
        return MemoryEngine(_rows_in_memory(table), names, resident=True)
    return MemoryEngine(_scanned_rows(dataset), names, resident=False)


def _load_once(reader: Any, memory_limit: int) -> Any:
    """Rows of a reader that can be read only once, if they fit into memory."""
    import pyarrow

    batches, size = [], 0
    for batch in guarded_batches("The RecordBatchReader", lambda: reader):
        batches.append(batch)
        size += batch.nbytes
        if size > memory_limit:
            raise InvalidParameterError(
                "A RecordBatchReader can be read once only, and its rows take more than "
                f"memory_limit, {memory_limit} bytes: install DuckDB, which keeps them on disk "
                "(pip install 'skmetrics-ext[duckdb]'), raise memory_limit, or pass a data set."
            )
    return pyarrow.Table.from_batches(batches, reader.schema)


def _reader_of_lazy(lazy: Any, names: ColumnNames) -> Any:
    """Arrow batches of a polars query, whose result need not fit into memory."""
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
    """Columns of a pandas or polars frame, or of an Arrow table, by their exact names."""
    is_arrow = hasattr(frame, "schema") and hasattr(frame, "combine_chunks")
    return frame.select(columns) if is_arrow else frame[list(columns)]  # polars: "*" selects all


def _rows_in_memory(dataset: Any) -> Rows:
    """Slices of a frame or table."""

    def batches(columns: tuple[str, ...]) -> Iterator[Any]:
        frame = _select(dataset, columns)
        for start in range(0, len(frame), BATCH):
            if hasattr(frame, "iloc"):
                yield frame.iloc[start : start + BATCH]
            else:
                part = frame.slice(start, BATCH)
                yield part.combine_chunks() if hasattr(part, "combine_chunks") else part

    return lambda columns: placed(batches(columns))


def _scanned_rows(source: Any) -> Rows:
    """Batches of an Arrow data set."""

    def batches(columns: tuple[str, ...]) -> Any:
        return source.to_batches(columns=list(columns), batch_size=BATCH)

    return lambda columns: placed(guarded_batches("The data set", lambda: batches(columns)))


# --------------------------------------------------------------------------- batches of rows


class MemoryEngine(PartitionEngine):
    """Rows that are in memory, or come in batches, through NumPy, one batch after the other.

    Parameters
    ----------
    rows : callable
        ``rows(names)`` gives the rows anew, in batches with these columns, each with its place.
    names : ColumnNames
    resident : bool
        Whether the rows are in memory anyway, so that their scores may be as well.
    """

    name = "memory"
    needs_ranges = False

    def __init__(self, rows: Rows, names: ColumnNames, *, resident: bool) -> None:
        super().__init__(names)
        self.rows, self.resident, self.done = rows, resident, 0

    def collect(self, columns: tuple[str, ...]) -> Iterator[tuple[Any, RowLocation]]:
        """Batches of some columns."""
        for batch, place in self.rows(columns):
            if n_rows_of(batch):
                yield batch, place

    def _parts(self) -> Iterator[tuple[Any, RowLocation]]:
        for batch, place in self.rows(self.names.all):
            n_rows = n_rows_of(batch)
            if n_rows:
                yield batch, place
            self.done += n_rows
            self.report(self.done)

    def reduce(self, kind: type, on_part: Callable[[Any, RowLocation], Any]) -> Any:
        """Add up the results of a function of each batch and its place."""
        return combined(kind, (on_part(batch, place) for batch, place in self._parts()))

    def rank(self, task: Task, totals: Sums) -> dict[Any, list[RangeReading]]:
        stacks: dict[Any, list[RankStack]] = {}
        for batch, place in self._parts():
            with partition_errors(place):
                part = read_part(batch, self.names, place)
                for group, rows in rows_by_group(part, task.layout, self.names, place):
                    columns = stacks.setdefault(group, [RankStack() for _ in task.layout.ranked])
                    for stack, tally in zip(columns, tallies_of(rows, task.n_classes), strict=True):
                        stack.add(tally)
            held = list(chain.from_iterable(stacks.values()))
            if not self.resident and distinct_beyond(held, task.plan.most):
                raise InvalidParameterError(TOO_MANY.format(most=task.plan.most))
        return {
            group: read_columns([stack.tallies for stack in columns], task.layout, task.plan)
            for group, columns in stacks.items()
        }
