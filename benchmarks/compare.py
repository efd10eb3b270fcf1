"""Compare the metrics with scikit-learn and other libraries, side by side.

    python benchmarks/compare.py --sizes 100 10000 1000000 --only "roc_auc|f1"
    python benchmarks/compare.py --figures
    python benchmarks/compare.py --growth --plot scaling.png

For each case and size: the answers must be equal, those of our native and of our NumPy kernels
too; then all libraries and both kernels run in the same rounds, and the ratio is the median over
the rounds of their time by ours. Prints Markdown, at Ctrl-C of what was measured before. Exit
status 1 if an answer differs, a call fails or the run was interrupted.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import figures
import growth
from cases import CASES
from measuring import measure_all, not_installed
from options import race_parser
from output import CLOCKS, machine, machine_line, problems, put, sizes_table
from timing import one_thread

_LEGEND = (
    "A cell is **their time by ours** (median over rounds), the same with our NumPy kernels in "
    "brackets, and our median time, by {clock}; ~ where the middle half of the rounds spreads "
    "over more than 20 %."
)
_FIGURES_LEGEND = (
    "Times faster than the other library (median over rounds, by {clock}), whole public calls with "
    "validation: with the native kernels, which the goal is for, and with the NumPy kernels; ~ "
    "where the middle half of the rounds spreads over more than 20 %."
)

Found = tuple[str, dict[str, Any], bool]


def compare_sizes(options: argparse.Namespace) -> Found:
    """Every chosen case at every size: the page, the numbers, whether all is well."""
    chosen = [case for case in CASES if re.search(options.only, case.name)]
    skipped = [case.name for case in chosen if case.find() is None]
    present = [case for case in chosen if case.find() is not None]
    rows = measure_all(present, options)
    parts = [_LEGEND.format(clock=CLOCKS[options.clock]), sizes_table(rows, options.sizes)]
    if missing := not_installed(present):
        parts.append("Not installed, not compared: " + ", ".join(missing) + ".")
    if skipped:
        parts.append("Not in the package yet, skipped: " + ", ".join(skipped) + ".")
    if wrong := problems(rows):
        parts.append("Problems (not timed):\n\n" + "\n".join(wrong))
    return "\n\n".join(parts), {"rows": rows, "skipped": skipped}, not wrong


def compare_figures(options: argparse.Namespace) -> Found:
    """The goals: the page, the numbers, whether all answers are equal (not whether all is met)."""
    goals = [goal for goal in figures.GOALS if re.search(options.only, goal.case)]
    if options.largest is not None:
        goals = [goal for goal in goals if goal.n <= options.largest]
    rows = figures.measure_goals(goals, options)
    goal = figures.MEMORY_GOAL
    memory = None
    wanted = re.search(options.only, goal.case) and goal.n <= (options.largest or goal.n)
    if wanted and not options.interrupted:
        memory = figures.measure_memory(goal, options.memory_repeats)
    text = _FIGURES_LEGEND.format(clock=CLOCKS[options.clock])
    absent = [row for row in rows if row["problem"] == "not installed"]
    wrong = problems([row for row in rows if row not in absent])
    parts = [text, figures.table(rows, memory), *wrong]
    return "\n\n".join(parts), {"rows": rows, "memory": memory}, not wrong


def compare_growth(options: argparse.Namespace) -> Found:
    """Time and memory by size, with the limits."""
    found = growth.measure(options)
    if options.plot is not None:
        growth.draw(found, options.plot)
    return growth.table(found), found, True


_MODES: dict[str, Callable[[argparse.Namespace], Found]] = {
    "cases": compare_sizes,
    "figures": compare_figures,
    "growth": compare_growth,
}


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = race_parser(__doc__, "MODE")
    mode = parser.add_mutually_exclusive_group()
    for name in ("figures", "growth"):
        text = _MODES[name].__doc__.splitlines()[0]
        mode.add_argument(f"--{name}", dest="mode", action="store_const", const=name, help=text)
    parser.set_defaults(mode="cases", interrupted=False)
    parser.add_argument("--sizes", type=int, nargs="+", help="numbers of rows")
    parser.add_argument("--only", default="", metavar="REGEX", help="cases whose name matches")
    parser.add_argument("--peers", default="", metavar="REGEX", help="libraries that match")
    parser.add_argument("--largest", type=int, metavar="N", help="leave out figures beyond")
    parser.add_argument(
        "--memory-repeats", type=int, default=3, help="processes for each peak of memory"
    )
    parser.add_argument(
        "--single", action="store_true", help="time single calls, as a script makes them"
    )
    parser.add_argument("--quick", action="store_true", help="n = 100 and 10,000, five rounds")
    parser.add_argument("--plot", type=Path, metavar="PNG", help="with --growth: draw it there")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write all numbers there")
    parser.add_argument("--list", action="store_true", help="names of the cases, and stop")
    options = parser.parse_args(arguments)
    if options.quick:
        options.rounds, options.seconds = 5, 2.0
    if options.sizes is None:
        largest = 7 if options.mode == "growth" else 6
        step = 1 if options.mode == "growth" else 2
        last = 4 if options.quick else largest
        options.sizes = [10**k for k in range(2, last + 1, step)]
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if options.list:
        print("\n".join(case.name for case in CASES if re.search(options.only, case.name)))
        return 0
    importlib.import_module("sklearn.metrics")  # loads what the next line limits
    with one_thread():
        text, numbers, well = _MODES[options.mode](options)
    page = f"{machine_line(options.clock)}\n\n{text}\n"
    print(page, end="")
    if options.interrupted:
        return 1
    for path in options.into:
        put(path, options.mode, page)
    if options.json:
        whole = {"machine": machine(), "clock": options.clock, **numbers}
        options.json.write_text(json.dumps(whole, indent=1) + "\n")
    return int(not well)


if __name__ == "__main__":
    raise SystemExit(main())
