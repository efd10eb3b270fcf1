"""Rows that are read by NumPy in this process, in batches or whole."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from skmetrics_ext.backends import partitions
from skmetrics_ext.backends.partitions import Engine, n_rows_of
from skmetrics_ext.backends.read_errors import Rows
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
from skmetrics_ext.slices.coding import quantile_edges
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import spoken

TOO_MANY = (
    "There are more than {most} distinct scores, which is what {limit} allows to hold: "
    "install DuckDB, which sorts on disk (pip install 'skmetrics-ext[duckdb]'), or raise "
    "{limit}."
)


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
        return ((batch, place) for batch, place in self.rows(columns) if n_rows_of(batch))

    def read_parts(self) -> Iterator[Partition]:
        """Checked rows, read anew unless they were kept."""
        if self._kept is not None:
            for part in self._kept:
                yield part
                self.advance(part.n_rows)
            return
        kept: list[Partition] = []
        n_bytes = 0
        for part in super().read_parts():
            n_bytes += part.n_bytes
            if n_bytes <= self.memory_limit:
                kept.append(part)
            else:
                kept.clear()
            yield part
        if n_bytes <= self.memory_limit:
            self._kept = kept

    def measure(self, task: partitions.Task, counted: Sums) -> tuple[Sums, partitions.Readings]:
        """All sums and rankings, in one pass over the rows; scores are sorted only once."""
        if not task.ranks:
            return super().measure(task, counted)
        if self._kept is not None and self.resident:
            checked = [columns.check_scores(part, task.layout) for part in self._kept]
            self._kept[:] = [columns.join_parts(checked)]
            del checked
        totals, stacks = Sums(), dict[Any, list[RankStack]]()
        for part in self.read_parts():
            with partitions.partition_errors(part.place):
                sums, tallies = sum_rows(part, task.layout, ranked=True)
            totals.add(sums)
            for group, new in tallies.items():
                known = stacks.setdefault(group, [RankStack(len(task.layout.classes)) for _ in new])
                for stack, tally in zip(known, new, strict=True):
                    stack.add(tally)
            held = [stack for known in stacks.values() for stack in known]
            if not self.resident and distinct_beyond(held, task.plan.most):
                limit = spoken("memory_limit")
                raise InvalidParameterError(TOO_MANY.format(most=task.plan.most, limit=limit))
            del part, tallies
        totals.add(counted)
        self._kept = None  # the tallies take the place of the rows
        return totals, {
            group: read_columns([stack.tallies for stack in known], task.layout, task.plan)
            for group, known in stacks.items()
        }

    def n_passes(self, task: partitions.Task) -> int:
        return 2 if task.ranks else super().n_passes(task)


class RangeEngine(MemoryEngine):
    """Rows that fit into memory, and are sorted in one range of scores after another."""

    def measure(self, task: partitions.Task, counted: Sums) -> tuple[Sums, partitions.Readings]:
        """All sums, and the rankings read from ranges; no table of all scores is kept."""
        layout, totals = task.layout, Sums()
        parts = []
        for part in self.read_parts():
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
                score, true, *weight = (
                    np.concatenate([each[own] for each, own in zip(field, kept, strict=True)])
                    for field in (scores, [rows.true for rows in parts], weights)
                    if field
                )
                tally = RankTally.from_scores(score, true, len(masses), *(weight or (None,)))
                order = (len(found),)
                code = layout.code_of(k)
                found.append(read_range(tally, code, above, masses, task.plan, order, 0))
                above = above + tally.mass.sum(axis=1)
            readings.append(RangeReading.combine(found, 0))
        return totals, {None: readings}
