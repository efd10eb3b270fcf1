"""Numbers made of several rates: balanced accuracy, F of averages, mean tables."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import (
    Mean,
    ZeroDivision,
    averaged,
    check_zero_division,
    mean_of_classes,
)
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels import rate_kernels
from skmetrics_ext.metrics.labels.fbeta import check_beta
from skmetrics_ext.metrics.labels.rate_function import counted, mean_of
from skmetrics_ext.metrics.labels.rates import precision_score, recall_score
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import Counts, LabelTally
from skmetrics_ext.validation import Labels, check_option
from skmetrics_ext.validation.errors import warn_user

# --------------------------------------------------------------------------- kernels


def balanced_accuracy(counts: Counts, adjusted: bool = False) -> Array:
    """Mean recall of the classes that have rows, over the last axis."""
    score = mean_of_classes(rate_kernels.recall(counts))
    if not adjusted:
        return score
    chance = divide(1, (counts.true != 0).sum(axis=-1))
    return divide(score - chance, 1 - chance)


def fbeta_of_averages(mean: Mean, beta: float = 1.0) -> Array:
    """F of the mean precision and the mean recall; 0 where both are."""
    precision, recall = mean(rate_kernels.precision), mean(rate_kernels.recall)
    square = float(beta) * float(beta)
    if np.isinf(square):
        return recall
    top = (1 + square) * precision * recall
    return np.where(top == 0, 0.0, divide(top, square * precision + recall))


def largest_class(counts: Counts) -> Array:
    return divide(counts.true.max(axis=-1), counts.true.sum(axis=-1))


def mean_table(mean: Mean) -> Array:
    """Mean of the one-vs-rest tables [[TN, FP], [FN, TP]] of the classes."""
    means = [mean(attrgetter(part)) for part in ("tn", "fp", "fn", "tp")]
    return np.stack(means, axis=-1).reshape(*means[0].shape, 2, 2)


# --------------------------------------------------------------------------- public functions


@document
def balanced_accuracy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    adjusted: bool = False,
) -> float:
    r"""Balanced accuracy: mean recall of the classes.

    .. math:: BA = \frac{1}{K} \sum_k TP_k / (TP_k + FN_k)

    Parameters
    ----------
    {y_true_y_pred}
    {sample_weight}
    adjusted : bool, default=False
        Rescale so that chance, 1/K, is 0 and perfect is 1.

    Returns
    -------
    float
        In [0, 1], or [1 / (1 - K), 1] when adjusted; higher is better. Classes that are
        only predicted have no recall and are left out, with a warning.

    Raises
    ------
    {raises}

    References
    ----------
    Brodersen et al. (2010), Proceedings of the 20th ICPR, 3121-3124.

    Examples
    --------
    >>> from skmetrics_ext import balanced_accuracy_score
    >>> balanced_accuracy_score([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    check_option("adjusted", adjusted, (True, False))
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight)
    counts = Counts.from_labels(checked.single_label("balanced accuracy"))
    if not counts.true.all():
        warn_user("y_pred contains classes not in y_true")
    return float(balanced_accuracy(counts, adjusted))


@document
def fbeta_of_averages_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float = 1.0,
    labels: Any = None,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> float:
    r"""F of averages: harmonic mean of macro-precision and macro-recall.

    .. math:: F = (1 + \beta^2) \bar P \bar R / (\beta^2 \bar P + \bar R)

    It is at least as large as the macro-average of F1 (`f1_score` with ``average="macro"``),
    often larger, and both go by the name macro-F1.

    Parameters
    ----------
    {y_true_y_pred_multilabel}
    beta : float, default=1.0
        How many times as important recall is as precision, from 0 to infinity.
    {labels}
    {sample_weight}
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        Value of the precision or recall of a class that is 0/0; nan leaves it out.

    Returns
    -------
    float
        In [0, 1]; higher is better.

    Raises
    ------
    {raises}

    References
    ----------
    Sokolova & Lapalme (2009), Information Processing & Management 45(4), 427-437; Opitz &
    Burst (2019), "Macro F1 and Macro F1", arXiv:1911.03347.

    Examples
    --------
    >>> from skmetrics_ext import f1_score, fbeta_of_averages_score
    >>> round(fbeta_of_averages_score([1, 2, 3], [1, 1, 3], zero_division=0), 6)  # 4/7
    0.571429
    >>> round(f1_score([1, 2, 3], [1, 1, 3], average="macro", zero_division=0), 6)  # 5/9
    0.555556
    """
    check_zero_division(zero_division)
    check_beta(beta)
    plan = counted(
        y_true,
        y_pred,
        "F of averages",
        labels=labels,
        average="macro",
        sample_weight=sample_weight,
    )
    mean = mean_of(plan, zero_division, precision_score.rate, recall_score.rate)
    return float(fbeta_of_averages(mean, beta))


@document
def averaged_confusion(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Any = None,
    sample_weight: ArrayLike | None = None,
) -> Array:
    r"""Mean of the one-vs-rest tables of the classes: micro-averaged rates follow from it.

    .. math:: M = \frac{1}{K} \sum_k \begin{pmatrix} TN_k & FP_k \\ FN_k & TP_k \end{pmatrix}

    Parameters
    ----------
    {y_true_y_pred_multilabel}
    {labels}
    {sample_weight}

    Returns
    -------
    ndarray of shape (2, 2)
        [[TN, FP], [FN, TP]], means over the classes.

    Raises
    ------
    {raises}

    References
    ----------
    Sokolova & Lapalme (2009), Information Processing & Management 45(4), 427-437.

    Examples
    --------
    >>> from skmetrics_ext import averaged_confusion
    >>> averaged_confusion(["a", "b"], ["a", "a"])
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight, absolute=True)
    return mean_table(averaged(LabelTally(checked), labels, average="macro").read)


@document
def no_information_rate(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    r"""No-information rate: the accuracy of always predicting the most frequent class.

    .. math:: \max_k n_k / n

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels; checked, not used.
    {sample_weight}

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    {raises}

    References
    ----------
    Kuhn (2008), Journal of Statistical Software 28(5), 1-26.

    Examples
    --------
    >>> from skmetrics_ext import no_information_rate
    >>> no_information_rate(["a", "b", "b", "b"], ["a", "b", "b", "a"])
    0.75
    """
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight)
    counts = Counts.from_labels(checked.single_label("the no-information rate"))
    return float(largest_class(counts))
