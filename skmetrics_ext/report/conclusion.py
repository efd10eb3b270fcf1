"""The answer of a report in a few sentences."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmetrics_ext.formats import form_for
from skmetrics_ext.report import summary
from skmetrics_ext.report.comparisons import comparisons
from skmetrics_ext.report.out_of_fold import FoldValues
from skmetrics_ext.report.sentences import (
    Numbers,
    best_text,
    capital,
    difference_text,
    in_direction,
    question_text,
    rival_text,
    shown_metric,
)
from skmetrics_ext.validation import InvalidParameterError

_MOST_LISTED = 5


def conclusion(report: FoldValues) -> list[str]:
    """Sentences: the question, the answer, what intervals describe, and what is undefined."""
    said = [capital(answer(report)), capital(about(report))]
    return [_question(report), *said, undefined_cells(report)]


def _question(report: FoldValues) -> str:
    models = summary.without_baseline(report) or [*report.models]
    question = question_text(models, report.positive_class)
    name, sign = shown_metric(report.metrics[0])
    lower = " (lower is better)" if sign < 0 else ""
    groups = "" if report.grouping is None else f" in {report.grouping.n_groups:,} groups"
    return (
        f"{question} {name}{lower}, {report.n_folds}-fold cross-validation on "
        f"{report.n_samples:,} rows{groups}."
    )


def answer(report: FoldValues) -> str:
    """The best model by the first metric with its value, and how it compares with its rivals."""
    metric, baseline = report.metrics[0], report.baseline
    name, sign = shown_metric(metric, inside=True)
    try:
        best = summary.best_model(report, metric)
    except InvalidParameterError as error:
        return str(error).removesuffix(".")
    others = len(report.models) > 1
    rank = ("lowest" if sign < 0 else "highest") if others else ""
    cells = summary.shown_cells(report)
    cell = next(c for c in cells if (c["model"], c["metric"]) == (best, metric))
    numbers = in_direction(sign, (summary.value_or_mean(cell), cell["low"], cell["high"]))
    said = [best_text(best, name, numbers, rank)]
    if best == baseline and others:
        return f"{said[0]}; no model is better than this baseline, which ignores the features"
    pairs = [best_and_next(report, metric)]
    if baseline is not None and best != baseline:
        pairs.append(comparison_of(report, metric, best, baseline))
        if pairs[-1] is None:
            said.append(f"too few folds for a comparison with {baseline}")
    alpha = 1 - report.confidence_level
    for pair in filter(None, pairs):
        # A model that beats the baseline is news only if there is no other model to beat.
        if pair["against"] == baseline and pair["p_adjusted"] < alpha and pairs[0] is not None:
            continue
        said.append(rival_text(pair["against"], difference(pair), pair["p_adjusted"], alpha))
    return "; ".join(said)


def about(report: FoldValues) -> str:
    """What the intervals of the values, and of the differences, describe."""
    level, target = summary.interval_title(report).split(", ", maxsplit=1)
    several = len(report.models) > 1 and target != summary.TARGETS["corrected"]
    differences = f"; differences for {summary.TARGETS['corrected']}" if several else ""
    return f"{level} intervals for {target}{differences}"


def best_and_next(report: FoldValues, metric: str) -> dict[str, Any] | None:
    """Comparison of the two models with the best means, the baseline excluded; None if absent."""
    means = summary.defined_means(report, metric)
    models = [model for model in means if model != report.baseline]
    if len(models) < 2:
        return None
    return comparison_of(report, metric, *sorted(models, key=lambda model: -means[model])[:2])


def comparison_of(
    report: FoldValues, metric: str, first: str, second: str | None
) -> dict[str, Any] | None:
    """Comparison of two models, as first less second; None if there is none."""
    for row in comparisons(report, metric):
        if np.isnan(row["p_value"]) or {row["model"], row["against"]} != {first, second}:
            continue
        if row["model"] == first:
            return dict(row)
        turned = dict(zip(("value", "low", "high"), in_direction(-1, _numbers(row)), strict=True))
        turned |= {"value_a": row["value_b"], "value_b": row["value_a"]}
        return {**row, "model": first, "against": second, **turned}
    return None


def _numbers(row: Any) -> Numbers:
    return row["value"], row["low"], row["high"]


def difference(row: Any) -> Numbers:
    """A difference and its bounds in the direction that people read."""
    return in_direction(shown_metric(row["metric"])[1], _numbers(row))


def compared_text(report: FoldValues, row: Any) -> str:
    """Both values of a comparison and their difference: "0.556 against 0.309, +0.247 [...]"."""
    numbers, sign = difference(row), shown_metric(row["metric"])[1]
    form = form_for(*numbers[1:])
    values = f"{form(sign * row['value_a'])} against {form(sign * row['value_b'])}"
    alpha = 1 - report.confidence_level
    return f"{values}, {difference_text(numbers, row['p_adjusted'], alpha)}"


def undefined_cells(report: FoldValues) -> str:
    """Which metrics of which models are undefined on some folds."""
    cells = [cell for cell in summary.fold_cells(report) if cell["n_undefined"]]
    if not cells:
        return "Every metric is defined on every fold."
    names = [
        f"{shown_metric(c['metric'])[0]} of {c['model']} in {c['n_undefined']} of {c['n_folds']}"
        for c in cells
    ]
    has_means = any(not np.isnan(cell["mean"]) for cell in cells)
    others = " Means are over the other folds." if has_means else ""
    return f"Undefined on some folds: {listed(names)}.{others}"


def listed(texts: list[str]) -> str:
    """The first few texts, and the number of the others."""
    n_more = len(texts) - _MOST_LISTED
    more = f", and {n_more} more" if n_more > 0 else ""
    return ", ".join(texts[:_MOST_LISTED]) + more
