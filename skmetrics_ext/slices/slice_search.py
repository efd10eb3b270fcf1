"""Search for slices in which a metric is worse than in the other rows.

All slices of up to ``max_columns`` columns are tested, with family-wise error rate ``alpha`` (Holm
1979). It is divided equally between slices of one column, of two, and so on, so that the few
simple slices are not penalised for the many others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from skmetrics_ext.inference.simultaneous import holm_adjust
from skmetrics_ext.numeric import Array
from skmetrics_ext.slices.coding import Coded, ColumnCross, Slice, column_crosses
from skmetrics_ext.slices.slice_tests import ExactTests, StudentTests

# A slice is not tested if the bound of its p-value exceeds the level by this factor.
_FAR = 10.0


@dataclass(eq=False, slots=True)
class WeakSlice:
    """A slice in which the metric is worse, with the redundant slices folded into it."""

    slice: Slice
    n_rows: int
    p_value: float
    p_alone: float
    folded: list[WeakSlice] = field(default_factory=list)


@dataclass(eq=False)
class Search:
    """The slices that were tested, and those that are worse.

    Parameters
    ----------
    tests : ExactTests or StudentTests
    coded : sequence of Coded
    min_rows : int
    alpha : float
        Family-wise error rate.
    weak : list of WeakSlice
        Weak slices that no other explains, the strongest evidence first.
    undefined : list of (Slice, int)
        Slices in which the metric is undefined, and their number of rows.
    tested : dict
        Number of slices that were tested, by their number of columns.
    """

    tests: ExactTests | StudentTests
    coded: Sequence[Coded]
    min_rows: int
    alpha: float
    weak: list[WeakSlice] = field(default_factory=list)
    undefined: list[tuple[Slice, int]] = field(default_factory=list)
    tested: dict[int, int] = field(default_factory=dict)

    @property
    def n_tested(self) -> int:
        return sum(self.tested.values())

    def level(self, part: Slice) -> float:
        """The Bonferroni level of a slice."""
        return self.alpha / (len(self.tested) * self.tested[len(part.columns)])

    def p_value(self, part: Slice) -> float:
        """Unadjusted p-value of a slice against all other rows."""
        inside = part.contains_rows(self.coded)
        return self.tests.test(np.flatnonzero(inside), np.flatnonzero(~inside))

    # ----------------------------------------------------------------------- folding

    def rows(self, *slices: WeakSlice) -> Array:
        """Mask of the rows in any of the slices."""
        return np.logical_or.reduce([weak.slice.contains_rows(self.coded) for weak in slices])

    def is_worse_among(self, weak: WeakSlice, among: Array, level: float) -> bool:
        """Whether a slice is worse than the others of some rows, if there are enough of both."""
        inside = self.rows(weak)
        rows, others = np.flatnonzero(inside & among), np.flatnonzero(~inside & among)
        enough = min(len(rows), len(others)) >= self.min_rows
        return enough and self.tests.test(rows, others) <= level

    def redundant_with(self, weak: WeakSlice, kept: Sequence[WeakSlice]) -> WeakSlice | None:
        """The slice with stronger evidence that explains a slice, if any."""
        level = self.level(weak.slice)
        holding = [other for other in kept if weak.slice.is_part_of(other.slice)]
        for other in holding:
            if not self.is_worse_among(weak, self.rows(other), level):
                return other
        if holding or not kept or self.is_worse_among(weak, ~self.rows(*kept), level):
            return None
        rows = self.rows(weak)
        return max(kept, key=lambda other: np.count_nonzero(self.rows(other) & rows))

    def fold(self) -> None:
        """Keep the slices that no other explains, each with those that it explains.

        From the strongest evidence down, a slice is explained by

        - an earlier slice that contains it, if it is not worse than the rest of that slice;
        - the earlier slices together, if it is not worse once their rows are excluded;
        - a simpler later slice that contains it, if it is not worse than the rest of that slice.

        Finally, a slice is explained by its remaining parts, if it is not worse without them. The
        level is that of all tested slices; that of the weak slices if a slice with stronger
        evidence is compared with a simpler one.
        """
        kept: list[WeakSlice] = []
        done: set[int] = set()
        for place, weak in enumerate(self.weak):
            if place in done:
                continue
            explains = self.redundant_with(weak, kept)
            if explains is not None:
                explains.folded.append(weak)
                continue
            for later in range(place + 1, len(self.weak)):
                simpler = self.weak[later]
                if later in done or not weak.slice.is_part_of(simpler.slice):
                    continue
                if not self.is_worse_among(weak, self.rows(simpler), self.alpha / len(self.weak)):
                    simpler.folded.append(weak)
                    done.add(later)
                    weak = simpler
            kept.append(weak)
        for weak in list(kept):
            others = [other for other in kept if other is not weak]
            parts = [other for other in others if other.slice.is_part_of(weak.slice)]
            if parts and not self.is_worse_among(weak, ~self.rows(*parts), self.level(weak.slice)):
                kept.remove(weak)
                parts[0].folded.append(weak)
        self.weak = sorted(kept, key=_order)


def search(
    tests: ExactTests | StudentTests,
    coded: Sequence[Coded],
    max_columns: int,
    min_rows: int,
    alpha: float,
) -> Search:
    """Test every slice, and fold the redundant ones."""
    result = Search(tests, coded, min_rows, alpha)
    screened: dict[int, list[Array]] = {}
    crosses: dict[int, list[ColumnCross]] = {}
    for cross in column_crosses(coded, max_columns, min_rows):
        if not len(cross.kept):
            continue
        described, defined = tests.screen(cross)
        if not defined.all():
            listed, rows = cross.slices(), cross.rows[cross.kept]
            result.undefined += [(listed[k], int(rows[k])) for k in np.flatnonzero(~defined)]
        size = len(cross.columns)
        screened.setdefault(size, []).append(described[defined])
        light = replace(cross, cell=np.zeros(0, dtype=np.int64), kept=cross.kept[defined])
        crosses.setdefault(size, []).append(light)
    result.tested = {size: n for size, parts in screened.items() if (n := sum(map(len, parts)))}
    for size, number in result.tested.items():
        bounds = tests.bounds(np.concatenate(screened[size]))
        near = bounds <= min(_FAR * alpha / (number * len(result.tested)), 1.0)
        candidates = _slices_at(crosses[size], np.flatnonzero(near))
        p_values = np.ones(number)
        p_values[near] = np.maximum([result.p_value(part) for part, _ in candidates], bounds[near])
        adjusted = np.minimum(holm_adjust(p_values) * len(result.tested), 1.0)[near]
        result.weak += [
            WeakSlice(part, n_rows, float(p), float(alone))
            for (part, n_rows), p, alone in zip(candidates, adjusted, p_values[near], strict=True)
            if p <= alpha
        ]
    result.weak.sort(key=_order)
    result.fold()
    return result


def _slices_at(crosses: Sequence[ColumnCross], places: Array) -> list[tuple[Slice, int]]:
    """The slices with these indices among those of all crosses, and their number of rows."""
    slices: list[tuple[Slice, int]] = []
    start = 0
    for cross in crosses:
        here = places[(places >= start) & (places < start + len(cross.kept))] - start
        part = replace(cross, kept=cross.kept[here])
        slices += zip(part.slices(), part.rows[part.kept].tolist(), strict=True)
        start += len(cross.kept)
    return slices


def _order(weak: WeakSlice) -> tuple[float, int]:
    return weak.p_value, len(weak.slice.columns)
