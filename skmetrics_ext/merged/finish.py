"""From all sums of a data set to its table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.merged import intervals, sketches, values
from skmetrics_ext.merged.by import NO_GROUPS, By
from skmetrics_ext.merged.comparing import Groups
from skmetrics_ext.merged.curve_points import thin_curve
from skmetrics_ext.merged.evidence import Evidence, OfRows, OfSums
from skmetrics_ext.merged.layout import Layout
from skmetrics_ext.merged.ranges import RangePlan, RangeReading
from skmetrics_ext.merged.result import Evaluation, evaluation_rows
from skmetrics_ext.merged.sums import Sums
from skmetrics_ext.merged.values import NAN, Found
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.rows import Row, Rows
from skmetrics_ext.tallies import ScoreSketch

Columns = Mapping[Any, Sequence[RangeReading]]
Sketches = Mapping[Any, Sequence[ScoreSketch]]


def finish(
    layout: Layout,
    plan: RangePlan,
    sums: Sums,
    columns: Columns,
    sketched: Sketches,
    *,
    engine: str,
    level: float | None,
    by: By = NO_GROUPS,
    min_rows: int = 1,
    rows: OfRows | None = None,
) -> Evaluation:
    """The table: groups in order, metrics as they were asked for.

    Parameters
    ----------
    layout, plan
        What was asked.
    sums : Sums
        Of rows in any order.
    columns : mapping of group to list of RangeReading
        The rankings, unless they were sketched.
    sketched : mapping of group to list of ScoreSketch
        The sketches of rankings.
    engine : str
        What computed them.
    level : float or None
        Of the confidence intervals; None for none.
    by : By
        What makes the groups.
    min_rows : int
        Of a group that is evaluated.
    rows : OfRows or None
        What intervals are told from, where rows are held.
    """
    found = Evaluation(Rows(), engine, 0.95 if level is None else level)
    held = by.whole(sums.rows)
    cells = OfSums(layout, sums, columns, held)
    evidence = cells if rows is None else rows.beside(cells)
    counted = {group: sums.rows[group] for group in by.ordered(sums.rows)}
    for group, n_rows in counted.items():
        if n_rows < min_rows:
            reason = f"{n_rows} rows are fewer than min_rows={min_rows}"
            none = Found(NAN, reason)
            for one in layout.asked:
                found.rows.extend(_rows(one, group, layout.classes, none, None, n_rows))
            continue
        given = columns.get(group), sketched.get(group)
        parts = partial(by.parts, group, held)
        by_rows = None if sketched else partial(_by_rows, evidence, parts)
        group_of(found, layout, plan, sums, *given, group, level, by_rows)
    asked = {one.name: one for one in layout.asked}
    groups = Groups(by, asked, evidence, counted, min_rows)
    return replace(
        found, groups=groups, rows=evaluation_rows(found.rows, found.confidence_level, by)
    )


def group_of(
    found: Evaluation,
    layout: Layout,
    plan: RangePlan,
    sums: Sums,
    readings: Sequence[RangeReading] | None,
    sketched: Sequence[ScoreSketch] | None,
    group: Any,
    level: float | None,
    by_rows: Callable[..., intervals.Bounded | None] | None = None,
) -> None:
    """Add the rows of one group; ``by_rows`` finds the intervals that sums do not tell."""
    tally = sums.tables[group]
    labels = values.as_labels(tally)
    masses = sums.masses(group, layout.classes)
    weighted = tally.table.dtype.kind == "f"
    ranking = None
    if readings:
        ranking = values.Ranking(layout, plan, readings, masses)
        if plan.points:
            _add_curves(found, layout, plan, ranking, group)
    for one in layout.asked:
        bounds = None
        if not len(labels.true):
            value = Found(NAN, "no row has weight")
        elif one.sums == "tables":
            value = values.of_table(one, layout, labels)
            if level is not None:
                bounds = intervals.of_table(one, layout, labels, level, weighted, value.value)
        elif one.sums == "moments":
            moments = sums.moments[group, one.name]
            value = values.of_moments(one, moments)
            if level is not None:
                bounds = intervals.of_moments(one, moments, level, weighted)
        elif one.sums == "bins":
            bins = sums.bins[group, one.name]
            found.bins[group, one.name] = bins[0] if len(bins) == 1 else bins
            value = values.of_bins(one, bins)
            if level is not None:
                bounds = intervals.refused(intervals.RESAMPLED)
        elif ranking is not None:
            value = ranking.value(one)
            if one.spec.is_table:
                found.pair_areas[group] = np.asarray(value.value)
            if level is not None:
                bounds = intervals.of_ranking(one, ranking, level)
        else:
            value = Found(NAN)
            bounds = sketches.of_sketches(one, sketched or (), masses)
        if by_rows is not None and level is not None and np.ndim(value.value) == 0:
            bounds = by_rows(one, level, bounds)
        classes = layout.classes
        if one.sums == "tables" and (layout.labels is None or not one.takes("labels")):
            classes = tally.classes
        found.rows.extend(_rows(one, group, classes, value, bounds, sums.rows[group]))


def _by_rows(
    evidence: Evidence,
    parts: Callable[[], Sequence[Any]],
    one: Metric,
    level: float,
    told: intervals.Bounded | None,
) -> intervals.Bounded | None:
    """Bounds from sums, or from the rows of these groups where sums are not enough."""
    if isinstance(evidence, OfRows) and evidence.n_resamples is not None:
        return evidence.interval(one, parts(), level)
    if told is None or (told[0] == told[0] and not evidence.is_needed):
        return told
    found = evidence.member(one, parts())
    return intervals.refused(found) if isinstance(found, str) else found.interval(level)


def _add_curves(
    found: Evaluation, layout: Layout, plan: RangePlan, ranking: values.Ranking, group: Any
) -> None:
    for k, column in enumerate(ranking.columns):
        curve = thin_curve(column.kept, plan.points, column.gap)
        if curve is not None:
            own = layout.positive if layout.is_binary else layout.classes.tolist()[k]
            found.curves[group, own] = curve


def _rows(
    one: Metric,
    group: Any,
    classes: Array,
    found: Found,
    bounds: intervals.Bounded | None,
    n_rows: int,
) -> Iterable[Row]:
    parts = values.parts_of(found.value, classes)
    low, high, method, told = bounds or (NAN, NAN, "", "")
    if len(parts) > 1 or (np.isnan(parts[0][1]) and method != sketches.METHOD):
        low, high, method = NAN, NAN, ""
    reason = found.reason or told
    for of, value in parts:
        own = reason if len(parts) == 1 or np.isnan(value) else ""
        yield Row(
            group=group,
            metric=one.name,
            of=of,
            value=value,
            low=low,
            high=high,
            n_rows=n_rows,
            method=method,
            reason=own,
        )
