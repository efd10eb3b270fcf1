"""Tallies: frozen sums over rows that merge, from which every metric is read.

Merging the tallies of parts gives the tally of all rows. Leading axes hold folds, groups or
bootstrap replicates.
"""

from typing import Any

from skmetrics_ext._lazy import renamed
from skmetrics_ext.tallies.confusion import ConfusionTally, LabelTally, Tabulated, ThresholdTally
from skmetrics_ext.tallies.counts import Counts
from skmetrics_ext.tallies.moments import Means, MomentTally
from skmetrics_ext.tallies.ranks import RankTally, Steps, Stretch, Wins
from skmetrics_ext.tallies.score_sketch import ScoreSketch

__all__ = [
    "ConfusionTally",
    "Counts",
    "LabelTally",
    "Means",
    "MomentTally",
    "RankTally",
    "ScoreSketch",
    "Steps",
    "Stretch",
    "Tabulated",
    "ThresholdTally",
    "Wins",
]


def __getattr__(name: str) -> Any:
    try:
        return globals()[renamed(__name__, name, {"BinnedRankTally": "RankTally"})]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
