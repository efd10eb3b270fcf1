"""Delta method: the spread of a metric of labels from its gradient on the confusion table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.inference.draws.readings import TableReading
from skmetrics_ext.inference.influence.derivatives import (
    ReadTables,
    value_and_gradient,
)
from skmetrics_ext.inference.influence.scales import delta_bounds, quantile
from skmetrics_ext.inference.influence.spread import Contributions, over_classes
from skmetrics_ext.inference.proportions import Bounds, normal_quantile, proportion_bounds
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.tallies.counts import table_of

# Rows added to each class, lest one without an error in a few rows counts as sure.
_PRIOR = 1.0
_TINY = 1e-6
_NOTHING = 1e-9  # of what the row that adds most adds: less is rounding


def multinomial_variance(tables: Array, slope: Array) -> Array:
    """Variance of a metric (..., *S) of tables of independent rows from its gradient."""
    return np.asarray(_squares(tables, slope)[0].sum(axis=(-1, -2)))


def _squares(tables: Array, slope: Array) -> tuple[Array, Array]:
    """Squares of what rows add to a metric (..., *S), summed in each cell, and the tables."""
    cells = tables.reshape(
        *tables.shape[:-2], *(1,) * (slope.ndim - tables.ndim), *tables.shape[-2:]
    )
    mean = divide((cells * slope).sum(axis=(-1, -2)), cells.sum(axis=(-1, -2)))
    return cells * (slope - mean[..., None, None]) ** 2, cells


def freedom_of(squares: Array, rows: Array) -> Array:
    """Degrees of freedom of a variance that is a sum over cells (..., K, K), by Satterthwaite.

    The lesser of those by true and by predicted class: a rare one has few rows to tell it. All
    rows but one where nothing spreads.
    """
    _, of_true = over_classes(squares.sum(axis=-1), rows.sum(axis=-1))
    _, of_pred = over_classes(squares.sum(axis=-2), rows.sum(axis=-2))
    return np.asarray(np.fmin(of_true, of_pred))


# How a metric tells a share of rows: the share of it, the derivative of that, and the way back.
Scale = tuple[Callable[[Array], Array], Callable[[Array], Array], Callable[[Array], Array]]
SHARES: dict[str, Scale | None] = {
    "wilson": None,  # it is one
    "dice": (lambda f: f / (2 - f), lambda f: 2 / (2 - f) ** 2, lambda j: 2 * j / (1 + j)),
}


class TableSpread(NamedTuple):
    """A metric of tables with its variance and degrees of freedom, (...), by Satterthwaite.

    ``tables`` hold as many equal rows as theirs weigh (Kish), or groups where these are fewer.
    ``exact``: rows were counted, not weighed. ``grouped``: the freedom is that of groups or strata.
    ``is_told``: the rows make the value, and not what 0/0 stands for. ``groups``: as many equal
    ones as those are worth that decide it.
    """

    read: ReadTables
    tables: Array
    value: Array
    variance: Array
    freedom: Array
    exact: bool = True
    grouped: bool = False
    is_told: Array | bool = True
    groups: Array | float = np.inf

    @classmethod
    def of_tables(cls, read: ReadTables, tables: Array, value: Any = None) -> TableSpread:
        """Of tables (..., K, K) of independent rows."""
        squares, cells = _squares(tables, value_and_gradient(read, tables)[1])
        variance, freedom = squares.sum(axis=(-1, -2)), freedom_of(squares, cells)
        value = np.asarray(read(tables) if value is None else value, dtype=np.float64)
        return cls(read, tables, value, variance, freedom)

    @classmethod
    def of_reading(cls, reading: TableReading) -> TableSpread:
        """Of rows that may have weights or depend on those of their group."""
        weight, group, _, stratum = reading.facts
        is_plain = group is None and stratum is None
        if weight is None and is_plain:
            found = cls.of_tables(reading.read, table_of(reading.data), reading.value)
            return found._replace(is_told=_is_told(reading))
        added = Contributions.of(reading)
        assert added is not None
        spread, units = added.spread(), reading.units
        mass = units.mass(units.rows)
        rows = float(mass.sum() ** 2 / (mass * mass / units.rows).sum())
        # Rows are as many as they are, of which a table of equal ones keeps the variance.
        variance = added.squares() if is_plain else spread.variance
        if group is not None:
            rows = min(rows, float(group.max() + 1))
        table = reading.tables(units.rows)
        value, table = np.asarray(reading.value, np.float64), table * (rows / table.sum())
        worth: Array | float = np.inf
        if group is not None:
            sizes = np.abs(added.parts)
            worth = units.groups_worth(sizes > _NOTHING * sizes.max(axis=-1, keepdims=True))
        about = spread.freedom, False, not is_plain, _is_told(reading), worth
        return cls(reading.read, table, value, variance, *about)

    def as_share(self, kind: str) -> TableSpread:
        """Of the share of rows that the metric grows with."""
        scale = SHARES[kind]
        if scale is None:
            return self
        to, slope, _ = scale
        read, variance = self.read, self.variance * slope(self.value) ** 2
        return self._replace(
            read=lambda tables: to(read(tables)), value=to(self.value), variance=variance
        )


def _is_told(reading: TableReading) -> Array | bool:
    """Whether a table of one class, where no smoothing can show it, tells the metric."""
    if len(reading.classes) > 1 or not reading.metric.takes("zero_division"):
        return True
    table = reading.tables(reading.units.rows)
    tally = ConfusionTally(reading.classes, table, reading.data.ordered)
    return ~np.isnan(reading.metric.with_params(zero_division=np.nan).read(tally))


# --------------------------------------------------------------------------- bounds


def wilson_bounds(share: Array, rows: Array, z: Array) -> Bounds:
    """Wilson's interval of shares of any number of rows, by any quantile."""
    centre = (share * rows + z * z / 2) / (rows + z * z)
    away = z * np.sqrt(rows * share * (1 - share) + z * z / 4) / (rows + z * z)
    return np.clip(centre - away, 0.0, share), np.clip(centre + away, share, 1.0)


def smoothed(read: ReadTables, tables: Array, prior: float) -> tuple[Array, Array]:
    """Value and variance after ``prior`` rows are added to each class, all predictions alike."""
    added = tables + prior / tables.shape[-1]
    value, slope = value_and_gradient(read, added)
    return value, multinomial_variance(added, slope)


def worth(spread: TableSpread, bounds: tuple[float, float], prior: float | None = _PRIOR) -> Array:
    """Rows of which a share would have the variance of a metric between two finite bounds.

    They are the effective sample size of Korn & Graubard (1998); of a proportion, its denominator.
    A class without an error in its few rows shows no spread, so they are at most those that
    ``prior`` more rows in each class leave; and where nothing spreads at all, those of next to
    nothing more.
    """
    low, width = bounds[0], bounds[1] - bounds[0]

    def rows_of(value: Array, variance: Array) -> Array:
        share = np.clip((value - low) / width, 0.0, 1.0)
        return divide(share * (1 - share) * width**2, variance)

    rows = rows_of(spread.value, spread.variance)
    usable = np.isfinite(rows) & (rows > 0)
    if prior is not None:
        rows = np.fmin(rows, rows_of(*smoothed(spread.read, spread.tables, prior)))
    if usable.all():
        return rows
    least = rows_of(*smoothed(spread.read, spread.tables, _TINY))
    rows = np.where(usable, rows, least)
    # A table of one class, or a metric that no row changes: a share of the rarest class.
    classes = spread.tables.sum(axis=-1)
    rarest = np.where(classes > 0, classes, np.inf).min(axis=-1)
    rarest = rarest.reshape(rarest.shape + (1,) * (rows.ndim - rarest.ndim))
    inside = (bounds[0] < spread.value) & (spread.value < bounds[1])
    rows = np.where((spread.variance == 0) & inside, np.fmin(rows, rarest), rows)
    told = np.isfinite(rows) & (rows > 0) | np.isnan(spread.value)
    return np.where(told, rows, np.where(spread.is_told, rarest, 0.0))


def bounds_by(
    method: str, spread: TableSpread, bounds: tuple[float, float], level: float, *, share: str = ""
) -> Bounds:
    """Bounds of a metric of labels by one of its methods; ``share`` says how it is one."""
    if method == "delta":
        z = quantile(level, spread.freedom if spread.grouped else None)
        low, high = delta_bounds(spread.value, np.sqrt(spread.variance), z, bounds)
        if not np.isinf(spread.value).any():
            return low, high
        # The bound that is not infinite is that after a row is added to each class.
        value, variance = smoothed(spread.read, spread.tables, _PRIOR)
        near = delta_bounds(value, np.sqrt(variance), z, bounds)
        rises, falls = spread.value == np.inf, spread.value == -np.inf
        low = np.where(rises, near[0], np.where(falls, spread.value, low))
        return low, np.where(falls, near[1], np.where(rises, spread.value, high))
    if share:
        low, high = share_bounds(method, spread.as_share(share), bounds, level)
        scale = SHARES[share]
        return (low, high) if scale is None else (scale[2](low), scale[2](high))
    z = quantile(level, spread.freedom)
    if method == "log":
        return log_bounds(spread, bounds, z)
    return score_bounds(spread, bounds, z)


def share_bounds(
    method: str, spread: TableSpread, bounds: tuple[float, float], level: float
) -> Bounds:
    """Bounds of a proportion by a method of `proportion_interval`."""
    rows = worth(spread, bounds, prior=None)
    if spread.exact:
        rows = np.where(np.abs(rows - np.rint(rows)) < 1e-3, np.rint(rows), rows)
    elif spread.grouped:  # as many as a t quantile is worth
        rows = rows * (normal_quantile(level) / quantile(level, spread.freedom)) ** 2
    return proportion_bounds(spread.value * rows, np.nan_to_num(rows), method, level)


def score_bounds(spread: TableSpread, bounds: tuple[float, float], z: Array) -> Bounds:
    """Bounds of a metric between two finite ones: Wilson's, of as many rows as it is worth."""
    rows = worth(spread, bounds, None if spread.grouped else _PRIOR)
    low, width = bounds[0], bounds[1] - bounds[0]
    down, up = wilson_bounds(np.clip((spread.value - low) / width, 0.0, 1.0), rows, z)
    return np.minimum(low + width * down, spread.value), np.maximum(low + width * up, spread.value)


def log_bounds(spread: TableSpread, bounds: tuple[float, float], z: Array) -> Bounds:
    """Bounds of a metric with one finite bound, on the scale of the log of its distance from it.

    Where the distance is 0 or infinite the other bound is that after a row is added to each class
    (half a row to each cell of two classes: Haldane 1956). Nor is the spread of the log taken as
    less than it is then, for a class without an error in its few rows shows none.
    """
    falls = not np.isfinite(bounds[0])
    start = bounds[1] if falls else bounds[0]

    def away(value: Array, variance: Array) -> tuple[Array, Array]:
        """Distance, and the standard error of its log."""
        distance = np.abs(value - start)
        with np.errstate(invalid="ignore"):
            return distance, divide(np.sqrt(variance), distance)

    distance, error = away(spread.value, spread.variance)
    inner = np.isfinite(distance) & (distance > 0)
    added, least = away(*smoothed(spread.read, spread.tables, _PRIOR))
    least = np.where(added == 0, 0.0, least)
    if not spread.grouped:
        error = np.fmax(error, least)
    with np.errstate(over="ignore", invalid="ignore"):
        factor, more = np.exp(z * error), np.exp(z * least)
        near = np.where(inner, distance / factor, np.where(distance == 0, 0.0, added / more))
        far = np.where(inner, distance * factor, np.where(distance == 0, added * more, np.inf))
    near, far = (np.where(np.isnan(distance), np.nan, bound) for bound in (near, far))
    return (start - far, start - near) if falls else (start + near, start + far)
