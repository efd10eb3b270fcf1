"""Adjustment of many p-values."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import read_numbers


@document
def holm_adjust(p_values: Any) -> Array:
    r"""Holm's step-down adjustment of p-values for their number.

    .. math:: \tilde p_{(i)} = \max_{j \le i} \min(1, (m - j + 1) p_{(j)})

    Rejecting what is at most alpha keeps the chance of any false rejection at alpha, whatever
    the dependence of the tests.

    Parameters
    ----------
    p_values : array-like
        In [0, 1], of any shape; those that are nan stay nan and are not counted.

    Returns
    -------
    ndarray
        Adjusted p-values, in the shape and the order given.

    Raises
    ------
    {raises}

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6(2), 65-70.

    Examples
    --------
    >>> from skmetrics_ext import holm_adjust
    >>> holm_adjust([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    values = read_numbers("p_values", p_values)
    given = ~np.isnan(values)
    if ((values[given] < 0) | (values[given] > 1)).any():
        raise InvalidParameterError(
            f"p_values has to be in [0, 1], got {values[given].min()} to {values[given].max()}."
        )
    found = values[given]
    order = np.argsort(found, kind="stable")
    steps = np.minimum(found[order] * np.arange(len(found), 0, -1), 1.0)
    adjusted = np.full(values.shape, np.nan)
    adjusted[given] = np.maximum.accumulate(steps)[np.argsort(order)]
    return adjusted
