"""Precision-recall curves."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.curves import precision_recall_curves
from skmetrics_ext.metrics.rankings.operating_points import precision_at_recall
from skmetrics_ext.metrics.rankings.precision_recall import average_precision_score
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.curve_display import MEAN, BandSpec, CurveDisplay, Line
from skmetrics_ext.plotting.documentation import document_display

_BAND = BandSpec(partial(precision_at_recall, method="interpolated"))


@document_display
class PrecisionRecallCurvesDisplay(CurveDisplay):
    """Precision-recall curves of every class with their averages, or of every fold.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, with these options:

    - ``drop_intermediate=False``: leave out points between the first and the last of one recall;
    {average_options}
    - of folds: ``grid``, the recalls of the mean (101 by default).

    The mean over folds at a recall is that of their precisions at the highest threshold that
    reaches it; its average precision is the mean of theirs, with Nadeau and Bengio's interval.
    Chance is the prevalence, drawn where there is one curve alone.

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
        return [
            Line(name, curve.columns(), curve.area, metric=average_precision_score, band=_BAND)
            for name, curve in curves.named().items()
        ]

    @classmethod
    def _at(cls, line: Line, column: str, grid: Array) -> Array:
        return line.columns[column][np.searchsorted(line.columns["recall"], grid)]

    def _draw_references(self, ax: Any) -> None:
        if self._is_one_class and not self.lines[-1].is_average:
            # Where every row is predicted positive; of folds, on average. Their mean curve is
            # drawn at the highest threshold of each recall and does not get there.
            ends = [line.columns["precision"][-1] for line in self.lines if line.fold != MEAN]
            prevalence = float(np.mean(ends))
            label = f"chance (prevalence {prevalence:.3f})"
            axes.draw_reference(ax, [0, 1], [prevalence, prevalence], label)
