"""Rows of the metrics of scores."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from skmetrics_ext.metrics.probabilities import row_values
from skmetrics_ext.metrics.rankings import (
    equal_error,
    gains,
    h_measure,
    net_benefit,
    operating_points,
    partial_auc,
    precision_recall,
    precision_recall_gain,
    ranking_kernels,
    top_k,
)
from skmetrics_ext.metrics.rankings import roc_areas as ranking
from skmetrics_ext.registry.spec import INFINITY, NEVER, PLAIN, MetricSpec, Variants
from skmetrics_ext.validation import Scores

ROC: Variants = {
    **PLAIN,
    **{
        name: {"multi_class": multi_class, "average": average}
        for name, multi_class, average in (
            ("ovr", "ovr", "macro"),
            ("ovo", "ovo", "macro"),
            ("ovr_weighted", "ovr", "weighted"),
            ("ovo_weighted", "ovo", "weighted"),
        )
    },
}
RANKED: Variants = {**PLAIN, "weighted": {"average": "weighted"}}
SCORE_AVERAGES: Variants = {**RANKED, "micro": {"average": "micro"}}


def _ranked(
    function: Callable[..., Any],
    kernel: Callable[..., Any],
    bounds: tuple[float, float] = (0.0, 1.0),
    **other: Any,
) -> MetricSpec:
    """Row of a metric of a ranking, one class against the rest."""
    name = function.__name__
    facts: dict[str, Any] = {
        "response": "scores",
        "sides": "one",
        "scorer": name.removesuffix("_score"),
        "variants": RANKED,
    }
    return MetricSpec(
        name,
        function,
        kernel,
        "ranks",
        bounds=bounds,
        undefined="a class has no rows, or no others",
        **{**facts, **other},
    )


def _ranked_at(
    function: Callable[..., Any],
    kernel: Callable[..., Any],
    argument: str,
    percents: tuple[int, ...],
    bounds: tuple[float, float] = (0.0, 1.0),
    **other: Any,
) -> MetricSpec:
    """The same, read at one of some points; scorers bear the point in percent."""
    variants = {str(percent): {argument: percent / 100} for percent in percents}
    params = variants[str(percents[0])]
    return _ranked(function, kernel, bounds, variants=variants, params=params, **other)


FURTHER = (
    MetricSpec(
        "pairwise_roc_auc",
        ranking.pairwise_roc_auc,
        ranking_kernels.roc_auc,
        "ranks",
        "scores",
        (0.0, 1.0),
        "a class has no rows",
        greater_is_better=None,
        is_table=True,
        sides="either",
    ),
)

ROWS = (
    MetricSpec(
        "roc_auc_score",
        ranking.roc_auc_score,
        ranking_kernels.roc_auc,
        "ranks",
        "scores",
        (0.0, 1.0),
        "a class has no rows",
        scorer="roc_auc",
        variants=ROC,
        sides="either",
        one_sided_params=("max_fpr",),
        interval="logit",
    ),
    MetricSpec(
        "gini_score",
        ranking.gini_score,
        ranking_kernels.gini,
        "ranks",
        "scores",
        (-1.0, 1.0),
        "a class has no rows",
        scorer="gini",
        variants=ROC,
        sides="either",
        interval="logit",
    ),
    _ranked(gains.ks_statistic_score, gains.kolmogorov_smirnov, sides="either", interval="biased"),
    _ranked(
        gains.gain_capture_score, gains.gain_capture, (-1.0, 1.0), sides="either", interval="logit"
    ),
    _ranked_at(
        gains.lift_score, gains.lift, "fraction", (10, 1, 5, 20), (0.0, INFINITY), scorer="lift_at"
    ),
    _ranked(h_measure.h_measure_score, h_measure.hand_h, interval="biased"),
    _ranked(precision_recall_gain.auprg_score, precision_recall_gain.auprg, (-INFINITY, 1.0)),
    _ranked(
        equal_error.equal_error_rate,
        equal_error.equal_error,
        greater_is_better=False,
        sides="either",
    ),
    *(
        _ranked_at(function, kernel, argument, (90, 80, 95, 99), interval=interval)
        for function, kernel, argument, interval in (
            (
                operating_points.sensitivity_at_specificity,
                operating_points.sensitivity_at,
                "specificity",
                "",
            ),
            (
                operating_points.specificity_at_sensitivity,
                operating_points.specificity_at,
                "sensitivity",
                "",
            ),
            (operating_points.precision_at_recall, operating_points.precision_at, "recall", ""),
            (
                operating_points.recall_at_precision,
                operating_points.recall_at,
                "precision",
                "biased",
            ),
        )
    ),
    _ranked_at(
        net_benefit.net_benefit,
        net_benefit.benefit,
        "threshold",
        (50, 5, 10, 20),
        (-INFINITY, 1.0),
        scorer="net_benefit_at",
        check=Scores.check,
        response="probabilities",
    ),
    MetricSpec(
        "partial_roc_auc_score",
        partial_auc.partial_roc_auc_score,
        ranking_kernels.partial_roc_auc,
        "ranks",
        "scores",
        (0.0, 1.0),
        "a class has no rows",
        scorer="partial_roc_auc",
        variants=ROC,
        params={"fpr_range": (0.0, 0.1)},
        sides="one",
    ),
    MetricSpec(
        "roc_auc_convex_hull_score",
        partial_auc.roc_auc_convex_hull_score,
        ranking_kernels.roc_auc_convex_hull,
        "ranks",
        "scores",
        (0.5, 1.0),
        "a class has no rows",
        scorer="roc_auc_convex_hull",
        variants=ROC,
        sides="either",
        interval="biased",
    ),
    MetricSpec(
        "average_precision_score",
        precision_recall.average_precision_score,
        ranking_kernels.average_precision,
        "ranks",
        "scores",
        (0.0, 1.0),
        "no row is of the class",
        scorer="average_precision",
        needs_positives=True,
        variants=SCORE_AVERAGES,
        sides="one",
        check=partial(Scores.check, by_rule=True),
    ),
    MetricSpec(
        "pr_auc_score",
        precision_recall.pr_auc_score,
        precision_recall.pr_area,
        "ranks",
        "scores",
        (0.0, 1.0),
        "no row is of the class",
        scorer="pr_auc",
        variants={**SCORE_AVERAGES, "davis_goadrich": {"interpolation": "davis_goadrich"}},
        sides="one",
    ),
    MetricSpec(
        "top_k_accuracy_score",
        top_k.top_k_accuracy_score,
        top_k.mean,
        "moments",
        "scores",
        (0.0, 1.0),
        NEVER,
        scorer="top_k_accuracy",
        least_classes=3,
        misses_unseen=True,
        check=Scores.check_columns,
        row_values=row_values.top_k_hits,
        interval="wilson",
    ),
)
