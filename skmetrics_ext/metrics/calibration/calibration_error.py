"""Calibration errors: gaps over bins, and the smooth error with a data-driven bandwidth."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import mean_of_classes
from skmetrics_ext.metrics.calibration.binning import Binning, check_bins
from skmetrics_ext.metrics.calibration.events import binary_forecast, forecasts
from skmetrics_ext.metrics.public import metric
from skmetrics_ext.metrics.spec import PLAIN, WHOLE
from skmetrics_ext.numeric import Array, PosLabel, divide
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.tallies.bins import BinTally
from skmetrics_ext.validation import InvalidParameterError, check_option

_NORMS = ("l1", "l2", "max")
_TOLERANCE = 1e-6  # error from moving residuals onto a grid
_SOLVED = 1e-9  # of the fixed point, since the error falls as the bandwidth grows
_FEWEST, _MOST = 1 << 6, 1 << 13  # cosines
_DAMPED = 2.4  # cosines beyond this over the bandwidth are damped to less than 1e-12
_SINGLY = 16  # rows per cosine up to which they are summed without a grid
_NOTHING = 1e-12  # errors below are rounding
_CELLS = 4  # grid cells per cosine, for reading the smoothed residual
# The second derivative of a Gaussian kernel of bandwidth 1 has an absolute integral of
# 4 phi(1) = 0.968, and a step onto the grid errs by an eighth of that.
_ERROR = 0.121

# --------------------------------------------------------------------------- binned error


def binned_error(
    tally: BinTally | RankTally,
    strategy: str = "uniform",
    n_bins: int | Array = 10,
    norm: str = "l1",
) -> Array:
    """Norm over bins of the gaps between predicted and observed rates, over any leading axes.

    A ranking of probabilities is first summed over bins.
    """
    if isinstance(tally, BinTally):
        return _distance(tally, norm)
    proba = tally.thresholds.astype(np.float64)
    if isinstance(n_bins, int) and strategy != "uniform":  # each slice has its own edges
        errors = [
            _distance(
                Binning.of(proba, one.sum(axis=0), strategy, n_bins).sums_of(proba, one), norm
            )
            for one in tally.mass.reshape(-1, *tally.mass.shape[-2:])
        ]
        return np.array(errors).reshape(tally.mass.shape[:-2])
    return _distance(Binning.of(proba, None, strategy, n_bins).sums_of(proba, tally.mass), norm)


def _distance(bins: BinTally, norm: str) -> Array:
    gap = bins.predicted - bins.positive
    if norm == "l1":
        return divide(np.abs(gap).sum(axis=-1), bins.weight.sum(axis=-1))
    gap = divide(gap, bins.weight)
    if norm == "max":
        return np.asarray(np.fmax.reduce(np.abs(gap), axis=-1))
    squared = gap**2 if bins.noise is None else gap**2 - bins.noise
    return np.sqrt(np.maximum(np.nansum(bins.share * squared, axis=-1), 0.0))


def error_of_classes(errors: Array, norm: str) -> Array:
    """The norm over bins and classes, which count equally, from the norm of each class (K)."""
    if norm == "max":
        return np.asarray(errors.max(axis=-1))
    return mean_of_classes(errors) if norm == "l1" else np.sqrt(mean_of_classes(errors**2))


# --------------------------------------------------------------------------- smooth error


class _Unsorted(NamedTuple):
    """Rows in any order, in the form of a tally: the kernel sums over them."""

    thresholds: Array
    negative: Array
    positive: Array


def smooth_error(tally: RankTally | _Unsorted) -> Array:
    """Smooth calibration error of a tally of probabilities, over any leading axes."""
    proba = np.clip(tally.thresholds.astype(np.float64, copy=False), 0.0, 1.0)
    weight = tally.negative + tally.positive
    residual = (tally.positive - weight * proba) / weight.sum(axis=-1, keepdims=True)
    return fixed_points(proba, residual.reshape(-1, len(proba))).reshape(residual.shape[:-1])


def fixed_points(proba: Array, residual: Array) -> Array:
    """The bandwidths (B,) that equal their own error, for residuals (B, n) at probabilities.

    A bandwidth with a larger error is below the fixed point: the number of cosines grows until
    one is found at which further cosines are damped to nothing.
    """
    points = np.zeros(len(residual))
    open_rows = np.flatnonzero(residual.any(axis=1))
    n_waves = _FEWEST
    while len(open_rows) and n_waves <= _MOST:
        floor = _DAMPED / n_waves
        waves = _cosines(proba, residual[open_rows], n_waves)
        above = _errors(np.full(len(waves), floor), waves)
        held = above >= floor if n_waves < _MOST else above > _NOTHING
        low = np.full(len(waves), floor if n_waves < _MOST else 0.0)[held]
        if held.any():
            points[open_rows[held]] = _crossings(waves[held], low, above[held])
        open_rows, n_waves = open_rows[~held], 2 * n_waves
    return points


def _crossings(waves: Array, low: Array, high: Array) -> Array:
    """Roots of the error minus the bandwidth, which falls from above 0 at `low`.

    By secants, and by bisection where a secant leaves the bracket.
    """
    before, point = low, np.maximum(high, low)
    of_before, value = _errors(before, waves) - before, _errors(point, waves) - point
    low, high = before, point
    for _ in range(100):
        if np.abs(value).max() <= _SOLVED:
            break
        rise = value - of_before
        step = value * (point - before) / np.where(rise == 0, np.inf, rise)
        inside = (point - step > low) & (point - step < high)
        still = np.abs(value) <= _SOLVED
        moved = np.where(still, point, np.where(inside, point - step, (low + high) / 2))
        before, of_before = point, value
        point, value = moved, _errors(moved, waves) - moved
        low, high = np.where(value > 0, point, low), np.where(value > 0, high, point)
    return np.asarray(point)


def _cosines(proba: Array, residual: Array, n_waves: int) -> Array:
    """Cosine coefficients (B, n_waves + 1) of residuals (B, n)."""
    from scipy.fft import dct, next_fast_len

    if len(proba) <= _SINGLY * n_waves:  # one by one, which is exact
        table = np.cos(np.pi * proba[:, None] * np.arange(n_waves + 1))
        return np.einsum("bn,nk->bk", residual, table)
    # Each residual is split between the two nearest points of a grid.
    wanted = (_ERROR / _TOLERANCE) ** 0.5 * n_waves / _DAMPED
    cells = next_fast_len(int(np.ceil(wanted)), real=True)
    place = proba * cells
    below = np.minimum(place.astype(np.int64), cells - 1)
    share = place - below
    waves = np.empty((len(residual), n_waves + 1))
    for row, own in zip(waves, residual, strict=True):
        mass = np.bincount(below, weights=own * (1 - share), minlength=cells + 1)
        mass += np.bincount(below + 1, weights=own * share, minlength=cells + 1)
        mass[[0, -1]] *= 2  # the transform counts the two ends half
        row[:] = dct(mass, type=1)[: n_waves + 1] / 2
    return waves


def _errors(bandwidth: Array, waves: Array) -> Array:
    """Integral of the absolute smoothed residual, (B,).

    A Gaussian reflected at 0 and 1 is the heat kernel of the interval: it multiplies each
    cosine by a factor. The integral over a cell is exact, and split where the residual is 0.
    """
    from scipy.fft import dct, dst

    order = np.arange(waves.shape[1])
    damped = waves * np.exp(-0.5 * (np.pi * bandwidth[:, None] * order) ** 2)
    cells = _CELLS * (waves.shape[1] - 1)
    padded = np.zeros((len(waves), cells + 1))
    padded[:, : waves.shape[1]] = damped
    smooth = dct(padded, type=1)
    padded[:, 1 : waves.shape[1]] /= np.pi * order[1:]
    area = np.zeros_like(padded)  # from 0 on
    area[:, 1:-1] = dst(padded[:, 1:-1], type=1)
    area += damped[:, :1] * np.linspace(0, 1, cells + 1)
    within = np.diff(area)
    total = np.abs(within).sum(axis=1)
    row, cell = np.nonzero(smooth[:, :-1] * smooth[:, 1:] < 0)
    left, right, both = smooth[row, cell], smooth[row, cell + 1], within[row, cell] * cells
    # The parabola through both ends with this integral; its root by one step of Newton's.
    bend = 6 * (both - (left + right) / 2)
    at = left / (left - right)
    slope = right - left + bend * (1 - 2 * at)
    at = np.clip(at - bend * at * (1 - at) / np.where(slope == 0, 1.0, slope), 0.0, 1.0)
    first = at * (left + at * ((right - left + bend) / 2 - at * bend / 3))
    more = (np.abs(first) + np.abs(both - first) - np.abs(both)) / cells
    return np.asarray(total + np.bincount(row, weights=more, minlength=len(waves)))


# --------------------------------------------------------------------------- public functions


@metric(
    binned_error,
    bins_when=("strategy", "uniform"),
    greater_is_better=False,
    variants={**PLAIN, **{target: {"target": target} for target in ("top_label", "classwise")}},
    sides="either",
    ranges=WHOLE,
    interval="calibration",
)
def expected_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int | ArrayLike = 10,
    strategy: Literal["uniform", "quantile", "equal_mass"] = "uniform",
    norm: Literal["l1", "l2", "max"] = "l1",
    target: Literal["binary", "top_label", "classwise"] = "binary",
    debias: bool = False,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Expected calibration error (ECE): mean gap between probability and frequency over bins.

    .. math:: \sum_b w_b \, |\bar p_b - \bar y_b|

    with :math:`w_b` the share of the weight in bin b, :math:`\bar p_b` its mean probability and
    :math:`\bar y_b` the share of it whose event happened. It depends on the bins, and few rows
    in a bin bias it upwards; `smooth_calibration_error` has no bins.

    Parameters
    ----------
    {y_true_y_proba}
    {n_bins}
    {bin_strategy}
    norm : {"l1", "l2", "max"}, default="l1"
        Weighted mean of the gaps, root of their weighted mean square, or largest gap (the
        maximum calibration error).
    target : {"binary", "top_label", "classwise"}, default="binary"
        The event: the positive class of two; that the most probable class is the true one (the
        first of equals); or each class against the rest, of which the norm is taken over bins
        and classes, every class counting alike.
    debias : bool, default=False
        Subtract from each squared gap of ``norm="l2"`` the sampling variance of its rate,
        :math:`\bar y_b (1 - \bar y_b) / (n_b - 1)` (0 for a single row), and cut what is below
        0. Weighted rows count as :math:`n_b = (\sum w)^2 / \sum w^2`.
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

    See Also
    --------
    calibration_curve_binned : The bins themselves.

    References
    ----------
    Naeini, Cooper & Hauskrecht (2015), Proceedings of AAAI 29, 2901-2907; Guo et al. (2017),
    Proceedings of ICML 34, 1321-1330; for ``classwise`` Kull et al. (2019), NeurIPS 32; for
    ``debias`` Broecker (2012), Climate Dynamics 39, 655-667, and Kumar, Liang & Ma (2019),
    NeurIPS 32.

    Examples
    --------
    >>> from skmetrics_ext import expected_calibration_error
    >>> round(expected_calibration_error([0, 0, 1, 1], [0.1, 0.3, 0.6, 0.8], n_bins=2), 4)
    0.25
    >>> proba = [[0.8, 0.2, 0.0], [0.1, 0.7, 0.2], [0.5, 0.2, 0.3]]
    >>> round(expected_calibration_error([0, 1, 2], proba, target="top_label"), 4)
    0.3333
    """
    bins = check_bins(n_bins, strategy)
    check_option("norm", norm, _NORMS)
    check_option("debias", debias, (True, False))
    if debias and norm != "l2":
        raise InvalidParameterError(
            f"debias=True corrects squared gaps and needs norm='l2', got norm={norm!r}."
        )
    about = labels, pos_label, sample_weight, expected_calibration_error
    events = forecasts(y_true, y_proba, target, *about)
    tallies = [Binning.of(f.proba, f.weight, strategy, bins).sums(f) for f in events]
    errors = [binned_error(t.debiased() if debias else t, norm=norm) for t in tallies]
    return float(error_of_classes(np.array(errors), norm))


@metric(smooth_error, greater_is_better=False, sides="either", ranges=WHOLE, interval="calibration")
def smooth_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
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
    Computed from as many cosines as the bandwidth leaves. Of more rows than sixteen times these
    each residual is split between two points of a grid of m cells, which errs by at most
    :math:`\frac{1}{8 m^2} \int |K''| = 0.121 / (m \sigma)^2` times the mean absolute residual: m
    is such that this is below 1e-6 (for bandwidths from 0.0003 on). The fixed point moves by no
    more than this.

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
    forecast = binary_forecast(
        y_true, y_proba, labels, pos_label, sample_weight, smooth_calibration_error
    )
    weight: Array | int = 1 if forecast.weight is None else forecast.weight
    true = forecast.true
    return float(smooth_error(_Unsorted(forecast.proba, weight * (1 - true), weight * true)))
