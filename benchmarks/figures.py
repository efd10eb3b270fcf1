"""The figures that the package is to reach, and a table of what it reaches.

A goal is a ratio of another library's time to ours with the native kernels; the NumPy kernels are
shown beside it and have none.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cases import CASES
from measuring import Row, chosen, measure, own_kernels_kept, tell, until_interrupted
from memory import peak
from output import markdown, mebibytes, seconds, times


@dataclass(frozen=True)
class Goal:
    """The name of a case, a size, and how many times faster than the peer we are at least."""

    case: str
    n: int
    at_least: float
    peer: str = "scikit-learn"
    single: bool = False  # one call at a time, as a script makes it, and no warm loop


def _goals(
    case: str, at_least: dict[int, float], peer: str = "scikit-learn", single: bool = False
) -> Iterator[Goal]:
    return (Goal(case, n, ratio, peer, single) for n, ratio in at_least.items())


_COUNTED = ("f1_score macro", "matthews_corrcoef", "confusion_matrix")
_TEXT = {"fixed-width text": 12, "object text": 25, "categorical": 400}
_INTERVALS = (
    "accuracy",
    "f1_macro",
    "matthews_corrcoef",
    "roc_auc",
    "average_precision",
    "log_loss",
    "brier_score",
    "the difference of two roc_auc",
)
GOALS = (
    *_goals("roc_auc_score", {10**2: 40, 10**4: 28, 10**6: 20, 10**7: 24}),
    *_goals("roc_auc_score", {10**2: 30, 10**4: 22, 10**6: 20}, single=True),
    *_goals("average_precision_score", {10**2: 20, 10**4: 12, 10**6: 12}, single=True),
    *_goals("f1_score macro", {10**2: 20, 10**4: 28, 10**6: 40}, single=True),
    *_goals("roc_auc_score weighted", {10**4: 20, 10**6: 15}),
    *_goals("average_precision_score", {10**2: 25, 10**4: 15, 10**6: 12}),
    *_goals("roc_curve", {10**2: 12, 10**4: 10, 10**6: 9}),
    *_goals("precision_recall_curve", {10**2: 12, 10**4: 10, 10**6: 9}),
    *_goals("roc_auc_score ovo K=3", {10**3: 40}),
    *_goals("roc_auc_score ovo K=10", {10**5: 24}),
    *_goals("roc_auc_score ovo K=100", {10**4: 500}),
    *_goals("roc_auc_score ovr K=3", {10**3: 25}),
    *_goals("roc_auc_score ovr K=10", {10**5: 12}),
    *_goals("roc_auc_score ovr K=100", {10**4: 20}),
    *(goal for name in _COUNTED for goal in _goals(name, {10**2: 25, 10**4: 35, 10**6: 30})),
    *(Goal(f"{name} {kind}", 10**6, least) for name in _COUNTED for kind, least in _TEXT.items()),
    *_goals("log_loss", {10**2: 30, 10**6: 10}),
    *_goals("brier_score_loss", {10**2: 30, 10**6: 10}),
    *_goals("panel of 13 label metrics", {10**5: 60}),
    *_goals("metric_at_thresholds f1_score", {3000: 1000}),
    *_goals("DeLong interval", {10**5: 20}, "confidenceinterval"),
    *_goals("bootstrap replicate f1_score macro K=2", {10**4: 2000}),
    *_goals("bootstrap replicate f1_score macro K=10", {10**4: 150}),
    *_goals("bootstrap replicate roc_auc_score", {10**4: 120}),
    *(goal for name in _INTERVALS for goal in _goals(f"interval of {name}", {10**4: 1000})),
    *_goals("20 groups, 4 metrics", {10**5: 200}, "fairlearn"),
    *_goals("20 groups, 4 metrics with intervals", {10**5: 1000}, "fairlearn"),
    *_goals("Accumulator, a batch: roc_auc", {256: 1}, "torchmetrics"),
    *_goals("Accumulator, a batch: roc_auc, average_precision", {256: 1.5}, "torchmetrics"),
    *_goals("report of a search", {1000: 4}),
)
MEMORY_GOAL = Goal("roc_auc_score", 10**7, 3)
_CASES = {case.name: case for case in CASES}


def measure_goals(goals: Iterable[Goal], options: argparse.Namespace) -> list[Row]:
    """A row of results for each goal, the goal in it."""
    rows = []
    with own_kernels_kept(), until_interrupted(options):
        for goal in goals:
            case = chosen(_CASES[goal.case], f"^{goal.peer}$")
            absent = {"peer": goal.peer, "n": goal.n, "problem": "not installed"}
            row = (measure(case, goal.n, options, goal.single) or [absent])[0]
            name = f"{goal.case}, single calls" if goal.single else goal.case
            rows.append({**row, "case": name, "goal": goal.at_least})
            tell(f"{name}, n = {goal.n:,}: {_reached(rows[-1])} for x{goal.at_least:g}")
    return rows


def measure_memory(goal: Goal, repeats: int) -> Row:
    """The row of peak memory; ``ratio`` is of bytes."""
    tell(f"peak memory of {goal.case}, n = {goal.n:,}")
    theirs = peak(goal.case, goal.peer, goal.n, repeats)
    row: Row = {"case": goal.case, "peer": goal.peer, "n": goal.n, "goal": goal.at_least}
    row.update(problem=None if theirs else "not measured on this system", theirs=theirs)
    for name in ("native", "numpy"):
        ours = peak(goal.case, name, goal.n, repeats)
        if ours and theirs:
            row[name] = {"ratio": theirs / ours, "bytes": ours, "noisy": False}
    return row


def is_met(row: Row) -> bool:
    """Whether the native kernels reach the goal."""
    return row["problem"] is None and "native" in row and row["native"]["ratio"] >= row["goal"]


def table(rows: list[Row], memory: Row | None) -> str:
    """All goals with what was reached, the open ones last once more."""
    lines = [_line(row) for row in rows]
    if memory is not None:
        lines.append(_line(memory, "peak memory above the inputs, "))
    every = [*rows, *([memory] if memory is not None else [])]
    n_met = sum(map(is_met, every))
    parts = [
        markdown(
            ["call", "n", "against", "at least", "native", "met",
             "NumPy", "native takes", "NumPy takes", "they take"],
            lines,
        ),
        f"{n_met} of {len(every)} figures are met.",
    ]  # fmt: skip
    for row in rows:
        if row.get("units", 1) > 1 and "native" in row:
            count, best = row["units"], row["native"]["seconds"]
            parts.append(
                f"{row['case']}, {count:,} times: {seconds(count * best)}; so many of "
                f"{row['peer']} would take {seconds(count * row['theirs'])}."
            )
    return "\n\n".join(parts)


def _line(row: Row, prefix: str = "") -> list[str]:
    head = [prefix + row["case"], f"{row['n']:,}", row["peer"], f"x{row['goal']:g}"]
    if row["problem"] is not None:
        return [*head, row["problem"], "no", "-", "-", "-", "-"]
    shown = mebibytes if prefix else seconds
    key = "bytes" if prefix else "seconds"
    ours = [row.get(name) for name in ("native", "numpy")]
    ratios = ["-" if one is None else times(one) for one in ours]
    costs = ["-" if one is None else shown(one[key]) for one in ours]
    met = "yes" if is_met(row) else "**no**"
    return [*head, f"**{ratios[0]}**", met, ratios[1], *costs, shown(row["theirs"])]


def _reached(row: Row) -> str:
    if row["problem"] is not None:
        return str(row["problem"])
    return " / ".join(times(row[name]) for name in ("native", "numpy") if name in row)
