"""Bins of probabilities, and the reliability curve over them.

Bins are open below and closed above, (a, b], except the first, which includes its lower edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array, wilson
from skmetrics_ext.result_bases import CurveResult
from skmetrics_ext.tallies.bins import BinTally
from skmetrics_ext.validation import InvalidParameterError, Probabilities, check_option
from skmetrics_ext.validation.containers import read_rising
from skmetrics_ext.validation.tensors import to_host

STRATEGIES = ("uniform", "quantile", "equal_mass")
# Sums of float weights that ought to be equal differ by rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, slots=True)
class Binning:
    """Edges of bins.

    Parameters
    ----------
    edges : ndarray of shape (B + 1,)
        Rising; the first two are equal if the lowest probability has a bin of its own.
    """

    edges: Array

    @classmethod
    def uniform(cls, n_bins: int) -> Self:
        """Equal widths over [0, 1]. Edges are k / n_bins, so that 0.3 is the edge 3/10."""
        return cls(np.arange(n_bins + 1) / n_bins)

    @classmethod
    def quantile(cls, proba: Array, weight: Array | None, n_bins: int) -> Self:
        """Between interpolated quantiles (type 7 of Hyndman & Fan 1996); weights repeat rows.

        They are those of NumPy and R, and the bins those of scikit-learn's calibration curve.
        """
        if weight is not None:
            if weight.dtype.kind == "f" and (weight != np.floor(weight)).any():
                raise InvalidParameterError(
                    "strategy='quantile' ranks rows, which sample_weight can repeat but not "
                    "divide: the weights must be whole numbers. strategy='equal_mass' takes any."
                )
            kept = weight > 0
            proba, weight = (proba[kept], weight[kept]) if kept.any() else (proba[:1], None)
        if weight is None:  # no order is needed, only the sorted values
            ordered, last = np.sort(proba), np.arange(1, len(proba) + 1)
        else:
            order = np.argsort(proba, kind="stable")
            ordered, last = proba[order], np.cumsum(weight[order])
        rank = (last[-1] - 1) * (np.arange(1, n_bins + 1) / n_bins)
        whole = np.rint(rank)
        rank = np.where(np.abs(rank - whole) < 1e-9, whole, rank)
        below = np.floor(rank)
        low, high = (
            ordered[np.minimum(np.searchsorted(last, r, side="right"), len(ordered) - 1)]
            for r in (below, np.ceil(rank))
        )
        return cls._from_uppers(ordered[0], low + (high - low) * (rank - below))

    @classmethod
    def equal_mass(cls, proba: Array, weight: Array | None, n_bins: int) -> Self:
        """Equal weights: upper edge k is the lowest probability with k/n_bins of the weight.

        Without interpolation, neither the scale of the weights nor repeating every row moves an
        edge.
        """
        steps = np.arange(1, n_bins + 1)
        if weight is None:
            ordered = np.sort(proba)
            place = (len(proba) * steps + n_bins - 1) // n_bins - 1
        else:
            order = np.argsort(proba, kind="stable")
            ordered = proba[order]
            reached = np.cumsum(weight[order], dtype=np.float64)
            wanted = reached[-1] * (steps / n_bins) * (1 - _ROUNDING)
            place = np.searchsorted(reached, wanted)
        return cls._from_uppers(ordered[0], ordered[place])

    @classmethod
    def distinct(cls, proba: Array) -> Self:
        """A bin for each distinct probability."""
        values = np.unique(proba)
        return cls._from_uppers(values[0], values)

    @classmethod
    def given(cls, edges: Array, proba: Array) -> Self:
        """The caller's edges, which have to include every probability."""
        low, high = float(proba.min()), float(proba.max())
        if low < edges[0] or high > edges[-1]:
            raise InvalidParameterError(
                f"The edges in n_bins must hold every probability, from {low} to {high}; they go "
                f"from {edges[0]} to {edges[-1]}."
            )
        return cls(edges)

    @classmethod
    def of(cls, proba: Array, weight: Array | None, strategy: str, n_bins: int | Array) -> Self:
        """Bins of probabilities by strategy, or between given edges."""
        if not isinstance(n_bins, int):
            return cls.given(n_bins, proba)
        if strategy == "uniform":
            return cls.uniform(n_bins)
        if strategy == "quantile":
            return cls.quantile(proba, weight, n_bins)
        if strategy == "equal_mass":
            return cls.equal_mass(proba, weight, n_bins)
        return cls.distinct(proba)

    @classmethod
    def _from_uppers(cls, lowest: float, uppers: Array) -> Self:
        return cls(np.concatenate([[lowest], np.unique(uppers)]))

    def breaks(self) -> Self:
        """The bins with a first one of zero width merged into the next."""
        edges = self.edges
        return type(self)(edges[1:]) if len(edges) > 2 and edges[0] == edges[1] else self

    @property
    def n_bins(self) -> int:
        return len(self.edges) - 1

    def assign(self, proba: Array) -> Array:
        """Number of the bin of each probability."""
        return kernels.bins_between(proba, self.edges[1:-1])

    def sums(self, forecast: Probabilities) -> BinTally:
        """Sum the rows of a forecast over the bins."""
        true, proba, weight = forecast.true, forecast.proba, forecast.weight
        if weight is None:
            count, happened, predicted = kernels.binned_events(true, proba, self.edges[1:-1])
            return BinTally(self.edges, count, happened, predicted, count, count)
        bins, n, real = self.assign(proba), self.n_bins, forecast.weights
        happened = kernels.bin_sums(bins, n, true * weight)
        predicted, squares = (
            np.bincount(bins, weights=each, minlength=n) for each in (real * proba, real * real)
        )
        totals, count = kernels.bin_sums(bins, n, weight), kernels.bin_sums(bins, n, None)
        return BinTally(self.edges, totals, happened, predicted, squares, count)

    def sums_of(self, proba: Array, mass: Array) -> BinTally:
        """Sum the weight of both classes (..., 2, T) at probabilities in falling order."""
        bins = self.assign(proba)
        starts = np.flatnonzero(np.diff(bins, prepend=-1))

        def summed(values: Array) -> Array:
            out = np.zeros((*values.shape[:-1], self.n_bins))
            out[..., bins[starts]] = np.add.reduceat(values, starts, axis=-1)
            return out

        weight, unknown = mass.sum(axis=-2), np.full(self.n_bins, np.nan)
        totals, happened, predicted = map(summed, (weight, mass[..., -1, :], weight * proba))
        return BinTally(self.edges, totals, happened, predicted, unknown, unknown)


def check_bins(n_bins: Any, strategy: Any, strategies: tuple[str, ...] = STRATEGIES) -> int | Array:
    """The number of bins, a positive integer, or their edges.

    Edges rise; the first two may be equal, like those of the curves that `Binning` makes.
    """
    check_option("strategy", strategy, strategies)
    n_bins = to_host(n_bins, "n_bins")
    is_list = isinstance(n_bins, Sequence) and not isinstance(n_bins, str)
    if is_list or getattr(n_bins, "ndim", 0) == 1:
        return read_rising("n_bins", n_bins, 2, finite=False, first_twice=True)
    is_one = isinstance(n_bins, int | np.integer) or (
        type(n_bins) is np.ndarray and n_bins.ndim == 0 and n_bins.dtype.kind in "iu"
    )
    if not is_one or isinstance(n_bins, bool) or n_bins < 1:
        raise InvalidParameterError(
            f"n_bins has to be an integer of 1 or more, or an array of edges, got {n_bins!r}."
        )
    return int(n_bins)


# --------------------------------------------------------------------------- reliability curve


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class CalibrationCurve(CurveResult):
    """How often the event happened among rows of similar probability.

    Parameters
    ----------
    edges : ndarray of shape (B + 1,)
        Edges of the bins; each is closed above, and the first below too.
    mean_predicted : ndarray of shape (B,)
        Mean probability of each bin; nan where it is empty.
    observed_rate : ndarray of shape (B,)
        Share of the weight of each bin whose event happened; nan where it is empty.
    low, high : ndarray of shape (B,)
        Wilson interval of the rate; nan where the bin is empty.
    weight : ndarray of shape (B,)
        Weight of each bin.
    count : ndarray of int of shape (B,)
        Number of rows of each bin that have weight.
    confidence_level : float
        Level of the interval.
    """

    edges: Array
    mean_predicted: Array
    observed_rate: Array
    low: Array
    high: Array
    weight: Array
    count: Array
    confidence_level: float

    def columns(self) -> dict[str, Array]:
        """The bins as arrays by name, their edges as ``left`` and ``right``."""
        every = CurveResult.columns(self)
        return {"left": self.edges[:-1], "right": self.edges[1:]} | {
            name: values for name, values in every.items() if name != "edges"
        }

    def __iter__(self) -> Iterator[Array]:
        return iter((self.mean_predicted, self.observed_rate))


def curve_of(
    forecast: Probabilities, strategy: str, bins: int | Array, level: float
) -> CalibrationCurve:
    """The curve of a forecast of one event, with intervals of independent rows."""
    sums = Binning.of(forecast.proba, forecast.weight, strategy, bins).sums(forecast)
    rate, rows = sums.rate, sums.effective_rows
    low, high = wilson(rate * rows, rows, level)
    return CalibrationCurve(
        sums.edges, sums.mean_predicted, rate, low, high, sums.weight, sums.n_rows, level
    )
