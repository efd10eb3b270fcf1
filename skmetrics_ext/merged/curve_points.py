"""Curves with few points and the error that this makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext.merged.steps import chord_gap
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.tallies.ranks import cumulated


@dataclass(frozen=True, eq=False, slots=True)
class ThinnedCurve:
    """Points of a ROC and precision-recall curve, exact at every point that is there.

    Parameters
    ----------
    thresholds : ndarray of shape (T,)
        Falling; infinite for the point of no row.
    false_positive_rate, true_positive_rate, precision : ndarray of shape (T,)
        Recall is the true positive rate. Precision is 1 by convention where no row is positive.
    vertical_error : float
        Bound of the vertical distance of the whole ROC curve from straight lines between the
        points.
    """

    thresholds: Array
    false_positive_rate: Array
    true_positive_rate: Array
    precision: Array
    vertical_error: float

    @property
    def recall(self) -> Array:
        """The true positive rate by its other name."""
        return self.true_positive_rate

    def frame(self) -> Any:
        """The points as a pandas data frame."""
        import pandas

        return pandas.DataFrame(
            {
                "threshold": self.thresholds,
                "false_positive_rate": self.false_positive_rate,
                "true_positive_rate": self.true_positive_rate,
                "precision": self.precision,
            }
        )


def thin_curve(tally: RankTally, points: int, gap: float) -> ThinnedCurve | None:
    """At most so many points of a tally, whose own points leave out a distance of ``gap``."""
    fp, tp = cumulated(tally.negative), cumulated(tally.positive)
    if not fp[-1] or not tp[-1]:
        return None
    fpr, tpr = fp / fp[-1], tp / tp[-1]
    n_cells = max(points - 1, 1)
    cell = np.minimum(((fpr + tpr) * (n_cells / 2)).astype(np.int64), n_cells - 1)
    kept = np.flatnonzero(np.diff(cell, append=-1))
    kept = np.unique(np.concatenate([[0], kept]))
    thresholds = np.concatenate([[np.inf], tally.thresholds])
    with np.errstate(invalid="ignore"):
        precision = np.where(tp + fp == 0, 1.0, divide(tp, tp + fp))
    error = gap + chord_gap(fpr, tpr, kept)
    return ThinnedCurve(thresholds[kept], fpr[kept], tpr[kept], precision[kept], error)
