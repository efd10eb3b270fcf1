"""Numbers as Markdown, the machine they hold for, and pages with marked places for them."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from case import OURS
from measuring import Row

PACKAGES = (
    "scikit-learn",
    "numpy",
    "scipy",
    "pandas",
    "imbalanced-learn",
    "torchmetrics",
    "torch",
    "polars-ds",
    "pycm",
    "confidenceinterval",
    "MLstatkit",
    "fastauc",
)
CLOCKS = {"cpu": "process CPU time", "wall": "wall time"}


def machine() -> dict[str, Any]:
    """Processor and versions: what the numbers hold for."""
    import skmetrics_ext

    versions = {OURS: skmetrics_ext.__version__}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = None
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "kernels": skmetrics_ext.kernels.available(),
        "versions": versions,
    }


def machine_line(clock: str) -> str:
    """The same as a sentence."""
    facts = machine()
    installed = ", ".join(f"{name} {v}" for name, v in facts["versions"].items() if v)
    return (
        f"{facts['processor']}, {facts['cores']} cores, one thread, {CLOCKS[clock]}. "
        f"Python {facts['python']}, {installed}."
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    text = info.read_text() if info.exists() else ""
    names = re.findall(r"model name\s*: (.*)", text)
    # NumPy's widest vector instructions here: its sort's speed depends on them.
    found = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", [])
    simd = f" (NumPy: {found[-1]})" if found else ""
    return (names[0] if names else platform.processor() or platform.machine()) + simd


# --------------------------------------------------------------------------- tables


def markdown(head: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    """A table."""
    head = list(head)
    rows = [head, ["---"] * len(head), *map(list, lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def sizes_table(rows: list[Row], sizes: list[int]) -> str:
    """A line for each case and peer, a column for each size."""
    keys = dict.fromkeys((row["case"], row["peer"]) for row in rows)
    found = {(row["case"], row["peer"], row["n"]): row for row in rows}
    return markdown(
        ["call", "against", *(f"n = {n:,}" for n in sizes)],
        ([*key, *(_cell(found.get((*key, n))) for n in sizes)] for key in keys),
    )


def _cell(row: Row | None) -> str:
    if row is None:
        return "-"
    if row["problem"] is not None:
        return "**PROBLEM**"
    best = row.get("native", row["numpy"])
    plain = f" ({times(row['numpy'])})" if "native" in row else ""
    return f"**{times(best)}**{plain} {seconds(best['seconds'])}"


def problems(rows: list[Row]) -> list[str]:
    """What was not timed, and why."""
    return [
        f"- {row['case']}, {row['peer']}, n = {row['n']:,}: {row['problem']}"
        for row in rows
        if row["problem"] is not None
    ]


def times(found: Row) -> str:
    """A ratio, ~ before it where it spreads."""
    return ("~" if found["noisy"] else "") + f"x{three_digits(found['ratio'])}"


def three_digits(value: float) -> str:
    """A positive number with three digits at most, never in powers of ten."""
    return f"{value:,.0f}" if value >= 99.5 else f"{value:#.3g}" if value >= 1 else f"{value:.2f}"


def seconds(value: float) -> str:
    """A duration in the unit that suits it."""
    unit, factor = next((u for u in (("s", 1.0), ("ms", 1e-3)) if value >= u[1]), ("µs", 1e-6))
    return f"{three_digits(value / factor)} {unit}"


def mebibytes(value: float) -> str:
    """Memory, to a tenth."""
    return f"{value / 2**20:,.1f} MiB"


# --------------------------------------------------------------------------- pages


def put(page: Path, name: str, text: str) -> None:
    """Write the text where the page has ``<!-- begin name -->`` and ``<!-- end name -->``."""
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
    whole = page.read_text(encoding="utf-8")
    if begin not in whole or end not in whole:
        raise SystemExit(f"{page} has no place marked {begin.strip()} ... {end}")
    before, rest = whole.split(begin, 1)
    page.write_text(
        f"{before}{begin}\n{text.strip()}\n\n{end}{rest.split(end, 1)[1]}", encoding="utf-8"
    )
