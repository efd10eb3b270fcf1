"""``cv``: models on a data set."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

from skmetrics_ext.cli.scoring_file import chosen_positive, without_positive
from skmetrics_ext.cli.words import new_file, say, tell, whole_number
from skmetrics_ext.datasets import BUNDLED, Dataset, load
from skmetrics_ext.models import MODELS, make_model
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
    cv.add_argument(
        "--data",
        default="breast_cancer",
        metavar="DATA",
        help=f"{', '.join(BUNDLED)}, or a .csv or .parquet file (default: breast_cancer)",
    )
    cv.add_argument(
        "--target", metavar="COLUMN", help="column of the classes, for a file (default: target)"
    )
    cv.add_argument(
        "--models",
        nargs="+",
        default=["logistic", "forest"],
        metavar="MODEL",
        help=f"of {', '.join(MODELS)} (default: logistic forest)",
    )
    cv.add_argument(
        "--scoring",
        nargs="+",
        metavar="NAME",
        help="names of metrics, as `metrics` lists them (default: six that fit the target)",
    )
    cv.add_argument(
        "--positive", metavar="CLASS", help="the positive class of two, for metrics of one class"
    )
    cv.add_argument("--folds", type=whole_number(2), default=5, metavar="N", help="default: 5")
    cv.add_argument(
        "--repeats",
        type=whole_number(1),
        default=1,
        metavar="N",
        help="times that the folds are made anew (default: 1)",
    )
    cv.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of folds and models (default: 0)"
    )
    cv.add_argument(
        "--baseline", choices=_BASELINES, default="prior", help="dummy model (default: prior)"
    )
    cv.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="parallel jobs; -1 is all (default: 1)"
    )
    cv.add_argument(
        "--html",
        type=new_file,
        metavar="OUT",
        help="write one page with tables and pictures to this file",
    )
    cv.add_argument("--json", action="store_true", help="print JSON instead of the table")
    cv.add_argument("--quiet", action="store_true", help="show no progress")


def _names(given: Sequence[str]) -> list[str]:
    """Names, separated by spaces or commas, each once."""
    return list(dict.fromkeys(name for text in given for name in text.split(",") if name))


def _cv(options: argparse.Namespace) -> int:
    scoring = _names(options.scoring) if options.scoring else None
    for name in scoring or ():  # before the data is read, which may take long
        get_scorer(name)
    data = load(options.data, options.target)
    models = {name: make_model(name, data, options.seed) for name in _names(options.models)}
    _tell_preparation(data)
    classes = np.unique(data.y).tolist()
    if scoring is None:
        say(without_positive(classes, options.positive, False))
    report = cross_validation_report(
        models,
        data.X,
        data.y,
        scoring=scoring,
        cv=_splitter(options),
        baseline=None if options.baseline == "none" else options.baseline,
        pos_label=chosen_positive(classes, options.positive),
        n_jobs=options.jobs,
        random_state=options.seed,
        progress=not options.quiet,
    )
    tell(report.to_json() if options.json else str(report))
    if options.html:
        report.to_html(options.html)
    return 0


def _splitter(options: argparse.Namespace) -> Any:
    if options.repeats == 1:
        return options.folds
    from sklearn.model_selection import RepeatedStratifiedKFold

    return RepeatedStratifiedKFold(
        n_splits=options.folds, n_repeats=options.repeats, random_state=options.seed
    )


def _tell_preparation(data: Dataset) -> None:
    told = []
    if data.categorical:
        told.append(f"one-hot encoded: {', '.join(data.categorical)}")
    if data.incomplete:
        told.append(
            "missing values filled with the median of the training folds, or taken as a "
            f"category: {', '.join(data.incomplete)}"
        )
    if told:
        say("; ".join(told))
