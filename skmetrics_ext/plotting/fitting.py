"""Text that stays inside the picture: long names are wrapped, and axes make room for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array

NAME = 34  # letters in a line of the name of a row
ENTRY = 54  # letters in a line of a legend
_LETTER = 0.07  # inches
_PAD = 4.0  # pixels between a text and the edge of the figure
_LEAST = 0.15  # of the figure, which axes keep
_FEW = 16  # letters of a line at least
_PART = 0.4  # of a figure, for a legend
_TRIES, _SMALLER = 4, 0.85
_SHORT = 0.7  # of the shorter side of a figure: titles that surely fit
BESIDE = "skmetrics_ext:beside"  # mark of a legend that stands beside the axes
_OWN = "skmetrics_ext:figure"
# A name is broken after a space, or after what stands between its parts.
_PARTS = re.compile(r"[^\s_,;/()=+|-]*(?:[\s_,;/()=+|-]+|$)")


def wrap(text: Any, width: int) -> str:
    """Lines of at most so many letters; those that are there stay apart."""
    return "\n".join(line for part in str(text).split("\n") for line in _lines(part, width))


def _lines(text: str, width: int) -> list[str]:
    if len(text) <= width:
        return [text]
    found = [""]
    for whole in _PARTS.findall(text):
        for part in [whole[k : k + width] for k in range(0, len(whole), width)]:
            if len((found[-1] + part).rstrip()) > width:
                found.append("")
            found[-1] += part
    return [line.strip() for line in found if line.strip()]


def n_lines(names: Sequence[str]) -> int:
    """Lines of the highest of wrapped names."""
    return max((name.count("\n") + 1 for name in names), default=1)


def longest(names: Sequence[str]) -> int:
    """Letters of the longest line."""
    return max((len(line) for name in names for line in name.split("\n")), default=0)


def name_rows(ax: Any, places: Sequence[float] | Array, names: Sequence[Any]) -> None:
    """Names of rows at the left of the axes."""
    wrapped = [wrap(name, NAME) for name in names]
    size: Any = {"fontsize": "small"} if n_lines(wrapped) > 1 else {}
    ax.set_yticks(places, wrapped, **size)


def entry_letters(figure: Any) -> int:
    """Letters in a line of a legend that leaves the axes their part of a figure."""
    return min(max(int(_PART * figure.get_figwidth() / _LETTER), _FEW), ENTRY)


def settle(ax: Any) -> None:
    """Wrap the titles of the axes, and make room for all texts.

    A figure of ours grows. In another one the letters of the legend become smaller, and, where it
    has no layout of its own, the axes.
    """
    figure = ax.figure.figure  # that of a subfigure, too; `root` is of matplotlib 3.10
    titles = [(one.xaxis.label, 0) for one in (ax, *ax.child_axes)] + [(ax.yaxis.label, 1)]
    told = [(label, label.get_text(), side) for label, side in titles if label.get_text()]
    _wrap_titles(ax, told)
    if _fits_for_sure(ax, figure, [label for label, _, _ in told]):
        return
    for _ in range(_TRIES):  # axes of one scale and legends move a little with each step
        figure.draw_without_rendering()
        _wrap_titles(ax, told)
        out = _standing_out(ax, figure)
        if max(out) < 1:
            return
        if figure.get_layout_engine() is None:
            _push_in(ax, figure, out)
        elif is_own(figure):
            more = np.add(out[:2], out[2:])
            more += _PAD * (more > 0)
            figure.set_size_inches(figure.get_size_inches() + more / figure.dpi)
        elif ax.get_legend() is not None:
            shrink(ax.get_legend(), _SMALLER)


def _fits_for_sure(ax: Any, figure: Any, titles: Sequence[Any]) -> bool:
    """Whether a layout makes room for all there is, which a look at it would only confirm."""
    legend = ax.get_legend()
    short = all(len(label.get_text()) * _LETTER < _SHORT * min(figure.get_size_inches())
                for label in titles)  # fmt: skip
    beside = legend is not None and legend.get_gid() == BESIDE
    return figure.get_layout_engine() is not None and short and not beside and not ax.child_axes


def _wrap_titles(ax: Any, titles: Sequence[tuple[Any, str, int]]) -> None:
    area = ax.get_window_extent()
    sides = [area.width, area.height]
    if ax.get_aspect() != "auto":
        sides = [min(sides)] * 2
    for label, text, side in titles:
        label.set_text(wrap(text, max(int(sides[side] / ax.figure.dpi / _LETTER), _FEW)))


def _standing_out(ax: Any, figure: Any) -> list[float]:
    """Pixels by which texts of the axes stand out of the figure: left, bottom, right and top."""
    box, edge = ax.get_tightbbox(), figure.bbox
    if box is None:
        return [0.0]
    return [max(-box.x0, 0.0), max(-box.y0, 0.0),
            max(box.x1 - edge.width, 0.0), max(box.y1 - edge.height, 0.0)]  # fmt: skip


def _push_in(ax: Any, figure: Any, out: Sequence[float]) -> None:
    """Move the sides of the axes as far as texts stand out."""
    across, up = figure.bbox.width, figure.bbox.height
    left, bottom, right, top = (one + _PAD * (one > 0) for one in out)
    place = ax.get_position(original=True)
    x, y = place.x0 + left / across, place.y0 + bottom / up
    width = max(place.x1 - right / across - x, _LEAST)
    height = max(place.y1 - top / up - y, _LEAST)
    ax.set_position((x, y, width, height))
    ax.set_in_layout(True)  # a layout that is asked for later finds its own place


def shrink(legend: Any, by: float) -> None:
    """Give a legend smaller letters."""
    for text in (*legend.get_texts(), legend.get_title()):
        text.set_fontsize(by * text.get_fontsize())


def own(figure: Any) -> None:
    """Mark a figure that a display has made, which may be given another size."""
    figure.set_gid(_OWN)


def is_own(figure: Any) -> bool:
    """Whether a display has made this figure."""
    return bool(figure.get_gid() == _OWN)
