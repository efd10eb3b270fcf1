"""Our own times and peak memory from commit to commit: the rows of the table marked ``history``."""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cases import CASES

_FOLLOWED = {case.name: case for case in CASES if case.history}


class _Followed:
    param_names = ("case", "n")

    def setup(self, name: str, n: int) -> None:
        case = _FOLLOWED[name]
        if case.find() is None or not case.min_n <= n <= case.max_n:
            raise NotImplementedError  # asv's word for: skip
        self.call = case.prepare(case.data(n))
        self.call()


class Time(_Followed):
    """CPU time of one call."""

    timer = time.process_time
    timeout = 300
    params = (list(_FOLLOWED), [100, 10_000, 1_000_000])

    def time_call(self, name: str, n: int) -> None:
        self.call()


class Memory(_Followed):
    """Peak memory of the process, inputs included."""

    timeout = 300
    params = (list(_FOLLOWED), [1_000_000])

    def peakmem_call(self, name: str, n: int) -> None:
        self.call()


class Import:
    """Time of an import in a fresh interpreter, bare Python included."""

    def timeraw_import(self) -> str:
        return "from skmetrics_ext import roc_auc_score"
