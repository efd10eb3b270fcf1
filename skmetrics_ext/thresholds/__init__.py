"""Exact choice of decision thresholds.

`optimizer.ThresholdOptimizerCV` inherits from scikit-learn and is imported only on use.
"""

from skmetrics_ext.thresholds.search import OptimalThreshold, optimal_threshold
from skmetrics_ext.thresholds.uncertainty import ThresholdInterval, optimal_threshold_interval

__all__ = [
    "OptimalThreshold",
    "ThresholdInterval",
    "optimal_threshold",
    "optimal_threshold_interval",
]
