"""Gaps between groups, the worst group, and the largest gap that chance explains."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import Any, Protocol

import numpy as np

from skmetrics_ext.formats import p_value_text
from skmetrics_ext.inference.algebra import Expression, Leaf, Missing, linear, mapped, value_of
from skmetrics_ext.inference.arithmetic import result_of
from skmetrics_ext.inference.compare import is_ratio
from skmetrics_ext.inference.compare_samples import difference_of_samples
from skmetrics_ext.inference.draws.bootstrap import PLAN, DrawPlan
from skmetrics_ext.inference.estimate_rows import (
    Deferred,
    EstimateRow,
    difference_row,
    missing,
)
from skmetrics_ext.inference.linearized import Linearized
from skmetrics_ext.inference.margins import Asked
from skmetrics_ext.inference.methods import interval_of, methods_of
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.scales import drawn_p_value
from skmetrics_ext.numeric import divide
from skmetrics_ext.registry import Metric
from skmetrics_ext.registry.find import registered_name
from skmetrics_ext.result_bases import Result
from skmetrics_ext.slices.chance_spread import compare_ranges, p_value_of_means
from skmetrics_ext.slices.group_columns import NO_GROUPS, GroupColumns
from skmetrics_ext.tables import Table
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import near, shown_names

AGAINST = ("rest", "overall", "best")
_NAN = float("nan")
_SHARED = "it is resampled, and the groups share rows: compare with the rest"
_SINGLE = "groups are compared by single numbers: ask for an average"


class StatisticSource(Protocol):
    """Source of the statistics of groups: rows, sums or folds."""

    def statistic(self, metric: Metric, groups: Sequence[Any]) -> Linearized | str:
        """Statistic of a metric of the rows of some groups, or why there is none."""

    @property
    def plan(self) -> DrawPlan:
        """How rows are resampled, for metrics without a derivative."""


def estimates_of(
    statistic: Linearized | str,
    level: float,
    plan: DrawPlan,
    method: str = "auto",
    is_whole: bool = False,
) -> list[Estimate]:
    """The estimate of each value, or one without numbers that says why there is none."""
    if isinstance(statistic, str):
        return [missing(statistic, level)]
    applies = method == "auto" or method in methods_of(statistic)
    estimates = interval_of(statistic, method if applies else "auto", level, plan, is_whole)
    return [estimates] if isinstance(estimates, Estimate) else estimates


@dataclass(eq=False)
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
    token : object
        What shows that statistics are of the same rows.
    """

    by: GroupColumns = NO_GROUPS
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    source: StatisticSource | None = None
    n_rows: Mapping[Any, int] = field(default_factory=dict)
    min_rows: int = 1
    is_scored: bool = False
    token: Any = field(default_factory=object)

    def against(self, rows: Sequence[EstimateRow], reference: Any) -> tuple[list[EstimateRow], int]:
        """The differences of the rows of one metric from a reference, and further hypotheses."""
        return self.of(rows[0]["metric"]).gaps(rows, reference)

    @cached_property
    def cells(self) -> Collection[Any]:
        """The groups with a value of every column, which make up all others."""
        return dict.fromkeys(self.by.whole(self.n_rows))

    @property
    def plan(self) -> DrawPlan:
        """How rows are resampled."""
        return PLAN if self.source is None else self.source.plan

    def expression(self, metric: Metric, group: Any, place: int | None = None) -> Expression:
        """The statistic of a group, or of one of its values, to compute with.

        It is read from rows where they are held, so that models and metrics are paired by them.
        """
        source: Any = getattr(self.source, "by_row", self.source)
        cells = self.by.parts(group, self.cells)
        if sum(self.n_rows[cell] for cell in cells) < self.min_rows or not cells:
            return Missing(f"{self.n_rows[group]} rows are fewer than min_rows={self.min_rows}")

        def read() -> Any:
            return value_of(source.statistic(metric, cells), place)

        return leaf_or_missing(read, metric, self.token)

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


def leaf_or_missing(
    read: Callable[[], Linearized | str], metric: Metric, token: object
) -> Leaf | Missing:
    """The leaf of a statistic, or why there is none."""
    statistic = read()
    if isinstance(statistic, str) or statistic.undefined:
        why = statistic if isinstance(statistic, str) else metric.spec.undefined
        return Missing(why)
    settled, value = statistic.origin.metric, float(statistic.value)
    again: Any = read
    return Leaf(value, settled, again, source=token, bounds=statistic.bounds)


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
        self.metric, self.source, self.token = metric, source, groups.token
        self.cells = groups.cells
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

    def estimate(self, group: Any, level: float) -> Estimate:
        """The estimate of a group as displayed, or one that says why there is none."""
        return self.estimate_of(self.parts(group), level)

    def estimate_of(self, cells: Sequence[Any], level: float) -> Estimate:
        """The estimate of the rows of some cells together."""
        asked, x = Asked(level, plan=self.source.plan), self.expression(cells)
        return missing(x.reason, level) if isinstance(x, Missing) else result_of(x, asked)

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

    def gaps(self, rows: Sequence[EstimateRow], against: Any) -> tuple[list[EstimateRow], int]:
        """Difference of each group from its reference; how many further hypotheses are true."""
        self._check_against(against)
        level = rows[0].estimate.confidence_level
        shown = {row["group"]: row for row in rows}
        listed = [group for group in self.groups if group in shown]
        if against == "best":
            return self._gaps_to_best(shown, level)
        name = against if isinstance(against, str) else self._named(against)
        together = self._gaps_to_rest(listed, level) if against == "rest" else {}
        found = []
        for group in listed:
            if group in together:
                found.append(self._row(shown[group], together[group], name))
                read = partial(self._from_rest, group)
                found[-1]._known = Deferred(self.metric, read, level, self.source.plan)
            elif (reference := self._reference(against, group)) is not None:
                found.append(self._row(shown[group], self._gap(group, reference, level), name))
        return found, 0

    def _gaps_to_rest(self, groups: Sequence[Any], level: float) -> Mapping[Any, Any]:
        """The gaps of groups that can be read together, if the source has their sums."""
        read = getattr(self.source, "gaps_to_rest", None)
        enough = [group for group in groups if self.n_rows[group] >= self.min_rows]
        return {} if read is None else read(self.metric, enough, level, self.min_rows)

    def _from_rest(self, group: Any) -> Expression:
        """The difference of a group from the rest, to compute with."""
        rest = [cell for cell in self.cells if not self.by.contains(group, cell)]
        return linear((1.0, self.expression(self.parts(group))), (-1.0, self.expression(rest)))

    def _named(self, against: Mapping[str, Any]) -> Any:
        """The group of reference, as the column `against` shows it."""
        if not self.by.crossed:
            return next(iter(against.values()))
        return ", ".join(f"{name}={value}" for name, value in against.items())

    def _row(self, row: EstimateRow, gap: Estimate, against: Any, **bounds: float) -> EstimateRow:
        ratio = float(divide(gap.value_a, gap.value_b))
        found = difference_row(gap, row, against, ratio=ratio)
        return found.changed(**bounds)

    def _gaps_to_best(
        self, shown: Mapping[Any, EstimateRow], level: float
    ) -> tuple[list[EstimateRow], int]:
        """Simultaneous intervals of the gaps to the truly best group (Hsu 1996).

        Intervals of the gaps to one of k groups are simultaneous at level 1 - alpha / (k - 1)
        each. Groups that may exceed the best value are its rivals: the bounds are the widest of
        the gaps to them, and no gap is on the better side of 0. The p-value is for the hypothesis
        that the group is the best, of which there are several.
        """
        levels = {group: self.by.level_of(group) for group in self.groups if group in shown}
        ranks = {kind: self.ranked(kind) for kind in dict.fromkeys(levels.values())}
        rivals: dict[Any, list[Any]] = {}
        rows, sign = [], self.turn * self.sign
        for group, kind in levels.items():
            ranked = ranks[kind]
            if group in ranked[:1]:
                continue
            if not ranked:
                rows.append(self._row(shown[group], self._gap(group, "undefined", level), "best"))
                continue
            n_tests = max(len(ranked) - 1, 1)
            each, best = 1 - (1 - level) / n_tests, self.parts(ranked[0])
            if kind not in rivals:
                to_best = {other: self._gap(other, best, each) for other in ranked[1:]}
                rivals[kind] = [
                    other
                    for other, gap in to_best.items()
                    if not (gap.high < 0 if sign > 0 else gap.low > 0)
                ]
            references = [ranked[0], *(other for other in rivals[kind] if other != group)]
            gaps = [self._gap(group, self.parts(other), each) for other in references]
            low = float(np.nanmin([gap.low for gap in gaps]))
            high = float(np.nanmax([gap.high for gap in gaps]))
            if sign > 0:
                high = 0.0 if group in rivals[kind] else min(high, 0.0)
            else:
                low = 0.0 if group in rivals[kind] else max(low, 0.0)
            p_value = min(n_tests * gaps[0].p_value, 1.0)
            bounds = {"low": low, "high": high, "p_value": p_value}
            gap = replace(gaps[0], method=f"{gaps[0].method}, hsu")
            rows.append(self._row(shown[group], gap, "best", **bounds))
        return rows, len(ranks)  # the best group of each kind has no row

    def expression(self, cells: Sequence[Any]) -> Expression:
        """The statistic of the rows of some cells, to compute with."""
        read = partial(self.statistic, tuple(cells))
        return linear((self.turn, leaf_or_missing(read, self.metric, self.token)))

    def _gap(self, group: Any, reference: list[Any] | str, level: float) -> Estimate:
        """Difference between a group and the cells of its reference, or why that has none."""
        cells = self.parts(group)
        first = self.expression(cells)
        second = Missing(reference) if isinstance(reference, str) else self.expression(reference)
        values: Any = {"value_a": first.value, "value_b": second.value}
        if isinstance(second, Missing) and not isinstance(reference, str):
            second = Missing(f"the reference: {second.reason}")
        for side in (first, second):
            if isinstance(side, Missing):
                return replace(missing(side.reason, level), **values)
        sides = self.statistic(cells), self.statistic(reference)
        share_rows = all(isinstance(side, Linearized) and side.has_influence for side in sides)
        if not share_rows and set(cells) & set(reference):
            return replace(missing(_SHARED, level), value=first.value - second.value, **values)
        if is_ratio(self.metric):
            first, second = mapped(first, "log"), mapped(second, "log")
        asked = Asked(level, plan=self.source.plan)
        compared = result_of(linear((1.0, first), (-1.0, second)), asked)
        note = compared.note.replace("a: ", "the group: ").replace("b: ", "the reference: ")
        return replace(compared, note=note.replace("both samples", "both"), **values)

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
            return list(self.cells)
        values = self.by.values(group)
        if any(values[name] is None for name in against) or values == {**values, **against}:
            return None
        cells = self.parts(self.by.key(list({**values, **against}.values())))
        return cells or "the group of reference has no rows"

    # ----------------------------------------------------------------------- the worst, and chance

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
        (first, second), asked = parts, Asked(level, plan=self.source.plan)
        return difference_of_samples(first, second, asked, share_rows=True).p_value


# --------------------------------------------------------------------------- results


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
        rare = f"{100 * (1 - self.confidence_level):g} %"
        return (
            f"{self.largest:.4g} from {_in_words(self.lowest)} to {_in_words(self.highest)} "
            f"({self.n_groups} groups); equal groups would lie {self.expected:.4g} apart on "
            f"average, and more than {self.limit:.4g} in {rare} of draws "
            f"(p {p_value_text(self.p_value)}, {self.method})"
        )


def _in_words(group: Any) -> str:
    return f"({', '.join(map(str, group))})" if isinstance(group, tuple) else str(group)
