"""Rows of the metrics of predicted labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from skmetrics_ext.metrics.labels import (
    accuracy,
    agreement,
    composite,
    costs,
    fbeta,
    imbalance,
    krippendorff,
    rate_kernels,
    rates,
)
from skmetrics_ext.metrics.labels.rate_function import Rate
from skmetrics_ext.metrics.labels.statistic_function import StatisticFunction
from skmetrics_ext.metrics.labels.statistics import STATISTIC_FUNCTIONS
from skmetrics_ext.metrics.rankings import precision_recall_gain
from skmetrics_ext.registry.spec import INFINITY, NEVER, PLAIN, MetricSpec, Variants

AVERAGES: Variants = {
    **PLAIN,
    **{average: {"average": average} for average in ("macro", "micro", "weighted", "samples")},
}
# Rates that are shares of rows, or sums of them: the counts of these rows and of the others.
_OF_TRUE, _OF_PRED = ("tp", "fn"), ("tp", "fp")
_SHARES: dict[Callable[..., Any], tuple[tuple[str, str], ...]] = {
    rate_kernels.recall: (_OF_TRUE,),
    rate_kernels.false_negative: (_OF_TRUE[::-1],),
    rate_kernels.specificity: (("tn", "fp"),),
    rate_kernels.false_positive: (("fp", "tn"),),
    rate_kernels.precision: (_OF_PRED,),
    rate_kernels.false_discovery: (_OF_PRED[::-1],),
    rate_kernels.negative_predictive_value: (("tn", "fn"),),
    rate_kernels.false_omission: (("fn", "tn"),),
    rate_kernels.youden_j: (_OF_TRUE, ("tn", "fp")),
    rate_kernels.markedness: (_OF_PRED, ("tn", "fn")),
}
# Shares of other rows, and ratios.
_INTERVALS: dict[Callable[..., Any], str] = {
    rate_kernels.true_share: "wilson",
    rate_kernels.hit_share: "wilson",
    rate_kernels.predicted_share: "wilson",
    rate_kernels.jaccard: "wilson",  # of the rows that are of a class or predicted so
    rate_kernels.positive_likelihood: "ratio",
    rate_kernels.negative_likelihood: "ratio",
    rate_kernels.odds_ratio: "ratio",
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
    """Row of a metric of labels; of the counts of all classes where nothing else is said."""
    name = function.__name__
    judges = other.get("greater_is_better", True) is not None
    scorer = name.removesuffix("_score") if judges else None
    facts = {"tally": "counts", "response": "labels", "scorer": scorer, **other}
    return MetricSpec(name, function, kernel, bounds=bounds, undefined=undefined, **facts)


def _rate(function: Callable[..., Any], rate: Rate, **other: Any) -> MetricSpec:
    """Row of a rate, whose facts stand beside its kernel."""
    shares = _SHARES.get(rate.kernel, ())
    facts = {
        "averages": "classes",
        "sides": "either" if rate.either else "one",
        "greater_is_better": rate.greater_is_better,
        "variants": PLAIN if rate.greater_is_better is None else AVERAGES,
        "shares": shares,
        "interval": "wilson" if len(shares) == 1 else _INTERVALS.get(rate.kernel, ""),
        **other,
    }
    return _row(function, rate.kernel, rate.bounds, rate.undefined, **facts)


def _statistic(function: StatisticFunction) -> MetricSpec:
    """Row of a statistic of the confusion table, whose facts stand beside its kernel."""
    own = function.statistic
    facts: dict[str, Any] = {"weights_are_counts": own.in_units, "interval": own.interval}
    if own.averaged:
        return _rate(function, function.rate, **facts)
    facts |= {"tally": own.tally, "greater_is_better": own.greater_is_better}
    if own.per_class:
        facts["scorer"] = None
    return _row(function, own.kernel, own.bounds, own.undefined, **facts)


ROWS = (
    _row(accuracy.accuracy_score, accuracy.accuracy, tally="hits", interval="wilson"),
    *(
        _row(function, accuracy.error, tally="hits", greater_is_better=False, interval="wilson")
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
    *(
        _rate(
            function, function.rate, **({"interval": "dice"} if function is rates.f1_score else {})
        )
        for function in (
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
        )
    ),
    _rate(fbeta.fbeta_score, rates.f1_score.rate, scorer="f2", params={"beta": 2.0}),
    _row(composite.balanced_accuracy_score, composite.balanced_accuracy, shares=(_OF_TRUE,)),
    _row(
        imbalance.geometric_mean_score,
        imbalance.geometric_mean,
        undefined="a class has no row",
        averages="rates",
        sides="either",
    ),
    _row(
        imbalance.index_balanced_accuracy_score,
        imbalance.index_balanced_accuracy,
        (0.0, 1.1),
        "no row, or every row, is of the class",
        averages="rates",
        sides="one",
        variants=SINGLE_LABEL_AVERAGES,
    ),
    _row(
        composite.fbeta_of_averages_score,
        composite.fbeta_of_averages,
        undefined="a class is never predicted, or has no row",
        averages="rates",
        scorer="f1_of_averages",
    ),
    _row(
        composite.averaged_confusion,
        composite.mean_table,
        (0.0, INFINITY),
        averages="rates",
        greater_is_better=None,
        is_table=True,
    ),
    _row(
        composite.no_information_rate,
        composite.largest_class,
        greater_is_better=None,
        interval="largest",  # of shares: without a derivative where two are equal
    ),
    _row(
        agreement.matthews_corrcoef,
        agreement.matthews,
        (-1.0, 1.0),
        ONE_CLASS,
        fill="zero_division",
    ),
    _row(
        agreement.cohen_kappa_score,
        agreement.cohen_kappa,
        (-1.0, 1.0),
        ONE_CLASS,
        table_params=("weights",),
        fill="replace_undefined_by",
    ),
    *(
        _row(function, kernel, (-1.0, 1.0), ONE_CLASS)
        for function, kernel in (
            (agreement.scott_pi_score, agreement.scott_pi),
            (agreement.gwet_ac1_score, agreement.gwet_ac1),
            (agreement.brennan_prediger_score, agreement.brennan_prediger),
        )
    ),
    _row(
        krippendorff.krippendorff_alpha_score,
        krippendorff.krippendorff_alpha,
        (-1.0, 1.0),
        ONE_CLASS,
        table_params=("level",),
        weights_are_counts=True,
    ),
    _row(
        costs.hamming_loss,
        costs.hamming,
        tally="marks",
        greater_is_better=False,
        interval="wilson",
    ),
    _row(
        costs.macro_averaged_mean_absolute_error,
        costs.mean_distance,
        (0.0, INFINITY),
        tally="confusion",
        greater_is_better=False,
        numeric_labels=True,
    ),
    *map(_statistic, STATISTIC_FUNCTIONS),
)

FURTHER = (
    _row(
        costs.expected_cost,
        costs.mean_cost,
        (-INFINITY, INFINITY),
        tally="confusion",
        greater_is_better=False,
    ),
)
