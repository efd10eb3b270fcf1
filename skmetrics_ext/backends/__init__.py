"""Metrics of data that outgrow memory or the machine, by the engine that already runs there."""

from skmetrics_ext.backends.evaluation import evaluate
from skmetrics_ext.backends.partitions import PartitionError

__all__ = ["PartitionError", "evaluate"]
