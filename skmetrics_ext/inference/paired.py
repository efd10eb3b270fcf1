"""How two models on the same rows are compared: one function for each method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from skmetrics_ext.inference.apart import few_apart, spread_apart
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
)
from skmetrics_ext.inference.methods import OF_RAREST
from skmetrics_ext.inference.question import Question
from skmetrics_ext.inference.results import NO_WIDTH, Comparison, reason
from skmetrics_ext.inference.tests.correlated import correlated_areas
from skmetrics_ext.inference.tests.delong import (
    NONE_APART,
    paired_comparison,
    tail_probability,
)
from skmetrics_ext.inference.tests.mcnemar import alike_bounds, mcnemar_comparison, tango_score

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
    claim = asked.claim.per(stop - start)
    found = paired_comparison(areas, 0, 1, claim, asked.level, by_t=method == "auto")
    found = _scaled(found, start, stop)
    if (
        asked.claim.margin is None
        and method == "auto"
        and np.isnan(found.p_value)
        and not np.isnan(found.difference)
    ):
        tested = by_permutation(asked)
        name = f"{found.method}, p-value by {tested.method}"
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


def by_delta(asked: Question) -> Comparison:
    from scipy.special import stdtrit

    assert asked.contributions is not None
    (first, _), (second, _) = asked.contributions
    values = float(first.value), float(second.value)
    variance, freedom, effective, _ = spread_apart(asked)
    difference = asked.difference(*values)
    name = asked.smooth_method + (", paired t" if isinstance(first, MomentReading) else "")
    if difference == 0 and variance == 0:
        return _alike(asked, first, values, name, 0.0)
    if not (variance > 0 and freedom > 0 and np.isfinite(difference)):
        what = "difference" if np.isfinite(difference) else "logarithm of 0 or infinity"
        note = f"the {what} has no variance to estimate"
        if asked.claim.margin is None:
            note += ": method='permutation' has a test"
        return _told(asked, values, name, note="" if np.isnan(difference) else note)
    error = float(np.sqrt(variance))
    away = float(stdtrit(freedom, (1 + asked.level) / 2)) * error
    low, high = asked.within(difference - away, difference + away)
    bounds = float(low), float(high)
    p_value, null = asked.claim.tested(
        lambda null, side: tail_probability((difference - null) / error, float(freedom), side)
    )
    statistic = (difference - null) / error
    note = few_apart(first, second, float(effective))
    return _told(asked, values, name, p_value, bounds, statistic, error, note)


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
    difference, level = asked.difference(*values), asked.level
    note = note or reason(difference, *bounds)
    return Comparison(difference, *bounds, statistic, p_value, method, *values, error, level, note)
