"""Lines on stderr and stdout, and types of arguments."""

from __future__ import annotations

import argparse
import codecs
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from skmetrics_ext.formats import json_of
from skmetrics_ext.report.page.document import document, note, section, table
from skmetrics_ext.requirements import Verdicts, Worst, check_requirements
from skmetrics_ext.rows import Rows, written
from skmetrics_ext.validation.errors import printable

UNMET = 1  # exit status where a requirement is not met

_SEPARATORS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " "}


def log(*lines: str) -> None:
    """Print each line on stderr; empty ones are skipped."""
    for line in filter(None, lines):
        print(f"skmetrics_ext: {printable(' '.join(line.split()))}", file=sys.stderr, flush=True)


def print_lines(text: str) -> None:
    """Print on stdout without control characters: names in the data must not steer a terminal."""
    print("\n".join(map(printable, text.split("\n"))))


def verdicts_of(
    options: argparse.Namespace, rows: Iterable[Mapping[str, Any]], worst: Worst | None = None
) -> Verdicts | None:
    """Verdicts of the requirements on these rows; None where there are no requirements."""
    return check_requirements(options.require, rows, worst) if options.require else None


def show(
    options: argparse.Namespace,
    figures: Any,
    text: str,
    page: Callable[[], str | None],
    verdicts: Verdicts | None = None,
) -> int:
    """Write the page, print the figures as JSON or the text; return the exit status."""
    if options.html:  # before printing: the reader of stdout may stop early, as `head` does
        written(page() or "", options.html)
    if verdicts is not None:
        figures = {**figures, **verdicts.to_dict()} if options.json else figures
        text = f"{text}\n\n{verdicts}"
    print_lines(json_of(figures) if options.json else text)
    return 0 if verdicts is None or verdicts.passed else UNMET


def page_of(
    options: argparse.Namespace, title: str, tables: Mapping[str, Rows], lead: Iterable[str] = ()
) -> str:
    """A page of tables by their headings; ``title`` has a place for the name of the file."""
    parts = [section(name, *map(note, rows.lead), table(rows)) for name, rows in tables.items()]
    name = title.format(Path(options.file).name)
    return document(name, filter(None, lead), parts)


# --------------------------------------------------------------------------- types of arguments


def new_file(text: str) -> str:
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


def value_of(
    read: Callable[[str], Any], holds: Callable[[Any], bool], must: str
) -> Callable[[str], Any]:
    """Type of arguments that can be read and for which something holds."""

    def checked(text: str) -> Any:
        try:
            value = read(text)
        except ValueError:
            value = None
        if value is None or not holds(value):
            raise argparse.ArgumentTypeError(f"must be {must}, got {text!r}")
        return value

    return checked


def whole_number(least: int) -> Callable[[str], int]:
    """Type of whole numbers from ``least``, which is positive."""
    must = f"a whole number of at least {least}"
    return value_of(lambda text: int(text) * text.isdecimal(), lambda n: n >= least, must)


level = value_of(float, lambda number: 0 < number < 1, "a number between 0 and 1")
one_character = value_of(
    lambda text: _SEPARATORS.get(text, text),
    lambda text: len(text) == 1,
    f"one character, or one of {', '.join(_SEPARATORS)}",
)


def encoding(text: str) -> str:
    """Name of an encoding that Python knows."""
    try:
        return codecs.lookup(text).name
    except LookupError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no encoding; such as utf-8, gbk, latin-1, cp1252, utf-16"
        ) from None


def names_in(texts: Iterable[str]) -> list[str]:
    """Names separated by spaces or commas, each once."""
    return list(dict.fromkeys(name for text in texts for name in text.split(",") if name))
