"""All metric functions, curves and makers of scorers, as in `sklearn.metrics`."""

import sys
from typing import Any

from skmetrics_ext._deprecated import REPLACED, deprecated
from skmetrics_ext._lazy import lazy_names

_MODULES = (
    "skmetrics_ext.metrics.",
    "skmetrics_ext.curves",
    "skmetrics_ext.inference.calibration_intervals",
    "skmetrics_ext.inference.classification_report",
    "skmetrics_ext.scoring.many",
    "skmetrics_ext.thresholds.at_thresholds",
)
_TESTS = ("hosmer_lemeshow_test", "spiegelhalter_test")  # they moved to `significance`
_SCORING = "skmetrics_ext.scoring"  # and of its modules only those above


def _places() -> dict[str, str]:
    """The module of each public function of a metric, curve or scorer."""
    places = sys.modules["skmetrics_ext"]._places().items()
    return {
        name: at
        for name, at in places
        if name.islower() and (at == _SCORING or at.startswith(_MODULES))
    }


_get, __dir__ = lazy_names(__name__, _places)


def __getattr__(name: str) -> Any:
    if name in _TESTS or REPLACED.get(name, ("",))[0].startswith(_MODULES):
        return deprecated(name, __name__)
    return _get(name)
