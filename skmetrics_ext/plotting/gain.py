"""Cumulative gain."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.metrics.rankings.gain_curves import gain_curve
from skmetrics_ext.metrics.rankings.gains import gain_capture_score
from skmetrics_ext.plotting import drawing
from skmetrics_ext.plotting.curve_display import CurveDisplay
from skmetrics_ext.plotting.lines import Line
from skmetrics_ext.plotting.scored import binary_problems
from skmetrics_ext.validation import Scores


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
    name : str, default=None
        Name of the model.
    positive : object, default=None
        The positive class, for binary data.
    undefined : mapping of int to str, default=None
        Folds that have no curve, and why.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    lines_, fold_lines_ : list of matplotlib lines
        Of the curves, or of their means, and of the folds.
    line_ : matplotlib line
        The first of ``lines_``.

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
    def _read(cls, rows: Scores) -> list[Line]:
        lines = []
        for label, problem in binary_problems(rows):
            curve = gain_curve(problem, problem)
            columns = {
                "threshold": curve.thresholds,
                "rate": curve.rate,
                "gain": curve.gain,
                "perfect": np.minimum(curve.rate / max(curve.prevalence, 1e-300), 1.0),
            }
            lines.append(Line(label, columns, gain_capture_score(problem, problem)))
        return lines

    def _draw_references(self, ax: Any) -> None:
        if self._n_curves == 1:
            columns = self.lines[-1].columns
            look = {"color": "black", "linestyle": (0, (1, 1.5))}
            drawing.draw_reference(ax, columns["rate"], columns["perfect"], "perfect", **look)
        drawing.draw_reference(ax, [0, 1], [0, 1], "chance")
