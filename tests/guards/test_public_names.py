"""Every public name exists, is documented, and is known to editors."""

import ast
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import sklearn.metrics
from support.markdown import ROOT
from support.public import PUBLIC

import skmetrics_ext
from skmetrics_ext._deprecated import MOVED, REPLACED
from skmetrics_ext.registry import scorers

FUNCTIONS = [name for name, thing in PUBLIC.items() if inspect.isfunction(thing)]
CLASSES = [name for name, thing in PUBLIC.items() if inspect.isclass(thing)]
SECTIONS = ("Parameters\n-", "Returns\n-", "Examples\n-", ">>> ")
NAMESPACES = (
    "skmetrics_ext",
    "skmetrics_ext.metrics",
    "skmetrics_ext.results",
    "skmetrics_ext.significance",
)


def imports_of_stub(namespace: str) -> dict[str, str]:
    """The names that a stub file re-exports, with their modules."""
    file = Path(import_module(namespace).__file__).with_suffix(".pyi")
    return {
        alias.asname: node.module
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }


def test_names_are_sorted_and_exist() -> None:
    names = skmetrics_ext.__all__
    assert len(names) == len(set(names))
    assert all(hasattr(skmetrics_ext, name) for name in names)


def test_the_top_level_stays_small_and_lists_no_modules() -> None:
    # 140 without the capabilities that came with labels from machines, readers and abstention,
    # costs of each row, prediction sets and gains tables.
    assert len(skmetrics_ext.__all__) <= 155
    assert not [n for n in dir(skmetrics_ext) if inspect.ismodule(getattr(skmetrics_ext, n))]
    assert not set(skmetrics_ext.__all__) & set(skmetrics_ext.results.__all__)


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_editors_know_what_is_loaded_when_it_is_used(namespace: str) -> None:
    loaded, stub = import_module(namespace), imports_of_stub(namespace)
    assert sorted(stub) == sorted(loaded.__all__)
    for name, module in stub.items():
        assert getattr(loaded, name) is getattr(import_module(module), name), name


def test_metrics_are_imported_as_from_scikit_learn() -> None:
    metrics = import_module("skmetrics_ext.metrics")
    functions = {name for name in skmetrics_ext.__all__ if name.islower()}
    shared = functions & set(sklearn.metrics.__all__)
    assert shared <= set(metrics.__all__)
    assert not [name for name in metrics.__all__ if not inspect.isfunction(getattr(metrics, name))]


@pytest.mark.parametrize(("home", "name"), [("results", "Estimate"), ("tallies", "RankTally")])
def test_a_name_that_moved_is_still_found(home: str, name: str) -> None:
    with pytest.warns(DeprecationWarning, match=rf"use skmetrics_ext\.{home}\.{name}"):
        old = getattr(skmetrics_ext, name)
    assert old is getattr(import_module(f"skmetrics_ext.{home}"), name)


@pytest.mark.parametrize("name", [*MOVED, *REPLACED])
def test_a_deprecated_name_answers_with_a_warning(name: str) -> None:
    message = rf"skmetrics_ext\.{name} is deprecated and will be removed in version 0.4: use "
    with pytest.warns(FutureWarning, match=message) as told:
        old = getattr(skmetrics_ext, name)
    assert {warning.filename for warning in told} == {__file__}
    with pytest.warns(FutureWarning, match=message):
        exec(f"from skmetrics_ext import {name}")
    assert name not in skmetrics_ext.__all__
    if name in MOVED:
        assert old is getattr(import_module(MOVED[name]), name)
    assert f"`{name}`" in (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")


def test_lists_and_hints_of_scorers_leave_out_statistics_of_the_table() -> None:
    listed = skmetrics_ext.get_scorer_names()
    assert len(listed) <= 215
    assert "jaccard_macro" in listed
    rare = {name for name in scorers() if name not in listed}
    assert {"yule_q", "precision_gain_micro", "neg_roc_corner_distance"} <= rare
    with pytest.raises(ValueError, match="is not a valid scoring value") as error:
        skmetrics_ext.get_scorer("yule_qq")
    assert "yule_q'" not in str(error.value)


def test_an_unknown_name_is_an_attribute_error() -> None:
    for namespace in NAMESPACES:
        with pytest.raises(AttributeError, match="'nothing'"):
            import_module(namespace).nothing  # noqa: B018


@pytest.mark.parametrize(
    "first", ["registry.find", "metrics.labels.rates", "tables", "report.page"]
)
def test_any_module_may_be_imported_first(first: str) -> None:
    code = f"from skmetrics_ext import formats; import skmetrics_ext.{first}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert not done.returncode, done.stderr


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_documented(name: str) -> None:
    function = PUBLIC[name]
    doc = inspect.getdoc(function) or ""
    missing = [section.splitlines()[0] for section in SECTIONS if section not in doc]
    if not inspect.signature(function).parameters and "Parameters" in missing:
        missing.remove("Parameters")
    assert not missing
    assert "{" + "sample_weight}" not in doc, "a shared paragraph was not filled in"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_parameter_is_documented(name: str) -> None:
    function = PUBLIC[name]
    doc = inspect.getdoc(function) or ""
    described = {
        part.strip().lstrip("*")
        for line in doc.splitlines()
        if " : " in line
        for part in line.split(" : ")[0].split(",")
    }
    assert not set(inspect.signature(function).parameters) - described


@pytest.mark.parametrize("name", CLASSES)
def test_classes_are_documented(name: str) -> None:
    assert "Parameters\n-" in (inspect.getdoc(PUBLIC[name]) or "")
