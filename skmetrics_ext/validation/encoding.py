"""Columns of labels as sorted classes and codes, and the order that the columns declare."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.containers import EXACT, Column
from skmetrics_ext.validation.errors import InvalidParameterError

# The classes from the lowest to the highest: True if they are listed so, False if no order was
# declared, None for conflicting orders.
Order = bool | tuple[Any, ...] | None


def encode_columns(*columns: tuple[Column, Array]) -> tuple[Array, list[Array]]:
    """Sorted classes that occur in any column, and the codes of each column.

    Categorical columns are encoded through their categories, never row by row.
    """
    for column, values in columns:
        if column.categories is not None or values.dtype.kind not in "biu":
            break
    else:
        classes, codes = kernels.encode(*[values for _, values in columns])
        return _as_in(columns[0][1], classes), codes
    parts: list[Array] = []
    codes_of: list[Array | None] = []
    for column, values in columns:
        if column.categories is None:
            parts.append(values)
            codes_of.append(None)
            continue
        used, (dense,) = kernels.encode(values)
        parts.append(_as_labels(column.categories[used]))
        codes_of.append(dense)
    text = {part.dtype.kind in "UOT" for part in parts}
    if len(text) > 1:
        shown = " and ".join(str(np.unique(part)[:5]) for part in parts)
        raise InvalidParameterError(
            f"Mix of label input types (string and number); Got {shown} in "
            f"{' and '.join(column.name for column, _ in columns)}, which must hold labels of one "
            f"type.{' Or pass scores and threshold=.' * any(p.dtype.kind == 'b' for p in parts)}"
        )
    try:
        classes, codes = encode(*parts)
    except InvalidParameterError:
        raise
    except TypeError as error:  # categories of several types
        names = " and ".join(column.name for column, _ in columns)
        raise InvalidParameterError(
            f"Mix of label input types: the categories of {names} have no order ({error})."
        ) from error
    codes = [
        code if dense is None else _through(code, dense)
        for code, dense in zip(codes, codes_of, strict=True)
    ]
    return _as_in(parts[0], classes), codes


def encode(*columns: Array) -> tuple[Array, list[Array]]:
    """Distinct labels of all columns, and codes; refuse integers that floats cannot represent."""
    if any(column.dtype.kind == "f" for column in columns):
        for column in columns:
            is_integer = column.dtype.kind in "iu" and column.size
            if is_integer and max(int(column.max()), -int(column.min())) > EXACT:
                raise InvalidParameterError(
                    "Mix of label input types: labels are integers beyond 2**53, such "
                    f"as {max(column.tolist(), key=abs)}, and floats, which do not distinguish "
                    "such integers: y_true, y_pred and labels must hold integers."
                )
    return kernels.encode(*columns)


def objects(labels: Sequence[Any]) -> Array:
    """An object array of the labels, whatever their types."""
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def find_labels(wanted: Array, classes: Array) -> Array:
    """Position of each label among the classes, -1 if absent."""
    return ranks_in(classes.tolist(), wanted)


def order_of(classes: Array, orders: Iterable[Order]) -> Order:
    """The declared order that has all of the classes, if there is one; None for a conflict."""
    declared: dict[Any, None] = dict.fromkeys(order for order in orders if order is not False)
    if None in declared:
        return None
    ranks = {key: ranks_in(classes.tolist() if key is True else key, classes) for key in declared}
    for first, second in combinations(ranks.values(), 2):
        known = (first >= 0) & (second >= 0)
        if not np.array_equal(np.argsort(first[known]), np.argsort(second[known])):
            return None
    return next((order for order, rank in ranks.items() if (rank >= 0).all()), False)


def ranks_in(order: Sequence[Any], classes: Array) -> Array:
    """Rank of each class in a declared order, -1 if absent."""
    place = {label: i for i, label in enumerate(order)}
    return np.array([place.get(label, -1) for label in classes.tolist()], dtype=np.int64)


def _as_in(first: Array, classes: Array) -> Array:
    """The classes as booleans or integers if the first column holds such, and all of them."""
    narrower = {"b": "iuf", "i": "f", "u": "f"}.get(first.dtype.kind, "")
    if classes.dtype.kind not in narrower or not np.isin(classes, first).all():
        return classes
    return classes.astype(first.dtype)


def _through(code_of: Array, dense: Array) -> Array:
    if np.array_equal(code_of, np.arange(len(code_of))):
        return dense
    return code_of[dense]


def _as_labels(categories: Array) -> Array:
    is_text = categories.dtype.kind == "O" and all(isinstance(c, str) for c in categories)
    return categories.astype(str) if is_text else categories
