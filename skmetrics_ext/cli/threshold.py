"""``threshold``: the best score to act at, from a file of predictions."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from skmetrics_ext import confidence_interval, optimal_threshold
from skmetrics_ext.cli.messages import page_of, renamed, show
from skmetrics_ext.cli.options import COMMON, Command
from skmetrics_ext.cli.predictions import Predictions, find_metric, requested_metrics
from skmetrics_ext.formats import count
from skmetrics_ext.registry.defaults import RATES
from skmetrics_ext.tables import Table

_OPTIMISM = (
    "The threshold was chosen on these rows, so that rates at it look better here than elsewhere"
)
_SAMPLE_ONLY = "In the population the limit may not hold; with --confidence 0.95 it does."
_ENDS = ("value", "low", "high", "method", "note")


def _threshold(options: argparse.Namespace) -> int:
    if not options.score:
        raise ValueError("nothing to choose from: pass --score.")
    metrics = requested_metrics(options) or []
    for name in metrics:
        if find_metric(name).spec.response != "labels":
            raise ValueError(f"{name} does not depend on a threshold: name metrics of labels.")
    data = Predictions.read(options)
    if len(data.classes) != 2:
        raise ValueError(f"a threshold needs two classes, and the file has {data.classes}.")
    data.check_fit(data.models, ())
    tables = {model.name: _table(data, model.name, metrics) for model in data.models}
    rows = [{"model": model, **row} for model, table in tables.items() for row in table]
    text = partial("\n\n".join, list(map(str, tables.values())))
    page = partial(page_of, f"Thresholds of {Path(options.file).name}", tables, ())
    kept = dict.fromkeys(key for row in rows for key in ("of", *row) if key != "model")
    former = partial(renamed, rows, tuple(kept), of="model")
    return show(options, {"rows": rows}, text, page, former=former)


def _table(data: Predictions, model: str, metrics: Sequence[str]) -> Table:
    """The threshold of a model, and metrics of the labels that it gives."""
    options, true, score = data.options, data.true, data.column(model)
    limits = [(limit.metric, limit.sign, limit.limit) for limit in options.constraint]
    choice: dict[str, Any] = {"constraint": limits or None, "cost": options.cost}
    choice |= {"criterion": options.criterion} if options.criterion else {}
    design: dict[str, Any] = {"pos_label": data.positive, "groups": data.groups}
    design["sample_weight"] = data.weight
    level = options.confidence or 0.95
    draws = {"confidence_level": level, "n_resamples": options.resamples, "random_state": 0}
    optimism = f"{100 * level:g} % intervals. {_OPTIMISM}"
    if limits and options.confidence:
        best = optimal_threshold(true, score, **choice, **design, confidence=level)
        rows: list[dict[str, Any]] = [{"measure": "threshold", "value": best.threshold}]
        bounds = [(*limit[:2], bound) for limit, bound in zip(limits, best.bounds, strict=True)]
        guarantee = f"In the population, with confidence {level:g}: {_listed(bounds)}."
        notes, where = [f"{optimism}.", guarantee], "in the population"
    else:
        interval: Any = optimal_threshold(true, score, **choice, **design, **draws, interval=True)
        best = interval.chosen
        value = f"{best.criterion}, on other rows"
        rows = [_row("threshold", interval.threshold), _row(value, interval.value)]
        notes = [f"{optimism}; the second row estimates the value on other rows."]
        notes += [_SAMPLE_ONLY] if limits else []
        where = "in this file"
    pred = np.where(score >= best.threshold, data.positive, data.positive_last[0])
    rows += [
        _row(name, confidence_interval(name, true, pred, **design, **draws)) for name in metrics
    ]
    tp, fp, fn, tn = map(float, best.counts.astuple())
    kept = f" where {_listed(limits)} {where}" if limits else ""
    lead = [
        f"{model}: {data.positive!r} from {best.threshold:.4g} on, by {best.criterion}{kept}",
        f"{count(tp + fp)} of {count(tp + fp + fn + tn)} rows predicted {data.positive!r}: "
        f"{count(tp)} right, {count(fp)} wrong; {count(fn)} missed",
    ]
    return Table(rows, lead=lead, notes=notes)


def _listed(limits: Iterable[tuple[str, str, float]]) -> str:
    return " and ".join(f"{name} {sign} {bound:.4g}" for name, sign, bound in limits)


def _row(measure: str, estimate: Any) -> dict[str, Any]:
    return {"measure": measure, **{key: getattr(estimate, key) for key in _ENDS}}


THRESHOLD = Command(
    "threshold",
    "the best threshold for scores, and the metrics to expect there",
    (
        "predictions.csv --target ill --score risk --positive yes "
        "--constraint 'precision>=0.8' --criterion recall",
        "predictions.csv --target ill --score risk --positive yes --cost 1 5 "
        "--criterion expected_cost",
    ),
    ("predictions", "score", *COMMON, "metrics", "resamples", "criterion", "constraint", "cost"),
    _threshold,
    {"metrics": list(RATES), "confidence": None},
)
