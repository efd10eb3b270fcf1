"""Intervals of readings: which methods apply to one, and what each of them finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import (
    TWO_SIDED,
    UPPER,
    DrawPlan,
    bootstrap_bounds,
    fewest_rows,
    resample,
)
from skmetrics_ext.inference.draws.rankings import is_area
from skmetrics_ext.inference.draws.readings import (
    MomentReading,
    Reading,
    TableReading,
    TallyReading,
)
from skmetrics_ext.inference.influence import tables as delta
from skmetrics_ext.inference.influence.areas import AUC_METHODS, area_interval
from skmetrics_ext.inference.influence.counts import is_of_hits
from skmetrics_ext.inference.influence.scales import SCALES, Range, quantile, scales_of
from skmetrics_ext.inference.influence.shares import Shares
from skmetrics_ext.inference.influence.slopes import has_slopes
from skmetrics_ext.inference.influence.spread import Contributions, Spread
from skmetrics_ext.inference.proportions import (
    PROPORTION_METHODS,
    ProportionMethod,
    normal_quantile,
    proportion_bounds,
)
from skmetrics_ext.inference.results import NO_WIDTH, ROUGH
from skmetrics_ext.numeric import Array, divide

MEAN_METHODS = ("hall", "t", "normal")
IntervalMethod = (
    Literal["auto", "delta", "delong", "hall", "t", "normal"]
    | Literal["expanded", "bca", "bootstrap", "basic", "upper"]
    | ProportionMethod
)
_NO_BOUNDS = (-np.inf, np.inf)
# Below it the study of coverage found intervals that cover less, or more, than they say.
FEW_ROWS = 5
FEW_GROUPS = 8  # of one size
FEW_TO_DRAW = 20
FEW_VALUES = 30
FEW_THAT_DECIDE = 5
ROUNDING = 1e-12  # values come within it of the ends of their range, and errors of 0
MAY_MISS = "the interval may miss its level"
FEW_DECIDE = f"few rows decide the value: {MAY_MISS}"
BIASED = {
    "biased": f"too large on average in samples: {MAY_MISS}",
    "calibration": "too large on average in samples: method='upper' has a bound that holds, "
    "spiegelhalter_test tells whether the model is calibrated",
}
_TEST = "spiegelhalter_test tells whether the model is calibrated"
OF_RAREST = "bounds of a share of the rarest class"
NO_SPREAD = "the rows show no spread"


@dataclass(frozen=True, eq=False, slots=True)
class Interval:
    """An interval, all of the shape of the value, and notes on each part of it."""

    value: Array | float
    low: Array | float
    high: Array | float
    error: Array | float
    notes: Array | str


# Of a reading, by the name of a method and the level, with draws where it needs them.
Method = Callable[[Reading, str, float, DrawPlan], Interval]


def is_share(reading: Reading) -> bool:
    """Whether the metric is a number of rows among some rows, or grows with one."""
    return bool(share_of(reading))


def share_of(reading: Reading) -> str:
    """How the metric tells a number of rows among some rows; "" where it does not."""
    row = reading.metric.row
    if row is None or row.interval not in delta.SHARES:
        return ""
    average = reading.metric.params.get("average", "binary")
    of_table = isinstance(reading, TableReading) and average in ("binary", None)
    of_rows = isinstance(reading, MomentReading) or is_of_hits(reading)
    return row.interval if of_table or of_rows else ""


def methods_of(reading: Reading) -> dict[str, Method]:
    """The methods that apply and what finds the interval of each, the preferred one first."""
    row, own = reading.metric.row, _methods_of_kind(reading)
    if row is not None and row.shares and not share_of(reading):
        shares = Shares.of_reading(reading)
        if shares is not None:
            own = {"mover": partial(_by_shares, shares=shares), **own}
    if row is None or row.interval in BIASED:  # the only one that corrects for a bias
        own = {"bca": _by_draws, **own}
    if row is not None and row.interval == "calibration":
        own = {UPPER: _by_draws, **own}
    return {**own, **dict.fromkeys(TWO_SIDED, _by_draws)}


def _methods_of_kind(reading: Reading) -> dict[str, Method]:
    """The methods that need no draws."""
    row = reading.metric.row
    if row is None:
        return {}
    if isinstance(reading, TableReading):
        if row.interval == "largest":
            return {"wilson": _largest_class}
        if share_of(reading):
            return dict.fromkeys((*PROPORTION_METHODS, "delta"), _by_table)
        own = ((), ("log",), ("wilson",))[int(np.isfinite(row.bounds).sum())]
        return dict.fromkeys((*own, "delta"), _by_table)
    if is_share(reading):
        return dict.fromkeys(PROPORTION_METHODS, _share_of_rows)
    if isinstance(reading, MomentReading) and reading.measured.shape[1] == 1:
        return dict.fromkeys(MEAN_METHODS, _mean_of_rows)
    if is_area(reading.metric):
        return dict.fromkeys(AUC_METHODS, _by_area)
    if has_slopes(reading):
        return dict.fromkeys(scales_of(row.bounds), _by_influence)
    return {}


# --------------------------------------------------------------------------- by kind


def _by_shares(
    reading: Reading, _method: str, level: float, _: DrawPlan, *, shares: Shares
) -> Interval:
    """What is linear in shares of rows, from the bounds of each."""
    value, rare = np.asarray(reading.value, dtype=np.float64), ""
    spread: delta.TableSpread | Spread | None
    if isinstance(reading, TableReading):
        rare, spread = _rare_class(reading), delta.TableSpread.of_reading(reading)
    else:
        spread = Spread.of(reading)
    assert spread is not None
    low, high = shares.bounds(value, level)
    notes = np.full(value.shape, rare, dtype=object)
    few = shares.fewest() < FEW_ROWS
    notes[few & (rare == "")] = f"very few rows: {MAY_MISS}"
    return Interval(value, low, high, np.sqrt(spread.variance), notes)


def _by_table(reading: Reading, method: str, level: float, _: DrawPlan) -> Interval:
    assert isinstance(reading, TableReading)
    spread = delta.TableSpread.of_reading(reading)
    bounds, share = reading.metric.spec.bounds, share_of(reading)
    low, high = delta.bounds_by(method, spread, bounds, level, share=share)
    notes = np.full(spread.value.shape, "", dtype=object)
    inside = (bounds[0] < spread.value) & (spread.value < bounds[1])
    found = OF_RAREST if np.isfinite(bounds).all() else NO_WIDTH
    notes[(spread.variance == 0) & inside] = f"{NO_SPREAD}: {found}"
    if share and method != "delta":
        rows = delta.worth(spread.as_share(share), bounds, prior=None)
        notes[rows < FEW_ROWS] = f"very few rows: {MAY_MISS}"
        if spread.grouped:
            few = (spread.groups < FEW_GROUPS) | (spread.freedom + 1 < FEW_ROWS)
            notes[few] = f"very few groups: {MAY_MISS}"
    else:
        rare = _rare_class(reading)
        notes[...] = rare if rare else notes
        infinite = "infinite: the other bound is after a row more in each class"
        notes[np.isinf(spread.value)] = infinite
        notes[(notes == "") & (low < high)] = ROUGH.get(reading.metric.spec.interval, "")
    return Interval(spread.value, low, high, np.sqrt(spread.variance), notes)


def _largest_class(reading: Reading, _method: str, level: float, _: DrawPlan) -> Interval:
    """Interval of the share of the largest class, which may be another one than it seems.

    It is not above the greatest upper bound, nor below any lower bound; those of all classes are
    made to hold together (Bonferroni).
    """
    assert isinstance(reading, TableReading)
    spread = delta.TableSpread.of_reading(reading)
    counts = spread.tables.sum(axis=-1)
    total, joint = np.full(len(counts), counts.sum()), 1 - (1 - level) / np.count_nonzero(counts)
    high = proportion_bounds(counts, total, "wilson", level)[1]
    low = proportion_bounds(counts, total, "wilson", joint)[0]
    largest = np.count_nonzero(high > low.max())
    wide = f"any of {largest} classes may be the largest: the interval is a wide one"
    bounds = low.max(), high.max()
    return Interval(spread.value, *bounds, np.sqrt(spread.variance), wide if largest > 1 else "")


def _rare_class(reading: TableReading) -> str:
    """What to tell of the class with the fewest rows."""
    rows = reading.by_class
    fewest, code = rows[rows > 0].min(), np.where(rows > 0, rows, np.inf).argmin()
    worth, least = fewest, FEW_ROWS
    if reading.group is not None:
        units, least = reading.units, FEW_GROUPS
        assert units.label is not None
        worth = units.groups_worth(units.label == code)
    if worth >= least:
        return ""
    what = "rows" if reading.group is None else "groups with rows"
    return f"{fewest:g} {what} of class {reading.classes[code]} are few: {MAY_MISS}"


def _mean_of_rows(reading: Reading, method: str, level: float, _: DrawPlan) -> Interval:
    """Mean of what is measured on each row, whose bounds its skewness moves."""
    found = Spread.of(reading)
    assert found is not None
    value, (variance, freedom, effective, skewness) = float(reading.value), found
    error = float(np.sqrt(variance))
    if error <= ROUNDING * abs(value):
        down, up, told = _of_rarest(fewest_rows(reading), reading.metric.spec.bounds, value, level)
        return Interval(value, down, up, error, f"{NO_SPREAD}: {told}")
    z = float(quantile(level, None if method == "normal" else freedom))
    low, high = -z, z
    if method == "hall":
        slant = float(skewness) / (3 * np.sqrt(float(freedom) + 1))
        low, high = _unskewed(np.array([low, high]), slant)
    low, high = min(value - high * error, value), max(value - low * error, value)
    low, high = np.clip((low, high), *reading.metric.spec.bounds)
    return Interval(value, low, high, error, FEW_DECIDE if effective < FEW_THAT_DECIDE else "")


def _unskewed(z: Array, slant: float) -> Array:
    """Quantiles of a mean of skewed rows: a cubic in z, turned round (Hall 1992)."""
    if abs(slant) < 1e-12:
        return z
    return np.asarray((np.cbrt(1 + 3 * slant * (z - slant / 2)) - 1) / slant)


def _share_of_rows(reading: Reading, method: str, level: float, _: DrawPlan) -> Interval:
    """Share of rows, by a method of `proportion_interval`."""
    found, units, value = Contributions.of(reading), reading.units, float(reading.value)
    assert found is not None
    variance = found.squares() if units.is_plain else found.spread().variance
    rows = divide(np.asarray(value * (1 - value)), variance)
    if not (np.isfinite(rows) and rows > 0):
        mass = units.mass(units.rows)
        least = units.rows.sum() if units.group is None else units.n_groups
        rows = np.asarray(min(mass.sum() ** 2 / (mass * mass / units.rows).sum(), least))
    if not units.is_plain:
        freedom = found.spread().freedom
        rows = rows * (normal_quantile(level) / quantile(level, freedom)) ** 2
    low, high = proportion_bounds(value * rows, rows, method, level)
    return Interval(value, low, high, np.sqrt(variance), "")


def _by_area(reading: Reading, method: str, level: float, _: DrawPlan) -> Interval:
    """What is linear in areas under the ROC curve."""
    assert isinstance(reading, TallyReading)
    value = np.asarray(reading.value, dtype=np.float64)
    return Interval(value, *area_interval(reading, method, level))


def _by_influence(reading: Reading, method: str, level: float, _: DrawPlan) -> Interval:
    """What has a derivative by every row, on a scale that keeps it in its range."""
    spread, bounds = Spread.of(reading), reading.metric.spec.bounds
    assert spread is not None
    value, rows, few = np.asarray(reading.value, float), fewest_rows(reading), few_rows(reading)
    found = on_scale(value, spread, bounds, rows, method, level, few)
    between = reading.metric.options.get("method") == "interpolated"
    told = "" if between else ROUGH.get(reading.metric.spec.interval, "")
    return replace(found, notes=np.where(found.notes == "", told, found.notes)) if told else found


def on_scale(
    value: Array, spread: Spread, bounds: Range, rows: float, method: str, level: float, few: str
) -> Interval:
    """From a value and its variance, of so many rows of the rarest class.

    ``few`` is what there is to tell of them.
    """
    error = np.sqrt(spread.variance)
    low, high = SCALES[method](value, error, quantile(level, spread.freedom), bounds)
    notes = np.full(value.shape, few, dtype=object)
    with np.errstate(invalid="ignore"):
        width = bounds[1] - bounds[0]
        share = (value - bounds[0]) / (width if np.isfinite(width) else np.nan)
        near = rows * np.minimum(share, 1 - share) < FEW_ROWS
    notes[near | (spread.effective < FEW_THAT_DECIDE)] = few or FEW_DECIDE
    at_end = np.minimum(np.abs(value - bounds[0]), np.abs(value - bounds[1])) <= ROUNDING
    still = (~(error > ROUNDING) | at_end) & np.isfinite(value)
    if still.any():
        down, up, told = _of_rarest(rows, bounds, value, level)
        low, high = np.where(still, down, low), np.where(still, up, high)
        notes[still] = f"{NO_SPREAD}: {told}"
    return Interval(value, low, high, error, notes)


# --------------------------------------------------------------------------- draws


def _by_draws(reading: Reading, method: str, level: float, plan: DrawPlan) -> Interval:
    return bounds_of_draws(reading, resample(reading, plan), method, level)


def bounds_of_draws(
    reading: Reading, values: Array, method: str, level: float, skewness: Array | None = None
) -> Interval:
    """The interval from the values (B, ...) of draws, with what makes it doubtful."""
    value, row = np.asarray(reading.value, dtype=np.float64), reading.metric.row
    bounds = _NO_BOUNDS if row is None else row.bounds
    low, high = bootstrap_bounds(reading, values, method, level, bounds, skewness)
    defined = (~np.isnan(values)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        mean = divide(np.nansum(values, axis=0), defined)
        squares = np.nansum((values - mean) ** 2, axis=0)
        error = np.sqrt(divide(squares, np.where(defined > 1, defined - 1, 0)))
        error = np.where(np.isfinite(error), error, np.nan)
    notes = np.full(value.shape, "", dtype=object)
    if row is not None and row.interval in BIASED:
        notes[...] = BIASED[row.interval]
    few = few_rows(reading)
    if few:
        notes[...] = few
    if method == UPPER:
        less = np.clip(2 * value - mean, *bounds)
        notes[...] = f"{f'{few}; ' if few else ''}one-sided; corrected for bias {less:.3g}; {_TEST}"
    for place in np.ndindex(value.shape):
        column = values[(slice(None), *place)]
        n_values = len(np.unique(column[~np.isnan(column)]))
        if not notes[place] and n_values < FEW_VALUES <= len(values):
            notes[place] = f"draws have {n_values} values only: {MAY_MISS}"
        if undefined := len(values) - defined[place]:
            notes[place] = f"undefined in {undefined} of {len(values)} draws"
    still = (low == high) & np.isfinite(value)
    if still.any():
        down, up, told = _of_rarest(fewest_rows(reading), bounds, value, level)
        low, high = np.where(still, down, low), np.where(still, up, high)
        notes[still] = f"all draws have this value: {told}"
    return Interval(value, low, high, error, notes)


def few_rows(reading: Reading) -> str:
    """What to tell of a rare class, or of a narrow range of rates."""
    rare, inside = fewest_rows(reading), _rows_in_range(reading)
    if rare < FEW_TO_DRAW:
        what = "rows" if reading.group is None else "groups with rows"
        return f"{rare:g} {what} of the rarest class are few: {MAY_MISS}"
    if inside < FEW_TO_DRAW:
        return f"{inside:g} rows of a class in the range of rates are few: {MAY_MISS}"
    beyond = rows_beyond(reading)
    if beyond < FEW_ROWS:
        return f"{beyond:.3g} rows beyond the {reading.metric.spec.point} are few: {MAY_MISS}"
    return ""


def rows_beyond(reading: Reading, at: Any = None) -> Any:
    """Rows that lie beyond the point of a curve, on the side where they are fewer.

    Of the rows that the point is a share of; infinite where it is no such share.
    """
    row = reading.metric.row
    if row is None or not row.point_of or len(reading.by_class) != 2:
        return np.inf
    negative, positive = reading.by_class
    rows = {"negative": negative, "positive": positive, "all": negative + positive}[row.point_of]
    share = np.asarray(reading.metric.options[row.point] if at is None else at)
    return rows * np.minimum(share, 1 - share)


def _rows_in_range(reading: Reading) -> float:
    """Rows of one class that a partial area goes over; infinite for any other metric."""
    about = reading.metric.params
    given = [name for name in ("fpr_range", "max_fpr", "tpr_range") if about.get(name) is not None]
    if not given or reading.metric.row is None or reading.units.label is None:
        return np.inf
    rows = np.bincount(reading.units.label, weights=reading.units.rows)
    n_pos, n_neg = (rows[1], rows[0]) if len(rows) == 2 else (rows.min(), rows.sum() - rows.max())
    low, high = np.append(0.0, about[given[-1]])[-2:]
    return float((n_pos if given[-1] == "tpr_range" else n_neg) * (high - low))


def _of_rarest(
    rows: float, bounds: Range, value: Array | float, level: float
) -> tuple[Array, Array, str]:
    """Interval where nothing spreads: Wilson's, as if the value were a share of few rows.

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
