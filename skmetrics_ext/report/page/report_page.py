"""The page of a report."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

from skmetrics_ext.formats import html_table, interval, number
from skmetrics_ext.registry import Metric
from skmetrics_ext.report.findings import KINDS, SHARES, verdict
from skmetrics_ext.report.page.charts import report_charts
from skmetrics_ext.report.page.document import (
    Section,
    brief,
    document,
    folded,
    note,
    pictures,
    section,
)
from skmetrics_ext.report.page.overlay import Overlay, drawn, overlays
from skmetrics_ext.report.page.picture import ChartLine, dots
from skmetrics_ext.report.page.threshold_slider import thresholds_part
from skmetrics_ext.report.tables import footnotes, heading
from skmetrics_ext.scoring.scorer import metric_of

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport

_INTERVALS = (
    "Intervals in the table are of what is named beside them. Pooled: all out-of-fold predictions "
    "together, with that value. Cv: the mean over folds, from what each row adds to its fold. Both "
    "are of the models that were fitted. Corrected: the mean, as in the pictures."
)
_HEURISTIC = (
    "Intervals in the pictures and tests between models use Nadeau and Bengio's corrected variance "
    "(2003), which adds n_test / n_train for training sets that overlap: a heuristic, for no "
    "unbiased estimate of that variance exists. They are of models trained on data of this "
    "size, not of one fitted model."
)
_LEGEND = (
    "Dot: mean over the folds. Line: {} interval of the mean. Ticks: the folds. Hollow, with a "
    "dotted line: the baseline. Further right is better."
)
_OVERLAID = (
    "Out-of-fold predictions: the mean of the curves of the folds; of several classes, of the mean "
    "over each against the rest. The number is the mean over folds, with its interval."
)
_LONG_TITLE = 80
_FIRST = 3  # findings of a code; the others open by a click
_POOLED = (
    "Out-of-fold predictions of all folds together. Scores of models fitted on different folds "
    "have no common scale, so that metrics that rank rows are not pooled."
)


def report_page(report: CrossValidationReport) -> str:
    """The report as one self-contained HTML page."""
    notes, marks = footnotes(report)
    level = f"{100 * report.confidence_level:g}%"
    charts = overlays(report)
    slider, slid = thresholds_part(report)
    scorers = {} if report.data is None else report.data.scorers
    parts = [
        section("In short", brief(verdict(report))),
        section("Findings", _findings(report)),
        section(
            "Summary", _summary(report, marks, level), *map(note, (*notes, _INTERVALS, _HEURISTIC))
        ),
        section(
            "Models by metric",
            note(_LEGEND.format(level)),
            pictures(_pictures(report, level), of="metric"),
        ),
        *_overlaid(charts),
        *slider,
        *report_charts(report),
        *_groups(report),
        section("Comparison on the same folds", *_comparison(report)),
        section("Pooled out-of-fold estimates", note(_POOLED), _pooled(report, level)),
        *meanings(report.metrics, scorers),
        folded("Every fold", _folds(report)),
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


def _overlaid(charts: list[Overlay]) -> list[Section]:
    if not charts:
        return []
    figures = [(drawn(chart), chart.title) for chart in charts]
    return [section("Curves of all models", note(_OVERLAID), pictures(figures))]


def _summary(report: CrossValidationReport, marks: dict[Any, str], level: str) -> str:
    rows = []
    times = report.times()
    for row in sorted(report.summary(), key=lambda row: report.metrics.index(row["metric"])):
        defined = row["n_folds"] - row["n_undefined"]
        rows.append(
            [
                row["metric"],
                row["model"],
                f"{number(row['mean'])} {marks.get((row['model'], row['metric']), '')}".strip(),
                number(row["std"]),
                interval(row["low"], row["high"]),
                shown_interval(row),
                f"{defined} of {row['n_folds']}",
                f"{times[row['model']][0]:.3f}",
                f"{times[row['model']][1]:.3f}",
            ]
        )
    header = [
        "metric", "model", "mean", "sd", f"{level} interval", "of",
        "folds defined", "fit (s)", "score (s)",
    ]  # fmt: skip
    return html_table(header, rows, text=(1, 5), baseline=report.baseline)


def shown_interval(row: dict[str, Any]) -> str:
    """What an interval is of."""
    if row["interval"] == "pooled":
        return f"pooled {number(row['value'])}"
    return str(row["interval"])


def _pictures(report: CrossValidationReport, level: str) -> list[tuple[str, str]]:
    found = []
    summary = report.summary("corrected")
    for metric in report.metrics:
        lines = []
        for row in summary:
            if row["metric"] == metric:
                folds = [result.values[metric] for result in report.results_of(row["model"])]
                ends = (row["mean"], row["low"], row["high"])
                lines.append(ChartLine(row["model"], *ends, folds, row["is_baseline"]))
        told = f"{metric}: mean, {level} interval of the mean, and every fold"
        found.append((dots(lines, told), metric))
    return found


def _comparison(report: CrossValidationReport) -> list[str]:
    rows = report.compare()
    if not rows:
        return [note("There is one model only.")]
    return [html_table(rows.header(), rows.cells(), text=(1, 2)), *map(note, rows.told())]


def _groups(report: CrossValidationReport) -> list[Section]:
    rows_by = None if report.data is None else report.data.rows_by
    if rows_by is None:
        return []
    from skmetrics_ext.report.by_group import group_table

    rows = group_table(report)
    text = tuple(place for place, side in enumerate(rows.align()) if side == "<")
    table = html_table(rows.header(), rows.cells(), text=text)
    return [section("By group", note(rows_by.told), table, *map(note, rows.told()))]


def _pooled(report: CrossValidationReport, level: str) -> str:
    rows = [
        [
            row["model"],
            row["metric"],
            number(row["value"]),
            interval(row["low"], row["high"]),
            row["method"] or "",
            str(row["n_rows"]),
            row["reason"] or "",
        ]
        for row in report.pooled()
    ]
    header = ["model", "metric", "value", f"{level} interval", "method", "rows", "note"]
    return html_table(header, rows, text=(1, 4, 6), baseline=report.baseline)


def _folds(report: CrossValidationReport) -> str:
    rows = [
        [
            result.model,
            str(result.fold),
            str(result.n_train),
            str(result.n_test),
            *(number(result.values[metric]) for metric in report.metrics),
            f"{result.fit_time:.3f}",
            f"{result.score_time:.3f}",
        ]
        for result in report.results
    ]
    header = ["model", "fold", "train", "test", *report.metrics, "fit (s)", "score (s)"]
    return html_table(header, rows)


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
