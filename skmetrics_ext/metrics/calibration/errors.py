"""Calibration errors over bins: the distance of the reliability curve from the diagonal."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import mean_of_classes
from skmetrics_ext.metrics.calibration.binning import Binning, check_bins
from skmetrics_ext.metrics.calibration.events import forecasts
from skmetrics_ext.metrics.public import metric
from skmetrics_ext.metrics.spec import PLAIN, WHOLE
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.tallies.bins import BinTally
from skmetrics_ext.validation import InvalidParameterError, check_option

_NORMS = ("l1", "l2", "max")

# --------------------------------------------------------------------------- kernels


def binned_error(
    tally: BinTally | RankTally,
    strategy: str = "uniform",
    n_bins: int | Array = 10,
    norm: str = "l1",
) -> Array:
    """Norm of the gaps between predicted and observed, over the weight of the bins.

    A ranking of probabilities is summed over its bins first. Any leading axes.
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
    """The norm over bins and classes (K), every class counting alike, from that of each class."""
    if norm == "max":
        return np.asarray(errors.max(axis=-1))
    return mean_of_classes(errors) if norm == "l1" else np.sqrt(mean_of_classes(errors**2))


# --------------------------------------------------------------------------- public functions


@metric(
    binned_error,
    greater_is_better=False,
    variants={**PLAIN, **{target: {"target": target} for target in ("top_label", "classwise")}},
    sides="either",
    ranges=WHOLE,
    interval_note="calibration",
)
def expected_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: Any = 10,
    strategy: Literal["uniform", "quantile", "equal_mass"] = "uniform",
    norm: Literal["l1", "l2", "max"] = "l1",
    target: Literal["binary", "top_label", "classwise"] = "binary",
    debias: bool = False,
    labels: Any = None,
    pos_label: Any = None,
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
    found = forecasts(y_true, y_proba, target, labels, pos_label, sample_weight)
    tallies = [Binning.of(f.proba, f.weight, strategy, bins).sums(f) for f in found]
    errors = [binned_error(t.debiased() if debias else t, norm=norm) for t in tallies]
    return float(error_of_classes(np.array(errors), norm))
