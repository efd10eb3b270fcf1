"""Output of commands: lines on stderr, tables or JSON on stdout, pages."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from skmetrics_ext.formats import json_of
from skmetrics_ext.report.page.document import document, note, section, table
from skmetrics_ext.requirements import Verdicts
from skmetrics_ext.tables import SCHEMA_VERSION, Table, written
from skmetrics_ext.validation.errors import printable

_ADVICE = re.compile(r"; [^;\"]*method='[^;\"]*")  # of notes: commands have no such option


def log(*lines: str) -> None:
    """Print lines on stderr, without empty ones."""
    for line in filter(None, lines):
        print(f"skmetrics_ext: {printable(' '.join(line.split()))}", file=sys.stderr, flush=True)


def print_lines(text: str) -> None:
    """Print on stdout without control characters: names in the data must not steer a terminal."""
    print("\n".join(map(printable, text.split("\n"))))


def show(
    options: argparse.Namespace,
    figures: Any,
    text: Callable[[], str],
    page: Callable[[Verdicts | None], str | None],
    check: Callable[[list[str]], Verdicts] | None = None,
    former: Callable[[], Any] | None = None,
) -> int:
    """Check the requirements, write the page, and print the figures as JSON, or the text.

    ``former`` returns the figures under the keys that they had in version 0.2. Returns the exit
    status, which is 1 if a requirement is not met.
    """
    verdicts = check(options.require) if check is not None and options.require else None
    if options.html:  # before printing: the reader of stdout may stop early, as `head` does
        written(page(verdicts) or "", options.html)
    if options.json:
        is_former = options.json_schema < SCHEMA_VERSION
        figures = {"schema_version": SCHEMA_VERSION, **figures} if not is_former else figures
        figures = former() if is_former and former is not None else figures
        figures = figures if verdicts is None else {**figures, **verdicts.to_dict()}
        print(_ADVICE.sub("", json_of(figures)))  # whose control characters are escaped
    else:
        print_lines("\n\n".join([text(), *([] if verdicts is None else [str(verdicts)])]))
    return 0 if verdicts is None or verdicts.passed else 1


def renamed(
    rows: Iterable[Mapping[str, Any]], kept: Sequence[str], **names: str
) -> list[dict[str, Any]]:
    """Rows with the keys that are kept, and with those whose value has another key now."""
    empty = {"reason": None, "method": None}
    keys = dict(zip(kept, kept, strict=True)) | names
    return [
        {key: row[own] or empty.get(key, row[own]) for key, own in keys.items() if own in row}
        for row in rows
    ]


def titled(tables: Mapping[str, Table]) -> str:
    """Tables as text, each below its title."""
    return "\n\n".join(f"{title}\n{table}" for title, table in tables.items())


def page_of(
    title: str, tables: Mapping[str, Table], lead: Iterable[str], verdicts: Verdicts | None = None
) -> str:
    """A page of tables by their headings, after the verdicts of requirements."""
    parts = [section(name, *map(note, rows.lead), table(rows)) for name, rows in tables.items()]
    if verdicts is not None:
        parts.insert(0, section("Requirements", table(verdicts.rows)))
    return document(title, lead, parts)


def names_in(texts: Iterable[str]) -> list[str]:
    """Distinct names, separated by spaces or commas."""
    return list(dict.fromkeys(name for text in texts for name in text.split(",") if name))
