"""All metric functions, curves and makers of scorers, as in `sklearn.metrics`."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

# Names of other modules that `sklearn.metrics` has too, or that extend such a name.
_OTHERS = {
    "calibration_curve_binned",
    "classification_report",
    "compute_metrics",
    "get_scorer",
    "get_scorer_names",
    "make_scorer",
    "metric_at_thresholds",
    "precision_recall_curves",
    "roc_curves",
}


def _names() -> list[str]:
    places = import_module("skmetrics_ext")._places()
    own = (name for name, module in places.items() if module.startswith(__name__))
    return sorted(_OTHERS.union(own))


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return _names()
    if not name.startswith("_"):
        if find_spec(f"{__name__}.{name}"):
            return import_module(f"{__name__}.{name}")
        if name in _names():
            return getattr(import_module("skmetrics_ext"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return _names()
