"""Curves over the share of the rows acted on: cumulative gain and lift."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels import rate_kernels
from skmetrics_ext.metrics.rankings.score_tally import binary_ranking
from skmetrics_ext.numeric import Array, divide, trapezoid
from skmetrics_ext.results import CurveResult
from skmetrics_ext.validation import warn_undefined


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
        Rows that score at least so much are predicted positive; infinite for none.
    prevalence : float
        Share of the positives: a perfect ranking has found them all at this rate.
    """

    rate: Array
    gain: Array
    thresholds: Array
    prevalence: float

    def __iter__(self) -> Iterator[Array]:
        return iter((self.rate, self.gain, self.thresholds))

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
        Rows that score at least so much are predicted positive.
    """

    rate: Array
    lift: Array
    thresholds: Array

    def __iter__(self) -> Iterator[Array]:
        return iter((self.rate, self.lift, self.thresholds))

    @property
    def area(self) -> float:
        """Area under the curve from the first threshold on."""
        return float(trapezoid(self.lift, self.rate))


# --------------------------------------------------------------------------- public functions


@document
def gain_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    labels: Any = None,
    pos_label: Any = None,
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
    _, tally = binary_ranking(
        y_true,
        y_score,
        labels=labels,
        pos_label=pos_label,
        sample_weight=sample_weight,
        what="gain_curve",
    )
    counts = tally.counts_from_none()
    thresholds = np.concatenate([[np.inf], tally.thresholds])
    gain = rate_kernels.recall(counts)
    if np.isnan(gain).any():
        warn_undefined("The gain curve is undefined: y_true has no positive row.")
    prevalence = float(rate_kernels.true_share(counts)[-1])
    return GainCurve(rate_kernels.predicted_share(counts), gain, thresholds, prevalence)


@document
def lift_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    labels: Any = None,
    pos_label: Any = None,
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
    _, tally = binary_ranking(
        y_true,
        y_score,
        labels=labels,
        pos_label=pos_label,
        sample_weight=sample_weight,
        what="lift_curve",
    )
    counts = tally.counts()
    lifts = divide(rate_kernels.precision(counts), rate_kernels.true_share(counts))
    if np.isnan(lifts).any():
        warn_undefined("The lift curve is undefined: y_true has no positive row.")
    return LiftCurve(rate_kernels.predicted_share(counts), lifts, tally.thresholds)
