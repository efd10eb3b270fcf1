"""Tables of metric values by model and fold, and their summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from skmetrics_ext.inference.tests.fold_tests import corrected_resampled_interval
from skmetrics_ext.numeric import Array
from skmetrics_ext.tables import Table
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.encoding import objects

SIZES = ("n_train", "n_test")
_NEEDED = ("model", "metric", "value")


def read_folds(folds: Any) -> dict[str, Array]:
    """Read the columns of a data frame, a mapping of columns, or a sequence of rows."""
    if isinstance(folds, Sequence) and not isinstance(folds, str):
        columns = {key: [row.get(key) for row in folds] for key in Table(folds).fields()}
    else:
        columns = {str(name): list(folds[name]) for name in getattr(folds, "columns", folds)}
    missing = [name for name in _NEEDED if name not in columns]
    if missing or not columns[_NEEDED[0]]:
        raise InvalidParameterError(
            f"folds must have a row for each model, metric and fold, with {list(_NEEDED)}; "
            f"{missing or 'rows'} missing, got {list(columns)}."
        )
    table = {name: column_of(values) for name, values in columns.items()}
    return table | {"value": np.asarray(columns["value"], dtype=np.float64)}


def folds_of_results(model: str, result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows for each metric and fold of a result of ``cross_validate``."""
    keys = [key for key in result if key.startswith("test_")]
    if not keys:
        raise InvalidParameterError(
            f"cv_results of {model!r} has no key that begins with 'test_', got {list(result)}."
        )
    indices = result.get("indices", {})
    sizes = {f"n_{part}": [len(rows) for rows in indices[part]] for part in indices}
    return [
        {"model": model, "fold": fold, "metric": key.removeprefix("test_"), "value": float(value)}
        | {name: of_folds[fold] for name, of_folds in sizes.items()}
        for key in keys
        for fold, value in enumerate(result[key])
    ]


def summary_of_folds(
    folds: Mapping[str, Array], level: float, baseline: Any = None
) -> list[dict[str, Any]]:
    """Mean, spread and interval of each metric and model over the folds with a finite value.

    Without the sizes of the folds, ``low`` and ``high`` are nan.
    """
    models, metrics = (list(dict.fromkeys(folds[key].tolist())) for key in _NEEDED[:2])
    has_sizes = all(size in folds for size in SIZES)
    summary = []
    for metric, model in product(metrics, models):
        rows = (folds["metric"] == metric) & (folds["model"] == model)
        defined = rows & np.isfinite(folds["value"])
        values = folds["value"][defined]
        low = high = float("nan")
        if len(values) > 1 and has_sizes:
            sizes = {size: folds[size][defined] for size in SIZES}
            _, low, high = corrected_resampled_interval(values, confidence_level=level, **sizes)
        summary.append(
            {
                "model": model,
                "metric": metric,
                "is_baseline": model == baseline,
                "mean": float(values.mean()) if len(values) else float("nan"),
                "std": float(values.std(ddof=1)) if len(values) > 1 else float("nan"),
                "low": low,
                "high": high,
                "n_folds": int(rows.sum()),
                "n_undefined": int(rows.sum() - len(values)),
            }
        )
    return summary


def column_of(values: list[Any]) -> Array:
    """An array of numbers, or of objects if there are others."""
    are_numbers = all(isinstance(value, int | float | np.number | np.bool_) for value in values)
    return np.array(values) if are_numbers else objects(values)


def limits_of_models(values: Array, baseline: float) -> tuple[float, float] | None:
    """Limits of an axis that leave out a baseline far from the models; None if it is near."""
    values = values[np.isfinite(values)]
    if not len(values) or np.isnan(baseline):
        return None
    low, high = float(values.min()), float(values.max())
    span = high - low
    if span == 0 or low - span / 4 <= baseline <= high + span / 4:
        return None
    return low - 0.2 * span, high + 0.2 * span
