"""How time and memory grow with the rows, beside the limits: a table and a picture."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from cases import CASES
from data import Inputs
from measuring import own_kernels_kept, tell
from memory import peak
from output import markdown, mebibytes, seconds, three_digits
from timing import Entrant, race

FOLLOWED = ("roc_auc_score", "confusion_matrix")
_TITLES = {"roc_auc_score": "Binary area under the ROC curve",
           "confusion_matrix": "Confusion matrix, 10 classes"}  # fmt: skip
# Peers that take seconds where the others take milliseconds leave the race here.
_LAST_N = {"PyCM": 10**5}
_IN_MEMORY = ("native", "numpy", "scikit-learn")
_LEAST_ROWS = 10**4  # with fewer rows there is no memory to see
_READ, _SORT = "limit: reading the columns once", "limit: one np.sort"
_OURS = {"native": "skmetrics_ext, native", "numpy": "skmetrics_ext, NumPy"}

Series = dict[str, dict[int, float]]


def _limits(name: str, inputs: Inputs) -> dict[str, Entrant]:
    true, pred = inputs[0]
    found = {_READ: Entrant(lambda: (true.max(), pred.max()))}
    if name == "roc_auc_score":
        found[_SORT] = Entrant(lambda: np.sort(pred))
    return found


def measure_time(name: str, options: argparse.Namespace) -> Series:
    """Seconds of everybody at each size."""
    case = next(case for case in CASES if case.name == name)
    found: Series = {}
    with own_kernels_kept():
        for n in options.sizes:
            inputs = case.data(n)
            entrants = case.ours(inputs)
            for peer in case.peers:
                if peer.is_installed and n <= _LAST_N.get(peer.library, n):
                    entrants[peer.library] = peer.entrant(inputs)
            entrants |= _limits(name, inputs)
            tell(f"growth of {name}, n = {n:,}")
            for who, times in race(
                entrants, rounds=options.rounds, seconds=options.seconds, clock=options.clock
            ).items():
                found.setdefault(who, {})[n] = float(np.median(times))
    return found


def measure_memory(name: str, options: argparse.Namespace) -> Series:
    """Peak bytes above the inputs at each size of at least 10,000, of us and scikit-learn."""
    found: Series = {}
    for n in (n for n in options.sizes if n >= _LEAST_ROWS):
        tell(f"memory of {name}, n = {n:,}")
        for who in _IN_MEMORY:
            bytes_ = peak(name, who, n, options.memory_repeats)
            if bytes_ is not None:
                found.setdefault(who, {})[n] = bytes_
    return found


def measure(options: argparse.Namespace) -> dict[str, dict[str, Series]]:
    """Both, of each followed call."""
    return {
        name: {"time": measure_time(name, options), "memory": measure_memory(name, options)}
        for name in FOLLOWED
    }


def table(found: dict[str, dict[str, Series]]) -> str:
    """Every number, and the growth of ours from size to size."""
    parts = []
    for name, both in found.items():
        for kind, shown in (("time", seconds), ("memory", mebibytes)):
            series = both[kind]
            if not series:
                continue
            sizes = list(dict.fromkeys(n for line in series.values() for n in line))
            parts += [f"{name}, {_WHAT[kind]}:", _series_table(series, sizes, shown)]
    growth = markdown(
        ["call", "what", "kernels", *(f"{a:,} to {b:,}" for a, b in _steps(found))],
        [
            [name, kind, who, *_growth(both[kind][who], kind, _steps(found))]
            for name, both in found.items()
            for kind in both
            for who in _OURS
            if who in both[kind]
        ],
    )
    parts += [
        "Growth for ten times the rows (linear is x10, n log n is x12.0 and x11.7 in the last two "
        "steps; memory below 1 MiB has no growth to tell of):",
        growth,
    ]
    return "\n\n".join(parts)


_WHAT = {"time": "median time of a call", "memory": "peak memory above the inputs"}


def _series_table(series: Series, sizes: list[int], shown: Callable[[float], str]) -> str:
    return markdown(
        ["who", *(f"n = {n:,}" for n in sizes)],
        (
            [_OURS.get(who, who), *(shown(line[n]) if n in line else "-" for n in sizes)]
            for who, line in series.items()
        ),
    )


def _decades(sizes: Any) -> list[tuple[int, int]]:
    """Sizes that are ten times apart, from 1,000 on."""
    return [(n, 10 * n) for n in sizes if n >= 1000 and 10 * n in sizes]


def _steps(found: dict[str, dict[str, Series]]) -> list[tuple[int, int]]:
    return _decades(next(iter(found[FOLLOWED[0]]["time"].values())))


def _growth(line: dict[int, float], kind: str, steps: list[tuple[int, int]]) -> list[str]:
    least = 2**20 if kind == "memory" else 0
    return [
        f"x{three_digits(line[b] / line[a])}" if line.get(a, 0) > least else "-" for a, b in steps
    ]


# --------------------------------------------------------------------------- picture

# Colours of Okabe and Ito, which colour-blind readers tell apart.
_STYLES: dict[str, dict[str, Any]] = {
    "native": {"color": "#0072B2", "marker": "o", "linewidth": 2.4},
    "numpy": {"color": "#56B4E9", "marker": "s", "linewidth": 2.0},
    "scikit-learn": {"color": "#D55E00", "marker": "^", "linewidth": 2.0},
    "torchmetrics": {"color": "#CC79A7", "marker": "v", "linewidth": 1.4},
    "polars-ds": {"color": "#009E73", "marker": "D", "linewidth": 1.4},
    "PyCM": {"color": "#E69F00", "marker": "P", "linewidth": 1.4},
    _SORT: {"color": "0.35", "linestyle": "--", "linewidth": 1.2},
    _READ: {"color": "0.35", "linestyle": ":", "linewidth": 1.4},
}


def draw(found: dict[str, dict[str, Series]], path: Path) -> None:
    """A column of axes for each call: time above, memory below."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    figure, axes = plt.subplots(2, len(found), figsize=(9.6, 7.6), sharex=True, squeeze=False)
    for (name, both), (above, below) in zip(found.items(), axes.T, strict=True):
        _lines(above, both["time"], 1e3)
        _lines(below, both["memory"], 2**-20, least=0.01)
        above.set_title(_TITLES[name], fontsize=11)
        below.set_xlabel("rows")
    axes[0, 0].set_ylabel("milliseconds of a call")
    axes[1, 0].set_ylabel("peak memory above the inputs, MiB\n(0.01 is less than that)")
    seen = {who for both in found.values() for series in both.values() for who in series}
    handles = [
        Line2D([], [], label=_OURS.get(who, who), markersize=5, **style)
        for who, style in _STYLES.items()
        if who in seen
    ]
    figure.legend(handles=handles, loc="lower center", ncols=4, frameon=False, fontsize=9)
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _lines(ax: Any, series: Series, scale: float, least: float = 0.0) -> None:
    for who, line in series.items():
        values = [max(value * scale, least) for value in line.values()]
        ax.plot(list(line), values, markersize=5, **_STYLES.get(who, {}))
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.grid(True, which="major", color="0.9", linewidth=0.8)
    ax.spines[["top", "right"]].set_visible(False)
