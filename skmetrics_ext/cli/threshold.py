"""``threshold``: the score from which on to act, from a file of predictions."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from skmetrics_ext import confidence_interval, optimal_threshold, optimal_threshold_interval
from skmetrics_ext.cli import predictions as files
from skmetrics_ext.cli.messages import page_of, show, value_of
from skmetrics_ext.cli.options import COLUMNS, add_command
from skmetrics_ext.registry.defaults import RATES
from skmetrics_ext.requirements import Requirement
from skmetrics_ext.rows import Rows
from skmetrics_ext.thresholds.criteria import RULES

_OPTIMISM = (
    "The threshold was chosen on these rows, so that rates at it look better here than elsewhere"
)
_SAMPLE_ONLY = "In the population the limit may not hold; with --confidence 0.95 it does."
_LIMIT = value_of(
    Requirement.parse,
    lambda limit: limit.sign in (">=", "<=") and not limit.part and not limit.model,
    "METRIC>=NUMBER or METRIC<=NUMBER",
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
    )
    chosen = f"what it is best by: {', '.join(RULES)}, or a metric of labels (default: youden)"
    command.add_argument("--criterion", metavar="NAME", help=chosen)
    limit = (
        "limit that it keeps in this file, such as precision>=0.8, or with --confidence in the "
        "population; may be repeated"
    )
    command.add_argument(
        "--constraint", type=_LIMIT, action="append", default=[], metavar="LIMIT", help=limit
    )
    costs = f"costs of a false positive and of a false negative, for {', '.join(RULES)}"
    command.add_argument("--cost", nargs=2, type=float, metavar="COST", help=costs)


def _threshold(options: argparse.Namespace) -> int:
    if not options.score:
        raise ValueError("nothing to choose from: pass --score.")
    metrics = files.asked_metrics(options) or []
    for name in metrics:
        if files.find_metric(name).spec.response != "labels":
            raise ValueError(f"{name} does not depend on a threshold: name metrics of labels.")
    data = files.read_predictions(options)
    if len(data.classes) != 2:
        raise ValueError(f"a threshold is of one class of two, and there are {data.classes}.")
    if data.positive is None:
        first, last = data.classes
        raise ValueError(f"no positive class: pass --positive {last} or --positive {first}.")
    tables = {model.name: _table(options, data, model.name, metrics) for model in data.models}
    figures = [{"of": of, **row} for of, rows in tables.items() for row in rows]
    text = "\n\n".join(map(str, tables.values()))
    return show(options, figures, text, partial(page_of, options, "Thresholds of {}", tables))


def _table(
    options: argparse.Namespace, data: files.Predictions, model: str, metrics: Sequence[str]
) -> Rows:
    """The threshold of a model, and metrics of the labels that it gives."""
    true, score = data.column(data.names.true), data.column(model)
    limits = [(limit.metric, limit.sign, limit.limit) for limit in options.constraint]
    choice: dict[str, Any] = {"constraint": limits or None, "cost": options.cost}
    choice |= {"criterion": options.criterion} if options.criterion else {}
    design: dict[str, Any] = {"pos_label": data.positive, "groups": data.column(options.groups)}
    design["sample_weight"] = data.column(options.weight)
    level = options.confidence or 0.95
    draws = {"confidence_level": level, "n_resamples": options.resamples, "random_state": 0}
    notes, where = [f"{100 * level:g} % intervals. {_OPTIMISM}"], " in this file"
    if limits and options.confidence:
        best = optimal_threshold(true, score, **choice, **design, confidence=level)
        rows: list[dict[str, Any]] = [{"measure": "threshold", "value": best.threshold}]
        bounds = zip(limits, best.bounds, strict=True)
        sure = _joined((name, sign, bound) for (name, sign, _), bound in bounds)
        notes = [f"{notes[0]}.", f"In the population, with confidence {level:g}: {sure}."]
        where = " in the population"
    else:
        interval = optimal_threshold_interval(true, score, **choice, **design, **draws)
        best = interval.chosen
        value = f"{best.criterion}, on other rows"
        rows = [_row("threshold", interval.threshold), _row(value, interval.value)]
        notes[0] += "; the second row is of rows that did not choose it."
        notes += [_SAMPLE_ONLY] if limits else []
    other = next(label for label in data.classes if label != data.positive)
    pred = np.where(score >= best.threshold, data.positive, other)
    rows += [_row(of, confidence_interval(of, true, pred, **design, **draws)) for of in metrics]
    tp, fp, fn, tn = (float(part) for part in best.counts.astuple())
    kept = f" where {_joined(limits)}{where}" if limits else ""
    lead = [
        f"{model}: {data.positive!r} from {best.threshold:.4g} on, by {best.criterion}{kept}",
        f"{tp + fp:g} of {tp + fp + fn + tn:g} rows predicted {data.positive!r}: {tp:g} right, "
        f"{fp:g} wrong; {fn:g} missed",
    ]
    return Rows(rows, lead=lead, notes=notes)


def _joined(limits: Iterable[tuple[str, str, float]]) -> str:
    return " and ".join(f"{name} {sign} {bound:.4g}" for name, sign, bound in limits)


def _row(measure: str, estimate: Any) -> dict[str, Any]:
    return {"measure": measure, **{key: getattr(estimate, key) for key in _ENDS}}
