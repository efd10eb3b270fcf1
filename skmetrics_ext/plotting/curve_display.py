"""Curves of classes or models, or of folds with their mean and a band."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.tests.fold_tests import corrected_resampled_interval
from skmetrics_ext.metrics.averaging import MACRO, MICRO
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import drawing, fitting
from skmetrics_ext.plotting.display import ScoreDisplay
from skmetrics_ext.plotting.docstrings import document_display
from skmetrics_ext.plotting.lines import (
    AVERAGES,
    MEAN,
    Line,
    check_grid,
    chosen,
    objects,
    positive,
    quietly,
)
from skmetrics_ext.plotting.scored import ScoredFold, binary_problems
from skmetrics_ext.scoring.scorer import metric_of
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option
from skmetrics_ext.validation.parameters import check_level

_AVERAGE_DASHES = {MICRO: "-", MACRO: (0, (1, 1))}


@document_display
class CurveDisplay(ScoreDisplay):
    """Lines over one abscissa. What differs between the kinds is said by a few attributes.

    Parameters
    ----------
    lines : sequence of Line
        Of folds, those of one curve before their mean.
    {curve_parameters}
    """

    x: ClassVar[str]
    y: ClassVar[str]
    averaged: ClassVar[tuple[str, ...]]  # columns that are averaged over folds, y first
    x_label: ClassVar[str]
    y_label: ClassVar[str]
    value_name: ClassVar[str] = ""
    metric: ClassVar[Callable[..., Any] | None] = None  # what the value of a curve is
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    drawstyle: ClassVar[str] = "default"
    band_label = ""  # of bands around curves without folds
    legend_at: ClassVar[str] = "best"
    grid: ClassVar[Array] = np.linspace(0, 1, 101)

    def __init__(
        self,
        lines: Sequence[Line],
        *,
        name: str | None = None,
        positive: Any = None,
        undefined: Mapping[int, str] | None = None,
    ) -> None:
        self.lines = tuple(lines)
        self.name = name
        self.positive = positive
        self.undefined = dict(undefined or {})

    # --------------------------------------------------------------------- what the kinds define

    @classmethod
    def _read(cls, *args: Any, **options: Any) -> list[Line]:
        """All curves of checked rows: of each class against the rest, if not said otherwise."""
        return [cls._line(*pair, **options) for pair in binary_problems(*args)]

    @classmethod
    def _line(cls, *args: Any, **options: Any) -> Line:
        """The curve of a class against the rest, from its name and the checked rows."""
        raise NotImplementedError

    @classmethod
    def _is_undefined(cls, line: Line, rows: Scores) -> bool:
        x, y = line.columns[cls.x], line.columns[cls.y]
        return bool(np.isnan(x).any() or np.isnan(y).all())

    @classmethod
    def _at(cls, line: Line, column: str, grid: Array) -> Array:
        """A column at given abscissas."""
        return np.interp(grid, line.columns[cls.x], line.columns[column])

    @classmethod
    def _grid(cls, lines: list[Line]) -> Array:
        """Abscissas of the mean of the lines of folds."""
        return cls.grid

    def _draw_references(self, ax: Any) -> None:
        """What the curves are compared with."""

    def _draw_bound(self, ax: Any, column: str, label: str) -> None:
        """A further column of the curve, where there is one curve alone."""
        columns = self.lines[-1].columns
        if self._n_curves == 1 and column in columns:
            look = {"color": "black", "linestyle": (0, (1, 1.5))}
            drawing.draw_reference(ax, columns[self.x], columns[column], label, **look)

    def _set_limits(self, ax: Any) -> None:
        drawing.make_square(ax)

    # --------------------------------------------------------------------- computing

    @classmethod
    def _of_rows(
        cls, rows: Scores, name: str | None, *, curves: Any = None, **options: Any
    ) -> Self:
        lines = {line.curve: line for line in cls._read(rows, **options)}
        return cls([*chosen(lines, curves).values()], name=name, positive=positive(rows))

    @classmethod
    def _of_folds(
        cls,
        folds: list[ScoredFold],
        name: str | None,
        *,
        curves: Any = None,
        grid: Any = None,
        confidence_level: float = 0.95,
        **options: Any,
    ) -> Self:
        level = check_level(confidence_level)
        undefined = {fold.number: fold.reason for fold in folds if fold.scores is None}
        by_curve: dict[Any, list[tuple[ScoredFold, Line]]] = {}
        for fold in folds:
            if fold.scores is None:
                continue
            found = {line.curve: line for line in quietly(cls._read, fold.scores, **options)}
            # Of several curves, the folds of their macro-average are drawn.
            default = MACRO if MACRO in found else None
            for curve, line in chosen(found, default if curves is None else curves).items():
                if cls._is_undefined(line, fold.scores):
                    undefined[fold.number] = f"{curve}: a class has no rows, or no others"
                else:
                    by_curve.setdefault(curve, []).append((fold, line))
        if not by_curve:
            reasons = sorted(set(undefined.values()))
            raise InvalidParameterError(f"No fold has a curve: {'; '.join(reasons)}.")
        lines: list[Line] = []
        for curve, pairs in by_curve.items():
            own = [Line(curve, line.columns, line.value, fold.number) for fold, line in pairs]
            points = cls._grid(own) if grid is None else check_grid(grid)
            mean = cls._mean([fold for fold, _ in pairs], own, points, level)
            lines += [*own, mean]
        first = next(fold.scores for fold in folds if fold.scores is not None)
        return cls(lines, name=name, positive=positive(first), undefined=undefined)

    @classmethod
    def _mean(cls, folds: list[ScoredFold], lines: list[Line], grid: Array, level: float) -> Line:
        columns: dict[str, Array] = {cls.x: grid}
        for column in cls.averaged:
            columns[column] = np.mean([cls._at(line, column, grid) for line in lines], axis=0)
        every = np.array([cls._at(line, cls.y, grid) for line in lines])
        values = np.array([line.value for line in lines])
        interval = None
        spread = margin = np.full(len(grid), np.nan)
        if len(lines) > 1:
            sizes = {"n_train": [f.n_train for f in folds], "n_test": [f.n_test for f in folds]}
            if not np.isnan(values).any():
                interval = corrected_resampled_interval(values, confidence_level=level, **sizes)
            spread = every.std(axis=0, ddof=1)
            # The same correction at every point: its factor is that of scores with spread 1.
            unit = np.linspace(-1, 1, len(lines))
            estimate = corrected_resampled_interval(unit, confidence_level=level, **sizes)
            margin = spread * (estimate.high - estimate.value) / unit.std(ddof=1)
        columns["std"] = spread
        columns["low"] = np.clip(columns[cls.y] - margin, *cls.bounds)
        columns["high"] = np.clip(columns[cls.y] + margin, *cls.bounds)
        return Line(lines[0].curve, columns, float(values.mean()), MEAN, interval)

    def _of_report(self, report: Any, model: str) -> Self:
        """Means over folds have the interval of the metric in the report, if it has the metric."""
        rows = []
        for row in report.summary():
            found = metric_of(report.data.scorers[row.metric])
            if row.model == model and found is not None and found.function is type(self).metric:
                rows.append(row)
        intervals = [
            Estimate(
                row.value,
                row.low,
                row.high,
                row.standard_error,
                row.interval,
                report.confidence_level,
            )
            for row in rows
            if not np.isnan(row.low)
        ]
        self.lines = tuple(
            replace(line, interval=next((e for e in intervals if _is_at(e, line.value)), None))
            if line.fold == MEAN
            else line
            for line in self.lines
        )
        return self

    def columns(self) -> dict[str, Array]:
        """The numbers behind the picture.

        Returns
        -------
        dict of str to ndarray
            ``curve`` names the line, ``fold`` is its fold, "mean" or None; then its points, and
            of means ``std`` over the folds and the interval ``low``, ``high`` of the mean. What
            a line does not have is nan.
        """
        lengths = [len(line.columns[self.x]) for line in self.lines]
        table = {"curve": np.repeat(objects([line.curve for line in self.lines]), lengths)}
        if any(line.fold is not None for line in self.lines):
            table["fold"] = np.repeat(objects([line.fold for line in self.lines]), lengths)
        for column in dict.fromkeys(name for line in self.lines for name in line.columns):
            parts = [
                line.columns.get(column, np.full(length, np.nan))
                for line, length in zip(self.lines, lengths, strict=True)
            ]
            table[column] = np.concatenate(parts, dtype=np.float64)
        return table

    # --------------------------------------------------------------------- drawing

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        band: Literal["std", "interval"] | None = "std",
        folds: bool = True,
        reference: bool = True,
        legend: bool = True,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the lines.

        Parameters
        ----------
        {ax}
            Axes of another display of the same kind are added to, in other colours and dashes.
        {model_name}
        band : {"std", "interval"} or None, default="std"
            Around a mean over folds: one standard deviation of the folds to either side, or
            the interval of the mean with Nadeau and Bengio's correction, at each point. None also
            leaves out the band of one set of rows.
        folds : bool, default=True
            Whether to draw the curve of each fold, where there is one curve alone.
        reference : bool, default=True
            Whether to draw what the curves are compared with, such as chance.
        legend : bool, default=True
            Whether to draw a legend.
        curve_kwargs : dict, default=None
            Arguments of matplotlib's ``plot`` for the curves, in the place of ours.

        Returns
        -------
        display
            This display, with ``ax_``, ``figure_``, ``lines_`` (of the curves, or of their means
            over folds), ``line_`` (the first of them), ``fold_lines_``, ``bands_`` and
            ``legend_``.
        """
        check_option("band", band, ("std", "interval", None))
        place, title = self._begin(ax, name, self._n_curves)
        ax = self.ax_
        self.lines_: list[Any] = []
        self.fold_lines_: list[Any] = []
        self.bands_: list[Any] = []
        for line in self.lines:
            look = drawing.style(place)
            if line.is_average and line.fold is None:
                look = {"color": "black", "linestyle": _AVERAGE_DASHES[line.curve]}
            if isinstance(line.fold, int):
                if folds and self._n_curves == 1:  # those of several would hide each other
                    self.fold_lines_.append(self._draw_fold(ax, line, look["color"]))
                continue
            if "low" in line.columns and band is not None:
                self._draw_band(ax, line, look["color"], band)
            options = {"linewidth": 2.2 if line.fold == MEAN else 1.8, **look}
            options |= {"label": self._label(line, title is None), "drawstyle": self.drawstyle}
            options |= dict(curve_kwargs or {})
            x, y = line.columns[self.x], line.columns[self.y]
            self.lines_ += map(drawing.take_place, ax.plot(x, y, **options))
            place += 1
        self.line_ = self.lines_[0]
        if reference:
            self._draw_references(ax)
        ax.set(xlabel=self.x_label, ylabel=f"{self.y_label}{self._event}")
        self._set_limits(ax)
        size, where = self.size, self.legend_at
        self.legend_ = drawing.draw_legend(ax, where, size, title) if legend else None
        fitting.settle(ax)
        return self

    def _draw_fold(self, ax: Any, line: Line, colour: str) -> Any:
        x, y = line.columns[self.x], line.columns[self.y]
        look = {"linewidth": 0.8, "alpha": 0.45, "drawstyle": self.drawstyle, "zorder": 1.5}
        (drawn,) = ax.plot(x, y, color=colour, label=self._fold_label(), **look)
        return drawn

    def _draw_band(self, ax: Any, line: Line, colour: str, band: str) -> None:
        columns = line.columns
        low, high = columns["low"], columns["high"]
        label = "interval of the mean"
        if line.interval is not None:
            label = f"{100 * line.interval.confidence_level:g}% {label}"
        if line.fold is None:
            label = self.band_label
        elif band == "std":
            low = np.clip(columns[self.y] - columns["std"], *self.bounds)
            high = np.clip(columns[self.y] + columns["std"], *self.bounds)
            label = "± 1 standard deviation of the folds"
        step = {"steps-pre": "pre", "steps-post": "post"}.get(self.drawstyle)
        look = {"step": step, "color": colour, "alpha": 0.2, "linewidth": 0, "label": label}
        self.bands_.append(ax.fill_between(columns[self.x], low, high, **look))

    @property
    def _n_curves(self) -> int:
        return len({line.curve for line in self.lines})

    def _fold_label(self) -> str:
        n_drawn = sum(isinstance(line.fold, int) for line in self.lines)
        if not self.undefined:
            return f"each of {n_drawn} folds"
        return f"each fold ({n_drawn} of {n_drawn + len(self.undefined)} defined)"

    def _label(self, line: Line, named: bool) -> str:
        parts = [self.name] if named and self.name is not None else []
        if self._n_curves > 1 or (self.positive is None and line.curve is not None):
            parts.append(self._curve_name(line.curve))
        mean = "mean" if line.fold == MEAN else ""
        text = ", ".join(parts) or "model"
        if not self.value_name or np.isnan(line.value):
            return f"{text}, {mean}" if mean else text
        told = f"{self.value_name} {drawing.number(line.value, line.interval)}"
        return f"{text}\n{mean} {told}" if mean else f"{text} ({told})"

    def _curve_name(self, curve: Any) -> str:
        if curve in AVERAGES:
            return f"{curve}-average"
        return str(curve) if isinstance(curve, str) else f"class {curve}"


def _is_at(estimate: Estimate, value: float) -> bool:
    return bool(np.isclose(estimate.value, value, rtol=0, atol=1e-9))
