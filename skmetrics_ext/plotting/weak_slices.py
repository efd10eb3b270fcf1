"""Slices in which a metric is worse: how far it is from the other rows in each of them."""

from __future__ import annotations

from typing import Any

from skmetrics_ext.plotting import drawing, fitting


def draw(found: Any, ax: Any = None) -> Any:
    """The picture of `WeakSlices`, on these axes or those of a new figure."""
    listed = list(found._as_rows())
    ax = drawing.make_axes("WeakSlices.plot", ax, (6.4, 0.42 * len(listed) + 1.3))
    for place, row in enumerate(listed):
        ax.plot([row["low"], row["high"]], [place] * 2, color=drawing.COLOURS[1], linewidth=2.2)
        ax.plot([row["difference"]], [place], "o", color=drawing.COLOURS[1])
    ax.axvline(0, color=drawing.GREY, linestyle=(0, (4, 3)), linewidth=1.1, zorder=1)
    names = [f"{row['slice']} ({row['n_rows']})" for row in listed]
    fitting.name_rows(ax, range(len(listed)), names)
    ax.set_ylim(max(len(listed), 1) - 0.5, -0.5)  # the first on top
    if not listed:
        told = "no slice is shown to be worse"
        ax.text(0.5, 0.5, told, transform=ax.transAxes, ha="center", va="center")
    level = f"{100 * (1 - found.alpha):g}% together"
    ax.set_xlabel(f"{found.metric} less that of the other rows ({level})")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    fitting.settle(ax)
    return ax
