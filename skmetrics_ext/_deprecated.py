"""Deprecated public names: where each is, and what to write instead, until version 0.4."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any
from warnings import warn

# Names that moved -> the module that has them.
MOVED: Mapping[str, str] = {
    **dict.fromkeys(
        ("CrossValidationReport", "MetricSpec", "Scorer", "SearchReport"), "skmetrics_ext.results"
    ),
    **dict.fromkeys(
        (
            "bowker_test", "classifier_f_test", "cochran_q_test", "five_by_two_cv_ftest",
            "five_by_two_cv_ttest", "friedman_test", "no_information_test", "stuart_maxwell_test",
            "venkatraman_test", "wilcoxon_signed_rank_test",
        ),
        "skmetrics_ext.significance",
    ),
}  # fmt: skip

# Names that another call replaces -> what answers, and that call.
_STATISTICS = "skmetrics_ext.metrics.labels.table_statistics"
REPLACED: Mapping[str, tuple[str, str]] = {
    "detection_rate": (
        f"{_STATISTICS}.detection_rate",
        "confusion_statistic(y_true, y_pred, 'detection_rate')",
    ),
    **{
        f"{name}_score": (
            f"{_STATISTICS}.{name}",
            f"confusion_statistic(y_true, y_pred, '{name}')",
        )
        for name in ("f1_gain", "precision_gain", "recall_gain")
    },
}


def deprecated(name: str, module: str = "skmetrics_ext") -> Any:
    """The thing of a deprecated name, with a warning that says what to write instead."""
    place, instead = REPLACED.get(name) or (f"{MOVED[name]}.{name}",) * 2
    message = f"{module}.{name} is deprecated and will be removed in version 0.4: use {instead}."
    warn(message, FutureWarning, stacklevel=3)
    home, _, own = place.rpartition(".")
    return getattr(import_module(home), own)
