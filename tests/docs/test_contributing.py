"""CONTRIBUTING: its walks, done in a copy of the package, add metrics that work."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest
from support.markdown import ROOT, Block, blocks

import skmetrics_ext

PAGE = ROOT / "CONTRIBUTING.md"
PLACE = re.compile(r"`([\w/]+\.py)`,\s(?:a new file|(after|before)\s`([^`]+)`):$")
# Of each new metric: its name, and the files where the page puts something.
WALKS = {
    "p4_score": {
        "skmetrics_ext/metrics/labels/p4.py",
        "tests/metrics/labels/test_values_by_hand.py",
    },
    "r_precision_score": {
        "skmetrics_ext/metrics/rankings/r_precision.py",
        "tests/metrics/rankings/test_values_by_hand.py",
    },
}
# A mistake in each place that says something of the metric: file, what it says, what is wrong.
MISTAKES = {
    "kernel of counts": (
        "p4",
        "skmetrics_ext/metrics/labels/p4.py",
        "2.0 * counts.tn + counts.fp",
        "2.0 * counts.tn + counts.fp + counts.fp",
        "tests/metrics/labels/test_values_by_hand.py",
    ),
    "kernel of a ranking": (
        "r_precision",
        "skmetrics_ext/metrics/rankings/r_precision.py",
        "interpolate(fp + tp, tp, positive)",
        "interpolate(fp + tp, fp, positive)",
        "tests/metrics/rankings/test_values_by_hand.py",
    ),
    "places of a ranking": (
        "r_precision",
        "skmetrics_ext/metrics/rankings/r_precision.py",
        "around_crossing(fp + tp, positive)",
        "around_crossing(fp, positive)",
        "tests/laws/test_ranges.py",
    ),
    "slope of a ranking": (
        "r_precision",
        "skmetrics_ext/metrics/rankings/r_precision.py",
        "at_end * (1 - inside)",
        "at_end * inside",
        "tests/laws/test_influence.py",
    ),
}
BEYOND_MEMORY = """
import numpy as np, pandas as pd
import skmetrics_ext as sx

rng = np.random.default_rng(1)
true = rng.integers(0, 2, 4000)
data = pd.DataFrame({"true": true, "score": rng.normal(size=4000) + true})
data["count"], data["group"] = rng.integers(0, 4, 4000), np.where(rng.random(4000) < 0.5, "a", "b")
held = "smooth_calibration_error"  # reads all scores at once, and so is refused
data["score"] = 1 / (1 + np.exp(-data["score"]))
for engine in ("memory", "duckdb"):
    asked = {"metrics": ["r_precision", held], "engine": engine, "memory_limit": 12_000}
    found = sx.evaluate(data, true="true", score="score", weight="count", by="group", **asked)
    for group, rows in data.groupby("group"):
        exact = sx.r_precision_score(rows["true"], rows["score"], sample_weight=rows["count"])
        assert abs(found.value("r_precision", group=group) - exact) < 1e-12, (engine, group)
        if engine == "duckdb":
            assert "memory_limit allows" in found.row(held, group=group).note
print("the same")
"""
# The finder of an editable installation would find the package of the checkout first.
ALONE = """
import importlib.machinery, runpy, sys
known = importlib.machinery.BuiltinImporter, importlib.machinery.FrozenImporter
sys.meta_path[:] = [*known, importlib.machinery.PathFinder]
sys.path.insert(0, {copy!r})
import skmetrics_ext
assert skmetrics_ext.__file__.startswith({copy!r}), skmetrics_ext.__file__
sys.argv[:] = {argv!r}
runpy.run_module({argv!r}[0], run_name="__main__", alter_sys=False)
"""


class Step(NamedTuple):
    """Text that makes a file, or goes beside a line of it."""

    path: str
    side: str | None
    line: str | None
    text: str


def steps() -> list[Step]:
    found = []
    for block in blocks(PAGE):
        place = PLACE.search(block.before)
        if place:
            found.append(Step(place[1], place[2], place[3], block.text))
    return found


def code() -> list[Block]:
    return [block for block in blocks(PAGE) if block.language == "python"]


def outcomes() -> list[Block]:
    return [block for block in code() if block.text.startswith(">>> ")]


def minutes() -> dict[str, list[str]]:
    """What the page says to run within a minute: by the word after -k."""
    lines = "".join(block.text for block in blocks(PAGE) if block.language == "sh").splitlines()
    commands = [shlex.split(line) for line in lines if " -k " in line]
    return {words[-1]: words[words.index("pytest") :] for words in commands}


def apply(step: Step, copy: Path) -> None:
    path = copy / step.path
    if step.side is None:
        assert not path.exists(), step.path
        path.write_text(step.text, encoding="utf-8")
        return
    text = path.read_text(encoding="utf-8")
    line = f"\n{step.line}\n"
    assert text.count(line) == 1, f"{step.path} has {text.count(line)} lines {step.line!r}"
    both = line + step.text if step.side == "after" else f"\n{step.text}{line[1:]}"
    path.write_text(text.replace(line, both), encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package and its tests with the new metrics."""
    folder = tmp_path_factory.mktemp("copy")
    unfinished = shutil.ignore_patterns("*.pyc.*")  # bytecode is copied: files keep their times
    for name in ("skmetrics_ext", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=unfinished)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for step in steps():
        apply(step, folder)
    return folder


def run(copy: Path, *argv: str) -> str:
    """What a module prints that runs in a copy, which keeps its bytecode for the next."""
    program = ALONE.format(copy=str(copy), argv=argv)
    ours = ("PYTEST_", "PYTHONPATH", "PYTHONDONTWRITE")  # of the tests that are running
    environment = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=copy,
        env={**environment, "HYPOTHESIS_PROFILE": "unshrunk"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def run_tests(copy: Path, *argv: str) -> str:
    return run(copy, "pytest", "-n0", "-p", "no:cacheprovider", *argv)


def test_extras_that_are_named_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for page in (PAGE, ROOT / "README.md"):
        commands = "".join(block.text for block in blocks(page) if block.language == "sh")
        named = re.findall(r"\.\[([\w,]+)\]", commands)
        assert len(named) == 2
        assert set(named) <= project["optional-dependencies"].keys()


def test_layers_are_those_that_the_linter_checks() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    table = PAGE.read_text(encoding="utf-8").partition("| layer | contents |")[2]
    rows = re.findall(r"^\| (`.*?) \|", table.partition("\n\n")[0], re.M)
    names = [[one for one in layer.split(" | ") if one[0] != "_"] for layer in layers]
    public = [layer for layer in names if layer]
    assert [re.findall(r"`(\w+)`", row) for row in rows] == public


def test_each_block_is_a_step_or_an_outcome() -> None:
    assert len(outcomes()) == len(WALKS)
    assert len(steps()) == len(code()) - len(outcomes())


@pytest.mark.parametrize("name", WALKS)
def test_the_metric_is_new(name: str) -> None:
    """The walk shows something: choose another metric when this one is added."""
    assert not hasattr(skmetrics_ext, name)


@pytest.mark.parametrize("name", WALKS)
def test_places_are_as_many_as_the_page_says(name: str) -> None:
    """One file of the package, and a value."""
    assert len(WALKS[name]) == 2
    stem = name.removesuffix("_score")
    assert {step.path for step in steps() if re.search(rf"\b{stem}", step.text)} == WALKS[name]


def test_no_step_is_of_neither_metric() -> None:
    assert {step.path for step in steps()} == set().union(*WALKS.values())


def test_files_stay_short_enough(copy: Path) -> None:
    for step in steps():
        lines = (copy / step.path).read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 600, step.path
        assert all(len(line) <= 100 for line in lines), step.path


def test_imports_and_code_are_as_the_linter_wants_them(copy: Path) -> None:
    if find_spec("ruff") is None:
        pytest.skip("ruff is not installed")
    changed = sorted({step.path for step in steps()})
    run(copy, "ruff", "check", "--no-cache", *changed)
    run(copy, "ruff", "format", "--no-cache", "--check", *changed)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("block", outcomes(), ids=WALKS)
def test_the_outcome_is_what_the_page_shows(copy: Path, block: Block) -> None:
    page = copy / "outcome.md"
    page.write_text(block.text, encoding="utf-8")
    asked = block.text.count(">>> ")
    assert f"{asked} passed" in run(copy, "doctest", "-v", str(page))


@pytest.mark.slow
def test_the_minute_of_tests_passes_for_them(copy: Path) -> None:
    """Laws, the value by hand, guards, and the example of its docstring: the lines of the page.

    The lines differ by the word after -k alone, and so are one run of both words.
    """
    words = [name.removesuffix("_score") for name in WALKS]
    (line,) = {tuple(minutes()[word][1:-1]) for word in words}
    report = run_tests(copy, *line, " or ".join(words), "-v")
    for name, stem in zip(WALKS, words, strict=True):
        assert len(re.findall(rf"{stem}.* PASSED", report)) > 30, report
        for needed in (
            f"test_values_by_hand.py::test_.*{name}",
            f"test_one_answer.py::test_.*{name}-",
            f"test_public_names.py::test_functions_are_documented.*{name}",
            f"{stem}.py::skmetrics_ext.*{name}",
        ):
            assert re.search(needed, report), needed


@pytest.mark.slow
def test_completeness_holds_with_both(copy: Path) -> None:
    """What looks at all rows together finds that nothing is missing."""
    report = run_tests(
        copy,
        "tests/laws/test_registry.py",
        "tests/metrics/labels/test_values_by_hand.py",
        "tests/metrics/rankings/test_values_by_hand.py",
        "tests/guards/test_public_names.py",
        "-k",
        "has_a_value_by_hand or sorted or take",
    )
    assert "5 passed" in report or "6 passed" in report, report


@pytest.mark.slow
def test_guards_hold_with_both(copy: Path) -> None:
    """Those of the source; others look at the checkout, or start Python without the copy."""
    guards = [f"tests/guards/test_{name}.py" for name in ("one_body", "stated_facts", "carriers")]
    run_tests(copy, *guards, "-k", "not spelling")


def test_a_ranking_beyond_memory_is_read_in_ranges(copy: Path) -> None:
    """By group, with weights: the number of the function, where all scores cannot be held."""
    (copy / "beyond_memory.py").write_text(BEYOND_MEMORY, encoding="utf-8")
    assert run(copy, "beyond_memory").endswith("the same\n")


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found(copy: Path, tmp_path: Path, mistake: str) -> None:
    name, path, right, wrong, finder = MISTAKES[mistake]
    other = tmp_path / "other"
    shutil.copytree(copy, other)
    text = (other / path).read_text(encoding="utf-8")
    assert text.count(right) == 1
    (other / path).write_text(text.replace(right, wrong), encoding="utf-8")
    with pytest.raises(AssertionError, match=r"[12] failed"):
        run_tests(other, finder, "-k", name)
