"""Models side by side, metric by metric, over the folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from skmetrics_ext.inference.tests.fold_tests import corrected_resampled_interval
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.display import Display
from skmetrics_ext.plotting.documentation import document_display
from skmetrics_ext.plotting.source import is_by_model, objects
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.parameters import check_level

_SIZES = ("n_train", "n_test")
_NEEDED = ("model", "metric", "value")
_LINE = 0.19  # inches of a line of a name
_ROWS = "skmetrics_ext:models"  # mark of an axis that has models


@document_display
class CrossValidationDisplay(Display):
    """Comparison of models by metric: folds as dots, mean and interval, the baseline marked.

    Made by ``from_report`` or ``from_cv_results``, or from a table of folds.

    Intervals of a report are those of its summary. For other folds the interval is that of the
    mean with Nadeau and Bengio's correction for training sets that overlap, where the sizes of the
    folds are known; else it is one standard deviation. The axes show the models; an arrow points
    to a baseline far from them.

    Parameters
    ----------
    folds : DataFrame, mapping of str to sequence, or sequence of mappings
        A row per model, metric and fold, with ``model``, ``metric``, ``value`` (nan where
        undefined) and, for intervals, ``n_train`` and ``n_test``.
    baseline : str, default=None
        Name of the reference model.
    confidence_level : float in (0, 1), default=0.95
        Level of the intervals.

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
        self.folds = _read_folds(folds)
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
            Its ``folds()``, ``summary()`` and ``baseline`` are drawn.
        interval : str, default=None
            The kind of interval, as in the report's ``summary``; that of the report by default.
        confidence_level : float in (0, 1), default=None
            Nominal coverage of the intervals; that of the report by default.
        {axes}
        {options}

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
            Result of ``cross_validate`` for one model, or a mapping of names to several. Intervals
            need ``return_indices=True``.
        baseline : str, default=None
            Name of the reference model.
        confidence_level : float in (0, 1), default=0.95
            Level of the intervals.
        {axes}
        {options}

        {drawn}
        """
        by_model = cv_results if is_by_model(cv_results) else {"model": cv_results}
        rows = [row for name, result in by_model.items() for row in _result_rows(name, result)]
        display = cls(rows, baseline=baseline, confidence_level=confidence_level)
        return display.plot(ax, **options)

    # --------------------------------------------------------------------- computing

    def _is_of(self, model: Any, metric: Any) -> Array:
        """Which folds are of a model and a metric."""
        return (self.folds["model"] == model) & (self.folds["metric"] == metric)

    def _summarize(self, model: Any, metric: Any) -> dict[str, Any]:
        rows = self._is_of(model, metric)
        every = self.folds["value"][rows]
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
            sizes = {size: self.folds[size][rows][kept] for size in _SIZES}
            interval = corrected_resampled_interval(
                values, confidence_level=self.confidence_level, **sizes
            )
            row["low"], row["high"] = interval.low, interval.high
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
        return {key: _column([row[key] for row in summary]) for key in summary[0]}

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
        if named and axes.is_own_figure(self.figure_):
            width, height = self.figure_.get_size_inches()
            self.figure_.set_size_inches(width, height * (1 + len(self.models) / len(named)))
        for metric, panel in zip(self.metrics, self.axes_, strict=True):
            limits = self._limits(metric)
            if limits is not None and named:
                limits = (min(limits[0], panel.get_xlim()[0]), max(limits[1], panel.get_xlim()[1]))
            for place, model in enumerate(self.models, start=len(named)):
                self._draw_model(panel, place, model, metric, values, limits)
            self._finish(panel, metric, [*named, *self.models], limits)
        self.legend_ = self._draw_legend(ax is None) if legend else None
        for panel in self.axes_:
            axes.fit_text(panel)
        return self

    def _make_axes(self, ax: Any) -> Array:
        count = len(self.metrics)
        n_columns = min(count, axes.PER_ROW)
        names = [axes.wrap(model, axes.NAME) for model in self.models]
        width = 2.9 * n_columns + 0.08 * axes.longest(names) + 0.4
        row = max(0.42, _LINE * axes.n_lines(names))
        height = -(-count // n_columns) * (row * len(self.models) + 0.8) + 0.5
        what = f"one axes for each of the metrics {self.metrics}"
        name = "CrossValidationDisplay.plot"
        return axes.make_panels(name, ax, (width, height), count, what, sharey=True)

    def _limits(self, metric: Any) -> tuple[float, float] | None:
        """Limits that show the models, if the baseline is far from them; else None."""
        rows = [self._summarize(model, metric) for model in self.models]
        ends = [self._bar(row) for row in rows if not row["is_baseline"]]
        is_model = (self.folds["metric"] == metric) & (self.folds["model"] != self.baseline)
        shown = np.concatenate([self.folds["value"][is_model], *ends])
        shown = shown[np.isfinite(shown)]
        base = [row["mean"] for row in rows if row["is_baseline"]]
        if not len(shown) or not base or np.isnan(base[0]):
            return None
        low, high = float(shown.min()), float(shown.max())
        span = high - low
        if span == 0 or low - span / 4 <= base[0] <= high + span / 4:
            return None
        return low - 0.2 * span, high + 0.2 * span

    def _bar(self, row: Mapping[str, Any]) -> tuple[float, float]:
        """The ends of an interval, or of one standard deviation without sizes of folds."""
        if np.isnan(row["low"]) and not self._has_sizes:
            return row["mean"] - row["std"], row["mean"] + row["std"]
        return row["low"], row["high"]

    def _draw_model(
        self,
        ax: Any,
        place: int,
        model: Any,
        metric: Any,
        values: bool,
        limits: tuple[float, float] | None,
    ) -> None:
        row = self._summarize(model, metric)
        mean, is_baseline = row["mean"], row["is_baseline"]
        dots = self.folds["value"][self._is_of(model, metric)]
        colour = axes.GREY if is_baseline else axes.COLOURS[0]
        # Below the interval, which would hide them.
        height = place + np.linspace(0.12, 0.28, len(dots))
        ax.scatter(dots, height, s=13, color=colour, alpha=0.5, linewidths=0, zorder=2)
        if is_baseline:
            ax.axvline(mean, color=colour, linestyle=axes.REFERENCE_DASHES, linewidth=1.1, zorder=1)
        ax.plot(self._bar(row), [place, place], color=colour, linewidth=2.2, zorder=3)
        mark = ("D", "white") if is_baseline else ("o", colour)
        look: dict[str, Any] = {"marker": mark[0], "markerfacecolor": mark[1], "color": colour}
        look |= {"markersize": 6.5, "markeredgewidth": 1.4, "linestyle": "none"}
        self.lines_ += ax.plot([mean], [place], zorder=4, **look)
        text = f"{mean:.3f}" if values and not np.isnan(mean) else ""
        if row["n_undefined"]:
            left = row["n_folds"] - row["n_undefined"]
            text = f"{text} ({left} of {row['n_folds']} folds)".strip()
        if is_baseline and limits is not None:
            self._point_to(ax, mean, place, colour, right=mean > limits[1])
        elif text:
            self._write(ax, text, mean, place, colour)

    @staticmethod
    def _point_to(ax: Any, mean: float, place: int, colour: str, *, right: bool) -> None:
        """Write a mean beyond the limits at the edge, with an arrow."""
        text = f"{mean:.3f} →" if right else f"← {mean:.3f}"
        at = (1, place) if right else (0, place)
        look = {"ha": "right" if right else "left", "va": "center", "fontsize": "x-small"}
        ax.text(*at, text, transform=ax.get_yaxis_transform(), color=colour, **look)

    def _write(self, ax: Any, text: str, mean: float, place: int, colour: str) -> None:
        """Write above a mean; in the middle of the axes where there is none."""
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

    def _finish(
        self, ax: Any, metric: Any, names: list[Any], limits: tuple[float, float] | None
    ) -> None:
        """Name all models of a panel, some of which another display may have drawn."""
        axes.name_rows(ax, range(len(names)), names)
        ax.yaxis.set_gid(_ROWS)
        ax.set_ylim(len(names) - 0.5, -0.6)
        ax.tick_params(axis="y", length=0)
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.grid(axis="x", color="#DDDDDD", linewidth=0.7)
        ax.set_axisbelow(True)
        ax.margins(x=0.12)
        if limits is not None:
            ax.set_xlim(limits)
        ax.set_xlabel(str(metric))

    def _draw_legend(self, own_figure: bool) -> Any:
        from matplotlib.lines import Line2D

        spread = "± 1 standard deviation"
        if self._has_sizes:
            spread = f"{100 * self.confidence_level:g} % interval ({self._described})"
        dot: dict[str, Any] = {"marker": "o", "color": axes.COLOURS[0]}
        handles = [
            Line2D([], [], linestyle="none", markersize=3.5, alpha=0.45, label="fold", **dot),
            Line2D([], [], linewidth=2.2, markersize=6, label=f"mean, {spread}", **dot),
        ]
        if self.baseline is not None:
            look: dict[str, Any] = {"marker": "D", "markerfacecolor": "white"}
            look |= {"color": axes.GREY, "linestyle": axes.REFERENCE_DASHES}
            handles.append(Line2D([], [], label="baseline", **look))
        options: dict[str, Any] = {"fontsize": "small", "frameon": False, "handles": handles}
        drawn = self.figure_.legends
        if drawn and axes.is_own_figure(self.figure_):
            return drawn[0]  # that of the display added to
        if own_figure:
            return self.figure_.legend(loc="outside lower center", ncols=len(handles), **options)
        return self.axes_[-1].legend(loc="best", **options)


def _named(ax: Any) -> list[str]:
    """The models that another display has drawn on these axes."""
    drawn = ax.yaxis.get_gid() == _ROWS
    return [label.get_text() for label in ax.get_yticklabels()] if drawn else []


def _read_folds(folds: Any) -> dict[str, Array]:
    """Columns of a data frame, a mapping of columns, or rows."""
    if isinstance(folds, Sequence) and not isinstance(folds, str):
        keys = list(dict.fromkeys(key for row in folds for key in row))
        columns = {key: [row.get(key) for row in folds] for key in keys}
    else:
        names = list(folds.columns) if hasattr(folds, "columns") else list(folds)
        columns = {str(name): list(folds[name]) for name in names}
    missing = [name for name in _NEEDED if name not in columns]
    if missing or not columns[_NEEDED[0]]:
        raise InvalidParameterError(
            f"folds must have a row for each model, metric and fold, with {list(_NEEDED)}; "
            f"{missing or 'rows'} missing, got {list(columns)}."
        )
    table = {name: _column(values) for name, values in columns.items()}
    return table | {"value": np.asarray(columns["value"], dtype=np.float64)}


def _column(values: list[Any]) -> Array:
    """Numbers as numbers, anything else as it is."""
    if all(isinstance(value, bool | np.bool_) for value in values):
        return np.array(values, dtype=bool)
    if all(isinstance(value, int | float | np.number) for value in values):
        return np.array(values)
    return objects(values)


def _result_rows(model: str, result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of one result of ``cross_validate``."""
    names = {key: key.removeprefix("test_") for key in result if key.startswith("test_")}
    if not names:
        raise InvalidParameterError(
            f"cv_results of {model!r} has no key that begins with 'test_', got {list(result)}."
        )
    indices = result.get("indices")
    rows = []
    for key, metric in names.items():
        for fold, value in enumerate(result[key]):
            row = {"model": model, "fold": fold, "metric": metric, "value": float(value)}
            if indices is not None:
                row |= {f"n_{part}": len(indices[part][fold]) for part in ("train", "test")}
            rows.append(row)
    return rows
