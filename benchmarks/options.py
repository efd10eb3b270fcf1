"""What all scripts that race take from the command line."""

from __future__ import annotations

import argparse
from pathlib import Path


def race_parser(
    description: str | None, place: str, *, rounds: int = 15, seconds: float = 10.0
) -> argparse.ArgumentParser:
    """A parser of the first line of a description, with rounds, a clock and pages to write to."""
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    parser.add_argument(
        "--rounds", type=_rounds, default=rounds, help=f"at most (default {rounds}, at least 3)"
    )
    parser.add_argument("--seconds", type=float, default=seconds, help="stop a race after so long")
    parser.add_argument("--wall", dest="clock", action="store_const", const="wall", default="cpu")
    parser.add_argument(
        "--into", type=Path, nargs="+", default=[], metavar="PAGE",
        help=f"also put the text where these pages have <!-- begin {place} -->",
    )  # fmt: skip
    return parser


def _rounds(text: str) -> int:
    return max(int(text), 3)
