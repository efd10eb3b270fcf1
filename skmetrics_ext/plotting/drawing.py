"""What all pictures share: axes, colours that everybody tells apart, bands, legends, tables."""

from __future__ import annotations

from collections import Counter
from typing import Any

from skmetrics_ext.plotting import fitting

# Okabe and Ito's colours, without black, which averages have, and yellow, which paper swallows.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
# As many as make, with the colours, 30 different pairs; each is told apart without its colour.
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (6, 1.5, 1, 1.5)), (0, (1.5, 1)), (0, (3, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#6B6B6B"
_MANY = 6  # entries of a legend that fit among the curves
_HIGH, _TALL = 0.9, 0.6  # of the figure: a legend, and one that stands at its middle
# Marks of what displays have drawn, for the next display on the same axes.
_CURVE, _REFERENCE = (f"skmetrics_ext:{kind}" for kind in ("curve", "reference"))


def pyplot(what: str) -> Any:
    """Matplotlib's pyplot, or one line that says what to install."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(f"{what} needs matplotlib: pip install 'skmetrics-ext[plot]'") from error
    return plt


def make_axes(what: str, ax: Any, size: tuple[float, float] = (5.4, 4.4)) -> Any:
    """The axes given, or those of a new figure, without the box around them."""
    plt = pyplot(what)
    if ax is None:
        figure, ax = plt.subplots(figsize=size, layout="constrained")
        fitting.own(figure)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def lone_figure(size: tuple[float, float]) -> Any:
    """A figure that pyplot does not know, so that nothing shows or keeps it."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    fitting.own(figure)
    return figure


def make_square(ax: Any) -> None:
    """Both axes from 0 to 1, one unit as long as the other, and lines at the edge seen whole."""
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")


def style(place: int) -> dict[str, Any]:
    """How the curve at a place looks."""
    return {"color": COLOURS[place % len(COLOURS)], "linestyle": DASHES[place % len(DASHES)]}


def places_taken(ax: Any) -> int:
    """How many curves other displays have drawn, so that the next one looks different."""
    return sum(artist.get_gid() == _CURVE for artist in ax.get_lines())


def take_place(line: Any) -> Any:
    """Mark a line as one for which the next curve must look different."""
    line.set_gid(_CURVE)
    return line


def draw_reference(ax: Any, x: Any, y: Any, label: str, **options: Any) -> Any:
    """A thin line to compare with; None where another display has drawn the same one."""
    drawn = {a.get_label() for a in ax.get_lines() if a.get_gid() == _REFERENCE}
    if label in drawn:
        return None
    look = {"color": GREY, "linestyle": (0, (4, 3)), "linewidth": 1.1, "zorder": 1}
    (line,) = ax.plot(x, y, label=label, **{**look, **options})
    line.set_gid(_REFERENCE)
    return line


def name_curves(ax: Any) -> None:
    """Give curves the name of their model, which was the title of the legend, beside others."""
    legend = ax.get_legend()
    name = "" if legend is None else legend.get_title().get_text()
    if not name:
        return
    for artist in ax.get_lines():
        if artist.get_gid() == _CURVE:
            artist.set_label(f"{name}, {artist.get_label()}")


def draw_legend(ax: Any, where: str, size: tuple[float, float], title: str | None = None) -> Any:
    """A legend among the curves, or beside the axes if asked, or where it takes too much place.

    A figure of ours, of a given size, is made wider for it; in one with other axes and no layout
    of its own it stays among the curves.
    """
    figure = ax.figure
    owned = fitting.is_own(figure)
    width = fitting.ENTRY if owned else fitting.entry_letters(figure)
    entries, broken = _entries(ax, width)
    if not entries:
        return None
    beside = (where == "beside" or broken or len(entries) > _MANY) and (
        figure.get_layout_engine() is not None or len(figure.get_axes()) == 1
    )
    look: dict[str, Any] = {"loc": "best" if where == "beside" else where}
    if beside:
        look = {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0), "borderaxespad": 0.0}
    legend = ax.legend(
        entries.values(),
        entries.keys(),
        title=None if title is None else fitting.wrap(title, width),
        alignment="left",
        fontsize="small",
        title_fontsize="small",
        framealpha=0.85,
        edgecolor="none",
        handlelength=2.8,
        **look,
    )
    if beside:
        legend.set_gid(fitting.BESIDE)
    if beside and owned:
        extent = legend.get_window_extent()
        across, up = extent.width / figure.dpi, extent.height / figure.dpi
        figure.set_size_inches(size[0] + across + 0.2, max(size[1], up + 0.8))
    elif beside:
        room = _HIGH * figure.bbox.height / max(legend.get_window_extent().height, 1.0)
        if room < 1:
            fitting.shrink(legend, room)
    if beside and legend.get_window_extent().height > _TALL * figure.bbox.height:
        legend.set_loc("center left")
        legend.set_bbox_to_anchor((1.02, 0.5))
    return legend


def _entries(ax: Any, width: int) -> tuple[dict[str, Any], bool]:
    """What a legend tells, and whether a name of it was broken.

    References and bands are told once, and each curve, numbered where names are alike.
    """
    found: dict[str, Any] = {}
    times: Counter[str] = Counter()
    broken = False
    for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
        told = fitting.wrap(label, width)
        broken |= told != label
        if _order(handle) == 0:
            times[told] += 1
            told = told if times[told] == 1 else f"{told} ({times[told]})"
        found.setdefault(told, handle)
    return dict(sorted(found.items(), key=lambda entry: _order(entry[1]))), broken


def _order(handle: Any) -> int:
    """Curves first, then what belongs to them, then what they are compared with."""
    artist = handle.lines[0] if hasattr(handle, "lines") else handle
    return {_CURVE: 0, _REFERENCE: 2}.get(artist.get_gid(), 1)


def number(value: float, interval: Any = None) -> str:
    """A number, with its interval where it has one, cut to [0, 1]."""
    if interval is None or not interval.low <= interval.high:  # nan
        return f"{value:.3f}"
    return f"{value:.3f} [{max(interval.low, 0.0):.3f}, {min(interval.high, 1.0):.3f}]"
