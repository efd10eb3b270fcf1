"""Scores for classes of very different size: geometric means, index of balanced accuracy."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from skmetrics_ext.metrics.averaging import AveragePlan, check_zero_division
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels import rate_kernels
from skmetrics_ext.metrics.labels.rates import (
    f1_score,
    precision_score,
    recall_score,
    specificity_score,
)
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import Counts
from skmetrics_ext.validation import InvalidParameterError, check_option

# --------------------------------------------------------------------------- kernels


def recall_geometric_mean(counts: Counts, correction: float = 0.0) -> Array:
    """K-th root of the product of the recalls, over the last axis."""
    recalls = rate_kernels.recall(counts)
    recalls = np.where(recalls == 0, correction, recalls)
    return np.asarray(np.prod(recalls ** (1 / recalls.shape[-1]), axis=-1))


def index_balanced_accuracy(counts: Counts, alpha: float = 0.1) -> Array:
    """Of the squared geometric mean, per class."""
    sensitivity, specificity = rate_kernels.recall(counts), rate_kernels.specificity(counts)
    return (1 + alpha * (sensitivity - specificity)) * sensitivity * specificity


# --------------------------------------------------------------------------- public functions


@document
def geometric_mean_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "multiclass",
    sample_weight: Any = None,
    correction: float = 0.0,
    zero_division: Any = "warn",
) -> Any:
    r"""Geometric mean of the recalls of all classes, or of sensitivity and specificity.

    .. math:: G = (\prod_k R_k)^{1/K} \quad \text{or} \quad \sqrt{R S}

    Parameters
    ----------
    {y_true_y_pred}
    {labels}
    {pos_label}
    average : {"multiclass", "binary", "micro", "macro", "weighted"} or None, default="multiclass"
        "multiclass" is the K-th root of the product of the recalls; any other gives the root
        of sensitivity times specificity, both averaged first in this way.
    {sample_weight}
    correction : float in [0, 1], default=0.0
        Stands for a recall of 0 when ``average="multiclass"``, so that one class never hit
        does not make the score 0.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        Value of a recall or specificity that is 0/0.

    Returns
    -------
    float or ndarray of shape (n_classes,)
        In [0, 1]; higher is better.

    Raises
    ------
    {raises}

    References
    ----------
    Kubat & Matwin (1997), Proceedings of the 14th ICML, 179-186.

    Examples
    --------
    >>> from skmetrics_ext import geometric_mean_score
    >>> geometric_mean_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.7071067811865476
    """
    check_option("average", average, ("multiclass", "binary", "micro", "macro", "weighted", None))
    options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    if average != "multiclass":
        sensitivity, specificity = _sensitivity_specificity(
            y_true, y_pred, zero_division, average=average, **options
        )
        product = np.sqrt(sensitivity * specificity)
        return product if average is None else float(product)
    if not (isinstance(correction, Real) and 0 <= float(correction) <= 1):
        raise InvalidParameterError(f"correction has to be in [0, 1], got {correction!r}.")
    recalls = recall_score(
        y_true, y_pred, average=None, zero_division=zero_division, **{**options, "pos_label": 1}
    )
    recalls = np.where(recalls == 0, correction, recalls)[~np.isnan(recalls)]
    return float(np.prod(recalls ** (1 / len(recalls)))) if len(recalls) else float("nan")


def _sensitivity_specificity(
    y_true: Any, y_pred: Any, zero_division: Any, **options: Any
) -> tuple[Any, Any]:
    check_zero_division(zero_division)
    plan = AveragePlan.make(y_true, y_pred, **options)
    return (
        plan.read(recall_score.rate, zero_division),
        plan.read(specificity_score.rate, zero_division),
    )


BASES = {
    "sensitivity": recall_score,
    "specificity": specificity_score,
    "precision": precision_score,
    "f1": f1_score,
}


@document
def index_balanced_accuracy_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    alpha: float = 0.1,
    squared: bool = True,
    base: str = "geometric_mean",
    zero_division: Any = "warn",
) -> Any:
    r"""Index of balanced accuracy: a base metric, rewarded where sensitivity leads.

    .. math:: (1 + \alpha (R - S)) M^2

    Parameters
    ----------
    {y_true_y_pred}
    {labels}
    {pos_label}
    {average}
    {sample_weight}
    alpha : float, default=0.1
        Weight of the dominance, sensitivity less specificity.
    squared : bool, default=True
        Whether to square the base metric.
    base : str, default="geometric_mean"
        The base metric M: "geometric_mean" (of sensitivity and specificity), "sensitivity",
        "specificity", "precision" or "f1".
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        Value of a rate that is 0/0.

    Returns
    -------
    float or ndarray of shape (n_classes,)
        In [0, 1 + alpha]; higher is better.

    Raises
    ------
    {raises}

    References
    ----------
    Garcia, Mollineda & Sanchez (2012), Pattern Recognition 45(2), 750-760.

    Examples
    --------
    >>> from skmetrics_ext import index_balanced_accuracy_score
    >>> round(index_balanced_accuracy_score([0, 0, 1, 1], [0, 0, 0, 1]), 3)
    0.475
    """
    check_option("base", base, ("geometric_mean", *BASES))
    if not (isinstance(alpha, Real) and np.isfinite(float(alpha))):
        raise InvalidParameterError(f"alpha has to be a finite number, got {alpha!r}.")
    check_zero_division(zero_division)
    plan = AveragePlan.make(
        y_true,
        y_pred,
        labels=labels,
        pos_label=pos_label,
        average=average,
        sample_weight=sample_weight,
    )
    sensitivity = plan.read(recall_score.rate, zero_division)
    specificity = plan.read(specificity_score.rate, zero_division)
    if base == "geometric_mean":
        value = np.sqrt(sensitivity * specificity)
    else:
        value = plan.read(BASES[base].rate, zero_division)
    dominance = 1 + alpha * (sensitivity - specificity)
    result = dominance * (value**2 if squared else value)
    return result if average is None else float(result)
