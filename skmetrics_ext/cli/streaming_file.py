"""The metrics of a file of predictions that need not fit in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from skmetrics_ext.backends import evaluate
from skmetrics_ext.backends.datasets import open_engine, source_of
from skmetrics_ext.backends.evaluation import read_bytes
from skmetrics_ext.cli.scoring_file import (
    chosen_positive,
    columns_of_classes,
    settled_metrics,
    without_positive,
)
from skmetrics_ext.cli.words import say
from skmetrics_ext.merged.columns import Names

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
    say(without_positive(classes, positive, bool(scores)))
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
        metrics = settled_metrics(methods, classes, positive)
        # The positive class goes beside them, and is the same for all.
        asked = {name: metric.without("pos_label") for name, metric in metrics.items()}
        for group in dict.fromkeys((None, by)):
            rows += [
                _row(row, of)
                for row in evaluate(path, metrics=asked, by=group, **common, **options)
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
    chosen = chosen_positive(classes, positive)
    if scores and len(classes) == 2:
        for column in scores:
            yield column, _responses(path, [column]), {"score": column, "pos_label": chosen}
    elif scores:
        columns = columns_of_classes(tuple(scores), classes)
        yield ", ".join(scores), _responses(path, columns), {"score": columns, "labels": classes}
    if pred is not None:
        yield pred, {"predict"}, {"pred": pred, "pos_label": chosen}


def _responses(path: str, columns: list[str]) -> set[str]:
    """Probabilities, if the scores of every row are; the first row that is none decides."""
    source, _, _ = source_of(path)
    for batch in source.to_batches(columns=columns):
        values = np.column_stack([np.asarray(batch.column(c), dtype=float) for c in columns])
        sums = values.sum(axis=1) if len(columns) > 1 else np.ones(len(values))
        if len(values) and (values.min() < 0 or values.max() > 1 or np.abs(sums - 1).max() > _SUM):
            return {"decision_function"}
    return {"predict_proba"}


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
