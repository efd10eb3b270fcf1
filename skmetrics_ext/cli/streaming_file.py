"""The metrics of a file of predictions that need not fit in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from skmetrics_ext.backends import evaluate
from skmetrics_ext.backends.datasets import open_engine, source_of
from skmetrics_ext.backends.evaluation import read_bytes
from skmetrics_ext.cli.scoring_file import (
    chosen_positive,
    columns_of_classes,
    fitting_scorers,
    tell_positive,
)
from skmetrics_ext.merged.asked import Asked
from skmetrics_ext.merged.columns import Names
from skmetrics_ext.validation import InvalidParameterError

LARGE = 1 << 30  # bytes of a file beyond which its rows are not read at once
_SUM = 1e-6  # as probabilities of the rows in memory are told


def is_large(path: str) -> bool:
    """Whether a file is streamed unasked."""
    return Path(path).is_file() and Path(path).stat().st_size > LARGE


def stream_rows(
    path: str,
    true: str,
    scores: Sequence[str],
    pred: str | None,
    weight: str | None,
    by: str | None,
    *,
    positive: Any = None,
    confidence_level: float = 0.95,
    memory_limit: str = "1GiB",
    progress: bool = True,
) -> list[dict[str, Any]]:
    """What `score_rows` gives, by `evaluate`: metrics without a value say why."""
    classes = _classes(path, Names(true, (), pred, weight, by), memory_limit)
    tell_positive(classes, positive)
    common: dict[str, Any] = {
        "true": true,
        "weight": weight,
        "intervals": True,
        "confidence_level": confidence_level,
        "memory_limit": memory_limit,
        "progress": progress,
    }
    rows = []
    for of, methods, options in _models(path, scores, pred, classes, positive):
        asked, refused = _asked(methods, classes, positive)
        for group in dict.fromkeys((None, by)):
            found = evaluate(path, metrics=asked, by=group, **common, **options)
            sizes = {row.group: row.n_rows for row in found}
            rows += [_row(row, of) for row in found]
            rows += [
                _unread(name, why, of, value, n)
                for value, n in sizes.items()
                for name, why in refused.items()
            ]
    return rows


def _classes(path: str, names: Names, memory_limit: str) -> list[Any]:
    """The labels that occur, true or predicted."""
    opened = open_engine(path, names, "auto", read_bytes(memory_limit))
    try:
        tables = opened.survey(False).sums.tables.values()
    finally:
        opened.close()
    found = np.unique(np.concatenate([table.classes for table in tables] or [np.zeros(0)]))
    if not len(found):
        raise ValueError(f"{path!r} has no rows with weight.")
    return list(found.tolist())


Model = tuple[str, set[str], dict[str, Any]]


def _models(
    path: str, scores: Sequence[str], pred: str | None, classes: list[Any], positive: Any
) -> Iterable[Model]:
    """Name, responses and columns of what is scored, as `models_of` tells them."""
    if scores and len(classes) == 2:
        chosen = chosen_positive(classes, positive)
        for column in scores:
            yield column, _responses(path, [column]), {"score": column, "pos_label": chosen}
    elif scores:
        columns = columns_of_classes(tuple(scores), classes)
        yield ", ".join(scores), _responses(path, columns), {"score": columns, "labels": classes}
    if pred is not None:
        options = {"pred": pred}
        if chosen_positive(classes, positive) is not None:
            options["pos_label"] = chosen_positive(classes, positive)
        yield pred, {"predict"}, options


def _responses(path: str, columns: list[str]) -> set[str]:
    """Probabilities, if the scores of every row are; the first row that is none decides."""
    source, _, _ = source_of(path)
    for batch in source.to_batches(columns=columns):
        values = np.column_stack([np.asarray(batch.column(c), dtype=float) for c in columns])
        sums = values.sum(axis=1) if len(columns) > 1 else np.ones(len(values))
        if len(values) and (values.min() < 0 or values.max() > 1 or np.abs(sums - 1).max() > _SUM):
            return {"decision_function"}
    return {"predict_proba"}


def _asked(
    methods: set[str], classes: list[Any], positive: Any
) -> tuple[dict[str, Asked], dict[str, str]]:
    """The metrics that are read from sums, and why others are not."""
    asked, refused = {}, {}
    for name, scorer in fitting_scorers(methods, classes, positive).items():
        params = {key: value for key, value in scorer._kwargs.items() if key != "pos_label"}
        try:
            one = Asked.find(partial(scorer._score_func, **params))
            _ = one.kind
        except InvalidParameterError as error:
            refused[name] = str(error)
            continue
        asked[name] = Asked(name, one.function, one.params)
    return asked, refused


def _row(row: Any, of: str) -> dict[str, Any]:
    return {
        "group": "all" if row.group is None else str(row.group),
        "of": of,
        "metric": row.metric,
        "value": row.value,
        "low": row.low,
        "high": row.high,
        "method": row.method or None,
        "n_rows": row.n_rows,
        "reason": row.reason or None,
    }


def _unread(name: str, why: str, of: str, group: Any, n_rows: int) -> dict[str, Any]:
    nan = float("nan")
    return {
        "group": "all" if group is None else str(group),
        "of": of,
        "metric": name,
        "value": nan,
        "low": nan,
        "high": nan,
        "method": None,
        "n_rows": n_rows,
        "reason": why,
    }
