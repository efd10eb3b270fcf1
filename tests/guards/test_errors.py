"""Whatever refuses an argument raises one type of error, which is both that users expect."""

import ast

from support.source import PATHS, nodes

FOREIGN = ("ValueError", "TypeError")
# What is told on the command line, where it is caught; and a variable of the environment.
EXEMPT = ("cli", "datasets", "kernels")


def raised(nodes):
    """Names of the errors that a source raises."""
    for node in nodes:
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield getattr(node.exc.func, "id", ""), node.lineno


def test_no_argument_is_refused_by_another_error():
    found = [
        f"{path}:{line}: {name}"
        for path in PATHS
        if path.partition("/")[0] not in EXEMPT
        for name, line in raised(nodes(path))
        if name in FOREIGN
    ]
    assert not found


def test_another_error_is_seen():
    seen = raised(ast.walk(ast.parse("raise ValueError(1)\nraise Fine(2)")))
    assert list(seen) == [("ValueError", 1), ("Fine", 2)]
