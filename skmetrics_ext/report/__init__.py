"""Cross-validation of several models on the same folds, against a baseline."""

from skmetrics_ext.report.cv_report import CrossValidationReport
from skmetrics_ext.report.fold import FoldResult
from skmetrics_ext.report.run import cross_validation_report

__all__ = ["CrossValidationReport", "FoldResult", "cross_validation_report"]
