"""t tests of the difference of two linearized statistics: of the same rows, or of two samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from skmetrics_ext.inference import notes
from skmetrics_ext.inference.areas import score_bounds, sides_of
from skmetrics_ext.inference.linearized import Linearized, over_classes
from skmetrics_ext.inference.margins import Asked, Contrast
from skmetrics_ext.inference.mover import difference_distances
from skmetrics_ext.inference.notes import CONTRIBUTIONS, ROUNDING
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.scales import quantile, tail_probability
from skmetrics_ext.inference.tests.contingency import tango_bounds
from skmetrics_ext.numeric import Array, difference_of

_NAN = float("nan")
_LEAST = 2.0  # rows of each class in which models differ, in the variance of a difference
_RAREST = 50  # number of classes, rarest first, to which this applies
_AREAS_WITHOUT_VARIANCE = (
    "the areas have no variance to estimate, so there is no test; method='permutation' of compare "
    "has one; the interval combines Newcombe's method 5 of both"
)


def variance_of_difference(difference: Linearized) -> tuple[Array, Array]:
    """Variance of a paired difference, and its degrees of freedom.

    For metrics of tables the models differ in at least two rows of each class: otherwise a rare
    class in which they agree by chance would count as one in which they always agree.
    """
    variance, freedom, sides = difference.variance, difference.freedom, difference.origin
    if variance <= ROUNDING * difference.size:
        return np.zeros(()), freedom
    if not all(side.origin.is_compact for side in sides):
        return variance, freedom
    atoms, labels = difference.atoms, sides[0].origin.classes
    label = atoms.label
    if label is None:
        return variance, freedom
    rows = np.bincount(label, atoms.rows)
    seen = np.bincount(label, atoms.rows * difference.influence**2)
    present = np.flatnonzero(rows)
    rare = present[np.argsort(rows[present], kind="stable")[:_RAREST]]
    effects = []
    for side in sides:
        moved = side.origin.moves_of_one_row(labels[rare])
        effects.append(np.abs(difference_of(moved, np.asarray(side.value), log=difference.log)))
    lacking = np.zeros(len(rows))
    lacking[rare] = _LEAST * np.mean(effects, axis=0) ** 2 - seen[rare]
    lacking = np.where(np.isfinite(lacking), np.maximum(lacking, 0.0), 0.0)
    if lacking.any():
        variance = variance + lacking.sum()
        freedom = np.fmin(freedom, over_classes(seen + lacking, atoms.by_class())[1])
    return variance, freedom


def note_on_few_rows(difference: Linearized) -> str:
    """A note on a difference between two models that few rows decide.

    Such a test has little power. It rejects too often only for means, whose largest losses may not
    have been seen, and for curves of clusters or within a range of rates.
    """
    sample, number = difference.origin[0].origin, float(difference.effective)
    units, is_curve = notes.units_of(difference), sample.kind == "smooth"
    in_part = sample.design.group is not None or np.isfinite(notes.rows_in_range(sample))
    if number >= (CONTRIBUTIONS if is_curve and in_part else notes.FEW_DIFFER):
        return ""
    if is_curve or sample.is_mean:
        decisive = notes.counted(number, f"{units} decide", 2)
        return f"about {decisive}: {notes.TEST_MAY_MISS}; try method='permutation'"
    return f"little power: the models differ on about {notes.counted(number, units, 2)} only"


def paired_t_test(
    difference: Linearized, asked: Asked, method: str, *, normal: bool = False
) -> Estimate:
    """A paired t test of a difference, with its interval."""
    sides, value = difference.origin, float(difference.value)
    variance, freedom = map(float, variance_of_difference(difference))
    values = float(sides[0].value), float(sides[1].value)
    contrast = Contrast(value, values, method, asked)
    if abs(value) <= ROUNDING and variance == 0:
        return no_difference(contrast, sides[0].origin)
    if not (variance > 0 and freedom > 0 and np.isfinite(value)):
        return _without_variance(contrast, sides)
    note, freedom = note_on_few_rows(difference), np.inf if normal else freedom
    return t_interval(contrast, variance**0.5, freedom, difference.bounds[1], note)


def welch_t_test(
    sides: Sequence[Linearized], variances: Array, freedom: float, asked: Asked, method: str
) -> Estimate:
    """Welch's t test of two samples, whose variances add."""
    values = float(sides[0].value), float(sides[1].value)
    contrast = Contrast(values[0] - values[1], values, method, asked)
    error = float(np.sqrt(variances.sum()))
    if not (error > 0 and np.isfinite(contrast.difference)):
        return _without_variance(contrast, sides)
    return t_interval(contrast, error, freedom, sides[0].bounds[1] - sides[0].bounds[0])


def t_interval(
    contrast: Contrast, error: float, freedom: float, most: float, note: str = ""
) -> Estimate:
    """A difference of at most ``most`` with its t interval and test; normal if freedom is inf."""
    value = contrast.difference
    distance = float(quantile(contrast.asked.level, None if np.isinf(freedom) else freedom)) * error
    low, high = np.clip((value - distance, value + distance), -most, most).tolist()
    p_value, null = contrast.asked.test.tested(
        lambda null, side: float(tail_probability((value - null) / error, freedom, side))
    )
    return contrast.tested((low, high), (value - null) / error, p_value, error, note, freedom)


def no_difference(
    contrast: Contrast, sample: Any, statistic: float = 0.0, draws: int | None = None
) -> Estimate:
    """Two models that agree on every row: Tango's interval of shares of the rarest class."""
    start, stop = sample.bounds
    bounds, shown = (0.0, 0.0), notes.NO_WIDTH
    if np.isfinite(stop - start):  # as if right on the same rows
        low, high = tango_bounds(0, 0, sample.fewest_rows, contrast.asked.level)
        bounds = (stop - start) * float(low), (stop - start) * float(high)
        shown = notes.OF_RAREST
    p_value, note = (
        1.0 if contrast.asked.test.margin is None else _NAN,
        f"{notes.NONE_DIFFER}: {shown}",
    )
    return contrast.tested(bounds, statistic, p_value, 0.0, note, draws=draws)


def _without_variance(contrast: Contrast, sides: Sequence[Linearized]) -> Estimate:
    """A difference whose variance cannot be estimated; of areas, from Newcombe's bounds of both."""
    value, has_margin = contrast.difference, contrast.asked.test.margin is not None
    if np.isnan(value):
        return contrast.tested()
    if not all(side.origin.kind == "area" for side in sides):
        what = "difference" if np.isfinite(value) else "logarithm of 0 or infinity"
        remedy = "" if has_margin else "; method='permutation' has a test"
        return contrast.tested(note=f"the {what} has no variance to estimate{remedy}")
    start, stop = sides[0].bounds
    distances = []
    for side in sides:
        area = (float(side.value) - start) / (stop - start)
        low, high = score_bounds(area, sides_of(side.origin), contrast.asked.level)
        distances.append(((stop - start) * (area - low), (stop - start) * (high - area)))
    down, up = difference_distances(distances)  # Newcombe 1998
    low, high = np.clip((value - down, value + up), start - stop, stop - start).tolist()
    p_value = 1.0 if value == 0 and not has_margin else _NAN
    note = notes.reason(value, low, high) or _AREAS_WITHOUT_VARIANCE
    return contrast.tested((low, high), p_value=p_value, note=note)
