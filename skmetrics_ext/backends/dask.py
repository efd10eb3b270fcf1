"""Dask: many machines, or many processes on one machine; its scheduler moves the rows."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.backends import partitions
from skmetrics_ext.backends.memory import MemoryEngine
from skmetrics_ext.backends.partitions import PartitionError, Task
from skmetrics_ext.merged.columns import ColumnNames, RowLocation
from skmetrics_ext.merged.sums import Sums
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import printable

_FAN = 16  # results that are added up in one step


class DaskEngine(partitions.Engine):
    """A Dask DataFrame, on the scheduler that is active: a client's, or threads of this process.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    names : ColumnNames
    """

    name = "dask"
    needs_ranges = True

    def __init__(self, frame: Any, names: ColumnNames, memory_limit: int) -> None:
        super().__init__(names)
        self.frame = frame[list(names.all)]
        self.parts = self.frame.to_delayed()
        self.most_held = memory_limit // partitions.bytes_per_row(names)
        self.held: MemoryEngine | None = None

    def collect(self, columns: tuple[str, ...]) -> Iterator[tuple[Any, RowLocation]]:
        for i, part in enumerate(self.frame[list(columns)].to_delayed()):
            (batch,) = self._compute([part])
            if len(batch):
                yield batch, _place(i)

    def reduce(self, kind: type, on_part: partitions.OnPart) -> Any:
        read = _delayed(partitions.reduce_batch)
        level = [
            read(part, _place(i), self.names, kind, on_part) for i, part in enumerate(self.parts)
        ]
        combine = _delayed(partitions.combined)
        while len(level) > _FAN:
            level = [combine(kind, level[i : i + _FAN]) for i in range(0, len(level), _FAN)]
        return partitions.combined(kind, self._compute(level))

    def survey(self, sampled: bool) -> partitions.PartitionSurvey:
        """As of any engine; scores that fit into memory are not shuffled between workers."""
        # Few enough if partitions are of about equal size; larger ones stay where they are.
        most = 2 * self.most_held // max(len(self.parts), 1) if sampled else 0
        on_part = partial(partitions.survey_part, sampled=sampled, most_held=most)
        survey: partitions.PartitionSurvey = self.reduce(partitions.PartitionSurvey, on_part)
        if 0 < sum(part.n_rows for part in survey.held) == survey.n_rows <= self.most_held:
            self.held, survey.sample = MemoryEngine.of_parts(survey.held, self.names), None
        survey.held = []
        return survey

    def measure(self, task: Task, counted: Sums) -> tuple[Sums, partitions.Readings]:
        if self.held is None:
            return super().measure(task, counted)
        return self.held.measure(task, counted)

    def _compute(self, level: list[Any]) -> Any:
        import dask

        try:
            return dask.compute(*level)
        except (InvalidParameterError, PartitionError):
            raise
        except Exception as error:
            for i, part in enumerate(self.parts):  # names a partition that cannot be computed
                with partitions.partition_errors(_place(i)):
                    dask.compute(_delayed(len)(part))
            raise PartitionError(
                f"Dask raised {type(error).__name__}: {printable(error)[:300]}"
            ) from error

    def rank(self, task: Task, totals: Sums) -> partitions.Readings:
        import dask
        import dask.dataframe as dd

        shared = _delayed(task)
        n_parts = int(partitions.first_parts(task)[-1])
        spread = [_delayed(_spread)(part, _place(i), shared) for i, part in enumerate(self.parts)]
        frame = dd.from_delayed(spread, meta=_empty(task), verify_meta=False)
        if n_parts == 1:
            frame = frame.repartition(npartitions=1)
        else:  # each range of scores comes to one worker
            with dask.config.set({"dataframe.shuffle.method": _shuffle()}):
                frame = frame.set_index("part", divisions=[*range(n_parts), n_parts - 1])
        masses = _delayed(totals.ranges)
        read = [_delayed(_read)(part, shared, masses) for part in frame.to_delayed()]
        readings = [pickle.loads(blob) for blob in self._compute(read)]
        return partitions.gather((reading for part in readings for reading in part), task)


def _place(i: int) -> RowLocation:
    return RowLocation(f"partition {i} of the Dask DataFrame", number=i)


def _delayed(what: Any) -> Any:
    import dask

    return dask.delayed(what, pure=False)


def _shuffle() -> str:
    """Shuffle between workers and to disk on a cluster, in memory within one process."""
    try:
        from distributed import get_client

        get_client()
    except (ImportError, ValueError):
        return "tasks"
    return "p2p"


def _spread(data: Any, place: RowLocation, task: Task) -> Any:
    import pandas

    return pandas.DataFrame(partitions.spread_part(data, place, task))


def _empty(task: Task) -> Any:
    import pandas

    return _spread(pandas.DataFrame(columns=list(task.names.all)), RowLocation(), task)


def _read(frame: Any, task: Task, masses: dict[tuple[Any, int], Array]) -> bytes:
    """Pickled readings: their arrays are small, and bytes are cheapest for the scheduler."""
    if "part" not in frame.columns:
        frame = frame.reset_index()
    columns = {name: np.asarray(frame[name]) for name in frame.columns}
    return pickle.dumps(partitions.read_shuffled(columns, task, masses))
