"""Bounds from a value and its error, on a scale that keeps them in the range of the metric."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, isnan, pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.formats import Drawn
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


def drawn_bounds(low: float, high: float, level: float, n_draws: int) -> dict[str, Drawn]:
    """Bounds by draws, with the error of percentiles of numbers that are about normal."""
    z, tail = quantile(level), (1 - level) / 2
    error = (high - low) / (2 * z) * sqrt(2 * pi * tail * (1 - tail) / n_draws) * exp(z * z / 2)
    return {"low": Drawn(low, error), "high": Drawn(high, error)}


def drawn_p_value(p_value: float, n_draws: int, tails: int = 2) -> Drawn:
    """A p-value by draws, with its error; of two tails it is twice the share of one of them."""
    if isnan(p_value):  # no p-value; comparing nan would make sums over arrays warn
        return Drawn(p_value)
    return Drawn(p_value, min(sqrt(p_value * (tails - p_value) / n_draws), 0.05))


def delta_bounds(value: Array, error: Array, z: Array, bounds: Range) -> Bounds:
    """Value -+ z standard errors, within the bounds of the metric."""
    away = z * error
    return np.clip(value - away, *bounds), np.clip(value + away, *bounds)


def mapped_bounds(value: Array, error: Array, z: Array, bounds: Range) -> Bounds:
    """Value -+ z standard errors on the scale of its range."""
    to, back, slope = on_scale(bounds)
    with np.errstate(all="ignore"):
        centre, away = to(value), z * error * slope(value)
        low, high = back(centre - away), back(centre + away)
    return np.minimum(low, value), np.maximum(high, value)


def tail_probability(statistic: Any, freedom: Any, alternative: str) -> Any:
    """P-value of a statistic with a t null distribution; normal for infinite freedom."""
    from scipy.special import ndtr, stdtr

    def below(value: Any) -> Any:
        return np.where(np.isinf(freedom), ndtr(value), stdtr(freedom, value))[()]

    if alternative == "two-sided":
        return 2 * below(-np.abs(statistic))
    return below(statistic if alternative == "less" else -statistic)


SCALES: dict[str, Callable[[Array, Array, Array, Range], Bounds]] = {
    "logit": mapped_bounds,
    "log": mapped_bounds,
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


def on_scale(bounds: Range) -> tuple[Callable[[Any], Any], Callable[[Any], Any], Any]:
    """To and from the scale that keeps a number between bounds, and the slope of the way to it.

    The number itself without bounds, the log of its distance from one, the logit between two, and
    half of it between -1 and 1 (Fisher's z).
    """
    from scipy.special import expit, logit

    low, high = bounds
    if np.isfinite(bounds).all():
        width, size = high - low, 0.5 if bounds == RANGES["atanh"] else 1.0
        return (
            lambda x: size * logit((x - low) / width),
            lambda y: low + width * expit(y / size),
            lambda x: divide(size * width, (x - low) * (high - x)),
        )
    if np.isfinite(bounds).any():
        start, sign = (low, 1.0) if np.isfinite(low) else (high, -1.0)
        return (
            lambda x: sign * np.log(sign * (x - start)),
            lambda y: start + sign * np.exp(sign * y),
            lambda x: divide(sign, x - start),
        )
    return np.asarray, np.asarray, np.ones_like
