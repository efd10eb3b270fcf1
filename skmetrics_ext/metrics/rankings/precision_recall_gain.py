"""Precision gain and recall gain, whose arithmetic mean is the F-gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import CurveAverage
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels.table_statistics import precision_gain, recall_gain
from skmetrics_ext.metrics.public import ranking
from skmetrics_ext.metrics.rankings.ranking_kernels import ROUNDING, STEP, slope_of_sum
from skmetrics_ext.metrics.rankings.score_tally import binary_ranking
from skmetrics_ext.metrics.spec import INFINITY, Ranges
from skmetrics_ext.numeric import Array, Options, PosLabel, divide, trapezoid
from skmetrics_ext.result_bases import CurveResult
from skmetrics_ext.tallies import Counts, RankTally, Steps
from skmetrics_ext.validation import warn_undefined

# --------------------------------------------------------------------------- kernels


def auprg(tally: RankTally) -> Array:
    """Area under the gains from recall gain 0 on."""
    return at_most_1(gain_area(tally))


def at_most_1(area: Array) -> Array:
    """Cut rounding errors above 1."""
    return np.minimum(area, 1.0)


def gain_area(tally: RankTally) -> Array:
    """The area, a sum over the scores, before it is cut at 1."""
    fp, tp, negative, positive = tally.steps()
    whole = negative[..., None], positive[..., None]
    ends = fp[..., :-1], tp[..., :-1], fp[..., 1:], tp[..., 1:]
    area = gain_steps(*ends, *whole).sum(axis=-1)
    return np.where((negative == 0) | (positive == 0), np.nan, area)


def gain_steps(
    fp: Array, tp: Array, fp_to: Array, tp_to: Array, negative: Array, positive: Array
) -> Array:
    """Area under each step of the curve from recall gain 0 on, where recall equals prevalence.

    Both counts grow in proportion along a step. They may be complex, for derivatives.
    """
    wanted = positive * divide(positive, positive + negative)
    least = wanted.real * (1 - ROUNDING)
    # Steps before the crossing are left out; the step with the crossing is cut.
    reached = tp_to.real >= least
    tp, tp_to = np.where(reached, tp, wanted), np.where(reached, tp_to, wanted)
    crosses = tp.real < least
    gained = np.where(crosses, tp_to - tp, 1.0)
    share = np.where(
        crosses, np.where(tp_to.real > wanted.real, (tp_to - wanted) / gained, 0.0), 1.0
    )
    tp, fp = np.where(crosses, wanted, tp), fp_to - share * (fp_to - fp)
    odds = divide(positive, negative)
    start, stop = divide(odds, tp), divide(odds, tp_to)
    return np.asarray(positive * (start - stop) * (2 - fp * start - fp_to * stop) / 2)


def _from_crossing(steps: Steps) -> tuple[Counts, int]:
    """Counts from recall gain 0 on, where recall equals prevalence, and the index of the score.

    Both counts grow in proportion between scores.
    """
    fp, tp, negative, positive = steps
    wanted = positive * (positive / (positive + negative))
    reached = tp >= wanted * (1 - ROUNDING)
    stop = int(reached.argmax()) if reached[-1] else len(tp)
    if 0 < stop < len(tp):
        gained, wrong = tp[stop] - tp[stop - 1], fp[stop] - fp[stop - 1]
        share = min((wanted - tp[stop - 1]) / gained, 1.0)
        at_tp, at_fp = tp[stop] - (1 - share) * gained, fp[stop] - (1 - share) * wrong
        tp, fp = np.append(at_tp, tp[stop:]), np.append(at_fp, fp[stop:])
    else:
        tp, fp = tp[stop:], fp[stop:]
    return Counts(tp, fp, positive - tp, negative - fp), stop - 1


# --------------------------------------------------------------------------- slopes


def auprg_slope(tally: RankTally) -> Array:
    """Derivative by row; each step also depends on the total weight of both classes."""
    fp, tp, *whole = tally.steps()

    def term(*ends: Array) -> Array:
        return gain_steps(*ends, *whole)

    slope = slope_of_sum(term, tally)
    ends = fp[:-1], tp[:-1], fp[1:], tp[1:]
    for k in range(2):
        moved = [side + 1j * STEP if i == k else side for i, side in enumerate(whole)]
        slope[k] += np.nan_to_num(gain_steps(*ends, *moved).imag / STEP).sum()
    return slope


# --------------------------------------------------------------------------- public functions


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class PrecisionRecallGainCurve(CurveResult):
    """Precision gain over recall gain, from recall gain 0 to 1.

    Parameters
    ----------
    precision_gain, recall_gain : ndarray of shape (T,)
        The first point is interpolated at recall gain 0.
    thresholds : ndarray of shape (T,)
        Lowest score predicted positive; nan for the first point.
    """

    precision_gain: Array
    recall_gain: Array
    thresholds: Array

    @property
    def area(self) -> float:
        """Area under the curve: `auprg_score`."""
        return float(trapezoid(self.precision_gain, self.recall_gain))


@document
def precision_recall_gain_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> PrecisionRecallGainCurve:
    r"""Precision gain over recall gain, for every threshold whose recall is the prevalence or more.

    .. math:: PG = \frac{P - \pi}{(1 - \pi) P}, \quad RG = \frac{R - \pi}{(1 - \pi) R}

    On this scale F1 is constant along straight lines, and lines between points mean something.

    Parameters
    ----------
    {y_true_y_score_binary}
    {score_labels}
    {score_pos_label}
    {sample_weight}

    Returns
    -------
    PrecisionRecallGainCurve
        ``precision_gain, recall_gain, thresholds``; also its ``area``. nan, with a warning,
        where a class has no rows.

    Raises
    ------
    {raises}

    References
    ----------
    Flach & Kull (2015), Advances in Neural Information Processing Systems 28, 838-846.

    Examples
    --------
    >>> from skmetrics_ext import precision_recall_gain_curve
    >>> curve = precision_recall_gain_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.recall_gain.tolist(), curve.precision_gain.tolist()
    ([0.0, 0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.5, 0.0])
    """
    options: Options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    _, tally = binary_ranking(y_true, y_score, **options, what="precision_recall_gain_curve")
    steps = tally.steps()
    if not steps.positive or not steps.negative:
        warn_undefined("Precision and recall gain are undefined: a class has no rows.")
        undefined = np.full(1, np.nan)
        return PrecisionRecallGainCurve(undefined, undefined, undefined)
    counts, start = _from_crossing(steps)
    thresholds = np.append(np.nan, tally.thresholds[start:])
    return PrecisionRecallGainCurve(
        precision_gain.spec.kernel(counts), recall_gain.spec.kernel(counts), thresholds
    )


@ranking(
    auprg,
    "The area under the precision-recall-gain curve",
    bounds=(-INFINITY, 1.0),
    slope=auprg_slope,
    ranges=Ranges("sum", gain_area, at_most_1),
)
def auprg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: CurveAverage | None = "macro",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> float | Array:
    r"""Area under the precision-recall-gain curve, from recall gain 0 to 1.

    .. math:: \int_0^1 PG \, d\,RG

    by the trapezoid rule. It is a linear function of the expected F-gain, as the area under
    the precision-recall curve is not of the expected F1.

    Parameters
    ----------
    {y_true_y_score}
    {rank_average}
    {score_labels}
    {score_pos_label}
    {sample_weight}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        At most 1; higher is better, 0 is a constant score. nan, with a warning, where a class
        has no rows.

    Raises
    ------
    {raises}

    References
    ----------
    Flach & Kull (2015), Advances in Neural Information Processing Systems 28, 838-846.

    Examples
    --------
    >>> from skmetrics_ext import auprg_score
    >>> auprg_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.25
    """
