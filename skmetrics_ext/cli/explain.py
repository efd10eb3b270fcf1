"""What the package knows of one metric, as text."""

from __future__ import annotations

import inspect
import re
import warnings
from functools import partial
from textwrap import fill, indent
from typing import Any

import numpy as np

from skmetrics_ext.inference.intervals import confidence_interval
from skmetrics_ext.registry import MetricSpec, find

_WIDTH = 100
_READS = {
    "labels": "predicted labels",
    "scores": "scores: any numbers that rank",
    "probabilities": "probabilities",
}
_BETTER = {True: "higher is better", False: "lower is better", None: "it describes"}
_SIDES = {
    "none": "of both the same",
    "one": "of the positive one, which has to be known (pos_label, --positive)",
    "either": "the same from both sides",
}
# Rows that every metric has an answer for.
TRUE = [0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0] * 3
SCORE = [0.1, 0.9, 0.3, 0.4, 0.8, 0.6, 0.7, 0.2, 0.35, 0.95, 0.55, 0.15] * 3
PREDICTED = [int(score > 0.5) for score in SCORE]
_ROLE = re.compile(r":(?:math|func|class|doc):`~?([^`]+)`")


def interval_methods(spec: MetricSpec) -> list[str]:
    """The methods of `confidence_interval` that apply, the one it chooses first."""
    params = dict(spec.params)
    if "cost_matrix" in inspect.signature(spec.function).parameters:
        params["cost_matrix"] = [[0, 1], [5, 0]]
    metric = partial(spec.function, **params)
    given: Any = TRUE, PREDICTED if spec.response == "labels" else SCORE
    if spec.ranks_labels:  # rows of four labels
        given = [np.reshape(values, (-1, 4)) for values in given]
    methods: list[str] = []
    try:
        with warnings.catch_warnings(action="ignore"):
            confidence_interval(metric, *given, method="?")  # type: ignore[arg-type]
    except ValueError as error:  # it lists those that apply
        named = re.search(r"those that do are \[(.*)\]", str(error))
        if named is None:
            return []
        methods = re.findall(r"'(\w+)'", named[1])
    areas = ["logit", "delong"] if spec.interval == "logit" else []
    return [*areas, *(method for method in methods if method not in areas)]


def explain(name: str) -> str:
    """Formula, range, direction, undefined case, intervals and parameters of a metric."""
    metric = find(name.removeprefix("neg_"))
    spec = metric.spec
    sections = _sections(inspect.getdoc(spec.function) or "")
    set_by_name = ", ".join(f"{key}={value!r}" for key, value in metric.params.items())
    low, high = spec.bounds
    methods = interval_methods(spec)
    facts = {
        "function": f"skmetrics_ext.{spec.name}" + (f" with {set_by_name}" if set_by_name else ""),
        "reads": _READS[spec.response],
        "range": f"{low:g} to {high:g}; {_BETTER[spec.greater_is_better]}",
        "undefined": "never" if spec.undefined == "never" else f"where {spec.undefined}",
        "of two classes": _SIDES[metric.sides],
        "intervals": f"{methods[0]} (chosen by default), {', '.join(methods[1:])}"
        if methods
        else "none",
        "scorers": ", ".join(spec.scorers) or "none",
    }
    width = max(map(len, facts)) + 2
    told = [
        fill(text, _WIDTH, initial_indent=f"{key:<{width}}", subsequent_indent=" " * width)
        for key, text in facts.items()
    ]
    parts = [name, "=" * len(name), "", _plain(sections.get("", "")), "", *told]
    for title in ("Parameters", "Returns", "Notes", "References"):
        if sections.get(title):
            parts += ["", f"{title}:", indent(_plain(sections[title]), "    ")]
    return "\n".join(parts)


def _sections(doc: str) -> dict[str, str]:
    """Text of each section of a docstring by its title; what stands before has none."""
    found: dict[str, list[str]] = {"": []}
    title, lines = "", doc.splitlines()
    for place, line in enumerate(lines):
        below = lines[place + 1] if place + 1 < len(lines) else ""
        if line and below and set(below) == {"-"} and len(below) >= len(line):
            title = line
            found[title] = []
        elif not (line and set(line) == {"-"}):
            found[title].append(line)
    return {key: "\n".join(own).strip() for key, own in found.items()}


def _plain(text: str) -> str:
    """Without the marks of reStructuredText; formulas stay as LaTeX."""
    return _ROLE.sub(r"\1", text.replace(".. math:: ", "    ")).replace("``", "")
