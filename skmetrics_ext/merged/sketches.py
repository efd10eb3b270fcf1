"""Bounds of rankings that were only sketched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skmetrics_ext.merged.intervals import Bounded, refused
from skmetrics_ext.merged.steps import WINS
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.tallies import ScoreSketch

METHOD = "bounds of a sketch"


def of_sketches(one: Metric, sketches: Sequence[ScoreSketch], masses: Array) -> Bounded:
    """Lowest and highest value that the metric can have, given the sketch of each column."""
    options = one.options
    if one.spec.name in WINS and options.get("max_fpr") in (None, 1):
        bounds = [sketch.roc_auc for sketch in sketches]
    elif one.spec.name == "average_precision_score":
        bounds = [sketch.average_precision for sketch in sketches]
    else:
        return refused("a sketch bounds areas under the ROC curve and average precision only")
    average = options.get("average", "macro")
    if len(sketches) > 1 and (
        options.get("multi_class") == "ovo" or average not in ("macro", "weighted")
    ):
        return refused("a sketch bounds means over classes against the rest only")
    ends = np.array(bounds)
    if np.isnan(ends).any():
        return refused(one.spec.undefined)
    shares = masses if len(sketches) > 1 and average == "weighted" else None
    low, high = np.average(ends, axis=0, weights=shares).tolist()
    if one.spec.name in ("gini_score", "gain_capture_score"):
        low, high = 2 * low - 1, 2 * high - 1
    return low, high, METHOD, ""
