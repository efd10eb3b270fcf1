"""``cv``: cross-validation of models on a data set; what `search` shares with it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from skmetrics_ext import cross_validation_report, get_scorer, get_scorer_names
from skmetrics_ext.cli.messages import log, names_in, new_file, print_lines, whole_number
from skmetrics_ext.cli.models import make_models
from skmetrics_ext.cli.options import (
    MODELLING,
    OUTPUT,
    add_command,
    add_data,
    add_options,
    form_of,
)
from skmetrics_ext.cli.predictions import chosen_positive, note_no_positive_class
from skmetrics_ext.datasets import Dataset, Use, load

_BASELINES = ("prior", "most_frequent", "stratified", "uniform", "none")
_LONG_TO_READ = 1 << 25  # bytes


def add_cv(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "cv",
        _cv,
        summary="cross-validate models on a data set",
        description="Cross-validate models on the same folds: mean and spread of each metric.",
        examples=(
            "customers.csv --target churn --positive left --html report.html",
            "patients.csv --target ill --groups patient --models logistic forest "
            "--metrics roc_auc log_loss",
        ),
    )
    add_data(command)
    add_options(command, *MODELLING, models=["logistic", "forest"])
    add_options(command, "by", "metrics", "confidence", *OUTPUT)
    command.add_argument(
        "--repeats",
        type=whole_number(1),
        default=1,
        metavar="N",
        help="repeat the folds with other splits (default: 1)",
    )
    command.add_argument(
        "--baseline", choices=_BASELINES, default="prior", help="dummy model (default: prior)"
    )
    command.add_argument(
        "--save",
        type=new_file,
        metavar="OUT",
        help="keep the report for CrossValidationReport.load",
    )


def _cv(options: argparse.Namespace) -> int:
    asked = names_in(options.metrics) if options.metrics else None
    scoring = None if asked is None else [scorer_name(name) for name in asked]
    data = load_data(options, options.by)
    models = make_models(names_in(options.models), data, options.seed, trusted=options.trust)
    classes = np.unique(data.y).tolist()
    positive = chosen_positive(classes, options.positive)
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
        n_jobs=options.jobs,
        random_state=options.seed,
        progress=not options.quiet,
    )
    report = replace(report, data_warnings=data.warnings)
    if options.save:  # before printing: the reader of stdout may stop early, as `head` does
        report.save(options.save)
    if options.html:
        report.to_html(options.html)
    text = report.to_json() if options.json else str(report)
    print_lines(text.replace("pass pos_label= for", "pass --positive for"))
    return 0


def _splitter(options: argparse.Namespace, data: Dataset) -> Any:
    if options.repeats == 1:
        return options.folds
    from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedGroupKFold

    if data.groups is None:
        return RepeatedStratifiedKFold(
            n_splits=options.folds, n_repeats=options.repeats, random_state=options.seed
        )
    return [
        fold
        for repeat in range(options.repeats)
        for fold in StratifiedGroupKFold(
            options.folds, shuffle=True, random_state=options.seed + repeat
        ).split(data.X, data.y, data.groups)
    ]


def scorer_name(name: str) -> str:
    """The name of a scorer, checked; ``log_loss`` is ``neg_log_loss``, as in other commands."""
    name = f"neg_{name}" if f"neg_{name}" in get_scorer_names() else name
    get_scorer(name)
    return name


def load_data(options: argparse.Namespace, by: Sequence[str] = ()) -> Dataset:
    """The data set of the options, with lines about what was done to its columns."""
    size = Path(options.file).stat().st_size if Path(options.file).is_file() else 0
    if size > _LONG_TO_READ and not options.quiet:
        log(f"reading {options.file}: {size / (1 << 20):,.0f} MiB")
    use = Use(
        options.target,
        options.features,
        tuple(options.drop),
        options.groups,
        options.weight,
        tuple(by),
        options.drop_missing,
        form_of(options),
    )
    data = load(options.file, use)
    log(*data.notes, *data.warnings)
    return data
