"""Intervals of means over folds, and models compared on the same folds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from skmetrics_ext.inference.tests.adjustment import holm_adjust
from skmetrics_ext.inference.tests.fold_tests import (
    bayesian_correlated_ttest,
    corrected_resampled_interval,
    corrected_resampled_ttest,
)
from skmetrics_ext.numeric import Array
from skmetrics_ext.report.grouping import Grouping, group_sizes
from skmetrics_ext.scoring.scorer import metric_of
from skmetrics_ext.validation import InvalidParameterError, check_option

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport
    from skmetrics_ext.report.fold import FoldResult

_NAN = float("nan")
_ENDS = ("difference", "low", "high", "p_value", "p_holm", "p_a_better", "p_equivalent")


def mean_interval(
    results: Sequence[FoldResult],
    values: Array,
    level: float,
    bounds: tuple[float, float],
    grouping: Grouping | None = None,
) -> tuple[float, float, float]:
    """Corrected standard error of the mean and its t interval, over the defined folds.

    The interval ends where the metric does: no mean lies beyond.
    """
    defined = np.isfinite(values)
    if np.count_nonzero(defined) < 2 or np.isinf(values).any():
        return _NAN, _NAN, _NAN
    kept = [result for result, is_kept in zip(results, defined, strict=True) if is_kept]
    sizes = group_sizes(grouping, kept)
    found = corrected_resampled_interval(values[defined], confidence_level=level, **sizes)
    return found.standard_error, max(found.low, bounds[0]), min(found.high, bounds[1])


def bounds_of(scorer: Any) -> tuple[float, float]:
    """Least and greatest value of a scorer; infinite where they are not known."""
    found = metric_of(scorer)
    if found is None or found.params.get("normalize") is False:
        return -math.inf, math.inf
    low, high = found.spec.bounds
    return (low, high) if scorer._sign > 0 else (-high, -low)


def compare_models(
    report: CrossValidationReport, metric: str | None, rope: float, against: str
) -> list[dict[str, Any]]:
    """A row per metric and pair of models."""
    check_option("against", against, ("all", "baseline"))
    if metric is not None:
        check_option("metric", metric, report.metrics)
    if against == "baseline" and report.baseline is None:
        raise InvalidParameterError("This report has no baseline: compare against='all'.")
    pairs = [
        pair
        for pair in combinations(report.models, 2)
        if against == "all" or report.baseline in pair
    ]
    rows = []
    for name in report.metrics if metric is None else (metric,):
        own = [_compare_pair(report, name, *pair, rope) for pair in pairs]
        tested = [row for row in own if not np.isnan(row["p_value"])]
        if tested:
            adjusted = holm_adjust([row["p_value"] for row in tested])
            for row, p_holm in zip(tested, adjusted, strict=True):
                row["p_holm"] = float(p_holm)
        rows += own
    return rows


def _compare_pair(
    report: CrossValidationReport, metric: str, model_a: str, model_b: str, rope: float
) -> dict[str, Any]:
    of_b = {result.fold: result for result in report.results_of(model_b)}
    shared = [(a, of_b[a.fold]) for a in report.results_of(model_a) if a.fold in of_b]
    shared = [pair for pair in shared if all(np.isfinite(r.values[metric]) for r in pair)]
    row: dict[str, Any] = {
        "metric": metric,
        "model_a": model_a,
        "model_b": model_b,
        "n_folds": len(shared),
        **dict.fromkeys(_ENDS, _NAN),
        "p_b_better": _NAN,
        "rope": rope,
        "reason": None,
    }
    if len(shared) < 2:
        row["reason"] = f"both are defined on {len(shared)} folds; at least 2 are needed"
        return row
    first, second = np.array([[r.values[metric] for r in pair] for pair in shared]).T
    sizes = group_sizes(report.grouping, [a for a, _ in shared])
    options = {**sizes, "confidence_level": report.confidence_level}
    test = corrected_resampled_ttest(first, second, **options)
    bayes = bayesian_correlated_ttest(first, second, rope=rope, **options)
    row.update(
        difference=test.difference,
        low=test.low,
        high=test.high,
        p_value=test.p_value,
        p_a_better=bayes.p_a_better,
        p_equivalent=bayes.p_equivalent,
        p_b_better=bayes.p_b_better,
    )
    return row
