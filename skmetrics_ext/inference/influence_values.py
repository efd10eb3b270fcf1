"""What each row adds to a metric."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.draws.readers import check_rows, find_metric, read_checked
from skmetrics_ext.inference.influence.spread import Contributions
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import InvalidParameterError


@document
def influence_values(
    metric: str | Callable[..., Any],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    **metric_params: Any,
) -> Array:
    r"""Influence of each row on a metric: what it contributes to its error.

    .. math:: \hat\theta - \theta \approx \frac{1}{n} \sum_i \phi_i, \qquad
        \phi_i = n \, w_i \, \frac{\partial \hat\theta}{\partial w_i}

    Their use: the standard error is :math:`\sqrt{\sum_i \phi_i^2} / n`; with clustered rows the
    sums over clusters take the place of rows; those of a difference between models or metrics are
    the differences of influence values; and the largest show on which rows a value depends.

    Parameters
    ----------
    metric : str or callable
        A name of `get_scorer_names` (losses are not negated), or a metric of this package.
    y_true, y_pred : array-like
        What the metric takes.
    {sample_weight}
    **metric_params : dict
        Parameters of the metric: ``labels``, ``pos_label``, ``average`` and others.

    Returns
    -------
    ndarray of shape (n_samples,) or (n_samples, n_classes)
        In units of the metric, with mean 0; a column for each class where the metric gives an
        array. 0 for rows of weight 0. Masked rows have none.

    Raises
    ------
    {raises}
        Of a metric that has no derivative by its rows: a maximum over thresholds, a distance, an
        error within bins.

    Notes
    -----
    Exact derivatives of the confusion table or of means by complex steps, and in closed form of
    rankings. Rates at a stated value of another also hang on the densities of both classes there,
    which are estimated over a window (Hall & Sheather 1988, Journal of the Royal Statistical
    Society B 50(3), 381-391).

    References
    ----------
    Hampel (1974), Journal of the American Statistical Association 69(346), 383-393.

    Examples
    --------
    >>> from skmetrics_ext import influence_values
    >>> influence_values("accuracy", [0, 0, 1, 1], [0, 1, 1, 1])
    array([ 0.25, -0.75,  0.25,  0.25])
    >>> values = influence_values("roc_auc", [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> values, float((values**2).sum() ** 0.5 / 4)
    (array([ 0.5, -0.5, -0.5,  0.5]), 0.25)
    """
    found = find_metric(metric, metric_params)
    if found.row is None:
        raise InvalidParameterError(
            f"metric must be one of this package, whose derivative is known, got {found.name}."
        )
    settled, checked = check_rows(found, y_true, y_pred, sample_weight)
    added = Contributions.of(read_checked(settled, checked))
    if added is None:
        raise InvalidParameterError(
            f"metric={found.name!r} of these data has no derivative by its rows; "
            "confidence_interval resamples it."
        )
    weight = checked.weight
    n_rows = int(checked.true.shape[0])
    parts = added.of_rows().T
    values = np.zeros((n_rows, *parts.shape[1:]))
    values[slice(None) if weight is None else weight != 0] = n_rows * parts
    return values
