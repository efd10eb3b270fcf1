"""Intervals of metrics: delta method, bootstrap."""

from __future__ import annotations

from typing import Any

import skmetrics_ext as m

from .making import Call, Inputs, Params

DRAWS = 9999
NAMES = {"f1": "f1", "mcc": "matthews_corrcoef", "roc_auc": "roc_auc"}
METHODS = {"percentile": "bootstrap", "BCa": "bca", "basic": "basic"}


def takahashi(name: str) -> Call:
    """[value, low, high] by the delta method."""

    def call(inputs: Inputs, params: Params) -> list[float]:
        estimate = m.confidence_interval(
            name,
            inputs["y_true"],
            inputs["y_pred"],
            method="delta",
            average=params["average"],
            confidence_level=params["conf_level"],
        )
        return [estimate.value, estimate.low, estimate.high]

    return call


def bounds(name: str, inputs: Inputs, params: Params, **options: Any) -> list[float]:
    response = inputs["y_score"] if "y_score" in inputs else inputs["y_pred"]
    estimate = m.confidence_interval(
        name,
        inputs["y_true"],
        response,
        confidence_level=params["conf_level"],
        n_resamples=DRAWS,
        random_state=0,
        **options,
    )
    return [estimate.low, estimate.high]


def bootstrap(inputs: Inputs, params: Params) -> list[float]:
    return bounds(NAMES[params["metric"]], inputs, params, method=METHODS[params["method"]])


def stratified_area(inputs: Inputs, params: Params) -> list[float]:
    assert params["method"] == "stratified percentile"
    return bounds("roc_auc", inputs, params, method="bootstrap", stratified=True)


def at_point(name: str, argument: str) -> Call:
    """Percentile interval of one rate where another is given; pROC draws within classes."""

    def call(inputs: Inputs, params: Params) -> list[float]:
        metric = m.METRICS[name].function
        options = {argument: params[argument], "method": "bootstrap", "stratified": True}
        return bounds(metric, inputs, params, **options)  # type: ignore[arg-type]

    return call


def at_threshold(inputs: Inputs, params: Params) -> list[float]:
    """Percentiles of draws within classes."""
    true = inputs["y_true"]
    found = m.curve_band(
        params["metric"],
        true,
        inputs["y_score"],
        at=[params["threshold"]],
        method="bootstrap",
        strata=true,
        confidence_level=params["conf_level"],
        n_resamples=DRAWS,
        random_state=0,
    )
    return [found.low[0], found.high[0]]


def paired_precision(inputs: Inputs, params: Params) -> dict[str, float]:
    scores = inputs["y_score"], inputs["y_score2"]
    found = m.compare("average_precision", inputs["y_true"], *scores, method="delta")
    return {"difference": found.difference, "standard_error": found.standard_error}


CALLS: dict[str, Call] = {
    "precision_ci_takahashi": takahashi("precision"),
    "recall_ci_takahashi": takahashi("recall"),
    "f1_ci_takahashi": takahashi("f1"),
    "bootstrap_ci": bootstrap,
    "ci_coords": at_threshold,
    "pr_difference_paired": paired_precision,
    "auc_bootstrap_ci": stratified_area,
    "sens_ci_at_spec_bootstrap": at_point("sensitivity_at_specificity", "specificity"),
    "spec_ci_at_sens_bootstrap": at_point("specificity_at_sensitivity", "sensitivity"),
}
