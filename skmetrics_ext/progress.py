"""Progress of long computations."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = bool | Callable[[int, int], object] | None


@contextmanager
def reporting(
    progress: Progress, total: int, unit: str = "fit"
) -> Iterator[Callable[[int], object]]:
    """Context manager that yields a function to call with the number of finished parts.

    Parameters
    ----------
    progress : bool, callable or None
        True shows a tqdm bar, or lines on stderr if tqdm is not installed; a callable is called
        with the number of finished parts and the total.
    total : int
        Number of parts.
    unit : str, default="fit"
        Name of a part.
    """
    if callable(progress):
        report = progress
        yield lambda done: report(done, total)
    elif not progress:
        yield lambda done: None
    else:
        try:
            from tqdm import tqdm
        except ImportError:
            yield lambda done: print(f"{done}/{total} {unit}s", file=sys.stderr, flush=True)
            return
        with tqdm(total=total, unit=unit, file=sys.stderr) as bar:
            yield lambda done: bar.update(done - bar.n)
