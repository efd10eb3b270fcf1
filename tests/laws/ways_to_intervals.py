"""Every entry point with intervals of metrics: each asks all questions about the same rows."""

import contextlib
import io
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from support.command_line import main

import skmetrics_ext as sx

from .interval_cases import (
    DEFAULT_RESAMPLES,
    DESIGNS,
    N_RESAMPLES,
    Said,
    of_class,
    of_estimate,
    of_half,
)
from .ways_to_ask import Reciting, sign_of, stored

NAN = float("nan")
CLI_RESAMPLES = 100  # the least that the command line accepts


def always(question):
    return True


def never(question):
    return False


def is_ranked(question):
    """Models of different folds have no common scale, so that their scores are not pooled."""
    return question.spec.response == "scores" and question.spec.tally == "ranks"


def is_beyond_sums(question):
    """Whether sums may be too little for an interval.

    They are enough for tables, means and whole areas of two classes, without weights.
    """
    spec, rows = question.spec, question.rows
    if rows.weight is not None:
        return True
    is_mean = spec.tally == "moments" and spec.interval != "ratio"
    is_area = spec.interval == "logit" and rows.is_binary
    return not (spec.response == "labels" or is_mean or is_area)


@dataclass(frozen=True)
class Way:
    """An entry point.

    Parameters
    ----------
    ask : callable
        ``ask(rows, questions)``: pairs of a question and what is said of it.
    designs : tuple of str
        The designs that it accepts.
    n_resamples : int
        Draws of the intervals that are resampled.
    may_refuse : callable
        ``may_refuse(question)``: whether it may have no interval, with a reason.
    takes : callable
        ``takes(question)``: whether the question can be put to it.
    selects : bool
        Whether it chooses the metrics that suit the data, so that some are not answered.
    """

    ask: Callable[..., Any]
    designs: tuple[str, ...] = DESIGNS
    n_resamples: int = N_RESAMPLES
    may_refuse: Callable[[Any], bool] = never
    takes: Callable[[Any], bool] = always
    selects: bool = False


# --------------------------------------------------------------------------- panels and reports


def has_scorer(question):
    """A row that describes and does not judge has none."""
    return question.scorer is not None


def paneled(rows, questions):
    options = {"n_resamples": N_RESAMPLES, "random_state": 0}
    if rows.stratum is not None:
        options["strata"] = rows.stratum
    panel = sx.ScorerPanel([one.scorer for one in questions], intervals=options)
    groups = {} if rows.group is None else {"groups": rows.group}
    found = panel.evaluate(*stored(rows), rows.y_true, rows.weight, **groups)
    for question in questions:
        low, high = (found.values[f"{question.scorer}_{end}"] for end in ("low", "high"))
        said = Said(low, high, reason=found.reasons.get(question.scorer, ""))
        yield question, said if sign_of(question) > 0 else said.negated


def pooled(rows, questions):
    """The pooled intervals of a report with one fold that tests all rows."""
    for question, row in _report_rows(rows, questions, lambda report: report.pooled()):
        yield question, said_of_row(row, sign_of(question))


def _report_rows(rows, questions, read):
    n_rows, n_classes = len(rows), len(rows.classes)
    test, train = np.arange(n_rows), np.arange(n_rows, n_rows + n_classes)
    weight = None if rows.weight is None else np.append(rows.weight, np.ones(n_classes))
    group = None if rows.group is None else np.append(rows.group, 1000 + np.arange(n_classes))
    report = sx.cross_validation_report(
        Reciting(rows),
        np.arange(n_rows + n_classes)[:, None],
        np.concatenate([rows.y_true, rows.names]),
        scoring=[question.scorer for question in questions],
        cv=[(train, test)],
        baseline=None,
        groups=group,
        params=None if weight is None else {"sample_weight": weight},
    )
    found = {row["metric"]: row for row in read(report)}
    return [(question, found[question.scorer]) for question in questions]


def said_of_row(row, sign=1):
    """What a row of a table says, in the direction of the metric."""
    low, high = (NAN if row[end] is None else row[end] for end in ("low", "high"))
    reason = row["note" if "note" in row else "reason"] or ""
    said = Said(low, high, row["method"] or "", bool(reason), reason)
    return said if sign > 0 else said.negated


# --------------------------------------------------------------------------- tables and sums


def one_column(question):
    """Whether it reads the probabilities, as the other metrics of a table do.

    Of two classes, losses of decisions need their sign, and top-k accuracy both columns.
    """
    is_loss = question.spec.response == "scores" and question.spec.tally == "moments"
    return not ("by_sign" in question.spec.traits or (is_loss and question.rows.is_binary))


def responses(rows, questions):
    """What the metrics read, by the argument of `compute_metrics`."""
    given = {}
    if any(one.spec.response == "labels" for one in questions):
        given["y_pred"] = rows.y_pred()
    if any(one.spec.response != "labels" for one in questions):
        given["y_proba"] = rows.probabilities(rows.classes[-1])
    return given


def computed_by(rows, questions):
    """Half "a" of the rows, and all of them, of a table with margins."""
    asked = {one.name: one for one in questions}
    table = sx.compute_metrics(
        list(asked),
        rows.y_true,
        **responses(rows, questions),
        by={"half": rows.half},
        margins=True,
        intervals=True,
        sample_weight=rows.weight,
        groups=rows.group,
    )
    return rows_of_halves(table, asked)


def rows_of_halves(table, asked):
    """Pairs of a question and what its row says, of one half and of all rows."""
    for row in table:
        if row.group in (None, "a"):
            question = asked[row.metric]
            yield question if row.group is None else of_half(question, "a"), said_of_row(row)


def columns_of(rows, questions):
    """The columns of a data set, and the arguments of `evaluate` that name them."""
    columns, roles = {"true": rows.y_true, "half": rows.half}, {}
    for kind, column in responses(rows, questions).items():
        role = "pred" if kind == "y_pred" else "score"
        if column.ndim == 2:
            roles[role] = [f"of {label}" for label in rows.classes]
            columns |= dict(zip(roles[role], column.T, strict=True))
        else:
            roles[role], columns[role] = role, column
    for role, column in (("weight", rows.weight), ("groups", rows.group)):
        if column is not None:
            roles[role], columns[role] = role, column
    return columns, roles


def evaluated(rows, questions, engine, by=None, n_resamples=None):
    asked = {one.name: one for one in questions}
    columns, roles = columns_of(rows, questions)
    table = sx.evaluate(
        pd.DataFrame(columns),
        true="true",
        **roles,
        metrics={name: one.metric for name, one in asked.items()},
        labels=list(rows.classes),
        by=by,
        margins=by is not None,
        intervals=True,
        n_resamples=n_resamples,
        engine=engine,
    )
    if by is not None:
        return rows_of_halves(table, asked)
    return [(asked[row.metric], said_of_row(row)) for row in table]


def accumulated(rows, questions):
    """In batches at random, some of which lack a class."""
    asked = {one.name: one for one in questions}
    stream = sx.Accumulator({name: one.metric for name, one in asked.items()}, labels=rows.classes)
    given = responses(rows, questions)
    renamed = {"y_score" if name == "y_proba" else name: own for name, own in given.items()}
    order = np.random.default_rng(len(rows)).permutation(len(rows))
    for part in np.array_split(order, [3, 10, 57]):
        weight = None if rows.weight is None else rows.weight[part]
        batch = {name: own[part] for name, own in renamed.items()}
        stream.update(rows.y_true[part], sample_weight=weight, **batch)
    table = stream.evaluation(intervals=True)
    return [(asked[row.metric], said_of_row(row)) for row in table]


# --------------------------------------------------------------------------- the command line


def scored(rows, questions, further=("--resamples", str(CLI_RESAMPLES))):
    """Rows of ``score``, by all metrics that fit."""
    asked = {one.name: one for one in questions}
    columns = {"true": rows.y_true, "pred": rows.y_pred()}
    roles = ["--true", "true", "--pred", "pred"]
    proba = rows.probabilities(rows.classes[-1])
    if proba.ndim == 1:
        columns["risk"] = proba
        roles += ["--score", "risk"]
    else:
        names = [f"of_{label}" for label in rows.classes]
        columns |= dict(zip(names, proba.T, strict=True))
        roles += [part for name in names for part in ("--score", name)]
    for role, column in (("weight", rows.weight), ("groups", rows.group)):
        if column is not None:
            columns[role] = column
            roles += [f"--{role}", role]
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.csv"
        pd.DataFrame(columns).to_csv(path, index=False)
        arguments = [str(path), *roles, "--json", "--all", "--quiet", *further]
        with contextlib.redirect_stdout(printed):
            assert main(["score", *arguments]) == 0
    for row in json.loads(printed.getvalue())["rows"]:
        if row["metric"] in asked:
            yield asked[row["metric"]], said_of_row(row)


# --------------------------------------------------------------------------- curves


def is_area(question):
    """The area that the legend of a ROC curve shows."""
    return question.name in ("roc_auc", "roc_auc_ovr", "roc_auc_ovr_weighted")


def drawn(rows, questions):
    """The intervals behind the legend of the display of ROC curves."""
    curves = {"roc_auc": rows.classes[-1], "roc_auc_ovr": "macro"}
    groups = {} if rows.group is None else {"groups": rows.group}
    proba = rows.probabilities(rows.classes[-1])
    axes = Figure().subplots()
    display = sx.RocCurvesDisplay.from_predictions(
        rows.y_true, proba, sample_weight=rows.weight, ax=axes, **groups
    )
    found = {line.curve: line.interval for line in display.lines}
    for question in questions:
        interval = found.get(curves.get(question.name))
        if interval is not None and (question.name == "roc_auc") == rows.is_binary:
            yield question, of_estimate(interval)


# --------------------------------------------------------------------------- the rates of classes

OF_REPORT = {
    "precision": "precision",
    "recall": "recall",
    "f1-score": "f1",
    "specificity": "specificity",
    "npv": "negative_predictive_value",
}


def is_rate(question):
    """A rate of `classification_report`, without an average."""
    return question.name in OF_REPORT.values()


def tabulated(rows, questions):
    """Rates of each class: rows of two classes are asked about each of them as the positive one."""
    groups = {} if rows.group is None else {"groups": rows.group}
    table = sx.classification_report(
        rows.y_true,
        rows.y_pred(),
        sample_weight=rows.weight,
        extra=["specificity", "npv"],
        output_dict=True,
        confidence_level=0.95,
        **groups,
    )
    names = {metric: column for column, metric in OF_REPORT.items()}
    for question in questions:
        column = names[question.name]
        for label in rows.classes:
            cells = table[str(label)]
            low, high = (cells[f"{column}_{end}"] for end in ("low", "high"))
            said = Said(low, high, None, bool(cells.get(f"{column}_note")))
            yield of_class(question, label), said


# --------------------------------------------------------------------------- all of them

OF_TABLES = ("plain", "weights", "whole weights", "groups", "groups and weights")
OF_SUMS = ("plain", "weights", "whole weights")
_SUMS = {"n_resamples": DEFAULT_RESAMPLES, "may_refuse": is_beyond_sums, "takes": one_column}


def evaluate_way(engine, by=None):
    """From sums, without resampling."""
    return Way(partial(evaluated, engine=engine, by=by), OF_TABLES, **_SUMS)


def resampling_way(engine, by=None):
    """From the rows, which resampling needs."""
    ask = partial(evaluated, engine=engine, by=by, n_resamples=N_RESAMPLES)
    return Way(ask, OF_TABLES, takes=one_column)


WAYS = {
    "panel": Way(paneled, takes=has_scorer),
    "pooled report": Way(pooled, OF_TABLES, DEFAULT_RESAMPLES, is_ranked, has_scorer),
    "compute_metrics by group": Way(computed_by, OF_TABLES, DEFAULT_RESAMPLES, takes=one_column),
    "evaluate groups in memory": evaluate_way("memory", by="half"),
    "evaluate by DuckDB": evaluate_way("duckdb"),
    "evaluate(n_resamples=) in memory": resampling_way("memory"),
    "evaluate(n_resamples=) groups by DuckDB": resampling_way("duckdb", by="half"),
    "Accumulator": Way(accumulated, OF_SUMS, **_SUMS),
    "score": Way(scored, OF_TABLES, CLI_RESAMPLES, takes=one_column, selects=True),
    "score --stream": Way(partial(scored, further=["--stream"]), OF_SUMS, **_SUMS, selects=True),
    "classification_report": Way(tabulated, OF_TABLES, may_refuse=always, takes=is_rate),
    "legend of ROC curves": Way(drawn, OF_TABLES, takes=is_area, selects=True),
}
