"""A table of lines as a picture: a value that is drawn by Matplotlib or on a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.curve_tables.lines import MEAN, Kind, Limits, LineTable, Reference, Write
from skmetrics_ext.formats import probability, with_interval
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.numeric import Array

_FEW = 4  # curves of points whose intervals do not hide each other
_COVERED = 0.9  # of the range of a curve: the legend says why a band covers less


class PictureLine(NamedTuple):
    """A curve, or the curve of a fold.

    Parameters
    ----------
    name : str
        Legend entry.
    numbers : sequence of str
        Numbers next to the name.
    x, y : ndarray of shape (n,)
    low, high : ndarray of shape (n,) or None
        A band; intervals of points.
    part : {"", "fold", "mean", "micro", "macro"}
        What it is if it is not a curve of rows: a fold, a mean over folds, an average of classes.
    place, colour, dashes : int
        Number of the curve, and of the colour and dashes by which it differs from others.
    model : str or None
        The model, if there are several.
    histogram : (ndarray, ndarray) or None
        Shares of the rows in bins below the axes, and the edges of the bins.
    """

    name: str
    numbers: Sequence[str]
    x: Array
    y: Array
    low: Array | None = None
    high: Array | None = None
    part: str = ""
    place: int = 0
    colour: int = 0
    dashes: int = 0
    model: str | None = None
    histogram: tuple[Array, Array] | None = None


class Picture(NamedTuple):
    """Lines over one abscissa, and what their legend says.

    Parameters
    ----------
    kind : Kind
        Gives the title, the size and the name of the abscissa.
    lines : sequence of PictureLine
        Lines of the folds come before their mean.
    shape : {"line", "steps", "points"}
        Whether ordinates hold back to the point before; points have an interval each.
    y_label : str
    references : sequence of Reference
    limits : pair of pairs, or None
        Limits of both axes, None where the lines decide; None for the unit square.
    heading, legend_at : str
        Title and place of the legend.
    band : str
        Name of the bands.
    difference : str
        The difference between two models.
    remarks : sequence of str
        Further entries of the legend.
    """

    kind: Kind
    lines: Sequence[PictureLine]
    shape: str
    y_label: str
    references: Sequence[Reference]
    limits: tuple[Limits, Limits] | None
    heading: str
    legend_at: str
    band: str
    difference: str
    remarks: Sequence[str]


def picture_of(
    table: LineTable,
    name: str | None = None,
    *,
    band: str | None = "auto",
    folds: bool = True,
    is_added: bool = False,
    write: Write | None = None,
) -> Picture:
    """The picture of a table of lines.

    Parameters
    ----------
    table : LineTable
    name : str or None
        Name of a single model.
    band : {"auto", "std", "interval"} or None
        Band around means over folds: one standard deviation of the folds, or the interval.
    folds : bool
        Whether to show the folds of a single curve.
    is_added : bool
        Whether there are other curves on the axes, so that the name stands in each entry.
    write : callable or None
        Writes a value and its estimate; by default with a star for a note.
    """
    kind, models, curves, last = table.kind, table.models, table.curves, table.lines[-1]
    n_curves = len({(line.model, line.curve) for line in table.lines})
    heading = "" if n_curves == 1 or is_added else name or ""
    is_grid = len(models) > 1 and len(curves) > 1  # a colour for each curve, dashes for each model
    shape = "steps" if kind.has_steps else "line"
    if getattr(last, "bins", None) is not None:
        shape = "points"
    label, lines = "", list[PictureLine]()
    for line in table.lines:
        is_fold = isinstance(line.fold, int)
        if is_fold and (n_curves > 1 or not folds):  # folds of several curves hide each other
            continue
        place = sum(drawn.part != "fold" for drawn in lines)
        look = (place, place)
        if is_grid:
            look = curves.index(line.curve), models.index(line.model)
        part = "fold" if is_fold else MEAN if line.fold == MEAN else ""
        if line.is_average and line.fold is None and len(models) == 1:
            part = line.curve
        low = high = None
        has_room = shape != "points" or n_curves <= _FEW
        if "low" in line.columns and band is not None and has_room and not is_fold:
            low, high, label = _bounds(table, line, band)
        entry = fold_label(table) if is_fold else _name(table, line, "" if heading else name)
        x, y = line.columns[kind.x], line.columns[kind.y]
        if shape == "points":
            kept = np.isfinite(x) & np.isfinite(y)
            x, y = x[kept], y[kept]
            if low is not None and high is not None:  # intervals of rates may leave out the rate
                low, high = np.fmin(low[kept], y), np.fmax(high[kept], y)
        numbers = [] if is_fold else kind.numbers(line, write or written)
        histogram = getattr(line, "histogram", None)
        if histogram is not None:
            histogram = histogram.weight / histogram.weight.sum(), histogram.edges
        about = (part, place, *look, line.model, histogram)
        lines.append(PictureLine(entry, numbers, x, y, low, high, *about))
    remarks = []
    if label and shape != "points" and any(_has_short_band(table, line) for line in table.lines):
        remarks.append("outside the band: too few rows")
    if table.notes:
        remarks.append("* has a note: display.notes")
    if table.positive is not None:
        remarks.append(f"positive class: {table.positive}")
    legend_at, difference = kind.legend_at, ""
    if table.comparison is not None:
        value_name = table.lines[0].value_name or kind.value_name
        of_class = "" if table.positive is not None else f", {kind.name_of_curve(curves[0])}"
        difference = difference_text(models, value_name + of_class, table.comparison)
    is_full = difference or (lines[-1].histogram and n_curves > 1)
    if is_full and legend_at != "lower right":
        legend_at = "outside"
    y_label, references = table.y_label or kind.y_label, [*kind.references(table)]
    limits = kind.limits(table, lines, references)
    axes = kind, lines, shape, y_label, references, limits
    return Picture(*axes, heading, legend_at, label, difference, remarks)


def _bounds(table: LineTable, line: Any, band: str) -> tuple[Array, Array, str]:
    """A band around a line, and its name."""
    columns, kind = line.columns, table.kind
    low, high, label = columns["low"], columns["high"], table.band
    if getattr(line, "bins", None) is not None:
        label = f"bars: {100 * line.bins.confidence_level:g} % interval of each bin"
    elif line.fold is not None and band != "interval":
        low = np.clip(columns[kind.y] - columns["std"], *kind.bounds)
        high = np.clip(columns[kind.y] + columns["std"], *kind.bounds)
        label = "± 1 standard deviation of the folds"
    elif line.fold is not None:
        label = "interval of the mean"
        if line.interval is not None:
            label = f"{100 * line.interval.confidence_level:g} % {label}"
    return low, high, label


def _has_short_band(table: LineTable, line: Any) -> bool:
    """Whether a band covers too little of the range in which its curve moves."""
    if line.fold is not None or "low" not in line.columns:
        return False
    x, y = line.columns[table.kind.x], line.columns[table.kind.y]
    moving = x[(y > np.nanmin(y)) & (y < np.nanmax(y))]
    covered = x[np.isfinite(line.columns["low"])]
    span = np.ptp(covered) if len(covered) else 0.0
    return len(moving) > 0 and bool(span < _COVERED * np.ptp(moving))


# --------------------------------------------------------------------------- names


def fold_label(table: LineTable) -> str:
    """Legend entry of the folds."""
    n_drawn = sum(isinstance(line.fold, int) for line in table.lines)
    if not table.undefined:
        return f"each of {n_drawn} folds"
    return f"each fold ({n_drawn} of {n_drawn + len(table.undefined)} defined)"


def _name(table: LineTable, line: Any, name: str | None) -> str:
    """Names of the model and of the curve, unless they are clear without."""
    parts = [part for part in (line.model, name) if part]
    is_unnamed = line.model is None and table.positive is None and line.curve is not None
    if line.n_rows is not None:
        parts[0] = f"{parts[0]}, n = {line.n_rows:,}"
    if len(table.curves) > 1 or is_unnamed:
        parts.append(table.kind.name_of_curve(line.curve))
    return ", ".join(parts) or "model"


def written(value: float, estimate: Estimate | None) -> str:
    """A number with its interval, and a star if that has a note."""
    if estimate is None:
        return with_interval(value, np.nan, np.nan)
    return with_interval(value, estimate.low, estimate.high) + "*" * bool(estimate.note)


def difference_text(models: Iterable[str], value_name: str, comparison: Estimate) -> str:
    """Legend entry for the difference between two models."""
    p_value = probability(comparison.p_value)
    p_value = f"p {p_value}" if p_value.startswith("<") else f"p = {p_value}"
    text = f"{value_name} {with_interval(*comparison)}, {p_value}{'*' * bool(comparison.note)}"
    return f"{' − '.join(models)}:\n{text}"
