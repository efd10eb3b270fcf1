"""A metric of labels at every threshold, read from the counts of the positive class there."""

from __future__ import annotations

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import Counts, ThresholdTally


def read_at_thresholds(metric: Metric, classes: Array, counts: Counts) -> tuple[Array, Array]:
    """Values as the function gives them, and where these are nan or by convention.

    They are by convention where 0/0 has a say, alone or within an average, and nothing was said
    of what it shall be: another convention would give another value.
    """
    tally = ThresholdTally(classes, counts)
    told: list[object] = []
    values = np.array(metric.read(tally, tell=lambda *what: told.append(what)), dtype=np.float64)
    undefined = np.isnan(values)
    fill = "zero_division" if metric.takes("zero_division") else metric.spec.fill
    if told and fill not in metric.params:
        low, high = (metric.with_params(**{fill: value}).read(tally) for value in (0.0, 1.0))
        undefined |= low != high
    return values, undefined
