"""Forest plot: a dot with its interval for each row of a table of estimates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skmetrics_ext.plotting import axes

_HEIGHT = 0.42  # inches of a row
_IDENTITY = ("model", "group", "fold", "label")


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
    ax.set_xlabel(label)
    axes.fit_text(ax)
    return ax


def draw_estimates(table: Any, ax: Any = None) -> Any:
    """Draw a panel for each metric; differences have a line at 0, and are coloured if it is out."""
    panels: dict[str, list[Any]] = {}
    for row in table:
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
    level = f"{100 * table.confidence_level:g}% {kind}"
    reference = f" minus {_reference(shown[0])}" if are_differences and one else ""
    draw_rows(ax, names, dots, f"{metric}{reference}, {level}", line)


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
    counted = "" if row.get("n_rows") is None else f" (n = {row['n_rows']})"
    against = "" if one or row["against"] is None else f" - {row['against']}"
    return ", ".join(parts) + against + counted


def _colour(row: Mapping[str, Any]) -> str:
    """Grey for a difference whose interval, or adjusted p-value, has nothing to show."""
    is_unclear = row["against"] is not None and row["low"] <= 0 <= row["high"]
    return str(axes.GREY if is_unclear else axes.COLOURS[0])
