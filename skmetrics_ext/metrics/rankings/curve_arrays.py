"""Curves over the thresholds as arrays, and the area under any of them."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext import kernels
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.rankings.ranking_kernels import from_infinity, recall_ends
from skmetrics_ext.numeric import Array, PosLabel, parts, trapezoid
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option, warn_undefined
from skmetrics_ext.validation.containers import Column
from skmetrics_ext.validation.errors import warn_user
from skmetrics_ext.validation.labels import with_weight
from skmetrics_ext.validation.rows import read_rows
from skmetrics_ext.validation.scores import score_values

# --------------------------------------------------------------------------- public functions


@document
def auc(x: Any, y: ArrayLike) -> float:
    """Area under any curve by the trapezoid rule.

    .. math:: \\sum_i (x_{i+1} - x_i) (y_i + y_{i+1}) / 2

    Parameters
    ----------
    x : array-like of shape (n_points,)
        Abscissas, all rising or all falling (neighbours may be equal). At least 2.
    y : array-like of shape (n_points,)
        Ordinates.

    Returns
    -------
    float
        In the product of both units. nan if a point is.

    Raises
    ------
    {raises}

    See Also
    --------
    roc_auc_score : The area under the ROC curve, from scores.
    pr_auc_score : Areas under the precision-recall curve, from scores.

    Examples
    --------
    >>> from skmetrics_ext import auc
    >>> auc([0, 0.5, 1], [0, 1, 1])
    0.75
    """
    (x_column, y_column), _ = read_rows(None, False, x=x, y=y)
    across, up = _coordinates(x_column), _coordinates(y_column)
    if len(across) < 2:
        raise InvalidParameterError(
            f"At least 2 points are needed to compute area under curve, but x.shape = "
            f"{across.shape}"
        )
    steps = np.diff(across)
    if (steps < 0).any() and (steps > 0).any():
        raise InvalidParameterError(
            f"x is neither increasing nor decreasing : {np.asarray(x)}. The area of labels and "
            "scores is roc_auc_score(y_true, y_score)."
        )
    return float(trapezoid(up, across) * (-1 if (steps < 0).any() else 1))


def _coordinates(column: Column) -> Array:
    is_plain = not column.is_sparse and column.categories is None
    # Plain floats are nan where a curve is undefined: so is its area.
    has_nan = is_plain and column.values.dtype.kind == "f"
    values = column.values if has_nan else score_values(column)
    values = values.astype(np.float64, copy=False)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InvalidParameterError(
            f"{column.name} should be a 1d array of numbers, got an array of shape {values.shape}."
        )
    return values


def _keywords_from_1_11(function: Callable[..., Any]) -> Callable[..., Any]:
    """Accept the last two arguments by position too, with scikit-learn's deprecation warning."""

    @functools.wraps(function)
    def called(y_true: Any, y_score: Any, *args: Any, **kwargs: Any) -> Any:
        named = dict(zip(("pos_label", "sample_weight"), args, strict=False))
        if len(args) > len(named) or named.keys() & kwargs.keys():
            raise InvalidParameterError(
                f"{function.__name__}() takes y_true, y_score, pos_label and sample_weight, each "
                "once."
            )
        if named:
            shown = ", ".join(f"{name}={value}" for name, value in named.items())
            warnings.warn(
                f"Pass {shown} as keyword args. From version 1.11 of scikit-learn passing these "
                "as positional arguments will result in an error",
                FutureWarning,
                stacklevel=2,
            )
        return function(y_true, y_score, **named, **kwargs)

    return called


@_keywords_from_1_11
@document
def confusion_matrix_at_thresholds(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> tuple[Array, Array, Array, Array, Array]:
    """True and false negatives and positives at every distinct score.

    A row is predicted positive where its score is at least the threshold.

    Parameters
    ----------
    {one_class_scores}
    {sample_weight}

    Returns
    -------
    tns, fps, fns, tps : ndarray of float64 of shape (n_thresholds,)
        Weight of the rows of each kind.
    thresholds : ndarray of shape (n_thresholds,)
        The distinct scores of rows whose weight is not 0, falling.

    Raises
    ------
    {raises}

    Examples
    --------
    >>> from skmetrics_ext import confusion_matrix_at_thresholds
    >>> tns, fps, fns, tps, thresholds = confusion_matrix_at_thresholds(
    ...     [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    ... )
    >>> fps, tps
    (array([0., 1., 1., 2.]), array([1., 1., 2., 2.]))
    """
    tally = _tally(y_true, y_score, pos_label, sample_weight, absolute=True)
    counts = tally.counts()
    # Floats, as in scikit-learn: products of four counts would not fit an integer.
    tn, fp, fn, tp = (
        part.astype(np.float64) for part in (counts.tn, counts.fp, counts.fn, counts.tp)
    )
    return tn, fp, fn, tp, tally.thresholds


@document
def roc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = True,
) -> tuple[Array, Array, Array]:
    """ROC curve: false and true positive rate at every distinct score.

    .. math:: FPR = FP / (FP + TN), \\quad TPR = TP / (TP + FN)

    Parameters
    ----------
    {one_class_scores}
    {sample_weight}
    drop_intermediate : bool, default=True
        Whether to leave out points in the middle of a straight line of two equal steps.

    Returns
    -------
    fpr, tpr : ndarray of shape (n_points,)
        Rising from 0 to 1; nan, with a warning, where there is no negative (positive) row.
    thresholds : ndarray of shape (n_points,)
        Falling; the first is infinity: no row is predicted positive.

    Raises
    ------
    {raises}

    See Also
    --------
    roc_curves : Of several classes, with their averages.

    References
    ----------
    Fawcett (2006), Pattern Recognition Letters 27(8), 861-874.

    Examples
    --------
    >>> from skmetrics_ext import roc_curve
    >>> fpr, tpr, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr, tpr
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    >>> thresholds
    array([ inf, 0.8 , 0.4 , 0.35, 0.1 ])
    """
    check_option("drop_intermediate", drop_intermediate, (True, False))
    thresholds, fp, tp = _steps(y_true, y_score, pos_label, sample_weight, drop_intermediate)
    thresholds = thresholds.astype(np.float64, copy=False)
    thresholds[0] = np.inf
    fpr, tpr = _shares_of_last(fp), _shares_of_last(tp)
    if np.isnan(fpr[0]):
        warn_undefined("No negative samples in y_true, false positive value should be meaningless")
    if np.isnan(tpr[0]):
        warn_undefined("No positive samples in y_true, true positive value should be meaningless")
    return fpr, tpr, thresholds


@document
def det_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = False,
) -> tuple[Array, Array, Array]:
    """Detection error tradeoff: false positive and false negative rate over the thresholds.

    .. math:: FPR = FP / (FP + TN), \\quad FNR = FN / (TP + FN)

    Parameters
    ----------
    {one_class_scores}
    {sample_weight}
    drop_intermediate : bool, default=False
        Whether to leave out points between the first and the last of one false negative rate.

    Returns
    -------
    fpr : ndarray of shape (n_points,)
        Falling. It begins at the largest threshold without a false negative and ends at the
        smallest without a false positive.
    fnr : ndarray of shape (n_points,)
        Rising.
    thresholds : ndarray of shape (n_points,)
        Rising; the last is infinity where every finite one has a false positive.

    Raises
    ------
    {raises}

    References
    ----------
    Martin et al. (1997), Proceedings of Eurospeech 1997, 1895-1898.

    Examples
    --------
    >>> from skmetrics_ext import det_curve
    >>> fpr, fnr, thresholds = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr, fnr, thresholds
    (array([0.5, 0.5, 0. ]), array([0. , 0.5, 0.5]), array([0.35, 0.4 , 0.8 ]))
    """
    check_option("drop_intermediate", drop_intermediate, (True, False))
    tally = _tally(y_true, y_score, pos_label, sample_weight)
    fp, tp, negative, positive = tally.steps()
    if not negative or not positive:
        raise InvalidParameterError(
            "Only one class is present in y_true. Detection error tradeoff curve is not defined "
            "in that case."
        )
    thresholds = from_infinity(tally)
    if drop_intermediate:
        kept = recall_ends(tp)
        fp, tp, thresholds = fp[kept], tp[kept], thresholds[kept]
    start = np.searchsorted(fp, 0, side="right") - 1
    stop = np.searchsorted(tp, positive) + 1
    part = slice(start, stop)
    fpr, fnr = fp[part] / negative, (positive - tp[part]) / positive
    return fpr[::-1], fnr[::-1], thresholds[part][::-1]


@document
def precision_recall_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = False,
) -> tuple[Array, Array, Array]:
    """Precision and recall at every distinct score.

    .. math:: P = TP / (TP + FP), \\quad R = TP / (TP + FN)

    Parameters
    ----------
    {one_class_scores}
    {sample_weight}
    drop_intermediate : bool, default=False
        Whether to leave out points between the first and the last of one recall.

    Returns
    -------
    precision : ndarray of shape (n_thresholds + 1,)
        At each threshold, and a last 1 for "no row is positive" (a convention for 0/0).
    recall : ndarray of shape (n_thresholds + 1,)
        Falling to that last point's 0. 1 everywhere, with a warning, where there is no
        positive row.
    thresholds : ndarray of shape (n_thresholds,)
        The distinct scores, rising.

    Raises
    ------
    {raises}

    See Also
    --------
    precision_recall_curves : Of several classes, with their averages.

    References
    ----------
    Davis & Goadrich (2006), Proceedings of the 23rd ICML, 233-240.

    Examples
    --------
    >>> from skmetrics_ext import precision_recall_curve
    >>> precision, recall, thresholds = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> precision.round(3), recall
    (array([0.5  , 0.667, 0.5  , 1.   , 1.   ]), array([1. , 1. , 0.5, 0.5, 0. ]))
    >>> thresholds
    array([0.1 , 0.35, 0.4 , 0.8 ])
    """
    check_option("drop_intermediate", drop_intermediate, (True, False))
    thresholds, fp, tp = _steps(y_true, y_score, pos_label, sample_weight, corners=False)
    thresholds = thresholds[1:]
    if drop_intermediate:
        kept = recall_ends(tp[1:])
        thresholds = thresholds[kept]
        kept = np.concatenate([[True], kept])
        fp, tp = fp[kept], tp[kept]
    precision, recall, total = fp, tp, tp[-1]  # in place, as in `_shares_of_last`
    fp[0] = 1  # replaced below; 0/0 would warn
    for part in parts(len(tp)):
        np.divide(tp[part], fp[part] + tp[part], out=precision[part])
        if total:
            np.divide(tp[part], total, out=recall[part])
    if not total:
        warn_user(NO_POSITIVE)
        recall[:] = 1.0
        recall[0] = 0.0
    precision[0] = 1.0
    return precision[::-1], recall[::-1], thresholds[::-1]


NO_POSITIVE = "No positive class found in y_true, recall is set to one for all thresholds."


def _tally(
    y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any, absolute: bool = False
) -> RankTally:
    checked = Scores.check_binary(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, absolute=absolute
    )
    return RankTally.of_marks(checked.score, checked.true, checked.weight)


def _steps(
    y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any, corners: bool
) -> tuple[Array, Array, Array]:
    """Thresholds and the weight of both classes at or above each, starting with no row."""
    options = {"pos_label": pos_label, "sample_weight": sample_weight}
    checked = with_weight(Scores.check_binary(y_true, y_score, **options))
    return kernels.ranked_steps(checked.score, checked.true, checked.weight, corners)


def _shares_of_last(steps: Array) -> Array:
    """Steps divided by the last one, in place: new memory costs as much as the division."""
    return np.divide(steps, steps[-1], out=steps) if steps[-1] else np.full_like(steps, np.nan)
