"""Comparisons of models on the same folds, and the answer of a report in a few sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from skmetrics_ext.formats import form_for
from skmetrics_ext.inference.estimate_rows import (
    KEYS,
    EstimateRow,
    for_people,
    other_way,
    shown_metric,
)
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.inference.tests import fold_tests
from skmetrics_ext.registry.find import registered_name
from skmetrics_ext.report import summary
from skmetrics_ext.report.fold import computed_once
from skmetrics_ext.report.out_of_fold import FoldValues
from skmetrics_ext.report.sentences import (
    best_text,
    capital,
    difference_text,
    numbers_of,
    question_text,
    rival_text,
)
from skmetrics_ext.report.summary import measured, paired_folds, summary_of
from skmetrics_ext.tables import Row
from skmetrics_ext.validation import InvalidParameterError, check_option

_MOST_LISTED = 5
_NAN = float("nan")
_POSTERIOR = ("p_a_better", "p_equivalent", "p_b_better")


def compare_models(
    report: FoldValues, metric: str | None, rope: Any, against: str
) -> list[EstimateRow]:
    """A row per metric and pair of models; the pairs of a metric are one family of tests."""
    check_option("against", against, ("all", "baseline"))
    if metric is not None:
        metric = registered_name(metric, report.metrics)
        check_option("metric", metric, report.metrics)
    if against == "baseline" and report.baseline is None:
        raise InvalidParameterError("This report has no baseline: compare against='all'.")
    metrics = report.metrics if metric is None else (metric,)
    ropes = _ropes(rope, metrics)
    return [
        row.changed(**_posterior(report, row, ropes.get(name)), rope=ropes.get(name))
        for name in metrics
        for row in comparisons(report, name)
        if against == "all" or report.baseline in (row["model"], row["against"])
    ]


def _ropes(rope: Any, metrics: Sequence[str]) -> Mapping[str, float]:
    """Region of practical equivalence by metric."""
    if rope is None:
        return {}
    if isinstance(rope, Mapping):
        for name in rope:
            check_option("rope", name, metrics)
        return rope
    if len(metrics) > 1:
        example = f"{{{metrics[0]!r}: {rope!r}, ...}}"
        raise InvalidParameterError(
            f"rope={rope!r} is in units of one metric, but {len(metrics)} are compared: pass "
            f"metric=, or a dict such as rope={example}."
        )
    return {metrics[0]: rope}


@computed_once
def comparisons(report: FoldValues, metric: str) -> list[EstimateRow]:
    """All pairs of models, with p-values and intervals adjusted by Holm's method.

    The adjusted interval of a pair has the level at which Holm's method tests it, so it excludes
    0 exactly if the adjusted p-value is below 1 - ``confidence_level``.
    """
    of_models = [row for row in summary_of(report, "corrected") if row["metric"] == metric]
    pairs = Estimates(of_models).against(model="each").adjust("holm")
    rows = []
    for row in pairs:
        own = {key: row[key] for key in (*KEYS, "value_a", "value_b", "p_adjusted", "adjustment")}
        own |= dict.fromkeys(("low_holm", "high_holm"), _NAN)
        own["n_folds"] = len(_paired(report, row)["scores_a"])
        rows.append(EstimateRow(own, report.confidence_level, row.estimate))
    tested = sorted((r for r in rows if not np.isnan(r["p_value"])), key=lambda r: r["p_value"])
    alpha = size = 1 - report.confidence_level
    is_rejected = True
    for place, row in enumerate(tested):
        if is_rejected:
            size = alpha / (len(tested) - place)
        is_rejected = is_rejected and row["p_adjusted"] < alpha
        test = row.estimate.at(1 - size)
        row.update(low_holm=test.low, high_holm=test.high)
    return rows


def _paired(report: FoldValues, row: Mapping[str, Any]) -> dict[str, Any]:
    metric, others = row["metric"], {r.fold: r for r in report.results_of(row["against"])}
    results = [result for result in report.results_of(row["model"]) if result.fold in others]
    first = measured(report, metric, results)
    second = measured(report, metric, [others[result.fold] for result in results])
    return paired_folds(report, results, first, second)


def _posterior(report: FoldValues, row: Mapping[str, Any], rope: float | None) -> dict[str, float]:
    """Posterior probabilities that a is better by more than ``rope``, that b is, or neither."""
    if np.isnan(row["p_value"]):
        return dict.fromkeys(_POSTERIOR, _NAN)
    bayes = fold_tests.bayesian_correlated_ttest(**_paired(report, row), rope=rope or 0.0)
    shares = {key: getattr(bayes, key) for key in _POSTERIOR}
    return shares if rope is not None else shares | {"p_equivalent": _NAN}


# --------------------------------------------------------------------------- the answer


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
    cells = summary.shown_rows(report)
    cell = next(c for c in cells if (c["model"], c["metric"]) == (best, metric))
    numbers = numbers_of({**cell, "value": summary.value_or_mean(cell)})
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
        is_better = pair["against"] == baseline and pair["p_adjusted"] < alpha
        if not (is_better and pairs[0]):
            said.append(rival_text(pair["against"], numbers_of(pair), pair["p_adjusted"], alpha))
    return "; ".join(said)


def about(report: FoldValues) -> str:
    """What the intervals of the values, and of the differences, describe."""
    level, target = summary.level_and_target(report)
    several = len(report.models) > 1 and target != summary.TARGETS["corrected"]
    differences = f"; differences for {summary.TARGETS['corrected']}" if several else ""
    return f"{level} intervals for {target}{differences}"


def best_and_next(report: FoldValues, metric: str) -> Row | None:
    """Comparison of the two models with the best means, the baseline excluded; None if absent."""
    means = summary.defined_means(report, metric)
    models = [model for model in means if model != report.baseline]
    if len(models) < 2:
        return None
    return comparison_of(report, metric, *sorted(models, key=lambda model: -means[model])[:2])


def comparison_of(report: FoldValues, metric: str, first: str, second: str | None) -> Row | None:
    """Comparison of two models, as first less second; None if there is none."""
    for row in comparisons(report, metric):
        if {row["model"], row["against"]} == {first, second} and not np.isnan(row["p_value"]):
            return row if row["model"] == first else other_way(row)
    return None


def compared_text(report: FoldValues, row: Row) -> str:
    """Both values of a comparison and their difference: "0.556 against 0.309, +0.247 [...]"."""
    shown = for_people(row)
    form = form_for(shown["low"], shown["high"])
    values = f"{form(shown['value_a'])} against {form(shown['value_b'])}"
    alpha = 1 - report.confidence_level
    return f"{values}, {difference_text(numbers_of(row), row['p_adjusted'], alpha)}"


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
