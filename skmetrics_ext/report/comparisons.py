"""Comparisons of models on the same folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from skmetrics_ext.inference.estimate_rows import KEYS, EstimateRow
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.inference.tests import fold_tests
from skmetrics_ext.registry.find import registered_name
from skmetrics_ext.report.fold import computed_once
from skmetrics_ext.report.out_of_fold import FoldValues
from skmetrics_ext.report.summary import measured, paired_folds, summary_of
from skmetrics_ext.validation import InvalidParameterError, check_option

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
        own |= {"n_folds": len(_paired(report, row)["scores_a"])}
        own |= {"low_holm": _NAN, "high_holm": _NAN}
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
