"""Which metrics a report shows, by name, and how each is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from skmetrics_ext.registry import find_metric
from skmetrics_ext.scoring import Scorer, ScorerPanel, get_scorer
from skmetrics_ext.scoring.panel import named_scorers
from skmetrics_ext.scoring.prepared import parameters, takes_positive

DEFAULT_SCORING: Mapping[str, tuple[str, ...]] = {
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


@dataclass(frozen=True, slots=True)
class ReportScoring:
    """The panel of a report, and which of its metrics were given by name."""

    panel: ScorerPanel
    by_name: frozenset[str]


def resolve_scoring(scoring: Any, task: str, positive: Any) -> ReportScoring:
    """Scorers by name, from whatever ``scoring=`` may be."""
    if isinstance(scoring, ScorerPanel):
        return ReportScoring(scoring, frozenset())
    given = named_scorers(DEFAULT_SCORING[task] if scoring is None else scoring)
    by_name = frozenset(name for name, scorer in given.items() if isinstance(scorer, str))
    scorers = {
        name: _by_name(scorer, task, positive) if name in by_name else scorer
        for name, scorer in given.items()
    }
    return ReportScoring(ScorerPanel(scorers), by_name)


def _by_name(name: str, task: str, positive: Any) -> Scorer:
    """The scorer of a name, with what a report knows and a metric alone does not.

    All metrics of one class are of the same class: the last, as for ``predict_proba``. And a
    ratio 0/0 is undefined and counted, where the metric alone would give 0 with a warning.
    """
    spec, fixed = find_metric(name)
    params: dict[str, Any] = {}
    if task == "binary":
        if takes_positive(spec, fixed):
            params["pos_label"] = positive
        accepted = parameters(spec)
        if (
            spec.response == "labels"
            and "average" not in fixed
            and "zero_division" in accepted
            and accepted["zero_division"].default == "warn"
        ):
            params["zero_division"] = float("nan")
    return get_scorer(name, **params)
