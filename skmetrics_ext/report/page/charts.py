"""Charts of a page as SVG and HTML: dots, curves, confusion matrices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.curve_tables.fold_table import limits_of_models
from skmetrics_ext.curve_tables.kinds import KINDS, Reliability
from skmetrics_ext.curve_tables.lines import TOP, Kind, table_of
from skmetrics_ext.curve_tables.pictures import Picture, PictureLine, picture_of
from skmetrics_ext.formats import interval, number
from skmetrics_ext.numeric import Array

DRAWN = tuple(kind for kind in KINDS.values() if kind.title)
_CROWDED = 4  # with more classes, reliability curves are hard to distinguish in one chart
_LOOKS = 8  # line styles of the style sheet, each with its colour and dashes
_NAN, _ROUNDING = float("nan"), 1e-9
# Layout of curve charts, in units of the SVG.
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 400, 350, 50, 12, 10, 46
_WIDE, _HIGH = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
_FRAME = f"{_LEFT} {_TOP} {_WIDE} {_HIGH}"  # for the script that shows values at the pointer
# Layout of dot charts.
_DOTS_WIDTH, _LABEL_MOST, _ROW, _LINE = 440, 170, 28, 15
_CHARACTER = 7.2  # approximate width of a character of the labels


class Dot(NamedTuple):
    """Row of a dot chart: a value, its interval, values of the folds and of the training rows."""

    label: str
    value: float
    low: float = _NAN
    high: float = _NAN
    points: Sequence[float] = ()
    is_baseline: bool = False
    train: float = _NAN


# --------------------------------------------------------------------------- elements


def _svg(width: float, height: float, label: str, parts: Iterable[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height:.0f}" role="img" aria-label="{escape(label)}" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="currentColor">{"".join(parts)}'
        "</svg>"
    )


def _path(d: str, look: str) -> str:
    return f'<path class="{look}" d="{d}"/>'


def _text(x: float, y: float, text: str, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(text)}</text>'


# --------------------------------------------------------------------------- matrices


def matrix_table(labels: Sequence[Any], table: Array, title: str) -> str:
    """A confusion matrix as a table with cells shaded by their share of the true class."""
    head = "".join(f'<th scope="col">{escape(str(label))}</th>' for label in labels)
    rows = []
    for k, label in enumerate(labels):
        shares = table[k] / (table[k].sum() or np.inf)
        cells = "".join(
            f'<td class="cell {"right" if j == k else "wrong"}" style="--share:{share:.3f}">'
            f"{count:.6g}<br><small>{100 * share:.1f}%</small></td>"
            for j, (count, share) in enumerate(zip(table[k].tolist(), shares.tolist(), strict=True))
        )
        rows.append(f'<tr><th scope="row">{escape(str(label))}</th>{cells}</tr>')
    return (
        f'<div class="wide matrix"><table aria-label="{escape(title)}"><thead><tr><th scope="col">'
        f"true \\ predicted</th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


# --------------------------------------------------------------------------- curves


def curve_picture(
    kind: Kind, door: Any, *data: Any, model: str, n_classes: int, **options: Any
) -> Picture:
    """The picture of a kind of curve; of many classes, reliability is that of the top label."""
    if isinstance(kind, Reliability) and n_classes > _CROWDED:
        options["curves"] = TOP
    table = table_of(kind, door, *data, what=kind.title, **options)
    is_class = table.positive is None and not table.lines[-1].is_average
    return picture_of(table, None if is_class else model, write=_written)


def _written(value: float, estimate: Any) -> str:
    ends = "" if estimate is None else interval(estimate.low, estimate.high)
    return f"{number(value)} {ends}".rstrip()


def curve_chart(picture: Picture, *, is_extra: bool = False) -> str:
    """Curves over the unit square as SVG, with their legend as a list.

    The script shows values at the pointer unless ``is_extra``.
    """
    parts = []
    for share in (0, 0.2, 0.4, 0.6, 0.8, 1):
        x, y = _LEFT + share * _WIDE, _TOP + (1 - share) * _HIGH
        parts.append(_path(f"M{x:.1f} {_TOP}v{_HIGH}M{_LEFT} {y:.1f}h{_WIDE}", "grid"))
        parts.append(_text(x, _TOP + _HIGH + 18, f"{share}"))
        parts.append(_text(_LEFT - 8, y + 4, f"{share}", "end"))
    for line in picture.references:
        (x, y), end = _pixels(*np.array([line.x, line.y]))
        parts.append(_path(f"M{x:g} {y:g}L{end[0]:g} {end[1]:g}", "chance"))
    parts += [_curve(line, picture.shape) for line in picture.lines]
    middle, kind = _TOP + _HIGH / 2, picture.kind
    parts.append(_text(_LEFT + _WIDE / 2, _HEIGHT - 8, kind.x_label))
    parts.append(_text(14, middle, picture.y_label, more=f' transform="rotate(-90 14 {middle})"'))
    named = [line for line in picture.lines if line.part != "fold"]
    names = ", ".join(dict.fromkeys(line.name for line in named))
    legend = "".join(
        f'<li{_model(line)}><svg class="swatch" viewBox="0 0 28 8" '
        f'aria-hidden="true">{_path("M0 4h28", f"line {_look(line)}")}</svg>'
        f"<span>{escape(line.name)} <small>{escape(', '.join(line.numbers))}</small></span></li>"
        for line in named
    )
    shown = _svg(_WIDTH, _HEIGHT, f"{kind.title} of {names}", parts)
    read = f' data-chart="{kind.name}" data-x="{escape(kind.x_label)}" data-frame="{_FRAME}"'
    read = "" if is_extra else read
    return f'<div class="chart"{read}>{shown}</div><ul class="legend">{legend}</ul>\n'


def _model(line: PictureLine) -> str:
    """Attribute by which the script finds a curve and its legend entry."""
    return f' data-model="{escape(line.model or line.name)}"'


def _look(line: PictureLine) -> str:
    return f"look-{line.place % _LOOKS}"


def _curve(line: PictureLine, shape: str) -> str:
    kept = np.flatnonzero(np.isfinite(line.x) & np.isfinite(line.y))
    at, look, parts = kept, _look(line), []
    if shape == "steps":  # a point, then the corner above or below it
        at, kept = np.repeat(kept, 2)[:-1], np.repeat(kept, 2)[1:]
    x, y = line.x[at], line.y[kept]
    if line.low is not None and line.high is not None:
        low, high = np.fmin(line.low[kept], y), np.fmax(line.high[kept], y)
        if shape == "points":
            ends = zip(_pixels(x, low), _pixels(x, high), strict=True)
            parts += [
                _path(f"M{place} {one}V{other}", f"bar {look}") for (place, one), (_, other) in ends
            ]
        else:
            area = f"{_points(x, low)} {_points(x[::-1], high[::-1])}"
            parts.append(f'<polygon class="band {look}" points="{area}"/>')
    part, named = ("fold", "") if line.part == "fold" else ("line", _model(line))
    parts.append(f'<polyline class="{part} {look}"{named} points="{_points(x, y)}"/>')
    if shape == "points":
        dots = "".join(f'<circle cx="{a}" cy="{b}" r="3"/>' for a, b in _pixels(x, y))
        parts.append(f'<g class="dots {look}">{dots}</g>')
    return "".join(parts)


def _pixels(x: Array, y: Array) -> list[tuple[float, float]]:
    """Positions of points, to a tenth of a pixel."""
    places = np.column_stack([_LEFT + x * _WIDE, _TOP + (1 - np.clip(y, 0, 1)) * _HIGH])
    return [(a, b) for a, b in places.round(1).tolist()]


def _points(x: Array, y: Array) -> str:
    return " ".join(f"{a},{b}" for a, b in _pixels(*_thinned(x, y)))


def _thinned(x: Array, y: Array) -> tuple[Array, Array]:
    """A line without points that fall on the same pixel as the previous one."""
    pixels = np.column_stack([x * _WIDE, y * _HIGH]).round()
    kept = np.ones(len(x), dtype=bool)
    kept[1:-1] = (pixels[1:-1] != pixels[:-2]).any(axis=1)
    return x[kept], y[kept]


# --------------------------------------------------------------------------- dots


class _DotAxis(NamedTuple):
    """The range of a dot chart, and the edges of its area."""

    low: float
    high: float
    left: float
    foot: float

    def place(self, value: float) -> float:
        """Horizontal position of a value."""
        share = (value - self.low) / (self.high - self.low)
        return self.left + 8 + share * (_DOTS_WIDTH - self.left - 28)


def dot_chart(dots: Sequence[Dot], title: str) -> str:
    """Dots with intervals over a shared axis; the baseline is hollow, with a dotted line.

    A baseline far from the other dots is written at the edge, so that differences between the
    others remain visible.
    """
    row_numbers = [np.array([d.value, d.low, d.high, d.train, *d.points]) for d in dots]
    numbers = np.concatenate(row_numbers)
    numbers = numbers[np.isfinite(numbers)]
    if not len(numbers):
        return _svg(_DOTS_WIDTH, 40, title, [_text(8, 24, "undefined", "start")])
    base = [dot.value for dot in dots if dot.is_baseline]
    others = [row for row, dot in zip(row_numbers, dots, strict=True) if not dot.is_baseline]
    limits = limits_of_models(np.concatenate(others), base[0]) if base and others else None
    low, high = limits or _padded(float(numbers.min()), float(numbers.max()))
    left = min(max(len(dot.label) for dot in dots) * _CHARACTER + 12, _LABEL_MOST)
    labels = [wrap(dot.label, max(int((left - 8) / _CHARACTER), 1)) or [""] for dot in dots]
    heights = [max(_ROW, _LINE * len(label) + 8) for label in labels]
    axis = _DotAxis(low, high, left, _TOP + sum(heights))
    parts = []
    for tick in _ticks(low, high):
        parts.append(_path(f"M{axis.place(tick):.1f} {_TOP}V{axis.foot}", "grid"))
        parts.append(_text(axis.place(tick), axis.foot + 18, f"{tick:g}"))
    middle = np.cumsum([_TOP, *heights])[:-1] + np.array(heights) / 2
    for dot, label, y in zip(dots, labels, middle.tolist(), strict=True):
        parts += _row(dot, label, y, axis, is_beyond=dot.is_baseline and limits is not None)
    return _svg(_DOTS_WIDTH, axis.foot + 30, title, parts)


def _row(dot: Dot, label: list[str], y: float, axis: _DotAxis, *, is_beyond: bool) -> list[str]:
    ends = interval(dot.low, dot.high)
    first = y + 4 - _LINE * (len(label) - 1) / 2
    parts = [f"<g><title>{escape(f'{dot.label}: {number(dot.value)} {ends}'.strip())}</title>"]
    parts += [_text(axis.left, first + _LINE * k, part, "end") for k, part in enumerate(label)]
    if is_beyond:
        shown = _text(_DOTS_WIDTH - _RIGHT, y + 4, f"{number(dot.value)} →", "end")
        if axis.place(dot.value) < axis.left:
            shown = _text(axis.left + 12, y + 4, f"← {number(dot.value)}", "start")
        return [*parts, shown, "</g>"]
    ticks = [f"M{axis.place(value):.1f} {y - 5}v10" for value in dot.points if math.isfinite(value)]
    parts.append(_path("".join(ticks), "tick") if ticks else "")
    if ends:
        low, high = axis.place(dot.low), axis.place(dot.high)
        parts.append(_path(f"M{low:.1f} {y}H{high:.1f}", "range"))
    if math.isnan(dot.value):
        return [*parts, _text(axis.left + 12, y + 4, "undefined", "start"), "</g>"]
    if math.isfinite(dot.train):
        parts.append(_path(f"M{axis.place(dot.train):.1f} {y - 6}l5 6l-5 6l-5 -6z", "train"))
    x, look = f"{axis.place(dot.value):.1f}", "dot baseline" if dot.is_baseline else "dot"
    parts.append(_path(f"M{x} {_TOP}V{axis.foot}", "chance") if dot.is_baseline else "")
    return [*parts, f'<circle class="{look}" cx="{x}" cy="{y}" r="5"/></g>']


def _padded(low: float, high: float) -> tuple[float, float]:
    """The range with some padding on both sides."""
    room = 0.05 * (high - low)
    if room <= _ROUNDING * abs(high):
        room = 0.05 * max(abs(high), 1.0)
    return low - room, high + room


def _ticks(low: float, high: float) -> list[float]:
    """About five round numbers within a range."""
    raw = (high - low) / 5
    scale = 10.0 ** math.floor(math.log10(raw))
    step = next(scale * factor for factor in (1, 2, 5, 10) if scale * factor >= raw)
    first, last = math.ceil(low / step - _ROUNDING), math.floor(high / step + _ROUNDING)
    return [k * step for k in range(first, last + 1)]
