"""One partition of a data set: surveyed, summed, prepared for a shuffle and read after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.merged.columns import (
    ColumnNames,
    Partition,
    RowLocation,
    read_part,
    rows_by_group,
)
from skmetrics_ext.merged.layout import Layout
from skmetrics_ext.merged.ranges import RangePlan, RangeReading, read_range
from skmetrics_ext.merged.sums import Sums, count_labels, sum_rows, tallies_of
from skmetrics_ext.numeric import Array
from skmetrics_ext.slices.group_columns import GroupColumns
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import InvalidParameterError

BYTES_PER_ROW = 160  # with the copies that sorting its scores and their variance take
BYTES_HELD = 48  # of a row whose scores are sorted in ranges
SAMPLE = 100_000  # rows, for the edges of ranges and bins
Readings = dict[Any, list[RangeReading]]  # of each ranked column of scores, by group
OnPart = Callable[[Partition], Any]


class PartitionError(RuntimeError):
    """A partition of the data raised an error; the message names the partition.

    Parameters
    ----------
    *args : str
        The message.
    """


@contextmanager
def partition_errors(place: RowLocation) -> Iterator[None]:
    """Name the partition in errors of other libraries; ours name it already."""
    try:
        yield
    except (InvalidParameterError, PartitionError):
        raise
    except Exception as error:
        raise PartitionError(
            f"{place.part or 'A partition'} raised {type(error).__name__}: {error}"
        ) from error


@dataclass(frozen=True, eq=False)
class Task:
    """What to compute from every partition after the survey.

    Parameters
    ----------
    names : ColumnNames
    layout : Layout
    plan : RangePlan
    groups : mapping
        Number of each group.
    edges : tuple of ndarray
        Inner edges of the ranges of each column of scores, ascending.
    """

    names: ColumnNames
    layout: Layout
    plan: RangePlan
    groups: Mapping[Any, int]
    edges: tuple[Array, ...] = ()

    def of_margin(self, margin: GroupColumns) -> Task:
        """The task for the groups of a margin."""
        numbers = {group: i for i, group in enumerate(margin.sources(self.groups))}
        return replace(self, names=replace(self.names, by=margin), groups=numbers)

    @property
    def ranks(self) -> bool:
        """Whether scores are ranked."""
        return bool(self.plan.metrics)

    @property
    def needs_sums(self) -> bool:
        return bool(self.edges) or self.layout.needs_sums


@dataclass(eq=False)
class PartitionSurvey:
    """Rows, classes and groups, and a sample of the scores."""

    sums: Sums = field(default_factory=Sums)
    keys: Array = field(default_factory=lambda: np.zeros(0))
    sample: Array | None = None
    held: list[Partition] = field(default_factory=list)

    def add(self, other: PartitionSurvey) -> None:
        """Add the survey of other rows; the sample keeps the rows with the smallest random keys."""
        self.sums.add(other.sums)
        self.held = self.held + other.held
        if other.sample is not None:
            self.add_sample(other.keys, other.sample)

    def add_sample(self, keys: Array, sample: Array) -> None:
        if self.sample is not None:
            keys = np.concatenate([self.keys, keys])
            sample = np.concatenate([self.sample, sample])
        if len(keys) > SAMPLE:
            kept = np.argpartition(keys, SAMPLE)[:SAMPLE]
            keys, sample = keys[kept], sample[kept]
        self.keys, self.sample = keys, sample

    @property
    def n_rows(self) -> int:
        return sum(self.sums.rows.values())


def combined(kind: type, parts: Iterable[Any]) -> Any:
    """Add up the surveys or sums of several partitions."""
    total = kind()
    for part in parts:
        total.add(part)
    return total


class Engine:
    """Reads a data set: first its labels and groups, then the sums of all metrics.

    Parameters
    ----------
    names : ColumnNames
    """

    name: str
    needs_ranges = False
    report: Callable[[int], object] = staticmethod(lambda done: None)

    def __init__(self, names: ColumnNames) -> None:
        self.names, self.done = names, 0

    def advance(self, n_rows: int) -> None:
        """Report further rows as read."""
        self.done += n_rows
        self.report(self.done)

    def close(self) -> None:
        """Free what was opened."""

    def collect(self, columns: tuple[str, ...]) -> Iterator[tuple[Any, RowLocation]]:
        """Batches of some columns, each with its location."""
        raise NotImplementedError

    def reduce(self, kind: type, on_part: OnPart) -> Any:
        """Add up the results of a function of each partition."""
        return combined(kind, map(on_part, self.read_parts()))

    def read_parts(self) -> Iterator[Partition]:
        """Checked rows, a partition after another."""
        for batch, place in self.collect(self.names.all):
            with partition_errors(place):
                part = read_part(batch, self.names, place)
            yield part
            self.advance(part.n_rows)

    def survey(self, sampled: bool) -> PartitionSurvey:
        survey: PartitionSurvey = self.reduce(
            PartitionSurvey, partial(survey_part, sampled=sampled)
        )
        return survey

    def count(self, task: Task) -> Sums:
        total: Sums = self.reduce(Sums, partial(sum_part, task=task))
        return total

    def rank(self, task: Task, totals: Sums) -> Readings:
        """Rankings of each group, given the weight of each class in it."""
        raise NotImplementedError

    def measure(self, task: Task, counted: Sums) -> tuple[Sums, Readings]:
        """Add all other sums to those of the labels, and rank the scores."""
        totals = self.count(task) if task.needs_sums else Sums()
        totals.add(counted)
        return totals, self.rank(task, totals) if task.ranks else {}

    def n_passes(self, task: Task) -> int:
        """Number of times that all rows are read."""
        return 1 + task.needs_sums + (len(task.layout.ranked) if task.ranks else 0)


def bytes_per_row(names: ColumnNames) -> int:
    """Memory for a row while its scores are ranked."""
    return BYTES_PER_ROW * (1 + len(names.score)) // 2


def n_rows_of(batch: Any) -> int:
    """Number of rows of a batch of any library."""
    if isinstance(batch, dict):
        return len(next(iter(batch.values())))
    return int(batch.num_rows) if hasattr(batch, "num_rows") else len(batch)


def reduce_batch(
    data: Any, place: RowLocation, names: ColumnNames, kind: type, on_part: OnPart
) -> Any:
    """Read and check a batch, and apply a function to it; an empty ``kind`` without rows."""
    with partition_errors(place):
        return on_part(read_part(data, names, place)) if n_rows_of(data) else kind()


def survey_part(part: Partition, *, sampled: bool, most_held: int = 0) -> PartitionSurvey:
    """Count the labels and groups of a partition, sample its scores, and hold few rows."""
    survey = PartitionSurvey(count_labels(part))
    if part.n_rows <= most_held:
        survey.held = [part]
    if sampled:
        rng = np.random.default_rng([part.place.number, part.place.first_row])
        survey.add_sample(rng.random(part.n_rows), part.score)
    return survey


def sum_part(part: Partition, task: Task) -> Sums:
    """Moments and bins of a partition, and the weight of the classes in ranges."""
    total, _ = sum_rows(part, task.layout, ranked=False)
    n_classes = len(task.layout.classes)
    for group, rows in rows_by_group(part, task.layout) if task.edges else ():
        for k, (column, edges) in enumerate(zip(rows.rankings, task.edges, strict=True)):
            n = len(edges) + 1
            bins = np.searchsorted(edges, column, side="right") * n_classes + rows.true
            sums = kernels.bin_sums(bins, n * n_classes, rows.weight)
            total.ranges[group, k] = sums.reshape(n, n_classes)
    return total


# --------------------------------------------------------------------------- ranges of scores


def spread_part(data: Any, place: RowLocation, task: Task) -> dict[str, Array]:
    """Rows of a partition for the shuffle: one for each distinct score, class and group.

    Columns: ``part`` (number of the range, over all columns), ``grp``, ``score``, ``code`` and
    ``weight``.
    """
    with partition_errors(place):
        spread = list(_spread(data, task, place)) if n_rows_of(data) else []
    weighted = task.names.weight is not None
    empty: dict[str, Array] = {
        "part": np.empty(0, dtype=np.int64),
        "grp": np.empty(0, dtype=np.int32),
        "score": np.empty(0),
        "code": np.empty(0, dtype=np.int16),
        "weight": np.empty(0, dtype=np.float64 if weighted else np.int64),
    }
    return {
        name: np.concatenate([none, *(rows[name] for rows in spread)]).astype(none.dtype)
        for name, none in empty.items()
    }


def _spread(data: Any, task: Task, place: RowLocation) -> Iterator[dict[str, Array]]:
    starts = first_parts(task)
    for group, rows in rows_by_group(read_part(data, task.names, place), task.layout):
        tallies = tallies_of(rows, len(task.layout.classes))
        for k, (edges, tally) in enumerate(zip(task.edges, tallies, strict=True)):
            codes, places = np.nonzero(tally.mass)
            score = tally.thresholds[places]
            yield {
                "part": starts[k] + np.searchsorted(edges, score, side="right"),
                "grp": np.full(len(codes), task.groups[group]),
                "score": score,
                "code": codes,
                "weight": tally.mass[codes, places],
            }


def first_parts(task: Task) -> Array:
    """Number of the first range of each column, then the number of ranges."""
    return np.cumsum([0, *(len(edges) + 1 for edges in task.edges)])


Reading = tuple[Any, int, RangeReading]  # of a group and a column of scores


def read_shuffled(
    columns: Mapping[str, Array], task: Task, masses: Mapping[tuple[Any, int], Array]
) -> list[Reading]:
    """Read the ranges that one worker holds after the shuffle.

    ``masses`` are the weights of the classes in all ranges, lowest first, by group and column.
    """
    names = {number: group for group, number in task.groups.items()}
    starts = first_parts(task)
    most = max(task.plan.most // int(starts[-1]), 1)
    key = columns["part"] * len(names) + columns["grp"]
    order = np.argsort(key, kind="stable")
    breaks = np.flatnonzero(np.diff(key[order])) + 1
    readings: list[Reading] = []
    for rows in np.split(order, breaks) if len(order) else []:
        number = int(columns["part"][rows[0]])
        k = int(np.searchsorted(starts, number, side="right")) - 1
        place = number - int(starts[k])
        group = names[int(columns["grp"][rows[0]])]
        weight = columns["weight"][rows]
        tally = RankTally.from_scores(
            columns["score"][rows].astype(np.float64),
            columns["code"][rows].astype(np.int64),
            len(task.layout.classes),
            weight.astype(np.float64 if weight.dtype.kind == "f" else np.int64),
        )
        mass, code = masses[group, k], task.layout.code_of(k)
        above, total = mass[place + 1 :].sum(axis=0), mass.sum(axis=0)
        reading = read_range(tally, code, above, total, task.plan, (-place,), most)
        readings.append((group, k, reading))
    return readings


def gather(readings: Iterable[Reading], task: Task) -> Readings:
    """Combine the readings of all ranges, by group and column."""
    by_column: dict[tuple[Any, int], list[RangeReading]] = {}
    for group, k, reading in readings:
        by_column.setdefault((group, k), []).append(reading)
    groups = {group for group, _ in by_column}
    most = task.plan.most // max(len(by_column), 1)
    columns = range(len(task.layout.ranked))
    return {
        group: [RangeReading.combine(by_column[group, k], most) for k in columns]
        for group in groups
    }
