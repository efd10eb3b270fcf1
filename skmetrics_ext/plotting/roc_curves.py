"""ROC curves."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.curves import roc_curves
from skmetrics_ext.metrics.rankings.operating_points import sensitivity_at_specificity
from skmetrics_ext.metrics.rankings.roc_auc import roc_auc_score
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.curve_display import BandSpec, CurveDisplay, Line
from skmetrics_ext.plotting.documentation import document_display

_AREA = partial(roc_auc_score, multi_class="ovr")
_BAND = BandSpec(partial(sensitivity_at_specificity, method="interpolated"), x=lambda at: 1 - at)


@document_display
class RocCurvesDisplay(CurveDisplay):
    """ROC curves of every class against the rest with their averages, or of every fold.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, with these options:

    - ``drop_intermediate=True``: leave out points in the middle of straight lines;
    {average_options}
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
    legend_at = "lower right"
    size = (5.2, 5.0)
    sides = "either"
    grid = np.append(0.0, np.linspace(0, 1, 101))  # twice 0, for the rise from the corner

    @classmethod
    def _read(cls, rows: Any, *, drop_intermediate: bool = True) -> list[Line]:
        curves = roc_curves(rows, rows, drop_intermediate=drop_intermediate)
        return [
            Line(name, curve.columns(), curve.area, metric=_AREA, band=_BAND)
            for name, curve in curves.named().items()
        ]

    @classmethod
    def _at(cls, line: Line, column: str, grid: Array) -> Array:
        values = super()._at(line, column, grid)
        if grid[0] == grid[1]:
            values[0] = 0.0
        return values

    def _draw_references(self, ax: Any) -> None:
        axes.draw_reference(ax, [0, 1], [0, 1], "chance")
