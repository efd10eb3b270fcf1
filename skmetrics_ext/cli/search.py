"""``search``: the score of the best of many candidates, corrected for the choice."""

from __future__ import annotations

import argparse
import ast
from dataclasses import replace
from functools import partial
from typing import Any

from skmetrics_ext import ScorerPanel, search_report
from skmetrics_ext.cli.cv import load_data_and_models, scorer_name
from skmetrics_ext.cli.messages import log, show, whole_number
from skmetrics_ext.cli.options import MODELLING, add_command
from skmetrics_ext.registry import find
from skmetrics_ext.registry.defaults import CHOICE
from skmetrics_ext.report.cross_validation import make_splitter
from skmetrics_ext.validation.errors import near

Grids = dict[str, dict[str, list[Any]]]
_FIGURES = ("metric", "naive", "n_rows", "n_folds", "splitter", "confidence_level", "notes")
_ENDS = ("value", "low", "high", "standard_error", "method", "note")


def add_search(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "search",
        _search,
        "score of the best of many candidates, corrected for the choice",
        (
            "customers.csv --target churn --models logistic --grid C=0.01,0.1,1 --metrics roc_auc",
            "customers.csv --target churn --models logistic tree "
            "--grid logistic.C=0.1,1 tree.max_depth=2,4,None",
        ),
        (*MODELLING, "metric"),
        models=["logistic"],
        metric=CHOICE,
    )
    command.add_argument(
        "--grid",
        nargs="+",
        action="extend",
        default=[],
        metavar="PARAM=V,V,...",
        help="values of a parameter, such as C=0.1,1,10; with several models MODEL.PARAM=V,V,...",
    )
    nested = "also run the search within N outer folds (nested cross-validation)"
    command.add_argument("--outer", type=whole_number(2), metavar="N", help=nested)


def _search(options: argparse.Namespace) -> int:
    metric = scorer_name(options.metric)  # before the data are read
    data, models, classes, positive = load_data_and_models(options)
    grids = _grids(options.grid, models)
    scoring = ScorerPanel([metric], pos_label=positive).scorers
    if len(classes) == 2 and find(metric).sides == "one":
        find(metric).positive(classes, positive)  # asks for the class before anything is fitted
    common: dict[str, Any] = {
        "groups": data.groups,
        "params": None if data.weight is None else {"sample_weight": data.weight},
        "confidence_level": options.confidence,
        "random_state": options.seed,
        "n_jobs": options.jobs,
        "progress": not options.quiet,
    }
    folds = partial(make_splitter, y=data.y, task="multiclass", groups=data.groups)
    cv = folds(options.folds, random_state=options.seed)
    candidates = _candidates(models, grids)
    if not options.grid:
        choice = "the best of them is chosen" if len(models) > 1 else "nothing is chosen"
        log(f"no --grid: {', '.join(models)} without other parameters, and {choice}")
    if options.outer is None:
        report = search_report(candidates, data.X, data.y, cv=cv, scoring=scoring, **common)
    else:
        search = _one_search(models, grids, scoring, cv, data.weight)
        outer = folds(options.outer, random_state=options.seed + 1)
        report = search_report(search, data.X, data.y, outer=outer, **common)
    report = replace(report, notes=(*data.warnings, *report.notes))
    figures = {key: getattr(report, key) for key in _FIGURES} | {"rows": list(report.rows)}
    for name, estimate in (("best", report.best), ("nested", report.nested)):
        figures[name] = estimate and {key: getattr(estimate, key) for key in _ENDS}
    return show(options, figures, str(report), report.to_html)


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
    """The full name of a parameter: of the last step of a pipeline if that has it."""
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
