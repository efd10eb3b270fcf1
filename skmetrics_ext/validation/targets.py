"""What kind of target a column holds: classes, multilabel indicators, or nothing to score."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.containers import Column
from skmetrics_ext.validation.errors import InvalidParameterError

MULTILABEL = "multilabel-indicator"
# Classes of Python and the dtype that says the same of a whole column.
_DTYPES = {bool: "bool", int: "int", float: "float"}
_NO_LABELS = (
    "unknown is not supported: {} holds {}. Labels are integers, text, booleans or categories; "
    "convert them{}."
)


def label_values(column: Column) -> tuple[Any, str]:
    """Values of a column of labels and their kind in scikit-learn's terms.

    A column vector comes back flat. Kinds beside the three that metrics take are
    "continuous", "multiclass-multioutput", "continuous-multioutput" and, of an array that is
    empty or has more than two axes, "unknown". What can be no label is refused.
    """
    values = column.values
    if column.is_sparse:
        return values, _sparse_kind(column)
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
        used = np.count_nonzero(np.bincount(values, minlength=1))
        return values, "multiclass" if used > 2 else "binary"
    suffix = ""
    if values.ndim == 2:
        if values.dtype.kind in "biuf" and _is_indicator(_few_distinct(values)):
            return values, MULTILABEL
        suffix = "-multioutput"
    if values.dtype.kind == "O":
        _check_objects(values, column.name)
    if values.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            whole = values == np.floor(values)
        if not (whole & np.isfinite(values)).all():
            _refuse_non_finite(values, column.name)
            return values, "continuous" + suffix
    if suffix:
        return values, "multiclass" + suffix
    return values, "multiclass" if _has_more_than_two(values) else "binary"


def _sparse_kind(column: Column) -> str:
    """Of a sparse matrix, which several labels of a row may come in, and one label may not."""
    values = column.values
    if values.ndim != 2 or values.shape[1] < 2:
        raise InvalidParameterError(
            "Sparse input is only supported when targets are of multilabel type: "
            f"{column.name} is one sparse column. Pass {column.name}.toarray().ravel()."
        )
    return MULTILABEL if _is_indicator(np.unique(values.data)) else "multiclass-multioutput"


def _has_more_than_two(values: Array) -> bool:
    if values.dtype.kind == "b":
        return False
    if len(set(values[:100].tolist())) > 2:
        return True
    if values.dtype.kind in "iuf":
        low, high = values.min(), values.max()
        if values.dtype.kind != "f" and int(high) - int(low) <= 1:
            return False
        return bool(((values != low) & (values != high)).any())
    first = values[0]
    others = values[values != first]
    return bool(len(others) and (others != others[0]).any())


def _few_distinct(values: Array) -> Array:
    """The distinct values where they are two at most, else more than two of them, unsorted."""
    ends = np.array([values.min(), values.max()])
    if ((values == ends[0]) | (values == ends[1])).all():
        return ends if ends[0] != ends[1] else ends[:1]
    return np.unique(values)


def _is_indicator(distinct: Array) -> bool:
    return len(distinct) < 3 and (
        distinct.dtype.kind in "biu"
        or bool((np.isfinite(distinct) & (distinct == np.floor(distinct))).all())
    )


def _first_is(values: Array, kind: type) -> bool:
    return values.size > 0 and isinstance(values.flat[0], kind)


def _check_objects(values: Array, name: str) -> None:
    """Refuse an object array of anything but text: its dtype does not say what the labels are."""
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


def _refuse_non_finite(values: Array, name: str) -> None:
    finite = np.isfinite(values)
    if finite.all():
        return
    what = "NaN" if np.isnan(values).any() else "infinity or a value too large for its dtype"
    row = int(np.argmin(finite.reshape(len(values), -1).all(axis=1)))
    raise InvalidParameterError(f"Input {name} contains {what}. The first is in row {row}.")
