"""Options that commands share: one name, one meaning and one help text each."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from skmetrics_ext.backends.csv_files import TextForm
from skmetrics_ext.cli.messages import encoding, level, new_file, one_character, whole_number
from skmetrics_ext.cli.models import MODELS
from skmetrics_ext.datasets import BUNDLED

_FORMATS = "a .csv, .tsv (also .gz) or .parquet file with a header"
_COLUMN: dict[str, Any] = {"metavar": "COLUMN"}
_REPEATED: dict[str, Any] = {"metavar": "COLUMN", "action": "append", "default": []}
_COLUMNS: dict[str, Any] = {"metavar": "COLUMN", "nargs": "+", "default": []}
_NUMBER: dict[str, Any] = {"metavar": "N", "type": int}
_FLAG: dict[str, Any] = {"action": "store_true"}

# Arguments for argparse. Of several flags the first is shown; the older ones still work.
OPTIONS: Mapping[str, dict[str, Any]] = {
    # which columns
    "target": _COLUMN
    | {"flags": ("--target", "--true"), "help": "column of the true classes (default: target)"},
    "score": _REPEATED
    | {
        "help": "scores or probabilities of the positive class, once for each model; with more "
        "than two classes once for each class, in columns named by the class or ending in _class"
    },
    "pred": _REPEATED | {"help": "predicted labels, once for each model"},
    "positive": {"metavar": "CLASS", "help": "the positive class of two"},
    "weight": _COLUMN | {"help": "weight of each row"},
    "groups": _COLUMN
    | {
        "help": "rows of one group (a patient) may depend on each other: intervals allow for it, "
        "and folds keep them together"
    },
    "by": _COLUMNS | {"help": "also show each group of these columns; missing values form a group"},
    "features": _COLUMNS
    | {
        "help": "feature columns (default: all but identifiers, dates and text that rarely repeats)"
    },
    "drop": _COLUMNS | {"help": "columns that are no features"},
    # how text files are written
    "sep": {
        "type": one_character,
        "metavar": "CHARACTER",
        "help": "separator of a text file, such as ';' or tab (default: detected)",
    },
    "encoding": {
        "type": encoding,
        "default": "utf-8",
        "metavar": "NAME",
        "help": "of a text file, such as gbk or latin-1 (default: utf-8)",
    },
    "decimal": {
        "choices": (".", ","),
        "help": "decimal separator of a text file (default: detected)",
    },
    "thousands": {
        "type": one_character,
        "metavar": "CHARACTER",
        "help": "separator of thousands in a text file, such as , in 1,234.5; currency and per "
        "cent signs are removed, too",
    },
    "drop-missing": _FLAG
    | {"help": "leave out rows with a missing value in a column that must not have any"},
    # what is computed
    "metrics": {
        "flags": ("--metrics", "--scoring"),
        "nargs": "+",
        "metavar": "NAME",
        "help": "names that `metrics` lists (default: a few)",
    },
    "metric": {
        "flags": ("--metrics", "--scoring"),
        "metavar": "NAME",
        "help": "metric that chooses (default: %(default)s)",
    },
    "all": _FLAG | {"help": "all metrics that apply (default: a few of them)"},
    "models": {
        "flags": ("--models", "--model"),
        "nargs": "+",
        "metavar": "MODEL",
        "help": f"of {', '.join(MODELS)}, module:factory of your own, or with --trust a .joblib "
        "file",
    },
    "trust": _FLAG | {"help": "load models from files, which runs code in them"},
    "confidence": {
        "type": level,
        "default": 0.95,
        "metavar": "LEVEL",
        "help": "level of intervals (default: 0.95)",
    },
    "resamples": _NUMBER
    | {
        "type": whole_number(100),
        "default": 1000,
        "help": "bootstrap resamples, where no formula gives the interval (default: %(default)s)",
    },
    "folds": _NUMBER | {"type": whole_number(2), "default": 5, "help": "default: 5"},
    "seed": _NUMBER | {"default": 0, "help": "random seed of folds and models (default: 0)"},
    "jobs": _NUMBER | {"default": 1, "help": "parallel jobs; -1 for all cores (default: 1)"},
    # what is shown
    "html": {"type": new_file, "metavar": "OUT", "help": "write a page with tables and pictures"},
    "json": _FLAG | {"help": "print JSON instead of tables"},
    "quiet": _FLAG | {"help": "no progress bar"},
}
_TEXT = ("sep", "encoding", "decimal", "thousands", "drop-missing")
_OUTPUT = ("confidence", "html", "json", "quiet")
_COMMON = ("target", "positive", "weight", "groups", *_TEXT, *_OUTPUT)
PREDICTIONS = ("score", "pred", *_COMMON, "by", "metrics", "resamples")
MODELLING = (*_COMMON, "features", "drop", "models", "trust", "folds", "seed", "jobs")


def add_command(
    commands: argparse._SubParsersAction[Any],
    name: str,
    run: Callable[[argparse.Namespace], None],
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
        command.add_argument("file", metavar="FILE", help=_FORMATS)
    for option in options:
        dest = option.replace("-", "_")
        settings = {"dest": dest, **OPTIONS[option]}
        flag, *older = settings.pop("flags", (f"--{option}",))
        settings |= {"default": defaults[dest]} if dest in defaults else {}
        command.add_argument(flag, **settings)
        for alias in older:
            command.add_argument(alias, **settings | hidden)
    return command


def form_of(options: argparse.Namespace) -> TextForm:
    """How a text file is written."""
    if options.thousands is not None and options.thousands == options.decimal:
        raise ValueError(f"--thousands and --decimal are both {options.decimal!r}.")
    return TextForm(options.sep, options.encoding, options.decimal, options.thousands)
