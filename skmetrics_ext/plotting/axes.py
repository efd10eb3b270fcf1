"""Axes, colours, legends and text of all pictures; long names are wrapped to fit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from skmetrics_ext.curve_tables.lines import Reference
from skmetrics_ext.inference.estimate_rows import shown_metric
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import InvalidParameterError

# Okabe and Ito's colours without black, the colour of averages, and yellow, which prints faintly.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
# With the colours, 30 different pairs, in which neighbours also differ without colour.
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (6, 1.5, 1, 1.5)), (0, (1.5, 1)), (0, (3, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#6B6B6B"
REFERENCE: Any = {"color": GREY, "linestyle": (0, (4, 3)), "linewidth": 1.1, "zorder": 1}
PER_ROW = 3  # panels in a row
NAME, ENTRY = 34, 54  # letters in a line of a row's name, and of a legend entry
OUTSIDE = "skmetrics_ext:outside"  # marks a legend next to the axes

_UNIT = (-0.01, 1.01)
_FIGURE = "skmetrics_ext:figure"  # marks a figure that a display made
# Marks of lines, for the next display on the same axes.
CURVE, _DIFFERENCE, _REFERENCE, _REMARK = (
    f"skmetrics_ext:{kind}" for kind in ("curve", "difference", "reference", "remark")
)
_ORDER = {CURVE: 0, _DIFFERENCE: 1, _REFERENCE: 3, _REMARK: 4}  # in a legend; bands are 2
_MOST_ENTRIES = 7  # of a legend among the curves
_HIGHEST, _CENTRED = 0.9, 0.6  # heights of a legend as shares of the figure's
_LETTER = 0.07  # inches
_MARGINS = np.array([0.66, 0.5])  # inches to the left of the axes and below them
_PAD = 4.0  # pixels between a text and the edge of the figure
_LEAST_AXES = 0.15  # share of the figure that axes keep
_LEAST_LETTERS = 16  # in a line
_LEGEND_SHARE = 0.4  # of the width of a figure, at most
_TRIES, _SMALLER, _WIDER = 4, 0.85, 1.1
_SHORT = 0.7  # share of a figure's shorter side: shorter titles always fit
# A name is broken after a space or a separator.
_PARTS = re.compile(r"[^\s_,;/()=+|-]*(?:[\s_,;/()=+|-]+|$)")


# --------------------------------------------------------------------------- axes and figures


def make_axes(what: str, ax: Any, size: tuple[float, float] = (5.4, 4.4)) -> Any:
    """Return the given axes, or the axes of a new figure, without their top and right spines."""
    given = None if ax is None else [ax]
    (panel,) = make_panels(what, given, size, 1, "one axes", layout="none")
    if ax is None:  # `fit_text` makes room for the texts, and keeps this size of the axes
        left, bottom = (_MARGINS / size).tolist()
        panel.set_position((left, bottom, 1 - 1.1 * left, 1 - 1.1 * bottom))
    ax = panel
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def make_panels(
    what: str, ax: Any, size: tuple[float, float], count: int, needs: str, **options: Any
) -> Array:
    """Return an array of the given axes, or of a new figure's; the error says what ``ax`` needs."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(f"{what} needs matplotlib: pip install 'skmetrics-ext[plot]'") from error
    if ax is None:
        columns = min(count, PER_ROW)
        options = {"figsize": size, "layout": "constrained", "squeeze": False, **options}
        figure, grid = plt.subplots(-(-count // columns), columns, **options)
        figure.set_gid(_FIGURE)
        for extra in grid.flat[count:]:
            extra.remove()
        ax = list(grid.flat[:count])
    panels: Array = np.ravel(np.array(ax, dtype=object))
    if len(panels) != count:
        raise InvalidParameterError(f"ax must hold {needs}, got {len(panels)}.")
    return panels


def is_own_figure(figure: Any) -> bool:
    """Whether a display made this figure, so that it may be resized."""
    return bool(figure.get_gid() == _FIGURE)


def set_limits(ax: Any, limits: Any, *, is_added: bool) -> None:
    """Set limits of both axes, which do not hide the curves of earlier displays.

    None stands for 0 to 1 on both axes with equal units, and with room for lines at the edge.
    """
    if limits is None:
        ax.set(xlim=_UNIT, ylim=_UNIT, aspect="equal")
        return
    for (low, high), now, set_lim in zip(
        limits, (ax.get_xlim(), ax.get_ylim()), (ax.set_xlim, ax.set_ylim), strict=True
    ):
        if is_added:
            low = None if low is None else min(low, now[0])
            high = None if high is None else max(high, now[1])
        if not low is high is None:
            set_lim(low, high)


# --------------------------------------------------------------------------- lines


def style(place: int, markers: Sequence[str] = ()) -> dict[str, Any]:
    """Colour, dashes and marker of a curve, by its place among all curves."""
    look = {"color": COLOURS[place % len(COLOURS)], "linestyle": DASHES[place % len(DASHES)]}
    return look | ({"marker": markers[place % len(markers)]} if markers else {})


def n_curves(ax: Any) -> int:
    """Count the curves of earlier displays, which the next ones must differ from."""
    return sum(artist.get_gid() == CURVE for artist in ax.get_lines())


def draw_reference(ax: Any, line: Reference) -> None:
    """Draw a thin reference line, unless another display has drawn it."""
    drawn = {a.get_label() for a in ax.get_lines() if a.get_gid() == _REFERENCE}
    if line.label in drawn:
        return
    look = {**REFERENCE, "label": line.label, "gid": _REFERENCE}
    if line.is_bound:
        look |= {"color": "black", "linestyle": (0, (1, 1.5))}
    if line.is_mark:
        look["transform"] = ax.get_xaxis_transform()
    if line.dashes is not None:
        look["linestyle"] = style(line.dashes)["linestyle"]
    ax.plot(line.x, line.y, **look)


def add_remark(ax: Any, text: str, *, difference: bool = False) -> None:
    """Add a legend entry without a line; a difference comes after the models."""
    ax.plot([], [], linestyle="none", label=text, gid=_DIFFERENCE if difference else _REMARK)


def draw_dots(
    ax: Any, places: Any, values: Any, bounds: Any, *, across: bool = True, **look: Any
) -> Any:
    """Draw dots with intervals; ``bounds`` is (low, high), nan if unknown."""
    values, (low, high) = np.asarray(values, np.float64), np.asarray(bounds, np.float64)
    error = np.nan_to_num(np.clip([values - low, high - values], 0.0, None))
    x, y = (values, places) if across else (places, values)
    look = {"fmt": "o", "markersize": 5, "linewidth": 1.8, "color": COLOURS[0], **look}
    return ax.errorbar(x, y, **{"xerr" if across else "yerr": error}, **look)


# --------------------------------------------------------------------------- legends


def name_curves(ax: Any) -> None:
    """Move a model's name from the legend's title to its curves, before others are added."""
    legend = ax.get_legend()
    name = "" if legend is None else legend.get_title().get_text()
    if not name:
        return
    for artist in ax.get_lines():
        if artist.get_gid() == CURVE:
            artist.set_label(f"{name}, {artist.get_label()}")


def draw_legend(ax: Any, where: str, title: str | None = None) -> Any:
    """Draw a legend in the axes, or next to them if it is large, hides a curve, or should be there.

    In a figure with other axes and no layout engine it stays among the curves.
    """
    figure = ax.figure
    is_own = is_own_figure(figure)
    width = ENTRY if is_own else entry_letters(figure)
    entries, is_wrapped = _entries(ax, width)
    if not entries:
        return None
    can_move = figure.get_layout_engine() is not None or len(figure.get_axes()) == 1
    is_large = where == "outside" or is_wrapped or len(entries) > _MOST_ENTRIES
    is_outside = can_move and is_large
    inside = {"loc": "best" if where == "outside" else where}
    aside = {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0), "borderaxespad": 0.0}
    look: dict[str, Any] = {"title": None if title is None else wrap(title, width)}
    look |= {"alignment": "left", "fontsize": "small", "title_fontsize": "small"}
    look |= {"framealpha": 0.85, "edgecolor": "none", "handlelength": 2.8}
    legend = ax.legend(
        entries.values(), entries.keys(), **look, **(aside if is_outside else inside)
    )
    if can_move and not is_outside:
        area = legend.get_window_extent()
        lines = [line for line in ax.get_lines() if line.get_gid() == CURVE]
        paths = [line.get_path().transformed(line.get_transform()) for line in lines]
        if any(path.intersects_bbox(area, filled=False) for path in paths):
            legend, is_outside = ax.legend(entries.values(), entries.keys(), **look, **aside), True
    if not is_outside:
        return legend
    legend.set_gid(OUTSIDE)
    height = legend.get_window_extent().height
    if not is_own:
        scale = min(_HIGHEST * figure.bbox.height / max(height, 1.0), 1.0)
        shrink(legend, scale)
        height *= scale
    if height > _CENTRED * figure.bbox.height:
        legend.set_loc("center left")
        legend.set_bbox_to_anchor((1.02, 0.5))
    return legend


def _entries(ax: Any, width: int) -> tuple[dict[str, Any], bool]:
    """Legend entries, and whether one of them had to be wrapped.

    References, bands and remarks appear once; curves of the same name are numbered.
    """
    entries: dict[str, Any] = {}
    times: Counter[str] = Counter()
    is_wrapped = False
    for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
        text = wrap(label, width)
        is_wrapped |= text != label
        if _order(handle) == 0:
            times[text] += 1
            text = text if times[text] == 1 else f"{text} ({times[text]})"
        entries.setdefault(text, handle)
    return dict(sorted(entries.items(), key=lambda entry: _order(entry[1]))), is_wrapped


def _order(handle: Any) -> int:
    artist = handle.lines[0] if hasattr(handle, "lines") else handle
    return _ORDER.get(artist.get_gid(), 2)


def shrink(legend: Any, by: float) -> None:
    """Scale the letters of a legend."""
    for text in (*legend.get_texts(), legend.get_title()):
        text.set_fontsize(by * text.get_fontsize())


def entry_letters(figure: Any) -> int:
    """Letters in a line of a legend that leaves enough of a figure for the axes."""
    return min(max(int(_LEGEND_SHARE * figure.get_figwidth() / _LETTER), _LEAST_LETTERS), ENTRY)


# --------------------------------------------------------------------------- text


def title_of(name: str) -> str:
    """Name of a metric as people write it; names that the user chose are kept."""
    return str(shown_metric(name)[0])


def wrap(text: Any, width: int) -> str:
    """Break a text into lines of at most this many letters; line breaks in it stay."""
    return "\n".join(line for part in str(text).split("\n") for line in _lines(part, width))


def _lines(text: str, width: int) -> list[str]:
    if len(text) <= width:
        return [text]
    lines = [""]
    for whole in _PARTS.findall(text):
        for part in [whole[k : k + width] for k in range(0, len(whole), width)]:
            if len((lines[-1] + part).rstrip()) > width:
                lines.append("")
            lines[-1] += part
    return [line.strip() for line in lines if line.strip()]


def n_lines(names: Sequence[str]) -> int:
    """Largest number of lines of a wrapped name."""
    return max((name.count("\n") + 1 for name in names), default=1)


def longest(names: Sequence[str]) -> int:
    """Number of letters in the longest line."""
    return max((len(line) for name in names for line in name.split("\n")), default=0)


def name_rows(ax: Any, names: Sequence[Any], *, from_top: bool = True) -> None:
    """Write the names of rows, at ordinates 0, 1, ..., to the left of the axes."""
    wrapped = [wrap(name, NAME) for name in names]
    size: Any = {"fontsize": "small"} if n_lines(wrapped) > 1 else {}
    ax.set_yticks(range(len(names)), wrapped, **size)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    if from_top:
        ax.set_ylim(max(len(names), 1) - 0.5, -0.6)


def fit_text(ax: Any) -> None:
    """Wrap the titles of the axes, and make room for all texts.

    A figure made here has the size that its axes and texts need. In a given figure the axes shrink,
    or, if a layout engine places them, the letters of the legend and the lines of the titles.
    """
    figure = ax.figure.figure  # the root of a subfigure; `root` came with matplotlib 3.10
    labels = [(part.xaxis.label, 0) for part in (ax, *ax.child_axes)] + [(ax.yaxis.label, 1)]
    titles = [(label, label.get_text(), side) for label, side in labels if label.get_text()]
    _wrap_titles(ax, titles)
    if is_own_figure(figure) and figure.get_layout_engine() is None:
        _fit_figure(ax, figure)
        return
    if _always_fits(ax, figure, [label for label, _, _ in titles]):
        return
    letter = _LETTER
    for _ in range(_TRIES):  # axes of one scale and legends move a little with each step
        figure.draw_without_rendering()
        _wrap_titles(ax, titles, letter)
        overhang = _overhang(ax, figure)
        if overhang.max() < 1:
            return
        if figure.get_layout_engine() is None:
            _push_in(ax, figure, overhang)
        elif is_own_figure(figure):
            growth = overhang.sum(axis=0)
            growth += _PAD * (growth > 0)
            figure.set_size_inches(figure.get_size_inches() + growth / figure.dpi)
        else:
            letter *= _WIDER
            if ax.get_legend() is not None:
                shrink(ax.get_legend(), _SMALLER)


def _fit_figure(ax: Any, figure: Any) -> None:
    """Give the figure the size that its axes and all texts need."""
    ax.apply_aspect()
    inner, outer = ax.get_window_extent().frozen(), ax.get_tightbbox()
    corner, size = outer.min - _PAD, outer.size + 2 * _PAD
    figure.set_size_inches(size / figure.dpi)
    ax.set_position((*((inner.min - corner) / size), *(inner.size / size)))


def _always_fits(ax: Any, figure: Any, titles: Sequence[Any]) -> bool:
    """Whether the layout engine makes room for everything, without a trial drawing."""
    legend = ax.get_legend()
    room = _SHORT * min(figure.get_size_inches())
    are_short = all(len(label.get_text()) * _LETTER < room for label in titles)
    is_outside = legend is not None and legend.get_gid() == OUTSIDE
    has_layout = figure.get_layout_engine() is not None
    return has_layout and are_short and not is_outside and not ax.child_axes


def _wrap_titles(ax: Any, titles: Sequence[tuple[Any, str, int]], letter: float = _LETTER) -> None:
    area = ax.get_window_extent()
    sides = [area.width, area.height]
    if ax.get_aspect() != "auto":
        sides = [min(sides)] * 2
    for label, text, side in titles:
        label.set_text(wrap(text, max(int(sides[side] / ax.figure.dpi / letter), _LEAST_LETTERS)))


def _overhang(ax: Any, figure: Any) -> Array:
    """Pixels by which texts reach beyond the figure: (left, bottom) and (right, top)."""
    box = ax.get_tightbbox()
    if box is None:
        return np.zeros((2, 2))
    return np.maximum([-box.min, box.max - figure.bbox.size], 0.0)


def _push_in(ax: Any, figure: Any, overhang: Array) -> None:
    """Move the sides of the axes inwards by the overhang."""
    near, far = (overhang + _PAD * (overhang > 0)) / figure.bbox.size
    place = ax.get_position(original=True)
    corner = place.min + near
    size = np.maximum(place.max - far - corner, _LEAST_AXES)
    ax.set_position((*corner, *size))
    ax.set_in_layout(True)  # so that a layout engine set later places it anew
