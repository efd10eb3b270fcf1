"""``compare``: differences between the models of a file of predictions."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext import compare, compare_many
from skmetrics_ext.cli.messages import json_of, log, print_lines
from skmetrics_ext.cli.options import (
    OUTPUT,
    PREDICTIONS,
    add_command,
    add_options,
    add_predictions,
)
from skmetrics_ext.cli.predictions import (
    Predictions,
    applicable_metrics,
    asked_metrics,
    check_fit,
    read_predictions,
)
from skmetrics_ext.formats import html_table, interval, number, probability, signed
from skmetrics_ext.numeric import Array
from skmetrics_ext.progress import reporting
from skmetrics_ext.registry import Metric
from skmetrics_ext.report.page.document import document, note, section
from skmetrics_ext.rows import Rows, Shown, written

_CLAIMS = ("two-sided", "less", "greater", "non-inferior", "equivalent")
_KEYS = ("value_a", "value_b", "difference", "low", "high", "p_value", "method", "note")


def add_compare(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "compare",
        _compare,
        summary="differences between models, from a file of predictions",
        description="Compare models on the same rows of a file: differences, intervals, tests.\n"
        "With three or more models, p-values and intervals are simultaneous.",
        examples=(
            "predictions.csv --target ill --score old --score new --positive yes",
            "predictions.csv --target ill --pred old --pred new --metrics recall --positive yes "
            "--claim non-inferior --margin 0.05",
        ),
    )
    add_predictions(command)
    add_options(command, "score", "pred", *PREDICTIONS, "metrics", "confidence")
    add_options(command, "resamples", *OUTPUT, resamples=9999)
    command.set_defaults(stream=False, memory="1GiB")
    command.add_argument(
        "--claim", choices=_CLAIMS, default="two-sided", help="claim about two models"
    )
    command.add_argument(
        "--margin", type=float, metavar="SIZE", help="smallest difference that matters"
    )


class _Question(NamedTuple):
    """A metric, its parameters, and the predictions of each model."""

    name: str
    params: dict[str, Any]
    predictions: Mapping[str, Array]


def _compare(options: argparse.Namespace) -> int:
    n_models = max(len(set(options.score)), len(set(options.pred)))
    if n_models < 2:
        raise ValueError("nothing to compare: pass --score, or --pred, once for each model.")
    if (options.margin is not None or options.claim != "two-sided") and n_models > 2:
        raise ValueError("--margin and --claim are for two models.")
    metrics = asked_metrics(options)
    found = read_predictions(options)
    log(found.note)
    if len(found.names.score) > 1 and len(found.classes) > 2:
        raise ValueError(
            f"{len(found.classes)} classes: a column of scores is for one class of two; "
            "compare --pred."
        )
    questions = list(_questions(found, metrics))
    groups = list(_groups(found, options.by))
    rows: list[dict[str, Any]] = []
    with reporting(not options.quiet, len(questions) * len(groups), "metric") as done:
        for group, kept in groups:
            for question in questions:
                answers = _answers(question, found, options, kept)
                rows += [{"group": group, **row} if options.by else row for row in answers]
                done(len(rows))
    table = Rows(rows, _columns(options))
    if options.html:
        written(_page(options, found, table), options.html)
    print_lines(json_of(rows) if options.json else str(table))
    return 0


def _groups(found: Predictions, by: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """All rows, then each group of each column."""
    yield "all", slice(None)
    for name in by:
        values = found.column(name)
        for value in np.unique(values):
            yield str(value) if len(by) == 1 else f"{name}={value}", values == value


def _questions(found: Predictions, metrics: list[str] | None) -> Iterator[_Question]:
    scored = [model for model in found.models if model.holds != "labels"]
    labelled = [model for model in found.models if model.holds == "labels"]
    compared = [models for models in (scored, labelled) if len(models) > 1]
    # The models of a comparison are all read alike: as probabilities only if all of them are.
    kinds = [min(models, key=lambda model: model.holds != "values") for models in compared]
    check_fit(metrics, kinds)
    for models, kind in zip(compared, kinds, strict=True):
        columns = {model.name: found.column(model.name) for model in models}
        asked = applicable_metrics(kind, found.classes, found.positive, metrics)
        for name, metric in asked.items():
            yield _Question(name, _params(metric, found.positive), _read(metric, columns, found))


def _read(metric: Metric, columns: dict[str, Array], found: Predictions) -> dict[str, Array]:
    """Predictions as the function takes them: probabilities in a column for each class."""
    if metric.spec.response != "probabilities":
        return columns
    turned = found.positive is not None and found.positive == found.classes[0]
    last = {name: 1 - column if turned else column for name, column in columns.items()}
    return {name: np.column_stack([1 - column, column]) for name, column in last.items()}


def _params(metric: Metric, positive: Any) -> dict[str, Any]:
    is_of_one = metric.takes("pos_label") and metric.sides != "none" and positive is not None
    return {"pos_label": positive} if is_of_one else {}


def _answers(
    question: _Question, found: Predictions, options: argparse.Namespace, kept: Any
) -> list[dict[str, Any]]:
    groups, weight = found.column(options.groups), found.column(options.weight)
    common: dict[str, Any] = {
        "confidence_level": options.confidence,
        "n_resamples": options.resamples,
        "random_state": 0,
        "groups": None if groups is None else groups[kept],
        "sample_weight": None if weight is None else weight[kept],
        **question.params,
    }
    name, true = question.name.removeprefix("neg_"), found.column(found.names.true)[kept]
    about = {"metric": question.name}
    predictions = {model: values[kept] for model, values in question.predictions.items()}
    if len(predictions) > 2:
        many = compare_many(name, true, predictions, **common)
        return [
            about
            | {**row, "value_a": many.values[row["first"]], "value_b": many.values[row["second"]]}
            | {"method": many.adjust}
            for row in many.rows
        ]
    (first, a), (second, b) = predictions.items()
    pair = compare(name, true, a, b, alternative=options.claim, margin=options.margin, **common)
    row = about | {"first": first, "second": second} | {key: getattr(pair, key) for key in _KEYS}
    return [row if options.claim == "two-sided" else {**row, "concluded": pair.concluded}]


def _columns(options: argparse.Namespace) -> list[Shown]:
    return [
        *([Shown("group", is_text=True)] if options.by else []),
        Shown("metric", is_text=True),
        Shown("first", is_text=True),
        Shown("value", "value_a", number),
        Shown("second", is_text=True),
        Shown("value", "value_b", number),
        Shown("difference", "difference", signed),
        Shown(f"{100 * options.confidence:g}% interval", ("low", "high"), interval),
        Shown("p", "p_value", probability),
        Shown("method", is_text=True),
        *([Shown("shown", "concluded")] if options.claim != "two-sided" else []),
    ]


def _page(options: argparse.Namespace, found: Predictions, table: Rows) -> str:
    left = [place for place, side in enumerate(table.align()) if side == "<"]
    shown = html_table(table.header(), table.cells(), text=left)
    parts = [section("Differences", shown, *map(note, table.told()))]
    lead = [f"{found.files.n_rows} rows; true classes: {found.names.true}", found.note]
    return document(f"Comparison of {Path(options.file).name}", filter(None, lead), parts)
