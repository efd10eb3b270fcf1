"""Intervals of a proportion, and of differences and ratios of two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from numbers import Number
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.algebra import Given, Leaf, Made, Separate
from skmetrics_ext.inference.confidence_interval import confidence_interval
from skmetrics_ext.inference.derivatives import value_and_deviations
from skmetrics_ext.inference.draws.bootstrap import PLAN
from skmetrics_ext.inference.notes import ROUNDING
from skmetrics_ext.inference.proportions import (
    PROPORTION_METHODS,
    ProportionMethod,
    check_count,
    difference_distances,
    proportion_bounds,
)
from skmetrics_ext.inference.results import Estimate, estimate
from skmetrics_ext.inference.scales import Bounds, quantile
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels.accuracy import accuracy_score
from skmetrics_ext.numeric import Array, divide, increasing_root, ratio
from skmetrics_ext.registry import find
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation import InvalidParameterError, check_option, warn_undefined
from skmetrics_ext.validation.containers import read_column
from skmetrics_ext.validation.parameters import check_level, check_number

# --------------------------------------------------------------------------- kernels of differences
# Each takes successes and trials of both samples, float64 arrays of one shape, and the level.
Trials = tuple[Array, Array]


def _wald(a: Trials, b: Trials, level: float) -> Bounds:
    difference = divide(*a) - divide(*b)
    spread = quantile(level) * np.sqrt(_variance(divide(*a), a[1], divide(*b), b[1]))
    return difference - spread, difference + spread


def _variance(share_a: Array, nobs_a: Array, share_b: Array, nobs_b: Array) -> Array:
    return divide(share_a * (1 - share_a), nobs_a) + divide(share_b * (1 - share_b), nobs_b)


def _agresti_caffo(a: Trials, b: Trials, level: float) -> Bounds:
    return _wald((a[0] + 1, a[1] + 2), (b[0] + 1, b[1] + 2), level)


def _newcombe(a: Trials, b: Trials, level: float, single: str = "wilson") -> Bounds:
    """Newcombe's combination of the intervals of the single proportions."""
    shares = divide(*a), divide(*b)
    bounds = [proportion_bounds(*trials, single, level) for trials in (a, b)]
    pairs = zip(shares, bounds, strict=True)
    down, up = difference_distances((share - low, high - share) for share, (low, high) in pairs)
    return shares[0] - shares[1] - down, shares[0] - shares[1] + up


def _miettinen_nurminen(a: Trials, b: Trials, level: float) -> Bounds:
    z, difference, total = quantile(level), divide(*a) - divide(*b), a[1] + b[1]

    def score(delta: Array) -> Array:
        share_b = shares_under_difference(*a, *b, delta)
        share_a = np.clip(share_b + delta, 0.0, 1.0)
        variance = _variance(share_a, a[1], share_b, b[1]) * total / (total - 1)
        distance = difference - delta
        # If both constrained shares are 0 or 1 there is no variance: any distance is infinite.
        return np.sign(distance) * ratio(np.abs(distance), np.sqrt(variance))

    return (
        increasing_root(lambda delta: z - score(delta), -np.ones_like(difference), difference),
        increasing_root(lambda delta: -z - score(delta), difference, np.ones_like(difference)),
    )


def shares_under_difference(
    count_a: Array, nobs_a: Array, count_b: Array, nobs_b: Array, delta: Array
) -> Array:
    """Maximum likelihood estimate of the second share if the first is larger by ``delta``.

    It is the root of a cubic within the range of shares, in trigonometric form.
    """
    total, count = nobs_a + nobs_b, count_a + count_b
    square = (nobs_a + 2 * nobs_b) * delta - total - count
    linear = (nobs_b * delta - total - 2 * count_b) * delta + count
    constant = count_b * delta * (1 - delta)
    third = square / (3 * total)
    q = third**3 - square * linear / (6 * total**2) + constant / (2 * total)
    size = np.where(q >= 0, 1.0, -1.0) * np.sqrt(np.maximum(third**2 - linear / (3 * total), 0))
    cosine = np.clip(np.nan_to_num(divide(q, size**3)), -1.0, 1.0)
    root = 2 * size * np.cos((np.pi + np.arccos(cosine)) / 3) - third
    return np.clip(root, np.maximum(0.0, -delta), np.minimum(1.0, 1 - delta))


_DIFFERENCES: dict[str, Callable[..., Bounds]] = {
    "newcombe": _newcombe,
    "newcombe_cc": partial(_newcombe, single="wilson_cc"),
    "miettinen_nurminen": _miettinen_nurminen,
    "agresti_caffo": _agresti_caffo,
    "wald": _wald,
}
DIFFERENCE_METHODS = tuple(_DIFFERENCES)
DifferenceMethod = Literal["newcombe", "newcombe_cc", "miettinen_nurminen", "agresti_caffo", "wald"]


def difference_bounds(
    count_a: ArrayLike,
    nobs_a: ArrayLike,
    count_b: ArrayLike,
    nobs_b: ArrayLike,
    method: DifferenceMethod = "newcombe",
    level: float = 0.95,
) -> Bounds:
    """Bounds of differences of independent proportions, broadcast; nan if a sample is empty."""
    count_a, nobs_a, count_b, nobs_b = np.broadcast_arrays(
        *(np.asarray(part, dtype=np.float64) for part in (count_a, nobs_a, count_b, nobs_b))
    )
    with np.errstate(invalid="ignore"):
        low, high = _DIFFERENCES[method]((count_a, nobs_a), (count_b, nobs_b), level)
    seen = (nobs_a > 0) & (nobs_b > 0)
    low, high = np.where(seen, low, np.nan), np.where(seen, high, np.nan)
    difference = divide(count_a, nobs_a) - divide(count_b, nobs_b)
    return np.clip(low, -1.0, difference), np.clip(high, difference, 1.0)


# --------------------------------------------------------------------------- kernels of ratios
Ratio = Literal["positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio"]
RATIOS = get_args(Ratio)


def _ratio_of(name: str, table: Array) -> tuple[float, float]:
    """The ratio of a table (2, 2), and the variance of its logarithm."""
    metric = find(name, {"pos_label": 1, "zero_division": np.nan})
    value, deviations = value_and_deviations(
        lambda tables: metric.read(ConfusionTally(np.arange(2), tables)), table
    )
    return float(value), float(divide((table * deviations**2).sum(), value**2))


# --------------------------------------------------------------------------- public functions


@document
def proportion_interval(
    count: float | ArrayLike,
    nobs: float | None = None,
    *,
    method: ProportionMethod = "wilson",
    confidence_level: float = 0.95,
    groups: ArrayLike | None = None,
) -> Estimate:
    r"""Interval of a proportion, such as accuracy, sensitivity, precision or prevalence.

    .. math:: \hat p = k / n

    Parameters
    ----------
    count : float or array-like of shape (n_samples,)
        Number of successes :math:`k`; sums of weights need not be whole. Without ``nobs`` the mark
        of each answer: 1 or True where it is right, 0 or False where it is wrong.
    nobs : float, default=None
        Number of trials :math:`n`.
    method : str, default="wilson"
        One of:

        - "wilson" inverts the score test,
          :math:`|\hat p - p| \le z \sqrt{p (1 - p) / n}`; its coverage is close to the level on
          average. "wilson_cc" adds a continuity correction;
        - "clopper_pearson" inverts the exact binomial test on each side: coverage is at least
          the level, and the interval is wide;
        - "mid_p" counts only half the probability of the observed count: coverage is close to the
          level on average and seldom far below;
        - "jeffreys" has the quantiles of the Beta(k + 1/2, n - k + 1/2) posterior, and the bound
          0 at k = 0, 1 at k = n;
        - "agresti_coull" is Wald's interval after adding z^2 trials, half of them successes;
        - "likelihood_ratio" contains every p that the likelihood ratio test does not reject;
        - "logit" is Wald's interval for the log odds (exact at 0 and n), "arcsine" that for the
          variance-stabilising arcsine transformation with Anscombe's correction;
        - "wald" is :math:`\hat p \pm z \sqrt{\hat p (1 - \hat p) / n}`. It covers too little
          near 0 and 1, where it has no width; use it to compare with published intervals.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval, two-sided.
    groups : array-like of shape (n_samples,), default=None
        The group of each mark, such as the document or the question, if marks of a group may
        depend on each other: the interval is that of the effective number of marks.

    Returns
    -------
    Estimate
        The bounds lie in [0, 1]. ``standard_error`` is :math:`\sqrt{\hat p (1 - \hat p) / n}`.
        Everything is nan, with a warning, where ``nobs`` is 0.

    Raises
    ------
    {raises}

    References
    ----------
    Wilson (1927), JASA 22(158), 209-212; Clopper & Pearson (1934), Biometrika 26(4), 404-413;
    Brown, Cai & DasGupta (2001), Statistical Science 16(2), 101-133; Newcombe (1998),
    Statistics in Medicine 17(8), 857-872; Anscombe (1948), Biometrika 35(3-4), 246-254.

    Examples
    --------
    >>> from skmetrics_ext import proportion_interval
    >>> print(proportion_interval(81, 263))
    0.308 [0.2553, 0.3662], 95 %, wilson
    >>> print(proportion_interval(0, 20, method="clopper_pearson"))
    0 [0, 0.1684], 95 %, clopper_pearson

    Marks of 24 answers to questions about six documents:

    >>> marks, document = [1, 1, 1, 0, 1, 1] * 4, [1, 1, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6] * 2
    >>> print(proportion_interval(marks))
    Accuracy 0.8333 [0.6415, 0.9332], 95 %, 24 rows, wilson
    >>> proportion_interval(marks, groups=document).n_groups
    6

    The difference of two independent proportions, with Newcombe's interval (1998, method 10):

    >>> print(proportion_interval(56, 70) - proportion_interval(48, 80))  # doctest: +ELLIPSIS
    Accuracy 0.8 against 0.6: 0.2 [0.05243, 0.3339], p = 0.00813, the first is better, 95 %, ...
    """
    check_option("method", method, PROPORTION_METHODS)
    if nobs is None:
        return _of_marks(count, method=method, confidence_level=confidence_level, groups=groups)
    if groups is not None:
        raise InvalidParameterError(
            "groups belong to the marks of single answers: leave out nobs, and pass the marks."
        )
    level = check_level(confidence_level)
    nobs = check_number("nobs", nobs, 0)
    count = check_count("count", count, "nobs", nobs)
    if nobs == 0:
        warn_undefined("proportion_interval is undefined and nan: nobs is 0.")
    low, high = proportion_bounds(count, nobs, method, level)
    share = float(divide(count, nobs))
    error = float(np.sqrt(divide(share * (1 - share), nobs)))
    result = estimate(share, (float(low), float(high)), error, method, level)
    is_whole = nobs > 0 and float(count).is_integer() and float(nobs).is_integer()
    return replace(result, _made=_rows_of(count, nobs, share, method)) if is_whole else result


def _rows_of(count: float, nobs: float, share: float, method: str) -> Any:
    """What the estimate is computed with: rows that are right or wrong, those of no other."""
    weights = [int(count), int(nobs - count)]
    given = Given(find(accuracy_score), [1, 1], [1, 0], weights, weights_are="frequency")
    leaf = Leaf(share, given.metric, given.statistic, Separate(), bounds=(0.0, 1.0))
    return Made(leaf, PLAN, method)


def _of_marks(marks: Any, **options: Any) -> Estimate:
    """The share of marks that are right: the accuracy of answers whose truth is that they are."""
    if isinstance(marks, Number):
        raise InvalidParameterError(
            f"nobs is missing: pass the number of trials next to count={marks!r:.60}, or the marks "
            "of the answers as count."
        )
    column = read_column(marks, "count")
    wrong = [mark for mark in dict.fromkeys(column.labels.ravel().tolist()) if mark not in (0, 1)]
    if column.values.ndim != 1 or wrong:
        what = f"{wrong[0]!r}" if wrong else f"an array of shape {column.values.shape}"
        raise InvalidParameterError(
            f"count without nobs must hold the mark of each answer, 1 or 0, True or False, got "
            f"{what}: pass np.asarray(marks) == the mark that is right."
        )
    right = column.labels == 1
    if column.mask is not None:
        right = np.ma.MaskedArray(right, column.mask)
    return confidence_interval(accuracy_score, np.ones(len(column), dtype=bool), right, **options)


@document
def proportion_difference_interval(
    count_a: float,
    nobs_a: float,
    count_b: float,
    nobs_b: float,
    *,
    method: DifferenceMethod = "newcombe",
    confidence_level: float = 0.95,
) -> Estimate:
    r"""Interval of the difference of two proportions of independent samples.

    .. math:: \hat p_a - \hat p_b = k_a / n_a - k_b / n_b

    For two models on the same rows, which are not independent, see `mcnemar_test`.

    Parameters
    ----------
    count_a, count_b : float
        Numbers of successes.
    nobs_a, nobs_b : float
        Numbers of trials.
    method : str, default="newcombe"
        One of:

        - "newcombe" adds the squared distances to the Wilson bounds of the single proportions
          (Newcombe's method 10); "newcombe_cc" takes the bounds with continuity correction;
        - "miettinen_nurminen" inverts the score test, with the variance at the maximum likelihood
          estimates under the tested difference, times n / (n - 1);
        - "agresti_caffo" is Wald's after adding one success and one failure to each sample;
        - "wald" is :math:`\hat d \pm z \sqrt{\hat p_a \hat q_a / n_a + \hat p_b \hat q_b / n_b}`,
          which covers too little in small samples and near 0 and 1.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval, two-sided.

    Returns
    -------
    Estimate
        The bounds lie in [-1, 1]. ``standard_error`` is Wald's. Everything is nan, with a
        warning, where a sample is empty.

    Raises
    ------
    {raises}

    References
    ----------
    Newcombe (1998), Statistics in Medicine 17(8), 873-890; Miettinen & Nurminen (1985),
    Statistics in Medicine 4(2), 213-226; Agresti & Caffo (2000), The American Statistician
    54(4), 280-288.

    Examples
    --------
    >>> from skmetrics_ext.inference.two_proportions import proportion_difference_interval
    >>> print(proportion_difference_interval(56, 70, 48, 80))
    0.2 [0.05243, 0.3339], 95 %, newcombe
    """
    check_option("method", method, DIFFERENCE_METHODS)
    level = check_level(confidence_level)
    nobs_a, nobs_b = check_number("nobs_a", nobs_a, 0), check_number("nobs_b", nobs_b, 0)
    count_a = check_count("count_a", count_a, "nobs_a", nobs_a)
    count_b = check_count("count_b", count_b, "nobs_b", nobs_b)
    if nobs_a == 0 or nobs_b == 0:
        warn_undefined("proportion_difference_interval is undefined and nan: a sample is empty.")
    share_a, share_b = divide(count_a, nobs_a), divide(count_b, nobs_b)
    low, high = difference_bounds(count_a, nobs_a, count_b, nobs_b, method, level)
    error = np.sqrt(_variance(share_a, np.asarray(nobs_a), share_b, np.asarray(nobs_b)))
    bounds = float(low), float(high)
    return estimate(float(share_a - share_b), bounds, float(error), method, level)


@document
def ratio_interval(
    tp: float,
    fp: float,
    fn: float,
    tn: float,
    *,
    ratio: Ratio = RATIOS[-1],
    confidence_level: float = 0.95,
) -> Estimate:
    r"""Interval of a likelihood ratio or of the diagnostic odds ratio, by the log method.

    .. math:: \hat\theta \, e^{\pm z \, \mathrm{se}(\log \hat\theta)}

    with variance :math:`1/TP + 1/FP + 1/FN + 1/TN` of the log odds ratio,
    :math:`1/TP - 1/P + 1/FP - 1/N` of the log of :math:`LR_+` and
    :math:`1/FN - 1/P + 1/TN - 1/N` of the log of :math:`LR_-`.

    Parameters
    ----------
    tp, fp, fn, tn : float
        Cells of the two by two table.
    ratio : str, default="diagnostic_odds_ratio"
        The metric: "diagnostic_odds_ratio", "positive_likelihood_ratio" or
        "negative_likelihood_ratio".
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval, two-sided.

    Returns
    -------
    Estimate
        ``standard_error`` is that of the logarithm. The method "log" of `confidence_interval`
        uses a t quantile instead, and at least the variance of a few rows. If the ratio is 0 or
        infinite, or its logarithm has no variance, bounds and error are those of the table with
        1/2 added to each cell (Haldane, Anscombe), the interval is extended to the value, and
        ``note`` says so. nan, with a warning, if the ratio is 0/0.

    Raises
    ------
    {raises}

    References
    ----------
    Woolf (1955), Annals of Human Genetics 19(4), 251-253; Simel, Samsa & Matchar (1991),
    Journal of Clinical Epidemiology 44(8), 763-770.

    Examples
    --------
    >>> from skmetrics_ext import ratio_interval
    >>> print(ratio_interval(142, 22, 29, 110, ratio="positive_likelihood_ratio"))
    4.982 [3.382, 7.34], 95 %, log, z
    """
    check_option("ratio", ratio, RATIOS)
    level = check_level(confidence_level)
    named: dict[str, Any] = {"tn": tn, "fp": fp, "fn": fn, "tp": tp}
    cells = [check_number(name, cell, 0) for name, cell in named.items()]
    table = np.array(cells, dtype=np.float64).reshape(2, 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        centre, variance = value, _ = _ratio_of(ratio, table)
    note = ""
    if np.isnan(value):
        warn_undefined(f"{ratio} is undefined and nan: it is 0/0.")
    elif not (np.isfinite(value) and variance > ROUNDING**2):
        centre, variance = _ratio_of(ratio, table + 0.5)
        note = "its logarithm has no variance: 1/2 was added to each cell"
    error = np.sqrt(variance)
    factor = np.exp(quantile(level) * error)
    bounds = min(centre / factor, value), max(centre * factor, value)
    return estimate(value, bounds, float(error), "log, z", level, note)
