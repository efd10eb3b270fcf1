"""``compare``: differences between the models of a file of predictions."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from skmetrics_ext import compare, compare_many
from skmetrics_ext.cli.messages import log, show, verdicts_of
from skmetrics_ext.cli.options import PREDICTIONS, RESAMPLES, Command
from skmetrics_ext.cli.predictions import ALL, PredictedModel, Predictions
from skmetrics_ext.cli.predictions_page import predictions_page
from skmetrics_ext.progress import reporting
from skmetrics_ext.registry import Metric
from skmetrics_ext.rows import Rows

_KEYS = ("value_b", "difference", "low", "high", "p_value", "method", "note")


def _compare(options: argparse.Namespace) -> int:
    n_models = max(len(set(options.score)), len(set(options.pred)))
    if n_models < 2:
        raise ValueError("nothing to compare: pass --score, or --pred, once for each model.")
    if (options.margin is not None or options.claim != "two-sided") and n_models > 2:
        raise ValueError("--margin and --claim are for two models.")
    data = Predictions.read(options)
    log(data.note)
    if len(data.names.score) > 1 and len(data.classes) > 2:
        raise ValueError(
            f"{len(data.classes)} classes: a column of scores is for one class of two; compare "
            "--pred."
        )
    data.check_fit([model for _, model in comparable_models(data)])
    rows = differences(data, options.by)
    of_all_rows = [
        {**row, "model": f"{row['first']} - {row['second']}", "value": row["difference"]}
        for row in rows
        if row.get("group", ALL) == ALL and "first" in row
    ]
    verdicts = verdicts_of(options, of_all_rows)
    page = partial(predictions_page, data, "Comparison of {}", (), rows, verdicts)
    figures = rows if verdicts is None else {"rows": rows}
    return show(options, figures, str(difference_table(data, rows)), page, verdicts)


def comparable_models(
    data: Predictions,
) -> list[tuple[list[PredictedModel], PredictedModel]]:
    """Groups of models to compare, each with the model whose metrics apply to all of the group.

    Labels are compared with labels, and scores with scores; metrics of probabilities apply only if
    all scores are probabilities.
    """
    labels = [model for model in data.models if model.kind == "labels"]
    scores = [model for model in data.models if model.kind != "labels"]
    return [
        (models, min(models, key=lambda model: model.kind != "values"))
        for models in (scores, labels)
        if len(models) > 1
    ]


def differences(data: Predictions, by: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Differences between models, for all rows and for each group of these columns."""
    questions = [
        (name, metric, {model.name: data.column(model.name) for model in models})
        for models, of_kind in comparable_models(data)
        for name, metric in data.metrics_of(of_kind).items()
    ]
    cases = list(product(_groups(data, by), questions))
    rows: list[dict[str, Any]] = []
    with reporting(not data.options.quiet, len(cases), "metric") as done:
        for n_done, ((group, mask), (name, metric, models)) in enumerate(cases, start=1):
            selected = {model: values[mask] for model, values in models.items()}
            try:
                pairs = _compare_models(name, metric, selected, data, mask)
            except ValueError as error:  # such as a group of one class
                if len(cases) == 1:
                    raise
                pairs = [{"metric": name, "note": str(error)}]
            rows += [{"group": group or ALL, **row} if by else row for row in pairs]
            done(n_done)
    return rows


def _groups(data: Predictions, by: Sequence[str]) -> Iterator[tuple[str | None, Any]]:
    """Names and masks of groups: first all rows, named None, then each group of each column."""
    yield None, slice(None)
    for name in by:
        values = data.column(name)
        for value in np.unique(values):
            yield str(value) if len(by) == 1 else f"{name}={value}", values == value


def _compare_models(
    name: str,
    metric: Metric,
    models: dict[str, Any],
    data: Predictions,
    mask: Any,
) -> list[dict[str, Any]]:
    """A row for each pair of models, whose predictions are those of the rows in the mask."""
    options, groups, weight = data.options, data.groups, data.weight
    arguments: dict[str, Any] = {
        "confidence_level": options.confidence,
        "n_resamples": options.resamples or RESAMPLES,
        "random_state": 0,
        "groups": None if groups is None else groups[mask],
        "sample_weight": None if weight is None else weight[mask],
        **data.class_arguments(metric),
    }
    scorer, true = name.removeprefix("neg_"), data.true[mask]
    if len(models) > 2:
        many = compare_many(scorer, true, models, **arguments)
        return [
            {
                "metric": name,
                "first": row.first,
                "value_a": many.values[row.first],
                "second": row.second,
                "value_b": many.values[row.second],
                **row,
                "method": many.adjust,
            }
            for row in many.rows
        ]
    (first, a), (second, b) = models.items()
    claim = {"alternative": options.claim, "margin": options.margin}
    pair = compare(scorer, true, a, b, **claim, **arguments)
    row = {"metric": name, "first": first, "value_a": pair.value_a, "second": second}
    row |= {key: getattr(pair, key) for key in _KEYS}
    if options.claim != "two-sided" or options.margin is not None:
        row |= {"claim": options.claim, "margin": options.margin, "concluded": pair.concluded}
        row["confidence_level"] = pair.confidence_level
    return [row]


def difference_table(
    data: Predictions, rows: list[dict[str, Any]], lead: Sequence[str] = ()
) -> Rows:
    """Differences as a table."""
    level = f"{100 * data.options.confidence:g} % intervals"
    return Rows(rows, lead=[f"{data.files.n_rows} rows, {level}", *lead])


COMPARE = Command(
    "compare",
    "differences between models, from a file of predictions; simultaneous for three or more",
    (
        "predictions.csv --target ill --score old --score new --positive yes",
        "predictions.csv --target ill --pred old --pred new --metrics recall --positive yes "
        "--claim non-inferior --margin 0.05",
    ),
    (*PREDICTIONS, "claim", "margin"),
    _compare,
    {"resamples": 9999},
)
