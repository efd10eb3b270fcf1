"""Spark: `mapInArrow` runs the same functions on the partitions of a DataFrame."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np

from skmetrics_ext.backends import partitions
from skmetrics_ext.backends.partitions import PartitionError, Task
from skmetrics_ext.backends.read_errors import reading
from skmetrics_ext.merged.columns import ColumnNames, RowLocation
from skmetrics_ext.merged.sums import Sums
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import printable

_BLOB = "blob binary"
_SPREAD = "part long, grp int, score double, code short, weight {}"


class SparkEngine(partitions.Engine):
    """A Spark DataFrame.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
    names : ColumnNames
    """

    name = "spark"
    needs_ranges = True

    def __init__(self, frame: Any, names: ColumnNames) -> None:
        super().__init__(names)
        # mapInArrow looks up columns by their names without quoting them.
        self.columns = {name: f"k{i}" for i, name in enumerate(names.all)}
        with reading("The Spark DataFrame"):
            self.frame = frame.select(
                *(frame[quoted(name)].alias(column) for name, column in self.columns.items())
            )

    def collect(self, columns: tuple[str, ...]) -> Iterator[tuple[Any, RowLocation]]:
        def send(batches: Iterator[Any]) -> Iterator[Any]:
            for batch, place in _placed(batches, columns):
                yield _blob((batch, place))

        wanted = self.frame.select(*(self.columns[name] for name in columns))
        yield from _collect(wanted.mapInArrow(send, _BLOB))

    def reduce(self, kind: type, on_part: partitions.OnPart) -> Any:
        names = self.names

        def add(batches: Iterator[Any]) -> Iterator[Any]:
            parts = (
                partitions.reduce_batch(batch, place, names, kind, on_part)
                for batch, place in _placed(batches, names.all)
            )
            yield _blob(partitions.combined(kind, parts))

        return partitions.combined(kind, _collect(self.frame.mapInArrow(add, _BLOB)))

    def rank(self, task: Task, totals: Sums) -> partitions.Readings:
        masses = totals.ranges
        n_parts = int(partitions.first_parts(task)[-1])
        names = self.names.all
        schema = _SPREAD.format("double" if task.names.weight is not None else "long")

        def spread(batches: Iterator[Any]) -> Iterator[Any]:
            import pyarrow

            for batch, place in _placed(batches, names):
                yield pyarrow.RecordBatch.from_pydict(partitions.spread_part(batch, place, task))

        def read(batches: Iterator[Any]) -> Iterator[Any]:
            shuffled = list(batches)
            if not shuffled:
                return
            columns = {
                name: np.concatenate([batch.column(name).to_numpy() for batch in shuffled])
                for name in ("part", "grp", "score", "code", "weight")
            }
            yield _blob(partitions.read_shuffled(columns, task, masses))

        rows = self.frame.mapInArrow(spread, schema)
        if hasattr(rows, "repartitionById"):
            rows = rows.withColumn("part", rows["part"].cast("int"))
            rows = rows.repartitionById(n_parts, "part")
        else:
            rows = rows.repartition(n_parts, "part")
        readings = _collect(rows.mapInArrow(read, _BLOB))
        return partitions.gather((reading for part in readings for reading in part), task)


def quoted(name: str) -> str:
    """Quote the name of a column, in which Spark would interpret dots, stars and brackets."""
    return "`" + name.replace("`", "``") + "`"


def _partition() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else int(context.partitionId())


def _placed(batches: Iterator[Any], names: tuple[str, ...]) -> Iterator[tuple[Any, RowLocation]]:
    """Non-empty batches with the user's column names."""
    import pyarrow

    first, number = 0, _partition()
    part = f"partition {number} of the Spark DataFrame"
    for batch in batches:
        if batch.num_rows:
            named = pyarrow.RecordBatch.from_arrays(batch.columns, names=list(names))
            yield named, RowLocation(part, first, number=number)
        first += batch.num_rows


def _blob(value: Any) -> Any:
    import pyarrow

    return pyarrow.RecordBatch.from_pydict({"blob": pyarrow.array([pickle.dumps(value)])})


def _collect(frame: Any) -> list[Any]:
    try:
        return [pickle.loads(row.blob) for row in frame.collect()]
    except Exception as error:
        for line in str(error).splitlines():  # of the worker's traceback, which is text here
            for kind in (InvalidParameterError, PartitionError):
                _, name, message = line.partition(f"{kind.__name__}: ")
                if name:
                    raise kind(message.strip()) from error
        raise PartitionError(
            f"Spark raised {type(error).__name__}: {printable(error)[:300]}"
        ) from error
