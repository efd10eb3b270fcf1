"""Default metrics, headings, display names and synonyms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

# Default scorers of a report, by kind of target.
HEADLINE: Mapping[str, tuple[str, ...]] = {
    "binary": ("roc_auc", "f1", "balanced_accuracy", "accuracy", "neg_log_loss"),
    "multiclass": ("roc_auc_ovr", "f1_macro", "balanced_accuracy", "accuracy", "neg_log_loss"),
    "multilabel": ("f1_macro", "f1_micro", "accuracy", "neg_hamming_loss"),
}

# Default metrics of `evaluate`.
OF_SCORES = ("roc_auc", "average_precision", "log_loss")

# Default metrics for a file of predictions; those that do not apply are left out.
FILE_METRICS = (
    "roc_auc", "roc_auc_ovr", "average_precision", "log_loss", "brier_score",
    "accuracy", "balanced_accuracy", "precision", "recall", "specificity", "f1",
    "precision_macro", "recall_macro", "f1_macro", "matthews_corrcoef",
)  # fmt: skip

# Headings in lists of metrics, by response.
HEADINGS: Mapping[str, str] = {
    "scores": "ranking",
    "probabilities": "probabilities",
    "labels": "predicted labels",
}

# Words of registered names that are not written in lower case.
_WORDS: Mapping[str, str] = {
    "ac1": "AC1", "auc": "AUC", "auprg": "AUPRG", "b": "B", "blanquet": "Blanquet",
    "brennan": "Brennan", "brier": "Brier", "cohen": "Cohen", "corrcoef": "correlation", "d2": "D2",
    "davis": "Davis", "dcg": "DCG", "f": "F", "f1": "F1", "f2": "F2", "fleiss": "Fleiss",
    "fowlkes": "Fowlkes", "gini": "Gini", "goadrich": "Goadrich", "gwet": "Gwet", "h": "H",
    "hamming": "Hamming", "j": "J", "jaccard": "Jaccard", "krippendorff": "Krippendorff",
    "ks": "KS", "mallows": "Mallows", "matthews": "Matthews", "ndcg": "NDCG", "ovo": "one-vs-one",
    "ovr": "one-vs-rest", "pr": "PR", "prediger": "Prediger", "q": "Q", "roc": "ROC",
    "scott": "Scott", "youden": "Youden",
    **{name: name.upper() for name in (
        "ap", "auprc", "auroc", "ece", "eer", "fdr", "fnr", "fpr", "iou", "mcc", "npv", "ppv",
        "qwk", "rps", "tnr", "tpr",
    )},
}  # fmt: skip


class Familiar(str):
    """The registered name of a metric, which prints as the synonym that it was asked by."""

    def __new__(cls, name: str, typed: str = "") -> Self:
        """The name itself, with the synonym next to it."""
        self = super().__new__(cls, name)
        self.typed = typed or name
        return self

    typed: str

    def __str__(self) -> str:
        return self.typed


def display_name(name: str, *, inside: bool = False) -> str:
    """A registered name in writing: "Log loss", or "log loss" ``inside`` a sentence."""
    words = str(name).removeprefix("neg_").split("_")
    text = " ".join(_WORDS.get(word, word) for word in words)
    return text if inside else text[:1].upper() + text[1:]


# Default metric for model selection, as in scikit-learn.
CHOICE = "accuracy"

# What the marks of answers, right or wrong, are the share of.
OF_MARKS = "accuracy"

# Names that stand for several metrics.
SETS: Mapping[str, tuple[str, ...]] = {
    "diagnostic": (
        *("recall", "specificity", "precision", "negative_predictive_value"),
        *("positive_likelihood_ratio", "negative_likelihood_ratio"),
    ),
}

# Default criterion for thresholds, as in scikit-learn.
CRITERION = "balanced_accuracy"

# Rates shown over all thresholds.
RATES = ("precision", "recall", "specificity", "f1")

# Metrics shown at one threshold.
THRESHOLD_METRICS = (
    *RATES,
    "negative_predictive_value",
    "balanced_accuracy",
    "matthews_corrcoef",
    "accuracy",
)

# Name of a metric -> common other names.
_OTHER_NAMES: Mapping[str, str] = {
    # labels
    "confusion_matrix": "contingency_table error_matrix",
    "accuracy": "acc correct_rate share_correct",
    "error_rate": "misclassification_rate",
    "zero_one_loss": "0_1_loss",
    "precision": "ppv positive_predictive_value",
    "recall": "sensitivity tpr true_positive_rate hit_rate",
    "specificity": "tnr true_negative_rate selectivity",
    "negative_predictive_value": "npv",
    "false_positive_rate": "fpr fall_out 1_specificity false_alarm_rate",
    "false_negative_rate": "fnr miss_rate",
    "false_discovery_rate": "fdr 1_precision",
    "false_omission_rate": "1_negative_predictive_value",
    "prevalence": "base_rate event_rate prior",
    "detection_prevalence": "predicted_positive_rate alarm_rate",
    "positive_likelihood_ratio": "lr+ plr lr_plus",
    "negative_likelihood_ratio": "lr_ nlr lr_minus",
    "diagnostic_odds_ratio": "dor odds_ratio",
    "no_information_rate": "nir majority_baseline",
    "f1": "f_measure f_score f1_measure dice dice_coefficient",
    "jaccard": "iou intersection_over_union csi critical_success_index threat_score",
    "balanced_accuracy": "bacc bal_accuracy mean_recall unweighted_average_recall uar macro_recall",
    "youden_j": "youden youden_index informedness true_skill_statistic tss peirces_score",
    "markedness": "delta_p",
    "geometric_mean": "g_mean gmean",
    "fowlkes_mallows_index": "fm_index fmi geometric_mean_of_precision_and_recall",
    "matthews_corrcoef": "mcc phi phi_coefficient r_k matthews_correlation_coefficient",
    "index_balanced_accuracy": "iba",
    "cohen_kappa": "kappa cohens_kappa heidke_skill_score hss",
    "cohen_kappa_linear": "linear_weighted_kappa linearly_weighted_kappa",
    "cohen_kappa_quadratic": "quadratic_weighted_kappa quadratically_weighted_kappa qwk",
    "scott_pi": "unbiased_kappa scotts_pi",
    "gwet_ac1": "ac1",
    "krippendorff_alpha": "krippendorffs_alpha",
    "brennan_prediger": "bennett_s bennetts_s brennan_and_predigers_kappa",
    "expected_cost": "mean_loss_of_decisions",
    # scores
    "roc_auc": "auc auroc c_statistic c_index concordance area_under_the_roc_curve",
    "gini": "accuracy_ratio somers_d 2_auc_1 gini_coefficient",
    "partial_roc_auc": "pauc partial_auc",
    "roc_auc_convex_hull": "rocch auch",
    "ks_statistic": "ks kolmogorov_smirnov largest_youdens_j",
    "average_precision": "ap step_wise_area_under_the_pr_curve",
    "pr_auc": "auprc aupr prauc",
    "auprg": "prg",
    "gain_capture": "cap cumulative_gain cumulative_accuracy_profile",
    "equal_error_rate": "eer",
    "top_k_accuracy": "topk hit_at_k",
    "label_ranking_average_precision": "lrap mean_reciprocal_rank mrr",
    "label_ranking_loss": "ranking_loss",
    "ndcg": "normalized_dcg",
    # probabilities
    "log_loss": "logloss logarithmic_score deviance cross_entropy_loss logistic_loss",
    "brier_score": "brier brier_loss quadratic_score mean_squared_error_of_probabilities",
    "brier_skill": "scaled_brier_score bss",
    "ranked_probability_score": "rps",
    "expected_calibration_error": "ece",
    "smooth_calibration_error": "smooth_ece smece",
    "observed_expected_ratio": "o_e calibration_in_the_large",
}

# Other name -> name of the metric.
SYNONYMS: Mapping[str, str] = {
    other: name for name, others in _OTHER_NAMES.items() for other in others.split()
}
