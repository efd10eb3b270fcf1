"""Stretch: a range of a ranking, with the weights above it and in total."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from skmetrics_ext.numeric import Array, as_factors
from skmetrics_ext.tallies.ranks import RankTally, Steps


@dataclass(frozen=True, eq=False, slots=True)
class Stretch(RankTally):
    """The scores of a range, highest first, and their place in the whole ranking.

    Kernels read it like a full ranking, which is a stretch with nothing above or below.

    Parameters
    ----------
    thresholds : ndarray of shape (T,)
        The distinct scores of the range, falling.
    mass : ndarray of shape (C, T)
        Weight of each class at each score.
    above, whole : ndarray of shape (C,)
        Weight of each class above the range, and in all.
    """

    above: Array
    whole: Array

    @classmethod
    def of(cls, tally: RankTally, above: Array, whole: Array) -> Self:
        """A range of a ranking; counts become floats if products of them would overflow."""
        total = whole.sum()
        mass, above, whole = (as_factors(part, total) for part in (tally.mass, above, whole))
        return cls(tally.thresholds, mass, above, whole)

    def only(self, places: Array) -> RankTally:
        """The tally at some thresholds; weights between two are added to the lower one."""
        starts = np.concatenate([[0], places[:-1] + 1])
        return RankTally(self.thresholds[places], np.add.reduceat(self.mass, starts, axis=-1))

    def steps(self) -> Steps:
        """Both classes along the scores, starting from the weights above them."""
        fp, tp = (self._from_above(place) for place in (0, -1))
        return Steps(fp, tp, self.whole[0], self.whole[-1])

    def _from_above(self, place: int) -> Array:
        start = self.above[place]
        return np.concatenate([start[None], start + np.cumsum(self.mass[place])])
