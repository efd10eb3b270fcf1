"""Comparisons of several models, or by several metrics: the differences of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skmetrics_ext.annotations import usage
from skmetrics_ext.numeric import Options
from skmetrics_ext.validation import InvalidParameterError


def check_models(first: Any, second: Any) -> None:
    """Two arrays, or one dict of two models or more."""
    is_dict = isinstance(first, Mapping)
    if is_dict and (second is not None or len(first) < 2):
        raise InvalidParameterError(
            "pred_a and pred_b are two arrays, or pred_a is one dict of two or more, such as "
            "{'new': pred_new, 'old': pred_old}."
        )
    if not is_dict and second is None:
        from skmetrics_ext import compare

        raise InvalidParameterError(f"compare() is missing 1 model: 'pred_b'. {usage(compare)}")


def differences_of_models(
    metric: Any, y_true: Any, first: Any, second: Any, options: Options
) -> Any:
    """Differences of each model from those after it, by metric."""
    from skmetrics_ext import confidence_interval  # which compares nothing

    models = first if isinstance(first, Mapping) else {"a": first, "b": second}
    metrics: Any = metric if isinstance(metric, list | tuple) else [metric]
    predictions: Any = models
    table = confidence_interval(metrics, y_true, predictions, **options).against(model="each")
    return table if len(models) == 2 else table.adjust("simultaneous")
