"""Kind of target that a column holds: classes, multilabel indicators, or neither."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.containers import Column, first_not_finite
from skmetrics_ext.validation.errors import InvalidParameterError

MULTILABEL = "multilabel-indicator"
# Python type -> dtype of a whole column of it.
_DTYPES = {bool: "bool", int: "int", float: "float"}
_NO_LABELS = (
    "unknown is not supported: {} holds {}. Labels are integers, text, booleans or categories; "
    "convert them{}."
)


def label_values(column: Column) -> tuple[Any, str]:
    """Values of a column of labels and their kind in scikit-learn's terms, as `read_values`.

    Columns of classes are "binary" or "multiclass".
    """
    values, kind = read_values(column)
    if kind:
        return values, kind
    if column.categories is not None:
        return values, kind_of(np.flatnonzero(np.bincount(values)))
    return values, "multiclass" if _has_more_than_two(values) else "binary"


def kind_of(classes: Array) -> str:
    return "multiclass" if len(classes) > 2 else "binary"


def read_values(column: Column) -> tuple[Any, str]:
    """Values of a column of labels and their kind, which is empty for one class per row.

    A column vector is returned flat, multilabel indicators as `read_marks` returns them. The
    other kinds, which no metric of classes accepts, are "continuous", "multiclass-multioutput",
    "continuous-multioutput" and, for an array that is empty or has more than two axes, "unknown".
    Values that cannot be labels are refused.
    """
    values = column.values
    if column.is_sparse:
        return _sparse_marks(column)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim not in (1, 2) or values.size == 0:
        return values, "unknown"
    if values.dtype.kind == "c":
        raise InvalidParameterError(f"Complex data not supported in {column.name}.")
    if values.dtype.kind in "mMV":
        raise InvalidParameterError(_NO_LABELS.format(column.name, f"{values.dtype} values", ""))
    if values.dtype.kind == "S" or (values.dtype.kind == "O" and _first_is(values, bytes)):
        raise InvalidParameterError(
            "Support for labels represented as bytes is not supported. Convert the labels of "
            f"{column.name} to a string or integer format."
        )
    if column.categories is not None:
        return values, ""
    suffix = ""
    if values.ndim == 2:
        if values.dtype.kind == "O" and kernels.types(values) <= _DTYPES.keys():
            values = np.array(values.tolist())
        distinct = _few_distinct(values) if values.dtype.kind in "biuf" else values
        if len(distinct) < 3 and distinct.ndim == 1 and (distinct == np.floor(distinct)).all():
            return read_marks(values, column.name, distinct), MULTILABEL
        suffix = "-multioutput"
    if values.dtype.kind == "O":
        _check_objects(values, column.name)
    if values.dtype.kind == "f":
        if not np.isfinite(values).all():
            what, row = first_not_finite(values)
            raise InvalidParameterError(
                f"Input {column.name} contains {what}. The first is in row {row}."
            )
        if (values != np.floor(values)).any():
            return values, "continuous" + suffix
    return values, "multiclass" + suffix if suffix else ""


def read_marks(values: Array, name: str, distinct: Array | None = None) -> Array:
    """Multilabel marks as booleans, from 0 and 1 or booleans; anything else is refused.

    Every multilabel argument passes here: -1 and 1, or 1 and 2, would be ambiguous.
    """
    distinct = _few_distinct(values) if distinct is None else distinct
    if ((distinct != 0) & (distinct != 1)).any():
        listed = distinct.tolist()
        raise InvalidParameterError(
            f"{name} holds {str(listed[:10])[1:-1]}{', ...' * (len(listed) > 10)} as multilabel "
            f"indicators, which must be 0 and 1, or False and True: pass ({name} == 1) if 1 is "
            "the mark."
        )
    return values.astype(bool, copy=False)


def _sparse_marks(column: Column) -> tuple[Any, str]:
    """Marks as a CSR matrix of ones in canonical format; one label per row cannot be sparse."""
    from scipy.sparse import csr_array

    values = column.values
    if values.ndim != 2 or values.shape[1] < 2:
        raise InvalidParameterError(
            "Sparse input is only supported when targets are of multilabel type: "
            f"{column.name} is one sparse column. Pass {column.name}.toarray().ravel()."
        )
    marks = csr_array(values)  # shares the arrays of a CSR matrix
    if not marks.has_canonical_format:
        marks = marks.copy()
        marks.sum_duplicates()
    if not (marks.data == 1).all():
        read_marks(marks.data, column.name)
        marks = marks.copy()
        marks.eliminate_zeros()
    return marks, MULTILABEL


def _has_more_than_two(values: Array) -> bool:
    if len(set(values[:100].tolist())) > 2:
        return True
    if values.dtype.kind in "iuf":
        low, high = values.min(), values.max()
        if values.dtype.kind != "f" and int(high) - int(low) <= 1:
            return False
        return bool(((values != low) & (values != high)).any())
    others = values[values != values[0]]
    return bool(len(others) and (others != others[0]).any())


def _few_distinct(values: Array) -> Array:
    """All distinct values, sorted; cheap where there are at most two."""
    ends = np.array([values.min(), values.max()])
    adjacent = values.dtype.kind in "biu" and int(ends[1]) - int(ends[0]) <= 1
    if adjacent or ((values == ends[0]) | (values == ends[1])).all():
        return ends if ends[0] != ends[1] else ends[:1]
    return np.unique(values)


def _first_is(values: Array, kind: type) -> bool:
    return values.size > 0 and isinstance(values.flat[0], kind)


def _check_objects(values: Array, name: str) -> None:
    """Refuse object arrays of anything but text: their dtype leaves the type of label open."""
    kinds = kernels.types(values)
    if all(issubclass(kind, str) for kind in kinds):
        return
    for row, value in enumerate(values.reshape(len(values), -1)[:, 0]):
        if value is None or (isinstance(value, float) and np.isnan(value)):
            raise InvalidParameterError(
                f"Input {name} contains NaN. The first missing label ({value!r}) is in row {row}."
            )
    if any(issubclass(kind, str) for kind in kinds):
        found = sorted(kind.__name__ for kind in kinds)
        raise InvalidParameterError(
            f"Mix of label input types (string and number) in {name}: it holds {found}."
        )
    if _first_is(values, list) or _first_is(values, tuple):
        raise InvalidParameterError(
            "You appear to be using a legacy multi-label data representation in "
            f"{name} (a sequence of sequences); pass a binary indicator matrix."
        )
    types = " and ".join(sorted(kind.__name__ for kind in kinds))
    dtype = next((to for kind, to in _DTYPES.items() if kinds <= {kind}), None)
    how = "" if dtype is None else f", as by np.asarray({name}).astype({dtype})"
    raise InvalidParameterError(
        _NO_LABELS.format(name, f"objects of type {types} (dtype object)", how)
    )
