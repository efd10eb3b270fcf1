"""Frozen values that merge: what every metric reads.

A tally is made from predictions, combines with others of its kind, and equals the tally of
all the rows together. Leading axes hold folds, groups or bootstrap replicates.
"""

from skmetrics_ext.tallies.binned import BinnedRankTally, ScoreSketch
from skmetrics_ext.tallies.confusion import ConfusionTally
from skmetrics_ext.tallies.counts import Counts
from skmetrics_ext.tallies.moments import MomentTally
from skmetrics_ext.tallies.labels import LabelTally, ThresholdTally
from skmetrics_ext.tallies.ranks import RankTally, Steps
from skmetrics_ext.tallies.stretch import Stretch

__all__ = [
    "BinnedRankTally",
    "ConfusionTally",
    "Counts",
    "LabelTally",
    "MomentTally",
    "RankTally",
    "ScoreSketch",
    "Steps",
    "Stretch",
    "ThresholdTally",
]
