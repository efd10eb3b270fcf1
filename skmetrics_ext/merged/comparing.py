"""Gaps between the groups of an evaluation, the worst of them, and what chance would show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.formats import interval, number, probability, signed
from skmetrics_ext.inference.compare_samples import difference_of_samples
from skmetrics_ext.inference.linearized import Linearized
from skmetrics_ext.inference.margins import Claim
from skmetrics_ext.inference.methods import interval_of, methods_of
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.tests.rank_tests import holm_adjust
from skmetrics_ext.merged.samples import Bounded, StatisticSource
from skmetrics_ext.numeric import divide
from skmetrics_ext.registry import Metric
from skmetrics_ext.rows import Row, Rows, Shown
from skmetrics_ext.slices.group_columns import ALL, NO_GROUPS, GroupColumns
from skmetrics_ext.slices.results import GroupGaps, GroupSpread, WorstGroup
from skmetrics_ext.slices.spreads import compare_ranges
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import near, shown_names

AGAINST = ("rest", "overall", "best")
_LEAST = 2  # groups that can be compared
_NAN = float("nan")
_EXACT = "clopper_pearson"
_SHARED = "it is resampled, and the groups share rows: compare with the rest"


class Point(NamedTuple):
    """A group in words, its value, interval and number of rows."""

    name: str
    value: float
    low: float
    high: float
    n_rows: int


@dataclass(frozen=True, slots=True)
class Picture:
    """Groups by one metric, and the value of all rows: what a picture of them shows."""

    metric: str
    points: list[Point]
    overall: float | None
    level: float


@dataclass(frozen=True, slots=True)
class Gap:
    """How a group differs from what it is compared with."""

    value: float = _NAN
    reference: float = _NAN
    difference: float = _NAN
    ratio: float = _NAN
    low: float = _NAN
    high: float = _NAN
    p_value: float = _NAN
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of an evaluation, and what is known of their rows.

    Parameters
    ----------
    by : GroupColumns
    asked : mapping of str to Metric
    source : StatisticSource or None
    n_rows : mapping of group to int
    min_rows : int
        Groups of fewer rows are not compared.
    is_scored : bool
        Whether losses are negated, so that what is greater is better.
    """

    by: GroupColumns = NO_GROUPS
    asked: Mapping[str, Metric] = field(default_factory=dict)
    source: StatisticSource | None = None
    n_rows: Mapping[Any, int] = field(default_factory=dict)
    min_rows: int = 1
    is_scored: bool = False

    def of(self, metric: str) -> Comparable:
        """The groups by one of the metrics."""
        if not self.by.names or self.source is None:
            raise InvalidParameterError("There are no groups to compare: pass by=.")
        if metric not in self.asked:
            raise InvalidParameterError(
                f"metric={metric!r} was not asked for.{near(str(metric), self.asked)} "
                f"Metrics: {shown_names(self.asked)}."
            )
        about = self.n_rows, self.min_rows, self.is_scored
        return Comparable(self.asked[metric], self.by, self.source, *about)


class Comparable:
    """The groups of an evaluation, with what their rows add to one of its metrics.

    Parameters
    ----------
    metric : Metric
    by : GroupColumns
    source : StatisticSource
    n_rows : mapping
        Rows of each group, in order; margins and all rows among them.
    too_few : int
        Groups of fewer rows are not compared.
    is_scored : bool
        Whether losses are negated.
    """

    def __init__(
        self,
        metric: Metric,
        by: GroupColumns,
        source: StatisticSource,
        n_rows: Mapping[Any, int],
        too_few: int = 1,
        is_scored: bool = False,
    ) -> None:
        self.metric, self.by, self.source = metric, by, source
        self.n_rows, self.too_few, self.is_scored = n_rows, too_few, is_scored
        self.cells = by.whole(n_rows)
        self._found: dict[tuple[Any, ...], Linearized | str] = {}

    @property
    def sign(self) -> float:
        """1 of a metric that is better when higher, -1 of a loss."""
        better = self.metric.spec.greater_is_better
        if better is None:
            raise InvalidParameterError(
                f"{self.metric.name} is neither better when higher nor when lower: no group of it "
                "is the best or the worst."
            )
        return 1.0 if better or self.is_scored else -1.0

    @property
    def turn(self) -> float:
        """-1 where values are shown as scores of a loss."""
        is_loss = self.metric.spec.greater_is_better is False
        return -1.0 if self.is_scored and is_loss else 1.0

    def interval(self, group: Any, level: float) -> tuple[float, *Bounded]:
        """Value of a group, its bounds, method and note, or why there are none."""
        one = self.of(self.parts(group))
        if isinstance(one, str):
            return _NAN, _NAN, _NAN, "", one
        found = interval_of(one, "auto", level, self.source.plan)
        assert isinstance(found, Estimate)
        low, high = sorted((self.turn * found.low, self.turn * found.high))
        return self.turn * found.value, low, high, found.method, found.note

    def of(self, cells: list[Any]) -> Linearized | str:
        """The metric of the rows of these groups of all columns."""
        key = tuple(cells)
        if key not in self._found:
            n_rows = sum(self.n_rows[cell] for cell in cells)
            if not cells:
                self._found[key] = "there are no other rows"
            elif n_rows < self.too_few:
                self._found[key] = f"{n_rows} rows are fewer than min_rows={self.too_few}"
            else:
                self._found[key] = self.source.statistic(self.metric, cells)
        return self._found[key]

    def parts(self, group: Any) -> list[Any]:
        """The groups of all columns that a group is made of."""
        return self.by.parts(group, self.cells)

    def groups(self) -> list[Any]:
        """All groups but that of all rows, in order."""
        return [group for group in self.n_rows if any(self.by.level_of(group))]

    def ranked(self, level: Any) -> list[Any]:
        """Groups that tell the same columns apart and have a value, the best first."""
        alike = [other for other in self.groups() if self.by.level_of(other) == level]
        found = {other: self.of(self.parts(other)) for other in alike}
        known = {other: one.value for other, one in found.items() if isinstance(one, Linearized)}
        return sorted(known, key=lambda other: -self.sign * self.turn * known[other])


# --------------------------------------------------------------------------- gaps


def gaps(of: Comparable, against: Any, level: float) -> GroupGaps:
    """How each group differs from what it is compared with."""
    rows = _gaps_to_best(of, level) if against == "best" else _gaps_alone(of, against, level)
    names = of.by.names
    table = [
        {**of.by.values(row.group), **{k: v for k, v in row.items() if k != "group"}}
        for row in rows
    ]
    shown = [
        *(Shown(name, is_text=True, none=ALL) for name in names),
        Shown("value", form=number),
        Shown("reference", form=number),
        Shown("difference", form=signed),
        Shown(f"{100 * level:g}% interval", ("low", "high"), interval),
        Shown("p_value", form=probability),
        Shown("rows", "n_rows"),
    ]
    listed = Rows(rows)
    return GroupGaps(of.metric.name, against, listed, level, names, Rows(table, shown))


def _gaps_alone(of: Comparable, against: Any, level: float) -> list[Row]:
    """Gaps to a reference that does not depend on the values, with p-values by Holm."""
    chosen = _reference(of, against)
    rows = []
    for group in of.groups():
        reference = chosen(group)
        if isinstance(reference, str):
            gap = Gap(reason=reference)
        elif reference is None:
            continue
        else:
            gap = _gap(of, of.parts(group), reference, level)
        rows.append(_row(of, group, gap))
    return _adjusted(rows)


def _adjusted(rows: list[Row], n_more: int = 0) -> list[Row]:
    """Rows with p-values by Holm, where so many more hypotheses are true for sure."""
    adjusted = holm_adjust([row.p_value for row in rows] + [1.0] * n_more)
    for row, p_value in zip(rows, adjusted.tolist()[: len(rows)], strict=True):
        row["p_value"] = p_value
    return rows


def _row(of: Comparable, group: Any, gap: Gap) -> Row:
    told = {name: getattr(gap, name) for name in gap.__slots__}
    return Row(group=group, **told, n_rows=of.n_rows[group])


def _gaps_to_best(of: Comparable, level: float) -> list[Row]:
    """Gaps to the truly best group, simultaneously (Hsu 1996).

    Intervals of the gaps to one of k groups hold together at 1 - alpha / (k - 1) each. Groups that
    may exceed the best value are its rivals: the bounds are the widest of the gaps to them, and
    no gap is on the better side of 0. A p-value is that of being the best; groups can tie as the
    best, so that all of them are adjusted, by Holm.
    """
    rows = []
    ranks = {kind: of.ranked(kind) for kind in dict.fromkeys(map(of.by.level_of, of.groups()))}
    rivals: dict[Any, list[Any]] = {}
    for group in of.groups():
        kind = of.by.level_of(group)
        ranked = ranks[kind]
        if group in ranked[:1]:
            continue
        if not ranked:
            rows.append(_row(of, group, Gap(reason="undefined")))
            continue
        n_tests = max(len(ranked) - 1, 1)
        each = 1 - (1 - level) / n_tests

        def gap_to(other: Any, group: Any = group, each: float = each) -> Gap:
            return _gap(of, of.parts(group), of.parts(other), each)

        gap = gap_to(ranked[0])
        if kind not in rivals:
            rivals[kind] = [
                other for other in ranked[1:] if not _is_worse(of, gap_to(ranked[0], other))
            ]
        gaps = [gap, *(gap_to(other) for other in rivals[kind] if other != group)]
        low, high = np.nanmin([one.low for one in gaps]), np.nanmax([one.high for one in gaps])
        if of.sign > 0:
            high = 0.0 if group in rivals[kind] else min(high, 0.0)
        else:
            low = 0.0 if group in rivals[kind] else max(low, 0.0)
        p_value = min(n_tests * gap.p_value, 1.0)
        rows.append(_row(of, group, replace(gap, low=low, high=high, p_value=p_value)))
    return _adjusted(rows, len(ranks))  # the best group of each kind has no row


def _is_worse(of: Comparable, gap: Gap) -> bool:
    """Whether the whole interval of a gap is on the worse side of 0."""
    return (gap.high if of.sign > 0 else -gap.low) < 0


def _gap(of: Comparable, cells: list[Any], reference: list[Any], level: float) -> Gap:
    """A group less its reference, in the direction in which values are shown."""
    first, second = of.of(cells), of.of(reference)
    if isinstance(first, str):
        return Gap(reason=first)
    value = of.turn * float(first.value)
    if isinstance(second, str):
        return Gap(value=value, reason=f"what it is compared with: {second}")
    other = of.turn * float(second.value)
    told = partial(Gap, value, other, ratio=float(divide(value, other)))
    share_rows = first.has_influence and second.has_influence
    if not share_rows and set(cells) & set(reference):
        return told(value - other, reason=_SHARED)
    about = "auto", Claim(), level, of.source.plan
    found = difference_of_samples(first, second, *about, share_rows=share_rows)
    low, high = sorted((of.turn * found.low, of.turn * found.high))
    reason = found.note.replace("a: ", "the group: ").replace("b: ", "the reference: ")
    reason = reason.replace("both samples", "both")
    difference, p_value = of.turn * found.difference, found.p_value
    return told(difference, low=low, high=high, p_value=p_value, reason=reason)


def _reference(of: Comparable, against: Any) -> Any:
    """What a group is compared with: groups of all columns, a reason, or None for itself."""
    if isinstance(against, Mapping):
        return partial(_like, of, _known(of, against))
    if against == "rest":
        return lambda group: [cell for cell in of.cells if not of.by.contains(group, cell)]
    if against == "overall":
        return lambda group: of.cells
    raise InvalidParameterError(
        f"against must be one of {list(AGAINST)}, or a dict of columns to the values of the group "
        f"of reference, got {against!r:.60}."
    )


def _known(of: Comparable, against: Mapping[str, Any]) -> Mapping[str, Any]:
    for name, value in against.items():
        if name not in of.by.names:
            raise InvalidParameterError(
                f"against names {name!r}, which is not among the columns of by, "
                f"{list(of.by.names)}."
            )
        found = list(dict.fromkeys(of.by.values(cell)[name] for cell in of.cells))
        if value not in found:
            hint = near(str(value), map(str, found))
            raise InvalidParameterError(
                f"against: no group has {name}={value!r}.{hint} Values: {found!s:.200}."
            )
    return against


def _like(of: Comparable, against: Mapping[str, Any], group: Any) -> Any:
    """The same group but for the columns that the reference names."""
    own = of.by.values(group)
    if any(own[name] is None for name in against) or all(
        own[name] == value for name, value in against.items()
    ):
        return None
    wanted = {**own, **against}
    found = [
        cell
        for cell in of.cells
        if all(value is None or of.by.values(cell)[name] == value for name, value in wanted.items())
    ]
    return found or "the group of reference has no rows"


# --------------------------------------------------------------------------- the worst, and chance


def worst(of: Comparable, level: float) -> WorstGroup:
    """The group whose optimistic simultaneous bound is worst."""
    found = {group: of.of(of.parts(group)) for group in of.groups()}
    known = {group: one for group, one in found.items() if isinstance(one, Linearized)}
    if not known:
        raise InvalidParameterError(_none_known(of, found))
    together = 1 - (1 - level) / len(known)
    estimates = {group: _bounded(one, together, of) for group, one in known.items()}
    sign = of.sign * of.turn

    def best_case(group: Any) -> float:
        bound = estimates[group].high if sign > 0 else estimates[group].low
        return sign * bound if np.isfinite(bound) else np.inf

    group = min(known, key=best_case)
    left_out, one = len(found) - len(known), estimates[group]
    notes = [one.note, f"{left_out} groups have no interval and are left out" if left_out else ""]
    low, high = sorted((of.turn * one.low, of.turn * one.high))
    return WorstGroup(
        of.turn * one.value,
        low,
        high,
        one.standard_error,
        "simultaneous",
        level,
        "; ".join(filter(None, notes)),
        n_groups=len(known),
        group=group,
    )


def _bounded(one: Linearized, level: float, of: Comparable) -> Estimate:
    """The interval at a high level: of shares the exact one, for others fall short far out."""
    method = _EXACT if _EXACT in methods_of(one) else "auto"
    found = interval_of(one, method, level, of.source.plan)
    assert isinstance(found, Estimate)
    return found


def spread(of: Comparable, level: float, seed: Any) -> GroupSpread:
    """The largest gap, and those of groups that are equal but for chance."""
    found = {cell: of.of([cell]) for cell in of.cells}
    known = {
        cell: one
        for cell, one in found.items()
        if isinstance(one, Linearized) and one.has_influence
    }
    if len(known) < _LEAST:
        raise InvalidParameterError(_none_known(of, found))
    groups = list(known)
    values = np.array([float(one.value) for one in known.values()])
    low, high = groups[int(np.argmin(of.turn * values))], groups[int(np.argmax(of.turn * values))]
    found_range, drawn, method = compare_ranges(list(known.values()), seed)
    as_large = int((drawn.studentized >= found_range - 1e-9).sum())
    return GroupSpread(
        float(values.max() - values.min()),
        low,
        high,
        float(drawn.ranges.mean()),
        float(np.quantile(drawn.ranges, level)),
        (1 + as_large) / (1 + len(drawn.ranges)),
        len(known),
        method,
        level,
    )


def _none_known(of: Comparable, found: dict[Any, Linearized | str]) -> str:
    reasons = sorted({one for one in found.values() if isinstance(one, str)})
    return f"{of.metric.name}: fewer than two groups can be compared ({'; '.join(reasons)[:300]})."


def drawn(of: Comparable, level: float) -> Picture:
    """What a picture of the groups shows."""
    points = []
    for group in of.groups():
        value, low, high, *_ = of.interval(group, level)
        if not np.isnan(value):
            points.append(Point(of.by.label_of(group), value, low, high, of.n_rows[group]))
    whole = of.of(of.cells)
    overall = None if isinstance(whole, str) else of.turn * float(whole.value)
    return Picture(of.metric.name, points, overall, level)
