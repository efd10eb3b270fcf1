"""Confusion tables counted elsewhere."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.containers import read_array, read_numbers
from skmetrics_ext.validation.errors import InvalidParameterError
from skmetrics_ext.validation.labels import read_labels

_LARGE = 1 << 30  # bytes of tables above which available memory is checked


def read_table(table: Any, labels: Any) -> tuple[Array, Array]:
    """The classes (K,) and the cells (K, K) of a table, int64 or float64."""
    named = _names(table)
    try:
        cells = _cells(table)
    except MemoryError as error:
        raise no_room(len(table)) from error
    n_classes = len(cells)
    classes = np.arange(n_classes) if named is None else named
    if labels is not None:
        classes = read_labels(labels)
        if named is not None and named.tolist() not in (classes.tolist(), [*range(n_classes)]):
            raise InvalidParameterError(
                f"labels={classes.tolist()} are not the names of the rows of table, "
                f"{named.tolist()}."
            )
    if len(classes) != n_classes or len(set(classes.tolist())) < n_classes:
        raise InvalidParameterError(
            f"labels must name each of the {n_classes} classes of table once, got "
            f"{classes.tolist()}."
        )
    return classes, cells


def check_room(n_classes: int, n_tables: int = 1) -> None:
    """Refuse tables that would not fit into memory together with a working copy."""
    n_bytes = 8 * n_tables * n_classes**2
    if n_bytes >= _LARGE and 2 * n_bytes > _memory():
        raise no_room(n_classes, n_tables)


def _memory() -> float:
    """Memory of this machine, or the limit of this process, in bytes; infinite if unknown."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        known = float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (ImportError, AttributeError, ValueError, OSError):
        return float("inf")
    return known if limit == resource.RLIM_INFINITY else min(known, float(limit))


def no_room(n_classes: int, n_tables: int = 1) -> InvalidParameterError:
    """Error for a table that does not fit into memory."""
    size = 8 * n_tables * n_classes**2 / 2**30
    several = f"{n_tables} confusion tables" if n_tables > 1 else "A confusion table"
    return InvalidParameterError(
        f"{several} of {n_classes} classes would take {size:.3g} GiB, more than this process can "
        "have: are these labels of classes? labels= names fewer, and metrics of each class alone "
        "(precision, recall, F1) need no table."
    )


def read_exact(values: Any, name: str) -> Array:
    """Numbers of any shape in int64 or float64."""
    try:
        numbers = read_array(name, values)
    except ValueError:  # rows of unlike lengths
        return read_numbers(name, values)
    if numbers.dtype.kind in "biu" and numbers.size and numbers.sum(dtype=np.float64) < 2**63:
        return numbers.astype(np.int64)
    return read_numbers(name, values)


def check_weights(name: str, weights: Array) -> None:
    """Refuse negative and non-finite weights; complex ones carry derivatives."""
    kind = weights.dtype.kind
    if kind == "c" or not weights.size:
        return
    if weights.min() >= 0 and (kind == "i" or weights.max() < np.inf):
        return
    index = tuple(np.argwhere(~(np.isfinite(weights) & (weights >= 0)))[0].tolist())
    names = ("row", "column") if len(index) == 2 else ["place"] * len(index)
    where = ", ".join(f"{of} {i}" for of, i in zip(names, index, strict=True))
    raise InvalidParameterError(
        f"{name} must hold finite weights that are not negative, got {weights[index]}"
        f"{' in ' * bool(where)}{where}."
    )


def _cells(table: Any) -> Array:
    cells = read_exact(table, "table")
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1] or not cells.size:
        raise InvalidParameterError(
            "table must be square, with a row and a column for each class, got shape "
            f"{cells.shape}."
        )
    check_weights("table", cells)
    if not cells.any():
        raise InvalidParameterError("table must hold a row at least; every cell of it is 0.")
    return cells


def _names(table: Any) -> Array | None:
    """Classes that a data frame names, by both its rows and its columns."""
    if not (hasattr(table, "index") and hasattr(table, "columns")):
        return None
    rows, columns = list(table.index), list(table.columns)
    if rows != columns:
        raise InvalidParameterError(
            "The rows and the columns of table must name the same classes in the same order, got "
            f"{rows} and {columns}."
        )
    return read_labels(rows)
