"""One metric of two independent samples: their difference, its interval and a test of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.draws.bootstrap import (
    BOOTSTRAP_METHODS,
    UPPER,
    DrawPlan,
    acceleration,
    resample,
)
from skmetrics_ext.inference.draws.readers import find_metric
from skmetrics_ext.inference.draws.readings import Reading, TallyReading
from skmetrics_ext.inference.draws.units import WeightsAre
from skmetrics_ext.inference.influence.scales import quantile
from skmetrics_ext.inference.influence.spread import Spread
from skmetrics_ext.inference.influence.strata import with_single
from skmetrics_ext.inference.intervals import reading_asked
from skmetrics_ext.inference.margins import Alternative, Claim
from skmetrics_ext.inference.methods import Interval, IntervalMethod, bounds_of_draws, methods_of
from skmetrics_ext.inference.question import is_ratio, within
from skmetrics_ext.inference.results import Comparison
from skmetrics_ext.inference.tests.delong import tail_probability
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.progress import Progress
from skmetrics_ext.registry import Metric
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.parameters import check_level

_NAN = float("nan")
_Z, _STEP = 2.0, 1.1  # where the search for a level begins, and how it widens
_LEAST_P = 1e-12  # below which levels are too near to 1 to tell them apart


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
    strata_a: Any = None,
    strata_b: Any = None,
    weights_are: WeightsAre = "importance",
    stratified: bool = False,
    n_resamples: int = 9999,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress = None,
    **metric_params: Any,
) -> Comparison:
    r"""Difference of a metric between two independent samples: two sites, two months.

    .. math:: \hat d = \hat m_a - \hat m_b, \qquad
        \hat d - \sqrt{(\hat m_a - l_a)^2 + (u_b - \hat m_b)^2} \;\text{ to }\;
        \hat d + \sqrt{(u_a - \hat m_a)^2 + (\hat m_b - l_b)^2}

    with the bounds l and u of the interval of each sample. For two models on the same rows see
    `compare`, which knows that they err together.

    Parameters
    ----------
    metric : str or callable
        As in `confidence_interval`.
    y_true_a, y_pred_a : array-like
        True labels of the first sample, and what the metric takes beside them. A `ConfusionTally`
        that counts rows, and None, stand for both.
    y_true_b, y_pred_b : array-like
        Those of the second, of any number of rows.
    method : str, default="auto"
        - "auto" combines the intervals that `confidence_interval` has for the metric, by the
          formula above (MOVER; for shares of rows it is Newcombe's interval). It stays in the
          range of the metric and has a width even if a sample has no error. For metrics that are
          ratios (likelihood ratios, odds ratio, observed over expected) the difference is that of
          logarithms;
        - the name of a method of `confidence_interval` combines the intervals of that;
        - "welch" adds the variances from `influence_values`, with a t quantile with Satterthwaite's
          degrees of freedom; for means over rows it is Welch's test.
    alternative : str, default="two-sided"
        "two-sided", "less", "greater", "non-inferior" or "equivalent".
        What is claimed of the first sample, as in `compare`.
    margin : float, default=None
        The least difference that matters, as in `compare`.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the interval, two-sided.
    sample_weight_a, sample_weight_b : array-like, default=None
        Non-negative weight of each row.
    groups_a, groups_b : array-like, default=None
        The group of each row (the patient); rows of a group may depend on each other. A group
        that has rows in both samples is not seen as one.
    strata_a, strata_b : array-like, default=None
        The stratum of each row, if a fixed number of rows, or groups, was sampled from each, as in
        `confidence_interval`.
    weights_are : {"importance", "frequency"}, default="importance"
        Whether a weight of 2 is one row that counts twice, or two rows.
    stratified : bool, default=False
        Whether draws keep the number of rows of each class.
    n_resamples : int, default=9999
        Draws of each sample, of metrics whose interval needs them.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.
    n_jobs : int or None, default=None
        Number of processes for the draws.
    progress : bool, callable or None, default=None
        Whether, or how, to tell how far the draws are.
    **metric_params : dict
        Parameters of the metric.

    Returns
    -------
    Comparison
        ``p_value`` belongs to the interval: against a difference it is 1 less the level at which
        the interval begins to hold it (at least 1e-12, or what draws can tell); one-sided it is
        half of that, or 1 less the half. With a margin as in `compare`.

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
    >>> print(compare_samples("accuracy", [1] * 100, north, [1] * 80, south))
    0.1 [-0.03879, 0.2363], p = 0.16 (95% confidence, mover, wilson)
    """
    found, level = find_metric(metric, metric_params), check_level(confidence_level)
    claim = Claim.of(alternative, margin, found)
    plan = DrawPlan(n_resamples, stratified, random_state, n_jobs, progress)
    given = {
        "a": (y_true_a, y_pred_a, sample_weight_a, groups_a, strata_a),
        "b": (y_true_b, y_pred_b, sample_weight_b, groups_b, strata_b),
    }
    first, second = (_reading(found, name, data, weights_are) for name, data in given.items())
    of_both = [one.units.of_design() for one in (first, second)]
    counts: dict[str, Any] = {name: _both(*(one[name] for one in of_both)) for name in of_both[0]}
    if method == "welch":
        return replace(_welch(first, second, claim, level), **counts)
    both = [one for one in methods_of(first) if one in methods_of(second) and one != UPPER]
    name = both[0] if method == "auto" else method
    if name not in both:
        raise InvalidParameterError(
            f"method={method!r} does not apply to {found.name} here; those that do are "
            f"{['auto', *both, *(['welch'] if _spread(first) else [])]}."
        )
    on_log = method == "auto" and name == "log" and is_ratio(found)
    of_a, of_b = (replace(Sample.of(one, name, plan), on_log=on_log) for one in (first, second))
    return replace(_mover(of_a, of_b, claim, level), **counts)


# --------------------------------------------------------------------------- samples


def _reading(found: Metric, name: str, given: tuple[Any, ...], weights_are: str) -> Reading:
    """The metric of one of the samples, which has to be one number."""
    y_true, y_pred, weight, groups, strata = given
    about = {"sample_weight": weight, "groups": groups, "strata": strata}
    about["weights_are"] = weights_are
    try:
        reading = reading_asked(found, y_true, y_pred, **about)
    except ValueError as error:
        raise InvalidParameterError(f"sample {name}: {error}") from error
    if np.ndim(reading.value) != 0:
        raise InvalidParameterError(
            f"compare_samples needs a metric that is one number, got {reading.value!r:.60} from "
            f"{found.name}: choose an average."
        )
    return reading


def _both(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second


@dataclass(frozen=True, eq=False, slots=True)
class Sample:
    """A metric of a sample, and its interval by the level."""

    reading: Reading
    method: str
    interval: Callable[[float], Interval]
    least_p: float
    on_log: bool = False  # a ratio that is compared by its logarithm

    @classmethod
    def of(cls, reading: Reading, method: str, plan: DrawPlan) -> Sample:
        """Rows are drawn once for all levels."""
        if method not in BOOTSTRAP_METHODS:
            bounds = methods_of(reading)[method]
            return cls(reading, method, lambda p: bounds(reading, method, p, plan), _LEAST_P)
        draws = resample(reading, plan)
        skewness = acceleration(reading) if method == "bca" else None
        return cls(
            reading,
            method,
            lambda level: bounds_of_draws(reading, draws, method, level, skewness),
            2 / (len(draws) + 1),
        )

    @property
    def value(self) -> float:
        """Of the metric, or its logarithm."""
        return self._on_scale(self.reading.value)

    def away(self, level: float) -> tuple[float, float]:
        """How far the bounds are from the value."""
        found = self.interval(level)
        value, low, high = map(self._on_scale, (found.value, found.low, found.high))
        return value - low, high - value

    def error(self, found: Interval) -> float:
        """Of the value."""
        error = float(found.error)
        return float(np.divide(error, self.reading.value)) if self.on_log else error

    def _on_scale(self, value: Any) -> float:
        with np.errstate(divide="ignore"):
            return float(np.log(value) if self.on_log else value)


# --------------------------------------------------------------------------- MOVER


def distances(first: Sample, second: Sample, level: float) -> tuple[float, float]:
    """Distances of the bounds of the difference from it, down and up."""
    (down_a, up_a), (down_b, up_b) = first.away(level), second.away(level)
    return float(np.hypot(down_a, up_b)), float(np.hypot(up_a, down_b))


def _mover(first: Sample, second: Sample, claim: Claim, level: float) -> Comparison:
    """Squares of the distances to the bounds of both samples, added (Zou & Donner 2008)."""
    values = float(first.reading.value), float(second.reading.value)
    difference = 0.0 if values[0] == values[1] else first.value - second.value
    name = "log_ratio" if first.on_log else first.method
    name = name if name == "mover" else f"mover, {name}"
    away = partial(distances, first, second)
    least = max(first.least_p, second.least_p)

    def tail(null: float, side: str) -> float:
        """By the level at which a bound is the difference that is tested."""
        p_value = least_level(away, difference - null, least)
        if side == "two-sided":
            return p_value
        return p_value / 2 if (difference > null) == (side == "greater") else 1 - p_value / 2

    parts = [one.interval(level) for one in (first, second)]
    error = float(np.hypot(first.error(parts[0]), second.error(parts[1])))
    both = zip(parts, (first, second), strict=True)
    notes = [with_single(str(part.notes), sample.reading.units) for part, sample in both]
    note = _note(first.reading, second.reading, notes)
    told = partial(_told, values, difference, name, claim, level, error=error, note=note)
    down, up = away(level) if np.isfinite(difference) else (_NAN, _NAN)
    if not np.isfinite(down + up):
        return told()
    return told((difference - down, difference + up), p_value=claim.tested(tail)[0])


def least_level(
    away: Callable[[float], tuple[float, float]], distance: float, least: float
) -> float:
    """1 less the level at which the interval reaches so far, down if positive, else up."""
    from scipy.optimize import brentq
    from scipy.special import ndtr, ndtri

    if distance == 0:
        return 1.0

    @cache
    def lacking(z: float) -> float:
        reach = away(float(1 - 2 * ndtr(-z)))[0 if distance > 0 else 1]
        return abs(distance) - reach

    near, far = 1e-6, -float(ndtri(least / 2))
    # Reaches are nearly in proportion to z, which tells where to look first.
    reach = abs(distance) - lacking(_Z)
    start = _Z * abs(distance) / reach if reach > 0 else _Z
    inner = outer = min(max(start, near), far)
    while lacking(outer) > 0:
        if outer == far:
            return least
        inner, outer = outer, min(_STEP * outer, far)
    while not lacking(inner) > 0:
        if inner == near:
            return 1.0
        inner, outer = max(inner / _STEP, near), inner
    return float(2 * ndtr(-brentq(lacking, inner, outer, xtol=1e-9)))


def _note(first: Reading, second: Reading, notes: list[str]) -> str:
    """What is to be told of either sample, and of both."""
    told = [f"{name}: {note}" for name, note in zip("ab", notes, strict=True) if note]
    if notes[0] and notes[0] == notes[1]:
        told = [f"both samples: {notes[0]}"]
    if isinstance(first, TallyReading) and isinstance(second, TallyReading):
        classes = [set(one.data.classes.tolist()) for one in (first, second)]
        if classes[0] != classes[1] and len(classes[0] | classes[1]) > 2:
            told.append("the samples have different classes")
    return "; ".join(told)


# --------------------------------------------------------------------------- Welch


def _spread(reading: Reading) -> Spread | None:
    return Spread.of(reading) if isinstance(reading, TallyReading) else None


def _welch(first: Reading, second: Reading, claim: Claim, level: float) -> Comparison:
    """Variances add; degrees of freedom by Satterthwaite."""
    spreads = [found for found in map(_spread, (first, second)) if found is not None]
    if len(spreads) < 2:
        raise InvalidParameterError(
            f"method='welch' needs a derivative by the rows, which {first.metric.name} of these "
            "data does not have."
        )
    values = float(first.value), float(second.value)
    difference = values[0] - values[1]
    variances, freedoms = np.array([(one.variance, one.freedom) for one in spreads]).T
    variance = float(variances.sum())
    if not (variance > 0 and np.isfinite(difference)):
        note = "" if np.isnan(difference) else "the difference has no variance to estimate"
        return _told(values, difference, "welch", claim, level, note=note)
    freedom = variance**2 / float((variances**2 / freedoms).sum())
    error = variance**0.5
    away = float(quantile(level, np.asarray(freedom))) * error
    low, high = within(first.metric, difference - away, difference + away)
    bounds = float(low), float(high)
    p_value, null = claim.tested(
        lambda null, side: tail_probability((difference - null) / error, freedom, side)
    )
    statistic, note = (difference - null) / error, _note(first, second, ["", ""])
    return _told(values, difference, "welch", claim, level, bounds, statistic, p_value, error, note)


def _told(
    values: tuple[float, float],
    difference: float,
    method: str,
    claim: Claim,
    level: float,
    bounds: tuple[float, float] = (_NAN, _NAN),
    statistic: float = _NAN,
    p_value: float = _NAN,
    error: float = _NAN,
    note: str = "",
) -> Comparison:
    numbers = difference, *bounds, statistic, p_value
    asked = claim.alternative, claim.margin
    return Comparison(*numbers, method, *values, error, level, note, *asked)
