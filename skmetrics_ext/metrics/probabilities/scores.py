"""Scores of probabilities: skill against a reference forecast, spherical and ranked scores."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext import kernels
from skmetrics_ext.metrics.probabilities.losses import (
    brier_losses,
    check_brier,
    log_losses,
    mean,
    of_true_class,
    renamed_argument,
)
from skmetrics_ext.metrics.public import metric, value_or_nan
from skmetrics_ext.metrics.spec import INFINITY
from skmetrics_ext.numeric import Array, Options, PosLabel, divide, exclusive_cumsum
from skmetrics_ext.tallies import Means
from skmetrics_ext.validation import InvalidParameterError, Probabilities, warn_undefined
from skmetrics_ext.validation.containers import count_rows
from skmetrics_ext.validation.encoding import ranks_in
from skmetrics_ext.validation.probabilities import n_columns
from skmetrics_ext.validation.rows import read_rows
from skmetrics_ext.validation.tensors import to_host

# Relative rounding error between equal losses.
_ROUNDING = 1e-14

# --------------------------------------------------------------------------- kernels


def brier_skill(means: Means, reference: Any = None) -> Array:
    """Skill against the class frequencies, from means of (loss, indicator of each class).

    With another ``reference`` the means are of (loss, loss of the reference).
    """
    share = means.mean[..., 1:]
    if reference is not None:
        return share_removed(means.mean[..., 0], share[..., 0])
    return share_removed(means.mean[..., 0], (share * complement(share)).sum(axis=-1))


def log_loss_skill(means: Means) -> Array:
    """Skill in log loss; the reference's loss is the entropy of the class frequencies."""
    share = means.mean[..., 1:]
    rest = complement(share)
    rare = share.real < rest.real
    log = np.where(
        rare, np.log(np.where(share.real > 0, share, 1)), np.log1p(-np.where(rare, 0, rest))
    )
    return share_removed(means.mean[..., 0], -(share * log).sum(axis=-1))


def share_removed(loss: Array, reference: Array) -> Array:
    """Share of a reference's loss that is removed; 0 if the losses differ only by rounding."""
    value = 1 - divide(loss, reference)
    equal = np.abs((loss - reference).real) <= _ROUNDING * (1 + reference.real)
    return np.where(equal, value - value.real, value)


def complement(share: Array) -> Array:
    """1 minus each share; the sum of the other shares if they sum to 1.

    The sum keeps the digits that 1 - share loses if one class has nearly all rows.
    """
    others = exclusive_cumsum(share) + exclusive_cumsum(share[..., ::-1])[..., ::-1]
    exclude = np.abs(share.sum(axis=-1, keepdims=True) - 1) <= 1e-12
    return np.where(exclude, others, 1 - share)


# --------------------------------------------------------------------------- values of rows


def log_losses_and_classes(checked: Probabilities) -> Array:
    """The loss and the class indicators, from whose means the reference loss follows."""
    return np.column_stack([log_losses(checked), checked.as_scores().marks()])


def brier_losses_and_classes(checked: Probabilities) -> Array:
    return np.column_stack([brier_losses(checked, False), checked.as_scores().marks()])


def means_of(losses: Array, checked: Probabilities) -> Means:
    """Means of losses and class indicators, without building the indicators."""
    means = Means.of(losses, checked.weight)
    return Means(means.weight, np.append(means.mean, class_shares(checked)))


def class_shares(checked: Probabilities) -> Array:
    """Weighted frequency of each class."""
    if checked.true.ndim == 2:
        return Means.of(checked.true, checked.weight).mean
    n_classes = 2 if checked.proba.ndim == 1 else checked.proba.shape[1]
    counts = kernels.bin_sums(checked.true, n_classes, checked.weight)
    return counts / counts.sum()


def spherical_cosines(checked: Probabilities) -> Array:
    """Cosine of the angle between the probabilities of each row and its true class."""
    proba = checked.columns
    norm = np.sqrt(np.einsum("nk,nk->n", proba, proba))
    return (of_true_class(checked.true, proba) / norm)[:, None]


def ranked_distances(checked: Probabilities) -> Array:
    """Squared distance of the two distribution functions of each row, by step."""
    true, proba = _in_order(checked)
    reached = np.cumsum(proba[:, :-1], axis=1)
    away = reached - (np.arange(reached.shape[1]) >= true[:, None])
    return (np.einsum("nk,nk->n", away, away) / reached.shape[1])[:, None]


# --------------------------------------------------------------------------- public functions

_skill = partial(
    metric,
    undefined="the reference forecast is without error",
    bounds=(-INFINITY, 1.0),
    sides="either",
)


@_skill(
    log_loss_skill,
    scorer="d2_log_loss_score",
    traits=("takes_logs",),
    check=Probabilities.check,
    row_values=log_losses_and_classes,
)
def d2_log_loss_score(
    y_true: ArrayLike,
    y_proba: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    y_pred: ArrayLike = "deprecated",
) -> float:
    r"""Share of the log loss of the class frequencies that a forecast removes.

    .. math:: 1 - L(p) \,/\, L(\bar y)

    with L the log loss and :math:`\bar y` the (weighted) frequencies of the classes: McFadden's
    pseudo-R squared.

    Parameters
    ----------
    {y_true_y_proba_by_labels}
    {sample_weight}
    {labels_and_y_pred}

    Returns
    -------
    {skill}

    Raises
    ------
    {raises}

    References
    ----------
    McFadden (1974), in Zarembka (ed.), Frontiers in Econometrics, 105-142.

    Examples
    --------
    >>> from skmetrics_ext import d2_log_loss_score
    >>> round(d2_log_loss_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 6)
    0.714873
    """
    y_proba = renamed_argument(y_proba, y_pred)
    if _too_few(y_true, y_proba, sample_weight):
        return float("nan")
    checked = Probabilities.check(y_true, y_proba, labels=labels, sample_weight=sample_weight)
    return _told(log_loss_skill(means_of(log_losses(checked), checked)), d2_log_loss_score)


@_skill(
    brier_skill, scorer="d2_brier_score", check=check_brier, row_values=brier_losses_and_classes
)
def d2_brier_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: PosLabel = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Share of the Brier score of the class frequencies that a forecast removes.

    .. math:: 1 - B(p) \,/\, B(\bar y)

    with B the Brier score and :math:`\bar y` the (weighted) frequencies of the classes. Of
    probabilities it equals `brier_skill_score`, which also takes another reference.

    Parameters
    ----------
    {y_true_y_proba}
    {sample_weight}
    {brier_pos_label}
    {proba_labels}

    Returns
    -------
    {skill}

    Raises
    ------
    {raises}

    References
    ----------
    Murphy (1973), Journal of Applied Meteorology 12(1), 215-223.

    Examples
    --------
    >>> from skmetrics_ext import d2_brier_score
    >>> round(d2_brier_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 4)
    0.85
    """
    if _too_few(y_true, y_proba, sample_weight):
        return float("nan")
    options: Options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    checked = check_brier(y_true, y_proba, side="numbers", **options)
    return _told(brier_skill(means_of(brier_losses(checked, False), checked)), d2_brier_score)


@_skill(brier_skill, row_values=brier_losses_and_classes)
def brier_skill_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    reference: Any = None,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Brier skill score: share of the Brier score of a reference that a forecast removes.

    .. math:: BSS = 1 - B(p) \,/\, B(p_{ref})

    Parameters
    ----------
    {y_true_y_proba}
    reference : float or array-like, default=None
        The forecast to compare with, by default the (weighted) frequencies of the classes.
        For one column of probabilities: one probability, or one for each row. For a column for
        each class: one for each class, or an array of the shape of ``y_proba``.
    {proba_labels}
    {proba_pos_label}
    {sample_weight}

    Returns
    -------
    float
        At most 1; higher is better, 0 is as good as the reference. nan, with a warning, where
        the reference is without error.

    Raises
    ------
    {raises}

    References
    ----------
    Murphy (1973), Journal of Applied Meteorology 12(1), 215-223.

    Examples
    --------
    >>> from skmetrics_ext import brier_skill_score
    >>> round(brier_skill_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 4)
    0.85
    >>> round(brier_skill_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3], reference=0.6), 4)
    0.8558
    """
    options: Options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    checked = Probabilities.check_strict(y_true, y_proba, **options)
    losses = brier_losses(checked, False)
    if reference is None:
        means = means_of(losses, checked)
    else:
        forecast = _spread(reference, len(checked.true), n_columns(y_proba))
        other = brier_losses(Probabilities.check_strict(y_true, forecast, **options), False)
        means = Means.of(np.column_stack([losses, other]), checked.weight)
    return _told(brier_skill(means, reference), brier_skill_score)


def _spread(reference: Any, n_rows: int, width: int) -> Array:
    """A reference forecast, broadcast to all rows."""
    try:
        values = np.asarray(to_host(reference, "reference"), dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidParameterError(f"reference must hold probabilities: {error}.") from error
    shape = (n_rows,) if width == 1 else (n_rows, width)
    if width == 1 and values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.shape not in (shape, shape[1:]):
        raise InvalidParameterError(
            f"reference must have the shape {shape} of y_proba or {shape[1:]}, got {values.shape}."
        )
    return np.broadcast_to(values, shape)


def _told(value: Array, score: Callable[..., float]) -> float:
    return value_or_nan(value, score.__name__, "the reference forecast is without error")


def _too_few(y_true: Any, y_proba: Any, sample_weight: Any) -> bool:
    """Whether there is a single row, for which scikit-learn's value is undefined."""
    if count_rows(y_proba) != 1:
        return False
    read_rows(sample_weight, False, y_proba=y_proba, y_true=y_true)
    warn_undefined("D^2 score is not well-defined with less than two samples.")
    return True


@metric(mean, sides="either", row_values=spherical_cosines)
def spherical_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
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
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
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
        order. By default the columns are those of the sorted classes of ``y_true``, as in
        ``predict_proba``, and the rank is the order of an ordered categorical, or of numbers;
        text has none and is refused.
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


def _in_order(checked: Probabilities) -> tuple[Array, Array]:
    """Codes and probabilities with the classes in rising order; refuse text that has none."""
    classes, order = checked.classes, checked.cache.get("ordered")
    if isinstance(order, tuple):
        columns = np.argsort(ranks_in(order, classes))
        return np.argsort(columns)[checked.true], checked.columns[:, columns]
    if len(classes) < 3 or classes.dtype.kind not in "UTO" or order:
        return checked.true, checked.columns
    raise InvalidParameterError(
        f"The order of the text labels {classes.tolist()} is not known: pass labels=, from the "
        "lowest class to the highest."
    )
