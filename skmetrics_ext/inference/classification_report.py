"""classification_report: rates of every class with intervals, and their averages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.confidence_interval import confidence_interval
from skmetrics_ext.inference.estimate_rows import row_from
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.inference.results import Estimate, design_text
from skmetrics_ext.metrics.averaging import ZeroDivision, average_of, averaged, check_zero_division
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.labels.accuracy import accuracy_score
from skmetrics_ext.metrics.labels.rates import (
    f1_score,
    negative_predictive_value_score,
    precision_score,
    recall_score,
    specificity_score,
)
from skmetrics_ext.metrics.labels.summaries import support
from skmetrics_ext.metrics.public import RateFunction
from skmetrics_ext.tables import joined_notes, without_methods
from skmetrics_ext.tallies import Counts, LabelTally
from skmetrics_ext.validation import InvalidParameterError, Labels, check_option
from skmetrics_ext.validation.errors import warn_user
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
ACCURACY = "accuracy"
STANDARD = ("precision", "recall", "f1-score")
AVERAGES = {"macro avg": "macro", "weighted avg": "weighted", "samples avg": "samples"}


class ClassReport(Estimates):
    """Rates of every class and their averages as estimates, printed as the report with intervals.

    ``metric`` is precision, recall, f1 and so on, ``label`` the class (or its name in
    ``target_names``), or the average, such as "macro avg"; ``support`` stands next to them.

    Parameters
    ----------
    rows : iterable of mapping, default=()
        As in `Estimates`.
    text : str, default=""
        The printed report.
    **options : object
        As in `Estimates`.

    Examples
    --------
    >>> from skmetrics_ext import classification_report
    >>> y_true, y_pred = [0, 1, 1, 1] * 20, [0, 1, 1, 0] * 20
    >>> report = classification_report(y_true, y_pred, confidence_level=0.95)
    >>> print(report.where(metric="recall"))
    metric  label          value     95 % interval  method  support
    ------  ------------  ------  ----------------  ------  -------
    recall  0             1.0000  [0.8389, 1.0000]  wilson       20
    recall  1             0.6667  [0.5406, 0.7727]  wilson       60
    recall  macro avg     0.8333  [0.7479, 0.8880]  mover        80
    recall  weighted avg  0.7500  [0.6452, 0.8319]  wilson       80
    >>> print(report.where(metric="recall", label=[0, 1]).against(label=0))
    metric  label  against   value  reference  difference       95 % interval        p  support
    ------  -----  -------  ------  ---------  ----------  ------------------  -------  -------
    recall      1        0  0.6667     1.0000     -0.3333  [-0.4551, -0.2116]  < 0.001       60
    """

    def __init__(
        self, rows: Iterable[Mapping[str, Any]] = (), *, text: str = "", **options: Any
    ) -> None:
        super().__init__(rows, **options)
        self.text = text

    def like(self, rows: Iterable[Mapping[str, Any]]) -> Any:
        """A plain table of some of the rows."""
        return Estimates(rows, confidence_level=self.confidence_level)

    def __str__(self) -> str:
        return self.text


class ReportLine(NamedTuple):
    """A class or an average: its rates, any estimates with intervals, and its support."""

    name: str
    rates: dict[str, float]
    estimates: dict[str, Estimate]
    support: Any


@document
def classification_report(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    target_names: ArrayLike | None = None,
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
        Add the interval of `confidence_interval` at this level to every rate, averages included,
        and return a table of estimates; weights are then importance weights.
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other. Adds
        intervals that allow for groups, at 95 % unless a level is given.

    Returns
    -------
    str, dict or Estimates
        With ``output_dict``: class name -> column name -> value; "accuracy" or "micro avg",
        "macro avg", "weighted avg" and, for multilabel data, "samples avg". With intervals also
        ``"<column>_low"``, ``"<column>_high"`` and, where coverage may be below the nominal level
        or a rate has no interval, ``"<column>_note"``; those of accuracy are next to "accuracy"
        (``"accuracy_low"``). With intervals and without ``output_dict`` a table of estimates, a row
        for each rate of a class or an average (``label``), with its ``support``; it prints as the
        text, which ends with the notes and the number of groups.

    Raises
    ------
    {raises}

    References
    ----------
    Wilson (1927), Journal of the American Statistical Association 22, 209-212, for the rates of a
    class; `confidence_interval` names those of averages.

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
    if groups is not None or confidence_level is not None:
        checked.sharing_classes(labels)
    columns = {name: COLUMNS[name] for name in (*STANDARD, *extras)}
    counts = Counts.from_labels(checked).select(checked.positions(labels, once=True))
    names = class_names(checked, labels, target_names)
    weight = support(y_true, y_pred, labels, sample_weight, counts)
    per_class = average_of(counts, None)
    rates = {column: rate.read(per_class, zero_division) for column, rate in columns.items()}
    averages = averages_of(checked, counts, labels, columns, zero_division)
    level = _LEVEL if confidence_level is None else confidence_level
    options = {"confidence_level": level, "groups": groups, "sample_weight": sample_weight}
    has_intervals = groups is not None or confidence_level is not None
    shown = checked.classes.tolist() if labels is None else labels  # also classes without weight

    def estimates_of(columns: dict[str, Any], **params: Any) -> dict[str, Any]:
        """Estimates of the rates, if the report has intervals."""
        return {
            column: confidence_interval(rate, y_true, y_pred, **options, **params)
            for column, rate in columns.items()
            if has_intervals
        }

    by_class = estimates_of(columns, average=None, labels=shown, zero_division=np.nan)
    lines = []
    for i, name in enumerate(names[: len(weight)]):
        values = {column: float(values[i]) for column, values in rates.items()}
        estimates = {column: each[i].estimate for column, each in by_class.items()}
        lines.append(ReportLine(name, values, estimates, weight[i]))
    filled = 0.0 if zero_division == "warn" else zero_division
    for heading, values in averages.items():
        if heading == ACCURACY:
            estimates = estimates_of({heading: accuracy_score})
        else:
            average = AVERAGES.get(heading, "micro")
            params = {"average": average, "labels": shown, "zero_division": filled}
            estimates = estimates_of(columns, **params)
        lines.append(ReportLine(heading, values, estimates, weight.sum()))
    if output_dict:
        return as_dict(lines)
    head_width = max(*map(len, names), len("weighted avg"), int(digits))
    text = as_text(lines, len(weight), int(digits), head_width)
    if not has_intervals:
        return text
    labels_of = names if target_names is not None else list(shown)
    of_lines: list[Any] = [*labels_of[: len(weight)], *averages]
    of_lines = [None if label == ACCURACY else label for label in of_lines]
    rows = []
    for label, line in zip(of_lines, lines, strict=True):
        for estimate in line.estimates.values():
            named = {"metric": estimate.metric.removesuffix("_score"), "label": label}
            rows.append(row_from(estimate, **named, support=float(line.support)))
    return ClassReport(rows, text=text, confidence_level=level)


# --------------------------------------------------------------------------- parts of the report


def class_names(checked: Labels, labels: Any, target_names: Any) -> list[str]:
    """Names of the classes in the report: the labels, or `target_names`."""
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
    """The averages of the rates, by heading."""
    whole = labels is None or set(checked.classes.tolist()) <= set(np.asarray(labels).tolist())
    micro = ACCURACY if whole and not checked.is_multilabel else "micro avg"
    plans = {
        micro: average_of(counts, "micro"),
        "macro avg": average_of(counts, "macro"),
        "weighted avg": average_of(counts, "weighted"),
    }
    if checked.is_multilabel:
        plans["samples avg"] = averaged(LabelTally(checked), labels, average="samples")
    averages = {
        heading: {name: rate.read(plan, zero_division) for name, rate in columns.items()}
        for heading, plan in plans.items()
    }
    if micro == ACCURACY:
        averages[micro] = {micro: averages[micro]["precision"]}
    return averages


def as_dict(lines: list[ReportLine]) -> dict[str, Any]:
    """The report as nested dicts like scikit-learn's, with bounds next to their rates."""
    report: dict[str, Any] = {}
    for name, rates, estimates, weight in lines:
        cells: dict[str, Any] = dict(rates)
        for column, estimate in estimates.items():
            cells |= {f"{column}_low": estimate.low, f"{column}_high": estimate.high}
            if estimate.note:
                cells[f"{column}_note"] = estimate.note
        if ACCURACY in rates:
            report |= cells
        else:
            report[name] = {**cells, "support": float(weight)}
    return report


def as_text(lines: list[ReportLine], n_classes: int, digits: int, head_width: int) -> str:
    """Columns of 9 characters as in scikit-learn, wider with intervals."""
    estimates = [estimate for line in lines for estimate in line.estimates.values()]
    cell_width = len(f"{0:.{digits}f} [{0:.{digits}f}, {0:.{digits}f}]") if estimates else 9

    def row(head: str, cells: dict[str, str], last: Any) -> str:
        shown = "".join(f" {cells.get(name, ''):>{cell_width}}" for name in lines[-1].rates)
        return f"{head:>{head_width}} {shown} {last:>9}\n"

    text = row("", {name: name for name in lines[-1].rates}, "support")
    for i, line in enumerate(lines):
        cells = {}
        for name, value in line.rates.items():
            shown = f"{value:.{digits}f}"
            if estimate := line.estimates.get(name):
                shown += f" [{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"
            cells["f1-score" if name == ACCURACY else name] = shown
        text += "\n" * (i in (0, n_classes)) + row(line.name, cells, line.support)
    cells_of: dict[str, list[str]] = {}
    joined = joined_notes(without_methods(estimate.note) for estimate in estimates)
    for line in lines:
        for column, estimate in line.estimates.items():
            note = joined[without_methods(estimate.note)]
            cells_of.setdefault(note, []).append(f"{column} of {line.name}")
    notes = [f"{', '.join(cells)}: {note}\n" for note, cells in cells_of.items() if note]
    if estimates and estimates[0].n_groups is not None:
        effects = (estimate.design_effect for estimate in estimates)
        notes.insert(0, f"intervals by {design_text(estimates[0].n_groups, None, effects)}\n")
    return text + "\n" * bool(notes) + "".join(notes)
