"""Smooth calibration error: no bins, and a bandwidth that the data choose."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.metrics.calibration.events import binary_forecast
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import RankTally

_TOLERANCE = 1e-6
_FIRST_CELLS, _MOST_CELLS = 1 << 12, 1 << 20
# The second derivative of a Gaussian kernel of bandwidth 1 has an absolute integral of
# 4 phi(1) = 0.968, and each of the two steps onto the grid errs by an eighth of that.
_ERROR = 0.242

# --------------------------------------------------------------------------- kernels


def smooth_error(tally: RankTally) -> Array:
    """Smooth calibration error of a tally of probabilities, over any leading axes."""
    proba = np.clip(tally.thresholds.astype(np.float64, copy=False), 0.0, 1.0)
    weight = tally.negative + tally.positive
    residual = (tally.positive - weight * proba) / weight.sum(axis=-1, keepdims=True)
    values = [fixed_point(proba, row) for row in residual.reshape(-1, len(proba))]
    return np.array(values).reshape(residual.shape[:-1])


def fixed_point(proba: Array, residual: Array) -> float:
    """The bandwidth that equals the error it gives, on a grid as fine as it asks for.

    The error falls as the bandwidth grows, so there is one such point and bisection finds it;
    for the same reason an error of the grid moves the point by no more than itself.
    """
    cells = _FIRST_CELLS
    while True:
        value = _bisect(_cosines(proba, residual, cells), cells)
        if value == 0 or cells >= _MOST_CELLS:
            return value
        wanted = (_ERROR / _TOLERANCE) ** 0.5 / value
        if cells >= wanted:
            return value
        cells = min(max(2 * cells, 1 << int(np.ceil(np.log2(wanted)))), _MOST_CELLS)


def _bisect(waves: Array, cells: int) -> float:
    low, high = 0.0, 1.0
    while high - low > 1e-12:  # far below the error of the grid, so that only that one is left
        middle = (low + high) / 2
        if _error_at(middle, waves, cells) > middle:
            low = middle
        else:
            high = middle
    return high if low > 0 else 0.0


def _cosines(proba: Array, residual: Array, cells: int) -> Array:
    """Cosine coefficients of the residuals, each split between the two nearest grid points."""
    from scipy.fft import dct

    place = proba * cells
    below = np.minimum(place.astype(np.int64), cells - 1)
    share = place - below
    mass = np.bincount(below, weights=residual * (1 - share), minlength=cells + 1)
    mass += np.bincount(below + 1, weights=residual * share, minlength=cells + 1)
    mass[[0, -1]] *= 2  # the transform counts the two ends half
    return dct(mass, type=1) / 2


def _error_at(bandwidth: float, waves: Array, cells: int) -> float:
    """Integral of the absolute smoothed residual.

    A Gaussian reflected at 0 and 1 is the heat kernel of the interval: it multiplies each
    cosine by a factor. Between grid points the smoothed residual is taken as linear.
    """
    from scipy.fft import dct

    factor = np.exp(-0.5 * (np.pi * bandwidth * np.arange(cells + 1)) ** 2)
    smooth = dct(waves * factor, type=1)
    left, right = np.abs(smooth[:-1]), np.abs(smooth[1:])
    total = left + right
    crossing = (smooth[:-1] * smooth[1:]) < 0
    # A line that crosses 0 bounds two triangles and not one trapezoid.
    area = np.where(crossing, (left**2 + right**2) / np.where(total > 0, total, 1.0), total)
    return float(area.sum() / (2 * cells))


# --------------------------------------------------------------------------- public functions


@document
def smooth_calibration_error(
    y_true: Any,
    y_proba: Any,
    *,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Smooth calibration error (smECE): calibration error under a kernel instead of bins.

    .. math:: smECE_\sigma = \int_0^1 \Big|\frac{1}{n} \sum_i (y_i - p_i)
        K_\sigma(p_i, t)\Big| dt, \qquad smECE = smECE_{\sigma^*} = \sigma^*

    with K the Gaussian kernel reflected at 0 and 1, and the bandwidth :math:`\sigma^*` that
    equals the error it gives. It is within constant factors of the distance to the nearest
    calibrated forecast, and continuous in the probabilities, which a binned error is not.

    Parameters
    ----------
    {y_true_y_proba_binary}
    {proba_labels}
    {proba_pos_label}
    {sample_weight}

    Returns
    -------
    float
        In [0, 1]; lower is better.

    Raises
    ------
    {raises}

    Notes
    -----
    Computed on a grid of m cells, by cosine transform. Each residual is split between the two
    grid points beside it, and the smoothed residual is linear between grid points; each step
    errs by at most :math:`\frac{1}{8 m^2} \int |K''| = 0.121 / (m \sigma)^2` times the mean
    absolute residual. m grows until both together are below 1e-6 (or m is 2**20, which bandwidths
    below 0.0005 would exceed). The fixed point moves by no more than this.

    References
    ----------
    Blasiok & Nakkiran (2023), Smooth ECE: principled reliability diagrams via kernel smoothing,
    arXiv:2309.12236 (ICLR 2024).

    Examples
    --------
    >>> from skmetrics_ext import smooth_calibration_error
    >>> round(smooth_calibration_error([0, 0, 1, 1], [0.1, 0.3, 0.6, 0.8]), 4)
    0.1778
    """
    forecast = binary_forecast(y_true, y_proba, labels, pos_label, sample_weight)
    weight: Array | int = 1 if forecast.weight is None else forecast.weight
    # A place for each row, unsorted: the kernel sums over them.
    mass = np.stack([weight * (1 - forecast.true), weight * forecast.true])
    return float(smooth_error(RankTally(forecast.proba, mass)))
