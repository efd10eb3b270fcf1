"""Metrics against the decision threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.curve_display import BandSpec, CurveDisplay, Line
from skmetrics_ext.plotting.documentation import document_display
from skmetrics_ext.plotting.source import DisplaySource
from skmetrics_ext.registry import RATES, Metric, find
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.thresholds.at_thresholds import LabelledRows
from skmetrics_ext.thresholds.criteria import Objective
from skmetrics_ext.thresholds.folds import best_over_folds
from skmetrics_ext.thresholds.search import optimal_threshold
from skmetrics_ext.validation import InvalidParameterError, Scores


@document_display
class ThresholdDisplay(CurveDisplay):
    """Metrics of labels over the threshold at and above which a row is predicted positive.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, with these options:

    - ``metrics``: names of metrics of labels as `get_scorer` knows them, or functions; precision,
      recall, specificity and F1 by default;
    - ``criterion``: marks the threshold that is best by it, one of those of `optimal_threshold`;
      over folds by its mean;
    - of one set of rows: ``band`` around each metric as `curve_band` computes it, "pointwise" (the
      default for up to 4 curves and 20,000 rows), "simultaneous" or None; ``groups``, groups of
      rows that depend on each other;
    - of folds: ``grid``, the thresholds of the means;
    - ``confidence_level=0.95``, of all intervals.

    The mean over folds ends at the threshold above which a fold predicts no positive.

    Parameters
    ----------
    lines : sequence of Line
        Curves, with columns ``threshold`` and ``value``.
    {curve_parameters}

    Attributes
    ----------
    best : float, dict or None
        The marked threshold; of several models by name.
    {curve_attributes}

    See Also
    --------
    metric_at_thresholds : The numbers.
    optimal_threshold : The best threshold.

    Examples
    --------
    >>> from skmetrics_ext import ThresholdDisplay
    >>> display = ThresholdDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], metrics="f1", criterion="f1"
    ... )
    >>> display.columns()["value"].round(3).tolist(), display.best
    ([0.667, 0.8, 0.5, 0.667], 0.35)
    """

    x, y, averaged = "threshold", "value", ("value",)
    x_label, y_label = "Threshold: scores of at least so much are predicted positive", "Value"
    bounds = (-np.inf, np.inf)
    drawstyle = "steps-pre"
    legend_at = "beside"
    best: Any = None
    _criterion: str = ""

    @classmethod
    def _of_rows(cls, source: DisplaySource, *, criterion: Any = None, **options: Any) -> Self:
        display = super()._of_rows(source, **options)
        if criterion is not None:
            models: dict[Any, Any] = source.scores()
            optima = {
                name: optimal_threshold(rows, rows, criterion=criterion)
                for name, rows in models.items()
            }
            display._mark({name: best.threshold for name, best in optima.items()},
                          next(iter(optima.values())).criterion)  # fmt: skip
        return display

    @classmethod
    def _of_folds(cls, source: DisplaySource, *, criterion: Any = None, **options: Any) -> Self:
        display = super()._of_folds(source, **options)
        if criterion is not None:
            objective = Objective.make(criterion, None, None, None)
            best, left_out = {}, display.undefined.keys()
            for name, folds in source.folds().items():
                used = [f.scores for f in folds if not {f.number, (name, f.number)} & left_out]
                tallies = [RankTally.of_class(scores) for scores in used if scores is not None]
                best[name] = best_over_folds(tallies, objective).threshold
            display._mark(best, objective.criterion.name)
        return display

    def _mark(self, best: dict[Any, float], criterion: str) -> None:
        self.best = best if len(best) > 1 else next(iter(best.values()))
        self._criterion = criterion

    @classmethod
    def _read(cls, rows: Scores, *, metrics: Any = None) -> list[Line]:
        if rows.kind != "binary":
            raise InvalidParameterError(
                f"ThresholdDisplay needs binary labels, y_true is {rows.kind}: pass one class "
                "against the rest, y_true == k and column k of y_score."
            )
        labels = rows.classes if len(rows.classes) == 2 else np.array([0, 1])
        counted, lines = LabelledRows.of(labels, rows), []
        for given, metric in _label_metrics(RATES if metrics is None else metrics):
            # Rising, as the abscissa of the picture and of the mean.
            columns = {"threshold": counted.thresholds[::-1], "value": counted.values(metric)[::-1]}
            band = None if metric.row is None else BandSpec(given)
            lines.append(Line(metric.name, columns, band=band))
        return lines

    @classmethod
    def _is_undefined(cls, line: Line, rows: Scores) -> bool:
        return not rows.true.any() or bool(rows.true.all())

    @classmethod
    def _at(cls, line: Line, column: str, grid: Array) -> Array:
        thresholds, values = line.columns["threshold"], line.columns[column]
        # Between its scores a fold predicts what it does at the next higher one.
        return np.append(values, np.nan)[np.searchsorted(thresholds, grid)]

    @classmethod
    def _grid(cls, lines: list[Line]) -> Array:
        ends = [line.columns["threshold"][[0, -1]] for line in lines]
        low, high = np.min(ends), np.max(ends)
        if low >= 0 and high <= 1:
            low, high = 0.0, 1.0
        return np.linspace(low, high, 201)

    def _curve_name(self, curve: Any) -> str:
        return str(curve).replace("_", " ")

    def _draw_references(self, ax: Any) -> None:
        best = self.best if isinstance(self.best, dict) else {"": self.best}
        for name, threshold in best.items():
            if threshold is not None and np.isfinite(threshold):
                of_model = f" of {name}" if name else ""
                label = f"best {self._criterion}{of_model}: {threshold:.3g}"
                up = ax.get_xaxis_transform()
                axes.draw_reference(ax, [threshold] * 2, [0, 1], label, transform=up)

    def _set_limits(self, ax: Any) -> None:
        low, high = ax.dataLim.intervaly
        if low >= 0 and high <= 1:
            ax.set_ylim(-0.01, 1.01)


def _label_metrics(metrics: Any) -> list[tuple[Any, Metric]]:
    """Metrics of labels, as given and as `find` gives them."""
    several = isinstance(metrics, Sequence) and not isinstance(metrics, str)
    pairs = [(metric, find(metric)) for metric in (metrics if several else [metrics])]
    for _, metric in pairs:
        if metric.row is not None and metric.row.response != "labels":
            raise InvalidParameterError(
                f"{metric.name!r} is a metric of {metric.row.response}, which a threshold does not "
                "change; pass metrics of labels."
            )
    return pairs
