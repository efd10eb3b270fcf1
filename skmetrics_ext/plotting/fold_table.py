"""A table of folds, from whatever holds one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting.lines import objects
from skmetrics_ext.validation import InvalidParameterError

NEEDED = ("model", "metric", "value")


def read_folds(folds: Any) -> dict[str, Array]:
    """Columns of a data frame, a mapping of columns, or rows."""
    if isinstance(folds, Sequence) and not isinstance(folds, str):
        keys = list(dict.fromkeys(key for row in folds for key in row))
        columns = {key: [row.get(key) for row in folds] for key in keys}
    else:
        names = list(folds.columns) if hasattr(folds, "columns") else list(folds)
        columns = {str(name): list(folds[name]) for name in names}
    missing = [name for name in NEEDED if name not in columns]
    if missing or not columns[NEEDED[0]]:
        raise InvalidParameterError(
            f"folds must have a row for each model, metric and fold, with {list(NEEDED)}; "
            f"{missing or 'rows'} missing, got {list(columns)}."
        )
    table = {name: column(values) for name, values in columns.items()}
    return table | {"value": np.asarray(columns["value"], dtype=np.float64)}


def column(values: list[Any]) -> Array:
    """Numbers as numbers, anything else as it is."""
    if all(isinstance(value, bool | np.bool_) for value in values):
        return np.array(values, dtype=bool)
    if all(isinstance(value, int | float | np.number) for value in values):
        return np.array(values)
    return objects(values)


def is_by_model(cv_results: Mapping[str, Any]) -> bool:
    return all(isinstance(result, Mapping) for result in cv_results.values())


def result_rows(model: str, result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of one result of ``cross_validate``."""
    names = {key: key.removeprefix("test_") for key in result if key.startswith("test_")}
    if not names:
        raise InvalidParameterError(
            f"cv_results of {model!r} has no key that begins with 'test_', got {list(result)}."
        )
    indices = result.get("indices")
    rows = []
    for key, metric in names.items():
        for fold, value in enumerate(result[key]):
            row = {"model": model, "fold": fold, "metric": metric, "value": float(value)}
            if indices is not None:
                row |= {f"n_{part}": len(indices[part][fold]) for part in ("train", "test")}
            rows.append(row)
    return rows
