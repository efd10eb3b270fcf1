"""What the registry knows of a metric, as the rows of the table that opens its page."""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import Any

import skmetrics_ext
from names import HOMES, counterpart, public, section_of
from skmetrics_ext.cli.metrics import PREDICTED as PREDICTED
from skmetrics_ext.cli.metrics import SCORE as SCORE
from skmetrics_ext.cli.metrics import TRUE as TRUE
from skmetrics_ext.cli.metrics import interval_methods
from skmetrics_ext.registry import MetricSpec, spec_of

READS = {
    "labels": "predicted labels",
    "scores": "scores: any numbers that rank",
    "probabilities": "probabilities",
}
TALLIES = {
    "hits": "the number of rows predicted right",
    "marks": "the number of rows, or of marks of multilabel data, predicted right",
    "counts": "counts of each class",
    "confusion": "the confusion table",
    "ranks": "the ranking",
    "moments": "a mean over rows",
}
# What annotations do not tell.
GIVEN = {
    "MetricSpec": ("METRICS",),
    "PartitionError": ("evaluate",),
    "ThresholdInterval": ("optimal_threshold",),
}
def number(bound: float) -> str:
    """A bound as text."""
    return {float("inf"): "∞", float("-inf"): "-∞"}.get(bound, f"{bound:g}")


def options(function: Any, parameter: str) -> str:
    """The choices of a parameter, as its documentation lists them."""
    line = re.search(rf"^\s*{parameter} : (.+)$", inspect.getdoc(function) or "", re.MULTILINE)
    if line is None or parameter not in inspect.signature(function).parameters:
        return ""
    kinds = line[1].split(", default")[0]
    found = re.findall(r'"(\w+)"', kinds) + (["None"] if "None" in kinds else [])
    found = [choice for choice in found if choice != "raise"]
    return ", ".join(found)


def better(spec: MetricSpec) -> str:
    """Which way is better."""
    return {True: "higher is better", False: "lower is better", None: "it describes"}[
        spec.greater_is_better
    ]


def weights(spec: MetricSpec) -> str:
    """What weights mean."""
    if "sample_weight" not in inspect.signature(spec.function).parameters:
        return "none"
    if spec.weights_are_counts:
        return "``sample_weight``: how often a row was seen, so that their scale counts"
    return "``sample_weight``: of any scale; a weight of 2 is the row twice, 0 the row left out"


def givers(name: str) -> list[str]:
    """Public functions that return this class, and classes with a public method that does."""
    returned = re.compile(rf"\b{name}\b")
    found = list(GIVEN.get(name, ()))
    for other in sorted(HOMES):
        thing = public(other)
        members = vars(thing).items() if inspect.isclass(thing) else [(other, thing)]
        for member, part in members:
            part = getattr(part, "__func__", getattr(part, "fget", part))
            kind = getattr(part, "__annotations__", {}).get("return", "")
            if returned.search(str(kind)) and other != name and not member.startswith("_"):
                found.append(other)
                break
    return found


@cache
def rows(name: str) -> list[tuple[str, str]]:
    """Rows of the table of a public name; those of a metric, if it is one."""
    found: list[tuple[str, str]] = []
    if inspect.isclass(public(name)) and givers(name):
        links = (f":py:obj:`~{HOMES[giver]}.{giver}`" for giver in givers(name))
        found.append(("Given by", ", ".join(links)))
    spec = spec_of(public(name))
    if spec is not None:
        low, high = spec.bounds
        found.append(("Range", f"{number(low)} to {number(high)}; {better(spec)}"))
        found.append(("Undefined", "never" if spec.undefined == "never" else f"where {spec.undefined}"))
        reads = "scores of the labels of each row" if spec.ranks_labels else READS[spec.response]
        found.append(("Reads", f"{reads}; needs {TALLIES[spec.tally]}"))
        averages = options(spec.function, "average")
        classes = options(spec.function, "multi_class")
        if averages:
            found.append(("Averages", averages))
        if classes:
            found.append(("Several classes", classes))
        found.append(("Weights", weights(spec)))
        methods = interval_methods(spec)
        if methods:
            listed = ", ".join([f"{methods[0]} (chosen by default)", *methods[1:]])
            found.append(("Intervals", f":func:`~skmetrics_ext.confidence_interval`: {listed}"))
        scorers = [one for one in spec.scorers if one in skmetrics_ext.get_scorer_names()]
        if scorers:
            found.append(("Scorers", ", ".join(f"``{scorer}``" for scorer in scorers)))
    theirs, same = counterpart(name)
    if theirs:
        note = (
            "the same name and answers; :doc:`what differs </differences>`"
            if same
            else "a near relation"
        )
        found.append(("scikit-learn", f":py:obj:`{theirs}`: {note}"))
    found.append(("Guide", f":doc:`/guide/{section_of(name).guide}`"))
    return found
