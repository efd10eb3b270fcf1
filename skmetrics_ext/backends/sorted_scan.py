"""Rankings from rows that come sorted: by group, and then from the highest score down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from skmetrics_ext.merged.ranges import RangePlan, RangeReading, read_range
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import RankTally


class SortedScan:
    """Reads one column of scores in bounded memory.

    Parameters
    ----------
    own : int
        The class that the column belongs to.
    totals : mapping of int to ndarray
        Weight of each class, by the number of the group.
    plan : Plan
    most : int
        Distinct scores that may be held, of all groups together.
    """

    def __init__(self, own: int, totals: Mapping[int, Array], plan: RangePlan, most: int) -> None:
        self.own, self.totals, self.plan, self.left = own, totals, plan, most
        self.done: dict[int, RangeReading] = {}
        self._parts: list[RangeReading] = []
        self._group: int | None = None
        self._held: tuple[float, Array] | None = None  # the last score, of which more may come
        self._above = np.zeros(0)

    def feed(self, group: Array, score: Array, code: Array, weight: Array | None) -> None:
        """The next rows."""
        starts = np.flatnonzero(np.diff(group)) + 1
        for start, stop in zip([0, *starts], [*starts, len(group)], strict=True):
            number = int(group[start])
            if number != self._group:
                self.close()
                self._group = number
                self._above = np.zeros_like(self.totals[number])
            part = slice(start, stop)
            self._read(score[part], code[part], None if weight is None else weight[part])

    def _read(self, score: Array, code: Array, weight: Array | None) -> None:
        n_classes = len(self._above)
        is_start = np.concatenate([[True], score[1:] != score[:-1]])
        starts = np.flatnonzero(is_start)
        if weight is None and len(starts) == len(score):
            mass = np.zeros((n_classes, len(score)), dtype=np.int64)
            mass[code, np.arange(len(score))] = 1
        else:
            one = np.ones(len(score), dtype=np.int64) if weight is None else weight
            mass = np.stack(
                [np.add.reduceat(np.where(code == c, one, 0), starts) for c in range(n_classes)]
            )
        thresholds = score[starts]
        if self._held is not None:
            last, held = self._held
            if thresholds[0] == last:
                mass[:, 0] += held
            else:
                thresholds = np.concatenate([[last], thresholds])
                mass = np.concatenate([held[:, None], mass], axis=1)
        self._held = (float(thresholds[-1]), mass[:, -1].copy())
        if len(thresholds) > 1:
            self._take(RankTally(thresholds[:-1] + 0.0, mass[:, :-1]))

    def _take(self, tally: RankTally) -> None:
        assert self._group is not None
        reading = read_range(
            tally,
            self.own,
            self._above,
            self.totals[self._group],
            self.plan,
            (len(self._parts),),
            self.left,
        )
        self._above = self._above + tally.mass.sum(axis=1)
        if reading.table is None:  # the table of this group is not held: nor are its parts
            self.left += sum(len(p.table.thresholds) for p in self._parts if p.table is not None)
            self._parts = [replace(part, table=None) for part in self._parts]
        elif any(part.table is None for part in self._parts):
            reading = replace(reading, table=None)
        else:
            self.left -= len(tally.thresholds)
        self._parts.append(reading)

    def close(self) -> None:
        """The group has no more rows."""
        if self._group is None or self._held is None:
            return
        score, mass = self._held
        self._held = None
        self._take(RankTally(np.array([score]) + 0.0, mass[:, None]))
        self.done[self._group] = RangeReading.combine(self._parts, 1 << 62)
        self._parts, self._group = [], None


def by_name(scans: list[dict[int, RangeReading]], groups: Mapping[Any, int]) -> dict[Any, Any]:
    """Readings of all columns, by the value of the group."""
    return {
        group: [scan[number] for scan in scans]
        for group, number in groups.items()
        if number in scans[0]
    }
