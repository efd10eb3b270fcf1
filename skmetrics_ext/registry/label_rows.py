"""Rows of the metrics of predicted labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from skmetrics_ext.metrics.labels import (
    accuracy,
    agreement,
    composite,
    costs,
    fbeta,
    imbalance,
    krippendorff,
    on_tables,
    rate_kernels,
    rates,
)
from skmetrics_ext.metrics.labels.rate_function import RateFunction
from skmetrics_ext.metrics.rankings import precision_recall_gain
from skmetrics_ext.registry.spec import INFINITY, NEVER, PLAIN, MetricSpec, Variants

AVERAGES: Variants = {
    **PLAIN,
    **{average: {"average": average} for average in ("macro", "micro", "weighted", "samples")},
}
# Rates that are a number of rows among some rows.
_SHARES = {
    rate_kernels.precision,
    rate_kernels.recall,
    rate_kernels.specificity,
    rate_kernels.negative_predictive_value,
    rate_kernels.false_positive,
    rate_kernels.false_negative,
    rate_kernels.false_discovery,
    rate_kernels.false_omission,
    rate_kernels.true_share,
    rate_kernels.hit_share,
    rate_kernels.predicted_share,
}
SINGLE_LABEL_AVERAGES = {name: AVERAGES[name] for name in ("", "macro", "micro", "weighted")}
ONE_CLASS = "only one class occurs"


def _row(
    function: Callable[..., Any],
    kernel: Callable[..., Any],
    bounds: tuple[float, float] = (0.0, 1.0),
    undefined: str = NEVER,
    **other: Any,
) -> MetricSpec:
    """Row of a metric of the counts of all classes."""
    name = function.__name__
    judges = other.get("greater_is_better", True) is not None
    scorer = name.removesuffix("_score") if judges else None
    facts = {"tally": "counts", "response": "labels", "scorer": scorer, **other}
    return MetricSpec(name, function, kernel, bounds=bounds, undefined=undefined, **facts)


def _rate(function: RateFunction, **other: Any) -> MetricSpec:
    """Row of a rate, whose facts stand beside its kernel."""
    rate = function.rate
    descriptive = rate.greater_is_better is None
    facts = {
        "function": function,
        "kernel": rate.kernel,
        "tally": "counts",
        "response": "labels",
        "bounds": rate.bounds,
        "undefined": rate.undefined,
        "greater_is_better": rate.greater_is_better,
        "scorer": None if descriptive else rate.name.removesuffix("_score"),
        "variants": PLAIN if descriptive else AVERAGES,
        "on_tables": on_tables.rate(rate),
        "interval": "wilson" if rate.kernel in _SHARES else "",
    }
    return MetricSpec(rate.name, **{**facts, **other})


ROWS = (
    _row(
        accuracy.accuracy_score,
        accuracy.accuracy,
        on_tables=on_tables.whole(accuracy.accuracy),
        interval="wilson",
    ),
    *(
        _row(
            function,
            accuracy.error,
            greater_is_better=False,
            on_tables=on_tables.whole(accuracy.error),
            interval="wilson",
        )
        for function in (accuracy.zero_one_loss, accuracy.error_rate)
    ),
    _row(
        accuracy.confusion_matrix,
        accuracy.normalized,
        (0.0, INFINITY),
        tally="confusion",
        greater_is_better=None,
        is_table=True,
    ),
    *map(
        _rate,
        (
            rates.precision_score,
            rates.recall_score,
            rates.specificity_score,
            rates.negative_predictive_value_score,
            rates.false_positive_rate,
            rates.false_negative_rate,
            rates.false_discovery_rate,
            rates.false_omission_rate,
            rates.prevalence,
            rates.detection_rate,
            rates.detection_prevalence,
            rates.f1_score,
            rates.jaccard_score,
            rates.youden_j_score,
            rates.markedness_score,
            rates.positive_likelihood_ratio,
            rates.negative_likelihood_ratio,
            rates.diagnostic_odds_ratio,
            rates.fowlkes_mallows_index_score,
            precision_recall_gain.precision_gain_score,
            precision_recall_gain.recall_gain_score,
            precision_recall_gain.f1_gain_score,
        ),
    ),
    replace(
        _rate(rates.f1_score),
        name="fbeta_score",
        function=fbeta.fbeta_score,
        kernel=partial(rate_kernels.fbeta, beta=2.0),
        scorer="f2",
        params={"beta": 2.0},
        on_tables=on_tables.fbeta,
    ),
    _row(
        composite.balanced_accuracy_score,
        composite.balanced_accuracy,
        on_tables=on_tables.balanced_accuracy,
    ),
    _row(
        imbalance.geometric_mean_score,
        imbalance.recall_geometric_mean,
        undefined="a class has no row",
        on_tables=on_tables.geometric_mean,
    ),
    _row(
        imbalance.index_balanced_accuracy_score,
        imbalance.index_balanced_accuracy,
        (0.0, 1.1),
        "no row, or every row, is of the class",
        variants=SINGLE_LABEL_AVERAGES,
        on_tables=on_tables.index_balanced_accuracy,
    ),
    _row(
        composite.fbeta_of_averages_score,
        composite.fbeta_of_averages,
        undefined="a class is never predicted, or has no row",
        scorer="f1_of_averages",
        on_tables=on_tables.fbeta_of_averages,
    ),
    _row(
        composite.averaged_confusion,
        composite.mean_table,
        (0.0, INFINITY),
        greater_is_better=None,
        is_table=True,
    ),
    _row(
        composite.no_information_rate,
        composite.largest_class,
        greater_is_better=None,
        on_tables=on_tables.no_information_rate,
        interval="largest",  # of shares: without a derivative where two are equal
    ),
    *(
        _row(function, kernel, (-1.0, 1.0), ONE_CLASS, on_tables=stacked)
        for function, kernel, stacked in (
            (agreement.matthews_corrcoef, agreement.matthews, on_tables.matthews),
            (agreement.cohen_kappa_score, agreement.cohen_kappa, on_tables.cohen_kappa),
            (
                agreement.scott_pi_score,
                agreement.scott_pi,
                on_tables.within(agreement.scott_pi),
            ),
            (agreement.gwet_ac1_score, agreement.gwet_ac1, on_tables.gwet_ac1),
            (
                agreement.brennan_prediger_score,
                agreement.brennan_prediger,
                on_tables.brennan_prediger,
            ),
        )
    ),
    _row(
        krippendorff.krippendorff_alpha_score,
        krippendorff.nominal_alpha,
        (-1.0, 1.0),
        ONE_CLASS,
        weights_are_counts=True,
        on_tables=on_tables.krippendorff_alpha,
    ),
    _row(
        costs.hamming_loss,
        costs.hamming,
        greater_is_better=False,
        on_tables=on_tables.whole(accuracy.error),  # of single-label data
        interval="wilson",
    ),
    _row(
        costs.macro_averaged_mean_absolute_error,
        costs.mean_distance,
        (0.0, INFINITY),
        tally="confusion",
        greater_is_better=False,
        numeric_labels=True,
        on_tables=on_tables.mean_distance,
    ),
)

FURTHER = (
    _row(
        costs.expected_cost,
        costs.mean_cost,
        (-INFINITY, INFINITY),
        tally="confusion",
        greater_is_better=False,
        on_tables=on_tables.expected_cost,
    ),
)
