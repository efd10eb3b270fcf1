"""Pictures of metrics that follow the conventions of displays in scikit-learn.

Matplotlib, the optional extra ``plot``, is imported when something is drawn.
"""

from skmetrics_ext.plotting.calibration import CalibrationDisplay
from skmetrics_ext.plotting.confusion_matrix import ConfusionMatrixDisplay
from skmetrics_ext.plotting.cross_validation import CrossValidationDisplay
from skmetrics_ext.plotting.decision import DecisionCurveDisplay
from skmetrics_ext.plotting.gain import GainDisplay, LiftDisplay
from skmetrics_ext.plotting.precision_recall_curves import PrecisionRecallCurvesDisplay
from skmetrics_ext.plotting.roc_curves import RocCurvesDisplay
from skmetrics_ext.plotting.threshold import ThresholdDisplay

__all__ = [
    "CalibrationDisplay",
    "ConfusionMatrixDisplay",
    "CrossValidationDisplay",
    "DecisionCurveDisplay",
    "GainDisplay",
    "LiftDisplay",
    "PrecisionRecallCurvesDisplay",
    "RocCurvesDisplay",
    "ThresholdDisplay",
]
