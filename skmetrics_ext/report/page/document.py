"""One self-contained HTML page: tables and pictures, nothing to load, read without scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from textwrap import shorten
from typing import Any, NamedTuple

_LONG = 48  # characters of a heading in the contents


class Section(NamedTuple):
    """A part of a page with a heading, which the contents list.

    Parameters
    ----------
    title : str
        The heading.
    html : str
        What stands under it.
    is_folded : bool
        Whether it is opened by a click.
    """

    title: str
    html: str
    is_folded: bool = False


@cache
def _asset(name: str) -> str:
    """A file of this package, as it stands in the page."""
    text = (files(__package__) / name).read_text(encoding="utf-8")
    return re.sub(r"^(/\*.*?\*/\s*)+", "", text, flags=re.DOTALL).strip()


def document(
    title: str,
    lead: Iterable[str],
    body: Iterable[Section | str],
    data: Mapping[str, Any] | None = None,
) -> str:
    """A page with a heading, a few lines under it, and parts already in HTML.

    Parameters
    ----------
    title : str
        The heading.
    lead : iterable of str
        Lines below it, which are escaped.
    body : iterable of Section or str
        The parts.
    data : mapping, default=None
        What the script of the page reads, of numbers, text and None.
    """
    parts = list(body)
    lines = "".join(f'<p class="lead">{escape(line)}</p>\n' for line in lead)
    shown, contents = [], []
    for place, part in enumerate(parts):
        if isinstance(part, str):
            shown.append(part)
            continue
        shown.append(_section(part, f"part-{place}"))
        contents.append(f'<li><a href="#part-{place}">{_short(part.title)}</a></li>')
    nav = f'<nav aria-label="Contents"><ol>{"".join(contents)}</ol></nav>\n' if contents else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_asset('page.css')}\n</style>\n</head>\n"
        f'<body>\n<div class="page">\n<header><h1>{escape(title)}</h1>\n{lines}</header>\n'
        f'<aside>{nav}<div id="choose"></div></aside>\n'
        f"<main>\n{''.join(shown)}</main>\n</div>\n"
        f'<script type="application/json" id="data">{embedded(data or {})}</script>\n'
        f"<script>\n{_asset('page.js')}\n</script>\n</body>\n</html>\n"
    )


def _short(title: str) -> str:
    return escape(shorten(title, _LONG, placeholder=" …"))


def embedded(data: Mapping[str, Any]) -> str:
    """JSON that ends no script and opens no comment, whatever the names in it are."""
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


def section(title: str, *parts: str) -> Section:
    """A heading and what stands under it."""
    return Section(title, "".join(parts))


def folded(title: str, *parts: str) -> Section:
    """A part that is opened by a click."""
    return Section(title, "".join(parts), is_folded=True)


def brief(lines: Iterable[str]) -> str:
    """The conclusion of a page in a few sentences, the question first."""
    return f'<div class="brief">{"".join(f"<p>{escape(line)}</p>" for line in lines)}</div>\n'


def note(text: str) -> str:
    """A paragraph in small print."""
    return f'<p class="note">{escape(text)}</p>\n'


def pictures(figures: Iterable[tuple[str, str]], of: str = "") -> str:
    """Pairs of a picture in HTML and its caption, side by side where there is room.

    ``of`` says what the captions name, so that the script can show some of them: "metric", "model".
    """
    shown = "".join(
        f"<figure{_named(of, caption)}>{picture}<figcaption>{escape(caption)}</figcaption>"
        "</figure>\n"
        for picture, caption in figures
    )
    return f'<div class="pictures">{shown}</div>\n'


def _named(of: str, name: str) -> str:
    return f' data-{of}="{escape(name)}"' if of else ""
