"""Scores for classes of very different size: geometric means, index of balanced accuracy."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import (
    EACH_CLASS,
    ClassAverage,
    Mean,
    RecallAverage,
    ZeroDivision,
    check_average,
    check_zero_division,
)
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels import rate_kernels
from skmetrics_ext.metrics.labels.rate_function import counted, mean_of
from skmetrics_ext.metrics.labels.rates import (
    f1_score,
    precision_score,
    recall_score,
    specificity_score,
)
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.validation import InvalidParameterError, check_option

# --------------------------------------------------------------------------- kernels


def geometric_mean(mean: Mean, average: str | None = EACH_CLASS, correction: float = 0.0) -> Array:
    """K-th root of the product of the recalls of the K classes, or root of two averages."""
    recall = mean(rate_kernels.recall)
    if average != EACH_CLASS:
        return np.sqrt(recall * mean(rate_kernels.specificity))
    defined = ~np.isnan(recall)
    if correction:
        recall = np.where(recall.real == 0, correction, recall)
    roots = np.where(defined, recall, 1.0) ** divide(1, defined.sum(axis=-1))[..., None]
    return np.where(defined.any(axis=-1), np.prod(roots, axis=-1), np.nan)


GEOMETRIC = geometric_mean.__name__  # the base that is not one rate
BASES = {
    "sensitivity": rate_kernels.recall,
    "specificity": rate_kernels.specificity,
    "precision": rate_kernels.precision,
    "f1": rate_kernels.fbeta,
}


def index_balanced_accuracy(
    mean: Mean, alpha: float = 0.1, squared: bool = True, base: str = GEOMETRIC
) -> Array:
    """A base metric, or its square, times 1 plus alpha times sensitivity less specificity."""
    sensitivity, specificity = mean(rate_kernels.recall), mean(rate_kernels.specificity)
    if base in BASES:
        value = mean(BASES[base])
        value = value**2 if squared else value
    else:
        value = sensitivity * specificity
        value = value if squared else np.sqrt(value)
    return (1 + alpha * (sensitivity - specificity)) * value


# --------------------------------------------------------------------------- public functions


@document
def geometric_mean_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Any = None,
    pos_label: Any = None,
    average: RecallAverage | None = "multiclass",
    sample_weight: ArrayLike | None = None,
    correction: float = 0.0,
    zero_division: ZeroDivision = "warn",
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
    check_zero_division(zero_division)
    if not (isinstance(correction, Real) and 0 <= float(correction) <= 1):
        raise InvalidParameterError(f"correction has to be in [0, 1], got {correction!r}.")
    mean = _mean(
        y_true, y_pred, labels, pos_label, average, sample_weight, zero_division, either=True
    )
    value = geometric_mean(mean, average, correction)
    return value if average is None else float(value)


def _mean(
    y_true: Any,
    y_pred: Any,
    labels: Any,
    pos_label: Any,
    average: str | None,
    sample_weight: Any,
    zero_division: Any,
    either: bool = False,
) -> Mean:
    plan = counted(
        y_true,
        y_pred,
        recall_score.rate.title,
        labels=labels,
        pos_label=pos_label,
        average=average,
        sample_weight=sample_weight,
        either=either,
    )
    rates = (recall_score, specificity_score, precision_score, f1_score)
    return mean_of(plan, zero_division, *(function.rate for function in rates))


@document
def index_balanced_accuracy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Any = None,
    pos_label: Any = None,
    average: ClassAverage | None = "binary",
    sample_weight: ArrayLike | None = None,
    alpha: float = 0.1,
    squared: bool = True,
    base: str = GEOMETRIC,
    zero_division: ZeroDivision = "warn",
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
    check_option("base", base, (GEOMETRIC, *BASES))
    if not (isinstance(alpha, Real) and np.isfinite(float(alpha))):
        raise InvalidParameterError(f"alpha has to be a finite number, got {alpha!r}.")
    check_zero_division(zero_division)
    check_average(average)
    mean = _mean(y_true, y_pred, labels, pos_label, average, sample_weight, zero_division)
    value = index_balanced_accuracy(mean, alpha, squared, base)
    return value if average is None else float(value)
