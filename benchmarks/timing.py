"""Fair times: equality first, then rounds in which everyone runs, in an order drawn anew."""

from __future__ import annotations

import gc
import os
import random
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np

CLOCKS = {"cpu": time.process_time, "wall": time.perf_counter}

# A sample shorter than this repeats the call, so that the clock's own cost does not count.
_SAMPLE_SECONDS = 2e-3


@dataclass(frozen=True)
class Entrant:
    """Who takes part in a race.

    ``before`` runs ahead of each sample, outside its time: it chooses the kernels of
    skmetrics_ext. A call does ``units`` of the work that is compared (replicates of a bootstrap);
    times are of one.
    """

    call: Callable[[], Any]
    before: Callable[[], object] = int
    units: float = 1

    def answer(self) -> Any:
        self.before()
        return self.call()


@dataclass(frozen=True)
class Ratio:
    """Median and quartiles, over rounds, of one call's time over another's."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, slow: list[float], fast: list[float]) -> Ratio:
        low, median, high = np.quantile(np.array(slow) / np.array(fast), [0.25, 0.5, 0.75])
        return cls(float(median), float(low), float(high))

    @property
    def is_noisy(self) -> bool:
        return self.high - self.low > 0.2 * self.median


def one_thread() -> AbstractContextManager[Any]:
    """Everybody computes on one thread."""
    from threadpoolctl import threadpool_limits

    os.environ["OMP_NUM_THREADS"] = "1"  # our own kernels and OpenMP ask this
    os.environ["POLARS_MAX_THREADS"] = "1"
    return threadpool_limits(1)


def race(
    entrants: Mapping[str, Entrant],
    *,
    rounds: int,
    seconds: float,
    clock: str = "cpu",
    single: bool = False,
) -> dict[str, list[float]]:
    """Seconds of one unit of each, one number a round.

    Every call warms up first. A round runs all of them, in an order drawn anew: what one leaves in
    the caches and in the allocator is met by each of the others as often. Rounds end early, but
    not before the third, when ``seconds`` have passed. A call too short for the clock is repeated,
    unless ``single``: then each round calls once, after the others have used the caches.
    """
    now = CLOCKS[clock]
    repeats = {name: _repeats(entrant, now) for name, entrant in entrants.items()}
    if single:
        repeats = dict.fromkeys(entrants, 1)
    names, times = list(entrants), {name: [] for name in entrants}
    end, shuffle = time.perf_counter() + seconds, random.Random(0).shuffle
    for i in range(rounds):
        if i >= 3 and time.perf_counter() > end:
            break
        shuffle(names)
        for name in names:
            entrant = entrants[name]
            times[name].append(_sample(entrant, repeats[name], now) / entrant.units)
    return times


def _repeats(entrant: Entrant, now: Callable[[], float]) -> int:
    """Warm up, and find how often the call must run to fill a sample."""
    number = 1
    while (taken := _sample(entrant, number, now)) < _SAMPLE_SECONDS / number:
        number = max(2 * number, int(_SAMPLE_SECONDS / max(taken, 1e-9)))
    return number


def _sample(entrant: Entrant, number: int, now: Callable[[], float]) -> float:
    call = entrant.call
    entrant.before()
    gc.collect(0)
    gc.disable()
    try:
        start = now()
        for _ in range(number):
            call()
        return (now() - start) / number
    finally:
        gc.enable()


def difference(ours: Any, theirs: Any, tolerance: float) -> str | None:
    """Where two answers differ by more than the tolerance, absolute or relative; None if equal.

    Integers must be equal. Text is compared as it is.
    """
    if isinstance(theirs, dict):
        if set(ours) != set(theirs):
            return f"keys differ: {sorted(map(str, set(ours) ^ set(theirs)))}"
        parts = [(f"[{key!r}]", ours[key], theirs[key]) for key in theirs]
    elif isinstance(theirs, (tuple, list)):
        if len(ours) != len(theirs):
            return f"{len(ours)} values, not {len(theirs)}"
        parts = [(f"[{i}]", *pair) for i, pair in enumerate(zip(ours, theirs, strict=True))]
    else:
        return _array_difference(ours, theirs, tolerance)
    for where, one, other in parts:
        found = difference(one, other, tolerance)
        if found is not None:
            return f"{where}: {found}"
    return None


def _array_difference(ours: Any, theirs: Any, tolerance: float) -> str | None:
    if isinstance(theirs, str) or theirs is None:
        return None if ours == theirs else f"{ours!r} is not {theirs!r}"
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.shape != theirs.shape:
        return f"shape {ours.shape}, not {theirs.shape}"
    exact = ours.dtype.kind in "biu" and theirs.dtype.kind in "biu"
    limit = 0.0 if exact else tolerance
    close = np.isclose(ours, theirs, rtol=limit, atol=limit, equal_nan=True)
    if close.all():
        return None
    at = np.unravel_index(int(np.argmin(close)), close.shape)
    return f"{ours[at]!r} is not {theirs[at]!r} (at {tuple(map(int, at))}, allowed {limit:g})"
