"""Columns that options make: marks of answers, right or wrong, and labels at a threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from skmetrics_ext.backends.files import Files
from skmetrics_ext.cli.messages import log
from skmetrics_ext.datasets.files import refuse_missing, values_of
from skmetrics_ext.numeric import Array

RIGHT = "right"  # name of the column that holds what every mark is compared with
# Columns that tell questions apart, as evaluation harnesses write them; the first that repeats.
_QUESTIONS = ("doc_hash", "doc_id", "question_id", "id", "sample_id")
_MOST_SHOWN = 6


def mark_columns(texts: Sequence[str], header: Sequence[str]) -> dict[str, tuple[str, str | None]]:
    """Column of each text ``COLUMN`` or ``COLUMN=VALUE``, and the value that means right."""
    marks: dict[str, tuple[str, str | None]] = {}
    for text in texts:
        column, sign, value = text.rpartition("=")
        marks[text] = (column, value) if sign and text not in header else (text, None)
    return marks


def with_marks(files: Files, marks: Mapping[str, tuple[str, str | None]]) -> Files:
    """Files in memory, with a column of booleans for each mark, and one that is always true."""
    columns = {
        text: _is_right(column, value, _values(files, column))
        for text, (column, value) in marks.items()
    }
    return _with_columns(files, {**columns, RIGHT: np.ones(files.n_rows or 0, dtype=bool)})


def with_labels_at(
    files: Files, threshold: float, scores: Sequence[str], classes: Sequence[Any], positive: Any
) -> tuple[Files, dict[str, str]]:
    """Files in memory with the labels at a threshold, and the column of those of each score."""
    if len(classes) != 2 or positive is None or not scores:
        raise ValueError("--threshold is for --score of two classes, of which one is --positive.")
    labels = np.array([next(label for label in classes if label != positive), positive])
    names = {name: f"{name} >= {threshold:g}" for name in scores}
    at_least = {name: (_values(files, name) >= threshold).astype(int) for name in scores}
    return _with_columns(files, {names[name]: labels[at_least[name]] for name in scores}), names


def _values(files: Files, name: str) -> Array:
    refuse_missing(files, name, "column")
    return values_of(files.reader((name,)).read_all()[name])


def _with_columns(files: Files, columns: Mapping[str, Array]) -> Files:
    """Files in memory with further columns."""
    import pyarrow

    held, first, types = [], 0, dict(files.types)
    for batch, place in files.held or ():
        arrays = dict(zip(batch.schema.names, batch.columns, strict=True))
        for name, values in columns.items():
            arrays[name] = pyarrow.array(values[first : first + batch.num_rows])
            types[name] = arrays[name].type
        held.append((pyarrow.RecordBatch.from_pydict(arrays), place))
        first += batch.num_rows
    return replace(files, held=tuple(held), types=types)


def _is_right(name: str, right: str | None, values: Array) -> Array:
    """Which marks mean that the answer is right."""
    found, codes, n_rows = np.unique(values, return_inverse=True, return_counts=True)
    marks = found.tolist()
    if right is None:
        if set(marks) <= {0, 1}:
            return np.asarray(values == 1)
        shown = ", ".join(repr(mark) for mark in marks[:_MOST_SHOWN])
        shown += ", ..." * (len(marks) > _MOST_SHOWN)
        raise ValueError(
            f"--right {name}: the column holds {shown}, and which of them means right is open: "
            f"pass --right {name}={marks[0]}, or another value."
        )
    is_right = np.array([right == str(mark) or _number(right) == mark for mark in marks])
    if not is_right.any():
        raise ValueError(f"--right {name}={right}: no row holds it, but {marks[:_MOST_SHOWN]}.")
    if len(marks) > 2:
        wrong = [f"{marks[i]!r} ({n_rows[i]})" for i in np.flatnonzero(~is_right)[:_MOST_SHOWN]]
        log(f"{name}: counted as wrong, with the number of rows: {', '.join(wrong)}")
    return np.asarray(is_right[codes])


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def question_columns(header: Sequence[str]) -> list[str]:
    """Columns that may tell questions apart."""
    return [name for name in _QUESTIONS if name in header]


def tries_of(files: Files, candidates: Sequence[str], groups: str | None) -> tuple[str | None, str]:
    """The column whose values repeat, as rows are tries of its questions, and a text that says so.

    Groups that were asked for remain.
    """
    for name in candidates:
        column = files.reader((name,)).read_all()[name]
        n_questions = len(column.unique())
        if not column.null_count and 1 < n_questions < len(column):
            return name, f", tries of {n_questions} questions ({name})"
    return groups, ""
