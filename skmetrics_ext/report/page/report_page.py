"""The page of a cross-validation report."""

from __future__ import annotations

import inspect
import math
from functools import partial
from html import escape
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from skmetrics_ext.curve_tables.matrices import METHODS, matrices_of
from skmetrics_ext.curve_tables.parts import Request, of_report
from skmetrics_ext.curve_tables.pictures import Picture
from skmetrics_ext.formats import html_table, number
from skmetrics_ext.inference.estimate_rows import for_people, shown_metric
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric, find
from skmetrics_ext.registry.defaults import THRESHOLD_METRICS, display_name
from skmetrics_ext.report import findings
from skmetrics_ext.report.by_group import group_table
from skmetrics_ext.report.conclusion import conclusion, listed
from skmetrics_ext.report.out_of_fold import ThresholdCounts
from skmetrics_ext.report.page import charts
from skmetrics_ext.report.page import document as html
from skmetrics_ext.report.page.document import note, section
from skmetrics_ext.report.sentences import capital
from skmetrics_ext.report.summary import (
    kind_of,
    level_and_target,
    shown_rows,
    value_or_mean,
    without_baseline,
)
from skmetrics_ext.report.tables import heading, report_rows
from skmetrics_ext.requirements import Verdicts
from skmetrics_ext.tables import Table
from skmetrics_ext.tallies import Counts
from skmetrics_ext.validation import InvalidParameterError

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport

_INTERVALS = {
    "cv": "Intervals are based on the contribution of each row to the value of its fold.",
    "pooled": "Intervals are of the metric on all out-of-fold predictions together.",
    "corrected": "Intervals use the variance of Nadeau and Bengio (2003), which adds n_test / "
    "n_train for overlapping training sets: a heuristic, since no unbiased estimate exists.",
    "nested": "Intervals are from nested cross-validation (Bates, Hastie & Tibshirani 2024).",
}
_LEGEND = (
    "Dot: {value}. Line: interval ({title}). Ticks: folds. Hollow dot and dotted line: baseline, "
    "or an arrow with its value if it is far from the models. Further right is better; for losses "
    "(lower is better), further left."
)
_LONG_TITLE = 80
_FIRST = 12  # findings that are shown; the others are folded
_POOLED = (
    "Out-of-fold predictions of all folds together. Scores of models fitted on different folds "
    "have no common scale, so metrics that rank rows are not pooled."
)
_NAN = math.nan


def report_page(
    report: CrossValidationReport, verdicts: Verdicts | None = None, source: str = ""
) -> str:
    """The report as one self-contained HTML page: a summary, the models, and folded sections."""
    drawn, missing = _charts(report)
    slider, thresholds = _slider(report)
    matrices = _matrices(report)
    several = len(report.models) > 1
    parts = [
        section("Models", _models(report)),
        None if verdicts is None else section("Requirements", _table(verdicts.rows)),
        _folded("Findings", _findings(report)),
        _folded("Curves", _overlays(report, drawn), *_curves(report, drawn)),
        _folded("Thresholds and confusion matrices", slider, matrices),
        _folded("Groups", _groups(report)),
        _folded("Comparison of the models", _table(report.compare()) if several else ""),
        _folded(
            "Details",
            *map(note, [*heading(report), _INTERVALS[kind_of(report)]]),
            _pooled(report) if kind_of(report) == "pooled" else "",
            _detail("Metrics", _metrics(report)),
            _detail("Every fold", _table(report.folds())),
            _detail("Left out", "".join(map(note, _left_out(missing, slider, matrices)))),
        ),
    ]
    data = {
        "models": list(report.models),
        "metrics": [shown_metric(name)[0] for name in report.metrics],
        "thresholds": thresholds or None,
    }
    names = without_baseline(report)
    of_models = ", ".join(names)
    if len(of_models) > _LONG_TITLE:
        of_models = f"{len(names)} models"
    warnings = [] if report.grouping is None else report.grouping.warnings
    met = [] if verdicts is None else [verdicts.in_words()]
    card = html.brief([*conclusion(report), *met, _found(report)])
    title = f"Cross-validation of {of_models}"
    return html.document(title, warnings, parts, data, card, source)


_folded = partial(section, is_folded=True)


def _detail(title: str, body: str) -> str:
    return f"<details><summary>{title}</summary>\n{body}</details>\n" if body else ""


def _table(rows: Table) -> str:
    return html.table(rows.like(map(for_people, rows)))


# --------------------------------------------------------------------------- findings


def _found(report: CrossValidationReport) -> str:
    """The kinds of findings on one line, each with its metrics and models."""
    by_code: dict[str, list[str]] = {}
    for row in findings.findings_of(report):
        subject = filter(None, [row.metric and shown_metric(row.metric)[0], row.model])
        by_code.setdefault(row.code.replace("_", " "), []).append(" of ".join(subject))
    told = [
        f"{code} ({listed(named)})" if (named := [*filter(None, subjects)]) else code
        for code, subjects in by_code.items()
    ]
    return f"Findings: {'; '.join(told) or 'none'}."


def _findings(report: CrossValidationReport) -> str:
    """Findings by model as sentences, and the meaning of their codes."""
    rows = findings.findings_of(report)
    if not rows:
        return ""
    items = [f"<li{_data(row)}>{escape(sentence)}</li>" for row, sentence in rows.sentences_of()]
    shown = f'<ul class="findings">{"".join(items[:_FIRST])}</ul>\n'
    if more := items[_FIRST:]:
        shown += _detail(f"{len(more)} more", f'<ul class="findings">{"".join(more)}</ul>')
    guide = html.guide("cross_validation", "warnings-findings")
    meanings = []
    for code in dict.fromkeys(row.code for row in rows):
        kind = findings.KINDS[code]
        meaning = kind.meaning
        if not math.isnan(kind.false_alarms):
            meaning += f" False-alarm rate in simulations: {findings.percent(kind.false_alarms)}."
        name = code.replace("_", " ")
        meanings.append(f"<dt>{name} <code>{code}</code></dt><dd>{escape(meaning)} {guide}</dd>")
    return shown + f'<dl class="meanings">{"".join(meanings)}</dl>\n'


def _data(row: Any) -> str:
    """Attributes by which the script hides a finding."""
    names = {"metric": row.metric and shown_metric(row.metric)[0], "model": row.model}
    return "".join(f' data-{key}="{escape(name)}"' for key, name in names.items() if name)


# --------------------------------------------------------------------------- models


def _models(report: CrossValidationReport) -> str:
    """A row for each model, as ``print`` shows it, and a chart for each metric."""
    rows = report_rows(report)
    value = "metric of the pooled predictions" if kind_of(report) == "pooled" else "mean over folds"
    legend = _LEGEND.format(value=value, title=", ".join(level_and_target(report)))
    if report.has_train:
        legend += " Diamond: the training rows."
    figures = html.pictures(_dot_charts(report), of="metric")
    return "".join([note(capital(rows.lead[2])), html.table(rows), note(legend), figures])


def _dot_charts(report: CrossValidationReport) -> list[tuple[str, str, str]]:
    """A chart for each metric: mean, interval and folds of each model."""
    figures, (level, target) = [], level_and_target(report)
    for metric in report.metrics:
        title, sign = shown_metric(metric)
        dots = []
        cells = (cell for cell in shown_rows(report) if cell["metric"] == metric)
        for row in map(for_people, cells):
            folds = [sign * result.values[metric] for result in report.results_of(row.model)]
            numbers = value_or_mean(row), row.low, row.high
            train = row.get("train", _NAN)
            dots.append(charts.Dot(row.model, *numbers, folds, row.is_baseline, train))
        label = ", ".join([f"{title}: {level}", target, "and every fold"])
        lower = " (lower is better)" if sign < 0 else ""
        figures.append((charts.dot_chart(dots, label), f"{title}{lower}", title))
    return figures


def _pooled(report: CrossValidationReport) -> str:
    return _detail("Pooled out-of-fold estimates", note(_POOLED) + _table(report.pooled()))


def _groups(report: CrossValidationReport) -> str:
    rows_by = report.data.rows_by
    if rows_by is None:
        return ""
    return note(rows_by.description) + _table(group_table(report))


# --------------------------------------------------------------------------- curves

_OVERLAY = (
    "Out-of-fold predictions: mean curve over the folds; with several classes, the mean of the "
    "one-vs-rest curves. The number is the mean over folds, with the interval of the summary if "
    "the area is one of its metrics."
)
_FOLDS = (
    "Thin lines: folds; thick line: their mean; band: one standard deviation of the folds on "
    "either side. Reliability pools the probabilities of all folds; bars: {:g} % intervals."
)
_MATRICES = "Out-of-fold predictions of all folds together; percentages are of the true class."

Charts = dict[tuple[str, str], Picture]  # by title of the kind and model


def _charts(report: CrossValidationReport) -> tuple[Charts, dict[str, str]]:
    """Charts of the models except the baseline, and why a kind of chart has none."""
    drawn, missing, classes = Charts(), dict[str, str](), report.data.classes
    options: dict[str, Any] = {"n_classes": 0 if classes is None else len(classes)}
    options["confidence_level"] = report.confidence_level
    for kind, model in product(charts.DRAWN, without_baseline(report)):
        try:
            picture = charts.curve_picture(kind, of_report, report, model, model=model, **options)
            drawn[kind.title, model] = picture
        except InvalidParameterError as error:
            missing[kind.title] = str(error)
    return drawn, missing


def _left_out(missing: dict[str, str], slider: str, matrices: str) -> list[str]:
    """Reasons why parts of the page are missing."""
    lines = [f"{title}: {reason}" for title, reason in missing.items()]
    if not slider:
        lines.append("Threshold: needs probabilities of two classes, one of them positive.")
    if not matrices:
        lines.append("Confusion matrices: need predicted labels, one class per row.")
    return lines


def _overlays(report: CrossValidationReport, drawn: Charts) -> str:
    """One chart of each kind with the mean curves of all models."""
    overlays: dict[str, Picture] = {}
    for (title, model), picture in drawn.items():
        if picture.shape != "points":
            look: Any = {"place": report.models.index(model), "model": model}
            means = [line for line in picture.lines if line.part != "fold"]
            means = [line._replace(low=None, high=None, **look) for line in means]
            others = overlays[title].lines if title in overlays else []
            overlays[title] = picture._replace(lines=[*others, *means])
    figures = [(charts.curve_chart(picture), title) for title, picture in overlays.items()]
    return note(_OVERLAY) + html.pictures(figures) if figures else ""


def _curves(report: CrossValidationReport, drawn: Charts) -> list[str]:
    """Charts of each model: the curves of its folds, and its reliability."""
    parts: list[str] = []
    for model in without_baseline(report):
        figures = [
            (charts.curve_chart(picture, is_extra=True), title)
            for (title, of), picture in drawn.items()
            if of == model
        ]
        if figures:
            folded = _detail(f"Folds of {escape(model)}", html.pictures(figures))
            parts.append(f'<div data-model="{escape(model)}">{folded}</div>\n')
    return [note(_FOLDS.format(100 * report.confidence_level)), *parts] if parts else []


def _matrices(report: CrossValidationReport) -> str:
    """Confusion matrices; with repeated folds, from the first prediction of each row."""
    classes = report.data.classes
    if classes is None:  # multilabel
        return ""
    labels = sorted(classes.tolist(), key=lambda label: label == report.positive_class)
    tables = []
    request = Request("The confusion matrix", METHODS, "none", once=True, labels=labels)
    for model in without_baseline(report):
        try:
            (counts,) = matrices_of(of_report(request, report, model)).counts.values()
        except InvalidParameterError:  # no metric reads labels, or no fold has them
            continue
        table = charts.matrix_table(labels, counts, f"Confusion matrix of {model}")
        tables.append((table, model, model))
    return note(_MATRICES) + html.pictures(tables, of="model") if tables else ""


# --------------------------------------------------------------------------- thresholds

_IN_TABLE = (0.01, 0.02, 0.05, *np.round(np.arange(0.1, 0.95, 0.1), 1).tolist(), 0.95)
_MOST_SCORES = 100  # positions of the slider at scores that occur; the others are round numbers
_ROUND = np.round(np.linspace(0, 1, 101), 2).tolist()
_THRESHOLDS = (
    "Out-of-fold probabilities of all folds together. Rows are predicted positive if their "
    "probability of {} is at least the threshold."
)
_REPEATED = " A row counts once for each time it was predicted."


def _slider(report: CrossValidationReport) -> tuple[str, dict[str, Any]]:
    """HTML and data of the threshold slider; empty without probabilities of a positive class."""
    metrics = {display_name(name): find(name, scorer=True) for name in THRESHOLD_METRICS}
    models, tables, labels = [], [], []
    for model in without_baseline(report):
        folds = ThresholdCounts.of(report, model, _MOST_SCORES, _ROUND)
        if folds is not None:
            labels = [str(label) for label in folds.labels.tolist()]
            thresholds, counts = folds.thresholds, folds.counts()
            values = {
                name: folds.values(metric.undefined_as_nan, counts)
                for name, metric in metrics.items()
            }
            models.append(_slider_data(model, thresholds, counts, values))
            tables.append(_threshold_table(model, thresholds, counts, values))
    if not models:
        return "", {}
    is_weighted = any("sample_weight" in params for params in report.data.params.values())
    is_repeated = report.n_samples != sum(models[0]["total"]) and not is_weighted
    text = _THRESHOLDS.format(report.positive_class) + _REPEATED * is_repeated
    table = _detail("Counts at some thresholds", "".join(tables))
    data = {"models": models, "labels": labels, "metrics": list(metrics)}
    return f'{note(text)}<div id="slide"></div>\n{table}', data


def _slider_data(
    model: str, thresholds: Array, counts: Counts, values: dict[str, Array]
) -> dict[str, Any]:
    return {
        "model": model,
        "t": [float(f"{threshold:.6g}") for threshold in thresholds.tolist()],
        "tp": _rounded(counts.tp, 6),
        "fp": _rounded(counts.fp, 6),
        "total": [float((counts.tn + counts.fp)[0]), float((counts.tp + counts.fn)[0])],
        "start": int(np.searchsorted(thresholds, 0.5)),
        "values": {name: _rounded(value, 4) for name, value in values.items()},
    }


def _rounded(numbers: Array, digits: int) -> list[float | None]:
    """Numbers for JSON; None for nan."""
    rounded = np.round(np.asarray(numbers, dtype=np.float64), digits).tolist()
    return [None if math.isnan(number) else number for number in rounded]


def _threshold_table(
    model: str, thresholds: Array, counts: Counts, values: dict[str, Array]
) -> str:
    """Counts and values at a few thresholds, for paper and for readers without scripts."""
    places = np.searchsorted(thresholds, _IN_TABLE)
    columns = {"threshold": [f"{t:.3g}" for t in thresholds[places].tolist()]}
    for name, cells in zip(("TP", "FP", "FN", "TN"), counts.astuple(), strict=True):
        columns[name] = [f"{count:.6g}" for count in cells[places].tolist()]
    for name, cells in values.items():
        columns[name] = [number(value) for value in cells[places].tolist()]
    return html_table([*columns], zip(*columns.values(), strict=True), caption=model)


# --------------------------------------------------------------------------- metrics

_READS = {"labels": "predicted labels", "scores": "the order of scores"}
_BETTER = {True: "higher is better", False: "lower is better", None: "neither end is better"}


def _metrics(report: CrossValidationReport) -> str:
    """Summary, range and conventions of each metric, as a list of definitions."""
    shown = []
    for name, metric in report.data.metrics.items():
        if metric is not None and metric.spec.is_known:
            title = escape(shown_metric(name)[0])
            facts = "".join(f"<dd>{escape(line)}</dd>" for line in _facts(metric))
            code = f" <code>{escape(name)}</code>"
            shown.append(f'<div data-metric="{title}"><dt>{title}{code}</dt>{facts}</div>')
    return f'<dl class="meanings">{"".join(shown)}</dl>\n' if shown else ""


def _facts(metric: Metric) -> list[str]:
    spec = metric.spec
    low, high = spec.bounds
    reads = _READS.get(spec.response, spec.response)
    summary = (inspect.getdoc(metric.function) or "").partition("\n")[0]
    lines = [
        summary.replace("`", ""),
        f"From {low:g} to {high:g}, {_BETTER[spec.greater_is_better]}; reads {reads}.",
    ]
    if spec.undefined:
        lines.append(f"Undefined: {spec.undefined}.")
    if params := [f"{key}={v!r}" for key, v in metric.params.items() if not callable(v)]:
        lines.append(f"With {', '.join(params)}.")
    return lines
