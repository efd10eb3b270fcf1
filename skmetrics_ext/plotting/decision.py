"""Decision curves."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np

from skmetrics_ext.metrics.rankings.net_benefit import net_benefit, net_benefit_curve
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.curve_display import BandSpec, CurveDisplay, Line
from skmetrics_ext.plotting.documentation import document_display
from skmetrics_ext.plotting.source import DisplaySource


@document_display
class DecisionCurveDisplay(CurveDisplay):
    """Decision curve: net benefit over the threshold probability, next to treating all and none.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, with these options:

    - ``thresholds``: threshold probabilities in [0, 1); 0.01, 0.02, ..., 0.99 by default;
    - ``prevalence``: share of the positives where the model is to be used, for case-control data;
    - ``at``: threshold whose net benefit the legend shows; for one set of rows of two classes the
      prevalence in hundredths by default, where treating all and treating none are equal;
    {curve_options}

    Parameters
    ----------
    lines : sequence of Line
        Curves, with columns ``threshold``, ``net_benefit`` and ``treat_all``. Treating none
        has net benefit 0.
    {curve_parameters}

    Attributes
    ----------
    {curve_attributes}

    See Also
    --------
    net_benefit_curve : The numbers.

    References
    ----------
    Vickers & Elkin (2006), Medical Decision Making 26(6), 565-574.

    Examples
    --------
    >>> from skmetrics_ext import DecisionCurveDisplay
    >>> y, p = [0, 0, 1, 1], [0.1, 0.6, 0.4, 0.8]
    >>> display = DecisionCurveDisplay.from_predictions(y, p, thresholds=[0.2, 0.5])
    >>> display.columns()["net_benefit"]
    array([0.4375, 0.    ])
    """

    methods = ("predict_proba",)
    x, y, averaged = "threshold", "net_benefit", ("net_benefit", "treat_all")
    x_label, y_label = "Threshold probability", "Net benefit"
    bounds = (-np.inf, 1.0)

    @classmethod
    def _line(
        cls,
        label: Any,
        problem: Any,
        *,
        thresholds: Any = None,
        prevalence: float | None = None,
        at: float | None = None,
    ) -> Line:
        curve = net_benefit_curve(problem, problem, thresholds=thresholds, prevalence=prevalence)
        columns = {"threshold": curve.thresholds, "net_benefit": curve.net_benefit}
        columns |= {"treat_all": curve.treat_all}
        metric = partial(net_benefit, prevalence=prevalence)
        line = Line(label, columns, band=BandSpec(metric, at=curve.thresholds))
        if at is None:
            return line
        metric = partial(metric, threshold=at)
        return replace(line, metric=metric, value=metric(problem, problem))

    @classmethod
    def _of_rows(cls, source: DisplaySource, *, at: float | None = None, **options: Any) -> Self:
        rows = next(iter(source.scores().values()))
        if at is None and rows.kind == "binary":
            share = options.get("prevalence")
            share = np.average(rows.true, weights=rows.weight) if share is None else share
            at = float(np.clip(np.round(share, 2), 0.01, 0.99))
        return super()._of_rows(source, at=at, **options)

    def _value_name(self, line: Line) -> str:
        if line.metric is None:
            return ""
        return f"net benefit at {line.metric.keywords['threshold']:.4g}:"

    @classmethod
    def _grid(cls, lines: list[Line]) -> Array:
        return lines[0].columns["threshold"]

    def _draw_references(self, ax: Any) -> None:
        self._draw_bound(ax, "treat_all", "treat all")
        thresholds = self.lines[-1].columns["threshold"]
        ends = [thresholds.min(), thresholds.max()]
        axes.draw_reference(ax, ends, [0, 0], "treat none")

    def _set_limits(self, ax: Any) -> None:
        # Treating all falls without end; useful models lie between treating none and perfection.
        tops = [float(np.nanmax(line.get_ydata(), initial=0.01)) for line in ax.get_lines()]
        ax.set_ylim(-0.12 * max(tops), 1.08 * max(tops))
        thresholds = self.lines[-1].columns["threshold"]
        ax.set_xlim(thresholds.min(), thresholds.max())
