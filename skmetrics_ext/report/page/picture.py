"""Dots and intervals as SVG: a picture that needs no library and no file of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from textwrap import wrap

_WIDTH, _LEFT_MAX, _ROW, _TOP, _BOTTOM = 440, 170, 28, 8, 30
_LINE = 15  # of a label of several
_CHARACTER = 7.2  # width of one, about, at the size of the labels


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A row of the picture.

    Parameters
    ----------
    label : str
        What it is of.
    value, low, high : float
        The dot and the ends of its interval; nan where there is none.
    points : sequence of float
        Values behind it (folds), drawn as ticks.
    marked : bool
        Whether it is the baseline.
    """

    label: str
    value: float
    low: float = float("nan")
    high: float = float("nan")
    points: Sequence[float] = field(default=())
    marked: bool = False


def dots(lines: Sequence[ChartLine], axis: str) -> str:
    """Dot and interval of each line over one axis; the baseline hollow, with a dotted line."""
    numbers = [
        number
        for line in lines
        for number in (line.value, line.low, line.high, *line.points)
        if math.isfinite(number)
    ]
    if not numbers:
        return (
            f'<svg viewBox="0 0 {_WIDTH} 40" role="img"><text x="8" y="24">undefined</text></svg>'
        )
    low, high = _padded(min(numbers), max(numbers))
    ticks = _ticks(low, high)
    widest = max(len(line.label) for line in lines) * _CHARACTER + 12
    left = min(widest, _LEFT_MAX)
    labels = [wrap(line.label, int((left - 8) / _CHARACTER)) or [""] for line in lines]
    heights = [max(_ROW, _LINE * len(label) + 8) for label in labels]
    foot = _TOP + sum(heights)

    def x(number: float) -> float:
        return left + 8 + (number - low) / (high - low) * (_WIDTH - left - 28)

    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {foot + _BOTTOM}" role="img" aria-label="{escape(axis)}" '
        'font-family="system-ui, sans-serif" font-size="13" fill="currentColor">'
    ]
    for tick in ticks:
        look = 'stroke="currentColor" stroke-opacity="0.15"'
        parts.append(_line(x(tick), x(tick), _TOP, foot, look))
        parts.append(
            f'<text x="{x(tick):.1f}" y="{foot + 18}" text-anchor="middle" font-size="12">'
            f"{tick:g}</text>"
        )
    top: float = _TOP
    for line, label, height in zip(lines, labels, heights, strict=True):
        parts += _row(line, label, top + height / 2, left, x, foot)
        top += height
    parts.append("</svg>")
    return "".join(parts)


def _row(
    line: ChartLine,
    label: list[str],
    y: float,
    left: float,
    x: Callable[[float], float],
    foot: float,
) -> list[str]:
    told = f"{line.label}: {_number(line.value)}"
    is_bounded = math.isfinite(line.low) and math.isfinite(line.high)
    if is_bounded:
        told += f" [{_number(line.low)}, {_number(line.high)}]"
    parts = [
        f'<g><title>{escape(told)}</title><text text-anchor="end">{_lines(label, left, y)}</text>'
    ]
    for point in line.points:
        if math.isfinite(point):
            look = 'stroke="currentColor" stroke-opacity="0.45"'
            parts.append(_line(x(point), x(point), y - 5, y + 5, look))
    if is_bounded:
        look = 'stroke="var(--dot, #0072b2)" stroke-width="2.5"'
        parts.append(_line(x(line.low), x(line.high), y, y, look))
    if math.isfinite(line.value):
        if line.marked:
            look = 'stroke="currentColor" stroke-dasharray="2 3"'
            parts.append(_line(x(line.value), x(line.value), _TOP, foot, look))
        fill = "var(--paper, #fff)" if line.marked else "var(--dot, #0072b2)"
        parts.append(
            f'<circle cx="{x(line.value):.1f}" cy="{y:.1f}" r="5" fill="{fill}" '
            'stroke="var(--dot, #0072b2)" stroke-width="2"/>'
        )
    else:
        parts.append(f'<text x="{left + 12}" y="{y + 4:.1f}" fill-opacity="0.7">undefined</text>')
    return [*parts, "</g>"]


def _lines(label: list[str], x: float, y: float) -> str:
    """A label around a height, a span for each of its lines."""
    first = y + 4 - _LINE * (len(label) - 1) / 2
    return "".join(
        f'<tspan x="{x:.1f}" y="{first + _LINE * place:.1f}">{escape(part)}</tspan>'
        for place, part in enumerate(label)
    )


def _line(x1: float, x2: float, y1: float, y2: float, look: str) -> str:
    return f'<line x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}" {look}/>'


def _padded(low: float, high: float) -> tuple[float, float]:
    """The range with a little room on both sides."""
    room = 0.05 * (high - low)
    if room <= 1e-12 * max(abs(low), abs(high), 1e-300):
        room = 0.05 * max(abs(high), 1.0)
    return low - room, high + room


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers within a range, about five of them."""
    raw = (high - low) / 5
    scale = 10.0 ** math.floor(math.log10(raw))
    step = next(scale * factor for factor in (1, 2, 5, 10) if scale * factor >= raw)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(k * step, 12) + 0.0 for k in range(first, last + 1)]


def _number(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4g}"
