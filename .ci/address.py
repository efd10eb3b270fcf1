"""Writes where the repository lies into the files that are read outside of it.

    python .ci/address.py v1.2.3

The addresses are those of `.ci/addresses.toml`. Links and pictures of both READMEs become
absolute, and pyproject.toml gets the addresses that a package index shows. It changes these files
in place: for the checkout of a release.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ADDRESSES = ".ci/addresses.toml"

RELATIVE = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)]+)\)")


def absolute_links(text: str, address: str, revision: str) -> str:
    """The same text, with each link to a file of the repository as an address of its own."""

    def absolute(match: re.Match[str]) -> str:
        picture, words, path = match.groups()
        kind = "raw" if picture else "blob"
        return f"{picture}[{words}]({address}/{kind}/{revision}/{path})"

    return RELATIVE.sub(absolute, text)


def with_addresses(text: str, address: str, documentation: str) -> str:
    """pyproject.toml with the addresses of the project."""
    addresses = {
        "Homepage": address,
        "Documentation": documentation,
        "Source": address,
        "Issues": f"{address}/issues",
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
    }
    lines = "".join(f'{name} = "{url}"\n' for name, url in addresses.items())
    return text.replace("[project.scripts]", f"[project.urls]\n{lines}\n[project.scripts]", 1)


def main(revision: str, root: str = ".") -> None:
    """Changes the files of a checkout."""
    known = tomllib.loads(Path(root, ADDRESSES).read_text(encoding="utf-8"))
    if missing := [name for name, url in known.items() if not url.startswith("https://")]:
        sys.exit(f"{ADDRESSES} has no https:// address of: {', '.join(missing)}")
    address, documentation = known["repository"].rstrip("/"), known["documentation"].rstrip("/")
    for name, change in (
        ("README.md", lambda text: absolute_links(text, address, revision)),
        ("README.zh.md", lambda text: absolute_links(text, address, revision)),
        ("pyproject.toml", lambda text: with_addresses(text, address, documentation)),
        ("CITATION.cff", lambda text: f"{text.rstrip()}\nrepository-code: {address}\n"),
    ):
        path = Path(root, name)
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
