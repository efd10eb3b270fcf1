"""The page of ``score`` and ``compare``: a card, the models, their differences and pictures."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext import compute_metrics, confusion_matrix
from skmetrics_ext.cli.predictions import ALL, Predictions, find_metric
from skmetrics_ext.curve_tables.kinds import KINDS
from skmetrics_ext.curve_tables.lines import table_of
from skmetrics_ext.curve_tables.parts import of_predictions
from skmetrics_ext.formats import interval, number
from skmetrics_ext.registry.defaults import display_name
from skmetrics_ext.report.page import charts
from skmetrics_ext.report.page.document import brief, document, note, pictures, section, table
from skmetrics_ext.report.sentences import (
    best_text,
    capital,
    in_direction,
    question_text,
    rival_text,
)
from skmetrics_ext.requirements import Verdicts, Worst
from skmetrics_ext.tables import Table, columns

_LEGENDS = (
    "Numbers in legends have {}; bands hold at each point, and end where too few rows lie beyond. "
    "Percentages in confusion matrices are of the true class."
)
_NOT_DRAWN = "There are no pictures, because the rows were read in parts."
MODELS_OF_PAIR = (("model", "value_a"), ("against", "value_b"))  # keys of a model and its value
_METHODS = {"probabilities": "predict_proba", "values": "decision_function"}
Row = dict[str, Any]


class Results(NamedTuple):
    """Values of the models of a file, and the differences between them.

    Parameters
    ----------
    data : Predictions
    rows : sequence of dict
        Values of the models with their intervals, by group; ``compare`` has none.
    pairs : sequence of dict
        Differences between the models, by group.
    worst : callable, default=None
        Gives the worst group of a metric and a model; None without groups.
    """

    data: Predictions
    rows: Sequence[Row]
    pairs: Sequence[Row]
    worst: Worst | None = None

    def of(self, *, all_rows: bool) -> Results:
        """The results of all rows, or those of groups."""
        rows, pairs = (
            [row for row in part if (row.get("group", ALL) == ALL) == all_rows]
            for part in (self.rows, self.pairs)
        )
        return self._replace(rows=rows, pairs=pairs)


def predictions_page(title: str, results: Results, verdicts: Verdicts | None) -> str:
    """A page about the models of a file, whose name replaces ``{}`` in the title."""
    data, whole, groups = results.data, results.of(all_rows=True), results.of(all_rows=False)
    parts = [
        None if verdicts is None else section("Requirements", table(verdicts.rows)),
        section("Models", _table(data, whole.rows)),
        section("Differences between models", _table(data, whole.pairs)),
        section("Pictures", _pictures(data)),
        section("Groups", _table(data, groups.rows), _table(data, groups.pairs), is_folded=True),
    ]
    card = brief(filter(None, _card(whole, verdicts)))
    return document(title.format(Path(data.options.file).name), (), parts, card=card)


def _table(data: Predictions, rows: Sequence[Row]) -> str:
    """Values or differences, of all rows or of groups; "" where there are none."""
    if not rows:
        return ""
    shown = [{**row, "metric": display_name(row["metric"])} for row in rows]
    ends = f"{100 * data.options.confidence:g}% interval", "interval"
    group = [] if rows[0].get("group", ALL) == ALL else ["group"]
    if "kind" not in rows[0]:
        pair = ("a", "model"), ("b", "against"), ("a - b", "value"), ends, ("p", "p_value")
        claim = [key for key in ("claim", "margin", "concluded") if key in rows[0]]
        return table(Table(shown, columns(*group, "metric", *pair, *claim, "method")))
    value = "model", "metric", "value", ends, "method", ("rows", "n_rows")
    order = {key: [*dict.fromkeys(row[key] for row in shown)] for key in ("group", "metric")}
    shown.sort(key=lambda row: [order[key].index(row[key]) for key in order])
    return table(Table(shown, columns(*group, *value)))


# --------------------------------------------------------------------------- card


def _card(results: Results, verdicts: Verdicts | None) -> Iterator[str]:
    """Lines at the top: the best model by the first metric, and what it was computed from."""
    data = results.data
    pairs = [row for row in results.pairs if "against" in row]  # others have no values
    values = results.rows or [
        {"model": row[model], "metric": row["metric"], "value": row[value]}
        for row in pairs
        for model, value in MODELS_OF_PAIR
    ]
    if values:
        yield from _answer(results._replace(rows=values, pairs=pairs))
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


def _answer(results: Results) -> Iterator[str]:
    """The question, and the answer of the first metric."""
    data = results.data
    shown = dict.fromkeys(row["metric"] for row in results.rows)
    metric = next(name for name in [*(data.requested or ()), *shown] if name in shown)
    rows = {row["model"]: row for row in results.rows if row["metric"] == metric}
    ordered = best_first(metric, {model: row["value"] for model, row in rows.items()})
    name, higher = display_name(metric), find_metric(metric).spec.greater_is_better
    direction = " (lower is better)" if higher is False else ""
    n_rows = "" if data.files.n_rows is None else f", {data.files.n_rows:,} rows"
    of_metric = [row for row in results.pairs if row["metric"] == metric]
    question = question_text([*rows], data.positive)
    if data.options.right:
        question = "How often is the answer right?"
    yield f"{question} {name}{direction}{n_rows}."
    if ordered:
        row = rows[ordered[0]]
        numbers = row["value"], row.get("low", math.nan), row.get("high", math.nan)
        rank = ("lowest" if higher is False else "highest") if len(ordered) > 1 else ""
        said = [best_text(ordered[0], display_name(metric, inside=True), numbers, rank)]
        yield capital("; ".join([*said, *_rival(data, ordered, of_metric)]))
    yield from _claims(of_metric)
    yield _constant(data, metric)
    if results.worst is not None and ordered:
        yield _worst_group(metric, ordered[0], results.worst)


def _rival(data: Predictions, ordered: Sequence[str], pairs: Sequence[Row]) -> Iterator[str]:
    """How the best model compares with the runner-up."""
    for pair in pairs:
        if "claim" not in pair and {pair["model"], pair["against"]} == {*ordered[:2]}:
            sign = 1 if pair["model"] == ordered[0] else -1
            numbers = in_direction(sign, (pair["value"], pair["low"], pair["high"]))
            yield rival_text(ordered[1], numbers, pair["p_value"], 1 - data.options.confidence)


def _claims(pairs: Sequence[Row]) -> Iterator[str]:
    """Which claims are concluded."""
    for pair in pairs:
        if "claim" in pair:
            conclusion = "concluded" if pair["concluded"] else "not concluded"
            margin = "" if pair["margin"] is None else f" by a margin of {pair['margin']:g}"
            claim = f"{pair['claim']}{margin}: {conclusion}."
            yield f"{pair['model']} against {pair['against']}, {claim}"


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


def _worst_group(metric: str, model: str, worst: Worst) -> str:
    """The group of a model whose simultaneous bound, or value, is worst; "" if there is none."""
    try:
        group = worst(metric, model)[0]
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
    curves = [(charts.curve_chart(chart), chart.title) for chart in _curves(data)]
    level = f"{100 * data.options.confidence:g} % intervals"
    return note(_LEGENDS.format(level)) + pictures([*curves, *_matrices(data)])


def _curves(data: Predictions) -> list[charts.Chart]:
    """The curves of all models, a chart of each kind that the classes and scores allow."""
    options: dict[str, Any] = {"groups": data.groups, "pos_label": data.positive}
    options["confidence_level"] = data.options.confidence
    options["reading"] = {"labels": data.classes, "sample_weight": data.weight}
    drawn = []
    for kind in charts.TITLES:
        models = {
            model.name: data.response(model)
            for model in data.models
            if _METHODS.get(model.kind) in KINDS[kind].methods
        }
        if models:
            is_crowded = kind == "calibration" and len(data.classes) > charts.CROWDED
            options |= {"what": charts.TITLES[kind], "curves": "top label" if is_crowded else None}
            table = table_of(KINDS[kind], of_predictions, data.true, models, **options)
            drawn.append(charts.chart_of(kind, table, next(iter(models))))
    return drawn


def _matrices(data: Predictions) -> Iterator[tuple[str, str]]:
    """Confusion matrices with their captions."""
    labels = data.positive_last
    for model in data.models:
        if model.kind == "labels":
            title, pred = f"Confusion matrix of {model.name}", data.response(model)
            counts = confusion_matrix(data.true, pred, labels=labels, sample_weight=data.weight)
            yield charts.matrix_table(labels, counts, title), title
