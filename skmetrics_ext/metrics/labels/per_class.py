"""Several numbers of one count: tables per class, precision with recall and F, the report."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import (
    ClassAverage,
    ZeroDivision,
    check_average,
    check_zero_division,
)
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels.combined_rates import check_beta
from skmetrics_ext.metrics.labels.rates import f1_score, fbeta, precision_score, recall_score
from skmetrics_ext.metrics.public import counted
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import Counts
from skmetrics_ext.validation import InvalidParameterError, Labels


@document
def multilabel_confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    labels: Any = None,
    samplewise: bool = False,
) -> Array:
    """One-vs-rest confusion matrix of each class, output or row.

    Parameters
    ----------
    {y_true_y_pred_multilabel}
    {sample_weight}
    {labels}
    samplewise : bool, default=False
        One table per row of multilabel data.

    Returns
    -------
    ndarray of shape (n_classes, 2, 2) or (n_samples, 2, 2)
        [[TN, FP], [FN, TP]] each; int64 without weights or with integer ones, else float64.

    Raises
    ------
    {raises}

    References
    ----------
    Sokolova & Lapalme (2009), Information Processing & Management 45(4), 427-437.

    Examples
    --------
    >>> from skmetrics_ext import multilabel_confusion_matrix
    >>> multilabel_confusion_matrix(["a", "b", "b"], ["a", "a", "b"])[0]
    array([[1, 1],
           [0, 1]])
    """
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight, absolute=True)
    positions = checked.positions(labels, once=True)
    if samplewise:
        counts = Counts.from_outputs(checked.outputs(positions))
    else:
        counts = Counts.from_labels(checked).select(positions)
    tables = np.stack([counts.tn, counts.fp, counts.fn, counts.tp], axis=-1)
    return tables.reshape(-1, 2, 2)


@document
def precision_recall_fscore_support(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float = 1.0,
    labels: Any = None,
    pos_label: Any = 1,
    average: ClassAverage | None = None,
    warn_for: Iterable[str] = ("precision", "recall", "f-score"),
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> tuple[Any, Any, Any, Any]:
    """Precision, recall, F-score and support, from one count.

    Parameters
    ----------
    {y_true_y_pred_multilabel}
    beta : float, default=1.0
        How many times as important recall is as precision, from 0 to infinity.
    {labels}
    {pos_label_1}
    average : {"binary", "micro", "macro", "weighted", "samples"} or None, default=None
        As in `f1_score`; None gives one value per class.
    warn_for : list, tuple or set of str
        Which of "precision", "recall" and "f-score" warn where they are 0/0.
    {sample_weight}
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        Value where a rate is 0/0.

    Returns
    -------
    precision, recall, fscore : float or ndarray of shape (n_classes,)
        In [0, 1].
    support : ndarray of shape (n_classes,) or None
        Weight of the rows of each class; None for an average.

    Raises
    ------
    {raises}

    References
    ----------
    van Rijsbergen (1979), Information Retrieval, chapter 7.

    Examples
    --------
    >>> from skmetrics_ext import precision_recall_fscore_support
    >>> precision_recall_fscore_support([0, 1, 1], [0, 0, 1], average="macro")[:2]
    (0.75, 0.75)
    """
    check_zero_division(zero_division)
    check_average(average)
    check_beta(beta)
    if not isinstance(warn_for, Iterable):
        raise InvalidParameterError(
            f"warn_for has to be a list, tuple or set of names, got {warn_for!r}."
        )
    plan = counted(
        y_true,
        y_pred,
        precision_score.spec.title,
        labels=labels,
        pos_label=pos_label,
        average=average,
        sample_weight=sample_weight,
    )
    rates = (
        (precision_score, "precision", None),
        (recall_score, "recall", None),
        (f1_score, "f-score", partial(fbeta, beta=beta)),
    )
    precision, recall, fscore = (
        rate.read(plan, _silent(zero_division, name in warn_for), kernel)
        for rate, name, kernel in rates
    )
    if average is not None:
        return precision, recall, fscore, None
    return precision, recall, fscore, support(y_true, y_pred, labels, sample_weight, plan.counts)


def _silent(zero_division: Any, told: bool) -> Any:
    """What stands for 0/0 where it need not be told."""
    return zero_division if told or not isinstance(zero_division, str) else 0.0


def support(y_true: Any, y_pred: Any, labels: Any, sample_weight: Any, counts: Counts) -> Array:
    """Weight of the rows of each class, in the unit of the weights that the caller gave.

    Those of ``counts``, of which rates are made, may have been scaled.
    """
    if sample_weight is None:
        return counts.true
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight, absolute=True)
    return Counts.from_labels(checked).select(checked.positions(labels)).true
