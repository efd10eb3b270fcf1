"""Curves with few points, and a bound on the error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.result_bases import CurveResult
from skmetrics_ext.tallies import RankTally


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class ThinnedCurve(CurveResult):
    """Some points of a ROC and precision-recall curve, each of them exact.

    Parameters
    ----------
    thresholds : ndarray of shape (T,)
        Decreasing; infinite at the point where no row is predicted positive.
    false_positive_rate, true_positive_rate, precision : ndarray of shape (T,)
        Recall is the true positive rate. Precision is 1 by convention if no row is predicted
        positive.
    vertical_error : float
        Largest vertical distance of the ROC curve from straight lines between the points.
    """

    thresholds: Array
    false_positive_rate: Array
    true_positive_rate: Array
    precision: Array
    vertical_error: float

    @property
    def recall(self) -> Array:
        """The true positive rate."""
        return self.true_positive_rate

    def columns(self) -> dict[str, Array]:
        """The points as arrays by name."""
        return {
            "threshold": self.thresholds,
            "false_positive_rate": self.false_positive_rate,
            "true_positive_rate": self.true_positive_rate,
            "precision": self.precision,
        }


def thin_curve(tally: RankTally, points: int, gap: float) -> ThinnedCurve | None:
    """A curve of at most ``points`` points; ``gap`` is the error of the points in the tally."""
    fp, tp, negative, positive = tally.steps()
    if not negative or not positive:
        return None
    fpr, tpr = rates(tally)
    kept = np.unique(np.append(0, evenly_along(tally, max(points - 1, 1)) + 1))
    thresholds = np.concatenate([[np.inf], tally.thresholds])
    precision = np.where(tp + fp == 0, 1.0, divide(tp, tp + fp))
    error = gap + chord_gap(fpr, tpr, kept)
    return ThinnedCurve(thresholds[kept], fpr[kept], tpr[kept], precision[kept], error)


def rates(tally: RankTally) -> tuple[Array, Array]:
    """False and true positive rates (T + 1,); 0 if the class has no rows."""
    fp, tp, negative, positive = tally.steps()
    return fp / (negative or 1), tp / (positive or 1)


def evenly_along(tally: RankTally, n: int) -> Array:
    """Indices of the last score in each of n equal parts of the ROC curve's length."""
    fpr, tpr = rates(tally)
    cell = np.minimum(((fpr + tpr)[1:] * (n / 2)).astype(np.int64), n - 1)
    return np.flatnonzero(np.diff(cell, append=-1))


def chord_gap(x: Array, y: Array, kept: Array) -> float:
    """Largest vertical distance between points and the chords through the kept ones."""
    segment = np.searchsorted(kept, np.arange(len(x)))
    stop, start = kept[segment], kept[np.maximum(segment - 1, 0)]
    width = x[stop] - x[start]
    share = np.divide(x - x[start], width, out=np.zeros(len(x)), where=width > 0)
    away = np.abs(y - y[start] - share * (y[stop] - y[start]))
    # On a vertical chord the curve is the chord.
    return float(np.where(width > 0, away, 0.0).max())
