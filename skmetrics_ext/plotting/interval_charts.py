"""Dots with intervals: tables of estimates, models, slices and candidates of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from skmetrics_ext.inference.estimate_rows import shown_metric
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import axes
from skmetrics_ext.validation import InvalidParameterError

_HEIGHT = 0.42  # inches of a row
_STEP = 0.35  # distance, in rows, between lines that join models
_MOST_NAMES, _MOST_TICKS = 30, 5
_WIDE = 20.0  # ratio of largest to smallest value above which an axis is logarithmic
_IDENTITY = ("model", "group", "fold", "label")


# --------------------------------------------------------------------------- tables of estimates


def draw_rows(
    ax: Any, names: Sequence[str], dots: Sequence[Any], label: str, value_of_line: Any
) -> Any:
    """Draw a dot (value, low, high, colour) for each name, from the top, and a vertical line."""
    for colour in dict.fromkeys(dot[-1] for dot in dots):
        places = [place for place, dot in enumerate(dots) if dot[-1] == colour]
        values, low, high, _ = zip(*(dots[place] for place in places), strict=True)
        axes.draw_dots(ax, places, values, (low, high), color=colour)
    if value_of_line is not None:
        ax.axvline(value_of_line, **axes.REFERENCE)
    axes.name_rows(ax, names)
    ax.locator_params(axis="x", nbins=_MOST_TICKS)
    ax.set_xlabel(label)
    axes.fit_text(ax)
    return ax


def draw_estimate(estimate: Any, ax: Any = None) -> Any:
    """Draw a dot with its interval, and for a difference a line at 0."""
    facts = estimate.facts
    metric, n = ("", None) if facts is None else (axes.title_of(facts.metric), facts.n)
    counted = "" if n is None else f" (n = {n:,.10g})"
    is_difference = estimate.alternative is not None
    name = f"{metric}{counted}".strip() or "value"
    if is_difference and estimate.value_a == estimate.value_a:
        name = f"{estimate.value_a:.3f} against {estimate.value_b:.3f}{counted}"
    ends = estimate.value, estimate.low, estimate.high
    kind = "Log ratio" if "log_ratio" in estimate.method else "Difference"
    label = f"{kind} in {metric}" if is_difference else metric
    ax = axes.make_axes("Estimate.plot", ax, (6.0, 1.5))
    label = f"{label}, {100 * estimate.confidence_level:g} % interval"
    return draw_rows(ax, [name], [(*ends, axes.COLOURS[0])], label, 0 if is_difference else None)


def draw_band(band: Any, ax: Any = None) -> Any:
    """Draw a curve with its band."""
    ax = axes.make_axes("CurveBand.plot", ax)
    order = np.argsort(band.at)
    at, value, low, high = (x[order] for x in (band.at, band.value, band.low, band.high))
    colour = axes.COLOURS[axes.n_curves(ax) % len(axes.COLOURS)]
    level = f"{100 * band.confidence_level:g} % {band.band} band"
    ax.plot(at, value, color=colour, gid=axes.CURVE, label=axes.title_of(band.metric))
    ax.fill_between(at, low, high, color=colour, alpha=0.2, linewidth=0, label=level)
    ax.set(xlabel=band.along.capitalize(), ylabel=axes.title_of(band.metric))
    axes.draw_legend(ax, "best")
    axes.fit_text(ax)
    return ax


def draw_estimates(table: Any, ax: Any = None) -> Any:
    """Draw a panel for each metric; differences have a line at 0, and are coloured if it is out."""
    panels: dict[str, list[Any]] = {}
    for row in table.for_people():
        panels.setdefault(str(row["metric"]), []).append(row)
    most = max(map(len, panels.values()), default=1)
    count = max(len(panels), 1)
    size = (5.0 * min(count, axes.PER_ROW) + 1.0, _HEIGHT * most + 1.3)
    given = ax if ax is None or count > 1 else [ax]
    grid = axes.make_panels("Estimates.plot", given, size, count, f"{count} axes")
    for panel, (metric, rows) in zip(grid, panels.items(), strict=False):
        panel.spines[["top", "right"]].set_visible(False)
        _draw_metric(panel, table, metric, rows)
    return grid[0] if count == 1 else grid


def _draw_metric(ax: Any, table: Any, metric: str, rows: Sequence[Any]) -> None:
    whole = [row for row in rows if row["group"] is None and table._by]
    shown = [row for row in rows if row not in whole and row["value"] == row["value"]]
    varying = [key for key in _IDENTITY if len({str(row[key]) for row in shown}) > 1]
    are_differences = any(row["against"] is not None for row in shown)
    one = len({str(row["against"]) for row in shown}) == 1
    names = [_name(table, row, varying or ["model"], one=one) for row in shown]
    dots = [(*_ends(row), _colour(row)) for row in shown]
    line = 0 if are_differences else whole[0]["value"] if whole else None
    kind = "simultaneous intervals" if set(table.adjusted) - {"holm"} else "intervals"
    level = f"{100 * table.confidence_level:g} % {kind}"
    title = axes.title_of(metric)
    if are_differences:
        title = f"{title} minus {_reference(shown[0])}" if one else f"{title} difference"
    draw_rows(ax, names, dots, f"{title}, {level}", line)


def _ends(row: Any) -> tuple[float, float, float]:
    """The value and its bounds, also of a table that was asked for without intervals."""
    asked = row.estimate if row["low"] != row["low"] else None
    low, high = (row["low"], row["high"]) if asked is None else (asked.low, asked.high)
    return row["value"], low, high


def _reference(row: Any) -> str:
    return {"rest": "that of the other rows", "overall": "that of all rows"}.get(
        row["against"], f"that of {row['against']}"
    )


def _name(table: Any, row: Any, keys: Sequence[str], *, one: bool) -> str:
    """What the row is of, and how many rows it has."""
    parts = []
    for key in keys:
        of_group = key == "group" and table._by is not None
        parts.append(table._by.label_of(row[key]) if of_group else str(row[key]))
    counted = "" if row.get("n_rows") is None else f" (n = {row['n_rows']:,.10g})"
    against = "" if one or row["against"] is None else f" − {row['against']}"
    return ", ".join(parts) + against + counted


def _colour(row: Mapping[str, Any]) -> str:
    """Grey for a difference whose interval, or adjusted p-value, has nothing to show."""
    is_unclear = row["against"] is not None and row["low"] <= 0 <= row["high"]
    return str(axes.GREY if is_unclear else axes.COLOURS[0])


# --------------------------------------------------------------------------- slices


def draw_slices(table: Any, ax: Any = None) -> Any:
    """Draw the difference in a metric between each slice and the other rows."""
    rows = list(table._as_rows())
    names = [f"{row['slice']} (n = {row['n_rows']:,})" for row in rows]
    dots = [(row["value"], row["low"], row["high"], axes.COLOURS[1]) for row in rows]
    level = f"{100 * (1 - table.alpha):g} % simultaneous intervals"
    label = f"{axes.title_of(table.metric)} minus that of the other rows, {level}"
    ax = axes.make_axes("WeakSlices.plot", ax, (6.0, _HEIGHT * max(len(names), 1) + 1.3))
    draw_rows(ax, names, dots, label, 0)
    if not rows:
        text = "no slice is significantly worse"
        ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center")
    axes.fit_text(ax)
    return ax


# --------------------------------------------------------------------------- many models


def draw_leaderboard(result: Any, ax: Any = None) -> Any:
    """Draw the models by rank with their intervals, those that may be the best in colour."""
    colours = {True: axes.COLOURS[0], False: axes.GREY}
    dots = [(row.value, row.low, row.high, colours[row.in_best_set]) for row in result.rows]
    names = [f"{row.model} (rank {row.rank_low} to {row.rank_high})" for row in result.rows]
    metric = axes.title_of(result.metric)
    label = f"{metric}, {100 * result.confidence_level:g} % simultaneous intervals"
    ax = axes.make_axes("Leaderboard.plot", ax, (6.0, _HEIGHT * max(len(names), 1) + 1.3))
    return draw_rows(ax, names, dots, label, None)


def draw_ranks(result: Any, ax: Any = None) -> Any:
    """Draw Demsar's (2006) critical-difference diagram, the best mean rank on top.

    Models that do not differ are joined by a line.
    """
    ranks = dict(zip(result.names, result.average_ranks.tolist(), strict=True))
    names = sorted(ranks, key=lambda name: -ranks[name])
    means = [ranks[name] for name in names]
    ax = axes.make_axes("NemenyiResult.plot", ax, (6.0, _HEIGHT * len(names) + 1.3))
    ax.plot(means, range(len(names)), "o", color=axes.COLOURS[0], zorder=3)
    axes.name_rows(ax, [str(name) for name in names], from_top=False)
    thin = axes.REFERENCE | {"linewidth": 0.7, "linestyle": ":"}
    runs = not_different(names, result._as_rows(), result.alpha)
    heights = len(names) - 1 + _STEP * (np.arange(len(runs)) + 1.5)
    for height, ends in zip(heights.tolist(), runs, strict=True):
        ax.plot([means[k] for k in ends], [height] * 2, color=axes.GREY, linewidth=3)
        for k in ends:
            ax.plot([means[k]] * 2, [k, height], **thin)
    length, height = result.critical_difference, -_STEP * 2
    ax.plot([means[-1], means[-1] + length], [height] * 2, "|-", color=axes.COLOURS[1])
    place: Any = {"xytext": (0, 3), "textcoords": "offset points", "ha": "center"}
    ax.annotate(f"CD = {length:.3g}", (means[-1] + length / 2, height), fontsize="small", **place)
    ax.set_xlabel("mean rank, 1 the best; a line joins models within the critical difference")
    axes.fit_text(ax)
    return ax


def not_different(
    names: Sequence[Any], rows: Sequence[Mapping[str, Any]], level: float
) -> list[tuple[int, int]]:
    """First and last model of each longest run in which no two differ significantly."""
    differ = {
        frozenset((row["model"], row["against"])) for row in rows if row["p_adjusted"] <= level
    }
    alike = np.array([[frozenset((a, b)) not in differ for b in names] for a in names])
    runs: list[tuple[int, int]] = []
    for first, _ in enumerate(names):
        ends = range(first + 1, len(names) + 1)
        last = max(end for end in ends if alike[first:end, first:end].all()) - 1
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


# --------------------------------------------------------------------------- search


def draw_candidates(report: Any, ax: Any = None, parameter: str | None = None) -> Any:
    """Draw the candidates of a search along a parameter, or from the best to the worst."""
    name = parameter or _only_parameter(report)
    title, sign = shown_metric(report.metric)
    means = sign * np.array([row["mean"] for row in report.rows], np.float64)
    by_rank = name is None
    places = -sign * means if name is None else _numbers(report, name)
    order = [k for k in np.argsort(places, kind="stable") if np.isfinite(means[k])]
    places, means = np.arange(len(order)) if by_rank else places[order], means[order]
    height = 0.28 * min(len(order), _MOST_NAMES) + 1.6 if by_rank else 3.9
    ax = axes.make_axes("SearchReport.plot", ax, (6.0, height))
    _draw_candidates(ax, report, order, places, sign, across=by_rank)
    if name is not None:
        distinct = np.unique(places)
        tops = [sign * (sign * means[places == value]).max() for value in distinct]
        ax.plot(distinct, tops, color=axes.GREY, linewidth=1, zorder=1)
        if distinct.min() > 0 and distinct.max() > _WIDE * distinct.min():
            ax.set_xscale("log")
        ax.set(xlabel=name.rsplit("__", 1)[-1], ylabel=title)
    elif len(order) <= _MOST_NAMES:
        axes.name_rows(ax, [report.rows[k]["label"] for k in order])
        ax.set_xlabel(title)
    else:
        ax.invert_yaxis()
        ax.set(xlabel=title, ylabel="candidates, the best first")
    _draw_legend(ax)
    axes.fit_text(ax)
    return ax


def _only_parameter(report: Any) -> str | None:
    """The parameter in which candidates differ, if it is a single one with numbers."""
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
            f"parameter must have numbers as values, {name!r} has {values!r:.80}."
        )
    return np.array(values, dtype=np.float64)


def _draw_candidates(
    ax: Any, report: Any, order: Any, places: Array, sign: int, *, across: bool
) -> None:
    """Draw candidates: in colour if not distinguishable from the best, the chosen as a diamond.

    The line and the band are the best value, corrected for selection, and its interval; ``sign``
    makes losses positive.
    """
    line, band = (ax.axvline, ax.axvspan) if across else (ax.axhline, ax.axhspan)
    best = report.best
    if not np.isnan(best.value):
        look: dict[str, Any] = {"label": "corrected for selection", "linewidth": 1.3, "zorder": 1}
        line(sign * best.value, color=axes.COLOURS[2], **look)
    if not np.isnan([best.value, best.low]).any():
        look = {"alpha": 0.12, "linewidth": 0, "zorder": 0}
        band(sign * best.low, sign * best.high, color=axes.COLOURS[2], **look)
    rows = [report.rows[k] for k in order]
    names = ("mean", *("low", "high")[::sign])
    mean, low, high = (sign * np.array([row[name] for row in rows], np.float64) for name in names)
    good, chosen = (np.array([row[k] for row in rows], dtype=bool) for k in ("as_good", "selected"))
    looks = (
        (~good & ~chosen, axes.GREY, "o", "worse than the best"),
        (good & ~chosen, axes.COLOURS[0], "o", "not distinguishable from the best"),
        (chosen, axes.COLOURS[1], "D", "chosen"),
    )
    for which, colour, marker, label in looks:
        if which.any():
            look = {"color": colour, "fmt": marker, "label": label, "across": across}
            axes.draw_dots(ax, places[which], mean[which], (low[which], high[which]), **look)


def _draw_legend(ax: Any) -> None:
    """Draw a legend above the axes, in one column if a given figure is too narrow for two."""
    place = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}
    legend = ax.legend(**place, ncols=2, fontsize="small", frameon=False)
    too_wide = legend.get_window_extent().width > ax.get_window_extent().width
    if too_wide and not axes.is_own_figure(ax.figure.figure):
        legend = ax.legend(**place, fontsize="small", frameon=False)
    legend.set_gid(axes.OUTSIDE)
