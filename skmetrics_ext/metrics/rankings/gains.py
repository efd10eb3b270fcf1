"""Gains and lifts: what acting on the best-scored part of the rows brings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import CurveAverage
from skmetrics_ext.metrics.rankings.ranking_function import check_share, public_ranking
from skmetrics_ext.metrics.rankings.ranking_kernels import around_crossing, gini, interpolate
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import RankTally

# --------------------------------------------------------------------------- kernels


def kolmogorov_smirnov(tally: RankTally) -> Array:
    """Largest difference of the two rates, over one denominator so that it is rounded once."""
    fp, tp, negative, positive = (np.asarray(part, dtype=np.float64) for part in tally.steps())
    negative, positive = negative[..., None], positive[..., None]
    return divide(tp * negative - fp * positive, positive * negative).max(axis=-1)


# The gain area exceeds chance by (1 - prevalence)(AUC - 1/2), that of a perfect ranking by
# (1 - prevalence)/2.
gain_capture = gini


def lift(tally: RankTally, fraction: float) -> Array:
    """Share of the positives in the top fraction of the weight, over that fraction."""
    fp, tp, negative, positive = tally.steps()
    found = interpolate(tp + fp, tp, fraction * (positive + negative))
    return divide(found, fraction * positive)


def around_fraction(stretch: RankTally, fraction: float) -> Array:
    """The scores that decide its lift."""
    fp, tp, negative, positive = stretch.steps()
    return around_crossing(tp + fp, fraction * (positive + negative))


# --------------------------------------------------------------------------- public functions


@public_ranking(kolmogorov_smirnov, "The KS statistic", side="either")
def ks_statistic_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: CurveAverage | None = "macro",
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> Any:
    r"""Kolmogorov-Smirnov statistic: largest lead of the true over the false positive rate.

    .. math:: KS = \max_t (TPR(t) - FPR(t))

    It is the largest Youden's J over thresholds, and one-sided: a ranking that is everywhere
    worse than chance has 0.

    Parameters
    ----------
    {y_true_y_score}
    {rank_average}
    {score_labels}
    {either_pos_label}
    {sample_weight}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        In [0, 1]; higher is better. nan, with a warning, where a class has no rows.

    Raises
    ------
    {raises}

    References
    ----------
    Smirnov (1948), Annals of Mathematical Statistics 19(2), 279-281; Hand (2012),
    International Statistical Review 80(3), 400-414.

    Examples
    --------
    >>> from skmetrics_ext import ks_statistic_score
    >>> ks_statistic_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """


@public_ranking(gain_capture, "Gain capture", side="either")
def gain_capture_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: CurveAverage | None = "macro",
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> Any:
    r"""Gain capture: area of the gain curve above chance, over that of a perfect ranking.

    .. math:: \frac{A - 1/2}{(1 - \pi / 2) - 1/2} = 2\,AUC - 1

    with A the area of the gain curve and :math:`\pi` the prevalence: the accuracy ratio of
    the cumulative accuracy profile. For one class it equals `gini_score`; several classes are
    one against the rest.

    Parameters
    ----------
    {y_true_y_score}
    {rank_average}
    {score_labels}
    {either_pos_label}
    {sample_weight}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        In [-1, 1]; higher is better, 0 is chance. nan, with a warning, where a class has no
        rows.

    Raises
    ------
    {raises}

    References
    ----------
    Engelmann, Hayden & Tasche (2003), Risk 16(1), 82-86.

    Examples
    --------
    >>> from skmetrics_ext import gain_capture_score
    >>> gain_capture_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """


@public_ranking(lift, "Lift", fraction=partial(check_share, zero=False))
def lift_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    fraction: float,
    average: CurveAverage | None = "macro",
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> Any:
    r"""Lift of the best-scored fraction of the rows: its share of the positives over its size.

    .. math:: TPR(f) / f

    The fraction is one of the weight. Rows that tie where it ends count in proportion, as if
    in random order: the gain curve is interpolated linearly.

    Parameters
    ----------
    {y_true_y_score}
    fraction : float in (0, 1]
        Share of the rows that is acted on, highest scores first.
    {rank_average}
    {score_labels}
    {score_pos_label}
    {sample_weight}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        From 0 to 1/fraction; higher is better, 1 is chance. nan, with a warning, where there
        are no positives.

    Raises
    ------
    {raises}

    References
    ----------
    Ling & Li (1998), Proceedings of KDD-98, 73-79.

    Examples
    --------
    >>> from skmetrics_ext import lift_score
    >>> lift_score([1, 1, 0, 1, 0, 0, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1], fraction=0.25)
    2.6666666666666665
    """
