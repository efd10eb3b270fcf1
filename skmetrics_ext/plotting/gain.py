"""Cumulative gain."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.metrics.rankings.gains import GainCurve, gain_capture_score, gain_curve
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import drawing
from skmetrics_ext.plotting.curve_display import CurveDisplay
from skmetrics_ext.plotting.docstrings import document_display
from skmetrics_ext.plotting.lines import Line


@document_display
class GainDisplay(CurveDisplay):
    """Cumulative gain: share of the positives found by acting on the best-scored share of rows.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, which take beside their own arguments ``curves``, the classes to draw (of more
    than two, each against the rest), and of folds ``grid``, the shares of rows of the mean, and
    ``confidence_level=0.95``.

    The number in the legend is the gain capture: the area above chance, over that of a perfect
    ranking.

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
    legend_at = "lower right"
    size = (5.2, 5.0)

    @classmethod
    def _line(cls, label: Any, problem: Any) -> Line:
        curve = gain_curve(problem, problem)
        columns = {"threshold": curve.thresholds, "rate": curve.rate, "gain": curve.gain}
        capture = gain_capture_score(problem, problem)
        return Line(label, {**columns, "perfect": perfect_gain(curve)}, capture)

    def _draw_references(self, ax: Any) -> None:
        self._draw_bound(ax, "perfect", "perfect")
        drawing.draw_reference(ax, [0, 1], [0, 1], "chance")


def perfect_gain(curve: GainCurve) -> Array:
    """What a ranking finds that has all the positives first."""
    return np.minimum(curve.rate / max(curve.prevalence, 1e-300), 1.0)
