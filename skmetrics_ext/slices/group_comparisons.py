"""Gaps between groups, the worst group, and the largest gap that chance explains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from skmetrics_ext.formats import fields_of, p_value_text
from skmetrics_ext.inference.compare_samples import difference_of_samples
from skmetrics_ext.inference.draws.bootstrap import DrawPlan
from skmetrics_ext.inference.linearized import Linearized
from skmetrics_ext.inference.margins import Claim
from skmetrics_ext.inference.methods import interval_of, methods_of
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.scales import drawn_p_value
from skmetrics_ext.inference.simultaneous import optimistic_estimates
from skmetrics_ext.inference.tests.rank_tests import holm_adjust
from skmetrics_ext.numeric import divide
from skmetrics_ext.registry import Metric
from skmetrics_ext.registry.find import registered_name
from skmetrics_ext.result_bases import Result
from skmetrics_ext.slices.chance_spread import compare_ranges, p_value_of_means
from skmetrics_ext.slices.group_columns import NO_GROUPS, GroupColumns
from skmetrics_ext.tables import Row, Table, Tabular, columns
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import near, shown_names

AGAINST = ("rest", "overall", "best")
_NAN = float("nan")
_SHARED = "it is resampled, and the groups share rows: compare with the rest"
_SINGLE = "groups are compared by single numbers: ask for an average"
_GAP = ("value", "reference", "difference", "ratio", "low", "high", "p_value")

Bounded = tuple[float, float, str, str]  # low, high, method, note or reason


class Picture(NamedTuple):
    """Values of the groups and of all rows, for a plot.

    ``points`` are rows of name, value, low, high and n_rows.
    """

    metric: str
    points: list[Row]
    overall: float | None
    level: float


class StatisticSource(Protocol):
    """Source of the statistics of groups: rows, sums or folds."""

    def statistic(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        """Statistic of a metric of the rows of some groups, or why there is none."""

    @property
    def plan(self) -> DrawPlan:
        """How rows are resampled, for metrics without a derivative."""


def bounds_of(
    statistic: Linearized | str,
    level: float,
    plan: DrawPlan,
    method: str = "auto",
    is_whole: bool = False,
) -> list[Bounded]:
    """Bounds of each value with method and note, or the reason why there are none."""
    if isinstance(statistic, str):
        return [(_NAN, _NAN, "", statistic)]
    applies = method == "auto" or method in methods_of(statistic)
    estimates = interval_of(statistic, method if applies else "auto", level, plan, is_whole)
    each = [estimates] if isinstance(estimates, Estimate) else estimates
    return [(one.low, one.high, one.method, one.note) for one in each]


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of an evaluation, and the statistics of their rows.

    Parameters
    ----------
    by : GroupColumns
    metrics : mapping of str to Metric
    source : StatisticSource or None
    n_rows : mapping of group to int
        Rows of each group, in order; margins and all rows among them.
    min_rows : int
        Groups of fewer rows are not compared.
    is_scored : bool
        Whether losses are negated, so that greater is better.
    """

    by: GroupColumns = NO_GROUPS
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    source: StatisticSource | None = None
    n_rows: Mapping[Any, int] = field(default_factory=dict)
    min_rows: int = 1
    is_scored: bool = False

    def of(self, metric: str) -> GroupComparison:
        """Compare the groups by one of the metrics."""
        if not self.by.names or self.source is None:
            raise InvalidParameterError("There are no groups to compare: pass by=.")
        metric = registered_name(metric, self.metrics) if isinstance(metric, str) else metric
        if not isinstance(metric, str) or metric not in self.metrics:
            raise InvalidParameterError(
                f"metric={metric!r} was not asked for.{near(str(metric), self.metrics)} "
                f"Metrics: {shown_names(self.metrics)}."
            )
        return GroupComparison(self, self.metrics[metric], self.source)


class GroupComparison:
    """One metric of groups, read from their statistics.

    Parameters
    ----------
    groups : Groups
    metric : Metric
    source : StatisticSource
    """

    def __init__(self, groups: Groups, metric: Metric, source: StatisticSource) -> None:
        self.by, self.n_rows, self.min_rows = groups.by, groups.n_rows, groups.min_rows
        self.metric, self.source = metric, source
        self.cells = self.by.whole(self.n_rows)
        self.groups = [group for group in self.n_rows if any(self.by.level_of(group))]
        # -1 if a loss is shown as a score.
        is_loss = metric.spec.greater_is_better is False
        self.turn = -1.0 if groups.is_scored and is_loss else 1.0
        self._statistic = cache(self._read)

    def statistic(self, cells: Iterable[Any]) -> Linearized | str:
        """Statistic of the rows of some cells together, or the reason why there is none."""
        return self._statistic(tuple(cells))

    def _read(self, cells: tuple[Any, ...]) -> Linearized | str:
        if not cells:
            return "there are no other rows"
        n_rows = sum(self.n_rows[cell] for cell in cells)
        if n_rows < self.min_rows:
            return f"{n_rows} rows are fewer than min_rows={self.min_rows}"
        statistic = self.source.statistic(self.metric, cells)
        if isinstance(statistic, Linearized) and np.ndim(statistic.value):
            return _SINGLE
        if isinstance(statistic, Linearized) and statistic.undefined:
            return self.metric.spec.undefined
        return statistic

    def parts(self, group: Any) -> list[Any]:
        """The cells that a group consists of: groups with a value of every column."""
        return self.by.parts(group, self.cells)

    def interval(self, group: Any, level: float) -> tuple[float, *Bounded]:
        """Value of a group, with bounds, method and note, or the reason why there are none."""
        statistic = self.statistic(self.parts(group))
        value = _NAN if isinstance(statistic, str) else float(statistic.value)
        ((low, high, method, note),) = bounds_of(statistic, level, self.source.plan)
        return *self._shown(value, low, high), method, note

    def _shown(self, value: float, low: float, high: float) -> tuple[float, float, float]:
        """A value and its bounds as displayed."""
        return (value, low, high) if self.turn > 0 else (-value, -high, -low)

    @property
    def sign(self) -> float:
        """1 if greater values of the metric are better, else -1."""
        better = self.metric.spec.greater_is_better
        if better is None:
            raise InvalidParameterError(
                f"{self.metric.name} is neither better when higher nor when lower: no group of it "
                "is the best or the worst."
            )
        return 1.0 if better else -1.0

    def known(self, groups: Iterable[Any]) -> dict[Any, Linearized]:
        """The statistics of those groups that have one."""
        statistics = ((group, self.statistic(self.parts(group))) for group in groups)
        return {group: known for group, known in statistics if isinstance(known, Linearized)}

    def ranked(self, level: tuple[bool, ...]) -> list[Any]:
        """Groups by these columns that have a statistic, the best first."""
        known = self.known(group for group in self.groups if self.by.level_of(group) == level)
        return sorted(known, key=lambda group: -self.sign * known[group].value)

    def too_few(self, groups: Iterable[Any]) -> InvalidParameterError:
        """Error for groups of which fewer than two have a statistic."""
        statistics = {self.statistic(self.parts(group)) for group in groups}
        reasons = "; ".join(sorted(why for why in statistics if isinstance(why, str)))
        return InvalidParameterError(
            f"{self.metric.name}: fewer than two groups can be compared ({reasons[:300]})."
        )

    # ----------------------------------------------------------------------- gaps

    def gaps(self, against: Any, level: float) -> GroupGaps:
        """How each group differs from its reference."""
        self._check_against(against)
        if against == "best":
            rows = self._gaps_to_best(level)
        else:
            references = {group: self._reference(against, group) for group in self.groups}
            rows = _adjusted(
                [
                    self._row(group, self._gap(group, reference, level))
                    for group, reference in references.items()
                    if reference is not None
                ]
            )
        return GroupGaps(self.metric.name, against, Table(rows), level, self.by.names, self.by)

    def _row(self, group: Any, gap: Mapping[str, Any]) -> Row:
        """A gap as displayed."""
        row = Row(group=group, **gap, n_rows=self.n_rows[group])
        row["value"], row["reference"] = self.turn * row.value, self.turn * row.reference
        shown = self._shown(row.difference, row.low, row.high)
        row["difference"], row["low"], row["high"] = shown
        return row

    def _gaps_to_best(self, level: float) -> list[Row]:
        """Simultaneous intervals of the gaps to the truly best group (Hsu 1996).

        Intervals of the gaps to one of k groups are simultaneous at level 1 - alpha / (k - 1)
        each. Groups that may exceed the best value are its rivals: the bounds are the widest of
        the gaps to them, and no gap is on the better side of 0. The p-value is for the hypothesis
        that the group is the best. Several groups can be, so all p-values are adjusted, by Holm.
        """
        levels = {group: self.by.level_of(group) for group in self.groups}
        ranks = {kind: self.ranked(kind) for kind in dict.fromkeys(levels.values())}
        rivals: dict[Any, list[Any]] = {}
        rows = []
        for group, kind in levels.items():
            ranked = ranks[kind]
            if group in ranked[:1]:
                continue
            if not ranked:
                rows.append(self._row(group, self._gap(group, "undefined", level)))
                continue
            n_tests = max(len(ranked) - 1, 1)
            each, best = 1 - (1 - level) / n_tests, self.parts(ranked[0])
            if kind not in rivals:
                to_best = {other: self._gap(other, best, each) for other in ranked[1:]}
                rivals[kind] = [
                    other
                    for other, gap in to_best.items()
                    if not (gap["high"] < 0 if self.sign > 0 else gap["low"] > 0)
                ]
            references = [ranked[0], *(other for other in rivals[kind] if other != group)]
            gaps = [self._gap(group, self.parts(other), each) for other in references]
            low = np.nanmin([gap["low"] for gap in gaps])
            high = np.nanmax([gap["high"] for gap in gaps])
            if self.sign > 0:
                high = 0.0 if group in rivals[kind] else min(high, 0.0)
            else:
                low = 0.0 if group in rivals[kind] else max(low, 0.0)
            p_value = min(n_tests * gaps[0]["p_value"], 1.0)
            rows.append(self._row(group, gaps[0] | {"low": low, "high": high, "p_value": p_value}))
        return _adjusted(rows, len(ranks))  # the best group of each kind has no row

    def _gap(self, group: Any, reference: list[Any] | str, level: float) -> dict[str, Any]:
        """Difference between a group and the cells of its reference, or why that has none."""
        cells = self.parts(group)
        gap: dict[str, Any] = {**dict.fromkeys(_GAP, _NAN), "reason": ""}
        if isinstance(reference, str):
            return gap | {"reason": reference}
        first, second = self.statistic(cells), self.statistic(reference)
        if isinstance(first, str):
            return gap | {"reason": first}
        gap["value"] = value = float(first.value)
        if isinstance(second, str):
            return gap | {"reason": f"the reference: {second}"}
        gap["reference"] = other = float(second.value)
        gap["ratio"] = float(divide(value, other))
        share_rows = first.has_influence and second.has_influence
        if not share_rows and set(cells) & set(reference):
            return gap | {"difference": value - other, "reason": _SHARED}
        compared = difference_of_samples(
            first, second, "auto", Claim(), level, self.source.plan, share_rows=share_rows
        )
        gap |= {name: getattr(compared, name) for name in ("difference", "low", "high", "p_value")}
        reason = compared.note.replace("a: ", "the group: ").replace("b: ", "the reference: ")
        return gap | {"reason": reason.replace("both samples", "both")}

    def _check_against(self, against: Any) -> None:
        if not isinstance(against, Mapping):
            if isinstance(against, str) and against in AGAINST:
                return
            raise InvalidParameterError(
                f"against must be one of {list(AGAINST)}, or a dict of columns to the values of "
                f"the group of reference, got {against!r:.60}."
            )
        for name, value in against.items():
            if name not in self.by.names:
                raise InvalidParameterError(
                    f"against names {name!r}, which is not among the columns of by, "
                    f"{list(self.by.names)}."
                )
            values = list(dict.fromkeys(self.by.values(cell)[name] for cell in self.cells))
            if value not in values:
                hint = near(str(value), map(str, values))
                raise InvalidParameterError(
                    f"against: no group has {name}={value!r}.{hint} Values: {values!s:.200}."
                )

    def _reference(self, against: Any, group: Any) -> list[Any] | str | None:
        """Cells of the reference, or why it has none; None for the reference group itself."""
        if against == "rest":
            return [cell for cell in self.cells if not self.by.contains(group, cell)]
        if against == "overall":
            return self.cells
        values = self.by.values(group)
        if any(values[name] is None for name in against) or values == {**values, **against}:
            return None
        cells = self.parts(self.by.key(list({**values, **against}.values())))
        return cells or "the group of reference has no rows"

    # ----------------------------------------------------------------------- the worst, and chance

    def worst(self, level: float, values: Mapping[Any, float]) -> WorstGroup:
        """The group whose optimistic simultaneous bound is worst; ``values`` are those shown."""
        known = self.known(self.groups)
        if not known:
            raise self.too_few(self.groups)
        estimates = optimistic_estimates(known, self.sign, level, self.source.plan)
        ranked = sorted(estimates, key=lambda group: estimates[group][0])
        every = []
        for group in [*ranked, *(group for group in self.groups if group not in known)]:
            value, low, high, why = values.get(group, _NAN), _NAN, _NAN, ""
            if group in known:
                found = estimates[group][1]
                value, low, high = self._shown(found.value, found.low, found.high)
            else:
                why = str(self.statistic(self.parts(group)))
                value = _NAN if why == self.metric.spec.undefined else value
            every.append(Row(group=group, value=value, low=low, high=high, reason=why))
        left_out, estimate = len(self.groups) - len(known), estimates[ranked[0]][1]
        lacking = f"left out without an interval: {left_out} of {len(self.groups)} groups"
        return WorstGroup(
            *self._shown(estimate.value, estimate.low, estimate.high),
            estimate.standard_error,
            "simultaneous",
            level,
            "; ".join(filter(None, [estimate.note, lacking if left_out else ""])),
            n_groups=len(known),
            group=ranked[0],
            every=tuple(every),
        )

    def spread(self, level: float, seed: Any) -> GroupSpread:
        """The largest gap, and its distribution if groups only differ by chance."""
        known = {cell: part for cell, part in self.known(self.cells).items() if part.has_influence}
        if len(known) < 2:
            raise self.too_few(self.cells)
        values = {cell: self.turn * float(part.value) for cell, part in known.items()}
        lowest, highest = (choose(values, key=lambda cell: values[cell]) for choose in (min, max))
        parts = list(known.values())
        observed, drawn, method = compare_ranges(parts, seed)
        as_large = int((drawn.studentized >= observed - 1e-9).sum())
        n_draws = len(drawn.plain)
        p_value: float = drawn_p_value((1 + as_large) / (1 + n_draws), n_draws, tails=1)
        if method == "normal":
            tested = self._tested(parts, level)
            p_value = p_value if np.isnan(tested) else tested
        return GroupSpread(
            values[highest] - values[lowest],
            lowest,
            highest,
            float(drawn.plain.mean()),
            float(np.quantile(drawn.plain, level)),
            p_value,
            len(known),
            method,
            level,
        )

    def _tested(self, parts: list[Linearized], level: float) -> float:
        """P-value of a test of equal groups without draws; nan if there is none."""
        if len(parts) > 2:
            return p_value_of_means(parts)
        (first, second), plan = parts, self.source.plan
        test = difference_of_samples(first, second, "auto", Claim(), level, plan, share_rows=True)
        return test.p_value

    def picture(self, level: float) -> Picture:
        """Values of the groups and of all rows, for a plot."""
        points = []
        for group in self.groups:
            value, low, high, *_ = self.interval(group, level)
            if not np.isnan(value):
                named = {"name": self.by.label_of(group), "n_rows": self.n_rows[group]}
                points.append(Row(named, value=value, low=low, high=high))
        whole = self.statistic(self.cells)
        overall = None if isinstance(whole, str) else self.turn * float(whole.value)
        return Picture(self.metric.name, points, overall, level)


def _adjusted(rows: list[Row], n_more: int = 0) -> list[Row]:
    """Adjust the p-values of rows by Holm; ``n_more`` further hypotheses are known to be true."""
    adjusted = holm_adjust([row.p_value for row in rows] + [1.0] * n_more)
    for row, p_value in zip(rows, adjusted.tolist()[: len(rows)], strict=True):
        row["p_value"] = p_value
    return rows


# --------------------------------------------------------------------------- results


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class GroupGaps(Tabular):
    """How each group differs from its reference.

    Parameters
    ----------
    metric : str
    against : object
        The reference, as passed to ``gaps``.
    rows : Table
        For each ``group`` its ``value``, the ``reference`` value, their ``difference`` and
        ``ratio``, ``low`` and ``high`` of the difference, ``p_value`` adjusted for the number of
        gaps by Holm, ``n_rows``, and the ``reason`` if there is no interval.
    confidence_level : float
        Nominal level of each interval alone.
    by : tuple of str
        Columns of the groups.

    Examples
    --------
    >>> import pandas
    >>> from skmetrics_ext import evaluate
    >>> frame = pandas.DataFrame({"site": list("aaab") * 20, "ill": [0, 1] * 40})
    >>> frame["told"] = [0, 1, 1, 1, 0, 1, 0, 0] * 10
    >>> found = evaluate(frame, true="ill", pred="told", by="site", metrics=["accuracy"])
    >>> print(found.gaps("accuracy"))
    site   value  reference  difference        95% interval  p_value  rows
    ----  ------  ---------  ----------  ------------------  -------  ----
    a     0.8333     0.5000     +0.3333    [0.1027, 0.5471]    0.006    60
    b     0.5000     0.8333     -0.3333  [-0.5471, -0.1027]    0.006    20
    """

    metric: str
    against: Any
    rows: Table
    confidence_level: float
    by: tuple[str, ...]
    columns: GroupColumns = field(repr=False)

    def _as_rows(self) -> Table:
        ends = f"{100 * self.confidence_level:g}% interval", "interval"
        shown = columns("value", "reference", "difference", ends, "p_value", ("rows", "n_rows"))
        return self.columns.table(self.rows, shown)

    @property
    def n(self) -> int:
        """Number of rows of the groups that one column, or one set of columns, distinguishes."""
        n_rows: Counter[tuple[bool, ...]] = Counter()
        for row in self.rows:
            n_rows[self.columns.level_of(row.group)] += row.n_rows
        return max(n_rows.values(), default=0)

    def _contents(self) -> dict[str, Any]:
        return {**fields_of(self), "n": self.n, "citation": self.cite()}

    def cite(self) -> str:
        """The method of the intervals and of the p-values with their references.

        Returns
        -------
        str
        """
        best = "multiple comparisons with the best (Hsu 1996), " if self.against == "best" else ""
        return f"MOVER intervals (Zou & Donner 2008), {best}p-values by Holm (1979)"

    def row(self, group: Any) -> Any:
        """The row of a group.

        Parameters
        ----------
        group : object
            As in ``rows``.

        Returns
        -------
        Row
        """
        for row in self.rows:
            if row.group == group:
                return row
        raise KeyError(f"No row of group={group!r}.")


@dataclass(frozen=True, repr=False, eq=False, slots=True)
class WorstGroup(Estimate):
    """The worst group, its value, and simultaneous bounds over all groups.

    Parameters
    ----------
    value, low, high, standard_error, method, confidence_level, note, goal, reached, n_groups
        As in `Estimate`; ``n_groups`` is the number of groups.
    design_effect : float
        nan.
    group : object
        The group that is worst.
    every : tuple of Row
        All groups with their simultaneous bounds, the worst first; for one without bounds the
        reason.

    Examples
    --------
    >>> import pandas
    >>> from skmetrics_ext import evaluate
    >>> frame = pandas.DataFrame({"site": list("aaab") * 20, "ill": [0, 1] * 40})
    >>> frame["told"] = [0, 1, 1, 1, 0, 1, 0, 0] * 10
    >>> found = evaluate(frame, true="ill", pred="told", by="site", metrics=["accuracy"])
    >>> print(found.worst("accuracy"))
    b: 0.5 [0.2464, 0.7536] (95% confidence, simultaneous; 2 groups)
    """

    group: Any = None
    every: tuple[Row, ...] = field(default=(), repr=False)

    def _as_rows(self) -> Table:
        (row,) = super(WorstGroup, self)._as_rows()
        return Table([{"group": _in_words(self.group), **row}])

    def __str__(self) -> str:
        return f"{_in_words(self.group)}: {super(WorstGroup, self).__str__()}"


@dataclass(frozen=True, repr=False, slots=True)
class GroupSpread(Result):
    """The largest gap between groups, next to the gaps that chance alone produces.

    Parameters
    ----------
    largest : float
        Difference of the highest and the lowest value.
    lowest, highest : object
        The groups that have them.
    expected : float
        Mean of the largest gap if rows were assigned to groups of these sizes by chance.
    limit : float
        The gap that such groups exceed with probability 1 - ``confidence_level``.
    p_value : float
        Share of draws in which the groups differ at least as much, in standard errors. These are
        large for small groups, so that an extreme value of few rows is not evidence. Without
        permutations it is that of the gap between two groups; of means of losses, the smallest of
        tests of each group against the others, times the number of groups.
    n_groups : int
    method : str
        "permutation" of the rows of a table; else "normal" draws.
    confidence_level : float

    Examples
    --------
    >>> import pandas
    >>> from skmetrics_ext import evaluate
    >>> frame = pandas.DataFrame({"site": list("aaab") * 20, "ill": [0, 1] * 40})
    >>> frame["told"] = [0, 1, 1, 1, 0, 1, 0, 0] * 10
    >>> found = evaluate(frame, true="ill", pred="told", by="site", metrics=["accuracy"])
    >>> found.spread("accuracy").p_value
    0.01
    >>> str(found.spread("accuracy")).split("; ")[0]
    '0.3333 from b to a (2 groups)'
    """

    largest: float
    lowest: Any
    highest: Any
    expected: float
    limit: float
    p_value: float
    n_groups: int
    method: str
    confidence_level: float

    def _as_rows(self) -> Table:
        ends = {"lowest": _in_words(self.lowest), "highest": _in_words(self.highest)}
        (row,) = super(GroupSpread, self)._as_rows()
        return Table([{"largest": self.largest, **ends, **row}])

    def __str__(self) -> str:
        rare = f"{100 * (1 - self.confidence_level):g}%"
        return (
            f"{self.largest:.4g} from {_in_words(self.lowest)} to {_in_words(self.highest)} "
            f"({self.n_groups} groups); equal groups would lie {self.expected:.4g} apart on "
            f"average, and more than {self.limit:.4g} in {rare} of draws "
            f"(p {p_value_text(self.p_value)}, {self.method})"
        )


def _in_words(group: Any) -> str:
    if not isinstance(group, tuple):
        return str(group)
    named = [str(value) for value in group if value is not None]
    return named[0] if len(named) == 1 else f"({', '.join(named)})"
