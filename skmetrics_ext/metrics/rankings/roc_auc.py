"""Areas under the ROC curve: how well scores rank the rows of a class above the others."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext import kernels
from skmetrics_ext.metrics.averaging import MultiClass, RankAverage, RankKernel
from skmetrics_ext.metrics.public import MULTI_CLASS, metric, ranking
from skmetrics_ext.metrics.rankings.partial_auc import partial_roc_auc_slope
from skmetrics_ext.metrics.rankings.ranking_kernels import (
    area_up_to,
    gini,
    roc_auc,
    standardized_up_to,
)
from skmetrics_ext.metrics.rankings.score_tally import rankings_of, read_areas
from skmetrics_ext.metrics.spec import WHOLE, Ranges
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option, warn_undefined

UP_TO = Ranges("sum", area_up_to, standardized_up_to)


def _area_kernel(max_fpr: float | None = None) -> RankKernel:
    """The whole area, or the part of it up to a false positive rate."""
    if max_fpr is None or max_fpr == 1:
        return roc_auc
    if not 0 < max_fpr <= 1:
        raise InvalidParameterError(f"Expected max_fpr in range (0, 1], got: {max_fpr!r}")
    return partial(roc_auc, max_fpr=float(max_fpr))


# --------------------------------------------------------------------------- slopes


def roc_auc_slope(tally: RankTally, max_fpr: float | None = None) -> Array:
    if max_fpr is not None and max_fpr != 1:
        return partial_roc_auc_slope(tally, (0.0, max_fpr))
    fp, tp, negative, positive = tally.steps()
    # Weight of the other class that a row at each score is on the right side of.
    beaten = np.stack([(tp[1:] + tp[:-1]) / 2, negative - (fp[1:] + fp[:-1]) / 2])
    area = divide((tally.positive * beaten[1]).sum(), negative * positive)
    expected = area * np.array([[positive], [negative]])
    return divide(beaten - expected, negative * positive)


def gini_slope(tally: RankTally) -> Array:
    return 2 * roc_auc_slope(tally)


# --------------------------------------------------------------------------- public functions


@metric(
    roc_auc,
    undefined="a class has no rows",
    sides="either",
    slope=roc_auc_slope,
    ranges=Ranges("wins", instead=("max_fpr", UP_TO)),
    interval_scale="logit",
)
def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: RankAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    max_fpr: float | None = None,
    multi_class: MultiClass = "raise",
    labels: Any = None,
    pos_label: Any = None,
) -> Any:
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
    options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    checked = Scores.check(y_true, y_score, side="greater", **options)
    return read_areas(kernel, checked, multi_class, average)


@ranking(
    gini,
    bounds=(-1.0, 1.0),
    sides="either",
    slope=gini_slope,
    ranges=Ranges("wins"),
    interval_scale="logit",
)
def gini_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: RankAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    multi_class: MultiClass = "raise",
    labels: Any = None,
    pos_label: Any = None,
) -> Any:
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
    traits=("unlisted",),
)
def pairwise_roc_auc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    labels: Any = None,
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
