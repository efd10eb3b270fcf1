"""Reliability curve over bins, with intervals that know groups."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.confidence_interval import interval_of_checked
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.metrics.calibration.binning import (
    Binning,
    CalibrationCurve,
    check_bins,
    curve_of,
)
from skmetrics_ext.metrics.calibration.events import forecasts
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels.accuracy import accuracy_score
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import find
from skmetrics_ext.validation import BinaryProbabilities, Labels
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.parameters import check_level


@document
def calibration_curve_binned(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: Any = 10,
    strategy: Literal["uniform", "quantile", "equal_mass"] = "uniform",
    target: Literal["binary", "top_label"] = "binary",
    confidence_level: float = 0.95,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
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
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other. The interval
        of each bin is then that of `confidence_interval` for a share of its rows.

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
    (every,) = forecasts(
        y_true,
        y_proba,
        target,
        labels,
        pos_label,
        sample_weight,
        calibration_curve_binned,
        "one",
        accepted=("binary", "top_label"),
        every=True,
    )
    curve = curve_of(every.weighed(), strategy, bins, level)
    if groups is None:
        return curve
    beside = {"y_true": y_true, "y_proba": y_proba, "sample_weight": sample_weight}
    group = read_groups(groups, len(every.true), **beside)
    return _by_groups(curve, every, group)


def _by_groups(
    curve: CalibrationCurve, forecast: BinaryProbabilities, group: Array
) -> CalibrationCurve:
    """The same with intervals of rows that depend on each other within groups."""
    place, happens = Binning(curve.edges).assign(forecast.proba), find(accuracy_score)
    bounds = np.full((2, len(curve.count)), np.nan)
    for k in np.flatnonzero(curve.count):
        rows = np.flatnonzero(place == k)
        weight = None if forecast.weight is None else forecast.weight[rows]
        of_bin = np.ones(len(rows), dtype=np.int64)
        # Who says of every row that the event happens is right in its share.
        share = Labels("binary", np.arange(2), forecast.true[rows], of_bin, weight)
        level = curve.confidence_level
        found = interval_of_checked(happens, share, groups=group[rows], confidence_level=level)
        assert isinstance(found, Estimate)
        bounds[:, k] = found.low, found.high
    return replace(curve, low=bounds[0], high=bounds[1])
