"""Labels and plain columns: codes, counts, ranges."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from skmetrics_ext.kernels._numpy.checks import check_codes
from skmetrics_ext.numeric import Array

# Above this many table cells per row, a presence table over the range of the integers costs
# more than it saves and sorting takes over.
TABLE_CELLS_PER_ROW = 4
SMALL_TABLE = 1 << 16
_CHUNK = 1 << 15
_FEW_EDGES = 32  # of bins, below which counting is faster than searching
_FEW_VALUES = 64  # whose table of pairs stays in cache
_SMALL_TEXT = 5000  # below, sorting costs less than the table
_MAX_EXACT_FLOAT = 1 << 53
_MAX_INTEGER = 2.0**63


# --------------------------------------------------------------------------- labels


def encode(*columns: Array) -> tuple[Array, list[Array]]:
    """Distinct values over all columns, sorted, and each column as int64 codes into them.

    Columns have one kind of dtype among them: integers and booleans, floats, or text.
    """
    if all(column.dtype.kind in "biu" for column in columns):
        if np.result_type(*columns).kind == "f":  # int64 beside uint64
            if max(int(column.max()) for column in columns) >= 2**63:  # Python compares exactly
                columns = tuple(column.astype(object) for column in columns)
                return _encode_objects(columns)
            columns = tuple(column.astype(np.int64) for column in columns)
        encoded = _encode_by_table(columns)
        if encoded is not None:
            return encoded
    if any(column.dtype.kind == "O" for column in columns):
        return _encode_objects(columns)
    whole = whole_numbers(columns)
    if whole is not None and (by_table := _encode_by_table(whole)) is not None:
        return by_table[0].astype(np.result_type(*columns)), by_table[1]
    joined = np.concatenate(columns)
    ends = np.cumsum([len(column) for column in columns])[:-1]
    by_hash: tuple[Array, Array] | None = None
    if joined.dtype.kind == "U" and len(joined) > _SMALL_TEXT:
        by_hash = _encode_text(joined)
    classes, joined_codes = by_hash or np.unique(joined, return_inverse=True)
    flat = joined_codes.reshape(-1).astype(np.int64, copy=False)
    return classes, list(np.split(flat, ends))


def whole_numbers(columns: tuple[Array, ...]) -> tuple[Array, ...] | None:
    """Floats that are whole, as integers beside other integers; None if some are not."""
    if {column.dtype.kind for column in columns} - set("biuf"):
        return None
    whole = []
    for column in columns:
        if column.dtype.kind == "f":
            if not float(np.abs(column).max(initial=0)) <= _MAX_EXACT_FLOAT:
                return None
            integers = column.astype(np.int64)
            if not (integers == column).all():
                return None
            column = integers
        whole.append(column)
    return tuple(whole)


def _encode_text(joined: Array) -> tuple[Array, Array] | None:
    """Codes of fixed-width text through a table of hashes; None where two labels share a slot.

    Every row is compared with the label of its slot, so a collision cannot pass.
    """
    words = joined.view(np.uint32).reshape(len(joined), -1)
    if words.shape[1] % 2 == 0:
        words = words.view(np.uint64)
    bits = 16
    multiplier = np.uint64(0x9E3779B97F4A7C15)
    slot_row = np.full(1 << bits, -1, dtype=np.int64)
    slots = np.empty(len(joined), dtype=np.int64)
    for start in range(0, len(joined), _CHUNK):
        part = words[start : start + _CHUNK]
        mixed = part[:, 0] * multiplier
        for column in part.T[1:]:
            mixed = (mixed ^ (mixed >> np.uint64(29)) ^ column) * multiplier
        slot = (mixed >> np.uint64(64 - bits)).view(np.int64)
        slots[start : start + _CHUNK] = slot
        slot_row[slot] = np.arange(start, start + len(slot))
    used = np.flatnonzero(slot_row >= 0)
    if len(used) > 1 << (bits // 2):  # too many labels for so few slots
        return None
    labels = joined[slot_row[used]]
    classes, rank = np.unique(labels, return_inverse=True)
    if len(classes) < len(labels):
        return None
    table = np.zeros(1 << bits, dtype=np.int64)
    table[used] = rank
    heads = np.ascontiguousarray(classes).view(words.dtype).reshape(len(classes), -1)
    for start in range(0, len(joined), _CHUNK):
        code = table[slots[start : start + _CHUNK]]
        slots[start : start + _CHUNK] = code
        for own, head in zip(words[start : start + _CHUNK].T, heads.T, strict=True):
            if not np.array_equal(own, head[code]):
                return None
    return classes, slots


def _encode_by_table(columns: tuple[Array, ...]) -> tuple[Array, list[Array]] | None:
    """Codes by a table over the range of the integers; None when the range is too wide."""
    dtype = np.result_type(*columns)
    low = min(int(column.min()) for column in columns)
    high = max(int(column.max()) for column in columns)
    span = high - low + 1
    rows = sum(len(column) for column in columns)
    if span > max(TABLE_CELLS_PER_ROW * rows, SMALL_TABLE):
        return None
    present = np.zeros(span, dtype=bool)
    # Widened before the shift: uint8 labels minus a minimum must not wrap around.
    wide = np.dtype(np.uint64 if dtype.itemsize == 8 and dtype.kind == "u" else np.int64).type
    shifted = [column.astype(wide, copy=False) for column in columns]
    if low:
        shifted = [column - wide(low) for column in shifted]
    shifted = [column.astype(np.int64, copy=False) for column in shifted]
    _mark_present(present, shifted)
    found = np.flatnonzero(present)
    # Kept in the caller's dtype so that True stays True and uint8 stays uint8.
    classes = (found.astype(wide) + wide(low)).astype(dtype)
    if len(found) == span:
        return classes, shifted
    code_of = np.cumsum(present) - 1
    return classes, [code_of[offset] for offset in shifted]


def _mark_present(present: Array, columns: list[Array]) -> None:
    """Mark the codes that occur; all of them mostly do, and then the first rows tell."""
    for column in columns:
        for start in range(0, len(column), _CHUNK):
            present[column[start : start + _CHUNK]] = True
            if len(present) <= _CHUNK and present.all():
                return


def object_classes(values: list[Any]) -> Array:
    """Sorted classes as an array: of text where all are text, else of objects."""
    classes = np.empty(len(values), dtype=object)
    classes[:] = values
    return classes.astype(str) if all(isinstance(value, str) for value in values) else classes


def _encode_objects(columns: tuple[Array, ...]) -> tuple[Array, list[Array]]:
    """Codes of hashable objects through one dictionary of the sorted classes."""
    lists = [column.tolist() for column in columns]
    values = sorted(dict.fromkeys(chain(*lists)))
    classes = object_classes(values)
    code_of = {value: code for code, value in enumerate(values)}.__getitem__
    return classes, [np.fromiter(map(code_of, x), dtype=np.int64, count=len(x)) for x in lists]


# --------------------------------------------------------------------------- counts


def all_finite(values: Array) -> bool:
    """Whether no value is infinite or nan."""
    return bool(np.isfinite(values).all())


def value_range(values: Array) -> tuple[float, float]:
    """Lowest and highest of finite values, of which there is one at least."""
    return float(values.min()) + 0.0, float(values.max()) + 0.0  # no -0.0


def bin_sums(bins: Array, n_bins: int, weight: Array | None) -> Array:
    """Weight in each bin: int64 for no weights or integer weights, else float64."""
    if weight is not None and weight.dtype.kind != "f":
        total = float(weight.sum(dtype=np.float64))
        if total >= _MAX_EXACT_FLOAT:
            return _exact_sums(bins, n_bins, weight, total)
        sums = np.bincount(bins, weights=weight, minlength=n_bins).astype(np.int64)
    else:
        sums = np.bincount(bins, weights=weight, minlength=n_bins)
    if len(sums) > n_bins:
        raise ValueError(f"bins must be from 0 to {n_bins - 1}.")
    return sums if weight is not None else sums.astype(np.int64, copy=False)


def bins_between(values: Array, edges: Array) -> Array:
    """Number of the edges, which rise, that are below each value."""
    if len(edges) > _FEW_EDGES:
        return np.searchsorted(edges, values, side="left")
    bins = np.zeros(np.shape(values), dtype=np.int8)
    for edge in edges:  # passes over the rows are faster than searching for each of them
        np.add(bins, values > edge, out=bins, casting="unsafe")
    return bins.astype(np.int64)


def binned_events(codes: Array, proba: Array, edges: Array) -> tuple[Array, Array, Array]:
    """Rows, rows of class 1, and the sum of the probabilities in each of `bins_between`."""
    check_codes(codes, 2, proba)
    bins, n_bins = bins_between(proba, edges), len(edges) + 1
    table = bin_sums(2 * bins + codes, 2 * n_bins, None).reshape(-1, 2)
    return table.sum(axis=1), table[:, 1], np.bincount(bins, weights=proba, minlength=n_bins)


def _exact_sums(bins: Array, n_bins: int, weight: Array, total: float) -> Array:
    """Weighted sums of integers too large for floats."""
    if total >= _MAX_INTEGER:
        raise OverflowError(f"Integer weights sum to {total:.3g}, beyond 2**63 - 1.")
    sums = np.zeros(n_bins, dtype=np.int64)
    np.add.at(sums, bins, weight)
    return sums


def squared_distances(marks: Array, proba: Array) -> Array:
    """Squared distance of the probability in each row from its mark, 0 or 1."""
    check_codes(marks, 2, proba)
    distance = np.subtract(proba, marks)
    return np.multiply(distance, distance, out=distance)


def types(objects: Array) -> set[type]:
    """The types of the elements."""
    return set(map(type, objects.ravel().tolist()))


def confusion(true: Array, pred: Array, n_classes: int, weight: Array | None) -> Array:
    """Table of shape (n_classes, n_classes): rows are the true class, columns the predicted."""
    check_codes(true, n_classes, pred, weight)
    check_codes(pred, n_classes)
    cells = n_classes * n_classes
    if weight is not None or len(true) <= _CHUNK:
        table = bin_sums(true * n_classes + pred, cells, weight)
        return table.reshape(n_classes, n_classes)
    table = np.zeros(cells, dtype=np.int64)
    for start in range(0, len(true), _CHUNK):
        stop = start + _CHUNK  # the temporary stays in cache
        table += np.bincount(true[start:stop] * n_classes + pred[start:stop], minlength=cells)
    return table.reshape(n_classes, n_classes)


def tabulate(true: Array, pred: Array) -> tuple[Array, Array, Array] | None:
    """The values that occur in each column, and a table of the rows of each two of them.

    None where there are many, or floats that are not whole; integers for whole floats.
    """
    both = true.copy(), pred.copy()  # another thread may change what is looked at here
    whole = whole_numbers(both) if true.ndim == pred.ndim == 1 else None
    if whole is None or any(int(side.max()) - int(side.min()) >= _FEW_VALUES for side in whole):
        return None
    (rows, (true,)), (columns, (pred,)) = map(encode, whole)
    table = confusion(true, pred, max(len(rows), len(columns)), None)
    return rows, columns, table[: len(rows), : len(columns)]


def class_counts(
    true: Array, pred: Array, n_classes: int, weight: Array | None, count: Any = confusion
) -> tuple[Array, Array, Array]:
    """Per class: weight predicted right, weight of the true class, weight predicted.

    ``count`` makes the table where there is one.
    Memory grows with ``n_classes``, not with its square, once the square would outgrow the rows.
    """
    if n_classes * n_classes <= max(len(true), 1024):
        table = count(true, pred, n_classes, weight)
        return table.diagonal().copy(), table.sum(axis=1), table.sum(axis=0)
    true, pred = true.copy(), pred.copy()  # another thread may change what is checked here
    check_codes(true, n_classes, pred, weight)
    check_codes(pred, n_classes)
    right = true == pred
    hits = bin_sums(true[right], n_classes, None if weight is None else weight[right])
    return hits, bin_sums(true, n_classes, weight), bin_sums(pred, n_classes, weight)
