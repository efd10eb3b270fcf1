"""Gain of the labels that a row ranks first: relevance, discounted by place."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.probabilities.losses import mean
from skmetrics_ext.metrics.public import metric
from skmetrics_ext.metrics.rankings.label_ranking import ascending, by_rows, run_starts
from skmetrics_ext.metrics.spec import UNBOUNDED
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import Means
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option
from skmetrics_ext.validation.parameters import check_integer, check_number
from skmetrics_ext.validation.relevance import check_relevance

# --------------------------------------------------------------------------- values of rows


def discounts(n_labels: int, k: int | None = None, log_base: float = 2) -> Array:
    """What relevance is worth at each place, from the last place to the first; 0 beyond k."""
    place = np.arange(n_labels, 0, -1)
    worth = np.log(log_base) / np.log(place + 1)
    return worth if k is None else np.where(place <= k, worth, 0.0)


def gain(true: Array, score: Array, worth: Array, ignore_ties: bool = False) -> Array:
    """Sum of the relevance of each label times the mean worth of the places of its score."""
    order = ascending(score)
    ranked = true.reshape(-1).take(order).reshape(true.shape)
    if not ignore_ties:
        starts = run_starts(score.reshape(-1).take(order), len(worth))
        if len(starts) < score.size:
            lengths = np.diff(starts, append=score.size)
            shared = np.add.reduceat(np.tile(worth, len(true)), starts) / lengths
            return np.einsum("nk,nk->n", ranked, np.repeat(shared, lengths).reshape(true.shape))
    return np.einsum("nk,k->n", ranked, worth)


def normalized_gain(true: Array, score: Array, worth: Array, ignore_ties: bool = False) -> Array:
    """The gain by the greatest that these labels could have; 0 where none is relevant."""
    greatest = np.einsum("nk,k->n", np.sort(true, axis=1), worth)
    share = divide(gain(true, score, worth, ignore_ties), greatest)
    return np.where(greatest == 0, 0.0, np.minimum(share, 1.0))  # rounding may leave it above 1


# What the kernel reads the moments of, as a column.


def gain_rows(
    checked: Scores, k: int | None = None, log_base: float = 2, ignore_ties: bool = False
) -> Array:
    worth = discounts(checked.score.shape[1], k, log_base)
    value = partial(gain, worth=worth, ignore_ties=ignore_ties)
    return by_rows(value, checked.true, checked.score)


def normalized_rows(checked: Scores, k: int | None = None, ignore_ties: bool = False) -> Array:
    worth = discounts(checked.score.shape[1], k)
    value = partial(normalized_gain, worth=worth, ignore_ties=ignore_ties)
    return by_rows(value, checked.true, checked.score)


# --------------------------------------------------------------------------- public functions


@metric(
    mean, bounds=UNBOUNDED, traits=("ranks_labels",), check=check_relevance, row_values=gain_rows
)
def dcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
) -> float:
    r"""Discounted cumulative gain: the relevance of the labels, worth less from place to place.

    .. math:: \frac{1}{n} \sum_i \sum_{r \le k} \frac{y_{i, \pi_i(r)}}{\log_b (r + 1)}

    with :math:`\pi_i(r)` the label of row i at place r by score. Labels of equal scores share
    their places: each has the mean worth of them, which is the mean over all orders of these
    labels.

    Parameters
    ----------
    {relevance_and_scores}
    {gain_k}
    log_base : float, default=2
        Base b of the logarithm: the lower, the less later places are worth.
    {sample_weight}
    {ignore_ties}

    Returns
    -------
    float
        0 or more where no relevance is negative; higher is better. In the unit of the relevance.

    Raises
    ------
    {raises}

    See Also
    --------
    ndcg_score : The same as a share of the greatest gain that a row could have.

    References
    ----------
    Jarvelin & Kekalainen (2002), ACM Transactions on Information Systems 20(4), 422-446; for
    equal scores McSherry & Najork (2008), European Conference on Information Retrieval, 414-421.

    Examples
    --------
    >>> from skmetrics_ext import dcg_score
    >>> round(dcg_score([[3, 0, 2]], [[0.9, 0.5, 0.4]]), 4)
    4.0
    >>> dcg_score([[3, 0, 2]], [[0.9, 0.9, 0.4]], k=1)
    1.5
    """
    _check_options(k, ignore_ties)
    base = _check_base(log_base)
    checked = check_relevance(y_true, y_score, sample_weight=sample_weight)
    rows = gain_rows(checked, k, base, ignore_ties)
    return float(mean(Means.of(rows, checked.weight)))


@metric(
    mean,
    traits=("ranks_labels",),
    check=partial(check_relevance, negative=False),
    row_values=normalized_rows,
)
def ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
) -> float:
    r"""Normalized discounted cumulative gain: the gain of a row as a share of its greatest.

    .. math:: \frac{1}{n} \sum_i \frac{DCG_i}{\max_\pi DCG_i(\pi)},
        \quad DCG_i = \sum_{r \le k} \frac{y_{i, \pi_i(r)}}{\log_2 (r + 1)}

    with :math:`\pi_i(r)` the label of row i at place r by score. Labels of equal scores share
    their places, as in `dcg_score`. A row without a relevant label counts 0.

    Parameters
    ----------
    {relevance_and_scores_not_negative}
    {gain_k}
    {sample_weight}
    {ignore_ties}

    Returns
    -------
    float
        In [0, 1]; higher is better.

    Raises
    ------
    {raises}

    See Also
    --------
    dcg_score : The gain itself.

    References
    ----------
    Jarvelin & Kekalainen (2002), ACM Transactions on Information Systems 20(4), 422-446; Wang et
    al. (2013), Conference on Learning Theory, 25-54.

    Examples
    --------
    >>> from skmetrics_ext import ndcg_score
    >>> round(ndcg_score([[3, 0, 2]], [[0.9, 0.5, 0.4]]), 4)
    0.9386
    >>> ndcg_score([[3, 0, 2]], [[0.9, 0.9, 0.4]], k=1)
    0.5
    """
    _check_options(k, ignore_ties)
    checked = check_relevance(y_true, y_score, sample_weight=sample_weight, negative=False)
    rows = normalized_rows(checked, k, ignore_ties)
    return float(mean(Means.of(rows, checked.weight)))


def _check_options(k: Any, ignore_ties: Any) -> None:
    check_option("ignore_ties", ignore_ties, (True, False))
    if k is not None:
        check_integer("k", k, 1)


def _check_base(log_base: Any) -> float:
    base = check_number("log_base", log_base, 0)
    if base == 0:
        raise InvalidParameterError(f"log_base has to be greater than 0, got {log_base!r}.")
    return base
