"""Curves of classes, models or folds, with bands, means and the metric that sums each up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from skmetrics_ext.formats import probability
from skmetrics_ext.inference.bands import BANDS, curve_band
from skmetrics_ext.inference.results import Comparison, Estimate
from skmetrics_ext.inference.tests.fold_tests import corrected_resampled_interval
from skmetrics_ext.metrics.averaging import MACRO, MICRO
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.display import SourceDisplay
from skmetrics_ext.plotting.documentation import BLOCKS
from skmetrics_ext.plotting.source import (
    AVERAGES,
    DisplaySource,
    MetricRows,
    ScoredFold,
    binary_problems,
    objects,
    positive_of,
    select_curves,
    without_undefined_warnings,
)
from skmetrics_ext.scoring.scorer import metric_of
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option
from skmetrics_ext.validation.parameters import check_level
from skmetrics_ext.validation.tensors import to_host

MEAN = "mean"
BandKind = Literal["pointwise", "simultaneous"]
_AVERAGE_DASHES = {MICRO: "-", MACRO: (0, (1, 1))}
_MOST_BANDS = 4  # that do not hide each other
_MOST_ROWS = 20_000  # more make a band that is narrow and takes seconds


class BandSpec(NamedTuple):
    """The metric whose intervals along the abscissa are the band of a line."""

    metric: Any
    x: Callable[[Array], Array] = lambda at: at  # abscissa of the line, from the metric's
    y: Callable[[Array, Array], Array] = lambda at, bound: bound  # ordinate, from a bound there
    at: Array | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Line:
    """One line of a picture.

    Parameters
    ----------
    curve : object
        The class, "micro", "macro", or the metric.
    columns : mapping of str to ndarray
        Its points.
    value : float
        Number that sums it up (an area, say); nan without one.
    fold : int, "mean" or None
        The fold, or their mean; None without folds.
    interval : Estimate or None
        The value with its interval.
    model : str or None
        Name of the model, where there are several.
    metric : callable or None
        The metric that gives the value from true labels and scores.
    band : BandSpec or None
        How its band is computed.
    """

    curve: Any
    columns: Mapping[str, Array]
    value: float = float("nan")
    fold: int | str | None = None
    interval: Estimate | None = None
    model: str | None = None
    metric: Any = None
    band: BandSpec | None = None

    @property
    def is_average(self) -> bool:
        """Whether it is the average of the curves of classes."""
        return self.curve in AVERAGES


class CurveDisplay(SourceDisplay):
    """Lines over one abscissa; each kind sets a few attributes and says how a line is read.

    Parameters
    ----------
    lines : sequence of Line
        Those of the folds before their mean.
    {curve_parameters}
    """

    x: ClassVar[str]
    y: ClassVar[str]
    averaged: ClassVar[tuple[str, ...]]  # columns that are averaged over folds, y first
    x_label: ClassVar[str]
    y_label: ClassVar[str]
    value_name: ClassVar[str] = ""
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    drawstyle: ClassVar[str] = "default"
    legend_at: ClassVar[str] = "best"
    grid: ClassVar[Array] = np.linspace(0, 1, 101)
    band_label: str = ""  # of bands around curves without folds

    def __init__(
        self,
        lines: Sequence[Line],
        *,
        name: str | None = None,
        positive: Any = None,
        undefined: Mapping[Any, str] | None = None,
        comparison: Comparison | None = None,
    ) -> None:
        self.lines = tuple(lines)
        self.name = name
        self.positive = positive
        self.undefined = dict(undefined or {})
        self.comparison = comparison

    # --------------------------------------------------------------------- defined by each kind

    @classmethod
    def _read(cls, *args: Any, **options: Any) -> list[Line]:
        """Curves of checked rows; by default those of each class against the rest."""
        return [cls._line(*problem, **options) for problem in cls._problems(*args).items()]

    @classmethod
    def _problems(cls, rows: Scores) -> dict[Any, Scores]:
        """Rows of each class against the rest."""
        return dict(binary_problems(rows))

    @classmethod
    def _default(cls, curves: Mapping[Any, Line]) -> Any:
        """Curves to draw of folds and of several models: the macro-average, if there is one."""
        return MACRO if MACRO in curves else None

    @classmethod
    def _line(cls, *args: Any, **options: Any) -> Line:
        """The curve of a class against the rest, from its label and its rows."""
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

    def _value_name(self, line: Line) -> str:
        """Name of the number that sums a line up."""
        return self.value_name

    def _draw_references(self, ax: Any) -> None:
        """Draw lines that the curves are compared with."""

    def _draw_bound(self, ax: Any, column: str, label: str) -> None:
        """Draw a further column of the curves, where they are all of one class."""
        columns = self.lines[-1].columns
        if self._is_one_class and column in columns:
            look = {"color": "black", "linestyle": (0, (1, 1.5))}
            axes.draw_reference(ax, columns[self.x], columns[column], label, **look)

    def _set_limits(self, ax: Any) -> None:
        axes.make_square(ax)

    # --------------------------------------------------------------------- computing

    @classmethod
    def _of_rows(
        cls,
        source: DisplaySource,
        *,
        curves: Any = None,
        interval: str | None = "auto",
        band: BandKind | Literal["auto"] | None = "auto",
        confidence_level: float = 0.95,
        groups: Any = None,
        **options: Any,
    ) -> Self:
        check_option("band", band, ("auto", *BANDS, None))
        kind: BandKind = "simultaneous" if band == "simultaneous" else "pointwise"
        design: dict[str, Any] = {"confidence_level": check_level(confidence_level)}
        models, drawn = source.scores(), []
        for name, rows in models.items():
            design["groups"] = source.groups()[name] if source.in_folds else groups
            read = {line.curve: line for line in cls._read(rows, **options)}
            default = cls._default(read) if len(models) > 1 or cls.pools else None
            selected = select_curves(read, default if curves is None else curves).values()
            problems = cls._problems(rows)
            with_band = [line for line in selected if line.band is not None and not line.is_average]
            n_bands = len(models) * len(with_band)
            few = n_bands <= _MOST_BANDS and len(rows.true) <= _MOST_ROWS
            for line in selected:
                metric_rows = MetricRows.of(line, problems.get(line.curve, rows), design)
                if interval is not None and metric_rows.is_defined:
                    line = replace(line, interval=metric_rows.interval(interval))
                if few if band == "auto" else band is not None:
                    line = cls._with_band(line, metric_rows, kind)
                drawn.append((replace(line, model=name if len(models) > 1 else None), metric_rows))
        lines = [line for line, _ in drawn]
        name = None if len(models) > 1 else next(iter(models))
        display = cls(lines, name=name, positive=positive_of(next(iter(models.values()))))
        if len(models) == len(drawn) == 2 and interval is not None and drawn[0][1].is_defined:
            display.comparison = drawn[0][1].compared_with(drawn[1][1])
        display.band_label = f"{100 * confidence_level:g}% {kind} band"
        return display

    @classmethod
    def _with_band(cls, line: Line, metric_rows: MetricRows, kind: BandKind) -> Line:
        """The line with columns ``low`` and ``high``; outside of the band's range they are nan."""
        rows, spec = metric_rows.rows, line.band
        if spec is None or line.is_average or metric_rows.lacks_class:
            return line
        with without_undefined_warnings():
            options = {"at": spec.at, "band": kind, "random_state": 0, **metric_rows.design}
            band = curve_band(spec.metric, rows, rows, **options)
        places = spec.x(band.at)
        order = np.argsort(places)
        outside = {"left": np.nan, "right": np.nan}
        bounds = spec.y(band.at, band.low), np.minimum(spec.y(band.at, band.high), cls.bounds[1])
        low, high = (
            np.interp(line.columns[cls.x], places[order], bound[order], **outside)
            for bound in bounds
        )
        return replace(line, columns={**line.columns, "low": low, "high": high})

    @classmethod
    def _of_folds(
        cls,
        source: DisplaySource,
        *,
        curves: Any = None,
        grid: Any = None,
        confidence_level: float = 0.95,
        **options: Any,
    ) -> Self:
        level, points = check_level(confidence_level), None if grid is None else _check_grid(grid)
        lines: list[Line] = []
        undefined: dict[Any, str] = {}
        models = source.folds()
        for name, folds in models.items():
            fold_lines, reasons = cls._fold_lines(folds, curves, points, level, options)
            several = len(models) > 1
            lines += [replace(line, model=name) for line in fold_lines] if several else fold_lines
            undefined |= {(name, k) if several else k: text for k, text in reasons.items()}
        if not lines:
            raise InvalidParameterError(
                f"No fold has a curve: {'; '.join(sorted(set(undefined.values())))}."
            )
        first = next(f.scores for folds in models.values() for f in folds if f.scores is not None)
        name = next(iter(models)) if len(models) == 1 else None
        return cls(lines, name=name, positive=positive_of(first), undefined=undefined)

    @classmethod
    def _fold_lines(
        cls,
        folds: list[ScoredFold],
        curves: Any,
        grid: Array | None,
        level: float,
        options: Mapping[str, Any],
    ) -> tuple[list[Line], dict[int, str]]:
        """Lines of the folds of a model, each curve with its mean; and why folds have none."""
        undefined = {fold.number: fold.reason for fold in folds if fold.scores is None}
        by_curve: dict[Any, list[tuple[ScoredFold, Line]]] = {}
        for fold in folds:
            if fold.scores is None:
                continue
            with without_undefined_warnings():
                read = {line.curve: line for line in cls._read(fold.scores, **options)}
            wanted = cls._default(read) if curves is None else curves
            for curve, line in select_curves(read, wanted).items():
                if cls._is_undefined(line, fold.scores):
                    undefined[fold.number] = f"{curve}: a class has no rows, or no others"
                else:
                    by_curve.setdefault(curve, []).append((fold, line))
        lines: list[Line] = []
        for pairs in by_curve.values():
            of_folds = [replace(line, fold=fold.number) for fold, line in pairs]
            points = cls._grid(of_folds) if grid is None else grid
            lines += [*of_folds, cls._mean([fold for fold, _ in pairs], of_folds, points, level)]
        return lines, undefined

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
        mean = replace(lines[0], columns=columns, value=float(values.mean()), fold=MEAN)
        return replace(mean, interval=interval)

    def _take_intervals(self, report: Any, names: Mapping[Any, str]) -> None:
        """Means over folds have the interval of their metric in the report, if it is there."""
        level = report.confidence_level
        by_metric: dict[tuple[Any, Any], list[Any]] = {}
        for row in report.summary():
            metric = metric_of(report.data.scorers[row.metric])
            if metric is not None and not np.isnan(row.low):
                note = row.interval_note or ""
                bounds = row.low, row.high, row.standard_error, row.interval, level, note
                by_metric.setdefault((row.model, metric.function), []).append((row.value, bounds))

        def reported(line: Line) -> Estimate | None:
            model = names[self.name if line.model is None else line.model]
            same = by_metric.get((model, getattr(line.metric, "func", line.metric)), [])
            near = [e for e in same if np.isclose(e[0], line.value, rtol=0, atol=1e-9)]
            return Estimate(near[0][0], *near[0][1]) if near else None

        self.lines = tuple(
            replace(line, interval=reported(line)) if line.fold == MEAN else line
            for line in self.lines
        )

    def columns(self) -> dict[str, Array]:
        """The numbers behind the picture.

        Returns
        -------
        dict of str to ndarray
            ``model`` (where there are several); ``curve``, the class or the average; ``fold``,
            the fold or "mean"; then the points, ``low`` and ``high`` of the bands, and of means
            ``std`` over the folds. A column that a line lacks is nan.
        """
        lengths = [len(line.columns[self.x]) for line in self.lines]
        table = {"curve": np.repeat(objects([line.curve for line in self.lines]), lengths)}
        for name in ("model", "fold"):
            values = [getattr(line, name) for line in self.lines]
            if any(value is not None for value in values):
                table[name] = np.repeat(objects(values), lengths)
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
        band: Literal["auto", "std", "interval"] | None = "auto",
        folds: bool = True,
        reference: bool = True,
        legend: bool = True,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the lines.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; a new figure by default.
            Axes of another display of the same kind are added to, in other colours and dashes.
        {model_name}
        band : {"auto", "std", "interval"} or None, default="auto"
            Around a mean over folds: one standard deviation of the folds to either side (the
            default), or the interval of the mean with Nadeau and Bengio's correction.
            Around the curves of one set of rows: the band that was computed. None draws no band.
        folds : bool, default=True
            Whether to draw the curve of each fold, where there is one curve alone.
        reference : bool, default=True
            Whether to draw reference lines such as chance.
        legend : bool, default=True
            Whether to draw a legend.
        curve_kwargs : dict, default=None
            Arguments of matplotlib's ``plot`` for the curves, which override ours.

        Returns
        -------
        display
            This display, with ``ax_``, ``figure_``, ``lines_`` (of the curves, or of their means
            over folds), ``line_`` (the first of them), ``fold_lines_``, ``bands_`` and
            ``legend_``.
        """
        check_option("band", band, ("auto", "std", "interval", None))
        place, title = self._begin(ax, name, self._n_curves)
        ax = self.ax_
        self.lines_: list[Any] = []
        self.fold_lines_: list[Any] = []
        self.bands_: list[Any] = []
        models, curves = (
            list(dict.fromkeys(getattr(line, key) for line in self.lines))
            for key in ("model", "curve")
        )
        several = len(models) > 1
        for line in self.lines:
            look = self._style(place)
            if several and len(curves) > 1:  # a colour for each curve, dashes for each model
                look["color"] = axes.style(curves.index(line.curve))["color"]
                look["linestyle"] = axes.style(models.index(line.model))["linestyle"]
            if line.is_average and line.fold is None and not several:
                look = {"color": "black", "linestyle": _AVERAGE_DASHES[line.curve]}
            if isinstance(line.fold, int):
                if folds and self._n_curves == 1:  # those of several would hide each other
                    thin = {"linewidth": 0.8, "alpha": 0.45, "zorder": 1.5, "color": look["color"]}
                    thin["label"] = self._fold_label()
                    self.fold_lines_.append(self._draw_line(ax, line, thin))
                continue
            if "low" in line.columns and band is not None:
                self._draw_band(ax, line, look["color"], band)
            options = {"label": self._label(line, title is None), **look, **(curve_kwargs or {})}
            self.lines_.append(axes.take_place(self._draw_line(ax, line, options)))
            place += 1
        self.line_ = self.lines_[0]
        if self.notes and legend:
            axes.add_remark(ax, "* has a note: display.notes")
        if self.comparison is not None and legend:
            axes.add_remark(ax, self._difference_text(self.comparison), difference=True)
        if reference:
            self._draw_references(ax)
        ax.set(xlabel=self.x_label, ylabel=self.y_label)
        self._set_limits(ax)
        self._end(title, self.legend_at, legend)
        return self

    @staticmethod
    def _style(place: int) -> dict[str, Any]:
        return axes.style(place)

    def _draw_line(self, ax: Any, line: Line, options: Mapping[str, Any]) -> Any:
        width = 2.2 if line.fold == MEAN else 1.8
        options = {"linewidth": width, "drawstyle": self.drawstyle, **options}
        return ax.plot(line.columns[self.x], line.columns[self.y], **options)[0]

    def _draw_band(self, ax: Any, line: Line, colour: str, band: str) -> None:
        columns = line.columns
        low, high = columns["low"], columns["high"]
        label = "interval of the mean"
        if line.interval is not None:
            label = f"{100 * line.interval.confidence_level:g}% {label}"
        if line.fold is None:
            label = self.band_label
        elif band != "interval":
            low = np.clip(columns[self.y] - columns["std"], *self.bounds)
            high = np.clip(columns[self.y] + columns["std"], *self.bounds)
            label = "± 1 standard deviation of the folds"
        step = {"steps-pre": "pre", "steps-post": "post"}.get(self.drawstyle)
        alpha = 0.2 if self._n_curves == 1 else 0.12
        look = {"step": step, "color": colour, "alpha": alpha, "linewidth": 0, "label": label}
        self.bands_.append(ax.fill_between(columns[self.x], low, high, **look))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the numbers that have a star in the legend."""
        estimates = [*(line.interval for line in self.lines), self.comparison]
        return tuple(dict.fromkeys(e.note for e in estimates if e is not None and e.note))

    @property
    def _n_curves(self) -> int:
        return len({(line.model, line.curve) for line in self.lines})

    @property
    def _is_one_class(self) -> bool:
        return len({line.curve for line in self.lines}) == 1

    def _fold_label(self) -> str:
        n_drawn = sum(isinstance(line.fold, int) for line in self.lines)
        if not self.undefined:
            return f"each of {n_drawn} folds"
        return f"each fold ({n_drawn} of {n_drawn + len(self.undefined)} defined)"

    def _label(self, line: Line, named: bool) -> str:
        mean = "mean" if line.fold == MEAN else ""
        text, value_name = self._model_name(line, named), self._value_name(line)
        if not value_name or np.isnan(line.value):
            return f"{text}, {mean}" if mean else text
        value = f"{value_name} {axes.number(line.value, line.interval)}{note_mark(line.interval)}"
        return f"{text}\n{mean} {value}" if mean else f"{text} ({value})"

    def _model_name(self, line: Line, named: bool) -> str:
        """Names of the model and of the class, where they are not clear without."""
        names = [line.model, self.name if named else None]
        parts = [name for name in names if name is not None]
        unnamed = line.model is None and self.positive is None and line.curve is not None
        if not self._is_one_class or unnamed:
            parts.append(self._curve_name(line.curve))
        return ", ".join(parts) or "model"

    def _curve_name(self, curve: Any) -> str:
        if curve in AVERAGES:
            return f"{curve}-average"
        return str(curve) if isinstance(curve, str) else f"class {curve}"

    def _difference_text(self, comparison: Comparison) -> str:
        line, models = self.lines[0], [line.model for line in self.lines]
        name = self._value_name(line)
        if self.positive is None:
            name = f"{name}, {self._curve_name(line.curve)}"
        return difference_text(models, name, comparison)


document(CurveDisplay, BLOCKS)


def difference_text(models: Iterable[Any], value_name: str, comparison: Comparison) -> str:
    """Legend entry for the difference between two models."""
    first, second = models
    p_value = probability(comparison.p_value)
    p_value = f"p {p_value}" if p_value.startswith("<") else f"p = {p_value}"
    number = axes.number(comparison.difference, comparison)
    return f"{first} − {second}:\n{value_name} {number}, {p_value}{note_mark(comparison)}"


def note_mark(estimate: Any) -> str:
    """A star where an estimate has a note."""
    return "*" if getattr(estimate, "note", "") else ""


def _check_grid(grid: Any) -> Array:
    points = np.asarray(to_host(grid, "grid"), dtype=np.float64)
    if points.ndim != 1 or points.size < 2 or not (np.diff(points) > 0).all():
        raise InvalidParameterError(f"grid must hold numbers that rise strictly, got {grid!r:.80}.")
    return points
