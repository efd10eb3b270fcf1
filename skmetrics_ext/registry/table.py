"""METRICS: the specs of all metrics, collected from the modules of `metrics`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType, ModuleType
from typing import Any

from skmetrics_ext.metrics import calibration, labels, probabilities, rankings
from skmetrics_ext.metrics.spec import MetricSpec
from skmetrics_ext.validation import InvalidParameterError

# The order in which lists and tables show metrics, by module; others follow by their names.
_ORDER = (
    "accuracy", "rates", "paired_rates", "combined_rates", "agreement", "costs",
    "table_statistics",
    "roc_auc", "gains", "h_measure", "precision_recall_gain", "operating_points",
    "net_benefit", "precision_recall", "top_k", "label_ranking",
    "losses", "scores",
    "calibration_error", "recalibration",
)  # fmt: skip


class _Table(dict[str, MetricSpec]):
    """Specs by the name of their function; the name of a scorer finds its metric."""

    def __missing__(self, name: str) -> MetricSpec:
        from skmetrics_ext.registry.find import find  # which reads this table

        try:
            return find(name).spec
        except InvalidParameterError as error:
            raise KeyError(str(error)) from None


def _specs_of(package: ModuleType) -> Iterator[MetricSpec]:
    """The specs in the modules of a package, each in the order of its definitions."""
    names = {module.name for module in iter_modules(package.__path__)}
    first = [name for name in _ORDER if name in names]
    for name in (*first, *sorted(names.difference(first))):
        module = import_module(f"{package.__name__}.{name}")
        for function in vars(module).values():
            spec = getattr(function, "spec", None)
            if isinstance(spec, MetricSpec) and function.__module__ == module.__name__:
                yield spec


# Also the metrics that no list has: find, and so the layers above, read them like the others.
ROWS: Mapping[str, MetricSpec] = MappingProxyType(
    {
        spec.name: spec
        for package in (labels, rankings, probabilities, calibration)
        for spec in _specs_of(package)
    }
)

METRICS: Mapping[str, MetricSpec] = MappingProxyType(
    _Table({name: spec for name, spec in ROWS.items() if "unlisted" not in spec.traits})
)

# The public functions by name: statistics of the table are read by `confusion_statistic`.
FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {name: spec.function for name, spec in ROWS.items() if not hasattr(spec.function, "statistic")}
)
