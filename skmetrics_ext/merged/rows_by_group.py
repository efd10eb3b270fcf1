"""The table of rows in memory: each metric of each group, read from the rows of the group."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.inference.estimate_rows import Deferred, EstimateRow, row_from
from skmetrics_ext.merged.evaluation import Evaluation
from skmetrics_ext.merged.samples import HeldRows
from skmetrics_ext.slices.group_columns import NO_GROUPS, GroupColumns
from skmetrics_ext.slices.group_comparisons import Groups, estimates_of


def evaluate_rows(
    held: HeldRows, level: float, by: GroupColumns = NO_GROUPS, *, margins: bool = True
) -> Evaluation:
    """The metrics of the groups that rows in memory have, and with ``margins`` of all rows."""
    part, metrics = held.part, {metric.name: metric for metric in held.layout.metrics}
    assert part.group is not None
    sizes = np.bincount(part.group, minlength=len(part.groups)).tolist()
    counts = dict(zip(part.groups, sizes, strict=True))
    by.check(counts)
    n_rows = {group: counts[group] for group in by.ordered(counts)}
    groups = Groups(by, metrics, held, n_rows | {None: part.n_rows})
    listed = [*n_rows, None] if margins and by.names else [*n_rows]
    rows = [row for group in listed for row in _rows(groups, group, level)]
    return Evaluation(rows, "memory", level, groups=groups)


def _rows(groups: Groups, group: Any, level: float) -> Iterator[EstimateRow]:
    """A row for each metric of a group, or of all rows if it is None."""
    source: Any = groups.source
    parts, plan = groups.by.parts(group, source.part.groups), source.plan
    for name, metric in groups.metrics.items():
        value, statistic = source.read(metric, parts)
        (found,) = estimates_of(statistic, level, plan, is_whole=group is None)
        named = {"metric": name, "group": group, "label": None, "n_rows": groups.n_rows[group]}
        named |= {"value": float(value.value), "note": value.reason or found.note}
        read = partial(groups.expression, metric, group)
        question = Deferred(metric, read, level, plan, None if found._made else found)
        yield row_from(found, **named).changed(question)
