"""Batches of rows through NumPy, one after the other: the engine that is always there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from skmetrics_ext.backends.partitions import (
    PartitionEngine,
    Task,
    combined,
    n_rows_of,
    partition_errors,
)
from skmetrics_ext.backends.read_errors import Rows
from skmetrics_ext.merged.columns import ColumnNames, RowLocation, read_part, rows_by_group
from skmetrics_ext.merged.ranges import (
    RangeReading,
    RankStack,
    distinct_beyond,
    read_columns,
    tallies_of,
)
from skmetrics_ext.merged.sums import Sums
from skmetrics_ext.validation import InvalidParameterError

TOO_MANY = (
    "There are more than {most} distinct scores, which is what memory_limit allows to hold: "
    "install DuckDB, which sorts on disk (pip install 'skmetrics-ext[duckdb]'), raise "
    "memory_limit, or pass approximate=True."
)


class MemoryEngine(PartitionEngine):
    """Rows that are in memory, or come in batches.

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
