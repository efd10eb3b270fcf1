"""``search``: the honest score of a search over parameters."""

from __future__ import annotations

import argparse
import ast
from typing import Any

import numpy as np

from skmetrics_ext.cli.scoring_file import chosen_positive
from skmetrics_ext.cli.tables import MODELS_HELP, add_data, load_data, models_of
from skmetrics_ext.cli.words import json_of, new_file, tell, whole_number
from skmetrics_ext.registry.headline import CHOICE
from skmetrics_ext.report.search.search_report import search_report
from skmetrics_ext.scoring import ScorerPanel, get_scorer
from skmetrics_ext.scoring.scorer import metric_of
from skmetrics_ext.validation.errors import near

Grids = dict[str, dict[str, list[Any]]]


def add_search(commands: argparse._SubParsersAction[Any]) -> None:
    """The command and its options."""
    own = commands.add_parser(
        "search",
        help="what the best score of a search should have been",
        description="Cross-validate every candidate of a grid, and correct the score of the best "
        "for its having been chosen.",
    )
    own.set_defaults(run=_search)
    add_data(own)
    own.add_argument("--model", nargs="+", default=["logistic"], metavar="MODEL", help=MODELS_HELP)
    own.add_argument(
        "--grid",
        nargs="+",
        action="extend",
        default=[],
        metavar="PARAM=V,V,...",
        help="values of a parameter of the model, such as C=0.1,1,10; of several models "
        "MODEL.PARAM=V,V,...",
    )
    own.add_argument(
        "--scoring", default=CHOICE, metavar="NAME", help=f"what chooses (default: {CHOICE})"
    )
    own.add_argument(
        "--outer",
        type=whole_number(2),
        metavar="N",
        help="folds of a nested cross-validation beside, which runs the search on each",
    )
    own.add_argument("--html", type=new_file, metavar="OUT", help="write one page to this file")
    own.add_argument("--json", action="store_true", help="print JSON instead of the table")
    own.add_argument("--quiet", action="store_true", help="show no progress")


def _search(options: argparse.Namespace) -> int:
    get_scorer(options.scoring)  # before the data is read, which may take long
    data = load_data(options)
    models = models_of(options, options.model, data)
    grids = _grids(options.grid, models)
    classes = np.unique(data.y).tolist()
    chosen = chosen_positive(classes, options.positive)
    scoring = ScorerPanel([options.scoring], pos_label=chosen).scorers
    metric = metric_of(scoring[options.scoring])
    if metric is not None and len(classes) == 2 and metric.sides == "one":
        metric.positive(classes, chosen)  # it asks for the class before anything is fitted
    common: dict[str, Any] = {
        "groups": data.groups,
        "params": None if data.weight is None else {"sample_weight": data.weight},
        "random_state": options.seed,
        "n_jobs": options.jobs,
        "progress": not options.quiet,
    }
    cv = _folds(options.folds, options.seed, data.groups)
    if options.outer is None:
        candidates = _candidates(models, grids)
        report = search_report(candidates, data.X, data.y, cv=cv, scoring=scoring, **common)
    else:
        search = _one_search(models, grids, scoring, cv, data.weight)
        outer = _folds(options.outer, options.seed + 1, data.groups)
        report = search_report(search, data.X, data.y, outer=outer, **common)
    if options.html:  # before what is printed, whose reader may stop, as `head` does
        report.to_html(options.html)
    if options.json:
        keys = ("metric", "naive", "n_rows", "n_folds", "splitter", "confidence_level", "notes")
        told = {key: getattr(report, key) for key in keys} | {"rows": list(report.rows)}
        estimates = {"best": report.best, "nested": report.nested}
        ends = ("value", "low", "high", "standard_error", "method", "note")
        told |= {
            name: None if one is None else {key: getattr(one, key) for key in ends}
            for name, one in estimates.items()
        }
        tell(json_of(told))
    else:
        tell(str(report))
    return 0


def _folds(n_folds: int, seed: int, groups: Any) -> Any:
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    kind: Any = StratifiedKFold if groups is None else StratifiedGroupKFold
    return kind(n_folds, shuffle=True, random_state=seed)


def _grids(given: list[str], models: dict[str, Any]) -> Grids:
    """Values by model and by the name of the parameter in it."""
    grids: Grids = {name: {} for name in models}
    for text in given:
        told, equals, listed = text.partition("=")
        name, dot, param = told.rpartition(".")
        if not (equals and param and listed):
            raise ValueError(f"--grid must be PARAM=VALUE,VALUE,..., got {text!r}.")
        if not dot:
            if len(models) > 1:
                raise ValueError(
                    f"--grid {text!r} must say of which model: "
                    f"{' or '.join(f'{model}.{text}' for model in models)}."
                )
            name = next(iter(models))
        if name not in models:
            raise ValueError(f"--grid {text!r} names no model of {', '.join(models)}.")
        grids[name][_in_model(models[name], param, name)] = [_value(v) for v in listed.split(",")]
    return grids


def _in_model(model: Any, param: str, name: str) -> str:
    """The name of a parameter: of the last step of a pipeline, where that has it."""
    steps = getattr(model, "steps", None)
    own = steps[-1][1] if steps else model
    if param in own.get_params():
        return f"{steps[-1][0]}__{param}" if steps else param
    if param in model.get_params():
        return param
    known = own.get_params(deep=False)
    raise ValueError(
        f"{name} has no parameter {param!r}.{near(param, known)} Parameters: {', '.join(known)}."
    )


def _value(text: str) -> Any:
    """A number, True, False or None; else text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _candidates(models: dict[str, Any], grids: Grids) -> dict[str, Any]:
    from sklearn.base import clone
    from sklearn.model_selection import ParameterGrid

    found = {}
    for name, model in models.items():
        for params in ParameterGrid(grids[name]):
            told = ", ".join(f"{key.rpartition('__')[2]}={params[key]}" for key in grids[name])
            whose = f"{name} ({told})" if len(models) > 1 and told else told or name
            found[whose] = clone(model).set_params(**params)
    return found


def _one_search(
    models: dict[str, Any], grids: Grids, scoring: dict[str, Any], cv: Any, weight: Any
) -> Any:
    from sklearn.model_selection import GridSearchCV

    if len(models) > 1 or weight is not None:
        raise ValueError("--outer is of one model, and without --weight.")
    ((name, model),) = models.items()
    (metric,) = scoring
    return GridSearchCV(model, grids[name], scoring=scoring, refit=metric, cv=cv)
