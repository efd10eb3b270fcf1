"""Statistics with one value for the whole confusion table.

n is the weight of all rows, n_ij of those of class i predicted as j, t_k and p_k of those of class
k and predicted as k: shares of n where a formula has logarithms.

What reads the margins alone, or is the same for a model that always names another class, describes
and does not judge.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from skmetrics_ext.metrics.labels import statistic_kernels as kernels
from skmetrics_ext.metrics.labels.statistic_function import (
    NEVER,
    Statistic,
    StatisticFunction,
    public_statistic,
)
from skmetrics_ext.metrics.labels.statistic_sources import (
    COHEN,
    DELGADO,
    GOODMAN,
    KOUKOULAS,
    PEARSON,
    SCOTT,
    SHANNON,
    WEI,
)
from skmetrics_ext.numeric import Array

_INFINITY = float("inf")
_AT_LEAST_0 = (0.0, _INFINITY)
_ONE_TRUE = "all rows are of one class"


def _of_counts(
    name: str,
    kernel: Callable[..., Array],
    formula: str,
    source: str,
    abbreviation: str,
    undefined: str = NEVER,
    **other: Any,
) -> StatisticFunction:
    return public_statistic(
        Statistic(name, kernel, formula, source, abbreviation, undefined, **other), __name__
    )


_of_cells = partial(_of_counts, tally="confusion")


adjusted_rand_index = _of_cells(
    "adjusted_rand_index",
    kernels.adjusted_rand,
    "pairs of rows that both codings join, beyond chance, over the mean of the most",
    "Hubert & Arabie (1985), Journal of Classification 2, 193-218",
    "ARI",
    "both codings join all pairs of rows, or none",
    bounds=(-1.0, 1.0),
    in_units=True,
    greater_is_better=None,
)

bangdiwala_b = _of_counts(
    "bangdiwala_b",
    kernels.bangdiwala_b,
    "sum_k TP_k^2 / sum_k t_k p_k",
    "Munoz & Bangdiwala (1997), Journal of Applied Statistics 24(1), 105-112",
    "Bangdiwala B",
    "no class is both true and predicted",
)

chi_squared = _of_cells(
    "chi_squared",
    kernels.chi_squared,
    "sum_ij (n_ij - t_i p_j / n)^2 / (t_i p_j / n)",
    PEARSON,
    "Chi-Squared",
    bounds=_AT_LEAST_0,
    greater_is_better=None,
    in_units=True,
    interval="grows",
)

chi_squared_degrees_of_freedom = _of_cells(
    "chi_squared_degrees_of_freedom",
    kernels.degrees_of_freedom,
    "(rows - 1) (columns - 1), of those that hold anything",
    PEARSON,
    "Chi-Squared DF",
    bounds=_AT_LEAST_0,
    greater_is_better=None,
    interval="grows",
)

class_balance_accuracy = _of_counts(
    "class_balance_accuracy",
    kernels.class_balance_accuracy,
    "mean over the classes of TP / max(TP + FP, TP + FN)",
    "Mosley (2013), A balanced approach to the multi-class imbalance problem",
    "CBA",
    "labels name a class that does not occur",
    of_classes=True,
    interval="bent",
)

classification_success_index = _of_counts(
    "classification_success_index",
    kernels.success_index,
    "mean over the classes of P + R - 1",
    KOUKOULAS,
    "CSI",
    "a class has no row, or is never predicted",
    bounds=(-1.0, 1.0),
    of_classes=True,
)

conditional_entropy = _of_cells(
    "conditional_entropy",
    kernels.conditional_entropy,
    "- sum_ij n_ij log2(n_ij / t_i), of the predicted class given the true, in bits",
    SHANNON,
    "Conditional Entropy",
    bounds=_AT_LEAST_0,
    greater_is_better=None,
    interval="bent",
)

cramers_v = _of_cells(
    "cramers_v",
    kernels.cramers_v,
    "sqrt(phi^2 / (min(rows, columns) - 1)), of those that hold anything",
    "Cramer (1946), Mathematical Methods of Statistics, chapter 21",
    "Cramer V",
    "all rows are of one class, or predicted as one",
    greater_is_better=None,
)

cross_entropy = _of_counts(
    "cross_entropy",
    kernels.cross_entropy,
    "- sum_k t_k log2 p_k, in bits; infinite where a true class is never predicted",
    "Kerridge (1961), Journal of the Royal Statistical Society B 23(1), 184-194",
    "Cross Entropy",
    bounds=_AT_LEAST_0,
    greater_is_better=None,
    interval="bent",
)

goodman_kruskal_lambda_pred = _of_cells(
    "goodman_kruskal_lambda_pred",
    kernels.lambda_pred,
    "(sum_i max_j n_ij - max_j p_j) / (n - max_j p_j): predicted class from the true",
    GOODMAN,
    "Lambda B",
    "all rows are predicted as one class",
    greater_is_better=None,
    interval="bent",
)

goodman_kruskal_lambda_true = _of_cells(
    "goodman_kruskal_lambda_true",
    kernels.lambda_true,
    "(sum_j max_i n_ij - max_i t_i) / (n - max_i t_i): true class from the predicted",
    GOODMAN,
    "Lambda A",
    _ONE_TRUE,
    greater_is_better=None,
    interval="bent",
)

joint_entropy = _of_cells(
    "joint_entropy",
    kernels.joint_entropy,
    "- sum_ij n_ij log2 n_ij, in bits",
    SHANNON,
    "Joint Entropy",
    bounds=_AT_LEAST_0,
    greater_is_better=None,
    interval="bent",
)

kullback_leibler_divergence = _of_counts(
    "kullback_leibler_divergence",
    kernels.divergence,
    "sum_k t_k log2(t_k / p_k), in bits; infinite where a true class is never predicted",
    "Kullback & Leibler (1951), Annals of Mathematical Statistics 22(1), 79-86",
    "KL Divergence",
    bounds=_AT_LEAST_0,
    greater_is_better=None,
    interval="bent",
)

mean_predicted_count = _of_counts(
    "mean_predicted_count",
    kernels.mean_predicted_count,
    "n / K, the mean of p_k",
    "Haghighi et al. (2018), Journal of Open Source Software 3(25), 729",
    "RR",
    bounds=_AT_LEAST_0,
    greater_is_better=None,
    in_units=True,
    of_classes=True,
    interval="grows",
)

mutual_information = _of_cells(
    "mutual_information",
    kernels.mutual_information,
    "sum_ij n_ij log2(n_ij / (t_i p_j)), in bits",
    SHANNON,
    "Mutual Information",
    bounds=_AT_LEAST_0,
    greater_is_better=None,
    interval="bent",
)

overall_chance_agreement = _of_counts(
    "overall_chance_agreement",
    kernels.overall_chance,
    "sum_k t_k p_k / n^2",
    COHEN,
    "Overall RACC",
    greater_is_better=None,
    interval="bent",
)

overall_confusion_entropy = _of_cells(
    "overall_confusion_entropy",
    kernels.overall_confusion_entropy,
    "mean of confusion_entropy weighted by (t_k + p_k) / 2n",
    WEI,
    "Overall CEN",
    "one class alone occurs",
    bounds=(0.0, 2 / (math.e * math.log(2))),  # of two classes; 1 of more
    greater_is_better=False,
    of_classes=True,
    interval="bent",
)

overall_modified_confusion_entropy = _of_cells(
    "overall_modified_confusion_entropy",
    partial(kernels.overall_confusion_entropy, modified=True),
    "sum of modified_confusion_entropy times (t_k + p_k - TP_k) / (2n - a sum_k TP_k), "
    "a = 1, or 1/2 for two classes",
    DELGADO,
    "Overall MCEN",
    "one class alone occurs",
    greater_is_better=False,
    of_classes=True,
    interval="bent",
)

overall_unbiased_chance_agreement = _of_counts(
    "overall_unbiased_chance_agreement",
    kernels.overall_unbiased_chance,
    "sum_k ((t_k + p_k) / 2n)^2",
    SCOTT,
    "Overall RACCU",
    greater_is_better=None,
    interval="bent",
)

pearson_contingency_coefficient = _of_cells(
    "pearson_contingency_coefficient",
    kernels.contingency_coefficient,
    "sqrt(phi^2 / (1 + phi^2))",
    "Pearson (1904), On the Theory of Contingency, Drapers' Company Research Memoirs",
    "Pearson C",
    greater_is_better=None,
)

phi_squared = _of_cells(
    "phi_squared",
    kernels.phi_squared,
    "chi^2 / n",
    PEARSON,
    "Phi-Squared",
    bounds=_AT_LEAST_0,
    greater_is_better=None,
)

predicted_entropy = _of_counts(
    "predicted_entropy",
    kernels.predicted_entropy,
    "- sum_k p_k log2 p_k, in bits",
    SHANNON,
    "Response Entropy",
    bounds=_AT_LEAST_0,
    greater_is_better=None,
    interval="bent",
)

prevalence_adjusted_kappa = _of_counts(
    "prevalence_adjusted_kappa",
    kernels.prevalence_adjusted_kappa,
    "2 accuracy - 1",
    "Byrt, Bishop & Carlin (1993), Journal of Clinical Epidemiology 46(5), 423-429",
    "Kappa No Prevalence",
    bounds=(-1.0, 1.0),
)

relative_classifier_information = _of_cells(
    "relative_classifier_information",
    kernels.relative_information,
    "mutual_information / true_entropy (Theil's uncertainty coefficient)",
    "Sindhwani, Bhattacharya & Rakshit (2001), Proceedings of the 1st SIAM SDM",
    "RCI",
    _ONE_TRUE,
    greater_is_better=None,
    interval="bent",
)

true_entropy = _of_counts(
    "true_entropy",
    kernels.true_entropy,
    "- sum_k t_k log2 t_k, in bits",
    SHANNON,
    "Reference Entropy",
    bounds=_AT_LEAST_0,
    greater_is_better=None,
    interval="bent",
)
