"""Tables of groups in which the same classes occur: read, bounded and compared all at once.

The formulas are those of single tables, whose leading axis are the groups here. Groups with a note,
few rows, or a value that is undefined are left to the statistics of single groups, which say why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.inference import derivatives, notes
from skmetrics_ext.inference.compare_samples import least_p_value
from skmetrics_ext.inference.draws.atoms import PLAIN, Atoms
from skmetrics_ext.inference.draws.bootstrap import PLAN
from skmetrics_ext.inference.draws.readers import MOST_CLASSES, without_other_classes
from skmetrics_ext.inference.draws.samples import TableSample
from skmetrics_ext.inference.linearized import Contributions, Linearized, over_classes
from skmetrics_ext.inference.methods import Method, methods_of
from skmetrics_ext.inference.proportions import difference_distances, summed_errors
from skmetrics_ext.inference.scales import Bounds, Interval
from skmetrics_ext.merged.ranges import read
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import Labels

# Methods, and kinds of samples, whose formulas take a leading axis of groups.
_METHODS = ("wilson", "mover", "effective_n", "log", "logit", "delta")
_KINDS = ("wilson", "dice", "score", "log", "logit", "delta")
_POINTS, _ROUNDS = 1025, 2  # levels of a p-value, as of a single difference


class Stack(NamedTuple):
    """Groups, and their tables (G, K, K) over the classes that occur in each of them."""

    groups: list[Any]
    tally: ConfusionTally


def stacks_of(tables: Mapping[Any, ConfusionTally], groups: Iterable[Any]) -> list[Stack]:
    """The tables of these groups, joined where the same classes occur."""
    alike: dict[Any, list[Any]] = {}
    keys: dict[int, Any] = {}  # of arrays of classes, which most tables share
    for group in groups:
        tally = tables[group]
        classes = tally.classes
        if id(classes) not in keys:
            kind = tally.table.dtype, classes.dtype, tally.ordered
            keys[id(classes)] = *kind, *classes.tolist()
        alike.setdefault(keys[id(classes)], []).append(group)
    return [
        Stack(
            listed,
            ConfusionTally(
                tables[listed[0]].classes,
                np.stack([tables[group].table for group in listed]),
                tables[listed[0]].ordered,
            ),
        )
        for listed in alike.values()
    ]


class Bounded(NamedTuple):
    """What a row shows of a group, or of a gap, that was read with others and has no note."""

    method: str
    confidence_level: float
    value: float
    low: float
    high: float
    standard_error: float
    p_value: float = float("nan")
    value_a: float = float("nan")
    value_b: float = float("nan")
    note: str = ""
    statistic: float = float("nan")
    alternative: str = "two-sided"
    margin: None = None


@dataclass(frozen=True, eq=False)
class StackedTables(Linearized):
    """A metric of stacked tables, whose values are those of the groups at ``places``."""

    places: Any = None

    @classmethod
    def of(cls, metric: Metric, tally: ConfusionTally, places: Array) -> StackedTables | None:
        """The statistic of those counted tables (G, K, K), in which all classes occur.

        None if the metric refuses them, or has several values.
        """
        table, n_classes = tally.table[places], len(tally.classes)
        tally = ConfusionTally(tally.classes, table, tally.ordered)
        cell, rows = np.arange(n_classes**2), table.reshape(len(places), -1)
        atoms = Atoms(rows, label=cell // n_classes)
        known = {"atoms": atoms, "cell": cell, "table": table}
        known["by_class"] = table.sum(axis=-1).min(axis=0)  # only those with enough are noted
        value = read(metric, tally).value
        if np.shape(value) != places.shape:
            return None
        sample = TableSample(metric, value, tally, PLAIN, known)
        slope = derivatives.value_and_gradient(sample.read, table)[1].reshape(rows.shape)
        slope = np.where(rows > 0, slope, 0.0)
        mean = np.einsum("gu,gu->g", slope, rows) / rows.sum(axis=-1)
        parts = np.where(rows > 0, slope - mean[:, None], 0.0)
        known_parts = Contributions(parts, atoms)
        return cls(value, sample, sample.bounds, known=known_parts, places=places)

    @cached_property
    def freedom(self) -> Array:
        """Degrees of freedom by the way that leaves least, as those of a single table."""
        table: Array = self.origin.table
        n_rows = self.atoms.rows.sum(axis=-1)
        freedom = over_classes(self.squares[:, None], n_rows[:, None])[1]
        squares = table * self.influence.reshape(table.shape) ** 2
        for axis in (-1, -2):
            by_class = over_classes(squares.sum(axis=axis), table.sum(axis=axis))
            freedom = np.fmin(freedom, by_class[1])
        return freedom

    @cached_property
    def usual(self) -> tuple[str, Method | None]:
        """The default method, and its formula if that takes a leading axis."""
        name, compute = next(iter(methods_of(self).items()))
        is_stacked = name in _METHODS and self.origin.kind in _KINDS
        return name, compute if is_stacked else None

    def is_regular(self) -> Array:
        """Whether each value lies within its range and varies, and no class has too few rows."""
        table, rows, (low, high) = self.origin.table, self.atoms.rows, self.bounds
        varies = np.abs(self.influence).max(axis=-1) * rows.sum(axis=-1) > notes.ROUNDING
        found = varies & (low < self.value) & (self.value < high) & ~self.origin.is_undefined
        if self.usual[0] != "wilson":  # its note counts the rows of the share
            for axis in (-1, -2):
                found &= (table.sum(axis=axis) >= notes.OF_SHARES).all(axis=-1)
            found &= rows.sum(axis=-1) >= 2 * notes.OF_SHARES
        return np.asarray(found)

    def at(self, level: Any) -> Interval:
        """The default interval at a level, or at one for each group."""
        name, compute = self.usual
        assert compute is not None
        return compute(self, name, level, PLAN)


def _stacked(metric: Metric, tally: ConfusionTally, places: Array) -> StackedTables | None:
    """The statistic of those tables whose intervals have one formula."""
    n = len(tally.classes)
    if tally.table.dtype.kind != "i" or n > MOST_CLASSES:
        return None
    true, pred = np.divmod(np.arange(n * n), n)
    labels = Labels("multiclass", tally.classes, true, pred, None, tally.ordered)
    metric, data = without_other_classes(metric, labels)
    table = tally.table[places]
    regular = ((table.sum(axis=-1) + table.sum(axis=-2)) > 0).all(axis=-1)
    while data is labels and regular.any():
        places = places[regular]
        statistic = StackedTables.of(metric, tally, places)
        if statistic is None or statistic.usual[1] is None:
            return None
        regular = statistic.is_regular()
        if regular.all():
            return statistic
    return None


def intervals_of(
    metric: Metric, tally: ConfusionTally, places: Array, level: float
) -> dict[int, Bounded]:
    """The default intervals of a metric of those stacked tables (G, K, K), by their places."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        statistic = _stacked(metric, tally, places)
        if statistic is None:
            return {}
        low, high, error, note = statistic.at(level)[:4]
        is_plain, method = (note == "") & (low < high), statistic.usual[0]
    columns = statistic.places, statistic.value, low, high, error
    rows = _rows_of(columns, is_plain)
    return {place: Bounded(method, level, *numbers) for place, *numbers in rows}


def differences_of(
    metric: Metric, tallies: Sequence[ConfusionTally], level: float
) -> dict[int, Bounded]:
    """Differences between two stacks of other rows, as `difference_of_samples` has them."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        sides = _both(metric, tallies)
        if len(sides) < 2:
            return {}
        a, b = sides

        def distances(level: Any) -> Bounds:
            ends = [(side.value, side.at(level)) for side in sides]
            return difference_distances([(v - end.low, end.high - v) for v, end in ends])

        (down, up), difference = distances(level), a.value - b.value
        error, p_value = summed_errors(a.error, b.error, 0.0), _p_values(distances, difference)
        is_plain = np.isfinite(down + up)
        for side in sides:
            is_plain &= side.at(level).notes == ""
    columns = a.places, difference, difference - down, difference + up, error, p_value
    name = a.usual[0]
    label = name if name == "mover" else f"mover, {name}"
    rows = _rows_of((*columns, a.value, b.value), is_plain)
    return {place: Bounded(label, level, *numbers) for place, *numbers in rows}


def _both(metric: Metric, tallies: Sequence[ConfusionTally]) -> list[StackedTables]:
    """The statistics of both sides, for the groups that both have; none if methods differ."""
    places = np.arange(len(tallies[0].table))
    for _ in range(2):  # of each side alone, then of the groups that both have
        found = [_stacked(metric, tally, places) for tally in tallies]
        sides = [side for side in found if side is not None]
        if len({side.usual[0] for side in sides}) > 1 or len(sides) < len(tallies):
            return []
        places = np.intersect1d(*(side.places for side in sides))
    return sides if all(len(side.places) == len(places) for side in sides) else []


def _rows_of(columns: Sequence[Array], kept: Array) -> Iterator[Any]:
    return zip(*(column[kept].tolist() for column in columns), strict=True)


def _p_values(away: Callable[[Any], Bounds], distance: Array) -> Array:
    """1 minus the levels at which intervals reach this far, as `p_value_from_bounds` finds it.

    Bounds move away as the level rises, so that the step of the grid is found by halving.
    """
    from scipy.special import ndtr, ndtri

    least = least_p_value("", PLAN)

    def short(z: Array) -> Array:
        down, up = away(1 - 2 * ndtr(-z))
        return np.abs(distance) - np.where(distance > 0, down, up)

    near, far = np.full(len(distance), 1e-6), np.full(len(distance), -float(ndtri(least / 2)))
    is_least, is_one = short(far) > 0, (distance == 0) | ~(short(near) > 0)
    for _ in range(_ROUNDS):
        start, stop, step = near, far, (far - near) / (_POINTS - 1)
        below, above = np.zeros(len(distance)), np.full(len(distance), _POINTS - 1.0)
        while (above - below).max(initial=0) > 1:
            middle = (below + above) // 2
            is_short = short(middle * step + start) > 0
            below, above = np.where(is_short, middle, below), np.where(is_short, above, middle)
        near = below * step + start
        far = np.where(above == _POINTS - 1, stop, above * step + start)
    ends = short(near), short(far)
    share = ends[0] / (ends[0] - ends[1])
    p_values = 2 * ndtr(-(near + share * (far - near)))
    return np.where(is_one, 1.0, np.where(is_least, least, p_values))
