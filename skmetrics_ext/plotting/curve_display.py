"""Curves of classes, models or folds, with bands, means and the metric that summarises each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from skmetrics_ext.curves import read_grid
from skmetrics_ext.formats import probability
from skmetrics_ext.inference.bands import BANDS, curve_band
from skmetrics_ext.inference.results import Estimate, estimate
from skmetrics_ext.inference.tests.fold_tests import corrected_resampled_interval
from skmetrics_ext.metrics.averaging import MACRO, MICRO
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.display import BLOCKS, Options, SourceDisplay, keywords
from skmetrics_ext.plotting.source import (
    AVERAGES,
    DisplaySource,
    MetricRows,
    ModelRows,
    binary_problems,
    without_undefined_warnings,
)
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option
from skmetrics_ext.validation.encoding import objects
from skmetrics_ext.validation.parameters import check_level

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEAN = "mean"
BandKind = Literal["pointwise", "simultaneous"]
_AVERAGE_DASHES = {MICRO: "-", MACRO: (0, (1, 1))}
_MOST_BANDS = 4  # more would hide each other
_COVERED = 0.9  # of the range of a curve: the legend says why a band covers less
_MOST_ROWS = 20_000  # more give a band that is narrow and takes seconds


class BandSpec(NamedTuple):
    """A metric of one threshold, rate or share, whose intervals make the band around a line."""

    metric: Any
    x: Callable[[Array], Array] = lambda at: at  # abscissa of the line
    y: Callable[[Array, Array], Array] = lambda at, bound: bound  # ordinate of a bound
    at: Array | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Line:
    """One line of a picture.

    Parameters
    ----------
    curve : object
        The class, "micro", "macro", or the name of the metric.
    columns : mapping of str to ndarray
        Its points.
    value : float
        Number that summarises it, such as its area; nan without one.
    fold : int, "mean" or None
        The fold, or the mean over folds; None without folds.
    interval : Estimate or None
        The value with its interval.
    model : str or None
        Name of the model, if there are several.
    metric : callable or None
        Metric of true labels and scores that gives the value.
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
        """Whether it averages the curves of classes."""
        return self.curve in AVERAGES


class CurveDisplay(SourceDisplay):
    """Lines over one abscissa. A kind of curve sets a few attributes and reads its lines.

    Parameters
    ----------
    lines : sequence of Line
        Lines of the folds come before their mean.
    {curve_parameters}
    """

    x: ClassVar[str]
    y: ClassVar[str]
    averaged: ClassVar[tuple[str, ...]]  # columns that are averaged over folds, y first
    x_label: ClassVar[str]
    y_label: str
    value_name: ClassVar[str] = ""
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    size: ClassVar[tuple[float, float]] = (5.4, 4.4)
    drawstyle: ClassVar[str] = "default"
    markers: ClassVar[tuple[str, ...]] = ()
    legend_at: ClassVar[str] = "best"
    grid: ClassVar[Array] = np.linspace(0, 1, 101)
    reference: ClassVar[tuple[Any, Any, str] | None] = None  # abscissas, ordinates and label
    bound: ClassVar[tuple[str, str] | None] = None  # column and label, drawn for a single class
    band_label: str = ""  # of bands around curves without folds

    def __init__(
        self,
        lines: Sequence[Line],
        *,
        name: str | None = None,
        positive: Any = None,
        undefined: Mapping[Any, str] | None = None,
        comparison: Estimate | None = None,
    ) -> None:
        self.lines = tuple(lines)
        self.name = name
        self.positive = positive
        self.undefined = dict(undefined or {})
        self.comparison = comparison

    # --------------------------------------------------------------------- defined by each kind

    @classmethod
    def _read(cls, *args: Any, **options: Any) -> list[Line]:
        """Read the curves of checked rows; by default each class against the rest."""
        return [cls._line(*problem, **options) for problem in cls._problems(*args).items()]

    @classmethod
    def _line(cls, *args: Any, **options: Any) -> Line:
        """Read the curve of a class against the rest from its label and its rows."""
        raise NotImplementedError

    @classmethod
    def _problems(cls, rows: Scores) -> dict[Any, Scores]:
        """Rows of each class against the rest."""
        return dict(binary_problems(rows))

    @classmethod
    def _default(cls, curves: Iterable[Any]) -> Any:
        """Curves to draw for folds and for several models; None for all."""
        return MACRO if MACRO in curves else None

    @classmethod
    def _is_undefined(cls, line: Line, rows: Scores) -> bool:
        x, y = line.columns[cls.x], line.columns[cls.y]
        return bool(np.isnan(x).any() or np.isnan(y).all())

    @classmethod
    def _at(cls, line: Line, column: str, grid: Array) -> Array:
        """Interpolate a column at these abscissas."""
        return np.interp(grid, line.columns[cls.x], line.columns[column])

    @classmethod
    def _grid(cls, lines: list[Line]) -> Array:
        """Abscissas of the mean over folds."""
        return cls.grid

    def _value_name(self, line: Line) -> str:
        """Name of the number that summarises a line."""
        return self.value_name

    def _draw_references(self, ax: Any) -> None:
        """Draw the lines to compare the curves with."""
        columns = self.lines[-1].columns
        if self.bound is not None and len(self._curves) == 1 and self.bound[0] in columns:
            look = {"color": "black", "linestyle": (0, (1, 1.5))}
            axes.draw_reference(ax, columns[self.x], columns[self.bound[0]], self.bound[1], **look)
        if self.reference is not None:
            axes.draw_reference(ax, *self.reference)

    def _finish_axes(self, ax: Any) -> None:
        """Set the limits once everything but the legend is drawn."""
        axes.make_square(ax)

    # --------------------------------------------------------------------- computing

    @classmethod
    def _computing_options(cls, in_folds: bool) -> Options:
        reading = keywords(cls._line) | keywords(cls._read)
        return reading | super()._computing_options(in_folds)

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
        models = source.rows
        several = len(models) > 1
        lines: list[Line] = []
        metrics: list[MetricRows] = []  # of the lines
        for name, part in models.items():
            rows: Any = part.scores
            design["groups"] = part.group if source.in_folds else groups
            problems = cls._problems(rows)
            selected = cls._selected(rows, curves, several or cls.pools, options)
            has_band = band is not None
            if band == "auto":
                n_bands = sum(line.band is not None and not line.is_average for line in selected)
                has_band = len(models) * n_bands <= _MOST_BANDS and len(rows.true) <= _MOST_ROWS
            for line in selected:
                line_rows = problems.get(line.curve, rows)
                metric = MetricRows.of(line, line_rows, design)
                if interval is not None and metric.is_defined:
                    line = replace(line, interval=metric.interval(interval))
                if has_band and not line.is_average:
                    line = cls._with_band(line, line_rows, kind, design)
                lines.append(replace(line, model=name if several else None))
                metrics.append(metric)
        name, first = next(iter(models.items()))
        display = cls(lines, name=None if several else name, positive=_positive_class(first))
        if several and len(lines) == 2 and interval is not None and metrics[0].is_defined:
            display.comparison = metrics[0].compared_with(metrics[1])
        display.band_label = f"{100 * confidence_level:g}% {kind} band"
        return display

    @classmethod
    def _selected(
        cls, rows: Scores, curves: Any, use_default: bool, options: Mapping[str, Any]
    ) -> list[Line]:
        """Lines of these curves, in this order; for None of all, or of the default ones."""
        lines = {line.curve: line for line in cls._read(rows, **options)}
        if curves is None and use_default:
            curves = cls._default(lines)
        if curves is None:
            return list(lines.values())
        one = isinstance(curves, str) or not isinstance(curves, Iterable)
        names = [curves] if one else list(curves)
        unknown = [name for name in names if not isinstance(name, Hashable) or name not in lines]
        if unknown or not names:
            found = unknown[0] if unknown else names
            raise InvalidParameterError(f"curves must name some of {list(lines)}, got {found!r}.")
        return [lines[name] for name in names]

    @classmethod
    def _with_band(cls, line: Line, rows: Any, kind: BandKind, design: Any) -> Line:
        """Add columns ``low`` and ``high``, which are nan outside the range of the band."""
        spec = line.band
        if spec is None or len(np.unique(rows.true)) < 2:
            return line
        with without_undefined_warnings():
            options = {"at": spec.at, "band": kind, "random_state": 0, **design}
            band = curve_band(spec.metric, rows, rows, **options)
        x, columns = spec.x(band.at), dict(line.columns)
        order = np.argsort(x)
        for name, bound in (("low", band.low), ("high", band.high)):
            y = np.minimum(spec.y(band.at, bound), cls.bounds[1])
            columns[name] = np.interp(columns[cls.x], x[order], y[order], np.nan, np.nan)
        return replace(line, columns=columns)

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
        level = check_level(confidence_level)
        points = None if grid is None else read_grid(grid, -np.inf, np.inf)
        lines: list[Line] = []
        undefined: dict[Any, str] = {}
        models = source.folds
        several = len(models) > 1
        for name, folds in models.items():
            by_curve: dict[Any, list[tuple[ModelRows, Line]]] = {}
            for fold in folds:
                place = (name, fold.number) if several else fold.number
                if fold.scores is None:
                    undefined[place] = fold.reason
                    continue
                with without_undefined_warnings():
                    selected = cls._selected(fold.scores, curves, True, options)
                for line in selected:
                    if cls._is_undefined(line, fold.scores):
                        undefined[place] = f"{line.curve}: a class has no rows, or no others"
                        continue
                    line = replace(line, fold=fold.number, model=name if several else None)
                    by_curve.setdefault(line.curve, []).append((fold, line))
            for pairs in by_curve.values():
                defined_folds, fold_lines = map(list, zip(*pairs, strict=True))
                abscissas = cls._grid(fold_lines) if points is None else points
                lines += [*fold_lines, cls._mean(defined_folds, fold_lines, abscissas, level)]
        if not lines:
            raise InvalidParameterError(
                f"No fold has a curve: {'; '.join(sorted(set(undefined.values())))}."
            )
        first = next(f for folds in models.values() for f in folds if f.scores is not None)
        name = None if several else next(iter(models))
        display = cls(lines, name=name, positive=_positive_class(first), undefined=undefined)
        if source.report is not None:
            display._use_report_intervals(source)
        return display

    @classmethod
    def _mean(cls, folds: list[ModelRows], lines: list[Line], grid: Array, level: float) -> Line:
        """The mean of the lines of folds, with its spread and its interval."""
        at_grid = {
            column: np.array([cls._at(line, column, grid) for line in lines])
            for column in cls.averaged
        }
        columns = {cls.x: grid} | {name: values.mean(axis=0) for name, values in at_grid.items()}
        values = np.array([line.value for line in lines])
        interval = None
        spread = margin = np.full(len(grid), np.nan)
        if len(lines) > 1:
            sizes = {
                "n_train": [f.n_train for f in folds],
                "n_test": [len(f.rows.y_true) for f in folds],
            }
            if not np.isnan(values).any():
                interval = corrected_resampled_interval(values, confidence_level=level, **sizes)
            spread = at_grid[cls.y].std(axis=0, ddof=1)
            # The half-width of an interval is the spread times a factor that is the same for all.
            scores = np.linspace(-1, 1, len(lines))
            of_scores = corrected_resampled_interval(scores, confidence_level=level, **sizes)
            margin = spread * (of_scores.high - of_scores.value) / scores.std(ddof=1)
        columns["std"] = spread
        columns["low"] = np.clip(columns[cls.y] - margin, *cls.bounds)
        columns["high"] = np.clip(columns[cls.y] + margin, *cls.bounds)
        value = float(values.mean())
        return replace(lines[0], columns=columns, value=value, fold=MEAN, interval=interval)

    def _use_report_intervals(self, source: DisplaySource) -> None:
        """Give means over folds the interval that the report has of their metric, if it has one."""
        report, names, metrics = source.report, source.names or {}, source.report.data.metrics
        summary = [row for row in report.summary() if not np.isnan(row.low) and metrics[row.metric]]

        def reported(line: Line) -> Estimate | None:
            model = names[self.name if line.model is None else line.model]
            function = getattr(line.metric, "func", line.metric)
            for row in summary:
                is_same = row.model == model and metrics[row.metric].function == function
                if is_same and np.isclose(row.value, line.value, rtol=0, atol=1e-9):
                    bounds, note = (row.low, row.high), row.note
                    level, error = report.confidence_level, row.standard_error
                    return estimate(row.value, bounds, error, row.interval, level, note)
            return None

        self.lines = tuple(
            replace(line, interval=reported(line)) if line.fold == MEAN else line
            for line in self.lines
        )

    def columns(self) -> dict[str, Array]:
        """The numbers behind the picture.

        Returns
        -------
        dict of str to ndarray
            ``model`` (if there are several); ``curve``, the class or the average; ``fold``, the
            fold or "mean"; then the points, ``low`` and ``high`` of the bands, and for means
            ``std`` over the folds. A column that a line does not have is nan.
        """
        lengths = [len(line.columns[self.x]) for line in self.lines]
        table = {}
        for name in ("curve", "model", "fold"):
            values = [getattr(line, name) for line in self.lines]
            if name == "curve" or any(value is not None for value in values):
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
        ax: Axes | None = None,
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
            Where to draw; a new figure by default. On the axes of another display of the same
            kind, the curves are added in other colours and dashes.
        {model_name}
        band : {"auto", "std", "interval"} or None, default="auto"
            Band around a mean over folds: plus and minus one standard deviation of the folds (the
            default), or the interval of the mean with Nadeau and Bengio's correction. Without
            folds: the band that was computed. None draws no band.
        folds : bool, default=True
            Whether to draw the curve of each fold, if there is a single curve.
        reference : bool, default=True
            Whether to draw reference lines such as chance.
        legend : bool, default=True
            Whether to draw a legend.
        curve_kwargs : dict, default=None
            Arguments of matplotlib's ``plot`` for the curves, which override the defaults.

        Returns
        -------
        display
            This display, with ``ax_``, ``figure_``, ``lines_`` (the curves, or their means over
            folds), ``line_`` (the first of them), ``fold_lines_``, ``bands_`` and ``legend_``.
        """
        check_option("band", band, ("auto", "std", "interval", None))
        self.ax_ = ax = axes.make_axes(f"{type(self).__name__}.plot", ax, self.size)
        self.figure_ = ax.figure
        self.name = self.name if name is None else name
        n_earlier = axes.n_curves(ax)
        axes.name_curves(ax)
        title = self.name if self._n_curves > 1 and not n_earlier else None
        self.lines_: list[Any] = []
        self.fold_lines_: list[Any] = []
        self.bands_: list[Any] = []
        for line in self.lines:
            look = self._style(line, n_earlier + len(self.lines_))
            if isinstance(line.fold, int):
                if folds and self._n_curves == 1:  # folds of several curves would hide each other
                    thin = {"linewidth": 0.8, "alpha": 0.45, "zorder": 1.5, "color": look["color"]}
                    thin["label"] = self._fold_label()
                    self.fold_lines_.append(self._draw_line(ax, line, thin))
                continue
            if "low" in line.columns and band is not None:
                self._draw_band(ax, line, look["color"], band)
            options = {"label": self._label(line, title is None), **look, **(curve_kwargs or {})}
            self.lines_.append(self._draw_line(ax, line, options))
            self.lines_[-1].set_gid(axes.CURVE)
        self.line_ = self.lines_[0]
        if reference:
            self._draw_references(ax)
        ax.set(xlabel=self.x_label, ylabel=self.y_label)
        self._finish_axes(ax)
        self.legend_ = self._draw_legend(ax, title) if legend else None
        axes.fit_text(ax)
        return self

    def _style(self, line: Line, place: int) -> dict[str, Any]:
        """Colour, dashes and marker of a line, which is drawn after ``place`` others."""
        models, curves = self._models, self._curves
        look = axes.style(place, self.markers)
        if len(models) > 1 and len(curves) > 1:  # a colour for each curve, dashes for each model
            look["color"] = axes.style(curves.index(line.curve))["color"]
            look["linestyle"] = axes.style(models.index(line.model))["linestyle"]
        if line.is_average and line.fold is None and len(models) == 1:
            look = {"color": "black", "linestyle": _AVERAGE_DASHES[line.curve]}
        return look

    def _draw_line(self, ax: Any, line: Line, options: Mapping[str, Any]) -> Any:
        width = 2.2 if line.fold == MEAN else 1.8
        options = {"linewidth": width, "drawstyle": self.drawstyle, **options}
        return ax.plot(line.columns[self.x], line.columns[self.y], **options)[0]

    def _draw_band(self, ax: Any, line: Line, colour: str, band: str) -> None:
        columns = line.columns
        low, high, label = columns["low"], columns["high"], self.band_label
        if line.fold is not None and band != "interval":
            low = np.clip(columns[self.y] - columns["std"], *self.bounds)
            high = np.clip(columns[self.y] + columns["std"], *self.bounds)
            label = "± 1 standard deviation of the folds"
        elif line.fold is not None:
            label = "interval of the mean"
            if line.interval is not None:
                label = f"{100 * line.interval.confidence_level:g}% {label}"
        step = {"steps-pre": "pre", "steps-post": "post"}.get(self.drawstyle)
        alpha = 0.2 if self._n_curves == 1 else 0.12
        look = {"step": step, "color": colour, "alpha": alpha, "linewidth": 0, "label": label}
        self.bands_.append(ax.fill_between(columns[self.x], low, high, **look))

    # --------------------------------------------------------------------- legend

    def _draw_legend(self, ax: Any, title: str | None) -> Any:
        """Draw the legend, with the difference of two models, the positive class and remarks."""
        location = self.legend_at
        if self.bands_ and any(map(self._has_short_band, self.lines)):
            axes.add_remark(ax, "outside the band: too few rows")
        if self.notes:
            axes.add_remark(ax, "* has a note: display.notes")
        if self.comparison is not None:
            text = difference_text(self._models, self._difference_name(), self.comparison)
            axes.add_remark(ax, text, difference=True)
            location = location if location == "lower right" else "outside"
        if self.positive is not None:
            axes.add_remark(ax, f"positive class: {self.positive}")
        return axes.draw_legend(ax, location, self.size, title)

    def _has_short_band(self, line: Line) -> bool:
        """Whether a band covers too little of the range in which its curve moves."""
        if line.fold is not None or "low" not in line.columns:
            return False
        x, y = line.columns[self.x], line.columns[self.y]
        moving = x[(y > np.nanmin(y)) & (y < np.nanmax(y))]
        covered = x[np.isfinite(line.columns["low"])]
        span = np.ptp(covered) if len(covered) else 0.0
        return len(moving) > 0 and bool(span < _COVERED * np.ptp(moving))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the numbers that have a star in the legend."""
        estimates = [*(line.interval for line in self.lines), self.comparison]
        return tuple(dict.fromkeys(e.note for e in estimates if e is not None and e.note))

    @property
    def _models(self) -> list[Any]:
        return list(dict.fromkeys(line.model for line in self.lines))

    @property
    def _curves(self) -> list[Any]:
        return list(dict.fromkeys(line.curve for line in self.lines))

    @property
    def _n_curves(self) -> int:
        return len({(line.model, line.curve) for line in self.lines})

    def _fold_label(self) -> str:
        n_drawn = sum(isinstance(line.fold, int) for line in self.lines)
        if not self.undefined:
            return f"each of {n_drawn} folds"
        return f"each fold ({n_drawn} of {n_drawn + len(self.undefined)} defined)"

    def _label(self, line: Line, with_name: bool) -> str:
        mean = "mean" if line.fold == MEAN else ""
        text, value_name = self._model_name(line, with_name), self._value_name(line)
        if not value_name or np.isnan(line.value):
            return f"{text}, {mean}" if mean else text
        value = f"{value_name} {axes.number(line.value, line.interval)}"
        return f"{text}\n{mean} {value}" if mean else f"{text} ({value})"

    def _model_name(self, line: Line, with_name: bool) -> str:
        """Names of the model and of the curve, unless they are clear without."""
        names = [line.model, self.name if with_name else None]
        parts = [name for name in names if name is not None]
        is_unnamed = line.model is None and self.positive is None and line.curve is not None
        if len(self._curves) > 1 or is_unnamed:
            parts.append(self._curve_name(line.curve))
        return ", ".join(parts) or "model"

    def _curve_name(self, curve: Any) -> str:
        if curve in AVERAGES:
            return f"{curve}-average"
        return str(curve) if isinstance(curve, str) else f"class {curve}"

    def _difference_name(self) -> str:
        """Name of the metric in which two models are compared."""
        line = self.lines[0]
        curve = "" if self.positive is not None else f", {self._curve_name(line.curve)}"
        return self._value_name(line) + curve


document(CurveDisplay, BLOCKS)


def difference_text(models: Iterable[str], value_name: str, comparison: Estimate) -> str:
    """Legend entry for the difference between two models."""
    p_value = probability(comparison.p_value)
    p_value = f"p {p_value}" if p_value.startswith("<") else f"p = {p_value}"
    text = f"{value_name} {comparison:z.3f}, {p_value}{axes.star(comparison)}"
    return f"{' − '.join(models)}:\n{text}"


def _positive_class(part: ModelRows) -> Any:
    """The positive class of two; None for several classes."""
    scores = part.scores
    return None if scores is None or scores.kind != "binary" else scores.classes.tolist()[-1]
