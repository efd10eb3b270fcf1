"""What the commands say, and numbers that they are told."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable


def say(text: str) -> None:
    """One line on stderr; none for no text."""
    if not text:
        return
    print(f"skmetrics_ext: {' '.join(text.split())}", file=sys.stderr, flush=True)


def whole_number(least: int) -> Callable[[str], int]:
    """A type of argument: a whole number of at least so much."""

    def read(text: str) -> int:
        number = int(text) if text.isdecimal() else least - 1
        if number < least:
            raise argparse.ArgumentTypeError(
                f"must be a whole number of at least {least}, got {text!r}"
            )
        return number

    return read


def share(text: str) -> float:
    """A type of argument: a number strictly between 0 and 1."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"must be a number between 0 and 1, got {text!r}")
    return number
