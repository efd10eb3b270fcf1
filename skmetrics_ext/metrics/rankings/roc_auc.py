"""Areas under the ROC curve: how well scores rank the rows of a class above the others."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext import kernels
from skmetrics_ext.metrics.averaging import (
    ZERO_WITHOUT_WEIGHT,
    MultiClass,
    RankAverage,
    RankKernel,
)
from skmetrics_ext.metrics.public import MULTI_CLASS, OF_AREAS, metric, one_of, ranking
from skmetrics_ext.metrics.rankings.ranking_kernels import (
    Range,
    area_up_to,
    area_within,
    corners,
    gini,
    partial_roc_auc,
    roc_auc,
    roc_auc_convex_hull,
    roc_points,
    standardized,
    standardized_up_to,
)
from skmetrics_ext.metrics.rankings.score_tally import rankings_of, read_areas
from skmetrics_ext.metrics.spec import WHOLE, Ranges
from skmetrics_ext.numeric import Array, Options, PosLabel, divide
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option, warn_undefined

UP_TO = Ranges("sum", area_up_to, standardized_up_to)


def _area_kernel(max_fpr: float | None = None) -> RankKernel:
    """The kernel of the whole area, or of the area up to a false positive rate."""
    if max_fpr is None or max_fpr == 1:
        return roc_auc
    if not 0 < max_fpr <= 1:
        raise InvalidParameterError(f"Expected max_fpr in range (0, 1], got: {max_fpr!r}")
    return partial(roc_auc, max_fpr=float(max_fpr))


def _range(name: str, given: Any) -> Range | None:
    if given is None:
        return None
    try:
        low, high = (float(bound) for bound in given)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if not 0 <= low < high <= 1:
        raise InvalidParameterError(
            f"{name} must be a pair (low, high) with 0 <= low < high <= 1, got {given!r}."
        )
    return low, high


def _only_one(params: dict[str, Any]) -> None:
    fpr_range, tpr_range = params["fpr_range"], params["tpr_range"]
    if (fpr_range is None) == (tpr_range is None):
        raise InvalidParameterError(
            "Pass exactly one of fpr_range and tpr_range, a pair (low, high); got "
            f"fpr_range={fpr_range!r} and tpr_range={tpr_range!r}."
        )


# --------------------------------------------------------------------------- slopes


def roc_auc_slope(tally: RankTally, max_fpr: float | None = None) -> Array:
    if max_fpr is not None and max_fpr != 1:
        return partial_roc_auc_slope(tally, (0.0, max_fpr))
    fp, tp, negative, positive = tally.steps()
    # Weight of the other class that a row at each score is ranked correctly against; in place, as
    # new memory takes longer than the sums.
    slope = np.array([tp[1:] + tp[:-1], fp[1:] + fp[:-1]], dtype=np.float64)
    slope *= [[0.5], [-0.5]]
    slope[1] += negative
    n_pairs = negative * positive or np.nan
    area = (tally.positive * slope[1]).sum() / n_pairs
    slope -= area * np.array([[positive], [negative]])
    slope /= n_pairs
    return slope


def gini_slope(tally: RankTally) -> Array:
    return 2 * roc_auc_slope(tally)


def partial_roc_auc_slope(
    tally: RankTally,
    fpr_range: Range | None = None,
    tpr_range: Range | None = None,
    standardize: bool = True,
) -> Array:
    fpr, tpr = roc_points(tally)
    negative, positive = tally.negative.sum(), tally.positive.sum()
    low, high = tpr_range or fpr_range or (0.0, 1.0)
    area = area_within(tally, fpr_range, tpr_range)
    if tpr_range is not None:  # the area left of the curve is lost
        along, across = _between(tpr, fpr, low, high, area)
        slope = -np.stack([divide(across, negative), divide(along, positive)])
    else:
        along, across = _between(fpr, tpr, low, high, area)
        slope = np.stack([divide(along, negative), divide(across, positive)])
    chance = (high * high - low * low) / 2
    if tpr_range is not None:
        chance = (high - low) - chance
    return slope / (2 * (high - low - chance)) if standardize else slope


def _between(x: Array, y: Array, low: float, high: float, area: Array) -> tuple[Array, Array]:
    """Contribution to the area of a row of the class along x, and of one along y.

    Rows lie anywhere on the step of their score, so means along steps are taken.
    """
    left, right, y_left, y_right = x[:-1], x[1:], y[:-1], y[1:]
    width = right - left
    start, stop = np.clip(left, low, high), np.clip(right, low, high)
    before = np.maximum(np.minimum(right, low) - left, 0.0)
    after = np.maximum(right - np.maximum(left, high), 0.0)
    y_low, y_high = np.interp([low, high], x, y)

    def height(at: Array) -> Array:
        share = np.nan_to_num(divide(at - left, width))
        return y_left * (1 - share) + y_right * share

    # Means over a step of x, and of y, cut at both ends of the range.
    cut = (start + stop) / 2 * (stop - start) + low * before + high * after
    cut = np.where(width > 0, divide(cut, width), start)
    heights = (height(start) + height(stop)) / 2 * (stop - start)
    heights = divide(heights + y_low * before + y_high * after, width)
    heights = np.where(width > 0, heights, (y_left + y_right) / 2)
    return heights - (1 - high) * y_high - low * y_low - area, high - cut - area


# --------------------------------------------------------------------------- public functions


@metric(
    roc_auc,
    undefined="a class has no rows",
    convention=ZERO_WITHOUT_WEIGHT,
    sides="either",
    slope=roc_auc_slope,
    ranges=Ranges("wins", instead=("max_fpr", UP_TO)),
    interval="logit",
)
def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: RankAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    max_fpr: float | None = None,
    multi_class: MultiClass = "raise",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
) -> float | Array:
    r"""Area under the ROC curve: chance that a positive row scores above a negative one.

    .. math:: AUC = P(s_+ > s_-) + P(s_+ = s_-) / 2

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels, or multilabel indicators.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the class; any numbers that rank (probabilities, decision values).
        For binary labels, those of the positive class, or both columns of ``predict_proba``.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        Mean over classes or outputs; "weighted" weights by support. "micro" (not for "ovo")
        pools all columns into one binary problem; "samples" is for multilabel data. None
        gives a value per class or output, or for "ovo" per pair in the order of
        ``itertools.combinations(labels, 2)``.
    {sample_weight}
    max_fpr : float in (0, 1], default=None
        Standardised partial area up to this false positive rate (McClish 1989); of each class
        or pair for multiclass labels.
    multi_class : {"raise", "ovr", "ovo"}, default="raise"
        One class against the rest, or the mean of every pair of classes (Hand & Till 2001).
        Needed for multiclass labels.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score``, in this order, sorted or not. For binary
        labels: negative, positive. The sorted classes of ``y_true`` by default.
    {either_pos_label}

    Returns
    -------
    float or ndarray
        In [0, 1]; higher is better. nan, with a warning, where a class has no rows.

    Raises
    ------
    {raises}

    References
    ----------
    Hanley & McNeil (1982), Radiology 143(1), 29-36; Hand & Till (2001), Machine Learning
    45(2), 171-186; McClish (1989), Medical Decision Making 9(3), 190-195.

    Examples
    --------
    >>> from skmetrics_ext import roc_auc_score
    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    >>> scores = [[2, 0, 1], [0, 3, 1], [1, 0, 2], [0, 1, 1]]
    >>> roc_auc_score(["a", "b", "c", "c"], scores, multi_class="ovr", average=None)
    array([1.  , 1.  , 0.75])
    """
    check_option("multi_class", multi_class, MULTI_CLASS)
    kernel = _area_kernel(max_fpr)
    options: Options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    checked = Scores.check(y_true, y_score, side="greater", **options)
    return read_areas(kernel, checked, multi_class, average)


@ranking(
    gini,
    bounds=(-1.0, 1.0),
    sides="either",
    slope=gini_slope,
    ranges=Ranges("wins"),
    interval="logit",
)
def gini_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: RankAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    multi_class: MultiClass = "raise",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
) -> float | Array:
    """Gini coefficient of a ranking, 2 AUC - 1; also Somers' D of the score given the class.

    .. math:: G = 2 \\, AUC - 1

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels, or multilabel indicators.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the class.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        As in `roc_auc_score`.
    {sample_weight}
    multi_class : {"raise", "ovr", "ovo"}, default="raise"
        As in `roc_auc_score`.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score``, in this order.
    {either_pos_label}

    Returns
    -------
    float or ndarray
        In [-1, 1]; higher is better, 0 is chance. nan, with a warning, where a class has no
        rows.

    Raises
    ------
    {raises}

    See Also
    --------
    roc_auc_score : The area that it is made of.

    References
    ----------
    Somers (1962), American Sociological Review 27(6), 799-811.

    Examples
    --------
    >>> from skmetrics_ext import gini_score
    >>> gini_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """


@metric(
    roc_auc,
    undefined="a class has no rows",
    greater_is_better=None,
    sides="either",
    ranges=Ranges("wins", instead=("max_fpr", WHOLE)),
    traits=("unlisted", "is_table"),
)
def pairwise_roc_auc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    max_fpr: float | None = None,
) -> Array:
    r"""Area of each class's scores between its rows and those of each other class.

    .. math:: A(i|j) = P(s_i(x_i) > s_i(x_j)) + P(s_i(x_i) = s_i(x_j)) / 2

    with x_i a row of class i, x_j one of class j, and s_i the column of scores of class i.
    All multiclass areas are means of these: one-vs-rest of class i is the mean of row i
    weighted by the other classes' sizes, one-vs-one of a pair is (A(i|j) + A(j|i)) / 2.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_score : array-like of shape (n_samples, n_classes)
        Scores of each class; any numbers that rank. For two classes, the scores of the second
        will do: those of the first are their negatives.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score``, in this order. The sorted classes of
        ``y_true`` by default.
    {sample_weight}
    max_fpr : float in (0, 1], default=None
        Standardised partial areas up to this false positive rate (McClish 1989).

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        A(i|j) in row i and column j, in [0, 1]; higher is better. nan on the diagonal, and,
        with a warning, where a class has no rows.

    Raises
    ------
    {raises}

    References
    ----------
    Hand & Till (2001), Machine Learning 45(2), 171-186.

    Examples
    --------
    >>> from skmetrics_ext import pairwise_roc_auc
    >>> pairwise_roc_auc(["a", "b", "c", "c"], [[2, 0, 1], [0, 3, 1], [1, 0, 2], [0, 1, 1]])
    array([[ nan, 1.  , 1.  ],
           [1.  ,  nan, 1.  ],
           [0.75, 0.75,  nan]])
    """
    kernel = _area_kernel(max_fpr)
    checked = Scores.check(
        y_true, y_score, labels=labels, sample_weight=sample_weight, what="pairwise_roc_auc"
    )
    if checked.kind == "multilabel-indicator":
        raise InvalidParameterError(
            "multilabel-indicator format is not supported: pairwise areas need one label a row."
        )
    areas = rankings_of(checked).pairs(kernel)
    undefined = np.isnan(areas)
    np.fill_diagonal(undefined, False)
    if undefined.any():
        rows = kernels.bin_sums(checked.true, len(checked.classes), checked.weight)
        warn_undefined(
            "Pairwise areas are undefined and set to nan for the classes without rows: "
            f"{checked.classes[rows == 0].tolist()}."
        )
    return areas


@ranking(
    partial_roc_auc,
    checks={"fpr_range": _range, "tpr_range": _range, "standardize": one_of(True, False)},
    together=_only_one,
    variants={**OF_AREAS, "": {"fpr_range": (0.0, 0.1)}},
    slope=partial_roc_auc_slope,
    ranges=Ranges("sum", area_within, standardized),
)
def partial_roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    fpr_range: tuple[float, float] | None = None,
    tpr_range: tuple[float, float] | None = None,
    standardize: bool = True,
    average: RankAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    multi_class: MultiClass = "raise",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
) -> float | Array:
    r"""Partial area under the ROC curve, within a range of either rate.

    .. math:: A = \int_a^b TPR \, d FPR \quad \text{or} \quad A = \int_a^b (1 - FPR) \, d TPR

    standardised to (1 + (A - m) / (M - m)) / 2, with m the area under the diagonal within the
    range and M = b - a, so that chance is 1/2 and perfect is 1.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels, or multilabel indicators.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the class.
    fpr_range : (float, float), default=None
        From a to b, 0 <= a < b <= 1: the range of false positive rates (1 - specificity).
    tpr_range : (float, float), default=None
        The range of true positive rates (sensitivity). Exactly one of the two is given.
    standardize : bool, default=True
        Whether to give the standardised area; the plain one otherwise.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        As in `roc_auc_score`.
    {sample_weight}
    multi_class : {"raise", "ovr", "ovo"}, default="raise"
        As in `roc_auc_score`: of one class against the rest, or of pairs of classes.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score``, in this order.
    {score_pos_label}

    Returns
    -------
    float or ndarray
        In [0, b - a], or at most 1 when standardised, and then at least 0 for a range that
        begins at a false positive rate of 0; higher is better. nan, with a warning, where a
        class has no rows.

    Raises
    ------
    {raises}

    References
    ----------
    McClish (1989), Medical Decision Making 9(3), 190-195; Jiang, Metz & Nishikawa (1996),
    Radiology 201(3), 745-750 (range of true positive rates).

    Examples
    --------
    >>> from skmetrics_ext import partial_roc_auc_score
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> partial_roc_auc_score(y_true, y_score, fpr_range=(0, 0.5), standardize=False)
    0.25
    >>> partial_roc_auc_score(y_true, y_score, tpr_range=(0.5, 1), standardize=False)
    0.25
    """


@ranking(
    roc_auc_convex_hull,
    bounds=(0.5, 1.0),
    sides="either",
    ranges=Ranges("places", corners),
    interval="biased",
)
def roc_auc_convex_hull_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: RankAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    multi_class: MultiClass = "raise",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
) -> float | Array:
    r"""Area under the convex hull of the ROC curve.

    .. math:: A = \int_0^1 H(x) \, dx

    with H the least concave function that is nowhere below the curve.

    The hull is the best that can be had from the scores by choosing thresholds, at random
    between two where that helps: the ROC curve after isotonic calibration.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels, or multilabel indicators.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the class.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        As in `roc_auc_score`.
    {sample_weight}
    multi_class : {"raise", "ovr", "ovo"}, default="raise"
        As in `roc_auc_score`.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score``, in this order.
    {either_pos_label}

    Returns
    -------
    float or ndarray
        In [1/2, 1]; higher is better. At least `roc_auc_score`. nan, with a warning, where a
        class has no rows.

    Raises
    ------
    {raises}

    References
    ----------
    Provost & Fawcett (2001), Machine Learning 42(3), 203-231; Fawcett & Niculescu-Mizil (2007),
    Machine Learning 68(1), 97-106.

    Examples
    --------
    >>> from skmetrics_ext import roc_auc_convex_hull_score
    >>> roc_auc_convex_hull_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.875
    """
