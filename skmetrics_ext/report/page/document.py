"""One self-contained HTML page: tables and pictures, nothing to load."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_STYLE = """
:root {color-scheme: light dark; --line: #8888; --ink: #1a1a1a; --paper: #fff; --dot: #0072b2;
  --quiet: #666}
@media (prefers-color-scheme: dark) {
  :root {--ink: #e8e8e8; --paper: #16181b; --dot: #56b4e9; --quiet: #a0a0a0}
}
body {font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 0 auto; max-width: 76rem; padding: 1rem}
h1 {font-size: 1.5rem; line-height: 1.2} h2 {font-size: 1.15rem; margin-top: 2rem}
p.lead, figcaption, caption, .note {color: var(--quiet)}
.note {font-size: .87rem; max-width: 48rem}
.wide {overflow-x: auto; max-width: 100%}
table {border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem}
caption {text-align: left; padding-bottom: .4rem}
th, td {padding: .3rem .55rem; text-align: right; white-space: nowrap}
th[scope=row], td.text, th.text {text-align: left}
thead th {border-bottom: 1px solid var(--line); vertical-align: bottom}
tbody tr:hover {background: #8882}
tr.baseline {font-style: italic; border-top: 1px dotted var(--line)}
td small {color: var(--quiet)}
.pictures {display: grid; gap: 1.2rem; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 25rem), 1fr))}
figcaption {text-align: center} figure {margin: 0 auto; width: 100%; max-width: 34rem}
figure svg, figure img {width: 100%; height: auto; display: block}
details {margin-top: 2rem} summary {cursor: pointer; font-weight: 600}
@media print {details > * {display: block} body {max-width: none}}
""".strip()


def document(title: str, lead: Iterable[str], body: Iterable[str]) -> str:
    """A page with a heading, a few lines under it, and parts already in HTML."""
    lines = "".join(f'<p class="lead">{escape(line)}</p>\n' for line in lead)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n{lines}{''.join(body)}</body>\n</html>\n"
    )


def section(title: str, *parts: str) -> str:
    """A heading and what stands under it."""
    return f"<h2>{escape(title)}</h2>\n{''.join(parts)}"


def note(text: str) -> str:
    """A paragraph in small print."""
    return f'<p class="note">{escape(text)}</p>\n'


def pictures(figures: Iterable[tuple[str, str]]) -> str:
    """Pairs of a picture in HTML and its caption, side by side where there is room."""
    shown = "".join(
        f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>\n"
        for picture, caption in figures
    )
    return f'<div class="pictures">{shown}</div>\n'


def folded(title: str, *parts: str) -> str:
    """A part that is opened by a click."""
    return f"<details><summary>{escape(title)}</summary>\n{''.join(parts)}</details>\n"
