"""Labels at a stated threshold of scores."""

from __future__ import annotations

import functools
from typing import Any, cast

import numpy as np

from skmetrics_ext.validation.containers import Column, labels_of, missing_rows, read_column
from skmetrics_ext.validation.errors import InvalidParameterError, MixedTargetsError
from skmetrics_ext.validation.labels import distinct_labels
from skmetrics_ext.validation.parameters import check_number
from skmetrics_ext.validation.positive import positive_class
from skmetrics_ext.validation.tensors import Function


def labels_at(threshold: Any, y_true: Any, y_score: Any, pos_label: Any, name: str) -> Column:
    """Labels of two classes: the positive one where the score is at least the threshold."""
    limit, missing = check_number("threshold", threshold, -np.inf), missing_rows(y_true)
    is_part = missing.ndim == 1 and missing.any()
    found = distinct_labels(labels_of(y_true, ~missing) if is_part else y_true)
    classes = [] if found is None else found.tolist()
    if len(classes) != 2:
        raise InvalidParameterError(
            f"threshold= is for two classes, and y_true has {classes[:10]}: leave it out, and pass "
            "predicted labels."
        )
    positive = positive_class(classes, pos_label, what="threshold=")
    (other,) = [label for label in classes if label != positive]
    column = read_column(y_score, name)
    score = column.values
    score = score[:, 0] if score.ndim == 2 and score.shape[1] == 1 else score
    if score.ndim != 1 or score.dtype.kind not in "biuf" or column.categories is not None:
        raise InvalidParameterError(
            f"{name} must hold one score a row, that of {positive!r}, where threshold= is given: "
            f"got an array of shape {score.shape} and dtype {score.dtype}."
        )
    score = score.astype(np.float64)
    if np.isnan(score if column.mask is None else score[~column.mask]).any():
        raise InvalidParameterError(f"{name} contains NaN: fill or drop such rows.")
    labels = np.asarray([other, positive])[(score >= limit).astype(np.int64)]
    return Column(name, labels, mask=column.mask, index=column.index)


def offering_threshold(door: Function) -> Function:
    """Say how scores become labels, in the error of a metric of labels that was given scores."""

    @functools.wraps(door)
    def function(*args: Any, **options: Any) -> Any:
        try:
            return door(*args, **options)
        except MixedTargetsError as error:
            raise InvalidParameterError(
                f"{error} These are scores, and the metric reads labels: pass threshold=0.5, or "
                "another, for the positive class where the score is at least that."
            ) from error

    return cast(Function, function)
