"""Reliability curve: how often events happen, by their probability."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from skmetrics_ext.metrics.calibration.binning import Binning, check_bins
from skmetrics_ext.metrics.calibration.events import forecasts
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array, wilson
from skmetrics_ext.validation.parameters import check_level


@dataclass(frozen=True, eq=False, slots=True)
class CalibrationCurve:
    """How often the event happened among rows of similar probability.

    Parameters
    ----------
    edges : ndarray of shape (B + 1,)
        Edges of the bins; each is closed above, and the first below too.
    mean_predicted : ndarray of shape (B,)
        Mean probability of each bin; nan where it is empty.
    observed_rate : ndarray of shape (B,)
        Share of the weight of each bin whose event happened; nan where it is empty.
    low, high : ndarray of shape (B,)
        Wilson interval of the rate; nan where the bin is empty.
    weight : ndarray of shape (B,)
        Weight of each bin.
    count : ndarray of int of shape (B,)
        Number of rows of each bin that have weight.
    confidence_level : float
        Level of the interval.
    """

    edges: Array
    mean_predicted: Array
    observed_rate: Array
    low: Array
    high: Array
    weight: Array
    count: Array
    confidence_level: float

    def __iter__(self) -> Iterator[Array]:
        return iter((self.mean_predicted, self.observed_rate))


@document
def calibration_curve_binned(
    y_true: Any,
    y_proba: Any,
    *,
    n_bins: Any = 10,
    strategy: str = "uniform",
    target: str = "binary",
    confidence_level: float = 0.95,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> CalibrationCurve:
    r"""Reliability curve over bins, with intervals.

    .. math:: \bar p_b \mapsto \bar y_b

    the mean probability of each bin and the share of its weight whose event happened. The
    interval of the share is Wilson's; weighted rows count as the number of equal ones that
    are worth as much, :math:`(\sum w)^2 / \sum w^2`.

    Parameters
    ----------
    {y_true_y_proba}
    {n_bins}
    {bin_strategy}
    target : {"binary", "top_label"}, default="binary"
        The event: the positive class of two, or that the most probable class of several is
        the true one (the first of equals).
    confidence_level : float in (0, 1), default=0.95
        Level of the intervals.
    {proba_labels}
    {proba_pos_label_one}
    {sample_weight}

    Returns
    -------
    CalibrationCurve
        ``edges, mean_predicted, observed_rate, low, high, weight, count``; all bins, the empty
        ones with nan. Unpacked, it is ``mean_predicted, observed_rate``.

    Raises
    ------
    {raises}

    See Also
    --------
    expected_calibration_error : Mean distance of the curve from the diagonal.

    References
    ----------
    Murphy & Winkler (1977), Applied Statistics 26(1), 41-47; Wilson (1927), Journal of the
    American Statistical Association 22, 209-212; Kish (1965), Survey Sampling, Wiley.

    Examples
    --------
    >>> from skmetrics_ext import calibration_curve_binned
    >>> curve = calibration_curve_binned([0, 0, 1, 1], [0.1, 0.3, 0.4, 0.9], n_bins=2)
    >>> curve.mean_predicted.round(3).tolist(), curve.observed_rate.round(3).tolist()
    ([0.267, 0.9], [0.333, 1.0])
    >>> curve.low.round(3).tolist(), curve.high.round(3).tolist()
    ([0.061, 0.207], [0.792, 1.0])
    """
    bins = check_bins(n_bins, strategy)
    level = check_level(confidence_level)
    (forecast,) = forecasts(
        y_true,
        y_proba,
        target,
        labels,
        pos_label,
        sample_weight,
        of_one=calibration_curve_binned,
        accepted=("binary", "top_label"),
    )
    sums = Binning.of(forecast.proba, forecast.weight, strategy, bins).sums(forecast)
    rate, rows = sums.rate, sums.effective_rows
    low, high = wilson(rate * rows, rows, level)
    return CalibrationCurve(
        sums.edges, sums.mean_predicted, rate, low, high, sums.weight, sums.n_rows, level
    )
