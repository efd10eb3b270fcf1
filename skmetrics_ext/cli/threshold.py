"""``threshold``: the score from which on to act, from a file of predictions."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from skmetrics_ext import confidence_interval, confusion_matrix, optimal_threshold_interval
from skmetrics_ext.cli import predictions as files
from skmetrics_ext.cli.messages import show
from skmetrics_ext.cli.options import COLUMNS, add_command
from skmetrics_ext.registry.defaults import RATES
from skmetrics_ext.report.page.document import document, note, section, table
from skmetrics_ext.rows import Rows
from skmetrics_ext.thresholds.criteria import RULES

_LIMIT = re.compile(r"\s*(\w+)\s*(>=|<=)\s*(\S+)\s*")
_OPTIMISM = (
    "The threshold was chosen on these rows, so that rates at it look better here than elsewhere; "
    "the second row is of rows that did not choose it."
)
_ENDS = ("value", "low", "high", "method", "note")


def add_threshold(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "threshold",
        _threshold,
        "the best threshold of scores, and what to expect there",
        (
            "predictions.csv --target ill --score risk --positive yes "
            "--constraint 'precision>=0.8' --criterion recall",
            "predictions.csv --target ill --score risk --positive yes --cost 1 5 "
            "--criterion expected_cost",
        ),
        (*COLUMNS, "metrics", "resamples"),
        metrics=list(RATES),
        confidence=None,
        by=[],
        require=[],
        stream=False,
        memory="1GiB",
    )
    chosen = f"what it is best by: {', '.join(RULES)}, or a metric of labels (default: youden)"
    command.add_argument("--criterion", metavar="NAME", help=chosen)
    limit = "limit that it keeps, such as precision>=0.8"
    command.add_argument("--constraint", type=_constraint, metavar="LIMIT", help=limit)
    costs = f"costs of a false positive and of a false negative, for {', '.join(RULES)}"
    command.add_argument("--cost", nargs=2, type=float, metavar="COST", help=costs)


def _constraint(text: str) -> tuple[str, str, float]:
    """A metric, >= or <=, and a number."""
    match = _LIMIT.fullmatch(text)
    try:
        bound = float(match[3]) if match else None
    except ValueError:
        bound = None
    if match is None or bound is None:
        raise argparse.ArgumentTypeError(f"must be METRIC>=NUMBER or METRIC<=NUMBER, got {text!r}")
    return match[1], match[2], bound


def _threshold(options: argparse.Namespace) -> int:
    if not options.score:
        raise ValueError("nothing to choose from: pass --score.")
    metrics = files.asked_metrics(options) or []
    for name in metrics:
        if files.find_metric(name).spec.response != "labels":
            raise ValueError(f"{name} does not depend on a threshold: name metrics of labels.")
    found = files.read_predictions(options)
    if len(found.classes) != 2:
        raise ValueError(f"a threshold is of one class of two, and there are {found.classes}.")
    if found.positive is None:
        first, last = found.classes
        raise ValueError(f"no positive class: pass --positive {last} or --positive {first}.")
    tables = {model.name: _table(options, found, model.name, metrics) for model in found.models}

    def page() -> str:
        parts = [section(of, *map(note, rows.lead), table(rows)) for of, rows in tables.items()]
        return document(f"Thresholds of {Path(options.file).name}", [], parts)

    figures = [{"of": of, **row} for of, rows in tables.items() for row in rows]
    return show(options, figures, "\n\n".join(map(str, tables.values())), page)


def _table(
    options: argparse.Namespace, found: files.Predictions, model: str, metrics: Sequence[str]
) -> Rows:
    """The threshold of a model, and metrics of the labels that it gives."""
    true, score = found.column(found.names.true), found.column(model)
    choice: dict[str, Any] = {"constraint": options.constraint, "cost": options.cost}
    choice |= {"criterion": options.criterion} if options.criterion else {}
    data: dict[str, Any] = {"pos_label": found.positive, "groups": found.column(options.groups)}
    data["sample_weight"] = found.column(options.weight)
    level = options.confidence or 0.95
    draws = {"confidence_level": level, "n_resamples": options.resamples, "random_state": 0}
    limit = ""
    if options.constraint:
        limit = " where {} {} {:g} in this file".format(*options.constraint)
    sure = optimal_threshold_interval(true, score, **choice, **data, **draws)
    threshold, criterion = sure.chosen.threshold, sure.chosen.criterion
    estimates: dict[str, Any] = {
        "threshold": sure.threshold,
        f"{criterion}, on other rows": sure.value,
    }
    other = next(label for label in found.classes if label != found.positive)
    pred = np.where(score >= threshold, found.positive, other)
    for name in metrics:
        estimates[name] = confidence_interval(name, true, pred, **data, **draws)
    weight = data["sample_weight"]
    counted = confusion_matrix(true, pred, labels=[other, found.positive], sample_weight=weight)
    (_, fp), (fn, tp) = counted.tolist()
    lead = [
        f"{model}: {found.positive!r} from {threshold:.4g} on, by {criterion}{limit}",
        f"{tp + fp:g} of {counted.sum():g} rows predicted {found.positive!r}: {tp:g} right, "
        f"{fp:g} wrong; {fn:g} missed",
    ]
    rows = [{"measure": of, **{k: getattr(e, k) for k in _ENDS}} for of, e in estimates.items()]
    notes = [f"{100 * level:g} % intervals. {_OPTIMISM}"]
    return Rows(rows, lead=lead, notes=notes)
