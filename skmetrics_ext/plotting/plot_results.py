"""The drawing function of each class of results, which ``.plot()`` looks up by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from skmetrics_ext.curve_tables import kinds
from skmetrics_ext.curve_tables.lines import Kind, Line, LineTable
from skmetrics_ext.curves import Curves, PrecisionRecallCurve, RocCurve
from skmetrics_ext.merged.ranges import ThinnedCurve
from skmetrics_ext.metrics.calibration.binning import CalibrationCurve
from skmetrics_ext.metrics.rankings.gains import GainCurve, LiftCurve
from skmetrics_ext.metrics.rankings.net_benefit import NetBenefitCurve
from skmetrics_ext.metrics.rankings.precision_recall_gain import PrecisionRecallGainCurve
from skmetrics_ext.metrics.rankings.risk_coverage import RiskCoverageCurve
from skmetrics_ext.plotting import curve_kinds, interval_charts
from skmetrics_ext.plotting.cross_validation import CrossValidationDisplay
from skmetrics_ext.plotting.curve_display import CurveDisplay
from skmetrics_ext.result_bases import CurveResult
from skmetrics_ext.validation import check_option

_METRICS = "metrics"
KINDS: Mapping[str, type[CurveDisplay]] = {
    "roc": curve_kinds.RocCurvesDisplay,
    "precision_recall": curve_kinds.PrecisionRecallCurvesDisplay,
    "calibration": curve_kinds.CalibrationDisplay,
    "gain": curve_kinds.GainDisplay,
    "lift": curve_kinds.LiftDisplay,
    "decision": curve_kinds.DecisionCurveDisplay,
    "threshold": curve_kinds.ThresholdDisplay,
}


class _PrecisionRecallGainKind(Kind):
    """Precision gain over recall gain."""

    x, y, averaged = "recall_gain", "precision_gain", ("precision_gain",)
    x_label, y_label = "Recall gain", "Precision gain"
    value_name = "AUPRG"


class _PrecisionRecallGain(CurveDisplay):
    """Precision gain over recall gain."""

    _kind = _PrecisionRecallGainKind
    legend_at = "lower left"


_CURVES: Mapping[type, type[CurveDisplay]] = {
    RocCurve: curve_kinds.RocCurvesDisplay,
    PrecisionRecallCurve: curve_kinds.PrecisionRecallCurvesDisplay,
    PrecisionRecallGainCurve: _PrecisionRecallGain,
    GainCurve: curve_kinds.GainDisplay,
    LiftCurve: curve_kinds.LiftDisplay,
    RiskCoverageCurve: curve_kinds.RiskCoverageDisplay,
    NetBenefitCurve: curve_kinds.DecisionCurveDisplay,
    ThinnedCurve: curve_kinds.RocCurvesDisplay,
}

_WITH_AREA = (RocCurve, PrecisionRecallCurve, PrecisionRecallGainCurve)


def draw_curve(result: CurveResult, ax: Any = None, name: str | None = None) -> Any:
    """Draw one or several curves; return the display."""
    if isinstance(result, CalibrationCurve):
        return curve_kinds.CalibrationDisplay(
            [kinds.ReliabilityLine.of_curve(result)], name=name
        ).plot(ax)
    curves = result.named() if isinstance(result, Curves) else {None: result}
    shape = _CURVES[type(next(iter(curves.values())))]
    lines = [
        Line(label, _columns(curve), curve.area if isinstance(curve, _WITH_AREA) else float("nan"))
        for label, curve in curves.items()
    ]
    table = LineTable(tuple(lines), name)
    if getattr(result, "standardized", False):
        table.y_label = kinds.STANDARDIZED
    return shape(table).plot(ax)


def _columns(curve: CurveResult) -> Mapping[str, Any]:
    """Columns of a curve by the names that its display uses."""
    if isinstance(curve, ThinnedCurve):
        return {"fpr": curve.false_positive_rate, "tpr": curve.true_positive_rate}
    if isinstance(curve, GainCurve):
        return curve.columns() | {"perfect": kinds.perfect_gain(curve)}
    return curve.columns()


def draw_report(report: Any, kind: str, ax: Any, options: Mapping[str, Any]) -> Any:
    """Draw the metrics of a report, or the curves of all models but the baseline."""
    check_option("kind", kind, (_METRICS, *KINDS))
    if kind == _METRICS:
        return CrossValidationDisplay.from_report(report, ax=ax, **options)
    options = {"confidence_level": report.confidence_level, **options}
    return KINDS[kind].from_report(report, ax=ax, **options)


PICTURES: Mapping[str, Callable[..., Any]] = {
    "CurveBand": interval_charts.draw_band,
    "CurveResult": draw_curve,
    "Estimate": interval_charts.draw_estimate,
    "CrossValidationReport": draw_report,
    "Estimates": interval_charts.draw_estimates,
    "Leaderboard": interval_charts.draw_leaderboard,
    "NemenyiResult": interval_charts.draw_ranks,
    "SearchReport": interval_charts.draw_candidates,
    "WeakSlices": interval_charts.draw_slices,
}
