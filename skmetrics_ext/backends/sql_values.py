"""Sums of values of rows by SQL, for metrics that are means of functions of probabilities.

A value is an expression of the columns ``c`` (code of the true class), ``p0``, ``p1``, ... (the
probabilities of the classes) and ``own`` (that of the true class).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from skmetrics_ext.merged.layout import Layout
from skmetrics_ext.metrics.probabilities import losses, scores
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import parameters_of
from skmetrics_ext.tallies.moments import MomentTally, moments_of_powers
from skmetrics_ext.validation.scores import SUM_TOLERANCE

_LOG_LOSS = "-ln(greatest(least(own, 1 - {eps!r}), {eps!r}))"
# The value of a row, by the function that measures it in memory.
_SQL: dict[Any, str] = {
    losses.log_losses: _LOG_LOSS,
    losses.brier_losses: "({squares}) / {halves}",
    scores.spherical_cosines: "own / sqrt({norm})",
    scores.log_losses_and_classes: _LOG_LOSS,
    scores.brier_losses_and_classes: "{squares}",
}
_WITH_CLASSES = (scores.log_losses_and_classes, scores.brier_losses_and_classes)
# By the name of a metric: SQL of its value, and further values that are equal within a class.
SQLValues = dict[str, tuple[str, Array]]


def sql_values(layout: Layout, eps: float) -> SQLValues | None:
    """The values of all metrics that are summed over rows; None if one of them has no SQL."""
    codes, values = range(len(layout.classes)), {}
    away = "(p{0} - CASE WHEN c = {0} THEN 1 ELSE 0 END)"
    squares = " + ".join(f"{away} * {away}".format(j) for j in codes)
    norm = " + ".join(f"p{j} * p{j}" for j in codes)
    for metric in layout.of_kind("moments", "bins"):
        measure: Any = metric.spec.row_values
        if measure not in _SQL or not metric.params.keys() <= {*parameters_of(measure)}:
            return None
        halves = 1 + losses.is_halved(len(codes), metric.row_params.get("scale_by_half", "auto"))
        sql = _SQL[measure].format(eps=eps, squares=squares, norm=norm, halves=halves)
        values[metric.name] = sql, np.eye(len(codes))[:, : len(codes) * (measure in _WITH_CLASSES)]
    return values or None


def query_of_moments(
    rows: str, columns: Sequence[str], values: SQLValues, by_group: bool, total: str | None
) -> str:
    """SQL of the sums of powers of values, for the rows of each group, and class if needed.

    ``total`` is the sum of the weights ``w`` of the rows ``rows``; None if they have none.
    """
    proba = [f"CASE WHEN {x} BETWEEN 0 AND 1 THEN {x}::DOUBLE END" for x in columns]
    proba = [f"1 - {proba[0]}", *proba] if len(proba) == 1 else proba
    listed = ", ".join(["*", *(f"{sql} AS p{k}" for k, sql in enumerate(proba))])
    own = " ".join(f"WHEN {k} THEN p{k}" for k in range(len(proba)))
    each = ", ".join(["*", *(f"{sql} AS x{i}" for i, (sql, _) in enumerate(values.values()))])
    keys = ["g"] * by_group + ["c"] * any(others.size for _, others in values.values())
    # A single column and its complement sum to 1 by themselves.
    is_one = f" AND abs({' + '.join(f'p{k}' for k in range(len(proba)))} - 1) < {SUM_TOLERANCE}"
    wanted = [key if key in keys else "0" for key in ("g", "c")]
    wanted += ["count(*)", f"count_if(own IS NOT NULL{is_one * (len(columns) > 1)})"]
    wanted += ["count(*)", "count(*)"] if total is None else ["count_if(w <> 0)", total]
    for i in range(len(values)):
        powers = [" * ".join(["w"] * (total is not None) + [f"x{i}"] * n) for n in (1, 2, 3, 4)]
        wanted += [f"kahan_sum({powers[0]})", *(f"sum({power})" for power in powers[1:])]
    group_by = f" GROUP BY {', '.join(keys)}" if keys else ""
    scored = f"SELECT *, CASE c {own} END AS own FROM (SELECT {listed} FROM ({rows}))"
    return f"SELECT {', '.join(wanted)} FROM (SELECT {each} FROM ({scored})){group_by}"


def read_moments(
    cells: Sequence[tuple[Any, ...]], values: SQLValues, groups: Sequence[Any]
) -> dict[tuple[Any, str], MomentTally] | None:
    """Moments by group and metric; None if they need the rows."""
    parts: dict[tuple[Any, str], list[MomentTally | None]] = {}
    for group, code, n_all, n_valid, n_rows, weight, *powers in cells:
        if n_valid < n_all:
            return None
        for i, (name, (_, others)) in enumerate(values.items() if n_rows else ()):
            sums = powers[4 * i : 4 * i + 4]
            tally = moments_of_powers(sums, weight, n_rows, others[code])
            parts.setdefault((groups[group], name), []).append(tally)
    if any(None in tallies for tallies in parts.values()):
        return None
    return {key: MomentTally.combine(filter(None, tallies)) for key, tallies in parts.items()}
