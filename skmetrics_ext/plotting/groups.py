"""Groups: their values with intervals, around that of all rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.plotting import drawing, fitting
from skmetrics_ext.slices.picture import Picture

_HEIGHT = 0.32  # inches of a group


def draw(picture: Picture, ax: Any = None) -> Any:
    """Draw the groups, the first at the top."""
    points = picture.points
    size = (6.4, 1.2 + _HEIGHT * max(len(points), 2))
    ax = drawing.make_axes("Evaluation.plot", ax, size)
    places = np.arange(len(points))[::-1]
    values = np.array([point.value for point in points])
    away = np.array([[p.value - p.low, p.high - p.value] for p in points]).T
    if len(points):
        shown = np.clip(np.nan_to_num(away), 0.0, None)
        ax.errorbar(values, places, xerr=shown, fmt="o", capsize=2, markersize=4)
    if picture.overall is not None:
        ax.axvline(picture.overall, color=drawing.GREY, linestyle="--", linewidth=1, zorder=0)
        ax.annotate(
            "all rows",
            (picture.overall, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            color=drawing.GREY,
            fontsize="small",
        )
    fitting.name_rows(ax, places, [f"{point.name} (n = {point.n_rows})" for point in points])
    ax.set_ylim(-0.6, len(points) - 0.4)
    ax.set_xlabel(f"{picture.metric}, {100 * picture.level:g}% intervals")
    fitting.settle(ax)
    return ax
