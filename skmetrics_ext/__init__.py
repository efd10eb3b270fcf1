"""Classification metrics for scikit-learn: exact, fast, fold-safe."""

from typing import TYPE_CHECKING, Any

from skmetrics_ext.curves import precision_recall_curves, roc_curves
from skmetrics_ext.inference.adjustment import holm_adjust
from skmetrics_ext.inference.compare import compare
from skmetrics_ext.inference.contingency import (
    classifier_f_test,
    cochran_q_test,
    mcnemar_test,
    no_information_test,
)
from skmetrics_ext.inference.delong import DelongTest, delong_test
from skmetrics_ext.inference.differences import proportion_difference_interval, ratio_interval
from skmetrics_ext.inference.five_by_two import five_by_two_cv_ftest, five_by_two_cv_ttest
from skmetrics_ext.inference.fold_tests import (
    BayesianComparison,
    bayesian_correlated_ttest,
    corrected_resampled_interval,
    corrected_resampled_ttest,
)
from skmetrics_ext.inference.intervals import confidence_interval
from skmetrics_ext.inference.mann_whitney import mwu_auc_test
from skmetrics_ext.inference.nested_cv import nested_cv_interval
from skmetrics_ext.inference.power import SampleSize, roc_auc_power, roc_auc_sample_size
from skmetrics_ext.inference.proportions import proportion_interval
from skmetrics_ext.inference.rank_tests import (
    NemenyiResult,
    average_ranks,
    friedman_test,
    nemenyi_test,
)
from skmetrics_ext.inference.results import Comparison, Estimate, TestResult
from skmetrics_ext.inference.signed_rank import wilcoxon_signed_rank_test
from skmetrics_ext.inference.symmetry import bowker_test, stuart_maxwell_test
from skmetrics_ext.inference.venkatraman import venkatraman_test
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
    expected_cost_proba,
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
from skmetrics_ext.metrics.fbeta import fbeta_score
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
from skmetrics_ext.scoring import (
    PanelResult,
    Scorer,
    ScorerPanel,
    get_scorer,
    get_scorer_names,
    make_scorer,
)
from skmetrics_ext.tallies import ConfusionTally, Counts, MomentTally, RankTally, ScoreSketch
from skmetrics_ext.thresholds import OptimalThreshold, optimal_threshold
from skmetrics_ext.thresholds.at_thresholds import metric_at_thresholds

if TYPE_CHECKING:
    from skmetrics_ext.backends import PartitionError, evaluate
    from skmetrics_ext.plotting import (
        CalibrationDisplay,
        ConfusionMatrixDisplay,
        CrossValidationDisplay,
        DecisionCurveDisplay,
        GainDisplay,
        LiftDisplay,
        PrecisionRecallCurvesDisplay,
        RocCurvesDisplay,
        ThresholdDisplay,
    )
    from skmetrics_ext.streaming import Accumulator
    from skmetrics_ext.thresholds.optimizer import ThresholdOptimizerCV

__version__ = "0.1.0"

# What inherits from scikit-learn, or draws, is imported when first asked for: name -> module.
_DISPLAYS = (
    "CalibrationDisplay",
    "ConfusionMatrixDisplay",
    "CrossValidationDisplay",
    "DecisionCurveDisplay",
    "GainDisplay",
    "LiftDisplay",
    "PrecisionRecallCurvesDisplay",
    "RocCurvesDisplay",
    "ThresholdDisplay",
)
_LATE = {
    "Accumulator": "skmetrics_ext.streaming",
    "PartitionError": "skmetrics_ext.backends",
    "evaluate": "skmetrics_ext.backends",
    "ThresholdOptimizerCV": "skmetrics_ext.thresholds.optimizer",
    **dict.fromkeys(_DISPLAYS, "skmetrics_ext.plotting"),
}

__all__ = [
    "METRICS",
    "Accumulator",
    "BayesianComparison",
    "CalibrationCurve",
    "CalibrationDisplay",
    "CalibrationLine",
    "CalibrationTest",
    "Comparison",
    "ConfusionMatrixDisplay",
    "ConfusionTally",
    "Counts",
    "CrossValidationDisplay",
    "CrossValidationReport",
    "DecisionCurveDisplay",
    "DelongTest",
    "Estimate",
    "GainCurve",
    "GainDisplay",
    "LiftCurve",
    "LiftDisplay",
    "MetricSpec",
    "MomentTally",
    "NemenyiResult",
    "NetBenefitCurve",
    "OptimalThreshold",
    "PanelResult",
    "PartitionError",
    "PrecisionRecallCurvesDisplay",
    "PrecisionRecallGainCurve",
    "RankTally",
    "RocCurvesDisplay",
    "SampleSize",
    "ScoreDecomposition",
    "ScoreSketch",
    "Scorer",
    "ScorerPanel",
    "TestResult",
    "ThresholdDisplay",
    "ThresholdOptimizerCV",
    "accuracy_score",
    "auc",
    "auprg_score",
    "average_precision_score",
    "average_ranks",
    "averaged_confusion",
    "balanced_accuracy_score",
    "bayesian_correlated_ttest",
    "bowker_test",
    "brennan_prediger_score",
    "brier_decomposition",
    "brier_score_loss",
    "brier_skill_score",
    "calibration_curve_binned",
    "calibration_slope_intercept",
    "class_likelihood_ratios",
    "classification_report",
    "classifier_f_test",
    "cochran_q_test",
    "cohen_kappa_score",
    "compare",
    "compute_metrics",
    "confidence_interval",
    "confusion_matrix",
    "confusion_matrix_at_thresholds",
    "confusion_statistic",
    "confusion_statistics",
    "corp_decomposition",
    "corrected_resampled_interval",
    "corrected_resampled_ttest",
    "cross_validation_report",
    "d2_brier_score",
    "d2_log_loss_score",
    "delong_test",
    "det_curve",
    "detection_prevalence",
    "detection_rate",
    "diagnostic_odds_ratio",
    "equal_error_rate",
    "error_rate",
    "evaluate",
    "expected_calibration_error",
    "expected_cost",
    "expected_cost_proba",
    "f1_gain_score",
    "f1_score",
    "false_discovery_rate",
    "false_negative_rate",
    "false_omission_rate",
    "false_positive_rate",
    "fbeta_of_averages_score",
    "fbeta_score",
    "five_by_two_cv_ftest",
    "five_by_two_cv_ttest",
    "fowlkes_mallows_index_score",
    "friedman_test",
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
    "holm_adjust",
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
    "mcnemar_test",
    "metric_at_thresholds",
    "multilabel_confusion_matrix",
    "mwu_auc_test",
    "negative_likelihood_ratio",
    "negative_predictive_value_score",
    "nemenyi_test",
    "nested_cv_interval",
    "net_benefit",
    "net_benefit_curve",
    "no_information_rate",
    "no_information_test",
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
    "proportion_difference_interval",
    "proportion_interval",
    "ranked_probability_score",
    "ratio_interval",
    "recall_at_precision",
    "recall_gain_score",
    "recall_score",
    "roc_auc_convex_hull_score",
    "roc_auc_power",
    "roc_auc_sample_size",
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
    "stuart_maxwell_test",
    "top_k_accuracy_score",
    "venkatraman_test",
    "wilcoxon_signed_rank_test",
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
