"""Likelihood ratios of a binary classification, as scikit-learn gives them."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels import rate_kernels
from skmetrics_ext.tallies import LabelTally
from skmetrics_ext.validation import InvalidParameterError, Labels, warn_undefined


@document
def class_likelihood_ratios(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Any = None,
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: Any = np.nan,
) -> tuple[float, float]:
    """Positive and negative likelihood ratio of a binary classification.

    Parameters
    ----------
    {y_true_y_pred}
    labels : array-like of shape (2,), default=None
        Negative and positive class. Both classes, sorted, by default.
    {sample_weight}
    replace_undefined_by : {1.0, nan} or dict, default=nan
        Value where a ratio has a denominator of 0: 1.0 is the worst of both, a dict names
        them ``{"LR+": value, "LR-": value}``.

    Returns
    -------
    (float, float)
        LR+ in [1, inf) for a useful classifier, higher is better; LR- in [0, 1], lower is
        better.

    Raises
    ------
    {raises}

    See Also
    --------
    positive_likelihood_ratio : With averages; infinite where this one is undefined.

    References
    ----------
    Deeks & Altman (2004), BMJ 329, 168-169.

    Examples
    --------
    >>> from skmetrics_ext import class_likelihood_ratios
    >>> class_likelihood_ratios([0, 0, 1, 1], [0, 1, 1, 1])
    (2.0, 0.0)
    """
    replacements = _replacements(replace_undefined_by)
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight)
    if checked.kind != "binary":
        raise InvalidParameterError(
            "class_likelihood_ratios only supports binary classification problems, got targets "
            f"of type: {checked.kind}"
        )
    restricted = checked.restrict(labels)
    if len(restricted.classes) != 2:
        raise InvalidParameterError(
            "class_likelihood_ratios needs two classes, got "
            f"{restricted.classes.tolist()}; pass labels=[negative, positive]."
        )
    counts = LabelTally(restricted).of_class(1)
    tp, fp, fn, tn = counts.astuple()
    end = "Use the `replace_undefined_by` param to control this behavior."
    if tp + fn == 0:
        warn_undefined(
            "No samples of the positive class are present in `y_true`. "
            "`positive_likelihood_ratio` and `negative_likelihood_ratio` are both set to "
            f"`np.nan`. {end}"
        )
        return float("nan"), float("nan")
    positive = float(rate_kernels.positive_likelihood(counts))
    negative = float(rate_kernels.negative_likelihood(counts))
    if fp == 0:
        start = (
            "No samples were predicted for the positive class and `positive_likelihood_ratio` is "
            if tp == 0
            else "`positive_likelihood_ratio` is ill-defined and "
        )
        warn_undefined(f"{start}set to `np.nan`. {end}")
        positive = replacements["LR+"]
    if tn == 0:
        warn_undefined(f"`negative_likelihood_ratio` is ill-defined and set to `np.nan`. {end}")
        negative = replacements["LR-"]
    return positive, negative


def _replacements(given: Any) -> dict[str, float]:
    if isinstance(given, dict):
        plus: Any = given.get("LR+")
        minus: Any = given.get("LR-")
        numbers = isinstance(plus, int | float) and isinstance(minus, int | float)
        # Written so that nan passes.
        if numbers and not (plus < 1 or minus < 0 or minus > 1):
            return {"LR+": float(plus), "LR-": float(minus)}
        raise InvalidParameterError(
            "The dictionary passed as `replace_undefined_by` needs to be in the form "
            "{'LR+': value, 'LR-': value}, LR+ from 1.0 to infinity or nan, LR- from 0.0 to 1.0 "
            f"or nan; got {given}."
        )
    if not (isinstance(given, Real) and (given == 1 or np.isnan(float(given)))):
        raise InvalidParameterError(
            f"replace_undefined_by has to be 1.0, nan or a dict, got {given!r}."
        )
    return {"LR+": float(given), "LR-": float(given)}
