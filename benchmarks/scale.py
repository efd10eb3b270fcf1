"""Time and peak memory of `evaluate` by engine, beside scikit-learn in memory.

    python benchmarks/scale.py --sizes 1000000 10000000 50000000 --folder DATA

makes the Parquet files that are missing and runs every engine in a process of its own, one
after the other. ``--json`` keeps all numbers; runs that it holds are not made again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

METRICS = ("roc_auc", "average_precision", "accuracy", "f1")
ROWS_PER_FILE = 1_000_000
WORKERS, WORKER_MEMORY = 2, "1.5GB"
MB = 1e6


# --------------------------------------------------------------------------- data


def make(folder: Path, n_rows: int) -> Path:
    """Files of a million rows: labels with 10 % positives, distinct scores, decisions."""
    import pyarrow
    from pyarrow import parquet

    home = folder / f"rows_{n_rows}"
    if home.is_dir():
        return home
    unfinished = folder / f"unfinished_{n_rows}"
    unfinished.mkdir(parents=True, exist_ok=True)
    for i, start in enumerate(range(0, n_rows, ROWS_PER_FILE)):
        rng = np.random.default_rng([7, i])
        size = min(ROWS_PER_FILE, n_rows - start)
        true = (rng.random(size) < 0.1).astype(np.int8)
        score = 1 / (1 + np.exp(-(rng.normal(size=size) + 1.2 * true)))
        pred = (score > 0.75).astype(np.int8)
        table = pyarrow.table({"true": true, "score": score, "pred": pred})
        parquet.write_table(table, unfinished / f"part_{i:04d}.parquet")
    unfinished.rename(home)
    return home


# --------------------------------------------------------------------------- engines


def run_sklearn(home: Path) -> dict[str, float]:
    from pyarrow import parquet
    from sklearn.metrics import accuracy_score, average_precision_score, f1_score, roc_auc_score

    table = parquet.read_table(home)
    true, score, pred = (table[name].to_numpy() for name in ("true", "score", "pred"))
    return {
        "roc_auc": float(roc_auc_score(true, score)),
        "average_precision": float(average_precision_score(true, score)),
        "accuracy": float(accuracy_score(true, pred)),
        "f1": float(f1_score(true, pred)),
    }


def run_ours(home: Path) -> dict[str, float]:
    """The functions of this package, in memory."""
    from pyarrow import parquet

    import skmetrics_ext as sx

    table = parquet.read_table(home)
    true, score, pred = (table[name].to_numpy() for name in ("true", "score", "pred"))
    return {
        "roc_auc": sx.roc_auc_score(true, score),
        "average_precision": sx.average_precision_score(true, score),
        **sx.compute_metrics(["accuracy", "f1"], true, pred),
    }


def _evaluate(dataset: Any, **options: Any) -> dict[str, Any]:
    from skmetrics_ext import evaluate

    found = evaluate(dataset, true="true", score="score", pred="pred", metrics=METRICS, **options)
    return {row.metric: row.value for row in found}


def run_duckdb(home: Path) -> dict[str, Any]:
    return _evaluate(str(home), engine="duckdb")


def run_dask(home: Path) -> dict[str, Any]:
    import dask
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    # Small files stay partitions of their own.
    dask.config.set({"dataframe.parquet.minimum-partition-size": 0})
    cluster = LocalCluster(
        n_workers=WORKERS,
        threads_per_worker=1,
        memory_limit=WORKER_MEMORY,
        host="127.0.0.1",
        dashboard_address=None,
    )
    with cluster, Client(cluster):
        return _evaluate(dd.read_parquet(home), memory_limit="500MB")


def run_spark(home: Path) -> dict[str, Any]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master(f"local[{WORKERS}]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "1g")
        .getOrCreate()
    )
    try:
        return _evaluate(session.read.parquet(str(home)), memory_limit="500MB")
    finally:
        session.stop()


ENGINES = {
    "scikit-learn, in memory": run_sklearn,
    "this package, in memory": run_ours,
    "DuckDB": run_duckdb,
    "Dask, 2 workers": run_dask,
    "Spark, local[2]": run_spark,
}


# --------------------------------------------------------------------------- measuring


class PeakMemory(threading.Thread):
    """Largest resident memory of this process, of any child, and of all; their CPU time."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.own = self.child = self.all = 0
        self.cpu: dict[int, float] = {}
        self.stopped = threading.Event()

    def run(self) -> None:
        import psutil

        me = psutil.Process()
        while not self.stopped.wait(0.05):
            own = me.memory_info().rss
            children = []
            for child in me.children(recursive=True):
                try:
                    children.append(child.memory_info().rss)
                    self.cpu[child.pid] = sum(child.cpu_times()[:2])
                except psutil.NoSuchProcess:
                    continue
            self.own = max(self.own, own)
            self.child = max([self.child, *children])
            self.all = max(self.all, own + sum(children))


def measure(engine: str, home: Path) -> dict[str, Any]:
    """One run in this process."""
    peak = PeakMemory()
    peak.start()
    start = time.perf_counter()
    values = ENGINES[engine](home)
    seconds = time.perf_counter() - start
    peak.stopped.set()
    peak.join()
    return {
        "seconds": seconds,
        "cpu_seconds": time.process_time() + sum(peak.cpu.values()),
        "driver_mb": peak.own / MB,
        "largest_child_mb": peak.child / MB,
        "all_mb": peak.all / MB,
        "values": values,
    }


def measure_apart(engine: str, home: Path) -> dict[str, Any]:
    """One run in a fresh process."""
    command = [sys.executable, __file__, "--one", engine, "--home", str(home)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        return {"error": lines[-1]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


# --------------------------------------------------------------------------- table

Results = dict[tuple[str, int], dict[str, Any]]
OURS = "this package, in memory"
PACKAGES = (
    "scikit-learn",
    "numpy",
    "pandas",
    "pyarrow",
    "duckdb",
    "dask",
    "distributed",
    "pyspark",
)


def machine() -> str:
    """Processor, memory and versions, without names of the machine."""
    import platform
    from importlib.metadata import version

    import psutil

    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    memory = psutil.virtual_memory().total / 2**30
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores, "
        f"{memory:.0f} GiB. Python {platform.python_version()}, {versions}."
    )


def table(results: Results, sizes: list[int]) -> str:
    """Markdown: seconds and peak memory of each engine and size, and whether answers agree."""
    lines = [
        "| engine | rows | s | CPU s | driver, MB | largest worker, MB | all, MB | ROC AUC | AP |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for engine in ENGINES:
        for n_rows in sizes:
            found = results.get((engine, n_rows))
            if found is None:
                continue
            if "error" in found:
                lines.append(f"| {engine} | {n_rows:.0e} | {found['error'][:80]} | | | | | | |")
                continue
            reference = {} if engine == OURS else results.get((OURS, n_rows), {}).get("values", {})
            cells = [
                _agrees(found["values"][name], reference.get(name))
                for name in ("roc_auc", "average_precision")
            ]
            child = found["largest_child_mb"]
            lines.append(
                f"| {engine} | {n_rows:.0e} | {found['seconds']:.1f} | "
                f"{found['cpu_seconds']:.1f} | {found['driver_mb']:.0f} | "
                f"{f'{child:.0f}' if child else ''} | {found['all_mb']:.0f} | "
                f"{' | '.join(cells)} |".replace("e+0", "e")
            )
    return "\n".join(lines)


def _agrees(value: Any, reference: Any) -> str:
    if reference is None:
        return repr(value)
    return "equal" if value == reference else f"{value - reference:+.1e}"


def growth(results: Results, sizes: list[int]) -> str:
    """Markdown: how time and memory grow from the fewest rows to the most."""
    few, many = min(sizes), max(sizes)
    lines = [
        f"| engine | CPU time of {many / few:.0f} times the rows | peak of one process | of all |",
        "|---|---|---|---|",
    ]
    for engine in ENGINES:
        ends = [results.get((engine, n), {"error": ""}) for n in (few, many)]
        if any("error" in end for end in ends):
            continue
        times = ends[1]["cpu_seconds"] / ends[0]["cpu_seconds"]
        one = [max(end["driver_mb"], end["largest_child_mb"]) for end in ends]
        total = ends[1]["all_mb"] / ends[0]["all_mb"]
        lines.append(f"| {engine} | x{times:.1f} | x{one[1] / one[0]:.1f} | x{total:.1f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10**6, 10**7, 5 * 10**7])
    parser.add_argument("--folder", type=Path, default=Path("scale_data"))
    parser.add_argument("--engines", nargs="+", choices=list(ENGINES), default=list(ENGINES))
    parser.add_argument("--json", type=Path, help="numbers of this run and of runs before")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one, options.home)))
        return
    results: Results = {}
    if options.json and options.json.exists():
        for row in json.loads(options.json.read_text(encoding="utf-8")):
            results[row.pop("engine"), row.pop("rows")] = row
    for n_rows in options.sizes:
        home = make(options.folder, n_rows)
        for engine in options.engines:
            if (engine, n_rows) in results:
                continue
            results[engine, n_rows] = found = measure_apart(engine, home)
            told = found.get("seconds", found.get("error"))
            print(f"{engine}, {n_rows}: {told}", file=sys.stderr, flush=True)
            if options.json:
                rows = [{"engine": e, "rows": n, **one} for (e, n), one in results.items()]
                options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    print(machine(), table(results, options.sizes), growth(results, options.sizes), sep="\n\n")


if __name__ == "__main__":
    main()
