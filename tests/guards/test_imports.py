"""Rules about imports."""

import ast
import subprocess
import sys

from support.source import PATHS, nodes

LATE = ("sklearn", "scipy.stats", "pandas", "polars", "pyarrow", "matplotlib", "tqdm", "dask",
        "pyspark", "duckdb")  # fmt: skip


def imported_modules(path: str) -> set[str]:
    modules: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules |= {f"{node.module}.{alias.name}" for alias in node.names}
    return modules


def test_no_private_module_of_scikit_learn() -> None:
    private = {
        (path, module)
        for path in PATHS
        for module in imported_modules(path)
        if module.split(".")[0] == "sklearn"
        and any(part.startswith("_") for part in module.split("."))
    }
    assert not private


def test_metrics_of_scikit_learn_are_not_called() -> None:
    found = {
        (path, module)
        for path in PATHS
        for module in imported_modules(path)
        if module.startswith("sklearn.metrics")
    }
    # A scorer is of the class of scikit-learn's scorers, and calls none of them.
    assert found <= {("scoring/scorer.py", "sklearn.metrics")}


def test_importing_the_package_loads_nothing_that_may_wait() -> None:
    code = f"import sys, skmetrics_ext; print([m for m in {LATE!r} if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert loaded.stdout.strip() == "[]", loaded.stdout + loaded.stderr
