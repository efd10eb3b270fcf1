"""Intervals of linearized statistics: which methods apply, and what each of them computes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, Literal

import numpy as np

from skmetrics_ext.inference import anytime, notes
from skmetrics_ext.inference.anytime import ANYTIME
from skmetrics_ext.inference.areas import AUC_METHODS, area_interval, rows_of_area
from skmetrics_ext.inference.draws import bootstrap
from skmetrics_ext.inference.draws.bootstrap import DrawPlan
from skmetrics_ext.inference.draws.readers import samples_of_classes
from skmetrics_ext.inference.draws.samples import attained_point
from skmetrics_ext.inference.linearized import Linearized, linearize
from skmetrics_ext.inference.proportions import (
    PROPORTION_METHODS,
    ProportionMethod,
    Shares,
    proportion_bounds,
)
from skmetrics_ext.inference.results import Estimate, estimate
from skmetrics_ext.inference.scales import SCALES, Bounds, Interval, Level, quantile, scales_of
from skmetrics_ext.numeric import Array, divide, wilson_bounds
from skmetrics_ext.result_bases import Facts
from skmetrics_ext.tables import without_methods
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.labels import read_labels

IntervalMethod = (
    Literal["auto", "delta", "effective_n", "delong", "hall", "t", "normal", "anytime"]
    | Literal["expanded", "bca", "bootstrap", "basic", "upper"]
    | ProportionMethod
)
MEAN_METHODS = ("hall", "t", "normal")
_NORMAL = ("mover", "delong", "normal")  # methods with a normal quantile
_NAN = float("nan")  # one object, so that rows of equal results are equal
_PRIOR = 1.0  # rows added to each class, so that one with no errors is not treated as certain
_PLUS_FOUR = 4.0  # rows added to each class, half of them to each prediction
_TINY = 1e-6
_OF_CLASS = "rows of class {}"
_EXACT = f"{notes.MORE}; exact limits: method='clopper_pearson'"
_NO_CONTRIBUTION = 1e-9  # in units of the largest one: less is rounding
_LEAST_OF_AREA = 2.0  # degrees of freedom of a curve's area: with 1 it would say nothing
_PER_CONTRIBUTION = 0.75  # degrees of freedom of a curve's area for each effective contribution

# Interval of a statistic, from the name of the method, the level, and the plan of any draws.
Method = Callable[[Linearized, str, Any, DrawPlan], Interval]


def methods_of(statistic: Linearized) -> dict[str, Method]:
    """The methods that apply and the function that computes each, the preferred one first."""
    sample = statistic.origin
    spec, kind = sample.metric.spec, sample.kind
    methods = dict(_METHODS.get(kind, {}))
    if kind == "folds":
        return methods
    if kind in ("known", "labels"):
        return dict(sample.methods(statistic))
    if kind in ("smooth", "risk"):
        methods = dict.fromkeys(scales_of(statistic.bounds), _smooth)
    if spec.plain_shares and sample.is_one_table:
        wilson: dict[str, Method] = {"wilson": _at_steps}
        methods = wilson | methods if sample.plain_shares else methods | wilson
    if spec.shares and not sample.share and kind != "logit":
        shares = Shares.of_sample(sample)
        if shares is not None:
            methods = {"mover": partial(_mover, shares=shares), **methods}
    if not spec.is_known or spec.interval in notes.BIASED:  # the only method that corrects it
        methods = {"bca": _by_draws, **methods}
    if spec.interval == "calibration":
        methods = {bootstrap.UPPER: _by_draws, **methods}
    if spec.interval in notes.NO_INTERVAL:
        methods = {notes.NONE: _none, **methods}
    return {**methods, **dict.fromkeys(bootstrap.TWO_SIDED, _by_draws), ANYTIME: anytime_interval}


def interval_of(
    statistic: Linearized, method: str, level: float, plan: DrawPlan, is_whole: bool = False
) -> Estimate | list[Estimate]:
    """The interval by this method, or with "auto" by the first that applies.

    Of all rows of a question (``is_whole``) a note says if the scores may run the other way.
    """
    if classes := samples_of_classes(statistic.origin):
        params, each = statistic.origin.metric.params, []
        names = _names_of_values(statistic.origin, len(classes))
        for name, sample in zip(names, classes, strict=True):
            found: Any = interval_of(linearize(sample), method, level, plan)
            facts = replace(found.facts, params=dict(params), positive_class=None, label=name)
            each.append(replace(found, facts=facts))
        return each
    methods = methods_of(statistic)
    if method == "auto":
        method = next(iter(methods))
    elif method not in methods:
        raise InvalidParameterError(
            f"method={method!r} does not apply to {statistic.origin.metric.name} here; those that "
            f"do are {list(methods)}."
        )
    is_undefined = np.asarray(statistic.origin.is_undefined)
    if method in AUC_METHODS and not is_undefined.all():
        statistic = rows_of_area(statistic)
    atoms = None if statistic.design.is_plain else statistic.atoms
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # nan where undefined
        if is_undefined.all():
            interval = _no_interval(statistic, statistic.undefined)
        else:
            interval = methods[method](statistic, method, level, plan)
        if is_undefined.any():
            low, high, error = (np.where(is_undefined, np.nan, each) for each in interval[:3])
            shown = np.where(is_undefined, statistic.undefined, interval.notes)
            interval = interval._replace(low=low, high=high, error=error, notes=shown)
        has_effect = atoms is not None and statistic.has_influence
        effect: Any = statistic.design_effect() if has_effect else _NAN
        facts = replace(_facts(statistic, method), counts=interval.counts, draws=interval.draws)
    columns: Any = [(statistic.value, *interval[:4], effect)]
    names = [None]
    if is_array := np.ndim(statistic.value) > 0:
        columns = list(zip(*map(np.ravel, np.broadcast_arrays(*columns[0])), strict=True))
        names = _names_of_values(statistic.origin, len(columns))
    estimates = []
    for (value, low, high, error, note, own_effect), name in zip(columns, names, strict=True):
        if is_whole:
            note = "; ".join(filter(None, (str(note), notes.direction(statistic, value, high))))
        numbers = float(value), (float(low), float(high)), float(error), method, level, str(note)
        of_value: Any = {"design_effect": float(own_effect), "facts": replace(facts, label=name)}
        estimates.append(estimate(*numbers, atoms, **of_value))
    return estimates if is_array else estimates[0]


def _names_of_values(sample: Any, n_values: int) -> list[Any]:
    """The class, or the pair of classes, of each value; None where they are others."""
    metric, data = sample.metric, getattr(sample, "data", None)
    listed, classes = metric.params.get("labels"), getattr(data, "classes", ())
    names = np.asarray(classes if listed is None else read_labels(listed)).tolist()
    if metric.options.get("multi_class") == "ovo":
        names = list(combinations(names, 2))
    return names if len(names) == n_values else [None] * n_values


def _facts(statistic: Linearized, method: str) -> Facts:
    """The metric, rows, degrees of freedom and positive class behind an interval."""
    sample, design = statistic.origin, statistic.design
    data: Any = getattr(sample, "data", None)
    is_plain = design.is_counted and design.sizes is None
    if is_plain and hasattr(data, "true") and not getattr(sample, "known", None):
        n_rows = effective = float(data.true.shape[0])  # atoms of a ranking would need a sort
    else:
        n_rows, effective = statistic.atoms.n_rows, float(statistic.atoms.effective_rows)
    if design.group is not None:
        effective = min(effective, float(statistic.atoms.effective_groups()))
    is_share = bool(getattr(sample, "share", "")) and method in PROPORTION_METHODS
    is_normal = design.is_plain and (is_share or method in _NORMAL)
    is_drawn = method in bootstrap.BOOTSTRAP_METHODS
    has_none = is_normal or is_drawn or method == notes.NONE or np.ndim(statistic.value)
    freedom = float(freedom_of(statistic)) if statistic.has_influence and not has_none else None
    metric, positive = sample.metric, positive_class_of(sample)
    facts = Facts(metric.name, dict(metric.params), n_rows, effective, freedom, positive)
    if design.group is None:
        return facts
    is_share |= method == "effective_n"
    kind = "area" if sample.kind == "area" else "effective_n" if is_share else "sums"
    return replace(facts, clusters="drawn" if is_drawn else kind)


def facts_of_both(of_test: Facts | None, *sides: Linearized) -> Facts:
    """Facts of a comparison, with the rows of one statistic, or of several samples."""
    facts = [_facts(side, notes.NONE) for side in sides]
    rows, effective = np.sum([(each.n or 0, each.n_effective or 0) for each in facts], axis=0)
    of_test = of_test or Facts()
    both = replace(facts[0], n=float(rows), n_effective=float(effective))
    return replace(both, freedom=of_test.freedom, draws=of_test.draws)


def positive_class_of(sample: Any) -> Any:
    """The positive class of the metric, or of the scores; None without one."""
    metric = sample.metric
    if not metric.spec.is_known:
        return None
    if metric.spec.response == "labels":
        return metric.params.get("pos_label") if metric.sides == "one" else None
    classes: Any = getattr(getattr(sample, "data", None), "classes", ())
    return classes[-1].item() if len(classes) == 2 else None


def _no_interval(statistic: Linearized, note: str, error: Array | None = None) -> Interval:
    """Bounds that are nan, with the reason."""
    nan = np.full(np.shape(statistic.value), np.nan)
    return Interval(nan, nan, nan if error is None else error, note)


def _none(statistic: Linearized, *_: Any) -> Interval:
    """No bounds for statistics for which those of every method would mislead."""
    return _no_interval(statistic, notes.NO_INTERVAL[statistic.origin.metric.spec.interval])


# --------------------------------------------------------------------------- shares of rows


def of_shares(kind: str, shares: Array) -> Array:
    """The metric as a function of the share of rows."""
    return 2 * shares / (1 + shares) if kind == "dice" else shares


def _share_and_rows(statistic: Linearized) -> tuple[Array, Array]:
    """The share of rows of which the metric is a function, and the effective number of them."""
    share, rows = _effective_rows(statistic)
    if statistic.design.is_counted:
        rows = np.where(np.abs(rows - np.rint(rows)) < 1e-3, np.rint(rows), rows)
    return share, rows


def share_counts(statistic: Linearized) -> tuple[int, int]:
    """Rows that count, and rows that the metric reads, of a share of counted rows."""
    share, rows = _share_and_rows(statistic)
    return round(float(share * rows)), round(float(rows))


def _share(statistic: Linearized, method: str, level: Level, plan: DrawPlan) -> Interval:
    """A share of rows, by a method of `proportion_interval` or valid at every look."""
    value, design, kind = np.asarray(statistic.value), statistic.design, statistic.origin.share
    share, rows = _share_and_rows(statistic)
    groups = _effective_groups(statistic)
    low_groups = groups < notes.UNITS
    if np.any(low_groups) and statistic.atoms.effective_groups() < notes.UNITS:
        low_groups = np.asarray(False)  # `with_design` has the note
    inside = (value > 0) & (value < 1)
    few_groups = partial(notes.equivalent, float(np.min(groups)), "groups")
    few_rows = partial(notes.few, np.fmin.reduce(rows, None), "rows enter this share", _EXACT)
    note = notes.first_note(
        value.shape,
        (low_groups, few_groups),
        (rows < notes.OF_SHARES, few_rows),
        ((statistic.error == 0) & inside, f"{notes.NO_SPREAD}: {notes.OF_RAREST}"),
    )
    if not design.is_plain:  # as many rows as make a normal quantile as wide as that of t
        rows = rows * (quantile(level) / quantile(level, statistic.freedom)) ** 2
    if method == ANYTIME:  # exact for any number of rows
        note[...] = ""
        bounds = anytime.mixture_bounds(np.rint(share * rows), rows, level, plan.min_rows)
    else:
        bounds = proportion_bounds(share * rows, np.fmax(rows, 0.0), method, level)
    low, high = of_shares(kind, np.stack(bounds))
    is_count = design.is_counted and not value.ndim and np.isfinite(share * rows)
    counts = (round(float(share * rows)), round(float(rows))) if is_count else None
    return Interval(low, high, statistic.error, note, counts)


def _effective_groups(statistic: Linearized) -> Array:
    """Kish's effective number of groups among the rows that the metric reads."""
    if statistic.atoms.group is None:
        return np.asarray(np.inf)
    sizes = np.abs(statistic.influence)
    return statistic.atoms.effective_groups(sizes > _NO_CONTRIBUTION * sizes.max(-1, keepdims=True))


def _effective_rows(statistic: Linearized, prior: float | None = None) -> tuple[Array, Array]:
    """The metric as a share, and the n for which a share has its variance (Korn & Graubard 1998).

    The share is the proportion that the metric is a function of, with its denominator as n, or
    its place in its range. A class with no errors in its few rows shows no variance, so n is at
    most that after ``prior`` more rows in each class. If nothing varies at all, it is that after a
    tiny number of rows more.
    """
    sample, (low, high) = statistic.origin, statistic.bounds

    def share_and_rows(value: Array, variance: Array) -> tuple[Array, Array]:
        if sample.share == "dice":  # F = 2 J / (1 + J)
            share, slope = value / (2 - value), 2 / (2 - value) ** 2
        else:
            share, slope = (value - low) / (high - low), np.asarray(1 / (high - low))
        share = np.clip(share, 0.0, 1.0)
        return share, divide(share * (1 - share), variance * slope**2)

    def rows_after_prior(prior: float) -> Array:
        return share_and_rows(*sample.with_prior_rows(prior))[1]

    value, variance = np.asarray(statistic.value, dtype=np.float64), statistic.variance
    share, rows = share_and_rows(value, variance)
    usable = np.isfinite(rows) & (rows > 0)
    if prior is not None:
        rows = np.fmin(rows, rows_after_prior(prior))
    if usable.all():
        return share, rows
    if not sample.is_compact:
        return share, np.where(usable, rows, statistic.atoms.effective_rows)
    rows = np.where(usable, rows, rows_after_prior(_TINY))
    # A table of one class, or a metric that no row changes: a share of the rarest class.
    of_class = sample.equal_rows.sum(axis=-1)
    rarest = of_class[of_class > 0].min()
    is_still = (variance == 0) & (low < value) & (value < high)
    rows = np.where(is_still, np.fmin(rows, rarest), rows)
    return share, np.where(np.isfinite(rows) & (rows > 0) | np.isnan(value), rows, rarest)


def _mover(
    statistic: Linearized, _method: str, level: Level, _: DrawPlan, *, shares: Shares
) -> Interval:
    """A metric that is linear in shares of rows, from the bounds of each."""
    value, fewest = np.asarray(statistic.value, dtype=np.float64), shares.fewest()
    few_of_class = ""
    if statistic.origin.is_compact:
        few_of_class = notes.few_of_rarest(statistic, notes.OF_SHARES, _OF_CLASS)
    few_of_share = notes.few(float(np.min(fewest)), "rows enter a share of this mean", notes.MORE)
    rules = (True, few_of_class), (fewest < notes.OF_SHARES, few_of_share)
    note = notes.first_note(value.shape, *rules)
    return Interval(*shares.bounds(value, level), statistic.error, note)


def _largest_class(statistic: Linearized, _method: str, level: Level, _: DrawPlan) -> Interval:
    """The share of the largest class, which may be another class in the population.

    It is not above the greatest upper bound of any class, nor below the greatest lower bound;
    the lower bounds hold simultaneously (Bonferroni).
    """
    counts = statistic.origin.equal_rows.sum(axis=-1)
    each = np.asarray(level)[..., None]
    joint = 1 - (1 - each) / np.count_nonzero(counts)
    high = proportion_bounds(counts, counts.sum(), "wilson", each)[1]
    low = proportion_bounds(counts, counts.sum(), "wilson", joint)[0].max(axis=-1)
    largest = np.count_nonzero(high > low[..., None], axis=-1)
    wide = f"any of {largest} classes may be the largest: the interval is a wide one"
    return Interval(low, high.max(axis=-1), statistic.error, wide if np.all(largest > 1) else "")


# --------------------------------------------------------------------------- metrics of labels


def _by_table(statistic: Linearized, method: str, level: Level, _: DrawPlan) -> Interval:
    """A metric of labels that is no share, by effective sample size or on a scale."""
    value, bounds = np.asarray(statistic.value, dtype=np.float64), statistic.bounds
    compute = _table_score if method == "effective_n" else _table_bounds
    low, high = compute(statistic, method, level)
    shown = notes.OF_RAREST if np.isfinite(bounds).all() else notes.NO_WIDTH
    inside = (bounds[0] < value) & (value < bounds[1])
    note = notes.first_note(
        value.shape,
        (np.isinf(value), "infinite: the other bound is after a row more in each class"),
        (True, _few_of_table(statistic)),
        ((statistic.variance == 0) & inside, f"{notes.NO_SPREAD}: {shown}"),
    )
    return Interval(low, high, statistic.error, note)


def _few_of_table(statistic: Linearized) -> str:
    """A note on few rows of a class; of a metric of the whole table, on few rows in all."""
    metric, rows = statistic.origin.metric, float(statistic.atoms.effective_rows)
    if np.ndim(statistic.value) or metric.sides != "none" or metric.averages_classes:
        return notes.few_of_rarest(statistic, notes.OF_SHARES, _OF_CLASS)
    return notes.few(rows, "rows") if rows < 2 * notes.OF_SHARES else ""


def _table_bounds(statistic: Linearized, method: str, level: Level) -> Bounds:
    """Bounds on a scale; at an end of the range, the other bound after a few rows more.

    These are a row in each class (half a row in each cell of two classes: Haldane 1956), or four
    on the logit scale (Agresti & Coull 1998), which is that of a predictive value at a stated
    prevalence (Mercaldo, Lau & Zhou 2007). The variance of a logarithm is at least that after
    these rows, because a class with no errors in its few rows shows none.
    """
    value, error = np.asarray(statistic.value, dtype=np.float64), statistic.error
    plain, bounds = statistic.design.is_plain, statistic.bounds
    z = quantile(level, None if plain and method != "log" else statistic.freedom)
    start, end = bounds if method != "delta" else (-np.inf, np.inf)
    at_start, at_end = value <= start, value >= end
    if method == "delta" and not (at_start | at_end).any():
        return SCALES[method](value, error, z, bounds)
    prior = _PLUS_FOUR if method == "logit" else _PRIOR
    added, variance_of_added = statistic.origin.with_prior_rows(prior)
    least, origin = np.sqrt(variance_of_added), start if np.isfinite(start) else end
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
    """Wilson's bounds of a share of the effective number of rows."""
    has_prior = statistic.design.is_plain and statistic.origin.is_compact
    share, rows = _effective_rows(statistic, _PRIOR if has_prior else None)
    down, up = wilson_bounds(share, rows, quantile(level, statistic.freedom))
    value, (low, high) = statistic.value, statistic.bounds
    width = high - low
    return np.minimum(low + width * down, value), np.maximum(low + width * up, value)


# --------------------------------------------------------------------------- smooth metrics


def _mean(statistic: Linearized, method: str, level: Level, _: DrawPlan) -> Interval:
    """Mean of values of rows; Hall's method allows for their skewness."""
    value, bounds, error = float(statistic.value), statistic.bounds, statistic.error
    if error <= notes.ROUNDING * abs(value):
        low, high, shown = _of_rarest(statistic, np.asarray(value), level)
        return Interval(low, high, error, f"{notes.NO_SPREAD}: {shown}")
    z = quantile(level, None if method == "normal" else statistic.freedom)
    below, above = -z, z
    if method == "hall":
        skew = float(statistic.skewness) / 3
        below, above = _unskewed(below, skew), _unskewed(above, skew)
    low, high = np.minimum(value - above * error, value), np.maximum(value - below * error, value)
    low, high = np.clip(low, *bounds), np.clip(high, *bounds)
    return Interval(low, high, error, notes.few_effective(statistic))


def _unskewed(z: Array, skew: float) -> Array:
    """Quantiles of a mean of skewed rows: a cubic in z, inverted (Hall 1992)."""
    if abs(skew) < 1e-12:
        return z
    return np.asarray((np.cbrt(1 + 3 * skew * (z - skew / 2)) - 1) / skew)


def _smooth(statistic: Linearized, method: str, level: Level, _: DrawPlan) -> Interval:
    """A metric that has a derivative by every row, on a scale that keeps it in its range."""
    sample, value = statistic.origin, statistic.value
    metric = sample.metric
    if metric.spec.interval != notes.LARGEST or metric.options["method"] != "step":
        return _on_scale(statistic, method, level)
    # The largest of several values is too large on average; the value between the steps is not.
    # With few errors it seems too precise: the interval holds that of a share of rows as well.
    between = replace(sample, metric=metric.with_params(method="interpolated"))
    between = between.statistic(sample.atoms.rows[None])[0]
    interval = _on_scale(replace(statistic, value=between), method, level)
    found = sample.by_class[1] if len(sample.by_class) == 2 else sample.fewest_rows
    at_largest = divide(found * attained_point(sample), value)  # rows that are predicted there
    least, most = wilson_bounds(value, at_largest, quantile(level))
    return interval._replace(low=np.fmin(interval.low, least), high=np.fmax(interval.high, most))


def _at_steps(statistic: Linearized, _method: str, level: Level, _: DrawPlan) -> Interval:
    """Wilson's bounds of a share of rows, at any of the thresholds where it may be read."""
    each = [(r.value, r.variance, r.freedom) for r in statistic.readings]
    share, variance, freedom = np.array(each, dtype=np.float64).T
    most = [plain.rows for plain in statistic.origin.plain_shares] or np.inf
    rows = np.fmin(divide(share * (1 - share), variance), most)
    low, high = wilson_bounds(share, rows, quantile(np.asarray(level)[..., None], freedom))
    value = statistic.value
    low, high = low.min(axis=-1, initial=value), high.max(axis=-1, initial=value)
    note = notes.few_of_rarest(statistic, notes.OF_SHARES)
    return Interval(low, high, statistic.error, note)


def _folds(statistic: Linearized, _method: str, level: Level, _: DrawPlan) -> Interval:
    """A mean over folds, from what the rows of all folds contribute."""
    if np.isnan(statistic.variance):
        return _no_interval(statistic, "a fold has one row, or one group, of a class")
    return _on_scale(statistic, scales_of(statistic.bounds)[0], level)


def freedom_of(statistic: Linearized) -> Array:
    """Degrees of freedom; of the area under a curve fewer, if few rows carry its variance.

    One of the highest scores can decide it (simulated: heavy tails, contaminated classes).
    """
    metric, kind = statistic.origin.metric, statistic.origin.kind
    if kind != "smooth" or metric.tally != "ranks" or metric.spec.point_of:
        return statistic.freedom
    of_contributions = _PER_CONTRIBUTION * (statistic.effective - 1)
    return np.fmin(statistic.freedom, np.fmax(of_contributions, _LEAST_OF_AREA))


def known_interval(statistic: Linearized, method: str, level: Level, _: DrawPlan) -> Interval:
    """A statistic that is known by the contributions of its rows."""
    few = notes.few_effective(statistic)
    if method == "effective_n":
        return Interval(*_table_score(statistic, method, level), statistic.error, few)
    bounds_on = SCALES[{"t": "delta", "atanh": "logit"}.get(method, method)]
    reach = np.asarray(statistic.value), statistic.error, quantile(level, statistic.freedom)
    return Interval(*bounds_on(*reach, statistic.bounds), statistic.error, few)


def _on_scale(statistic: Linearized, method: str, level: Level) -> Interval:
    """Bounds from value and error on a scale; of the rarest class if there is no error."""
    value, error = np.asarray(statistic.value, dtype=np.float64), statistic.error
    bounds = statistic.bounds
    low, high = SCALES[method](value, error, quantile(level, freedom_of(statistic)), bounds)
    at_end = np.minimum(np.abs(value - bounds[0]), np.abs(value - bounds[1])) <= notes.ROUNDING
    still = (~(error > notes.ROUNDING) | at_end) & np.isfinite(value)
    shown = ""
    if still.any():
        least, most, shown = _of_rarest(statistic, value, level)
        low, high = np.where(still, least, low), np.where(still, most, high)
    is_mean = statistic.origin.metric.tally == "moments"
    scarce = notes.few_effective(statistic) if is_mean else notes.few_rows(statistic)
    rules = (still, f"{notes.NO_SPREAD}: {shown}"), (True, scarce)
    return Interval(low, high, error, notes.first_note(value.shape, *rules))


# --------------------------------------------------------------------------- draws


def _by_draws(statistic: Linearized, method: str, level: Level, plan: DrawPlan) -> Interval:
    draws = bootstrap.resample(statistic.origin, plan, level)
    return bounds_of_draws(statistic, draws, method, level)


def bounds_of_draws(
    statistic: Linearized, values: Array, method: str, level: Level, skewness: Array | None = None
) -> Interval:
    """The interval from the values (B, ...) of draws, with notes."""
    sample, bounds = statistic.origin, statistic.bounds
    value = np.asarray(sample.value, dtype=np.float64)
    low, high = bootstrap.bootstrap_bounds(sample, values, method, level, bounds, skewness)
    defined = (~np.isnan(values)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        mean = divide(np.nansum(values, axis=0), defined)
        squares = np.nansum((values - mean) ** 2, axis=0)
        error = np.sqrt(divide(squares, np.where(defined > 1, defined - 1, 0)))
        error = np.where(np.isfinite(error), error, np.nan)
    scarce = notes.few_rows(statistic)
    biased = notes.BIASED.get(sample.metric.spec.interval, "")
    rules = (True, scarce), (sample.jumps, notes.JUMPS), (True, biased)
    note = notes.first_note(value.shape, *rules)
    if method == bootstrap.UPPER:
        corrected = np.clip(2 * value - mean, *bounds)
        one_sided = f"one-sided; corrected for bias {corrected:.3g}; {notes.CALIBRATION_TEST}"
        note[...] = f"{scarce}; {one_sided}" if scarce else one_sided
    for place in np.ndindex(value.shape):
        column = values[(slice(None), *place)]
        n_values = len(np.unique(column[~np.isnan(column)]))
        if not note[place] and n_values < notes.UNITS <= len(values):
            note[place] = notes.few(n_values, "distinct values of the draws")
        if undefined := len(values) - defined[place]:
            note[place] = f"undefined in {undefined} of {len(values)} draws"
    still = (low == high) & np.isfinite(value)
    if still.any():
        least, most, shown = _of_rarest(statistic, value, level)
        low, high = np.where(still, least, low), np.where(still, most, high)
        still = still.any(axis=0) if still.ndim > value.ndim else still
        note[still] = f"all draws have this value: {shown}"
    return Interval(low, high, error, note, draws=len(values))


# --------------------------------------------------------------------------- every look


def anytime_interval(statistic: Linearized, _method: str, level: Level, plan: DrawPlan) -> Interval:
    """An interval that holds at every look, exact for shares of counted rows."""
    if not statistic.has_influence:
        return _no_interval(statistic, notes.RESAMPLED_AT_ONE_LOOK)
    if statistic.origin.share and statistic.design.is_counted:
        return _share(statistic, ANYTIME, level, plan)
    rows = anytime.independent_rows(statistic)
    if rows < plan.min_rows:
        note = anytime.too_early(statistic, plan.min_rows)
        return _no_interval(statistic, note, statistic.error)
    (method, compute), *_ = methods_of(statistic).items()
    if compute is _by_draws:  # a method that corrects for bias
        method, compute = "delta", _smooth
    one_look = anytime.level_of_one_look(rows, level, plan.min_rows)
    interval = compute(statistic, method, one_look, plan)
    return interval._replace(notes=np.vectorize(without_methods, otypes=[object])(interval.notes))


def _of_rarest(statistic: Linearized, value: Array, level: Level) -> tuple[Array, Array, str]:
    """Interval of a statistic that shows no variance: Wilson's, for a share of the rarest class.

    With one bound, a value there is the end of a range of length 1; others have no width.
    """
    rows, (start, end) = statistic.origin.fewest_rows, statistic.bounds
    width = end - start
    if not np.isfinite(width):
        bound = start if np.isfinite(start) else end
        if not (np.abs(value - bound) <= notes.ROUNDING).all():
            return np.asarray(value), np.asarray(value), notes.NO_WIDTH
        start, width = (bound if bound == start else bound - 1), 1.0
    share = np.clip((value - start) / width, 0.0, 1.0)
    low, high = proportion_bounds(share * rows, rows, "wilson", level)
    return start + width * low, start + width * high, notes.OF_RAREST


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
    "area": dict.fromkeys(AUC_METHODS, area_interval),
    "folds": {"cv": _folds},
    "rated": {"delta": _smooth},
}
