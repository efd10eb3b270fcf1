"""Further proper scores of probabilities: spherical, ranked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.probabilities.losses import mean, of_true_class
from skmetrics_ext.metrics.public import metric
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import Means
from skmetrics_ext.validation import InvalidParameterError, Probabilities

# --------------------------------------------------------------------------- values of rows


def spherical_cosines(checked: Probabilities) -> Array:
    """Cosine of the angle between the probabilities of each row and its true class."""
    proba = checked.proba
    norm = np.sqrt(np.einsum("nk,nk->n", proba, proba))
    return (of_true_class(checked.true, proba) / norm)[:, None]


def ranked_distances(checked: Probabilities) -> Array:
    """Squared distance of the two distribution functions of each row, by step."""
    _check_order(checked)
    reached = np.cumsum(checked.proba[:, :-1], axis=1)
    away = reached - (np.arange(reached.shape[1]) >= checked.true[:, None])
    return (np.einsum("nk,nk->n", away, away) / reached.shape[1])[:, None]


# --------------------------------------------------------------------------- public functions


@metric(mean, sides="either", row_values=spherical_cosines)
def spherical_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Spherical score: mean of the probability of the true class over the norm of its row.

    .. math:: \frac{1}{n} \sum_i \frac{p_{i, y_i}}{\sqrt{\sum_c p_{ic}^2}}

    A strictly proper score: its expectation is greatest for the true probabilities.

    Parameters
    ----------
    {y_true_y_proba}
    {proba_labels}
    {proba_pos_label}
    {sample_weight}

    Returns
    -------
    float
        In [0, 1]; higher is better.

    Raises
    ------
    {raises}

    References
    ----------
    Good (1971), in Godambe & Sprott (eds.), Foundations of Statistical Inference, 337-339;
    Gneiting & Raftery (2007), Journal of the American Statistical Association 102, 359-378.

    Examples
    --------
    >>> from skmetrics_ext import spherical_score
    >>> round(spherical_score([0, 1], [[0.6, 0.4], [0.2, 0.8]]), 6)
    0.901096
    """
    checked = Probabilities.check_strict(
        y_true, y_proba, labels=labels, pos_label=pos_label, sample_weight=sample_weight
    )
    return float(mean(Means.of(spherical_cosines(checked), checked.weight)))


@metric(
    mean,
    greater_is_better=False,
    scorer="ranked_probability_score",
    sides="either",
    traits=("numeric_labels",),
    row_values=ranked_distances,
)
def ranked_probability_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Ranked probability score of ordered classes: the Brier score of "at most class k".

    .. math:: \frac{1}{n (K - 1)} \sum_i \sum_{k < K} \Big(\sum_{c \le k} p_{ic}
        - [y_i \le k]\Big)^2

    Probability on a class near the true one costs less than on one far from it. Of two classes
    it is the Brier score.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels: numbers, an ordered categorical, or text whose order ``labels`` gives.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
        Probability of each class, rows summing to 1; of two classes, one column will do: that
        of the positive class.
    labels : array-like of shape (n_classes,), default=None
        The classes from the lowest to the highest, and the columns of ``y_proba`` in the same
        order. The sorted classes of ``y_true`` by default, which for text is no order of rank
        and refused.
    {proba_pos_label}
    {sample_weight}

    Returns
    -------
    float
        In [0, 1]; lower is better.

    Raises
    ------
    {raises}

    References
    ----------
    Epstein (1969), Journal of Applied Meteorology 8(6), 985-987; Murphy (1971), Journal of
    Applied Meteorology 10(1), 155-156.

    Examples
    --------
    >>> from skmetrics_ext import ranked_probability_score
    >>> near, far = [[0.0, 0.4, 0.6]], [[0.4, 0.0, 0.6]]
    >>> stages = ["mild", "severe", "critical"]
    >>> round(ranked_probability_score(["critical"], near, labels=stages), 4)
    0.08
    >>> round(ranked_probability_score(["critical"], far, labels=stages), 4)
    0.16
    """
    checked = Probabilities.check_strict(
        y_true, y_proba, labels=labels, pos_label=pos_label, sample_weight=sample_weight
    )
    return float(mean(Means.of(ranked_distances(checked), checked.weight)))


def _check_order(checked: Probabilities) -> None:
    """Refuse text in the order of the alphabet, which is not that of its ranks."""
    classes = checked.classes
    if len(classes) < 3 or classes.dtype.kind not in "UTO" or checked.cache.get("ordered"):
        return
    raise InvalidParameterError(
        f"The order of the text labels {classes.tolist()} is not known: pass labels=, from the "
        "lowest class to the highest."
    )
