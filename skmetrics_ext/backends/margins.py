"""Margins of crossed groups, and bins of numeric columns: what is settled over all parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from skmetrics_ext.backends.work import SAMPLE, Counted, Task
from skmetrics_ext.merged.by import By
from skmetrics_ext.merged.columns import Names, read_value_column
from skmetrics_ext.merged.ranges import RangeReading, merged_readings
from skmetrics_ext.numeric import Array
from skmetrics_ext.slices.coding import check_edges, edges_of, numbers_of
from skmetrics_ext.tallies import ScoreSketch
from skmetrics_ext.validation import InvalidParameterError

Readings = Mapping[Any, Sequence[RangeReading]]


def add_margin(
    level: By, task: Task, counted: Counted, readings: Readings, opened: Any
) -> dict[Any, list[RangeReading]]:
    """Add the sums of the groups of a level to those of all, and give their rankings.

    Where the rankings are held, so are those of the level, merged; else its rows are ranked.
    """
    sources = level.sources(task.groups)
    counted.sums.add(counted.sums.margin(sources))
    for group, parts in sources.items():
        for k in range(len(task.layout.ranked)):
            own = [counted.masses[part, k] for part in parts if (part, k) in counted.masses]
            if own:
                counted.masses[group, k] = np.sum(own, axis=0)
        sketches = [counted.sketches[part] for part in parts if part in counted.sketches]
        if sketches:
            each = zip(*sketches, strict=True)
            counted.sketches[group] = [ScoreSketch.combine(column) for column in each]
    if not readings:
        return {}
    merged = merged_readings(sources, readings, task.plan, task.layout.is_binary)
    if merged is not None:
        return merged
    numbers = {group: i for i, group in enumerate(sources)}
    own_task = replace(task, names=replace(task.names, by=level), groups=numbers)
    found: dict[Any, list[RangeReading]] = opened.rank(own_task, counted.sums, counted)
    return found


# --------------------------------------------------------------------------- bins


def with_edges(names: Names, bins: Any, opened: Any) -> Names:
    """The names with the edges of the bins, which a sample tells where only their number is."""
    if not isinstance(bins, Mapping) or not bins:
        raise InvalidParameterError(
            f"bins must be a dict of column to a number of bins or inner edges, got {bins!r:.60}."
        )
    strange = [name for name in bins if name not in names.by.names]
    if strange:
        raise InvalidParameterError(
            f"bins names {strange[0]!r}, which is not among the columns of by, "
            f"{list(names.by.names)}."
        )
    edges = {}
    for name, given in bins.items():
        if isinstance(given, int | np.integer):
            edges[name] = edges_of(name, _sample(name, opened), given)
        else:
            edges[name] = check_edges(name, given)
    return replace(names, by=replace(names.by, edges=edges))


def _sample(name: str, opened: Any) -> Array:
    """Values of a column: all of them, or as many as a sample has."""
    rng, kept, keys = np.random.default_rng(0), np.zeros(0), np.zeros(0)
    for batch, place in opened.collect((name,)):
        values = numbers_of(read_value_column(batch, name, place))
        kept = np.concatenate([kept, values])
        keys = np.concatenate([keys, rng.random(len(values))])
        if len(kept) > SAMPLE:
            chosen = np.argpartition(keys, SAMPLE)[:SAMPLE]
            kept, keys = kept[chosen], keys[chosen]
    if not len(kept):
        raise InvalidParameterError("The data set has no rows.")
    return kept
