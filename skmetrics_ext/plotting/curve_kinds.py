"""Displays of each kind of curve, from ROC to reliability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self

from skmetrics_ext.curve_tables import kinds
from skmetrics_ext.curve_tables.lines import Line, LineTable
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting.curve_display import CurveDisplay
from skmetrics_ext.plotting.display import document_display
from skmetrics_ext.validation import check_option

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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

    _kind = kinds.Roc()


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

    _kind = kinds.PrecisionRecall()


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

    _kind = kinds.Gain()


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

    _kind = kinds.RiskCoverage()


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

    _kind = kinds.Lift()


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

    _kind = kinds.Decision()


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

    _kind = kinds.Threshold()

    def __init__(self, lines: LineTable | Sequence[Line], **options: Any) -> None:
        super().__init__(lines, **options)
        best = self.table.best
        self.best: Any = best if len(best) > 1 else next(iter(best.values()), None)


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

    _kind = kinds.Reliability()

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
        return replace(self.table, lines=tuple(lines)).columns()

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
        {curve_ax}
        {model_name}
        histogram : bool, default=True
            Whether to draw the histogram below the axes.
        {curve_drawing}

        Returns
        -------
        CalibrationDisplay
            This display.
        """
        self.histogram_ax_ = None
        return self._draw(ax, name, {}, reference, legend, curve_kwargs, histogram=histogram)


DISPLAYS: tuple[type[CurveDisplay], ...] = (
    *(RocCurvesDisplay, PrecisionRecallCurvesDisplay, CalibrationDisplay, GainDisplay, LiftDisplay),
    *(DecisionCurveDisplay, ThresholdDisplay, RiskCoverageDisplay),
)
