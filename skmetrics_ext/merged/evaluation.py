"""The table of an evaluation, and the metrics of each group read from its sums."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.inference.directions import direction_of
from skmetrics_ext.inference.draws.bootstrap import DrawPlan
from skmetrics_ext.inference.estimate_rows import Deferred, EstimateRow, missing
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.merged.group_sums import GroupSums
from skmetrics_ext.merged.grouped_rows import GroupedRows
from skmetrics_ext.merged.ranges import NAN, ThinnedCurve, Value
from skmetrics_ext.merged.stacks import Bounded
from skmetrics_ext.numeric import Array
from skmetrics_ext.operations.fairness import FairGroups
from skmetrics_ext.operations.rolling import OrderedGroups
from skmetrics_ext.operations.shrinkage import SmallGroups
from skmetrics_ext.registry import Metric
from skmetrics_ext.result_bases import draw
from skmetrics_ext.slices.group_comparisons import (
    Groups,
    GroupSpread,
    StatisticSource,
    estimates_of,
)
from skmetrics_ext.validation.errors import warn_renamed
from skmetrics_ext.validation.positive import notes_on_confidence


class Evaluation(FairGroups, SmallGroups, OrderedGroups, Estimates):
    """Metrics of a data set: a row for each group and metric.

    Parameters
    ----------
    rows : iterable of mapping, default=()
        As in `Estimates`, with ``n_rows`` of the group. ``group`` is the value of the column
        ``by``, None for all rows together; losses are not negated; ``label`` is the class, or the
        pair of classes, of a metric with several values; ``note`` says why there is no value or no
        interval, or the convention that defines the value.
    engine : str, default=""
        Engine that read the data.
    confidence_level : float, default=0.95
        Nominal level of the intervals.
    curves : dict, default=None
        ``(group, class) -> ThinnedCurve``, if ``curve_points`` were requested.
    bins : dict, default=None
        ``(group, metric) -> BinTally``, or a tuple with one for each class: the bins of the
        calibration errors over equal bins.
    pair_areas : dict, default=None
        ``group -> ndarray (K, K)``, if ``pairwise_roc_auc`` was requested.
    groups : Groups, default=None
        Columns of groups, and the statistics of their rows, for `against`, `worst` and `spread`.
    notes : sequence of str, default=()
        Sentences below the table.
    """

    def __init__(
        self,
        rows: Iterable[Mapping[str, Any]] = (),
        engine: str = "",
        confidence_level: float = 0.95,
        *,
        curves: Mapping[Any, ThinnedCurve] | None = None,
        bins: Mapping[Any, Any] | None = None,
        pair_areas: Mapping[Any, Array] | None = None,
        groups: Groups | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        self.groups = Groups() if groups is None else groups
        of_model = {None: self.groups}
        super().__init__(rows, confidence_level=confidence_level, notes=notes, groups=of_model)
        self.engine, self.curves, self.bins = engine, dict(curves or {}), dict(bins or {})
        self.pair_areas = dict(pair_areas or {})

    @classmethod
    def of_models(cls, parts: Mapping[Any, Evaluation]) -> Evaluation:
        """The evaluations of several models as one, in the order of the metrics."""
        first = next(iter(parts.values()))
        for part in parts.values():
            part.groups.token = first.groups.token  # their rows are the same
        rows = [row.changed(model=name) for name, part in parts.items() for row in part]
        order = list(dict.fromkeys(row["metric"] for row in rows))
        groups = [*dict.fromkeys(row["group"] for row in rows)]
        rows.sort(key=lambda row: (groups.index(row["group"]), order.index(row["metric"])))
        notes = list(dict.fromkeys(note for part in parts.values() for note in part.notes))
        further: Any = {}
        for name in ("curves", "bins", "pair_areas"):
            held = {model: getattr(part, name) for model, part in parts.items()}
            further[name] = held if any(held.values()) else {}
        found = cls(rows, first.engine, first.confidence_level, notes=notes, **further)
        found.groups = first.groups
        found._groups = {name: part.groups for name, part in parts.items()}
        return found

    def _contents(self) -> dict[str, Any]:
        further = ("engine", "confidence_level", "curves", "bins", "pair_areas")
        return {"rows": list(self), **{name: getattr(self, name) for name in further}}

    # ----------------------------------------------------------------------- groups

    def gaps(self, metric: str, *, against: Any = "rest") -> Estimates:
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
        Estimates
            ``self.where(metric=metric).against(group=against).adjust("holm")``: ``value`` is the
            difference, ``value_a`` and ``value_b`` are both values, ``p_adjusted`` allows for the
            number of gaps (Holm). Against "best" the intervals are simultaneous, for the gap to
            the group that is truly the best, whichever it is (Hsu 1996).

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
        >>> found = evaluate(frame, true="ill", pred="told", by="site", metrics=["recall"])
        >>> print(f"{found.gaps('recall', against={'site': 'b'})['recall']:.4g}")
        -1 [-1, -0.8029]
        """
        self.groups.of(metric)  # raises without groups, and for unknown metrics
        return self.where(metric=metric).against(group=against).adjust("holm")

    def worst(self, metric: str | None = None) -> Estimates:
        """The group with the worst value, with bounds that allow for the choice.

        The bounds are those of `confidence_interval` at a level that holds for all groups at once
        (Bonferroni); proportions have Clopper-Pearson bounds, because others undercover at such
        levels.

        Parameters
        ----------
        metric : str, default=None
            One of the metrics of the evaluation; by default the worst group of each. The worst
            value of a loss is the largest.

        Returns
        -------
        Estimates
            ``surely_worst`` chooses by the optimistic bound instead, which a small group does not
            have for its value alone.
        """
        if metric is None:
            return super().worst()
        self.groups.of(metric)  # raises without groups, and for unknown metrics
        asked = self.where(metric=metric)
        found, surely = Estimates.worst(asked), asked.surely_worst()
        if found and surely and found[0]["group"] != surely[0]["group"]:
            warn_renamed("the group with the worst bound as the result of worst", "surely_worst()")
        return found

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

    def plot(self, metric: str | None = None, *, ax: Any = None) -> Any:
        """Plot the values of the groups, with intervals, and the value of all rows.

        Parameters
        ----------
        metric : str, default=None
            One of the metrics of the evaluation; by default a panel for each.
        ax : matplotlib.axes.Axes or sequence of these, default=None
            Axes to draw on, one for each metric; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes or ndarray of these

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return draw(self if metric is None else self.where(metric=metric), ax)


# --------------------------------------------------------------------------- from sums


def build_evaluation(
    group_sums: GroupSums,
    *,
    engine: str,
    level: float | None,
    method: str = "auto",
    min_rows: int = 1,
    rows: GroupedRows | None = None,
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
    rows : GroupedRows or None
        The rows, if they are in memory, for intervals that cannot be read from sums.
    name_notes : sequence of str
        Notes on the names of the columns.
    """
    by, sums = group_sums.by, group_sums.sums
    n_rows = {group: sums.rows[group] for group in by.ordered(sums.rows)}
    metrics = {metric.name: metric for metric in group_sums.layout.metrics}
    source: StatisticSource = group_sums
    if rows is not None:
        source = replace(rows, summed=dict.fromkeys(metrics, group_sums), by=by)
    groups = Groups(by, metrics, source, n_rows, min_rows)
    notes = notes_on_sums(group_sums, name_notes)
    return evaluation_of(groups, engine, level, method, notes=notes)


def notes_on_sums(sums: GroupSums, name_notes: Sequence[str]) -> list[str]:
    """Notes on the classes, the names of columns, and scores that may be confidences.

    Predicted classes that are no true ones are refused.
    """
    layout = sums.layout
    notes = [*layout.class_notes, *filter(None, name_notes)]
    if layout.of_kind("tables"):
        table = sums.whole_table
        table.check_shared_classes(layout.labels, "y_pred")
        if layout.n_columns == 1 and layout.of_kind("ranks"):
            n_predicted = int(np.count_nonzero(table.table.sum(axis=0)))
            notes += notes_on_confidence(sums.lowest_score, n_predicted)
    return notes


def evaluation_of(
    groups: Groups,
    engine: str,
    level: float | None,
    method: str = "auto",
    *,
    notes: Sequence[str] = (),
    listed: Sequence[Any] | None = None,
    tell: bool = False,
) -> Evaluation:
    """A row for each metric of each group, in their order; those ``listed``, or all.

    ``tell`` shows the notes of statistics without their intervals.
    """
    source: Any = groups.source
    metrics, shown = groups.metrics.values(), 0.95 if level is None else level
    names, plan = list(groups.n_rows if listed is None else listed), source.plan
    enough = [group for group in names if groups.n_rows[group] >= groups.min_rows]
    values, intervals = source.read_together(enough, level if method == "auto" else None)
    no_interval = missing("", shown)
    table: list[EstimateRow] = []
    further: Any = {"curves": {}, "bins": {}, "pair_areas": {}}
    for group in names:
        n, parts = groups.n_rows[group], groups.by.parts(group, groups.cells)
        if n < groups.min_rows:
            few = Value(NAN, f"{n} rows are fewer than min_rows={groups.min_rows}")
            table += [
                _row(_Asked(groups, metric, group, n, shown, plan), few, no_interval)
                for metric in metrics
            ]
            continue
        further["curves"].update(source.curves(group))
        for metric in metrics:
            place = metric.name, group
            asked = _Asked(groups, metric, group, n, shown, plan)
            value = values[place] if place in values else source.value(metric, group, parts)
            if place in intervals:
                table.append(_row(asked, value, intervals[place]))
                continue
            found: Sequence[Estimate] = [no_interval]
            n_axes = np.ndim(value.value)
            has_statistic = n_axes < 2 and (level is not None or tell)
            if has_statistic and not np.isnan(value.value).all():
                statistic = source.statistic(metric, parts)
                found = estimates_of(statistic, shown, plan, method, group is None)
                if level is None:
                    found = [replace(no_interval, note=each.note) for each in found]
            if n_axes == 0 and len(found) == 1:
                table.append(_row(asked, value, found[0]))
            else:
                table += _rows(asked, source.classes_of(metric, group), value, found)
            has_bins = metric.sums == "bins" and not np.isnan(value.value)
            if has_bins and (bins := source.bins_of(metric, group)):
                further["bins"][group, metric.name] = bins[0] if len(bins) == 1 else bins
            if n_axes == 2 and metric.sums == "ranks":
                further["pair_areas"][group] = np.asarray(value.value)
    notes = [*notes]
    if level is not None and None not in groups.n_rows:
        every = groups.by.parts(None, groups.cells)
        for metric in metrics:
            whole = source.statistic(metric, every) if metric.sums == "ranks" else ""
            other_way = "" if isinstance(whole, str) else direction_of(whole, level)
            notes += [f"{metric.name} of all rows is {other_way}"] if other_way else []
    return Evaluation(table, engine, shown, groups=groups, notes=notes, **further)


# --------------------------------------------------------------------------- from rows


def evaluate_rows(
    rows: GroupedRows,
    level: float | None,
    *,
    margins: bool = False,
    engine: str = "memory",
    method: str = "auto",
    min_rows: int = 1,
    notes: Sequence[str] = (),
    listed: Sequence[Any] | None = None,
) -> Evaluation:
    """The metrics of the groups of rows in memory, and of margins; those ``listed``, or all."""
    by, counts = rows.by, rows.rows_by_group
    sizes = dict(counts)
    for margin in by.levels() if margins else []:
        sources = margin.sources(counts)
        sizes |= {group: sum([counts[part] for part in sources[group]]) for group in sources}
    n_rows = {group: sizes[group] for group in by.ordered(sizes)}
    metrics = {name: asked.metric for name, asked in rows.asked.items()}
    groups = Groups(by, metrics, rows, n_rows, min_rows)
    tell = rows.labelling is not None
    return evaluation_of(groups, engine, level, method, notes=notes, listed=listed, tell=tell)


# --------------------------------------------------------------------------- rows of a table


class _Asked(NamedTuple):
    """A metric of a group, whose statistic is read when it is computed with."""

    groups: Groups
    metric: Metric
    group: Any
    n_rows: int
    level: float
    plan: DrawPlan


def _row(
    asked: _Asked,
    value: Value,
    found: Estimate | Bounded,
    label: Any = None,
    place: int | None = None,
) -> EstimateRow:
    """The row of a number and its interval; of one of several values it has a place."""
    groups, metric, group, n_rows, level, plan = asked
    row = {
        "metric": metric.name,
        "group": group,
        "label": label,
        "value": float(value.value),
        "low": found.low,
        "high": found.high,
        "standard_error": found.standard_error,
        "method": found.method,
        "note": value.reason or found.note,
        "n_rows": n_rows,
    }
    read = partial(groups.expression, metric, group, place)
    # An estimate that was not computed says why there is none.
    known = found if isinstance(found, Estimate) and found._made is None else None
    return EstimateRow(row, level, Deferred(metric, read, level, plan, known))


def _rows(
    asked: _Asked, classes: Array, result: Value, found: Sequence[Estimate]
) -> Iterator[EstimateRow]:
    """A row for each number of a value."""
    values = _each_value(result.value, classes, asked.metric.options.get("multi_class") == "ovo")
    if len(found) != len(values):  # some classes have no weight; one is the reason for all
        one = found[0] if len(found) == 1 else missing("", asked.level)
        found = [one] * len(values)
    for place, ((label, value), estimate) in enumerate(zip(values, found, strict=True)):
        reason = result.reason if len(values) == 1 or np.isnan(value) else ""
        yield _row(asked, Value(value, reason), estimate, label, None if label is None else place)


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
