"""Comparison of models by metric over the folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from skmetrics_ext.curve_tables.fold_table import (
    SIZES,
    column_of,
    folds_of_results,
    limits_of_models,
    read_folds,
    summary_of_folds,
)
from skmetrics_ext.curve_tables.parts import check_report, is_by_model
from skmetrics_ext.inference.estimate_rows import shown_metric
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.display import Display, Door, document_display
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.parameters import check_level

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINE = 0.19  # inches for a line of a name
_MODELS = "skmetrics_ext:models"  # marks an axis with models of an earlier display


def _of_report(
    display: type[CrossValidationDisplay],
    report: Any,
    interval: str | None = None,
    confidence_level: float | None = None,
) -> CrossValidationDisplay:
    """The folds of a report, with the intervals of its summary."""
    report = check_report(report)
    level = report.confidence_level if confidence_level is None else confidence_level
    made = display(report.folds(), baseline=report.baseline, confidence_level=level)
    for row in replace(report, confidence_level=level).summary(interval):
        drawn = {key: row[key] for key in ("low", "high", "train") if key in row}
        made._summary[row.metric, row.model] |= drawn
        made._target = row.target
    return made


def _of_cv_results(
    display: type[CrossValidationDisplay], cv_results: Mapping[str, Any], **options: Any
) -> CrossValidationDisplay:
    """The folds of one or several results of ``cross_validate``."""
    by_model = cv_results if is_by_model(cv_results) else {"model": cv_results}
    rows = [row for name, result in by_model.items() for row in folds_of_results(name, result)]
    return display(rows, **options)


@document_display
class CrossValidationDisplay(Display):
    """Comparison of models by metric: folds as dots, mean and interval, the baseline marked.

    Made by ``from_report`` or ``from_cv_results``, or from a table of folds.

    The intervals are those of the report's summary. Without a report they are intervals of the
    mean with Nadeau and Bengio's correction for overlapping training sets, or one standard
    deviation if the sizes of the folds are not known. An arrow points to a baseline that is far
    from the models.

    Parameters
    ----------
    folds : DataFrame, mapping of str to sequence, or sequence of mappings
        A row for each model, metric and fold, with ``model``, ``metric``, ``value`` (nan if
        undefined) and, for intervals, ``n_train`` and ``n_test``.
    baseline : str, default=None
        Name of the reference model.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of the intervals.

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
    >>> from skmetrics_ext.plotting import CrossValidationDisplay
    >>> folds = {
    ...     "model": ["a", "a", "b", "b"],
    ...     "metric": ["f1", "f1", "f1", "f1"],
    ...     "value": [0.8, 0.9, 0.5, 0.7],
    ... }
    >>> display = CrossValidationDisplay(folds, baseline="b").plot()
    >>> display.columns()["mean"].round(3).tolist()
    [0.85, 0.6]
    """

    doors: ClassVar[Mapping[str, Door]] = {
        "from_report": Door(_of_report, ("report",), {"interval": None, "confidence_level": None}),
        "from_cv_results": Door(
            _of_cv_results, ("cv_results",), {"baseline": None, "confidence_level": 0.95}
        ),
    }

    def __init__(
        self, folds: Any, *, baseline: str | None = None, confidence_level: float = 0.95
    ) -> None:
        self.folds = read_folds(folds)
        self.baseline = baseline
        self.confidence_level = check_level(confidence_level)
        self.models = list(dict.fromkeys(self.folds["model"].tolist()))
        self.metrics = list(dict.fromkeys(self.folds["metric"].tolist()))
        if baseline is not None and baseline not in self.models:
            raise InvalidParameterError(
                f"baseline must be one of the models {self.models}, got {baseline!r}."
            )
        has_sizes = all(size in self.folds for size in SIZES)
        self._target = "Nadeau-Bengio" if has_sizes else None  # None: one standard deviation
        self._summary = {
            (row["metric"], row["model"]): row
            for row in summary_of_folds(self.folds, self.confidence_level, baseline)
        }

    @classmethod
    def _of_data(cls, door: str, *data: Any, **options: Any) -> Self:
        """The display of data that a constructor takes, computed but not drawn."""
        display: Self = cls.doors[door].read(cls, *data, **options)
        return display

    @classmethod
    def from_report(cls, report: Any, **options: Any) -> Self:
        """Draw a `cross_validation_report` with the intervals of its summary.

        Parameters
        ----------
        report : CrossValidationReport
            The report.
        interval : str, default=None
            Kind of interval, as in the report's ``summary``; by default the report's.
        confidence_level : float in (0, 1), default=None
            Nominal coverage of the intervals; by default the report's.
        {axes}
        {options}

        {drawn}
        """
        return cls._drawn("from_report", report, **options)

    @classmethod
    def from_cv_results(cls, cv_results: Mapping[str, Any], **options: Any) -> Self:
        """Draw results of scikit-learn's ``cross_validate``.

        Parameters
        ----------
        cv_results : dict, or mapping of str to dict
            Result of ``cross_validate`` for one model, or a mapping of names to several. Intervals
            need ``return_indices=True``.
        baseline : str, default=None
            Name of the reference model.
        confidence_level : float in (0, 1), default=0.95
            Nominal coverage of the intervals.
        {axes}
        {options}

        {drawn}
        """
        return cls._drawn("from_cv_results", cv_results, **options)

    # --------------------------------------------------------------------- computing

    def columns(self, rows: Literal["summary", "folds"] = "summary") -> dict[str, Array]:
        """The numbers behind the picture.

        Parameters
        ----------
        rows : {"summary", "folds"}, default="summary"
            The means and intervals, or the values of the folds.

        Returns
        -------
        dict of str to ndarray
            For the summary ``model``, ``metric``, ``is_baseline``, ``mean``, ``std`` (ddof=1),
            ``low``, ``high``, ``n_folds`` and ``n_undefined``; infinite values count as
            undefined.
        """
        check_option("rows", rows, ("summary", "folds"))
        if rows == "folds":
            return dict(self.folds)
        summary = list(self._summary.values())
        return {key: column_of([row[key] for row in summary]) for key in summary[0]}

    # --------------------------------------------------------------------- drawing

    def plot(self, ax: Axes | None = None, *, values: bool = True, legend: bool = True) -> Self:
        """Draw a panel for each metric.

        Parameters
        ----------
        {axes}
        values : bool, default=True
            Whether to write the means.
        legend : bool, default=True
            Whether to explain the marks.

        Returns
        -------
        CrossValidationDisplay
            This display.
        """
        self.axes_ = self._make_axes(ax)
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        self.lines_: list[Any] = []
        has_models = self.ax_.yaxis.get_gid() == _MODELS
        earlier = [label.get_text() for label in self.ax_.get_yticklabels()] if has_models else []
        if earlier and axes.is_own_figure(self.figure_):
            width, height = self.figure_.get_size_inches()
            self.figure_.set_size_inches(width, height * (1 + len(self.models) / len(earlier)))
        marks: dict[str, Any] = {}
        for metric, panel in zip(self.metrics, self.axes_, strict=True):
            limits = self._limits(metric)
            if limits is not None and earlier:
                low, high = panel.get_xlim()
                limits = min(limits[0], low), max(limits[1], high)
            for place, model in enumerate(self.models, start=len(earlier)):
                row = self._shown(metric, model)
                marks |= self._draw_model(panel, place, row)
                self._write_mean(panel, place, row, limits, values)
            axes.name_rows(panel, [*earlier, *self.models])
            panel.yaxis.set_gid(_MODELS)
            panel.spines[["top", "right"]].set_visible(False)
            panel.grid(axis="x", color="#DDDDDD", linewidth=0.7)
            panel.set_axisbelow(True)
            panel.margins(x=0.12)
            panel.set(
                xlabel=axes.title_of(str(metric)), **({} if limits is None else {"xlim": limits})
            )
        self.legend_ = self._draw_legend(marks, ax is None) if legend else None
        for panel in self.axes_:
            axes.fit_text(panel)
        return self

    def _make_axes(self, ax: Any) -> Array:
        names, count = [axes.wrap(model, axes.NAME) for model in self.models], len(self.metrics)
        n_columns = min(count, axes.PER_ROW)
        width = 2.9 * n_columns + 0.08 * axes.longest(names) + 0.4
        row = max(0.42, _LINE * axes.n_lines(names))
        height = -(-count // n_columns) * (row * len(self.models) + 0.8) + 0.5
        what = f"one axes for each of the metrics {self.metrics}"
        name = "CrossValidationDisplay.plot"
        return axes.make_panels(name, ax, (width, height), count, what, sharey=True)

    def _shown(self, metric: Any, model: Any) -> dict[str, Any]:
        """The row of a model with its folds and the ends of its bar; losses are positive.

        The bar is the interval, or one standard deviation on either side.
        """
        row, folds = self._summary[metric, model], self.folds
        ends = row["low"], row["high"]
        if self._target is None:
            ends = row["mean"] - row["std"], row["mean"] + row["std"]
        values = folds["value"][(folds["metric"] == metric) & (folds["model"] == model)]
        sign = shown_metric(metric)[1]
        numbers = {"mean": row["mean"], "train": row.get("train", np.nan), "values": values}
        shown = {key: sign * value for key, value in numbers.items()}
        return {**row, **shown, "ends": [sign * end for end in ends[::sign]]}

    def _limits(self, metric: Any) -> tuple[float, float] | None:
        """Limits of the axis of a metric, if the baseline is far from the models."""
        if self.baseline is None:
            return None
        rows = [self._shown(metric, model) for model in self.models if model != self.baseline]
        parts = [[*row["values"], *row["ends"], row["train"]] for row in rows]
        shown = np.concatenate(parts) if parts else np.empty(0)
        return limits_of_models(shown, self._shown(metric, self.baseline)["mean"])

    def _draw_model(self, ax: Any, place: int, row: Mapping[str, Any]) -> dict[str, Any]:
        """Draw folds, mean and interval of a model; return the legend's marks by their label."""
        mean, is_baseline = row["mean"], row["is_baseline"]
        dots = row["values"]
        colour = axes.GREY if is_baseline else axes.COLOURS[0]
        # The dots are below the interval, which would hide them.
        height = place + np.linspace(0.12, 0.28, len(dots))
        folds = ax.scatter(dots, height, s=13, color=colour, alpha=0.5, linewidths=0, zorder=2)
        (bar,) = ax.plot(row["ends"], [place, place], color=colour, linewidth=2.2, zorder=3)
        shape = {"marker": "D", "markerfacecolor": "white"} if is_baseline else {"marker": "o"}
        look = {"markersize": 6.5, "markeredgewidth": 1.4, "linestyle": "none", "zorder": 4}
        (mark,) = ax.plot([mean], [place], color=colour, **shape, **look)
        self.lines_.append(mark)
        if is_baseline:
            line = ax.axvline(mean, **axes.REFERENCE)
            return {"fold": folds, "baseline": (line, mark)}
        train = {}
        if np.isfinite(row["train"]):
            (train["mean, training rows"],) = ax.plot(
                [row["train"]], [place], marker="|", markersize=11, color=colour, linestyle="none"
            )
        spread = "± 1 standard deviation"
        if self._target is not None:
            spread = f"{100 * self.confidence_level:g} % interval ({self._target})"
        return {"fold": folds, f"mean, {spread}": (bar, mark), **train}

    @staticmethod
    def _write_mean(ax: Any, place: int, row: Mapping[str, Any], limits: Any, values: bool) -> None:
        """Write a mean above its mark, or at the edge with an arrow if it is beyond the limits."""
        from matplotlib.patheffects import withStroke

        mean, n_folds, n_undefined = row["mean"], row["n_folds"], row["n_undefined"]
        across = ax.get_yaxis_transform()  # shares of the width
        at, where = (0.5, across) if np.isnan(mean) else (mean, ax.transData)
        look: dict[str, Any] = {"xytext": (0, 7), "textcoords": "offset points", "ha": "center"}
        look["path_effects"] = [withStroke(linewidth=2.5, foreground="white")]
        text = f"{mean:.3f}" if values and not np.isnan(mean) else ""
        if n_undefined:
            text = f"{text} ({n_folds - n_undefined} of {n_folds} folds)".strip()
        if row["is_baseline"] and limits is not None:
            right = mean > limits[1]
            text, at, where = f"{mean:.3f} →" if right else f"← {mean:.3f}", float(right), across
            look = {"ha": "right" if right else "left", "va": "center"}
        colour = axes.GREY if row["is_baseline"] else axes.COLOURS[0]
        if text:
            ax.annotate(text, (at, place), xycoords=where, fontsize="x-small", color=colour, **look)

    def _draw_legend(self, marks: Mapping[str, Any], own_figure: bool) -> Any:
        earlier = self.figure_.legends
        if earlier and axes.is_own_figure(self.figure_):
            return earlier[0]
        owner, look = self.axes_[-1], dict[str, Any](loc="best")
        if own_figure:
            owner, look = self.figure_, {"loc": "outside lower center", "ncols": len(marks)}
        return owner.legend([*marks.values()], [*marks], fontsize="small", frameon=False, **look)
