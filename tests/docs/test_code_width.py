"""Code of the pages fits its box."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.markdown import ROOT, blocks

WIDEST = 100  # letters that the box of a page holds on a common screen
MESSAGE = "skmetrics_ext.validation.errors."  # of a traceback, which cannot be broken
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "auto_gallery" not in path.parts)
SCRIPTS = sorted((DOCS / "gallery").glob("*.py"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(DOCS).as_posix())
def test_lines_of_code_fit(path: Path) -> None:
    lines = [
        line
        for block in blocks(path)
        if block.language in ("python", "pycon")
        for line in block.text.splitlines()
    ]
    assert [line for line in lines if len(line) > WIDEST and not line.startswith(MESSAGE)] == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_lines_of_examples_fit(path: Path) -> None:
    code = path.read_text(encoding="utf-8").rpartition('"""')[2].splitlines()
    shown = [line for line in code if not line.startswith("#")]  # which is prose
    assert max(map(len, shown)) <= WIDEST
