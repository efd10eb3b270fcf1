"""Metrics of two rates of a class: their sum, ratio or product."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels.rates import (
    false_negative,
    false_positive,
    negative_predictive_value,
    precision,
    recall,
    specificity,
)
from skmetrics_ext.metrics.public import rate
from skmetrics_ext.metrics.spec import INFINITY
from skmetrics_ext.numeric import Array, ratio
from skmetrics_ext.tallies import Counts, LabelTally
from skmetrics_ext.validation import InvalidParameterError, Labels, warn_undefined


def youden_j(counts: Counts) -> Array:
    """Youden's J: recall plus specificity less 1 (informedness).

    .. math:: J = TP / (TP + FN) + TN / (TN + FP) - 1

    References
    ----------
    Youden (1950), Cancer 3(1), 32-35.

    Examples
    --------
    >>> from skmetrics_ext import youden_j_score
    >>> youden_j_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    """
    return recall(counts) + specificity(counts) - 1


youden_j_score = rate(
    "youden_j_score",
    youden_j,
    "Youden's J",
    "no row, or every row, is of the class",
    sides="either",
    bounds=(-1.0, 1.0),
    shares=(("tp", "fn"), ("tn", "fp")),
)


def markedness(counts: Counts) -> Array:
    """Markedness: precision plus negative predictive value less 1.

    .. math:: M = TP / (TP + FP) + TN / (TN + FN) - 1

    References
    ----------
    Powers (2011), Journal of Machine Learning Technologies 2(1), 37-63.

    Examples
    --------
    >>> from skmetrics_ext import markedness_score
    >>> markedness_score([0, 0, 0, 1], [0, 0, 1, 1])
    0.5
    """
    return precision(counts) + negative_predictive_value(counts) - 1


markedness_score = rate(
    "markedness_score",
    markedness,
    "Markedness",
    "nothing, or everything, is predicted as the class",
    sides="either",
    bounds=(-1.0, 1.0),
    shares=(("tp", "fp"), ("tn", "fn")),
)


def positive_likelihood(counts: Counts) -> Array:
    """Positive likelihood ratio: recall over false positive rate.

    It is infinite where only the false positive rate is 0.

    .. math:: LR_+ = [TP / (TP + FN)] / [FP / (TN + FP)]

    References
    ----------
    Deeks & Altman (2004), BMJ 329, 168-169.

    Examples
    --------
    >>> from skmetrics_ext import positive_likelihood_ratio
    >>> positive_likelihood_ratio([0, 0, 1, 1], [0, 1, 1, 1])
    2.0
    """
    return ratio(recall(counts), false_positive(counts))


positive_likelihood_ratio = rate(
    "positive_likelihood_ratio",
    positive_likelihood,
    "Positive likelihood ratio",
    "a class has no row, or both rates are 0",
    bounds=(0.0, INFINITY),
    interval="log",
)


def negative_likelihood(counts: Counts) -> Array:
    """Negative likelihood ratio: false negative rate over specificity.

    It is infinite where only the specificity is 0.

    .. math:: LR_- = [FN / (TP + FN)] / [TN / (TN + FP)]

    References
    ----------
    Deeks & Altman (2004), BMJ 329, 168-169.

    Examples
    --------
    >>> from skmetrics_ext import negative_likelihood_ratio
    >>> negative_likelihood_ratio([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    """
    return ratio(false_negative(counts), specificity(counts))


negative_likelihood_ratio = rate(
    "negative_likelihood_ratio",
    negative_likelihood,
    "Negative likelihood ratio",
    "a class has no row, or both rates are 0",
    greater_is_better=False,
    bounds=(0.0, INFINITY),
    interval="log",
)


def odds_ratio(counts: Counts) -> Array:
    """Diagnostic odds ratio: positive over negative likelihood ratio.

    It is infinite where only the negative likelihood ratio is 0.

    .. math:: DOR = (TP / FP) / (FN / TN)

    References
    ----------
    Glas et al. (2003), Journal of Clinical Epidemiology 56(11), 1129-1135.

    Examples
    --------
    >>> from skmetrics_ext import diagnostic_odds_ratio
    >>> diagnostic_odds_ratio([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 0])
    4.0
    """
    return ratio(ratio(counts.tp, counts.fp), ratio(counts.fn, counts.tn))


diagnostic_odds_ratio = rate(
    "diagnostic_odds_ratio",
    odds_ratio,
    "Diagnostic odds ratio",
    "two counts of a row or a column of the table are 0",
    sides="either",
    bounds=(0.0, INFINITY),
    interval="log",
)


def fowlkes_mallows(counts: Counts) -> Array:
    r"""Fowlkes-Mallows index: geometric mean of precision and recall.

    .. math:: FM = \sqrt{P R}

    References
    ----------
    Fowlkes & Mallows (1983), Journal of the American Statistical Association 78, 553-569.

    Examples
    --------
    >>> from skmetrics_ext import fowlkes_mallows_index_score
    >>> fowlkes_mallows_index_score([0, 1, 1, 0], [0, 1, 1, 0])
    1.0
    """
    return np.sqrt(precision(counts) * recall(counts))


fowlkes_mallows_index_score = rate(
    "fowlkes_mallows_index_score",
    fowlkes_mallows,
    "Fowlkes-Mallows index",
    "no row is of the class, or none is predicted as it",
)


@document
def class_likelihood_ratios(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
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
    positive = float(positive_likelihood(counts))
    negative = float(negative_likelihood(counts))
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


def _replacements(replacement: Any) -> dict[str, float]:
    is_dict = isinstance(replacement, dict)
    pair = replacement if is_dict else {"LR+": replacement, "LR-": replacement}
    plus: Any = pair.get("LR+")
    minus: Any = pair.get("LR-")
    are_numbers = isinstance(plus, Real) and isinstance(minus, Real)
    # Written so that nan passes; 1 is the only number that both may have.
    if are_numbers and not (plus < 1 or minus < 0 or minus > 1):
        return {"LR+": float(plus), "LR-": float(minus)}
    if not is_dict:
        raise InvalidParameterError(
            f"replace_undefined_by has to be 1.0, nan or a dict, got {replacement!r}."
        )
    raise InvalidParameterError(
        "The dictionary passed as `replace_undefined_by` needs to be in the form "
        "{'LR+': value, 'LR-': value}, LR+ from 1.0 to infinity or nan, LR- from 0.0 to 1.0 or "
        f"nan; got {replacement}."
    )
