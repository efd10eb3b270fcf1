"""Agreement of true and predicted labels beyond what chance would give."""

from __future__ import annotations

from functools import partial
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import (
    ZeroDivision,
    check_zero_division,
    fill_undefined,
    n_classes_of,
)
from skmetrics_ext.metrics.labels.ordered_classes import check_order, disagreement, read_grades
from skmetrics_ext.metrics.public import metric, whole_table
from skmetrics_ext.metrics.spec import PLAIN
from skmetrics_ext.numeric import Array, divide, exclusive_cumsum
from skmetrics_ext.tallies import Counts, LabelTally, Tabulated
from skmetrics_ext.validation import InvalidParameterError, Labels, warn_undefined
from skmetrics_ext.validation.encoding import find_labels
from skmetrics_ext.validation.labels import read_labels

# ------------------------------------------------- kernels, over the classes on the last axis


def observed(counts: Counts) -> Array:
    """Share of the rows on which both agree."""
    return divide(counts.tp.sum(axis=-1), counts.true.sum(axis=-1))


def beyond_chance(counts: Counts, expected: Array) -> Array:
    """1 minus the observed over the expected share of disagreement."""
    return 1 - divide(divide(counts.fn.sum(axis=-1), counts.true.sum(axis=-1)), expected)


def mixed_pairs(first: Array, second: Array) -> Array:
    """Sum over classes j != k of first_j second_k.

    Equal to n^2 - sum_k first_k second_k, but without a difference: a single class gives exactly 0
    with float weights too.
    """
    after = exclusive_cumsum(second[..., ::-1])[..., ::-1]
    return np.asarray((first * (exclusive_cumsum(second) + after)).sum(axis=-1))


def matthews(counts: Counts) -> Array:
    """Correlation of the two codings (Gorodkin 2004, R_K)."""
    true, pred = counts.true, counts.pred
    together = counts.tp.sum(axis=-1) * true.sum(axis=-1) - (true * pred).sum(axis=-1)
    # Two roots, since the product of both terms would overflow an integer.
    return divide(together, np.sqrt(mixed_pairs(true, true)) * np.sqrt(mixed_pairs(pred, pred)))


def cohen_kappa(tally: Counts | Tabulated, weights: Any = None, grades: Any = None) -> Array:
    """Agreement beyond the chance of both margins, from counts, or weighted, from a table."""
    if isinstance(tally, Counts):
        total = tally.true.sum(axis=-1)
        return 1 - divide(tally.fn.sum(axis=-1) * total, mixed_pairs(tally.true, tally.pred))
    if grades is None and isinstance(weights, str):
        check_order(tally)
    table, axes = tally.in_rising_order().table, (-1, -2)
    worse = disagreement(weights, read_grades(grades, table.shape[-1]))
    true, pred = table.sum(axis=-1), table.sum(axis=-2)
    expected = true[..., :, None] * pred[..., None, :] / table.sum(axis=axes)[..., None, None]
    return 1 - divide((worse * table).sum(axis=axes), (worse * expected).sum(axis=axes))


def mean_share(counts: Counts) -> Array:
    """Share of each class, mean of the true and the predicted one."""
    total = counts.true.sum(axis=-1, keepdims=True)
    return divide(counts.true + counts.pred, 2 * total)


# --------------------------------------------------------------------------- public functions

ONE_CLASS = "only one class occurs"
_agreement = partial(metric, undefined=ONE_CLASS, bounds=(-1.0, 1.0))


@_agreement(matthews)
def matthews_corrcoef(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> float:
    r"""Matthews correlation coefficient (phi coefficient, R_K for several classes).

    .. math:: \frac{c n - \sum_k t_k p_k}{\sqrt{n^2 - \sum_k t_k^2} \sqrt{n^2 - \sum_k p_k^2}}

    with c the weight of the rows predicted right, t_k and p_k the weights of the true and the
    predicted class k, and n their sum.

    Parameters
    ----------
    {y_true_y_pred}
    {sample_weight}
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        Value where all true or all predicted labels are one class, which is 0/0. "warn" is 0
        with a warning.

    Returns
    -------
    float
        In [-1, 1]; higher is better, 0 is chance.

    Raises
    ------
    {raises}

    References
    ----------
    Matthews (1975), Biochimica et Biophysica Acta 405, 442-451; Gorodkin (2004), Computational
    Biology and Chemistry 28, 367-374.

    Examples
    --------
    >>> from skmetrics_ext import matthews_corrcoef
    >>> matthews_corrcoef([1, 1, 0, 0], [1, 1, 1, 0])
    0.5773502691896258
    """
    check_zero_division(zero_division)
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight)
    counts = Counts.from_labels(checked.single_label("a correlation of classes"))
    tell = _tell_matthews if isinstance(zero_division, str) else None
    return float(fill_undefined(matthews(counts), zero_division, tell))


def _tell_matthews(*_: Any) -> None:
    warn_undefined(
        "The Matthews correlation is ill-defined (0/0) and being set to 0.0: all true or all "
        "predicted labels are of one class. Use `zero_division` parameter to control this behavior."
    )


@_agreement(
    cohen_kappa,
    table_when=("weights",),
    variants={**PLAIN, **{name: {"weights": name} for name in ("linear", "quadratic")}},
)
def cohen_kappa_score(
    y1: ArrayLike,
    y2: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    weights: Literal["linear", "quadratic"] | ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: float = np.nan,
    grades: Any = None,
) -> float:
    r"""Cohen's kappa: agreement beyond the chance that the two margins give.

    .. math:: \kappa = (p_o - p_e) / (1 - p_e), \quad p_e = \sum_k t_k p_k / n^2

    Parameters
    ----------
    y1, y2 : array-like of shape (n_samples,)
        Labels of the two raters. ``weights`` and ``grades`` follow the order that ordered
        categoricals declare.
    {labels}
    weights : {"linear", "quadratic"} or array-like of shape (n_classes, n_classes), default=None
        How bad each disagreement is: distance of the grades, its square, or a matrix of
        weights with 0 on its diagonal. All alike by default.
    {sample_weight}
    replace_undefined_by : float in [-1, 1] or nan, default=nan
        Value where kappa is 0/0; a warning is given.
    grades : array-like of shape (n_classes,), default=None
        Numbers whose distance the weights measure, one for each class in order. 0, 1, 2, ...
        by default, which needs an order: of numbers, of ``labels``, or of an ordered categorical.

    Returns
    -------
    float
        In [-1, 1]; higher is better, 0 is chance.

    Raises
    ------
    {raises}

    References
    ----------
    Cohen (1960), Educational and Psychological Measurement 20(1), 37-46; Cohen (1968),
    Psychological Bulletin 70(4), 213-220.

    Examples
    --------
    >>> from skmetrics_ext import cohen_kappa_score
    >>> cohen_kappa_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    >>> cohen_kappa_score([0, 1, 2, 2], [0, 2, 2, 2], weights="quadratic")
    0.8333333333333334
    """
    if not (isinstance(replace_undefined_by, Real) and not abs(float(replace_undefined_by)) > 1):
        raise InvalidParameterError(
            f"replace_undefined_by has to be in [-1, 1] or nan, got {replace_undefined_by!r}."
        )
    # Errors call the raters y_true and y_pred, as scikit-learn's do.
    checked = Labels.check(y1, y2, sample_weight=sample_weight)
    checked = checked.single_label("kappa")
    if labels is not None:
        _check_present(read_labels(labels, once=True), checked)
    restricted = checked.restrict(labels)
    end = (
        "`cohen_kappa_score` is undefined and set to the value defined by the "
        f"`replace_undefined_by` param, which is set to {replace_undefined_by}."
    )
    if restricted.n_rows == 0:
        warn_undefined(f"`y2` contains no labels that are present in both `y1` and `labels`. {end}")
        return float(replace_undefined_by)
    tally = LabelTally(restricted)
    value = cohen_kappa(tally.counts() if weights is None else tally, weights, grades)
    if np.isnan(value):
        warn_undefined(f"`y1`, `y2` and `labels` have only one label in common. {end}")
        return float(replace_undefined_by)
    return float(value)


def _check_present(labels: Array, checked: Labels) -> None:
    place = find_labels(labels, checked.classes)
    if not np.isin(place[place >= 0], checked.true).any():
        raise InvalidParameterError(
            "At least one label in `labels` must be present in `y1` (even though "
            "`cohen_kappa_score` is otherwise agnostic to the order of `y1` and `y2`); got "
            f"labels={labels[:10].tolist()} for the classes {checked.classes[:10].tolist()}."
        )


def scott_pi(counts: Counts) -> Array:
    r"""Scott's pi: agreement beyond the chance that the mean of both margins gives.

    .. math:: \pi = (p_o - p_e) / (1 - p_e), \quad p_e = \sum_k ((t_k + p_k) / 2n)^2

    Chance has 0.

    References
    ----------
    Scott (1955), Public Opinion Quarterly 19(3), 321-325.

    Examples
    --------
    >>> from skmetrics_ext import scott_pi_score
    >>> scott_pi_score([0, 0, 1, 1], [0, 1, 0, 1])
    0.0
    """
    share = mean_share(counts)
    return beyond_chance(counts, mixed_pairs(share, share))


scott_pi_score = whole_table(
    "scott_pi_score", scott_pi, "Scott's pi", ONE_CLASS, bounds=(-1.0, 1.0)
)


def brennan_prediger(counts: Counts, labels: Any = None) -> Array:
    r"""Brennan and Prediger's kappa: agreement beyond a chance of 1/K (Bennett's S).

    .. math:: (p_o - 1/K) / (1 - 1/K)

    K is the number of ``labels``, or of the classes that occur. Chance has 0.

    References
    ----------
    Brennan & Prediger (1981), Educational and Psychological Measurement 41(3), 687-699.

    Examples
    --------
    >>> from skmetrics_ext import brennan_prediger_score
    >>> brennan_prediger_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    """
    return beyond_chance(counts, 1 - divide(1, n_classes_of(counts, labels)))


brennan_prediger_score = whole_table(
    "brennan_prediger_score",
    brennan_prediger,
    "Brennan and Prediger's kappa",
    ONE_CLASS,
    bounds=(-1.0, 1.0),
)
