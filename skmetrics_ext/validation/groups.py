"""Groups: which rows belong together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.containers import Column, read_column
from skmetrics_ext.validation.errors import InvalidParameterError
from skmetrics_ext.validation.rows import check_index, index_of, masked_rows


def read_groups(groups: Any, n_rows: int, /, **beside: Any) -> Array:
    """Number of the group of each row.

    Parameters
    ----------
    groups : array-like
        Anything that is equal for rows of one group: numbers, text, dates, categories.
    n_rows : int
        Number of the rows that are left where masked ones are left out.
    **beside : array-like
        Arguments of the same rows by their names, as they came. Their index has to be that of
        ``groups``, and a row that one of them masks has no group.
    """
    values = np.asarray(_column(groups, n_rows, beside).values)
    if values.dtype.kind in "mM":
        values = values.view(np.int64)
    try:
        return kernels.encode(values)[1][0]
    except TypeError as error:
        raise InvalidParameterError(
            f"groups must hold values of one type, got dtype {values.dtype}: {error}."
        ) from error


def read_numbered_groups(groups: Any, n_rows: int, /, **beside: Any) -> Array:
    """The same of groups that are numbers from 0, and stay so."""
    column = _column(groups, n_rows, beside)
    values = np.asarray(column.values)
    if column.categories is not None:  # their codes number something else
        values = column.categories[values]
    if values.dtype.kind == "f" and (values % 1 == 0).all():
        values = values.astype(np.int64)
    if values.dtype.kind not in "biu" or values.min() < 0:
        found = f"dtype {values.dtype}" if values.dtype.kind not in "biu" else values.min()
        raise InvalidParameterError(f"groups must number the groups from 0, got {found}.")
    return values.astype(np.int64, copy=False)


def _column(groups: Any, n_rows: int, beside: Mapping[str, Any]) -> Column:
    column = read_column(groups, "groups")
    check_index(**{name: index_of(data) for name, data in beside.items()}, groups=column.index)
    if column.is_sparse or column.values.ndim != 1:
        raise InvalidParameterError(
            f"groups must be 1-D, one group for each of the {n_rows} rows, got an array of shape "
            f"{column.values.shape}."
        )
    _refuse_missing(column)
    masked = [data for data in beside.values() if isinstance(data, np.ma.MaskedArray)]
    rows = [masked_rows(read_column(data, "groups")) for data in masked]
    if rows and len(rows[0]) == len(column):
        column = column.keep(~np.logical_or.reduce(rows))
    if len(column) != n_rows:
        raise InvalidParameterError(
            f"groups must hold one group for each of the {n_rows} rows, got {len(column)}."
        )
    return column


def _refuse_missing(column: Column) -> None:
    """A row without a group is no group of its own, nor one with all that have none."""
    values = column.values
    if column.mask is not None:
        missing = masked_rows(column)
    elif values.dtype.kind == "f":
        missing = np.isnan(values)
    elif values.dtype.kind in "mM":
        missing = np.isnat(values)
    elif values.dtype.kind == "O":
        missing = np.array([_is_missing(value) for value in values.tolist()])
    else:
        return
    if missing.any():
        row = int(np.argmax(missing))
        raise InvalidParameterError(
            f"groups has no value in row {row}: give each row a group (a row that depends on no "
            "other has one of its own), or leave such rows out."
        )


def _is_missing(value: Any) -> bool:
    """None, nan, and what neither equals nor differs from itself (pandas' NA)."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # NA
        return True
    except ValueError:  # an array, which is refused as a group
        return False
