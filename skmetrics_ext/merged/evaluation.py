"""The table of an evaluation, and the metrics of each group read from its sums."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from skmetrics_ext.inference.compare import direction_of
from skmetrics_ext.merged import ranges
from skmetrics_ext.merged.layout import refusal
from skmetrics_ext.merged.ranges import NAN, RangePlan, ThinnedCurve, Value
from skmetrics_ext.merged.samples import NO_ROWS, GroupSums, HeldRows, rows_of_part
from skmetrics_ext.merged.stream import StreamState
from skmetrics_ext.merged.sums import sum_all
from skmetrics_ext.metrics.calibration.calibration_error import error_of_classes
from skmetrics_ext.numeric import Array, as_factors
from skmetrics_ext.operations.fairness import FairGroups
from skmetrics_ext.operations.rolling import OrderedGroups
from skmetrics_ext.operations.shrinkage import SmallGroups
from skmetrics_ext.registry import Metric
from skmetrics_ext.registry.find import registered_name
from skmetrics_ext.result_bases import draw
from skmetrics_ext.slices import group_comparisons
from skmetrics_ext.slices.group_columns import ALL, NO_GROUPS, GroupColumns, group_arrays
from skmetrics_ext.slices.group_comparisons import Bounded, GroupGaps, GroupSpread, WorstGroup
from skmetrics_ext.tables import Row, Shown, Table, Tabular, columns
from skmetrics_ext.tallies import ConfusionTally, Counts, ScoreSketch
from skmetrics_ext.tallies.bins import BinTally
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.column_names import names_of, note_on_name
from skmetrics_ext.validation.containers import count_rows
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.labels import distinct_labels, read_labels
from skmetrics_ext.validation.parameters import check_integer
from skmetrics_ext.validation.positive import notes_on_confidence
from skmetrics_ext.validation.probabilities import n_columns

_NO_BOUNDS: list[Bounded] = [(NAN, NAN, "", "")]


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Evaluation(FairGroups, SmallGroups, OrderedGroups, Tabular):
    """Metrics of a data set: a row for each group and metric.

    Parameters
    ----------
    rows : Table
        Each with ``group`` (value of the column ``by``; None for all rows together), ``metric``
        (losses are not negated), ``of`` (the class, or the pair of classes, of a metric with
        several values; else None), ``value`` (nan if it is undefined), ``low`` and ``high`` (of the
        confidence interval), ``n_rows`` (of the group), ``method`` (of the interval; "" if there is
        none) and ``reason`` (why there is no value or no interval, or the convention that defines
        the value; else "").
    engine : str
        Engine that read the data.
    confidence_level : float
        Nominal level of the intervals.
    curves : dict
        ``(group, class) -> ThinnedCurve``, if ``curve_points`` were requested.
    bins : dict
        ``(group, metric) -> BinTally``, or a tuple with one for each class: the bins of the
        calibration errors over equal bins.
    pair_areas : dict
        ``group -> ndarray (K, K)``, if ``pairwise_roc_auc`` was requested.
    groups : Groups
        Columns of groups, and the statistics of their rows, for `gaps`, `worst`, `spread` and
        `plot`.
    """

    rows: Table
    engine: str
    confidence_level: float = 0.95
    curves: dict[tuple[Any, Any], ThinnedCurve] = field(default_factory=dict)
    bins: dict[tuple[Any, str], BinTally | tuple[BinTally, ...]] = field(default_factory=dict)
    pair_areas: dict[Any, Array] = field(default_factory=dict)
    groups: group_comparisons.Groups = field(default_factory=group_comparisons.Groups, repr=False)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, metric: str, group: Any = None, of: Any = None) -> Row:
        """The row of a metric.

        Parameters
        ----------
        metric : str
            Its name.
        group : object, default=None
            The group; None for all rows together.
        of : object, default=None
            The class, if the metric has a value for each.

        Returns
        -------
        Row
        """
        metric = registered_name(metric, (row.metric for row in self.rows))
        for row in self.rows:
            if (row.metric, row.group, row.of) == (metric, group, of):
                return row
        raise KeyError(f"No row of metric={metric!r}, group={group!r}, of={of!r}.")

    def value(self, metric: str, group: Any = None, of: Any = None) -> float:
        """Value of a metric.

        Parameters
        ----------
        metric : str
            Its name.
        group : object, default=None
            The group; None for all rows together.
        of : object, default=None
            The class, if the metric has a value for each.

        Returns
        -------
        float
        """
        return float(self.row(metric, group, of).value)

    # ----------------------------------------------------------------------- groups

    def gaps(self, metric: str, *, against: Any = "rest") -> GroupGaps:
        r"""How each group differs from the rest, from all rows, or from another group.

        The interval of a difference combines the intervals of both values:

        .. math:: d - \sqrt{(a - l_a)^2 + (u_b - b)^2 - 2 r (a - l_a)(u_b - b)}

        where r is the correlation of their errors, through shared rows and clusters.

        Parameters
        ----------
        metric : str
            One of the metrics of the evaluation.
        against : {"rest", "overall", "best"} or dict, default="rest"
            The reference: all rows outside the group; all rows including the group; the group
            with the best value among groups by the same columns; or, as a dict of column to value
            like ``{"site": "A"}``, the group with these values and otherwise those of the group
            that is compared.

        Returns
        -------
        GroupGaps
            ``p_value`` belongs to the interval, and is adjusted for the number of gaps by Holm.
            Against "best" the intervals are simultaneous, for the gap to the group that is truly
            the best, whichever it is (Hsu 1996).

        Raises
        ------
        ValueError
            If there are no groups, or the metric or the reference is unknown.

        References
        ----------
        Zou (2007), Psychological Methods 12(4), 399-413; Holm (1979), Scandinavian Journal of
        Statistics 6(2), 65-70; Hsu (1996), Multiple Comparisons, chapter 4.

        Examples
        --------
        >>> import pandas
        >>> from skmetrics_ext import evaluate
        >>> frame = pandas.DataFrame({"site": ["a"] * 40 + ["b"] * 60, "ill": [0, 1] * 50})
        >>> frame["told"] = [0] * 40 + [0, 1] * 30
        >>> found = evaluate(frame, true="ill", pred="told", by="site", metrics=["accuracy"])
        >>> print(found.gaps("accuracy", against={"site": "b"}))
        site   value  reference  difference        95% interval  p_value  rows
        ----  ------  ---------  ----------  ------------------  -------  ----
        a     0.5000     1.0000     -0.5000  [-0.6480, -0.3402]  < 0.001    40
        """
        return self.groups.of(metric).gaps(against, self.confidence_level)

    def worst(self, metric: str) -> WorstGroup:
        """The group whose optimistic simultaneous bound is worst.

        A small group with a bad value has wide bounds, and is not chosen for its value alone. The
        bounds are those of `confidence_interval` at a level that holds for all groups at once
        (Bonferroni), so that they are valid after the selection; proportions have Clopper-Pearson
        bounds, because others undercover at such levels.

        Parameters
        ----------
        metric : str
            One of the metrics of the evaluation. The worst value of a loss is the largest.

        Returns
        -------
        WorstGroup
            An `Estimate` with ``group``.
        """
        return self.worst_at(metric, self.confidence_level)

    def worst_at(self, metric: str, level: float) -> WorstGroup:
        """The worst group, with bounds that are simultaneous at another level."""
        metric = registered_name(metric, (row.metric for row in self.rows))
        values = {row.group: row.value for row in self.rows if row.metric == metric}
        return self.groups.of(metric).worst(level, values)

    def spread(self, metric: str, *, random_state: Any = 0) -> GroupSpread:
        """The largest gap between groups, next to the gaps that chance alone produces.

        The largest of many gaps is large by chance: random groups of the same sizes also differ.

        Parameters
        ----------
        metric : str
            One of the metrics of the evaluation.
        random_state : int, Generator, RandomState or None, default=0
            Seed of the draws.

        Returns
        -------
        GroupSpread
        """
        return self.groups.of(metric).spread(self.confidence_level, random_state)

    def plot(self, metric: str, *, ax: Any = None) -> Any:
        """Plot the values of the groups, with intervals, and the value of all rows.

        Parameters
        ----------
        metric : str
            One of the metrics of the evaluation.
        ax : matplotlib.axes.Axes, default=None
            Axes to draw on; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return draw(self.groups.of(metric).picture(self.confidence_level), ax)

    def _as_rows(self) -> Table:
        by = self.groups.by
        if not by.names:
            return self.rows
        shown = [column for column in self.rows.shown() if column.title != "group"]
        return by.table(self.rows, shown, self.rows.notes)


def evaluation_rows(
    rows: Iterable[Mapping[str, Any]],
    level: float,
    by: GroupColumns = NO_GROUPS,
    notes: Sequence[str] = (),
) -> Table:
    """The rows as a table without empty columns."""
    rows = list(rows)
    has = {
        key: any(row[key] not in (None, "") for row in rows) for key in ("group", "of", "method")
    }
    has["group"] |= bool(by.names)
    has["low"] = any(row["low"] == row["low"] for row in rows)
    group = Shown("group", "group", by.label_of, is_text=True, none=ALL)
    ends = f"{100 * level:g}% interval", "interval"
    others = columns("metric", "of", "value", ends, ("rows", "n_rows"), "method")
    shown = [column for column in (group, *others) if has.get(column.names()[0], True)]
    return Table(rows, shown, notes=notes)


# --------------------------------------------------------------------------- from arrays


def evaluate_arrays(
    metrics: tuple[Metric, ...],
    y_true: Any,
    y_pred: Any,
    y_score: Any,
    *,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    by: Any = None,
    margins: bool = False,
    bins: Mapping[str, Any] | None = None,
    min_rows: int = 1,
    groups: Any = None,
    level: float | None = None,
    method: str = "auto",
) -> Evaluation:
    """Metrics of arrays by group, with intervals if there is a ``level``."""
    check_option("margins", margins, (True, False))
    check_integer("min_rows", min_rows, 1)
    arguments = {"y_true": y_true, "y_score": y_score, "y_pred": y_pred}
    arguments = {name: data for name, data in arguments.items() if data is not None}
    if not isinstance(y_true, ConfusionTally) and n_columns(y_true) > 1:
        raise InvalidParameterError(
            "Tables with intervals or by= read one label a row, and y_true has several columns: "
            "pass one column of each array at a time, or all to confidence_interval."
        )
    classes, pair = _classes(labels, y_true, y_score)
    state = StreamState(metrics, classes, pos_label, pair=pair)
    names = names_of(y_score)
    part, state = state.read_rows(arguments, sample_weight)
    if part is None:
        raise InvalidParameterError("Every row is masked.")
    columns = NO_GROUPS
    if by is not None:
        columns, values, group = group_arrays(by, bins or {}, part.n_rows, y_true)
        part = replace(part, groups=values, group=group)
    cluster = None if groups is None else read_groups(groups, part.n_rows, **arguments)
    assert state.layout is not None
    sums, tallies = sum_all(part, state.layout)
    layout = state.final_layout(sums)
    plan = RangePlan.of(metrics, level is not None)
    readings = {
        group: ranges.read_columns(([tally] for tally in of_group), layout, plan)
        for group, of_group in tallies.items()
    }
    weighted = sample_weight is not None
    group_sums = GroupSums(layout, plan, sums, readings, columns, weighted)
    for margin in columns.levels() if margins else []:
        group_sums.add_margin(margin)
    rows = rows_of_part(part, layout, cluster)
    note, classes = "", layout.classes.tolist()
    if names is not None and len(names) == 1 and layout.is_binary:
        note = note_on_name(str(names[0]), classes, layout.positive)
    options: dict[str, Any] = {"level": level, "min_rows": min_rows, "rows": rows}
    options["method"] = method
    return build_evaluation(group_sums, engine="memory", **options, name_notes=[note])


def _classes(labels: Any, y_true: Any, y_score: Any) -> tuple[Any, list[Any] | None]:
    """Classes, listed or of several columns of scores; else the two classes of one column."""
    if labels is not None or y_score is None or count_rows(y_true) is None:
        return None if labels is None else read_labels(labels), None
    classes = distinct_labels(y_true)
    if n_columns(y_score) > 1:
        return classes, None
    return None, classes.tolist() if classes is not None and len(classes) == 2 else None


# --------------------------------------------------------------------------- from sums


def build_evaluation(
    group_sums: GroupSums,
    *,
    engine: str,
    level: float | None,
    method: str = "auto",
    min_rows: int = 1,
    rows: HeldRows | None = None,
    name_notes: Sequence[str] = (),
) -> Evaluation:
    """Read all metrics of all groups, in the order of the groups and of the metrics.

    Parameters
    ----------
    group_sums : GroupSums
    engine : str
        Engine that read the data.
    level : float or None
        Confidence level; None for no intervals.
    method : str
        Method of the intervals of metrics to which it applies; "auto" for others.
    min_rows : int
        Groups with fewer rows have no values.
    rows : HeldRows or None
        The rows, if they are in memory, for intervals that cannot be read from sums.
    name_notes : sequence of str
        Notes on the names of the columns.
    """
    layout, by, sums = group_sums.layout, group_sums.by, group_sums.sums
    if layout.of_kind("tables"):
        ConfusionTally.combine(sums.tables.values()).check_shared_classes(layout.labels, "y_pred")
    source = group_sums if rows is None else rows.with_sums(group_sums)
    n_rows = {group: sums.rows[group] for group in by.ordered(sums.rows)}
    metrics = {metric.name: metric for metric in layout.metrics}
    groups = group_comparisons.Groups(by, metrics, source, n_rows, min_rows)
    evaluation = Evaluation(Table(), engine, 0.95 if level is None else level, groups=groups)
    table: list[Row] = []
    for group, n in n_rows.items():
        if n < min_rows:
            few = Value(NAN, f"{n} rows are fewer than min_rows={min_rows}")
            for metric in layout.metrics:
                table.extend(_rows(metric, group, layout.classes, few, _NO_BOUNDS, n))
            continue
        reader = _GroupReader(group_sums, group)
        evaluation.curves.update(reader.curves())
        for metric in layout.metrics:
            value = reader.value(metric)
            bounds = _NO_BOUNDS
            known = np.ndim(value.value) < 2 and not np.isnan(value.value).all()
            if level is not None and known:
                statistic = source.statistic(metric, by.parts(group, group_sums.groups))
                options = level, source.plan, method, group is None
                bounds = group_comparisons.bounds_of(statistic, *options)
            table.extend(_rows(metric, group, reader.classes_of(metric), value, bounds, n))
            if reader.has_weight and metric.sums == "bins":
                bins = sums.bins[group, metric.name]
                evaluation.bins[group, metric.name] = bins[0] if len(bins) == 1 else bins
            if metric.sums == "ranks" and np.ndim(value.value) == 2:
                evaluation.pair_areas[group] = np.asarray(value.value)
    notes = [*layout.class_notes, *filter(None, name_notes), *_confidence_notes(group_sums)]
    if level is not None and None not in n_rows:
        every = by.parts(None, group_sums.groups)
        for metric in layout.of_kind("ranks"):
            whole = source.statistic(metric, every)
            shown = "" if isinstance(whole, str) else direction_of(whole, level)
            notes += [f"{metric.name} of all rows is {shown}"] if shown else []
    rows_shown = evaluation_rows(table, evaluation.confidence_level, by, notes)
    return replace(evaluation, rows=rows_shown)


def _confidence_notes(group_sums: GroupSums) -> list[str]:
    """A note on scores that may be the confidence in the predicted class, whichever it is."""
    if group_sums.layout.n_columns != 1 or not group_sums.layout.of_kind("tables"):
        return []
    table = ConfusionTally.combine(group_sums.sums.tables.values()).table
    held = [columns[0].table for columns in group_sums.readings.values() if columns]
    lowest = [table.thresholds[-1] for table in held if table is not None and len(table.thresholds)]
    return notes_on_confidence(min(lowest, default=0), int(np.count_nonzero(table.sum(axis=0))))


class _EveryClass(ConfusionTally):
    """A table whose classes all count as present, even if their rows have no weight."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        return "multiclass" if len(self.classes) > 2 else "binary"

    def occurring(self) -> Array:
        return self.classes

    def present(self, counts: Counts) -> None:
        """All classes."""


class _GroupReader:
    """Reads the metrics of one group from its sums and rankings."""

    def __init__(self, group_sums: GroupSums, group: Any) -> None:
        self.layout, self.plan, self.edges = group_sums.layout, group_sums.ranges, group_sums.edges
        self.sums, self.group = group_sums.sums, group
        self.readings = group_sums.readings.get(group)
        self.tally = self.sums.tables[group]
        self.has_weight = bool(self.tally.table.any())
        self.masses = self.sums.masses(group, self.layout.classes)

    def classes_of(self, metric: Metric) -> Array:
        """The classes of the values of a metric that has one for each class."""
        are_listed = self.layout.labels is not None and metric.takes("labels")
        if metric.sums != "tables" or are_listed:
            return self.layout.classes
        return self.tally.classes

    def value(self, metric: Metric) -> Value:
        if not self.has_weight:
            return Value(NAN, NO_ROWS)
        tally = self.tally
        error = refusal(self.layout, metric, tuple(tally.classes.tolist()), tally.ordered)
        if error:
            return Value(NAN, error)
        if metric.sums == "tables":
            tally = _EveryClass(tally.classes, as_factors(tally.table), tally.ordered)
            return ranges.read(self.layout.settled(metric), tally)
        if metric.sums == "moments":
            return ranges.read(metric, self.sums.moments[self.group, metric.name])
        if metric.sums == "bins":
            debias, norm = metric.options["debias"], metric.options["norm"]
            bins = self.sums.bins[self.group, metric.name]
            errors = [metric.kernel(tally.debiased() if debias else tally) for tally in bins]
            return Value(float(error_of_classes(np.array(errors), norm)))
        assert self.readings
        rankings = ranges.MergedRankings(metric, self.layout, self.readings, self.masses)
        value, reason = ranges.read_ranking(rankings, self.plan.most)
        if self.edges is not None and not reason:
            reason = self._bin_note(rankings, self.edges)
        return Value(value, reason)

    def _bin_note(self, rankings: ranges.MergedRankings, edges: Sequence[Array]) -> str:
        """A note with the bounds of a metric of binned scores."""
        sketches = [ScoreSketch.of_coarse(rankings.table(k), cuts) for k, cuts in enumerate(edges)]
        (low, high), error = ranges.SketchedRankings(sketches, self.masses).bounds(rankings.metric)
        bins = f"scores in {' and '.join(str(len(cuts) - 1) for cuts in edges)} bins"
        if error:
            return f"{bins}, and their effect has no bound: {error}"
        return f"{bins}; between {low:.4g} and {high:.4g} for any order within them"

    def curves(self) -> dict[tuple[Any, Any], ThinnedCurve]:
        """Curves by group and class, if points were requested."""
        if not self.readings or not self.plan.points:
            return {}
        classes = self.layout.classes.tolist()
        names = [self.layout.positive] if self.layout.is_binary else classes
        curves = {
            (self.group, name): ranges.thin_curve(column.kept, self.plan.points, column.gap)
            for name, column in zip(names, self.readings, strict=True)
        }
        return {key: curve for key, curve in curves.items() if curve is not None}


def _rows(
    metric: Metric, group: Any, classes: Array, result: Value, bounds: list[Bounded], n_rows: int
) -> Iterator[Row]:
    """A row for each number of a value."""
    values = _each_value(result.value, classes, metric.options.get("multi_class") == "ovo")
    if len(bounds) == 1:  # a number, or the reason for all
        bounds = bounds * len(values)
    elif len(bounds) != len(values):  # some classes have no weight
        bounds = _NO_BOUNDS * len(values)
    for (of, value), (low, high, method, note) in zip(values, bounds, strict=True):
        reason = result.reason if len(values) == 1 or np.isnan(value) else ""
        keys: dict[str, Any] = {"group": group, "metric": metric.name, "of": of, "value": value}
        keys |= {"low": low, "high": high, "n_rows": n_rows, "method": method}
        yield Row(keys, reason=reason or note)


def _each_value(value: Any, classes: Array, by_pair: bool) -> list[tuple[Any, float]]:
    """A single number, or one for each class, pair of classes or cell of a K x K table."""
    values = np.asarray(value, dtype=np.float64)
    if values.ndim == 0:
        return [(None, float(values))]
    names = classes.tolist()
    keys = list(combinations(names, 2)) if by_pair else names
    if values.shape == (len(keys),):
        return list(zip(keys, values.tolist(), strict=True))
    places = list(np.ndindex(values.shape))
    if values.shape != (len(names), len(names)):
        return [(place, float(values[place])) for place in places]
    return [
        ((names[i], names[j]), float(values[i, j]))
        for i, j in places
        if i != j or not np.isnan(values[i, j])
    ]
