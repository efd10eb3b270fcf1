"""Deprecated public names: where each is, and what to write instead, until version 0.4."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any
from warnings import warn

from skmetrics_ext._lazy import deprecation

# Names that moved -> the module that has them.
MOVED: Mapping[str, str] = {
    **dict.fromkeys(
        ("CrossValidationReport", "MetricSpec", "Scorer", "SearchReport"), "skmetrics_ext.results"
    ),
    **dict.fromkeys(
        (
            "bowker_test", "classifier_f_test", "cochran_q_test", "five_by_two_cv_ftest",
            "five_by_two_cv_ttest", "friedman_test", "hosmer_lemeshow_test",
            "no_information_test", "spiegelhalter_test", "stuart_maxwell_test",
            "venkatraman_test", "wilcoxon_signed_rank_test",
        ),
        "skmetrics_ext.significance",
    ),
}  # fmt: skip

# Names that another call replaces -> what answers, and that call.
_STATISTICS = "skmetrics_ext.metrics.labels.table_statistics"
REPLACED: Mapping[str, tuple[str, str]] = {
    "CrossValidationDisplay": (
        "skmetrics_ext.plotting.CrossValidationDisplay",
        "report.plot()",
    ),
    "average_ranks": (
        "skmetrics_ext.inference.tests.rank_tests.average_ranks",
        "nemenyi_test(scores).average_ranks",
    ),
    "compare_many": (
        "skmetrics_ext.operations.compare_many.compare_many",
        "confidence_interval(metric, y_true, models).against('each').adjust('simultaneous')",
    ),
    "mwu_auc_test": (
        "skmetrics_ext.inference.tests.roc_curves.mwu_auc_test",
        "confidence_interval('roc_auc', y_true, y_score).test(null=0.5)",
    ),
    "nested_cv_interval": (
        "skmetrics_ext.inference.nested_cv.nested_cv_interval",
        "cross_validation_report(...).summary(interval='nested')",
    ),
    "optimal_threshold_interval": (
        "skmetrics_ext.thresholds.optimal.optimal_threshold_interval",
        "optimal_threshold(..., interval=True)",
    ),
    "proportion_difference_interval": (
        "skmetrics_ext.inference.two_proportions.proportion_difference_interval",
        "proportion_interval(count_a, nobs_a) - proportion_interval(count_b, nobs_b)",
    ),
    "roc_auc_power": (
        "skmetrics_ext.inference.area_power.roc_auc_power",
        "sample_size('roc_auc', value=auc, null=0.5, prevalence=..., n=...)",
    ),
    "roc_auc_sample_size": (
        "skmetrics_ext.inference.area_power.roc_auc_sample_size",
        "sample_size('roc_auc', value=auc, null=0.5, prevalence=...)",
    ),
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
    warn(deprecation(f"{module}.{name}", instead), FutureWarning, stacklevel=3)
    home, _, own = place.rpartition(".")
    return getattr(import_module(home), own)
