"""Entities, such as customers: columns within whose values several other columns never change."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.datasets.roles import coded, listed
from skmetrics_ext.numeric import Array

_LEAST_VALUES = 20  # of an entity
_LEAST_VARIED = 10  # values of a column that would change within most other columns
_LEAST_CONSTANT = 3  # columns that never change
_FIRST = 1000  # pairs of rows that are looked at first, in which most columns change


def entity_of(table: Any, groups: Array | None) -> tuple[str, tuple[str, ...]]:
    """The entity of a table and a line about it; empty if there is none.

    An entity within whose values the groups never change has its rows in one fold, so that no line
    is needed.
    """
    columns = {name: coded(table[name]) for name in table.column_names}
    codes = {name: values for name, (values, _) in columns.items()}
    is_name = {name: _are_names(levels) for name, (_, levels) in columns.items()}
    n_values = {name: int(values.max(initial=-1)) + 1 for name, values in codes.items()}
    found: dict[str, tuple[int, str]] = {}
    for name, values in sorted(codes.items(), key=lambda item: not is_name[item[0]]):
        if found and not is_name[name]:
            break
        n_rows, most = np.bincount(values[values >= 0]), n_values[name]
        if most < _LEAST_VALUES or 2 * n_rows[n_rows > 1].sum() <= len(values):
            continue
        order = np.argsort(values)[np.count_nonzero(values < 0) :]
        is_same = np.diff(values[order]) == 0
        pairs = order[:-1][is_same], order[1:][is_same]
        others = [k for k, n in n_values.items() if k != name and _LEAST_VARIED <= n <= most + 1]
        for n_pairs in (_FIRST, None):
            a, b = (rows[:n_pairs] for rows in pairs)
            others = [k for k in others if np.array_equal(codes[k][a], codes[k][b])]
        one_each = order[np.append(True, ~is_same)]
        n_distinct = _n_distinct(table.select([name, *others]).take(one_each))
        if n_distinct > _LEAST_CONSTANT and (
            groups is None or not np.array_equal(groups[pairs[0]], groups[pairs[1]])
        ):
            number = f"{most:,} values in {len(values):,} rows"
            line = (
                f"{listed(others)} never change within {name} ({number}): rows of one {name} "
                f"repeat; pass --groups {name}"
            )
            found[name] = n_distinct, line
    best = max(found, key=lambda name: found[name][0], default="")
    return best, (found[best][1],) if found else ()


def _n_distinct(table: Any) -> int:
    """Number of columns that do not only recode one before them.

    Text recodes a column with the same rows in common, and is recoded by one of whole numbers;
    numbers recode numbers in the same or the reverse order.
    """
    seen: set[bytes] = set()
    text: set[bytes] = set()
    n_distinct = 0
    for column in table.columns:
        codes, levels = coded(column)
        rows = codes.tobytes()
        keys = {rows}
        if levels.dtype.kind != "O":
            ranks = np.argsort(np.argsort(levels))[codes] * (codes >= 0)
            keys = {ranks.tobytes(), (ranks.max() - ranks).tobytes()}
            if rows in text and _are_names(levels):
                text.remove(rows)
                keys.add(rows)
        elif rows not in seen:
            text.add(rows)
        n_distinct += seen.isdisjoint(keys)
        seen |= {*keys, rows}
    return n_distinct


def _are_names(levels: Array) -> bool:
    """Whether values are text or whole numbers."""
    return bool(levels.dtype.kind != "f" or np.all(levels == np.round(levels)))
