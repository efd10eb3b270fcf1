"""Decision curves, and metrics against the decision threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np

from skmetrics_ext.inference.bands import BANDS
from skmetrics_ext.metrics.rankings.net_benefit import net_benefit, net_benefit_curve
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.curve_display import BandKind, BandSpec, CurveDisplay, Line
from skmetrics_ext.plotting.display import document_display
from skmetrics_ext.plotting.source import DisplaySource, MetricRows
from skmetrics_ext.registry import find
from skmetrics_ext.registry.defaults import RATES
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.thresholds.at_thresholds import LabelledRows
from skmetrics_ext.thresholds.criteria import Objective
from skmetrics_ext.thresholds.search import best_over_folds
from skmetrics_ext.validation import InvalidParameterError, Scores

STANDARDIZED = "Standardized net benefit"


@document_display
class DecisionCurveDisplay(CurveDisplay):
    """Decision curve: net benefit over the threshold probability, next to treating all and none.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, with these options:

    - ``thresholds``: threshold probabilities in [0, 1); 0.01, 0.02, ..., 0.99 by default;
    - ``prevalence``: prevalence where the model will be used, for case-control data;
    - ``standardized=False``: divide net benefits by the prevalence, so that the greatest is 1;
    - ``difference=False`` (one set of rows): draw the difference of two models instead of their
      curves; its band is the interval of `compare` at each threshold;
    - ``at``: threshold at which the legend shows the net benefit; by default, for one set of rows
      and two classes, the rounded prevalence, where treating all and treating none are equal;
    {class_options}
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
    Vickers & Elkin (2006), Medical Decision Making 26(6), 565-574; Kerr et al. (2016), Journal of
    Clinical Oncology 34(21), 2534-2540, for ``standardized``.

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
    bound: ClassVar[tuple[str, str]] = ("treat_all", "treat all")

    @classmethod
    def _line(
        cls,
        label: Any,
        problem: Any,
        *,
        thresholds: Any = None,
        prevalence: float | None = None,
        standardized: bool = False,
        at: float | None = None,
    ) -> Line:
        options: Any = {"prevalence": prevalence, "standardized": standardized}
        curve = net_benefit_curve(problem, problem, thresholds=thresholds, **options)
        metric = partial(net_benefit, **options)
        line = Line(label, curve.columns(), band=BandSpec(metric, at=curve.thresholds))
        if at is None:
            return line
        metric = partial(metric, threshold=at)
        return replace(line, metric=metric, value=float(metric(problem, problem)))

    @classmethod
    def _computed(cls, source: DisplaySource, **options: Any) -> Self:
        display = super()._computed(source, **options)
        if options.get("standardized"):
            display.y_label = STANDARDIZED
        if options.get("difference"):
            display.y_label = f"Difference in {display.y_label.lower()}"
        return display

    @classmethod
    def _of_rows(
        cls,
        source: DisplaySource,
        *,
        curves: Any = None,
        interval: str | None = "auto",
        band: BandKind | Literal["auto"] | None = "auto",
        confidence_level: float = 0.95,
        groups: Any = None,
        at: float | None = None,
        difference: bool = False,
        **options: Any,
    ) -> Self:
        models = source.rows
        rows: Any = next(iter(models.values())).scores
        if at is None and rows.kind == "binary":
            share = options.get("prevalence")
            share = np.average(rows.true, weights=rows.weight) if share is None else share
            at = float(np.clip(np.round(share, 2), 0.01, 0.99))
        design = {"confidence_level": confidence_level, "groups": groups}
        options |= {"curves": curves, "interval": interval, "at": at, **design}
        if not difference:
            return super()._of_rows(source, band=band, **options)
        if len(models) != 2 or rows.kind != "binary" or band == BANDS[1]:
            raise InvalidParameterError(
                "difference=True draws two models of two classes with a pointwise band, got "
                f"{len(models)} of {len(rows.classes)}: pass them as a mapping of names to "
                "probabilities."
            )
        display = super()._of_rows(source, band=None, **options)
        return display._as_difference(source, None if band is None else design)

    def _as_difference(self, source: DisplaySource, design: Mapping[str, Any] | None) -> Self:
        """Replace the curves of two models by their difference.

        Its band holds the intervals of `compare` with the options ``design``, if they are given.
        """
        first, second = self.lines
        parts: list[Any] = list(source.rows.values())
        assert first.band is not None
        columns = {self.x: first.columns[self.x]}
        columns[self.y] = first.columns[self.y] - second.columns[self.y]
        if design is not None:
            rows, others = (MetricRows.of(first, part.scores, design) for part in parts)
            bounds = []
            for threshold in columns[self.x].tolist():
                metric = partial(first.band.metric, threshold=threshold)
                _, low, high = rows._replace(metric=metric).compared_with(others)
                bounds.append((low, high))
            columns["low"], columns["high"] = np.transpose(bounds)
        models = f"{first.model} − {second.model}"
        self.lines = (Line(first.curve, columns, model=models, metric=first.metric),)
        return self

    def _value_name(self, line: Line) -> str:
        if line.metric is None:
            return ""
        return f"net benefit at {line.metric.keywords['threshold']:.4g}:"

    @classmethod
    def _grid(cls, lines: list[Line]) -> Array:
        return lines[0].columns["threshold"]

    def _draw_references(self, ax: Any) -> None:
        super()._draw_references(ax)
        thresholds = self.lines[-1].columns["threshold"]
        ends = [thresholds.min(), thresholds.max()]
        is_model = self.bound[0] in self.lines[-1].columns
        axes.draw_reference(ax, ends, [0, 0], "treat none" if is_model else "no difference")

    def _finish_axes(self, ax: Any) -> None:
        # Treating all falls without limit; useful models lie above treating none.
        tops = [float(np.nanmax(line.get_ydata(), initial=0.01)) for line in ax.get_lines()]
        columns = self.lines[-1].columns
        if self.bound[0] in columns:
            ax.set_ylim(-0.12 * max(tops), 1.08 * max(tops))
        else:  # at high thresholds few rows are treated, and a false positive counts much
            low, high = (columns.get(name, columns[self.y]) for name in ("low", "high"))
            ends = np.nanquantile(low, 0.05), np.nanquantile(high, 0.95)
            ax.set_ylim(1.2 * min(ends[0], -0.01), 1.2 * max(ends[1], 0.01))
        thresholds = columns["threshold"]
        ax.set_xlim(thresholds.min(), thresholds.max())


@document_display
class ThresholdDisplay(CurveDisplay):
    """Metrics of labels over the threshold at and above which a row is predicted positive.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, with these options:

    - ``metrics``: metrics of labels, by their names in `get_scorer` or as functions; precision,
      recall, specificity and F1 by default;
    - ``criterion``: mark the best threshold by a criterion of `optimal_threshold`; over folds, by
      its mean;
    - ``band`` (one set of rows): band around each metric, computed by `curve_band`: "pointwise"
      (the default for up to 4 curves and 20,000 rows), "simultaneous" or None;
    - ``groups`` (one set of rows): groups of rows that depend on each other;
    - ``grid`` (folds): thresholds of the mean curves;
    - ``confidence_level=0.95``: level of all intervals.

    The mean over folds ends at the lowest threshold above which a fold predicts no positives.

    Parameters
    ----------
    lines : sequence of Line
        Curves, with columns ``threshold`` and ``value``.
    {curve_parameters}

    Attributes
    ----------
    best : float, dict or None
        The marked threshold; with several models by name.
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
    legend_at = "outside"
    best: Any = None
    _criterion: str = ""

    @classmethod
    def _computed(cls, source: DisplaySource, *, criterion: Any = None, **options: Any) -> Self:
        return super()._computed(source, **options)._with_best(source, criterion)

    def _with_best(self, source: DisplaySource, criterion: Any) -> Self:
        """Find the threshold that is best on average over folds, or on all rows."""
        if criterion is None:
            return self
        objective = Objective.make(criterion, None, None, None)
        best = {}
        for name, folds in source.folds.items():
            drawn = [f for f in folds if not {f.number, (name, f.number)} & self.undefined.keys()]
            tallies = [RankTally.of_class(f.scores) for f in drawn if f.scores is not None]
            best[name] = best_over_folds(tallies, objective).threshold
        self.best = best if len(best) > 1 else next(iter(best.values()))
        self._criterion = objective.criterion.name
        return self

    @classmethod
    def _read(cls, rows: Scores, *, metrics: Any = None) -> list[Line]:
        if rows.kind != "binary":
            raise InvalidParameterError(
                f"ThresholdDisplay needs binary labels, y_true is {rows.kind}: pass one class "
                "against the rest, y_true == k and column k of y_score."
            )
        labels = rows.classes if len(rows.classes) == 2 else np.array([0, 1])
        labelled, lines = LabelledRows.of(labels, rows), []
        if metrics is None:
            metrics = RATES
        elif isinstance(metrics, str) or not isinstance(metrics, Sequence):
            metrics = [metrics]
        if not len(metrics):
            raise InvalidParameterError("metrics is empty: name a metric of labels, such as 'f1'.")
        for function in metrics:
            metric = find(function)
            if metric.spec.response not in ("labels", ""):
                raise InvalidParameterError(
                    f"{metric.name!r} is a metric of {metric.spec.response}, which a threshold "
                    "does not change; pass metrics of labels."
                )
            # Thresholds increase, like the abscissa of the picture and of the mean.
            values = labelled.values(metric)[::-1]
            columns = {"threshold": labelled.thresholds[::-1], "value": values}
            band = BandSpec(function) if metric.spec.is_known else None
            lines.append(Line(metric.name, columns, band=band))
        return lines

    @classmethod
    def _is_undefined(cls, line: Line, rows: Scores) -> bool:
        return not rows.true.any() or bool(rows.true.all())

    @classmethod
    def _at(cls, line: Line, column: str, grid: Array) -> Array:
        thresholds, values = line.columns["threshold"], line.columns[column]
        # Between two scores of a fold, its predictions are those at the higher one.
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
                full_height = ax.get_xaxis_transform()
                axes.draw_reference(ax, [threshold] * 2, [0, 1], label, transform=full_height)

    def _finish_axes(self, ax: Any) -> None:
        low, high = ax.dataLim.intervaly
        if low >= 0 and high <= 1:
            ax.set_ylim(-0.01, 1.01)
