"""Tests of whether a metric is worse in a slice than in the other rows.

Metrics that increase with a proportion of rows have an exact test, others Welch's t test. The
standard error in the slice is that of its rows, but not less than expected if they were like all
others: rows that happen to agree show no variance, and the slice would be significant for that
reason alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.inference.derivatives import value_and_deviations
from skmetrics_ext.inference.draws import readers
from skmetrics_ext.inference.draws.samples import TallySample
from skmetrics_ext.inference.linearized import Linearized, linearize
from skmetrics_ext.numeric import Array, divide, satterthwaite
from skmetrics_ext.slices.coding import ColumnCross
from skmetrics_ext.tallies import Means
from skmetrics_ext.validation.labels import subset

_BAD, _GOOD, _UNREAD = 0, 1, 2
_ROUNDING = 1e-9  # of the largest contribution
_LEAST = 1e-17  # smaller shares of the sum of a tail do not change it

Error = tuple[Array, Array]  # variances, and their degrees of freedom


def slice_tests(statistic: Linearized, sign: float) -> ExactTests | StudentTests:
    """Exact tests for a proportion of unweighted, independent rows, else t tests.

    ``sign`` is 1 if lower values are worse, else -1. Tests have three methods: ``screen`` returns a
    row of numbers for each slice of a cross, and which slices have a value; ``bounds`` turns such
    rows into p-values or lower bounds of them; ``test`` returns the p-value of one slice.
    """
    design = statistic.design
    if statistic.origin.share and design.is_counted and design.sizes is None:
        return ExactTests(statistic, sign)
    return StudentTests(statistic, sign)


# --------------------------------------------------------------------------- exact tests


class ExactTests:
    """Tests of a metric that increases with the number of good rows among those that it reads.

    Recall reads the positive rows and precision the rows predicted positive; the F1 score increases
    with the share of true positives among rows that are either. If the rows of a slice are like
    the rest, the number of bad ones is hypergeometric, given the margins (Fisher 1935).
    """

    def __init__(self, statistic: Linearized, sign: float) -> None:
        parts = statistic.influence * sign
        least = _ROUNDING * np.abs(parts).max(initial=0.0)
        kind = np.where(parts > least, _GOOD, np.where(parts < -least, _BAD, _UNREAD))
        self.kind = statistic.atoms.to_rows(kind)
        self.bad, self.good = np.bincount(self.kind, minlength=3)[:2].tolist()

    def screen(self, cross: ColumnCross) -> tuple[Array, Array]:
        """Numbers of bad and good rows of the slices, and which slices have any."""
        sums = kernels.bin_sums(cross.cell * 3 + self.kind, 3 * len(cross.rows), None)
        counts = sums.reshape(-1, 3)[cross.kept, :2]
        return counts, np.asarray(counts.any(axis=1))

    def bounds(self, counts: Array) -> Array:
        """P-values of slices with these numbers of bad and good rows."""
        bad, read = counts[:, _BAD], counts.sum(axis=1)
        return upper_tail(bad, read, self.bad, self.bad + self.good)

    def test(self, inside: Array, outside: Array) -> float:
        """P-value of some rows compared with others."""
        here, there = (np.bincount(self.kind[rows], minlength=3)[:2] for rows in (inside, outside))
        both = here + there
        return float(upper_tail(here[[_BAD]], here.sum(keepdims=True), both[_BAD], both.sum())[0])


def upper_tail(seen: Array, drawn: Array, marked: int, n_rows: int) -> Array:
    """Hypergeometric probability of at least ``seen`` marked rows among the ``drawn`` ones.

    It is reported as 1 if no more are seen than expected.
    """
    from scipy.special import gammaln

    p_values = np.ones(len(seen))
    worse = np.flatnonzero(seen * n_rows > drawn * marked)
    if not len(worse):
        return p_values
    x, n = seen[worse].astype(np.float64), drawn[worse].astype(np.float64)

    def log_binomial(n: Array | float, k: Array | float) -> Array:
        return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))

    first = np.exp(
        log_binomial(marked, x)
        + log_binomial(n_rows - marked, n - x)
        - log_binomial(float(n_rows), n)
    )
    # Terms of the tail in units of the first: each is the one before it times a ratio, which is 0
    # beyond the largest number that can be seen.
    term, total, left = np.ones(len(x)), np.ones(len(x)), np.arange(len(x))
    while len(left):
        term = term * (marked - x) * (n - x) / ((x + 1) * (n_rows - marked - n + x + 1))
        total[left] += term
        x = x + 1
        more = term > _LEAST * total[left]
        if not more.all():
            term, x, n, left = term[more], x[more], n[more], left[more]
    p_values[worse] = np.minimum(first * total, 1.0)
    return p_values


# --------------------------------------------------------------------------- t tests


class StudentTests:
    """Welch's tests of a metric with influence values, in slices and in all other rows.

    Parameters
    ----------
    statistic : Linearized
        The metric of all rows.
    sign : {1.0, -1.0}
        1 where lower is worse.
    """

    def __init__(self, statistic: Linearized, sign: float) -> None:
        self.sample, self.sign = statistic.origin, sign
        self.like_all = _LikeRows(statistic)

    # ----------------------------------------------------------------------- all slices

    def screen(self, cross: ColumnCross) -> tuple[Array, Array]:
        """Lower bounds of the p-values of the slices, and which slices have a value.

        The standard error is that expected of rows like all others, treated as known.
        """
        from scipy.special import ndtr

        values, rest, tables = self._values(cross)
        sums = self.like_all.sums(cross.cell, len(cross.rows))[cross.kept]
        here, _ = self._expected(sums, tables)
        there, _ = self.like_all.error(self.like_all.total - sums)
        with np.errstate(invalid="ignore"):
            worse = self.sign * (rest - values)
            error = np.sqrt(np.nan_to_num(here) + np.nan_to_num(there))
            bound = ndtr(-divide(worse, error))
        return np.where(np.isnan(bound), (worse <= 0).astype(float), bound), np.isfinite(worse)

    def bounds(self, screened: Array) -> Array:
        """The screened numbers are the bounds."""
        return screened

    def _values(self, cross: ColumnCross) -> tuple[Array, Array, Array | None]:
        """The metric in each slice and in the other rows, and the slices' confusion tables."""
        sample = self.sample
        if sample.is_compact:
            tables = self._tables(cross.cell, len(cross.rows))
            kept = tables[cross.kept]
            return self.sample.measured(kept), self.sample.measured(tables.sum(axis=0) - kept), kept
        if sample.is_mean:
            return *self._of_means(cross), None
        order, ends = np.argsort(cross.cell, kind="stable"), np.cumsum(cross.rows)
        slices = [order[ends[k] - cross.rows[k] : ends[k]] for k in cross.kept]
        parts = (subset(sample.data, rows) for rows in slices)
        values = np.array([readers.value_of_part(sample, part) for part in parts])
        # Approximately: the value of all rows is the weighted mean of both.
        share = cross.rows[cross.kept] / len(cross.cell)
        return values, values + divide(float(sample.value) - values, 1 - share), None

    def _tables(self, cell: Array | int, n_cells: int, rows: Any = slice(None)) -> Array:
        """Confusion table of some rows in each cell, (n_cells, K, K)."""
        n_classes, weight = len(self.sample.classes), self.sample.data.weight
        of_table = self.sample.atoms.to_rows(self.sample.cell)[rows]
        weight = None if weight is None else weight[rows]
        sums = kernels.bin_sums(cell * n_classes**2 + of_table, n_cells * n_classes**2, weight)
        return sums.reshape(n_cells, n_classes, n_classes)

    def _of_means(self, cross: ColumnCross) -> tuple[Array, Array]:
        """The metric of means in each slice and in the other rows."""
        columns, weight, n_cells = self.sample.measured.T, self.sample.data.weight, len(cross.rows)
        mass = kernels.bin_sums(cross.cell, n_cells, weight).astype(np.float64)
        weighed = columns if weight is None else columns * weight
        sums = np.stack(
            [np.bincount(cross.cell, column, minlength=n_cells) for column in weighed], axis=1
        )
        kept = cross.kept
        both = (mass[kept], sums[kept]), (mass.sum() - mass[kept], sums.sum(axis=0) - sums[kept])
        inside, outside = (
            np.asarray(self.sample.metric.read(Means(total, divide(part, total[:, None]))))
            for total, part in both
        )
        return inside, outside

    # ----------------------------------------------------------------------- errors of like rows

    def _expected(self, sums: Array, tables: Array | None) -> Error:
        """Expected variances of slices with these sums and tables, if rows were like all others.

        There are two kinds of expected tables: the cell shares of the whole table, or the classes
        of the slice, each predicted as in all rows. Few rows of a class make the second variance
        large, and a missing class makes it 0, so the larger variance is used.
        """
        if tables is None:
            return self.like_all.error(sums)
        whole = self.sample.table.astype(np.float64)
        shares = np.nan_to_num(divide(whole, whole.sum(axis=-1, keepdims=True)))
        of_classes = tables.sum(axis=-1, keepdims=True) * shares
        n_equal = _n_equal(sums.sum(axis=-2))
        errors = [
            self._error_of(cells, n_equal)
            for cells in (of_classes, np.broadcast_to(whole, tables.shape))
        ]
        variance, freedom = (np.stack(parts) for parts in zip(*errors, strict=True))
        larger = np.argmax(np.nan_to_num(variance), axis=0)[None]
        return (
            np.take_along_axis(variance, larger, axis=0)[0],
            np.take_along_axis(freedom, larger, axis=0)[0],
        )

    def _error_of(self, cells: Array, n_equal: Array) -> Error:
        """Variances of tables (S, K, K) that are scaled to these effective sample sizes."""
        cells = cells * divide(n_equal, cells.sum(axis=(-1, -2)))[:, None, None]
        _, each = value_and_deviations(self.sample.read, cells)
        squares, fourth = ((cells * each**k).sum(axis=(-1, -2)) for k in (2, 4))
        return squares, _freedom(squares, fourth)

    # ----------------------------------------------------------------------- one slice

    def test(self, inside: Array, outside: Array) -> float:
        """P-value of some rows compared with others."""
        from scipy.special import stdtr

        first, second = (readers.part_of(self.sample, rows) for rows in (inside, outside))
        worse = self.sign * (float(second.value) - float(first.value))
        if not worse > 0:
            return 1.0
        tables = self._tables(0, 1, inside) if self.sample.is_compact else None
        least, least_freedom = (part[0] for part in self._expected(self._sums(inside), tables))
        variance, freedom, lively = _own_error(first)
        if variance < least or np.isnan(variance):
            variance, freedom = least, np.fmax(least_freedom, np.fmin(freedom, lively))
        if self.sample.design.group is None:
            rest, rest_freedom = self.like_all.error(self._sums(outside))
        else:
            rest, rest_freedom, _ = _own_error(second)
        both = np.hstack([variance, rest])
        if not (np.isfinite(both.sum()) and both.sum() > 0):
            return 1.0
        freedom = satterthwaite(both, np.hstack([freedom, rest_freedom]))
        return float(stdtr(freedom, -worse / np.sqrt(both.sum())))

    def _sums(self, rows: Array) -> Array:
        return self.like_all.sums(0, 1, rows)


def _own_error(part: TallySample) -> tuple[Array, Array, Array]:
    """Variance estimated from the rows, nan if undefined, and its degrees of freedom.

    The third value is the effective number of contributions, by their fourth moment, minus 1.
    """
    if not np.isfinite(part.value):
        return np.asarray(np.nan), np.asarray(1.0), np.asarray(1.0)
    statistic = linearize(part)
    return statistic.variance, statistic.freedom, np.fmax(statistic.effective - 1, 1.0)


class _LikeRows:
    """Expected variances of slices, from the influence of the rows of each class."""

    def __init__(self, statistic: Linearized) -> None:
        each, (way, *_) = statistic.by_row
        weight = statistic.design.weight
        self.weight = None if weight is None else weight.astype(np.float64)
        self.code = np.zeros(len(each), dtype=np.int64) if way is None else way
        self.n_classes = int(self.code.max()) + 1
        (self.total,) = self.sums(0, 1)
        # Of one row of each class, in a sample with that row alone of its class.
        n_equal = _n_equal(self.total)
        squares, fourth = (np.bincount(self.code, weights=each**power) for power in (2, 4))
        self.squares, self.fourth = squares * n_equal, fourth * n_equal**3

    def sums(self, cell: Array | int, n_cells: int, rows: Any = slice(None)) -> Array:
        """Sums of weights and of squared weights, by cell and class, (n_cells, K, 2)."""
        place, size = cell * self.n_classes + self.code[rows], n_cells * self.n_classes
        if self.weight is None:
            both: list[Array] = [kernels.bin_sums(place, size, None).astype(np.float64)] * 2
        else:
            weight = self.weight[rows]
            both = [np.bincount(place, weights=weight**k, minlength=size) for k in (1, 2)]
        return np.stack(both, axis=-1).reshape(n_cells, self.n_classes, 2)

    def error(self, sums: Array) -> Error:
        """Variances of slices with these sums; nan if a class that the metric reads is missing."""
        n_equal = _n_equal(sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            squares = np.where(self.squares > 0, self.squares / n_equal, 0.0).sum(axis=-1)
            fourth = np.where(self.fourth > 0, self.fourth / n_equal**3, 0.0).sum(axis=-1)
        return squares, _freedom(squares, fourth)


def _n_equal(sums: Array) -> Array:
    """Kish's effective sample size, from sums of weights and of their squares (..., 2)."""
    return np.asarray(divide(sums[..., 0] ** 2, sums[..., 1]))


def _freedom(squares: Array, fourth: Array) -> Array:
    """Degrees of freedom: the effective number of contributions minus 1."""
    return np.fmax(divide(squares**2, fourth) - 1, 1.0)
