"""Frozen values that merge: what every metric reads.

A tally is made from predictions, combines with others of its kind, and equals the tally of
all the rows together. Leading axes hold folds, groups or bootstrap replicates.
"""

from skmetrics_ext.tallies.binned import BinnedRankTally, ScoreSketch
from skmetrics_ext.tallies.confusion import ConfusionTally
from skmetrics_ext.tallies.counts import Counts
from skmetrics_ext.tallies.moments import MomentTally
from skmetrics_ext.tallies.ranks import RankTally

__all__ = ["BinnedRankTally", "ConfusionTally", "Counts", "MomentTally", "RankTally", "ScoreSketch"]
