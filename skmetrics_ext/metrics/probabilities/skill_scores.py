"""Skill: the share of a loss that a forecast removes, against a reference forecast."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.probabilities.losses import (
    brier_rows,
    check_brier,
    log_loss_rows,
    renamed_argument,
)
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import MomentTally
from skmetrics_ext.validation import (
    InvalidParameterError,
    Probabilities,
    warn_undefined,
)
from skmetrics_ext.validation.probabilities import n_columns
from skmetrics_ext.validation.rows import read_rows

_EPS = float(np.finfo(np.float64).eps)

# --------------------------------------------------------------------------- kernels


def skill(moments: MomentTally) -> Array:
    """Of moments of (loss, loss of the reference): the share of the second that is removed."""
    return 1 - divide(moments.mean[..., 0], moments.mean[..., 1])


def brier_skill(moments: MomentTally) -> Array:
    """Of moments of (loss, indicator of each class): skill against the class frequencies.

    Frequencies of merged rows are known only once they are merged, so this is the kernel for
    parts; on one part it is `skill` up to rounding.
    """
    share = moments.mean[..., 1:]
    return 1 - divide(moments.mean[..., 0], (share * (1 - share)).sum(axis=-1))


def log_loss_skill(moments: MomentTally) -> Array:
    """The same for the log loss, whose reference loses the entropy of the frequencies."""
    share = moments.mean[..., 1:]
    entropy = -(share * np.log(np.clip(share, _EPS, 1 - _EPS))).sum(axis=-1)
    return 1 - divide(moments.mean[..., 0], entropy)


def class_shares(checked: Probabilities) -> Array:
    """Weighted frequency of each class."""
    if checked.true.ndim == 2:
        return MomentTally.from_checked(checked.true.astype(np.float64), checked.weight).mean
    counts = kernels.bin_sums(checked.true, checked.proba.shape[1], checked.weight)
    return counts / counts.sum()


def null_rows(checked: Probabilities, loss: Callable[[Array, Array], Array]) -> Array:
    """What the forecast of the frequencies loses on each row: it depends on the class alone.

    The frequencies given as the forecast lose the same to the last bit, so that their skill is
    exactly 0.
    """
    share = class_shares(checked)
    if checked.true.ndim == 2:
        return loss(checked.true, np.broadcast_to(share, checked.proba.shape))
    return loss(np.arange(len(share)), np.tile(share, (len(share), 1)))[checked.true]


# --------------------------------------------------------------------------- public functions


@document
def d2_log_loss_score(
    y_true: Any,
    y_proba: Any = None,
    *,
    sample_weight: Any = None,
    labels: Any = None,
    y_pred: Any = "deprecated",
) -> float:
    r"""Share of the log loss of the class frequencies that a forecast removes.

    .. math:: 1 - L(p) \,/\, L(\bar y)

    with L the log loss and :math:`\bar y` the (weighted) frequencies of the classes: McFadden's
    pseudo-R squared.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
        Probability of each class in the order of ``labels``; one column is the probability
        of the second class.
    {sample_weight}
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_proba``, in this order, sorted or not. The sorted
        classes of ``y_true`` by default.
    y_pred : array-like
        Former name of ``y_proba``; deprecated as in scikit-learn.

    Returns
    -------
    float
        At most 1; higher is better, 0 is the forecast of the frequencies. nan, with a warning,
        of fewer than two rows or of one class alone.

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
    own = log_loss_rows(checked.true, checked.proba, checked.eps)
    null = null_rows(checked, partial(log_loss_rows, eps=_EPS))
    # The frequency of a sure class is clipped too, and loses a little instead of nothing.
    null = np.where(null <= 2 * _EPS, 0.0, null)
    return _skill(own, null, checked, "d2_log_loss_score")


@document
def d2_brier_score(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
) -> float:
    r"""Share of the Brier score of the class frequencies that a forecast removes.

    .. math:: 1 - B(p) \,/\, B(\bar y)

    with B the Brier score and :math:`\bar y` the (weighted) frequencies of the classes. Of
    probabilities it equals `brier_skill_score`, which also takes another reference.

    Parameters
    ----------
    {y_true_y_proba}
    {sample_weight}
    {proba_pos_label}
    {proba_labels}

    Returns
    -------
    float
        At most 1; higher is better, 0 is the forecast of the frequencies. nan, with a warning,
        of fewer than two rows or of one class alone.

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
    checked = check_brier(y_true, y_proba, labels, pos_label, sample_weight)
    own = brier_rows(checked.true, checked.proba)
    null = null_rows(checked, brier_rows)
    return _skill(own, null, checked, "d2_brier_score")


@document
def brier_skill_score(
    y_true: Any,
    y_proba: Any,
    *,
    reference: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Brier skill score: share of the Brier score of a reference that a forecast removes.

    .. math:: BSS = 1 - B(p) \,/\, B(p_{ref})

    Parameters
    ----------
    {y_true_y_proba}
    reference : float or array-like, default=None
        The forecast to compare with, by default the (weighted) frequencies of the classes.
        Beside one column of probabilities: one probability, or one for each row. Beside a
        column for each class: one for each class, or an array of the shape of ``y_proba``.
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
    options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    checked = Probabilities.check_strict(y_true, y_proba, **options)
    own = brier_rows(checked.true, checked.proba)
    if reference is None:
        null = null_rows(checked, brier_rows)
    else:
        forecast = _spread(reference, len(checked.true), n_columns(y_proba))
        null = brier_rows(
            checked.true, Probabilities.check_strict(y_true, forecast, **options).proba
        )
    return _skill(own, null, checked, "brier_skill_score")


def _spread(reference: Any, n_rows: int, width: int) -> Array:
    """A reference forecast as one row for each row of the data."""
    try:
        values = np.asarray(reference, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(f"reference must hold probabilities: {error}.") from error
    shape = (n_rows,) if width == 1 else (n_rows, width)
    if width == 1 and values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.shape not in (shape, shape[1:]):
        raise InvalidParameterError(
            f"reference must have the shape {shape} of y_proba or {shape[1:]}, got {values.shape}."
        )
    return np.broadcast_to(values, shape)


def _skill(own: Array, null: Array, checked: Probabilities, name: str) -> float:
    moments = MomentTally.from_checked(np.column_stack([own, null]), checked.weight)
    value = float(skill(moments))
    if np.isnan(value):
        warn_undefined(f"{name} is undefined and nan: the reference forecast is without error.")
    return value


def _too_few(y_true: Any, y_proba: Any, sample_weight: Any) -> bool:
    """Whether there is one row only, of which scikit-learn says nothing, right or wrong."""
    if not hasattr(y_proba, "__len__") or len(y_proba) != 1:
        return False
    read_rows(sample_weight, False, y_proba=y_proba, y_true=y_true)
    warn_undefined("D^2 score is not well-defined with less than two samples.")
    return True
