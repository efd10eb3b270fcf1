"""Writes where the repository lies into the files that are read outside of it.

    python .ci/address.py https://HOST/OWNER/REPOSITORY v1.2.3

Links and pictures of both READMEs become absolute, and pyproject.toml gets the addresses that a
package index shows. It changes these files in place: for the checkout of a release.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

RELATIVE = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)]+)\)")


def absolute_links(text: str, address: str, revision: str) -> str:
    """The same text, with each link to a file of the repository as an address of its own."""

    def absolute(match: re.Match[str]) -> str:
        picture, words, path = match.groups()
        kind = "raw" if picture else "blob"
        return f"{picture}[{words}]({address}/{kind}/{revision}/{path})"

    return RELATIVE.sub(absolute, text)


def with_addresses(text: str, address: str) -> str:
    """pyproject.toml with the addresses of the project."""
    addresses = {
        "Homepage": address,
        "Source": address,
        "Issues": f"{address}/issues",
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
    }
    lines = "".join(f'{name} = "{url}"\n' for name, url in addresses.items())
    return text.replace("[project.scripts]", f"[project.urls]\n{lines}\n[project.scripts]", 1)


def main(address: str, revision: str, root: str = ".") -> None:
    """Changes the files of a checkout."""
    address = address.rstrip("/")
    for name, change in (
        ("README.md", lambda text: absolute_links(text, address, revision)),
        ("README.zh.md", lambda text: absolute_links(text, address, revision)),
        ("pyproject.toml", lambda text: with_addresses(text, address)),
        ("CITATION.cff", lambda text: f"{text.rstrip()}\nrepository-code: {address}\n"),
    ):
        path = Path(root, name)
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
