"""Bands around curves of one set of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from skmetrics_ext.inference.bands import BANDS, CurveBand, curve_band
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting.lines import Line, quietly
from skmetrics_ext.plotting.scored import binary_problems
from skmetrics_ext.validation import Scores, check_option
from skmetrics_ext.validation.parameters import check_level


def check_band(band: Any) -> None:
    """One of the kinds of bands, or None."""
    check_option("curve_band", band, (*BANDS, None))


def banded(
    lines: tuple[Line, ...],
    rows: Scores,
    metric: Callable[..., Any],
    x: str,
    turn: Callable[[Array], Array],
    band: str,
    level: float,
    groups: Any,
) -> tuple[Line, ...]:
    """The lines of classes with columns ``low`` and ``high``; averages have none.

    ``metric`` is the ordinate, and ``x`` what ``turn`` makes of where it is read. Where few rows
    are beyond there is no band.
    """
    wanted = {line.curve for line in lines}
    about = {"band": band, "confidence_level": level, "groups": groups}
    found = {
        label: quietly(curve_band, metric, one, one, random_state=0, **about)
        for label, one in binary_problems(rows)
        if label in wanted
    }
    return tuple(
        replace(line, columns=_with_bounds(line, x, turn, found[line.curve]))
        if line.curve in found and not line.is_average
        else line
        for line in lines
    )


def _with_bounds(
    line: Line, x: str, turn: Callable[[Array], Array], found: CurveBand
) -> dict[str, Array]:
    places = turn(found.at)
    order = np.argsort(places)
    beyond = {"left": np.nan, "right": np.nan}
    ends = {
        name: np.interp(line.columns[x], places[order], getattr(found, name)[order], **beyond)
        for name in ("low", "high")
    }
    return {**line.columns, **ends}


def told_as(band: str, level: float) -> str:
    """What a legend says of a band."""
    return f"{100 * check_level(level):g}% {band} band"
