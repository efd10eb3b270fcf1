"""Accuracy, error rate, and the confusion matrix."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.public import metric
from skmetrics_ext.metrics.spec import INFINITY
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import ConfusionTally, Counts, Tabulated
from skmetrics_ext.validation import InvalidParameterError, Labels, check_option
from skmetrics_ext.validation.errors import warn_user

# --------------------------------------------------------------------------- kernels


def accuracy(hits: Counts, normalize: bool = True) -> Array:
    """Share, or weight, of the rows predicted correctly."""
    right = hits.tp[..., 0]
    return divide(right, hits.true[..., 0]) if normalize else right


def error(hits: Counts, normalize: bool = True) -> Array:
    """Share, or weight, of the rows predicted wrongly."""
    wrong = hits.fn[..., 0]
    return divide(wrong, hits.true[..., 0]) if normalize else wrong


def normalized(tally: Tabulated, normalize: str | None = None) -> Array:
    """Table divided by the sums of its rows, columns or all cells; 0 if a sum is 0."""
    if normalize is None:
        return tally.table
    axis: Any = {"true": -1, "pred": -2, "all": (-1, -2)}[normalize]
    shares = divide(tally.table, tally.table.sum(axis=axis, keepdims=True))
    return np.nan_to_num(shares, nan=0.0)


# --------------------------------------------------------------------------- public functions


def _hits(y_true: Any, y_pred: Any, sample_weight: Any, normalize: bool = True) -> Counts:
    check_option("normalize", normalize, (True, False))
    options = {"sample_weight": sample_weight, "absolute": not normalize}
    return Counts.from_hits(Labels.check(y_true, y_pred, **options))


@metric(accuracy, reads="hits", interval="wilson")
def accuracy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Accuracy: share of the rows predicted right.

    For multilabel data a row is right when all its outputs are (subset accuracy).

    .. math:: A = \\sum_k TP_k / n

    Parameters
    ----------
    {y_true_y_pred_multilabel}
    {normalize}
    {sample_weight}

    Returns
    -------
    float
        In [0, 1], or the weight of the right rows; higher is better.

    Raises
    ------
    {raises}

    References
    ----------
    Sokolova & Lapalme (2009), Information Processing & Management 45(4), 427-437.

    Examples
    --------
    >>> from skmetrics_ext import accuracy_score
    >>> accuracy_score(["a", "b", "c", "c"], ["a", "b", "c", "b"])
    0.75
    """
    hits = _hits(y_true, y_pred, sample_weight, normalize)
    return float(accuracy(hits, normalize))


@metric(error, reads="hits", greater_is_better=False, interval="wilson")
def zero_one_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Zero-one loss: share or number of the rows predicted wrong.

    For multilabel data a row is wrong when any of its outputs is.

    .. math:: L = 1 - \\sum_k TP_k / n

    Parameters
    ----------
    {y_true_y_pred_multilabel}
    {normalize}
    {sample_weight}

    Returns
    -------
    float
        In [0, 1], or the weight of the wrong rows; lower is better.

    Raises
    ------
    {raises}

    References
    ----------
    Hastie, Tibshirani & Friedman (2009), The Elements of Statistical Learning, section 2.4.

    Examples
    --------
    >>> from skmetrics_ext import zero_one_loss
    >>> zero_one_loss([1, 2, 3, 4], [1, 2, 3, 3], normalize=False)
    1.0
    """
    hits = _hits(y_true, y_pred, sample_weight, normalize)
    return float(error(hits, normalize))


@metric(error, reads="hits", greater_is_better=False, interval="wilson")
def error_rate(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Error rate: share of the rows predicted wrong, 1 - accuracy.

    .. math:: E = 1 - \\sum_k TP_k / n

    Parameters
    ----------
    {y_true_y_pred_multilabel}
    {sample_weight}

    Returns
    -------
    float
        In [0, 1]; lower is better.

    Raises
    ------
    {raises}

    See Also
    --------
    zero_one_loss : scikit-learn's name for it; also gives the number of errors.

    References
    ----------
    Duda, Hart & Stork (2001), Pattern Classification, section 2.3.

    Examples
    --------
    >>> from skmetrics_ext import error_rate
    >>> error_rate(["a", "b", "c", "c"], ["a", "b", "c", "b"])
    0.25
    """
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight)
    if y_true is not y_pred:
        checked.sharing_classes()
    return float(error(_hits(checked, checked, None)))


@metric(
    normalized, reads="table", traits=("is_table",), bounds=(0.0, INFINITY), greater_is_better=None
)
def confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    normalize: Literal["true", "pred", "all"] | None = None,
) -> Array:
    r"""Confusion matrix: weight of every pair of true and predicted class.

    .. math:: C_{kl} = \sum_i w_i \, [y_i = k] \, [\hat y_i = l]

    Parameters
    ----------
    {y_true_y_pred}
    labels : array-like of shape (n_classes,), default=None
        The classes and their order; rows with any other class are left out. All that occur,
        sorted, by default; an order that categoricals declare does not count here.
    {sample_weight}
    normalize : {"true", "pred", "all"} or None, default=None
        Divide by the sum of each row (true class), each column (predicted class) or all
        cells; a sum of 0 gives 0.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Rows are the true class, columns the predicted. int64 without weights or with integer
        ones, else float64.

    Raises
    ------
    {raises}

    References
    ----------
    Stehman (1997), Remote Sensing of Environment 62(1), 77-89.

    Examples
    --------
    >>> from skmetrics_ext import confusion_matrix
    >>> confusion_matrix(["cat", "ant", "cat"], ["ant", "ant", "cat"])
    array([[1, 0],
           [1, 1]])
    """
    check_option("normalize", normalize, ("true", "pred", "all", None))
    checked = Labels.check(
        y_true, y_pred, sample_weight=sample_weight, absolute=normalize is None
    ).single_label("a confusion matrix")
    tally = ConfusionTally.from_labels(checked.restrict(labels))
    if labels is not None and not np.isin(checked.positions(labels), checked.true).any():
        raise InvalidParameterError(
            "At least one label specified must be in y_true; none of labels="
            f"{tally.classes[:10].tolist()} is."
        )
    if tally.table.shape == (1, 1):
        warn_user(
            "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have "
            "the correct shape, use the 'labels' parameter to pass all known labels."
        )
    return normalized(tally, normalize)
