"""Which metrics a report shows, by name, and of which class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from skmetrics_ext.registry import HEADLINE, find
from skmetrics_ext.scoring import ScorerPanel
from skmetrics_ext.scoring.panel import named_scorers


@dataclass(frozen=True, slots=True)
class ReportScoring:
    """The panel of a report, and which of its metrics were given by name.

    ``left_out`` are metrics that a report shows by default, but not where no class is positive.
    """

    panel: ScorerPanel
    by_name: frozenset[str]
    left_out: tuple[str, ...] = ()


def resolve_scoring(scoring: Any, task: str, positive: Any) -> ReportScoring:
    """Scorers by name, from whatever ``scoring=`` may be.

    All metrics of one class that are given by name are of the same class.
    """
    if isinstance(scoring, ScorerPanel):
        return ReportScoring(scoring, frozenset())
    left_out: tuple[str, ...] = ()
    if scoring is None:
        scoring = HEADLINE[task]
        if task == "binary" and positive is None:
            left_out = tuple(name for name in scoring if find(name).sides == "one")
            scoring = [name for name in scoring if name not in left_out]
    given = named_scorers(scoring)
    by_name = frozenset([name for name, scorer in given.items() if isinstance(scorer, str)])
    return ReportScoring(ScorerPanel(given, pos_label=positive), by_name, left_out)
