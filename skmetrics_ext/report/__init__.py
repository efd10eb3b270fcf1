"""Cross-validation of several models on the same folds, against a baseline."""

from skmetrics_ext.report.cross_validation import cross_validation_report
from skmetrics_ext.report.cv_report import CrossValidationReport
from skmetrics_ext.report.fold import FoldResult

__all__ = ["CrossValidationReport", "FoldResult", "cross_validation_report"]
