"""Which of many models differ: a line joins those that are not shown to (Demsar's diagram)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from skmetrics_ext.plotting import drawing, fitting

_STEP = 0.35  # between lines that join models, in rows


def draw(found: Any, ax: Any = None) -> Any:
    """The picture of a `ManyComparisons`, on these axes or those of a new figure."""
    n_rows = len(found.rows if found.control is not None else found.values)
    ax = drawing.make_axes("ManyComparisons.plot", ax, (5.4, 0.42 * n_rows + 1.3))
    (_draw_values if found.control is None else _draw_differences)(found, ax)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    fitting.settle(ax)
    return ax


def _draw_values(found: Any, ax: Any) -> None:
    """A dot for each model, and a line over all models of which no two are shown to differ."""
    names = sorted(
        found.values, key=lambda name: (np.isnan(found.values[name]), found.values[name])
    )
    values = [found.values[name] for name in names]
    ax.plot(values, range(len(names)), "o", color=drawing.COLOURS[0], zorder=3)
    fitting.name_rows(ax, range(len(names)), names)
    joined = alike(names, found.rows, 1 - found.confidence_level)
    for place, (first, last) in enumerate(joined):
        height = len(names) - 1 + _STEP * (place + 1.5)
        ax.plot([values[first], values[last]], [height] * 2, color=drawing.GREY, linewidth=3)
        for k in (first, last):
            thin = {"color": drawing.GREY, "linewidth": 0.7, "linestyle": ":", "zorder": 1}
            ax.plot([values[k]] * 2, [k, height], **thin)
    ax.set_xlabel(f"{found.metric}; a line joins models that are not shown to differ")


def alike(
    names: Sequence[Any], rows: Sequence[Mapping[str, Any]], level: float
) -> list[tuple[int, int]]:
    """First and last of the longest stretches of models of which no two differ, in this order."""
    apart = {frozenset((row["first"], row["second"])) for row in rows if row["p_value"] <= level}
    found: list[tuple[int, int]] = []
    for first in range(len(names)):
        last = first
        while last + 1 < len(names) and not any(
            frozenset((names[k], names[last + 1])) in apart for k in range(first, last + 1)
        ):
            last += 1
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


def _draw_differences(found: Any, ax: Any) -> None:
    """The difference of each model from the control, and its interval."""
    for place, row in enumerate(found.rows):
        shown = row["p_value"] <= 1 - found.confidence_level
        colour = drawing.COLOURS[0] if shown else drawing.GREY
        ax.plot([row["low"], row["high"]], [place] * 2, color=colour, linewidth=2.2)
        ax.plot([row["difference"]], [place], "o", color=colour)
    ax.axvline(0, color=drawing.GREY, linestyle=(0, (4, 3)), linewidth=1.1, zorder=1)
    fitting.name_rows(ax, range(len(found.rows)), [row["first"] for row in found.rows])
    ax.invert_yaxis()  # the first on top
    told = f"{100 * found.confidence_level:g}% together"
    ax.set_xlabel(f"{found.metric} less that of {found.control} ({told})")
