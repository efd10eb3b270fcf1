"""Whatever refuses an argument raises one type of error, which is both that users expect."""

import ast
from pathlib import Path

import skmetrics_ext

ROOT = Path(skmetrics_ext.__file__).parent
FOREIGN = ("ValueError", "TypeError")
# What is told on the command line, where it is caught; and a variable of the environment.
EXEMPT = ("cli", "datasets", "kernels")


def raised(source):
    """Names of the errors that a source raises."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield getattr(node.exc.func, "id", ""), node.lineno


def test_no_argument_is_refused_by_another_error():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in sorted(ROOT.rglob("*.py"))
        if path.relative_to(ROOT).parts[0] not in EXEMPT
        for name, line in raised(path.read_text(encoding="utf-8"))
        if name in FOREIGN
    ]
    assert not found


def test_another_error_is_seen():
    assert list(raised("raise ValueError(1)\nraise Fine(2)")) == [("ValueError", 1), ("Fine", 2)]
