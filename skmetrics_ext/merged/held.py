"""Rows that are held as they are: what weights and clusters do to intervals is told by rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from skmetrics_ext.merged.columns import (
    Names,
    Part,
    Place,
    join_parts,
    read_part,
    read_value_column,
    scored,
)
from skmetrics_ext.merged.evidence import OfRows
from skmetrics_ext.merged.layout import Layout
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.groups import read_groups

_BYTES = 8  # of a number


def hold_rows(
    parts: Iterable[tuple[Any, Place]], names: Names, layout: Layout, most_bytes: int
) -> OfRows:
    """Rows of a data set with their clusters, as long as they fit into ``most_bytes``."""
    option = "n_resamples" if names.clusters is None else f"groups={names.clusters!r}"
    held, clusters, size = [], [], 0
    for data, place in parts:
        part = read_part(data, names, place)
        size += _BYTES * part.n_rows * (len(names.score) + 5)
        if size > most_bytes:
            raise InvalidParameterError(
                f"{option} needs the rows in memory, and they take more than memory_limit, "
                f"{most_bytes} bytes: raise memory_limit, or leave out {option.partition('=')[0]}."
            )
        held.append(part)
        if names.clusters is not None:
            column = read_value_column(data, names.clusters, place)
            codes, categories = column.values, column.categories
            clusters.append(codes if categories is None else categories[codes])
    part = _joined(held)
    cluster = read_groups(np.concatenate(clusters), part.n_rows) if clusters else None
    return rows_of_part(part, names, layout, cluster)


def _joined(parts: list[Part]) -> Part:
    """One part, whose groups are those of all."""
    numbers: dict[Any, int] = {}
    groups = []
    for part in parts:
        own = np.array([numbers.setdefault(group, len(numbers)) for group in part.groups])
        groups.append(
            own[np.zeros(part.n_rows, dtype=np.int64) if part.group is None else part.group]
        )
    joined = join_parts([replace(part, groups=(None,), group=None) for part in parts])
    return replace(joined, groups=list(numbers), group=np.concatenate(groups))


def rows_of_part(part: Part, names: Names, layout: Layout, cluster: Array | None) -> OfRows:
    """The rows of a part as evidence, by its groups."""
    place = Place()
    columns: dict[str, tuple[Array, Array]] = {}
    if part.pred is not None:
        columns["tables"] = part.true, part.pred
    if part.score is not None:
        columns["scores"] = scored(part, layout, names, place)
    group = np.zeros(part.n_rows, dtype=np.int64) if part.group is None else part.group
    about = part.weight, cluster, part.eps
    return OfRows(layout, part.labels, columns, part.groups, group, *about)
