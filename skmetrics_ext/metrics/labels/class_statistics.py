"""Statistics with a value for each class.

P, R and S are precision, recall and specificity of the class, t_k and p_k the rows that are of it
and that are predicted as it, n all rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from skmetrics_ext.metrics.labels import statistic_kernels as kernels
from skmetrics_ext.metrics.labels.rate_function import UNBOUNDED
from skmetrics_ext.metrics.labels.statistic_function import (
    Statistic,
    StatisticFunction,
    public_statistic,
)
from skmetrics_ext.metrics.labels.statistic_sources import (
    COHEN,
    DELGADO,
    KOUKOULAS,
    PERKINS,
    SCOTT,
    WEI,
)
from skmetrics_ext.numeric import Array

_ALWAYS = "there are no rows (never)"
_NEITHER = "the class is neither true nor predicted in any row"
_ONE_OF_BOTH = "no row is of the class, or none is predicted as it"
_ONE_CLASS = "no row, or every row, is of the class"
_TWO_EMPTY = "two counts of a row or a column of the table of the class are 0"
# Two classes with a share of 1/e of errors each; more classes cannot exceed 1.
_MOST_ENTROPY = 2 / (math.e * math.log(2))


def _each(
    name: str,
    kernel: Callable[..., Array],
    formula: str,
    source: str,
    abbreviation: str,
    undefined: str = _ALWAYS,
    **other: Any,
) -> StatisticFunction:
    facts = {"per_class": True, "averaged": True, **other}
    return public_statistic(
        Statistic(name, kernel, formula, source, abbreviation, undefined, **facts), __name__
    )


adjusted_f_score = _each(
    "adjusted_f_score",
    kernels.adjusted_f,
    "sqrt(F_2 of the class * F_0.5 of its complement)",
    "Maratea, Petrosino & Manzo (2014), Information Sciences 257, 331-341",
    "AGF",
    "the class, or all others, are neither true nor predicted in any row",
)

adjusted_geometric_mean = _each(
    "adjusted_geometric_mean",
    kernels.adjusted_geometric_mean,
    "(sqrt(R S) + S q) / (1 + q), q the share of the other classes; 0 where R is",
    "Batuwita & Palade (2012), Journal of Bioinformatics and Computational Biology 10(4)",
    "AGM",
    _ONE_CLASS,
)

braun_blanquet_similarity = _each(
    "braun_blanquet_similarity",
    kernels.braun_blanquet,
    "TP / max(TP + FP, TP + FN)",
    "Braun-Blanquet (1932), Plant Sociology",
    "BB",
    _NEITHER,
    interval="bent",
)

bray_curtis_dissimilarity = _each(
    "bray_curtis_dissimilarity",
    kernels.bray_curtis,
    "abs(FP - FN) / 2n",
    "Bray & Curtis (1957), Ecological Monographs 27(4), 325-349",
    "BCD",
    bounds=(0.0, 0.5),
    greater_is_better=None,
    either=True,
    interval="bent",
)

chance_agreement = _each(
    "chance_agreement",
    kernels.chance,
    "t_k p_k / n^2",
    COHEN,
    "RACC",
    greater_is_better=None,
    interval="bent",
)

confusion_entropy = _each(
    "confusion_entropy",
    kernels.confusion_entropy,
    "entropy of the errors of the class to base 2 (K - 1), in shares of t_k + p_k",
    WEI,
    "CEN",
    "one class alone occurs",
    bounds=(0.0, _MOST_ENTROPY),
    greater_is_better=False,
    averaged=False,
    tally="confusion",
    of_classes=True,
)

count_difference = _each(
    "count_difference",
    kernels.count_difference,
    "FP - FN = p_k - t_k",
    "Forman (2008), Data Mining and Knowledge Discovery 17(2), 164-206",
    "AM",
    bounds=UNBOUNDED,
    greater_is_better=None,
    in_units=True,
    interval="grows",
)

discriminant_power = _each(
    "discriminant_power",
    kernels.discriminant_power,
    "(sqrt(3) / pi) ln(TP TN / (FP FN)), the natural logarithm",
    "Blakeley & Oddone (1995), Annals of Internal Medicine 122(5), 360-367",
    "DP",
    _TWO_EMPTY,
    bounds=UNBOUNDED,
    either=True,
)

individual_classification_success_index = _each(
    "individual_classification_success_index",
    kernels.class_success,
    "P + R - 1",
    KOUKOULAS,
    "ICSI",
    _ONE_OF_BOTH,
    bounds=(-1.0, 1.0),
)

information_score = _each(
    "information_score",
    kernels.information_score,
    "log2(P / prevalence), in bits; minus infinity where TP is 0",
    "Kononenko & Bratko (1991), Machine Learning 6(1), 67-80",
    "IS",
    _ONE_OF_BOTH,
    bounds=UNBOUNDED,
)

kulczynski_similarity = _each(
    "kulczynski_similarity",
    kernels.kulczynski,
    "(P + R) / 2",
    "Kulczynski (1927), Bulletin de l'Academie Polonaise des Sciences, B, suppl. 2, 57-203",
    "AUPR",
    _ONE_OF_BOTH,
)

lift = _each(
    "lift",
    kernels.lift,
    "P / prevalence",
    "Brin, Motwani, Ullman & Tsur (1997), Proceedings of ACM SIGMOD, 255-264",
    "LS",
    _ONE_OF_BOTH,
    bounds=(0.0, float("inf")),
)

modified_confusion_entropy = _each(
    "modified_confusion_entropy",
    partial(kernels.confusion_entropy, modified=True),
    "the same in shares of t_k + p_k - TP_k",
    DELGADO,
    "MCEN",
    "one class alone occurs",
    bounds=(0.0, _MOST_ENTROPY),
    greater_is_better=False,
    averaged=False,
    tally="confusion",
    of_classes=True,
)

optimized_precision = _each(
    "optimized_precision",
    kernels.optimized_precision,
    "(TP + TN) / n - abs(S - R) / (S + R)",
    "Ranawana & Palade (2006), Proceedings of the IEEE CEC, 2254-2261",
    "OP",
    "no row, or every row, is of the class, or no row is predicted right",
    bounds=(-1.0, 1.0),
    either=True,
    interval="bent",
)

overlap_coefficient = _each(
    "overlap_coefficient",
    kernels.overlap,
    "TP / min(TP + FP, TP + FN)",
    "Simpson (1943), American Journal of Science 241(1), 1-31",
    "OC",
    _ONE_OF_BOTH,
    interval="bent",
)

roc_corner_distance = _each(
    "roc_corner_distance",
    kernels.corner_distance,
    "sqrt((1 - R)^2 + (1 - S)^2)",
    PERKINS,
    "dInd",
    _ONE_CLASS,
    bounds=(0.0, math.sqrt(2)),
    greater_is_better=False,
    either=True,
)

roc_corner_similarity = _each(
    "roc_corner_similarity",
    kernels.corner_similarity,
    "1 - roc_corner_distance / sqrt(2)",
    PERKINS,
    "sInd",
    _ONE_CLASS,
    either=True,
)

unbiased_chance_agreement = _each(
    "unbiased_chance_agreement",
    kernels.unbiased_chance,
    "((t_k + p_k) / 2n)^2",
    SCOTT,
    "RACCU",
    greater_is_better=None,
    interval="bent",
)

yule_q = _each(
    "yule_q",
    kernels.yule_q,
    "(TP TN - FP FN) / (TP TN + FP FN)",
    "Yule (1900), Philosophical Transactions of the Royal Society A 194, 257-319",
    "Q",
    _TWO_EMPTY,
    bounds=(-1.0, 1.0),
    either=True,
)
