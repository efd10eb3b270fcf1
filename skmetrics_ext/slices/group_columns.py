"""Columns of groups: names of groups, and margins of crossed groups.

With one column a group is its value; with several a tuple with a value for each column, None for a
column that is summed over. The group of all rows is None.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.slices.coding import (
    MISSING,
    Coded,
    bin_names,
    cross,
    edges_of,
    numbers_of,
    read_present,
)
from skmetrics_ext.slices.table import Frame
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import Column, count_rows
from skmetrics_ext.validation.errors import printable
from skmetrics_ext.validation.rows import check_index, index_of

ALL = "all"  # displayed for a column that is summed over
_FEW = 100  # values that a column may have however few rows there are


@dataclass(frozen=True, eq=False)
class GroupColumns:
    """The columns of groups.

    Parameters
    ----------
    names : tuple of str
    crossed : bool
        Whether groups are tuples, as for a list of columns.
    edges : mapping of str to ndarray
        Inner edges of the numeric columns that are binned.
    kept : tuple of bool or None
        For a margin, the columns that are not summed over; None for all.
    """

    names: tuple[str, ...] = ()
    crossed: bool = False
    edges: Mapping[str, Array] = field(default_factory=dict)
    kept: tuple[bool, ...] | None = None

    @classmethod
    def of(cls, by: str | Sequence[str] | None) -> GroupColumns:
        """Groups by one column, or by a list of columns that are crossed."""
        if by is None:
            return cls()
        if isinstance(by, str):
            return cls((by,))
        names = tuple(by) if isinstance(by, Iterable) else ()
        if not names or not all(isinstance(name, str) for name in names):
            raise InvalidParameterError(
                f"by must be the name of a column, or a list of names, got {by!r:.60}."
            )
        if len(set(names)) < len(names):
            raise InvalidParameterError(f"by names a column twice: {list(names)}.")
        return cls(names, crossed=len(names) > 1)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are not summed over."""
        if self.kept is None:
            return self.names
        return tuple(name for name, kept in zip(self.names, self.kept, strict=True) if kept)

    def key(self, values: Sequence[Any]) -> Any:
        """The group with these values of the columns."""
        if not values:
            return None
        if not self.crossed:
            return values[0]
        if self.kept is None:
            return tuple(values)
        left = iter(values)
        return tuple(next(left) if kept else None for kept in self.kept)

    def groups_of(
        self, columns: Mapping[str, tuple[Column, Array, int]]
    ) -> tuple[Sequence[Any], Array | None]:
        """The groups that occur, and the group number of each row; None without columns.

        The columns are those of `read_present`.
        """
        if not columns:
            return (None,), None
        return self.groups_of_codes([self.coded(name, *read) for name, read in columns.items()])

    def coded(self, name: str, column: Column, kept: Array, n_rows: int) -> Coded:
        """A column as codes of its values, or of its bins; rows not ``kept`` are `MISSING`."""
        if not len(column):
            coded = Coded(name, (), np.zeros(0, dtype=np.int64))
        elif name in self.edges:
            coded = Coded.binned(name, column, self.edges[name])
        else:
            coded = Coded.of(name, column)
        return coded.spread(kept, n_rows, MISSING)

    def groups_of_codes(self, coded: Sequence[Coded]) -> tuple[Sequence[Any], Array]:
        """The groups that occur, and the group number of each row."""
        if len(coded) == 1:
            return [self.key([value]) for value in coded[0].values], coded[0].codes
        combinations, number = cross(coded)
        values = [column.values for column in coded]
        return [
            self.key([of[code] for of, code in zip(values, codes, strict=True)])
            for codes in combinations.tolist()
        ], number

    # ----------------------------------------------------------------------- margins

    def levels(self) -> list[GroupColumns]:
        """The margins, summed over more and more columns and finally over all."""
        n = len(self.names)
        if not self.crossed:
            return [GroupColumns()] if n else []
        places = [kept for size in range(n - 1, -1, -1) for kept in combinations(range(n), size)]
        return [replace(self, kept=tuple(i in kept for i in range(n))) for kept in places]

    def sources(self, groups: Iterable[Any]) -> dict[Any, list[Any]]:
        """The groups that each group of this margin consists of."""
        sources: dict[Any, list[Any]] = {}
        for group in groups:
            sources.setdefault(self.above(group), []).append(group)
        return sources

    def above(self, group: Any) -> Any:
        """The group of this margin that contains a group with a value of every column."""
        if self.kept is None or not any(self.kept):
            return group if self.columns else None
        return tuple(value if kept else None for value, kept in zip(group, self.kept, strict=True))

    def level_of(self, group: Any) -> tuple[bool, ...]:
        """For each column, whether the group has a value of it."""
        return tuple(value is not None for value in self.cells(group))

    def whole(self, groups: Iterable[Any]) -> list[Any]:
        """The groups with a value of every column, which make up all margins."""
        return [group for group in groups if None not in self.cells(group)]

    def contains(self, group: Any, part: Any) -> bool:
        """Whether a group includes a group with a value of every column."""
        pairs = zip(self.cells(group), self.cells(part), strict=True)
        return all(value is None or other == value for value, other in pairs)

    def parts(self, group: Any, groups: Collection[Any]) -> list[Any]:
        """The groups that a group consists of, among those with a value of every column."""
        if group in groups:
            return [group]
        if all(self.level_of(group)):
            return []
        return [part for part in groups if self.contains(group, part)]

    # ----------------------------------------------------------------------- values and labels

    def cells(self, group: Any) -> tuple[Any, ...]:
        """The value of each column; None for a column that is summed over."""
        if group is None:
            return (None,) * len(self.names)
        return tuple(group) if self.crossed else (group,)

    def values(self, group: Any) -> dict[str, Any]:
        """The value of each column, by its name."""
        return dict(zip(self.names, self.cells(group), strict=True))

    def label_of(self, group: Any) -> str:
        """The label of a group."""
        if group is None:
            return ALL
        if not self.crossed:
            return str(group)
        known = {name: value for name, value in self.values(group).items() if value is not None}
        return ", ".join(f"{name}={value}" for name, value in known.items())

    def ordered(self, groups: Iterable[Any]) -> list[Any]:
        """Sort groups by their values and bins; margins and all rows come last."""
        listed = list(groups)
        bins = (bin_names(self.edges[name]) if name in self.edges else () for name in self.names)
        places = [{text: i for i, text in enumerate(texts)} for texts in bins]

        def key(group: Any) -> tuple[Any, ...]:
            values = self.cells(group)
            summed = [value is None for value in values]
            place = [
                (True, 0) if x == MISSING else (False, of_bins.get(x, x))
                for x, of_bins in zip(values, places, strict=True)
                if x is not None
            ]
            return sum(summed), summed, place

        is_plain = not (self.crossed or self.edges or {None, MISSING}.intersection(listed))
        try:
            return sorted(listed) if is_plain else sorted(listed, key=key)
        except TypeError:  # values of several types have no order
            return sorted(listed, key=lambda group: sum(x is None for x in self.cells(group)))

    def check(self, rows: Mapping[Any, int]) -> None:
        """Reject near-unique columns."""
        n_rows = sum(rows.values())
        distinct = {name: len({self.values(group)[name] for group in rows}) for name in self.names}
        for name, n in distinct.items():
            if n > max(_FEW, n_rows / 2):
                raise InvalidParameterError(
                    f"by: column {printable(name)!r} has {n} values in {n_rows} rows, so it "
                    "identifies rows and makes no groups; rows that depend on each other belong "
                    "in groups=, and numbers in bins=."
                )


def check_bins(bins: Iterable[str], names: Iterable[str]) -> None:
    """Reject bins of columns that are not columns of groups."""
    unknown = [name for name in bins if name not in names]
    if unknown:
        raise InvalidParameterError(
            f"bins names {unknown[0]!r}, which is not among the columns of by, {list(names)}."
        )


NO_GROUPS = GroupColumns()


def columns_of(by: Any, n_rows: int) -> Mapping[str, Any]:
    """Columns of groups by name, from a column, a data frame, or a dict of columns."""
    if hasattr(by, "columns"):
        frame = Frame(by, "by")
        by = {name: frame.column(name, "by") for name in frame.names}
    elif count_rows(by) == n_rows:
        name = getattr(by, "name", None)
        by = {name if isinstance(name, str) else "group": by}
    if not isinstance(by, Mapping) or not by or not all(isinstance(name, str) for name in by):
        raise InvalidParameterError(
            "by must be a dict of the name of a variable to its column, a data frame of such "
            f"columns, or one column, with a value for each of the {n_rows} rows, got {by!r:.60}, "
            f"which has {count_rows(by) or 'no'} rows."
        )
    return by


def group_arrays(
    by: Any, bins: Mapping[str, Any], n_rows: int, y_true: Any
) -> tuple[GroupColumns, Sequence[Any], Array]:
    """The columns of groups, the groups that occur, and the group number of each row.

    Parameters
    ----------
    by : array-like, data frame, or mapping of str to array-like
        A column for each variable. Rows without a value are the group `MISSING`.
    bins : mapping
        Number of bins, or inner edges, of numeric columns.
    n_rows : int
        Number of rows that are evaluated.
    y_true : array-like
        The columns must have its index.
    """
    by = columns_of(by, n_rows)
    check_bins(bins, by)
    columns = {}
    for name, data in by.items():
        check_index(y_true=index_of(y_true), **{name: index_of(data)})
        if count_rows(data) is None or hasattr(data, "levels"):
            raise InvalidParameterError(
                f"by: column {name!r} must hold a value for each row, got {data!r:.60}."
            )
        if np.ma.is_masked(data):
            raise InvalidParameterError(f"by: column {name!r} is masked: leave out such rows.")
        columns[name] = read_present(data, name)
        length = columns[name][-1]
        if length != n_rows:
            raise InvalidParameterError(
                f"by: column {name!r} has {length} rows, and {n_rows} rows are evaluated: "
                "leave masked rows out of all columns."
            )
    edges = {
        name: edges_of(name, numbers_of(columns[name][0]), cuts) for name, cuts in bins.items()
    }
    grouped = replace(GroupColumns.of(list(columns)), edges=edges)
    groups, group = grouped.groups_of(columns)
    assert group is not None
    counts = np.bincount(group, minlength=len(groups)).tolist()
    grouped.check(dict(zip(groups, counts, strict=True)))
    return grouped, groups, group
