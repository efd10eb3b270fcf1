"""What `mutation.py` found, as a page."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from output import markdown

SEEN = Path(__file__).parent / "results" / "mutation.toml"


def verdicts() -> dict[str, str]:
    """Why no test can find them, of survivors that were looked at."""
    if not SEEN.exists():
        return {}
    return tomllib.loads(SEEN.read_text(encoding="utf-8")).get("equivalent", {})


def page(found: list[dict[str, Any]], groups: list[str]) -> str:
    """The table, and the survivors with what was found of them."""
    equal, lines = verdicts(), []
    tried = [one for one in found if one["outcome"] != "same code"]
    for name in [*groups, "all"]:
        own = [one for one in tried if name in ("all", one["group"])]
        killed = sum(one["outcome"] == "killed" for one in own)
        same = sum(one["outcome"] == "survived" and one["key"] in equal for one in own)
        if own:
            counted = len(own) - same
            share = f"{killed / counted:.1%}" if counted else "-"
            lines.append([name, str(len(own)), str(killed), str(same), share])
    head = ["where", "mistakes", "found", "of the survivors equivalent", "found of the others"]
    left = [one for one in tried if one["outcome"] == "survived"]
    named = [
        f"- `{one['key']}` (line {one['line']}, {one['tests']} tests): "
        + equal.get(one["key"], "**not found**")
        for one in left
    ]
    return "\n".join([markdown(head, lines), "", "Survivors:", "", *named])
