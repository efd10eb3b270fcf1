"""Docstrings of displays, whose shared paragraphs are written once."""

import inspect
import re

import pytest

import skmetrics_ext
from skmetrics_ext import plotting

METHODS = [
    (name, method)
    for name in plotting.__all__
    for method, _ in inspect.getmembers(getattr(skmetrics_ext, name), callable)
    if not method.startswith("_")
]


@pytest.mark.parametrize("name", plotting.__all__)
def test_shared_paragraphs_of_classes_are_filled_in(name):
    doc = inspect.getdoc(getattr(skmetrics_ext, name))
    assert not re.search(r"^ *\{\w+\}$", doc, re.MULTILINE)
    sections = ["Parameters\n-", "Attributes\n-", "Examples\n-"]
    assert [doc.index(section) for section in sections] == sorted(map(doc.index, sections))


@pytest.mark.parametrize(("name", "method"), METHODS, ids=map(".".join, METHODS))
def test_methods_describe_each_parameter(name, method):
    function = getattr(getattr(skmetrics_ext, name), method)
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
