"""F-beta: the one rate that has a parameter of its own."""

from __future__ import annotations

from functools import partial
from numbers import Real
from typing import Any

from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import (
    ClassAverage,
    ZeroDivision,
    check_average,
    check_zero_division,
)
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels import rate_kernels as kernels
from skmetrics_ext.metrics.labels.rate_function import counted
from skmetrics_ext.metrics.labels.rates import f1_score
from skmetrics_ext.validation import InvalidParameterError


@document
def fbeta_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float,
    labels: Any = None,
    pos_label: Any = 1,
    average: ClassAverage | None = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Any:
    r"""F-score: harmonic mean of precision and recall, recall counted beta times as important.

    .. math:: F_\beta = (1 + \beta^2) TP / ((1 + \beta^2) TP + FP + \beta^2 FN)

    Parameters
    ----------
    {y_true_y_pred_multilabel}
    beta : float
        From 0 (precision alone) to infinity (recall alone).
    {labels}
    {pos_label_1}
    {average}
    {sample_weight}
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        Value where the class is neither true nor predicted in any row. "warn" is 0 with a
        warning; nan leaves the class out of an average.

    Returns
    -------
    float or ndarray of shape (n_classes,)
        In [0, 1]; higher is better.

    Raises
    ------
    {raises}

    References
    ----------
    van Rijsbergen (1979), Information Retrieval, chapter 7.

    Examples
    --------
    >>> from skmetrics_ext import fbeta_score
    >>> fbeta_score([0, 1, 1, 1], [0, 1, 0, 1], beta=2)
    0.7142857142857143
    """
    check_zero_division(zero_division)
    check_average(average)
    check_beta(beta)
    plan = counted(
        y_true,
        y_pred,
        f1_score.rate.title,
        labels=labels,
        pos_label=pos_label,
        average=average,
        sample_weight=sample_weight,
    )
    return f1_score.rate.read(plan, zero_division, partial(kernels.fbeta, beta=float(beta)))


def check_beta(beta: Any) -> None:
    """Accept numbers from 0 to infinity."""
    if not (isinstance(beta, Real) and float(beta) >= 0):
        raise InvalidParameterError(f"beta has to be a number from 0 to infinity, got {beta!r}.")
