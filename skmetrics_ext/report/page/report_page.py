"""The page of a report."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

from skmetrics_ext.formats import html_table
from skmetrics_ext.registry import Metric
from skmetrics_ext.report.findings import KINDS, SHARES, conclusion
from skmetrics_ext.report.page.charts import Dot, dot_chart
from skmetrics_ext.report.page.document import (
    Section,
    brief,
    document,
    folded,
    note,
    pictures,
    section,
)
from skmetrics_ext.report.page.report_curves import (
    displays_of,
    left_out,
    matrix_section,
    model_sections,
    overlay_section,
    overlays,
)
from skmetrics_ext.report.page.threshold_slider import thresholds_part
from skmetrics_ext.report.summary import interval_title, kind_of
from skmetrics_ext.report.tables import fold_notes, heading
from skmetrics_ext.rows import Rows, Shown
from skmetrics_ext.scoring.scorer import metric_of

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport

_INTERVALS = {
    "cv": "From what each row contributes to the value of its fold.",
    "pooled": "Of the metric on all out-of-fold predictions together.",
    "corrected": "By Nadeau and Bengio's variance (2003), which adds n_test / n_train for "
    "overlapping training sets: a heuristic, since no unbiased estimate exists.",
    "nested": "By nested cross-validation (Bates, Hastie & Tibshirani 2024).",
}
_LEGEND = (
    "Dot: {value}. Line: interval ({title}). Ticks: the folds. Hollow, with a dotted line: the "
    "baseline. Further right is better."
)
_LONG_TITLE = 80
_FIRST = 3  # findings of a code; the others open by a click
_POOLED = (
    "Out-of-fold predictions of all folds together. Scores of models fitted on different folds "
    "have no common scale, so that metrics that rank rows are not pooled."
)


def report_page(report: CrossValidationReport) -> str:
    """The report as one self-contained HTML page."""
    kind = kind_of(report, report.interval)
    value = "metric of the pooled predictions" if kind == "pooled" else "mean over folds"
    legend = _LEGEND.format(value=value, title=interval_title(report))
    displays = displays_of(report)
    charts = overlays(report, displays)
    omitted = [note(f"{title}: {reason}.") for title, reason in left_out(report).items()]
    slider, slid = thresholds_part(report)
    scorers = {} if report.data is None else report.data.scorers
    parts = [
        section("In short", brief(conclusion(report))),
        section("Findings", _findings(report)),
        section("Summary", *_summary(report), note(_INTERVALS[kind])),
        section("Models by metric", note(legend), pictures(_pictures(report), of="metric")),
        *overlay_section(charts),
        *slider,
        *model_sections(report, displays),
        *matrix_section(report),
        *_groups(report),
        section("Comparison on the same folds", *_comparison(report)),
        *(
            [section("Pooled out-of-fold estimates", note(_POOLED), *_table(report.pooled()))]
            if kind == "pooled"
            else []
        ),
        *meanings(report.metrics, scorers),
        folded("Every fold", *_table(report.folds())),
        *([section("Left out", *omitted)] if omitted else []),
    ]
    data = {
        "models": list(report.models),
        "metrics": list(report.metrics),
        "charts": [chart.data() for chart in charts],
        "thresholds": slid or None,
    }
    names = [model for model in report.models if model != report.baseline]
    title = f"Cross-validation of {listed(names)}"
    return document(title, heading(report), parts, data)


def listed(names: list[str]) -> str:
    """A few names, or how many there are."""
    together = ", ".join(names)
    return together if len(together) <= _LONG_TITLE else f"{len(names)} models"


def _findings(report: CrossValidationReport) -> str:
    """By code: what it says, and of which metric and model."""
    rows = report.findings()
    if not rows:
        return note("Nothing was found that should be known before the numbers are believed.")
    parts = []
    for code in dict.fromkeys(row.code for row in rows):
        told = KINDS[code].meaning
        if code in SHARES:
            told += f" In simulations where it is wrong, said in {100 * SHARES[code]:g} %."
        items = [_finding(row) for row in rows if row.code == code]
        shown = f"<ul>{''.join(items[:_FIRST])}</ul>"
        if rest := items[_FIRST:]:
            shown += f"<details><summary>{len(rest)} more</summary>"
            shown += f"<ul>{''.join(rest)}</ul></details>"
        parts.append(f'<li><code>{code}</code><p class="note">{escape(told)}</p>{shown}</li>')
    return f'<ul class="findings">{"".join(parts)}</ul>\n'


def _finding(row: Any) -> str:
    named = [f' data-{of}="{escape(row[of])}"' for of in ("metric", "model") if row[of] is not None]
    where = ", ".join(filter(None, (row.metric, row.model)))
    told = f"<b>{escape(where)}</b>: " if where else ""
    return f"<li{''.join(named)}>{told}{escape(row.text)}</li>"


def _table(rows: Rows) -> list[str]:
    """A table with the lines above it and the notes below."""
    left = [place for place, side in enumerate(rows.align()) if side == "<"]
    shown = html_table(rows.header(), rows.cells(), text=left, baseline=rows.baseline)
    return [*map(note, rows.lead), shown, *map(note, rows.told())]


def _summary(report: CrossValidationReport) -> list[str]:
    rows, times = report.summary(), report.times()
    for row in rows:
        row["folds"] = f"{row.n_folds - row.n_undefined} of {row.n_folds}"
        row["fit_time"], row["score_time"] = times[row.model]
        row["reasons"], row["notes"] = None, "; ".join(fold_notes(row))
    more = [Shown("folds defined", "folds")]
    seconds = "{:.3f}".format
    more += [Shown("fit (s)", "fit_time", seconds), Shown("score (s)", "score_time", seconds)]
    ordered = sorted(rows, key=lambda row: report.metrics.index(row["metric"]))
    columns = [*rows.shown(), *more]
    return _table(Rows(ordered, columns, lead=rows.lead, baseline=rows.baseline))


def _pictures(report: CrossValidationReport) -> list[tuple[str, str]]:
    summary, charts = report.summary(), []
    for metric in report.metrics:
        lines = []
        for row in summary:
            if row["metric"] == metric:
                folds = [result.values[metric] for result in report.results_of(row["model"])]
                value = row["mean"] if math.isnan(row["value"]) else row["value"]
                lines.append(Dot(row.model, value, row.low, row.high, folds, row.is_baseline))
        title = f"{metric}: {interval_title(report)}, and every fold"
        charts.append((dot_chart(lines, title), metric))
    return charts


def _comparison(report: CrossValidationReport) -> list[str]:
    return _table(report.compare()) if len(report.models) > 1 else [note("There is one model.")]


def _groups(report: CrossValidationReport) -> list[Section]:
    rows_by = None if report.data is None else report.data.rows_by
    if rows_by is None:
        return []
    from skmetrics_ext.report.by_group import group_table

    return [section("By group", note(rows_by.description), *_table(group_table(report)))]


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
