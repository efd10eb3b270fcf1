"""What the commands say, and numbers that they are told."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from skmetrics_ext.validation.errors import printable

_LONG_TO_READ = 1 << 25  # bytes


def say(text: str) -> None:
    """One line on stderr; none for no text."""
    if not text:
        return
    print(f"skmetrics_ext: {printable(' '.join(text.split()))}", file=sys.stderr, flush=True)


def tell(text: str) -> None:
    """Lines on stdout; names of columns, labels and groups may not steer the terminal."""
    print("\n".join(map(printable, text.split("\n"))))


def say_reading(path: str) -> None:
    """A line where reading a file takes a while."""
    size = Path(path).stat().st_size if Path(path).is_file() else 0
    if size > _LONG_TO_READ:
        say(f"reading {path}: {size / (1 << 20):,.0f} MiB")


def json_of(value: Any) -> str:
    """JSON; nan and infinities, which it lacks, are null."""
    return json.dumps(_finite(value), indent=2, allow_nan=False, default=str)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def new_file(text: str) -> str:
    """A type of argument: a file that can be written, as is found before the work."""
    path = Path(text)
    if not text or path.is_dir():
        raise argparse.ArgumentTypeError(f"must name a file, got {text!r}")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {str(path.parent)!r} for {text!r}")
    is_special = path.exists() and not path.is_file()  # others are replaced by a new file
    places = [path] if is_special else [path, path.parent]
    if not all(os.access(place, os.W_OK) for place in places if place.exists()):
        raise argparse.ArgumentTypeError(f"{text!r} may not be written")
    return text


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
