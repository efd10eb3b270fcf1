"""Which implementation runs, and what happens where one is asked for that is not there."""

import os
import subprocess
import sys

import pytest

from skmetrics_ext import kernels


def run(name, code):
    environment = {**os.environ, "SKMETRICS_EXT_KERNELS": name}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_the_environment_variable_chooses():
    found = run("numpy", "import skmetrics_ext.kernels as k; print(k.active())")
    assert found.stdout.strip() == "numpy", found.stderr


def test_an_unknown_name_is_refused():
    found = run("fortran", "from skmetrics_ext import f1_score")
    assert "SKMETRICS_EXT_KERNELS must be one of ('numpy', 'native'), got 'fortran'" in found.stderr
    with pytest.raises(ValueError, match="got 'fortran'"):
        kernels.use("fortran")


def test_kernels_that_were_not_built_are_refused(monkeypatch):
    monkeypatch.setattr(kernels, "available", lambda: ("numpy",))
    with pytest.raises(ImportError, match=r"were not built.*SKMETRICS_EXT_KERNELS=numpy"):
        kernels.use("native")
    assert kernels.active() in ("numpy", "native")


def test_the_one_that_runs_is_the_one_asked_for(implementation):
    assert kernels.active() == implementation
    module = sys.modules[f"skmetrics_ext.kernels._{implementation}"]
    assert kernels.rank_table is module.rank_table
