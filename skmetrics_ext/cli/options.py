"""Options that commands share: one name, one meaning and one help text each."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from skmetrics_ext.backends.csv_files import TextForm
from skmetrics_ext.cli.messages import encoding, level, new_file, one_character, whole_number
from skmetrics_ext.cli.models import MODELS
from skmetrics_ext.datasets import BUNDLED

_FORMATS = "a .csv, .tsv (also .gz) or .parquet file with a header"


class Option(NamedTuple):
    """An option: its arguments for argparse, and older spellings that still work."""

    settings: Mapping[str, Any]
    aliases: tuple[str, ...] = ()
    flag: str = ""  # by default that of the name


def _option(*aliases: str, flag: str = "", **settings: Any) -> Option:
    return Option(settings, aliases, flag)


_NAMES: dict[str, Any] = {"nargs": "+", "metavar": "NAME"}
_COLUMN: dict[str, Any] = {"metavar": "COLUMN"}
_REPEATED: dict[str, Any] = {"action": "append", "default": [], "metavar": "COLUMN"}
_COLUMNS: dict[str, Any] = {"nargs": "+", "default": [], "metavar": "COLUMN"}
_FLAG: dict[str, Any] = {"action": "store_true"}

OPTIONS: Mapping[str, Option] = {
    # which columns
    "target": _option("--true", **_COLUMN, help="column of the true classes (default: target)"),
    "score": _option(
        **_REPEATED,
        help="scores or probabilities of the positive class, once for each model; with more than "
        "two classes once for each class, in columns named by the class or ending in _class",
    ),
    "pred": _option(**_REPEATED, help="predicted labels, once for each model"),
    "positive": _option(metavar="CLASS", help="the positive class of two"),
    "weight": _option(**_COLUMN, help="weight of each row"),
    "groups": _option(
        **_COLUMN,
        help="rows of one group (a patient) may depend on each other; intervals allow "
        "for it, and folds keep them together",
    ),
    "by": _option(
        **_COLUMNS,
        help="also show the values of each group of these columns; missing values form a group",
    ),
    "features": _option(
        **_COLUMNS | {"default": None},
        help="feature columns (default: all but identifiers, dates and text that rarely repeats)",
    ),
    "drop": _option(**_COLUMNS, help="columns that are no features"),
    # how text files are written
    "sep": _option(
        type=one_character,
        metavar="CHARACTER",
        help="separator of a text file, such as ';' or tab (default: detected)",
    ),
    "encoding": _option(
        type=encoding,
        default="utf-8",
        metavar="NAME",
        help="of a text file, such as gbk or latin-1 (default: utf-8)",
    ),
    "decimal": _option(
        choices=(".", ","), help="decimal separator of a text file (default: detected)"
    ),
    "thousands": _option(
        type=one_character,
        metavar="CHARACTER",
        help="separator of thousands in a text file, such as , in 1,234.5; currency and per cent "
        "signs are removed, too",
    ),
    "drop-missing": _option(
        **_FLAG, help="leave out rows with a missing value in a column that must not have any"
    ),
    # what is computed
    "metrics": _option("--scoring", **_NAMES, help="names that `metrics` lists (default: a few)"),
    "metric": _option(
        "--scoring",
        flag="--metrics",
        metavar="NAME",
        help="metric that chooses (default: %(default)s)",
    ),
    "all": _option(**_FLAG, help="all metrics that apply (default: a few of them)"),
    "models": _option(
        "--model",
        nargs="+",
        metavar="MODEL",
        help=f"of {', '.join(MODELS)}, module:factory of your own, or with --trust a .joblib file",
    ),
    "trust": _option(**_FLAG, help="load models from files, which runs code in them"),
    "confidence": _option(
        type=level, default=0.95, metavar="LEVEL", help="level of intervals (default: 0.95)"
    ),
    "resamples": _option(
        type=whole_number(100),
        default=1000,
        metavar="N",
        help="bootstrap resamples, where no formula gives the interval (default: %(default)s)",
    ),
    "folds": _option(type=whole_number(2), default=5, metavar="N", help="default: 5"),
    "seed": _option(
        type=int, default=0, metavar="N", help="random seed of folds and models (default: 0)"
    ),
    "jobs": _option(
        type=int, default=1, metavar="N", help="parallel jobs; -1 for all cores (default: 1)"
    ),
    # what is shown
    "html": _option(type=new_file, metavar="OUT", help="write a page with tables and pictures"),
    "json": _option(**_FLAG, help="print JSON instead of tables"),
    "quiet": _option(**_FLAG, help="no progress bar"),
}
TEXT_FORM = ("sep", "encoding", "decimal", "thousands", "drop-missing")
PREDICTIONS = ("target", "positive", "weight", "groups", "by", *TEXT_FORM)
MODELLING = (
    *("target", "positive", "features", "drop", "groups", "weight", *TEXT_FORM),
    *("models", "trust", "folds", "seed", "jobs"),
)
OUTPUT = ("html", "json", "quiet")


def add_command(
    commands: argparse._SubParsersAction[Any],
    name: str,
    run: Callable[[argparse.Namespace], int],
    *,
    summary: str,
    description: str,
    examples: tuple[str, str],
) -> argparse.ArgumentParser:
    """A command whose help ends with two examples."""
    shown = "\n".join(f"  skmetrics-ext {name} {example}" for example in examples)
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=f"examples:\n{shown}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run)
    return command


def add_options(command: argparse.ArgumentParser, *names: str, **defaults: Any) -> None:
    """Add options of `OPTIONS` to a command; ``defaults`` replace theirs."""
    for name in names:
        settings, aliases, flag = OPTIONS[name]
        dest = name.replace("-", "_")
        settings = {**settings, "dest": dest}
        if dest in defaults:
            settings["default"] = defaults[dest]
        command.add_argument(flag or f"--{name}", **settings)
        for alias in aliases:
            hidden = {"help": argparse.SUPPRESS, "default": argparse.SUPPRESS}
            command.add_argument(alias, **{**settings, **hidden})


def add_predictions(command: argparse.ArgumentParser) -> None:
    """A file of predictions, which has to be named."""
    command.add_argument("file", metavar="FILE", help=_FORMATS)


def add_data(command: argparse.ArgumentParser) -> None:
    """A file or a bundled data set to fit models on, as an argument or after --data."""
    command.set_defaults(file="breast_cancer")
    texts = f"{_FORMATS}, or {', '.join(BUNDLED)} (default: breast_cancer)"
    command.add_argument("file", nargs="?", metavar="FILE", default=argparse.SUPPRESS, help=texts)
    command.add_argument("--data", dest="file", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def form_of(options: argparse.Namespace) -> TextForm:
    """How a text file is written."""
    if options.thousands is not None and options.thousands == options.decimal:
        raise ValueError(f"--thousands and --decimal are both {options.decimal!r}.")
    return TextForm(options.sep, options.encoding, options.decimal, options.thousands)
