"""Curves and confusion matrices of a report, from its out-of-fold predictions."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from skmetrics_ext.formats import interval, known
from skmetrics_ext.metrics.labels.accuracy import confusion_matrix
from skmetrics_ext.plotting import plot_results
from skmetrics_ext.plotting.curve_display import MEAN
from skmetrics_ext.report.page.charts import LOOKS, Chart, ChartCurve, curve_chart
from skmetrics_ext.report.page.document import Section, folded, note, pictures, section
from skmetrics_ext.report.params import take_params
from skmetrics_ext.validation import InvalidParameterError, distinct_labels
from skmetrics_ext.validation.containers import count_rows, read_array, take_rows

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport

TITLES = {"roc": "ROC", "precision_recall": "Precision and recall", "calibration": "Reliability"}
_OVERLAID = ("roc", "precision_recall")
_DISTINCT = 4  # classes whose reliability can be distinguished in one picture
_NO_CLASS = "no class is known to be the positive one: pass pos_label="
_UNUSED = "no metric of the report uses {}"
_METHODS = {"predict_proba": "probabilities", "decision_function": "decision values"}
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
    """What is drawn of each kind and each model but the baseline."""
    without = left_out(report)
    classes = None if report.data is None else distinct_labels(report.data.y)
    found: Displays = {}
    for kind, title in TITLES.items():
        many = kind == "calibration" and classes is not None and len(classes) > _DISTINCT
        for model in report.models:
            if model == report.baseline or title in without or not _responses(report, model):
                continue
            try:
                options = {"curves": "top label"} if many else {}
                found[kind, model] = plot_results.computed(report, kind, model, **options)
            except InvalidParameterError as error:  # no fold has a curve
                found[kind, model] = str(error)
    return found


def left_out(report: CrossValidationReport) -> dict[str, str]:
    """Titles of the parts that the page leaves out, and why."""
    classes = None if report.data is None else distinct_labels(report.data.y)
    if classes is None:
        return {}
    is_binary, used = len(classes) == 2, set[str]().union(*_all_responses(report))
    reasons = {}
    for title, methods, of_one in _parts():
        if used.isdisjoint(methods):
            names = " or ".join(_METHODS.get(method, "predicted labels") for method in methods)
            reasons[title] = _UNUSED.format(names)
        elif of_one and is_binary and report.positive_class is None:
            reasons[title] = _NO_CLASS
    if not is_binary:
        reasons["Threshold"] = "there are more than two classes"
    return reasons


def _parts() -> Iterator[tuple[str, tuple[str, ...], bool]]:
    """Titles of parts, the responses that they need, and whether they describe one class."""
    for kind, title in TITLES.items():
        display: Any = plot_results.KINDS[kind]
        yield title, display.methods, display.sides == "one"
    yield "Threshold", ("predict_proba",), True
    yield "Confusion matrices", ("predict",), False


def _responses(report: CrossValidationReport, model: str) -> set[str]:
    return {method for result in report.results_of(model) for method in result.responses}


def _all_responses(report: CrossValidationReport) -> list[set[str]]:
    return [_responses(report, model) for model in report.models]


# --------------------------------------------------------------------------- curves


def overlays(report: CrossValidationReport, displays: Displays) -> list[Chart]:
    """The means over folds of all models, a chart of each kind."""
    charts = []
    for kind in _OVERLAID:
        shown = {m: d for (k, m), d in displays.items() if k == kind and not isinstance(d, str)}
        curves = [
            _line(display, _mean(display), model, report.models.index(model) % LOOKS)
            for model, display in shown.items()
        ]
        if curves:
            charts.append(_chart(kind, next(iter(shown.values())), curves, kind))
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
                curves = _bins(display) if kind == "calibration" else _folds(display, model)
                shown.append((curve_chart(_chart(kind, display, curves)), title))
        if shown or failed:
            head = [] if parts else [note(_FOLDS.format(100 * report.confidence_level))]
            body = "".join([*head, pictures(shown) if shown else "", *map(note, failed)])
            named = f'<div data-model="{escape(model)}">{body}</div>\n'
            parts.append(folded(f"Curves of {model}", named))
    return parts


def _chart(kind: str, display: Any, curves: list[ChartCurve], name: str = "") -> Chart:
    if kind == "calibration":
        labels = "Predicted probability", "Observed rate"
    else:
        labels = display.x_label, display.y_label
    return Chart(name, TITLES[kind], *labels, curves, kind != "precision_recall")


def _mean(display: Any) -> Any:
    return next(line for line in display.lines if line.fold == MEAN)


def _line(display: Any, line: Any, name: str, look: int, kind: str = "line") -> ChartCurve:
    x, y = line.columns[display.x], line.columns[display.y]
    kept = np.isfinite(x) & np.isfinite(y)
    text = known(line.value)
    if line.interval is not None:
        text = f"{text} {interval(line.interval.low, line.interval.high)}".strip()
    text = f"{display.value_name} {text}" if text else ""
    return ChartCurve(name, text, x[kept], y[kept], look, kind)


def _folds(display: Any, model: str) -> list[ChartCurve]:
    mean = _mean(display)
    curve = _line(display, mean, model, 0)
    kept = np.isfinite(mean.columns[display.x]) & np.isfinite(mean.columns[display.y])
    spread = np.nan_to_num(mean.columns["std"][kept])
    folds = [_line(display, line, "", 0, "fold") for line in display.lines if line.fold != MEAN]
    return [*folds, curve._replace(low=curve.y - spread, high=curve.y + spread)]


def _bins(display: Any) -> list[ChartCurve]:
    """Reliability curves, of each class where there are more than two."""
    curves = []
    for place, (label, found) in enumerate(display.curves.items()):
        curve, seen = found.curve, found.curve.count > 0
        name = str(display.name if display.positive is not None else label)
        ends = {"low": curve.low[seen], "high": curve.high[seen]}
        text = "" if np.isnan(found.error) else f"ECE {found.error:.3f}"
        places = curve.mean_predicted[seen], curve.observed_rate[seen]
        curves.append(ChartCurve(name, text, *places, place % LOOKS, "points", **ends))
    return curves


# --------------------------------------------------------------------------- matrices


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
        shown.append((_matrix([str(label) for label in classes.tolist()], table, model), model))
    if not shown:
        return []
    return [section("Confusion matrices", note(_MATRICES), pictures(shown, of="model"))]


def _matrix(labels: list[str], table: Any, model: str) -> str:
    """A confusion matrix as a table, cells shaded by their share of the true class."""
    head = "".join(f'<th scope="col">{escape(label)}</th>' for label in labels)
    rows = []
    for k, label in enumerate(labels):
        total = table[k].sum()
        cells = []
        for j, count in enumerate(table[k].tolist()):
            share, look = count / total if total else 0.0, "right" if j == k else "wrong"
            cells.append(
                f'<td class="cell {look}" style="--share:{share:.3f}">{count:.6g}<br>'
                f"<small>{100 * share:.1f}%</small></td>"
            )
        rows.append(f'<tr><th scope="row">{escape(label)}</th>{"".join(cells)}</tr>')
    return (
        f'<div class="wide matrix"><table aria-label="Confusion matrix of {escape(model)}">'
        f'<thead><tr><th scope="col">true \\ predicted</th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
