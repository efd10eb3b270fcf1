"""Every block of Python in a page is executed by some test."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from support.markdown import ROOT, Block, blocks

NOT_RUN = "<!-- not run: "  # and why, in the paragraph above a block
# Executed by tests of their own: test_readme.py (and the same blocks in Chinese),
# test_contributing.py and test_command_line_page.py, which apply to every block of these files.
OWN_TESTS = {"README.md", "README.zh.md", "CONTRIBUTING.md", "docs/guide/command_line.md"}


def pages() -> list[Path]:
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("benchmarks/*.md")]
    return sorted(path for path in found if "auto_gallery" not in path.parts)


def is_python(block: Block) -> bool:
    return block.language in ("python", "py", "pycon") or ">>> " in block.text


def is_doctest(block: Block) -> bool:
    """Whether each line is entered at a prompt, or is an answer to one."""
    return block.text.startswith(">>> ")


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_each_block_is_executed(path: Path) -> None:
    name = path.relative_to(ROOT).as_posix()
    if name in OWN_TESTS:
        return
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    options = settings["pytest"]["ini_options"]
    assert "--doctest-glob=*.md" in options["addopts"]
    collected = any(
        path.is_relative_to(ROOT / tested) for tested in options["testpaths"]
    ) and not any(
        path.is_relative_to(ROOT / option.removeprefix("--ignore="))
        for option in options["addopts"]
        if option.startswith("--ignore=")
    )
    for block in filter(is_python, blocks(path)):
        if block.before.startswith(NOT_RUN) and len(block.before) > len(NOT_RUN) + 10:
            continue
        where = f"{name}:{block.line}"
        assert is_doctest(block), f"{where}: no prompts, and no comment '{NOT_RUN}...' above"
        assert collected, f"{where}: pytest does not collect this file"


def test_blocks_are_found() -> None:
    """A pattern that matched nothing would pass every page."""
    found = [block for path in pages() for block in blocks(path)]
    assert sum(map(is_doctest, found)) > 20
    assert sum(block.before.startswith(NOT_RUN) for block in found) >= 1
    assert {"sh", "python", "text"} <= {block.language for block in found}
