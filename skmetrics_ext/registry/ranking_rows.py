"""Rows of the metrics of scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
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
from skmetrics_ext.registry.spec import INFINITY, NEVER, PLAIN, WHOLE, MetricSpec, Ranges, Variants
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

# How they are read in ranges of scores.
WINS = Ranges("wins")
UP_TO = Ranges("sum", ranking_kernels.area_up_to, ranking_kernels.standardized_up_to)
SUM = Ranges("sum")  # the kernel itself says what a stretch adds
HULL = Ranges("places", ranking_kernels.corners)


def _ranked(
    function: Callable[..., Any],
    kernel: Callable[..., Any],
    ranges: Ranges,
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
        ranges=ranges,
        **{**facts, **other},
    )


def _ranked_at(
    function: Callable[..., Any],
    kernel: Callable[..., Any],
    places: Callable[..., Any],
    argument: str,
    percents: tuple[int, ...],
    bounds: tuple[float, float] = (0.0, 1.0),
    **other: Any,
) -> MetricSpec:
    """The same, read at one of some points; scorers bear the point in percent."""
    variants = {str(percent): {argument: percent / 100} for percent in percents}
    params = variants[str(percents[0])]
    ranges = Ranges("places", places)
    return _ranked(function, kernel, ranges, bounds, variants=variants, params=params, **other)


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
        ranges=replace(WINS, instead=("max_fpr", WHOLE)),
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
        ranges=replace(WINS, instead=("max_fpr", UP_TO)),
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
        ranges=WINS,
        interval="logit",
    ),
    _ranked(
        gains.ks_statistic_score,
        gains.kolmogorov_smirnov,
        HULL,
        sides="either",
        interval="biased",
    ),
    _ranked(
        gains.gain_capture_score,
        gains.gain_capture,
        WINS,
        (-1.0, 1.0),
        sides="either",
        interval="logit",
    ),
    _ranked_at(
        gains.lift_score,
        gains.lift,
        gains.around_fraction,
        "fraction",
        (10, 1, 5, 20),
        (0.0, INFINITY),
        scorer="lift_at",
    ),
    _ranked(h_measure.h_measure_score, h_measure.hand_h, HULL, interval="biased"),
    _ranked(
        precision_recall_gain.auprg_score,
        precision_recall_gain.auprg,
        Ranges("sum", precision_recall_gain.gain_area, precision_recall_gain.at_most_1),
        (-INFINITY, 1.0),
    ),
    _ranked(
        equal_error.equal_error_rate,
        equal_error.equal_error,
        Ranges("places", equal_error.around_equal_errors),
        greater_is_better=False,
        sides="either",
    ),
    *(
        _ranked_at(function, kernel, places, argument, (90, 80, 95, 99), interval=interval)
        for function, kernel, places, argument, interval in (
            (
                operating_points.sensitivity_at_specificity,
                operating_points.sensitivity_at,
                operating_points.around_specificity,
                "specificity",
                "",
            ),
            (
                operating_points.specificity_at_sensitivity,
                operating_points.specificity_at,
                operating_points.around_sensitivity,
                "sensitivity",
                "",
            ),
            (
                operating_points.precision_at_recall,
                operating_points.precision_at,
                operating_points.around_recall,
                "recall",
                "",
            ),
            (
                operating_points.recall_at_precision,
                operating_points.recall_at,
                operating_points.around_precision,
                "precision",
                "biased",
            ),
        )
    ),
    _ranked_at(
        net_benefit.net_benefit,
        net_benefit.benefit,
        net_benefit.around_threshold,
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
        ranges=Ranges("sum", ranking_kernels.area_within, ranking_kernels.standardized),
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
        ranges=HULL,
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
        ranges=SUM,
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
        ranges=SUM,
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
