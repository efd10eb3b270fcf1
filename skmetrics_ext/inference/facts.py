"""What a reader of a paper asks of a result: the data, the degrees of freedom, the reference."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import BOOTSTRAP_METHODS
from skmetrics_ext.inference.linearized import Linearized
from skmetrics_ext.inference.notes import NONE
from skmetrics_ext.inference.proportions import PROPORTION_METHODS
from skmetrics_ext.inference.results import Comparison
from skmetrics_ext.result_bases import Facts

# Methods whose quantile is normal.
_NORMAL = ("mover", "delong", "normal")


def facts_of(
    statistic: Linearized,
    method: str,
    counts: tuple[float, float] | None = None,
    draws: int | None = None,
) -> Facts:
    """The facts of one statistic, whose interval was computed by a method."""
    sample = statistic.origin
    metric, design = sample.metric, statistic.design
    data: Any = getattr(sample, "data", None)
    if design.is_counted and design.sizes is None and hasattr(data, "true"):
        n_rows = effective = float(data.true.shape[0])  # atoms of a ranking would be sorted for it
    else:
        n_rows, effective = statistic.atoms.n_rows, float(statistic.atoms.effective_rows)
    if design.group is not None:
        effective = min(effective, float(statistic.atoms.effective_groups()))
    is_share = bool(getattr(sample, "share", "")) and method in PROPORTION_METHODS
    by_normal = design.is_plain and (is_share or method in _NORMAL)
    freedom = None
    by_draws = by_normal or method in (*BOOTSTRAP_METHODS, NONE) or np.ndim(statistic.value)
    if not by_draws and statistic.has_influence:
        freedom = float(statistic.freedom)
    positive = positive_class_of(metric, data)
    about = n_rows, effective, freedom, positive, counts, draws
    return Facts(metric.name, dict(metric.params), *about)


def facts_of_both(found: Comparison, *sides: Linearized) -> Facts:
    """The facts of a comparison of models on the rows of one statistic, or of two samples."""
    each = [facts_of(side, NONE) for side in sides]
    rows, effective = np.sum([(facts.n or 0, facts.n_effective or 0) for facts in each], axis=0)
    known = found.facts or Facts()
    facts = replace(each[0], n=float(rows), n_effective=float(effective))
    return replace(facts, freedom=known.freedom, draws=known.draws)


def positive_class_of(metric: Any, data: Any) -> Any:
    """The class that the metric, or the score, is of; None where there is none."""
    if metric.row is None:
        return None
    if metric.row.response == "labels":
        return metric.params.get("pos_label") if metric.sides == "one" else None
    classes: Any = getattr(data, "classes", ())
    return classes[-1].item() if len(classes) == 2 else None
