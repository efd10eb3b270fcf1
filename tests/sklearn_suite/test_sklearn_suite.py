"""scikit-learn's own tests of metrics, displays and model selection, with our functions.

Each group runs in its own interpreter (see runner.py), because the swap must come before any test
module of scikit-learn is imported and must not be seen by other tests.
"""

import importlib
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import sklearn

import skmetrics_ext

HERE = Path(__file__).parent
VERSION = tomllib.loads((HERE / "baseline.toml").read_text(encoding="utf-8"))["sklearn"]

pytestmark = pytest.mark.skipif(
    sklearn.__version__ != VERSION,
    reason=f"parity is with scikit-learn {VERSION}, whose tests these are",
)


def run(
    *options: str, path: Path | None = None, most_cases: int = 0
) -> subprocess.CompletedProcess:
    # The same package that this process has imported, installed or not.
    path = path or Path(skmetrics_ext.__file__).parents[1]
    env = dict(os.environ)
    env["PYTHONPATH"] = os.pathsep.join([str(path), env.get("PYTHONPATH", "")])
    env["SKSUITE_MOST_CASES"] = str(most_cases)
    cmd = [sys.executable, str(HERE / "runner.py"), *options]
    return subprocess.run(cmd, env=env, capture_output=True, text=True, check=False)


def passes(*options: str, most_cases: int = 0) -> str:
    """What a run prints that has to pass."""
    result = run(*options, most_cases=most_cases)
    if result.returncode:
        pytest.fail(f"{result.stdout}\n{result.stderr}", pytrace=False)
    return result.stdout


def test_a_few_of_its_tests_of_metrics_pass():
    """A case of each of rankings and scorers; those of labels are with the others below."""
    passes("--groups", "core", "-k", "test_ranking or test_score_objects", most_cases=1)


@pytest.mark.slow
def test_scikit_learns_own_tests_of_metrics_pass():
    passes("--groups", "core")


@pytest.mark.slow
def test_a_few_of_its_tests_of_model_selection_pass():
    few = "score or scoring or scorer or metric"
    passes("--groups", "model_selection", "-k", few, most_cases=1)


@pytest.mark.exhaustive
def test_all_of_its_tests_of_model_selection_pass():
    passes("--groups", "model_selection")


@pytest.mark.slow
def test_a_few_of_its_tests_of_displays_pass():
    """Displays draw what the functions give: a few cases of two of them are enough here."""
    pytest.importorskip("matplotlib")
    few = "test_det_curve_display or test_confusion_matrix_display"
    passes("--groups", "displays", "-k", few, most_cases=5)


@pytest.mark.exhaustive
def test_all_of_its_tests_of_displays_pass():
    pytest.importorskip("matplotlib")
    passes("--groups", "displays")


@pytest.mark.slow
def test_scikit_learns_own_tests_of_array_api_dispatch_pass():
    pytest.importorskip("array_api_strict")
    printed = passes("--array-api", "--groups", "core")
    core = next(line for line in printed.splitlines() if line.startswith("core"))
    assert int(core.split()[1]) > 150, printed  # and that they were run at all


WRONG = """
import sklearn.metrics
__all__ = ["zero_one_loss"]
original = sklearn.metrics.zero_one_loss
def zero_one_loss(*args, **kwargs):
    return 1.5 * original(*args, **kwargs)
"""


def test_the_runner_tells_of_a_wrong_metric(tmp_path):
    (tmp_path / "wrong_target.py").write_text(WRONG)
    options = ["--groups", "core", "-k", "zero_one_loss_subset"]
    result = run("--target", "wrong_target", *options, path=tmp_path)
    assert result.returncode == 1, f"{result.stdout}\n{result.stderr}"
    assert "test_multilabel_zero_one_loss_subset\n    [assertion]" in result.stdout
    assert "wrong_target.original" in result.stdout  # scikit-learn's own function behind it


def test_exceptions_that_no_longer_hold_are_told(monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    suite = importlib.import_module("suite_results")
    row, match = suite.Exemption, suite.match

    def result(nodeid, outcome):
        return {"id": nodeid, "outcome": outcome, "ok": outcome == "passed", "counted": True}

    results = [result(f"t[{i}]", "failed") for i in range(2)] + [result("u", "passed")]
    left, covered, wrong = match([row("t[*", "r", "w", 2)], results, whole=True)
    assert (left, covered, wrong) == ([], ["t[0]", "t[1]"], [])
    left, covered, wrong = match([row("t[0]", "r", "w")], results, whole=True)
    assert ([r["id"] for r in left], covered, wrong) == (["t[1]"], ["t[0]"], [])
    for bad in [row("t[*", "r", "w", 1), row("t[*", "r", "w", 3), row("u", "r", "w")]:
        assert len(match([bad], results, whole=True)[2]) == 1


def test_each_exception_has_its_row_in_the_documentation():
    text = (HERE / "exceptions.toml").read_text(encoding="utf-8")
    reasons = {row["reason"] for row in tomllib.loads(text).get("exception", [])}
    if reasons:
        differences = HERE.parents[1] / "docs" / "differences.md"
        documented = differences.read_text(encoding="utf-8")
        assert not {reason for reason in reasons if reason not in documented}
