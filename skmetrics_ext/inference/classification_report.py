"""classification_report: rates of every class with intervals, and their averages."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any, Literal, NamedTuple

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

_LEVEL = 0.95  # of intervals by groups, unless a level is given

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


class ClassRow(NamedTuple):
    """A row of the report: the rates of a class, bounds of some of them, and its support."""

    name: str
    rates: dict[str, float]
    bounds: dict[str, tuple[float, float]]
    support: Any


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
        Return a dict instead of text.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        Value where a rate is 0/0.
    extra : {"specificity", "npv"} or sequence of them, default=()
        Further columns, before the support.
    confidence_level : float in (0, 1), default=None
        Add Wilson intervals of this level to the rates of each class that are proportions
        (not F1); with weights only by groups.
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other. The intervals
        are then those of `confidence_interval` with ``groups``, of 95 % unless a level is given,
        and weights are of importance. One label a row is needed.

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
    is_single = isinstance(extra, str) or not isinstance(extra, Iterable)
    extras: list[Any] = [extra] if is_single else list(extra)
    for name in extras:
        check_option("extra", name, ("specificity", "npv"))
    if not (isinstance(digits, Integral) and digits >= 0):
        raise InvalidParameterError(f"digits has to be an integer from 0, got {digits!r}.")
    labels = to_host(labels, "labels")
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight)
    if confidence_level is not None:
        check_level(confidence_level)
    columns = {name: COLUMNS[name] for name in (*STANDARD, *extras)}
    counts = Counts.from_labels(checked).select(checked.positions(labels, once=True))
    names = class_names(checked, labels, target_names)
    per_class = average_of(counts, None)
    values = {name: rate.read(per_class, zero_division) for name, rate in columns.items()}
    averages = averages_of(checked, counts, labels, columns, zero_division)
    weight = support(y_true, y_pred, labels, sample_weight, counts)
    bounds: dict[str, Any] = {}
    estimates: dict[str, list[Estimate]] = {}
    if groups is not None:
        arrays = {"y_true": y_true, "y_pred": y_pred, "sample_weight": sample_weight}
        group = read_groups(groups, checked.n_rows, **arrays)
        level = _LEVEL if confidence_level is None else confidence_level
        estimates = _estimates(checked, columns, level, labels, group)
        bounds = {name: [(e.low, e.high) for e in column] for name, column in estimates.items()}
    elif confidence_level is not None:
        bounds = _wilson_bounds(checked, counts, columns, confidence_level)
    rows = [
        ClassRow(
            name,
            {column: float(value[i]) for column, value in values.items()},
            {column: tuple(map(float, pairs[i])) for column, pairs in bounds.items()},
            weight[i],
        )
        for i, name in enumerate(names[: len(weight)])
    ]
    notes = [
        (name, column, estimate.note)
        for column, of_classes in estimates.items()
        for name, estimate in zip(names, of_classes, strict=False)
        if estimate.note
    ]
    if output_dict:
        report = as_dict(rows, averages, float(weight.sum()))
        for name, column, note in notes:
            report[name][f"{column}_note"] = note
        return report
    head_width = max(*map(len, names), len("weighted avg"), int(digits))
    text = as_text(rows, averages, weight.sum(), int(digits), head_width)
    every = [estimate for of_classes in estimates.values() for estimate in of_classes]
    if not every:
        return text
    design = design_told(every[0].n_groups, None, (e.design_effect for e in every))
    lines = [f"{column} of {name}: {note}" for name, column, note in notes]
    return text + "\n".join(["", f"intervals by {design}", *lines, ""])


def _estimates(
    checked: Labels, columns: Iterable[str], level: Any, labels: Any, group: Array
) -> dict[str, list[Estimate]]:
    """Estimates by groups for every class, of the columns that are proportions."""
    if checked.is_multilabel:
        raise InvalidParameterError(
            "groups= needs one label a row, got multilabel data: ask confidence_interval for each "
            "output."
        )
    shown = checked.classes.tolist() if labels is None else labels  # also those without weight
    params = {"average": None, "labels": shown, "zero_division": np.nan}
    design: dict[str, Any] = {"groups": group, "confidence_level": level}
    estimates = {}
    for name in filter(PROPORTIONS.__contains__, columns):
        of_classes = interval_of_checked(find(COLUMNS[name], params), checked, **design)
        estimates[name] = of_classes if isinstance(of_classes, list) else [of_classes]
    return estimates


def _wilson_bounds(
    checked: Labels, counts: Counts, columns: Iterable[str], level: float
) -> dict[str, Any]:
    """Wilson's bounds for every class, of the columns that are proportions of independent rows."""
    if checked.weight is not None:
        raise InvalidParameterError(
            "confidence_level needs rows without sample_weight: weights do not say how many "
            "rows were seen."
        )
    proportions = filter(PROPORTIONS.__contains__, columns)
    return {name: np.stack(wilson(*PROPORTIONS[name](counts), level), -1) for name in proportions}


# --------------------------------------------------------------------------- parts of the report


def class_names(checked: Labels, labels: Any, target_names: Any) -> list[str]:
    """Names of the classes shown: the targets' own, or those given for them."""
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
    """The rates under each average, by its heading."""
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


def as_dict(
    rows: list[ClassRow], averages: dict[str, dict[str, float]], total: float
) -> dict[str, Any]:
    """The report as scikit-learn nests it, bounds next to their rates."""
    report: dict[str, Any] = {}
    for name, rates, bounds, weight in rows:
        cells = dict(rates)
        for column, (low, high) in bounds.items():
            cells[f"{column}_low"], cells[f"{column}_high"] = low, high
        report[name] = {**cells, "support": float(weight)}
    for heading, row in averages.items():
        is_accuracy = heading == "accuracy"
        report[heading] = row["precision"] if is_accuracy else {**row, "support": total}
    return report


def as_text(
    rows: list[ClassRow],
    averages: dict[str, dict[str, float]],
    total: Any,
    digits: int,
    head_width: int,
) -> str:
    """Columns of 9 characters as in scikit-learn, wider where there is an interval."""
    columns = list(averages["macro avg"])
    with_bounds = rows[0].bounds if rows else {}
    interval_width = len(f"{0:.{digits}f} [{0:.{digits}f}, {0:.{digits}f}]")
    widths = {name: interval_width if name in with_bounds else 9 for name in columns}

    def line(head: str, cells: dict[str, str], last: Any) -> str:
        shown = "".join(f" {cells.get(name, ''):>{width}}" for name, width in widths.items())
        return f"{head:>{head_width}} {shown} {last:>9}\n"

    text = line("", {name: name for name in columns}, "support") + "\n"
    for row in rows:
        cells = {name: f"{value:.{digits}f}" for name, value in row.rates.items()}
        for name, (low, high) in row.bounds.items():
            cells[name] += f" [{low:.{digits}f}, {high:.{digits}f}]"
        text += line(row.name, cells, row.support)
    text += "\n"
    for heading, rates in averages.items():
        cells = {name: f"{value:.{digits}f}" for name, value in rates.items()}
        if heading == "accuracy":
            cells = {"f1-score": cells["f1-score"]}
        text += line(heading, cells, total)
    return text
