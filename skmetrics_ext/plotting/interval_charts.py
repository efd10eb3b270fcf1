"""Dots with intervals: candidates of a search, models, groups and slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from skmetrics_ext.merged.comparing import Picture
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.validation import InvalidParameterError

_HEIGHT = 0.42  # inches of a row
_STEP = 0.35  # rows between the lines that join models
_MOST_NAMES = 30
_FAR = 20.0  # ratio of the largest to the smallest value from which an axis is logarithmic


def _row_axes(what: str, ax: Any, n_rows: int) -> Any:
    """Axes for rows, without a line at their left."""
    ax = axes.make_axes(what, ax, (6.0, _HEIGHT * max(n_rows, 1) + 1.3))
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax


def _zero_line(ax: Any) -> None:
    ax.axvline(0, color=axes.GREY, linestyle=axes.REFERENCE_DASHES, linewidth=1.1, zorder=1)


# --------------------------------------------------------------------------- groups


def draw_groups(picture: Picture, ax: Any = None) -> Any:
    """Draw groups by their value, the first on top, and the value of all rows as a line."""
    points = picture.points
    ax = _row_axes("Evaluation.plot", ax, len(points))
    places = np.arange(len(points))
    bounds = [p.low for p in points], [p.high for p in points]
    if points:
        axes.draw_dots(ax, places, [p.value for p in points], bounds)
    if picture.overall is not None:
        ax.axvline(picture.overall, color=axes.GREY, linestyle="--", linewidth=1, zorder=0)
        ax.annotate(
            "all rows",
            (picture.overall, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            color=axes.GREY,
            fontsize="small",
        )
    axes.name_rows(ax, places, [f"{p.name} (n = {p.n_rows})" for p in points])
    ax.set_ylim(len(points) - 0.4, -0.6)
    ax.set_xlabel(f"{picture.metric}, {100 * picture.level:g}% intervals")
    axes.fit_text(ax)
    return ax


# --------------------------------------------------------------------------- slices


def draw_slices(table: Any, ax: Any = None) -> Any:
    """Draw by how much a metric of each slice differs from that of the other rows."""
    rows = list(table._as_rows())
    ax = _row_axes("WeakSlices.plot", ax, len(rows))
    places = range(len(rows))
    if rows:
        bounds = [row["low"] for row in rows], [row["high"] for row in rows]
        values = [row["difference"] for row in rows]
        axes.draw_dots(ax, places, values, bounds, color=axes.COLOURS[1])
    else:
        text = "no slice is significantly worse"
        ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center")
    _zero_line(ax)
    axes.name_rows(ax, places, [f"{row['slice']} ({row['n_rows']})" for row in rows])
    ax.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    level = f"{100 * (1 - table.alpha):g}% simultaneous intervals"
    ax.set_xlabel(f"{table.metric} minus that of the other rows ({level})")
    axes.fit_text(ax)
    return ax


# --------------------------------------------------------------------------- many models


def draw_models(result: Any, ax: Any = None) -> Any:
    """Draw models by value, or by their difference from a control."""
    n_rows = len(result.rows if result.control is not None else result.values)
    ax = _row_axes("ManyComparisons.plot", ax, n_rows)
    (_draw_values if result.control is None else _draw_differences)(result, ax)
    axes.fit_text(ax)
    return ax


def _draw_values(result: Any, ax: Any) -> None:
    """Draw a dot for each model, and a line over models of which no two differ significantly."""
    values = result.values
    names = sorted(values, key=lambda name: (np.isnan(values[name]), values[name]))
    means = [values[name] for name in names]
    ax.plot(means, range(len(names)), "o", color=axes.COLOURS[0], zorder=3)
    axes.name_rows(ax, range(len(names)), names)
    joined = not_different(names, result.rows, 1 - result.confidence_level)
    for place, (first, last) in enumerate(joined):
        height = len(names) - 1 + _STEP * (place + 1.5)
        ax.plot([means[first], means[last]], [height] * 2, color=axes.GREY, linewidth=3)
        for k in (first, last):
            thin = {"color": axes.GREY, "linewidth": 0.7, "linestyle": ":", "zorder": 1}
            ax.plot([means[k]] * 2, [k, height], **thin)
    ax.set_xlabel(f"{result.metric}; a line joins models without a significant difference")


def not_different(
    names: Sequence[Any], rows: Sequence[Mapping[str, Any]], level: float
) -> list[tuple[int, int]]:
    """First and last of the longest runs of models of which no two differ significantly."""
    differ = {frozenset((row["first"], row["second"])) for row in rows if row["p_value"] <= level}
    runs: list[tuple[int, int]] = []
    for first in range(len(names)):
        last = first
        while last + 1 < len(names) and not any(
            frozenset((names[k], names[last + 1])) in differ for k in range(first, last + 1)
        ):
            last += 1
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def _draw_differences(result: Any, ax: Any) -> None:
    """Draw the difference of each model from the control; significant ones in colour."""
    for place, row in enumerate(result.rows):
        differs = row["p_value"] <= 1 - result.confidence_level
        colour = axes.COLOURS[0] if differs else axes.GREY
        bounds = [row["low"]], [row["high"]]
        axes.draw_dots(ax, [place], [row["difference"]], bounds, color=colour)
    _zero_line(ax)
    axes.name_rows(ax, range(len(result.rows)), [row["first"] for row in result.rows])
    ax.invert_yaxis()  # the first on top
    level = f"{100 * result.confidence_level:g}% simultaneous intervals"
    ax.set_xlabel(f"{result.metric} minus that of {result.control} ({level})")


# --------------------------------------------------------------------------- search


def draw_candidates(report: Any, ax: Any = None, parameter: str | None = None) -> Any:
    """Draw the candidates of a search: along a parameter, or from the best to the worst."""
    name = parameter or _only_parameter(report)
    if name is None:
        return _in_order(report, ax)
    return _along(report, ax, name, _numbers(report, name))


def _only_parameter(report: Any) -> str | None:
    """The parameter by which the candidates differ, if it is one and holds numbers."""
    keys = {key for row in report.rows for key in row["params"]}
    varied = [key for key in keys if len({repr(row["params"].get(key)) for row in report.rows}) > 1]
    if len(varied) != 1 or len(report.rows) < 3:
        return None
    try:
        _numbers(report, varied[0])
    except InvalidParameterError:
        return None
    return varied[0]


def _numbers(report: Any, name: str) -> Array:
    """The values of a parameter."""
    if any(name not in row["params"] for row in report.rows):
        names = sorted({key for row in report.rows for key in row["params"]})
        raise InvalidParameterError(f"parameter must be one of {names}, got {name!r}.")
    values = [row["params"][name] for row in report.rows]
    if not all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in values):
        raise InvalidParameterError(
            f"parameter must name numbers, and the values of {name!r} are {values!r:.80}."
        )
    return np.array(values, dtype=np.float64)


def _draw_candidates(ax: Any, report: Any, order: Any, places: Array, *, across: bool) -> None:
    """Draw dots with intervals: candidates as good as the best in colour, the chosen as diamond."""
    rows = [report.rows[k] for k in order]
    names = ("mean", "low", "high")
    mean, low, high = (np.array([row[name] for row in rows], np.float64) for name in names)
    good = np.array([row["as_good"] for row in rows], dtype=bool)
    chosen = np.array([row["selected"] for row in rows], dtype=bool)
    looks = (
        (~good & ~chosen, axes.GREY, "o", "worse than the best"),
        (good & ~chosen, axes.COLOURS[0], "o", "not distinguishable from the best"),
        (chosen, axes.COLOURS[1], "D", "chosen"),
    )
    for which, colour, marker, label in looks:
        if which.any():
            look: Any = {"color": colour, "fmt": marker, "label": label, "across": across}
            axes.draw_dots(ax, places[which], mean[which], (low[which], high[which]), **look)


def _draw_corrected(ax: Any, report: Any, *, across: bool) -> None:
    """Draw the value corrected for selection as a line, and its interval as a band."""
    line, band = (ax.axvline, ax.axvspan) if across else (ax.axhline, ax.axhspan)
    best = report.best
    if np.isnan(best.value):
        return
    line(best.value, color=axes.COLOURS[2], linewidth=1.3, label="corrected for selection",
         zorder=1)  # fmt: skip
    if not np.isnan(best.low):
        band(best.low, best.high, color=axes.COLOURS[2], alpha=0.12, linewidth=0, zorder=0)


def _legend(ax: Any) -> None:
    """Draw a legend above the axes, in one column if a foreign figure has no room for two."""
    place = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}
    legend = ax.legend(**place, ncols=2, fontsize="small", frameon=False)
    too_wide = legend.get_window_extent().width > ax.get_window_extent().width
    if too_wide and not axes.is_own_figure(ax.figure.figure):
        legend = ax.legend(**place, fontsize="small", frameon=False)
    legend.set_gid(axes.BESIDE)


def _in_order(report: Any, ax: Any) -> Any:
    """Draw candidates from the best to the worst."""
    means = np.array([row["mean"] for row in report.rows])
    order = [k for k in np.argsort(-means, kind="stable") if np.isfinite(means[k])]
    size = (6.0, 0.28 * min(len(order), _MOST_NAMES) + 1.6)
    ax = axes.make_axes("SearchReport.plot", ax, size)
    places = np.arange(len(order), dtype=np.float64)
    _draw_corrected(ax, report, across=True)
    _draw_candidates(ax, report, order, places, across=True)
    ax.invert_yaxis()
    if len(order) <= _MOST_NAMES:
        axes.name_rows(ax, places, [report.rows[k]["label"] for k in order])
    else:
        ax.set_ylabel("candidates, the best first")
    ax.set_xlabel(report.metric)
    _legend(ax)
    axes.fit_text(ax)
    return ax


def _along(report: Any, ax: Any, name: str, values: Array) -> Any:
    """Draw candidates along a parameter; a line joins the best of each of its values."""
    ax = axes.make_axes("SearchReport.plot", ax, (6.0, 3.9))
    means = np.array([row["mean"] for row in report.rows], np.float64)
    order = np.argsort(values, kind="stable")
    order = order[np.isfinite(means[order])]
    places = values[order]
    _draw_corrected(ax, report, across=False)
    distinct = np.unique(places)
    tops = [means[order][places == value].max() for value in distinct]
    ax.plot(distinct, tops, color=axes.GREY, linewidth=1, zorder=1)
    _draw_candidates(ax, report, order, places, across=False)
    if distinct.min() > 0 and distinct.max() > _FAR * distinct.min():
        ax.set_xscale("log")
    ax.set(xlabel=name.rsplit("__", 1)[-1], ylabel=report.metric)
    _legend(ax)
    axes.fit_text(ax)
    return ax
