"""Areas under the ROC curve of models on the same rows, and their covariance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import fewest_rows
from skmetrics_ext.inference.draws.readers import read_checked
from skmetrics_ext.inference.draws.readings import TallyReading
from skmetrics_ext.inference.draws.units import Units
from skmetrics_ext.inference.influence.areas import score_bounds, sides_of
from skmetrics_ext.inference.influence.spread import Contributions, Spread, joint_spread
from skmetrics_ext.metrics.rankings.roc_auc import roc_auc_score
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import find
from skmetrics_ext.validation import Scores
from skmetrics_ext.validation.groups import INDEPENDENT, Design


@dataclass(frozen=True, eq=False, slots=True)
class Correlated:
    """Areas of some models on the same rows, and their covariance.

    ``apart`` has the spread of differences, under the later model and the earlier; ``rows`` counts
    the rows (or groups), less strata but one; ``fewest`` those of the rarest class.
    """

    areas: Array
    covariance: Array
    apart: dict[tuple[int, int], Spread]
    readings: list[TallyReading]
    rows: float
    fewest: float

    def bounds(self, k: int, level: float) -> tuple[float, float]:
        """Of the area of one model, by Newcombe's method 5."""
        return score_bounds(float(self.areas[k]), sides_of(self.readings[k]), level)


def correlated_areas(
    checked: list[Scores],
    design: Design = INDEPENDENT,
    *,
    multi_class: str = "raise",
    average: str = "macro",
    weights_are: str = "importance",
) -> Correlated:
    """Areas of checked scores of the same rows, one for each model."""
    metric = find(roc_auc_score, {"multi_class": multi_class, "average": average})
    readings = [read_checked(metric, one, design, weights_are) for one in checked]
    first = readings[0]
    units = Units.of_rows(len(first.data.true), first.facts, first.label)
    added = [one.on(units) for one in map(Contributions.of, readings) if one is not None]
    rows = float(units.drawn()[0].sum()) - units.n_strata + 1
    values = np.array([one.value for one in readings])
    return Correlated(values, *joint_spread(added), readings, rows, fewest_rows(first))
