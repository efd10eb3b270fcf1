"""Search for slices in which a metric is worse than in the other rows.

All slices of up to ``max_columns`` columns are tested, with family-wise error rate ``alpha`` (Holm
1979). It is divided equally between slices of one column, of two, and so on, so that the few
simple slices are not penalised for the many others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from skmetrics_ext.inference.tests.rank_tests import holm_adjust
from skmetrics_ext.numeric import Array
from skmetrics_ext.slices.coding import Coded
from skmetrics_ext.slices.slice_cells import ColumnCross, Slice, column_crosses
from skmetrics_ext.slices.slice_tests import ExactTests, StudentTests

# A slice is not tested if the bound of its p-value exceeds the level by this factor.
_FAR = 10.0


@dataclass(eq=False, slots=True)
class WeakSlice:
    """A slice in which the metric is worse, with the redundant slices folded into it."""

    slice: Slice
    n_rows: int
    p_value: float
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
    found : list of WeakSlice
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
    found: list[WeakSlice] = field(default_factory=list)
    undefined: list[tuple[Slice, int]] = field(default_factory=list)
    tested: dict[int, int] = field(default_factory=dict)

    @property
    def n_tested(self) -> int:
        return sum(self.tested.values())

    def level(self, one: Slice) -> float:
        """The Bonferroni level of a slice."""
        return self.alpha / (len(self.tested) * self.tested[len(one.columns)])

    def rows(self, one: WeakSlice) -> Array:
        """Mask of the rows in a slice."""
        return one.slice.contains_rows(self.coded)

    def p_value(self, one: Slice) -> float:
        """Unadjusted p-value of a slice against all other rows."""
        inside = one.contains_rows(self.coded)
        return self.tests.test(np.flatnonzero(inside), np.flatnonzero(~inside))

    # ----------------------------------------------------------------------- folding

    def is_worse(self, inside: Array, outside: Array, level: float) -> bool:
        """Whether some rows are worse than others, if there are enough of both."""
        rows, others = np.flatnonzero(inside), np.flatnonzero(outside)
        enough = min(len(rows), len(others)) >= self.min_rows
        return enough and self.tests.test(rows, others) <= level

    def is_worse_than_rest_of(self, one: WeakSlice, whole: WeakSlice, level: float) -> bool:
        """Whether a slice is worse than the rest of a slice that contains it."""
        rows = self.rows(one)
        return self.is_worse(rows, self.rows(whole) & ~rows, level)

    def is_worse_without(self, one: WeakSlice, others: Sequence[WeakSlice]) -> bool:
        """Whether a slice is still worse if the rows of other slices are excluded."""
        left = ~np.logical_or.reduce([self.rows(other) for other in others])
        rows = self.rows(one)
        return self.is_worse(rows & left, ~rows & left, self.level(one.slice))

    def redundant_with(self, one: WeakSlice, kept: Sequence[WeakSlice]) -> WeakSlice | None:
        """The slice with stronger evidence that explains a slice, if any."""
        holding = [other for other in kept if one.slice.is_part_of(other.slice)]
        for other in holding:
            if not self.is_worse_than_rest_of(one, other, self.level(one.slice)):
                return other
        if holding or not kept or self.is_worse_without(one, kept):
            return None
        rows = self.rows(one)
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
        for place, one in enumerate(self.found):
            if place in done:
                continue
            explains = self.redundant_with(one, kept)
            if explains is not None:
                explains.folded.append(one)
                continue
            for later in range(place + 1, len(self.found)):
                simpler = self.found[later]
                if later in done or not one.slice.is_part_of(simpler.slice):
                    continue
                if not self.is_worse_than_rest_of(one, simpler, self.alpha / len(self.found)):
                    simpler.folded.append(one)
                    done.add(later)
                    one = simpler
            kept.append(one)
        for one in list(kept):
            parts = [part for part in kept if part is not one and part.slice.is_part_of(one.slice)]
            if parts and not self.is_worse_without(one, parts):
                kept.remove(one)
                parts[0].folded.append(one)
        self.found = sorted(kept, key=_order)


def search(
    tests: ExactTests | StudentTests,
    coded: Sequence[Coded],
    max_columns: int,
    min_rows: int,
    alpha: float,
) -> Search:
    """Test every slice, and fold the redundant ones."""
    found = Search(tests, coded, min_rows, alpha)
    screened: dict[int, list[Array]] = {}
    crosses: dict[int, list[ColumnCross]] = {}
    for cross in column_crosses(coded, max_columns, min_rows):
        if not len(cross.kept):
            continue
        described, defined = tests.screen(cross)
        if not defined.all():
            listed, rows = cross.slices(), cross.rows[cross.kept]
            found.undefined += [(listed[k], int(rows[k])) for k in np.flatnonzero(~defined)]
        size = len(cross.columns)
        screened.setdefault(size, []).append(described[defined])
        light = replace(cross, cell=np.zeros(0, dtype=np.int64), kept=cross.kept[defined])
        crosses.setdefault(size, []).append(light)
    found.tested = {size: n for size, parts in screened.items() if (n := sum(map(len, parts)))}
    for size, number in found.tested.items():
        bounds = tests.bounds(np.concatenate(screened[size]))
        near = bounds <= min(_FAR * alpha / (number * len(found.tested)), 1.0)
        candidates = _slices_at(crosses[size], np.flatnonzero(near))
        p_values = np.ones(number)
        tested = [found.p_value(one) for one, _ in candidates]
        p_values[near] = np.maximum(tested, bounds[near])
        adjusted = np.minimum(holm_adjust(p_values) * len(found.tested), 1.0)[near]
        found.found += [
            WeakSlice(one, n_rows, float(p_value))
            for (one, n_rows), p_value in zip(candidates, adjusted, strict=True)
            if p_value <= alpha
        ]
    found.found.sort(key=_order)
    found.fold()
    return found


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


def _order(one: WeakSlice) -> tuple[float, int]:
    return one.p_value, len(one.slice.columns)
