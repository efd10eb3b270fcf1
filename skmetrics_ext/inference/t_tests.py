"""t tests of the difference of two statistics, of the same rows or two samples; DeLong's test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference import notes
from skmetrics_ext.inference.areas import score_bounds, sides_of
from skmetrics_ext.inference.draws.atoms import WeightsAre, cell_sums
from skmetrics_ext.inference.draws.readers import samples_of_models
from skmetrics_ext.inference.linearized import (
    Linearized,
    Pair,
    covariance_by_pairs,
    differences,
    linearize,
    over_classes,
)
from skmetrics_ext.inference.margins import SIDES, Asked, Claim, Contrast
from skmetrics_ext.inference.notes import CONTRIBUTIONS, ROUNDING, with_design
from skmetrics_ext.inference.proportions import difference_distances
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.scales import quantile, tail_probability
from skmetrics_ext.inference.tests.contingency import tango_bounds
from skmetrics_ext.metrics.averaging import CurveAverage, MultiClass
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.rankings.roc_auc import roc_auc_score
from skmetrics_ext.numeric import Array, PosLabel, difference_of, satterthwaite
from skmetrics_ext.registry import find
from skmetrics_ext.result_bases import Result
from skmetrics_ext.tables import Table
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.parameters import check_level

_NAN = float("nan")
_LEAST = 2.0  # rows of each class in which models differ, in the variance of a difference
_RAREST = 50  # number of classes, rarest first, to which this applies
_AREAS_WITHOUT_VARIANCE = (
    "the areas have no variance to estimate, so there is no test; method='permutation' of compare "
    "has one; the interval combines Newcombe's method 5 of both"
)


def variance_of_difference(difference: Linearized) -> tuple[Array, Array]:
    """Variance of a paired difference, or of several, and its degrees of freedom.

    For metrics of tables the models differ in at least two rows of each class: otherwise a rare
    class in which they agree by chance would count as one in which they always agree.
    """
    variance, freedom = difference.variance, difference.freedom
    pairs, label = difference.origin, difference.atoms.label
    still = variance <= ROUNDING * difference.size
    variance, (first, _) = np.where(still, 0.0, variance), pairs[0]
    if label is None or still.all() or not first.origin.is_compact:
        return variance, freedom
    rows = np.bincount(first.atoms.label, first.atoms.rows)
    squares = difference.atoms.rows * difference.influence**2
    seen = cell_sums(squares, label, len(rows))
    present = np.flatnonzero(rows)
    rare = present[np.argsort(rows[present], kind="stable")[:_RAREST]]
    labels, effects = first.origin.classes[rare], {}
    for side in dict.fromkeys(chain(*pairs)):
        moved = side.origin.moves_of_one_row(labels)
        effects[side] = np.abs(difference_of(moved, np.asarray(side.value), log=difference.log))
    least = _LEAST * np.array([(effects[a] + effects[b]) / 2 for a, b in pairs]) ** 2
    lacking = np.zeros(seen.shape)
    lacking[..., rare] = np.reshape(least, (*still.shape, -1)) - seen[..., rare]
    lacking = np.where(np.isfinite(lacking), np.maximum(lacking, 0.0), 0.0)
    lacking[still] = 0.0
    if lacking.any():
        fewer = np.fmin(freedom, over_classes(seen + lacking, first.atoms.by_class())[1])
        variance = variance + lacking.sum(axis=-1)
        freedom = np.where(lacking.any(axis=-1), fewer, freedom)
    return variance, freedom


def note_on_few_rows(number: float, statistic: Linearized) -> str:
    """A note on a difference between two models that few rows decide; ``statistic`` is one of both.

    Such a test has little power. It rejects too often only for means, whose largest losses may not
    have been seen, and for curves of clusters or within a range of rates.
    """
    if number >= CONTRIBUTIONS:
        return ""
    sample = statistic.origin
    units, is_curve = notes.units_of(statistic), sample.kind == "smooth"
    in_part = sample.design.group is not None or np.isfinite(notes.rows_in_range(sample))
    if number >= notes.FEW_DIFFER and not (is_curve and in_part):
        return ""
    if is_curve or sample.is_mean:
        decisive = notes.counted(number, f"{units} decide", 2)
        return f"about {decisive}: {notes.TEST_MAY_MISS}; try method='permutation'"
    return f"little power: the models differ on about {notes.counted(number, units, 2)} only"


def spread_of(pairs: Sequence[Pair], *, log: bool = False) -> Array:
    """Paired differences, their variances, degrees of freedom, and effective contributions, (4, m).

    With ``log`` those of logarithms.
    """
    return np.hstack([
        np.reshape((each.value, *variance_of_difference(each), each.effective), (4, -1))
        for each in differences(pairs, log=log)
    ])  # fmt: skip


def paired_t_tests(
    pairs: Sequence[Pair],
    asked: Asked,
    method: str,
    *,
    log: bool = False,
    normal: bool = False,
    spread: Array | None = None,
) -> list[Estimate]:
    """Paired t tests of differences, or of those of logarithms, with their intervals."""
    value, variance, freedom, effective = spread_of(pairs, log=log) if spread is None else spread
    varies = (variance > 0) & (freedom > 0) & np.isfinite(value)
    contrasts = [
        Contrast(each, (float(a.value), float(b.value)), method, asked)
        for each, (a, b) in zip(value.tolist(), pairs, strict=True)
    ]
    firsts, _ = zip(*pairs, strict=True)
    shown = list(map(note_on_few_rows, effective.tolist(), firsts))
    error, (low, high) = np.sqrt(np.where(varies, variance, np.nan)), pairs[0][0].bounds
    if normal:
        freedom = np.full(len(pairs), np.inf)
    results = t_intervals(contrasts, error, freedom, np.inf if log else high - low, shown)
    for k in np.flatnonzero(~varies).tolist():
        if abs(value[k]) <= ROUNDING and variance[k] == 0:
            results[k] = no_difference(contrasts[k], pairs[k][0].origin)
        else:
            results[k] = _without_variance(contrasts[k], pairs[k])
    return results


def welch_t_test(
    sides: Sequence[Linearized], variances: Array, freedom: float, asked: Asked, method: str
) -> Estimate:
    """Welch's t test of two samples, whose variances add."""
    values = float(sides[0].value), float(sides[1].value)
    contrast = Contrast(values[0] - values[1], values, method, asked)
    error = float(np.sqrt(variances.sum()))
    if not (error > 0 and np.isfinite(contrast.difference)):
        return _without_variance(contrast, sides)
    most = sides[0].bounds[1] - sides[0].bounds[0]
    return t_intervals([contrast], np.array([error]), np.array([freedom]), most)[0]


def t_intervals(
    contrasts: Sequence[Contrast], error: Array, freedom: Array, most: float, notes: Any = ("",)
) -> list[Estimate]:
    """Differences of at most ``most``, with their t intervals and tests; normal without freedom."""
    (values, *_), asked = zip(*contrasts, strict=True), contrasts[0].asked
    value = np.array(values)
    away = quantile(asked.level, None if np.isinf(freedom).all() else freedom) * error
    low, high = np.clip((value - away, value + away), -most, most)
    p_value, null = asked.test.tested(
        lambda null, side: tail_probability((value - null) / error, freedom, side)
    )
    numbers = np.array([low, high, (value - null) / error, p_value, error]).T.tolist()
    listed: Any = zip(contrasts, notes, numbers, freedom.tolist(), strict=True)
    return [
        contrast.tested((down, up), *tested, note, degrees)
        for contrast, note, (down, up, *tested), degrees in listed
    ]


def no_difference(
    contrast: Contrast, sample: Any, statistic: float = 0.0, draws: int | None = None
) -> Estimate:
    """Two models that agree on every row: Tango's interval of shares of the rarest class."""
    start, stop = sample.bounds
    bounds, shown = (0.0, 0.0), notes.NO_WIDTH
    if np.isfinite(stop - start):  # as if right on the same rows
        low, high = tango_bounds(0, 0, sample.fewest_rows, contrast.asked.level)
        bounds = (stop - start) * float(low), (stop - start) * float(high)
        shown = notes.OF_RAREST
    p_value, note = (
        1.0 if contrast.asked.test.margin is None else _NAN,
        f"{notes.NONE_DIFFER}: {shown}",
    )
    return contrast.tested(bounds, statistic, p_value, 0.0, note, draws=draws)


def _without_variance(contrast: Contrast, sides: Sequence[Linearized]) -> Estimate:
    """A difference whose variance cannot be estimated; of areas, from Newcombe's bounds of both."""
    value, has_margin = contrast.difference, contrast.asked.test.margin is not None
    if np.isnan(value):
        return contrast.tested()
    if not all(side.origin.kind == "area" for side in sides):
        what = "difference" if np.isfinite(value) else "logarithm of 0 or infinity"
        remedy = "" if has_margin else "; method='permutation' has a test"
        return contrast.tested(note=f"the {what} has no variance to estimate{remedy}")
    start, stop = sides[0].bounds
    distances = []
    for side in sides:
        area = (float(side.value) - start) / (stop - start)
        low, high = score_bounds(area, sides_of(side.origin), contrast.asked.level)
        distances.append(((stop - start) * (area - low), (stop - start) * (high - area)))
    down, up = difference_distances(distances)  # Newcombe 1998
    low, high = np.clip((value - down, value + up), start - stop, stop - start).tolist()
    p_value = 1.0 if value == 0 and not has_margin else _NAN
    note = notes.reason(value, low, high) or _AREAS_WITHOUT_VARIANCE
    return contrast.tested((low, high), p_value=p_value, note=note)


# --------------------------------------------------------------------------- DeLong's test


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class DelongTest(Result):
    """Areas of several models, their covariance, and the test that they are equal.

    Parameters
    ----------
    areas : ndarray of shape (k,)
        Area of each model.
    covariance : ndarray of shape (k, k)
        Covariance of the areas.
    statistic : float
        For two models, the difference in standard errors; for more, Wald's chi-squared statistic.
    p_value : float
        In [0, 1]; nan if there is no variance to estimate.
    degrees_of_freedom : float
        Of the chi-squared distribution or of Student's t; infinite for the normal distribution.
    pairs : mapping of (int, int) to Estimate
        All pairs of models by position; p-values are not adjusted (see `holm_adjust`).
    method : str
        Name of the test.

    Examples
    --------
    >>> from skmetrics_ext import delong_test
    >>> test = delong_test([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6], [1, 5, 3, 2, 4, 6])
    >>> print(test.pairs[0, 1])
    0.8889 against 0.6667: 0.2222 [-0.2647, 0.7092], p = 0.371, 95 %, delong
    """

    areas: Array
    covariance: Array
    statistic: float
    p_value: float
    degrees_of_freedom: float
    pairs: Mapping[tuple[int, int], Estimate]
    method: str

    def __iter__(self) -> Iterator[float]:
        """The statistic and the p-value: ``statistic, p_value = result``."""
        return iter((self.statistic, self.p_value))

    def _as_rows(self) -> Table:
        """A row for each pair of models, by their positions."""
        names = ("difference", "low", "high", "p_value", "note")
        return Table(
            {"first": i, "second": j, **{name: getattr(pair, name) for name in names}}
            for (i, j), pair in self.pairs.items()
        )

    def __str__(self) -> str:
        listed = ", ".join(f"{area:.4g}" for area in self.areas)
        return (
            f"{self.method}: areas {listed}; statistic = {self.statistic:.4g}, "
            f"p = {self.p_value:.3g}"
        )


@document
def delong_test(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *more: Any,
    y_true_b: ArrayLike | None = None,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    multi_class: MultiClass = "raise",
    average: CurveAverage = "macro",
    labels: ArrayLike | None = None,
    pos_label: PosLabel = None,
    sample_weight: ArrayLike | None = None,
    sample_weight_b: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    groups_b: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    strata_b: ArrayLike | None = None,
    confidence_level: float = 0.95,
    weights_are: WeightsAre = "importance",
) -> DelongTest:
    r"""DeLong's test that the areas under two or more ROC curves are equal.

    .. math:: z = \frac{\hat A_a - \hat A_b}{\sqrt{S_{aa} + S_{bb} - 2 S_{ab}}}, \qquad
        \chi^2 = \hat A^T C^T (C S C^T)^{-1} C \hat A

    with S the covariance of the areas, from the placements of each row among the rows of the other
    class, and C the contrasts of the models.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels.
    score_a, score_b : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores of two models.
    *more : array-like
        Scores of further models for the same rows.
    y_true_b : array-like, default=None
        Labels of the rows of ``score_b`` if these are another, independent sample. By default
        all models scored the same rows.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Whether the area of ``score_a`` differs from, is less than or is greater than that of
        ``score_b``; one-sided for two models only.
    multi_class : {"raise", "ovr", "ovo"}, default="raise"
        As in `roc_auc_score`.
    average : {"macro", "weighted", "micro"}, default="macro"
        As in `roc_auc_score`.
    {score_labels}
    {score_pos_label}
    {sample_weight}
    sample_weight_b : array-like, default=None
        Weights of the second sample.
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other.
    groups_b : array-like, default=None
        Groups of the second sample.
    strata : array-like of shape (n_samples,), default=None
        The stratum of each row (site, age band), if a fixed number of rows, or groups, was sampled
        from each, as in `confidence_interval`.
    strata_b : array-like, default=None
        Strata of the second sample.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the intervals of the differences, which are two-sided whatever the
        alternative.
    weights_are : {"importance", "frequency"}, default="importance"
        Whether a weight of 2 is one row that counts twice, or two rows.

    Returns
    -------
    DelongTest
        The test for two models on the same rows uses the normal distribution (`compare` uses
        Student's t, which keeps its level with few rows of a class); for two samples, Student's t
        with :math:`(S_a + S_b)^2 / (S_a^2 / (n_a - 1) + S_b^2 / (n_b - 1))` degrees of freedom;
        for more models, the chi-squared distribution with the rank of their contrasts as degrees
        of freedom: k - 1, unless some models are monotone transformations of each other. Those
        have difference 0 and p = 1.

    Raises
    ------
    {raises}

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44(3), 837-845; Obuchowski (1997),
    Biometrics 53(2), 567-578, for groups.

    Examples
    --------
    >>> from skmetrics_ext import delong_test
    >>> y_true = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> a, b = [1, 2, 3, 6, 4, 5, 7, 8], [1, 6, 3, 7, 2, 5, 4, 8]
    >>> test = delong_test(y_true, a, b, alternative="greater")
    >>> test.areas, round(test.p_value, 4)
    (array([0.875 , 0.5625]), 0.0569)
    """
    check_option("alternative", alternative, SIDES)
    check_option("weights_are", weights_are, ("importance", "frequency"))
    check_option("average", average, ("macro", "weighted", "micro"))
    asked = Asked(check_level(confidence_level), Claim.of(alternative))
    params = {"multi_class": multi_class, "average": average}
    metric = find(roc_auc_score, {**params, "labels": labels, "pos_label": pos_label})

    def areas_of(y_true: Any, scores: Mapping[str, Any], *columns: Any) -> Sequence[Linearized]:
        rows = *columns, weights_are
        samples = samples_of_models(metric, y_true, scores, *rows)
        return list(map(linearize, samples))

    if y_true_b is not None:
        if more:
            raise InvalidParameterError(
                f"y_true_b makes two samples, got {2 + len(more)} models: compare them in pairs."
            )
        samples = [
            *areas_of(y_true, {"score_a": score_a}, sample_weight, groups, strata),
            *areas_of(y_true_b, {"score_b": score_b}, sample_weight_b, groups_b, strata_b),
        ]
        return _unpaired(samples, asked)
    second_sample = {"sample_weight_b": sample_weight_b, "groups_b": groups_b, "strata_b": strata_b}
    for name, argument in second_sample.items():
        if argument is not None:
            raise InvalidParameterError(f"{name} is for a second sample: pass y_true_b too.")
    scores = {"score_a": score_a, "score_b": score_b}
    scores |= {f"more[{i}]": score for i, score in enumerate(more)}
    if more and alternative != "two-sided":
        raise InvalidParameterError(
            f"alternative={alternative!r} is for two models, got {len(scores)}."
        )
    areas = [area.as_rows() for area in areas_of(y_true, scores, sample_weight, groups, strata)]
    return _paired(areas, asked)


# --------------------------------------------------------------------------- tests


def _paired(areas: Sequence[Linearized], asked: Asked) -> DelongTest:
    values = np.array([area.value for area in areas])
    both, places = list(combinations(areas, 2)), combinations(range(len(areas)), 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = spread_of(both)
        tests = paired_t_tests(both, asked, "delong", normal=True, spread=spread)
    covariance, pairs = covariance_by_pairs(areas, spread[1]), {}
    for place, result in zip(places, tests, strict=True):
        note = "" if result.standard_error > 0 else result.note
        pairs[place] = replace(result, note=with_design(note, areas[0].atoms))
    if len(areas) == 2:
        only = pairs[0, 1]
        tested = only.statistic, only.p_value, np.inf
    else:
        tested = _wald(values, covariance)
    return DelongTest(values, covariance, *tested, pairs, "delong")


def _wald(areas: Array, covariance: Array) -> tuple[float, float, float]:
    """Chi-squared statistic of all contrasts, its p-value and the rank of the contrasts."""
    from scipy.special import chdtrc

    if np.isnan(covariance).any() or np.isnan(areas).any():
        return float("nan"), float("nan"), float("nan")
    centred = covariance - covariance.mean(axis=0)
    centred = centred - centred.mean(axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(centred)
    kept = values > ROUNDING * max(float(covariance.diagonal().sum()), 0.0)
    along = vectors.T @ (areas - areas.mean())
    if (np.abs(along[~kept]) > 1e-9).any():  # some models differ without any variance
        return float("nan"), float("nan"), float("nan")
    df = np.count_nonzero(kept)
    statistic = float((along[kept] ** 2 / values[kept]).sum())
    return statistic, float(chdtrc(df, statistic)) if df else 1.0, float(df)


def _unpaired(samples: Sequence[Linearized], asked: Asked) -> DelongTest:
    variances = np.array([float(sample.variance) for sample in samples])
    freedom = [float(sample.atoms.drawn()[0].sum()) - sample.atoms.n_strata for sample in samples]
    df = float(satterthwaite(variances, np.array(freedom)))
    pair = welch_t_test(samples, variances, df, asked, "delong, two samples")
    for sample in samples:
        pair = replace(pair, note=with_design(pair.note, sample.atoms))
    areas = np.array([sample.value for sample in samples])
    tested = pair.statistic, pair.p_value, df
    return DelongTest(areas, np.diag(variances), *tested, {(0, 1): pair}, "delong, two samples")
