"""``cv``: models on a data set."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from skmetrics_ext.cli.scoring_file import chosen_positive, without_positive
from skmetrics_ext.cli.tables import MODELS_HELP, add_data, load_data, models_of, names_in
from skmetrics_ext.cli.words import new_file, say, tell, whole_number
from skmetrics_ext.datasets import Dataset
from skmetrics_ext.report import cross_validation_report
from skmetrics_ext.scoring import get_scorer

_BASELINES = ("prior", "most_frequent", "stratified", "uniform", "none")


def add_cv(commands: argparse._SubParsersAction[Any]) -> None:
    """The command and its options."""
    cv = commands.add_parser(
        "cv",
        help="cross-validate models on a data set",
        description="Cross-validate models on the same folds and print mean and spread.",
    )
    cv.set_defaults(run=_cv)
    add_data(cv)
    cv.add_argument(
        "--models",
        nargs="+",
        default=["logistic", "forest"],
        metavar="MODEL",
        help=f"{MODELS_HELP} (default: logistic forest)",
    )
    cv.add_argument(
        "--scoring",
        nargs="+",
        metavar="NAME",
        help="names of metrics, as `metrics` lists them (default: five that fit the target)",
    )
    cv.add_argument(
        "--by", nargs="+", default=[], metavar="COLUMN", help="show values of each group as well"
    )
    cv.add_argument(
        "--repeats",
        type=whole_number(1),
        default=1,
        metavar="N",
        help="times that the folds are made anew (default: 1)",
    )
    cv.add_argument(
        "--baseline", choices=_BASELINES, default="prior", help="dummy model (default: prior)"
    )
    cv.add_argument(
        "--html",
        type=new_file,
        metavar="OUT",
        help="write one page with tables and pictures to this file",
    )
    cv.add_argument(
        "--save",
        type=new_file,
        metavar="OUT",
        help="write the report to this file, for CrossValidationReport.load",
    )
    cv.add_argument("--json", action="store_true", help="print JSON instead of the table")
    cv.add_argument("--quiet", action="store_true", help="show no progress")


def _cv(options: argparse.Namespace) -> int:
    scoring = names_in(options.scoring) if options.scoring else None
    for name in scoring or ():  # before the data is read, which may take long
        get_scorer(name)
    data = load_data(options, options.by)
    models = models_of(options, options.models, data)
    classes = np.unique(data.y).tolist()
    positive = chosen_positive(classes, options.positive)
    if scoring is None:
        say(without_positive(classes, options.positive, False))
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
        n_jobs=options.jobs,
        random_state=options.seed,
        progress=not options.quiet,
    )
    if options.save:  # files first: what is printed may go to a reader that stops, such as `head`
        report.save(options.save)
    if options.html:
        report.to_html(options.html)
    shown = report.to_json() if options.json else str(report)
    tell(shown.replace("pass pos_label= for", "pass --positive for"))
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
