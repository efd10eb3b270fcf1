"""Intervals of areas under the ROC curve."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.inference.draws.readings import weighed
from skmetrics_ext.inference.draws.units import RowFacts
from skmetrics_ext.inference.influence.multiclass_areas import (
    Areas,
    area_spread,
    class_areas,
    class_sizes,
    pair_class_areas,
)
from skmetrics_ext.inference.influence.rankings import area_parts, covariance, delong, spread
from skmetrics_ext.inference.proportions import increasing_root, normal_quantile
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.metrics.averaging import is_by_class
from skmetrics_ext.metrics.rankings.ranking_kernels import roc_auc
from skmetrics_ext.metrics.rankings.score_tally import read_areas
from skmetrics_ext.numeric import Array, divide, wilson
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.validation import Scores, check_option
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.parameters import check_level

AUC_METHODS = ("logit", "delong")
_ROUNDING = 1e-12  # areas of weighted rows come within it of 0 and 1
_FEW = 5.0  # expected rows of the rarer class on the wrong side, below which intervals fall short
_ONE_ROW = "a class has one row or group"


class AreaSpread(NamedTuple):
    """A value, its variance with degrees of freedom, and the areas of which it is a mean."""

    value: float
    variance: float
    freedom: float
    areas: Array
    sizes: Array
    shares: Array


def auc_interval(
    checked: Scores,
    *,
    multi_class: str = "raise",
    average: str | None = "macro",
    method: str = "delong",
    groups: Any = None,
    weights_are: str = "importance",
    confidence_level: float = 0.95,
) -> Estimate | list[Estimate]:
    r"""Area under the ROC curve with the interval of its influence function.

    Parameters
    ----------
    checked : Scores
        Labels, scores and weights.
    multi_class, average
        As in `roc_auc_score`, whose value this has.
    method : {"delong", "logit"}, default="delong"
        - "delong": area -+ z standard errors, cut at 0 and 1;
        - "logit": the same for log(area / (1 - area)), with the quantile of a t distribution of
          Satterthwaite's degrees of freedom. It covers nearer to the level, above all where the
          area is large or a class is small.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group depend on each other (several of a patient); groups do not.
    weights_are : {"importance", "frequency"}, default="importance"
        What ``sample_weight`` is: the share that a row stands for, or how often it was seen.
        Only "frequency" makes a row of weight 2 two rows.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage.

    Returns
    -------
    Estimate or list of Estimate
        With ``average=None`` of several classes one for each class, output or pair.

    Notes
    -----
    Where the area is 0 or 1, or a class has one row, the data have no variance to estimate. There
    the bounds are Newcombe's method 5, which solves :math:`|\hat A - A| = z \sqrt{V(A)}` with the
    variance of exponential scores, and ``standard_error`` is nan. For means over classes they
    are the means of those of the classes or pairs.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44(3), 837-845; Obuchowski (1997),
    Biometrics 53(2), 567-578; Newcombe (2006), Statistics in Medicine 25(4), 559-573; Qin &
    Hotilovac (2008), Statistical Methods in Medical Research 17(2), 207-221.
    """
    check_option("method", method, AUC_METHODS)
    check_option("weights_are", weights_are, ("importance", "frequency"))
    level = check_level(confidence_level)
    if checked.kind == "binary" and checked.weight is None and groups is None:
        RankTally.of_class(checked)  # kept, so that value and variance read one sort
    value = read_areas(roc_auc, checked, multi_class, average)
    codes = None if groups is None else read_groups(groups, len(checked.true))
    found = area_estimates(checked, value, multi_class, average, codes, weights_are, method, level)
    return found if average is None and checked.kind != "binary" else found[0]


def area_estimates(
    checked: Scores,
    value: Any,
    multi_class: str,
    average: str | None,
    groups: Array | None,
    weights_are: str,
    method: str,
    level: float,
) -> list[Estimate]:
    """The same of an area that is known, or of the area of each class or pair."""
    if checked.kind == "binary" and groups is None and weights_are == "frequency":
        RowFacts.of(checked.weight, groups, weights_are)  # a table of scores counts the rows
    elif checked.weight is not None:
        checked, groups = evidence(checked, groups, weights_are)
    found = auc_spreads(checked, value, multi_class, average, groups, weights_are)
    return [_estimate(one, method, level) for one in found]


def auc_spreads(
    checked: Scores,
    value: Any,
    multi_class: str,
    average: str | None,
    groups: Array | None,
    weights_are: str = "importance",
) -> list[AreaSpread]:
    """Value and variance of an area, or of the area of each class or pair."""
    if checked.kind == "binary":
        return [_binary(checked, float(value), groups, weights_are)]
    if average is None:
        pairs = multi_class == "ovo" and checked.kind == "multiclass"
        areas = pair_class_areas(checked) if pairs else class_areas(checked)
        return [_one_of(areas, k, float(one), groups) for k, one in enumerate(value)]
    total, areas, shares = area_spread(checked, multi_class, average, groups)
    by_class = groups is None and is_by_class(average) and checked.true.ndim == 1
    strata = checked.true if by_class else np.zeros(len(total), dtype=np.int64)
    variance, freedom = _variance(total, strata)
    sizes = np.minimum(areas.sizes, len(total))  # no more than there are groups
    sizes[np.isinf(areas.sizes)] = np.inf
    return [AreaSpread(float(value), variance, freedom, areas.values, sizes, shares)]


# --------------------------------------------------------------------------- what the rows say


def _binary(checked: Scores, value: float, groups: Array | None, weights_are: str) -> AreaSpread:
    codes, weight = checked.true, checked.weight
    if groups is None and (weight is None or weights_are == "frequency"):
        tally = RankTally.of_class(checked)
        _, of_positive, of_negative = delong(tally)
        sizes = tally.mass[::-1].sum(axis=-1).astype(np.float64)
        variances = np.array([float(of_positive), float(of_negative)])
        freedom = _satterthwaite(variances, sizes)
        return AreaSpread(
            value, float(variances.sum()), freedom, np.array([value]), sizes[None], np.ones(1)
        )
    _, part = area_parts(checked.score, codes, weight)
    sizes = class_sizes(codes, 2, weight, groups)[::-1]
    areas = Areas(np.array([value]), part[:, None], codes[:, None], sizes[None])
    return _one_of(areas, 0, value, groups)


def _one_of(areas: Areas, k: int, value: float, groups: Array | None) -> AreaSpread:
    """One area of several, as if it were alone."""
    if np.isnan(value):
        return AreaSpread(value, value, value, areas.values[[k]], areas.sizes[[k]], np.ones(1))
    part, strata = areas.parts[:, [k]], areas.strata[:, k]
    kept = strata < 2  # rows of a third class have no part in a pair
    if not kept.all():
        part, strata = part[kept], strata[kept]
        groups = None if groups is None else np.unique(groups[kept], return_inverse=True)[1]
    if groups is None:
        variance, freedom = _variance(spread(part, strata)[:, 0], strata)
        n_groups = float(len(strata))
    else:
        variance = float(covariance(part, strata, groups)[0, 0])
        n_groups = float(len(np.unique(groups)))
        freedom = n_groups - 1
    sizes = np.minimum(areas.sizes[[k]], n_groups)
    return AreaSpread(value, variance, freedom, areas.values[[k]], sizes, np.ones(1))


def _variance(total: Array, strata: Array) -> tuple[float, float]:
    """Sum of squares, and its degrees of freedom by Satterthwaite over the classes."""
    variances = np.bincount(strata, weights=total * total)
    rows = np.bincount(strata)
    return float(variances.sum()), _satterthwaite(variances[rows > 0], rows[rows > 0])


def _satterthwaite(variances: Array, rows: Array) -> float:
    spent = divide(variances**2, rows - 1.0).sum()
    return float(divide(variances.sum() ** 2, spent))


# --------------------------------------------------------------------------- bounds


def _estimate(found: AreaSpread, method: str, level: float) -> Estimate:
    value, variance = found.value, found.variance
    if np.isnan(value):
        return Estimate(value, value, value, np.nan, method, level)
    is_end = min(value, 1 - value) <= _ROUNDING
    if is_end or np.isnan(variance):
        low, high = _score_bounds(found, level)
        why = "all pairs are ranked alike" if is_end else _ONE_ROW
        note = f"{why}: bounds by Newcombe's method 5"
        return Estimate(value, low, high, float("nan"), method, level, note)
    error = float(np.sqrt(variance))
    low, high = area_bounds(value, error, found.freedom, method, level)
    return Estimate(value, low, high, error, method, level, _warning(found))


def _warning(found: AreaSpread) -> str:
    if found.variance == 0:
        return "all scores are equal"
    wrong = found.sizes.min(axis=1) * np.minimum(found.areas, 1 - found.areas)
    if len(found.areas) == 1 and wrong[0] < _FEW:
        return (
            f"{found.sizes.min():.4g} rows of the rarer class are few for an area so near "
            f"{'1' if found.value > 0.5 else '0'}: the interval may cover less than its level"
        )
    return ""


def area_bounds(
    value: float, error: float, freedom: float, method: str, level: float
) -> tuple[float, float]:
    """Bounds of an area from its standard error, in [0, 1]."""
    if method == "delong" or error == 0:
        away = normal_quantile(level) * error
        return max(value - away, 0.0), min(value + away, 1.0)
    from scipy.special import expit, logit, stdtrit

    quantile = float(stdtrit(freedom, (1 + level) / 2))
    centre, away = float(logit(value)), quantile * error / (value * (1 - value))
    return min(float(expit(centre - away)), value), max(float(expit(centre + away)), value)


def _score_bounds(found: AreaSpread, level: float) -> tuple[float, float]:
    """Bounds of a mean of areas: the mean of their bounds, as if they moved together."""
    if np.isinf(found.sizes).any():  # a mean of one share per row
        rows = found.sizes[0, 0]
        low, high = wilson(found.value * rows, rows, level)
    else:
        kept = found.shares > 0
        sizes = found.sizes[kept]
        low, high = newcombe_bounds(found.areas[kept], sizes[:, 0], sizes[:, 1], level)
        shares = found.shares[kept]
        low, high = (low * shares).sum(), (high * shares).sum()
    return max(min(float(low), found.value), 0.0), min(max(float(high), found.value), 1.0)


def newcombe_bounds(area: Array, n_pos: Array, n_neg: Array, level: float) -> tuple[Array, Array]:
    """Newcombe's method 5: the areas that lie within z errors, of exponential scores, of ours."""
    z, half = normal_quantile(level), (n_pos + n_neg) / 2

    def apart(other: Array) -> Array:
        """Distance in errors; rises with `other`."""
        bends = (1 - other) / (2 - other) + other / (1 + other)
        variance = other * (1 - other) * (1 + (half - 1) * bends) / (n_pos * n_neg)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.nan_to_num((other - area) / np.sqrt(variance), nan=0.0)

    area = np.clip(np.asarray(area, dtype=np.float64), 0.0, 1.0)
    low = increasing_root(lambda other: apart(other) + z, np.zeros_like(area), area)
    high = increasing_root(lambda other: apart(other) - z, area, np.ones_like(area))
    return low, high


# --------------------------------------------------------------------------- rows


def evidence(
    checked: Scores, groups: Array | None, weights_are: str
) -> tuple[Scores, Array | None]:
    """The rows that say something: without those of weight 0, and each as often as it was seen."""
    checked, groups = weighed(checked, groups)
    sizes = RowFacts.of(checked.weight, groups, weights_are).sizes
    if sizes is None:
        return checked, groups
    rows = np.repeat(np.arange(len(sizes)), sizes)
    true, score = checked.true[rows], checked.score[rows]
    listed = replace(checked, true=true, score=score, weight=None, cache={})
    return listed, None if groups is None else groups[rows]
