"""Samples of rows of which some have negative weights, as in doubly robust estimates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from skmetrics_ext.inference.draws.atoms import Atoms
from skmetrics_ext.inference.draws.rankings import DrawnRankings, RankingSample, ScoreIndex
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import RankTally


@dataclass(frozen=True, eq=False, slots=True)
class _SignedRanking(RankTally):
    """A ranking with negative weights, which only sums of weights allow."""

    def __post_init__(self) -> None:
        """Nothing is refused."""


class SignedRankingSample(RankingSample):
    """A metric of rankings of rows of which some have negative weights."""

    @cached_property
    def _atoms_and_indexes(self) -> tuple[Atoms, tuple[ScoreIndex, ...]]:
        checked = self.data
        columns = checked.score.reshape(len(checked.true), -1).T
        marks = [checked.true] if self.is_one_table else checked.marks().T
        indexes = tuple(map(ScoreIndex.of_scores, columns, marks))
        return Atoms.each_row(len(checked.true), self.design, self.label), indexes

    def tally(self, counts: Array) -> DrawnRankings:
        mass = self.atoms.mass(counts)
        return DrawnRankings(tuple(_signed(index, mass) for index in self.indexes))

    def slope_by_row(self) -> None:
        return None

    def _counted(self, index: ScoreIndex) -> RankTally:
        return _signed(index, self.atoms.mass(self.atoms.rows))


def _signed(index: ScoreIndex, mass: Array) -> RankTally:
    shape = *mass.shape[:-1], 2, len(index.thresholds)
    return _SignedRanking(index.thresholds, index.scatter(mass).reshape(shape))
