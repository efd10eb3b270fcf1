"""Bounds from a value and its error, on a scale that keeps them in the range of the metric."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.numeric import Array, divide

Range = tuple[float, float]
Bounds = tuple[Array, Array]
Level = float | Array  # one level, or several that broadcast with the other arguments


class Interval(NamedTuple):
    """Bounds of a statistic at one level or several, its standard error, and notes."""

    low: Array
    high: Array
    error: Array
    notes: Any = ""
    counts: tuple[float, float] | None = None  # of a share of rows: rows that count, rows in all
    draws: int | None = None


def quantile(level: Level, freedom: Array | float | None = None) -> Any:
    """Two-sided quantile of the normal distribution, or of t distributions."""
    from scipy.special import ndtri, stdtrit

    tail = (1 + level) / 2
    return ndtri(tail) if freedom is None else np.asarray(stdtrit(freedom, tail))


def delta_bounds(value: Array, error: Array, z: Array, bounds: Range) -> Bounds:
    """Value -+ z standard errors, within the bounds of the metric."""
    away = z * error
    return np.clip(value - away, *bounds), np.clip(value + away, *bounds)


def logit_bounds(value: Array, error: Array, z: Array, bounds: Range) -> Bounds:
    """Value -+ z standard errors on the logit scale of a metric between two bounds."""
    from scipy.special import expit, logit

    start, width = bounds[0], bounds[1] - bounds[0]
    share = (value - start) / width
    with np.errstate(divide="ignore"):
        centre = logit(share)
    away = divide(z * error / width, share * (1 - share))
    low, high = start + width * expit(centre - away), start + width * expit(centre + away)
    return np.minimum(low, value), np.maximum(high, value)


def log_bounds(value: Array, error: Array, z: Array, bounds: Range) -> Bounds:
    """Value -+ z standard errors on the log scale of the distance from the only bound."""
    falls = not np.isfinite(bounds[0])
    start = bounds[1] if falls else bounds[0]
    distance = np.abs(value - start)
    with np.errstate(over="ignore"):
        factor = np.exp(divide(z * error, distance))
    near, far = distance / factor, distance * factor
    return (start - far, start - near) if falls else (start + near, start + far)


def tail_probability(statistic: Any, freedom: Any, alternative: str) -> Any:
    """P-value of a statistic with a t null distribution; normal for infinite freedom."""
    from scipy.special import ndtr, stdtr

    def below(value: Any) -> Any:
        return np.where(np.isinf(freedom), ndtr(value), stdtr(freedom, value))[()]

    if alternative == "two-sided":
        return 2 * below(-np.abs(statistic))
    return below(statistic if alternative == "less" else -statistic)


SCALES: dict[str, Callable[[Array, Array, Array, Range], Bounds]] = {
    "logit": logit_bounds,
    "log": log_bounds,
    "delta": delta_bounds,
}


def scales_of(bounds: Range) -> tuple[str, ...]:
    """The scales for a metric between these bounds, the preferred one first."""
    n_bounds = int(np.isfinite(bounds).sum())
    return (("delta",), ("log", "delta"), ("logit", "delta"))[n_bounds]


# The range of a statistic on each scale on which users may place an interval.
RANGES: dict[str, Range] = {
    "plain": (-np.inf, np.inf),
    "log": (0.0, np.inf),
    "logit": (0.0, 1.0),
    "atanh": (-1.0, 1.0),
}
