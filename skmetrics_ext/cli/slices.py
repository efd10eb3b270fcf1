"""``slices``: parts of the rows in which a model is worse, from a file of predictions."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from skmetrics_ext import weak_slices
from skmetrics_ext.backends.files import columns_of
from skmetrics_ext.cli import predictions as files
from skmetrics_ext.cli.messages import log, page_of, show, whole_number
from skmetrics_ext.cli.options import COLUMNS, add_command, form_of
from skmetrics_ext.datasets.files import target_of
from skmetrics_ext.registry.defaults import CHOICE, OF_SCORES

_LISTED = "(in --json)"


def add_slices(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "slices",
        _slices,
        "parts of the rows in which a model is significantly worse than in the others",
        (
            "predictions.csv --target ill --score risk --positive yes --by sex age clinic",
            "predictions.csv --target ill --pred said --metrics recall --positive yes",
        ),
        COLUMNS,
    )
    metric = "metric that is worse there (default: one for labels, or for scores)"
    command.add_argument("--metrics", dest="metric", metavar="NAME", help=metric)
    older: dict[str, Any] = {"default": argparse.SUPPRESS, "help": argparse.SUPPRESS}
    command.add_argument("--metric", "--scoring", dest="metric", **older)
    by = "columns that make slices (default: all others that repeat their values)"
    command.add_argument("--by", dest="columns", nargs="+", metavar="COLUMN", help=by)
    most, rows = "most columns of a slice (default: 2)", "fewest rows of a slice (default: 50)"
    command.add_argument("--most-columns", type=whole_number(1), default=2, metavar="N", help=most)
    command.add_argument("--min-rows", type=whole_number(2), default=50, metavar="N", help=rows)


def _slices(options: argparse.Namespace) -> int:
    models = [*options.score, *options.pred]
    if options.metric:
        files.find_metric(options.metric)
    listed = columns_of(options.file, form_of(options))
    roles = {target_of(options.target, listed), *models, options.weight, options.groups}
    others = [name for name in listed if name not in roles]
    data = files.read_predictions(options, options.columns or others)
    log(data.note)
    (model, *more) = data.models
    if more:
        raise ValueError(f"slices are of one model, and there are {1 + len(more)}: {models}.")
    by_default = CHOICE if options.pred else OF_SCORES[0 if len(data.classes) == 2 else -1]
    name = options.metric or by_default
    files.check_fit([name], [model])
    result = weak_slices(
        data.files.reader(data.names.all).read_all(),
        true=data.names.true,
        metric=name,
        columns=options.columns,
        max_columns=options.most_columns,
        min_rows=options.min_rows,
        alpha=round(1 - options.confidence, 12),
        weight=options.weight,
        groups=options.groups,
        **_role(data, model, name),
    )
    figures = {key: getattr(result, key) for key in ("metric", "value", "n_rows", "alpha")}
    tables = {"rows": result.rows, "folded": result.folded, "left_out": result.left_out}

    lead = [f"{name} of {model.name} on all rows: {result.value:.4g}"]
    titles = ("Worse than the other rows", "Folded into these", "Columns left out")
    shown = {title: rows for title, rows in zip(titles, tables.values(), strict=True) if rows}
    page = partial(page_of, options, "Slices of {}", shown, lead)
    text = str(result).replace("(.folded)", _LISTED).replace("(.left_out)", _LISTED)
    return show(options, figures | tables, text, page)


def _role(data: files.Predictions, model: files.PredictedModel, name: str) -> dict[str, Any]:
    """The columns of the model, and the positive class or the order of the classes."""
    metric, classes = files.find_metric(name), data.classes
    if model.holds == "labels":
        role: dict[str, Any] = {"pred": model.columns[0]}
    elif len(classes) > 2:
        return {"score": dict(zip(classes, model.columns, strict=True))}
    else:
        role = {"score": model.columns[0]}
    if len(classes) == 2 and metric.takes("pos_label") and metric.sides != "none":
        role["pos_label"] = metric.positive(classes, data.positive)
    elif len(classes) == 2 and metric.spec.response == "probabilities":
        role["labels"] = sorted(classes, key=lambda label: label == data.positive)
    return role
