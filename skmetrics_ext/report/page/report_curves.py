"""Curves and confusion matrices of a report, from its out-of-fold predictions."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from skmetrics_ext.metrics.labels.accuracy import confusion_matrix
from skmetrics_ext.plotting import plot_results
from skmetrics_ext.report.page.charts import (
    LOOKS,
    TITLES,
    Chart,
    chart_of,
    curve_chart,
    matrix_table,
)
from skmetrics_ext.report.page.document import Section, folded, note, pictures, section
from skmetrics_ext.report.params import take_params
from skmetrics_ext.validation import InvalidParameterError, distinct_labels
from skmetrics_ext.validation.containers import count_rows, read_array, take_rows

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport

_OVERLAID = ("roc", "precision_recall")
CROWDED = 4  # classes whose reliability can be distinguished in one picture
NO_POSITIVE = "no class is known to be the positive one: pass pos_label="
_METHODS = {
    "predict_proba": "probabilities",
    "decision_function": "decision values",
    "predict": "predicted labels",
}
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

Displays = dict[tuple[str, str], Any]  # by kind and model; why there is none, as text


def displays_of(report: CrossValidationReport) -> Displays:
    """The computed displays of each kind and each model but the baseline."""
    omitted, found = left_out(report), Displays()
    classes = None if report.data is None else distinct_labels(report.data.y)
    for kind, title in TITLES.items():
        is_crowded = kind == "calibration" and classes is not None and len(classes) > CROWDED
        options = {"curves": "top label"} if is_crowded else {}
        for model in report.models:
            kept = any(result.responses for result in report.results_of(model))
            if model != report.baseline and kept and title not in omitted:
                try:
                    found[kind, model] = plot_results.computed(kind, report, model, **options)
                except InvalidParameterError as error:  # no fold has a curve
                    found[kind, model] = str(error)
    return found


def left_out(report: CrossValidationReport) -> dict[str, str]:
    """Titles of the parts that the page leaves out, and why."""
    classes = None if report.data is None else distinct_labels(report.data.y)
    if classes is None:
        return {}
    used = {method for result in report.results for method in result.responses}
    displays = {title: plot_results.KINDS[kind] for kind, title in TITLES.items()}
    needs = {title: (own.methods, own.sides == "one") for title, own in displays.items()}
    needs |= {"Threshold": (("predict_proba",), True), "Confusion matrices": (("predict",), False)}
    reasons = {}
    for title, (methods, is_of_one) in needs.items():
        if used.isdisjoint(methods):
            reasons[title] = f"no metric uses {' or '.join(map(_METHODS.__getitem__, methods))}"
        elif title == "Threshold" and len(classes) > 2:
            reasons[title] = "there are more than two classes"
        elif is_of_one and len(classes) == 2 and report.positive_class is None:
            reasons[title] = NO_POSITIVE
    return reasons


# --------------------------------------------------------------------------- sections


def overlays(report: CrossValidationReport, displays: Displays) -> list[Chart]:
    """The means over folds of all models, a chart of each kind."""
    charts = []
    for kind in _OVERLAID:
        found = [
            (chart_of(kind, display, model), report.models.index(model) % LOOKS)
            for (own, model), display in displays.items()
            if own == kind and not isinstance(display, str)
        ]
        if found:
            curves = [
                curve._replace(look=look, low=None, high=None)
                for chart, look in found
                for curve in chart.curves
                if curve.kind == "line"
            ]
            charts.append(found[0][0]._replace(curves=curves))
    return charts


def overlay_section(charts: list[Chart]) -> list[Section]:
    """The part of the page with the curves of all models."""
    if not charts:
        return []
    shown = [(curve_chart(chart), chart.title) for chart in charts]
    return [section("Curves of all models", note(_OVERLAY), pictures(shown))]


def model_sections(report: CrossValidationReport, displays: Displays) -> list[Section]:
    """The curves of the folds, and the reliability, of each model."""
    parts: list[Section] = []
    for model in report.models:
        shown, failed = [], []
        for kind, title in TITLES.items():
            display = displays.get((kind, model))
            if isinstance(display, str):
                failed.append(f"{title} of {model}: {display}")
            elif display is not None:
                chart = chart_of(kind, display, model)._replace(is_extra=True)
                shown.append((curve_chart(chart), title))
        if shown or failed:
            head = [] if parts else [note(_FOLDS.format(100 * report.confidence_level))]
            body = "".join([*head, pictures(shown) if shown else "", *map(note, failed)])
            named = f'<div data-model="{escape(model)}">{body}</div>\n'
            parts.append(folded(f"Curves of {model}", named))
    return parts


def matrix_section(report: CrossValidationReport) -> list[Section]:
    """Confusion matrices; of repeated folds, by the first prediction of each row."""
    data = report.data
    classes = None if data is None else distinct_labels(data.y)
    if data is None or classes is None:  # multilabel rows have none
        return []
    shown = []
    for model, kept in report.predictions.items():
        if model == report.baseline or "predict" not in kept.responses:
            continue
        rows, first = np.unique(kept.rows, return_index=True)
        weights = [params for params in data.params.values() if "sample_weight" in params]
        params = take_params(weights[0], count_rows(data.y), rows) if weights else {}
        table = confusion_matrix(
            read_array("y", take_rows(data.y, rows)),
            kept.responses["predict"][first],
            labels=classes,
            sample_weight=params.get("sample_weight"),
        )
        title = f"Confusion matrix of {model}"
        shown.append((matrix_table(classes.tolist(), table, title), model))
    if not shown:
        return []
    return [section("Confusion matrices", note(_MATRICES), pictures(shown, of="model"))]
