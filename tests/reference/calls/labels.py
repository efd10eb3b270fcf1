"""Quantities of predicted labels."""

from __future__ import annotations

from typing import Any

import numpy as np

import skmetrics_ext

from .making import Call, Inputs, Later, Params, keywords, later, on_labels, waits_for


def balanced_accuracy_sens_spec(inputs: Inputs, params: Params) -> Any:
    """Half of sensitivity plus specificity, each averaged alike."""
    arguments = inputs["y_true"], inputs["y_pred"]
    settings = keywords(inputs, params)
    sensitivity = skmetrics_ext.recall_score(*arguments, **settings)
    specificity = skmetrics_ext.specificity_score(*arguments, **settings)
    return (np.asarray(sensitivity) + np.asarray(specificity)) / 2


def balanced_error_rate(inputs: Inputs, params: Params) -> float:
    """1 minus the mean recall."""
    return 1 - on_labels("recall_score", average="macro")(inputs, params)


CALLS: dict[str, Call] = {
    "accuracy": on_labels("accuracy_score"),
    # These three are defined as 0 where nothing is predicted or true.
    "precision": on_labels("precision_score", zero_division=0.0),
    "recall": on_labels("recall_score", zero_division=0.0),
    "f_beta": on_labels("fbeta_score", zero_division=0.0),
    "specificity": on_labels("specificity_score"),
    "balanced_accuracy_sens_spec": balanced_accuracy_sens_spec,
    "balanced_error_rate": balanced_error_rate,
}


@waits_for("averaged_confusion")
def multilabel_confusion_mean(inputs: Inputs, params: Params) -> dict[str, float]:
    """The mean one-vs-rest table, in the layout [[tn, fp], [fn, tp]]."""
    table = np.asarray(on_labels("averaged_confusion")(inputs, params))
    (tn, fp), (fn, tp) = table.tolist()
    return {"tp": tp, "fp": fp, "fn": fn, "tn": tn}


LATER: dict[str, Later] = {
    "balanced_accuracy_adjusted": later("balanced_accuracy_score", adjusted=True),
    "cohen_kappa": later("cohen_kappa_score"),
    "detection_prevalence": later("detection_prevalence"),
    "detection_rate": later("detection_rate"),
    "f1_of_macro_averages": later("fbeta_of_averages_score", beta=1.0, zero_division=0.0),
    "fdr": later("false_discovery_rate"),
    "fnr": later("false_negative_rate"),
    "fpr": later("false_positive_rate"),
    "geometric_mean_prec_recall": later("fowlkes_mallows_index_score"),
    "geometric_mean_recall": later("geometric_mean_score", average="multiclass"),
    "geometric_mean_sens_spec": later("geometric_mean_score", average="binary", of_averages=True),
    "index_balanced_accuracy": later("index_balanced_accuracy_score"),
    "jaccard": later("jaccard_score"),
    "likelihood_ratios": later("class_likelihood_ratios"),
    "macro_averaged_mae": later("macro_averaged_mean_absolute_error"),
    "macro_recall": later("balanced_accuracy_score"),
    "mcc": later("matthews_corrcoef"),
    "multilabel_confusion_mean": multilabel_confusion_mean,
    "no_information_rate": later("no_information_rate"),
    "npv": later("negative_predictive_value_score"),
    "prevalence": later("prevalence"),
    "youden_j_index": later("youden_j_score"),
}
