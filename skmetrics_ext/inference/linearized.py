"""Linearized statistics: a metric's value together with what each row contributes to it.

The contribution of a row is its weight times the derivative of the metric by that weight, centred:
contributions sum to 0, and on another sample the metric would differ by about the sum of the
contributions of its rows. The sum of their squares estimates the variance (Hampel 1974, JASA
69(346), 383-393; Deville 1999, Survey Methodology 25(2), 193-203; for areas DeLong, DeLong &
Clarke-Pearson 1988, Biometrics 44(3), 837-845). For dependent rows it is the sum of squares of
their sums over groups (Obuchowski 1997, Biometrics 53(2), 567-578). In a stratified sample
contributions are centred within strata (Woodruff 1971, JASA 66(334), 411-414).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.inference.draws.atoms import Atoms, RowDesign, cell_sums, joined_codes
from skmetrics_ext.inference.draws.samples import FoldMean, Sample
from skmetrics_ext.inference.notes import ROUNDING
from skmetrics_ext.metrics.averaging import MACRO
from skmetrics_ext.metrics.spec import NEVER
from skmetrics_ext.numeric import Array, difference_of, divide, satterthwaite

Range = tuple[float, float]
Pair = tuple["Linearized", "Linearized"]
Way = Array | None  # codes of classes of atoms, (U,) or (S, U); None for one class of all rows

LEAST_FREEDOM = 0.5  # degrees of freedom of a class of one row
_COUNTED = "; zero_division=0 counts it as 0, with bounds that allow for any value"
_JOINT = 1 << 14  # so many joint atoms of two models are always counted without sorting
_AT_ONCE = 1 << 17  # contributions to differences that are held at once, to stay in the cache


class Contributions(NamedTuple):
    """Contributions of rows that are known, without the metric of a sample.

    Parameters
    ----------
    parts : ndarray of shape (*S, U)
        Contribution of one row of each atom.
    atoms : Atoms
    ways : tuple of ndarray or None, default=(None,)
        Classes of atoms, in each way by which degrees of freedom are counted. A class of m rows,
        or groups, has m - 1. The first way gives the variance, the way that leaves least gives the
        degrees of freedom.
    of_counts : bool, default=False
        Whether they are those of multinomial tables.
    """

    parts: Array
    atoms: Atoms
    ways: tuple[Way, ...] = (None,)
    of_counts: bool = False


@dataclass(frozen=True, eq=False)
class Linearized:
    """A metric's value and the contribution of each row to it.

    Parameters
    ----------
    value : float or ndarray of shape (*S)
    origin : Sample, sequence of (Linearized, Linearized) or None
        The metric of some rows, which can be read under other counts of rows; both sides of each
        difference; None if only the contributions are known.
    bounds : (float, float)
        Range of the metric.
    log : bool
        Whether contributions are to the logarithm of the value.
    known : Contributions, default=None
        Contributions, atoms and ways; by default those of the origin.
    size : float or ndarray of shape (*S), default=0
        Sum of squares of the contributions to both sides of a difference: a variance that is far
        smaller is rounding.
    """

    value: Any
    origin: Any
    bounds: Range = (-np.inf, np.inf)
    log: bool = False
    known: Contributions | None = None
    size: Any = 0.0

    @cached_property
    def atoms(self) -> Atoms:
        """Rows that the metric cannot distinguish."""
        atoms: Atoms = self.origin.atoms if self.known is None else self.known.atoms
        return atoms

    @cached_property
    def ways(self) -> tuple[Way, ...]:
        """Classes of atoms, in each way by which degrees of freedom are counted."""
        ways: tuple[Way, ...] = self.origin.ways() if self.known is None else self.known.ways
        return ways

    @cached_property
    def design(self) -> RowDesign:
        """Weights, groups and strata of the rows."""
        design: RowDesign = (self.origin if self.known is None else self.known.atoms).design
        return design

    @cached_property
    def undefined(self) -> str:
        """Why the metric of a sample is 0/0, also where a convention gives it a number; or ""."""
        if not np.any(self.origin.is_undefined):
            return ""
        metric = self.origin.metric
        why = "" if metric.spec.undefined == NEVER else f": {metric.spec.undefined}"
        is_mean = metric.options.get("average") == MACRO
        return f"undefined{why}{_COUNTED if is_mean and 'zero_division' in metric.options else ''}"

    @property
    def has_influence(self) -> bool:
        """Whether the metric has a derivative by its rows."""
        return self.known is not None or self.origin.kind != "draws"

    @cached_property
    def influence(self) -> Array:
        """Contribution of one row of each atom, (*S, U)."""
        if self.known is not None:
            return self.known.parts
        atoms = self.atoms
        return self._centred(self.origin.slope(), atoms.rows, atoms.weight)

    @cached_property
    def by_row(self) -> tuple[Array, tuple[Way, ...]]:
        """Contribution of each row (*S, n), and the classes of rows in each way."""
        by_row = None if self.known is not None else self.origin.slope_by_row()
        if by_row is None:
            to_rows = self.atoms.to_rows
            ways = tuple(None if way is None else to_rows(way) for way in self.ways)
            return to_rows(self.influence), ways
        slope, label = by_row
        return self._centred(slope, self.design.sizes, self.design.weight), (label,)

    def _centred(self, slope: Array, rows: Array | None, weight: Array | None) -> Array:
        # They sum to 0 up to rounding, and up to the steps of rates that are read at a point.
        if weight is None and (rows is None or rows.strides == (0,)):
            parts = slope - slope.mean(axis=-1, keepdims=True)
        else:
            mass = rows if weight is None else weight if rows is None else weight * rows
            assert mass is not None
            mean = np.einsum("...u,u->...", slope, mass) / mass.sum()
            parts = slope - mean[..., None]
        parts = parts if weight is None else weight * parts
        return divide(parts, float(self.value)) if self.log else np.asarray(parts)

    # ----------------------------------------------------------------------- operations

    @property
    def readings(self) -> list[Linearized]:
        """The statistic at each threshold where it may be read in other samples; itself if smooth.

        There it is a plain share of rows, which has a derivative.
        """
        return self._other_readings or [self]  # not kept, as it would be a cycle

    @cached_property
    def _other_readings(self) -> list[Linearized]:
        readings: list[Linearized] = []
        for share in () if self.known is not None else self.origin.plain_shares:
            parts = self._centred(share.slope, self.atoms.rows, self.atoms.weight)
            known = Contributions(parts, self.atoms, self.ways)
            value = share.value if readings else self.value
            readings.append(replace(self, value=value, known=known))
        return readings

    def as_rows(self) -> Linearized:
        """The statistic with rows as atoms, which differences of many models share."""
        parts, ways = self.by_row
        return replace(self, known=Contributions(parts, self.origin.row_atoms, ways))

    def on_log(self) -> Linearized:
        """The logarithm of the value."""
        known = self.known
        if known is not None:
            known = known._replace(parts=divide(known.parts, float(self.value)))
        return replace(self, log=True, known=known)

    def minus(self, other: Linearized) -> Linearized:
        """The difference of two statistics of the same rows."""
        return _difference([(self, other)])

    # ----------------------------------------------------------------------- variance

    @cached_property
    def variance(self) -> Array:
        """Variance of the value.

        For a multinomial table of independent rows it has no factor n / (n - 1), like the closed
        forms for kappa, F1 and proportions; means, areas, groups and strata have it, like the t
        test and survey estimators.
        """
        from_counts = self.is_of_counts and self.design.is_plain
        return self.squares if from_counts else self._by_first_way[0]

    @property
    def is_of_counts(self) -> bool:
        """Whether contributions are those of a multinomial table, or a share."""
        if self.known is not None and not hasattr(self.origin, "is_compact"):
            return self.known.of_counts
        return bool(self.origin.is_compact or self.origin.share or self.origin.is_heavy)

    @cached_property
    def is_of_cells(self) -> bool:
        """Whether its atoms are the cells of a table of counted rows."""
        return self.known is None and self.origin.is_compact and self.design.is_counted

    @cached_property
    def error(self) -> Array:
        """Standard error of the value."""
        return np.asarray(np.sqrt(self.variance))

    @cached_property
    def freedom(self) -> Array:
        """Degrees of freedom of the variance (Satterthwaite 1946), by the way that leaves least."""
        freedom = self._by_first_way[1]
        if self.squares_by_class is not None:
            return freedom
        for way in self.ways[1:]:
            of_way = _over_classes_of(self._about_strata, self.atoms, way, is_within=True)
            freedom = np.fmin(freedom, of_way[1])
        sample = self.origin[0][0].origin if isinstance(self.origin, list) else self.origin
        if getattr(sample, "is_heavy", False):
            units = self.atoms.n_rows if self.design.group is None else self.atoms.n_groups
            freedom = np.fmin(freedom, divide(2.0, divide(1.0, self.effective) - 1 / units))
        return freedom

    @cached_property
    def _by_first_way(self) -> tuple[Array, Array]:
        """Variance and degrees of freedom by the first way."""
        if self.squares_by_class is not None:
            return over_classes(*self.squares_by_class)
        atoms = self.atoms
        if self.ways[0] is None and atoms.is_plain and atoms.weight is None:
            return over_classes(self.squares[..., None], atoms.rows.sum(axis=-1, keepdims=True))
        return _over_classes_of(self._about_strata, self.atoms, self.ways[0])

    @cached_property
    def squares_by_class(self) -> tuple[Array, Array] | None:
        """Sums of squares of the contributions of rows of each class, and its rows, if known."""
        return None if self.known is not None or self.log else self.origin.squares()

    @cached_property
    def effective(self) -> Array:
        """Number of equal contributions with the same ratio of squared second to fourth moments.

        A small one means that few rows carry the variance.
        """
        return divide(self.squares**2, self._sum_of_powers(4))

    @cached_property
    def sum_of_squares(self) -> float:
        """Sum of the squares of the contributions of all rows, whatever their design."""
        of_cells = self.is_of_cells
        parts, rows = (
            (self.influence, self.atoms.rows) if of_cells else (self.by_row[0], self.design.sizes)
        )
        return float(np.einsum("u,u->", parts if rows is None else parts * rows, parts))

    @cached_property
    def skewness(self) -> Array:
        """Skewness of the sum of the contributions, and so of the value."""
        return divide(self._sum_of_powers(3), self.squares**1.5)

    @cached_property
    def _about_strata(self) -> Array:
        """Contribution of one row of each atom, centred within its stratum."""
        parts = self.influence
        return parts if self.atoms.stratum is None else about_strata(parts, self.atoms)

    @cached_property
    def independent(self) -> tuple[Array, Array | None]:
        """Contributions of independent units, centred within strata, and how many have each.

        Units are rows, or groups; None stands for one unit with each contribution.
        """
        if self.squares_by_class is not None:
            return self.by_row[0], None
        atoms = self.atoms
        parts = self.influence if atoms.stratum is None else self._about_strata
        if atoms.group is None:
            return parts, None if atoms.are_rows else atoms.rows
        return cell_sums(parts * atoms.rows, atoms.group, atoms.n_groups), None

    @cached_property
    def squares(self) -> Array:
        """Sum of the squares of the contributions of rows, or of groups."""
        each, rows = self.independent
        left = each if rows is None else each * rows
        return np.asarray(np.einsum("...u,...u->...", left, each))

    def _sum_of_powers(self, power: int) -> Array:
        """Sum of the third or fourth powers of the contributions of rows, or of groups."""
        each, rows = self.independent
        squares = each * each
        left = squares if rows is None else squares * rows
        return np.asarray(np.einsum("...u,...u->...", left, squares if power == 4 else each))

    def design_effect(self) -> Array:
        """The variance, as a multiple of that of independent rows (Kish 1965)."""
        plain = replace(self.atoms, group=None, stratum=None)
        independent = replace(self, known=Contributions(self.influence, plain, self.ways))
        return divide(self.variance, independent.variance)


def linearize(sample: Sample) -> Linearized:
    """The metric of a sample, with what each row contributes to it."""
    return Linearized(sample.value, sample, sample.bounds)


def mean_of_folds(folds: Sequence[Linearized], value: float, atoms: Atoms) -> Linearized:
    """The mean of a metric over folds, whose rows follow each other in ``atoms``.

    Degrees of freedom are counted by class within fold, since each fold is centred separately.
    """
    parts = np.concatenate([fold.by_row[0] for fold in folds], axis=-1) / len(folds)
    first = folds[0]
    origin = FoldMean(first.origin.metric, value, atoms, first.origin.data)
    known = Contributions(parts, atoms, ways_end_to_end(folds))
    return Linearized(value, origin, first.bounds, known=known)


def column_of(
    parts: Sequence[Array | None], lengths: Sequence[int], absent: Any = np.zeros
) -> Array:
    """Columns one after the other; one that is absent is filled."""
    filled = [
        absent(length, dtype=np.int64) if values is None else values
        for values, length in zip(parts, lengths, strict=True)
    ]
    return np.concatenate(filled)


def ways_end_to_end(parts: Sequence[Linearized]) -> tuple[Way, ...]:
    """Classes of the rows of several statistics, one after the other, within each of these."""
    lengths = [part.by_row[0].shape[-1] for part in parts]
    place = np.repeat(np.arange(len(parts)), lengths)
    ways = zip(*(part.by_row[1] for part in parts), strict=False)
    return tuple(joined_codes([place, column_of(of_parts, lengths)]) for of_parts in ways)


def covariance_of(statistics: Sequence[Linearized]) -> Array:
    """Covariance (p, p) of statistics of the same rows."""
    parts = np.stack([statistic.by_row[0] for statistic in statistics])
    atoms = Atoms.each_row(parts.shape[1], statistics[0].design, None)
    whole = Linearized(np.zeros(len(statistics)), None, known=Contributions(parts, atoms))
    each, rows = whole.independent
    return np.asarray((each if rows is None else each * rows) @ each.T)


def covariance_by_pairs(statistics: Sequence[Linearized], apart: Array | None = None) -> Array:
    """Covariance (p, p) of statistics of the same rows, from the variances of differences."""
    variance = np.array([float(statistic.variance) for statistic in statistics])
    covariance, (first, second) = np.diag(variance), np.triu_indices(len(variance), 1)
    if apart is None:
        pairs = list(combinations(statistics, 2))
        apart = np.hstack([each.variance for each in differences(pairs)])
    covariance[first, second] = (variance[first] + variance[second] - apart) / 2
    covariance[second, first] = covariance[first, second]
    return covariance


# --------------------------------------------------------------------------- differences


def differences(pairs: Sequence[Pair], *, log: bool = False) -> Iterator[Linearized]:
    """The differences of pairs of statistics of the same rows, or of their logarithms.

    Those of one metric are stacked, in blocks that stay in the cache.
    """
    if log:
        logs = {side: side.on_log() for side in dict.fromkeys(chain(*pairs))}
        pairs = [(logs[first], logs[second]) for first, second in pairs]
    (first, second), size = pairs[0], 1
    if len(pairs) > 1 and all(_are_alike(first, side) for side in dict.fromkeys(chain(*pairs))):
        size = max(_AT_ONCE // (_n_joint(first, second) or first.by_row[0].shape[-1]), 1)
    for start in range(0, len(pairs), size):
        block = pairs[start : start + size]
        yield _difference(block) if len(block) > 1 else block[0][0].minus(block[0][1])


def _are_alike(first: Linearized, second: Linearized) -> bool:
    """Whether rows of two statistics of a metric are counted, or have classes, in the same way."""
    if first.is_of_cells:
        return second.is_of_cells and np.array_equal(first.origin.classes, second.origin.classes)
    return all(map(np.array_equal, first.by_row[1][:2], second.by_row[1][:2]))  # type: ignore[arg-type]


def _n_joint(first: Linearized, second: Linearized) -> int:
    """Number of joint cells of two tables of counted rows; 0 if rows are not counted by them."""
    if not (first.is_of_cells and second.is_of_cells):
        return 0
    n_cells = max(len(first.origin.classes), len(second.origin.classes)) ** 4
    return n_cells if n_cells <= max(_JOINT, len(first.atoms.of_row)) else 0


def _difference(pairs: Sequence[Pair]) -> Linearized:
    """The differences of pairs of statistics that are read alike, stacked; of one pair a number.

    The range of the metric bounds them, but not that of logarithms.
    """
    first, second = pairs[0]
    known = (_of_joint_cells if _n_joint(first, second) else _of_joint_rows)(pairs)
    numbers = [(a.value, b.value, a.sum_of_squares + b.sum_of_squares) for a, b in pairs]
    value, other, size = numbers[0] if len(pairs) == 1 else np.array(numbers).T
    width = np.inf if first.log else first.bounds[1] - first.bounds[0]
    value = difference_of(value, other, log=first.log)
    return Linearized(value, pairs, (-width, width), first.log, known, size)


def _of_joint_cells(pairs: Sequence[Pair]) -> Contributions:
    """Contributions to differences of tables of counted rows, which are counted jointly."""
    first, second = pairs[0]
    n_classes, n_others = len(first.origin.classes), len(second.origin.classes)
    size, sizes = max(n_classes, n_others) ** 2, first.design.sizes
    codes, parts = {}, {}
    for side in dict.fromkeys(chain(*pairs)):
        cell, codes[side], parts[side] = side.origin.cell, side.atoms.of_row, side.influence
        if len(cell) < size:  # some cells are empty
            codes[side], parts[side] = cell[codes[side]], np.zeros(size)
            parts[side][cell] = side.influence
    counts = _stack([kernels.confusion(codes[a], codes[b], size, sizes) for a, b in pairs])
    i, j = np.nonzero(counts.any(axis=0) if len(pairs) > 1 else counts)
    (true, pred), other = np.divmod(i, n_classes), j % n_others
    atoms = Atoms(counts[..., i, j], label=true, design=first.design)
    of_each = _stack([parts[a][i] - parts[b][j] for a, b in pairs])
    return Contributions(of_each, atoms, (None, true, pred, other), first.is_of_counts)


def _of_joint_rows(pairs: Sequence[Pair]) -> Contributions:
    """Contributions of rows to differences."""
    first, _ = pairs[0]
    parts = _stack([a.by_row[0] - b.by_row[0] for a, b in pairs])
    atoms = None if first.known is None else first.atoms
    if atoms is None or not atoms.are_rows:
        label = None if first.known is not None else first.origin.label
        atoms = Atoms.each_row(parts.shape[-1], first.design, label)
    ways = first.by_row[1]
    if len(ways) > 2:  # by predictions, which are those of each statistic
        each = [[side.by_row[1][2] for side in sides] for sides in zip(*pairs, strict=True)]
        ways = (*ways[:2], *map(_stack, each))
    return Contributions(parts, atoms, ways, first.is_of_counts)


def _stack(values: Sequence[Array]) -> Array:
    """Values of several pairs, stacked; those of one pair as they are."""
    return values[0] if len(values) == 1 else np.stack(values)


def correlation(first: Linearized, second: Linearized) -> float:
    """Correlation of two statistics through the rows, or the clusters, that they share."""
    by_cluster = first.design.group is not None and second.design.group is not None
    numbers, totals, _ = _identified(first, by_cluster)
    others, _, each = _identified(second, by_cluster)
    _, i, j = np.intersect1d(numbers, others, assume_unique=True, return_indices=True)
    shared = (totals[i] * each[j]).sum()
    size = np.sqrt(float(first.squares) * float(second.squares))
    return float(np.clip(shared / size, -1.0, 1.0)) if size > 0 else 0.0


def _identified(statistic: Linearized, by_cluster: bool) -> tuple[Array, Array, Array]:
    """Identities of clusters, rows or atoms; contributions of all their rows, and of one row.

    For a cluster both are the sum over its rows.
    """
    atoms, design = statistic.atoms, statistic.design
    if atoms.number is not None and not by_cluster:
        return atoms.number, atoms.rows * statistic.influence, statistic.influence
    parts = statistic.by_row[0]
    totals = parts if design.sizes is None else parts * design.sizes
    if not by_cluster:
        return np.arange(len(parts)) if design.number is None else design.number, totals, parts
    cluster = design.group if design.cluster is None else design.cluster
    assert cluster is not None
    sums, present = np.bincount(cluster, weights=totals), np.unique(cluster)
    return present, sums[present], sums[present]


# --------------------------------------------------------------------------- variance of classes


def about_strata(parts: Array, atoms: Atoms) -> Array:
    """Contribution of a row of each atom (..., U), minus its share of the mean of its stratum.

    In a stratum of one row, or group, it is centred at the mean of all, which is 0.
    """
    assert atoms.stratum is not None
    drawn, _ = atoms.drawn()
    sums = cell_sums(parts * atoms.rows, atoms.stratum, len(drawn))
    means = np.where(drawn > 1, sums / drawn, 0.0)[..., atoms.stratum]
    if atoms.group is not None:  # the mean is one of groups: each row has its share of it
        means = means / np.bincount(atoms.group, weights=atoms.rows)[atoms.group]
    return np.asarray(parts - means)


def _over_classes_of(
    parts: Array, atoms: Atoms, label: Way, *, is_within: bool = False
) -> tuple[Array, Array]:
    """Variance and degrees of freedom (*S), from contributions centred within strata.

    The variance ``is_within`` classes lacks the products of two classes in one group.
    """
    if label is not None and label.ndim == 2:
        pairs = zip(parts, label, strict=True)
        found = [_over_classes_of(own, atoms, way, is_within=is_within) for own, way in pairs]
        variance, freedom = np.array(found).T
        return variance, freedom
    n_classes = 1 if label is None else int(label.max()) + 1
    lost: Any = 1.0
    scale = None  # m / (m - 1) of the stratum of each group, or atom
    if atoms.stratum is not None:
        drawn, stratum = atoms.drawn()
        lost = atoms.lost(label, n_classes)
        scale = np.where(drawn > 1, divide(drawn, drawn - 1), 1.0)[stratum]
    if atoms.group is None:
        codes = np.zeros(parts.shape[-1], dtype=np.int64) if label is None else label
        by_class: Any = partial(cell_sums, cells=codes, n_cells=n_classes)
        rows = None if atoms.are_rows else atoms.rows
        seen = np.bincount(codes, minlength=n_classes) if rows is None else by_class(rows)
        expected = None if atoms.weight is None else atoms.weight**2
        each_expected = None if expected is None else atoms.times(expected)
        squares, unit_scale = parts * parts, scale
        squares = squares if rows is None else rows * squares
    else:
        units = atoms.units(label)
        by_class, n_units = units.by_class, len(units.rows)
        seen = by_class(units.rows > 0)
        expected = each_expected = units.rows
        if atoms.weight is not None:
            mass = atoms.mass(atoms.mass(atoms.rows))
            expected = each_expected = cell_sums(mass, units.code, n_units)
        added = cell_sums(atoms.times(parts), units.code, n_units)
        squares, unit_scale = added * added, None if scale is None else scale[units.group]
    scaled = None if scale is None else by_class(squares * unit_scale)
    effective = None
    if expected is not None:
        effective = divide(by_class(each_expected) ** 2.0, by_class(each_expected * expected))
    within, freedom = over_classes(by_class(squares), seen, lost, scaled, effective)
    if atoms.group is None or is_within:
        return within, freedom
    # Products of two classes in one group: the factor n / (n - 1) is that of all groups.
    n_groups, variance = atoms.n_groups, within
    if n_classes > 1:
        own = cell_sums(squares, units.group, n_groups)
        between = cell_sums(added, units.group, n_groups) ** 2 - own
        scale = divide(n_groups, n_groups - 1.0) if scale is None else scale
        variance = within + (between * scale).sum(axis=-1)
    size = atoms.times(np.abs(parts))
    agree = variance <= (ROUNDING * size.sum(axis=-1)) ** 2
    if agree.any():  # or even more exactly
        sizes = cell_sums(size, atoms.group, n_groups)
        agree = variance <= ROUNDING**2 * (sizes**2).sum(axis=-1)
    return np.where(agree, 0.0, variance), freedom


def over_classes(
    squares: Array,
    seen: Array,
    lost: Array | float = 1.0,
    scaled: Array | None = None,
    effective: Array | None = None,
) -> tuple[Array, Array]:
    """Variance from sums of squares by class (..., K), and its freedom (Satterthwaite 1946).

    The variance is nan if a class has one of the ``seen`` rows, which counts half a degree of
    freedom. ``scaled`` are the squares times m / (m - 1) of strata, whose means cost each class
    ``lost`` degrees of freedom. ``effective`` replaces ``seen`` in the degrees of freedom if rows
    do not all have the same variance.
    """
    variances = squares * seen / np.maximum(seen - 1.0, LEAST_FREEDOM)
    variances = variances if scaled is None else np.maximum(variances, scaled)
    least = np.fmax((seen if effective is None else effective) - lost, LEAST_FREEDOM)
    freedom = satterthwaite(variances, least)
    freedom = np.where(np.isnan(freedom), seen.sum(axis=-1) - 1.0, freedom)
    variance = np.where(seen == 1, np.nan, variances).sum(axis=-1)
    return variance, np.maximum(freedom, 1.0)
