"""Batches of a stream: checked as the functions check all rows, and saved as sums.

Classes are settled once. Files hold the sums as plain values, which are checked when read back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

import numpy as np

from skmetrics_ext.inference.draws.readers import errors_naming
from skmetrics_ext.merged.columns import Partition, rows_by_group
from skmetrics_ext.merged.layout import Layout, find_metrics, make_layout
from skmetrics_ext.merged.sums import Sums, bins_of, checked_view, sum_rows
from skmetrics_ext.numeric import Array
from skmetrics_ext.plain_files import check_content
from skmetrics_ext.registry import Metric, find
from skmetrics_ext.tallies import ConfusionTally, MomentTally, RankTally
from skmetrics_ext.tallies.bins import BinTally
from skmetrics_ext.tallies.score_sketch import check_edges, coarse_tally, edges_of_cells
from skmetrics_ext.validation import (
    InvalidParameterError,
    Labels,
    Probabilities,
    Scores,
)
from skmetrics_ext.validation.containers import Column
from skmetrics_ext.validation.encoding import Order
from skmetrics_ext.validation.errors import spoken
from skmetrics_ext.validation.labels import read_labels, read_target
from skmetrics_ext.validation.positive import usual_pair
from skmetrics_ext.validation.rows import check_total, read_rows
from skmetrics_ext.validation.scores import check_mergeable, score_values

Edges = tuple[Array, ...] | None  # bins of each ranked column; None if scores are not binned
_STATE = ("pair", "is_text", "is_weighted", "weight", "n_rows", "n_batches")
_ROUNDING = 1e-9  # of sums of float weights in another order


@dataclass(frozen=True, eq=False, slots=True)
class StreamState:
    """State of a stream between two batches; reading a batch returns a new state.

    Parameters
    ----------
    metrics : tuple of Metric
    labels : ndarray or None
        The classes, if the user listed them.
    pos_label : object
        The positive class, if the user named it.
    layout : Layout or None
        The classes of the columns of scores; None before the first batch.
    pair : list or None
        The two classes, if the batches and not the user have settled them.
    is_text, is_weighted : bool or None
        Whether labels are text, and rows have weights; None before the first batch.
    weight : float
        Sum of the weights so far, if they are integers.
    n_rows, n_batches : int
    """

    metrics: tuple[Metric, ...]
    labels: Array | None
    pos_label: Any
    layout: Layout | None = None
    pair: list[Any] | None = None
    is_text: bool | None = None
    is_weighted: bool | None = None
    weight: float = 0.0
    n_rows: int = 0
    n_batches: int = 0

    def read(
        self, columns: dict[str, Any], sample_weight: Any
    ) -> tuple[Partition | None, StreamState]:
        """Validate a batch; return its rows, None if all are masked, and the new state.

        ``columns`` holds ``y_true`` and the responses: ``y_score``, ``y_pred``, or both.
        """
        with errors_naming(f"Batch {self.n_batches}"):
            return self._read(columns, sample_weight)

    def _read(
        self, columns: dict[str, Any], sample_weight: Any
    ) -> tuple[Partition | None, StreamState]:
        is_weighted = sample_weight is not None
        if self.is_weighted not in (None, is_weighted):
            raise InvalidParameterError("sample_weight must be given for every batch, or for none.")
        unmasked, weight = read_rows(sample_weight, True, True, **columns)
        if not len(unmasked[0]):
            return None, self
        read = {column.name: column for column in unmasked}
        true, score, pred = read["y_true"], read.get("y_score"), read.get("y_pred")
        total = self.weight
        if weight is not None and weight.dtype.kind == "i":
            total += float(weight.sum())
            check_total(total, "sample_weight of all batches")
        pair, eps, pred_codes = self.pair, 0.0, None
        ordered: Order = False
        matrix = np.empty((len(true), 0))
        if score is None:
            layout = self.layout or self.layout_of(None, 0)
        else:
            classes, layout, pair = self._settle(true, score)
            labels, codes, matrix, eps = self._scores(true, score, classes, layout)
        if pred is not None:
            checked = Labels.check(true, pred).single_label("a stream")
            labels, codes, pred_codes = checked.classes, checked.true, checked.pred
            ordered = checked.ordered
        is_text = self._check_text(labels)
        rows = labels, codes, pred_codes, matrix, weight
        part = Partition(*rows, eps=eps, checked=True, ordered=ordered)
        _check_edges(part, layout)
        return part, replace(
            self,
            layout=layout,
            pair=pair,
            is_text=is_text,
            is_weighted=is_weighted,
            weight=total,
            n_rows=self.n_rows + part.n_rows,
            n_batches=self.n_batches + 1,
        )

    def _settle(self, true: Column, score: Column) -> tuple[Any, Layout, list[Any] | None]:
        """The classes of scores, the layout, and the two classes if they are certain."""
        n_columns = 1 if score.values.ndim == 1 else score.values.shape[1]
        if self.labels is None and n_columns > 1:
            raise InvalidParameterError(
                "Scores of several classes need labels=, the class of each column, because a batch "
                "may not contain all of them."
            )
        layout, classes, pair = self.layout, self.labels, self.pair
        if layout is not None and layout.n_columns != n_columns:
            raise InvalidParameterError(
                f"y_score has {n_columns} columns, and had {layout.n_columns} before."
            )
        if classes is None and pair is not None:
            classes = np.array(pair)
        elif classes is None:  # further rows may decide
            likely, is_certain = usual_pair(read_target(true).classes.tolist(), self.pos_label)
            layout, classes, pair = None, np.array(likely), likely if is_certain else None
        return classes, layout or self.layout_of(classes, n_columns), pair

    def layout_of(self, classes: Array | None, n_columns: int) -> Layout:
        """The layout of columns of scores; without them, only all rows show the classes."""
        if not n_columns:
            return Layout(self.metrics, np.empty(0), None, 0)
        return make_layout(self.metrics, classes, self.labels, self.pos_label, n_columns)

    def _scores(
        self, true: Column, score: Column, classes: Any, layout: Layout
    ) -> tuple[Array, Array, Array, float]:
        """Classes, codes, scores as a matrix, and the spacing of their dtype."""
        checked: Probabilities | Scores
        check_mergeable(score)
        eps = 0.0
        if not layout.reads_probabilities:
            checked = Scores.check(true, score, labels=classes, pos_label=self.pos_label)
            if checked.true.ndim > 1:
                raise InvalidParameterError("y_true must hold one label a row, not indicators.")
            values = checked.score if layout.n_columns != 2 else score_values(score)
            if values.dtype == np.int64:
                raise InvalidParameterError(
                    "y_score holds integers beyond 2**53, which are not distinct as floats."
                )
        elif layout.n_columns == 1:
            checked = Probabilities.check_binary(
                true, score, labels=classes, pos_label=self.pos_label
            )
            values, eps = checked.proba, checked.eps
        else:
            checked = Probabilities.check(true, score, labels=classes, strict=True)
            values, eps = checked.proba, checked.eps
        matrix = np.asarray(values, dtype=np.float64).reshape(len(values), -1)
        return checked.classes, checked.true, matrix, eps

    def _check_text(self, labels: Array) -> bool:
        is_text = _is_text(labels)
        expected = self.is_text if self.labels is None else _is_text(self.labels)
        if expected not in (None, is_text):
            earlier = "in earlier batches" if self.labels is None else "in labels="
            raise InvalidParameterError(
                f"The labels are {'text' if is_text else 'numbers'}, {labels[:5].tolist()}, but "
                f"{'text' if expected else 'numbers'} {earlier}."
            )
        return is_text

    def final_layout(self, classes: Array) -> Layout:
        """The layout once all rows are there, of which these are the classes."""
        assert self.layout is not None
        if self.layout.n_columns:
            return self.layout
        return make_layout(self.metrics, classes, self.labels, self.pos_label, 0)

    @property
    def question(self) -> tuple[Any, ...]:
        """Metrics and classes, which must be equal in streams that merge."""
        metrics = [
            (metric.name, metric.function, {k: _as_list(v) for k, v in metric.params.items()})
            for metric in self.metrics
        ]
        return metrics, None if self.labels is None else self.labels.tolist(), self.pos_label

    def merge(self, other: StreamState) -> StreamState:
        """The state after the batches of two streams."""
        if self.question != other.question:
            raise InvalidParameterError("Only accumulators of the same metrics and labels merge.")
        if self.layout is None or other.layout is None:
            return self if other.layout is None else other
        if self.is_weighted != other.is_weighted:
            raise InvalidParameterError("Either all accumulators have weights or none.")
        if self.is_text != other.is_text:
            raise InvalidParameterError("The labels of one accumulator are text, of another not.")
        if None not in (self.pair, other.pair) and self.pair != other.pair:
            raise InvalidParameterError(
                f"The accumulators have seen different classes, {self.pair} and {other.pair}: "
                "pass labels= to each."
            )
        if self.layout.n_columns != other.layout.n_columns:
            raise InvalidParameterError(
                f"y_score of the accumulators has {self.layout.n_columns} and "
                f"{other.layout.n_columns} columns."
            )
        check_total(self.weight + other.weight, "sample_weight of all accumulators")
        certain = self if self.pair is not None else other
        return replace(
            certain,
            weight=self.weight + other.weight,
            n_rows=self.n_rows + other.n_rows,
            n_batches=self.n_batches + other.n_batches,
        )


def _check_edges(part: Partition, layout: Layout) -> None:
    """Reject probabilities outside the edges of the bins."""
    for metric in layout.of_kind("bins"):
        if not isinstance(metric.options["n_bins"], int):
            for _, rows in rows_by_group(part, layout):
                bins_of(metric, checked_view(metric, rows, layout))


def _as_list(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _is_text(labels: Array) -> bool:
    return labels.dtype.kind in "UOT"


# --------------------------------------------------------------------------- files


@dataclass(frozen=True, eq=False, slots=True)
class StreamSums:
    """All that is kept of the rows of a stream.

    Parameters
    ----------
    state : StreamState
        After a batch at least.
    sums : Sums
        Sums over rows in any order, without groups.
    ranks : list of RankTally
        The tally of each ranked column of scores.
    edges : tuple of ndarray or None
        Bins of these columns, if their scores are the lower edges of bins.
    """

    state: StreamState
    sums: Sums
    ranks: list[RankTally]
    edges: Edges

    def in_bins(self, edges: Edges) -> StreamSums:
        """The same sums with the scores in these bins, if there are any."""
        if edges is None:
            return self
        ranks = list(map(coarse_tally, self.ranks, edges))
        return replace(self, ranks=ranks, edges=edges)

    # ----------------------------------------------------------------------- plain values

    def content(self) -> Any:
        """Mappings, arrays, numbers and text."""
        state, sums = self.state, self.sums
        assert state.layout is not None
        metrics = [
            {"name": metric.name, "metric": metric.spec.name, "params": dict(metric.params)}
            for metric in state.metrics
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
            "bins": {name: [*map(_parts_of, tallies)] for (_, name), tallies in sums.bins.items()},
            "ranks": [_parts_of(tally) for tally in self.ranks],
            "edges": self.edges,
        }

    @classmethod
    def of_content(cls, content: Any) -> Self:
        """Invert `content`, and check that the parts are sums of the same rows."""
        metrics = find_metrics([_metric(**parts) for parts in content["metrics"]])
        labels = None if content["labels"] is None else read_labels(content["labels"])
        fields_of_state = dict(content["state"])
        check_content(set(fields_of_state) == set(_STATE), f"its state has to hold {_STATE}")
        state = StreamState(metrics, labels, content["pos_label"], **fields_of_state)
        n_columns = int(content["n_columns"])
        classes = read_labels(content["classes"]) if n_columns and labels is None else labels
        state = replace(state, layout=state.layout_of(classes, n_columns))
        sums = Sums({None: ConfusionTally(**content["table"])}, {None: state.n_rows})
        for name, parts in content["moments"].items():
            sums.moments[None, name] = MomentTally(**parts)
        for name, listed in content["bins"].items():
            sums.bins[None, name] = tuple(BinTally(**parts) for parts in listed)
        ranks, edges = [RankTally(**parts) for parts in content["ranks"]], content["edges"]
        if edges is not None:
            edges = tuple(map(check_edges, edges))
        stream = cls(state, sums, ranks, edges)
        stream._check()
        return stream

    def _check(self) -> None:
        """Reject parts that are not sums of the same rows."""
        state, sums, layout = self.state, self.sums, self.state.layout
        assert layout is not None
        counts = state.n_rows, state.n_batches
        check_content(all(isinstance(n, int) and n > 0 for n in counts), "it has no rows")
        table = sums.tables[None].table
        check_content(table.ndim == 2, "its confusion table does not fit")
        weight, n_rows = table.sum(), state.n_rows
        is_counted = state.is_weighted or weight == n_rows
        check_content(bool(is_counted), f"its confusion table does not hold {n_rows} rows")
        _check_like(sums, _one_row(layout) if weight else Sums(), weight)
        ranked = layout.ranked if layout.of_kind("ranks") else []
        check_content(len(self.ranks) == len(ranked), "its rankings do not fit")
        masses = sums.masses(None, layout.classes)
        for tally in self.ranks:
            same = _equal(tally.mass.sum(axis=-1), masses)
            check_content(same, "its rankings do not hold the rows of its table")
        if self.edges is not None:
            for tally, bounds in zip(self.ranks, self.edges, strict=True):
                is_coarse = np.isin(tally.thresholds, bounds[:-1]).all()
                check_content(bool(is_coarse), "its scores are no edges of its bins")

    # ----------------------------------------------------------------------- what a file reveals

    def without_small_cells(self, least: int) -> StreamSums:
        """Join bins with cells of fewer than ``least`` rows; reject other sums with such cells."""
        cell = spoken("min_cell=")
        if self.state.is_weighted:
            raise InvalidParameterError(
                f"{cell} counts rows, and sums of weighted rows do not show how many: leave out "
                f"{cell}, or the weights."
            )
        table = self.sums.tables[None]
        cells = {
            f"true {true!r} predicted {pred!r}": int(table.table[i, j])
            for i, true in enumerate(table.classes.tolist())
            for j, pred in enumerate(table.classes.tolist())
        }
        for (_, name), bins in self.sums.bins.items():
            for tally in bins:
                counts = np.concatenate([tally.positive, tally.weight - tally.positive]).tolist()
                cells |= {f"cell {k} of the bins of {name}": n for k, n in enumerate(counts)}
        few = [f"{name} ({n:g})" for name, n in cells.items() if 0 < n < least]
        if few:
            raise InvalidParameterError(
                f"Cells with fewer than {cell}{least} rows: {', '.join(few[:3])}. Leave out the "
                "metrics that read them, or share the sums of more rows."
            )
        if self.edges is None and self.ranks:
            raise InvalidParameterError(
                f"{cell} joins neighbouring bins of scores: pass {spoken('bins=')} too, the same "
                "at all sites."
            )
        coarse = [
            edges_of_cells(tally, bounds, least)
            for tally, bounds in zip(self.ranks, self.edges or (), strict=True)
        ]
        return self.in_bins(tuple(coarse) or None)


def _parts_of(tally: Any) -> dict[str, Any]:
    return {part.name: getattr(tally, part.name) for part in fields(tally)}


def _metric(name: str, metric: str, params: Mapping[str, Any]) -> Metric:
    return replace(find(str(metric), params), name=str(name), params=dict(params))


def _one_row(layout: Layout) -> Sums:
    """Sums of one row of the first class, which have the shapes of all sums."""
    score = np.full((1, layout.n_columns), 1 / max(layout.n_columns, 2))
    first = np.zeros(1, dtype=np.int64)
    part = Partition(layout.classes, first, None, score, None, checked=True)
    return sum_rows(part, layout, ranked=False)[0]


def _check_like(sums: Sums, template: Sums, weight: Any) -> None:
    """Reject moments and bins that differ in shape from a template, or have another weight."""
    same = sums.moments.keys() == template.moments.keys()
    same &= sums.bins.keys() == template.bins.keys()
    check_content(same, "its sums are not those of its metrics")
    for key, tally in sums.moments.items():
        like = template.moments[key]
        same = tally.mean.shape == like.mean.shape and _equal(tally.weight, weight)
        same &= (tally.third is None) == (like.third is None)
        check_content(same, f"the moments of {key[1]} do not fit")
    for key, bins in sums.bins.items():
        for binned, expected in zip(bins, template.bins[key], strict=True):
            parts = {name: part for name, part in asdict(binned).items() if part is not None}
            same = np.array_equal(parts.pop("edges"), expected.edges)
            same &= {np.shape(part) for part in parts.values()} == {expected.weight.shape}
            same &= _equal(binned.weight.sum(), weight)
            check_content(same, f"bins of {key[1]} do not fit")


def _equal(sums: Any, others: Any) -> bool:
    """Whether sums are equal up to rounding."""
    return np.shape(sums) == np.shape(others) and np.allclose(sums, others, rtol=_ROUNDING, atol=0)
