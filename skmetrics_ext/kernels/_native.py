"""Compiled implementation of the kernels, for the types and sizes where it is faster.

For unsupported types and unsafe input (invalid codes, columns of unequal lengths, non-finite
scores) it returns None, and the NumPy kernels take over. So errors come from these alone.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from skmetrics_ext.kernels import _compiled, _numpy
from skmetrics_ext.kernels._numpy import labels, ranks
from skmetrics_ext.numeric import Array

_THREADED_CELLS = 1 << 21  # below, starting threads costs more than it saves
_INTEGERS = frozenset(np.dtype(code) for code in "?bhilqBHIL")


def _or_numpy(name: str) -> Callable[..., Any]:
    """The compiled kernel, with the NumPy one as fallback."""
    compiled, reference = getattr(_compiled, name), getattr(_numpy, name)

    def kernel(*arguments: Any) -> Any:
        result = compiled(*arguments)
        return reference(*arguments) if result is None else result

    return kernel


all_finite = _or_numpy("all_finite")
binned_events = _or_numpy("binned_events")
largest_differences = _or_numpy("largest_differences")
placements = _or_numpy("placements")
precision_slopes = _or_numpy("precision_slopes")
rank_table = _or_numpy("rank_table")
ranked_precision = _or_numpy("ranked_precision")
ranked_steps = _or_numpy("ranked_steps")
ranked_wins = _or_numpy("ranked_wins")
squared_distances = _or_numpy("squared_distances")
tabulate = _compiled.tabulate  # None where codes are as fast
types = _or_numpy("types")
value_range = _or_numpy("value_range")


def ranked_squares(score: Array, codes: Array) -> tuple[int, int, int, float, float]:
    sums = _compiled.ranked_squares(score, codes)
    return _numpy.ranked_squares(score, codes) if sums is None else ranks.about_means(*sums)


def confusion(true: Array, pred: Array, n_classes: int, weight: Array | None) -> Array:
    table = _compiled.confusion(true, pred, n_classes) if weight is None else None
    return _numpy.confusion(true, pred, n_classes, weight) if table is None else table


def class_counts(
    true: Array, pred: Array, n_classes: int, weight: Array | None
) -> tuple[Array, Array, Array]:
    return _numpy.class_counts(true, pred, n_classes, weight, count=confusion)


def n_threads() -> int:
    """Threads for one large call; a single one within another pool's threads and processes.

    The first number of ``OMP_NUM_THREADS`` (a list has one for each level of nesting), else the
    number of processors within the CPU affinity and the container's quota.
    """
    processes = sys.modules.get("multiprocessing")
    if threading.current_thread() is not threading.main_thread() or (
        processes is not None and processes.parent_process() is not None
    ):
        return 1
    setting = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if setting.isdecimal() and int(setting) > 0:
        return int(setting)
    import joblib

    return int(joblib.cpu_count())


def pair_wins(score: Array, codes: Array, n_classes: int, weight: Array | None) -> Array:
    threads = n_threads() if score.size >= _THREADED_CELLS else 1
    wins = _compiled.pair_wins(score, codes, n_classes, weight, threads)
    return _numpy.pair_wins(score, codes, n_classes, weight) if wins is None else wins


def resampled_wins(
    rng: np.random.Generator, marks: Array, group: Array, n_draws: int, stratified: bool
) -> tuple[Array, Array, Array]:
    bits = rng.bit_generator
    with bits.lock:
        wins = _compiled.resampled_wins(bits.capsule, marks, group, n_draws, stratified)
    if wins is None:
        return _numpy.resampled_wins(rng, marks, group, n_draws, stratified)
    return wins


def encode(*columns: Array) -> tuple[Array, list[Array]]:
    encoded = None
    if {column.dtype for column in columns} <= _INTEGERS:
        encoded = _encode_integers(columns)
    else:
        kinds = {column.dtype.kind for column in columns}
        if kinds == {"U"} and all(map(_is_native_text, columns)):
            encoded = _encode_text(columns)
        elif "f" in kinds and (whole := labels.whole_numbers(columns)) is not None:
            encoded = _encode_integers(whole)
            if encoded is not None:
                encoded = encoded[0].astype(np.result_type(*columns)), encoded[1]
        elif kinds <= {"O", "U"}:
            encoded = _encode_objects([column.astype(object, copy=False) for column in columns])
    return _numpy.encode(*columns) if encoded is None else encoded


def _encode_integers(columns: tuple[Array, ...]) -> tuple[Array, list[Array]] | None:
    found = _compiled.encode_integers(list(columns), labels.TABLE_CELLS_PER_ROW, labels.SMALL_TABLE)
    if found is None:
        return None
    low, classes, codes = found
    dtype = np.result_type(*columns)  # True stays True and uint8 stays uint8
    if low:
        classes += low
    return classes if dtype == np.int64 else classes.astype(dtype), codes


def _is_native_text(column: Array) -> bool:
    return column.dtype.isnative and column.dtype.itemsize > 0 and column.ndim == 1


def _encode_text(columns: tuple[Array, ...]) -> tuple[Array, list[Array]] | None:
    found = _compiled.encode_text([_characters(column) for column in columns])
    if found is None:
        return None
    texts, codes = found
    classes = np.array(texts, dtype=str)
    order = np.argsort(classes)
    return classes[order], _renumbered(codes, order)


def _characters(column: Array) -> Array:
    rows = np.ascontiguousarray(column).view(np.uint32)
    return rows.reshape(len(column), column.dtype.itemsize // 4)


def _encode_objects(columns: list[Array]) -> tuple[Array, list[Array]] | None:
    found = _compiled.encode_objects(columns)
    if found is None:
        return None
    values, codes = found
    order = sorted(range(len(values)), key=values.__getitem__)
    classes = labels.object_classes([values[place] for place in order])
    return classes, _renumbered(codes, np.array(order, dtype=np.int64))


def _renumbered(codes: list[Array], order: Array) -> list[Array]:
    """Codes into sorted classes, from codes into classes in order of appearance."""
    if (order[1:] > order[:-1]).all():
        return codes
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return [rank[code] for code in codes]
