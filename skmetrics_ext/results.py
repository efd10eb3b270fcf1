"""Public result classes, each imported on first use."""

from skmetrics_ext._lazy import lazy_names, places_of

_MODULES = {
    "inference.bands": "CurveBand",
    "inference.calibration_intervals": "CalibrationLine",
    "inference.results": "Comparison Estimate TestResult",
    "inference.area_power": "SampleSize",
    "inference.sample_size": "RowsNeeded",
    "inference.tests.delong": "DelongTest",
    "inference.tests.fold_tests": "BayesianComparison",
    "inference.tests.rank_tests": "NemenyiResult",
    "metrics.calibration.binning": "CalibrationCurve",
    "metrics.calibration.decomposition": "ScoreDecomposition",
    "metrics.calibration.goodness_of_fit": "CalibrationTest",
    "metrics.rankings.gains": "GainCurve LiftCurve",
    "metrics.rankings.net_benefit": "NetBenefitCurve",
    "metrics.rankings.precision_recall_gain": "PrecisionRecallGainCurve",
    "report.compare_many": "ManyComparisons",
    "report.weak_slices": "WeakSlices",
    "requirements": "Verdicts",
    "rows": "Row Rows",
    "scoring": "PanelResult",
    "slices.group_comparisons": "GroupGaps GroupSpread WorstGroup",
    "thresholds": "OptimalThreshold ThresholdInterval",
}
_PLACES = places_of(_MODULES)
__getattr__, __dir__ = lazy_names(__name__, lambda: _PLACES)
