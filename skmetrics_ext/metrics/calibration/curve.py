"""Reliability curve: how often events happen, by their probability."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from skmetrics_ext.metrics.calibration.binning import Binning
from skmetrics_ext.numeric import Array, wilson
from skmetrics_ext.results import CurveResult
from skmetrics_ext.validation import BinaryProbabilities


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
    forecast: BinaryProbabilities, strategy: str, bins: int | Array, level: float
) -> CalibrationCurve:
    """The curve of a forecast of one event, with intervals of independent rows."""
    sums = Binning.of(forecast.proba, forecast.weight, strategy, bins).sums(forecast)
    rate, rows = sums.rate, sums.effective_rows
    low, high = wilson(rate * rows, rows, level)
    return CalibrationCurve(
        sums.edges, sums.mean_predicted, rate, low, high, sums.weight, sums.n_rows, level
    )
