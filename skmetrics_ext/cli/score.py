"""``score``: `evaluate` on a file of predictions, as text, JSON or a page."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from skmetrics_ext import evaluate
from skmetrics_ext.cli import predictions as files
from skmetrics_ext.cli.compare import best_models, compared_models, differences, table_of
from skmetrics_ext.cli.messages import log, show, verdicts_of
from skmetrics_ext.cli.options import MOST_RESAMPLED, PREDICTIONS, RESAMPLES, add_command
from skmetrics_ext.cli.predictions_page import predictions_page
from skmetrics_ext.merged.evaluation import Evaluation
from skmetrics_ext.registry.defaults import HEADINGS
from skmetrics_ext.rows import Rows, columns

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
            "--html page.html --require 'roc_auc>=0.7' --require 'new/worst:roc_auc>=0.6'",
        ),
        (*PREDICTIONS, "all"),
        claim="two-sided",
        margin=None,
        resamples=None,
    )
    parts = "read the rows in parts, without resampling and pictures (default: beyond 1 GiB)"
    command.add_argument("--stream", action="store_true", help=parts)
    size = "about, for --stream (default: 1GiB)"
    command.add_argument("--memory", default="1GiB", metavar="SIZE", help=size)


def _score(options: argparse.Namespace) -> int:
    metrics = files.asked_metrics(options)
    predictions = files.read_predictions(options)
    log(predictions.note)
    files.check_fit(metrics, predictions.models)
    n_rows = predictions.files.n_rows
    draws, options.resamples = options.resamples, options.resamples or RESAMPLES
    if n_rows is not None and draws is None:
        draws = RESAMPLES if n_rows <= MOST_RESAMPLED else 0
        if not draws:
            told = f"intervals by resampling are left out of {n_rows:,} rows"
            log(f"{told}: --resamples N asks for them")
    of_models = {
        model.name: _evaluate(options, predictions, model, draws) for model in predictions.models
    }
    rows = [row for model, parts in of_models.items() for row in _rows(options, model, parts)]
    rows.sort(key=lambda row: row["group"] != files.ALL)  # stable: all rows come first
    whole = [{**row, "model": row["of"]} for row in rows if row["group"] == files.ALL]

    def worst(metric: str, model: str) -> Any:
        return next(iter(of_models[model].values())).worst(metric)

    verdicts = verdicts_of(options, whole, worst if options.by else None)
    pairs: list[Row] = []
    best: dict[str, tuple[str, ...]] = {}
    tables = dict(_tables(options, rows))
    several = bool(compared_models(predictions))
    if several and predictions.files.held is not None:
        pairs = differences(options, predictions)
        best = best_models(pairs, options.confidence)
        lead = [_best_told(models, best) for models in dict.fromkeys(best.values())]
        tables["Differences between models"] = table_of(options, predictions, pairs, lead)
    if not options.pred:
        log("no --pred: metrics of predicted labels are left out")
    if not (options.json or options.metrics or options.all):
        log("these are a few metrics: --all shows all that apply, --metrics NAME others")
    text = "\n\n".join(f"{title}\n{part}" for title, part in tables.items())
    results = rows, pairs, verdicts, worst if options.by else None
    page = partial(predictions_page, options, predictions, "Scores of {}", *results)
    figures: Any = rows
    if verdicts is not None or several:
        figures = {"rows": rows, "differences": pairs, "best": best}
    return show(options, figures, text, page, verdicts)


def _best_told(models: tuple[str, ...], best: Mapping[str, tuple[str, ...]]) -> str:
    """The best model of the metrics that have these models in their sets."""
    first, *others = models
    text = f"not distinguishable: {', '.join(others)}" if others else "all others differ"
    return f"best by {', '.join(n for n, of in best.items() if of == models)}: {first} ({text})"


def _evaluate(
    options: argparse.Namespace,
    data: files.Predictions,
    model: files.PredictedModel,
    draws: int | None,
) -> dict[str | None, Evaluation]:
    """The metrics of a model, by column of groups."""
    metrics = files.applicable_metrics(options, data, model, every=options.all)
    if not metrics:
        return {}
    role: dict[str, Any] = {"pos_label": data.positive}
    if model.holds == "labels":
        role["pred"] = model.columns[0]
    elif len(data.classes) == 2:
        # Metrics that are the same for both classes read the scores as those of the later one.
        later = data.classes[1] if data.positive is None else data.positive
        role = {"score": model.columns[0], "pos_label": later}
    else:
        role = {"score": model.columns, "labels": data.classes}
    is_held = data.files.held is not None
    return {
        by: evaluate(
            data.files,
            true=data.names.true,
            weight=options.weight,
            by=by,
            margins=by is not None and place == 0,
            groups=options.groups,
            # the positive class is an argument of its own, the same for all of them
            metrics={name: metric.without("pos_label") for name, metric in metrics.items()},
            intervals=True,
            confidence_level=options.confidence,
            n_resamples=draws if is_held else None,
            memory_limit=8 * files.LARGE if is_held else options.memory,
            progress=not options.quiet,
            **role,
        )
        for place, by in enumerate(options.by or [None])
    }


def _rows(
    options: argparse.Namespace, model: str, parts: dict[str | None, Evaluation]
) -> Iterator[Row]:
    """A row for each group and metric."""
    for by, evaluation in parts.items():
        for row in evaluation:
            named = f"{by}={row.group}" if len(options.by) > 1 else str(row.group)
            cells = {"group": files.ALL if row.group is None else named, "of": model}
            cells["kind"] = HEADINGS[files.find_metric(row.metric).spec.response]
            ends = {"method": row.method or None, "reason": row.reason or None}
            keys = ("metric", "value", "low", "high", "n_rows")
            yield cells | {key: row[key] for key in keys} | ends


def _tables(options: argparse.Namespace, rows: list[Row]) -> Iterator[tuple[str, Rows]]:
    """A title and a table for each model and group."""
    parts: dict[tuple[Any, str], list[Row]] = {}
    for row in rows:
        parts.setdefault((row["group"], row["of"]), []).append(row)
    ends = f"{100 * options.confidence:g}% interval", "interval"
    shown = columns("kind", "metric", "value", ends, "method")
    for (group, of), part in parts.items():
        where = "" if group == files.ALL else f", group {group}"
        yield f"{of}{where}: {part[0]['n_rows']} rows", Rows(part, shown)
