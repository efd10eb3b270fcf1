"""Scores that combine rates: F-beta, balanced accuracy, geometric means, mean tables."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import (
    EACH_CLASS,
    Averaged,
    ClassAverage,
    Mean,
    RecallAverage,
    ZeroDivision,
    averaged,
    mean_of_classes,
)
from skmetrics_ext.metrics.labels import rates
from skmetrics_ext.metrics.labels.rates import (
    f1_score,
    precision_score,
    recall_score,
    specificity_score,
)
from skmetrics_ext.metrics.public import OF_SINGLE_LABELS, counted, mean_of, metric
from skmetrics_ext.metrics.spec import INFINITY, NO_ROW
from skmetrics_ext.numeric import Array, PosLabel, divide
from skmetrics_ext.tallies import Counts, LabelTally
from skmetrics_ext.validation import Labels, check_option
from skmetrics_ext.validation.errors import warn_undefined, warn_user
from skmetrics_ext.validation.parameters import check_interval

# --------------------------------------------------------------------------- kernels


def balanced_accuracy(counts: Counts, adjusted: bool = False) -> Array:
    """Mean recall of the classes that have rows, over the last axis."""
    score = mean_of_classes(rates.recall(counts))
    if not adjusted:
        return score
    chance = divide(1, (counts.true != 0).sum(axis=-1))
    return divide(score - chance, 1 - chance)


def fbeta_of_averages(mean: Mean, beta: float = 1.0) -> Array:
    """F of the mean precision and the mean recall; 0 if both are 0."""
    precision, recall = mean(rates.precision), mean(rates.recall)
    square = float(beta) * float(beta)
    if np.isinf(square):
        return recall
    top = (1 + square) * precision * recall
    return np.where(top == 0, 0.0, divide(top, square * precision + recall))


def largest_class(counts: Counts) -> Array:
    return divide(counts.true.max(axis=-1), counts.true.sum(axis=-1))


def mean_table(mean: Mean) -> Array:
    """Mean of the one-vs-rest tables [[TN, FP], [FN, TP]] of the classes."""
    means = [mean(attrgetter(part)) for part in ("tn", "fp", "fn", "tp")]
    return np.stack(means, axis=-1).reshape(*means[0].shape, 2, 2)


def recall_times_specificity_root(counts: Counts) -> Array:
    """Geometric mean of the two rates of a class; nan without rows in it or in the others."""
    return np.sqrt(rates.recall(counts) * rates.specificity(counts))


def geometric_mean(
    mean: Mean, average: str | None = EACH_CLASS, correction: float = 0.0, of_averages: bool = False
) -> Array:
    """K-th root of the product of the K recalls, or an average of roots, or a root of averages."""
    if average != EACH_CLASS and not of_averages:
        return mean(recall_times_specificity_root)
    recall = mean(rates.recall)
    if average != EACH_CLASS:
        return np.sqrt(recall * mean(rates.specificity))
    defined = ~np.isnan(recall)
    if correction:
        recall = np.where(recall.real == 0, correction, recall)
    roots = np.where(defined, recall, 1.0) ** divide(1, defined.sum(axis=-1))[..., None]
    return np.where(defined.any(axis=-1), np.prod(roots, axis=-1), np.nan)


GEOMETRIC = geometric_mean.__name__  # the base that combines two rates
BASES = {
    "sensitivity": rates.recall,
    "specificity": rates.specificity,
    "precision": rates.precision,
    "f1": rates.fbeta,
}


def index_balanced_accuracy(
    mean: Mean, alpha: float = 0.1, squared: bool = True, base: str = GEOMETRIC
) -> Array:
    """A base metric, or its square, times 1 plus alpha times sensitivity less specificity."""
    sensitivity, specificity = mean(rates.recall), mean(rates.specificity)
    if base in BASES:
        value = mean(BASES[base])
        value = value**2 if squared else value
    else:
        value = sensitivity * specificity
        value = value if squared else np.sqrt(value)
    return (1 + alpha * (sensitivity - specificity)) * value


# --------------------------------------------------------------------------- public functions


@metric(
    rates.fbeta,
    f1_score.spec.title,
    undefined=f1_score.spec.undefined,
    scorer="f2",
    variants={**f1_score.spec.variants, "": {"beta": 2.0}},
    sides="one",
)
def fbeta_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = 1,
    average: ClassAverage | None = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> float | Array:
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
    kernel = partial(rates.fbeta, beta=check_interval("beta", beta, "[0, inf]"))
    options = labels, pos_label, average, sample_weight, zero_division
    plan = counted(y_true, y_pred, f1_score.spec.title, *options, is_ours=False)
    return f1_score.read(plan, zero_division, kernel)


@metric(balanced_accuracy, undefined=NO_ROW, shares=(("tp", "fn"),))
def balanced_accuracy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    adjusted: bool = False,
) -> float:
    r"""Balanced accuracy: mean recall of the classes.

    .. math:: BA = \frac{1}{K} \sum_k TP_k / (TP_k + FN_k)

    Parameters
    ----------
    {y_true_y_pred}
    {sample_weight}
    adjusted : bool, default=False
        Rescale so that chance, 1/K, is 0 and perfect is 1.

    Returns
    -------
    float
        In [0, 1], or [1 / (1 - K), 1] when adjusted; higher is better. Classes that are
        only predicted have no recall and are left out, with a warning.

    Raises
    ------
    {raises}

    References
    ----------
    Brodersen et al. (2010), Proceedings of the 20th ICPR, 3121-3124.

    Examples
    --------
    >>> from skmetrics_ext import balanced_accuracy_score
    >>> balanced_accuracy_score([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    check_option("adjusted", adjusted, (True, False))
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight)
    counts = Counts.from_labels(checked.single_label("balanced accuracy"))
    if not counts.true.all():
        warn_user("y_pred contains classes not in y_true")
    return float(balanced_accuracy(counts, adjusted))


@metric(geometric_mean, reads="rates", undefined=NO_ROW, sides="either")
def geometric_mean_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    average: RecallAverage | None = "multiclass",
    sample_weight: ArrayLike | None = None,
    correction: float = 0.0,
    of_averages: bool = False,
    zero_division: ZeroDivision = "warn",
) -> float | Array:
    r"""Geometric mean of the recalls of all classes, or of sensitivity and specificity.

    .. math:: G = (\prod_k R_k)^{1/K} \quad \text{or} \quad \sqrt{R S}

    Parameters
    ----------
    {y_true_y_pred}
    {labels}
    {pos_label}
    average : {"multiclass", "binary", "micro", "macro", "weighted"} or None, default="multiclass"
        "multiclass" is the K-th root of the product of the recalls. The others average the root
        of sensitivity times specificity of each class, or give that of the positive class, of
        all classes pooled, or of each class.
    {sample_weight}
    correction : float in [0, 1], default=0.0
        Stands for a recall of 0 when ``average="multiclass"``, so that one class never hit
        does not make the score 0.
    of_averages : bool, default=False
        The root of averaged sensitivity times averaged specificity, which is what imbalanced-learn
        gives for "macro" and "weighted".
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        Value of a geometric mean whose recall or specificity is 0/0; with
        ``average="multiclass"`` or ``of_averages`` that of the rate.

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
    >>> y_true, y_pred = [1, 1, 2, 2, 3], [1, 1, 2, 3, 1]
    >>> round(geometric_mean_score(y_true, y_pred, average="macro"), 3)
    0.508
    """
    check_option("of_averages", of_averages, (True, False))
    check_interval("correction", correction, "[0, 1]")
    averages = ("multiclass", "binary", "micro", "macro", "weighted", None)
    options = labels, pos_label, average, sample_weight, zero_division
    plan = counted(
        y_true, y_pred, recall_score.spec.title, *options, averages=averages, either=True
    )
    mean = _mean_of_rates(plan, zero_division)
    value = geometric_mean(mean, average, correction, of_averages)
    return value if average is None else float(value)


def _mean_of_rates(plan: Averaged, zero_division: Any) -> Mean:
    functions = (recall_score, specificity_score, precision_score, f1_score)
    return mean_of(
        plan, zero_division, *functions, other={recall_times_specificity_root: _warn_undefined_root}
    )


def _warn_undefined_root(average: str | None, n_values: int) -> None:
    warn_undefined(
        "Geometric mean is ill-defined and being set to 0.0 where no row, or every row, is of the "
        "class. Use `zero_division` parameter to control this behavior."
    )


@metric(
    index_balanced_accuracy,
    reads="rates",
    undefined="no row, or every row, is of the class",
    bounds=(0.0, 1.1),
    sides="one",
    variants=OF_SINGLE_LABELS,
)
def index_balanced_accuracy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    average: ClassAverage | None = "binary",
    sample_weight: ArrayLike | None = None,
    alpha: float = 0.1,
    squared: bool = True,
    base: str = GEOMETRIC,
    zero_division: ZeroDivision = "warn",
) -> float | Array:
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
    check_interval("alpha", alpha, "(-inf, inf)")
    options = labels, pos_label, average, sample_weight, zero_division
    mean = _mean_of_rates(counted(y_true, y_pred, recall_score.spec.title, *options), zero_division)
    value = index_balanced_accuracy(mean, alpha, squared, base)
    return value if average is None else float(value)


@metric(
    fbeta_of_averages,
    reads="rates",
    undefined="a class is never predicted, or has no row",
    scorer="f1_of_averages",
)
def fbeta_of_averages_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float = 1.0,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> float:
    r"""F of averages: harmonic mean of macro-precision and macro-recall.

    .. math:: F = (1 + \beta^2) \bar P \bar R / (\beta^2 \bar P + \bar R)

    It is at least as large as the macro-average of F1 (`f1_score` with ``average="macro"``),
    often larger, and both go by the name macro-F1.

    Parameters
    ----------
    {y_true_y_pred_multilabel}
    beta : float, default=1.0
        How many times as important recall is as precision, from 0 to infinity.
    {labels}
    {sample_weight}
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        Value of the precision or recall of a class that is 0/0; nan leaves it out.

    Returns
    -------
    float
        In [0, 1]; higher is better.

    Raises
    ------
    {raises}

    References
    ----------
    Sokolova & Lapalme (2009), Information Processing & Management 45(4), 427-437; Opitz &
    Burst (2019), "Macro F1 and Macro F1", arXiv:1911.03347.

    Examples
    --------
    >>> from skmetrics_ext import f1_score, fbeta_of_averages_score
    >>> round(fbeta_of_averages_score([1, 2, 3], [1, 1, 3], zero_division=0), 6)  # 4/7
    0.571429
    >>> round(f1_score([1, 2, 3], [1, 1, 3], average="macro", zero_division=0), 6)  # 5/9
    0.555556
    """
    check_interval("beta", beta, "[0, inf]")
    options = labels, None, "macro", sample_weight, zero_division
    plan = counted(y_true, y_pred, "F of averages", *options)
    mean = mean_of(plan, zero_division, precision_score, recall_score)
    return float(fbeta_of_averages(mean, beta))


@metric(
    mean_table, reads="rates", traits=("is_table",), bounds=(0.0, INFINITY), greater_is_better=None
)
def averaged_confusion(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> Array:
    r"""Mean of the one-vs-rest tables of the classes: micro-averaged rates follow from it.

    .. math:: M = \frac{1}{K} \sum_k \begin{pmatrix} TN_k & FP_k \\ FN_k & TP_k \end{pmatrix}

    Parameters
    ----------
    {y_true_y_pred_multilabel}
    {labels}
    {sample_weight}

    Returns
    -------
    ndarray of shape (2, 2)
        [[TN, FP], [FN, TP]], means over the classes.

    Raises
    ------
    {raises}

    References
    ----------
    Sokolova & Lapalme (2009), Information Processing & Management 45(4), 427-437.

    Examples
    --------
    >>> from skmetrics_ext import averaged_confusion
    >>> averaged_confusion(["a", "b"], ["a", "a"])
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight, absolute=True)
    return mean_table(averaged(LabelTally(checked), labels, average="macro").read)


@metric(largest_class, greater_is_better=None, interval="largest")
def no_information_rate(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    r"""No-information rate: the accuracy of always predicting the most frequent class.

    .. math:: \max_k n_k / n

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels; checked, not used.
    {sample_weight}

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    {raises}

    References
    ----------
    Kuhn (2008), Journal of Statistical Software 28(5), 1-26.

    Examples
    --------
    >>> from skmetrics_ext import no_information_rate
    >>> no_information_rate(["a", "b", "b", "b"], ["a", "b", "b", "a"])
    0.75
    """
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight)
    counts = Counts.from_labels(checked.single_label("the no-information rate"))
    return float(largest_class(counts))
