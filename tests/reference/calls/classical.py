"""Intervals of counts, tests of paired labels, of folds and of data sets, power."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from support.public import CALLED

import skmetrics_ext as m
from skmetrics_ext.inference.area_power import roc_auc_power, roc_auc_sample_size
from skmetrics_ext.inference.tests.rank_tests import average_ranks
from skmetrics_ext.inference.two_proportions import proportion_difference_interval

from .making import Call, Inputs, Later, Params, waits_for
from .tables import written_out

# PyCM rounds the normal quantile of 95 % to 1.96.
PYCM_LEVEL = math.erf(1.96 / math.sqrt(2))
MCNEMAR = {"chi2": "uncorrected", "chi2_corrected": "corrected"}


def bounds(estimate: m.results.Estimate) -> list[float]:
    return [estimate.low, estimate.high]


def with_value(estimate: m.results.Estimate) -> list[float]:
    return [estimate.value, estimate.low, estimate.high]


def share(of: str, among: str) -> Call:
    """[value, low, high] of the share of some cells among others."""

    def call(inputs: Inputs, params: Params) -> list[float]:
        count, nobs = (sum(int(inputs[cell]) for cell in group.split()) for group in (of, among))
        options = {"method": params["method"], "confidence_level": params["conf_level"]}
        return with_value(m.proportion_interval(count, nobs, **options))

    return call


def log_ratio(name: str) -> Call:
    """[value, low, high] of a ratio by the log method."""

    def call(inputs: Inputs, params: Params) -> list[float]:
        cells = {cell: inputs[cell] for cell in ("tp", "fp", "fn", "tn")}
        estimate = m.ratio_interval(**cells, ratio=name, confidence_level=params["conf_level"])
        assert estimate.method == f"{params['method']}, z"  # by the normal distribution
        return with_value(estimate)

    return call


def proportion_ci(inputs: Inputs, params: Params) -> list[float]:
    options = {"method": params["method"], "confidence_level": params["conf_level"]}
    return bounds(m.proportion_interval(params["count"], params["nobs"], **options))


def proportion_diff_ci(inputs: Inputs, params: Params) -> list[float]:
    counts = [params[name] for name in ("count1", "nobs1", "count2", "nobs2")]
    options = {"method": params["method"], "confidence_level": params["conf_level"]}
    return bounds(proportion_difference_interval(*counts, **options))


def accuracy_ci(inputs: Inputs, params: Params) -> list[float]:
    hits = inputs["y_true"] == inputs["y_pred"]
    options = {"method": params["method"], "confidence_level": params["conf_level"]}
    return bounds(m.proportion_interval(int(hits.sum()), len(hits), **options))


def accuracy_of_matrix(read: Callable[[m.results.Estimate, float], Any]) -> Call:
    """Reads Wald's interval of the accuracy of a table, and Cohen's kappa."""

    def call(inputs: Inputs, params: Params) -> Any:
        table = np.asarray(inputs["confusion_matrix"])
        hits, rows = int(np.trace(table)), int(table.sum())
        estimate = m.proportion_interval(hits, rows, method="wald", confidence_level=PYCM_LEVEL)
        return read(estimate, m.cohen_kappa_score(*written_out(table).values()))

    return call


def simple_kappa_error(accuracy: m.results.Estimate, kappa: float) -> float:
    """Cohen's first standard error, which takes the chance agreement as known."""
    return accuracy.standard_error * (1 - kappa) / (1 - accuracy.value)


def simple_kappa_ci(accuracy: m.results.Estimate, kappa: float) -> list[float]:
    spread = 1.96 * simple_kappa_error(accuracy, kappa)
    return [kappa - spread, kappa + spread]


def no_information_p(inputs: Inputs, params: Params) -> float:
    if "confusion_matrix" in inputs:
        inputs = written_out(inputs["confusion_matrix"])
    return m.significance.no_information_test(inputs["y_true"], inputs["y_pred"]).p_value


def mcnemar(inputs: Inputs, params: Params) -> dict[str, float]:
    """The table [[both right, a alone], [b alone, neither]], written out."""
    cells = np.asarray(inputs["table"]).ravel()
    pred_a, pred_b = np.repeat([1, 1, 0, 0], cells), np.repeat([1, 0, 1, 0], cells)
    method = MCNEMAR.get(params["method"], params["method"])
    test = m.mcnemar_test(np.ones_like(pred_a), pred_a, pred_b, method=method)
    return {"statistic": test.statistic, "p_value": test.p_value}


def mcnemar_odds_ratio_ci(inputs: Inputs, params: Params) -> list[float]:
    (_, only_a), (only_b, _) = inputs["table"]
    options = {"method": "clopper_pearson", "confidence_level": params["conf_level"]}
    estimate = m.proportion_interval(only_a, only_a + only_b, **options)
    return [bound / (1 - bound) for bound in bounds(estimate)]


def mcnemar_marginal_p(inputs: Inputs, params: Params) -> float:
    """Corrected McNemar for two classes (truth and prediction as two models), else Bowker."""
    true, pred = np.asarray(inputs["y_true"]), np.asarray(inputs["y_pred"])
    if len(np.unique(true)) == 2:
        return m.mcnemar_test(np.ones_like(true), true, pred, method="corrected").p_value
    return m.significance.bowker_test(true, pred).p_value


def parts(test: m.results.TestResult) -> dict[str, float]:
    """A result by the names of the cases."""
    df = test.degrees_of_freedom
    degrees = {"df1": df[0], "df2": df[1]} if isinstance(df, tuple) else {"df": df}
    return {"statistic": test.statistic, "p_value": test.p_value, **degrees}


def on_matrix(name: str) -> Call:
    """A test of the two labellings that have this table."""
    return lambda inputs, params: parts(
        CALLED[name](*written_out(inputs["confusion_matrix"]).values())
    )


def on_models(name: str) -> Call:
    return lambda inputs, params: parts(CALLED[name](inputs["y_true"], inputs["y_preds"]))


def on_folds(name: str) -> Call:
    return lambda inputs, params: parts(CALLED[name](inputs["scores_a"], inputs["scores_b"]))


def on_ranks(name: str, **fixed: Any) -> Call:
    return lambda inputs, params: parts(CALLED[name](inputs["scores"], **fixed))


def corrected_t(inputs: Inputs, params: Params) -> dict[str, float]:
    sizes = {name: params[name] for name in ("n_train", "n_test")}
    test = m.corrected_resampled_ttest(inputs["scores_a"], inputs["scores_b"], **sizes)
    return {"statistic": test.statistic, "p_value": test.p_value}


def correlated_t(inputs: Inputs, params: Params) -> list[float]:
    found = m.bayesian_correlated_ttest(inputs["scores_a"], inputs["scores_b"], **params)
    if params["rope"] == 0:
        return [found.p_a_better, found.p_b_better]
    return [found.p_a_better, found.p_equivalent, found.p_b_better]


def wilcoxon(inputs: Inputs, params: Params) -> dict[str, float]:
    first, second = np.asarray(inputs["scores"]).T[params["columns"]]
    assert params["zero"] == "drop"
    return parts(
        m.significance.wilcoxon_signed_rank_test(
            first, second, method="approx", correction=params["correction"]
        )
    )


def power(inputs: Inputs, params: Params) -> float:
    return roc_auc_power(params["auc"], params["n_pos"], params["n_neg"], alpha=params["alpha"])


def sample_size(inputs: Inputs, params: Params) -> dict[str, float]:
    options = {"power": params["power"], "alpha": params["alpha"], "neg_per_pos": params["kappa"]}
    return roc_auc_sample_size(params["auc"], **options)._asdict()


def expected_cost_proba(inputs: Inputs, params: Params) -> float:
    costs = [[0, params["cost_fp"]], [params["cost_fn"], 0]]
    weight = inputs.get("sample_weight")
    options = {"cost_matrix": costs, "sample_weight": weight}
    return m.expected_cost_proba(inputs["y_true"], inputs["y_score"], **options)


def kappa_interval(inputs: Inputs, params: Params) -> m.results.Estimate:
    labels = written_out(inputs["confusion_matrix"]).values()
    weights = None if params["weights"] == "none" else params["weights"]
    level = {"confidence_level": params.get("conf_level", 0.95)}
    return m.confidence_interval(
        "cohen_kappa_score", *labels, method="delta", weights=weights, **level
    )


def brier_interval(inputs: Inputs, params: Params) -> m.results.Estimate:
    level = {"confidence_level": params.get("conf_level", 0.95)}
    return m.confidence_interval(
        "brier_score_loss", inputs["y_true"], inputs["y_score"], method="normal", **level
    )


@waits_for("confidence_interval")
def cohen_kappa_ci(inputs: Inputs, params: Params) -> list[float]:
    return bounds(kappa_interval(inputs, params))


@waits_for("confidence_interval")
def cohen_kappa_se(inputs: Inputs, params: Params) -> float:
    return kappa_interval(inputs, params).standard_error


@waits_for("confidence_interval")
def brier_ci(inputs: Inputs, params: Params) -> list[float]:
    return bounds(brier_interval(inputs, params))


@waits_for("confidence_interval")
def brier_se(inputs: Inputs, params: Params) -> float:
    return brier_interval(inputs, params).standard_error


LATER: dict[str, Later] = {
    "brier_ci": brier_ci,
    "brier_se": brier_se,
    "cohen_kappa_ci": cohen_kappa_ci,
    "cohen_kappa_se": cohen_kappa_se,
}


def survey_error(inputs: Inputs, params: Params) -> dict[str, float]:
    estimate = m.confidence_interval(**inputs, **params)
    return {"value": estimate.value, "standard_error": estimate.standard_error}


CALLS: dict[str, Call] = {
    "accuracy_ci": accuracy_ci,
    "accuracy_ci_table": share("tp tn", "tp fp fn tn"),
    "auc_power": power,
    "auc_sample_size": sample_size,
    "average_ranks": lambda inputs, params: average_ranks(inputs["scores"]),
    "bowker_test": on_matrix("bowker_test"),
    "classifier_f_test": on_models("classifier_f_test"),
    "cm_stat/95% CI": accuracy_of_matrix(lambda accuracy, kappa: bounds(accuracy)),
    "cm_stat/Kappa 95% CI": accuracy_of_matrix(simple_kappa_ci),
    "cm_stat/Kappa Standard Error": accuracy_of_matrix(simple_kappa_error),
    "cm_stat/P-Value": no_information_p,
    "cm_stat/Standard Error": accuracy_of_matrix(lambda accuracy, kappa: accuracy.standard_error),
    "cochrans_q": on_models("cochran_q_test"),
    "combined_ftest_5x2cv": on_folds("five_by_two_cv_ftest"),
    "corrected_repeated_kfold_ttest": corrected_t,
    "corrected_resampled_ttest": corrected_t,
    "correlated_t_probabilities": correlated_t,
    "diagnostic_odds_ratio_ci": log_ratio("diagnostic_odds_ratio"),
    "expected_cost_prob": expected_cost_proba,
    "friedman_test": on_ranks("friedman_test"),
    "iman_davenport_test": on_ranks("friedman_test", method="iman_davenport"),
    "lr_negative_ci": log_ratio("negative_likelihood_ratio"),
    "lr_positive_ci": log_ratio("positive_likelihood_ratio"),
    "mcnemar_marginal_p": mcnemar_marginal_p,
    "mcnemar_odds_ratio_ci": mcnemar_odds_ratio_ci,
    "mcnemar_test": mcnemar,
    "nemenyi_critical_difference": lambda inputs, params: (
        m.nemenyi_test(inputs["scores"], alpha=params["alpha"]).critical_difference
    ),
    "nemenyi_p_values": lambda inputs, params: m.nemenyi_test(inputs["scores"]).p_values,
    "no_information_p_value": no_information_p,
    "npv_ci": share("tn", "tn fn"),
    "paired_ttest_5x2cv": on_folds("five_by_two_cv_ttest"),
    "ppv_ci": share("tp", "tp fp"),
    "prevalence_ci": share("tp fn", "tp fp fn tn"),
    "proportion_ci": proportion_ci,
    "proportion_diff_ci": proportion_diff_ci,
    "rows_needed": lambda inputs, params: m.sample_size(**params).n,
    "sensitivity_ci": share("tp", "tp fn"),
    "specificity_ci": share("tn", "tn fp"),
    "stuart_maxwell_test": on_matrix("stuart_maxwell_test"),
    "survey_error": survey_error,
    "wilcoxon_signed_rank": wilcoxon,
}
