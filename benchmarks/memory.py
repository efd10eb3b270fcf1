"""Peak memory of one call above its inputs, in a process of its own.

    python benchmarks/memory.py roc_auc_score native 1000000

prints bytes; the second argument is "native", "numpy" (our kernels) or the name of a peer. The
peak of the resident set is reset after the inputs are made and a small call has loaded what loads
late. Linux only.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

_RESET, _STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")
# The allocator gives back what is freed, so that the call cannot live in the leftovers of the
# inputs.
_ENVIRONMENT = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
_SMALL = 1000


def peak(case: str, who: str, n: int, repeats: int = 3) -> float | None:
    """Median of some processes in bytes, None where it cannot be measured."""
    if not _RESET.exists():
        return None
    command = [sys.executable, str(Path(__file__).resolve()), case, who, str(n)]
    found = []
    for _ in range(repeats):
        done = subprocess.run(
            command, env=os.environ | _ENVIRONMENT, capture_output=True, text=True
        )
        if done.returncode != 0:
            return None
        found.append(int(done.stdout))
    return statistics.median(found)


def measure_here(name: str, who: str, n: int) -> int:
    """Bytes of one call in this process."""
    from cases import CASES
    from timing import one_thread

    case = next(case for case in CASES if case.name == name)
    small, inputs = case.data(max(_SMALL, case.min_n)), case.data(n)

    def prepare(given):  # type: ignore[no-untyped-def]
        ours = case.ours(given)
        if who in ("native", "numpy"):
            return ours[who]
        return next(peer for peer in case.peers if peer.library == who).entrant(given)

    with one_thread():
        prepare(small).answer()
        entrant = prepare(inputs)
        before = _status("VmRSS")
        _RESET.write_text("5")
        answer = entrant.answer()
        after = _status("VmHWM")
        del answer
    return max(after - before, 0)


def _status(key: str) -> int:
    return 1024 * int(re.search(rf"{key}:\s*(\d+) kB", _STATUS.read_text())[1])


if __name__ == "__main__":
    print(measure_here(sys.argv[1], sys.argv[2], int(sys.argv[3])))
