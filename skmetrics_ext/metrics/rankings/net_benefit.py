"""Decision curves: the net benefit of acting at a threshold probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import CurveAverage
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.public import at_percents, number_in, one_of, ranking
from skmetrics_ext.metrics.rankings.ranking_kernels import around
from skmetrics_ext.metrics.rankings.score_tally import binary_ranking
from skmetrics_ext.metrics.spec import INFINITY, Ranges
from skmetrics_ext.numeric import Array, Options, PosLabel, divide
from skmetrics_ext.result_bases import CurveResult
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option, warn_undefined
from skmetrics_ext.validation.containers import read_numbers
from skmetrics_ext.validation.parameters import check_interval

# Rounding in a softmax stays well inside this.
_RANGE_TOLERANCE = 1e-8

# --------------------------------------------------------------------------- kernels


def benefit(
    tally: RankTally, threshold: Any, prevalence: float | None = None, standardized: bool = False
) -> Array:
    """True positives minus false ones at the odds of the threshold, per row; (..., thresholds).

    Standardised, it is per positive row, so that the maximum is 1.
    """
    fp, tp, negative, positive = tally.steps()
    # Number of distinct scores that reach the threshold; a tally's thresholds fall.
    reached = np.searchsorted(-tally.thresholds, -np.asarray(threshold), side="right")
    tp, fp = tp[..., reached], fp[..., reached]
    extra = (1,) * np.ndim(threshold)
    positive, negative = (total.reshape(total.shape + extra) for total in (positive, negative))
    odds = np.asarray(threshold) / (1 - np.asarray(threshold))
    if prevalence is None:
        return divide(tp - odds * fp, positive if standardized else positive + negative)
    value = prevalence * divide(tp, positive) - (1 - prevalence) * odds * divide(fp, negative)
    return divide(value, prevalence) if standardized else value


def benefit_shares(
    tally: RankTally, threshold: float, prevalence: float | None = None, standardized: bool = False
) -> tuple[Array, Array, Array, bool] | None:
    """Shares of rows that the benefit is linear in: numerators, denominators and factors.

    The last value says whether all are shares of the same rows. None per positive row, whose
    number is random too.
    """
    reached = tally.thresholds >= threshold
    treated = tally.mass[:, reached].sum(axis=-1, dtype=np.float64)  # false ones, then true ones
    odds, of_class = threshold / (1 - threshold), tally.mass.sum(axis=-1, dtype=np.float64)
    if prevalence is None and standardized:
        return None
    if prevalence is None:
        return treated, np.full(2, of_class.sum()), np.array([-odds, 1.0]), True
    factors = np.array([-(1 - prevalence) * odds, prevalence])
    return treated, of_class, factors / prevalence if standardized else factors, False


def benefit_of_all(tally: RankTally, threshold: Any, prevalence: float | None = None) -> Array:
    """Net benefit if every row is predicted positive."""
    positive, negative = tally.positive.sum(axis=-1), tally.negative.sum(axis=-1)
    share = divide(positive, positive + negative) if prevalence is None else np.asarray(prevalence)
    odds = np.asarray(threshold) / (1 - np.asarray(threshold))
    share = share.reshape(share.shape + (1,) * np.ndim(threshold))
    return np.asarray(share - (1 - share) * odds)


def around_threshold(stretch: RankTally, threshold: float) -> Array:
    """Indexes of the scores around the threshold."""
    return around(int(np.searchsorted(-stretch.thresholds, -threshold, side="right")))


# --------------------------------------------------------------------------- checks


def _check_probabilities(scores: Scores) -> None:
    low, high = float(scores.score.min()), float(scores.score.max())
    if low < -_RANGE_TOLERANCE or high > 1 + _RANGE_TOLERANCE:
        raise InvalidParameterError(
            f"y_score must hold probabilities, for a threshold is one: found {low:g} to {high:g}, "
            "accepted are numbers in [0, 1]."
        )


def _check_prevalence(name: str, prevalence: Any) -> float | None:
    return None if prevalence is None else check_interval(name, prevalence, "[0, 1]")


def _check_thresholds(thresholds: Any) -> Array:
    values = read_numbers("thresholds", thresholds)
    if values.ndim != 1 or values.size == 0 or not ((values >= 0) & (values < 1)).all():
        raise InvalidParameterError(
            f"thresholds has to be a 1-D array of numbers in [0, 1), got {thresholds!r}."
        )
    return values


# --------------------------------------------------------------------------- slopes


def benefit_slope(
    tally: RankTally, threshold: float, prevalence: float | None = None, standardized: bool = False
) -> Array:
    inside = np.where(tally.thresholds >= threshold, 1.0, 0.0)
    odds = threshold / (1 - threshold)
    negative, positive = tally.negative.sum(), tally.positive.sum()
    fp, tp = (tally.negative * inside).sum(), (tally.positive * inside).sum()
    if prevalence is None:
        # A negative row changes the number of rows, but not that of the positive ones.
        rows = positive if standardized else positive + negative
        value = divide(tp - odds * fp, rows)
        of_negative = -odds * inside - (0.0 if standardized else value)
        return np.stack([divide(of_negative, rows), divide(inside - value, rows)])
    of_positive = prevalence * divide(inside - divide(tp, positive), positive)
    of_negative = (1 - prevalence) * odds * divide(divide(fp, negative) - inside, negative)
    slope = np.stack([of_negative, of_positive])
    return divide(slope, prevalence) if standardized else slope


# --------------------------------------------------------------------------- public functions


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class NetBenefitCurve(CurveResult):
    """Net benefit of a model, and of treating all, at each threshold probability.

    Parameters
    ----------
    thresholds : ndarray of shape (T,)
        Probabilities from which on a row is treated.
    net_benefit : ndarray of shape (T,)
        True positives per row minus false positives at the odds of the threshold.
    treat_all : ndarray of shape (T,)
        Net benefit if every row is treated; treating none has 0.
    prevalence : float
        Share of the positives: the net benefit of a perfect model.
    standardized : bool, default=False
        Whether the net benefits are divided by the prevalence, so that a perfect model has 1.
    """

    thresholds: Array
    net_benefit: Array
    treat_all: Array
    prevalence: float
    standardized: bool = False

    @property
    def interventions_avoided(self) -> Array:
        """Unnecessary treatments avoided per row, against treating all."""
        gain = self.net_benefit - self.treat_all
        gain = gain * self.prevalence if self.standardized else gain
        return divide(gain * (1 - self.thresholds), self.thresholds)


@ranking(
    benefit,
    "Net benefit",
    checks={
        "threshold": number_in("[0, 1)"),
        "prevalence": _check_prevalence,
        "standardized": one_of(True, False),
    },
    scores=_check_probabilities,
    bounds=(-INFINITY, 1.0),
    scorer="net_benefit_at",
    variants=at_percents("threshold", 50, 5, 10, 20),
    traits=("takes_probabilities",),
    check=Scores.check,
    slope=benefit_slope,
    ranges=Ranges("places", around_threshold),
    shares=benefit_shares,
)
def net_benefit(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    threshold: Any,
    prevalence: float | None = None,
    standardized: bool = False,
    average: CurveAverage | None = "macro",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> float | Array:
    r"""Net benefit of treating the rows whose probability reaches a threshold.

    .. math:: \frac{TP}{n} - \frac{FP}{n} \frac{t}{1 - t}

    The threshold says at which probability treating and not treating are worth the same, so
    that its odds are the harm of a false positive in units of the good of a true one.

    Parameters
    ----------
    {y_true_y_proba_positive}
    threshold : float in [0, 1)
        Threshold probability; rows with at least so much are treated.
    prevalence : float in [0, 1], default=None
        Share of the positives where the model is to be used, for case-control data. That of
        the data by default.
    standardized : bool, default=False
        Whether to divide by the prevalence, so that the greatest net benefit is 1 (Kerr et al.
        2016).
    {rank_average}
    {score_labels}
    {score_pos_label}
    {sample_weight}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        At most the prevalence, or 1 where standardized; higher is better, 0 is treating none. With
        ``prevalence`` nan, with a warning, where a class has no rows.

    Raises
    ------
    ValueError
        If ``y_score`` leaves [0, 1], or an argument is not one of those accepted; the message
        names it.

    References
    ----------
    Vickers & Elkin (2006), Medical Decision Making 26(6), 565-574; Kerr et al. (2016), Journal of
    Clinical Oncology 34(21), 2534-2540.

    Examples
    --------
    >>> from skmetrics_ext import net_benefit
    >>> net_benefit([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.8], threshold=0.5)
    0.0
    >>> net_benefit([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.8], threshold=0.2)
    0.4375
    """


@document
def net_benefit_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    thresholds: ArrayLike | None = None,
    prevalence: float | None = None,
    standardized: bool = False,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> NetBenefitCurve:
    r"""Decision curve: net benefit over the threshold probability, next to treating all.

    .. math:: t \mapsto \frac{TP}{n} - \frac{FP}{n} \frac{t}{1 - t}

    Parameters
    ----------
    {y_true_y_proba_positive}
    thresholds : array-like of shape (T,), default=None
        Threshold probabilities in [0, 1). 0.01, 0.02, ..., 0.99 by default.
    prevalence : float in [0, 1], default=None
        Share of the positives where the model is to be used, for case-control data. That of
        the data by default.
    standardized : bool, default=False
        Whether to divide by the prevalence, so that the greatest net benefit is 1 (Kerr et al.
        2016).
    {score_labels}
    {score_pos_label}
    {sample_weight}

    Returns
    -------
    NetBenefitCurve
        ``thresholds, net_benefit, treat_all``; also ``interventions_avoided``.

    Raises
    ------
    ValueError
        If ``y_score`` leaves [0, 1], or an argument is not one of those accepted; the message
        names it.

    References
    ----------
    Vickers & Elkin (2006), Medical Decision Making 26(6), 565-574; Kerr et al. (2016), Journal of
    Clinical Oncology 34(21), 2534-2540.

    Examples
    --------
    >>> from skmetrics_ext import net_benefit_curve
    >>> y, p = [0, 0, 1, 1], [0.1, 0.6, 0.4, 0.8]
    >>> net_benefit_curve(y, p, thresholds=[0.2, 0.5]).treat_all
    array([0.375, 0.   ])
    """
    grid = np.arange(1, 100) / 100 if thresholds is None else thresholds
    grid = _check_thresholds(grid)
    share = _check_prevalence("prevalence", prevalence)
    options: Options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    checked, tally = binary_ranking(y_true, y_score, **options, what="net_benefit_curve")
    _check_probabilities(checked)
    check_option("standardized", standardized, (True, False))
    curve = benefit(tally, grid, share, standardized)
    if np.isnan(curve).any():
        warn_undefined("Net benefit is undefined and nan: a class has no rows.")
    if share is None:
        share = float(tally.positive.sum() / (tally.positive.sum() + tally.negative.sum()))
    of_all = benefit_of_all(tally, grid, share)
    of_all = divide(of_all, share) if standardized else of_all
    return NetBenefitCurve(grid, curve, of_all, share, standardized)
