"""Options of the commands that fit models: data, columns and models."""

from __future__ import annotations

import argparse
import codecs
from collections.abc import Sequence
from typing import Any

from skmetrics_ext.backends.csv_files import TextForm
from skmetrics_ext.cli.words import say, say_reading, whole_number
from skmetrics_ext.datasets import BUNDLED, Dataset, Use, load
from skmetrics_ext.models import MODELS, is_file_of_model, make_model, own_model
from skmetrics_ext.scoring.panel import unique
from skmetrics_ext.scoring.responses import estimator_name

_SEPARATORS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " "}


def one_character(text: str) -> str:
    """A type of argument: what stands between values."""
    found = _SEPARATORS.get(text, text)
    if len(found) != 1:
        raise argparse.ArgumentTypeError(
            f"must be one character, or one of {', '.join(_SEPARATORS)}, got {text!r}"
        )
    return found


def known_encoding(text: str) -> str:
    """A type of argument: the name of an encoding."""
    try:
        return codecs.lookup(text).name
    except LookupError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no encoding; such as utf-8, gbk, latin-1, cp1252, utf-16"
        ) from None


def add_form(command: argparse.ArgumentParser) -> None:
    """How a file is written; the same for all commands."""
    command.add_argument(
        "--sep",
        type=one_character,
        metavar="CHARACTER",
        help="between the values of a text file, such as ';' or tab (default: found out)",
    )
    command.add_argument(
        "--encoding",
        type=known_encoding,
        default="utf-8",
        metavar="NAME",
        help="of a text file, such as gbk or latin-1 (default: utf-8)",
    )
    command.add_argument(
        "--decimal",
        choices=(".", ","),
        help="sign before decimals in a text file (default: found out, told if it is a comma)",
    )
    command.add_argument(
        "--drop-missing",
        action="store_true",
        help="leave out rows that lack a value that must be there",
    )


def form_of(options: argparse.Namespace) -> TextForm:
    """What the options of `add_form` say."""
    return TextForm(options.sep, options.encoding, options.decimal)


def add_data(command: argparse.ArgumentParser) -> None:
    """Where the rows come from, and which column is what."""
    command.add_argument(
        "--data",
        default="breast_cancer",
        metavar="DATA",
        help=f"{', '.join(BUNDLED)}, or a .csv, .tsv (also .gz) or .parquet file "
        "(default: breast_cancer)",
    )
    command.add_argument(
        "--target", metavar="COLUMN", help="column of the classes, for a file (default: target)"
    )
    command.add_argument(
        "--positive", metavar="CLASS", help="the positive class of two, for metrics of one class"
    )
    command.add_argument(
        "--features",
        nargs="+",
        metavar="COLUMN",
        help="what to predict from, whatever it looks like (default: all other columns but "
        "identifiers, dates and text that hardly repeats)",
    )
    command.add_argument(
        "--drop", nargs="+", default=[], metavar="COLUMN", help="what not to predict from"
    )
    command.add_argument(
        "--groups",
        metavar="COLUMN",
        help="rows of one group (a patient) depend on each other: folds keep them together and "
        "intervals know it",
    )
    command.add_argument("--weight", metavar="COLUMN", help="weight of each row")
    add_form(command)
    command.add_argument("--folds", type=whole_number(2), default=5, metavar="N", help="default: 5")
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of folds and models (default: 0)"
    )
    command.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="parallel jobs; -1 is all (default: 1)"
    )
    command.add_argument(
        "--trust", action="store_true", help="load models from files, which runs code they hold"
    )


def names_in(given: Sequence[str]) -> list[str]:
    """Names, separated by spaces or commas, each once."""
    return list(dict.fromkeys(name for text in given for name in text.split(",") if name))


def columns_in(given: Sequence[str] | None) -> list[str] | None:
    """Names of columns, each its own argument: a name may hold a comma."""
    return None if given is None else list(dict.fromkeys(given))


def load_data(options: argparse.Namespace, by: Sequence[str] = ()) -> Dataset:
    """The rows, with a line about what was done to them."""
    if not options.quiet:
        say_reading(options.data)
    data = load(
        options.data,
        Use(
            options.target,
            columns_in(options.features),
            columns_in(options.drop) or (),
            options.groups,
            options.weight,
            tuple(by),
            options.drop_missing,
            form_of(options),
        ),
    )
    say(data.told)
    return data


def models_of(options: argparse.Namespace, given: Sequence[str], data: Dataset) -> dict[str, Any]:
    """Each model by its name; a person's own by that of its class."""
    names, models = [], []
    for text in names_in(given):
        if ":" in text or is_file_of_model(text):
            models.append(own_model(text, data, trusted=options.trust))
            names.append(estimator_name(models[-1]))
        else:
            models.append(make_model(text, data, options.seed))
            names.append(text)
    return dict(zip(unique(names), models, strict=True))


MODELS_HELP = f"of {', '.join(MODELS)}, module:factory of your own, or with --trust a .joblib file"
