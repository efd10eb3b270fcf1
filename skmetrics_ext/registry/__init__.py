"""METRICS, one spec per metric: read by scorers, documentation, tests and the command line.

`find` turns a name or a function into a metric: its spec and its parameters.
"""

from skmetrics_ext.metrics.spec import MetricSpec
from skmetrics_ext.registry.find import (
    METRICS,
    Metric,
    defaults_of,
    find,
    parameters_of,
    scorer_names,
    scorers,
    spec_of,
)

__all__ = [
    "METRICS",
    "Metric",
    "MetricSpec",
    "defaults_of",
    "find",
    "parameters_of",
    "scorer_names",
    "scorers",
    "spec_of",
]
