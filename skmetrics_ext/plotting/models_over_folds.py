"""Models side by side, metric by metric, over the folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from skmetrics_ext.inference.tests.fold_tests import corrected_resampled_interval
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import drawing, fitting
from skmetrics_ext.plotting.display import Display
from skmetrics_ext.plotting.docstrings import document_display
from skmetrics_ext.plotting.fold_table import column, is_by_model, read_folds, result_rows
from skmetrics_ext.plotting.lines import objects
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.parameters import check_level

_SIZES = ("n_train", "n_test")
_PER_ROW = 3
_LINE = 0.19  # inches of a line of a name
_ROWS = "skmetrics_ext:models"


@document_display
class CrossValidationDisplay(Display):
    """Comparison of models by metric: folds as dots, mean and interval, the baseline marked.

    Made by ``from_report`` or ``from_cv_results``, or from a table of folds.

    Intervals of a report are those of its summary. Of other folds the interval is that of the mean
    with Nadeau and Bengio's correction for training sets that overlap, where the sizes of the
    folds are known; else there is one standard deviation.

    Parameters
    ----------
    folds : DataFrame, mapping of str to sequence, or sequence of mappings
        A row per model, metric and fold, with ``model``, ``metric``, ``value`` (nan where
        undefined) and, for intervals, ``n_train`` and ``n_test``.
    {baseline}
    {confidence_level}

    Attributes
    ----------
    axes_ : ndarray of matplotlib axes
        One for each metric; ``ax_`` is the first.
    figure_ : matplotlib figure
    lines_ : list of matplotlib lines
        The means, by metric and then by model.

    References
    ----------
    Nadeau & Bengio (2003), Machine Learning 52(3), 239-281.

    Examples
    --------
    >>> from skmetrics_ext import CrossValidationDisplay
    >>> folds = {
    ...     "model": ["a", "a", "b", "b"],
    ...     "metric": ["f1", "f1", "f1", "f1"],
    ...     "value": [0.8, 0.9, 0.5, 0.7],
    ... }
    >>> display = CrossValidationDisplay(folds, baseline="b").plot()
    >>> display.columns()["mean"].round(3).tolist()
    [0.85, 0.6]
    """

    def __init__(
        self, folds: Any, *, baseline: str | None = None, confidence_level: float = 0.95
    ) -> None:
        self.folds = read_folds(folds)
        self.baseline = baseline
        self.confidence_level = check_level(confidence_level)
        self.models = list(dict.fromkeys(self.folds["model"].tolist()))
        self.metrics = list(dict.fromkeys(self.folds["metric"].tolist()))
        self._intervals: dict[tuple[Any, Any], tuple[float, float]] = {}
        self._described = "Nadeau-Bengio"
        if baseline is not None and baseline not in self.models:
            raise InvalidParameterError(
                f"baseline must be one of the models {self.models}, got {baseline!r}."
            )

    @classmethod
    def from_report(
        cls,
        report: Any,
        *,
        interval: str | None = None,
        confidence_level: float | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw a report of `cross_validation_report` with the intervals of its summary.

        Parameters
        ----------
        report : CrossValidationReport
            What is read is ``folds()``, ``summary()`` and ``baseline``.
        interval : str, default=None
            The kind of interval, as in the report's ``summary``; that of the report by default.
        confidence_level : float in (0, 1), default=None
            Nominal coverage of the intervals; that of the report by default.
        {axes}
        {plot_options}

        {drawn}
        """
        level = report.confidence_level if confidence_level is None else confidence_level
        display = cls(report.folds(), baseline=report.baseline, confidence_level=level)
        for row in replace(report, confidence_level=level).summary(interval):
            display._intervals[row.model, row.metric] = row.low, row.high
            display._described = row.target
        return display.plot(ax, **options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        *,
        baseline: str | None = None,
        confidence_level: float = 0.95,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw results of scikit-learn's ``cross_validate``.

        Parameters
        ----------
        cv_results : dict, or mapping of str to dict
            What ``cross_validate`` returned, of one model or of each by its name. With
            ``return_indices=True`` intervals can be given.
        {baseline}
        {confidence_level}
        {axes}
        {plot_options}

        {drawn}
        """
        by_model = cv_results if is_by_model(cv_results) else {"model": cv_results}
        rows = [row for name, result in by_model.items() for row in result_rows(name, result)]
        display = cls(rows, baseline=baseline, confidence_level=confidence_level)
        return display.plot(ax, **options)

    # --------------------------------------------------------------------- computing

    def _own(self, model: Any, metric: Any) -> Array:
        """The rows of the folds of a model and a metric."""
        return (self.folds["model"] == model) & (self.folds["metric"] == metric)

    def _summarize(self, model: Any, metric: Any) -> dict[str, Any]:
        own = self._own(model, metric)
        every = self.folds["value"][own]
        kept = np.isfinite(every)
        values = every[kept]
        nan = float("nan")
        row = {
            "model": model,
            "metric": metric,
            "is_baseline": model == self.baseline,
            "mean": float(values.mean()) if values.size else nan,
            "std": float(values.std(ddof=1)) if values.size > 1 else nan,
            "low": nan,
            "high": nan,
            "n_folds": len(every),
            "n_undefined": int(len(every) - values.size),
        }
        if self._intervals:
            row["low"], row["high"] = self._intervals[model, metric]
        elif values.size > 1 and self._has_sizes:
            sizes = {size: self.folds[size][own][kept] for size in _SIZES}
            found = corrected_resampled_interval(
                values, confidence_level=self.confidence_level, **sizes
            )
            row["low"], row["high"] = found.low, found.high
        return row

    def columns(self, rows: Literal["summary", "folds"] = "summary") -> dict[str, Array]:
        """The numbers behind the picture.

        Parameters
        ----------
        rows : {"summary", "folds"}, default="summary"
            The means and intervals, or the dots.

        Returns
        -------
        dict of str to ndarray
            Of the summary ``model``, ``metric``, ``is_baseline``, ``mean``, ``std`` (ddof=1),
            ``low``, ``high``, ``n_folds`` and ``n_undefined``; infinite values count as
            undefined.
        """
        check_option("rows", rows, ("summary", "folds"))
        if rows == "folds":
            return dict(self.folds)
        summary = [self._summarize(model, name) for name in self.metrics for model in self.models]
        return {key: column([row[key] for row in summary]) for key in summary[0]}

    # --------------------------------------------------------------------- drawing

    def plot(self, ax: Any = None, *, values: bool = True, legend: bool = True) -> Self:
        """Draw a panel for each metric.

        Parameters
        ----------
        {axes}
        values : bool, default=True
            Whether to write the means.
        legend : bool, default=True
            Whether to say what the marks are.

        Returns
        -------
        CrossValidationDisplay
            This display.
        """
        self.axes_ = self._make_axes(ax)
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        self.lines_: list[Any] = []
        named = _named(self.ax_)
        if named and fitting.is_own(self.figure_):
            width, height = self.figure_.get_size_inches()
            self.figure_.set_size_inches(width, height * (1 + len(self.models) / len(named)))
        for metric, panel in zip(self.metrics, self.axes_, strict=True):
            for place, model in enumerate(self.models, start=len(named)):
                self._draw_model(panel, place, model, metric, values)
            self._finish(panel, metric, [*named, *self.models])
        self.legend_ = self._draw_legend(ax is None) if legend else None
        for panel in self.axes_:
            fitting.settle(panel)
        return self

    def _make_axes(self, ax: Any) -> Array:
        plt = drawing.pyplot("CrossValidationDisplay.plot")
        count = len(self.metrics)
        if ax is None:
            n_columns = min(count, _PER_ROW)
            n_rows = -(-count // n_columns)
            names = [fitting.wrap(model, fitting.NAME) for model in self.models]
            width = 2.9 * n_columns + 0.08 * fitting.longest(names) + 0.4
            height = n_rows * (_row_height(names) * len(self.models) + 0.8) + 0.5
            options = {"figsize": (width, height), "layout": "constrained"}
            figure, grid = plt.subplots(n_rows, n_columns, sharey=True, squeeze=False, **options)
            fitting.own(figure)
            for extra in grid.flat[count:]:
                extra.remove()
            found = list(grid.flat[:count])
        else:
            found = np.ravel(np.array(ax, dtype=object)).tolist()
        if len(found) != count:
            raise InvalidParameterError(
                f"ax must hold one axes for each of the metrics {self.metrics}, got {len(found)}."
            )
        return objects(found)

    def _draw_model(self, ax: Any, place: int, model: Any, metric: Any, values: bool) -> None:
        row = self._summarize(model, metric)
        mean, is_baseline = row["mean"], row["is_baseline"]
        dots = self.folds["value"][self._own(model, metric)]
        colour = drawing.GREY if is_baseline else drawing.COLOURS[0]
        # Below the interval, which would hide them.
        height = place + np.linspace(0.12, 0.28, len(dots))
        ax.scatter(dots, height, s=13, color=colour, alpha=0.5, linewidths=0, zorder=2)
        if is_baseline:
            ax.axvline(mean, color=colour, linestyle=(0, (4, 3)), linewidth=1.1, zorder=1)
        low, high = row["low"], row["high"]
        if np.isnan(low) and not self._has_sizes:
            low, high = mean - row["std"], mean + row["std"]
        ax.plot([low, high], [place, place], color=colour, linewidth=2.2, zorder=3)
        mark = ("D", "white") if is_baseline else ("o", colour)
        look: dict[str, Any] = {"marker": mark[0], "markerfacecolor": mark[1], "color": colour}
        look |= {"markersize": 6.5, "markeredgewidth": 1.4, "linestyle": "none"}
        self.lines_ += ax.plot([mean], [place], zorder=4, **look)
        text = f"{mean:.3f}" if values and not np.isnan(mean) else ""
        if row["n_undefined"]:
            left = row["n_folds"] - row["n_undefined"]
            text = f"{text} ({left} of {row['n_folds']} folds)".strip()
        if text:
            self._write(ax, text, mean, place, colour)

    def _write(self, ax: Any, text: str, mean: float, place: int, colour: str) -> None:
        """What is said above a mean; in the middle of the axes where there is none."""
        from matplotlib.patheffects import withStroke

        at, where = mean, ax.transData
        if np.isnan(mean):
            at, where = 0.5, ax.get_yaxis_transform()
        look = {"ha": "center", "fontsize": "x-small", "color": colour}
        halo = [withStroke(linewidth=2.5, foreground="white")]
        options = {"xytext": (0, 7), "textcoords": "offset points", "path_effects": halo}
        ax.annotate(text, (at, place), xycoords=where, **options, **look)

    @property
    def _has_sizes(self) -> bool:
        return all(size in self.folds for size in _SIZES)

    def _finish(self, ax: Any, metric: Any, names: list[Any]) -> None:
        """Names of all models of the panel, which another display may have drawn some of."""
        fitting.name_rows(ax, range(len(names)), names)
        ax.yaxis.set_gid(_ROWS)
        ax.set_ylim(len(names) - 0.5, -0.6)
        ax.tick_params(axis="y", length=0)
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.grid(axis="x", color="#DDDDDD", linewidth=0.7)
        ax.set_axisbelow(True)
        ax.margins(x=0.12)
        ax.set_xlabel(str(metric))

    def _draw_legend(self, own_figure: bool) -> Any:
        from matplotlib.lines import Line2D

        spread = "± 1 standard deviation"
        if self._has_sizes:
            spread = f"{100 * self.confidence_level:g} % interval ({self._described})"
        dot: dict[str, Any] = {"marker": "o", "color": drawing.COLOURS[0]}
        handles = [
            Line2D([], [], linestyle="none", markersize=3.5, alpha=0.45, label="fold", **dot),
            Line2D([], [], linewidth=2.2, markersize=6, label=f"mean, {spread}", **dot),
        ]
        if self.baseline is not None:
            look: dict[str, Any] = {"marker": "D", "markerfacecolor": "white"}
            look |= {"color": drawing.GREY, "linestyle": (0, (4, 3))}
            handles.append(Line2D([], [], label="baseline", **look))
        options: dict[str, Any] = {"fontsize": "small", "frameon": False, "handles": handles}
        drawn = self.figure_.legends
        if drawn and fitting.is_own(self.figure_):
            return drawn[0]  # of the display that is added to
        if own_figure:
            return self.figure_.legend(loc="outside lower center", ncols=len(handles), **options)
        return self.axes_[-1].legend(loc="best", **options)


def _named(ax: Any) -> list[str]:
    """The models that another display has drawn on these axes."""
    drawn = ax.yaxis.get_gid() == _ROWS
    return [label.get_text() for label in ax.get_yticklabels()] if drawn else []


def _row_height(names: list[str]) -> float:
    return max(0.42, _LINE * fitting.n_lines(names))
