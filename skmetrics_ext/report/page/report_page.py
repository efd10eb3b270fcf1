"""The page of a cross-validation report."""

from __future__ import annotations

import inspect
import math
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from skmetrics_ext.formats import html_table, number
from skmetrics_ext.metrics.labels.accuracy import confusion_matrix
from skmetrics_ext.numeric import Array
from skmetrics_ext.plotting import plot_results
from skmetrics_ext.registry import Metric, find
from skmetrics_ext.registry.defaults import AT_THRESHOLD
from skmetrics_ext.report.findings import KINDS, SHARES, conclusion
from skmetrics_ext.report.out_of_fold import ThresholdCounts
from skmetrics_ext.report.page import document as html
from skmetrics_ext.report.page.charts import (
    CROWDED,
    LOOKS,
    TITLES,
    Chart,
    Dot,
    chart_of,
    curve_chart,
    dot_chart,
    matrix_table,
)
from skmetrics_ext.report.page.document import Section, note, section
from skmetrics_ext.report.params import take_params
from skmetrics_ext.report.summary import interval_title, kind_of, without_baseline
from skmetrics_ext.report.tables import fold_notes, heading
from skmetrics_ext.rows import Rows, Shown
from skmetrics_ext.tallies import Counts
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import count_rows, read_array, take_rows

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
    kind = kind_of(report)
    value = "metric of the pooled predictions" if kind == "pooled" else "mean over folds"
    legend = _LEGEND.format(value=value, title=interval_title(report))
    legend += " Diamond: the training rows." if report.has_train else ""
    displays = _displays(report)
    charts = _overlays(report, displays)
    slider, thresholds = _slider(report)
    matrices = _matrices(report)
    left_out = _left_out(displays, slider, matrices)
    parts = [
        section("In short", html.brief(conclusion(report))),
        section("Findings", _findings(report)),
        section("Summary", _summary(report), note(_INTERVALS[kind])),
        section("Models by metric", note(legend), html.pictures(_dots(report), of="metric")),
        _overlay(charts),
        slider,
        *_curves(report, displays),
        matrices,
        _groups(report),
        section("Comparison on the same folds", _comparison(report)),
        _pooled(report) if kind == "pooled" else None,
        _metrics(report),
        section("Every fold", html.table(report.folds()), is_folded=True),
        section("Left out", *map(note, left_out)) if left_out else None,
    ]
    data = {
        "models": list(report.models),
        "metrics": list(report.metrics),
        "thresholds": thresholds or None,
    }
    names = without_baseline(report)
    listed = ", ".join(names)
    listed = listed if len(listed) <= _LONG_TITLE else f"{len(names)} models"
    return html.document(f"Cross-validation of {listed}", heading(report), parts, data)


def _findings(report: CrossValidationReport) -> str:
    """Findings by code, each with its meaning, metric and model."""
    rows = report.findings()
    if not rows:
        return note("No reason to distrust the numbers was found.")
    parts = []
    for code in dict.fromkeys(row.code for row in rows):
        meaning = KINDS[code].meaning
        if code in SHARES:
            meaning += f" False-alarm rate in simulations: {100 * SHARES[code]:g} %."
        items = [_finding(row) for row in rows if row.code == code]
        shown = f"<ul>{''.join(items[:_FIRST])}</ul>"
        if rest := items[_FIRST:]:
            shown += f"<details><summary>{len(rest)} more</summary>"
            shown += f"<ul>{''.join(rest)}</ul></details>"
        parts.append(f'<li><code>{code}</code><p class="note">{escape(meaning)}</p>{shown}</li>')
    return f'<ul class="findings">{"".join(parts)}</ul>\n'


def _finding(row: Any) -> str:
    named = [f' data-{of}="{escape(row[of])}"' for of in ("metric", "model") if row[of] is not None]
    where = ", ".join(filter(None, (row.metric, row.model)))
    where = f"<b>{escape(where)}</b>: " if where else ""
    return f"<li{''.join(named)}>{where}{escape(row.text)}</li>"


def _summary(report: CrossValidationReport) -> str:
    """The summary, by metric, with seconds and with the notes of the folds."""
    rows, times = report.summary(), report.times()
    for row in rows:
        row["folds"] = f"{row.n_folds - row.n_undefined} of {row.n_folds}"
        row["fit_time"], row["score_time"] = times[row.model]
        row["reasons"], row["notes"] = None, "; ".join(fold_notes(row))
    seconds = "{:.3f}".format
    columns = [
        *rows.shown(),
        Shown("folds defined", "folds"),
        Shown("fit (s)", "fit_time", seconds),
        Shown("score (s)", "score_time", seconds),
    ]
    ordered = sorted(rows, key=lambda row: report.metrics.index(row["metric"]))
    table = html.table(Rows(ordered, columns, baseline=rows.baseline))
    return "".join(map(note, rows.lead)) + table


def _dots(report: CrossValidationReport) -> list[tuple[str, str]]:
    """A chart for each metric: mean, interval and folds of each model."""
    dots: dict[str, list[Dot]] = {metric: [] for metric in report.metrics}
    for row in report.summary():
        folds = [result.values[row.metric] for result in report.results_of(row.model)]
        value = row.mean if math.isnan(row.value) else row.value
        ends, train = (row.low, row.high), row.get("train", math.nan)
        dots[row.metric].append(Dot(row.model, value, *ends, folds, row.is_baseline, train))
    title = f"{interval_title(report)}, and every fold"
    return [(dot_chart(lines, f"{metric}: {title}"), metric) for metric, lines in dots.items()]


def _pooled(report: CrossValidationReport) -> Section:
    return section("Pooled out-of-fold estimates", note(_POOLED), html.table(report.pooled()))


def _comparison(report: CrossValidationReport) -> str:
    return html.table(report.compare()) if len(report.models) > 1 else note("There is one model.")


def _groups(report: CrossValidationReport) -> Section | None:
    rows_by = report.data.rows_by
    if rows_by is None:
        return None
    from skmetrics_ext.report.by_group import group_table

    return section("By group", note(rows_by.description), html.table(group_table(report)))


# --------------------------------------------------------------------------- curves

_OVERLAY = (
    "Out-of-fold predictions: the mean of the curves of the folds; of several classes, of the mean "
    "over each against the rest. The number is the mean over folds, with the interval of the "
    "summary if the area is one of the metrics."
)
_FOLDS = (
    "Thin lines: the folds; thick: their mean; band: one standard deviation of the folds to either "
    "side. Reliability is that of the probabilities of all folds together; bars: {:g} % intervals."
)
_MATRICES = "Out-of-fold predictions of all folds together; percentages are of the true class."

Displays = dict[tuple[str, str], Any]  # by kind and model; text if there is none


def _displays(report: CrossValidationReport) -> Displays:
    """The computed displays of each kind and each model but the baseline, or why there is none."""
    displays, classes = Displays(), report.data.classes
    for kind in TITLES:
        is_crowded = kind == "calibration" and classes is not None and len(classes) > CROWDED
        options = {"curves": "top label"} if is_crowded else {}
        for model in without_baseline(report):
            try:
                displays[kind, model] = plot_results.computed(kind, report, model, **options)
            except InvalidParameterError as error:
                displays[kind, model] = str(error)
    return displays


def _left_out(displays: Displays, slider: Section | None, matrices: Section | None) -> list[str]:
    """Why parts of the page are missing."""
    reasons = {kind: shown for (kind, _), shown in displays.items() if isinstance(shown, str)}
    lines = [f"{TITLES[kind]}: {reason}" for kind, reason in reasons.items()]
    if slider is None:
        lines.append("Threshold: it needs probabilities of two classes, of which one is positive.")
    if matrices is None:
        lines.append("Confusion matrices: they need predicted labels of single classes.")
    return lines


def _overlays(report: CrossValidationReport, displays: Displays) -> list[Chart]:
    """The means over folds of all models, in one chart for each kind."""
    charts: dict[str, Chart] = {}
    for (kind, model), display in displays.items():
        if kind == "calibration" or isinstance(display, str):
            continue
        chart, look = chart_of(kind, display, model), report.models.index(model) % LOOKS
        means = [
            curve._replace(look=look, low=None, high=None)
            for curve in chart.curves
            if curve.kind == "line"
        ]
        others = charts[kind].curves if kind in charts else []
        charts[kind] = chart._replace(curves=[*others, *means])
    return list(charts.values())


def _overlay(charts: list[Chart]) -> Section | None:
    shown = [(curve_chart(chart), chart.title) for chart in charts]
    title = "Curves of all models"
    return section(title, note(_OVERLAY), html.pictures(shown)) if shown else None


def _curves(report: CrossValidationReport, displays: Displays) -> list[Section]:
    """The curves of the folds, and the reliability, of each model."""
    parts: list[Section] = []
    for model in without_baseline(report):
        drawn = [
            (curve_chart(chart_of(kind, display, model)._replace(is_extra=True)), title)
            for kind, title in TITLES.items()
            if not isinstance(display := displays[kind, model], str)
        ]
        if drawn:
            head = "" if parts else note(_FOLDS.format(100 * report.confidence_level))
            named = f'<div data-model="{escape(model)}">{head}{html.pictures(drawn)}</div>\n'
            parts.append(section(f"Curves of {model}", named, is_folded=True))
    return parts


def _matrices(report: CrossValidationReport) -> Section | None:
    """Confusion matrices; with repeated folds, from the first prediction of each row."""
    data, classes = report.data, report.data.classes
    if classes is None:  # multilabel rows have none
        return None
    weights = [params for params in data.params.values() if "sample_weight" in params]
    shown = []
    for model in without_baseline(report):
        predicted = report.predictions[model]
        if "predict" not in predicted.responses:
            continue
        rows, first = np.unique(predicted.rows, return_index=True)
        params = take_params(weights[0], count_rows(data.y), rows) if weights else {}
        table = confusion_matrix(
            read_array("y", take_rows(data.y, rows)),
            predicted.responses["predict"][first],
            labels=classes,
            sample_weight=params.get("sample_weight"),
        )
        title = f"Confusion matrix of {model}"
        shown.append((matrix_table(classes.tolist(), table, title), model))
    if not shown:
        return None
    return section("Confusion matrices", note(_MATRICES), html.pictures(shown, of="model"))


# --------------------------------------------------------------------------- thresholds

_IN_TABLE = (0.01, 0.02, 0.05, *np.round(np.arange(0.1, 0.95, 0.1), 1).tolist(), 0.95)
# Positions of the slider: scores that occur, and round ones.
_STEPS = (100, np.round(np.linspace(0, 1, 101), 2).tolist())
_THRESHOLDS = (
    "Out-of-fold probabilities of all folds together: rows whose probability of {} is at least the "
    "threshold are predicted positive. {}"
)
_REPEATED = "Each row counts once for each time it was predicted."


def _slider(report: CrossValidationReport) -> tuple[Section | None, dict[str, Any]]:
    """The section on thresholds and its data; nothing without probabilities of a class."""
    models, tables, labels = [], [], []
    for model in without_baseline(report):
        folds = ThresholdCounts.of(report, model, *_STEPS)
        if folds is not None:
            labels = [str(label) for label in folds.labels.tolist()]
            thresholds, counts = folds.thresholds, folds.counts()
            values = {name: _values(folds, name, counts) for name in AT_THRESHOLD}
            models.append(_slider_data(model, thresholds, counts, values))
            tables.append(_threshold_table(model, thresholds, counts, values))
    if not models:
        return None, {}
    is_weighted = any("sample_weight" in params for params in report.data.params.values())
    is_repeated = report.n_samples != sum(models[0]["total"]) and not is_weighted
    about = _THRESHOLDS.format(report.positive_class, _REPEATED if is_repeated else "").strip()
    host = '<div id="slide"></div>\n'
    shown = f"<details><summary>Counts at some thresholds</summary>\n{''.join(tables)}</details>\n"
    data = {"models": models, "labels": labels, "metrics": list(AT_THRESHOLD)}
    return section("Threshold", note(about), host, shown), data


def _values(folds: ThresholdCounts, name: str, counts: Counts) -> Array:
    metric = find(name, scorer=True)
    if metric.takes("zero_division"):
        metric = metric.with_params(zero_division=np.nan)
    return folds.values(metric.settled(folds.labels.tolist(), folds.labels[1]), counts)


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
    return [None if number != number else number for number in rounded]


def _threshold_table(
    model: str, thresholds: Array, counts: Counts, values: dict[str, Array]
) -> str:
    """Some of the thresholds, for readers without scripts and on paper."""
    places = np.searchsorted(thresholds, np.unique([*_IN_TABLE, 0.5]))
    columns = dict(zip(("TP", "FP", "FN", "TN"), counts.astuple(), strict=True)) | values
    forms = ["{:.6g}".format] * 4 + [number] * len(values)
    cells = [[f"{t:.3g}" for t in thresholds[places].tolist()]]
    for column, form in zip(columns.values(), forms, strict=True):
        cells.append([form(value) for value in np.asarray(column)[places].tolist()])
    header = ["threshold", *(name.replace("_", " ") for name in columns)]
    return html_table(header, zip(*cells, strict=True), caption=model)


# --------------------------------------------------------------------------- metrics

_READS = {"labels": "predicted labels", "scores": "scores: their order", "proba": "probabilities"}
_BETTER = {True: "higher is better", False: "lower is better", None: "neither end is better"}


def _metrics(report: CrossValidationReport) -> Section | None:
    """The summary line of each metric, and facts about it."""
    shown = []
    for name, metric in report.data.metrics.items():
        if metric is not None and metric.row is not None:
            facts = "".join(f"<dd>{escape(line)}</dd>" for line in _facts(metric))
            shown.append(f'<div data-metric="{escape(name)}"><dt>{escape(name)}</dt>{facts}</div>')
    body = f'<dl class="meanings">{"".join(shown)}</dl>\n'
    return section("Metrics", body, is_folded=True) if shown else None


def _facts(metric: Metric) -> list[str]:
    spec = metric.spec
    low, high = spec.bounds
    reads = _READS.get(spec.response, spec.response)
    about = f"From {low:g} to {high:g}, {_BETTER[spec.greater_is_better]}; reads {reads}."
    if spec.greater_is_better is False:
        about += " Here with a minus sign, so that higher is better."
    summary = (inspect.getdoc(metric.function) or "").partition("\n")[0]
    lines = [summary.replace("`", ""), about]
    if spec.undefined:
        lines.append(f"Undefined: {spec.undefined}.")
    params = ", ".join(f"{k}={v!r}" for k, v in metric.params.items() if not callable(v))
    return [*lines, f"With {params}."] if params else lines
