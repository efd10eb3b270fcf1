"""A self-contained HTML page of tables and charts, which loads nothing and needs no scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cache
from html import escape
from importlib.metadata import PackageNotFoundError, metadata
from importlib.resources import files
from textwrap import shorten
from typing import Any, NamedTuple

from skmetrics_ext import __version__
from skmetrics_ext.formats import html_table
from skmetrics_ext.tables import Table

_LONG = 48  # characters of a heading in the contents


class Section(NamedTuple):
    """A section of a page, listed in the table of contents.

    Parameters
    ----------
    title : str
        The heading.
    html : str
        The body.
    is_folded : bool
        Whether the section is closed until it is clicked.
    """

    title: str
    html: str
    is_folded: bool = False


@cache
def _asset(name: str) -> str:
    """Text of a file of this package, without its leading comments."""
    text = (files(__package__) / name).read_text(encoding="utf-8")
    return re.sub(r"^(/\*.*?\*/\s*)+", "", text, flags=re.DOTALL).strip()


def document(
    title: str,
    lead: Iterable[str],
    body: Iterable[Section | None],
    data: Mapping[str, Any] | None = None,
    card: str = "",
    source: str = "",
) -> str:
    """A page with a heading, a few lines below it, and sections.

    Parameters
    ----------
    title : str
        The heading.
    lead : iterable of str
        Plain text lines below the heading.
    body : iterable of Section or None
        The sections; None is skipped.
    data : mapping, default=None
        Input of the page's script: numbers, text and None.
    card : str, default=""
        HTML of a summary below the lead.
    source : str, default=""
        What the page was made from, such as a file and its target; shown in the footer.
    """
    lines = "".join(f'<p class="lead">{escape(line)}</p>\n' for line in lead)
    shown, contents = [], []
    for place, part in enumerate(filter(None, body)):
        shown.append(_section(part, f"part-{place}"))
        title_of_part = escape(shorten(part.title, _LONG, placeholder=" …"))
        contents.append(f'<li><a href="#part-{place}">{title_of_part}</a></li>')
    nav = f'<nav aria-label="Contents"><ol>{"".join(contents)}</ol></nav>\n' if contents else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_asset('page.css')}\n</style>\n</head>\n"
        f'<body>\n<div class="page">\n<header><h1>{escape(title)}</h1>\n{lines}{card}</header>\n'
        f'<aside>{nav}<div id="choose"></div></aside>\n'
        f"<main>\n{''.join(shown)}</main>\n"
        f"<footer>{escape(_footer(source))}</footer>\n</div>\n"
        f'<script type="application/json" id="data">{embedded(data or {})}</script>\n'
        f"<script>\n{_asset('page.js')}\n</script>\n</body>\n</html>\n"
    )


def _footer(source: str) -> str:
    """The source of a page, its date, and the version that made it."""
    day = f"{date.today():%d %B %Y}".lstrip("0")
    return "; ".join(filter(None, [source, day, f"skmetrics_ext {__version__}"]))


def embedded(data: Mapping[str, Any]) -> str:
    """JSON that is safe inside a script element, whatever names it contains."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for mark in "<>&":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def _section(part: Section, name: str) -> str:
    if part.is_folded:
        return (
            f'<details id="{name}"><summary><h2>{escape(part.title)}</h2></summary>\n'
            f"{part.html}</details>\n"
        )
    return f'<section id="{name}"><h2>{escape(part.title)}</h2>\n{part.html}</section>\n'


def section(title: str, *parts: str, is_folded: bool = False) -> Section | None:
    """A section from a heading and pieces of HTML; None if they are all empty."""
    return Section(title, "".join(parts), is_folded) if any(parts) else None


def table(rows: Table) -> str:
    """A table with its notes below."""
    shown = html_table(rows.header(), rows.cells(), rows.align(), baseline=rows.baseline)
    return shown + "".join(map(note, rows.footnotes()))


def brief(lines: Iterable[str]) -> str:
    """HTML of the summary at the top of a page, a paragraph per sentence."""
    return f'<div class="brief">{"".join(f"<p>{escape(line)}</p>" for line in lines)}</div>\n'


@cache
def _documentation() -> str:
    """Address of the documentation from the package metadata; "" if there is none."""
    try:
        addresses = metadata("skmetrics-ext").get_all("Project-URL") or []
    except PackageNotFoundError:  # run from a checkout
        addresses = []
    pairs = (text.partition(", ") for text in addresses)
    return next((url.rstrip("/") for label, _, url in pairs if label == "Documentation"), "")


def guide(page: str, part: str) -> str:
    """Link to a part of the guide, or its name if the documentation has no address."""
    name = f"Guide: {page.replace('_', '-')}"
    address = _documentation()
    return f'<a href="{escape(address)}/guide/{page}.html#{part}">{name}</a>' if address else name


def note(text: str) -> str:
    """A paragraph in small print."""
    return f'<p class="note">{escape(text)}</p>\n'


def pictures(figures: Iterable[tuple[str, ...]], of: str = "") -> str:
    """Figures side by side, each from its HTML, a caption and optionally a name.

    ``of`` says whether names are those of a "metric" or a "model", by which the script hides some.
    """
    parts = []
    for picture, caption, *name in figures:
        data = f' data-{of}="{escape(name[0])}"' if name else ""
        text = escape(caption)
        parts.append(f"<figure{data}>{picture}<figcaption>{text}</figcaption></figure>\n")
    return f'<div class="pictures">{"".join(parts)}</div>\n'
