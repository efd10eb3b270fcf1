"""Pictures of curves that were computed before: what ``.plot()`` of a result draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skmetrics_ext.curves import Curves, PrecisionRecallCurve, RocCurve
from skmetrics_ext.merged.thinned_curve import ThinnedCurve
from skmetrics_ext.metrics.calibration.curve import CalibrationCurve
from skmetrics_ext.metrics.rankings.gains import GainCurve, LiftCurve
from skmetrics_ext.metrics.rankings.net_benefit import NetBenefitCurve
from skmetrics_ext.metrics.rankings.precision_recall_gain import PrecisionRecallGainCurve
from skmetrics_ext.plotting.curve_display import CurveDisplay
from skmetrics_ext.plotting.decision import DecisionCurveDisplay
from skmetrics_ext.plotting.gain import GainDisplay, perfect_gain
from skmetrics_ext.plotting.lift import LiftDisplay
from skmetrics_ext.plotting.lines import Line
from skmetrics_ext.plotting.precision_recall_curves import PrecisionRecallCurvesDisplay
from skmetrics_ext.plotting.reliability import CalibrationDisplay, Reliability
from skmetrics_ext.plotting.roc_curves import RocCurvesDisplay
from skmetrics_ext.results import CurveResult


class _PrecisionRecallGain(CurveDisplay):
    """Precision gain over recall gain."""

    x, y, averaged = "recall_gain", "precision_gain", ("precision_gain",)
    x_label, y_label = "Recall gain", "Precision gain"
    value_name = "AUPRG"
    legend_at = "lower left"


def draw(result: CurveResult, ax: Any = None, name: str | None = None) -> Any:
    """The display of a curve, or of several, drawn.

    Parameters
    ----------
    result : CurveResult
        What was computed.
    ax : matplotlib.axes.Axes or None
        Where to draw.
    name : str or None
        Name in the legend.

    Returns
    -------
    display
    """
    if isinstance(result, CalibrationCurve):
        own = {None: Reliability(result, float("nan"), result)}
        return CalibrationDisplay(own, name=name).plot(ax)
    several = result.named() if isinstance(result, Curves) else {None: result}
    kind = _KINDS[type(next(iter(several.values())))]
    lines = [
        Line(label, _columns(curve), curve.area if isinstance(curve, _WITH_AREA) else float("nan"))
        for label, curve in several.items()
    ]
    return kind(lines, name=name).plot(ax)


def _columns(curve: CurveResult) -> Mapping[str, Any]:
    columns = curve.columns()
    if isinstance(curve, ThinnedCurve):
        rates = curve.false_positive_rate, curve.true_positive_rate
        return dict(zip(("fpr", "tpr"), rates, strict=True))
    return columns | ({"perfect": perfect_gain(curve)} if isinstance(curve, GainCurve) else {})


_KINDS: Mapping[type, type[CurveDisplay]] = {
    RocCurve: RocCurvesDisplay,
    PrecisionRecallCurve: PrecisionRecallCurvesDisplay,
    PrecisionRecallGainCurve: _PrecisionRecallGain,
    GainCurve: GainDisplay,
    LiftCurve: LiftDisplay,
    NetBenefitCurve: DecisionCurveDisplay,
    ThinnedCurve: RocCurvesDisplay,
}
_WITH_AREA = (RocCurve, PrecisionRecallCurve, PrecisionRecallGainCurve)
