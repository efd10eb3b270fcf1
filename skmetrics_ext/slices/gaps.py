"""Differences between groups, or of each from the rest: intervals that know what they share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from skmetrics_ext.inference.samples import least_level
from skmetrics_ext.numeric import divide
from skmetrics_ext.registry import Metric
from skmetrics_ext.slices.members import Member, correlation

_LEAST_P = 1e-12  # below which levels are too near to 1 to tell them apart
NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Gap:
    """How a group differs from what it is compared with."""

    value: float = NAN
    reference: float = NAN
    difference: float = NAN
    ratio: float = NAN
    low: float = NAN
    high: float = NAN
    p_value: float = NAN
    reason: str = ""


def gap_of(first: Member, second: Member, level: float) -> Gap:
    r"""Difference of the first from the second, its interval, and the p-value that belongs to it.

    Squares of the distances to the bounds of both, less what they share:

    .. math:: d - \sqrt{(a - l_a)^2 + (u_b - b)^2 - 2 r (a - l_a)(u_b - b)}

    with r the correlation of both errors (Zou 2007, Psychological Methods 12(4), 399-413): 0 of
    groups that share neither rows nor clusters.
    """
    difference, shared = first.value - second.value, correlation(first, second)
    ratio = float(divide(np.asarray(first.value), np.asarray(second.value)))

    @cache
    def away(level: float) -> tuple[float, float]:
        (down_a, up_a), (down_b, up_b) = first.away(level), second.away(level)
        return _joined(down_a, up_b, shared), _joined(up_a, down_b, shared)

    down, up = away(level)
    told = first.value, second.value, difference, ratio
    if not np.isfinite(down + up):
        return Gap(*told, reason="a group has no interval")
    p_value = least_level(away, difference, _LEAST_P)
    return Gap(*told, difference - down, difference + up, p_value)


def _joined(one: float, other: float, shared: float) -> float:
    return float(np.sqrt(max(one * one + other * other - 2 * shared * one * other, 0.0)))


def is_worse(metric: Metric) -> float:
    """1 of a metric that is better when higher, -1 of a loss."""
    return 1.0 if metric.spec.greater_is_better else -1.0
