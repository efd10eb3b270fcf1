"""``cv``: cross-validation of models on a data set; what `search` shares with it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from skmetrics_ext import cross_validation_report, get_scorer, get_scorer_names
from skmetrics_ext.cli.messages import log, names_in, new_file, show, whole_number
from skmetrics_ext.cli.models import make_models
from skmetrics_ext.cli.options import MODELLING, add_command, form_of
from skmetrics_ext.cli.predictions import chosen_positive, note_no_positive_class
from skmetrics_ext.datasets import Dataset, Use, load
from skmetrics_ext.report.cross_validation import make_splitter
from skmetrics_ext.report.summary import INTERVAL_KINDS
from skmetrics_ext.requirements import Requirement

_BASELINES = ("prior", "most_frequent", "stratified", "uniform", "none")


def add_cv(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "cv",
        _cv,
        "cross-validate models on a data set: mean and spread of each metric over the same folds",
        (
            "customers.csv --target churn --positive left --html report.html",
            "patients.csv --target ill --groups patient --models logistic forest "
            "--metrics roc_auc log_loss",
        ),
        (*MODELLING, "by", "metrics", "require"),
        models=["logistic", "forest"],
    )
    repeats = "repeat the folds with other splits (default: 1)"
    saved = "keep the report for CrossValidationReport.load"
    dummy = "dummy model (default: prior)"
    command.add_argument("--repeats", type=whole_number(1), default=1, metavar="N", help=repeats)
    command.add_argument("--baseline", choices=_BASELINES, default="prior", help=dummy)
    kinds = "what intervals describe: the fitted models, or others (default: auto)"
    command.add_argument("--interval", choices=INTERVAL_KINDS, default="auto", help=kinds)
    command.add_argument("--save", type=new_file, metavar="OUT", help=saved)


def _cv(options: argparse.Namespace) -> int:
    names = names_in(options.metrics) if options.metrics else None
    for text in options.require:  # before models are fitted
        Requirement.parse(text)
    scoring = None if names is None else [scorer_name(name) for name in names]
    data, models, classes, positive = load_data_and_models(options, options.by)
    if scoring is None:
        log(note_no_positive_class(classes, positive))
    report = cross_validation_report(
        models,
        data.X,
        data.y,
        scoring=scoring,
        cv=_splitter(options, data),
        groups=data.groups,
        by=data.by or None,
        baseline=None if options.baseline == "none" else options.baseline,
        pos_label=positive,
        sample_weight=data.weight,
        confidence_level=options.confidence,
        interval=options.interval,
        n_jobs=options.jobs,
        random_state=options.seed,
        progress=not options.quiet,
    )
    report = replace(report, data_warnings=data.warnings)
    if options.save:  # before printing: the reader of stdout may stop early, as `head` does
        report.save(options.save)
    verdicts = report.require(options.require) if options.require else None
    text = str(report).replace("pass pos_label= for", "pass --positive for")
    figures = json.loads(str(report.to_json())) if options.json else None
    return show(options, figures, text, report.to_html, verdicts)


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
    """The name of a scorer, checked; ``log_loss`` is ``neg_log_loss``, as in other commands."""
    name = f"neg_{name}" if f"neg_{name}" in get_scorer_names() else name
    get_scorer(name)
    return name


def load_data_and_models(
    options: argparse.Namespace, by: Sequence[str] = ()
) -> tuple[Dataset, dict[str, Any], list[Any], Any]:
    """The data set, the models, the classes and the positive one of two.

    Lines on stderr tell what was done to the columns.
    """
    roles = options.target, options.features or None, tuple(options.drop), options.groups
    use = Use(*roles, options.weight, tuple(by), options.drop_missing, form_of(options))
    data = load(options.file, use)
    log(*data.notes, *data.warnings)
    models = make_models(names_in(options.models), data, options.seed, trusted=options.trust)
    classes = np.unique(data.y).tolist()
    return data, models, classes, chosen_positive(classes, options.positive)
