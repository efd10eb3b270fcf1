"""ROC, precision-recall, gain and lift curves."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.curves import Curves, precision_recall_curves, roc_curves
from skmetrics_ext.metrics.rankings import gains, risk_coverage
from skmetrics_ext.metrics.rankings.operating_points import (
    precision_at_recall,
    sensitivity_at_specificity,
)
from skmetrics_ext.metrics.rankings.precision_recall import average_precision_score
from skmetrics_ext.metrics.rankings.roc_auc import roc_auc_score
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.curve_display import MEAN, BandSpec, CurveDisplay, Line
from skmetrics_ext.plotting.display import document_display

_AREA = partial(roc_auc_score, multi_class="ovr")
_ROC_BAND = BandSpec(
    partial(sensitivity_at_specificity, method="interpolated"), x=lambda at: 1 - at
)
_PR_BAND = BandSpec(partial(precision_at_recall, method="interpolated"))


def _lines(curves: Curves, metric: Any, band: BandSpec) -> list[Line]:
    return [
        Line(name, curve.columns(), curve.area, metric=metric, band=band)
        for name, curve in curves.named().items()
    ]


@document_display
class RocCurvesDisplay(CurveDisplay):
    """ROC curves of each class against the rest and their averages, or of the folds.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, with these options:

    - ``drop_intermediate=True``: leave out points inside straight segments;
    {average_options}
    {curve_options}
    - ``grid`` (folds): false positive rates of the mean curve (101 by default).

    The mean curve averages the true positive rates of the folds at each false positive rate; its
    AUC is the mean of theirs, with Nadeau and Bengio's interval.

    Parameters
    ----------
    lines : sequence of Line
        Curves, with columns ``threshold``, ``fpr`` and ``tpr`` and the area as ``value``.
    {curve_parameters}

    Attributes
    ----------
    {curve_attributes}

    See Also
    --------
    roc_curves : The numbers.

    References
    ----------
    Fawcett (2006), Pattern Recognition Letters 27(8), 861-874.

    Examples
    --------
    >>> from skmetrics_ext import RocCurvesDisplay
    >>> display = RocCurvesDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display.lines[0].value
    0.75
    """

    x, y, averaged = "fpr", "tpr", ("tpr",)
    x_label, y_label = "False positive rate (1 − specificity)", "True positive rate (recall)"
    value_name = "AUC"
    legend_at = "lower right"
    size = (5.2, 5.0)
    sides = "either"
    reference = ([0, 1], [0, 1], "chance")
    grid = np.append(0.0, np.linspace(0, 1, 101))  # twice 0, for the rise from the corner

    @classmethod
    def _read(cls, rows: Any, *, drop_intermediate: bool = True) -> list[Line]:
        curves = roc_curves(rows, rows, drop_intermediate=drop_intermediate)
        return _lines(curves, _AREA, _ROC_BAND)

    @classmethod
    def _at(cls, line: Line, column: str, grid: Array) -> Array:
        values = super()._at(line, column, grid)
        if grid[0] == grid[1]:
            values[0] = 0.0
        return values


@document_display
class PrecisionRecallCurvesDisplay(CurveDisplay):
    """Precision-recall curves of each class and their averages, or of the folds.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, with these options:

    - ``drop_intermediate=False``: leave out points between the first and the last of each recall;
    {average_options}
    {curve_options}
    - ``grid`` (folds): recalls of the mean curve (101 by default).

    The mean curve averages the precisions of the folds at the highest threshold that reaches each
    recall; its average precision is the mean of theirs, with Nadeau and Bengio's interval. Chance
    is the prevalence, drawn if there is a single curve.

    Parameters
    ----------
    lines : sequence of Line
        Curves, with columns ``threshold``, ``precision`` and ``recall`` and the average
        precision as ``value``.
    {curve_parameters}

    Attributes
    ----------
    {curve_attributes}

    See Also
    --------
    precision_recall_curves : The numbers.

    References
    ----------
    Davis & Goadrich (2006), Proceedings of the 23rd ICML, 233-240.

    Examples
    --------
    >>> from skmetrics_ext import PrecisionRecallCurvesDisplay
    >>> scores = [0.1, 0.4, 0.35, 0.8]
    >>> display = PrecisionRecallCurvesDisplay.from_predictions([0, 0, 1, 1], scores)
    >>> round(display.lines[0].value, 4)
    0.8333
    """

    x, y, averaged = "recall", "precision", ("precision",)
    x_label, y_label = "Recall", "Precision"
    value_name = "AP"
    drawstyle = "steps-pre"
    legend_at = "lower left"
    size = (5.2, 5.0)

    @classmethod
    def _read(cls, rows: Any, *, drop_intermediate: bool = False) -> list[Line]:
        curves = precision_recall_curves(rows, rows, drop_intermediate=drop_intermediate)
        return _lines(curves, average_precision_score, _PR_BAND)

    @classmethod
    def _at(cls, line: Line, column: str, grid: Array) -> Array:
        return line.columns[column][np.searchsorted(line.columns["recall"], grid)]

    def _draw_references(self, ax: Any) -> None:
        if len(self._curves) == 1 and not self.lines[-1].is_average:
            # The precision if every row is predicted positive, averaged over folds: their mean
            # curve stops before, at the highest threshold of recall 1.
            ends = [line.columns["precision"][-1] for line in self.lines if line.fold != MEAN]
            prevalence = float(np.mean(ends))
            label = f"chance (prevalence {prevalence:.3f})"
            axes.draw_reference(ax, [0, 1], [prevalence, prevalence], label)


@document_display
class GainDisplay(CurveDisplay):
    """Cumulative gain: share of the positives among the best-scored share of the rows.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, with these options:

    {class_options}
    {curve_options}
    - ``grid`` (folds): shares of the rows for the mean curve.

    The number in the legend is the gain capture: the area above chance, divided by the area of a
    perfect ranking. The band is the band of the lift, times the share of the rows.

    Parameters
    ----------
    lines : sequence of Line
        Curves, with columns ``threshold``, ``rate``, ``gain`` and ``perfect``, and the gain
        capture as ``value``.
    {curve_parameters}

    Attributes
    ----------
    {curve_attributes}

    See Also
    --------
    gain_curve : The numbers.

    References
    ----------
    Ling & Li (1998), Proceedings of KDD-98, 73-79.

    Examples
    --------
    >>> from skmetrics_ext import GainDisplay
    >>> display = GainDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display.columns()["gain"].tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """

    x, y, averaged = "rate", "gain", ("gain", "perfect")
    x_label = "Share of the rows predicted positive"
    y_label = "Share of the positives found (recall)"
    value_name = "gain capture"
    reference, bound = ([0, 1], [0, 1], "chance"), ("perfect", "perfect")
    legend_at = "lower right"
    size = (5.2, 5.0)

    @classmethod
    def _line(cls, label: Any, problem: Any) -> Line:
        curve = gains.gain_curve(problem, problem)
        columns = {"threshold": curve.thresholds, **curve.columns(), "perfect": perfect_gain(curve)}
        band = BandSpec(gains.lift_score, y=lambda rate, lift: rate * lift)
        capture = float(gains.gain_capture_score(problem, problem))
        return Line(label, columns, capture, metric=gains.gain_capture_score, band=band)


@document_display
class RiskCoverageDisplay(CurveDisplay):
    """Error rate of the answered rows over the share that a model answers.

    Made by ``risk_coverage_curve(...).plot()``, or by ``from_predictions`` of whether each
    prediction is right and of its confidence, with these options:

    {curve_options}

    Parameters
    ----------
    lines : sequence of Line
        Curves, with columns ``threshold``, ``coverage``, ``risk``, ``low`` and ``high``, and the
        AURC as ``value``.
    {curve_parameters}

    Attributes
    ----------
    {curve_attributes}

    See Also
    --------
    risk_coverage_curve : The numbers.

    References
    ----------
    El-Yaniv & Wiener (2010), Journal of Machine Learning Research 11, 1605-1641.

    Examples
    --------
    >>> from skmetrics_ext import RiskCoverageDisplay
    >>> right, confidence = [True, True, False, True], [0.9, 0.8, 0.7, 0.6]
    >>> display = RiskCoverageDisplay.from_predictions(right, confidence)
    >>> display.columns()["risk"].round(3).tolist()
    [0.0, 0.0, 0.333, 0.25]
    """

    x, y, averaged = "coverage", "risk", ("risk",)
    x_label, y_label = "Coverage (share of the rows answered)", "Risk (share of errors)"
    value_name = "AURC"

    @classmethod
    def _line(cls, label: Any, problem: Any) -> Line:
        columns = risk_coverage.curve_of(problem).columns()
        return Line(label, columns, risk_coverage.aurc(problem, problem))

    def _draw_references(self, ax: Any) -> None:
        for line in self.lines:
            low, high = line.columns["low"], line.columns["high"]
            ax.fill_between(line.columns["coverage"], low, high, alpha=0.15, linewidth=0)


def perfect_gain(curve: gains.GainCurve) -> Array:
    """Gain of a ranking with all positives first."""
    return np.minimum(curve.rate / max(curve.prevalence, 1e-300), 1.0)


@document_display
class LiftDisplay(CurveDisplay):
    """Lift: prevalence among the best-scored share of the rows, relative to all rows.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, with these options:

    - ``at=0.1``: share of the rows at which the legend shows the lift;
    {class_options}
    {curve_options}
    - ``grid`` (folds): shares of the rows for the mean curve.

    Parameters
    ----------
    lines : sequence of Line
        Curves, with columns ``threshold``, ``rate``, ``lift`` and ``perfect``, the highest possible
        lift.
    {curve_parameters}

    Attributes
    ----------
    {curve_attributes}

    See Also
    --------
    lift_curve : The numbers.

    References
    ----------
    Ling & Li (1998), Proceedings of KDD-98, 73-79.

    Examples
    --------
    >>> from skmetrics_ext import LiftDisplay
    >>> display = LiftDisplay.from_predictions([0, 0, 0, 1], [0.1, 0.4, 0.35, 0.8])
    >>> display.columns()["lift"].round(3).tolist()
    [4.0, 2.0, 1.333, 1.0]
    """

    x, y, averaged = "rate", "lift", ("lift", "perfect")
    x_label, y_label = "Share of the rows predicted positive", "Lift"
    bounds = (0.0, np.inf)
    reference, bound = ([0, 1], [1, 1], "chance"), ("perfect", "perfect")
    grid = np.linspace(0.01, 1, 100)  # undefined where no row is predicted positive

    @classmethod
    def _line(cls, label: Any, problem: Any, *, at: float = 0.1) -> Line:
        curve = gains.lift_curve(problem, problem)
        prevalence = float(np.average(problem.true, weights=problem.weight))
        perfect = 1 / np.maximum(curve.rate, prevalence)
        columns = {"threshold": curve.thresholds, **curve.columns(), "perfect": perfect}
        metric = partial(gains.lift_score, fraction=at)
        value = float(metric(problem, problem))
        return Line(label, columns, value, metric=metric, band=BandSpec(gains.lift_score))

    def _value_name(self, line: Line) -> str:
        return "" if line.metric is None else f"lift at {line.metric.keywords['fraction']:.4g}:"

    def _finish_axes(self, ax: Any) -> None:
        ax.set_xlim(0, 1)
        ax.set_ylim(bottom=0)
