"""Agreement of any number of raters beyond chance: Krippendorff, Gwet, Fleiss.

Two ratings of one item are a true and a predicted label, so that one kernel reads the confusion
table of two raters and the pairs of ratings of many.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import n_classes_of
from skmetrics_ext.metrics.labels.agreement import (
    ONE_CLASS,
    beyond_chance,
    mean_share,
    mixed_pairs,
)
from skmetrics_ext.metrics.labels.ordered_classes import (
    check_order,
    disagreement,
    numbers_of,
)
from skmetrics_ext.metrics.public import metric, rows_with_labels, value_or_nan
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import Counts, LabelTally, Tabulated
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.ratings import Ratings

LEVELS = ("nominal", "ordinal", "interval", "ratio")
_WEIGHTS = ("linear", "quadratic", "ordinal", None)
_AXES = (-1, -2)

# --------------------------------------------------------------------------- pairs of ratings


@dataclass(frozen=True, eq=False)
class RatingTable(Tabulated):
    """Pairs of ratings of the same item, in both orders, under any weights of the items.

    Parameters
    ----------
    classes : ndarray of shape (K,)
    table : ndarray of shape (..., K, K)
        By value, the pairs of each rating weigh 1/2 in all, so that two raters have the weight of
        their confusion table. By item, the mean over the items with several ratings.
    share : ndarray of shape (..., K)
        By item, the mean share of each class over all rated items.
    ordered : bool or None
    """

    classes: Array
    table: Array
    share: Array
    ordered: bool | None = False

    @classmethod
    def of(cls, ratings: Ratings, mass: Array, *, by_item: bool) -> RatingTable:
        """The table of items with these weights (..., n)."""
        total = mass.sum(axis=-1) if by_item else np.ones(mass.shape[:-1])
        table = np.tensordot(mass, ratings.pairs(by_item=by_item), axes=1)
        share = divide(mass @ ratings.shares, total[..., None])
        table = divide(table, total[..., None, None])
        return cls(ratings.classes, table, share, ratings.ordered)


# ------------------------------------------------- kernels, over the classes on the last axis


def krippendorff_alpha(
    tally: Counts | Tabulated, level: str = "nominal", grades: Any = None
) -> Array:
    """1 minus the observed over the expected difference of two values paired at random.

    Counts are enough if all pairs of classes differ equally ("nominal").
    """
    if isinstance(tally, Counts):
        share, rows = mean_share(tally), tally.true.sum(axis=-1)
        return beyond_chance(tally, mixed_pairs(share, share) * _small_sample(rows))
    if level == "ordinal" or (level != "nominal" and grades is None):
        check_order(tally)
    tally = tally.in_rising_order()
    table = tally.table
    rows = table.sum(axis=_AXES)
    seen = divide(table, np.asarray(rows)[..., None, None])
    seen = (seen + np.swapaxes(seen, -1, -2)) / 2
    share = seen.sum(axis=-1)
    difference = _differences(tally, level, grades, share)
    # Values are not paired with themselves, but such differences are 0 anyway.
    pairs = share[..., :, None] * share[..., None, :]
    expected = (difference * pairs).sum(axis=_AXES) * _small_sample(rows)
    return 1 - divide((difference * seen).sum(axis=_AXES), expected)


def _differences(tally: Tabulated, level: str, grades: Any, share: Array) -> Array:
    """Difference of every two classes, (..., K, K)."""
    if level == "nominal":
        return 1.0 - np.eye(share.shape[-1])
    if level == "ordinal":  # mid-rank: the values below, and half of the class itself
        places = np.cumsum(share, axis=-1) - share / 2
    else:
        places = numbers_of(tally, grades)
    difference = (places[..., :, None] - places[..., None, :]) ** 2
    if level != "ratio":
        return np.asarray(difference)
    if (places < 0).any():
        raise InvalidParameterError(
            f"level='ratio' needs numbers from 0 on, got {places.min():g}: pass grades= or "
            "level='interval'."
        )
    total = (places[:, None] + places) ** 2
    return difference / np.where(total > 0, total, 1.0)


def _small_sample(rows: Array) -> Array:
    """n / (n - 1) for the n = 2 rows values drawn without replacement; nan up to one value."""
    n = 2.0 * np.asarray(rows)
    return divide(n, np.maximum(n - 1, 0))


def gwet_ac1(tally: Counts | Tabulated, weights: Any = None, labels: Any = None) -> Array:
    """Agreement beyond a chance that stays small when one class dominates; AC2 with weights."""
    if isinstance(tally, Counts):
        share = mean_share(tally)
        others = n_classes_of(tally, labels) - 1
        return beyond_chance(tally, 1 - divide(mixed_pairs(share, share), others))
    seen, share, worse = _pairs_of(tally, weights)
    n_classes = share.shape[-1] if labels is not None else (share.real != 0).sum(axis=-1)
    full = n_classes**2 - _total_of(worse, share, labels)
    chance = divide(full, n_classes * (n_classes - 1.0)) * mixed_pairs(share, share)
    return _beyond(seen, worse, 1 - chance)


def fleiss_kappa(tally: Counts | Tabulated, weights: Any = None) -> Array:
    """Agreement beyond the chance of the shares of the classes among all ratings."""
    if isinstance(tally, Counts):
        share = mean_share(tally)
        return beyond_chance(tally, mixed_pairs(share, share))
    seen, share, worse = _pairs_of(tally, weights)
    pairs = share[..., :, None] * share[..., None, :]
    return _beyond(seen, worse, (worse * pairs).sum(axis=_AXES))


def _beyond(seen: Array, worse: Array, expected: Array) -> Array:
    """Agreement beyond chance; ``seen`` sums to 1 but for perturbed weights of items."""
    return seen.sum(axis=_AXES) - divide((worse * seen).sum(axis=_AXES), expected)


def _total_of(worse: Array, share: Array, labels: Any) -> Array:
    """Sum of the disagreement of every two classes of ``labels``, or of those that occur."""
    if labels is not None:
        return np.asarray(worse.sum())
    used = (share.real != 0) * 1.0
    return np.einsum("...c,cd,...d->...", used, worse, used)


def _pairs_of(tally: Tabulated, weights: Any) -> tuple[Array, Array, Array]:
    """Share of each pair of classes, share of each class, and how bad each pair is, up to 1."""
    if isinstance(weights, str):
        check_order(tally)
    tally = tally.in_rising_order()
    seen = tally.table
    if isinstance(tally, RatingTable):
        share = tally.share
    else:
        seen = divide(seen, seen.sum(axis=_AXES)[..., None, None])
        seen = (seen + np.swapaxes(seen, -1, -2)) / 2
        share = seen.sum(axis=-1)
    n_classes = share.shape[-1]
    if weights is None:
        return seen, share, 1.0 - np.eye(n_classes)
    steps = isinstance(weights, str) and weights == "ordinal"
    places = np.arange(n_classes) if steps else numbers_of(tally, None)
    worse = disagreement(weights, places, _WEIGHTS)
    return seen, share, worse / max(float(worse.max()), np.finfo(float).tiny)


# --------------------------------------------------------------------------- public functions

_raters = partial(metric, undefined=ONE_CLASS, bounds=(-1.0, 1.0))


def _score(
    kernel: Callable[..., Array],
    title: str,
    y_true: Any,
    y_pred: Any,
    labels: Any,
    sample_weight: Any,
    *,
    by_item: bool = True,
    needs_table: bool = False,
    why: str = ONE_CLASS,
) -> float:
    """The value of two raters, or of a table of ratings."""
    tally: Any
    if y_pred is None and not isinstance(y_true, Tabulated):
        ratings = Ratings.check(y_true, labels, sample_weight, 1 if by_item else 2)
        tally = RatingTable.of(ratings, ratings.mass, by_item=by_item)
    else:
        other = y_true if y_pred is None else y_pred
        rows = rows_with_labels(y_true, other, labels, sample_weight, title, not by_item)
        tally = LabelTally(rows) if needs_table else LabelTally(rows).counts()
    return value_or_nan(kernel(tally), title, why)


@_raters(
    krippendorff_alpha,
    table_when=("level",),
    traits=("weights_are_counts",),
)
def krippendorff_alpha_score(
    y_true: ArrayLike,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    level: Literal["nominal", "ordinal", "interval", "ratio"] = "nominal",
    grades: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Krippendorff's alpha of two raters, or of any number with missing ratings.

    .. math:: \alpha = 1 - D_o / D_e

    the mean difference within items over that of any two values drawn without replacement. Each
    value is compared with the others of its item; items with one rating are left out.

    Parameters
    ----------
    {ratings}
    {labels}
    level : {"nominal", "ordinal", "interval", "ratio"}, default="nominal"
        Difference of two classes: 0 or 1; by the number of values that rank between them;
        the squared distance of their grades; that over the square of their sum.
    grades : array-like of shape (n_classes,), default=None
        Number of each class for "interval" and "ratio". By default classes that are numbers are
        their own grades; others have 0, 1, 2, ..., which needs an order, as "ordinal" does: of
        ``labels``, or of an ordered categorical.
    sample_weight : array-like of shape (n_samples,), default=None
        How often each row was seen: unlike elsewhere their scale counts, for the correction
        for small samples uses the number of values.

    Returns
    -------
    float
        At most 1; higher is better, 0 is chance. nan, with a warning, for one class alone, and
        for weights that sum to half a row or less.

    Raises
    ------
    {raises}

    References
    ----------
    Krippendorff (2004), Content Analysis, chapter 11.

    Examples
    --------
    >>> from skmetrics_ext import krippendorff_alpha_score
    >>> krippendorff_alpha_score([0, 0, 1, 1], [0, 1, 0, 1])
    0.125
    >>> ratings = [[1, 1, None], [2, 2, 3], [3, 3, 3], [None, 1, 2]]  # items x raters
    >>> round(krippendorff_alpha_score(ratings, level="ordinal"), 4)
    0.7398
    """
    check_option("level", level, LEVELS)
    return _score(
        partial(krippendorff_alpha, level=level, grades=grades),
        "Krippendorff's alpha",
        y_true,
        y_pred,
        labels,
        sample_weight,
        by_item=False,
        needs_table=level != "nominal",
        why="only one class occurs, or the weights sum to half a row or less",
    )


@_raters(gwet_ac1, table_when=("weights",))
def gwet_ac1_score(
    y_true: ArrayLike,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    weights: Literal["linear", "quadratic", "ordinal"] | ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Gwet's AC1: agreement beyond a chance that stays small when one class dominates.

    .. math:: p_e = \frac{1}{K - 1} \sum_k \pi_k (1 - \pi_k), \quad \pi_k = (t_k + p_k) / 2n

    K is the number of ``labels``, or of the classes that occur. Of a table of ratings, agreement is
    the mean over the items with several ratings, :math:`\pi_k` over all. AC2 with weights: p_e is
    then multiplied by the mean agreement of all pairs of classes, times K. Chance has 0.

    Parameters
    ----------
    {ratings}
    {labels}
    {rater_weights}
    {sample_weight}

    Returns
    -------
    float
        In [-1, 1]; higher is better. nan, with a warning, where only one class occurs.

    Raises
    ------
    {raises}

    References
    ----------
    Gwet (2008), British Journal of Mathematical and Statistical Psychology 61(1), 29-48; Gwet
    (2014), Handbook of Inter-Rater Reliability, 4th edition, for several raters and AC2.

    Examples
    --------
    >>> from skmetrics_ext import gwet_ac1_score
    >>> gwet_ac1_score([0, 0, 1, 1], [0, 1, 0, 1])
    0.0
    >>> ratings = [[1, 1, None], [2, 2, 3], [3, 3, 3], [None, 1, 2]]  # items x raters
    >>> round(gwet_ac1_score(ratings, weights="quadratic"), 4)
    0.6907
    """
    data = y_true, y_pred, labels, sample_weight
    kernel = partial(gwet_ac1, weights=weights, labels=labels)
    return _score(kernel, "Gwet's AC1", *data, needs_table=weights is not None)


@_raters(fleiss_kappa, table_when=("weights",))
def fleiss_kappa_score(
    y_true: ArrayLike,
    y_pred: ArrayLike | None = None,
    *,
    labels: ArrayLike | None = None,
    weights: Literal["linear", "quadratic", "ordinal"] | ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Fleiss' kappa: agreement of any number of raters beyond chance.

    .. math:: \kappa = (p_o - p_e) / (1 - p_e), \quad p_e = \sum_k \pi_k^2

    with the share :math:`\pi_k` of class k among the ratings of an item, mean over the items, and
    the share :math:`p_o` of pairs of ratings of an item that agree, mean over items with several
    ratings. For two raters it is Scott's pi, not Cohen's kappa. Chance has 0.

    Parameters
    ----------
    {ratings}
    {labels}
    {rater_weights}
    {sample_weight}

    Returns
    -------
    float
        In [-1, 1]; higher is better. nan, with a warning, where only one class occurs.

    Raises
    ------
    {raises}

    References
    ----------
    Fleiss (1971), Psychological Bulletin 76(5), 378-382; Gwet (2014), Handbook of Inter-Rater
    Reliability, 4th edition, for missing ratings and weights.

    Examples
    --------
    >>> from skmetrics_ext import fleiss_kappa_score
    >>> ratings = [[0, 0, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1]]  # items x raters
    >>> round(fleiss_kappa_score(ratings), 4)
    0.3333
    """
    data = y_true, y_pred, labels, sample_weight
    kernel = partial(fleiss_kappa, weights=weights)
    return _score(kernel, "Fleiss' kappa", *data, needs_table=weights is not None)
