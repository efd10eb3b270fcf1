"""Hinge loss of decision values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.probabilities.losses import mean
from skmetrics_ext.metrics.public import metric
from skmetrics_ext.metrics.spec import INFINITY
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import Means
from skmetrics_ext.validation import Scores
from skmetrics_ext.validation.decisions import check_decisions

# --------------------------------------------------------------------------- kernels


def hinge_rows(margin: Array) -> Array:
    """What each row falls short of a margin of 1."""
    return np.maximum(1 - margin, 0.0)


def hinge_losses(checked: Scores) -> Array:
    return hinge_rows(margins(checked.true, checked.score))[:, None]


def margins(true: Array, decision: Array) -> Array:
    """Signed decision of two classes; of more, the lead of the true one over the best other."""
    if decision.ndim == 1:
        return np.where(true == 1, decision, -decision)
    rows = np.arange(len(true))
    others = decision.copy()
    others[rows, true] = -np.inf
    return decision[rows, true] - others.max(axis=1)


# --------------------------------------------------------------------------- public functions


@metric(
    mean,
    bounds=(0.0, INFINITY),
    greater_is_better=False,
    sides="either",
    traits=("by_sign",),
    check=check_decisions,
    row_values=hinge_losses,
)
def hinge_loss(
    y_true: ArrayLike,
    pred_decision: Any,
    *,
    labels: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Hinge loss: mean of what the margin of each row falls short of 1.

    .. math:: \frac{1}{n} \sum_i \max(0, 1 - m_i)

    The margin of two classes is the decision value, negated for rows of the first class. That
    of more is the value of the true class less the greatest of the others.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    pred_decision : array-like of shape (n_samples,) or (n_samples, n_classes)
        What ``decision_function`` gives: of two classes, positive for the second.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``pred_decision``, in this order, sorted or not; of two
        classes negative, positive. The sorted classes of ``y_true`` by default, of which one
        alone is the negative one.
    {sample_weight}

    Returns
    -------
    float
        0 or more; lower is better.

    Raises
    ------
    {raises}

    References
    ----------
    Cortes & Vapnik (1995), Machine Learning 20(3), 273-297; for several classes Crammer &
    Singer (2001), Journal of Machine Learning Research 2, 265-292.

    Examples
    --------
    >>> from skmetrics_ext import hinge_loss
    >>> hinge_loss([-1, 1, 1], [-2.0, 0.5, -0.25])
    0.5833333333333334
    """
    checked = check_decisions(
        y_true, pred_decision, labels=labels, sample_weight=sample_weight, alone_is_negative=True
    )
    return float(mean(Means.of(hinge_losses(checked), checked.weight)))
