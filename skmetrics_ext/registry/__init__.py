"""METRICS, one row per metric: scorers, documentation, laws and the command line read it.

`find` is the one road from a name or a function to a row and its parameters.
"""

from skmetrics_ext.metrics.spec import MetricSpec
from skmetrics_ext.registry.find import Metric, defaults_of, find, parameters_of, scorers, spec_of
from skmetrics_ext.registry.table import METRICS

__all__ = [
    "METRICS",
    "Metric",
    "MetricSpec",
    "defaults_of",
    "find",
    "parameters_of",
    "scorers",
    "spec_of",
]
