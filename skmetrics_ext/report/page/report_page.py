"""The page of a report."""

from __future__ import annotations

import inspect
import math
import re
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
        *metrics_section(report),
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
    """Findings by code, each with its meaning, metric and model."""
    rows = report.findings()
    if not rows:
        return note("No reason to distrust the numbers was found.")
    parts = []
    for code in dict.fromkeys(row.code for row in rows):
        told = KINDS[code].meaning
        if code in SHARES:
            told += f" False-alarm rate in simulations: {100 * SHARES[code]:g} %."
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
    return [*map(note, rows.lead), shown, *map(note, rows.footnotes())]


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


# --------------------------------------------------------------------------- metrics

_READS = {"labels": "predicted labels", "scores": "scores: their order", "proba": "probabilities"}
_BETTER = {True: "higher is better", False: "lower is better", None: "neither end is better"}
_TEX = (
    (r"\\(?:mathrm|text|operatorname)\{([^}]*)\}", r"\1"),
    (r"\\frac\{([^}]*)\}\{([^}]*)\}", r"(\1) / (\2)"),
    (r"\\[,;! ]", " "),
    (r"[\\{}]", ""),
)


def metrics_section(report: CrossValidationReport) -> list[Section]:
    """The first sentences of the documentation of each metric, and its facts."""
    scorers = {} if report.data is None else report.data.scorers
    metrics = {name: metric_of(scorers.get(name)) for name in report.metrics}
    shown = []
    for name, metric in metrics.items():
        if metric is not None and metric.row is not None:
            facts = "".join(f"<dd>{escape(line)}</dd>" for line in _facts(metric))
            shown.append(f'<div data-metric="{escape(name)}"><dt>{escape(name)}</dt>{facts}</div>')
    if not shown:
        return []
    return [folded("Metrics", f'<dl class="meanings">{"".join(shown)}</dl>\n')]


def _facts(metric: Metric) -> list[str]:
    spec = metric.spec
    low, high = spec.bounds
    reads = _READS.get(spec.response, spec.response)
    about = f"From {low:g} to {high:g}, {_BETTER[spec.greater_is_better]}; reads {reads}."
    if spec.greater_is_better is False:
        about += " Here with a minus sign, so that higher is better."
    lines = [_summary_of(metric.function), about]
    if spec.undefined:
        lines.append(f"Undefined: {spec.undefined}.")
    params = ", ".join(f"{k}={v!r}" for k, v in metric.params.items() if not callable(v))
    return [*lines, f"With {params}."] if params else lines


def _summary_of(function: Any) -> str:
    """Summary and first paragraph of a docstring, as plain text."""
    text = re.split(r"\n(?:Parameters|Returns)\n-+\n", inspect.getdoc(function) or "")[0]
    parts = (part for part in text.split("\n\n") if part.strip() and not part.startswith(" "))
    paragraphs = [" ".join(part.split()) for part in parts if not part.startswith("..")]
    # A paragraph that goes on after a formula says nothing without it.
    return " ".join(_plain(part) for part in paragraphs[:2] if not part[:1].islower())


def _plain(text: str) -> str:
    """Text without the marks of documentation."""
    text = re.sub(r":[a-z]+:`([^`]*)`", _formula, text).replace("`", "").rstrip(":")
    return text if text.endswith((".", ")")) else f"{text}."


def _formula(role: re.Match[str]) -> str:
    """A formula of TeX in letters."""
    text = role[1]
    for pattern, letters in _TEX:
        text = re.sub(pattern, letters, text)
    return text
