"""Decompositions of scores into reliability, resolution and uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext import kernels
from skmetrics_ext.metrics.calibration.binning import STRATEGIES, Binning, check_bins
from skmetrics_ext.metrics.calibration.events import binary_forecast
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.probabilities.losses import (
    log_loss,
    log_loss_rows,
    mean,
)
from skmetrics_ext.numeric import Array, PosLabel, divide
from skmetrics_ext.result_bases import Result
from skmetrics_ext.tallies import Means
from skmetrics_ext.tallies.bins import BinTally
from skmetrics_ext.validation import InvalidParameterError, check_option


@dataclass(frozen=True, repr=False, slots=True)
class ScoreDecomposition(Result):
    """Parts of a score: ``score = reliability - resolution + uncertainty + within_bin``.

    Parameters
    ----------
    score : float
        The mean score of the probabilities.
    reliability : float
        Gain from recalibrating the probabilities; 0 is best. Also ``miscalibration``.
    resolution : float
        Gain of the recalibrated probabilities over a constant forecast. Also ``discrimination``.
    uncertainty : float
        Score of the constant forecast, the frequency of the event.
    within_bin : float
        Rest because probabilities within a bin differ; 0 without bins.
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    within_bin: float

    @property
    def miscalibration(self) -> float:
        """The reliability, under the name of the isotonic decomposition."""
        return self.reliability

    @property
    def discrimination(self) -> float:
        """The resolution, under the name of the isotonic decomposition."""
        return self.resolution


_EPS = float(np.finfo(np.float64).eps)  # what `log_loss` clips float64 by

# --------------------------------------------------------------------------- kernels


def binned_parts(sums: BinTally, debias: bool) -> tuple[float, float, float]:
    """Reliability, resolution and uncertainty of the Brier score over bins."""
    share, rate = sums.share, np.nan_to_num(sums.rate)
    base = float(sums.positive.sum() / sums.weight.sum())
    reliability = float((share * np.nan_to_num(sums.mean_predicted - rate) ** 2).sum())
    resolution = float((share * (rate - base) ** 2).sum())
    uncertainty = base * (1 - base)
    if debias:
        noise = float((share * np.nan_to_num(sums.rate_variance)).sum())
        rows = float(divide(float(sums.weight.sum()) ** 2, sums.squares.sum()))
        whole = uncertainty / (rows - 1) if rows > 1 + 1e-9 else 0.0
        reliability, resolution = reliability - noise, resolution - noise + whole
        uncertainty += whole
    return reliability, resolution, uncertainty


def isotonic(proba: Array, event: Array, weight: Array | None) -> tuple[Array, Array, Array]:
    """Distinct probabilities, rising, the weight of both outcomes (2, T), and recalibrated ones.

    These are the non-decreasing frequencies nearest to the events.
    """
    falling, mass = kernels.rank_table(proba, event, 2, weight)
    mass = mass[:, ::-1].astype(np.float64)
    return falling[::-1], mass, isotonic_rates(mass.sum(axis=0), mass[1])


def isotonic_rates(total: Array, happened: Array) -> Array:
    """Non-decreasing frequencies of groups, which are in the order of their probabilities."""
    from scipy.optimize import isotonic_regression

    return np.clip(isotonic_regression(happened / total, weights=total).x, 0.0, 1.0)


# --------------------------------------------------------------------------- public functions


@document
def brier_decomposition(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    method: Literal["binned", "corp"] = "binned",
    n_bins: int | ArrayLike = 10,
    strategy: Literal["uniform", "quantile", "equal_mass", "distinct"] = "uniform",
    debias: bool = False,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> ScoreDecomposition:
    r"""The Brier score of two classes as reliability, resolution and uncertainty.

    .. math:: B = \underbrace{\sum_b w_b (\bar p_b - \bar y_b)^2}_{reliability}
        - \underbrace{\sum_b w_b (\bar y_b - \bar y)^2}_{resolution}
        + \underbrace{\bar y (1 - \bar y)}_{uncertainty} + \ldots

    over bins b with share :math:`w_b` of the weight, and a rest where the probabilities within
    a bin differ: the spread of p within bins less twice its covariance with y.

    Parameters
    ----------
    {y_true_y_proba_binary}
    method : {"binned", "corp"}, default="binned"
        Over bins, or by isotonic regression as in `corp_decomposition`, which needs no bins
        and leaves no rest.
    {n_bins}
    strategy : {"uniform", "quantile", "equal_mass", "distinct"}, default="uniform"
        Bins of equal width over [0, 1], between quantiles, of equal weight, or one for each
        distinct probability, which leaves no rest. The edges are those of
        `calibration_curve_binned`.
    debias : bool, default=False
        Correct the three binned parts for sampling: subtract the mean sampling variance of the
        rates, :math:`\bar y_b (1 - \bar y_b) / (n_b - 1)`, from the first two, and add
        :math:`\bar y (1 - \bar y) / (n - 1)` to the last two. Their sum does not change; each
        of the first two may fall below 0.
    {proba_labels}
    {proba_pos_label}
    {sample_weight}

    Returns
    -------
    ScoreDecomposition
        ``score = reliability - resolution + uncertainty + within_bin``.

    Raises
    ------
    {raises}

    References
    ----------
    Murphy (1973), Journal of Applied Meteorology 12(4), 595-600; for the rest Stephenson,
    Coelho & Jolliffe (2008), Weather and Forecasting 23(4), 752-757; for ``debias`` Ferro &
    Fricker (2012), Quarterly Journal of the Royal Meteorological Society 138, 1954-1960.

    Examples
    --------
    >>> from skmetrics_ext import brier_decomposition
    >>> parts = brier_decomposition([0, 0, 1, 0, 1], [0.2, 0.2, 0.2, 0.8, 0.8])
    >>> round(parts.reliability, 4), round(parts.resolution, 4), round(parts.uncertainty, 4)
    (0.0467, 0.0067, 0.24)
    """
    check_option("method", method, ("binned", "corp"))
    edges = check_bins(n_bins, strategy, (*STRATEGIES, "distinct"))
    check_option("debias", debias, (True, False))
    if method == "corp":
        if debias:
            raise InvalidParameterError("debias=True corrects bins and needs method='binned'.")
        return corp_decomposition(
            y_true, y_proba, labels=labels, pos_label=pos_label, sample_weight=sample_weight
        )
    forecast = binary_forecast(
        y_true, y_proba, labels, pos_label, sample_weight, brier_decomposition
    )
    binning = Binning.of(forecast.proba, forecast.weight, strategy, edges)
    sums = binning.sums(forecast)
    parts = binned_parts(sums, bool(debias))
    bins, weight = binning.assign(forecast.proba), forecast.weights
    away = forecast.proba - sums.mean_predicted[bins]
    missed = away * (away - 2 * (forecast.true - sums.rate[bins]))
    score = _mean(kernels.squared_distances(forecast.true, forecast.proba), weight)
    return ScoreDecomposition(score, *parts, _mean(missed, weight))


@document
def corp_decomposition(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    score: Literal["brier", "log_loss"] = "brier",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> ScoreDecomposition:
    r"""A score of two classes in parts by isotonic regression (CORP), without bins.

    .. math:: S(p) = \underbrace{S(p) - S(\hat p)}_{miscalibration}
        - \underbrace{S(\bar y) - S(\hat p)}_{discrimination}
        + \underbrace{S(\bar y)}_{uncertainty}

    with :math:`\hat p` the probabilities recalibrated by isotonic regression (pool adjacent
    violators) and :math:`\bar y` the frequency of the event. The first two are never negative.

    Parameters
    ----------
    {y_true_y_proba_binary}
    score : {"brier", "log_loss"}, default="brier"
        The score. In the log loss probabilities are clipped as in `log_loss` of float64,
        whichever dtype they are in; recalibrated ones of 0 and 1, which are right where they
        stand, cost nothing.
    {proba_labels}
    {proba_pos_label}
    {sample_weight}

    Returns
    -------
    ScoreDecomposition
        ``score = reliability - resolution + uncertainty``, where the first two also go by
        ``miscalibration`` and ``discrimination``; ``within_bin`` is 0.

    Raises
    ------
    {raises}

    References
    ----------
    Dimitriadis, Gneiting & Jordan (2021), Proceedings of the National Academy of Sciences
    118(8), e2016191118; Ayer et al. (1955), Annals of Mathematical Statistics 26(4), 641-647.

    Examples
    --------
    >>> from skmetrics_ext import corp_decomposition
    >>> parts = corp_decomposition([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.9])
    >>> round(parts.miscalibration, 4), parts.discrimination, parts.uncertainty
    (0.0425, 0.125, 0.25)
    """
    check_option("score", score, ("brier", log_loss.__name__))
    forecast = binary_forecast(
        y_true, y_proba, labels, pos_label, sample_weight, corp_decomposition
    )
    proba, mass, fit = isotonic(forecast.proba, forecast.true, forecast.weight)
    event, place = np.nonzero(mass)
    weight = mass[event, place]
    base = np.full(len(weight), _mean(event, weight))
    eps = None if score == "brier" else _EPS
    own = _mean(_losses(event, proba[place], eps), weight)
    exact = None if eps is None else 0.0
    best = _mean(_losses(event, fit[place], exact), weight)
    constant = _mean(_losses(event, base, exact), weight)
    # Rounding alone may take them below 0.
    return ScoreDecomposition(own, max(own - best, 0.0), max(constant - best, 0.0), constant, 0.0)


def _losses(event: Array, proba: Array, eps: float | None) -> Array:
    """Squared errors, or negative log likelihoods."""
    if eps is None:
        return kernels.squared_distances(event, proba)
    return log_loss_rows(event, np.column_stack([1 - proba, proba]), eps)


def _mean(values: Array, weight: Array) -> float:
    return float(mean(Means.of(values[:, None], weight)))
