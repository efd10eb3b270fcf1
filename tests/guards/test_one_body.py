"""One metric, one body: what keeps a second one from growing.

A name of a metric outside the registry is the beginning of a second road to it, an average over
classes outside `metrics/averaging.py` that of a second average.
"""

import ast
import inspect
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.compare import undefined_allowed
from support.rows import NAMES, call, settings_of
from support.samples import samples
from support.source import PATHS, nodes, tree

from skmetrics_ext import METRICS
from skmetrics_ext.registry import find
from skmetrics_ext.tallies import ConfusionTally

REGISTRY = ("registry/", "__init__.py", "metrics/__init__.py")
AVERAGING = "metrics/averaging.py"
AVERAGES = {"macro", "weighted", "micro"}
STEP = 1e-30


@cache
def parents(path: str) -> dict[ast.AST, ast.AST]:
    return {child: node for node in nodes(path) for child in ast.iter_child_nodes(node)}


def above(path: str, node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that hold a node, from the inside."""
    known = parents(path)
    while node in known:
        node = known[node]
        yield node


def text(node: ast.AST | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


# --------------------------------------------------------------------------- names of metrics

SCORERS = {name for spec in METRICS.values() for name in spec.scorers}
METRIC_NAMES = set(METRICS) | SCORERS | {name.removeprefix("neg_") for name in SCORERS}
# Words of the printed report, which are scikit-learn's.
HEADINGS = {"inference/classification_report.py": {"accuracy"}}
DEPRECATED = "_deprecated.py"  # a table of names that were public, some of them those of metrics


@cache
def plain_words() -> set[str]:
    """Names that also name something else: a parameter, or a part of a result."""
    found = {name for name in METRIC_NAMES if len(name) < 5}
    for path in PATHS:
        for node in nodes(path):
            if isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, ast.ClassDef):
                for part in node.body:
                    if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                        found.add(part.target.id)
                    elif isinstance(part, ast.FunctionDef):
                        found.add(part.name)
    return found


def is_looked_up(path: str, node: ast.AST) -> bool:
    """Whether a string is compared, or one of a list or of keys that are all names of metrics."""
    inside: ast.AST = node
    for outer in above(path, node):
        if isinstance(outer, ast.Compare | ast.MatchValue):
            return True
        listed: list[ast.expr | None] = []
        if isinstance(outer, ast.Tuple | ast.List | ast.Set):
            listed = list(outer.elts)
        elif isinstance(outer, ast.Dict):
            if inside not in outer.keys:
                return False
            listed = list(outer.keys)
        else:
            return False
        if len(listed) > 1 and all(text(one) in METRIC_NAMES for one in listed):
            return True
        inside = outer
    return False


def names_itself(path: str, node: ast.AST) -> bool:
    """Whether it is the name of what is defined here: a function, a variable, or a scorer."""
    for outer in above(path, node):
        if isinstance(outer, ast.keyword) and outer.arg == "scorer":
            return True
        if isinstance(outer, ast.FunctionDef) and outer.name == text(node):
            return True
        if isinstance(outer, ast.Assign):
            named = [target.id for target in outer.targets if isinstance(target, ast.Name)]
            if text(node) in named:
                return True
    return False


def is_type(path: str, node: ast.AST) -> bool:
    """Whether it is one of a literal type, which decides nothing: a guard of its own holds it."""
    return any(
        isinstance(outer, ast.Subscript) and ast.unparse(outer.value) == "Literal"
        for outer in above(path, node)
    )


def names_of_metrics(path: str) -> Iterator[str]:
    """Places where a file names a metric."""
    for node in nodes(path):
        word = text(node)
        if word not in METRIC_NAMES or word in HEADINGS.get(path, ()):
            continue
        plain = word in plain_words()
        if (plain and not is_looked_up(path, node)) or names_itself(path, node):
            continue
        if is_type(path, node):
            continue
        yield f"{path}:{node.lineno} {word!r}"


def test_no_name_of_a_metric_outside_the_registry() -> None:
    paths = [path for path in PATHS if not path.startswith((*REGISTRY, DEPRECATED))]
    found = [place for path in paths for place in names_of_metrics(path)]
    assert not found, "Names of metrics; a fact of the row in the registry says it:\n" + "\n".join(
        found
    )


def test_the_guard_of_names_sees_and_forgives() -> None:
    """A word that also names a parameter counts where it is compared."""
    assert "roc_auc_score" not in plain_words()
    assert {"prevalence", "precision"} <= plain_words()


# --------------------------------------------------------------------------- averages over classes


def compared_strings(path: str) -> Iterator[tuple[int, str]]:
    """Strings that are compared, matched, or keys of a mapping."""
    for node in nodes(path):
        parts: list[ast.AST | None] = []
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.MatchValue):
            parts = [node.value]
        elif isinstance(node, ast.Dict):
            parts = list(node.keys)
        for part in parts:
            several = isinstance(part, ast.Tuple | ast.List | ast.Set)
            for one in part.elts if several else [part]:
                if word := text(one):
                    yield one.lineno, word


def test_classes_are_averaged_in_one_file() -> None:
    found = {
        path: [
            f"{path}:{line} {word!r}" for line, word in compared_strings(path) if word in AVERAGES
        ]
        for path in PATHS
        if not path.startswith(REGISTRY)
    }
    assert found.pop(AVERAGING)
    elsewhere = [place for places in found.values() for place in places]
    assert not elsewhere, f"{AVERAGING} averages over classes:\n" + "\n".join(elsewhere)


# --------------------------------------------------------------------------- names of ours


def test_no_two_classes_share_a_name() -> None:
    places: dict[str, list[str]] = {}
    for path in PATHS:
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(path)
    assert not {name: found for name, found in places.items() if len(found) > 1}


def test_no_two_rooms_share_a_name() -> None:
    rooms = Counter(Path(path).parent.name for path in PATHS if path.endswith("/__init__.py"))
    assert not [name for name, times in rooms.items() if times > 1]
    files = Counter(Path(path).name for path in PATHS)
    vague = ("panel.py", "reading.py")  # which of the two a reader has to guess
    assert not [name for name in vague if files[name] > 1]


# --------------------------------------------------------------------------- kernels


def codes_of(kernel: object) -> list[object]:
    """The code that runs where a kernel is called, and that of the kernels which it holds."""
    while isinstance(kernel, partial):
        kernel = kernel.func
    kernel = inspect.unwrap(kernel)
    if hasattr(kernel, "__code__"):
        return [kernel.__code__]
    found: list[object] = [type(kernel).__call__.__code__]
    if is_dataclass(kernel):
        for part in fields(kernel):
            inner = getattr(kernel, part.name)
            found += codes_of(inner) if callable(inner) else []
    return found


def traced(spec, params, sample):
    """Codes that run in a call of the function, with the first argument of each."""
    ran = {}
    before = sys.getprofile()

    def note(frame, event, arg):
        if event == "call" and frame.f_code not in ran:
            names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
            ran[frame.f_code] = frame.f_locals[names[0]] if names else None

    with undefined_allowed():
        sys.setprofile(note)
        try:
            call(spec, params, sample)
        finally:
            sys.setprofile(before)
    return ran


def draw_plain(data, name):
    """The first way to call a metric, and a sample for it."""
    spec = METRICS[name]
    params, kind = settings_of(name)[0]
    return spec, params, data.draw(samples(spec.response, kind))


def never_run(spec, ran):
    return [code for code in codes_of(spec.kernel) if code not in ran]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=3)
@given(data=st.data())
def test_the_function_calls_the_kernel_of_its_row(name, data):
    spec, params, sample = draw_plain(data, name)
    assert not never_run(spec, traced(spec, params, sample))


@settings(max_examples=1)
@given(data=st.data())
def test_a_kernel_that_is_not_called_is_seen(data):
    spec, params, sample = draw_plain(data, NAMES[0])
    other = replace(spec, kernel=lambda tally: 1.0)
    assert never_run(other, traced(other, params, sample))


# --------------------------------------------------------------------------- derivatives


def check_derivative(read, at, directions):
    """What a step in the imaginary direction says is what a small real one does."""
    for direction in directions:
        slope = np.asarray(read(at + 1j * STEP * direction)).imag / STEP
        # Where a metric has a corner its two sides differ, and either will do.
        sides = [(read(at + step * direction) - read(at)) / step for step in (1e-6, -1e-6)]
        near = [np.isclose(slope, side, rtol=1e-3, atol=1e-4, equal_nan=True) for side in sides]
        assert np.all(near[0] | near[1]), (direction, slope, *sides)


def label_variants():
    """Metrics of labels with the parameters of their scorers, but means over rows."""
    for spec in METRICS.values():
        for params in spec.variants.values() if spec.response == "labels" else ():
            if params.get("average") != "samples":
                yield pytest.param(spec, {**spec.params, **params}, id=f"{spec.name}-{params}")


@pytest.mark.parametrize(("spec", "params"), [*label_variants()])
def test_a_metric_of_a_table_is_its_own_derivative(spec, params):
    table = np.array([[7.0, 2.0, 1.5], [3.0, 5.0, 0.5], [1.0, 2.5, 9.0]])
    if find(spec.function, params).options.get("average") == "binary":
        table = table[:2, :2]
    classes, cells = np.arange(len(table)), np.eye(table.size).reshape(-1, *table.shape)
    metric = find(spec.function, params)
    check_derivative(lambda at: metric.read(ConfusionTally(classes, at)), table, cells)


@pytest.mark.parametrize("name", [name for name in NAMES if METRICS[name].tally == "moments"])
@settings(max_examples=3)
@given(data=st.data())
def test_a_metric_of_means_is_its_own_derivative(name, data):
    """Towards the means of the same rows with other weights."""
    spec, params, sample = draw_plain(data, name)
    (code,) = codes_of(spec.kernel)
    other = sample.weighted(np.arange(len(sample)) + 0.5)
    ran = [traced(spec, params, rows) for rows in (sample, other)]
    assert not any(never_run(spec, one) for one in ran)
    means, others = (one[code] for one in ran)
    if np.isfinite([spec.kernel(means), spec.kernel(others)]).all():
        direction = others.mean - means.mean
        check_derivative(
            lambda mean: spec.kernel(replace(means, mean=mean)), means.mean, [direction]
        )
