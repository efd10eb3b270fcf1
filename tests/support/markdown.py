"""Parts of the Markdown files of the repository: fenced blocks, tables, links."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^( *)```(\w*)[^\n`]*\n(.*?)^\1```\s*$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A fenced block."""

    language: str
    text: str
    line: int
    before: str  # the paragraph above it


def blocks(path: Path) -> list[Block]:
    """Fenced blocks of a file in their order, without the indentation of the fence."""
    text = path.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(text):
        above = text[: match.start()]
        body = re.sub(f"^{match[1]}", "", match[3], flags=re.MULTILINE)
        before = above.rstrip().rpartition("\n\n")[2]
        found.append(Block(match[2], body, above.count("\n") + 1, before))
    return found


def table(path: Path, corner: str) -> list[list[str]]:
    """Cells of the table whose heading has this second column, heading first, no rule."""
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    ]
    starts = [i for i, row in enumerate(rows) if len(row) > 1 and row[1] == corner]
    assert len(starts) == 1, f"{path.name} has {len(starts)} tables with a column {corner!r}"
    width = len(rows[starts[0]])
    found = []
    for row in rows[starts[0] :]:
        if len(row) != width:
            break
        found.append(row)
    return [found[0], *found[2:]]


def links(path: Path) -> list[str]:
    """Targets of links and pictures that are files of the repository, without anchors.

    In a release their addresses are absolute (.ci/address.py).
    """
    text = _FENCE.sub("", path.read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if source := project.get("urls", {}).get("Source"):
        text = re.sub(rf"{re.escape(source)}/(?:blob|raw)/[^/]+/", "", text)
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    return [t.partition("#")[0] for t in targets if not t.startswith(("http", "mailto:", "#"))]
