"""Whether the true class is among those with the highest scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.probabilities.losses import mean
from skmetrics_ext.metrics.public import metric
from skmetrics_ext.numeric import Array
from skmetrics_ext.tallies import Means
from skmetrics_ext.validation import Scores, check_option, warn_undefined
from skmetrics_ext.validation.parameters import check_integer

# --------------------------------------------------------------------------- kernels


def hit_rows(true: Array, score: Array, k: int) -> Array:
    """Whether fewer than k classes score above the true one; later columns win ties."""
    own = score[np.arange(len(true)), true][:, None]
    later = np.arange(score.shape[1]) > true[:, None]
    ahead = (score > own) | ((score == own) & later)
    return np.asarray(np.count_nonzero(ahead, axis=1) < k)


def top_k_hits(checked: Scores, k: int = 2) -> Array:
    """1 for rows whose class is among the k highest scores, else 0."""
    score = checked.score
    if score.ndim == 2:
        hits = hit_rows(checked.true, score, int(k))
    elif k > 1:
        hits = np.ones(len(score), dtype=bool)
    else:
        threshold = 0.5 if score.min() >= 0 and score.max() <= 1 else 0.0
        hits = (score > threshold) == checked.true
    return hits[:, None].astype(np.float64)


# --------------------------------------------------------------------------- public functions


@metric(
    mean,
    scorer="top_k_accuracy",
    traits=("needs_three_classes", "misses_unseen"),
    check=Scores.check_columns,
    row_values=top_k_hits,
    interval="wilson",
)
def top_k_accuracy_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int = 2,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Top-k accuracy: share of the rows whose class is among the k with the highest scores.

    .. math:: \frac{1}{n} \sum_i [r_i \le k]

    with :math:`r_i` the rank of the true class among the scores of row i.

    Of equal scores the class with the later column goes first.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores of the classes. For binary labels, those of the second class: it is predicted
        above 0.5 if all scores are in [0, 1], else above 0.
    k : int, default=2
        How many classes are looked at.
    {normalize}
    {sample_weight}
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score``, in this order, sorted or not. The sorted
        classes of ``y_true`` by default.

    Returns
    -------
    float
        In [0, 1] (the weighted number of rows when ``normalize=False``); higher is better.
        1, with a warning, where k is not less than the number of classes.

    Raises
    ------
    {raises}

    References
    ----------
    Russakovsky et al. (2015), International Journal of Computer Vision 115(3), 211-252.

    Examples
    --------
    >>> from skmetrics_ext import top_k_accuracy_score
    >>> y_score = [[0.5, 0.2, 0.3], [0.3, 0.4, 0.2], [0.2, 0.4, 0.3], [0.7, 0.2, 0.1]]
    >>> top_k_accuracy_score([0, 1, 2, 2], y_score, k=2)
    0.75
    """
    check_option("normalize", normalize, (True, False))
    check_integer("k", k, 1)
    checked = Scores.check_columns(
        y_true, y_score, labels=labels, sample_weight=sample_weight, absolute=not normalize
    )
    n_classes = len(checked.classes)
    if k >= n_classes:
        warn_undefined(
            f"'k' ({k}) greater than or equal to 'n_classes' ({n_classes}) will result in a "
            "perfect score and is therefore meaningless."
        )
    means = Means.of(top_k_hits(checked, k), checked.weight)
    return float(mean(means) if normalize else means.total[0])
