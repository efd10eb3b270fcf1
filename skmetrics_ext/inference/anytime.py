"""Confidence sequences: intervals that are valid at every look at growing data.

At a look with n rows, the interval of a smooth metric is its usual one at the level whose normal
quantile is

.. math:: \\sqrt{\\frac{2 (n \\rho^2 + 1)}{n \\rho^2} \\log \\frac{\\sqrt{n \\rho^2 + 1}}{\\alpha}}

(Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024, Annals of Statistics 52(6), 2613-2640,
theorem 2.2). Shares of rows have exact intervals: the proportions that a mixture of binomial
likelihoods does not exclude (Robbins 1970, Annals of Mathematical Statistics 41(5), 1397-1409;
Howard, Ramdas, McAuliffe & Sekhon 2021, Annals of Statistics 49(2), 1055-1080).
"""

from __future__ import annotations

import numpy as np

from skmetrics_ext.inference.linearized import Linearized
from skmetrics_ext.inference.scales import Bounds, Level
from skmetrics_ext.numeric import Array, divide, increasing_root

ANYTIME = "anytime"
MIN_ROWS = 200  # default number of rows at which intervals from standard errors start
_NARROWEST = 2.5  # times min_rows: where intervals are narrowest relative to those of one look


def variance_of_mixture(level: Level, min_rows: int) -> Array:
    r"""The parameter :math:`\rho^2`, for the narrowest intervals at 2.5 times ``min_rows``."""
    tail = -2 * np.log1p(-np.asarray(level))
    return np.asarray((tail + np.log(tail) + 1) / (_NARROWEST * min_rows))


def level_of_one_look(rows: Array | float, level: Level, min_rows: int) -> Array:
    """The level at which the interval for one look is valid at every look."""
    from scipy.special import erf

    scaled = rows * variance_of_mixture(level, min_rows)
    tail = np.log1p(scaled) / 2 - np.log1p(-np.asarray(level))
    return np.asarray(erf(np.sqrt((scaled + 1) / scaled * tail)))


def p_value_of_looks(z: float, rows: float, level: float, min_rows: int) -> float:
    """Two-sided p-value valid at every look: 1 minus the level whose interval ends at 0."""
    scaled = float(rows * variance_of_mixture(level, min_rows))
    return min(1.0, float(np.sqrt(scaled + 1) * np.exp(-(z**2) * scaled / (2 * (scaled + 1)))))


def mixture_bounds(count: Array, rows: Array, level: Level, min_rows: int) -> Bounds:
    """The proportions that a beta mixture of binomial likelihoods does not exclude."""
    from scipy.special import betaln, xlog1py, xlogy

    prior, limit = 1 / variance_of_mixture(level, min_rows), -np.log1p(-np.asarray(level))
    share = divide(count, rows)

    def distance(middle: Array) -> Array:
        """Distance from the limit of exclusion; negative if excluded."""
        a, b = prior * middle, prior * (1 - middle)
        likelihood = xlogy(count, middle) + xlog1py(rows - count, -middle)
        with np.errstate(invalid="ignore"):  # inf - inf at an end of the range
            return limit - (betaln(a + count, b + rows - count) - betaln(a, b) - likelihood)

    low = increasing_root(distance, np.zeros_like(share), share)
    return low, increasing_root(lambda middle: -distance(middle), share, np.ones_like(share))


def independent_rows(statistic: Linearized) -> float:
    """Effective sample size of independent rows, or of groups."""
    atoms = statistic.atoms
    return float(atoms.effective_rows if atoms.group is None else atoms.effective_groups())


def too_early(statistic: Linearized, min_rows: int) -> str:
    """The note of an interval with fewer rows, or groups, than min_rows."""
    rows, unit = independent_rows(statistic), "rows" if statistic.atoms.group is None else "groups"
    return f"{rows:.4g} {unit} are fewer than min_rows={min_rows}, at which intervals start"
