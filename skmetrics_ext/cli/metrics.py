"""``metrics``: all metrics as a table, or one in full."""

from __future__ import annotations

import argparse
import inspect
import re
import warnings
from functools import partial
from textwrap import fill, indent
from typing import Any

import numpy as np

from skmetrics_ext.cli.messages import print_lines
from skmetrics_ext.cli.options import Command
from skmetrics_ext.formats import json_of, text_table
from skmetrics_ext.inference.draws.readers import sample_of_rows
from skmetrics_ext.inference.linearized import linearize
from skmetrics_ext.inference.methods import methods_of
from skmetrics_ext.registry import METRICS, MetricSpec, find
from skmetrics_ext.tables import SCHEMA_VERSION

_WIDTH = 100
_READS = {
    "labels": "predicted labels",
    "scores": "scores: any numbers that rank",
    "probabilities": "probabilities",
}
_BETTER = {True: "higher is better", False: "lower is better", None: "neither direction is better"}
_SIDES = {
    "none": "describes both together",
    "one": "describes the positive one, which must be known (pos_label, --positive)",
    "either": "the same whichever is positive",
}
# Rows for which every metric is defined.
TRUE = [0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0] * 3
SCORE = [0.1, 0.9, 0.3, 0.4, 0.8, 0.6, 0.7, 0.2, 0.35, 0.95, 0.55, 0.15] * 3
PREDICTED = [int(score > 0.5) for score in SCORE]
# Values of parameters that have no default to compute with.
EXAMPLES: dict[str, Any] = {
    "cost_matrix": [[0, 1], [5, 0]],
    "confidence": SCORE,
    "hierarchy": {0: None, 1: None},
}
_TITLE = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
_ROLE = re.compile(r":(?:math|func|class|doc):`~?([^`]+)`")


def interval_methods(spec: MetricSpec) -> list[str]:
    """Methods of `confidence_interval` that apply; the default comes first."""
    accepted = inspect.signature(spec.function).parameters
    params = {**spec.params, **{name: EXAMPLES[name] for name in EXAMPLES if name in accepted}}
    metric = partial(spec.function, **params)
    response: Any = PREDICTED if spec.response == "labels" else SCORE
    if "y_set" in accepted:
        response = [[label] for label in PREDICTED]
    rows: Any = TRUE, response
    if spec.ranks_labels:  # rows of four labels
        rows = [np.reshape(values, (-1, 4)) for values in rows]
    with warnings.catch_warnings(action="ignore"):
        methods = [*methods_of(linearize(sample_of_rows(metric, *rows)))]
    areas = ["logit", "delong"] if spec.interval == "logit" else []
    return [*areas, *(method for method in methods if method not in areas)]


def explain(name: str) -> str:
    """Formula, range, direction, undefined case, intervals and parameters of a metric."""
    metric = find(name.removeprefix("neg_"))
    spec = metric.spec
    summary, *parts = _TITLE.split(inspect.getdoc(spec.function) or "")
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
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
    lines = [
        fill(text, _WIDTH, initial_indent=f"{key:<{width}}", subsequent_indent=" " * width)
        for key, text in facts.items()
    ]
    shown = [name, "=" * len(name), "", _plain(summary), "", *lines]
    for title in ("Parameters", "Returns", "Notes", "References"):
        if title in sections:
            shown += ["", f"{title}:", indent(_plain(sections[title]), "    ")]
    return "\n".join(shown)


def _plain(text: str) -> str:
    """Remove reStructuredText markup; formulas stay LaTeX."""
    return _ROLE.sub(r"\1", text.replace(".. math:: ", "    ")).replace("``", "").strip("\n")


_HEADER = ("metric", "scorer", "reads", "better", "range", "undefined when")


def _metrics(options: argparse.Namespace) -> None:
    rows = [_row(spec) for spec in METRICS.values()]
    if options.name is not None:
        print_lines(explain(options.name))
    elif options.json:
        listed = [dict(zip(_HEADER, row, strict=True)) for row in rows]
        is_former = options.json_schema < SCHEMA_VERSION
        figures = {"schema_version": SCHEMA_VERSION, "rows": listed}
        print_lines(json_of(listed if is_former else figures))
    else:
        print_lines(text_table(_HEADER, rows, align="<<<<><"))


def _row(spec: MetricSpec) -> tuple[str, ...]:
    names = list(spec.scorers)
    better = {True: "higher", False: "lower", None: "-"}[spec.greater_is_better]
    more = f" (+{len(names) - 1})" if len(names) > 1 else ""
    scorer = names[0] + more if names else "-"
    bounds = f"{spec.bounds[0]:g} to {spec.bounds[1]:g}"
    return spec.name, scorer, spec.response, better, bounds, spec.undefined


LIST = Command(
    "metrics",
    "list all metrics, or explain one",
    ("--json", "recall"),
    ("json", "json-schema", "name"),
    _metrics,
)
