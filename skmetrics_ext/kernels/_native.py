"""Compiled implementation of the kernels, for the types and sizes where it is faster.

What it does not know it leaves to the NumPy kernels, which it must equal.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

import numpy as np

from skmetrics_ext.kernels import _compiled, _numpy
from skmetrics_ext.numeric import Array

_THREADED_CELLS = 1 << 21  # below, starting threads costs more than it saves
_MAX_ROWS = 1 << 32  # positions in a sort are 32 bits wide
_INTEGERS = frozenset(np.dtype(code) for code in "?bhilqBHIL")
_FLOATS = frozenset([np.dtype(np.float32), np.dtype(np.float64)])


def encode(*columns: Array) -> tuple[Array, list[Array]]:
    if _have(columns, _INTEGERS):
        found = _compiled.encode_integers(
            list(columns), _numpy.TABLE_CELLS_PER_ROW, _numpy.SMALL_TABLE
        )
        if found is not None:
            low, classes, codes = found
            return _labels(classes, low, columns), codes
    kinds = {column.dtype.kind for column in columns}
    if kinds == {"U"} and all(map(_is_native_text, columns)):
        texts, codes = _compiled.encode_text([_characters(column) for column in columns])
        return _in_order(np.array(texts, dtype=str), codes)
    if kinds == {"O"}:
        values, codes = _compiled.encode_objects([np.ascontiguousarray(c) for c in columns])
        classes = np.empty(len(values), dtype=object)
        classes[:] = values
        if all(isinstance(value, str) for value in values):
            classes = classes.astype(str)
        return _in_order(classes, codes)
    return _numpy.encode(*columns)


def _have(columns: tuple[Array, ...], dtypes: frozenset[Any]) -> bool:
    for column in columns:  # noqa: SIM110 - all() takes longer, and every call comes here
        if column.dtype not in dtypes:
            return False
    return True


def _labels(found: Array, low: int, columns: tuple[Array, ...]) -> Array:
    """Classes in the dtype of the columns: True stays True and uint8 stays uint8."""
    dtype = columns[0].dtype
    for column in columns[1:]:
        if column.dtype != dtype:
            dtype = np.result_type(*columns)
            break
    if low:
        found += low
    return found if dtype == np.int64 else found.astype(dtype)


def _is_native_text(column: Array) -> bool:
    return column.dtype.isnative and column.dtype.itemsize > 0 and column.flags.c_contiguous


def _characters(column: Array) -> Array:
    return column.view(np.uint32).reshape(len(column), -1)


def _in_order(classes: Array, codes: list[Array]) -> tuple[Array, list[Array]]:
    """Sorted classes and codes into them, from classes in the order of their first rows."""
    order = np.argsort(classes)
    if (order[1:] > order[:-1]).all():
        return classes, codes
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return classes[order], [rank[code] for code in codes]


def types(objects: Array) -> set[type]:
    return _compiled.types(np.ascontiguousarray(objects))


def confusion(true: Array, pred: Array, n_classes: int, weight: Array | None) -> Array:
    if weight is None and true.flags.c_contiguous and pred.flags.c_contiguous:
        return _compiled.confusion(true, pred, n_classes)
    return _numpy.confusion(true, pred, n_classes, weight)


def class_counts(
    true: Array, pred: Array, n_classes: int, weight: Array | None
) -> tuple[Array, Array, Array]:
    return _numpy.class_counts(true, pred, n_classes, weight, count=confusion)


def rank_table(
    score: Array, codes: Array, n_classes: int, weight: Array | None
) -> tuple[Array, Array]:
    if 0 < len(score) < _MAX_ROWS:
        found = _compiled.rank_table(
            score, np.ascontiguousarray(codes), n_classes, _dense_or_none(weight)
        )
        if found is not None:
            return found
    return _numpy.rank_table(score, codes, n_classes, weight)


def ranked_wins(score: Array, codes: Array, weight: Array | None) -> tuple[Any, Any, Any]:
    if 0 < len(score) < _MAX_ROWS:
        found = _compiled.ranked_wins(score, np.ascontiguousarray(codes), _dense_or_none(weight))
        if found is not None:
            return found
    return _numpy.ranked_wins(score, codes, weight)


def ranked_precision(score: Array, codes: Array, weight: Array | None) -> tuple[float, float]:
    if 0 < len(score) < _MAX_ROWS:
        found = _compiled.ranked_precision(
            score, np.ascontiguousarray(codes), _dense_or_none(weight)
        )
        if found is not None:
            return found
    return _numpy.ranked_precision(score, codes, weight)


def ranked_steps(
    score: Array, codes: Array, weight: Array | None, corners: bool
) -> tuple[Array, Array, Array]:
    if 0 < len(score) < _MAX_ROWS:
        found = _compiled.ranked_steps(
            score, np.ascontiguousarray(codes), _dense_or_none(weight), corners
        )
        if found is not None:
            return found
    return _numpy.ranked_steps(score, codes, weight, corners)


def placements(score: Array, codes: Array, weight: Array | None) -> Array:
    if 0 < len(score) < _MAX_ROWS:
        found = _compiled.placements(score, np.ascontiguousarray(codes), _dense_or_none(weight))
        if found is not None:
            return found
    return _numpy.placements(score, codes, weight)


def resampled_wins(
    rng: np.random.Generator, marks: Array, group: Array, n_draws: int, stratified: bool
) -> tuple[Array, Array, Array]:
    if not 0 < len(marks) < _MAX_ROWS:
        return _numpy.resampled_wins(rng, marks, group, n_draws, stratified)
    bits = rng.bit_generator
    with bits.lock:
        return _compiled.resampled_wins(
            bits.capsule,
            np.ascontiguousarray(marks),
            np.ascontiguousarray(group),
            n_draws,
            stratified,
        )


def all_finite(values: Array) -> bool:
    if _is_dense_float(values):
        return _compiled.all_finite(values)
    return _numpy.all_finite(values)


def value_range(values: Array) -> tuple[float, float]:
    if _is_dense_float(values):
        return _compiled.value_range(values)
    return _numpy.value_range(values)


def _is_dense_float(values: Array) -> bool:
    return values.dtype in _FLOATS and values.flags.forc


def pair_wins(score: Array, codes: Array, n_classes: int, weight: Array | None) -> Array:
    if 0 < len(score) < _MAX_ROWS:
        threads = min(n_threads(), n_classes) if score.size >= _THREADED_CELLS else 1
        found = _compiled.pair_wins(
            score, np.ascontiguousarray(codes), n_classes, _dense_or_none(weight), threads
        )
        if found is not None:
            return found
    return _numpy.pair_wins(score, codes, n_classes, weight)


def _dense_or_none(values: Array | None) -> Array | None:
    return None if values is None else np.ascontiguousarray(values)


def n_threads() -> int:
    """Threads for one large call: ``OMP_NUM_THREADS`` or all; one in the workers of another."""
    processes = sys.modules.get("multiprocessing")
    if threading.current_thread() is not threading.main_thread() or (
        processes is not None and processes.parent_process() is not None
    ):
        return 1
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return int(asked) if asked.isdigit() and int(asked) > 0 else os.cpu_count() or 1
