"""ROC curves."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np

from skmetrics_ext.curves import roc_curves
from skmetrics_ext.inference.influence.areas import AUC_METHODS
from skmetrics_ext.inference.intervals import interval_of_checked
from skmetrics_ext.metrics.rankings.operating_points import sensitivity_at_specificity
from skmetrics_ext.metrics.rankings.roc_auc import roc_auc_score
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import drawing
from skmetrics_ext.plotting.bands import banded, check_band, told_as
from skmetrics_ext.plotting.curve_display import CurveDisplay
from skmetrics_ext.plotting.docstrings import document_display
from skmetrics_ext.plotting.lines import AVERAGES, Line, quietly
from skmetrics_ext.registry import find
from skmetrics_ext.validation import Scores, check_option

_sensitivity = partial(sensitivity_at_specificity, method="interpolated")  # what is drawn


@document_display
class RocCurvesDisplay(CurveDisplay):
    """ROC curves of every class against the rest with their averages, or of every fold.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, which take beside their own arguments:

    - ``curves``: which to draw, by class, "micro" or "macro"; all by default, and of folds of
      several classes "macro";
    - ``drop_intermediate=True``: leave out points in the middle of straight lines;
    - ``confidence_level=0.95`` of the intervals of the areas, and ``interval``, the method of those
      of one set of rows: "logit", "delong" or None; ``groups``, which rows depend on each other;
    - of one set of rows ``curve_band``: "pointwise" or "simultaneous" intervals of the true
      positive rate around the curves of classes, as the function of this name finds them (None
      by default);
    - of folds: ``grid``, the false positive rates of the mean (101 by default).

    The mean over folds is that of their true positive rates at each false positive rate; its
    area is the mean of theirs, with Nadeau and Bengio's interval.

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
    metric = staticmethod(roc_auc_score)
    legend_at = "lower right"
    size = (5.2, 5.0)
    sides = "either"
    grid = np.append(0.0, np.linspace(0, 1, 101))  # twice 0, for the rise from the corner

    @classmethod
    def _of_rows(
        cls,
        rows: Scores,
        name: str | None,
        *,
        interval: str | None = "logit",
        confidence_level: float = 0.95,
        groups: Any = None,
        curve_band: str | None = None,
        **options: Any,
    ) -> Self:
        check_option("interval", interval, (*AUC_METHODS, None))
        check_band(curve_band)
        display = super()._of_rows(rows, name, **options)
        if interval is not None:
            found = quietly(_intervals, rows, interval, confidence_level, groups)
            display.lines = tuple(
                replace(line, interval=found[line.curve]) for line in display.lines
            )
        if curve_band is not None:
            about = curve_band, confidence_level, groups
            at = _sensitivity, cls.x, lambda fpr: 1 - fpr
            display.lines = banded(display.lines, rows, *at, *about)
            display.band_label = told_as(curve_band, confidence_level)
        return display

    @classmethod
    def _read(cls, rows: Any, *, drop_intermediate: bool = True) -> list[Line]:
        found = roc_curves(rows, rows, drop_intermediate=drop_intermediate)
        return [Line(name, curve.columns(), curve.area) for name, curve in found.named().items()]

    @classmethod
    def _at(cls, line: Line, column: str, grid: Array) -> Array:
        values = super()._at(line, column, grid)
        if grid[0] == grid[1]:
            values[0] = 0.0
        return values

    def _draw_references(self, ax: Any) -> None:
        drawing.draw_reference(ax, [0, 1], [0, 1], "chance")


def _intervals(rows: Scores, method: str, level: float, groups: Any) -> dict[Any, Any]:
    """Area with its interval, of every curve."""
    labels = rows.classes.tolist()

    def interval(average: str | None) -> Any:
        metric = find(roc_auc_score, {"multi_class": "ovr", "average": average})
        about = {"method": method, "confidence_level": level, "groups": groups}
        return interval_of_checked(metric, rows, **about)

    if rows.kind == "binary":
        return {labels[-1]: interval("macro")}
    found = dict(zip(labels, interval(None), strict=True))
    return {name: interval(name) for name in AVERAGES} | found
