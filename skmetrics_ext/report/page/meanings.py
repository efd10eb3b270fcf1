"""What each metric of a report means: the first sentences of its documentation and its facts."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from html import escape
from typing import Any

from skmetrics_ext.registry import Metric
from skmetrics_ext.report.page.document import Section, folded
from skmetrics_ext.scoring.scorer import metric_of

_READS = {
    "labels": "predicted labels",
    "scores": "scores: their order",
    "proba": "probabilities",
    "probabilities": "probabilities",
}
_BETTER = {True: "higher is better", False: "lower is better", None: "neither end is better"}


def meanings(names: Iterable[str], scorers: Any) -> list[Section]:
    """The part of the page; nothing where no metric is one of this package."""
    shown = []
    for name in names:
        metric = metric_of(scorers.get(name))
        if metric is not None and metric.row is not None:
            facts = "".join(f"<dd>{escape(line)}</dd>" for line in _facts(name, metric))
            shown.append(f'<div data-metric="{escape(name)}"><dt>{escape(name)}</dt>{facts}</div>')
    if not shown:
        return []
    return [folded("What the metrics mean", f'<dl class="meanings">{"".join(shown)}</dl>\n')]


def _facts(name: str, metric: Metric) -> list[str]:
    row = metric.spec
    low, high = row.bounds
    better = _BETTER[row.greater_is_better]
    turned = row.greater_is_better is False
    sign = " Here with a minus sign, so that higher is better." if turned else ""
    about = f"From {low:g} to {high:g}, {better}; reads {_READS.get(row.response, row.response)}."
    lines = [_told(metric.function), about + sign]
    if row.undefined:
        lines.append(f"Undefined: {row.undefined}.")
    given = {key: value for key, value in metric.params.items() if not callable(value)}
    if given:
        lines.append(f"With {', '.join(f'{key}={value!r}' for key, value in given.items())}.")
    return lines


def _told(function: Any) -> str:
    """Summary and first paragraph, as plain text."""
    text = inspect.getdoc(function) or ""
    before = re.split(r"\n(?:Parameters|Returns)\n-+\n", text)[0]
    paragraphs = [
        " ".join(part.split())
        for part in before.split("\n\n")
        if part.strip() and not part.lstrip().startswith("..") and not part.startswith(" ")
    ]
    # A paragraph that goes on after a formula says nothing without it.
    return " ".join(_plain(part) for part in paragraphs[:2] if not part[:1].islower())


def _plain(text: str) -> str:
    """Without the marks of documentation."""
    text = re.sub(r":[a-z]+:`([^`]*)`", lambda found: _formula(found[1]), text)
    text = text.replace("``", "").replace("`", "").rstrip(":")
    return text if text.endswith((".", ")")) else f"{text}."


def _formula(text: str) -> str:
    """What TeX says, in letters."""
    text = re.sub(r"\\(?:mathrm|text|operatorname)\{([^}]*)\}", r"\1", text)
    text = re.sub(r"\\frac\{([^}]*)\}\{([^}]*)\}", r"(\1) / (\2)", text)
    return re.sub(r"\\[,;! ]", " ", text).replace("\\", "").replace("{", "").replace("}", "")
