"""Delta method for two models: the variance of a difference from what each row adds to it."""

from __future__ import annotations

import numpy as np

from skmetrics_ext.inference.draws.pairs import PairReading
from skmetrics_ext.inference.draws.readings import MomentReading, TableReading
from skmetrics_ext.inference.influence.tables import gradient, group_sums
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import Means

_STEP = 1e-60  # imaginary: its square is lost, so the derivative is exact


def is_smooth(pair: PairReading) -> bool:
    """Whether the metric has a gradient on what is counted or averaged."""
    return isinstance(pair.both, TableReading | MomentReading)


def paired_delta(pair: PairReading) -> tuple[float, float]:
    """Variance of the difference, and its degrees of freedom.

    The contribution of a row to a metric is its weight times the gradient at what it adds. Of
    n rows, or groups, n - 1 are free; a metric of a table has those of Satterthwaite over the
    true classes, of which a small one tells little.
    """
    units = pair.units
    parts = _contributions(pair, 0) - _contributions(pair, 1)
    if units.group is not None:
        sums = group_sums(parts * units.rows, units.group)
        n_groups = len(sums)
        return float((sums**2).sum() * divide(n_groups, n_groups - 1.0)), n_groups - 1.0
    squares, n_rows = units.rows * parts**2, int(units.rows.sum())
    variance = float(squares.sum() * divide(n_rows, n_rows - 1.0))
    if units.stratum is None or isinstance(pair.both, MomentReading):
        return variance, n_rows - 1.0
    own = np.bincount(units.stratum, weights=squares)
    seen = np.bincount(units.stratum, weights=units.rows)
    spent = divide(own**2, np.maximum(seen - 1, 0.5)).sum()
    return variance, max(float(divide(own.sum() ** 2, spent)), 1.0)


def _contributions(pair: PairReading, which: int) -> Array:
    """Contribution of a row of each unit to the metric of one model, (U,)."""
    both, units = pair.both, pair.units
    index = pair.of_models[which]
    counts = pair.scatters[which](units.rows)
    if isinstance(both, TableReading):
        slope = gradient(both.read, both.tables(counts)).reshape(-1)[both.cell[index]]
    else:
        assert isinstance(both, MomentReading)
        slope = _slope_of_means(both, counts)[index]
    weight = 1.0 if both.units.weight is None else both.units.weight[index]
    mass = weight * units.rows
    return np.asarray(weight * (slope - (mass * slope).sum() / mass.sum()) / _scale(both, mass))


def _scale(both: TableReading | MomentReading, mass: Array) -> float:
    """Tables hold sums of weights, moments means of them."""
    return 1.0 if isinstance(both, TableReading) else float(mass.sum())


def _slope_of_means(both: MomentReading, counts: Array) -> Array:
    """Gradient of the kernel along the values of each unit, (U,)."""
    mass = both.units.mass(counts)
    total = mass.sum()
    means = np.einsum("u,ud->d", mass, both.measured) / total
    moved = means + 1j * _STEP * np.eye(len(means))
    values = both.metric.read(Means(np.full(len(means), total), moved))
    return np.asarray(np.einsum("ud,d->u", both.measured, values.imag / _STEP))
