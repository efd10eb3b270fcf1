"""The engine without an engine: batches of rows through NumPy, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from skmetrics_ext.backends.reading import Rows
from skmetrics_ext.backends.work import (
    Counted,
    Survey,
    Task,
    count_part,
    len_of,
    survey_part,
    told,
)
from skmetrics_ext.merged.columns import Names, Place, read_part, rows_by_group
from skmetrics_ext.merged.ranges import (
    RangeReading,
    RankStack,
    distinct_beyond,
    read_tables,
    tallies_of,
)
from skmetrics_ext.merged.sums import Sums
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
    names : Names
    resident : bool
        Whether the rows are in memory anyway, so that their scores may be as well.
    """

    name = "memory"
    needs_ranges = False

    def __init__(self, rows: Rows, names: Names, *, resident: bool) -> None:
        self.rows, self.names, self.resident = rows, names, resident
        self.report: Callable[[int], None] = lambda done: None
        self.done = 0

    def close(self) -> None:
        """Nothing is held."""

    def collect(self, columns: tuple[str, ...]) -> Iterator[tuple[Any, Place]]:
        """The rows of some columns, part by part."""
        for batch, place in self.rows(columns):
            if len_of(batch):
                yield batch, place

    def _parts(self) -> Iterator[tuple[Any, Place]]:
        for batch, place in self.rows(self.names.all):
            size = int(batch.num_rows) if hasattr(batch, "num_rows") else len(batch)
            if size:
                yield batch, place
            self.done += size
            self.report(self.done)

    def survey(self, sampled: bool) -> Survey:
        total = Survey()
        for batch, place in self._parts():
            total.add(survey_part(batch, self.names, place, seed=0, sampled=sampled))
        return total

    def count(self, task: Task) -> Counted:
        total = Counted()
        for batch, place in self._parts():
            total.add(count_part(batch, task, place))
        return total

    def rank(self, task: Task, sums: Sums, counted: Counted) -> dict[Any, list[RangeReading]]:
        stacks: dict[tuple[Any, int], RankStack] = {}
        for batch, place in self._parts():
            try:
                part = read_part(batch, self.names, place)
                for group, rows in rows_by_group(part, task.layout, self.names, place):
                    for k, tally in enumerate(tallies_of(rows, task.n_classes)):
                        stacks.setdefault((group, k), RankStack()).add(tally)
            except InvalidParameterError:
                raise
            except Exception as error:
                raise told(place, error) from error
            if not self.resident and distinct_beyond(stacks.values(), task.plan.most):
                raise InvalidParameterError(TOO_MANY.format(most=task.plan.most))
        return readings_of(stacks, task)


def readings_of(
    stacks: dict[tuple[Any, int], RankStack], task: Task
) -> dict[Any, list[RangeReading]]:
    """Each stack as one range that holds all scores."""
    found: dict[Any, list[RangeReading]] = {}
    for (group, k), stack in sorted(stacks.items(), key=lambda item: item[0][1]):
        reading = read_tables([stack.whole()], task.own(k), task.plan)
        found.setdefault(group, []).append(reading)
    return found
