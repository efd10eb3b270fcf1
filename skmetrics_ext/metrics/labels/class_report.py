"""The parts of a classification report: rates of every class and their averages, from one count."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.metrics.averaging import average_of, averaged
from skmetrics_ext.metrics.labels.rates import (
    f1_score,
    negative_predictive_value_score,
    precision_score,
    recall_score,
    specificity_score,
)
from skmetrics_ext.metrics.public import RateFunction
from skmetrics_ext.numeric import Array, wilson
from skmetrics_ext.tallies import Counts, LabelTally
from skmetrics_ext.validation import InvalidParameterError, Labels
from skmetrics_ext.validation.errors import warn_user

COLUMNS = {
    "precision": precision_score,
    "recall": recall_score,
    "f1-score": f1_score,
    "specificity": specificity_score,
    "npv": negative_predictive_value_score,
}
STANDARD = ("precision", "recall", "f1-score")
# Numerator and denominator of the columns that are proportions of independent rows.
PROPORTIONS = {
    "precision": lambda c: (c.tp, c.pred),
    "recall": lambda c: (c.tp, c.true),
    "specificity": lambda c: (c.tn, c.tn + c.fp),
    "npv": lambda c: (c.tn, c.tn + c.fn),
}
Intervals = dict[str, tuple[Array, Array]]  # bounds of a column, by class


def class_names(checked: Labels, labels: Any, target_names: Any) -> list[str]:
    shown = checked.classes if labels is None else list(np.asarray(labels))
    if target_names is None:
        return [str(label) for label in shown]
    if len(target_names) != len(shown):
        if labels is None:
            raise InvalidParameterError(
                f"Number of classes, {len(shown)}, does not match size of target_names, "
                f"{len(target_names)}. Try specifying the labels parameter"
            )
        warn_user(
            f"labels size, {len(shown)}, does not match size of target_names, {len(target_names)}"
        )
    return [str(name) for name in target_names]


def averages_of(
    checked: Labels,
    counts: Counts,
    labels: Any,
    columns: dict[str, RateFunction],
    zero_division: Any,
) -> dict[str, dict[str, float]]:
    """Name of each average -> value of each column."""
    whole = labels is None or set(checked.classes.tolist()) <= set(np.asarray(labels).tolist())
    micro = "accuracy" if whole and not checked.is_multilabel else "micro avg"
    plans = {
        micro: average_of(counts, "micro"),
        "macro avg": average_of(counts, "macro"),
        "weighted avg": average_of(counts, "weighted"),
    }
    if checked.is_multilabel:
        plans["samples avg"] = averaged(LabelTally(checked), labels, average="samples")
    return {
        heading: {name: rate.read(plan, zero_division) for name, rate in columns.items()}
        for heading, plan in plans.items()
    }


def wilson_intervals(counts: Counts, columns: dict[str, RateFunction], level: float) -> Intervals:
    """Of the proportions of rows that do not depend on each other."""
    return {
        name: wilson(*PROPORTIONS[name](counts), level) for name in columns if name in PROPORTIONS
    }


def as_dict(
    names: list[str],
    values: dict[str, Array],
    intervals: Intervals,
    support: Array,
    averages: dict[str, dict[str, float]],
) -> dict[str, Any]:
    report: dict[str, Any] = {}
    for i, name in enumerate(names[: len(support)]):
        row = {column: float(value[i]) for column, value in values.items()}
        for column, (low, high) in intervals.items():
            row[f"{column}_low"], row[f"{column}_high"] = float(low[i]), float(high[i])
        report[name] = {**row, "support": float(support[i])}
    total = float(support.sum())
    for heading, row in averages.items():
        if heading == "accuracy":
            report[heading] = row["precision"]
        else:
            report[heading] = {**row, "support": total}
    return report


def as_text(
    names: list[str],
    values: dict[str, Array],
    intervals: Intervals,
    support: Array,
    averages: dict[str, dict[str, float]],
    digits: int,
) -> str:
    """Columns of 9 characters as in scikit-learn, wider where there is an interval."""
    head_width = max(*(len(name) for name in names), len("weighted avg"), digits)
    interval_width = len(f"{0:.{digits}f} [{0:.{digits}f}, {0:.{digits}f}]")
    widths = {name: interval_width if name in intervals else 9 for name in values}

    def line(head: str, cells: dict[str, str], last: Any) -> str:
        shown = "".join(f" {cells[name]:>{width}}" for name, width in widths.items())
        return f"{head:>{head_width}} {shown} {last:>9}\n"

    def number(value: float) -> str:
        return f"{value:.{digits}f}"

    text = line("", {name: name for name in values}, "support") + "\n"
    for i, (name, weight) in enumerate(zip(names, support, strict=False)):
        cells = {}
        for column, value in values.items():
            cells[column] = number(value[i])
            if column in intervals:
                low, high = intervals[column]
                cells[column] += f" [{number(low[i])}, {number(high[i])}]"
        text += line(name, cells, weight)
    text += "\n"
    for heading, row in averages.items():
        cells = {name: number(value) for name, value in row.items()}
        if heading == "accuracy":
            cells = {name: cells[name] if name == "f1-score" else "" for name in cells}
        text += line(heading, cells, support.sum())
    return text
