"""classification_report: the rates of every class and their averages, from one count."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np

from skmetrics_ext.metrics.averaging import average_of, averaged, check_zero_division
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels.rate_function import Rate
from skmetrics_ext.metrics.labels.rates import (
    f1_score,
    negative_predictive_value_score,
    precision_score,
    recall_score,
    specificity_score,
)
from skmetrics_ext.metrics.labels.summaries import support
from skmetrics_ext.numeric import Array, wilson
from skmetrics_ext.tallies import Counts, LabelTally
from skmetrics_ext.validation import InvalidParameterError, Labels, check_option
from skmetrics_ext.validation.errors import warn_user
from skmetrics_ext.validation.parameters import check_level
from skmetrics_ext.validation.tensors import to_host

COLUMNS = {
    "precision": precision_score.rate,
    "recall": recall_score.rate,
    "f1-score": f1_score.rate,
    "specificity": specificity_score.rate,
    "npv": negative_predictive_value_score.rate,
}
_STANDARD = ("precision", "recall", "f1-score")
# Numerator and denominator of the columns that are proportions of independent rows.
_PROPORTIONS = {
    "precision": lambda c: (c.tp, c.pred),
    "recall": lambda c: (c.tp, c.true),
    "specificity": lambda c: (c.tn, c.tn + c.fp),
    "npv": lambda c: (c.tn, c.tn + c.fn),
}


@document
def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    target_names: Any = None,
    sample_weight: Any = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: Any = "warn",
    extra: Any = (),
    confidence_level: float | None = None,
) -> Any:
    """Precision, recall, F1 and support of every class, and their averages.

    Parameters
    ----------
    {y_true_y_pred_multilabel}
    {labels}
    target_names : array-like of str of shape (n_classes,), default=None
        Names to show for the classes, in order.
    {sample_weight}
    digits : int, default=2
        Digits behind the point in the text.
    output_dict : bool, default=False
        Give a dict in place of text.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        Value where a rate is 0/0.
    extra : {"specificity", "npv"} or sequence of them, default=()
        Further columns, before the support.
    confidence_level : float in (0, 1), default=None
        Add Wilson intervals of this level to the rates of each class that are proportions
        (not F1); not with weights.

    Returns
    -------
    str or dict
        Class name -> column name -> value; "accuracy" or "micro avg", "macro avg",
        "weighted avg" and, for multilabel data, "samples avg". With intervals also
        ``"<column>_low"`` and ``"<column>_high"``.

    Raises
    ------
    {raises}

    References
    ----------
    Wilson (1927), Journal of the American Statistical Association 22, 209-212.

    Examples
    --------
    >>> from skmetrics_ext import classification_report
    >>> print(classification_report([0, 1, 1, 1], [0, 1, 1, 0]))
                  precision    recall  f1-score   support
    <BLANKLINE>
               0       0.50      1.00      0.67         1
               1       1.00      0.67      0.80         3
    <BLANKLINE>
        accuracy                           0.75         4
       macro avg       0.75      0.83      0.73         4
    weighted avg       0.88      0.75      0.77         4
    <BLANKLINE>
    """
    check_zero_division(zero_division)
    extra = [extra] if isinstance(extra, str) or not isinstance(extra, Iterable) else list(extra)
    for name in extra:
        check_option("extra", name, ("specificity", "npv"))
    if not (isinstance(digits, Integral) and digits >= 0):
        raise InvalidParameterError(f"digits has to be an integer from 0, got {digits!r}.")
    labels = to_host(labels, "labels")
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight)
    if confidence_level is not None:
        _check_level(confidence_level, checked)
    columns = {name: COLUMNS[name] for name in (*_STANDARD, *extra)}
    counts = Counts.from_labels(checked).select(checked.positions(labels, once=True))
    names = _class_names(checked, labels, target_names)
    per_class = average_of(counts, None)
    values = {name: rate.read(per_class, zero_division) for name, rate in columns.items()}
    averages = _averages(checked, counts, labels, columns, zero_division)
    intervals = _intervals(counts, columns, confidence_level)
    weight = support(y_true, y_pred, labels, sample_weight, counts)
    if output_dict:
        return _as_dict(names, values, intervals, weight, averages)
    return _as_text(names, values, intervals, weight, averages, int(digits))


def _check_level(confidence_level: float, checked: Labels) -> None:
    check_level(confidence_level)
    if checked.weight is not None:
        raise InvalidParameterError(
            "confidence_level needs rows without sample_weight: weights do not say how many "
            "rows were seen."
        )


def _class_names(checked: Labels, labels: Any, target_names: Any) -> list[str]:
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


def _averages(
    checked: Labels,
    counts: Counts,
    labels: Any,
    columns: dict[str, Rate],
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


def _intervals(
    counts: Counts, columns: dict[str, Rate], level: float | None
) -> dict[str, tuple[Array, Array]]:
    if level is None:
        return {}
    return {
        name: wilson(*_PROPORTIONS[name](counts), level) for name in columns if name in _PROPORTIONS
    }


def _as_dict(
    names: list[str],
    values: dict[str, Array],
    intervals: dict[str, tuple[Array, Array]],
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


def _as_text(
    names: list[str],
    values: dict[str, Array],
    intervals: dict[str, tuple[Array, Array]],
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
