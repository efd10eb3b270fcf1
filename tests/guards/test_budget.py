"""Code lines of each directory: neither blank, nor comment, nor docstring."""

import ast
import io
import tokenize
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import skmetrics_ext

PACKAGE = Path(skmetrics_ext.__file__).parent
# A limit is what was reached plus the slack that a change may use on its way; it rises only when a
# capability is added on purpose, and falls when lines go.
SLACK = 150
LIMITS = {
    "inference": 10792,
    "metrics and registry": 6498,
    "report": 3969,
    "operations": 596,
    "merged and slices": 3901,
    "validation": 2789,
    "plotting": 1250,
    "curve_tables": 1366,
    "backends": 2251,
    "top level": 1922,
    "cli": 2274,
    "scoring": 1137,
    "questions": 475,
    "thresholds": 1314,
    "tallies": 1118,
    "kernels and datasets": 1113,
}
PAIRS = {
    "metrics": "metrics and registry",
    "registry": "metrics and registry",
    "merged": "merged and slices",
    "slices": "merged and slices",
    "kernels": "kernels and datasets",
    "datasets": "kernels and datasets",
}
MOST_FILES = 269
SKIPPED = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)


def code_lines(text):
    """Lines that hold code."""
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SKIPPED:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if ast.get_docstring(node, clean=False) is not None:
                lines -= set(range(first.lineno, first.end_lineno + 1))
    return len(lines)


def directory_of(path):
    parts = path.relative_to(PACKAGE).parts
    return PAIRS.get(parts[0], parts[0]) if len(parts) > 1 else "top level"


@cache
def files():
    """Code lines by file."""
    return {path: code_lines(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


def test_lines_are_counted_without_comments_and_docstrings():
    text = (
        '"""Title.\n\nMore."""\n\nx = (1,  # one\n     2)\n\n\ndef f():\n    """Doc."""\n    # so\n'
    )
    assert code_lines(text + "    return x\n") == 4


def test_every_directory_keeps_its_budget():
    found = Counter()
    for path, lines in files().items():
        found[directory_of(path)] += lines
    assert set(found) == set(LIMITS)
    over = {name: (found[name], limit) for name, limit in LIMITS.items() if found[name] > limit}
    assert not over, f"code lines above the limit: {over}"


@pytest.mark.parametrize("name", LIMITS)
def test_no_limit_is_above_what_was_reached(name):
    """A limit follows the lines down, so that what was removed stays removed."""
    lines = sum(n for path, n in files().items() if directory_of(path) == name)
    assert LIMITS[name] <= lines + SLACK


def test_files_are_few():
    assert len(files()) <= MOST_FILES
