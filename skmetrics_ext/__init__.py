"""Classification metrics for scikit-learn: exact, fast, fold-safe."""

from typing import TYPE_CHECKING, Any

from skmetrics_ext.curves import precision_recall_curves, roc_curves
from skmetrics_ext.inference.results import Comparison, Estimate, TestResult
from skmetrics_ext.metrics.accuracy import (
    accuracy_score,
    confusion_matrix,
    error_rate,
    zero_one_loss,
)
from skmetrics_ext.metrics.agreement import (
    brennan_prediger_score,
    cohen_kappa_score,
    gwet_ac1_score,
    matthews_corrcoef,
    scott_pi_score,
)
from skmetrics_ext.metrics.calibration.curve import CalibrationCurve, calibration_curve_binned
from skmetrics_ext.metrics.calibration.decomposition import (
    ScoreDecomposition,
    brier_decomposition,
    corp_decomposition,
)
from skmetrics_ext.metrics.calibration.errors import expected_calibration_error
from skmetrics_ext.metrics.calibration.goodness_of_fit import (
    CalibrationTest,
    hosmer_lemeshow_test,
    spiegelhalter_test,
)
from skmetrics_ext.metrics.calibration.recalibration import (
    CalibrationLine,
    calibration_slope_intercept,
    observed_expected_ratio,
)
from skmetrics_ext.metrics.calibration.smooth import smooth_calibration_error
from skmetrics_ext.metrics.composite import (
    averaged_confusion,
    balanced_accuracy_score,
    fbeta_of_averages_score,
    no_information_rate,
)
from skmetrics_ext.metrics.costs import (
    expected_cost,
    hamming_loss,
    macro_averaged_mean_absolute_error,
)
from skmetrics_ext.metrics.curve_arrays import (
    auc,
    confusion_matrix_at_thresholds,
    det_curve,
    precision_recall_curve,
    roc_curve,
)
from skmetrics_ext.metrics.equal_error import equal_error_rate
from skmetrics_ext.metrics.gain_curves import GainCurve, LiftCurve, gain_curve, lift_curve
from skmetrics_ext.metrics.gains import gain_capture_score, ks_statistic_score, lift_score
from skmetrics_ext.metrics.h_measure import h_measure_score
from skmetrics_ext.metrics.hinge import hinge_loss
from skmetrics_ext.metrics.imbalance import geometric_mean_score, index_balanced_accuracy_score
from skmetrics_ext.metrics.krippendorff import krippendorff_alpha_score
from skmetrics_ext.metrics.likelihood import class_likelihood_ratios
from skmetrics_ext.metrics.losses import brier_score_loss, log_loss
from skmetrics_ext.metrics.net_benefit import NetBenefitCurve, net_benefit, net_benefit_curve
from skmetrics_ext.metrics.operating_points import (
    precision_at_recall,
    recall_at_precision,
    sensitivity_at_specificity,
    specificity_at_sensitivity,
)
from skmetrics_ext.metrics.partial_auc import partial_roc_auc_score, roc_auc_convex_hull_score
from skmetrics_ext.metrics.precision_recall import average_precision_score, pr_auc_score
from skmetrics_ext.metrics.precision_recall_gain import (
    PrecisionRecallGainCurve,
    auprg_score,
    f1_gain_score,
    precision_gain_score,
    precision_recall_gain_curve,
    recall_gain_score,
)
from skmetrics_ext.metrics.proper_scores import ranked_probability_score, spherical_score
from skmetrics_ext.metrics.ranking import gini_score, pairwise_roc_auc, roc_auc_score
from skmetrics_ext.metrics.rates import (
    detection_prevalence,
    detection_rate,
    diagnostic_odds_ratio,
    f1_score,
    false_discovery_rate,
    false_negative_rate,
    false_omission_rate,
    false_positive_rate,
    fbeta_score,
    fowlkes_mallows_index_score,
    jaccard_score,
    markedness_score,
    negative_likelihood_ratio,
    negative_predictive_value_score,
    positive_likelihood_ratio,
    precision_score,
    prevalence,
    recall_score,
    specificity_score,
    youden_j_score,
)
from skmetrics_ext.metrics.report import (
    classification_report,
)
from skmetrics_ext.metrics.skill_scores import brier_skill_score, d2_brier_score, d2_log_loss_score
from skmetrics_ext.metrics.statistics import confusion_statistic, confusion_statistics
from skmetrics_ext.metrics.summaries import (
    multilabel_confusion_matrix,
    precision_recall_fscore_support,
)
from skmetrics_ext.metrics.top_k import top_k_accuracy_score
from skmetrics_ext.panel import compute_metrics
from skmetrics_ext.registry import METRICS, MetricSpec
from skmetrics_ext.report import CrossValidationReport, cross_validation_report
from skmetrics_ext.scoring import Scorer, get_scorer, get_scorer_names, make_scorer
from skmetrics_ext.tallies import ConfusionTally, Counts, MomentTally, RankTally
from skmetrics_ext.thresholds import OptimalThreshold, optimal_threshold
from skmetrics_ext.thresholds.at_thresholds import metric_at_thresholds

if TYPE_CHECKING:
    from skmetrics_ext.thresholds.optimizer import ThresholdOptimizerCV

__version__ = "0.1.0"

# What inherits from scikit-learn is imported when it is first asked for: name -> module.
_LATE = {"ThresholdOptimizerCV": "skmetrics_ext.thresholds.optimizer"}

__all__ = [
    "METRICS",
    "CalibrationCurve",
    "CalibrationLine",
    "CalibrationTest",
    "Comparison",
    "ConfusionTally",
    "Counts",
    "CrossValidationReport",
    "Estimate",
    "GainCurve",
    "LiftCurve",
    "MetricSpec",
    "MomentTally",
    "NetBenefitCurve",
    "OptimalThreshold",
    "PrecisionRecallGainCurve",
    "RankTally",
    "ScoreDecomposition",
    "Scorer",
    "TestResult",
    "ThresholdOptimizerCV",
    "accuracy_score",
    "auc",
    "auprg_score",
    "average_precision_score",
    "averaged_confusion",
    "balanced_accuracy_score",
    "brennan_prediger_score",
    "brier_decomposition",
    "brier_score_loss",
    "brier_skill_score",
    "calibration_curve_binned",
    "calibration_slope_intercept",
    "class_likelihood_ratios",
    "classification_report",
    "cohen_kappa_score",
    "compute_metrics",
    "confusion_matrix",
    "confusion_matrix_at_thresholds",
    "confusion_statistic",
    "confusion_statistics",
    "corp_decomposition",
    "cross_validation_report",
    "d2_brier_score",
    "d2_log_loss_score",
    "det_curve",
    "detection_prevalence",
    "detection_rate",
    "diagnostic_odds_ratio",
    "equal_error_rate",
    "error_rate",
    "expected_calibration_error",
    "expected_cost",
    "f1_gain_score",
    "f1_score",
    "false_discovery_rate",
    "false_negative_rate",
    "false_omission_rate",
    "false_positive_rate",
    "fbeta_of_averages_score",
    "fbeta_score",
    "fowlkes_mallows_index_score",
    "gain_capture_score",
    "gain_curve",
    "geometric_mean_score",
    "get_scorer",
    "get_scorer_names",
    "gini_score",
    "gwet_ac1_score",
    "h_measure_score",
    "hamming_loss",
    "hinge_loss",
    "hosmer_lemeshow_test",
    "index_balanced_accuracy_score",
    "jaccard_score",
    "krippendorff_alpha_score",
    "ks_statistic_score",
    "lift_curve",
    "lift_score",
    "log_loss",
    "macro_averaged_mean_absolute_error",
    "make_scorer",
    "markedness_score",
    "matthews_corrcoef",
    "metric_at_thresholds",
    "multilabel_confusion_matrix",
    "negative_likelihood_ratio",
    "negative_predictive_value_score",
    "net_benefit",
    "net_benefit_curve",
    "no_information_rate",
    "observed_expected_ratio",
    "optimal_threshold",
    "pairwise_roc_auc",
    "partial_roc_auc_score",
    "positive_likelihood_ratio",
    "pr_auc_score",
    "precision_at_recall",
    "precision_gain_score",
    "precision_recall_curve",
    "precision_recall_curves",
    "precision_recall_fscore_support",
    "precision_recall_gain_curve",
    "precision_score",
    "prevalence",
    "ranked_probability_score",
    "recall_at_precision",
    "recall_gain_score",
    "recall_score",
    "roc_auc_convex_hull_score",
    "roc_auc_score",
    "roc_curve",
    "roc_curves",
    "scott_pi_score",
    "sensitivity_at_specificity",
    "smooth_calibration_error",
    "specificity_at_sensitivity",
    "specificity_score",
    "spherical_score",
    "spiegelhalter_test",
    "top_k_accuracy_score",
    "youden_j_score",
    "zero_one_loss",
]


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LATE[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
