"""Reliability diagrams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from skmetrics_ext.inference.calibration_curve import calibration_curve_binned
from skmetrics_ext.metrics.calibration.curve import CalibrationCurve
from skmetrics_ext.metrics.calibration.errors import expected_calibration_error
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import drawing, fitting
from skmetrics_ext.plotting.display import ScoreDisplay
from skmetrics_ext.plotting.docstrings import document_display
from skmetrics_ext.plotting.lines import chosen, objects, positive
from skmetrics_ext.plotting.scored import ScoredFold, binary_problems, pooled
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option

_TOP = "top label"
_COLUMNS = ("mean_predicted", "observed_rate", "low", "high", "weight", "count")
_N_BARS = 20
_FEW = 4  # curves whose intervals can be told apart
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
        Twenty bins of one width, for how often each probability is given.
    """

    curve: CalibrationCurve
    error: float
    histogram: CalibrationCurve


@document_display
class CalibrationDisplay(ScoreDisplay):
    """Reliability diagram: observed rate over predicted probability, intervals and histogram.

    Made by ``from_predictions``, ``from_estimator``, ``from_cv_results``, ``from_folds`` or
    ``from_report`` (the out-of-fold probabilities of all folds as one set; of repeated folds of
    a report, the first of each row), which take beside their own arguments:

    - ``n_bins=10`` and ``strategy="uniform"``, "quantile" or "equal_mass", as in
      `calibration_curve_binned`;
    - ``curves``: the classes to draw, of more than two each against the rest; "top label" is the
      event that the most probable class is the true one;
    - ``confidence_level=0.95`` of the Wilson intervals, and ``groups``, which of the rows depend on
      each other; those of a report are its own.

    Parameters
    ----------
    curves : mapping of object to Reliability
        What is drawn, by class.
    name : str, default=None
        Name of the model.
    positive : object, default=None
        The positive class, for binary data.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    histogram_ax_ : matplotlib axes or None
        Below ``ax_``: how often each probability is given.
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
    ) -> None:
        self.curves = dict(curves)
        self.name = name
        self.positive = positive

    # --------------------------------------------------------------------- computing

    @classmethod
    def _of_rows(
        cls,
        rows: Scores,
        name: str | None,
        *,
        curves: Any = None,
        n_bins: Any = 10,
        strategy: str = "uniform",
        confidence_level: float = 0.95,
        groups: Any = None,
    ) -> Self:
        problems = dict(binary_problems(rows))
        if rows.kind == "multiclass":
            top = rows.score.argmax(axis=1)
            hit = (top == rows.true).astype(np.int64)
            best = rows.score[np.arange(len(top)), top]
            problems[_TOP] = Scores("binary", np.array([0, 1]), hit, best, rows.weight)
        if curves is None:
            curves = [label for label in problems if label != _TOP]
        bins = {"n_bins": n_bins, "strategy": strategy}
        found = {
            label: _reliability(problem, bins, confidence_level, groups)
            for label, problem in chosen(problems, curves).items()
        }
        return cls(found, name=name, positive=positive(rows))

    @classmethod
    def _of_folds(
        cls, folds: list[ScoredFold], name: str | None, *, groups: Any = None, **options: Any
    ) -> Self:
        if groups is not None:
            raise InvalidParameterError(
                "groups are those of one set of rows, and those of folds come in another order: "
                "a report that was given groups knows them."
            )
        rows = pooled(folds)
        parts = [one.group for one in folds if one.scores is not None and one.group is not None]
        known = np.concatenate(parts) if parts else None
        return cls._of_rows(rows, name, groups=known, **options)

    def columns(self, rows: Literal["bins", "histogram"] = "bins") -> dict[str, Array]:
        """The numbers behind the picture.

        Parameters
        ----------
        rows : {"bins", "histogram"}, default="bins"
            The bins of the curves, or those of the histogram below.

        Returns
        -------
        dict of str to ndarray
            ``curve``, ``left`` and ``right`` edge, ``mean_predicted``, ``observed_rate``, its
            interval ``low``, ``high``, ``weight`` and ``count`` of each bin.
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
        if reference:
            drawing.draw_reference(ax, [0, 1], [0, 1], "perfect calibration")
        ax.set(ylabel=f"Observed rate{self._event}")
        drawing.make_square(ax)
        under = ax if self.histogram_ax_ is None else self.histogram_ax_
        under.set_xlabel(f"Predicted probability{self._event}")
        if self.histogram_ax_ is not None:
            ax.tick_params(labelbottom=False)
            self.histogram_ax_.set(ylabel="Share", xlim=ax.get_xlim())
            self.histogram_ax_.set_ylim(bottom=0)
        self.legend_ = drawing.draw_legend(ax, "best", self.size, title) if legend else None
        fitting.settle(ax)
        return self

    def _draw_one(
        self, ax: Any, label: Any, one: Reliability, place: int, options: Any, named: bool
    ) -> Any:
        curve = one.curve
        seen = curve.count > 0
        x, rate = curve.mean_predicted[seen], curve.observed_rate[seen]
        margins = [rate - curve.low[seen], curve.high[seen] - rate]
        look = drawing.style(place)
        marks = {"marker": drawing.MARKERS[place % len(drawing.MARKERS)], "markersize": 5}
        bars = {"linewidth": 1.6, "elinewidth": 1.0, "capsize": 2.5}
        told = {"label": self._label(label, one, named)}
        margin = margins if len(self.curves) <= _FEW else None
        drawn = ax.errorbar(x, rate, margin, **{**look, **marks, **bars, **told, **options})
        if self.histogram_ax_ is not None:
            share = one.histogram.weight / one.histogram.weight.sum()
            self.histogram_ax_.stairs(share, one.histogram.edges, linewidth=1.3, **look)
        return drawing.take_place(drawn.lines[0])

    def _label(self, label: Any, one: Reliability, named: bool) -> str:
        parts = [self.name] if named and self.name is not None else []
        if self.positive is None and label is not None:
            parts.append(label if isinstance(label, str) else f"class {label}")
        error = "" if np.isnan(one.error) else f" (ECE {one.error:.3f})"
        return f"{', '.join(parts) or 'model'}{error}"


def _reliability(problem: Scores, bins: dict[str, Any], level: float, groups: Any) -> Reliability:
    true, score = problem.true, problem.score
    rows: dict[str, Any] = {"labels": [0, 1], "sample_weight": problem.weight}
    asked = {"confidence_level": level, "groups": groups}
    return Reliability(
        calibration_curve_binned(true, score, **asked, **bins, **rows),
        expected_calibration_error(true, score, **bins, **rows),
        calibration_curve_binned(true, score, n_bins=_N_BARS, confidence_level=level, **rows),
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
