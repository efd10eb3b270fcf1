"""Arithmetic shared by every layer: ratios with 0/0, intervals of proportions, areas, sums."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]
# Types of arguments: keywords, a class label, a random seed.
Options = dict[str, Any]
PosLabel = bool | float | str | np.generic | None
RandomState = int | np.random.Generator | np.random.RandomState | None

MOST_FACTOR = 1 << 31  # products of two counts below it fit in int64
_MOST_INTEGER = (1 << 63) - 1


def divide(numerator: ArrayLike, denominator: ArrayLike) -> Array:
    """Elementwise ratio in float64 (or complex128), nan wherever the denominator is 0."""
    numerator, denominator = np.asarray(numerator), np.asarray(denominator)
    # For a single number `all` takes longer than the division.
    if denominator.all() if denominator.ndim else denominator:
        quotient = numerator / denominator
        if quotient.dtype.kind == "c":
            return np.asarray(quotient)
        return np.asarray(quotient, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.asarray(numerator / denominator)
    quotient = np.asarray(quotient, dtype=np.result_type(quotient, np.float64))
    np.copyto(quotient, np.nan, where=denominator == 0)  # faster than to divide elsewhere only
    return quotient


def parts(n: int, size: int = 1 << 14) -> Iterator[slice]:
    """Slices of at most ``size`` rows, so that temporaries stay in the CPU cache."""
    return map(slice, range(0, n, size), range(size, n + size, size))


def row_sums(matrix: Array) -> Array:
    """Sum of each row, several times as fast as ``sum(axis=1)`` for few columns."""
    if matrix.shape[1] == 2:
        return np.asarray(matrix[:, 0] + matrix[:, 1])
    return np.asarray(np.einsum("ij->i", matrix))


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> Array:
    """Elementwise ratio of non-negative numbers: x/0 is infinite, 0/0 is nan."""
    numerator, denominator = np.asarray(numerator), np.asarray(denominator)
    infinite = (numerator > 0) & (denominator == 0)
    with np.errstate(invalid="ignore"):
        return np.where(infinite, np.inf, divide(numerator, denominator))


def wilson(count: ArrayLike, nobs: ArrayLike, confidence_level: ArrayLike) -> tuple[Array, Array]:
    """Wilson's score interval of a proportion (1927); (nan, nan) if nobs is 0."""
    from scipy.special import ndtri

    z = ndtri((1 + np.asarray(confidence_level)) / 2)
    return wilson_bounds(divide(count, nobs), np.asarray(nobs, dtype=np.float64), z)


def wilson_bounds(share: Array, nobs: Array, z: Array) -> tuple[Array, Array]:
    """Wilson's score interval for a proportion, a sample size and a normal quantile."""
    centre = (share * nobs + z * z / 2) / (nobs + z * z)
    half_width = z * np.sqrt(nobs * share * (1 - share) + z * z / 4) / (nobs + z * z)
    # Rounding must not exclude the share, which may happen at 0 and 1.
    low, high = np.maximum(centre - half_width, 0.0), np.minimum(centre + half_width, 1.0)
    return np.minimum(low, share), np.maximum(high, share)


def trapezoid(y: Array, x: Array) -> Array:
    """Area under the points (x, y) by the trapezoid rule, along the last axis."""
    widths = np.diff(x, axis=-1)
    heights = y[..., 1:] + y[..., :-1]
    area: Array = (widths * heights).sum(axis=-1) / 2
    return area


def exclusive_cumsum(values: Array) -> Array:
    """Cumulative sum of the elements before each element, along the last axis.

    Shifted rather than subtracted: a total minus its last term loses small terms next to a large
    one.
    """
    out = np.zeros_like(values)
    np.cumsum(values[..., :-1], axis=-1, out=out[..., 1:])
    return out


def as_factors(counts: Array, total: Any = None) -> Array:
    """Counts that can be multiplied: as float64 if products of int64 could overflow."""
    if (
        counts.dtype.kind == "f"
        or (counts.sum(dtype=np.float64) if total is None else total) < MOST_FACTOR
    ):
        return counts
    return counts.astype(np.float64)


def exact_dot(left: Array, right: Array) -> Any:
    """Sum of products, exact for integers."""
    if left.dtype.kind == "f" or not len(left):
        return (left * right).sum().item()
    if int(left.sum()) * int(right.max()) > _MOST_INTEGER:
        return int((left.astype(object) * right.astype(object)).sum())
    return int(left @ right)


def increasing_root(rising: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """The root of a rising function in [low, high], by bisection; an end if it has none there."""
    below, above = np.array(low), np.array(high)
    # 60 halvings leave less than the rounding of a number in [0, 1].
    for _ in range(60):
        middle = (below + above) / 2
        right = rising(middle) < 0
        below, above = np.where(right, middle, below), np.where(right, above, middle)
    return (below + above) / 2


def satterthwaite(variances: Array, freedoms: Array | float) -> Array:
    """Degrees of freedom of a sum of independent variances (..., K) (Satterthwaite 1946)."""
    return divide(variances.sum(axis=-1) ** 2, (variances**2 / freedoms).sum(axis=-1))


def difference_of(first: Any, second: Any, *, log: bool = False) -> Any:
    """Difference of values, or of their logarithms; 0 between equal ones."""
    if not log:
        return first - second
    with np.errstate(divide="ignore", invalid="ignore"):  # of 0 and of infinite ones
        return np.where(np.equal(first, second), 0.0, np.log(first) - np.log(second))[()]
