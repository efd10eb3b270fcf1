"""The classes of results, each imported when it is first used."""

from importlib import import_module
from typing import Any

_MODULES = {
    "inference.bands": "CurveBand",
    "inference.pilots": "RowsNeeded",
    "inference.power": "SampleSize",
    "inference.results": "Comparison Estimate TestResult",
    "inference.tests.delong": "DelongTest",
    "inference.tests.fold_tests": "BayesianComparison",
    "inference.tests.rank_tests": "NemenyiResult",
    "metrics.calibration.binning": "CalibrationCurve",
    "metrics.calibration.decomposition": "ScoreDecomposition",
    "metrics.calibration.goodness_of_fit": "CalibrationTest",
    "metrics.calibration.recalibration": "CalibrationLine",
    "metrics.rankings.gains": "GainCurve LiftCurve",
    "metrics.rankings.net_benefit": "NetBenefitCurve",
    "metrics.rankings.precision_recall_gain": "PrecisionRecallGainCurve",
    "report.compare_many": "ManyComparisons",
    "report.weak_slices": "WeakSlices",
    "rows": "Row Rows",
    "scoring": "PanelResult",
    "slices.group_comparisons": "GroupGaps GroupSpread WorstGroup",
    "thresholds": "OptimalThreshold ThresholdInterval",
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names.split()}
__all__ = sorted(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"skmetrics_ext.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
