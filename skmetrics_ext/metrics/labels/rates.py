"""Rates: shares of rows read from the counts of one class, averaged over classes."""

from __future__ import annotations

import math
from typing import cast

from skmetrics_ext.metrics.public import PredictiveValue, rate
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import Counts

_NEITHER = "the class is neither true nor predicted in any row"


def precision(counts: Counts, prevalence: float | None = None) -> Array:
    r"""Precision: share of the rows predicted as a class that are of it.

    Also called positive predictive value.

    .. math:: P = TP / (TP + FP), \qquad P(\pi) = \frac{\pi Se}{\pi Se + (1 - \pi)(1 - Sp)}

    with sensitivity Se and specificity Sp where the prevalence :math:`\pi` of the class is stated.

    References
    ----------
    van Rijsbergen (1979), Information Retrieval, chapter 7; Mercaldo, Lau & Zhou (2007),
    Statistics in Medicine 26(10), 2170-2183, for a stated prevalence.

    Examples
    --------
    >>> from skmetrics_ext import precision_score
    >>> precision_score([1, 2, 3], [1, 1, 3], average="macro", zero_division=0)
    0.5
    >>> y_true, y_pred = [1] * 10 + [0] * 10, [1] * 9 + [0] * 9 + [1] * 2
    >>> precision_score(y_true, y_pred)
    0.8181818181818182
    >>> round(precision_score(y_true, y_pred, prevalence=0.02), 4)
    0.0841
    """
    if prevalence is None:
        return divide(counts.tp, counts.pred)
    return _at_prevalence(recall(counts), 1 - specificity(counts), prevalence)


def _at_prevalence(rate: Array, other_rate: Array, share: float) -> Array:
    """Share of a class among marked rows, from the rates at which both classes are marked."""
    marked = share * rate
    return divide(marked, marked + (1 - share) * other_rate)


precision_score = cast(
    PredictiveValue,
    rate(
        "precision_score",
        precision,
        "Precision",
        "nothing is predicted as the class",
        absent="predicted",
        pos_label=1,
        shares=(("tp", "fp"),),
    ),
)


def recall(counts: Counts) -> Array:
    """Recall: share of the rows of a class that are predicted as it (sensitivity).

    .. math:: R = TP / (TP + FN)

    References
    ----------
    van Rijsbergen (1979), Information Retrieval, chapter 7.

    Examples
    --------
    >>> from skmetrics_ext import recall_score
    >>> recall_score([1, 1, 1, 1, 0], [1, 0, 1, 1, 0])
    0.75
    """
    return divide(counts.tp, counts.true)


recall_score = rate(
    "recall_score",
    recall,
    "Recall",
    "no row is of the class",
    absent="true",
    pos_label=1,
    shares=(("tp", "fn"),),
)


def specificity(counts: Counts) -> Array:
    """Specificity: share of the rows outside a class that are predicted outside it.

    .. math:: S = TN / (TN + FP)

    References
    ----------
    Yerushalmy (1947), Public Health Reports 62(40), 1432-1449.

    Examples
    --------
    >>> from skmetrics_ext import specificity_score
    >>> specificity_score([0, 0, 0, 0, 1], [0, 1, 0, 0, 1])
    0.75
    """
    return divide(counts.tn, counts.tn + counts.fp)


specificity_score = rate(
    "specificity_score",
    specificity,
    "Specificity",
    "every row is of the class",
    shares=(("tn", "fp"),),
)


def negative_predictive_value(counts: Counts, prevalence: float | None = None) -> Array:
    r"""Negative predictive value: share of the rows predicted outside a class that are outside it.

    .. math:: NPV = TN / (TN + FN), \qquad
        NPV(\pi) = \frac{(1 - \pi) Sp}{(1 - \pi) Sp + \pi (1 - Se)}

    with sensitivity Se and specificity Sp where the prevalence :math:`\pi` of the class is stated.

    References
    ----------
    Altman & Bland (1994), BMJ 309, 102; Mercaldo, Lau & Zhou (2007), Statistics in Medicine
    26(10), 2170-2183, for a stated prevalence.

    Examples
    --------
    >>> from skmetrics_ext import negative_predictive_value_score
    >>> negative_predictive_value_score([0, 0, 1, 1, 1], [0, 0, 0, 0, 1])
    0.5
    """
    if prevalence is None:
        return divide(counts.tn, counts.tn + counts.fn)
    return _at_prevalence(specificity(counts), 1 - recall(counts), 1 - prevalence)


negative_predictive_value_score = cast(
    PredictiveValue,
    rate(
        "negative_predictive_value_score",
        negative_predictive_value,
        "Negative predictive value",
        "every row is predicted as the class",
        shares=(("tn", "fn"),),
    ),
)


def false_positive(counts: Counts) -> Array:
    """False positive rate: share of the rows outside a class that are predicted as it (fall-out).

    .. math:: FPR = FP / (TN + FP)

    References
    ----------
    Yerushalmy (1947), Public Health Reports 62(40), 1432-1449.

    Examples
    --------
    >>> from skmetrics_ext import false_positive_rate
    >>> false_positive_rate([0, 0, 0, 0, 1], [0, 1, 0, 0, 1])
    0.25
    """
    return divide(counts.fp, counts.tn + counts.fp)


false_positive_rate = rate(
    "false_positive_rate",
    false_positive,
    "False positive rate",
    "every row is of the class",
    greater_is_better=False,
    shares=(("fp", "tn"),),
)


def false_negative(counts: Counts) -> Array:
    """False negative rate: share of the rows of a class that are predicted outside it (miss rate).

    .. math:: FNR = FN / (TP + FN)

    References
    ----------
    Yerushalmy (1947), Public Health Reports 62(40), 1432-1449.

    Examples
    --------
    >>> from skmetrics_ext import false_negative_rate
    >>> false_negative_rate([1, 1, 1, 1, 0], [1, 0, 1, 1, 0])
    0.25
    """
    return divide(counts.fn, counts.true)


false_negative_rate = rate(
    "false_negative_rate",
    false_negative,
    "False negative rate",
    "no row is of the class",
    greater_is_better=False,
    shares=(("fn", "tp"),),
)


def false_discovery(counts: Counts) -> Array:
    """False discovery rate: share of the rows predicted as a class that are outside it.

    .. math:: FDR = FP / (TP + FP)

    References
    ----------
    Benjamini & Hochberg (1995), Journal of the Royal Statistical Society B 57, 289-300.

    Examples
    --------
    >>> from skmetrics_ext import false_discovery_rate
    >>> false_discovery_rate([0, 1, 1, 1], [1, 1, 1, 1])
    0.25
    """
    return divide(counts.fp, counts.pred)


false_discovery_rate = rate(
    "false_discovery_rate",
    false_discovery,
    "False discovery rate",
    "nothing is predicted as the class",
    greater_is_better=False,
    shares=(("fp", "tp"),),
)


def false_omission(counts: Counts) -> Array:
    """False omission rate: share of the rows predicted outside a class that are of it.

    .. math:: FOR = FN / (TN + FN)

    References
    ----------
    Altman & Bland (1994), BMJ 309, 102.

    Examples
    --------
    >>> from skmetrics_ext import false_omission_rate
    >>> false_omission_rate([0, 0, 1, 1, 1], [0, 0, 0, 0, 1])
    0.5
    """
    return divide(counts.fn, counts.tn + counts.fn)


false_omission_rate = rate(
    "false_omission_rate",
    false_omission,
    "False omission rate",
    "every row is predicted as the class",
    greater_is_better=False,
    shares=(("fn", "tn"),),
)


def true_share(counts: Counts) -> Array:
    """Prevalence: share of the rows that are of a class.

    .. math:: (TP + FN) / n

    References
    ----------
    Kuhn (2008), Journal of Statistical Software 28(5), 1-26.

    Examples
    --------
    >>> from skmetrics_ext import prevalence
    >>> prevalence([0, 0, 0, 1], [0, 1, 0, 1])
    0.25
    """
    return divide(counts.true, counts.total)


prevalence = rate(
    "prevalence",
    true_share,
    "Prevalence",
    "there are no rows (never)",
    greater_is_better=None,
    interval="wilson",
)


def hit_share(counts: Counts) -> Array:
    """Share of the rows that are of a class and predicted as it."""
    return divide(counts.tp, counts.total)


def predicted_share(counts: Counts) -> Array:
    """Detection prevalence: share of the rows that are predicted as a class.

    .. math:: (TP + FP) / n

    References
    ----------
    Kuhn (2008), Journal of Statistical Software 28(5), 1-26.

    Examples
    --------
    >>> from skmetrics_ext import detection_prevalence
    >>> detection_prevalence([0, 0, 0, 1], [0, 1, 0, 1])
    0.5
    """
    return divide(counts.pred, counts.total)


detection_prevalence = rate(
    "detection_prevalence",
    predicted_share,
    "Detection prevalence",
    "there are no rows (never)",
    greater_is_better=None,
    interval="wilson",
)


def fbeta(counts: Counts, beta: float = 1.0) -> Array:
    """F-score: harmonic mean of precision and recall.

    With ``average="macro"`` it is the mean of the F1 of the classes; the F1 of macro-precision and
    macro-recall is `fbeta_of_averages_score`.

    .. math:: F_1 = 2 TP / (2 TP + FP + FN)

    References
    ----------
    van Rijsbergen (1979), Information Retrieval, chapter 7; Opitz & Burst (2019),
    "Macro F1 and Macro F1", arXiv:1911.03347.

    Examples
    --------
    >>> from skmetrics_ext import f1_score
    >>> f1_score([1, 2, 3], [1, 1, 3], average=None, zero_division=0)
    array([0.66666667, 0.        , 1.        ])
    """
    square = 1 if beta == 1 else float(beta) * float(beta)  # integers stay integers
    if math.isinf(square):
        return recall(counts)
    return divide((1 + square) * counts.tp, square * counts.true + counts.pred)


f1_score = rate(
    "f1_score",
    fbeta,
    "F-score",
    _NEITHER,
    absent="true nor predicted",
    pos_label=1,
    interval="dice",
)


def jaccard(counts: Counts) -> Array:
    """Jaccard: rows of a class predicted as it, over those of it or predicted as it.

    Also called intersection over union, or critical success index.

    .. math:: J = TP / (TP + FP + FN)

    References
    ----------
    Jaccard (1912), New Phytologist 11(2), 37-50.

    Examples
    --------
    >>> from skmetrics_ext import jaccard_score
    >>> jaccard_score([0, 1, 1, 1], [1, 1, 1, 0])
    0.5
    """
    return divide(counts.tp, counts.tp + counts.fp + counts.fn)


jaccard_score = rate(
    "jaccard_score",
    jaccard,
    "Jaccard",
    _NEITHER,
    absent="true or predicted",
    pos_label=1,
    interval="wilson",
)
