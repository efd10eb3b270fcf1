"""Classification metrics for scikit-learn: exact, fast, fold-safe.

Public names are imported on first use; ``__init__.pyi`` lists them, the registry the metrics.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any
from warnings import warn

from skmetrics_ext._deprecated import MOVED, REPLACED, deprecated
from skmetrics_ext._lazy import deprecation, lazy_names, places_in_stub

__version__ = "0.3.0"


@cache
def _places() -> dict[str, str]:
    """The module of each public name; a new metric is public before it is in the stub."""
    functions = import_module("skmetrics_ext.registry.table").FUNCTIONS
    metrics = {name: function.__module__ for name, function in functions.items()}
    return metrics | places_in_stub(__name__)


def _pictures() -> Mapping[str, Callable[..., Any]]:
    """Drawing functions by the class of the result, loaded at the first picture."""
    return import_module("skmetrics_ext.plotting.plot_results").PICTURES


_get, __dir__ = lazy_names(__name__, _places)


# scikit-learn's displays of one curve -> ours, of one or several.
_OF_ONE_CURVE = {
    "RocCurveDisplay": "RocCurvesDisplay",
    "PrecisionRecallDisplay": "PrecisionRecallCurvesDisplay",
}


def __getattr__(name: str) -> Any:
    name = _OF_ONE_CURVE.get(name, name)
    if name in MOVED or name in REPLACED:
        return deprecated(name)
    try:
        return _get(name)
    except AttributeError:
        # Modules whose names are deprecated at the top level.
        for home in map(_get, () if name.startswith("_") else ("results", "tallies")):
            if name in home.__all__:
                message = deprecation(f"{__name__}.{name}", f"{home.__name__}.{name}")
                warn(message, DeprecationWarning, stacklevel=2)
                return getattr(home, name)
        raise
