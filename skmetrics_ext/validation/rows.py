"""Rules about rows: equal numbers, the same index, masks, weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.column_names import check_same_names
from skmetrics_ext.validation.containers import Column, read_column
from skmetrics_ext.validation.errors import InvalidParameterError
from skmetrics_ext.validation.tensors import to_host

# Beyond these scales sums and products of weights could overflow or vanish. Scaling by a
# power of two is exact and leaves every ratio as it is.
_LARGEST, _SMALLEST = 2.0**200, 2.0**-200
_MAX_INT_PRODUCT = 1 << 31


def read_rows(
    sample_weight: Any, absolute: bool, /, **arguments: Any
) -> tuple[list[Column], Array | None]:
    """Read arguments that describe the same rows, and their weights.

    Parameters
    ----------
    sample_weight : array-like, scalar or None
        Weight of each row.
    absolute : bool
        Whether results are in units of the weights (counts, sums), so that these may not be
        rescaled.
    **arguments : array-like
        The columns by their public names, in order.
    """
    columns = [read_column(data, name) for name, data in arguments.items()]
    lengths = [len(column) for column in columns]
    if sample_weight is not None:
        sample_weight = to_host(sample_weight, "sample_weight")
    has_weight_rows = sample_weight is not None and np.ndim(sample_weight) > 0
    if has_weight_rows and hasattr(sample_weight, "__len__"):
        lengths.append(len(sample_weight))
    if len(set(lengths)) > 1:
        names = [*arguments, "sample_weight"][: len(lengths)]
        found = ", ".join(f"{name}: {n}" for name, n in zip(names, lengths, strict=True))
        raise InvalidParameterError(
            f"Found input variables with inconsistent numbers of samples: {lengths} ({found})."
        )
    if lengths[0] == 0:
        raise InvalidParameterError(
            "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample "
            f"is required: {' and '.join(arguments)} have 0 sample(s)."
        )
    named = [c for c in columns if c.names is not None]
    for column in named[1:]:
        check_same_names(named[0].names, column.names, named[0].name, column.name)
    marked = [c for c in columns if c.index is not None or c.mask is not None]
    if sample_weight is None and not marked:
        return columns, None
    _check_index(columns, sample_weight)
    kept = _unmasked(columns)
    if kept is not None:
        columns = [column.keep(kept) for column in columns]
        if has_weight_rows:
            sample_weight = read_column(sample_weight, "sample_weight").values[kept]
    return columns, check_weight(sample_weight, len(columns[0]), absolute=absolute)


def _check_index(columns: list[Column], sample_weight: Any) -> None:
    """Refuse pandas columns that hold the same rows in another order."""
    indexed = [(c.name, c.index) for c in columns if c.index is not None]
    index = getattr(sample_weight, "index", None)
    if index is not None and not callable(index):
        indexed.append(("sample_weight", index))
    for name, other in indexed[1:]:
        first_name, first = indexed[0]
        if other is first or first.equals(other) or len(first) != len(other):
            continue
        if first.sort_values().equals(other.sort_values()):
            raise InvalidParameterError(
                f"{first_name} and {name} have the same index labels in another order, so their "
                f"rows do not match by position. Pass {name}.loc[{first_name}.index], or "
                ".to_numpy() of both if the order of the rows is meant."
            )


def _unmasked(columns: list[Column]) -> Array | None:
    masks = [c.mask.reshape(len(c), -1).any(axis=1) for c in columns if c.mask is not None]
    return ~np.logical_or.reduce(masks) if masks else None


def check_weight(sample_weight: Any, n_rows: int, *, absolute: bool = False) -> Array | None:
    """Read sample weights: None, int64 (integers and booleans) or float64.

    Non-negative, finite, not all 0. Floats of extreme scale are multiplied by a power of two
    unless ``absolute``; integers stay exact.
    """
    if sample_weight is None:
        return None
    sample_weight = to_host(sample_weight, "sample_weight")
    if np.ndim(sample_weight) == 0 and not hasattr(sample_weight, "__len__"):
        sample_weight = np.full(n_rows, sample_weight)
    weight = read_column(sample_weight, "sample_weight").values
    if not isinstance(weight, np.ndarray) or weight.ndim != 1:
        raise InvalidParameterError(
            f"Sample weights must be 1D array or scalar, got {weight.ndim}D array of shape "
            f"{weight.shape} for sample_weight. Expected either a scalar value or a 1D array "
            f"of length {n_rows}."
        )
    if len(weight) != n_rows:
        raise InvalidParameterError(
            f"sample_weight.shape == ({len(weight)},), expected ({n_rows},)!"
        )
    if weight.dtype.kind == "c":
        raise InvalidParameterError("Complex data not supported in sample_weight.")
    if weight.dtype.kind in "biu":
        return _check_int_weight(weight, absolute)
    try:
        weight = weight.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(
            f"sample_weight must hold numbers, got dtype {weight.dtype}."
        ) from error
    if not kernels.all_finite(weight):
        what = "NaN" if np.isnan(weight).any() else "infinity or a value too large"
        row = int(np.argmin(np.isfinite(weight)))
        raise InvalidParameterError(
            f"Input sample_weight contains {what}. The first such weight is in row {row}."
        )
    low, high = kernels.value_range(weight)
    _check_sign(weight, low, high)
    if not absolute and not _SMALLEST < high < _LARGEST:
        weight = np.ldexp(weight, -int(np.frexp(high)[1]))
    return weight


def _check_sign(weight: Array, low: float, high: float) -> None:
    if low < 0:
        row = int(np.argmax(weight < 0))
        raise InvalidParameterError(
            f"sample_weight must not be negative, got {weight[row]} in row {row}."
        )
    if high == 0:
        raise InvalidParameterError(
            "Sample weights must contain at least one non-zero number; every sample_weight is 0."
        )


def _check_int_weight(weight: Array, absolute: bool) -> Array:
    _check_sign(weight, int(weight.min()), int(weight.max()))
    total = float(weight.sum(dtype=np.float64))
    check_total(total, "sample_weight")
    # Products of two sums of weights must fit as well.
    small = absolute or total < _MAX_INT_PRODUCT
    return weight.astype(np.int64 if small else np.float64, copy=False)


def check_total(total: float, what: str) -> None:
    """Refuse integer weights whose sum no int64 holds: it would wrap around."""
    if total >= 2.0**63:
        raise InvalidParameterError(
            f"{what} sums to {total:.3g}, beyond the largest int64 count 2**63 - 1; pass float "
            "weights."
        )
