"""Classification metrics for scikit-learn: exact, fast, fold-safe.

Public names are imported on first use; ``__init__.pyi`` lists them for editors.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any
from warnings import warn

from skmetrics_ext._lazy import lazy_names, places_of

__version__ = "0.2.0"

# Public names by module, without the metrics, which the registry lists.
_MODULES = {
    "backends": "PartitionError evaluate",
    "curves": "precision_recall_curves roc_curves",
    "inference.area_power": "roc_auc_power roc_auc_sample_size",
    "inference.bands": "curve_band",
    "inference.calibration_intervals": "calibration_curve_binned calibration_slope_intercept",
    "inference.classification_report": "classification_report",
    "inference.compare": "compare",
    "inference.compare_samples": "compare_samples",
    "inference.confidence_interval": "confidence_interval influence_values",
    "inference.nested_cv": "nested_cv_interval",
    "inference.proportions": "proportion_interval",
    "inference.sample_size": "sample_size",
    "inference.tests.contingency": (
        "bowker_test classifier_f_test cochran_q_test mcnemar_test no_information_test "
        "stuart_maxwell_test"
    ),
    "inference.tests.delong": "delong_test",
    "inference.tests.fold_tests": (
        "bayesian_correlated_ttest corrected_resampled_interval corrected_resampled_ttest "
        "five_by_two_cv_ftest five_by_two_cv_ttest"
    ),
    "inference.tests.rank_tests": (
        "average_ranks friedman_test holm_adjust nemenyi_test wilcoxon_signed_rank_test"
    ),
    "inference.tests.roc_curves": "mwu_auc_test venkatraman_test",
    "inference.two_proportions": "proportion_difference_interval ratio_interval",
    "metrics.calibration.decomposition": "brier_decomposition corp_decomposition",
    "metrics.calibration.goodness_of_fit": "hosmer_lemeshow_test spiegelhalter_test",
    "metrics.labels.paired_rates": "class_likelihood_ratios",
    "metrics.labels.summaries": (
        "confusion_statistic confusion_statistics multilabel_confusion_matrix "
        "precision_recall_fscore_support"
    ),
    "metrics.rankings.curve_arrays": (
        "auc confusion_matrix_at_thresholds det_curve precision_recall_curve roc_curve"
    ),
    "metrics.rankings.gains": "gain_curve lift_curve",
    "metrics.rankings.net_benefit": "net_benefit_curve",
    "metrics.rankings.precision_recall_gain": "precision_recall_gain_curve",
    "plotting": (
        "CalibrationDisplay ConfusionMatrixDisplay CrossValidationDisplay DecisionCurveDisplay "
        "GainDisplay LiftDisplay PrecisionRecallCurvesDisplay RocCurvesDisplay ThresholdDisplay"
    ),
    "registry": "METRICS MetricSpec",
    "report": "CrossValidationReport cross_validation_report",
    "report.compare_many": "compare_many",
    "report.search.result": "SearchReport",
    "report.search.search_report": "search_report",
    "report.search.simplest": "simplest_within",
    "report.weak_slices": "weak_slices",
    "scoring": "Scorer ScorerPanel get_scorer get_scorer_names make_scorer",
    "scoring.many": "compute_metrics",
    "streaming": "Accumulator",
    "thresholds": "optimal_threshold optimal_threshold_interval",
    "thresholds.at_thresholds": "metric_at_thresholds",
    "thresholds.optimizer": "ThresholdOptimizerCV",
}
# Modules whose names are deprecated at the top level.
_MOVED_TO = ("results", "tallies")


@cache
def _places() -> dict[str, str]:
    """The module of each public name."""
    functions = import_module("skmetrics_ext.registry.table").FUNCTIONS
    metrics = {name: function.__module__ for name, function in functions.items()}
    return metrics | places_of(_MODULES)


def _pictures() -> Mapping[str, Callable[..., Any]]:
    """Drawing functions by the class of the result, loaded at the first picture."""
    return import_module("skmetrics_ext.plotting.plot_results").PICTURES


_get, __dir__ = lazy_names(__name__, _places)


def __getattr__(name: str) -> Any:
    try:
        return _get(name)
    except AttributeError:
        for home in map(_get, () if name.startswith("_") else _MOVED_TO):
            if name in home.__all__:
                old, new = f"{__name__}.{name}", f"{home.__name__}.{name}"
                message = f"{old} is deprecated and will be removed in version 0.3: use {new}."
                warn(message, DeprecationWarning, stacklevel=2)
                return getattr(home, name)
        raise
