"""What each row adds to the error of a metric, and the variances that follow from it.

The contribution of a row is its weight times the derivative of the metric by it: contributions
sum to 0, and the metric of another sample would differ by about the sum of its own. Their squares
make the variance (Hampel 1974, JASA 69(346), 383-393; of areas, DeLong, DeLong & Clarke-Pearson
1988, Biometrics 44(3), 837-845); the squares of their sums over groups that of dependent rows
(Obuchowski 1997, Biometrics 53(2), 567-578). Of a sample of several strata they are taken about
the mean of their stratum (Woodruff 1971, JASA 66(334), 411-414; Lohr 2022, Sampling).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.inference.draws.rankings import RankReading
from skmetrics_ext.inference.draws.readings import (
    MomentReading,
    Reading,
    TableReading,
    TallyReading,
)
from skmetrics_ext.inference.draws.units import Units, cell_sums
from skmetrics_ext.inference.influence.slopes import of_means, ranking_slope, slopes
from skmetrics_ext.inference.influence.strata import about_strata, scale_of
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import RankTally

_LEAST = 0.5  # degrees of freedom of a class of one row
_AT_ONCE = 1 << 20  # numbers that are held at once
_ROUNDING = 1e-12  # of what rows of a group add in size: sums within it are 0


class Spread(NamedTuple):
    """Variance of a metric, its degrees of freedom, and how many rows (or groups) decide it.

    ``effective`` is the number of equal contributions with the same ratio of fourth to squared
    second moments: few of many mean that the data tell the variance badly. ``skewness`` is the
    third moment in standard deviations.
    """

    variance: Array
    freedom: Array
    effective: Array
    skewness: Array

    @classmethod
    def of(cls, reading: Reading) -> Spread | None:
        """Of a metric of some rows; None where it has no derivative."""
        none = (0, 0, 0, 0)
        about = reading.facts if isinstance(reading, TallyReading) else none
        weight, group, sizes, stratum = about
        if weight is None and group is None and stratum is None:  # the slope is enough
            if isinstance(reading, MomentReading) and sizes is None:
                rows = np.ones((1, len(reading.measured)))
                return cls.of_cells(of_means(reading)[None], rows)
            if isinstance(reading, RankReading) and reading.data.kind == "binary":
                slope = ranking_slope(reading)
                if slope is not None:
                    # The rows were counted by class and score: units would be these again.
                    tally = RankTally.of_class(reading.data)
                    return cls.of_cells(slope(tally), tally.mass)
        found = Contributions.of(reading)
        return None if found is None else found.spread()

    @classmethod
    def of_cells(cls, parts: Array, rows: Array) -> Spread:
        """Of so many rows of each class (C, ...) with these contributions."""
        seen, added = rows.sum(axis=-1), rows * parts**2
        squares = added.sum(axis=-1)
        cubes, fourth = (added * parts).sum(), (added * parts**2).sum()
        shape = _shape(squares.sum(), cubes, fourth, seen.sum())
        return cls(*over_classes(squares, seen), *shape)


@dataclass(frozen=True, eq=False, slots=True)
class Contributions:
    """What rows add to a metric.

    Parameters
    ----------
    parts : ndarray of shape (*S, U)
        Of one row of each unit.
    units : Units
        Rows that are alike, with their numbers and groups.
    classes : tuple of ndarray of shape (U,) or (S, U)
        Ways to tell classes of units. A class of m rows, or groups, has m - 1 degrees of freedom:
        the variance is that of the first way, its freedom that of the one that leaves least.
    """

    parts: Array
    units: Units
    classes: tuple[Array, ...]

    @classmethod
    def of(cls, reading: Reading) -> Contributions | None:
        """Of a metric of some rows, worked out once; None where it has no derivative."""
        if "contributions" not in reading.kept:
            reading.kept["contributions"] = cls._of(reading)
        found: Contributions | None = reading.kept["contributions"]
        return found

    @classmethod
    def _of(cls, reading: Reading) -> Contributions | None:
        slope = slopes(reading)
        if slope is None:
            return None
        units = reading.units
        weight = np.ones(len(units)) if units.weight is None else units.weight
        mass = weight * units.rows
        # They sum to 0 but for rounding, and for the steps of what is read at a point.
        mean = np.einsum("...u,u->...", slope, mass) / mass.sum()
        return cls(weight * (slope - mean[..., None]), units, _classes(reading))

    @classmethod
    def over_folds(cls, folds: Sequence[Contributions], units: Units) -> Contributions:
        """Of the mean of a metric over folds, whose rows are these units one after the other.

        The classes of each fold have degrees of freedom of their own: its value is centred there.
        """
        parts = np.concatenate([fold.of_rows() for fold in folds]) / len(folds)
        of_fold = np.repeat(np.arange(len(folds)), [len(fold.units.of_row) for fold in folds])
        told = []
        for ways in zip(*(fold.classes for fold in folds), strict=True):
            both = zip(ways, folds, strict=True)
            labels = np.concatenate([way[fold.units.of_row] for way, fold in both])
            told.append(of_fold * (int(labels.max()) + 1) + labels)
        return cls(parts, units, tuple(told))

    def of_rows(self) -> Array:
        """Contribution of each row, (*S, n)."""
        return np.asarray(self.parts[..., self.units.of_row])

    def on(self, units: Units) -> Contributions:
        """The same, every row for itself."""
        classes = tuple(one[..., self.units.of_row] for one in self.classes)
        return Contributions(self.of_rows(), units, classes)

    def per(self, unit: float) -> Contributions:
        """Of the metric in other units."""
        return self if unit == 1.0 else replace(self, parts=divide(self.parts, unit))

    def minus(self, other: Contributions) -> Contributions:
        """Of the difference of two metrics of the same units."""
        classes = (*self.classes, *other.classes[1:])  # what either predicts
        return Contributions(self.parts - other.parts, self.units, classes)

    def spread(self) -> Spread:
        """Variance and degrees of freedom of the metric, and the shape of what rows add."""
        first, *others = self.classes
        variance, freedom = _spread(self.parts, self.units, first)
        for label in others:
            freedom = np.fmin(freedom, _spread(self.parts, self.units, label)[1])
        each, rows = self._independent()
        added = rows * each**2
        squares, cubes = added.sum(axis=-1), (added * each).sum(axis=-1)
        shape = _shape(squares, cubes, (added * each**2).sum(axis=-1), rows.sum())
        return Spread(variance, freedom, *shape)

    def design_effect(self) -> Array:
        """The variance, in those of the same rows if they were independent (Kish 1965)."""
        apart = replace(self, units=replace(self.units, group=None, stratum=None))
        return divide(self.spread().variance, apart.spread().variance)

    def squares(self) -> Array:
        """Sum of the squares of what each row adds, or each group."""
        each, rows = self._independent()
        return np.asarray((rows * each**2).sum(axis=-1))

    def _independent(self) -> tuple[Array, Array]:
        """What rows add to the mean of their stratum, or groups, and how many of them add it."""
        units = self.units
        parts = about_strata(self.parts, units)
        if units.group is None:
            return parts, units.rows
        sums = cell_sums(parts * units.rows, units.group, units.n_groups)
        return sums, np.ones(sums.shape[-1])


def _shape(squares: Array, cubes: Array, fourth: Array, n_rows: Any) -> tuple[Array, Array]:
    """How many equal contributions have the same fourth moment, and the skewness of all."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return squares**2 / fourth, np.nan_to_num(cubes * np.sqrt(n_rows) / squares**1.5)


def _classes(reading: Reading) -> tuple[Array, ...]:
    """Classes of units that have degrees of freedom of their own."""
    one = np.zeros(len(reading.units), dtype=np.int64)
    if isinstance(reading, TableReading):
        return one, *np.divmod(reading.cell, len(reading.classes))
    if isinstance(reading, MomentReading) or reading.units.label is None:
        return (one,)
    if np.ndim(reading.value) == 1 and isinstance(reading, RankReading):
        # Each class against the rest, of which the others are one class.
        return (reading.data.marks()[reading.units.first].T.astype(np.int64),)
    return (reading.units.label,)


def _spread(parts: Array, units: Units, label: Array) -> tuple[Array, Array]:
    """Variance and degrees of freedom (*S)."""
    if label.ndim == 2:
        of_each = [_spread(one, units, own) for one, own in zip(parts, label, strict=True)]
        variance, freedom = np.array(of_each).T
        return variance, freedom
    n_classes = int(label.max()) + 1
    lost, scale, parts = units.lost(label, n_classes), scale_of(units), about_strata(parts, units)
    if units.group is None:
        each, of_class = units.rows * parts**2, label
        seen = np.bincount(label, weights=units.rows, minlength=n_classes)
        scaled = None if scale is None else cell_sums(each * scale, of_class, n_classes)
        return over_classes(cell_sums(each, of_class, n_classes), seen, lost, scaled)
    n_groups, added = units.n_groups, parts * units.rows
    held, cell = np.unique(units.group * n_classes + label, return_inverse=True)
    of_group, of_class = np.divmod(held, n_classes)
    each = cell_sums(added, cell, len(held)) ** 2
    seen = np.bincount(of_class, minlength=n_classes)
    scaled = None if scale is None else cell_sums(each * scale[of_group], of_class, n_classes)
    within, freedom = over_classes(cell_sums(each, of_class, n_classes), seen, lost, scaled)
    # Two classes of one group: the degrees of freedom are those of all groups.
    between = cell_sums(added, units.group, n_groups) ** 2 - cell_sums(each, of_group, n_groups)
    scale = divide(n_groups, n_groups - 1.0) if scale is None else scale
    variance = within + (between * scale).sum(axis=-1)
    sizes = cell_sums(np.abs(parts) * units.rows, units.group, n_groups)
    agree = variance <= _ROUNDING**2 * (sizes**2).sum(axis=-1)
    return np.where(agree, 0.0, variance), freedom


def over_classes(
    squares: Array, seen: Array, lost: Array | float = 1.0, scaled: Array | None = None
) -> tuple[Array, Array]:
    """Variance of classes (..., K) of so many rows, and its freedom (Satterthwaite 1946).

    nan where a class has one row, which is as free as half of one. ``scaled`` are the squares of
    the rows of strata, each by what its mean has taken from them; then a class has ``lost`` more.
    """
    own = squares * seen / np.maximum(seen - 1.0, _LEAST)
    own = own if scaled is None else np.maximum(own, scaled)
    least = np.maximum(seen - lost, _LEAST)
    freedom = divide(own.sum(axis=-1) ** 2, (own**2 / least).sum(axis=-1))
    freedom = np.where(np.isnan(freedom), seen.sum(axis=-1) - 1.0, freedom)
    variance = np.where(seen == 1, np.nan, own).sum(axis=-1)
    return variance, np.maximum(freedom, 1.0)


def covariance_of(added: Sequence[Contributions], units: Units) -> Array:
    """Covariance (p, p) of metrics of the same rows, which are these units."""
    if not units.is_plain:
        drawn = [one.on(units)._independent() for one in added]
        whole = np.stack([each for each, _ in drawn])
        return np.asarray((whole * drawn[0][1]) @ whole.T)
    found = np.zeros((len(added), len(added)))
    size = max(_AT_ONCE // len(added), 1)
    for start in range(0, len(units), size):
        rows = slice(start, start + size)
        part = np.stack([one.parts[one.units.of_row[rows]] for one in added])
        found += (part * units.rows[rows]) @ part.T
    return found


def joint_spread(models: Sequence[Contributions]) -> tuple[Array, dict[tuple[int, int], Spread]]:
    """Covariance (p, p) of a metric of several models of the same units, and their differences.

    The covariance of two is what the variance of their difference lacks of those of both. A
    difference is under its models, the later one first.
    """
    found, apart = np.diag([float(one.spread().variance) for one in models]), {}
    for i, first in enumerate(models):
        for j, second in enumerate(models[:i]):
            apart[i, j] = first.minus(second).spread()
            found[i, j] = (found[i, i] + found[j, j] - float(apart[i, j].variance)) / 2
            found[j, i] = found[i, j]
    return found, apart
