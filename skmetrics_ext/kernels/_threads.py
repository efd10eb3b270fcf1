"""Number of threads that a large call may use."""

from __future__ import annotations

import math
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path("/")


def n_threads() -> int:
    """Threads for one large call; a single one within another pool's threads and processes.

    The first number of ``OMP_NUM_THREADS`` (a list has one for each level of nesting), else the
    number of processors available to this process.
    """
    processes = sys.modules.get("multiprocessing")
    if threading.current_thread() is not threading.main_thread() or (
        processes is not None and processes.parent_process() is not None
    ):
        return 1
    setting = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if setting.isdecimal() and int(setting) > 0:
        return int(setting)
    return usable_processors()


def usable_processors(root: Path = _ROOT) -> int:
    """Processors available to this process under its affinity and control-group quotas.

    ``root`` is the root folder of the file system.
    """
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    else:  # not on macOS and Windows
        processors = os.cpu_count() or 1
    return int(max(1, min([processors, *_quotas(root)])))


def _quotas(root: Path) -> Iterator[float]:
    """CPU quotas, in processors, of this process's control groups and their parents."""
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
    """A group's folder and its parents, some of which may be missing in a container."""
    folder = top / inside
    yield folder
    while folder != top:
        folder = folder.parent
        yield folder


def _share(text: str) -> float:
    """Quota over period; "max" and -1 mean no limit."""
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
