"""Bounds of rankings that were only sketched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skmetrics_ext.merged.intervals import Bounded, refused
from skmetrics_ext.metrics.averaging import RankKernel
from skmetrics_ext.metrics.rankings.ranking_kernels import OF_WINS, average_precision
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import RankTally, ScoreSketch, Wins
from skmetrics_ext.validation import InvalidParameterError

METHOD = "bounds of a sketch"


def of_sketches(one: Metric, sketches: Sequence[ScoreSketch], masses: Array) -> Bounded:
    """Lowest and highest value that the metric can have, given the sketch of each column."""
    try:
        ends = one.read(SketchedRankings(sketches, masses))
        if ends.ndim > 1:
            raise InvalidParameterError(_ONLY_MEANS)
    except InvalidParameterError as error:
        return refused(str(error))
    if np.isnan(ends).any():
        return refused(one.spec.undefined)
    low, high = ends.tolist()
    return low, high, METHOD, ""


_ONLY_MEANS = "a sketch bounds means over classes against the rest only"


@dataclass(frozen=True, eq=False, slots=True)
class SketchedRankings:
    """The `Rankings` of sketches, whose values are bounds: a leading axis of two."""

    sketches: Sequence[ScoreSketch]
    support: Array

    @property
    def binary(self) -> bool:
        return len(self.sketches) == 1

    @property
    def n_classes(self) -> int:
        return len(self.sketches)

    def value(self, kernel: RankKernel, code: int) -> Array:
        """Bounds of the kernel of one class against the rest."""
        sketch = self.sketches[0 if self.binary else code]
        if kernel in OF_WINS:
            return kernel(Wins.of_area(np.array(sketch.roc_auc)))
        if kernel is average_precision:
            return np.array(sketch.average_precision)
        raise InvalidParameterError(
            "a sketch bounds areas under the ROC curve and average precision only"
        )

    def pooled(self) -> RankTally:
        raise InvalidParameterError(_ONLY_MEANS)

    def by_row(self) -> tuple[list[RankTally], Array | None]:
        raise InvalidParameterError(_ONLY_MEANS)

    def pairs(self, kernel: RankKernel) -> Array:
        raise InvalidParameterError(_ONLY_MEANS)
