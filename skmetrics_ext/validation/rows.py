"""Checks of rows: equal lengths, matching indexes, masks, weights."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.column_names import check_same_names
from skmetrics_ext.validation.containers import Column, first_not_finite, holds_text, read_column
from skmetrics_ext.validation.errors import InvalidParameterError

# Beyond these scales sums and products of weights could overflow or underflow. Scaling by a
# power of two is exact and changes no ratio.
_LARGEST, _SMALLEST = 2.0**200, 2.0**-200
_NORMAL = 2.0**-1021  # of the largest weight: smaller ones would vanish by scaling
_MAX_INT_PRODUCT = 1 << 31


def read_rows(
    sample_weight: Any, absolute: bool, part: bool = False, /, **arguments: Any
) -> tuple[list[Column], Array | None]:
    """Read arguments with one value per row, and the weights of the rows.

    Parameters
    ----------
    sample_weight : array-like or None
        Weight of each row.
    absolute : bool
        Whether results are in units of the weights (counts, sums), so that these may not be
        rescaled.
    part : bool
        Whether these rows are a part that will be merged with others: weights are not rescaled
        and may all be 0, and every row may be masked.
    **arguments : array-like
        The columns by argument name.
    """
    if sample_weight is not None:
        arguments["sample_weight"] = sample_weight
    for name in ("y_score", "y_proba"):
        if name in arguments:
            arguments[name] = marked_columns(arguments[name], name, arguments.get("y_true"))
    columns = [read_column(data, name) for name, data in arguments.items()]
    lengths = [column.values.shape[0] for column in columns]
    if len(set(lengths)) > 1:
        found = ", ".join(f"{name}: {n}" for name, n in zip(arguments, lengths, strict=True))
        raise InvalidParameterError(
            f"Found input variables with inconsistent numbers of samples: {lengths} ({found})."
        )
    if lengths[0] == 0:
        raise InvalidParameterError(
            "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample "
            f"is required: {' and '.join(arguments)} have 0 sample(s)."
        )
    if [c for c in columns if c.names is not None or c.index is not None or c.mask is not None]:
        named = [column for column in columns if column.names is not None]
        for column in named[1:]:
            check_same_names(named[0].names, column.names, named[0].name, column.name)
        columns = _apply_masks(columns, part)
    if sample_weight is None:
        return columns, None
    weight = columns.pop()
    return columns, _read_weight(weight, absolute, part) if len(weight) else None


def marked_columns(data: Any, name: str, y_true: Any) -> Any:
    """One column for each output, if the list holds ``predict_proba`` of several outputs."""
    if not isinstance(data, list) or not data or len(getattr(data[0], "shape", ())) != 2:
        return data
    shapes = [np.shape(part) for part in data]
    if np.ndim(y_true) != 2 or any(shape[1:] != (2,) for shape in shapes):
        raise InvalidParameterError(
            f"{name} is a list with an array for each output, of shapes {shapes[:5]}, which needs "
            "y_true with a column for each output and arrays with two columns: pass the second "
            f"columns, np.column_stack([part[:, 1] for part in {name}])."
        )
    return np.column_stack([np.asarray(part)[:, 1] for part in data])


def _apply_masks(columns: list[Column], part: bool) -> list[Column]:
    """Columns without the rows that any of them masks; refuse indexes in different orders."""
    check_index(**{column.name: column.index for column in columns})
    masked = [column for column in columns if column.mask is not None]
    if not masked:
        return columns
    kept = ~np.logical_or.reduce([masked_rows(column) for column in masked])
    if not (part or kept.any()):
        raise InvalidParameterError(
            f"{' and '.join(column.name for column in masked)} leave no row: every one is masked."
        )
    return [column.keep(kept) for column in columns]


def masked_rows(column: Column) -> Array:
    """Rows of a column or matrix with a masked value."""
    if column.mask is None:
        return np.zeros(len(column), dtype=bool)
    return np.asarray(column.mask.reshape(len(column), -1).any(axis=1))


def check_index(**indexes: Any) -> None:
    """Refuse pandas indexes that hold the same labels in different orders."""
    indexed = [(name, index) for name, index in indexes.items() if index is not None]
    for name, other in indexed[1:]:
        first_name, first = indexed[0]
        if other is first or first.equals(other) or len(first) != len(other):
            continue
        if _are_permuted(first, other):
            raise InvalidParameterError(
                f"{first_name} and {name} have the same index labels in another order, so their "
                f"rows do not match by position. Pass {name}.loc[{first_name}.index], or "
                ".to_numpy() of both if the order of the rows is meant."
            )


def check_fitted_rows(X: Any, **arguments: Any) -> None:
    """Refuse arguments of a fit whose index or mask contradicts their position."""
    if all(type(data) in (np.ndarray, type(None)) for data in (X, *arguments.values())):
        return
    check_index(**{name: index_of(data) for name, data in {"X": X, **arguments}.items()})
    for name, data in arguments.items():
        if isinstance(data, np.ma.MaskedArray) and np.ma.getmaskarray(data).any():
            row = int(np.argmax(masked_rows(read_column(data, name))))
            raise InvalidParameterError(
                f"{name} is masked in row {row}, and a model would be fitted to what the mask "
                "hides: leave out such rows."
            )


def check_same_masks(**columns: Any) -> None:
    """Refuse predictions of the same rows with different masks."""
    masks = {
        name: np.ma.getmaskarray(data).reshape(len(data), -1).any(axis=1)
        for name, data in columns.items()
        if isinstance(data, np.ma.MaskedArray) and np.ma.getmaskarray(data).any()
    }
    first = next(iter(masks.values()), None)
    if first is None:
        return
    if len(masks) < len(columns) or not all(np.array_equal(first, m) for m in masks.values()):
        raise InvalidParameterError(
            f"{', '.join(columns)} are masked in different rows: give all of them the same rows."
        )


def _are_permuted(first: Any, other: Any) -> bool:
    try:
        return bool(first.sort_values().equals(other.sort_values()))
    except TypeError:  # labels of several types, which have no order
        return Counter(first) == Counter(other)


def index_of(data: Any) -> Any:
    """The pandas index of an argument; None if it has none."""
    index = getattr(data, "index", None)
    return index if hasattr(index, "equals") else None


# --------------------------------------------------------------------------- weights


def check_weight(
    sample_weight: Any, n_rows: int, *, absolute: bool = False, part: bool = False
) -> Array | None:
    """Read sample weights: None, int64 (integers and booleans) or float64.

    They must be finite, non-negative and not all 0. Floats of extreme scale are multiplied by a
    power of two unless ``absolute``; integers stay exact. Weights of a ``part`` of the rows are
    refused instead of rescaled, and may all be 0.
    """
    if sample_weight is None:
        return None
    column = read_column(sample_weight, "sample_weight")
    if len(column) != n_rows:
        raise InvalidParameterError(
            f"sample_weight.shape == ({len(column)},), expected ({n_rows},)!"
        )
    if column.mask is not None:
        raise InvalidParameterError(
            f"sample_weight is masked in row {int(np.argmax(masked_rows(column)))}: leave out such "
            "rows, here and in the data."
        )
    return _read_weight(column, absolute, part)


def _read_weight(column: Column, absolute: bool, part: bool) -> Array:
    weight = column.values
    if column.is_sparse or weight.ndim != 1:
        kind = "a sparse matrix" if column.is_sparse else f"{weight.ndim}D array"
        raise InvalidParameterError(  # scikit-learn's words, which its users match
            f"Sample weights must be 1D array or scalar, got {kind} of shape {weight.shape} for "
            f"sample_weight. Expected one weight for each of the {len(column)} rows."
        )
    if weight.dtype.kind == "c":
        raise InvalidParameterError("Complex data not supported in sample_weight.")
    if column.categories is not None or weight.dtype.kind in "SUmMV" or holds_text(weight):
        kind = "text" if weight.dtype.kind == "O" else f"dtype {weight.dtype}"
        kind = "categories" if column.categories is not None else kind
        raise InvalidParameterError(f"sample_weight must hold numbers, got {kind}.")
    if weight.dtype.kind in "biu":
        return _check_int_weight(weight, absolute, part)
    try:
        weight = weight.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidParameterError(
            f"sample_weight must hold numbers, got dtype {weight.dtype}: {error}."
        ) from error
    if not kernels.all_finite(weight):
        what, row = first_not_finite(weight)
        raise InvalidParameterError(
            f"Input sample_weight contains {what}. The first such weight is in row {row}."
        )
    low, high = kernels.value_range(weight)
    _check_sign(weight, low, high, part)
    if part and high and not _SMALLEST < high < _LARGEST:
        raise InvalidParameterError(
            f"sample_weight of rows that are added to others must lie below {_LARGEST:.0e} and not "
            f"all below {_SMALLEST:.0e}, got {high} as the largest: divide all of them by one "
            "number."
        )
    if not (absolute or part) and not _SMALLEST < high < _LARGEST:
        least = np.min(weight, where=weight > 0, initial=high)
        weight = np.ldexp(weight, -int(np.frexp(high)[1]))
        if least / high < _NORMAL:
            raise InvalidParameterError(
                f"sample_weight spans too wide a range, from {least} to {high}: the largest may be "
                f"at most {1 / _NORMAL:.0e} times the smallest. Leave out rows of so small weights."
            )
    return weight


def _check_sign(weight: Array, low: float, high: float, part: bool) -> None:
    if low < 0:
        row = int(np.argmax(weight < 0))
        raise InvalidParameterError(
            f"sample_weight must not be negative, got {weight[row]} in row {row}."
        )
    if high == 0 and not part:
        raise InvalidParameterError(
            "Sample weights must contain at least one non-zero number; every sample_weight is 0."
        )


def _check_int_weight(weight: Array, absolute: bool, part: bool) -> Array:
    _check_sign(weight, int(weight.min()), int(weight.max()), part)
    total = float(weight.sum(dtype=np.float64))
    check_total(total, "sample_weight")
    # Products of two sums of weights must fit as well.
    small = absolute or total < _MAX_INT_PRODUCT
    return weight.astype(np.int64 if small else np.float64, copy=False)


def check_total(total: float, what: str) -> None:
    """Refuse integer weights whose sum would overflow int64."""
    if total >= 2.0**63:
        raise InvalidParameterError(
            f"{what} sums to {total:.3g}, beyond the largest int64 count 2**63 - 1; pass float "
            "weights."
        )
