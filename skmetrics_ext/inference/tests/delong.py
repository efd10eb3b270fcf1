"""DeLong's test that models rank the same rows, or two samples, equally well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.draws.units import WeightsAre
from skmetrics_ext.inference.influence.strata import with_single
from skmetrics_ext.inference.margins import SIDES, Claim
from skmetrics_ext.inference.methods import OF_RAREST
from skmetrics_ext.inference.proportions import normal_quantile
from skmetrics_ext.inference.results import Comparison, reason
from skmetrics_ext.inference.tests.correlated import Correlated, correlated_areas
from skmetrics_ext.inference.tests.mcnemar import alike_bounds
from skmetrics_ext.metrics.averaging import CurveAverage, MultiClass
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.results import Result
from skmetrics_ext.rows import Rows
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option
from skmetrics_ext.validation.groups import Design, read_design
from skmetrics_ext.validation.parameters import check_level
from skmetrics_ext.validation.rows import check_same_masks

_RANK = 1e-12  # of the largest variance: what is less is rounding
NONE_APART = "no row tells the models apart"
_NO_VARIANCE = (
    "the areas have no variance to estimate, so there is no test (method='permutation' of compare "
    "has one); the interval combines Newcombe's method 5 of both"
)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class DelongTest(Result):
    """Areas of some models, their covariance, and the test that they are equal.

    Parameters
    ----------
    areas : ndarray of shape (k,)
        Area of each model.
    covariance : ndarray of shape (k, k)
        Of the areas.
    statistic : float
        Two models: the difference in standard errors. More: Wald's chi-squared statistic.
    p_value : float
        In [0, 1]; nan where there is no variance to estimate.
    degrees_of_freedom : float
        Of the chi-squared distribution, or of Student's t; infinite for the normal one.
    pairs : mapping of (int, int) to Comparison
        Every two models by position; their p-values are not adjusted (see `holm_adjust`).
    method : str
        Name of the test.

    Examples
    --------
    >>> from skmetrics_ext import delong_test
    >>> test = delong_test([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6], [1, 5, 3, 2, 4, 6])
    >>> print(test.pairs[0, 1])
    0.2222 [-0.2647, 0.7092], p = 0.371 (95% confidence, delong)
    """

    areas: Array
    covariance: Array
    statistic: float
    p_value: float
    degrees_of_freedom: float
    pairs: Mapping[tuple[int, int], Comparison]
    method: str

    def __iter__(self) -> Iterator[float]:
        """The statistic and the p-value: ``statistic, p_value = result``."""
        return iter((self.statistic, self.p_value))

    def _as_rows(self) -> Rows:
        """A row for each pair of models, by their places."""
        names = ("difference", "low", "high", "p_value", "note")
        return Rows(
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
    score_a: Any,
    score_b: Any,
    *more: Any,
    y_true_b: ArrayLike | None = None,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    multi_class: MultiClass = "raise",
    average: CurveAverage = "macro",
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    sample_weight_b: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    groups_b: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    strata_b: ArrayLike | None = None,
    weights_are: WeightsAre = "importance",
    confidence_level: float = 0.95,
) -> DelongTest:
    r"""DeLong's test that the areas under two or more ROC curves are equal.

    .. math:: z = \frac{\hat A_a - \hat A_b}{\sqrt{S_{aa} + S_{bb} - 2 S_{ab}}}, \qquad
        \chi^2 = \hat A^T C^T (C S C^T)^{-1} C \hat A

    with S the covariance of the areas from the placements of each row among the rows of the other
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
        Labels of the rows of ``score_b`` where they are another, independent sample. Without it,
        all models scored the same rows.
    alternative : {"two-sided", "less", "greater"}, default="two-sided"
        Whether the area of ``score_a`` differs, is less or is greater; of two models.
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
    weights_are : {"importance", "frequency"}, default="importance"
        Whether a weight of 2 is one row that counts twice, or two rows.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the intervals of the differences, which are two-sided whatever the
        alternative.

    Returns
    -------
    DelongTest
        Two models on the same rows are compared with the normal distribution (`compare` takes
        Student's t, which holds its level with few rows of a class, too), two samples with
        Student's t of :math:`(S_a + S_b)^2 / (S_a^2 / (n_a - 1) + S_b^2 / (n_b - 1))` degrees of
        freedom, more models with the chi-squared distribution whose degrees of freedom are the
        rank of their contrasts: k - 1, unless some models differ by nothing but a monotone
        transformation. These have difference 0 and p = 1.

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
    level = check_level(confidence_level)
    about = {"labels": labels, "pos_label": pos_label, "what": "delong_test"}
    options: Any = {"multi_class": multi_class, "average": average, "weights_are": weights_are}
    if y_true_b is not None:
        if more:
            raise InvalidParameterError(
                f"y_true_b makes two samples, got {2 + len(more)} models: compare them in pairs."
            )
        first = _checked(y_true, {"score_a": score_a}, sample_weight, (groups, strata), about)
        of_b = sample_weight_b, (groups_b, strata_b)
        second = _checked(y_true_b, {"score_b": score_b}, *of_b, about)
        parts = [correlated_areas(*one, **options) for one in (first, second)]
        return _unpaired(parts, Claim.of(alternative), level)
    second_alone = {"sample_weight_b": sample_weight_b, "groups_b": groups_b, "strata_b": strata_b}
    for name, given in second_alone.items():
        if given is not None:
            raise InvalidParameterError(f"{name} is for a second sample: pass y_true_b too.")
    names = ("score_a", "score_b", *(f"more[{i}]" for i in range(len(more))))
    scores = dict(zip(names, (score_a, score_b, *more), strict=True))
    if more and alternative != "two-sided":
        raise InvalidParameterError(
            f"alternative={alternative!r} is for two models, got {len(scores)}."
        )
    checked = _checked(y_true, scores, sample_weight, (groups, strata), about)
    return _paired(correlated_areas(*checked, **options), Claim.of(alternative), level)


# --------------------------------------------------------------------------- tests


def paired_comparison(
    found: Correlated, i: int, j: int, claim: Claim, level: float, *, by_t: bool = False
) -> Comparison:
    """Two of the models of the same rows, by the normal distribution or by Student's t."""
    variances = found.covariance[i, i] + found.covariance[j, j] - 2 * found.covariance[i, j]
    scale = found.covariance[i, i] + found.covariance[j, j]
    # Models that rank alike differ by rounding only.
    variance = 0.0 if variances <= _RANK * scale else float(variances)
    pair, of_both = found.areas[[i, j]], ((found, i), (found, j))
    df = float(found.apart[max(i, j), min(i, j)].freedom) if by_t else np.inf
    compared = _comparison(pair, variance, df, of_both, "delong", claim, level)
    if by_t and np.isfinite(compared.statistic) and variance > 0:
        return replace(compared, method="delong, t")
    return compared


def _paired(found: Correlated, claim: Claim, level: float) -> DelongTest:
    n_models = len(found.areas)
    pairs = {
        (i, j): _with_notes(paired_comparison(found, i, j, claim, level), found)
        for i, j in combinations(range(n_models), 2)
    }
    if n_models == 2:
        only = pairs[0, 1]
        return DelongTest(
            found.areas, found.covariance, only.statistic, only.p_value, np.inf, pairs, "delong"
        )
    statistic, p_value, df = _wald(found)
    return DelongTest(found.areas, found.covariance, statistic, p_value, df, pairs, "delong")


def _wald(found: Correlated) -> tuple[float, float, float]:
    """Chi-squared statistic of all contrasts, its p-value and the rank of the contrasts."""
    from scipy.special import chdtrc

    if np.isnan(found.covariance).any() or np.isnan(found.areas).any():
        return float("nan"), float("nan"), float("nan")
    centred = found.covariance - found.covariance.mean(axis=0)
    centred = centred - centred.mean(axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(centred)
    kept = values > _RANK * max(float(found.covariance.diagonal().sum()), 0.0)
    along = vectors.T @ (found.areas - found.areas.mean())
    if (np.abs(along[~kept]) > 1e-9).any():  # some models differ without any variance
        return float("nan"), float("nan"), float("nan")
    df = np.count_nonzero(kept)
    statistic = float((along[kept] ** 2 / values[kept]).sum())
    return statistic, float(chdtrc(df, statistic)) if df else 1.0, float(df)


def _unpaired(samples: list[Correlated], claim: Claim, level: float) -> DelongTest:
    variances = np.array([one.covariance[0, 0] for one in samples])
    spent = divide(variances**2, np.array([one.rows - 1 for one in samples])).sum()
    df = float(divide(variances.sum() ** 2, spent))
    areas, models = np.concatenate([one.areas for one in samples]), [(one, 0) for one in samples]
    name = "delong, two samples"
    pair = _comparison(areas, float(variances.sum()), df, models, name, claim, level)
    pair = _with_notes(pair, *samples)
    return DelongTest(
        areas, np.diag(variances), pair.statistic, pair.p_value, df, {(0, 1): pair}, name
    )


def _with_notes(pair: Comparison, *samples: Correlated) -> Comparison:
    """The same with what there is to tell of strata of a single row."""
    note = pair.note
    for one in samples:
        note = with_single(note, one.readings[0].units)
    return pair if note == pair.note else replace(pair, note=note)


def _comparison(
    areas: Array,
    variance: float,
    df: float,
    models: Sequence[tuple[Correlated, int]],
    method: str,
    claim: Claim,
    level: float,
) -> Comparison:
    from scipy.special import stdtrit

    difference, nan = float(areas[0] - areas[1]), float("nan")
    values, asked = (float(areas[0]), float(areas[1])), (claim.alternative, claim.margin)
    same_rows = models[0][0] is models[1][0]
    alike_p = 1.0 if claim.margin is None else nan
    if abs(difference) <= _RANK and variance == 0 and same_rows:
        bounds, note = alike_bounds(models[0][0].fewest, level), f"{NONE_APART}: {OF_RAREST}"
        return Comparison(0.0, *bounds, 0.0, alike_p, method, *values, 0.0, level, note, *asked)
    if np.isnan(difference) or not variance > 0:
        bounds = (nan, nan) if np.isnan(difference) else _combined_bounds(areas, models, level)
        note = reason(difference, *bounds) or _NO_VARIANCE
        numbers = difference, *bounds, nan, alike_p if difference == 0 else nan
        return Comparison(*numbers, method, *values, nan, level, note, *asked)
    error = float(np.sqrt(variance))
    quantile = normal_quantile(level) if np.isinf(df) else float(stdtrit(df, (1 + level) / 2))
    low, high = max(difference - quantile * error, -1.0), min(difference + quantile * error, 1.0)
    p_value, null = claim.tested(
        lambda null, side: tail_probability((difference - null) / error, df, side)
    )
    statistic, told = (difference - null) / error, (method, *values, error, level, "", *asked)
    return Comparison(difference, low, high, statistic, p_value, *told)


def _combined_bounds(
    areas: Array,
    models: Sequence[tuple[Correlated, int]],
    level: float,
) -> tuple[float, float]:
    """Squares of the distances to the bounds of both areas, added (Newcombe 1998)."""
    (low_a, high_a), (low_b, high_b) = (found.bounds(k, level) for found, k in models)
    (first, second), difference = areas, areas[0] - areas[1]
    down, up = np.hypot(first - low_a, high_b - second), np.hypot(high_a - first, second - low_b)
    return max(float(difference - down), -1.0), min(float(difference + up), 1.0)


def tail_probability(statistic: float, df: float, alternative: str) -> float:
    """P-value of a statistic that is Student's t of `df`, or normal, if nothing differs."""
    from scipy.special import ndtr, stdtr

    def below(value: float) -> float:
        return float(ndtr(value) if np.isinf(df) else stdtr(df, value))

    if alternative == "two-sided":
        return 2 * below(-abs(statistic))
    return below(statistic if alternative == "less" else -statistic)


# --------------------------------------------------------------------------- reading


def _checked(
    y_true: Any,
    scores: Mapping[str, Any],
    sample_weight: Any,
    groups_strata: tuple[Any, Any],
    about: dict[str, Any],
) -> tuple[list[Scores], Design]:
    """Scores of each model, and how their rows were sampled."""
    found = []
    for name, score in scores.items():
        try:
            found.append(Scores.check(y_true, score, sample_weight=sample_weight, **about))
        except ValueError as error:
            raise InvalidParameterError(f"{name} (y_score below): {error}") from error
    check_same_masks(**scores)
    score = next(iter(scores.values()))
    beside = {"y_true": y_true, "y_score": score, "sample_weight": sample_weight}
    return found, read_design(*groups_strata, len(found[0].true), **beside)
