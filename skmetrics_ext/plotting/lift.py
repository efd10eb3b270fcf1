"""Lift."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.metrics.rankings.gains import lift_curve
from skmetrics_ext.plotting import drawing
from skmetrics_ext.plotting.curve_display import CurveDisplay
from skmetrics_ext.plotting.docstrings import document_display
from skmetrics_ext.plotting.lines import Line


@document_display
class LiftDisplay(CurveDisplay):
    """Lift: how many times richer in positives the best-scored share of the rows is than all.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, which take beside their own arguments ``curves``, the classes to draw (of more
    than two, each against the rest), and of folds ``grid``, the shares of rows of the mean, and
    ``confidence_level=0.95``.

    Parameters
    ----------
    lines : sequence of Line
        Curves, with columns ``threshold``, ``rate``, ``lift`` and ``perfect``, the highest lift
        that there can be.
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
    grid = np.linspace(0.01, 1, 100)  # there is none where no row is predicted positive

    @classmethod
    def _line(cls, label: Any, problem: Any) -> Line:
        curve = lift_curve(problem, problem)
        prevalence = float(np.average(problem.true, weights=problem.weight))
        perfect = 1 / np.maximum(curve.rate, prevalence)
        columns = {"threshold": curve.thresholds, "rate": curve.rate, "lift": curve.lift}
        return Line(label, {**columns, "perfect": perfect})

    def _draw_references(self, ax: Any) -> None:
        self._draw_bound(ax, "perfect", "perfect")
        drawing.draw_reference(ax, [0, 1], [1, 1], "chance")

    def _set_limits(self, ax: Any) -> None:
        ax.set_xlim(0, 1)
        ax.set_ylim(bottom=0)
