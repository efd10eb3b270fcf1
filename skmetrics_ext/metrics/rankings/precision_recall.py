"""Average precision and interpolated areas under the precision-recall curve."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext import kernels
from skmetrics_ext.metrics.averaging import (
    AVERAGES,
    ZERO_WITHOUT_POSITIVES,
    ZERO_WITHOUT_WEIGHT,
    RankAverage,
)
from skmetrics_ext.metrics.public import OF_RANKINGS, metric
from skmetrics_ext.metrics.rankings.curve_arrays import NO_POSITIVE
from skmetrics_ext.metrics.rankings.ranking_kernels import (
    average_precision,
    each_ranking,
    over_positives,
    slope_of_sum,
)
from skmetrics_ext.metrics.rankings.score_tally import read_scores
from skmetrics_ext.metrics.spec import Ranges
from skmetrics_ext.numeric import Array, Options, PosLabel, divide, trapezoid
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option, warn_undefined
from skmetrics_ext.validation.errors import warn_user

# --------------------------------------------------------------------------- kernels


def precision_recall_points(tally: RankTally) -> tuple[Array, Array]:
    """Precision and recall (..., T + 1), from recall 0 with precision 1 by convention."""
    fp, tp, _, positive = tally.steps()
    return _precision(fp, tp), divide(tp, positive[..., None])


def _precision(fp: Array, tp: Array) -> Array:
    predicted = tp + fp
    return np.where(predicted == 0, 1.0, divide(tp, predicted))


def pr_area(tally: RankTally, interpolation: str = "trapezoid") -> Array:
    """Area under the precision-recall curve by one of three rules."""
    return INTERPOLATIONS[interpolation](tally)


def trapezoid_steps(fp: Array, tp: Array, fp_to: Array, tp_to: Array) -> Array:
    """Mean precision of both ends of each step, times the positive rows gained."""
    return (tp_to - tp) * (_precision(fp, tp) + _precision(fp_to, tp_to)) / 2


def davis_goadrich_steps(fp: Array, tp: Array, fp_to: Array, tp_to: Array) -> Array:
    """Exact area where false positives grow in proportion to true ones between two scores.

    Between n and n + d predicted rows, of which t and t + e are right, precision at n + v
    is (t + v e / d) / (n + v); its integral over v is a logarithm and a line.
    """
    before, gained = tp + fp, tp_to - tp
    grown = gained + fp_to - fp
    slope = np.nan_to_num(divide(gained, grown))
    log = np.log1p(np.nan_to_num(divide(grown, before)))
    # The first step has constant precision.
    return slope * (tp * log + slope * (grown - before * log))


def _area_of(steps: Callable[[Array, Array, Array, Array], Array], tally: RankTally) -> Array:
    """Sum over the steps of a curve, from both ends of each, per positive row."""
    fp, tp, _, positive = tally.steps()
    areas = steps(fp[..., :-1], tp[..., :-1], fp[..., 1:], tp[..., 1:])
    return divide(areas.sum(axis=-1), positive)


def _unit_steps(tally: RankTally) -> Array:
    """Davis & Goadrich's own rule: a point at each whole true positive, trapezoids between."""
    fp, tp, _, positive = tally.steps()
    gained, wrong = np.diff(tp), np.diff(fp)
    # A step without a true positive still moves the point straight down.
    n_points = np.maximum(gained, 1).astype(np.int64)
    start = np.repeat(np.cumsum(n_points) - n_points, n_points)
    share = (np.arange(n_points.sum()) - start + 1) / np.repeat(n_points, n_points)
    right = np.repeat(tp[:-1], n_points) + share * np.repeat(gained, n_points)
    false = np.repeat(fp[:-1], n_points) + share * np.repeat(wrong, n_points)
    precision = divide(right, right + false)
    # Precision is constant up to the first point, if nothing is ranked above it.
    first = precision[:1] if tp[0] + fp[0] == 0 else tp[:1] / (tp[:1] + fp[:1])
    area = trapezoid(np.concatenate([first, precision]), np.concatenate([tp[:1], right]))
    return divide(area, positive)


INTERPOLATIONS: dict[str, Callable[[RankTally], Array]] = {
    "trapezoid": partial(_area_of, trapezoid_steps),
    "davis_goadrich": partial(_area_of, davis_goadrich_steps),
    "davis_goadrich_unit": partial(each_ranking, _unit_steps),
}


# --------------------------------------------------------------------------- slopes


def average_precision_slope(tally: RankTally) -> Array:
    """Derivative by row; 0 without positive rows, where the value is 0 by convention."""
    n_scores = len(tally.thresholds)
    codes = np.repeat(np.arange(2), n_scores)
    scores = np.tile(tally.thresholds, 2)
    return kernels.precision_slopes(scores, codes, tally.mass.reshape(-1))[2].reshape(2, n_scores)


def pr_area_slope(tally: RankTally, interpolation: str = "trapezoid") -> Array:
    """Derivative by row; the unit rule shares that of the exact curve, on which its points lie."""
    term = trapezoid_steps if interpolation == "trapezoid" else davis_goadrich_steps
    return over_positives(slope_of_sum(term, tally), _area_of(term, tally), tally)


# --------------------------------------------------------------------------- public functions


@metric(
    average_precision,
    undefined="no row is of the class",
    sides="one",
    convention=ZERO_WITHOUT_POSITIVES,
    variants=OF_RANKINGS,
    check=partial(Scores.check, by_rule=True),
    slope=average_precision_slope,
    ranges=Ranges("sum"),
)
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: RankAverage | None = "macro",
    pos_label: PosLabel = 1,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
) -> float | Array:
    r"""Average precision: precision at each threshold, weighted by the recall gained there.

    .. math:: AP = \sum_t (R_t - R_{t-1}) P_t

    Nothing is interpolated; `pr_auc_score` has the areas that are.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels, or multilabel indicators.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the class.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        Of multilabel and multiclass data, each class against the rest. "macro" is the mean
        over classes; "weighted" weights it by the weight of each class; "micro" takes every
        cell of the indicator matrix as a row; "samples" is the mean over rows; None gives a
        value per class.
    pos_label : int, float, bool or str, default=1
        The positive class of binary labels.
    {sample_weight}
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score``, in this order, sorted or not. For binary
        labels: negative, positive, unless ``pos_label`` is another than 1. The sorted classes
        of ``y_true`` by default.

    Returns
    -------
    float or ndarray of shape (n_classes,)
        In [0, 1]; higher is better, and the share of positive rows is chance. Without a positive
        row, or one that has weight, 0 with a warning, as in scikit-learn, which counts in the mean
        over classes; scorers leave such a class out of it.

    Raises
    ------
    {raises}

    References
    ----------
    Buckley & Voorhees (2000), Proceedings of the 23rd SIGIR, 33-40; Boyd, Eng & Page (2013),
    ECML PKDD 2013, 451-466.

    Examples
    --------
    >>> from skmetrics_ext import average_precision_score
    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)
    0.833333
    """
    check_option("average", average, AVERAGES)
    options: Options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    checked = Scores.check(y_true, y_score, **options, by_rule=True)
    return read_scores(
        average_precision,
        checked,
        average,
        convention=ZERO_WITHOUT_POSITIVES,
        tell=lambda average, n_values: warn_user(NO_POSITIVE),
    )


@metric(
    pr_area,
    undefined="no row is of the class",
    convention=ZERO_WITHOUT_WEIGHT,
    sides="one",
    variants={**OF_RANKINGS, "davis_goadrich": {"interpolation": "davis_goadrich"}},
    slope=pr_area_slope,
    ranges=Ranges("sum"),
)
def pr_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    interpolation: Literal["trapezoid", "davis_goadrich", "davis_goadrich_unit"] = "trapezoid",
    average: RankAverage | None = "macro",
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
) -> float | Array:
    r"""Area under the interpolated precision-recall curve.

    "trapezoid" joins the points by straight lines, from (recall 0, precision 1):

    .. math:: \sum_t (R_t - R_{t-1}) (P_t + P_{t-1}) / 2

    which no choice between two thresholds attains: it is too large where precision falls fast.
    "davis_goadrich" joins them by what such choices attain, false positives in proportion to
    the true ones gained, and integrates exactly. "davis_goadrich_unit" is the rule of Davis
    and Goadrich's paper: points of that curve at every whole true positive, and trapezoids.
    `average_precision_score` interpolates nothing.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels, or multilabel indicators.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the class.
    interpolation : {"trapezoid", "davis_goadrich", "davis_goadrich_unit"}, default="trapezoid"
        What joins the points. The last needs integer weights, which are numbers of rows.
    average : {"macro", "weighted", "micro", "samples"} or None, default="macro"
        As in `average_precision_score`.
    {score_pos_label}
    {sample_weight}
    {score_labels}

    Returns
    -------
    float or ndarray of shape (n_classes,)
        In [0, 1]; higher is better. nan, with a warning, where no row is of the class.

    Raises
    ------
    {raises}

    References
    ----------
    Davis & Goadrich (2006), Proceedings of the 23rd ICML, 233-240; Boyd, Eng & Page (2013),
    ECML PKDD 2013, 451-466; Keilwagen, Grosse & Grau (2014), PLoS ONE 9(3), e92209 (exact
    integral, weights).

    Examples
    --------
    >>> from skmetrics_ext import pr_auc_score
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> round(pr_auc_score(y_true, y_score), 6)
    0.791667
    >>> round(pr_auc_score([0, 1, 1, 0], [0, 1, 0, 0], interpolation="davis_goadrich"), 6)
    0.820699
    """
    check_option("average", average, AVERAGES)
    check_option("interpolation", interpolation, INTERPOLATIONS)
    options: Options = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    checked = Scores.check(y_true, y_score, **options, side="one", what=pr_auc_score.__name__)
    is_fractional = checked.weight is not None and checked.weight.dtype.kind == "f"
    if interpolation == "davis_goadrich_unit" and is_fractional:
        raise InvalidParameterError(
            "interpolation='davis_goadrich_unit' steps from one true positive to the next, so "
            "sample_weight must hold integers; 'davis_goadrich' takes any weights."
        )
    kernel = partial(pr_area, interpolation=interpolation)
    return read_scores(kernel, checked, average, convention=ZERO_WITHOUT_WEIGHT, tell=_undefined)


def _undefined(average: str | None, n_values: int) -> None:
    warn_undefined(
        "The area under the precision-recall curve is undefined and set to nan: no row is "
        "of the class."
    )
