"""Numbers and tables for readers: plain text, HTML, Markdown, LaTeX, JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from html import escape
from shutil import get_terminal_size
from typing import Any, Self

import numpy as np

_WIDTH = 100
_GAP = "  "
_WIDEST, _PADDING = 22, 4  # characters: the largest minimum width of an HTML text column

# --------------------------------------------------------------------------- numbers


class Drawn(float):
    """A number from random draws, with its Monte Carlo standard error.

    `digits` prints the digits that it determines; to everything else it is a float.
    """

    error: float

    def __new__(cls, value: float, error: float = 0.0) -> Self:
        drawn = super().__new__(cls, value)
        drawn.error = float(error)
        return drawn


def digits(value: float, form: str) -> str:
    """A formatted number; the last digit is worth at least two Monte Carlo standard errors."""
    error = getattr(value, "error", 0.0)
    if not 0 < error < math.inf:
        return format(value, form)
    places = math.floor(-math.log10(2 * error))
    if form.endswith("f"):
        start, _, most = form[:-1].rpartition(".")
        form = f"{start}.{min(int(most), max(places, 0))}f"
    return format(round(float(value), places) + 0.0, form)


def number(value: float) -> str:
    """Four decimals, or four digits from 1000 on; "undefined" for nan."""
    if math.isnan(value):
        return "undefined"
    return digits(value, "z.4f" if abs(value) < 1000 else ".4g")


def count(value: float) -> str:
    """A number of rows, in full; a sum of weights has up to four decimals."""
    return f"{round(float(value), 4):.15g}"


def known(value: float) -> str:
    """A number; empty for nan."""
    return "" if math.isnan(value) else number(value)


def interval(low: float, high: float) -> str:
    """Bounds in brackets; empty for nan."""
    return "" if math.isnan(low) or math.isnan(high) else f"[{number(low)}, {number(high)}]"


def signed(value: float) -> str:
    """A difference with its sign."""
    return "" if math.isnan(value) else f"{'+' if value > 0 else ''}{number(value)}"


def form_for(low: float, high: float) -> Callable[..., str]:
    """A form of numbers for a sentence, with as many decimals as an interval deserves.

    Three decimals, or as many as show two digits of its width; with ``sign`` a plus as well.
    """
    width, places = high - low, 3
    if 0 < width < math.inf:
        places = max(places, 1 - math.floor(math.log10(width)))

    def form(value: float, *, sign: bool = False) -> str:
        if math.isnan(value):
            return "undefined"
        plus = "+" if sign and value else ""
        return digits(value, plus + (f"z.{places}f" if abs(value) < 1000 else ".4g"))

    return form


def with_interval(value: float, low: float, high: float, *, sign: bool = False) -> str:
    """A number with its bounds in a sentence: "0.995 [0.987, 0.998]"."""
    form = form_for(low, high)
    bounds = "" if math.isnan(high - low) else f" [{form(low)}, {form(high)}]"
    return form(value, sign=sign) + bounds


def probability(value: float) -> str:
    """Three decimals, or "< 0.001"; fewer where draws determine no more."""
    if math.isnan(value):
        return ""
    shown = digits(value, ".3f")
    return f"< {shown[:-1]}1" if value < 0.001 or not float(shown) else shown


def p_value_text(value: float) -> str:
    """Three digits after "= ", or "< " and the last decimal that draws determine."""
    shown = digits(value, ".3g")
    is_below = value and not float(shown)
    return f"< {digits(value, '.15f')[:-1]}1" if is_below else f"= {shown}"


def plain(value: Any, n_folds: Any = None) -> str:
    """Any value as text: numbers by `known`, reasons with counts, None as empty text."""
    if value is None:
        return ""
    if isinstance(value, dict) and n_folds:
        return "; ".join(f"in {count} of {n_folds} folds: {text}" for text, count in value.items())
    if isinstance(value, dict):
        return "; ".join(f"{text} ({count})" for text, count in value.items())
    # float32 of NumPy is not a subclass of float.
    if isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f":
        return known(float(value)) if not getattr(value, "ndim", 0) else str(value)
    return str(value)


# --------------------------------------------------------------------------- text

_JOINERS = "\u200c\u200d"  # not printable, but part of words and emoji


def visible(text: str) -> str:
    """Text on one line, with control characters and surrogates as escapes."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in _JOINERS else " " if c.isspace() else repr(c)[1:-1]
        for c in text
    )


def html_text(text: str) -> str:
    """Text escaped for HTML, in attributes too."""
    return escape(visible(text))


# Characters that are markup anywhere; a bracket only before what makes it a link.
_MARKDOWN = re.compile(r"[\\`*_|<~$]|\](?=[(\[:])|&(?=#?\w+;)")
# Marks of headings, quotes, rules and lists at the start of a paragraph.
_MARKDOWN_START = re.compile(r"^(\d{0,9})(?=(?:#{1,6}|[-+.)])(?: |$)|>|(?:- ?){3,}$|=+$)")


def markdown_text(text: str) -> str:
    """Text escaped for Markdown."""
    inline = _MARKDOWN.sub(r"\\\g<0>", visible(text).strip())
    return _MARKDOWN_START.sub(r"\1\\", inline)


_LATEX = str.maketrans(
    {mark: f"\\{mark}" for mark in "&%$#_{}"}
    | {
        "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}",
        "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}",
        "±": "$\\pm$", "−": "$-$", "[": "{[}", "]": "{]}",
    }
)  # fmt: skip
# Pairs that LaTeX joins to one sign: dashes, quotation marks, inverted punctuation.
_LATEX_PAIRS = re.compile(r"(?<=[-'`,!?])(?=[-'`,])")


def latex_text(text: str) -> str:
    """Text escaped for LaTeX; brackets are grouped, so that none is read as an option."""
    return "{}".join(part.translate(_LATEX) for part in _LATEX_PAIRS.split(visible(text)))


# --------------------------------------------------------------------------- tables


def line_width() -> int:
    """Characters of a line: 100, in a narrower terminal its width."""
    return min(_WIDTH, get_terminal_size((_WIDTH, 0)).columns)


def text_table(header: Sequence[str], rows: Iterable[Sequence[str]], align: str = "<") -> str:
    """Columns aligned by "<" or ">" in ``align``, and by ">" beyond its end."""
    grid = [
        [cell if cell.isprintable() else visible(cell) for cell in row] for row in (header, *rows)
    ]
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    sides = align.ljust(len(widths), ">")
    lines = [
        _GAP.join(
            [f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True)]
        ).rstrip()
        for row in grid
    ]
    rule = _GAP.join("-" * width for width in widths)
    return "\n".join([lines[0], rule, *lines[1:]])


def html_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    align: str = "<",
    *,
    caption: str = "",
    baseline: str | None = None,
) -> str:
    """An HTML table whose first column holds the row headings.

    Parameters
    ----------
    header, rows : sequence of str
        Texts, not escaped yet.
    align : str
        "<" for columns of text, ">" for others, and beyond its end; the first is always text.
    caption : str
        Text above the table.
    baseline : str or None
        Rows with a cell of this name are marked.
    """
    kinds = [' class="text"' if side == "<" else "" for side in align.ljust(len(header), ">")]
    kinds[0] = ' class="text"'
    rows = [list(row) for row in rows]
    head = ""
    for place, (cell, kind) in enumerate(zip(header, kinds, strict=True)):
        longest = max((len(row[place]) for row in rows), default=0)
        width = f' style="min-width:{min(longest + _PADDING, _WIDEST)}ch"' if kind else ""
        head += f'<th scope="col"{kind}{width}>{html_text(cell)}</th>'
    lines = []
    for row in rows:
        first = f'<th scope="row">{html_text(row[0])}</th>'
        rest = "".join(
            f"<td{kind}>{html_text(cell)}</td>"
            for cell, kind in zip(row[1:], kinds[1:], strict=True)
        )
        mark = ' class="baseline"' if baseline in row else ""
        lines.append(f"<tr{mark}>{first}{rest}</tr>\n")
    above = f"<caption>{html_text(caption)}</caption>" if caption else ""
    return (
        f'<div class="wide"><table>{above}<thead><tr>{head}</tr></thead>\n<tbody>\n'
        f"{''.join(lines)}</tbody></table></div>\n"
    )


_NOTEBOOK = """
.skmetrics-ext table {border-collapse: collapse; font-variant-numeric: tabular-nums}
.skmetrics-ext th, .skmetrics-ext td {padding: .25em .8em; text-align: right}
.skmetrics-ext th:first-child, .skmetrics-ext .text {text-align: left}
.skmetrics-ext thead th {border-bottom: 1px solid}
.skmetrics-ext tr.baseline {font-style: italic; border-top: 1px dotted}
""".strip()


def html_fragment(lead: Iterable[str], shown: str, notes: Iterable[str]) -> str:
    """HTML for notebooks: lines of text, a table in HTML, and notes in small print."""
    lines = "".join(f"<p>{html_text(line)}</p>" for line in lead)
    below = "".join(f"<p><small>{html_text(text)}</small></p>" for text in notes)
    return f'<div class="skmetrics-ext"><style>{_NOTEBOOK}</style>{lines}{shown}{below}</div>'


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]], align: str = "<") -> str:
    """A table in Markdown, as GitHub, GitLab and Sphinx read it."""
    sides = align.ljust(len(header), ">")
    rule = ["---:" if side == ">" else "---" for side in sides]
    grid = [map(markdown_text, header), rule, *(map(markdown_text, row) for row in rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in grid)


def latex_table(header: Sequence[str], rows: Iterable[Sequence[str]], align: str = "<") -> str:
    """A LaTeX ``tabular`` with booktabs rules."""
    sides = "".join("l" if side == "<" else "r" for side in align.ljust(len(header), ">"))
    first, *rest = (f"{' & '.join(map(latex_text, row))} \\\\" for row in [header, *rows])
    top = [f"\\begin{{tabular}}{{{sides}}}", "\\toprule", first, "\\midrule"]
    return "\n".join([*top, *rest, "\\bottomrule", "\\end{tabular}"])


# --------------------------------------------------------------------------- JSON


def fields_of(result: Any) -> dict[str, Any]:
    """Fields of a dataclass by name, without those that are not part of its representation."""
    return {item.name: getattr(result, item.name) for item in fields(result) if item.repr}


def python_of(value: Any) -> Any:
    """A value with its parts as dicts, lists and Python numbers."""
    if hasattr(value, "to_dict") and not isinstance(value, list):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        value = fields_of(value)
    if isinstance(value, Mapping):
        return {
            key.item() if isinstance(key, np.generic) else key: python_of(item)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [python_of(item) for item in value]
    if isinstance(value, Drawn):
        return float(value)
    return python_of(value.tolist()) if isinstance(value, np.ndarray | np.generic) else value


def json_of(value: Any, infinity: str | None = None) -> str:
    """JSON text; nan becomes null, and infinities ``infinity`` with their sign, or null, too."""
    return json.dumps(_finite(value, infinity), indent=2, allow_nan=False, default=str)


_PLAIN = (str, int, bool, type(None))  # what JSON holds as it is


def _finite(value: Any, infinity: str | None) -> Any:
    if isinstance(value, Mapping):
        return {
            str(key): item if type(item) in _PLAIN else _finite(item, infinity)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_finite(item, infinity) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, float) or math.isfinite(value):
        return value
    if math.isnan(value) or infinity is None:
        return None
    return infinity if value > 0 else f"-{infinity}"
