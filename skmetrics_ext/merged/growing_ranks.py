"""Rank tallies that grow: they pile up, and are merged when they have doubled."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from skmetrics_ext.merged.columns import GroupRows
from skmetrics_ext.tallies import RankTally


class RankStack:
    """Tallies of one column of scores: together at most twice as long as when last merged.

    So each score is moved twice, on average, however many tallies come.
    """

    __slots__ = ("merged", "tallies")

    def __init__(self, tallies: Iterable[RankTally] = ()) -> None:
        self.tallies = list(tallies)
        self.merged = len(self.tallies[0].thresholds) if self.tallies else 0

    def __len__(self) -> int:
        return sum([len(tally.thresholds) for tally in self.tallies])

    def add(self, tally: RankTally) -> None:
        """Put another tally on top."""
        self.tallies.append(tally)
        if len(self) > 2 * self.merged:
            self.whole()

    def whole(self) -> RankTally:
        """One tally of everything."""
        if len(self.tallies) > 1:
            self.tallies = [RankTally.combine(self.tallies)]
        self.merged = len(self)
        return self.tallies[0]


def distinct_beyond(stacks: Collection[RankStack], most: int) -> int:
    """Number of distinct scores in all stacks where there are more than so many, else 0."""
    if sum(map(len, stacks)) <= most:
        return 0
    held = sum(len(stack.whole().thresholds) for stack in stacks if stack.tallies)
    return held if held > most else 0


def tallies_of(rows: GroupRows, n_classes: int) -> list[RankTally]:
    """Weight of each class at each distinct score, of every ranking."""
    return [
        RankTally.from_scores(np.ascontiguousarray(column), rows.true, n_classes, rows.weight)
        for column in rows.rankings
    ]
