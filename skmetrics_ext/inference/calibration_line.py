"""Calibration slope and intercept, with a covariance that knows groups."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign
from skmetrics_ext.inference.linearized import Linearized
from skmetrics_ext.metrics.calibration.events import binary_forecast
from skmetrics_ext.metrics.calibration.recalibration import (
    CalibrationLine,
    expected_share,
    fit_intercept,
    fit_line,
    log_odds,
    no_maximum,
    undefined_line,
)
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.groups import read_design


@document
def calibration_slope_intercept(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> CalibrationLine:
    r"""Calibration slope and intercept: logistic recalibration of probabilities.

    .. math:: \operatorname{logit} P(y = 1) = a + b \operatorname{logit} p

    fitted by maximum likelihood (Newton's method); and the calibration in the large, a where b
    is held at 1.

    Parameters
    ----------
    {y_true_y_proba_binary}
        Above 0 and below 1: where a model is sure, the log odds are infinite, and the line is
        that of whichever number stands in their place, so that the caller has to choose it.
    {proba_labels}
    {proba_pos_label_one}
    {sample_weight}
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other. The line is
        the same, its covariance that of sums over groups, which takes nothing from the model.

    Returns
    -------
    CalibrationLine
        ``slope, intercept, in_the_large, covariance, n_groups``; unpacked, it is ``slope,
        intercept``.
        nan, with a warning, where there is no maximum: only one class occurs, a threshold on
        the probabilities separates the classes, or the probabilities are all equal (the
        intercept in the large is then still given).

    Raises
    ------
    {raises}

    References
    ----------
    Cox (1958), Biometrika 45, 562-565; Van Calster et al. (2019), BMC Medicine 17, 230; Liang &
    Zeger (1986), Biometrika 73(1), 13-22, for groups.

    Examples
    --------
    >>> from skmetrics_ext import calibration_slope_intercept
    >>> y_true, y_proba = [0, 1, 0, 1, 1, 0], [0.1, 0.2, 0.6, 0.7, 0.9, 0.4]
    >>> line = calibration_slope_intercept(y_true, y_proba)
    >>> round(line.slope, 4), round(line.intercept, 4), round(line.in_the_large, 4)
    (0.7114, 0.0682, 0.0971)
    """
    about = labels, pos_label, sample_weight, calibration_slope_intercept, "one"
    every = binary_forecast(y_true, y_proba, *about, every=True)
    beside = {"y_true": y_true, "y_proba": y_proba, "sample_weight": sample_weight}
    design = read_design(groups, None, len(every.true), **beside)
    if every.weight is not None:
        design = design.kept(np.flatnonzero(every.weight))
    forecast = every.weighed()
    x, event, weight = log_odds(forecast), forecast.true, forecast.weights
    reason = no_maximum(x, event)
    two = bool(event.any() and not event.all())
    large = fit_intercept(x, event, weight) if two else float("nan")
    if reason:
        return undefined_line(large, reason)
    try:
        line, covariance = fit_line(x, event, weight)
    except np.linalg.LinAlgError:
        return undefined_line(
            large, "a threshold on the probabilities all but separates the classes"
        )
    atoms = Atoms.each_row(len(x), RowDesign.of(None, design), None)
    if groups is not None:
        rest = weight * (event - expected_share(line, x))
        covariance = _of_groups(covariance @ np.stack([rest, rest * x]), atoms)
    intercept, slope = line.tolist()
    n_groups = atoms.of_design()["n_groups"]
    return CalibrationLine(slope, intercept, large, covariance, n_groups)


def _of_groups(added: Array, atoms: Atoms) -> Array:
    """Covariance of what each row adds (2, n), in sums over groups."""

    def variance(parts: Array) -> float:
        return float(
            Linearized(0.0, None, (-np.inf, np.inf), False, parts, atoms, (None,)).variance
        )

    first, second = map(variance, added)
    shared = (first + second - variance(added[0] - added[1])) / 2
    return np.array([[first, shared], [shared, second]])
