"""Reliability diagrams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from skmetrics_ext.inference.calibration_curve import calibration_curve_binned
from skmetrics_ext.inference.compare import compare
from skmetrics_ext.inference.intervals import confidence_interval
from skmetrics_ext.inference.results import Comparison, Estimate
from skmetrics_ext.metrics.calibration.binning import CalibrationCurve
from skmetrics_ext.metrics.calibration.calibration_error import expected_calibration_error
from skmetrics_ext.metrics.probabilities.losses import brier_score_loss
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.curve_display import difference_text
from skmetrics_ext.plotting.display import SourceDisplay
from skmetrics_ext.plotting.documentation import document_display
from skmetrics_ext.plotting.source import (
    DisplaySource,
    binary_problems,
    objects,
    positive_of,
    select_curves,
)
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option

_TOP = "top label"
_COLUMNS = ("mean_predicted", "observed_rate", "low", "high", "weight", "count")
_N_BARS = 20
_FEW = 4  # curves whose intervals do not hide each other
_HISTOGRAM = "skmetrics_ext:histogram"


@dataclass(frozen=True, eq=False, slots=True)
class Reliability:
    """Reliability of the probabilities of one event.

    Parameters
    ----------
    curve : CalibrationCurve
        Bins, with the rate observed in each and its interval.
    error : float
        Expected calibration error over these bins.
    histogram : CalibrationCurve
        Twenty bins of equal width, for the distribution of the probabilities.
    brier : Estimate or None
        Brier score with its interval, for one set of rows.
    """

    curve: CalibrationCurve
    error: float
    histogram: CalibrationCurve
    brier: Estimate | None = None


@document_display
class CalibrationDisplay(SourceDisplay):
    """Reliability diagram: observed rate over predicted probability, intervals and histogram.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_folds`` or
    ``from_report`` (the out-of-fold probabilities of all folds as one set; of repeated folds of
    a report, the first of each row), with these options:

    - ``n_bins=10`` and ``strategy="uniform"``, "quantile" or "equal_mass", as in
      `calibration_curve_binned`;
    - ``curves``: the classes to draw, of more than two each against the rest; "top label" is the
      event that the most probable class is the true one;
    - ``confidence_level=0.95`` of the Wilson intervals of the bins and of the interval of the
      Brier score, and ``groups``, groups of rows that depend on each other; those of a report
      are its own.

    The legend shows the expected calibration error, and for one set of rows the Brier score with
    its interval, and the difference between two models in it.

    Parameters
    ----------
    curves : mapping of object to Reliability
        The curves by class; of several models by name, or by (name, class).
    name : str, default=None
        Name of the model, where there is one.
    positive : object, default=None
        The positive class, for binary data.
    comparison : Comparison, default=None
        Difference in Brier score between the first and the second of two models.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    histogram_ax_ : matplotlib axes or None
        Below ``ax_``: the distribution of the probabilities.
    lines_ : list of matplotlib lines
        Of the curves.
    line_ : matplotlib line
        The first of them.

    See Also
    --------
    calibration_curve_binned : The numbers.
    expected_calibration_error : The number in the legend.

    References
    ----------
    Murphy & Winkler (1977), Applied Statistics 26(1), 41-47.

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
    size = (5.2, 6.0)

    def __init__(
        self,
        curves: Mapping[Any, Reliability],
        *,
        name: str | None = None,
        positive: Any = None,
        comparison: Comparison | None = None,
    ) -> None:
        self.curves = dict(curves)
        self.name = name
        self.positive = positive
        self.comparison = comparison

    # --------------------------------------------------------------------- computing

    @classmethod
    def _of_rows(
        cls,
        source: DisplaySource,
        *,
        curves: Any = None,
        n_bins: Any = 10,
        strategy: str = "uniform",
        confidence_level: float = 0.95,
        groups: Any = None,
    ) -> Self:
        models, bins = source.scores(), {"n_bins": n_bins, "strategy": strategy}
        found: dict[Any, Reliability] = {}
        drawn: list[Scores] = []
        design = {"confidence_level": confidence_level, "groups": groups}
        for name, rows in models.items():
            problems = _problems(rows)
            default = [label for label in problems if label != _TOP]
            chosen = select_curves(problems, default if curves is None else curves)
            if source.in_folds:
                design["groups"] = source.groups()[name]
            for label, problem in chosen.items():
                key: Any = (name, label) if len(chosen) > 1 else name
                one = _reliability(problem, bins, design, estimate=not source.in_folds)
                found[key if len(models) > 1 else label] = one
                drawn.append(problem)
        alone = next(iter(models)) if len(models) == 1 else None
        display = cls(found, name=alone, positive=positive_of(rows))
        if len(models) == len(drawn) == 2 and not source.in_folds:
            first, second = drawn
            weight = first.weight
            display.comparison = compare(brier_score_loss, first.true, first.score, second.score,
                                         sample_weight=weight, **design)  # fmt: skip
        return display

    @classmethod
    def _of_folds(cls, source: DisplaySource, *, groups: Any = None, **options: Any) -> Self:
        if groups is not None:
            raise InvalidParameterError(
                "groups are the groups of one set of rows, and the rows of folds come in another "
                "order: pass groups to cross_validation_report, and draw its report."
            )
        return cls._of_rows(source, **options)

    def columns(self, rows: Literal["bins", "histogram"] = "bins") -> dict[str, Array]:
        """The numbers behind the picture.

        Parameters
        ----------
        rows : {"bins", "histogram"}, default="bins"
            The bins of the curves, or those of the histogram below.

        Returns
        -------
        dict of str to ndarray
            ``curve`` (the class or the model), ``left`` and ``right`` edge, ``mean_predicted``,
            ``observed_rate``, its interval ``low``, ``high``, ``weight`` and ``count`` of each
            bin.
        """
        check_option("rows", rows, ("bins", "histogram"))
        parts: dict[str, list[Any]] = {}
        for label, one in self.curves.items():
            curve = one.curve if rows == "bins" else one.histogram
            names = np.repeat(objects([label]), len(curve.weight))
            part = {"curve": names, "left": curve.edges[:-1], "right": curve.edges[1:]}
            for key, values in (part | {key: getattr(curve, key) for key in _COLUMNS}).items():
                parts.setdefault(key, []).append(values)
        return {key: np.concatenate(values) for key, values in parts.items()}

    # --------------------------------------------------------------------- drawing

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        histogram: bool = True,
        reference: bool = True,
        legend: bool = True,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the curves, and how often each probability is given.

        Parameters
        ----------
        {ax}
            Axes of another display of this kind are added to, in other colours and markers.
        {model_name}
        histogram : bool, default=True
            Whether to draw the histogram below the axes.
        reference : bool, default=True
            Whether to draw the diagonal of perfect calibration.
        legend : bool, default=True
            Whether to draw a legend.
        curve_kwargs : dict, default=None
            Arguments of matplotlib's ``errorbar``, in the place of ours.

        Returns
        -------
        CalibrationDisplay
            This display.
        """
        first, title = self._begin(ax, name, len(self.curves))
        ax, own = self.ax_, dict(curve_kwargs or {})
        self.histogram_ax_ = _below(ax) if histogram else None
        self.lines_ = [
            self._draw_one(ax, label, one, place, own, title is None)
            for place, (label, one) in enumerate(self.curves.items(), start=first)
        ]
        self.line_ = self.lines_[0]
        if self.comparison is not None and legend:
            text = difference_text(self.curves, "Brier score", self.comparison)
            axes.add_remark(ax, text, difference=True)
        if reference:
            axes.draw_reference(ax, [0, 1], [0, 1], "perfect calibration")
        ax.set(ylabel="Observed rate")
        axes.make_square(ax)
        under = ax if self.histogram_ax_ is None else self.histogram_ax_
        under.set_xlabel("Predicted probability")
        if self.histogram_ax_ is not None:
            ax.tick_params(labelbottom=False)
            self.histogram_ax_.set(ylabel="Share", xlim=ax.get_xlim())
            self.histogram_ax_.set_ylim(bottom=0)
        if legend and len(self.curves) <= _FEW:
            level = next(iter(self.curves.values())).curve.confidence_level
            axes.add_remark(ax, f"bars: {100 * level:g}% interval of each bin")
        self._end(title, "best", legend)
        return self

    def _draw_one(
        self, ax: Any, label: Any, one: Reliability, place: int, options: Any, named: bool
    ) -> Any:
        curve = one.curve
        seen = curve.count > 0
        x, rate = curve.mean_predicted[seen], curve.observed_rate[seen]
        margins = [rate - curve.low[seen], curve.high[seen] - rate]
        look = axes.style(place)
        marks = {"marker": axes.MARKERS[place % len(axes.MARKERS)], "markersize": 5}
        bars = {"linewidth": 1.6, "elinewidth": 1.0, "capsize": 2.5}
        told = {"label": self._label(label, one, named)}
        margin = margins if len(self.curves) <= _FEW else None
        drawn = ax.errorbar(x, rate, margin, **{**look, **marks, **bars, **told, **options})
        if self.histogram_ax_ is not None:
            share = one.histogram.weight / one.histogram.weight.sum()
            self.histogram_ax_.stairs(share, one.histogram.edges, linewidth=1.3, **look)
        return axes.take_place(drawn.lines[0])

    def _label(self, label: Any, one: Reliability, named: bool) -> str:
        parts = [self.name] if named and self.name is not None else []
        if isinstance(label, tuple):
            parts += [label[0], self._curve_name(label[1])]
        elif len(self.curves) > 1 or (self.positive is None and label is not None):
            parts.append(self._curve_name(label))
        error = "" if np.isnan(one.error) else f" (ECE {one.error:.3f})"
        score = (
            "" if one.brier is None else f"\nBrier score {axes.number(one.brier.value, one.brier)}"
        )
        return f"{', '.join(parts) or 'model'}{error}{score}"

    @staticmethod
    def _curve_name(label: Any) -> str:
        return label if isinstance(label, str) else f"class {label}"


def _problems(rows: Scores) -> dict[Any, Scores]:
    """Each class against the rest, and of several classes whether the most probable is true."""
    problems = dict(binary_problems(rows))
    if rows.kind == "multiclass":
        top = rows.score.argmax(axis=1)
        hit = (top == rows.true).astype(np.int64)
        best = rows.score[np.arange(len(top)), top]
        problems[_TOP] = Scores("binary", np.array([0, 1]), hit, best, rows.weight)
    return problems


def _reliability(
    problem: Scores, bins: dict[str, Any], design: dict[str, Any], *, estimate: bool
) -> Reliability:
    true, score = problem.true, problem.score
    rows: dict[str, Any] = {"labels": [0, 1], "sample_weight": problem.weight}
    level = design["confidence_level"]
    brier = confidence_interval(brier_score_loss, true, score, **rows, **design)
    return Reliability(
        calibration_curve_binned(true, score, **design, **bins, **rows),
        expected_calibration_error(true, score, **bins, **rows),
        calibration_curve_binned(true, score, n_bins=_N_BARS, confidence_level=level, **rows),
        brier if estimate and isinstance(brier, Estimate) else None,
    )


def _below(ax: Any) -> Any:
    """The axes below, which an earlier display on the same axes may have made."""
    for child in ax.child_axes:
        if child.get_gid() == _HISTOGRAM:
            return child
    below = ax.inset_axes([0, -0.24, 1, 0.18])
    below.set_gid(_HISTOGRAM)
    below.spines[["top", "right"]].set_visible(False)
    return below
