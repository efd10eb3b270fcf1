"""Gains and lifts: the effect of acting on the best-scored part of the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import CurveAverage
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels import rates
from skmetrics_ext.metrics.public import at_percents, number_in, ranking
from skmetrics_ext.metrics.rankings.ranking_kernels import (
    CurvePlace,
    around_crossing,
    corners,
    gini,
    interpolate,
    slope_at,
)
from skmetrics_ext.metrics.rankings.roc_auc import gini_slope
from skmetrics_ext.metrics.rankings.score_tally import binary_ranking
from skmetrics_ext.metrics.spec import INFINITY, Ranges
from skmetrics_ext.numeric import Array, Options, PosLabel, divide, trapezoid
from skmetrics_ext.result_bases import CurveResult
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import warn_undefined

# --------------------------------------------------------------------------- kernels


def kolmogorov_smirnov(tally: RankTally) -> Array:
    """Largest difference of the two rates, over a common denominator to round only once."""
    fp, tp, negative, positive = tally.corner_steps()
    negative, positive = (np.asarray(part, dtype=np.float64) for part in (negative, positive))
    lead = tp * negative[..., None]
    lead -= fp * positive[..., None]
    return divide(lead.max(axis=-1), positive * negative)


# The gain area exceeds chance by (1 - prevalence)(AUC - 1/2), that of a perfect ranking by
# (1 - prevalence)/2.
gain_capture = gini


def lift(tally: RankTally, fraction: float) -> Array:
    """Share of the positives in the top fraction of the weight, over that fraction."""
    fp, tp, negative, positive = tally.steps()
    in_fraction = interpolate(tp + fp, tp, fraction * (positive + negative))
    return divide(in_fraction, fraction * positive)


def around_fraction(stretch: RankTally, fraction: float) -> Array:
    """Indexes of the scores around the end of the fraction."""
    fp, tp, negative, positive = stretch.steps()
    return around_crossing(tp + fp, fraction * (positive + negative))


# --------------------------------------------------------------------------- slopes


def lift_slope(tally: RankTally, fraction: float) -> Array:
    fp, tp, negative, positive = tally.steps()
    rows = positive + negative
    x, y = divide(tp + fp, rows), divide(tp, positive)
    inside = CurvePlace.of(x, fraction).fill(1.0, 0.0)
    value = (tally.positive * inside).sum() / (positive * fraction)
    # A further row at the top pushes one out at the border: the share of positives lost there.
    pushed_out = (
        slope_at(x, y, fraction, tally.positive + tally.negative)
        * (inside - fraction)
        / (rows * fraction)
    )
    return np.stack([-pushed_out, inside / (positive * fraction) - pushed_out - value / positive])


# --------------------------------------------------------------------------- public functions


@ranking(
    kolmogorov_smirnov,
    "The KS statistic",
    sides="either",
    ranges=Ranges("places", corners),
    interval="biased",
)
def ks_statistic_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: CurveAverage | None = "macro",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> float | Array:
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


@ranking(
    gain_capture,
    "Gain capture",
    bounds=(-1.0, 1.0),
    sides="either",
    slope=gini_slope,
    ranges=Ranges("wins"),
    interval="logit",
)
def gain_capture_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: CurveAverage | None = "macro",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> float | Array:
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


@ranking(
    lift,
    "Lift",
    checks={"fraction": number_in("(0, 1]")},
    bounds=(0.0, INFINITY),
    scorer="lift_at",
    variants=at_percents("fraction", 10, 1, 5, 20),
    slope=lift_slope,
    ranges=Ranges("places", around_fraction),
)
def lift_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    fraction: float,
    average: CurveAverage | None = "macro",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> float | Array:
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


# --------------------------------------------------------------------------- curves


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class GainCurve(CurveResult):
    """Share of the positives found by acting on the best-scored share of the rows.

    Parameters
    ----------
    rate : ndarray of shape (T + 1,)
        Share of the weight predicted positive, from 0 to 1.
    gain : ndarray of shape (T + 1,)
        Share of the positives among it (recall), from 0 to 1.
    thresholds : ndarray of shape (T + 1,)
        Lowest score predicted positive; infinite for none.
    prevalence : float
        Share of the positives: a perfect ranking has found them all at this rate.
    """

    rate: Array
    gain: Array
    thresholds: Array
    prevalence: float

    @property
    def area(self) -> float:
        """Area under the curve; 1/2 for a constant score, 1 - prevalence/2 at best."""
        return float(trapezoid(self.gain, self.rate))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class LiftCurve(CurveResult):
    """Precision over prevalence, for every share of the rows acted on.

    Parameters
    ----------
    rate : ndarray of shape (T,)
        Share of the weight predicted positive, up to 1.
    lift : ndarray of shape (T,)
        How many times richer in positives it is than all rows.
    thresholds : ndarray of shape (T,)
        Lowest score predicted positive.
    """

    rate: Array
    lift: Array
    thresholds: Array

    @property
    def area(self) -> float:
        """Area under the curve from the first threshold on."""
        return float(trapezoid(self.lift, self.rate))


@document
def gain_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> GainCurve:
    r"""Cumulative gain: share of the positives found over the share of the rows acted on.

    .. math:: (TP + FP) / n \mapsto TP / (TP + FN)

    Parameters
    ----------
    {y_true_y_score_binary}
    {score_labels}
    {score_pos_label}
    {sample_weight}

    Returns
    -------
    GainCurve
        ``rate, gain, thresholds``, a point for every distinct score and (0, 0); also its
        ``area``. The gain is nan, with a warning, where there are no positives.

    Raises
    ------
    {raises}

    See Also
    --------
    gain_capture_score : The area between it and chance.

    References
    ----------
    Ling & Li (1998), Proceedings of KDD-98, 73-79.

    Examples
    --------
    >>> from skmetrics_ext import gain_curve
    >>> curve = gain_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.rate.tolist(), curve.gain.tolist()
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    options: Options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    _, tally = binary_ranking(y_true, y_score, **options, what="gain_curve")
    counts = tally.counts_from_none()
    thresholds = np.concatenate([[np.inf], tally.thresholds])
    gain = rates.recall(counts)
    if np.isnan(gain).any():
        warn_undefined("The gain curve is undefined: y_true has no positive row.")
    prevalence = float(rates.true_share(counts)[-1])
    return GainCurve(rates.predicted_share(counts), gain, thresholds, prevalence)


@document
def lift_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> LiftCurve:
    r"""Lift: precision over prevalence, over the share of the rows acted on.

    .. math:: (TP + FP) / n \mapsto \frac{TP}{TP + FP} \Big/ \frac{TP + FN}{n}

    Parameters
    ----------
    {y_true_y_score_binary}
    {score_labels}
    {score_pos_label}
    {sample_weight}

    Returns
    -------
    LiftCurve
        ``rate, lift, thresholds``, a point for every distinct score. There is none at rate 0,
        where the lift is 0/0. It is nan, with a warning, where there are no positives.

    Raises
    ------
    {raises}

    References
    ----------
    Ling & Li (1998), Proceedings of KDD-98, 73-79.

    Examples
    --------
    >>> from skmetrics_ext import lift_curve
    >>> lift_curve([0, 0, 0, 1], [0.1, 0.4, 0.35, 0.8]).lift.round(3).tolist()
    [4.0, 2.0, 1.333, 1.0]
    """
    options: Options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    _, tally = binary_ranking(y_true, y_score, **options, what="lift_curve")
    counts = tally.counts()
    lifts = divide(rates.precision(counts), rates.true_share(counts))
    if np.isnan(lifts).any():
        warn_undefined("The lift curve is undefined: y_true has no positive row.")
    return LiftCurve(rates.predicted_share(counts), lifts, tally.thresholds)
