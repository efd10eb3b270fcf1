"""The scripts of ``benchmarks/`` as modules, and as commands."""

import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def script(monkeypatch):
    """A script of benchmarks/ by its name; skipped where they are not, as in a source archive."""
    if not SCRIPTS.is_dir():
        pytest.skip("no benchmarks/ here")
    monkeypatch.syspath_prepend(str(SCRIPTS))

    def load(name: str) -> ModuleType:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if os.name == "posix" or error.name != "resource":
                raise
            pytest.skip(f"{name}.py needs the module resource of POSIX")

    return load


@pytest.fixture
def run():
    """Run a script of benchmarks/ with arguments, alone."""
    if not SCRIPTS.is_dir():
        pytest.skip("no benchmarks/ here")

    def command(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        root = str(SCRIPTS.parent)
        path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
        return subprocess.run(
            [sys.executable, str(SCRIPTS / name), *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"PYTHONPATH": path},
        )

    return command
