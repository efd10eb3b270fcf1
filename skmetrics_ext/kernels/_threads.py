"""How many threads one large call may use."""

from __future__ import annotations

import math
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path("/")


def n_threads() -> int:
    """Threads for one large call; one in the threads and processes of somebody else's pool.

    The first number of ``OMP_NUM_THREADS`` (a list has one for each level of nesting), else as
    many as there are processors that this process may use.
    """
    processes = sys.modules.get("multiprocessing")
    if threading.current_thread() is not threading.main_thread() or (
        processes is not None and processes.parent_process() is not None
    ):
        return 1
    asked = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    return usable_processors()


def usable_processors(root: Path = _ROOT) -> int:
    """Processors that affinity and the quotas of control groups leave to this process.

    ``root`` is where the files of the system begin.
    """
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    else:  # not on macOS and Windows
        processors = os.cpu_count() or 1
    return int(max(1, min([processors, *_quotas(root)])))


def _quotas(root: Path) -> Iterator[float]:
    """Processors' worth of time in the control groups of this process and in those around them."""
    groups = root / "sys/fs/cgroup"
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        inside = path.strip("/")
        if controllers == "":
            for folder in _upwards(groups, inside):
                yield _share(_read(folder / "cpu.max"))
        elif "cpu" in controllers.split(","):
            for folder in _upwards(groups / "cpu", inside):
                names = ("cpu.cfs_quota_us", "cpu.cfs_period_us")
                yield _share(" ".join(_read(folder / name) for name in names))


def _upwards(top: Path, inside: str) -> Iterator[Path]:
    """A group's folder and those around it; in a container some may not be there."""
    folder = top / inside
    yield folder
    while folder != top:
        folder = folder.parent
        yield folder


def _share(text: str) -> float:
    """Time over period: no number ("max") and no positive one (-1) say that there is no limit."""
    quota, _, period = text.partition(" ")
    try:
        share = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):
        return math.inf
    return share if share > 0 else math.inf


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
