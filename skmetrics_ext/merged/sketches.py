"""Bounds of rankings that were only sketched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skmetrics_ext.merged.intervals import Bounded, refused
from skmetrics_ext.merged.ranges import kind_of, ranges_of
from skmetrics_ext.metrics.averaging import average_values
from skmetrics_ext.metrics.rankings.ranking_kernels import average_precision
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import ScoreSketch

METHOD = "bounds of a sketch"


def of_sketches(one: Metric, sketches: Sequence[ScoreSketch], masses: Array) -> Bounded:
    """Lowest and highest value that the metric can have, given the sketch of each column."""
    if kind_of(one) == "wins":
        finish = ranges_of(one).finish or np.asarray
        bounds = [finish(np.array(sketch.roc_auc)) for sketch in sketches]
    elif one.spec.kernel is average_precision:
        bounds = [np.array(sketch.average_precision) for sketch in sketches]
    else:
        return refused("a sketch bounds areas under the ROC curve and average precision only")
    options = one.options
    average = options.get("average", "macro")
    if len(sketches) > 1 and (
        options.get("multi_class") == "ovo" or average not in ("macro", "weighted")
    ):
        return refused("a sketch bounds means over classes against the rest only")
    ends = np.stack(bounds, axis=-1)
    if np.isnan(ends).any():
        return refused(one.spec.undefined)
    if len(sketches) == 1:
        average = "macro"
    low, high = average_values(ends, average, masses).tolist()
    return low, high, METHOD, ""
