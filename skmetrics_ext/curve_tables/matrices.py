"""Confusion matrices of models to draw, with their accuracies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from skmetrics_ext.curve_tables.lines import MetricRows
from skmetrics_ext.curve_tables.parts import AskedParts, Part, split_by
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.metrics.labels.accuracy import accuracy_score, confusion_matrix
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import InvalidParameterError, Labels
from skmetrics_ext.validation.containers import read_array

METHODS = ("predict",)
VALUE_NAME = accuracy_score.__name__.removesuffix("_score")


@dataclass(eq=False)
class MatrixTable:
    """Confusion matrix of each model, and the accuracies of several.

    Parameters
    ----------
    counts : dict of str or None to ndarray of shape (n_classes, n_classes)
        With a row for each true class.
    labels : list
        The classes.
    accuracies : dict of str to Estimate
    comparison : Estimate or None
        Difference in accuracy of two models.
    """

    counts: dict[Any, Array]
    labels: Any
    accuracies: dict[Any, Estimate] = field(default_factory=dict)
    comparison: Estimate | None = None


def matrices_of(
    asked: AskedParts,
    *,
    confidence_level: float = 0.95,
    groups: Any = None,
    by: Any = None,
) -> MatrixTable:
    """Count the predicted labels of each model, or of each group ``by``; folds are joined."""
    if by is not None:
        asked, groups = split_by(asked, by, groups), None
    request, parts, _ = asked
    models = {name: _predicted_labels(of_model) for name, of_model in parts.items()}
    labels = _classes(asked, models) if request.labels is None else request.labels
    table = MatrixTable(
        {
            name: confusion_matrix(true, pred, labels=labels, sample_weight=weight)
            for name, (true, pred, weight) in models.items()
        },
        labels,
    )
    in_folds = any(part.fold is not None for of_model in parts.values() for part in of_model)
    if len(models) > 1 and not in_folds:
        rows = []
        for name, (true, pred, weight) in models.items():
            design = {"sample_weight": weight, "confidence_level": confidence_level}
            design["groups"] = parts[name][0].group if groups is None else groups
            rows.append(MetricRows(accuracy_score, true, pred, design))
        accuracies = [of_model.interval() for of_model in rows]
        table.accuracies = dict(zip(models, accuracies, strict=True))
        if len(rows) == 2 and by is None:
            table.comparison = rows[0].compared_with(rows[1])
    return table


def _predicted_labels(parts: Sequence[Part]) -> tuple[Any, ...]:
    """True labels, predicted labels and weights of a model."""
    defined = [part.rows for part in parts if not part.reason]
    if not defined:
        raise InvalidParameterError(f"No fold has predictions: {parts[0].reason}.")
    rows = [(part.y_true, part.response("predict"), part.sample_weight) for part in defined]
    if len(rows) == 1:
        return rows[0]
    return tuple(
        None if column[0] is None else np.concatenate([read_array("y", part) for part in column])
        for column in zip(*rows, strict=True)
    )


def _classes(asked: AskedParts, models: Mapping[Any, tuple[Any, ...]]) -> list[Any]:
    """All classes of the rows and of the models, the positive one last."""
    fitted = [part.rows.classes for parts in asked.models.values() for part in parts]
    lists = [Labels.check(true, pred).classes.tolist() for true, pred, _ in models.values()]
    lists += [read_array("classes_", classes).tolist() for classes in fitted if classes is not None]
    all_classes = {label for labels in lists for label in labels}
    classes = lists[0] if len(all_classes) == len(lists[0]) else sorted(all_classes)
    positive = asked.request.pos_label
    return sorted(classes, key=lambda label: label == positive) if positive in classes else classes
