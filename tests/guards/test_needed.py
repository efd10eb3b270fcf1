"""The script that names the tests of a change."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    """The script as a module, which reads all files once."""
    spec = spec_from_file_location("needed", ROOT / "tests" / "needed.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("changed", "found", "left_out"),
    [
        ("skmetrics_ext/cli/marks.py", "tests/cli/test_marks.py", "tests/tallies/test_ranks.py"),
        ("skmetrics_ext/tallies/ranks.py", "tests/tallies/test_ranks.py", "tests/cli/test_cv.py"),
        (
            "skmetrics_ext/scoring/panel.py",
            "tests/scoring/test_panel.py",
            "tests/test_tables.py",
        ),
        ("tests/support/rows.py", "tests/guards/test_one_body.py", "tests/test_tables.py"),
    ],
)
def test_tests_that_reach_a_file_are_named(script, monkeypatch, capsys, changed, found, left_out):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", ["needed.py", changed, "--steps", "1"])
    script.main()
    named = capsys.readouterr().out.splitlines()
    assert found in named
    assert left_out not in named
    assert all((ROOT / name).exists() for name in named)
