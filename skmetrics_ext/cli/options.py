"""Options and commands: each option has one name, one meaning and one help text everywhere."""

from __future__ import annotations

import argparse
import codecs
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from skmetrics_ext.backends.csv_files import TextForm
from skmetrics_ext.cli.models import MODELS
from skmetrics_ext.datasets import BUNDLED
from skmetrics_ext.inference.margins import ALTERNATIVES
from skmetrics_ext.registry.defaults import CHOICE
from skmetrics_ext.report.cross_validation import STRATEGIES
from skmetrics_ext.report.summary import INTERVAL_KINDS
from skmetrics_ext.requirements import Requirement
from skmetrics_ext.tables import SCHEMA_VERSION
from skmetrics_ext.thresholds.at_thresholds import RULES

RESAMPLES = 1000
DATASET = "breast_cancer"  # that models are fitted on by default
MOST_RESAMPLED = 20_000  # rows of a file that `score` resamples by default

_FORMATS = "a .csv, .tsv (also .gz), .jsonl or .parquet file"
_SEPARATORS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " "}
_BASELINES = (*STRATEGIES, "none")


# --------------------------------------------------------------------------- types of arguments


def _new_file(text: str) -> str:
    """Name of a file that can be written, checked before any work is done."""
    path = Path(text)
    if not text or path.is_dir():
        raise argparse.ArgumentTypeError(f"must name a file, got {text!r}")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {str(path.parent)!r} for {text!r}")
    is_special = path.exists() and not path.is_file()  # others are replaced by a new file
    places = [path] if is_special else [path, path.parent]
    if not all(os.access(place, os.W_OK) for place in places if place.exists()):
        raise argparse.ArgumentTypeError(f"{text!r} is not writable")
    return text


def _checked(
    read: Callable[[str], Any], is_valid: Callable[[Any], bool], valid: str
) -> Callable[[str], Any]:
    """Type of arguments that ``read`` converts and ``is_valid`` accepts."""

    def convert(text: str) -> Any:
        try:
            value = read(text)
        except (ValueError, LookupError):
            value = None
        if value is None or not is_valid(value):
            raise argparse.ArgumentTypeError(f"must be {valid}, got {text!r}")
        return value

    return convert


def _integer(least: int) -> Callable[[str], int]:
    """Type of integers from ``least``, which is positive."""
    valid = f"a whole number of at least {least}"
    return _checked(lambda text: int(text) * text.isdecimal(), lambda n: n >= least, valid)


_number = _checked(float, math.isfinite, "a number with a decimal point, such as 0.3")
_level = _checked(float, lambda number: 0 < number < 1, "a number between 0 and 1")
_character = _checked(
    lambda text: _SEPARATORS.get(text, text),
    lambda text: len(text) == 1,
    f"one character, or one of {', '.join(_SEPARATORS)}",
)
_encoding = _checked(
    lambda text: codecs.lookup(text).name,
    bool,
    "an encoding, such as utf-8, gbk, latin-1, cp1252 or utf-16",
)
_constraint = _checked(
    Requirement.parse,
    lambda limit: limit.sign in (">=", "<=") and not limit.part and not limit.model,
    "METRIC>=NUMBER or METRIC<=NUMBER",
)


# --------------------------------------------------------------------------- options


class _Given(argparse.Action):
    """Stores what an option is given once; with a ``const`` later values are added."""

    def __call__(self, _parser: Any, namespace: Any, values: Any, _flag: Any = None) -> None:
        given = vars(namespace).setdefault("given", {})
        if self.dest in given and not self.const:
            both = f"{given[self.dest]!r} and {values!r}"
            raise argparse.ArgumentError(self, f"given twice, as {both}: pass it once")
        given[self.dest] = [*given.get(self.dest, ()), *values] if self.const else values
        setattr(namespace, self.dest, given[self.dest])


class Option:
    """An option, or a positional argument.

    Parameters
    ----------
    help : str
    metavar : str, default=None
        Name of its value in the help.
    *flags : str
        Its spellings; by default its name in `OPTIONS`.
    older : tuple of str
        Older spellings that still work, which the help does not show.
    default : object
        Its value where it is not given, also for commands that do not have it.
    **settings : object
        Further arguments of ``add_argument``.
    """

    def __init__(
        self,
        help: str,
        metavar: str | None = None,
        *flags: str,
        older: tuple[str, ...] = (),
        default: Any = None,
        **settings: Any,
    ) -> None:
        self.help, self.flags, self.older, self.default = help, flags, older, default
        self.settings = {"action": _Given, **settings} | ({"metavar": metavar} if metavar else {})

    def add_to(self, parser: argparse.ArgumentParser, name: str) -> None:
        """Add the option to a command, whose parser knows the default."""
        flags, settings = self.flags or (f"--{name}",), {**self.settings}
        settings["default"] = argparse.SUPPRESS
        if flags[0].startswith("-"):
            settings.setdefault("dest", _attribute(name))
        parser.add_argument(*flags, help=self.help, **settings)
        if self.older:
            parser.add_argument(*self.older, help=argparse.SUPPRESS, **settings)


def _attribute(name: str) -> str:
    """Name of an option among the parsed options."""
    return name.replace("-", "_")


def _switch(help: str) -> Option:
    return Option(help, default=False, action="store_true")


def _several(help: str, metavar: str, *flags: str, **settings: Any) -> Option:
    return Option(help, metavar, *flags, **{"nargs": "+", "const": True, **settings})


def _repeated(help: str, metavar: str, **settings: Any) -> Option:
    return Option(help, metavar, default=[], action="append", **settings)


def _count(help: str, least: int, default: int | None = None) -> Option:
    return Option(help, "N", default=default, type=_integer(least))


OPTIONS: Mapping[str, Option] = {
    # files
    "predictions": _several(
        f"{_FORMATS}, a folder or zip of such, or - for standard input; several are read as one",
        "FILE",
        "file",
    ),
    "join": Option("match the rows of two files by this column, which both have", "COLUMN"),
    "dataset": Option(
        f"{_FORMATS}, or {', '.join(BUNDLED)} (default: {DATASET})", "FILE", "file", nargs="?"
    ),
    "data": Option(argparse.SUPPRESS, dest="file"),  # older spelling of the dataset
    "tallies": _several(
        "files that `tally` or Accumulator.save wrote, each named after its site", "FILE", "files"
    ),
    # columns
    "target": Option("column of the true classes (default: target)", "COLUMN", older=("--true",)),
    "score": _repeated(
        "scores or probabilities of the positive class, once for each model; with more than two "
        "classes once for each class, in columns named by the class or ending in _class",
        "COLUMN",
    ),
    "model": _repeated(
        "a name, its scores and perhaps its predicted labels: NAME SCORE [PRED]; may be repeated",
        "NAME",
        nargs="+",
    ),
    "pred": _repeated("predicted labels, once for each model", "COLUMN"),
    "right": _repeated(
        "marks of answers that are right or wrong, instead of a target; COLUMN=VALUE names the "
        "mark that means right, unless marks are 1 and 0 or true and false; once for each model",
        "COLUMN",
    ),
    "threshold": Option(
        "also predict the positive class where a score is at least this, and show the metrics of "
        "labels",
        "NUMBER",
        type=_number,
    ),
    "positive": Option("the positive class of two", "CLASS"),
    "weight": Option("weights of the rows", "COLUMN"),
    "proxy": Option(
        "a machine's labels or probabilities of all rows, where the target is missing in some",
        "COLUMN",
    ),
    "sampling": Option(
        "probabilities with which the rows that have a target were chosen to be labelled", "COLUMN"
    ),
    "budget": _count("rows to label", 1, default=100),
    "groups": Option(
        "groups, such as patients, whose rows depend on each other: intervals allow for it, and "
        "folds keep groups together",
        "COLUMN",
    ),
    "by": _several(
        "also show each group of these columns; missing values form a group", "COLUMN", default=[]
    ),
    "features": _several(
        "feature columns (default: all but identifiers, dates and text that rarely repeats)",
        "COLUMN",
    ),
    "drop": _several("columns that are not features", "COLUMN", default=[]),
    "slice-by": _several(
        "columns that make slices (default: all others whose values repeat)", "COLUMN", "--by"
    ),
    # format of text files
    "sep": Option(
        "separator of a text file, such as ';' or tab (default: detected)",
        "CHARACTER",
        type=_character,
    ),
    "encoding": Option(
        "encoding of a text file, such as cp1252 or gbk (default: utf-8)",
        "NAME",
        default="utf-8",
        type=_encoding,
    ),
    "decimal": Option("decimal separator of a text file (default: detected)", choices=(".", ",")),
    "thousands": Option(
        "separator of thousands in a text file, such as , in 1,234.5; currency and per cent signs "
        "are removed, too",
        "CHARACTER",
        type=_character,
    ),
    "missing": _repeated(
        "another mark of missing values in a text file, such as .; may be repeated", "TEXT"
    ),
    "no-header": _switch("the first row is no header: columns are named 1, 2, ..."),
    "skip-rows": _count("lines of a text file above the header (default: 0)", 1, default=0),
    "drop-missing": _switch(
        "leave out rows with missing values in columns where they are not allowed"
    ),
    # metrics
    "metrics": _several(
        "names that `metrics` lists (default: a few)", "NAME", older=("--scoring",), default=[]
    ),
    "metric": Option(
        f"metric to choose by (default: {CHOICE})", "NAME", "--metrics", older=("--scoring",)
    ),
    "slice-metric": Option(
        "metric to look for slices by (default: accuracy of labels, ROC AUC or log loss of scores)",
        "NAME",
        "--metrics",
        older=("--metric", "--scoring"),
    ),
    "all": _switch("all metrics that apply (default: a few of them)"),
    "name": Option("a metric or scorer to explain", "NAME", "name", nargs="?"),
    # models
    "models": _several(
        f"any of {', '.join(MODELS)}; your own as module:factory, or with --trust a .joblib file",
        "MODEL",
        older=("--model",),
    ),
    "trust": _switch("load models from files, which runs code in them"),
    "baseline": Option("dummy classifier (default: prior)", default="prior", choices=_BASELINES),
    "folds": _count("number of folds (default: 5)", 2, default=5),
    "repeats": _count("repeat the folds with other splits (default: 1)", 1, default=1),
    "seed": Option("random seed of folds and models (default: 0)", "N", default=0, type=int),
    "jobs": Option("parallel jobs; -1 for all cores (default: 1)", "N", default=1, type=int),
    "grid": _several(
        "values of a parameter, such as C=0.1,1,10; with several models MODEL.PARAM=V,V,...",
        "PARAM=V,V,...",
        default=[],
    ),
    "outer": _count("also run the search within N outer folds (nested cross-validation)", 2),
    # intervals and decisions
    "confidence": Option("level of intervals (default: 0.95)", "LEVEL", default=0.95, type=_level),
    "interval": Option(
        "kind of interval in the summary (default: auto, the first that every metric has)",
        default="auto",
        choices=INTERVAL_KINDS,
    ),
    "resamples": _count(
        "bootstrap resamples, where no formula gives the interval "
        f"(default: {RESAMPLES:,}; `score`: none beyond {MOST_RESAMPLED:,} rows)",
        100,
        default=RESAMPLES,
    ),
    "claim": Option("claim to test about two models", default="two-sided", choices=ALTERNATIVES),
    "margin": Option("smallest difference that matters", "SIZE", type=_number),
    "leaderboard": _switch("models by rank, with those that may be the best, instead of pairs"),
    "criterion": Option(
        f"what is optimised: {', '.join(RULES)}, or a metric of labels (default: youden)", "NAME"
    ),
    "constraint": _repeated(
        "limit to keep in this file, such as precision>=0.8, or with --confidence in the "
        "population; may be repeated",
        "LIMIT",
        type=_constraint,
    ),
    "cost": Option(
        f"costs of a false positive and of a false negative, for {', '.join(RULES)}",
        "COST",
        nargs=2,
        type=float,
    ),
    "most-columns": _count("most columns of a slice (default: 2)", 1, default=2),
    "min-rows": _count("fewest rows of a slice (default: 50)", 2, default=50),
    "require": _repeated(
        "a limit, such as roc_auc>=0.75 (met by the whole interval), roc_auc.low>=0.7, "
        "worst:recall>=0.6 (every group of --by), or 'new/roc_auc >= old/roc_auc - 0.01' (two "
        "models); may be repeated. The exit status is 1 unless all are met",
        "LIMIT",
    ),
    # large files and several sites
    "stream": _switch(
        "read the rows in parts, without resampling and pictures (default: beyond 1 GiB)"
    ),
    "memory": Option("approximate memory for --stream (default: that of the file)", "SIZE"),
    "classes": _several(
        "all classes in order, if a site may lack one (default: those in the file)",
        "CLASS",
        default=[],
    ),
    "bins": _several(
        "bins of scores, the same at every site: how many for [0, 1], or all edges",
        "N",
        type=float,
        const=None,
    ),
    "min-cell": _count("minimum count of a class in a bin or cell, unless it is 0", 1),
    # output
    "output": Option("file to write", "OUT", "-o", "--output", type=_new_file, required=True),
    "save": Option("keep the report for results.CrossValidationReport.load", "OUT", type=_new_file),
    "html": Option("write a page with tables and pictures", "OUT", type=_new_file),
    "json": _switch("print JSON instead of tables"),
    "json-schema": Option(
        "keys of --json: those of tables of estimates (2), or those of version 0.2 (1)",
        default=SCHEMA_VERSION,
        type=int,
        choices=(1, SCHEMA_VERSION),
    ),
    "quiet": _switch("no progress bar"),
}
DEFAULTS = {_attribute(name): option.default for name, option in OPTIONS.items()}
_LAYOUT = ("sep", "encoding", "decimal", "thousands", "missing", "no-header", "skip-rows")
TEXT = (*_LAYOUT, "drop-missing")
_OUTPUT = ("confidence", "html", "json", "json-schema", "quiet")
COMMON = ("target", "positive", "weight", "groups", *TEXT, *_OUTPUT)
COLUMNS = ("predictions", "join", "score", "pred", *COMMON)
PREDICTIONS = (*COLUMNS, "model", "by", "metrics", "resamples", "require")
_FITTING = ("features", "drop", "models", "trust", "folds", "seed", "jobs")
MODELLING = ("dataset", "data", *COMMON, *_FITTING)


# --------------------------------------------------------------------------- commands


class Command(NamedTuple):
    """One command.

    Parameters
    ----------
    name, summary : str
    examples : (str, str)
        Arguments, which the help shows at its end.
    options : tuple of str
        Names in `OPTIONS`.
    run : callable
        Takes the parsed options; returns the exit status, or None for 0.
    defaults : mapping
        Values of options that differ from those in `OPTIONS`.
    """

    name: str
    summary: str
    examples: tuple[str, str]
    options: tuple[str, ...]
    run: Callable[[argparse.Namespace], int | None]
    defaults: Mapping[str, Any] = {}

    def add_to(self, commands: argparse._SubParsersAction[Any], *, is_run: bool = True) -> None:
        """Add the command to a parser, with its options unless another one is run."""
        examples = [f"  skmetrics-ext {self.name} {arguments}" for arguments in self.examples]
        parser: argparse.ArgumentParser = commands.add_parser(
            self.name,
            help=self.summary,
            description=f"{self.summary[0].upper()}{self.summary[1:]}.",
            epilog="\n".join(["examples:", *examples]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.set_defaults(run=self.run, **{**DEFAULTS, **self.defaults})
        for name in self.options if is_run else ():
            OPTIONS[name].add_to(parser, name)


def form_of(options: argparse.Namespace) -> TextForm:
    """Format of a text file."""
    if options.thousands is not None and options.thousands == options.decimal:
        raise ValueError(f"--thousands and --decimal are both {options.decimal!r}.")
    return TextForm(
        *(options.sep, options.encoding, options.decimal, options.thousands),
        *(tuple(options.missing), options.skip_rows, not options.no_header),
        is_trimmed=True,
    )
