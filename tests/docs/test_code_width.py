"""Code of the pages fits its box."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.markdown import ROOT, Block, blocks

WIDEST = 100  # letters that the box of a page holds on a common screen
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "auto_gallery" not in path.parts)
SCRIPTS = sorted((DOCS / "gallery").glob("*.py"))


def is_program(block: Block) -> bool:
    """Whether all of it is code, without prompts and answers; answers go on below."""
    return block.language == "python" and ">>> " not in block.text


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(DOCS).as_posix())
def test_lines_of_code_fit(path: Path) -> None:
    lines = [
        line
        for block in blocks(path)
        for line in block.text.splitlines()
        if line.startswith((">>> ", "... ")) or is_program(block)
    ]
    assert [line for line in lines if len(line) > WIDEST] == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_lines_of_examples_fit(path: Path) -> None:
    code = path.read_text(encoding="utf-8").rpartition('"""')[2].splitlines()
    shown = [line for line in code if not line.startswith("#")]  # which is prose
    assert max(map(len, shown)) <= WIDEST
