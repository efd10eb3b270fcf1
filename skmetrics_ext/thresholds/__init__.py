"""Exact choice of decision thresholds.

The estimator, `optimizer.ThresholdOptimizerCV`, needs scikit-learn and is imported when asked for.
"""

from skmetrics_ext.thresholds.search import OptimalThreshold, optimal_threshold
from skmetrics_ext.thresholds.uncertainty import ThresholdInterval, optimal_threshold_interval

__all__ = [
    "OptimalThreshold",
    "ThresholdInterval",
    "optimal_threshold",
    "optimal_threshold_interval",
]
