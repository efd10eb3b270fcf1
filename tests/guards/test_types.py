"""Type checkers know what the functions of the README return."""

import subprocess
import sys
from importlib.util import find_spec

import pytest
from support.markdown import ROOT

PROGRAM = """
from typing import assert_type


import skmetrics_ext as sx
from skmetrics_ext.merged.evaluation import Evaluation
from skmetrics_ext.results import Estimate, Estimates

y, p, q = [0, 1, 0, 1], [0.1, 0.9, 0.3, 0.8], [0.2, 0.6, 0.4, 0.9]
estimate = sx.confidence_interval("roc_auc", y, p)
assert_type(estimate, Estimate)
assert_type(estimate.low, float)
assert_type(estimate - sx.confidence_interval("roc_auc", y, q), Estimate)
assert_type(2 * estimate, Estimate)
assert_type(sx.confidence_interval(["roc_auc", "brier_score"], y, p), Estimates)
assert_type(sx.confidence_interval("f1", y, y, average=None), Estimates)
assert_type(sx.compute_metrics(["f1"], y, y, intervals=True), Evaluation)
assert_type(sx.compute_metrics(["f1"], y, y), dict[str, float])
assert_type(sx.compare("roc_auc", y, p, q), Estimate)
assert_type(sx.compare("roc_auc", y, {"a": p, "b": q}), Estimates)
assert_type(sx.log_loss(y, p), float)
"""


@pytest.mark.slow
@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")
def test_the_types_of_answers(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    mypy = (sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml")
    places = ("--cache-dir", tmp_path / "cache", tmp_path / "program.py")
    done = subprocess.run([*mypy, *places], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
