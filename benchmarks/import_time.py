"""CPU time of importing our registry, beside ``import sklearn.metrics`` and ``import numpy``.

    python benchmarks/import_time.py

Each import runs in fresh interpreters, in turn, and bare Python's time is taken off. Prints the
medians, the ratios and the heavy modules that the import loads. Exit status 1 where it takes more
than ``--limit`` of the time of ``import sklearn.metrics``.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys

# The package itself loads nothing; its first public name loads the registry.
OURS, BASE, FLOOR = "skmetrics_ext.registry", "sklearn.metrics", "numpy"
HEAVY = (
    "sklearn",
    "scipy",
    "scipy.special",
    "scipy.stats",
    "scipy.sparse",
    "pandas",
    "polars",
    "pyarrow",
    "narwhals",
    "joblib",
    "matplotlib",
    "torch",
    "numba",
    "tqdm",
    "rich",
    "asyncio",
    "unittest",
    "email",
    "http",
)


def cpu_seconds(statement: str) -> float:
    """User and system time of a fresh interpreter that runs the statement."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def race(modules: list[str], rounds: int) -> dict[str, list[float]]:
    """Seconds above bare Python of each import, one number a round, the order rotating."""
    statements = {"bare": "pass", **{name: f"import {name}" for name in modules}}
    for statement in statements.values():  # compiled files and the disk's cache
        cpu_seconds(statement)
    names, times = list(statements), {name: [] for name in statements}
    for i in range(rounds):
        shift = i % len(names)
        for name in names[shift:] + names[:shift]:
            times[name].append(cpu_seconds(statements[name]))
    bare = times.pop("bare")
    return {name: [t - b for t, b in zip(ts, bare, strict=True)] for name, ts in times.items()}


def loaded(module: str) -> tuple[list[str], int]:
    """Heavy modules that an import leaves loaded, and the number of all modules."""
    code = f"import sys, {module}; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    modules = found.stdout.split()
    return [name for name in HEAVY if name in modules], len(modules)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=11, help="at least 7 (default 11)")
    parser.add_argument("--limit", type=float, default=0.25, help="largest accepted share")
    options = parser.parse_args()
    times = race([OURS, BASE, FLOOR], max(options.rounds, 7))
    print("| import | CPU ms above bare Python | ratio to sklearn.metrics |\n|---|---|---|")
    for name, values in times.items():
        shares = [v / b for v, b in zip(values, times[BASE], strict=True)]
        ratio = statistics.median(shares)
        print(f"| {name} | {1e3 * statistics.median(values):.0f} | {ratio:.3f} |")
    share = statistics.median(v / b for v, b in zip(times[OURS], times[BASE], strict=True))
    heavy, count = loaded(OURS)
    print(
        f"\nimport {OURS} takes {share:.3f} of the time of import {BASE} (limit {options.limit})."
    )
    print(f"It loads {count} modules; heavy ones: {', '.join(heavy) or 'none'}.")
    return int(share > options.limit)


if __name__ == "__main__":
    raise SystemExit(main())
