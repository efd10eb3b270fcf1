"""The order of the layers, which pyproject.toml lists."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from support.source import PACKAGE, nodes

ROOT = Path(__file__).parents[2]
# Modules that import each other. Operators make estimates of estimates, so that results
# of inference need what computes them; the others may go.
CIRCLES = {
    "inference": "operators of estimates",
}


def test_imports_go_down_only() -> None:
    # A linter, so part of the "dev" extra and not of "test".
    pytest.importorskip("importlinter")
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    ran = subprocess.run(
        [sys.executable, "-c", code, "--no-cache"], cwd=ROOT, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def imports():
    """Modules of the package, and those that each imports anywhere but for type checkers."""
    paths = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in PACKAGE.rglob("*.py")
    }
    found = {}
    for module, path in paths.items():
        own = nodes(path.relative_to(PACKAGE).as_posix())
        for_checkers = {
            inner
            for node in own
            if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
            for line in node.body
            for inner in ast.walk(line)
        }
        named = [
            (node.module or "", alias.name)
            for node in own
            if isinstance(node, ast.ImportFrom) and node not in for_checkers
            for alias in node.names
        ]
        targets = {f"{room}.{name}" if f"{room}.{name}" in paths else room for room, name in named}
        found[module] = targets & paths.keys() - {module}
    return found


def test_few_modules_import_each_other():
    reached = imports()
    for _ in range(8):  # 2**8 steps of imports
        reached = {
            module: found.union(*(reached[other] for other in found))
            for module, found in reached.items()
        }
    in_circles = {module.split(".")[1] for module, found in reached.items() if module in found}
    assert in_circles == CIRCLES.keys()
