"""Statistics of the confusion table: kernels whose docstring is the formula and its source.

P, R and S are precision, recall and specificity; n is the weight of all rows, n_ij of those of
class i predicted as j, t_k and p_k of those of class k and predicted as k: shares of n where a
formula has logarithms. Entropies are in bits.

Statistics of the margins alone, and those that do not change if the predicted classes are permuted,
describe and do not judge.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext.metrics.averaging import mean_of_all
from skmetrics_ext.metrics.labels import rates
from skmetrics_ext.metrics.labels import table_parts as parts
from skmetrics_ext.metrics.labels.agreement import observed
from skmetrics_ext.metrics.labels.paired_rates import odds_ratio
from skmetrics_ext.metrics.public import statistic
from skmetrics_ext.metrics.spec import INFINITY, UNBOUNDED
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.tallies import Counts, Tabulated

_SIGNED, _AT_LEAST_0, _UP_TO_1 = (-1.0, 1.0), (0.0, INFINITY), (-INFINITY, 1.0)
# Two classes with a share of 1/e of errors each; more classes cannot exceed 1.
_UP_TO_MOST_ENTROPY = (0.0, 2 / (math.e * math.log(2)))

_ALWAYS = "there are no rows (never)"
_NEITHER = "the class is neither true nor predicted in any row"
_ONE_OF_BOTH = "no row is of the class, or none is predicted as it"
_ONE_CLASS = "no row, or every row, is of the class"
_ONE_CLASS_OCCURS = "one class alone occurs"
_ONE_TRUE = "all rows are of one class"
_TWO_EMPTY = "two counts of a row or a column of the table of the class are 0"

_in_rows: dict[str, Any] = {"traits": ("weights_are_counts",), "interval": "grows"}
_describes: dict[str, Any] = {"greater_is_better": None}
_describes_kinked: dict[str, Any] = {"greater_is_better": None, "interval": "kinked"}
_of_class = partial(statistic, per_class=True)
_of_table = partial(statistic, reads="table")

# --------------------------------------------------------------------------- for each class


@_of_class("AGF", "the class, or all others, are neither true nor predicted in any row")
def adjusted_f_score(counts: Counts) -> Array:
    """sqrt(F_2 of the class * F_0.5 of its complement)

    Maratea, Petrosino & Manzo (2014), Information Sciences 257, 331-341.
    """
    complement = Counts(counts.tn, counts.fn, counts.fp, counts.tp)
    return np.sqrt(rates.fbeta(counts, beta=2.0) * rates.fbeta(complement, beta=0.5))


@_of_class("AGM", _ONE_CLASS)
def adjusted_geometric_mean(counts: Counts) -> Array:
    """(sqrt(R S) + S q) / (1 + q), q the share of the other classes; 0 where R is

    Batuwita & Palade (2012), Journal of Bioinformatics and Computational Biology 10(4).
    """
    recall, specificity = rates.recall(counts), rates.specificity(counts)
    negatives = divide(counts.tn + counts.fp, counts.total)
    value = (np.sqrt(recall * specificity) + specificity * negatives) / (1 + negatives)
    return np.where((recall.real == 0) & ~np.isnan(value), 0.0, value)


@_of_class("BB", _NEITHER, interval="kinked")
def braun_blanquet_similarity(counts: Counts) -> Array:
    """TP / max(TP + FP, TP + FN)

    Braun-Blanquet (1932), Plant Sociology.
    """
    return divide(counts.tp, np.maximum(counts.pred, counts.true))


@_of_class("BCD", _ALWAYS, bounds=(0.0, 0.5), sides="either", **_describes_kinked)
def bray_curtis_dissimilarity(counts: Counts) -> Array:
    """abs(FP - FN) / 2n

    Bray & Curtis (1957), Ecological Monographs 27(4), 325-349.
    """
    return divide(parts.absolute(counts.fp - counts.fn), 2 * counts.total)


@_of_class("RACC", _ALWAYS, **_describes_kinked)
def chance_agreement(counts: Counts) -> Array:
    """t_k p_k / n^2

    Cohen (1960), Educational and Psychological Measurement 20(1), 37-46.
    """
    return rates.true_share(counts) * rates.predicted_share(counts)


@_of_table(
    "CEN",
    _ONE_CLASS_OCCURS,
    bounds=_UP_TO_MOST_ENTROPY,
    greater_is_better=False,
    scorer=None,
    per_class=True,
)
def confusion_entropy(tally: Tabulated, labels: Any = None) -> Array:
    """entropy of the errors of the class to base 2 (K - 1), in shares of t_k + p_k

    Wei, Yuan, Hu & Wang (2010), Expert Systems with Applications 37(5), 3799-3809.
    """
    return parts.confusion_entropy(tally, labels)


@_of_class("AM", _ALWAYS, bounds=UNBOUNDED, greater_is_better=None, **_in_rows)
def count_difference(counts: Counts) -> Array:
    """FP - FN = p_k - t_k

    Forman (2008), Data Mining and Knowledge Discovery 17(2), 164-206.
    """
    return np.asarray((counts.fp - counts.fn) * 1.0)


@_of_class("DR", _ALWAYS, interval="wilson")
def detection_rate(counts: Counts) -> Array:
    """TP / n

    Kuhn (2008), Journal of Statistical Software 28(5), 1-26.
    """
    return rates.hit_share(counts)


@_of_class("DP", _TWO_EMPTY, bounds=UNBOUNDED, sides="either")
def discriminant_power(counts: Counts) -> Array:
    """(sqrt(3) / pi) ln(TP TN / (FP FN)), the natural logarithm

    Blakeley & Oddone (1995), Annals of Internal Medicine 122(5), 360-367.
    """
    with np.errstate(divide="ignore"):
        return np.sqrt(3) / np.pi * np.log(odds_ratio(counts))


@_of_class("FG", _ONE_CLASS, bounds=_UP_TO_1)
def f1_gain(counts: Counts) -> Array:
    """(F_1 - q) / ((1 - q) F_1), q the share of the class: the mean of both gains

    Flach & Kull (2015), Advances in Neural Information Processing Systems 28, 838-846.
    """
    return parts.gain(counts, counts.fp + counts.fn, 2 * counts.tp)


@_of_class("ICSI", _ONE_OF_BOTH, bounds=_SIGNED)
def individual_classification_success_index(counts: Counts) -> Array:
    """P + R - 1

    Koukoulas & Blackburn (2001), Photogrammetric Engineering & Remote Sensing 67, 499-510.
    """
    return rates.precision(counts) + rates.recall(counts) - 1


@_of_class("IS", _ONE_OF_BOTH, bounds=UNBOUNDED)
def information_score(counts: Counts) -> Array:
    """log2(P / prevalence), in bits; minus infinity where TP is 0

    Kononenko & Bratko (1991), Machine Learning 6(1), 67-80.
    """
    with np.errstate(divide="ignore"):
        return np.log2(lift.spec.kernel(counts))


@_of_class("AUPR", _ONE_OF_BOTH)
def kulczynski_similarity(counts: Counts) -> Array:
    """(P + R) / 2

    Kulczynski (1927), Bulletin de l'Academie Polonaise des Sciences, B, suppl. 2, 57-203.
    """
    return (rates.precision(counts) + rates.recall(counts)) / 2


@_of_class("LS", _ONE_OF_BOTH, bounds=_AT_LEAST_0)
def lift(counts: Counts) -> Array:
    """P / prevalence

    Brin, Motwani, Ullman & Tsur (1997), Proceedings of ACM SIGMOD, 255-264.
    """
    return divide(rates.precision(counts), rates.true_share(counts))


@_of_table(
    "MCEN",
    _ONE_CLASS_OCCURS,
    bounds=_UP_TO_MOST_ENTROPY,
    greater_is_better=False,
    scorer=None,
    per_class=True,
)
def modified_confusion_entropy(tally: Tabulated, labels: Any = None) -> Array:
    """entropy of the errors of the class to base 2 (K - 1), in shares of t_k + p_k - TP_k

    Delgado & Nunez-Gonzalez (2019), PLoS ONE 14(1), e0210264.
    """
    return parts.confusion_entropy(tally, labels, modified=True)


@_of_class(
    "OP",
    "no row, or every row, is of the class, or no row is predicted right",
    bounds=_SIGNED,
    sides="either",
)
def optimized_precision(counts: Counts) -> Array:
    """(TP + TN) / n - abs(S - R) / (S + R)

    Ranawana & Palade (2006), Proceedings of the IEEE CEC, 2254-2261.
    """
    recall, specificity = rates.recall(counts), rates.specificity(counts)
    imbalance = divide(parts.absolute(specificity - recall), specificity + recall)
    return divide(counts.tp + counts.tn, counts.total) - imbalance


@_of_class("OC", _ONE_OF_BOTH, interval="kinked")
def overlap_coefficient(counts: Counts) -> Array:
    """TP / min(TP + FP, TP + FN)

    Simpson (1943), American Journal of Science 241(1), 1-31.
    """
    return divide(counts.tp, np.minimum(counts.pred, counts.true))


@_of_class(
    "precG", "nothing is predicted as the class, or no row or every row is of it", bounds=_UP_TO_1
)
def precision_gain(counts: Counts) -> Array:
    """(P - q) / ((1 - q) P), q the share of the class

    Flach & Kull (2015), Advances in Neural Information Processing Systems 28, 838-846.
    """
    return parts.gain(counts, counts.fp, counts.tp)


@_of_class("recG", _ONE_CLASS, bounds=_UP_TO_1)
def recall_gain(counts: Counts) -> Array:
    """(R - q) / ((1 - q) R), q the share of the class

    Flach & Kull (2015), Advances in Neural Information Processing Systems 28, 838-846.
    """
    return parts.gain(counts, counts.fn, counts.tp)


@_of_class("dInd", _ONE_CLASS, bounds=(0.0, math.sqrt(2)), greater_is_better=False, sides="either")
def roc_corner_distance(counts: Counts) -> Array:
    """sqrt((1 - R)^2 + (1 - S)^2)

    Perkins & Schisterman (2006), American Journal of Epidemiology 163(7), 670-675.
    """
    missed, alarms = rates.false_negative(counts), rates.false_positive(counts)
    return np.sqrt(missed * missed + alarms * alarms)


@_of_class("sInd", _ONE_CLASS, sides="either")
def roc_corner_similarity(counts: Counts) -> Array:
    """1 - roc_corner_distance / sqrt(2)

    Perkins & Schisterman (2006), American Journal of Epidemiology 163(7), 670-675.
    """
    return 1 - roc_corner_distance.spec.kernel(counts) / np.sqrt(2)


@_of_class("RACCU", _ALWAYS, **_describes_kinked)
def unbiased_chance_agreement(counts: Counts) -> Array:
    """((t_k + p_k) / 2n)^2

    Scott (1955), Public Opinion Quarterly 19(3), 321-325.
    """
    return divide(counts.true + counts.pred, 2 * counts.total) ** 2


@_of_class("Q", _TWO_EMPTY, bounds=_SIGNED, sides="either")
def yule_q(counts: Counts) -> Array:
    """(TP TN - FP FN) / (TP TN + FP FN)

    Yule (1900), Philosophical Transactions of the Royal Society A 194, 257-319.
    """
    right, wrong = counts.tp * counts.tn, counts.fp * counts.fn
    return divide(right - wrong, right + wrong)


# --------------------------------------------------------------------------- for the whole table


@_of_table(
    "ARI",
    "both codings join all pairs of rows, or none",
    bounds=_SIGNED,
    greater_is_better=None,
    traits=("weights_are_counts",),
)
def adjusted_rand_index(tally: Tabulated) -> Array:
    """pairs of rows that both codings join, beyond chance, over the mean of the most

    Hubert & Arabie (1985), Journal of Classification 2, 193-218.
    """
    table = tally.table
    rows = np.asarray(table.sum(axis=(-1, -2)))[..., None]
    both = parts.pair_share(table, rows[..., None]).sum(axis=(-1, -2))
    true, pred = (parts.pair_share(table.sum(axis=axis), rows).sum(axis=-1) for axis in (-1, -2))
    return divide(both - true * pred, (true + pred) / 2 - true * pred)


@statistic("Bangdiwala B", "no class is both true and predicted")
def bangdiwala_b(counts: Counts) -> Array:
    """sum_k TP_k^2 / sum_k t_k p_k

    Munoz & Bangdiwala (1997), Journal of Applied Statistics 24(1), 105-112.
    """
    return divide(
        (rates.hit_share(counts) ** 2).sum(axis=-1), overall_chance_agreement.spec.kernel(counts)
    )


@_of_table("Chi-Squared", bounds=_AT_LEAST_0, greater_is_better=None, **_in_rows)
def chi_squared(tally: Tabulated) -> Array:
    """sum_ij (n_ij - t_i p_j / n)^2 / (t_i p_j / n)

    Pearson (1900), Philosophical Magazine 50, 157-175.
    """
    return phi_squared.spec.kernel(tally) * tally.table.sum(axis=(-1, -2))


@_of_table("Chi-Squared DF", bounds=_AT_LEAST_0, greater_is_better=None, interval="grows")
def chi_squared_degrees_of_freedom(tally: Tabulated) -> Array:
    """(rows - 1) (columns - 1), of those that hold anything

    Pearson (1900), Philosophical Magazine 50, 157-175.
    """
    rows, columns = parts.n_used(tally)
    return (rows - 1.0) * (columns - 1.0)


@statistic("CBA", "labels name a class that does not occur", interval="kinked")
def class_balance_accuracy(counts: Counts, labels: Any = None) -> Array:
    """mean over the classes of TP / max(TP + FP, TP + FN)

    Mosley (2013), A balanced approach to the multi-class imbalance problem.
    """
    return mean_of_all(braun_blanquet_similarity.spec.kernel(counts), counts, labels)


@statistic("CSI", "a class has no row, or is never predicted", bounds=_SIGNED)
def classification_success_index(counts: Counts, labels: Any = None) -> Array:
    """mean over the classes of P + R - 1

    Koukoulas & Blackburn (2001), Photogrammetric Engineering & Remote Sensing 67, 499-510.
    """
    success = individual_classification_success_index.spec.kernel(counts)
    return mean_of_all(success, counts, labels)


@_of_table("Conditional Entropy", bounds=_AT_LEAST_0, **_describes_kinked)
def conditional_entropy(tally: Tabulated) -> Array:
    """- sum_ij n_ij log2(n_ij / t_i), of the predicted class given the true, in bits

    Shannon (1948), Bell System Technical Journal 27, 379-423.
    """
    shares = parts.cell_shares(tally)
    true = np.broadcast_to(parts.margins_of(shares)[0], shares.shape)
    return np.asarray(parts.weighted_log_ratio(shares, true, shares).sum(axis=(-1, -2)))


@_of_table("Cramer V", "all rows are of one class, or predicted as one", **_describes)
def cramers_v(tally: Tabulated) -> Array:
    """sqrt(phi^2 / (min(rows, columns) - 1)), of those that hold anything

    Cramer (1946), Mathematical Methods of Statistics, chapter 21.
    """
    return np.sqrt(divide(phi_squared.spec.kernel(tally), np.minimum(*parts.n_used(tally)) - 1))


@statistic("Cross Entropy", bounds=_AT_LEAST_0, **_describes_kinked)
def cross_entropy(counts: Counts) -> Array:
    """- sum_k t_k log2 p_k, in bits; infinite where a true class is never predicted

    Kerridge (1961), Journal of the Royal Statistical Society B 23(1), 184-194.
    """
    divergence = kullback_leibler_divergence.spec.kernel(counts)
    return parts.entropy(rates.true_share(counts)) + divergence


@_of_table("Lambda B", "all rows are predicted as one class", **_describes_kinked)
def goodman_kruskal_lambda_pred(tally: Tabulated) -> Array:
    """(sum_i max_j n_ij - max_j p_j) / (n - max_j p_j): predicted class from the true

    Goodman & Kruskal (1954), Journal of the American Statistical Association 49, 732-764.
    """
    return parts.errors_saved(np.swapaxes(tally.table, -1, -2))


@_of_table("Lambda A", _ONE_TRUE, **_describes_kinked)
def goodman_kruskal_lambda_true(tally: Tabulated) -> Array:
    """(sum_j max_i n_ij - max_i t_i) / (n - max_i t_i): true class from the predicted

    Goodman & Kruskal (1954), Journal of the American Statistical Association 49, 732-764.
    """
    return parts.errors_saved(tally.table)


@_of_table("Joint Entropy", bounds=_AT_LEAST_0, **_describes_kinked)
def joint_entropy(tally: Tabulated) -> Array:
    """- sum_ij n_ij log2 n_ij, in bits

    Shannon (1948), Bell System Technical Journal 27, 379-423.
    """
    shares = parts.cell_shares(tally)
    return parts.entropy(shares.reshape(*shares.shape[:-2], -1))


@statistic("KL Divergence", bounds=_AT_LEAST_0, **_describes_kinked)
def kullback_leibler_divergence(counts: Counts) -> Array:
    """sum_k t_k log2(t_k / p_k), in bits; infinite where a true class is never predicted

    Kullback & Leibler (1951), Annals of Mathematical Statistics 22(1), 79-86.
    """
    true, pred = rates.true_share(counts), rates.predicted_share(counts)
    return np.maximum(parts.weighted_log_ratio(true, true, pred).sum(axis=-1), 0.0)


@statistic("RR", bounds=_AT_LEAST_0, greater_is_better=None, **_in_rows)
def mean_predicted_count(counts: Counts, labels: Any = None) -> Array:
    """n / K, the mean of p_k

    Haghighi et al. (2018), Journal of Open Source Software 3(25), 729.
    """
    return mean_of_all(counts.pred, counts, labels)


@_of_table("Mutual Information", bounds=_AT_LEAST_0, **_describes_kinked)
def mutual_information(tally: Tabulated) -> Array:
    """sum_ij n_ij log2(n_ij / (t_i p_j)), in bits

    Shannon (1948), Bell System Technical Journal 27, 379-423.
    """
    cells = parts.cell_shares(tally)
    true, pred = parts.margins_of(cells)
    # A direct sum, since a difference of entropies loses its digits near independence.
    ratio, pred = divide(cells, true), np.broadcast_to(pred, cells.shape)
    return np.maximum(parts.weighted_log_ratio(cells, ratio, pred).sum(axis=(-1, -2)), 0.0)


@statistic("Overall RACC", **_describes_kinked)
def overall_chance_agreement(counts: Counts) -> Array:
    """sum_k t_k p_k / n^2

    Cohen (1960), Educational and Psychological Measurement 20(1), 37-46.
    """
    return np.asarray(chance_agreement.spec.kernel(counts).sum(axis=-1))


@_of_table(
    "Overall CEN",
    _ONE_CLASS_OCCURS,
    bounds=_UP_TO_MOST_ENTROPY,
    greater_is_better=False,
    interval="kinked",
)
def overall_confusion_entropy(tally: Tabulated, labels: Any = None) -> Array:
    """mean of confusion_entropy weighted by (t_k + p_k) / 2n

    Wei, Yuan, Hu & Wang (2010), Expert Systems with Applications 37(5), 3799-3809.
    """
    return parts.overall_entropy(tally, labels)


@_of_table("Overall MCEN", _ONE_CLASS_OCCURS, greater_is_better=False, interval="kinked")
def overall_modified_confusion_entropy(tally: Tabulated, labels: Any = None) -> Array:
    """sum of modified_confusion_entropy times (t_k + p_k - TP_k) / (2n - a sum_k TP_k), a = 1,
    or 1/2 for two classes

    Delgado & Nunez-Gonzalez (2019), PLoS ONE 14(1), e0210264.
    """
    return parts.overall_entropy(tally, labels, modified=True)


@statistic("Overall RACCU", **_describes_kinked)
def overall_unbiased_chance_agreement(counts: Counts) -> Array:
    """sum_k ((t_k + p_k) / 2n)^2

    Scott (1955), Public Opinion Quarterly 19(3), 321-325.
    """
    return np.asarray(unbiased_chance_agreement.spec.kernel(counts).sum(axis=-1))


@_of_table("Pearson C", **_describes)
def pearson_contingency_coefficient(tally: Tabulated) -> Array:
    """sqrt(phi^2 / (1 + phi^2))

    Pearson (1904), On the Theory of Contingency, Drapers' Company Research Memoirs.
    """
    phi = phi_squared.spec.kernel(tally)
    return np.sqrt(phi / (1 + phi))


@_of_table("Phi-Squared", bounds=_AT_LEAST_0, **_describes)
def phi_squared(tally: Tabulated) -> Array:
    """chi^2 / n

    Pearson (1900), Philosophical Magazine 50, 157-175.
    """
    cells = parts.cell_shares(tally)
    true, pred = parts.margins_of(cells)
    excess = cells - true * pred
    # Two ratios, since the product of two small margins would underflow.
    terms = np.nan_to_num(divide(excess, true) * divide(excess, pred))
    return np.asarray(terms.sum(axis=(-1, -2)))


@statistic("Response Entropy", bounds=_AT_LEAST_0, **_describes_kinked)
def predicted_entropy(counts: Counts) -> Array:
    """- sum_k p_k log2 p_k, in bits

    Shannon (1948), Bell System Technical Journal 27, 379-423.
    """
    return parts.entropy(rates.predicted_share(counts))


@statistic("Kappa No Prevalence", bounds=_SIGNED)
def prevalence_adjusted_kappa(counts: Counts) -> Array:
    """2 accuracy - 1

    Byrt, Bishop & Carlin (1993), Journal of Clinical Epidemiology 46(5), 423-429.
    """
    return 2 * observed(counts) - 1


@_of_table("RCI", _ONE_TRUE, **_describes_kinked)
def relative_classifier_information(tally: Tabulated) -> Array:
    """mutual_information / true_entropy (Theil's uncertainty coefficient)

    Sindhwani, Bhattacharya & Rakshit (2001), Proceedings of the 1st SIAM SDM.
    """
    rows = tally.table.sum(axis=-1)
    # Of their own sum, so that the share of the only class is 1 however its weights were rounded.
    known = parts.entropy(divide(rows, rows.sum(axis=-1, keepdims=True)))
    return divide(np.where(known == 0, 0.0, mutual_information.spec.kernel(tally)), known)


@statistic("Reference Entropy", bounds=_AT_LEAST_0, **_describes_kinked)
def true_entropy(counts: Counts) -> Array:
    """- sum_k t_k log2 t_k, in bits

    Shannon (1948), Bell System Technical Journal 27, 379-423.
    """
    return parts.entropy(rates.true_share(counts))
