"""METRICS: one row per metric. Scorers, documentation, law tests and the command line read it.

The rows stand in ``labels``, ``scores`` and ``probabilities``, by what a metric takes.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from skmetrics_ext.registry import label_rows as labels
from skmetrics_ext.registry import probability_rows as probabilities
from skmetrics_ext.registry import ranking_rows as scores
from skmetrics_ext.registry.spec import MetricSpec

__all__ = ["METRICS", "MetricSpec", "find_metric", "scorers", "spec_of"]

METRICS: Mapping[str, MetricSpec] = MappingProxyType(
    {row.name: row for rows in (labels, scores, probabilities) for row in rows.ROWS}
)


# Metrics that need a parameter which nobody can choose for the user: no scorer and no law is
# theirs, but the layers above read them as they read the others.
_FURTHER = {row.name: row for rows in (labels, probabilities) for row in rows.FURTHER}


def spec_of(function: Callable[..., Any]) -> MetricSpec | None:
    """Row of a function of this package; None for any other."""
    name = getattr(function, "__name__", "")
    spec = METRICS.get(name) or _FURTHER.get(name)
    return spec if spec is not None and spec.function is function else None


@cache
def scorers() -> dict[str, tuple[MetricSpec, dict[str, Any]]]:
    """Name of every scorer -> its row and the parameters that it sets."""
    return {
        name: (spec, params)
        for spec in METRICS.values()
        for name, params in spec.scorer_names().items()
    }


def find_metric(name: str) -> tuple[MetricSpec, dict[str, Any]]:
    """Row and parameters of a scorer's name, ``neg_`` or not; near names where it is unknown."""
    known = scorers()
    for candidate in (name, f"neg_{name}"):
        if candidate in known:
            return known[candidate]
    near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    raise ValueError(
        f"{name!r} is not a valid scoring value.{hint} skmetrics_ext.get_scorer_names() lists all."
    )
