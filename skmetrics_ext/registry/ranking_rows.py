"""Rows of the metrics of scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from skmetrics_ext.metrics.probabilities.losses import mean
from skmetrics_ext.metrics.rankings import (
    equal_error,
    gains,
    h_measure,
    net_benefit,
    partial_auc,
    precision_recall,
    precision_recall_gain,
    ranking_kernels,
    roc_areas,
    slopes,
    top_k,
)
from skmetrics_ext.metrics.rankings import operating_points as at
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
NO_POSITIVES = "no row is of the class"

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
        "undefined": "a class has no rows, or no others",
    }
    facts |= other
    return MetricSpec(name, function, kernel, "ranks", bounds=bounds, ranges=ranges, **facts)


def _area(
    function: Callable[..., Any],
    kernel: Callable[..., Any],
    ranges: Ranges,
    bounds: tuple[float, float] = (0.0, 1.0),
    **other: Any,
) -> MetricSpec:
    """Row of an area under the ROC curve, of one class against the rest or of pairs of classes."""
    facts = {"undefined": "a class has no rows", "variants": ROC, "sides": "either"}
    return _ranked(function, kernel, ranges, bounds, **{**facts, **other})


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
    facts = {"variants": variants, "params": params, "point": argument}
    return _ranked(function, kernel, ranges, bounds, **facts, **other)


# One rate at another: function, kernel, places that decide, slope, the other rate, the rows that
# it is a share of, its interval.
_AT_A_RATE = (
    (
        at.sensitivity_at_specificity,
        at.sensitivity_at,
        at.around_specificity,
        slopes.of_sensitivity_at,
        "specificity",
        "negative",
        "",
    ),
    (
        at.specificity_at_sensitivity,
        at.specificity_at,
        at.around_sensitivity,
        slopes.of_specificity_at,
        "sensitivity",
        "positive",
        "",
    ),
    (
        at.precision_at_recall,
        at.precision_at,
        at.around_recall,
        slopes.of_precision_at,
        "recall",
        "positive",
        "largest of several",
    ),
    # The last of many crossings, whose density says little of the next: it is resampled.
    (at.recall_at_precision, at.recall_at, at.around_precision, None, "precision", "", "biased"),
)

FURTHER = (
    _area(
        roc_areas.pairwise_roc_auc,
        ranking_kernels.roc_auc,
        replace(WINS, instead=("max_fpr", WHOLE)),
        greater_is_better=None,
        is_table=True,
        scorer=None,
        variants=PLAIN,
    ),
)

ROWS = (
    _area(
        roc_areas.roc_auc_score,
        ranking_kernels.roc_auc,
        replace(WINS, instead=("max_fpr", UP_TO)),
        one_sided_params=("max_fpr",),
        slope=slopes.of_roc_auc,
        interval="logit",
    ),
    _area(
        roc_areas.gini_score,
        ranking_kernels.gini,
        WINS,
        (-1.0, 1.0),
        slope=slopes.of_gini,
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
        slope=slopes.of_gini,
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
        slope=slopes.of_lift,
        point_of="all",
    ),
    _ranked(h_measure.h_measure_score, h_measure.hand_h, HULL, interval="biased"),
    _ranked(
        precision_recall_gain.auprg_score,
        precision_recall_gain.auprg,
        Ranges("sum", precision_recall_gain.gain_area, precision_recall_gain.at_most_1),
        (-INFINITY, 1.0),
        slope=slopes.of_auprg,
    ),
    _ranked(
        equal_error.equal_error_rate,
        equal_error.equal_error,
        Ranges("places", equal_error.around_equal_errors),
        greater_is_better=False,
        sides="either",
        slope=slopes.of_equal_error,
    ),
    *(
        _ranked_at(
            function,
            kernel,
            places,
            argument,
            (90, 80, 95, 99),
            slope=slope,
            point_of=rows,
            interval=interval,
        )
        for function, kernel, places, slope, argument, rows, interval in _AT_A_RATE
    ),
    _ranked_at(
        net_benefit.net_benefit,
        net_benefit.benefit,
        net_benefit.around_threshold,
        "threshold",
        (50, 5, 10, 20),
        (-INFINITY, 1.0),
        scorer="net_benefit_at",
        slope=slopes.of_net_benefit,
        shares=net_benefit.benefit_shares,
        check=Scores.check,
        response="probabilities",
    ),
    _area(
        partial_auc.partial_roc_auc_score,
        ranking_kernels.partial_roc_auc,
        Ranges("sum", ranking_kernels.area_within, ranking_kernels.standardized),
        params={"fpr_range": (0.0, 0.1)},
        sides="one",
        slope=slopes.of_partial_roc_auc,
    ),
    _area(
        partial_auc.roc_auc_convex_hull_score,
        ranking_kernels.roc_auc_convex_hull,
        HULL,
        (0.5, 1.0),
        interval="biased",
    ),
    _ranked(
        precision_recall.average_precision_score,
        ranking_kernels.average_precision,
        SUM,
        undefined=NO_POSITIVES,
        needs_positives=True,
        variants=SCORE_AVERAGES,
        slope=slopes.of_average_precision,
        check=partial(Scores.check, by_rule=True),
    ),
    _ranked(
        precision_recall.pr_auc_score,
        precision_recall.pr_area,
        SUM,
        undefined=NO_POSITIVES,
        variants={**SCORE_AVERAGES, "davis_goadrich": {"interpolation": "davis_goadrich"}},
        slope=slopes.of_pr_area,
    ),
    MetricSpec(
        "top_k_accuracy_score",
        top_k.top_k_accuracy_score,
        mean,
        "moments",
        "scores",
        (0.0, 1.0),
        NEVER,
        scorer="top_k_accuracy",
        least_classes=3,
        misses_unseen=True,
        check=Scores.check_columns,
        row_values=top_k.top_k_hits,
        interval="wilson",
    ),
)
