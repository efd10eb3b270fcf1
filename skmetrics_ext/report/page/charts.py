"""Charts of a page as SVG and HTML: dots, curves, confusion matrices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.curve_tables.fold_table import limits_of_models
from skmetrics_ext.curve_tables.kinds import KINDS
from skmetrics_ext.curve_tables.lines import AVERAGES, MEAN, Kind, LineTable, name_of_curve
from skmetrics_ext.formats import interval, known, number
from skmetrics_ext.numeric import Array

TITLES = {"roc": "ROC", "precision_recall": "Precision and recall", "calibration": "Reliability"}
CROWDED = 4  # with more classes, reliability curves are hard to distinguish in one chart
LOOKS = 8  # line styles of the style sheet, each with its colour and dashes
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


class ChartCurve(NamedTuple):
    """A curve over the unit square, with its entry in the legend.

    Parameters
    ----------
    name, text : str
        Legend entry; a curve without a name has none.
    x, y : ndarray of shape (n,)
    look : int
        Number of the line style.
    kind : {"line", "fold", "points"}
        Bounds of points are drawn as bars, those of lines as a band.
    low, high : ndarray of shape (n,) or None
    """

    name: str
    text: str
    x: Array
    y: Array
    look: int = 0
    kind: str = "line"
    low: Array | None = None
    high: Array | None = None


class Chart(NamedTuple):
    """Curves over shared axes; the script shows values at the pointer unless ``is_extra``."""

    kind: str
    title: str
    x_label: str
    y_label: str
    curves: Sequence[ChartCurve]
    has_diagonal: bool = False
    is_extra: bool = False


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


# --------------------------------------------------------------------------- tables of lines


def chart_of(name: str, table: LineTable, model: str = "") -> Chart:
    """Chart of a table of lines."""
    kind, curves = KINDS[name], list[ChartCurve]()
    n_curves = len({(line.model, line.curve) for line in table.lines})
    for line in table.lines:
        is_fold, has_bins, columns = isinstance(line.fold, int), hasattr(line, "bins"), line.columns
        if is_fold and n_curves > 1:  # folds of several curves would hide each other
            continue
        x, y, low, high = (columns.get(key) for key in (kind.x, kind.y, "low", "high"))
        if line.fold == MEAN:
            low, high = y - columns["std"], y + columns["std"]
        kept = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        at = kept
        if kind.has_steps:  # a point, then the corner above or below it
            at, kept = np.repeat(kept, 2)[:-1], np.repeat(kept, 2)[1:]
        if low is not None:
            low, high = np.fmin(low, y)[kept], np.fmax(high, y)[kept]
        shown = "" if is_fold else line.model or model
        is_class = table.positive is None and line.curve not in AVERAGES
        if line.model is None and (n_curves > 1 or is_class):
            shown = name_of_curve(line.curve)
        look = sum(curve.kind != "fold" for curve in curves) % LOOKS
        shape = "fold" if is_fold else "points" if has_bins else "line"
        text = _value_text(kind, line)
        curves.append(ChartCurve(shown, text, x[at], y[kept], look, shape, low, high))
    labels = kind.x_label, kind.y_label
    return Chart(name, TITLES[name], *labels, curves, name != "precision_recall")


def _value_text(kind: type[Kind], line: Any) -> str:
    """The number that summarises a line, with its interval; "" if it is undefined."""
    if hasattr(line, "bins"):
        texts = [] if np.isnan(line.error) else [f"ECE {line.error:.3f}"]
        if not np.isnan(line.slope):
            texts.append(f"slope {line.slope:z.2f}, intercept {line.intercept:z.2f}")
        return ", ".join(texts)
    ends = "" if line.interval is None else interval(line.interval.low, line.interval.high)
    value = f"{known(line.value)} {ends}".strip()
    return f"{kind.value_name} {value}" if value else ""


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


def curve_chart(chart: Chart) -> str:
    """A chart as SVG, with its legend as a list."""
    parts = []
    for share in (0, 0.2, 0.4, 0.6, 0.8, 1):
        x, y = _LEFT + share * _WIDE, _TOP + (1 - share) * _HIGH
        parts.append(_path(f"M{x:.1f} {_TOP}v{_HIGH}M{_LEFT} {y:.1f}h{_WIDE}", "grid"))
        parts.append(_text(x, _TOP + _HIGH + 18, f"{share}"))
        parts.append(_text(_LEFT - 8, y + 4, f"{share}", "end"))
    if chart.has_diagonal:
        parts.append(_path(f"M{_LEFT} {_TOP + _HIGH}L{_LEFT + _WIDE} {_TOP}", "chance"))
    parts += [_curve(curve) for curve in chart.curves]
    parts.append(_text(_LEFT + _WIDE / 2, _HEIGHT - 8, chart.x_label))
    middle = _TOP + _HIGH / 2
    parts.append(_text(14, middle, chart.y_label, more=f' transform="rotate(-90 14 {middle})"'))
    named = [curve for curve in chart.curves if curve.name]
    names = ", ".join(dict.fromkeys(curve.name for curve in named))
    legend = "".join(
        f'<li data-model="{escape(curve.name)}"><svg class="swatch" viewBox="0 0 28 8" '
        f'aria-hidden="true">{_path("M0 4h28", f"line look-{curve.look}")}</svg>'
        f"<span>{escape(curve.name)} <small>{escape(curve.text)}</small></span></li>"
        for curve in named
    )
    shown = _svg(_WIDTH, _HEIGHT, f"{chart.title} of {names}", parts)
    read = f' data-chart="{chart.kind}" data-x="{escape(chart.x_label)}" data-frame="{_FRAME}"'
    read = "" if chart.is_extra else read
    return f'<div class="chart"{read}>{shown}</div><ul class="legend">{legend}</ul>\n'


def _curve(curve: ChartCurve) -> str:
    named = f' data-model="{escape(curve.name)}"' if curve.name else ""
    look, parts = f"look-{curve.look}", []
    if curve.low is not None and curve.high is not None:
        if curve.kind == "points":
            ends = zip(_pixels(curve.x, curve.low), _pixels(curve.x, curve.high), strict=True)
            parts += [_path(f"M{x} {low}V{high}", f"bar {look}") for (x, low), (_, high) in ends]
        else:
            area = f"{_points(curve.x, curve.low)} {_points(curve.x[::-1], curve.high[::-1])}"
            parts.append(f'<polygon class="band {look}" points="{area}"/>')
    parts.append(
        f'<polyline class="{"fold" if curve.kind == "fold" else "line"} {look}"{named} '
        f'points="{_points(curve.x, curve.y)}"/>'
    )
    if curve.kind == "points":
        dots = "".join(f'<circle cx="{x}" cy="{y}" r="3"/>' for x, y in _pixels(curve.x, curve.y))
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
