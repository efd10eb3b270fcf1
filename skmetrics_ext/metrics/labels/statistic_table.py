"""STATISTICS: one row per statistic of a confusion table, beside its kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

from skmetrics_ext.metrics.labels import statistic_kernels as kernels
from skmetrics_ext.numeric import Array


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number read from a confusion table, and what to tell of it.

    Parameters
    ----------
    kernel : callable
        Of the `Counts` of every class, or of the array of cells.
    per_class : bool
        Whether there is one value per class.
    formula, source : str
        How it is computed, and who defined it.
    abbreviation : str
        Its name in PyCM, where many readers will have met it.
    tally : {"counts", "confusion"}
        What the kernel reads.
    in_units : bool
        Whether the scale of the weights counts: they say how often a row was seen.
    """

    kernel: Callable[[Any], Array]
    per_class: bool
    formula: str
    source: str
    abbreviation: str
    tally: str = "counts"
    in_units: bool = False


def _each(
    kernel: Callable[[Any], Array],
    formula: str,
    source: str,
    abbreviation: str,
    **other: Any,
) -> Statistic:
    return Statistic(kernel, True, formula, source, abbreviation, **other)


def _overall(
    kernel: Callable[[Any], Array],
    formula: str,
    source: str,
    abbreviation: str,
    **other: Any,
) -> Statistic:
    return Statistic(kernel, False, formula, source, abbreviation, **other)


_WEI = "Wei, Yuan, Hu & Wang (2010), Expert Systems with Applications 37(5), 3799-3809"
_DELGADO = "Delgado & Nunez-Gonzalez (2019), PLoS ONE 14(1), e0210264"
_KOUKOULAS = (
    "Koukoulas & Blackburn (2001), Photogrammetric Engineering & Remote Sensing 67, 499-510"
)
_SHANNON = "Shannon (1948), Bell System Technical Journal 27, 379-423"
_PERKINS = "Perkins & Schisterman (2006), American Journal of Epidemiology 163(7), 670-675"
_COHEN = "Cohen (1960), Educational and Psychological Measurement 20(1), 37-46"
_SCOTT = "Scott (1955), Public Opinion Quarterly 19(3), 321-325"
_GOODMAN = "Goodman & Kruskal (1954), Journal of the American Statistical Association 49, 732-764"
_PEARSON = "Pearson (1900), Philosophical Magazine 50, 157-175"
_CELLS = "confusion"

# P, R, S: precision, recall, specificity. n: all rows; n_ij: those of class i predicted as j;
# t_k, p_k: those of class k, those predicted as it; shares of n where a formula has logarithms.
STATISTICS: Mapping[str, Statistic] = MappingProxyType(
    {
        "adjusted_f_score": _each(
            kernels.adjusted_f,
            "sqrt(F_2 of the class * F_0.5 of its complement)",
            "Maratea, Petrosino & Manzo (2014), Information Sciences 257, 331-341",
            "AGF",
        ),
        "adjusted_geometric_mean": _each(
            kernels.adjusted_geometric_mean,
            "(sqrt(R S) + S q) / (1 + q), q the share of the other classes; 0 where R is",
            "Batuwita & Palade (2012), Journal of Bioinformatics and Computational Biology 10(4)",
            "AGM",
        ),
        "adjusted_rand_index": _overall(
            kernels.adjusted_rand,
            "pairs of rows that both codings join, beyond chance, over the mean of the most",
            "Hubert & Arabie (1985), Journal of Classification 2, 193-218",
            "ARI",
            tally=_CELLS,
            in_units=True,
        ),
        "bangdiwala_b": _overall(
            kernels.bangdiwala_b,
            "sum_k TP_k^2 / sum_k t_k p_k",
            "Munoz & Bangdiwala (1997), Journal of Applied Statistics 24(1), 105-112",
            "Bangdiwala B",
        ),
        "braun_blanquet_similarity": _each(
            kernels.braun_blanquet,
            "TP / max(TP + FP, TP + FN)",
            "Braun-Blanquet (1932), Plant Sociology",
            "BB",
        ),
        "bray_curtis_dissimilarity": _each(
            kernels.bray_curtis,
            "abs(FP - FN) / 2n",
            "Bray & Curtis (1957), Ecological Monographs 27(4), 325-349",
            "BCD",
        ),
        "chance_agreement": _each(kernels.chance, "t_k p_k / n^2", _COHEN, "RACC"),
        "chi_squared": _overall(
            kernels.chi_squared,
            "sum_ij (n_ij - t_i p_j / n)^2 / (t_i p_j / n)",
            _PEARSON,
            "Chi-Squared",
            tally=_CELLS,
            in_units=True,
        ),
        "chi_squared_degrees_of_freedom": _overall(
            kernels.degrees_of_freedom,
            "(rows - 1) (columns - 1), of those that hold anything",
            _PEARSON,
            "Chi-Squared DF",
            tally=_CELLS,
        ),
        "class_balance_accuracy": _overall(
            kernels.class_balance_accuracy,
            "mean over the classes of TP / max(TP + FP, TP + FN)",
            "Mosley (2013), A balanced approach to the multi-class imbalance problem",
            "CBA",
        ),
        "classification_success_index": _overall(
            kernels.success_index, "mean over the classes of P + R - 1", _KOUKOULAS, "CSI"
        ),
        "conditional_entropy": _overall(
            kernels.conditional_entropy,
            "- sum_ij n_ij log2(n_ij / t_i), of the predicted class given the true, in bits",
            _SHANNON,
            "Conditional Entropy",
            tally=_CELLS,
        ),
        "confusion_entropy": _each(
            kernels.confusion_entropy,
            "entropy of the errors of the class to base 2 (K - 1), in shares of t_k + p_k",
            _WEI,
            "CEN",
            tally=_CELLS,
        ),
        "count_difference": _each(
            kernels.count_difference,
            "FP - FN = p_k - t_k",
            "Forman (2008), Data Mining and Knowledge Discovery 17(2), 164-206",
            "AM",
            in_units=True,
        ),
        "cramers_v": _overall(
            kernels.cramers_v,
            "sqrt(phi^2 / (min(rows, columns) - 1)), of those that hold anything",
            "Cramer (1946), Mathematical Methods of Statistics, chapter 21",
            "Cramer V",
            tally=_CELLS,
        ),
        "cross_entropy": _overall(
            kernels.cross_entropy,
            "- sum_k t_k log2 p_k, in bits; infinite where a true class is never predicted",
            "Kerridge (1961), Journal of the Royal Statistical Society B 23(1), 184-194",
            "Cross Entropy",
        ),
        "discriminant_power": _each(
            kernels.discriminant_power,
            "(sqrt(3) / pi) ln(TP TN / (FP FN)), the natural logarithm",
            "Blakeley & Oddone (1995), Annals of Internal Medicine 122(5), 360-367",
            "DP",
        ),
        "goodman_kruskal_lambda_pred": _overall(
            kernels.lambda_pred,
            "(sum_i max_j n_ij - max_j p_j) / (n - max_j p_j): predicted class from the true",
            _GOODMAN,
            "Lambda B",
            tally=_CELLS,
        ),
        "goodman_kruskal_lambda_true": _overall(
            kernels.lambda_true,
            "(sum_j max_i n_ij - max_i t_i) / (n - max_i t_i): true class from the predicted",
            _GOODMAN,
            "Lambda A",
            tally=_CELLS,
        ),
        "individual_classification_success_index": _each(
            kernels.class_success, "P + R - 1", _KOUKOULAS, "ICSI"
        ),
        "information_score": _each(
            kernels.information_score,
            "log2(P / prevalence), in bits; minus infinity where TP is 0",
            "Kononenko & Bratko (1991), Machine Learning 6(1), 67-80",
            "IS",
        ),
        "joint_entropy": _overall(
            kernels.joint_entropy,
            "- sum_ij n_ij log2 n_ij, in bits",
            _SHANNON,
            "Joint Entropy",
            tally=_CELLS,
        ),
        "kulczynski_similarity": _each(
            kernels.kulczynski,
            "(P + R) / 2",
            "Kulczynski (1927), Bulletin de l'Academie Polonaise des Sciences, B, suppl. 2, 57-203",
            "AUPR",
        ),
        "kullback_leibler_divergence": _overall(
            kernels.divergence,
            "sum_k t_k log2(t_k / p_k), in bits; infinite where a true class is never predicted",
            "Kullback & Leibler (1951), Annals of Mathematical Statistics 22(1), 79-86",
            "KL Divergence",
        ),
        "lift": _each(
            kernels.lift,
            "P / prevalence",
            "Brin, Motwani, Ullman & Tsur (1997), Proceedings of ACM SIGMOD, 255-264",
            "LS",
        ),
        "mean_predicted_count": _overall(
            kernels.mean_predicted_count,
            "n / K, the mean of p_k",
            "Haghighi et al. (2018), Journal of Open Source Software 3(25), 729",
            "RR",
            in_units=True,
        ),
        "modified_confusion_entropy": _each(
            partial(kernels.confusion_entropy, modified=True),
            "the same in shares of t_k + p_k - TP_k",
            _DELGADO,
            "MCEN",
            tally=_CELLS,
        ),
        "mutual_information": _overall(
            kernels.mutual_information,
            "sum_ij n_ij log2(n_ij / (t_i p_j)), in bits",
            _SHANNON,
            "Mutual Information",
            tally=_CELLS,
        ),
        "optimized_precision": _each(
            kernels.optimized_precision,
            "(TP + TN) / n - abs(S - R) / (S + R)",
            "Ranawana & Palade (2006), Proceedings of the IEEE CEC, 2254-2261",
            "OP",
        ),
        "overall_chance_agreement": _overall(
            kernels.overall_chance, "sum_k t_k p_k / n^2", _COHEN, "Overall RACC"
        ),
        "overall_confusion_entropy": _overall(
            kernels.overall_confusion_entropy,
            "mean of confusion_entropy weighted by (t_k + p_k) / 2n",
            _WEI,
            "Overall CEN",
            tally=_CELLS,
        ),
        "overall_modified_confusion_entropy": _overall(
            partial(kernels.overall_confusion_entropy, modified=True),
            "sum of modified_confusion_entropy times (t_k + p_k - TP_k) / (2n - a sum_k TP_k), "
            "a = 1, or 1/2 for two classes",
            _DELGADO,
            "Overall MCEN",
            tally=_CELLS,
        ),
        "overall_unbiased_chance_agreement": _overall(
            kernels.overall_unbiased_chance,
            "sum_k ((t_k + p_k) / 2n)^2",
            _SCOTT,
            "Overall RACCU",
        ),
        "overlap_coefficient": _each(
            kernels.overlap,
            "TP / min(TP + FP, TP + FN)",
            "Simpson (1943), American Journal of Science 241(1), 1-31",
            "OC",
        ),
        "pearson_contingency_coefficient": _overall(
            kernels.contingency_coefficient,
            "sqrt(phi^2 / (1 + phi^2))",
            "Pearson (1904), On the Theory of Contingency, Drapers' Company Research Memoirs",
            "Pearson C",
            tally=_CELLS,
        ),
        "phi_squared": _overall(
            kernels.phi_squared, "chi^2 / n", _PEARSON, "Phi-Squared", tally=_CELLS
        ),
        "predicted_entropy": _overall(
            kernels.predicted_entropy,
            "- sum_k p_k log2 p_k, in bits",
            _SHANNON,
            "Response Entropy",
        ),
        "prevalence_adjusted_kappa": _overall(
            kernels.prevalence_adjusted_kappa,
            "2 accuracy - 1",
            "Byrt, Bishop & Carlin (1993), Journal of Clinical Epidemiology 46(5), 423-429",
            "Kappa No Prevalence",
        ),
        "relative_classifier_information": _overall(
            kernels.relative_information,
            "mutual_information / true_entropy (Theil's uncertainty coefficient)",
            "Sindhwani, Bhattacharya & Rakshit (2001), Proceedings of the 1st SIAM SDM",
            "RCI",
            tally=_CELLS,
        ),
        "roc_corner_distance": _each(
            kernels.corner_distance, "sqrt((1 - R)^2 + (1 - S)^2)", _PERKINS, "dInd"
        ),
        "roc_corner_similarity": _each(
            kernels.corner_similarity, "1 - roc_corner_distance / sqrt(2)", _PERKINS, "sInd"
        ),
        "true_entropy": _overall(
            kernels.true_entropy,
            "- sum_k t_k log2 t_k, in bits",
            _SHANNON,
            "Reference Entropy",
        ),
        "unbiased_chance_agreement": _each(
            kernels.unbiased_chance, "((t_k + p_k) / 2n)^2", _SCOTT, "RACCU"
        ),
        "yule_q": _each(
            kernels.yule_q,
            "(TP TN - FP FN) / (TP TN + FP FN)",
            "Yule (1900), Philosophical Transactions of the Royal Society A 194, 257-319",
            "Q",
        ),
    }
)
