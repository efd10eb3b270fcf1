"""Metrics of the order of labels within a row: ranking losses, discounted gain.

The labels of all rows, each row sorted by score, are stored in flat arrays, where equal scores form
a run. So sums within rows need no loop over rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.probabilities.losses import mean
from skmetrics_ext.metrics.public import metric
from skmetrics_ext.metrics.spec import INFINITY, UNBOUNDED
from skmetrics_ext.numeric import Array, divide, parts
from skmetrics_ext.tallies import Means
from skmetrics_ext.validation import Scores, check_option
from skmetrics_ext.validation.parameters import check_integer, check_interval
from skmetrics_ext.validation.relevance import check_marks, check_relevance

_CELLS = 1 << 15  # processed at once, so that temporaries stay in the cache

# --------------------------------------------------------------------------- order of labels


def ascending(score: Array) -> Array:
    """Flat indexes of a matrix, row by row, from the lowest to the highest score of each row."""
    order = np.argsort(score, axis=1)
    order += np.arange(0, score.size, score.shape[1])[:, None]
    return order.reshape(-1)


def run_starts(ranked: Array, n_labels: int) -> Array:
    """Starts of the runs of equal scores in ranked rows; runs end with their row."""
    new = np.empty(len(ranked), dtype=bool)
    np.not_equal(ranked[1:], ranked[:-1], out=new[1:])
    new[::n_labels] = True
    return np.flatnonzero(new)


def by_rows(function: Callable[[Array, Array], Array], true: Array, score: Array) -> Array:
    """Value of each row, as a column, computed a few rows at a time."""
    n_rows, n_labels = score.shape
    values = np.empty((n_rows, 1))
    for part in parts(n_rows, max(1, _CELLS // n_labels)):
        values[part, 0] = function(true[part], score[part])
    return values


# --------------------------------------------------------------------------- values of rows


def covered(true: Array, score: Array) -> Array:
    """Number of labels that score at least as high as the lowest relevant one; 0 without any."""
    lowest = np.where(true, score, score.max()).min(axis=1, keepdims=True)
    return (score >= lowest).sum(axis=1) * true.any(axis=1)


def average_precision(true: Array, score: Array) -> Array:
    """Mean over relevant labels of the share of relevant ones among labels that score as high."""
    row, labels, relevant = reached(true, score)
    n_relevant = np.bincount(row, minlength=len(true))
    share = np.bincount(row, relevant / labels, minlength=len(true))
    return np.where(_both(n_relevant, true), divide(share, n_relevant), 1.0)


def wrong_pairs(true: Array, score: Array) -> Array:
    """Share of the pairs of a relevant and another label in which the other scores as high."""
    row, labels, relevant = reached(true, score)
    n_relevant = np.bincount(row, minlength=len(true))
    wrong = np.bincount(row, labels - relevant, minlength=len(true))
    n_pairs = n_relevant * (true.shape[1] - n_relevant)
    return np.where(_both(n_relevant, true), divide(wrong, n_pairs), 0.0)


def reached(true: Array, score: Array) -> tuple[Array, Array, Array]:
    """For each relevant label: its row, and the number of labels and relevant ones as high.

    All labels of a run of equal scores count, so that ties are never an advantage.
    """
    n_labels = score.shape[1]
    order = ascending(score)
    ranked, marks = score.reshape(-1).take(order), true.reshape(-1).take(order)
    starts = run_starts(ranked, n_labels)
    own = np.flatnonzero(marks)
    first = own
    if len(starts) < len(ranked):
        first = np.repeat(starts, np.diff(starts, append=len(ranked)))[own]
    before = np.zeros(len(marks) + 1, dtype=np.int64)
    np.cumsum(marks, out=before[1:])
    row = own // n_labels
    end = (row + 1) * n_labels
    return row, end - first, before[end] - before[first]


def _both(n_relevant: Array, true: Array) -> Array:
    """Whether a row has both relevant and other labels, so that their order matters."""
    return (n_relevant > 0) & (n_relevant < true.shape[1])


# Columns whose means the kernel reads.


def coverage_rows(checked: Scores) -> Array:
    return by_rows(covered, checked.true, checked.score)


def precision_rows(checked: Scores) -> Array:
    return by_rows(average_precision, checked.true, checked.score)


def loss_rows(checked: Scores) -> Array:
    return by_rows(wrong_pairs, checked.true, checked.score)


def discounts(n_labels: int, k: int | None = None, log_base: float = 2) -> Array:
    """Discount of relevance at each place, from the last place to the first; 0 beyond k."""
    place = np.arange(n_labels, 0, -1)
    worth = np.log(log_base) / np.log(place + 1)
    return worth if k is None else np.where(place <= k, worth, 0.0)


def gain(true: Array, score: Array, worth: Array, ignore_ties: bool = False) -> Array:
    """Sum of the relevance of each label times the mean discount of the places of its score."""
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
    """The gain over the greatest possible gain of these labels; 0 if none is relevant."""
    greatest = np.einsum("nk,k->n", np.sort(true, axis=1), worth)
    share = divide(gain(true, score, worth, ignore_ties), greatest)
    return np.where(greatest == 0, 0.0, np.minimum(share, 1.0))  # rounding may leave it above 1


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
    mean,
    bounds=(0.0, INFINITY),
    greater_is_better=False,
    traits=("ranks_labels",),
    check=check_marks,
    row_values=coverage_rows,
)
def coverage_error(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    r"""Coverage error: how far down the ranking of its labels a row must be read to see them all.

    .. math:: \frac{1}{n} \sum_i \max_{j: y_{ij} = 1} r_{ij},
        \quad r_{ij} = |\{k: f_{ik} \ge f_{ij}\}|

    with :math:`f` the scores. Of equal scores all are read. A row without a relevant label
    counts 0.

    Parameters
    ----------
    {marks_and_scores}
    {sample_weight}

    Returns
    -------
    float
        In [0, n_labels]; lower is better. The least is the mean number of relevant labels.

    Raises
    ------
    {raises}

    See Also
    --------
    label_ranking_average_precision_score : How many of the labels read are relevant.

    References
    ----------
    Tsoumakas, Katakis & Vlahavas (2010), in Maimon & Rokach (eds.), Data Mining and Knowledge
    Discovery Handbook, 667-685, where it is less by 1.

    Examples
    --------
    >>> from skmetrics_ext import coverage_error
    >>> coverage_error([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.1], [0.5, 0.8, 0.3]])
    2.0
    """
    checked = check_marks(y_true, y_score, sample_weight=sample_weight)
    return float(mean(Means.of(coverage_rows(checked), checked.weight)))


@metric(
    mean,
    traits=("ranks_labels",),
    check=partial(check_marks, one_label=True),
    row_values=precision_rows,
)
def label_ranking_average_precision_score(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    r"""Label ranking average precision: of the labels down to a relevant one, the share relevant.

    .. math:: \frac{1}{n} \sum_i \frac{1}{|Y_i|} \sum_{j \in Y_i}
        \frac{|\{k \in Y_i: f_{ik} \ge f_{ij}\}|}{|\{k: f_{ik} \ge f_{ij}\}|}

    with :math:`Y_i` the relevant labels of row i and :math:`f` the scores. A row whose labels are
    all relevant, or none, counts 1.

    Parameters
    ----------
    {marks_and_scores}
    {sample_weight}

    Returns
    -------
    float
        In (0, 1]; higher is better.

    Raises
    ------
    {raises}

    See Also
    --------
    average_precision_score : With ``average="samples"`` the same, but of a row without a relevant
        label, which counts 0 there.

    References
    ----------
    Tsoumakas, Katakis & Vlahavas (2010), in Maimon & Rokach (eds.), Data Mining and Knowledge
    Discovery Handbook, 667-685.

    Examples
    --------
    >>> from skmetrics_ext import label_ranking_average_precision_score
    >>> y_true, y_score = [[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.1], [0.5, 0.8, 0.3]]
    >>> round(label_ranking_average_precision_score(y_true, y_score), 4)
    0.9167
    """
    checked = check_marks(y_true, y_score, sample_weight=sample_weight, one_label=True)
    return float(mean(Means.of(precision_rows(checked), checked.weight)))


@metric(
    mean, greater_is_better=False, traits=("ranks_labels",), check=check_marks, row_values=loss_rows
)
def label_ranking_loss(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    r"""Ranking loss: share of the pairs of labels of a row that are ranked the wrong way round.

    .. math:: \frac{1}{n} \sum_i \frac{|\{(j, k): y_{ij} = 1, y_{ik} = 0, f_{ij} \le f_{ik}\}|}
        {|Y_i| (K - |Y_i|)}

    with :math:`Y_i` the relevant labels of row i and :math:`f` the scores. Equal scores are
    wrong. A row whose labels are all relevant, or none, counts 0.

    Parameters
    ----------
    {marks_and_scores}
    {sample_weight}

    Returns
    -------
    float
        In [0, 1]; lower is better.

    Raises
    ------
    {raises}

    See Also
    --------
    roc_auc_score : With ``average="samples"``, 1 less this loss where no scores are equal.

    References
    ----------
    Tsoumakas, Katakis & Vlahavas (2010), in Maimon & Rokach (eds.), Data Mining and Knowledge
    Discovery Handbook, 667-685.

    Examples
    --------
    >>> from skmetrics_ext import label_ranking_loss
    >>> label_ranking_loss([[1, 0, 0], [0, 1, 1]], [[0.9, 0.2, 0.1], [0.5, 0.8, 0.3]])
    0.25
    """
    checked = check_marks(y_true, y_score, sample_weight=sample_weight)
    return float(mean(Means.of(loss_rows(checked), checked.weight)))


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
    base = check_interval("log_base", log_base, "(0, inf)")
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
