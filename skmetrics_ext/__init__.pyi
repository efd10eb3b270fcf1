"""Public names and their modules, for editors and for loading on first use."""

from collections.abc import Callable, Mapping
from typing import Any

from skmetrics_ext.backends import PartitionError as PartitionError
from skmetrics_ext.backends import evaluate as evaluate
from skmetrics_ext.curves import precision_recall_curves as precision_recall_curves
from skmetrics_ext.curves import roc_curves as roc_curves
from skmetrics_ext.inference.arithmetic import estimate as estimate
from skmetrics_ext.inference.arithmetic import mean as mean
from skmetrics_ext.inference.arithmetic import pass_at_k as pass_at_k
from skmetrics_ext.inference.bands import curve_band as curve_band
from skmetrics_ext.inference.calibration_intervals import (
    calibration_curve_binned as calibration_curve_binned,
)
from skmetrics_ext.inference.calibration_intervals import (
    calibration_slope_intercept as calibration_slope_intercept,
)
from skmetrics_ext.inference.classification_report import (
    classification_report as classification_report,
)
from skmetrics_ext.inference.compare import compare as compare
from skmetrics_ext.inference.compare_samples import compare_samples as compare_samples
from skmetrics_ext.inference.confidence_interval import confidence_interval as confidence_interval
from skmetrics_ext.inference.confidence_interval import influence_values as influence_values
from skmetrics_ext.inference.label_plan import label_plan as label_plan
from skmetrics_ext.inference.pooling import pool as pool
from skmetrics_ext.inference.sample_size import sample_size as sample_size
from skmetrics_ext.inference.simultaneous import holm_adjust as holm_adjust
from skmetrics_ext.inference.t_tests import delong_test as delong_test
from skmetrics_ext.inference.tests.contingency import mcnemar_test as mcnemar_test
from skmetrics_ext.inference.tests.fold_tests import (
    bayesian_correlated_ttest as bayesian_correlated_ttest,
)
from skmetrics_ext.inference.tests.fold_tests import (
    corrected_resampled_interval as corrected_resampled_interval,
)
from skmetrics_ext.inference.tests.fold_tests import (
    corrected_resampled_ttest as corrected_resampled_ttest,
)
from skmetrics_ext.inference.tests.rank_tests import nemenyi_test as nemenyi_test
from skmetrics_ext.inference.two_proportions import proportion_interval as proportion_interval
from skmetrics_ext.inference.two_proportions import ratio_interval as ratio_interval
from skmetrics_ext.metrics.calibration.calibration_error import (
    expected_calibration_error as expected_calibration_error,
)
from skmetrics_ext.metrics.calibration.calibration_error import (
    smooth_calibration_error as smooth_calibration_error,
)
from skmetrics_ext.metrics.calibration.calibration_index import (
    integrated_calibration_index as integrated_calibration_index,
)
from skmetrics_ext.metrics.calibration.decomposition import (
    brier_decomposition as brier_decomposition,
)
from skmetrics_ext.metrics.calibration.decomposition import corp_decomposition as corp_decomposition
from skmetrics_ext.metrics.calibration.recalibration import (
    observed_expected_ratio as observed_expected_ratio,
)
from skmetrics_ext.metrics.labels.accuracy import accuracy_score as accuracy_score
from skmetrics_ext.metrics.labels.accuracy import confusion_matrix as confusion_matrix
from skmetrics_ext.metrics.labels.accuracy import error_rate as error_rate
from skmetrics_ext.metrics.labels.accuracy import zero_one_loss as zero_one_loss
from skmetrics_ext.metrics.labels.agreement import brennan_prediger_score as brennan_prediger_score
from skmetrics_ext.metrics.labels.agreement import cohen_kappa_score as cohen_kappa_score
from skmetrics_ext.metrics.labels.agreement import matthews_corrcoef as matthews_corrcoef
from skmetrics_ext.metrics.labels.agreement import scott_pi_score as scott_pi_score
from skmetrics_ext.metrics.labels.combined_rates import averaged_confusion as averaged_confusion
from skmetrics_ext.metrics.labels.combined_rates import (
    balanced_accuracy_score as balanced_accuracy_score,
)
from skmetrics_ext.metrics.labels.combined_rates import (
    fbeta_of_averages_score as fbeta_of_averages_score,
)
from skmetrics_ext.metrics.labels.combined_rates import fbeta_score as fbeta_score
from skmetrics_ext.metrics.labels.combined_rates import geometric_mean_score as geometric_mean_score
from skmetrics_ext.metrics.labels.combined_rates import (
    index_balanced_accuracy_score as index_balanced_accuracy_score,
)
from skmetrics_ext.metrics.labels.combined_rates import no_information_rate as no_information_rate
from skmetrics_ext.metrics.labels.costs import expected_cost as expected_cost
from skmetrics_ext.metrics.labels.costs import expected_cost_proba as expected_cost_proba
from skmetrics_ext.metrics.labels.costs import hamming_loss as hamming_loss
from skmetrics_ext.metrics.labels.costs import (
    macro_averaged_mean_absolute_error as macro_averaged_mean_absolute_error,
)
from skmetrics_ext.metrics.labels.costs import savings_score as savings_score
from skmetrics_ext.metrics.labels.hierarchical import hierarchical_f1 as hierarchical_f1
from skmetrics_ext.metrics.labels.hierarchical import (
    hierarchical_precision as hierarchical_precision,
)
from skmetrics_ext.metrics.labels.hierarchical import hierarchical_recall as hierarchical_recall
from skmetrics_ext.metrics.labels.paired_rates import (
    class_likelihood_ratios as class_likelihood_ratios,
)
from skmetrics_ext.metrics.labels.paired_rates import diagnostic_odds_ratio as diagnostic_odds_ratio
from skmetrics_ext.metrics.labels.paired_rates import (
    fowlkes_mallows_index_score as fowlkes_mallows_index_score,
)
from skmetrics_ext.metrics.labels.paired_rates import markedness_score as markedness_score
from skmetrics_ext.metrics.labels.paired_rates import (
    negative_likelihood_ratio as negative_likelihood_ratio,
)
from skmetrics_ext.metrics.labels.paired_rates import (
    positive_likelihood_ratio as positive_likelihood_ratio,
)
from skmetrics_ext.metrics.labels.paired_rates import youden_j_score as youden_j_score
from skmetrics_ext.metrics.labels.prediction_sets import (
    prediction_set_coverage as prediction_set_coverage,
)
from skmetrics_ext.metrics.labels.prediction_sets import prediction_set_size as prediction_set_size
from skmetrics_ext.metrics.labels.raters import fleiss_kappa_score as fleiss_kappa_score
from skmetrics_ext.metrics.labels.raters import gwet_ac1_score as gwet_ac1_score
from skmetrics_ext.metrics.labels.raters import krippendorff_alpha_score as krippendorff_alpha_score
from skmetrics_ext.metrics.labels.rates import detection_prevalence as detection_prevalence
from skmetrics_ext.metrics.labels.rates import f1_score as f1_score
from skmetrics_ext.metrics.labels.rates import false_discovery_rate as false_discovery_rate
from skmetrics_ext.metrics.labels.rates import false_negative_rate as false_negative_rate
from skmetrics_ext.metrics.labels.rates import false_omission_rate as false_omission_rate
from skmetrics_ext.metrics.labels.rates import false_positive_rate as false_positive_rate
from skmetrics_ext.metrics.labels.rates import jaccard_score as jaccard_score
from skmetrics_ext.metrics.labels.rates import (
    negative_predictive_value_score as negative_predictive_value_score,
)
from skmetrics_ext.metrics.labels.rates import precision_score as precision_score
from skmetrics_ext.metrics.labels.rates import prevalence as prevalence
from skmetrics_ext.metrics.labels.rates import recall_score as recall_score
from skmetrics_ext.metrics.labels.rates import specificity_score as specificity_score
from skmetrics_ext.metrics.labels.summaries import confusion_statistic as confusion_statistic
from skmetrics_ext.metrics.labels.summaries import confusion_statistics as confusion_statistics
from skmetrics_ext.metrics.labels.summaries import (
    multilabel_confusion_matrix as multilabel_confusion_matrix,
)
from skmetrics_ext.metrics.labels.summaries import (
    precision_recall_fscore_support as precision_recall_fscore_support,
)
from skmetrics_ext.metrics.probabilities.losses import brier_score_loss as brier_score_loss
from skmetrics_ext.metrics.probabilities.losses import hinge_loss as hinge_loss
from skmetrics_ext.metrics.probabilities.losses import log_loss as log_loss
from skmetrics_ext.metrics.probabilities.scores import brier_skill_score as brier_skill_score
from skmetrics_ext.metrics.probabilities.scores import d2_brier_score as d2_brier_score
from skmetrics_ext.metrics.probabilities.scores import d2_log_loss_score as d2_log_loss_score
from skmetrics_ext.metrics.probabilities.scores import (
    ranked_probability_score as ranked_probability_score,
)
from skmetrics_ext.metrics.probabilities.scores import spherical_score as spherical_score
from skmetrics_ext.metrics.rankings.curve_arrays import auc as auc
from skmetrics_ext.metrics.rankings.curve_arrays import (
    confusion_matrix_at_thresholds as confusion_matrix_at_thresholds,
)
from skmetrics_ext.metrics.rankings.curve_arrays import det_curve as det_curve
from skmetrics_ext.metrics.rankings.curve_arrays import (
    precision_recall_curve as precision_recall_curve,
)
from skmetrics_ext.metrics.rankings.curve_arrays import roc_curve as roc_curve
from skmetrics_ext.metrics.rankings.gains import gain_capture_score as gain_capture_score
from skmetrics_ext.metrics.rankings.gains import gain_curve as gain_curve
from skmetrics_ext.metrics.rankings.gains import ks_statistic_score as ks_statistic_score
from skmetrics_ext.metrics.rankings.gains import lift_curve as lift_curve
from skmetrics_ext.metrics.rankings.gains import lift_score as lift_score
from skmetrics_ext.metrics.rankings.h_measure import h_measure_score as h_measure_score
from skmetrics_ext.metrics.rankings.label_ranking import coverage_error as coverage_error
from skmetrics_ext.metrics.rankings.label_ranking import dcg_score as dcg_score
from skmetrics_ext.metrics.rankings.label_ranking import (
    label_ranking_average_precision_score as label_ranking_average_precision_score,
)
from skmetrics_ext.metrics.rankings.label_ranking import label_ranking_loss as label_ranking_loss
from skmetrics_ext.metrics.rankings.label_ranking import ndcg_score as ndcg_score
from skmetrics_ext.metrics.rankings.net_benefit import net_benefit as net_benefit
from skmetrics_ext.metrics.rankings.net_benefit import net_benefit_curve as net_benefit_curve
from skmetrics_ext.metrics.rankings.operating_points import equal_error_rate as equal_error_rate
from skmetrics_ext.metrics.rankings.operating_points import (
    precision_at_recall as precision_at_recall,
)
from skmetrics_ext.metrics.rankings.operating_points import (
    recall_at_precision as recall_at_precision,
)
from skmetrics_ext.metrics.rankings.operating_points import (
    sensitivity_at_specificity as sensitivity_at_specificity,
)
from skmetrics_ext.metrics.rankings.operating_points import (
    specificity_at_sensitivity as specificity_at_sensitivity,
)
from skmetrics_ext.metrics.rankings.precision_recall import (
    average_precision_score as average_precision_score,
)
from skmetrics_ext.metrics.rankings.precision_recall import pr_auc_score as pr_auc_score
from skmetrics_ext.metrics.rankings.precision_recall_gain import auprg_score as auprg_score
from skmetrics_ext.metrics.rankings.precision_recall_gain import (
    precision_recall_gain_curve as precision_recall_gain_curve,
)
from skmetrics_ext.metrics.rankings.risk_coverage import augrc as augrc
from skmetrics_ext.metrics.rankings.risk_coverage import aurc as aurc
from skmetrics_ext.metrics.rankings.risk_coverage import e_aurc as e_aurc
from skmetrics_ext.metrics.rankings.risk_coverage import risk_coverage_curve as risk_coverage_curve
from skmetrics_ext.metrics.rankings.roc_auc import gini_score as gini_score
from skmetrics_ext.metrics.rankings.roc_auc import pairwise_roc_auc as pairwise_roc_auc
from skmetrics_ext.metrics.rankings.roc_auc import partial_roc_auc_score as partial_roc_auc_score
from skmetrics_ext.metrics.rankings.roc_auc import (
    roc_auc_convex_hull_score as roc_auc_convex_hull_score,
)
from skmetrics_ext.metrics.rankings.roc_auc import roc_auc_score as roc_auc_score
from skmetrics_ext.metrics.rankings.top_k import top_k_accuracy_score as top_k_accuracy_score
from skmetrics_ext.operations.gains_table import gains_table as gains_table
from skmetrics_ext.operations.leaderboard import leaderboard as leaderboard
from skmetrics_ext.plotting import CalibrationDisplay as CalibrationDisplay
from skmetrics_ext.plotting import ConfusionMatrixDisplay as ConfusionMatrixDisplay
from skmetrics_ext.plotting import DecisionCurveDisplay as DecisionCurveDisplay
from skmetrics_ext.plotting import GainDisplay as GainDisplay
from skmetrics_ext.plotting import LiftDisplay as LiftDisplay
from skmetrics_ext.plotting import PrecisionRecallCurvesDisplay as PrecisionRecallCurvesDisplay
from skmetrics_ext.plotting import RiskCoverageDisplay as RiskCoverageDisplay
from skmetrics_ext.plotting import RocCurvesDisplay as RocCurvesDisplay
from skmetrics_ext.plotting import ThresholdDisplay as ThresholdDisplay
from skmetrics_ext.registry import METRICS as METRICS
from skmetrics_ext.report import cross_validation_report as cross_validation_report
from skmetrics_ext.report.search.search_report import search_report as search_report
from skmetrics_ext.report.search.simplest import simplest_within as simplest_within
from skmetrics_ext.scoring import ScorerPanel as ScorerPanel
from skmetrics_ext.scoring import get_scorer as get_scorer
from skmetrics_ext.scoring import get_scorer_names as get_scorer_names
from skmetrics_ext.scoring import make_scorer as make_scorer
from skmetrics_ext.scoring.many import compute_metrics as compute_metrics
from skmetrics_ext.slices.weak_slices import weak_slices as weak_slices
from skmetrics_ext.streaming import Accumulator as Accumulator
from skmetrics_ext.thresholds.at_thresholds import metric_at_thresholds as metric_at_thresholds
from skmetrics_ext.thresholds.optimal import optimal_threshold as optimal_threshold
from skmetrics_ext.thresholds.optimizer import ThresholdOptimizerCV as ThresholdOptimizerCV

__version__: str

def _places() -> dict[str, str]: ...
def _pictures() -> Mapping[str, Callable[..., Any]]: ...
