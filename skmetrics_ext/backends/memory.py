"""Batches of rows through NumPy, one after the other: the engine that is always there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from skmetrics_ext.backends import partitions
from skmetrics_ext.backends.partitions import PartitionSums, PartitionSurvey, Task
from skmetrics_ext.backends.read_errors import Rows
from skmetrics_ext.merged.columns import ColumnNames, RowLocation, read_part, rows_by_group
from skmetrics_ext.merged.ranges import (
    RangeReading,
    RankStack,
    distinct_beyond,
    read_tables,
    tallies_of,
)
from skmetrics_ext.validation import InvalidParameterError

TOO_MANY = (
    "There are more than {most} distinct scores, which is what memory_limit allows to hold: "
    "install DuckDB, which sorts on disk (pip install 'skmetrics-ext[duckdb]'), raise "
    "memory_limit, or pass approximate=True."
)


class MemoryEngine:
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
        self.rows, self.names, self.resident = rows, names, resident
        self.report: Callable[[int], None] = lambda done: None
        self.done = 0

    def close(self) -> None:
        """Nothing is held."""

    def collect(self, columns: tuple[str, ...]) -> Iterator[tuple[Any, RowLocation]]:
        """Batches of some columns."""
        for batch, place in self.rows(columns):
            if partitions.n_rows_of(batch):
                yield batch, place

    def _parts(self) -> Iterator[tuple[Any, RowLocation]]:
        for batch, place in self.rows(self.names.all):
            n_rows = partitions.n_rows_of(batch)
            if n_rows:
                yield batch, place
            self.done += n_rows
            self.report(self.done)

    def survey(self, sampled: bool) -> PartitionSurvey:
        total = PartitionSurvey()
        for batch, place in self._parts():
            total.add(partitions.survey_part(batch, self.names, place, seed=0, sampled=sampled))
        return total

    def count(self, task: Task) -> PartitionSums:
        total = PartitionSums()
        for batch, place in self._parts():
            total.add(partitions.sum_part(batch, task, place))
        return total

    def rank(self, task: Task, totals: PartitionSums) -> dict[Any, list[RangeReading]]:
        stacks: dict[tuple[Any, int], RankStack] = {}
        for batch, place in self._parts():
            with partitions.partition_errors(place):
                part = read_part(batch, self.names, place)
                for group, rows in rows_by_group(part, task.layout, self.names, place):
                    for k, tally in enumerate(tallies_of(rows, task.n_classes)):
                        stacks.setdefault((group, k), RankStack()).add(tally)
            if not self.resident and distinct_beyond(stacks.values(), task.plan.most):
                raise InvalidParameterError(TOO_MANY.format(most=task.plan.most))
        readings: dict[Any, list[RangeReading]] = {}
        for (group, k), stack in sorted(stacks.items(), key=lambda item: item[0][1]):
            reading = read_tables([stack.whole()], task.class_of(k), task.plan)
            readings.setdefault(group, []).append(reading)
        return readings
