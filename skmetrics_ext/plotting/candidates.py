"""Candidates of a search: their values and intervals, and which are as good as the best."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import drawing, fitting
from skmetrics_ext.validation import InvalidParameterError

_MOST_LABELS = 30
_FAR = 20.0  # times the smallest value, from where on an axis is on a log scale
_WHAT = "SearchReport.plot"


def draw(report: Any, ax: Any = None, parameter: str | None = None) -> Any:
    """The picture of a `SearchReport`, on these axes or those of a new figure."""
    name = parameter or _only_parameter(report)
    if name is None:
        return _in_order(report, ax)
    return _along(report, ax, name, _numbers(report, name))


def _only_parameter(report: Any) -> str | None:
    """The parameter by which the candidates differ, where it is one of different numbers."""
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
        raise InvalidParameterError(f"The values of {name!r} are no numbers: {values!r:.80}.")
    return np.array(values, dtype=np.float64)


def _columns(report: Any, order: Any) -> tuple[Array, Array, Array, Array, Array]:
    rows = [report.rows[k] for k in order]
    mean, low, high = (
        np.array([row[name] for row in rows], np.float64) for name in ("mean", "low", "high")
    )
    low, high = np.where(np.isnan(low), mean, low), np.where(np.isnan(high), mean, high)
    good = np.array([row["as_good"] for row in rows], dtype=bool)
    chosen = np.array([row["selected"] for row in rows], dtype=bool)
    return mean, low, high, good, chosen


def _dots(ax: Any, place: Array, columns: tuple[Array, ...], *, across: bool) -> None:
    """Dots with intervals: the set in colour, the others grey, the chosen one as a diamond."""
    mean, low, high, good, chosen = columns
    looks = (
        (~good & ~chosen, drawing.GREY, "o", "worse than the best"),
        (good & ~chosen, drawing.COLOURS[0], "o", "cannot be told from the best"),
        (chosen, drawing.COLOURS[1], "D", "chosen"),
    )
    for which, colour, marker, label in looks:
        if not which.any():
            continue
        away = np.maximum([mean[which] - low[which], high[which] - mean[which]], 0.0)
        x, y = (mean[which], place[which]) if across else (place[which], mean[which])
        error = {"xerr": away} if across else {"yerr": away}
        ax.errorbar(
            x, y, **error, fmt=marker, color=colour, markersize=5, linewidth=1.5, label=label
        )


def _corrected(ax: Any, report: Any, *, across: bool) -> None:
    """The corrected value as a line, its interval as a band."""
    line, band = (ax.axvline, ax.axvspan) if across else (ax.axhline, ax.axhspan)
    best = report.best
    if np.isnan(best.value):
        return
    line(best.value, color=drawing.COLOURS[2], linewidth=1.3, label="corrected", zorder=1)
    if not np.isnan(best.low):
        band(best.low, best.high, color=drawing.COLOURS[2], alpha=0.12, linewidth=0, zorder=0)


def _legend(ax: Any) -> None:
    """Above the axes, where it hides nothing; wider than they are in figures of ours alone."""
    place = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}
    legend = ax.legend(**place, ncols=2, fontsize="small", frameon=False)
    too_wide = legend.get_window_extent().width > ax.get_window_extent().width
    if too_wide and not fitting.is_own(ax.figure.figure):
        legend = ax.legend(**place, fontsize="small", frameon=False)
    legend.set_gid(fitting.BESIDE)


def _in_order(report: Any, ax: Any) -> Any:
    """Candidates from the best to the worst."""
    means = np.array([row["mean"] for row in report.rows])
    order = [k for k in np.argsort(-means, kind="stable") if np.isfinite(means[k])]
    shown = min(len(order), _MOST_LABELS)
    ax = drawing.make_axes(_WHAT, ax, (6.0, 0.28 * shown + 1.6))
    place = np.arange(len(order), dtype=np.float64)
    _corrected(ax, report, across=True)
    _dots(ax, place, _columns(report, order), across=True)
    ax.invert_yaxis()
    if len(order) <= _MOST_LABELS:
        fitting.name_rows(ax, place, [report.rows[k]["label"] for k in order])
    else:
        ax.set_ylabel("candidates, the best first")
    ax.set_xlabel(report.metric)
    _legend(ax)
    fitting.settle(ax)
    return ax


def _along(report: Any, ax: Any, name: str, values: Array) -> Any:
    """Candidates along a parameter; a line joins the best of each of its values."""
    ax = drawing.make_axes(_WHAT, ax, (6.0, 3.9))
    order = np.argsort(values, kind="stable")
    columns = _columns(report, order)
    known = np.isfinite(columns[0])
    order, kept = order[known], tuple(column[known] for column in columns)
    place = values[order]
    _corrected(ax, report, across=False)
    distinct = np.unique(place)
    tops = [kept[0][place == one].max() for one in distinct]
    ax.plot(distinct, tops, color=drawing.GREY, linewidth=1, zorder=1)
    _dots(ax, place, kept, across=False)
    if distinct.min() > 0 and distinct.max() > _FAR * distinct.min():
        ax.set_xscale("log")
    ax.set(xlabel=name.rsplit("__", 1)[-1], ylabel=report.metric)
    _legend(ax)
    fitting.settle(ax)
    return ax
