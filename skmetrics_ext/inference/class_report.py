"""classification_report: the rates of every class with intervals, and their averages."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.confidence_interval import interval_of_checked
from skmetrics_ext.inference.results import Estimate, design_told
from skmetrics_ext.metrics.averaging import ZeroDivision, average_of, averaged, check_zero_division
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels.rates import (
    f1_score,
    negative_predictive_value_score,
    precision_score,
    recall_score,
    specificity_score,
)
from skmetrics_ext.metrics.labels.summaries import support
from skmetrics_ext.metrics.public import RateFunction
from skmetrics_ext.numeric import Array, wilson
from skmetrics_ext.registry import find
from skmetrics_ext.tallies import Counts, LabelTally
from skmetrics_ext.validation import InvalidParameterError, Labels, check_option
from skmetrics_ext.validation.errors import warn_user
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.parameters import check_level
from skmetrics_ext.validation.tensors import to_host

_LEVEL = 0.95  # of intervals that groups ask for


Extra = Literal["specificity", "npv"]

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


@document
def classification_report(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: Any = None,
    target_names: Any = None,
    sample_weight: ArrayLike | None = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: ZeroDivision = "warn",
    extra: Extra | Iterable[Extra] = (),
    confidence_level: float | None = None,
    groups: ArrayLike | None = None,
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
        (not F1); with weights only by groups.
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other. The intervals
        are then those that `confidence_interval` has with ``groups``, of 95 % where no level is
        said, and weights are of importance. Of one label a row.

    Returns
    -------
    str or dict
        Class name -> column name -> value; "accuracy" or "micro avg", "macro avg",
        "weighted avg" and, for multilabel data, "samples avg". With intervals also
        ``"<column>_low"`` and ``"<column>_high"``, and ``"<column>_note"`` where groups are few;
        the text ends with the number of groups, their design effects and such notes.

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
    one = isinstance(extra, str) or not isinstance(extra, Iterable)
    further: list[Any] = [extra] if one else list(extra)
    for name in further:
        check_option("extra", name, ("specificity", "npv"))
    if not (isinstance(digits, Integral) and digits >= 0):
        raise InvalidParameterError(f"digits has to be an integer from 0, got {digits!r}.")
    labels = to_host(labels, "labels")
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight)
    if confidence_level is not None:
        check_level(confidence_level)
    columns = {name: COLUMNS[name] for name in (*STANDARD, *further)}
    counts = Counts.from_labels(checked).select(checked.positions(labels, once=True))
    names = class_names(checked, labels, target_names)
    per_class = average_of(counts, None)
    values = {name: rate.read(per_class, zero_division) for name, rate in columns.items()}
    averages = averages_of(checked, counts, labels, columns, zero_division)
    weight = support(y_true, y_pred, labels, sample_weight, counts)
    intervals: Intervals = {}
    found: dict[str, list[Estimate]] = {}
    if groups is not None:
        beside = {"y_true": y_true, "y_pred": y_pred, "sample_weight": sample_weight}
        group = read_groups(groups, checked.n_rows, **beside)
        level = _LEVEL if confidence_level is None else confidence_level
        found = _estimates(checked, columns, level, labels, group)
        intervals = {name: _bounds(estimates) for name, estimates in found.items()}
    elif confidence_level is not None:
        _refuse_weights(checked)
        intervals = wilson_intervals(counts, columns, confidence_level)
    if not output_dict:
        text = as_text(names, values, intervals, weight, averages, int(digits))
        return text + _of_groups(names, found)
    report = as_dict(names, values, intervals, weight, averages)
    for column, estimates in found.items():
        for name, one in zip(names, estimates, strict=False):
            if one.note:
                report[name][f"{column}_note"] = one.note
    return report


def _refuse_weights(checked: Labels) -> None:
    if checked.weight is not None:
        raise InvalidParameterError(
            "confidence_level needs rows without sample_weight: weights do not say how many "
            "rows were seen."
        )


def _estimates(
    checked: Labels, columns: Iterable[str], level: Any, labels: Any, group: Array
) -> dict[str, list[Estimate]]:
    """The columns that are proportions, each with an estimate for every class."""
    if checked.is_multilabel:
        raise InvalidParameterError(
            "groups= needs one label a row, got multilabel data: ask confidence_interval for each "
            "output."
        )
    shown = checked.classes.tolist() if labels is None else labels  # also those without weight
    params = {"average": None, "labels": shown, "zero_division": np.nan}
    found = {}
    for name in columns:
        if name in PROPORTIONS:
            metric = find(COLUMNS[name], params)
            about = {"groups": group, "confidence_level": level}
            of_classes = interval_of_checked(metric, checked, **about)
            found[name] = of_classes if isinstance(of_classes, list) else [of_classes]
    return found


def _bounds(estimates: Iterable[Estimate]) -> tuple[Array, Array]:
    low, high = np.array([(one.low, one.high) for one in estimates]).T
    return low, high


def _of_groups(names: list[str], found: dict[str, list[Estimate]]) -> str:
    """Lines about groups, and what must be known of single rates."""
    every = [one for estimates in found.values() for one in estimates]
    if not every:
        return ""
    told = design_told(every[0].n_groups, None, (one.design_effect for one in every))
    notes = [
        f"{column} of {name}: {one.note}"
        for column, estimates in found.items()
        for name, one in zip(names, estimates, strict=False)
        if one.note
    ]
    return "\n".join(["", f"intervals by {told}", *notes, ""])


# --------------------------------------------------------------------------- parts of the report


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
