"""Dask: many machines, or many processes of one, whose scheduler moves the rows."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from skmetrics_ext.backends.work import (
    Counted,
    Offsets,
    PartitionError,
    Survey,
    Task,
    combined,
    count_part,
    first_parts,
    gather,
    read_shuffled,
    spread_part,
    survey_part,
)
from skmetrics_ext.merged.columns import Names, Place
from skmetrics_ext.merged.ranges import RangeReading
from skmetrics_ext.merged.sums import Sums
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import printable

_FAN = 16  # results that are added up in one step


class DaskEngine:
    """A Dask DataFrame, on the scheduler that is active: a client's, or threads of this process.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    names : Names
    """

    name = "dask"
    needs_ranges = True

    def __init__(self, frame: Any, names: Names) -> None:
        self.frame, self.names = frame[list(names.all)], names
        self.parts = self.frame.to_delayed()
        self.report: Callable[[int], None] = lambda done: None

    def close(self) -> None:
        """Nothing is held."""

    def collect(self, columns: tuple[str, ...]) -> Iterator[tuple[Any, Place]]:
        """The rows of some columns, part by part."""
        for i, part in enumerate(self.frame[list(columns)].to_delayed()):
            (found,) = self._compute([part])
            if len(found):
                yield found, _place(i)

    def survey(self, sampled: bool) -> Survey:
        found: Survey = self._reduce(
            Survey,
            lambda part, place, i: _delayed(survey_part)(
                part, self.names, place, seed=i, sampled=sampled
            ),
        )
        return found

    def count(self, task: Task) -> Counted:
        given = _delayed(task)
        found: Counted = self._reduce(
            Counted, lambda part, place, i: _delayed(count_part)(part, given, place)
        )
        return found

    def _reduce(self, kind: type, each: Callable[..., Any]) -> Any:
        level = [each(part, _place(i), i) for i, part in enumerate(self.parts)]
        while len(level) > _FAN:
            level = [
                _delayed(combined)(kind, level[i : i + _FAN]) for i in range(0, len(level), _FAN)
            ]
        return combined(kind, self._compute(level))

    def _compute(self, level: list[Any]) -> Any:
        import dask

        try:
            return dask.compute(*level)
        except (InvalidParameterError, PartitionError):
            raise
        except Exception as error:
            self._name(error)
            raise PartitionError(
                f"Dask raised {type(error).__name__}: {printable(error)[:300]}"
            ) from error

    def _name(self, error: Exception) -> None:
        """Name the partition that cannot be made, if it is one of them that failed."""
        import dask

        for i, part in enumerate(self.parts):
            try:
                dask.compute(_delayed(len)(part))
            except Exception as own:
                raise PartitionError(
                    f"{_place(i).part} raised {type(own).__name__}: {own}"
                ) from error

    def rank(self, task: Task, sums: Sums, counted: Counted) -> dict[Any, list[RangeReading]]:
        import dask
        import dask.dataframe as dd

        given = _delayed(task)
        n_parts = int(first_parts(task)[-1])
        spread = [_delayed(_spread)(part, given, _place(i)) for i, part in enumerate(self.parts)]
        frame = dd.from_delayed(spread, meta=_empty(task), verify_meta=False)
        if n_parts == 1:
            frame = frame.repartition(npartitions=1)
        else:  # our parts are the divisions, so that each range of scores comes to one worker
            with dask.config.set({"dataframe.shuffle.method": _shuffle()}):
                frame = frame.set_index("part", divisions=[*range(n_parts), n_parts - 1])
        offsets = _delayed(Offsets.of(counted.masses))
        read = [_delayed(_read)(part, given, offsets) for part in frame.to_delayed()]
        found = [pickle.loads(blob) for blob in self._compute(read)]
        return gather((reading for part in found for reading in part), task)


def _place(i: int) -> Place:
    return Place(f"partition {i} of the Dask DataFrame")


def _delayed(what: Any) -> Any:
    import dask

    return dask.delayed(what, pure=False)


def _shuffle() -> str:
    """On a cluster rows go from worker to worker and to disk; in one process they stay."""
    try:
        from distributed import get_client

        get_client()
    except (ImportError, ValueError):
        return "tasks"
    return "p2p"


def _spread(data: Any, task: Task, place: Place) -> Any:
    import pandas

    return pandas.DataFrame(spread_part(data, task, place))


def _empty(task: Task) -> Any:
    import pandas

    none = pandas.DataFrame(columns=list(task.names.all))
    return pandas.DataFrame(spread_part(none, task, Place()))


def _read(frame: Any, task: Task, offsets: Offsets) -> bytes:
    """Pickled here: the arrays of a reading are small, and plain bytes cost the scheduler least."""
    if "part" not in frame.columns:
        frame = frame.reset_index()
    columns = {name: np.asarray(frame[name]) for name in frame.columns}
    return pickle.dumps(read_shuffled(columns, task, offsets))
