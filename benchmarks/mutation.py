"""How many small mistakes the tests find: a mutation score, and the mistakes that they do not.

    python benchmarks/mutation.py --number 320 --seed 0

Puts a sample of mistakes (another operator, constant, comparison, axis, bound) into the modules
below, at least `--least` into each group, each in a process of its own, and runs the tests that
reach the statement, the quickest first, until one fails. Mistakes are put into functions that are
already loaded, by their code, so that nothing is imported or collected twice. A first pass finds
which tests reach which statement. All runs on the NumPy kernels.

Survivors that were looked at stand in `results/mutation.toml`, with why no test can find them.
"""

from __future__ import annotations

import argparse
import functools
import gc
import json
import os
import random
import re
import resource
import select
import signal
import sys
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mutants import Mutant, mutants_of, mutated, observed, source
from mutation_page import page
from output import put

ROOT = Path(__file__).resolve().parents[1]
# Files and directories by their name in the table; a file is in the first group that has it.
MODULES = {
    "kernels": ("skmetrics_ext/kernels/_numpy", "skmetrics_ext/numeric.py"),
    "tallies": ("skmetrics_ext/tallies",),
    "metrics": ("skmetrics_ext/metrics",),
    "bands": ("skmetrics_ext/inference/bands.py",),
    "two samples": ("skmetrics_ext/inference/compare_samples.py",),
    "margins": ("skmetrics_ext/inference/margins.py",),
    "many models": ("skmetrics_ext/inference/simultaneous.py",),
    "search report": ("skmetrics_ext/report/search", "skmetrics_ext/inference/selection.py"),
    "inference": ("skmetrics_ext/inference",),
    "slices": ("skmetrics_ext/slices",),
    "threshold uncertainty": ("skmetrics_ext/thresholds/optimal.py",),
    "thresholds": ("skmetrics_ext/thresholds",),
    "command line": ("skmetrics_ext/cli",),
    "validation": ("skmetrics_ext/validation", "skmetrics_ext/questions"),
    "scoring": ("skmetrics_ext/scoring",),
    "sums of parts": (
        "skmetrics_ext/merged",
        "skmetrics_ext/streaming.py",
        "skmetrics_ext/backends/partitions.py",
        "skmetrics_ext/backends/evaluation.py",
    ),
    "backends": ("skmetrics_ext/backends",),
    "report": ("skmetrics_ext/report", "skmetrics_ext/requirements.py"),
    "operations": ("skmetrics_ext/operations",),
    "curves": ("skmetrics_ext/curves.py", "skmetrics_ext/curve_tables"),
    "plotting": ("skmetrics_ext/plotting",),
}
LEFT_OUT = {ROOT / "skmetrics_ext/backends/spark.py"}  # its tests need a cluster
TESTS = (
    *(f"tests/{name}" for name in ("kernels", "tallies", "metrics", "inference", "reference")),
    *(f"tests/{name}" for name in ("slices", "thresholds", "report", "cli")),
    *(f"tests/{name}" for name in ("validation", "questions", "scoring", "streaming")),
    *(f"tests/{name}" for name in ("backends", "operations", "plotting")),
    "tests/test_requirements.py",
    *(
        f"tests/laws/test_{name}.py"
        for name in ("influence", "merging", "ranges", "rows_and_weights", "values")
    ),
    "tests/parity",
    "tests/test_class_curves.py",
    "tests/test_worked_examples.py",
    *(f"skmetrics_ext/{name}" for name in ("metrics", "inference", "tallies")),
    *(f"skmetrics_ext/{name}" for name in ("slices", "thresholds", "report", "scoring")),
)
_TELL = "_statement_is_reached_"
_PATIENCE = 12  # times the CPU seconds, by the clock on the wall

Live = dict[str, dict[tuple[str, int], list[types.FunctionType]]]
Reached = dict[str, dict[str, list[tuple[float, str]]]]


# --------------------------------------------------------------------------- code of functions


def file_of(path: str | Path) -> Path:
    return ROOT / path


def live_functions() -> Live:
    """The functions that exist, by file, name and first line."""
    found: Live = {}
    for one in gc.get_objects():
        if isinstance(one, types.FunctionType):
            code = one.__code__
            key = code.co_qualname, code.co_firstlineno
            found.setdefault(code.co_filename, {}).setdefault(key, []).append(one)
    return found


def nested(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from nested(constant)


def exchange(path: Path, tree: Any, live: Live) -> bool:
    """Give functions the code of a changed file; whether any code differs."""
    name = str(path)
    old = compile(source(path), name, "exec", dont_inherit=True)
    new = compile(tree, name, "exec", dont_inherit=True)
    differs = False
    for one, other in zip(nested(old), nested(new), strict=True):
        if one == other:
            continue
        differs = True
        for function in live.get(name, {}).get((one.co_qualname, one.co_firstlineno), ()):
            if function.__code__ == one:
                function.__code__ = other
    return differs


def caches() -> list[Any]:
    """What the package remembers of calls: numbers without the mistake."""
    kind = type(functools.lru_cache(len))
    wrappers = [one for one in gc.get_objects() if isinstance(one, kind)]
    return [one for one in wrappers if str(one.__module__).startswith("skmetrics_ext")]


# --------------------------------------------------------------------------- tests in processes


class Failures:
    """A plugin that hears of reports."""

    def __init__(self) -> None:
        self.heard = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.heard = self.heard or report.failed


def fails(item: pytest.Item) -> bool:
    """Whether a test fails, run as pytest runs it."""
    failures = Failures()
    item.config.pluginmanager.register(failures)
    item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
    item.config.pluginmanager.unregister(failures)
    return failures.heard


def apart(work: Callable[[], Any]) -> tuple[int, int]:
    """A process that does something, and where its answer can be read."""
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        return process, reading
    os.close(reading)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    try:
        with os.fdopen(writing, "w") as told:
            json.dump(work(), told)
    finally:
        os._exit(0)


def read_all(place: int) -> str:
    with os.fdopen(place) as told:
        return told.read()


def observe(
    items: list[pytest.Item], paths: list[Path], live: Live, remembered: list[Any]
) -> list[Any]:
    """Seconds of each test, and the lines that it reaches of each file."""
    reached = {}
    for number, path in enumerate(paths):
        seen: set[int] = set()
        reached[number] = seen
        exchange(path, observed(path, _TELL), live)
        vars(sys.modules[module_of(path)])[_TELL] = seen.add
    found = []
    for item in items:
        for one in remembered:
            one.cache_clear()
        for seen in reached.values():
            seen.clear()
        start = time.process_time()
        failed = fails(item)
        taken = time.process_time() - start
        lines = {number: sorted(seen) for number, seen in reached.items() if seen}
        found.append([item.nodeid, None if failed else taken, lines])
    return found


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def tests_of(reached: Reached, mutant: Mutant, seconds: float) -> list[str]:
    """Those that reach the statement, the quickest first, as many as there is time for."""
    found, total = [], 0.0
    for taken, test in sorted(reached.get(mutant.path, {}).get(str(mutant.line), ())):
        total += taken
        if found and total > seconds:
            break
        found.append(test)
    return found


def outcome(
    mutant: Mutant, tests: list[pytest.Item], seconds: float, live: Live, remembered: list[Any]
) -> list[str]:
    """What becomes of a mistake: ["killed", test], ["survived"] or ["same code"]."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(3 * seconds), int(3 * seconds)))
    path = file_of(mutant.path)
    if not exchange(path, mutated(path, mutant.number), live):
        return ["same code"]
    for one in remembered:
        one.cache_clear()
    for item in tests:
        if fails(item):
            return ["killed", item.nodeid]
    return ["survived"]


# --------------------------------------------------------------------------- the run


class Run:
    """A plugin of pytest that tries mistakes where pytest would run the tests."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.found: list[dict[str, Any]] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = [item for item in session.items if item.get_closest_marker("slow") is None]
        mutants = sample(self.options)
        paths = sorted(path for own in files_by_group().values() for path in own)
        for path in paths:
            __import__(module_of(path))
        gc.collect()
        self.known = live_functions(), caches()
        gc.freeze()  # objects that are known, which processes share, are not written to
        kept = self.options.reached
        if kept is not None and kept.exists():
            reached = json.loads(kept.read_text(encoding="utf-8"))
        else:
            reached = self.reached(items, paths)
            if kept is not None:
                kept.write_text(json.dumps(reached), encoding="utf-8")
        by_name = {item.nodeid: item for item in items}
        tell(f"{len(mutants)} mistakes")
        work = []
        for mutant in mutants:
            names = tests_of(reached, mutant, self.options.seconds)
            tests = [by_name[name] for name in names if name in by_name]
            work.append((mutant, tests))
        before = self.before(mutants)
        left = [i for i, one in enumerate(before) if one["outcome"] == "survived"]
        for i, now in zip(left, self.tried([work[i] for i in left]), strict=True):
            now["tests"] += before[i]["tests"]
            before[i] = now
        self.found = before
        return True

    def before(self, mutants: list[Mutant]) -> list[dict[str, Any]]:
        """What is known of the same sample, of which survivors are tried with other tests."""
        if self.options.again is None:
            return [told(mutant, ["survived"], 0) for mutant in mutants]
        known = json.loads(self.options.again.read_text(encoding="utf-8"))
        if [one["key"] for one in known] != [mutant.key for mutant in mutants]:
            raise SystemExit("--again: the files have changed since, and with them the sample")
        return list(known)

    def reached(self, items: list[pytest.Item], paths: list[Path]) -> Reached:
        """Tests by file and line, with their seconds; of those that pass."""
        names = [path.relative_to(ROOT).as_posix() for path in paths]
        shares = [items[i :: self.options.jobs] for i in range(self.options.jobs)]
        running = [apart(lambda own=own: observe(own, paths, *self.known)) for own in shares]
        found: Reached = {}
        for process, place in running:
            for test, taken, lines in json.loads(read_all(place)):
                if taken is None:
                    tell(f"fails without a mistake: {test}")
                    continue
                for number, own in lines.items():
                    for line in own:
                        by_line = found.setdefault(names[int(number)], {})
                        by_line.setdefault(str(line), []).append((taken, test))
            os.waitpid(process, 0)
        return found

    def tried(self, work: list[tuple[Mutant, list[pytest.Item]]]) -> Iterator[dict[str, Any]]:
        """Outcomes in the order of the mistakes, some at a time."""
        seconds, waiting, running = self.options.seconds, list(enumerate(work)), {}
        done: dict[int, dict[str, Any]] = {}
        while waiting or running:
            while waiting and len(running) < self.options.jobs:
                number, (mutant, tests) = waiting.pop(0)
                if not tests:
                    done[number] = told(mutant, ["survived"], 0)
                    continue
                process, place = apart(
                    lambda mutant=mutant, tests=tests: outcome(mutant, tests, seconds, *self.known)
                )
                running[place] = number, process, time.monotonic()
            ready, _, _ = select.select(list(running), [], [], 1.0)
            for place, (number, process, start) in list(running.items()):
                late = time.monotonic() - start > _PATIENCE * seconds
                if late:
                    os.kill(process, signal.SIGKILL)
                if late or place in ready:
                    text = read_all(place)
                    os.waitpid(process, 0)
                    del running[place]
                    mutant, tests = work[number]
                    # A process that says nothing was stopped: the mistake never ends, or crashes.
                    answer = json.loads(text) if text else ["killed", "no end, or no process"]
                    done[number] = told(mutant, answer, len(tests))
                    tell(f"{len(done)}: {answer[0]} {mutant.key}")
        yield from (done[number] for number in sorted(done))


def told(mutant: Mutant, answer: list[str], n_tests: int) -> dict[str, Any]:
    own = {"key": mutant.key, "line": mutant.line, "group": group_of(mutant.path)}
    return {**own, "outcome": answer[0], "by": answer[-1], "tests": n_tests}


def group_of(path: str) -> str:
    return next(name for name, paths in files_by_group().items() if file_of(path) in paths)


def files_by_group() -> dict[str, list[Path]]:
    """The files of each group, without those of an earlier one."""
    taken = set(LEFT_OUT)
    groups: dict[str, list[Path]] = {}
    for name, places in MODULES.items():
        paths = [path for place in map(file_of, places) for path in python_files(place)]
        groups[name] = [path for path in paths if path not in taken]
        taken.update(paths)
    return groups


def python_files(place: Path) -> list[Path]:
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]


def sample(options: argparse.Namespace) -> list[Mutant]:
    """Mistakes drawn from each group: its share of `--number`, but at least `--least`."""
    rng = random.Random(options.seed)
    mutants = {
        name: [
            mutant
            for path in paths
            for mutant in mutants_of(path, ROOT)
            if re.search(options.only, mutant.key)
        ]
        for name, paths in files_by_group().items()
    }
    total = sum(map(len, mutants.values()))
    drawn = []
    for group in mutants.values():
        share = -(-options.number * len(group) // max(total, 1))
        drawn += rng.sample(group, min(len(group), max(share, options.least)))
    return drawn


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=320, help="mistakes to try")
    parser.add_argument("--least", type=int, default=20, help="mistakes of each group")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", metavar="REGEX", help="of the names of mistakes")
    parser.add_argument("--seconds", type=float, default=15.0, help="of tests for a mistake")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--tests", nargs="+", default=TESTS, help="which may find them")
    parser.add_argument("--reached", type=Path, help="keep there what tests reach, and read it")
    parser.add_argument("--again", type=Path, help="outcomes (--json): try survivors again")
    parser.add_argument("--json", type=Path, help="write all outcomes there")
    parser.add_argument("--into", type=Path, nargs="*", default=[], help="pages for the text")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    os.environ |= {"SKMETRICS_EXT_KERNELS": "numpy", "HYPOTHESIS_PROFILE": "unshrunk"}
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    os.chdir(ROOT)
    sys.path.remove(str(Path(__file__).parent))  # it has names of directories of tests
    run = Run(options)
    pytest.main(["-q", "-s", "-n0", "-p", "no:cacheprovider", "--no-header", *options.tests], [run])
    if options.json is not None:
        options.json.write_text(json.dumps(run.found, indent=1), encoding="utf-8")
    text = page(run.found, list(MODULES))
    print(text)
    for place in options.into:
        put(place, "mutation", text)
    return int(any("**not found**" in line for line in text.splitlines()))


if __name__ == "__main__":
    sys.exit(main())
