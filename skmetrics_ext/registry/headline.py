"""Which metrics a report shows where none are asked for: names of scorers by the kind of target."""

from __future__ import annotations

from collections.abc import Mapping

HEADLINE: Mapping[str, tuple[str, ...]] = {
    "binary": ("roc_auc", "gini", "f1", "balanced_accuracy", "accuracy", "neg_log_loss"),
    "multiclass": (
        "roc_auc_ovr",
        "gini_ovr",
        "f1_macro",
        "balanced_accuracy",
        "accuracy",
        "neg_log_loss",
    ),
    "multilabel": ("f1_macro", "f1_micro", "accuracy", "neg_hamming_loss"),
}
