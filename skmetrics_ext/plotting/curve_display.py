"""Drawing of curves with bands, means and the metric that summarises each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from skmetrics_ext.curve_tables.lines import MEAN, Kind, Line, LineTable, name_of_curve, table_of
from skmetrics_ext.formats import probability
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.metrics.averaging import MACRO, MICRO
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.display import BLOCKS, ModelDisplay
from skmetrics_ext.validation import check_option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_AVERAGE_DASHES = {MICRO: "-", MACRO: (0, (1, 1))}
_COVERED = 0.9  # of the range of a curve: the legend says why a band covers less


class CurveDisplay(ModelDisplay):
    """Lines over one abscissa.

    Parameters
    ----------
    lines : sequence of Line, or LineTable
        Lines of the folds come before their mean.
    {curve_parameters}
    """

    _kind: ClassVar[type[Kind]]  # computes the lines
    size: ClassVar[tuple[float, float]] = (5.4, 4.4)
    markers: ClassVar[tuple[str, ...]] = ()
    legend_at: str = "best"
    reference: ClassVar[tuple[Any, Any, str] | None] = None  # abscissas, ordinates and label
    bound: ClassVar[tuple[str, str] | None] = None  # column and label, drawn for a single class

    def __init__(
        self,
        lines: LineTable | Sequence[Line],
        *,
        name: str | None = None,
        positive: Any = None,
        undefined: Mapping[Any, str] | None = None,
        comparison: Estimate | None = None,
    ) -> None:
        table = lines
        if not isinstance(table, LineTable):
            undefined = dict(undefined or {})
            table = LineTable(tuple(table), name, positive, undefined, comparison)
        self.table, self.lines, self.name = table, table.lines, table.name
        self.positive, self.undefined = table.positive, table.undefined
        self.comparison = table.comparison

    @classmethod
    def _computing(cls, in_folds: bool) -> Mapping[str, Any]:
        return cls._kind.options(in_folds)

    @classmethod
    def _of_data(cls, door: str, *data: Any, **options: Any) -> Self:
        return cls(table_of(cls._kind, cls.doors[door].read, *data, what=cls.__name__, **options))

    def columns(self) -> dict[str, Array]:
        """The numbers behind the picture.

        Returns
        -------
        dict of str to ndarray
            ``model`` (if there are several; the groups of ``by``); ``curve``, the class or the
            average; ``fold``, the fold or "mean"; then the points, ``low`` and ``high`` of the
            bands, and for means ``std`` over the folds. A column that a line does not have is nan.
        """
        return self.table.columns(self._kind.x)

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
        ax.set(xlabel=self._kind.x_label, ylabel=self.table.y_label or self._kind.y_label)
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
        drawstyle = "steps-pre" if self._kind.has_steps else "default"
        options = {"linewidth": width, "drawstyle": drawstyle, **options}
        return ax.plot(line.columns[self._kind.x], line.columns[self._kind.y], **options)[0]

    def _draw_band(self, ax: Any, line: Line, colour: str, band: str) -> None:
        columns = line.columns
        low, high, label = columns["low"], columns["high"], self.table.band
        if line.fold is not None and band != "interval":
            low = np.clip(columns[self._kind.y] - columns["std"], *self._kind.bounds)
            high = np.clip(columns[self._kind.y] + columns["std"], *self._kind.bounds)
            label = "± 1 standard deviation of the folds"
        elif line.fold is not None:
            label = "interval of the mean"
            if line.interval is not None:
                label = f"{100 * line.interval.confidence_level:g} % {label}"
        step = "pre" if self._kind.has_steps else None
        alpha = 0.2 if self._n_curves == 1 else 0.12
        look = {"step": step, "color": colour, "alpha": alpha, "linewidth": 0, "label": label}
        self.bands_.append(ax.fill_between(columns[self._kind.x], low, high, **look))

    def _draw_references(self, ax: Any) -> None:
        """Draw the lines to compare the curves with."""
        columns = self.lines[-1].columns
        if self.bound is not None and len(self._curves) == 1 and self.bound[0] in columns:
            look = {"color": "black", "linestyle": (0, (1, 1.5))}
            axes.draw_reference(
                ax, columns[self._kind.x], columns[self.bound[0]], self.bound[1], **look
            )
        if self.reference is not None:
            axes.draw_reference(ax, *self.reference)

    def _finish_axes(self, ax: Any) -> None:
        """Set the limits once everything but the legend is drawn."""
        axes.make_square(ax)

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
        return axes.draw_legend(ax, location, title)

    def _has_short_band(self, line: Line) -> bool:
        """Whether a band covers too little of the range in which its curve moves."""
        if line.fold is not None or "low" not in line.columns:
            return False
        x, y = line.columns[self._kind.x], line.columns[self._kind.y]
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
        text, value_name = self._model_name(line, with_name), self._kind.name_of_value(line)
        if not value_name or np.isnan(line.value):
            return f"{text}, {mean}" if mean else text
        value = f"{value_name} {axes.number(line.value, line.interval)}"
        if mean:
            return f"{text}\n{mean} {value}"
        in_one_line = f"{text} ({value})"
        return in_one_line if len(in_one_line) <= axes.ENTRY else f"{text}\n{value}"

    def _model_name(self, line: Line, with_name: bool) -> str:
        """Names of the model and of the curve, unless they are clear without."""
        names = [line.model, self.name if with_name else None]
        parts = [name for name in names if name is not None]
        is_unnamed = line.model is None and self.positive is None and line.curve is not None
        if line.n_rows is not None:
            parts[0] = f"{parts[0]}, n = {line.n_rows:,}"
        if len(self._curves) > 1 or is_unnamed:
            parts.append(self._curve_name(line.curve))
        return ", ".join(parts) or "model"

    def _curve_name(self, curve: Any) -> str:
        """Name of a line in the legend."""
        return name_of_curve(curve)

    def _difference_name(self) -> str:
        """Name of the metric in which two models are compared."""
        line = self.lines[0]
        curve = "" if self.positive is not None else f", {self._curve_name(line.curve)}"
        return self._kind.name_of_value(line) + curve


document(CurveDisplay, BLOCKS)


def difference_text(models: Iterable[str], value_name: str, comparison: Estimate) -> str:
    """Legend entry for the difference between two models."""
    p_value = probability(comparison.p_value)
    p_value = f"p {p_value}" if p_value.startswith("<") else f"p = {p_value}"
    text = f"{value_name} {comparison:z.3f}, {p_value}{axes.star(comparison)}"
    return f"{' − '.join(models)}:\n{text}"
