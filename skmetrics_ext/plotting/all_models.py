"""All models of a report on one picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skmetrics_ext.plotting.curve_display import CurveDisplay
from skmetrics_ext.plotting.decision import DecisionCurveDisplay
from skmetrics_ext.plotting.display import ScoreDisplay
from skmetrics_ext.plotting.gain import GainDisplay
from skmetrics_ext.plotting.lift import LiftDisplay
from skmetrics_ext.plotting.models_over_folds import CrossValidationDisplay
from skmetrics_ext.plotting.precision_recall_curves import PrecisionRecallCurvesDisplay
from skmetrics_ext.plotting.reliability import CalibrationDisplay
from skmetrics_ext.plotting.roc_curves import RocCurvesDisplay
from skmetrics_ext.plotting.scored import report_rows, scored_folds
from skmetrics_ext.plotting.threshold import ThresholdDisplay
from skmetrics_ext.validation import check_option

_METRICS = "metrics"
KINDS: Mapping[str, type[ScoreDisplay]] = {
    "roc": RocCurvesDisplay,
    "precision_recall": PrecisionRecallCurvesDisplay,
    "calibration": CalibrationDisplay,
    "gain": GainDisplay,
    "lift": LiftDisplay,
    "decision": DecisionCurveDisplay,
    "threshold": ThresholdDisplay,
}


def draw(report: Any, kind: str, ax: Any, options: Mapping[str, Any]) -> Any:
    """The picture of a kind; the baseline is drawn where it is alone."""
    check_option("kind", kind, (_METRICS, *KINDS))
    if kind == _METRICS:
        return CrossValidationDisplay.from_report(report, ax=ax, **options)
    models = [name for name in report.models if name != report.baseline] or list(report.models)
    display, look = KINDS[kind], dict(options)
    if len(models) > 1 and issubclass(display, CurveDisplay):
        look = {"folds": False, "band": None} | look  # those of several hide each other
    for model in models:
        drawn = display.from_report(report, model, name=model, ax=ax, **look)
        ax = drawn.ax_
    return drawn


def computed(report: Any, kind: str, model: str, **options: Any) -> Any:
    """The display of a model, computed but not drawn, for which matplotlib is not needed."""
    display: Any = KINDS[kind]
    asked = display._asked(report.positive_class, "auto")
    rows = report_rows(report, model, asked["methods"], display.__name__, display.pools)
    folds = scored_folds(rows, report.data.y, **asked)
    options["confidence_level"] = report.confidence_level
    return display._of_folds(folds, model, **options)._of_report(report, model)
