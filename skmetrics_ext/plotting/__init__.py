"""Pictures of metrics that follow the conventions of displays in scikit-learn.

Matplotlib, the optional extra ``plot``, is imported when something is drawn.
"""

from skmetrics_ext.plotting.confusion_matrix import ConfusionMatrixDisplay
from skmetrics_ext.plotting.cross_validation import CrossValidationDisplay
from skmetrics_ext.plotting.curve_kinds import (
    CalibrationDisplay,
    DecisionCurveDisplay,
    GainDisplay,
    LiftDisplay,
    PrecisionRecallCurvesDisplay,
    RiskCoverageDisplay,
    RocCurvesDisplay,
    ThresholdDisplay,
)

__all__ = [
    "CalibrationDisplay",
    "ConfusionMatrixDisplay",
    "CrossValidationDisplay",
    "DecisionCurveDisplay",
    "GainDisplay",
    "LiftDisplay",
    "PrecisionRecallCurvesDisplay",
    "RiskCoverageDisplay",
    "RocCurvesDisplay",
    "ThresholdDisplay",
]
