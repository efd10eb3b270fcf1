"""Columns of labels as classes and codes, in the order that the columns declare."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.containers import EXACT, Column
from skmetrics_ext.validation.errors import InvalidParameterError


def encode_columns(*columns: tuple[Column, Array]) -> tuple[Array, list[Array]]:
    """Classes that occur in any column, and the codes of each column.

    Categorical columns are encoded through their categories, never row by row. The classes follow
    an ordered categorical that has all of them.
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
            "type."
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
    read = [column for column, _ in columns]
    if not has_order(classes, *read):
        return _as_in(parts[0], classes), codes
    order = next(np.argsort(rank) for rank in _ranks(classes, read) if (rank >= 0).all())
    place = np.argsort(order)
    return classes[order], [place[code] for code in codes]


def encode(*columns: Array) -> tuple[Array, list[Array]]:
    """Distinct labels of all columns, and codes; refuse integers that floats cannot represent."""
    if any(column.dtype.kind == "f" for column in columns):
        for column in columns:
            if column.dtype.kind in "iu" and column.size and _is_beyond_floats(column):
                raise InvalidParameterError(
                    "Mix of label input types: labels are integers beyond 2**53, such "
                    f"as {max(column.tolist(), key=abs)}, and floats, which do not distinguish "
                    "such integers: y_true, y_pred and labels must hold integers."
                )
    return kernels.encode(*columns)


def _is_beyond_floats(values: Array) -> bool:
    return max(int(values.max()), -int(values.min())) > EXACT


def find_labels(wanted: Array, classes: Array) -> Array:
    """Position of each label among the classes, -1 if absent."""
    place = {label: i for i, label in enumerate(classes.tolist())}
    return np.array([place.get(label, -1) for label in wanted.tolist()], dtype=np.int64)


def has_order(classes: Array, *columns: Column) -> bool | None:
    """Whether an ordered categorical declares the order of all classes; None for a conflict."""
    ranks = _ranks(classes, columns)
    for first, second in combinations(ranks, 2):
        known = (first >= 0) & (second >= 0)
        if not np.array_equal(np.argsort(first[known]), np.argsort(second[known])):
            return None
    return any(bool((rank >= 0).all()) for rank in ranks)


def _as_in(first: Array, classes: Array) -> Array:
    """Booleans as classes where the first column has only these, since True equals 1."""
    if first.dtype.kind != "b" or classes.dtype.kind == "b":
        return classes
    has_all = np.isin(classes, first).all()
    return classes.astype(bool) if has_all else classes


def _through(code_of: Array, dense: Array) -> Array:
    if np.array_equal(code_of, np.arange(len(code_of))):
        return dense
    return code_of[dense]


def _as_labels(categories: Array) -> Array:
    is_text = categories.dtype.kind == "O" and all(isinstance(c, str) for c in categories)
    return categories.astype(str) if is_text else categories


def _ranks(classes: Array, columns: Sequence[Column]) -> list[Array]:
    """Rank of each class in each ordered categorical, -1 if absent."""
    declared = [column.categories for column in columns if column.ordered]
    return [find_labels(classes, categories) for categories in declared if categories is not None]
