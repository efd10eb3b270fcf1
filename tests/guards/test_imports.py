"""Rules about imports."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import skmetrics_ext

PACKAGE = Path(skmetrics_ext.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
LATE = ("sklearn", "scipy.stats", "pandas", "polars", "pyarrow", "matplotlib", "tqdm", "dask",
        "pyspark", "duckdb")  # fmt: skip


def imported_modules(path: Path) -> set[str]:
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules |= {f"{node.module}.{alias.name}" for alias in node.names}
    return modules


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_private_module_of_scikit_learn(path: Path) -> None:
    private = {
        module
        for module in imported_modules(path)
        if module.split(".")[0] == "sklearn"
        and any(part.startswith("_") for part in module.split("."))
    }
    assert not private


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_metrics_of_scikit_learn_are_not_called(path: Path) -> None:
    # A scorer is of the class of scikit-learn's scorers, and calls none of them.
    allowed = {"sklearn.metrics"} if path == PACKAGE / "scoring" / "scorer.py" else set()
    found = {m for m in imported_modules(path) if m.startswith("sklearn.metrics")}
    assert found <= allowed


def test_importing_the_package_loads_nothing_that_may_wait() -> None:
    code = f"import sys, skmetrics_ext; print([m for m in {LATE!r} if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert loaded.stdout.strip() == "[]", loaded.stdout + loaded.stderr
