"""Results draw themselves without the layers below the pictures naming the layer that draws."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support.public import PUBLIC
from support.source import PACKAGE, PATHS, nodes

SETTINGS = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))
LAYERS = SETTINGS["tool"]["importlinter"]["contracts"][0]["layers"]
PLACE = next(k for k, layer in enumerate(LAYERS) if "plotting" in layer)
BELOW = [name.strip() for layer in LAYERS[PLACE + 1 :] for name in layer.split("|")]
BESIDE = [name.strip() for name in LAYERS[PLACE].split("|") if name.strip() != "plotting"]


def files_of(module: str) -> list[Path]:
    folder = PACKAGE / module
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]


FILES = [path for module in (*BELOW, *BESIDE) for path in files_of(module)]
FILES.remove(PACKAGE / "_deprecated.py")  # which says where a name of it is


def names_it(text: str) -> bool:
    """Whether code has the word in a name, an import or a string that is no docstring."""
    tree = ast.parse(text)
    scopes = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, scopes) and node.body and isinstance(node.body[0], ast.Expr)
    }
    said = [
        str(value)
        for node in ast.walk(tree)
        if id(node) not in docs
        for _, value in ast.iter_fields(node)
        if isinstance(value, str)
    ]
    return any(re.search(r"(?<![a-z])plotting(?![a-z])", value) for value in said)


def test_layers_below_do_not_name_it() -> None:
    assert not [path for path in FILES if names_it(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(
    "code",
    [
        "from skmetrics_ext.plotting import x",
        "def f():\n    import skmetrics_ext.plotting.x",
        "from importlib import import_module\nimport_module('skmetrics_ext.plotting.x')",
        "from skmetrics_ext import plotting",
        "name = f'skmetrics_ext.{x}.plotting'",
    ],
)
def test_hidden_imports_are_found(code: str) -> None:
    assert names_it(code)
    assert not names_it('"""Docstrings may mention plotting."""')


def test_the_table_is_loaded_at_the_first_picture() -> None:
    code = """
import sys, skmetrics_ext as sx
curve = sx.gain_curve([0, 1], [0.1, 0.9])
print("skmetrics_ext.plotting" in sys.modules, "matplotlib" in sys.modules)
import matplotlib
matplotlib.use("agg")
print(type(curve.plot()).__name__)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["False", "False", "GainDisplay"], done.stderr


def test_every_result_that_plots_is_in_the_table() -> None:
    from skmetrics_ext.plotting.plot_results import PICTURES

    plotting = [
        kind
        for kind in PUBLIC.values()
        if isinstance(kind, type)
        and hasattr(kind, "plot")
        and not kind.__name__.endswith("Display")
    ]
    assert plotting
    for kind in plotting:
        known = {parent.__name__ for parent in kind.__mro__} & PICTURES.keys()
        assert known or kind.__name__ == "Evaluation"  # draws the Picture of one metric


# --------------------------------------------------------------------------- pictures draw tables

TREES = {path: ast.parse(path.read_text("utf-8")) for path in files_of("plotting")}
COMPUTING = ("skmetrics_ext.inference", "skmetrics_ext.thresholds", "skmetrics_ext.scoring")


@pytest.mark.parametrize("path", TREES, ids=lambda path: path.name)
def test_no_statistic_is_computed_in_a_picture(path: Path) -> None:
    """Nor is a table computed from rows but in the layer below, nor a signature inspected."""
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.ImportFrom):
            computes = (node.module or "").startswith(COMPUTING)
            names = {alias.name for alias in node.names}
            assert not computes or names <= {"Estimate", "shown_metric"}, ast.unparse(node)
            assert node.module != "inspect" or names <= {"Parameter", "Signature"}
        if isinstance(node, ast.Import):
            assert "inspect" not in {alias.name for alias in node.names}


def test_nobody_reads_what_a_display_was_computed_from() -> None:
    for path in PATHS:
        read = {node.attr for node in nodes(path) if isinstance(node, ast.Attribute)}
        assert not read & {"_source", "_of_data"} or path.startswith("plotting/"), path
