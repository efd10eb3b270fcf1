"""Sums of a stream as plain values for a file, read back and checked; and what they reveal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np

from skmetrics_ext.merged.columns import Partition
from skmetrics_ext.merged.layout import Layout, find_metrics, make_layout
from skmetrics_ext.merged.stream import NAMES, PLACE, StreamState
from skmetrics_ext.merged.sums import Sums, sum_rows
from skmetrics_ext.numeric import Array
from skmetrics_ext.plain_files import check_content
from skmetrics_ext.registry import Metric, find
from skmetrics_ext.tallies import ConfusionTally, MomentTally, RankTally
from skmetrics_ext.tallies.bins import BinTally
from skmetrics_ext.tallies.score_sketch import check_edges, coarse_tally, edges_of_cells
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.labels import read_labels

Edges = tuple[Array, ...] | None  # of each ranked column of scores; None for scores as they are
_STATE = ("pair", "is_text", "is_weighted", "weight", "n_rows", "n_batches")
_ROUNDING = 1e-9  # of sums of float weights in another order


def content_of(state: StreamState, sums: Sums, ranks: Sequence[RankTally], edges: Edges) -> Any:
    """A stream that has rows, as mappings, arrays, numbers and text."""
    assert state.layout is not None
    metrics = [
        {"name": one.name, "metric": one.spec.name, "params": dict(one.params)}
        for one in state.asked
    ]
    return {
        "metrics": metrics,
        "labels": state.labels,
        "pos_label": state.pos_label,
        "classes": state.layout.classes,
        "n_columns": state.layout.n_columns,
        "state": {name: getattr(state, name) for name in _STATE},
        "table": _parts_of(sums.tables[None]),
        "moments": {name: _parts_of(tally) for (_, name), tally in sums.moments.items()},
        "bins": {name: [*map(_parts_of, own)] for (_, name), own in sums.bins.items()},
        "ranks": [_parts_of(tally) for tally in ranks],
        "edges": edges,
    }


def _parts_of(tally: Any) -> dict[str, Any]:
    return {part.name: getattr(tally, part.name) for part in fields(tally)}


def stream_of(content: Any) -> tuple[StreamState, Sums, list[RankTally], Edges]:
    """Invert `content_of`, and check that the parts are sums of the same rows."""
    asked = find_metrics([_metric(**parts) for parts in content["metrics"]])
    labels = None if content["labels"] is None else read_labels(content["labels"])
    n_columns, pos_label = int(content["n_columns"]), content["pos_label"]
    given = dict(content["state"])
    check_content(set(given) == set(_STATE), f"its state has to hold {_STATE}")
    layout = Layout(asked, np.zeros(0), None, 0)
    if n_columns:
        found = None if labels is not None else read_labels(content["classes"])
        layout = make_layout(asked, found, labels, pos_label, n_columns)
    state = StreamState(asked, labels, pos_label, layout, **given)
    counts = state.n_rows, state.n_batches
    check_content(all(isinstance(n, int) and n > 0 for n in counts), "it has no rows")
    sums = Sums()
    table = sums.tables[None] = ConfusionTally(**content["table"])
    sums.rows[None] = state.n_rows
    check_content(table.table.ndim == 2, "its confusion table does not fit")
    weight, n_rows = table.table.sum(), state.n_rows
    is_counted = state.is_weighted or weight == n_rows
    check_content(bool(is_counted), f"its confusion table does not hold {n_rows} rows")
    for name, parts in content["moments"].items():
        sums.moments[None, name] = MomentTally(**parts)
    for name, listed in content["bins"].items():
        sums.bins[None, name] = tuple(BinTally(**parts) for parts in listed)
    _check_like(sums, _one_row(layout), weight)
    ranks, edges = [RankTally(**parts) for parts in content["ranks"]], content["edges"]
    ranked = layout.ranked if layout.of_kind("ranks") else []
    check_content(len(ranks) == len(ranked), "its rankings do not fit")
    for tally in ranks:
        mass, masses = tally.mass.sum(axis=-1), sums.masses(None, layout.classes)
        check_content(_equal(mass, masses), "its rankings do not hold the rows of its table")
    if edges is not None:
        edges = tuple(map(check_edges, edges))
        for tally, own in zip(ranks, edges, strict=True):
            is_coarse = np.isin(tally.thresholds, own[:-1]).all()
            check_content(bool(is_coarse), "its scores are no edges of its bins")
    return state, sums, ranks, edges


def _metric(name: str, metric: str, params: Mapping[str, Any]) -> Metric:
    return replace(find(str(metric), params), name=str(name), params=dict(params))


def _one_row(layout: Layout) -> Sums:
    """Sums of one row of the first class, whose shapes are those of any rows."""
    score = None
    if layout.n_columns:
        score = np.full((1, layout.n_columns), 1 / max(layout.n_columns, 2))
    first = np.zeros(1, dtype=np.int64)
    part = Partition(layout.classes, first, None, score, None, (None,), None, checked=True)
    return sum_rows(part, layout, NAMES, PLACE)


def _check_like(sums: Sums, one: Sums, weight: Any) -> None:
    """Refuse moments and bins of other shapes, or of another weight, than the metrics read."""
    same = sums.moments.keys() == one.moments.keys() and sums.bins.keys() == one.bins.keys()
    check_content(same, "its sums are not those of its metrics")
    for key, tally in sums.moments.items():
        same = tally.mean.shape == one.moments[key].mean.shape and _equal(tally.weight, weight)
        same &= (tally.third is None) == (one.moments[key].third is None)
        check_content(same, f"the moments of {key[1]} do not fit")
    for key, bins in sums.bins.items():
        for own, like in zip(bins, one.bins[key], strict=True):
            shapes = {np.shape(part) for name, part in asdict(own).items() if part is not None
                      and name != "edges"}  # fmt: skip
            same = np.array_equal(own.edges, like.edges) and shapes == {like.weight.shape}
            check_content(same and _equal(own.weight.sum(), weight), f"bins of {key[1]} do not fit")


def _equal(sums: Any, others: Any) -> bool:
    """Whether sums are equal, of floats to rounding."""
    return np.shape(sums) == np.shape(others) and np.allclose(sums, others, rtol=_ROUNDING, atol=0)


# --------------------------------------------------------------------------- what a file reveals


def coarse_edges(
    state: StreamState, sums: Sums, ranks: Sequence[RankTally], edges: Edges, least: int | None
) -> Edges:
    """The bins in which no cell of a class has fewer than ``least`` rows; errors for the rest."""
    if least is None:
        return edges
    if state.is_weighted:
        raise InvalidParameterError(
            "min_cell= counts rows, and sums of weighted rows do not tell how many they are: leave "
            "it out, or the weights."
        )
    table = sums.tables[None]
    cells = {
        f"true {true!r} predicted {pred!r}": int(table.table[i, j])
        for i, true in enumerate(table.classes.tolist())
        for j, pred in enumerate(table.classes.tolist())
    }
    for (_, name), bins in sums.bins.items():
        for own in bins:
            counts = np.concatenate([own.positive, own.weight - own.positive]).tolist()
            cells |= {f"cell {k} of the bins of {name}": n for k, n in enumerate(counts)}
    few = [f"{name} ({n:g})" for name, n in cells.items() if 0 < n < least]
    if few:
        raise InvalidParameterError(
            f"Cells of fewer than min_cell={least} rows: {', '.join(few[:3])}. Leave out the "
            "metrics that read them, or share the sums of more rows."
        )
    if ranks and edges is None:
        raise InvalidParameterError(
            "min_cell= joins neighbouring bins of scores: pass bins= too, the same at every site."
        )
    if edges is None:
        return None
    pairs = zip(ranks, edges, strict=True)
    return tuple(edges_of_cells(coarse_tally(tally, own), own, least) for tally, own in pairs)
