"""The question of a report and its answer, in a few sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from skmetrics_ext.formats import interval, number, probability, signed
from skmetrics_ext.report.findings import best_and_next, pair
from skmetrics_ext.report.summary import fold_cells
from skmetrics_ext.validation import InvalidParameterError

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport


def verdict(report: CrossValidationReport) -> list[str]:
    """The question; the best model by the first metric; how sure that is; what is undefined."""
    return [_question(report), *_answer(report), _undefined(report)]


def _question(report: CrossValidationReport) -> str:
    models = [model for model in report.models if model != report.baseline] or [*report.models]
    of = "the class" if report.positive_class is None else str(report.positive_class)
    asked = f"How well does {models[0]} predict {of}"
    if len(models) > 1:
        asked = f"Which of {len(models)} models predicts {of} best"
    against = f", against {report.baseline}" if report.baseline not in (None, *models) else ""
    return (
        f"{asked} by {report.metrics[0]}{against}? {report.n_samples} rows, {report.n_folds} "
        "folds, tested on rows that were not fitted on."
    )


def _answer(report: CrossValidationReport) -> list[str]:
    metric = report.metrics[0]
    try:
        best = report.best(metric)
    except InvalidParameterError as error:
        return [str(error)]
    own = next(r for r in report.summary("corrected") if (r.model, r.metric) == (best, metric))
    ends = interval(own.low, own.high)
    level = f"{100 * report.confidence_level:g}% interval"
    told = f"{number(own.mean)}" + (f", {level} of the mean {ends}" if ends else "")
    others = len(report.models) > 1
    lines = [f"{best} has {'the best ' if others else ''}{metric}: {told}."]
    alpha = 1 - report.confidence_level
    first_two = best_and_next(report, metric)
    if best == report.baseline and others:
        lines.append("No model does better than the baseline, which knows no feature.")
    elif first_two is not None:
        second = first_two["model_b"]
        if first_two["p_holm"] < alpha:
            lines.append(f"It is better than the next, {second}: {_shown(first_two)}.")
        else:
            lines.append(f"It cannot be told from the next, {second}: {_shown(first_two)}.")
    if report.baseline is not None and best != report.baseline:
        row = pair(report, metric, best, report.baseline)
        if row is None:
            lines.append(f"Whether it is better than {report.baseline} is not known.")
        elif row["p_holm"] < alpha:
            lines.append(f"It is better than {report.baseline}: {_shown(row)}.")
        else:
            lines.append(f"It cannot be told from {report.baseline}: {_shown(row)}.")
    return lines


def _shown(row: Mapping[str, Any]) -> str:
    p_value = probability(row["p_holm"])
    ends = interval(row["low"], row["high"])
    told = p_value if p_value.startswith("<") else f"= {p_value}"
    return f"difference {signed(row['difference'])} {ends}, p (Holm) {told}"


def _undefined(report: CrossValidationReport) -> str:
    found = [cell for cell in fold_cells(report) if cell["n_undefined"]]
    if not found:
        return "Every metric is defined on every fold."
    told = [
        f"{cell['metric']} of {cell['model']} in {cell['n_undefined']} of {cell['n_folds']}"
        for cell in found[:5]
    ]
    more = f", and {len(found) - 5} more" if len(found) > 5 else ""
    never = [cell for cell in found if np.isnan(cell["mean"])]
    added = " Means are over the other folds." if len(never) < len(found) else ""
    return f"Undefined on some folds: {', '.join(told)}{more}.{added}"
