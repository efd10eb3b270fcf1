"""Tests of calibration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.calibration.binning import Binning, check_bins
from skmetrics_ext.metrics.calibration.events import binary_forecast
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import PosLabel, divide, ratio
from skmetrics_ext.result_bases import Result
from skmetrics_ext.tallies.bins import BinTally
from skmetrics_ext.validation import warn_undefined
from skmetrics_ext.validation.parameters import check_integer


@dataclass(frozen=True, repr=False, slots=True)
class CalibrationTest(Result):
    """Result of a test that probabilities are calibrated.

    Parameters
    ----------
    statistic : float
        Chi-squared statistic, or standard normal one where ``df`` is None.
    p_value : float
        Probability of a statistic at least as extreme under calibration.
    df : int or None
        Degrees of freedom.
    """

    statistic: float
    p_value: float
    df: int | None

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.p_value))


# --------------------------------------------------------------------------- kernels


def grouped_chi_squared(sums: BinTally) -> float:
    """Sum over groups of the squared difference of observed and expected over its variance."""
    variance = sums.predicted * (1 - np.nan_to_num(sums.mean_predicted))
    # A group without variance adds 0 if it is right, and infinity if not; rounding errors must not
    # decide.
    difference = sums.positive - sums.predicted
    difference[np.abs(difference) <= 1e-12 * sums.weight] = 0.0
    return float(
        np.nan_to_num(ratio(difference**2, np.maximum(variance, 0.0)), posinf=np.inf).sum()
    )


# --------------------------------------------------------------------------- public functions


@document
def hosmer_lemeshow_test(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int | ArrayLike = 10,
    strategy: Literal["quantile", "uniform", "equal_mass"] = "quantile",
    ddof: int = 0,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> CalibrationTest:
    r"""Hosmer-Lemeshow test: observed against expected events in groups of similar risk.

    .. math:: \sum_g \frac{(O_g - E_g)^2}{E_g (1 - E_g / n_g)}

    compared with a chi-squared distribution of (groups that hold rows) - ``ddof`` degrees of
    freedom. With many rows it rejects useful models, and it depends on the groups; report the
    slope, the intercept and the curve as well.

    Parameters
    ----------
    {y_true_y_proba_binary}
    n_bins : int or array-like of float, default=10
        Number of groups; with many ties there are fewer. An array gives the edges of the
        groups themselves, and ``strategy`` says nothing.
    strategy : {"quantile", "uniform", "equal_mass"}, default="quantile"
        Groups between quantiles of the probabilities (deciles of risk), of equal width over
        [0, 1], or of equal weight, as in `calibration_curve_binned`. Each group is open below and
        closed above, but the first, which holds its lower edge too. Quantiles that coincide are
        one, at the lowest probability as well (R's ``cut(p, unique(quantile(p, ...)),
        include.lowest=TRUE)``): no group is a single value that the next one could hold.
    ddof : int, default=0
        Subtracted from the number of groups: 0 where the rows are new to the model, 2 where it was
        fitted to them. Of new rows 2 rejects 12 % of calibrated models at 5 %.
    {proba_labels}
    {proba_pos_label_one}
    sample_weight : array-like of shape (n_samples,), default=None
        How many rows each one stands for.

    Returns
    -------
    CalibrationTest
        ``statistic, p_value, df``; unpacked, it is ``statistic, p_value``. The p-value is nan,
        with a warning, where no degree of freedom is left.

    Raises
    ------
    {raises}

    References
    ----------
    Hosmer & Lemeshow (1980), Communications in Statistics 9(10), 1043-1069; Hyndman & Fan
    (1996), The American Statistician 50(4), 361-365.

    Examples
    --------
    >>> from skmetrics_ext.significance import hosmer_lemeshow_test
    >>> y_true, y_proba = [0, 1, 0, 0, 1, 1], [0.1, 0.3, 0.4, 0.5, 0.6, 0.9]
    >>> test = hosmer_lemeshow_test(y_true, y_proba, n_bins=3)
    >>> round(test.statistic, 4), round(test.p_value, 4), test.df
    (3.428, 0.3302, 3)
    """
    bins = check_bins(n_bins, strategy)
    check_integer("ddof", ddof, 0)
    # Of one class: groups are closed above, and from the other side they are others.
    forecast = binary_forecast(
        y_true, y_proba, labels, pos_label, sample_weight, hosmer_lemeshow_test, "one"
    )
    binning = Binning.of(forecast.proba, forecast.weight, strategy, bins)
    if strategy == "quantile":
        binning = binning.breaks()
    sums = binning.sums(forecast)
    statistic = grouped_chi_squared(sums)
    df = int(np.count_nonzero(sums.n_rows)) - int(ddof)
    if df < 1:
        warn_undefined(
            f"The p-value of hosmer_lemeshow_test is undefined and nan: {df + ddof} groups hold "
            f"rows, which leaves {df} degrees of freedom after ddof={ddof}."
        )
        return CalibrationTest(statistic, float("nan"), df)
    from scipy.special import chdtrc

    return CalibrationTest(statistic, float(chdtrc(df, statistic)), df)


@document
def spiegelhalter_test(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> CalibrationTest:
    r"""Spiegelhalter's test: whether the Brier score is what calibrated probabilities have.

    .. math:: z = \frac{\sum_i (y_i - p_i)(1 - 2 p_i)}{\sqrt{\sum_i (1 - 2 p_i)^2 p_i (1 - p_i)}}

    a standard normal statistic, tested on both sides. It has no groups to choose.

    Parameters
    ----------
    {y_true_y_proba_binary}
    {proba_labels}
    {proba_pos_label}
    sample_weight : array-like of shape (n_samples,), default=None
        How many rows each one stands for.

    Returns
    -------
    CalibrationTest
        ``statistic, p_value``, and ``df`` None. nan, with a warning, where every probability
        is 0, 1/2 or 1, so that the score has no variance.

    Raises
    ------
    {raises}

    References
    ----------
    Spiegelhalter (1986), Statistics in Medicine 5(5), 421-433.

    Examples
    --------
    >>> from skmetrics_ext.significance import spiegelhalter_test
    >>> test = spiegelhalter_test([0, 1, 0, 0, 1, 1], [0.1, 0.3, 0.4, 0.5, 0.6, 0.9])
    >>> round(test.statistic, 4), round(test.p_value, 4)
    (-0.0976, 0.9223)
    """
    forecast = binary_forecast(
        y_true, y_proba, labels, pos_label, sample_weight, spiegelhalter_test
    )
    proba, weight = forecast.proba, forecast.weights
    tilt = 1 - 2 * proba
    variance = float((weight * tilt**2 * proba * (1 - proba)).sum())
    statistic = float(divide((weight * (forecast.true - proba) * tilt).sum(), np.sqrt(variance)))
    if np.isnan(statistic):
        warn_undefined("spiegelhalter_test is undefined and nan: every probability is 0, 1/2 or 1.")
        return CalibrationTest(statistic, statistic, None)
    from scipy.special import ndtr

    return CalibrationTest(statistic, float(2 * ndtr(-abs(statistic))), None)
