"""The search for slices in which a metric is worse than in the other rows.

Every slice of up to so many columns is tested; the chance that any slice is found that is not
worse is kept at ``alpha`` (Holm 1979), shared equally between slices of one column, of two and so
on, so that the few simple ones do not pay for the many others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from skmetrics_ext.inference.linearized import Linearized
from skmetrics_ext.inference.tests.rank_tests import holm_adjust
from skmetrics_ext.numeric import Array
from skmetrics_ext.slices.coding import Coded
from skmetrics_ext.slices.exact import ExactTests
from skmetrics_ext.slices.looks import Look, Slice, looks
from skmetrics_ext.slices.student import StudentTests

# A slice whose bound of a p-value is above so many times what may be found is not looked into.
_FAR = 10.0


class SliceTests(Protocol):
    """What tells whether a metric is worse in a slice.

    ``look`` gives what is to be known of the slices of a look, a row each, and which of them have
    a value; ``bounds`` of such rows p-values or lower bounds of them; ``test`` that of one slice.
    """

    def look(self, look: Look) -> tuple[Array, Array]: ...

    def bounds(self, stated: Array) -> Array: ...

    def test(self, inside: Array, outside: Array) -> float: ...


def slice_tests(statistic: Linearized, sign: float) -> SliceTests:
    """Tests of a metric with influence values: exact ones of shares of rows, else t tests."""
    return ExactTests.of(statistic, sign) or StudentTests(statistic, sign)


@dataclass(eq=False, slots=True)
class WeakSlice:
    """A slice that was found, with the simpler story of it that others are folded into."""

    slice: Slice
    n_rows: int
    p_value: float
    folded: list[WeakSlice] = field(default_factory=list)


@dataclass(frozen=True, eq=False, slots=True)
class Search:
    """What was looked at, and what was found.

    Parameters
    ----------
    found : list of WeakSlice
        Those that no other explains, the strongest evidence first.
    undefined : list of (Slice, int)
        Slices in which the metric has no value, and their rows.
    tested : dict
        Number of slices that were tested, by their number of columns.
    alpha : float
        The chance that any is found that is not worse.
    """

    found: list[WeakSlice]
    undefined: list[tuple[Slice, int]]
    tested: dict[int, int]
    alpha: float

    @property
    def n_tested(self) -> int:
        return sum(self.tested.values())

    def level(self, one: Slice) -> float:
        """Its share of alpha."""
        return self.alpha / (len(self.tested) * self.tested[len(one.columns)])


def search(
    source: SliceTests, coded: Sequence[Coded], max_columns: int, min_rows: int, alpha: float
) -> Search:
    """Test every slice, and fold those that others explain."""
    stated: dict[int, list[Array]] = {}
    slices_of: dict[int, list[tuple[Look, Array]]] = {}
    undefined: list[tuple[Slice, int]] = []
    for look in looks(coded, max_columns, min_rows):
        if not len(look.kept):
            continue
        known, defined = source.look(look)
        if not defined.all():
            listed, own = look.slices(), look.rows[look.kept]
            undefined += [(listed[k], int(own[k])) for k in np.flatnonzero(~defined)]
        size = len(look.columns)
        stated.setdefault(size, []).append(known[defined])
        light = Look(look.columns, look.shape, np.zeros(0, dtype=np.int64), look.rows, look.kept)
        slices_of.setdefault(size, []).append((light, defined))
    tested = {size: sum(map(len, own)) for size, own in stated.items()}
    tested = {size: number for size, number in tested.items() if number}
    found: list[WeakSlice] = []
    for size, number in tested.items():
        bounds = source.bounds(np.concatenate(stated[size]))
        near = bounds <= min(_FAR * alpha / (number * len(tested)), 1.0)
        slices, rows = _listed(slices_of[size], near)
        p_values = np.ones(number)
        p_values[near] = np.maximum([_tested(source, coded, one) for one in slices], bounds[near])
        adjusted = np.minimum(holm_adjust(p_values) * len(tested), 1.0)[near]
        found += [
            WeakSlice(one, n_rows, float(p))
            for one, n_rows, p in zip(slices, rows, adjusted, strict=True)
            if p <= alpha
        ]
    found.sort(key=_order)
    looked = Search([], undefined, tested, alpha)
    return replace(looked, found=fold(source, coded, found, looked, min_rows))


def _listed(own: list[tuple[Look, Array]], near: Array) -> tuple[list[Slice], list[int]]:
    """The slices that are near to be found, and their rows."""
    slices: list[Slice] = []
    rows: list[int] = []
    start = 0
    for look, defined in own:
        end = start + int(defined.sum())
        here = np.flatnonzero(defined)[near[start:end]]
        if len(here):
            listed = look.slices()
            slices += [listed[k] for k in here]
            rows += look.rows[look.kept[here]].tolist()
        start = end
    return slices, rows


def _tested(source: SliceTests, coded: Sequence[Coded], one: Slice) -> float:
    inside = one.rows(coded)
    return source.test(np.flatnonzero(inside), np.flatnonzero(~inside))


# --------------------------------------------------------------------------- folding


class _Folding:
    """What the tests of parts of slices need."""

    def __init__(
        self, source: SliceTests, coded: Sequence[Coded], looked: Search, min_rows: int
    ) -> None:
        self.source, self.coded, self.looked, self.min_rows = source, coded, looked, min_rows

    def rows(self, one: WeakSlice) -> Array:
        return one.slice.rows(self.coded)

    def is_worse(self, inside: Array, outside: Array, level: float) -> bool:
        """Whether enough of some rows are worse than enough others."""
        rows, others = np.flatnonzero(inside), np.flatnonzero(outside)
        enough = min(len(rows), len(others)) >= self.min_rows
        return enough and self.source.test(rows, others) <= level

    def is_worse_than_rest_of(self, one: WeakSlice, whole: WeakSlice, level: float) -> bool:
        rows = self.rows(one)
        return self.is_worse(rows, self.rows(whole) & ~rows, level)

    def is_worse_without(self, one: WeakSlice, others: Sequence[WeakSlice]) -> bool:
        """Whether it is, at its own level, where the rows of others are left out everywhere."""
        left = ~np.logical_or.reduce([self.rows(other) for other in others])
        rows = self.rows(one)
        return self.is_worse(rows & left, ~rows & left, self.looked.level(one.slice))

    def explaining(self, one: WeakSlice, kept: Sequence[WeakSlice]) -> WeakSlice | None:
        """Which of those before it explains a slice."""
        holding = [other for other in kept if one.slice.is_part_of(other.slice)]
        level = self.looked.level(one.slice)
        for other in holding:
            if not self.is_worse_than_rest_of(one, other, level):
                return other
        if holding or not kept or self.is_worse_without(one, kept):
            return None
        rows = self.rows(one)
        shared = [np.count_nonzero(self.rows(other) & rows) for other in kept]
        return kept[int(np.argmax(shared))]


def fold(
    source: SliceTests,
    coded: Sequence[Coded],
    found: list[WeakSlice],
    looked: Search,
    min_rows: int,
) -> list[WeakSlice]:
    """Leave the slices that no other explains, each with those that it explains.

    Going down the list, a slice is explained

    - by one before it that holds it, if it is not worse than the rest of that;
    - by those before it, if it is not worse where their rows are left out;
    - by a simpler one after it that holds it, if it is not worse than the rest of that.

    Last, a slice is explained by parts of it that are left, if it is not worse without them.
    All were picked out of the slices that were looked at, and have to be worse at the level of
    these; but one with more evidence than a simpler one at that of those found.
    """
    folding = _Folding(source, coded, looked, min_rows)
    kept: list[WeakSlice] = []
    done: set[int] = set()
    for place, one in enumerate(found):
        if place in done:
            continue
        explains = folding.explaining(one, kept)
        if explains is not None:
            explains.folded.append(one)
            continue
        for later in range(place + 1, len(found)):
            simpler = found[later]
            if later in done or not one.slice.is_part_of(simpler.slice):
                continue
            if not folding.is_worse_than_rest_of(one, simpler, looked.alpha / len(found)):
                simpler.folded.append(one)
                done.add(later)
                one = simpler
        kept.append(one)
    for one in list(kept):
        parts = [other for other in kept if other is not one and other.slice.is_part_of(one.slice)]
        if parts and not folding.is_worse_without(one, parts):
            kept.remove(one)
            parts[0].folded.append(one)
    return sorted(kept, key=_order)


def _order(one: WeakSlice) -> tuple[float, int]:
    return one.p_value, len(one.slice.columns)
