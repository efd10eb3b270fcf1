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

# What a model is chosen by where nothing is asked for, as scikit-learn does.
CHOICE = "accuracy"

# What a threshold is chosen by, as scikit-learn does.
CRITERION = "balanced_accuracy"

# Rates that a picture of thresholds shows.
RATES = ("precision", "recall", "specificity", "f1")

# What the criterion of a threshold is often called.
SYNONYMS: Mapping[str, str] = {
    "mcc": "matthews_corrcoef",
    "sensitivity": "recall",
    "kappa": "cohen_kappa",
}
