"""This checkout beside another: no figure may become slower.

    python benchmarks/against.py ../another-checkout
    python benchmarks/against.py ../another-checkout --quick

Our own calls of the figures (``figures.py``) run on both packages, each in a process of its own,
on the same inputs. For a figure the processes take turns: one measures while the other waits, in
an order that changes from turn to turn. After the last figure two new processes go through all of
them again, as where a process lies in memory alone moves short calls by some percent. The ratio
is our median time by theirs. A figure beyond the limit is measured once more, with twice the
turns, and only then counts as slower. Prints Markdown. Exit status 1 where a figure is slower.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from checkouts import HERE, check_package, environment, package
from measuring import tell
from output import CLOCKS, machine_line, markdown, seconds, three_digits
from timing import one_thread, race

SIDES = ("here", "there")
Times = dict[str, list[float]]


@dataclass
class Worker:
    """A process that measures calls of one checkout when it is asked to."""

    process: subprocess.Popen[str]

    def ask(self, **question: Any) -> Any:
        """Send a question and wait for its answer."""
        pipes = self.process.stdin, self.process.stdout
        pipes[0].write(json.dumps(question) + "\n")
        pipes[0].flush()
        answer = pipes[1].readline()
        if not answer:
            raise SystemExit(f"A process ended when it was asked for {question}.")
        return json.loads(answer)


@contextmanager
def worker(checkout: Path, kernels: str) -> Iterator[Worker]:
    """A process with the package of a checkout and these kernels."""
    command = [sys.executable, str(Path(__file__).resolve()), "--serve", str(checkout)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env=environment(checkout), stdin=pipe, stdout=pipe, text=True
    ) as process:
        made = Worker(process)
        found = made.ask(kernels=kernels)
        check_package(found, checkout)
        if kernels not in found["kernels"]:
            raise SystemExit(f"The {kernels} kernels were not built in {checkout}.")
        yield made
        process.stdin.close()


def serve() -> None:
    """Answer questions from the standard input until it ends."""
    from cases import CASES

    cases = {case.name: case for case in CASES}
    asked, kernels, entrant = None, "", None
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore")
        for line in sys.stdin:
            question = json.loads(line)
            answer: Any = package()
            if "kernels" in question:
                kernels = question["kernels"]
            else:
                wanted = question["case"], question["n"]
                if wanted != asked:
                    entrant = None  # its inputs go before the next are made
                    asked, case = wanted, cases[question["case"]]
                    entrant = case.ours(case.data(question["n"]))[kernels]
                answer = race({"": entrant}, rounds=3, seconds=0, clock=question["clock"])[""]
            print(json.dumps(answer), flush=True)


# --------------------------------------------------------------------------- turns


def measure(goals: list[Any], other: Path, options: argparse.Namespace) -> dict[Any, Times]:
    """Times of each figure on both sides."""
    found = {goal: {side: [] for side in SIDES} for goal in goals}
    for i in range(options.processes):
        with both(other, options.kernels) as workers:
            for goal in goals:
                tell(f"processes {i + 1} of {options.processes}: {goal.case}, n = {goal.n:,}")
                take_turns(workers, goal, found[goal], options, options.seconds)
    return found


@contextmanager
def both(other: Path, kernels: str) -> Iterator[dict[str, Worker]]:
    """A process for each side."""
    with ExitStack() as stack:
        paths = dict(zip(SIDES, (HERE, other), strict=True))
        yield {side: stack.enter_context(worker(path, kernels)) for side, path in paths.items()}


def take_turns(
    workers: dict[str, Worker], goal: Any, times: Times, options: argparse.Namespace, limit: float
) -> None:
    """Measure one figure until the time is up, two turns at least, and in pairs."""
    order, end, turns = list(SIDES), time.perf_counter() + limit, 0
    while turns < 2 or (time.perf_counter() < end and turns < options.turns):
        for side in order:
            times[side] += workers[side].ask(case=goal.case, n=goal.n, clock=options.clock)
        order.reverse()
        turns += 1


def ratio(times: Times) -> float:
    """Our median by theirs."""
    here, there = (float(np.median(times[side])) for side in SIDES)
    return here / there


def again(found: dict[Any, Times], other: Path, options: argparse.Namespace) -> dict[Any, Times]:
    """Figures beyond the limit, measured once more in new processes."""
    slower = [goal for goal, times in found.items() if ratio(times) > options.limit]
    if not slower:
        return {}
    new = {goal: {side: [] for side in SIDES} for goal in slower}
    for _ in range(options.processes):
        with both(other, options.kernels) as workers:
            for goal in slower:
                tell(f"once more: {goal.case}, n = {goal.n:,}")
                take_turns(workers, goal, new[goal], options, 2 * options.seconds)
    return new


# --------------------------------------------------------------------------- the page


def page(found: dict[Any, Times], second: dict[Any, Times], limit: float) -> str:
    """A line for each figure."""
    head = ["call", "n", "here", "there", "here / there", "once more", ""]
    lines = []
    for goal, times in found.items():
        more = three_digits(ratio(second[goal])) if goal in second else ""
        lines.append([
            goal.case,
            f"{goal.n:,}",
            *(seconds(float(np.median(times[side]))) for side in SIDES),
            three_digits(ratio(times)),
            more,
            "**slower**" if goal in slower_than(second, limit) else "",
        ])  # fmt: skip
    middle = float(np.exp(np.mean([np.log(ratio(times)) for times in found.values()])))
    n_slower = len(slower_than(second, limit))
    last = (
        f"{n_slower} of {len(found)} figures take more than {limit:g} times as long as there; "
        f"geometric mean of the ratios {middle:.3f}."
    )
    return f"{markdown(head, lines)}\n\n{last}"


def slower_than(second: dict[Any, Times], limit: float) -> list[Any]:
    """What is beyond the limit the second time too."""
    return [goal for goal, times in second.items() if ratio(times) > limit]


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path, help="the other checkout")
    parser.add_argument("--only", default="", metavar="REGEX", help="figures whose name matches")
    parser.add_argument("--largest", type=int, metavar="N", help="leave out figures beyond")
    parser.add_argument("--limit", type=float, default=1.05, help="accepted ratio (default 1.05)")
    parser.add_argument("--kernels", choices=("native", "numpy"), default="native")
    parser.add_argument("--processes", type=int, default=3, help="of each side, one by one")
    parser.add_argument("--turns", type=int, default=12, help="at most, of a figure and process")
    parser.add_argument("--seconds", type=float, default=1.5, help="stop a figure after so long")
    parser.add_argument("--quick", action="store_true", help="a minute: one process, 100,000 rows")
    parser.add_argument("--wall", dest="clock", action="store_const", const="wall", default="cpu")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.quick:
        options.processes, options.seconds = 1, 0.7
        options.largest = min(options.largest or 10**5, 10**5)
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if options.serve:
        serve()
        return 0
    from figures import GOALS

    goals = [goal for goal in GOALS if re.search(options.only, goal.case)]
    goals = [goal for goal in goals if goal.n <= (options.largest or goal.n)]
    if not goals:
        raise SystemExit(f"No figure matches {options.only!r}.")
    found = measure(goals, options.path, options)
    second = again(found, options.path, options)
    print(f"{machine_line(options.clock)}\n")
    print(f"Median {CLOCKS[options.clock]} of a call.\n\n{page(found, second, options.limit)}")
    return int(bool(slower_than(second, options.limit)))


if __name__ == "__main__":
    raise SystemExit(main())
