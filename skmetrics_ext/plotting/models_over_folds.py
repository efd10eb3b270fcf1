"""Models side by side, metric by metric, over the folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from skmetrics_ext.inference.tests.fold_tests import corrected_resampled_interval
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import drawing
from skmetrics_ext.plotting.fold_table import column, is_by_model, read_folds, result_rows
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.parameters import check_level

_SIZES = ("n_train", "n_test")
_PER_ROW = 3


class CrossValidationDisplay:
    """Comparison of models by metric: folds as dots, mean and interval, the baseline marked.

    Made by ``from_report`` or ``from_cv_results``, or from a table of folds.

    The interval is that of the mean with Nadeau and Bengio's correction for training sets that
    overlap, where the sizes of the folds are known; else there is one standard deviation.

    Parameters
    ----------
    folds : DataFrame, mapping of str to sequence, or sequence of mappings
        A row per model, metric and fold, with ``model``, ``metric``, ``value`` (nan where
        undefined) and, for intervals, ``n_train`` and ``n_test``.
    baseline : str, default=None
        Name of the model that the others are compared with.
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
        self.folds = read_folds(folds)
        self.baseline = baseline
        self.confidence_level = check_level(confidence_level)
        self.models = list(dict.fromkeys(self.folds["model"].tolist()))
        self.metrics = list(dict.fromkeys(self.folds["metric"].tolist()))
        if baseline is not None and baseline not in self.models:
            raise InvalidParameterError(
                f"baseline must be one of the models {self.models}, got {baseline!r}."
            )

    @classmethod
    def from_report(
        cls, report: Any, *, confidence_level: float = 0.95, ax: Any = None, **options: Any
    ) -> Self:
        """Draw a report of `cross_validation_report`.

        Parameters
        ----------
        report : CrossValidationReport
            What is read is ``folds()`` and ``baseline``.
        confidence_level : float in (0, 1), default=0.95
            Level of the intervals.
        ax : matplotlib axes or sequence of them, default=None
            Where to draw, one for each metric; a new figure by default.
        **options : dict
            Arguments of `plot`.

        Returns
        -------
        CrossValidationDisplay
            Drawn.
        """
        display = cls(report.folds(), baseline=report.baseline, confidence_level=confidence_level)
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
        baseline : str, default=None
            Name of the model that the others are compared with.
        confidence_level : float in (0, 1), default=0.95
            Level of the intervals.
        ax : matplotlib axes or sequence of them, default=None
            Where to draw, one for each metric; a new figure by default.
        **options : dict
            Arguments of `plot`.

        Returns
        -------
        CrossValidationDisplay
            Drawn.
        """
        by_model = cv_results if is_by_model(cv_results) else {"model": cv_results}
        rows = [row for name, result in by_model.items() for row in result_rows(name, result)]
        display = cls(rows, baseline=baseline, confidence_level=confidence_level)
        return display.plot(ax, **options)

    # --------------------------------------------------------------------- computing

    def _summarize(self, model: Any, metric: Any) -> dict[str, Any]:
        own = (self.folds["model"] == model) & (self.folds["metric"] == metric)
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
        if values.size > 1 and all(size in self.folds for size in _SIZES):
            sizes = {size: self.folds[size][own][kept] for size in _SIZES}
            found = corrected_resampled_interval(
                values, confidence_level=self.confidence_level, **sizes
            )
            row["low"], row["high"] = found.low, found.high
        return row

    def columns(self, rows: str = "summary") -> dict[str, Array]:
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

    def frame(self, rows: str = "summary") -> Any:
        """The numbers behind the picture as a pandas DataFrame.

        Parameters
        ----------
        rows : {"summary", "folds"}, default="summary"
            The means and intervals, or the dots.

        Returns
        -------
        pandas.DataFrame
        """
        return drawing.make_frame(type(self).__name__, self.columns(rows))

    # --------------------------------------------------------------------- drawing

    def plot(self, ax: Any = None, *, values: bool = True, legend: bool = True) -> Self:
        """Draw a panel for each metric.

        Parameters
        ----------
        ax : matplotlib axes or sequence of them, default=None
            Where to draw, one for each metric; a new figure by default.
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
        for metric, panel in zip(self.metrics, self.axes_, strict=True):
            for place, model in enumerate(self.models):
                self._draw_model(panel, place, model, metric, values)
            self._finish(panel, metric)
        self.legend_ = self._draw_legend(ax is None) if legend else None
        return self

    def _make_axes(self, ax: Any) -> Array:
        plt = drawing.pyplot("CrossValidationDisplay.plot")
        count = len(self.metrics)
        if ax is None:
            n_columns = min(count, _PER_ROW)
            n_rows = -(-count // n_columns)
            longest = max(len(str(model)) for model in self.models)
            _, grid = plt.subplots(
                n_rows,
                n_columns,
                figsize=(
                    2.9 * n_columns + 0.08 * longest + 0.4,
                    n_rows * (0.42 * len(self.models) + 0.8) + 0.5,
                ),
                sharey=True,
                squeeze=False,
                layout="constrained",
            )
            for extra in grid.flat[count:]:
                extra.remove()
            found = list(grid.flat[:count])
        else:
            found = list(np.ravel(np.array(ax, dtype=object)))
        if len(found) != count:
            raise InvalidParameterError(
                f"ax must hold one axes for each of the metrics {self.metrics}, got {len(found)}."
            )
        held = np.empty(count, dtype=object)
        held[:] = found
        return held

    def _draw_model(self, ax: Any, place: int, model: Any, metric: Any, values: bool) -> None:
        from matplotlib.patheffects import withStroke

        row = self._summarize(model, metric)
        is_baseline = row["is_baseline"]
        own = (self.folds["model"] == model) & (self.folds["metric"] == metric)
        dots = self.folds["value"][own]
        colour = drawing.GREY if is_baseline else drawing.COLOURS[0]
        # Below the interval, which would hide them.
        height = place + np.linspace(0.12, 0.28, len(dots))
        ax.scatter(dots, height, s=13, color=colour, alpha=0.5, linewidths=0, zorder=2)
        if is_baseline:
            ax.axvline(row["mean"], color=colour, linestyle=(0, (4, 3)), linewidth=1.1, zorder=1)
        low, high = row["low"], row["high"]
        if np.isnan(low) and not self._has_sizes:
            low, high = row["mean"] - row["std"], row["mean"] + row["std"]
        ax.plot([low, high], [place, place], color=colour, linewidth=2.2, zorder=3)
        (mean,) = ax.plot(
            [row["mean"]],
            [place],
            marker="D" if is_baseline else "o",
            markersize=6.5,
            color=colour,
            markerfacecolor="white" if is_baseline else colour,
            markeredgewidth=1.4,
            linestyle="none",
            zorder=4,
        )
        self.lines_.append(mean)
        text = f"{row['mean']:.3f}" if values and row["mean"] == row["mean"] else ""
        if row["n_undefined"]:
            left = row["n_folds"] - row["n_undefined"]
            text = f"{text} ({left} of {row['n_folds']} folds)".strip()
        if text:
            at = row["mean"] if row["mean"] == row["mean"] else 0.5
            where = ax.transData if row["mean"] == row["mean"] else ax.get_yaxis_transform()
            ax.annotate(
                text,
                (at, place),
                xycoords=where,
                xytext=(0, 7),
                textcoords="offset points",
                ha="center",
                fontsize="x-small",
                color=colour,
                path_effects=[withStroke(linewidth=2.5, foreground="white")],
            )

    @property
    def _has_sizes(self) -> bool:
        return all(size in self.folds for size in _SIZES)

    def _finish(self, ax: Any, metric: Any) -> None:
        names = [str(model) for model in self.models]
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(len(names) - 0.5, -0.6)
        ax.tick_params(axis="y", length=0)
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.grid(axis="x", color="#DDDDDD", linewidth=0.7)
        ax.set_axisbelow(True)
        ax.margins(x=0.12)
        ax.set_xlabel(str(metric))

    def _draw_legend(self, own_figure: bool) -> Any:
        from matplotlib.lines import Line2D

        blue = drawing.COLOURS[0]
        spread = "± 1 standard deviation"
        if self._has_sizes:
            spread = f"{100 * self.confidence_level:g}% interval (Nadeau-Bengio)"
        handles = [
            Line2D(
                [],
                [],
                marker="o",
                linestyle="none",
                markersize=3.5,
                alpha=0.45,
                color=blue,
                label="fold",
            ),
            Line2D(
                [], [], marker="o", linewidth=2.2, markersize=6, color=blue, label=f"mean, {spread}"
            ),
        ]
        if self.baseline is not None:
            look: dict[str, Any] = {
                "marker": "D",
                "markerfacecolor": "white",
                "color": drawing.GREY,
            }
            handles.append(Line2D([], [], linestyle=(0, (4, 3)), label="baseline", **look))
        options: dict[str, Any] = {"fontsize": "small", "frameon": False, "handles": handles}
        if own_figure:
            return self.figure_.legend(loc="outside lower center", ncols=len(handles), **options)
        return self.axes_[-1].legend(loc="best", **options)
