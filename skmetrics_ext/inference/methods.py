"""Intervals of readings, by kind: tables, means of rows, draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import (
    BOOTSTRAP_METHODS,
    DrawPlan,
    bootstrap_bounds,
    fewest_rows,
    resample,
)
from skmetrics_ext.inference.draws.readers import Metric
from skmetrics_ext.inference.draws.readings import MomentReading, Reading, TableReading
from skmetrics_ext.inference.influence import tables as delta
from skmetrics_ext.inference.proportions import (
    PROPORTION_METHODS,
    normal_quantile,
    proportion_bounds,
)
from skmetrics_ext.numeric import Array, divide

MEAN_METHODS = ("edgeworth", "t", "normal")
_NO_BOUNDS = (-np.inf, np.inf)
# Below it the study of coverage found intervals that cover less, or more, than they say.
FEW_ROWS = 5
FEW_TO_DRAW = 20
FEW_VALUES = 30


@dataclass(frozen=True, eq=False, slots=True)
class Bounds:
    """An interval as arrays of the shape of the value, and notes on each part of it."""

    value: Array
    low: Array
    high: Array
    error: Array
    notes: Array


def is_area(metric: Metric) -> bool:
    """Whether the metric is a whole area under the ROC curve, or linear in it."""
    spec = metric.spec
    return (
        spec is not None and spec.interval == "logit" and metric.params.get("max_fpr") in (None, 1)
    )


def is_share(metric: Metric, reading: Reading) -> bool:
    """Whether the metric is a number of rows among some rows."""
    spec = metric.spec
    if spec is None or spec.interval != "wilson":
        return False
    if isinstance(reading, MomentReading):
        return True
    average = metric.params.get("average", "binary")
    return isinstance(reading, TableReading) and average in ("binary", None)


def methods_of(metric: Metric, reading: Reading) -> tuple[str, ...]:
    """The methods that apply, the preferred one first."""
    spec = metric.spec
    own: tuple[str, ...] = ()
    if spec is None:
        own = ()
    elif spec.interval == "largest" and isinstance(reading, TableReading):
        own = ("wilson",)
    elif is_share(metric, reading):
        of_rows = isinstance(reading, MomentReading)
        own = PROPORTION_METHODS if of_rows else (*PROPORTION_METHODS, "delta")
    elif isinstance(reading, TableReading):
        n_finite = np.isfinite(spec.bounds).sum()
        own = (("delta",), ("log", "delta"), ("wilson", "delta"))[n_finite]
    elif isinstance(reading, MomentReading) and reading.rows.shape[1] == 1:
        own = MEAN_METHODS
    elif is_area(metric):
        own = ("logit", "delong")
    if spec is None or spec.interval == "biased":  # the only one that corrects for a bias
        own = (*own, "bca")
    return tuple(dict.fromkeys((*own, *BOOTSTRAP_METHODS)))


def interval_of(
    metric: Metric, reading: Reading, method: str, level: float, plan: DrawPlan
) -> Bounds:
    """The interval of a reading by a method that applies to it."""
    if method in BOOTSTRAP_METHODS:
        return bounds_of_draws(metric, reading, resample(reading, plan), method, level)
    bounds = _bounds_of(metric)
    if isinstance(reading, TableReading):
        return _by_table(metric, reading, method, level, bounds)
    assert isinstance(reading, MomentReading)
    return _by_moments(reading, method, level, bounds)


def _bounds_of(metric: Metric) -> tuple[float, float]:
    return _NO_BOUNDS if metric.spec is None else metric.spec.bounds


# --------------------------------------------------------------------------- by kind


def _by_table(
    metric: Metric, reading: TableReading, method: str, level: float, bounds: tuple[float, float]
) -> Bounds:
    units, value = reading.units, np.asarray(reading.value, dtype=np.float64)
    parts = delta.contributions(reading)
    if metric.spec is not None and metric.spec.interval == "largest":
        return _largest_class(reading, parts, level)
    table = reading.tables(units.rows)
    # As many equal rows as these weigh.
    spread = delta.TableSpread(
        reading.on_tables,
        table * (parts.rows / table.sum()),
        value,
        parts.variance,
        parts.freedom,
        exact=units.weight is None and units.group is None,
        grouped=units.group is not None,
    )
    share = is_share(metric, reading)
    low, high = delta.bounds_by(method, spread, bounds, level, share=share)
    notes = np.full(value.shape, "", dtype=object)
    if share and method != "delta":
        rows = delta.worth(spread, bounds, prior=None)
        notes[rows < FEW_ROWS] = "very few rows: the interval may miss its level"
    else:
        notes[...] = _rare_class(reading)
        notes[np.isinf(value)] = "infinite: the other bound is after a row more in each class"
        if method == "delta":
            notes[parts.variance == 0] = "the interval has no width"
    return Bounds(value, low, high, np.sqrt(parts.variance), notes)


def _largest_class(reading: TableReading, parts: delta.Contributions, level: float) -> Bounds:
    """Bounds of the share of the largest class, which may be another one than it seems.

    It is not above the greatest upper bound, nor below any lower bound; those of all classes are
    made to hold together (Bonferroni).
    """
    rows = reading.tables(reading.units.rows).sum(axis=-1)
    counts, total = rows * (parts.rows / rows.sum()), np.full(len(rows), parts.rows)
    present = counts[counts > 0]
    _, high = proportion_bounds(counts, total, "wilson", level)
    low, _ = proportion_bounds(counts, total, "wilson", 1 - (1 - level) / len(present))
    value = np.asarray(reading.value, dtype=np.float64)
    largest = np.count_nonzero(high > low.max())
    note = f"any of {largest} classes may be the largest: the interval is a wide one"
    notes = np.asarray(note if largest > 1 else "", dtype=object)
    return Bounds(value, low.max(), high.max(), np.sqrt(parts.variance), notes)


def _rare_class(reading: TableReading) -> str:
    """What to tell of the class with the fewest rows."""
    units, n_classes = reading.units, len(reading.classes)
    rows = np.bincount(reading.cell // n_classes, weights=units.rows, minlength=n_classes)
    seen = rows[rows > 0]
    if seen.min() >= FEW_ROWS:
        return ""
    rarest = reading.classes[np.where(rows > 0, rows, np.inf).argmin()]
    return f"{seen.min():g} rows of class {rarest} are few: the interval may miss its level"


def _by_moments(
    reading: MomentReading, method: str, level: float, bounds: tuple[float, float]
) -> Bounds:
    """Mean of what is measured on each row."""
    units, value = reading.units, np.asarray(reading.value, dtype=np.float64)
    weight = np.ones(len(units)) if units.weight is None else units.weight
    parts = weight * (reading.rows[:, 0] - value) / (weight * units.rows).sum()
    n_rows = float(units.rows.sum())
    if units.group is None:
        variance, cubes = (units.rows * parts**2).sum(), (units.rows * parts**3).sum()
    else:
        sums = delta.group_sums(parts * units.rows, units.group)
        n_rows, variance, cubes = float(len(sums)), (sums**2).sum(), (sums**3).sum()
    skewness = np.nan_to_num(divide(cubes, variance**1.5))
    note = ""
    if method in MEAN_METHODS:
        variance = variance * divide(n_rows, n_rows - 1)
        z = delta.quantile(level, None if method == "normal" else np.asarray(n_rows - 1))
        low, high = delta.wald_bounds(value, variance, _NO_BOUNDS, z)
        if method == "edgeworth":
            shift = np.sqrt(variance) * skewness * (1 + 2 * z * z) / 6
            low, high = np.minimum(low + shift, value), np.maximum(high + shift, value)
        low, high = np.clip(low, *bounds), np.clip(high, *bounds)
        if variance == 0:
            note = "every row has the same loss: the interval has no width"
    else:
        mass = weight * units.rows
        rows = divide(value * (1 - value), variance)
        if not (np.isfinite(rows) and rows > 0):
            rows = np.asarray(min(mass.sum() ** 2 / (mass * weight).sum(), n_rows))
        if units.group is not None:
            freedom = np.asarray(n_rows - 1)
            rows = rows * (normal_quantile(level) / delta.quantile(level, freedom)) ** 2
        low, high = proportion_bounds(value * rows, rows, method, level)
    return Bounds(value, low, high, np.sqrt(variance), np.asarray(note, dtype=object))


def bounds_of_draws(
    metric: Metric,
    reading: Reading,
    values: Array,
    method: str,
    level: float,
    skewness: Array | None = None,
) -> Bounds:
    """The interval from the values (B, ...) of draws, with what makes it doubtful."""
    value, bounds = np.asarray(reading.value, dtype=np.float64), _bounds_of(metric)
    low, high = bootstrap_bounds(reading, values, method, level, bounds, skewness)
    defined = (~np.isnan(values)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        mean = divide(np.nansum(values, axis=0), defined)
        squares = np.nansum((values - mean) ** 2, axis=0)
        error = np.sqrt(divide(squares, np.where(defined > 1, defined - 1, 0)))
        error = np.where(np.isfinite(error), error, np.nan)
    notes = np.full(value.shape, "", dtype=object)
    if metric.spec is not None and metric.spec.interval == "biased":
        notes[...] = "too large on average in samples: the interval may miss its level"
    rare = fewest_rows(reading)
    if rare < FEW_TO_DRAW:
        notes[...] = f"{rare:g} rows or groups of the rarest class are few to draw from"
    inside = _rows_in_range(metric, reading)
    if inside < FEW_TO_DRAW <= rare:
        notes[...] = f"{inside:g} rows of a class in the range of rates are few to draw from"
    for place in np.ndindex(value.shape):
        column = values[(slice(None), *place)]
        n_values = len(np.unique(column[~np.isnan(column)]))
        if not notes[place] and n_values < FEW_VALUES <= len(values):
            notes[place] = f"draws have {n_values} values only: the interval may miss its level"
        if defined[place] < len(values):
            undefined = len(values) - defined[place]
            notes[place] = f"undefined in {undefined} of {len(values)} draws"
    still = (low == high) & np.isfinite(value)
    if still.any():
        low, high = _without_spread(reading, value, low, high, level, bounds)
        notes[still] = "all draws have this value: bounds of a share of the rarest class"
    return Bounds(value, low, high, error, notes)


def _rows_in_range(metric: Metric, reading: Reading) -> float:
    """Rows of one class that a partial area goes over; infinite for any other metric."""
    units, about = reading.units, metric.params
    if metric.spec is None or units.stratum is None:
        return np.inf
    rows = np.bincount(units.stratum, weights=units.rows)
    n_pos, n_neg = (rows[1], rows[0]) if len(rows) == 2 else (rows.min(), rows.sum() - rows.max())
    inside = np.inf
    for name, total in (("fpr_range", n_neg), ("max_fpr", n_neg), ("tpr_range", n_pos)):
        if about.get(name) is not None:
            low, high = np.append(0.0, about[name])[-2:]
            inside = total * float(high - low)
    return inside


def _without_spread(
    reading: Reading,
    value: Array,
    low: Array,
    high: Array,
    level: float,
    bounds: tuple[float, float],
) -> tuple[Array, Array]:
    """Bounds where all draws are alike: Wilson's, as if the value were a share of few rows."""
    rows = fewest_rows(reading)
    start, width = bounds[0], bounds[1] - bounds[0]
    if not np.isfinite(width):
        return low, high
    share = np.clip((value - start) / width, 0.0, 1.0)
    down, up = proportion_bounds(share * rows, np.full(share.shape, rows), "wilson", level)
    still = low == high
    return np.where(still, start + width * down, low), np.where(still, start + width * up, high)
