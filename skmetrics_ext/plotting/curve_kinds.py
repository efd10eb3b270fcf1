"""Displays of each kind of curve, from ROC to reliability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from skmetrics_ext.curve_tables import kinds
from skmetrics_ext.curve_tables.lines import Line, LineTable
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.curve_display import CurveDisplay
from skmetrics_ext.plotting.display import document_display
from skmetrics_ext.validation import check_option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW = 4  # curves with intervals that do not hide each other
_HISTOGRAM = "skmetrics_ext:histogram"


@document_display
class RocCurvesDisplay(CurveDisplay):
    """ROC curves of each class against the rest and their averages, or of the folds.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, with these options:

    - ``drop_intermediate=True``: leave out points inside straight segments;
    {average_options}
    {curve_options}
    - ``grid`` (folds): false positive rates of the mean curve (101 by default).

    The mean curve averages the true positive rates of the folds at each false positive rate; its
    AUC is the mean of theirs, with Nadeau and Bengio's interval.

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

    _kind = kinds.Roc
    legend_at = "lower right"
    size = (5.2, 5.0)
    reference = ([0, 1], [0, 1], "chance")


@document_display
class PrecisionRecallCurvesDisplay(CurveDisplay):
    """Precision-recall curves of each class and their averages, or of the folds.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, with these options:

    - ``drop_intermediate=False``: leave out points between the first and the last of each recall;
    {average_options}
    {curve_options}
    - ``grid`` (folds): recalls of the mean curve (101 by default).

    The mean curve averages the precisions of the folds at the highest threshold that reaches each
    recall; its average precision is the mean of theirs, with Nadeau and Bengio's interval. Chance
    is the prevalence, drawn if there is a single curve.

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

    _kind = kinds.PrecisionRecall
    legend_at = "lower left"
    size = (5.2, 5.0)

    def _draw_references(self, ax: Any) -> None:
        if len(self._curves) == 1 and not self.lines[-1].is_average:
            prevalence = kinds.PrecisionRecall.chance(self.lines)
            label = f"chance (prevalence {prevalence:.3f})"
            axes.draw_reference(ax, [0, 1], [prevalence, prevalence], label)


@document_display
class GainDisplay(CurveDisplay):
    """Cumulative gain: share of the positives among the best-scored share of the rows.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, with these options:

    {class_options}
    {curve_options}
    - ``grid`` (folds): shares of the rows for the mean curve.

    The number in the legend is the gain capture: the area above chance, divided by the area of a
    perfect ranking. The band is the band of the lift, times the share of the rows.

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

    _kind = kinds.Gain
    reference, bound = ([0, 1], [0, 1], "chance"), ("perfect", "perfect")
    legend_at = "lower right"
    size = (5.2, 5.0)


@document_display
class RiskCoverageDisplay(CurveDisplay):
    """Error rate of the answered rows over the share that a model answers.

    Made by ``risk_coverage_curve(...).plot()``, or by ``from_predictions`` of whether each
    prediction is right and of its confidence, with these options:

    {curve_options}

    Parameters
    ----------
    lines : sequence of Line
        Curves, with columns ``threshold``, ``coverage``, ``risk``, ``low`` and ``high``, and the
        AURC as ``value``.
    {curve_parameters}

    Attributes
    ----------
    {curve_attributes}

    See Also
    --------
    risk_coverage_curve : The numbers.

    References
    ----------
    El-Yaniv & Wiener (2010), Journal of Machine Learning Research 11, 1605-1641.

    Examples
    --------
    >>> from skmetrics_ext import RiskCoverageDisplay
    >>> right, confidence = [True, True, False, True], [0.9, 0.8, 0.7, 0.6]
    >>> display = RiskCoverageDisplay.from_predictions(right, confidence)
    >>> display.columns()["risk"].round(3).tolist()
    [0.0, 0.0, 0.333, 0.25]
    """

    _kind = kinds.RiskCoverage


@document_display
class LiftDisplay(CurveDisplay):
    """Lift: prevalence among the best-scored share of the rows, relative to all rows.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_report`` or
    ``from_folds``, with these options:

    - ``at=0.1``: share of the rows at which the legend shows the lift;
    {class_options}
    {curve_options}
    - ``grid`` (folds): shares of the rows for the mean curve.

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

    _kind = kinds.Lift
    reference, bound = ([0, 1], [1, 1], "chance"), ("perfect", "perfect")

    def _finish_axes(self, ax: Any) -> None:
        ax.set_xlim(0, 1)
        ax.set_ylim(bottom=0)


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

    _kind = kinds.Decision
    bound: ClassVar[tuple[str, str]] = ("treat_all", "treat all")

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
            low, high = (columns.get(name, columns[self._kind.y]) for name in ("low", "high"))
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

    _kind = kinds.Threshold
    legend_at = "outside"

    def __init__(self, lines: LineTable | Sequence[Line], **options: Any) -> None:
        super().__init__(lines, **options)
        best = self.table.best
        self.best: Any = best if len(best) > 1 else next(iter(best.values()), None)

    def _curve_name(self, curve: Any) -> str:
        return axes.title_of(str(curve)).replace("_", " ")

    def _draw_references(self, ax: Any) -> None:
        best = self.best if isinstance(self.best, dict) else {"": self.best}
        for name, threshold in best.items():
            if threshold is not None and np.isfinite(threshold):
                of_model = f" of {name}" if name else ""
                label = f"best {axes.title_of(self.table.criterion)}{of_model}: {threshold:.3g}"
                look = {"transform": ax.get_xaxis_transform()}  # over the full height
                if name:
                    look["linestyle"] = axes.style(self._models.index(name))["linestyle"]
                axes.draw_reference(ax, [threshold] * 2, [0, 1], label, **look)

    def _finish_axes(self, ax: Any) -> None:
        low, high = ax.dataLim.intervaly
        if low >= 0 and high <= 1:
            ax.set_ylim(-0.01, 1.01)


@document_display
class CalibrationDisplay(CurveDisplay):
    """Reliability diagram: observed rate over predicted probability, intervals and histogram.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_folds`` or
    ``from_report`` (probabilities of all folds are joined; with repeated folds in a report, each
    row has its first), with these options:

    - ``n_bins=10`` and ``strategy="uniform"``, "quantile" or "equal_mass", as in
      `calibration_curve_binned`; ``strategy="isotonic"`` draws the line of isotonic regression,
      which needs no bins (CORP);
    - ``band`` ("isotonic" only): consistency band, which contains the line of a calibrated model
      in 95 % of samples at each probability. None draws no band; "auto", the default, draws it for
      up to 4 curves and 20,000 rows;
    - ``curves``: classes to draw; with more than two, each against the rest; "top label" is the
      event that the most probable class is the true one;
    - ``confidence_level=0.95``: level of the Wilson intervals of the bins and of the interval of
      the Brier score;
    - ``groups``: groups of rows that depend on each other; a report has its own.

    The legend shows the expected calibration error (for the isotonic line the miscalibration of
    `corp_decomposition`), slope and intercept (of probabilities above 0 and below 1; 1 and 0 are
    ideal), and without folds the Brier score with its interval. For two models it
    also shows the difference in the Brier score.

    Parameters
    ----------
    lines : sequence of ReliabilityLine
        Curves, with the columns of `columns` and the Brier score as ``value``.
    {curve_parameters}

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    histogram_ax_ : matplotlib axes or None
        Below ``ax_``: the distribution of the probabilities.
    lines_ : list of matplotlib lines
        The curves.
    line_ : matplotlib line
        The first of ``lines_``.

    See Also
    --------
    calibration_curve_binned : The numbers.
    expected_calibration_error : The number in the legend.

    References
    ----------
    Murphy & Winkler (1977), Applied Statistics 26(1), 41-47; for "isotonic" Dimitriadis, Gneiting &
    Jordan (2021), Proceedings of the National Academy of Sciences 118(8), e2016191118.

    Examples
    --------
    >>> from skmetrics_ext import CalibrationDisplay
    >>> display = CalibrationDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.3, 0.4, 0.9], n_bins=2
    ... )
    >>> display.columns()["observed_rate"].round(3).tolist()
    [0.333, 1.0]
    """

    _kind = kinds.Reliability
    reference = ([0, 1], [0, 1], "perfect calibration")
    size = (5.2, 5.0)
    markers = axes.MARKERS
    _has_histogram = True

    def columns(self, rows: Literal["bins", "histogram"] = "bins") -> dict[str, Array]:
        """The numbers behind the picture.

        Parameters
        ----------
        rows : {"bins", "histogram"}, default="bins"
            The bins of the curves, or of the histogram below.

        Returns
        -------
        dict of str to ndarray
            ``model`` (if there are several); ``curve``, the class; ``left`` and ``right`` edge,
            ``mean_predicted``, ``observed_rate``, its interval ``low``, ``high``, ``weight`` and
            ``count`` of each bin. The isotonic line has ``mean_predicted``, the probabilities,
            ``observed_rate``, the recalibrated probabilities, and the band ``low``, ``high``.
        """
        check_option("rows", rows, ("bins", "histogram"))
        if rows == "bins":
            return super().columns()
        lines = (replace(line, columns=line.histogram.columns()) for line in self.lines)
        return LineTable(tuple(lines)).columns(self._kind.x)

    # --------------------------------------------------------------------- drawing

    def plot(  # type: ignore[override]
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        histogram: bool = True,
        reference: bool = True,
        legend: bool = True,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the curves, and the distribution of the probabilities.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; a new figure by default. On the axes of another display of this kind,
            the curves are added in other colours and markers.
        {model_name}
        histogram : bool, default=True
            Whether to draw the histogram below the axes.
        reference : bool, default=True
            Whether to draw the diagonal of perfect calibration.
        legend : bool, default=True
            Whether to draw a legend.
        curve_kwargs : dict, default=None
            Arguments of matplotlib's ``errorbar``, which override the defaults.

        Returns
        -------
        CalibrationDisplay
            This display.
        """
        self._has_histogram = histogram
        self.legend_at = "best" if self._n_curves == 1 else "outside"  # bars fill the axes
        return super().plot(
            ax, name=name, reference=reference, legend=legend, curve_kwargs=curve_kwargs
        )

    def _draw_line(self, ax: Any, line: Any, options: Mapping[str, Any]) -> Any:
        if line.bins is None:
            return super()._draw_line(ax, line, {**options, "marker": ""})
        is_filled = line.columns["count"] > 0
        names = ("mean_predicted", "observed_rate", "low", "high")
        x, rate, low, high = (line.columns[name][is_filled] for name in names)
        margins = [rate - low, high - rate] if self._n_curves <= _FEW else None
        bars = {"linewidth": 1.6, "elinewidth": 1.0, "capsize": 2.5, "markersize": 5}
        return ax.errorbar(x, rate, margins, **{**bars, **options}).lines[0]

    def _draw_band(self, ax: Any, line: Any, colour: str, band: str) -> None:
        if line.bins is None:
            super()._draw_band(ax, line, colour, band)
        elif self._n_curves <= _FEW:
            level = 100 * line.bins.confidence_level
            axes.add_remark(ax, f"bars: {level:g} % interval of each bin")

    def _finish_axes(self, ax: Any) -> None:
        """Set the limits, and draw the histogram below the axes."""
        axes.make_square(ax)
        self.histogram_ax_ = below = _below(ax) if self._has_histogram else None
        if below is None:
            return
        for line, drawn in zip(self.lines, self.lines_, strict=True):
            histogram = line.histogram
            share = histogram.weight / histogram.weight.sum()
            look = {"color": drawn.get_color(), "linestyle": drawn.get_linestyle()}
            below.stairs(share, histogram.edges, linewidth=1.3, **look)
        ax.set_xlabel("")
        ax.tick_params(labelbottom=False)
        below.set(xlabel=self._kind.x_label, ylabel="Share", xlim=ax.get_xlim())
        below.set_ylim(bottom=0)

    def _label(self, line: Any, with_name: bool) -> str:
        name = self._model_name(line, with_name)
        if not np.isnan(line.error):
            name += f" ({'miscalibration' if line.bins is None else 'ECE'} {line.error:.3f})"
        if line.slope == line.slope:
            name += f"\nslope {line.slope:z.2f}, intercept {line.intercept:z.2f}"
        if line.interval is None:
            return name
        return f"{name}\n{self._kind.value_name} {axes.number(line.value, line.interval)}"


def _below(ax: Any) -> Any:
    """The axes of the histogram, which an earlier display on the same axes may have made."""
    for child in ax.child_axes:
        if child.get_gid() == _HISTOGRAM:
            return child
    below = ax.inset_axes([0, -0.24, 1, 0.18], gid=_HISTOGRAM)
    below.spines[["top", "right"]].set_visible(False)
    return below
