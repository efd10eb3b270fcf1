"""Rates: numbers read from the counts of one class, averaged over classes. A row of facts each."""

from __future__ import annotations

from typing import Any

from skmetrics_ext.metrics.labels import rate_kernels as kernels
from skmetrics_ext.metrics.labels.rate_function import Rate, RateFunction, public_rate

_RIJSBERGEN = "van Rijsbergen (1979), Information Retrieval, chapter 7."
_YERUSHALMY = "Yerushalmy (1947), Public Health Reports 62(40), 1432-1449."
_ALTMAN_BLAND = "Altman & Bland (1994), BMJ 309, 102."
_DEEKS_ALTMAN = "Deeks & Altman (2004), BMJ 329, 168-169."
_KUHN = "Kuhn (2008), Journal of Statistical Software 28(5), 1-26."
_INFINITY = float("inf")
_NEITHER = "the class is neither true nor predicted in any row"


def _rate(*facts: Any, **other: Any) -> RateFunction:
    return public_rate(Rate(*facts, **other))


precision_score = _rate(
    "precision_score",
    kernels.precision,
    "Precision",
    "predicted",
    "share of the rows predicted as a class that are of it (positive predictive value).",
    "P = TP / (TP + FP)",
    "nothing is predicted as the class",
    _RIJSBERGEN,
    """>>> precision_score([1, 2, 3], [1, 1, 3], average="macro", zero_division=0)
0.5""",
    pos_label=1,
)

recall_score = _rate(
    "recall_score",
    kernels.recall,
    "Recall",
    "true",
    "share of the rows of a class that are predicted as it (sensitivity).",
    "R = TP / (TP + FN)",
    "no row is of the class",
    _RIJSBERGEN,
    """>>> recall_score([1, 1, 1, 1, 0], [1, 0, 1, 1, 0])
0.75""",
    pos_label=1,
)

specificity_score = _rate(
    "specificity_score",
    kernels.specificity,
    "Specificity",
    "negative",
    "share of the rows outside a class that are predicted outside it.",
    "S = TN / (TN + FP)",
    "every row is of the class",
    _YERUSHALMY,
    """>>> specificity_score([0, 0, 0, 0, 1], [0, 1, 0, 0, 1])
0.75""",
)

negative_predictive_value_score = _rate(
    "negative_predictive_value_score",
    kernels.negative_predictive_value,
    "Negative predictive value",
    "negatively predicted",
    "share of the rows predicted outside a class that are outside it.",
    "NPV = TN / (TN + FN)",
    "every row is predicted as the class",
    _ALTMAN_BLAND,
    """>>> negative_predictive_value_score([0, 0, 1, 1, 1], [0, 0, 0, 0, 1])
0.5""",
)

false_positive_rate = _rate(
    "false_positive_rate",
    kernels.false_positive,
    "False positive rate",
    "negative",
    "share of the rows outside a class that are predicted as it (fall-out).",
    "FPR = FP / (TN + FP)",
    "every row is of the class",
    _YERUSHALMY,
    """>>> false_positive_rate([0, 0, 0, 0, 1], [0, 1, 0, 0, 1])
0.25""",
    greater_is_better=False,
)

false_negative_rate = _rate(
    "false_negative_rate",
    kernels.false_negative,
    "False negative rate",
    "true",
    "share of the rows of a class that are predicted outside it (miss rate).",
    "FNR = FN / (TP + FN)",
    "no row is of the class",
    _YERUSHALMY,
    """>>> false_negative_rate([1, 1, 1, 1, 0], [1, 0, 1, 1, 0])
0.25""",
    greater_is_better=False,
)

false_discovery_rate = _rate(
    "false_discovery_rate",
    kernels.false_discovery,
    "False discovery rate",
    "predicted",
    "share of the rows predicted as a class that are outside it.",
    "FDR = FP / (TP + FP)",
    "nothing is predicted as the class",
    "Benjamini & Hochberg (1995), Journal of the Royal Statistical Society B 57, 289-300.",
    """>>> false_discovery_rate([0, 1, 1, 1], [1, 1, 1, 1])
0.25""",
    greater_is_better=False,
)

false_omission_rate = _rate(
    "false_omission_rate",
    kernels.false_omission,
    "False omission rate",
    "negatively predicted",
    "share of the rows predicted outside a class that are of it.",
    "FOR = FN / (TN + FN)",
    "every row is predicted as the class",
    _ALTMAN_BLAND,
    """>>> false_omission_rate([0, 0, 1, 1, 1], [0, 0, 0, 0, 1])
0.5""",
    greater_is_better=False,
)

prevalence = _rate(
    "prevalence",
    kernels.true_share,
    "Prevalence",
    "",
    "share of the rows that are of a class.",
    "(TP + FN) / n",
    "there are no rows (never)",
    _KUHN,
    """>>> prevalence([0, 0, 0, 1], [0, 1, 0, 1])
0.25""",
    greater_is_better=None,
)

detection_rate = _rate(
    "detection_rate",
    kernels.hit_share,
    "Detection rate",
    "",
    "share of all rows that are of a class and predicted as it.",
    "TP / n",
    "there are no rows (never)",
    _KUHN,
    """>>> detection_rate([0, 0, 1, 1], [0, 1, 0, 1])
0.25""",
)

detection_prevalence = _rate(
    "detection_prevalence",
    kernels.predicted_share,
    "Detection prevalence",
    "",
    "share of the rows that are predicted as a class.",
    "(TP + FP) / n",
    "there are no rows (never)",
    _KUHN,
    """>>> detection_prevalence([0, 0, 0, 1], [0, 1, 0, 1])
0.5""",
    greater_is_better=None,
)

f1_score = _rate(
    "f1_score",
    kernels.fbeta,
    "F-score",
    "true nor predicted",
    """harmonic mean of precision and recall.

With ``average="macro"`` it is the mean of the F1 of the classes; the F1 of macro-precision and
macro-recall is `fbeta_of_averages_score`.""",
    "F_1 = 2 TP / (2 TP + FP + FN)",
    _NEITHER,
    """van Rijsbergen (1979), Information Retrieval, chapter 7; Opitz & Burst (2019),
"Macro F1 and Macro F1", arXiv:1911.03347.""",
    """>>> f1_score([1, 2, 3], [1, 1, 3], average=None, zero_division=0)
array([0.66666667, 0.        , 1.        ])""",
    pos_label=1,
)

jaccard_score = _rate(
    "jaccard_score",
    kernels.jaccard,
    "Jaccard",
    "true or predicted",
    "rows of a class predicted as it, over those of it or predicted as it (intersection over\n"
    "union, critical success index).",
    "J = TP / (TP + FP + FN)",
    _NEITHER,
    "Jaccard (1912), New Phytologist 11(2), 37-50.",
    """>>> jaccard_score([0, 1, 1, 1], [1, 1, 1, 0])
0.5""",
    pos_label=1,
)

youden_j_score = _rate(
    "youden_j_score",
    kernels.youden_j,
    "Youden's J",
    "true or negative",
    "recall plus specificity less 1 (informedness).",
    "J = TP / (TP + FN) + TN / (TN + FP) - 1",
    "no row, or every row, is of the class",
    "Youden (1950), Cancer 3(1), 32-35.",
    """>>> youden_j_score([0, 0, 1, 1], [0, 0, 0, 1])
0.5""",
    bounds=(-1.0, 1.0),
    either=True,
)

markedness_score = _rate(
    "markedness_score",
    kernels.markedness,
    "Markedness",
    "predicted or negatively predicted",
    "precision plus negative predictive value less 1.",
    "M = TP / (TP + FP) + TN / (TN + FN) - 1",
    "nothing, or everything, is predicted as the class",
    "Powers (2011), Journal of Machine Learning Technologies 2(1), 37-63.",
    """>>> markedness_score([0, 0, 0, 1], [0, 0, 1, 1])
0.5""",
    bounds=(-1.0, 1.0),
    either=True,
)

positive_likelihood_ratio = _rate(
    "positive_likelihood_ratio",
    kernels.positive_likelihood,
    "Positive likelihood ratio",
    "true or negative",
    "recall over false positive rate; infinite where only the latter is 0.",
    "LR_+ = [TP / (TP + FN)] / [FP / (TN + FP)]",
    "a class has no row, or both rates are 0",
    _DEEKS_ALTMAN,
    """>>> positive_likelihood_ratio([0, 0, 1, 1], [0, 1, 1, 1])
2.0""",
    bounds=(0.0, _INFINITY),
)

negative_likelihood_ratio = _rate(
    "negative_likelihood_ratio",
    kernels.negative_likelihood,
    "Negative likelihood ratio",
    "true or negative",
    "false negative rate over specificity; infinite where only the latter is 0.",
    "LR_- = [FN / (TP + FN)] / [TN / (TN + FP)]",
    "a class has no row, or both rates are 0",
    _DEEKS_ALTMAN,
    """>>> negative_likelihood_ratio([0, 0, 1, 1], [0, 0, 0, 1])
0.5""",
    greater_is_better=False,
    bounds=(0.0, _INFINITY),
)

diagnostic_odds_ratio = _rate(
    "diagnostic_odds_ratio",
    kernels.odds_ratio,
    "Diagnostic odds ratio",
    "true or negative",
    "positive over negative likelihood ratio; infinite where only the latter is 0.",
    "DOR = (TP / FP) / (FN / TN)",
    "two counts of a row or a column of the table are 0",
    "Glas et al. (2003), Journal of Clinical Epidemiology 56(11), 1129-1135.",
    """>>> diagnostic_odds_ratio([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 0])
4.0""",
    bounds=(0.0, _INFINITY),
    either=True,
)

fowlkes_mallows_index_score = _rate(
    "fowlkes_mallows_index_score",
    kernels.fowlkes_mallows,
    "Fowlkes-Mallows index",
    "true or predicted",
    "geometric mean of precision and recall.",
    "FM = \\sqrt{P R}",
    "no row is of the class, or none is predicted as it",
    "Fowlkes & Mallows (1983), Journal of the American Statistical Association 78, 553-569.",
    """>>> fowlkes_mallows_index_score([0, 1, 1, 0], [0, 1, 1, 0])
1.0""",
)
