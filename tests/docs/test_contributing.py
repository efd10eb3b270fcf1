"""CONTRIBUTING: its walk-through, done in a copy of the package, adds a metric that works."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest
from support.markdown import ROOT, Block, blocks

import skmetrics_ext

PAGE = ROOT / "CONTRIBUTING.md"
NAME = "p4_score"
PLACE = re.compile(r"`([\w/]+\.py)`, (?:(at the end)|after `([^`]+)`):$")
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
    """Text that goes in a file, below a line of it or at its end."""

    path: str
    below: str | None
    text: str


def steps() -> list[Step]:
    found = []
    for block in blocks(PAGE):
        place = PLACE.search(block.before)
        if place:
            found.append(Step(place[1], place[3], block.text))
    return found


def code() -> list[Block]:
    return [block for block in blocks(PAGE) if block.language == "python"]


def apply(step: Step, copy: Path) -> None:
    path = copy / step.path
    text = path.read_text(encoding="utf-8")
    if step.below is None:
        blank = "\n\n" if step.text.startswith("def ") else "\n"
        path.write_text(text + blank + step.text, encoding="utf-8")
        return
    line = f"\n{step.below}\n"
    assert text.count(line) == 1, f"{step.path} has {text.count(line)} lines {step.below!r}"
    path.write_text(text.replace(line, line + step.text), encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package and its tests with the new metric."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("skmetrics_ext", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    for step in steps():
        apply(step, folder)
    return folder


def run(copy: Path, *argv: str) -> str:
    program = ALONE.format(copy=str(copy), argv=argv)
    ours = ("PYTEST_", "PYTHONPATH")  # of the tests that are running
    environment = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=copy,
        env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def run_tests(copy: Path, *argv: str) -> str:
    return run(copy, "pytest", "-n0", "-q", "-p", "no:cacheprovider", *argv)


def test_extras_that_are_named_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for page in (PAGE, ROOT / "README.md"):
        commands = "".join(block.text for block in blocks(page) if block.language == "sh")
        named = re.findall(r"\.\[([\w,]+)\]", commands)
        assert len(named) == 2
        assert set(named) <= project["optional-dependencies"].keys()


def test_each_block_is_a_step_or_the_outcome() -> None:
    outcome = [block for block in code() if block.text.startswith(">>> ")]
    assert len(outcome) == 1
    assert len(steps()) == len(code()) - 1


def test_the_metric_is_new() -> None:
    """The walk-through shows something: choose another metric when this one is added."""
    assert not hasattr(skmetrics_ext, NAME)


def test_places_are_as_many_as_the_page_says() -> None:
    """A kernel, a function, a row and a value; and the name in the list of public names."""
    assert sorted({step.path for step in steps()}) == [
        "skmetrics_ext/__init__.py",
        "skmetrics_ext/metrics/labels/rate_kernels.py",
        "skmetrics_ext/metrics/labels/rates.py",
        "skmetrics_ext/registry/label_rows.py",
        "tests/metrics/labels/test_values_by_hand.py",
    ]


def test_files_stay_short_enough(copy: Path) -> None:
    for step in steps():
        lines = (copy / step.path).read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 400, step.path
        assert all(len(line) <= 100 for line in lines), step.path


def test_the_outcome_is_what_the_page_shows(copy: Path) -> None:
    text = next(block.text for block in code() if block.text.startswith(">>> "))
    page = copy / "outcome.md"
    page.write_text(text, encoding="utf-8")
    assert "5 passed" in run(copy, "doctest", "-v", str(page))


def test_tests_that_read_the_registry_pass_for_it(copy: Path) -> None:
    """Laws, the value by hand, documentation of public names, and the example of its docstring."""
    report = run_tests(
        copy,
        "tests/laws",
        "tests/metrics/labels/test_values_by_hand.py",
        "tests/guards/test_public_names.py",
        "skmetrics_ext/metrics/labels/rates.py",
        "-k",
        f"{NAME} or by_hand or sorted",
    )
    passed = int(re.search(r"(\d+) passed", report)[1])
    assert passed > 80, report


def test_a_wrong_kernel_is_found(copy: Path, tmp_path: Path) -> None:
    """The value by hand is what finds it."""
    other = tmp_path / "other"
    shutil.copytree(copy, other)
    path = other / "skmetrics_ext/metrics/labels/rate_kernels.py"
    text = path.read_text(encoding="utf-8")
    wrong = text.replace("2.0 * counts.tn + counts.fp", "2.0 * counts.tn + counts.fp + counts.fp")
    assert wrong != text
    path.write_text(wrong, encoding="utf-8")
    with pytest.raises(AssertionError, match="1 failed"):
        run_tests(other, "tests/metrics/labels/test_values_by_hand.py", "-k", NAME)
