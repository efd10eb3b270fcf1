"""Names of models, labels and columns are text in every format, whatever they hold."""

import re
import unicodedata
from html.parser import HTMLParser

import pytest

from skmetrics_ext.formats import html_text, latex_text, markdown_text, text_table, visible
from skmetrics_ext.results import Table

HOSTILE = (
    "[x](javascript:alert(1))", "![x](http://a.b/c.png)", "[x][y]", "[x]: javascript:alert(1)",
    "<javascript:alert(1)>", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>",
    "a | b", "a\\|b", "`code`", "``", "**bold**", "_it_ __b__", "~~gone~~", "&lt;b&gt;", "&amp;",
    "&#60;b>", "a\\", "# title", "## ", "> quote", "- item", "+ item", "1. item", "12) item",
    "---", "- - -", "===", "```", "~~~", "    code", "a\rb", "a\r\n\r\nb", "a\n# b", "a\tb",
    "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x00", "a\u2028b", "\u202eabc", "a\x85b",
    "\x9b31m", '" onmouseover="alert(1)', "' x='", "$x$", "\\input{/etc/passwd}", "\\", "{}",
    "a--b", "---", "``q''", "?`!`", ",,x", "100 %", "~", "^", "#1", "-0.5", "< 0.001", "AT&T",
    "[0.1, 0.9]", "[1] note", "Größe 年",
)  # fmt: skip


def table(text):
    row = {"model": text, text or "x": "y", "note": text}
    return Table([row, {"model": "plain"}], lead=[text], notes=[text], baseline=text)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_format_passes_control_characters(text):
    rows = table(text)
    for shown in (str(rows), rows.to_markdown(), rows.to_latex(), rows._repr_html_()):
        lines = shown.split("\n")
        assert not [
            c for c in "".join(lines) if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")
        ]
        assert len(lines) == len(shown.splitlines()) + shown.endswith("\n")


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_reads_it_as_text(text):
    """As CommonMark's reference reader does, with the tables of GitHub."""
    reader = pytest.importorskip("markdown_it").MarkdownIt("commonmark")
    reader.enable(["table", "strikethrough"])
    shown = " ".join(visible(text).split(" ")).strip()
    tokens = reader.parse(markdown_text(text))
    kinds = [token.type for token in tokens]
    assert kinds == (["paragraph_open", "inline", "paragraph_close"] if shown else [])
    for token in tokens:
        for child in token.children or ():
            assert child.type in ("text", "text_special")
    read = "".join(c.content for token in tokens for c in token.children or ())
    assert read == shown
    whole = reader.parse(table(text).to_markdown())
    assert not {token.type for token in whole} & {"heading_open", "html_block", "hr", "fence"}
    cells = [t for t in whole if t.type == "inline" and t.level == 4]
    assert len(cells) == 3 * 3
    assert cells[3].children == [] or "".join(c.content for c in cells[3].children) == shown


class _Reader(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.text = set(), [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.parametrize("text", HOSTILE)
def test_html_reads_it_as_text(text):
    page = _Reader(table(text)._repr_html_())
    plain = _Reader(table("plain")._repr_html_())
    assert page.tags == plain.tags
    assert {name for name, _ in page.attributes} == {name for name, _ in plain.attributes}
    if visible(text).strip():
        assert visible(text) in page.text
    assert _Reader(f'<p title="{html_text(text)}">').attributes == [("title", visible(text))]


_COMMANDS = (
    "textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_latex_reads_it_as_text(text):
    """Undo what LaTeX would do: commands for signs, escapes, and empty groups."""
    shown = latex_text(text)
    assert not re.search(r"--|``|''|,,|\?`|!`", shown)
    signs = dict(zip(_COMMANDS, "\\~^<>|", strict=True))
    pattern = rf"\\({'|'.join(_COMMANDS)})\{{\}}|\\([&%$#_{{}}])|\{{([][]?)\}}|([^\\{{}}&%$#_~^])"
    read, end = "", 0
    for match in re.finditer(pattern, shown):
        assert match.start() == end
        end = match.end()
        read += signs.get(match[1], "") + (match[2] or "") + (match[3] or "") + (match[4] or "")
    assert end == len(shown)
    assert read == visible(text)


def test_columns_stay_aligned():
    shown = text_table(["a\nb", "c"], [["x\r\ny", "1"], ["\x1b[2J", "22"]])
    assert shown == "a b       c\n-------  --\nx  y      1\n\\x1b[2J  22"


def test_joined_letters_and_pictures_stay_whole():
    for text in ("می‌خواهم", "👩‍🔬"):
        assert visible(text) == text
