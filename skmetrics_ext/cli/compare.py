"""``compare``: differences between the models of a file of predictions."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from skmetrics_ext import compare, compare_many
from skmetrics_ext.cli import predictions as files
from skmetrics_ext.cli.messages import log, show, verdicts_of
from skmetrics_ext.cli.options import PREDICTIONS, add_command
from skmetrics_ext.cli.predictions_page import ENDS, predictions_page
from skmetrics_ext.numeric import Array
from skmetrics_ext.progress import reporting
from skmetrics_ext.registry import Metric
from skmetrics_ext.rows import Rows

_CLAIMS = ("two-sided", "less", "greater", "non-inferior", "equivalent")
_KEYS = ("value_b", "difference", "low", "high", "p_value", "method", "note")


def add_compare(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "compare",
        _compare,
        "differences between models, from a file of predictions; of three or more, simultaneous",
        (
            "predictions.csv --target ill --score old --score new --positive yes",
            "predictions.csv --target ill --pred old --pred new --metrics recall --positive yes "
            "--claim non-inferior --margin 0.05",
        ),
        PREDICTIONS,
        resamples=9999,
    )
    claim, margin = "claim about two models", "smallest difference that matters"
    command.add_argument("--claim", choices=_CLAIMS, default="two-sided", help=claim)
    command.add_argument("--margin", type=float, metavar="SIZE", help=margin)


def _compare(options: argparse.Namespace) -> int:
    n_models = max(len(set(options.score)), len(set(options.pred)))
    if n_models < 2:
        raise ValueError("nothing to compare: pass --score, or --pred, once for each model.")
    if (options.margin is not None or options.claim != "two-sided") and n_models > 2:
        raise ValueError("--margin and --claim are for two models.")
    metrics = files.asked_metrics(options)
    data = files.read_predictions(options)
    log(data.note)
    if len(data.names.score) > 1 and len(data.classes) > 2:
        which = "a column of scores is for one class of two; compare --pred."
        raise ValueError(f"{len(data.classes)} classes: {which}")
    files.check_fit(metrics, [kind for _, kind in compared_models(data)])
    rows = differences(options, data, options.by)
    table = table_of(options, data, rows)
    of_pairs = [
        {**row, "model": f"{row['first']} - {row['second']}", "value": row["difference"]}
        for row in rows
        if row.get("group", files.ALL) == files.ALL and "first" in row
    ]
    verdicts = verdicts_of(options, of_pairs)

    page = partial(predictions_page, options, data, "Comparison of {}", (), rows, verdicts)
    figures = rows if verdicts is None else {"rows": rows}
    return show(options, figures, str(table), page, verdicts)


def differences(
    options: argparse.Namespace, data: files.Predictions, by: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Differences between models, for all rows and for each group of these columns."""
    questions = [
        (name, metric, {model.name: data.column(model.name) for model in models})
        for models, kind in compared_models(data)
        for name, metric in files.applicable_metrics(options, data, kind).items()
    ]
    cases = list(product(_groups(data, by), questions))
    rows: list[dict[str, Any]] = []
    with reporting(not options.quiet, len(cases), "metric") as done:
        for place, ((group, kept), (name, metric, columns)) in enumerate(cases, start=1):
            try:
                answers = _answers(name, metric, columns, data, options, kept)
            except ValueError as error:  # such as a group of one class
                if len(cases) == 1:
                    raise
                answers = [{"metric": name, "note": str(error)}]
            rows += [{"group": group or files.ALL, **row} if by else row for row in answers]
            done(place)
    return rows


def table_of(
    options: argparse.Namespace,
    data: files.Predictions,
    rows: list[dict[str, Any]],
    lead: Sequence[str] = (),
) -> Rows:
    """Differences as a table."""
    level = f"{100 * options.confidence:g} % intervals"
    return Rows(rows, lead=[f"{data.files.n_rows} rows, {level}", *lead])


def _groups(data: files.Predictions, by: Sequence[str]) -> Iterator[tuple[str | None, Any]]:
    """Names and masks of groups: first all rows, named None, then each group of each column."""
    yield None, slice(None)
    for name in by:
        values = data.column(name)
        for value in np.unique(values):
            yield str(value) if len(by) == 1 else f"{name}={value}", values == value


def compared_models(
    data: files.Predictions,
) -> list[tuple[list[files.PredictedModel], files.PredictedModel]]:
    """Models that are compared with each other, and the one by whose kind all of them are read.

    They are read as probabilities only if all of them are.
    """
    by_kind: dict[bool, list[files.PredictedModel]] = {}
    for model in data.models:
        by_kind.setdefault(model.holds == "labels", []).append(model)
    several = [models for models in by_kind.values() if len(models) > 1]
    return [(m, min(m, key=lambda model: model.holds != "values")) for m in several]


def best_models(rows: Sequence[dict[str, Any]], level: float) -> dict[str, tuple[str, ...]]:
    """Models that do not differ from the best one of each metric that has a direction; it first.

    The p-values of three or more are adjusted for all pairs.
    """
    best: dict[str, tuple[str, ...]] = {}
    for name in dict.fromkeys(row["metric"] for row in rows):
        pairs = [row for row in rows if row["metric"] == name and "first" in row]
        higher = files.find_metric(name).spec.greater_is_better
        values = {row[end]: row[key] for row in pairs for end, key in ENDS}
        if higher is None or not values or any(map(math.isnan, values.values())):
            continue
        ordered = sorted(values, key=lambda model: values[model], reverse=higher)
        differ = {frozenset((r["first"], r["second"])) for r in pairs if r["p_value"] <= 1 - level}
        best[name] = tuple(m for m in ordered if frozenset((ordered[0], m)) not in differ)
    return best


def _answers(
    name: str,
    metric: Metric,
    columns: dict[str, Array],
    data: files.Predictions,
    options: argparse.Namespace,
    kept: Any,
) -> list[dict[str, Any]]:
    """Rows with the differences between the models, for the rows that are kept."""
    if metric.spec.response == "probabilities":  # in a column for each class
        turned = data.positive is not None and data.positive == data.classes[0]
        pairs = {model: np.column_stack([1 - p, p]) for model, p in columns.items()}
        columns = {model: pair[:, ::-1] if turned else pair for model, pair in pairs.items()}
    groups, weight = data.column(options.groups), data.column(options.weight)
    common: dict[str, Any] = {
        "confidence_level": options.confidence,
        "n_resamples": options.resamples,
        "random_state": 0,
        "groups": None if groups is None else groups[kept],
        "sample_weight": None if weight is None else weight[kept],
    }
    if metric.takes("pos_label") and metric.sides != "none" and data.positive is not None:
        common["pos_label"] = data.positive
    bare, true = name.removeprefix("neg_"), data.column(data.names.true)[kept]
    models = {model: values[kept] for model, values in columns.items()}
    if len(models) > 2:
        many = compare_many(bare, true, models, **common)
        values = [(many.values[row["first"]], many.values[row["second"]]) for row in many.rows]
        return [
            {"metric": name, "first": row["first"], "value_a": a, "second": row["second"]}
            | {"value_b": b, **row, "method": many.adjust}
            for row, (a, b) in zip(many.rows, values, strict=True)
        ]
    (first, a), (second, b) = models.items()
    pair = compare(bare, true, a, b, alternative=options.claim, margin=options.margin, **common)
    row = {"metric": name, "first": first, "value_a": pair.value_a, "second": second}
    row |= {key: getattr(pair, key) for key in _KEYS}
    if options.claim != "two-sided" or options.margin is not None:
        row |= {"claim": options.claim, "margin": options.margin, "concluded": pair.concluded}
        row["confidence_level"] = pair.confidence_level
    return [row]
