"""Precision-recall curves."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np

from skmetrics_ext.curves import precision_recall_curves
from skmetrics_ext.metrics.rankings.operating_points import precision_at_recall
from skmetrics_ext.metrics.rankings.precision_recall import average_precision_score
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import drawing
from skmetrics_ext.plotting.bands import banded, check_band, told_as
from skmetrics_ext.plotting.curve_display import CurveDisplay
from skmetrics_ext.plotting.docstrings import document_display
from skmetrics_ext.plotting.lines import MEAN, Line
from skmetrics_ext.validation import Scores

_precision = partial(precision_at_recall, method="interpolated")  # what is drawn, nearly


@document_display
class PrecisionRecallCurvesDisplay(CurveDisplay):
    """Precision-recall curves of every class with their averages, or of every fold.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, which take beside their own arguments:

    - ``curves``: which to draw, by class, "micro" or "macro"; all by default, and of folds of
      several classes "macro";
    - ``drop_intermediate=False``: leave out points between the first and the last of one recall;
    - of one set of rows ``curve_band``: "pointwise" or "simultaneous" intervals of the precision
      around the curves of classes, as the function of this name finds them (None by default),
      with ``confidence_level=0.95`` and ``groups``, which rows depend on each other;
    - of folds: ``grid``, the recalls of the mean (101 by default), and ``confidence_level=0.95``
      of its interval.

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
    metric = staticmethod(average_precision_score)
    drawstyle = "steps-pre"
    legend_at = "lower left"
    size = (5.2, 5.0)

    @classmethod
    def _of_rows(
        cls,
        rows: Scores,
        name: str | None,
        *,
        curve_band: str | None = None,
        confidence_level: float = 0.95,
        groups: Any = None,
        **options: Any,
    ) -> Self:
        check_band(curve_band)
        display = super()._of_rows(rows, name, **options)
        if curve_band is not None:
            about = curve_band, confidence_level, groups
            at = _precision, cls.x, lambda recall: recall
            display.lines = banded(display.lines, rows, *at, *about)
            display.band_label = told_as(curve_band, confidence_level)
        return display

    @classmethod
    def _read(cls, rows: Any, *, drop_intermediate: bool = False) -> list[Line]:
        found = precision_recall_curves(rows, rows, drop_intermediate=drop_intermediate)
        return [Line(name, curve.columns(), curve.area) for name, curve in found.named().items()]

    @classmethod
    def _at(cls, line: Line, column: str, grid: Array) -> Array:
        return line.columns[column][np.searchsorted(line.columns["recall"], grid)]

    def _draw_references(self, ax: Any) -> None:
        if self._n_curves == 1 and not self.lines[-1].is_average:
            # Where every row is predicted positive; of folds, on average. Their mean curve is
            # drawn at the highest threshold of each recall and does not get there.
            ends = [line.columns["precision"][-1] for line in self.lines if line.fold != MEAN]
            prevalence = float(np.mean(ends))
            label = f"chance (prevalence {prevalence:.3f})"
            drawing.draw_reference(ax, [0, 1], [prevalence, prevalence], label)
