"""Facts that specs state agree with the types of kernels and functions, whose spelling is not read.

Types are resolved by ``typing.get_type_hints``. The package itself must not read annotations, so
that another spelling of the same type changes nothing.
"""

import ast
import copy
import functools
import json
import pickle
import subprocess
import sys
import types
import typing
from pathlib import Path

import pytest
from numpy.typing import ArrayLike

import skmetrics_ext
from skmetrics_ext.annotations import misfit
from skmetrics_ext.metrics import averaging, family
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry.find import parameters_of
from skmetrics_ext.registry.table import _ORDER, SPECS
from skmetrics_ext.tallies import Counts, Means, RankTally, Tabulated
from skmetrics_ext.tallies.bins import BinTally

PACKAGE = Path(skmetrics_ext.__file__).parent
# Types of a kernel's first parameter, and the tally that the spec has to name.
TALLIES = {
    Counts: "counts",
    Tabulated: "confusion",
    averaging.Mean: "counts",
    RankTally: "ranks",
    Means: "moments",
}


def types_of(hint):
    is_union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return set(typing.get_args(hint)) if is_union else {hint}


def first_parameter(spec):
    """Name and types of the kernel's first parameter; name and default of the second."""
    kernel = spec.kernel
    while isinstance(kernel, functools.partial):
        kernel = kernel.func
    first, *others = parameters_of(kernel).values()
    second = (others[0].name, others[0].default) if others else ("", None)
    return first.name, types_of(typing.get_type_hints(kernel)[first.name]), second


@pytest.mark.parametrize("name", SPECS)
def test_stated_facts_agree_with_types(name):
    spec = SPECS[name]
    first, kinds, (second, default) = first_parameter(spec)
    hints = typing.get_type_hints(spec.function)
    expected = next(tally for kind, tally in TALLIES.items() if kind in kinds)
    assert spec.tally == (first if first in ("hits", "marks") else expected)
    assert (spec.reads == "rates") == (averaging.Mean in kinds)
    assert spec.table_when == ((second,) if kinds >= {Counts, Tabulated} else ())
    assert spec.bins_when == ((second, default) if BinTally in kinds else ())
    assert spec.is_table == (hints["return"] == Array)
    has_outputs = hints.get("average") == averaging.RankAverage | None
    assert (spec.convention is not averaging.NO_CONVENTION) == has_outputs
    named = {params["average"] for params in spec.variants.values() if "average" in params}
    kinds = types_of(hints.get("average", type(None)))
    assert named <= {name for kind in kinds for name in typing.get_args(kind) or (kind,)}


# --------------------------------------------------------------------------- no text of annotations


def test_the_text_of_annotations_is_not_read():
    """``annotations.misfit`` resolves types; nothing else in the package looks at them."""
    readers = {}
    sources = {path.name: path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
    for name, text in sources.items():
        for node in ast.walk(ast.parse(text)) if "annotation" in text else ():
            reads = isinstance(node, ast.Attribute) and node.attr in (
                *("__annotations__", "annotation", "return_annotation"),
            )
            if reads and isinstance(node.ctx, ast.Load):
                readers.setdefault(name, []).append(node.lineno)
    assert not readers


RESPELLED = """
import ast, importlib.machinery as machinery, json, sys

class Respelling(ast.NodeTransformer):
    def respelled(self, hint):
        if isinstance(hint, ast.BinOp) and isinstance(hint.op, ast.BitOr):
            return ast.BinOp(self.respelled(hint.right), ast.BitOr(), self.respelled(hint.left))
        return hint

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        arguments = node.args
        for each in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
            if each.annotation is not None:
                each.annotation = quoted(self.respelled(each.annotation))
        if node.returns is not None:
            node.returns = quoted(self.respelled(node.returns))
        return node

def quoted(hint):  # "Array" for Array, which resolves to the same type
    return ast.Constant(hint.id) if isinstance(hint, ast.Name) else hint

read = machinery.SourceFileLoader.source_to_code

def source_to_code(self, data, path, **options):
    if "skmetrics_ext" in str(path):
        tree = Respelling().visit(ast.parse(data))
        data = ast.fix_missing_locations(tree)
        return compile(data, path, "exec", dont_inherit=True)
    return read(self, data, path, **options)

machinery.SourceFileLoader.source_to_code = source_to_code
sys.path[:0] = json.loads(sys.argv[1])
import test_stated_facts as facts
print(json.dumps(facts.facts_and_answers(), default=str))
"""


def facts_and_answers():
    facts = ("tally", "averages", "fill", "convention", "is_table", "table_when", "bins_when")
    found = {
        name: [str(getattr(spec, fact)) for fact in (*facts, "scorers", "response")]
        for name, spec in SPECS.items()
    }
    arguments = ({"y_true": 3}, {"sample_weight": "text"}, {"sample_weight": None}, {"average": 1})
    for function in (skmetrics_ext.f1_score, skmetrics_ext.roc_auc_score):
        for given in arguments:
            told = misfit(function, given)
            found[f"{function.__name__} {given}"] = sorted(told.replace(",", " ").split())
    found["value"] = str(skmetrics_ext.roc_auc_score([0, 1, 1, 0], [0.1, 0.4, 0.35, 0.8]))
    return found


def test_another_spelling_of_annotations_changes_nothing(tmp_path):
    places = json.dumps([str(Path(__file__).parent), str(PACKAGE.parent)])
    own = {"PYTHONPYCACHEPREFIX": str(tmp_path), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", RESPELLED, places], capture_output=True, text=True, env=own
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == facts_and_answers()


@pytest.mark.parametrize(
    ("hint", "value", "words"),
    [
        (ArrayLike | None, "text", "array-like | None"),
        (None | ArrayLike, {1}, "array-like | None"),
        (ArrayLike | int, {}, "array-like | int"),
        (int, "text", "int"),
    ],
)
def test_errors_name_the_types(hint, value, words):
    def function(argument):
        pass

    function.__annotations__ = {"argument": hint}
    assert misfit(function, {"argument": value}) == f"argument must be {words}, got {value!r}."
    assert misfit(function, {"argument": 3 if hint in (int, ArrayLike | int) else [1]}) == ""


@pytest.mark.parametrize("each", [family.LABELS, family.RANKING, family.MEANS, family.FUNCTION])
def test_a_family_is_one_object_wherever_it_is_copied(each):
    assert copy.deepcopy(each) is each
    assert pickle.loads(pickle.dumps(each)) is each


@pytest.mark.parametrize("name", SPECS)
def test_a_metric_has_the_family_of_what_its_kernel_reads(name):
    families = {"ranks": "ranking", "moments": "means"}
    assert SPECS[name].family.name == families.get(SPECS[name].tally, "labels")


def test_lists_are_in_the_order_of_modules_that_exist():
    modules = {spec.function.__module__.rsplit(".", 1)[1] for spec in SPECS.values()}
    assert set(_ORDER) <= modules
