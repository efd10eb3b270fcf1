"""Quantities of probabilities: proper scores, calibration, decompositions, tests."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import skmetrics_ext

from .making import Call, Inputs, Params, keywords, on_scores


def fields(function: str, *names: str, **fixed: Any) -> Call:
    """Parts of a frozen result, by name."""

    def read(inputs: Inputs, params: Params) -> dict[str, Any]:
        result = on_scores(function, **fixed)(inputs, params)
        return {name: getattr(result, name) for name in names}

    return read


def field(function: str, name: str) -> Call:
    return lambda inputs, params: getattr(on_scores(function)(inputs, params), name)


def brier_multiclass(inputs: Inputs, params: Params) -> float:
    return on_scores("brier_score_loss", scale_by_half=False)(inputs, params)


def brier_scaled(inputs: Inputs, params: Params) -> float:
    """The scale of mlr: the Brier score that the mean forecast expects of itself."""
    mean = float(np.mean(inputs["y_score"]))
    return 1 - on_scores("brier_score_loss")(inputs, params) / (mean * (1 - mean))


def mean_gap(inputs: Inputs, params: Params) -> float:
    """Unweighted mean over the bins that hold rows."""
    curve = on_scores("calibration_curve_binned")(inputs, params)
    return float(np.nanmean(np.abs(curve.mean_predicted - curve.observed_rate)))


def nagelkerke(inputs: Inputs, params: Params) -> float:
    """The likelihood ratio per row is twice the log loss that the forecast saves."""
    own = on_scores("log_loss")(inputs, params)
    constant = own / (1 - on_scores("d2_log_loss_score")(inputs, params))
    return (1 - math.exp(-2 * (constant - own))) / (1 - math.exp(-2 * constant))


def ranked_skill(inputs: Inputs, params: Params) -> float:
    """Against the frequencies of the classes."""
    true, given = inputs["y_true"], keywords(inputs, params)
    shares = np.bincount(true) / len(true)
    reference = np.tile(shares, (len(true), 1))
    score = skmetrics_ext.ranked_probability_score
    return 1 - score(true, inputs["y_proba"], **given) / score(true, reference, **given)


def hosmer_lemeshow(inputs: Inputs, params: Params) -> dict[str, Any]:
    """One of the groupings is R's cut(p, breaks=n): equal widths over the observed range."""
    settings = {"ddof": 2, **params}  # these systems take two degrees of freedom from the bins
    if settings["strategy"] not in ("quantile", "uniform"):
        score = inputs["y_score"]
        edges = np.linspace(score.min(), score.max(), settings["n_bins"] + 1)
        settings = {"n_bins": edges.tolist(), "ddof": settings["ddof"]}
    read = fields("hosmer_lemeshow_test", "statistic", "df", "p_value")
    return read(inputs, settings)


def murphy(inputs: Inputs, params: Params) -> dict[str, Any]:
    assert params == {"binning": "unique forecast values"}
    parts = ("reliability", "resolution", "uncertainty")
    return fields("brier_decomposition", *parts, strategy="distinct")(inputs, {})


CALLS: dict[str, Call] = {
    "average_calibration_error": mean_gap,
    "brier_multiclass": brier_multiclass,
    "brier_scaled": brier_scaled,
    "brier_score": on_scores("brier_score_loss"),
    "brier_skill_score": on_scores("brier_skill_score"),
    "calibration_in_the_large": field("calibration_slope_intercept", "in_the_large"),
    "calibration_slope": field("calibration_slope_intercept", "slope"),
    "calibration_slope_intercept": fields("calibration_slope_intercept", "intercept", "slope"),
    "corp_decomposition": fields(
        "corp_decomposition", "miscalibration", "discrimination", "uncertainty"
    ),
    "d2_log_loss": on_scores("d2_log_loss_score"),
    "ece_binary": on_scores("expected_calibration_error"),
    "ece_top_label": on_scores("expected_calibration_error", target="top_label"),
    "hosmer_lemeshow": hosmer_lemeshow,
    "murphy_decomposition": murphy,
    "nagelkerke_r2": nagelkerke,
    "observed_expected_ratio": on_scores("observed_expected_ratio"),
    "quadratic_score": lambda inputs, params: 1 - brier_multiclass(inputs, params),
    "ranked_probability_score": on_scores("ranked_probability_score"),
    "ranked_probability_skill_score": ranked_skill,
    "smooth_ece": on_scores("smooth_calibration_error"),
    "spherical_score": on_scores("spherical_score"),
    "spiegelhalter_z": fields("spiegelhalter_test", "statistic", "p_value"),
}
