"""The drawing function of each class of results, which ``.plot()`` looks up by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from skmetrics_ext.curve_tables.kinds import KINDS, OF_RESULTS, STANDARDIZED
from skmetrics_ext.curve_tables.lines import Kind, LineTable
from skmetrics_ext.curves import Curves
from skmetrics_ext.plotting import curve_kinds, interval_charts
from skmetrics_ext.plotting.cross_validation import CrossValidationDisplay
from skmetrics_ext.plotting.curve_display import CurveDisplay
from skmetrics_ext.result_bases import CurveResult
from skmetrics_ext.validation import check_option

_METRICS = "metrics"
DISPLAYS: Mapping[type[Kind], type[CurveDisplay]] = {
    type(display._kind): display for display in curve_kinds.DISPLAYS
}


def draw_curve(result: CurveResult, ax: Any = None, name: str | None = None) -> Any:
    """Draw one or several curves; return the display."""
    curves: Mapping[Any, Any] = result.named() if isinstance(result, Curves) else {None: result}
    kind = OF_RESULTS[type(next(iter(curves.values()))).__name__]
    lines = tuple(kind.of_result(curve, label) for label, curve in curves.items())
    table = LineTable(kind, lines, name)
    if getattr(result, "standardized", False):
        table.y_label = STANDARDIZED
    return DISPLAYS.get(type(kind), CurveDisplay)(table).plot(ax)


def draw_report(report: Any, kind: str, ax: Any, options: Mapping[str, Any]) -> Any:
    """Draw the metrics of a report, or the curves of all models but the baseline."""
    check_option("kind", kind, (_METRICS, *KINDS))
    if kind == _METRICS:
        return CrossValidationDisplay.from_report(report, ax=ax, **options)
    options = {"confidence_level": report.confidence_level, **options}
    return DISPLAYS[type(KINDS[kind])].from_report(report, ax=ax, **options)


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
