"""Where each public name is documented: its section, and its counterpart in scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import skmetrics_ext
from skmetrics_ext.registry import spec_of

# Names of the module that merges sums; its other classes are parts of these.
TALLIES = ("ConfusionTally", "Counts", "MomentTally", "RankTally", "ScoreSketch")
# The module in which each public name is documented.
HOMES = {
    **dict.fromkeys(skmetrics_ext.__all__, "skmetrics_ext"),
    **dict.fromkeys(skmetrics_ext.results.__all__, "skmetrics_ext.results"),
    **dict.fromkeys(skmetrics_ext.significance.__all__, "skmetrics_ext.significance"),
    **dict.fromkeys(TALLIES, "skmetrics_ext.tallies"),
}


def public(name: str) -> Any:
    """The function or class of a public name."""
    return getattr(import_module(HOMES[name]), name)


@dataclass(frozen=True)
class Section:
    """A part of the API index, and the page of the guide that goes with it."""

    title: str
    about: str
    guide: str


LABELS = Section("Metrics of labels", "True and predicted classes in, a number out.", "labels")
SCORES = Section("Metrics of scores", "They read the ranking that scores give.", "scores_and_curves")
PROBABILITIES = Section(
    "Probabilities and calibration", "They ask whether probabilities are right.", "probabilities"
)
CURVES = Section("Curves", "Arrays, one entry for each threshold.", "scores_and_curves")
THRESHOLDS = Section("Thresholds and decisions", "From a score to an action.", "thresholds")
INTERVALS = Section("Intervals and sample sizes", "How sure a number is.", "intervals")
TESTS = Section("Comparing models", "Is one better than another?", "comparing")
COMPUTING = Section("Computing with estimates", "What several numbers give.", "computing")
LABELLING = Section(
    "Labels from people and machines", "Few labels, or several tries.", "people_and_machines"
)
GROUPS = Section("Groups and gaps", "Is it worse for some, and is that noise?", "groups")
SLICES = Section("Weak slices", "Where is it worse than elsewhere?", "weak_slices")
SCORING = Section("Scorers and panels", "For ``scoring=``, and many metrics at once.", "panels")
REPORTS = Section("Reports", "Models over folds, beside a baseline.", "cross_validation")
SEARCHES = Section("Searches", "What the best score should have been.", "searching")
DISPLAYS = Section("Displays", "Pictures, with the numbers behind them.", "scores_and_curves")
LARGE = Section("Data that comes in parts", "Values that merge.", "speed_and_memory")
REGISTRY = Section("Registry", "What the package knows of its metrics.", "panels")

SECTIONS = (
    LABELS, SCORES, PROBABILITIES, CURVES, THRESHOLDS, INTERVALS,
    TESTS, COMPUTING, LABELLING, GROUPS, SLICES, SCORING, REPORTS, SEARCHES, DISPLAYS, LARGE, REGISTRY,
)  # fmt: skip

# The first module that fits decides; what is in the registry is where its row says.
_BY_MODULE = (
    ("plotting", DISPLAYS),
    ("backends", LARGE),
    ("merged", LARGE),
    ("streaming", LARGE),
    ("slices", GROUPS),
    ("tallies", LARGE),
    ("registry", REGISTRY),
    ("operations.leaderboard", TESTS),
    ("operations", GROUPS),
    ("report.search", SEARCHES),
    ("report", REPORTS),
    ("requirements", REPORTS),
    ("tables", REPORTS),
    ("requirements", REPORTS),
    ("inference.pooling", COMPUTING),
    ("scoring", SCORING),
    ("thresholds", THRESHOLDS),
    ("curves", CURVES),
    ("inference.confidence_interval", INTERVALS),
    ("inference.proportions", INTERVALS),
    ("inference.two_proportions", INTERVALS),
    ("inference.label_plan", LABELLING),
    ("inference.nested_cv", INTERVALS),
    ("inference.bands", INTERVALS),
    ("inference.area_power", INTERVALS),
    ("inference.sample_size", INTERVALS),
    ("inference.confidence_interval", INTERVALS),
    ("inference.calibration_intervals", PROBABILITIES),
    ("inference.classification_report", LABELS),
    ("inference.arithmetic", COMPUTING),
    ("inference", TESTS),
    ("metrics.calibration", PROBABILITIES),
    ("metrics.rankings", CURVES),
    ("metrics.labels", LABELS),
    ("metrics.spec", REGISTRY),
)
# What holds the name's own module would say less well.
_BY_NAME = {
    "METRICS": REGISTRY,
    "Estimate": INTERVALS,
    "gains_table": THRESHOLDS,
    "pass_at_k": LABELLING,
    "corrected_resampled_interval": INTERVALS,
    "metric_at_thresholds": CURVES,
    "WeakSlices": SLICES,
    "net_benefit": THRESHOLDS,
    "pairwise_roc_auc": SCORES,
    "weak_slices": SLICES,
}
_BY_RESPONSE = {"labels": LABELS, "scores": SCORES, "probabilities": PROBABILITIES}


def section_of(name: str) -> Section:
    """The one section of a public name."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    thing = public(name)
    spec = spec_of(thing)
    if spec is not None:
        return _BY_RESPONSE[spec.response]
    module = thing.__module__.removeprefix("skmetrics_ext.")
    for start, section in _BY_MODULE:
        if module == start or module.startswith(start + "."):
            return section
    raise LookupError(f"docs/_ext/names.py: no section for {name} of the module {module}")


def sections() -> dict[Section, list[str]]:
    """The public names of each section, sorted."""
    found: dict[Section, list[str]] = {section: [] for section in SECTIONS}
    for name in sorted(HOMES):
        found[section_of(name)].append(name)
    return found


# Ours -> what of scikit-learn answers the same question, where it has another name.
RELATED = {
    "CalibrationDisplay": "sklearn.calibration.CalibrationDisplay",
    "CrossValidationReport": "sklearn.model_selection.cross_validate",
    "PrecisionRecallCurvesDisplay": "sklearn.metrics.PrecisionRecallDisplay",
    "RocCurvesDisplay": "sklearn.metrics.RocCurveDisplay",
    "ScorerPanel": "sklearn.model_selection.cross_validate",
    "ThresholdOptimizerCV": "sklearn.model_selection.TunedThresholdClassifierCV",
    "averaged_confusion": "sklearn.metrics.multilabel_confusion_matrix",
    "brier_skill_score": "sklearn.metrics.d2_brier_score",
    "calibration_curve_binned": "sklearn.calibration.calibration_curve",
    "compute_metrics": "sklearn.metrics.classification_report",
    "cross_validation_report": "sklearn.model_selection.cross_validate",
    "error_rate": "sklearn.metrics.zero_one_loss",
    "false_negative_rate": "sklearn.metrics.recall_score",
    "fowlkes_mallows_index_score": "sklearn.metrics.fowlkes_mallows_score",
    "get_scorer": "sklearn.metrics.get_scorer",
    "get_scorer_names": "sklearn.metrics.get_scorer_names",
    "gini_score": "sklearn.metrics.roc_auc_score",
    "make_scorer": "sklearn.metrics.make_scorer",
    "negative_likelihood_ratio": "sklearn.metrics.class_likelihood_ratios",
    "optimal_threshold": "sklearn.model_selection.TunedThresholdClassifierCV",
    "pairwise_roc_auc": "sklearn.metrics.roc_auc_score",
    "partial_roc_auc_score": "sklearn.metrics.roc_auc_score",
    "positive_likelihood_ratio": "sklearn.metrics.class_likelihood_ratios",
    "pr_auc_score": "sklearn.metrics.average_precision_score",
    "precision_recall_curves": "sklearn.metrics.precision_recall_curve",
    "roc_curves": "sklearn.metrics.roc_curve",
    "specificity_score": "sklearn.metrics.recall_score",
}


def counterpart(name: str) -> tuple[str, bool]:
    """The name in scikit-learn, "" where there is none; and whether it is the same name."""
    import sklearn.metrics

    if name in sklearn.metrics.__all__ and name not in RELATED:
        return f"sklearn.metrics.{name}", True
    related = RELATED.get(name, "")
    return related, related == f"sklearn.metrics.{name}"


def is_class(thing: Any) -> bool:
    """Whether a public name is a class."""
    return isinstance(thing, type)
