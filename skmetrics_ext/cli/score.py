"""``score``: `evaluate` on a file of predictions, as text, JSON or a page."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from skmetrics_ext import confusion_matrix, evaluate
from skmetrics_ext.cli import predictions as files
from skmetrics_ext.cli.messages import log, print_lines
from skmetrics_ext.cli.options import PREDICTIONS, add_command
from skmetrics_ext.formats import interval, json_of, number
from skmetrics_ext.plotting.plot_results import KINDS, computed_of_predictions
from skmetrics_ext.registry.defaults import HEADINGS
from skmetrics_ext.report.page.charts import (
    CROWDED,
    TITLES,
    Chart,
    chart_of,
    curve_chart,
    matrix_table,
)
from skmetrics_ext.report.page.document import Section, document, note, pictures, section, table
from skmetrics_ext.rows import Rows, Shown, written

_LEGENDS = "Numbers in legends have {}. Percentages in confusion matrices are of the true class."
_NOT_DRAWN = "There are no pictures of rows that are not in memory."
_METHODS = {"probabilities": "predict_proba", "values": "decision_function"}
ALL = "all"  # group of all rows
Row = dict[str, Any]


def add_score(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "score",
        _score,
        "metrics with confidence intervals, from a file of predictions",
        (
            "predictions.csv --target ill --score risk --positive yes",
            "predictions.csv --target ill --score old --score new --by ward --groups patient "
            "--html page.html",
        ),
        (*PREDICTIONS, "all"),
    )
    parts = "read the rows in parts, without resampling and pictures (default: beyond 1 GiB)"
    command.add_argument("--stream", action="store_true", help=parts)
    size = "about, for --stream (default: 1GiB)"
    command.add_argument("--memory", default="1GiB", metavar="SIZE", help=size)


def _score(options: argparse.Namespace) -> None:
    if not options.score and not options.pred:
        raise ValueError("nothing to score: pass --score or --pred.")
    if options.all and options.metrics:
        raise ValueError("--all and --metrics both choose the metrics: pass one of them.")
    metrics = files.asked_metrics(options)
    predictions = files.read_predictions(options)
    log(predictions.note)
    files.check_fit(metrics, predictions.models)
    rows = [row for model in predictions.models for row in _rows(options, predictions, model)]
    rows.sort(key=lambda row: row["group"] != ALL)  # stable: all rows come first
    if options.html:  # before printing: the reader of stdout may stop early, as `head` does
        written(_page(options, predictions, rows), options.html)
    if not options.pred:
        log("no --pred: metrics of predicted labels are left out")
    tables = "\n\n".join(f"{title}\n{own}" for title, own in _tables(options, rows))
    print_lines(json_of(rows) if options.json else tables)
    if not (options.json or options.metrics or options.all):
        log("these are a few metrics: --all shows all that apply, --metrics NAME others")


def _rows(
    options: argparse.Namespace, found: files.Predictions, model: files.PredictedModel
) -> Iterator[Row]:
    """A row for each group and metric."""
    asked = files.asked_metrics(options)
    metrics = files.applicable_metrics(model, found, asked, every=options.all)
    if not metrics:
        return
    role: dict[str, Any] = {"pos_label": found.positive}
    if model.holds == "labels":
        role["pred"] = model.columns[0]
    elif len(found.classes) == 2:
        # Metrics that are the same for both classes read the scores as those of the later one.
        later = found.classes[1] if found.positive is None else found.positive
        role = {"score": model.columns[0], "pos_label": later}
    else:
        role = {"score": model.columns, "labels": found.classes}
    is_held = found.files.held is not None
    for place, by in enumerate(options.by or [None]):
        evaluation = evaluate(
            found.files,
            true=found.names.true,
            weight=options.weight,
            by=by,
            margins=by is not None and place == 0,
            groups=options.groups,
            # the positive class is an argument of its own, the same for all of them
            metrics={name: metric.without("pos_label") for name, metric in metrics.items()},
            intervals=True,
            confidence_level=options.confidence,
            n_resamples=options.resamples if is_held else None,
            memory_limit=8 * files.LARGE if is_held else options.memory,
            progress=not options.quiet,
            **role,
        )
        for row in evaluation:
            named = f"{by}={row.group}" if len(options.by) > 1 else str(row.group)
            about = {"group": ALL if row.group is None else named, "of": model.name}
            about["kind"] = HEADINGS[metrics[row.metric].spec.response]
            ends = {"method": row.method or None, "reason": row.reason or None}
            keys = ("metric", "value", "low", "high", "n_rows")
            yield about | {key: row[key] for key in keys} | ends


def _tables(options: argparse.Namespace, rows: list[Row]) -> Iterator[tuple[str, Rows]]:
    """A title and a table for each model and group."""
    parts: dict[tuple[Any, str], list[Row]] = {}
    for row in rows:
        parts.setdefault((row["group"], row["of"]), []).append(row)
    columns = [
        Shown("kind", is_text=True),
        Shown("metric", is_text=True),
        Shown("value", "value", number),
        Shown(f"{100 * options.confidence:g}% interval", ("low", "high"), interval),
        Shown("method", is_text=True),
    ]
    for (group, of), own in parts.items():
        where = "" if group == ALL else f", group {group}"
        yield f"{of}{where}: {own[0]['n_rows']} rows", Rows(own, columns)


# --------------------------------------------------------------------------- page


def _page(options: argparse.Namespace, found: files.Predictions, rows: list[Row]) -> str:
    parts: list[Section | str] = [note(_NOT_DRAWN)]
    if found.files.held is not None:
        shown = [(curve_chart(chart), chart.title) for chart in _charts(options, found)]
        shown += _matrices(options, found)
        level = f"{100 * options.confidence:g} % intervals"
        parts = [section("Pictures", note(_LEGENDS.format(level)), pictures(shown))]
    parts += [section(title, table(own)) for title, own in _tables(options, rows)]
    facts = {"rows": found.files.n_rows, "true classes": found.names.true}
    facts |= {"weights": options.weight, "positive class": found.positive}
    lead = [f"{name}: {fact}" for name, fact in facts.items() if fact is not None]
    title = f"Scores of {Path(options.file).name}"
    return document(title, filter(None, [*lead, found.note]), parts)


def _charts(options: argparse.Namespace, found: files.Predictions) -> list[Chart]:
    """The curves of all models, a chart of each kind that the classes and scores allow."""
    true, weight = found.column(found.names.true), found.column(options.weight)
    about = {"labels": found.classes, "pos_label": found.positive, "weight": weight}
    about |= {"groups": found.column(options.groups), "confidence_level": options.confidence}
    charts = []
    for kind in TITLES:
        display, models = KINDS[kind], {}
        for model in found.models:
            if _METHODS.get(model.holds) in display.methods:
                scores = [found.column(name) for name in model.columns]
                models[model.name] = scores[0] if len(scores) == 1 else np.column_stack(scores)
        is_known = len(found.classes) != 2 or found.positive is not None or display.sides != "one"
        if models and is_known:
            more = {"curves": "top label"} if kind == "calibration" else {}
            more = more if len(found.classes) > CROWDED else {}
            drawn = computed_of_predictions(kind, true, models, **about, **more)
            charts.append(chart_of(kind, drawn, next(iter(models))))
    return charts


def _matrices(options: argparse.Namespace, found: files.Predictions) -> list[tuple[str, str]]:
    """Confusion matrices with their captions."""
    true, weight = found.column(found.names.true), found.column(options.weight)
    shown = []
    for model in found.models:
        if model.holds == "labels":
            pred, title = found.column(model.name), f"Confusion matrix of {model.name}"
            table = confusion_matrix(true, pred, labels=found.classes, sample_weight=weight)
            shown.append((matrix_table(found.classes, table, title), title))
    return shown
