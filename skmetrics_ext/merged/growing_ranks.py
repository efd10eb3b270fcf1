"""Rank tallies that grow: merged like the digits of a counter, each score log n times."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from skmetrics_ext.merged.columns import GroupRows
from skmetrics_ext.tallies import RankTally


class RankStack:
    """Tallies of one column of scores, of which each is at least twice as long as the next."""

    __slots__ = ("tallies",)

    def __init__(self, tallies: Iterable[RankTally] = ()) -> None:
        self.tallies = list(tallies)

    def __len__(self) -> int:
        return sum(len(tally.thresholds) for tally in self.tallies)

    def add(self, tally: RankTally) -> None:
        """Put another tally on top."""
        self.tallies.append(tally)
        while len(self.tallies) > 1 and (
            len(self.tallies[-2].thresholds) < 2 * len(self.tallies[-1].thresholds)
        ):
            last = self.tallies.pop()
            self.tallies[-1] = self.tallies[-1].merge(last)

    def whole(self) -> RankTally:
        """One tally of everything."""
        if len(self.tallies) > 1:
            self.tallies = [RankTally.combine(self.tallies)]
        return self.tallies[0]


def tallies_of(rows: GroupRows, n_classes: int) -> list[RankTally]:
    """Weight of each class at each distinct score, of every column."""
    return [
        RankTally.from_scores(np.ascontiguousarray(column), rows.true, n_classes, rows.weight)
        for column in rows.score.T
    ]
