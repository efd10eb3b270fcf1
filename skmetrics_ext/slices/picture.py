"""A picture of groups: their values with intervals, around that of all rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

_HEIGHT = 0.32  # inches of a group
_GREY = "0.45"


class Point(NamedTuple):
    """A group in words, its value, interval and number of rows."""

    name: str
    value: float
    low: float
    high: float
    n_rows: int


@dataclass(frozen=True, slots=True)
class Picture:
    """Groups by one metric, and the value of all rows."""

    metric: str
    points: list[Point]
    overall: float | None
    level: float


def draw_groups(picture: Picture, ax: Any = None) -> Any:
    """Draw the groups, the first at the top."""
    points = picture.points
    if ax is None:
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            raise ImportError("plot needs matplotlib: pip install 'skmetrics-ext[plot]'") from error
        _, ax = plt.subplots(
            figsize=(6.4, 1.2 + _HEIGHT * max(len(points), 2)), layout="constrained"
        )
    places = np.arange(len(points))[::-1]
    values = np.array([point.value for point in points])
    away = np.array([[p.value - p.low, p.high - p.value] for p in points]).T
    if len(points):
        shown = np.clip(np.nan_to_num(away), 0.0, None)
        ax.errorbar(values, places, xerr=shown, fmt="o", capsize=2, markersize=4)
    if picture.overall is not None:
        ax.axvline(picture.overall, color=_GREY, linestyle="--", linewidth=1, zorder=0)
        ax.annotate(
            "all rows",
            (picture.overall, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            color=_GREY,
            fontsize="small",
        )
    ax.set_yticks(places, [f"{point.name} (n = {point.n_rows})" for point in points])
    ax.set_ylim(-0.6, len(points) - 0.4)
    ax.set_xlabel(f"{picture.metric}, {100 * picture.level:g}% intervals")
    return ax
