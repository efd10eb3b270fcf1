"""Intervals of linearized statistics: which methods apply, and what each of them computes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from skmetrics_ext.inference.anytime import (
    ANYTIME,
    independent_rows,
    level_of_one_look,
    mixture_bounds,
    too_early,
)
from skmetrics_ext.inference.areas import AUC_METHODS, area_bounds
from skmetrics_ext.inference.draws.bootstrap import (
    TWO_SIDED,
    UPPER,
    DrawPlan,
    bootstrap_bounds,
    resample,
)
from skmetrics_ext.inference.facts import facts_of
from skmetrics_ext.inference.linearized import Linearized
from skmetrics_ext.inference.mover import Shares
from skmetrics_ext.inference.notes import (
    BIASED,
    CALIBRATION_TEST,
    JUMPS,
    NO_INTERVAL,
    NO_SPREAD,
    NO_WIDTH,
    NONE,
    OF_RAREST,
    OF_SHARES,
    RESAMPLED_AT_ONE_LOOK,
    ROUGH,
    ROUNDING,
    UNITS,
    few,
    few_contributions,
    few_of_rarest,
    few_rows,
    few_units,
)
from skmetrics_ext.inference.proportions import (
    PROPORTION_METHODS,
    ProportionMethod,
    proportion_bounds,
)
from skmetrics_ext.inference.results import Estimate, estimate
from skmetrics_ext.inference.scales import (
    SCALES,
    Bounds,
    Level,
    Range,
    delta_bounds,
    quantile,
    scales_of,
)
from skmetrics_ext.numeric import Array, divide, wilson_bounds
from skmetrics_ext.validation import InvalidParameterError

IntervalMethod = (
    Literal["auto", "delta", "effective_n", "delong", "hall", "t", "normal", "anytime"]
    | Literal["expanded", "bca", "bootstrap", "basic", "upper"]
    | ProportionMethod
)
MEAN_METHODS = ("hall", "t", "normal")
_NAN = float("nan")
_PRIOR = 1.0  # rows added to each class, so that one with no errors is not treated as certain
_PLUS_FOUR = 4.0  # rows added to each class, half of them to each prediction
_TINY = 1e-6
_OF_CLASS = "rows of class {}"
_EXACT = "method='clopper_pearson' is exact"
_NOTHING = 1e-9  # of what the row that contributes most does: less is rounding


class Interval(NamedTuple):
    """Bounds of a statistic at one level or several, its standard error, and notes."""

    low: Array
    high: Array
    error: Array
    notes: Any = ""
    counts: tuple[float, float] | None = None  # of a share of counted rows
    draws: int | None = None


# Of a statistic, by the name of a method and the level, with draws where it needs them.
Method = Callable[[Linearized, str, Any, DrawPlan], Interval]


def methods_of(statistic: Linearized) -> dict[str, Method]:
    """The methods that apply and the function that computes each, the preferred one first."""
    sample = statistic.origin
    row, kind = sample.metric.row, sample.kind
    own = dict(_METHODS.get(kind, {}))
    if kind == "folds":
        return own
    if kind == "smooth":
        own = dict.fromkeys(scales_of(statistic.bounds), _smooth)
    if row is not None and row.shares and not sample.share and kind != "logit":
        shares = Shares.of_sample(sample)
        if shares is not None:
            own = {"mover": partial(_by_shares, shares=shares), **own}
    if row is None or row.interval in BIASED:  # the only one that corrects for a bias
        own = {"bca": _by_draws, **own}
    if row is not None and row.interval == "calibration":
        own = {UPPER: _by_draws, **own}
    if row is not None and row.interval in NO_INTERVAL:
        own = {NONE: _none, **own}
    return {**own, **dict.fromkeys(TWO_SIDED, _by_draws), ANYTIME: _anytime}


def _none(statistic: Linearized, *_: Any) -> Interval:
    """No bounds, where those of every method would mislead."""
    nothing = np.full(np.shape(statistic.value), np.nan)
    return Interval(nothing, nothing, nothing, NO_INTERVAL[statistic.origin.metric.spec.interval])


def interval_of(
    statistic: Linearized, method: str, level: float, plan: DrawPlan
) -> Estimate | list[Estimate]:
    """The interval by the method that is asked for, or the first that applies."""
    methods = methods_of(statistic)
    if method == "auto":
        method = next(iter(methods))
    elif method not in methods:
        raise InvalidParameterError(
            f"method={method!r} does not apply to {statistic.origin.metric.name} here; those that "
            f"do are {list(methods)}."
        )
    atoms = None if statistic.design.is_plain else statistic.atoms
    effect: Any = _NAN
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # nan where undefined
        found = methods[method](statistic, method, level, plan)
        if atoms is not None and statistic.has_influence:
            effect = statistic.design_effect()
        facts = facts_of(statistic, method, found.counts, found.draws)
    numbers: Any = [(statistic.value, *found[:4], effect)]
    if is_array := np.ndim(statistic.value) > 0:
        numbers = zip(*map(np.ravel, np.broadcast_arrays(*numbers[0])), strict=True)
    estimates = []
    for value, low, high, error, note, times in numbers:
        about = {"atoms": atoms, "design_effect": float(times), "facts": facts}
        ends, note = (float(low), float(high)), str(note)
        estimates.append(estimate(float(value), ends, float(error), method, level, note, **about))
    return estimates if is_array else estimates[0]


# --------------------------------------------------------------------------- shares of rows


def _as_share(kind: str, value: Array, variance: Array) -> tuple[Array, Array]:
    """The share of rows that the metric grows with, and its variance."""
    if kind == "dice":  # F = 2 J / (1 + J)
        return value / (2 - value), variance * (2 / (2 - value) ** 2) ** 2
    return value, variance


def of_shares(kind: str, shares: Array) -> Array:
    """The metric, where these are the shares of rows that it grows with."""
    return 2 * shares / (1 + shares) if kind == "dice" else shares


def _share(statistic: Linearized, method: str, level: Level, plan: DrawPlan) -> Interval:
    """A share of rows, by a method of `proportion_interval`, or at every look."""
    sample, design = statistic.origin, statistic.design
    value, error = np.asarray(statistic.value, dtype=np.float64), np.sqrt(statistic.variance)
    kind = sample.share
    share, variance = value, statistic.variance
    if kind == "dice":
        share, variance = _as_share(kind, share, variance)
    rows = _effective_rows(statistic, share, variance, (0.0, 1.0), prior=None)
    notes = np.full(value.shape, "", dtype=object)
    inside = (value > 0) & (value < 1)
    notes[(error == 0) & inside] = f"{NO_SPREAD}: {OF_RAREST}"
    if (rows < OF_SHARES).any():
        notes[rows < OF_SHARES] = few(float(np.nanmin(rows)), "rows that the share reads", _EXACT)
    if design.is_counted:
        rows = np.where(np.abs(rows - np.rint(rows)) < 1e-3, np.rint(rows), rows)
    elif not design.is_plain:
        groups = _effective_groups(statistic)
        if np.any(groups < UNITS) and statistic.atoms.effective_groups() >= UNITS:
            note = few(float(np.min(groups)), "effective groups that the share reads")
            notes[groups < UNITS] = note
        # As many rows as a t quantile is worth.
        rows = rows * (quantile(level) / quantile(level, statistic.freedom)) ** 2
    if method == ANYTIME:
        notes[...] = ""  # exact for any number of rows
        low, high = mixture_bounds(np.rint(share * rows), rows, level, plan.min_rows)
    else:
        low, high = proportion_bounds(share * rows, np.fmax(rows, 0.0), method, level)
    if kind == "dice":
        low, high = of_shares(kind, np.stack([low, high]))
    counts = None
    if design.is_counted and not value.ndim and np.isfinite(share * rows):
        counts = round(float(share * rows)), round(float(rows))
    return Interval(low, high, error, notes, counts)


def share_counts(statistic: Linearized) -> tuple[float, float]:
    """Rows that count, and rows that the metric reads, of a share of counted rows."""
    value = np.asarray(statistic.value, dtype=np.float64)
    share, variance = _as_share(statistic.origin.share, value, statistic.squares)
    rows = float(_effective_rows(statistic, share, variance, (0.0, 1.0), prior=None))
    return round(float(share) * rows), round(rows)


def _effective_groups(statistic: Linearized) -> Array | float:
    """Kish's effective number of groups of the rows that the metric reads."""
    if statistic.atoms.group is None:
        return np.inf
    sizes = np.abs(statistic.influence)
    return statistic.atoms.effective_groups(sizes > _NOTHING * sizes.max(axis=-1, keepdims=True))


def _effective_rows(
    statistic: Linearized, value: Array, variance: Array, bounds: Range, prior: float | None
) -> Array:
    """Effective sample size: the n for which a proportion has this variance (Korn & Graubard 1998).

    For a proportion it is its denominator. A class with no errors in its few rows shows no
    variance, so the size is at most that after ``prior`` more rows in each class; where nothing
    varies at all, that after next to nothing more.
    """
    low, width = bounds[0], bounds[1] - bounds[0]
    sample = statistic.origin

    def after_prior(rows: float) -> Array:
        value, variance = _as_share(sample.share, *sample.with_prior_rows(rows))
        share = np.clip((value - low) / width, 0.0, 1.0)
        return divide(share * (1 - share) * width**2, variance)

    share = np.clip((value - low) / width, 0.0, 1.0)
    rows = divide(share * (1 - share) * width**2, variance)
    usable = np.isfinite(rows) & (rows > 0)
    if prior is not None:
        rows = np.fmin(rows, after_prior(prior))
    if usable.all():
        return rows
    if not sample.is_compact:
        return np.where(usable, rows, statistic.atoms.effective_rows)
    rows = np.where(usable, rows, after_prior(_TINY))
    # A table of one class, or a metric that no row changes: a share of the rarest class.
    of_class = sample.equal_rows.sum(axis=-1)
    rarest = of_class[of_class > 0].min()
    inside = (bounds[0] < value) & (value < bounds[1])
    rows = np.where((variance == 0) & inside, np.fmin(rows, rarest), rows)
    known = np.isfinite(rows) & (rows > 0) | np.isnan(value)
    return np.where(known, rows, np.where(sample.is_defined_by_data(), rarest, 0.0))


def _by_shares(
    statistic: Linearized, _method: str, level: Level, _: DrawPlan, *, shares: Shares
) -> Interval:
    """A metric that is linear in shares of rows, from the bounds of each (MOVER)."""
    value = np.asarray(statistic.value, dtype=np.float64)
    sample = statistic.origin
    rare = few_of_rarest(statistic, OF_SHARES, _OF_CLASS) if sample.is_compact else ""
    notes = np.full(value.shape, rare, dtype=object)
    fewest = shares.fewest()
    if not rare and (fewest < OF_SHARES).any():
        notes[fewest < OF_SHARES] = few(float(np.min(fewest)), "rows that a share reads", _EXACT)
    return Interval(*shares.bounds(value, level), np.sqrt(statistic.variance), notes)


def _largest_class(statistic: Linearized, _method: str, level: Level, _: DrawPlan) -> Interval:
    """Interval of the share of the largest class, which may be another one than it seems.

    It is not above the greatest upper bound, nor below any lower bound; those of all classes
    hold simultaneously (Bonferroni).
    """
    counts = statistic.origin.equal_rows.sum(axis=-1)
    each = np.asarray(level)[..., None]
    joint = 1 - (1 - each) / np.count_nonzero(counts)
    high = proportion_bounds(counts, counts.sum(), "wilson", each)[1]
    low = proportion_bounds(counts, counts.sum(), "wilson", joint)[0].max(axis=-1)
    largest = np.count_nonzero(high > low[..., None], axis=-1)
    wide = f"any of {largest} classes may be the largest: the interval is a wide one"
    error = np.sqrt(statistic.variance)
    return Interval(low, high.max(axis=-1), error, wide if np.all(largest > 1) else "")


# --------------------------------------------------------------------------- metrics of labels


def _by_table(statistic: Linearized, method: str, level: Level, _: DrawPlan) -> Interval:
    """A metric of labels that is no share: by effective sample size, logarithms, or as it is."""
    sample, bounds = statistic.origin, statistic.bounds
    value, variance = np.asarray(statistic.value, dtype=np.float64), statistic.variance
    run = _table_score if method == "effective_n" else _table_bounds
    low, high = run(statistic, method, level)
    notes = np.full(value.shape, "", dtype=object)
    inside = (bounds[0] < value) & (value < bounds[1])
    found = OF_RAREST if np.isfinite(bounds).all() else NO_WIDTH
    notes[(variance == 0) & inside] = f"{NO_SPREAD}: {found}"
    rare = few_of_rarest(statistic, OF_SHARES, _OF_CLASS)
    notes[...] = rare if rare else notes
    notes[np.isinf(value)] = "infinite: the other bound is after a row more in each class"
    width = np.broadcast_to(low < high, value.shape) if np.ndim(level) == 0 else False
    notes[(notes == "") & width] = ROUGH.get(sample.metric.spec.interval, "")
    return Interval(low, high, np.sqrt(variance), notes)


def _table_bounds(statistic: Linearized, method: str, level: Level) -> Bounds:
    """Bounds on a scale; next to an end of the range the other one after a few rows more.

    These are a row in each class (half a row in each cell of two classes: Haldane 1956), or four
    on the logit scale (Agresti & Coull 1998), which is that of a predictive value at a stated
    prevalence (Mercaldo, Lau & Zhou 2007). Nor is the variance of a logarithm taken as less than it
    is then, for a class with no errors in its few rows shows none.
    """
    value, error = np.asarray(statistic.value, dtype=np.float64), np.sqrt(statistic.variance)
    plain, bounds = statistic.design.is_plain, statistic.bounds
    z = quantile(level, None if plain and method != "log" else statistic.freedom)
    start, end = bounds if method != "delta" else (-np.inf, np.inf)
    at_start, at_end = value <= start, value >= end
    if method == "delta" and not (at_start | at_end).any():
        return delta_bounds(value, error, z, bounds)
    prior = _PLUS_FOUR if method == "logit" else _PRIOR
    added, of_added = statistic.origin.with_prior_rows(prior)
    least, origin = np.sqrt(of_added), start if np.isfinite(start) else end
    with np.errstate(invalid="ignore"):
        near = np.abs(added - origin)
        if method == "log" and plain:
            share = np.where(near == 0, 0.0, divide(least, near))
            error = np.fmax(error, np.abs(value - origin) * share)
    low, high = SCALES[method](value, error, z, bounds)
    near_low, near_high = (
        np.where(near == 0, added, bound) for bound in SCALES[method](added, least, z, bounds)
    )
    low = np.where(at_end, near_low, np.where(at_start, value, low))
    return low, np.where(at_start, near_high, np.where(at_end, value, high))


def _table_score(statistic: Linearized, _method: str, level: Level) -> Bounds:
    """Wilson's bounds of a share of as many rows as the metric is worth."""
    value, variance = np.asarray(statistic.value, dtype=np.float64), statistic.variance
    bounds, prior = statistic.bounds, _PRIOR if statistic.design.is_plain else None
    rows = _effective_rows(statistic, value, variance, bounds, prior)
    low, width = bounds[0], bounds[1] - bounds[0]
    share = np.clip((value - low) / width, 0.0, 1.0)
    down, up = wilson_bounds(share, rows, quantile(level, statistic.freedom))
    return np.minimum(low + width * down, value), np.maximum(low + width * up, value)


# --------------------------------------------------------------------------- smooth metrics


def _mean(statistic: Linearized, method: str, level: Level, _: DrawPlan) -> Interval:
    """Mean of values of rows, whose bounds its skewness moves."""
    value, bounds = float(statistic.value), statistic.bounds
    error = np.sqrt(statistic.variance)
    if error <= ROUNDING * abs(value):
        down, up, note = _of_rarest(statistic.origin.fewest_rows, bounds, np.asarray(value), level)
        return Interval(down, up, error, f"{NO_SPREAD}: {note}")
    z = quantile(level, None if method == "normal" else statistic.freedom)
    below, above = -z, z
    if method == "hall":
        slant = float(statistic.skewness) / 3
        below, above = _unskewed(below, slant), _unskewed(above, slant)
    low, high = (np.minimum(value - above * error, value), np.maximum(value - below * error, value))
    low, high = np.clip(low, *bounds), np.clip(high, *bounds)
    return Interval(low, high, error, _by_the_rule(statistic))


def _unskewed(z: Array, slant: float) -> Array:
    """Quantiles of a mean of skewed rows: a cubic in z, inverted (Hall 1992)."""
    if abs(slant) < 1e-12:
        return z
    return np.asarray((np.cbrt(1 + 3 * slant * (z - slant / 2)) - 1) / slant)


def _area(statistic: Linearized, method: str, level: Level, _: DrawPlan) -> Interval:
    """A statistic that is linear in areas under the ROC curve."""
    return Interval(*area_bounds(statistic, method, level))


def _smooth(statistic: Linearized, method: str, level: Level, _: DrawPlan) -> Interval:
    """A metric that has a derivative by every row, on a scale that keeps it in its range."""
    sample = statistic.origin
    note = _by_the_rule(statistic) if sample.is_mean else few_rows(statistic)
    found = on_scale(statistic, method, level, note)
    between = sample.metric.options.get("method") == "interpolated"
    note = "" if between else ROUGH.get(sample.metric.spec.interval, "")
    return found._replace(notes=np.where(found.notes == "", note, found.notes)) if note else found


def _folds(statistic: Linearized, _method: str, level: Level, _: DrawPlan) -> Interval:
    """A mean over folds, from what the rows of all folds contribute."""
    if np.isnan(statistic.variance):
        nothing = np.asarray(np.nan)
        return Interval(nothing, nothing, nothing, "a fold has one row, or one group, of a class")
    scale = scales_of(statistic.bounds)[0]
    by_rows = statistic.origin.metric.tally != "moments"
    note = few_rows(statistic) if by_rows else _by_the_rule(statistic)
    return on_scale(statistic, scale, level, note)


def _by_the_rule(statistic: Linearized) -> str:
    """What to say of few contributions or units; empty where there are enough."""
    return few_contributions(float(statistic.effective)) or few_units(statistic)


def on_scale(statistic: Linearized, method: str, level: Level, note: str) -> Interval:
    """Bounds from value and variance, with a note on the rows of the rarest class."""
    value, bounds = np.asarray(statistic.value, dtype=np.float64), statistic.bounds
    error = np.sqrt(statistic.variance)
    low, high = SCALES[method](value, error, quantile(level, statistic.freedom), bounds)
    notes = np.full(value.shape, note, dtype=object)
    at_end = np.minimum(np.abs(value - bounds[0]), np.abs(value - bounds[1])) <= ROUNDING
    still = (~(error > ROUNDING) | at_end) & np.isfinite(value)
    if still.any():
        down, up, shown = _of_rarest(statistic.origin.fewest_rows, bounds, value, level)
        low, high = np.where(still, down, low), np.where(still, up, high)
        notes[still] = f"{NO_SPREAD}: {shown}"
    return Interval(low, high, error, notes)


# --------------------------------------------------------------------------- draws


def _by_draws(statistic: Linearized, method: str, level: Level, plan: DrawPlan) -> Interval:
    sample = statistic.origin
    return bounds_of_draws(statistic, resample(sample, plan, level), method, level)


def bounds_of_draws(
    statistic: Linearized, values: Array, method: str, level: Level, skewness: Array | None = None
) -> Interval:
    """The interval from the values (B, ...) of draws, with what makes it doubtful."""
    sample = statistic.origin
    value, row = np.asarray(sample.value, dtype=np.float64), sample.metric.row
    bounds = statistic.bounds
    low, high = bootstrap_bounds(sample, values, method, level, bounds, skewness)
    defined = (~np.isnan(values)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        mean = divide(np.nansum(values, axis=0), defined)
        squares = np.nansum((values - mean) ** 2, axis=0)
        error = np.sqrt(divide(squares, np.where(defined > 1, defined - 1, 0)))
        error = np.where(np.isfinite(error), error, np.nan)
    notes = np.full(value.shape, "", dtype=object)
    if row is not None and row.interval in BIASED:
        notes[...] = BIASED[row.interval]
    if sample.jumps:
        notes[...] = JUMPS
    if scarce := few_rows(statistic):
        notes[...] = scarce
    if method == UPPER:
        less = np.clip(2 * value - mean, *bounds)
        note = f"one-sided; corrected for bias {less:.3g}; {CALIBRATION_TEST}"
        notes[...] = f"{scarce}; {note}" if scarce else note
    for place in np.ndindex(value.shape):
        column = values[(slice(None), *place)]
        n_values = len(np.unique(column[~np.isnan(column)]))
        if not notes[place] and n_values < UNITS <= len(values):
            notes[place] = few(n_values, "distinct values of the draws")
        if undefined := len(values) - defined[place]:
            notes[place] = f"undefined in {undefined} of {len(values)} draws"
    still = (low == high) & np.isfinite(value)
    if still.any():
        down, up, note = _of_rarest(sample.fewest_rows, bounds, value, level)
        low, high = np.where(still, down, low), np.where(still, up, high)
        notes[still.any(axis=0) if still.ndim > value.ndim else still] = (
            f"all draws have this value: {note}"
        )
    return Interval(low, high, error, notes, draws=len(values))


# --------------------------------------------------------------------------- every look


def _anytime(statistic: Linearized, _method: str, level: Level, plan: DrawPlan) -> Interval:
    """An interval that holds at every look, exact for shares of counted rows."""
    nothing, sample = np.full(np.shape(statistic.value), np.nan), statistic.origin
    if not statistic.has_influence:
        return Interval(nothing, nothing, nothing, RESAMPLED_AT_ONE_LOOK)
    if sample.share and statistic.design.is_counted:
        return _share(statistic, ANYTIME, level, plan)
    rows = independent_rows(statistic)
    if rows < plan.min_rows:
        return Interval(
            nothing, nothing, np.sqrt(statistic.variance), too_early(statistic, plan.min_rows)
        )
    (method, run), *_ = methods_of(statistic).items()
    if run is _by_draws:  # what corrects a bias
        method, run = "delta", _smooth
    return run(statistic, method, level_of_one_look(rows, level, plan.min_rows), plan)


def _of_rarest(rows: float, bounds: Range, value: Array, level: Level) -> tuple[Array, Array, str]:
    """Interval where nothing varies: Wilson's, as if the value were a share of few rows.

    At the end of a range with one bound, as if it went on for 1; else of no width where the
    metric has not two finite bounds.
    """
    start, width = bounds[0], bounds[1] - bounds[0]
    if not np.isfinite(width):
        end = bounds[0] if np.isfinite(bounds[0]) else bounds[1]
        if not (np.abs(value - end) <= ROUNDING).all():
            return np.asarray(value), np.asarray(value), NO_WIDTH
        start, width = (end if end == bounds[0] else end - 1), 1.0
    share = np.clip((value - start) / width, 0.0, 1.0)
    down, up = proportion_bounds(share * rows, rows, "wilson", level)
    return start + width * down, start + width * up, OF_RAREST


# The methods of each kind of sample that need no draws, the preferred one first.
_SHARE_METHODS: dict[str, Method] = dict.fromkeys(PROPORTION_METHODS, _share)
_METHODS: dict[str, dict[str, Method]] = {
    "wilson": {**_SHARE_METHODS, "delta": _by_table},
    "dice": {**_SHARE_METHODS, "delta": _by_table},
    "share of rows": _SHARE_METHODS,
    "largest": {"wilson": _largest_class},
    "score": {"effective_n": _by_table, "delta": _by_table},
    "log": {"log": _by_table, "delta": _by_table},
    "logit": {"logit": _by_table, "delta": _by_table},
    "delta": {"delta": _by_table},
    "hall": dict.fromkeys(MEAN_METHODS, _mean),
    "area": dict.fromkeys(AUC_METHODS, _area),
    "folds": {"cv": _folds},
}
