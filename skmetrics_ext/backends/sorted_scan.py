"""Rankings of rows that arrive sorted by group and then by descending score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from skmetrics_ext.merged.ranges import RangePlan, RangeReading, read_range
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import RankTally


class SortedScan:
    """Reads one column of scores in bounded memory.

    Parameters
    ----------
    label : int
        Code of the class that the column belongs to.
    totals : mapping of int to ndarray
        Weight of each class, by the number of the group.
    plan : RangePlan
    most : int
        Distinct scores to hold, in all groups together.
    """

    def __init__(self, label: int, totals: Mapping[int, Array], plan: RangePlan, most: int) -> None:
        self.label, self.totals, self.plan, self.left = label, totals, plan, most
        self.done: dict[int, RangeReading] = {}
        self._parts: list[RangeReading] = []
        self._group: int | None = None
        self._last: tuple[float, Array] | None = None  # a score of which more rows may follow
        self._above = np.zeros(0)

    def feed(self, group: Array, score: Array, code: Array, weight: Array | None) -> None:
        """Read the next rows."""
        starts = np.flatnonzero(np.diff(group)) + 1
        for start, stop in zip([0, *starts], [*starts, len(group)], strict=True):
            number = int(group[start])
            if number != self._group:
                self.close()
                self._group = number
                self._above = np.zeros_like(self.totals[number])
            rows = slice(start, stop)
            self._read(score[rows], code[rows], None if weight is None else weight[rows])

    def _read(self, score: Array, code: Array, weight: Array | None) -> None:
        starts = np.flatnonzero(np.concatenate([[True], score[1:] != score[:-1]]))
        if weight is None and len(starts) == len(score):
            mass = np.zeros((len(self._above), len(score)), dtype=np.int64)
            mass[code, np.arange(len(score))] = 1
        else:
            row_weight = np.ones(len(score), dtype=np.int64) if weight is None else weight
            by_class = (np.where(code == c, row_weight, 0) for c in range(len(self._above)))
            mass = np.stack([np.add.reduceat(weights, starts) for weights in by_class])
        thresholds = score[starts]
        if self._last is not None:
            last, last_mass = self._last
            if thresholds[0] == last:
                mass[:, 0] += last_mass
            else:
                thresholds = np.concatenate([[last], thresholds])
                mass = np.concatenate([last_mass[:, None], mass], axis=1)
        self._last = float(thresholds[-1]), mass[:, -1].copy()
        if len(thresholds) > 1:
            self._take(RankTally(thresholds[:-1] + 0.0, mass[:, :-1]))

    def _take(self, tally: RankTally) -> None:
        assert self._group is not None
        above, total, order = self._above, self.totals[self._group], (len(self._parts),)
        reading = read_range(tally, self.label, above, total, self.plan, order, self.left)
        self._above = above + tally.mass.sum(axis=1)
        tables = [part.table for part in self._parts if part.table is not None]
        if reading.table is None:  # a group's table is held as a whole or not at all
            self.left += sum(len(table.thresholds) for table in tables)
            self._parts = [replace(part, table=None) for part in self._parts]
        elif len(tables) < len(self._parts):
            reading = replace(reading, table=None)
        else:
            self.left -= len(tally.thresholds)
        self._parts.append(reading)

    def close(self) -> None:
        """Finish the group."""
        if self._group is None or self._last is None:
            return
        score, mass = self._last
        self._last = None
        self._take(RankTally(np.array([score]) + 0.0, mass[:, None]))
        self.done[self._group] = RangeReading.combine(self._parts, 1 << 62)
        self._parts, self._group = [], None
