"""Curves of all models on one picture: SVG that needs no library, and its points for the script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from skmetrics_ext.formats import interval, known
from skmetrics_ext.plotting import all_models
from skmetrics_ext.validation import InvalidParameterError, distinct_labels

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 400, 350, 50, 12, 10, 46
LOOKS = 8  # of lines: colours of the style sheet, each with dashes of its own
_KINDS = ("roc", "precision_recall")


class Curve(NamedTuple):
    """The line of a model: its points, rising along x, and what the legend says of it."""

    model: str
    look: int
    x: list[float]
    y: list[float]
    told: str


class Overlay(NamedTuple):
    """Lines of several models over the same axes."""

    kind: str
    title: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]
    chance: tuple[float, float] | None

    def data(self) -> dict[str, Any]:
        """What the script reads."""
        curves = [{"model": c.model, "x": c.x, "y": c.y} for c in self.curves]
        frame = [LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM]
        labels = {"x": self.x_label, "y": self.y_label}
        return {"kind": self.kind, **labels, "frame": frame, "curves": curves}


def look_of(report: CrossValidationReport, model: str) -> int:
    """Number of the look of the lines of a model."""
    return report.models.index(model) % LOOKS


def overlays(report: CrossValidationReport) -> list[Overlay]:
    """A picture of each kind that at least one model has a curve of."""
    if report.data is None:
        return []
    found = []
    for kind in _KINDS:
        display: Any = all_models.KINDS[kind]
        if display.sides == "one" and report.positive_class is None and _is_binary(report):
            continue
        curves = list(_curves(report, kind, display))
        if curves:
            title = {"roc": "ROC", "precision_recall": "Precision and recall"}[kind]
            chance = (0.0, 1.0) if kind == "roc" else None
            found.append(Overlay(kind, title, display.x_label, display.y_label, curves, chance))
    return found


def _is_binary(report: CrossValidationReport) -> bool:
    classes = distinct_labels(report.data.y) if report.data is not None else None
    return classes is not None and len(classes) == 2


def _curves(report: CrossValidationReport, kind: str, display: Any) -> Iterator[Curve]:
    for model in report.models:
        if model == report.baseline:
            continue
        try:
            line = all_models.mean_line(report, kind, model)
        except InvalidParameterError:  # it has no scores, or no fold has a curve
            continue
        x, y = line.columns[display.x], line.columns[display.y]
        kept = np.isfinite(x) & np.isfinite(y)
        told = known(line.value)
        if line.interval is not None:
            told = f"{told} {interval(line.interval.low, line.interval.high)}".strip()
        points = np.round(x[kept], 4).tolist(), np.round(y[kept], 4).tolist()
        named = f"{display.value_name} {told}" if told else ""
        yield Curve(model, look_of(report, model), *points, named)


def drawn(chart: Overlay) -> str:
    """The picture with its legend."""
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    names = ", ".join(curve.model for curve in chart.curves)
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(chart.title)} of {escape(names)}" class="axes" '
        'font-family="system-ui, sans-serif" font-size="13" fill="currentColor">'
    ]
    for share in (0, 0.2, 0.4, 0.6, 0.8, 1):
        x, y = LEFT + share * wide, TOP + (1 - share) * high
        parts.append(f'<path class="grid" d="M{x:.1f} {TOP}v{high}M{LEFT} {y:.1f}h{wide}"/>')
        parts.append(f'<text x="{x:.1f}" y="{TOP + high + 18}" text-anchor="middle">{share}</text>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{share}</text>')
    if chart.chance is not None:
        low, high_end = (TOP + (1 - end) * high for end in chart.chance)
        parts.append(f'<path class="chance" d="M{LEFT} {low:.1f}L{LEFT + wide} {high_end:.1f}"/>')
    for curve in chart.curves:
        points = " ".join(
            f"{LEFT + x * wide:.1f},{TOP + (1 - y) * high:.1f}"
            for x, y in zip(curve.x, curve.y, strict=True)
        )
        parts.append(
            f'<polyline class="line look-{curve.look}" data-model="{escape(curve.model)}" '
            f'points="{points}"><title>{escape(curve.model)}</title></polyline>'
        )
    middle = f'x="{LEFT + wide / 2:.0f}" y="{HEIGHT - 8}"'
    parts.append(f'<text {middle} text-anchor="middle">{escape(chart.x_label)}</text>')
    turned = f'transform="translate(14 {TOP + high / 2:.0f}) rotate(-90)"'
    parts.append(f'<text {turned} text-anchor="middle">{escape(chart.y_label)}</text></svg>')
    legend = "".join(
        f'<li data-model="{escape(c.model)}">{swatch(c.look)}<span>{escape(c.model)} '
        f"<small>{escape(c.told)}</small></span></li>"
        for c in chart.curves
    )
    return f'<div class="chart" data-chart="{chart.kind}">{"".join(parts)}</div>' + (
        f'<ul class="legend">{legend}</ul>\n'
    )


def swatch(look: int) -> str:
    """A short piece of a line."""
    return (
        f'<svg class="swatch" viewBox="0 0 28 8" aria-hidden="true"><path class="line look-{look}" '
        'd="M0 4h28"/></svg>'
    )
