"""Docstrings of displays, whose shared paragraphs are written once."""

import inspect
import re

import pytest

from skmetrics_ext import plotting

METHODS = [
    (name, method)
    for name in plotting.__all__
    for method, _ in inspect.getmembers(getattr(plotting, name), callable)
    if not method.startswith("_")
]


@pytest.mark.parametrize("name", plotting.__all__)
def test_shared_paragraphs_of_classes_are_filled_in(name):
    doc = inspect.getdoc(getattr(plotting, name))
    assert not re.search(r"^ *\{\w+\}$", doc, re.MULTILINE)
    sections = ["Parameters\n-", "Attributes\n-", "Examples\n-"]
    assert [doc.index(section) for section in sections] == sorted(map(doc.index, sections))


@pytest.mark.parametrize(("name", "method"), METHODS, ids=map(".".join, METHODS))
def test_methods_describe_each_parameter(name, method):
    function = getattr(getattr(plotting, name), method)
    doc = inspect.getdoc(function)
    assert not re.search(r"^ *\{\w+\}$", doc, re.MULTILINE)
    described = {
        part.strip().lstrip("*")
        for line in doc.splitlines()
        if " : " in line or line.startswith("*")
        for part in line.split(" : ")[0].split(",")
    }
    given = {key for key in inspect.signature(function).parameters if key != "self"}
    assert not given - described
    assert "Returns\n-" in doc


@pytest.mark.parametrize(("name", "method"), METHODS, ids=map(".".join, METHODS))
def test_constructors_name_their_options(name, method):
    display = getattr(plotting, name)
    function = getattr(display, method)
    if not method.startswith("from_"):
        return
    kinds = [own.kind for own in inspect.signature(function).parameters.values()]
    assert inspect.Parameter.VAR_KEYWORD not in kinds
    given = inspect.signature(function).parameters
    drawn = [key for key, own in inspect.signature(display.plot).parameters.items() if key != "ax"]
    assert set(drawn) - {"self"} <= set(given)
    data = [0] * sum(own.default is own.empty for own in given.values())
    with pytest.raises(ValueError, match=rf"{name}.{method} takes no colour; its options are \["):
        function(*data, colour="red")


def test_options_are_those_of_the_kind():
    roc, decision = (
        inspect.signature(display.from_predictions).parameters
        for display in (plotting.RocCurvesDisplay, plotting.DecisionCurveDisplay)
    )
    assert {"drop_intermediate", "interval"} <= set(roc)
    assert {"thresholds", "prevalence"} <= set(decision)
    assert not {"thresholds", "prevalence"} & set(roc)
    report = inspect.signature(plotting.RocCurvesDisplay.from_report).parameters
    assert "grid" in report
    assert "grid" not in roc


def test_displays_are_named_shortly():
    given = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    display = plotting.GainDisplay.from_predictions(*given, name="forest")
    assert repr(display) == "<GainDisplay of forest>"
    matrix = plotting.ConfusionMatrixDisplay([[1, 2], [3, 4]])
    assert repr(matrix) == "<ConfusionMatrixDisplay>"
