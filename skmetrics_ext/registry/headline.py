"""Names that users meet without choosing them: default metrics, synonyms."""

from __future__ import annotations

from collections.abc import Mapping

# Scorers that a report shows where none are asked for, by the kind of target.
HEADLINE: Mapping[str, tuple[str, ...]] = {
    "binary": ("roc_auc", "f1", "balanced_accuracy", "accuracy", "neg_log_loss"),
    "multiclass": (
        "roc_auc_ovr",
        "f1_macro",
        "balanced_accuracy",
        "accuracy",
        "neg_log_loss",
    ),
    "multilabel": ("f1_macro", "f1_micro", "accuracy", "neg_hamming_loss"),
}

# What a data set is evaluated by where nothing is asked for.
OF_SCORES = ("roc_auc", "average_precision", "log_loss")

# What a file of predictions is scored by where nothing is asked for: those of these that fit.
OF_FILES = (
    "roc_auc", "roc_auc_ovr", "average_precision", "log_loss", "brier_score",
    "accuracy", "balanced_accuracy", "precision", "recall", "specificity", "f1",
    "precision_macro", "recall_macro", "f1_macro", "matthews_corrcoef",
)  # fmt: skip

# What a metric is told under, by what it reads.
HEADINGS: Mapping[str, str] = {
    "scores": "ranking",
    "probabilities": "probabilities",
    "labels": "predicted labels",
}

# What a model is chosen by where nothing is asked for, as scikit-learn does.
CHOICE = "accuracy"

# What a threshold is chosen by, as scikit-learn does.
CRITERION = "balanced_accuracy"

# Rates that a picture of thresholds shows.
RATES = ("precision", "recall", "specificity", "f1")

# The same and more, where there is room for numbers at one threshold.
AT_THRESHOLD = (
    *RATES,
    "negative_predictive_value",
    "balanced_accuracy",
    "matthews_corrcoef",
    "accuracy",
)

# What the criterion of a threshold is often called.
SYNONYMS: Mapping[str, str] = {
    "mcc": "matthews_corrcoef",
    "sensitivity": "recall",
    "kappa": "cohen_kappa",
}
