"""The page of ``score`` and ``compare``: a card, the models, their differences and pictures."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from skmetrics_ext import compute_metrics, confusion_matrix
from skmetrics_ext.cli.predictions import Predictions, find_metric
from skmetrics_ext.cli.values import Values
from skmetrics_ext.curve_tables.parts import of_predictions
from skmetrics_ext.curve_tables.pictures import Picture
from skmetrics_ext.formats import interval, number
from skmetrics_ext.inference.estimate_rows import EstimateRow, other_way
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.registry.defaults import display_name
from skmetrics_ext.report.page import charts
from skmetrics_ext.report.page.document import brief, document, note, pictures, section, table
from skmetrics_ext.report.sentences import (
    best_text,
    capital,
    numbers_of,
    question_text,
    rival_text,
)
from skmetrics_ext.requirements import Verdicts

_LEGENDS = (
    "Numbers in legends have {}; bands hold at each point, and end where too few rows lie beyond. "
    "Percentages in confusion matrices are of the true class."
)
_NOT_DRAWN = "There are no pictures, because the rows were read in parts."
_METHODS = {"probabilities": "predict_proba", "values": "decision_function"}


def predictions_page(
    title: str, values: Values, pairs: Estimates, verdicts: Verdicts | None
) -> str:
    """A page about the models of a file, whose name replaces ``{}`` in the title."""
    both = values.table, pairs
    data = values.data
    whole, groups = (
        [part.like(row for row in part if (row["group"] is None) == is_whole) for part in both]
        for is_whole in (True, False)
    )
    parts = [
        None if verdicts is None else section("Requirements", table(verdicts.rows)),
        section("Models", _table(whole[0])),
        section("Differences between models", _table(whole[1])),
        section("Pictures", _pictures(data)),
        section("Groups", *map(_table, groups), is_folded=True),
    ]
    card = brief(filter(None, _card(values, pairs, verdicts)))
    file = Path(data.options.file).name
    source = f"{file}, target {data.names.true}"
    return document(title.format(file), (), parts, card=card, source=source)


def _table(rows: Estimates) -> str:
    """Values or differences, of all rows or of groups; "" where there are none."""
    if not rows:
        return ""
    shown = rows.for_people()
    order = {key: [*dict.fromkeys(row[key] for row in shown)] for key in ("group", "metric")}
    shown.sort(key=lambda row: [order[key].index(row[key]) for key in order])
    return table(shown)


# --------------------------------------------------------------------------- card


def _card(values: Values, pairs: Estimates, verdicts: Verdicts | None) -> Iterator[str]:
    """Lines at the top: the best model by the first metric, and what it was computed from."""
    data = values.data
    yield from _answer(values, pairs)
    if verdicts is not None:
        yield verdicts.in_words()
    facts = {"true classes": data.names.true, "positive class": data.positive}
    facts = {"marks": ", ".join(data.options.right)} if data.options.right else facts
    facts |= {"weights": data.options.weight, "groups": data.options.groups}
    facts |= {"intervals": f"{100 * data.options.confidence:g} %"}
    yield "; ".join(f"{name}: {fact}" for name, fact in facts.items() if fact is not None)
    yield data.note


def best_first(metric: str, values: Mapping[str, float]) -> list[str]:
    """Models in the order of a metric, undefined values last; none if several have no order."""
    higher = find_metric(metric).spec.greater_is_better
    if higher is None and len(values) > 1:
        return []
    keys = {model: value if higher is False else -value for model, value in values.items()}
    return sorted(keys, key=lambda model: math.inf if math.isnan(keys[model]) else keys[model])


def _answer(values: Values, pairs: Estimates) -> Iterator[str]:
    """The question, and the answer of the first metric."""
    data, whole = values.data, values.of_all_rows
    shown = dict.fromkeys(row["metric"] for row in whole)
    metric = next((name for name in [*(data.requested or ()), *shown] if name in shown), "")
    rows = {row["model"]: row for row in whole if row["metric"] == metric}
    if not rows:
        return
    ordered = best_first(metric, {model: row["value"] for model, row in rows.items()})
    name, higher = display_name(metric), find_metric(metric).spec.greater_is_better
    direction = " (lower is better)" if higher is False else ""
    n_rows = "" if data.files.n_rows is None else f", {data.files.n_rows:,} rows"
    of_metric = [row for row in pairs if (row["metric"], row["group"]) == (metric, None)]
    question = question_text([*rows], data.positive)
    if data.options.right:
        question = "How often is the answer right?"
    yield f"{question} {name}{direction}{n_rows}."
    if ordered:
        row = rows[ordered[0]]
        numbers = row["value"], row["low"], row["high"]
        rank = ("lowest" if higher is False else "highest") if len(ordered) > 1 else ""
        said = [best_text(ordered[0], display_name(metric, inside=True), numbers, rank)]
        yield capital("; ".join([*said, *_rival(data, ordered, of_metric)]))
    yield from (f"{claim_text(pair)}." for pair in of_metric if "concluded" in pair)
    yield _constant(data, metric)
    if data.options.by and ordered:
        yield _worst_group(metric, ordered[0], values)


def claim_text(pair: Mapping[str, Any]) -> str:
    """Whether the claim about two models is concluded."""
    conclusion = "concluded" if pair["concluded"] else "not concluded"
    margin = "" if pair["margin"] is None else f" by a margin of {pair['margin']:g}"
    return f"{pair['model']} against {pair['against']}, {pair['alternative']}{margin}: {conclusion}"


def _rival(
    data: Predictions, ordered: Sequence[str], pairs: Sequence[EstimateRow]
) -> Iterator[str]:
    """How the best model compares with the runner-up."""
    for pair in pairs:
        if "concluded" not in pair and {pair["model"], pair["against"]} == {*ordered[:2]}:
            best = pair if pair["model"] == ordered[0] else other_way(pair)
            p_value = pair.get("p_adjusted", pair["p_value"])
            yield rival_text(ordered[1], numbers_of(best), p_value, 1 - data.options.confidence)


def _constant(data: Predictions, metric: str) -> str:
    """The value of a prediction that ignores the features; "" if it is undefined."""
    if not data.in_memory or data.options.right:
        return ""
    true, weight = data.true, data.weight
    classes = data.positive_last
    shares = np.array([np.average(true == label, weights=weight) for label in classes])
    arguments: dict[str, Any] = {"sample_weight": weight, "pos_label": data.positive}
    if find_metric(metric).spec.response == "labels":
        arguments["y_pred"] = np.full(len(true), classes[int(shares.argmax())])
    elif len(classes) > 2:
        arguments["y_proba"] = np.tile(shares, (len(true), 1))
    else:
        arguments |= {"y_proba": np.full(len(true), shares[1]), "pos_label": classes[1]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an undefined value is left out
        value = compute_metrics([metric], true, **arguments)[metric]
    if math.isnan(value):
        return ""
    return f"A prediction that ignores the features has {number(value)}."


def _worst_group(metric: str, model: str, values: Values) -> str:
    """The group of a model whose simultaneous bound, or value, is worst; "" if there is none."""
    try:
        group = values.worst(metric, model)[0]
    except ValueError:  # neither direction of the metric is better, or no group has a value
        return ""
    value = f"{number(group['value'])} {interval(group['low'], group['high'])}".rstrip()
    return f"Worst group of {model}: {group['group']}, {value} (simultaneous bounds)."


# --------------------------------------------------------------------------- pictures


def _pictures(data: Predictions) -> str:
    if not data.in_memory:
        return note(_NOT_DRAWN)
    if data.options.right:
        return ""
    curves = [(charts.curve_chart(picture), picture.kind.title) for picture in _curves(data)]
    level = f"{100 * data.options.confidence:g} % intervals"
    return note(_LEGENDS.format(level)) + pictures([*curves, *_matrices(data)])


def _curves(data: Predictions) -> list[Picture]:
    """The curves of all models, a chart of each kind that the classes and scores allow."""
    options: dict[str, Any] = {"groups": data.groups, "pos_label": data.positive}
    options["confidence_level"] = data.options.confidence
    options |= {"labels": data.classes, "sample_weight": data.weight}
    drawn = []
    for kind in charts.DRAWN:
        models = {
            model.name: data.response(model)
            for model in data.models
            if _METHODS.get(model.kind) in kind.methods
        }
        if models:
            options |= {"model": next(iter(models)), "n_classes": len(data.classes)}
            drawn.append(charts.curve_picture(kind, of_predictions, data.true, models, **options))
    return drawn


def _matrices(data: Predictions) -> Iterator[tuple[str, str]]:
    """Confusion matrices with their captions."""
    labels = data.positive_last
    for model in data.models:
        if model.kind == "labels":
            title, pred = f"Confusion matrix of {model.name}", data.response(model)
            counts = confusion_matrix(data.true, pred, labels=labels, sample_weight=data.weight)
            yield charts.matrix_table(labels, counts, title), title
