"""SPECS: the specs of all metrics, collected from the modules of `metrics`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType, ModuleType
from typing import Any

from skmetrics_ext.metrics import calibration, labels, probabilities, rankings
from skmetrics_ext.metrics.spec import MetricSpec

# Order of metrics in lists and tables, by module; other modules follow alphabetically.
_ORDER = (
    "accuracy", "rates", "paired_rates", "combined_rates", "agreement", "costs",
    "table_statistics",
    "roc_auc", "gains", "h_measure", "precision_recall_gain", "operating_points",
    "net_benefit", "precision_recall", "top_k", "label_ranking",
    "losses", "scores",
    "calibration_error", "recalibration",
)  # fmt: skip


def _specs_of(package: ModuleType) -> Iterator[MetricSpec]:
    """The specs in the modules of a package, in the order of their definition."""
    names = {module.name for module in iter_modules(package.__path__)}
    first = [name for name in _ORDER if name in names]
    for name in (*first, *sorted(names.difference(first))):
        module = import_module(f"{package.__name__}.{name}")
        for function in vars(module).values():
            spec = getattr(function, "spec", None)
            if isinstance(spec, MetricSpec) and function.__module__ == module.__name__:
                yield spec


# Includes the unlisted metrics, which `find` and all layers above know like the others.
SPECS: Mapping[str, MetricSpec] = MappingProxyType(
    {
        spec.name: spec
        for package in (labels, rankings, probabilities, calibration)
        for spec in _specs_of(package)
    }
)

# Public functions by name, without statistics of the table (see `confusion_statistic`).
FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {name: spec.function for name, spec in SPECS.items() if not hasattr(spec.function, "statistic")}
)
