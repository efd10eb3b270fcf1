"""Cumulative gain and lift."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.metrics.rankings.gains import (
    GainCurve,
    gain_capture_score,
    gain_curve,
    lift_curve,
    lift_score,
)
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.curve_display import BandSpec, CurveDisplay, Line
from skmetrics_ext.plotting.documentation import document_display


@document_display
class GainDisplay(CurveDisplay):
    """Cumulative gain: share of the positives found by acting on the best-scored share of rows.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, with these options:

    {curve_options}
    - of folds: ``grid``, the shares of rows of the mean.

    The number in the legend is the gain capture: the area above chance, divided by that of a
    perfect ranking. The band is that of the lift, times the share of the rows.

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
        columns |= {"perfect": perfect_gain(curve)}
        band = BandSpec(lift_score, y=lambda rate, lift: rate * lift)
        capture = gain_capture_score(problem, problem)
        return Line(label, columns, capture, metric=gain_capture_score, band=band)

    def _draw_references(self, ax: Any) -> None:
        self._draw_bound(ax, "perfect", "perfect")
        axes.draw_reference(ax, [0, 1], [0, 1], "chance")


def perfect_gain(curve: GainCurve) -> Array:
    """Gain of a ranking that has all the positives first."""
    return np.minimum(curve.rate / max(curve.prevalence, 1e-300), 1.0)


@document_display
class LiftDisplay(CurveDisplay):
    """Lift: how many times richer in positives the best-scored share of the rows is than all.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, with these options:

    - ``at=0.1``: share of the rows whose lift the legend shows;
    {curve_options}
    - of folds: ``grid``, the shares of rows of the mean.

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
    grid = np.linspace(0.01, 1, 100)  # undefined where no row is predicted positive

    @classmethod
    def _line(cls, label: Any, problem: Any, *, at: float = 0.1) -> Line:
        curve = lift_curve(problem, problem)
        prevalence = float(np.average(problem.true, weights=problem.weight))
        perfect = 1 / np.maximum(curve.rate, prevalence)
        columns = {"threshold": curve.thresholds, "rate": curve.rate, "lift": curve.lift}
        metric = partial(lift_score, fraction=at)
        value = metric(problem, problem)
        columns |= {"perfect": perfect}
        return Line(label, columns, value, metric=metric, band=BandSpec(lift_score))

    def _value_name(self, line: Line) -> str:
        return "" if line.metric is None else f"lift at {line.metric.keywords['fraction']:.4g}:"

    def _draw_references(self, ax: Any) -> None:
        self._draw_bound(ax, "perfect", "perfect")
        axes.draw_reference(ax, [0, 1], [1, 1], "chance")

    def _set_limits(self, ax: Any) -> None:
        ax.set_xlim(0, 1)
        ax.set_ylim(bottom=0)
