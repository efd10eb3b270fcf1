"""Tests of whether a metric is worse in a slice than in the other rows.

The difference in units of its error has a t distribution. The error in the slice is that of its
own rows, but no less than that of rows like all others: a slice whose rows happen to agree shows
no spread, and would be found for that alone.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.inference.derivatives import gradient
from skmetrics_ext.inference.draws.readers import sample_of
from skmetrics_ext.inference.draws.samples import TableSample, TallySample, some_rows
from skmetrics_ext.inference.linearized import Linearized, linearize, satterthwaite
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.slices.looks import Look
from skmetrics_ext.tallies import Means

_MARGINS = (0.0, 1.0)  # values of 0/0 that tell whether there is one


class Error(NamedTuple):
    """Variances and their degrees of freedom."""

    variance: Array
    freedom: Array


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
        self.like_all = _LikeTable(self.sample) if self.sample.is_compact else None
        self.like_rest = _LikeRows(statistic)

    # ----------------------------------------------------------------------- all slices

    def look(self, look: Look) -> tuple[Array, Array]:
        """Lower bounds of the p-values of the slices of a look, and which have a value.

        The error is that of rows like all others, and as if it were known.
        """
        from scipy.special import ndtr

        values, rest, expected = self._values(look)
        sums = self.like_rest.sums(look)
        here = self._like(sums, expected)
        there = self.like_rest.error(self.like_rest.total - sums)
        with np.errstate(invalid="ignore"):
            worse = self.sign * (rest - values)
            error = np.sqrt(np.nan_to_num(here.variance) + np.nan_to_num(there.variance))
            bound = ndtr(-divide(worse, error))
        return np.where(np.isnan(bound), (worse <= 0).astype(float), bound), np.isfinite(worse)

    def bounds(self, stated: Array) -> Array:
        """The same of slices of many looks."""
        return stated

    def _like(self, sums: Array, tables: Array | None) -> Error:
        """Of slices with so many rows of each class, were they like all others."""
        if self.like_all is None or tables is None:
            return self.like_rest.error(sums)
        return self.like_all.error(tables, self.like_rest.n_equal(sums))

    def _values(self, look: Look) -> tuple[Array, Array, Array | None]:
        """The metric in each slice and in the rows beside it; of labels also the tables."""
        sample = self.sample
        weight = sample.data.weight
        if sample.is_compact:
            n_classes = len(sample.classes)
            n_cells = n_classes**2
            cell = sample.atoms.to_rows(sample.cell)
            sums = kernels.bin_sums(look.cell * n_cells + cell, n_cells * len(look.rows), weight)
            tables = sums.reshape(-1, n_classes, n_classes)
            kept = tables[look.kept]
            return self._of_tables(kept), self._of_tables(tables.sum(axis=0) - kept), kept
        if sample.is_mean:
            return *self._of_means(look, weight), None
        values = np.array([self._of_rows(rows) for rows in _split(look)])
        # What the whole is the mean of, but for the pairs of rows of which one is in the slice.
        share = look.rows[look.kept] / len(look.cell)
        return values, values + divide(float(sample.value) - values, 1 - share), None

    def _of_tables(self, tables: Array) -> Array:
        """The metric of tables; nan where it hangs on what 0/0 stands for."""
        sample = self.sample
        if not sample.metric.takes("zero_division"):
            return np.asarray(sample.read(tables))
        read = [_filled(sample, fill).read(tables) for fill in _MARGINS]
        return np.where(read[0] == read[1], read[0], np.nan)

    def _of_means(self, look: Look, weight: Array | None) -> tuple[Array, Array]:
        columns = self.sample.measured.T
        n_cells = len(look.rows)
        mass = kernels.bin_sums(look.cell, n_cells, weight).astype(np.float64)
        weighed = columns if weight is None else columns * weight
        sums = np.stack(
            [np.bincount(look.cell, weights=own, minlength=n_cells) for own in weighed], axis=1
        )
        here = look.kept
        both = (mass[here], sums[here]), (mass.sum() - mass[here], sums.sum(0) - sums[here])
        first, second = (
            np.asarray(self.sample.metric.read(Means(total, divide(part, total[:, None]))))
            for total, part in both
        )
        return first, second

    def _of_rows(self, rows: Array) -> float:
        """The metric of some rows; nan where it is undefined."""
        return value_of(self.sample, some_rows(self.sample.data, rows))

    # ----------------------------------------------------------------------- one slice

    def test(self, inside: Array, outside: Array) -> float:
        """P-value of some rows beside others."""
        from scipy.special import stdtr

        first, second = (part_of(self.sample, rows) for rows in (inside, outside))
        worse = self.sign * (float(second.value) - float(first.value))
        if not worse > 0:
            return 1.0
        sums = self.like_rest.of_rows(inside)[None]
        tables = None
        if self.sample.is_compact:
            n_classes = len(self.sample.classes)
            cell = self.sample.atoms.to_rows(self.sample.cell)[inside]
            weight = self.sample.data.weight
            weight = None if weight is None else weight[inside]
            tables = kernels.bin_sums(cell, n_classes**2, weight).reshape(1, n_classes, -1)
        like = self._like(sums, tables)
        own, lively = _own(first)
        rest = self.like_rest.error(self.like_rest.of_rows(outside)[None])
        floor = Error(like.variance[0], np.fmax(like.freedom[0], np.fmin(own.freedom, lively)))
        here = floor if own.variance < floor.variance or np.isnan(own.variance) else own
        there = Error(rest.variance[0], rest.freedom[0])
        if self.sample.design.group is not None:
            there, _ = _own(second)
        variance = here.variance + there.variance
        if not (np.isfinite(variance) and variance > 0):
            return 1.0
        both = np.array([(here.variance, here.freedom), (there.variance, there.freedom)])
        freedom = satterthwaite(both[:, 0], both[:, 1])
        return float(stdtr(freedom, -worse / np.sqrt(variance)))


# --------------------------------------------------------------------------- samples of parts


def value_of(sample: TallySample, data: Any) -> float:
    """The metric of other data; nan where it is undefined there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return float(sample.metric.function(data, data, **sample.metric.params))
        except (ValueError, ZeroDivisionError):
            return np.nan


def part_of(sample: TallySample, rows: Array) -> TallySample:
    """The same metric of some of the rows."""
    data = some_rows(sample.data, rows)
    return sample_of(sample.metric, data, sample.design.select(rows), value_of(sample, data))


def _own(sample: TallySample) -> tuple[Error, Array]:
    """Error estimated from the rows themselves, nan if they cannot tell, and its freedom at most.

    That is one less than the number of equal contributions with the same fourth moment.
    """
    if not np.isfinite(sample.value):
        return Error(np.asarray(np.nan), np.asarray(1.0)), np.asarray(1.0)
    statistic = linearize(sample)
    error = Error(statistic.variance, statistic.freedom)
    return error, np.fmax(statistic.effective - 1, 1.0)


def _filled(sample: TableSample, fill: float) -> TableSample:
    metric = sample.metric.with_params(zero_division=fill)
    return TableSample(metric, sample.value, sample.data, sample.design)


def _split(look: Look) -> list[Array]:
    """Rows of each slice of a look."""
    order = np.argsort(look.cell, kind="stable")
    ends = np.cumsum(look.rows)
    return [order[ends[k] - look.rows[k] : ends[k]] for k in look.kept]


# --------------------------------------------------------------------------- rows like the others


class _LikeRows:
    """Errors of slices from what a row of each class adds to the metric of all rows."""

    def __init__(self, statistic: Linearized) -> None:
        each, (way, *_) = statistic.by_row()
        self.weight = statistic.design.weight
        self.code = np.zeros(len(each), dtype=np.int64) if way is None else way
        self.n_classes = int(self.code.max()) + 1
        self.total = self.of_rows(slice(None))
        n_equal = self.n_equal_of_class(self.total)
        squares, fourth = (
            np.bincount(self.code, weights=each**power, minlength=self.n_classes)
            for power in (2, 4)
        )
        # Of one row of each class, in a sample with that row alone of its class.
        self.squares, self.fourth = squares * n_equal, fourth * n_equal**3

    def sums(self, look: Look) -> Array:
        """Sums of the weights and of their squares (n_kept, K, 2) by slice and class."""
        cell, n_cells = look.cell * self.n_classes + self.code, len(look.rows) * self.n_classes
        rows = kernels.bin_sums(cell, n_cells, None).astype(np.float64)
        both: list[Array] = [rows, rows]
        if self.weight is not None:
            weight = self.weight.astype(np.float64)
            both = [np.bincount(cell, weights=weight**k, minlength=n_cells) for k in (1, 2)]
        return np.stack(both, axis=-1).reshape(-1, self.n_classes, 2)[look.kept]

    def of_rows(self, rows: Any) -> Array:
        """The same (K, 2) of some rows."""
        code = self.code[rows]
        own = np.ones(len(code)) if self.weight is None else self.weight[rows].astype(np.float64)
        sums = [np.bincount(code, weights=own**k, minlength=self.n_classes) for k in (1, 2)]
        return np.asarray(np.stack(sums, axis=-1))

    @staticmethod
    def n_equal_of_class(sums: Array) -> Array:
        """Rows of one weight that would tell as much (Kish 1965)."""
        return np.asarray(divide(sums[..., 0] ** 2, sums[..., 1]))

    def n_equal(self, sums: Array) -> Array:
        """The same of all classes together."""
        return self.n_equal_of_class(sums.sum(axis=-2))

    def error(self, sums: Array) -> Error:
        """Of slices with these sums; of one without a class that the metric reads, nan."""
        n_equal = self.n_equal_of_class(sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            squares = np.where(self.squares > 0, self.squares / n_equal, 0.0).sum(axis=-1)
            fourth = np.where(self.fourth > 0, self.fourth / n_equal**3, 0.0).sum(axis=-1)
        return Error(squares, _freedom(squares, fourth))


class _LikeTable:
    """Errors of tables of slices whose rows are like all others.

    That is, as many rows with the shares of the whole table; or with the classes of the slice, of
    which each is predicted as in all rows. Few rows of a class make the second error large, and
    none of it makes it 0: the larger one counts.
    """

    def __init__(self, sample: TableSample) -> None:
        self.sample = sample
        self.table = sample.table.astype(np.float64)
        self.shares = np.nan_to_num(divide(self.table, self.table.sum(axis=-1, keepdims=True)))

    def error(self, tables: Array, n_equal: Array) -> Error:
        """Of tables (S, K, K) of so many equal rows."""
        both = (
            tables.sum(axis=-1, keepdims=True) * self.shares,
            np.broadcast_to(self.table, tables.shape),
        )
        variance, freedom = (
            np.stack(own)
            for own in zip(*(self._error(cells, n_equal) for cells in both), strict=True)
        )
        larger = np.argmax(np.nan_to_num(variance), axis=0)[None]
        return Error(*(np.take_along_axis(own, larger, axis=0)[0] for own in (variance, freedom)))

    def _error(self, cells: Array, n_equal: Array) -> Error:
        cells = cells * divide(n_equal, cells.sum(axis=(-1, -2)))[:, None, None]
        slope = gradient(self.sample.read, cells)
        mean = divide((cells * slope).sum(axis=(-1, -2)), cells.sum(axis=(-1, -2)))
        each = slope - mean[:, None, None]
        squares, fourth = ((cells * each**k).sum(axis=(-1, -2)) for k in (2, 4))
        return Error(squares, _freedom(squares, fourth))


def _freedom(squares: Array, fourth: Array) -> Array:
    """As many as equal contributions with the same fourth moment would leave."""
    return np.fmax(divide(squares**2, fourth) - 1, 1.0)
