"""One metric of two samples: their difference, its interval and a test of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.algebra import Given, Made, Separate, leaf_of, linear, mapped
from skmetrics_ext.inference.compare import is_ratio, undefined_difference
from skmetrics_ext.inference.directions import with_directions
from skmetrics_ext.inference.draws import bootstrap, readers
from skmetrics_ext.inference.draws.atoms import WEIGHT_KINDS, WeightsAre
from skmetrics_ext.inference.draws.bootstrap import DrawPlan
from skmetrics_ext.inference.linearized import Linearized, correlation, linearize
from skmetrics_ext.inference.margins import Alternative, Asked, Claim, Contrast, on_side
from skmetrics_ext.inference.methods import (
    IntervalMethod,
    bounds_of_draws,
    facts_of_both,
    methods_of,
)
from skmetrics_ext.inference.notes import BIASED, BIASED_DIFFERENCE, NONE, with_design
from skmetrics_ext.inference.proportions import difference_distances, summed_errors
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.scales import Bounds, Interval
from skmetrics_ext.inference.t_tests import welch_t_test
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import RandomState, difference_of, divide, satterthwaite
from skmetrics_ext.progress import Progress
from skmetrics_ext.registry import Metric
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.parameters import check_level

_LEAST_P = 1e-12  # below which levels are not distinguishable from 1
_POINTS, _ROUNDS = 1025, 2  # levels tried at once; each round lies between two of the last


@document
def compare_samples(
    metric: Any,
    y_true_a: ArrayLike,
    y_pred_a: ArrayLike,
    y_true_b: ArrayLike,
    y_pred_b: ArrayLike,
    *,
    method: IntervalMethod | Literal["welch"] = "auto",
    alternative: Alternative = "two-sided",
    margin: float | None = None,
    confidence_level: float = 0.95,
    sample_weight_a: ArrayLike | None = None,
    sample_weight_b: ArrayLike | None = None,
    groups_a: ArrayLike | None = None,
    groups_b: ArrayLike | None = None,
    strata_a: ArrayLike | None = None,
    strata_b: ArrayLike | None = None,
    weights_are: WeightsAre = "importance",
    stratified: bool = False,
    n_resamples: int | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    progress: Progress = None,
    **metric_params: Any,
) -> Estimate:
    r"""Difference of a metric between two independent samples: two sites, two months.

    .. math:: \hat d = \hat m_a - \hat m_b, \qquad
        \hat d - \sqrt{(\hat m_a - l_a)^2 + (u_b - \hat m_b)^2} \;\text{ to }\;
        \hat d + \sqrt{(u_a - \hat m_a)^2 + (\hat m_b - l_b)^2}

    with the bounds l and u of the interval of each sample. For two models on the same rows use
    `compare`, which takes their correlation into account.

    Parameters
    ----------
    metric : str or callable
        As in `confidence_interval`.
    y_true_a, y_pred_a : array-like
        True labels of the first sample, and labels, scores or probabilities as the metric takes
        them; or a `ConfusionTally` that counts rows, and None.
    y_true_b, y_pred_b : array-like
        The second sample, of any number of rows.
    method : str, default="auto"
        - "auto" combines the default intervals of `confidence_interval` by the formula above
          (MOVER; for shares of rows it is Newcombe's interval). It stays in the range of the metric
          and has a width even if a sample has no error. For metrics that are ratios (likelihood
          ratios, odds ratio, observed over expected) the difference is that of logarithms. Metrics
          that are biased upwards, more so in the smaller sample (Kolmogorov-Smirnov, H-measure,
          convex hull, calibration errors), have no interval and no test unless a method such as
          "bca" is given;
        - the name of a method of `confidence_interval` combines its intervals;
        - "welch" adds the variances from `influence_values`, with a t quantile with Satterthwaite's
          degrees of freedom; for means over rows it is Welch's test.
    alternative : str, default="two-sided"
        "two-sided", "less", "greater", "non-inferior" or "equivalent".
        The claim about the first sample, as in `compare`.
    margin : float, default=None
        The least difference that matters, as in `compare`.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the two-sided interval, which decides claims as in `compare`.
    sample_weight_a, sample_weight_b : array-like, default=None
        Non-negative weight of each row.
    groups_a, groups_b : array-like, default=None
        The group of each row (the patient); rows of a group may depend on each other. Groups of the
        two samples are taken as different groups.
    strata_a, strata_b : array-like, default=None
        The stratum of each row, if a fixed number of rows, or groups, was sampled from each, as in
        `confidence_interval`.
    weights_are : {"importance", "frequency"}, default="importance"
        Whether a weight of 2 is one row that counts twice, or two rows.
    stratified : bool, default=False
        Whether draws keep the number of rows of each class.
    n_resamples : int, default=None
        Draws from each sample, for metrics whose interval is resampled; by default 9,999.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the draws.
    n_jobs : int or None, default=None
        Number of processes for the draws.
    progress : bool, callable or None, default=None
        True shows a progress bar; a callable is called with the numbers of finished blocks of draws
        and of all.
    **metric_params : dict
        Parameters of the metric.

    Returns
    -------
    Estimate
        ``p_value`` agrees with the interval: it is 1 minus the level at which the interval begins
        to contain the null value (at least 1e-12, or the resolution of the draws); one-sided, half
        of that or 1 minus that half. With a margin as in `compare`.

    Raises
    ------
    {raises}

    References
    ----------
    Zou & Donner (2008), Statistics in Medicine 27(10), 1693-1702; Newcombe (1998), Statistics in
    Medicine 17(8), 873-890; Welch (1947), Biometrika 34(1/2), 28-35.

    Examples
    --------
    >>> from skmetrics_ext import compare_samples
    >>> north, south = ([1] * 70 + [0] * 30), ([1] * 48 + [0] * 32)
    >>> print(compare_samples("accuracy", [1] * 100, north, [1] * 80, south))  # doctest: +ELLIPSIS
    Accuracy 0.7 against 0.6: 0.1 [-0.03879, 0.2363], p = 0.16, not distinguishable, 95 %, ...
    """
    measure, level = readers.find_metric(metric, metric_params), check_level(confidence_level)
    claim = Claim.of(alternative, margin, measure)
    plan = DrawPlan(n_resamples, stratified, random_state, n_jobs, progress)
    asked = Asked(claim.level(level), claim, plan, method)
    check_option("weights_are", weights_are, WEIGHT_KINDS)
    rows_a = y_true_a, y_pred_a, sample_weight_a, groups_a, strata_a, weights_are
    rows_b = y_true_b, y_pred_b, sample_weight_b, groups_b, strata_b, weights_are
    first, second = _statistic(measure, "a", *rows_a), _statistic(measure, "b", *rows_b)
    if method == "welch" and not (first.undefined or second.undefined):
        result = _welch(first, second, asked)
    else:
        result = difference_of_samples(first, second, asked)
    counts: dict[str, Any] = {}  # groups and strata of both samples; None if one has none
    for name, number in first.atoms.of_design().items():
        other = second.atoms.of_design()[name]
        counts[name] = None if number is None or other is None else number + other
    a, b = (
        leaf_of(Given(measure, *rows), statistic, rows=Separate())
        for rows, statistic in ((rows_a, first), (rows_b, second))
    )
    sides = [mapped(leaf, "log") if "log_ratio" in result.method else leaf for leaf in (a, b)]
    made = Made(linear((1.0, sides[0]), (-1.0, sides[1])), plan, method, claim)
    facts = facts_of_both(result.facts, first, second)
    note = with_directions(result.note, (first, second), (y_pred_a, y_pred_b), asked.level)
    return replace(result, **counts, facts=facts, note=note, _made=made)


def _statistic(metric: Metric, name: str, *rows: Any) -> Linearized:
    """The metric of one of the samples, which must be one number."""
    with readers.errors_naming(f"sample {name}"):
        sample = readers.sample_of_rows(metric, *rows)
    readers.check_single_value("compare_samples", metric, sample.value)
    return linearize(sample)


# --------------------------------------------------------------------------- MOVER


def difference_of_samples(
    first: Linearized,
    second: Linearized,
    asked: Asked,
    *,
    share_rows: bool = False,
    log: bool = True,
    names: Sequence[str] = "ab",
) -> Estimate:
    r"""The difference of two samples from the intervals of both (MOVER).

    Squared distances to the bounds of both, minus their shared part:

    .. math:: d - \sqrt{(a - l_a)^2 + (u_b - b)^2 - 2 r (a - l_a)(u_b - b)}

    with r the correlation of both errors (Zou & Donner 2008; Zou 2007, Psychological Methods
    12(4), 399-413): 0 for samples that share neither rows nor clusters. Metrics that are ratios
    are compared by their logarithms, unless ``log`` is False.
    """
    metric, sides = first.origin.metric, (first, second)
    level, plan, method = asked.level, asked.plan, asked.method
    result = undefined_difference(sides, asked)
    if result is not None:
        return result
    two_sided = methods_of(second).keys() - {bootstrap.UPPER}
    shared_methods = [name for name in methods_of(first) if name in two_sided]
    name = shared_methods[0] if method == "auto" else method
    values = float(first.value), float(second.value)
    if method == "auto" and metric.spec.interval in BIASED:
        contrast = Contrast(values[0] - values[1], values, NONE, asked)
        return contrast.tested(note=BIASED_DIFFERENCE)
    if name not in shared_methods:
        welch = ["welch"] if first.has_influence else []
        raise InvalidParameterError(
            f"method={method!r} does not apply to {metric.name} here; those that do are "
            f"{['auto', *shared_methods, *welch]}."
        )
    log = log and method == "auto" and name == "log" and is_ratio(metric)
    intervals = [interval_at(side, name, plan, log=log) for side in sides]
    shared = correlation(first, second) if share_rows else 0.0
    draws = plan.most_draws if name in bootstrap.BOOTSTRAP_METHODS else None
    label = "log_ratio" if log else name
    label = label if label == "mover" else f"mover, {label}"
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        difference = 0.0 if values[0] == values[1] else difference_of(*values, log=log)
        on_scale = np.log(values) if log else values

        def distances(level: Any) -> Bounds:
            """Distances of the bounds from the difference, down and up."""
            both = [interval(level) for interval in intervals]
            away = [
                (value - ends.low, ends.high - value)
                for value, ends in zip(on_scale, both, strict=True)
            ]
            return difference_distances(away, shared)

        both = [interval(level) for interval in intervals]
        error = float(summed_errors(both[0].error, both[1].error, shared))
        notes = [
            with_design(str(interval.notes), side.atoms)
            for interval, side in zip(both, sides, strict=True)
        ]
        contrast = Contrast(difference, values, label, asked)
        note = note_of_both(first, second, notes, names)
        down, up = distances(level)
        if not np.isfinite(difference + down + up):
            return contrast.tested(error=error, note=note)
        bounds = float(difference - down), float(difference + up)
        p_value = inverted(difference, distances, asked, name)
        return contrast.tested(bounds, p_value=p_value, error=error, note=note, draws=draws)


def least_p_value(method: str, plan: DrawPlan) -> float:
    """The smallest p-value that is distinguishable from 0."""
    return 2 / (plan.most_draws + 1) if method in bootstrap.BOOTSTRAP_METHODS else _LEAST_P


def interval_at(
    statistic: Linearized, method: str, plan: DrawPlan, *, log: bool = False
) -> Callable[[Any], Interval]:
    """The interval at any level, also of the logarithm; rows are drawn once for all levels."""
    compute, sample = methods_of(statistic)[method], statistic.origin
    draws = bootstrap.resample(sample, plan) if method in bootstrap.BOOTSTRAP_METHODS else None
    skewness = bootstrap.acceleration(sample) if method == "bca" else None

    def interval(level: Any) -> Interval:
        if draws is None:
            ends = compute(statistic, method, level, plan)
        else:
            ends = bounds_of_draws(statistic, draws, method, level, skewness)
        if not log:
            return ends
        error = divide(ends.error, float(statistic.value))
        return ends._replace(low=np.log(ends.low), high=np.log(ends.high), error=error)

    return interval


def distances_of(statistic: Linearized, method: str, plan: DrawPlan) -> Callable[[Any], Bounds]:
    """Distances of the bounds from the value, down and up, at any level."""
    name = next(iter(methods_of(statistic))) if method == "auto" else method
    interval, value = interval_at(statistic, name, plan), float(statistic.value)

    def distances(level: Any) -> Bounds:
        ends = interval(level)
        return value - ends.low, ends.high - value

    return distances


def inverted(value: float, away: Callable[[Any], Bounds], asked: Asked, method: str) -> float:
    """The p-value of the claim, from the level at which a bound is the null value."""
    least = least_p_value(method, asked.plan)

    def tail(null: float, side: str) -> float:
        distance = value - null
        return on_side(p_value_from_bounds(away, distance, least), distance, side)

    return asked.test.tested(tail)[0]


def p_value_from_bounds(away: Callable[[Any], Bounds], distance: float, least: float) -> float:
    """1 minus the level at which the interval reaches this far: down if positive, else up."""
    from scipy.special import ndtr, ndtri

    if distance == 0:
        return 1.0
    near, far = 1e-6, -float(ndtri(least / 2))
    for _ in range(_ROUNDS):
        z = np.linspace(near, far, _POINTS)
        reach = away(1 - 2 * ndtr(-z))[0 if distance > 0 else 1]
        short = np.broadcast_to(abs(distance) - reach, z.shape)
        if short[-1] > 0:
            return least
        if not short[0] > 0:
            return 1.0
        place = int(np.flatnonzero(short > 0)[-1])
        near, far = float(z[place]), float(z[place + 1])
    # The bounds are nearly linear in so small a step.
    share = short[place] / (short[place] - short[place + 1])
    return float(2 * ndtr(-(near + share * (far - near))))


def note_of_both(
    first: Linearized, second: Linearized, notes: list[str], names: Sequence[str] = "ab"
) -> str:
    """The notes of either sample, and that on classes that differ between them."""
    parts = [f"{name}: {note}" for name, note in zip(names, notes, strict=True) if note]
    if notes[0] and notes[0] == notes[1]:
        parts = [f"both samples: {notes[0]}"]
    classes, others = first.origin.known_classes, second.origin.known_classes
    if classes is not None and others is not None and classes != others:
        parts += ["the samples have different classes"] if len(classes | others) > 2 else []
    return "; ".join(parts)


# --------------------------------------------------------------------------- Welch


def _welch(first: Linearized, second: Linearized, asked: Asked) -> Estimate:
    """Variances add; degrees of freedom by Satterthwaite."""
    sides = first, second
    if not all(side.has_influence for side in sides):
        raise InvalidParameterError(
            f"method='welch' needs a derivative by the rows, which {first.origin.metric.name} of "
            "these data does not have."
        )
    variances, freedoms = np.array([(side.variance, side.freedom) for side in sides]).T
    freedom = float(satterthwaite(variances, freedoms))
    values = float(first.value), float(second.value)
    if not (variances.sum() > 0 and np.isfinite(values[0] - values[1])):
        note = "the difference has no variance to estimate"
        return Contrast(values[0] - values[1], values, "welch", asked).tested(note=note)
    result = welch_t_test(sides, variances, freedom, asked, "welch")
    return replace(result, note=note_of_both(first, second, ["", ""]))
