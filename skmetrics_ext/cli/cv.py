"""``cv`` and ``search``: models fitted on a data set, and compared or tuned."""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import skmetrics_ext as sx
from skmetrics_ext.cli.messages import log, names_in, show
from skmetrics_ext.cli.models import make_models
from skmetrics_ext.cli.options import DATASET, MODELLING, Command, form_of
from skmetrics_ext.cli.predictions import note_no_positive_class, parse_positive, required_metrics
from skmetrics_ext.datasets import Dataset, Use, load
from skmetrics_ext.registry import scorers
from skmetrics_ext.registry.defaults import CHOICE
from skmetrics_ext.registry.find import registered_name
from skmetrics_ext.report.cross_validation import make_splitter
from skmetrics_ext.validation.errors import near


def _cv(options: argparse.Namespace) -> int:
    scoring = [scorer_name(name) for name in names_in(options.metrics)] or None
    required_metrics(options)  # rejects unreadable ones before models are fitted
    data, models, classes, positive = load_data_and_models(options)
    if scoring is None:
        log(note_no_positive_class(classes, positive))
    report = sx.cross_validation_report(
        models,
        data.X,
        data.y,
        scoring=scoring,
        cv=_splitter(options, data),
        by=data.by or None,
        baseline=None if options.baseline == "none" else options.baseline,
        pos_label=positive,
        interval=options.interval,
        **_common(options, data),
    )
    log(*report.data_warnings)
    report = replace(report, data_warnings=(*data.warnings, *report.data_warnings))
    if options.save:  # before printing: the reader of stdout may stop early, as `head` does
        report.save(options.save)
    figures = json.loads(str(report.to_json())) if options.json else {}
    page, former = partial(report.to_html, source=source_of(options)), partial(_former, figures)
    return show(
        *(options, figures, report.__str__, lambda met: page(requirements=met)),
        *(report.require, former),
    )


def _former(figures: Mapping[str, Any]) -> dict[str, Any]:
    """A report under the keys of version 0.2."""
    notes = {"summary": "interval_note"} | dict.fromkeys(("folds", "pooled", "compare"), "reason")
    pairs = {"model": "model_a", "against": "model_b", "value": "difference"}
    pairs |= {"p_adjusted": "p_holm"}
    known = dict(figures)
    for name, of_note in notes.items():
        named = {"note": of_note} | (pairs if name == "compare" else {})
        known[name] = [
            {named.get(key, key): None if key == "note" and not cell else cell
             for key, cell in row.items()}
            for row in figures[name]
        ]  # fmt: skip
    return {**known, "schema_version": 1}


def source_of(options: argparse.Namespace) -> str:
    """File and target, for the footer of a page."""
    return f"{Path(options.file).name}, target {options.target}"


def _splitter(options: argparse.Namespace, data: Dataset) -> Any:
    from sklearn.model_selection import RepeatedStratifiedKFold

    n, n_repeats, seed = options.folds, options.repeats, options.seed
    if n_repeats == 1:
        return n
    if data.groups is None:
        return RepeatedStratifiedKFold(n_splits=n, n_repeats=n_repeats, random_state=seed)
    splitters = (
        make_splitter(n, data.y, "multiclass", data.groups, seed + k) for k in range(n_repeats)
    )
    return [fold for splitter in splitters for fold in splitter.split(data.X, data.y, data.groups)]


def scorer_name(name: str) -> str:
    """The checked name of a scorer; ``log_loss`` means ``neg_log_loss``, as in other commands."""
    name = registered_name(name)
    name = f"neg_{name}" if f"neg_{name}" in scorers() else name
    sx.get_scorer(name)
    return name


def load_data_and_models(
    options: argparse.Namespace,
) -> tuple[Dataset, dict[str, Any], list[Any], Any]:
    """Read the data set; return it, the models, the classes and the positive class of two.

    Notes and warnings about the columns go to stderr.
    """
    roles = options.target, options.features or None, tuple(options.drop), options.groups
    use = Use(*roles, options.weight, tuple(options.by), options.drop_missing, form_of(options))
    data = load(options.file, use)
    log(*data.notes, *data.warnings)
    models = make_models(names_in(options.models), data, options.seed, trusted=options.trust)
    classes = np.unique(data.y).tolist()
    return data, models, classes, parse_positive(classes, options.positive)


def _common(options: argparse.Namespace, data: Dataset) -> dict[str, Any]:
    """Arguments that reports of models and of searches share."""
    return {
        "groups": data.groups,
        "params": None if data.weight is None else {"sample_weight": data.weight},
        "confidence_level": options.confidence,
        "random_state": options.seed,
        "n_jobs": options.jobs,
        "progress": not options.quiet,
    }


CV = Command(
    "cv",
    "cross-validate models on a data set: mean and spread of each metric over the same folds",
    (
        "customers.csv --target churn --positive left --html report.html",
        "patients.csv --target ill --groups patient --models logistic forest "
        "--metrics roc_auc log_loss",
    ),
    (*MODELLING, "by", "metrics", "require", "repeats", "baseline", "interval", "save"),
    _cv,
    {"file": DATASET, "models": ["logistic", "forest"]},
)


# --------------------------------------------------------------------------- search

Grids = dict[str, dict[str, list[Any]]]
_FIGURES = ("metric", "naive", "n_rows", "n_folds", "splitter", "confidence_level", "notes")
_ENDS = ("value", "low", "high", "standard_error", "method", "note")


def _search(options: argparse.Namespace) -> int:
    metric = scorer_name(options.metric)  # before the data are read
    data, models, _, positive = load_data_and_models(options)
    grids = _grids(options.grid, models)
    scoring = sx.ScorerPanel([metric], pos_label=positive).scorers
    common = _common(options, data)
    folds = partial(make_splitter, y=data.y, task="multiclass", groups=data.groups)
    cv = folds(options.folds, random_state=options.seed)
    candidates = _candidates(models, grids)
    if not options.grid:
        choice = "the best of them is chosen" if len(models) > 1 else "nothing is chosen"
        log(f"no --grid: {', '.join(models)} without other parameters, and {choice}")
    if options.outer is None:
        report = sx.search_report(candidates, data.X, data.y, cv=cv, scoring=scoring, **common)
    else:
        search = _one_search(models, grids, scoring, cv, data.weight)
        outer = folds(options.outer, random_state=options.seed + 1)
        report = sx.search_report(search, data.X, data.y, outer=outer, **common)
    report = replace(report, notes=(*data.warnings, *report.notes))
    figures = {key: getattr(report, key) for key in _FIGURES} | {"rows": list(report.rows)}
    for name, estimate in (("best", report.best), ("nested", report.nested)):
        figures[name] = estimate and {key: getattr(estimate, key) for key in _ENDS}
    page = partial(report.to_html, source=source_of(options))
    return show(options, figures, report.__str__, lambda _: page())


def _grids(texts: list[str], models: dict[str, Any]) -> Grids:
    """Values by model and parameter."""
    grids: Grids = {name: {} for name in models}
    for text in texts:
        left, equals, listed = text.partition("=")
        name, dot, param = left.rpartition(".")
        if not (equals and param and listed):
            raise ValueError(f"--grid must be PARAM=VALUE,VALUE,..., got {text!r}.")
        if not dot:
            if len(models) > 1:
                full = " or ".join(f"{model}.{text}" for model in models)
                raise ValueError(f"--grid {text!r} must name a model: {full}.")
            name = next(iter(models))
        if name not in models:
            raise ValueError(f"--grid {text!r} names no model of {', '.join(models)}.")
        grids[name][_in_model(models[name], param, name)] = [_value(v) for v in listed.split(",")]
    return grids


def _in_model(model: Any, param: str, name: str) -> str:
    """Full name of a parameter, of a pipeline's last step if that has it."""
    steps = getattr(model, "steps", None)
    last = steps[-1][1] if steps else model
    if param in last.get_params():
        return f"{steps[-1][0]}__{param}" if steps else param
    if param in model.get_params():
        return param
    known = last.get_params(deep=False)
    hint = f"{near(param, known)} Parameters: {', '.join(known)}."
    raise ValueError(f"{name} has no parameter {param!r}.{hint}")


def _value(text: str) -> Any:
    """A number, True, False, None, or text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _candidates(models: dict[str, Any], grids: Grids) -> dict[str, Any]:
    from sklearn.base import clone
    from sklearn.model_selection import ParameterGrid

    candidates = {}
    for name, model in models.items():
        for params in ParameterGrid(grids[name]):
            values = ", ".join(f"{key.rpartition('__')[2]}={params[key]}" for key in grids[name])
            label = f"{name} ({values})" if len(models) > 1 and values else values or name
            candidates[label] = clone(model).set_params(**params)
    return candidates


def _one_search(
    models: dict[str, Any], grids: Grids, scoring: dict[str, Any], cv: Any, weight: Any
) -> Any:
    from sklearn.model_selection import GridSearchCV

    if len(models) > 1 or weight is not None:
        raise ValueError("--outer is for one model without --weight.")
    ((name, model),) = models.items()
    (metric,) = scoring
    return GridSearchCV(model, grids[name], scoring=scoring, refit=metric, cv=cv)


SEARCH = Command(
    "search",
    "score of the best of many candidates, corrected for selection",
    (
        "customers.csv --target churn --models logistic --grid C=0.01,0.1,1 --metrics roc_auc",
        "customers.csv --target churn --models logistic tree "
        "--grid logistic.C=0.1,1 tree.max_depth=2,4,None",
    ),
    (*MODELLING, "metric", "grid", "outer"),
    _search,
    {"file": DATASET, "models": ["logistic"], "metric": CHOICE},
)
