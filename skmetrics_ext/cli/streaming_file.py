"""The metrics of a file of predictions that need not fit in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from skmetrics_ext.backends import evaluate
from skmetrics_ext.backends.csv_files import PLAIN, TextForm
from skmetrics_ext.backends.datasets import open_engine
from skmetrics_ext.backends.evaluation import read_bytes
from skmetrics_ext.backends.files import Files, open_files
from skmetrics_ext.cli.scoring_file import (
    Asked,
    check_fit,
    chosen_positive,
    columns_of_classes,
    settled_metrics,
    without_positive,
)
from skmetrics_ext.cli.words import say
from skmetrics_ext.merged.columns import Names, read_part

LARGE = 1 << 30  # bytes of a file beyond which its rows are not read at once
_SUM = 1e-6  # as probabilities of the rows in memory are told


def is_large(path: str) -> bool:
    """Whether a file is streamed unasked."""
    return Path(path).is_file() and Path(path).stat().st_size > LARGE


def stream_rows(
    path: str,
    names: Names,
    form: TextForm = PLAIN,
    *,
    positive: Any = None,
    confidence_level: float = 0.95,
    metrics: Asked = None,
    drop_missing: bool = False,
    memory_limit: str = "1GiB",
    progress: bool = True,
) -> list[dict[str, Any]]:
    """What `score_rows` gives, by `evaluate`: metrics without a value say why."""
    files = open_files(path, names, form)
    say(files.form.told)
    if drop_missing:
        files = replace(files, complete=names.all)
        say("rows that lack a value are left out")
    classes = _classes(files, replace(names, score=()), memory_limit)
    say(without_positive(classes, positive, bool(names.score)))
    common: dict[str, Any] = {
        "true": names.true,
        "weight": names.weight,
        "groups": names.clusters,
        "intervals": True,
        "confidence_level": confidence_level,
        "memory_limit": memory_limit,
        "progress": progress,
    }
    rows = []
    models = list(_models(files, names, classes, positive))
    check_fit(metrics, [methods for _, methods, _ in models])
    for of, methods, options in models:
        settled = settled_metrics(methods, classes, positive, metrics)
        # The positive class goes beside them, and is the same for all.
        asked = {name: metric.without("pos_label") for name, metric in settled.items()}
        if not asked:
            continue
        for group in dict.fromkeys((None, *names.by.names)):
            rows += [
                _row(row, of)
                for row in evaluate(files, metrics=asked, by=group, **common, **options)
            ]
    return rows


def _classes(files: Files, names: Names, memory_limit: str) -> list[Any]:
    """The labels that occur, true or predicted."""
    opened = open_engine(files, names, "auto", read_bytes(memory_limit))
    try:
        tables = opened.survey(False).sums.tables.values()
    finally:
        opened.close()
    found = np.unique(np.concatenate([table.classes for table in tables] or [np.zeros(0)]))
    if not len(found):
        raise ValueError(f"{files.path!r} has no rows with weight.")
    return list(found.tolist())


Model = tuple[str, set[str], dict[str, Any]]


def _models(files: Files, names: Names, classes: list[Any], positive: Any) -> Iterable[Model]:
    """Name, responses and columns of what is scored, as `models_of` tells them."""
    chosen, scores, pred = chosen_positive(classes, positive), names.score, names.pred
    if scores and len(classes) == 2:
        for column in scores:
            found = _responses(files, names, (column,))
            yield column, found, {"score": column, "pos_label": chosen}
    elif scores:
        columns = tuple(columns_of_classes(scores, classes))
        found = _responses(files, names, columns)
        yield ", ".join(scores), found, {"score": columns, "labels": classes}
    if pred is not None:
        yield pred, {"predict"}, {"pred": pred, "pos_label": chosen}


def _responses(files: Files, names: Names, columns: tuple[str, ...]) -> set[str]:
    """Probabilities, if the scores of every row are; the first row that is none decides."""
    own = Names(names.true, columns)
    for batch, place in files.rows(own.all):
        values = read_part(batch, own, place).score if batch.num_rows else None
        if values is None:
            continue
        sums = values.sum(axis=1) if len(columns) > 1 else np.ones(len(values))
        if values.min() < 0 or values.max() > 1 or np.abs(sums - 1).max() > _SUM:
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
