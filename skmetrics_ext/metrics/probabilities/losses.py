"""Losses of probabilities and decision values: means over rows."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext import kernels
from skmetrics_ext.metrics.public import metric
from skmetrics_ext.metrics.spec import INFINITY
from skmetrics_ext.numeric import Array, Options, PosLabel, parts
from skmetrics_ext.tallies import Means
from skmetrics_ext.validation import (
    InvalidParameterError,
    Probabilities,
    Scores,
    check_option,
)
from skmetrics_ext.validation.probabilities import n_columns
from skmetrics_ext.validation.scores import check_decisions

# --------------------------------------------------------------------------- kernels


def mean(means: Means) -> Array:
    return means.mean[..., 0]


def log_loss_rows(true: Array, proba: Array, eps: float) -> Array:
    """Negative log of the probability of each row's true class (or classes)."""
    if true.ndim == 2:
        logs = -np.log(np.clip(proba, eps, 1 - eps))
        return (true * logs).sum(axis=1) if true.dtype.kind == "f" else logs.sum(axis=1, where=true)
    rows = np.empty(len(true))
    for part in parts(len(true)):
        likelihood = of_true_class(true[part], proba[part])
        likelihood.clip(eps, 1 - eps, out=likelihood)
        np.negative(np.log(likelihood, out=likelihood), out=rows[part])
    return rows


def of_true_class(true: Array, proba: Array) -> Array:
    """Probability of the true class of each row."""
    if proba.ndim == 1:
        return np.where(true, proba, 1 - proba)
    if not proba.flags.c_contiguous:
        return np.asarray(proba[np.arange(len(true)), true])
    return proba.reshape(-1).take(true + np.arange(0, proba.size, proba.shape[1]))


def brier_rows(true: Array, proba: Array) -> Array:
    """Squared distance of the probabilities of each row from its true class (or classes)."""
    if true.ndim == 2:
        away = proba - true
        return np.einsum("nk,nk->n", away, away)
    rows = np.empty(len(true))
    for part in parts(len(true)):
        codes, columns = true[part], proba[part]
        if columns.shape[1] == 2:  # several times as fast as an index of both axes
            first, second = columns[:, 0] - (1 - codes), columns[:, 1] - codes
            np.add(first * first, second * second, out=rows[part])
        else:
            away = columns.copy()
            away[np.arange(len(away)), codes] -= 1
            np.einsum("nk,nk->n", away, away, out=rows[part])
    return rows


# --------------------------------------------------------------------------- values of rows


def log_losses(checked: Probabilities) -> Array:
    return log_loss_rows(checked.true, checked.proba, checked.eps)[:, None]


def brier_losses(checked: Probabilities, scale_by_half: bool | str = "auto") -> Array:
    """Squared distances, halved for two classes; one column gives half the sum already."""
    if checked.proba.ndim == 1:
        if checked.true.dtype.kind == "f":
            rows = np.square(checked.proba - checked.true)
        else:
            rows = kernels.squared_distances(checked.true, checked.proba)
        return (rows if scale_by_half else 2 * rows)[:, None]
    rows = brier_rows(checked.true, checked.proba)
    return (rows / 2 if is_halved(checked.proba.shape[1], scale_by_half) else rows)[:, None]


def is_halved(n_classes: int, scale_by_half: bool | str = "auto") -> bool:
    """Whether the squared distances of a row are halved."""
    return n_classes < 3 if scale_by_half == "auto" else bool(scale_by_half)


def brier_bounds(n_classes: int, scale_by_half: bool | str = "auto") -> tuple[float, float]:
    """A certain forecast of a wrong class has a squared distance of 2."""
    return 0.0, 1.0 if is_halved(n_classes, scale_by_half) else 2.0


def check_brier(
    y_true: Any,
    y_proba: Any,
    *,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    side: str = "either",
    soft: bool = False,
) -> Probabilities:
    """Check probabilities: one column for `pos_label`, or one for each class, of any row sum."""
    options: Options = {"labels": labels, "sample_weight": sample_weight, "soft": soft}
    if n_columns(y_proba) > 1:
        return Probabilities.check(y_true, y_proba, **options)
    return Probabilities.check_binary(y_true, y_proba, pos_label=pos_label, side=side, **options)


def hinge_losses(checked: Scores) -> Array:
    """Shortfall of each row from a margin of 1."""
    return np.maximum(1 - margins(checked.true, checked.score), 0.0)[:, None]


def margins(true: Array, decision: Array) -> Array:
    """Signed decision value of two classes; of more, the true class's lead over the best other."""
    if decision.ndim == 1:
        return np.where(true == 1, decision, -decision)
    rows = np.arange(len(true))
    others = decision.copy()
    others[rows, true] = -np.inf
    return decision[rows, true] - others.max(axis=1)


# --------------------------------------------------------------------------- public functions


@metric(
    mean,
    bounds=(0.0, INFINITY),
    greater_is_better=False,
    sides="either",
    traits=("takes_logs",),
    check=partial(Probabilities.check, soft=True),
    row_values=log_losses,
)
def log_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike | None = None,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    y_pred: ArrayLike = "deprecated",
) -> float:
    r"""Log loss: mean of minus the natural log of the probability given to the true class.

    .. math:: L = -\frac{1}{n} \sum_i \log p_{i, y_i}

    Probabilities are clipped to [eps, 1 - eps], eps the spacing of their dtype at 1 (half
    precision is read as single).

    {soft_labels}

    The loss is then the mean cross-entropy :math:`-\sum_c q_{ic} \log p_{ic}` of these q.

    Parameters
    ----------
    {y_true_y_proba_by_labels}
    {normalize}
    {sample_weight}
    {labels_and_y_pred}

    Returns
    -------
    float
        In [0, 36.04] for float64, in nats (the weighted sum when ``normalize=False``); lower
        is better.

    Raises
    ------
    {raises}

    References
    ----------
    Good (1952), Journal of the Royal Statistical Society B 14(1), 107-114.

    Examples
    --------
    >>> from skmetrics_ext import log_loss
    >>> round(log_loss(["ill", "well"], [[0.9, 0.1], [0.2, 0.8]]), 6)
    0.164252
    >>> round(log_loss(["ill", "well"], [0.9, 0.2], labels=["well", "ill"]), 6)
    0.164252
    """
    y_proba = renamed_argument(y_proba, y_pred)
    check_option("normalize", normalize, (True, False))
    checked = Probabilities.check(
        y_true,
        y_proba,
        labels=labels,
        sample_weight=sample_weight,
        absolute=not normalize,
        soft=True,
    )
    means = Means.of(log_losses(checked), checked.weight)
    return float(mean(means) if normalize else means.total[0])


@metric(
    mean,
    bounds=(0.0, 2.0),
    greater_is_better=False,
    scorer="brier_score",
    sides="either",
    check=partial(check_brier, soft=True),
    row_values=brier_losses,
    narrower=brier_bounds,
)
def brier_score_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: PosLabel = None,
    labels: ArrayLike | None = None,
    scale_by_half: bool | str = "auto",
) -> float:
    r"""Brier score: mean squared distance of the probabilities from the true class.

    .. math:: \frac{1}{n} \sum_i \sum_c (p_{ic} - [y_i = c])^2

    halved for two classes, where it is :math:`\frac{1}{n} \sum_i (p_i - y_i)^2`.

    {soft_labels}

    The score is then the mean squared distance from these. The mean score under labels drawn from
    them is larger by their mean variance, which no forecast removes.

    Parameters
    ----------
    {y_true_y_proba}
    {sample_weight}
    {brier_pos_label}
    {proba_labels}
    scale_by_half : bool or "auto", default="auto"
        Whether to halve the sum over classes; "auto" halves it for two classes.

    Returns
    -------
    float
        In [0, 1] for two classes, in [0, 2] for more; lower is better.

    Raises
    ------
    {raises}

    See Also
    --------
    brier_skill_score : Share of it that the forecast removes.
    brier_decomposition : Its parts.

    References
    ----------
    Brier (1950), Monthly Weather Review 78(1), 1-3.

    Examples
    --------
    >>> from skmetrics_ext import brier_score_loss
    >>> round(brier_score_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 4)
    0.0375
    >>> round(brier_score_loss(["b", "c"], [[0.8, 0.1, 0.1], [0, 1, 0]], labels=["b", "c", "a"]), 4)
    0.03
    """
    check_option("scale_by_half", scale_by_half, (True, False, "auto"))
    options: Options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    checked = check_brier(y_true, y_proba, **options, side="numbers", soft=True)
    return float(mean(Means.of(brier_losses(checked, scale_by_half), checked.weight)))


def renamed_argument(y_proba: Any, y_pred: Any) -> Any:
    """``y_proba``, or its former name ``y_pred`` with scikit-learn's deprecation."""
    if isinstance(y_pred, str) and y_pred == "deprecated":
        if y_proba is None:
            raise InvalidParameterError("y_proba is missing: pass the probabilities.")
        return y_proba
    if y_proba is not None:
        raise InvalidParameterError(
            "Cannot use both `y_pred` and `y_proba`. `y_pred` is deprecated, use `y_proba` instead."
        )
    import warnings

    warnings.warn(
        "`y_pred` was renamed to `y_proba` in version 1.9 and will be removed in 1.11. Use "
        "`y_proba` instead.",
        FutureWarning,
        stacklevel=3,
    )
    return y_pred


@metric(
    mean,
    bounds=(0.0, INFINITY),
    greater_is_better=False,
    sides="either",
    traits=("by_sign",),
    check=check_decisions,
    row_values=hinge_losses,
)
def hinge_loss(
    y_true: ArrayLike,
    pred_decision: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Hinge loss: mean of what the margin of each row falls short of 1.

    .. math:: \frac{1}{n} \sum_i \max(0, 1 - m_i)

    The margin of two classes is the decision value, negated for rows of the first class. That
    of more is the value of the true class less the greatest of the others.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    pred_decision : array-like of shape (n_samples,) or (n_samples, n_classes)
        What ``decision_function`` gives: of two classes, positive for the second.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``pred_decision``, in this order, sorted or not; of two
        classes negative, positive. The sorted classes of ``y_true`` by default, of which one
        alone is the negative one.
    {sample_weight}

    Returns
    -------
    float
        0 or more; lower is better.

    Raises
    ------
    {raises}

    References
    ----------
    Cortes & Vapnik (1995), Machine Learning 20(3), 273-297; for several classes Crammer &
    Singer (2001), Journal of Machine Learning Research 2, 265-292.

    Examples
    --------
    >>> from skmetrics_ext import hinge_loss
    >>> hinge_loss([-1, 1, 1], [-2.0, 0.5, -0.25])
    0.5833333333333334
    """
    checked = check_decisions(
        y_true, pred_decision, labels=labels, sample_weight=sample_weight, alone_is_negative=True
    )
    return float(mean(Means.of(hinge_losses(checked), checked.weight)))
