"""The engine for each kind of data set, and the engine that reads batches in this process."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import util
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from skmetrics_ext.backends import partitions
from skmetrics_ext.backends.files import BATCH, Files, open_files, require
from skmetrics_ext.backends.partitions import Engine, n_rows_of
from skmetrics_ext.backends.read_errors import Rows, check_columns, guarded_batches, placed, reading
from skmetrics_ext.merged import columns
from skmetrics_ext.merged.columns import ColumnNames, Partition, RowLocation
from skmetrics_ext.merged.ranges import (
    RangeReading,
    RankStack,
    distinct_beyond,
    read_columns,
    read_range,
)
from skmetrics_ext.merged.sums import Sums, sum_rows
from skmetrics_ext.numeric import Array
from skmetrics_ext.slices.coding import quantile_edges
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import InvalidParameterError, check_option

TOO_MANY = (
    "There are more than {most} distinct scores, which is what memory_limit allows to hold: "
    "install DuckDB, which sorts on disk (pip install 'skmetrics-ext[duckdb]'), or raise "
    "memory_limit."
)
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


# --------------------------------------------------------------------------- batches of rows


class MemoryEngine(Engine):
    """Batches of rows, read by NumPy in this process.

    Parameters
    ----------
    rows : callable
        ``rows(names)`` returns the rows anew, in batches with these columns, each with its
        location.
    names : ColumnNames
    memory_limit : int
        Bytes of checked rows to keep, so that they are read only once.
    resident : bool
        Whether the rows are in memory anyway, so that their scores may be as well.
    """

    name = "memory"

    def __init__(self, rows: Rows, names: ColumnNames, memory_limit: int, *, resident: bool):
        super().__init__(names)
        self.rows, self.memory_limit, self.resident = rows, memory_limit, resident
        self._kept: list[Partition] | None = None

    @classmethod
    def of_parts(cls, parts: list[Partition], names: ColumnNames) -> MemoryEngine:
        """An engine of rows that were read already."""
        engine = cls(lambda _: iter(()), names, 0, resident=True)
        engine._kept = parts
        return engine

    def close(self) -> None:
        self._kept = None

    def collect(self, columns: tuple[str, ...]) -> Iterator[tuple[Any, RowLocation]]:
        for batch, place in self.rows(columns):
            if n_rows_of(batch):
                yield batch, place

    def _parts(self) -> Iterator[Partition]:
        """Checked rows, read anew unless they were kept."""
        for part in self._read() if self._kept is None else self._kept:
            yield part
            self.advance(part.n_rows)

    def _read(self) -> Iterator[Partition]:
        kept: list[Partition] = []
        n_bytes = 0
        for batch, place in self.collect(self.names.all):
            with partitions.partition_errors(place):
                part = columns.read_part(batch, self.names, place)
            n_bytes += part.n_bytes
            if n_bytes <= self.memory_limit:
                kept.append(part)
            else:
                kept.clear()
            yield part
        if n_bytes <= self.memory_limit:
            self._kept = kept

    def reduce(self, kind: type, on_part: partitions.OnPart) -> Any:
        return partitions.combined(kind, map(on_part, self._parts()))

    def measure(self, task: partitions.Task, counted: Sums) -> tuple[Sums, partitions.Readings]:
        """All sums and rankings, in one pass over the rows; scores are sorted only once."""
        if not task.ranks:
            return super().measure(task, counted)
        if self._kept is not None and self.resident:
            checked = [columns.check_scores(part, task.layout) for part in self._kept]
            self._kept[:] = [columns.join_parts(checked)]
            del checked
        totals, stacks = self._ranked(task)
        totals.add(counted)
        self._kept = None  # the tallies take the place of the rows
        return totals, {
            group: read_columns([stack.tallies for stack in known], task.layout, task.plan)
            for group, known in stacks.items()
        }

    def _ranked(self, task: partitions.Task) -> tuple[Sums, dict[Any, list[RankStack]]]:
        """The sums of all parts, and the tallies of their scores by group."""
        totals, stacks = Sums(), dict[Any, list[RankStack]]()
        n_classes = len(task.layout.classes)
        for part in self._parts():
            with partitions.partition_errors(part.place):
                sums, tallies = sum_rows(part, task.layout, ranked=True)
            totals.add(sums)
            for group, new in tallies.items():
                known = stacks.setdefault(group, [RankStack(n_classes) for _ in new])
                for stack, tally in zip(known, new, strict=True):
                    stack.add(tally)
            held = [stack for known in stacks.values() for stack in known]
            if not self.resident and distinct_beyond(held, task.plan.most):
                raise InvalidParameterError(TOO_MANY.format(most=task.plan.most))
        return totals, stacks

    def n_passes(self, task: partitions.Task) -> int:
        return 2 if task.ranks else super().n_passes(task)


class RangeEngine(MemoryEngine):
    """Rows that fit into memory, and are sorted in one range of scores after another."""

    def measure(self, task: partitions.Task, counted: Sums) -> tuple[Sums, partitions.Readings]:
        """All sums, and the rankings read from ranges; no table of all scores is kept."""
        layout, totals = task.layout, Sums()
        parts = []
        for part in self._parts():
            with partitions.partition_errors(part.place):
                totals.add(sum_rows(part, layout, ranked=False)[0])
                parts += [rows for _, rows in columns.rows_by_group(part, layout)]
        totals.add(counted)
        masses = totals.masses(None, layout.classes)
        weights = [rows.weight for rows in parts if rows.weight is not None]
        n_rows = sum(rows.n_rows for rows in parts)
        n_ranges = 1 + n_rows * partitions.BYTES_PER_ROW // self.memory_limit
        readings = []
        for k in range(len(layout.ranked)):
            scores = [rows.rankings[k] for rows in parts]
            sample = [score[:: n_rows // partitions.SAMPLE + 1] for score in scores]
            edges = quantile_edges(np.concatenate(sample), n_ranges)
            found: list[RangeReading] = []
            above = np.zeros_like(masses)
            for low, high in [*pairwise([-np.inf, *edges, np.inf])][::-1]:
                kept = [np.flatnonzero((score >= low) & (score < high)) for score in scores]

                def joined(each: list[Array], kept: list[Array] = kept) -> Array:
                    return np.concatenate([c[own] for c, own in zip(each, kept, strict=True)])

                tally = RankTally.from_scores(
                    joined(scores),
                    joined([rows.true for rows in parts]),
                    len(masses),
                    joined(weights) if weights else None,
                )
                order = (len(found),)
                code = layout.code_of(k)
                found.append(read_range(tally, code, above, masses, task.plan, order, 0))
                above = above + tally.mass.sum(axis=1)
            readings.append(RangeReading.combine(found, 0))
        return totals, {None: readings}
