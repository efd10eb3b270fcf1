"""How two models on the same rows are compared: one function for each method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import (
    bootstrap_bounds,
    fewest_rows,
    resample,
)
from skmetrics_ext.inference.draws.pairs import PairReading
from skmetrics_ext.inference.draws.permutation import permutation_test
from skmetrics_ext.inference.draws.readings import (
    MomentReading,
    Reading,
    TableReading,
    TallyReading,
    response_name,
)
from skmetrics_ext.inference.influence.spread import Contributions, over_classes
from skmetrics_ext.inference.methods import FEW_THAT_DECIDE, OF_RAREST
from skmetrics_ext.inference.question import Question, difference_of, within
from skmetrics_ext.inference.results import NO_WIDTH, Comparison, reason
from skmetrics_ext.inference.tests.delong import (
    NONE_APART,
    correlated_areas,
    paired_comparison,
    tail_probability,
)
from skmetrics_ext.inference.tests.mcnemar import alike_bounds, mcnemar_comparison, tango_score
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import Labels

_FEW = 10  # rows of a class, or in which the models differ: with less the level is not held
_FEW_GROUPS = 20  # that hold rows of a class
_LEAST = 2.0  # rows of each class that tell the models apart, in the variance of a difference
_RAREST = 50  # classes that are looked at for it
_NAN = float("nan")


def by_delong(asked: Question, method: str) -> Comparison:
    options = asked.metric.options
    areas = correlated_areas(
        list(asked.models),
        asked.design,
        multi_class=options.get("multi_class", "ovr"),
        average=options.get("average", "macro"),
        weights_are=asked.weights_are,
    )
    start, stop = asked.metric.spec.bounds
    found = paired_comparison(areas, 0, 1, asked.claim.per(stop - start), asked.level)
    found = _scaled(found, start, stop)
    if (
        asked.claim.margin is None
        and method == "auto"
        and np.isnan(found.p_value)
        and not np.isnan(found.difference)
    ):
        tested = by_permutation(asked)
        name = f"delong, p-value by {tested.method}"
        note = "the areas have no variance to estimate"
        found = replace(found, p_value=tested.p_value, method=name, note=note)
    return found


def by_mcnemar(asked: Question) -> Comparison:
    hits = np.column_stack([one.row_hits() for one in asked.models]).astype(np.int64)
    found = mcnemar_comparison(hits, "mid_p", asked.level)
    claim, two_sided = asked.claim, found
    if not asked.metric.spec.greater_is_better:  # a share of errors
        found, claim = _scaled(found, 1.0, 0.0), claim.per(-1.0)

    def tail(null: float, side: str) -> float:
        """Of the share of rows that are right; the mid-P tails of a fair coin add up to 1."""
        if claim.margin is not None:
            return tail_probability(score(null), np.inf, side)
        half, difference = two_sided.p_value / 2, two_sided.difference
        if side == "two-sided" or difference == 0:
            return 2 * half if side == "two-sided" else 0.5
        return half if (difference > 0) == (side == "greater") else 1 - half

    only_a, only_b = (int((hits[:, i] > hits[:, 1 - i]).sum()) for i in range(2))

    def score(null: float) -> float:
        return float(tango_score(np.asarray(null), only_a, only_b, len(hits)))

    p_value, null = claim.tested(tail)
    if claim.margin is None:
        return replace(found, p_value=p_value)
    return replace(found, p_value=p_value, statistic=score(null), method="tango")


def _scaled(found: Comparison, start: float, stop: float) -> Comparison:
    """The comparison of what is linear in the values: ``start`` where they are 0, to ``stop``."""
    width = stop - start
    bounds = sorted((width * found.low + 0.0, width * found.high + 0.0))
    return replace(
        found,
        difference=width * found.difference + 0.0,  # + 0 turns -0.0 into 0.0
        low=bounds[0],
        high=bounds[1],
        standard_error=abs(width) * found.standard_error,
        value_a=start + width * found.value_a,
        value_b=start + width * found.value_b,
    )


def by_delta(asked: Question, added: list[tuple[TallyReading, Contributions]]) -> Comparison:
    from scipy.special import stdtrit

    (first, _), (second, _) = added
    values = float(first.value), float(second.value)
    parts = difference_of(added)
    variance, freedom, effective, _ = parts.spread()
    difference = values[0] - values[1]
    name = "delta, paired t" if isinstance(first, MomentReading) else "delta"
    if difference == 0 and variance == 0:
        return _alike(asked, first, values, name, 0.0)
    if not variance > 0 or not freedom > 0:
        note = "the difference has no variance to estimate"
        if asked.claim.margin is None:
            note += ": method='permutation' has a test"
        return _told(asked, values, name, note="" if np.isnan(difference) else note)
    if isinstance(first, TableReading) and isinstance(second, TableReading):
        variance, freedom = _with_silent_classes(first, second, parts, variance, freedom)
    error = float(np.sqrt(variance))
    away = float(stdtrit(freedom, (1 + asked.level) / 2)) * error
    low, high = within(asked.metric, difference - away, difference + away)
    bounds = float(low), float(high)
    p_value, null = asked.claim.tested(
        lambda null, side: tail_probability((difference - null) / error, float(freedom), side)
    )
    statistic = (difference - null) / error
    note = few_apart(first, second, float(effective))
    return _told(asked, values, name, p_value, bounds, statistic, error, note)


def few_apart(first: TallyReading, second: TallyReading, effective: float) -> str:
    """What to tell of two models that few rows tell apart."""
    differing = _rows_apart(first.data, second.data)
    if differing < _FEW:
        return f"the models differ in {differing} rows only: method='permutation' is exact"
    if effective < FEW_THAT_DECIDE:
        return "few rows decide the difference: the test may miss its level"
    rare, grouped = fewest_rows(first), first.facts.group is not None
    if rare < (_FEW_GROUPS if grouped else _FEW):
        what = "groups with rows" if grouped else "rows"
        return f"{rare:g} {what} of the rarest class are few: the test may miss its level"
    return ""


def _with_silent_classes(
    first: TableReading, second: TableReading, parts: Contributions, variance: Array, freedom: Array
) -> tuple[Array, Array]:
    """Variance and freedom of a difference that in each class at least two rows tell.

    A rare class in which the models agree by luck would count as one in which they always do.
    """
    units, true = parts.units, first.data.true
    rows = np.bincount(true, units.rows)
    seen = np.bincount(true, units.rows * parts.of_rows() ** 2)
    place = np.unique(true, return_index=True)[1]  # a row of each class
    rare = place[np.argsort(rows[true[place]], kind="stable")[:_RAREST]]
    effects = [_of_one_row(one, one.data.true[rare]) for one in (first, second)]
    lacking = np.zeros(len(rows))
    lacking[true[rare]] = _LEAST * np.mean(effects, axis=0) ** 2 - seen[true[rare]]
    lacking = np.where(np.isfinite(lacking), np.maximum(lacking, 0.0), 0.0)  # else says nothing
    if not lacking.any():
        return variance, freedom
    by_class = over_classes(seen + lacking, units.by_class())[1]
    return variance + lacking.sum(), np.fmin(freedom, by_class)


def _of_one_row(reading: TableReading, classes: Array) -> Array:
    """How far the metric moves where a row of each of these classes is predicted otherwise."""
    table, n_classes = reading.tables(reading.units.rows), len(reading.classes)
    rows = np.bincount(reading.data.true, reading.facts.sizes, n_classes)
    moved = np.repeat(table[None].astype(np.float64), len(classes), axis=0)
    each, usual = np.arange(len(classes)), table[classes].argmax(axis=1)
    other = np.where(usual != classes, classes, np.where(classes > 0, classes - 1, n_classes - 1))
    row = table[classes].sum(axis=1) / rows[classes]
    moved[each, classes, usual] -= row
    moved[each, classes, other] += row
    return np.abs(reading.read(moved) - reading.value)


def _alike(
    asked: Question, reading: Reading, values: tuple[float, float], name: str, statistic: float
) -> Comparison:
    """Two models that nothing tells apart: Tango's interval of shares of the rarest class."""
    row = asked.metric.row
    width = np.inf if row is None else row.bounds[1] - row.bounds[0]
    p_value = 1.0 if asked.claim.margin is None else _NAN
    if not np.isfinite(width):
        note = f"{NONE_APART}: {NO_WIDTH}"
        return _told(asked, values, name, p_value, (0.0, 0.0), statistic, 0.0, note)
    low, high = alike_bounds(fewest_rows(reading), asked.level)
    bounds, note = (width * low, width * high), f"{NONE_APART}: {OF_RAREST}"
    return _told(asked, values, name, p_value, bounds, statistic, 0.0, note)


def _rows_apart(first: Any, second: Any) -> int:
    """Rows in which the responses of two models differ."""
    if isinstance(first, Labels) and not first.is_multilabel:
        pairs = [one.classes[one.pred] for one in (first, second)]
    else:
        pairs = [getattr(one, response_name(one)) for one in (first, second)]
    return int(np.asarray((pairs[0] != pairs[1]).reshape(len(first.true), -1)).any(axis=1).sum())


def by_bootstrap(asked: Question) -> Comparison:
    return _in_one_order(asked, _bootstrap)


def _bootstrap(asked: Question, pair: PairReading) -> Comparison:
    if np.isnan(pair.value):
        return _told(asked, pair.values, "bootstrap")
    draws = resample(pair, asked.plan)
    low, high = bootstrap_bounds(pair, draws, "bootstrap", asked.level, (-np.inf, np.inf))
    known = draws[~np.isnan(draws)]
    if pair.value == 0 and not known.any():
        return _alike(asked, pair, pair.values, "bootstrap", _NAN)

    def tail(null: float, side: str) -> float:
        """Share of draws beyond a value; the observed rows are one more, so that none is 0."""
        below = (np.count_nonzero(known <= null) + 1) / (len(known) + 1)
        above = (np.count_nonzero(known >= null) + 1) / (len(known) + 1)
        tails = {"greater": below, "less": above, "two-sided": min(2 * min(below, above), 1.0)}
        return tails[side]

    note = ""
    if len(known) < len(draws):
        note = f"{len(draws) - len(known)} of {len(draws)} draws were undefined"
    error = float(known.std(ddof=1)) if len(known) > 1 else _NAN
    bounds, p_value = (float(low), float(high)), asked.claim.tested(tail)[0]
    return _told(asked, pair.values, "bootstrap", p_value, bounds, error=error, note=note)


def by_permutation(asked: Question) -> Comparison:
    return _in_one_order(asked, _permutation, exchange=True)


def _permutation(asked: Question, pair: PairReading) -> Comparison:
    ((_, side),) = asked.claim.parts
    found = permutation_test(pair, side, asked.plan)
    note = "" if np.isnan(pair.value) else "exchanges have no interval"
    if found.undefined:
        note = f"{found.undefined} of {found.orders} exchanges were undefined and count as large"
    name = "permutation, exact" if found.exact else "permutation"
    return _told(asked, pair.values, name, found.p_value, note=note)


def _in_one_order(
    asked: Question,
    method: Callable[[Question, PairReading], Comparison],
    *,
    exchange: bool = False,
) -> Comparison:
    """The comparison by draws that are those of the models in the other order too."""
    pair = asked.pair(exchange=exchange)
    if not pair.is_turned:
        return method(asked, pair)
    asked = asked.turned()
    found = method(asked, asked.pair(exchange=exchange))
    return replace(
        found,
        difference=0.0 - found.difference,
        low=0.0 - found.high,
        high=0.0 - found.low,
        statistic=0.0 - found.statistic,
        value_a=found.value_b,
        value_b=found.value_a,
    )


def _told(
    asked: Question,
    values: tuple[float, float],
    method: str,
    p_value: float = _NAN,
    bounds: tuple[float, float] = (_NAN, _NAN),
    statistic: float = _NAN,
    error: float = _NAN,
    note: str = "",
) -> Comparison:
    difference, level = values[0] - values[1], asked.level
    note = note or reason(difference, *bounds)
    return Comparison(difference, *bounds, statistic, p_value, method, *values, error, level, note)
