"""Hand's H: loss under an agreed spread of misclassification costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import CurveAverage
from skmetrics_ext.metrics.public import ranking
from skmetrics_ext.metrics.rankings.ranking_kernels import corners, hull_points
from skmetrics_ext.metrics.spec import Ranges
from skmetrics_ext.numeric import Array, PosLabel, divide
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation.parameters import check_interval

# --------------------------------------------------------------------------- kernels


def hand_h(tally: RankTally, severity_ratio: float | None = None) -> Array:
    """1 minus the loss over that of a constant prediction, averaged over a Beta of costs."""
    from scipy.special import betainc

    fp, tp, negative, positive = tally.corner_steps()
    curve, fp, tp = hull_points(fp, tp)
    fp, tp = fp.astype(np.float64), tp.astype(np.float64)
    shape, negative, positive = negative.shape, *(np.ravel(n) * 1.0 for n in (negative, positive))
    prevalence = divide(positive, negative + positive)
    ratio = divide(positive, negative) if severity_ratio is None else severity_ratio
    first, second = 2.0, np.broadcast_to(1 + divide(1.0, ratio), positive.shape)
    mean_cost, mean_rest = first / (first + second), second / (first + second)
    # A vertex is best for costs between those at which it ties with its neighbours.
    ties, same_curve = divide(np.diff(tp), np.diff(tp) + np.diff(fp)), curve[1:] == curve[:-1]

    def mass_of_vertices(first: float, second: Array) -> Array:
        """Mass of a Beta density at the costs for which each vertex is best."""
        below = betainc(first, second[curve[1:]], ties)
        high = np.concatenate([[1.0], np.where(same_curve, below, 1.0)])
        low = np.concatenate([np.where(same_curve, below, 0.0), [0.0]])
        return high - low

    alarms, missed = divide(fp, negative[curve]), 1 - divide(tp, positive[curve])
    loss = alarms * (1 - prevalence[curve])
    loss = loss * (mean_cost[curve] * mass_of_vertices(first + 1, second))
    loss += missed * prevalence[curve] * (mean_rest[curve] * mass_of_vertices(first, second + 1))
    nothing = prevalence * (mean_rest * (1 - betainc(first, second + 1, prevalence)))
    everything = (1 - prevalence) * (mean_cost * betainc(first + 1, second, prevalence))
    total = np.bincount(curve, weights=loss, minlength=len(positive))
    value = np.clip(1 - divide(total, nothing + everything), 0.0, 1.0)
    return np.where((negative == 0) | (positive == 0), np.nan, value).reshape(shape)


def _severity_ratio(name: str, value: Any) -> float | None:
    return None if value is None else check_interval(name, value, "(0, inf)")


# --------------------------------------------------------------------------- public functions


@ranking(
    hand_h,
    "The H measure",
    checks={"severity_ratio": _severity_ratio},
    ranges=Ranges("places", corners),
    interval="biased",
)
def h_measure_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    severity_ratio: float | None = None,
    average: CurveAverage | None = "macro",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> float | Array:
    r"""Hand's H measure: how much of the loss of a trivial classifier a ranking avoids.

    .. math:: H = 1 - \frac{\int Q(c)\, w(c)\, dc}{\int \min(\pi_0 c,\, \pi_1 (1 - c))\, w(c)\, dc},
        \quad Q(c) = \min_t \{c\, \pi_0 FPR(t) + (1 - c)\, \pi_1 FNR(t)\}

    c is the cost of a false positive and 1 - c of a false negative; w is the density of
    Beta(2, 1 + 1/r), with its mode at r / (1 + r), r the severity ratio. Unlike the AUC it
    weighs costs alike for every classifier.

    Parameters
    ----------
    {y_true_y_score}
    severity_ratio : float, default=None
        How many times worse a false positive is than a false negative. By default the odds of
        the positives: a class is as precious as it is rare.
    {rank_average}
    {score_labels}
    {score_pos_label}
    {sample_weight}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        In [0, 1]; higher is better, 0 is no better than predicting one class for all. nan,
        with a warning, where a class has no rows.

    Raises
    ------
    {raises}

    References
    ----------
    Hand (2009), Machine Learning 77(1), 103-123; Hand & Anagnostopoulos (2014), Pattern
    Recognition Letters 40, 41-46.

    Examples
    --------
    >>> from skmetrics_ext import h_measure_score
    >>> round(h_measure_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)
    0.5
    """
