"""Sampling design: groups of dependent rows, and strata that were sampled separately."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.containers import Column, missing_values, read_column
from skmetrics_ext.validation.errors import InvalidParameterError
from skmetrics_ext.validation.rows import check_index, index_of, masked_rows

_ONE = {"groups": "group", "strata": "stratum", "readers": "reader"}
_WITHOUT = {
    "groups": "give each row a group (one of its own if it depends on no other row)",
    "strata": "give each row a stratum",
    "readers": "give each row its reader",
}


class Design(NamedTuple):
    """Sampling design of rows; independent by default.

    Parameters
    ----------
    group : ndarray of int of shape (n,) or None
        Number of each row's group: rows within a group are dependent, groups are independent.
    stratum : ndarray of int of shape (n,) or None
        Number of each row's stratum: a fixed number of rows, or groups, was drawn from each of the
        two or more strata.
    """

    group: Array | None = None
    stratum: Array | None = None

    @property
    def is_plain(self) -> bool:
        """Whether rows are independent, without groups and strata."""
        return self.group is None and self.stratum is None

    def kept(self, rows: Array) -> Design:
        """The design of a subset of the rows."""
        group, stratum = (
            None if codes is None else np.unique(codes[rows], return_inverse=True)[1]
            for codes in self
        )
        return Design(group, _several(stratum))


INDEPENDENT = Design()


def read_design(
    groups: Any, strata: Any, n_rows: int, alone: bool = False, /, **others: Any
) -> Design:
    """Groups and strata, read as in `read_groups`; each group must lie within one stratum."""
    if groups is None and strata is None:
        return INDEPENDENT
    group = None if groups is None else read_groups(groups, n_rows, alone, **others)
    if strata is None:
        return Design(group)
    stratum = _several(_codes(_column("strata", strata, n_rows, others)))
    if stratum is None:
        return Design(group)
    if group is not None:
        _refuse_torn(group, stratum)
    n_drawn = n_rows if group is None else int(group.max()) + 1
    if n_drawn == int(stratum.max()) + 1:
        what = "row" if group is None else "group"
        raise InvalidParameterError(
            f"strata has one {what} in each of its {n_drawn} strata, and nothing tells how such "
            f"{what}s vary: join strata that are alike, so that each has two {what}s or more."
        )
    return Design(group, stratum)


def _several(stratum: Array | None) -> Array | None:
    return None if stratum is None or not stratum.any() else stratum


def _refuse_torn(group: Array, stratum: Array) -> None:
    """Refuse groups that extend over two strata: they were not drawn as a whole from either."""
    first = np.unique(group, return_index=True)[1][group]  # a row of the same group
    torn = np.flatnonzero(stratum[first] != stratum)
    if len(torn):
        raise InvalidParameterError(
            f"rows {first[torn[0]]} and {torn[0]} are of one group and of two strata: groups are "
            "drawn within strata. Use strata that contain whole groups, or groups within strata."
        )


def read_groups(groups: Any, n_rows: int, alone: bool = False, /, **others: Any) -> Array:
    """Number of each row's group; a single group is refused, as it does not show how groups vary.

    Parameters
    ----------
    groups : array-like
        Any values that are equal within a group: numbers, text, dates, categories.
    n_rows : int
        Number of rows, without masked ones.
    alone : bool
        Whether a single group is accepted, for a part of all rows.
    **others : array-like
        Other arguments with one value per row, as passed: their index has to match that of
        ``groups``, and rows that they mask are left out.
    """
    group = _codes(_column("groups", groups, n_rows, others))
    if n_rows > 1 and not (alone or group.any()):
        raise InvalidParameterError(
            f"groups holds one group for all {n_rows} rows, and at least two are needed to see how "
            "groups vary: leave out groups= if rows are independent."
        )
    return group


def _codes(column: Column) -> Array:
    """Code of each value among those that occur."""
    values = np.asarray(column.values)
    if values.dtype.kind in "mM":
        values = values.view(np.int64)
    try:
        used, (codes,) = kernels.encode(values)
        if column.categories is None:
            return codes
        # Sorted, so that draws do not depend on the order in which categories are declared.
        return np.unique(column.categories[used], return_inverse=True)[1].reshape(-1)[codes]
    except TypeError as error:
        raise InvalidParameterError(
            f"{column.name} must hold values of one type, got dtype {values.dtype}: {error}."
        ) from error


def read_names(name: str, data: Any, n_rows: int, /, **others: Any) -> tuple[Array, list[Any]]:
    """Code of each row's group, stratum or reader, and the names of the codes."""
    column = _column(name, data, n_rows, others)
    codes = _codes(column)
    first = np.unique(codes, return_index=True)[1]
    return codes, np.asarray(column.labels)[first].tolist()


def read_numbered_groups(groups: Any, n_rows: int, /, **others: Any) -> Array:
    """Like `read_groups`, for groups that are numbered from 0 and keep their numbers."""
    column = _column("groups", groups, n_rows, others)
    values = np.asarray(column.labels)
    if values.dtype.kind == "f" and (values % 1 == 0).all():
        values = values.astype(np.int64)
    if values.dtype.kind not in "biu" or values.min() < 0:
        found = f"dtype {values.dtype}" if values.dtype.kind not in "biu" else values.min()
        raise InvalidParameterError(f"groups must number the groups from 0, got {found}.")
    return values.astype(np.int64, copy=False)


def _column(name: str, data: Any, n_rows: int, others: Mapping[str, Any]) -> Column:
    column, unit = read_column(data, name), _ONE[name]
    check_index(**{other: index_of(data) for other, data in others.items()}, **{name: column.index})
    if column.is_sparse or column.values.ndim != 1:
        raise InvalidParameterError(
            f"{name} must be 1-D, one {unit} for each of the {n_rows} rows, got an array of shape "
            f"{column.values.shape}."
        )
    _refuse_missing(column)
    masked = [data for data in others.values() if isinstance(data, np.ma.MaskedArray)]
    rows = [masked_rows(read_column(data, name)) for data in masked]
    if rows and len(rows[0]) == len(column):
        column = column.keep(~np.logical_or.reduce(rows))
    if len(column) != n_rows:
        raise InvalidParameterError(
            f"{name} must hold one {unit} for each of the {n_rows} rows, got {len(column)}."
        )
    return column


def _refuse_missing(column: Column) -> None:
    """Refuse rows without a group: they form neither one group nor one each."""
    missing = missing_values(column.values) if column.mask is None else masked_rows(column)
    if missing.any():
        row = int(np.argmax(missing))
        raise InvalidParameterError(
            f"{column.name} has no value in row {row}: {_WITHOUT[column.name]}, or leave such rows "
            "out."
        )
