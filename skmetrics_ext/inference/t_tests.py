"""t tests of the difference of two linearized statistics: of the same rows, or of two samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.inference.areas import score_bounds, sides_of
from skmetrics_ext.inference.linearized import Linearized, difference_of, over_classes
from skmetrics_ext.inference.margins import Claim
from skmetrics_ext.inference.mover import difference_distances
from skmetrics_ext.inference.notes import (
    CONTRIBUTIONS,
    NO_WIDTH,
    NONE_DIFFER,
    OF_RAREST,
    OF_SHARES,
    ROUNDING,
    TEST_MAY_MISS,
    UNITS,
    reason,
)
from skmetrics_ext.inference.results import Comparison, comparison
from skmetrics_ext.inference.scales import Range, quantile, tail_probability
from skmetrics_ext.inference.tests.contingency import tango_bounds
from skmetrics_ext.numeric import Array

_NAN = float("nan")
_LEAST = 2.0  # rows of each class in which models differ, in the variance of a difference
_RAREST = 50  # classes that are looked at for it
_AREAS_WITHOUT_VARIANCE = (
    "the areas have no variance to estimate, so there is no test (method='permutation' of compare "
    "has one); the interval combines Newcombe's method 5 of both"
)


def variance_of_difference(difference: Linearized) -> tuple[Array, Array]:
    """Variance of a paired difference, and its degrees of freedom.

    For metrics of tables the models differ in at least two rows of each class: a rare class in
    which they agree by chance would count as one in which they always do.
    """
    variance, freedom, sides = difference.variance, difference.freedom, difference.origin
    if variance <= ROUNDING * difference.size:
        return np.zeros(()), freedom
    if not all(one.origin.is_compact for one in sides):
        return variance, freedom
    atoms, labels = difference.atoms, sides[0].origin.classes
    label = atoms.label
    if label is None:
        return variance, freedom
    rows = np.bincount(label, atoms.rows)
    seen = np.bincount(label, atoms.rows * difference.influence**2)
    present = np.flatnonzero(rows)
    rare = present[np.argsort(rows[present], kind="stable")[:_RAREST]]
    effects = [
        np.abs(
            difference_of(
                one.origin.moves_of_one_row(labels[rare]), np.asarray(one.value), log=difference.log
            )
        )
        for one in sides
    ]
    lacking = np.zeros(len(rows))
    lacking[rare] = _LEAST * np.mean(effects, axis=0) ** 2 - seen[rare]
    lacking = np.where(np.isfinite(lacking), np.maximum(lacking, 0.0), 0.0)  # else says nothing
    if lacking.any():
        variance = variance + lacking.sum()
        freedom = np.fmin(freedom, over_classes(seen + lacking, atoms.by_class())[1])
    return variance, freedom


def note_on_few_rows(difference: Linearized) -> str:
    """What to say of two models between which few rows decide."""
    sample = difference.origin[0].origin
    least = UNITS if sample.design.group is not None else OF_SHARES
    if (number := float(difference.effective)) < CONTRIBUTIONS:
        what = "effective rows or groups carry the variance of the difference"
    elif (number := sample.fewest_rows) < least:
        what = "rows or groups with rows of the rarest class are few"
    else:
        return ""
    return f"{number:.3g} {what}: {TEST_MAY_MISS}; method='permutation' has the level"


def paired_t_test(
    difference: Linearized, claim: Claim, level: float, method: str, *, normal: bool = False
) -> Comparison:
    """A paired t test of a difference, with its interval."""
    sides = difference.origin
    variance, freedom = map(float, variance_of_difference(difference))
    freedom = np.inf if normal else freedom
    values = float(sides[0].value), float(sides[1].value)
    value = float(difference.value)
    build = partial(comparison, value, values, method, level, claim)
    if abs(value) <= ROUNDING and variance == 0:
        return alike(build, claim, sides[0].origin, level)
    if not (variance > 0 and freedom > 0 and np.isfinite(value)):
        return _without_variance(build, claim, sides, value, level)
    build = partial(build, note=note_on_few_rows(difference))
    return _t_test(build, claim, value, variance**0.5, freedom, level, difference.bounds)


def _t_test(
    build: Callable[..., Comparison],
    claim: Claim,
    value: float,
    error: float,
    freedom: float,
    level: float,
    bounds: Range,
) -> Comparison:
    """A difference with its t interval and test; normal ones for infinite freedom."""
    away = float(quantile(level, None if np.isinf(freedom) else freedom)) * error
    low, high = np.clip((value - away, value + away), *bounds).tolist()
    p_value, null = claim.tested(
        lambda null, side: float(tail_probability((value - null) / error, freedom, side))
    )
    return build((low, high), (value - null) / error, p_value, error, freedom=freedom)


def welch_t_test(
    sides: Sequence[Linearized],
    variances: Array,
    freedom: float,
    claim: Claim,
    level: float,
    method: str,
) -> Comparison:
    """Welch's t test of two samples, whose variances add."""
    value = float(sides[0].value) - float(sides[1].value)
    values = float(sides[0].value), float(sides[1].value)
    build = partial(comparison, value, values, method, level, claim)
    error, width = float(np.sqrt(variances.sum())), sides[0].bounds[1] - sides[0].bounds[0]
    if not (error > 0 and np.isfinite(value)):
        return _without_variance(build, claim, sides, value, level)
    return _t_test(build, claim, value, error, freedom, level, (-width, width))


def alike(
    build: Callable[..., Comparison],
    claim: Claim,
    sample: Any,
    level: float,
    statistic: float = 0.0,
) -> Comparison:
    """Two models that no row distinguishes: Tango's interval of shares of the rarest class."""
    row = sample.metric.row
    width = np.inf if row is None else row.bounds[1] - row.bounds[0]
    p_value = 1.0 if claim.margin is None else _NAN
    if not np.isfinite(width):
        return build((0.0, 0.0), statistic, p_value, 0.0, f"{NONE_DIFFER}: {NO_WIDTH}")
    low, high = tango_bounds(0, 0, sample.fewest_rows, level)  # as if right on the same rows
    note = f"{NONE_DIFFER}: {OF_RAREST}"
    return build((width * float(low), width * float(high)), statistic, p_value, 0.0, note)


def _without_variance(
    build: Callable[..., Comparison],
    claim: Claim,
    sides: Sequence[Linearized],
    value: float,
    level: float,
) -> Comparison:
    """A difference whose variance cannot be estimated: of areas, Newcombe's bounds of both."""
    if np.isnan(value):
        return build()
    if all(one.origin.kind == "area" for one in sides):
        start, stop = sides[0].bounds
        away = []
        for one in sides:
            area = (float(one.value) - start) / (stop - start)
            low, high = score_bounds(area, sides_of(one.origin), level)
            away.append(((stop - start) * (area - low), (stop - start) * (high - area)))
        down, up = difference_distances(away)  # Newcombe 1998
        low, high = np.clip((value - down, value + up), start - stop, stop - start).tolist()
        p_value = 1.0 if value == 0 and claim.margin is None else _NAN
        note = reason(value, low, high) or _AREAS_WITHOUT_VARIANCE
        return build((low, high), p_value=p_value, note=note)
    what = "difference" if np.isfinite(value) else "logarithm of 0 or infinity"
    note = f"the {what} has no variance to estimate"
    if claim.margin is None:
        note += ": method='permutation' has a test"
    return build(note=note)
