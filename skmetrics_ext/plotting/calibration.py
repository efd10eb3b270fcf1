"""Reliability diagrams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from skmetrics_ext.inference.calibration_intervals import calibration_curve_binned, consistency_band
from skmetrics_ext.metrics.calibration.binning import STRATEGIES, CalibrationCurve
from skmetrics_ext.metrics.calibration.calibration_error import expected_calibration_error
from skmetrics_ext.metrics.calibration.decomposition import corp_decomposition, isotonic
from skmetrics_ext.metrics.probabilities.losses import brier_score_loss
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.curve_display import BandSpec, CurveDisplay, Line
from skmetrics_ext.plotting.display import document_display
from skmetrics_ext.plotting.source import DisplaySource, binary_problems
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TOP = "top label"
_N_BARS = 20
_FEW = 4  # curves with intervals that do not hide each other
_ISOTONIC, _MISCALIBRATION = "isotonic", "miscalibration"
_HISTOGRAM = "skmetrics_ext:histogram"


@dataclass(frozen=True, eq=False, slots=True)
class ReliabilityLine(Line):
    """The reliability curve of one event.

    Parameters
    ----------
    bins : CalibrationCurve or None
        Bins with their observed rates and intervals; None for the isotonic line.
    error : float
        Expected calibration error over these bins; miscalibration of the isotonic line.
    histogram : CalibrationCurve
        Twenty bins of equal width, for the distribution of the probabilities.
    """

    bins: Any = None
    error: float = float("nan")
    histogram: Any = None

    @classmethod
    def of_curve(cls, curve: CalibrationCurve, label: Any = None, **parts: Any) -> Self:
        """A line through the bins of a calibration curve."""
        return cls(label, curve.columns(), bins=curve, **{"histogram": curve, **parts})


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
    `corp_decomposition`), and without folds the Brier score with its interval. For two models it
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

    methods, pools = ("predict_proba",), True
    x, y, averaged = "mean_predicted", "observed_rate", ()
    x_label, y_label = "Predicted probability", "Observed rate"
    value_name = "Brier score"
    reference = ([0, 1], [0, 1], "perfect calibration")
    size = (5.2, 6.0)
    markers = axes.MARKERS
    lines: tuple[Any, ...]
    _has_histogram = True

    # --------------------------------------------------------------------- computing

    @classmethod
    def _of_rows(  # type: ignore[override]
        cls,
        source: DisplaySource,
        *,
        curves: Any = None,
        strategy: Literal["uniform", "quantile", "equal_mass", "isotonic"] = "uniform",
        band: Literal["auto", "pointwise"] | None = "auto",
        confidence_level: float = 0.95,
        groups: Any = None,
        **options: Any,
    ) -> Self:
        check_option("strategy", strategy, (*STRATEGIES, _ISOTONIC))
        check_option("band", band, ("auto", "pointwise", None))
        if source.in_folds and groups is not None:
            raise InvalidParameterError(
                "groups describes one set of rows, and the rows of folds come in another order: "
                "pass groups to cross_validation_report, and draw its report."
            )
        options |= {"confidence_level": confidence_level, "groups": groups, "curves": curves}
        # Rows of different folds were predicted by different models: their report has intervals.
        options["interval"] = None if source.in_folds else "auto"
        options["band"] = band if strategy == _ISOTONIC else "pointwise"
        display = super()._of_rows(source, strategy=strategy, **options)
        display.band_label = f"{100 * confidence_level:g}% consistency band (if calibrated)"
        return display

    @classmethod
    def _problems(cls, rows: Scores) -> dict[Any, Scores]:
        """Each class against the rest; with several classes also the top label."""
        problems = dict(binary_problems(rows))
        if rows.kind == "multiclass":
            top = rows.score.argmax(axis=1)
            is_true = (top == rows.true).astype(np.int64)
            highest = rows.score.max(axis=1)
            problems[_TOP] = Scores("binary", np.array([0, 1]), is_true, highest, rows.weight)
        return problems

    @classmethod
    def _default(cls, curves: Iterable[Any]) -> Any:
        return [label for label in curves if label != _TOP]

    @classmethod
    def _line(
        cls, label: Any, problem: Any, *, n_bins: Any = 10, strategy: str = "uniform"
    ) -> Line:
        true, score = problem.true, problem.score
        rows: dict[str, Any] = {"labels": [0, 1], "sample_weight": problem.weight}
        histogram = calibration_curve_binned(true, score, n_bins=_N_BARS, **rows)
        if strategy == _ISOTONIC:
            weight = np.ones(len(true)) if problem.weight is None else problem.weight
            columns = {cls.x: np.unique(score), cls.y: isotonic(score, true, weight)[0]}
            error = corp_decomposition(true, score, **rows).miscalibration
            line = ReliabilityLine(label, columns, error=error, band=BandSpec(None))
        else:
            bins = {"n_bins": n_bins, "strategy": strategy, **rows}
            error = expected_calibration_error(true, score, **bins)
            curve = calibration_curve_binned(true, score, **bins)
            line = ReliabilityLine.of_curve(curve, label, error=error)
        value = brier_score_loss(true, score, **rows)
        return replace(line, metric=brier_score_loss, value=value, histogram=histogram)

    @classmethod
    def _with_band(cls, line: Any, rows: Any, kind: Any, design: Any) -> Line:
        """Add the intervals of the bins, or the consistency band of the isotonic line."""
        if line.bins is None:
            level, groups = design["confidence_level"], design["groups"]
            band = consistency_band(rows.score, rows.true, rows.weight, groups, level)
            low, high = (np.interp(line.columns[cls.x], band[0], bound) for bound in band[1:])
            return replace(line, columns={**line.columns, "low": low, "high": high})
        options = {"labels": [0, 1], "sample_weight": rows.weight, "n_bins": line.bins.edges}
        bins = calibration_curve_binned(rows.true, rows.score, **options, **design)
        return replace(line, bins=bins, columns=bins.columns())

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
        lines = [replace(line, columns=line.histogram.columns()) for line in self.lines]
        return CurveDisplay.columns(type(self)(lines))

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
        below.set(xlabel=self.x_label, ylabel="Share", xlim=ax.get_xlim())
        below.set_ylim(bottom=0)

    def _label(self, line: Any, with_name: bool) -> str:
        name = self._model_name(line, with_name)
        if not np.isnan(line.error):
            name += f" ({_MISCALIBRATION if line.bins is None else 'ECE'} {line.error:.3f})"
        if line.interval is None:
            return name
        return f"{name}\n{self.value_name} {axes.number(line.value, line.interval)}"


def _below(ax: Any) -> Any:
    """The axes of the histogram, which an earlier display on the same axes may have made."""
    for child in ax.child_axes:
        if child.get_gid() == _HISTOGRAM:
            return child
    below = ax.inset_axes([0, -0.24, 1, 0.18], gid=_HISTOGRAM)
    below.spines[["top", "right"]].set_visible(False)
    return below
