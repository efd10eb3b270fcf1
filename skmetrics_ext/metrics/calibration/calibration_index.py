"""Integrated calibration index: distance of the probabilities from a smooth calibration line."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.calibration.events import binary_forecast
from skmetrics_ext.metrics.calibration.recalibration import fit_logistic, fitted_share, log_odds
from skmetrics_ext.metrics.public import metric
from skmetrics_ext.metrics.rankings.ranking_kernels import each_ranking
from skmetrics_ext.metrics.spec import WHOLE
from skmetrics_ext.numeric import Array, PosLabel
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import InvalidParameterError, check_option

_KNOTS = (0.05, 0.275, 0.5, 0.725, 0.95)
_QUANTILES = {"E50": 0.5, "E90": 0.9}
_FEWEST = 10  # events, and rows without one


def index(tally: RankTally, summary: str = "mean") -> Array:
    """The index of probabilities with events, over any leading axes; nan for few events."""
    return each_ranking(partial(_index, summary=summary), tally)


def _index(tally: RankTally, summary: str) -> float:
    weight = (tally.negative + tally.positive).astype(np.float64)
    seen = weight > 0
    proba, weight = tally.thresholds[seen].astype(np.float64), weight[seen]
    is_sure = proba.min(initial=0.5) <= 0 or proba.max(initial=0.5) >= 1
    if is_sure or min(tally.negative.sum(), tally.positive.sum()) < _FEWEST:
        return np.nan
    design = _spline(np.log(proba) - np.log1p(-proba), weight)
    event = tally.positive[seen] / weight
    try:
        away = np.abs(fitted_share(fit_logistic(design, event, weight), design) - proba)
    except np.linalg.LinAlgError:
        return np.nan
    if summary == "mean":
        return float(np.average(away, weights=weight))
    return float(_quantiles(away, weight, [_QUANTILES[summary]])[0])


def _quantiles(values: Array, weight: Array, shares: list[float]) -> Array:
    """Quantiles of weighted values, interpolated between order statistics."""
    order = np.argsort(values)
    values, rows = values[order], np.cumsum(weight[order])
    place = np.asarray(shares) * (rows[-1] - 1)
    below = np.floor(place)
    ends = [np.searchsorted(rows, each, side="right") for each in (below, below + 1)]
    low, high = (values[np.minimum(end, len(values) - 1)] for end in ends)
    return np.asarray(low + (place - below) * (high - low))


def _spline(x: Array, weight: Array) -> Array:
    """Rows of a restricted cubic spline of five knots: constant, linear, three cubic ones.

    Without cubic ones where knots coincide (Harrell 2015, Regression Modeling Strategies, 2.4.5).
    """
    knots = _quantiles(x, weight, list(_KNOTS))
    mean = np.average(x, weights=weight)
    rows = [np.ones_like(x), x - mean]
    if (np.diff(knots) > 0).all():
        before, last = knots[-2:]
        cubes = np.maximum(x - knots[:, None], 0) ** 3
        for knot, cube in zip(knots[:-2], cubes, strict=False):
            tails = (last - knot) * cubes[-2] - (before - knot) * cubes[-1]
            rows.append((cube - tails / (last - before)) / (last - knots[0]) ** 2)
    return np.stack(rows)


@metric(
    index,
    greater_is_better=False,
    sides="either",
    ranges=WHOLE,
    interval="calibration",
    traits=("unlisted",),
    scorer=None,
)
def integrated_calibration_index(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    summary: Literal["mean", "E50", "E90"] = "mean",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Integrated calibration index (ICI): mean distance from a smooth calibration line.

    .. math:: \frac{1}{n} \sum_i |\hat c(p_i) - p_i|

    with the line :math:`\hat c`, a logistic regression of the event on a restricted cubic spline of
    the log odds with five knots. Other smoothers give other numbers. It is above 0 in a sample
    even of a calibrated model.

    Parameters
    ----------
    {y_true_y_proba_binary}
    summary : {"mean", "E50", "E90"}, default="mean"
        Mean of the distances (ICI), their median, or their 90th percentile.
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
        Also below 10 events or 10 rows without one.

    References
    ----------
    Austin & Steyerberg (2019), Statistics in Medicine 38(21), 4051-4065.

    Examples
    --------
    >>> import numpy as np
    >>> from skmetrics_ext import integrated_calibration_index
    >>> risk = np.linspace(0.05, 0.95, 100)
    >>> ill = np.tile([0, 1, 0, 0, 1], 20)
    >>> round(integrated_calibration_index(ill, risk), 4)
    0.2349
    """
    check_option("summary", summary, ("mean", *_QUANTILES))
    about = labels, pos_label, sample_weight, integrated_calibration_index
    forecast = binary_forecast(y_true, y_proba, *about)
    log_odds(forecast)  # refuses probabilities of 0 and 1
    events = int(forecast.true.sum())
    if min(events, len(forecast.true) - events) < _FEWEST:
        raise InvalidParameterError(
            f"y_true has {events} events in {len(forecast.true)} rows: the line needs 10 events "
            "and 10 rows without one."
        )
    tally = RankTally.of_marks(forecast.proba, forecast.true, forecast.weight)
    return float(index(tally, summary))
