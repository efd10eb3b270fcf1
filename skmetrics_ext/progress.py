"""Telling how far a long computation is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = bool | Callable[[int, int], object] | None


@contextmanager
def reporting(progress: Progress, total: int, unit: str = "fit") -> Iterator[Callable[[int], None]]:
    """A function to call with the number of finished parts.

    Parameters
    ----------
    progress : bool, callable or None
        True is a bar of tqdm, or lines on stderr where tqdm is missing; a callable is called
        with the number of finished parts and of all.
    total : int
        Number of all parts.
    unit : str, default="fit"
        What a part is.
    """
    if callable(progress):
        report = progress
        yield lambda done: _ignore(report(done, total))
    elif not progress:
        yield _ignore
    else:
        try:
            from tqdm import tqdm
        except ImportError:
            yield lambda done: print(f"{done}/{total} {unit}s", file=sys.stderr, flush=True)
            return
        with tqdm(total=total, unit=unit, file=sys.stderr) as bar:
            yield lambda done: _ignore(bar.update(done - bar.n))


def _ignore(_: object) -> None:
    pass
