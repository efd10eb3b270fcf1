"""Options that commands share: one name, one meaning and one help text each."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from skmetrics_ext.backends.csv_files import TextForm
from skmetrics_ext.cli.messages import encoding, level, new_file, one_character, whole_number
from skmetrics_ext.cli.models import MODELS
from skmetrics_ext.datasets import BUNDLED

RESAMPLES = 1000
MOST_RESAMPLED = 20_000  # rows of a file that `score` resamples without being asked to

_FORMATS = "a .csv, .tsv (also .gz) or .parquet file with a header"


def _option(help: str, *flags: str, **settings: Any) -> dict[str, Any]:
    """Arguments for argparse. Of several flags the first is shown; the others still work."""
    return {"help": help, "flags": flags, **settings}


def _flag(help: str) -> dict[str, Any]:
    return _option(help, action="store_true")


def _column(help: str, *flags: str, **settings: Any) -> dict[str, Any]:
    return _option(help, *flags, metavar="COLUMN", **settings)


OPTIONS: Mapping[str, dict[str, Any]] = {
    # which columns
    "target": _column("column of the true classes (default: target)", "--target", "--true"),
    "score": _column(
        "scores or probabilities of the positive class, once for each model; with more than two "
        "classes once for each class, in columns named by the class or ending in _class",
        action="append",
        default=[],
    ),
    "pred": _column("predicted labels, once for each model", action="append", default=[]),
    "positive": _option("the positive class of two", metavar="CLASS"),
    "weight": _column("weight of each row"),
    "groups": _column(
        "rows of one group (a patient) may depend on each other: intervals allow for it, and folds "
        "keep them together"
    ),
    "by": _column(
        "also show each group of these columns; missing values form a group", nargs="+", default=[]
    ),
    "features": _column(
        "feature columns (default: all but identifiers, dates and text that rarely repeats)",
        nargs="+",
    ),
    "drop": _column("columns that are no features", nargs="+", default=[]),
    # how text files are written
    "sep": _option(
        "separator of a text file, such as ';' or tab (default: detected)",
        type=one_character,
        metavar="CHARACTER",
    ),
    "encoding": _option(
        "of a text file, such as gbk or latin-1 (default: utf-8)",
        type=encoding,
        default="utf-8",
        metavar="NAME",
    ),
    "decimal": _option("decimal separator of a text file (default: detected)", choices=(".", ",")),
    "thousands": _option(
        "separator of thousands in a text file, such as , in 1,234.5; currency and per cent signs "
        "are removed, too",
        type=one_character,
        metavar="CHARACTER",
    ),
    "drop-missing": _flag("leave out rows with a missing value in a column that must not have any"),
    # what is computed
    "metrics": _option(
        "names that `metrics` lists (default: a few)",
        *("--metrics", "--scoring"),
        nargs="+",
        metavar="NAME",
    ),
    "metric": _option(
        "metric that chooses (default: %(default)s)", "--metrics", "--scoring", metavar="NAME"
    ),
    "all": _flag("all metrics that apply (default: a few of them)"),
    "models": _option(
        f"of {', '.join(MODELS)}, module:factory of your own, or with --trust a .joblib file",
        *("--models", "--model"),
        nargs="+",
        metavar="MODEL",
    ),
    "trust": _flag("load models from files, which runs code in them"),
    "confidence": _option(
        "level of intervals (default: 0.95)", type=level, default=0.95, metavar="LEVEL"
    ),
    "resamples": _option(
        "bootstrap resamples, where no formula gives the interval "
        f"(default: {RESAMPLES:,}; `score`: none beyond {MOST_RESAMPLED:,} rows)",
        type=whole_number(100),
        default=RESAMPLES,
        metavar="N",
    ),
    "folds": _option("default: 5", type=whole_number(2), default=5, metavar="N"),
    "seed": _option(
        "random seed of folds and models (default: 0)", type=int, default=0, metavar="N"
    ),
    "jobs": _option(
        "parallel jobs; -1 for all cores (default: 1)", type=int, default=1, metavar="N"
    ),
    "require": _option(
        "a limit, such as roc_auc>=0.75 (met by the whole interval), roc_auc.low>=0.7, or "
        "worst:recall>=0.6 (the worst group of --by); may be repeated. The exit status is 1 unless "
        "all are met",
        action="append",
        default=[],
        metavar="LIMIT",
    ),
    # what is shown
    "html": _option("write a page with tables and pictures", type=new_file, metavar="OUT"),
    "json": _flag("print JSON instead of tables"),
    "quiet": _flag("no progress bar"),
}
_TEXT = ("sep", "encoding", "decimal", "thousands", "drop-missing")
_OUTPUT = ("confidence", "html", "json", "quiet")
_COMMON = ("target", "positive", "weight", "groups", *_TEXT, *_OUTPUT)
COLUMNS = ("score", "pred", *_COMMON)
# For commands that have no such option.
_UNSET = {"by": [], "require": [], "all": False, "stream": False, "memory": "1GiB"}
PREDICTIONS = (*COLUMNS, "by", "metrics", "resamples", "require")
MODELLING = (*_COMMON, "features", "drop", "models", "trust", "folds", "seed", "jobs")


def add_command(
    commands: argparse._SubParsersAction[Any],
    name: str,
    run: Callable[[argparse.Namespace], int | None],
    summary: str,
    examples: tuple[str, str],
    options: Sequence[str],
    **defaults: Any,
) -> argparse.ArgumentParser:
    """A command with options of `OPTIONS`, whose help ends with two examples.

    A command that fits models reads a bundled data set by default; others need a file.
    """
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog="\n".join(["examples:", *(f"  skmetrics-ext {name} {text}" for text in examples)]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run, **defaults)
    hidden: dict[str, Any] = {"default": argparse.SUPPRESS, "help": argparse.SUPPRESS}
    if "models" in options:
        command.set_defaults(file="breast_cancer")
        texts = f"{_FORMATS}, or {', '.join(BUNDLED)} (default: breast_cancer)"
        command.add_argument("file", nargs="?", metavar="FILE", **hidden | {"help": texts})
        command.add_argument("--data", dest="file", **hidden)
    elif "score" in options:
        command.set_defaults(**_UNSET)
        command.add_argument("file", metavar="FILE", help=_FORMATS)
    for option in options:
        dest = option.replace("-", "_")
        settings = {"dest": dest, **OPTIONS[option]}
        flag, *older = settings.pop("flags") or (f"--{option}",)
        settings |= {"default": defaults[dest]} if dest in defaults else {}
        command.add_argument(flag, **settings)
        for alias in older:
            command.add_argument(alias, **settings | hidden)
    return command


def form_of(options: argparse.Namespace) -> TextForm:
    """Format of a text file."""
    if options.thousands is not None and options.thousands == options.decimal:
        raise ValueError(f"--thousands and --decimal are both {options.decimal!r}.")
    return TextForm(options.sep, options.encoding, options.decimal, options.thousands)
