"""Calibration errors over bins: the distance of the reliability curve from the diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.metrics.calibration.binning import Binning, BinSums, check_bins
from skmetrics_ext.metrics.calibration.events import Forecast, forecasts
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.rankings.rank_averaging import each_slice
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import InvalidParameterError, check_option

_NORMS = ("l1", "l2", "max")

# --------------------------------------------------------------------------- kernels


def binned_error(
    tally: RankTally, n_bins: int = 10, strategy: str = "uniform", norm: str = "l1"
) -> Array:
    """Calibration error of a tally of probabilities, over any leading axes."""
    proba = tally.thresholds.astype(np.float64)

    def error(negative: Array, positive: Array) -> float:
        sums = _sums_of_masses(proba, negative, positive, strategy, n_bins)
        return distance(sums, norm)

    return each_slice(error, tally)


def _sums_of_masses(
    proba: Array, negative: Array, positive: Array, strategy: str, n_bins: int
) -> BinSums:
    """Two rows of each distinct probability: the weight whose event happened, and the rest."""
    rows = Forecast(
        np.concatenate([proba, proba]),
        np.repeat([1, 0], len(proba)),
        np.concatenate([positive, negative]),
        0.0,
    ).without_zeros()
    return Binning.of(rows, strategy, n_bins).sums(rows)


def distance(sums: BinSums, norm: str, debias: bool = False) -> float:
    """Norm of the gaps between predicted and observed, over the weight of the bins."""
    gap = sums.predicted - sums.positive
    if norm == "l1":
        return float(np.abs(gap).sum() / sums.weight.sum())
    gap = divide(gap, sums.weight)
    if norm == "max":
        return float(np.nanmax(np.abs(gap)))
    squared = gap**2
    if debias:
        squared = squared - rate_variance(sums)
    return float(np.sqrt(max(np.nansum(sums.share * squared), 0.0)))


def rate_variance(sums: BinSums) -> Array:
    """Unbiased estimate of the sampling variance of each rate; 0 where one row is all."""
    rate, rows = sums.rate, sums.effective_rows
    spread = rate * (1 - rate)
    alone = rows <= 1 + 1e-9
    return np.where(alone, 0.0, divide(spread, np.where(alone, 1.0, rows - 1)))


# --------------------------------------------------------------------------- public functions


@document
def expected_calibration_error(
    y_true: Any,
    y_proba: Any,
    *,
    n_bins: Any = 10,
    strategy: str = "uniform",
    norm: str = "l1",
    target: str = "binary",
    debias: bool = False,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
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
    found = forecasts(y_true, y_proba, target, labels, pos_label, sample_weight)
    values = np.array(
        [distance(Binning.of(f, strategy, bins).sums(f), norm, bool(debias)) for f in found]
    )
    if norm == "max":
        return float(values.max())
    return float(values.mean() if norm == "l1" else np.sqrt((values**2).mean()))
