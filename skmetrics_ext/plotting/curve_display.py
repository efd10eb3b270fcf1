"""Drawing of curves with bands, means and the metric that summarises each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from skmetrics_ext.curve_tables.lines import MEAN, Kind, Line, LineTable, table_of
from skmetrics_ext.curve_tables.pictures import Picture, PictureLine, picture_of
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.metrics.averaging import MACRO, MICRO
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.plotting.display import BLOCKS, ModelDisplay
from skmetrics_ext.validation import check_option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PARTS: Mapping[str, Any] = {
    "fold": {"linewidth": 0.8, "alpha": 0.45, "zorder": 1.5, "linestyle": "-"},
    MEAN: {"linewidth": 2.2},
    MICRO: {"color": "black", "linestyle": "-"},
    MACRO: {"color": "black", "linestyle": (0, (1, 1))},
}
_POINTS: Mapping[str, Any] = {"linewidth": 1.6, "elinewidth": 1.0, "capsize": 2.5, "markersize": 5}
_HISTOGRAM = "skmetrics_ext:histogram"


class CurveDisplay(ModelDisplay):
    """Lines over one abscissa.

    Parameters
    ----------
    lines : sequence of Line, or LineTable
        Lines of the folds come before their mean.
    {curve_parameters}
    """

    _kind: ClassVar[Kind]  # computes the lines

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
            table = LineTable(self._kind, tuple(table), name, positive, undefined, comparison)
        self.table, self.lines, self.name = table, table.lines, table.name
        self.positive, self.undefined = table.positive, table.undefined
        self.comparison = table.comparison

    @classmethod
    def _computing(cls, in_folds: bool) -> Mapping[str, Any]:
        return cls._kind.options(in_folds)

    @classmethod
    def _of_data(cls, door: str, *data: Any, **options: Any) -> Self:
        return cls(table_of(cls._kind, cls.doors[door].read, *data, what=cls.__name__, **options))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the numbers that have a star in the legend."""
        return self.table.notes

    def columns(self) -> dict[str, Array]:
        """The numbers behind the picture.

        Returns
        -------
        dict of str to ndarray
            ``model`` (if there are several; the groups of ``by``); ``curve``, the class or the
            average; ``fold``, the fold or "mean"; then the points, ``low`` and ``high`` of the
            bands, and for means ``std`` over the folds. A column that a line does not have is nan.
        """
        return self.table.columns()

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
        {curve_ax}
        {model_name}
        band : {"auto", "std", "interval"} or None, default="auto"
            Band around a mean over folds: plus and minus one standard deviation of the folds (the
            default), or the interval of the mean with Nadeau and Bengio's correction. Without
            folds: the band that was computed. None draws no band.
        folds : bool, default=True
            Whether to draw the curve of each fold, if there is a single curve.
        {curve_drawing}

        Returns
        -------
        display
            This display, with ``ax_``, ``figure_``, ``lines_`` (the curves, or their means over
            folds), ``line_`` (the first of them), ``fold_lines_``, ``bands_`` and ``legend_``.
        """
        check_option("band", band, ("auto", "std", "interval", None))
        given = {"band": band, "folds": folds}
        return self._draw(ax, name, given, reference, legend, curve_kwargs)

    def _draw(
        self,
        ax: Any,
        name: str | None,
        shown: Mapping[str, Any],
        reference: bool,
        legend: bool,
        curve_kwargs: Mapping[str, Any] | None,
        *,
        histogram: bool = False,
    ) -> Self:
        """Draw the picture of the table with the options ``shown``."""
        self.ax_ = ax = axes.make_axes(f"{type(self).__name__}.plot", ax, self.table.kind.size)
        self.figure_ = ax.figure
        self.name = self.name if name is None else name
        n_earlier = axes.n_curves(ax)
        axes.name_curves(ax)
        picture = picture_of(self.table, self.name, is_added=n_earlier > 0, **shown)
        curves = [line for line in picture.lines if line.part != "fold"]
        self.lines_, self.fold_lines_, self.bands_ = list[Any](), list[Any](), list[Any]()
        step: Any = "pre" if picture.shape == "steps" else None
        alpha = 0.2 if len(curves) == 1 else 0.12
        for line in picture.lines:
            look = _look(picture, line, n_earlier)
            if line.low is not None and picture.shape != "points":
                band = {"color": look["color"], "alpha": alpha, "label": picture.band}
                area = ax.fill_between(line.x, line.low, line.high, step=step, linewidth=0, **band)
                self.bands_.append(area)
            if line.part == "fold":
                self.fold_lines_.append(_draw_line(ax, line, look))
            else:
                self.lines_.append(_draw_line(ax, line, look | dict(curve_kwargs or {})))
                self.lines_[-1].set_gid(axes.CURVE)
        self.line_ = self.lines_[0]
        for each in picture.references if reference else ():
            axes.draw_reference(ax, each)
        ax.set(xlabel=picture.kind.x_label, ylabel=picture.y_label)
        axes.set_limits(ax, picture.limits, is_added=n_earlier > 0)
        if histogram:
            self.histogram_ax_ = _draw_histograms(ax, curves, self.lines_)
        self.legend_ = _draw_legend(ax, picture) if legend else None
        axes.fit_text(ax)
        return self


document(CurveDisplay, BLOCKS)


def _look(picture: Picture, line: PictureLine, n_earlier: int) -> dict[str, Any]:
    """How a line is drawn, next to those of earlier displays."""
    look = {"color": axes.style(n_earlier + line.colour)["color"], "label": _label(line)}
    look["linestyle"] = axes.style(n_earlier + line.dashes)["linestyle"]
    if picture.shape == "points":
        marker = axes.style(n_earlier + line.place, axes.MARKERS)["marker"]
        return {**_POINTS, **look, "marker": marker}
    drawstyle = "steps-pre" if picture.shape == "steps" else "default"
    return {"linewidth": 1.8, "drawstyle": drawstyle, **look, **_PARTS.get(line.part, {})}


def _draw_line(ax: Any, line: PictureLine, look: Mapping[str, Any]) -> Any:
    if "elinewidth" not in look:
        return ax.plot(line.x, line.y, **look)[0]
    margins = None if line.low is None else [line.y - line.low, line.high - line.y]
    return ax.errorbar(line.x, line.y, margins, **look).lines[0]


def _label(line: PictureLine) -> str:
    """Legend entry: the name with the first number, and the others below it."""
    mean = "mean" if line.part == "mean" else ""
    if not line.numbers:
        return f"{line.name}, {mean}" if mean else line.name
    first, *others = line.numbers
    text = f"{line.name} ({first})"
    if mean or len(text) > axes.ENTRY:
        text = f"{line.name}\n{mean} {first}" if mean else f"{line.name}\n{first}"
    return "\n".join([text, *others])


def _draw_legend(ax: Any, picture: Picture) -> Any:
    """Draw the legend, with the difference of two models and remarks."""
    has_bars = any(line.low is not None for line in picture.lines) and picture.shape == "points"
    if picture.difference:
        axes.add_remark(ax, picture.difference, difference=True)
    for text in [picture.band, *picture.remarks] if has_bars else picture.remarks:
        axes.add_remark(ax, text)
    return axes.draw_legend(ax, picture.legend_at, picture.heading or None)


def _draw_histograms(ax: Any, curves: Sequence[PictureLine], drawn: Sequence[Any]) -> Any:
    """Draw histograms below the axes, or on those that an earlier display has made there."""
    below = next((child for child in ax.child_axes if child.get_gid() == _HISTOGRAM), None)
    if below is None:
        below = ax.inset_axes([0, -0.24, 1, 0.18], gid=_HISTOGRAM)
        below.spines[["top", "right"]].set_visible(False)
    for curve, line in zip(curves, drawn, strict=True):
        assert curve.histogram is not None
        look = {"color": line.get_color(), "linestyle": line.get_linestyle(), "linewidth": 1.3}
        below.stairs(*curve.histogram, **look)
    below.set(xlabel=ax.get_xlabel(), ylabel="Share", xlim=ax.get_xlim())
    below.set_ylim(bottom=0)
    ax.set_xlabel("")
    ax.tick_params(labelbottom=False)
    return below
