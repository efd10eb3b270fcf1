"""Public names and their modules, for editors and for loading on first use."""

from skmetrics_ext.inference.area_power import SampleSize as SampleSize
from skmetrics_ext.inference.bands import CurveBand as CurveBand
from skmetrics_ext.inference.calibration_intervals import CalibrationLine as CalibrationLine
from skmetrics_ext.inference.classification_report import ClassReport as ClassReport
from skmetrics_ext.inference.estimate_rows import EstimateRow as EstimateRow
from skmetrics_ext.inference.estimates import Estimates as Estimates
from skmetrics_ext.inference.label_plan import LabelPlan as LabelPlan
from skmetrics_ext.inference.pooling import PooledEstimate as PooledEstimate
from skmetrics_ext.inference.results import Comparison as Comparison
from skmetrics_ext.inference.results import Estimate as Estimate
from skmetrics_ext.inference.results import TestResult as TestResult
from skmetrics_ext.inference.sample_size import RowsNeeded as RowsNeeded
from skmetrics_ext.inference.t_tests import DelongTest as DelongTest
from skmetrics_ext.inference.tests.fold_tests import BayesianComparison as BayesianComparison
from skmetrics_ext.inference.tests.rank_tests import NemenyiResult as NemenyiResult
from skmetrics_ext.metrics.calibration.binning import CalibrationCurve as CalibrationCurve
from skmetrics_ext.metrics.calibration.decomposition import ScoreDecomposition as ScoreDecomposition
from skmetrics_ext.metrics.calibration.goodness_of_fit import CalibrationTest as CalibrationTest
from skmetrics_ext.metrics.rankings.gains import GainCurve as GainCurve
from skmetrics_ext.metrics.rankings.gains import LiftCurve as LiftCurve
from skmetrics_ext.metrics.rankings.net_benefit import NetBenefitCurve as NetBenefitCurve
from skmetrics_ext.metrics.rankings.precision_recall_gain import (
    PrecisionRecallGainCurve as PrecisionRecallGainCurve,
)
from skmetrics_ext.metrics.rankings.risk_coverage import RiskCoverageCurve as RiskCoverageCurve
from skmetrics_ext.operations.leaderboard import Leaderboard as Leaderboard
from skmetrics_ext.operations.shrinkage import ShrunkTable as ShrunkTable
from skmetrics_ext.registry import MetricSpec as MetricSpec
from skmetrics_ext.report import CrossValidationReport as CrossValidationReport
from skmetrics_ext.report.search.result import SearchReport as SearchReport
from skmetrics_ext.requirements import Verdicts as Verdicts
from skmetrics_ext.scoring import PanelResult as PanelResult
from skmetrics_ext.scoring import Scorer as Scorer
from skmetrics_ext.slices.group_comparisons import GroupSpread as GroupSpread
from skmetrics_ext.slices.weak_slices import WeakSlices as WeakSlices
from skmetrics_ext.tables import Row as Row
from skmetrics_ext.tables import Table as Table
from skmetrics_ext.thresholds.optimal import ThresholdInterval as ThresholdInterval
from skmetrics_ext.thresholds.search import OptimalThreshold as OptimalThreshold
