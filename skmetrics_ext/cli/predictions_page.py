"""The page of ``score`` and ``compare``: a card, the models, their differences and pictures."""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from skmetrics_ext import compute_metrics, confusion_matrix
from skmetrics_ext.cli import predictions as files
from skmetrics_ext.formats import interval, number
from skmetrics_ext.plotting.plot_results import KINDS, computed_of_predictions
from skmetrics_ext.registry.defaults import display_name
from skmetrics_ext.report.page.charts import (
    CROWDED,
    TITLES,
    Chart,
    chart_of,
    curve_chart,
    matrix_table,
)
from skmetrics_ext.report.page.document import brief, document, note, pictures, section, table
from skmetrics_ext.report.tables import best_text, difference_text, question_text
from skmetrics_ext.requirements import Verdicts
from skmetrics_ext.rows import Rows, columns

_LEGENDS = (
    "Numbers in legends have {}; bands hold at each point, and end where too few rows lie beyond. "
    "Percentages in confusion matrices are of the true class."
)
_NOT_DRAWN = "There are no pictures of rows that are not in memory."
_NAN = math.nan
ENDS = (("first", "value_a"), ("second", "value_b"))  # models of a difference, and their values
_METHODS = {"probabilities": "predict_proba", "values": "decision_function"}
Row = dict[str, Any]
Worst = Callable[[str, str], Any]  # the worst group of a metric and a model, as an estimate


def predictions_page(
    options: argparse.Namespace,
    data: files.Predictions,
    title: str,
    rows: Sequence[Row],
    pairs: Sequence[Row],
    verdicts: Verdicts | None = None,
    worst: Worst | None = None,
) -> str:
    """A page about the models of a file.

    Parameters
    ----------
    title : str
        The heading, with a place for the name of the file.
    rows : sequence of dict
        Values of the models with their intervals, by group; ``compare`` has none.
    pairs : sequence of dict
        Differences between the models, by group.
    worst : callable, default=None
        Takes a metric and a model; None without groups.
    """
    whole, compared = ([*filter(_has_all_rows, table)] for table in (rows, pairs))
    named = [row for row in compared if "first" in row]
    values = whole or [
        {"of": row[model], "metric": row["metric"], "value": row[key], "low": _NAN, "high": _NAN}
        for row in named
        for model, key in ENDS
    ]
    card = []
    if values:
        shown = dict.fromkeys(row["metric"] for row in values)
        metric = next(iter([m for m in files.asked_metrics(options) or () if m in shown] or shown))
        of_metric = {row["of"]: row for row in values if row["metric"] == metric}
        pairs_of_metric = [row for row in named if row["metric"] == metric]
        ordered = _best_first(of_metric, files.find_metric(metric).spec.greater_is_better)
        card += _answer(options, data, metric, of_metric, ordered, pairs_of_metric)
        card += _constant(options, data, metric)
        if worst is not None and ordered:
            card += _worst_group(metric, ordered[0], worst)
    if verdicts is not None:
        met = sum(row.verdict == "pass" for row in verdicts.rows)
        card.append(f"Requirements: {met} of {len(verdicts.rows)} pass.")
    facts = {"true classes": data.names.true, "positive class": data.positive}
    facts |= {"weights": options.weight, "groups": options.groups}
    card.append("; ".join(f"{name}: {fact}" for name, fact in facts.items() if fact is not None))
    of_groups = "".join(
        _table(options, [row for row in table if not _has_all_rows(row)]) for table in (rows, pairs)
    )
    parts = [
        None if verdicts is None else section("Requirements", table(verdicts.rows)),
        section("Models", _table(options, whole)),
        section("Differences between models", _table(options, compared)),
        section("Pictures", _pictures(options, data)),
        section("Groups", of_groups, is_folded=True),
    ]
    heading = title.format(Path(options.file).name)
    return document(heading, (), parts, card=brief(filter(None, [*card, data.note])))


def _has_all_rows(row: Row) -> bool:
    return bool(row.get("group", files.ALL) == files.ALL)


def _table(options: argparse.Namespace, rows: Sequence[Row]) -> str:
    """Values or differences, of all rows or of groups; "" where there are none."""
    if not rows:
        return ""
    shown = [{**row, "metric": display_name(row["metric"])} for row in rows]
    ends = f"{100 * options.confidence:g}% interval", "interval"
    group = [] if _has_all_rows(rows[0]) else ["group"]
    if "of" not in rows[0]:
        pair = ("a", "first"), ("b", "second"), ("a - b", "difference"), ends, ("p", "p_value")
        claim = [key for key in ("claim", "margin", "concluded") if key in rows[0]]
        return table(Rows(shown, columns(*group, "metric", *pair, *claim, "method")))
    value = ("model", "of"), "metric", "value", ends, "method", ("rows", "n_rows")
    places = {key: [*dict.fromkeys(row[key] for row in shown)] for key in ("group", "metric")}
    shown.sort(key=lambda row: [places[key].index(row[key]) for key in places])
    return table(Rows(shown, columns(*group, *value)))


# --------------------------------------------------------------------------- card


def _answer(
    options: argparse.Namespace,
    data: files.Predictions,
    metric: str,
    rows: Mapping[str, Row],
    ordered: Sequence[str],
    pairs: Sequence[Row],
) -> list[str]:
    """The question, the best model by a metric, and how it compares with the next one."""
    name, higher = display_name(metric), files.find_metric(metric).spec.greater_is_better
    lower = " (lower is better)" if higher is False else ""
    n_rows = "" if data.files.n_rows is None else f", {data.files.n_rows:,} rows"
    question = f"{question_text([*rows], data.positive)} {name}{lower}{n_rows}."
    lines = [question]
    if ordered:
        row, title = rows[ordered[0]], f"{100 * options.confidence:g} %"
        ends = interval(row["low"], row["high"])
        lines.append(best_text(ordered[0], len(ordered) > 1, name, row["value"], ends, title))
    for pair in pairs:
        models = pair["first"], pair["second"]
        if "claim" in pair:
            drawn = "concluded" if pair["concluded"] else "not concluded"
            margin = "" if pair["margin"] is None else f" by a margin of {pair['margin']:g}"
            lines.append(f"{models[0]} against {models[1]}, {pair['claim']}{margin}: {drawn}.")
        elif {*models} == {*ordered[:2]}:
            is_better = pair["p_value"] <= 1 - options.confidence
            verdict = "Better than" if is_better else "Not distinguishable from"
            text = difference_text(name, pair, 1 if models[0] == ordered[0] else -1)
            lines.append(f"{verdict} the runner-up, {ordered[1]}: {text}.")
    return lines


def _best_first(rows: Mapping[str, Row], higher: bool | None) -> list[str]:
    """Models in the order of a metric, undefined values last; none if several have no order."""
    if higher is None and len(rows) > 1:
        return []
    sign = 1 if higher is False else -1
    keys = {model: sign * row["value"] for model, row in rows.items()}
    return sorted(keys, key=lambda model: math.inf if math.isnan(keys[model]) else keys[model])


def _constant(options: argparse.Namespace, data: files.Predictions, metric: str) -> list[str]:
    """The value of a prediction that ignores the features."""
    if data.files.held is None:
        return []
    true, weight = data.column(data.names.true), data.column(options.weight)
    shares = np.array([np.average(true == label, weights=weight) for label in data.classes])
    common: dict[str, Any] = {"sample_weight": weight, "pos_label": data.positive}
    if files.find_metric(metric).spec.response == "labels":
        common["y_pred"] = np.full(len(true), data.classes[int(shares.argmax())])
    elif len(shares) > 2:
        common["y_proba"] = np.tile(shares, (len(true), 1))
    else:
        positive = data.classes[1] if data.positive is None else data.positive
        common["y_proba"] = np.full(len(true), shares[data.classes.index(positive)])
        common["pos_label"] = positive
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an undefined value is left out
        value = compute_metrics([metric], true, **common)[metric]
    if math.isnan(value):
        return []
    return [f"A prediction that ignores the features has {number(value)}."]


def _worst_group(metric: str, model: str, worst: Worst) -> list[str]:
    """The worst group of a model, for sure or by its value."""
    try:
        group = worst(metric, model)
    except ValueError:  # neither end of the metric is better, or no group has a value
        return []
    ends = interval(group.low, group.high)
    shown = f"{group.group}, {number(group.value)} {ends}".rstrip()
    return [f"Worst group of {model}: {shown} (simultaneous bounds)."]


# --------------------------------------------------------------------------- pictures


def _pictures(options: argparse.Namespace, data: files.Predictions) -> str:
    if data.files.held is None:
        return note(_NOT_DRAWN)
    shown = [(curve_chart(chart), chart.title) for chart in _charts(options, data)]
    level = f"{100 * options.confidence:g} % intervals"
    return note(_LEGENDS.format(level)) + pictures([*shown, *_matrices(options, data)])


def _charts(options: argparse.Namespace, data: files.Predictions) -> list[Chart]:
    """The curves of all models, a chart of each kind that the classes and scores allow."""
    true, weight = data.column(data.names.true), data.column(options.weight)
    shared = {"labels": data.classes, "pos_label": data.positive, "weight": weight}
    shared |= {"groups": data.column(options.groups), "confidence_level": options.confidence}
    charts = []
    for kind in TITLES:
        display, models = KINDS[kind], {}
        for model in data.models:
            if _METHODS.get(model.holds) in display.methods:
                scores = [data.column(name) for name in model.columns]
                models[model.name] = scores[0] if len(scores) == 1 else np.column_stack(scores)
        is_known = len(data.classes) != 2 or data.positive is not None or display.sides != "one"
        if models and is_known:
            more = {"curves": "top label"} if kind == "calibration" else {}
            more = more if len(data.classes) > CROWDED else {}
            drawn = computed_of_predictions(kind, true, models, **shared, **more)
            charts.append(chart_of(kind, drawn, next(iter(models))))
    return charts


def _matrices(options: argparse.Namespace, data: files.Predictions) -> list[tuple[str, str]]:
    """Confusion matrices with their captions."""
    true, weight = data.column(data.names.true), data.column(options.weight)
    labels = sorted(data.classes, key=lambda label: label == data.positive)
    shown = []
    for model in data.models:
        if model.holds == "labels":
            pred, title = data.column(model.name), f"Confusion matrix of {model.name}"
            table = confusion_matrix(true, pred, labels=labels, sample_weight=weight)
            shown.append((matrix_table(labels, table, title), title))
    return shown
