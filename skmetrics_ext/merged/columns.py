"""Columns of one part of a data set, read into codes, scores and weights.

Errors name the column, the row and the part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.merged.layout import Layout
from skmetrics_ext.numeric import Array, row_sums
from skmetrics_ext.slices.coding import read_present
from skmetrics_ext.slices.group_columns import NO_GROUPS, GroupColumns
from skmetrics_ext.validation import InvalidParameterError, Labels
from skmetrics_ext.validation.containers import EXACT, Column, marked_missing, read_column
from skmetrics_ext.validation.encoding import Order, encode, encode_columns, find_labels, order_of
from skmetrics_ext.validation.errors import spoken
from skmetrics_ext.validation.labels import response_name
from skmetrics_ext.validation.probabilities import RANGE_TOLERANCE
from skmetrics_ext.validation.rows import check_total
from skmetrics_ext.validation.scores import SUM_TOLERANCE, check_mergeable
from skmetrics_ext.validation.targets import kind_of, label_values

MOST_LABELS = 10_000


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """Names of the columns."""

    true: str
    score: tuple[str, ...] = ()
    pred: str | None = None
    weight: str | None = None
    by: GroupColumns = NO_GROUPS
    clusters: str | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns of true and predicted labels."""
        return (self.true,) if self.pred is None else (self.true, self.pred)

    @property
    def all(self) -> tuple[str, ...]:
        """The names of all columns, each once."""
        known = (self.true, self.pred, *self.score, self.weight, self.clusters)
        wanted = (*self.by.columns, *known)
        return tuple(dict.fromkeys(name for name in wanted if name is not None))


@dataclass(frozen=True, slots=True)
class RowLocation:
    """Position of a part of a data set.

    Parameters
    ----------
    part : str
        Name of the file or partition.
    first_row : int
        Number of its first row, from 0.
    kept : ndarray or None
        Its rows that were not left out; None for all.
    counted_from : int
        Number of the first row in messages: 1 in files.
    line_of : callable or None
        Line of a row in a text file; it returns None if counting would take long.
    number : int
        Number of the partition, which seeds the sample.
    """

    part: str = ""
    first_row: int = 0
    kept: Array | None = None
    counted_from: int = 0
    line_of: Callable[[int], int | None] | None = None
    number: int = 0

    def of(self, row: int) -> str:
        """The position of a row, for messages."""
        number = self.first_row + (row if self.kept is None else int(self.kept[row]))
        line = None if self.line_of is None else self.line_of(number)
        where = f"row {number + self.counted_from}" if line is None else f"line {line}"
        return f"{where}{f' of {self.part}' if self.part else ''}"


@dataclass(frozen=True, eq=False, slots=True)
class Partition:
    """Columns of one part, with labels and groups as codes into the values of this part.

    ``pred``, ``weight`` (int64 or float64) and ``group`` may be None. ``score`` is (n, K), for two
    classes perhaps (n, 1), the column of the positive class; (n, 0) without scores. Scores that are
    ``checked`` need no further validation. ``names`` and ``place`` are for errors about the others;
    ``ordered`` is the declared order of the labels.
    """

    labels: Array
    true: Array
    pred: Array | None
    score: Array
    weight: Array | None
    groups: Sequence[Any] = (None,)
    group: Array | None = None
    eps: float = 0.0
    checked: bool = False
    names: ColumnNames = ColumnNames("y_true")
    place: RowLocation = RowLocation()
    ordered: Order = False

    @property
    def n_rows(self) -> int:
        return len(self.true)

    @property
    def rankings(self) -> Array:
        """The scores to rank: a row for each class, or only for the positive one of two."""
        return self.score.T[-1:] if self.score.shape[1] == 2 else self.score.T

    def as_labels(self) -> Labels:
        """True and predicted labels; without predicted ones, the true ones twice."""
        pred = self.true if self.pred is None else self.pred
        kind = kind_of(self.labels)
        return Labels(kind, self.labels, self.true, pred, self.weight, self.ordered)

    def scored_rows(self, rows: Array | slice) -> Partition:
        """Classes, scores and weights of some rows."""
        weight = None if self.weight is None else self.weight[rows]
        return replace(
            self, true=self.true[rows], pred=None, score=self.score[rows], weight=weight, group=None
        )

    def copied(self) -> Partition:
        """The rows in arrays of their own, as codes may be labels that the caller overwrites."""
        columns: dict[str, Any] = {
            name: np.copy(column)
            for name in ("true", "pred", "score", "weight")
            if (column := getattr(self, name)) is not None
        }
        return replace(self, **columns)

    @property
    def n_bytes(self) -> int:
        columns = (self.true, self.pred, self.score, self.weight, self.group)
        return sum(column.nbytes for column in columns if column is not None)


def part_of(view: Any, groups: Sequence[Any], group: Array | None) -> Partition:
    """Rows of checked scores or probabilities in groups."""
    score = getattr(view, response_name(view))
    score = score if score.dtype.kind == "i" else score.astype(np.float64, copy=False)
    rows = view.true, None, score.reshape(len(score), -1), view.weight, groups, group
    eps, ordered = getattr(view, "eps", 0.0), view.cache.get("ordered", False)
    return Partition(view.classes, *rows, eps, checked=True, ordered=ordered)


def join_parts(parts: Sequence[Partition]) -> Partition:
    """Concatenate parts; all or none have groups."""
    if len(parts) == 1:
        return parts[0]
    labels = parts[0].labels
    groups = list(dict.fromkeys(group for part in parts for group in part.groups))
    codes = numbers = None
    if not all(np.array_equal(part.labels, labels) for part in parts[1:]):
        labels, codes = encode(*(part.labels for part in parts))
    if len(groups) > 1:
        number = {group: i for i, group in enumerate(groups)}
        numbers = [np.array([number[group] for group in part.groups]) for part in parts]

    def joined(columns: Sequence[Any], new_codes: Sequence[Array] | None = None) -> Any:
        if columns[0] is None:
            return None
        if new_codes is not None:
            columns = [new[codes] for new, codes in zip(new_codes, columns, strict=True)]
        return np.concatenate(columns)

    return replace(
        parts[0],
        labels=labels,
        true=joined([part.true for part in parts], codes),
        pred=joined([part.pred for part in parts], codes),
        score=joined([part.score for part in parts]),
        weight=joined([part.weight for part in parts]),
        groups=groups,
        group=joined([part.group for part in parts], numbers),
        place=RowLocation(),
        ordered=order_of(labels, [part.ordered for part in parts]),
    )


def read_part(data: Any, names: ColumnNames, place: RowLocation) -> Partition:
    """Read the columns of a data frame, a record batch, or a dict of arrays."""
    read = [read_value_column(data, name, place) for name in names.labels]
    labels, codes = encode_labels(read, place.part)
    groups, group = names.by.groups_of(
        {name: read_group_column(data, name) for name in names.by.columns}
    )
    score, eps = np.empty((len(codes[0]), 0)), 0.0
    if names.score:
        score, eps = _scores(data, names, place)
    weight = None if names.weight is None else _weights(data, names.weight, place)
    pred = codes[1] if len(codes) > 1 else None
    rows = labels, codes[0], pred, score, weight, groups, group
    ordered = order_of(labels, [column.order for column in read])
    return Partition(*rows, eps, names=names, place=place, ordered=ordered)


def encode_labels(columns: Iterable[Column], part: str = "") -> tuple[Array, list[Array]]:
    """Classes that occur in columns of labels, and the codes of each column."""
    pairs = [(column, _labels(column)) for column in columns]
    labels, codes = encode_columns(*pairs)
    if len(labels) > MOST_LABELS:
        raise InvalidParameterError(
            f"{' and '.join(repr(column.name) for column, _ in pairs)}: {len(labels)} distinct "
            f"values in {part or 'one part'} are too many for labels of classes, of which there "
            f"may be {MOST_LABELS}."
        )
    return labels, codes


def _labels(column: Column) -> Array:
    values, kind = label_values(column)
    if kind not in ("binary", "multiclass"):
        raise InvalidParameterError(
            f"Column {column.name!r} must hold labels of classes, one per row; it is {kind}."
        )
    words = np.asarray(values if column.categories is None else column.categories)
    if words.dtype.kind == "O" and any("\x00" in word for word in words if isinstance(word, str)):
        # NumPy drops trailing NUL bytes, which would merge two classes.
        raise InvalidParameterError(f"Column {column.name!r} holds text with a NUL byte.")
    return np.asarray(values)


def _column_of(data: Any, name: str) -> Any:
    return data[name] if not hasattr(data, "column") else data.column(name)


def read_group_column(data: Any, name: str) -> tuple[Column, Array, int]:
    """The rows of a column that have a group, their positions, and the number of all rows."""
    return read_present(_column_of(data, name), name)


def read_value_column(data: Any, name: str, place: RowLocation) -> Column:
    column = _column_of(data, name)
    missing = marked_missing(column)
    if missing.any():
        where = place.of(int(np.argmax(missing)))
        raise InvalidParameterError(
            f"Column {name!r} has a missing value in {where}; {spoken('drop or fill such rows')}."
        )
    read = read_column(column, name)
    values = read.values
    if values.dtype.kind == "f" and not kernels.all_finite(values):
        row = int(np.argmin(np.isfinite(values)))
        raise _refused(name, values[row], row, place)
    return read


def _refused(
    name: str, value: Any, row: int, place: RowLocation, why: str = ""
) -> InvalidParameterError:
    return InvalidParameterError(f"Column {name!r} holds {value} in {place.of(row)}{why}.")


def _scores(data: Any, names: ColumnNames, place: RowLocation) -> tuple[Array, float]:
    read = [read_value_column(data, name, place) for name in names.score]
    for column in read:
        _check_numbers(column, "scores")
        check_mergeable(column)
        if column.values.dtype.kind in "iu":
            inexact = (column.values > EXACT) | (column.values < -EXACT)
            if inexact.any():
                row = int(np.argmax(inexact))
                why = ": integers beyond 2**53 are not distinct as floats"
                raise _refused(column.name, column.values[row], row, place, why)
    dtype = np.result_type(*(column.values for column in read))
    eps = float(np.finfo(np.float32 if dtype in (np.float16, np.float32) else np.float64).eps)
    values = [column.values.astype(np.float64, copy=False) for column in read]
    return values[0][:, None] if len(values) == 1 else np.column_stack(values), eps


def _check_numbers(column: Column, kind: str) -> None:
    categories, dtype = column.categories, column.values.dtype
    if categories is None and dtype.kind in "fiub":
        return
    content = f"dtype {dtype}"
    if categories is not None:
        content = f"labels like {categories[0]!r}" if len(categories) else "labels"
    raise InvalidParameterError(f"Column {column.name!r} must hold {kind}, got {content}.")


def _weights(data: Any, name: str, place: RowLocation) -> Array:
    column = read_value_column(data, name, place)
    _check_numbers(column, "weights")
    values = column.values
    if len(values) and values.min() < 0:
        row = int(np.argmax(values < 0))
        raise _refused(name, f"the negative weight {values[row]}", row, place)
    if values.dtype.kind == "f":
        return values.astype(np.float64, copy=False)
    check_total(float(values.sum(dtype=np.float64)), f"Column {name!r}")
    return values.astype(np.int64, copy=False)


def rows_by_group(part: Partition, layout: Layout) -> Iterator[tuple[Any, Partition]]:
    """Rows with scores and non-zero weight, by group; coded as by `in_layout`."""
    if not part.score.size:
        return
    coded = in_layout(part, layout)
    kept = None if part.weight is None or part.weight.all() else part.weight != 0
    for group, rows in each_group(part.groups, part.group, kept):
        yield group, coded.scored_rows(rows)


def in_layout(part: Partition, layout: Layout) -> Partition:
    """Checked rows with codes into the classes of the layout, and scores in that order."""
    if not part.checked:
        part = check_scores(part, layout)
    is_coded = np.array_equal(part.labels, layout.classes[: len(part.labels)])
    return replace(
        part,
        labels=layout.classes,
        true=part.true if is_coded else find_labels(part.labels, layout.classes)[part.true],
        pred=None,
        score=part.score[:, ::-1] if layout.positive_first else part.score,
    )


def check_scores(part: Partition, layout: Layout) -> Partition:
    """Reject rows of other classes than those of the layout, or without proper probabilities."""
    score, names, place = part.score, part.names, part.place
    unknown = find_labels(part.labels, layout.classes) < 0
    if unknown.any() and unknown[part.true].any():
        why = f", which is none of the classes {layout.classes.tolist()}"
        row = int(np.argmax(unknown[part.true]))
        raise _refused(names.true, repr(part.labels.tolist()[part.true[row]]), row, place, why)
    if layout.reads_probabilities:
        score = _probabilities(score, names, place)
    if layout.reads_probabilities or layout.n_columns == 2:
        _check_sums(score, names, place)
    return replace(part, score=score, checked=True)


def group_counts(groups: Sequence[Any], group: Array) -> dict[Any, int]:
    """Number of rows of each group, of which each row has the number."""
    counts = np.bincount(group, minlength=len(groups)).tolist()
    return dict(zip(groups, counts, strict=True))


def each_group(
    groups: Sequence[Any], group: Array | None, kept: Array | None = None
) -> Iterator[tuple[Any, Any]]:
    """The groups that occur, and the indices of the rows of each, among those ``kept``."""
    if group is None:
        if kept is None:
            yield None, slice(None)
        elif kept.any():
            yield None, np.flatnonzero(kept)
        return
    narrow = group.astype(np.min_scalar_type(len(groups)))  # sorted by radix
    order = np.argsort(narrow, kind="stable")
    if kept is not None:
        order = order[kept[order]]
    n_rows = np.bincount(narrow if kept is None else narrow[kept], minlength=len(groups))
    for name, rows in zip(groups, np.split(order, n_rows.cumsum()[:-1]), strict=True):
        if len(rows):
            yield name, rows


def _probabilities(score: Array, names: ColumnNames, place: RowLocation) -> Array:
    low, high = kernels.value_range(score)
    if low < -RANGE_TOLERANCE or high > 1 + RANGE_TOLERANCE:
        row, column = divmod(int(np.argmax(np.abs(score - 0.5))), score.shape[1])
        why = ", which is not a probability"
        raise _refused(names.score[column], score[row, column], row, place, why)
    return score if low >= 0 and high <= 1 else np.clip(score, 0.0, 1.0)


def _check_sums(score: Array, names: ColumnNames, place: RowLocation) -> None:
    """Reject rows whose probabilities do not sum to 1."""
    if score.shape[1] == 1:
        return
    is_off = np.abs(row_sums(score) - 1) > SUM_TOLERANCE
    if is_off.any():
        row = int(np.argmax(is_off))
        raise InvalidParameterError(
            f"The probabilities {', '.join(names.score)} sum to {score[row].sum():.6g} in "
            f"{place.of(row)}, not to 1."
        )
